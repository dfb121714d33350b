"""Paths and what stands in their way: the parts that the players of CrossWays share.

All count markers: how many more a team needs at least on its cheapest path, and what a marker more or less changes. A
square on some cheapest path brings the team one marker nearer; closing a square costs the others only when it is on
all of theirs.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below
from sims.crossways.facts import (
    ALL,
    CORNERS,
    LEVEL_SHIFT,
    MAX_TEAMS,
    NONE,
    OWN_SIDES,
    PAIR,
    RUN,
    SINGLE,
    STACK_BITS,
    STRAIGHT,
)
from sims.crossways.hands import cards_of_set, kind_of_set, placed_by_set, removed_by_set, spots_of
from sims.crossways.paths import SHAPES, SHAPES_FROM, SHAPES_TO, goal_cost, goal_keys
from sims.crossways.plays import (
    counting,
    counts_for,
    finish_move,
    free_whites,
    links,
    open_for,
    random_move,
    start_move,
    top_level,
    with_item,
    without_level,
)
from sims.jit import jit

# What is known of a team, as words in a row: its counting squares, what it needs, and the open, white and own squares
# on some cheapest way.
OWN, COST, KEY_OPEN, KEY_FREE, KEY_OWN = range(5)
FACTS = 5
FAR = 64  # what counts for a team whose ways are all blocked


@jit
def survey(view: Any, layers: Any) -> Any:
    """Return what is known of every team, shape (4, 5): see `OWN` and the names after it."""
    facts = np.empty((MAX_TEAMS, FACTS), np.uint64)
    free = free_whites(view)
    for team in range(view.teams):
        own = counting(view, team)
        cost, key_open, key_free, key_own = goal_keys(
            own, open_for(view, own), free, links(view, team), view.goal, team, layers
        )
        facts[team, OWN], facts[team, COST] = own, Word(min(cost, FAR))
        facts[team, KEY_OPEN], facts[team, KEY_FREE], facts[team, KEY_OWN] = key_open, key_free, key_own
    return facts


@jit
def cost_with(view: Any, team: Any, own: Any, closed: Any) -> Any:
    """Return what a team needs (a signed number, `FAR` at most) when `own` counts for it and `closed` is closed."""
    white = Word(view.white)
    cost = goal_cost(own, ~(closed | white | own), white & ~(closed | own), links(view, team), view.goal, team)
    return min(cost, FAR)


@jit
def nearest(view: Any, facts: Any) -> Any:
    """Return what the nearest other team needs (a signed number)."""
    least = np.int64(FAR)
    for team in range(view.teams):
        if team != view.team:
            least = min(least, np.int64(facts[team, COST]))
    return least


@jit
def nearest_when_closed(view: Any, facts: Any, square: Any) -> Any:
    """Return what the nearest other team needs (a signed number) when the seat's team closes a square (a bit)."""
    least = np.int64(FAR)
    for team in range(view.teams):
        if team == view.team:
            continue
        cost, own = np.int64(facts[team, COST]), facts[team, OWN]
        hides = own & square != NONE and (view.double_down or view.king_of_the_mountain)
        if hides or (facts[team, KEY_OPEN] | facts[team, KEY_FREE]) & square:
            cost = cost_with(view, team, own & ~square if hides else own, Word(view.closed) | square)
        least = min(least, cost)
    return least


@jit
def any_of(squares: Any, rng: Any) -> Any:
    """Return the place of one of some squares, each equally likely."""
    return select_bit(squares, below(rng, bit_count(squares)))


@jit
def advance(
    view: Any,
    own: Any,
    closed: Any,
    markers: Any,
    prefer: Any,
    avoid: Any,
    move: Any,
    index: Any,
    layers: Any,
    rng: Any,
) -> Any:
    """Place markers one after the other, each on a square of a cheapest way; the rest on any squares.

    Parameters
    ----------
    own, closed
        The squares that count for the team, and those that are closed, before.
    markers
        How many are placed.
    prefer, avoid
        Squares of a cheapest way that are taken first, and last.
    move, index
        What is placed is written to the move from place `index` on.
    layers
        Room for the search.

    Returns
    -------
    tuple
        The move, and the squares that count for the team after it; a move of 0 when there is no room.
    """
    team, white = np.int64(view.team), Word(view.white)
    taken = NONE
    cost = -1
    spare, move_before, own_before = NONE, move, own
    while markers > 0:
        key_open, key_free = NONE, NONE
        if cost != 0:
            cost, key_open, key_free, _ = goal_keys(
                own, ~(closed | white | own), white & ~(closed | own), links(view, team), view.goal, team, layers
            )
        if markers == 1 and cost > 0 and key_open == NONE and spare:
            # The last marker would be lost, and a white square would have taken both.
            square = any_of(spare, rng)
            move = with_item(with_item(move_before, index - 1, square), index, square)
            return move, own_before | ONE << square
        if markers == 2:
            spare, move_before, own_before = key_free, move, own
        if key_open:
            pool = key_open & prefer if key_open & prefer else key_open & ~avoid if key_open & ~avoid else key_open
            square = any_of(pool, rng)
            twice = False
        elif key_free and markers > 1:
            square = any_of(key_free, rng)
            twice = True
        else:
            pool = ~(closed | white | taken)
            if not pool:
                return NONE, own
            square = any_of(pool, rng)
            twice = False
        bit = ONE << square
        own |= bit
        taken |= bit
        move = with_item(move, index, square)
        index += 1
        markers -= 1
        if twice:
            move = with_item(move, index, square)
            index += 1
            markers -= 1
            closed |= bit
    return move, own


@jit
def with_markers_of(view: Any, move: Any, index: Any, square: Any, team: Any, count: Any) -> Any:
    """Return a move that removes a team's topmost markers from a square (its place), so many; and the next place."""
    stack = Word(view.stacks[square])
    for _ in range(count):
        level = top_level(stack, team)
        move = with_item(move, index, square | level << LEVEL_SHIFT)
        index += 1
        stack &= (ONE << (STACK_BITS * level)) - ONE
    return move, index


@jit
def remove_best(view: Any, facts: Any, markers: Any, whole: Any, other: Any, move: Any, rng: Any) -> Any:
    """Remove markers so that the nearest others need more, or the own team fewer; the rest are anybody's.

    It goes step by step. A step takes what a team has on a square of its cheapest way, or opens a square that
    another one closes to the seat's team.

    Parameters
    ----------
    facts
        From `survey`; what is removed is taken out of it.
    markers
        How many are removed.
    whole
        Whether white squares can be taken; a joker cannot.
    other
        What a marker more for the nearest others counts against one less for the own team.

    Returns
    -------
    tuple
        The move, and the closed squares after it; a move of 0 when it does not come out even.
    """
    team, white, closed = np.int64(view.team), Word(view.white), Word(view.closed)
    index, touched = 0, NONE
    while index < markers:
        left = markers - index
        best, ties = 0.0, NONE
        best_square, best_team, best_count = NONE, np.int64(0), np.int64(0)
        mine, least = np.int64(facts[team, COST]), nearest(view, facts)
        for rival in range(view.teams):
            if rival == team:
                continue
            # Those that are far behind the nearest one are no danger yet.
            squares = facts[rival, KEY_OWN] & ~touched if np.int64(facts[rival, COST]) <= least + 1 else NONE
            blocks = Word(view.two[rival]) & closed & ~facts[team, OWN] & ~touched
            candidates = squares | blocks
            if not whole:
                candidates &= ~white
            while candidates:
                place = lowest_bit(candidates)
                bit = ONE << place
                candidates ^= bit
                is_white = white & bit != NONE
                if view.four[rival] & bit:
                    continue
                for count in range(2 if is_white else 1, 3):
                    has = 2 if Word(view.two[rival]) & bit else 1
                    if count > has or count > left or (count == 1 and left == 1 and is_white):
                        continue
                    gain = 0.0
                    opened = closed & ~bit if has == 2 else closed
                    if count == has:
                        cost = cost_with(view, rival, facts[rival, OWN] & ~bit, opened)
                        gain += other * float(cost - np.int64(facts[rival, COST]))
                    if blocks & bit:
                        gain += float(mine - cost_with(view, team, facts[team, OWN], opened))
                    gain /= float(count)
                    if gain > best:
                        best, ties = gain, NONE
                    if gain == best and gain > 0.0:
                        ties += ONE
                        if below(rng, ties) == NONE:
                            best_square, best_team, best_count = place, np.int64(rival), np.int64(count)
        if best_count == 0:
            break
        bit = ONE << best_square
        has = 2 if Word(view.two[best_team]) & bit else 1
        move, index = with_markers_of(view, move, index, best_square, best_team, best_count)
        touched |= bit
        if has == 2:
            closed &= ~bit
        if best_count == has:
            facts[best_team, OWN] &= ~bit
        for rival in range(view.teams):
            facts[rival, COST] = Word(cost_with(view, rival, facts[rival, OWN], closed))
    if index < markers:
        move, closed = remove_any(view, facts, markers, whole, touched, closed, move, index, rng)
        for rival in range(view.teams):
            facts[rival, COST] = Word(cost_with(view, rival, facts[rival, OWN], closed))
    return move, closed


@jit
def remove_any(
    view: Any, facts: Any, markers: Any, whole: Any, touched: Any, closed: Any, move: Any, index: Any, rng: Any
) -> Any:
    """Remove what is left of so many markers: of others, or own ones off the way when few are left in the supply.

    Returns the move and the closed squares after it; a move of 0 when it does not come out even.
    """
    team, white = np.int64(view.team), Word(view.white)
    while index < markers:
        own_first = view.supplies[team] < 6
        found = False
        for turn in range(3):
            pool_team, pool = team, Word(view.one[team]) & ~touched & ~white
            if turn < 2 and (turn == 0) == own_first:
                pool &= ~facts[team, KEY_OWN]
            elif turn < 2:
                pool = NONE
                start = np.int64(below(rng, Word(view.teams)))
                for step in range(view.teams):
                    rival = (start + step) % np.int64(view.teams)
                    if rival != team and pool == NONE:
                        pool_team, pool = np.int64(rival), Word(view.one[rival]) & ~touched & ~white
            if pool:
                square = any_of(pool, rng)
                bit = ONE << square
                if Word(view.two[pool_team]) & bit:
                    closed &= ~bit
                else:
                    facts[pool_team, OWN] &= ~bit
                touched |= bit
                move, index = with_markers_of(view, move, index, square, pool_team, 1)
                found = True
                break
        if not found:
            # Only white squares are left, which give two at once.
            if not whole or markers - index < 2:
                return NONE, closed
            for owner in range(view.teams):
                pool = Word(view.two[owner]) & white & ~touched
                if pool and not found:
                    square = any_of(pool, rng)
                    touched |= ONE << square
                    if not Word(view.four[owner]) & ONE << square:
                        closed &= ~(ONE << square)
                        facts[owner, OWN] &= ~(ONE << square)
                    move, index = with_markers_of(view, move, index, square, owner, 2)
                    found = True
            if not found:
                return NONE, closed
    return move, closed


@jit
def largest_pair(view: Any) -> Any:
    """Return the pair with the most cards that the supply is enough for, as an entry of the sets; 0 for none."""
    found, most = NONE, NONE
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        size = placed_by_set(entry)
        if kind_of_set(entry) == Word(PAIR) and size > most and size <= Word(view.supplies[view.team]):
            found, most = entry, size
    return found


@jit
def any_single(view: Any, wanted: Any, rng: Any) -> Any:
    """Return a single card on one of the wanted squares, each play equally likely; 0 when there is none."""
    return any_single_of(view, ALL, wanted, rng)


@jit
def any_single_of(view: Any, cards: Any, wanted: Any, rng: Any) -> Any:
    """Return a single one of some cards on one of the wanted squares, each play equally likely; 0 for none."""
    if not view.supplies[view.team]:
        return NONE
    wanted &= ~Word(view.closed)
    kept, ties = NONE, NONE
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if kind_of_set(entry) != Word(SINGLE):
            break  # singles come first
        if not cards_of_set(entry) & cards:
            continue
        squares = spots_of(view, view.hand[lowest_bit(cards_of_set(entry))]) & wanted
        if squares:
            size = bit_count(squares)
            ties += size
            if ties == size or below(rng, ties) < size:
                kept = start_move(entry) | any_of(squares, rng)
    return kept


@jit
def longest_run(view: Any) -> Any:
    """Return the run with the most cards, as an entry of the sets; 0 for none."""
    found, most = NONE, NONE
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if kind_of_set(entry) == Word(RUN) and removed_by_set(entry) > most:
            found, most = entry, removed_by_set(entry)
    return found


@jit
def any_play(view: Any, key_own: Any, rng: Any) -> Any:
    """Return a play when none brings the team nearer: a single anywhere, else a run, a pair, or what there is.

    With fewer than six markers left a run comes first, which takes back own ones from off the way (`key_own`).
    """
    team = np.int64(view.team)
    run = longest_run(view)
    single = any_single(view, ALL, rng)
    if single != NONE and (run == NONE or view.supplies[team] >= 6):
        return single
    if run:
        facts = np.zeros((MAX_TEAMS, FACTS), np.uint64)
        facts[team, KEY_OWN] = key_own
        markers = np.int64(removed_by_set(run))
        move, _ = remove_any(view, facts, markers, True, NONE, Word(view.closed), start_move(run), 0, rng)
        if move != NONE:
            return finish_move(move)
    return single if single != NONE else random_move(view, rng)


@jit
def opened_by_run(view: Any, own: Any, cost: Any, run: Any, rng: Any) -> Any:
    """Return the run that opens the square whose opening brings the team nearest; 0 when none does."""
    team, white, closed = np.int64(view.team), Word(view.white), Word(view.closed)
    best, ties, kept_square, kept_team = np.int64(cost), NONE, NONE, np.int64(0)
    for rival in range(view.teams):
        squares = Word(view.two[rival]) & closed & ~own & ~Word(view.four[rival])
        if rival == team:
            continue
        while squares:
            square = lowest_bit(squares)
            bit = ONE << square
            squares ^= bit
            # What lay below may count now.
            stack = view.stacks[square]
            stack = without_level(stack, top_level(stack, rival))
            shown = own | bit if counts_for(view, stack, team) else own
            need = cost_with(view, team, shown, closed & ~bit)
            if need < best:
                best, ties = need, NONE
            if need == best and need < cost:
                ties += ONE
                if below(rng, ties) == NONE:
                    kept_square, kept_team = square, np.int64(rival)
    if ties == NONE:
        return NONE
    bit = ONE << kept_square
    count = 2 if white & bit else 1
    move, index = with_markers_of(view, start_move(run), 0, kept_square, kept_team, count)
    facts = np.zeros((MAX_TEAMS, FACTS), np.uint64)
    facts[team, KEY_OWN] = own
    markers = np.int64(removed_by_set(run))
    move, _ = remove_any(view, facts, markers, True, bit, closed & ~bit, move, index, rng)
    return finish_move(move) if move != NONE else NONE


@jit
def fill(view: Any, markers: Any, squares: Any, whites: Any, move: Any, rng: Any) -> Any:
    """Place markers on some open squares, two on white ones where no others are left, the rest on any squares."""
    index, taken = 0, NONE
    while markers > 0:
        pool = squares & ~taken
        twice = not pool and whites & ~taken != NONE and markers > 1
        if twice:
            pool = whites & ~taken
        elif not pool:
            pool = ~(Word(view.closed) | Word(view.white) | taken)
            if not pool:
                return NONE
        square = any_of(pool, rng)
        taken |= ONE << square
        move = with_item(move, index, square)
        index += 1
        markers -= 1
        if twice:
            move = with_item(move, index, square)
            index += 1
            markers -= 1
    return move


DIAGONALS = np.array([sum(1 << 9 * step for step in range(8)), sum(1 << 7 * step for step in range(1, 9))], np.uint64)
LINES = SHAPES[SHAPES_FROM[STRAIGHT] : SHAPES_TO[STRAIGHT]]  # the columns, then the rows
SIDE_LINES = len(LINES) // 2


@jit
def cheapest_line(view: Any, own: Any, rng: Any) -> Any:
    """Return what the cheapest row, column, diagonal, block or frame needs, its open and white squares, and all of it.

    Ties are broken at random; a line that cannot be completed is none.
    """
    goal, white = view.goal, Word(view.white)
    open_squares, free = open_for(view, own), free_whites(view) & ~own
    lines, first, last = LINES, 0, len(LINES)
    if goal == OWN_SIDES:
        first = SIDE_LINES if view.team % 2 else 0
        last = first + SIDE_LINES
    elif goal == CORNERS:
        lines, first, last = DIAGONALS, 0, 2
    elif goal > CORNERS:
        lines, first, last = SHAPES, SHAPES_FROM[goal], SHAPES_TO[goal]
    best, ties, kept = np.int64(FAR), NONE, NONE
    for place in range(first, last):
        line = lines[place]
        if line & ~(own | open_squares | free):
            continue
        cost = np.int64(bit_count(line & open_squares)) + 2 * np.int64(bit_count(line & free))
        if cost < best:
            best, ties = cost, NONE
        if cost == best:
            ties += ONE
            if below(rng, ties) == NONE:
                kept = line
    return best, kept & open_squares, kept & free & white, kept


@jit
def race(
    view: Any, own: Any, cost: Any, key_open: Any, key_free: Any, key_own: Any, fixed: Any, layers: Any, rng: Any
) -> Any:
    """Return the play that leaves the team the fewest markers to go: pairs, then singles, then runs that open squares.

    With `fixed` only the given squares count, whatever other ways there are.
    """
    pair = largest_pair(view)
    if pair and (key_open or key_free):
        markers = np.int64(placed_by_set(pair))
        # One that is nearly there needs no pair.
        if cost > 1 or not any_single_fits(view, key_open):
            if fixed:
                move = fill(view, markers, key_open, key_free, start_move(pair), rng)
            else:
                move, _ = advance(view, own, Word(view.closed), markers, NONE, NONE, start_move(pair), 0, layers, rng)
            if move != NONE:
                return finish_move(move)
    single = any_single(view, key_open, rng)
    if single != NONE:
        return single
    run = longest_run(view)
    if run and not fixed:
        move = opened_by_run(view, own, cost, run, rng)
        if move != NONE:
            return move
    return any_play(view, key_own, rng)


@jit
def reachable(view: Any, cards: Any) -> Any:
    """Return the squares that single ones of some cards could be played on."""
    squares = NONE
    for place in range(np.int64(view.hand_limit)):
        if (Word(cards) >> Word(place)) & ONE:
            squares |= spots_of(view, view.hand[place])
    return squares & ~Word(view.closed)


@jit
def any_single_fits(view: Any, squares: Any) -> Any:
    """Whether a single card of the hand can be played on one of some squares."""
    return view.supplies[view.team] > 0 and reachable(view, ALL) & squares != NONE


@jit
def best_closing(view: Any, facts: Any, squares: Any, least: Any, rng: Any) -> Any:
    """Return how much more the nearest others need when the best of some squares is closed to them, and that square.

    A square of the own cheapest way counts one more. The gain is −1 when there is no such square.
    """
    team = np.int64(view.team)
    best, ties, kept = np.int64(-1), NONE, NONE
    while squares:
        square = lowest_bit(squares)
        bit = ONE << square
        squares ^= bit
        gain = nearest_when_closed(view, facts, bit) - least
        if facts[team, KEY_OPEN] & bit:
            gain += 1
        elif facts[team, KEY_FREE] & bit:
            gain += 2
        if gain > best:
            best, ties = gain, NONE
        if gain == best:
            ties += ONE
            if below(rng, ties) == NONE:
                kept = square
    return best, kept


MANY_WAYS = Word(12)


@jit
def best_single(view: Any, own: Any, wanted: Any, layers: Any, rng: Any) -> Any:
    """Return a single card on a wanted square, after which the others reach most squares of a cheapest way."""
    team, closed, white = np.int64(view.team), Word(view.closed), Word(view.white)
    kept, ties, best = NONE, NONE, np.int64(-1)
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if kind_of_set(entry) != Word(SINGLE):
            break  # singles come first
        squares = spots_of(view, view.hand[lowest_bit(cards_of_set(entry))]) & wanted & ~closed
        others = reachable(view, ~cards_of_set(entry))
        while squares:
            square = lowest_bit(squares)
            bit = ONE << square
            squares ^= bit
            after = own | bit
            _, key_open, _, _ = goal_keys(
                after, ~(closed | white | after), white & ~(closed | after), links(view, team), view.goal, team, layers
            )
            reached = np.int64(bit_count(key_open & others))
            if reached > best:
                best, ties = reached, NONE
            if reached == best:
                ties += ONE
                if below(rng, ties) == NONE:
                    kept = start_move(entry) | square
    return kept


@jit
def hold_balance(view: Any, layers: Any, rng: Any) -> Any:
    """Return the play that gains most: what the nearest others need more, and the own team needs less."""
    team, closed, white = np.int64(view.team), Word(view.closed), Word(view.white)
    facts = survey(view, layers)
    own, cost, least = facts[team, OWN], np.int64(facts[team, COST]), nearest(view, facts)
    theirs, their_free = NONE, NONE
    for rival in range(view.teams):
        if rival != team and np.int64(facts[rival, COST]) == least:
            theirs |= facts[rival, KEY_OPEN]
            their_free |= facts[rival, KEY_FREE]
    if bit_count(theirs) > MANY_WAYS:
        theirs = NONE
    twos = ~(closed | white | Word(view.one[team]))
    best = np.int64(0)
    kept = any_single(view, facts[team, KEY_OPEN], rng)
    if kept != NONE:
        best = np.int64(1)
        if cost == 1:
            return kept
        kept = best_single(view, own, facts[team, KEY_OPEN], layers, rng)
    # A second marker closes a square that has one of the team already.
    again = theirs & ~twos & reachable(view, ALL)
    if again and view.supplies[team]:
        gain, square = best_closing(view, facts, again, least, rng)
        move = any_single(view, ONE << square, rng)
        if gain > best and move != NONE:
            best, kept = gain, move
    run = longest_run(view)
    if run:
        changed = facts.copy()
        move, _ = remove_best(view, changed, np.int64(removed_by_set(run)), True, 1.0, start_move(run), rng)
        gain = nearest(view, changed) - least + cost - np.int64(changed[team, COST])
        if move != NONE and gain > best:
            best, kept = gain, finish_move(move)
    pair = largest_pair(view)
    if pair:
        markers = np.int64(placed_by_set(pair))
        if cost <= markers:
            move, _ = advance(view, own, closed, markers, NONE, NONE, start_move(pair), 0, layers, rng)
            if move != NONE:
                return finish_move(move)
        begun, left, own_after, closed_after = start_move(pair), markers, own, closed
        gain, square = best_closing(view, facts, theirs & twos | facts[team, KEY_FREE] | their_free, least, rng)
        passable = cost < FAR
        more = np.int64(0) if not passable else markers - 2 if markers - 2 < cost else cost
        ahead = np.int64(0) if not passable else markers if markers < cost else cost
        if gain + more > ahead:
            bit = ONE << square
            begun = with_item(with_item(begun, 0, square), 1, square)
            left, own_after, closed_after = markers - 2, own | bit, closed | bit
            ahead = gain + more
        if ahead >= best and ahead > 0:
            kept_squares = reachable(view, ~cards_of_set(pair))
            move, _ = advance(
                view, own_after, closed_after, left, NONE, kept_squares, begun, markers - left, layers, rng
            )
            if move != NONE:
                best, kept = ahead, finish_move(move)
    return kept if best > 0 else any_play(view, facts[team, KEY_OWN], rng)
