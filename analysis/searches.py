"""Searches: the parameters of a strategy, the settings that they may take, and how the best of them is looked for."""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from analysis.frames import check_filled, to_polars
from analysis.simultaneous import Moments
from sims.errors import UsageError
from sims.game import near_misses
from strategies.api import Parameter, Strategy

if TYPE_CHECKING:
    import pandas as pd

GRID = 9
"""A search in one parameter tries so many values at a time."""

STEPS = 10_000
"""Real parameters are rounded so that their range has at least so many steps: specs stay short."""

TABLE = "the table of settings"
TRIAL_COLUMNS = ("generation", "spec", "mean", "standard_error")
"""What the table of trials has beside a column for each parameter."""

Setting = tuple[float, ...]  # a value for every parameter that is tuned


# --- What is searched ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Space:
    """The parameters that are tuned, and their ranges.

    Attributes
    ----------
    strategy
        The strategy as it was given.
    parameters
        Those of its parameters whose range has more than one value.
    """

    strategy: Strategy
    parameters: tuple[Parameter, ...]

    @property
    def given(self) -> Setting:
        """The values that the strategy was given."""
        values = dict(zip([item.name for item in self.strategy.parameters], self.strategy.values, strict=True))
        return tuple(values[item.name] for item in self.parameters)

    def round(self, values: Sequence[float]) -> Setting:
        """Return the setting nearest to some values: within the ranges, whole where it has to be, and short."""
        return tuple(round_value(item, value) for item, value in zip(self.parameters, values, strict=True))

    def with_setting(self, setting: Setting) -> Strategy:
        """Return the strategy with a setting."""
        return self.strategy.with_values(
            **{item.name: value for item, value in zip(self.parameters, setting, strict=True)}
        )

    def steps(self, start: Setting) -> list[float]:
        """Return the first step of a search in each parameter: a half of its value, kept within its range's scale."""
        return [
            min(max(abs(value) / 2, (item.high - item.low) / 50), (item.high - item.low) / 10)
            for item, value in zip(self.parameters, start, strict=True)
        ]


def is_whole(parameter: Parameter) -> bool:
    """Tell whether a parameter takes whole numbers: default and range are declared as Python integers."""
    return all(isinstance(value, int) for value in (parameter.default, parameter.low, parameter.high))


def round_value(parameter: Parameter, value: float) -> float:
    """Return the value nearest to one that a parameter may take: whole, or with few decimals."""
    span = parameter.high - parameter.low
    decimals = 0 if is_whole(parameter) else max(0, math.ceil(math.log10(STEPS / span)))
    return float(min(max(round(value, decimals), parameter.low), parameter.high))


def make_space(strategy: Strategy) -> Space:
    """Return what there is to tune.

    Raises
    ------
    UsageError
        When the strategy has no parameter, none whose range has two values, or one that is called like a column of the
        table of trials.
    """
    if not strategy.parameters:
        raise UsageError(f"{strategy.spec} has no parameters to tune")
    free = tuple(item for item in strategy.parameters if item.high > item.low)
    if not free:
        raise UsageError(f"{strategy.spec} has no parameter to tune: the range of each is one value")
    taken = next((item.name for item in free if item.name in TRIAL_COLUMNS), None)
    if taken is not None:
        raise UsageError(f"the parameter {taken} of {strategy.spec} has the name of a column of results: rename it")
    return Space(strategy, free)


def read_settings(space: Space, frame: "pl.DataFrame | pd.DataFrame") -> list[Setting]:
    """Return the settings that a frame has.

    Parameters
    ----------
    space
        What is tuned.
    frame
        One row a setting, one column a parameter; a parameter without a column has the value that it was given. The
        other columns of `Tuning.trial_table` are not looked at. A text is read as a number.

    Returns
    -------
    list of Setting
        Rounded as those of a search, each once.

    Raises
    ------
    UsageError
        For an unknown column, a missing value, one that does not fit, and a frame without rows or parameters.
    """
    rows = to_polars(frame, TABLE, row="setting")
    known = {item.name: item for item in space.parameters}
    named = [name for name in rows.columns if name not in TRIAL_COLUMNS]
    stranger = next((name for name in named if name not in known), None)
    if stranger is not None:
        raise UsageError(
            f"{TABLE} has the column {stranger!r}, which {space.strategy.spec} has no parameter for"
            f"{near_misses(stranger, known)}"
        )
    if not named:
        raise UsageError(f"{TABLE} has no column of a parameter; there are: {', '.join(known)}")
    check_filled(rows, named, TABLE)
    columns = [
        [_read_number(item, value, space.strategy.name) for value in rows[item.name].to_list()]
        if item.name in named
        else [value] * rows.height
        for item, value in zip(space.parameters, space.given, strict=True)
    ]
    return list(dict.fromkeys(space.round(values) for values in zip(*columns, strict=True)))


def _read_number(parameter: Parameter, value: Any, owner: str) -> float:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):  # what is no number is told as the text that it is
            value = float(value)
    return parameter.check(value, owner)


# --- The search ------------------------------------------------------------------------------------------------------


class Trial(NamedTuple):
    """A setting that the search tried: its mean score on the tuning deals, in points a game."""

    generation: int
    setting: Setting
    mean: float
    standard_error: float


class Search:
    """All settings that were tried; each is played once, however often it is asked for.

    Parameters
    ----------
    play
        `play(settings)` returns the moments of their block scores.
    budget
        The number of different settings that may be tried.
    """

    def __init__(self, play: Callable[[Sequence[Setting]], Moments], budget: int) -> None:
        self.play = play
        self.budget = budget
        self.trials: dict[Setting, Trial] = {}
        self.generation = 0

    @property
    def left(self) -> int:
        """How many more settings may be tried."""
        return self.budget - len(self.trials)

    def means(self, settings: Sequence[Setting]) -> list[float]:
        """Return the mean scores of some settings; those beyond the budget are not played and score minus infinity."""
        new = [setting for setting in dict.fromkeys(settings) if setting not in self.trials][: self.left]
        if new:
            moments = self.play(new)
            for place, setting in enumerate(new):
                self.trials[setting] = Trial(self.generation, setting, *moments.mean(place))
        self.generation += 1
        return [self.trials[setting].mean if setting in self.trials else -math.inf for setting in settings]

    def best(self, count: int) -> list[Setting]:
        """Return the best settings, the best first; of equal ones the one that was tried first."""
        return sorted(self.trials, key=lambda setting: -self.trials[setting].mean)[:count]


def search_grid(space: Space, search: Search, first: Sequence[Setting] = ()) -> None:
    """Search one parameter: nine values over its range, then nine between the neighbours of the best, and so on.

    Parameters
    ----------
    space
        With one parameter.
    search
        Keeps the trials, and stops at its budget.
    first
        Settings to try after the one that was given.
    """
    parameter = space.parameters[0]
    low, high = parameter.low, parameter.high
    search.means([space.given, *first])
    while search.left:
        values = sorted({space.round([value]) for value in np.linspace(low, high, GRID).tolist()})
        before = search.left
        search.means(values)
        if search.left == before:
            return
        tried = sorted(search.trials)
        place = tried.index(search.best(1)[0])
        low, high = tried[max(place - 1, 0)][0], tried[min(place + 1, len(tried) - 1)][0]


def search_cma(space: Space, search: Search, seed: int, first: Sequence[Setting] = ()) -> Setting:
    """Search two or more parameters by CMA-ES, from the best of the settings that are there at the start.

    Parameters
    ----------
    space
        With two parameters or more.
    search
        Keeps the trials, and stops at its budget.
    seed
        Of the search's own random numbers.
    first
        Settings to try after the one that was given.

    Returns
    -------
    Setting
        The centre of the last population: with noise often better than the best that was seen.

    Raises
    ------
    UsageError
        When the package cma is not installed.

    Notes
    -----
    Hansen and Ostermeier, "Completely derandomized self-adaptation in evolution strategies", Evol. Comput. 9 (2001), in
    the implementation of Hansen's package cma, with its handling of bounds and of whole numbers.
    """
    try:
        import cma
    except ImportError as error:
        raise UsageError(
            "tuning two parameters or more needs the package cma, which is not installed: pip install cma"
        ) from error
    search.means([space.given, *first])
    start = search.best(1)[0]
    whole = [place for place, item in enumerate(space.parameters) if is_whole(item)]
    options = {
        "bounds": [[item.low for item in space.parameters], [item.high for item in space.parameters]],
        "CMA_stds": space.steps(start),
        "integer_variables": whole,
        "seed": math.nan,  # it draws from NumPy's global generator, which `own_randomness` lends it
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
    }
    randomness = np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))
    with own_randomness(randomness):
        evolution = cma.CMAEvolutionStrategy(list(start), 1.0, options)
    # A population of settings that were all tried before costs nothing: bound their number too.
    for _ in range(search.budget):
        if not search.left or evolution.stop():
            break
        with own_randomness(randomness):
            asked = evolution.ask()
        means = search.means([space.round(values) for values in asked])
        if not all(map(math.isfinite, means)):
            break
        with own_randomness(randomness):
            evolution.tell(asked, [-mean for mean in means])
    return space.round(evolution.result.xfavorite)


@contextlib.contextmanager
def own_randomness(randomness: np.random.RandomState) -> Iterator[None]:
    """Lend a generator's state to NumPy's global one, and put both back: cma knows no other source of chance."""
    outside = np.random.get_state()
    np.random.set_state(randomness.get_state())
    try:
        yield
    finally:
        randomness.set_state(np.random.get_state())
        np.random.set_state(outside)
