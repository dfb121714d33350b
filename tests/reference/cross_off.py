"""Cross Off, played slowly and literally from the rulebook: the oracle that fast kernels are held against.

The roller rolls two plain dice and one die for each open track. Everybody may mark the sum of the plain dice on one
track; then the roller alone may mark the sum of one plain and one coloured die on that colour's track. Marks go from
left to right, and what is jumped over is gone. The last number of a track needs five marks before it; marking it adds
a bonus mark and closes the track for everyone. A roller who marked nothing takes a penalty. Two closed tracks or a
fourth penalty end the game, and the highest score wins.

Nothing here is fast or clever, and nothing is imported from the project. A sheet is a list of the numbers marked on
each track, in the order in which they were marked; that somebody closed a track is remembered by the track, with the
seats that did. `play` writes a game down as it goes, `referee` reads one and stops at the first thing that is wrong;
they share the rules of a single mark, but each goes through the steps of a turn in its own words. Sources: the
Cross Off rulebook, the project's page of rules (section 3) and its trace format.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

COLOURS = ("red", "yellow", "green", "blue")
NUMBERS = {
    "red": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    "yellow": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    "green": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
    "blue": [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
}
FACES = (1, 2, 3, 4, 5, 6)
MOST_SEATS = 5
RULES_VERSION = "1"

Sheet = dict[str, list[int]]
Event = dict[str, Any]

# As in a roll event: two plain faces under "plain", one face under each colour, None for a closed track.
Dice = Mapping[str, Any]


class IllegalGameError(ValueError):
    """Something happened that the rules forbid, or something did not happen that they demand."""


@dataclass(frozen=True)
class Rules:
    """The options of the game; the defaults are the rulebook's."""

    mark_points: tuple[float, ...] = (0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78)
    marks_to_close: int = 5
    penalty_points: float = 5
    penalties_to_end: int = 4
    tracks_to_end: int = 2
    finish_turn: bool = False


@dataclass
class State:
    """Everything on the table: all of it is public."""

    rules: Rules
    sheets: list[Sheet]
    penalties: list[int]
    closed: dict[str, list[int]] = field(default_factory=dict)  # the seats that closed each closed track
    turn: int = 1

    @property
    def roller(self) -> int:
        """The seat that rolls in this turn; seat 0 rolls first."""
        return (self.turn - 1) % len(self.sheets)


class Mark(NamedTuple):
    """A number on a track, and for a pair the face of the plain die in it."""

    track: str
    number: int
    plain: int | None = None


class SeatOutcome(NamedTuple):
    """One seat's entry in the outcome, the fields named as in a trace."""

    seat: int
    score: float
    rank: int
    win: float
    marks: dict[str, int]
    penalties: int


class Game(NamedTuple):
    """A finished game: what happened, and the table at the end."""

    events: list[Event]
    state: State


# Given the table, a seat, the dice, that seat's legal marks (never none) and chance: one of the marks, or None to pass.
Chooser = Callable[[State, int, Dice, list[Mark], random.Random], Mark | None]


def start(rules: Rules, seats: int) -> State:
    """Return the table before the first roll."""
    if not 1 <= seats <= MOST_SEATS:
        raise IllegalGameError(f"{seats} seats: 1 to {MOST_SEATS} can play")
    return State(rules, [{colour: [] for colour in COLOURS} for _ in range(seats)], [0] * seats)


# Marking


def refusal(state: State, seat: int, track: str, number: int) -> str | None:
    """Why a seat may not mark a number on a track, whatever the dice show; None when it may."""
    if track in state.closed:
        return f"the {track} track is closed"
    numbers = NUMBERS[track]
    marked = state.sheets[seat][track]
    if marked and numbers.index(number) <= numbers.index(marked[-1]):
        return f"{number} is not to the right of seat {seat}'s last mark on the {track} track, {marked[-1]}"
    if number == numbers[-1] and len(marked) < state.rules.marks_to_close:
        needed = state.rules.marks_to_close
        return f"{number} closes the {track} track and needs {needed} marks there first, seat {seat} has {len(marked)}"
    return None


def legal_sum_marks(state: State, seat: int, dice: Dice) -> list[Mark]:
    """All marks that a seat may make in the sum step, in the order of the tracks; passing comes on top."""
    total = dice["plain"][0] + dice["plain"][1]
    return [
        Mark(track, number)
        for track in COLOURS
        for number in NUMBERS[track]
        if number == total and refusal(state, seat, track, number) is None
    ]


def legal_pair_marks(state: State, dice: Dice) -> list[Mark]:
    """All marks that the roller may make in the pair step, by track and then from left to right; passing comes on top.

    The dice may be those of the roll: a track that was closed since then is not available.
    """
    first, second = dice["plain"]
    return [
        Mark(track, number, plain)
        for track in COLOURS
        for number in NUMBERS[track]
        for plain in ([first] if first == second else [first, second])
        if dice[track] is not None
        and number == plain + dice[track]
        and refusal(state, state.roller, track, number) is None
    ]


def enter_marks(state: State, marks: Sequence[tuple[int, Mark]]) -> list[tuple[str, list[int]]]:
    """Enter all marks of one step at once, and return the tracks that this closes, each with the seats that did."""
    for seat, mark in marks:
        state.sheets[seat][mark.track].append(mark.number)
    closings = []
    for track in COLOURS:
        closers = [seat for seat, mark in marks if mark.track == track and mark.number == NUMBERS[track][-1]]
        if closers:
            state.closed[track] = closers
            closings.append((track, closers))
    return closings


def ends_by_tracks(state: State) -> bool:
    """Whether enough tracks are closed."""
    return len(state.closed) >= state.rules.tracks_to_end


def ends_by_penalties(state: State) -> bool:
    """Whether a seat has enough penalties."""
    return any(taken >= state.rules.penalties_to_end for taken in state.penalties)


# Scoring


def count_marks(state: State, seat: int) -> dict[str, int]:
    """Count a seat's marks on each track, the bonus mark for closing it included."""
    return {
        colour: len(state.sheets[seat][colour]) + (1 if seat in state.closed.get(colour, []) else 0)
        for colour in COLOURS
    }


def score_seat(rules: Rules, marks: Mapping[str, int], penalties: int) -> float:
    """Points of a sheet, given its marks by colour (bonus included) and its penalties."""
    points = [rules.mark_points[marks[colour]] for colour in COLOURS] + [-rules.penalty_points] * penalties
    if all(type(value) is int for value in points):
        return sum(points)
    # Rounded once, so that equal marks in another order of the colours tie.
    return math.fsum(points)


def rank_seats(scores: Sequence[float]) -> list[tuple[int, float]]:
    """Rank and win share of every seat; equal scores share the better rank, and the first place."""
    ranks = [1 + sum(1 for other in scores if other > own) for own in scores]
    winners = ranks.count(1)
    return [(rank, 1 / winners if rank == 1 else 0.0) for rank in ranks]


def outcome_of(state: State) -> tuple[SeatOutcome, ...]:
    """Score and rank the sheets as they are."""
    seats = range(len(state.sheets))
    marks = [count_marks(state, seat) for seat in seats]
    scores = [score_seat(state.rules, marks[seat], state.penalties[seat]) for seat in seats]
    places = rank_seats(scores)
    return tuple(
        [
            SeatOutcome(seat, scores[seat], *places[seat], marks=marks[seat], penalties=state.penalties[seat])
            for seat in seats
        ]
    )


# Playing


def roll_dice(state: State, chance: random.Random) -> dict[str, Any]:
    """Roll the two plain dice and the die of every open track."""
    dice: dict[str, Any] = {"plain": [chance.choice(FACES), chance.choice(FACES)]}
    for colour in COLOURS:
        dice[colour] = None if colour in state.closed else chance.choice(FACES)
    return dice


def uniform(state: State, seat: int, dice: Dice, options: list[Mark], chance: random.Random) -> Mark | None:
    """Pass or make one of the legal marks, each with the same probability."""
    return chance.choice([None, *options])


def play(rules: Rules, seats: int, chance: random.Random, chooser: Chooser) -> Game:
    """Play a game to its end.

    Every turn of a seat that rolls costs it a penalty or a space on its sheet, so that a game ends whatever is chosen.

    Parameters
    ----------
    rules
        The options.
    seats
        1 to 5.
    chance
        Source of the dice, and handed to the chooser.
    chooser
        Asked once a step for every seat with a legal mark. In the sum step all seats are asked before anything is
        entered.

    Raises
    ------
    IllegalGameError
        When the chooser returns a mark that is not among the options.
    """
    state = start(rules, seats)
    events: list[Event] = []

    def ask(seat: int, dice: Dice, options: list[Mark]) -> Mark | None:
        mark = chooser(state, seat, dice, options, chance) if options else None
        if mark is not None and mark not in options:
            raise IllegalGameError(f"turn {state.turn}: seat {seat} chose {mark}, the legal marks are {options}")
        return mark

    def enter(marks: Sequence[tuple[int, Mark]]) -> None:
        for seat, mark in marks:
            event: Event = {"type": "mark", "turn": state.turn, "step": "sum" if mark.plain is None else "pair"}
            event |= {"seat": seat, "track": mark.track, "number": mark.number}
            events.append(event if mark.plain is None else event | {"plain": mark.plain})
        for track, closers in enter_marks(state, marks):
            events.append({"type": "close", "turn": state.turn, "track": track, "seats": closers})

    while True:
        roller = state.roller
        dice = roll_dice(state, chance)
        events.append({"type": "roll", "turn": state.turn, "roller": roller, **dice})

        chosen = [(seat, ask(seat, dice, legal_sum_marks(state, seat, dice))) for seat in range(seats)]
        sum_marks = [(seat, mark) for seat, mark in chosen if mark is not None]
        enter(sum_marks)
        if ends_by_tracks(state) and not rules.finish_turn:
            break

        pair_mark = ask(roller, dice, legal_pair_marks(state, dice))
        if pair_mark is not None:
            enter([(roller, pair_mark)])

        if pair_mark is None and roller not in [seat for seat, _ in sum_marks]:
            state.penalties[roller] += 1
            events.append({"type": "penalty", "turn": state.turn, "seat": roller})
        if ends_by_tracks(state) or ends_by_penalties(state):
            break
        state.turn += 1

    events.append({"type": "end", "reason": "tracks" if ends_by_tracks(state) else "penalties"})
    return Game(events, state)


# Refereeing a trace

TRACE_KEYS = {"game", "rules_version", "variant", "seed", "deal", "rotation", "seats", "events", "outcome"}
VARIANT_KEYS = {
    "mark_points",
    "marks_to_close",
    "penalty_points",
    "penalties_to_end",
    "tracks_to_end",
    "finish_turn",
}
EVENT_KEYS = {
    "roll": {"type", "turn", "roller", "plain", *COLOURS},
    "mark": {"type", "turn", "step", "seat", "track", "number"},
    "close": {"type", "turn", "track", "seats"},
    "penalty": {"type", "turn", "seat"},
    "end": {"type", "reason"},
}


def referee(trace: Mapping[str, Any]) -> tuple[SeatOutcome, ...]:
    """Go through a trace event by event, as somebody at the table with the rulebook would.

    Rolls and marks are judged by the state of the table; closings, penalties, the end and the outcome are what they
    have to be after them. Keys of the outcome that this module does not know are ignored.

    Parameters
    ----------
    trace
        A whole trace as `json.loads` returns it (lists, never tuples).

    Returns
    -------
    tuple of SeatOutcome
        The outcome, made again.

    Raises
    ------
    IllegalGameError
        At the first thing that the rules or the trace format forbid, or that is missing, with the number of the
        event (from 0).
    """
    check_header(trace)
    rules = rules_of(trace["variant"])
    state = start(rules, len(trace["seats"]))
    reader = Reader(trace["events"], len(trace["seats"]))
    while True:
        dice = read_roll(reader, state)
        sum_marks = read_sum_marks(reader, state, dice)
        enter_and_close(reader, state, sum_marks)
        if ends_by_tracks(state) and not rules.finish_turn:
            break
        pair_marks = read_pair_mark(reader, state, dice)
        enter_and_close(reader, state, pair_marks)
        has_marked = any(seat == state.roller for seat, _ in sum_marks) or len(pair_marks) > 0
        if not has_marked:
            state.penalties[state.roller] += 1
            reader.expect({"type": "penalty", "turn": state.turn, "seat": state.roller})
        if ends_by_tracks(state) or ends_by_penalties(state):
            break
        state.turn += 1
    reader.expect({"type": "end", "reason": "tracks" if ends_by_tracks(state) else "penalties"})
    if reader.next() is not None:
        reader.refuse(f"{reader.next()} comes after the end")
    outcome = outcome_of(state)
    check_outcome(outcome, trace["outcome"])
    return outcome


class Reader:
    """The events of a trace, one after the other; each is checked for its shape when it comes up."""

    def __init__(self, events: Sequence[object], seats: int) -> None:
        self.events = events
        self.seats = seats
        self.position = 0

    def refuse(self, message: str) -> NoReturn:
        """Raise `IllegalGameError` about the event that comes next."""
        raise IllegalGameError(f"event {self.position}: {message}")

    def next(self) -> Event | None:
        """Return the event that comes next, None after the last; it stays the next."""
        if self.position == len(self.events):
            return None
        event = self.events[self.position]
        for fault in shape_faults(event, self.seats):
            self.refuse(fault)
        assert isinstance(event, Mapping)
        return dict(event)

    def skip(self) -> None:
        """Go on to the following event."""
        self.position += 1

    def expect(self, wanted: Event) -> None:
        """Go on if the next event is this one, and refuse the trace otherwise."""
        found = self.next()
        if found is None:
            self.refuse(f"{wanted} is missing")
        if found != wanted:
            self.refuse(f"{found} should be {wanted}")
        self.skip()


def read_roll(reader: Reader, state: State) -> Dice:
    """Read the roll that begins a turn."""
    event = reader.next()
    if event is None:
        reader.refuse(f"turn {state.turn} is missing, the game is not over")
    if event["type"] != "roll":
        reader.refuse(f"turn {state.turn} begins with a roll, not with {event}")
    if event["turn"] != state.turn:
        reader.refuse(f"this is turn {state.turn}, not turn {event['turn']}")
    if event["roller"] != state.roller:
        reader.refuse(f"seat {state.roller} rolls in turn {state.turn}, not seat {event['roller']}")
    for colour in COLOURS:
        if colour in state.closed and event[colour] is not None:
            reader.refuse(f"the {colour} track is closed, its die has left the game")
        if colour not in state.closed and event[colour] is None:
            reader.refuse(f"the {colour} track is open, its die is missing")
    reader.skip()
    return {key: event[key] for key in ("plain", *COLOURS)}


def read_sum_marks(reader: Reader, state: State, dice: Dice) -> list[tuple[int, Mark]]:
    """Read the marks of the sum step, all judged by the table as it was before them."""
    total = sum(dice["plain"])
    marks: list[tuple[int, Mark]] = []
    while (event := reader.next()) is not None and event["type"] == "mark" and event["step"] == "sum":
        seat, track, number = event["seat"], event["track"], event["number"]
        if event["turn"] != state.turn:
            reader.refuse(f"this is turn {state.turn}, not turn {event['turn']}")
        for earlier, _ in marks:
            if earlier == seat:
                reader.refuse(f"seat {seat} marks the sum a second time")
            if earlier > seat:
                reader.refuse(f"seat {seat} marks after seat {earlier}; a step is listed in the order of the seats")
        if number != total:
            reader.refuse(f"seat {seat} marks {number}, but the plain dice add to {total}")
        if (reason := refusal(state, seat, track, number)) is not None:
            reader.refuse(reason)
        marks.append((seat, Mark(track, number)))
        reader.skip()
    return marks


def read_pair_mark(reader: Reader, state: State, dice: Dice) -> list[tuple[int, Mark]]:
    """Read the roller's mark of the pair step, if there is one."""
    event = reader.next()
    if event is None or event["type"] != "mark" or event["step"] != "pair":
        return []
    seat, track, number, plain = event["seat"], event["track"], event["number"], event["plain"]
    if event["turn"] != state.turn:
        reader.refuse(f"this is turn {state.turn}, not turn {event['turn']}")
    if seat != state.roller:
        reader.refuse(f"seat {seat} marks a pair, but seat {state.roller} is the roller")
    if plain not in dice["plain"]:
        reader.refuse(f"no plain die shows {plain}: they show {dice['plain'][0]} and {dice['plain'][1]}")
    if (reason := refusal(state, seat, track, number)) is not None:
        reader.refuse(reason)
    if number != plain + dice[track]:
        reader.refuse(f"seat {seat} marks {number}, but {plain} and the {track} die add to {plain + dice[track]}")
    reader.skip()
    return [(seat, Mark(track, number, plain))]


def enter_and_close(reader: Reader, state: State, marks: Sequence[tuple[int, Mark]]) -> None:
    """Enter the marks of a step, and read the closings that must follow."""
    for track, closers in enter_marks(state, marks):
        reader.expect({"type": "close", "turn": state.turn, "track": track, "seats": closers})


def is_integer(value: object, least: int, most: float = math.inf) -> bool:
    """Whether a JSON value is a whole number (true and false are not) between these bounds, themselves included."""
    return type(value) is int and least <= value <= most


def is_number(value: object) -> bool:
    """Whether a JSON value is a finite number (true and false are not)."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def key_faults(value: object, wanted: set[str]) -> list[str]:
    """Say which keys an object lacks and which it should not have."""
    if not isinstance(value, Mapping):
        return [f"{value!r} is not an object"]
    faults = [f"the key {key!r} is missing" for key in sorted(wanted - set(value))]
    return faults + [f"the key {key!r} is unknown" for key in sorted(map(str, set(value) - wanted))]


def shape_faults(event: object, seats: int) -> list[str]:
    """Say what is wrong with an event, whatever came before it."""
    if not isinstance(event, Mapping) or event.get("type") not in list(EVENT_KEYS):
        return [f"{event!r} is not a roll, mark, close, penalty or end event"]
    kind = event["type"]
    keys = EVENT_KEYS[kind] | ({"plain"} if kind == "mark" and event.get("step") == "pair" else set())
    faults = [f"{kind}: {fault}" for fault in key_faults(event, keys)]
    if faults:
        return faults
    if "turn" in keys and not is_integer(event["turn"], 1):
        faults.append(f"{kind}: there is no turn {event['turn']!r}")
    faults += [
        f"{kind}: there is no seat {event[key]!r}"
        for key in ("seat", "roller")
        if key in keys and not is_integer(event[key], 0, seats - 1)
    ]
    if "track" in keys and event["track"] not in COLOURS:
        faults.append(f"{kind}: there is no {event['track']!r} track")
    if kind == "roll":
        plain = event["plain"]
        if not isinstance(plain, list) or len(plain) != 2 or not all(is_integer(face, 1, 6) for face in plain):
            faults.append(f"roll: plain {plain!r} is not two faces from 1 to 6")
        faults += [
            f"roll: {colour} {event[colour]!r} is neither a face from 1 to 6 nor null"
            for colour in COLOURS
            if event[colour] is not None and not is_integer(event[colour], 1, 6)
        ]
    if kind == "mark":
        if event["step"] not in ("sum", "pair"):
            faults.append(f"mark: the step {event['step']!r} is not 'sum' or 'pair'")
        if not is_integer(event["number"], 2, 12):
            faults.append(f"mark: the number {event['number']!r} is not 2 to 12")
        if "plain" in keys and not is_integer(event["plain"], 1, 6):
            faults.append(f"mark: plain {event['plain']!r} is not a face from 1 to 6")
    if kind == "close":
        closers = event["seats"]
        if not isinstance(closers, list) or not all(is_integer(seat, 0, seats - 1) for seat in closers):
            faults.append(f"close: seats {closers!r} is not a list of seats")
    if kind == "end" and event["reason"] not in ("tracks", "penalties"):
        faults.append(f"end: the reason {event['reason']!r} is not 'tracks' or 'penalties'")
    return faults


def header_faults(trace: Mapping[str, Any]) -> list[str]:
    """Say what is wrong with the parts of a trace before its events."""
    faults = [f"trace: {fault}" for fault in key_faults(trace, TRACE_KEYS)]
    if faults:
        return faults
    if trace["game"] != "cross-off":
        faults.append(f"game: {trace['game']!r} is not 'cross-off'")
    if trace["rules_version"] != RULES_VERSION:
        faults.append(f"rules_version: {trace['rules_version']!r} is not {RULES_VERSION!r}")
    faults += [f"variant: {fault}" for fault in variant_faults(trace["variant"])]
    faults += [
        f"{key}: {trace[key]!r} is not a whole number from 0"
        for key in ("seed", "deal", "rotation")
        if not is_integer(trace[key], 0)
    ]
    seats = trace["seats"]
    if not isinstance(seats, list) or any(not isinstance(seat, str) for seat in seats):
        faults.append(f"seats: {seats!r} is not a list of strategies")
    elif not 1 <= len(seats) <= MOST_SEATS:
        faults.append(f"seats: {len(seats)} seats, but 1 to {MOST_SEATS} can play")
    elif is_integer(trace["rotation"], len(seats)):
        faults.append(f"rotation: {trace['rotation']} with {len(seats)} seats")
    faults += [f"{key}: not a list" for key in ("events", "outcome") if not isinstance(trace[key], list)]
    return faults


def variant_faults(variant: object) -> list[str]:
    """Say what is wrong with the resolved options of a trace."""
    faults = key_faults(variant, VARIANT_KEYS)
    if faults or not isinstance(variant, Mapping):
        return faults
    mark_points = variant["mark_points"]
    if not isinstance(mark_points, list) or len(mark_points) != 13 or not all(map(is_number, mark_points)):
        faults.append(f"mark_points {mark_points!r} is not a list of 13 numbers, for 0 to 12 marks")
    if not is_number(variant["penalty_points"]):
        faults.append(f"penalty_points {variant['penalty_points']!r} is not a number")
    for key, least, most in (("marks_to_close", 0, 10), ("penalties_to_end", 1, 8), ("tracks_to_end", 1, 4)):
        if not is_integer(variant[key], least, most):
            faults.append(f"{key} {variant[key]!r} is not {least} to {most}")
    if type(variant["finish_turn"]) is not bool and not is_integer(variant["finish_turn"], 0, 1):
        faults.append(f"finish_turn {variant['finish_turn']!r} is neither true nor false")
    return faults


def check_header(trace: Mapping[str, Any]) -> None:
    """Raise `IllegalGameError` unless the parts of a trace before its events are right."""
    for fault in header_faults(trace):
        raise IllegalGameError(fault)


def rules_of(variant: Mapping[str, Any]) -> Rules:
    """Rules from the resolved options of a trace."""
    return Rules(
        mark_points=tuple(variant["mark_points"]),
        marks_to_close=variant["marks_to_close"],
        penalty_points=variant["penalty_points"],
        penalties_to_end=variant["penalties_to_end"],
        tracks_to_end=variant["tracks_to_end"],
        finish_turn=bool(variant["finish_turn"]),
    )


def check_outcome(expected: Sequence[SeatOutcome], given: Sequence[object]) -> None:
    """Raise `IllegalGameError` unless every seat's entry holds what it should; further keys do not matter."""
    if len(expected) != len(given):
        raise IllegalGameError(f"outcome: there are {len(given)} entries for {len(expected)} seats")
    for right, found in zip(expected, given, strict=True):
        name = f"outcome of seat {right.seat}"
        if not isinstance(found, Mapping):
            raise IllegalGameError(f"{name}: {found!r} is not an object")
        for key, wanted in right._asdict().items():
            if key not in found:
                raise IllegalGameError(f"{name}: the key {key!r} is missing")
            value = found[key]
            if key in ("score", "win"):
                is_right = is_number(value) and math.isclose(wanted, value, rel_tol=1e-12, abs_tol=1e-9)
            elif key == "marks":
                is_right = isinstance(value, Mapping) and dict(value) == wanted
                is_right = is_right and all(type(number) is int for number in value.values())
            else:
                is_right = type(value) is int and value == wanted
            if not is_right:
                raise IllegalGameError(f"{name}: {key} is {value!r}, should be {wanted!r}")
