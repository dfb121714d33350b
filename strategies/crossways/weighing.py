"""Plays of CrossWays that are worth a thought, and what a position is worth after each of them.

The weighing players look at the position that a play leaves: how many markers every team then needs, in how many
squares the own way can go on, and what the cards that are kept can do. They differ in what all this is worth to them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims.bits import ONE, Word, bit_count, lowest_bit
from sims.chance import below
from sims.crossways.facts import ALL, CORNERS, JOKER, JOKER_PLAY, NONE, PAIR, PASS, RANKS, RUN, SINGLE, SUITS
from sims.crossways.hands import (
    cards_of_set,
    is_first_choice,
    kind_of_set,
    make_set,
    placed_by_set,
    removed_by_set,
    spots_of,
)
from sims.crossways.kernel import unseen
from sims.crossways.paths import LAYERS, allows_way, end_of, goal_keys, is_path_goal, key_squares, start_of
from sims.crossways.plays import (
    board_after,
    cards_of,
    finish_move,
    is_legal,
    placed_by,
    random_move,
    room,
    start_move,
    with_item,
)
from sims.jit import jit
from strategies.crossways.racing import (
    COST,
    FAR,
    KEY_FREE,
    KEY_OPEN,
    KEY_OWN,
    OWN,
    advance,
    any_of,
    any_single,
    any_single_of,
    hold_balance,
    largest_pair,
    nearest,
    nearest_when_closed,
    reachable,
    remove_best,
    survey,
    with_markers_of,
)

MOST_PLAYS = 192
WON = 1e6  # above all that a position can be worth
FEW = 8  # markers in the supply that matter
MOST_CLOSINGS = 4  # squares that are closed to others, and white squares, that are tried for a pair

# What a position is worth is a sum of entries of a table: one for what the own team and the nearest others need, and
# more for the cards that are kept and the ways that are open. A step is 1, 2, 3, or 4 and more markers to go. Places
# where each part begins, and what it is by:
FARTHEST = 9  # markers to go, beyond which nothing is told apart
NEEDS = 0  # own need (1 to 9), then the others' need (1 to 9)
TWO_KEPT = NEEDS + FARTHEST * FARTHEST  # a pair of two that is kept, by own step
MORE_KEPT = TWO_KEPT + 4  # … of three or more
PAIR_KEPT = MORE_KEPT + 4  # any pair that is kept, by the others' step
RUN_KEPT = PAIR_KEPT + 4  # a run that is kept, by the others' step
RUN_OWN = RUN_KEPT + 4  # … by own step
HITS = RUN_OWN + 4  # squares of the own cheapest ways that kept cards reach (1, 2, 3 or more), after own step
WAYS = HITS + 12  # times the logarithm of the squares on the own cheapest ways, by own step
THEIR_WAYS = WAYS + 4  # … of the others, by theirs
NARROW = THEIR_WAYS + 4  # squares at the narrowest place of the own cheapest ways (1, 2, 3 or more), after own step
THEIR_NARROW = NARROW + 12  # … of the others, after theirs
LEAD = THEIR_NARROW + 12  # how much more the own other direction needs (0, 1, 2, 3 or more)
THEIR_LEAD = LEAD + 4  # … that of the others
THREAT = THEIR_LEAD + 4  # times the chance that others with one marker to go hold a card for it
CHANCE = THREAT + 1  # times the chance to draw a card for the own last marker
DRAWN = CHANCE + 1  # for each card that is drawn
SUPPLY = DRAWN + 1  # for each marker in the supply, up to eight
LATER = SUPPLY + 1  # the share that counts of what others than the nearest would make of the position
TABLE = LATER + 1


def table_of(own: float, other: float, **more: float) -> NDArray[np.float64]:
    """Return a table in which every marker to go counts the same.

    Parameters
    ----------
    own, other
        What one marker is worth that the own team needs less, and that the nearest others need more.
    more
        Values of other parts by name (`ways`, `their_ways`, `supply`, `later`), the same for all needs.

    Returns
    -------
    array of float64
        Of shape (`TABLE`,).
    """
    table = np.zeros(TABLE)
    needs = np.arange(1, FARTHEST + 1)
    table[NEEDS:TWO_KEPT] = (other * needs[None, :] - own * needs[:, None]).ravel()
    table[WAYS:THEIR_WAYS] = more.get("ways", 0.0)
    table[THEIR_WAYS:NARROW] = -more.get("their_ways", 0.0)
    table[SUPPLY], table[LATER] = more.get("supply", 0.0), more.get("later", 0.0)
    return table


@jit
def add_move(view: Any, moves: Any, count: Any, move: Any) -> Any:
    """Write a move if it is legal and there is room; return how many there are."""
    if move != NONE and count < MOST_PLAYS and is_legal(view, move):
        moves[count] = move
        return count + 1
    return count


@jit
def list_pairs(view: Any, facts: Any, entry: Any, moves: Any, count: Any, layers: Any, rng: Any) -> Any:
    """Write plays of a pair that go on, that close a square to the nearest others, and that take white squares."""
    team, closed = np.int64(view.team), Word(view.closed)
    markers = np.int64(placed_by_set(entry))
    cards = cards_of_set(entry)
    own = facts[team, OWN]
    kept = reachable(view, ~cards)
    move = start_move(entry)
    theirs, their_free, least = NONE, NONE, nearest(view, facts)
    for rival in range(view.teams):
        if rival != team and np.int64(facts[rival, COST]) <= least + 1:
            theirs |= facts[rival, KEY_OPEN]
            their_free |= facts[rival, KEY_FREE]
    # Squares that the other cards reach need no pair; those that others want are worth two.
    # The later turns go as if those squares were the team's already: a way that many of them lie on.
    for turn in range(9):
        prefer = NONE if turn % 3 == 0 else theirs if turn % 3 == 1 else theirs & ~kept
        start = own if turn < 3 else own | kept
        gone, _ = advance(view, start, closed, markers, prefer, kept, move, 0, layers, rng)
        count = add_move(view, moves, count, finish_move(gone))
    _, twos, _, _ = room(view)
    pool = theirs & twos
    tried = 0
    while pool and tried < 3 * MOST_CLOSINGS:
        square = any_of(pool, rng)
        bit = ONE << square
        pool ^= bit
        tried += 1
        if nearest_when_closed(view, facts, bit) > least or facts[team, KEY_OPEN] & bit:
            begun = with_item(with_item(move, 0, square), 1, square)
            gone, _ = advance(view, own | bit, closed | bit, markers - 2, NONE, kept, begun, 2, layers, rng)
            count = add_move(view, moves, count, finish_move(gone))
    # One marker is enough to close a square that has one already.
    pool = theirs & ~twos
    tried = 0
    while pool and tried < MOST_CLOSINGS:
        square = any_of(pool, rng)
        bit = ONE << square
        pool ^= bit
        tried += 1
        gone, _ = advance(
            view, own | bit, closed | bit, markers - 1, NONE, kept, with_item(move, 0, square), 1, layers, rng
        )
        count = add_move(view, moves, count, finish_move(gone))
    pool = facts[team, KEY_FREE] | their_free
    tried = 0
    while pool and tried < MOST_CLOSINGS:
        square = any_of(pool, rng)
        bit = ONE << square
        pool ^= bit
        tried += 1
        begun = with_item(with_item(move, 0, square), 1, square)
        gone, _ = advance(view, own | bit, closed | bit, markers - 2, NONE, kept, begun, 2, layers, rng)
        count = add_move(view, moves, count, finish_move(gone))
    return count


@jit
def list_removals(view: Any, facts: Any, entry: Any, moves: Any, count: Any, layers: Any, rng: Any) -> Any:
    """Write plays of a run, of a joker alone, or of a run with a pair: against the others, and for the own way."""
    team = np.int64(view.team)
    removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
    kept = reachable(view, ~cards_of_set(entry))
    for turn in range(2):
        changed = facts.copy()
        whole = kind_of_set(entry) != Word(JOKER_PLAY)
        move, closed = remove_best(view, changed, removed, whole, 1.0 if turn == 0 else 0.25, start_move(entry), rng)
        if placed and move != NONE:
            move, _ = advance(view, changed[team, OWN], closed, placed, NONE, kept, move, removed, layers, rng)
        count = add_move(view, moves, count, finish_move(move))
    if removed == 2 and not placed:
        count = list_cuts(view, facts, entry, moves, count)
    return count


@jit
def list_cuts(view: Any, facts: Any, entry: Any, moves: Any, count: Any) -> Any:
    """Write runs of two that take a marker from each of two card squares of a nearest other's cheapest way."""
    least = nearest(view, facts)
    for rival in range(view.teams):
        if rival == view.team or np.int64(facts[rival, COST]) > least:
            continue
        left = facts[rival, KEY_OWN] & ~Word(view.white)
        while left:
            one = lowest_bit(left)
            left &= left - ONE
            others = left
            while others:
                other = lowest_bit(others)
                others &= others - ONE
                move, index = with_markers_of(view, start_move(entry), 0, one, np.int64(rival), 1)
                move, _ = with_markers_of(view, move, index, other, np.int64(rival), 1)
                count = add_move(view, moves, count, finish_move(move))
    return count


@jit
def list_plays(view: Any, facts: Any, moves: Any, layers: Any, rng: Any) -> Any:
    """Write plays that are worth a thought; return how many there are."""
    count = 0
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        kind = kind_of_set(entry)
        if kind == Word(SINGLE) or (kind == Word(JOKER_PLAY) and removed_by_set(entry) == NONE):
            squares = spots_of(view, view.hand[lowest_bit(cards_of_set(entry))])
            while squares:
                square = lowest_bit(squares)
                squares &= squares - ONE
                move = with_item(start_move(entry), 0, square)
                if kind == Word(JOKER_PLAY):
                    move = with_item(move, 1, square)
                count = add_move(view, moves, count, move)
        elif kind == Word(PAIR):
            if view.supplies[view.team] >= placed_by_set(entry):
                count = list_pairs(view, facts, entry, moves, count, layers, rng)
        else:
            count = list_removals(view, facts, entry, moves, count, layers, rng)
    return count


@jit
def kept_cards(view: Any, played: Any) -> Any:
    """Return the cards of the hand that stay when some are played; of equal ones, the first are named."""
    kept = NONE
    for place in range(np.int64(view.hand_limit)):
        if (Word(played) >> Word(place)) & ONE == NONE:
            first = place
            while first > 0 and view.hand[first - 1] == view.hand[place] and not (kept >> Word(first - 1)) & ONE:
                first -= 1
            kept |= ONE << Word(first)
    return kept


@jit
def keeps(view: Any, cards: Any) -> Any:
    """Return the largest pair and the longest run (numbers of cards) among some cards of the hand."""
    pair: Any = 0
    run: Any = 0
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if cards_of_set(entry) & ~cards == NONE:
            size = np.int64(bit_count(cards_of_set(entry)))
            if kind_of_set(entry) == Word(PAIR):
                pair = max(pair, size)
            elif kind_of_set(entry) == Word(RUN):
                run = max(run, size)
    return pair, run


@jit
def step_of(need: Any) -> Any:
    """Return the place of 1, 2, 3, 4 or more markers to go."""
    return min(max(need, 1), 4) - 1


@jit
def needs_at(mine: Any, theirs: Any) -> Any:
    """Return the place in the table for what the own team and others need."""
    return NEEDS + FARTHEST * (min(mine, FARTHEST) - 1) + min(max(theirs, 1), FARTHEST) - 1


@jit
def log_of(squares: Any) -> Any:
    """Return the logarithm, to base 2, of one more than the number of some squares."""
    return np.log2(1.0 + float(bit_count(squares)))


@jit
def ways_of(view: Any, team: Any, own: Any, closed: Any, linked: Any, layers: Any) -> Any:
    """Return what is known of a team's cheapest ways on a board.

    Returns
    -------
    tuple
        Markers that it needs, the open squares and all squares on its cheapest ways, how many open squares there are at
        their narrowest place, and how much more the other direction needs (3 at most).
    """
    white = Word(view.white)
    open_squares, free, goal = ~(closed | white | own), white & ~(closed | own), view.goal
    if not is_path_goal(goal):
        cost, key_open, key_free, _ = goal_keys(own, open_squares, free, linked, goal, team, layers)
        return min(cost, FAR), key_open, key_open | key_free, np.int64(3), np.int64(3)
    least, second, key_open, keys, narrow = np.int64(FAR), np.int64(FAR), NONE, NONE, np.int64(0)
    for way in range(2):
        if not allows_way(goal, team, way):
            continue
        found, some, whites, _, width = key_squares(
            own, open_squares, free, linked, goal == CORNERS, start_of(goal, way), end_of(goal, way), layers
        )
        cost = min(found, FAR)
        if cost < least:
            least, second, key_open, keys, narrow = cost, least, some, some | whites, width
        elif cost == least:
            second, key_open, keys, narrow = cost, key_open | some, keys | some | whites, narrow + width
        else:
            second = min(second, cost)
    return least, key_open, keys, narrow, min(second - least, 3)


@jit
def chance_of(view: Any, squares: Any, cards: Any) -> Any:
    """Return the chance that one of so many unseen cards can be played on some squares as a single."""
    fitting, total = 0.0, 0.0
    for suit in range(SUITS):
        for rank in range(RANKS):
            face = suit << 4 | rank
            number = float(unseen(view, face))
            total += number
            if spots_of(view, face) & squares:
                fitting += number
    return 1.0 - (1.0 - fitting / max(total, 1.0)) ** cards


@jit
def worth_of(view: Any, facts: Any, move: Any, table: Any, layers: Any) -> Any:
    """Return what the position is worth after a legal play."""
    team = np.int64(view.team)
    own, closed, linked = board_after(view, move, team)
    mine, key_open, keys, narrow, lead = ways_of(view, team, own, closed, linked, layers)
    if mine == 0:
        return WON
    drawn = float(bit_count(cards_of(move)))
    lowest, others, least = 1e9, 0.0, np.int64(FAR)
    for step in range(1, view.teams):
        rival = (team + step) % np.int64(view.teams)
        theirs, shut, their_links = board_after(view, move, rival)
        need, their_open, _, their_narrow, their_lead = ways_of(view, rival, theirs, shut, their_links, layers)
        value = table[needs_at(mine, need)] + table[THEIR_WAYS + step_of(need)] * log_of(their_open)
        value += table[THEIR_NARROW + 3 * step_of(need) + min(max(their_narrow, 1), 3) - 1]
        value += table[THEIR_LEAD + their_lead]
        if need == 1 and table[THREAT] != 0.0:
            value += table[THREAT] * chance_of(view, their_open, float(view.hand_limit))
        others += value
        lowest = min(lowest, value)
        least = min(least, need)
    worth = lowest + table[LATER] * (others - lowest) + table[DRAWN] * drawn + table[LEAD + lead]
    worth += table[NARROW + 3 * step_of(mine) + min(max(narrow, 1), 3) - 1]
    worth += table[WAYS + step_of(mine)] * log_of(keys)
    cards = kept_cards(view, cards_of(move))
    pair, run = keeps(view, cards)
    if pair:
        worth += table[MORE_KEPT + step_of(mine)] if pair > 2 else table[TWO_KEPT + step_of(mine)]
        worth += table[PAIR_KEPT + step_of(least)]
    if run:
        worth += table[RUN_KEPT + step_of(least)] + table[RUN_OWN + step_of(mine)]
    hits = np.int64(bit_count(reachable(view, cards) & ~closed & key_open))
    if hits:
        worth += table[HITS + 3 * step_of(mine) + min(hits, 3) - 1]
    elif mine == 1 and not pair and table[CHANCE] != 0.0:
        worth += table[CHANCE] * chance_of(view, key_open, drawn)
    supply = np.int64(view.supplies[team]) - np.int64(placed_by(move))
    return worth + table[SUPPLY] * float(min(supply, np.int64(FEW)))


@jit
def best_play(view: Any, rng: Any, table: Any) -> Any:
    """Return the play after which the position is worth most, by a table as `table_of` makes it; ties at random."""
    layers = np.empty(LAYERS, np.uint64)
    moves = np.empty(MOST_PLAYS, np.uint64)
    facts = survey(view, layers)
    count = list_plays(view, facts, moves, layers, rng)
    best, ties, kept = -1e18, NONE, NONE
    for index in range(count):
        worth = worth_of(view, facts, moves[index], table, layers)
        if worth > best:
            best, ties = worth, NONE
        if worth == best:
            ties += ONE
            if below(rng, ties) == NONE:
                kept = moves[index]
    return kept if ties else random_move(view, rng)


@jit
def combined(view: Any) -> Any:
    """Return the cards of the hand that are in a pair or a run."""
    cards = NONE
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if kind_of_set(entry) == Word(PAIR) or kind_of_set(entry) == Word(RUN):
            cards |= cards_of_set(entry)
    return cards


@jit
def spare_pass(view: Any) -> Any:
    """Return a pass; it discards the first card that is in no pair or run."""
    if not view.discard_on_pass:
        return NONE
    spare, groups = NONE, combined(view)
    for place in range(np.int64(view.hand_limit)):
        card = ONE << Word(place)
        if view.hand[place] != JOKER and not groups & card and is_first_choice(view.hand, card):
            spare |= card
    cards = spare & (~spare + ONE) if spare else ONE
    return start_move(make_set(PASS, cards))


@jit
def saves(view: Any, rng: Any, danger: Any) -> Any:
    """Return a single on the way while there is no need of more: a pair that wins, or others who are near."""
    team = np.int64(view.team)
    layers = np.empty(LAYERS, np.uint64)
    facts = survey(view, layers)
    cost = np.int64(facts[team, COST])
    pair = largest_pair(view)
    if not (pair and np.int64(placed_by_set(pair)) >= cost) and float(nearest(view, facts)) > danger:
        cards = combined(view)
        single = any_single_of(view, ~cards, facts[team, KEY_OPEN], rng)
        if single == NONE:
            single = any_single(view, facts[team, KEY_OPEN], rng)
        if single == NONE:
            single = any_single_of(view, ~cards, ALL, rng)
        if single != NONE:
            return single
    return hold_balance(view, layers, rng)
