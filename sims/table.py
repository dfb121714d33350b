"""Who sits at the table, and one call of a game's kernel.

A `Player` is everything that the simulators know of a strategy: functions and numbers. A `Table` seats players under
given rules, plays deals, and finds out why when a move is refused.
"""

import dataclasses
import math
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims import chance
from sims.errors import StrategyError
from sims.game import Game
from sims.jit import array_at, jit, pointer

MOST_PARAMETERS = 16
KNOWLEDGE = MOST_PARAMETERS  # where `params` has the address of what a strategy knows by heart, 0 for nothing

SEAT = np.dtype(
    [
        ("chooser", np.uint64),  # addresses, to be called through sims.jit.caller; 0 where there is none
        ("valuer", np.uint64),
        ("forbidder", np.uint64),
        ("noise", np.float64),  # how often the strategy itself errs
        ("rollout_noise", np.float64),  # how often the player that thinks by rollouts of it errs
        ("rollouts", np.int64),  # games that are played ahead for every move; 0: none
        ("stream", np.uint8),  # which of its own streams the player draws from
        ("plain", np.uint8),  # a chooser without anything around it
        ("by_value", np.uint8),
        ("limited", np.uint8),  # forbidder holds for the strategy itself
        ("rollout_limited", np.uint8),  # forbidder holds for the moves that rollouts choose among
        ("params", np.float64, (MOST_PARAMETERS + 1,)),
    ],
    align=True,
)

PROBE = np.dtype(
    [
        ("on", np.uint8),  # note the stream before each call of a strategy
        ("ahead", np.uint8),  # which view the last call saw
        ("seat", np.uint8),  # whose move was refused
        ("refused", np.uint64),  # the move
        ("move", np.uint64),  # the move that a heuristic by value could not value
        ("s0", np.uint64),
        ("s1", np.uint64),
        ("s2", np.uint64),
        ("s3", np.uint64),
    ],
    align=True,
)


@dataclass(frozen=True)
class Player:
    """A strategy as the simulators see it.

    Attributes
    ----------
    spec
        The text that names the strategy.
    digest
        Digest of its source and of all that is around it: two players of equal digest play alike.
    chooser, valuer
        One of them: `chooser(view, rng, params) -> move`, or `valuer(view, move, params) -> float`.
    params
        Values of its parameters, in the order in which they were declared.
    forbidder
        `forbidder(view, move, params) -> bool`: moves that a restricted player does not make unless it has no others.
    limited, noise
        Whether the restriction holds for the strategy itself, and how often it plays a random move instead.
    rollouts, rollout_limited, rollout_noise
        Games played ahead for every legal move (0: none), and the same two for the player that does so.
    stream
        Which of its own streams it draws from: a player that is compared with itself needs another one.
    remake
        A function and its arguments that make this player in another process; None when only its code can travel.
    knowledge
        `knowledge(rules)` returns the numbers that the strategy knows by heart under these rules, an array of float64
        that is the same at every call; compiled code finds it through `known(params, length)`.
    """

    spec: str
    digest: str
    chooser: Callable[..., Any] | None = None
    valuer: Callable[..., Any] | None = None
    params: tuple[float, ...] = ()
    forbidder: Callable[..., Any] | None = None
    limited: bool = False
    noise: float = 0.0
    rollouts: int = 0
    rollout_limited: bool = False
    rollout_noise: float = 0.0
    stream: int = 0
    remake: tuple[Callable[..., "Player"], tuple[Any, ...]] | None = None
    knowledge: Callable[[Any], NDArray[np.float64]] | None = None

    def __reduce__(self) -> Any:
        """Travel to another process by name where there is one: compiled helpers and the cache are found there."""
        if self.remake:
            return _remake, (self.remake, self.stream)
        return Player, tuple(getattr(self, item.name) for item in dataclasses.fields(self))

    def compile(self, game: Game) -> tuple[int, int, int]:
        """Return the addresses of chooser, valuer and forbidder, 0 for none; compiles what is not compiled yet."""
        return (
            pointer(self.chooser, game.choose, game.illegal) if self.chooser else 0,
            pointer(self.valuer, game.value, math.nan) if self.valuer else 0,
            pointer(self.forbidder, game.forbid, -1) if self.forbidder else 0,
        )

    def fill(self, seat: Any, game: Game, rules: Any) -> NDArray[np.float64] | None:
        """Write this player to a `SEAT` record, for games under these rules; return what `know` returns."""
        seat.chooser, seat.valuer, seat.forbidder = self.compile(game)
        seat.noise, seat.rollout_noise, seat.rollouts = self.noise, self.rollout_noise, self.rollouts
        seat.stream = self.stream
        seat.by_value = self.valuer is not None
        seat.limited, seat.rollout_limited = self.limited, self.rollout_limited
        seat.plain = not (self.valuer or self.limited or self.noise or self.rollouts)
        seat.params[: len(self.params)] = self.params
        return self.know(seat, rules)

    def know(self, seat: Any, rules: Any) -> NDArray[np.float64] | None:
        """Write the address of what it knows by heart under these rules to a `SEAT` record; return what lies there.

        Whoever holds the record has to hold the array too.
        """
        if self.knowledge is None:
            return None
        numbers = self.knowledge(rules)
        seat.params[KNOWLEDGE] = numbers.ctypes.data  # below 2^53 wherever Python runs: a float holds it exactly
        return numbers


@jit
def known(params: Any, length: Any) -> Any:
    """Return the `length` numbers that a strategy knows by heart: what its `knowledge` gave, as one row."""
    return array_at(np.uint64(params[KNOWLEDGE]), length)


def _remake(recipe: tuple[Callable[..., Player], tuple[Any, ...]], stream: int) -> Player:
    make, arguments = recipe
    return dataclasses.replace(make(*arguments), stream=stream)


class Table:
    """Players at a table, ready to play any deal; not to be shared between threads.

    Parameters
    ----------
    game, rules
        What is played.
    players
        One a seat, seat 0 first.

    Raises
    ------
    UsageError
        For a number of players that the game does not seat under these rules.
    """

    def __init__(self, game: Game, rules: Any, players: Sequence[Player]) -> None:
        game.check_seats(len(players), rules)
        self.game = game
        self.rules = rules
        self.players = tuple(players)
        self._seats = np.zeros(len(players), SEAT).view(np.recarray)
        self._known = [player.fill(seat, game, rules) for seat, player in zip(self._seats, players, strict=True)]
        self._views = game.new_views(rules, len(players))
        # Three streams a seat: its own, its errors, and one for the kernel (the deal's chance; chance in rollouts).
        self._streams = np.zeros((max(len(players), 2), 3), chance.STREAM).view(np.recarray)
        self._probe = np.zeros(1, PROBE).view(np.recarray)[0]
        self._no_logs = np.zeros(0, game.log).view(np.recarray)

    def _play(self, seed: int, first_deal: int, outcomes: NDArray[np.int16], logs: Any) -> int:
        return int(
            self.game.play(
                self._seats,
                self._views,
                self._streams,
                self._probe,
                np.uint64(seed),
                np.uint64(first_deal),
                outcomes,
                logs,
            )
        )

    def new_outcomes(self, deals: int) -> NDArray[np.int16]:
        """Return room for outcomes, shape (deals, seats, columns)."""
        return np.zeros((deals, len(self.players), len(self.game.columns)), np.int16)

    def play(self, seed: int, first_deal: int, outcomes: NDArray[np.int16]) -> None:
        """Play the deals from `first_deal` on, one for each row of `outcomes`, and write what came out.

        Raises
        ------
        StrategyError
            When a strategy makes an illegal move or raises; its message names strategy, deal, seat and position.
        """
        played = self._play(seed, first_deal, outcomes, self._no_logs)
        if played < len(outcomes):
            raise self._refusal(seed, first_deal + played)

    def log(self, seed: int, first_deal: int, deals: int = 1) -> tuple[NDArray[np.int16], Any]:
        """Play deals and keep every choice.

        Returns
        -------
        tuple of ndarray
            The outcomes, shape (deals, seats, columns), and the logs, shape (deals,).

        Raises
        ------
        StrategyError
            As in `play`.
        """
        outcomes = self.new_outcomes(deals)
        logs = np.zeros(deals, self.game.log).view(np.recarray)
        played = self._play(seed, first_deal, outcomes, logs)
        if played < deals:
            raise self._refusal(seed, first_deal + played)
        return outcomes, logs

    def _refusal(self, seed: int, deal: int) -> StrategyError:
        error = self._explain(seed, deal)
        error.deal = deal
        return error

    def _explain(self, seed: int, deal: int) -> StrategyError:
        """Play a refused deal again, and call the strategy's plain Python function where it failed."""
        plain = self._seats.plain.copy()
        self._seats.plain[:] = 0  # what plain choosers see is not noted
        self._probe.on = 1
        try:
            played = self._play(seed, deal, self.new_outcomes(1), self._no_logs)
        finally:
            self._probe.on = 0
            self._seats.plain[:] = plain
        if played == 1:
            return StrategyError(
                f"a move of deal {deal} was refused once and accepted when played again: a strategy keeps hidden state "
                "(something that it remembers between calls)"
            )
        probe, seat = self._probe, int(self._probe.seat)
        player, view = self.players[seat], self._views[int(probe.ahead)]
        where = f"deal {deal}, seat {seat}" + (", in a rollout" if probe.ahead else "")
        position = self.game.picture(view)
        rng = chance.new_streams(1)[0]
        rng.s0, rng.s1, rng.s2, rng.s3 = probe.s0, probe.s1, probe.s2, probe.s3
        params = self._seats[seat].params
        if player.forbidder:
            for move in self.game.moves(view):
                answer, failure, trace = _call(player.forbidder, view, np.uint64(move), params)
                if failure or not _is_truth_value(answer):
                    said = f"raised {failure}" if failure else f"returned {answer}, which is neither true nor false"
                    return StrategyError(f"the restriction of {player.spec} {said} ({where})", position, trace)
        if player.valuer:
            move = int(probe.move)
            _, failure, trace = _call(player.valuer, view, np.uint64(move), params)
            said = f"raised {failure}" if failure else "returned a value that is not a number"
            return StrategyError(
                f"{player.spec} {said} for {self.game.describe_move(view, move)} ({where})", position, trace
            )
        assert player.chooser is not None
        _, failure, trace = _call(player.chooser, view, rng, params)
        if failure:
            return StrategyError(f"{player.spec} raised {failure} ({where})", position, trace)
        move = int(probe.refused)
        return StrategyError(
            f"{player.spec} made an illegal move: {self.game.describe_move(view, move)} ({where})", position
        )


def _is_truth_value(answer: Any) -> bool:
    """Whether a restriction's answer says yes or no: compiled code reports its failures by negative numbers."""
    try:
        return int(answer) >= 0
    except (TypeError, ValueError):
        return False


def _call(function: Callable[..., Any], *arguments: Any) -> tuple[Any, str, str]:
    """Call a strategy's function in plain Python.

    Returns
    -------
    tuple
        What it returned, the exception that it raised in one line, and the traceback without our own frame.
    """
    try:
        return function(*arguments), "", ""
    except Exception as error:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        text = "".join(traceback.format_exception(type(error), error, trace)).rstrip()
        return None, " ".join(traceback.format_exception_only(error)[-1].split()), text
