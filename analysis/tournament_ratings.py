"""The ratings of a tournament: Bradley–Terry or Plackett–Luce, with standard errors over blocks instead of games."""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, student_interval
from analysis.ratings import Order, Ratings, bradley_terry, plackett_luce
from analysis.tournaments import GROUPS, Finish, Orders, Tournament, read_orders
from sims.errors import UsageError

RIDGE = 0.01
"""Ratings that would be infinite are fitted with this ridge: a normal prior with a standard deviation of 10."""


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings with standard errors over blocks.

    Attributes
    ----------
    ratings
        The fit, whose own standard errors take all games as independent.
    covariance
        The covariance of the strengths and, with two parties, of the advantage of the first one (the last row and
        column), over groups of blocks; nan below two groups.
    groups
        The number of groups of blocks.
    ridge
        0, or `RIDGE` where some strategies never lost to the others.
    """

    ratings: Ratings
    covariance: NDArray[np.float64]
    groups: int
    ridge: float

    def interval(self, weights: NDArray[np.float64], confidence: float) -> tuple[float, Interval]:
        """Return the standard error and the interval of a weighted sum of the parameters."""
        estimate = float(weights @ parameters(self.ratings))
        error = math.sqrt(max(float(weights @ self.covariance @ weights), 0.0)) if self.groups > 1 else math.nan
        return error, student_interval(estimate, error, self.groups, confidence)


def parameters(ratings: Ratings) -> NDArray[np.float64]:
    """Return the strengths and, where it was fitted, the advantage of the first seat."""
    if math.isnan(ratings.advantage):
        return ratings.strengths
    return np.append(ratings.strengths, ratings.advantage)


def rate(tournament: Tournament, orders: Orders) -> Rated | None:
    """Rate strategies by all finishing orders of a tournament.

    Parameters
    ----------
    tournament, orders
        What was played, and how it ended.

    Returns
    -------
    Rated or None
        With two parties (seats, or teams) the ratings of Bradley and Terry, with the advantage of the one that sits
        first; with more those of Plackett and Luce; None for solo games.

    Notes
    -----
    The games of a block share their luck, so the errors are those of a sandwich over groups of blocks: Liang and Zeger,
    "Longitudinal data analysis using generalized linear models", Biometrika 73 (1986). A group is every 64th block.
    """
    if tournament.seats == 1:
        return None
    finishes, groups, places = read_orders(tournament, orders)
    totals = np.zeros(len(finishes), np.int64)
    np.add.at(totals, places, orders.counts)
    count = tournament.strategies
    fit: Callable[[float], Ratings]
    if tournament.parties == 2:
        wins = _first_seat_wins(finishes, totals, count)
        fit = functools.partial(bradley_terry, wins)
        features = np.column_stack([np.tile(np.eye(count), (2, 1)), np.repeat([0.0, 1.0], count)])
    else:
        fit = functools.partial(plackett_luce, _finishing_orders(finishes, totals))
        features = np.eye(count)
    ridge = 0.0
    try:
        ratings = fit(ridge)
    except UsageError:  # somebody never lost to the others, or the seat decides
        ridge = RIDGE
        ratings = fit(ridge)
    # Which row of features each place of a line-up has: the second K are those of strategies that sit first.
    rows = [
        tuple(who + (count if place == finish.first else 0) for place, who in enumerate(finish.strategies))
        for finish in finishes
    ]
    scores, information = _likelihood(finishes, rows, totals, features, parameters(ratings))
    # Strengths may all move together; holding their sum makes the inverse exist.
    hold = np.zeros_like(information)
    hold[:count, :count] = np.trace(information) / count
    inverse = np.linalg.inv(information + ridge * np.eye(len(information)) + hold)
    by_group = np.zeros((GROUPS, len(finishes)))
    by_group[groups, places] = orders.counts
    occupied = by_group.sum(axis=1) > 0
    number = int(occupied.sum())
    covariance = np.full_like(information, math.nan)
    if number > 1:
        sums = by_group[occupied] @ scores
        spread = sums - sums.mean(axis=0)
        project = np.eye(len(information))
        project[:count, :count] -= 1 / count
        bread = project @ inverse
        covariance = bread @ (number / (number - 1) * spread.T @ spread) @ bread.T
    return Rated(ratings, covariance, number, ridge)


def _first_seat_wins(finishes: Sequence[Finish], totals: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    wins = np.zeros((2, count, count))
    for finish, number in zip(finishes, totals.tolist(), strict=True):
        ahead, behind = finish.strategies[finish.first], finish.strategies[1 - finish.first]
        lead = finish.ranks[1 - finish.first] - finish.ranks[finish.first]
        wins[0, ahead, behind] += number * (1 + np.sign(lead)) / 2
        wins[1, behind, ahead] += number * (1 - np.sign(lead)) / 2
    return wins


def _by_place(finish: Finish, rows: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the rows (or strategies) of each rank, the first rank first."""
    return tuple(
        tuple(sorted(row for row, rank in zip(rows, finish.ranks, strict=True) if rank == here))
        for here in sorted(set(finish.ranks))
    )


def _finishing_orders(finishes: Sequence[Finish], totals: NDArray[np.int64]) -> dict[Order, float]:
    orders: dict[Order, float] = {}
    for finish, number in zip(finishes, totals.tolist(), strict=True):
        order = _by_place(finish, finish.strategies)
        orders[order] = orders.get(order, 0) + number
    return orders


def _likelihood(
    finishes: Sequence[Finish],
    rows: Sequence[tuple[int, ...]],
    totals: NDArray[np.int64],
    features: NDArray[np.float64],
    theta: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the slope of the log-likelihood of one occurrence of each order, and the information of all of them."""
    worth = features @ theta
    stages: dict[tuple[int, ...], NDArray[np.float64]] = {}
    weights: dict[tuple[int, ...], float] = {}
    scores = np.zeros((len(finishes), len(theta)))
    for score, finish, own, number in zip(scores, finishes, rows, totals.tolist(), strict=True):
        score += features[list(own)].sum(axis=0)
        behind = sorted(own)
        for place in _by_place(finish, own):
            for row in place:
                behind.remove(row)
            # A tie stands for all its strict orders in equal parts, as in `analysis.ratings.plackett_luce`.
            for left in range(1, len(place) + 1):
                share = 1 / math.comb(len(place), left)
                for subset in itertools.combinations(place, left):
                    rivals = tuple(sorted((*subset, *behind)))
                    if rivals not in stages:
                        chances = np.exp(worth[list(rivals)] - worth[list(rivals)].max())
                        stages[rivals] = chances / chances.sum()
                    score -= share * (stages[rivals] @ features[list(rivals)])
                    weights[rivals] = weights.get(rivals, 0.0) + share * number
    information = np.zeros((len(theta), len(theta)))
    for rivals, weight in weights.items():
        among, chances = features[list(rivals)], stages[rivals]
        mean = chances @ among
        information += weight * (among.T @ (chances[:, np.newaxis] * among) - np.outer(mean, mean))
    return scores, information
