"""Grids: which rules and strategies a sweep plays, how they are played on the same deals, and what is measured.

A point of a grid is a set of rules and strategies. All points of a sweep play the same deals, and what is kept of a
block are whole numbers, so that sums and cross products are exact in any order.
"""

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.frames import check_filled, is_frame, to_polars
from analysis.matches import make_match
from analysis.simultaneous import Moments
from sims.design import CHUNK, Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import SCORE, WIN, Game, find_game, near_misses, seat_words
from sims.run import run
from sims.table import Player
from strategies.api import Strategy, number
from strategies.specs import find_strategy

if TYPE_CHECKING:
    import pandas as pd

LARGEST_POINTS = 1_000
LARGEST_BATCH = 2**23
"""So many numbers of blocks are held at a time: longer runs are played in several batches of whole chunks."""

EXACT = 2**53
"""Up to here floating-point arithmetic on whole numbers is exact, and matrix products are fast."""

NEGLIGIBLE = 1e-12
"""What is left of a variance below this share of its parts is rounding."""

Values = NDArray[np.int64]


# --- The grid --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """One thing that is varied.

    Attributes
    ----------
    name
        The option, or "strategy.parameter".
    values
        Its values; the first belongs to the base point.
    strategy
        Which strategy's parameter it is, by its place in the line-up; None for an option of the rules.
    attribute
        The name of the option or parameter alone.
    """

    name: str
    values: tuple[Any, ...]
    strategy: int | None
    attribute: str


@dataclass(frozen=True)
class Point:
    """One point of the grid: a value of every axis, and what is played there."""

    values: tuple[Any, ...]
    rules: Any
    strategies: tuple[Strategy, ...]


def read_grid(game: str | Game, texts: Sequence[str]) -> dict[str, list[Any]]:
    """Read a grid as the command line writes it.

    Parameters
    ----------
    game
        The game's name.
    texts
        Such as "run_points=0,2,3,8,10|0,1,3,6,10" for an option, "careful.price=1|2|3" for a strategy's parameter.

    Returns
    -------
    dict
        The values by name, as `sweep` takes them.

    Raises
    ------
    UsageError
        When a text cannot be read, an option is unknown, or a value does not fit.
    """
    rules = find_game(game).rules()
    grid: dict[str, list[Any]] = {}
    for text in texts:
        # Values hold no equals sign, but specs of strategies do.
        name, _, listed = text.rpartition("=")
        if not name or not listed:
            raise UsageError(f"cannot read {text!r}: write option=value|value or strategy.parameter=value|value")
        if "." not in name:
            name = name.strip().replace("-", "_")
        if name in grid:
            raise UsageError(f"{name} is varied twice: give all its values at once, {name}=value|value")
        grid[name] = [read_value(rules, name, value.strip()) for value in listed.split("|")]
    return grid


def read_value(rules: Any, name: str, text: str) -> Any:
    """Return the value of an option, or of "strategy.parameter", that a text stands for.

    Raises
    ------
    UsageError
        When there is no such option, or the text does not fit it.
    """
    if "." not in name:
        return getattr(rules.replace_text([f"{name}={text}"]), name)
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name}={text!r} is no number") from None


def make_axes(rules: Any, strategies: Sequence[Strategy], grid: Mapping[str, Iterable[Any]]) -> tuple[Axis, ...]:
    """Check a grid against the rules and strategies that it changes.

    Parameters
    ----------
    rules
        The rules that the sweep starts from.
    strategies
        The strategies of the line-up.
    grid
        Values by option, or by "strategy.parameter".

    Returns
    -------
    tuple of Axis
        With all values as rules and strategies keep them.

    Raises
    ------
    UsageError
        For an unknown name, a value that does not fit, no values, or one value twice.
    """
    axes = []
    for name, given in grid.items():
        values = list(given) if isinstance(given, Iterable) and not isinstance(given, str | Mapping | Set) else []
        if not values:
            raise UsageError(f"{name}={given!r} does not fit: it takes a list of one value or more")
        axes.append(_make_axis(rules, strategies, name, values))
        twice = next((value for value in axes[-1].values if axes[-1].values.count(value) > 1), None)
        if twice is not None:
            raise UsageError(f"{name} has the value {value_text(twice)} twice: give each once")
    return tuple(axes)


def _make_axis(rules: Any, strategies: Sequence[Strategy], name: str, given: Sequence[Any]) -> Axis:
    """Return an axis with the given values as rules and strategies keep them."""
    owner, dot, attribute = name.rpartition(".")
    if not dot:
        return Axis(name, tuple(getattr(rules.replace(**{name: value}), name) for value in given), None, name)
    place = _owner(owner, strategies)
    values = []
    for value in given:
        changed = strategies[place].with_values(**{attribute: value})
        values.append(changed.values[[parameter.name for parameter in changed.parameters].index(attribute)])
    return Axis(name, tuple(values), place, attribute)


def _owner(owner: str, strategies: Sequence[Strategy]) -> int:
    exact = [place for place, item in enumerate(strategies) if item.spec == owner]
    found = exact or [place for place, item in enumerate(strategies) if item.name == owner]
    if len(found) > 1:
        raise UsageError(f"{owner!r} names {len(found)} strategies of this sweep: write the whole spec of one")
    if not found:
        raise UsageError(
            f"this sweep has no strategy {owner!r}{near_misses(owner, [item.spec for item in strategies])}"
        )
    return found[0]


def read_settings(
    rules: Any, strategies: Sequence[Strategy], frame: "pl.DataFrame | pd.DataFrame"
) -> tuple[tuple[Axis, ...], list[tuple[Any, ...]]]:
    """Check a grid that is a frame against the rules and strategies that it changes.

    Parameters
    ----------
    rules, strategies
        See `make_axes`.
    frame
        One row a setting; one column an option, or a "strategy.parameter". A text is read as the command line reads it.

    Returns
    -------
    tuple
        The axes, each with its different values in the order in which they come; and the values of every row.

    Raises
    ------
    UsageError
        As `make_axes` says, and for a frame without rows, a missing value, or one setting twice.
    """
    rows = to_polars(frame, "the grid", row="setting")
    check_filled(rows, rows.columns, "the grid")
    columns = []
    for name in rows.columns:
        values = [read_value(rules, name, value) if isinstance(value, str) else value for value in rows[name].to_list()]
        columns.append(_make_axis(rules, strategies, name, values))
    settings = list(zip(*(column.values for column in columns), strict=True))
    first: dict[tuple[Any, ...], int] = {}
    for place, setting in enumerate(settings):
        if first.setdefault(setting, place) != place:
            raise UsageError(f"rows {first[setting]} and {place} of the grid are one setting: give each once")
    return tuple(replace(column, values=tuple(dict.fromkeys(column.values))) for column in columns), settings


def make_grid(
    rules: Any, strategies: Sequence[Strategy], grid: "Mapping[str, Iterable[Any]] | pl.DataFrame | pd.DataFrame"
) -> tuple[tuple[Axis, ...], tuple[Point, ...]]:
    """Return the axes and points of a grid: all combinations of values by name, or the rows of a frame.

    Raises
    ------
    UsageError
        As `make_axes`, `make_points` and `read_settings` say, and for anything else than values by name or a frame.
    """
    if isinstance(grid, Mapping):
        axes = make_axes(rules, strategies, grid)
        return axes, make_points(rules, strategies, axes)
    if not is_frame(grid):
        raise UsageError(
            f"a grid of type {type(grid).__name__} does not fit: it takes a dictionary of values by name, or a frame"
        )
    axes, settings = read_settings(rules, strategies, grid)
    _check_points(len(settings))
    return axes, tuple(make_point(rules, strategies, axes, setting) for setting in settings)


def make_points(rules: Any, strategies: Sequence[Strategy], axes: Sequence[Axis]) -> tuple[Point, ...]:
    """Return all points of the grid; the last axis changes fastest, and the first point is the base.

    Parameters
    ----------
    rules, strategies
        What is played where nothing is changed.
    axes
        See `make_axes`.

    Raises
    ------
    UsageError
        When there are more than 1,000 points.
    """
    _check_points(math.prod(len(axis.values) for axis in axes))
    return tuple(make_point(rules, strategies, axes, values) for values in itertools.product(*(a.values for a in axes)))


def _check_points(count: int) -> None:
    if count > LARGEST_POINTS:
        raise UsageError(f"the grid has {count:,} points: it may have {LARGEST_POINTS:,}; vary less at a time")


def make_point(rules: Any, strategies: Sequence[Strategy], axes: Sequence[Axis], values: Sequence[Any]) -> Point:
    """Return the point of one value an axis."""
    changed = list(strategies)
    options = {}
    for axis, value in zip(axes, values, strict=True):
        if axis.strategy is None:
            options[axis.attribute] = value
        else:
            changed[axis.strategy] = changed[axis.strategy].with_values(**{axis.attribute: value})
    return Point(tuple(values), rules.replace(**options), tuple(changed))


def value_text(value: Any) -> str:
    """Return a value as the command line takes it."""
    if isinstance(value, tuple | list):
        return ",".join(str(item) for item in value)
    return number(value) if isinstance(value, float) else str(value)


def listed(value: Any) -> Any:
    """Return a value as JSON has it."""
    return list(value) if isinstance(value, tuple) else value


# --- Playing ---------------------------------------------------------------------------------------------------------

Row = tuple[tuple[int, tuple[bool, ...]], ...]  # the line-ups that a strategy plays in, and which places are its own


@dataclass(frozen=True)
class Blocks:
    """The sums of every block, by chunk; adding two puts their chunks together.

    ``chunks[chunk]`` has the shape (rows, deals, measures): for each row (a strategy at a point) the sums over its
    seat-games of all outcome columns, of the squared score and, at a table, of its wins at each seat.
    """

    chunks: dict[int, Values]

    def __add__(self, other: "Blocks") -> "Blocks":
        """Return the chunks of both."""
        return Blocks(self.chunks | other.chunks)

    def values(self) -> Values:
        """Return all blocks in deal order, shape (rows, deals, measures)."""
        return np.concatenate([self.chunks[chunk] for chunk in sorted(self.chunks)], axis=1)


def sum_blocks(design: Design, chunk: int, outcomes: Sequence[Outcomes], *, rows: tuple[Row, ...]) -> Blocks:
    """Sum up the blocks of one chunk, for every row."""
    _, deals, seats, columns = outcomes[0].shape
    sums = np.zeros((len(rows), deals, columns + 1 + (seats if seats > 1 else 0)), np.int64)
    for target, row in zip(sums, rows, strict=True):
        for lineup, own in row:
            for rotation, seating in enumerate(design.seatings(lineup)):
                for seat, who in enumerate(seating):
                    if own[who]:
                        outcome = outcomes[lineup][rotation, :, seat].astype(np.int64)
                        target[:, :columns] += outcome
                        target[:, columns] += outcome[:, SCORE] ** 2
                        if seats > 1:
                            target[:, columns + 1 + seat] += outcome[:, WIN]
    return Blocks({chunk: sums})


@dataclass(frozen=True)
class Setup:
    """All that the points of a sweep have in common."""

    game: Game
    seats: int
    opponents: tuple[Player, ...]
    deals: int
    seed: int
    n_jobs: int
    backend: str
    progress: bool

    def parts(self, rules: Any, players: Sequence[Player]) -> list[list[tuple[tuple[Player, ...], tuple[bool, ...]]]]:
        """Return for each player the line-ups that it plays in, and which places of them are its own.

        One seat: each plays the deal alone. Opponents: each plays the deal with the same opponents. One strategy and no
        opponents: it plays against itself. Otherwise every two meet, as `compare` lets them.
        """
        if self.opponents or self.seats == 1:
            rest = (False,) * len(self.opponents)
            return [[((player, *self.opponents), (True, *rest))] for player in players]
        if len(players) == 1:
            return [[((players[0],) * self.seats, (True,) * self.seats)]]
        found: list[list[tuple[tuple[Player, ...], tuple[bool, ...]]]] = [[] for _ in players]
        for a, b in itertools.combinations(range(len(players)), 2):
            match = make_match(self.game, rules, players[a], players[b], self.seats, ())
            for lineup, sides in zip(match.lineups, match.sides, strict=True):
                found[a].append((lineup, tuple(side > 0 for side in sides)))
                found[b].append((lineup, tuple(side < 0 for side in sides)))
        return found

    def rotate(self, players: int) -> bool:
        """Whether line-ups are turned: a table of one strategy would only be played again."""
        return self.seats == 1 or bool(self.opponents) or players > 1

    def seat_games(self, rules: Any, players: int) -> list[list[int]]:
        """Return how often each player sits at each seat in one block, `[player][seat]`."""
        anyone = [Player(f"{place}", f"{place}") for place in range(players)]
        turns = self.game.rotate(rules, self.seats)[: None if self.rotate(players) else 1]
        return [
            [sum(own[seating[seat]] for _, own in parts for seating in turns) for seat in range(self.seats)]
            for parts in self.parts(rules, anyone)
        ]

    def play(self, points: Sequence[Point]) -> Iterator[tuple[Values, float, int]]:
        """Play all points on the same deals, a batch of deals at a time.

        Yields
        ------
        The sums of the batch, shape (points, strategies, deals, measures); the seconds and the games that it took.
        """
        count = len(points[0].strategies)
        plans: dict[Any, tuple[dict[tuple[Player, ...], int], list[int], list[Row]]] = {}
        for place, point in enumerate(points):
            # Points of equal rules share a design, and a line-up that two of them have is played once.
            lineups, places, rows = plans.setdefault(point.rules, ({}, [], []))
            places.append(place)
            for parts in self.parts(point.rules, [strategy.player() for strategy in point.strategies]):
                rows.append(tuple((lineups.setdefault(lineup, len(lineups)), own) for lineup, own in parts))
        measures = len(self.game.columns) + 1 + (self.seats if self.seats > 1 else 0)
        step = max(1, LARGEST_BATCH // (len(points) * count * measures * CHUNK)) * CHUNK
        for first in range(0, self.deals, step):
            deals = min(step, self.deals - first)
            batch = np.zeros((len(points), count, deals, measures), np.int64)
            seconds, games = 0.0, 0
            for rules, (lineups, places, rows) in plans.items():
                design = self.design(rules, tuple(lineups), first, deals, count)
                reduce = functools.partial(sum_blocks, rows=tuple(rows))
                played = run(design, reduce, n_jobs=self.n_jobs, backend=self.backend, progress=self.progress)
                batch[places] = played.result.values().reshape(len(places), count, deals, measures)
                seconds, games = seconds + played.seconds, games + played.games
            yield batch, seconds, games

    def design(
        self, rules: Any, lineups: tuple[tuple[Player, ...], ...], first: int, deals: int, players: int
    ) -> Design:
        """Return the design of some deals under one set of rules."""
        return Design(
            self.game, rules, lineups, seed=self.seed, first_deal=first, deals=deals, rotate=self.rotate(players)
        )

    def check(self) -> None:
        """Refuse numbers that do not fit before anything is played."""
        self.design(self.game.rules(), (), 0, self.deals, 2)

    def to_dict(self) -> dict[str, Any]:
        """Return what all points have in common as JSON values."""
        return {
            "game": self.game.name,
            "rules_version": self.game.rules_version,
            "seats": self.seats,
            "opponents": [player.spec for player in self.opponents],
            "seed": self.seed,
            "deals": self.deals,
        }


def make_setup(
    game: Game,
    rules: Sequence[Any],
    seats: int | None,
    opponents: "Sequence[str | Strategy]",
    deals: int,
    seed: int,
    n_jobs: int,
    backend: str,
    progress: bool,
) -> Setup:
    """Resolve seats and opponents as `compare` does, for all the rules that are played, and check all numbers."""
    others = tuple(find_strategy(game.name, spec).player() for spec in opponents)
    allowed = [
        number for number in game.seat_numbers(rules[0]) if all(number in game.seat_numbers(one) for one in rules)
    ]
    if not allowed:
        raise UsageError(f"the points of this grid have no number of seats of {game.name} in common: play them apart")
    if seats is None:
        seats = len(others) + 1 if others else allowed[0]
    seats = check_whole("seats", seats, *game.seats)
    if seats not in allowed:
        raise UsageError(f"{game.name} under the rules of all points is for {seat_words(allowed)} seats, not {seats}")
    if others and seats != len(others) + 1:
        raise UsageError(f"{len(others)} opponents and one strategy make {len(others) + 1} seats, not {seats}")
    setup = Setup(game, seats, others, deals, seed, n_jobs, backend, progress)
    setup.check()
    return setup


def exact_moments(values: Values) -> Moments:
    """Return the exact moments of block values.

    Parameters
    ----------
    values : ndarray of int64, shape (blocks, measures)

    Returns
    -------
    Moments

    Notes
    -----
    Matrix products of floating-point numbers are many times faster than those of integers, and exact as long as no sum
    can pass 2⁵³.
    """
    largest = int(np.abs(values).max(initial=0))
    step = EXACT // max(largest * largest, 1)
    if step < 1:
        return Moments.from_scores(values)
    size = values.shape[1]
    sums, products = np.zeros(size, object), np.zeros((size, size), object)
    for start in range(0, len(values), step):
        part = values[start : start + step].astype(np.float64)
        sums += part.sum(axis=0).astype(np.int64).astype(object)
        products += (part.T @ part).astype(np.int64).astype(object)
    return Moments(len(values), tuple(sums.tolist()), tuple(map(tuple, products.tolist())))


# --- Measures --------------------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """A statistic of a row, and how it changes with the mean of each of the row's block sums."""

    value: float
    gradient: NDArray[np.float64]


@dataclass(frozen=True)
class Measures:
    """The statistics of one strategy at a point, from the sums of its blocks.

    Attributes
    ----------
    game, seats
        What is played.
    seat_games
        How often the strategy sits at each seat in one block.
    """

    game: Game
    seats: int
    seat_games: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """The names of all statistics: `mean_score`, `sd_score`, the other columns, and wins by seat at a table."""
        alone = self.seats == 1
        others = [
            f"mean_{column.name}"
            for place, column in enumerate(self.game.columns)
            if place != SCORE and not (alone and column.name in ("rank", "win"))
        ]
        taken = [] if alone else [at for at, games in enumerate(self.seat_games) if games]
        return ["mean_score", "sd_score", *others, *(f"win_seat_{at}" for at in taken)]

    def measure(self, name: str, moments: Moments, offset: int = 0) -> Measured:
        """Return a statistic, and its gradient over all values of the moments.

        Parameters
        ----------
        name
            One of `names`.
        moments
            The moments of block sums; those of this row begin at `offset`.
        """
        gradient = np.zeros(moments.strategies)
        columns = len(self.game.columns)
        games = sum(self.seat_games)
        total = games * moments.blocks
        if name == "sd_score":
            scores, squares = moments.sums[offset + SCORE], moments.sums[offset + columns]
            if total < 2:
                return Measured(math.nan, gradient)
            sd = math.sqrt((total * squares - scores**2) / (total * (total - 1)))
            if sd:
                gradient[offset + columns] = 1 / (2 * sd * games)
                gradient[offset + SCORE] = -scores / total / (sd * games)
            return Measured(sd, gradient)
        if name.startswith("win_seat_"):
            seat = int(name.removeprefix("win_seat_"))
            place, scale = columns + 1 + seat, self.seat_games[seat] * self.game.columns[WIN].scale
        else:
            place = next(at for at, column in enumerate(self.game.columns) if f"mean_{column.name}" == name)
            scale = games * self.game.columns[place].scale
        gradient[offset + place] = 1 / scale
        return Measured(moments.sums[offset + place] / (moments.blocks * scale), gradient)


def standard_error(moments: Moments, *gradients: NDArray[np.float64]) -> float:
    """Return the standard error of a sum of statistics by the delta method; nan below two blocks.

    Parameters
    ----------
    moments
        The moments of the block sums that all of them come from.
    gradients
        Of each statistic, over the means of the block sums, shape (values,).

    Notes
    -----
    √(gᵀ C g / n) with C the covariance of block sums: Casella and Berger, "Statistical Inference" (2002), section 5.5.
    """
    covariance = moments.covariance
    whole = np.sum(gradients, axis=0)
    variance = float(whole @ covariance @ whole)
    parts = sum(float(part @ covariance @ part) for part in gradients)
    if variance <= NEGLIGIBLE * parts:
        variance = 0.0
    return math.sqrt(variance / moments.blocks)


def add_moments(total: Moments | None, part: Moments) -> Moments:
    """Return the moments of a batch added to those before it."""
    return part if total is None else total + part


def find_strategies(game: Game, strategies: "str | Strategy | Sequence[str | Strategy]") -> list[Strategy]:
    """Return the different strategies that are named.

    Raises
    ------
    UsageError
        When there is none, one is unknown, or one is named twice.
    """
    named = [strategies] if isinstance(strategies, str | Strategy) else list(strategies)
    if not named:
        raise UsageError("a sweep has no strategy: give one or more")
    found = [find_strategy(game.name, spec) for spec in named]
    specs = [strategy.spec for strategy in found]
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is given twice: give each strategy once")
    return found
