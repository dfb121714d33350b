"""Ratings from finishing orders: Bradley and Terry's model of two seats, Plackett and Luce's of more.

Both say that of the players still to be placed the next place goes to one with a probability proportional to
exp(its rating). A difference of ratings is thus a log-odds, and only differences mean something: ratings add up to 0.

The fit maximises the likelihood of all counts together, by Newton's method; the order of the games plays no part. The
likelihood takes the counted games as independent. Games of one block are not: give one result a block (who scored more
over its rotations), or take the standard errors for what they are, those of as many independent games.
"""

# scipy is imported inside the functions: it takes longer to load than everything else that a command needs to start.

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sims.errors import UsageError

Order = tuple[tuple[int, ...], ...]
"""A finishing order: the strategies at each place, the first place first; two or more at a place are tied."""

TOLERANCE = 1e-12
"""Newton's method ends with the step that moves no parameter by more than the root of this many standard errors."""

MOST_STEPS = 100
"""Ten steps are usual."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings with their uncertainty, in log-odds (natural logarithm); 400 / ln 10 of them make Elo points.

    Parameters
    ----------
    strengths : ndarray of float, shape (K,)
        The rating of each strategy; they add up to 0.
    covariance : ndarray of float, shape (K, K)
        The covariance of `strengths`.
    advantage : float
        What sitting first adds to a rating; nan when it was not fitted.
    advantage_error : float
        The standard error of `advantage`; nan when it was not fitted.
    """

    strengths: NDArray[np.float64]
    covariance: NDArray[np.float64]
    advantage: float
    advantage_error: float

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """The standard error of each rating against the average of all, shape (K,)."""
        return np.sqrt(np.diag(self.covariance))

    def difference(self, a: int, b: int) -> tuple[float, float]:
        """Return the rating of A minus that of B, and the standard error of that difference.

        Parameters
        ----------
        a, b : int
            The strategies, from 0.
        """
        variance = self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]
        return float(self.strengths[a] - self.strengths[b]), math.sqrt(max(float(variance), 0.0))

    def win_probability(self, a: int, b: int) -> float:
        """Return the probability that A beats B, a tie counting half, when neither has the advantage of the first seat.

        Parameters
        ----------
        a, b : int
            The strategies, from 0.
        """
        return 1 / (1 + math.exp(self.strengths[b] - self.strengths[a]))


def bradley_terry(wins: ArrayLike, ridge: float = 0.0) -> Ratings:
    """Rate strategies from games of two.

    Parameters
    ----------
    wins : array_like of float, shape (K, K) or (2, K, K)
        How often the row's strategy beat the column's; a tie is half a win for each. With two such tables, the first
        holds the wins of strategies that sat first and the second those of strategies that sat second (an [0, i, j] and
        a [1, j, i] come from the same kind of game), and the advantage of the first seat is fitted as well.
    ridge : float, default 0
        When positive, each parameter has a normal prior around 0 with variance 1 / `ridge`, and ratings are finite
        whatever happened; they are then a little too close together. Try 0.01.

    Returns
    -------
    Ratings

    Raises
    ------
    UsageError
        When `wins` is not of that form or `ridge` is negative; and, without a ridge, when no finite ratings fit best:
        some strategies never lost to the others, or never met them, or the advantage cannot be told from the ratings.

    Notes
    -----
    Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952); the first seat as in Agresti,
    "Categorical Data Analysis" (2002), section 10.6; when finite ratings exist: Ford, "Solution of a ranking problem
    from binary comparisons", Amer. Math. Monthly 64 (1957). Standard errors come from the information matrix; they are
    somewhat too large when there are many ties.
    """
    tables = np.asarray(wins, dtype=np.float64)
    if tables.ndim not in (2, 3) or tables.shape[-1] != tables.shape[-2] or tables.shape[:-2] not in ((), (2,)):
        raise UsageError(f"wins have the shape {tables.shape}; give one table of K × K, or two, one a seat")
    if not (np.all(np.isfinite(tables)) and np.all(tables >= 0)):
        raise UsageError("wins must be counts; give finite numbers from 0 up")
    if np.any(np.diagonal(tables, axis1=-2, axis2=-1)):
        raise UsageError("a strategy cannot beat itself; give zeros on the diagonal of the wins")
    count = tables.shape[-1]
    seats = tables.ndim - 1
    tables = tables.reshape(seats, count, count)
    # A player is a strategy in a seat: number seat · K + strategy.
    chosen = tables.sum(axis=2).ravel()
    games: dict[tuple[int, ...], float] = {}
    for a in range(count):
        for b in range(count) if seats == 2 else range(a):
            met = tables[0, a, b] + tables[-1, b, a]
            if met:
                games[(a, (seats - 1) * count + b)] = float(met)
    features = np.tile(np.eye(count), (seats, 1))
    if seats == 2:
        features = np.column_stack([features, np.repeat([1.0, 0.0], count)])
    _check_existence(tables.sum(axis=0) > 0, ridge)
    if seats == 2 and not ridge:
        _check_advantage(tables)
    return _fit(chosen, games, features, count, ridge)


def plackett_luce(orders: Mapping[Order, float], ridge: float = 0.0) -> Ratings:
    """Rate strategies from the finishing orders of games with any number of seats.

    Parameters
    ----------
    orders : mapping of Order to float
        How often each finishing order occurred. ``((2,), (0, 1))`` is a game that strategy 2 won before 0 and 1, which
        tied. Strategies are numbered from 0 and may be absent from a game, or in it more than once.
    ridge : float, default 0
        When positive, each rating has a normal prior around 0 with variance 1 / `ridge`, and ratings are finite
        whatever happened; they are then a little too close together. Try 0.01.

    Returns
    -------
    Ratings
        Without an advantage of the first seat: rotations give it to all alike.

    Raises
    ------
    UsageError
        When there are no two strategies, an order is not of that form, a count or `ridge` is negative; and, without a
        ridge, when some strategies never lost to the others, or never met them.

    Notes
    -----
    Plackett, "The analysis of permutations", Appl. Statist. 24 (1975); Luce, "Individual Choice Behavior" (1959); when
    finite ratings exist: Hunter, "MM algorithms for generalized Bradley-Terry models", Ann. Statist. 32 (2004). A tie
    counts as all its strict orders in equal parts, which for two is half a win for each; standard errors are somewhat
    too large when there are many ties.
    """
    chosen: defaultdict[int, float] = defaultdict(float)
    stages: defaultdict[tuple[int, ...], float] = defaultdict(float)
    beaten: set[tuple[int, int]] = set()
    for order, number in orders.items():
        _check_order(order, number)
        if not number:
            continue
        behind = [player for place in order for player in place]
        for place in order:
            behind = behind[len(place) :]
            for player in place:
                chosen[player] += number
            # Of a tie's strict orders, equally many have each subset of it still to be placed.
            for left in range(1, len(place) + 1):
                for subset in combinations(place, left):
                    rivals = tuple(sorted((*subset, *behind)))
                    stages[rivals] += number / math.comb(len(place), left)
            beaten.update((winner, loser) for winner in place for loser in (*place, *behind) if winner != loser)
    count = 1 + max(chosen, default=-1)
    missing = sorted(set(range(count)) - set(chosen))
    if missing:
        raise UsageError(f"strategies {missing} are in no finishing order; number the strategies from 0 without gaps")
    better = np.zeros((count, count), dtype=bool)
    for winner, loser in beaten:
        better[winner, loser] = True
    _check_existence(better, ridge)
    return _fit(np.array([chosen[player] for player in range(count)]), stages, np.eye(count), count, ridge)


def _check_order(order: Order, number: float) -> None:
    try:
        players = [player for place in order for player in place]
        proper = all(isinstance(player, (int, np.integer)) and player >= 0 for player in players) and all(order)
    except TypeError:
        proper = False
    if not proper or not order:
        raise UsageError(
            f"finishing order {order!r} is not one; give places of strategy numbers such as ((2,), (0, 1))"
        )
    if not (math.isfinite(number) and number >= 0):
        raise UsageError(f"finishing order {order!r} has the count {number}; give a number from 0 up")


def _check_existence(better: NDArray[np.bool_], ridge: float) -> None:
    """Refuse results that no finite ratings fit best; `better` tells whether the row ever beat the column."""
    if not (math.isfinite(ridge) and ridge >= 0):
        raise UsageError(f"ridge {ridge} is not a number from 0 up; give 0, or a small one such as 0.01")
    if len(better) < 2:
        raise UsageError(f"ratings need two strategies or more; the results name {len(better)}")
    if ridge:
        return
    from scipy.sparse.csgraph import connected_components

    parts, part = connected_components(better, directed=False)
    if parts > 1:
        apart = np.flatnonzero(part == part[0]).tolist()
        raise UsageError(f"strategies {apart} never met the others, so no rating compares them; add games between them")
    groups, group = connected_components(better, directed=True, connection="strong")
    for number in range(groups):
        inside = group == number
        if not inside.all() and not better[np.ix_(~inside, inside)].any():
            never = np.flatnonzero(inside).tolist()
            raise UsageError(
                f"strategies {never} never lost to the others; their ratings are infinite: give a ridge (0.01)"
            )


def _check_advantage(tables: NDArray[np.float64]) -> None:
    """Refuse results in which the advantage of the first seat cannot be told from ratings, or is infinite.

    Finite parameters fit best unless some change of them speaks against no result (Albert and Anderson, "On the
    existence of maximum likelihood estimates in logistic regression models", Biometrika 71, 1984).
    """
    from scipy.optimize import linprog

    count = tables.shape[-1]
    rows = []
    for seat, winner, loser in zip(*np.nonzero(tables), strict=True):
        row = np.zeros(count + 1)
        row[winner], row[loser], row[count] = 1, -1, 1 - 2 * int(seat)
        rows.append(row)
    results = np.array(rows)
    if np.linalg.matrix_rank(results) < count:
        raise UsageError("the advantage of the first seat cannot be told from the ratings; let strategies change seats")
    change = linprog(-results.sum(axis=0), A_ub=-results, b_ub=np.zeros(len(results)), bounds=(-1, 1)).x
    if np.sum(results @ change) > 1e-6:
        raise UsageError("one seat won whatever ratings leave open; its advantage is infinite: give a ridge (0.01)")


def _fit(
    chosen: NDArray[np.float64],
    stages: Mapping[tuple[int, ...], float],
    features: NDArray[np.float64],
    count: int,
    ridge: float,
) -> Ratings:
    """Fit the parameters of players by Newton's method.

    `chosen` tells how often each player took a place, `stages` how often which players were in the running for one,
    and the rating of a player is its row of `features` times the parameters: K strengths, then the advantage if any.
    """
    running = np.zeros((len(stages), len(chosen)))
    for row, players in zip(running, stages, strict=True):
        np.add.at(row, list(players), 1)
    times = np.array(list(stages.values()))
    # Strengths may all move together; holding their sum at 0 makes the best fit the only one.
    centre = np.zeros((features.shape[1], features.shape[1]))
    centre[:count, :count] = 1
    parameters = np.zeros(features.shape[1])

    def look(at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        ratings = features @ at
        weights = running * np.exp(ratings - ratings.max())
        totals = weights.sum(axis=1, keepdims=True)
        shares = weights / totals
        gain = chosen @ ratings - times @ (np.log(totals[:, 0]) + ratings.max()) - ridge / 2 * at @ at
        slope = features.T @ (chosen - times @ shares) - ridge * at
        expected = shares @ features
        spread = features.T @ ((times @ shares)[:, np.newaxis] * features) - expected.T @ (
            times[:, np.newaxis] * expected
        )
        return float(gain), slope, spread + ridge * np.eye(len(at))

    likelihood, slope, information = look(parameters)
    for _ in range(MOST_STEPS):
        hold = centre * np.trace(information) / count
        step = np.linalg.solve(information + hold, slope)
        distance = slope @ step
        ahead = look(parameters + step)
        # Far from the best fit a full step can overshoot; near it, rounding must not look like a loss.
        while ahead[0] < likelihood - 1e-12 * abs(likelihood):
            step = step / 2
            ahead = look(parameters + step)
        parameters = parameters + step
        likelihood, slope, information = ahead
        if distance < TOLERANCE:
            break
    else:
        raise UsageError(f"ratings did not settle within {MOST_STEPS} steps; give a larger ridge such as 0.01")
    hold = centre * np.trace(information) / count
    project = np.eye(len(parameters)) - centre / count
    covariance = project @ np.linalg.inv(information + hold) @ project
    parameters = project @ parameters
    fitted = len(parameters) > count
    return Ratings(
        strengths=parameters[:count],
        covariance=covariance[:count, :count],
        advantage=float(parameters[count]) if fitted else math.nan,
        advantage_error=math.sqrt(covariance[count, count]) if fitted else math.nan,
    )
