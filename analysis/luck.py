"""How much of a score is luck, how much is skill: the variance of scores split by what causes it.

The scores of all strategies on the same deals (and in the same seats) form a table, and the analysis of variance tells
how large the differences are between deals, between strategies, between seats, and those that only a combination shows.
All sums are exact integers, so that the split is the same in whatever order the parts of a run were merged.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from analysis.simultaneous import Moments
from sims.errors import UsageError

LUCK = ("deal", "seat", "deal:seat")
"""The causes that no strategy can change."""

FACTORS = ("deal", "strategy", "seat")
PLURALS = ("deals", "strategies", "seats")


@dataclass(frozen=True)
class VarianceSplit:
    """The variance of scores by its causes, in squared points.

    Parameters
    ----------
    blocks : int
        The number of deals.
    components : mapping of str to float
        The variance that each cause adds: "deal", "strategy" and "remainder", and with seats also "seat",
        "deal:strategy", "deal:seat" and "strategy:seat". An estimate of a small one can be below 0.
    """

    blocks: int
    components: Mapping[str, float]

    @property
    def total(self) -> float:
        """The variance of the score of a strategy on a deal in a seat, all three drawn at random."""
        return sum(self.components.values())

    @property
    def shares(self) -> dict[str, float]:
        """The share of each component in the total; nan when scores do not vary."""
        total = self.total
        return {name: value / total if total else np.nan for name, value in self.components.items()}

    @property
    def luck(self) -> float:
        """The share of what no strategy can change: the deal, the seat, and what the deal gives to a seat."""
        return sum(self.shares.get(name, 0.0) for name in LUCK)

    @property
    def skill(self) -> float:
        """The share of the strategy, whatever the deal and the seat."""
        return self.shares["strategy"]

    def summary(self) -> pl.DataFrame:
        """Return one row a cause.

        Columns: `cause`; `component`, the variance that it adds, in squared points; `share` of the total, null when
        scores do not vary; `kind`: "luck", "skill", or "both" for what depends on luck and skill together.
        """
        shares = self.shares
        rows = [
            (name, value, shares[name], "luck" if name in LUCK else "skill" if name == "strategy" else "both")
            for name, value in self.components.items()
        ]
        schema = {"cause": pl.String, "component": pl.Float64, "share": pl.Float64, "kind": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("share").fill_nan(None))


def luck_and_skill(scores: ArrayLike) -> VarianceSplit:
    """Split the variance of scores by deal, strategy and seat.

    Parameters
    ----------
    scores : array_like of int, shape (blocks, K) or (blocks, K, seats)
        The score of each strategy on each deal; with a third axis, in each seat.

    Returns
    -------
    VarianceSplit

    Raises
    ------
    UsageError
        When the scores are not such a table of integers, or it has fewer than two blocks, strategies or seats.

    Notes
    -----
    See `split_moments`.
    """
    given = np.asarray(scores)
    if given.ndim not in (2, 3):
        raise UsageError(
            f"scores have {given.ndim} dimensions; give blocks × strategies, or blocks × strategies × seats"
        )
    seats = given.shape[2] if given.ndim == 3 else None
    if 0 in given.shape:
        raise UsageError(f"scores have the shape {given.shape}; give two blocks, strategies and seats or more")
    return split_moments(Moments.from_scores(given.reshape(len(given), -1)), seats)


def split_moments(moments: Moments, seats: int | None = None) -> VarianceSplit:
    """Split the variance of scores by deal, strategy and seat, from the exact moments of a run of any length.

    Parameters
    ----------
    moments : Moments
        The moments of block scores: of K strategies, or of each of them in each seat, seats running fastest.
    seats : int, optional
        The number of seats; left out when the moments are those of strategies.

    Returns
    -------
    VarianceSplit

    Raises
    ------
    UsageError
        When there are fewer than two blocks, strategies or seats, or the moments do not fit the number of seats.

    Notes
    -----
    Analysis of variance of a complete table with one score a cell; the deals are a sample, the strategies and seats are
    all there are. Each component is the one for which the mean squares equal their expectations (Searle, Casella and
    McCulloch, "Variance Components", 1992, chapter 4), so that estimates are free of bias whatever the distribution of
    scores. The size of fixed effects is the variance between their levels, with divisor levels − 1.

    Without seats, "deal" is the mean covariance of two strategies on the same deal, and "remainder" what it leaves of
    their variance: the interaction of deal and strategy, and chance in play. With seats, "remainder" is the interaction
    of all three, and chance in play.
    """
    if seats is not None and (seats < 2 or moments.strategies % seats):
        raise UsageError(f"moments of {moments.strategies} columns do not fit {seats} seats; give two seats or more")
    levels = [moments.blocks, moments.strategies if seats is None else moments.strategies // seats, seats or 1]
    factors = range(2 if seats is None else 3)
    for factor in factors:
        if levels[factor] < 2:
            raise UsageError(f"the number of {PLURALS[factor]} is {levels[factor]}; give scores of two or more")
    effects = list(chain.from_iterable(combinations(factors, size) for size in range(len(factors) + 1)))
    squares = {effect: _square_sum(moments, effect, levels) for effect in effects}
    mean_squares = {}
    for effect in effects[1:]:
        within = [part for part in effects if set(part) <= set(effect)]
        square = sum((-1) ** (len(effect) - len(part)) * squares[part] for part in within)
        freedom = math.prod(levels[factor] - 1 for factor in effect)
        mean_squares[effect] = square / freedom
    components = {}
    for effect in effects[1:]:
        # Of the larger effects, only those with chance in them blur this one.
        above = [
            other for other in effects if set(effect) <= set(other) and (0 in effect or set(other) <= {0, *effect})
        ]
        value = sum((-1) ** (len(other) - len(effect)) * mean_squares[other] for other in above)
        name = ":".join(FACTORS[factor] for factor in effect) if len(effect) < len(factors) else "remainder"
        components[name] = float(value / _cells(levels, effect) / moments.scale**2)
    return VarianceSplit(moments.blocks, MappingProxyType(components))


def _square_sum(moments: Moments, effect: tuple[int, ...], levels: list[int]) -> Fraction:
    """Return the sum over the levels of an effect of (total of their scores)² / (number of their scores), exactly."""
    columns = np.arange(levels[1] * levels[2]).reshape(levels[1], levels[2])
    if 1 not in effect:
        columns = columns.reshape(1, -1) if 2 not in effect else columns.T
    elif 2 in effect:
        columns = columns.reshape(-1, 1)
    if 0 in effect:
        total = sum(moments.products[a][b] for group in columns.tolist() for a in group for b in group)
    else:
        total = sum(sum(moments.sums[a] for a in group) ** 2 for group in columns.tolist())
    return Fraction(total, _cells(levels, effect))


def _cells(levels: list[int], effect: tuple[int, ...]) -> int:
    """Return the number of scores at each level of an effect."""
    return math.prod(levels[factor] for factor in range(3) if factor not in effect)
