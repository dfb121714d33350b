"""What a seat may do: moves as words, whether one is legal, how many there are, one at random, and those worth a look.

There are far too many plays to list: three kings place three markers on any squares. So moves are built decision by
decision (cards, then squares), `is_legal` judges them, and `list_moves` names those around the cheapest paths only.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below, uniform
from sims.crossways.facts import (
    CHOICES,
    CORNERS,
    ITEM_BITS,
    ITEM_MASK,
    JOKER_PLAY,
    LEVEL_SHIFT,
    MAX_HAND,
    MAX_TEAMS,
    NONE,
    PAIR,
    PAIR_AND_RUN,
    PASS,
    RUN,
    SET_SHIFT,
    SINGLE,
    SQUARE_MASK,
    SQUARES,
    STACK_BITS,
    STACK_MASK,
)
from sims.crossways.hands import (
    cards_of_set,
    discard_cards,
    is_first_choice,
    kind_of_set,
    make_set,
    placed_by_set,
    removed_by_set,
    spots_of,
)
from sims.crossways.paths import (
    FEWEST_FOR_PATH,
    allows_way,
    end_of,
    goal_cost,
    goal_keys,
    reach,
    spread,
    start_of,
    ways_won,
)
from sims.jit import jit

# --- Moves as words --------------------------------------------------------------------------------------------------


@jit
def set_of(move: Any) -> Any:
    """Return what is done and with which cards: an entry of `view.sets`, or a pass."""
    return Word(move) >> SET_SHIFT


@jit
def kind_of(move: Any) -> Any:
    """Return what is done: 0 pass, 1 single, 2 pair, 3 run, 4 joker, 5 pair and run."""
    return min(kind_of_set(set_of(move)), Word(PAIR_AND_RUN))


@jit
def cards_of(move: Any) -> Any:
    """Return the cards of the hand that are played (of a pass: discarded), as bits."""
    return cards_of_set(set_of(move))


@jit
def placed_by(move: Any) -> Any:
    """Return how many markers a move places."""
    return placed_by_set(set_of(move))


@jit
def removed_by(move: Any) -> Any:
    """Return how many markers a move removes."""
    return removed_by_set(set_of(move))


@jit
def item_of(move: Any, index: Any) -> Any:
    """Return one marker of a move, from 0: level in the stack << 6 | square; those that are removed come first."""
    return (Word(move) >> (ITEM_BITS * Word(index))) & ITEM_MASK


@jit
def square_of(item: Any) -> Any:
    """Return the square of a marker."""
    return Word(item) & SQUARE_MASK


@jit
def level_of(item: Any) -> Any:
    """Return how many markers lie below one that is removed."""
    return Word(item) >> LEVEL_SHIFT


@jit
def start_move(entry: Any) -> Any:
    """Return a move with these cards and no markers yet."""
    return Word(entry) << SET_SHIFT


@jit
def with_item(move: Any, index: Any, item: Any) -> Any:
    """Return a move with one more marker, at place `index`."""
    return Word(move) | Word(item) << (ITEM_BITS * Word(index))


@jit
def put_in_order(move: Any, first: Any, last: Any) -> Any:
    """Return a move with its markers from place `first` to before `last` in ascending order."""
    move = Word(move)
    for end in range(last - 1, first, -1):
        for index in range(first, end):
            low, high = item_of(move, index), item_of(move, index + 1)
            if low > high:
                both = low ^ high
                move ^= both << (ITEM_BITS * Word(index)) | both << (ITEM_BITS * Word(index + 1))
    return move


@jit
def finish_move(move: Any) -> Any:
    """Return a move with its markers in order: first those that are removed, then those that are placed."""
    removed, placed = np.int64(removed_by(move)), np.int64(placed_by(move))
    if removed > 1:
        move = put_in_order(move, 0, removed)
    if placed > 1:
        move = put_in_order(move, removed, removed + placed)
    return move


# --- Stacks ----------------------------------------------------------------------------------------------------------


@jit
def height_of(stack: Any) -> Any:
    """Return how many markers lie in a stack."""
    stack = Word(stack)
    low = Word(stack > NONE) + Word(stack > Word(7)) + Word(stack > Word(63))
    return low + Word(stack > Word(511)) + Word(stack > Word(4095))


@jit
def team_at(stack: Any, level: Any) -> Any:
    """Return the team + 1 of the marker at a level of a stack, 0 for none."""
    return (Word(stack) >> (STACK_BITS * Word(level))) & STACK_MASK


@jit
def count_in(stack: Any, team: Any) -> Any:
    """Return how many markers a team has in a stack."""
    stack, mark, count = Word(stack), Word(team) + ONE, NONE
    while stack:
        count += Word(stack & STACK_MASK == mark)
        stack >>= STACK_BITS
    return count


@jit
def top_level(stack: Any, team: Any) -> Any:
    """Return the level of a team's topmost marker in a stack; 8 when there is none."""
    stack, mark, level, found = Word(stack), Word(team) + ONE, NONE, Word(8)
    while stack:
        if stack & STACK_MASK == mark:
            found = level
        stack >>= STACK_BITS
        level += ONE
    return found


@jit
def without_level(stack: Any, level: Any) -> Any:
    """Return a stack without the marker at a level."""
    stack, shift = Word(stack), STACK_BITS * Word(level)
    low = stack & ((ONE << shift) - ONE)
    return low | (stack >> (shift + STACK_BITS)) << shift


@jit
def with_marker(stack: Any, team: Any) -> Any:
    """Return a stack with a marker on top."""
    return Word(stack) | (Word(team) + ONE) << (STACK_BITS * height_of(stack))


@jit
def is_closed(stack: Any) -> Any:
    """Whether two markers of a team lie in a stack."""
    closed = False
    for team in range(MAX_TEAMS):
        closed = closed or count_in(stack, team) > ONE
    return closed


# --- Boards ----------------------------------------------------------------------------------------------------------


@jit
def counting(view: Any, team: Any) -> Any:
    """Return the squares that count for a team's path."""
    own = Word(view.one[team])
    if view.king_of_the_mountain:
        own &= Word(view.top[team])
    if view.double_down:
        for other in range(view.teams):
            if other != team:
                own &= ~Word(view.two[other])
    return own


@jit
def open_for(view: Any, own: Any) -> Any:
    """Return the squares where one marker is enough to make them a team's, whose counting squares are `own`."""
    return ~(Word(view.closed) | Word(view.white) | own)


@jit
def free_whites(view: Any) -> Any:
    """Return the empty white squares."""
    return Word(view.white) & ~Word(view.closed)


@jit
def links(view: Any, team: Any) -> Any:
    """Return the white squares from which a team's path may go on across."""
    return Word(view.four[team]) if view.diagonals else NONE


@jit
def markers_needed(view: Any, team: Any) -> Any:
    """Return how many more markers (a signed number) a team needs at least to win; 999 when all ways are blocked."""
    own = counting(view, team)
    return goal_cost(own, open_for(view, own), free_whites(view), links(view, team), view.goal, team)


@jit
def key_squares_of(view: Any, team: Any, layers: Any) -> Any:
    """Return `markers_needed` and all open, white and own squares on some cheapest way; `layers` is room for words."""
    own = counting(view, team)
    return goal_keys(own, open_for(view, own), free_whites(view), links(view, team), view.goal, team, layers)


@jit
def has_won(view: Any, team: Any) -> Any:
    """Return the directions in which a team has won, as `sims.crossways.paths.ways_won` does."""
    return ways_won(counting(view, team), links(view, team), view.goal, team)


@jit
def completes(view: Any, move: Any) -> Any:
    """Whether a move that only placed markers, just now, has completed a path of the seat's team.

    Only what is new can have done so: this looks at the squares that hang together with it.
    """
    goal, team = view.goal, np.int64(view.team)
    own, linked, diagonal = counting(view, team), links(view, team), goal == CORNERS
    if bit_count(own) < FEWEST_FOR_PATH:
        return False
    for index in range(np.int64(placed_by(move))):
        square = ONE << item_of(move, index)
        if not reach(square, linked, diagonal) & own:
            continue
        part = spread(square, own, linked, diagonal)
        for way in range(2):
            if part & start_of(goal, way) and part & end_of(goal, way) and allows_way(goal, team, way):
                return True
    return False


@jit
def stack_after(view: Any, move: Any, square: Any) -> Any:
    """Return the stack that a move leaves on a square."""
    stack = Word(view.stacks[square])
    removed, placed = np.int64(removed_by(move)), np.int64(placed_by(move))
    for index in range(removed - 1, -1, -1):  # the highest level first: it changes no other
        item = item_of(move, index)
        if square_of(item) == Word(square):
            stack = without_level(stack, level_of(item))
    for index in range(removed, removed + placed):
        if item_of(move, index) == Word(square):
            stack = with_marker(stack, view.team)
    return stack


@jit
def counts_for(view: Any, stack: Any, team: Any) -> Any:
    """Whether a square with such a stack counts for a team's path."""
    count = count_in(stack, team)
    counts = count > NONE
    if counts and view.king_of_the_mountain:
        counts = team_at(stack, height_of(stack) - ONE) == Word(team) + ONE
    if counts and view.double_down:
        counts = count > ONE or not is_closed(stack)
    return counts


@jit
def board_after(view: Any, move: Any, team: Any) -> Any:
    """Return the squares that count for a team when a legal move is made, the closed ones, and its links."""
    own, closed, linked = counting(view, team), Word(view.closed), links(view, team)
    for index in range(np.int64(removed_by(move) + placed_by(move))):
        square = square_of(item_of(move, index))
        bit = ONE << square
        stack = stack_after(view, move, square)
        closed = closed | bit if is_closed(stack) else closed & ~bit
        own = own | bit if counts_for(view, stack, team) else own & ~bit
        if view.diagonals:
            linked = linked | bit if count_in(stack, team) == Word(4) else linked & ~bit
    return own, closed, linked


@jit
def markers_needed_after(view: Any, move: Any, team: Any) -> Any:
    """Return what `markers_needed` says of a team when a legal move is made; 0 when it wins."""
    own, closed, linked = board_after(view, move, team)
    white = Word(view.white)
    return goal_cost(own, ~(closed | white | own), white & ~(closed | own), linked, view.goal, team)


# --- Numbers of ways -------------------------------------------------------------------------------------------------


@jit
def ways(markers: Any, ones: Any, twos: Any, fours: Any, pairs: Any, each: Any) -> Any:
    """Return in how many ways markers can be put on (or taken from) squares.

    Parameters
    ----------
    markers
        How many.
    ones, twos
        Squares that take one marker or more, and those among them that take a second one.
    fours, pairs
        Squares that take two or four at once, and those that take two.
    each
        The number of ways to take two where four can be taken.
    """
    markers = np.int64(markers)
    total = NONE
    for quads in range(min(markers // 4, np.int64(fours)) + 1):
        for halves in range((markers - 4 * quads) // 2 + 1):
            whites, power = NONE, ONE
            most = np.int64(fours) - quads
            for some in range((most if most < halves else halves) + 1):
                whites += CHOICES[np.int64(fours) - quads, some] * power * CHOICES[pairs, halves - some]
                power *= Word(each)
            rest = markers - 4 * quads - 2 * halves
            cards = NONE
            for double in range(min(rest // 2, np.int64(twos)) + 1):
                cards += CHOICES[twos, double] * CHOICES[np.int64(ones) - double, rest - 2 * double]
            total += CHOICES[fours, quads] * whites * cards
    return total


@jit
def room_on(closed: Any, white: Any, one: Any, two: Any, four: Any, diagonals: Any) -> Any:
    """Return the squares where a team can place markers: one or more, two, two or four, just two.

    Parameters
    ----------
    closed, white
        Squares of the board.
    one, two, four
        Where the team has so many markers or more.
    diagonals
        Whether white squares take four.
    """
    ones = ~(closed | white)
    if diagonals:
        return ones, ones & ~one, white & ~closed, white & two & ~four
    return ones, ones & ~one, NONE, white & ~closed


@jit
def room(view: Any) -> Any:
    """Return the squares where the seat can place markers, as `room_on` does."""
    team = np.int64(view.team)
    return room_on(
        Word(view.closed),
        Word(view.white),
        Word(view.one[team]),
        Word(view.two[team]),
        Word(view.four[team]),
        view.diagonals,
    )


@jit
def placements(spaces: Any, markers: Any) -> Any:
    """Return in how many ways so many markers can be placed on the squares that `room` returned."""
    ones, twos, fours, pairs = spaces
    return ways(markers, bit_count(ones), bit_count(twos), bit_count(fours), bit_count(pairs), ONE)


@jit
def markers_there(view: Any, teams: Any) -> Any:
    """Return how many markers of some teams (bits) can be removed.

    Returns
    -------
    tuple of int
        Numbers of (square, team) with one marker or more that leave alone, of those among them that have a second one,
        of white squares with four, and of white squares with two. Where the order of a stack counts, every marker
        stands for itself.
    """
    white, ordered = Word(view.white), view.king_of_the_mountain
    ones, twos, fours, pairs = NONE, NONE, NONE, NONE
    for team in range(view.teams):
        if (Word(teams) >> Word(team)) & ONE:
            two, four = Word(view.two[team]), Word(view.four[team])
            double = bit_count(two & ~white)
            ones += bit_count(Word(view.one[team]) & ~white)
            if ordered:
                ones += double
            else:
                twos += double
            fours += bit_count(four)
            pairs += bit_count(two & white & ~four)
    return ones, twos, fours, pairs


@jit
def removals(view: Any, markers: Any, teams: Any) -> Any:
    """Return in how many ways so many markers of some teams (bits) can be removed.

    Which of two equal markers is taken counts only when the order of a stack does.
    """
    ones, twos, fours, pairs = markers_there(view, teams)
    return ways(markers, ones, twos, fours, pairs, Word(6) if view.king_of_the_mountain else ONE)


ALL_TEAMS = Word((1 << MAX_TEAMS) - 1)


@jit
def can_play_set(view: Any, entry: Any) -> Any:
    """Whether there is a legal play of these cards."""
    kind, cards = kind_of_set(entry), cards_of_set(entry)
    team = np.int64(view.team)
    supply = Word(view.supplies[team])
    if kind == Word(SINGLE):
        return supply > NONE and spots_of(view, view.hand[lowest_bit(cards)]) & ~Word(view.closed) != NONE
    if kind == Word(PAIR):
        count = bit_count(cards)
        if supply < count:
            return False
        # One by one on open squares, which there nearly always are enough of.
        return bit_count(~(Word(view.closed) | Word(view.white))) >= count or placements(room(view), count) > NONE
    if kind == Word(RUN):
        # One by one from card squares, which there nearly always are enough of.
        alone = markers_there(view, ALL_TEAMS)[0]
        return alone >= bit_count(cards) or removals(view, bit_count(cards), ALL_TEAMS) > NONE
    if kind == Word(JOKER_PLAY):
        if cards & (cards - ONE) == NONE:
            return markers_there(view, ALL_TEAMS)[0] > NONE
        face = view.hand[lowest_bit(cards)]  # jokers are last in a hand
        return supply > ONE and spots_of(view, face) & ~(Word(view.closed) | Word(view.one[team])) != NONE
    # Own markers that are removed first go back to the supply. Room for the others there always is: 96 markers cannot
    # close so many squares.
    removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
    least = placed - np.int64(supply) if placed > np.int64(supply) else np.int64(0)
    own = ONE << Word(team)
    for mine in range(least, removed + 1):
        if removals(view, mine, own) and removals(view, removed - mine, ALL_TEAMS ^ own):
            return True
    return False


@jit
def can_play(view: Any) -> Any:
    """Whether the seat has any legal play; a pass is none."""
    can = False
    for index in range(view.set_count):
        can = can or can_play_set(view, view.sets[index])
    return can


# --- Legality --------------------------------------------------------------------------------------------------------


@jit
def is_legal_pass(view: Any, move: Any) -> Any:
    """Whether the seat may pass like this."""
    cards = cards_of(move)
    if Word(move) != start_move(make_set(PASS, cards)):
        return False
    if view.discard_on_pass:
        if cards == NONE or cards & (cards - ONE) or cards >> Word(view.hand_limit):
            return False
        if not is_first_choice(view.hand, cards):
            return False
    elif cards:
        return False
    return view.may_pass or not can_play(view)


@jit
def takes_whites_whole(view: Any, move: Any, removed: Any) -> Any:
    """Whether the markers that a move removes are there, each once, and leave white squares two at a time or four."""
    white = Word(view.white)
    last = NONE
    for index in range(removed):
        item = item_of(move, index)
        square = square_of(item)
        if index > 0 and item <= last:
            return False
        last = item
        if level_of(item) >= height_of(view.stacks[square]):
            return False
        if (white >> square) & ONE:
            taken = 0
            for other in range(removed):
                taken += square_of(item_of(move, other)) == square
            if taken % 2:
                return False
    return True


@jit
def fits(view: Any, move: Any, removed: Any, placed: Any) -> Any:
    """Whether there is room for the markers that a move places, when it has removed others."""
    white, team = Word(view.white), view.team
    last = NONE
    for index in range(removed, removed + placed):
        square = item_of(move, index)
        if square >= Word(SQUARES) or (index > removed and square < last):
            return False
        again = index > removed and square == last
        last = square
        if again:
            continue
        stack, adds = Word(view.stacks[square]), 0
        for other in range(removed - 1, -1, -1):
            item = item_of(move, other)
            if square_of(item) == square:
                stack = without_level(stack, level_of(item))
        for other in range(removed, removed + placed):
            adds += item_of(move, other) == square
        if (white >> square) & ONE:
            if stack == NONE:
                if adds != 2 and not (adds == 4 and view.diagonals):
                    return False
            elif adds != 2 or not view.diagonals or height_of(stack) != Word(2) or count_in(stack, team) != Word(2):
                return False
        elif is_closed(stack) or count_in(stack, team) + Word(adds) > Word(2):
            return False
    return True


@jit
def is_legal(view: Any, move: Any) -> Any:
    """Whether the seat holds the cards for a move and the markers can be placed and removed like that."""
    move = Word(move)
    entry = set_of(move)
    kind = kind_of_set(entry)
    if kind == Word(PASS):
        return is_legal_pass(view, move)
    known = False
    for index in range(view.set_count):
        if Word(view.sets[index]) == entry:
            known = True
            break
    if not known:
        return False
    team = np.int64(view.team)
    cards = cards_of_set(entry)
    if kind == Word(SINGLE):
        square = move ^ start_move(entry)
        if square >= Word(SQUARES) or not view.supplies[team]:
            return False
        return (spots_of(view, view.hand[lowest_bit(cards)]) & ~Word(view.closed)) >> square & ONE == ONE
    removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
    if removed + placed < MAX_HAND and (move ^ start_move(entry)) >> (ITEM_BITS * Word(removed + placed)):
        return False
    if removed and not takes_whites_whole(view, move, removed):
        return False
    if placed:
        supply = np.int64(view.supplies[team])
        for index in range(removed):
            item = item_of(move, index)
            supply += team_at(view.stacks[square_of(item)], level_of(item)) == Word(team) + ONE
        if placed > supply or not fits(view, move, removed, placed):
            return False
    if kind == Word(JOKER_PLAY):
        square = square_of(item_of(move, 0))
        if removed:
            return (Word(view.white) >> square) & ONE == NONE
        spots = spots_of(view, view.hand[lowest_bit(cards)])
        return item_of(move, 0) == item_of(move, 1) and (spots >> square) & ONE == ONE
    return True


# --- Carrying out ----------------------------------------------------------------------------------------------------


@jit
def place_marker(view: Any, square: Any) -> None:
    """Put a marker of the seat's team on top of a square."""
    team, bit = np.int64(view.team), ONE << Word(square)
    below = Word(view.stacks[square])
    stack = with_marker(below, team)
    view.stacks[square] = stack
    if below:
        covered = np.int64(team_at(below, height_of(below) - ONE)) - 1
        view.top[covered] = Word(view.top[covered]) & ~bit
    view.top[team] = Word(view.top[team]) | bit
    if Word(view.one[team]) & bit:
        if Word(view.two[team]) & bit and count_in(stack, team) == Word(4):
            view.four[team] = Word(view.four[team]) | bit
        view.two[team] = Word(view.two[team]) | bit
        view.closed = Word(view.closed) | bit
    else:
        view.one[team] = Word(view.one[team]) | bit
    view.supplies[team] -= 1


@jit
def remove_marker(view: Any, square: Any, level: Any) -> Any:
    """Take the marker at a level of a square's stack; return its team (a signed number)."""
    bit = ONE << Word(square)
    team = np.int64(team_at(view.stacks[square], level)) - 1
    stack = without_level(view.stacks[square], level)
    view.stacks[square] = stack
    count = count_in(stack, team)
    view.four[team] = Word(view.four[team]) & ~bit
    if count < Word(2):
        if Word(view.two[team]) & bit:
            view.closed = Word(view.closed) & ~bit
        view.two[team] = Word(view.two[team]) & ~bit
    if count == NONE:
        view.one[team] = Word(view.one[team]) & ~bit
    view.top[team] = Word(view.top[team]) & ~bit
    if stack:
        top = np.int64(team_at(stack, height_of(stack) - ONE)) - 1
        view.top[top] = Word(view.top[top]) | bit
    view.supplies[team] += 1
    return team


@jit
def carry_out(view: Any, move: Any) -> None:
    """Make a legal move on the view's board and in its hand."""
    move = Word(move)
    entry = set_of(move)
    removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
    for index in range(removed - 1, -1, -1):  # the highest level first: it changes no other
        item = item_of(move, index)
        remove_marker(view, square_of(item), level_of(item))
    for index in range(removed, removed + placed):
        place_marker(view, item_of(move, index))
    cards = cards_of_set(entry)
    if cards:
        view.hand_sizes[view.seat] = discard_cards(view.hand, view.hand_sizes[view.seat], cards, view.discards)
    view.passes = 0 if kind_of_set(entry) else view.passes + 1


# --- Random moves ----------------------------------------------------------------------------------------------------


@jit
def pick_bits(squares: Any, count: Any, rng: Any) -> Any:
    """Return `count` of some squares, each set equally likely."""
    picked, left = NONE, Word(squares)
    for _ in range(count):
        bit = ONE << select_bit(left, below(rng, bit_count(left)))
        picked |= bit
        left ^= bit
    return picked


@jit
def add_squares(move: Any, index: Any, squares: Any, times: Any) -> Any:
    """Return a move with markers on some squares, so many on each, from place `index` on; and the next place."""
    while squares:
        square = lowest_bit(squares)
        squares &= squares - ONE
        for _ in range(times):
            move = with_item(move, index, square)
            index += 1
    return move, index


@jit
def split_up(markers: Any, ones: Any, twos: Any, fours: Any, pairs: Any, each: Any, rng: Any) -> Any:
    """Return how one of the `ways`, each equally likely, splits: fours, twos of a four, twos on white, on card."""
    markers = np.int64(markers)
    pick = uniform(rng) * float(ways(markers, ones, twos, fours, pairs, each))
    found = (0, 0, 0, 0)
    for quads in range(min(markers // 4, np.int64(fours)) + 1):
        power = ONE
        for some in range(min((markers - 4 * quads) // 2, np.int64(fours) - quads) + 1):
            for halves in range((markers - 4 * quads - 2 * some) // 2 + 1):
                rest = markers - 4 * quads - 2 * some - 2 * halves
                for doubles in range(min(rest // 2, np.int64(twos)) + 1):
                    weight = CHOICES[fours, quads] * CHOICES[np.int64(fours) - quads, some] * power
                    weight *= CHOICES[pairs, halves] * CHOICES[twos, doubles]
                    weight *= CHOICES[np.int64(ones) - doubles, rest - 2 * doubles]
                    if weight:
                        found = (quads, some, halves, doubles)
                        pick -= float(weight)
                        if pick < 0.0:
                            return found
            power *= Word(each)
    return found


@jit
def random_placement(spaces: Any, move: Any, index: Any, markers: Any, rng: Any) -> Any:
    """Return a move with so many markers placed from place `index` on, each way to do so equally likely."""
    ones, twos, fours, pairs = spaces
    n_ones, n_twos, n_fours, n_pairs = bit_count(ones), bit_count(twos), bit_count(fours), bit_count(pairs)
    markers = np.int64(markers)
    if markers == 2:  # nearly always
        apart = (n_ones * (n_ones - ONE)) >> ONE if n_ones else NONE
        pick = below(rng, apart + n_twos + n_fours + n_pairs)
        if pick < apart:
            return add_squares(move, index, pick_bits(ones, 2, rng), 1)[0]
        pick -= apart
        square = select_bit(twos, pick) if pick < n_twos else select_bit(fours | pairs, pick - n_twos)
        return with_item(with_item(move, index, square), index + 1, square)
    quads, some, halves, doubles = split_up(markers, n_ones, n_twos, n_fours, n_pairs, ONE, rng)
    four = pick_bits(fours, quads, rng)
    half = pick_bits(fours & ~four, some, rng) | pick_bits(pairs, halves, rng)
    double = pick_bits(twos, doubles, rng)
    single = pick_bits(ones & ~double, markers - 4 * quads - 2 * (some + halves + doubles), rng)
    move, index = add_squares(move, index, four, 4)
    move, index = add_squares(move, index, half | double, 2)
    return add_squares(move, index, single, 1)[0]


@jit
def random_removal(view: Any, move: Any, markers: Any, rng: Any) -> Any:
    """Return a move with so many markers removed, from place 0 on, each way to do so equally likely."""
    white, ordered = Word(view.white), view.king_of_the_mountain
    markers = np.int64(markers)
    n_ones, n_twos, n_fours, n_pairs = markers_there(view, ALL_TEAMS)
    each = Word(6) if ordered else ONE
    quads, sixths, halves, doubles = split_up(markers, n_ones, n_twos, n_fours, n_pairs, each, rng)
    index = 0
    fours, pairs = NONE, NONE
    for team in range(view.teams):
        fours |= Word(view.four[team])
        pairs |= Word(view.two[team]) & white & ~Word(view.four[team])
    four = pick_bits(fours, quads, rng)
    some = pick_bits(fours & ~four, sixths, rng)
    half = pick_bits(pairs, halves, rng)
    while four:
        square = lowest_bit(four)
        four &= four - ONE
        for level in range(4):
            move = with_item(move, index, square | Word(level) << LEVEL_SHIFT)
            index += 1
    while half:
        square = lowest_bit(half)
        half &= half - ONE
        for level in range(2):
            move = with_item(move, index, square | Word(level) << LEVEL_SHIFT)
            index += 1
    while some:
        square = lowest_bit(some)
        some &= some - ONE
        levels = pick_bits(Word(15), 2, rng) if ordered else Word(12)
        while levels:
            move = with_item(move, index, square | lowest_bit(levels) << LEVEL_SHIFT)
            levels &= levels - ONE
            index += 1
    return random_singles(view, move, index, doubles, markers - index - 2 * doubles, rng)


@jit
def random_singles(view: Any, move: Any, index: Any, doubles: Any, singles: Any, rng: Any) -> Any:
    """Return a move that also removes markers from card squares: both markers of a team, so often, then single ones."""
    white, ordered = Word(view.white), view.king_of_the_mountain
    gone = NONE  # squares where both markers of the team that closes them were taken
    for _ in range(doubles):
        total = NONE
        for team in range(view.teams):
            total += bit_count(Word(view.two[team]) & ~white & ~gone)
        pick = below(rng, total)
        for team in range(view.teams):
            squares = Word(view.two[team]) & ~white & ~gone
            size = bit_count(squares)
            if pick < size:
                square = select_bit(squares, pick)
                stack = view.stacks[square]
                high = top_level(stack, team)
                low = top_level(Word(stack) & ((ONE << (STACK_BITS * high)) - ONE), team)
                move = with_item(move, index, square | low << LEVEL_SHIFT)
                move = with_item(move, index + 1, square | high << LEVEL_SHIFT)
                index += 2
                gone |= ONE << square
                break
            pick -= size
    first = index
    while index < first + singles:
        # Each marker (or, where the order of a stack does not count, each team on a square) that was not yet taken.
        total = NONE
        for team in range(view.teams):
            two = Word(view.two[team]) & ~white
            total += bit_count(Word(view.one[team]) & ~white & ~(gone & two)) + (bit_count(two) if ordered else NONE)
        pick = below(rng, total)
        item = NONE
        for team in range(view.teams):
            two = Word(view.two[team]) & ~white
            squares = Word(view.one[team]) & ~white & ~(gone & two)
            size = bit_count(squares)
            if pick < size:
                square = select_bit(squares, pick)
                item = square | top_level(view.stacks[square], team) << LEVEL_SHIFT
                break
            pick -= size
            if ordered:
                size = bit_count(two)
                if pick < size:
                    square = select_bit(two, pick)
                    stack = Word(view.stacks[square])
                    low = stack & ((ONE << (STACK_BITS * top_level(stack, team))) - ONE)
                    item = square | top_level(low, team) << LEVEL_SHIFT
                    break
                pick -= size
        new = True
        for other in range(first, index):
            new = new and item_of(move, other) != item
        if new:
            move = with_item(move, index, item)
            index += 1
    return move


@jit
def room_after(view: Any, move: Any, removed: Any) -> Any:
    """Return the supply (a signed number) and the squares that `room` names when a move has removed its markers."""
    team, white = np.int64(view.team), Word(view.white)
    closed, one = Word(view.closed), Word(view.one[team])
    two, four = Word(view.two[team]), Word(view.four[team])
    supply = np.int64(view.supplies[team])
    for index in range(removed):
        item = item_of(move, index)
        square = square_of(item)
        bit = ONE << square
        supply += team_at(view.stacks[square], level_of(item)) == Word(team) + ONE
        stack = Word(view.stacks[square])
        for other in range(removed - 1, -1, -1):
            item = item_of(move, other)
            if square_of(item) == square:
                stack = without_level(stack, level_of(item))
        count = count_in(stack, team)
        closed = closed | bit if is_closed(stack) else closed & ~bit
        one = one | bit if count else one & ~bit
        two = two | bit if count > ONE else two & ~bit
        four = four | bit if count == Word(4) else four & ~bit
    return supply, room_on(closed, white, one, two, four, view.diagonals)


@jit
def most_placements(view: Any, removed: Any, placed: Any) -> Any:
    """Return a bound of the ways to place markers, whichever were removed before."""
    ones, twos, fours, pairs = room(view)
    more = Word(removed)
    n_ones, n_twos = bit_count(ones) + more, bit_count(twos) + more
    n_fours = bit_count(fours) + (more if view.diagonals else NONE)
    return ways(placed, n_ones, n_twos, n_fours, bit_count(pairs) + more, ONE)


@jit
def random_pair_and_run(view: Any, cards: Any, rng: Any) -> Any:
    """Return a legal pair-and-run with these cards, each equally likely; there has to be one.

    How many markers are placed, and which are removed, is drawn as if there were as many ways to place them as there
    could be; it is drawn again as often as there are fewer.
    """
    total = 0.0
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if kind_of_set(entry) >= Word(PAIR_AND_RUN) and cards_of_set(entry) == cards:
            removed, placed = removed_by_set(entry), placed_by_set(entry)
            total += float(removals(view, removed, ALL_TEAMS)) * float(most_placements(view, removed, placed))
    while True:
        pick = uniform(rng) * total
        for index in range(view.set_count):
            entry = Word(view.sets[index])
            if kind_of_set(entry) < Word(PAIR_AND_RUN) or cards_of_set(entry) != cards:
                continue
            removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
            most = most_placements(view, removed, placed)
            weight = float(removals(view, removed, ALL_TEAMS)) * float(most)
            if pick >= weight or weight == 0.0:
                pick -= weight
                continue
            move = put_in_order(random_removal(view, start_move(entry), removed, rng), 0, removed)
            supply, spaces = room_after(view, move, removed)
            if placed <= supply and below(rng, most) < placements(spaces, placed):
                return finish_move(random_placement(spaces, move, removed, placed, rng))
            break


@jit
def can_play_split(view: Any, index: Any) -> Any:
    """Whether there is a legal play of an entry of the view's sets, or of another split of the same pair-and-run.

    Of all entries for a pair-and-run of the same cards only the first one can say yes.
    """
    entry = Word(view.sets[index])
    if kind_of_set(entry) < Word(PAIR_AND_RUN):
        return can_play_set(view, entry)
    can = False
    for other in range(view.set_count):
        split = Word(view.sets[other])
        if kind_of_set(split) >= Word(PAIR_AND_RUN) and cards_of_set(split) == cards_of_set(entry):
            if other < index:
                return False
            can = can or can_play_set(view, split)
    return can


@jit
def random_of_set(view: Any, entry: Any, rng: Any) -> Any:
    """Return a legal play of these cards, each equally likely; there has to be one."""
    kind, cards = kind_of_set(entry), cards_of_set(entry)
    move = start_move(entry)
    if kind == Word(SINGLE):
        squares = spots_of(view, view.hand[lowest_bit(cards)]) & ~Word(view.closed)
        return move | select_bit(squares, below(rng, bit_count(squares)))
    if kind == Word(PAIR):
        return finish_move(random_placement(room(view), move, 0, bit_count(cards), rng))
    if kind == Word(RUN):
        return finish_move(random_removal(view, move, bit_count(cards), rng))
    if kind == Word(JOKER_PLAY):
        if cards & (cards - ONE) == NONE:
            return random_singles(view, move, 0, 0, 1, rng)
        squares = spots_of(view, view.hand[lowest_bit(cards)]) & ~(Word(view.closed) | Word(view.one[view.team]))
        square = select_bit(squares, below(rng, bit_count(squares)))
        return with_item(with_item(move, 0, square), 1, square)
    return random_pair_and_run(view, cards, rng)


@jit
def random_pass(view: Any, rng: Any) -> Any:
    """Return a pass; what it discards is any face of the hand."""
    if not view.discard_on_pass:
        return NONE
    faces = NONE
    for place in range(np.int64(view.hand_limit)):
        if is_first_choice(view.hand, ONE << Word(place)):
            faces |= ONE << Word(place)
    return start_move(make_set(PASS, ONE << select_bit(faces, below(rng, bit_count(faces)))))


@jit
def random_move(view: Any, rng: Any) -> Any:
    """Return a random legal move: one of the cards that can be played, then one of their plays; a pass without any.

    Each distinct (kind, cards) is equally likely, and then each of its plays.
    """
    playable = NONE
    for index in range(view.set_count):
        if can_play_split(view, index):
            playable |= ONE << Word(index)
    if playable == NONE:
        return random_pass(view, rng)
    return random_of_set(view, view.sets[select_bit(playable, below(rng, bit_count(playable)))], rng)
