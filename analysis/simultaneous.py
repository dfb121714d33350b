"""Many strategies on the same deals: intervals that all hold at once, ranks, and the probability of being the best.

The exact result is the matrix of cross moments of the block scores. It holds the covariance of the strategies' means,
so that every interval is as narrow as the common deals allow, and merging two runs is addition.

Probabilities of the multivariate normal and Student distributions are integrated as by Deák, "Three digit accurate
multiple normal probabilities", Numer. Math. 35 (1980): exactly along each ray from the centre, and over the directions
of the rays by the folded Richtmyer sequence (Genz and Bretz, "Computation of Multivariate Normal and t Probabilities",
2009). Nothing is random: equal moments give equal intervals.
"""

# scipy is imported inside the functions: it takes longer to load than everything else that a command needs to start.

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals import Interval, check_confidence
from sims.errors import UsageError

Kind = Literal["all-pairs", "against-best", "means"]

DIRECTIONS = 2**16
"""Directions of the integration: the relative error of critical values at 95 % is then below 0.001 up to K = 30."""

GROUP = 2**6
"""So many neighbouring directions share one evaluation of the radial distribution; the error is below 0.0001."""

CHUNK = 2**12
"""So many directions are worked on at once, to bound the memory."""

NEGLIGIBLE = 1e-12
"""What is left of a variance below this share of it is rounding."""


@dataclass(frozen=True)
class Moments:
    """Exact sums and cross products of the block scores of K strategies on the same deals; adding two merges blocks.

    Parameters
    ----------
    blocks : int
        The number of blocks.
    sums : tuple of int, length K
        Per strategy: the sum of its block scores, in points.
    products : tuple of K tuples of int, each of length K
        Per two strategies: the sum over blocks of the product of their block scores, in squared points.
    scale : int, default 1
        The number of seat-games that each strategy has in one block; block scores over it are points a game.

    Raises
    ------
    UsageError
        When the numbers are not integers of these shapes, or no block scores could have them.

    Notes
    -----
    All numbers are Python integers: they never overflow, and no statistic depends on the order of merging.
    """

    blocks: int
    sums: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]
    scale: int = 1

    def __post_init__(self) -> None:
        """Check the numbers and make Python integers of them."""
        try:
            blocks, scale = operator.index(self.blocks), operator.index(self.scale)
            sums = tuple(operator.index(value) for value in self.sums)
            products = tuple(tuple(operator.index(value) for value in row) for row in self.products)
        except TypeError as error:
            raise UsageError(f"moments of block scores must be whole numbers ({error}); give integers") from None
        if blocks < 0 or scale < 1:
            raise UsageError(f"moments of {blocks} blocks of {scale} seat-games cannot be; give 0 and 1 or more")
        if not sums or [len(row) for row in products] != [len(sums)] * len(sums):
            raise UsageError(
                f"moments have {len(sums)} sums; give one or more, and as many rows and columns of products"
            )
        for k, row in enumerate(products):
            if any(row[j] != products[j][k] for j in range(k)):
                raise UsageError(
                    f"products of strategy {k} are not symmetric; give the sum of S_k · S_l at k, l and l, k"
                )
            if blocks * row[k] < sums[k] ** 2 or (not blocks and row[k]):
                raise UsageError(
                    f"strategy {k} cannot have sum {sums[k]} and sum of squares {row[k]} in {blocks} blocks; "
                    "give both of the same blocks"
                )
        object.__setattr__(self, "blocks", blocks)
        object.__setattr__(self, "sums", sums)
        object.__setattr__(self, "products", products)
        object.__setattr__(self, "scale", scale)

    @classmethod
    def from_scores(cls, scores: ArrayLike, scale: int = 1) -> Self:
        """Sum up block scores.

        Parameters
        ----------
        scores : array_like of int, shape (blocks, K)
            The score of each strategy in each block, in points.
        scale : int, default 1
            The number of seat-games that each strategy has in one block.

        Returns
        -------
        Moments

        Raises
        ------
        UsageError
            When the scores are not a table of integers.
        """
        given = np.asarray(scores)
        if given.ndim != 2 or not given.shape[1]:
            raise UsageError(f"block scores have the shape {given.shape}; give one row a block, one column a strategy")
        if given.dtype.kind not in "iu":
            raise UsageError(f"block scores are of type {given.dtype}; give integers")
        largest = max(abs(int(given.max())), abs(int(given.min()))) if given.size else 0
        # Python integers where 64 bits might not hold the sums of products.
        wide = given.astype(np.int64 if largest**2 * max(len(given), 1) < 2**63 else object)
        return cls(len(wide), tuple(wide.sum(axis=0).tolist()), tuple(map(tuple, (wide.T @ wide).tolist())), scale)

    def __add__(self, other: object) -> "Moments":
        """Return the moments of both sets of blocks together."""
        if not isinstance(other, Moments):
            return NotImplemented
        if (self.strategies, self.scale) != (other.strategies, other.scale):
            raise UsageError(
                f"moments of {self.strategies} strategies with {self.scale} seat-games a block cannot be added to "
                f"those of {other.strategies} with {other.scale}; merge runs of one design"
            )
        return Moments(
            self.blocks + other.blocks,
            tuple(map(operator.add, self.sums, other.sums)),
            tuple(tuple(map(operator.add, *rows)) for rows in zip(self.products, other.products, strict=True)),
            self.scale,
        )

    def only(self, chosen: Sequence[int]) -> "Moments":
        """Return the moments of some of the strategies, in the order in which they are named (from 0)."""
        return Moments(
            self.blocks,
            tuple(self.sums[k] for k in chosen),
            tuple(tuple(self.products[k][j] for j in chosen) for k in chosen),
            self.scale,
        )

    def combined(self, weights: ArrayLike, scale: int) -> "Moments":
        """Return the moments of weighted sums of the block scores.

        Parameters
        ----------
        weights : array_like of int, shape (m, K)
            Each row makes one new column.
        scale : int
            The number of seat-games that a new column has in one block.
        """
        rows = np.array(weights, object)
        sums = rows @ np.array(self.sums, object)
        products = rows @ np.array(self.products, object) @ rows.T
        return Moments(self.blocks, tuple(sums.tolist()), tuple(map(tuple, products.tolist())), scale)

    @property
    def strategies(self) -> int:
        """The number of strategies, K."""
        return len(self.sums)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The mean score of each strategy, in points a game, shape (K,); nan without blocks."""
        if not self.blocks:
            return np.full(self.strategies, math.nan)
        return np.array([total / (self.blocks * self.scale) for total in self.sums])

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """The unbiased sample covariance of block scores, in squared points a game, (K, K); nan below two blocks."""
        if self.blocks < 2:
            return np.full((self.strategies, self.strategies), math.nan)
        divisor = self.blocks * (self.blocks - 1) * self.scale**2
        return np.array([[value / divisor for value in row] for row in self._deviations])

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Return the mean of A − B and its standard error, in points a game; nan without the blocks that they need.

        Parameters
        ----------
        a, b : int
            The strategies, from 0.
        """
        if not self.blocks:
            return math.nan, math.nan
        spread = self._deviations[a][a] + self._deviations[b][b] - 2 * self._deviations[a][b]
        return (self.sums[a] - self.sums[b]) / (self.blocks * self.scale), self._standard_error(spread)

    def mean(self, a: int) -> tuple[float, float]:
        """Return the mean of A and its standard error, in points a game; nan without the blocks that they need.

        Parameters
        ----------
        a : int
            The strategy, from 0.
        """
        return float(self.means[a]), self._standard_error(self._deviations[a][a])

    def difference_covariance(self, base: int) -> NDArray[np.float64]:
        """Return the sample covariance of the block differences from one strategy; nan below two blocks.

        Parameters
        ----------
        base : int
            The strategy that all others are compared with, from 0; its own row and column are 0.

        Returns
        -------
        ndarray of float, shape (K, K)
            In squared points a game. Exact but for one rounding, however much luck all strategies share.
        """
        if self.blocks < 2:
            return self.covariance
        divisor = self.blocks * (self.blocks - 1) * self.scale**2
        spread = self._deviations
        return np.array(
            [
                [(value - row[base] - spread[base][j] + spread[base][base]) / divisor for j, value in enumerate(row)]
                for row in spread
            ]
        )

    @cached_property
    def _deviations(self) -> list[list[int]]:
        """Give n · (n − 1) times the covariance of the block scores, exactly."""
        return [
            [self.blocks * product - self.sums[k] * self.sums[j] for j, product in enumerate(row)]
            for k, row in enumerate(self.products)
        ]

    def _standard_error(self, spread: int) -> float:
        if self.blocks < 2:
            return math.nan
        return math.sqrt(spread / (self.blocks - 1)) / (self.blocks * self.scale)


class Contrast(NamedTuple):
    """One of several intervals that hold at once, in points a game.

    ``other`` is the strategy that ``strategy`` is compared with: the second of a pair, the best of all others in the
    sample, or None for a mean. Values are nan below two blocks.
    """

    strategy: int
    other: int | None
    effect: float
    standard_error: float
    critical_value: float
    low: float
    high: float


class Ranks(NamedTuple):
    """The best and the worst rank that a strategy can have; 1 is the best of all."""

    best: int
    worst: int


def simultaneous_intervals(
    moments: Moments, kind: Kind = "all-pairs", confidence: float = 0.95
) -> tuple[Contrast, ...]:
    """Return intervals that all cover their truths at once, in the stated share of runs.

    Parameters
    ----------
    moments : Moments
        The exact moments of K strategies on the same deals.
    kind : {"all-pairs", "against-best", "means"}
        What to compare: every two strategies; every strategy with the best of the others; or the means as they are.
    confidence : float, default 0.95
        The share of runs in which all intervals cover, between 0 and 1.

    Returns
    -------
    tuple of Contrast
        "all-pairs": strategy − other for each strategy < other, in that order; "against-best": a row a strategy, its
        mean minus the largest mean of the others; "means": a row a strategy.

    Raises
    ------
    UsageError
        When `kind` is none of the three, `confidence` is not between 0 and 1, or one strategy has nobody to compare to.

    Notes
    -----
    Estimate ± c · standard error, c being the quantile of the largest absolute t under the sample's correlations with
    n − 1 degrees of freedom: Hothorn, Bretz and Westfall, "Simultaneous inference in general parametric models",
    Biometrical J. 50 (2008). Contrasts that do not vary have intervals of width zero.

    "Against-best" is Hsu's multiple comparisons with the best, in the form for any covariance (Hsu, "Multiple
    Comparisons", 1996, chapters 4 and 7); it holds although the data say which strategy is the best. Every interval
    contains 0 or ends there: a ``high`` of 0 says that the strategy is not better than all others, a ``low`` of 0 that
    none is better than it.
    """
    check_confidence(confidence)
    if kind not in ("all-pairs", "against-best", "means"):
        raise UsageError(f"unknown kind of comparison {kind!r}; give all-pairs, against-best or means")
    if kind == "means":
        return _two_sided(moments, [(k, None) for k in range(moments.strategies)], moments.covariance, confidence)
    if moments.strategies < 2:
        raise UsageError("1 strategy cannot be compared; give the moments of two or more")
    if kind == "all-pairs":
        pairs = list(combinations(range(moments.strategies), 2))
        return _two_sided(moments, pairs, moments.difference_covariance(0), confidence)
    return _against_best(moments, confidence)


def critical_value(
    correlation: ArrayLike, degrees_of_freedom: float = math.inf, confidence: float = 0.95, two_sided: bool = True
) -> float:
    """Return the c that the largest of several correlated t statistics stays below with the stated probability.

    Parameters
    ----------
    correlation : array_like, shape (m, m)
        The correlations of the m statistics; may be singular.
    degrees_of_freedom : float, default inf
        Of the common variance estimate; inf for normal statistics.
    confidence : float, default 0.95
        The probability, between 0 and 1.
    two_sided : bool, default True
        Whether the largest absolute t counts, or the largest t.

    Returns
    -------
    float
        From 0 up, with a relative error below 0.001 (0.003 at a confidence of 0.999); a one-sided value that would be
        negative is 0.

    Raises
    ------
    UsageError
        When `correlation` is not a symmetric matrix with ones on its diagonal, the degrees of freedom are not
        positive, or `confidence` is not between 0 and 1.

    Notes
    -----
    The equicoordinate quantile of the multivariate t distribution; see the module for the integration.
    """
    check_confidence(confidence)
    matrix = np.asarray(correlation, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.size or matrix.shape != matrix.T.shape:
        raise UsageError(f"correlations have the shape {matrix.shape}; give m rows of m numbers")
    root = _root(matrix)
    if not (np.allclose(np.diag(matrix), 1) and np.allclose(root @ root.T, matrix)):
        raise UsageError("the matrix is not one of correlations: give ones on the diagonal and no negative eigenvalue")
    if not degrees_of_freedom > 0:
        raise UsageError(f"{degrees_of_freedom} degrees of freedom are not positive; give more than 0, or inf")
    return _critical_value(root, degrees_of_freedom, confidence, two_sided)


def rank_intervals(pairs: Sequence[Contrast]) -> tuple[Ranks, ...]:
    """Return for each strategy the ranks that the data leave open, all of them covering at once.

    Parameters
    ----------
    pairs : sequence of Contrast
        What ``simultaneous_intervals(moments, "all-pairs")`` returned.

    Returns
    -------
    tuple of Ranks
        From 1 + the number of strategies that are surely better, to K − the number that are surely worse.

    Raises
    ------
    UsageError
        When `pairs` are not the intervals of all pairs.

    Notes
    -----
    Mohamad, Goeman and van Zwet, "Simultaneous confidence intervals for ranks with application to ranking
    institutions", Biometrics 78 (2022): ranks from Tukey's intervals.
    """
    compared = [(pair.strategy, pair.other) for pair in pairs]
    count = 1 + max((other for _, other in compared if other is not None), default=0)
    if not compared or compared != list(combinations(range(count), 2)):
        raise UsageError('rank intervals need the intervals of all pairs; give those of the kind "all-pairs"')
    better, worse = [0] * count, [0] * count
    for pair, (first, second) in zip(pairs, combinations(range(count), 2), strict=True):
        if pair.low > 0 or pair.high < 0:
            winner, loser = (first, second) if pair.low > 0 else (second, first)
            better[loser] += 1
            worse[winner] += 1
    return tuple(Ranks(1 + better[k], count - worse[k]) for k in range(count))


def probability_best(moments: Moments) -> tuple[float, ...]:
    """Return for each strategy the probability that its true mean is the largest, given the data.

    Parameters
    ----------
    moments : Moments
        The exact moments of K strategies on the same deals.

    Returns
    -------
    tuple of float, length K
        They add up to 1, strategies that scored alike in every block sharing equally; nan below two blocks.

    Notes
    -----
    The true means are taken as multivariate t around the sample means with the sample's covariance and n − 1 degrees
    of freedom: the posterior under a flat prior in large samples, and what a parametric bootstrap would count. With
    two strategies it is one minus the one-sided p-value of the paired t test. Right to about 0.001; along each ray
    the strategy that leads is found exactly, so small probabilities are not lost.
    """
    count = moments.strategies
    if moments.blocks < 2:
        return (math.nan,) * count
    alike = [next(j for j in range(k + 1) if moments.difference(j, k) == (0, 0)) for k in range(count)]
    distinct = sorted(set(alike))
    # All that differs between strategies is what each differs from the first one.
    shape = _root(moments.difference_covariance(0)[np.ix_(distinct, distinct)]) / math.sqrt(moments.blocks)
    means = moments.means[distinct]
    dimensions = shape.shape[1]
    leads = np.zeros(len(distinct))
    if not dimensions:
        leads[np.argmax(means)] = 1
    else:
        for directions in np.split(_directions(dimensions), DIRECTIONS // CHUNK):
            slopes = directions @ shape.T
            for k in range(len(distinct)):
                # On a ray, k leads another where radius · gain ≥ lag: beyond a radius, or up to one.
                gain = np.delete(slopes[:, [k]] - slopes, k, axis=1)
                lag = np.delete(means - means[k], k)
                with np.errstate(divide="ignore", invalid="ignore"):
                    turn = lag / gain
                first = np.max(np.where(gain >= 0, turn, 0), axis=1, initial=0)
                last = np.min(np.where(gain < 0, turn, np.inf), axis=1, initial=np.inf)
                ends = np.stack([first, last])[:, first < last]
                beyond = _radius_tail(ends, dimensions, moments.blocks - 1)
                leads[k] += np.sum(beyond[0] - beyond[1])
        leads /= DIRECTIONS
    return tuple(float(leads[distinct.index(j)]) / alike.count(j) for j in alike)


def multinomial_intervals(counts: ArrayLike, confidence: float = 0.95) -> tuple[Interval, ...]:
    """Return Goodman's simultaneous intervals of several shares that add up to 1.

    Parameters
    ----------
    counts : array_like of int, shape (k,)
        How many independent observations fell into each of k categories.
    confidence : float, default 0.95
        The share of samples in which all intervals cover, between 0 and 1.

    Returns
    -------
    tuple of Interval, length k
        Within 0 to 1; nan without observations.

    Raises
    ------
    UsageError
        When the counts are not one row of non-negative integers, or `confidence` is not between 0 and 1.

    Notes
    -----
    Goodman, "On simultaneous confidence intervals for multinomial proportions", Technometrics 7 (1965): Wilson's
    interval with the error shared among the categories (Bonferroni).
    """
    check_confidence(confidence)
    given = np.asarray(counts)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu" or given.min() < 0:
        raise UsageError(f"counts {given.tolist()} are not shares of a whole; give one row of whole numbers from 0 up")
    cells = given.tolist()
    total = sum(cells)
    if not total:
        return (Interval(math.nan, math.nan),) * len(cells)
    from scipy.special import chdtri

    square = float(chdtri(1, (1 - confidence) / len(cells)))
    intervals = []
    for cell in cells:
        half = math.sqrt(square * (square + 4 * cell * (total - cell) / total))
        low, high = ((square + 2 * cell + side) / (2 * (total + square)) for side in (-half, half))
        # Where an end is exactly 0 or 1, rounding must not move it.
        intervals.append(Interval(low if cell else 0.0, high if cell < total else 1.0))
    return tuple(intervals)


def _two_sided(
    moments: Moments, contrasts: Sequence[tuple[int, int | None]], covariance: NDArray[np.float64], confidence: float
) -> tuple[Contrast, ...]:
    estimates = [moments.mean(a) if b is None else moments.difference(a, b) for a, b in contrasts]
    weights = np.zeros((len(contrasts), moments.strategies))
    for row, (a, b) in zip(weights, contrasts, strict=True):
        row[a] += 1
        if b is not None:
            row[b] -= 1
    errors = [error for _, error in estimates]
    critical = _sample_critical_value(moments, weights, covariance, errors, confidence, two_sided=True)
    return tuple(
        Contrast(a, b, effect, error, critical, effect - critical * error, effect + critical * error)
        for (a, b), (effect, error) in zip(contrasts, estimates, strict=True)
    )


def _against_best(moments: Moments, confidence: float) -> tuple[Contrast, ...]:
    others = [[j for j in range(moments.strategies) if j != k] for k in range(moments.strategies)]
    versus = [{j: moments.difference(k, j) for j in rivals} for k, rivals in enumerate(others)]
    unit = np.eye(moments.strategies)
    critical = [
        _sample_critical_value(
            moments,
            -unit[rivals],
            moments.difference_covariance(k),
            [error for _, error in versus[k].values()],
            confidence,
            two_sided=False,
        )
        for k, rivals in enumerate(others)
    ]
    highs = [
        min(effect + value * error for effect, error in row.values())
        for row, value in zip(versus, critical, strict=True)
    ]
    rows = []
    for k, rivals in enumerate(others):
        # Hsu leaves out rivals that cannot be the best; they hardly ever bind, and keeping them is safe.
        lows = [versus[k][j][0] - critical[j] * versus[k][j][1] for j in rivals]
        low, high = min([0.0, *lows]), max(0.0, highs[k])
        if moments.blocks < 2:
            low = high = math.nan
        best = max(rivals, key=lambda j: moments.sums[j])
        rows.append(Contrast(k, best, *versus[k][best], critical[k], low, high))
    return tuple(rows)


def _sample_critical_value(
    moments: Moments,
    weights: NDArray[np.float64],
    covariance: NDArray[np.float64],
    errors: Sequence[float],
    confidence: float,
    two_sided: bool,
) -> float:
    """Return the critical value of the contrasts with these weights, one a row; 0 when none of them varies."""
    if moments.blocks < 2:
        return math.nan
    sizes = np.array(errors)[:, np.newaxis] * math.sqrt(moments.blocks)
    varying = sizes[:, 0] > 0
    if not varying.any():
        return 0.0
    rows = weights[varying] @ _root(covariance) / sizes[varying]
    return _critical_value(rows, moments.blocks - 1, confidence, two_sided)


def _root(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return R with R · Rᵀ = covariance, with as many columns as its rank.

    It is Cholesky's factor, which has one form only; eigenvectors would depend on the linear algebra library.
    """
    rest, columns = covariance, np.zeros((len(covariance), 0))
    for k, size in enumerate(np.diag(covariance)):
        if rest[k, k] > NEGLIGIBLE * size:
            column = rest[:, [k]] / math.sqrt(rest[k, k])
            rest, columns = rest - column @ column.T, np.hstack([columns, column])
    return columns


def _critical_value(rows: NDArray[np.float64], degrees_of_freedom: float, confidence: float, two_sided: bool) -> float:
    from scipy.optimize import brentq

    dimensions = rows.shape[1]
    largest = []
    for directions in np.split(_directions(dimensions), DIRECTIONS // CHUNK):
        statistics = directions @ rows.T
        largest.append(np.max(np.abs(statistics) if two_sided else statistics, axis=1))
    heights = np.sort(np.concatenate(largest)).reshape(-1, GROUP).mean(axis=1)
    # On a ray that leads away from every bound, a one-sided statistic never exceeds c.
    rising = heights[heights > 0]

    def excess(c: float) -> float:
        outside = _radius_tail(c / rising, dimensions, degrees_of_freedom)
        return 1 - float(np.sum(outside)) / len(heights) - confidence

    if excess(0.0) >= 0:
        return 0.0
    upper = 1.0
    while excess(upper) < 0:
        upper *= 2
    return float(brentq(excess, 0.0, upper, xtol=1e-9))


def _radius_tail(radius: NDArray[np.float64], dimensions: int, degrees_of_freedom: float) -> NDArray[np.float64]:
    """Return the probability that a standard multivariate t vector is longer than each radius."""
    from scipy.special import fdtrc, gammaincc

    if math.isinf(degrees_of_freedom):
        return np.asarray(gammaincc(dimensions / 2, radius**2 / 2), dtype=np.float64)
    return np.asarray(fdtrc(dimensions, degrees_of_freedom, radius**2 / dimensions), dtype=np.float64)


@lru_cache(maxsize=4)
def _directions(dimensions: int) -> NDArray[np.float64]:
    """Return unit vectors that fill the sphere evenly, one a row."""
    from scipy.special import ndtri

    roots = np.sqrt(np.array(_primes(dimensions), dtype=np.float64))
    points = np.arange(1, DIRECTIONS + 1)[:, np.newaxis] * roots % 1
    # Folding the unit interval in two makes the integrand periodic, which the sequence rewards.
    normal = ndtri(np.abs(2 * points - 1))
    directions = np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True), dtype=np.float64)
    directions.setflags(write=False)
    return directions


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    candidate = 2
    while len(primes) < count:
        if all(candidate % prime for prime in primes):
            primes.append(candidate)
        candidate += 1
    return primes
