"""Regret: how far a strategy is from perfect play, in a game that has been solved.

The regret of a strategy is the mean score of perfect play less its own. It need not be read off scores, which vary with
the dice: the points that each decision gives away are known, and their mean is the regret too. For a strong player that
has a fraction of the variance. The plain difference stands beside it, as a check of the simulator and the solution.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from joblib import Parallel, delayed
from numpy.typing import NDArray

from analysis.intervals import Interval, check_confidence, student_interval
from sims.design import LARGEST_DEALS, LARGEST_SEED, Design, check_whole
from sims.errors import StrategyError, UsageError
from sims.game import SCORE, Game, Rules, find_game
from sims.run import progress_bar, workers
from sims.table import Table
from strategies.api import Strategy
from strategies.solving import Solver, find_solver
from strategies.specs import find_strategy, quick_strategies

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Regret", "Solved", "solve"]

BATCH = 512
"""Deals that a worker plays at a time: their logs are held in memory."""


class Regret(NamedTuple):
    """How far one strategy is from perfect play.

    Attributes
    ----------
    strategy
        Its spec.
    mean
        Its mean score, with its interval.
    regret
        Points a game that its decisions gave away, with its interval.
    by_decision
        The same for each kind of decision; they add up to `regret`.
    decisions
        Decisions a game.
    not_best
        Share of its decisions that gave something away.
    """

    strategy: str
    mean: float
    mean_interval: Interval
    regret: float
    regret_interval: Interval
    by_decision: tuple[float, ...]
    decisions: float
    not_best: float

    @property
    def per_decision(self) -> float:
        """Points that a decision gave away in the mean."""
        return self.regret / self.decisions if self.decisions else 0.0


@dataclass(frozen=True, eq=False)
class Solved:
    """The solution of a game, and the regret of strategies.

    Attributes
    ----------
    game, rules
        What was solved.
    expected
        The mean score of perfect play; no simulation, exact but for rounding.
    digest
        Digest of the solved table.
    states
        Numbers in it.
    kinds
        Names of the kinds of decisions.
    regrets
        One entry a strategy, the smallest regret first.
    deals, seed, confidence
        What was played.
    games, seconds
        Games played, and how long that took.
    solving_seconds
        How long it took to solve, or to read what was solved before.
    """

    game: Game
    rules: Rules
    expected: float
    digest: str
    states: int
    kinds: tuple[str, ...]
    regrets: tuple[Regret, ...]
    deals: int
    seed: int
    confidence: float
    games: int
    seconds: float
    solving_seconds: float

    def save(self, path: Path | str) -> None:
        """Write the solved table to a file: a line of JSON with rules, shape and digest, then the numbers.

        Raises
        ------
        StoreError
            When the file cannot be written.
        """
        find_solver(self.game.name).save(path, self.rules)

    def summary(self) -> pl.DataFrame:
        """Return one row a strategy: score and regret with their intervals, and where the points were lost."""
        return pl.DataFrame(
            [
                {
                    "strategy": row.strategy,
                    "games": self.deals,
                    "mean": row.mean,
                    "mean_low": row.mean_interval.low,
                    "mean_high": row.mean_interval.high,
                    "regret": row.regret,
                    "regret_low": row.regret_interval.low,
                    "regret_high": row.regret_interval.high,
                    **{f"regret_{kind}": lost for kind, lost in zip(self.kinds, row.by_decision, strict=True)},
                    "decisions": row.decisions,
                    "regret_per_decision": row.per_decision,
                    "not_best": row.not_best,
                }
                for row in self.regrets
            ],
            schema={
                "strategy": pl.String,
                "games": pl.Int64,
                **dict.fromkeys(("mean", "mean_low", "mean_high"), pl.Float64),
                **dict.fromkeys(("regret", "regret_low", "regret_high"), pl.Float64),
                **{f"regret_{kind}": pl.Float64 for kind in self.kinds},
                **dict.fromkeys(("decisions", "regret_per_decision", "not_best"), pl.Float64),
            },
        )

    def to_pandas(self) -> "pd.DataFrame":
        """Return the summary as a pandas frame."""
        return self.summary().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "game": self.game.name,
            "rules_version": self.game.rules_version,
            "variant": self.rules.to_dict(),
            "expected": self.expected,
            "states": self.states,
            "digest": self.digest,
            "deals": self.deals,
            "seed": self.seed,
            "confidence": self.confidence,
            "strategies": [
                {name: None if value is None or value != value else value for name, value in row.items()}
                for row in self.summary().iter_rows(named=True)
            ],
            "games": self.games,
            "seconds": self.seconds,
            "solving_seconds": self.solving_seconds,
        }

    def text(self) -> str:
        """Return the solution and the table of regrets for people, at most 80 columns wide."""
        lines = [
            f"{self.game.title} alone, played perfectly: {self.expected:.6f} points a game.",
            f"Exact: {self.states:,} values solved; digest {self.digest}.",
        ]
        if not self.regrets:
            return "\n".join(lines)
        width = max(8, min(20, max(len(row.strategy) for row in self.regrets)))
        heads = [
            "mean",
            "regret",
            f"± {100 * self.confidence:.10g}%",
            *(f"in {kind}" for kind in self.kinds),
            "not best",
        ]
        lines += ["", f"{'strategy':<{width}}" + "".join(f"  {head:>8}" for head in heads)]
        for row in self.regrets:
            low, high = row.regret_interval
            cells = [f"{row.mean:.2f}", f"{row.regret:.2f}", f"{(high - low) / 2:.2f}" if low == low else "-"]
            cells += [*(f"{lost:.2f}" for lost in row.by_decision), f"{row.not_best:.1%}"]
            name = row.strategy if len(row.strategy) <= width else f"{row.strategy[: width - 1]}…"
            lines.append(f"{name:<{width}}" + "".join(f"  {cell:>8}" for cell in cells))
        lines += [
            "",
            f"regret: points a game that its decisions gave away, over {self.deals:,} deals of seed",
            f"{self.seed}; mean + regret is {self.expected:.2f} but for chance. not best: share of its",
            "decisions that gave something away.",
        ]
        return "\n".join(lines)


def solve(
    game: str | Game,
    strategies: "Sequence[str | Strategy] | None" = None,
    *,
    deals: int = 10_000,
    seed: int = 1,
    variant: "str | Rules | None" = None,
    confidence: float = 0.95,
    n_jobs: int = -1,
    progress: bool = True,
) -> Solved:
    """Solve a game's form for one seat, and measure how far strategies are from perfect play.

    Parameters
    ----------
    game
        The game's name.
    strategies
        Whose regret is measured; by default all that are built in. An empty list solves the game and plays nothing.
    deals
        Deals that each of them plays alone; all play the same ones.
    seed
        The seed of the deals.
    variant
        The name of a variant, or a rules object.
    confidence
        Of the intervals.
    n_jobs
        Workers; −1 means one for each processor.
    progress
        Whether a progress bar may appear.

    Returns
    -------
    Solved
        The regrets do not depend on the number of workers.

    Raises
    ------
    UsageError
        For a game that has not been solved, or arguments that do not fit.
    StrategyError
        When a strategy breaks its contract.
    """
    found = find_game(game)
    solver = find_solver(found.name)
    rules = found.resolve_rules(variant)
    check_whole("deals", deals, 2, LARGEST_DEALS)
    check_whole("seed", seed, 0, LARGEST_SEED)
    check_confidence(confidence)
    count = workers(n_jobs)
    if isinstance(strategies, str | Strategy):
        raise UsageError(f"strategies={strategies!r} does not fit: it takes a list")
    chosen = quick_strategies(found.name) if strategies is None else strategies
    listed = [find_strategy(found.name, spec) for spec in chosen]
    started = time.perf_counter()
    values = solver.values(rules)
    solving = time.perf_counter() - started
    started = time.perf_counter()
    rows = []
    with progress_bar(deals * len(listed), progress) as bar:
        for strategy in listed:
            scores, losses = _play(solver, found, rules, strategy, seed, deals, count, bar)
            rows.append(_regret(strategy.spec, scores, losses, confidence))
    rows.sort(key=lambda row: row.regret)
    return Solved(
        found,
        rules,
        solver.expected(rules),
        solver.digest(rules),
        values.size,
        solver.decisions,
        tuple(rows),
        deals,
        seed,
        confidence,
        deals * len(listed),
        time.perf_counter() - started,
        solving,
    )


def _play(
    solver: Solver, game: Game, rules: Any, strategy: Strategy, seed: int, deals: int, count: int, bar: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the score of each deal, and what its decisions gave away, shape (deals, kinds, 3)."""

    def batch(first: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        table = Table(game, rules, [strategy.player()])
        try:
            outcomes, logs = table.log(seed, first, min(BATCH, deals - first))
        except StrategyError as error:
            design = Design(game, rules, ((strategy.player(),),), seed=seed, deals=deals)
            error.replay = design.replay_command(0, 0, error.deal)
            raise
        return outcomes[:, 0, SCORE].astype(np.float64), solver.losses(rules, logs)

    scores, losses = [], []
    Table(game, rules, [strategy.player()])  # compiles before there are threads
    work = Parallel(n_jobs=count, backend="threading", return_as="generator")
    for got, lost in work(delayed(batch)(first) for first in range(0, deals, BATCH)):
        scores.append(got)
        losses.append(lost)
        bar.update(len(got))
    return np.concatenate(scores), np.concatenate(losses)


def _regret(spec: str, scores: NDArray[np.float64], losses: NDArray[np.float64], confidence: float) -> Regret:
    deals = len(scores)
    lost = losses[:, :, 0].sum(axis=1)
    decisions = float(losses[:, :, 1].sum())

    def interval(values: NDArray[np.float64]) -> Interval:
        return student_interval(float(values.mean()), float(values.std(ddof=1)) / deals**0.5, deals, confidence)

    return Regret(
        spec,
        float(scores.mean()),
        interval(scores),
        float(lost.mean()),
        interval(lost),
        tuple(float(part) for part in losses[:, :, 0].mean(axis=0)),
        decisions / deals,
        float(losses[:, :, 2].sum()) / decisions if decisions else 0.0,
    )
