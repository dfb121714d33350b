"""Criss Cross, played slowly and literally from the rulebook: the oracle that fast kernels are held against.

Each player enters a symbol in the top-left space. At most twelve rounds follow; each rolls two dice for everybody.
Everybody enters both symbols in two empty spaces that are horizontal or vertical neighbours, whenever such spaces are
left. Then every row and every column scores its maximal runs of matching symbols by their length. Under the advanced
rules the diagonal from the top-right to the bottom-left space scores too, twice, and a line that would score 0 scores
−5. The highest total wins, then the highest single line; a further tie is shared.

Nothing here is fast or clever, and nothing is imported from the project. A sheet is a list of rows, a row a list of
symbols 1 to 6, and 0 is an empty space. Sources: the Criss Cross rulebook (Grail Games, 2017), the project's page of
rules (section 1) and its trace format.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

EMPTY = 0
SYMBOLS = (1, 2, 3, 4, 5, 6)
STARTS = ("assigned", "rolled", "empty")
SIZES = (3, 4, 5)
MOST_SEATS = 6
RULES_VERSION = "1"

Cell = tuple[int, int]
Sheet = list[list[int]]
Event = dict[str, Any]

# The two symbols and the two spaces, the first symbol in the first space.
Placement = tuple[tuple[int, int], tuple[Cell, Cell]]


class IllegalGameError(ValueError):
    """Something happened that the rules forbid, or something did not happen that they demand."""


@dataclass(frozen=True)
class Rules:
    """The options of the game; the defaults are the basic rules."""

    size: int = 5
    run_points: tuple[float, ...] = (0, 2, 3, 8, 10)
    zero_line_points: float = 0
    diagonal_weight: float = 0
    start: str = "assigned"

    @property
    def rounds(self) -> int:
        """The largest number of rounds, whatever the start."""
        return (self.size * self.size - 1) // 2


BASIC = Rules()
ADVANCED = Rules(zero_line_points=-5, diagonal_weight=2)


class SheetScore(NamedTuple):
    """What a sheet is worth, line by line; the diagonal is unweighted, or None when it does not count."""

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    diagonal: float | None
    best_line: float
    total: float


class SeatOutcome(NamedTuple):
    """One seat's entry in the outcome, the fields named as in a trace."""

    seat: int
    score: float
    rank: int
    win: float
    rows: tuple[float, ...]
    columns: tuple[float, ...]
    diagonal: float | None
    best_line: float
    filled: int
    rounds: int
    pairs: int
    triplets: int
    quadruples: int
    quintets: int


class Game(NamedTuple):
    """A finished game: what happened, the final sheets and the number of rounds in which each seat entered symbols."""

    events: list[Event]
    sheets: list[Sheet]
    rounds_entered: list[int]


# Scoring


def run_lengths(symbols: Sequence[int]) -> list[int]:
    """Lengths of the maximal runs of equal symbols from left to right; an empty space ends a run and is none."""
    lengths: list[int] = []
    previous = EMPTY
    for symbol in symbols:
        if symbol != EMPTY:
            if symbol == previous:
                lengths[-1] += 1
            else:
                lengths.append(1)
        previous = symbol
    return lengths


def score_line(symbols: Sequence[int], rules: Rules) -> float:
    """Points of one row, column or diagonal (unweighted)."""
    points = sum(rules.run_points[length - 1] for length in run_lengths(symbols))
    if points == 0:
        return rules.zero_line_points
    return points


def row_lines(sheet: Sheet) -> list[list[int]]:
    """The rows, from the top."""
    return [list(row) for row in sheet]


def column_lines(sheet: Sheet) -> list[list[int]]:
    """The columns, from the left."""
    return [[row[column] for row in sheet] for column in range(len(sheet))]


def diagonal_line(sheet: Sheet) -> list[int]:
    """The highlighted line, from the top-right to the bottom-left space."""
    size = len(sheet)
    return [sheet[row][size - 1 - row] for row in range(size)]


def score_sheet(sheet: Sheet, rules: Rules) -> SheetScore:
    """Points of every line of a sheet, its best single line and its total."""
    rows = tuple([score_line(line, rules) for line in row_lines(sheet)])
    columns = tuple([score_line(line, rules) for line in column_lines(sheet)])
    total = sum(rows) + sum(columns)
    best_line = max(max(rows), max(columns))
    diagonal = None
    if rules.diagonal_weight != 0:
        diagonal = score_line(diagonal_line(sheet), rules)
        total += rules.diagonal_weight * diagonal
        best_line = max(best_line, diagonal)
    return SheetScore(rows, columns, diagonal, best_line, total)


def count_runs(sheet: Sheet, length: int) -> int:
    """Number of maximal runs of exactly this length in the rows and columns (never the diagonal)."""
    return sum(run_lengths(line).count(length) for line in row_lines(sheet) + column_lines(sheet))


def count_filled(sheet: Sheet) -> int:
    """Number of spaces that hold a symbol."""
    return sum(1 for row in sheet for symbol in row if symbol != EMPTY)


def rank_seats(scores: Sequence[SheetScore]) -> list[tuple[int, float]]:
    """Rank and win share of every seat: by total, then by best single line; equal in both is a shared place."""
    standing = [(score.total, score.best_line) for score in scores]
    ranks = [1 + sum(1 for other in standing if other > own) for own in standing]
    winners = ranks.count(1)
    return [(rank, 1 / winners if rank == 1 else 0.0) for rank in ranks]


def solo_rank(score: float) -> str:
    """Title that a solo game under the basic rules earns."""
    if score >= 30:
        return "Cross Master"
    if score >= 25:
        return "X-tra Special"
    if score >= 20:
        return "Symbol Simon"
    if score >= 15:
        return "Line Sweeper"
    return "Column Counter"


# Playing


def empty_sheet(size: int) -> Sheet:
    """Return a sheet without any symbol."""
    return [[EMPTY] * size for _ in range(size)]


def can_enter(sheet: Sheet) -> bool:
    """Whether two empty spaces are horizontal or vertical neighbours."""
    size = len(sheet)
    for row in range(size):
        for column in range(size):
            if sheet[row][column] == EMPTY:
                if column + 1 < size and sheet[row][column + 1] == EMPTY:
                    return True
                if row + 1 < size and sheet[row + 1][column] == EMPTY:
                    return True
    return False


def are_neighbours(first: Cell, second: Cell) -> bool:
    """Whether two spaces share an edge."""
    return abs(first[0] - second[0]) + abs(first[1] - second[1]) == 1


def enter(sheet: Sheet, roll: Sequence[int], placement: Placement) -> None:
    """Write both rolled symbols on a sheet, in place, or raise `IllegalGameError` and leave the sheet alone."""
    symbols, cells = placement
    size = len(sheet)
    if sorted(symbols) != sorted(roll):
        raise IllegalGameError(f"enters the symbols {list(symbols)}, but {list(roll)} were rolled")
    for row, column in cells:
        if not (0 <= row < size and 0 <= column < size):
            raise IllegalGameError(f"the cell {[row, column]} is not on the {size}×{size} sheet")
    first, second = cells
    if not are_neighbours(first, second):
        raise IllegalGameError(f"the cells {list(first)} and {list(second)} are not neighbours")
    for row, column in cells:
        if sheet[row][column] != EMPTY:
            raise IllegalGameError(f"the cell {[row, column]} is occupied")
    for symbol, (row, column) in zip(symbols, cells, strict=True):
        sheet[row][column] = symbol


def check_starts(rules: Rules, starts: Sequence[int]) -> None:
    """Raise `IllegalGameError` unless these start symbols (one a seat, 0 for an empty start) fit the rules."""
    if not 1 <= len(starts) <= MOST_SEATS:
        raise IllegalGameError(f"{len(starts)} seats: 1 to {MOST_SEATS} can play")
    for seat, symbol in enumerate(starts):
        if rules.start == "empty" and symbol != EMPTY:
            raise IllegalGameError(f"seat {seat}: starts with symbol {symbol}, but the sheets start empty")
        if rules.start != "empty" and symbol not in SYMBOLS:
            raise IllegalGameError(f"seat {seat}: starts with symbol {symbol}; the symbols are 1 to 6")
    if rules.start == "assigned":
        for seat, symbol in enumerate(starts):
            if symbol in starts[:seat]:
                raise IllegalGameError(f"seat {seat}: starts with symbol {symbol}, as seat {starts.index(symbol)} does")


def replay(
    rules: Rules,
    starts: Sequence[int],
    rolls: Sequence[Sequence[int]],
    placements: Sequence[Sequence[Placement | None]],
) -> Game:
    """Play a game from its chance and its choices alone.

    Parameters
    ----------
    rules
        The options.
    starts
        One start symbol a seat; 0 for each seat when the sheets start empty.
    rolls
        Two symbols a round, as many rounds as were played.
    placements
        ``placements[round][seat]``, both from 0, is what the seat enters, None when it enters nothing.

    Raises
    ------
    IllegalGameError
        At the first thing that the rules forbid, naming the round and the seat.
    """
    check_starts(rules, starts)
    events: list[Event] = []
    sheets = [empty_sheet(rules.size) for _ in starts]
    if rules.start != "empty":
        for seat, symbol in enumerate(starts):
            sheets[seat][0][0] = symbol
            events.append({"type": "start", "seat": seat, "symbol": symbol})
    rounds_entered = [0] * len(starts)
    is_stuck = [False] * len(starts)
    played = 0
    for number in range(1, rules.rounds + 1):
        able = [can_enter(sheet) for sheet in sheets]
        rolled = any(able)
        if rolled:
            if number > len(rolls):
                raise IllegalGameError(f"round {number}: there is no roll, but seat {able.index(True)} can still enter")
            roll = rolls[number - 1]
            if len(roll) != 2 or any(symbol not in SYMBOLS for symbol in roll):
                raise IllegalGameError(f"round {number}: rolled {list(roll)}; a roll is two symbols from 1 to 6")
            events.append({"type": "roll", "round": number, "symbols": list(roll)})
            played = number
        for seat, sheet in enumerate(sheets):
            if able[seat]:
                placement = placements[number - 1][seat]
                if placement is None:
                    raise IllegalGameError(f"round {number}, seat {seat}: enters nothing, but still can")
                try:
                    enter(sheet, roll, placement)
                except IllegalGameError as fault:
                    raise IllegalGameError(f"round {number}, seat {seat}: {fault}") from None
                rounds_entered[seat] += 1
                symbols, cells = placement
                cell_lists = [list(cell) for cell in cells]
                events.append(
                    {"type": "place", "seat": seat, "round": number, "symbols": list(symbols), "cells": cell_lists}
                )
            else:
                if rolled and placements[number - 1][seat] is not None:
                    raise IllegalGameError(f"round {number}, seat {seat}: enters symbols, but is stuck")
                if not is_stuck[seat]:
                    is_stuck[seat] = True
                    events.append({"type": "stuck", "seat": seat, "round": number})
        if not rolled:
            break
    if len(rolls) > played:
        reason = "the game is over" if played == rules.rounds else "no seat can enter"
        raise IllegalGameError(f"round {played + 1}: rolled, but {reason}")
    return Game(events, sheets, rounds_entered)


def outcome_of(rules: Rules, game: Game) -> tuple[SeatOutcome, ...]:
    """Score and rank the final sheets."""
    scores = [score_sheet(sheet, rules) for sheet in game.sheets]
    places = rank_seats(scores)
    return tuple(
        [
            SeatOutcome(
                seat=seat,
                score=scores[seat].total,
                rank=places[seat][0],
                win=places[seat][1],
                rows=scores[seat].rows,
                columns=scores[seat].columns,
                diagonal=scores[seat].diagonal,
                best_line=scores[seat].best_line,
                filled=count_filled(sheet),
                rounds=game.rounds_entered[seat],
                pairs=count_runs(sheet, 2),
                triplets=count_runs(sheet, 3),
                quadruples=count_runs(sheet, 4),
                quintets=count_runs(sheet, 5),
            )
            for seat, sheet in enumerate(game.sheets)
        ]
    )


def play(
    rules: Rules,
    starts: Sequence[int],
    rolls: Sequence[Sequence[int]],
    placements: Sequence[Sequence[Placement | None]],
) -> tuple[SeatOutcome, ...]:
    """Outcome of a game from its chance and its choices alone; arguments and errors as for `replay`."""
    return outcome_of(rules, replay(rules, starts, rolls, placements))


# Refereeing a trace

TRACE_KEYS = {"game", "rules_version", "variant", "seed", "deal", "rotation", "seats", "events", "outcome"}
VARIANT_KEYS = {"size", "run_points", "zero_line_points", "diagonal_weight", "start"}
EVENT_KEYS = {
    "start": {"type", "seat", "symbol"},
    "roll": {"type", "round", "symbols"},
    "place": {"type", "seat", "round", "symbols", "cells"},
    "stuck": {"type", "seat", "round"},
}


def referee(trace: Mapping[str, Any]) -> list[str]:
    """Replay a trace from its chance and its choices, and say where it departs from the rules.

    Start symbols, rolls and placements are all that is taken from the events. Everything else is made again and
    compared: the order and content of the events, and the outcome.

    Parameters
    ----------
    trace
        A whole trace as `json.loads` returns it (lists, never tuples).

    Returns
    -------
    list of str
        One line a difference; empty when the trace is right.
    """
    faults = header_faults(trace)
    if faults:
        return faults
    rules = rules_of(trace["variant"])
    faults = event_faults(trace["events"], len(trace["seats"]), rules)
    if faults:
        return faults
    try:
        game = replay(rules, *chance_and_choices(trace["events"], len(trace["seats"]), rules))
    except IllegalGameError as fault:
        return [str(fault)]
    return event_differences(game.events, trace["events"]) + outcome_differences(
        outcome_of(rules, game), trace["outcome"]
    )


def is_integer(value: object) -> bool:
    """Whether a JSON value is a whole number (true and false are not)."""
    return type(value) is int


def is_number(value: object) -> bool:
    """Whether a JSON value is a finite number (true and false are not)."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def key_faults(name: str, value: object, wanted: set[str]) -> list[str]:
    """Say which keys an object lacks and which it should not have."""
    if not isinstance(value, Mapping):
        return [f"{name}: {value!r} is not an object"]
    faults = [f"{name}: the key {key!r} is missing" for key in sorted(wanted - set(value))]
    return faults + [f"{name}: the key {key!r} is unknown" for key in sorted(map(str, set(value) - wanted))]


def header_faults(trace: Mapping[str, Any]) -> list[str]:
    """Say what is wrong with the parts of a trace before its events."""
    faults = key_faults("trace", trace, TRACE_KEYS)
    if faults:
        return faults
    if trace["game"] != "criss-cross":
        faults.append(f"game: {trace['game']!r} is not 'criss-cross'")
    if trace["rules_version"] != RULES_VERSION:
        faults.append(f"rules_version: {trace['rules_version']!r} is not {RULES_VERSION!r}")
    faults += variant_faults(trace["variant"])
    for key in ("seed", "deal", "rotation"):
        if not is_integer(trace[key]) or trace[key] < 0:
            faults.append(f"{key}: {trace[key]!r} is not a whole number from 0")
    seats = trace["seats"]
    if not isinstance(seats, list) or any(not isinstance(seat, str) for seat in seats):
        faults.append(f"seats: {seats!r} is not a list of strategies")
    elif not 1 <= len(seats) <= MOST_SEATS:
        faults.append(f"seats: {len(seats)} seats, but 1 to {MOST_SEATS} can play")
    elif is_integer(trace["rotation"]) and trace["rotation"] >= len(seats):
        faults.append(f"rotation: {trace['rotation']} with {len(seats)} seats")
    faults += [f"{key}: not a list" for key in ("events", "outcome") if not isinstance(trace[key], list)]
    return faults


def variant_faults(variant: object) -> list[str]:
    """Say what is wrong with the resolved options of a trace."""
    faults = key_faults("variant", variant, VARIANT_KEYS)
    if faults or not isinstance(variant, Mapping):
        return faults
    if not is_integer(variant["size"]) or variant["size"] not in SIZES:
        faults.append(f"variant: size {variant['size']!r} is not 3, 4 or 5")
    if variant["start"] not in STARTS:
        faults.append(f"variant: start {variant['start']!r} is not 'assigned', 'rolled' or 'empty'")
    run_points = variant["run_points"]
    if not isinstance(run_points, list) or len(run_points) != 5 or not all(map(is_number, run_points)):
        faults.append(f"variant: run_points {run_points!r} is not a list of five numbers")
    for key in ("zero_line_points", "diagonal_weight"):
        if not is_number(variant[key]):
            faults.append(f"variant: {key} {variant[key]!r} is not a number")
    return faults


def rules_of(variant: Mapping[str, Any]) -> Rules:
    """Rules from the resolved options of a trace; points that are not all whole numbers are all made fractional."""
    run_points = tuple(variant["run_points"])
    zero_line_points, diagonal_weight = variant["zero_line_points"], variant["diagonal_weight"]
    if any(type(points) is float for points in (*run_points, zero_line_points, diagonal_weight)):
        run_points = tuple(map(float, run_points))
        zero_line_points, diagonal_weight = float(zero_line_points), float(diagonal_weight)
    return Rules(variant["size"], run_points, zero_line_points, diagonal_weight, variant["start"])


def event_faults(events: Sequence[object], seats: int, rules: Rules) -> list[str]:
    """Say which events have the wrong shape, or repeat what can only happen once."""
    faults: list[str] = []
    seen: set[tuple[object, ...]] = set()
    for index, event in enumerate(events):
        name = f"event {index}"
        if not isinstance(event, Mapping) or event.get("type") not in list(EVENT_KEYS):
            faults.append(f"{name}: {event!r} is not a start, roll, place or stuck event")
            continue
        name = f"{name} ({event['type']})"
        wrong = key_faults(name, event, EVENT_KEYS[event["type"]])
        if not wrong:
            wrong = [f"{name}: {fault}" for fault in value_faults(event, seats)]
        if not wrong:
            if event["type"] == "start" and rules.start == "empty":
                wrong = [f"{name}: a start symbol, but the sheets start empty"]
            once = (event["type"], None if event["type"] == "stuck" else event.get("round"), event.get("seat"))
            if once in seen:
                wrong.append(f"{name}: happens a second time: {dict(event)}")
            seen.add(once)
        faults += wrong
    return faults


def value_faults(event: Mapping[str, Any], seats: int) -> list[str]:
    """Say which values of an event with the right keys have the wrong shape."""
    faults = []
    if "seat" in event and not (is_integer(event["seat"]) and 0 <= event["seat"] < seats):
        faults.append(f"there is no seat {event['seat']!r}")
    if "round" in event and not (is_integer(event["round"]) and event["round"] >= 1):
        faults.append(f"there is no round {event['round']!r}")
    if "symbol" in event and not (is_integer(event["symbol"]) and event["symbol"] in SYMBOLS):
        faults.append(f"the symbol {event['symbol']!r} is not 1 to 6")
    if "symbols" in event and not is_integer_pair(event["symbols"]):
        faults.append(f"symbols {event['symbols']!r} are not two symbols")
    if "cells" in event:
        cells = event["cells"]
        if not (isinstance(cells, list) and len(cells) == 2 and all(map(is_integer_pair, cells))):
            faults.append(f"cells {cells!r} are not two [row, column] pairs")
    return faults


def is_integer_pair(value: object) -> bool:
    """Whether a JSON value is a list of two whole numbers."""
    return isinstance(value, list) and len(value) == 2 and all(map(is_integer, value))


def chance_and_choices(
    events: Sequence[Mapping[str, Any]], seats: int, rules: Rules
) -> tuple[list[int], list[list[int]], list[list[Placement | None]]]:
    """Start symbols, rolls and placements from events of the right shape, as `replay` takes them.

    Rolls are found by their round, placements by round and seat, so that the place of an event in the list does not
    matter here; `event_differences` judges that.
    """
    starts = [EMPTY] * seats
    roll_by_round: dict[int, list[int]] = {}
    placement_by_turn: dict[tuple[int, int], Placement] = {}
    for event in events:
        if event["type"] == "start":
            starts[event["seat"]] = event["symbol"]
        elif event["type"] == "roll":
            roll_by_round[event["round"]] = event["symbols"]
        elif event["type"] == "place":
            symbols, cells = event["symbols"], event["cells"]
            placement: Placement = ((symbols[0], symbols[1]), ((cells[0][0], cells[0][1]), (cells[1][0], cells[1][1])))
            placement_by_turn[event["round"], event["seat"]] = placement
    if rules.start != "empty" and EMPTY in starts:
        raise IllegalGameError(f"seat {starts.index(EMPTY)}: there is no start symbol")
    rolls: list[list[int]] = []
    while len(rolls) + 1 in roll_by_round:
        rolls.append(roll_by_round[len(rolls) + 1])
    placements = [
        [placement_by_turn.get((number, seat)) for seat in range(seats)] for number in range(1, len(rolls) + 1)
    ]
    return starts, rolls, placements


def event_differences(expected: Sequence[Event], given: Sequence[Mapping[str, Any]]) -> list[str]:
    """Compare two lists of events one by one; where the lengths differ, only up to the first difference."""
    differences = []
    for index, (right, found) in enumerate(zip(expected, given, strict=False)):
        if not equal_values(right, found):
            differences.append(f"event {index}: {dict(found)} should be {right}")
            if len(expected) != len(given):
                break
    if len(expected) != len(given):
        if not differences and len(expected) > len(given):
            differences.append(f"event {len(given)}: {expected[len(given)]} is missing")
        if not differences:
            differences.append(f"event {len(expected)}: {dict(given[len(expected)])} is one too many")
        differences.append(f"events: there are {len(given)}, there should be {len(expected)}")
    return differences


def outcome_differences(expected: Sequence[SeatOutcome], given: Sequence[object]) -> list[str]:
    """Compare two outcomes seat by seat and key by key."""
    if len(expected) != len(given):
        return [f"outcome: there are {len(given)} entries for {len(expected)} seats"]
    differences = []
    for seat, (right, found) in enumerate(zip(expected, given, strict=True)):
        name = f"outcome of seat {seat}"
        wrong = key_faults(name, found, set(SeatOutcome._fields))
        if not wrong and isinstance(found, Mapping):
            for key, value in right._asdict().items():
                wanted = list(value) if isinstance(value, tuple) else value
                if not equal_values(wanted, found[key]):
                    wrong.append(f"{name}: {key} is {found[key]!r}, should be {wanted!r}")
        differences += wrong
    return differences


def equal_values(expected: object, given: object) -> bool:
    """Whether two JSON values are equal: 1 is neither true nor 1.0, but where 1.0 is expected, 1 is fine."""
    if isinstance(expected, dict):
        return (
            isinstance(given, Mapping)
            and set(expected) == set(given)
            and all(equal_values(value, given[key]) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return isinstance(given, list) and len(expected) == len(given) and all(map(equal_values, expected, given))
    if type(expected) is float:
        return (type(given) is float or type(given) is int) and math.isclose(expected, given, rel_tol=1e-12)
    return type(expected) is type(given) and expected == given
