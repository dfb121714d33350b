"""Counts of integer scores: the exact result of a run, and the statistics that follow from it.

A histogram is a value: it never changes, equal counts are equal histograms, and merging two is addition. All sums are
Python integers, so no statistic depends on the order in which parts of a run were merged.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sims.errors import UsageError


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each integer score occurred.

    Parameters
    ----------
    lowest : int
        The score that the first count belongs to.
    counts : ndarray of int64, shape (n,)
        The number of observations with score ``lowest + i`` at index ``i``.

    Raises
    ------
    UsageError
        When the counts are not one row of non-negative integers.

    Notes
    -----
    Zero counts at both ends are dropped, so that each distribution has one form only: after construction ``lowest`` is
    the lowest score that occurred. The counts are copied and read-only. An empty histogram has ``lowest`` 0 and no
    counts, and its statistics are nan.
    """

    lowest: int
    counts: NDArray[np.int64]

    def __post_init__(self) -> None:
        """Check the counts and bring them into their one form."""
        given = np.asarray(self.counts)
        lowest = _integer(self.lowest, "lowest score")
        if given.ndim != 1:
            raise UsageError(f"histogram counts have {given.ndim} dimensions; give one row of counts")
        if given.size and given.dtype.kind not in "iu":
            raise UsageError(f"histogram counts are of type {given.dtype}; give integers")
        occupied = np.flatnonzero(given)
        first, end = (int(occupied[0]), int(occupied[-1]) + 1) if occupied.size else (0, 0)
        counts = np.array(given[first:end], dtype=np.int64)
        if np.any(counts < 0):
            worst = int(np.argmin(counts))
            raise UsageError(
                f"histogram count {counts[worst]} of score {lowest + first + worst} is negative; give counts from 0 up"
            )
        counts.setflags(write=False)
        object.__setattr__(self, "lowest", lowest + first if occupied.size else 0)
        object.__setattr__(self, "counts", counts)

    @classmethod
    def from_scores(cls, scores: ArrayLike) -> Self:
        """Count single scores.

        Parameters
        ----------
        scores : array_like of int, any shape
            The scores, in any order.

        Returns
        -------
        Histogram

        Raises
        ------
        UsageError
            When the scores are not integers.
        """
        given = np.asarray(scores).ravel()
        if not given.size:
            return cls(0, np.zeros(0, dtype=np.int64))
        if given.dtype.kind not in "iu":
            raise UsageError(f"scores are of type {given.dtype}; give integers")
        # Narrow types would overflow in the subtraction.
        wide = given.astype(np.int64)
        lowest = int(wide.min())
        return cls(lowest, np.bincount(wide - lowest).astype(np.int64))

    @classmethod
    def from_dict(cls, counts: Mapping[int, int]) -> Self:
        """Build from a mapping of score to count.

        Parameters
        ----------
        counts : mapping of int to int
            The number of observations of each score; zeros may be present or left out.

        Returns
        -------
        Histogram

        Raises
        ------
        UsageError
            When a score or a count is not an integer, or a count is negative.
        """
        whole = {_integer(score, "score"): _integer(count, "count") for score, count in counts.items()}
        if not whole:
            return cls(0, np.zeros(0, dtype=np.int64))
        lowest = min(whole)
        dense = np.zeros(max(whole) - lowest + 1, dtype=np.int64)
        for score, count in whole.items():
            dense[score - lowest] = count
        return cls(lowest, dense)

    def to_dict(self) -> dict[int, int]:
        """Return score to count, scores ascending, without the scores that did not occur."""
        return {self.lowest + index: count for index, count in enumerate(self.counts.tolist()) if count}

    def __add__(self, other: object) -> "Histogram":
        """Return the histogram of both sets of observations together."""
        if not isinstance(other, Histogram):
            return NotImplemented
        if not self.total:
            return other
        if not other.total:
            return self
        lowest = min(self.lowest, other.lowest)
        end = max(self.lowest + self.counts.size, other.lowest + other.counts.size)
        counts = np.zeros(end - lowest, dtype=np.int64)
        for part in (self, other):
            start = part.lowest - lowest
            counts[start : start + part.counts.size] += part.counts
        return Histogram(lowest, counts)

    def __eq__(self, other: object) -> bool:
        """Tell whether each score occurred equally often in both."""
        if not isinstance(other, Histogram):
            return NotImplemented
        return self.lowest == other.lowest and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        """Return a hash that agrees with equality."""
        return hash((self.lowest, self.counts.tobytes()))

    @cached_property
    def total(self) -> int:
        """The number of observations."""
        return sum(self.counts.tolist())

    @cached_property
    def score_sum(self) -> int:
        """The exact sum of all scores."""
        return sum(score * count for score, count in self.to_dict().items())

    @cached_property
    def square_sum(self) -> int:
        """The exact sum of the squares of all scores."""
        return sum(score * score * count for score, count in self.to_dict().items())

    @cached_property
    def cube_sum(self) -> int:
        """The exact sum of the cubes of all scores."""
        return sum(score**3 * count for score, count in self.to_dict().items())

    @property
    def mean(self) -> float:
        """The mean score; nan without observations."""
        return self.score_sum / self.total if self.total else math.nan

    @property
    def variance(self) -> float:
        """The unbiased sample variance (divisor n − 1), in squared points; nan below two observations."""
        if self.total < 2:
            return math.nan
        # In integers the difference is exact: the textbook formula loses nothing here.
        return (self.total * self.square_sum - self.score_sum**2) / (self.total * (self.total - 1))

    @property
    def sd(self) -> float:
        """The sample standard deviation, in points; nan below two observations."""
        return math.sqrt(self.variance)

    @property
    def skewness(self) -> float:
        """The sample skewness G1, adjusted for small samples; nan below three observations or without spread.

        Notes
        -----
        Joanes and Gill, "Comparing measures of sample skewness and kurtosis", The Statistician 47 (1998).
        """
        n = self.total
        spread = n * self.square_sum - self.score_sum**2
        if n < 3 or not spread:
            return math.nan
        third = n * n * self.cube_sum - 3 * n * self.score_sum * self.square_sum + 2 * self.score_sum**3
        return third / math.sqrt(spread) ** 3 * math.sqrt(n * (n - 1)) / (n - 2)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, in points, for independent observations; nan below two observations."""
        return self.sd / math.sqrt(self.total) if self.total else math.nan

    def quantile(self, p: float) -> float:
        """Return the smallest score s that occurred with P(S ≤ s) ≥ p (the inverse of the distribution function).

        Parameters
        ----------
        p : float
            A share from 0 to 1; 0 gives the minimum.

        Returns
        -------
        float
            A score that occurred, never a value between two; nan without observations.

        Raises
        ------
        UsageError
            When `p` is outside 0 to 1.

        Notes
        -----
        Definition 1 of Hyndman and Fan, "Sample quantiles in statistical packages", Amer. Statist. 50 (1996).
        """
        if not 0 <= p <= 1:
            raise UsageError(f"quantile {p} is not a share; give a number from 0 to 1")
        cumulative = 0
        for score, count in self.to_dict().items():
            cumulative += count
            # Dividing the integers rounds once, as writing down p did: 7 of 100 reach 0.07, which p · 100 would miss.
            if cumulative / self.total >= p:
                return float(score)
        return math.nan

    @property
    def median(self) -> float:
        """The lower median, a score that occurred; nan without observations."""
        return self.quantile(0.5)

    @property
    def minimum(self) -> float:
        """The lowest score that occurred; nan without observations."""
        return float(self.lowest) if self.total else math.nan

    @property
    def maximum(self) -> float:
        """The highest score that occurred; nan without observations."""
        return float(self.lowest + self.counts.size - 1) if self.total else math.nan

    def share(self, score: int) -> float:
        """Return the share of observations with exactly this score; nan without observations."""
        return self.to_dict().get(score, 0) / self.total if self.total else math.nan

    def tail(self, score: int) -> float:
        """Return the share of observations with this score or a higher one; nan without observations."""
        if not self.total:
            return math.nan
        return int(self.counts[max(score - self.lowest, 0) :].sum()) / self.total


def _integer(value: SupportsIndex, name: str) -> int:
    try:
        return value.__index__()
    except AttributeError:
        raise UsageError(f"{name} {value!r} is not an integer; give a whole number") from None
