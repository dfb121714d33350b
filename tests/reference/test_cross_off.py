"""The literal Cross Off engine: every sentence of the rules, and faults that it must name.

Traces are written by hand in a short form. ``roll(3, 0, "16 6555")`` is turn 3 of seat 0: the plain dice show 1 and 6,
the coloured ones red 6, yellow 5, green 5, blue 5, and ``-`` stands for the die of a closed track. Many games are cut
short by the option that the first penalty ends them.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
import statistics
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import cross_off
from tests.reference.cross_off import COLOURS, NUMBERS, Dice, Game, IllegalGameError, Mark, Rules, State

Event = dict[str, Any]
Trace = dict[str, Any]

DEFAULTS: dict[str, Any] = {
    "mark_points": [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78],
    "marks_to_close": 5,
    "penalty_points": 5,
    "penalties_to_end": 4,
    "tracks_to_end": 2,
    "finish_turn": False,
}


def dice_of(dice: str) -> dict[str, Any]:
    plain, coloured = dice.split()
    faces = {colour: None if face == "-" else int(face) for colour, face in zip(COLOURS, coloured, strict=True)}
    return {"plain": [int(face) for face in plain], **faces}


def roll(turn: int, roller: int, dice: str) -> Event:
    return {"type": "roll", "turn": turn, "roller": roller, **dice_of(dice)}


def add(turn: int, seat: int, track: str, number: int) -> Event:
    return {"type": "mark", "turn": turn, "step": "sum", "seat": seat, "track": track, "number": number}


def pair(turn: int, seat: int, track: str, number: int, plain: int) -> Event:
    return {**add(turn, seat, track, number), "step": "pair", "plain": plain}


def close(turn: int, track: str, *seats: int) -> Event:
    return {"type": "close", "turn": turn, "track": track, "seats": list(seats)}


def penalty(turn: int, seat: int) -> Event:
    return {"type": "penalty", "turn": turn, "seat": seat}


def end(reason: str) -> Event:
    return {"type": "end", "reason": reason}


def idle(turn: int, roller: int, dice: str = "11 2222") -> list[Event]:
    """Return a turn in which nobody marks anything."""
    return [roll(turn, roller, dice), penalty(turn, roller)]


def entry(seat: int, score: float, rank: int, win: float, marks: str, penalties: int) -> dict[str, Any]:
    counts = dict(zip(COLOURS, map(int, marks.split()), strict=True))
    return {"seat": seat, "score": score, "rank": rank, "win": win, "marks": counts, "penalties": penalties}


def trace_of(events: Sequence[Event], outcome: Sequence[dict[str, Any]], **options: object) -> Trace:
    trace = {
        "game": "cross-off",
        "rules_version": "1",
        "variant": {**DEFAULTS, **options},
        "seed": 7,
        "deal": 123,
        "rotation": 0,
        "seats": ["by hand"] * len(outcome),
        "events": events,
        "outcome": outcome,
    }
    loaded: Trace = json.loads(json.dumps(trace))
    return loaded


def accepted(events: Sequence[Event], outcome: Sequence[dict[str, Any]], **options: object) -> None:
    """Demand that the referee accepts a game and makes its outcome again."""
    made = cross_off.referee(trace_of(events, outcome, **options))
    assert [seat._asdict() for seat in made] == list(outcome)


def refused(events: Sequence[Event], message: str, seats: int = 1, **options: object) -> None:
    """Demand that the referee stops at an event, before it gets to the outcome, and says this."""
    with pytest.raises(IllegalGameError) as caught:
        cross_off.referee(trace_of(events, [{}] * seats, **options))
    assert str(caught.value) == message


def rulebook_trace() -> Trace:
    """Two seats that fill a track with five marks each and close it in the same step, 28 points each."""
    events = [
        roll(1, 0, "11 2555"),
        add(1, 0, "red", 2),
        add(1, 1, "yellow", 2),
        pair(1, 0, "red", 3, 1),
        roll(2, 1, "13 4355"),
        add(2, 0, "red", 4),
        add(2, 1, "yellow", 4),
        pair(2, 1, "yellow", 6, 3),
        roll(3, 0, "16 5555"),
        add(3, 0, "red", 7),
        add(3, 1, "yellow", 7),
        pair(3, 0, "red", 11, 6),
        roll(4, 1, "45 1155"),
        add(4, 1, "yellow", 9),
        roll(5, 0, "66 1166"),
        add(5, 0, "red", 12),
        add(5, 1, "yellow", 12),
        close(5, "red", 0),
        close(5, "yellow", 1),
        end("tracks"),
    ]
    return trace_of(events, [entry(0, 28, 1, 0.5, "7 0 0 0", 0), entry(1, 28, 1, 0.5, "0 7 0 0", 0)])


def long_trace() -> Trace:
    """Two seats that close red together in turn 5, and pass until seat 1 has four penalties in turn 12."""
    events = [
        roll(1, 0, "11 2555"),
        add(1, 0, "red", 2),
        add(1, 1, "red", 2),
        pair(1, 0, "red", 3, 1),
        roll(2, 1, "13 4155"),
        add(2, 0, "red", 4),
        add(2, 1, "red", 4),
        pair(2, 1, "red", 5, 1),
        roll(3, 0, "24 5155"),
        add(3, 0, "red", 6),
        add(3, 1, "red", 6),
        pair(3, 0, "red", 7, 2),
        roll(4, 1, "35 5555"),
        add(4, 1, "red", 8),
        roll(5, 0, "66 1234"),
        add(5, 0, "red", 12),
        add(5, 1, "red", 12),
        close(5, "red", 0, 1),
        *idle(6, 1, "12 -123"),
        roll(7, 0, "34 -561"),
        add(7, 1, "blue", 7),
        pair(7, 0, "yellow", 8, 3),
        *idle(8, 1, "55 -111"),
        *idle(9, 0, "66 -666"),
        *idle(10, 1, "31 -142"),
        *idle(11, 0, "25 -336"),
        *idle(12, 1, "64 -514"),
        end("penalties"),
    ]
    return trace_of(events, [entry(0, 19, 1, 1.0, "7 1 0 0", 2), entry(1, 9, 2, 0.0, "7 0 0 1", 4)])


# One seat's three turns that put 2, 3, 4, 5 and 7 on a track: five marks, and the last one in a sum step.
RED_FIVE = [
    roll(1, 0, "11 2555"),
    add(1, 0, "red", 2),
    pair(1, 0, "red", 3, 1),
    roll(2, 0, "13 4555"),
    add(2, 0, "red", 4),
    pair(2, 0, "red", 5, 1),
    roll(3, 0, "16 6555"),
    add(3, 0, "red", 7),
]
RED_CLOSED = [*RED_FIVE, pair(3, 0, "red", 12, 6), close(3, "red", 0)]
RED_CLOSER = entry(0, 23, 1, 1.0, "7 0 0 0", 1)  # closed red, then took the penalty that ended the game


def event_at(trace: Trace, **values: object) -> int:
    """Index of the first event with these values."""
    return next(
        index
        for index, event in enumerate(trace["events"])
        if all(event.get(key) == value for key, value in values.items())
    )


@pytest.mark.parametrize("trace", [rulebook_trace(), long_trace()], ids=["rulebook", "long"])
def test_referee_accepts_the_long_games_and_returns_their_outcome(trace: Trace) -> None:
    before = copy.deepcopy(trace)
    assert [seat._asdict() for seat in cross_off.referee(trace)] == trace["outcome"]
    assert trace == before


# The rulebook, sentence by sentence


@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5])
def test_up_to_five_players_take_turns_as_the_roller(seats: int) -> None:
    events = []
    for seat in range(seats):
        events += [roll(seat + 1, seat, "34 1111"), pair(seat + 1, seat, "red", 4, 3)]
    events += [*idle(seats + 1, 0), end("penalties")]
    others = [entry(seat, 1, 1, 1 / (seats - 1), "1 0 0 0", 0) for seat in range(1, seats)]
    first = entry(0, -4, seats, 0.0 if others else 1.0, "1 0 0 0", 1)
    accepted(events, [first, *others], penalties_to_end=1)


def test_turns_go_round_the_table() -> None:
    refused(idle(1, 1), "event 0: seat 0 rolls in turn 1, not seat 1", seats=2)
    refused([*idle(1, 0), *idle(2, 0)], "event 2: seat 1 rolls in turn 2, not seat 0", seats=2)
    refused([*idle(1, 0), *idle(3, 1)], "event 2: this is turn 2, not turn 3", seats=2)
    refused([*idle(1, 0), *idle(1, 0)], "event 2: this is turn 2, not turn 1")
    refused(idle(1, 1), "event 0: roll: there is no seat 1")


@pytest.mark.parametrize("seats", [0, 6])
def test_no_other_number_of_players(seats: int) -> None:
    refused([], f"seats: {seats} seats, but 1 to 5 can play", seats=seats)
    with pytest.raises(IllegalGameError, match=f"^{seats} seats: 1 to 5 can play$"):
        cross_off.play(Rules(), seats, random.Random(1), cross_off.uniform)


def test_six_dice_two_plain_and_one_in_each_colour() -> None:
    whole = roll(1, 0, "34 2516")
    for colour in COLOURS:
        without = {key: value for key, value in whole.items() if key != colour}
        refused([without], f"event 0: roll: the key '{colour}' is missing")
        refused([whole | {colour: None}], f"event 0: the {colour} track is open, its die is missing")
        refused([whole | {colour: 7}], f"event 0: roll: {colour} 7 is neither a face from 1 to 6 nor null")
        refused([whole | {colour: 0}], f"event 0: roll: {colour} 0 is neither a face from 1 to 6 nor null")
        refused([whole | {colour: True}], f"event 0: roll: {colour} True is neither a face from 1 to 6 nor null")
    for plain in ([3], [3, 4, 5], [0, 4], [3, 7], [3.0, 4], 34):
        refused([whole | {"plain": plain}], f"event 0: roll: plain {plain} is not two faces from 1 to 6")
    refused([whole | {"white": 3}], "event 0: roll: the key 'white' is unknown")


def test_four_tracks_of_eleven_numbers() -> None:
    assert COLOURS == ("red", "yellow", "green", "blue")
    assert all(sorted(NUMBERS[colour]) == list(range(2, 13)) for colour in COLOURS)
    refused([roll(1, 0, "34 1111"), add(1, 0, "white", 7)], "event 1: mark: there is no 'white' track")
    refused([roll(1, 0, "34 1111"), add(1, 0, "red", 13)], "event 1: mark: the number 13 is not 2 to 12")
    refused([roll(1, 0, "34 1111"), add(1, 0, "red", 1)], "event 1: mark: the number 1 is not 2 to 12")


def test_one_sheet_per_player() -> None:
    events = [roll(1, 0, "34 1111"), add(1, 0, "red", 7), add(1, 1, "red", 7), *idle(2, 1), end("penalties")]
    outcome = [entry(0, 1, 1, 1.0, "1 0 0 0", 0), entry(1, -4, 2, 0.0, "1 0 0 0", 1)]
    accepted(events, outcome, penalties_to_end=1)


@pytest.mark.parametrize("track", ["red", "yellow"])
def test_red_and_yellow_run_from_2_up_to_12(track: str) -> None:
    marks = [roll(1, 0, "34 6666"), add(1, 0, track, 7)]
    higher = [roll(2, 0, "53 6666"), add(2, 0, track, 8)]
    lower = [roll(2, 0, "33 6666"), add(2, 0, track, 6)]
    sheet = "2 0 0 0" if track == "red" else "0 2 0 0"
    accepted([*marks, *higher, *idle(3, 0), end("penalties")], [entry(0, -2, 1, 1.0, sheet, 1)], penalties_to_end=1)
    refused([*marks, *lower], f"event 3: 6 is not to the right of seat 0's last mark on the {track} track, 7")


@pytest.mark.parametrize("track", ["green", "blue"])
def test_green_and_blue_run_from_12_down_to_2(track: str) -> None:
    marks = [roll(1, 0, "34 6666"), add(1, 0, track, 7)]
    higher = [roll(2, 0, "53 6666"), add(2, 0, track, 8)]
    lower = [roll(2, 0, "33 6666"), add(2, 0, track, 6)]
    sheet = "0 0 2 0" if track == "green" else "0 0 0 2"
    accepted([*marks, *lower, *idle(3, 0), end("penalties")], [entry(0, -2, 1, 1.0, sheet, 1)], penalties_to_end=1)
    refused([*marks, *higher], f"event 3: 8 is not to the right of seat 0's last mark on the {track} track, 7")


def test_the_roll_belongs_to_everyone() -> None:
    events = [roll(1, 0, "34 1111"), *[add(1, seat, "blue", 7) for seat in range(5)], *idle(2, 1), end("penalties")]
    outcome = [entry(seat, 1, 1, 1 / 4, "0 0 0 1", 0) for seat in range(5)]
    outcome[1] = entry(1, -4, 5, 0.0, "0 0 0 1", 1)
    accepted(events, outcome, penalties_to_end=1)


@pytest.mark.parametrize("marking", [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)], ids=str)
def test_every_player_may_mark_the_plain_sum_or_pass(marking: tuple[int, ...]) -> None:
    events = [roll(1, 0, "34 1111"), *[add(1, seat, "blue", 7) for seat in marking]]
    events += idle(2, 1) if 0 in marking else [penalty(1, 0)]
    penalised = 1 if 0 in marking else 0
    scores = [int(seat in marking) - 5 * int(seat == penalised) for seat in range(3)]
    ranks = [1 + sum(other > own for other in scores) for own in scores]
    outcome = [
        entry(
            seat=seat,
            score=scores[seat],
            rank=ranks[seat],
            win=1 / ranks.count(1) if ranks[seat] == 1 else 0.0,
            marks=f"0 0 0 {int(seat in marking)}",
            penalties=int(seat == penalised),
        )
        for seat in range(3)
    ]
    accepted([*events, end("penalties")], outcome, penalties_to_end=1)


def test_the_sum_is_that_of_the_two_plain_dice() -> None:
    for number in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12):
        message = f"event 1: seat 1 marks {number}, but the plain dice add to 7"
        refused([roll(1, 0, "34 1256"), add(1, 1, "red", number)], message, seats=2)


def test_the_sum_is_marked_on_one_track() -> None:
    events = [roll(1, 0, "34 1111"), add(1, 0, "red", 7), add(1, 0, "blue", 7)]
    refused(events, "event 2: seat 0 marks the sum a second time")


def test_the_sum_is_marked_at_the_same_time_and_listed_by_seat() -> None:
    events = [roll(1, 0, "34 1111"), add(1, 2, "red", 7), add(1, 1, "blue", 7)]
    refused(events, "event 2: seat 1 marks after seat 2; a step is listed in the order of the seats", seats=3)


def test_marks_go_to_the_right_of_the_last_mark_on_that_track_only() -> None:
    marks = [roll(1, 0, "34 1111"), add(1, 0, "red", 7), roll(2, 0, "33 1111")]
    refused([*marks, add(2, 0, "red", 6)], "event 3: 6 is not to the right of seat 0's last mark on the red track, 7")
    other = [*marks, add(2, 0, "yellow", 6), *idle(3, 0), end("penalties")]
    accepted(other, [entry(0, -3, 1, 1.0, "1 1 0 0", 1)], penalties_to_end=1)


def test_a_number_is_marked_once() -> None:
    events = [roll(1, 0, "34 1111"), add(1, 0, "red", 7), roll(2, 0, "25 1111"), add(2, 0, "red", 7)]
    refused(events, "event 3: 7 is not to the right of seat 0's last mark on the red track, 7")


def test_the_roller_marks_a_plain_and_a_coloured_die_on_that_colours_track() -> None:
    dice = "35 1246"
    turn = [roll(1, 0, dice)]
    for track, face in zip(COLOURS, (1, 2, 4, 6), strict=True):
        for plain in (3, 5):
            sheet = " ".join("1" if colour == track else "0" for colour in COLOURS)
            events = [*turn, pair(1, 0, track, plain + face, plain), *idle(2, 0), end("penalties")]
            accepted(events, [entry(0, -4, 1, 1.0, sheet, 1)], penalties_to_end=1)
            wrong = pair(1, 0, track, plain + face + 1, plain)
            adds = f"but {plain} and the {track} die add to {plain + face}"
            refused([*turn, wrong], f"event 1: seat 0 marks {plain + face + 1}, {adds}")
    refused([*turn, pair(1, 0, "red", 5, 4)], "event 1: no plain die shows 4: they show 3 and 5")
    refused([*turn, pair(1, 0, "red", 6, 3)], "event 1: seat 0 marks 6, but 3 and the red die add to 4")


def test_only_the_roller_marks_a_pair() -> None:
    events = [roll(1, 0, "35 1246"), pair(1, 1, "red", 4, 3)]
    refused(events, "event 1: seat 1 marks a pair, but seat 0 is the roller", seats=2)
    events = [roll(1, 0, "35 1246"), add(1, 0, "red", 8), pair(1, 1, "red", 4, 3)]
    refused(events, "event 2: seat 1 marks a pair, but seat 0 is the roller", seats=2)


def test_the_roller_marks_one_pair() -> None:
    second = pair(1, 0, "yellow", 5, 3)
    events = [roll(1, 0, "35 1246"), pair(1, 0, "red", 4, 3), second]
    refused(events, f"event 2: turn 2 begins with a roll, not with {second}")


def test_the_roller_may_pass_the_pair() -> None:
    events = [roll(1, 0, "35 1246"), add(1, 0, "red", 8), *idle(2, 0), end("penalties")]
    accepted(events, [entry(0, -4, 1, 1.0, "1 0 0 0", 1)], penalties_to_end=1)


def test_skipped_numbers_are_gone() -> None:
    marks = [roll(1, 0, "11 1111"), add(1, 0, "red", 2), roll(2, 0, "46 1111"), add(2, 0, "red", 10)]
    for number in range(3, 10):
        low = number // 2
        events = [*marks, roll(3, 0, f"{low}{number - low} 1111"), add(3, 0, "red", number)]
        refused(events, f"event 5: {number} is not to the right of seat 0's last mark on the red track, 10")
    accepted([*marks, *idle(3, 0), end("penalties")], [entry(0, -2, 1, 1.0, "2 0 0 0", 1)], penalties_to_end=1)


def test_the_last_number_needs_five_marks_first() -> None:
    four = [*RED_FIVE[:-1], roll(4, 0, "66 1111"), add(4, 0, "red", 12)]
    message = "12 closes the red track and needs 5 marks there first, seat 0 has 4"
    refused([*RED_FIVE[:-1], pair(3, 0, "red", 12, 6)], f"event 7: {message}")
    refused([*RED_FIVE[:-2], roll(3, 0, "66 1111"), add(3, 0, "red", 12)], f"event 7: {message}")
    refused([*RED_FIVE[:-1], pair(3, 0, "blue", 11, 6), *four[-2:]], f"event 9: {message}")
    accepted(
        [*RED_FIVE, roll(4, 0, "66 1111"), add(4, 0, "red", 12), close(4, "red", 0), end("tracks")],
        [entry(0, 28, 1, 1.0, "7 0 0 0", 0)],
        tracks_to_end=1,
    )


def test_the_last_number_of_green_and_blue_is_2() -> None:
    for track in ("green", "blue"):
        events = [roll(1, 0, "11 1111"), add(1, 0, track, 2)]
        refused(events, f"event 1: 2 closes the {track} track and needs 5 marks there first, seat 0 has 0")
        sheet = "0 0 2 0" if track == "green" else "0 0 0 2"
        events = [*events, close(1, track, 0), end("tracks")]
        accepted(events, [entry(0, 3, 1, 1.0, sheet, 0)], marks_to_close=0, tracks_to_end=1)


def test_marking_the_last_number_closes_the_track_and_adds_a_bonus_mark() -> None:
    missing = close(3, "red", 0)
    refused(RED_CLOSED[:-1], f"event 9: {missing} is missing")
    refused([*RED_CLOSED[:-1], *idle(4, 0)], f"event 9: {idle(4, 0)[0]} should be {missing}")
    accepted([*RED_CLOSED, *idle(4, 0, "12 -111"), end("penalties")], [RED_CLOSER], penalties_to_end=1)


def test_other_marks_close_nothing() -> None:
    events = [*RED_FIVE, close(3, "red", 0)]
    refused(events, f"event 8: turn 4 begins with a roll, not with {close(3, 'red', 0)}")


def test_a_closed_track_is_closed_for_everyone() -> None:
    trace = long_trace()
    trace["events"][event_at(trace, turn=7, type="mark", seat=1)]["track"] = "red"
    with pytest.raises(IllegalGameError, match=r"^event 21: the red track is closed$"):
        cross_off.referee(trace)
    started = [roll(1, 0, "11 2555"), add(1, 0, "red", 2), add(1, 1, "red", 2), close(1, "red", 0)]
    refused(started, f"event 3: turn 2 begins with a roll, not with {close(1, 'red', 0)}", seats=2)


def test_the_die_of_a_closed_track_leaves_the_game() -> None:
    events = [*RED_CLOSED, *idle(4, 0, "12 3111")]
    refused(events, "event 10: the red track is closed, its die has left the game")
    events = [*RED_CLOSED, *idle(4, 0, "12 -1-1")]
    refused(events, "event 10: the green track is open, its die is missing")
    events = [*RED_CLOSED, roll(4, 0, "12 -111"), pair(4, 0, "red", 7, 1)]
    refused(events, "event 11: the red track is closed")


def test_a_roller_who_marked_nothing_takes_a_penalty_of_5_points() -> None:
    accepted([*idle(1, 0), end("penalties")], [entry(0, -5, 1, 1.0, "0 0 0 0", 1)], penalties_to_end=1)
    due = penalty(1, 0)
    refused([roll(1, 0, "34 1111")], f"event 1: {due} is missing")
    refused([roll(1, 0, "34 1111"), *idle(2, 0)], f"event 1: {roll(2, 0, '11 2222')} should be {due}")
    refused([roll(1, 0, "34 1111"), add(1, 1, "red", 7), *idle(2, 1)], f"event 2: {idle(2, 1)[0]} should be {due}", 2)


@pytest.mark.parametrize("mark", [add(1, 0, "red", 7), pair(1, 0, "red", 4, 3)], ids=["sum", "pair"])
def test_a_mark_in_either_step_saves_the_roller_from_the_penalty(mark: Event) -> None:
    refused(
        [roll(1, 0, "34 1111"), mark, penalty(1, 0)],
        f"event 2: turn 2 begins with a roll, not with {penalty(1, 0)}",
    )
    outcome = [entry(0, -4, 1, 1.0, "1 0 0 0", 1)]
    accepted([roll(1, 0, "34 1111"), mark, *idle(2, 0), end("penalties")], outcome, penalties_to_end=1)


def test_other_players_never_take_a_penalty() -> None:
    marked = [roll(1, 0, "34 1111"), add(1, 0, "red", 7)]
    refused([*marked, penalty(1, 1)], f"event 2: turn 2 begins with a roll, not with {penalty(1, 1)}", 2)
    refused([*idle(1, 0)[:1], penalty(1, 1)], f"event 1: {penalty(1, 1)} should be {penalty(1, 0)}", 2)
    refused([*idle(1, 0), penalty(1, 1)], f"event 2: turn 2 begins with a roll, not with {penalty(1, 1)}", 2)
    outcome = [entry(0, 1, 1, 1.0, "1 0 0 0", 0), entry(1, -5, 2, 0.0, "0 0 0 0", 1)]
    accepted([*marked, *idle(2, 1), end("penalties")], outcome, penalties_to_end=1)


def test_the_highest_score_wins() -> None:
    assert cross_off.rank_seats([12, 40, -5, 39, 13]) == [(4, 0.0), (1, 1.0), (5, 0.0), (2, 0.0), (3, 0.0)]


def test_two_closed_tracks_end_the_game() -> None:
    trace = rulebook_trace()
    cross_off.referee(trace)
    for more in (idle(6, 1, "12 --11"), [pair(5, 0, "green", 12, 6)], [penalty(5, 0)]):
        trace["events"] = [*rulebook_trace()["events"][:-1], *more]
        with pytest.raises(IllegalGameError) as caught:
            cross_off.referee(trace)
        assert str(caught.value) == f"event 19: {more[0]} should be {end('tracks')}"
    one = [*RED_CLOSED, end("tracks")]
    refused(one, f"event 10: turn 4 begins with a roll, not with {end('tracks')}")


def test_a_fourth_penalty_ends_the_game() -> None:
    three = [event for turn in (1, 2, 3) for event in idle(turn, 0)]
    accepted([*three, *idle(4, 0), end("penalties")], [entry(0, -20, 1, 1.0, "0 0 0 0", 4)])
    refused([*three, end("penalties")], f"event 6: turn 4 begins with a roll, not with {end('penalties')}")
    refused([*three, *idle(4, 0), *idle(5, 0)], f"event 8: {idle(5, 0)[0]} should be {end('penalties')}")
    refused([*three, *idle(4, 0)], f"event 8: {end('penalties')} is missing")


def test_the_four_penalties_are_those_of_one_player() -> None:
    six = [event for turn in range(1, 7) for event in idle(turn, (turn - 1) % 2)]
    refused([*six, end("penalties")], f"event 12: turn 7 begins with a roll, not with {end('penalties')}", 2)
    outcome = [entry(0, -20, 2, 0.0, "0 0 0 0", 4), entry(1, -15, 1, 1.0, "0 0 0 0", 3)]
    accepted([*six, *idle(7, 0), end("penalties")], outcome)


def test_a_track_with_five_marks_that_then_closes_has_seven_and_scores_28() -> None:
    accepted([*RED_CLOSED, end("tracks")], [entry(0, 28, 1, 1.0, "7 0 0 0", 0)], tracks_to_end=1)
    for marks in ("6 0 0 0", "5 0 0 0", "7 1 0 0"):
        trace = trace_of([*RED_CLOSED, end("tracks")], [entry(0, 28, 1, 1.0, marks, 0)], tracks_to_end=1)
        with pytest.raises(IllegalGameError, match=r"^outcome of seat 0: marks is "):
            cross_off.referee(trace)


# The project's page of rules, where it says more than the rulebook


def test_one_seat_may_play_alone() -> None:
    accepted([*RED_CLOSED, *idle(4, 0, "66 -666"), end("penalties")], [RED_CLOSER], penalties_to_end=1)


def test_the_pair_step_comes_after_the_sum_step() -> None:
    late = add(1, 0, "blue", 7)
    events = [roll(1, 0, "34 1111"), pair(1, 0, "red", 4, 3), late]
    refused(events, f"event 2: turn 2 begins with a roll, not with {late}")
    late = add(1, 1, "blue", 7)
    events = [roll(1, 0, "34 1111"), add(1, 0, "red", 7), pair(1, 0, "yellow", 4, 3), late]
    refused(events, f"event 3: turn 2 begins with a roll, not with {late}", seats=2)


def test_the_pair_goes_to_the_right_of_the_sum_mark_of_the_same_turn() -> None:
    turn = [roll(1, 0, "34 4111"), add(1, 0, "red", 7)]
    same = pair(1, 0, "red", 7, 3)
    refused([*turn, same], "event 2: 7 is not to the right of seat 0's last mark on the red track, 7")
    events = [*turn, pair(1, 0, "red", 8, 4), *idle(2, 0), end("penalties")]
    accepted(events, [entry(0, -2, 1, 1.0, "2 0 0 0", 1)], penalties_to_end=1)


def test_the_sum_mark_can_be_the_fifth_that_the_pair_mark_needs() -> None:
    accepted([*RED_CLOSED, *idle(4, 0, "12 -111"), end("penalties")], [RED_CLOSER], penalties_to_end=1)
    without = [event for event in RED_CLOSED if event != add(3, 0, "red", 7)]
    refused(without, "event 7: 12 closes the red track and needs 5 marks there first, seat 0 has 4")


def test_two_equal_plain_dice_offer_one_pair_mark_on_a_track() -> None:
    state = cross_off.start(Rules(), 1)
    assert cross_off.legal_pair_marks(state, dice_of("33 1246")) == [
        Mark("red", 4, 3),
        Mark("yellow", 5, 3),
        Mark("green", 7, 3),
        Mark("blue", 9, 3),
    ]


def test_a_track_closed_in_the_sum_step_is_not_available_in_the_pair_step() -> None:
    events = [*RED_FIVE, roll(4, 0, "66 6111"), add(4, 0, "red", 12), close(4, "red", 0), pair(4, 0, "red", 12, 6)]
    refused(events, "event 11: the red track is closed")
    # Nor is it when somebody else has closed it: seat 1 closes red, seat 0 has the five marks but passed.
    trace = long_trace()
    start = event_at(trace, turn=5, type="mark", seat=0)
    trace["events"][start : start + 3] = [add(5, 1, "red", 12), close(5, "red", 1), pair(5, 0, "red", 7, 6)]
    with pytest.raises(IllegalGameError, match=r"^event 17: the red track is closed$"):
        cross_off.referee(trace)


def test_seats_that_mark_the_last_number_in_one_step_close_it_together_and_each_gets_the_bonus() -> None:
    assert [seat.marks["red"] for seat in cross_off.referee(long_trace())] == [7, 7]
    for closers in ([0], [1], [1, 0], [], [0, 0, 1]):
        trace = long_trace()
        trace["events"][event_at(trace, type="close")]["seats"] = closers
        with pytest.raises(IllegalGameError) as caught:
            cross_off.referee(trace)
        assert str(caught.value) == f"event 17: {close(5, 'red', *closers)} should be {close(5, 'red', 0, 1)}"


def test_a_seat_without_the_last_number_gets_no_bonus() -> None:
    trace = long_trace()
    index = event_at(trace, turn=5, type="mark", seat=1)
    del trace["events"][index]
    trace["events"][event_at(trace, type="close")]["seats"] = [0]
    trace["outcome"][1] = entry(1, 15 + 1 - 20, 2, 0.0, "5 0 0 1", 4)
    cross_off.referee(trace)


def test_closings_follow_the_last_mark_of_their_step() -> None:
    trace = rulebook_trace()
    trace["events"][16:18] = [close(5, "red", 0), add(5, 1, "yellow", 12)]
    with pytest.raises(IllegalGameError) as caught:
        cross_off.referee(trace)
    assert str(caught.value) == f"event 17: turn 6 begins with a roll, not with {add(5, 1, 'yellow', 12)}"


def test_closings_of_one_step_come_in_the_order_of_the_tracks() -> None:
    trace = rulebook_trace()
    trace["events"][17:19] = [close(5, "yellow", 1), close(5, "red", 0)]
    with pytest.raises(IllegalGameError) as caught:
        cross_off.referee(trace)
    assert str(caught.value) == f"event 17: {close(5, 'yellow', 1)} should be {close(5, 'red', 0)}"


def test_the_roller_is_penalised_by_choice_or_because_nothing_fits() -> None:
    marks = [roll(1, 0, "66 1111"), add(1, 0, "green", 12), roll(2, 0, "56 1111"), add(2, 0, "red", 11)]
    marks += [roll(3, 0, "56 1111"), add(3, 0, "yellow", 11), roll(4, 0, "12 1111"), pair(4, 0, "green", 3, 2)]
    marks += [roll(5, 0, "12 1111"), add(5, 0, "blue", 3)]
    state = cross_off.start(Rules(), 1)
    for event in marks:
        if event["type"] == "mark":
            cross_off.enter_marks(state, [(0, Mark(event["track"], event["number"]))])
    dice = dice_of("34 1111")
    assert cross_off.legal_sum_marks(state, 0, dice) == cross_off.legal_pair_marks(state, dice) == []
    outcome = [entry(0, 1 + 1 + 3 + 1 - 5, 1, 1.0, "1 1 2 1", 1)]
    accepted([*marks, *idle(6, 0, "34 1111"), end("penalties")], outcome, penalties_to_end=1)
    assert cross_off.legal_pair_marks(cross_off.start(Rules(), 1), dice) != []
    accepted([*idle(1, 0, "34 1111"), end("penalties")], [entry(0, -5, 1, 1.0, "0 0 0 0", 1)], penalties_to_end=1)


def test_a_third_track_may_close_in_the_sum_step_that_ends_the_game() -> None:
    events = [
        roll(1, 0, "11 1111"),
        add(1, 0, "green", 2),
        close(1, "green", 0),
        roll(2, 1, "66 11-1"),
        add(2, 0, "red", 12),
        add(2, 1, "yellow", 12),
        close(2, "red", 0),
        close(2, "yellow", 1),
        end("tracks"),
    ]
    outcome = [entry(0, 6, 1, 1.0, "2 0 2 0", 0), entry(1, 3, 2, 0.0, "0 2 0 0", 0)]
    accepted(events, outcome, marks_to_close=0)
    accepted(events, outcome, marks_to_close=0, tracks_to_end=3)
    accepted(events, outcome, marks_to_close=0, finish_turn=True)
    message = f"event 7: {end('tracks')} should be {close(2, 'yellow', 1)}"
    refused([*events[:7], end("tracks")], message, 2, marks_to_close=0)


def ending_in_the_sum_step(events: Sequence[Event]) -> list[Event]:
    """Seat 1 closes green with its first mark, and red while seat 0 rolls; these events come before the end."""
    return [
        roll(1, 0, "11 1111"),
        add(1, 1, "green", 2),
        close(1, "green", 1),
        pair(1, 0, "red", 2, 1),
        *idle(2, 1, "12 11-1"),
        roll(3, 0, "66 66-6"),
        add(3, 1, "red", 12),
        close(3, "red", 1),
        *events,
        end("tracks"),
    ]


def test_a_sum_step_that_ends_the_game_has_no_pair_step_and_no_penalty() -> None:
    options = {"marks_to_close": 0}
    outcome = [entry(0, 1, 1, 0.5, "1 0 0 0", 0), entry(1, 3 + 3 - 5, 1, 0.5, "2 0 2 0", 1)]
    accepted(ending_in_the_sum_step([]), outcome, **options)
    for more in (pair(3, 0, "yellow", 12, 6), pair(3, 0, "blue", 12, 6), penalty(3, 0)):
        message = f"event 9: {more} should be {end('tracks')}"
        refused(ending_in_the_sum_step([more]), message, 2, **options)


@pytest.mark.parametrize("flag", [True, 1])
def test_finish_turn_leaves_the_roller_the_pair_step(flag: object) -> None:
    options = {"marks_to_close": 0, "finish_turn": flag}
    outcome = [entry(0, 1 + 1, 1, 1.0, "1 0 0 1", 0), entry(1, 1, 2, 0.0, "2 0 2 0", 1)]
    accepted(ending_in_the_sum_step([pair(3, 0, "blue", 12, 6)]), outcome, **options)
    refused(ending_in_the_sum_step([pair(3, 0, "red", 12, 6)]), "event 9: the red track is closed", 2, **options)
    message = "event 9: seat 1 marks a pair, but seat 0 is the roller"
    refused(ending_in_the_sum_step([pair(3, 1, "blue", 12, 6)]), message, 2, **options)


def test_finish_turn_lets_the_roller_close_a_further_track() -> None:
    options = {"marks_to_close": 0, "finish_turn": True}
    last = [pair(3, 0, "yellow", 12, 6), close(3, "yellow", 0)]
    outcome = [entry(0, 1 + 3, 1, 1.0, "1 2 0 0", 0), entry(1, 1, 2, 0.0, "2 0 2 0", 1)]
    accepted(ending_in_the_sum_step(last), outcome, **options)
    refused(ending_in_the_sum_step(last[:1]), f"event 10: {end('tracks')} should be {last[1]}", 2, **options)


def test_finish_turn_lets_the_roller_be_penalised() -> None:
    options = {"marks_to_close": 0, "finish_turn": True}
    outcome = [entry(0, 1 - 5, 2, 0.0, "1 0 0 0", 1), entry(1, 1, 1, 1.0, "2 0 2 0", 1)]
    accepted(ending_in_the_sum_step([penalty(3, 0)]), outcome, **options)
    refused(ending_in_the_sum_step([]), f"event 9: {end('tracks')} should be {penalty(3, 0)}", 2, **options)


def test_finish_turn_does_not_begin_another_turn() -> None:
    options = {"marks_to_close": 0, "finish_turn": True}
    more = idle(4, 1, "11 -1-1")
    message = f"event 10: {more[0]} should be {end('tracks')}"
    refused(ending_in_the_sum_step([pair(3, 0, "blue", 12, 6), *more]), message, 2, **options)


def test_the_reason_is_tracks_even_when_the_last_penalty_falls_in_the_same_turn() -> None:
    # Seat 0 passes everything; seat 1 closes green in turn 1 and red in turn 7, in which seat 0 is due its fourth.
    events = [roll(1, 0, "11 1111"), add(1, 1, "green", 2), close(1, "green", 1), penalty(1, 0)]
    for turn in (2, 4, 6):
        events += [*idle(turn, 1, "12 11-1"), *(idle(turn + 1, 0, "12 11-1") if turn < 6 else [])]
    events += [roll(7, 0, "66 66-6"), add(7, 1, "red", 12), close(7, "red", 1)]
    caught = [entry(0, -20, 2, 0.0, "0 0 0 0", 4), entry(1, 6 - 15, 1, 1.0, "2 0 2 0", 3)]
    spared = [entry(0, -15, 2, 0.0, "0 0 0 0", 3), entry(1, 6 - 15, 1, 1.0, "2 0 2 0", 3)]
    accepted([*events, penalty(7, 0), end("tracks")], caught, marks_to_close=0, finish_turn=True)
    accepted([*events, end("tracks")], spared, marks_to_close=0)
    at = len(events)
    wrong = [*events, penalty(7, 0), end("penalties")]
    message = f"event {at + 1}: {end('penalties')} should be {end('tracks')}"
    refused(wrong, message, 2, marks_to_close=0, finish_turn=True)
    refused(
        [*events, end("penalties")], f"event {at}: {end('penalties')} should be {end('tracks')}", 2, marks_to_close=0
    )


def test_finish_turn_changes_nothing_when_a_pair_closes_the_last_track() -> None:
    events = [*RED_CLOSED, end("tracks")]
    for flag in (False, True, 0, 1):
        accepted(events, [entry(0, 28, 1, 1.0, "7 0 0 0", 0)], tracks_to_end=1, finish_turn=flag)


def test_finish_turn_without_any_open_track_still_penalises_the_roller() -> None:
    # Seat 1 closes green and seat 2 blue in turn 1; in turn 2 seat 0 closes red and seat 2 yellow, seat 1 rolls.
    options = {"marks_to_close": 0, "tracks_to_end": 4, "finish_turn": True}
    events = [
        roll(1, 0, "11 1111"),
        add(1, 1, "green", 2),
        add(1, 2, "blue", 2),
        close(1, "green", 1),
        close(1, "blue", 2),
        pair(1, 0, "red", 2, 1),
        roll(2, 1, "66 66--"),
        add(2, 0, "red", 12),
        add(2, 2, "yellow", 12),
        close(2, "red", 0),
        close(2, "yellow", 2),
    ]
    outcome = [entry(0, 6, 1, 0.5, "3 0 0 0", 0), entry(1, 3 - 5, 3, 0.0, "0 0 2 0", 1)]
    outcome.append(entry(2, 6, 1, 0.5, "0 2 0 2", 0))
    accepted([*events, penalty(2, 1), end("tracks")], outcome, **options)
    for track in COLOURS:
        message = f"event 11: the {track} track is closed"
        refused([*events, pair(2, 1, track, 7, 6)], message, 3, **options)


@given(st.data())
def test_whoever_marks_a_track_that_is_closed_in_the_same_sum_step_closes_it_too(data: st.DataObject) -> None:
    """The sum is one number, so that the seats which mark one track mark it with one number."""
    state = data.draw(tables(seats=2))
    dice = data.draw(rolls(state))
    first, second = (cross_off.legal_sum_marks(state, seat, dice) for seat in (0, 1))
    for mine, theirs in itertools.product(first, second):
        assert (mine.track == theirs.track) <= (mine.number == theirs.number)


@given(st.data())
def test_at_most_two_tracks_close_in_one_step(data: st.DataObject) -> None:
    """A sum closes red and yellow, or green and blue: a third can close only where one was closed before."""
    state = data.draw(tables(seats=3))
    dice = data.draw(rolls(state))
    marks = []
    for seat in range(3):
        options = cross_off.legal_sum_marks(state, seat, dice)
        last = [mark for mark in options if mark.number == NUMBERS[mark.track][-1]]
        if last:
            marks.append((seat, data.draw(st.sampled_from(last))))
    closed = [track for track, _ in cross_off.enter_marks(state, marks)]
    assert closed in ([], ["red"], ["yellow"], ["green"], ["blue"], ["red", "yellow"], ["green", "blue"])


def test_the_default_points_are_triangular_numbers() -> None:
    assert Rules().mark_points == tuple([marks * (marks + 1) // 2 for marks in range(13)])
    assert cross_off.rules_of(DEFAULTS) == Rules()


def test_each_penalty_takes_5_points() -> None:
    sheet = dict.fromkeys(COLOURS, 0)
    assert [cross_off.score_seat(Rules(), sheet, taken) for taken in range(5)] == [0, -5, -10, -15, -20]


def test_option_mark_points() -> None:
    points: list[float] = [0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0, 0, 0]
    accepted([*RED_CLOSED, end("tracks")], [entry(0, 100, 1, 1.0, "7 0 0 0", 0)], tracks_to_end=1, mark_points=points)
    points = [0.25, 1, 3, 6, 10, 15, 21, 28.5, 36, 45, 55, 66, 78]
    outcome = [entry(0, 29.25, 1, 1.0, "7 0 0 0", 0)]
    accepted([*RED_CLOSED, end("tracks")], outcome, tracks_to_end=1, mark_points=points)


def test_points_that_are_not_whole_tie_whatever_the_order_of_the_colours() -> None:
    rules = Rules(mark_points=tuple([0.1 * marks for marks in range(13)]), penalty_points=0.3)
    scores = {
        cross_off.score_seat(rules, dict(zip(COLOURS, marks, strict=True)), 2)
        for marks in itertools.permutations((1, 3, 6, 7))
    }
    assert len(scores) == 1
    assert scores.pop() == pytest.approx(1.7 - 0.6)


@pytest.mark.parametrize("needed", range(11))
def test_option_marks_to_close(needed: int) -> None:
    """Red is filled from the left by sums until its last number is legal; one mark fewer is not enough."""
    events: list[Event] = []
    for turn, number in enumerate(range(2, 2 + needed), start=1):
        low = max(1, number - 6)
        events += [roll(turn, 0, f"{low}{number - low} 1111"), add(turn, 0, "red", number)]
    last = [roll(needed + 1, 0, "66 1111"), add(needed + 1, 0, "red", 12)]
    ending = [close(needed + 1, "red", 0), end("tracks")]
    marks = needed + 2
    outcome = [entry(0, marks * (marks + 1) // 2, 1, 1.0, f"{marks} 0 0 0", 0)]
    accepted([*events, *last, *ending], outcome, tracks_to_end=1, marks_to_close=needed)
    if needed < 10:
        message = f"12 closes the red track and needs {needed + 1} marks there first, seat 0 has {needed}"
        refused([*events, *last], f"event {2 * needed + 1}: {message}", marks_to_close=needed + 1)


def test_option_penalty_points() -> None:
    four = [event for turn in range(1, 5) for event in idle(turn, 0)]
    for points, score in ((7, -28), (0, 0), (2.5, -10), (-1, 4)):
        outcome = [entry(0, score, 1, 1.0, "0 0 0 0", 4)]
        accepted([*four, end("penalties")], outcome, penalty_points=points)


@pytest.mark.parametrize("most", range(1, 9))
def test_option_penalties_to_end(most: int) -> None:
    events = [event for turn in range(1, most + 1) for event in idle(turn, 0)]
    outcome = [entry(0, -5 * most, 1, 1.0, "0 0 0 0", most)]
    accepted([*events, end("penalties")], outcome, penalties_to_end=most)
    if most > 1:
        early = [*events[:-2], end("penalties")]
        message = f"event {2 * most - 2}: turn {most} begins with a roll, not with {end('penalties')}"
        refused(early, message, penalties_to_end=most)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_option_tracks_to_end(most: int) -> None:
    events: list[Event] = []
    closed: list[str] = []
    for turn, track in enumerate(("red", "green", "yellow", "blue")[:most], start=1):
        coloured = "".join("-" if colour in closed else "1" for colour in COLOURS)
        number = NUMBERS[track][-1]
        plain = "66" if number == 12 else "11"
        events += [roll(turn, 0, f"{plain} {coloured}"), add(turn, 0, track, number), close(turn, track, 0)]
        closed.append(track)
    sheet = " ".join("2" if colour in closed else "0" for colour in COLOURS)
    outcome = [entry(0, 3 * most, 1, 1.0, sheet, 0)]
    accepted([*events, end("tracks")], outcome, tracks_to_end=most, marks_to_close=0)
    if most > 1:
        early = [*events[:-3], end("tracks")]
        message = f"event {3 * most - 3}: turn {most} begins with a roll, not with {end('tracks')}"
        refused(early, message, tracks_to_end=most, marks_to_close=0)


@pytest.mark.parametrize("track", COLOURS)
def test_no_track_can_have_more_than_twelve_marks(track: str) -> None:
    state = cross_off.start(Rules(marks_to_close=10), 1)
    for number in NUMBERS[track]:
        assert cross_off.refusal(state, 0, track, number) is None
        cross_off.enter_marks(state, [(0, Mark(track, number))])
    assert cross_off.outcome_of(state)[0].score == 78
    assert cross_off.count_marks(state, 0) == {colour: 12 if colour == track else 0 for colour in COLOURS}


def test_ties_are_shared() -> None:
    assert cross_off.rank_seats([7, 9, 9, 7, 9]) == [(4, 0.0), (1, 1 / 3), (1, 1 / 3), (4, 0.0), (1, 1 / 3)]
    assert cross_off.rank_seats([-5]) == [(1, 1.0)]
    trace = rulebook_trace()
    trace["outcome"][0]["win"] = 1.0
    with pytest.raises(IllegalGameError, match=r"^outcome of seat 0: win is 1.0, should be 0.5$"):
        cross_off.referee(trace)


# Enumerating marks


def test_legal_marks_on_an_empty_sheet() -> None:
    """Counted by hand: a sum of 2 or 12 fits the two tracks that begin with it, every other sum all four.

    Of the 66 · 6 ways to add a plain value to one die, 11 (a plain six and a six) are the last number.
    """
    state = cross_off.start(Rules(), 1)
    pairs = {colour: 0 for colour in COLOURS}
    for first, second, face in itertools.product(range(1, 7), repeat=3):
        dice = dice_of(f"{first}{second} {face}{face}{face}{face}")
        tracks = [mark.track for mark in cross_off.legal_sum_marks(state, 0, dice)]
        assert tracks == {2: ["red", "yellow"], 12: ["green", "blue"]}.get(first + second, list(COLOURS))
        for mark in cross_off.legal_pair_marks(state, dice):
            assert mark.plain in (first, second)
            assert mark.number == (mark.plain or 0) + face
            pairs[mark.track] += 1
    assert set(pairs.values()) == {66 * 6 - 11}


def test_legal_marks_come_in_the_order_of_the_tracks_and_from_left_to_right() -> None:
    state = cross_off.start(Rules(), 2)
    assert cross_off.legal_sum_marks(state, 1, dice_of("26 1536")) == [Mark(colour, 8) for colour in COLOURS]
    assert cross_off.legal_pair_marks(state, dice_of("26 1536")) == [
        Mark("red", 3, 2),
        Mark("red", 7, 6),
        Mark("yellow", 7, 2),
        Mark("yellow", 11, 6),
        Mark("green", 9, 6),
        Mark("green", 5, 2),
        Mark("blue", 12, 6),
        Mark("blue", 8, 2),
    ]


def test_pairs_are_judged_by_the_sheet_of_the_roller() -> None:
    state = cross_off.start(Rules(), 2)
    cross_off.enter_marks(state, [(0, Mark("red", 9))])
    dice = dice_of("34 1111")
    assert [mark.track for mark in cross_off.legal_sum_marks(state, 0, dice)] == ["yellow", "green", "blue"]
    assert [mark.track for mark in cross_off.legal_sum_marks(state, 1, dice)] == list(COLOURS)
    assert "red" not in [mark.track for mark in cross_off.legal_pair_marks(state, dice)]
    state.turn = 2
    assert "red" in [mark.track for mark in cross_off.legal_pair_marks(state, dice)]


@st.composite
def tables(draw: st.DrawFn, seats: int) -> State:
    """Sheets as they can be after some turns; who closed a track has marked its last number."""
    state = cross_off.start(Rules(marks_to_close=draw(st.integers(0, 3))), seats)
    state.turn = draw(st.integers(1, 10))
    for seat, colour in itertools.product(range(seats), COLOURS):
        marked = draw(st.lists(st.sampled_from(NUMBERS[colour][:-1]), unique=True, max_size=5))
        state.sheets[seat][colour] = sorted(marked, key=NUMBERS[colour].index)
    for colour in draw(st.lists(st.sampled_from(COLOURS), unique=True, max_size=1)):
        state.closed[colour] = [0]
        state.sheets[0][colour].append(NUMBERS[colour][-1])
    return state


@st.composite
def rolls(draw: st.DrawFn, state: State) -> Dice:
    face = st.integers(1, 6)
    high_or_low = st.sampled_from([[6, 6], [1, 1]])
    plain = draw(st.one_of(st.lists(face, min_size=2, max_size=2), high_or_low))
    return {"plain": plain, **{colour: None if colour in state.closed else draw(face) for colour in COLOURS}}


@given(st.data())
def test_legal_marks_are_what_the_rules_say(data: st.DataObject) -> None:
    """Said once more, with positions from the left instead of numbers."""
    state = data.draw(tables(seats=2))
    dice = data.draw(rolls(state))

    def is_legal(seat: int, colour: str, number: int) -> bool:
        position = number - 2 if colour in ("red", "yellow") else 12 - number
        taken = [value - 2 if colour in ("red", "yellow") else 12 - value for value in state.sheets[seat][colour]]
        last = max(taken, default=-1)
        enough = position < 10 or len(state.sheets[seat][colour]) >= state.rules.marks_to_close
        return colour not in state.closed and position > last and enough

    total = sum(dice["plain"])
    for seat in (0, 1):
        wanted = {(colour, total, None) for colour in COLOURS if is_legal(seat, colour, total)}
        found = cross_off.legal_sum_marks(state, seat, dice)
        assert set(found) == wanted
        assert len(found) == len(wanted)
    pairs = {
        (colour, plain + dice[colour], plain)
        for colour in COLOURS
        for plain in dice["plain"]
        if dice[colour] is not None and is_legal(state.roller, colour, plain + dice[colour])
    }
    found = cross_off.legal_pair_marks(state, dice)
    assert set(found) == pairs
    assert len(found) == len(pairs)


# Exact values


def copied(state: State) -> State:
    sheets = [{colour: list(numbers) for colour, numbers in sheet.items()} for sheet in state.sheets]
    return State(state.rules, sheets, list(state.penalties), dict(state.closed), state.turn)


def solitaire_rolls(state: State) -> Iterator[tuple[int, Dice]]:
    """Every roll of the lone seat that matters, with its weight: the dice of tracks that are finished show 1."""
    live = [
        colour
        for colour in COLOURS
        if any(cross_off.refusal(state, 0, colour, number) is None for number in NUMBERS[colour])
    ]
    for first, second in itertools.combinations_with_replacement(range(1, 7), 2):
        for faces in itertools.product(range(1, 7), repeat=len(live)):
            dice: dict[str, Any] = {colour: None if colour in state.closed else 1 for colour in COLOURS}
            yield 1 if first == second else 2, {**dice, "plain": [first, second], **dict(zip(live, faces, strict=True))}


def optimal_score(state: State, known: dict[str, Fraction]) -> Fraction:
    """Expected final score of the lone seat that always chooses best, by going through everything that can happen."""
    name = repr((state.sheets, state.penalties, sorted(state.closed)))
    if name not in known:
        total, weights = Fraction(0), 0
        for weight, dice in solitaire_rolls(state):
            total += weight * max(optimal_score_after(after, known) for after in turns_with(state, dice))
            weights += weight
        known[name] = total / weights
    return known[name]


def optimal_score_after(state: State, known: dict[str, Fraction]) -> Fraction:
    if cross_off.ends_by_tracks(state) or cross_off.ends_by_penalties(state):
        return Fraction(cross_off.outcome_of(state)[0].score)
    return optimal_score(state, known)


def turns_with(state: State, dice: Dice) -> Iterator[State]:
    """Every table that the lone seat can leave behind after this roll."""
    for sum_mark in [None, *cross_off.legal_sum_marks(state, 0, dice)]:
        middle = copied(state)
        if sum_mark is not None:
            cross_off.enter_marks(middle, [(0, sum_mark)])
            if cross_off.ends_by_tracks(middle) and not state.rules.finish_turn:
                yield middle
                continue
        for pair_mark in [None, *cross_off.legal_pair_marks(middle, dice)]:
            after = copied(middle)
            if pair_mark is not None:
                cross_off.enter_marks(after, [(0, pair_mark)])
            if sum_mark is None and pair_mark is None:
                after.penalties[0] += 1
            yield after


def late_table(rules: Rules, marks: Sequence[int], penalties: int) -> State:
    """One seat whose last mark on every track is the last but one number, with so many marks there."""
    state = cross_off.start(rules, 1)
    for colour, count in zip(COLOURS, marks, strict=True):
        state.sheets[0][colour] = [*NUMBERS[colour][: count - 1], NUMBERS[colour][9]]
    state.penalties = [penalties]
    return state


def test_the_optimal_score_when_nothing_can_be_marked_any_more() -> None:
    assert optimal_score(late_table(Rules(), (1, 1, 1, 1), 0), {}) == 4 - 20


def test_the_optimal_score_when_one_number_is_left() -> None:
    """Red closes with two plain sixes or a red and a plain one: 2 in 27. Closing adds 13 points and another turn."""
    remaining = 13 + Fraction(13 * 2, 27)
    assert optimal_score(late_table(Rules(), (5, 1, 1, 1), 3), {}) == remaining - 3 * 5


@pytest.mark.parametrize(
    ("finish_turn", "remaining"),
    [(False, 58.839590518), pytest.param(True, 58.862005595, marks=pytest.mark.slow)],
)
def test_the_optimal_score_when_only_closing_is_left(finish_turn: bool, remaining: float) -> None:
    """Against the exact solution, computed elsewhere by another method."""
    state = late_table(Rules(finish_turn=finish_turn), (5, 5, 5, 5), 3)
    assert float(optimal_score(state, {})) == pytest.approx(remaining - 3 * 5, abs=1e-9)


# Playing

# What the uniformly random player makes of the game, measured over many more deals with compiled code: mean scores by
# seat, and turns, each rounded to two decimals.
PUBLISHED = [(1, (-0.24,), 11.16), (2, (4.19, 4.66), 16.42)]


def check_the_uniform_player(seats: int, scores: Sequence[float], turns: float, games: int) -> None:
    chance = random.Random(seats)
    played = [cross_off.play(Rules(), seats, chance, cross_off.uniform).state for _ in range(games)]
    outcomes = [cross_off.outcome_of(state) for state in played]
    samples = [([outcome[seat].score for outcome in outcomes], scores[seat]) for seat in range(seats)]
    both = [statistics.mean(seat.score for seat in outcome) for outcome in outcomes]
    samples += [(both, statistics.mean(scores)), ([float(state.turn) for state in played], turns)]
    for sample, wanted in samples:
        error = statistics.stdev(sample) / math.sqrt(games)
        assert abs(statistics.mean(sample) - wanted) < 5 * error + 0.005


@pytest.mark.parametrize(("seats", "scores", "turns"), PUBLISHED)
def test_the_uniform_player(seats: int, scores: Sequence[float], turns: float) -> None:
    check_the_uniform_player(seats, scores, turns, games=3000 // seats)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "scores", "turns"), PUBLISHED)
def test_the_uniform_player_longer(seats: int, scores: Sequence[float], turns: float) -> None:
    check_the_uniform_player(seats, scores, turns, games=40_000)


def test_uniform_passes_as_often_as_it_makes_any_one_mark() -> None:
    state = cross_off.start(Rules(), 1)
    dice = dice_of("34 1111")
    options = cross_off.legal_sum_marks(state, 0, dice)
    chance = random.Random(1)
    counts = {choice: 0 for choice in [None, *options]}
    for _ in range(5000):
        counts[cross_off.uniform(state, 0, dice, options, chance)] += 1
    deviation = math.sqrt(5000 * 0.2 * 0.8)
    assert all(abs(count - 1000) < 5 * deviation for count in counts.values())


def always_pass(state: State, seat: int, dice: Dice, options: list[Mark], chance: random.Random) -> Mark | None:
    return None


def eager(state: State, seat: int, dice: Dice, options: list[Mark], chance: random.Random) -> Mark | None:
    """Usually make the mark that skips least, unless it skips many: tracks fill up and close."""
    if chance.random() < 0.2:
        return cross_off.uniform(state, seat, dice, options, chance)

    def skipped(mark: Mark) -> int:
        numbers = NUMBERS[mark.track]
        marked = state.sheets[seat][mark.track]
        return numbers.index(mark.number) - (numbers.index(marked[-1]) + 1 if marked else 0)

    best = min(options, key=skipped)
    return best if skipped(best) <= 3 else None


@pytest.mark.parametrize("seats", [1, 2, 5])
@pytest.mark.parametrize("most", [1, 4, 8])
def test_a_game_in_which_everybody_passes_ends_by_penalties(seats: int, most: int) -> None:
    game = cross_off.play(Rules(penalties_to_end=most, tracks_to_end=4), seats, random.Random(1), always_pass)
    assert [event["type"] for event in game.events] == ["roll", "penalty"] * game.state.turn + ["end"]
    assert game.state.turn == seats * (most - 1) + 1
    assert game.state.penalties == [most] + [most - 1] * (seats - 1)
    cross_off.referee(trace_from(game))


def test_a_game_in_which_only_the_rollers_pass_ends() -> None:
    def other(state: State, seat: int, dice: Dice, options: list[Mark], chance: random.Random) -> Mark | None:
        return None if seat == state.roller else chance.choice(options)

    game = cross_off.play(Rules(), 3, random.Random(1), other)
    assert game.events[-1] == end("penalties")
    assert game.state.turn == 10


def test_play_refuses_a_mark_that_is_no_option() -> None:
    def cheat(state: State, seat: int, dice: Dice, options: list[Mark], chance: random.Random) -> Mark | None:
        return Mark("red", 12) if state.turn == 1 else None

    with pytest.raises(IllegalGameError, match=r"^turn 1: seat 0 chose Mark\(track='red', number=12, plain=None\), "):
        cross_off.play(Rules(), 2, random.Random(1), cheat)


def test_the_sum_step_is_chosen_before_anything_is_entered() -> None:
    seen: list[tuple[int, bool, list[int]]] = []

    def watch(state: State, seat: int, dice: Dice, options: list[Mark], chance: random.Random) -> Mark | None:
        seen.append((seat, options[0].plain is None, [len(sheet["red"]) for sheet in state.sheets]))
        return options[0]

    cross_off.play(Rules(), 3, random.Random(2), watch)
    assert seen[:3] == [(seat, True, [0, 0, 0]) for seat in range(3)]
    assert seen[3] == (0, False, [1, 1, 1])


def trace_from(game: Game) -> Trace:
    rules = game.state.rules
    outcome = [seat._asdict() for seat in cross_off.outcome_of(game.state)]
    options = {**vars(rules), "mark_points": list(rules.mark_points)}
    return trace_of(game.events, outcome, **options)


RULES = st.builds(
    Rules,
    mark_points=st.one_of(
        st.just(Rules().mark_points),
        st.lists(st.one_of(st.integers(-5, 100), st.floats(-5, 100)), min_size=13, max_size=13).map(tuple),
    ),
    marks_to_close=st.integers(0, 10),
    penalty_points=st.one_of(st.just(5), st.integers(-1, 9), st.floats(-1, 9)),
    penalties_to_end=st.integers(1, 8),
    tracks_to_end=st.integers(1, 4),
    finish_turn=st.booleans(),
)


@st.composite
def games(draw: st.DrawFn, rules: st.SearchStrategy[Rules] = RULES, most_seats: int = 5) -> Game:
    chooser = draw(st.sampled_from([eager, eager, cross_off.uniform]))
    chance = random.Random(draw(st.integers(0, 2**32)))
    return cross_off.play(draw(rules), draw(st.integers(1, most_seats)), chance, chooser)


QUICK_RULES = st.builds(
    Rules,
    marks_to_close=st.integers(0, 5),
    penalties_to_end=st.integers(1, 4),
    tracks_to_end=st.integers(1, 4),
    finish_turn=st.booleans(),
)


@settings(deadline=None)
@given(games())
def test_referee_accepts_what_play_makes(game: Game) -> None:
    assert cross_off.referee(trace_from(game)) == cross_off.outcome_of(game.state)


@settings(deadline=None)
@given(games(QUICK_RULES))
def test_what_holds_at_the_end_of_every_game(game: Game) -> None:
    events, state, rules = game.events, game.state, game.state.rules
    seats = len(state.sheets)
    for seat, sheet in enumerate(state.sheets):
        for colour, marked in sheet.items():
            positions = [NUMBERS[colour].index(number) for number in marked]
            assert positions == sorted(set(positions))
            has_closed = seat in state.closed.get(colour, [])
            assert has_closed == (10 in positions)
            assert not has_closed or len(marked) > rules.marks_to_close
    assert all(len(closers) >= 1 for closers in state.closed.values())

    reason = events[-1]["reason"]
    assert (reason == "tracks") == (len(state.closed) >= rules.tracks_to_end)
    assert max(state.penalties) <= rules.penalties_to_end
    if reason == "penalties":
        assert [seat for seat in range(seats) if state.penalties[seat] == rules.penalties_to_end] == [state.roller]
    # A roller pays for a turn with a penalty or with a space on a track.
    assert state.turn <= seats * (rules.penalties_to_end + 44)

    outcome = cross_off.outcome_of(state)
    assert all(-5 * rules.penalties_to_end <= seat.score <= 4 * 78 for seat in outcome)
    assert all(0 <= count <= 12 for seat in outcome for count in seat.marks.values())
    assert sum(seat.win for seat in outcome) == pytest.approx(1)
    assert all((seat.win > 0) == (seat.rank == 1) for seat in outcome)
    best = max(seat.score for seat in outcome)
    assert all((seat.rank == 1) == (seat.score == best) for seat in outcome)

    marks = [event for event in events if event["type"] == "mark"]
    assert sum(map(sum, (map(len, sheet.values()) for sheet in state.sheets))) == len(marks)
    for event in events:
        if event["type"] == "roll":
            assert event["roller"] == (event["turn"] - 1) % seats


def test_the_games_of_these_tests_reach_every_kind_of_ending() -> None:
    """Properties say nothing about what never happens."""
    reached: set[object] = set()
    for seed in range(250):
        rules = Rules(marks_to_close=seed % 5, penalties_to_end=1 + seed % 4, finish_turn=seed % 2 == 0)
        game = cross_off.play(rules, 2 + seed % 3, random.Random(seed), eager)
        kinds = [event["type"] for event in game.events]
        reached.add((kinds[-2], game.events[-1]["reason"], rules.finish_turn))
        reached.add((len(game.state.closed), rules.finish_turn))
        reached |= {len(event["seats"]) > 1 for event in game.events if event["type"] == "close"}
        ended_twice = game.events[-1]["reason"] == "tracks" and cross_off.ends_by_penalties(game.state)
        reached |= {"both ends at once"} if ended_twice else set()
    assert reached >= {
        ("close", "tracks", False),
        ("close", "tracks", True),
        ("penalty", "penalties", False),
        ("penalty", "penalties", True),
        ("penalty", "tracks", True),
        (2, False),
        (2, True),
        (3, False),
        (3, True),
        True,
        False,
        "both ends at once",
    }
    assert ("penalty", "tracks", False) not in reached


# Traces that are wrong


def is_refused(trace: Trace) -> bool:
    try:
        cross_off.referee(trace)
    except IllegalGameError:
        return True
    return False


OTHER_VALUES: dict[str, list[object]] = {
    "type": ["roll", "mark", "close", "penalty", "end", "pass", 1, None],
    "turn": [*range(15), -1, 1.0, True, None],
    "roller": [0, 1, 2, -1, False, None],
    "seat": [0, 1, 2, -1, False, None],
    "seats": [[], [0], [1], [0, 1], [1, 0], [0, 0], [0, 1, 1], 0, None, [False, 1], [0, 1.0]],
    "step": ["sum", "pair", "both", None],
    "track": [*COLOURS, "white", None, 0],
    "number": [*range(14), 7.0, None],
    "plain": [*range(8), 3.0, None, *([first, second] for first in range(8) for second in range(8)), [3], []],
    "reason": ["tracks", "penalties", "full", None],
    **{colour: [*range(8), None, 1.0, True, "1"] for colour in COLOURS},
}


def same_json(first: object, second: object) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def turn_survives(trace: Trace, rolled: Event) -> bool:
    """Whether the marks of a turn fit another roll of it: all that a trace can tell about the dice."""
    marks = [event for event in trace["events"] if event["type"] == "mark" and event["turn"] == rolled["turn"]]
    original = trace["events"][event_at(trace, type="roll", turn=rolled["turn"])]
    for colour in COLOURS:
        if (original[colour] is None) != (rolled[colour] is None):
            return False
        if rolled[colour] is not None and not (type(rolled[colour]) is int and 1 <= rolled[colour] <= 6):
            return False
    plain = rolled["plain"]
    if not (
        isinstance(plain, list) and len(plain) == 2 and all(type(face) is int and 1 <= face <= 6 for face in plain)
    ):
        return False
    return all(
        mark["number"] == sum(plain)
        if mark["step"] == "sum"
        else mark["plain"] in plain and mark["number"] == mark["plain"] + rolled[mark["track"]]
        for mark in marks
    )


def test_every_other_value_in_an_event_is_refused_but_dice_that_nobody_used() -> None:
    trace = long_trace()
    allowed = 0
    for index, event in enumerate(trace["events"]):
        for key, value in event.items():
            for other in OTHER_VALUES[key]:
                if same_json(other, value):
                    continue
                trace["events"][index] = {**event, key: other}
                is_fine = event["type"] == "roll" and key in ("plain", *COLOURS)
                is_fine = is_fine and turn_survives(long_trace(), trace["events"][index])
                assert is_refused(trace) != is_fine, trace["events"][index]
                allowed += is_fine
        trace["events"][index] = event
    assert allowed > 100


def test_every_event_that_is_dropped_is_missed() -> None:
    for whole in (long_trace(), rulebook_trace()):
        for index in range(len(whole["events"])):
            trace = copy.deepcopy(whole)
            del trace["events"][index]
            assert is_refused(trace), whole["events"][index]


def test_every_event_that_is_put_in_is_one_too_many() -> None:
    for whole in (long_trace(), rulebook_trace()):
        events = whole["events"]
        for event, position in itertools.product(events, range(len(events) + 1)):
            assert is_refused({**whole, "events": [*events[:position], event, *events[position:]]}), (event, position)


def test_no_two_events_can_change_places() -> None:
    for whole in (long_trace(), rulebook_trace()):
        for first, second in itertools.combinations(range(len(whole["events"])), 2):
            events = list(whole["events"])
            events[first], events[second] = events[second], events[first]
            assert is_refused({**whole, "events": events}), (first, second)


def test_every_key_that_is_missing_or_unknown_in_an_event_is_refused() -> None:
    for index, event in enumerate(long_trace()["events"]):
        for key in event:
            trace = long_trace()
            del trace["events"][index][key]
            assert is_refused(trace)
        trace = long_trace()
        trace["events"][index]["note"] = "?"
        with pytest.raises(IllegalGameError, match=rf"^event {index}: {event['type']}: the key 'note' is unknown$"):
            cross_off.referee(trace)


@pytest.mark.parametrize("event", ["roll", 3, None, [], {}, {"turn": 1}, {"type": []}, {"type": "pass", "seat": 0}])
def test_what_is_no_event_is_refused(event: object) -> None:
    trace = long_trace()
    trace["events"].insert(4, event)
    with pytest.raises(IllegalGameError) as caught:
        cross_off.referee(trace)
    assert str(caught.value) == f"event 4: {event!r} is not a roll, mark, close, penalty or end event"


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (add(2, 0, "red", 2), "event 1: this is turn 1, not turn 2"),
        (pair(2, 0, "red", 3, 1), "event 1: this is turn 1, not turn 2"),
        (add(0, 0, "red", 2), "event 1: mark: there is no turn 0"),
        (add(1, 5, "red", 2), "event 1: mark: there is no seat 5"),
        ({**add(1, 0, "red", 2), "step": "both"}, "event 1: mark: the step 'both' is not 'sum' or 'pair'"),
        ({**add(1, 0, "red", 2), "plain": 1}, "event 1: mark: the key 'plain' is unknown"),
        ({**add(1, 0, "red", 3), "step": "pair"}, "event 1: mark: the key 'plain' is missing"),
        (pair(1, 0, "red", 3, 7), "event 1: mark: plain 7 is not a face from 1 to 6"),
        (close(1, "red", 2), "event 1: close: seats [2] is not a list of seats"),
        (end("full"), "event 1: end: the reason 'full' is not 'tracks' or 'penalties'"),
        (end("penalties"), f"event 1: {end('penalties')} should be {penalty(1, 0)}"),
    ],
)
def test_faults_of_single_events_are_named(event: Event, message: str) -> None:
    refused([roll(1, 0, "11 2345"), event], message)


def test_nothing_comes_after_the_end() -> None:
    trace = long_trace()
    for more in (end("penalties"), roll(13, 0, "11 -111"), penalty(12, 1), close(12, "blue", 1)):
        trace["events"] = [*long_trace()["events"], more]
        with pytest.raises(IllegalGameError) as caught:
            cross_off.referee(trace)
        assert str(caught.value) == f"event 34: {more} comes after the end"


def test_a_game_that_stops_early_is_refused() -> None:
    events = long_trace()["events"]
    refused(events[:4], "event 4: turn 2 is missing, the game is not over", seats=2)
    refused([], "event 0: turn 1 is missing, the game is not over")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seat", 1, "seat is 1, should be 0"),
        ("score", 20, "score is 20, should be 19"),
        ("score", 19.001, "score is 19.001, should be 19"),
        ("score", math.nan, "score is nan, should be 19"),
        ("score", None, "score is None, should be 19"),
        ("score", "19", "score is '19', should be 19"),
        ("rank", 2, "rank is 2, should be 1"),
        ("rank", True, "rank is True, should be 1"),
        ("rank", 1.0, "rank is 1.0, should be 1"),
        ("win", 0.5, "win is 0.5, should be 1.0"),
        ("win", True, "win is True, should be 1.0"),
        ("penalties", 3, "penalties is 3, should be 2"),
        ("penalties", 2.0, "penalties is 2.0, should be 2"),
        ("marks", [7, 1, 0, 0], "marks is [7, 1, 0, 0], should be {'red': 7, 'yellow': 1, 'green': 0, 'blue': 0}"),
    ],
)
def test_faults_of_the_outcome_are_named(key: str, value: object, message: str) -> None:
    trace = long_trace()
    trace["outcome"][0][key] = value
    with pytest.raises(IllegalGameError) as caught:
        cross_off.referee(trace)
    assert str(caught.value) == f"outcome of seat 0: {message}"


def test_marks_of_the_outcome_are_by_colour() -> None:
    right = {"red": 7, "yellow": 1, "green": 0, "blue": 0}
    wrong: list[dict[str, object]] = [
        {**right, "red": 6},
        {**right, "red": 7.0},
        {**right, "yellow": True},
        {**right, "white": 0},
        {colour: count for colour, count in right.items() if colour != "blue"},
    ]
    for marks in wrong:
        trace = long_trace()
        trace["outcome"][0]["marks"] = marks
        with pytest.raises(IllegalGameError) as caught:
            cross_off.referee(trace)
        assert str(caught.value) == f"outcome of seat 0: marks is {marks}, should be {right}"


def test_the_outcome_has_an_entry_and_the_named_keys_for_every_seat() -> None:
    for key in ("seat", "score", "rank", "win", "marks", "penalties"):
        trace = long_trace()
        del trace["outcome"][1][key]
        with pytest.raises(IllegalGameError, match=rf"^outcome of seat 1: the key '{key}' is missing$"):
            cross_off.referee(trace)
    for outcome, message in (
        (long_trace()["outcome"][:1], "outcome: there are 1 entries for 2 seats"),
        ([None, None], "outcome of seat 0: None is not an object"),
    ):
        with pytest.raises(IllegalGameError) as caught:
            cross_off.referee({**long_trace(), "outcome": outcome})
        assert str(caught.value) == message


def test_further_keys_of_the_outcome_and_numbers_written_another_way_do_not_matter() -> None:
    trace = long_trace()
    trace["outcome"][0] |= {"skipped": 4, "turns": [1, 2], "score": 19.0, "win": 1}
    cross_off.referee(trace)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("game", "criss-cross", "game: 'criss-cross' is not 'cross-off'"),
        ("rules_version", 1, "rules_version: 1 is not '1'"),
        ("seed", -1, "seed: -1 is not a whole number from 0"),
        ("deal", 1.0, "deal: 1.0 is not a whole number from 0"),
        ("rotation", True, "rotation: True is not a whole number from 0"),
        ("rotation", 2, "rotation: 2 with 2 seats"),
        ("seats", ["a", 1], "seats: ['a', 1] is not a list of strategies"),
        ("seats", "ab", "seats: 'ab' is not a list of strategies"),
        ("events", {}, "events: not a list"),
        ("outcome", None, "outcome: not a list"),
        ("extra", 1, "trace: the key 'extra' is unknown"),
        ("variant", None, "variant: None is not an object"),
    ],
)
def test_faults_of_the_header_are_named(key: str, value: object, message: str) -> None:
    with pytest.raises(IllegalGameError) as caught:
        cross_off.referee({**long_trace(), key: value})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("mark_points", [1, 2], "mark_points [1, 2] is not a list of 13 numbers, for 0 to 12 marks"),
        (
            "mark_points",
            [0] * 12 + [None],
            f"mark_points {[0] * 12 + [None]} is not a list of 13 numbers, for 0 to 12 marks",
        ),
        ("marks_to_close", 11, "marks_to_close 11 is not 0 to 10"),
        ("marks_to_close", -1, "marks_to_close -1 is not 0 to 10"),
        ("penalty_points", "5", "penalty_points '5' is not a number"),
        ("penalty_points", math.inf, "penalty_points inf is not a number"),
        ("penalties_to_end", 0, "penalties_to_end 0 is not 1 to 8"),
        ("penalties_to_end", 9, "penalties_to_end 9 is not 1 to 8"),
        ("tracks_to_end", 0, "tracks_to_end 0 is not 1 to 4"),
        ("tracks_to_end", 5, "tracks_to_end 5 is not 1 to 4"),
        ("finish_turn", 2, "finish_turn 2 is neither true nor false"),
        ("finish_turn", "no", "finish_turn 'no' is neither true nor false"),
        ("finish_turn", 0.0, "finish_turn 0.0 is neither true nor false"),
        ("bonus_marks", 1, "the key 'bonus_marks' is unknown"),
    ],
)
def test_faults_of_the_options_are_named(key: str, value: Any, message: str) -> None:
    refused([], f"variant: {message}", **{key: value})


@settings(deadline=None)
@given(games(QUICK_RULES, most_seats=3), st.data())
def test_a_dropped_event_is_always_missed(game: Game, data: st.DataObject) -> None:
    trace = trace_from(game)
    del trace["events"][data.draw(st.integers(0, len(trace["events"]) - 1))]
    assert is_refused(trace)


@settings(deadline=None)
@given(games(QUICK_RULES, most_seats=3), st.data())
def test_an_altered_event_is_refused_or_a_die_that_nobody_used(game: Game, data: st.DataObject) -> None:
    trace = trace_from(game)
    index = data.draw(st.integers(0, len(trace["events"]) - 1))
    event = trace["events"][index]
    key = data.draw(st.sampled_from(sorted(event)))
    other = data.draw(st.sampled_from([value for value in OTHER_VALUES[key] if not same_json(value, event[key])]))
    altered = {**event, key: other}
    is_fine = event["type"] == "roll" and key in ("plain", *COLOURS) and turn_survives(trace, altered)
    trace["events"][index] = altered
    assert is_refused(trace) != is_fine


def without_a_mark(trace: Trace, index: int) -> Trace:
    """Return a trace without one mark whose outcome is as if it had never been made (default points)."""
    shorter = copy.deepcopy(trace)
    mark = shorter["events"].pop(index)
    shorter["outcome"][mark["seat"]]["marks"][mark["track"]] -= 1
    scores = []
    for seat in shorter["outcome"]:
        scores.append(sum(count * (count + 1) // 2 for count in seat["marks"].values()) - 5 * seat["penalties"])
    for seat, score in zip(shorter["outcome"], scores, strict=True):
        rank = 1 + sum(other > score for other in scores)
        seat |= {"score": score, "rank": rank, "win": 1 / scores.count(score) if rank == 1 else 0.0}
    return shorter


@settings(deadline=None)
@given(games(QUICK_RULES, most_seats=3), st.data())
def test_a_dropped_mark_is_a_pass_unless_something_followed_from_it(game: Game, data: st.DataObject) -> None:
    """With the outcome mended, only a closing, a penalty or the marks needed to close can tell that it was made."""
    trace = trace_from(game)
    indices = [index for index, event in enumerate(trace["events"]) if event["type"] == "mark"]
    if not indices:
        return
    index = data.draw(st.sampled_from(indices))
    mark = trace["events"][index]
    seat, track, turn = mark["seat"], mark["track"], mark["turn"]
    others = [event for at, event in enumerate(trace["events"]) if event["type"] == "mark" and at != index]
    was_closing = mark["number"] == NUMBERS[track][-1]
    was_all = seat == trace["events"][event_at(trace, type="roll", turn=turn)]["roller"] and not any(
        event["turn"] == turn and event["seat"] == seat for event in others
    )
    on_track = [event["number"] for event in others if event["seat"] == seat and event["track"] == track]
    was_needed = NUMBERS[track][-1] in on_track and len(on_track) - 1 < game.state.rules.marks_to_close
    assert is_refused(without_a_mark(trace, index)) == (was_closing or was_all or was_needed)
