"""Simulate: what scores a line-up gets, from counts that are exact."""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.frames import defined
from analysis.histogram import Histogram
from analysis.intervals import mean_interval
from sims.design import Design, Outcomes
from sims.errors import UsageError
from sims.game import SCORE, WIN, WIN_UNIT, Game, Rules, find_game
from sims.run import run
from sims.store import Store
from sims.tally import tally
from strategies.api import Strategy
from strategies.specs import find_players

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 2_000_000
"""A run without a store keeps its rows (one a deal, rotation and seat) up to this number; beyond it, counts alone."""


@dataclass(frozen=True, eq=False)
class Counts:
    """The exact counts of a line-up's games; adding two merges their deals.

    Attributes
    ----------
    lowest
        The score in the first place of `scores`.
    scores
        How often each score came, shape (rotations, seats, scores).
    sums
        Sums of all outcome columns, shape (rotations, seats, columns).
    blocks
        By strategy: histogram of a block's sum of scores over all its seats and rotations.
    frames
        The rows by chunk, when they are kept.
    """

    lowest: int
    scores: NDArray[np.int64]
    sums: NDArray[np.int64]
    blocks: dict[str, Histogram]
    frames: dict[int, pl.DataFrame]

    def __add__(self, other: "Counts") -> "Counts":
        """Return the counts of both sets of deals together."""
        return Counts(
            self.lowest,
            self.scores + other.scores,
            self.sums + other.sums,
            {spec: histogram + other.blocks[spec] for spec, histogram in self.blocks.items()},
            self.frames | other.frames,
        )


def count(design: Design, chunk: int, outcomes: Sequence[Outcomes], *, rows: bool = False) -> Counts:
    """Count the outcomes of one chunk of a design with one line-up."""
    array = outcomes[0]
    rotations, _, seats, columns = array.shape
    lowest, highest = design.game.score_range(design.rules)
    scores = np.zeros((rotations, seats, highest - lowest + 1), np.int64)
    sums = np.zeros((rotations, seats, columns), np.int64)
    for rotation in range(rotations):
        tally(array[rotation], lowest, scores[rotation], sums[rotation])
    blocks = {}
    if rotations * seats == 1:
        blocks[design.lineups[0][0].spec] = Histogram(lowest, scores[0, 0])
    else:
        specs = [[design.lineups[0][who].spec for who in seating] for seating in design.seatings(0)]
        for spec in dict.fromkeys(spec for seating in specs for spec in seating):
            own = np.array([[at == spec for at in seating] for seating in specs])
            sums_of_blocks = np.einsum("rds,rs->d", array[..., SCORE], own, dtype=np.int64)
            blocks[spec] = Histogram.from_scores(sums_of_blocks)
    return Counts(lowest, scores, sums, blocks, {chunk: design.frame(chunk, outcomes)} if rows else {})


@dataclass(frozen=True, eq=False)
class Results:
    """The results of `simulate`; results of other deals of the same design can be added.

    Attributes
    ----------
    design
        What was played.
    counts
        The exact counts.
    seconds, games
        How long it took, and the games that were played for it (none for those that a store held already).
    store
        The folder that keeps every game, when there is one.
    """

    design: Design
    counts: Counts
    seconds: float
    games: int
    store: Path | None = None

    def __add__(self, other: object) -> "Results":
        """Return the results of both sets of deals together.

        Raises
        ------
        UsageError
            When the designs differ in more than their deals, or the deals do not adjoin.
        """
        if not isinstance(other, Results):
            return NotImplemented
        first, second = sorted((self, other), key=lambda results: results.design.first_deal)
        moved = dataclasses.replace(first.design, first_deal=0, deals=1)
        if moved.to_manifest() != dataclasses.replace(second.design, first_deal=0, deals=1).to_manifest():
            raise UsageError("results of different designs cannot be added: only their deals may differ")
        end = first.design.first_deal + first.design.deals
        if end != second.design.first_deal:
            raise UsageError(
                f"the deals do not adjoin: the first results end before deal {end}, the others begin with deal "
                f"{second.design.first_deal}"
            )
        # Chunk numbers count from each run's own first deal: keep the second run's rows behind the first's.
        shift = max(first.counts.frames, default=-1) + 1
        frames = {chunk + shift: frame for chunk, frame in second.counts.frames.items()}
        keeps = bool(first.counts.frames) and bool(second.counts.frames)
        merged = first.counts + dataclasses.replace(second.counts, frames=frames)
        return Results(
            dataclasses.replace(first.design, deals=first.design.deals + second.design.deals),
            merged if keeps else dataclasses.replace(merged, frames={}),
            self.seconds + other.seconds,
            self.games + other.games,
        )

    @property
    def table(self) -> pl.DataFrame:
        """Every game: one row a deal, rotation and seat, in the order of rotation, deal, seat within a chunk.

        Raises
        ------
        UsageError
            When the run kept counts only.
        """
        if self.store is not None:
            return Store.load(self.store).scan().drop("lineup").collect()
        if not self.counts.frames:
            raise UsageError(
                f"this run kept counts, not its games: it would have had more than {MOST_ROWS:,} rows; give it a store"
            )
        return pl.concat([self.counts.frames[chunk] for chunk in sorted(self.counts.frames)]).drop("lineup")

    def to_pandas(self) -> "pd.DataFrame":
        """Return `table` for pandas."""
        return self.table.to_pandas()

    @property
    def specs(self) -> list[str]:
        """The different strategies of the line-up, in its order."""
        return list(self.counts.blocks)

    def _seats_of(self, spec: str) -> NDArray[np.bool_]:
        """Where a strategy sits, shape (rotations, seats)."""
        players = self.design.lineups[0]
        return np.array([[players[who].spec == spec for who in seating] for seating in self.design.seatings(0)])

    @property
    def unwon(self) -> float:
        """The share of games that nobody won."""
        design = self.design
        first = list(design.game.parties(design.rules, len(design.lineups[0])).values())
        wins = self.counts.sums[:, first, WIN]
        games = design.deals * len(wins)
        return (games * WIN_UNIT - int(wins.sum())) / (games * WIN_UNIT)

    def histogram(self, strategy: str | None = None, *, seat: int | None = None) -> Histogram:
        """Return the counts of scores.

        Parameters
        ----------
        strategy
            The spec of a strategy of the line-up; may be left out when there is only one.
        seat
            Count this seat only.

        Raises
        ------
        UsageError
            For a strategy or seat that is not in the line-up.
        """
        spec = self.specs[0] if strategy is None and len(self.specs) == 1 else strategy
        if spec not in self.specs:
            raise UsageError(f"{spec!r} is not in the line-up: {', '.join(self.specs)}")
        own = self._seats_of(spec)
        if seat is not None:
            if not 0 <= seat < own.shape[1]:
                raise UsageError(f"seat={seat!r} does not fit: the line-up has the seats 0 to {own.shape[1] - 1}")
            own = own & (np.arange(own.shape[1]) == seat)
        return Histogram(self.counts.lowest, self.counts.scores[own].sum(axis=0))

    def summary(self) -> pl.DataFrame:
        """Return one row a strategy.

        Columns: `strategy`; `games`; `mean`, with the ends `low` and `high` of its 95 % interval over blocks; `sd`,
        `median`, `q05`, `q95` of the score; `win`, the mean share of a win; and the means of the game's other columns.
        """
        rows = []
        for spec in self.specs:
            own = self._seats_of(spec)
            histogram = self.histogram(spec)
            interval = mean_interval(self.counts.blocks[spec])
            sums = self.counts.sums[own].sum(axis=0)
            columns = self.design.game.columns
            rows.append(
                {
                    "strategy": spec,
                    "games": histogram.total,
                    "mean": histogram.mean,
                    "low": interval.low / int(own.sum()),
                    "high": interval.high / int(own.sum()),
                    "sd": histogram.sd,
                    "median": histogram.median,
                    "q05": histogram.quantile(0.05),
                    "q95": histogram.quantile(0.95),
                    "win": int(sums[WIN]) / WIN_UNIT / histogram.total,
                    **{
                        column.name: int(sums[place]) / column.scale / histogram.total
                        for place, column in enumerate(columns)
                        if place not in (SCORE, WIN)
                    },
                }
            )
        return pl.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON values; times stand last."""
        keys = ("strategy", "games", "mean", "low", "high", "sd", "median", "q05", "q95", "win")
        strategies = [
            {
                **{key: row[key] for key in keys},
                "histogram": {str(score): n for score, n in self.histogram(row["strategy"]).to_dict().items()},
            }
            for row in self.summary().iter_rows(named=True)
        ]
        told = {
            "design": self.design.to_dict(),
            "strategies": strategies,
            "seconds": self.seconds,
            "games_per_second": self.games / self.seconds if self.seconds > 0 else None,
        }
        return dict(defined(told))


def simulate(
    game: str | Game,
    lineup: "str | Strategy | Sequence[str | Strategy]",
    *,
    deals: int = 100_000,
    seed: int = 1,
    first_deal: int = 0,
    variant: "str | Rules | None" = None,
    rotate: bool = True,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    rows: bool | None = None,
    progress: bool = True,
) -> Results:
    """Play a line-up of strategies on many deals.

    Parameters
    ----------
    game
        The game's name, such as "criss-cross".
    lineup
        Who sits at the table: a spec or a `Strategy` for each seat; one alone plays solo.
    deals, seed, first_deal
        Which deals: deal k of a seed is always the same.
    variant
        The name of a variant, or a rules object (`find_game(game).variant("basic").replace(…)`).
    rotate
        Turn the line-up through all seats on every deal.
    n_jobs, backend, store, progress
        See `sims.run.run`; none of them changes the result.
    rows
        Keep a row for every game in memory; by default when there are at most 2,000,000 and there is no store.

    Returns
    -------
    Results

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    found = find_game(game)
    design = Design(
        found,
        found.resolve_rules(variant),
        (tuple(find_players(found.name, lineup)),),
        seed=seed,
        deals=deals,
        first_deal=first_deal,
        rotate=rotate,
    )
    if rows is None:
        rows = store is None and design.deals * design.games_a_deal * len(design.lineups[0]) <= MOST_ROWS
    played = run(
        design,
        functools.partial(count, rows=rows),
        n_jobs=n_jobs,
        backend=backend,
        store=store,
        progress=progress,
    )
    return Results(design, played.result, played.seconds, played.games, Path(store) if store is not None else None)
