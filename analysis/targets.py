"""Targets: the value of an option or a parameter that gives what the designer wants."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from analysis.comparisons import FEWEST_BLOCKS
from analysis.frames import defined
from analysis.grids import (
    Axis,
    Measures,
    Point,
    Setup,
    add_moments,
    exact_moments,
    find_strategies,
    listed,
    make_grid,
    make_point,
    make_setup,
    standard_error,
    value_text,
)
from analysis.intervals import Interval, check_confidence, student_interval
from analysis.simultaneous import Moments
from analysis.tables import wide_table, wrapped
from sims.errors import UsageError
from sims.game import Game, Rules, Whole, find_game, near_misses
from strategies.api import Strategy

if TYPE_CHECKING:
    import pandas as pd

CLEAR_SLOPE = 4
"""A slope is taken where the measure changes by at least so many standard errors of the paired difference."""

RESOLUTION = 1e-5
"""Two values of a parameter are neighbours when they are closer than this share of the range."""


def read_target(text: str) -> tuple[str, float]:
    """Read a target as the command line writes it, such as "mean_score=25".

    Raises
    ------
    UsageError
        When the text is not a name, an equals sign and a number.
    """
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError:
        raise UsageError(f"cannot read the target {text!r}: write measure=value, such as mean_score=25") from None


class Evaluation(NamedTuple):
    """The measure at one value of the axis, with its standard error."""

    at: float
    measured: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Target:
    """What `find_target` found.

    Attributes
    ----------
    setup, axis, strategy
        What was played, and what was varied.
    measure, target
        What had to become what.
    whole
        Whether the axis takes whole numbers only.
    evaluations
        All values that were tried, ascending, with the measure at each.
    crossings
        How often the measure passes the target between the values that were given; more than 1 when it is not monotone.
    jumps
        Whether the measure jumps over the target: two values of a parameter that nearly touch differ clearly.
    below, above
        The two neighbouring values that enclose the target; None when it is not met.
    estimate, low, high
        Where the measure equals the target, interpolated between the neighbours, with the ends of the interval; nan
        when it is not met. The interval is nan, too, when the measure jumps, or does not clearly change.
    confidence
        Of all intervals.
    seconds, games
        How long it took, and the games that were played.
    """

    setup: Setup
    axis: Axis
    strategy: str
    rules: Any
    measure: str
    target: float
    whole: bool
    evaluations: tuple[Evaluation, ...]
    crossings: int
    jumps: bool
    below: Evaluation | None
    above: Evaluation | None
    estimate: float
    low: float
    high: float
    confidence: float
    seconds: float
    games: int

    @property
    def met(self) -> bool:
        """Whether the target lies within what the range gives."""
        return self.below is not None

    @property
    def nearest(self) -> Evaluation:
        """The value that comes closest to the target: of the two neighbours, or of all when it is not met."""
        candidates = [item for item in (self.below, self.above) if item is not None] or list(self.evaluations)
        return min(candidates, key=lambda item: abs(item.measured - self.target))

    def interval(self, evaluation: Evaluation) -> Interval:
        """Return the interval of the measure at one value."""
        return student_interval(evaluation.measured, evaluation.standard_error, self.setup.deals, self.confidence)

    def summary(self) -> pl.DataFrame:
        """Return one row a value that was tried: `<axis>`, `measure`, `value`, `low`, `high`, `neighbour`."""
        rows = []
        for item in self.evaluations:
            interval = self.interval(item)
            rows.append(
                {
                    self.axis.name: int(item.at) if self.whole else item.at,
                    "measure": self.measure,
                    "value": defined(item.measured),
                    "low": defined(interval.low),
                    "high": defined(interval.high),
                    "neighbour": item in (self.below, self.above),
                }
            )
        return pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64})

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return the search as JSON values; what is not defined is null."""
        neighbours = [item.at for item in (self.below, self.above) if item is not None]
        told = {
            "design": {
                **self.setup.to_dict(),
                "rules": self.rules.to_dict(),
                "strategy": self.strategy,
                "axis": self.axis.name,
                "values": [listed(value) for value in self.axis.values],
            },
            "measure": self.measure,
            "target": self.target,
            "met": self.met,
            "jumps": self.jumps,
            "crossings": self.crossings,
            "neighbours": neighbours,
            "nearest": self.nearest.at,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "confidence": self.confidence,
            "evaluations": self.summary().to_dicts(),
        }
        return dict(defined(told))

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        rows = [[("> " if item in (self.below, self.above) else "  ") + f"{item.at:.8g}"] for item in self.evaluations]
        intervals = [self.interval(item) for item in self.evaluations]
        percent = f"{100 * self.confidence:.10g}%"
        columns = [
            (self.measure, [f"{item.measured:.4f}" for item in self.evaluations]),
            (f"± {percent}", ["-" if math.isnan(low) else f"{(high - low) / 2:.4f}" for low, high in intervals]),
        ]
        facts = (
            f"{self.setup.game.name}, {self.strategy}, {self.setup.deals:,} common deals, seed {self.setup.seed}, "
            f"rules version {self.setup.game.rules_version}"
        )
        table = wide_table([f"  {self.axis.name}"], rows, columns)
        return "\n\n".join(["\n".join(wrapped(text) for text in self.sentences()), table, wrapped(facts)])

    def sentences(self) -> list[str]:
        """Say in words what was found."""
        goal = f"{self.measure}={self.target:.10g}"
        if self.below is None or self.above is None:
            return self._outside(goal)
        name, percent = self.axis.name, f"{100 * self.confidence:.10g} %"
        exactly = (
            f"How exactly is not known: {self.measure} does not clearly change with {name}."
            if math.isnan(self.low)
            else f"{percent} interval {self._shown(self.low)} to {self._shown(self.high)}."
        )
        if self.whole:
            near = self.interval(self.nearest)
            told = [
                f"{goal} lies between {name}={value_text(self.below.at)} ({self.below.measured:.4f}) and "
                f"{value_text(self.above.at)} ({self.above.measured:.4f}).",
            ]
            if not math.isnan(near.low):
                holds = "holds" if near.low <= self.target <= near.high else "does not hold"
                told.append(
                    f"The nearer is {value_text(self.nearest.at)}: its {percent} interval {near.low:.4f} to "
                    f"{near.high:.4f} {holds} the target."
                )
            told.append(f"Interpolated, the target is at {self._shown(self.estimate)}. {exactly}")
        elif self.jumps:
            told = [
                f"No value gives {goal}: it jumps from {self.below.measured:.4f} at {name}={self.below.at:.6g} to "
                f"{self.above.measured:.4f} at {self.above.at:.6g}. The nearer is {self.nearest.at:.6g}."
            ]
        else:
            told = [f"{goal} is met at {name}={self._shown(self.estimate)}. {exactly}"]
        if self.crossings > 1:
            told.append(f"{self.measure} passes the target {self.crossings} times: this is the lowest value.")
        return told

    def _outside(self, goal: str) -> list[str]:
        least, most = (pick(self.evaluations, key=lambda item: item.measured) for pick in (min, max))
        first, last = self.evaluations[0], self.evaluations[-1]
        told = [
            f"{goal} is outside what {self.axis.name} from {value_text(first.at)} to {value_text(last.at)} gives: "
            f"{least.measured:.4f} (at {value_text(least.at)}) to {most.measured:.4f} (at {value_text(most.at)})."
        ]
        interval = self.interval(self.nearest)
        if interval.low <= self.target <= interval.high:
            told.append(f"It is inside the interval at {value_text(self.nearest.at)}: chance may explain it.")
        return told

    def _shown(self, value: float) -> str:
        # As many decimals as the uncertainty leaves a meaning.
        width = self.high - self.low
        digits = 4 if not width > 0 else min(max(1 - math.floor(math.log10(width)), 0), 8)
        return f"{value:.{digits}f}"


def find_target(
    game: str | Game,
    strategy: "str | Strategy | Sequence[str | Strategy]",
    grid: "Mapping[str, Iterable[Any]] | pl.DataFrame | pd.DataFrame",
    *,
    target: str,
    value: float,
    deals: int = 100_000,
    seed: int = 1,
    seats: int | None = None,
    opponents: "Sequence[str | Strategy]" = (),
    confidence: float = 0.95,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> Target:
    """Find the value of one numeric option or parameter at which a statistic is what it should be.

    Parameters
    ----------
    game
        The game's name.
    strategy
        Who plays.
    grid
        One option that takes a whole number, or one parameter, with two values or more: the range that is searched, and
        what lies between to begin with. By name or as a frame, as in `sweep`.
    target, value
        A statistic (`mean_score`, `sd_score`, `mean_<column>`, `win_seat_<seat>`), and what it should be.
    deals, seed, seats, opponents, confidence, variant, n_jobs, backend, progress
        See `sweep`.

    Returns
    -------
    Target

    Raises
    ------
    UsageError, StrategyError
        As they say.

    Notes
    -----
    Bisection between two given values that enclose the target, all on the same deals. Between the last two, the place x
    is interpolated; its standard error is that of the statistic at x over the slope (delta method). The slope is that
    of the closest two values around x between which the paired difference is four standard errors or more.
    """
    check_confidence(confidence)
    found = find_game(game)
    rules = found.resolve_rules(variant)
    given = find_strategies(found, strategy)
    axes, points = make_grid(rules, given, grid)
    if len(given) > 1:
        raise UsageError(f"a target is for one strategy, not for {len(given)}")
    if len(axes) != 1 or len(axes[0].values) < 2:
        raise UsageError("a target needs one option or parameter with two values or more: the range to search")
    axis = axes[0]
    whole = axis.strategy is None
    if whole and not isinstance(found.rules.options()[axis.attribute].metadata["check"], Whole):
        raise UsageError(f"a target needs a numeric option or a parameter, and {axis.name} is not one number")
    setup = make_setup(
        found, [point.rules for point in points], seats, opponents, deals, seed, n_jobs, backend, progress
    )
    measures = _measures(setup, axis, points)
    if target not in measures.names:
        raise UsageError(f"unknown target {target!r}{near_misses(target, measures.names)}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f"{target}={value!r} is no number to aim at")
    spent = [0.0, 0]

    def play(values: Sequence[float]) -> Moments:
        total = None
        tried_here = [make_point(rules, given, axes, [int(at) if whole else at]) for at in values]
        _measures(setup, axis, [*points, *tried_here])
        for batch, seconds, games in setup.play(tried_here):
            spent[0] += seconds
            spent[1] += games
            total = add_moments(total, exact_moments(np.concatenate(batch[:, 0], axis=1)))
        assert total is not None
        return total

    def evaluate(at: float) -> Evaluation:
        moments = play([at])
        measured, gradient = measures.measure(target, moments)
        return Evaluation(at, measured, standard_error(moments, gradient))

    tried = [evaluate(at) for at in sorted(float(at) for at in axis.values)]
    brackets = [pair for pair in itertools.pairwise(tried) if _encloses(*pair, value)]
    # Two brackets that share an end at which the target is met exactly are one crossing.
    met_exactly = sum(
        pair[1] is other[0] and other[0].measured == value for pair, other in itertools.pairwise(brackets)
    )
    crossings = len(brackets) - met_exactly
    crossing = Crossing()
    below = above = None
    if brackets:
        below, above = brackets[0]
        while not _close(below, above, whole, tried[-1].at - tried[0].at):
            middle = float((below.at + above.at) // 2) if whole else (below.at + above.at) / 2
            between = evaluate(middle)
            tried = sorted([*tried, between])
            below, above = (below, between) if _encloses(below, between, value) else (between, above)
        places = [item.at for item in tried]
        touching = 0.0 if whole else RESOLUTION * (places[-1] - places[0])
        crossing = find_crossing(
            measures, target, value, places, play(places), tried.index(below), touching, confidence
        )
    return Target(
        setup=setup,
        axis=axis,
        strategy=given[0].spec,
        rules=rules,
        measure=target,
        target=float(value),
        whole=whole,
        evaluations=tuple(tried),
        crossings=crossings,
        jumps=crossing.jumps,
        below=below,
        above=above,
        estimate=crossing.estimate,
        low=crossing.low,
        high=crossing.high,
        confidence=confidence,
        seconds=spent[0],
        games=int(spent[1]),
    )


def _measures(setup: Setup, axis: Axis, points: Sequence[Point]) -> Measures:
    """Return the statistics of one strategy at some points; refuse an option that changes who sits where."""
    found = {tuple(setup.seat_games(point.rules, 1)[0]) for point in points}
    if len(found) > 1:
        raise UsageError(f"a target needs the same table at every point, and {axis.name} changes who sits where")
    return Measures(setup.game, setup.seats, found.pop())


def _encloses(first: Evaluation, second: Evaluation, value: float) -> bool:
    return min(first.measured, second.measured) <= value <= max(first.measured, second.measured)


def _close(below: Evaluation, above: Evaluation, whole: bool, span: float) -> bool:
    """Whether there is nothing to gain between two values: neighbours, or a difference far below the uncertainty."""
    if whole:
        return above.at - below.at <= 1
    far_below = abs(above.measured - below.measured) <= max(below.standard_error, above.standard_error) / 20
    return far_below or above.at - below.at <= RESOLUTION * span


class Crossing(NamedTuple):
    """Where a measure has a value, with the ends of the interval, and whether it jumps there."""

    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    jumps: bool = False


def find_crossing(
    measures: Measures,
    name: str,
    value: float,
    places: Sequence[float],
    moments: Moments,
    below: int,
    touching: float,
    confidence: float,
) -> Crossing:
    """Interpolate where a measure has a value.

    Parameters
    ----------
    measures, name
        What is measured.
    value
        Which value it is to have.
    places
        Where it was measured, ascending.
    moments
        The moments of the block sums of all places, side by side.
    below
        The index of the last place before the crossing.
    touching
        Places that are no farther apart have nothing between them: a change that is clear, and larger than the standard
        error of the measure itself, is a jump.
    confidence
        Of the interval.

    Returns
    -------
    Crossing
        With an interval only when two places are known between which the measure clearly changes.
    """
    size = moments.strategies // len(places)
    measured = [measures.measure(name, moments, place * size) for place in range(len(places))]
    change = measured[below + 1].value - measured[below].value
    weight = (value - measured[below].value) / change if change else 0.5
    estimate = places[below] + weight * (places[below + 1] - places[below])

    error = standard_error(moments, (1 - weight) * measured[below].gradient, weight * measured[below + 1].gradient)
    if moments.blocks < FEWEST_BLOCKS:
        return Crossing(estimate)

    def rise(first: int, last: int) -> float:
        """Return how much the measure changes between two places, 0 when that is not clear."""
        change = measured[last].value - measured[first].value
        paired = standard_error(moments, measured[last].gradient, -measured[first].gradient)
        return change if abs(change) >= CLEAR_SLOPE * paired else 0.0

    if places[below + 1] - places[below] <= touching and abs(rise(below, below + 1)) >= error:
        return Crossing(estimate, jumps=True)
    around = [(first, last) for first in range(below + 1) for last in range(below + 1, len(places))]
    around.sort(key=lambda pair: places[pair[1]] - places[pair[0]])
    for first, last in around:
        width = places[last] - places[first]
        if width > touching and rise(first, last):
            interval = student_interval(estimate, error * width / abs(rise(first, last)), moments.blocks, confidence)
            return Crossing(estimate, *interval)
    return Crossing(estimate)
