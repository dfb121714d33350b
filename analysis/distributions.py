"""How scores spread, with an interval for every number, from counts alone.

The unit is the block: one deal under all rotations. A strategy that plays once in a block has independent scores, and
its intervals are the exact ones for counts. Where it plays several games in a block, these share their luck. Then each
share is given the number of independent games that would be as informative (the effective number of games), which the
variation of the share between blocks shows. That needs only the distributions of the highest, second highest, … score
of a block, which are histograms again and add up.
"""

# scipy is imported inside the functions: it takes longer to load than everything else that a command needs to start.

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from analysis.histogram import Histogram
from analysis.intervals import Interval, check_confidence, mean_interval, share_interval
from sims.errors import UsageError

CONFIDENCE = 0.95
"""The confidence of an interval when none is asked for."""

Band = tuple[str, int, int | None]  # name, lowest score, the score above its highest (None: no end)


# --- One histogram ---------------------------------------------------------------------------------------------------


def quantile_interval(
    histogram: Histogram, p: float, confidence: float = CONFIDENCE, *, effective: float | None = None
) -> Interval:
    """Return the interval of a quantile that lies between two order statistics.

    Parameters
    ----------
    histogram : Histogram
        The scores.
    p : float
        Which quantile, above 0 and below 1.
    confidence : float, default 0.95
        The share of such intervals that cover the true quantile, at least.
    effective : float, optional
        The number of independent observations that are as informative as the histogram; by default all are independent.

    Returns
    -------
    Interval
        Two scores that occurred; an end is nan when there are too few observations for one.

    Raises
    ------
    UsageError
        When `p` or `confidence` is not between 0 and 1.

    Notes
    -----
    The number of n observations at or below the true quantile is binomial, whatever the distribution: the ranks are
    quantiles of that binomial distribution (Conover, "Practical Nonparametric Statistics", 3rd edition, 1999, section
    3.2; `scipy.stats.quantile_test` gives the same ends). For integer scores it covers more often than it promises.
    Fewer effective observations give ranks among that many, which are read off as shares (Woodruff, "Confidence
    intervals for medians and other position measures", J. Amer. Statist. Assoc. 47, 1952).
    """
    check_confidence(confidence)
    check_quantile(p)
    n = histogram.total
    number = n if effective is None else 0 if math.isnan(effective) else min(math.floor(effective), n)
    if number < 1:
        return Interval(math.nan, math.nan)
    from scipy.stats import binom

    alpha = (1 - confidence) / 2
    lower = int(binom.ppf(alpha, number, p))
    upper = int(binom.isf(alpha, number, p)) + 1
    return Interval(
        _score_at(histogram, lower, number) if lower > 0 else math.nan,
        _score_at(histogram, upper, number) if upper <= number else math.nan,
    )


def _score_at(histogram: Histogram, rank: int, ranks: int) -> float:
    """Return the lowest score at or below which at least the share rank / ranks of all observations lies."""
    least = -(-rank * histogram.total // ranks)  # of observations, rounded up
    return float(histogram.lowest + int(np.searchsorted(np.cumsum(histogram.counts), least)))


def tail_interval(histogram: Histogram, score: int, confidence: float = CONFIDENCE) -> Interval:
    """Return the interval of the share of scores at or above one, for independent observations.

    Parameters
    ----------
    histogram : Histogram
        The scores.
    score : int
        The lowest score that counts.
    confidence : float, default 0.95
        The share of such intervals that cover the true share.

    Returns
    -------
    Interval
        See `analysis.intervals.share_interval`: Wilson's, or Clopper and Pearson's for none or all.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.
    """
    return share_interval(_at_least(histogram, score), histogram.total, confidence)


def _at_least(histogram: Histogram, score: int) -> int:
    return int(histogram.counts[max(score - histogram.lowest, 0) :].sum())


def cdf_half_width(blocks: int, confidence: float = CONFIDENCE, *, games_a_block: int = 1) -> float:
    """Return half the width of a band that holds the whole distribution function.

    Parameters
    ----------
    blocks : int
        The number of independent blocks.
    confidence : float, default 0.95
        The share of such bands that hold the true distribution function at every score, at least.
    games_a_block : int, default 1
        Games of a block, which may depend on each other in any way.

    Returns
    -------
    float
        A share, to be added to and taken from the sample's distribution function; nan without blocks.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.

    Notes
    -----
    The band of Dvoretzky, Kiefer and Wolfowitz (Massart, "The tight constant in the Dvoretzky–Kiefer–Wolfowitz
    inequality", Ann. Probab. 18, 1990) with the exact distribution of the largest deviation D for n observations
    (`scipy.stats.kstwo`) instead of the bound; for discrete scores it covers more often than it promises.

    With several games in a block, draw one of each block at random. These are independent, and the sample's
    distribution function is the expectation of theirs given the blocks. By Jensen's inequality its largest deviation is
    smaller than D for n blocks in the increasing convex order, so that its quantile is at most the expected shortfall
    of D, the mean of the largest 1 − confidence of its values. That is integrated from the quantile on by Massart's
    bound. This half width holds for every dependence; for a hundred blocks or more it is about an eighth more than that
    of one game a block.
    """
    check_confidence(confidence)
    if blocks < 1:
        return math.nan
    from scipy.special import erfc
    from scipy.stats import kstwo

    quantile = float(kstwo.ppf(confidence, blocks))
    if games_a_block == 1:
        return quantile
    # The integral of Massart's bound 2 exp(-2 n x²) above the quantile: never too small, and exact for many blocks.
    excess = math.sqrt(math.pi / (2 * blocks)) * float(erfc(quantile * math.sqrt(2 * blocks)))
    return min(quantile + excess / (1 - confidence), 1.0)


class Superiority(NamedTuple):
    """How often one draw is above another one, and how often equal, with standard errors."""

    greater: float
    greater_error: float
    equal: float
    equal_error: float


def superiority(x: Histogram, y: Histogram) -> Superiority:
    """Return P(X > Y) and P(X = Y) for two independent samples.

    Parameters
    ----------
    x, y : Histogram
        Independent observations, none of them on the deals of the other sample.

    Returns
    -------
    Superiority
        Shares of all pairs and their standard errors; errors are nan when a sample has fewer than two observations, and
        all is nan when one is empty.

    Notes
    -----
    U statistics with the variance of their placements: DeLong, DeLong and Clarke-Pearson, "Comparing the areas under
    two or more correlated receiver operating characteristic curves", Biometrics 44 (1988).
    """
    if not (x.total and y.total):
        return Superiority(math.nan, math.nan, math.nan, math.nan)
    first, second, _ = _aligned(x, y)
    below, above = _running(second, strict=True), _running(first[::-1], strict=True)[::-1]
    greater = _pair_share(first, below, second, above)
    equal = _pair_share(first, second, second, first)
    return Superiority(*greater, *equal)


def _pair_share(
    first: Sequence[int], placements: Sequence[int], second: Sequence[int], others: Sequence[int]
) -> tuple[float, float]:
    """Return a share of pairs and its standard error, from the number of partners that each observation has."""
    n, m = sum(first), sum(second)
    pairs = sum(count * place for count, place in zip(first, placements, strict=True))
    variance = _mean_variance(first, placements) / m**2 + _mean_variance(second, others) / n**2
    return pairs / (n * m), math.sqrt(variance)


def _mean_variance(counts: Sequence[int], values: Sequence[int]) -> float:
    """Return the squared standard error of the mean of integers; in integers the difference is exact."""
    n = sum(counts)
    if n < 2:
        return math.nan
    total = sum(count * value for count, value in zip(counts, values, strict=True))
    squares = sum(count * value * value for count, value in zip(counts, values, strict=True))
    return (n * squares - total**2) / (n * n * (n - 1))


def _aligned(x: Histogram, y: Histogram) -> tuple[list[int], list[int], int]:
    """Return the counts of two histograms on common scores, and the lowest of these."""
    lowest = min(x.lowest, y.lowest)
    end = max(x.lowest + x.counts.size, y.lowest + y.counts.size)
    rows = []
    for histogram in (x, y):
        row = [0] * (end - lowest)
        start = histogram.lowest - lowest
        row[start : start + histogram.counts.size] = histogram.counts.tolist()
        rows.append(row)
    return rows[0], rows[1], lowest


def _running(counts: Sequence[int], *, strict: bool = False) -> list[int]:
    """Return running sums; strict ones leave out the place itself."""
    sums, total = [], 0
    for count in counts:
        sums.append(total if strict else total + count)
        total += count
    return sums


def _cdf_gaps(x: Histogram, y: Histogram) -> tuple[list[int], int]:
    """Return the differences of two distribution functions at every score, as integers over a common divisor."""
    first, second, _ = _aligned(x, y)
    n, m = x.total, y.total
    return [abs(f * m - g * n) for f, g in zip(_running(first), _running(second), strict=True)], n * m


def wasserstein_distance(x: Histogram, y: Histogram) -> float:
    """Return the Wasserstein-1 distance of two distributions: how far scores have to be moved, in points a game.

    Parameters
    ----------
    x, y : Histogram
        The scores.

    Returns
    -------
    float
        The area between the two distribution functions; nan when one is empty.

    Notes
    -----
    For distributions on a line: Vallender, "Calculation of the Wasserstein distance between probability distributions
    on the line", Theory Probab. Appl. 18 (1974). It never falls below the difference of the means.
    """
    gaps, divisor = _cdf_gaps(x, y)
    return sum(gaps) / divisor if divisor else math.nan


def kolmogorov_smirnov_distance(x: Histogram, y: Histogram) -> float:
    """Return the largest difference of two distribution functions, a share from 0 to 1.

    Parameters
    ----------
    x, y : Histogram
        The scores.

    Returns
    -------
    float
        The statistic of the two-sample test of Kolmogorov and Smirnov; nan when one is empty.
    """
    gaps, divisor = _cdf_gaps(x, y)
    return max(gaps) / divisor if divisor else math.nan


# --- Blocks of several games -----------------------------------------------------------------------------------------


def named_bands(bands: Iterable[tuple[int, str]]) -> tuple[Band, ...]:
    """Return named bands of scores with both ends.

    Parameters
    ----------
    bands
        Lower bound and name, highest first, as `Game.bands`.

    Returns
    -------
    tuple of (name, lowest score, first score above or None)
        Highest first.
    """
    ends: list[Band] = []
    above: int | None = None
    for low, name in bands:
        ends.append((name, low, above))
        above = low
    return tuple(ends)


@dataclass(frozen=True)
class BlockScores:
    """The exact scores of one strategy by block; adding two merges their blocks.

    Attributes
    ----------
    orders : tuple of Histogram, one a game of a block
        How the highest score of a block is distributed, the second highest, and so on. Together they are all scores.
    sums : Histogram
        The sum of a block's scores.
    bands : tuple of Histogram
        For each named band: how many of a block's games lie in it.
    """

    orders: tuple[Histogram, ...]
    sums: Histogram
    bands: tuple[Histogram, ...] = ()

    @classmethod
    def from_scores(cls, scores: ArrayLike, bands: Sequence[Band] = ()) -> "BlockScores":
        """Count scores.

        Parameters
        ----------
        scores : array_like of int, shape (blocks, games)
            The scores of each block's games, in any order within a block.
        bands : sequence of (name, lowest, end)
            Named ranges of scores; `end` is the first score above, None without one.

        Returns
        -------
        BlockScores

        Raises
        ------
        UsageError
            When the scores are not integers of this shape.
        """
        given = np.asarray(scores)
        if given.ndim != 2 or not given.shape[1]:
            raise UsageError(f"block scores have the shape {given.shape}; give one row a block, one column a game")
        if given.dtype.kind not in "iu":
            raise UsageError(f"scores are of type {given.dtype}; give integers")
        ordered = np.sort(given, axis=1)[:, ::-1]
        return cls(
            tuple(Histogram.from_scores(column) for column in ordered.T),
            Histogram.from_scores(given.sum(axis=1, dtype=np.int64)),
            tuple(
                Histogram.from_scores(((given >= low) & (True if end is None else given < end)).sum(axis=1))
                for _, low, end in bands
            ),
        )

    def __add__(self, other: "BlockScores") -> "BlockScores":
        """Return the scores of both sets of blocks together."""
        return BlockScores(
            tuple(one + two for one, two in zip(self.orders, other.orders, strict=True)),
            self.sums + other.sums,
            tuple(one + two for one, two in zip(self.bands, other.bands, strict=True)),
        )

    @property
    def games_a_block(self) -> int:
        """The number of games of a block."""
        return len(self.orders)

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return self.sums.total

    @cached_property
    def histogram(self) -> Histogram:
        """All scores."""
        return functools.reduce(Histogram.__add__, self.orders)

    def mean_interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Return the Student t interval of the mean over blocks, in points a game."""
        low, high = mean_interval(self.sums, confidence)
        return Interval(low / self.games_a_block, high / self.games_a_block)

    def tail(self, score: int, confidence: float = CONFIDENCE) -> "Share":
        """Return the share of games with this score or a higher one."""
        return block_share(*self._tail_sums(score), self.blocks, self.games_a_block, confidence)

    def band(self, place: int, confidence: float = CONFIDENCE) -> "Share":
        """Return the share of games in a named band."""
        counts = self.bands[place]
        return block_share(counts.score_sum, counts.square_sum, self.blocks, self.games_a_block, confidence)

    def quantile(self, p: float, confidence: float = CONFIDENCE) -> "Quantile":
        """Return a quantile with its interval; `p` is above 0 and below 1.

        With several games in a block the effective number of games is that of the share of scores below the quantile,
        or at or below it, whichever is smaller.
        """
        check_quantile(p)
        score = self.histogram.quantile(p)
        if math.isnan(score):
            return Quantile(score, math.nan, math.nan, math.nan)
        edges = [self.tail(int(score) + step, confidence) for step in (0, 1)]
        inside = [edge.effective for edge in edges if 0 < edge.share < 1]
        effective = min(inside, default=float(self.blocks))
        return Quantile(score, *quantile_interval(self.histogram, p, confidence, effective=effective), effective)

    def cdf_half_width(self, confidence: float = CONFIDENCE) -> float:
        """Return half the width of the band around the whole distribution function; see `cdf_half_width`."""
        return cdf_half_width(self.blocks, confidence, games_a_block=self.games_a_block)

    def _tail_sums(self, score: int) -> tuple[int, int]:
        """Return two sums over blocks: of the number of a block's games at or above a score, and of its square.

        A block has k or more such games when its k-th highest score is one, and k² is the sum of 1, 3, 5, … 2k − 1.
        """
        reached = [_at_least(order, score) for order in self.orders]
        return sum(reached), sum((2 * place + 1) * count for place, count in enumerate(reached))


class Share(NamedTuple):
    """A share of games with its interval, and the number of independent games that would tell as much."""

    games: int
    share: float
    low: float
    high: float
    effective: float


class Quantile(NamedTuple):
    """A quantile with its interval, and the number of independent games that would tell as much."""

    score: float
    low: float
    high: float
    effective: float


def block_share(total: int, squares: int, blocks: int, games_a_block: int, confidence: float = CONFIDENCE) -> Share:
    """Return a share of games with an interval over blocks.

    Parameters
    ----------
    total, squares : int
        Two sums over blocks: of the number of a block's games that count, and of its square.
    blocks, games_a_block : int
        The number of independent blocks, and of games in each.
    confidence : float, default 0.95
        The share of such intervals that cover the true share.

    Returns
    -------
    Share
        Its interval is Wilson's with the effective number of games, or Clopper and Pearson's when no or every game
        counts: then with the number of blocks, because that case says nothing about dependence. One game a block is
        `share_interval`. Nan below two blocks of several games, and without blocks.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.

    Notes
    -----
    The effective number p (1 − p) / variance of the share, from Kish, "Survey Sampling" (1965); its correction for the
    degrees of freedom from Korn and Graubard, "Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data", Survey Methodology 24 (1998), at most the number of games; with
    Wilson's interval in Franco, Little, Louis and Slud, "Comparative study of confidence intervals for proportions in
    complex sample surveys", J. Survey Statist. Methodol. 7 (2019).
    """
    check_confidence(confidence)
    games = blocks * games_a_block
    if games_a_block == 1 or not blocks:
        share = total / games if games else math.nan
        return Share(total, share, *share_interval(total, games, confidence), float(games))
    share = total / games
    if total in (0, games):
        return Share(total, share, *share_interval(blocks if total else 0, blocks, confidence), float(blocks))
    if blocks < 2:
        return Share(total, share, math.nan, math.nan, math.nan)
    from scipy.special import stdtrit

    alpha = (1 - confidence) / 2
    # In integers the difference is exact, and no variation at all is seen as such.
    spread = blocks * squares - total**2
    correction = float(stdtrit(games - 1, alpha) / stdtrit(blocks - 1, alpha)) ** 2
    effective = float(games)
    if spread:
        effective = min(total * (games - total) * (blocks - 1) / spread * correction, effective)
    return Share(total, share, *_wilson(share, effective, confidence), effective)


def _wilson(share: float, number: float, confidence: float) -> Interval:
    """Return Wilson's interval for a number of trials that need not be whole."""
    from scipy.special import ndtri

    square = float(ndtri((1 - confidence) / 2)) ** 2 / number
    centre = share + square / 2
    half_width = math.sqrt(square * (share * (1 - share) + square / 4))
    return Interval(max((centre - half_width) / (1 + square), 0.0), min((centre + half_width) / (1 + square), 1.0))


def check_quantile(p: float) -> None:
    """Refuse a quantile that has no interval: what is not above 0 and below 1."""
    if isinstance(p, bool) or not isinstance(p, int | float) or not 0 < p < 1:
        raise UsageError(f"quantile {p!r} has no interval; give a number above 0 and below 1, such as 0.9")
