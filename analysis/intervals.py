"""Confidence intervals for means and shares.

The observations are blocks (one deal under all rotations), which are independent; single games of a block are not.
"""

# scipy is imported inside the functions: it takes longer to load than everything else that a command needs to start.

import math
from typing import NamedTuple

from analysis.histogram import Histogram
from sims.errors import UsageError


class Interval(NamedTuple):
    """The two ends of a confidence interval; both nan when the data cannot carry one."""

    low: float
    high: float


def mean_interval(histogram: Histogram, confidence: float = 0.95) -> Interval:
    """Return the Student t interval of the mean.

    Parameters
    ----------
    histogram : Histogram
        The values of independent observations (blocks), in points.
    confidence : float, default 0.95
        The share of such intervals that cover the true mean, between 0 and 1.

    Returns
    -------
    Interval
        In points; nan below two observations, and of width zero when all observations are equal.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.
    """
    return student_interval(histogram.mean, histogram.standard_error, histogram.total, confidence)


def student_interval(mean: float, standard_error: float, observations: int, confidence: float = 0.95) -> Interval:
    """Return the Student t interval, mean ± t · standard error, with ``observations - 1`` degrees of freedom.

    Parameters
    ----------
    mean, standard_error : float
        The sample mean and its standard error, in one unit.
    observations : int
        The number of independent observations behind them.
    confidence : float, default 0.95
        The share of such intervals that cover the true mean, between 0 and 1.

    Returns
    -------
    Interval
        In the unit of `mean`; nan below two observations.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.

    Notes
    -----
    Student, "The probable error of a mean", Biometrika 6 (1908).
    """
    check_confidence(confidence)
    if observations < 2:
        return Interval(math.nan, math.nan)
    from scipy.special import stdtrit

    half_width = -float(stdtrit(observations - 1, (1 - confidence) / 2)) * standard_error
    return Interval(mean - half_width, mean + half_width)


def share_interval(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return the interval of a share: Wilson's, or Clopper and Pearson's when none or all of the trials succeeded.

    Parameters
    ----------
    successes, trials : int
        How many of how many independent trials succeeded.
    confidence : float, default 0.95
        The share of such intervals that cover the true share, between 0 and 1.

    Returns
    -------
    Interval
        Within 0 to 1; nan without trials.

    Raises
    ------
    UsageError
        When `successes` is not from 0 to `trials`, or `confidence` is not between 0 and 1.

    Notes
    -----
    Wilson, "Probable inference, the law of succession, and statistical inference", J. Amer. Statist. Assoc. 22 (1927);
    Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26 (1934).
    """
    check_confidence(confidence)
    if not 0 <= successes <= trials:
        raise UsageError(f"{successes} successes of {trials} trials cannot be; give from 0 to as many as the trials")
    if not trials:
        return Interval(math.nan, math.nan)
    from scipy.stats import binomtest

    test = binomtest(successes, trials)
    if successes in (0, trials):
        ends = test.proportion_ci(confidence, method="exact")
    else:
        ends = test.proportion_ci(confidence, method="wilson")
    return Interval(float(ends.low), float(ends.high))


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that is not between 0 and 1.

    Parameters
    ----------
    confidence : float
        The share of intervals that are to cover the truth.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence} is not between 0 and 1; give a share such as 0.95")
