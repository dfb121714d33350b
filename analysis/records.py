"""Saved game records, and what they tell about the course of a game: who led, for how long, and with what choices.

A record is one game as events, with the points and the choices of every turn. Records are rows of a frame, one a game,
and are kept as Parquet. A metric is a function of one record: to add one takes no new simulation.
"""

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.frames import to_polars
from analysis.intervals import student_interval
from sims.design import Design
from sims.errors import StoreError, StrategyError

if TYPE_CHECKING:
    import pandas as pd

BATCH = 64
"""Deals that are played at a time: between two batches the work can be stopped."""

SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "game": pl.String,
    "rules_version": pl.String,
    "rules": pl.String,
    "seed": pl.UInt64,
    "deal": pl.Int64,
    "rotation": pl.UInt8,
    "seats": pl.List(pl.String),
    "events": pl.String,
    "outcome": pl.String,
    "standings": pl.List(pl.List(pl.Int64)),
    "choices": pl.List(pl.List(pl.Int64)),
}
"""Columns of a frame of records; `rules`, `events` and `outcome` are JSON, as in a trace."""


@dataclass(frozen=True, eq=False)
class Record:
    """One game.

    Attributes
    ----------
    deal, rotation
        Which game of the design.
    seats
        The spec of each seat's strategy.
    events, outcome
        What happened, and what came out by seat, as in a trace.
    standings
        Points after each turn, shape (turns, seats); None when the game does not tell.
    choices
        Distinct legal moves at each decision, shape (turns, seats), 0 where a seat had none to make; or None.
    """

    deal: int
    rotation: int
    seats: tuple[str, ...]
    events: list[dict[str, Any]]
    outcome: list[dict[str, Any]]
    standings: NDArray[np.int64] | None
    choices: NDArray[np.int64] | None

    @cached_property
    def winners(self) -> frozenset[int]:
        """The seats that won, or shared the win; empty when nobody won."""
        return frozenset(seat["seat"] for seat in self.outcome if seat["win"] > 0)

    @cached_property
    def leaders(self) -> list[frozenset[int]]:
        """The seats with the most points after each turn; after the last one the winners, however ties were broken.

        Empty when there is nobody to lead: without standings, with one seat, or when nobody won.
        """
        if self.standings is None or not len(self.standings) or len(self.seats) < 2 or not self.winners:
            return []
        most = self.standings.max(axis=1, keepdims=True)
        leading = [frozenset(np.flatnonzero(row).tolist()) for row in self.standings == most]
        return [*leading[:-1], self.winners]

    @cached_property
    def deficits(self) -> NDArray[np.int64] | None:
        """How many points the best of the winners was behind after each turn but the last, shape (turns − 1,)."""
        if not self.leaders or self.standings is None:
            return None
        before = self.standings[:-1]
        return np.asarray(before.max(axis=1) - before[:, sorted(self.winners)].max(axis=1), np.int64)


# --- Making, saving, reading -----------------------------------------------------------------------------------------


def record_games(design: Design, deals: int, lineup: int = 0) -> pl.DataFrame:
    """Play the first deals of a design again, and keep all that happened.

    Parameters
    ----------
    design
        What is played.
    deals
        How many of its deals; no more than it has.
    lineup
        Which of its line-ups; all rotations are played.

    Returns
    -------
    DataFrame
        One row a game (columns: see `SCHEMA`), in the order of rotation and deal.

    Raises
    ------
    StrategyError
        When a strategy breaks its contract.
    """
    game, rules = design.game, design.rules
    players = design.lineups[lineup]
    seats = len(players)
    rows = []
    for rotation, (table, seating) in enumerate(zip(design.tables()[lineup], design.seatings(lineup), strict=True)):
        specs = [players[who].spec for who in seating]
        for start in range(0, min(deals, design.deals), BATCH):
            count = min(BATCH, min(deals, design.deals) - start)
            try:
                outcomes, logs = table.log(design.seed, design.first_deal + start, count)
            except StrategyError as error:
                error.replay = design.replay_command(lineup, rotation, error.deal)
                raise
            for place, (outcome, log) in enumerate(zip(outcomes, logs, strict=True)):
                rows.append(
                    {
                        "game": game.name,
                        "rules_version": game.rules_version,
                        "rules": json.dumps(rules.to_dict()),
                        "seed": design.seed,
                        "deal": design.first_deal + start + place,
                        "rotation": rotation,
                        "seats": specs,
                        "events": json.dumps(game.events(rules, log, seats)),
                        "outcome": json.dumps(game.results(rules, log, outcome)),
                        "standings": game.standings(rules, log, seats).tolist() if game.standings else None,
                        "choices": game.choices(rules, log, seats).tolist() if game.choices else None,
                    }
                )
    return pl.DataFrame(rows, schema=SCHEMA)


def save_records(frame: pl.DataFrame, path: Path | str) -> Path:
    """Write records to a Parquet file; its folder is made when it is missing.

    Raises
    ------
    StoreError
        When the file cannot be written.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        frame.write_parquet(target)
    except OSError as error:
        raise StoreError(f"cannot write records to {target}: {error.strerror or error}") from error
    return target


def load_records(path: Path | str) -> pl.DataFrame:
    """Read records that `save_records` wrote.

    Raises
    ------
    StoreError
        When there is no such file, or it holds something else.
    """
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StoreError(f"cannot read records from {path}: {' '.join(str(error).split())}") from error
    missing = [name for name in SCHEMA if name not in frame.columns]
    if missing:
        raise StoreError(f"{path} holds no game records: it has no column {', '.join(missing)}")
    return frame.select(list(SCHEMA))


def records(frame: "pl.DataFrame | pd.DataFrame") -> Iterator[Record]:
    """Yield every row of a frame of records as a `Record`, in order.

    Raises
    ------
    UsageError
        When it is no frame, or a column of `SCHEMA` is missing.
    """

    def by_turn(value: list[list[int]] | None, seats: int) -> NDArray[np.int64] | None:
        return None if value is None else np.array(value, np.int64).reshape(-1, seats)

    for row in to_polars(frame, "the frame of records", columns=list(SCHEMA)).iter_rows(named=True):
        seats = len(row["seats"])
        yield Record(
            row["deal"],
            row["rotation"],
            tuple(row["seats"]),
            json.loads(row["events"]),
            json.loads(row["outcome"]),
            by_turn(row["standings"], seats),
            by_turn(row["choices"], seats),
        )


# --- Metrics of one record -------------------------------------------------------------------------------------------


def turns(record: Record) -> float | None:
    """Return how many turns the game had; None when it does not tell."""
    told = record.standings if record.standings is not None else record.choices
    return None if told is None else float(len(told))


def decided_at(record: Record) -> float | None:
    """Return the first turn, from 1, after which the eventual winner led for good.

    To lead is to have more points than all others. The last turn always decides, as ties are broken there. A shared win
    is decided when its winners, and nobody else, are level at the top for good. None when nobody won.
    """
    if not record.leaders:
        return None
    kept = itertools.takewhile(lambda leading: leading == record.winners, reversed(record.leaders))
    return float(len(record.leaders) - sum(1 for _ in kept) + 1)


def decided_share(record: Record) -> float | None:
    """Return `decided_at` as a share of all turns: near 0 in a runaway game, 1 when the last turn decides."""
    turn = decided_at(record)
    return None if turn is None else turn / len(record.leaders)


def lead_changes(record: Record) -> float | None:
    """Return how often the lead passed to another seat; to draw level with the leader does not take the lead."""
    if not record.leaders:
        return None
    holders, changes = record.leaders[0], 0
    for leading in record.leaders[1:]:
        if holders & leading:
            holders = holders & leading
        else:
            holders, changes = leading, changes + 1
    return float(changes)


def winner_behind(record: Record) -> float | None:
    """Return the share of turns, without the last, after which the eventual winner was behind."""
    if record.deficits is None:
        return None
    return float(np.mean(record.deficits > 0)) if record.deficits.size else 0.0


def drama(record: Record) -> float | None:
    """Return how far behind the eventual winner was, in points: the mean deficit over all turns without the last.

    It is the area between the leader's points and the winner's, divided by its length.

    Notes
    -----
    After the drama of Browne, "Automatic Generation and Evaluation of Recombination Games" (2008): how often and how
    severely the eventual winner was in a worse position. His positions are valued by a search, these by the points on
    the table.
    """
    if record.deficits is None:
        return None
    return float(np.mean(record.deficits)) if record.deficits.size else 0.0


def largest_deficit(record: Record) -> float | None:
    """Return the most points that the eventual winner was behind after any turn but the last."""
    if record.deficits is None:
        return None
    return float(record.deficits.max(initial=0))


def decisions(record: Record) -> float | None:
    """Return how many decisions were made, all seats together; None when the game does not tell."""
    return None if record.choices is None else float(np.count_nonzero(record.choices))


def choices_a_decision(record: Record) -> float | None:
    """Return the mean number of distinct legal moves of a decision."""
    made = decisions(record)
    return float(record.choices.sum()) / made if made and record.choices is not None else None


def forced(record: Record) -> float | None:
    """Return the share of decisions with a single legal move."""
    made = decisions(record)
    return float(np.count_nonzero(record.choices == 1)) / made if made else None


def end_reason(record: Record) -> str | None:
    """Return the reason of the last event of type "end"; None when the game tells none."""
    reasons = [event["reason"] for event in record.events if event["type"] == "end" and "reason" in event]
    return str(reasons[-1]) if reasons else None


Metric = Callable[[Record], float | None]

METRICS: Mapping[str, Metric] = {
    function.__name__: function
    for function in (
        turns,
        decided_at,
        decided_share,
        lead_changes,
        winner_behind,
        drama,
        largest_deficit,
        decisions,
        choices_a_decision,
        forced,
    )
}
"""The metrics by name."""


# --- Metrics of many -------------------------------------------------------------------------------------------------


def measure(frame: "pl.DataFrame | pd.DataFrame", metrics: Mapping[str, Metric] = METRICS) -> pl.DataFrame:
    """Return metrics of records: one row a game with `deal`, `rotation` and a column a metric, null where it is None.

    Parameters
    ----------
    frame
        Records, for Polars or pandas.
    metrics
        Functions of a `Record` by name; any function of yours will do.
    """
    rows = [
        {
            "deal": record.deal,
            "rotation": record.rotation,
            **{name: metric(record) for name, metric in metrics.items()},
        }
        for record in records(frame)
    ]
    return pl.DataFrame(
        rows, schema={"deal": pl.Int64, "rotation": pl.UInt8, **dict.fromkeys(metrics, pl.Float64)}, orient="row"
    )


def summarise(measured: "pl.DataFrame | pd.DataFrame", confidence: float = 0.95) -> pl.DataFrame:
    """Return a row a metric with its mean over all games, interval and quantiles.

    Parameters
    ----------
    measured
        What `measure` returned, for Polars or pandas.
    confidence
        Of the interval of the mean: Student's, over deals, as the rotations of a deal are not independent.

    Returns
    -------
    DataFrame
        Columns `metric`; `mean`, with the ends `low` and `high` of its interval; `q05`, `median`, `q95` over games;
        `games` and `blocks` that have the metric. Metrics that no game has are left out.
    """
    values, rows = to_polars(measured, "the frame of metrics", columns=("deal", "rotation")), []
    for name in values.columns[2:]:
        known = values.select("deal", pl.col(name).alias("value")).drop_nulls()
        if known.is_empty():
            continue
        blocks = known.group_by("deal").agg(pl.col("value").mean()).sort("deal")["value"].to_numpy()
        mean, count = float(blocks.mean()), len(blocks)
        error = float(blocks.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
        interval = student_interval(mean, error, count, confidence)
        ordered = np.sort(known["value"].to_numpy())
        quantiles = _quantiles(ordered, (0.05, 0.5, 0.95))
        rows.append((name, mean, interval.low, interval.high, *quantiles, len(ordered), count))
    names = ("mean", "low", "high", "q05", "median", "q95")
    return pl.DataFrame(
        rows,
        schema={"metric": pl.String, **dict.fromkeys(names, pl.Float64), "games": pl.Int64, "blocks": pl.Int64},
        orient="row",
    )


def choices_by_turn(frame: "pl.DataFrame | pd.DataFrame") -> pl.DataFrame:
    """Return what there was to choose from, a row a turn; turns without decisions are left out.

    Columns: `turn` from 1; `decisions` that were made in it; `choices`, the mean number of distinct legal moves; `q05`,
    `median` and `q95` of that number; `forced`, the share of decisions with a single one.
    """
    made: dict[int, Counter[int]] = {}
    for record in records(frame):
        for place, row in enumerate(() if record.choices is None else record.choices, 1):
            made.setdefault(place, Counter()).update(row[row > 0].tolist())
    rows = []
    for turn in sorted(made):
        numbers = np.array(sorted(made[turn].elements()), np.int64)
        if numbers.size:
            forced_share = float(np.mean(numbers == 1))
            quantiles = _quantiles(numbers, (0.05, 0.5, 0.95))
            rows.append((turn, numbers.size, int(numbers.sum()) / numbers.size, *quantiles, forced_share))
    floats = ("choices", "q05", "median", "q95", "forced")
    schema = {"turn": pl.Int64, "decisions": pl.Int64, **dict.fromkeys(floats, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def lead_by_turn(frame: "pl.DataFrame | pd.DataFrame") -> pl.DataFrame:
    """Return how the eventual winner stands, a row a turn; games that nobody leads or wins are left out.

    Columns: `turn` from 1; `games` that have this turn; `mean`, `q05`, `q25`, `median`, `q75` and `q95` of the winner's
    lead after it, in the unit of the standings; `ahead`, `level` and `behind`, the shares of these games in which that
    lead is above 0, 0, or below.

    The lead is what the best of the winners has more than the best of all who do not win; 0 where everybody wins.
    """
    leads: dict[int, list[int]] = {}
    for record in records(frame):
        if not record.leaders or record.standings is None:
            continue
        won = np.isin(np.arange(len(record.seats)), sorted(record.winners))
        best = record.standings[:, won].max(axis=1)
        others = best if won.all() else record.standings[:, ~won].max(axis=1)
        for turn, lead in enumerate((best - others).tolist(), 1):
            leads.setdefault(turn, []).append(lead)
    rows = []
    for turn in sorted(leads):
        ordered = np.sort(np.array(leads[turn], np.int64))
        shares = (float(np.mean(where)) for where in (ordered > 0, ordered == 0, ordered < 0))
        quantiles = _quantiles(ordered, (0.05, 0.25, 0.5, 0.75, 0.95))
        rows.append((turn, ordered.size, float(ordered.mean()), *quantiles, *shares))
    floats = ("mean", "q05", "q25", "median", "q75", "q95", "ahead", "level", "behind")
    schema = {"turn": pl.Int64, "games": pl.Int64, **dict.fromkeys(floats, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _quantiles(ordered: NDArray[Any], shares: Sequence[float]) -> tuple[float, ...]:
    """Return quantiles of sorted values: the lowest at or below which at least that share of them lies."""
    return tuple(float(ordered[max(math.ceil(share * ordered.size), 1) - 1]) for share in shares)


def end_reasons(frame: "pl.DataFrame | pd.DataFrame") -> dict[str, int]:
    """Return how many of the games ended for each reason; empty when the game tells none."""
    counts: dict[str, int] = {}
    for record in records(frame):
        reason = end_reason(record)
        if reason is not None:
            counts[reason] = counts.get(reason, 0) + 1
    return dict(sorted(counts.items()))
