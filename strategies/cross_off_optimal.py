"""Perfect play of Cross Off's solitaire form: the player that knows every state's worth, and what others lose to it.

The worths come from `strategies.cross_off_exact`. What a move leads to is worked out here with the rule functions of
the game, so that a mistake in either shows as a mean score that is not the one foretold.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims.bits import ONE, Word, lowest_bit
from sims.cross_off import (
    PAIR,
    PASS,
    STEP_NAMES,
    SUM,
    TRACKS,
    CrossOffRules,
    after_mark,
    finish_pair,
    finish_sum,
    is_last,
    last_place,
    marks_on,
    new_views,
    offer_pair,
    offer_sum,
    one_more_ends,
    pair_bits,
    place_of,
    roll_again,
    set_up,
    track_of,
)
from sims.jit import jit
from sims.table import known
from strategies.api import strategy
from strategies.cross_off_exact import CLOSED, ROWS, Model, digest, row, save, solution, track_state
from strategies.solving import Solver, tell

GAME = "cross-off"
LOWEST = -1e9  # below all that a move can be worth
NEARLY_EQUAL = 1e-9  # points: two moves whose worths differ by less are the same to perfect play


def model_of(rules: CrossOffRules) -> Model:
    """Return the solver's form of the rules."""
    return Model(**{name: getattr(rules, name) for name in rules.options()})


def values_of(rules: CrossOffRules) -> NDArray[np.float64]:
    """Return what every state is worth, shape (rows · penalties_to_end,); solved at the first time, then kept."""
    return solution(model_of(rules), progress=tell(GAME)).reshape(-1)


# --- What moves lead to ----------------------------------------------------------------------------------------------


@jit
def pack(red: Any, yellow: Any, green: Any, blue: Any) -> Any:
    """Return the solver's states of four tracks in one word, a byte each."""
    return Word(red) | Word(yellow) << Word(8) | Word(green) << Word(16) | Word(blue) << Word(24)


@jit
def state_of(view: Any, track: Any) -> Any:
    """Return the solver's state of a track of the view's own sheet."""
    if (view.closed >> track) & 1:
        return Word(CLOSED)
    return track_state(last_place(view.open, track), marks_on(view.marks, track))


@jit
def states_of(view: Any) -> Any:
    """Return the solver's states of the view's own sheet, packed."""
    return pack(state_of(view, 0), state_of(view, 1), state_of(view, 2), state_of(view, 3))


@jit
def worth(view: Any, values: Any, states: Any, penalties: Any) -> Any:
    """Return the points still to come before a turn of the seat's own, for packed states."""
    byte = Word(255)
    at = row(states & byte, (states >> Word(8)) & byte, (states >> Word(16)) & byte, (states >> Word(24)) & byte)
    return values[at * Word(view.penalties_to_end) + Word(penalties)]


@jit
def with_mark(view: Any, states: Any, marks: Any, move: Any) -> Any:
    """Return the states after a mark, and the points that it pays at once: those of a track that it closes."""
    track = track_of(move)
    count = marks_on(marks, track)
    shift = track << Word(3)
    cleared = states & ~(Word(255) << shift)
    if is_last(move):
        return cleared | Word(CLOSED) << shift, float(view.points[count + 2])
    return cleared | track_state(place_of(move), count + 1) << shift, 0.0


@jit
def worth_of_pass(view: Any, values: Any, states: Any, marked: Any) -> Any:
    """Return what it is worth to end the turn without a pair mark."""
    penalties = Word(view.penalties[view.seat])
    if marked:
        return worth(view, values, states, penalties)
    after = penalties + ONE
    if after < Word(view.penalties_to_end):
        return worth(view, values, states, after) - view.penalty_points
    points = 0.0  # the last penalty: every open track counts as it stands
    for track in range(TRACKS):
        if not (view.closed >> track) & 1:
            points += view.points[marks_on(view.marks, track)]
    return points - view.penalty_points


@jit
def worth_of_pair(view: Any, values: Any, states: Any, marks: Any, move: Any) -> Any:
    """Return what a pair mark is worth."""
    after, paid = with_mark(view, states, marks, move)
    return paid + worth(view, values, after, view.penalties[view.seat])


@jit
def worth_of_pair_step(view: Any, values: Any, states: Any, sheet: Any, marks: Any, marked: Any) -> Any:
    """Return what the pair step is worth when it is played at its best."""
    best = worth_of_pass(view, values, states, marked)
    left = pair_bits(view) & sheet
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        best = max(best, worth_of_pair(view, values, states, marks, move))
    return best


@jit
def worth_of_sum(view: Any, values: Any, states: Any, move: Any) -> Any:
    """Return what a move of the sum step is worth to the roller, who sees all dice and plays on at its best."""
    sheet, marks = Word(view.open), Word(view.marks)
    if move == PASS:
        return worth_of_pair_step(view, values, states, sheet, marks, False)
    after, paid = with_mark(view, states, marks, move)
    if is_last(move) and one_more_ends(view) and not view.finish_turn:
        return paid + worth(view, values, after, view.penalties[view.seat])
    free, more = after_mark(view, sheet, marks, move)
    return paid + worth_of_pair_step(view, values, after, free, more, True)


@jit
def worth_of_move(view: Any, values: Any, states: Any, move: Any) -> Any:
    """Return the points still to come, for perfect play, after a move of the decision.

    In the turn of another seat, that is the worth of the sheet before the next turn of its own.
    """
    if view.step == SUM and view.seat == view.roller:
        return worth_of_sum(view, values, states, move)
    if view.step == PAIR and move == PASS:
        return worth_of_pass(view, values, states, view.marked)
    if move == PASS:
        return worth(view, values, states, view.penalties[view.seat])
    return worth_of_pair(view, values, states, Word(view.marks), move)


# --- The player ------------------------------------------------------------------------------------------------------


@strategy(GAME, tags=["solved", "strong alone"], knowledge=values_of)
def optimal(view: Any, rng: Any, params: Any) -> Any:
    """Play the solitaire perfectly, by every state's exact worth.

    It knows nothing of other seats: it takes the turns that they roll as gifts, and does not see that they end the
    game first. So it is the best player alone, and no good opponent.
    """
    values = known(params, ROWS * np.int64(view.penalties_to_end))
    states = states_of(view)
    best, most = PASS, worth_of_move(view, values, states, PASS)
    left = Word(view.legal) ^ ONE
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        value = worth_of_move(view, values, states, move)
        if value > most:
            best, most = move, value
    return best


# --- Regret ----------------------------------------------------------------------------------------------------------


@jit
def add_loss(view: Any, values: Any, chosen: Any, losses: Any) -> None:
    """Add what a decision gave away to `losses`, shape (3,): points, decisions, and decisions that were not best."""
    states = states_of(view)
    best, got = LOWEST, LOWEST
    left = Word(view.legal)
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        value = worth_of_move(view, values, states, move)
        best = max(best, value)
        if move == chosen:
            got = value
    losses[0] += best - got
    losses[1] += 1.0
    losses[2] += best - got > NEARLY_EQUAL


@jit
def replay_losses(view: Any, logs: Any, values: Any, losses: Any) -> None:
    """Follow logged games of one seat, and write what their decisions gave away, shape (games, steps, 3)."""
    for game in range(len(logs)):
        log = logs[game]
        set_up(view)
        while not view.ended:
            roll_again(view, log)
            move = Word(log.sums[view.turn - 1, 0])
            if offer_sum(view, 0):
                add_loss(view, values, move, losses[game, SUM])
            finish_sum(view, move)
            if not view.ended:
                move = Word(log.pairs[view.turn - 1])
                if offer_pair(view):
                    add_loss(view, values, move, losses[game, PAIR])
                finish_pair(view, move)


def losses_of(rules: CrossOffRules, logs: Any) -> NDArray[np.float64]:
    """Return what decisions of logged games gave away, against perfect play; see `strategies.solving.Solver`."""
    losses = np.zeros((len(logs), 2, 3))
    replay_losses(new_views(rules, 1)[0], logs, values_of(rules), losses)
    return losses


def expected_of(rules: CrossOffRules) -> float:
    """Return the mean score of perfect play."""
    return float(values_of(rules)[int(row(0, 0, 0, 0)) * rules.penalties_to_end])


def digest_of(rules: CrossOffRules) -> str:
    """Return a digest of the table of all worths."""
    return digest(solution(model_of(rules), progress=tell(GAME)))


def save_to(path: Path | str, rules: CrossOffRules) -> None:
    """Write the table of all worths to a file; see `strategies.cross_off_exact.save`."""
    save(path, solution(model_of(rules), progress=tell(GAME)), model_of(rules))


SOLVER = Solver(
    game=GAME,
    player=optimal,
    decisions=STEP_NAMES,
    values=values_of,
    expected=expected_of,
    digest=digest_of,
    save=save_to,
    losses=losses_of,
)
