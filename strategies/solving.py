"""Games that can be solved: what perfect play is worth, the player that plays it, and what others lose to it.

A solution is worked out once for every set of rules and kept on disk, like compiled code. Whoever needs it first waits
for it, and is told so.
"""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims.errors import UsageError
from sims.game import find_game
from strategies.api import Strategy

__all__ = ["SOLVER_MODULES", "Progress", "Solver", "find_solver", "listening", "tell"]

SOLVER_MODULES = {"cross-off": "strategies.cross_off_optimal"}

Progress = Callable[[int, int], object]
Listener = Callable[[str, int, int], object]

_listeners: list[Listener] = []


@dataclass(frozen=True)
class Solver:
    """The solution of a game's form for one seat.

    Attributes
    ----------
    game
        The game's name.
    player
        The strategy that plays perfectly.
    decisions
        Names of the kinds of decisions.
    values
        `values(rules)` solves it, or fetches what was solved before; returns the table, an array of float64.
    expected, digest
        `expected(rules)` returns the mean score of perfect play, `digest(rules)` a digest of the table.
    save
        `save(path, rules)` writes the table to a file, with the rules and the digest in its first line.
    losses
        `losses(rules, logs)` takes the logs of games of one seat, and returns by game and kind of decision the points
        that the decisions gave away, their number, and how many of them were not the best: shape (games, kinds, 3). The
        points given away have the mean `expected` − mean score.
    """

    game: str
    player: Strategy
    decisions: tuple[str, ...]
    values: Callable[[Any], NDArray[np.float64]]
    expected: Callable[[Any], float]
    digest: Callable[[Any], str]
    save: Callable[[Any, Any], None]
    losses: Callable[[Any, Any], NDArray[np.float64]]


def find_solver(game: str) -> Solver:
    """Return the solver of a game.

    Raises
    ------
    UsageError
        When there is no such game, or none for it.
    """
    name = find_game(game).name
    if name not in SOLVER_MODULES:
        raise UsageError(f"{name} has not been solved; solved games: {', '.join(SOLVER_MODULES)}")
    solver: Solver = importlib.import_module(SOLVER_MODULES[name]).SOLVER
    return solver


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener(game, done, total)` while a solution is worked out that nobody has kept."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(game: str) -> Progress:
    """Return a function for a solver's progress, which tells all listeners."""

    def progress(done: int, total: int) -> None:
        for listener in _listeners:
            listener(game, done, total)

    return progress
