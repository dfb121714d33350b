import copy
import dataclasses
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims import chance
from sims import cross_off as co
from sims.bits import Word
from sims.chance import deal_key, fill_stream, new_streams, start_stream
from sims.cross_off import CROSS_OFF, CrossOffRules
from sims.errors import StrategyError, UsageError
from sims.game import WIN_UNIT, find_game
from sims.jit import COMPILED
from sims.table import Table
from sims.trace import narrate
from strategies import (
    Parameter,
    Strategy,
    builtin_restrictions,
    builtin_strategies,
    find_strategy,
    heuristic,
    noisy,
    restrict,
    restriction,
    rollout,
    strategy,
)
from tests.reference import cross_off as literal

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("goldens") / "cross_off.txt"
BASIC, FINISH_TURN = CrossOffRules(), CROSS_OFF.variant("finish-turn")
COLOURS = literal.COLOURS

# --- Players ---------------------------------------------------------------------------------------------------------


@heuristic(CROSS_OFF.name)
def eager(view: Any, move: Any, params: Any) -> Any:
    """Takes the most points at once."""
    return co.gain(view, move)


@heuristic(CROSS_OFF.name)
def envious(view: Any, move: Any, params: Any) -> Any:
    """Marks where it can, unless another seat has marked anything."""
    for seat in range(view.seats):
        if seat != view.seat and view.sheet_marks[seat]:
            return move == co.PASS
    return move != co.PASS


@strategy(CROSS_OFF.name)
def passing(view: Any, rng: Any, params: Any) -> Any:
    """Never marks anything."""
    return co.PASS


@strategy(CROSS_OFF.name, parameters=[Parameter("where", 0, 0, 2, "0: sum step, 1: pair step, 2: thinking ahead")])
def wrong(view: Any, rng: Any, params: Any) -> Any:
    """Marks the last number of the red track, which is not legal in the third turn."""
    where = 2.0 if view.ahead else float(view.step)
    return Word(co.LAST) if where == params[0] and view.turn >= 3 else co.PASS


@heuristic(CROSS_OFF.name)
def unsure(view: Any, move: Any, params: Any) -> Any:
    """Cannot tell what to pass is worth in the pair step."""
    return np.nan if view.step == co.PAIR and move == co.PASS else 1.0


@restriction(CROSS_OFF.name)
def far(view: Any, move: Any, params: Any) -> Any:
    """Passing over more than one number."""
    return co.skips(view.open, move) > 1


@restriction(CROSS_OFF.name)
def idle(view: Any, move: Any, params: Any) -> Any:
    """Passing where a mark is legal."""
    return move == co.PASS


UNIFORM = find_strategy(CROSS_OFF.name, "uniform")
BUILT_IN = [one for one in builtin_strategies(CROSS_OFF.name) if "solved" not in one.tags]
QUICK = [one for one in BUILT_IN if "look-ahead" not in one.tags]
careful = restrict(eager, far)
NEVER = [*builtin_restrictions(CROSS_OFF.name), far, idle]


def table(lineup: Sequence[Strategy], rules: CrossOffRules = BASIC) -> Table:
    return Table(CROSS_OFF, rules, [one.player() for one in lineup])


def play(lineup: Sequence[Strategy], deals: int, rules: CrossOffRules = BASIC, seed: int = 1, first: int = 0) -> Any:
    seated = table(lineup, rules)
    outcomes = seated.new_outcomes(deals)
    seated.play(seed, first, outcomes)
    return outcomes


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


# --- Positions, told twice -------------------------------------------------------------------------------------------


def code(track: str, number: int) -> int:
    """The move that marks a number."""
    return 16 * COLOURS.index(track) + literal.NUMBERS[track].index(number) + 1


def codes(marks: Sequence[literal.Mark]) -> list[int]:
    return sorted(code(mark.track, mark.number) for mark in marks)


def kernel_rules(rules: literal.Rules) -> CrossOffRules:
    return CrossOffRules(**dataclasses.asdict(rules))


def literal_rules(rules: CrossOffRules) -> literal.Rules:
    return literal.Rules(**dataclasses.asdict(rules))


def sheet(**marked: list[int]) -> literal.Sheet:
    return {colour: list(marked.get(colour, [])) for colour in COLOURS}


def state_of(*sheets: literal.Sheet, rules: literal.Rules | None = None, turn: int = 1) -> literal.State:
    """A table with these sheets; a track is closed when somebody has marked its last number."""
    rules = rules or literal.Rules()
    state = literal.State(rules, list(sheets), [0] * len(sheets), turn=turn)
    for colour in COLOURS:
        closers = [seat for seat, one in enumerate(sheets) if literal.NUMBERS[colour][-1] in one[colour]]
        if closers:
            state.closed[colour] = closers
    return state


def dice_of(plain: tuple[int, int], red: int = 1, yellow: int = 1, green: int = 1, blue: int = 1) -> dict[str, Any]:
    return {"plain": list(plain), "red": red, "yellow": yellow, "green": green, "blue": blue}


def views_of(state: literal.State, dice: literal.Dice, step: int = co.SUM, marked: bool = False, ended: int = 0) -> Any:
    """The kernel's two views for a position of the literal engine; nothing is offered yet."""
    views = co.new_views(kernel_rules(state.rules), len(state.sheets))
    view = views[0]
    view.turn, view.roller, view.step, view.marked, view.ended = state.turn, state.roller, step, marked, ended
    view.plain[:] = dice["plain"]
    view.penalties[: len(state.penalties)] = state.penalties
    live = 0
    for track, colour in enumerate(COLOURS):
        numbers = literal.NUMBERS[colour]
        is_closed = colour in state.closed
        view.closed |= is_closed << track
        view.coloured[track] = 0 if is_closed else dice[colour]
        live |= 0 if is_closed else sum(1 << 16 * track + position for position in range(1, 12))
        for seat, marks in enumerate(state.sheets):
            own = marks[colour]
            start = numbers.index(own[-1]) + 1 if own else 0
            reach = numbers if len(own) >= state.rules.marks_to_close else numbers[:-1]
            view.sheet_open[seat] |= np.uint64(sum(1 << code(colour, number) for number in reach[start:]))
            closes = seat in state.closed.get(colour, [])
            view.sheet_marks[seat] |= np.uint64(len(own) + closes << 16 * track)
            view.closes[seat] |= closes << track
    view.live = live
    return views


def view_of(state: literal.State, dice: literal.Dice, step: int = co.SUM, marked: bool = False, ended: int = 0) -> Any:
    return views_of(state, dice, step, marked, ended)[0]


RULE_FIELDS = (
    *("seats", "marks_to_close", "penalties_to_end", "tracks_to_end"),
    *("finish_turn", "penalty_points", "points"),
)
TABLE_FIELDS = (
    *("turn", "roller", "step", "marked", "ended", "plain", "coloured", "closed", "live"),
    *("sheet_open", "sheet_marks", "penalties", "closes", *RULE_FIELDS),
)
SEEN = (*TABLE_FIELDS, "seat", "open", "marks", "legal")


def told(view: Any, fields: Sequence[str] = TABLE_FIELDS) -> dict[str, Any]:
    return {name: np.array(view[name]).tolist() for name in fields}


def decide(view: Any, seat: int) -> None:
    """Offer the view's step to a seat."""
    if view.step == co.SUM:
        co.offer_sum(view, seat)
    else:
        co.offer_pair(view)


RULES = st.builds(
    CrossOffRules,
    mark_points=st.lists(st.integers(-200, 200), min_size=13, max_size=13).map(tuple),
    marks_to_close=st.integers(0, 10),
    penalty_points=st.integers(0, 50),
    penalties_to_end=st.integers(1, 8),
    tracks_to_end=st.integers(1, 4),
    finish_turn=st.booleans(),
)
FACE = st.integers(1, 6)
# Doubles of one and six are what closes tracks: more of them than the dice would show.
PLAIN = st.one_of(st.sampled_from([(1, 1), (6, 6)]), st.tuples(FACE, FACE))
# Bit p: the number at place p, from 0, is marked. Often many, so that last numbers come within reach.
MARKED = st.one_of(st.just(0), st.integers(0, 0b11_1111_1111), st.integers(5, 9).map(lambda many: 2**many - 1))


class Position(NamedTuple):
    """A position that a game can be asked in."""

    state: literal.State
    dice: dict[str, Any]
    step: int
    marked: bool

    @property
    def view(self) -> Any:
        return view_of(*self)


@st.composite
def positions(draw: st.DrawFn, step: int | None = None) -> Position:
    rules = literal_rules(draw(st.one_of(st.sampled_from([BASIC, FINISH_TURN]), RULES)))
    seats = draw(st.integers(1, 5))
    step = draw(st.sampled_from([co.SUM, co.PAIR])) if step is None else step
    # With `finish_turn`, as many tracks as end the game can be closed already in the pair step.
    most = 4 if rules.finish_turn and step == co.PAIR else rules.tracks_to_end - 1
    closed = draw(st.sets(st.sampled_from(COLOURS), max_size=most))
    masks = iter(draw(st.lists(MARKED, min_size=4 * seats, max_size=4 * seats)))
    sheets = [
        {colour: [number for place, number in enumerate(literal.NUMBERS[colour]) if mask >> place & 1]}
        for colour in COLOURS
        for mask in (next(masks) for _ in range(seats))
    ]
    state = literal.State(
        rules,
        [{name: marks for one in sheets[seat::seats] for name, marks in one.items()} for seat in range(seats)],
        draw(st.lists(st.integers(0, rules.penalties_to_end - 1), min_size=seats, max_size=seats)),
        turn=draw(st.integers(1, 40)),
    )
    for colour in sorted(closed, key=COLOURS.index):
        closers = sorted(draw(st.sets(st.integers(0, seats - 1), min_size=1)))
        state.closed[colour] = closers
        for seat in closers:
            own = state.sheets[seat][colour]
            if len(own) < rules.marks_to_close:
                own[:] = literal.NUMBERS[colour][: rules.marks_to_close]
            own.append(literal.NUMBERS[colour][-1])
    faces = draw(st.tuples(FACE, FACE, FACE, FACE))
    dice = {name: None if name in closed else face for name, face in zip(COLOURS, faces, strict=True)}
    return Position(state, {"plain": list(draw(PLAIN)), **dice}, step, step == co.PAIR and draw(st.booleans()))


def legal_marks(position: Position, seat: int) -> list[literal.Mark]:
    if position.step == co.SUM:
        return literal.legal_sum_marks(position.state, seat, position.dice)
    return literal.legal_pair_marks(position.state, position.dice)


def score(state: literal.State, seat: int) -> Any:
    return literal.score_seat(state.rules, literal.count_marks(state, seat), state.penalties[seat])


def held(state: literal.State, seat: int) -> tuple[dict[str, int], dict[str, int]]:
    """Number of marks and place of the last mark (0: none) of each track."""
    marks = literal.count_marks(state, seat)
    last = {
        colour: literal.NUMBERS[colour].index(own[-1]) + 1 if own else 0 for colour, own in state.sheets[seat].items()
    }
    return marks, last


# --- Facts -----------------------------------------------------------------------------------------------------------


def test_positions_and_numbers_are_those_of_the_tracks() -> None:
    assert co.TRACK_NAMES == COLOURS
    for track, colour in enumerate(COLOURS):
        numbers = literal.NUMBERS[colour]
        assert [co.position_of(track, number) for number in numbers] == list(range(1, 12))
        assert [co.number_at(track, position) for position in range(1, 12)] == numbers


def test_last_numbers_have_one_name_in_moves_and_bits() -> None:
    last = [code(colour, literal.NUMBERS[colour][-1]) for colour in COLOURS]
    assert sum(1 << move for move in last) == int(co.LAST_BITS)
    assert int(co.NUMBER_BITS) ^ int(co.LAST_BITS) == int(co.BEFORE_LAST)
    assert int(co.NUMBER_BITS) == sum(1 << code(colour, number) for colour in COLOURS for number in range(2, 13))


def test_default_points_are_triangular_numbers() -> None:
    assert BASIC.mark_points == literal.Rules().mark_points
    assert kernel_rules(literal.Rules()) == BASIC


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("mark_points", (0,) * 12),
        ("mark_points", (0,) * 12 + (201,)),
        ("marks_to_close", 11),
        ("marks_to_close", -1),
        ("penalty_points", 51),
        ("penalties_to_end", 0),
        ("penalties_to_end", 9),
        ("tracks_to_end", 0),
        ("tracks_to_end", 5),
        ("finish_turn", 1),
    ],
)
def test_rules_refuse_what_does_not_fit(option: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^option {option}="):
        BASIC.replace(**{option: value})


# --- Small rule functions --------------------------------------------------------------------------------------------


def test_track_of_and_place_of() -> None:
    for colour, number in product(COLOURS, range(2, 13)):
        move = Word(code(colour, number))
        assert co.track_of(move) == COLOURS.index(colour)
        assert co.place_of(move) == literal.NUMBERS[colour].index(number) + 1
    assert co.place_of(co.PASS) == 0


def test_is_last() -> None:
    last = {move for move in range(64) if co.is_last(Word(move))}
    assert last == {code("red", 12), code("yellow", 12), code("green", 2), code("blue", 2)}


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_lane_marks_on_and_last_place(position: Position, seat: int) -> None:
    state, view = position.state, position.view
    seat %= len(state.sheets)
    marks, last = held(state, seat)
    for track, colour in enumerate(COLOURS):
        assert co.lane(view.sheet_marks[seat], track) == marks[colour] == co.marks_on(view.sheet_marks[seat], track)
        assert co.lane(view.live, track) == (0 if colour in state.closed else 0b1111_1111_1110)
        if seat not in state.closed.get(colour, []):
            assert co.last_place(view.sheet_open[seat], track) == last[colour]


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_skips(position: Position, seat: int) -> None:
    view = position.view
    seat %= len(position.state.sheets)
    decide(view, seat)
    seat = int(view.seat)
    _, last = held(position.state, seat)
    for mark in legal_marks(position, seat):
        move = code(mark.track, mark.number)
        assert co.skips(view.open, Word(move)) == move % 16 - last[mark.track] - 1
    assert co.skips(view.open, co.PASS) == 0


def test_skips_counts_what_is_still_free_and_not_the_last_number() -> None:
    view = view_of(state_of(sheet(green=[12, 10])), dice_of((1, 1)))
    assert co.skips(view.sheet_open[0], Word(code("green", 9))) == 0
    assert co.skips(view.sheet_open[0], Word(code("green", 5))) == 4
    assert co.skips(view.sheet_open[0], Word(code("green", 2))) == 7
    assert co.skips(view.sheet_open[0], Word(code("red", 12))) == 10


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_track_points_and_total(position: Position, seat: int) -> None:
    state, view = position.state, position.view
    seat %= len(state.sheets)
    marks = literal.count_marks(state, seat)
    points = literal.score_seat(state.rules, marks, 0)
    assert co.track_points(view, Word(view.sheet_marks[seat])) == points
    assert co.total(view, seat) == points - state.penalties[seat] * state.rules.penalty_points


def test_five_marks_and_a_close_are_28_points() -> None:
    state = state_of(sheet(blue=[11, 9, 8, 6, 3]))
    view = view_of(state, dice_of((1, 1)))
    assert co.total(view, 0) == 15
    co.mark(view, 0, Word(code("blue", 2)))
    assert co.marks_on(view.sheet_marks[0], 3) == 7
    assert co.total(view, 0) == 28
    assert score(state_of(sheet(blue=[11, 9, 8, 6, 3, 2])), 0) == 28


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_gain_and_takes_penalty(position: Position, seat: int) -> None:
    state, view = position.state, position.view
    seat %= len(state.sheets)
    decide(view, seat)
    seat = int(view.seat)
    before = score(state, seat)
    for mark in legal_marks(position, seat):
        after = copy.deepcopy(state)
        literal.enter_marks(after, [(seat, mark)])
        move = Word(code(mark.track, mark.number))
        assert co.gain(view, move) == score(after, seat) - before
        assert not co.takes_penalty(view, move)
    penalty = position.step == co.PAIR and not position.marked
    assert co.takes_penalty(view, co.PASS) == penalty
    assert co.gain(view, co.PASS) == -state.rules.penalty_points * penalty


@settings(deadline=None, max_examples=60)
@given(positions())
def test_pair_bits(position: Position) -> None:
    shown = {
        code(colour, plain + position.dice[colour])
        for colour in COLOURS
        for plain in position.dice["plain"]
        if position.dice[colour] is not None
    }
    assert int(co.pair_bits(position.view)) == sum(1 << move for move in shown)


@settings(deadline=None)
@given(positions(), st.integers(0, 4))
def test_after_mark(position: Position, seat: int) -> None:
    view = position.view
    decide(view, seat % len(position.state.sheets))
    seat = int(view.seat)
    before = told(view)
    sheet, marks = Word(view.sheet_open[seat]), Word(view.sheet_marks[seat])
    assert co.after_mark(view, sheet, marks, co.PASS) == (sheet, marks)
    for mark in legal_marks(position, seat):
        state = copy.deepcopy(position.state)
        literal.enter_marks(state, [(seat, mark)])
        after = view_of(state, position.dice)
        found = co.after_mark(view, sheet, marks, Word(code(mark.track, mark.number)))
        assert found == (after.sheet_open[seat], after.sheet_marks[seat])
    assert told(view) == before


@settings(deadline=None)
@given(positions(), st.integers(0, 4))
def test_is_legal_and_list_moves(position: Position, seat: int) -> None:
    view = position.view
    decide(view, seat % len(position.state.sheets))
    expected = [0, *codes(legal_marks(position, int(view.seat)))]
    assert len(expected) <= co.MAX_MOVES
    assert [move for move in range(256) if co.is_legal(view, Word(move))] == expected
    moves = np.full(co.MAX_MOVES, 99, np.uint64)
    count = co.list_moves(view, moves)
    assert moves[:count].tolist() == expected == co.moves_of(view)
    assert np.all(moves[count:] == 99)


@pytest.mark.parametrize("move", [64, 128, 255, 2**32, 2**63, 2**64 - 1])
def test_is_legal_refuses_what_is_no_bit(move: int) -> None:
    view = view_of(state_of(sheet()), dice_of((3, 4)))
    co.offer_sum(view, 0)
    view.legal = 2**64 - 1
    assert not co.is_legal(view, Word(move))


def test_eight_marks_are_the_most_that_can_be_offered() -> None:
    view = view_of(state_of(sheet()), dice_of((3, 4), 2, 3, 4, 5), co.PAIR)
    assert co.offer_pair(view)
    assert len(co.moves_of(view)) == co.MAX_MOVES


def test_random_move_is_uniform_over_passing_and_the_marks() -> None:
    view, rng = view_of(state_of(sheet()), dice_of((3, 4), 2, 3, 4, 5), co.PAIR), stream(7)
    co.offer_pair(view)
    draws = 18_000 if COMPILED else 1_800
    counts = Counter(int(co.random_move(view, rng)) for _ in range(draws))
    assert sorted(counts) == co.moves_of(view)
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


# --- Parts of the kernel ---------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(RULES, st.integers(1, 5))
def test_set_up(rules: CrossOffRules, seats: int) -> None:
    view = co.new_views(rules, seats)[0]
    clean = told(view, RULE_FIELDS)
    for name in ("turn", "closed", "ended", "live", "sheet_open", "sheet_marks", "penalties", "closes"):
        view[name] = 77  # left from the game before
    co.set_up(view)
    start = view_of(literal.start(literal_rules(rules), seats), dice_of((1, 1)))
    for name in ("turn", "closed", "ended"):
        assert view[name] == 0
    assert view.live == start.live
    for name in ("sheet_open", "sheet_marks", "penalties", "closes"):
        assert view[name][:seats].tolist() == start[name][:seats].tolist()
    assert told(view, RULE_FIELDS) == clean


@pytest.mark.parametrize("rules", [BASIC, CrossOffRules(tuple(range(-6, 7)), 3, 50, 8, 4, True)])
def test_new_views(rules: CrossOffRules) -> None:
    views = co.new_views(rules, 3)
    for view in views:
        assert view.seats == 3
        assert view.points[:13].tolist() == list(rules.mark_points)
        for name in ("marks_to_close", "penalty_points", "penalties_to_end", "tracks_to_end", "finish_turn"):
            assert view[name] == getattr(rules, name)
    assert views.ahead.tolist() == [0, 1]


def test_roll_is_uniform_and_its_dice_are_independent() -> None:
    view, dice = view_of(state_of(sheet()), dice_of((1, 1))), stream(11)
    rolls = np.zeros((36 * (300 if COMPILED else 60), 6), np.int64)
    for row in rolls:
        co.roll(view, dice)
        row[:2], row[2:] = view.plain, view.coloured
    assert rolls.min() == 1
    assert rolls.max() == 6
    for first, second in combinations(range(6), 2):
        counts = np.bincount(6 * (rolls[:, first] - 1) + rolls[:, second] - 1, minlength=36)
        assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("begin", [co.begin_turn, lambda view: co.roll(view, stream())], ids=["begin_turn", "roll"])
def test_begin_turn_and_roll_pass_the_dice_on(begin: Any) -> None:
    view = view_of(state_of(sheet(), sheet(), sheet(), turn=4), dice_of((1, 1)), co.PAIR, marked=True)
    for turn, roller in ((5, 1), (6, 2), (7, 0)):
        begin(view)
        assert (view.turn, view.roller, view.step, view.marked) == (turn, roller, co.SUM, 0)
        view.step, view.marked = co.PAIR, 1


def test_roll_leaves_out_dice_of_closed_tracks_and_changes_no_others() -> None:
    whole = view_of(state_of(sheet()), dice_of((1, 1)))
    co.roll(whole, stream(5))
    for closed in range(16):
        view = view_of(state_of(sheet()), dice_of((1, 1)))
        view.closed = closed
        co.roll(view, stream(5))
        assert view.plain.tolist() == whole.plain.tolist()
        assert view.coloured.tolist() == [0 if closed >> track & 1 else whole.coloured[track] for track in range(4)]


def test_leave_out_dice() -> None:
    view = view_of(state_of(sheet()), dice_of((1, 1), 3, 4, 5, 6))
    co.leave_out_dice(view)
    assert view.coloured.tolist() == [3, 4, 5, 6]
    view.closed = 0b1010
    co.leave_out_dice(view)
    assert view.coloured.tolist() == [3, 0, 5, 0]


@settings(deadline=None)
@given(positions(co.SUM))
def test_offer_sum(position: Position) -> None:
    state, view = position.state, position.view
    for seat in range(len(state.sheets)):
        marks = legal_marks(position, seat)
        assert co.offer_sum(view, seat) == bool(marks)
        assert int(view.legal) == 1 + sum(1 << move for move in codes(marks))
        assert (view.seat, view.marks) == (seat, view.sheet_marks[seat])
        assert view.open == view.sheet_open[seat] & view.live
    assert told(view) == told(position.view)


@settings(deadline=None)
@given(positions(co.PAIR))
def test_offer_pair(position: Position) -> None:
    state, view = position.state, position.view
    view.step = co.SUM
    marks = legal_marks(position, state.roller)
    assert co.offer_pair(view) == bool(marks)
    assert int(view.legal) == 1 + sum(1 << move for move in codes(marks))
    assert (view.seat, view.marks) == (state.roller, view.sheet_marks[state.roller])
    assert view.open == view.sheet_open[state.roller] & view.live
    assert told(view) == told(position.view)


def test_two_equal_plain_dice_offer_one_pair_on_a_track() -> None:
    view = view_of(state_of(sheet()), dice_of((4, 4), 2, 3, 4, 5), co.PAIR)
    co.offer_pair(view)
    assert co.moves_of(view) == [0, *(code(colour, 6 + track) for track, colour in enumerate(COLOURS))]


@settings(deadline=None)
@given(positions(), st.integers(0, 4), st.data())
def test_mark(position: Position, seat: int, data: st.DataObject) -> None:
    state, view = position.state, position.view
    decide(view, seat % len(state.sheets))
    seat = int(view.seat)
    marks = legal_marks(position, seat)
    if not marks:
        return
    before = told(view)
    mark = data.draw(st.sampled_from(marks))
    co.mark(view, seat, Word(code(mark.track, mark.number)))
    literal.enter_marks(state, [(seat, mark)])
    after = told(position.view)
    # A track that was closed stays open to the others until the step is over.
    assert told(view) == {**after, **{name: before[name] for name in ("closed", "live", "coloured")}}


@pytest.mark.parametrize("needed", range(11))
def test_mark_opens_the_last_number_with_as_many_marks_as_it_needs(needed: int) -> None:
    rules = literal.Rules(marks_to_close=needed)
    view = view_of(state_of(sheet(), rules=rules), dice_of((1, 1)))
    last = code("yellow", 12)
    for made in range(11):
        assert bool(int(view.sheet_open[0]) >> last & 1) == (made >= needed)
        assert co.last_place(view.sheet_open[0], 1) == made
        if made < 10:
            co.mark(view, 0, Word(code("yellow", made + 2)))


@settings(deadline=None, max_examples=60)
@given(positions(), st.sampled_from(COLOURS))
def test_close(position: Position, colour: str) -> None:
    state, view = position.state, position.view
    co.close(view, Word(code(colour, literal.NUMBERS[colour][-1])))
    state.closed.setdefault(colour, [])
    assert told(view) == told(position.view)


def test_closing_a_closed_track_again_changes_nothing() -> None:
    view = view_of(state_of(sheet()), dice_of((6, 6)))
    for _ in range(2):
        co.close(view, Word(code("yellow", 12)))
        assert view.closed == 0b10
        assert view.coloured.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("needed", [1, 2, 3, 4])
def test_enough_closed_and_one_more_ends(needed: int) -> None:
    view = view_of(state_of(sheet(), rules=literal.Rules(tracks_to_end=needed)), dice_of((1, 1)))
    for closed in range(16):
        view.closed = closed
        assert co.enough_closed(view) == (closed.bit_count() >= needed)
        assert co.one_more_ends(view) == (closed.bit_count() + 1 >= needed)


def packed(marks: Sequence[tuple[int, literal.Mark]]) -> Any:
    return Word(sum(code(mark.track, mark.number) << 8 * seat for seat, mark in marks))


@settings(deadline=None, max_examples=200 if COMPILED else 50)
@given(positions(co.SUM), st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_finish_sum(position: Position, picks: list[int]) -> None:
    state, view = position.state, position.view
    chosen = []
    for seat, pick in enumerate(picks[: len(state.sheets)]):
        marks = legal_marks(position, seat)
        closing = [mark for mark in marks if mark.number == literal.NUMBERS[mark.track][-1]]
        if pick and marks:
            chosen.append((seat, (closing or marks)[pick % len(closing or marks)]))
    co.finish_sum(view, packed(chosen))
    literal.enter_marks(state, chosen)
    ended = co.BY_TRACKS if literal.ends_by_tracks(state) and not state.rules.finish_turn else co.RUNNING
    marked = state.roller in [seat for seat, _ in chosen]
    assert told(view) == told(view_of(state, position.dice, co.SUM, marked, ended))


@settings(deadline=None, max_examples=200 if COMPILED else 50)
@given(positions(co.PAIR), st.integers(0, 8))
def test_finish_pair(position: Position, pick: int) -> None:
    state, view = position.state, position.view
    options = [None, *legal_marks(position, state.roller)]
    mark = options[pick % len(options)]
    co.finish_pair(view, Word(code(mark.track, mark.number)) if mark else co.PASS)
    if mark:
        literal.enter_marks(state, [(state.roller, mark)])
    elif not position.marked:
        state.penalties[state.roller] += 1
    ended = co.BY_PENALTIES if literal.ends_by_penalties(state) else co.RUNNING
    ended = co.BY_TRACKS if literal.ends_by_tracks(state) else ended
    assert told(view) == told(view_of(state, position.dice, co.PAIR, position.marked, ended))


FIVE = {"red": [2, 3, 4, 5, 6], "yellow": [2, 3, 4, 5, 6], "green": [12, 11, 10, 9, 8], "blue": [12, 11, 10, 9, 8]}


def choice_of(*marks: tuple[int, str, int]) -> Any:
    return packed([(seat, literal.Mark(track, number)) for seat, track, number in marks])


def test_seats_close_a_track_together_and_each_gets_the_bonus_mark() -> None:
    view = view_of(state_of(sheet(red=FIVE["red"]), sheet(red=[7, 8]), sheet(red=FIVE["red"])), dice_of((6, 6)))
    co.finish_sum(view, choice_of((0, "red", 12), (2, "red", 12)))
    assert [int(co.marks_on(marks, 0)) for marks in view.sheet_marks[:3]] == [7, 2, 7]
    assert view.closes[:3].tolist() == [1, 0, 1]
    assert (view.closed, view.ended, view.marked) == (1, co.RUNNING, 1)


def test_two_tracks_close_in_one_step_and_end_the_game() -> None:
    view = view_of(state_of(sheet(red=FIVE["red"]), sheet(yellow=FIVE["yellow"])), dice_of((6, 6)))
    co.finish_sum(view, choice_of((0, "red", 12), (1, "yellow", 12)))
    assert (view.closed, view.ended) == (0b11, co.BY_TRACKS)
    assert view.coloured.tolist() == [0, 0, 1, 1]


def test_a_third_track_may_close_in_the_step_that_ends_the_game() -> None:
    blue = [*FIVE["blue"], 2]
    state = state_of(sheet(red=FIVE["red"], blue=blue), sheet(yellow=FIVE["yellow"]), sheet(red=FIVE["red"]))
    view = view_of(state, dice_of((6, 6)))
    co.finish_sum(view, choice_of((0, "red", 12), (1, "yellow", 12), (2, "red", 12)))
    assert (view.closed, view.ended) == (0b1011, co.BY_TRACKS)
    assert view.closes[:3].tolist() == [0b1001, 0b10, 0b1]


def test_others_mark_the_sum_in_the_step_that_closes_a_track() -> None:
    view = view_of(state_of(sheet(green=FIVE["green"]), sheet()), dice_of((1, 1)))
    co.finish_sum(view, choice_of((0, "green", 2), (1, "red", 2)))
    assert (view.closed, int(view.sheet_marks[1])) == (0b100, 1)


def test_the_die_of_a_closed_track_is_gone_in_the_same_turn() -> None:
    state = state_of(sheet(red=[7]), sheet(red=FIVE["red"]))
    dice = dice_of((6, 6), red=3)
    view = view_of(state, dice)
    co.offer_pair(view)
    assert code("red", 9) in co.moves_of(view)
    view.step = co.SUM
    co.finish_sum(view, choice_of((1, "red", 12)))
    co.offer_pair(view)
    assert not [move for move in co.moves_of(view) if move and move // 16 == 0]
    literal.enter_marks(state, [(1, literal.Mark("red", 12))])
    assert co.moves_of(view) == [0, *codes(literal.legal_pair_marks(state, dice))]


def test_the_fifth_mark_by_the_sum_makes_the_last_number_legal_in_the_pair_step() -> None:
    view = view_of(state_of(sheet(yellow=[2, 3, 4, 5])), dice_of((1, 6), yellow=6))
    last = code("yellow", 12)
    co.offer_pair(view)
    assert last not in co.moves_of(view)
    view.step = co.SUM
    co.finish_sum(view, choice_of((0, "yellow", 7)))
    co.offer_pair(view)
    assert last in co.moves_of(view)
    co.finish_pair(view, Word(last))
    assert (co.total(view, 0), view.closed, view.ended) == (28, 0b10, co.RUNNING)


@pytest.mark.parametrize("most", [1, 4, 8])
def test_the_last_penalty_ends_the_game(most: int) -> None:
    view = view_of(state_of(sheet(), sheet(), rules=literal.Rules(penalties_to_end=most), turn=2), dice_of((1, 1)))
    view.step = co.PAIR
    for taken in range(1, most + 1):
        assert view.ended == co.RUNNING
        co.finish_pair(view, co.PASS)
        assert view.penalties[:2].tolist() == [0, taken]
    assert view.ended == co.BY_PENALTIES
    assert co.total(view, 1) == -5 * most


@pytest.mark.parametrize("needed", [1, 2, 3, 4])
@pytest.mark.parametrize("step", [co.SUM, co.PAIR])
def test_the_last_track_needed_ends_the_game(needed: int, step: int) -> None:
    sheets = sheet(**{colour: list(FIVE[colour]) for colour in COLOURS})
    state = state_of(sheets, rules=literal.Rules(tracks_to_end=needed))
    view = view_of(state, dice_of((6, 6), 6, 6))
    for track, colour in enumerate(COLOURS[:needed], 1):
        assert view.ended == co.RUNNING
        move = Word(code(colour, literal.NUMBERS[colour][-1]))
        if step == co.SUM:
            co.finish_sum(view, move)
        else:
            co.finish_pair(view, move)
        assert view.closed == 2**track - 1
    assert view.ended == co.BY_TRACKS


def test_finish_turn_gives_the_roller_the_pair_step_and_the_penalty() -> None:
    rules = literal.Rules(finish_turn=True, penalties_to_end=1)
    closed = sheet(red=[*FIVE["red"], 12], yellow=FIVE["yellow"])
    view = view_of(state_of(sheet(), closed, rules=rules), dice_of((6, 6), green=1))
    co.finish_sum(view, choice_of((1, "yellow", 12)))
    assert (view.closed, view.ended) == (0b11, co.RUNNING)
    assert co.offer_pair(view)
    assert co.moves_of(view) == [0, code("green", 7), code("blue", 7)]
    co.finish_pair(view, co.PASS)
    # The penalty would end the game too; what is told is the tracks.
    assert (view.penalties[0], view.ended) == (1, co.BY_TRACKS)


def test_without_marks_to_close_the_last_number_can_be_the_first() -> None:
    view = view_of(state_of(sheet(), rules=literal.Rules(marks_to_close=0)), dice_of((1, 1)))
    co.offer_sum(view, 0)
    assert co.moves_of(view) == [0, *(code(colour, 2) for colour in COLOURS)]
    co.finish_sum(view, choice_of((0, "blue", 2)))
    assert (co.total(view, 0), view.closed) == (3, 0b1000)


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_lead(position: Position, seat: int) -> None:
    state = position.state
    seats = len(state.sheets)
    seat %= seats
    others = [score(state, other) for other in range(seats) if other != seat]
    assert co.lead(position.view, seat) == score(state, seat) - max(others, default=0)


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_look_ahead_copies_the_position_and_not_the_rules(position: Position, seat: int) -> None:
    views = views_of(*position)
    view, ahead = views
    before = told(ahead, RULE_FIELDS)
    view.seat = seat % len(position.state.sheets)
    view.points[3] = 99
    co.look_ahead(view, ahead)
    names = [name for name in (*TABLE_FIELDS, "seat") if name not in RULE_FIELDS]
    assert told(ahead, names) == told(view, names)
    assert told(ahead, RULE_FIELDS) == before
    assert (view.ahead, ahead.ahead) == (0, 1)
    kept = told(view)
    co.finish_sum(ahead, Word(0))
    co.close(ahead, Word(co.LAST))
    co.roll(ahead, stream())
    assert told(view) == kept


class Room(NamedTuple):
    """What `play_out` needs beside a position."""

    seated: Table
    rng: Any
    noise: Any
    dice: Any
    scratch: Any

    def play_out(self, views: Any, move: int) -> float:
        seat, probe = self.seated._seats[0], self.seated._probe
        return float(co.play_out(views, seat, Word(move), self.rng, self.noise, self.scratch, self.dice, probe))


def room_for(player: Strategy) -> Room:
    rng, noise, dice = (stream(start) for start in (1, 2, 3))
    return Room(table([player]), rng, noise, dice, co.new_scratch(co.MAX_MOVES))


LOST = {"yellow": [11], "green": [3], "blue": [3]}  # tracks that nothing can be marked on any more
GAMES_AHEAD = 10_000 if COMPILED else 500


def test_play_out_is_worth_what_a_position_with_one_turn_to_go_is_worth() -> None:
    """Red 12 comes with two sixes, or a six and the red six: in 16 of 216 rolls; without it the game is over."""
    state = state_of(sheet(red=[2, 3, 4, 5], **LOST))
    state.penalties[0] = 3
    views, room = views_of(state, dice_of((5, 5), red=6), co.PAIR, marked=False), room_for(eager)
    kept = told(views[0])
    worth = Counter(room.play_out(views, code("red", 11)) for _ in range(GAMES_AHEAD))
    assert set(worth) == {15 + 3 - 20, 28 + 3 - 20}
    assert stats.binomtest(worth[11], GAMES_AHEAD, 16 / 216).pvalue > 1e-4
    assert [room.play_out(views, co.PASS) for _ in range(3)] == [10 + 3 - 20] * 3
    assert told(views[0]) == kept


def test_play_out_makes_the_move_of_the_sum_step_with_those_of_the_others() -> None:
    """Both seats close; the other one is better by its second track."""
    other = sheet(red=FIVE["red"], green=[12, 11, 10])
    state = state_of(sheet(red=FIVE["red"]), other, rules=literal.Rules(tracks_to_end=1), turn=2)
    views, room = views_of(state, dice_of((6, 6))), room_for(eager)
    views[0].seat = 0
    assert room.play_out(views, code("red", 12)) == 28 - (28 + 6)
    assert room.play_out(views, co.PASS) == 15 - (28 + 6)


def test_play_out_is_not_a_number_when_a_move_is_refused() -> None:
    views = views_of(state_of(sheet(), sheet(), turn=3), dice_of((3, 4)))
    assert np.isnan(room_for(wrong.with_values(where=2)).play_out(views, co.PASS))


def outcome_of(position: Position, seat: int) -> dict[str, int]:
    view = position.view
    view.ended = co.BY_PENALTIES
    row = np.full(len(CROSS_OFF.columns), 999, np.int16)
    co.write_outcome(view, seat, row)
    return dict(zip((column.name for column in CROSS_OFF.columns), row.tolist(), strict=True))


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_write_outcome(position: Position, seat: int) -> None:
    state = position.state
    seat %= len(state.sheets)
    marks, last = held(state, seat)
    closes = sum(seat in closers for closers in state.closed.values())
    outcome = outcome_of(position, seat)
    assert outcome == {
        "score": score(state, seat),
        "rank": 999,
        "win": 999,
        **marks,
        "closes": closes,
        "penalties": state.penalties[seat],
        "skipped": sum(last.values()) - (sum(marks.values()) - closes),
        "turns": state.turn,
        "end": co.END_REASONS.index("penalties"),
    }


def test_log_roll() -> None:
    view = view_of(state_of(sheet(), sheet(yellow=[*FIVE["yellow"], 12]), turn=3), dice_of((5, 2), 6, 1, 4, 3))
    log = np.zeros(1, co.LOG).view(np.recarray)[0]
    co.log_roll(view, log)
    assert log.turns == 3
    assert log.rolls[2].tolist() == [5, 2, 6, 0, 4, 3]
    assert not log.rolls[[0, 1, 3]].any()


def test_roll_again_shows_the_dice_that_were_logged() -> None:
    view = view_of(state_of(sheet(), sheet(), turn=0), dice_of((1, 1)))
    log = np.zeros(1, co.LOG).view(np.recarray)[0]
    seen = []
    for turn in range(3):
        co.roll(view, stream(turn))
        if turn == 1:
            co.close(view, Word(code("green", 2)))
        co.log_roll(view, log)
        seen.append(told(view, ["turn", "roller", "step", "marked", "plain", "coloured"]))
        view.step, view.marked = co.PAIR, 1
    again = view_of(state_of(sheet(), sheet(), turn=0), dice_of((6, 6)), co.PAIR, marked=True)
    for expected in seen:
        co.roll_again(again, log)
        assert told(again, list(expected)) == expected
        again.step, again.marked = co.PAIR, 1


# --- Describing ------------------------------------------------------------------------------------------------------


def test_mark_name() -> None:
    assert co.mark_name(code("red", 12)) == "red 12"
    assert co.mark_name(code("blue", 12)) == "blue 12"
    assert co.mark_name(code("green", 4)) == "green 4"


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (0, "pass"),
        (code("red", 7), "red 7 in the sum step"),
        (code("yellow", 7), "yellow 7 in the sum step: it was marked or passed over"),
        (code("green", 7), "green 7 in the sum step: the track is closed"),
        (code("blue", 6), "blue 6 in the sum step: the dice do not show it"),
        (code("red", 12), "red 12 in the sum step: the last number needs 5 marks on its track first"),
        (code("blue", 2), "blue 2 in the sum step: the dice do not show it"),
        (12, "move 12, which is no number of a track"),
        (16, "move 16, which is no number of a track"),
        (64, "move 64, which is no number of a track"),
        (-1, "move -1, which is no number of a track"),
        (2**64 - 1, "move 18446744073709551615, which is no number of a track"),
    ],
)
def test_describe_move(move: int, words: str) -> None:
    one = sheet(yellow=[7], blue=FIVE["blue"])
    view = view_of(state_of(one, sheet(green=[*FIVE["green"], 2])), dice_of((3, 4)))
    co.offer_sum(view, 0)
    assert co.describe_move(view, move) == words


REASONS = {"is closed": "the track is closed", "not to the right": "it was marked or passed over"}


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 4))
def test_every_move_has_words(position: Position, seat: int) -> None:
    state, view = position.state, position.view
    decide(view, seat % len(state.sheets))
    seat = int(view.seat)
    words = {move: co.describe_move(view, move) for move in range(-2, 141)}
    assert len(set(words.values())) == 143
    step = ["sum", "pair"][position.step]
    legal = codes(legal_marks(position, seat))
    assert words.pop(0) == "pass"
    for colour, number in product(COLOURS, range(2, 13)):
        move = code(colour, number)
        said = words.pop(move)
        start = f"{colour} {number} in the {step} step"
        refused = literal.refusal(state, seat, colour, number)
        if move in legal:
            assert said == start
        elif refused is None:
            assert said == f"{start}: the dice do not show it"
        elif " needs " in refused:
            needed = state.rules.marks_to_close
            assert said == f"{start}: the last number needs {needed} marks on its track first"
        else:
            (reason,) = (why for sign, why in REASONS.items() if sign in refused)
            assert said == f"{start}: {reason}"
    assert all(said == f"move {move}, which is no number of a track" for move, said in words.items())


def test_sheet_rows() -> None:
    marked = [{1, 3}, set(), {1, 2, 3, 4, 5, 11}, {10}]
    assert co.sheet_rows(marked, 0b0110, [2, 0, 7, 1]) == [
        "red     X  -  X  5  6  7  8  9 10 11 12   2 marks",
        "yellow  2  3  4  5  6  7  8  9 10 11 12   0 marks  closed",
        "green   X  X  X  X  X  -  -  -  -  -  X   7 marks  closed",
        "blue    -  -  -  -  -  -  -  -  -  X  2   1 mark",
    ]


def test_picture() -> None:
    state = state_of(
        sheet(red=[2, 4], green=[*FIVE["green"], 2]), sheet(blue=[3], green=[12]), rules=literal.Rules(), turn=4
    )
    state.penalties[1] = 2
    view = view_of(state, dice_of((3, 5), 6, 1, 2, 4), co.PAIR)
    co.offer_pair(view)
    assert co.picture(view).split("\n") == [
        "seat 0: 31 points, penalties 0",
        "  red     .  .  X  5  6  7  8  9 10 11 12   2 marks",
        "  yellow  2  3  4  5  6  7  8  9 10 11 12   0 marks",
        "  green   .  .  .  .  .  .  .  .  .  .  X   7 marks, closed",
        "  blue   12 11 10  9  8  7  6  5  4  3  2   0 marks",
        "seat 1 (to decide): -8 points, penalties 2",
        "  red     2  3  4  5  6  7  8  9 10 11 12   0 marks",
        "  yellow  2  3  4  5  6  7  8  9 10 11 12   0 marks",
        "  green   X 11 10  9  8  7  6  5  4  3  2   1 mark, closed",
        "  blue    .  .  .  .  .  .  .  .  .  X  2   1 mark",
        "turn 4, roller seat 1: plain 3 and 5, red 6, yellow 1, blue 4; pair step",
    ]


# The rules treat red and yellow alike, green and blue, and the two kinds when all dice are turned over.
SYMMETRIES = [
    (order, flipped)
    for flipped, pairs in ((False, ("ry", "gb")), (True, ("gb", "ry")))
    for order in (
        tuple("rygb".index(name) for name in first + second)
        for first in (pairs[0], pairs[0][::-1])
        for second in (pairs[1], pairs[1][::-1])
    )
]


def exchanged(position: Position, order: Sequence[int], flipped: bool) -> Position:
    """The same position with other colours: track t is what track order[t] was."""
    names = {COLOURS[old]: COLOURS[new] for new, old in enumerate(order)}
    state = copy.deepcopy(position.state)
    state.sheets = [
        {names[old]: [14 - number if flipped else number for number in own] for old, own in one.items()}
        for one in state.sheets
    ]
    state.closed = {names[old]: closers for old, closers in state.closed.items()}
    turned = {face: 7 - face if flipped else face for face in range(1, 7)}
    coloured = {names[old]: position.dice[old] and turned[position.dice[old]] for old in COLOURS}
    dice = {"plain": [turned[face] for face in position.dice["plain"]], **coloured}
    return Position(state, dice, position.step, position.marked)


@settings(deadline=None, max_examples=50 if COMPILED else 20)
@given(positions(), st.integers(0, 4), st.integers(0, 2**32))
def test_relabel_exchanges_what_the_rules_treat_alike(position: Position, seat: int, start: int) -> None:
    seats = len(position.state.sheets)
    alike = []
    for order, flipped in SYMMETRIES:
        other = exchanged(position, order, flipped)
        view = other.view
        decide(view, seat % seats)
        # Also after the exchange the literal engine agrees on what is legal.
        assert co.moves_of(view) == [0, *codes(legal_marks(other, int(view.seat)))]
        names = {
            code(COLOURS[old], n): code(COLOURS[new], 14 - n if flipped else n)
            for new, old in enumerate(order)
            for n in range(2, 13)
        }
        alike.append((told(view, SEEN), names))
    before, after = position.view, position.view
    decide(before, seat % seats)
    decide(after, seat % seats)
    renamed = co.relabel(after, np.random.default_rng(start))
    moves = {move: renamed(move) for move in range(-1, 70)}
    assert any(told(after, SEEN) == seen and names.items() <= moves.items() for seen, names in alike)
    assert {move: name for move, name in moves.items() if not 0 < move < 64} == {n: n for n in (-1, 0, *range(64, 70))}
    assert [co.total(before, one) for one in range(seats)] == [co.total(after, one) for one in range(seats)]
    assert sorted(moves[move] for move in co.moves_of(before)) == co.moves_of(after)
    for move in co.moves_of(before):
        assert co.gain(before, Word(move)) == co.gain(after, Word(moves[move]))
        assert co.skips(before.open, Word(move)) == co.skips(after.open, Word(moves[move]))


def test_relabel_makes_each_of_the_eight_exchanges_as_often() -> None:
    # A position without any symmetry of its own.
    position = Position(
        state_of(sheet(red=[2], yellow=[3], green=[9], blue=[7])), dice_of((1, 3), 1, 2, 3, 4), 0, False
    )
    expected = [told(exchanged(position, *one).view) for one in SYMMETRIES]
    counts = [0] * len(SYMMETRIES)
    for start in range(400):
        view = position.view
        decide(view, 0)
        co.relabel(view, np.random.default_rng(start))
        counts[expected.index(told(view))] += 1
    assert stats.chisquare(counts).pvalue > 1e-4


# --- Whole games, told and read again --------------------------------------------------------------------------------


def trace_of(seated: Table, seed: int, deal: int, outcomes: Any, log: Any) -> dict[str, Any]:
    """A trace as whoever reads it from a file gets it."""
    rules, seats = seated.rules, len(seated.players)
    trace = {
        "game": CROSS_OFF.name,
        "rules_version": CROSS_OFF.rules_version,
        "variant": rules.to_dict(),
        "seed": seed,
        "deal": deal,
        "rotation": 0,
        "seats": [seat.spec for seat in seated.players],
        "events": CROSS_OFF.events(rules, log, seats),
        "outcome": CROSS_OFF.results(rules, log, outcomes),
    }
    read: dict[str, Any] = json.loads(json.dumps(trace))
    return read


class Played(NamedTuple):
    """One game, as the kernel and as a trace tell it."""

    trace: dict[str, Any]
    outcomes: Any
    log: Any


def played(lineup: Sequence[Strategy], rules: CrossOffRules, seed: int, first: int, deals: int) -> list[Played]:
    seated = table(lineup, rules)
    outcomes, logs = seated.log(seed, first, deals)
    return [
        Played(trace_of(seated, seed, first + game, outcomes[game], logs[game]), outcomes[game], logs[game])
        for game in range(deals)
    ]


class Step(NamedTuple):
    """A step of a game before anything is entered; the last one, without dice, is the end."""

    state: literal.State
    dice: dict[str, Any]
    kind: int | None
    marks: list[tuple[int, literal.Mark]]


def steps_of(trace: dict[str, Any]) -> Iterator[Step]:
    """Go through a trace by means of the literal engine; the state is the same object all along."""
    rules = literal.rules_of(trace["variant"])
    state = literal.start(rules, len(trace["seats"]))
    for roll_event in (event for event in trace["events"] if event["type"] == "roll"):
        state.turn = roll_event["turn"]
        events = [event for event in trace["events"] if event.get("turn") == state.turn]
        for kind, name in enumerate(("sum", "pair")):
            if kind == co.PAIR and literal.ends_by_tracks(state) and not rules.finish_turn:
                break
            marks = [
                (event["seat"], literal.Mark(event["track"], event["number"], event.get("plain")))
                for event in events
                if event.get("step") == name
            ]
            yield Step(state, roll_event, kind, marks)
            literal.enter_marks(state, marks)
        for event in events:
            if event["type"] == "penalty":
                state.penalties[event["seat"]] += 1
    yield Step(state, {}, None, [])


@pytest.fixture(scope="module")
def games() -> list[Played]:
    """A few games of many kinds."""
    source = random.Random(5)
    some = []
    for _ in range(24 if COMPILED else 8):
        rules = random_rules(source)
        some += played(line_up(source, rules), rules, source.randrange(2**64), source.randrange(2**40), 2)
    return some


def test_events_tell_the_choices_in_the_log(games: list[Played]) -> None:
    for game in games:
        steps = [step for step in steps_of(game.trace) if step.kind is not None]
        sums = np.zeros_like(game.log.sums)
        pairs = np.zeros_like(game.log.pairs)
        turn = 0
        for event in game.trace["events"]:
            turn += event["type"] == "roll"
            if event["type"] == "roll":
                dice = [*event["plain"], *(event[colour] or 0 for colour in COLOURS)]
                assert game.log.rolls[turn - 1].tolist() == dice
            elif event["type"] == "mark" and event["step"] == "sum":
                sums[turn - 1, event["seat"]] = code(event["track"], event["number"])
            elif event["type"] == "mark":
                pairs[turn - 1] = code(event["track"], event["number"])
        assert game.log.sums.tolist() == sums.tolist()
        assert game.log.pairs.tolist() == pairs.tolist()
        assert game.log.turns == turn == sum(step.kind == co.SUM for step in steps)


def extra_columns(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """What the outcome tells beside score, rank, win, marks and penalties, counted from the events."""
    events = trace["events"]
    counted = []
    for seat in range(len(trace["seats"])):
        marked = [event for event in events if event["type"] == "mark" and event["seat"] == seat]
        skipped = 0
        for colour in COLOURS:
            places = [literal.NUMBERS[colour].index(event["number"]) for event in marked if event["track"] == colour]
            skipped += len(set(range(max(places, default=0))) - set(places))
        counted.append(
            {
                "closes": sum(event["type"] == "close" and seat in event["seats"] for event in events),
                "penalties": sum(event["type"] == "penalty" and event["seat"] == seat for event in events),
                "skipped": skipped,
                "turns": sum(event["type"] == "roll" for event in events),
                "end": events[-1]["reason"],
            }
        )
    return counted


def check(game: Played) -> None:
    """Hold a game against the literal engine."""
    trace, rules = game.trace, CrossOffRules(**game.trace["variant"])
    literal.referee(trace)
    for seat, (counted, result) in enumerate(zip(extra_columns(trace), trace["outcome"], strict=True)):
        assert {name: result[name] for name in counted} == counted
        values = {**result, **result["marks"], "end": co.END_REASONS.index(result["end"])}
        values["win"] = round(values["win"] * WIN_UNIT)
        assert [values[column.name] for column in CROSS_OFF.columns] == game.outcomes[seat].tolist()
    low, high = co.score_range(rules)
    assert low <= game.outcomes[:, 0].min()
    assert game.outcomes[:, 0].max() <= high


def test_results_are_the_outcome_row_by_row(games: list[Played]) -> None:
    for game in games:
        check(game)
        assert [result["seat"] for result in game.trace["outcome"]] == list(range(len(game.trace["seats"])))


def test_standings(games: list[Played]) -> None:
    for game in games:
        rules, seats = CrossOffRules(**game.trace["variant"]), len(game.trace["seats"])
        expected = [
            [score(state, seat) for seat in range(seats)]
            for state, _, kind, _ in steps_of(game.trace)
            if kind is None or (kind == co.SUM and state.turn > 1)
        ]
        standings = co.standings(rules, game.log, seats)
        assert standings.tolist() == expected
        assert standings[-1].tolist() == game.outcomes[:, 0].tolist()
        assert len(standings) == game.outcomes[0, co.TURNS]


def test_choices(games: list[Played]) -> None:
    most = 0
    for game in games:
        rules, seats = CrossOffRules(**game.trace["variant"]), len(game.trace["seats"])
        expected = []
        for step in steps_of(game.trace):
            if step.kind is not None:
                position = Position(step.state, step.dice, step.kind, False)
                asked = range(seats) if step.kind == co.SUM else [step.state.roller]
                legal = {seat: len(legal_marks(position, seat)) for seat in asked}
                expected.append([1 + legal[seat] if legal.get(seat) else 0 for seat in range(seats)])
        counts = co.choices(rules, game.log, seats)
        assert counts.tolist() == expected
        assert set(np.unique(counts)) <= {0, *range(2, co.MAX_MOVES + 1)}
        assert np.count_nonzero(counts, axis=0).max() <= co.longest(rules)
        most = max(most, counts.max())
    assert most >= 7


def test_narrate_tells_every_event(games: list[Played]) -> None:
    for game in games:
        trace = game.trace
        rules = CrossOffRules(**trace["variant"])
        lines = co.narrate(rules, trace)
        events = trace["events"]
        end = lines.index("")
        assert end == len(events)  # one line each
        marks: Counter[tuple[int, str]] = Counter()
        dice: dict[str, Any] = {}
        for event, line in zip(events, lines[:end], strict=True):
            match event["type"]:
                case "roll":
                    dice = event
                    first, second = event["plain"]
                    coloured = [f"{colour} {event[colour]}" for colour in COLOURS if event[colour] is not None]
                    shown = "; ".join([f"{first} and {second}", *([", ".join(coloured)] if coloured else [])])
                    assert line == f"turn {event['turn']}: seat {event['roller']} rolls {shown}"
                case "mark":
                    name = f"  seat {event['seat']}: {event['track']} {event['number']}"
                    die = dice[event["track"]] if event["step"] == "pair" else 0
                    assert line == name + (f" ({event['plain']} + {die})" if die else "")
                    marks[event["seat"], event["track"]] += 1
                case "close":
                    seats = " and ".join(map(str, event["seats"]))
                    assert line == f"  {event['track']} is closed by seat {seats}"
                    marks.update((seat, event["track"]) for seat in event["seats"])
                case "penalty":
                    assert line == f"  seat {event['seat']} takes a penalty"
                case "end":
                    how = {"tracks": "by closed tracks", "penalties": "by penalties"}[event["reason"]]
                    assert line == f"the game ends {how}"
        blocks = "\n".join(lines[end + 1 :]).split("\n\n")
        for seat, (block, result) in enumerate(zip(blocks, trace["outcome"], strict=True)):
            head, *rows = block.split("\n")
            assert head == (
                f"seat {seat}, {trace['seats'][seat]}: {result['score']} points, rank {result['rank']}, "
                f"penalties {result['penalties']}"
            )
            for row, colour in zip(rows, COLOURS, strict=True):
                words = row.split()
                count = marks[seat, colour]
                assert words[0] == colour
                assert (words.count("X"), words[12:14]) == (
                    count - any(seat in e["seats"] for e in events if e["type"] == "close" and e["track"] == colour),
                    [str(count), "mark" if count == 1 else "marks"],
                )
                assert row.endswith("closed") == any(e["type"] == "close" and e["track"] == colour for e in events)
            assert sum(row.split()[1:12].count("-") for row in rows) == result["skipped"]


def test_goldens() -> None:
    """A change of these texts is a change of play: raise rules_version, or find the mistake."""
    told = []
    for lineup, variant, deal in (([UNIFORM], "basic", 123), ([UNIFORM, careful, careful], "finish-turn", 352)):
        rules = CROSS_OFF.variant(variant)
        (game,) = played(lineup, rules, 7, deal, 1)
        told.append(narrate(CROSS_OFF, rules, game.trace))
    assert "\n\n\n".join(told) + "\n" == GOLDEN.read_text(encoding="utf-8")


# --- Against the literal engine --------------------------------------------------------------------------------------


def random_rules(source: random.Random) -> CrossOffRules:
    """Rules at random; half of the time some options stay as they are, so that games are not all strange."""
    options: dict[str, Any] = {
        "mark_points": tuple(source.randint(-200, 200) for _ in range(13)),
        "marks_to_close": source.randint(0, 10),
        "penalty_points": source.randint(0, 50),
        "penalties_to_end": source.randint(1, 8),
        "tracks_to_end": source.randint(1, 4),
        "finish_turn": source.random() < 0.5,
    }
    kept = source.sample(sorted(options), source.choice([0, 0, 0, 2, 3]))
    return CrossOffRules(**{name: value for name, value in options.items() if name not in kept})


def line_up(source: random.Random, rules: CrossOffRules, known: Sequence[Strategy] = QUICK) -> list[Strategy]:
    """One to five players, each bare or wrapped."""
    seats = source.randint(1, co.MAX_SEATS)
    # Without the JIT, games that are played ahead have to be short and few.
    may_think = COMPILED or (seats <= 2 and rules.penalties_to_end == 1)

    def one() -> Strategy:
        base = source.choice([*known, eager])
        never, rate = source.choice(NEVER), source.choice([0.1, 0.5, 1])
        quick = source.choice([*QUICK, eager])
        thinks = may_think and source.random() < 0.15
        match source.randrange(5):
            case 0 | 1:
                return rollout(quick, 2) if thinks else base
            case 2:
                return noisy(rollout(noisy(quick, 0.5), 1), 0.5) if thinks else noisy(base, rate)
            case 3:
                return restrict(rollout(quick, 1), never) if thinks else restrict(base, never)
            case _:
                return rollout(restrict(quick, never), 1) if thinks else noisy(restrict(base, never), 0.3)

    return [one() for _ in range(seats)]


def check_games(source: random.Random, rules: CrossOffRules, deals: int, known: Sequence[Strategy] = QUICK) -> None:
    seed = source.choice([0, 1, 2**63, source.randrange(2**64)])
    first = source.choice([0, source.randrange(2**40)])
    for game in played(line_up(source, rules, known), rules, seed, first, deals):
        check(game)


def test_games_of_random_rules_are_those_of_the_rulebook() -> None:
    source = random.Random(2012)
    for _ in range(120 if COMPILED else 25):
        check_games(source, random_rules(source), 3 if COMPILED else 1)


@pytest.mark.parametrize("variant", CROSS_OFF.variants)
def test_games_of_every_variant_are_those_of_the_rulebook(variant: str) -> None:
    source = random.Random(variant)
    for _ in range(20 if COMPILED else 5):
        check_games(source, CROSS_OFF.variant(variant), 3 if COMPILED else 1)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_games_are_those_of_the_rulebook(part: int) -> None:
    source = random.Random(f"many {part}")
    for number in range(500 if COMPILED else 20):
        check_games(source, random_rules(source), 20 if COMPILED else 5, BUILT_IN if number % 5 == 0 else QUICK)


def tampered(change: Any) -> dict[str, Any]:
    """The trace of a game whose log was changed after the game."""
    seated = table([UNIFORM, eager])
    outcomes, logs = seated.log(7, 3)
    change(logs[0], outcomes[0])
    return trace_of(seated, 7, 3, outcomes[0], logs[0])


def lose_a_mark(log: Any, outcomes: Any) -> None:
    log.sums[np.nonzero(log.sums[:, 1])[0][0], 1] = 0


def mark_another_track(log: Any, outcomes: Any) -> None:
    log.sums[0, 1] ^= 16


def turn_a_die_over(log: Any, outcomes: Any) -> None:
    log.rolls[0, 0] = 7 - log.rolls[0, 0]


def give_a_point(log: Any, outcomes: Any) -> None:
    outcomes[0, 0] += 1


def test_the_referee_accepts_what_is_not_changed() -> None:
    assert literal.referee(tampered(lambda log, outcomes: None))


@pytest.mark.parametrize("change", [lose_a_mark, mark_another_track, turn_a_die_over, give_a_point])
def test_the_referee_would_notice(change: Any) -> None:
    trace = tampered(change)
    with pytest.raises(literal.IllegalGameError):
        literal.referee(trace)


# --- Chance, seats and compiled code ---------------------------------------------------------------------------------

LINEUPS = [
    [UNIFORM],
    [eager, noisy(UNIFORM, 0.5), UNIFORM],
    [restrict(UNIFORM, far), careful, UNIFORM, noisy(restrict(UNIFORM, idle), 0.3), eager],
]
SHORT_LINEUPS = [[rollout(UNIFORM, 2)], [noisy(rollout(noisy(eager, 0.5), 1), 0.3), restrict(rollout(UNIFORM, 1), far)]]
SHORT = CrossOffRules(marks_to_close=0, penalties_to_end=1, tracks_to_end=1)
OTHER = CrossOffRules(tuple(range(12, -14, -2)), 3, 7, 2, 4, True)


def jobs() -> list[tuple[list[Strategy], CrossOffRules, int]]:
    """Line-ups, rules and numbers of deals that compiled code and plain Python are to agree on."""
    others = [QUICK[first : first + 3] for first in range(0, len(QUICK), 3)]
    source = random.Random(3)
    return [
        *((lineup, rules, 6) for lineup in LINEUPS for rules in (BASIC, FINISH_TURN, OTHER)),
        *((lineup, BASIC, 2) for lineup in others),
        *((lineup, SHORT.replace(finish_turn=finishes), 3) for lineup in SHORT_LINEUPS for finishes in (False, True)),
        *(([source.choice(QUICK), eager], random_rules(source), 2) for _ in range(10)),
    ]


def play_jobs() -> list[Any]:
    return [play(lineup, deals, rules, 2**64 - 1, 2**40).tolist() for lineup, rules, deals in jobs()]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled; the compiled run compares the two")
def test_compiled_and_plain_python_play_the_same_games() -> None:
    code = (
        "import json; from tests.sims import test_cross_off as one; print(json.dumps([one.COMPILED, one.play_jobs()]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled, outcomes = json.loads(ran.stdout)
    assert not compiled
    for job, here, there in zip(jobs(), play_jobs(), outcomes, strict=True):
        assert here == there, job


@pytest.mark.skipif(COMPILED, reason="compiled code cannot write down what it sees")
@pytest.mark.parametrize("rules", [BASIC, OTHER, SHORT])
def test_players_see_the_table_as_it_is(rules: CrossOffRules) -> None:
    seen: list[dict[str, Any]] = []

    def watching(view: Any, rng: Any, params: Any) -> Any:
        seen.append(told(view, SEEN))
        return co.random_move(view, rng)

    watcher = strategy(CROSS_OFF.name)(watching)
    for deal in range(4):
        seen.clear()
        (game,) = played([watcher] * 3, rules, 6, deal, 1)
        expected = []
        marked = False
        for state, dice, kind, marks in steps_of(game.trace):
            if kind is None:
                break
            position = Position(state, dice, kind, kind == co.PAIR and marked)
            marked = state.roller in [seat for seat, _ in marks]
            for seat in range(3) if kind == co.SUM else [state.roller]:
                view = position.view
                decide(view, seat)
                if legal_marks(position, seat):
                    expected.append(told(view, SEEN))
        assert seen == expected


def test_seats_choose_the_sum_step_from_the_same_state() -> None:
    deals = 30 if COMPILED else 6
    _, logs = table([eager, envious, envious]).log(4, 0, deals)
    assert np.all(logs.sums[:, 0, :3] > 0)  # the first number marks itself on two tracks at least, whatever is rolled
    assert not np.any(logs.sums[:, 1:, 1:3])


@pytest.mark.parametrize("lineup", LINEUPS)
def test_a_deal_does_not_depend_on_where_a_run_begins(lineup: list[Strategy]) -> None:
    whole = play(lineup, 12, seed=5, first=100)
    for place in (0, 1, 7, 11):
        assert play(lineup, 1, seed=5, first=100 + place).tolist() == whole[place : place + 1].tolist()


def test_log_tells_the_games_that_play_plays() -> None:
    for lineup in LINEUPS:
        outcomes, _ = table(lineup).log(5, 100, 6)
        assert outcomes.tolist() == play(lineup, 6, seed=5, first=100).tolist()


def same_dice(one: Any, other: Any) -> bool:
    """Whether two logs of a deal have the same dice, as far as both have them."""
    turns = min(one.turns, other.turns)
    first, second = one.rolls[:turns], other.rolls[:turns]
    return bool(np.all((first == second) | (first == 0) | (second == 0))) and bool(np.all(first[:, :2] > 0))


def test_a_deal_has_the_same_dice_whoever_plays_it() -> None:
    rules = CrossOffRules(tracks_to_end=4, penalties_to_end=4 if COMPILED else 1)  # thinking in long games is slow
    lineups = [*LINEUPS, [passing] * 2, [eager] * 4, [rollout(eager, 1), rollout(UNIFORM, 1)]]
    logs = [table(lineup, rules).log(9, 0, 20 if COMPILED else 5)[1] for lineup in lineups]
    for first, second in combinations(logs, 2):
        assert all(same_dice(one, other) for one, other in zip(first, second, strict=True))
    assert not same_dice(logs[0][0], logs[0][1])


def test_a_strategy_does_not_change_the_choices_of_others() -> None:
    """As long as no track is closed, what a seat may mark depends on nobody else."""
    _, one_logs = table([UNIFORM] * 3).log(9, 0, 10)
    _, other_logs = table([UNIFORM, noisy(eager, 0.5), UNIFORM]).log(9, 0, 10)
    compared = 0
    for one, other in zip(one_logs, other_logs, strict=True):
        turns = [
            turn for turn in range(min(one.turns, other.turns)) if one.rolls[turn].all() and other.rolls[turn].all()
        ]
        assert one.sums[turns][:, ::2].tolist() == other.sums[turns][:, ::2].tolist()
        whole = [turn for turn in turns[:-1] if turn % 3 != 1]  # the last turn may end in its sum step
        assert one.pairs[whole].tolist() == other.pairs[whole].tolist()
        compared += len(turns)
    assert compared > 100
    assert one_logs.sums.tolist() != other_logs.sums.tolist()


def test_another_stream_makes_other_choices_in_the_same_deals() -> None:
    players = [UNIFORM.player(), UNIFORM.player()]
    _, usual_logs = Table(CROSS_OFF, BASIC, players).log(9, 0, 10)
    _, other_logs = Table(CROSS_OFF, BASIC, [players[0], dataclasses.replace(players[1], stream=1)]).log(9, 0, 10)
    assert all(same_dice(one, other) for one, other in zip(usual_logs, other_logs, strict=True))
    assert usual_logs.sums[:, :4, 0].tolist() == other_logs.sums[:, :4, 0].tolist()
    assert usual_logs.sums[:, :4, 1].tolist() != other_logs.sums[:, :4, 1].tolist()


def test_seeds_and_deals_differ() -> None:
    runs = [(seed, first) for seed in (0, 1, 2**64 - 1) for first in (0, 10, 2**40)]
    scores = [play([UNIFORM] * 3, 10, seed=seed, first=first)[:, :, 0].tolist() for seed, first in runs]
    assert len({str(some) for some in scores}) == len(runs)


@pytest.mark.parametrize(
    "player", [UNIFORM, noisy(UNIFORM, 1), noisy(rollout(UNIFORM, 1), 1), rollout(UNIFORM, 1)], ids=lambda one: one.spec
)
def test_seats_choose_independently(player: Strategy) -> None:
    _, logs = table([player] * 3, SHORT).log(3, 0, 60 if COMPILED else 8)
    first, second, third = (logs.sums[:, 0, seat].tolist() for seat in range(3))
    assert first != second != third != first


def test_errors_come_from_a_stream_of_their_own() -> None:
    seated = table([noisy(UNIFORM, 1)] * 2)
    seated.log(3, 8)
    fresh = new_streams(1)[0]
    for seat in range(2):
        start_stream(fresh, Word(deal_key(Word(3), Word(8))), Word(chance.STRATEGY), Word(seat))
        assert seated._streams[seat, 0] == fresh  # a player that always errs is never asked


def test_noise_that_never_comes_changes_nothing() -> None:
    assert play([noisy(UNIFORM, 1e-300)], 10).tolist() == play([UNIFORM], 10).tolist()


def test_noise_of_rate_one_is_a_uniform_player() -> None:
    deals = 20_000 if COMPILED else 300
    noise, uniform = (play([player], deals)[:, 0, 0].astype(float) for player in (noisy(eager, 1), UNIFORM))
    error = np.sqrt((noise.var() + uniform.var()) / deals)
    assert abs(noise.mean() - uniform.mean()) < 4 * error


def test_restricted_players_make_no_move_that_they_could_avoid() -> None:
    lineup = [restrict(UNIFORM, far), restrict(eager, idle), restrict(UNIFORM, idle)]
    passes = 0
    for game in played(lineup, BASIC, 4, 0, 20 if COMPILED else 5):
        for step in steps_of(game.trace):
            if step.kind is None:
                break
            chosen = dict(step.marks)
            position = Position(step.state, step.dice, step.kind, False)
            for seat in range(3) if step.kind == co.SUM else [step.state.roller]:
                if seat == 0 and seat in chosen:
                    track, number, _ = chosen[seat]
                    _, last = held(step.state, seat)
                    assert literal.NUMBERS[track].index(number) - last[track] <= 1
                elif seat:
                    assert (seat in chosen) == bool(legal_marks(position, seat))
                passes += seat == 0 and seat not in chosen
    assert passes > 0


# Rules, deals, games ahead, points that thinking has to be worth.
RACE = (BASIC, 200, 4, 10) if COMPILED else (BASIC.replace(penalties_to_end=1), 20, 1, 1)


def test_rollouts_beat_the_player_that_they_are_made_of() -> None:
    rules, deals, ahead, margin = RACE
    thinking, plain = (play([one], deals, rules)[:, 0, 0].mean() for one in (rollout(UNIFORM, ahead), UNIFORM))
    assert thinking > plain + margin


def test_rollouts_beat_the_player_that_they_are_made_of_at_two_seats() -> None:
    rules, deals, ahead, _ = RACE
    shares = [
        play([rollout(UNIFORM, ahead), UNIFORM][:: 1 - 2 * turned], deals, rules)[:, turned, 2] / WIN_UNIT
        for turned in (0, 1)
    ]
    blocks = np.mean(shares, axis=0)
    assert blocks.mean() > 0.5 + 3 * blocks.std() / np.sqrt(deals)


@pytest.mark.parametrize(
    ("player", "said"),
    [
        (
            wrong,
            r"^wrong made an illegal move: red 12 in the sum step: the last number needs 5 .* \(deal 30, seat 1\)$",
        ),
        (wrong.with_values(where=1), r"^wrong:where=1 made an illegal move: red 12 in the pair step: .*, seat 1\)$"),
        (rollout(wrong.with_values(where=2), 1), r"^rollout\(.* made an illegal move: .*, seat 1, in a rollout\)$"),
        (unsure, r"^unsure returned a value that is not a number for pass \(deal 30, seat 1\)$"),
    ],
    ids=["sum", "pair", "ahead", "value"],
)
def test_a_move_that_is_refused_is_told(player: Strategy, said: str) -> None:
    seated = table([passing, player], CrossOffRules(penalties_to_end=8))
    with pytest.raises(StrategyError, match=said) as caught:
        seated.play(12, 30, seated.new_outcomes(5))
    lines = caught.value.position.split("\n")
    assert [line.split(":")[0] for line in lines if "to decide" in line] in (
        ["seat 0 (to decide)"],
        ["seat 1 (to decide)"],
    )
    assert lines[-1].startswith("turn ")


# --- Against exact and published values ------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [1, 2, 5])
@pytest.mark.parametrize("most", [1, 4, 8])
def test_who_always_passes_takes_penalties_to_the_end(seats: int, most: int) -> None:
    outcomes = play([passing] * seats, 3, CrossOffRules(penalties_to_end=most, penalty_points=7))
    last = [most] + [most - 1] * (seats - 1)
    for game in outcomes:
        assert game[:, co.PENALTIES].tolist() == last
        assert game[:, 0].tolist() == [-7 * taken for taken in last]
        assert game[:, 1].tolist() == [1] if seats == 1 else [seats] + [1] * (seats - 1)
        assert set(game[:, co.TURNS]) == {seats * (most - 1) + 1}
        assert set(game[:, co.END]) == {co.END_REASONS.index("penalties")}
        assert not game[:, [*range(co.RED, co.RED + 4), co.CLOSES, co.SKIPPED]].any()


def test_how_often_uniform_takes_a_penalty_in_its_first_turn() -> None:
    """It passes one of 1 + n moves; the n of the pair step add up over tracks whose dice are independent."""
    exact = 0.0
    state = literal.start(literal.Rules(), 1)
    for plain in product(literal.FACES, repeat=2):
        by_number = np.array([1.0])
        for colour in COLOURS:
            on_track = np.zeros(3)
            for face in literal.FACES:
                dice = {"plain": list(plain), **dict.fromkeys(COLOURS), colour: face}
                on_track[len(literal.legal_pair_marks(state, dice))] += 1 / 6
            by_number = np.convolve(by_number, on_track)
        sums = len(literal.legal_sum_marks(state, 0, {"plain": list(plain)}))
        exact += np.sum(by_number / (1 + np.arange(len(by_number)))) / (1 + sums) / 36
    deals = 100_000 if COMPILED else 1_000
    turns = play([UNIFORM], deals, BASIC.replace(penalties_to_end=1), seed=23)[:, 0, co.TURNS]
    assert stats.binomtest(int(np.sum(turns == 1)), deals, exact).pvalue > 1e-4


@pytest.mark.parametrize(("means", "turns"), [([-0.24], 11.16), ([4.19, 4.66], 16.42)], ids=["solo", "two seats"])
def test_means_of_uniform_are_the_published_ones(means: list[float], turns: float) -> None:
    deals = 200_000 if COMPILED else 400
    outcomes = play([UNIFORM] * len(means), deals, seed=20).astype(float)
    expected = [(outcomes[:, seat, 0], mean) for seat, mean in enumerate(means)] + [(outcomes[:, 0, co.TURNS], turns)]
    for values, mean in expected:
        assert abs(values.mean() - mean) < 5 * values.std() / np.sqrt(deals) + 0.005


@pytest.mark.parametrize("rules", [BASIC, CrossOffRules(tuple(range(-6, 7)), penalty_points=9, penalties_to_end=3)])
def test_score_range(rules: CrossOffRules) -> None:
    lost = rules.penalty_points * rules.penalties_to_end
    assert co.score_range(rules) == (4 * min(rules.mark_points) - lost, 4 * max(rules.mark_points))


def test_score_range_of_the_rulebook() -> None:
    assert co.score_range(BASIC) == (-20, 312)


def test_registration() -> None:
    assert find_game("cross-off") is CROSS_OFF
    assert CROSS_OFF.log is co.LOG
    assert chance.GAME <= co.ROLL
    assert [column.name for column in CROSS_OFF.columns][co.RED :] == [
        *COLOURS,
        "closes",
        "penalties",
        "skipped",
        "turns",
        "end",
    ]
    assert CROSS_OFF.columns[co.TURNS].name == CROSS_OFF.length
    assert CROSS_OFF.end_reasons[co.BY_TRACKS - 1 :] == ("tracks", "penalties")
    assert list(CROSS_OFF.variants) == ["basic", "finish-turn"]
