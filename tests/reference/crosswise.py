"""CrossWise, played slowly and literally from the rulebook: the oracle that fast kernels are held against.

Two teams share a board of 6×6 spaces; one scores its rows, the other its columns. In turn everybody places a symbol
stone on an empty space, or plays an action stone that removes, moves, swaps or replaces stones on the board, and then
fills the hand up from the bag. Six equal stones in a line win at once for the team whose line it is. Otherwise the
full board is scored: in every line the stones are grouped by symbol, and the higher total wins.

Nothing here is fast or clever, and nothing is imported from the project. Stones are the words of a trace, the bag and
the hands are lists of them, and the board is six lists of six. `play` writes a game down as it goes, `referee` reads
one and stops at the first thing that is wrong; they share the rules of a single play and of the end, but each goes
through the steps of a turn in its own words. Sources: the CrossWise rulebook, the project's page of rules (section 2)
and its trace format.

Where all of them are silent: a first hand of action stones only is redrawn as long as the bag still holds a symbol
stone. Without one, no new hand could be better and the redrawing would never end, so that the hand is kept. Nothing is
redrawn for a seat that the bag had nothing left for.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

SIZE = 6
SYMBOLS = ("1", "2", "3", "4", "5", "6")
ACTIONS = ("remove", "move", "swap", "replace")
STONES = (*SYMBOLS, *ACTIONS)

# The seats of one time round the table. Seat 1 of three plays alone, after each of the other two.
TURN_ORDER = {2: (0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
LONE_SEAT = 1

ROWS, COLUMNS = 0, 1
TEAMS = (ROWS, COLUMNS)
RULES_VERSION = "1"

Cell = tuple[int, int]  # row and column
Board = list[list[str | None]]
Event = dict[str, Any]

CELLS: list[Cell] = [(row, column) for row in range(SIZE) for column in range(SIZE)]


class IllegalGameError(ValueError):
    """Something happened that the rules forbid, or something did not happen that they demand."""


@dataclass(frozen=True)
class Rules:
    """The options of the game; the defaults are the rulebook's."""

    sudden_win: bool = True
    group_points: tuple[float, ...] = (1, 3, 5, 7, 7)  # of 2, 3, 4, 5, 6 equal stones
    six_different_points: float = 6
    copies: int = 7  # stones of each symbol
    action_stones: int = 3  # stones of each kind of action
    hand: int = 4
    lone_hand: int = 6


@dataclass
class State:
    """Everything on the table and in the hands; what a seat knows of it is `seen_by`."""

    rules: Rules
    box: list[str]  # all stones there are, sorted
    bag: list[str]
    hands: list[list[str]]
    board: Board
    played: list[str] = field(default_factory=list)  # action stones, in the corners of the board
    passes: list[int] = field(default_factory=list)  # the seats that passed since the last play
    turn: int = 1

    @property
    def mover(self) -> int:
        """The seat whose turn it is; seat 0 begins."""
        order = TURN_ORDER[len(self.hands)]
        return order[(self.turn - 1) % len(order)]


class Play(NamedTuple):
    """What a seat does in its turn. Two plays are the same play when nothing here tells them apart.

    Cells are the one space in question; for a move the stone's old space and its new one; for a swap both, the upper
    or left one first. The stone is the symbol that leaves the hand, for a placement or a replacement.
    """

    kind: str
    cells: tuple[Cell, ...]
    stone: str | None = None


class View(NamedTuple):
    """All that a seat knows."""

    board: Board
    hand: list[str]
    hand_sizes: list[int]  # of all seats
    bag_size: int
    played: list[str]


class SeatOutcome(NamedTuple):
    """One seat's entry in the outcome, the fields named as in a trace; score and lines are the team's."""

    seat: int
    score: float
    rank: int
    win: float
    team: int
    lines: list[float]


class Game(NamedTuple):
    """A finished game: what happened, and the table at the end."""

    events: list[Event]
    state: State


# Given the table, a seat, its legal plays (never none) and chance: one of the plays.
Chooser = Callable[[State, int, list[Play], random.Random], Play]


def all_stones(rules: Rules) -> list[str]:
    """Return the contents of the box."""
    return [symbol for symbol in SYMBOLS for _ in range(rules.copies)] + [
        action for action in ACTIONS for _ in range(rules.action_stones)
    ]


def start(rules: Rules, seats: int) -> State:
    """Return the table before the first draw, all stones in the bag."""
    if seats not in TURN_ORDER:
        raise IllegalGameError(f"{seats} seats: 2 to 4 can play")
    board: Board = [[None for _ in range(SIZE)] for _ in range(SIZE)]
    stones = all_stones(rules)
    return State(rules, sorted(stones), stones, [[] for _ in range(seats)], board)


def team_of(seat: int) -> int:
    """Team of a seat, which is the same at every table: teams sit by turns, and seat 1 of three is alone."""
    return (ROWS, COLUMNS, ROWS, COLUMNS)[seat]


def hand_size(state: State, seat: int) -> int:
    """Number of stones that a seat fills its hand up to."""
    is_lone = len(state.hands) == 3 and seat == LONE_SEAT
    return state.rules.lone_hand if is_lone else state.rules.hand


def is_to_redraw(state: State, seat: int) -> bool:
    """Whether a seat puts its first hand back: it has nothing but action stones, and a symbol stone is in the bag."""
    return all(stone in ACTIONS for stone in state.hands[seat]) and any(stone in SYMBOLS for stone in state.bag)


def stones_to_draw(state: State, seat: int) -> int:
    """Count the stones that a seat draws now: as many as its hand lacks, or what is left in the bag."""
    return min(hand_size(state, seat) - len(state.hands[seat]), len(state.bag))


def seen_by(state: State, seat: int) -> View:
    """Return what a seat knows."""
    return View(
        board=[list(row) for row in state.board],
        hand=list(state.hands[seat]),
        hand_sizes=[len(hand) for hand in state.hands],
        bag_size=len(state.bag),
        played=list(state.played),
    )


def check_stones(state: State) -> None:
    """Raise `AssertionError` unless every stone of the box is in exactly one place."""
    found = [*state.bag, *state.played]
    for hand in state.hands:
        found += hand
    for row in state.board:
        found += [stone for stone in row if stone is not None]
    if sorted(found) != state.box:
        raise AssertionError(f"turn {state.turn}: stones got lost or came from nowhere")


# Plays


def stone_on(state: State, cell: Cell) -> str | None:
    """Return the stone on a space of the board, None when it is empty."""
    row, column = cell
    return state.board[row][column]


def put(state: State, cell: Cell, stone: str | None) -> None:
    """Lay a stone on a space of the board, or empty it."""
    row, column = cell
    state.board[row][column] = stone


def legal_plays(state: State, seat: int) -> list[Play]:
    """All different plays of a seat, by kind, then symbol, then space; with none it has to pass."""
    hand = state.hands[seat]
    symbols = [symbol for symbol in SYMBOLS if symbol in hand]
    empty = [cell for cell in CELLS if stone_on(state, cell) is None]
    taken = [cell for cell in CELLS if stone_on(state, cell) is not None]
    plays = [Play("place", (cell,), symbol) for symbol in symbols for cell in empty]
    if "remove" in hand:
        plays += [Play("remove", (cell,)) for cell in taken]
    if "move" in hand:
        plays += [Play("move", (old, new)) for old in taken for new in empty]
    if "swap" in hand:
        plays += [Play("swap", (first, second)) for first, second in itertools.combinations(taken, 2)]
    if "replace" in hand:
        plays += [Play("replace", (cell,), symbol) for symbol in symbols for cell in taken]
    return plays


def refusal(state: State, seat: int, play: Play) -> str | None:
    """Why a seat may not do this; None when it may."""
    hand = state.hands[seat]
    if play.kind in ACTIONS and play.kind not in hand:
        return f"seat {seat} has no {play.kind} stone"
    if play.stone is not None and play.stone not in hand:
        return f"seat {seat} has no {play.stone} in its hand"
    if play.kind == "swap" and play.cells[0] == play.cells[1]:
        return f"a swap takes two stones, not the one on {list(play.cells[0])} twice"
    occupied = {"place": (), "move": play.cells[:1]}.get(play.kind, play.cells)
    empty = {"place": play.cells, "move": play.cells[1:]}.get(play.kind, ())
    for cell in occupied:
        if stone_on(state, cell) is None:
            return f"there is no stone on {list(cell)}"
    for cell in empty:
        if stone_on(state, cell) is not None:
            return f"there is a {stone_on(state, cell)} on {list(cell)} already"
    return None


def carry_out(state: State, seat: int, play: Play) -> None:
    """Change the table as a legal play does, up to the refilling of the hand."""
    hand = state.hands[seat]
    if play.kind in ACTIONS:
        hand.remove(play.kind)
        state.played.append(play.kind)
    on_board = [stone_on(state, cell) for cell in play.cells]
    if play.kind == "place":
        assert play.stone is not None
        hand.remove(play.stone)
        put(state, play.cells[0], play.stone)
    elif play.kind == "remove":
        assert on_board[0] is not None
        put(state, play.cells[0], None)
        hand.append(on_board[0])
    elif play.kind == "move":
        put(state, play.cells[0], None)
        put(state, play.cells[1], on_board[0])
    elif play.kind == "swap":
        put(state, play.cells[0], on_board[1])
        put(state, play.cells[1], on_board[0])
    else:
        assert play.stone is not None
        assert on_board[0] is not None
        hand.remove(play.stone)
        put(state, play.cells[0], play.stone)
        hand.append(on_board[0])


# The end


def lines_of(state: State, team: int) -> list[list[str | None]]:
    """Return the six lines that count for a team, the rows from above or the columns from the left."""
    if team == ROWS:
        return [[state.board[row][column] for column in range(SIZE)] for row in range(SIZE)]
    return [[state.board[row][column] for row in range(SIZE)] for column in range(SIZE)]


def team_with_six(state: State) -> int | None:
    """Return the team that has six equal stones in one of its lines, None when neither has."""
    for team in TEAMS:
        for line in lines_of(state, team):
            if line[0] is not None and line.count(line[0]) == SIZE:
                return team
    return None


def ending(state: State) -> Event | None:
    """Return the end of the game as an event, None when it goes on."""
    team = team_with_six(state)
    if state.rules.sudden_win and team is not None:
        return {"type": "end", "reason": "six", "team": team}
    if all(stone_on(state, cell) is not None for cell in CELLS):
        return {"type": "end", "reason": "full"}
    if all(seat in state.passes for seat in range(len(state.hands))):
        return {"type": "end", "reason": "passes"}
    return None


# Scoring


def combinations_of(counts: Sequence[int], rules: Rules) -> list[float]:
    """Points of every combination in a line with so many stones of each symbol."""
    points = [rules.group_points[count - 2] for count in counts if count >= 2]
    if all(count == 1 for count in counts):
        points.append(rules.six_different_points)
    return points


def added(points: Sequence[float]) -> float:
    """Sum of points; rounded once, so that the same combinations in another order are worth the same."""
    if all(type(value) is int for value in points):
        return sum(points)
    return math.fsum(points)


def line_points(counts: Sequence[int], rules: Rules) -> float:
    """Points of a line with so many stones of each of the six symbols, complete or not.

    All stones of a symbol are one group, and a stone alone is worth nothing, unless all six are different.
    """
    return added(combinations_of(counts, rules))


def outcome_of(state: State) -> tuple[SeatOutcome, ...]:
    """Score and rank the table as it is."""
    lines: list[list[float]] = []
    scores: list[float] = []
    for team in TEAMS:
        counts = [[line.count(symbol) for symbol in SYMBOLS] for line in lines_of(state, team)]
        lines.append([line_points(line, state.rules) for line in counts])
        scores.append(added([points for line in counts for points in combinations_of(line, state.rules)]))
    winners = [team for team in TEAMS if scores[team] == max(scores)]
    with_six = team_with_six(state)
    if state.rules.sudden_win and with_six is not None:
        winners = [with_six]
    return tuple(
        [
            SeatOutcome(
                seat=seat,
                score=scores[team_of(seat)],
                rank=1 if team_of(seat) in winners else 2,
                win=1 / len(winners) if team_of(seat) in winners else 0.0,
                team=team_of(seat),
                lines=lines[team_of(seat)],
            )
            for seat in range(len(state.hands))
        ]
    )


# Playing


def draw_stones(state: State, seat: int, chance: random.Random) -> list[Event]:
    """Fill a seat's hand up from the bag; a draw of nothing is no event."""
    stones = [state.bag.pop(chance.randrange(len(state.bag))) for _ in range(stones_to_draw(state, seat))]
    state.hands[seat] += stones
    return [{"type": "draw", "seat": seat, "stones": stones}] if stones else []


def event_of(state: State, seat: int, play: Play) -> Event:
    """Return a play as an event of a trace."""
    event: Event = {"type": play.kind, "turn": state.turn, "seat": seat}
    cells = [list(cell) for cell in play.cells]
    if play.kind == "move":
        return event | {"from": cells[0], "to": cells[1]}
    if play.kind == "swap":
        return event | {"cells": cells}
    return event | {"cell": cells[0]} | ({} if play.stone is None else {"stone": play.stone})


def uniform(state: State, seat: int, options: list[Play], chance: random.Random) -> Play:
    """Make one of the different legal plays, each with the same probability."""
    return chance.choice(options)


def play(rules: Rules, seats: int, chance: random.Random, chooser: Chooser) -> Game:
    """Play a game to its end.

    Every play fills a space or uses up an action stone, so that a game ends whatever is chosen.

    Parameters
    ----------
    rules
        The options.
    seats
        2 to 4.
    chance
        Source of the draws, and handed to the chooser.
    chooser
        Asked once a turn, unless the seat has to pass.

    Raises
    ------
    IllegalGameError
        When the chooser returns a play that is not among the options.
    """
    state = start(rules, seats)
    events: list[Event] = []

    for seat in range(seats):
        events += draw_stones(state, seat, chance)
        while is_to_redraw(state, seat):
            events.append({"type": "return", "seat": seat, "stones": list(state.hands[seat])})
            state.bag += state.hands[seat]
            state.hands[seat] = []
            events += draw_stones(state, seat, chance)

    while True:
        seat = state.mover
        options = legal_plays(state, seat)
        if options:
            chosen = chooser(state, seat, options, chance)
            if chosen not in options:
                raise IllegalGameError(f"turn {state.turn}: seat {seat} chose {chosen}, which is not legal")
            events.append(event_of(state, seat, chosen))
            carry_out(state, seat, chosen)
            state.passes = []
        else:
            events.append({"type": "pass", "turn": state.turn, "seat": seat})
            state.passes.append(seat)
        end = ending(state)
        if end is not None:
            events.append(end)
            return Game(events, state)
        events += draw_stones(state, seat, chance)
        state.turn += 1


# Refereeing a trace

TRACE_KEYS = {"game", "rules_version", "variant", "seed", "deal", "rotation", "seats", "events", "outcome"}
VARIANT_KEYS = {
    "sudden_win",
    "group_points",
    "six_different_points",
    "copies",
    "action_stones",
    "hand",
    "lone_hand",
}
EVENT_KEYS = {
    "draw": {"type", "seat", "stones"},
    "return": {"type", "seat", "stones"},
    "place": {"type", "turn", "seat", "stone", "cell"},
    "remove": {"type", "turn", "seat", "cell"},
    "move": {"type", "turn", "seat", "from", "to"},
    "swap": {"type", "turn", "seat", "cells"},
    "replace": {"type", "turn", "seat", "cell", "stone"},
    "pass": {"type", "turn", "seat"},
    "end": {"type", "reason"},
}
REASONS = ("six", "full", "passes")


def referee(trace: Mapping[str, Any]) -> tuple[SeatOutcome, ...]:
    """Go through a trace event by event, as somebody at the table with the rulebook would.

    Draws and plays are judged by the state of the table; the returning of first hands, the number of stones drawn,
    the passes, the end and the outcome are what they have to be. Stones of one event, and the two spaces of a swap,
    may be listed in any order. Keys of the outcome that this module does not know are ignored.

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
    seats = len(trace["seats"])
    state = start(rules_of(trace["variant"]), seats)
    reader = Reader(trace["events"], state)
    for seat in range(seats):
        read_first_hand(reader, state, seat)
    while True:
        seat = state.mover
        read_turn(reader, state, seat)
        end = ending(state)
        if end is not None:
            break
        read_draw(reader, state, seat)
        state.turn += 1
    reader.expect(end)
    if reader.next() is not None:
        reader.refuse(f"{reader.next()} comes after the end")
    outcome = outcome_of(state)
    check_outcome(outcome, trace["outcome"])
    return outcome


class Reader:
    """The events of a trace, one after the other; each is checked for its shape when it comes up."""

    def __init__(self, events: Sequence[object], state: State) -> None:
        self.events = events
        self.state = state
        self.position = 0

    def refuse(self, message: str) -> NoReturn:
        """Raise `IllegalGameError` about the event that comes next."""
        raise IllegalGameError(f"event {self.position}: {message}")

    def next(self) -> Event | None:
        """Return the event that comes next, None after the last; it stays the next."""
        if self.position == len(self.events):
            return None
        event = self.events[self.position]
        for fault in shape_faults(event, len(self.state.hands)):
            self.refuse(fault)
        assert isinstance(event, Mapping)
        return dict(event)

    def next_of(self, kind: str, seat: int) -> Event:
        """Return the event that comes next, which has to be of this kind and seat; it stays the next."""
        event = self.next()
        if event is None:
            self.refuse(f"the {kind} of seat {seat} is missing")
        if event["type"] != kind or event["seat"] != seat:
            self.refuse(f"{event} should be the {kind} of seat {seat}")
        return event

    def accept(self) -> None:
        """Go on to the following event, now that the table shows this one."""
        check_stones(self.state)
        self.position += 1

    def expect(self, wanted: Event) -> None:
        """Go on if the next event is this one, which leaves the table as it is, and refuse the trace otherwise."""
        found = self.next()
        if found is None:
            self.refuse(f"{wanted} is missing")
        if found != wanted:
            self.refuse(f"{found} should be {wanted}")
        self.accept()


def read_first_hand(reader: Reader, state: State, seat: int) -> None:
    """Read the draw of a first hand, and every return of one with the draw that follows it."""
    read_draw(reader, state, seat)
    while is_to_redraw(state, seat):
        hand = state.hands[seat]
        event = reader.next_of("return", seat)
        if sorted(event["stones"]) != sorted(hand):
            reader.refuse(f"seat {seat} returns its whole hand {hand}, not {event['stones']}")
        state.bag += hand
        state.hands[seat] = []
        reader.accept()
        read_draw(reader, state, seat)


def read_draw(reader: Reader, state: State, seat: int) -> None:
    """Read the stones that fill a hand up, if there are any to draw."""
    missing = hand_size(state, seat) - len(state.hands[seat])
    wanted = missing if missing <= len(state.bag) else len(state.bag)
    if wanted == 0:
        return
    stones = reader.next_of("draw", seat)["stones"]
    if len(stones) != wanted:
        reader.refuse(f"seat {seat} draws {wanted} of {len(state.bag)} stones in the bag, not {len(stones)}")
    for stone in stones:
        if stones.count(stone) > state.bag.count(stone):
            reader.refuse(f"seat {seat} draws {stone} too often, it is in the bag {state.bag.count(stone)} times")
    for stone in stones:
        state.bag.remove(stone)
        state.hands[seat].append(stone)
    reader.accept()


def read_turn(reader: Reader, state: State, seat: int) -> None:
    """Read what a seat does in its turn, apart from the draw at its end."""
    event = reader.next()
    if event is None:
        reader.refuse(f"turn {state.turn} is missing, the game is not over")
    if event["type"] not in ("place", "pass", *ACTIONS):
        reader.refuse(f"turn {state.turn} begins with a play or a pass, not with {event}")
    if event["turn"] != state.turn:
        reader.refuse(f"this is turn {state.turn}, not turn {event['turn']}")
    if event["seat"] != seat:
        reader.refuse(f"turn {state.turn} belongs to seat {seat}, not to seat {event['seat']}")
    if event["type"] == "pass":
        kinds = {play.kind: None for play in legal_plays(state, seat)}
        if kinds:
            reader.refuse(f"seat {seat} may not pass, it can {' or '.join(kinds)}")
        state.passes.append(seat)
    else:
        chosen = play_of(event)
        if (reason := refusal(state, seat, chosen)) is not None:
            reader.refuse(reason)
        carry_out(state, seat, chosen)
        state.passes.clear()
    reader.accept()


def play_of(event: Event) -> Play:
    """Return the play that an event tells of."""
    if event["type"] == "move":
        cells = [event["from"], event["to"]]
    elif event["type"] == "swap":
        cells = event["cells"]
    else:
        cells = [event["cell"]]
    return Play(event["type"], tuple([(row, column) for row, column in cells]), event.get("stone"))


def is_integer(value: object, least: int, most: float = math.inf) -> bool:
    """Whether a JSON value is a whole number (true and false are not) between these bounds, themselves included."""
    return type(value) is int and least <= value <= most


def is_number(value: object) -> bool:
    """Whether a JSON value is a finite number (true and false are not)."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def is_cell(value: object) -> bool:
    """Whether a JSON value is a space of the board."""
    return isinstance(value, list) and len(value) == 2 and all(is_integer(number, 0, SIZE - 1) for number in value)


def key_faults(value: object, wanted: set[str]) -> list[str]:
    """Say which keys an object lacks and which it should not have."""
    if not isinstance(value, Mapping):
        return [f"{value!r} is not an object"]
    faults = [f"the key {key!r} is missing" for key in sorted(wanted - set(value))]
    return faults + [f"the key {key!r} is unknown" for key in sorted(map(str, set(value) - wanted))]


def shape_faults(event: object, seats: int) -> list[str]:
    """Say what is wrong with an event, whatever came before it."""
    if not isinstance(event, Mapping) or event.get("type") not in list(EVENT_KEYS):
        return [f"{event!r} is not a draw, return, place, remove, move, swap, replace, pass or end event"]
    kind = event["type"]
    keys = EVENT_KEYS[kind] | ({"team"} if kind == "end" and event.get("reason") == "six" else set())
    faults = [f"{kind}: {fault}" for fault in key_faults(event, keys)]
    if faults:
        return faults
    if "turn" in keys and not is_integer(event["turn"], 1):
        faults.append(f"{kind}: there is no turn {event['turn']!r}")
    if "seat" in keys and not is_integer(event["seat"], 0, seats - 1):
        faults.append(f"{kind}: there is no seat {event['seat']!r}")
    if "stones" in keys:
        stones = event["stones"]
        if not isinstance(stones, list) or not stones or any(stone not in STONES for stone in stones):
            faults.append(f"{kind}: {stones!r} is not a list of stones, one at least")
    if "stone" in keys and event["stone"] not in SYMBOLS:
        faults.append(f"{kind}: {event['stone']!r} is not a symbol stone")
    faults += [
        f"{kind}: there is no space {event[key]!r}"
        for key in ("cell", "from", "to")
        if key in keys and not is_cell(event[key])
    ]
    if "cells" in keys:
        cells = event["cells"]
        if not isinstance(cells, list) or len(cells) != 2 or not all(is_cell(cell) for cell in cells):
            faults.append(f"{kind}: {cells!r} is not a list of two spaces")
    if "reason" in keys and event["reason"] not in REASONS:
        faults.append(f"{kind}: the reason {event['reason']!r} is not 'six', 'full' or 'passes'")
    if "team" in keys and not is_integer(event["team"], 0, 1):
        faults.append(f"{kind}: there is no team {event['team']!r}")
    return faults


def header_faults(trace: Mapping[str, Any]) -> list[str]:
    """Say what is wrong with the parts of a trace before its events."""
    faults = [f"trace: {fault}" for fault in key_faults(trace, TRACE_KEYS)]
    if faults:
        return faults
    if trace["game"] != "crosswise":
        faults.append(f"game: {trace['game']!r} is not 'crosswise'")
    if trace["rules_version"] != RULES_VERSION:
        faults.append(f"rules_version: {trace['rules_version']!r} is not {RULES_VERSION!r}")
    faults += [f"variant: {fault}" for fault in variant_faults(trace["variant"])]
    faults += [
        f"{key}: {trace[key]!r} is not a whole number from 0"
        for key in ("seed", "deal")
        if not is_integer(trace[key], 0)
    ]
    # Partners stay together, so that two teams can only change sides.
    if not is_integer(trace["rotation"], 0, 1):
        faults.append(f"rotation: {trace['rotation']!r} is neither 0 nor 1")
    seats = trace["seats"]
    if not isinstance(seats, list) or any(not isinstance(seat, str) for seat in seats):
        faults.append(f"seats: {seats!r} is not a list of strategies")
    elif len(seats) not in TURN_ORDER:
        faults.append(f"seats: {len(seats)} seats, but 2 to 4 can play")
    faults += [f"{key}: not a list" for key in ("events", "outcome") if not isinstance(trace[key], list)]
    return faults


def variant_faults(variant: object) -> list[str]:
    """Say what is wrong with the resolved options of a trace."""
    faults = key_faults(variant, VARIANT_KEYS)
    if faults or not isinstance(variant, Mapping):
        return faults
    if type(variant["sudden_win"]) is not bool and not is_integer(variant["sudden_win"], 0, 1):
        faults.append(f"sudden_win {variant['sudden_win']!r} is neither true nor false")
    group_points = variant["group_points"]
    if not isinstance(group_points, list) or len(group_points) != 5 or not all(map(is_number, group_points)):
        faults.append(f"group_points {group_points!r} is not a list of 5 numbers, for groups of 2 to 6")
    if not is_number(variant["six_different_points"]):
        faults.append(f"six_different_points {variant['six_different_points']!r} is not a number")
    for key, least, most in (("copies", 2, 10), ("action_stones", 0, 10), ("hand", 1, 8), ("lone_hand", 1, 10)):
        if not is_integer(variant[key], least, most):
            faults.append(f"{key} {variant[key]!r} is not {least} to {most}")
    return faults


def check_header(trace: Mapping[str, Any]) -> None:
    """Raise `IllegalGameError` unless the parts of a trace before its events are right."""
    for fault in header_faults(trace):
        raise IllegalGameError(fault)


def rules_of(variant: Mapping[str, Any]) -> Rules:
    """Rules from the resolved options of a trace."""
    return Rules(
        sudden_win=bool(variant["sudden_win"]),
        group_points=tuple(variant["group_points"]),
        six_different_points=variant["six_different_points"],
        copies=variant["copies"],
        action_stones=variant["action_stones"],
        hand=variant["hand"],
        lone_hand=variant["lone_hand"],
    )


def is_close(value: object, wanted: float) -> bool:
    """Whether a JSON value is this number, up to the rounding of a sum."""
    if not isinstance(value, int | float) or not is_number(value):
        return False
    return math.isclose(wanted, value, rel_tol=1e-12, abs_tol=1e-9)


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
                is_right = is_close(value, wanted)
            elif key == "lines":
                is_right = isinstance(value, list) and len(value) == SIZE and all(map(is_close, value, wanted))
            else:
                is_right = type(value) is int and value == wanted
            if not is_right:
                raise IllegalGameError(f"{name}: {key} is {value!r}, should be {wanted!r}")
