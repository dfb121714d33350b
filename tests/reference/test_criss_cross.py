"""The literal Criss Cross engine: the rulebook's sheets, traces that it must accept, and faults that it must name."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import criss_cross
from tests.reference.criss_cross import ADVANCED, BASIC, IllegalGameError, Placement, Rules, Sheet

Trace = dict[str, Any]

GLYPHS = ".Xtc/#="  # 0 to 6: empty, X, triangle, circle, slash, hash, three-lines


def sheet_of(*lines: str) -> Sheet:
    return [[GLYPHS.index(glyph) for glyph in line.split()] for line in lines]


BASIC_SHEET = sheet_of(
    "X X t t c",
    "X / t t #",
    "# / = = #",
    "t / = t #",
    "X # = c #",
)
ADVANCED_SHEET = sheet_of(
    "c c / c X",
    "X = = X t",
    "X # = t t",
    "X X c c t",
    "X # / / /",
)

# The pair of spaces that each round fills, by the picture; the corner is filled at the start.
DOMINOES = (
    "0 1 1 2 2",
    "3 4 4 5 6",
    "3 7 7 5 6",
    "8 8 9 A A",
    "B B 9 C C",
)


def placements_from(picture: Sequence[str], sheet: Sheet) -> list[Placement]:
    """What a seat entered round by round, when the picture says which round filled which space."""
    cells: dict[int, list[tuple[int, int]]] = {}
    for row, line in enumerate(picture):
        for column, mark in enumerate(line.split()):
            if mark != ".":
                cells.setdefault(int(mark, 16), []).append((row, column))
    placements: list[Placement] = []
    for number in range(1, max(cells) + 1):
        first, second = cells[number]
        placements.append(((sheet[first[0]][first[1]], sheet[second[0]][second[1]]), (first, second)))
    return placements


def variant_of(rules: Rules) -> dict[str, Any]:
    return {
        "size": rules.size,
        "run_points": list(rules.run_points),
        "zero_line_points": rules.zero_line_points,
        "diagonal_weight": rules.diagonal_weight,
        "start": rules.start,
    }


def start(seat: int, symbol: int) -> dict[str, Any]:
    return {"type": "start", "seat": seat, "symbol": symbol}


def roll(number: int, *symbols: int) -> dict[str, Any]:
    return {"type": "roll", "round": number, "symbols": list(symbols)}


def place(seat: int, number: int, symbols: Sequence[int], *cells: Sequence[int]) -> dict[str, Any]:
    return {
        "type": "place",
        "seat": seat,
        "round": number,
        "symbols": list(symbols),
        "cells": [list(cell) for cell in cells],
    }


def stuck(seat: int, number: int) -> dict[str, Any]:
    return {"type": "stuck", "seat": seat, "round": number}


def trace_of(rules: Rules, seats: int, events: list[dict[str, Any]], outcome: list[dict[str, Any]]) -> Trace:
    trace = {
        "game": "criss-cross",
        "rules_version": "1",
        "variant": variant_of(rules),
        "seed": 7,
        "deal": 123,
        "rotation": 0,
        "seats": ["by hand"] * seats,
        "events": events,
        "outcome": outcome,
    }
    loaded: Trace = json.loads(json.dumps(trace))
    return loaded


def solo_trace(rules: Rules, sheet: Sheet, outcome: dict[str, Any]) -> Trace:
    """Twelve rounds that end in this full sheet."""
    events = [start(0, sheet[0][0])]
    for number, (symbols, cells) in enumerate(placements_from(DOMINOES, sheet), start=1):
        events += [roll(number, *symbols), place(0, number, symbols, *cells)]
    return trace_of(rules, 1, events, [outcome])


BASIC_OUTCOME = {
    "seat": 0,
    "score": 28,
    "rank": 1,
    "win": 1.0,
    "rows": [4, 2, 2, 0, 0],
    "columns": [2, 3, 5, 2, 8],
    "diagonal": None,
    "best_line": 8,
    "filled": 25,
    "rounds": 12,
    "pairs": 7,
    "triplets": 2,
    "quadruples": 1,
    "quintets": 0,
}
ADVANCED_OUTCOME = {
    "seat": 0,
    "score": 24,
    "rank": 1,
    "win": 1.0,
    "rows": [2, 2, 2, 4, 3],
    "columns": [8, -5, 2, -5, 3],
    "diagonal": 4,
    "best_line": 8,
    "filled": 25,
    "rounds": 12,
    "pairs": 6,
    "triplets": 2,
    "quadruples": 1,
    "quintets": 0,
}


def small_trace() -> Trace:
    """Two seats on 3×3 sheets; seat 0 fills its sheet, seat 1 has two single spaces left in round 4.

    The sheets at the end::

        X X X        t X .
        t c /        . X t
        t # =        / c t
    """
    events = [
        start(0, 1),
        start(1, 2),
        roll(1, 1, 1),
        place(0, 1, (1, 1), (0, 1), (0, 2)),
        place(1, 1, (1, 1), (0, 1), (1, 1)),
        roll(2, 2, 2),
        place(0, 2, (2, 2), (1, 0), (2, 0)),
        place(1, 2, (2, 2), (2, 2), (1, 2)),
        roll(3, 3, 4),
        place(0, 3, (3, 4), (1, 1), (1, 2)),
        place(1, 3, (4, 3), (2, 0), (2, 1)),
        roll(4, 5, 6),
        place(0, 4, (5, 6), (2, 1), (2, 2)),
        stuck(1, 4),
    ]
    outcome = [
        {
            "seat": 0,
            "score": 5,
            "rank": 1,
            "win": 1.0,
            "rows": [3, 0, 0],
            "columns": [2, 0, 0],
            "diagonal": None,
            "best_line": 3,
            "filled": 9,
            "rounds": 4,
            "pairs": 1,
            "triplets": 1,
            "quadruples": 0,
            "quintets": 0,
        },
        {
            "seat": 1,
            "score": 4,
            "rank": 2,
            "win": 0.0,
            "rows": [0, 0, 0],
            "columns": [0, 2, 2],
            "diagonal": None,
            "best_line": 2,
            "filled": 7,
            "rounds": 3,
            "pairs": 2,
            "triplets": 0,
            "quadruples": 0,
            "quintets": 0,
        },
    ]
    return trace_of(Rules(size=3), 2, events, outcome)


def ended_early_trace() -> Trace:
    """Both seats of a 3×3 game are stuck after round 3, so that no fourth roll is made.

    The sheets at the end, first seat 0, then seat 1::

        X X .        t X .
        . X t        . X t
        / c t        c / t
    """
    events = [
        start(0, 1),
        start(1, 2),
        roll(1, 1, 1),
        place(0, 1, (1, 1), (0, 1), (1, 1)),
        place(1, 1, (1, 1), (0, 1), (1, 1)),
        roll(2, 2, 2),
        place(0, 2, (2, 2), (1, 2), (2, 2)),
        place(1, 2, (2, 2), (1, 2), (2, 2)),
        roll(3, 3, 4),
        place(0, 3, (4, 3), (2, 0), (2, 1)),
        place(1, 3, (3, 4), (2, 0), (2, 1)),
        stuck(0, 4),
        stuck(1, 4),
    ]
    winner = {
        "seat": 0,
        "score": 6,
        "rank": 1,
        "win": 1.0,
        "rows": [2, 0, 0],
        "columns": [0, 2, 2],
        "diagonal": None,
        "best_line": 2,
        "filled": 7,
        "rounds": 3,
        "pairs": 3,
        "triplets": 0,
        "quadruples": 0,
        "quintets": 0,
    }
    loser = {**winner, "seat": 1, "score": 4, "rank": 2, "win": 0.0, "rows": [0, 0, 0], "pairs": 2}
    return trace_of(Rules(size=3), 2, events, [winner, loser])


def tied_trace() -> Trace:
    """Three totals of 4: seats 0 and 2 have one line of 4, seat 1 has two lines of 2.

    The sheets at the end, seats 0 and 2, then seat 1::

        X X X        c c t
        t c /        / X X
        = t #        # = t
    """
    rules = Rules(size=3, run_points=(0, 2, 4, 8, 10), start="rolled")
    rounds = [
        ((1, 1), ((0, 1), (0, 2)), (1, 1), ((1, 1), (1, 2))),
        ((2, 3), ((1, 0), (1, 1)), (3, 2), ((0, 1), (0, 2))),
        ((4, 5), ((1, 2), (2, 2)), (4, 5), ((1, 0), (2, 0))),
        ((6, 2), ((2, 0), (2, 1)), (6, 2), ((2, 1), (2, 2))),
    ]
    events = [start(0, 1), start(1, 3), start(2, 1)]
    for number, (symbols, cells, other_symbols, other_cells) in enumerate(rounds, start=1):
        events += [
            roll(number, *symbols),
            place(0, number, symbols, *cells),
            place(1, number, other_symbols, *other_cells),
            place(2, number, symbols, *cells),
        ]
    shared = {
        "seat": 0,
        "score": 4,
        "rank": 1,
        "win": 0.5,
        "rows": [4, 0, 0],
        "columns": [0, 0, 0],
        "diagonal": None,
        "best_line": 4,
        "filled": 9,
        "rounds": 4,
        "pairs": 0,
        "triplets": 1,
        "quadruples": 0,
        "quintets": 0,
    }
    behind = {**shared, "seat": 1, "rank": 3, "win": 0.0, "rows": [2, 2, 0], "best_line": 2, "pairs": 2, "triplets": 0}
    return trace_of(rules, 3, events, [shared, behind, {**shared, "seat": 2}])


def random_game(
    rules: Rules, seats: int, chance: random.Random
) -> tuple[list[int], list[list[int]], list[list[Placement | None]]]:
    """Chance and choices of uniformly random legal players."""
    starts = chance.sample(criss_cross.SYMBOLS, seats) if rules.start != "empty" else [0] * seats
    size = rules.size
    sheets = [criss_cross.empty_sheet(size) for _ in range(seats)]
    for sheet, symbol in zip(sheets, starts, strict=True):
        sheet[0][0] = symbol
    cells = [(row, column) for row in range(size) for column in range(size)]
    pairs = [(first, second) for first in cells for second in cells if criss_cross.are_neighbours(first, second)]
    rolls: list[list[int]] = []
    placements: list[list[Placement | None]] = []
    while len(rolls) < rules.rounds and any(map(criss_cross.can_enter, sheets)):
        symbols = (chance.choice(criss_cross.SYMBOLS), chance.choice(criss_cross.SYMBOLS))
        choices: list[Placement | None] = []
        for sheet in sheets:
            free = [pair for pair in pairs if all(sheet[row][column] == 0 for row, column in pair)]
            placement = (symbols, chance.choice(free)) if free else None
            choices.append(placement)
            if placement:
                criss_cross.enter(sheet, symbols, placement)
        rolls.append(list(symbols))
        placements.append(choices)
    return starts, rolls, placements


# Scoring


def test_run_lengths() -> None:
    assert criss_cross.run_lengths([1, 1, 2, 2, 3]) == [2, 2, 1]
    assert criss_cross.run_lengths([1, 0, 1, 1, 0]) == [1, 2]
    assert criss_cross.run_lengths([0, 0, 0, 0, 0]) == []


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("X t c / #", 0),
        ("X X t c /", 2),
        ("X X t c c", 4),
        ("X X X c /", 3),
        ("X X X c c", 5),
        ("X X X X c", 8),
        ("X X X X X", 10),
        ("X X . X X", 4),
        ("X . X . X", 0),
        ("X X X . X", 3),
        (". . . . .", 0),
        (". . X X .", 2),
        ("X t X t X", 0),
    ],
)
def test_score_line(line: str, points: int) -> None:
    symbols = sheet_of(line)[0]
    assert criss_cross.score_line(symbols, BASIC) == points
    assert criss_cross.score_line(symbols, ADVANCED) == (points or -5)


def test_score_line_uses_the_points_of_single_symbols() -> None:
    assert criss_cross.score_line([1, 2, 2, 0, 3], Rules(run_points=(1, 20, 300, 4000, 50000))) == 22


def test_a_line_whose_runs_cancel_counts_as_a_line_of_zero() -> None:
    assert criss_cross.score_line([1, 1, 2, 0, 0], Rules(run_points=(-2, 2, 3, 8, 10), zero_line_points=-5)) == -5


def test_score_sheet_of_the_rulebook() -> None:
    score = criss_cross.score_sheet(BASIC_SHEET, BASIC)
    assert score == ((4, 2, 2, 0, 0), (2, 3, 5, 2, 8), None, 8, 28)


def test_score_sheet_of_the_advanced_rulebook() -> None:
    score = criss_cross.score_sheet(ADVANCED_SHEET, ADVANCED)
    assert score == ((2, 2, 2, 4, 3), (8, -5, 2, -5, 3), 4, 8, 24)


def test_a_barren_diagonal_costs_ten() -> None:
    sheet = sheet_of("X X t t c", "X X t t c", "/ / # # c", "/ / # # c", "t t X X c")
    assert criss_cross.score_sheet(sheet, ADVANCED).diagonal == -5
    assert criss_cross.score_sheet(sheet, ADVANCED).total == criss_cross.score_sheet(sheet, BASIC).total - 10


def test_the_diagonal_is_a_single_line_once_it_counts() -> None:
    sheet = sheet_of("t c X", "/ X t", "X # =")
    assert criss_cross.diagonal_line(sheet) == [1, 1, 1]
    assert criss_cross.score_sheet(sheet, Rules(size=3)).best_line == 0
    assert criss_cross.score_sheet(sheet, Rules(size=3, diagonal_weight=2)).best_line == 3
    assert criss_cross.score_sheet(sheet, Rules(size=3, diagonal_weight=2)).total == 6


def test_an_empty_sheet_scores_nothing_or_every_penalty() -> None:
    sheet = criss_cross.empty_sheet(5)
    assert criss_cross.score_sheet(sheet, BASIC).total == 0
    assert criss_cross.score_sheet(sheet, ADVANCED).total == -60


def test_count_runs_leaves_out_the_diagonal() -> None:
    sheet = sheet_of("t c X", "/ X t", "X # =")
    assert [criss_cross.count_runs(sheet, length) for length in (1, 2, 3)] == [18, 0, 0]


def test_rank_seats_breaks_ties_by_the_best_line_and_shares_the_rest() -> None:
    def score(total: int, best_line: int) -> criss_cross.SheetScore:
        return criss_cross.SheetScore((), (), None, best_line, total)

    assert criss_cross.rank_seats([score(20, 3), score(20, 8), score(19, 10)]) == [(2, 0.0), (1, 1.0), (3, 0.0)]
    assert criss_cross.rank_seats([score(20, 8), score(20, 3), score(20, 8), score(20, 3)]) == [
        (1, 0.5),
        (3, 0.0),
        (1, 0.5),
        (3, 0.0),
    ]
    assert criss_cross.rank_seats([score(5, 2)]) == [(1, 1.0)]


@pytest.mark.parametrize(
    ("score", "title"),
    [
        (0, "Column Counter"),
        (14, "Column Counter"),
        (15, "Line Sweeper"),
        (19, "Line Sweeper"),
        (20, "Symbol Simon"),
        (24, "Symbol Simon"),
        (25, "X-tra Special"),
        (28, "X-tra Special"),
        (29, "X-tra Special"),
        (30, "Cross Master"),
        (100, "Cross Master"),
    ],
)
def test_solo_rank(score: int, title: str) -> None:
    assert criss_cross.solo_rank(score) == title


SHEETS = st.lists(st.lists(st.integers(0, 6), min_size=5, max_size=5), min_size=5, max_size=5)


@given(SHEETS)
def test_no_total_is_above_100(sheet: Sheet) -> None:
    assert 0 <= criss_cross.score_sheet(sheet, BASIC).total <= 100


@given(SHEETS, st.permutations(criss_cross.SYMBOLS), st.sampled_from([BASIC, ADVANCED]))
def test_symbols_are_interchangeable(sheet: Sheet, names: list[int], rules: Rules) -> None:
    renamed = [[names[symbol - 1] if symbol else 0 for symbol in row] for row in sheet]
    assert criss_cross.score_sheet(renamed, rules) == criss_cross.score_sheet(sheet, rules)


@given(SHEETS, st.sampled_from([BASIC, ADVANCED]))
def test_a_mirrored_sheet_swaps_rows_and_columns(sheet: Sheet, rules: Rules) -> None:
    score = criss_cross.score_sheet(sheet, rules)
    mirrored = criss_cross.score_sheet([list(line) for line in zip(*sheet, strict=True)], rules)
    assert mirrored == (score.columns, score.rows, score.diagonal, score.best_line, score.total)


@given(SHEETS)
def test_a_total_is_the_points_of_all_runs(sheet: Sheet) -> None:
    points = sum(value * criss_cross.count_runs(sheet, length) for length, value in ((2, 2), (3, 3), (4, 8), (5, 10)))
    assert criss_cross.score_sheet(sheet, BASIC).total == points


# Playing


def test_rounds() -> None:
    assert [Rules(size=size).rounds for size in (3, 4, 5)] == [4, 7, 12]
    assert Rules(start="empty").rounds == 12


def test_can_enter() -> None:
    assert criss_cross.can_enter(criss_cross.empty_sheet(3))
    assert criss_cross.can_enter(sheet_of("X X .", "X X .", "X X X"))
    assert criss_cross.can_enter(sheet_of("X X X", "X X X", "X . ."))
    assert not criss_cross.can_enter(sheet_of(". X .", "X . X", ". X ."))
    assert not criss_cross.can_enter(sheet_of("X X .", ". X X", "X X X"))
    assert not criss_cross.can_enter(sheet_of("X X X", "X X X", "X X X"))


def test_are_neighbours() -> None:
    assert criss_cross.are_neighbours((1, 1), (1, 2))
    assert criss_cross.are_neighbours((2, 1), (1, 1))
    assert not criss_cross.are_neighbours((1, 1), (2, 2))
    assert not criss_cross.are_neighbours((1, 1), (1, 1))
    assert not criss_cross.are_neighbours((0, 2), (1, 0))


def test_enter_leaves_the_sheet_alone_when_it_refuses() -> None:
    sheet = sheet_of("X . .", ". . .", ". . .")
    with pytest.raises(IllegalGameError, match="occupied"):
        criss_cross.enter(sheet, [1, 2], ((1, 2), ((0, 1), (0, 0))))
    assert sheet == sheet_of("X . .", ". . .", ". . .")


def test_play_is_the_outcome_of_the_rulebook_sheet() -> None:
    placements = placements_from(DOMINOES, BASIC_SHEET)
    rolls = [list(symbols) for symbols, _ in placements]
    outcome = criss_cross.play(BASIC, [1], rolls, [[placement] for placement in placements])
    assert outcome == (
        criss_cross.SeatOutcome(0, 28, 1, 1.0, (4, 2, 2, 0, 0), (2, 3, 5, 2, 8), None, 8, 25, 12, 7, 2, 1, 0),
    )


def test_play_refuses_a_roll_that_is_not_two_symbols() -> None:
    with pytest.raises(IllegalGameError, match=r"^round 1: rolled \[1, 7\]; a roll is two symbols from 1 to 6$"):
        criss_cross.play(Rules(size=3), [1], [[1, 7]], [[((1, 7), ((0, 1), (0, 2)))]])


def test_play_refuses_seven_seats() -> None:
    with pytest.raises(IllegalGameError, match=r"^7 seats: 1 to 6 can play$"):
        criss_cross.play(Rules(start="rolled"), [1] * 7, [], [])


def test_a_stuck_seat_waits_while_the_others_go_on() -> None:
    rules = Rules(start="rolled")
    early = (
        "0 . 1 1 .",
        "2 2 3 4 4",
        "5 5 3 6 9",
        ". 7 7 6 9",
        "8 8 A A .",
    )
    sheet = [[1] * 5 for _ in range(5)]
    first = placements_from(early, sheet)
    second = placements_from(DOMINOES, sheet)
    rolls = [[1, 1]] * 12
    choices: list[list[Placement | None]] = [
        [first[number] if number < len(first) else None, second[number]] for number in range(12)
    ]
    game = criss_cross.replay(rules, [1, 1], rolls, choices)
    assert game.rounds_entered == [10, 12]
    assert [event for event in game.events if event["type"] == "stuck"] == [stuck(0, 11)]
    position = game.events.index(stuck(0, 11))
    assert game.events[position - 1] == roll(11, 1, 1)
    assert game.events[position + 1]["type"] == "place"
    assert game.events[-2] == roll(12, 1, 1)
    assert [criss_cross.count_filled(sheet) for sheet in game.sheets] == [21, 25]


# Traces that are right


@pytest.mark.parametrize(
    "trace",
    [
        solo_trace(BASIC, BASIC_SHEET, BASIC_OUTCOME),
        solo_trace(ADVANCED, ADVANCED_SHEET, ADVANCED_OUTCOME),
        small_trace(),
        ended_early_trace(),
        tied_trace(),
    ],
    ids=["rulebook", "advanced", "small", "ended early", "tied"],
)
def test_referee_accepts(trace: Trace) -> None:
    assert criss_cross.referee(trace) == []


def test_referee_accepts_an_empty_start_of_twelve_rounds() -> None:
    """On an empty 3×3 sheet four rounds fill eight spaces; a single space left over is not a stuck seat."""
    events = []
    cells = [((0, 0), (0, 1)), ((0, 2), (1, 2)), ((2, 2), (2, 1)), ((2, 0), (1, 0))]
    for number, (first, second) in enumerate(cells, start=1):
        events += [roll(number, 1, 2), place(0, number, (1, 2), first, second)]
    # X t X / t . t / X t X
    outcome = {
        "seat": 0,
        "score": 0,
        "rank": 1,
        "win": 1.0,
        "rows": [0, 0, 0],
        "columns": [0, 0, 0],
        "diagonal": None,
        "best_line": 0,
        "filled": 8,
        "rounds": 4,
        "pairs": 0,
        "triplets": 0,
        "quadruples": 0,
        "quintets": 0,
    }
    assert criss_cross.referee(trace_of(Rules(size=3, start="empty"), 1, events, [outcome])) == []


def test_referee_never_expects_a_stuck_event_after_the_last_round() -> None:
    """On an empty 4×4 sheet seven rounds fill fourteen spaces; the last two may be neighbours or not."""
    rounds = ("1 1 2 2", "3 3 4 4", "5 5 6 6", "7 7 . .")
    placements = placements_from(rounds, [[1] * 4 for _ in range(4)])
    events = []
    for number, (symbols, cells) in enumerate(placements, start=1):
        events += [roll(number, *symbols), place(0, number, symbols, *cells)]
    outcome = {
        "seat": 0,
        "score": 48,
        "rank": 1,
        "win": 1.0,
        "rows": [8, 8, 8, 2],
        "columns": [8, 8, 3, 3],
        "diagonal": None,
        "best_line": 8,
        "filled": 14,
        "rounds": 7,
        "pairs": 1,
        "triplets": 2,
        "quadruples": 5,
        "quintets": 0,
    }
    trace = trace_of(Rules(size=4, start="empty"), 1, events, [outcome])
    assert criss_cross.referee(trace) == []
    trace["events"].append(stuck(0, 8))
    assert criss_cross.referee(trace)[0].startswith("event 14: ")


def test_referee_accepts_whole_numbers_for_fractional_points_and_a_win() -> None:
    trace = small_trace()
    trace["variant"]["zero_line_points"] = 0.0
    for entry in trace["outcome"]:
        entry["win"] = int(entry["win"])
    assert criss_cross.referee(trace) == []
    trace["outcome"][0]["score"] = 5.0
    assert criss_cross.referee(trace) == []


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("begin", criss_cross.STARTS)
def test_referee_accepts_what_replay_makes(size: int, begin: str) -> None:
    rules = Rules(size=size, start=begin, zero_line_points=-5, diagonal_weight=2)
    chance = random.Random(f"{size} {begin}")
    for seats in range(1, 7):
        game = criss_cross.replay(rules, *random_game(rules, seats, chance))
        outcome = [entry._asdict() for entry in criss_cross.outcome_of(rules, game)]
        assert criss_cross.referee(trace_of(rules, seats, game.events, outcome)) == []


# Traces that are wrong


def set_event(index: int, **values: object) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        trace["events"][index].update(values)

    return change


def set_outcome(seat: int, /, **values: object) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        trace["outcome"][seat].update(values)

    return change


def set_key(name: str, value: object) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        trace[name] = value

    return change


def set_option(name: str, value: object) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        trace["variant"][name] = value

    return change


def insert_event(index: int, event: object) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        trace["events"].insert(index, event)

    return change


def drop_event(index: int) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        del trace["events"][index]

    return change


def swap_events(first: int, second: int) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        events = trace["events"]
        events[first], events[second] = events[second], events[first]

    return change


def drop_key(part: str, index: int, key: str) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        del trace[part][index][key]

    return change


def replace_place_by_stuck(trace: Trace) -> None:
    trace["events"][10] = stuck(1, 3)
    del trace["events"][13]


def forget_a_seat(trace: Trace) -> None:
    del trace["outcome"][1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        # Placements. Event 9 is seat 0's (3, 4) in the cells (1, 1) and (1, 2).
        (set_event(9, cells=[[1, 1], [2, 2]]), "round 3, seat 0: the cells [1, 1] and [2, 2] are not neighbours"),
        (set_event(9, cells=[[1, 1], [1, 1]]), "round 3, seat 0: the cells [1, 1] and [1, 1] are not neighbours"),
        (set_event(9, cells=[[1, 1], [0, 1]]), "round 3, seat 0: the cell [0, 1] is occupied"),
        (set_event(9, cells=[[1, 2], [1, 3]]), "round 3, seat 0: the cell [1, 3] is not on the 3×3 sheet"),
        (set_event(9, cells=[[-1, 2], [0, 2]]), "round 3, seat 0: the cell [-1, 2] is not on the 3×3 sheet"),
        (set_event(9, symbols=[3, 5]), "round 3, seat 0: enters the symbols [3, 5], but [3, 4] were rolled"),
        (set_event(9, symbols=[3, 3]), "round 3, seat 0: enters the symbols [3, 3], but [3, 4] were rolled"),
        (set_event(3, cells=[[0, 0], [0, 1]]), "round 1, seat 0: the cell [0, 0] is occupied"),
        # Who enters when.
        (drop_event(9), "round 3, seat 0: enters nothing, but still can"),
        (replace_place_by_stuck, "round 3, seat 1: enters nothing, but still can"),
        (
            set_event(13, type="place", symbols=[5, 6], cells=[[0, 2], [1, 0]]),
            "round 4, seat 1: enters symbols, but is stuck",
        ),
        (insert_event(10, place(0, 3, (3, 4), (2, 1), (2, 2))), "event 10 (place): happens a second time"),
        # Rolls.
        (drop_event(8), "round 3: there is no roll, but seat 0 can still enter"),
        (set_event(8, round=5), "round 3: there is no roll, but seat 0 can still enter"),
        (set_event(8, symbols=[3, 7]), "round 3: rolled [3, 7]; a roll is two symbols from 1 to 6"),
        (insert_event(14, roll(5, 1, 2)), "round 5: rolled, but the game is over"),
        (insert_event(14, roll(6, 1, 2)), "event 14: {'type': 'roll', 'round': 6, 'symbols': [1, 2]} is one too many"),
        (insert_event(9, roll(3, 3, 4)), "event 9 (roll): happens a second time"),
        # Stuck seats.
        (drop_event(13), "event 13: {'type': 'stuck', 'seat': 1, 'round': 4} is missing"),
        (set_event(13, round=3), "event 13: {'type': 'stuck', 'seat': 1, 'round': 3} should be "),
        (set_event(13, seat=0), "event 13: {'type': 'stuck', 'seat': 0, 'round': 4} should be "),
        (insert_event(11, stuck(0, 3)), "event 11: {'type': 'stuck', 'seat': 0, 'round': 3} should be "),
        (insert_event(14, stuck(1, 5)), "event 14 (stuck): happens a second time"),
        (insert_event(14, stuck(0, 5)), "event 14: {'type': 'stuck', 'seat': 0, 'round': 5} is one too many"),
        # Start symbols.
        (drop_event(1), "seat 1: there is no start symbol"),
        (set_event(1, symbol=1), "seat 1: starts with symbol 1, as seat 0 does"),
        (set_event(1, symbol=0), "event 1 (start): the symbol 0 is not 1 to 6"),
        (set_event(1, seat=0), "event 1 (start): happens a second time"),
        (set_option("start", "empty"), "event 0 (start): a start symbol, but the sheets start empty"),
        # Order.
        (swap_events(0, 1), "event 0: {'type': 'start', 'seat': 1, 'symbol': 2} should be "),
        (swap_events(3, 4), "event 3: {'type': 'place', 'seat': 1,"),
        (swap_events(2, 3), "event 2: {'type': 'place', 'seat': 0,"),
        (swap_events(12, 13), "event 12: {'type': 'stuck', 'seat': 1, 'round': 4} should be "),
        # Shapes.
        (insert_event(2, {"type": "pass", "seat": 0}), "event 2: {'type': 'pass', 'seat': 0} is not a start, roll,"),
        (insert_event(2, "roll"), "event 2: 'roll' is not a start, roll, place or stuck event"),
        (insert_event(2, {"type": []}), "event 2: {'type': []} is not a start, roll, place or stuck event"),
        (drop_key("events", 9, "round"), "event 9 (place): the key 'round' is missing"),
        (set_event(9, points=2), "event 9 (place): the key 'points' is unknown"),
        (set_event(9, seat=2), "event 9 (place): there is no seat 2"),
        (set_event(9, seat=True), "event 9 (place): there is no seat True"),
        (set_event(9, round=0), "event 9 (place): there is no round 0"),
        (set_event(9, symbols=[3, 4, 5]), "event 9 (place): symbols [3, 4, 5] are not two symbols"),
        (set_event(9, symbols=[3.0, 4]), "event 9 (place): symbols [3.0, 4] are not two symbols"),
        (set_event(9, cells=[[1, 1]]), "event 9 (place): cells [[1, 1]] are not two [row, column] pairs"),
        (set_event(9, cells=[[1, 1], [1]]), "event 9 (place): cells [[1, 1], [1]] are not two [row, column] pairs"),
        # The outcome.
        (set_outcome(0, score=6), "outcome of seat 0: score is 6, should be 5"),
        (set_outcome(0, score=5.0), "outcome of seat 0: score is 5.0, should be 5"),
        (set_outcome(1, seat=0), "outcome of seat 1: seat is 0, should be 1"),
        (set_outcome(1, rank=1), "outcome of seat 1: rank is 1, should be 2"),
        (set_outcome(0, rank=True), "outcome of seat 0: rank is True, should be 1"),
        (set_outcome(0, win=0.5), "outcome of seat 0: win is 0.5, should be 1.0"),
        (set_outcome(0, win=True), "outcome of seat 0: win is True, should be 1.0"),
        (set_outcome(0, rows=[0, 3, 0]), "outcome of seat 0: rows is [0, 3, 0], should be [3, 0, 0]"),
        (set_outcome(0, columns=[2, 0]), "outcome of seat 0: columns is [2, 0], should be [2, 0, 0]"),
        (set_outcome(0, diagonal=0), "outcome of seat 0: diagonal is 0, should be None"),
        (set_outcome(0, best_line=2), "outcome of seat 0: best_line is 2, should be 3"),
        (set_outcome(1, filled=9), "outcome of seat 1: filled is 9, should be 7"),
        (set_outcome(1, rounds=4), "outcome of seat 1: rounds is 4, should be 3"),
        (set_outcome(1, pairs=3), "outcome of seat 1: pairs is 3, should be 2"),
        (set_outcome(0, triplets=0), "outcome of seat 0: triplets is 0, should be 1"),
        (set_outcome(0, quadruples=1), "outcome of seat 0: quadruples is 1, should be 0"),
        (set_outcome(0, quintets=1), "outcome of seat 0: quintets is 1, should be 0"),
        (set_outcome(0, bonus=1), "outcome of seat 0: the key 'bonus' is unknown"),
        (drop_key("outcome", 0, "filled"), "outcome of seat 0: the key 'filled' is missing"),
        (forget_a_seat, "outcome: there are 1 entries for 2 seats"),
        # Another variant scores another way.
        (set_option("zero_line_points", -5), "outcome of seat 0: score is 5, should be -15"),
        (set_option("diagonal_weight", 2), "outcome of seat 0: diagonal is None, should be 0"),
        (set_option("run_points", [0, 2, 4, 8, 10]), "outcome of seat 0: score is 5, should be 6"),
        # The header.
        (set_key("game", "cross-off"), "game: 'cross-off' is not 'criss-cross'"),
        (set_key("rules_version", "0"), "rules_version: '0' is not '1'"),
        (set_key("extra", 1), "trace: the key 'extra' is unknown"),
        (set_key("seed", -1), "seed: -1 is not a whole number from 0"),
        (set_key("deal", 1.5), "deal: 1.5 is not a whole number from 0"),
        (set_key("rotation", 2), "rotation: 2 with 2 seats"),
        (set_key("seats", []), "seats: 0 seats, but 1 to 6 can play"),
        (set_key("seats", "ab"), "seats: 'ab' is not a list of strategies"),
        (set_key("events", {}), "events: not a list"),
        (set_key("variant", "basic"), "variant: 'basic' is not an object"),
        (set_option("size", 6), "variant: size 6 is not 3, 4 or 5"),
        (set_option("start", "chosen"), "variant: start 'chosen' is not 'assigned', 'rolled' or 'empty'"),
        (set_option("run_points", [2, 3, 8, 10]), "variant: run_points [2, 3, 8, 10] is not a list of five numbers"),
        (set_option("zero_line_points", None), "variant: zero_line_points None is not a number"),
        (set_option("colour", "red"), "variant: the key 'colour' is unknown"),
    ],
)
def test_referee_names_the_fault(change: Callable[[Trace], None], message: str) -> None:
    trace = small_trace()
    change(trace)
    faults = criss_cross.referee(trace)
    assert any(fault.startswith(message) for fault in faults), faults


def test_referee_says_that_no_seat_can_enter_when_a_roll_is_one_too_many() -> None:
    trace = ended_early_trace()
    trace["events"].insert(11, roll(4, 1, 2))
    assert criss_cross.referee(trace) == ["round 4: rolled, but no seat can enter"]


def test_referee_misses_the_stuck_events_of_a_game_that_ends_early() -> None:
    trace = ended_early_trace()
    del trace["events"][11:]
    assert criss_cross.referee(trace) == [
        "event 11: {'type': 'stuck', 'seat': 0, 'round': 4} is missing",
        "events: there are 11, there should be 13",
    ]


def test_referee_breaks_a_tie_by_the_best_line() -> None:
    trace = tied_trace()
    trace["outcome"][1]["rank"] = 1
    trace["outcome"][1]["win"] = 1 / 3
    assert criss_cross.referee(trace) == [
        "outcome of seat 1: rank is 1, should be 3",
        f"outcome of seat 1: win is {1 / 3}, should be 0.0",
    ]


def test_referee_shares_a_win() -> None:
    trace = tied_trace()
    trace["outcome"][0]["win"] = 1.0
    trace["outcome"][2].update(rank=2, win=0.0)
    assert criss_cross.referee(trace) == [
        "outcome of seat 0: win is 1.0, should be 0.5",
        "outcome of seat 2: rank is 2, should be 1",
        "outcome of seat 2: win is 0.0, should be 0.5",
    ]


def test_referee_takes_equal_start_symbols_only_when_they_are_rolled() -> None:
    trace = tied_trace()
    trace["variant"]["start"] = "assigned"
    assert criss_cross.referee(trace) == ["seat 2: starts with symbol 1, as seat 0 does"]


def test_referee_reports_every_difference_of_events_of_equal_number() -> None:
    trace = small_trace()
    trace["events"][3], trace["events"][4] = trace["events"][4], trace["events"][3]
    assert len(criss_cross.referee(trace)) == 2


def test_referee_leaves_the_trace_alone() -> None:
    trace = small_trace()
    before = copy.deepcopy(trace)
    criss_cross.referee(trace)
    assert trace == before


def test_referee_wants_the_advanced_diagonal() -> None:
    trace = solo_trace(ADVANCED, ADVANCED_SHEET, {**ADVANCED_OUTCOME, "diagonal": 8})
    assert criss_cross.referee(trace) == ["outcome of seat 0: diagonal is 8, should be 4"]
