import functools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sims.errors import StoreError, UsageError
from sims.jit import COMPILED, jit
from strategies import cross_off_exact as exact
from strategies.cross_off_exact import CLOSED, Model

ROOT = Path(__file__).resolve().parents[2]
RULEBOOK, FINISHED = Model(), Model(finish_turn=True)
SMALL = Model(penalties_to_end=1)  # the smallest table
# Each number of columns is compiled on its own.
COLUMNS = (4, 1, 8) if COMPILED else (4, 1, 8, 2, 3, 5, 6, 7)

State = tuple[int, int, int, int]
Track = tuple[int, int] | None  # place of the last mark (0: none) and marks; None: closed
Tracks = tuple[Track, ...]


def state(*tracks: Track) -> State:
    red, yellow, green, blue = (CLOSED if track is None else int(exact.track_state(*track)) for track in tracks)
    return red, yellow, green, blue


# --- The rules once more, read from the rulebook: slow, and without a look at the solver -----------------------------


def numbers_of(colour: int) -> list[int]:
    return list(range(2, 13)) if colour < 2 else list(range(12, 1, -1))


def mark(model: Model, tracks: Tracks, colour: int, number: int) -> tuple[Tracks, int] | None:
    """The tracks after a mark and what it pays at once, or None when it is not allowed."""
    track = tracks[colour]
    if track is None:
        return None
    place = numbers_of(colour).index(number) + 1
    if place <= track[0]:
        return None
    after: Track = (place, track[1] + 1)
    paid = 0
    if number == numbers_of(colour)[-1]:
        if track[1] < model.marks_to_close:
            return None
        after, paid = None, model.mark_points[track[1] + 1 + model.bonus]
    return (*tracks[:colour], after, *tracks[colour + 1 :]), paid


def final_points(model: Model, tracks: Tracks) -> int:
    return sum(model.mark_points[track[1]] for track in tracks if track is not None)


def best_turn(
    model: Model,
    tracks: Tracks,
    penalties: int,
    plain: tuple[int, int],
    coloured: dict[int, int],
    later: Callable[[Tracks, int], float],
) -> float:
    """The best that the roller can make of the dice, when all of them are known."""
    sums: list[tuple[Tracks, int, bool]] = [(tracks, 0, False)]
    for colour in range(4):
        if marked := mark(model, tracks, colour, sum(plain)):
            sums.append((*marked, True))
    ends = []
    for between, paid, any_mark in sums:
        if between.count(None) >= model.tracks_to_end and not model.finish_turn:
            ends.append(paid + final_points(model, between))
            continue
        if any_mark:
            ends.append(paid + later(between, penalties))
        else:
            ends.append(later(tracks, penalties + 1) - model.penalty_points)
        for colour, face in coloured.items():
            for die in set(plain):
                if marked := mark(model, between, colour, die + face):
                    ends.append(paid + marked[1] + later(marked[0], penalties))
    return max(ends)


def can_be_marked(model: Model, track: Track) -> bool:
    return track is not None and (track[0] < 10 or track[1] >= model.marks_to_close)


def turn_value(model: Model, tracks: Tracks, penalties: int, later: Callable[[Tracks, int], float]) -> float:
    """The mean over all dice; those of tracks on which nothing can be marked any more are left out."""
    colours = [colour for colour in range(4) if can_be_marked(model, tracks[colour])]
    total, rolls = 0.0, 0
    for first, second in product(range(1, 7), repeat=2):
        if first > second:
            continue
        weight = 1 if first == second else 2
        for faces in product(range(1, 7), repeat=len(colours)):
            coloured = dict(zip(colours, faces, strict=True))
            total += weight * best_turn(model, tracks, penalties, (first, second), coloured, later)
            rolls += weight
    return total / rolls


def literal_values(model: Model, tracks: Tracks) -> list[float]:
    """The value of a position for each number of penalties taken, by recursion."""

    @functools.cache
    def value(tracks: Tracks, penalties: int) -> float:
        if tracks.count(None) >= model.tracks_to_end or penalties >= model.penalties_to_end:
            return final_points(model, tracks)
        return turn_value(model, tracks, penalties, value)

    return [value(tracks, penalties) for penalties in range(model.penalties_to_end)]


def random_model(source: np.random.Generator, penalties_to_end: int) -> Model:
    return Model(
        mark_points=tuple(int(points) for points in np.cumsum(source.integers(-1, 12, 13))),
        marks_to_close=int(source.integers(0, 11)),
        penalty_points=int(source.integers(-1, 12)),
        penalties_to_end=penalties_to_end,
        tracks_to_end=int(source.integers(1, 5)),
        finish_turn=bool(source.integers(2)),
        bonus=int(source.integers(2)),
    )


def random_tracks(source: np.random.Generator, model: Model) -> Tracks:
    """A late position: two tracks that can go on a little, two that are closed or over."""
    closed = int(source.integers(0, min(model.tracks_to_end, 3)))
    # The recursion is slow, above all where four tracks can be marked.
    furthest_left = 10 if model.marks_to_close < 2 else 9 if model.penalties_to_end > 4 else 8
    tracks: list[Track] = [None] * closed
    for open_track in range(4 - closed):
        place = int(source.integers(furthest_left, 11)) if open_track < 2 else 10
        least = max(1, model.marks_to_close - 1) if open_track < 2 else 1
        most = place if open_track < 2 else max(1, min(place, model.marks_to_close - 1))
        tracks.append((place, int(source.integers(min(least, most), most + 1))))
    mixed = source.permutation(4)
    return tuple(tracks[index] for index in mixed)


# --- States and rows -------------------------------------------------------------------------------------------------


def test_states_of_a_track_are_numbered_once() -> None:
    tracks = [(0, 0), *((place, marks) for place in range(1, 11) for marks in range(1, place + 1))]
    assert [int(exact.track_state(*track)) for track in tracks] == list(range(CLOSED))
    assert [tuple(pair) for pair in zip(exact.POSITION[:CLOSED], exact.MARKS[:CLOSED], strict=True)] == tracks


def test_every_row_is_one_position_and_its_mirror_images() -> None:
    source = np.random.default_rng(1)
    seen: dict[int, Any] = {}
    for red, yellow, green, blue in source.integers(0, exact.STATES, (3000, 4)):
        number = int(exact.row(red, yellow, green, blue))
        assert number == exact.row(yellow, red, green, blue) == exact.row(green, blue, yellow, red)
        # Back from the row to the two pairs.
        first = int((np.sqrt(8.0 * number + 1) - 1) / 2)
        pairs = [sorted(exact.MEMBERS[dual].tolist()) for dual in (first, number - first * (first + 1) // 2)]
        assert sorted(pairs) == sorted([sorted([int(red), int(yellow)]), sorted([int(green), int(blue)])])
        assert seen.setdefault(number, sorted(pairs)) == sorted(pairs)
    assert int(exact.row(0, 0, 0, 0)) == 0
    assert int(exact.row(CLOSED, CLOSED, CLOSED, CLOSED)) == exact.ROWS - 1


def test_levels_hold_every_row_once_from_the_right_to_the_left() -> None:
    levels = exact._levels()
    duals = np.concatenate(levels).astype(np.int64)
    rows = duals[:, 0] * (duals[:, 0] + 1) // 2 + duals[:, 1]
    assert (duals[:, 1] <= duals[:, 0]).all()
    assert (np.bincount(rows, minlength=exact.ROWS) == 1).all()
    heights = [exact.POSITION[exact.MEMBERS[level]].sum(axis=(1, 2)) for level in levels]
    assert [set(height.tolist()) for height in heights] == [{level} for level in range(44, -1, -1)]


@pytest.mark.parametrize("marks_to_close", range(11))
def test_every_mark_leads_to_a_higher_level(marks_to_close: int) -> None:
    tables = exact._tables(Model(marks_to_close=marks_to_close))
    for side, before in product(range(2), range(exact.STATES)):
        after = tables.after[side, before, : tables.choices[side, before]]
        assert (exact.POSITION[after] > exact.POSITION[before]).all()


def test_compiled_code_can_read_the_table() -> None:
    @jit
    def read(values: Any, place: Any, marks: Any) -> Any:
        return values[exact.row(exact.track_state(place, marks), np.uint64(CLOSED), 0, 0), 1]

    values = np.arange(2.0 * exact.ROWS).reshape(-1, 2)
    values.flags.writeable = False
    expected = 2 * int(exact.row(*state((7, 3), None, (0, 0), (0, 0)))) + 1
    assert read(values, 7, 3) == read(values, np.uint64(7), np.uint64(3)) == expected


# --- Values ----------------------------------------------------------------------------------------------------------


def test_one_chance_to_close_by_hand() -> None:
    # Red can be closed with two sixes, or with one and a red six: 16 rolls of 216. It pays 28 and leaves one penalty.
    dead = (10, 1)
    values = exact.evaluate(RULEBOOK, [state((10, 5), dead, dead, dead)])
    assert values[0, 3] == pytest.approx(13 + 13 * 2 / 27, abs=1e-12)


def test_where_nothing_can_be_marked_all_penalties_follow() -> None:
    dead = (10, 1)
    assert exact.evaluate(RULEBOOK, [state(dead, dead, dead, dead)]).tolist() == [[-16.0, -11.0, -6.0, -1.0]]
    closed = exact.evaluate(RULEBOOK, [state(None, None, (3, 2), (10, 10)), state(None, None, None, None)])
    assert closed.tolist() == [[58.0] * 4, [0.0] * 4]


@pytest.mark.parametrize("seed", range(16))
def test_late_positions_agree_with_a_literal_recursion(seed: int) -> None:
    source = np.random.default_rng(seed)
    model = random_model(source, COLUMNS[seed % len(COLUMNS)])
    tracks = random_tracks(source, model)
    values = exact.evaluate(model, [state(*tracks)])
    assert values[0] == pytest.approx(literal_values(model, tracks), rel=1e-12, abs=1e-10)


TELLING = {
    "two can close": ((10, 6), (10, 1), (10, 5), (10, 1)),
    "two alike can close": ((10, 1), (10, 1), (10, 5), (10, 7)),
    "one is closed, one can close": (None, (10, 5), (10, 1), (9, 3)),
    "two are closed, one can close": (None, (10, 5), None, (10, 1)),
    "the sum mark is the fifth": ((9, 4), (10, 1), (10, 1), (9, 4)),
    "nothing but red is left": ((7, 4), None, (10, 1), (10, 1)),
}


@pytest.mark.parametrize("tracks", TELLING.values(), ids=TELLING.keys())
@pytest.mark.parametrize("tracks_to_end", [1, 2, 3, 4])
@pytest.mark.parametrize("finish_turn", [False, True])
def test_telling_positions_agree_with_a_literal_recursion(
    tracks: Tracks, tracks_to_end: int, finish_turn: bool
) -> None:
    model = Model(tracks_to_end=tracks_to_end, finish_turn=finish_turn, penalties_to_end=1)
    values = exact.evaluate(model, [state(*tracks)])
    assert values[0] == pytest.approx(literal_values(model, tracks), rel=1e-12, abs=1e-10)


@functools.cache
def solved(model: Model) -> NDArray[np.float64]:
    return exact.solve(model, n_jobs=2)


compiled_only = pytest.mark.skipif(not COMPILED, reason="a full table takes hours in plain Python")

EMPTY: Track = (0, 0)
DEAD: Track = (10, 1)
# Tracks, penalties taken, value, value with `finish_turn`: computed by two other programs.
KNOWN = [
    ((EMPTY, EMPTY, EMPTY, EMPTY), 0, 115.48312602, 115.91081503),
    ((EMPTY, EMPTY, EMPTY, EMPTY), 1, 111.02460187, 111.38824190),
    ((EMPTY, EMPTY, EMPTY, EMPTY), 2, 104.62043359, 104.90903484),
    ((EMPTY, EMPTY, EMPTY, EMPTY), 3, 94.87992208, 95.07569771),
    (((1, 1), EMPTY, EMPTY, EMPTY), 0, 122.011342558, 122.459807531),
    (((2, 2), EMPTY, EMPTY, EMPTY), 0, 127.413647723, 127.866162267),
    (((1, 1), (1, 1), EMPTY, EMPTY), 0, 127.131282211, 127.596329939),
    (((1, 1), EMPTY, (1, 1), EMPTY), 0, 128.436491480, 128.903132857),
    (((6, 1), EMPTY, EMPTY, EMPTY), 0, 90.101657541, 90.331544668),
    ((None, EMPTY, EMPTY, EMPTY), 0, 62.014858314, 62.513833178),
    (((5, 5), (5, 5), (5, 5), (5, 5)), 0, 180.537314585, 181.161395695),
    (((10, 5), (10, 5), (10, 5), (10, 5)), 3, 58.839590518, 58.862005595),
    ((None, (9, 5), (5, 4), (7, 5)), 2, 64.747532431, 65.310471636),
    ((DEAD, DEAD, DEAD, DEAD), 0, -16.0, -16.0),
]


@compiled_only
@pytest.mark.parametrize("model", [RULEBOOK, FINISHED], ids=["rulebook", "finish_turn"])
def test_known_values(model: Model) -> None:
    values = solved(model)
    for tracks, penalties, *expected in KNOWN:
        found = values[int(exact.row(*state(*tracks))), penalties]
        assert found == pytest.approx(expected[model.finish_turn], abs=1e-8), (tracks, penalties)


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "expected"),
    [(Model(marks_to_close=6), 114.425), (Model(marks_to_close=4), 115.732), (Model(bonus=0), 104.445)],
    ids=["close after 6", "close after 4", "no bonus mark"],
)
def test_known_values_of_house_rules(model: Model, expected: float) -> None:
    assert exact.solve(model)[0, 0] == pytest.approx(expected, abs=5.1e-4)


@compiled_only
@pytest.mark.parametrize("model", [RULEBOOK, FINISHED], ids=["rulebook", "finish_turn"])
@pytest.mark.parametrize(
    ("tracks", "penalties"),
    [
        ((EMPTY, EMPTY, EMPTY, EMPTY), 0),
        ((EMPTY, (4, 2), (9, 5), (6, 4)), 1),
        (((8, 5), (9, 4), (10, 6), (3, 3)), 2),
        ((None, (2, 2), EMPTY, (9, 6)), 3),
    ],
)
def test_early_positions_agree_with_one_literal_turn(model: Model, tracks: Tracks, penalties: int) -> None:
    """All dice of one turn, played by the literal rules into positions that are worth what the table says."""
    values = solved(model)

    @functools.cache
    def later(tracks: Tracks, penalties: int) -> float:
        if penalties == model.penalties_to_end:
            return final_points(model, tracks)
        return float(values[int(exact.row(*state(*tracks))), penalties])

    found = float(values[int(exact.row(*state(*tracks))), penalties])
    assert found == pytest.approx(turn_value(model, tracks, penalties, later), rel=1e-12)


@compiled_only
def test_a_part_of_the_table_is_the_table() -> None:
    states = [state(*tracks) for tracks in TELLING.values()]
    states += [state((6, 4), (7, 3), (8, 5), (8, 4)), state(None, (5, 2), (6, 6), (9, 1))]
    found = exact.evaluate(RULEBOOK, states)
    assert (found == solved(RULEBOOK)[[int(exact.row(*each)) for each in states]]).all()


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_the_number_of_workers_does_not_show(n_jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "LEAST_PART", 3)
    track = (5, 3) if COMPILED else (8, 4)
    states = [state(track, track, (9, 5), (9, 4)), state(track, track, track, (10, 10))]
    alone = exact.evaluate(RULEBOOK, states, n_jobs=1)
    assert alone.tobytes() == exact.evaluate(RULEBOOK, states, n_jobs=n_jobs).tobytes()


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_number_of_workers_does_not_show_in_the_whole_table(n_jobs: int) -> None:
    assert exact.solve(RULEBOOK, n_jobs=n_jobs).tobytes() == solved(RULEBOOK).tobytes()


def test_progress_is_told_after_each_level() -> None:
    told: list[tuple[int, int]] = []
    tracks = state((9, 5), (10, 1), None, (10, 1))
    # Red at 9, 10 (one mark more) or closed: three rows on three levels.
    exact.evaluate(RULEBOOK, [tracks, tracks], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_progress_can_stop_the_work() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        exact.evaluate(RULEBOOK, [state((9, 5), (10, 1), None, (10, 1))], n_jobs=2, progress=stop)


# --- What does not fit -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mark_points": (0,) * 12}, r"mark_points=\(0, .*\) does not fit: it takes a tuple of 13 whole numbers"),
        ({"mark_points": [0] * 13}, "it takes a tuple of 13"),
        ({"mark_points": (0.5,) * 13}, "mark_points=0.5 does not fit: it takes whole numbers from -1000 to 1000"),
        ({"marks_to_close": 11}, "marks_to_close=11 does not fit: it takes whole numbers from 0 to 10"),
        ({"penalty_points": None}, "penalty_points=None does not fit"),
        ({"penalties_to_end": 0}, "penalties_to_end=0 does not fit: it takes whole numbers from 1 to 8"),
        ({"tracks_to_end": 5}, "tracks_to_end=5 does not fit: it takes whole numbers from 1 to 4"),
        ({"finish_turn": 1}, "finish_turn=1 does not fit: it takes True or False"),
        ({"bonus": True}, "bonus=True does not fit: it takes whole numbers from 0 to 1"),
    ],
)
def test_models_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Model(**options)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([[0, 0, 0]], r"states of shape \(1, 3\) and type int64 do not fit"),
        ([0, 0, 0, 0], r"states of shape \(4,\)"),
        ([[0.0, 0, 0, 0]], "type float64 do not fit"),
        ([[0, 0, 57, 0]], "states from 0 to 57 do not fit: a track has 0 to 56"),
        ([[0, -1, 0, 0]], "states from -1 to 0 do not fit"),
    ],
)
def test_states_that_do_not_fit(states: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        exact.evaluate(RULEBOOK, states)


@pytest.mark.parametrize("n_jobs", [0, -2, True, 1.5, "2"])
def test_numbers_of_workers_that_do_not_fit(n_jobs: Any, tmp_path: Path) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: exact.solve(RULEBOOK, n_jobs=n_jobs),
        lambda: exact.evaluate(RULEBOOK, [[CLOSED] * 4], n_jobs=n_jobs),
        lambda: exact.solution(RULEBOOK, folder=tmp_path, n_jobs=n_jobs),
    ]
    for call in calls:
        with pytest.raises(UsageError, match=f"jobs={n_jobs!r} does not fit"):
            call()


# --- Files -----------------------------------------------------------------------------------------------------------


@functools.cache
def made_up(scale: float = 1.0) -> NDArray[np.float64]:
    """A table of the small model's shape."""
    return (np.arange(float(exact.ROWS)) * scale).reshape(-1, 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "made" / "for" / "it.values"
    exact.save(path, made_up(), SMALL)
    return path


def test_what_is_saved_is_loaded(path: Path) -> None:
    values = exact.load(path, SMALL)
    assert values.dtype == np.float64
    assert values.tobytes() == made_up().tobytes()
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 0
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_can_be_read_without_this_module(path: Path) -> None:
    with open(path, "rb") as file:
        header = json.loads(file.readline())
        assert file.tell() % 64 == 0
        values = np.fromfile(file, "<f8").reshape(header["shape"])
    assert (header["format"], header["model"]["penalties_to_end"]) == (exact.FORMAT, 1)
    assert (values == made_up()).all()


def test_saving_replaces_a_file(path: Path) -> None:
    exact.save(path, made_up(2.0), SMALL)
    assert (exact.load(path, SMALL) == made_up(2.0)).all()


def with_header(path: Path, **changes: Any) -> None:
    line, numbers = path.read_bytes().split(b"\n", 1)
    path.write_bytes(json.dumps(json.loads(line) | changes).encode() + b"\n" + numbers)


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "bit": (lambda path: flip(path, -5_000_000), "is damaged: its numbers do not have the digest"),
    "short": (lambda path: os.truncate(path, path.stat().st_size - 1), "is damaged: it has 109.* bytes, not 109.*"),
    "long": (lambda path: path.write_bytes(path.read_bytes() + b"\0"), "is damaged: it has 109.* bytes, not 109.*"),
    "empty": (lambda path: path.write_bytes(b""), "is no file of solved values"),
    "zeros": (lambda path: path.write_bytes(bytes(10_000)), "is no file of solved values"),
    "header cut": (lambda path: os.truncate(path, 100), "is no file of solved values"),
    "foreign": (lambda path: path.write_bytes(b'{"format": "another"}\n'), "is no file of solved values"),
    "no object": (lambda path: path.write_bytes(b"[]\n"), "is no file of solved values"),
    "newer": (lambda path: with_header(path, format_version=2), "has version 2 of the format, not 1"),
    "shape": (lambda path: with_header(path, shape=[1, 1]), "is damaged: its first line names a wrong shape"),
    "no digest": (lambda path: with_header(path, digest=None), "is damaged: .* or no digest"),
    "no model": (lambda path: with_header(path, model={"bonus": 1}), "is damaged: its first line names no model"),
    "missing": (lambda path: path.unlink(), "cannot be read: No such file"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_files_are_refused(damage: Callable[[Path], object], message: str, path: Path) -> None:
    damage(path)
    with pytest.raises(StoreError, match=message) as caught:
        exact.load(path, SMALL)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_values_of_another_model_are_refused(path: Path) -> None:
    with pytest.raises(StoreError, match=r"it\.values has the values of another model: bonus is 1, not 0"):
        exact.load(path, Model(penalties_to_end=1, bonus=0))
    with pytest.raises(StoreError, match="another model: penalties_to_end is 1, not 4"):
        exact.load(path, RULEBOOK)


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    target = tmp_path / "file" / "it.values"
    with pytest.raises(StoreError, match=r"it\.values cannot be written: ") as caught:
        exact.save(target, made_up(), SMALL)
    assert "\n" not in str(caught.value)


def test_a_broken_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="cannot be written: No space left on device"):
        exact.save(tmp_path / "it.values", made_up(), SMALL)
    assert not list(tmp_path.iterdir())


def test_values_of_another_shape_are_not_saved(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"values of shape \(1367031, 1\) and type float64 do not fit"):
        exact.save(tmp_path / "it.values", made_up(), RULEBOOK)
    assert not list(tmp_path.iterdir())


# --- Solutions -------------------------------------------------------------------------------------------------------


class Counted:
    """Stands in for `solve`: makes tables up, and counts how often it is asked."""

    def __init__(self) -> None:
        self.models: list[Model] = []

    def __call__(self, model: Model, *, n_jobs: int, progress: Any) -> NDArray[np.float64]:
        time.sleep(0.05)  # another thread may ask meanwhile
        self.models.append(model)
        return made_up().copy()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(exact, "solve", counted)
    monkeypatch.setattr(exact, "_solutions", type(exact._solutions)())
    return counted


def forget_memory() -> None:
    exact._solutions.clear()


def test_a_solution_is_solved_once(counted: Counted, tmp_path: Path) -> None:
    first = exact.solution(SMALL, folder=tmp_path)
    assert exact.solution(SMALL, folder=tmp_path) is first
    forget_memory()
    again = exact.solution(SMALL, folder=tmp_path)
    assert again is not first
    assert again.tobytes() == first.tobytes() == made_up().tobytes()
    assert counted.models == [SMALL]
    for values in (first, again):
        assert not values.flags.writeable
    assert len(list(tmp_path.iterdir())) == 1


def test_models_have_files_of_their_own(counted: Counted, tmp_path: Path) -> None:
    other = Model(penalties_to_end=1, bonus=0)
    exact.solution(SMALL, folder=tmp_path)
    exact.solution(other, folder=tmp_path)
    assert counted.models == [SMALL, other]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_solution_is_made_anew(counted: Counted, tmp_path: Path) -> None:
    exact.solution(SMALL, folder=tmp_path)
    [path] = tmp_path.iterdir()
    flip(path, -9)
    forget_memory()
    assert (exact.solution(SMALL, folder=tmp_path) == made_up()).all()
    assert counted.models == [SMALL, SMALL]
    assert (exact.load(path, SMALL) == made_up()).all()


def test_without_a_folder_a_solution_is_in_memory(counted: Counted, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    first = exact.solution(SMALL, folder=tmp_path / "file" / "under it")
    assert exact.solution(SMALL, folder=tmp_path / "file" / "under it") is first
    assert counted.models == [SMALL]


def test_without_a_cache_a_solution_is_in_memory(counted: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "cache_folder", lambda: None)
    assert exact.solution(SMALL) is exact.solution(SMALL)
    assert counted.models == [SMALL]


def test_few_solutions_stay_in_memory(counted: Counted, tmp_path: Path) -> None:
    for points in range(exact.KEPT_IN_MEMORY + 2):
        exact.solution(Model(penalties_to_end=1, penalty_points=points), folder=tmp_path / "file")
        exact.solution(Model(penalties_to_end=1, penalty_points=0), folder=tmp_path / "file")
    kept = [model.penalty_points for model in exact._solutions]
    assert kept == [3, 4, 5, 0]


def test_threads_wait_for_one_solution(counted: Counted, tmp_path: Path) -> None:
    found: list[NDArray[np.float64]] = []
    threads = [threading.Thread(target=lambda: found.append(exact.solution(SMALL, folder=tmp_path))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(values is found[0] for values in found)
    assert counted.models == [SMALL]


def test_an_interrupted_solution_can_be_asked_for_again(
    counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(model: Model, **options: Any) -> NDArray[np.float64]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(exact, "solve", interrupted)
        with pytest.raises(KeyboardInterrupt):
            exact.solution(SMALL, folder=tmp_path)
    assert (exact.solution(SMALL, folder=tmp_path) == made_up()).all()


def test_processes_may_ask_at_once(tmp_path: Path) -> None:
    code = f"""if True:
        import time
        import numpy as np
        from pathlib import Path
        from strategies import cross_off_exact as exact
        exact.solve = lambda model, **options: np.arange(float(exact.ROWS)).reshape(-1, 1)
        folder, model = Path({str(tmp_path)!r}), exact.Model(penalties_to_end=1)
        while not (folder / "go").exists():
            time.sleep(0.001)
        for _ in range(8):
            exact._solutions.clear()
            for path in folder.glob("*.values"):
                path.unlink(missing_ok=True)
            assert exact.solution(model, folder=folder)[-1, 0] == exact.ROWS - 1
    """
    running = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    (tmp_path / "go").touch()
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert {path.suffix for path in tmp_path.iterdir()} <= {"", ".values"}


def test_old_solutions_are_removed_beside_the_compiled_code(
    counted: Counted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "cache_folder", lambda: tmp_path / "0123")
    folder = tmp_path / "solutions"
    folder.mkdir()
    names = [f"cross-off-{'0' * 20}.values", f"cross-off-{'1' * 20}.values.x1_y.tmp", "notes.values"]
    long_ago = time.time() - 86_400 * (exact.KEEP_DAYS + 1)
    for name in [*names, f"cross-off-{'2' * 20}.values"]:
        (folder / name).touch()
    for name in names:
        os.utime(folder / name, (long_ago, long_ago))
    exact.solution(SMALL, folder=tmp_path / "own")
    assert len(list(folder.iterdir())) == 4
    forget_memory()
    exact.solution(SMALL)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["notes.values", f"cross-off-{'2' * 20}.values", exact._file_name(SMALL)]
    )
    # Use keeps a file young.
    os.utime(folder / exact._file_name(SMALL), (long_ago, long_ago))
    forget_memory()
    exact.solution(SMALL)
    assert (folder / exact._file_name(SMALL)).stat().st_mtime > long_ago + 86_400
    assert counted.models == [SMALL, SMALL]


@compiled_only
def test_a_solution_is_what_solve_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = solved(RULEBOOK)
    monkeypatch.setattr(exact, "_solutions", type(exact._solutions)())
    monkeypatch.setattr(exact, "solve", lambda model, **options: known.copy())
    exact.solution(RULEBOOK, folder=tmp_path)
    forget_memory()
    monkeypatch.setattr(exact, "solve", None)  # it is not asked again
    assert exact.solution(RULEBOOK, folder=tmp_path).tobytes() == known.tobytes()
