"""The plug-in API: a strategy is a docstring, named parameters, tags and one function.

::

    @heuristic("criss-cross", parameters=[Parameter("centre", 0.5, 0, 5, "points for each cell of the middle row")])
    def centred(view, move, params):
        '''Gain, and a liking for the middle row.'''
        return gain(view, move) + params[0] * (first_cell(move) // 5 == 2)

`heuristic` is the form that people compare: a value for each legal move, and the best is played, ties at random.
`strategy` is the general one: `choose(view, rng, params) -> move`. Both are compiled by Numba when they first play.
`restrict`, `noisy` and `rollout` make new players of old ones.
"""

import dataclasses
import functools
import hashlib
import inspect
import math
import numbers
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims.errors import UsageError
from sims.game import near_misses
from sims.table import MOST_PARAMETERS, Player

CHOOSER_ARGUMENTS = ("view", "rng", "params")
VALUER_ARGUMENTS = ("view", "move", "params")
LARGEST_ROLLOUTS = 10_000
LOADED_SOURCE = "__crosslab_source__"  # where a user's file keeps what it was when it was imported


@dataclass(frozen=True)
class Parameter:
    """A named number of a strategy, with a default and the range that it may take."""

    name: str
    default: float
    low: float
    high: float
    doc: str = ""

    def __post_init__(self) -> None:
        """Refuse a name that no spec can hold, and a default outside the range."""
        check_name(self.name, "parameter")
        if not self.low <= self.default <= self.high:
            raise UsageError(f"parameter {self.name}: its default {self.default} is not in {self.low} to {self.high}")

    def check(self, value: Any, owner: str) -> float:
        """Return a value as a float, or say which values fit."""
        fits = isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)
        if not fits or not self.low <= value <= self.high:
            raise UsageError(
                f"{owner}: parameter {self.name}={value!r} does not fit: it takes a number from "
                f"{number(self.low)} to {number(self.high)}"
            )
        return float(value)


def check_name(name: str, what: str) -> None:
    """Refuse a name that could not be told apart from the rest of a spec."""
    if not re.fullmatch(r"[\w-]+", name):
        raise UsageError(f"the name of a {what} is made of letters, digits, - and _, not {name!r}")


def number(value: float) -> str:
    """Return a number as it stands in a spec: shortest text that reads back as the same number."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


@dataclass(frozen=True, eq=False)
class Restriction:
    """A named set of moves that a restricted player avoids: `function(view, move, params) -> bool`."""

    game: str
    name: str
    doc: str
    function: Callable[..., Any]
    origin: str = ""
    named: bool = False  # whether the spec alone can find it again, in another process say

    @property
    def spec(self) -> str:
        """The text that names it."""
        return f"{self.origin}:{self.name}" if self.origin else self.name


@dataclass(frozen=True, eq=False)
class Strategy:
    """A way to play a game.

    Attributes
    ----------
    game
        Name of the game that it plays.
    name, doc, tags
        How it is called, what it does and why, and words to find it by.
    function
        The plain Python function: a chooser, or a heuristic when `by_value` is true.
    parameters, values
        The declared parameters and the value of each.
    origin
        The file that a user's strategy comes from; empty for those that a name alone finds.
    finder
        What finds the player again by game and spec, in another process say; None when the spec alone does not do.
    restriction, limited, noise, rollouts, rollout_limited, rollout_noise, wrapping
        What `restrict`, `noisy` and `rollout` add; `wrapping` is the spec with "{}" where the wrapped one stands.
    knowledge
        What it knows by heart; see `strategy`.
    caveat
        What has to be kept in mind when a game is judged by its play, in a sentence; told with every such judgement.
    """

    game: str
    name: str
    doc: str
    function: Callable[..., Any]
    by_value: bool
    parameters: tuple[Parameter, ...] = ()
    tags: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    origin: str = ""
    finder: Callable[[str, str], Player] | None = None
    restriction: Restriction | None = None
    limited: bool = False
    noise: float = 0.0
    rollouts: int = 0
    rollout_limited: bool = False
    rollout_noise: float = 0.0
    wrapping: str = "{}"
    knowledge: Callable[[Any], NDArray[np.float64]] | None = None
    caveat: str = ""

    @property
    def spec(self) -> str:
        """The text that names this player everywhere: name, parameters that differ from their defaults, wrappers."""
        name = f"{self.origin}:{self.name}" if self.origin else self.name
        changed = [
            f"{parameter.name}={number(value)}"
            for parameter, value in zip(self.parameters, self.values, strict=True)
            if value != parameter.default
        ]
        return self.wrapping.replace("{}", f"{name}:{','.join(changed)}" if changed else name, 1)

    @property
    def named(self) -> bool:
        """Whether the spec alone can find it again."""
        return self.finder is not None

    @property
    def source(self) -> str:
        """Where it is from: a user's file, or the module that declares it."""
        return self.origin or self.function.__module__

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.doc.strip().splitlines()[0] if self.doc.strip() else ""

    def with_values(self, **values: Any) -> "Strategy":
        """Return this strategy with some parameters set."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                there_are = near_misses(name, known) if known else "; it has none"
                raise UsageError(f"{self.name} has no parameter {name!r}{there_are}")
        now = dict(zip(known, self.values, strict=True))
        now.update({name: known[name].check(value, self.name) for name, value in values.items()})
        return dataclasses.replace(self, values=tuple(now.values()))

    @functools.cached_property
    def digest(self) -> str:
        """Digest of the source (the whole file when there is one) and of the spec."""
        source = _source_digest(self.function, self.restriction.function if self.restriction else None)
        return hashlib.blake2b(f"{source} {self.spec}".encode(), digest_size=10).hexdigest()

    def player(self) -> Player:
        """Return what the simulators need to know."""
        return Player(
            spec=self.spec,
            digest=self.digest,
            chooser=None if self.by_value else self.function,
            valuer=self.function if self.by_value else None,
            params=self.values,
            forbidder=self.restriction.function if self.restriction else None,
            limited=self.limited,
            noise=self.noise,
            rollouts=self.rollouts,
            rollout_limited=self.rollout_limited,
            rollout_noise=self.rollout_noise,
            remake=(self.finder, (self.game, self.spec)) if self.finder else None,
            knowledge=self.knowledge,
        )


def _source_digest(*functions: Callable[..., Any] | None) -> str:
    state = hashlib.blake2b(digest_size=16)
    for function in functions:
        if function is None:
            continue
        try:
            loaded = function.__globals__.get(LOADED_SOURCE)
            state.update(loaded or Path(function.__code__.co_filename).read_bytes())
        except OSError:  # typed into a notebook or a prompt
            try:
                state.update(inspect.getsource(function).encode())
            except (OSError, TypeError):
                state.update(function.__code__.co_code + repr(function.__code__.co_consts).encode())
    return state.hexdigest()


# --- Decorators ------------------------------------------------------------------------------------------------------


def strategy(
    game: str,
    *,
    name: str | None = None,
    parameters: Sequence[Parameter] = (),
    tags: Sequence[str] = (),
    knowledge: Callable[[Any], NDArray[np.float64]] | None = None,
    caveat: str = "",
) -> Callable[[Callable[..., Any]], Strategy]:
    """Declare a chooser: `choose(view, rng, params) -> move`.

    Parameters
    ----------
    game
        Name of the game, such as "criss-cross".
    name
        How it is called; by default the function's name with "-" for "_".
    parameters
        Its parameters; the function finds their values in `params`, in this order.
    tags
        Words to find it by.
    knowledge
        `knowledge(rules)` returns numbers (float64) that it knows by heart under these rules, a solved table say: the
        same array at every call, and too large for a constant of compiled code. The function reads them through
        `sims.table.known(params, length)`.
    caveat
        What has to be kept in mind when a game is judged by its play, such as a bias that is its own.

    Raises
    ------
    UsageError
        When the function does not take (view, rng, params).
    """
    return lambda function: dataclasses.replace(
        _declare(function, game, name, parameters, tags, CHOOSER_ARGUMENTS), knowledge=knowledge, caveat=caveat
    )


def heuristic(
    game: str, *, name: str | None = None, parameters: Sequence[Parameter] = (), tags: Sequence[str] = ()
) -> Callable[[Callable[..., Any]], Strategy]:
    """Declare a heuristic by value: `value(view, move, params) -> float`.

    The best legal move is played, ties at random. Takes the same arguments as `strategy`.
    """
    return lambda function: _declare(function, game, name, parameters, tags, VALUER_ARGUMENTS)


def _declare(
    function: Callable[..., Any],
    game: str,
    name: str | None,
    parameters: Sequence[Parameter],
    tags: Sequence[str],
    arguments: tuple[str, ...],
) -> Strategy:
    _check_arguments(function, arguments)
    names = [parameter.name for parameter in parameters]
    if len(set(names)) < len(names) or len(names) > MOST_PARAMETERS:
        raise UsageError(
            f"{function.__name__}: parameters need different names and at most {MOST_PARAMETERS} are allowed"
        )
    name = name or function.__name__.replace("_", "-")
    check_name(name, "strategy")
    return Strategy(
        game=game,
        name=name,
        doc=inspect.cleandoc(function.__doc__ or ""),
        function=function,
        by_value=arguments is VALUER_ARGUMENTS,
        parameters=tuple(parameters),
        values=tuple(float(parameter.default) for parameter in parameters),
        tags=tuple(tags),
    )


def restriction(game: str, *, name: str | None = None) -> Callable[[Callable[..., Any]], Restriction]:
    """Declare moves to avoid, for `restrict`: `function(view, move, params) -> bool`, true for an unwanted move."""

    def declare(function: Callable[..., Any]) -> Restriction:
        _check_arguments(function, VALUER_ARGUMENTS)
        known_as = name or function.__name__.replace("_", "-")
        check_name(known_as, "restriction")
        return Restriction(game, known_as, inspect.cleandoc(function.__doc__ or ""), function)

    return declare


def _check_arguments(function: Callable[..., Any], arguments: tuple[str, ...]) -> None:
    if not inspect.isfunction(function):
        raise UsageError(f"a strategy is made of a plain Python function, not of a {type(function).__name__}")
    taken = list(inspect.signature(function).parameters)
    other = {CHOOSER_ARGUMENTS[1], VALUER_ARGUMENTS[1]} - set(arguments)
    if len(taken) != len(arguments) or taken[1] in other:
        raise UsageError(
            f"{function.__name__}({', '.join(taken)}) has the wrong signature: it has to take ({', '.join(arguments)})"
        )


# --- Wrappers --------------------------------------------------------------------------------------------------------


def noisy(player: Strategy, rate: float) -> Strategy:
    """Return a player that makes a random legal move with probability `rate`, and plays like `player` otherwise."""
    rate = Parameter("rate", 0, 0, 1).check(rate, f"noisy({player.spec})")
    wrapping = f"noisy({player.wrapping},{number(rate)})"
    if player.rollouts:
        if player.rollout_noise:
            raise UsageError(f"{player.spec} is noisy already: give it one rate")
        return dataclasses.replace(player, rollout_noise=rate, wrapping=wrapping)
    if player.noise:
        raise UsageError(f"{player.spec} is noisy already: give it one rate")
    return dataclasses.replace(player, noise=rate, wrapping=wrapping)


def restrict(player: Strategy, never: Restriction) -> Strategy:
    """Return a player that avoids the moves of `never` as long as it has others.

    A heuristic takes the best of the other moves. When a chooser picks a move that it shall not make, one of the others
    is made at random.
    """
    if not isinstance(never, Restriction):
        raise UsageError(f"never={never!r} is no restriction: declare one with @restriction(game)")
    if player.restriction:
        raise UsageError(f"{player.spec} is restricted already: write one restriction that forbids both")
    if never.game != player.game:
        raise UsageError(f"{never.spec} is a restriction of {never.game}, and {player.spec} plays {player.game}")
    return dataclasses.replace(
        player,
        restriction=never,
        limited=not player.rollouts,
        rollout_limited=player.rollouts > 0,
        finder=player.finder if never.named else None,
        wrapping=f"restrict({player.wrapping},never={never.spec})",
    )


def rollout(base: Strategy, n: int = 20) -> Strategy:
    """Return a player that tries every legal move in `n` games which `base` plays to the end, and makes the best.

    The dice of these games come from the player's own stream: it never sees the real ones.
    """
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= LARGEST_ROLLOUTS:
        raise UsageError(
            f"rollout({base.spec}): n={n!r} does not fit: it takes a whole number from 1 to {LARGEST_ROLLOUTS}"
        )
    if base.rollouts:
        raise UsageError(f"{base.spec} thinks by rollouts already: they cannot be nested")
    return dataclasses.replace(base, rollouts=n, wrapping=f"rollout({base.wrapping},{n})")
