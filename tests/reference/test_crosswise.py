"""The literal CrossWise engine: every sentence of the rules, and faults that it must name.

Traces are written by hand in a short form. ``draw(0, "12RP")`` draws two symbol stones, a remove and a replace; M and S
are move and swap. ``place(3, 0, "4", "25")`` is turn 3 of seat 0, who puts a 4 on row 2, column 5. Short games use the
option of a hand of one stone: a replace stone is then never playable, and who draws one has to pass for good.
"""

from __future__ import annotations

import copy
import itertools
import json
import math
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import crosswise
from tests.reference.crosswise import Game, IllegalGameError, Play, Rules, State

Event = dict[str, Any]
Trace = dict[str, Any]

DEFAULTS: dict[str, Any] = {
    "sudden_win": True,
    "group_points": [1, 3, 5, 7, 7],
    "six_different_points": 6,
    "copies": 7,
    "action_stones": 3,
    "hand": 4,
    "lone_hand": 6,
}
SYMBOLS = "123456"
LETTERS = {"R": "remove", "M": "move", "S": "swap", "P": "replace"}
ORDER = {2: (0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
ALL_CELLS = [f"{row}{column}" for row in range(6) for column in range(6)]


def stones_of(letters: str) -> list[str]:
    return [LETTERS.get(letter, letter) for letter in letters]


def cell_of(cell: str) -> list[int]:
    return [int(number) for number in cell]


def draw(seat: int, stones: str) -> Event:
    return {"type": "draw", "seat": seat, "stones": stones_of(stones)}


def back(seat: int, stones: str) -> Event:
    return {"type": "return", "seat": seat, "stones": stones_of(stones)}


def place(turn: int, seat: int, stone: str, cell: str) -> Event:
    return {"type": "place", "turn": turn, "seat": seat, "stone": stone, "cell": cell_of(cell)}


def remove(turn: int, seat: int, cell: str) -> Event:
    return {"type": "remove", "turn": turn, "seat": seat, "cell": cell_of(cell)}


def move(turn: int, seat: int, old: str, new: str) -> Event:
    return {"type": "move", "turn": turn, "seat": seat, "from": cell_of(old), "to": cell_of(new)}


def swap(turn: int, seat: int, first: str, second: str) -> Event:
    return {"type": "swap", "turn": turn, "seat": seat, "cells": [cell_of(first), cell_of(second)]}


def replace(turn: int, seat: int, cell: str, stone: str) -> Event:
    return {"type": "replace", "turn": turn, "seat": seat, "cell": cell_of(cell), "stone": stone}


def skip(turn: int, seat: int) -> Event:
    return {"type": "pass", "turn": turn, "seat": seat}


def end(reason: str, team: int | None = None) -> Event:
    return {"type": "end", "reason": reason} | ({} if team is None else {"team": team})


def entry(seat: int, score: float, rank: int, win: float, lines: str) -> dict[str, Any]:
    values = [float(value) if "." in value else int(value) for value in lines.split()]
    return {"seat": seat, "score": score, "rank": rank, "win": win, "team": (0, 1, 0, 1)[seat], "lines": values}


NOTHING = "0 0 0 0 0 0"


def trace_of(events: Sequence[Event], outcome: Sequence[dict[str, Any]], **options: object) -> Trace:
    trace = {
        "game": "crosswise",
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
    made = crosswise.referee(trace_of(events, outcome, **options))
    assert [seat._asdict() for seat in made] == list(outcome)


def refused(events: Sequence[Event], message: str, seats: int = 2, **options: object) -> None:
    """Demand that the referee stops at an event, before it gets to the outcome, and says this."""
    with pytest.raises(IllegalGameError) as caught:
        crosswise.referee(trace_of(events, [{}] * seats, **options))
    assert str(caught.value) == message


def goes_on(events: Sequence[Event], seats: int = 2, **options: object) -> None:
    """Demand that the referee accepts every one of these events, and then only misses the next turn."""
    turn = max([event["turn"] for event in events if "turn" in event], default=0) + 1
    refused(events, f"event {len(events)}: turn {turn} is missing, the game is not over", seats, **options)


def seats_to_move(seats: int, turns: int) -> list[int]:
    return [ORDER[seats][turn % len(ORDER[seats])] for turn in range(turns)]


def filled(board: str, seats: int = 2) -> list[Event]:
    """Fill a board from left to right and row by row, without a single action: 36 turns, and no end.

    Everybody draws the stones that they place in the order in which they need them, and then what is left.
    """
    symbols = board.replace(" ", "")
    movers = seats_to_move(seats, 36)
    needed = {seat: [symbols[turn] for turn in range(36) if movers[turn] == seat] for seat in range(seats)}
    others = [letter for letter in "RMSP" for _ in range(3)]
    others += [symbol for symbol in SYMBOLS for _ in range(7 - symbols.count(symbol))]

    def drawn(seat: int, count: int) -> Event:
        return draw(seat, "".join([(needed[seat] or others).pop(0) for _ in range(count)]))

    events = [drawn(seat, 6 if seats == 3 and seat == 1 else 4) for seat in range(seats)]
    for turn, (mover, symbol, cell) in enumerate(zip(movers, symbols, ALL_CELLS, strict=True), start=1):
        events.append(place(turn, mover, symbol, cell))
        if turn < 36:
            events.append(drawn(mover, 1))
    return events


# A board with the combinations of the rulebook's example in both directions.
RULEBOOK_BOARD = "224322 421313 555655 444646 121662 614333"
RULEBOOK_ROWS = "5 2 7 6 3 3"
RULEBOOK_COLUMNS = "1 3 4 6 6 2"
ROWS_WIN = [entry(0, 26, 1, 1.0, RULEBOOK_ROWS), entry(1, 22, 2, 0.0, RULEBOOK_COLUMNS)]

# Every line shows six different symbols.
LATIN_BOARD = "123456 234561 345612 456123 561234 612345"

# Six equal stones in the last row, completed by the last stone; all columns show six different symbols.
LAST_ROW_BOARD = "234562 345623 456234 562345 623456 111111"


def opening(turns: int, seats: int = 2) -> list[Event]:
    """Return the first turns of a game of placements only."""
    events = filled(RULEBOOK_BOARD, seats)
    return list(itertools.takewhile(lambda event: event.get("turn", 0) <= turns, events))


def stuck(first: Event, second: Event) -> list[Event]:
    """Return a whole game of two seats with hands of one: each places a 1, then draws a replace stone and passes."""
    return [
        draw(0, "1"),
        draw(1, "1"),
        first,
        draw(0, "P"),
        second,
        draw(1, "P"),
        skip(3, 0),
        skip(4, 1),
        end("passes"),
    ]


STUCK = stuck(place(1, 0, "1", "00"), place(2, 1, "1", "03"))
STUCK_OUTCOME = [entry(0, 1, 1, 1.0, "1 0 0 0 0 0"), entry(1, 0, 2, 0.0, NOTHING)]


def six_in(cells: Sequence[str], team: int) -> list[Event]:
    """Return a whole game of two seats that put a 1 on each of these spaces by turns; seat 1 has the last."""
    events = [draw(0, "1112"), draw(1, "1112")]
    for turn, (mover, cell) in enumerate(zip((0, 1, 0, 1, 0, 1), cells, strict=True), start=1):
        events += [place(turn, mover, "1", cell), draw(mover, "234526"[turn - 1])]
    return [*events[:-1], end("six", team)]


TOP_ROW = ["00", "01", "02", "03", "04", "05"]


def six_trace() -> Trace:
    """Two seats that fill the top row with the same symbol: the rows win, though seat 1 placed the last stone."""
    return trace_of(
        six_in(TOP_ROW, 0),
        [entry(0, 7, 1, 1.0, "7 0 0 0 0 0"), entry(1, 0, 2, 0.0, NOTHING)],
    )


LONG_OPTIONS: dict[str, Any] = {"copies": 2, "action_stones": 1, "hand": 2, "lone_hand": 3}


def long_trace() -> Trace:
    """Three seats with few stones: a return, every kind of play, an empty bag, and four passes for the end."""
    events = [
        draw(0, "RM"),
        back(0, "RM"),
        draw(0, "1R"),
        draw(1, "22M"),
        draw(2, "3P"),
        place(1, 0, "1", "00"),
        draw(0, "1"),
        place(2, 1, "2", "11"),
        draw(1, "S"),
        replace(3, 2, "00", "3"),
        draw(2, "4"),
        move(4, 1, "11", "05"),
        draw(1, "4"),
        remove(5, 0, "05"),
        place(6, 1, "4", "01"),
        draw(1, "5"),
        place(7, 2, "4", "10"),
        draw(2, "5"),
        swap(8, 1, "00", "01"),
        draw(1, "6"),
        place(9, 0, "1", "22"),
        draw(0, "6"),
        place(10, 1, "2", "33"),
        draw(1, "3"),
        place(11, 2, "1", "25"),
        place(12, 1, "5", "44"),
        place(13, 0, "2", "35"),
        place(14, 1, "6", "55"),
        place(15, 2, "5", "54"),
        place(16, 1, "3", "02"),
        place(17, 0, "6", "50"),
        skip(18, 1),
        skip(19, 2),
        skip(20, 1),
        skip(21, 0),
        end("passes"),
    ]
    outcome = [
        entry(0, 4, 1, 1.0, "1 0 1 1 0 1"),
        entry(1, 2, 2, 0.0, "1 0 0 0 1 0"),
        entry(2, 4, 1, 1.0, "1 0 1 1 0 1"),
    ]
    return trace_of(events, outcome, **LONG_OPTIONS)


def rulebook_trace() -> Trace:
    """Two seats that fill the rulebook's board without any action."""
    return trace_of([*filled(RULEBOOK_BOARD), end("full")], ROWS_WIN)


WHOLE_GAMES = [six_trace(), long_trace(), rulebook_trace(), trace_of(STUCK, STUCK_OUTCOME, hand=1)]
NAMES = ["six", "long", "rulebook", "stuck"]


def table(board: str, *hands: str, **options: Any) -> State:
    """Return a table with these stones on the board (a dot is an empty space) and in the hands."""
    state = crosswise.start(Rules(**options), len(hands))
    for cell, symbol in zip(crosswise.CELLS, board.replace(" ", ""), strict=True):
        if symbol != ".":
            state.bag.remove(symbol)
            crosswise.put(state, cell, symbol)
    for seat, letters in enumerate(hands):
        for stone in stones_of(letters):
            state.bag.remove(stone)
            state.hands[seat].append(stone)
    return state


EMPTY_BOARD = " ".join(["......"] * 6)


def event_at(trace: Trace, **values: object) -> int:
    """Index of the first event with these values."""
    return next(
        index
        for index, event in enumerate(trace["events"])
        if all(event.get(key) == value for key, value in values.items())
    )


@pytest.mark.parametrize("trace", WHOLE_GAMES, ids=NAMES)
def test_referee_accepts_the_whole_games_and_returns_their_outcome(trace: Trace) -> None:
    before = copy.deepcopy(trace)
    assert [seat._asdict() for seat in crosswise.referee(trace)] == trace["outcome"]
    assert trace == before


# The rulebook, sentence by sentence


def test_one_game_board_of_6_times_6_spaces() -> None:
    assert len(crosswise.CELLS) == len(set(crosswise.CELLS)) == 36
    for row, column in ((0, 5), (5, 0), (5, 5)):
        goes_on([*opening(0), place(1, 0, "2", f"{row}{column}"), draw(0, "5")])
    cells: list[object] = [[6, 0], [0, 6], [-1, 0], [0], [0, 0, 0], [0.0, 1], [True, 1], "00", 3, None, {}]
    for cell in cells:
        event = {**place(1, 0, "2", "00"), "cell": cell}
        with pytest.raises(IllegalGameError) as caught:
            crosswise.referee(trace_of([*opening(0), event], [{}, {}]))
        assert str(caught.value) == f"event 2: place: there is no space {cell!r}"


def test_42_symbol_stones_and_12_action_stones_of_four_kinds() -> None:
    stones = Counter(crosswise.start(Rules(), 2).bag)
    assert stones == {**dict.fromkeys(SYMBOLS, 7), "remove": 3, "move": 3, "swap": 3, "replace": 3}
    assert stones.total() == 54
    message = "event 1: seat 1 draws 1 too often, it is in the bag 3 times"
    refused([draw(0, "1111"), draw(1, "1111")], message)
    goes_on([draw(0, "1111"), draw(1, "1112")])
    for letter, action in LETTERS.items():
        message = f"event 1: seat 1 draws {action} too often, it is in the bag 1 times"
        refused([draw(0, f"11{letter}{letter}"), draw(1, f"11{letter}{letter}")], message)
    stones_of_no_kind: list[object] = ["0", "7", "joker", 1, None, []]
    for stone in stones_of_no_kind:
        event = {"type": "draw", "seat": 0, "stones": ["1", "2", "3", stone]}
        refused([event], f"event 0: draw: {event['stones']!r} is not a list of stones, one at least")


def test_every_stone_in_a_row_counts_in_a_column_as_well() -> None:
    """A pair in one row lies in two columns, and a pair in one column in two rows."""
    accepted(STUCK, STUCK_OUTCOME, hand=1)
    events = stuck(place(1, 0, "1", "00"), place(2, 1, "1", "30"))
    accepted(events, [entry(0, 0, 2, 0.0, NOTHING), entry(1, 1, 1, 1.0, "1 0 0 0 0 0")], hand=1)
    events = stuck(place(1, 0, "1", "00"), place(2, 1, "1", "33"))
    accepted(events, [entry(0, 0, 1, 0.5, NOTHING), entry(1, 0, 1, 0.5, NOTHING)], hand=1)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_two_teams_play_one_for_its_rows_and_one_for_its_columns(seats: int) -> None:
    outcome = [*ROWS_WIN, entry(2, 26, 1, 1.0, RULEBOOK_ROWS), entry(3, 22, 2, 0.0, RULEBOOK_COLUMNS)]
    accepted([*filled(RULEBOOK_BOARD, seats), end("full")], outcome[:seats])
    for seat in range(seats):
        wrong = copy.deepcopy(outcome[:seats])
        wrong[seat]["team"] = 1 - wrong[seat]["team"]
        with pytest.raises(IllegalGameError, match=rf"^outcome of seat {seat}: team is "):
            crosswise.referee(trace_of([*filled(RULEBOOK_BOARD, seats), end("full")], wrong))


@pytest.mark.parametrize("seats", [0, 1, 5, 6])
def test_no_other_number_of_players(seats: int) -> None:
    refused([], f"seats: {seats} seats, but 2 to 4 can play", seats=seats)
    with pytest.raises(IllegalGameError, match=f"^{seats} seats: 2 to 4 can play$"):
        crosswise.play(Rules(), seats, random.Random(1), crosswise.uniform)


def test_each_player_draws_4_stones() -> None:
    for seats in (2, 4):
        hands = [draw(seat, "1234") for seat in range(seats)]
        goes_on(hands, seats)
        for seat, stones in itertools.product(range(seats), ("123", "12345", "123456")):
            message = f"event {seat}: seat {seat} draws 4 of {54 - 4 * seat} stones in the bag, not {len(stones)}"
            refused([*hands[:seat], draw(seat, stones)], message, seats)


def test_with_3_players_the_single_player_draws_6_stones() -> None:
    goes_on([draw(0, "1234"), draw(1, "123456"), draw(2, "1234")], 3)
    refused([draw(0, "123456")], "event 0: seat 0 draws 4 of 54 stones in the bag, not 6", 3)
    message = "event 1: seat 1 draws 6 of 50 stones in the bag, not 4"
    refused([draw(0, "1234"), draw(1, "1234")], message, 3)
    message = "event 2: seat 2 draws 4 of 44 stones in the bag, not 6"
    refused([draw(0, "1234"), draw(1, "123456"), draw(2, "123456")], message, 3)


def test_everybody_draws_before_the_first_turn() -> None:
    early = place(1, 0, "1", "00")
    refused([draw(0, "1234"), early], f"event 1: {early} should be the draw of seat 1")
    refused([draw(0, "1234")], "event 1: the draw of seat 1 is missing")
    refused([], "event 0: the draw of seat 0 is missing")
    refused([draw(1, "1234")], f"event 0: {draw(1, '1234')} should be the draw of seat 0")


def test_a_hand_of_action_stones_only_goes_back_into_the_bag() -> None:
    goes_on([draw(0, "RMSP"), back(0, "RMSP"), draw(0, "1MSP"), draw(1, "1234")])
    for hand in ("RMSP", "RRRM", "PPSS"):
        message = f"event 1: {draw(1, '1234')} should be the return of seat 0"
        refused([draw(0, hand), draw(1, "1234")], message)
        refused([draw(0, hand)], "event 1: the return of seat 0 is missing")


def test_the_stones_that_go_back_can_be_drawn_again() -> None:
    goes_on([draw(0, "RRRP"), back(0, "RRRP"), draw(0, "1RRR"), draw(1, "1234")])
    message = "event 3: seat 1 draws remove too often, it is in the bag 0 times"
    refused([draw(0, "RRRP"), back(0, "RRRP"), draw(0, "1RRR"), draw(1, "R234")], message)


def test_all_stones_of_the_hand_go_back_and_a_completely_new_hand_is_drawn() -> None:
    hand = stones_of("RMSP")
    for stones in ("RMS", "RMSS", "RMSPP", "1"):
        message = f"event 1: seat 0 returns its whole hand {hand}, not {stones_of(stones)}"
        refused([draw(0, "RMSP"), back(0, stones)], message)
    message = "event 2: seat 0 draws 4 of 54 stones in the bag, not 3"
    refused([draw(0, "RMSP"), back(0, "RMSP"), draw(0, "123")], message)
    refused([draw(0, "RMSP"), back(0, "RMSP")], "event 2: the draw of seat 0 is missing")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_play_proceeds_clockwise(seats: int) -> None:
    goes_on(opening(2 * len(ORDER[seats]), seats), seats)
    for turn, mover in enumerate(seats_to_move(seats, 2 * len(ORDER[seats])), start=1):
        for other in set(range(seats)) - {mover}:
            events = opening(turn - 1, seats)
            wrong = place(turn, other, "1", "55")
            message = f"event {len(events)}: turn {turn} belongs to seat {mover}, not to seat {other}"
            refused([*events, wrong], message, seats)


def test_the_single_player_plays_after_each_of_the_other_team() -> None:
    movers = [event["seat"] for event in filled(RULEBOOK_BOARD, 3) if event["type"] == "place"]
    assert movers == [0, 1, 2, 1] * 9
    goes_on(opening(8, 3), 3)


def test_turns_are_counted() -> None:
    for turn, wrong in ((1, 2), (2, 1), (2, 3), (5, 7)):
        events = opening(turn - 1)
        refused(
            [*events, place(wrong, (turn - 1) % 2, "1", "55")],
            f"event {len(events)}: this is turn {turn}, not turn {wrong}",
        )


def test_a_stone_is_placed_on_any_space() -> None:
    """Not adjacent to others: the second stone may lie anywhere but on the first."""
    for cell in ALL_CELLS[1:]:
        goes_on([*opening(1), place(2, 1, "2", cell), draw(1, "6")])


def test_a_space_holds_one_stone() -> None:
    refused([*opening(1), place(2, 1, "2", "00")], "event 4: there is a 2 on [0, 0] already")


def test_only_stones_of_the_hand_are_placed() -> None:
    for stone in "1356":
        events = [draw(0, "2244"), draw(1, "1356"), place(1, 0, stone, "00")]
        refused(events, f"event 2: seat 0 has no {stone} in its hand")
    events = [draw(0, "1234"), draw(1, "1234"), place(1, 0, "1", "00"), draw(0, "5"), place(2, 1, "1", "01")]
    refused([*events, draw(1, "5"), place(3, 0, "1", "02")], "event 6: seat 0 has no 1 in its hand")


def test_action_stones_are_not_placed() -> None:
    for action in LETTERS.values():
        event = {**place(1, 0, "1", "00"), "stone": action}
        refused([draw(0, "1RMS"), draw(1, "1234"), event], f"event 2: place: '{action}' is not a symbol stone")


def test_one_stone_is_played_a_turn() -> None:
    second = place(2, 0, "2", "11")
    events = opening(1)
    refused([*events, second], f"event {len(events)}: turn 2 belongs to seat 1, not to seat 0")
    refused([*opening(0), place(1, 0, "2", "00"), second], f"event 3: {second} should be the draw of seat 0")


# Seat 0 has a 2, a 3, a remove and a move stone and is to move; seat 1 has a 1, a 3, a swap and a replace stone.
TWO_STONES = [
    draw(0, "12RM"),
    draw(1, "12SP"),
    place(1, 0, "1", "00"),
    draw(0, "3"),
    place(2, 1, "2", "11"),
    draw(1, "3"),
]
THREE_STONES = [*TWO_STONES, place(3, 0, "3", "22"), draw(0, "4")]


def test_a_removed_stone_leaves_the_board_and_is_taken_into_the_hand() -> None:
    removed = [*TWO_STONES, remove(3, 0, "11"), place(4, 1, "1", "44"), draw(1, "4")]
    twice = [place(5, 0, "2", "11"), draw(0, "4"), place(6, 1, "3", "33"), draw(1, "4"), place(7, 0, "2", "12")]
    goes_on([*removed, *twice, draw(0, "5")])
    kept = [*TWO_STONES, place(3, 0, "3", "22"), draw(0, "4"), place(4, 1, "1", "44"), draw(1, "4")]
    refused([*kept, twice[0]], "event 10: there is a 2 on [1, 1] already")
    refused([*kept, place(5, 0, "2", "12"), *twice[1:]], "event 14: seat 0 has no 2 in its hand")


def test_a_stone_of_any_player_may_be_removed() -> None:
    for cell in ("00", "11"):
        goes_on([*TWO_STONES, remove(3, 0, cell)])


def test_a_stone_is_moved_to_any_empty_space() -> None:
    for old, new in itertools.product(("00", "11"), [cell for cell in ALL_CELLS if cell not in ("00", "11")]):
        moved = [*TWO_STONES, move(3, 0, old, new), draw(0, "4")]
        goes_on([*moved, place(4, 1, "3", old), draw(1, "4")])
        symbol = {"00": "1", "11": "2"}[old]
        refused([*moved, place(4, 1, "3", new)], f"event 8: there is a {symbol} on {cell_of(new)} already")


def test_a_move_goes_to_another_space_that_is_empty() -> None:
    refused([*TWO_STONES, move(3, 0, "00", "11")], "event 6: there is a 2 on [1, 1] already")
    refused([*TWO_STONES, move(3, 0, "00", "00")], "event 6: there is a 1 on [0, 0] already")


def test_two_stones_are_swapped_with_each_other() -> None:
    for cells in (("00", "11"), ("11", "00")):
        swapped = [*THREE_STONES, swap(4, 1, *cells), draw(1, "4")]
        refused([*swapped, place(5, 0, "2", "00")], "event 10: there is a 2 on [0, 0] already")
        refused([*swapped, place(5, 0, "2", "11")], "event 10: there is a 1 on [1, 1] already")
        goes_on([*swapped, place(5, 0, "2", "33"), draw(0, "4")])


def test_a_stone_is_replaced_by_one_from_the_hand_and_taken_into_it() -> None:
    replaced = [*THREE_STONES, replace(4, 1, "00", "3"), draw(1, "4")]
    refused([*replaced, place(5, 0, "2", "00")], "event 10: there is a 3 on [0, 0] already")
    turns = [place(5, 0, "2", "30"), draw(0, "5"), place(6, 1, "1", "31"), draw(1, "5")]
    turns += [place(7, 0, "4", "32"), draw(0, "6"), place(8, 1, "1", "33"), draw(1, "6")]
    goes_on([*replaced, *turns])
    refused([*replaced, *turns[:2], place(6, 1, "3", "31")], "event 12: seat 1 has no 3 in its hand")


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ("remove", remove(4, 1, "00")),
        ("move", move(4, 1, "00", "55")),
        ("swap", swap(3, 0, "00", "11")),
        ("replace", replace(3, 0, "00", "3")),
    ],
)
def test_an_action_needs_its_stone(action: str, event: Event) -> None:
    events = TWO_STONES if event["turn"] == 3 else THREE_STONES
    refused([*events, event], f"event {len(events)}: seat {event['seat']} has no {action} stone")


def test_an_action_stone_is_played_once() -> None:
    events = [*TWO_STONES, move(3, 0, "00", "55"), draw(0, "4"), place(4, 1, "1", "10"), draw(1, "5")]
    refused([*events, move(5, 0, "55", "00")], "event 10: seat 0 has no move stone")


def test_played_action_stones_are_out_and_can_be_seen_by_every_player() -> None:
    events = [
        draw(0, "1MMM"),
        draw(1, "1234"),
        place(1, 0, "1", "00"),
        draw(0, "R"),
        place(2, 1, "1", "11"),
        draw(1, "5"),
        move(3, 0, "00", "01"),
    ]
    message = "event 7: seat 0 draws move too often, it is in the bag 0 times"
    refused([*events, draw(0, "M")], message)

    state = table("12.... " + " ".join(["......"] * 5), "1RMS", "3456")
    for play in (Play("swap", ((0, 0), (0, 1))), Play("move", ((0, 0), (4, 4))), Play("remove", ((4, 4),))):
        crosswise.carry_out(state, 0, play)
        crosswise.check_stones(state)
    assert state.board[0] == [None, "1", None, None, None, None]
    assert sorted(state.hands[0]) == ["1", "2"]
    assert [crosswise.seen_by(state, seat).played for seat in (0, 1)] == [["swap", "move", "remove"]] * 2


def test_the_hand_is_refilled_to_4_at_the_end_of_the_turn() -> None:
    events = [*opening(0), place(1, 0, "2", "00")]
    goes_on([*events, draw(0, "5")])
    refused(events, "event 3: the draw of seat 0 is missing")
    late = place(2, 1, "2", "11")
    refused([*events, late], f"event 3: {late} should be the draw of seat 0")
    refused([*events, draw(1, "5")], f"event 3: {draw(1, '5')} should be the draw of seat 0")
    for stones in ("55", "5RR"):
        message = f"event 3: seat 0 draws 1 of 46 stones in the bag, not {len(stones)}"
        refused([*events, draw(0, stones)], message)


def test_the_single_player_refills_to_6() -> None:
    events = opening(2, 3)
    goes_on(events, 3)
    assert events[-1]["seat"] == 1
    refused(events[:-1], "event 6: the draw of seat 1 is missing", 3)


def few_stones(*hands: str) -> list[Event]:
    """Two seats draw all the stones of a small box; then they place them, and pass when they have none."""
    events = [draw(seat, hand) for seat, hand in enumerate(hands) if hand]
    left = [list(hand) for hand in hands]
    movers = seats_to_move(len(hands), 100)
    cells = iter(ALL_CELLS)
    passes: set[int] = set()
    for turn, mover in enumerate(movers, start=1):
        if left[mover]:
            passes = set()
            events.append(place(turn, mover, left[mover].pop(0), next(cells)))
        else:
            passes.add(mover)
            events.append(skip(turn, mover))
        if len(passes) == len(hands):
            break
    return [*events, end("passes")]


# A box of twelve symbol stones, all of them in the two hands from the start.
FEW: dict[str, Any] = {"copies": 2, "action_stones": 0, "hand": 8}


def test_when_no_more_stones_can_be_drawn_play_goes_on_with_the_remaining_ones() -> None:
    events = few_stones("11223344", "5566")
    # The stones lie in the order 1 5 1 5 2 6, 2 6 3 3 4 4.
    outcome = [entry(0, 4, 1, 1.0, "2 2 0 0 0 0"), entry(1, 0, 2, 0.0, NOTHING)]
    accepted(events, outcome, **FEW)
    wanted = events[3]
    message = f"event 3: turn 2 begins with a play or a pass, not with {draw(0, '1')}"
    refused([*events[:3], draw(0, "1"), wanted], message, **FEW)


def test_a_draw_takes_what_is_left_in_the_bag() -> None:
    goes_on([draw(0, "11223344"), draw(1, "5566")], **FEW)
    refused([draw(0, "11223344"), draw(1, "556")], "event 1: seat 1 draws 4 of 4 stones in the bag, not 3", **FEW)
    message = "event 1: seat 1 draws 4 of 4 stones in the bag, not 5"
    refused([draw(0, "11223344"), draw(1, "55661")], message, **FEW)


def test_six_equal_stones_in_an_own_row_win_immediately() -> None:
    crosswise.referee(six_trace())
    events = six_in(TOP_ROW, 0)
    for more in (draw(1, "6"), place(7, 0, "2", "11"), end("full"), end("passes")):
        refused([*events[:-1], more], f"event {len(events) - 1}: {more} should be {end('six', 0)}")
    refused(events[:-1], f"event {len(events) - 1}: {end('six', 0)} is missing")


@pytest.mark.parametrize("line", range(6))
@pytest.mark.parametrize("team", [0, 1])
def test_any_line_of_six_wins_for_the_team_whose_line_it_is_whoever_made_it(team: int, line: int) -> None:
    cells = [f"{line}{place}" if team == 0 else f"{place}{line}" for place in (5, 2, 0, 1, 4, 3)]
    worth = " ".join("7" if index == line else "0" for index in range(6))
    both = [(7, 1, 1.0, worth), (0, 2, 0.0, NOTHING)]
    outcome = [entry(seat, *both[seat if team == 0 else 1 - seat]) for seat in (0, 1)]
    accepted(six_in(cells, team), outcome)
    wrong = [*six_in(cells, team)[:-1], end("six", 1 - team)]
    refused(wrong, f"event {len(wrong) - 1}: {end('six', 1 - team)} should be {end('six', team)}")


def test_five_equal_stones_do_not_win() -> None:
    events = six_in(["00", "01", "02", "03", "04", "15"], 0)
    refused(events, f"event {len(events) - 1}: {events[-1]} should be the draw of seat 1")
    goes_on([*events[:-1], draw(1, "6")])


def test_six_equal_stones_on_a_diagonal_do_not_win() -> None:
    events = six_in(["00", "11", "22", "33", "44", "55"], 0)
    goes_on([*events[:-1], draw(1, "6")])


def test_the_game_ends_when_the_last_space_is_filled() -> None:
    events = filled(RULEBOOK_BOARD)
    accepted([*events, end("full")], ROWS_WIN)
    refused(events, f"event {len(events)}: {end('full')} is missing")
    for more in (draw(1, "M"), skip(37, 0), swap(37, 0, "00", "11"), end("passes"), end("six", 0)):
        refused([*events, more], f"event {len(events)}: {more} should be {end('full')}")
    early = [*opening(35), end("full")]
    message = f"event {len(early) - 1}: turn 36 begins with a play or a pass, not with {end('full')}"
    refused(early, message)


def test_the_remaining_hand_stones_are_set_aside() -> None:
    """The last stone that is drawn stays in a hand; whatever it is, the outcome is the same."""
    events = [*filled(RULEBOOK_BOARD), end("full")]
    last = max(index for index, event in enumerate(events) if event["type"] == "draw")
    drawn = Counter(stone for event in events[:last] if event["type"] == "draw" for stone in event["stones"])
    left = [letter for letter in "123456RMSP" if drawn[stones_of(letter)[0]] < (7 if letter in SYMBOLS else 3)]
    assert len(left) >= 4
    for letter in left:
        accepted([*events[:last], draw(events[last]["seat"], letter), *events[last + 1 :]], ROWS_WIN)


def test_stones_in_a_line_need_not_lie_next_to_each_other() -> None:
    worth = {"11.1..": 3, "1.1..1": 3, "...111": 3, "121314": 3, "213141": 3, "112131": 5, "1....1": 1}
    for row, points in worth.items():
        state = table(row + " ...... ...... ...... ...... ......", "", "")
        assert crosswise.outcome_of(state)[0].lines == [points, 0, 0, 0, 0, 0]
    for order in itertools.permutations("111223"):
        state = table("...... ...... " + "".join(order) + " ...... ...... ......", "", "")
        assert crosswise.outcome_of(state)[0].lines == [0, 0, 4, 0, 0, 0]


def test_the_points_of_every_combination() -> None:
    worth = {
        "123456": 6,
        "11....": 1,
        "111...": 3,
        "1111..": 5,
        "11111.": 7,
        "111111": 7,
        "......": 0,
        "12345.": 0,
        "1.....": 0,
        "112345": 1,
        "112234": 2,
        "112233": 3,
        "111234": 3,
        "111223": 4,
        "111222": 6,
        "111123": 5,
        "111122": 6,
        "111112": 7,
        "1122..": 2,
        "11122.": 4,
        "1112..": 3,
        "11223.": 2,
    }
    for row, points in worth.items():
        counts = [row.count(symbol) for symbol in SYMBOLS]
        for order in itertools.permutations(counts):
            assert crosswise.line_points(order, Rules()) == points
    # All sizes of groups that six stones can have are in the table.
    full = {tuple(sorted(Counter(row).values())) for row in worth if "." not in row}
    assert len(full) == 11


def test_each_stone_is_used_for_one_combination() -> None:
    """Four equal stones are no two pairs, and no three of a kind beside it, even where those would be worth more."""
    assert crosswise.line_points([4, 1, 1, 0, 0, 0], Rules()) == 5
    rules = Rules(group_points=(10, 11, 5, 4, 3), six_different_points=50)
    worth = {(4, 1, 1, 0, 0, 0): 5, (5, 1, 0, 0, 0, 0): 4, (6, 0, 0, 0, 0, 0): 3, (3, 3, 0, 0, 0, 0): 22}
    worth |= {(2, 2, 2, 0, 0, 0): 30, (2, 1, 1, 1, 1, 0): 10, (1, 1, 1, 1, 1, 1): 50, (1, 1, 1, 1, 1, 0): 0}
    for counts, points in worth.items():
        assert crosswise.line_points(counts, rules) == points


def test_the_scoring_example() -> None:
    state = table(RULEBOOK_BOARD, "", "")
    outcome = crosswise.outcome_of(state)
    assert outcome[0].lines == [5, 2, 5 + 2, 1 + 5, 1 + 1 + 1, 3]
    assert outcome[1].lines == [1, 3, 1 + 3, 3 + 3, 6, 1 + 1]
    assert [seat.score for seat in outcome] == [26, 22]


def transposed(board: str) -> str:
    return " ".join(map("".join, zip(*board.split(), strict=True)))


def test_the_team_with_the_most_points_wins() -> None:
    accepted([*filled(RULEBOOK_BOARD), end("full")], ROWS_WIN)
    turned = [entry(0, 22, 2, 0.0, RULEBOOK_COLUMNS), entry(1, 26, 1, 1.0, RULEBOOK_ROWS)]
    accepted([*filled(transposed(RULEBOOK_BOARD)), end("full")], turned)
    for rank, win in ((2, 0.0), (1, 0.5), (1, 0.0)):
        trace = trace_of([*filled(RULEBOOK_BOARD), end("full")], [entry(0, 26, rank, win, RULEBOOK_ROWS), ROWS_WIN[1]])
        with pytest.raises(IllegalGameError, match=r"^outcome of seat 0: (rank|win) is "):
            crosswise.referee(trace)


# The project's page of rules, where it says more than the rulebook


def test_the_options_of_the_rulebook_are_the_defaults() -> None:
    assert crosswise.rules_of(DEFAULTS) == Rules()


def test_the_seats_of_team_a_are_0_and_2_and_it_has_the_rows() -> None:
    for seats in (2, 3, 4):
        outcome = crosswise.outcome_of(table(RULEBOOK_BOARD, *[""] * seats))
        assert [seat.team for seat in outcome] == [0, 1, 0, 1][:seats]
        assert [seat.score for seat in outcome] == [26, 22, 26, 22][:seats]


def test_partners_do_not_see_each_others_hands() -> None:
    state = table(EMPTY_BOARD, "1234", "1R", "345", "2")
    for seat, own in enumerate(["1234", "1R", "345", "2"]):
        view = crosswise.seen_by(state, seat)
        assert view.hand == stones_of(own)
        assert view.hand_sizes == [4, 2, 3, 1]
        assert view.bag_size == 54 - 10
        assert set(view._fields) == {"board", "hand", "hand_sizes", "bag_size", "played"}


@given(st.data())
def test_what_a_seat_sees_and_may_do_does_not_depend_on_what_is_hidden(data: st.DataObject) -> None:
    state = data.draw(tables())
    seat = data.draw(st.integers(0, len(state.hands) - 1))
    other = copy.deepcopy(state)
    hidden = [other.bag, *[hand for owner, hand in enumerate(other.hands) if owner != seat]]
    stones = data.draw(st.permutations([stone for place in hidden for stone in place]))
    for place in hidden:
        place[:] = [stones.pop() for _ in place]
    assert crosswise.seen_by(other, seat) == crosswise.seen_by(state, seat)
    assert crosswise.legal_plays(other, seat) == crosswise.legal_plays(state, seat)


def test_a_view_is_a_copy() -> None:
    state = table(RULEBOOK_BOARD, "RMS", "")
    state.played.append("swap")
    before = copy.deepcopy(state)
    view = crosswise.seen_by(state, 0)
    view.board[0][0] = None
    view.hand.clear()
    view.played.clear()
    assert state == before


def test_a_hand_is_redrawn_again_if_need_be() -> None:
    again = [draw(0, "RMSP"), back(0, "RMSP"), draw(0, "RRRS"), back(0, "RRRS"), draw(0, "RRR1")]
    goes_on([*again, draw(1, "PPPS"), back(1, "PSPP"), draw(1, "1234")])
    refused([*again[:3], draw(1, "1234")], f"event 3: {draw(1, '1234')} should be the return of seat 0")


def test_a_hand_is_redrawn_before_the_next_seat_draws() -> None:
    events = [draw(0, "RMSP"), draw(1, "1234"), back(0, "RMSP"), draw(0, "1MSP")]
    refused(events, f"event 1: {draw(1, '1234')} should be the return of seat 0")
    events = [draw(0, "RMSP"), back(0, "RMSP"), draw(1, "1234")]
    refused(events, f"event 2: {draw(1, '1234')} should be the draw of seat 0")


def test_a_hand_with_a_symbol_stone_is_kept() -> None:
    for hand in ("1RMS", "1111", "RRR6"):
        refused([draw(0, hand), back(0, hand)], f"event 1: {back(0, hand)} should be the draw of seat 1")


def test_hands_are_returned_at_the_start_only() -> None:
    hands = [draw(0, "1RMS"), draw(1, "1234")]
    refused([*hands, back(0, "1RMS")], f"event 2: turn 1 begins with a play or a pass, not with {back(0, '1RMS')}")
    events = [*hands, place(1, 0, "1", "00"), draw(0, "P")]
    message = f"event 4: turn 2 begins with a play or a pass, not with {back(0, 'RMSP')}"
    refused([*events, back(0, "RMSP")], message)


def test_the_lone_seat_returns_its_six_stones_too() -> None:
    events = [draw(0, "1234"), draw(1, "RRRMMM"), back(1, "RRRMMM"), draw(1, "1RRRMM"), draw(2, "1234")]
    goes_on(events, 3)
    message = f"event 2: {draw(2, '1234')} should be the return of seat 1"
    refused([*events[:2], draw(2, "1234")], message, 3)


# The first two seats draw all the symbol stones of this box; seat 2 gets action stones only.
NO_SYMBOL_LEFT: dict[str, Any] = {"copies": 2, "action_stones": 10, "hand": 8, "lone_hand": 10}


def test_a_hand_of_action_stones_is_kept_when_the_bag_has_no_symbol_stone() -> None:
    hands = [draw(0, "11223344"), draw(1, "5566RRRRRR"), draw(2, "MMMMSSSS")]
    goes_on(hands, 3, **NO_SYMBOL_LEFT)
    returned = back(2, "MMMMSSSS")
    message = f"event 3: turn 1 begins with a play or a pass, not with {returned}"
    refused([*hands, returned], message, 3, **NO_SYMBOL_LEFT)
    one_left = [draw(0, "1122334R"), *hands[1:]]
    refused(one_left, "event 3: the return of seat 2 is missing", 3, **NO_SYMBOL_LEFT)


def test_a_short_hand_of_action_stones_is_kept_when_the_bag_is_empty() -> None:
    options = {"copies": 2, "action_stones": 1, "hand": 6}
    hands = [draw(0, "112233"), draw(1, "445566"), draw(2, "RMSP")]
    goes_on(hands, 4, **options)
    message = f"event 3: turn 1 begins with a play or a pass, not with {back(2, 'RMSP')}"
    refused([*hands, back(2, "RMSP")], message, 4, **options)


def test_a_seat_that_the_bag_has_nothing_for_draws_nothing() -> None:
    goes_on([draw(0, "11223344"), draw(1, "5566")], 4, **FEW)
    empty = {"type": "draw", "seat": 2, "stones": []}
    refused(
        [draw(0, "11223344"), draw(1, "5566"), empty],
        "event 2: draw: [] is not a list of stones, one at least",
        4,
        **FEW,
    )


@pytest.mark.parametrize(
    ("event", "drawn"),
    [
        (place(5, 0, "4", "44"), 1),
        (remove(5, 0, "00"), 0),
        (move(5, 0, "00", "55"), 1),
        (swap(5, 0, "00", "11"), 1),
        (replace(5, 0, "00", "4"), 1),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_after_remove_nothing_is_missing_and_after_every_other_play_one(event: Event, drawn: int) -> None:
    action = {"place": "6", "remove": "R", "move": "M", "swap": "S", "replace": "P"}[event["type"]]
    events = [draw(0, f"124{action}"), draw(1, "1234"), place(1, 0, "1", "00"), draw(0, "5")]
    events += [place(2, 1, "2", "11"), draw(1, "5"), place(3, 0, "5", "22"), draw(0, "3")]
    events += [place(4, 1, "3", "33"), draw(1, "6"), event]
    at = len(events)
    if drawn:
        goes_on([*events, draw(0, "6")])
        refused([*events, draw(0, "66")], f"event {at}: seat 0 draws 1 of 42 stones in the bag, not 2")
        late = place(6, 1, "1", "50")
        refused([*events, late], f"event {at}: {late} should be the draw of seat 0")
    else:
        goes_on(events)
        refused([*events, draw(0, "6")], f"event {at}: turn 6 begins with a play or a pass, not with {draw(0, '6')}")


def test_nothing_is_drawn_after_the_play_that_ends_the_game() -> None:
    for trace in (six_trace(), rulebook_trace()):
        ending = trace["events"][-1]
        for seat in (0, 1):
            events = [*trace["events"][:-1], draw(seat, "M"), ending]
            refused(events, f"event {len(events) - 2}: {draw(seat, 'M')} should be {ending}")


def test_nothing_is_drawn_after_a_pass() -> None:
    events = [*STUCK[:7], draw(0, "2"), *STUCK[7:]]
    refused(events, f"event 7: turn 4 begins with a play or a pass, not with {draw(0, '2')}", hand=1)


def test_remove_move_and_replace_need_a_stone_on_the_board() -> None:
    hands = [draw(0, "12RM"), draw(1, "3SP1")]
    refused([*hands, remove(1, 0, "00")], "event 2: there is no stone on [0, 0]")
    refused([*hands, move(1, 0, "00", "11")], "event 2: there is no stone on [0, 0]")
    refused([draw(0, "12PM"), hands[1], replace(1, 0, "00", "1")], "event 2: there is no stone on [0, 0]")
    for event, message in (
        (remove(3, 0, "22"), "event 6: there is no stone on [2, 2]"),
        (move(3, 0, "22", "33"), "event 6: there is no stone on [2, 2]"),
    ):
        refused([*TWO_STONES, event], message)
    refused([*THREE_STONES, replace(4, 1, "44", "3")], "event 8: there is no stone on [4, 4]")


def test_a_swap_needs_two_stones() -> None:
    for cells in (("00", "44"), ("44", "00")):
        refused([*THREE_STONES, swap(4, 1, *cells)], "event 8: there is no stone on [4, 4]")
    message = "event 8: a swap takes two stones, not the one on [0, 0] twice"
    refused([*THREE_STONES, swap(4, 1, "00", "00")], message)


def test_stones_of_equal_symbols_may_be_swapped_and_replaced() -> None:
    hands = [draw(0, "11S2"), draw(1, "11P2")]
    events = [*hands, place(1, 0, "1", "00"), draw(0, "3"), place(2, 1, "1", "11"), draw(1, "3")]
    goes_on([*events, swap(3, 0, "00", "11"), draw(0, "4"), replace(4, 1, "00", "1"), draw(1, "4")])


def test_replace_needs_a_symbol_stone_in_the_hand() -> None:
    refused([*THREE_STONES, replace(4, 1, "00", "4")], "event 8: seat 1 has no 4 in its hand")
    for stone in ("swap", "replace"):
        event = {**replace(4, 1, "00", "3"), "stone": stone}
        refused([*THREE_STONES, event], f"event 8: replace: '{stone}' is not a symbol stone")
    assert crosswise.legal_plays(table(LATIN_BOARD[:-1] + ".", "PPP", ""), 0) == []


def test_the_stone_that_is_replaced_does_not_replace_itself() -> None:
    """It comes into the hand only after another has left it."""
    events = [draw(0, "1234"), draw(1, "2PR3"), place(1, 0, "1", "00"), draw(0, "5"), replace(2, 1, "00", "1")]
    refused(events, "event 4: seat 1 has no 1 in its hand")


def test_moves_need_an_empty_space() -> None:
    full = table(RULEBOOK_BOARD, "M", "")
    assert crosswise.legal_plays(full, 0) == []
    message = crosswise.refusal(full, 0, Play("move", ((0, 0), (0, 1))))
    assert message == "there is a 2 on [0, 1] already"


def test_a_seat_with_no_legal_play_passes_which_counts_as_a_turn() -> None:
    accepted(STUCK, STUCK_OUTCOME, hand=1)
    refused([*STUCK[:6], skip(4, 1)], "event 6: this is turn 3, not turn 4", hand=1)
    refused([*STUCK[:6], place(3, 1, "1", "11")], "event 6: turn 3 belongs to seat 0, not to seat 1", hand=1)
    refused([*STUCK[:7], skip(3, 1)], "event 7: this is turn 4, not turn 3", hand=1)
    refused([*STUCK[:7], skip(4, 0)], "event 7: turn 4 belongs to seat 1, not to seat 0", hand=1)


def test_passing_is_never_a_choice() -> None:
    refused([*opening(0), skip(1, 0)], "event 2: seat 0 may not pass, it can place")
    refused([*TWO_STONES, skip(3, 0)], "event 6: seat 0 may not pass, it can place or remove or move")
    refused([*THREE_STONES, skip(4, 1)], "event 8: seat 1 may not pass, it can place or swap or replace")


@pytest.mark.parametrize(("letter", "needed"), [("R", 1), ("M", 1), ("S", 2), ("P", None)])
def test_a_hand_of_action_stones_passes_until_there_are_stones_to_act_on(letter: str, needed: int | None) -> None:
    """Seat 1 removes the only stone of the board, and brings it back, and another."""
    options = {"hand": 2}
    events = [draw(0, f"1{letter}"), draw(1, "2R"), place(1, 0, "1", "00"), draw(0, letter), remove(2, 1, "00")]
    for turn, stone, cell in ((3, "1", "11"), (5, "2", "22")):
        if needed == (turn - 3) // 2:
            break
        events += [skip(turn, 0), place(turn + 1, 1, stone, cell), draw(1, "3")]
        goes_on(events, **options)
    if needed is None:
        goes_on([*events, skip(7, 0)], **options)
    else:
        turn = 3 + 2 * needed
        message = f"event {len(events)}: seat 0 may not pass, it can {LETTERS[letter]}"
        refused([*events, skip(turn, 0)], message, **options)


def test_passes_in_a_row_of_every_seat_end_the_game() -> None:
    refused([*STUCK[:7], end("passes")], f"event 7: turn 4 begins with a play or a pass, not with {STUCK[-1]}", hand=1)
    refused(STUCK[:8], f"event 8: {end('passes')} is missing", hand=1)
    for more in (skip(5, 0), draw(0, "1"), end("full"), end("six", 0)):
        refused([*STUCK[:8], more], f"event 8: {more} should be {end('passes')}", hand=1)


def test_a_play_breaks_the_row_of_passes() -> None:
    """Seat 1 has only four stones and passes again and again, but the game ends with seat 0's first pass."""
    events = few_stones("11223344", "5566")
    assert [event["seat"] for event in events if event["type"] == "pass"] == [1, 1, 1, 1, 0]
    for index, event in enumerate(events):
        if event["type"] == "pass" and index < len(events) - 2:
            message = f"event {index + 1}: turn {event['turn'] + 1} begins with a play or a pass, not with {events[-1]}"
            refused([*events[: index + 1], end("passes")], message, **FEW)


def three_seats(last: str) -> list[Event]:
    """Three seats with hands of one that draw a replace stone in the end; the last one to play is seat 1 or 2."""
    events = [draw(0, "1"), draw(1, "2"), draw(2, "3"), place(1, 0, "1", "00"), draw(0, "P")]
    events += [place(2, 1, "2", "11"), draw(1, "4" if last == "1" else "P"), place(3, 2, "3", "22"), draw(2, "P")]
    if last == "1":
        return [*events, place(4, 1, "4", "33"), draw(1, "P"), skip(5, 0), skip(6, 1), skip(7, 2), end("passes")]
    return [*events, skip(4, 1), skip(5, 0), skip(6, 1), skip(7, 2), end("passes")]


def test_with_three_seats_it_takes_three_passes_or_four() -> None:
    options = {"hand": 1, "lone_hand": 1}
    outcome = [entry(seat, 0, 1, 0.5, NOTHING) for seat in range(3)]
    accepted(three_seats("1"), outcome, **options)
    accepted(three_seats("2"), outcome, **options)
    for last, passes in (("1", 3), ("2", 4)):
        events = three_seats(last)
        assert sum(event["type"] == "pass" for event in events) == passes
        early = [*events[:-2], end("passes")]
        message = f"event {len(early) - 1}: turn 7 begins with a play or a pass, not with {end('passes')}"
        refused(early, message, 3, **options)


def test_with_four_seats_it_takes_four_passes() -> None:
    options = {"hand": 1, "action_stones": 4}
    events = [draw(seat, "1") for seat in range(4)]
    for seat, cell in enumerate(["00", "10", "20", "01"]):
        events += [place(seat + 1, seat, "1", cell), draw(seat, "P")]
    events += [skip(turn, turn - 5) for turn in range(5, 9)]
    rows, columns = (1, 2, 0.0, "1 0 0 0 0 0"), (3, 1, 1.0, "3 0 0 0 0 0")
    outcome = [entry(0, *rows), entry(1, *columns), entry(2, *rows), entry(3, *columns)]
    accepted([*events, end("passes")], outcome, **options)


def test_a_game_that_ends_by_passes_is_scored_as_it_lies() -> None:
    accepted(STUCK, STUCK_OUTCOME, hand=1)
    trace = trace_of(STUCK, [entry(0, 0, 1, 0.5, NOTHING), entry(1, 0, 1, 0.5, NOTHING)], hand=1)
    with pytest.raises(IllegalGameError, match=r"^outcome of seat 0: score is 0, should be 1$"):
        crosswise.referee(trace)


@pytest.mark.parametrize("by", ["move", "swap", "replace"])
def test_six_equal_stones_win_when_an_action_completes_them(by: str) -> None:
    """Five 1s lie in the top row; the sixth comes by a move, from under it by a swap, or from the hand."""
    letter = {"move": "M", "swap": "S", "replace": "P"}[by]
    events = [draw(0, f"111{letter}"), draw(1, "1112")]
    last = "10" if by == "swap" else "15"
    for turn, (mover, cell) in enumerate(zip((0, 1, 0, 1, 0, 1), [*TOP_ROW[:5], last], strict=True), start=1):
        events += [place(turn, mover, "1", cell), draw(mover, "2344561"[turn - 1])]
    rows = entry(0, 7, 1, 1.0, "7 0 0 0 0 0")
    outcome = [rows, entry(1, 0, 2, 0.0, NOTHING)]
    if by == "move":
        accepted([*events, move(7, 0, "15", "05"), end("six", 0)], outcome)
        return
    # Somebody has put a 2 on the missing space first.
    events += [place(7, 0, "2", "05"), draw(0, "1"), place(8, 1, "2", "33"), draw(1, "5")]
    if by == "swap":
        accepted([*events, swap(9, 0, "05", "10"), end("six", 0)], outcome)
    else:
        outcome = [rows, entry(1, 1, 2, 0.0, "0 0 0 0 0 1")]
        accepted([*events, replace(9, 0, "05", "1"), end("six", 0)], outcome)


def test_two_lines_of_one_team_may_be_completed_at_once() -> None:
    state = table("111112 222221 ...... ...... ...... ......", "S", "")
    crosswise.carry_out(state, 0, Play("swap", ((0, 5), (1, 5))))
    assert crosswise.ending(state) == end("six", 0)
    assert [(seat.score, seat.rank) for seat in crosswise.outcome_of(state)] == [(14, 1), (0, 2)]


def test_six_stones_on_the_last_space_win_rather_than_fill_the_board() -> None:
    """The columns have three times the points, and lose; the score columns say what the lines are worth."""
    events = filled(LAST_ROW_BOARD)
    outcome = [entry(0, 12, 1, 1.0, "1 1 1 1 1 7"), entry(1, 36, 2, 0.0, "6 6 6 6 6 6")]
    accepted([*events, end("six", 0)], outcome)
    refused([*events, end("full")], f"event {len(events)}: {end('full')} should be {end('six', 0)}")
    turned = [entry(0, 36, 2, 0.0, "6 6 6 6 6 6"), entry(1, 12, 1, 1.0, "1 1 1 1 1 7")]
    accepted([*filled(transposed(LAST_ROW_BOARD)), end("six", 1)], turned)


@pytest.mark.parametrize("seats", [3, 4])
def test_partners_share_the_sudden_win(seats: int) -> None:
    rows, columns = (12, 1, 1.0, "1 1 1 1 1 7"), (36, 2, 0.0, "6 6 6 6 6 6")
    outcome = [entry(seat, *(rows, columns)[seat % 2]) for seat in range(seats)]
    accepted([*filled(LAST_ROW_BOARD, seats), end("six", 0)], outcome)


def test_both_teams_cannot_have_six_because_there_are_no_eleven_equal_stones() -> None:
    refused([], "variant: copies 11 is not 2 to 10", copies=11)
    state = crosswise.start(Rules(copies=11), 2)
    for index in range(6):
        crosswise.put(state, (0, index), "1")
        crosswise.put(state, (index, 0), "1")
    assert sum(row.count("1") for row in state.board) == 11


def test_equal_totals_are_a_draw() -> None:
    for seats in (2, 3, 4):
        outcome = [entry(seat, 36, 1, 0.5, "6 6 6 6 6 6") for seat in range(seats)]
        accepted([*filled(LATIN_BOARD, seats), end("full")], outcome)
    for win in (1.0, 0.0, 0.25):
        wrong = [entry(seat, 36, 1, win, "6 6 6 6 6 6") for seat in range(4)]
        with pytest.raises(IllegalGameError, match=rf"^outcome of seat 0: win is {win}, should be 0.5$"):
            crosswise.referee(trace_of([*filled(LATIN_BOARD, 4), end("full")], wrong))


# The options


@pytest.mark.parametrize("flag", [False, 0])
def test_without_the_sudden_win_six_equal_stones_are_a_group_of_six(flag: object) -> None:
    events = filled(LAST_ROW_BOARD)
    outcome = [entry(0, 12, 2, 0.0, "1 1 1 1 1 7"), entry(1, 36, 1, 1.0, "6 6 6 6 6 6")]
    accepted([*events, end("full")], outcome, sudden_win=flag)
    refused([*events, end("six", 0)], f"event {len(events)}: {end('six', 0)} should be {end('full')}", sudden_win=flag)
    outcome = [entry(0, 105, 1, 1.0, "1 1 1 1 1 100"), entry(1, 36, 2, 0.0, "6 6 6 6 6 6")]
    accepted([*events, end("full")], outcome, sudden_win=flag, group_points=[1, 3, 5, 7, 100])


def test_without_the_sudden_win_the_game_goes_on() -> None:
    events = six_in(TOP_ROW, 0)
    goes_on([*events[:-1], draw(1, "6")], sudden_win=False)
    refused(events, f"event {len(events) - 1}: {events[-1]} should be the draw of seat 1", sudden_win=False)


@pytest.mark.parametrize("flag", [True, 1])
def test_with_the_sudden_win_the_game_ends(flag: object) -> None:
    trace = six_trace()
    trace["variant"]["sudden_win"] = flag
    crosswise.referee(trace)


def test_the_points_of_a_group_of_six_count_in_the_score_columns_of_a_sudden_win() -> None:
    outcome = [entry(0, -2, 1, 1.0, "-2 0 0 0 0 0"), entry(1, 0, 2, 0.0, NOTHING)]
    accepted(six_in(TOP_ROW, 0), outcome, group_points=[1, 3, 5, 7, -2])


@pytest.mark.parametrize(
    ("points", "rows", "columns"),
    [
        ([20, 3, 5, 7, 7], (140, "5 40 7 25 60 3"), (98, "20 3 23 6 6 40")),
        ([1, 20, 5, 7, 7], (43, "5 2 7 6 3 20"), (90, "1 20 21 40 6 2")),
        ([1, 3, 20, 7, 7], (56, "20 2 7 21 3 3"), (22, RULEBOOK_COLUMNS)),
        ([1, 3, 5, 20, 7], (39, "5 2 20 6 3 3"), (22, RULEBOOK_COLUMNS)),
        ([1, 3, 5, 7, 20], (26, RULEBOOK_ROWS), (22, RULEBOOK_COLUMNS)),
        ([0, 0, 0, 0, 0], (0, NOTHING), (6, "0 0 0 0 6 0")),
        ([0.5, 3, 5, 7, 7], (23.0, "5 1.0 7 5.5 1.5 3"), (20.0, "0.5 3 3.5 6 6 1.0")),
    ],
    ids=str,
)
def test_option_group_points(points: list[float], rows: tuple[float, str], columns: tuple[float, str]) -> None:
    """Each number changes the lines of the rulebook's board that have such a group, and no others."""
    winner = 0 if rows[0] > columns[0] else 1
    outcome = [
        entry(seat, score, 1 if seat == winner else 2, 1.0 if seat == winner else 0.0, lines)
        for seat, (score, lines) in enumerate((rows, columns))
    ]
    accepted([*filled(RULEBOOK_BOARD), end("full")], outcome, group_points=points)


@pytest.mark.parametrize(
    ("points", "score", "rows", "columns"),
    [
        (0, 16, (1, 1.0), (2, 0.0)),
        (-7.5, 8.5, (1, 1.0), (2, 0.0)),
        (10, 26, (1, 0.5), (1, 0.5)),
        (12, 28, (2, 0.0), (1, 1.0)),
    ],
)
def test_option_six_different_points(
    points: float, score: float, rows: tuple[int, float], columns: tuple[int, float]
) -> None:
    outcome = [entry(0, 26, *rows, RULEBOOK_ROWS), entry(1, score, *columns, f"1 3 4 6 {points} 2")]
    accepted([*filled(RULEBOOK_BOARD), end("full")], outcome, six_different_points=points)


def test_points_that_are_not_whole_tie_whatever_the_order_of_the_lines() -> None:
    rules = Rules(group_points=(0.1, 0.7, 0.3, 1.3, 1.9), six_different_points=0.2)
    scores = set()
    for order in itertools.permutations(RULEBOOK_BOARD.split()):
        state = table(" ".join(order), "", "")
        state.rules = rules
        scores.add(crosswise.outcome_of(state)[0].score)
    assert len(scores) == 1
    assert scores.pop() == pytest.approx(0.3 + 0.2 + 1.3 + 0.4 + 0.3 + 0.7)


@pytest.mark.parametrize("copies", [2, 6, 10])
def test_option_copies(copies: int) -> None:
    """Both hands together hold all stones of a symbol; no other can be drawn."""
    stones = Counter(crosswise.start(Rules(copies=copies), 2).bag)
    assert [stones[symbol] for symbol in SYMBOLS] == [copies] * 6
    options = {"copies": copies, "hand": copies // 2}
    for symbol, other in zip(SYMBOLS, "234561", strict=True):
        hand = symbol * (copies // 2)
        events = [draw(0, hand), draw(1, hand), place(1, 0, symbol, "00")]
        goes_on([*events, draw(0, other)], **options)
        message = f"event 3: seat 0 draws {symbol} too often, it is in the bag 0 times"
        refused([*events, draw(0, symbol)], message, **options)


@pytest.mark.parametrize("number", [0, 2, 10])
def test_option_action_stones(number: int) -> None:
    """Both hands together hold all action stones of a kind; no other can be drawn."""
    stones = Counter(crosswise.start(Rules(action_stones=number), 2).bag)
    assert [stones[action] for action in LETTERS.values()] == [number] * 4
    options = {"action_stones": number, "hand": number // 2 + 1}
    for letter, action in LETTERS.items():
        hand = "1" + letter * (number // 2)
        events = [draw(0, hand), draw(1, hand), place(1, 0, "1", "00")]
        goes_on([*events, draw(0, "1")], **options)
        message = f"event 3: seat 0 draws {action} too often, it is in the bag 0 times"
        refused([*events, draw(0, letter)], message, **options)


@pytest.mark.parametrize("size", range(1, 9))
def test_option_hand(size: int) -> None:
    hands = [draw(seat, (SYMBOLS * 3)[2 * seat :][:size]) for seat in range(4)]
    goes_on([*hands[:2], place(1, 0, "1", "00"), draw(0, "6"), place(2, 1, "3", "11"), draw(1, "6")], hand=size)
    message = f"event 0: seat 0 draws {size} of 54 stones in the bag, not {size + 1}"
    refused([draw(0, "123456123"[: size + 1])], message, hand=size)
    # With two or four seats nobody sits alone, and with three the lone hand has an option of its own.
    goes_on(hands, 4, hand=size, lone_hand=10)
    goes_on([hands[0], draw(1, "123456"), hands[2]], 3, hand=size)


@pytest.mark.parametrize("size", range(1, 11))
def test_option_lone_hand(size: int) -> None:
    hands = [draw(0, "1234"), draw(1, "1234561234"[:size]), draw(2, "1234")]
    goes_on([*hands, place(1, 0, "1", "00"), draw(0, "6"), place(2, 1, "1", "11"), draw(1, "6")], 3, lone_hand=size)
    goes_on([hands[0], draw(1, "1234")], 2, lone_hand=size)


# Different plays


def test_plays_on_the_empty_board() -> None:
    state = table(EMPTY_BOARD, "1122", "RMSP")
    cells = [Play("place", ((row, column),), symbol) for symbol in "12" for row in range(6) for column in range(6)]
    assert crosswise.legal_plays(state, 0) == cells
    assert crosswise.legal_plays(state, 1) == []


def test_plays_on_a_board_with_two_stones_listed_by_hand() -> None:
    """All spaces but four are filled, so that the list stays short enough to be written down."""
    board = ".23456 234561 345612 456123 561234 61234."
    symbols = {(row, column): board.split()[row][column] for row in range(6) for column in range(6)}
    state = table(board, "1RMSPR1", "")
    plays = crosswise.legal_plays(state, 0)
    empty = [(0, 0), (5, 5)]
    taken = [cell for cell in crosswise.CELLS if cell not in empty]
    assert [symbols[cell] for cell in empty] == [".", "."]
    assert [play for play in plays if play.kind == "place"] == [
        Play("place", ((0, 0),), "1"),
        Play("place", ((5, 5),), "1"),
    ]
    assert {play.cells for play in plays if play.kind == "remove"} == {(cell,) for cell in taken}
    moves = {play.cells for play in plays if play.kind == "move"}
    assert moves == {(old, new) for old in taken for new in empty}
    swaps = {frozenset(play.cells) for play in plays if play.kind == "swap"}
    assert swaps == {frozenset({first, second}) for first in taken for second in taken if first != second}
    assert {(play.cells, play.stone) for play in plays if play.kind == "replace"} == {((cell,), "1") for cell in taken}
    assert Counter(play.kind for play in plays) == {
        "place": 2,
        "remove": 34,
        "move": 34 * 2,
        "swap": 34 * 33 // 2,
        "replace": 34,
    }


def test_the_most_stones_to_swap_are_595_pairs_and_the_most_moves_324() -> None:
    board = RULEBOOK_BOARD[:-1] + "."
    assert len(crosswise.legal_plays(table(board, "S", ""), 0)) == 595
    half = "123456 123456 123456 ...... ...... ......"
    assert len(crosswise.legal_plays(table(half, "M", ""), 0)) == 324


@st.composite
def tables(draw_value: st.DrawFn) -> State:
    """Any stones on the board (but not on all of it) and in the hands of two to four seats."""
    stones = draw_value(st.permutations(crosswise.all_stones(Rules())))
    state = crosswise.start(Rules(), draw_value(st.integers(2, 4)))
    state.bag = list(stones)
    for seat in range(len(state.hands)):
        state.hands[seat] = [state.bag.pop() for _ in range(draw_value(st.integers(0, 6)))]
    symbols = [stone for stone in state.bag if stone in SYMBOLS]
    number = draw_value(st.integers(0, min(35, len(symbols))))
    cells = draw_value(st.lists(st.sampled_from(crosswise.CELLS), min_size=number, max_size=number, unique=True))
    for cell in cells:
        symbol = symbols.pop()
        state.bag.remove(symbol)
        crosswise.put(state, cell, symbol)
    return state


@given(tables())
def test_different_plays_differ_and_are_counted_by_kind(state: State) -> None:
    stones = sum(stone is not None for row in state.board for stone in row)
    for seat, hand in enumerate(state.hands):
        plays = crosswise.legal_plays(state, seat)
        assert len(set(plays)) == len(plays)
        symbols = len(set(hand) & set(SYMBOLS))
        counts = {
            "place": symbols * (36 - stones),
            "remove": stones if "remove" in hand else 0,
            "move": stones * (36 - stones) if "move" in hand else 0,
            "swap": stones * (stones - 1) // 2 if "swap" in hand else 0,
            "replace": symbols * stones if "replace" in hand else 0,
        }
        assert Counter(play.kind for play in plays) == {kind: count for kind, count in counts.items() if count}


def conceivable_plays() -> Iterator[Play]:
    """All that anybody could try, legal or not; of two ways to name a swap only one."""
    for cell in crosswise.CELLS:
        yield Play("remove", (cell,))
        for symbol in SYMBOLS:
            yield Play("place", (cell,), symbol)
            yield Play("replace", (cell,), symbol)
    for first, second in itertools.product(crosswise.CELLS, repeat=2):
        yield Play("move", (first, second))
        if first <= second:
            yield Play("swap", (first, second))


@settings(deadline=None, max_examples=60)
@given(tables())
def test_a_play_is_listed_when_nothing_speaks_against_it(state: State) -> None:
    for seat in (0, 1):
        legal = {play for play in conceivable_plays() if crosswise.refusal(state, seat, play) is None}
        assert set(crosswise.legal_plays(state, seat)) == legal


@settings(deadline=None)
@given(tables(), st.data())
def test_no_play_loses_a_stone(state: State, data: st.DataObject) -> None:
    seat = data.draw(st.integers(0, len(state.hands) - 1))
    plays = crosswise.legal_plays(state, seat)
    if not plays:
        return
    play = data.draw(st.sampled_from(plays))
    before = copy.deepcopy(state)
    crosswise.carry_out(state, seat, play)
    crosswise.check_stones(state)
    on_board = {"place": 1, "remove": -1}.get(play.kind, 0)
    in_hand = {"remove": 0}.get(play.kind, -1)
    assert sum(map(stones_in, state.board)) == sum(map(stones_in, before.board)) + on_board
    assert len(state.hands[seat]) == len(before.hands[seat]) + in_hand
    assert len(state.played) == (0 if play.kind == "place" else 1)
    assert state.bag == before.bag
    assert all(state.hands[other] == before.hands[other] for other in range(len(state.hands)) if other != seat)
    changed = {cell for cell in crosswise.CELLS if crosswise.stone_on(state, cell) != crosswise.stone_on(before, cell)}
    assert changed <= set(play.cells)


def stones_in(row: Sequence[str | None]) -> int:
    return sum(stone is not None for stone in row)


def test_stones_that_get_lost_or_come_from_nowhere_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    for seat, stone in ((0, None), (1, "1")):
        state = table(RULEBOOK_BOARD, "RM", "PP")
        crosswise.check_stones(state)
        if stone is None:
            state.hands[seat].pop()
        else:
            state.hands[seat].append(stone)
        with pytest.raises(AssertionError, match=r"^turn 1: stones got lost or came from nowhere$"):
            crosswise.check_stones(state)

    whole = crosswise.carry_out

    def careless(state: State, seat: int, play: Play) -> None:
        whole(state, seat, play)
        if play.kind == "remove":
            state.hands[seat].pop()

    monkeypatch.setattr(crosswise, "carry_out", careless)
    with pytest.raises(AssertionError, match=r"^turn 5: stones got lost or came from nowhere$"):
        crosswise.referee(long_trace())


# Playing


def placer(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
    """Place a symbol stone while there is one."""
    return chance.choice([play for play in options if play.kind == "place"] or options)


def actor(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
    """Play an action stone while there is one that can be played."""
    return chance.choice([play for play in options if play.kind != "place"] or options)


def sorter(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
    """Place every symbol in its own row if there is room, so that rows of six come about."""
    own = [play for play in options if play.kind == "place" and int(play.stone or 0) - 1 == play.cells[0][0]]
    return chance.choice(own or options)


def breaker(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
    """Remove stones while possible, so that boards fill slowly."""
    return chance.choice([play for play in options if play.kind == "remove"] or options)


CHOOSERS: list[crosswise.Chooser] = [crosswise.uniform, placer, actor, sorter, breaker]


def reason_of(game: Game) -> str:
    return str(game.events[-1]["reason"])


def turns_of(game: Game) -> int:
    return sum("turn" in event and event["type"] != "pass" for event in game.events)


def test_a_full_board_takes_36_to_51_turns_apart_from_passes() -> None:
    turns = set()
    for seed in range(40):
        for chooser in (placer, actor):
            game = crosswise.play(Rules(sudden_win=False), 2 + seed % 3, random.Random(seed), chooser)
            actions = Counter(game.state.played)
            assert reason_of(game) == "full"
            assert turns_of(game) == 36 + len(game.state.played) + actions["remove"]
            turns.add(turns_of(game))
    assert min(turns) == 36
    assert max(turns) == 51


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_with_the_standard_stones_no_game_ends_by_passes(seats: int) -> None:
    """Whoever cannot play has no symbol stone, and 42 of them do not fit on the board."""
    reasons = Counter(
        reason_of(crosswise.play(Rules(), seats, random.Random(seed), CHOOSERS[seed % len(CHOOSERS)]))
        for seed in range(60)
    )
    assert set(reasons) == {"full", "six"}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_with_five_copies_every_game_ends_by_passes(seats: int) -> None:
    """There are 30 symbol stones for 36 spaces, and no six of a kind."""
    for seed in range(10):
        game = crosswise.play(Rules(copies=5), seats, random.Random(seed), CHOOSERS[seed % len(CHOOSERS)])
        assert reason_of(game) == "passes"
        crosswise.referee(trace_from(game))
        assert sum(map(stones_in, game.state.board)) == 30
    game = crosswise.play(Rules(copies=5), seats, random.Random(1), crosswise.uniform)
    trailing = [event["type"] for event in game.events][-2 - seats : -1]
    assert trailing.count("pass") >= seats


def hoarder(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
    """Keep the replace stones, which are worth nothing in the end without a symbol stone."""
    others = [play for play in options if play.kind in ("remove", "move", "swap")]
    return chance.choice(others or [play for play in options if play.kind == "place"] or options)


def test_a_seat_may_have_to_pass_with_the_standard_stones() -> None:
    """When the bag is empty, and its last stones are replace stones."""
    passes = 0
    for seed in range(100):
        game = crosswise.play(Rules(), 4, random.Random(seed), hoarder)
        passes += sum(event["type"] == "pass" for event in game.events)
        assert reason_of(game) == "full"
    assert passes > 0


def average(values: Sequence[float]) -> tuple[float, float]:
    """Mean and its standard error."""
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


# What this engine makes of the uniformly random player: turns with a play, different plays to choose from (averaged
# over the turns of a game), and the points of the rows and of the columns, each with its standard error. Measured over
# 30,000 games; nearly all of them fill the board, and nearly all action stones are played.
MEASURED = [
    (2, [(50.594, 0.005), (82.836, 0.054), (13.877, 0.018), (13.870, 0.018)]),
    (3, [(50.932, 0.002), (94.058, 0.056), (13.829, 0.018), (13.882, 0.018)]),
    (4, [(50.902, 0.003), (84.157, 0.049), (13.817, 0.018), (13.842, 0.018)]),
]


def check_the_uniform_player(seats: int, measured: Sequence[tuple[float, float]], games: int) -> None:
    chance = random.Random(seats)
    widths: list[int] = []

    def watching(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
        widths.append(len(options))
        return crosswise.uniform(state, seat, options, chance)

    values: list[list[float]] = []
    for _ in range(games):
        widths.clear()
        game = crosswise.play(Rules(), seats, chance, watching)
        outcome = crosswise.outcome_of(game.state)
        values.append([len(widths), statistics.mean(widths), outcome[0].score, outcome[1].score])
    for sample, (wanted, known) in zip(zip(*values, strict=True), measured, strict=True):
        mean, error = average(sample)
        assert abs(mean - wanted) < 5 * math.hypot(error, known)


@pytest.mark.parametrize(("seats", "measured"), MEASURED)
def test_the_uniform_player(seats: int, measured: Sequence[tuple[float, float]]) -> None:
    check_the_uniform_player(seats, measured, games=150)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "measured"), MEASURED)
def test_the_uniform_player_longer(seats: int, measured: Sequence[tuple[float, float]]) -> None:
    check_the_uniform_player(seats, measured, games=5000)


def expected_points(copies: int) -> float:
    """Points of a line of six stones, drawn at random out of so many of each symbol."""
    lines = math.comb(6 * copies, 6)
    of_a_symbol = [math.comb(copies, size) * math.comb(5 * copies, 6 - size) for size in range(7)]
    groups = sum(6 * of_a_symbol[size] * points for size, points in ((2, 1), (3, 3), (4, 5), (5, 7), (6, 7)))
    return float(Fraction(groups + copies**6 * 6, lines))


@pytest.mark.parametrize("copies", [2, 6, 7])
def test_random_lines_are_worth_what_they_should_be(copies: int) -> None:
    """The mean over all lines that can be drawn, where `expected_points` has only the chances of single groups."""
    points = 0.0
    for counts in itertools.product(range(min(copies, 6) + 1), repeat=6):
        if sum(counts) == 6:
            ways = math.prod(math.comb(copies, count) for count in counts)
            points += ways * crosswise.line_points(counts, Rules())
    assert points / math.comb(6 * copies, 6) == pytest.approx(expected_points(copies), rel=1e-12)


def check_the_spread_of_stones(seats: int, games: int) -> None:
    rules = Rules(copies=6, sudden_win=False)
    exact = 6 * expected_points(6)
    chance = random.Random(seats)
    played = [crosswise.play(rules, seats, chance, crosswise.uniform) for _ in range(games)]
    assert {reason_of(game) for game in played} == {"full"}
    for seat in (0, 1):
        mean, error = average([crosswise.outcome_of(game.state)[seat].score for game in played])
        assert abs(mean - exact) < 5 * error


@pytest.mark.parametrize("seats", [2, 3])
def test_the_uniform_player_spreads_all_stones_at_random(seats: int) -> None:
    """With 36 symbol stones and no sudden win every stone ends on the board, and every space is like any other."""
    check_the_spread_of_stones(seats, games=150)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_uniform_player_spreads_all_stones_at_random_longer(seats: int) -> None:
    check_the_spread_of_stones(seats, games=5000)


def test_uniform_makes_every_different_play_with_the_same_probability() -> None:
    state = table(".23456 234561 345612 456123 561234 61234.", "1123", "")
    options = crosswise.legal_plays(state, 0)
    assert len(options) == 6
    chance = random.Random(1)
    counts = Counter(crosswise.uniform(state, 0, options, chance) for _ in range(6000))
    deviation = math.sqrt(6000 * (1 / 6) * (5 / 6))
    assert len(counts) == 6
    assert all(abs(count - 1000) < 5 * deviation for count in counts.values())


def test_first_hands_are_redrawn_until_they_have_a_symbol() -> None:
    """Of 52 stones 12 are symbols: a hand of one goes back 40/12 times on average, and then all symbols are alike."""
    rules = Rules(copies=2, action_stones=10, hand=1)
    chance = random.Random(5)
    returns: list[float] = []
    kept: Counter[str] = Counter()
    for _ in range(600):
        events = crosswise.play(rules, 2, chance, crosswise.uniform).events
        first = list(itertools.takewhile(lambda event: event.get("seat") == 0, events))
        returns.append(sum(event["type"] == "return" for event in first))
        kept[first[-1]["stones"][0]] += 1
    mean, error = average(returns)
    assert abs(mean - 40 / 12) < 4.5 * error
    assert set(kept) == set(SYMBOLS)
    assert all(abs(count - 100) < 5 * math.sqrt(600 * (1 / 6) * (5 / 6)) for count in kept.values())


def test_first_hands_are_seldom_redrawn_with_the_standard_stones() -> None:
    """Four action stones out of four are drawn with probability 495/316251."""
    assert math.comb(12, 4) == 495
    assert math.comb(54, 4) == 316251
    found = 0
    for seed in range(20_000):
        state = crosswise.start(Rules(), 2)
        crosswise.draw_stones(state, 0, random.Random(seed))
        found += crosswise.is_to_redraw(state, 0)
    expected = 20_000 * 495 / 316251
    assert abs(found - expected) < 5 * math.sqrt(expected)


def test_play_refuses_a_play_that_is_no_option() -> None:
    def cheat(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
        return Play("place", ((0, 0),), "1") if state.turn < 3 else Play("remove", ((0, 1),))

    with pytest.raises(IllegalGameError, match=r"^turn \d: seat \d chose Play\(kind=.*\), which is not legal$"):
        crosswise.play(Rules(), 2, random.Random(1), cheat)


def test_the_chooser_is_not_asked_about_a_pass() -> None:
    asked = []

    def watching(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
        assert options
        asked.append(state.turn)
        return options[0]

    game = crosswise.play(Rules(copies=5), 3, random.Random(3), watching)
    assert asked == [event["turn"] for event in game.events if "turn" in event and event["type"] != "pass"]
    assert any(event["type"] == "pass" for event in game.events)


def trace_from(game: Game) -> Trace:
    rules = game.state.rules
    outcome = [seat._asdict() for seat in crosswise.outcome_of(game.state)]
    options = {**vars(rules), "group_points": list(rules.group_points)}
    return trace_of(game.events, outcome, **options)


RULES = st.builds(
    Rules,
    sudden_win=st.booleans(),
    group_points=st.one_of(
        st.just(Rules().group_points),
        st.lists(st.one_of(st.integers(-5, 100), st.floats(-5, 100)), min_size=5, max_size=5).map(tuple),
    ),
    six_different_points=st.one_of(st.just(6), st.integers(-5, 50), st.floats(-5, 50)),
    copies=st.one_of(st.just(7), st.integers(2, 10)),
    action_stones=st.one_of(st.just(3), st.integers(0, 10)),
    hand=st.one_of(st.just(4), st.integers(1, 8)),
    lone_hand=st.one_of(st.just(6), st.integers(1, 10)),
)


@st.composite
def games(draw_value: st.DrawFn) -> Game:
    chooser = draw_value(st.sampled_from(CHOOSERS))
    chance = random.Random(draw_value(st.integers(0, 2**32)))
    return crosswise.play(draw_value(RULES), draw_value(st.integers(2, 4)), chance, chooser)


@settings(deadline=None, max_examples=50)
@given(games())
def test_referee_accepts_what_play_makes(game: Game) -> None:
    assert crosswise.referee(trace_from(game)) == crosswise.outcome_of(game.state)


@settings(deadline=None, max_examples=50)
@given(games())
def test_what_holds_at_the_end_of_every_game(game: Game) -> None:
    events, state, rules = game.events, game.state, game.state.rules
    seats = len(state.hands)
    crosswise.check_stones(state)
    on_board = sum(map(stones_in, state.board))
    kinds = Counter(event["type"] for event in events)
    assert on_board == kinds["place"] - kinds["remove"]
    assert Counter(state.played) == {kind: kinds[kind] for kind in LETTERS.values() if kinds[kind]}

    lines = [row for row in state.board] + [list(column) for column in zip(*state.board, strict=True)]
    has_six = any(line[0] is not None and set(line) == {line[0]} for line in lines)
    reason = reason_of(game)
    assert (reason == "six") == (rules.sudden_win and has_six)
    assert (reason == "full") == (on_board == 36 and reason != "six")
    if reason == "passes":
        assert all(crosswise.legal_plays(state, seat) == [] for seat in range(seats))
        assert all(stone not in SYMBOLS for hand in state.hands for stone in hand)

    # Hands are full until the bag is empty; only the play that ends the game is not followed by a draw.
    for seat, hand in enumerate(state.hands):
        size = rules.lone_hand if seats == 3 and seat == 1 else rules.hand
        lacking = size - len(hand)
        assert lacking >= 0
        assert lacking == 0 or not state.bag or (lacking == 1 and seat == state.mover and reason != "passes")

    for event in events:
        if "turn" in event:
            assert event["seat"] == ORDER[seats][(event["turn"] - 1) % len(ORDER[seats])]
    assert [event["turn"] for event in events if "turn" in event] == list(range(1, state.turn + 1))

    outcome = crosswise.outcome_of(state)
    assert all(seat.score == pytest.approx(math.fsum(seat.lines)) for seat in outcome)
    assert all(seat[1:] == outcome[seat.team][1:] for seat in outcome)
    rows, columns = outcome[:2]
    assert rows.win + columns.win == 1
    assert {rows.rank, columns.rank} == ({1} if rows.win == 0.5 else {1, 2})
    if reason != "six":
        assert (rows.score > columns.score) == (rows.rank < columns.rank)


def test_the_games_of_these_tests_reach_every_kind_of_ending() -> None:
    """Properties say nothing about what never happens."""
    reached: set[object] = set()
    for seed in range(150):
        rules = Rules(copies=2 + seed % 9, action_stones=seed % 11, hand=1 + seed % 8, sudden_win=seed % 2 == 0)
        seats = 2 + seed % 3
        game = crosswise.play(rules, seats, random.Random(seed), CHOOSERS[seed % len(CHOOSERS)])
        kinds = [event["type"] for event in game.events]
        reached.add((seats, reason_of(game)))
        reached |= set(kinds)
        lines = [set(line) for team in (0, 1) for line in crosswise.lines_of(game.state, team)]
        if any(len(line) == 1 and None not in line for line in lines):
            reached.add("six that win" if rules.sudden_win else "six that do not win")
        if game.state.bag and reason_of(game) == "passes":
            reached.add("passes with stones in the bag")
        final = list(itertools.takewhile(lambda kind: kind == "pass", reversed(kinds[:-1])))
        if reason_of(game) == "passes":
            reached.add((seats, len(final)))
        outcome = crosswise.outcome_of(game.state)
        reached.add(outcome[0].win)
        if reason_of(game) == "six" and outcome[0].win != (outcome[0].score > outcome[1].score):
            reached.add("a sudden win with fewer points")
    assert reached >= {
        *["draw", "return", "place", "remove", "move", "swap", "replace", "pass", "end"],
        *[(seats, reason) for seats in (2, 3, 4) for reason in ("full", "passes")],
        (2, "six"),
        (2, 2),
        (3, 3),
        (3, 4),
        (4, 4),
        "six that win",
        "six that do not win",
        "passes with stones in the bag",
        0.0,
        0.5,
        1.0,
    }


# Traces that are wrong


def is_refused(trace: Trace) -> bool:
    try:
        crosswise.referee(trace)
    except IllegalGameError:
        return True
    return False


def same_json(first: object, second: object) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


class MissingStoneError(Exception):
    """A stone is not where it is said to come from, or a space not empty where one is to be laid."""


def stands(trace: Trace) -> bool:
    """Whether altered stones and spaces still make a game: told once more, as stones that are carried about.

    They come from the bag and go from place to place: a seat's hand, a space of the board, the corner for action
    stones. The kinds of events, the turns, the seats and the numbers of stones have to be those of a game already.
    """
    options, events = trace["variant"], trace["events"]
    board: dict[tuple[int, int], str] = {}
    held: defaultdict[object, Counter[str]] = defaultdict(Counter)
    held["bag"] = Counter(dict.fromkeys(SYMBOLS, options["copies"]))
    held["bag"].update(dict.fromkeys(LETTERS.values(), options["action_stones"]))

    def take(place: Any, stone: str | None = None) -> str:
        """Take a certain stone out of a bag or a hand, or the one on a space."""
        if stone is None:
            if tuple(place) not in board:
                raise MissingStoneError
            return board.pop(tuple(place))
        if held[place][stone] == 0:
            raise MissingStoneError
        held[place][stone] -= 1
        return stone

    def lay(stone: str, space: list[int]) -> None:
        if tuple(space) in board:
            raise MissingStoneError
        board[space[0], space[1]] = stone

    def has_symbol(place: object) -> bool:
        return any(held[place][symbol] > 0 for symbol in SYMBOLS)

    def lines(team: int) -> list[list[str]]:
        return [[stone for space, stone in board.items() if space[team] == line] for line in range(6)]

    def worth(line: list[str]) -> float:
        groups = sorted(Counter(line).values())
        if groups == [1] * 6:
            return float(options["six_different_points"])
        return float(sum(options["group_points"][size - 2] for size in groups if size > 1))

    def teams_with_six() -> list[int]:
        return [team for team in (0, 1) if any(len(line) == 6 and len(set(line)) == 1 for line in lines(team))]

    def follow(event: Event) -> None:
        kind, seat = event["type"], event.get("seat")
        if kind in LETTERS.values():
            held["corner"][take(seat, kind)] += 1
        if kind in ("draw", "return"):
            source, target = ("bag", seat) if kind == "draw" else (seat, "bag")
            held[target].update([take(source, stone) for stone in event["stones"]])
        elif kind == "place":
            lay(take(seat, event["stone"]), event["cell"])
        elif kind == "remove":
            held[seat][take(event["cell"])] += 1
        elif kind == "move":
            taken = take(event["from"]) if event["from"] != event["to"] else None
            lay(taken or "", event["to"])
        elif kind == "swap":
            first, second = take(event["cells"][0]), take(event["cells"][1])
            lay(second, event["cells"][0])
            lay(first, event["cells"][1])
        elif kind == "replace":
            new = take(seat, event["stone"])
            held[seat][take(event["cell"])] += 1
            lay(new, event["cell"])

    def fits(event: Event, following: Event, has_begun: bool) -> bool:
        kind, seat = event["type"], event["seat"]
        if kind == "draw" and not has_begun:
            is_returned: bool = following["type"] == "return"
            return is_returned == (has_symbol("bag") and not has_symbol(seat))
        if kind == "return":
            return held[seat].total() == 0
        if kind == "pass":
            can_act = held[seat]["remove"] + held[seat]["move"] > 0 and len(board) >= 1
            return not has_symbol(seat) and not can_act and (held[seat]["swap"] == 0 or len(board) < 2)
        six = teams_with_six() if options["sudden_win"] else []
        return kind == "draw" or six == ([following["team"]] if following.get("reason") == "six" else [])

    has_begun = False
    for event, following in itertools.pairwise(events):
        has_begun = has_begun or "turn" in event
        try:
            follow(event)
        except MissingStoneError:
            return False
        if not fits(event, following, has_begun):
            return False
    values = [[worth(line) for line in lines(team)] for team in (0, 1)]
    totals = [sum(value) for value in values]
    winners = teams_with_six() if options["sudden_win"] else []
    winners = winners or [team for team in (0, 1) if totals[team] == max(totals)]
    return all(
        seat["lines"] == values[seat["team"]]
        and seat["score"] == totals[seat["team"]]
        and seat["win"] == (1 / len(winners) if seat["team"] in winners else 0)
        for seat in trace["outcome"]
    )


# Values that are never right where another stands.
WRONG_VALUES: dict[str, list[object]] = {
    "type": [*crosswise.EVENT_KEYS, "roll", 1, None, []],
    "turn": [*range(25), -1, 1.0, True, None, "1"],
    "seat": [0, 1, 2, 3, -1, 0.0, 1.0, False, None, "0"],
    "reason": ["six", "full", "passes", "tracks", None],
    "team": [0, 1, 2, -1, False, True, None],
    "stone": ["0", "7", "remove", "swap", 1, None, []],
    **{
        key: [[0, 6], [6, 0], [-1, 0], [0], [0, 0, 0], [0.0, 0], [True, 0], "00", None]
        for key in ("cell", "from", "to")
    },
    "cells": [[[0, 0]], [[0, 0], [0, 1], [0, 2]], [0, 1], [[0, 0], [0, 6]], [[0, 0], None], None, "0001", []],
}


def other_values(key: str, value: Any) -> list[object]:
    """Return all values of the right shape for a key that holds stones or spaces."""
    spaces = [[row, column] for row in range(6) for column in range(6)]
    others: list[object] = []
    if key in ("cell", "from", "to"):
        others += spaces
    elif key == "stone":
        others += list(SYMBOLS)
    elif key == "cells":
        others += [[first, second] for first in spaces for second in spaces]
    elif key == "stones":
        others += [list(order) for order in itertools.permutations(value)][:24]
        for place, stone in itertools.product(range(len(value)), crosswise.STONES):
            others.append([*value[:place], stone, *value[place + 1 :]])
    return [other for other in others if other != value]


def wrong_values(key: str, value: Any) -> list[object]:
    """Return values that are never right in the place of this one; for stones too many, too few, or none at all."""
    others = WRONG_VALUES.get(key, [])
    if key == "stones":
        others = [value[:-1], [*value, "1"], [*value[:-1], "0"], [*value[:-1], 1], "".join(value), None, {}]
    return [other for other in others if not same_json(other, value)]


@pytest.mark.parametrize("trace", WHOLE_GAMES, ids=NAMES)
def test_every_wrong_value_in_an_event_is_refused(trace: Trace) -> None:
    trace = copy.deepcopy(trace)
    tried: Counter[str] = Counter()
    for index, event in thinned(trace):
        for key in event:
            for other in wrong_values(key, event[key]):
                trace["events"][index] = {**event, key: other}
                assert is_refused(trace), trace["events"][index]
                tried[key] += 1
        trace["events"][index] = event
    assert {"type", "turn", "seat", "reason", "stones", "cell"} <= set(tried)


@pytest.mark.parametrize("trace", WHOLE_GAMES, ids=NAMES)
def test_other_stones_and_spaces_are_refused_unless_they_make_the_same_outcome(trace: Trace) -> None:
    trace = copy.deepcopy(trace)
    assert stands(trace)
    tried: Counter[bool] = Counter()
    for index, event in thinned(trace):
        for key, value in event.items():
            others = other_values(key, value)
            for other in others if len(others) < 100 else others[::7]:
                trace["events"][index] = {**event, key: other}
                stays = stands(trace)
                assert is_refused(trace) != stays, trace["events"][index]
                tried[stays] += 1
        trace["events"][index] = event
    assert tried[True] > 5
    assert tried[False] > 50


def thinned(trace: Trace) -> list[tuple[int, Event]]:
    """Return the events of a trace with their numbers; of a long one only the first, the last and some others."""
    numbered = list(enumerate(trace["events"]))
    return numbered if len(numbered) < 50 else [*numbered[:4], *numbered[4:-3:9], *numbered[-3:]]


@pytest.mark.parametrize("trace", WHOLE_GAMES, ids=NAMES)
def test_every_event_that_is_dropped_is_missed(trace: Trace) -> None:
    for index, event in enumerate(trace["events"]):
        events = [*trace["events"][:index], *trace["events"][index + 1 :]]
        assert is_refused({**trace, "events": events}), event


@pytest.mark.parametrize("trace", [six_trace(), long_trace(), WHOLE_GAMES[3]], ids=["six", "long", "stuck"])
def test_every_event_that_is_put_in_is_one_too_many(trace: Trace) -> None:
    events = trace["events"]
    for event, position in itertools.product(events, range(len(events) + 1)):
        assert is_refused({**trace, "events": [*events[:position], event, *events[position:]]}), (event, position)


@pytest.mark.parametrize("trace", [six_trace(), long_trace(), WHOLE_GAMES[3]], ids=["six", "long", "stuck"])
def test_two_events_change_places_only_when_they_draw_stones_that_nobody_misses(trace: Trace) -> None:
    for first, second in itertools.combinations(range(len(trace["events"])), 2):
        events = list(trace["events"])
        events[first], events[second] = events[second], events[first]
        is_draw = events[first]["type"] == events[second]["type"] == "draw"
        is_alike = is_draw and events[first]["seat"] == events[second]["seat"]
        is_alike = is_alike and len(events[first]["stones"]) == len(events[second]["stones"])
        changed = {**trace, "events": events}
        assert is_refused(changed) != (is_alike and stands(changed)), (first, second)


def test_every_key_that_is_missing_or_unknown_in_an_event_is_refused() -> None:
    for whole in WHOLE_GAMES:
        for index, event in thinned(whole):
            for key in event:
                without = {name: value for name, value in event.items() if name != key}
                assert is_refused({**whole, "events": [*whole["events"][:index], without]})
            more = {**event, "note": "?"}
            with pytest.raises(IllegalGameError, match=rf"^event {index}: {event['type']}: the key 'note' is unknown$"):
                crosswise.referee({**whole, "events": [*whole["events"][:index], more]})


@pytest.mark.parametrize("event", ["draw", 3, None, [], {}, {"turn": 1}, {"type": []}, {"type": "roll", "seat": 0}])
def test_what_is_no_event_is_refused(event: object) -> None:
    trace = long_trace()
    trace["events"].insert(7, event)
    with pytest.raises(IllegalGameError) as caught:
        crosswise.referee(trace)
    kinds = "draw, return, place, remove, move, swap, replace, pass or end"
    assert str(caught.value) == f"event 7: {event!r} is not a {kinds} event"


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (place(0, 0, "2", "00"), "event 2: place: there is no turn 0"),
        (place(1, 2, "2", "00"), "event 2: place: there is no seat 2"),
        ({**remove(1, 0, "00"), "stone": "2"}, "event 2: remove: the key 'stone' is unknown"),
        ({**move(1, 0, "00", "11"), "cell": [0, 0]}, "event 2: move: the key 'cell' is unknown"),
        ({**move(1, 0, "00", "11"), "to": [1, 7]}, "event 2: move: there is no space [1, 7]"),
        ({**move(1, 0, "00", "11"), "from": None}, "event 2: move: there is no space None"),
        ({**swap(1, 0, "00", "11"), "cells": [[0, 0]]}, "event 2: swap: [[0, 0]] is not a list of two spaces"),
        ({**end("six", 0), "team": 2}, "event 2: end: there is no team 2"),
        (end("six"), "event 2: end: the key 'team' is missing"),
        (end("full", 0), "event 2: end: the key 'team' is unknown"),
        (end("passes", 0), "event 2: end: the key 'team' is unknown"),
        (end("tracks"), "event 2: end: the reason 'tracks' is not 'six', 'full' or 'passes'"),
        (end("full"), f"event 2: turn 1 begins with a play or a pass, not with {end('full')}"),
    ],
)
def test_faults_of_single_events_are_named(event: Event, message: str) -> None:
    refused([*opening(0), event], message)


def test_nothing_comes_after_the_end() -> None:
    for trace in WHOLE_GAMES:
        for more in (trace["events"][-1], draw(0, "1"), place(7, 0, "1", "22"), skip(37, 0)):
            events = [*trace["events"], more]
            with pytest.raises(IllegalGameError) as caught:
                crosswise.referee({**trace, "events": events})
            assert str(caught.value) == f"event {len(events) - 1}: {more} comes after the end"


def test_a_game_that_stops_early_is_refused() -> None:
    for trace in WHOLE_GAMES:
        for length in range(len(trace["events"])):
            assert is_refused({**trace, "events": trace["events"][:length]})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("seat", 1, "seat is 1, should be 0"),
        ("score", 5, "score is 5, should be 4"),
        ("score", 4.001, "score is 4.001, should be 4"),
        ("score", math.nan, "score is nan, should be 4"),
        ("score", None, "score is None, should be 4"),
        ("score", "4", "score is '4', should be 4"),
        ("rank", 2, "rank is 2, should be 1"),
        ("rank", True, "rank is True, should be 1"),
        ("rank", 1.0, "rank is 1.0, should be 1"),
        ("win", 0.5, "win is 0.5, should be 1.0"),
        ("win", True, "win is True, should be 1.0"),
        ("team", 1, "team is 1, should be 0"),
        ("team", False, "team is False, should be 0"),
        ("team", "rows", "team is 'rows', should be 0"),
        ("lines", [1, 0, 1, 1, 1, 0], "lines is [1, 0, 1, 1, 1, 0], should be [1, 0, 1, 1, 0, 1]"),
        ("lines", [1, 0, 1, 1, 0], "lines is [1, 0, 1, 1, 0], should be [1, 0, 1, 1, 0, 1]"),
        ("lines", [1, 0, 1, 1, 0, True], "lines is [1, 0, 1, 1, 0, True], should be [1, 0, 1, 1, 0, 1]"),
        ("lines", [1, 0, 1, 1, 0, "1"], "lines is [1, 0, 1, 1, 0, '1'], should be [1, 0, 1, 1, 0, 1]"),
        ("lines", 4, "lines is 4, should be [1, 0, 1, 1, 0, 1]"),
    ],
)
def test_faults_of_the_outcome_are_named(key: str, value: object, message: str) -> None:
    trace = long_trace()
    trace["outcome"][0][key] = value
    with pytest.raises(IllegalGameError) as caught:
        crosswise.referee(trace)
    assert str(caught.value) == f"outcome of seat 0: {message}"


def test_the_outcome_has_an_entry_and_the_named_keys_for_every_seat() -> None:
    for seat, key in itertools.product(range(3), ("seat", "score", "rank", "win", "team", "lines")):
        trace = long_trace()
        del trace["outcome"][seat][key]
        with pytest.raises(IllegalGameError, match=rf"^outcome of seat {seat}: the key '{key}' is missing$"):
            crosswise.referee(trace)
    for outcome, message in (
        (long_trace()["outcome"][:2], "outcome: there are 2 entries for 3 seats"),
        ([None, None, None], "outcome of seat 0: None is not an object"),
    ):
        with pytest.raises(IllegalGameError) as caught:
            crosswise.referee({**long_trace(), "outcome": outcome})
        assert str(caught.value) == message


def test_further_keys_of_the_outcome_and_numbers_written_another_way_do_not_matter() -> None:
    trace = long_trace()
    trace["outcome"][0] |= {"sixes": 0, "turns": [1, 2], "score": 4.0, "win": 1, "lines": [1.0, 0, 1, 1.0, 0.0, 1]}
    crosswise.referee(trace)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("game", "cross-off", "game: 'cross-off' is not 'crosswise'"),
        ("rules_version", 1, "rules_version: 1 is not '1'"),
        ("seed", -1, "seed: -1 is not a whole number from 0"),
        ("deal", 1.0, "deal: 1.0 is not a whole number from 0"),
        ("rotation", True, "rotation: True is neither 0 nor 1"),
        ("rotation", 2, "rotation: 2 is neither 0 nor 1"),
        ("rotation", -1, "rotation: -1 is neither 0 nor 1"),
        ("seats", ["a", "b", 1], "seats: ['a', 'b', 1] is not a list of strategies"),
        ("seats", "abc", "seats: 'abc' is not a list of strategies"),
        ("seats", ["a"], "seats: 1 seats, but 2 to 4 can play"),
        ("events", {}, "events: not a list"),
        ("outcome", None, "outcome: not a list"),
        ("extra", 1, "trace: the key 'extra' is unknown"),
        ("variant", None, "variant: None is not an object"),
    ],
)
def test_faults_of_the_header_are_named(key: str, value: object, message: str) -> None:
    with pytest.raises(IllegalGameError) as caught:
        crosswise.referee({**long_trace(), key: value})
    assert str(caught.value) == message


def test_the_two_teams_change_sides_in_rotation_1() -> None:
    crosswise.referee({**long_trace(), "rotation": 1})


@pytest.mark.parametrize("key", sorted(crosswise.TRACE_KEYS))
def test_every_part_of_a_trace_is_needed(key: str) -> None:
    trace = long_trace()
    del trace[key]
    with pytest.raises(IllegalGameError, match=rf"^trace: the key '{key}' is missing$"):
        crosswise.referee(trace)


@pytest.mark.parametrize("key", sorted(DEFAULTS))
def test_every_option_is_needed(key: str) -> None:
    trace = long_trace()
    del trace["variant"][key]
    with pytest.raises(IllegalGameError, match=rf"^variant: the key '{key}' is missing$"):
        crosswise.referee(trace)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("sudden_win", 2, "sudden_win 2 is neither true nor false"),
        ("sudden_win", "yes", "sudden_win 'yes' is neither true nor false"),
        ("sudden_win", 1.0, "sudden_win 1.0 is neither true nor false"),
        ("group_points", [1, 3, 5, 7], "group_points [1, 3, 5, 7] is not a list of 5 numbers, for groups of 2 to 6"),
        (
            "group_points",
            [1, 3, 5, 7, None],
            "group_points [1, 3, 5, 7, None] is not a list of 5 numbers, for groups of 2 to 6",
        ),
        ("six_different_points", "6", "six_different_points '6' is not a number"),
        ("six_different_points", math.inf, "six_different_points inf is not a number"),
        ("copies", 1, "copies 1 is not 2 to 10"),
        ("copies", 11, "copies 11 is not 2 to 10"),
        ("copies", 7.0, "copies 7.0 is not 2 to 10"),
        ("action_stones", -1, "action_stones -1 is not 0 to 10"),
        ("action_stones", 11, "action_stones 11 is not 0 to 10"),
        ("hand", 0, "hand 0 is not 1 to 8"),
        ("hand", 9, "hand 9 is not 1 to 8"),
        ("lone_hand", 0, "lone_hand 0 is not 1 to 10"),
        ("lone_hand", 11, "lone_hand 11 is not 1 to 10"),
        ("board", 6, "the key 'board' is unknown"),
    ],
)
def test_faults_of_the_options_are_named(key: str, value: Any, message: str) -> None:
    refused([], f"variant: {message}", **{key: value})


WHOLE_NUMBERS = st.builds(
    Rules,
    sudden_win=st.booleans(),
    copies=st.integers(2, 10),
    action_stones=st.integers(0, 10),
    hand=st.integers(1, 8),
    lone_hand=st.integers(1, 10),
)


@st.composite
def traces(draw_value: st.DrawFn) -> Trace:
    chooser = draw_value(st.sampled_from(CHOOSERS))
    chance = random.Random(draw_value(st.integers(0, 2**32)))
    return trace_from(crosswise.play(draw_value(WHOLE_NUMBERS), draw_value(st.integers(2, 4)), chance, chooser))


@settings(deadline=None, max_examples=50)
@given(traces(), st.data())
def test_a_dropped_event_is_always_missed(trace: Trace, data: st.DataObject) -> None:
    del trace["events"][data.draw(st.integers(0, len(trace["events"]) - 1))]
    assert is_refused(trace)


@settings(deadline=None, max_examples=50)
@given(traces(), st.data())
def test_an_altered_event_is_refused_or_makes_the_same_outcome(trace: Trace, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(trace["events"]) - 1))
    event = trace["events"][index]
    key = data.draw(st.sampled_from(sorted(event)))
    same_shape = other_values(key, event[key])
    is_shaped = len(same_shape) > 0 and data.draw(st.booleans())
    others = same_shape if is_shaped else wrong_values(key, event[key])
    trace["events"][index] = {**event, key: data.draw(st.sampled_from(others))}
    assert is_refused(trace) != (is_shaped and stands(trace))
