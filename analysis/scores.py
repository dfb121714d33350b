"""Distribution: how the scores of a line-up's strategies, or what else they count, spread: as frames and as text."""

import functools
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.distributions import (
    CONFIDENCE,
    Band,
    BlockScores,
    Quantile,
    Share,
    check_quantile,
    named_bands,
)
from analysis.frames import check_filled, to_polars
from analysis.histogram import Histogram
from analysis.intervals import Interval
from analysis.tables import WIDTH
from sims.design import Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import SCORE, Game, Rules, find_game, near_misses
from sims.run import run
from strategies.api import Strategy
from strategies.specs import find_players

if TYPE_CHECKING:
    import pandas as pd

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles that are reported by default."""

COLUMNS = ("strategy", "deal", "score")
"""Columns of a frame of games that were played before."""

ROWS = 16  # at most, of the histogram that is drawn as text
WIDTHS = (1, 2, 5)  # of its rows, times a power of ten


# --- Counting the games of a run -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineupScores:
    """The block scores of every strategy of a line-up; adding two merges their blocks."""

    strategies: dict[str, BlockScores]

    def __add__(self, other: "LineupScores") -> "LineupScores":
        """Return the scores of both sets of blocks together."""
        return LineupScores({spec: scores + other.strategies[spec] for spec, scores in self.strategies.items()})


def count_blocks(
    design: Design, chunk: int, outcomes: Sequence[Outcomes], *, bands: Sequence[Band], column: int = SCORE
) -> LineupScores:
    """Count the scores (or another column) of one chunk of a design with one line-up, by strategy and block."""
    scores = outcomes[0][..., column]
    players = design.lineups[0]
    places: dict[str, list[NDArray[np.int16]]] = {player.spec: [] for player in players}
    for rotation, seating in enumerate(design.seatings(0)):
        for seat, who in enumerate(seating):
            places[players[who].spec].append(scores[rotation, :, seat])
    return LineupScores(
        {spec: BlockScores.from_scores(np.stack(columns, axis=1), bands) for spec, columns in places.items()}
    )


# --- The verb --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Distribution:
    """What `distribution` found: the spread of each strategy's scores, or of another column of the outcome.

    Attributes
    ----------
    scores
        By strategy: the exact counts.
    tail_scores, quantile_shares, named
        The tails, quantiles and named bands that are reported.
    design
        What was played; None when the scores are from a frame.
    seconds, games
        How long it took, and the games that were played for it (none for those that a store held already).
    column
        What is counted: "score", or another column. Frames name it so.
    """

    scores: Mapping[str, BlockScores]
    tail_scores: tuple[int, ...]
    quantile_shares: tuple[float, ...]
    named: tuple[Band, ...]
    design: Design | None = None
    seconds: float = 0.0
    games: int = 0
    column: str = "score"

    @property
    def specs(self) -> list[str]:
        """The different strategies, in the order of the line-up."""
        return list(self.scores)

    def histogram(self, strategy: str | None = None) -> Histogram:
        """Return all scores of a strategy; it may be left out when there is only one.

        Raises
        ------
        UsageError
            For a strategy that is not in the line-up.
        """
        spec = self.specs[0] if strategy is None and len(self.scores) == 1 else strategy
        if spec is None or spec not in self.scores:
            raise UsageError(f"{spec!r} is not in the line-up: {', '.join(self.specs)}")
        return self.scores[spec].histogram

    # --- Frames ------------------------------------------------------------------------------------------------------

    def summary(self) -> pl.DataFrame:
        """Return one row a strategy.

        Columns: `strategy`, `games`, `blocks`; `mean` with the ends `low` and `high` of its interval over blocks; `sd`
        and `skewness`; `minimum`, `median`, `maximum`; `cdf_half_width`, half the width of the band around the whole
        distribution function.
        """
        rows = []
        for spec, scores in self.scores.items():
            histogram, interval = scores.histogram, scores.mean_interval()
            rows.append(
                {
                    "strategy": spec,
                    "games": histogram.total,
                    "blocks": scores.blocks,
                    "mean": histogram.mean,
                    "low": interval.low,
                    "high": interval.high,
                    "sd": histogram.sd,
                    "skewness": histogram.skewness,
                    "minimum": histogram.minimum,
                    "median": histogram.median,
                    "maximum": histogram.maximum,
                    "cdf_half_width": scores.cdf_half_width(),
                }
            )
        floats = ("mean", "low", "high", "sd", "skewness", "minimum", "median", "maximum", "cdf_half_width")
        schema = {"strategy": pl.String, "games": pl.Int64, "blocks": pl.Int64, **dict.fromkeys(floats, pl.Float64)}
        return _frame(rows, schema)

    def quantiles(self) -> pl.DataFrame:
        """Return one row a strategy and quantile.

        Columns: `strategy`, `quantile`, `score` (or the column), its interval `low` to `high` (null where there are too
        few games for an end), and `effective`, the number of independent games that would tell as much.
        """
        rows = [
            {"strategy": spec, "quantile": p, **scores.quantile(p)._asdict()}
            for spec, scores in self.scores.items()
            for p in self.quantile_shares
        ]
        floats = ("quantile", "score", "low", "high", "effective")
        frame = _frame(rows, {"strategy": pl.String, **dict.fromkeys(floats, pl.Float64)})
        return frame.rename({"score": self.column})

    def tails(self) -> pl.DataFrame:
        """Return one row a strategy and tail.

        Columns: `strategy`, `at_least` (the score), `games`, `share`, its interval `low` to `high`, and `effective`.
        """
        rows = [
            {"strategy": spec, "at_least": score, **scores.tail(score)._asdict()}
            for spec, scores in self.scores.items()
            for score in self.tail_scores
        ]
        return _frame(rows, {"strategy": pl.String, "at_least": pl.Int64, **_SHARE_COLUMNS})

    def bands(self) -> pl.DataFrame:
        """Return one row a strategy and named band, highest band first; no rows when the game has none for these rules.

        Columns: `strategy`, `band`, `from` and `to` (both included; null without an end), `games`, `share`, its
        interval `low` to `high`, and `effective`.
        """
        rows = [
            {
                "strategy": spec,
                "band": name,
                "from": low,
                "to": None if end is None else end - 1,
                **scores.band(place)._asdict(),
            }
            for spec, scores in self.scores.items()
            for place, (name, low, end) in enumerate(self.named)
        ]
        schema = {"strategy": pl.String, "band": pl.String, "from": pl.Int64, "to": pl.Int64, **_SHARE_COLUMNS}
        return _frame(rows, schema)

    def cdf(self) -> pl.DataFrame:
        """Return the distribution: one row a strategy and value that occurred.

        Columns: `strategy`, `score` (or the column), `count`, `share`; `cdf`, the share at or below; `low` and `high`,
        a band that holds the whole distribution function at once.
        """
        frames = []
        for spec, scores in self.scores.items():
            counts, half_width = scores.histogram.to_dict(), scores.cdf_half_width()
            n = scores.histogram.total
            cumulative = np.cumsum(list(counts.values()), dtype=np.int64) / n
            frames.append(
                pl.DataFrame(
                    {
                        "strategy": [spec] * len(counts),
                        "score": list(counts),
                        "count": list(counts.values()),
                        "share": [count / n for count in counts.values()],
                        "cdf": cumulative,
                        "low": np.maximum(cumulative - half_width, 0),
                        "high": np.minimum(cumulative + half_width, 1),
                    },
                    schema_overrides={"score": pl.Int64, "count": pl.Int64},
                )
            )
        return pl.concat(frames).rename({"score": self.column})

    def to_pandas(self) -> "pd.DataFrame":
        """Return `cdf` for pandas."""
        return self.cdf().to_pandas()

    def statistics(self) -> pl.DataFrame:
        """Return everything in one long frame.

        Columns: `strategy`; `statistic` (mean, sd, skewness, minimum, maximum, quantile, band, tail, cdf); `at` (which
        quantile, band or score); `value` and its interval `low` to `high`.
        """
        rows: list[dict[str, Any]] = []

        def add(spec: str, statistic: str, at: Any, value: float, low: Any = None, high: Any = None) -> None:
            rows.append({"strategy": spec, "statistic": statistic, "at": at, "value": value, "low": low, "high": high})

        for row in self.summary().iter_rows(named=True):
            add(row["strategy"], "mean", None, row["mean"], row["low"], row["high"])
            for statistic in ("sd", "skewness", "minimum", "maximum"):
                add(row["strategy"], statistic, None, row[statistic])
        for statistic, frame, at, value in (
            ("quantile", self.quantiles(), "quantile", self.column),
            ("band", self.bands(), "band", "share"),
            ("tail", self.tails(), "at_least", "share"),
            ("cdf", self.cdf(), self.column, "cdf"),
        ):
            for row in frame.iter_rows(named=True):
                shown = f"{row[at]:.10g}" if isinstance(row[at], float) else str(row[at])
                add(row["strategy"], statistic, shown, row[value], row["low"], row["high"])
        schema = {
            "strategy": pl.String,
            "statistic": pl.String,
            "at": pl.String,
            **dict.fromkeys(("value", "low", "high"), pl.Float64),
        }
        return _frame(rows, schema)

    def to_dict(self) -> dict[str, Any]:
        """Return the distributions as JSON values; a statistic that is not defined is null."""

        def of(frame: pl.DataFrame, spec: str) -> list[dict[str, Any]]:
            return frame.filter(pl.col("strategy") == spec).drop("strategy").to_dicts()

        summary, quantiles, tails, bands = self.summary(), self.quantiles(), self.tails(), self.bands()
        return {
            "confidence": CONFIDENCE,
            "column": self.column,
            "strategies": [
                {
                    **row,
                    "quantiles": of(quantiles, row["strategy"]),
                    "bands": of(bands, row["strategy"]),
                    "tails": of(tails, row["strategy"]),
                    "histogram": {
                        str(score): count for score, count in self.histogram(row["strategy"]).to_dict().items()
                    },
                }
                for row in summary.iter_rows(named=True)
            ],
            "design": self.design.to_dict() if self.design else None,
        }

    # --- Text --------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the distributions as text, at most 80 columns wide."""
        parts = [self._strategy_text(spec, scores) for spec, scores in self.scores.items()]
        if self.design:
            parts.append(f"seed {self.design.seed}, rules version {self.design.game.rules_version}")
        return "\n\n".join(parts)

    def _strategy_text(self, spec: str, scores: BlockScores) -> str:
        histogram, interval = scores.histogram, scores.mean_interval()
        games = f"{histogram.total:,} {'game' if histogram.total == 1 else 'games'}"
        mean = _points(histogram.mean, interval)
        unit = self.design.game.score_unit if self.design else "points"
        mean = f"{mean} {unit} a game" if self.column == "score" else f"mean {self.column} {mean}"
        told = f"{spec}: {mean} ({_points_range(interval)}) in {games}."
        if scores.games_a_block > 1:
            deals = "1 deal" if scores.blocks == 1 else f"each of {scores.blocks:,} deals"
            told += (
                f" Its {scores.games_a_block} games on {deals} share their luck: intervals are "
                "over deals, and n is the number of independent games that would tell as much."
            )
        facts = (
            f"  sd {_plain(histogram.sd)}, skewness {_plain(histogram.skewness)}, "
            f"lowest {histogram.minimum:.0f}, highest {histogram.maximum:.0f}"
        )
        several = scores.games_a_block > 1
        tables = [
            ("quantile", self.column, [self._quantile_row(p, scores.quantile(p)) for p in self.quantile_shares]),
            (
                "band",
                "share",
                [
                    _share_row(f"{name} ({_span(low, end)})", scores.band(place))
                    for place, (name, low, end) in enumerate(self.named)
                ],
            ),
            ("tail", "share", [_share_row(f"{score} or more", scores.tail(score)) for score in self.tail_scores]),
        ]
        return "\n\n".join(
            [
                # Hyphens are minus signs here, and parts of strategy names.
                textwrap.fill(told, WIDTH, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ") + "\n\n" + facts,
                *(_table(head, value, rows, several) for head, value, rows in tables if rows),
                _drawn(scores.histogram, self.column),
            ]
        )

    @staticmethod
    def _quantile_row(p: float, found: Quantile) -> tuple[str, ...]:
        ends = [f"{end:.0f}" if math.isfinite(end) else "none" for end in (found.low, found.high)]
        interval = f"{ends[0]} to {ends[1]}" if ends != ["none", "none"] else "not known"
        return f"{100 * p:.10g} %", f"{found.score:.0f}", interval, _count(found.effective)


_SHARE_COLUMNS = {"games": pl.Int64, **dict.fromkeys(("share", "low", "high", "effective"), pl.Float64)}


def _frame(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Return rows as a frame; what is not defined is null."""
    return pl.DataFrame(rows, schema=dict(schema), orient="row").with_columns(
        pl.col(name).fill_nan(None) for name, kind in schema.items() if kind == pl.Float64
    )


def _table(head: str, value: str, rows: Sequence[tuple[str, ...]], several: bool) -> str:
    """Return rows of label, value, interval and effective number as aligned text."""
    titled = [(head, value, f"{100 * CONFIDENCE:.10g} % interval", "n"), *rows]
    label, middle, interval, number = (max(len(row[place]) for row in titled) for place in range(4))
    label = min(label, WIDTH - middle - interval - number - 8)
    lines = []
    for name, shown, ends, count in titled:
        *before, last = textwrap.wrap(name, label)
        lines += [f"  {part}" for part in before]
        line = f"  {last:<{label}}  {shown:>{middle}}  {ends:<{interval}}"
        lines.append((f"{line}  {count:>{number}}" if several else line).rstrip())
    return "\n".join(lines)


def _share_row(label: str, found: Share) -> tuple[str, ...]:
    shown = "not known" if math.isnan(found.low) else f"{_percent(found.low)} to {_percent(found.high)}"
    return label, _percent(found.share), shown, _count(found.effective)


def _span(low: int, end: int | None) -> str:
    return f"{low} and more" if end is None else str(low) if end == low + 1 else f"{low} to {end - 1}"


def _drawn(histogram: Histogram, column: str) -> str:
    """Return a small histogram drawn with signs."""
    lowest, highest = int(histogram.minimum), int(histogram.maximum)
    step = next(
        size
        for power in range(10)
        for size in (width * 10**power for width in WIDTHS)
        if highest // size - lowest // size < ROWS
    )
    counts = dict.fromkeys(range(lowest // step, highest // step + 1), 0)
    for score, count in histogram.to_dict().items():
        counts[score // step] += count
    shares = {
        str(place * step) if step == 1 else f"{place * step} to {place * step + step - 1}": count / histogram.total
        for place, count in counts.items()
    }
    label_width = max(len(column), *(len(label) for label in shares))
    percents = {label: _percent(share) for label, share in shares.items()}
    percent_width = max(len("share"), *(len(percent) for percent in percents.values()))
    most, room = max(shares.values()), WIDTH - label_width - percent_width - 6
    lines = [f"  {column:>{label_width}}  {'share':>{percent_width}}"]
    for label, share in shares.items():
        bar = "#" * round(share / most * room)
        lines.append(f"  {label:>{label_width}}  {percents[label]:>{percent_width}}  {bar}".rstrip())
    return "\n".join(lines)


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.2f} %" if percent >= 0.1 else f"{percent:.2g} %"


def _plain(value: float) -> str:
    # The option z turns -0.00 into 0.00.
    return "not known" if math.isnan(value) else f"{value:z.2f}"


def _count(number: float) -> str:
    return "none" if math.isnan(number) else f"{number:,.0f}"


def _decimals(interval: Interval) -> int:
    """Choose decimals, two to six, that show the width of an interval."""
    width = interval.high - interval.low
    return 2 if not width > 0 else min(max(1 - math.floor(math.log10(width)), 2), 6)


def _points(value: float, interval: Interval) -> str:
    return f"{value:z.{_decimals(interval)}f}"


def _points_range(interval: Interval) -> str:
    if math.isnan(interval.low):
        return "interval not known"
    low, high = (_points(end, interval) for end in interval)
    return f"{100 * CONFIDENCE:.10g}\N{NO-BREAK SPACE}% interval {low} to {high}"


def distribution(
    game: str | Game,
    lineup: "str | Strategy | Sequence[str | Strategy]",
    *,
    deals: int = 100_000,
    seed: int = 1,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    tails: Sequence[int] = (),
    quantiles: Sequence[float] = QUANTILES,
    column: str = "score",
    progress: bool = True,
) -> Distribution:
    """Tell how the scores of a line-up's strategies, or another column of their outcomes, are distributed.

    Parameters
    ----------
    game
        The game's name, such as "criss-cross".
    lineup
        Who sits at the table: a spec or a `Strategy` for each seat; one alone plays solo, several are turned through
        all seats on every deal.
    deals, seed
        Which deals; each is a block.
    variant
        The name of a variant, or a rules object.
    n_jobs, backend, store, progress
        See `sims.run.run`; none of them changes the result.
    tails
        Scores: the share of games with at least that many points is reported.
    quantiles
        Which quantiles are reported, each above 0 and below 1.
    column
        What is counted instead of the score: a column of the game's outcomes, such as the turns, in whole numbers.

    Returns
    -------
    Distribution

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    asked = _asked(tails, quantiles)
    found = find_game(game)
    rules = found.resolve_rules(variant)
    place = find_column(found, column)
    # The rulebook's bands are for scores under the rules that it has as its basic game.
    bands = named_bands(found.bands) if rules == found.rules() and place == SCORE else ()
    design = Design(found, rules, (tuple(find_players(found.name, lineup)),), seed=seed, deals=deals)
    reduce = functools.partial(count_blocks, bands=bands, column=place)
    played = run(design, reduce, n_jobs=n_jobs, backend=backend, store=store, progress=progress)
    return Distribution(played.result.strategies, *asked, bands, design, played.seconds, played.games, column)


def find_column(game: Game, name: str) -> int:
    """Return the place of an outcome's column that counts in whole numbers.

    Raises
    ------
    UsageError
        When there is none of that name.
    """
    whole = {column.name: place for place, column in enumerate(game.columns) if column.scale == 1}
    if name not in list(whole):  # a list also takes what has no hash
        raise UsageError(f"{game.name} has no column {name!r} of whole numbers{near_misses(str(name), whole)}")
    return whole[name]


def distribution_of_frame(
    frame: "pl.DataFrame | pd.DataFrame",
    *,
    tails: Sequence[int] = (),
    quantiles: Sequence[float] = QUANTILES,
    bands: Iterable[tuple[int, str]] = (),
) -> Distribution:
    """Tell how scores are distributed that were played before.

    Parameters
    ----------
    frame
        One row a game and seat, as `Results.table`: columns `strategy`, `deal` (the block) and `score`; others are not
        looked at. For pandas or polars.
    tails, quantiles
        As in `distribution`.
    bands
        Named bands, as (lower bound, name), highest first: `find_game(…).bands`.

    Returns
    -------
    Distribution

    Raises
    ------
    UsageError
        When a column or a value is missing, scores are not integers, or a strategy has not as many rows on every deal.
    """
    asked = _asked(tails, quantiles)
    rows = to_polars(frame, "the frame", row="game and seat", columns=COLUMNS)
    check_filled(rows, COLUMNS, "the frame")
    named = named_bands(bands)
    scores = {}
    for (spec,), own in rows.group_by("strategy", maintain_order=True):
        games = own.group_by("deal").len()["len"].unique().to_list()
        if len(games) > 1:
            raise UsageError(
                f"{spec} has {min(games)} rows on one deal and {max(games)} on another; give whole blocks, with as "
                "many rows on each deal"
            )
        values = own.sort("deal")["score"].to_numpy().reshape(-1, games[0])
        scores[str(spec)] = BlockScores.from_scores(values, named)
    return Distribution(scores, *asked, named)


def _asked(tails: Sequence[int], quantiles: Sequence[float]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Check what is asked for; what is asked for twice is told once."""
    limits = np.iinfo(np.int16)  # the numbers of an outcome
    for p in quantiles:
        check_quantile(p)
    checked = [check_whole("tail", score, int(limits.min), int(limits.max)) for score in tails]
    return tuple(dict.fromkeys(checked)), tuple(dict.fromkeys(quantiles))
