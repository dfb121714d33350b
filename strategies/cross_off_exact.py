"""The exact solitaire form of Cross Off: what every state is worth under the best play, by dynamic programming.

No game is played and nothing is drawn: the expectation over the dice is worked out. The solver knows the rules on its
own and shares no code with the kernel of the game, so that each can be held against the other.

A track is one of 57 states: the position of its last mark (1 to 10 from the left, 0 for none) with its number of marks,
or closed. Two tracks that run the same way can be exchanged, which leaves 1,653 *duals* (unordered pairs of states),
and the mirror image of the dice (d to 7 − d) exchanges the pair that runs up with the pair that runs down: 1,367,031
*rows*, one for each unordered pair of duals. A row has one column for each number of penalties taken.

What a value counts: the expected points *still to be counted* before a turn of the roller. An open track counts in full
at the end of the game, the marks that it has already included. Closing a track pays all its marks at once, the bonus
mark included, and a closed track counts nothing more. A penalty counts when it is taken; those already taken do not
count. A row in which the game is over holds the points of its open tracks in all columns.

Every mark moves the last mark of a track to the right, whatever the options are. So rows are solved in the order of
the sum of their positions, from the right to the left, and all rows of one sum (a *level*) at a time: they need rows of
higher levels only. Within a row a column needs the next one, because a turn without a mark changes the penalties alone.

For a roll of the two plain dice, let `base` be the best that can be had without a coloured die. Each coloured die then
shows one of six equally likely faces, each of which offers a value or nothing. With the values above `base` sorted, the
best one is the greatest of those rolled, and its expectation is a sum over the sorted list.
"""

import contextlib
import hashlib
import json
import math
import os
import re
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray

from sims.errors import StoreError, UsageError
from sims.jit import KEEP_DAYS, cache_folder, jit

__all__ = [
    "CLOSED",
    "DUAL",
    "DUALS",
    "MEMBERS",
    "ROWS",
    "STATES",
    "Model",
    "digest",
    "evaluate",
    "load",
    "row",
    "save",
    "solution",
    "solve",
    "track_state",
]

# --- Facts -----------------------------------------------------------------------------------------------------------

Word = np.uint64  # a signed index costs a check at each access
ZERO, ONE = Word(0), Word(1)

TRACKS = 4  # red, yellow, green, blue
NUMBERS = 11  # spaces of a track
LAST = 10  # the position of the space before the last
CLOSED = 56
STATES = 57
DUALS = STATES * (STATES + 1) // 2
ROWS = DUALS * (DUALS + 1) // 2
MOST_MARKS = NUMBERS + 1

POSITION = np.array([p for p in range(LAST + 1) for _ in range(max(p, 1))] + [NUMBERS], dtype=np.int64)
MARKS = np.array([c for p in range(LAST + 1) for c in range(min(p, 1), p + 1)] + [0], dtype=np.int64)

_pairs_of_states = [(first, second) for first in range(STATES) for second in range(first + 1)]
MEMBERS = np.array(_pairs_of_states, dtype=np.uint8)  # the two states of a dual, the greater one first
DUAL = np.zeros((STATES, STATES), dtype=np.uint16)
for _number, (_first, _second) in enumerate(_pairs_of_states):
    DUAL[_first, _second] = DUAL[_second, _first] = _number

# With one plain die in common, a sum and the number of a pair mark differ by five at most, and any such two can occur.
_numbers = np.arange(13)
LEAST_SUM = np.maximum(2, _numbers - 5).astype(np.uint64)
MOST_SUM = np.minimum(12, _numbers + 5).astype(np.uint64)

_rolls = [(low, high) for low in range(1, 7) for high in range(low, 7)]
ROLLS = len(_rolls)
LOW_DIE = np.array([low for low, _ in _rolls], dtype=np.int64)
HIGH_DIE = np.array([high for _, high in _rolls], dtype=np.int64)
ROLL_WEIGHT = np.array([1.0 if low == high else 2.0 for low, high in _rolls])
# How likely it is that a die shows none of n + 1 faces, given that it shows none of n, by the 6 − n that are left.
MISSED = np.array([0.0] + [(left - 1) / left for left in range(1, 7)])

FORMAT = "crosslab-cross-off-values"
FORMAT_VERSION = 1
HEADER_UNIT, MOST_HEADER = 64, 4096
STORED = np.dtype("<f8")
KEPT_IN_MEMORY = 4
PARTS_A_WORKER, LEAST_PART = 8, 256


# --- The model -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """The rules of the solitaire form, as far as they can differ.

    Parameters
    ----------
    mark_points
        Points of a track with 0 to 12 marks (13 whole numbers from -1000 to 1000).
    marks_to_close
        Marks that a track needs before its last number can be marked, 0 to 10.
    penalty_points
        Points that a penalty takes away (-1000 to 1000).
    penalties_to_end
        Penalties that end the game, 1 to 8.
    tracks_to_end
        Closed tracks that end the game, 1 to 4.
    finish_turn
        Whether the pair step is still played in the turn in which the sum step ends the game.
    bonus
        Marks that come on top of the last number's own for closing a track, 0 or 1.

    Raises
    ------
    UsageError
        For a value that does not fit.
    """

    mark_points: tuple[int, ...] = tuple(marks * (marks + 1) // 2 for marks in range(MOST_MARKS + 1))
    marks_to_close: int = 5
    penalty_points: int = 5
    penalties_to_end: int = 4
    tracks_to_end: int = 2
    finish_turn: bool = False
    bonus: int = 1

    def __post_init__(self) -> None:
        """Refuse what does not fit."""
        points = self.mark_points
        if not isinstance(points, tuple) or len(points) != MOST_MARKS + 1:
            raise UsageError(f"mark_points={points!r} does not fit: it takes a tuple of {MOST_MARKS + 1} whole numbers")
        for value in points:
            _check_whole("mark_points", value, -1000, 1000)
        _check_whole("marks_to_close", self.marks_to_close, 0, LAST)
        _check_whole("penalty_points", self.penalty_points, -1000, 1000)
        _check_whole("penalties_to_end", self.penalties_to_end, 1, 8)
        _check_whole("tracks_to_end", self.tracks_to_end, 1, TRACKS)
        if not isinstance(self.finish_turn, bool):
            raise UsageError(f"finish_turn={self.finish_turn!r} does not fit: it takes True or False")
        _check_whole("bonus", self.bonus, 0, 1)


def _check_whole(name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(f"{name}={value!r} does not fit: it takes whole numbers from {least} to {most}")


class Tables(NamedTuple):
    """A model as the solver reads it; the first axis is the side: 0 for red and yellow, 1 for green and blue.

    A state's possible marks come in ascending order of their numbers.
    """

    columns: tuple[int, ...]  # 0, 1, …: a tuple, since compiled code then knows how many (a quarter faster)
    choices: NDArray[np.uint64]  # (2, 57): how many numbers can be marked
    number: NDArray[np.uint8]  # (2, 57, 11)
    after: NDArray[np.uint8]  # (2, 57, 11): the state after the mark
    least: NDArray[np.int64]  # (2, 57): the least number right of the last mark; 13 for a closed track
    most: NDArray[np.int64]  # (2, 57): the greatest one; 0 for a closed track
    standing: NDArray[np.float64]  # (57,): points of the marks at the end of the game
    closing: NDArray[np.float64]  # (57,): points of closing now
    penalty: float
    tracks_to_end: int
    finish_turn: bool


def _tables(model: Model) -> Tables:
    shape = (2, STATES, NUMBERS)
    choices, number, after = np.zeros(shape[:2], np.uint64), np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    least, most = np.full(shape[:2], 13), np.zeros(shape[:2], np.int64)
    standing, closing = np.zeros(STATES), np.zeros(STATES)
    for state in range(CLOSED):
        position, marks = int(POSITION[state]), int(MARKS[state])
        standing[state] = model.mark_points[marks]
        closing[state] = model.mark_points[marks + 1 + model.bonus]
        marked = {place: place * (place - 1) // 2 + marks + 1 for place in range(position + 1, NUMBERS)}
        if marks >= model.marks_to_close:
            marked[NUMBERS] = CLOSED
        for side in range(2):
            by_number = sorted((13 - place if side else place + 1, then) for place, then in marked.items())
            choices[side, state] = len(by_number)
            for index, pair in enumerate(by_number):
                number[side, state, index], after[side, state, index] = pair
        least[:, state], most[:, state] = (position + 2, 2), (12, 12 - position)
    return Tables(
        tuple(range(model.penalties_to_end)),
        choices,
        number,
        after,
        least,
        most,
        standing,
        closing,
        float(model.penalty_points),
        model.tracks_to_end,
        model.finish_turn,
    )


# --- Reading ---------------------------------------------------------------------------------------------------------


@jit
def track_state(position: Any, marks: Any) -> Any:
    """Return the state of an open track, 0 to 55.

    Parameters
    ----------
    position
        Where its last mark is, from the left: 1 to 10, 0 when there is none.
    marks
        Its number of marks: 1 to `position`, 0 when there is none.
    """
    place = Word(position)
    return ((place * (place + ONE)) >> ONE) - place + Word(marks)


@jit
def row_of_duals(first: Any, second: Any) -> Any:
    """Return the row of two duals, in either order."""
    a, b = Word(first), Word(second)
    return ((a * (a + ONE)) >> ONE) + b if a >= b else ((b * (b + ONE)) >> ONE) + a


@jit
def row(red: Any, yellow: Any, green: Any, blue: Any) -> Any:
    """Return the row of the table of values for the states of the four tracks (`track_state`, or `CLOSED`)."""
    return row_of_duals(DUAL[Word(red), Word(yellow)], DUAL[Word(green), Word(blue)])


# --- Solving (all integers are 64-bit words unless they say otherwise) -----------------------------------------------


class Scratch(NamedTuple):
    """What a worker notes while it solves a row.

    Attributes
    ----------
    track, mate, other
        For each track: its state, that of the track that runs the same way, and the dual of the other two.
    dual
        Dual of a track and its mate after the track's mark with this index, shape (4, 11).
    by_sum
        Best value of marking this sum and passing in the pair step, shape (13, columns).
    by_pair
        Best value of marking this number on this track in the pair step when the plain dice have this sum, shape
        (4, 13, 13, columns); −inf for all that does not fit, and everywhere between two rows.
    offers
        Number of coloured faces that offer anything, by roll of the plain dice.
    offer, colour
        Value and track of each such face, shapes (21, 24, columns) and (21, 24).
    best, best_colour
        The sorted faces of one roll.
    left
        Faces of each coloured die that are not used up.
    """

    track: NDArray[np.uint64]
    mate: NDArray[np.uint64]
    other: NDArray[np.uint64]
    dual: NDArray[np.uint64]
    by_sum: NDArray[np.float64]
    by_pair: NDArray[np.float64]
    offers: NDArray[np.uint64]
    offer: NDArray[np.float64]
    colour: NDArray[np.uint8]
    best: NDArray[np.float64]
    best_colour: NDArray[np.uint8]
    left: NDArray[np.uint64]


def _new_scratch(columns: int) -> Scratch:
    return Scratch(
        np.zeros(TRACKS, np.uint64),
        np.zeros(TRACKS, np.uint64),
        np.zeros(TRACKS, np.uint64),
        np.zeros((TRACKS, NUMBERS), np.uint64),
        np.zeros((13, columns)),
        np.full((TRACKS, 13, 13, columns), -np.inf),
        np.zeros(ROLLS, np.uint64),
        np.zeros((ROLLS, 6 * TRACKS, columns)),
        np.zeros((ROLLS, 6 * TRACKS), np.uint8),
        np.zeros(6 * TRACKS),
        np.zeros(6 * TRACKS, np.uint8),
        np.zeros(TRACKS, np.uint64),
    )


@jit
def _greater(first: Any, second: Any) -> Any:
    return first if first > second else second


@jit
def _open_row(w: Any, red_yellow: Any, green_blue: Any) -> None:
    """Note the tracks of a row."""
    for c in range(Word(2)):
        w.track[c] = MEMBERS[red_yellow, c]
        w.track[c + Word(2)] = MEMBERS[green_blue, c]
        w.other[c] = green_blue
        w.other[c + Word(2)] = red_yellow
    for c in range(Word(TRACKS)):
        w.mate[c] = w.track[c ^ ONE]


@jit
def _one_mark(t: Any, w: Any, values: Any) -> None:
    """Note what one mark is worth: in the sum step, or in the pair step after a pass."""
    for s in range(Word(13)):
        for k in range(Word(len(t.columns))):
            w.by_sum[s, k] = -np.inf
    for c in range(Word(TRACKS)):
        side, state = c >> ONE, w.track[c]
        for i in range(t.choices[side, state]):
            number, after = Word(t.number[side, state, i]), Word(t.after[side, state, i])
            paid = t.closing[state] if after == CLOSED else 0.0
            w.dual[c, i] = DUAL[after, w.mate[c]]
            r = row_of_duals(w.dual[c, i], w.other[c])
            for k in range(Word(len(t.columns))):
                value = paid + values[r, k]
                w.by_sum[number, k] = _greater(w.by_sum[number, k], value)
                for s in range(LEAST_SUM[number], MOST_SUM[number] + ONE):
                    w.by_pair[c, number, s, k] = value


@jit
def _same_track_twice(t: Any, w: Any, values: Any) -> None:
    """Note what a pair mark is worth after a sum mark on the same track; the sum mark may be what lets it close."""
    for c in range(Word(TRACKS)):
        side, state = c >> ONE, w.track[c]
        for i in range(t.choices[side, state]):
            s, between = Word(t.number[side, state, i]), Word(t.after[side, state, i])
            for j in range(t.choices[side, between]):
                number, after = Word(t.number[side, between, j]), Word(t.after[side, between, j])
                if LEAST_SUM[number] <= s and s <= MOST_SUM[number]:
                    paid = t.closing[between] if after == CLOSED else 0.0
                    r = row_of_duals(DUAL[after, w.mate[c]], w.other[c])
                    for k in range(Word(len(t.columns))):
                        w.by_pair[c, number, s, k] = _greater(w.by_pair[c, number, s, k], paid + values[r, k])


@jit
def _two_tracks(t: Any, w: Any, values: Any, may_close: Any) -> None:
    """Note what a pair mark is worth after a sum mark on another track, for both orders of the two marks.

    Unless `may_close`, a sum mark that closes a track ends the game before the pair step.
    """
    for c in range(Word(TRACKS)):
        for d in range(c + ONE, Word(TRACKS)):
            mates = c >> ONE == d >> ONE
            for i in range(t.choices[c >> ONE, w.track[c]]):
                m, after = Word(t.number[c >> ONE, w.track[c], i]), Word(t.after[c >> ONE, w.track[c], i])
                paid = t.closing[w.track[c]] if after == CLOSED else 0.0
                c_first = may_close or after != CLOSED
                for j in range(t.choices[d >> ONE, w.track[d]]):
                    n, then = Word(t.number[d >> ONE, w.track[d], j]), Word(t.after[d >> ONE, w.track[d], j])
                    if n < LEAST_SUM[m] or n > MOST_SUM[m]:
                        continue
                    both = paid + t.closing[w.track[d]] if then == CLOSED else paid
                    d_first = may_close or then != CLOSED
                    if mates:
                        r = row_of_duals(DUAL[after, then], w.other[c])
                    else:
                        r = row_of_duals(w.dual[c, i], w.dual[d, j])
                    if c_first:
                        for k in range(Word(len(t.columns))):
                            w.by_pair[d, n, m, k] = _greater(w.by_pair[d, n, m, k], both + values[r, k])
                    if d_first:
                        for k in range(Word(len(t.columns))):
                            w.by_pair[c, m, n, k] = _greater(w.by_pair[c, m, n, k], both + values[r, k])


@jit
def _list_offers(t: Any, w: Any) -> None:
    """Note what each coloured face offers with each roll of the plain dice: the better of two pair marks, if any."""
    for roll in range(Word(ROLLS)):
        low, high = LOW_DIE[roll], HIGH_DIE[roll]
        s = Word(low + high)
        found = ZERO
        for c in range(Word(TRACKS)):
            least, most = t.least[c >> ONE, w.track[c]], t.most[c >> ONE, w.track[c]]
            for face in range(max(1, least - high), min(6, most - low) + 1):
                first, second = Word(low + face), Word(high + face)
                for k in range(Word(len(t.columns))):
                    w.offer[roll, found, k] = _greater(w.by_pair[c, first, s, k], w.by_pair[c, second, s, k])
                if w.offer[roll, found, ZERO] > -np.inf:
                    w.colour[roll, found] = c
                    found += ONE
        w.offers[roll] = found


@jit
def _expect(t: Any, w: Any, r: Any, standing: Any, values: Any) -> None:
    """Write the expectations over the dice into a row, from the most penalties to none."""
    columns = Word(len(t.columns))
    rest = standing - t.penalty  # the last penalty ends the game
    for step in range(columns):
        k = columns - ONE - step
        expected = 0.0
        for roll in range(Word(ROLLS)):
            base = _greater(rest, w.by_sum[Word(LOW_DIE[roll] + HIGH_DIE[roll]), k])
            count = ZERO
            for i in range(w.offers[roll]):
                value = w.offer[roll, i, k]
                if value > base:
                    at = count
                    while at > ZERO and w.best[at - ONE] < value:
                        w.best[at] = w.best[at - ONE]
                        w.best_colour[at] = w.best_colour[at - ONE]
                        at -= ONE
                    w.best[at] = value
                    w.best_colour[at] = w.colour[roll, i]
                    count += ONE
            for c in range(Word(TRACKS)):
                w.left[c] = 6
            mean, none_so_far = 0.0, 1.0
            for i in range(count):
                colour = Word(w.best_colour[i])
                none = none_so_far * MISSED[w.left[colour]]
                w.left[colour] -= ONE
                mean += w.best[i] * (none_so_far - none)
                none_so_far = none
            expected += ROLL_WEIGHT[roll] * (mean + none_so_far * base)
        values[r, k] = expected / 36.0
        rest = values[r, k] - t.penalty


@jit
def _forget_pairs(t: Any, w: Any) -> None:
    """Empty `by_pair`."""
    for c in range(Word(TRACKS)):
        for number in range(t.least[c >> ONE, w.track[c]], t.most[c >> ONE, w.track[c]] + 1):
            for s in range(Word(13)):
                for k in range(Word(len(t.columns))):
                    w.by_pair[c, Word(number), s, k] = -np.inf


@jit
def _solve_rows(t: Any, w: Any, duals: Any, values: Any) -> None:
    """Solve rows whose successors are solved.

    Parameters
    ----------
    t
        The model's tables.
    w
        The worker's notes; what they hold before does not matter, but that `by_pair` is empty.
    duals
        The two duals of each row, shape (rows, 2).
    values
        The table, shape (1367031, columns); written where these rows are.
    """
    columns = Word(len(t.columns))
    for index in range(Word(len(duals))):
        red_yellow, green_blue = Word(duals[index, ZERO]), Word(duals[index, ONE])
        r = row_of_duals(red_yellow, green_blue)
        _open_row(w, red_yellow, green_blue)
        standing, closed = 0.0, 0
        for c in range(Word(TRACKS)):
            standing += t.standing[w.track[c]]
            closed += w.track[c] == CLOSED
        if closed >= t.tracks_to_end:
            for k in range(columns):
                values[r, k] = standing
            continue
        _one_mark(t, w, values)
        _same_track_twice(t, w, values)
        _two_tracks(t, w, values, t.finish_turn or closed + 1 < t.tracks_to_end)
        _list_offers(t, w)
        _expect(t, w, r, standing, values)
        _forget_pairs(t, w)


# --- The order of the work -------------------------------------------------------------------------------------------

Progress = Callable[[int, int], object]


def _levels() -> list[NDArray[np.int16]]:
    """Return the two duals of all rows by level, the highest level first; shapes (rows of the level, 2)."""
    first = np.repeat(np.arange(DUALS, dtype=np.int16), np.arange(1, DUALS + 1))
    second = np.concatenate([np.arange(count, dtype=np.int16) for count in range(1, DUALS + 1)])
    height = POSITION[MEMBERS].sum(axis=1).astype(np.int8)
    level = height[first]
    level += height[second]
    order = np.argsort(-level, kind="stable").astype(np.int32)
    duals = np.empty((ROWS, 2), np.int16)
    duals[:, 0], duals[:, 1] = first[order], second[order]
    sizes = np.bincount(level)[::-1]
    return np.split(duals, np.cumsum(sizes)[:-1])


def _workers(n_jobs: int) -> int:
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0 or n_jobs < -1:
        raise UsageError(f"jobs={n_jobs!r} does not fit: it takes a whole number from 1, or -1 for one a processor")
    return int(joblib.effective_n_jobs(n_jobs))


def _solve_part(tables: Tables, duals: NDArray[np.int16], values: NDArray[np.float64]) -> None:
    _solve_rows(tables, _new_scratch(values.shape[1]), duals, values)


def _solve_levels(
    model: Model,
    levels: list[NDArray[np.int16]],
    values: NDArray[np.float64],
    n_jobs: int,
    progress: Progress | None,
) -> None:
    """Solve levels in their order; the rows of one level do not need each other, so any cut gives the same values."""
    workers = _workers(n_jobs)
    tables = _tables(model)
    _solve_part(tables, np.empty((0, 2), np.int16), values)  # compiles before there are threads
    done, total = 0, sum(map(len, levels))
    with joblib.Parallel(n_jobs=workers, backend="threading", batch_size=1) as parallel:
        for level in levels:
            # Rows differ in their work, so more parts than workers; a part of few rows is not worth its thread.
            parts = min(workers * PARTS_A_WORKER, math.ceil(len(level) / LEAST_PART)) if workers > 1 else 1
            if parts == 1:
                _solve_part(tables, level, values)
            else:
                cut = np.array_split(level, parts)
                parallel(joblib.delayed(_solve_part)(tables, part, values) for part in cut)
            done += len(level)
            if progress is not None:
                progress(done, total)


def solve(model: Model, *, n_jobs: int = -1, progress: Progress | None = None) -> NDArray[np.float64]:
    """Return what every state is worth under the best play.

    Parameters
    ----------
    model
        The rules.
    n_jobs
        Threads; −1 means one for each processor. The values are the same, to the last bit, for any number.
    progress
        Called as `progress(done, total)` after each level with the number of rows solved and of all rows.

    Returns
    -------
    ndarray of float
        Expected points still to be counted, shape (1367031, penalties_to_end): by row (`row`) and penalties taken.

    Raises
    ------
    UsageError
        When `n_jobs` does not fit.
    """
    values = np.zeros((ROWS, model.penalties_to_end))
    _solve_levels(model, _levels(), values, n_jobs, progress)
    return values


def evaluate(
    model: Model, states: ArrayLike, *, n_jobs: int = 1, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return what some states are worth, and solve no more rows than can be reached from them.

    Meant for late states: from the start all rows can be reached, and `solve` is quicker then.

    Parameters
    ----------
    model
        The rules.
    states
        States of the four tracks (red, yellow, green, blue), shape (n, 4).
    n_jobs, progress
        As in `solve`.

    Returns
    -------
    ndarray of float
        The values, shape (n, penalties_to_end).

    Raises
    ------
    UsageError
        When `states` are no states of tracks, or `n_jobs` does not fit.
    """
    given = np.asarray(states)
    if given.ndim != 2 or given.shape[1] != TRACKS or given.dtype.kind not in "iu":
        raise UsageError(f"states of shape {given.shape} and type {given.dtype} do not fit: four whole numbers a state")
    if given.size and not 0 <= given.min() <= given.max() < STATES:
        raise UsageError(f"states from {given.min()} to {given.max()} do not fit: a track has 0 to {CLOSED}")
    starts = [_ordered(int(DUAL[red, yellow]), int(DUAL[green, blue])) for red, yellow, green, blue in given]
    values = np.zeros((ROWS, model.penalties_to_end))  # memory that nothing is written to is never taken
    _solve_levels(model, _reachable(model, starts), values, n_jobs, progress)
    return values[[int(row_of_duals(*start)) for start in starts]]


def _ordered(first: int, second: int) -> tuple[int, int]:
    """Return the duals of a row, the greater first, as in `_levels`: a row is solved once, and to the same bits."""
    return (first, second) if first >= second else (second, first)


def _reachable(model: Model, starts: Iterable[tuple[int, int]]) -> list[NDArray[np.int16]]:
    """Return the duals of `starts` and of all that marks can make of them, by level, the highest first."""
    tables = _tables(model)
    found = set(starts)
    waiting = list(found)
    while waiting:
        duals = waiting.pop()
        for side in range(2):
            members = MEMBERS[duals[side]]
            for state, mate in (members, members[::-1]):
                for after in tables.after[side, state, : tables.choices[side, state]]:
                    changed = int(DUAL[after, mate])
                    then = _ordered(changed, duals[1 - side])
                    if then not in found:
                        found.add(then)
                        waiting.append(then)
    height = POSITION[MEMBERS].sum(axis=1)
    levels: dict[int, list[tuple[int, int]]] = {}
    for duals in sorted(found):
        levels.setdefault(int(height[list(duals)].sum()), []).append(duals)
    return [np.array(levels[level], np.int16) for level in sorted(levels, reverse=True)]


# --- Files -----------------------------------------------------------------------------------------------------------


def _header(model: Model, values: NDArray[np.float64]) -> bytes:
    """Return the first line of a file; spaces fill it up, so that the numbers start at a multiple of 64 bytes."""
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "model": asdict(model),
        "shape": list(values.shape),
        "digest": digest(values),
    }
    text = json.dumps(content, sort_keys=True)
    return text.ljust(-(-(len(text) + 1) // HEADER_UNIT) * HEADER_UNIT - 1).encode("ascii") + b"\n"


def digest(values: NDArray[np.float64]) -> str:
    """Return the digest of solved values, as a file names it."""
    return hashlib.blake2b(values.data, digest_size=16).hexdigest()


def save(path: Path | str, values: NDArray[np.float64], model: Model) -> None:
    """Write solved values to a file: all of it under its name, or nothing.

    A line of JSON (format, model, shape, digest) comes first, then the numbers by row, 8 bytes each, little-endian.

    Parameters
    ----------
    path
        The file; missing folders are made, and a file of this name is replaced.
    values
        What `solve` returned, shape (1367031, penalties_to_end).
    model
        The rules that they are the values of.

    Raises
    ------
    StoreError
        When the file cannot be written.
    UsageError
        When the values do not have the model's shape.
    """
    path = Path(path)
    shape = (ROWS, model.penalties_to_end)
    if values.shape != shape or values.dtype.kind != "f":
        raise UsageError(f"values of shape {values.shape} and type {values.dtype} do not fit: {shape} and float64")
    stored = np.ascontiguousarray(values, STORED)
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(_header(model, stored))
            file.write(stored.data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def load(path: Path | str, model: Model) -> NDArray[np.float64]:
    """Read solved values from a file, its digest checked.

    Parameters
    ----------
    path
        A file that `save` wrote.
    model
        The rules that are wanted.

    Returns
    -------
    ndarray of float
        The values, shape (1367031, penalties_to_end), read-only.

    Raises
    ------
    StoreError
        When the file is missing, damaged, of another model, or no file of values at all.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            line = file.readline(MOST_HEADER)
            named = _check_header(path, line, model)
            values = np.empty((ROWS, model.penalties_to_end), STORED)
            size, wanted = os.fstat(file.fileno()).st_size, len(line) + values.nbytes
            if size != wanted or file.readinto(values.data.cast("B")) != values.nbytes:
                raise StoreError(f"{path} is damaged: it has {size} bytes, not {wanted}")
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    if digest(values) != named:
        raise StoreError(f"{path} is damaged: its numbers do not have the digest of its first line")
    native = values.astype(np.float64, copy=False)
    native.flags.writeable = False
    return native


def _check_header(path: Path, line: bytes, model: Model) -> str:
    """Return the digest that the first line of a file names."""
    try:
        content = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StoreError(f"{path} is no file of solved values: its first line does not name the format {FORMAT}")
    version = content.get("format_version")
    if version != FORMAT_VERSION:
        raise StoreError(f"{path} has version {version!r} of the format, not {FORMAT_VERSION}")
    stored, wanted = content.get("model"), json.loads(json.dumps(asdict(model)))
    if not isinstance(stored, dict) or stored.keys() != wanted.keys():
        raise StoreError(f"{path} is damaged: its first line names no model")
    for name, value in wanted.items():
        if stored[name] != value:
            raise StoreError(f"{path} has the values of another model: {name} is {stored[name]}, not {value}")
    named = content.get("digest")
    if content.get("shape") != [ROWS, model.penalties_to_end] or not isinstance(named, str):
        raise StoreError(f"{path} is damaged: its first line names a wrong shape or no digest")
    return named


# --- Solutions that are kept -----------------------------------------------------------------------------------------

_solutions: OrderedDict[Model, NDArray[np.float64]] = OrderedDict()
_one_at_a_time = threading.Lock()


def _file_name(model: Model) -> str:
    state = hashlib.blake2b(digest_size=10)
    state.update(json.dumps(asdict(model), sort_keys=True).encode() + b"\0")
    state.update(Path(__file__).read_bytes())
    return f"cross-off-{state.hexdigest()}.values"


def _default_folder() -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder.parent / "solutions"


def _forget_old_files(folder: Path) -> None:
    """Remove solutions that nobody has used for long; the folder may hold other things, which are not touched."""
    limit = time.time() - KEEP_DAYS * 86_400
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if re.fullmatch(r"cross-off-[0-9a-f]{20}\.values(\.\w+\.tmp)?", path.name):
                with contextlib.suppress(OSError):  # another process may be at it too
                    if path.stat().st_mtime < limit:
                        path.unlink()


def solution(
    model: Model, *, folder: Path | str | None = None, n_jobs: int = -1, progress: Progress | None = None
) -> NDArray[np.float64]:
    """Return what every state is worth: from memory, from a file, or solved now and written to the file.

    The last four models stay in memory; a caller keeps the array as long as it uses its numbers. A damaged file is
    written anew. When no file can be written the values are in memory only. Any number of threads may ask at once, and
    one of them solves; two processes that ask at once may both solve, and both write the same file.

    Parameters
    ----------
    model
        The rules.
    folder
        Where the files are. By default it is `solutions` beside the compiled code, and files unused for a month are
        removed there.
    n_jobs, progress
        As in `solve`; `progress` is called only when the model has to be solved.

    Returns
    -------
    ndarray of float
        The values, shape (1367031, penalties_to_end), read-only.

    Raises
    ------
    UsageError
        When `n_jobs` does not fit.
    """
    _workers(n_jobs)
    with _one_at_a_time:
        values = _solutions.get(model)
        if values is None:
            values = _kept_or_solved(model, Path(folder) if folder is not None else None, n_jobs, progress)
            _solutions[model] = values
            while len(_solutions) > KEPT_IN_MEMORY:
                _solutions.popitem(last=False)
        _solutions.move_to_end(model)
    return values


def _kept_or_solved(model: Model, folder: Path | None, n_jobs: int, progress: Progress | None) -> NDArray[np.float64]:
    parent = folder if folder is not None else _default_folder()
    path = None if parent is None else parent / _file_name(model)
    if path is not None:
        with contextlib.suppress(StoreError):
            values = load(path, model)
            with contextlib.suppress(OSError):
                os.utime(path)
            return values
    values = solve(model, n_jobs=n_jobs, progress=progress)
    values.flags.writeable = False
    if path is not None:
        with contextlib.suppress(StoreError):
            save(path, values, model)
            if folder is None:
                _forget_old_files(path.parent)
    return values
