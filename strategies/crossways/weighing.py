"""Plays of CrossWays that are worth a thought, and what a position is worth after each of them.

The weighing players look at the position that a play leaves: how many markers every team then needs, in how many squares
the own way can go on, and what the cards that are kept can do. They differ in what all this is worth to them.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit
from sims.chance import below
from sims.crossways.facts import ALL, JOKER_PLAY, NONE, PAIR, PASS, RUN, SINGLE
from sims.crossways.hands import (
    cards_of_set,
    kind_of_set,
    make_set,
    placed_by_set,
    removed_by_set,
    spots_of,
)
from sims.crossways.paths import LAYERS, goal_keys
from sims.crossways.plays import (
    board_after,
    cards_of,
    finish_move,
    is_legal,
    placed_by,
    removed_by,
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
    OWN,
    advance,
    any_of,
    any_single,
    any_single_of,
    hold_balance,
    largest_pair,
    nearest,
    nearest_when_closed,
    remove_best,
    survey,
)

MOST_PLAYS = 192
FEW = 8  # markers in the supply that matter
MOST_CLOSINGS = 4  # squares that are closed to others, and white squares, that are tried for a pair

# Places of the weights.
OWN_2, OWN_3, OWN_MORE = 0, 1, 2
OTHER_2, OTHER_3, OTHER_4, OTHER_MORE = 3, 4, 5, 6
PAIR_KEPT, RUN_KEPT, PAIR_NEAR, HIT, HIT_NEAR, WAYS, THEIR_WAYS, LATER, SUPPLY = range(7, 16)


@jit
def add_move(view: Any, moves: Any, count: Any, move: Any) -> Any:
    """Write a move if it is legal and there is room; return how many there are."""
    if move != NONE and count < MOST_PLAYS and is_legal(view, move):
        moves[count] = move
        return count + 1
    return count


@jit
def single_squares(view: Any, cards: Any) -> Any:
    """Return the squares that single ones of some cards could be played on."""
    squares = NONE
    for place in range(np.int64(view.hand_limit)):
        if (Word(cards) >> Word(place)) & ONE:
            squares |= spots_of(view, view.hand[place])
    return squares & ~Word(view.closed)


@jit
def list_pairs(view: Any, facts: Any, entry: Any, moves: Any, count: Any, layers: Any, rng: Any) -> Any:
    """Write plays of a pair that go on, that close a square to the nearest others, and that take white squares."""
    team, closed = np.int64(view.team), Word(view.closed)
    markers = np.int64(placed_by_set(entry))
    cards = cards_of_set(entry)
    own = facts[team, OWN]
    kept = single_squares(view, ~cards)
    move = start_move(entry)
    theirs, their_free, least = NONE, NONE, nearest(view, facts)
    for rival in range(view.teams):
        if rival != team and np.int64(facts[rival, COST]) <= least + 1:
            theirs |= facts[rival, KEY_OPEN]
            their_free |= facts[rival, KEY_FREE]
    # Squares that the other cards reach need no pair; those that others want are worth two.
    for turn in range(3):
        prefer = NONE if turn == 0 else theirs if turn == 1 else theirs & ~kept
        gone, _ = advance(view, own, closed, markers, prefer, kept, move, 0, layers, rng)
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
    kept = single_squares(view, ~cards_of_set(entry))
    for turn in range(2):
        changed = facts.copy()
        whole = kind_of_set(entry) != Word(JOKER_PLAY)
        move, closed = remove_best(view, changed, removed, whole, 1.0 if turn == 0 else 0.25, start_move(entry), rng)
        if placed and move != NONE:
            move, _ = advance(view, changed[team, OWN], closed, placed, NONE, kept, move, removed, layers, rng)
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
def keeps(view: Any, cards: Any) -> Any:
    """Return the largest pair and the longest run (numbers of cards) among some cards of the hand."""
    pair, run = 0, 0
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
def own_worth(cost: Any, weights: Any) -> Any:
    """Return what it is worth (0 at one marker) that the own team still needs so many."""
    worth = 0.0
    if cost >= 2:
        worth -= weights[OWN_2]
    if cost >= 3:
        worth -= weights[OWN_3]
    if cost > 3:
        worth -= weights[OWN_MORE] * float(cost - 3)
    return worth


@jit
def other_worth(cost: Any, weights: Any) -> Any:
    """Return what it is worth (0 at one marker) that another team still needs so many."""
    worth = 0.0
    if cost >= 2:
        worth += weights[OTHER_2]
    if cost >= 3:
        worth += weights[OTHER_3]
    if cost >= 4:
        worth += weights[OTHER_4]
    if cost > 4:
        worth += weights[OTHER_MORE] * float(cost - 4)
    return worth


@jit
def worth_of(view: Any, facts: Any, move: Any, weights: Any, layers: Any) -> Any:
    """Return what the position is worth after a legal play."""
    team, white = np.int64(view.team), Word(view.white)
    own, closed, linked = board_after(view, move, team)
    cost, key_open, key_free, _ = goal_keys(
        own, ~(closed | white | own), white & ~(closed | own), linked, view.goal, team, layers
    )
    if cost == 0:
        return 1e6
    cost = min(cost, FAR)
    worth = own_worth(cost, weights)
    least, others = 1e9, 0.0
    for step in range(1, view.teams):
        rival = (team + step) % np.int64(view.teams)
        theirs, shut, their_links = board_after(view, move, rival)
        same = removed_by(move) == NONE and not (
            (closed & ~Word(view.closed)) & (facts[rival, KEY_OPEN] | facts[rival, KEY_FREE])
            or theirs != facts[rival, OWN]
        )
        need, theirs_open = np.int64(facts[rival, COST]), facts[rival, KEY_OPEN]
        if not same:
            found, theirs_open, _, _ = goal_keys(
                theirs, ~(shut | white | theirs), white & ~(shut | theirs), their_links, view.goal, rival, layers
            )
            need = min(found, FAR)
        value = other_worth(need, weights)
        if need <= 2:
            value -= weights[THEIR_WAYS] * np.log2(1.0 + float(bit_count(theirs_open)))
        others += value
        least = min(least, value)
    worth += least + weights[LATER] * (others - least)
    cards = ~cards_of(move) & ((ONE << Word(view.hand_limit)) - ONE)
    pair, run = keeps(view, cards)
    if pair:
        worth += weights[PAIR_KEPT]
        if cost <= pair:
            worth += weights[PAIR_NEAR]
    if run:
        worth += weights[RUN_KEPT]
    hits = single_squares(view, cards) & ~closed & key_open
    worth += weights[HIT] * float(min(bit_count(hits), Word(4)))
    if cost == 1 and hits:
        worth += weights[HIT_NEAR]
    worth += weights[WAYS] * np.log2(1.0 + float(bit_count(key_open | key_free)))
    supply = np.int64(view.supplies[team]) - np.int64(placed_by(move))
    worth += weights[SUPPLY] * float(min(supply, np.int64(FEW)))
    return worth


@jit
def best_play(view: Any, rng: Any, weights: Any) -> Any:
    """Return the play after which the position is worth most, ties at random."""
    layers = np.empty(LAYERS, np.uint64)
    moves = np.empty(MOST_PLAYS, np.uint64)
    facts = survey(view, layers)
    count = list_plays(view, facts, moves, layers, rng)
    best, ties, kept = -1e18, NONE, NONE
    for index in range(count):
        worth = worth_of(view, facts, moves[index], weights, layers)
        if worth > best:
            best, ties = worth, NONE
        if worth == best:
            ties += ONE
            if below(rng, ties) == NONE:
                kept = moves[index]
    if ties == NONE:
        return spare_pass(view)
    return kept


@jit
def spare_pass(view: Any) -> Any:
    """Return a pass; it discards the first card that is in no pair or run."""
    if not view.discard_on_pass:
        return NONE
    spare = (ONE << Word(view.hand_limit)) - ONE
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        if kind_of_set(entry) != Word(SINGLE):
            spare &= ~cards_of_set(entry)
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
        cards = NONE  # those that are in no pair or run
        for index in range(view.set_count):
            entry = Word(view.sets[index])
            if kind_of_set(entry) != Word(SINGLE):
                cards |= cards_of_set(entry)
        single = any_single_of(view, ~cards, facts[team, KEY_OPEN], rng)
        if single == NONE:
            single = any_single(view, facts[team, KEY_OPEN], rng)
        if single == NONE:
            single = any_single_of(view, ~cards, ALL, rng)
        if single != NONE:
            return single
    return hold_balance(view, layers, rng)
