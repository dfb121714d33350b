"""The literal CrossWays engine: every sentence of the rules, and faults that it must name; then the fast engine.

Traces are written by hand in a short form. ``draw(0, "KS 4H")`` draws two cards; ``pair(3, 0, "KS KH", "24 24")`` is
turn 3 of seat 0, whose two kings place two markers on row 2, column 4; ``run(4, 1, "6D 7D", "24:0@1 24:0@0")`` removes
the markers of team 0 from the levels 1 and 0 of that square. Boards are written as stacks, ``{"24": "01"}`` bears a
marker of team 0 under one of team 1.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sims.game import WIN_UNIT, OneOf, Whole, find_game
from sims.jit import COMPILED
from sims.table import Table
from sims.trace import replay
from strategies import find_strategy
from tests.reference import crossways
from tests.reference.crossways import (
    CELLS,
    GOALS,
    Board,
    Cell,
    Choice,
    Game,
    IllegalGameError,
    Marker,
    Move,
    Pass,
    Play,
    Position,
    Rules,
    State,
)

Event = dict[str, Any]
Trace = dict[str, Any]

# The project's own board. Squares in the tests by hand are on it.
LAYOUT = [
    line.split()
    for line in (
        "BJ  RK W   R2  B7  R9 B4 R6",
        "R3  B5 R8  B10 W   BQ W  BA",
        "W   R7 W   R4  BK  R5 B2 R10",
        "RQ  B9 RA  B6  RJ  B3 W  B8",
        "B8  W  B3  RJ  B6  RA B9 RQ",
        "R10 B2 R5  BK  R4  W  R7 W",
        "BA  W  BQ  W   B10 R8 B5 R3",
        "R6  B4 R9  B7  R2  W  RK BJ",
    )
]
WHITES = ["02", "14", "16", "20", "22", "36", "41", "55", "57", "61", "63", "75"]

DEFAULTS: dict[str, Any] = {
    "layout": "standard",
    "team_size": 1,
    "hand": 5,
    "team_hand": 4,
    "markers": 24,
    "decks": 2,
    "goal": "sides",
    "double_down": False,
    "king_of_the_mountain": False,
    "diagonals": False,
    "pairs_and_runs": False,
    "jokers_wild": False,
    "may_pass": True,
    "discard_on_pass": False,
    "turn_limit": 400,
}
FLAGS = sorted(key for key, value in DEFAULTS.items() if isinstance(value, bool))
NUMBERS = ["hand", "team_hand", "markers", "decks", "turn_limit"]


def cell(text: str) -> Cell:
    return (int(text[0]), int(text[1]))


def cells(text: str) -> list[Cell]:
    return [cell(word) for word in text.split()]


def marker(text: str) -> Marker:
    """A marker from square, team and level, ``24:0@1``."""
    place, team, level = re.split("[:@]", text)
    return Marker(cell(place), int(team), int(level))


def cell_lists(text: str) -> list[list[int]]:
    return [list(place) for place in cells(text)]


def layout(squares: object = LAYOUT) -> Event:
    return {"type": "layout", "squares": squares}


def draw(seat: int, cards: str) -> Event:
    return {"type": "draw", "seat": seat, "cards": cards.split()}


RESHUFFLE: Event = {"type": "reshuffle"}


def told(kind: str, turn: int, seat: int, cards: str, placed: str = "", removed: str = "") -> Event:
    markers = [marker(word) for word in removed.split()]
    return {
        "type": kind,
        "turn": turn,
        "seat": seat,
        "cards": cards.split(),
        "placed": cell_lists(placed),
        "removed": [{"cell": list(one.cell), "team": one.team, "level": one.level} for one in markers],
    }


def single(turn: int, seat: int, card: str, placed: str) -> Event:
    return told("single", turn, seat, card, placed)


def pair(turn: int, seat: int, cards: str, placed: str) -> Event:
    return told("pair", turn, seat, cards, placed)


def run(turn: int, seat: int, cards: str, removed: str) -> Event:
    return told("run", turn, seat, cards, removed=removed)


def skip(turn: int, seat: int, discarded: str = "") -> Event:
    return {"type": "pass", "turn": turn, "seat": seat, "discarded": discarded.split()}


def end(reason: str) -> Event:
    return {"type": "end", "reason": reason}


def goal(team: int, chain: str) -> Event:
    return {"type": "end", "reason": "goal", "team": team, "cells": cell_lists(chain)}


def entries(seats: int, common: Mapping[str, Any], *own: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Outcomes of seats that play for themselves: what is common to all, what each has of its own, and else zeros."""
    keys = (
        "seat score rank win team markers end undecided turns singles pairs runs pairs_and_runs jokers passes placed "
    )
    keys += "removed reshuffles path_length direction"
    nothing = {**dict.fromkeys(keys.split(), 0), "rank": 1, "win": 0.0}
    return [{**nothing, "seat": seat, "team": seat, **common, **own[seat]} for seat in range(seats)]


def trace_of(events: Sequence[object], outcome: Sequence[object], **options: object) -> Trace:
    trace = {
        "game": "crossways",
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
    made = crossways.referee(trace_of(events, outcome, **options))
    assert [seat._asdict() for seat in made] == list(outcome)


def refused(events: Sequence[object], message: str, seats: int = 2, **options: object) -> None:
    """Demand that the referee stops at an event, before it gets to the outcome, and says this."""
    with pytest.raises(IllegalGameError) as caught:
        crossways.referee(trace_of(events, [{}] * seats, **options))
    assert str(caught.value) == message


def goes_on(events: Sequence[Event], seats: int = 2, **options: object) -> None:
    """Demand that the referee accepts every one of these events, and then only misses the next turn."""
    turn = max([event["turn"] for event in events if "turn" in event], default=0) + 1
    refused(events, f"event {len(events)}: turn {turn} is missing, the game is not over", seats, **options)


def board(stacks: Mapping[str, str]) -> Board:
    made = crossways.board_of(LAYOUT)
    for place, teams in stacks.items():
        made.stacks[cell(place)] = [int(team) for team in teams]
    return made


def at(hand: str, stacks: Mapping[str, str] | None = None, team: int = 0, **options: Any) -> Position:
    """Return a position with these stacks on the project's board."""
    return Position(Rules(**options), board(stacks or {}), team, hand.split())


def table(seats: int, stacks: Mapping[str, str], turn: int = 1, **options: Any) -> State:
    """Return a table with these stacks on the board, all cards in the deck."""
    state = crossways.start(Rules(**options), seats, LAYOUT)
    state.board = board(stacks)
    state.turn = turn
    return state


def move(kind: str, cards: str, placed: str = "", removed: str = "", pair: str = "", run: str = "") -> Move:
    return Move(
        kind,
        tuple(cards.split()),
        tuple(cells(placed)),
        tuple([marker(word) for word in removed.split()]),
        tuple(pair.split()),
        tuple(run.split()),
    )


def is_legal(position: Position, choice: Move) -> bool:
    """Whether a move is legal, by both of the engine's ways to find out."""
    allowed = crossways.refusal(position, choice) is None
    assert (crossways.play_of(position.rules, choice) in crossways.plays(position)) == allowed
    return allowed


def kinds(position: Position) -> Counter[str]:
    """Count the different plays by kind."""
    return Counter(play.kind for play in crossways.plays(position))


def places(position: Position, kind: str) -> set[tuple[Cell, ...]]:
    """Return the groups of squares that plays of a kind place on."""
    return {play.placed for play in crossways.plays(position) if play.kind == kind}


def removable(position: Position, kind: str = "run") -> set[tuple[Any, ...]]:
    """Return the groups of markers that plays of a kind remove."""
    return {play.removed for play in crossways.plays(position) if play.kind == kind}


def both(*places: str) -> set[tuple[Cell, ...]]:
    return {tuple(sorted(cells(text))) for text in places}


# A game by hand for every reason to end: seat 0 fills row 4, two seats pass, and the second turn is the last.

ROW = "40 41 42 43 44 45 46 47"
WON = [
    layout(),
    draw(0, "KS KS KH KH KC"),
    draw(1, "2S 4H 6C 8D 10S"),
    pair(1, 0, "KS KS KH KH KC", "40 41 41 42 43"),
    draw(0, "QS QS QH QD 3C"),
    skip(2, 1),
    pair(3, 0, "QS QS QH QD", "44 45 46 47"),
    goal(0, ROW),
]
WON_OUTCOME = entries(
    2,
    {"end": "goal", "turns": 3, "path_length": 8, "direction": -1},
    {"score": 1, "win": 1.0, "markers": 9, "pairs": 2, "placed": 9},
    {"rank": 2, "passes": 1},
)
PASSED = [layout(), draw(0, "KS KS KH KH KC"), draw(1, "2S 4H 6C 8D 10S"), skip(1, 0), skip(2, 1), end("passes")]
PASSED_OUTCOME = entries(2, {"end": "passes", "undecided": 1, "turns": 2}, {"passes": 1}, {"passes": 1})
LIMITED = [
    layout(),
    draw(0, "KS 2D 4H 6C 8S"),
    draw(1, "2S 4H 6C 8D 10S"),
    single(1, 0, "KS", "53"),
    draw(0, "AH"),
    single(2, 1, "10S", "64"),
    draw(1, "AH"),
    end("turn-limit"),
]
LIMITED_OUTCOME = entries(
    2,
    {"end": "turn-limit", "undecided": 1, "turns": 2},
    *[{"markers": 1, "singles": 1, "placed": 1}] * 2,
)

# A deck of 52 cards, hands of 24: four cards in the deck, and then the discards.
HANDS_OF_24 = [
    "AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH",
    "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AD 2D 3D 4D 5D 6D 7D 8D 9D 10D JD",
]
SHUFFLED = [
    layout(),
    draw(0, HANDS_OF_24[0]),
    draw(1, HANDS_OF_24[1]),
    single(1, 0, "KS", "24"),
    draw(0, "QH"),
    run(2, 1, "KC", "24:0@0"),
]


def whole_games() -> list[Trace]:
    """Return the games by hand as traces."""
    return [
        trace_of(WON, WON_OUTCOME),
        trace_of(PASSED, PASSED_OUTCOME),
        trace_of(LIMITED, LIMITED_OUTCOME, turn_limit=2),
        shuffled_trace(),
    ]


def shuffled_trace() -> Trace:
    """Return a game of two seats with one deck that is drawn to its end twice, and every kind of plain play."""
    events = [
        layout(),
        draw(0, HANDS_OF_24[0]),
        draw(1, HANDS_OF_24[1]),
        single(1, 0, "KS", "24"),
        draw(0, "QH"),
        pair(2, 1, "AC AD", "22 22"),
        draw(1, "KH QD"),
        run(3, 0, "AS 2S", "22:1@0 22:1@1"),
        draw(0, "KD"),
        RESHUFFLE,
        draw(0, "AC"),
        single(4, 1, "2C", "26"),
        draw(1, "AS"),
        skip(5, 0),
        run(6, 1, "4C 3C", "24:0@0 26:1@0"),
        draw(1, "2S KS"),
        pair(7, 0, "JS JH", "00 77"),
        draw(0, "AD"),
        RESHUFFLE,
        draw(0, "3C"),
        end("turn-limit"),
    ]
    outcome = entries(
        2,
        {"end": "turn-limit", "undecided": 1, "turns": 7, "reshuffles": 2},
        {"markers": 2, "singles": 1, "pairs": 1, "runs": 1, "passes": 1, "placed": 3, "removed": 2},
        {"markers": 0, "singles": 1, "pairs": 1, "runs": 1, "placed": 3, "removed": 2},
    )
    return trace_of(events, outcome, hand=24, decks=1, turn_limit=7)


@pytest.mark.parametrize("trace", whole_games(), ids=["won", "passed", "limited", "shuffled"])
def test_referee_accepts_the_games_by_hand_and_returns_their_outcome(trace: Trace) -> None:
    before = copy.deepcopy(trace)
    assert [seat._asdict() for seat in crossways.referee(trace)] == trace["outcome"]
    assert trace == before


# Boards that a seat fills with one pair after the other, whatever else happens.

FILLERS = [f"{number}{suit}" for number in range(2, 10) for suit in "SCHD" for _ in range(2)]


def building(*groups: str, **options: object) -> tuple[list[Event], dict[str, Any]]:
    """Return a game in which seat 0 places markers in groups of two to eight, up to the last play, and its options.

    Both hands are as large as all groups together, so that seat 0 has all it needs from the start. Seat 1 passes.
    """
    wanted = [group.split() for group in groups]
    hand = sum(map(len, wanted))
    pairs = [[rank + suit for suit in "SSHHCCDD"][: len(group)] for rank, group in zip("KQJA", wanted, strict=False)]
    fillers = list(FILLERS)

    def filling(number: int) -> str:
        return " ".join([fillers.pop(0) for _ in range(number)])

    events = [layout(), draw(0, " ".join(itertools.chain(*pairs))), draw(1, filling(hand))]
    for number, (cards, group) in enumerate(zip(pairs, wanted, strict=True)):
        events.append(pair(2 * number + 1, 0, " ".join(cards), " ".join(group)))
        if number < len(wanted) - 1:
            events += [draw(0, filling(len(cards))), skip(2 * number + 2, 1)]
    return events, {"hand": hand, **options}


def wins(groups: Sequence[str], chain: str, path_length: int, direction: int, **options: object) -> None:
    """Demand that seat 0 wins with these markers, by this chain."""
    events, all_options = building(*groups, **options)
    number = sum(len(group.split()) for group in groups)
    outcome = entries(
        2,
        {"end": "goal", "turns": 2 * len(groups) - 1, "path_length": path_length, "direction": direction},
        {"score": 1, "win": 1.0, "markers": number, "pairs": len(groups), "placed": number},
        {"rank": 2, "passes": len(groups) - 1},
    )
    accepted([*events, goal(0, chain)], outcome, **all_options)
    draw_on = f"event {len(events)}: {skip(2 * len(groups), 1)} should be the end, which team 0 wins"
    refused([*events, skip(2 * len(groups), 1)], draw_on, **all_options)


def does_not_win(groups: Sequence[str], chain: str = "", **options: object) -> None:
    """Demand that these markers of seat 0 do not end the game, whatever chain is claimed."""
    events, all_options = building(*groups, **options)
    drawn = sum(len(event["cards"]) for event in events if event["type"] == "draw" and event["seat"] == 1)
    rest = FILLERS[drawn + sum(len(group.split()) for group in groups[:-1]) :]
    goes_on([*events, draw(0, " ".join(rest[: len(groups[-1].split())]))], **all_options)
    claimed = goal(0, chain)
    refused([*events, claimed], f"event {len(events)}: {claimed} should be the draw of seat 0", **all_options)


def column(number: int) -> str:
    return " ".join(f"{row}{number}" for row in range(8))


# The rulebook, sentence by sentence


def test_the_board_has_8_times_8_squares() -> None:
    assert len(CELLS) == len(set(CELLS)) == 64
    assert {crossways.board_of(LAYOUT).squares[cell(place)] for place in WHITES} == {"W"}


def test_two_standard_decks_without_jokers() -> None:
    cards = Counter(crossways.all_cards(Rules()))
    assert cards.total() == 104
    assert set(cards.values()) == {2}
    assert "JOKER" not in cards


def test_a_set_of_24_markers() -> None:
    filled = {f"{row}{column}": "0" for row in range(3) for column in range(8) if f"{row}{column}" not in WHITES}
    filled |= dict.fromkeys(["40", "42", "43", "44"], "0")
    assert crossways.on_board(board(filled), 0) == 23
    assert is_legal(at("6S", filled), move("single", "6S", "33"))
    assert not is_legal(at("6S 6C", filled), move("pair", "6S 6C", "33 34"))
    full = {**filled, "45": "0"}
    assert not is_legal(at("6S", full), move("single", "6S", "33"))
    assert is_legal(at("6S", full, team=1), move("single", "6S", "33"))
    reason = crossways.refusal(at("6S 6C", filled), move("pair", "6S 6C", "33 34"))
    assert reason == "team 0 has 1 markers left to place, not 2"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_individual_players_are_dealt_5_cards(seats: int) -> None:
    hands = [draw(seat, "2S 3D 4C 5H 6S"[: 3 * 5]) for seat in range(2)] + [
        draw(seat, "8S 9D 10C JH QS") for seat in range(2, seats)
    ]
    goes_on([layout(), *hands], seats)
    for seat, cards in itertools.product(range(seats), ("KS KC KD KH", "KS KC KD KH AS AC")):
        number = len(cards.split())
        message = f"event {seat + 1}: seat {seat} draws 5 of {104 - 5 * seat} cards in the deck, not {number}"
        refused([layout(), *hands[:seat], draw(seat, cards)], message, seats)


@pytest.mark.parametrize("seats", [4, 6, 8])
def test_players_of_a_team_are_dealt_4_cards(seats: int) -> None:
    hands = [draw(seat, " ".join(f"{rank}{'SCHD'[seat // 2]}" for rank in "2457")) for seat in range(seats)]
    goes_on([layout(), *hands], seats, team_size=2)
    refused(
        [layout(), draw(0, "2S 4S 5S 7S 9S")],
        "event 1: seat 0 draws 4 of 104 cards in the deck, not 5",
        seats,
        team_size=2,
    )


def test_play_proceeds_clockwise() -> None:
    events = [layout(), draw(0, "2S 3S 4S 5S 6S"), draw(1, "2S 3S 4S 5S 6S"), draw(2, "2H 3H 4H 5H 6H")]
    turns = [skip(1, 0), skip(2, 1), single(3, 2, "2H", "03"), draw(2, "KS"), skip(4, 0), skip(5, 1)]
    goes_on([*events, *turns], 3)
    refused([*events, skip(1, 1)], "event 4: turn 1 belongs to seat 0, not to seat 1", 3)
    refused([*events, *turns[:1], skip(2, 2)], "event 5: turn 2 belongs to seat 1, not to seat 2", 3)
    refused([*events, *turns[:4], skip(4, 2)], "event 8: turn 4 belongs to seat 0, not to seat 2", 3)


def test_a_single_play_a_turn() -> None:
    again = single(1, 0, "2D", "74")
    refused([*LIMITED[:4], again], f"event 4: {again} should be the draw of seat 0")
    refused([*LIMITED[:5], again], "event 5: this is turn 2, not turn 1")


def test_the_hand_is_filled_up_to_5_cards_after_a_play() -> None:
    refused([*WON[:4], draw(0, "QS QS QH QD")], "event 4: seat 0 draws 5 of 94 cards in the deck, not 4")
    refused([*WON[:4], skip(2, 1)], f"event 4: {skip(2, 1)} should be the draw of seat 0")
    refused([*LIMITED[:4], draw(0, "AH AD")], "event 4: seat 0 draws 1 of 94 cards in the deck, not 2")


def test_the_discards_make_a_fresh_deck_when_the_deck_is_depleted() -> None:
    trace = shuffled_trace()
    events = trace["events"]
    options = {"hand": 24, "decks": 1, "turn_limit": 7}
    assert [index for index, event in enumerate(events) if event == RESHUFFLE] == [9, 18]
    missing = "event 9: seat 0 draws"
    refused([*events[:8], draw(0, "KD AC")], "event 8: seat 0 draws 1 of 1 cards in the deck, not 2", **options)
    message = f"event 9: {draw(0, 'AC')} should be the reshuffle before seat 0 draws 1 more"
    refused([*events[:9], draw(0, "AC")], message, **options)
    refused(
        [*events[:10], draw(0, "3C")],
        f"{missing.replace('9', '10')} 3C too often, it is in the deck 0 times",
        **options,
    )
    refused([*events[:8], RESHUFFLE], f"event 8: {RESHUFFLE} should be the draw of seat 0", **options)


def test_the_cards_of_the_current_play_are_among_the_discards() -> None:
    """The deck of turn 3 is made of the king and two aces of before, and the ace and two of spades just played."""
    trace = shuffled_trace()
    options = {"hand": 24, "decks": 1, "turn_limit": 7}
    for card in ("KS", "AC", "AD", "AS", "2S"):
        goes_on([*trace["events"][:10], draw(0, card)], **options)


def test_a_king_of_spades_places_on_either_of_the_black_king_squares() -> None:
    assert places(at("KS"), "single") == both("24", "53")
    assert kinds(at("KS")) == {"single": 2}
    assert places(at("KC"), "single") == both("24", "53")
    assert places(at("KH"), "single") == both("01", "76")
    reason = crossways.refusal(at("KS"), move("single", "KS", "01"))
    assert reason == "KS does not place on [0, 1], which shows RK"


def test_every_card_has_two_squares_of_its_colour_and_rank() -> None:
    for card in crossways.CARDS:
        found = places(at(card), "single")
        assert len(found) == 2
        for (place,) in found:
            assert LAYOUT[place[0]][place[1]] == {"S": "B", "C": "B", "H": "R", "D": "R"}[card[-1]] + card[:-1]


def test_only_one_single_card_a_turn() -> None:
    position = at("KS 4H")
    for placed in ("24 23", "24", "24 53"):
        assert not is_legal(position, move("single", "KS 4H", placed))
    assert kinds(position) == {"single": 4}


def test_a_single_card_places_exactly_one_marker() -> None:
    for placed in ("", "24 53", "24 24"):
        assert not is_legal(at("KS"), move("single", "KS", placed))
    assert not is_legal(at("KS", {"53": "1"}), move("single", "KS", "24", "53:1@0"))


def test_cards_that_are_not_in_the_hand_are_not_played() -> None:
    assert not is_legal(at("KC"), move("single", "KS", "24"))
    assert not is_legal(at("KS 4H"), move("pair", "KS KS", "24 24"))
    assert crossways.refusal(at("KC"), move("single", "KS", "24")) == "['KS'] is not in the hand ['KC']"


def test_a_pair_of_kings_places_two_markers_on_two_separate_squares() -> None:
    position = at("KS KH")
    assert is_legal(position, move("pair", "KS KH", "00 77"))
    assert is_legal(position, move("pair", "KH KS", "33 34"))


def test_a_pair_of_kings_places_both_markers_together_and_closes_a_square() -> None:
    position = at("KS KH")
    assert is_legal(position, move("pair", "KS KH", "00 00"))
    assert crossways.is_closed(board({"00": "00"}), (0, 0))


def test_a_pair_of_kings_claims_a_white_square() -> None:
    for place in WHITES:
        assert is_legal(at("KS KH"), move("pair", "KS KH", f"{place} {place}"))


def test_a_pair_of_kings_on_the_empty_board_can_be_placed_in_1390_ways() -> None:
    """Two of 52 squares, twice the same of them, and the 12 white ones."""
    assert kinds(at("KS KH")) == {"single": 4, "pair": math.comb(52, 2) + 52 + 12}


def test_three_kings_place_three_markers() -> None:
    position = at("KS KS KD")
    assert is_legal(position, move("pair", "KS KS KD", "00 01 03"))
    assert is_legal(position, move("pair", "KS KS KD", "02 02 03"))
    for placed in ("00 01", "00 01 03 04", "02 02"):
        assert not is_legal(position, move("pair", "KS KS KD", placed))
    # Two of the three may be played, the same two faces in either way.
    assert kinds(position)["pair"] == 2 * 1390 + math.comb(52, 3) + 52 * 51 + 12 * 52


def test_only_cards_of_matching_face_value_are_a_pair() -> None:
    position = at("KS QS 10H 10S")
    assert not is_legal(position, move("pair", "KS QS", "00 01"))
    assert not is_legal(position, move("pair", "KS 10S", "00 01"))
    assert is_legal(position, move("pair", "10S 10H", "00 01"))
    assert not is_legal(position, move("pair", "KS", "24"))


TWO_COLOURS = {"11": "1", "24": "2", "76": "0"}


def test_a_run_of_6_and_7_of_diamonds_removes_one_green_and_one_blue_marker() -> None:
    position = at("6D 7D", TWO_COLOURS)
    assert is_legal(position, move("run", "6D 7D", removed="11:1@0 24:2@0"))
    assert removable(position) == {
        (((1, 1), 1), ((2, 4), 2)),
        (((1, 1), 1), ((7, 6), 0)),
        (((2, 4), 2), ((7, 6), 0)),
    }


def test_a_run_of_6_and_7_of_diamonds_removes_both_markers_from_a_white_square() -> None:
    position = at("6D 7D", {"22": "11", "00": "2"})
    assert removable(position) == {(((2, 2), 1), ((2, 2), 1))}
    assert is_legal(position, move("run", "6D 7D", removed="22:1@0 22:1@1"))
    assert not is_legal(position, move("run", "6D 7D", removed="22:1@0 00:2@0"))


def test_a_run_removes_as_many_markers_as_cards() -> None:
    position = at("6D 7D 8D", TWO_COLOURS)
    assert is_legal(position, move("run", "8D 6D 7D", removed="11:1@0 24:2@0 76:0@0"))
    for removed in ("", "11:1@0", "11:1@0 24:2@0"):
        assert not is_legal(position, move("run", "6D 7D 8D", removed=removed))
    assert kinds(position)["run"] == 2 * 3 + 1  # two runs of two, one of three


def test_a_run_is_suited_and_sequential() -> None:
    for cards in ("6D 7H", "6D 8D", "6D 6D", "6D", "6D 7D 9D", "6D 7D 7D", "10S QS"):
        assert not crossways.is_run(cards.split())
    for cards in ("6D 7D", "7D 6D", "9S 10S JS", "10H JH QH KH", "2C 3C"):
        assert crossways.is_run(cards.split())


def test_aces_are_the_low_or_the_high_card_of_a_run_but_not_both() -> None:
    for cards in ("AS 2S", "AS 2S 3S", "QS KS AS", "KS AS", " ".join(rank + "S" for rank in crossways.RANKS)):
        assert crossways.is_run(cards.split())
    for cards in ("KS AS 2S", "AS QS", "AS 3S", "AS AS", "QS KS AS 2S 3S"):
        assert not crossways.is_run(cards.split())
    twice = [rank + "S" for rank in crossways.RANKS] + ["AS"]
    assert not crossways.is_run(twice)


def test_any_marker_may_be_removed_not_just_the_topmost() -> None:
    position = at("6D 7D", {"11": "210"})
    assert removable(position) == {
        (((1, 1), 0), ((1, 1), 1)),
        (((1, 1), 0), ((1, 1), 2)),
        (((1, 1), 1), ((1, 1), 2)),
    }
    left = crossways.without(position.board, [marker("11:2@0"), marker("11:0@2")])
    assert left.stacks[1, 1] == [1]


def test_markers_may_be_placed_on_top_of_other_players_markers() -> None:
    events = [*LIMITED[:5], single(2, 1, "4H", "23"), draw(1, "AD"), single(3, 0, "4H", "23"), draw(0, "AC")]
    goes_on(events)
    position = at("KS", {"24": "12"})
    assert places(position, "single") == both("24", "53")


def test_all_markers_on_a_square_count_not_just_the_topmost() -> None:
    hidden = {"40": "01", "41": "00", "42": "012", "43": "0", "44": "10", "45": "0", "46": "0", "47": "021"}
    assert crossways.has_path(Rules(), board(hidden), 0)
    assert not crossways.has_path(Rules(), board(hidden), 1)


def test_two_markers_of_the_same_colour_close_a_square() -> None:
    for stack in ("11", "011", "101", "110", "2110"):
        for team in range(3):
            position = at("KS KH", {"24": stack}, team=team)
            assert places(position, "single") == both("53", "01", "76")
            assert not any((2, 4) in placed for placed in places(position, "pair"))
    assert crossways.refusal(at("KS", {"24": "011"}), move("single", "KS", "24")) == (
        "[2, 4] is closed by the time it bears [0, 1, 1]"
    )


def test_a_closed_square_is_open_again_when_one_of_the_two_is_removed() -> None:
    closed = at("KS", {"24": "011"})
    for level in (1, 2):
        left = crossways.without(closed.board, [Marker((2, 4), 1, level)])
        assert crossways.refusal(closed._replace(board=left), move("single", "KS", "24")) is None
    without_green = crossways.without(closed.board, [Marker((2, 4), 0, 0)])
    assert crossways.refusal(closed._replace(board=without_green), move("single", "KS", "24")) is not None


def test_other_markers_on_a_closed_square_still_count() -> None:
    stacks = dict.fromkeys(cells_of_column(0), "0") | {"20": "00", "30": "011"}
    assert crossways.has_path(Rules(), board(stacks), 0)


def cells_of_column(number: int) -> list[str]:
    return column(number).split()


def test_a_single_card_closes_a_square_with_one_own_marker() -> None:
    position = at("KS", {"24": "0"})
    assert is_legal(position, move("single", "KS", "24"))
    assert not is_legal(at("KS KH", {"24": "0"}), move("pair", "KS KH", "24 24"))


def test_three_markers_of_one_colour_never_share_a_square() -> None:
    position = at("KS KH KD")
    assert not is_legal(position, move("pair", "KS KH KD", "24 24 24"))
    assert is_legal(position, move("pair", "KS KH KD", "24 24 25"))


@pytest.mark.parametrize("place", WHITES)
def test_white_squares_never_contain_a_single_marker(place: str) -> None:
    for cards, placed in (("KS KH", f"{place} 00"), ("KS KH KD", f"{place} {place} {place}")):
        assert not is_legal(at(cards), move("pair", cards, placed))
    taken = {place: "11", "00": "0"}
    position = at("6D 7D", taken)
    assert not is_legal(position, move("run", "6D 7D", removed=f"{place}:1@0 00:0@0"))
    assert is_legal(position, move("run", "6D 7D", removed=f"{place}:1@0 {place}:1@1"))
    for team in (0, 1, 2):
        position = at("KS KH", taken, team=team)
        assert not is_legal(position, move("pair", "KS KH", f"{place} {place}"))


def test_both_markers_are_placed_on_white_in_one_play_of_more() -> None:
    position = at("KS KH KD KC", {"22": "11"})
    assert crossways.refusal(position, move("pair", "KS KH KD KC", "02 02 20 20")) is None
    assert crossways.refusal(position, move("pair", "KS KH KD KC", "02 02 00 01")) is None
    assert crossways.refusal(position, move("pair", "KS KH KD KC", "02 02 02 02")) is not None
    assert crossways.refusal(position, move("pair", "KS KH KD KC", "02 02 22 22")) is not None


def test_a_path_from_left_to_right_wins() -> None:
    wins(["40 41 41 42 43", "44 45 46 47"], ROW, 8, -1)


def test_a_path_from_top_to_bottom_wins() -> None:
    chain = "03 13 23 33 43 53 54 64 74"
    wins(["03 13 23 33 43", "53 54 64 74"], chain, 9, 1)
    wins(["03 13 23 33 43", "53 54 64 74"], " ".join(chain.split()[::-1]), 9, 1)


def test_the_path_does_not_have_to_be_a_straight_line() -> None:
    winding = "04 05 15 25 35 34 33 43 53 54 64 74"
    wins(["04 05 15 25 35 34", "33 43 53 54 64 74"], winding, 11, 1)  # the first step is along the side
    upwards = "30 40 50 51 52 42 32 31 21 11 01 03 13"
    does_not_win(["30 40 50 51 52 42 32", "31 21 11 01 03 13"], upwards)


def test_diagonal_squares_do_not_count() -> None:
    does_not_win(["03 13 23 33 43", "53 64 74"], "03 13 23 33 43 53 64 74")
    does_not_win(["00 11 23 33 44", "53 66 77"], "00 11 23 33 44 53 66 77")


def test_a_path_from_a_side_to_the_next_side_does_not_win() -> None:
    does_not_win(["03 13 23 33 32", "31 30"], "03 13 23 33 32 31 30")


def test_the_shortest_of_all_winning_chains_is_measured() -> None:
    """A detour of four squares lies beside the straight column."""
    wins(["03 13 23 33 43 53 32 42", "52 54 64 74"], "03 13 23 33 32 42 52 53 54 64 74", 9, 1)


def test_both_ways_at_once_have_no_direction_and_the_length_of_the_shorter() -> None:
    groups = ["03 13 23 33 53 54 64 74", "40 41 41 42 44 45 46 47", "43 00"]
    wins(groups, ROW, 8, 0)
    wins(groups, "03 13 23 33 43 53 54 64 74", 8, 0)


def test_nothing_is_drawn_after_the_play_that_wins() -> None:
    drawn = draw(0, "AS AS AH AH")
    refused([*WON[:7], drawn], f"event 7: {drawn} should be the end, which team 0 wins")
    refused([*WON, drawn], f"event 8: {drawn} comes after the end")


# The optional rules of the rulebook

BLOCKED_ROW = {"40": "0", "41": "00", "42": "0", "43": "011", "44": "0", "45": "0", "46": "0", "47": "0"}


def test_double_down_no_other_marker_counts_beside_two_together() -> None:
    rules = Rules(double_down=True)
    assert crossways.has_path(Rules(), board(BLOCKED_ROW), 0)
    assert not crossways.has_path(rules, board(BLOCKED_ROW), 0)
    assert not crossways.counts(rules, board(BLOCKED_ROW), 0, (4, 3))
    assert crossways.counts(rules, board(BLOCKED_ROW), 1, (4, 3))


def test_double_down_until_one_of_the_doubled_up_markers_is_removed() -> None:
    for level in (1, 2):
        left = crossways.without(board(BLOCKED_ROW), [Marker((4, 3), 1, level)])
        assert crossways.has_path(Rules(double_down=True), left, 0)


def test_double_down_own_two_markers_do_not_block_oneself() -> None:
    assert crossways.has_path(Rules(double_down=True), board({**BLOCKED_ROW, "43": "100"}), 0)


def test_king_of_the_mountain_only_the_topmost_marker_counts() -> None:
    rules = Rules(king_of_the_mountain=True)
    under = {place: "0" for place in ROW.split()} | {"41": "00", "44": "01"}
    assert crossways.has_path(Rules(), board(under), 0)
    assert not crossways.has_path(rules, board(under), 0)
    assert crossways.has_path(rules, board({**under, "44": "10"}), 0)
    assert crossways.has_path(rules, board({**under, "44": "110"}), 0)


def test_king_of_the_mountain_two_of_the_same_colour_still_close_a_square() -> None:
    position = at("KS", {"24": "110", "53": "10"}, king_of_the_mountain=True)
    assert places(position, "single") == both("53")


def test_king_of_the_mountain_a_player_without_markers_removes_its_own() -> None:
    own = at("KS 6D 7D", {"11": "0", "12": "0"}, king_of_the_mountain=True, markers=2)
    assert kinds(own) == {"run": 1}
    assert removable(own) == {(((1, 1), 0, 0), ((1, 2), 0, 0))}


def test_both_conditions_hold_with_double_down_and_king_of_the_mountain() -> None:
    rules = Rules(double_down=True, king_of_the_mountain=True)
    for stack, expected in (("0", True), ("10", True), ("110", False), ("01", False), ("100", True), ("1010", False)):
        assert crossways.counts(rules, board({"43": stack}), 0, (4, 3)) == expected


# A step aside from (2, 1) to the white square (2, 2), and from there aslant to (3, 3); nothing else connects the sides.
ASLANT = dict.fromkeys(["01", "11", "21", "33", "43", "53", "54", "64", "74"], "0")


def test_diagonals_four_markers_on_white_link_it_with_its_diagonal_neighbours() -> None:
    rules = Rules(diagonals=True)
    assert crossways.has_path(rules, board({**ASLANT, "22": "0000"}), 0)
    assert not crossways.has_path(rules, board({**ASLANT, "22": "00"}), 0)
    assert not crossways.has_path(rules, board({**ASLANT, "22": "1111"}), 0)
    chain = cells("01 11 21 22 33 43 53 54 64 74")
    assert crossways.chain_fault(rules, board({**ASLANT, "22": "0000"}), 0, chain) is None
    assert crossways.chain_fault(rules, board({**ASLANT, "22": "00"}), 0, chain) == "[3, 3] is not linked to [2, 2]"
    assert crossways.chain_fault(rules, board({**ASLANT, "22": "0000"}), 0, chain[::-1]) is None


def test_diagonals_only_own_squares_are_linked() -> None:
    rules = Rules(diagonals=True)
    other = {**ASLANT, "22": "0000", "33": "1"}
    assert not crossways.has_path(rules, board(other), 0)


def test_diagonals_a_game() -> None:
    groups = ["22 22 22 22 01 11 21 33", "43 53 54 64 74"]
    chain = "01 11 21 22 33 43 53 54 64 74"
    # From (1, 1) the white square is one step aslant, which saves the square beside it.
    wins(groups, chain, 9, 1, diagonals=True)
    straight = "01 11 22 33 43 53 54 64 74"
    wins(groups, straight, 9, 1, diagonals=True)
    two = ["22 22 01 11 21 33", "43 53 54 64 74"]
    does_not_win(two, chain, diagonals=True)


def test_diagonals_four_at_once_or_two_and_two() -> None:
    options: dict[str, Any] = {"diagonals": True}
    fours = at("KS KH KD KC", {"22": "00", "02": "11"}, **options)
    for placed, allowed in (
        ("20 20 20 20", True),
        ("22 22 20 20", True),
        ("22 22 22 22", False),
        ("02 02 20 20", False),
    ):
        assert (crossways.refusal(fours, move("pair", "KS KH KD KC", placed)) is None) == allowed
    for stack, allowed in (("", True), ("00", True), ("11", False), ("0000", False), ("1111", False)):
        position = at("KS KH", {"22": stack}, **options)
        assert is_legal(position, move("pair", "KS KH", "22 22")) == allowed
    three = at("KS KH KD", {"22": "00"}, **options)
    assert not is_legal(three, move("pair", "KS KH KD", "22 22 22"))
    assert not is_legal(three, move("pair", "KS KH KD", "22 20 20"))
    plain = at("KS KH", {"22": "00"})
    assert not is_legal(plain, move("pair", "KS KH", "22 22"))


def test_diagonals_the_four_leave_two_at_a_time_or_all_at_once() -> None:
    four = {"22": "1111", "00": "0"}
    position = at("6D 7D 8D 9D", four, diagonals=True)
    assert removable(position) == {(((2, 2), 1),) * 2, (((2, 2), 1),) * 4} | {(((0, 0), 0), *(((2, 2), 1),) * 2)}
    three = "22:1@0 22:1@1 22:1@3"
    assert not is_legal(position, move("run", "6D 7D 8D", removed=three))
    assert not is_legal(position, move("run", "6D 7D 8D 9D", removed=f"{three} 00:0@0"))
    assert is_legal(position, move("run", "6D 7D", removed="22:1@1 22:1@3"))


SPADES_AND_HEART = "4S 5S 5H"


def test_pairs_and_runs_4_and_5_of_spades_with_5_of_hearts() -> None:
    """Remove two markers and place one, or place two markers and remove one."""
    position = at(SPADES_AND_HEART, TWO_COLOURS, pairs_and_runs=True)
    split: dict[str, Any] = {"pair": "5S 5H", "run": "4S 5S"}
    assert is_legal(position, move("pair-and-run", SPADES_AND_HEART, "33", "11:1@0 24:2@0", **split))
    assert is_legal(position, move("pair-and-run", SPADES_AND_HEART, "33 34", "11:1@0", **split))
    assert is_legal(position, move("pair-and-run", SPADES_AND_HEART, "22 22", "11:1@0", **split))
    for placed, removed in (("33 34", "11:1@0 24:2@0"), ("33", "11:1@0"), ("", "11:1@0 24:2@0"), ("33 34", "")):
        assert not is_legal(position, move("pair-and-run", SPADES_AND_HEART, placed, removed, **split))
    plain = at(SPADES_AND_HEART, TWO_COLOURS)
    assert not is_legal(plain, move("pair-and-run", SPADES_AND_HEART, "33", "11:1@0 24:2@0", **split))


def test_pairs_and_runs_count_of_the_example() -> None:
    """Two of three markers leave and one goes on any coloured square; or one leaves and two are placed anywhere."""
    position = at(SPADES_AND_HEART, TWO_COLOURS, pairs_and_runs=True)
    # (7, 6) is the own one: while it stays, no two markers go there together.
    remove_two = 3 * 52
    remove_one = 1390 + 2 * 1389
    assert kinds(position)["pair-and-run"] == remove_two + remove_one


def test_pairs_and_runs_a_side_of_one_marker_does_not_touch_white() -> None:
    position = at(SPADES_AND_HEART, {"22": "11", "00": "1"}, pairs_and_runs=True)
    split: dict[str, Any] = {"pair": "5S 5H", "run": "4S 5S"}
    assert is_legal(position, move("pair-and-run", SPADES_AND_HEART, "33", "22:1@0 22:1@1", **split))
    assert not is_legal(position, move("pair-and-run", SPADES_AND_HEART, "02", "22:1@0 22:1@1", **split))
    assert not is_legal(position, move("pair-and-run", SPADES_AND_HEART, "33 34", "22:1@0", **split))
    assert is_legal(position, move("pair-and-run", SPADES_AND_HEART, "02 02", "00:1@0", **split))


def test_pairs_and_runs_removals_come_first() -> None:
    split: dict[str, Any] = {"pair": "5S 5H", "run": "4S 5S"}
    closed = at(SPADES_AND_HEART, {"22": "11", "33": "11"}, pairs_and_runs=True)
    assert is_legal(closed, move("pair-and-run", SPADES_AND_HEART, "33", "33:1@0 33:1@1", **split))
    assert is_legal(closed, move("pair-and-run", SPADES_AND_HEART, "33 34", "33:1@1", **split))
    assert not is_legal(closed, move("pair-and-run", SPADES_AND_HEART, "33 33", "22:1@0 22:1@1", **split))
    white = at("4S 5S 5H 5D", {"22": "11"}, pairs_and_runs=True)
    four = move("pair-and-run", "4S 5S 5H 5D", "22 22", "22:1@0 22:1@1", pair="5H 5D", run="4S 5S")
    assert is_legal(white, four)
    bare = at(SPADES_AND_HEART, {"33": "0", "34": "0"}, pairs_and_runs=True, markers=2)
    assert is_legal(bare, move("pair-and-run", SPADES_AND_HEART, "44", "33:0@0 34:0@0", **split))
    assert not is_legal(bare, move("pair-and-run", SPADES_AND_HEART, "44 45", "33:0@0", **split))


def test_pairs_and_runs_without_a_card_in_both_are_two_and_two() -> None:
    position = at("6D 7D KS KH", TWO_COLOURS, pairs_and_runs=True)
    split: dict[str, Any] = {"pair": "KS KH", "run": "6D 7D"}
    assert is_legal(position, move("pair-and-run", "6D 7D KS KH", "33 34", "11:1@0 24:2@0", **split))
    for placed, removed in (("33", "11:1@0 24:2@0 76:0@0"), ("33 34 35", "11:1@0"), ("33", "11:1@0 24:2@0")):
        assert not is_legal(position, move("pair-and-run", "6D 7D KS KH", placed, removed, **split))


def test_pairs_and_runs_need_the_second_card_to_count_twice() -> None:
    """With two fives of spades in the hand, one in the pair and one in the run, all four markers are played."""
    position = at("4S 5S 5S 5H", TWO_COLOURS, pairs_and_runs=True)
    split: dict[str, Any] = {"pair": "5S 5H", "run": "4S 5S"}
    three: dict[str, Any] = {"pair": "5S 5S 5H", "run": "4S 5S"}
    for choice in (
        move("pair-and-run", "4S 5S 5S 5H", "33 34", "11:1@0 24:2@0", **split),
        move("pair-and-run", "4S 5S 5H", "33", "11:1@0 24:2@0", **split),
        move("pair-and-run", "4S 5S 5S 5H", "33 34 35", "11:1@0", **three),
    ):
        assert crossways.refusal(position, choice) is None


def test_pairs_and_runs_are_made_of_the_cards_played() -> None:
    position = at("4S 5S 5H 5D 9C", TWO_COLOURS, pairs_and_runs=True)
    for cards, two, suited in (
        ("4S 5S 5H", "5S 5H", "4S 5H"),
        ("4S 5S 5H", "4S 5H", "4S 5S"),
        ("4S 5S 5H 5D", "5S 5H", "4S 5S"),
        ("4S 5S", "5S 5H", "4S 5S"),
        ("4S 5S 5H 9C", "5S 5H", "4S 5S"),
        ("4S 5S 5H", "5S 5D", "4S 5S"),
        ("4S 5S 5H", "5S", "4S 5S"),
        ("4S 5S 5H", "5S 5H", "4S"),
    ):
        choice = move("pair-and-run", cards, "33", "11:1@0 24:2@0", pair=two, run=suited)
        assert crossways.refusal(position, choice) is not None


def test_jokers_wild_four_more_cards() -> None:
    assert Counter(crossways.all_cards(Rules(jokers_wild=True))) - Counter(crossways.all_cards(Rules())) == {"JOKER": 4}
    for number, options in ((4, {"jokers_wild": True}), (0, {"jokers_wild": False})):
        hand = " ".join(["JOKER"] * 5)
        message = f"event 1: seat 0 draws JOKER too often, it is in the deck {number} times"
        refused([layout(), draw(0, hand)], message, **options)


def test_jokers_wild_a_joker_removes_any_one_marker() -> None:
    position = at("JOKER", {"11": "210", "76": "0", "22": "11"}, jokers_wild=True)
    assert removable(position, "joker") == {(((1, 1), 2),), (((1, 1), 1),), (((1, 1), 0),), (((7, 6), 0),)}
    assert kinds(position) == {"joker": 4}
    choice = move("joker", "JOKER", removed="22:1@0")
    assert crossways.refusal(position, choice) == "a joker removes nothing from the white square [2, 2]"
    assert not is_legal(position, move("joker", "JOKER", removed="11:2@0 11:1@1"))


def test_jokers_wild_with_a_5_of_clubs_places_two_markers_on_either_black_5() -> None:
    position = at("JOKER 5C", jokers_wild=True)
    assert places(position, "joker") == both("11 11", "66 66")
    assert kinds(position) == {"joker": 2, "single": 2}
    for placed in ("11 66", "11", "22 22", "25 25", "11 11 11"):
        assert not is_legal(position, move("joker", "JOKER 5C", placed))
    assert is_legal(position, move("joker", "5C JOKER", "66 66"))


def test_jokers_wild_the_square_is_open_and_bears_no_own_marker() -> None:
    for stack, allowed in (
        ("", True),
        ("1", True),
        ("12", True),
        ("0", False),
        ("10", False),
        ("11", False),
        ("211", False),
    ):
        position = at("JOKER 5C", {"11": stack}, jokers_wild=True)
        assert is_legal(position, move("joker", "JOKER 5C", "11 11")) == allowed
    reason = crossways.refusal(at("JOKER 5C", {"11": "0"}, jokers_wild=True), move("joker", "JOKER 5C", "11 11"))
    assert reason == "[1, 1] bears a marker of team 0 already"
    last = at("JOKER 5C", {"76": "0"}, jokers_wild=True, markers=2)
    assert not is_legal(last, move("joker", "JOKER 5C", "11 11"))


def test_jokers_wild_one_a_play_and_never_inside_a_pair_or_run() -> None:
    position = at("JOKER JOKER 5C 6C", TWO_COLOURS, jokers_wild=True)
    for choice in (
        move("joker", "JOKER JOKER", "11 11"),
        move("joker", "JOKER JOKER", removed="11:1@0 24:2@0"),
        move("joker", "JOKER JOKER 5C", "66 66"),
        move("joker", "JOKER 5C 6C", "66 66"),
        move("joker", "5C", "66 66"),
        move("single", "JOKER", "66"),
        move("pair", "JOKER JOKER", "66 66"),
        move("pair", "JOKER 5C", "66 66"),
        move("run", "JOKER 5C", removed="11:1@0 24:2@0"),
        move("run", "JOKER 5C 6C", removed="11:1@0 24:2@0 76:0@0"),
    ):
        assert not is_legal(position, choice)
    assert not is_legal(at("JOKER 5C"), move("joker", "JOKER 5C", "11 11"))


CORNERS = "00 11 21 32 43 54 65 66 77"


def test_goal_corners_a_path_from_a_corner_to_the_opposite_one() -> None:
    groups = ["00 11 21 32 43", "54 65 66 77"]
    wins(groups, CORNERS, 9, 1, goal="corners")
    does_not_win(groups, CORNERS)
    other = ["07 15 25 34 43", "42 51 60 70"]
    does_not_win(other, "07 15 25 34 43 42 51 60 70", goal="corners")
    falling = "07 17 26 35 44 53 52 51 60 70"
    wins(["07 17 26 35 44", "53 52 51 60 70"], falling, 10, -1, goal="corners")


def test_goal_corners_neither_a_side_nor_a_corner_of_the_same_side_is_enough() -> None:
    does_not_win(["40 41 41 42 43", "44 45 46 47"], ROW, goal="corners")
    does_not_win(["00 01 02 02 03 04", "05 06 07"], "00 01 02 03 04 05 06 07", goal="corners")


def test_goal_corners_both_ways_at_once_have_no_direction() -> None:
    """The two diagonals cross in the middle, and the last play completes both."""
    groups = ["00 11 22 22 33 70 61 61", "52 43 34 25 07", "44 55 55 66", "77 16 16"]
    wins(groups, "00 11 22 33 44 55 66 77", 8, 0, goal="corners")


def test_goal_block_3x3() -> None:
    block = "23 24 25 33 34 35 43 44 45"
    wins(["23 24 25 33 34", "35 43 44 45"], block, 9, 0, goal="block-3x3")
    does_not_win(["23 24 25 33 34", "35 43 44 46"], block, goal="block-3x3")
    does_not_win(["40 41 41 42 43", "44 45 46 47"], ROW, goal="block-3x3")


def test_goal_block_3x3_with_a_white_square_takes_two_markers_more() -> None:
    wins(["00 01 02 02 10", "11 12 20 20 21 22 22"], "00 01 02 10 11 12 20 21 22", 9, 0, goal="block-3x3")


FRAME = "23 24 25 26 33 43 53 54 55 56 36 46"


def test_goal_frame_4x4_the_12_squares_of_the_border() -> None:
    groups = ["23 24 25 26 33 43", "53 54 55 55 56 36 36 46"]
    wins(groups, FRAME, 12, 0, goal="frame-4x4")
    does_not_win(["23 24 25 26 33 43", "53 54 55 55 56 36 36"], FRAME, goal="frame-4x4")
    does_not_win(groups, FRAME, goal="block-4x4")


def test_goal_block_4x4_all_16_squares() -> None:
    groups = ["23 24 25 26 33 43", "53 54 55 55 56 36 36 46", "34 35 44 45"]
    wins(groups, f"{FRAME} 34 35 44 45", 16, 0, goal="block-4x4")
    does_not_win([*groups[:2], "34 35 44"], f"{FRAME} 34 35 44 45", goal="block-4x4")


def test_goal_shapes_lie_anywhere_on_the_board() -> None:
    corner = "55 56 57 65 66 67 75 76 77"
    wins(["55 55 56 57 57 65", "66 67 75 75 76 77"], corner, 9, 0, goal="block-3x3")
    numbers = {"block-3x3": 36, "frame-4x4": 25, "block-4x4": 25, "straight": 16}
    for goal, number in numbers.items():
        shapes = {tuple(sorted(shape.cells)) for shape in crossways.shapes_of(Rules(goal=goal))}
        assert len(shapes) == number
        assert {place for shape in shapes for place in shape} == set(CELLS)


def test_goal_straight_a_full_row_or_column() -> None:
    wins(["40 41 41 42 43", "44 45 46 47"], ROW, 8, -1, goal="straight")
    wins(["04 14 14 24 34 44", "54 64 74"], column(4), 8, 1, goal="straight")
    does_not_win(["03 13 23 33 43", "53 54 64 74"], "03 13 23 33 43 53 54 64 74", goal="straight")
    parallel = ["04 14 14 24 34 44 54 64", "03 13 23 33 43 53 63 63", "73 74"]
    wins(parallel, column(3), 8, 1, goal="straight")
    wins(parallel, column(4), 8, 1, goal="straight")
    both_groups = ["04 14 14 24 34", "54 64 74", "40 41 41 42 43 45 46", "47 44"]
    wins(both_groups, column(4), 8, 0, goal="straight")


# The project's page of rules, where it says more than the rulebook


def test_the_options_of_the_rulebook_are_the_defaults() -> None:
    assert crossways.rules_of(DEFAULTS) == Rules()


def test_goal_own_sides_even_teams_play_from_top_to_bottom() -> None:
    down = ["03 13 23 33 43", "53 54 64 74"]
    wins(down, "03 13 23 33 43 53 54 64 74", 9, 1, goal="own-sides")
    does_not_win(["40 41 41 42 43", "44 45 46 47"], ROW, goal="own-sides")
    rules = Rules(goal="own-sides")
    for team in range(4):
        across = board({place: f"{team}" for place in ROW.split()} | {"41": f"{team}{team}"})
        assert crossways.has_path(rules, across, team) == (team % 2 == 1)


@pytest.mark.parametrize(("seats", "teams"), [(4, 2), (6, 3), (8, 4)])
def test_partners_sit_opposite_and_share_markers_and_win(seats: int, teams: int) -> None:
    state = table(seats, {}, team_size=2)
    assert [crossways.team_of(state, seat) for seat in range(seats)] == [*range(teams), *range(teams)]
    events = [layout()]
    suits = "SCHDSCHD"
    for seat in range(seats):
        events.append(
            draw(
                seat,
                " ".join(f"{rank}{suits[seat]}" for rank in (["Q", "J", "10", "9"], ["4", "5", "6", "7"])[seat // 4]),
            )
        )
    events[1] = draw(0, "KS KS KH KH")
    hands = {seat: event["cards"] for seat, event in enumerate(events[1:])}
    hands[teams] = ["AS", "AS", "AH", "AH"]
    events[1 + teams] = draw(teams, "AS AS AH AH")
    other = [seat for seat in range(seats) if seat not in (0, teams)]
    assert all(card[:-1] not in ("A",) for seat in other for card in hands[seat])
    # Kings, aces, threes: four, four, and one more of the own colour for row 4.
    turns: list[Event] = [pair(1, 0, "KS KS KH KH", "40 41 41 42"), draw(0, "3S 3S 3D 3D")]
    turns += [skip(turn, turn - 1) for turn in range(2, teams + 1)]
    turns += [pair(teams + 1, teams, "AS AS AH AH", "43 44 45 46"), draw(teams, "2S 2S 2D 2D")]
    turns += [skip(turn, turn - 1) for turn in range(teams + 2, seats + 1)]
    turns += [pair(seats + 1, 0, "3S 3D", "47 00"), goal(0, ROW)]
    outcome = entries(
        seats,
        {"end": "goal", "turns": seats + 1, "path_length": 8, "direction": -1},
        *[{"passes": 1} for _ in range(seats)],
    )
    for seat, result in enumerate(outcome):
        result["team"] = seat % teams
        winning = {"score": 1, "win": 1.0, "markers": 10, "rank": 1}
        result |= winning if seat % teams == 0 else {"rank": 2}
    outcome[0] |= {"passes": 0, "pairs": 2, "placed": 6}
    outcome[teams] |= {"passes": 0, "pairs": 1, "placed": 4}
    accepted([*events, *turns], outcome, team_size=2)


@pytest.mark.parametrize(("team_size", "allowed"), [(1, [2, 3, 4]), (2, [4, 6, 8])])
def test_numbers_of_seats(team_size: int, allowed: list[int]) -> None:
    for seats in range(10):
        if seats in allowed:
            crossways.start(Rules(team_size=team_size), seats, LAYOUT)
            continue
        words = {1: "2, 3 or 4", 2: "4, 6 or 8"}[team_size]
        message = f"seats: {seats} seats, but with teams of {team_size} it is {words}"
        refused([], message, seats=seats, team_size=team_size)
        with pytest.raises(IllegalGameError, match=f"^{seats} seats, but with teams of {team_size} it is {words}$"):
            crossways.start(Rules(team_size=team_size), seats, LAYOUT)


def test_each_play_uses_exactly_as_many_markers_as_cards() -> None:
    position = at("6D 7D", {"11": "1"})
    assert kinds(position) == {"single": 4}
    assert kinds(at("6D 7D 8D", {"22": "11"}, markers=2)) == {"single": 6, "run": 2}


def test_removed_markers_return_to_the_supply_of_their_owner() -> None:
    one = {"11": "0", "12": "1", "13": "1"}
    position = at("KS", one, markers=1)
    assert kinds(position) == {}
    left = crossways.without(position.board, [marker("11:0@0"), marker("12:1@0")])
    assert kinds(position._replace(board=left)) == {"single": 2}


def test_a_pass_draws_nothing() -> None:
    refused([*PASSED[:4], draw(0, "AS")], f"event 4: turn 2 begins with a play or a pass, not with {draw(0, 'AS')}")


def test_a_full_round_of_passes_ends_the_game_undecided() -> None:
    accepted(PASSED, PASSED_OUTCOME)
    refused([*PASSED[:4], end("passes")], f"event 4: turn 2 begins with a play or a pass, not with {end('passes')}")
    refused([*PASSED[:5], skip(3, 0)], f"event 5: {skip(3, 0)} should be the end by passes")


def test_a_play_breaks_a_round_of_passes() -> None:
    events = [*PASSED[:4], single(2, 1, "2S", "26"), draw(1, "AS"), skip(3, 0)]
    goes_on(events)
    refused([*events, end("passes")], f"event 7: turn 4 begins with a play or a pass, not with {end('passes')}")
    passes = entries(
        2,
        {"end": "passes", "undecided": 1, "turns": 4},
        {"passes": 2},
        {"passes": 1, "singles": 1, "placed": 1, "markers": 1},
    )
    accepted([*events, skip(4, 1), end("passes")], passes)


def test_the_turn_limit_ends_the_game_undecided_after_the_draw() -> None:
    accepted(LIMITED, LIMITED_OUTCOME, turn_limit=2)
    refused(
        [*LIMITED[:6], end("turn-limit")], f"event 6: {end('turn-limit')} should be the draw of seat 1", turn_limit=2
    )
    refused(LIMITED, f"event 7: turn 3 begins with a play or a pass, not with {end('turn-limit')}", turn_limit=3)
    more = single(3, 0, "AH", "32")
    refused([*LIMITED[:7], more], f"event 7: {more} should be the end by turn-limit", turn_limit=2)


def test_passes_count_as_turns_and_come_before_the_turn_limit() -> None:
    accepted(PASSED, PASSED_OUTCOME, turn_limit=2)
    refused([*PASSED[:5], end("turn-limit")], "event 5: the game ends by passes, not by turn-limit", turn_limit=2)
    one = [*PASSED[:4], end("turn-limit")]
    outcome = entries(2, {"end": "turn-limit", "undecided": 1, "turns": 1}, {"passes": 1}, {})
    accepted(one, outcome, turn_limit=1)


def test_a_win_comes_before_the_turn_limit() -> None:
    accepted(WON, WON_OUTCOME, turn_limit=3)
    message = "event 7: team 0 has won, the game does not end by turn-limit"
    refused([*WON[:7], end("turn-limit")], message, turn_limit=3)


def test_may_pass_false_a_pass_is_legal_only_without_any_other_play() -> None:
    with pytest.raises(IllegalGameError, match=r"^event 3: seat 0 may not pass so: it has to play, for example Move"):
        crossways.referee(trace_of(PASSED, PASSED_OUTCOME, may_pass=False))
    stacks = {"24": "11", "53": "22"}
    assert crossways.pass_refusal(at("KS", stacks, may_pass=False), []) is None
    assert crossways.pass_refusal(at("KS", {"24": "11"}, may_pass=False), []) is not None
    assert crossways.pass_refusal(at("KS", {"24": "11"}), []) is None


def test_may_pass_false_own_markers_have_to_be_removed_too() -> None:
    position = at("6D 7D", {"11": "0", "13": "0"}, may_pass=False, markers=2)
    assert kinds(position) == {"run": 1}
    assert crossways.pass_refusal(position, []) is not None
    one = at("6D 7D", {"11": "0", "13": "1"}, may_pass=False, markers=1)
    assert crossways.pass_refusal(one, []) is not None
    assert crossways.pass_refusal(at("6D 8D", {"11": "0"}, may_pass=False, markers=1), []) is None


def test_discard_on_pass_a_pass_discards_one_card_and_draws_one() -> None:
    options: dict[str, Any] = {"discard_on_pass": True, "turn_limit": 3}
    events = [*PASSED[:3], skip(1, 0, "KS"), draw(0, "AS"), skip(2, 1, "2S"), draw(1, "AS")]
    outcome = entries(2, {"end": "turn-limit", "undecided": 1, "turns": 3}, {"passes": 2}, {"passes": 1})
    accepted([*events, skip(3, 0, "AS"), draw(0, "2D"), end("turn-limit")], outcome, **options)
    refused([*events[:3], skip(1, 0)], "event 3: seat 0 may not pass so: a pass discards 1 cards, not []", **options)
    two = "event 3: seat 0 may not pass so: a pass discards 1 cards, not ['KS', 'KH']"
    refused([*events[:3], skip(1, 0, "KS KH")], two, **options)
    hand = ["KS", "KS", "KH", "KH", "KC"]
    foreign = f"event 3: seat 0 may not pass so: ['AS'] is not in the hand {hand}"
    refused([*events[:3], skip(1, 0, "AS")], foreign, **options)
    refused([*events[:4], skip(2, 1, "2S")], f"event 4: {skip(2, 1, '2S')} should be the draw of seat 0", **options)
    message = "event 3: seat 0 may not pass so: a pass discards 0 cards, not ['KS']"
    refused([*events[:3], skip(1, 0, "KS")], message)


def test_discard_on_pass_a_round_of_passes_does_not_end_the_game() -> None:
    events = [
        *PASSED[:3],
        skip(1, 0, "KS"),
        draw(0, "AS"),
        skip(2, 1, "2S"),
        draw(1, "AS"),
        skip(3, 0, "AS"),
        draw(0, "2S"),
    ]
    goes_on(events, discard_on_pass=True)
    message = f"event 7: turn 3 begins with a play or a pass, not with {end('passes')}"
    refused([*events[:7], end("passes")], message, discard_on_pass=True)


def test_discard_on_pass_the_discarded_card_can_be_drawn_again() -> None:
    options: dict[str, Any] = {"discard_on_pass": True, "hand": 26, "decks": 1}
    hands = [" ".join(rank + suit for suit in suits for rank in crossways.RANKS) for suits in ("SH", "CD")]
    events = [layout(), draw(0, hands[0]), draw(1, hands[1]), skip(1, 0, "KS"), RESHUFFLE, draw(0, "KS")]
    goes_on(events, **options)


def test_a_seat_that_the_deck_has_nothing_for_draws_nothing_and_passes() -> None:
    options: dict[str, Any] = {"hand": 30, "decks": 1}
    hands = [" ".join(rank + suit for suit in suits for rank in crossways.RANKS) for suits in ("SH", "CD")]
    short = " ".join(hands[1].split()[:22])
    first = f"{hands[0]} {' '.join(hands[1].split()[22:])}"
    goes_on([layout(), draw(0, first), draw(1, short)], **options)
    goes_on(
        [layout(), draw(0, first), draw(1, short), skip(1, 0), single(2, 1, "AC", "17"), RESHUFFLE, draw(1, "AC")],
        **options,
    )
    nothing: dict[str, Any] = {"hand": 52, "decks": 1, "discard_on_pass": True}
    whole = [layout(), draw(0, " ".join(hands)), skip(1, 0, "AS"), RESHUFFLE, draw(0, "AS"), skip(2, 1)]
    goes_on(whole, **nothing)


def test_at_a_win_the_mover_comes_first_and_then_the_others_in_turn_order() -> None:
    two = {f"0{number}": "1" for number in range(8)} | {"02": "11"}
    two |= {f"7{number}": "2" for number in range(8)} | {"75": "22"}
    for turn, winner in ((1, 1), (2, 1), (3, 2)):
        assert crossways.winning_team(table(3, two, turn)) == winner
    for turn, winner in ((1, 1), (2, 1), (3, 2), (4, 1), (5, 1), (6, 1), (7, 2), (8, 1)):
        assert crossways.winning_team(table(8, two, turn, team_size=2)) == winner
    assert crossways.winning_team(table(3, {})) is None


def test_a_removal_makes_another_team_win() -> None:
    """Under double down, seat 0 takes its two markers away that block the row of seat 1."""
    events = [
        layout(),
        draw(0, "KS KH 6D 7D 2C"),
        draw(1, "QS QS QH QH QC"),
        skip(1, 0),
        pair(2, 1, "QS QS QH QH QC", "40 41 41 42 43"),
        draw(1, "JS JS JH JH 2C"),
        pair(3, 0, "KS KH", "43 43"),
        draw(0, "9S 10C"),
        pair(4, 1, "JS JS JH JH", "44 45 46 47"),
    ]
    last = [draw(1, "3C 4D 6H 8S"), run(5, 0, "6D 7D", "43:0@2 43:0@1")]
    outcome = entries(
        2,
        {"end": "goal", "turns": 5, "path_length": 8, "direction": -1},
        {"rank": 2, "pairs": 1, "runs": 1, "passes": 1, "placed": 2, "removed": 2},
        {"score": 1, "win": 1.0, "markers": 9, "pairs": 2, "placed": 9},
    )
    accepted([*events, *last, goal(1, ROW)], outcome, double_down=True)
    message = "event 11: it is team 1 that has won, not team 0"
    refused([*events, *last, goal(0, ROW)], message, double_down=True)
    early = f"event 9: {goal(1, ROW)} should be the draw of seat 1"
    refused([*events, goal(1, ROW)], early, double_down=True)
    refused([*events, last[0]], f"event 9: {last[0]} should be the end, which team 1 wins")


def test_a_removal_that_completes_two_rows_at_once_wins_for_the_mover() -> None:
    """Under double down both rows are blocked by the other team, until a run removes one marker of each block."""
    rows = {f"4{number}": "1" for number in range(8)} | {"41": "11", "43": "100"}
    rows |= {f"3{number}": "0" for number in range(8)} | {"36": "00", "33": "011"}
    for turn, mover in ((1, 0), (2, 1)):
        state = table(2, rows, turn, double_down=True)
        assert crossways.winning_team(state) is None
        state.hands[mover] = ["6D", "7D"]
        crossways.carry_out(state, mover, move("run", "6D 7D", removed="43:0@1 33:1@2"))
        assert crossways.winning_team(state) == mover


# The layout


def test_the_projects_layout_is_legal() -> None:
    assert crossways.layout_faults(LAYOUT) == []
    found = Counter(token for line in LAYOUT for token in line)
    assert found.pop("W") == 12
    assert set(found.values()) == {2}
    assert len(found) == 26
    assert [line[::-1] for line in LAYOUT[::-1]] == LAYOUT  # point symmetry


def shuffled_layout(source: random.Random) -> list[list[str]]:
    tokens = [token for line in LAYOUT for token in line]
    source.shuffle(tokens)
    return [tokens[8 * row : 8 * row + 8] for row in range(8)]


def test_any_arrangement_of_the_squares_is_legal() -> None:
    for seed in range(20):
        assert crossways.layout_faults(shuffled_layout(random.Random(seed))) == []


def changed(row: int, column: int, token: object) -> list[list[Any]]:
    squares: list[list[Any]] = copy.deepcopy(LAYOUT)
    squares[row][column] = token
    return squares


@pytest.mark.parametrize(
    ("squares", "message"),
    [
        (LAYOUT[:7], "not 8 rows of squares"),
        ([*LAYOUT, LAYOUT[0]], "not 8 rows of squares"),
        ("W" * 8, "not 8 rows of squares"),
        (None, "not 8 rows of squares"),
        ([*LAYOUT[:7], LAYOUT[7][:7]], "row 7 is not a list of 8 squares"),
        ([" ".join(LAYOUT[0]), *LAYOUT[1:]], "row 0 is not a list of 8 squares"),
        (changed(3, 4, "XJ"), "there is no square 'XJ' (row 3, column 4)"),
        (changed(0, 7, "R1"), "there is no square 'R1' (row 0, column 7)"),
        (changed(0, 7, "JS"), "there is no square 'JS' (row 0, column 7)"),
        (changed(0, 7, None), "there is no square None (row 0, column 7)"),
        (changed(0, 0, "W"), "1 squares BJ, not 2"),
        (changed(0, 2, "BJ"), "3 squares BJ, not 2"),
        (changed(0, 0, "RJ"), "3 squares RJ, not 2"),
    ],
)
def test_faults_of_a_layout_are_named(squares: object, message: str) -> None:
    assert crossways.layout_faults(squares)[0] == message
    refused([layout(squares)], f"event 0: layout: {message}")


def test_the_layout_comes_first() -> None:
    refused([], "event 0: the layout is missing")
    refused([draw(0, "KS KS KH KH KC")], f"event 0: {draw(0, 'KS KS KH KH KC')} should be the layout")
    refused([layout(), layout()], f"event 1: {layout()} should be the draw of seat 0")


def test_cards_place_by_the_layout_of_the_game() -> None:
    turned = [line[::-1] for line in LAYOUT]
    events = [layout(turned), *LIMITED[1:3], single(1, 0, "KS", "54"), draw(0, "AH")]
    goes_on(events)
    message = "event 3: KS does not place on [5, 3], which shows R4"
    refused([layout(turned), *LIMITED[1:4]], message)


# How far a team has to go

RANDOM_TEAMS = 3


def random_board(source: random.Random, diagonals: bool = False, fill: int = 50) -> Board:
    """Return a board that plays can lead to, with about as many markers as `fill`."""
    made = crossways.board_of(shuffled_layout(source))
    for _ in range(fill):
        team, place = source.randrange(RANDOM_TEAMS), source.choice(CELLS)
        stack = made.stacks[place]
        if made.squares[place] == "W":
            number = source.choice([2, 2, 4]) if diagonals else 2
            made.stacks[place] = stack or [team] * number
        elif not crossways.is_closed(made, place):
            stack.append(team)
    return made


def random_rules(source: random.Random) -> Rules:
    """Return rules whose options that concern the goal are drawn at random."""
    return Rules(
        goal=source.choice(GOALS),
        double_down=source.random() < 0.4,
        king_of_the_mountain=source.random() < 0.4,
        diagonals=source.random() < 0.4,
        markers=200,
    )


def test_what_the_goals_cost_on_the_empty_board() -> None:
    """Every row and column of the project's board has a white square, and every 4×4 block has two on its border."""
    expected = {
        "sides": 9,
        "own-sides": 9,
        "corners": 9,
        "block-3x3": 9,
        "frame-4x4": 14,
        "block-4x4": 18,
        "straight": 9,
    }
    found = {goal: crossways.fewest_markers(Rules(goal=goal), board({}), 0) for goal in GOALS}
    assert found == expected


def test_the_prices_of_squares() -> None:
    stacks = {"00": "0", "01": "1", "03": "11", "22": "00", "20": "11", "24": "011", "33": "01"}
    prices = {"00": 0, "01": 1, "03": math.inf, "02": 2, "22": 0, "20": math.inf, "24": 0, "33": 0, "77": 1}
    for place, expected in prices.items():
        assert crossways.price(Rules(), board(stacks), 0, cell(place)) == expected
    assert crossways.price(Rules(double_down=True), board(stacks), 0, cell("24")) == math.inf
    assert crossways.price(Rules(king_of_the_mountain=True), board(stacks), 0, cell("33")) == 1


def test_a_team_that_is_shut_in_needs_no_number_of_markers() -> None:
    cross = dict.fromkeys(column(3).split(), "11") | dict.fromkeys([f"3{number}" for number in range(8)], "11")
    assert crossways.fewest_markers(Rules(), board(cross), 0) is None
    assert crossways.squares_wanted(Rules(), board(cross), 0) == set()
    assert crossways.fewest_markers(Rules(), board(cross), 1) == 0
    assert crossways.squares_wanted(Rules(), board(cross), 1) == set()


def test_one_gap_in_a_chain() -> None:
    gap = {place: "0" for place in ROW.split()} | {"41": "00"}
    del gap["44"]
    assert crossways.fewest_markers(Rules(), board(gap), 0) == 1
    assert crossways.squares_wanted(Rules(), board(gap), 0) == {(4, 4)}
    closed = {**gap, "44": "11"}
    assert crossways.fewest_markers(Rules(), board(closed), 0) == 3
    assert crossways.squares_wanted(Rules(), board(closed), 0) == set(cells("33 34 35"))  # below, (5, 5) is white


@pytest.mark.parametrize("seed", range(60))
def test_wanted_squares_are_those_that_bring_the_goal_nearer_by_what_they_cost(seed: int) -> None:
    """An oracle without any path: fill a square, and see how many markers are needed then."""
    source = random.Random(f"wanted {seed}")
    rules = random_rules(source)
    made = random_board(source, rules.diagonals, source.choice([0, 20, 50, 90]))
    for team in range(RANDOM_TEAMS):
        fewest = crossways.fewest_markers(rules, made, team)
        wanted = crossways.squares_wanted(rules, made, team)
        if fewest is None:
            assert not wanted
            continue
        assert (fewest == 0) == crossways.has_path(rules, made, team)
        for place in source.sample(CELLS, 24):
            cost = crossways.price(rules, made, team, place)
            if cost in (0, math.inf):
                assert place not in wanted
                continue
            filled = copy.deepcopy(made)
            filled.stacks[place] += [team] * int(cost)
            after = crossways.fewest_markers(rules, filled, team)
            assert after is not None
            assert (after == fewest - cost) == (place in wanted)


@pytest.mark.parametrize("seed", range(60))
def test_filling_wanted_squares_reaches_the_goal_with_the_fewest_markers(seed: int) -> None:
    source = random.Random(f"filling {seed}")
    rules = random_rules(source)
    made = random_board(source, rules.diagonals, source.choice([0, 20, 50, 90]))
    fewest = crossways.fewest_markers(rules, made, 0)
    used = 0
    while fewest is not None and used < fewest:
        assert not crossways.has_path(rules, made, 0)
        place = source.choice(sorted(crossways.squares_wanted(rules, made, 0)))
        cost = int(crossways.price(rules, made, 0, place))
        made.stacks[place] += [0] * cost
        used += cost
    assert crossways.has_path(rules, made, 0) == (fewest is not None)
    assert used == (fewest or 0)


@pytest.mark.parametrize("seed", range(40))
def test_fewest_markers_by_relaxing_prices_until_nothing_changes(seed: int) -> None:
    source = random.Random(f"relaxing {seed}")
    rules = Rules(goal=source.choice(["sides", "own-sides", "corners"]), diagonals=source.random() < 0.5)
    made = random_board(source, rules.diagonals, source.choice([20, 50, 90]))
    for team in range(RANDOM_TEAMS):
        best = math.inf
        prices = {place: crossways.price(rules, made, team, place) for place in CELLS}
        steps = [(place, other) for place in CELLS for other in crossways.linked(rules, made, team, place)]
        for ends in crossways.ends_of(rules, team):
            paid = {place: prices[place] if place in ends.first else math.inf for place in CELLS}
            while any(paid[other] > paid[place] + prices[other] for place, other in steps):
                for place, other in steps:
                    paid[other] = min(paid[other], paid[place] + prices[other])
            best = min([best, *[paid[place] for place in ends.last]])
        assert crossways.fewest_markers(rules, made, team) == (None if math.isinf(best) else best)
        assert (best == 0) == crossways.has_path(rules, made, team)


@pytest.mark.parametrize("seed", range(40))
def test_links_hold_both_ways(seed: int) -> None:
    source = random.Random(f"links {seed}")
    rules = random_rules(source)
    made = random_board(source, rules.diagonals)
    for one in CELLS:
        for other in crossways.linked(rules, made, 0, one):
            assert one in crossways.linked(rules, made, 0, other)


# Different plays


def times(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Multiply two polynomials."""
    product = [0] * (len(first) + len(second) - 1)
    for (power, one), (other, two) in itertools.product(enumerate(first), enumerate(second)):
        product[power + other] += one * two
    return product


def ways_to_place(rules: Rules, made: Board, team: int) -> list[int]:
    """Count the ways to place 0, 1, 2, … markers: the coefficients of a product over the squares."""
    ways = [1]
    for place in CELLS:
        stack, closed = made.stacks[place], crossways.is_closed(made, place)
        if made.squares[place] == "W" and not rules.diagonals:
            factor = [1] if stack else [1, 0, 1]
        elif made.squares[place] == "W":
            factor = [1, 0, 1] if stack == [team, team] else [1] if stack else [1, 0, 1, 0, 1]
        else:
            factor = [1] if closed else [1, 1] if team in stack else [1, 1, 1]
        ways = times(ways, factor)
    return ways


def ways_to_remove(rules: Rules, made: Board) -> list[int]:
    """Count the ways to remove 0, 1, 2, … markers in the same manner; levels are told apart on the mountain only."""
    ways = [1]
    for place in CELLS:
        stack = made.stacks[place]
        if made.squares[place] == "W":
            several = 6 if rules.king_of_the_mountain else 1
            factor = {0: [1], 2: [1, 0, 1], 4: [1, 0, several, 0, 1]}[len(stack)]
            ways = times(ways, factor)
        elif rules.king_of_the_mountain:
            ways = times(ways, [math.comb(len(stack), number) for number in range(len(stack) + 1)])
        else:
            for team in set(stack):
                ways = times(ways, [1] * (stack.count(team) + 1))
    return ways


@pytest.mark.parametrize("seed", range(30))
def test_pairs_singles_and_runs_are_as_many_as_a_product_of_polynomials_says(seed: int) -> None:
    source = random.Random(f"counts {seed}")
    rules = random_rules(source)
    made = random_board(source, rules.diagonals, source.choice([5, 30, 60]))
    placing, removing = [*ways_to_place(rules, made, 0), 0, 0, 0], [*ways_to_remove(rules, made), 0, 0, 0]
    open_sixes = [place for place in CELLS if made.squares[place] == "B6" and not crossways.is_closed(made, place)]
    equal = Position(rules, made, 0, ["6S", "6C"])
    assert kinds(equal) == +Counter({"single": 2 * len(open_sixes), "pair": placing[2]})
    if seed < 2:
        three = Position(rules, made, 0, ["6S", "6C", "6C"])
        assert kinds(three)["pair"] == 2 * placing[2] + placing[3]
    is_long = len(crossways.markers_on(made)) < 50
    suited = Position(rules, made, 0, ["6S", "7S", "8S" if is_long else "9S", "10S"])
    assert kinds(suited)["run"] == (2 * removing[2] + removing[3] if is_long else 2 * removing[2])
    assert not crossways.has_play(Position(rules, made, 0, []))


def every_move(position: Position) -> Iterator[Move]:
    """Go through all groups of cards, squares and markers of the right number, legal or not."""
    markers = crossways.markers_on(position.board)
    groups = {
        tuple(sorted(cards))
        for number in range(1, len(position.hand) + 1)
        for cards in itertools.combinations(position.hand, number)
    }
    for cards in groups:
        splits: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
            (kind, (), ()) for kind in ("single", "pair", "run", "joker")
        ]
        splits += [
            ("pair-and-run", first, second) for first, second in itertools.product(groups, groups) if len(cards) > 2
        ]
        fitting = [split for split in splits if might_fit(cards, split)]
        for removed_number in range(len(cards) + 1) if fitting else []:
            for removed in itertools.combinations(markers, removed_number):
                for placed in itertools.combinations_with_replacement(CELLS, len(cards) - removed_number):
                    for kind, first, second in fitting:
                        yield Move(kind, cards, placed, removed, first, second)


def might_fit(cards: tuple[str, ...], split: tuple[str, tuple[str, ...], tuple[str, ...]]) -> bool:
    """Whether it is worth trying: a pair and a run have to be made of the cards."""
    kind, first, second = split
    return kind != "pair-and-run" or (set(first) | set(second) == set(cards) and min(len(first), len(second)) >= 2)


@pytest.mark.parametrize("hand", ["6S 6C", "6S 7S", "JOKER 6S", "JOKER JOKER", "6S 7S 7H", "AS KS"])
@pytest.mark.parametrize("options", [{}, {"king_of_the_mountain": True, "diagonals": True}])
def test_plays_are_all_the_moves_that_nothing_speaks_against(hand: str, options: dict[str, Any]) -> None:
    source = random.Random(f"{hand} {options}")
    for number in (1, 2, 3, 5) if hand.count(" ") == 1 else (3,):
        rules = Rules(jokers_wild=True, pairs_and_runs=True, markers=source.choice([4, 24]), **options)
        made = random_board(source, rules.diagonals, number)
        position = Position(rules, made, 0, hand.split())
        allowed = {
            crossways.play_of(rules, choice)
            for choice in every_move(position)
            if crossways.refusal(position, choice) is None
        }
        assert crossways.plays(position) == allowed
        assert crossways.has_play(position) == (len(allowed) > 0)


def test_moves_that_are_one_play_are_counted_once() -> None:
    position = at("6S 6S 7S", {"11": "11"}, pairs_and_runs=True)
    found = list(crossways.moves(position))
    assert len({crossways.play_of(position.rules, choice) for choice in found}) == len(crossways.plays(position))
    assert kinds(position)["run"] == 1  # one of two equal sixes, both markers of one square
    mountain = at("6S 7S 8S", {"11": "1210"}, king_of_the_mountain=True)
    assert kinds(mountain)["run"] == 2 * math.comb(4, 2) + math.comb(4, 3)
    plain = at("6S 7S 8S", {"11": "1210"})
    # Two of the four: 00 is not there, 11 once, and 01, 02, 12; three: 112, 110, 120.
    assert kinds(plain)["run"] == 2 * 4 + 3


def test_a_play_is_sorted() -> None:
    choice = move("pair-and-run", "5S 4S 5H", "33", "24:2@0 11:1@0", pair="5H 5S", run="5S 4S")
    play = crossways.play_of(Rules(), choice)
    assert play == Play("pair-and-run", ("4S", "5H", "5S"), ((3, 3),), (((1, 1), 1), ((2, 4), 2)))


# Playing


def random_removal(position: Position, number: int, chance: random.Random) -> tuple[Marker, ...] | None:
    """Draw markers to remove, those of white squares two by two."""
    whites = [place for place in CELLS if position.board.squares[place] == "W" and position.board.stacks[place]]
    groups = [[one] for one in crossways.markers_on(position.board) if one.cell not in whites]
    groups += [
        [Marker(place, position.board.stacks[place][0], low), Marker(place, position.board.stacks[place][0], low + 1)]
        for place in whites
        for low in range(0, len(position.board.stacks[place]), 2)
    ]
    chance.shuffle(groups)
    taken: list[Marker] = []
    for group in groups:
        if len(taken) + len(group) <= number:
            taken += group
    return tuple(taken) if len(taken) == number else None


def random_placement(
    position: Position, choice: Choice, among: Sequence[Cell], chance: random.Random
) -> tuple[Cell, ...]:
    """Draw squares to place on, white ones two by two; they may not be legal."""
    placed: list[Cell] = []
    while among and len(placed) < choice.placed:
        place = chance.choice(among)
        is_double = position.board.squares[place] == "W" or choice.kind == "joker" or chance.random() < 0.1
        number = 2 if is_double else 1
        if position.rules.diagonals and is_double and chance.random() < 0.4:
            number = 4
        placed += [place] * min(number, choice.placed - len(placed))
    return tuple(placed)


def attempt(position: Position, choice: Choice, among: Sequence[Cell], chance: random.Random) -> Move | None:
    """Draw a move with these cards that places on some of these squares; None when it is not legal."""
    removed = random_removal(position, choice.removed, chance)
    if removed is None:
        return None
    if choice.kind in ("single", "joker"):
        shown = [crossways.square_of(card) for card in choice.cards if card != "JOKER"]
        among = [place for place in among if position.board.squares[place] in shown]
    placed = random_placement(position, choice, among, chance)
    drawn = Move(choice.kind, choice.cards, placed, removed, choice.pair, choice.run)
    return drawn if crossways.refusal(position, drawn) is None else None


def leave(position: Position, chance: random.Random) -> Move | Pass:
    """Pass if that is legal."""
    if not position.rules.may_pass:
        for first in crossways.moves(position):
            return first
    may_discard = position.rules.discard_on_pass and position.hand
    return Pass((chance.choice(position.hand),) if may_discard else ())


def rover(state: State, seat: int, chance: random.Random) -> Move | Pass:
    """Play any cards anywhere."""
    position = crossways.position_of(state, seat)
    choices = crossways.card_choices(position)
    chance.shuffle(choices)
    for choice, _ in itertools.product(choices, range(6)):
        if (drawn := attempt(position, choice, CELLS, chance)) is not None:
            return drawn
    return leave(position, chance)


def builder(state: State, seat: int, chance: random.Random) -> Move | Pass:
    """Place where a cheapest way to the goal leads, and play anything when that cannot be."""
    position = crossways.position_of(state, seat)
    wanted = sorted(crossways.squares_wanted(position.rules, position.board, position.team))
    choices = crossways.card_choices(position)
    chance.shuffle(choices)
    for choice in sorted(choices, key=lambda choice: -choice.placed):
        if choice.placed > 0:
            for _ in range(3):
                if (drawn := attempt(position, choice, wanted, chance)) is not None:
                    return drawn
    return rover(state, seat, chance)


def mixed(state: State, seat: int, chance: random.Random) -> Move | Pass:
    """Build most of the time."""
    return (rover if chance.random() < 0.25 else builder)(state, seat, chance)


def shy(state: State, seat: int, chance: random.Random) -> Move | Pass:
    """Pass often."""
    return leave(crossways.position_of(state, seat), chance) if chance.random() < 0.5 else builder(state, seat, chance)


def lone(state: State, seat: int, chance: random.Random) -> Move | Pass:
    """Let team 0 build while the others hardly play."""
    return (builder if crossways.team_of(state, seat) == 0 or chance.random() < 0.2 else shy)(state, seat, chance)


CHOOSERS: list[Callable[[State, int, random.Random], Move | Pass]] = [rover, builder, mixed, shy]


def game_rules(source: random.Random) -> Rules:
    """Return rules at random; a third of the time no option but the goal and the sizes is another than usual."""
    flags = {flag: source.random() < 0.4 for flag in FLAGS}
    return Rules(
        team_size=source.choice([1, 1, 2]),
        hand=source.randint(2, 7),
        team_hand=source.randint(2, 6),
        markers=source.choice([9, 14, 24, 24]),
        decks=source.choice([1, 1, 2]),
        goal=source.choice(GOALS),
        turn_limit=source.choice([10, 50, 90]),
        **(flags if source.random() < 0.67 else {}),
    )


@functools.cache
def library() -> list[tuple[Game, Trace]]:
    """Play games of random rules, most of those in the second half to a win, and tell them as traces."""
    games = []
    for seed in range(120):
        source = random.Random(f"library {seed}")
        rules, chooser = game_rules(source), source.choice(CHOOSERS)
        if seed >= 60:
            goal = GOALS[seed % len(GOALS)]
            rules = replace(rules, goal=goal, hand=7, team_hand=6, markers=24, turn_limit=120)
            chooser = lone
        seats = source.choice(crossways.SEATS[rules.team_size])
        squares = LAYOUT if seed % 2 else shuffled_layout(source)
        game = crossways.play(rules, seats, squares, source, chooser)
        games.append((game, trace_from(game)))
    return games


def trace_from(game: Game) -> Trace:
    options = {**DEFAULTS, **game.state.rules.__dict__}
    return trace_of(game.events, [seat._asdict() for seat in game.outcome], **options)


def found(condition: Callable[[Game], bool]) -> list[Trace]:
    """Return copies of the traces of the games that meet a condition; there has to be one."""
    traces = [copy.deepcopy(trace) for game, trace in library() if condition(game)]
    assert traces
    return traces


def test_referee_accepts_what_play_makes() -> None:
    for game, trace in library():
        assert crossways.referee(trace) == game.outcome


def test_what_holds_at_the_end_of_every_game() -> None:
    for game, _ in library():
        state, events, rules = game.state, game.events, game.state.rules
        crossways.check_table(state)
        drawn, played = Counter[str](), Counter[str]()
        for event in events:
            drawn.update(event["cards"] if event["type"] == "draw" else [])
            played.update(event["cards"] if "turn" in event and event["type"] != "pass" else event.get("discarded", []))
        assert drawn - played == sum(map(Counter, state.hands), Counter())
        assert Counter(state.box) == Counter(state.deck) + Counter(state.discards) + drawn - played
        for team in range(state.teams):
            seats = [seat for seat in range(len(state.hands)) if seat % state.teams == team]
            placed = sum(game.outcome[seat].placed for seat in seats)
            removed = sum(one["team"] == team for event in events for one in event.get("removed", []))
            assert {game.outcome[seat].markers for seat in seats} == {placed - removed}
            assert placed - removed <= rules.markers
        winners = [seat for seat in game.outcome if seat.win == 1]
        assert len(winners) == (0 if game.outcome[0].undecided else rules.team_size)
        assert all(seat.turns <= rules.turn_limit for seat in game.outcome)
        for seat in game.outcome:
            plays = seat.singles + seat.pairs + seat.runs + seat.pairs_and_runs + seat.jokers + seat.passes
            assert plays == sum(event.get("turn") is not None and event["seat"] == seat.seat for event in events)


def test_the_games_of_these_tests_reach_everything() -> None:
    seen: Counter[str] = Counter()
    for game, _ in library():
        for event in game.events:
            seen[event["type"]] += 1
            seen[f"{event['type']} {event.get('reason', '')}"] += event["type"] == "end"
        last = game.events[-1]
        if "team" in last:
            seen[f"goal {game.state.rules.goal}"] += 1
            for flag in FLAGS:
                seen[f"{flag} {getattr(game.state.rules, flag)}"] += 1
            seen[f"teams of {game.state.rules.team_size}"] += 1
    wanted = ["layout", "draw", "reshuffle", "pass", *crossways.KINDS, "end goal", "end passes", "end turn-limit"]
    wanted += [f"goal {goal}" for goal in GOALS] + ["teams of 1", "teams of 2"]
    wanted += [f"{flag} {value}" for flag in FLAGS for value in (False, True)]
    assert [name for name in wanted if not seen[name]] == []


def test_a_play_that_is_not_legal_stops_the_game() -> None:
    def cheat(state: State, seat: int, chance: random.Random) -> Move:
        return Move("single", (state.hands[seat][0],), ((0, 2),))

    with pytest.raises(IllegalGameError, match=r"^turn 1: seat 0 may not do this: .* which shows W$"):
        crossways.play(Rules(), 2, LAYOUT, random.Random(1), cheat)


def test_markers_and_cards_that_get_lost_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = crossways.carry_out

    def losing_a_card(state: State, seat: int, choice: Move) -> None:
        honest(state, seat, choice)
        state.discards.pop()

    def closing_twice(state: State, seat: int, choice: Move) -> None:
        honest(state, seat, choice)
        state.board.stacks[0, 0] += [0, 0, 1, 1]

    def one_on_white(state: State, seat: int, choice: Move) -> None:
        honest(state, seat, choice)
        state.board.stacks[0, 2].append(1)

    for fault, message in (
        (losing_a_card, "turn 1: cards got lost or came from nowhere"),
        (closing_twice, "turn 1: [0, 0] bears [0, 0, 1, 1]"),
        (one_on_white, "turn 1: [0, 2] bears [1]"),
    ):
        monkeypatch.setattr(crossways, "carry_out", fault)
        with pytest.raises(AssertionError) as caught:
            crossways.referee(trace_of(LIMITED, LIMITED_OUTCOME, turn_limit=2))
        assert str(caught.value) == message


# Traces that are wrong


def is_refused(trace: Trace) -> bool:
    try:
        crossways.referee(trace)
    except IllegalGameError:
        return True
    return False


START = [layout(), draw(0, "KS KH 6D 7D 7H"), draw(1, "KC KD 6D 7D 8D")]
# Seat 0 has a marker on (2, 4), seat 1 has two on the white (2, 2), and seat 0 has 6D 7D 7H 9S KH.
MIDDLE = [*START, single(1, 0, "KS", "24"), draw(0, "9S"), pair(2, 1, "KC KD", "22 22"), draw(1, "2S 2C")]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (single(3, 0, "KH", "24"), "KH does not place on [2, 4], which shows BK"),
        (single(3, 0, "KH", "02"), "KH does not place on [0, 2], which shows W"),
        (single(3, 0, "KS", "53"), "['KS'] is not in the hand ['KH', '6D', '7D', '7H', '9S']"),
        (single(3, 0, "KH", "01 76"), "a single card places one marker"),
        (single(3, 0, "KH", ""), "a single card places one marker"),
        (told("single", 3, 0, "KH 9S", "01 31"), "['KH', '9S'] is not a single card"),
        (pair(3, 0, "6D 7D", "00 01"), "['6D', '7D'] are not cards of one rank"),
        (pair(3, 0, "7D 7H", "00"), "2 cards of one rank place 2 markers"),
        (pair(3, 0, "7D 7H", "00 01 03"), "2 cards of one rank place 2 markers"),
        (pair(3, 0, "7D 7H", "02 00"), "no 1 on the white square [0, 2], which bears []"),
        (pair(3, 0, "7D 7H", "22 22"), "no 2 on the white square [2, 2], which bears [1, 1]"),
        (pair(3, 0, "7D 7H", "24 24"), "[2, 4] is closed by the time it bears [0, 0]"),
        (told("pair", 3, 0, "7D 7H", "00 01", "24:0@0"), "2 cards of one rank place 2 markers"),
        (run(3, 0, "7H 6D", "22:1@0 22:1@1"), "['7H', '6D'] are not cards of one suit in sequence"),
        (run(3, 0, "6D 7D", "22:1@0"), "2 cards in sequence remove 2 markers"),
        (run(3, 0, "6D 7D", "22:1@0 24:0@0"), "the markers on the white square [2, 2] leave two at a time"),
        (run(3, 0, "6D 7D", "22:1@0 22:1@0"), "the marker on [2, 2] at level 0 is removed twice"),
        (run(3, 0, "6D 7D", "22:1@1 22:1@2"), "there is no marker of team 1 on [2, 2] at level 2"),
        (run(3, 0, "6D 7D", "22:0@0 22:0@1"), "there is no marker of team 0 on [2, 2] at level 0"),
        (run(3, 0, "6D 7D", "24:0@0 25:0@0"), "there is no marker of team 0 on [2, 5] at level 0"),
        (told("run", 3, 0, "6D 7D", "00", "22:1@0 22:1@1"), "2 cards in sequence remove 2 markers"),
        (
            {
                **told("pair-and-run", 3, 0, "6D 7D 7H", "00", "22:1@0 22:1@1"),
                "pair": ["7D", "7H"],
                "run": ["6D", "7D"],
            },
            "a pair and a run are not played together",
        ),
        (told("joker", 3, 0, "KH", removed="24:0@0"), "jokers are not played with"),
        (skip(3, 0, "KH"), "seat 0 may not pass so: a pass discards 0 cards, not ['KH']"),
        (single(3, 1, "8D", "12"), "turn 3 belongs to seat 0, not to seat 1"),
        (single(4, 0, "KH", "01"), "this is turn 3, not turn 4"),
        (RESHUFFLE, f"turn 3 begins with a play or a pass, not with {RESHUFFLE}"),
        (draw(0, "9S"), f"turn 3 begins with a play or a pass, not with {draw(0, '9S')}"),
        (layout(), f"turn 3 begins with a play or a pass, not with {layout()}"),
        (end("passes"), f"turn 3 begins with a play or a pass, not with {end('passes')}"),
        (goal(0, "24"), f"turn 3 begins with a play or a pass, not with {goal(0, '24')}"),
    ],
)
def test_plays_that_are_not_legal_are_refused(event: Event, message: str) -> None:
    goes_on(MIDDLE)
    refused([*MIDDLE, event], f"event 7: {message}")


def test_plays_that_are_legal_there_are_accepted() -> None:
    for event, drawn in (
        (single(3, 0, "KH", "01"), "AS"),
        (pair(3, 0, "7D 7H", "24 00"), "AS AS"),
        (pair(3, 0, "7H 7D", "41 41"), "AS AS"),
        (run(3, 0, "7D 6D", "22:1@1 22:1@0"), "AS AS"),
        (skip(3, 0), ""),
    ):
        goes_on([*MIDDLE, event, *([draw(0, drawn)] if drawn else [])])


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([draw(1, "KS KH 6D 7D 7H")], "event 1: it is seat 0 that draws, not seat 1"),
        ([draw(0, "KS KH 6D 7D")], "event 1: seat 0 draws 5 of 104 cards in the deck, not 4"),
        ([draw(0, "")], "event 1: seat 0 draws 5 of 104 cards in the deck, not 0"),
        ([draw(0, "KS KS KS 7D 7H")], "event 1: seat 0 draws KS too often, it is in the deck 2 times"),
        ([START[1], draw(1, "KC KD 6D 6D 8D")], "event 2: seat 1 draws 6D too often, it is in the deck 1 times"),
        ([RESHUFFLE], f"event 1: {RESHUFFLE} should be the draw of seat 0"),
        ([START[1], skip(1, 0)], f"event 2: {skip(1, 0)} should be the draw of seat 1"),
        ([START[1]], "event 2: the draw of seat 1 is missing"),
    ],
)
def test_draws_that_are_wrong_are_refused(events: list[Event], message: str) -> None:
    refused([layout(), *events], message)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (goal(1, ROW), "it is team 0 that has won, not team 1"),
        (goal(0, ""), "cells: the chain does not connect what the goal wants connected"),
        (goal(0, ROW[3:]), "cells: the chain does not connect what the goal wants connected"),
        (goal(0, ROW[:-3]), "cells: the chain does not connect what the goal wants connected"),
        (goal(0, "40 41 43 42 44 45 46 47"), "cells: [4, 3] is not linked to [4, 1]"),
        (goal(0, f"{ROW} 46"), "cells: a square comes twice"),
        (goal(0, "30 31 32 33 34 35 36 37"), "cells: [3, 0] does not count for team 0"),
        (goal(0, f"{ROW} 37"), "cells: [3, 7] does not count for team 0"),
        (end("passes"), "team 0 has won, the game does not end by passes"),
        (end("turn-limit"), "team 0 has won, the game does not end by turn-limit"),
        (skip(4, 1), f"{skip(4, 1)} should be the end, which team 0 wins"),
        (draw(0, "AS AS AH AH"), f"{draw(0, 'AS AS AH AH')} should be the end, which team 0 wins"),
    ],
)
def test_ends_that_are_wrong_are_refused(event: Event, message: str) -> None:
    refused([*WON[:7], event], f"event 7: {message}")


def test_a_chain_may_be_told_from_either_end() -> None:
    backwards = goal(0, " ".join(ROW.split()[::-1]))
    accepted([*WON[:7], backwards], WON_OUTCOME)


def test_shapes_are_exactly_their_squares() -> None:
    events, options = building("23 24 25 33 34", "35 43 44 45 46", goal="block-3x3")
    block = "23 24 25 33 34 35 43 44 45"
    for chain in (block[:-3], f"{block} 46", "24 25 33 34 35 43 44 45 46"):
        message = f"event {len(events)}: cells: the squares are not those of a block-3x3"
        refused([*events, goal(0, chain)], message, **options)
    message = f"event {len(events)}: cells: a square comes twice"
    refused([*events, goal(0, f"{block} 45")], message, **options)


# One change each, to a game of the library that has what it takes; and what the referee says.


def first_event(trace: Trace, kind: str, condition: Callable[[Event], bool] = lambda event: True) -> Event:
    return next(event for event in trace["events"] if event["type"] == kind and condition(event))


def has(kind: str) -> Callable[[Game], bool]:
    return lambda game: any(event["type"] == kind for event in game.events)


def ends_with(reason: str) -> Callable[[Game], bool]:
    return lambda game: game.events[-1]["reason"] == reason


def drop(kind: str) -> Callable[[Trace], None]:
    return lambda trace: trace["events"].remove(first_event(trace, kind))


def double(kind: str) -> Callable[[Trace], None]:
    def change(trace: Trace) -> None:
        event = first_event(trace, kind)
        trace["events"].insert(trace["events"].index(event), event)

    return change


def alter(kind: str, **values: object) -> Callable[[Trace], None]:
    return lambda trace: first_event(trace, kind).update(values)


def early_reshuffle(trace: Trace) -> None:
    index = trace["events"].index(RESHUFFLE)
    events = trace["events"]
    before = max(other for other in range(index) if events[other]["type"] in crossways.KINDS)
    events.insert(before, events.pop(index))


def late_reshuffle(trace: Trace) -> None:
    index = trace["events"].index(RESHUFFLE)
    trace["events"].insert(index + 1, trace["events"].pop(index))


def pass_instead(trace: Trace) -> None:
    """The first play becomes a pass, its draw is left out."""
    event = next(event for event in trace["events"] if "turn" in event and event["type"] != "pass")
    trace["events"][trace["events"].index(event)] = skip(event["turn"], event["seat"])


def swap_winner(trace: Trace) -> None:
    trace["events"][-1]["team"] = (trace["events"][-1]["team"] + 1) % 2


def cut_the_chain(trace: Trace) -> None:
    trace["events"][-1]["cells"].pop(3)


def wrong_split(trace: Trace) -> None:
    event = first_event(trace, "pair-and-run")
    event["pair"], event["run"] = event["run"], event["pair"]


def exchange_pair_and_run(trace: Trace) -> None:
    event = first_event(trace, "pair-and-run")
    event["type"] = "pair"
    del event["pair"], event["run"]


def place_on_white(trace: Trace) -> None:
    squares = trace["events"][0]["squares"]
    white = next([row, column] for row, column in CELLS if squares[row][column] == "W")
    first_event(trace, "single")["placed"] = [white]


def lower_team(trace: Trace) -> None:
    one = first_event(trace, "run")["removed"][0]
    one["team"] = (one["team"] + 1) % 2


def higher_level(trace: Trace) -> None:
    first_event(trace, "run")["removed"][0]["level"] += 7


def remove_twice(trace: Trace) -> None:
    removed = first_event(trace, "run")["removed"]
    removed[1] = removed[0]


def draw_what_is_in_a_hand(trace: Trace) -> None:
    """Seat 1 draws cards of which seat 0 has drawn all there are."""
    first, second = [event for event in trace["events"] if event["type"] == "draw"][:2]
    card = first["cards"][0]
    second["cards"] = [card] * len(second["cards"])


PLANTED: list[tuple[str, Callable[[Game], bool], Callable[[Trace], None], str]] = [
    ("no layout", has("layout"), drop("layout"), "should be the layout"),
    ("two layouts", has("layout"), double("layout"), "should be the draw of seat 0"),
    ("a missing draw", has("draw"), drop("draw"), "draws|missing|should be"),
    ("a draw too many", has("draw"), double("draw"), "draws|should be|draws"),
    ("a draw by another seat", has("draw"), alter("draw", seat=1), "it is seat 0 that draws, not seat 1"),
    ("a draw of nothing", has("draw"), alter("draw", cards=[]), "draws . of .* cards in the deck, not 0"),
    ("a draw of another's cards", has("draw"), draw_what_is_in_a_hand, "draws .* too often|cards in the deck, not"),
    ("no reshuffle", has("reshuffle"), drop("reshuffle"), "should be the reshuffle|cards in the deck, not"),
    ("an early reshuffle", has("reshuffle"), early_reshuffle, "begins with a play|should be"),
    ("a late reshuffle", has("reshuffle"), late_reshuffle, "should be the reshuffle before|cards in the deck, not"),
    ("a second reshuffle", has("reshuffle"), double("reshuffle"), "should be the draw"),
    ("a single on white", has("single"), place_on_white, "which shows W"),
    ("a single without a square", has("single"), alter("single", placed=[]), "places one marker"),
    ("a single in the wrong turn", has("single"), alter("single", turn=999), "not turn 999"),
    ("a pair without squares", has("pair"), alter("pair", placed=[]), "cards of one rank place"),
    ("a pair without cards", has("pair"), alter("pair", cards=[]), "are not cards of one rank"),
    ("a pair that is a run", has("pair"), alter("pair", type="run"), "are not cards of one suit in sequence"),
    ("a run that is a pair", has("run"), alter("run", type="pair"), "are not cards of one rank"),
    ("a run that removes nothing", has("run"), alter("run", removed=[]), "cards in sequence remove"),
    ("a run of another's marker", has("run"), lower_team, "there is no marker of team"),
    ("a run above the stack", has("run"), higher_level, "there is no marker of team"),
    ("a marker removed twice", has("run"), remove_twice, "is removed twice|there is no marker|leave two at a time"),
    ("a joker that does nothing", has("joker"), alter("joker", placed=[], removed=[]), "a joker"),
    ("a joker as a single card", has("joker"), alter("joker", type="single"), "not a single card"),
    ("pair and run exchanged", has("pair-and-run"), wrong_split, "are not cards of one"),
    ("pair and run as a pair", has("pair-and-run"), exchange_pair_and_run, "are not cards of one rank"),
    ("a pass with a foreign card", has("pass"), alter("pass", discarded=["KS", "KS", "KS"]), "a pass discards"),
    ("a pass of another seat", has("pass"), alter("pass", seat=1, turn=1), "belongs to seat|not turn 1"),
    ("another winner", ends_with("goal"), swap_winner, "has won, not team"),
    ("a cut chain", ends_with("goal"), cut_the_chain, "cells: "),
    ("a win by passes", ends_with("goal"), lambda trace: trace["events"].__setitem__(-1, end("passes")), "has won"),
    ("no end", has("end"), drop("end"), "the end.* is missing"),
    ("two ends", has("end"), double("end"), "comes after the end"),
    ("the wrong reason", ends_with("passes"), alter("end", reason="turn-limit"), "the game ends by passes"),
    ("the other reason", ends_with("turn-limit"), alter("end", reason="passes"), "the game ends by turn-limit"),
    ("a pass instead of a play", has("single"), pass_instead, "begins with a play|a pass discards|has to play"),
]


@pytest.mark.parametrize(
    ("condition", "change", "message"), [row[1:] for row in PLANTED], ids=[row[0] for row in PLANTED]
)
def test_planted_errors_are_refused(
    condition: Callable[[Game], bool], change: Callable[[Trace], None], message: str
) -> None:
    for trace in found(condition)[:6]:
        change(trace)
        with pytest.raises(IllegalGameError, match=message):
            crossways.referee(trace)


def short_traces() -> list[Trace]:
    return [*whole_games(), *[copy.deepcopy(trace) for _, trace in library() if len(trace["events"]) <= 45][:4]]


def test_every_event_that_is_dropped_is_missed() -> None:
    for trace in short_traces():
        for index in range(len(trace["events"])):
            events = [*trace["events"][:index], *trace["events"][index + 1 :]]
            assert is_refused({**trace, "events": events}), (index, trace["events"][index])


def test_every_event_that_is_told_twice_is_one_too_many() -> None:
    for trace in short_traces():
        for index, event in enumerate(trace["events"]):
            events = [*trace["events"][:index], event, *trace["events"][index:]]
            assert is_refused({**trace, "events": events}), (index, event)


def test_a_game_that_stops_early_is_refused() -> None:
    for trace in short_traces():
        for length in range(len(trace["events"])):
            assert is_refused({**trace, "events": trace["events"][:length]})


def test_nothing_comes_after_the_end() -> None:
    for trace in short_traces():
        for more in (trace["events"][-1], RESHUFFLE, draw(0, "KS"), skip(7, 0)):
            events = [*trace["events"], more]
            with pytest.raises(IllegalGameError) as caught:
                crossways.referee({**trace, "events": events})
            assert str(caught.value) == f"event {len(events) - 1}: {more} comes after the end"


def test_every_key_that_is_missing_or_unknown_in_an_event_is_refused() -> None:
    for trace in short_traces():
        for index, event in enumerate(trace["events"]):
            for key in event:
                without = {name: value for name, value in event.items() if name != key}
                assert is_refused({**trace, "events": [*trace["events"][:index], without]})
            more = [*trace["events"][:index], {**event, "note": "?"}]
            with pytest.raises(IllegalGameError, match=rf"^event {index}: {event['type']}: the key 'note' is unknown$"):
                crossways.referee({**trace, "events": more})


@pytest.mark.parametrize("event", ["draw", 3, None, [], {}, {"turn": 1}, {"type": []}, {"type": "roll", "seat": 0}])
def test_what_is_no_event_is_refused(event: object) -> None:
    message = f"event 3: {event!r} is not a layout, draw, reshuffle, play, pass or end event"
    refused([*START, event], message)


KH = single(1, 0, "KH", "01")
REMOVAL = run(1, 0, "6D 7D", "22:1@0 22:1@1")
MARKER = REMOVAL["removed"][0]


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({**KH, "turn": 0}, "single: there is no turn 0"),
        ({**KH, "turn": True}, "single: there is no turn True"),
        ({**KH, "seat": 2}, "single: there is no seat 2"),
        ({**KH, "seat": -1}, "single: there is no seat -1"),
        ({**KH, "cards": "KH"}, "single: 'KH' is not a list of cards"),
        ({**KH, "cards": ["HK"]}, "single: ['HK'] is not a list of cards"),
        ({**KH, "cards": ["1S"]}, "single: ['1S'] is not a list of cards"),
        ({**KH, "cards": [None]}, "single: [None] is not a list of cards"),
        ({**KH, "placed": None}, "single: None is not a list of squares"),
        ({**KH, "placed": [[0, 8]]}, "single: [[0, 8]] is not a list of squares"),
        ({**KH, "placed": [[-1, 0]]}, "single: [[-1, 0]] is not a list of squares"),
        ({**KH, "placed": [[0]]}, "single: [[0]] is not a list of squares"),
        ({**KH, "placed": [[0.0, 1]]}, "single: [[0.0, 1]] is not a list of squares"),
        ({**KH, "removed": None}, "single: None is not a list of markers"),
        ({**KH, "pair": []}, "single: the key 'pair' is unknown"),
        ({**REMOVAL, "removed": ["22"]}, "run: '22' is not an object"),
        ({**REMOVAL, "removed": [{**MARKER, "cell": [2, 9]}]}, "run: there is no square [2, 9]"),
        ({**REMOVAL, "removed": [{**MARKER, "team": 2}]}, "run: there is no team 2"),
        ({**REMOVAL, "removed": [{**MARKER, "level": -1}]}, "run: there is no level -1"),
        ({**REMOVAL, "removed": [{**MARKER, "level": None}]}, "run: there is no level None"),
        ({**REMOVAL, "removed": [{**MARKER, "height": 1}]}, "run: the key 'height' is unknown"),
        ({**REMOVAL, "removed": [{"cell": [2, 2], "team": 1}]}, "run: the key 'level' is missing"),
        ({**skip(1, 0), "discarded": None}, "pass: None is not a list of cards"),
        ({"type": "pass", "turn": 1, "seat": 0}, "pass: the key 'discarded' is missing"),
        ({**KH, "type": "pair-and-run"}, "pair-and-run: the key 'pair' is missing"),
        (end("goal"), "end: the key 'cells' is missing"),
        ({**end("passes"), "team": 0}, "end: the key 'team' is unknown"),
        ({**goal(0, ROW), "team": 2}, "end: there is no team 2"),
        ({**goal(0, ROW), "cells": [["4", 0]]}, "end: [['4', 0]] is not a list of squares"),
        (end("six"), "end: the reason 'six' is not 'goal', 'passes' or 'turn-limit'"),
        ({**RESHUFFLE, "cards": []}, "reshuffle: the key 'cards' is unknown"),
    ],
)
def test_faults_of_single_events_are_named(event: Event, message: str) -> None:
    refused([*START, event], f"event 3: {message}")


def wrong_outcomes(value: Any) -> list[object]:
    """Values that are never right where this one stands."""
    wrong: list[object] = [None, [value], value == 1]
    return [*wrong, str(value), value + 1, value - 1, math.nan] if isinstance(value, int | float) else [*wrong, "six"]


def test_every_wrong_value_of_the_outcome_is_refused() -> None:
    traces = whole_games()
    keys = crossways.SeatOutcome._fields
    for trace, key in itertools.product(traces, keys):
        for seat in range(2):
            right = trace["outcome"][seat][key]
            for wrong in wrong_outcomes(right):
                changed = copy.deepcopy(trace["outcome"])
                changed[seat][key] = wrong
                with pytest.raises(IllegalGameError) as caught:
                    crossways.referee({**trace, "outcome": changed})
                assert str(caught.value).startswith(f"outcome of seat {seat}: {key} is {wrong!r}, should be ")
            missing = copy.deepcopy(trace["outcome"])
            del missing[seat][key]
            with pytest.raises(IllegalGameError, match=rf"^outcome of seat {seat}: the key '{key}' is missing$"):
                crossways.referee({**trace, "outcome": missing})


def test_further_keys_of_the_outcome_and_points_written_another_way_do_not_matter() -> None:
    trace = trace_of(WON, WON_OUTCOME)
    trace["outcome"][0] |= {"colour": "green", "score": 1.0, "win": 1}
    crossways.referee(trace)


def test_the_outcome_has_an_entry_for_every_seat() -> None:
    trace = trace_of(WON, WON_OUTCOME)
    for outcome, message in (
        (trace["outcome"][:1], "outcome: there are 1 entries for 2 seats"),
        ([*trace["outcome"], {}], "outcome: there are 3 entries for 2 seats"),
        ([None, None], "outcome of seat 0: None is not an object"),
    ):
        with pytest.raises(IllegalGameError) as caught:
            crossways.referee({**trace, "outcome": outcome})
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("game", "crosswise", "game: 'crosswise' is not 'crossways'"),
        ("rules_version", 1, "rules_version: 1 is not '1'"),
        ("seed", -1, "seed: -1 is not a whole number from 0"),
        ("deal", 1.0, "deal: 1.0 is not a whole number from 0"),
        ("rotation", True, "rotation: True is not a whole number from 0 to 1"),
        ("rotation", 2, "rotation: 2 is not a whole number from 0 to 1"),
        ("seats", ["a", 1], "seats: ['a', 1] is not a list of strategies"),
        ("seats", "ab", "seats: 'ab' is not a list of strategies"),
        ("seats", ["a"], "seats: 1 seats, but with teams of 1 it is 2, 3 or 4"),
        ("events", {}, "events: not a list"),
        ("outcome", None, "outcome: not a list"),
        ("extra", 1, "trace: the key 'extra' is unknown"),
        ("variant", None, "variant: None is not an object"),
    ],
)
def test_faults_of_the_header_are_named(key: str, value: object, message: str) -> None:
    with pytest.raises(IllegalGameError) as caught:
        crossways.referee({**trace_of(WON, WON_OUTCOME), key: value})
    assert str(caught.value) == message


@pytest.mark.parametrize("key", sorted(crossways.TRACE_KEYS))
def test_every_part_of_a_trace_is_needed(key: str) -> None:
    trace = trace_of(WON, WON_OUTCOME)
    del trace[key]
    with pytest.raises(IllegalGameError, match=rf"^trace: the key '{key}' is missing$"):
        crossways.referee(trace)


@pytest.mark.parametrize("key", sorted(DEFAULTS))
def test_every_option_is_needed(key: str) -> None:
    trace = trace_of(WON, WON_OUTCOME)
    del trace["variant"][key]
    with pytest.raises(IllegalGameError, match=rf"^variant: the key '{key}' is missing$"):
        crossways.referee(trace)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("team_size", 3, "team_size 3 is neither 1 nor 2"),
        ("team_size", True, "team_size True is neither 1 nor 2"),
        ("goal", "side", f"goal 'side' is not one of {', '.join(GOALS)}"),
        ("goal", [], f"goal [] is not one of {', '.join(GOALS)}"),
        *[(flag, 1, f"{flag} 1 is neither true nor false") for flag in FLAGS],
        *[(number, 0, f"{number} 0 is not a whole number from 1") for number in NUMBERS],
        *[(number, 5.0, f"{number} 5.0 is not a whole number from 1") for number in NUMBERS],
        ("bonus", 6, "the key 'bonus' is unknown"),
    ],
)
def test_faults_of_the_options_are_named(key: str, value: Any, message: str) -> None:
    refused([], f"variant: {message}", **{key: value})


def test_there_are_as_many_rotations_as_teams() -> None:
    trace = trace_of(WON, WON_OUTCOME)
    crossways.referee({**trace, "rotation": 1})
    for game, one in library():
        teams = game.state.teams
        for rotation in (0, teams - 1):
            crossways.check_header({**one, "rotation": rotation})
        with pytest.raises(IllegalGameError, match=f"^rotation: {teams} is not a whole number from 0 to {teams - 1}$"):
            crossways.check_header({**one, "rotation": teams})


# The fast engine, held against this one


NAMES = ["uniform", "straight-line", "rusher", "balanced", "blocker", "hoarder", "closer"]


@pytest.fixture(scope="module")
def fast() -> Any:
    """Return the game of the simulators; the tests that need it are skipped until it and its players exist."""
    pytest.importorskip("sims.crossways")
    pytest.importorskip("strategies.crossways")
    return find_game("crossways")


# What tests draw numeric options from, as far as the game allows them: values that make games of all kinds.
LIKELY = {
    "hand": [2, 3, 4, 5, 5, 6, 8],
    "team_hand": [2, 3, 4, 4, 5],
    "markers": [8, 12, 18, 24, 24],
    "decks": [1, 2, 2, 3],
    "turn_limit": [1, 7, 40, 100, 400],
}


def fast_rules(fast: Any, source: random.Random) -> Any:
    """Return rules of the fast engine at random; half of the time most options stay as they are."""
    options: dict[str, Any] = {}
    for name, item in fast.rules.options().items():
        check = item.metadata["check"]
        if isinstance(check, Whole):
            likely = [value for value in LIKELY.get(name, []) if check.low <= value <= check.high]
            options[name] = source.choice(likely or [check.low, check.high])
        elif isinstance(check, OneOf):
            options[name] = source.choice(check.names)
        elif name in FLAGS:
            options[name] = source.random() < 0.4
    team_size = source.choice([1, 1, 2])
    kept = source.sample(sorted(options), min(len(options), source.choice([0, 4, 9, 13])))
    changes = {name: value for name, value in options.items() if name not in kept}
    return playable(fast.rules().replace(**{**changes, "team_size": team_size}))


def playable(rules: Any) -> Any:
    """Return rules whose games do not take minutes without the JIT."""
    return rules if COMPILED else rules.replace(turn_limit=min(rules.turn_limit, 15))


def some_player(source: random.Random, thinks: bool) -> str:
    """Return the spec of a player, now and then a wrapped one."""
    name, draw_of = source.choice(NAMES), source.random()
    if thinks and draw_of < 0.1:
        return f"rollout({name},1)"
    return f"noisy({name},0.3)" if draw_of < 0.35 else name


def line_up(rules: Any, source: random.Random, thinks: bool) -> list[str]:
    seats = source.choice(crossways.SEATS[rules.team_size])
    return [some_player(source, thinks) for _ in range(seats)]


def check_games(fast: Any, source: random.Random, rules: Any, deals: int, thinks: bool = False) -> None:
    """Play some deals fast, and have every one refereed as whoever reads it from a file gets it."""
    specs = line_up(rules, source, thinks)
    players = [find_strategy(fast.name, spec).player() for spec in specs]
    seed = source.choice([0, 1, 2**63, source.randrange(2**64)])
    first = source.choice([0, source.randrange(2**40)])
    outcomes, logs = Table(fast, rules, players).log(seed, first, deals)
    for number in range(deals):
        trace = {
            "game": fast.name,
            "rules_version": fast.rules_version,
            "variant": rules.to_dict(),
            "seed": seed,
            "deal": first + number,
            "rotation": 0,
            "seats": specs,
            "events": fast.events(rules, logs[number], len(players)),
            "outcome": fast.results(rules, logs[number], outcomes[number]),
        }
        read = json.loads(json.dumps(trace))
        try:
            crossways.referee(read)
        except (IllegalGameError, AssertionError) as error:
            raise AssertionError(f"seed {seed}, deal {first + number}, {specs}, {rules}: {error}") from error
        check_columns(fast, read["outcome"], outcomes[number])


def check_columns(fast: Any, results: list[dict[str, Any]], rows: Any) -> None:
    """Hold the columns of the outcome that a trace tells of against the trace."""
    for result, row in zip(results, rows.tolist(), strict=True):
        values = {**result, "win": round(result["win"] * WIN_UNIT), "end": fast.end_reasons.index(result["end"])}
        for column, value in zip(fast.columns, row, strict=True):
            if column.name in values:
                assert values[column.name] == value, column.name


def test_the_games_of_random_rules_are_those_of_the_rulebook(fast: Any) -> None:
    source = random.Random("crossways")
    for _ in range(80 if COMPILED else 3):
        check_games(fast, source, fast_rules(fast, source), 2 if COMPILED else 1)


def test_the_games_of_every_variant_are_those_of_the_rulebook(fast: Any) -> None:
    source = random.Random("variants")
    variants = [*fast.variants]
    for name in variants if COMPILED else variants[:1]:
        check_games(fast, source, playable(fast.variant(name)), 4 if COMPILED else 1)


@pytest.mark.parametrize("team_size", [1, 2])
def test_every_rotation_of_a_replayed_game_is_that_of_the_rulebook(fast: Any, team_size: int) -> None:
    rules = playable(fast.rules().replace(team_size=team_size))
    for seats in crossways.SEATS[team_size] if COMPILED else crossways.SEATS[team_size][:1]:
        players = [find_strategy(fast.name, spec).player() for spec in itertools.islice(itertools.cycle(NAMES), seats)]
        for rotation in range(seats // team_size):
            trace = replay(fast, rules, players, seed=7, deal=123, rotation=rotation)
            outcome = crossways.referee(json.loads(json.dumps(trace)))
            assert len(outcome) == seats


def test_the_default_layout_is_that_of_these_tests(fast: Any) -> None:
    rules = fast.rules().replace(turn_limit=1)
    players = [find_strategy(fast.name, "uniform").player()] * 2
    assert replay(fast, rules, players)["events"][0]["squares"] == LAYOUT


def test_the_defaults_of_the_options_are_those_of_the_rulebook(fast: Any) -> None:
    assert crossways.rules_of(fast.rules().to_dict()) == Rules()


def test_a_changed_log_is_refused(fast: Any) -> None:
    """The referee looks at what the fast engine tells: an outcome that is not the game's is found."""
    rules = playable(fast.rules())
    players = [find_strategy(fast.name, "uniform").player()] * 2
    trace = json.loads(json.dumps(replay(fast, rules, players, seed=7, deal=3)))
    crossways.referee(trace)
    for key in ("markers", "placed", "turns", "singles"):
        wrong = copy.deepcopy(trace)
        wrong["outcome"][1][key] += 1
        with pytest.raises(IllegalGameError, match=f"^outcome of seat 1: {key} is "):
            crossways.referee(wrong)
    assert is_refused({**trace, "events": trace["events"][:-2] + trace["events"][-1:]})


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_games_are_those_of_the_rulebook(fast: Any, part: int) -> None:
    source = random.Random(f"many {part}")
    variants = [*fast.variants]
    for number in range(400 if COMPILED else 4):
        rules = playable(fast.variant(source.choice(variants))) if number % 5 == 0 else fast_rules(fast, source)
        check_games(fast, source, rules, 5 if COMPILED else 1)
        if number % 40 == 0 and COMPILED:
            check_games(fast, source, rules.replace(turn_limit=min(rules.turn_limit, 40)), 1, thinks=True)
