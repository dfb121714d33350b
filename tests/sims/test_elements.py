"""The elements of all games: against slow counts from traces, against scores, and small games by hand."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sims.elements import ElementFacts, ElementRow, element_rows
from sims.game import Game, find_game, game_names
from sims.jit import COMPILED
from sims.table import Table
from sims.trace import replay
from strategies import find_strategy
from tests.reference.elements import COUNTERS

EXAMPLES = 25 if COMPILED else 3

# Rules that change what is counted, and players that use all there is.
SETTINGS: dict[str, list[list[str]]] = {
    "criss-cross": [
        [],
        ["zero_line_points=-5", "diagonal_weight=2"],
        ["size=3", "zero_line_points=-7", "diagonal_weight=1"],
        ["size=4", "start=rolled", "run_points=1,2,-3,8,10"],
        ["start=empty", "run_points=-2,2,3,8,10", "zero_line_points=4"],
    ],
    "cross-off": [
        [],
        ["finish_turn=true", "marks_to_close=2", "tracks_to_end=3"],
        ["marks_to_close=0", "mark_points=3,1,4,1,5,9,2,6,5,3,5,8,9", "penalty_points=7"],
        ["penalties_to_end=8", "tracks_to_end=4", "marks_to_close=1"],
    ],
    "crosswise": [
        [],
        ["copies=5", "action_stones=10"],
        ["sudden_win=false", "copies=10", "action_stones=0", "group_points=2,-3,5,8,13"],
        ["hand=1", "lone_hand=2", "six_different_points=-6"],
    ],
    "crossways": [
        [],
        ["jokers_wild=true", "pairs_and_runs=true", "diagonals=true"],
        ["double_down=true", "king_of_the_mountain=true", "goal=own-sides"],
        ["goal=corners", "layout=random:5", "team_size=2"],
        ["goal=block-3x3", "discard_on_pass=true", "jokers_wild=true"],
        ["goal=straight", "pairs_and_runs=true"],
    ],
}
PLAYERS = {
    "criss-cross": ["uniform", "greedy"],
    "cross-off": ["uniform", "race-to-close"],
    "crosswise": ["uniform", "noisy(wedel,0.3)"],
    "crossways": ["rusher", "noisy(balanced,0.2)", "blocker"],
}


def rules_of(game: Game, texts: list[str]) -> Any:
    return game.rules().replace_text(
        [*texts, *(["turn_limit=30"] if game.name == "crossways" and not COMPILED else [])]
    )


def facts_of(game: Game) -> ElementFacts:
    assert game.elements is not None
    return game.elements


def rows_of(game: Game, rules: Any, specs: list[str], seed: int) -> tuple[list[ElementRow], dict[str, Any]]:
    players = [find_strategy(game.name, spec).player() for spec in specs]
    outcomes, logs = Table(game, rules, players).log(seed, 0)
    trace = replay(game, rules, players, seed=seed)
    return element_rows(facts_of(game), rules, logs[0], outcomes[0]), json.loads(json.dumps(trace))


@pytest.mark.parametrize("name", game_names())
@given(data=st.data())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_game_counts_what_its_trace_tells(name: str, data: st.DataObject) -> None:
    game = find_game(name)
    rules = rules_of(game, data.draw(st.sampled_from(SETTINGS[name])))
    seats = data.draw(st.sampled_from(game.seat_numbers(rules)))
    specs = data.draw(st.lists(st.sampled_from(PLAYERS[name]), min_size=seats, max_size=seats))
    rows, trace = rows_of(game, rules, specs, data.draw(st.integers(0, 2**32)))
    expected = {key: entry for key, entry in COUNTERS[name](trace).items() if any(entry)}
    kinds = {kind.name: kind for kind in facts_of(game).kinds(rules, seats)}
    found = {
        (row.seat, row.kind, row.element): [row.count, Fraction(row.value or 0).limit_denominator(60)]
        for row in rows
        if row.count or row.value
    }
    for key, (count, _) in expected.items():
        if not kinds[key[1]].value:
            expected[key] = [count, 0]
    assert found == expected


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("number", range(4))
def test_kinds_are_well_formed(name: str, number: int) -> None:
    game = find_game(name)
    rules = rules_of(game, SETTINGS[name][number])
    for seats in game.seat_numbers(rules):
        kinds = facts_of(game).kinds(rules, seats)
        assert len({kind.name for kind in kinds}) == len(kinds)
        for kind in kinds:
            assert len(set(kind.names)) == len(kind.names)
            assert kind.title
            assert kind.doc.endswith(".")
            assert kind.count
            assert kind.count_unit
            assert bool(kind.value) == bool(kind.value_unit)
            assert set(kind.shown) <= ({"count", "value", "each"} if kind.value else {"count", "value"})
            assert not kind.labels or len(kind.labels) == len(kind.names)
            if kind.board is None:
                assert kind.place(0) is None
            else:
                rows, columns = kind.board.shape
                assert len(kind.names) == rows * columns
                assert kind.place(len(kind.names) - 1) == (rows - 1, columns - 1)


GAMES = 200 if COMPILED else 2


@pytest.mark.parametrize("name", game_names())
def test_sums_are_the_scores(name: str) -> None:
    """Over whole batches, which games by hand and by trace are too slow for."""
    game = find_game(name)
    for texts in SETTINGS[name]:
        rules = rules_of(game, texts)
        for spec in PLAYERS[name] if COMPILED else PLAYERS[name][:1]:
            seats = game.seat_numbers(rules)[-1 if COMPILED else 0]
            player = find_strategy(name, spec).player()
            outcomes, logs = Table(game, rules, [player] * seats).log(5, 0, GAMES)
            tallies = facts_of(game).tally(rules, logs, outcomes)
            names = [column.name for column in game.columns]
            by_column = {column: outcomes[..., place].astype(int) for place, column in enumerate(names)}
            count, value, first = {}, {}, 0
            for kind in facts_of(game).kinds(rules, seats):
                told = tallies[:, :, first : first + len(kind.names)]
                first += len(kind.names)
                count[kind.name], value[kind.name] = told[..., 0], told[..., 1]
                if kind.adds_up:
                    assert (told[..., 1].sum(axis=2) == kind.scale * by_column["score"]).all(), kind.name
            assert first == tallies.shape[2]
            check_sums(name, rules, by_column, count, value)


def check_sums(name: str, rules: Any, outcome: dict[str, Any], count: dict[str, Any], value: dict[str, Any]) -> None:
    """What each game's outcome says of the same things in its own columns."""
    total = {kind: numbers.sum(axis=2) for kind, numbers in count.items()}
    if name == "criss-cross":
        start = rules.start != "empty"
        assert (total["cell"] + start == outcome["filled"]).all()
        assert (count["line"].sum(axis=2) <= 2 * rules.size + 1).all()
        if not rules.diagonal_weight:
            for place, column in enumerate(("pairs", "triplets", "quadruples", "quintets")[: rules.size - 1]):
                assert (count["run"][..., place + 1] == outcome[column]).all()
    if name == "cross-off":
        for track, column in enumerate(("red", "yellow", "green", "blue")):
            assert (count["track"][..., track] == outcome[column]).all()
        assert (total["close"] == outcome["closes"]).all()
        assert (total["skipped"] == outcome["skipped"]).all()
        assert (count["mark"][..., 3] == outcome["penalties"]).all()
        assert (total["number"] + total["close"] == total["track"]).all()
        lost = rules.penalty_points * outcome["penalties"]
        assert (value["track"].sum(axis=2) - lost == outcome["score"]).all()
        assert (value["number"].sum(axis=2) + 4 * rules.mark_points[0] - lost == outcome["score"]).all()
    if name == "crosswise":
        for place, column in enumerate(("placed", "removes", "moves", "swaps", "replaces", "passes")):
            assert (count["play"][..., place] == outcome[column]).all()
        for line in range(6):
            assert (value["line"][..., line] == outcome[f"line_{line + 1}"]).all()
        assert (total["symbol"] == outcome["placed"] + outcome["replaces"]).all()
        # Of all plays together, each team's lead is what its plays gained less what the other's did.
        gained = value["play"].sum(axis=2)
        teams = outcome["team"]
        lead = outcome["score"][:, 0] - outcome["score"][:, 1]
        assert (np.where(teams == 0, gained, -gained).sum(axis=1) == lead).all()
    if name == "crossways":
        assert (total["held"] == outcome["markers"]).all()
        assert (total["square"] == outcome["placed"]).all()
        assert (total["removal"] == outcome["removed"]).all()
        assert (total["use"] == outcome["placed"] + outcome["removed"]).all()
        teams = outcome["team"]
        own_removed, others_removed = count["use"][..., 4].sum(axis=1), count["use"][..., 5].sum(axis=1)
        first_of_teams = [int(np.argmax(teams[0] == team)) for team in range(int(teams.max()) + 1)]
        on_board = outcome["markers"][:, first_of_teams].sum(axis=1)
        assert (on_board == outcome["placed"].sum(axis=1) - own_removed - others_removed).all()
        assert (value["square"] + value["removal"]).sum() == 60 * value["play"].sum() == value["card"].sum()
        won = outcome["score"] == 1
        assert (value["held"].sum(axis=2)[won] >= outcome["path_length"][won]).all()
        assert (value["held"].sum(axis=2)[~won] == 0).all()
        if len(first_of_teams) == 2:
            steps = np.where(teams == 0, 1, -1) * value["play"].sum(axis=2)
            decided = won.any(axis=1)
            assert (np.abs(steps.sum(axis=1))[decided] > 0).all()


# --- By hand ---------------------------------------------------------------------------------------------------------


def table_of(rows: list[ElementRow], kind: str, seat: int = 0) -> dict[str, tuple[int, float | None]]:
    return {row.element: (row.count, row.value) for row in rows if row.kind == kind and row.seat == seat}


def test_criss_cross_by_hand() -> None:
    """A sheet of three by three: X X X above, t over t on the left, and two spaces that stay empty."""
    from sims.criss_cross import ILLEGAL, LOG

    game = find_game("criss-cross")
    rules = game.rules().replace(size=3, zero_line_points=-6, diagonal_weight=2)
    log = np.zeros(1, LOG).view(np.recarray)[0]
    log.start[0] = 1
    log.rounds = 3
    log.moves[:] = ILLEGAL
    log.rolls[0], log.moves[0, 0] = (1, 1), 1 << 1  # cells 1 and 2, to the right of the start
    log.rolls[1], log.moves[1, 0] = (2, 2), (5 + 32) << 1  # cell 5 and the one below
    log.rolls[2], log.moves[2, 0] = (4, 3), (6 + 32) << 1 | 1  # 3 above 4, in the middle
    outcome = np.zeros((1, len(game.columns)), np.int16)
    rows = element_rows(facts_of(game), rules, log, outcome)
    # X X X / t c . / t s .
    lines = table_of(rows, "line")
    assert [lines[f"row {row}"] for row in (1, 2, 3)] == [(1, 3), (0, -6), (0, -6)]
    assert [lines[f"column {column}"] for column in (1, 2, 3)] == [(1, 2), (0, -6), (0, -6)]
    assert lines["diagonal"] == (0, -12)
    assert table_of(rows, "symbol")["X"] == (1, 3)
    assert table_of(rows, "symbol")["triangle"] == (1, 2)
    assert table_of(rows, "run")["triplet"] == (1, 3)
    assert table_of(rows, "run")["line without points"] == (5, -36)
    cells = table_of(rows, "cell")
    assert cells["row 1, column 1"] == (0, 1)
    assert cells["row 1, column 2"] == (1, 1 - 2)
    assert cells["row 1, column 3"] == (1, 1 - 2 - 4)
    assert cells["row 3, column 3"] == (0, -4)
    assert table_of(rows, "cell-round")["row 3, column 2"] == (1, 3)
    assert sum(value or 0 for _, value in cells.values()) == 5 - 24 - 12


def test_cross_off_by_hand() -> None:
    """Two seats: both mark red 7 by the sum of the first roll, the roller blue 9 as well; then it passes everything."""
    from sims.cross_off import LOG

    game = find_game("cross-off")
    rules = game.rules().replace(penalties_to_end=1)
    log = np.zeros(1, LOG).view(np.recarray)[0]
    log.turns = 2
    log.rolls[0] = (3, 4, 1, 1, 1, 6)
    log.sums[0, :2] = 6, 6  # red, position 6: the 7
    log.pairs[0] = 16 * 3 + 4  # blue, position 4: the 9
    log.rolls[1] = (1, 1, 1, 1, 1, 1)
    outcome = np.zeros((2, len(game.columns)), np.int16)
    rows = element_rows(facts_of(game), rules, log, outcome)
    assert table_of(rows, "track") == {"red": (1, 1), "yellow": (0, 0), "green": (0, 0), "blue": (1, 1)}
    assert table_of(rows, "mark") == {
        "sum of the own roll": (1, 1),
        "sum of another's roll": (0, 0),
        "pair of the own roll": (1, 1),
        "penalty": (0, 0),
    }
    assert table_of(rows, "mark", 1)["sum of another's roll"] == (1, 1)
    assert table_of(rows, "mark", 1)["penalty"] == (1, -5)
    assert table_of(rows, "number")["blue 9"] == (1, 1)
    skipped = {name for name, (count, _) in table_of(rows, "skipped").items() if count}
    assert skipped == {"red 2", "red 3", "red 4", "red 5", "red 6", "blue 12", "blue 11", "blue 10"}


def test_rows_have_places_on_boards_only() -> None:
    game = find_game("cross-off")
    rows, _ = rows_of(game, game.rules(), ["uniform"], 1)
    by_name = {(row.kind, row.element): row for row in rows}
    number = by_name["number", "green 12"]
    assert (number.row, number.column) == (2, 0)
    assert by_name["skipped", "blue 2"].value is None
    assert by_name["track", "red"].row is None
    assert len(rows) == len(by_name)
