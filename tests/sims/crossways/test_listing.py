import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.bits import Word
from sims.crossways import listing, plays
from sims.crossways.telling import every_move, moves_of
from sims.jit import COMPILED, jit
from strategies import noisy
from tests.reference import crossways as literal
from tests.sims.crossways.players import eager, played, random_games, turns_of
from tests.sims.crossways.positions import (
    BASIC,
    CELLS,
    FLAGS,
    Position,
    number_of,
    position_of,
    positions,
    random_position,
    random_rules,
    squares_in,
)

EXAMPLES = 150 if COMPILED else 30
ROOM = listing.MAX_MOVES


# --- Ways to take ----------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(
    st.lists(st.sampled_from([(1, 1), (2, 1), (2, 2), (4, 2)]), max_size=6),
    st.integers(0, 6),
)
def test_next_choice_goes_through_every_way_once(kinds: list[tuple[int, int]], wanted: int) -> None:
    units = tuple(np.zeros(8, np.uint64 if place == 0 else np.int64) for place in range(4))
    for place, (most, step) in enumerate(kinds):
        units[1][place], units[2][place] = most, step
    units[3][:] = 5  # left from before
    found = []
    first = True
    while listing.next_choice(units, len(kinds), wanted, first):
        first = False
        found.append(tuple(units[3][: len(kinds)].tolist()))
    ranges = [range(0, most + 1, step) for most, step in kinds]
    assert Counter(found) == Counter(taken for taken in product(*ranges) if sum(taken) == wanted)


@settings(max_examples=EXAMPLES)
@given(positions())
def test_all_places_and_all_markers(position: Position) -> None:
    view, (state, _) = position.view, position
    rules, board, team = state.rules, state.board, position.situation.team
    units = listing.new_units(listing.MAX_UNITS)
    expected = []
    for cell in CELLS:
        fits = [many for many in (1, 2, 4) if not literal.placement_refusal(rules, board, team, [cell] * many)]
        if fits:
            expected.append((number_of(cell), max(fits), min(fits)))
    count = listing.all_places(view, units)
    assert [
        (int(items) & 511, most, step)
        for items, most, step in zip(*(array[:count].tolist() for array in units[:3]), strict=True)
    ] == expected
    for items, most in zip(*(array[:count].tolist() for array in units[:2]), strict=True):
        assert [items >> 9 * at & 511 for at in range(most)] == [items & 511] * most
    count = listing.all_markers(view, units)
    there = []
    for items, most, step in zip(*(array[:count].tolist() for array in units[:3]), strict=True):
        named = [items >> 9 * at & 511 for at in range(most)]
        cells = {item & 63 for item in named}
        assert len(cells) == 1
        white = board.squares[divmod(cells.pop(), 8)] == "W"
        assert step == (2 if white and not rules.king_of_the_mountain else 1)
        levels = [item >> 6 for item in named]
        assert levels == sorted(levels, reverse=True)
        there += named
    markers = [marker.level << 6 | number_of(marker.cell) for marker in literal.markers_on(board)]
    assert sorted(there) == sorted(markers)
    assert count == (
        len(markers) if rules.king_of_the_mountain else len({(m[0], m[1]) for m in literal.markers_on(board)})
    )


@given(st.integers(0, 2**64 - 1), st.integers(0, 9), st.integers(0, 6))
def test_add_spread_takes_all_or_some_evenly(squares: int, most: int, before: int) -> None:
    units = listing.new_units(32)
    count = listing.add_spread(units, before, Word(squares), most, Word(squares & 0xFF), 1, 2)
    places = squares_in(squares)
    wanted = max(0, min(len(places), most - before))
    found = [int(items) & 511 for items in units[0][before:count]]
    assert len(found) == len(set(found)) == wanted
    assert set(found) <= set(places)
    assert found == sorted(found)
    assert units[1][before:count].tolist() == [2 if place < 8 else 1 for place in found]
    if wanted and wanted < len(places):
        gaps = np.diff([places.index(place) for place in found])
        assert gaps.max(initial=0) - gaps.min(initial=len(places)) <= 1 or wanted == 1


# --- The moves worth a look ------------------------------------------------------------------------------------------


def check_listed(view: Any) -> list[int]:
    """Hold the list of a position against what is promised of it."""
    before = view.tobytes()
    moves = np.full(ROOM + 8, 77, np.uint64)
    count = listing.list_moves(view, moves[:ROOM])
    assert view.tobytes() == before
    assert 0 < count <= ROOM
    assert np.all(moves[count:] == 77)
    listed = [int(move) for move in moves[:count]]
    assert len(set(listed)) == count
    for move in listed:
        assert plays.is_legal(view, Word(move))
    entries = [int(entry) for entry in view.sets[: view.set_count]]
    can = {entry for entry in entries if plays.can_play_set(view, Word(entry))}
    there = {move >> 54 for move in listed if move >> 60}
    assert there == can
    check_passes(view, [move for move in listed if not move >> 60], bool(can))
    for entry in can:
        if entry >> 6 == 1 or (entry >> 6 == 4 and (entry & 63).bit_count() == 2):
            own = [move for move in listed if move >> 54 == entry]
            assert len(own) == listing.count_set(view, Word(entry), listing.new_units(2), 0)
    return listed


def check_passes(view: Any, passes: list[int], can: bool) -> None:
    allowed = bool(view.may_pass) or not can
    if not allowed:
        assert passes == []
    elif not view.discard_on_pass:
        assert passes == [0]
    else:
        hand = view.hand[: view.hand_limit].tolist()
        assert passes == [1 << 54 + hand.index(face) for face in sorted(set(hand))]


@settings(max_examples=EXAMPLES)
@given(positions())
def test_list_moves(position: Position) -> None:
    listed = check_listed(position.view)
    assert moves_of(position.view) == listed


@settings(max_examples=EXAMPLES)
@given(st.integers(0, 2**32), st.sampled_from(["KS KS KH KD KC KC", "2S 3S 4S 4H 4D 3H", "AD 2D 3D 2H 2C 2S", ""]))
def test_list_moves_with_hands_that_are_full_of_plays(start: int, hand: str) -> None:
    source = random.Random(start)
    rules = random_rules(source, pairs_and_runs=True, decks=2, jokers_wild=source.random() < 0.3)
    position = random_position(source, rules=rules, hand=6, share=source.choice([0.0, 0.1, 0.5, 1.0]))
    state, seat = position
    if hand:
        state.deck += state.hands[seat]
        state.hands[seat] = []
        for card in hand.split():
            pile = next(pile for pile in (state.deck, state.discards, *state.hands) if card in pile)
            pile.remove(card)
            state.hands[seat].append(card)
            if pile not in (state.deck, state.discards):
                pile.append(state.deck.pop())
    check_listed(position.view)


def test_list_moves_in_positions_of_games_with_every_option() -> None:
    source = random.Random(8)
    seen = 0
    for number in range(40 if COMPILED else 6):
        options = {"turn_limit": 60 if COMPILED else 8, **({"pairs_and_runs": True} if number % 2 else {})}
        for game in random_games(source, 1, **options):
            for turn in turns_of(game.trace):
                if turn.seat is not None:
                    check_listed(turn.view)
                    seen += 1
    assert seen > (500 if COMPILED else 20)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="games of many turns")
def test_list_moves_in_positions_of_many_games() -> None:
    source = random.Random(9)
    for _ in range(600):
        for game in random_games(source, 1, turn_limit=100):
            for turn in turns_of(game.trace):
                if turn.seat is not None:
                    check_listed(turn.view)


def test_moves_that_win_are_listed_where_one_play_can() -> None:
    """One marker, or two on a white square, is missing: cards that put them there are worth a look."""
    row = {f"d{column}": "0" for column in (1, 3, 4, 5, 6, 8)}
    for missing, hand in (("d2", "9S 2H"), ("d2", "KS KH"), ("d7", "KS KH")):
        board = {**row, "d2": "0", "d7": "00"}
        del board[missing]
        position = position_of(board, hand)
        assert any(
            plays.markers_needed_after(position.view, Word(move), 0) == 0 for move in check_listed(position.view)
        )


@jit
def winning_plays(view: Any, moves: Any, count: Any) -> Any:
    """How many of some moves remove nothing and win."""
    wins = 0
    for index in range(count):
        alone = plays.removed_by(moves[index]) == Word(0) and plays.placed_by(moves[index]) > Word(0)
        wins += alone and plays.markers_needed_after(view, moves[index], view.team) == 0
    return wins


@pytest.mark.parametrize("goal", literal.GOALS)
def test_a_play_that_wins_at_once_is_listed_where_there_is_one(goal: str) -> None:
    """On boards where a way or a shape lacks a few squares, and there are other markers about."""
    source = random.Random(goal)
    everything, some = np.empty(400_000, np.uint64), np.empty(ROOM, np.uint64)
    found = 0
    for _ in range(150 if COMPILED else 30):
        rules = random_rules(source, goal=goal, markers=24, team_size=1, hand=3 if COMPILED else 2, turn_limit=400)
        position = random_position(source, rules=rules, seats=2, share=source.choice([0.0, 0.1]), least=17)
        state, team = position.state, position.situation.team
        shapes = [shape.cells for shape in literal.shapes_of(rules)]
        if not shapes:
            cells = literal.shortest_chain(
                rules,
                literal.Board(state.board.squares, {cell: [team] for cell in CELLS}),
                team,
                source.choice(literal.ends_of(rules, team)),
            )
            shapes = [cells or []]
        shape = source.choice(shapes)
        for cell in shape[: source.choice([-1, -2, -3])]:
            white = state.board.squares[cell] == "W"
            if literal.on_board(state.board, team) + 1 + white < 22:
                state.board.stacks[cell] = [team] * (1 + white)
        view = position.view
        if plays.has_won(view, team):
            continue
        total = listing.list_all(view, everything)
        count = listing.list_moves(view, some)
        if total < len(everything) and winning_plays(view, everything, total):
            assert winning_plays(view, some, count), position
            found += 1
    assert found >= (20 if COMPILED else 1)


def test_markers_of_a_team_that_is_about_to_win_are_listed() -> None:
    row = {f"d{column}": "1" for column in (1, 3, 4, 5, 6, 8)} | {"d7": "11"}
    view = position_of(row, "QH KH").view
    needed = {int(plays.markers_needed_after(view, Word(move), 1)) for move in check_listed(view) if move >> 60 == 3}
    assert int(plays.markers_needed(view, 1)) == 1
    assert max(needed) == 3


# --- All moves -------------------------------------------------------------------------------------------------------


def test_list_all_stops_where_there_is_no_more_room() -> None:
    view = position_of({"a1": "01"}, "KS KH KD").view
    moves = np.full(120, 77, np.uint64)
    for room in (0, 1, 2, 3, 7, 100):
        moves[:] = 77
        assert listing.list_all(view, moves[:room]) == room
        assert np.all(moves[room:] == 77)


@settings(max_examples=EXAMPLES // 3)
@given(st.integers(0, 2**32))
def test_all_moves_hold_all_listed_ones(start: int) -> None:
    source = random.Random(start)
    position = random_position(source, rules=random_rules(source, **dict.fromkeys(FLAGS, False)), hand=2)
    view = position.view
    everything = every_move(view, 20_000)
    listed = moves_of(view)
    assert set(listed) <= set(everything)
    assert len(everything) == len(set(everything))
    plays_alone = [move for move in everything if move >> 60]
    assert len(plays_alone) == listing.count_moves(view)
    check_passes(view, [move for move in everything if not move >> 60], bool(plays_alone))


def test_noisy_players_reach_plays_that_are_not_listed() -> None:
    rules = BASIC.replace(turn_limit=30 if COMPILED else 8)
    unlisted: Counter[bool] = Counter()
    for game in played([noisy(eager, 1), noisy(eager, 1)], rules, 3, 0, 4 if COMPILED else 2):
        for turn in turns_of(game.trace):
            if turn.seat is not None:
                unlisted[turn.code not in moves_of(turn.view)] += 1
    assert unlisted[True] > (5 if COMPILED else 0)
    assert unlisted[False] > 1


@pytest.mark.skipif(COMPILED, reason="compiled code has no place to count in")
@pytest.mark.parametrize("start", [2459, 1620, 15])
def test_placements_are_tried_for_removals_that_are_possible_only(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a white square, or a supply that stays empty, would be tried with thousands of placements."""
    source = random.Random(start)
    rules = random_rules(source, pairs_and_runs=True, decks=2, jokers_wild=source.random() < 0.3)
    view = random_position(source, rules=rules, hand=6, share=source.choice([0.0, 0.1, 0.5, 1.0])).view
    calls, is_legal = [], listing.is_legal
    monkeypatch.setattr(listing, "is_legal", lambda view, move: calls.append(move) or is_legal(view, move))
    listing.list_moves(view, np.empty(ROOM, np.uint64))
    assert len(calls) < 20 * ROOM
