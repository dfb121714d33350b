"""Looking at a comparison while it runs, and stopping early without paying for it with false verdicts.

Two methods, both pure functions of the counts of block differences. The confidence sequence covers the true difference
at all looks at once, so that a verdict may be taken at any of them. The generalised sequential probability ratio test
accepts one of two stated differences as soon as the counts speak clearly enough for one of them.

A decision is taken at fixed looks only, and only from the contiguous prefix of blocks, in deal order. Where a run stops
is then a function of its design and seed, never of the number of workers or the order in which they finish.
"""

# scipy is imported inside the functions: it takes longer to load than everything else that a command needs to start.

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.comparisons import FEWEST_BLOCKS, Verdict, decide
from analysis.histogram import Histogram
from analysis.intervals import Interval, student_interval
from sims.errors import UsageError

SprtVerdict = Literal["accepted low", "accepted high", "undecided"]

ABSENT = 1e-3
"""The count that a possible value gets when it did not occur, so that its logarithm exists; fishtest's choice."""


def looks(*, first: int, ratio: float, most: int) -> tuple[int, ...]:
    """Return the numbers of blocks at which a decision may be taken: geometric steps, the last look at `most`.

    Parameters
    ----------
    first : int
        The number of blocks at the first look, 1 or more.
    ratio : float
        How many times the blocks of one look the next one has, above 1; fractions of a block are rounded up.
    most : int
        The number of blocks at the last look, at least `first`.

    Returns
    -------
    tuple of int
        Strictly increasing, from `first` to `most`.

    Raises
    ------
    UsageError
        When `first` is below 1, `ratio` is not a finite number above 1, or `most` is below `first`.
    """
    if first < 1:
        raise UsageError(f"first look {first} is not a number of blocks; give 1 or more")
    if not (math.isfinite(ratio) and ratio > 1):
        raise UsageError(f"ratio {ratio} of two looks is not a growth; give a number above 1, such as 1.5")
    if most < first:
        raise UsageError(f"last look {most} comes before the first at {first} blocks; give at least {first}")
    found = [first]
    while found[-1] < most:
        # One multiplication a step rounds alike on every machine, which powers need not.
        found.append(min(max(math.ceil(found[-1] * ratio), found[-1] + 1), most))
    return tuple(found)


def cumulative(parts: Iterable[Histogram], at: Sequence[int]) -> Iterator[Histogram]:
    """Add up consecutive parts of a run, and hand out the counts of all blocks so far at each look.

    Parameters
    ----------
    parts : iterable of Histogram
        The counts of consecutive groups of blocks, in deal order. No part is asked for before it is needed.
    at : sequence of int
        The looks, in numbers of blocks, strictly increasing; see `looks`.

    Yields
    ------
    Histogram
        One a look. Fewer than the looks when the parts end before the last one.

    Raises
    ------
    UsageError
        When a look falls inside a part, or the looks do not increase.
    """
    if any(later <= earlier for earlier, later in itertools.pairwise([0, *at])):
        raise UsageError(f"looks at {', '.join(map(str, at))} blocks do not increase; give each number once, in order")
    remaining = iter(parts)
    held = Histogram.from_dict({})
    for look in at:
        while held.total < look:
            part = next(remaining, None)
            if part is None:
                return
            held = held + part
        if held.total > look:
            raise UsageError(f"a part ends at block {held.total}, past the look at {look}; let parts end at the looks")
        yield held


def confidence_sequence(mean: float, sd: float, blocks: int, *, alpha: float = 0.05, optimised_for: float) -> Interval:
    """Return the interval of an asymptotic confidence sequence: all its looks together miss the mean in a share alpha.

    Parameters
    ----------
    mean, sd : float
        The sample mean and the sample standard deviation, in one unit.
    blocks : int
        The number n of independent observations behind them.
    alpha : float, default 0.05
        The share of runs in which the interval may miss the true mean at one look or more, between 0 and 1.
    optimised_for : float
        The number n* of observations at which the interval is to be narrowest, 1 or more. It must be the same at all
        looks of a run, and be chosen before it.

    Returns
    -------
    Interval
        In the unit of `mean`; nan below two observations, and of width zero when `sd` is 0.

    Raises
    ------
    UsageError
        When `alpha` is not between 0 and 1, or `optimised_for` is not a finite number from 1 up.

    Notes
    -----
    mean ± sd · √( 2 (n r + 1) / (n² r) · ln( √(n r + 1) / α ) ) with r = (−2 ln α + ln(−2 ln α + 1)) / n*: the
    two-sided normal mixture of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and
    asymptotic confidence sequences", Ann. Statist. 52 (2024), where r is their ρ². At n* and α = 0.05 it is 1.55 times
    as wide as a single 95 % interval.

    The guarantee is asymptotic: at the first look the mean must be nearly normal and `sd` nearly right. For differences
    of skewness 5, thirty looks from 100 blocks on missed the mean in 9 % of runs when n* was 100 and in 1 % when it was
    the last look; from 1,000 blocks on, in at most 3 % either way. A large n* widens the early looks, and so is safe.
    """
    _check_error_rate("alpha", alpha)
    if not (math.isfinite(optimised_for) and optimised_for >= 1):
        raise UsageError(f"optimised_for {optimised_for} is not a number of blocks; give 1 or more")
    if blocks < 2:
        return Interval(math.nan, math.nan)
    doubled = -2 * math.log(alpha)
    r = (doubled + math.log(doubled + 1)) / optimised_for
    grown = blocks * r + 1
    half_width = sd * math.sqrt(2 * grown / (blocks * blocks * r) * math.log(math.sqrt(grown) / alpha))
    return Interval(mean - half_width, mean + half_width)


def mean_confidence_sequence(histogram: Histogram, *, alpha: float = 0.05, optimised_for: float) -> Interval:
    """Return the interval of an asymptotic confidence sequence for the mean of counted values.

    Parameters
    ----------
    histogram : Histogram
        The values of the blocks so far.
    alpha, optimised_for : float
        See `confidence_sequence`.

    Returns
    -------
    Interval
        In points; nan below two observations.

    Raises
    ------
    UsageError
        See `confidence_sequence`.
    """
    return confidence_sequence(histogram.mean, histogram.sd, histogram.total, alpha=alpha, optimised_for=optimised_for)


@dataclass(frozen=True)
class SequentialResult:
    """Where a sequential comparison stopped, and what it had found. Points are points a game; A minus B.

    Parameters
    ----------
    verdict : {"better", "worse", "equivalent", "undecided"}
        A against B; "undecided" when no look allowed a decision.
    look : int
        The number of the look at which the comparison stopped, counted from 1; the last one when undecided.
    blocks : int
        The number of blocks at this look.
    effect : float
        The mean of A − B. Stopping has chosen it for being far out: see `estimate_after_stop`.
    low, high : float
        The interval of the confidence sequence, which stays valid after stopping.
    alpha, optimised_for : float
        The parameters of the confidence sequence.
    margin : float
        The largest difference that does not matter to the user.
    """

    verdict: Verdict
    look: int
    blocks: int
    effect: float
    low: float
    high: float
    alpha: float
    optimised_for: float
    margin: float


def sequential_verdict(
    differences: Iterable[Histogram], margin: float, *, alpha: float = 0.05, optimised_for: float, scale: int = 1
) -> SequentialResult:
    """Decide between A and B at the first look at which the confidence sequence allows it.

    Parameters
    ----------
    differences : iterable of Histogram
        The cumulative counts of block differences A − B, one a look; see `cumulative`. None is asked for after the
        decision.
    margin : float
        The largest difference, in points a game, that does not matter; 0 or more.
    alpha : float, default 0.05
        The share of runs that may end in a false verdict, between 0 and 1.
    optimised_for : float
        The number of blocks at which a decision is most welcome; see `confidence_sequence`.
    scale : int, default 1
        The number of seat-games that each side has in one block; block differences over it are points a game.

    Returns
    -------
    SequentialResult

    Raises
    ------
    UsageError
        When there is no look, a look has no more blocks than the one before, or a parameter is out of its range.

    Notes
    -----
    At every look the rule is that of `analysis.comparisons.decide`. A verdict is false only when the interval misses
    the true difference at the look that decides, so that the looks together are wrong in at most a share `alpha` of
    runs. Differences that have not varied yet do not stop a run: a width of zero says that the rare blocks are still
    to come as much as that there are none. Such a run is judged at its last look.
    """
    if not (math.isfinite(margin) and margin >= 0):
        raise UsageError(f"margin {margin} is not a number of points; give 0 or more")
    _check_scale(scale)
    result = None
    for look, difference in _growing(differences):
        interval = mean_confidence_sequence(difference, alpha=alpha, optimised_for=optimised_for)
        low, high = interval.low / scale, interval.high / scale
        result = SequentialResult(
            verdict=decide(Interval(low, high), difference.total, margin),
            look=look,
            blocks=difference.total,
            effect=difference.mean / scale,
            low=low,
            high=high,
            alpha=alpha,
            optimised_for=optimised_for,
            margin=margin,
        )
        if result.verdict != "undecided" and difference.variance > 0:
            return result
    if result is None:
        raise UsageError("a sequential verdict has no look; give the counts of one or more")
    return result


@dataclass(frozen=True)
class StoppedEstimate:
    """The size of a difference after a run that stopped early. Points are points a game; A minus B.

    Parameters
    ----------
    blocks : int
        The number of blocks at the stop.
    effect : float
        Their plain mean: biased, away from 0 after "better" or "worse" and towards 0 after "equivalent".
    fresh_blocks : int
        The number of fresh blocks.
    fresh_effect : float
        Their mean: unbiased.
    fresh_standard_error : float
        The standard error of `fresh_effect`.
    confidence : float
        The confidence of the interval.
    low, high : float
        The ends of the Student t interval around `fresh_effect`.
    """

    blocks: int
    effect: float
    fresh_blocks: int
    fresh_effect: float
    fresh_standard_error: float
    confidence: float
    low: float
    high: float


def estimate_after_stop(
    at_stop: Histogram, fresh: Histogram, *, confidence: float = 0.95, scale: int = 1
) -> StoppedEstimate:
    """Estimate a difference from blocks that had no part in the decision to stop.

    Parameters
    ----------
    at_stop : Histogram
        The counts of block differences A − B that the run stopped with.
    fresh : Histogram
        The counts of the blocks that follow the stop in deal order, without those of `at_stop`. Their number must be
        fixed by the design or by the look of the stop, such as the blocks up to the next look, never by what these
        blocks show.
    confidence : float, default 0.95
        The confidence of the interval, between 0 and 1.
    scale : int, default 1
        The number of seat-games that each side has in one block; block differences over it are points a game.

    Returns
    -------
    StoppedEstimate
        Statistics of too few fresh blocks are nan.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1, or `scale` is below 1.

    Notes
    -----
    With m fresh blocks of differences d: Σ d / m, its standard error s / √m, and Student's interval with m − 1 degrees
    of freedom. The blocks are independent and the stop is a function of those before it, so that the fresh blocks are
    a plain sample whatever the stop was: the estimate is unbiased and its interval valid given the stop and the
    verdict. As many fresh blocks as at the stop give about the precision that the plain mean seems to have.
    """
    _check_scale(scale)
    effect = fresh.mean / scale
    standard_error = fresh.standard_error / scale
    interval = student_interval(effect, standard_error, fresh.total, confidence)
    return StoppedEstimate(
        blocks=at_stop.total,
        effect=at_stop.mean / scale,
        fresh_blocks=fresh.total,
        fresh_effect=effect,
        fresh_standard_error=standard_error,
        confidence=confidence,
        low=interval.low,
        high=interval.high,
    )


def elo_score(elo: float) -> float:
    """Return the expected score, from 0 to 1, of a player who is stronger by a logistic Elo difference.

    Parameters
    ----------
    elo : float
        The difference in Elo points.

    Returns
    -------
    float

    Notes
    -----
    1 / (1 + 10^(−elo / 400)): Elo, "The Rating of Chessplayers, Past and Present" (1978), in its logistic form.
    """
    return 0.5 * (1 + math.tanh(elo * math.log(10) / 800))


def constrained_shares(values: ArrayLike, counts: ArrayLike, mean: float) -> NDArray[np.float64]:
    """Return the shares of values that make the counts most likely among all distributions with a given mean.

    Parameters
    ----------
    values : array_like of float, shape (k,)
        The possible values, in any order.
    counts : array_like of int, shape (k,)
        How often each of them occurred. A count of 0 is taken as 0.001 (`ABSENT`).
    mean : float
        The mean that the distribution must have, strictly between the lowest and the highest value.

    Returns
    -------
    ndarray of float, shape (k,)
        All above 0, with sum 1.

    Raises
    ------
    UsageError
        When values and counts do not fit together, or no distribution of these values has the mean.

    Notes
    -----
    With f the observed shares, p = f / (1 + θ (x − mean)), where the multiplier θ makes the mean right: proposition 1.1
    of Van den Bergh's note on the multinomial distribution for fishtest (``support_MLE_multinomial.pdf``). No share
    exceeds 1, so that 1 + θ (x − mean) is at least f at both ends of the values, which brackets θ.
    """
    x, weights = _weights(values, counts)
    shares: NDArray[np.float64] = weights / weights.sum()
    span = float(np.ptp(x))
    if not x.min() < mean < x.max():
        raise UsageError(
            f"mean {mean:.10g} cannot come from values between {x.min():.10g} and {x.max():.10g}; "
            "give one between them, or more values"
        )
    # In units of the span the multiplier is of order 1, and one tolerance fits all.
    distance = (x - mean) / span
    bottom, top = int(np.argmin(distance)), int(np.argmax(distance))

    def surplus(multiplier: float) -> float:
        return float(np.sum(shares * distance / (1 + multiplier * distance)))

    from scipy.optimize import brentq

    multiplier = brentq(
        surplus, (shares[top] - 1) / distance[top], (shares[bottom] - 1) / distance[bottom], xtol=1e-15, maxiter=500
    )
    return shares / (1 + multiplier * distance)


def log_likelihood_ratio(values: ArrayLike, counts: ArrayLike, low: float, high: float) -> float:
    """Return how much better the counts fit a mean of `high` than a mean of `low`: the statistic of the GSPRT.

    Parameters
    ----------
    values : array_like of float, shape (k,)
        The possible values, in any order: 0, ½, 1 for single games; 0, ¼, ½, ¾, 1 for pairs of games.
    counts : array_like of int, shape (k,)
        How often each of them occurred. A count of 0 is taken as 0.001 (`ABSENT`).
    low, high : float
        The two means, ``low < high``, both strictly between the lowest and the highest value.

    Returns
    -------
    float
        In natural logarithms; above 0 when `high` fits better, and 0 without observations.

    Raises
    ------
    UsageError
        When values and counts do not fit together, `low` is not below `high`, or a bound is outside the values.

    Notes
    -----
    Σ n ln( p(high) / p(low) ), both from `constrained_shares`: the generalised sequential probability ratio test of
    Van den Bergh's notes for fishtest; five values make it the pentanomial test of chess engines. A value that did not
    occur, but can, is part of the model: only the lowest and the highest of those matter.
    """
    _check_bounds(low, high)
    _, weights = _weights(values, counts)
    at_low, at_high = (constrained_shares(values, counts, mean) for mean in (low, high))
    if not np.any(np.asarray(counts)):
        return 0.0
    return float(np.sum(weights * np.log(at_high / at_low)))


def difference_log_likelihood_ratio(
    difference: Histogram, low: float, high: float, *, possible: tuple[int, int] | None = None
) -> float:
    """Return the statistic of the GSPRT for counted differences.

    Parameters
    ----------
    difference : Histogram
        The counts of block differences.
    low, high : float
        The two mean block differences, ``low < high``.
    possible : tuple of int, optional
        The lowest and the highest block difference that are held possible, with both bounds strictly between them. By
        default the range that occurred, extended to the next whole number beyond a bound that it does not enclose.

    Returns
    -------
    float
        See `log_likelihood_ratio`.

    Raises
    ------
    UsageError
        When `low` is not below `high`, or a difference or a bound lies outside `possible`.

    Notes
    -----
    The ends of the range belong to the model also when they did not occur. The range that the rules allow is the
    careful choice, and a costly one: a mean d can then always be explained by a share d / D of differences as large as
    D, and where 2 variance / D is below the distance of the bounds, ruling that out takes more blocks than the test
    of means itself. The default takes it that differences far beyond those that occurred do not matter, as the standard
    error does.
    """
    _check_bounds(low, high)
    if possible is None:
        ends = [math.ceil(low) - 1, math.floor(high) + 1, *difference.to_dict()]
        possible = min(ends), max(ends)
    lowest, highest = possible
    if difference.total and not lowest <= difference.minimum <= difference.maximum <= highest:
        raise UsageError(
            f"differences from {difference.minimum:.10g} to {difference.maximum:.10g} do not fit the possible "
            f"{lowest} to {highest}; give a range that holds them"
        )
    counts = {lowest: 0, highest: 0} | difference.to_dict()
    return log_likelihood_ratio(list(counts), list(counts.values()), low, high)


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Return the log-likelihood ratios at which a sequential probability ratio test accepts low, and high.

    Parameters
    ----------
    alpha : float, default 0.05
        The share of runs that may accept high although low is true.
    beta : float, default 0.05
        The share of runs that may accept low although high is true.

    Returns
    -------
    tuple of float
        The lower bound, below 0, and the upper one, above 0.

    Raises
    ------
    UsageError
        When an error rate is not between 0 and 1, or the two add up to 1 or more.

    Notes
    -----
    ln( β / (1 − α) ) and ln( (1 − β) / α ): Wald, "Sequential tests of statistical hypotheses", Ann. Math. Statist. 16
    (1945).
    """
    _check_error_rate("alpha", alpha)
    _check_error_rate("beta", beta)
    if alpha + beta >= 1:
        raise UsageError(f"alpha {alpha} and beta {beta} add up to 1 or more; give smaller error rates")
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def sprt_verdict(ratio: float, *, alpha: float = 0.05, beta: float = 0.05) -> SprtVerdict:
    """Turn a log-likelihood ratio into a verdict.

    Parameters
    ----------
    ratio : float
        See `log_likelihood_ratio`.
    alpha, beta : float
        The error rates; see `sprt_bounds`.

    Returns
    -------
    {"accepted low", "accepted high", "undecided"}

    Raises
    ------
    UsageError
        See `sprt_bounds`.
    """
    lower, upper = sprt_bounds(alpha, beta)
    if ratio <= lower:
        return "accepted low"
    return "accepted high" if ratio >= upper else "undecided"


@dataclass(frozen=True)
class SprtResult:
    """Where a sequential probability ratio test stopped.

    Parameters
    ----------
    verdict : {"accepted low", "accepted high", "undecided"}
        Which difference was accepted; "undecided" when the looks ended before that.
    look : int
        The number of the look at which the test stopped, counted from 1; the last one when undecided.
    blocks : int
        The number of blocks at this look.
    ratio : float
        The log-likelihood ratio at this look.
    low, high : float
        The two differences, in points a game.
    alpha, beta : float
        The error rates.
    """

    verdict: SprtVerdict
    look: int
    blocks: int
    ratio: float
    low: float
    high: float
    alpha: float
    beta: float


def sprt(
    differences: Iterable[Histogram],
    low: float,
    high: float,
    *,
    possible: tuple[int, int] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    scale: int = 1,
) -> SprtResult:
    """Accept one of two differences at the first look at which the generalised sequential test allows it.

    Parameters
    ----------
    differences : iterable of Histogram
        The cumulative counts of block differences A − B, one a look; see `cumulative`. None is asked for after the
        decision.
    low, high : float
        The two mean differences, in points a game, ``low < high``.
    possible : tuple of int, optional
        The lowest and the highest block difference that are held possible; see `difference_log_likelihood_ratio`.
    alpha, beta : float, default 0.05
        The error rates; see `sprt_bounds`.
    scale : int, default 1
        The number of seat-games that each side has in one block; block differences over it are points a game.

    Returns
    -------
    SprtResult

    Raises
    ------
    UsageError
        When there is no look, a look has no more blocks than the one before, or a parameter is out of its range.

    Notes
    -----
    See `log_likelihood_ratio` and `sprt_bounds`. Looks that are many blocks apart make the test decide later, and err
    less often than it may. No look decides below `analysis.comparisons.FEWEST_BLOCKS` blocks, and differences that have
    not varied yet are judged at the last look only, as in `sequential_verdict`.
    """
    _check_scale(scale)
    result = None
    for look, difference in _growing(differences):
        ratio = difference_log_likelihood_ratio(difference, low * scale, high * scale, possible=possible)
        verdict = sprt_verdict(ratio, alpha=alpha, beta=beta)
        if difference.total < FEWEST_BLOCKS:
            verdict = "undecided"
        result = SprtResult(verdict, look, difference.total, ratio, low, high, alpha, beta)
        if verdict != "undecided" and difference.variance > 0:
            return result
    if result is None:
        raise UsageError("a sequential test has no look; give the counts of one or more")
    return result


def _growing(differences: Iterable[Histogram]) -> Iterator[tuple[int, Histogram]]:
    held = -1
    for look, difference in enumerate(differences, start=1):
        if difference.total <= held:
            raise UsageError(
                f"look {look} has {difference.total} blocks, no more than the {held} of the look before; "
                "give the counts of all blocks so far"
            )
        held = difference.total
        yield look, difference


def _weights(values: ArrayLike, counts: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, weights = np.asarray(values, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if x.ndim != 1 or x.shape != weights.shape or x.size < 2:
        raise UsageError(
            f"values of shape {x.shape} and counts of shape {weights.shape} do not fit; give one count a value, "
            "and two values or more"
        )
    if not np.all(np.isfinite(x)):
        raise UsageError(f"value {x[~np.isfinite(x)][0]} is not a number; give finite values")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if np.any(wrong):
        raise UsageError(f"count {weights[wrong][0]:g} is not a number of observations; give counts from 0 up")
    return x, np.where(weights == 0, ABSENT, weights)


def _check_bounds(low: float, high: float) -> None:
    if not -math.inf < low < high < math.inf:
        raise UsageError(f"bounds {low} and {high} are not two numbers in order; give the smaller one first")


def _check_error_rate(name: str, rate: float) -> None:
    if not 0 < rate < 1:
        raise UsageError(f"{name} {rate} is not between 0 and 1; give an error rate such as 0.05")


def _check_scale(scale: int) -> None:
    if scale < 1:
        raise UsageError(f"scale {scale} is not a number of seat-games; give 1 or more")
