"""Asking a player for a move: the same for every game, whatever is around the strategy.

A game hands in its signatures and its two rule functions (which moves there are, and whether one is legal) and gets
back compiled functions of its own. They know the wrappers that every player may have: a restriction, an error rate, and
games played ahead.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sims import chance
from sims.bits import Word
from sims.chance import below, next_word
from sims.game import RANK, SCORE, WIN, WIN_UNIT
from sims.jit import caller, jit

__all__ = ["Asking", "best_of", "make_asking", "make_thinking", "new_scratch", "rank_by_score", "start_streams"]


@jit
def best_of(moves: Any, worth: Any, count: Any, rng: Any) -> Any:
    """Return the move of the highest worth, ties at random."""
    best = -np.inf
    for index in range(count):
        best = max(best, worth[index])
    ties = 0
    for index in range(count):
        if worth[index] == best:
            moves[ties] = moves[index]
            ties += 1
    return moves[below(rng, ties)] if ties > 1 else moves[0]


@jit
def new_scratch(moves: Any) -> Any:
    """Return room for the moves of a position and for what each is worth."""
    return np.empty(moves, np.uint64), np.empty(moves, np.float64)


@jit
def start_streams(players: Any, streams: Any, key: Any) -> None:
    """Set every seat's own streams to the start of a deal."""
    for seat in range(len(players)):
        own = chance.STREAM_STEP * players[seat].stream
        chance.start_stream(streams[seat, 0], key, chance.STRATEGY + own, seat)
        if players[seat].noise > 0.0 or players[seat].rollout_noise > 0.0:
            chance.start_stream(streams[seat, 1], key, chance.NOISE + own, seat)


@jit
def rank_by_score(outcomes: Any) -> None:
    """Write rank and win of one game, equal scores sharing both; `outcomes` has shape (seats, columns)."""
    seats = len(outcomes)
    for seat in range(seats):
        rank, equals = 1, 0
        for other in range(seats):
            if outcomes[other, SCORE] > outcomes[seat, SCORE]:
                rank += 1
            elif outcomes[other, SCORE] == outcomes[seat, SCORE]:
                equals += 1
        outcomes[seat, RANK] = rank
        outcomes[seat, WIN] = WIN_UNIT // equals if rank == 1 else 0


class Asking(NamedTuple):
    """What a game's kernel asks its players through.

    Attributes
    ----------
    choose
        `choose(address, view, rng, params)`: a chooser's move, without a check. Kernels ask plain choosers through it:
        a compiled call with as many records as `ask` takes costs more than many a chooser.
    keep_allowed
        `keep_allowed(view, seat, moves, count)`: drops the moves that the seat's restriction forbids, unless it forbids
        all; returns how many are left, or −1 when the restriction failed.
    ask
        `ask(view, seat, rng, noise, scratch, probe)`: the move of a seat's own strategy, chooser or heuristic, limited
        and noisy as the seat's record says.
    note
        `note(view, rng, probe)`: keeps what a strategy is about to see, for a refused game is played again to find out
        why.
    list_moves, illegal, random_move
        As they were handed in.
    """

    choose: Any
    keep_allowed: Any
    ask: Any
    note: Any
    list_moves: Any
    illegal: Any
    random_move: Any


def make_asking(
    choose: Any,
    value: Any,
    forbid: Any,
    illegal: Any,
    list_moves: Callable[..., Any],
    is_legal: Callable[..., Any],
    random_move: Callable[..., Any] | None = None,
) -> Asking:
    """Return the functions that ask the players of one game.

    Parameters
    ----------
    choose, value, forbid
        The game's signatures.
    illegal
        What a chooser returns when it failed.
    list_moves
        `list_moves(view, moves)` writes the distinct legal moves, and returns how many there are. A game that has too
        many to list writes candidates.
    is_legal
        `is_legal(view, move)`.
    random_move
        `random_move(view, rng)`: a uniformly random legal move, for a game whose list holds candidates only. Players
        err with it unless a restriction is on them, which chooses from the list; None when the list holds all moves.
    """
    call_choose, call_value, call_forbid = caller(choose), caller(value), caller(forbid)
    illegal = Word(illegal)

    @jit
    def keep_allowed(view: Any, seat: Any, moves: Any, count: Any) -> Any:
        kept = 0
        for index in range(count):
            move = moves[index]
            forbidden = call_forbid(seat.forbidder, view, move, seat.params)
            if forbidden < 0:
                return -1
            if not forbidden:
                moves[kept] = move
                kept += 1
        return kept if kept else count

    @jit
    def note(view: Any, rng: Any, probe: Any) -> None:
        probe.ahead = view.ahead
        probe.s0, probe.s1, probe.s2, probe.s3 = rng.s0, rng.s1, rng.s2, rng.s3
        probe.move = illegal

    @jit
    def ask(view: Any, seat: Any, rng: Any, noise: Any, scratch: Any, probe: Any) -> Any:
        moves, worth = scratch[0], scratch[1]
        if probe.on:
            note(view, rng, probe)
        errs = seat.noise > 0.0 and chance.uniform(noise) < seat.noise
        # Whether there is one is known when this is compiled: games without it have no branch here.
        if random_move is not None and errs and not seat.limited:
            return random_move(view, noise)
        if not (errs or seat.by_value):
            move = call_choose(seat.chooser, view, rng, seat.params)
            if not seat.limited or not is_legal(view, move):
                return move
            forbidden = call_forbid(seat.forbidder, view, move, seat.params)
            if forbidden <= 0:
                return move if forbidden == 0 else illegal
        count = list_moves(view, moves)
        if seat.limited:
            count = keep_allowed(view, seat, moves, count)
            if count < 0:
                return illegal
        if errs:
            return moves[below(noise, count)]
        if not seat.by_value:
            return moves[below(rng, count)]
        for index in range(count):
            worth[index] = call_value(seat.valuer, view, moves[index], seat.params)
            if np.isnan(worth[index]):
                probe.move = moves[index]
                return illegal
        return best_of(moves, worth, count, rng)

    return Asking(call_choose, keep_allowed, ask, note, list_moves, illegal, random_move)


def make_thinking(asking: Asking, play_out: Callable[..., Any]) -> Any:
    """Return `think(views, seat, rng, noise, scratch, outer, dice, probe)`: the move of a player that uses rollouts.

    It tries every move in games that its own strategy plays to the end, all on the same chance, which comes from the
    seat's own stream and never from the deal's.

    Parameters
    ----------
    asking
        The game's functions from `make_asking`.
    play_out
        `play_out(views, seat, move, rng, noise, scratch, dice, probe)`: makes the move in a copy of the position, plays
        on, and returns what the seat got; NaN when a move was refused.
    """
    keep_allowed, note, list_moves, illegal = asking.keep_allowed, asking.note, asking.list_moves, asking.illegal
    random_move = asking.random_move

    @jit
    def think(views: Any, seat: Any, rng: Any, noise: Any, scratch: Any, outer: Any, dice: Any, probe: Any) -> Any:
        view = views[0]
        moves, worth = outer
        if probe.on:
            note(view, rng, probe)
        errs = seat.rollout_noise > 0.0 and chance.uniform(noise) < seat.rollout_noise
        if random_move is not None and errs and not seat.rollout_limited:
            return random_move(view, noise)
        count = list_moves(view, moves)
        if seat.rollout_limited:
            count = keep_allowed(view, seat, moves, count)
            if count < 0:
                return illegal
        if errs:
            return moves[below(noise, count)]
        worth[:count] = 0.0
        for _ in range(seat.rollouts if count > 1 else 0):
            start = next_word(rng)
            for index in range(count):
                chance.fill_stream(dice, start)
                gained = play_out(views, seat, moves[index], rng, noise, scratch, dice, probe)
                if np.isnan(gained):
                    return illegal
                worth[index] += gained
        return best_of(moves, worth, count, rng)

    return think
