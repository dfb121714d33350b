"""Game records: their metrics, and the way to a file and back."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.records import (
    METRICS,
    SCHEMA,
    Record,
    choices_a_decision,
    choices_by_turn,
    decided_at,
    decided_share,
    decisions,
    drama,
    end_reason,
    end_reasons,
    forced,
    largest_deficit,
    lead_by_turn,
    lead_changes,
    load_records,
    measure,
    record_games,
    records,
    save_records,
    summarise,
    turns,
    winner_behind,
)
from sims.criss_cross import runs
from sims.design import Design
from sims.errors import StoreError, UsageError
from sims.game import find_game
from strategies import find_strategy

GAME = find_game("criss-cross")
RULES = GAME.variant()
DESIGN = Design(
    GAME, RULES, (tuple(find_strategy("criss-cross", name).player() for name in ("first-fit", "uniform")),), 5, 6
)


def told(
    standings: list[list[int]] | None,
    winners: tuple[int, ...] = (0,),
    choices: list[list[int]] | None = None,
    events: list[dict[str, Any]] | None = None,
) -> Record:
    """A record with the given points by turn."""
    seats = len((standings or choices or [[0, 0]])[0])
    outcome = [{"seat": seat, "win": (seat in winners) / max(len(winners), 1)} for seat in range(seats)]
    return Record(
        deal=0,
        rotation=0,
        seats=("uniform",) * seats,
        events=events or [],
        outcome=outcome,
        standings=None if standings is None else np.array(standings).reshape(-1, seats),
        choices=None if choices is None else np.array(choices).reshape(-1, seats),
    )


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return record_games(DESIGN, 4)


# --- Metrics of one record -------------------------------------------------------------------------------------------


def test_turns() -> None:
    assert turns(told([[1, 2], [3, 4]])) == 2
    assert turns(told(None, choices=[[1, 1]] * 3)) == 3
    assert turns(told(None)) is None


@pytest.mark.parametrize(
    ("standings", "winners", "turn"),
    [
        ([[2, 1], [3, 1], [4, 1]], (0,), 1),
        ([[1, 2], [3, 2], [4, 2]], (0,), 2),
        ([[2, 1], [2, 3], [4, 3]], (0,), 3),
        ([[2, 1], [3, 3], [4, 3]], (0,), 3),  # level is not ahead
        ([[2, 1], [3, 1], [4, 4]], (0,), 1),  # a tie at the end that a tie-break decides
        ([[1, 2], [2, 3], [4, 4]], (0,), 3),
        ([[2, 1], [3, 3], [4, 4]], (0, 1), 2),  # a shared win: level at the top for good
        ([[2, 1], [3, 2], [4, 4]], (0, 1), 3),
        ([[5, 5, 1], [5, 5, 9], [9, 9, 9]], (0, 1), 3),
        ([[4, 1, 4, 1], [5, 6, 5, 6], [9, 6, 9, 6]], (0, 2), 3),  # two teams
        ([[4, 1, 4, 1], [7, 6, 7, 6], [9, 6, 9, 6]], (0, 2), 1),
    ],
)
def test_decided_at(standings: list[list[int]], winners: tuple[int, ...], turn: int) -> None:
    assert decided_at(told(standings, winners)) == turn
    assert decided_share(told(standings, winners)) == turn / 3


@pytest.mark.parametrize("metric", [decided_at, decided_share, lead_changes, winner_behind, drama, largest_deficit])
def test_nobody_leads(metric: Any) -> None:
    """Games for one, games that nobody won, and games that do not tell the points."""
    assert metric(told([[1], [2]])) is None
    assert metric(told([[1, 2], [3, 2]], ())) is None
    assert metric(told(None)) is None


@pytest.mark.parametrize(
    ("standings", "winners", "changes"),
    [
        ([[2, 1], [3, 1], [4, 1]], (0,), 0),
        ([[1, 2], [3, 2], [3, 4], [5, 4]], (0,), 3),
        ([[2, 1], [2, 2], [3, 2]], (0,), 0),  # level, and ahead again
        ([[2, 1], [2, 2], [2, 3]], (1,), 1),  # past it by way of being level
        ([[0, 0], [1, 0], [2, 0]], (0,), 0),  # the first to lead takes the lead from nobody
        ([[2, 1], [2, 1], [3, 3]], (1,), 1),  # the tie-break
        ([[4, 1, 4, 1], [5, 6, 5, 6], [9, 6, 9, 6]], (0, 2), 2),  # two teams
    ],
)
def test_lead_changes(standings: list[list[int]], winners: tuple[int, ...], changes: int) -> None:
    assert lead_changes(told(standings, winners)) == changes


def test_deficit_of_the_winner() -> None:
    record = told([[0, 3], [2, 3], [5, 3], [3, 9], [9, 9]], (0,))
    assert winner_behind(record) == 3 / 4
    assert drama(record) == (3 + 1 + 0 + 6) / 4
    assert largest_deficit(record) == 6


def test_deficit_of_a_shared_win_is_that_of_the_better_one() -> None:
    assert drama(told([[0, 1, 3], [4, 5, 5], [7, 7, 6]], (0, 1))) == (2 + 0) / 2


def test_a_game_of_one_turn_has_no_drama() -> None:
    record = told([[1, 2]], (1,))
    assert [metric(record) for metric in (decided_at, lead_changes, winner_behind, drama, largest_deficit)] == [
        1,
        0,
        0,
        0,
        0,
    ]


def test_choices() -> None:
    record = told(None, choices=[[10, 4], [1, 0], [1, 0]])
    assert decisions(record) == 4
    assert choices_a_decision(record) == 4
    assert forced(record) == 0.5
    assert [metric(told([[1, 2]])) for metric in (decisions, choices_a_decision, forced)] == [None] * 3
    assert choices_a_decision(told(None, choices=[[0, 0]])) is None


def test_end_reason() -> None:
    assert end_reason(told(None)) is None
    assert end_reason(told(None, events=[{"type": "pass"}, {"type": "end", "reason": "passes"}])) == "passes"


@given(st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=8))
def test_metrics_agree_with_each_other(standings: list[list[int]]) -> None:
    last = standings[-1]
    winners = tuple(seat for seat in range(3) if last[seat] == max(last))
    record = told(standings, winners)
    turn, changes, deficit, largest = (
        float(metric(record) or 0) for metric in (decided_at, lead_changes, drama, largest_deficit)
    )
    assert 1 <= turn <= len(standings)
    assert 0 <= changes < len(standings)
    assert changes < turn, "no lead changes after the game is decided"
    assert 0 <= deficit <= largest
    for row in standings[int(turn) - 1 :]:
        assert {seat for seat in range(3) if row[seat] == max(row)} == set(winners)
    if turn == 1:
        assert deficit == 0


# --- Records of Criss Cross ------------------------------------------------------------------------------------------


def test_records_are_the_games_of_the_design(frame: pl.DataFrame) -> None:
    assert dict(frame.schema) == SCHEMA
    assert frame["deal"].to_list() == [0, 1, 2, 3] * 2
    assert frame["rotation"].to_list() == [0] * 4 + [1] * 4
    assert frame["seats"].to_list() == [["first-fit", "uniform"]] * 4 + [["uniform", "first-fit"]] * 4
    assert len(record_games(DESIGN, 99)) == 12, "no more than the design has"


def points(sheet: dict[tuple[int, int], int]) -> int:
    lines = [[(row, column) for column in range(5)] for row in range(5)]
    lines += [[(row, column) for row in range(5)] for column in range(5)]
    return sum(RULES.run_points[run - 1] for line in lines for run in runs(tuple(sheet.get(at, 0) for at in line)))


def test_standings_are_what_the_events_score(frame: pl.DataFrame) -> None:
    for record in records(frame):
        sheets: list[dict[tuple[int, int], int]] = [{}, {}]
        after: dict[int, list[int]] = {}
        for event in record.events:
            if event["type"] == "start":
                sheets[event["seat"]][0, 0] = event["symbol"]
            if event["type"] == "place":
                for symbol, (row, column) in zip(event["symbols"], event["cells"], strict=True):
                    sheets[event["seat"]][row, column] = symbol
            if "round" in event:
                after[event["round"]] = [points(sheet) for sheet in sheets]
        assert record.standings is not None
        assert record.standings.tolist() == [after[turn] for turn in range(1, len(record.standings) + 1)]
        assert record.standings[-1].tolist() == [seat["score"] for seat in record.outcome]


@pytest.mark.parametrize("changes", [{"start": "empty"}, {"start": "rolled", "size": 3}, {"size": 4}])
def test_standings_end_with_the_score_under_any_rules(changes: dict[str, Any]) -> None:
    rules = GAME.variant("advanced").replace(**changes)
    for record in records(record_games(Design(GAME, rules, DESIGN.lineups, 3, 2), 2)):
        assert record.standings is not None
        assert record.standings[-1].tolist() == [seat["score"] for seat in record.outcome]


def test_choices_are_where_somebody_chose(frame: pl.DataFrame) -> None:
    for record in records(frame):
        placed = {(event["round"], event["seat"]) for event in record.events if event["type"] == "place"}
        assert record.choices is not None
        assert {(int(turn) + 1, int(seat)) for turn, seat in np.argwhere(record.choices > 0)} == placed
        first = next(event["symbols"] for event in record.events if event["type"] == "roll")
        assert record.choices[0].tolist() == [38 if first[0] == first[1] else 76] * 2


# --- Files -----------------------------------------------------------------------------------------------------------


def test_records_return_from_a_file(frame: pl.DataFrame, tmp_path: Path) -> None:
    path = save_records(frame, tmp_path / "new" / "records.parquet")
    assert load_records(path).equals(frame)
    assert measure(load_records(path)).equals(measure(frame))


def test_a_file_that_cannot_be_read_or_written(frame: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read records"):
        load_records(tmp_path / "none.parquet")
    (tmp_path / "text").write_text("no Parquet")
    with pytest.raises(StoreError, match="cannot read records"):
        load_records(tmp_path / "text")
    with pytest.raises(StoreError, match="cannot write records"):
        save_records(frame, tmp_path / "text" / "records.parquet")
    frame.drop("events", "seats").write_parquet(tmp_path / "other.parquet")
    with pytest.raises(StoreError, match="no column seats, events"):
        load_records(tmp_path / "other.parquet")


# --- Metrics of many -------------------------------------------------------------------------------------------------


def test_measure_takes_metrics_of_ones_own(frame: pl.DataFrame) -> None:
    def rolls(record: Record) -> float:
        return float(sum(event["type"] == "roll" for event in record.events))

    measured = measure(frame, {**METRICS, "rolls": rolls})
    assert measured["rolls"].to_list() == measured["turns"].to_list()
    assert measured.columns == ["deal", "rotation", *METRICS, "rolls"]


def test_summarise_takes_deals_as_blocks() -> None:
    """Two rotations of a deal that are alike count once for the interval."""
    once = pl.DataFrame({"deal": [0, 1, 2], "rotation": [0, 0, 0], "x": [1.0, 2.0, 6.0], "none": [None] * 3})
    twice = pl.concat([once, once.with_columns(pl.lit(1).alias("rotation").cast(pl.Int64))])
    first, second = (summarise(measured).row(0, named=True) for measured in (once, twice))
    assert first["mean"] == second["mean"] == 3
    assert (first["low"], first["high"]) == (second["low"], second["high"])
    assert first["low"] == pytest.approx(3 - 4.302653 * np.std([1, 2, 6], ddof=1) / np.sqrt(3))
    assert (first["q05"], first["median"], first["q95"]) == (1, 2, 6)
    assert (second["games"], second["blocks"]) == (6, 3)
    assert summarise(once)["metric"].to_list() == ["x"]


def test_choices_by_turn(frame: pl.DataFrame) -> None:
    by_turn = choices_by_turn(frame)
    every = [record.choices for record in records(frame) if record.choices is not None]
    assert by_turn["turn"].to_list()[0] == 1
    assert by_turn["decisions"].to_list()[0] == 16
    assert by_turn["choices"].to_list()[0] == np.mean([choices[0] for choices in every])
    assert by_turn["decisions"].sum() == sum(np.count_nonzero(choices) for choices in every)


def rows_of(*told_of: tuple[list[list[int]], tuple[int, ...], list[list[int]] | None]) -> pl.DataFrame:
    """A frame of records with these standings, winners and choices."""
    rows = [
        {
            **dict.fromkeys(("game", "rules_version", "rules"), ""),
            "seed": 1,
            "deal": deal,
            "rotation": 0,
            "seats": ["x"] * len(standings[0]),
            "events": "[]",
            "outcome": json.dumps([{"seat": seat, "win": seat in winners} for seat in range(len(standings[0]))]),
            "standings": standings,
            "choices": choices,
        }
        for deal, (standings, winners, choices) in enumerate(told_of)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def test_choices_by_turn_tells_their_spread() -> None:
    standings = [[0, 0], [0, 1]]
    by_turn = choices_by_turn(rows_of(*[(standings, (1,), [[number, 0], [0, 1]]) for number in range(1, 21)]))
    assert by_turn.rows() == [(1, 20, 10.5, 1.0, 10.0, 19.0, 0.05), (2, 20, 1.0, 1.0, 1.0, 1.0, 1.0)]
    assert choices_by_turn(rows_of((standings, (1,), None))).is_empty()


def test_lead_by_turn_is_that_of_the_eventual_winner() -> None:
    frame = rows_of(
        ([[0, 3, 1], [5, 3, 2]], (0,), None),
        ([[2, 2, 1], [2, 2, 1], [4, 1, 9]], (2,), None),
        ([[7, 7, 7]], (), None),  # nobody won
    )
    leads = lead_by_turn(frame)
    assert leads.select("turn", "games", "mean", "median").rows() == [
        (1, 2, -2.0, -3.0),
        (2, 2, 0.5, -1.0),
        (3, 1, 5.0, 5.0),
    ]
    assert leads.select("ahead", "level", "behind").rows() == [(0.0, 0.0, 1.0), (0.5, 0.0, 0.5), (1.0, 0.0, 0.0)]
    assert lead_by_turn(frame.tail(1)).is_empty()


def test_lead_by_turn_of_those_who_win_together() -> None:
    # Two sides of two seats, and a win that all share.
    frame = rows_of(([[4, 1, 4, 1], [2, 6, 2, 6]], (1, 3), None), ([[4, 4, 4, 4]], (0, 1, 2, 3), None))
    leads = lead_by_turn(frame)
    assert leads["mean"].to_list() == [-1.5, 4]
    assert leads["level"].to_list() == [0.5, 0]


def test_lead_by_turn_agrees_with_the_metrics(frame: pl.DataFrame) -> None:
    behind = measure(frame)["winner_behind"].mean()
    leads = lead_by_turn(frame)
    assert leads["games"].unique().to_list() == [8]
    assert leads["behind"].head(-1).mean() == pytest.approx(behind)


def test_end_reasons_counts_games(frame: pl.DataFrame) -> None:
    assert end_reasons(frame) == {}
    ended = frame.with_columns(pl.lit('[{"type": "end", "reason": "full"}]').alias("events"))
    assert end_reasons(ended) == {"full": 8}


def test_records_and_metrics_are_taken_from_pandas(frame: pl.DataFrame) -> None:
    moved = frame.to_pandas()
    assert measure(moved).equals(measure(frame))
    assert choices_by_turn(moved).equals(choices_by_turn(frame))
    assert end_reasons(moved) == end_reasons(frame)
    assert summarise(measure(frame).to_pandas()).equals(summarise(measure(frame)))


def test_frames_that_hold_no_records_are_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(UsageError, match="the frame of records has no column 'events'"):
        measure(frame.drop("events"))
    with pytest.raises(UsageError, match="the frame of metrics has no column 'deal'"):
        summarise(pl.DataFrame({"turns": [1.0]}))
