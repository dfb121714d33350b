"""Does the better strategy always win? What ratings explain of a matchup table, and the cycles that they do not.

A table of margins (what the row's strategy wins by against the column's) splits into two parts that are at right
angles: differences of ratings, and cycles, as of rock, paper and scissors, that cancel out for every strategy. Noise
looks cyclic too; its expected share is taken out, so that a table without cycles gives a share around 0 whatever the
number of games. The margins of different pairs must come from independent games.
"""

# scipy is imported inside the functions: it takes longer to load than everything else that a command needs to start.

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.intervals import check_confidence
from sims.errors import UsageError


@dataclass(frozen=True, eq=False)
class HodgeSplit:
    """A matchup table split into ratings and cycles, in the unit of the margins.

    Parameters
    ----------
    ratings : ndarray of float, shape (K,)
        What a strategy wins by on average over all K, itself included; the ratings add up to 0.
    cyclic : ndarray of float, shape (K, K)
        The margins minus the differences of ratings; every row adds up to 0.
    cyclic_share : float
        The estimated share of cycles in the squared margins, free of noise on average: 0 when ratings say all, 1 when
        they say nothing. Chance can take it below 0 or above 1; nan when the margins are no larger than their noise.
    p_value : float
        The probability of a cyclic part as strong as this when there is none; nan when a standard error is 0.
    """

    ratings: NDArray[np.float64]
    cyclic: NDArray[np.float64]
    cyclic_share: float
    p_value: float


class Cycle(NamedTuple):
    """Three strategies of which each beats the next and the last beats the first, and by how much."""

    strategies: tuple[int, int, int]
    margins: tuple[float, float, float]


def hodge_split(margins: ArrayLike, standard_errors: ArrayLike) -> HodgeSplit:
    """Split a matchup table into ratings and cycles.

    Parameters
    ----------
    margins : array_like of float, shape (K, K)
        What the row's strategy wins by, on average, against the column's; antisymmetric, all pairs played.
    standard_errors : array_like of float, shape (K, K)
        The standard errors of the margins; symmetric, the diagonal is not used.

    Returns
    -------
    HodgeSplit

    Raises
    ------
    UsageError
        When there are fewer than three strategies, or the tables are not of that form.

    Notes
    -----
    Jiang, Lim, Yao and Ye, "Statistical ranking and combinatorial Hodge theory", Math. Program. 127 (2011), with equal
    weights, on the complete graph: the rating is the mean of a row, and what is left has no other part than cycles of
    three. Independent noise of variance v in a pair adds v to the squared margins and v · (1 − 2/K) to the squared
    cyclic part; both are subtracted. The p-value weights each pair by its accuracy, so that the squared cyclic part of
    the best fit is χ² with (K − 1)(K − 2)/2 degrees of freedom.
    """
    table, errors = _checked(margins, standard_errors)
    count = len(table)
    ratings = table.mean(axis=1)
    cyclic = table - (ratings[:, np.newaxis] - ratings)
    upper = np.triu_indices(count, 1)
    noise = float(np.sum(errors[upper] ** 2))
    total = float(np.sum(table[upper] ** 2)) - noise
    cycles = float(np.sum(cyclic[upper] ** 2)) - noise * (1 - 2 / count)
    return HodgeSplit(
        ratings=ratings,
        cyclic=cyclic,
        cyclic_share=cycles / total if total > 0 else np.nan,
        p_value=_cyclic_p_value(table[upper], errors[upper], count),
    )


def significant_cycles(margins: ArrayLike, standard_errors: ArrayLike, confidence: float = 0.95) -> tuple[Cycle, ...]:
    """Return the cycles of three that chance does not explain.

    Parameters
    ----------
    margins, standard_errors : array_like of float, shape (K, K)
        As for `hodge_split`; the standard errors are taken as known (normal margins).
    confidence : float, default 0.95
        The probability that no cycle is returned that does not exist, between 0 and 1.

    Returns
    -------
    tuple of Cycle
        Each begins with its lowest strategy; the one whose weakest margin is largest comes first.

    Raises
    ------
    UsageError
        When there are fewer than three strategies, the tables are not of that form, or `confidence` is not between 0
        and 1.

    Notes
    -----
    All three margins must be significant, two-sided, among those of all pairs by Holm's method.
    """
    check_confidence(confidence)
    table, errors = _checked(margins, standard_errors)
    from scipy.special import ndtr

    upper = np.triu_indices(len(table), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # A margin of 0 without error is no evidence.
        scores = np.nan_to_num(np.abs(table[upper] / errors[upper]), nan=0.0)
    surely = np.zeros(table.shape, dtype=bool)
    surely[upper] = holm(2 * ndtr(-scores), 1 - confidence)
    beats = (surely | surely.T) & (table > 0)
    cycles = []
    for a, b, c in combinations(range(len(table)), 3):
        for first, second, third in ((a, b, c), (a, c, b)):
            if beats[first, second] and beats[second, third] and beats[third, first]:
                strength = (float(table[first, second]), float(table[second, third]), float(table[third, first]))
                cycles.append(Cycle((first, second, third), strength))
    return tuple(sorted(cycles, key=lambda cycle: -min(cycle.margins)))


def holm(p_values: ArrayLike, level: float) -> NDArray[np.bool_]:
    """Tell which of several hypotheses to reject so that, with probability 1 − `level`, no true one is among them.

    Parameters
    ----------
    p_values : array_like of float, shape (m,)
        The p-value of each hypothesis.
    level : float
        The probability of rejecting any true hypothesis.

    Returns
    -------
    ndarray of bool, shape (m,)

    Notes
    -----
    Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6 (1979).
    """
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    passed = values[order] <= level / np.arange(len(values), 0, -1)
    rejected = np.zeros(len(values), dtype=bool)
    # The first that fails stops all that follow.
    rejected[order] = np.logical_and.accumulate(passed)
    return rejected


def _checked(margins: ArrayLike, standard_errors: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    table, errors = np.asarray(margins, dtype=np.float64), np.array(standard_errors, dtype=np.float64)
    if table.ndim != 2 or table.shape != table.T.shape or table.shape != errors.shape:
        raise UsageError(
            f"margins have the shape {table.shape} and standard errors {errors.shape}; give K × K numbers for both"
        )
    if len(table) < 3:
        raise UsageError(f"{len(table)} strategies cannot form a cycle; give the margins of three or more")
    np.fill_diagonal(errors, 0)
    if not (np.all(np.isfinite(table)) and np.all(np.isfinite(errors))):
        a, b = np.argwhere(~np.isfinite(table + errors))[0].tolist()
        raise UsageError(
            f"strategies {a} and {b} have no margin or no standard error; let all pairs play two blocks or more"
        )
    if not np.allclose(table, -table.T):
        a, b = np.unravel_index(np.argmax(np.abs(table + table.T)), table.shape)
        raise UsageError(
            f"the margins of strategies {a} and {b} are {table[a, b]} and {table[b, a]}; give one as minus the other"
        )
    if not np.allclose(errors, errors.T) or np.any(errors < 0):
        raise UsageError("standard errors are not symmetric numbers from 0 up; give that of each pair twice")
    return table, errors


def _cyclic_p_value(margins: NDArray[np.float64], errors: NDArray[np.float64], count: int) -> float:
    """Return the p-value of the residuals of the weighted fit of ratings to the margins, one a pair."""
    if not np.all(errors > 0):
        return np.nan
    from scipy.special import chdtrc

    first, second = np.triu_indices(count, 1)
    design = (np.eye(count)[first] - np.eye(count)[second]) / errors[:, np.newaxis]
    ratings = np.linalg.lstsq(design, margins / errors, rcond=None)[0]
    residuals = margins / errors - design @ ratings
    return float(chdtrc((count - 1) * (count - 2) / 2, float(np.sum(residuals**2))))
