"""Rank: many strategies on the same deals, with what is sure of their order, ratings, and the cycles that they form.

Common deals take the luck that all share out of every comparison. Intervals hold for all strategies at once, so that it
is safe to look at the whole table.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.comparisons import FEWEST_BLOCKS, POINTS, Verdict, decide
from analysis.contests import heading, make_contest
from analysis.cycles import Cycle, significant_cycles
from analysis.distributions import block_share
from analysis.frames import defined
from analysis.intervals import Interval, check_confidence, student_interval
from analysis.matches import find_unit
from analysis.simultaneous import (
    Contrast,
    Moments,
    Ranks,
    probability_best,
    rank_intervals,
    simultaneous_intervals,
)
from analysis.tables import wide_table, wrapped
from analysis.tournament_ratings import Rated, rate
from analysis.tournaments import (
    Counts,
    Measure,
    Tournament,
    count_tournament,
    possible_tables,
)
from sims.design import Design
from sims.game import WIN_UNIT, Game, Rules
from sims.run import run
from strategies.api import Strategy

if TYPE_CHECKING:
    import pandas as pd

ELO = 400 / math.log(10)
"""Elo points in one unit of log-odds: Elo, "The Rating of Chessplayers, Past and Present" (1978), logistic form."""

Table = NDArray[np.float64]  # shape (K, K)

TOLD = 5
"""So many cycles and disagreements are told; the frames have all."""


# --- Matchups --------------------------------------------------------------------------------------------------------


def margins(tournament: Tournament, counts: Counts, measure: Measure) -> tuple[Table, Table]:
    """Return what the row's strategy has more than the column's, and the standard errors.

    Returns
    -------
    margins, standard_errors : ndarray of float, shape (K, K)
        Where strategies meet in line-ups of their own, in points a game or shares of a win; else the share of deals on
        which the row has more, minus that on which the column has. Errors are nan below two blocks.
    """
    count, blocks = tournament.strategies, counts.scores.blocks
    scale = tournament.meetings * (WIN_UNIT if tournament.direct and measure == "win" else 1)
    table, errors = np.zeros((count, count)), np.zeros((count, count))
    pairs = itertools.combinations(range(count), 2)
    for (a, b), total, square in zip(pairs, counts.pairs.sums, counts.pairs.squares, strict=True):
        table[a, b] = total / (blocks * scale)
        table[b, a] = -table[a, b]
        spread = math.sqrt((blocks * square - total * total) / (blocks - 1)) / blocks if blocks > 1 else math.nan
        errors[a, b] = errors[b, a] = spread / scale
    return table, errors


def cyclic_share(counts: Counts) -> float:
    """Return the share of the squared margins that no ratings explain, free of noise on average.

    Parameters
    ----------
    counts
        Of three strategies or more.

    Returns
    -------
    float
        0 when differences of ratings say all, 1 when they say nothing; chance can take it beyond. nan below two blocks,
        and when the margins are no larger than their noise.

    Notes
    -----
    The split of `analysis.cycles.hodge_split`. There the margins of different pairs come from independent games; here
    all come from the same deals, and the noise of both parts is measured block by block.
    """
    blocks, count = counts.scores.blocks, counts.scores.strategies
    if blocks < 2:
        return math.nan
    sums = counts.pairs.sums
    rows = [0] * count
    for (a, b), total in zip(itertools.combinations(range(count), 2), sums, strict=True):
        rows[a] += total
        rows[b] -= total
    # All times K · blocks², in whole numbers, so that nothing is lost in the differences.
    squared = count * sum(total * total for total in sums)
    cyclic = squared - sum(row * row for row in rows)
    noise = (blocks * count * sum(counts.pairs.squares) - squared) / (blocks - 1)
    cyclic_noise = (blocks * counts.pairs.cyclic - cyclic) / (blocks - 1)
    return (cyclic - cyclic_noise) / (squared - noise) if squared > noise else math.nan


class Disagreement(NamedTuple):
    """Two strategies that the mean score and another measure put in opposite orders.

    ``higher`` has the higher mean score, by ``points`` a game; ``lower`` is ahead by the other measure. ``clear`` says
    whether the data are sure of both.
    """

    higher: str
    lower: str
    points: float
    clear: bool


# --- The result ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ranking:
    """What `rank` found.

    Attributes
    ----------
    strategies
        The specs, in the order in which they were given.
    tournament, design
        What was played.
    counts
        The exact counts of the blocks.
    measure
        What the order is by: "score" or "win".
    margin
        The difference in the measure that does not matter.
    confidence
        Of all intervals; those of a table hold at once.
    seconds, games
        How long it took, and the games that were played.
    """

    strategies: tuple[str, ...]
    tournament: Tournament
    design: Design
    counts: Counts
    measure: Measure
    margin: float
    confidence: float
    seconds: float
    games: int

    # --- Statistics --------------------------------------------------------------------------------------------------

    @property
    def blocks(self) -> int:
        """The number of deals."""
        return self.counts.scores.blocks

    @property
    def moments(self) -> Moments:
        """The exact moments of the measure."""
        return self.counts.wins if self.measure == "win" else self.counts.scores

    def _unit(self, measure: Measure) -> int:
        return self.tournament.value_unit(measure)

    @functools.cached_property
    def _pairs(self) -> tuple[Contrast, ...]:
        return simultaneous_intervals(self.moments, "all-pairs", self.confidence)

    @functools.cached_property
    def _ranks(self) -> tuple[Ranks, ...]:
        if self.blocks < FEWEST_BLOCKS:
            return (Ranks(1, len(self.strategies)),) * len(self.strategies)
        return rank_intervals(self._pairs)

    @functools.cached_property
    def order(self) -> tuple[int, ...]:
        """The numbers of the strategies, the best first."""
        sums = self.moments.sums
        return tuple(sorted(range(len(sums)), key=lambda k: (-sums[k], k)))

    @functools.cached_property
    def table(self) -> pl.DataFrame:
        """One row a strategy, the best first.

        Columns: `strategy`; `games`, its seat-games; `mean`, points a game, with the ends `low` and `high` of intervals
        that hold for all at once; `win`, its share of wins (solo: the share of the others that it beats on the same
        deal, a tie counting half), with `win_low` and `win_high`; `rank` by the measure, equals sharing the better one;
        `rank_low` and `rank_high`, the ranks that the data leave open, for all at once; `p_best`, the probability that
        its true mean is the largest.
        """
        means = simultaneous_intervals(self.counts.scores, "means", self.confidence)
        wins = simultaneous_intervals(self.counts.wins, "means", self.confidence)
        best = probability_best(self.moments)
        sums, unit = self.moments.sums, self._unit("win")
        rows = [
            {
                "strategy": self.strategies[k],
                "games": self.blocks * self.tournament.scale,
                "mean": means[k].effect,
                "low": defined(means[k].low),
                "high": defined(means[k].high),
                "win": wins[k].effect / unit,
                "win_low": defined(wins[k].low / unit),
                "win_high": defined(wins[k].high / unit),
                "rank": 1 + sum(other > sums[k] for other in sums),
                "rank_low": self._ranks[k].best,
                "rank_high": self._ranks[k].worst,
                "p_best": defined(best[k]),
            }
            for k in self.order
        ]
        floats = ("low", "high", "win_low", "win_high", "p_best")
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64))

    @functools.cached_property
    def matchups(self) -> pl.DataFrame:
        """One row for every two strategies, in both orders.

        Columns: `a`, `b`; `effect`, what A has more than B by the measure, with the ends `low` and `high` of intervals
        that hold for all pairs at once; `verdict` on A, with the margin; `wins`, the share of games in which A finishes
        before B, a tie counting half (over whole deals where they have no line-ups of their own), with `wins_low` and
        `wins_high`, which hold for all pairs at once too; `blocks`.
        """
        place = {pair: at for at, pair in enumerate(itertools.combinations(range(len(self.strategies)), 2))}
        rows = []
        for a, b in itertools.permutations(self.order, 2):
            forward = (a, b) in place
            at = place[a, b] if forward else place[b, a]
            sign = 1 if forward else -1
            effect, low, high = self._effects[at]
            interval = Interval(low, high) if forward else Interval(-high, -low)
            wins, wins_low, wins_high = self._win_shares[at]
            rows.append(
                {
                    "a": self.strategies[a],
                    "b": self.strategies[b],
                    "effect": sign * effect,
                    "low": defined(interval.low),
                    "high": defined(interval.high),
                    "verdict": self._verdict(interval),
                    "wins": wins if forward else 1 - wins,
                    "wins_low": defined(wins_low if forward else 1 - wins_high),
                    "wins_high": defined(wins_high if forward else 1 - wins_low),
                    "blocks": self.blocks,
                }
            )
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(("low", "high", "wins_low", "wins_high"), pl.Float64))

    @functools.cached_property
    def _win_shares(self) -> list[tuple[float, float, float]]:
        """The share of every pair's games in which A finishes before B, and the ends of its interval."""
        meetings, pairs = self.tournament.meetings, self.counts.pairs
        each = 1 - (1 - self.confidence) / max(math.comb(len(self.strategies), 2), 1)
        found = []
        for lead, square in zip(pairs.leads, pairs.lead_squares, strict=True):
            # A game is two halves of which a tie gives one: of the block's 2 · meetings halves A has meetings + lead.
            total = self.blocks * meetings + lead
            squares = self.blocks * meetings**2 + 2 * meetings * lead + square
            share = block_share(total, squares, self.blocks, 2 * meetings, each)
            found.append((share.share, share.low, share.high))
        return found

    def _verdict(self, interval: Interval) -> Verdict:
        return decide(interval, self.blocks, self.margin)

    @functools.cached_property
    def _effects(self) -> list[tuple[float, float, float]]:
        """The effect of every pair, and the ends of its interval."""
        if not self.tournament.direct:
            unit = self._unit(self.measure)
            return [(pair.effect / unit, pair.low / unit, pair.high / unit) for pair in self._pairs]
        table, errors = self.margins
        count = len(self.strategies)
        each = 1 - (1 - self.confidence) / math.comb(count, 2)
        return [
            (float(table[pair]), *student_interval(float(table[pair]), float(errors[pair]), self.blocks, each))
            for pair in itertools.combinations(range(count), 2)
        ]

    @functools.cached_property
    def margins(self) -> tuple[Table, Table]:
        """What the rows have more than the columns, and its standard errors; see the function `margins`."""
        return margins(self.tournament, self.counts, self.measure)

    @property
    def cyclic_share(self) -> float:
        """The share of the squared margins that no ratings explain.

        nan where no two strategies surely differ, and where they have no line-ups of their own: means explain all
        differences of means, and shares of deals are no differences of anything near 0 and 1.
        """
        sure = self.blocks >= FEWEST_BLOCKS and any(not low <= 0 <= high for _, low, high in self._effects)
        known = sure and self.tournament.direct and len(self.strategies) > 2
        return cyclic_share(self.counts) if known else math.nan

    @functools.cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """The cycles of three that chance does not explain, by the numbers of the strategies."""
        if len(self.strategies) < 3 or self.blocks < FEWEST_BLOCKS:
            return ()
        return significant_cycles(*self.margins, self.confidence)

    @functools.cached_property
    def rated(self) -> Rated | None:
        """The ratings; None for solo games."""
        return rate(self.tournament, self.counts.orders)

    @functools.cached_property
    def ratings(self) -> pl.DataFrame:
        """One row a strategy, the highest rating first; empty for solo games.

        Columns: `strategy`; `rating` in log-odds, all adding up to 0; `standard_error` over blocks; `elo`, the same in
        Elo points, with the ends `low` and `high` of its own interval; `rank`.
        """
        rows = []
        if self.rated is not None:
            strengths = self.rated.ratings.strengths
            size = len(self.rated.covariance)
            for k in sorted(range(len(strengths)), key=lambda k: (-strengths[k], k)):
                error, interval = self.rated.interval(np.eye(size)[k], self.confidence)
                rows.append(
                    {
                        "strategy": self.strategies[k],
                        "rating": float(strengths[k]),
                        "standard_error": defined(error),
                        "elo": ELO * float(strengths[k]),
                        "low": defined(ELO * interval.low),
                        "high": defined(ELO * interval.high),
                        "rank": 1 + int(np.sum(strengths > strengths[k])),
                    }
                )
        floats = dict.fromkeys(("rating", "standard_error", "elo", "low", "high"), pl.Float64)
        return pl.DataFrame(rows, schema={"strategy": pl.String, **floats, "rank": pl.Int64})

    @property
    def first_seat(self) -> tuple[float, Interval] | None:
        """What sitting first is worth in Elo points, with its interval; None unless there are two parties."""
        if self.rated is None or math.isnan(self.rated.ratings.advantage):
            return None
        last = np.eye(len(self.rated.covariance))[-1]
        _, interval = self.rated.interval(last, self.confidence)
        return ELO * self.rated.ratings.advantage, Interval(ELO * interval.low, ELO * interval.high)

    @functools.cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Pairs that the mean score and the rating (solo: the share of the others beaten) put in opposite orders."""
        pairs = list(itertools.combinations(range(len(self.strategies)), 2))
        rated = self.rated
        scores, wins = self.counts.scores, self.counts.wins

        def other(a: int, b: int) -> float:
            if rated is None:
                return float(wins.sums[a] - wins.sums[b])
            return float(rated.ratings.strengths[a] - rated.ratings.strengths[b])

        apart = [(a, b) for a, b in pairs if (scores.sums[a] - scores.sums[b]) * other(a, b) < 0]
        if not apart:
            return ()
        by_score = dict(zip(pairs, simultaneous_intervals(scores, "all-pairs", self.confidence), strict=True))
        by_wins = dict(zip(pairs, simultaneous_intervals(wins, "all-pairs", self.confidence), strict=True))

        def interval(a: int, b: int) -> Interval:
            if rated is None:
                return Interval(by_wins[a, b].low, by_wins[a, b].high)
            unit = np.eye(len(rated.covariance))
            return rated.interval(unit[a] - unit[b], 1 - (1 - self.confidence) / len(pairs))[1]

        found = []
        for a, b in apart:
            points = by_score[a, b].effect
            sure = [not low <= 0 <= high for low, high in (by_score[a, b][-2:], interval(a, b))]
            higher, lower = (a, b) if points > 0 else (b, a)
            clear = all(sure) and self.blocks >= FEWEST_BLOCKS
            found.append(Disagreement(self.strategies[higher], self.strategies[lower], abs(points), clear))
        return tuple(sorted(found, key=lambda item: (not item.clear, -item.points)))

    @property
    def notes(self) -> list[str]:
        """What a reader has to know, in sentences."""
        told = []
        if self.blocks < FEWEST_BLOCKS:
            told.append(f"{self.blocks} deals are too few to be sure of any rank: give {FEWEST_BLOCKS} or more.")
        played = self.tournament
        tables = possible_tables(played.game, played.rules, played.strategies, played.seats)
        if played.format == "tables" and len(played.lineups) < tables:
            told.append(f"{len(played.lineups):,} of {tables:,} possible line-ups were played on every deal.")
        if self.rated is not None and self.rated.ridge:
            told.append(
                "Some strategies never lost to the others, so the best ratings are infinite: a prior keeps them finite."
            )
        return told

    # --- Frames and JSON ---------------------------------------------------------------------------------------------

    def summary(self) -> pl.DataFrame:
        """Return `table`."""
        return self.table

    def to_pandas(self) -> "pd.DataFrame":
        """Return `table` for pandas."""
        return self.table.to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as JSON values; a statistic that is not defined is null."""
        seat = self.first_seat
        told = {
            "format": self.tournament.format,
            "seats": self.tournament.seats,
            "measure": self.measure,
            "margin": self.margin,
            "confidence": self.confidence,
            "blocks": self.blocks,
            "seed": self.design.seed,
            "rules_version": self.design.game.rules_version,
            "table": self.table.to_dicts(),
            "matchups": self.matchups.to_dicts(),
            "ratings": self.ratings.to_dicts(),
            "first_seat": seat and {"elo": seat[0], **seat[1]._asdict()},
            "cyclic_share": self.cyclic_share,
            "cycles": [
                {"strategies": [self.strategies[k] for k in cycle.strategies], "margins": list(cycle.margins)}
                for cycle in self.cycles
            ],
            "disagreements": [item._asdict() for item in self.disagreements],
            "notes": self.notes,
            "design": self.design.to_dict(),
        }
        return dict(defined(told))

    # --- Text --------------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        parts = [wrapped(self._heading()), self._table_text()]
        if self.rated is not None:
            parts.append(self._ratings_text())
        parts.append(self._matchup_text())
        parts += [wrapped(sentence) for sentence in (*self._cycle_sentences(), *self._told_apart(), *self.notes)]
        return "\n\n".join(parts)

    def _heading(self) -> str:
        return heading("Ranking", self.tournament, self.measure, f"{self.blocks:,} common deals", self.design)

    def _table_text(self) -> str:
        rows = list(self.table.iter_rows(named=True))
        digits = _digits([row["high"] - row["low"] for row in rows if row["low"] is not None])
        mean = ("mean", [f"{row['mean']:z.{digits}f}" for row in rows])
        percent = f"{100 * self.confidence:.10g} % interval"
        ranks = [
            ("ranks", [_ranks(row["rank_low"], row["rank_high"]) for row in rows]),
            ("P(best)", [_share(row["p_best"]) for row in rows]),
        ]
        wins = ("beats" if self.tournament.format == "solo" else "wins", [_share(row["win"]) for row in rows])
        if self.measure == "score":
            interval = (percent, [_range(row["low"], row["high"], digits) for row in rows])
            columns = [mean, interval, *ranks, wins]
        else:
            ends = [[row[name] and 100 * row[name] for name in ("win_low", "win_high")] for row in rows]
            columns = [wins, (percent, [_range(low, high, 2) for low, high in ends]), *ranks]
            columns += [] if self.design.game.score_is_win else [mean]
        keys = [[str(row["rank"]), row["strategy"]] for row in rows]
        told = "Intervals and ranks (those that the data leave open) hold for all strategies at once."
        if self.tournament.format == "solo":
            told += " Beats: the share of the others that score less on the same deal, a tie counting half."
        return wide_table(("rank", "strategy"), keys, columns) + "\n\n" + wrapped(told)

    def _ratings_text(self) -> str:
        rows = list(self.ratings.iter_rows(named=True))
        columns = [
            ("Elo", [f"{row['elo']:z.0f}" for row in rows]),
            (f"{100 * self.confidence:.10g} % interval", [_range(row["low"], row["high"], 0) for row in rows]),
        ]
        model = "Bradley and Terry" if self.tournament.parties == 2 else "Plackett and Luce"
        lines = [
            wrapped(f"Ratings after {model} (mean 0)"),
            wide_table(("rank", "strategy"), [[str(row["rank"]), row["strategy"]] for row in rows], columns),
        ]
        if self.first_seat is not None:
            elo, ends = self.first_seat
            lines += ["", f"Sitting first is worth {elo:z.1f} Elo ({_range(*ends, 1)})."]
        return "\n".join(lines)

    def _matchup_text(self) -> str:
        wins = {(row["a"], row["b"]): row["wins"] for row in self.matchups.iter_rows(named=True)}
        specs = [self.strategies[k] for k in self.order]
        columns = [
            (str(at), ["-" if row == column else f"{100 * wins[row, column]:.0f}" for row in specs])
            for at, column in enumerate(specs, start=1)
        ]
        keys = [[str(at), spec] for at, spec in enumerate(specs, start=1)]
        over = "of deals" if not self.tournament.direct else "of games"
        title = f"Who beats whom: % {over} in which the row is ahead of the column (ties half)"
        return title + "\n" + wide_table(("no", "strategy"), keys, columns)

    def _cycle_sentences(self) -> list[str]:
        if len(self.strategies) < 3:
            return []
        share = self.cyclic_share
        told = "" if math.isnan(share) else f" Ratings leave {_share(share)} of the squared margins unexplained."
        if not self.cycles:
            return [f"No cycle (A beats B beats C beats A) is sure.{told}"]
        sentences = []
        for cycle in self.cycles[:TOLD]:
            names = [self.strategies[k] for k in cycle.strategies]
            beats = [
                f"{names[at]} beats {names[(at + 1) % 3]} {self._margin_text(margin)}"
                for at, margin in enumerate(cycle.margins)
            ]
            sentences.append(f"A cycle: {', '.join(beats)}.")
        if len(self.cycles) > TOLD:
            sentences.append(f"There are {len(self.cycles) - TOLD:,} more cycles.")
        sentences[-1] += told
        return sentences

    def _margin_text(self, margin: float) -> str:
        if not self.tournament.direct:
            return f"by {_share(margin)} of deals"
        return f"by {_share(margin)} of wins" if self.measure == "win" else f"by {margin:.2f} points a game"

    def _told_apart(self) -> list[str]:
        other = "rating" if self.rated is not None else "share of others beaten"
        unit = find_unit(self.design.game, "score")
        what = "mean score" if unit == POINTS else unit.noun
        sentences = [
            f"Two rankings disagree: {item.higher} has the higher {what} ({item.points:.3f} {unit.a_game} more), "
            f"{item.lower} the higher {other}; the data are {'sure of both' if item.clear else 'not sure of both'}."
            for item in self.disagreements[:TOLD]
        ]
        if len(self.disagreements) > TOLD:
            sentences.append(f"{len(self.disagreements) - TOLD:,} more pairs are in opposite orders.")
        return sentences


def _digits(widths: Sequence[float]) -> int:
    """Choose decimals so that intervals do not print as nothing."""
    narrow = min((width for width in widths if width > 0), default=1.0)
    return 2 if narrow >= 0.02 else 3


def _share(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{100 * value:z.2f} %" if not 0 < abs(value) < 5e-5 else "<0.01 %"


def _range(low: float | None, high: float | None, digits: int) -> str:
    if low is None or high is None or math.isnan(low):
        return "-"
    return f"{low:z.{digits}f} to {high:z.{digits}f}"


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"


# --- The verb --------------------------------------------------------------------------------------------------------


def rank(
    game: str | Game,
    strategies: "Sequence[str | Strategy] | None" = None,
    *,
    deals: int = 100_000,
    seed: int = 1,
    seats: int | None = None,
    format: str = "auto",
    lineups: int | None = None,
    measure: str = "score",
    margin: float | None = None,
    confidence: float = 0.95,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    progress: bool = True,
) -> Ranking:
    """Rank strategies on the same deals.

    Parameters
    ----------
    game
        The game's name.
    strategies
        Two or more, each once; by default all that a name alone finds.
    deals, seed
        Which deals; each is a block.
    seats
        Seats at the table; by default the fewest that the rules and the format allow.
    format
        "solo": each plays the deals alone. "round-robin": every two meet, alternating at the table. "one-against-all":
        each meets copies of each other one. "tables": different strategies at every table. "auto" chooses; see
        `analysis.tournaments.resolve_format`.
    lineups
        For "tables": the most line-ups; see `analysis.tournaments.make_tournament`.
    measure
        What the order is by: "score", the mean score, or "win", the share of wins.
    margin
        The difference in the measure that does not matter; by default the game's, or 0.01 of wins.
    confidence
        Of all intervals, between 0 and 1.
    variant, n_jobs, backend, store, progress
        See `simulate`.

    Returns
    -------
    Ranking

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    check_confidence(confidence)
    contest = make_contest(
        game,
        strategies,
        seats=seats,
        format=format,
        lineups=lineups,
        measure=measure,
        margin=margin,
        variant=variant,
        seed=seed,
    )
    design = contest.design(deals)
    reduce = functools.partial(count_tournament, tournament=contest.tournament, measure=contest.measure)
    played = run(design, reduce, n_jobs=n_jobs, backend=backend, store=store, progress=progress)
    return Ranking(
        contest.specs,
        contest.tournament,
        design,
        played.result,
        contest.measure,
        contest.margin,
        confidence,
        played.seconds,
        played.games,
    )
