"""The moves worth a look: around the cheapest paths, few enough to be valued one by one.

Heuristics by value, rollouts, restricted and noisy players choose among these. Cards that can be played always have at
least one listed move.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.crossways.facts import (
    JOKER_PLAY,
    LEVEL_SHIFT,
    MAX_HAND,
    NONE,
    PAIR,
    PAIR_AND_RUN,
    PASS,
    RUN,
    SINGLE,
    SQUARES,
)
from sims.crossways.hands import (
    cards_of_set,
    is_first_choice,
    kind_of_set,
    make_set,
    placed_by_set,
    removed_by_set,
    spots_of,
)
from sims.crossways.paths import LAYERS, beside, goal_keys
from sims.crossways.plays import (
    ALL_TEAMS,
    can_play_set,
    counting,
    finish_move,
    height_of,
    is_legal,
    item_of,
    key_squares_of,
    links,
    markers_needed,
    markers_there,
    placements,
    put_in_order,
    removals,
    room,
    room_after,
    start_move,
    takes_whites_whole,
    team_at,
    with_item,
)
from sims.jit import jit

FOCUS_OPEN, FOCUS_WHITE, FOCUS_MARKERS = 8, 3, 8  # squares and markers that are looked at
FOCUS_BOTH = 4  # … when a pair and a run are played together
MOST_OF_A_SET = 72  # listed moves of the same cards
MAX_MOVES = 1024
MAX_UNITS = 64 * 5

# A unit is a square where markers can be placed, or the markers of a team on a square that can be removed. Its record
# has the markers, nine bits each, in the order in which they are taken; how many can be; and in what steps.


@jit
def new_units(size: Any) -> Any:
    """Return room for units: markers, most, step, and how many are taken."""
    return np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)


@jit
def add_place(units: Any, count: Any, square: Any, most: Any, step: Any) -> Any:
    """Write a square where markers can be placed; return how many units there are."""
    items, limits, steps, _ = units
    items[count] = square | square << Word(9) | square << Word(18) | square << Word(27)
    limits[count], steps[count] = most, step
    return count + 1


@jit
def add_markers(view: Any, units: Any, count: Any, square: Any, team: Any, ordered: Any) -> Any:
    """Write a team's markers on a square, the topmost first; where the order counts each for itself."""
    items, limits, steps, _ = units
    stack, found, packed = Word(view.stacks[square]), 0, NONE
    for level in range(np.int64(height_of(stack)) - 1, -1, -1):
        if team_at(stack, level) != Word(team) + ONE:
            continue
        item = square | Word(level) << LEVEL_SHIFT
        if ordered:
            items[count], limits[count], steps[count] = item, 1, 1
            count += 1
        else:
            packed |= item << Word(9 * found)
            found += 1
    if found:
        items[count], limits[count] = packed, found
        steps[count] = 2 if (Word(view.white) >> square) & ONE else 1
        count += 1
    return count


@jit
def all_places(view: Any, units: Any) -> Any:
    """Write all squares where the seat can place markers; return how many there are."""
    ones, twos, fours, pairs = room(view)
    count = 0
    for place in range(SQUARES):
        square = Word(place)
        bit = ONE << square
        if ones & bit:
            count = add_place(units, count, square, 2 if twos & bit else 1, 1)
        elif fours & bit:
            count = add_place(units, count, square, 4, 2)
        elif pairs & bit:
            count = add_place(units, count, square, 2, 2)
    return count


@jit
def all_markers(view: Any, units: Any) -> Any:
    """Write all markers on the board; return how many units there are."""
    count = 0
    for place in range(SQUARES):
        for team in range(view.teams):
            if (Word(view.one[team]) >> Word(place)) & ONE:
                count = add_markers(view, units, count, Word(place), team, view.king_of_the_mountain)
    return count


@jit
def next_choice(units: Any, count: Any, left: Any, fresh: Any) -> Any:
    """Go to the next way to take `left` markers from the first `count` units; return whether there is one.

    `fresh` starts with the first way.
    """
    _, limits, steps, taken = units
    if fresh:
        taken[:count] = 0
        place = 0
    else:
        place, left = count, 0
    while True:
        if place == count or left == 0:
            if left == 0 and fresh:
                return True
            fresh = True
            # Step back to the last unit that can give more.
            place -= 1
            while place >= 0:
                if taken[place] + steps[place] <= limits[place] and steps[place] <= left:
                    break
                left += taken[place]
                taken[place] = 0
                place -= 1
            if place < 0:
                return False
            taken[place] += steps[place]
            left -= steps[place]
            place += 1
        else:
            place += 1


@jit
def add_choice(units: Any, count: Any, move: Any, index: Any) -> Any:
    """Return a move with the markers that are taken, from place `index` on."""
    items, _, _, taken = units
    for unit in range(count):
        for number in range(taken[unit]):
            move = with_item(move, index, item_of(items[unit], number))
            index += 1
    return move


@jit
def winning_placement(view: Any, entry: Any) -> Any:
    """Return a play of some cards that only place markers, all of a cheapest way; 0 when they are too few."""
    team, white, closed = np.int64(view.team), Word(view.white), Word(view.closed)
    own, placed = counting(view, team), np.int64(placed_by_set(entry))
    layers = np.empty(LAYERS, np.uint64)
    move, index, taken = start_move(entry), 0, NONE
    while index < placed:
        cost, key_open, key_free, _ = goal_keys(
            own, ~(closed | white | own), white & ~(closed | own), links(view, team), view.goal, team, layers
        )
        if cost > placed - index:
            return NONE
        pool = key_open if key_open else key_free
        if cost == 0:  # the rest lies anywhere
            pool = ~(closed | white | taken)
        if pool == NONE:
            return NONE
        square = lowest_bit(pool)
        bit = ONE << square
        for _ in range(2 if white & bit else 1):
            move = with_item(move, index, square)
            index += 1
        own |= bit
        taken |= bit
    return finish_move(move)


@jit
def list_choices(
    view: Any, entry: Any, places: Any, n_places: Any, markers: Any, n_markers: Any, most: Any, moves: Any, count: Any
) -> Any:
    """Write the legal plays of some cards with these units, `most` of them at most; return how many moves there are.

    A play that wins at once by what it places comes first.
    """
    removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
    last = min(count + most, len(moves))
    first, wins = True, NONE
    if not removed and markers_needed(view, view.team) <= placed:
        wins = winning_placement(view, entry)
        if count < last and wins != NONE and is_legal(view, wins):
            moves[count] = wins
            count += 1
    while count < last and next_choice(markers, n_markers, removed, first):
        first = False
        begun = put_in_order(add_choice(markers, n_markers, start_move(entry), 0), 0, removed)
        if not placed:
            if is_legal(view, begun):
                moves[count] = begun
                count += 1
            continue
        if removed:  # what cannot be removed, or leaves no room, would be tried with every placement
            if not takes_whites_whole(view, begun, removed):
                continue
            supply, spaces = room_after(view, begun, removed)
            if placed > supply or placements(spaces, placed) == NONE:
                continue
        start = True
        while count < last and next_choice(places, n_places, placed, start):
            start = False
            move = finish_move(add_choice(places, n_places, begun, removed))
            if move != wins and is_legal(view, move):
                moves[count] = move
                count += 1
    return count


@jit
def add_spread(units: Any, count: Any, squares: Any, most: Any, twos: Any, step: Any, limit: Any) -> Any:
    """Write some squares, spread evenly when there are more than fit, so that there are `most` units at most."""
    size, left = np.int64(bit_count(squares)), np.int64(most) - count
    wanted = min(size, left)
    for number in range(wanted):
        square = select_bit(squares, Word((2 * number + 1) * size // (2 * wanted)))
        count = add_place(units, count, square, limit if (twos >> square) & ONE else 1, step)
    return count


@jit
def focus(view: Any, places: Any, markers: Any, narrow: Any) -> Any:
    """Write the squares and markers that matter most, in order; return how many units of each there are.

    Squares: on the cheapest paths of both the seat's team and another, then of its own beside its squares, then of
    its own, then of the others; white ones too. Markers: of others on their cheapest paths, then those that close
    a square to the team; its own when it has no markers left.
    """
    layers = np.empty(LAYERS, np.uint64)
    team, white = np.int64(view.team), Word(view.white)
    _, key_open, key_free, _ = key_squares_of(view, team, layers)
    their_open, their_free = NONE, NONE
    n_markers, most_markers = 0, FOCUS_BOTH if narrow else FOCUS_MARKERS
    for step in range(1, view.teams):
        other = (team + step) % np.int64(view.teams)
        _, some, free, own = key_squares_of(view, other, layers)
        their_open |= some
        their_free |= free
        while own and n_markers < most_markers:
            n_markers = add_markers(view, markers, n_markers, lowest_bit(own), other, False)
            own &= own - ONE
    for step in range(1, view.teams):
        other = (team + step) % np.int64(view.teams)
        closing = Word(view.two[other])
        for unit in range(n_markers):
            closing &= ~(ONE << (item_of(markers[0][unit], 0) & Word(63)))
        while closing and n_markers < most_markers:
            n_markers = add_markers(view, markers, n_markers, lowest_bit(closing), other, False)
            closing &= closing - ONE
    if view.supplies[team] < MAX_HAND:
        own = Word(view.one[team])
        while own and n_markers < most_markers + 2:
            n_markers = add_markers(view, markers, n_markers, lowest_bit(own), team, False)
            own &= own - ONE
    ones, twos, fours, pairs = room(view)
    most = FOCUS_BOTH if narrow else FOCUS_OPEN
    done = NONE
    count = 0
    near = beside(counting(view, team))
    for rank in range(4):
        squares = key_open & their_open if rank == 0 else key_open & near if rank == 1 else key_open
        if rank == 3:
            squares = their_open
        squares &= ones & ~done
        done |= squares
        count = add_spread(places, count, squares, most, twos, 1, 2)
    done = NONE
    for rank in range(3):
        squares = key_free & their_free if rank == 0 else key_free if rank == 1 else their_free
        squares &= ~done
        done |= squares
        count = add_spread(places, count, squares & fours, most + FOCUS_WHITE, white, 2, 4)
        count = add_spread(places, count, squares & pairs, most + FOCUS_WHITE, white, 2, 2)
    if view.diagonals:
        count = add_spread(places, count, pairs & ~done, most + FOCUS_WHITE, white, 2, 2)
    return count, n_markers


@jit
def list_passes(view: Any, moves: Any, count: Any) -> Any:
    """Write the passes that are possible; return how many moves there are."""
    if not view.discard_on_pass:
        if count < len(moves):
            moves[count] = NONE
            count += 1
        return count
    for place in range(np.int64(view.hand_limit)):
        cards = ONE << Word(place)
        if count < len(moves) and is_first_choice(view.hand, cards):
            moves[count] = start_move(make_set(PASS, cards))
            count += 1
    return count


@jit
def list_set(
    view: Any, entry: Any, places: Any, n_places: Any, markers: Any, n_markers: Any, most: Any, moves: Any, count: Any
) -> Any:
    """Write the plays of some cards that are worth a look, `most` at most; return how many moves there are."""
    kind = kind_of_set(entry)
    first = count
    if removed_by_set(entry) == NONE and (kind == ONE or kind == Word(JOKER_PLAY)):
        squares = spots_of(view, view.hand[lowest_bit(cards_of_set(entry))])
        while squares:
            square = lowest_bit(squares)
            squares &= squares - ONE
            move = with_item(start_move(entry), 0, square)
            if kind == Word(JOKER_PLAY):
                move = with_item(move, 1, square)
            if count < len(moves) and is_legal(view, move):
                moves[count] = move
                count += 1
        return count
    count = list_choices(view, entry, places, n_places, markers, n_markers, most, moves, count)
    if count == first and can_play_set(view, entry):
        everywhere, everything = new_units(MAX_UNITS), new_units(MAX_UNITS)
        n_everywhere, n_everything = all_places(view, everywhere), all_markers(view, everything)
        count = list_choices(view, entry, everywhere, n_everywhere, everything, n_everything, 1, moves, count)
    return count


@jit
def list_moves(view: Any, moves: Any) -> Any:
    """Write the moves that are worth a look to `moves`, shape (1024,); return how many there are (a signed number).

    They are distinct and legal. All single cards are there; of pairs and runs those around the cheapest paths, and one
    at least; passes where they are allowed.
    """
    places, markers = new_units(32), new_units(32)
    n_places, n_markers = focus(view, places, markers, False)
    few_places, few_markers = new_units(32), new_units(32)
    n_few_places, n_few_markers = focus(view, few_places, few_markers, True) if view.pairs_and_runs else (0, 0)
    count = 0
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        # What is left of the room is shared by what is left of the cards.
        most = min(np.int64(MOST_OF_A_SET), (MAX_MOVES - MAX_HAND - count) // (np.int64(view.set_count) - index))
        if kind_of_set(entry) >= Word(PAIR_AND_RUN):
            count = list_set(view, entry, few_places, n_few_places, few_markers, n_few_markers, most, moves, count)
        else:
            count = list_set(view, entry, places, n_places, markers, n_markers, most, moves, count)
    if view.may_pass or count == 0:
        count = list_passes(view, moves, count)
    return count


@jit
def list_all(view: Any, moves: Any) -> Any:
    """Write all distinct legal moves to `moves` as far as there is room; return how many were written.

    For small hands and tests: three kings alone have tens of thousands.
    """
    places, markers = new_units(MAX_UNITS), new_units(MAX_UNITS)
    n_places, n_markers = all_places(view, places), all_markers(view, markers)
    count = 0
    for index in range(view.set_count):
        entry = Word(view.sets[index])
        count = list_everything(view, entry, places, n_places, markers, n_markers, moves, count)
    if view.may_pass or count == 0:
        count = list_passes(view, moves, count)
    return count


@jit
def list_everything(
    view: Any, entry: Any, places: Any, n_places: Any, markers: Any, n_markers: Any, moves: Any, count: Any
) -> Any:
    """Write all plays of some cards; return how many moves there are."""
    if placed_by_set(entry) and (kind_of_set(entry) == ONE or kind_of_set(entry) == Word(JOKER_PLAY)):
        return list_set(view, entry, places, n_places, markers, n_markers, MOST_OF_A_SET, moves, count)
    if kind_of_set(entry) >= Word(PAIR_AND_RUN):  # a removal may open a square
        everywhere = new_units(SQUARES)
        n_everywhere = 0
        for place in range(SQUARES):
            white = (Word(view.white) >> Word(place)) & ONE
            n_everywhere = add_place(everywhere, n_everywhere, Word(place), 4 if white else 2, 2 if white else 1)
        return list_choices(view, entry, everywhere, n_everywhere, markers, n_markers, len(moves), moves, count)
    return list_choices(view, entry, places, n_places, markers, n_markers, len(moves), moves, count)


@jit
def count_set(view: Any, entry: Any, markers: Any, n_markers: Any) -> Any:
    """Return how many distinct legal plays some cards have."""
    kind, cards = kind_of_set(entry), cards_of_set(entry)
    if not can_play_set(view, entry):
        return NONE
    if kind == Word(RUN):
        return removals(view, bit_count(cards), ALL_TEAMS)
    if kind == Word(PAIR):
        return placements(room(view), bit_count(cards))
    if kind < Word(PAIR_AND_RUN):
        squares = spots_of(view, view.hand[lowest_bit(cards)]) & ~Word(view.closed)
        if kind == Word(SINGLE):
            return bit_count(squares)
        alone = cards & (cards - ONE) == NONE
        return markers_there(view, ALL_TEAMS)[0] if alone else bit_count(squares & ~Word(view.one[view.team]))
    removed, placed = np.int64(removed_by_set(entry)), np.int64(placed_by_set(entry))
    total, first = NONE, True
    while next_choice(markers, n_markers, removed, first):
        first = False
        move = put_in_order(add_choice(markers, n_markers, start_move(entry), 0), 0, removed)
        if takes_whites_whole(view, move, removed):
            supply, spaces = room_after(view, move, removed)
            if placed <= supply:
                total += placements(spaces, placed)
    return total


@jit
def count_moves(view: Any) -> Any:
    """Return how many distinct legal plays the seat has, passes not counted."""
    markers = new_units(MAX_UNITS)
    n_markers = all_markers(view, markers)
    total = NONE
    for index in range(view.set_count):
        total += count_set(view, view.sets[index], markers, n_markers)
    return total
