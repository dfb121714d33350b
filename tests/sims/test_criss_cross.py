import dataclasses
import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims import chance
from sims import criss_cross as cc
from sims.bits import ONE, Word, bit_count
from sims.chance import deal_key, fill_stream, new_streams, start_stream
from sims.criss_cross import CRISS_CROSS, CrissCrossRules
from sims.game import WIN_UNIT, find_game
from sims.jit import COMPILED
from sims.table import SEAT, Player, Table
from strategies import builtin_strategies, find_strategy
from tests.reference import criss_cross as literal
from tests.reference import criss_cross_exact as exact

ROOT = Path(__file__).resolve().parents[2]
BASIC, ADVANCED = CrissCrossRules(), CRISS_CROSS.variant("advanced")

# The rulebook's two example sheets, with the points that it gives them.
BASIC_SHEET = """
    X X t t c
    X / t t #
    # / = = #
    t / = t #
    X # = c #
"""
ADVANCED_SHEET = """
    c c / c X
    X = = X t
    X # = t t
    X X c c t
    X # / / /
"""

Sheet = list[list[int]]


def sheet_of(text: str) -> Sheet:
    return [[cc.SYMBOL_SIGNS.index(sign) for sign in line.split()] for line in text.split("\n") if line.strip()]


def view_of(sheet: Sheet, rules: CrissCrossRules = BASIC, first: int = 1, second: int = 2) -> Any:
    """A view with these symbols written into it, whatever is rolled."""
    view = cc.new_views(rules, 1)[0]
    empty = 0
    for row, column in product(range(rules.size), repeat=2):
        symbol = sheet[row][column]
        view.lines[row] += symbol * 7**column
        view.lines[cc.SIDE + column] += symbol * 7**row
        if row + column == rules.size - 1:
            view.lines[cc.DIAGONAL] += symbol * 7**row
        empty |= (symbol == 0) << (cc.SIDE * row + column)
    view.empty, view.first, view.second, view.round_number = empty, first, second, 1
    return view


def literal_rules(rules: CrissCrossRules) -> literal.Rules:
    return literal.Rules(rules.size, rules.run_points, rules.zero_line_points, rules.diagonal_weight, start=rules.start)


def player(spec: str, **more: Any) -> Player:
    return dataclasses.replace(find_strategy(CRISS_CROSS.name, spec).player(), **more)


def table(specs: Sequence[str], rules: CrissCrossRules = BASIC) -> Table:
    return Table(CRISS_CROSS, rules, [player(spec) for spec in specs])


def play(specs: Sequence[str], deals: int, rules: CrissCrossRules = BASIC, seed: int = 1, first: int = 0) -> Any:
    seated = table(specs, rules)
    outcomes = seated.new_outcomes(deals)
    seated.play(seed, first, outcomes)
    return outcomes


def cells_of(bits: Any) -> set[int]:
    return {cell for cell in range(64) if int(bits) >> cell & 1}


def cell(row: int, column: int) -> int:
    return cc.SIDE * row + column


def across(first: int, flipped: bool = False) -> int:
    """The move into a cell and the one to its right."""
    return 2 * first + flipped


def down(first: int, flipped: bool = False) -> int:
    """The move into a cell and the one below."""
    return 2 * (first + 32) + flipped


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


def random_rules(source: random.Random) -> CrissCrossRules:
    return CrissCrossRules(
        size=source.choice([3, 4, 5]),
        start=source.choice(cc.START_NAMES),
        run_points=tuple(source.choice([0, source.randint(-20, 20)]) for _ in range(5)),
        zero_line_points=source.choice([0, -5, source.randint(-20, 20)]),
        diagonal_weight=source.choice([0, 1, 2, 9]),
    )


RULES = st.builds(
    CrissCrossRules,
    size=st.sampled_from([3, 4, 5]),
    start=st.sampled_from(cc.START_NAMES),
    run_points=st.lists(st.integers(-20, 20), min_size=5, max_size=5).map(tuple),
    zero_line_points=st.integers(-20, 20),
    diagonal_weight=st.integers(0, 9),
)
SIGNS = st.lists(st.sampled_from([0, 0, 1, 1, 2, 3, 4, 5, 6]), min_size=25, max_size=25)
SYMBOLS = st.integers(1, 6)


def square(symbols: list[int], size: int) -> Sheet:
    return [symbols[size * row : size * row + size] for row in range(size)]


def legal_pairs(sheet: Sheet) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [
        (one, two)
        for one, two in exact.neighbour_pairs(len(sheet))
        if sheet[one[0]][one[1]] == 0 == sheet[two[0]][two[1]]
    ]


# --- Facts -----------------------------------------------------------------------------------------------------------


def test_forty_pairs_on_the_empty_sheet_and_38_once_the_corner_is_taken() -> None:
    grid = cc.new_views(BASIC, 1)[0].grid
    assert bit_count(cc.all_pairs(Word(grid))) == 40 == cc.MAX_PAIRS
    assert bit_count(cc.all_pairs(Word(grid) & ~cc.CORNER)) == 38


@pytest.mark.parametrize("size", [3, 4, 5])
def test_rounds(size: int) -> None:
    assert CrissCrossRules(size=size).rounds == {3: 4, 4: 7, 5: 12}[size]
    assert CRISS_CROSS.longest(CrissCrossRules(size=size)) == CrissCrossRules(size=size).rounds


def test_solo_ranks_are_those_of_the_rulebook() -> None:
    for score in range(0, 60):
        assert next(name for bound, name in CRISS_CROSS.bands if score >= bound) == literal.solo_rank(score)


def test_symbol_signs_are_as_many_as_names() -> None:
    assert len(cc.SYMBOL_SIGNS) == len(cc.SYMBOL_NAMES) == cc.SYMBOLS + 1


# --- Lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbols", "lengths"),
    [
        ((0, 0, 0, 0, 0), []),
        ((1, 1, 1, 1, 1), [5]),
        ((1, 1, 2, 2, 2), [2, 3]),
        ((1, 1, 0, 1, 1), [2, 2]),
        ((1, 2, 1, 2, 1), [1, 1, 1, 1, 1]),
        ((0, 3, 3, 3, 3), [4]),
        ((3, 0, 3, 0, 3), [1, 1, 1]),
    ],
)
def test_runs(symbols: tuple[int, ...], lengths: list[int]) -> None:
    assert cc.runs(symbols) == lengths


def test_line_symbols() -> None:
    assert cc.line_symbols(3 + 6 * 7 + 1 * 7**4) == (3, 6, 0, 0, 1)
    assert cc.line_symbols(3 + 6 * 7, size=3) == (3, 6, 0)


def test_class_table_holds_for_every_line() -> None:
    kinds = [tuple(sorted(cc.runs(cc.line_symbols(code)))) for code in range(cc.LINE_CODES)]
    assert [cc.RUNS_OF_CLASS[kind] for kind in cc.RUN_CLASS] == kinds


def test_class_counts_are_the_runs_of_two_to_five() -> None:
    for kind, counts in zip(cc.RUNS_OF_CLASS, cc.CLASS_COUNTS, strict=True):
        assert [int(counts) >> 16 * place & 0xFFFF for place in range(4)] == [kind.count(run) for run in (2, 3, 4, 5)]


@pytest.mark.parametrize(
    "rules", [BASIC, ADVANCED, CrissCrossRules(run_points=(20, 20, 20, 20, 20)), CrissCrossRules(run_points=(-20,) * 5)]
)
def test_class_points(rules: CrissCrossRules) -> None:
    expected = [literal.score_line(cc.line_symbols(code), literal_rules(rules)) for code in range(cc.LINE_CODES)]
    assert cc.class_points(rules)[cc.RUN_CLASS].tolist() == expected
    assert cc.new_views(rules, 1)[0].points.tolist() == expected


# --- Small rule functions --------------------------------------------------------------------------------------------


def test_horizontal_pairs() -> None:
    assert cells_of(cc.horizontal_pairs(Word(0b11111_00000_00111))) == {0, 1, 10, 11, 12, 13}
    assert cells_of(cc.horizontal_pairs(Word(0b00001_10000))) == set()  # the end of a row and the start of the next


def test_vertical_pairs() -> None:
    assert cells_of(cc.vertical_pairs(Word(0b00101_00100_00101))) == {2, 7}


def test_all_pairs() -> None:
    assert cells_of(cc.all_pairs(Word(0b00001_00011))) == {0, 32}


@settings(deadline=None)
@given(SIGNS, st.sampled_from([3, 4, 5]))
def test_all_pairs_agree_with_the_sheet(symbols: list[int], size: int) -> None:
    sheet = square(symbols, size)
    view = view_of(sheet, CrissCrossRules(size=size))
    expected = {cell(*one) + 32 * (one[0] != two[0]) for one, two in legal_pairs(sheet)}
    assert cells_of(cc.all_pairs(Word(view.empty))) == expected


@settings(deadline=None)
@given(SIGNS, st.sampled_from([3, 4, 5]))
def test_lonely_cells(symbols: list[int], size: int) -> None:
    sheet = square(symbols, size)
    view = view_of(sheet, CrissCrossRules(size=size))
    paired = {spot for pair in legal_pairs(sheet) for spot in pair}
    empty = {(row, column) for row, column in product(range(size), repeat=2) if not sheet[row][column]}
    assert cells_of(cc.lonely_cells(Word(view.empty))) == {cell(*spot) for spot in empty - paired}


def test_first_cell() -> None:
    assert [int(cc.first_cell(Word(move))) for move in (across(7), across(7, True), down(7), down(7, True))] == [7] * 4


def test_is_vertical() -> None:
    assert not cc.is_vertical(Word(across(7, True)))
    assert cc.is_vertical(Word(down(0)))


def test_second_cell() -> None:
    assert cc.second_cell(Word(across(7))) == 8
    assert cc.second_cell(Word(down(7, True))) == 12


def test_first_symbol() -> None:
    view = view_of(sheet_of(BASIC_SHEET), first=3, second=5)
    assert cc.first_symbol(view, Word(across(0))) == 3
    assert cc.first_symbol(view, Word(across(0, True))) == 5


def test_second_symbol() -> None:
    view = view_of(sheet_of(BASIC_SHEET), first=3, second=5)
    assert cc.second_symbol(view, Word(down(0))) == 5
    assert cc.second_symbol(view, Word(down(0, True))) == 3


def test_symbol_at() -> None:
    sheet = sheet_of(ADVANCED_SHEET)
    view = view_of(sheet)
    assert [[int(cc.symbol_at(view, cell(row, column))) for column in range(5)] for row in range(5)] == sheet


@settings(deadline=None)
@given(SIGNS, st.sampled_from([3, 4, 5]), SYMBOLS, SYMBOLS)
def test_is_legal_and_list_moves(symbols: list[int], size: int, first: int, second: int) -> None:
    sheet = square(symbols, size)
    view = view_of(sheet, CrissCrossRules(size=size), first, second)
    pairs = {down(cell(*one)) if one[0] != two[0] else across(cell(*one)) for one, two in legal_pairs(sheet)}
    expected = pairs | {move | 1 for move in pairs}
    assert {move for move in range(256) if cc.is_legal(view, Word(move))} == expected
    moves = np.zeros(2 * cc.MAX_PAIRS, np.uint64)
    count = cc.list_moves(view, moves)
    assert sorted(moves[:count].tolist()) == sorted(pairs if first == second else expected)
    assert cc.moves_of(view) == moves[:count].tolist()


@pytest.mark.parametrize("move", [128, 255, 2**32, 2**63, 2**64 - 1])
def test_is_legal_refuses_what_is_no_pair(move: int) -> None:
    view = view_of([[0] * 5 for _ in range(5)])
    assert not cc.is_legal(view, Word(move))


@settings(deadline=None)
@given(SIGNS, RULES, SYMBOLS, SYMBOLS, st.data())
def test_place_and_gain_agree_with_the_literal_sheet(
    symbols: list[int], rules: CrissCrossRules, first: int, second: int, data: st.DataObject
) -> None:
    sheet = square(symbols, rules.size)
    view = view_of(sheet, rules, first, second)
    moves = cc.moves_of(view)
    before = literal.score_sheet(sheet, literal_rules(rules)).total
    assert cc.total(view) == before
    if not moves:
        return
    move = data.draw(st.sampled_from(moves))
    p, q = (divmod(int(found(Word(move))), cc.SIDE) for found in (cc.first_cell, cc.second_cell))
    a, b = (second, first) if move & 1 else (first, second)
    gained = cc.gain(view, Word(move))
    assert cc.pair_gain(view, Word(cell(*p)), p[0] != q[0], Word(a), Word(b)) == gained
    cc.place(view, Word(move))
    sheet[p[0]][p[1]], sheet[q[0]][q[1]] = a, b
    written = view_of(sheet, rules, first, second)
    if not rules.diagonal_weight:
        written.lines[cc.DIAGONAL] = 0  # is not kept where it does not count
        view.lines[cc.DIAGONAL] = 0
    assert view.lines.tolist() == written.lines.tolist()
    assert view.empty == written.empty
    after = literal.score_sheet(sheet, literal_rules(rules)).total
    assert cc.total(view) == after
    assert gained == after - before


@settings(deadline=None)
@given(SIGNS, st.data())
def test_lonely(symbols: list[int], data: st.DataObject) -> None:
    view = view_of(square(symbols, 5))
    moves = cc.moves_of(view)
    if not moves:
        return
    move = data.draw(st.sampled_from(moves))
    before = bit_count(cc.lonely_cells(Word(view.empty)))
    expected = cc.lonely(view, Word(move))
    cc.place(view, Word(move))
    assert expected == int(bit_count(cc.lonely_cells(Word(view.empty)))) - int(before)


def test_total_of_the_rulebook_sheets() -> None:
    assert cc.total(view_of(sheet_of(BASIC_SHEET))) == 28
    assert cc.total(view_of(sheet_of(ADVANCED_SHEET), ADVANCED)) == 24


def test_random_move_is_uniform_over_pairs_and_orders() -> None:
    sheet = [[1] * 5 for _ in range(5)]
    for row, column in [(0, 1), (0, 2), (1, 2), (3, 3), (4, 3), (4, 4)]:
        sheet[row][column] = 0
    view, rng = view_of(sheet), stream(7)
    draws = 20_000 if COMPILED else 2_000
    drawn = [int(cc.random_move(view, rng)) for _ in range(draws)]
    counts = [drawn.count(move) for move in cc.moves_of(view)]
    assert len(counts) == 8
    assert sum(counts) == draws
    assert stats.chisquare(counts).pvalue > 1e-4


# --- Parts of the kernel ---------------------------------------------------------------------------------------------


def never_below_20(view: Any, move: Any, params: Any) -> Any:
    return move < 20


def never_anything(view: Any, move: Any, params: Any) -> Any:
    return True


def fails_at_20(view: Any, move: Any, params: Any) -> Any:
    if move == 20:
        raise ValueError("twenty")
    return False


@pytest.mark.parametrize(
    ("forbidder", "kept"), [(never_below_20, [20, 30]), (never_anything, [10, 20, 30]), (fails_at_20, None)]
)
def test_keep_allowed(forbidder: Any, kept: list[int] | None) -> None:
    seat = np.zeros(1, SEAT).view(np.recarray)[0]
    seat.forbidder = Player("test", "", valuer=never_anything, forbidder=forbidder).compile(CRISS_CROSS)[2]
    moves = np.array([10, 20, 30], np.uint64)
    count = cc.ASKING.keep_allowed(view_of([[0] * 5 for _ in range(5)]), seat, moves, 3)
    assert (moves[:count].tolist() if count >= 0 else None) == kept


def test_roll_is_uniform_over_the_36_pairs() -> None:
    view, dice = view_of(sheet_of(BASIC_SHEET)), stream(11)
    counts = np.zeros((7, 7), np.int64)
    for _ in range(36 * (300 if COMPILED else 60)):
        cc.roll(view, dice)
        counts[view.first, view.second] += 1
    assert counts[0].sum() == counts[:, 0].sum() == 0
    assert stats.chisquare(counts[1:, 1:].ravel()).pvalue > 1e-4


def test_note() -> None:
    seated = table(["uniform"])
    view, probe, rng = seated._views[1], seated._probe, stream(5)
    cc.ASKING.note(view, rng, probe)
    assert (probe.ahead, probe.move) == (1, cc.ILLEGAL)
    assert [probe.s0, probe.s1, probe.s2, probe.s3] == [rng.s0, rng.s1, rng.s2, rng.s3]


def test_look_ahead_copies_the_position_and_not_the_rules() -> None:
    views = cc.new_views(BASIC, 3)
    view, ahead = views
    copy = view_of(sheet_of(BASIC_SHEET), first=4, second=6)
    for name in ("lines", "empty", "first", "second"):
        view[name] = copy[name]
    view.seat, view.round_number, view.sheet_empty[2], view.sheet_lines[1, 10] = 2, 7, 99, 98
    cc.look_ahead(view, ahead)
    for name in ("lines", "empty", "first", "second", "seat", "round_number", "sheet_empty", "sheet_lines"):
        assert np.array_equal(ahead[name], view[name])
    assert (view.ahead, ahead.ahead) == (0, 1)
    ahead.lines[0] += 1
    assert view.lines[0] == copy.lines[0]


def test_load_sheet_and_store_sheet() -> None:
    view = cc.new_views(BASIC, 2)[0]
    filled = view_of(sheet_of(BASIC_SHEET))
    view.lines[:], view.empty = filled.lines, 5
    cc.store_sheet(view, 1)
    view.lines[:], view.empty = 0, 0
    cc.load_sheet(view, 0)
    assert (view.seat, int(view.lines.sum()), view.empty) == (0, 0, 0)
    cc.load_sheet(view, 1)
    assert (view.seat, view.empty) == (1, 5)
    assert view.lines.tolist() == filled.lines.tolist()


@pytest.mark.parametrize("start", cc.START_NAMES)
@pytest.mark.parametrize("size", [3, 4, 5])
def test_set_up(start: str, size: int) -> None:
    rules = CrissCrossRules(size=size, start=start)
    view, draws = cc.new_views(rules, 6)[0], new_streams(1)[0]
    for deal in range(30):
        cc.set_up(view, Word(deal_key(Word(3), Word(deal))), draws)
        symbols = [int(lines[0]) for lines in view.sheet_lines]
        for lines, empty, symbol in zip(view.sheet_lines, view.sheet_empty, symbols, strict=True):
            assert lines.tolist() == [symbol, 0, 0, 0, 0, symbol, 0, 0, 0, 0, 0]
            assert empty == int(view.grid) & ~(symbol > 0)
        if start == "assigned":
            assert sorted(symbols) == [1, 2, 3, 4, 5, 6]
        elif start == "rolled":
            assert set(symbols) <= {1, 2, 3, 4, 5, 6}
        else:
            assert symbols == [0] * 6


@pytest.mark.parametrize("start", ["assigned", "rolled"])
def test_start_symbols_are_uniform(start: str) -> None:
    _, logs = table(["uniform"] * 3, CrissCrossRules(size=3, start=start)).log(5, 0, 6000 if COMPILED else 400)
    first, second, third = logs.start[:, :3].T
    for symbols in (first, second, third):
        assert stats.chisquare(np.bincount(symbols, minlength=7)[1:]).pvalue > 1e-4
    pairs = np.array([[np.sum((first == a) & (second == b)) for b in range(1, 7)] for a in range(1, 7)])
    if start == "assigned":
        assert np.all(np.diag(pairs) == 0)
        pairs = pairs[~np.eye(6, dtype=bool)]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-4


def outcome_of(sheet: Sheet, rules: CrissCrossRules) -> dict[str, int]:
    row = np.zeros(len(CRISS_CROSS.columns), np.int16)
    cc.write_outcome(view_of(sheet, rules), row, 12)
    return dict(zip((column.name for column in CRISS_CROSS.columns), row.tolist(), strict=True))


def test_write_outcome_of_the_rulebook_sheets() -> None:
    basic = outcome_of(sheet_of(BASIC_SHEET), BASIC)
    assert (basic["score"], basic["best_line"], basic["diagonal"]) == (28, 8, 0)
    assert (basic["filled"], basic["rounds"]) == (25, 12)
    assert [basic[name] for name in ("pairs", "triplets", "quadruples", "quintets")] == [7, 2, 1, 0]
    advanced = outcome_of(sheet_of(ADVANCED_SHEET), ADVANCED)
    assert (advanced["score"], advanced["best_line"], advanced["diagonal"]) == (24, 8, 4)


@settings(deadline=None)
@given(SIGNS, RULES)
def test_write_outcome_agrees_with_the_literal_sheet(symbols: list[int], rules: CrissCrossRules) -> None:
    sheet = square(symbols, rules.size)
    scored = literal.score_sheet(sheet, literal_rules(rules))
    outcome = outcome_of(sheet, rules)
    assert (outcome["score"], outcome["best_line"]) == (scored.total, scored.best_line)
    assert outcome["diagonal"] == (scored.diagonal or 0)
    assert outcome["filled"] == literal.count_filled(sheet)
    assert [outcome[name] for name in ("pairs", "triplets", "quadruples", "quintets")] == [
        literal.count_runs(sheet, length) for length in (2, 3, 4, 5)
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-2, 2)), min_size=2, max_size=6))
def test_write_ranks(standing: list[tuple[int, int]]) -> None:
    outcomes = np.zeros((len(standing), len(CRISS_CROSS.columns)), np.int16)
    outcomes[:, 0], outcomes[:, cc.BEST_LINE] = np.array(standing).T
    cc.write_ranks(outcomes)
    ranks = [1 + sum(other > own for other in standing) for own in standing]
    assert outcomes[:, 1].tolist() == ranks
    assert outcomes[:, 2].tolist() == [WIN_UNIT // ranks.count(1) if rank == 1 else 0 for rank in ranks]


# --- Describing ------------------------------------------------------------------------------------------------------


def test_cell_name() -> None:
    assert cc.cell_name(0) == "row 1, column 1"
    assert cc.cell_name(14) == "row 3, column 5"


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (across(1), "X to row 1, column 2 and slash to row 1, column 3"),
        (across(1, True), "slash to row 1, column 2 and X to row 1, column 3"),
        (down(1), "X to row 1, column 2 and slash to row 2, column 2"),
        (across(0), "X to row 1, column 1 and slash to row 1, column 2, which are not both empty"),
        (across(4), "X to row 1, column 5 and slash to row 2, column 1, which are not neighbours"),
        (across(24), "move 48, which is no pair of neighbouring cells"),
        (down(20), "move 104, which is no pair of neighbouring cells"),
        (128, "move 128, which is no pair of neighbouring cells"),
        (-1, "move -1, which is no pair of neighbouring cells"),
        (2**64 - 1, "move 18446744073709551615, which is no pair of neighbouring cells"),
    ],
)
def test_describe_move(move: int, words: str) -> None:
    sheet = [[0] * 5 for _ in range(5)]
    sheet[0][0] = 3
    assert cc.describe_move(view_of(sheet, first=1, second=4), move) == words


def test_every_move_has_words() -> None:
    view = view_of([[0] * 5 for _ in range(5)])
    words = {cc.describe_move(view, move) for move in range(-2, 140)}
    assert len(words) == 142


def test_picture() -> None:
    view = view_of(sheet_of(BASIC_SHEET), first=6, second=3)
    assert cc.picture(view) == ("X X t t c\nX / t t #\n# / = = #\nt / = t #\nX # = c #\nround 1, rolled = and c")
    small = view_of([[1, 0, 2], [0, 0, 0], [0, 0, 6]], CrissCrossRules(size=3))
    assert cc.picture(small) == "X . t\n. . .\n. . =\nround 1, rolled X and t"


def test_picture_rows() -> None:
    symbols = [1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 1] + [0] * 12
    assert cc.picture_rows(symbols, 3) == ["X t c", "/ # =", ". . X"]


def test_relabel_exchanges_symbols_and_nothing_else() -> None:
    for start in range(20):
        view = view_of(sheet_of(ADVANCED_SHEET), ADVANCED, 2, 5)
        view.sheet_lines[3, 4] = 1 + 2 * 7
        cc.relabel(view, np.random.default_rng(start))
        names: dict[int, int] = {}
        for row, column in product(range(5), repeat=2):
            old, new = sheet_of(ADVANCED_SHEET)[row][column], int(cc.symbol_at(view, cell(row, column)))
            assert names.setdefault(old, new) == new
        assert (view.first, view.second) == (names[2], names[5])
        assert cc.line_symbols(int(view.sheet_lines[3, 4])) == (names[1], names[2], 0, 0, 0)
        assert sorted(names.values()) == sorted(set(names.values()))
        assert cc.total(view) == 24


def trace_of(seated: Table, seed: int, deal: int, outcomes: Any, log: Any) -> dict[str, Any]:
    rules, seats = seated.rules, len(seated.players)
    return {
        "game": CRISS_CROSS.name,
        "rules_version": CRISS_CROSS.rules_version,
        "variant": rules.to_dict(),
        "seed": seed,
        "deal": deal,
        "rotation": 0,
        "seats": [seat.spec for seat in seated.players],
        "events": CRISS_CROSS.events(rules, log, seats),
        "outcome": CRISS_CROSS.results(rules, log, outcomes),
    }


def test_events_and_results_of_a_whole_game() -> None:
    seated = table(["uniform", "blunder"], ADVANCED)
    outcomes, logs = seated.log(7, 3)
    events = cc.events(ADVANCED, logs[0], 2)
    kinds = [event["type"] for event in events]
    assert kinds[:5] == ["start", "start", "roll", "place", "place"]
    assert kinds.count("roll") == logs[0].rounds
    assert kinds.count("place") == outcomes[0, :, cc.ROUNDS].sum()
    for seat, result in enumerate(cc.results(ADVANCED, logs[0], outcomes[0])):
        assert result["seat"] == seat
        assert sum(result["rows"]) + sum(result["columns"]) + 2 * result["diagonal"] == result["score"]


def test_results_have_no_diagonal_where_it_does_not_count() -> None:
    seated = table(["uniform"])
    outcomes, logs = seated.log(7, 3)
    assert cc.results(BASIC, logs[0], outcomes[0])[0]["diagonal"] is None


def test_narrate_tells_every_event() -> None:
    seated = table(["uniform", "blunder"], ADVANCED)
    outcomes, logs = seated.log(7, 3)
    trace = trace_of(seated, 7, 3, outcomes[0], logs[0])
    lines = cc.narrate(ADVANCED, trace)
    assert len([line for line in lines if line.startswith("round ")]) == logs[0].rounds
    assert len([line for line in lines if "cannot enter any more" in line]) == sum(
        event["type"] == "stuck" for event in trace["events"]
    )
    for seat in trace["outcome"]:
        name = trace["seats"][seat["seat"]]
        assert f"seat {seat['seat']}, {name}: {seat['score']} points, rank {seat['rank']}" in lines
    assert f"  diagonal: {trace['outcome'][0]['diagonal']}, counted 2 times" in lines


# --- Against the literal engine --------------------------------------------------------------------------------------


QUICK = [one.spec for one in builtin_strategies(CRISS_CROSS.name) if "look-ahead" not in one.tags]
SLOW = [one.spec for one in builtin_strategies(CRISS_CROSS.name) if "look-ahead" in one.tags]


def line_up(source: random.Random, rules: CrissCrossRules) -> list[str]:
    """One to six built-in players, each bare or wrapped."""
    small = rules.size == 3
    names = QUICK + (SLOW if COMPILED or small else [])

    def one() -> str:
        name = source.choice(names)
        spec = source.choice(
            [
                name,
                name,
                f"noisy({name},{source.choice([0.1, 0.5, 1])})",
                f"restrict({name},never=lonely-spaces)",
                f"noisy(restrict({name},never=lonely-spaces),0.3)",
            ]
        )
        if (COMPILED or small) and source.random() < 0.2:
            base = source.choice(QUICK)
            around = [
                "rollout({},2)",
                "noisy(rollout(noisy({},0.5),1),0.5)",
                "restrict(rollout({},1),never=lonely-spaces)",
                "rollout(restrict({},never=lonely-spaces),1)",
            ]
            return source.choice(around).format(base)
        return spec

    return [one() for _ in range(source.randint(1, cc.MAX_SEATS))]


def referee(source: random.Random, rules: CrissCrossRules, deals: int) -> list[str]:
    """Play deals, send their traces through JSON, and return what the referee finds."""
    seated = table(line_up(source, rules), rules)
    seed, first = source.choice([0, 1, 2**63, source.randrange(2**64)]), source.choice([0, source.randrange(2**40)])
    outcomes, logs = seated.log(seed, first, deals)
    low, high = cc.score_range(rules)
    assert low <= outcomes[:, :, 0].min()
    assert outcomes[:, :, 0].max() <= high
    faults = []
    for game in range(deals):
        trace = trace_of(seated, seed, first + game, outcomes[game], logs[game])
        faults += literal.referee(json.loads(json.dumps(trace)))
    return faults


def test_games_of_random_rules_are_those_of_the_rulebook() -> None:
    source = random.Random(2017)
    for _ in range(150 if COMPILED else 30):
        rules = random_rules(source)
        assert referee(source, rules, 4 if COMPILED else 1) == [], rules


@pytest.mark.parametrize("variant", CRISS_CROSS.variants)
def test_games_of_every_variant_are_those_of_the_rulebook(variant: str) -> None:
    source = random.Random(variant)
    for _ in range(10 if COMPILED else 3):
        assert referee(source, CRISS_CROSS.variant(variant), 10 if COMPILED else 2) == []


@pytest.mark.slow
@pytest.mark.parametrize("variant", [*CRISS_CROSS.variants, "random"])
def test_many_games_are_those_of_the_rulebook(variant: str) -> None:
    source = random.Random(f"many {variant}")
    for _ in range(2_000 if COMPILED else 100):
        rules = random_rules(source) if variant == "random" else CRISS_CROSS.variant(variant)
        assert referee(source, rules, 50 if COMPILED else 5) == [], rules


def test_the_referee_would_notice() -> None:
    seated = table(["uniform"])
    outcomes, logs = seated.log(7, 3)
    logs[0].moves[4, 0] ^= ONE  # the other order of the symbols
    assert literal.referee(json.loads(json.dumps(trace_of(seated, 7, 3, outcomes[0], logs[0]))))


# --- Chance, seats and compiled code ---------------------------------------------------------------------------------

LINEUPS = [
    ["uniform"],
    ["blunder", "noisy(blunder,0.5)", "uniform"],
    ["restrict(uniform,never=lonely-spaces)", "restrict(blunder,never=lonely-spaces)"],
]
SMALL_LINEUPS = [["rollout(uniform,2)", "noisy(rollout(noisy(blunder,0.5),1),0.3)", "uniform"]]

PLAY = """
import json, sys
from sims.criss_cross import CRISS_CROSS
from sims.jit import COMPILED
from sims.table import Table
from strategies import find_strategy
told = []
for job in json.loads(sys.stdin.read()):
    players = [find_strategy(CRISS_CROSS.name, spec).player() for spec in job["specs"]]
    table = Table(CRISS_CROSS, CRISS_CROSS.rules().replace(**job["rules"]), players)
    outcomes = table.new_outcomes(job["deals"])
    table.play(job["seed"], job["first"], outcomes)
    told.append(outcomes.tolist())
print(json.dumps([COMPILED, told]))
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled; the compiled run compares the two")
def test_compiled_and_plain_python_play_the_same_games() -> None:
    jobs = [
        {"specs": specs, "rules": rules.to_dict(), "deals": deals, "seed": 2**64 - 1, "first": 2**40}
        for lineups, variants, deals in [
            (LINEUPS, [BASIC, ADVANCED], 12),
            ([QUICK[first : first + 6] for first in range(0, len(QUICK), 6)], [BASIC, ADVANCED], 2),
            ([SLOW[:6]] if SLOW else [], [CrissCrossRules(size=3)], 4),
            (SMALL_LINEUPS, [CrissCrossRules(size=3), ADVANCED.replace(size=3, start="empty")], 2),
        ]
        for specs in lineups
        for rules in variants
    ]
    ran = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=True,
    )
    compiled, told = json.loads(ran.stdout)
    assert not compiled
    for job, outcomes in zip(jobs, told, strict=True):
        here = play(job["specs"], job["deals"], CrissCrossRules(**job["rules"]), job["seed"], job["first"])
        assert here.tolist() == outcomes, job


@pytest.mark.parametrize("specs", LINEUPS)
def test_a_deal_does_not_depend_on_where_a_run_begins(specs: list[str]) -> None:
    whole = play(specs, 12, seed=5, first=100)
    for place in (0, 1, 7, 11):
        assert play(specs, 1, seed=5, first=100 + place).tolist() == whole[place : place + 1].tolist()


def test_log_tells_the_games_that_play_plays() -> None:
    for specs in LINEUPS:
        outcomes, _ = table(specs).log(5, 100, 6)
        assert outcomes.tolist() == play(specs, 6, seed=5, first=100).tolist()


@pytest.mark.parametrize("start", cc.START_NAMES)
@pytest.mark.parametrize("spec", ["uniform", "noisy(blunder,0.5)"])
def test_a_further_seat_leaves_the_others_alone(start: str, spec: str) -> None:
    rules = CrissCrossRules(start=start)
    deals = 20 if COMPILED else 4
    outcomes, logs = table([spec] * 6, rules).log(3, 0, deals)
    own = [0, *range(cc.BEST_LINE, len(CRISS_CROSS.columns))]  # rank and win depend on the others
    for seats in range(1, 6):
        fewer, fewer_logs = table([spec] * seats, rules).log(3, 0, deals)
        assert fewer[:, :, own].tolist() == outcomes[:, :seats, own].tolist()
        assert fewer_logs.start[:, :seats].tolist() == logs.start[:, :seats].tolist()
        assert fewer_logs.moves[:, :, :seats].tolist() == logs.moves[:, :, :seats].tolist()


def test_a_strategy_does_not_move_the_dice_or_the_games_of_others() -> None:
    _, one_logs = table(["uniform", "uniform", "uniform"]).log(9, 0, 10)
    _, other_logs = table(["uniform", "noisy(blunder,0.5)", "uniform"]).log(9, 0, 10)
    for game in range(10):
        rounds = min(one_logs[game].rounds, other_logs[game].rounds)
        assert one_logs[game].rolls[:rounds].tolist() == other_logs[game].rolls[:rounds].tolist()
    assert one_logs.start.tolist() == other_logs.start.tolist()
    assert one_logs.moves[:, :, ::2].tolist() == other_logs.moves[:, :, ::2].tolist()
    assert one_logs.moves.tolist() != other_logs.moves.tolist()


def test_another_stream_makes_other_choices_in_the_same_deals() -> None:
    usual = Table(CRISS_CROSS, BASIC, [player("uniform"), player("uniform")])
    other = Table(CRISS_CROSS, BASIC, [player("uniform"), player("uniform", stream=1)])
    _, usual_logs = usual.log(9, 0, 10)
    _, other_logs = other.log(9, 0, 10)
    assert usual_logs.start.tolist() == other_logs.start.tolist()
    assert usual_logs.rolls[:, :8].tolist() == other_logs.rolls[:, :8].tolist()
    assert usual_logs.moves[:, :, 0].tolist() == other_logs.moves[:, :, 0].tolist()
    assert usual_logs.moves[:, :, 1].tolist() != other_logs.moves[:, :, 1].tolist()


def test_seeds_and_deals_differ() -> None:
    runs = [(seed, first) for seed in (0, 1, 2**64 - 1) for first in (0, 10, 2**40)]
    scores = [play(["uniform"] * 3, 10, seed=seed, first=first)[:, :, 0].tolist() for seed, first in runs]
    assert len({str(some) for some in scores}) == len(runs)


@pytest.mark.parametrize("spec", ["uniform", "noisy(uniform,1)", "noisy(rollout(uniform,1),1)", "rollout(uniform,1)"])
def test_seats_choose_independently(spec: str) -> None:
    _, logs = table([spec] * 3, CrissCrossRules(size=3, start="empty")).log(3, 0, 40 if COMPILED else 5)
    first, second, third = (logs.moves[:, :, seat].tolist() for seat in range(3))
    assert first != second != third != first


def test_errors_come_from_a_stream_of_their_own() -> None:
    seated = table(["noisy(uniform,1)"] * 2)
    seated.log(3, 8)
    fresh = new_streams(1)[0]
    for seat in range(2):
        start_stream(fresh, Word(deal_key(Word(3), Word(8))), Word(chance.STRATEGY), Word(seat))
        assert seated._streams[seat, 0] == fresh  # a player that always errs is never asked


def test_noise_that_never_comes_changes_nothing() -> None:
    assert play(["noisy(uniform,1e-300)"], 10).tolist() == play(["uniform"], 10).tolist()


def test_noise_of_rate_one_is_a_uniform_player() -> None:
    deals = 20_000 if COMPILED else 400
    noisy, uniform = (play([spec], deals)[:, 0, 0].astype(float) for spec in ("noisy(blunder,1)", "uniform"))
    # List order and pair order differ, so the games do too; a double counts once in the list, which moves nothing.
    error = np.sqrt((noisy.var() + uniform.var()) / deals)
    assert abs(noisy.mean() - uniform.mean()) < 4 * error


def test_a_restricted_player_leaves_no_lonely_space_that_it_could_avoid() -> None:
    seated = table(["restrict(uniform,never=lonely-spaces)"])
    _, logs = seated.log(4, 0, 50 if COMPILED else 10)
    for log in logs:
        view = cc.new_views(BASIC, 1)[0]
        cc.set_up(view, Word(0), new_streams(1)[0])
        for (first, second), moves in zip(log.rolls[: log.rounds], log.moves, strict=False):
            view.first, view.second = first, second
            allowed = [move for move in cc.moves_of(view) if cc.lonely(view, Word(move)) <= 0]
            assert not allowed or cc.lonely(view, moves[0]) <= 0
            cc.place(view, moves[0])


def test_rollouts_beat_the_player_that_they_are_made_of() -> None:
    rules = CrissCrossRules(size=3)
    deals = 400 if COMPILED else 20
    thinking, plain = (play([spec], deals, rules)[:, 0, 0] for spec in ("rollout(uniform,4)", "uniform"))
    assert thinking.mean() > plain.mean() + 1


# --- Against exact values --------------------------------------------------------------------------------------------

OTHER = CrissCrossRules(start="rolled", run_points=(1, -2, 7, 0, 20), zero_line_points=-3, diagonal_weight=3)


@pytest.mark.parametrize("rules", [BASIC, ADVANCED, OTHER], ids=["basic", "advanced", "other"])
def test_mean_of_uniform_is_the_exact_one(rules: CrissCrossRules) -> None:
    deals = 200_000 if COMPILED else 1_000
    scores = play(["uniform"], deals, rules, seed=20)[:, 0, 0].astype(float)
    expected = exact.expected_score(literal_rules(rules))
    assert abs(scores.mean() - expected) < 4 * scores.std() / np.sqrt(deals)


def test_rounds_of_uniform_are_distributed_as_the_exact_ones() -> None:
    deals = 200_000 if COMPILED else 1_000
    counts = np.bincount(play(["uniform"], deals, seed=21)[:, 0, cc.ROUNDS], minlength=13)
    expected = deals * np.array(exact.rounds_distribution())
    assert counts[:8].sum() == 0
    # Fewer than five games are expected after eight rounds when there are few deals: count them with those of nine.
    first = 8 if expected[8] >= 5 else 9
    merged = [counts[: first + 1].sum(), *counts[first + 1 :]]
    wanted = [expected[: first + 1].sum(), *expected[first + 1 :]]
    assert stats.chisquare(merged, wanted).pvalue > 1e-4


def test_filled_spaces_follow_from_the_rounds() -> None:
    outcomes = play(["uniform"] * 2, 100 if COMPILED else 20)
    assert np.all(outcomes[:, :, cc.FILLED] == 1 + 2 * outcomes[:, :, cc.ROUNDS])


def test_no_basic_total_is_above_100() -> None:
    assert cc.score_range(BASIC) == (0, 100)
    assert cc.score_range(ADVANCED) == (-60, 120)


@pytest.mark.parametrize("first", [0, 10**12])
def test_luck_counts_the_doubles_of_the_deal(first: int) -> None:
    deals = 300 if COMPILED else 20
    _, logs = table(["uniform"] * 2).log(3, first, deals)
    doubles = cc.luck(3, first, deals) + 2
    complete = 0
    for log, counted in zip(logs, doubles, strict=True):
        rolled = sum(int(one == other) for one, other in log.rolls[: log.rounds])
        # Rolls that no seat could enter any more are not in the log.
        assert rolled <= counted <= rolled + cc.MAX_ROUNDS - log.rounds
        complete += int(log.rounds == cc.MAX_ROUNDS)
    assert complete > 0


def test_luck_is_a_function_of_the_deal_alone() -> None:
    assert np.array_equal(cc.luck(3, 0, 9)[4:], cc.luck(3, 4, 5))


def test_luck_has_mean_zero_and_the_spread_of_twelve_rolls() -> None:
    deals = 200_000 if COMPILED else 500
    counts = np.bincount(cc.luck(5, 0, deals) + 2, minlength=13)
    expected = deals * stats.binom.pmf(np.arange(13), 12, 1 / 6)
    assert stats.chisquare([*counts[:5], counts[5:].sum()], [*expected[:5], expected[5:].sum()]).pvalue > 1e-4
    assert abs(cc.luck(5, 0, deals).mean()) < 4 * np.sqrt(12 * 5 / 36 / deals)


def test_registration() -> None:
    assert find_game("criss-cross") is CRISS_CROSS
    assert CRISS_CROSS.log is cc.LOG
    assert chance.GAME <= cc.START < cc.ROLL
