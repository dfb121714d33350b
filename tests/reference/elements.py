"""The elements of a game counted slowly and literally from its trace: the oracle that `sims.elements` is held against.

Each function reads the events of a trace, keeps the board in the plainest way, and recounts everything from scratch
after each event with the rulebook engines of this folder. Nothing is imported from the project.

A count is a dictionary from (seat, kind, element) to [count, value]; what is missing was not used and earned nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import groupby
from typing import Any

from tests.reference import criss_cross, crossways, crosswise

Key = tuple[int, str, str]
Counts = dict[Key, list[Any]]


def new_counts() -> Counts:
    return defaultdict(lambda: [0, Fraction(0)])


def add(counts: Counts, seat: int, kind: str, element: str, count: int = 1, value: Any = 0) -> None:
    entry = counts[seat, kind, element]
    entry[0] += count
    entry[1] += Fraction(value)


def cell_name(row: int, column: int) -> str:
    return f"row {row + 1}, column {column + 1}"


# Criss Cross

SYMBOLS = ("X", "triangle", "circle", "slash", "hash", "three-lines")
RUNS = ("single", "pair", "triplet", "quadruple", "quintet")


def of_criss_cross(trace: Mapping[str, Any]) -> Counts:
    rules = criss_cross.rules_of(trace["variant"])
    counts = new_counts()
    size = rules.size
    for seat in range(len(trace["seats"])):
        sheet = criss_cross.empty_sheet(size)
        for event in trace["events"]:
            if event.get("seat") != seat:
                continue
            if event["type"] == "start":
                sheet[0][0] = event["symbol"]
            if event["type"] == "place":
                for symbol, (row, column) in zip(event["symbols"], event["cells"], strict=True):
                    sheet[row][column] = symbol
                    add(counts, seat, "cell", cell_name(row, column))
                    add(counts, seat, "cell-round", cell_name(row, column), 1, event["round"])
        lines = [(f"row {row + 1}", [(row, column) for column in range(size)], 1) for row in range(size)]
        lines += [(f"column {column + 1}", [(row, column) for row in range(size)], 1) for column in range(size)]
        if rules.diagonal_weight:
            lines.append(("diagonal", [(row, size - 1 - row) for row in range(size)], int(rules.diagonal_weight)))
        for name, cells, times in lines:
            points = criss_cross.score_line([sheet[row][column] for row, column in cells], rules)
            add(counts, seat, "line", name, int(points > 0), times * points)
            gained: float = 0
            for symbol, group in groupby(cells, lambda cell, sheet=sheet: sheet[cell[0]][cell[1]]):  # type: ignore[misc]
                run = list(group)
                if not symbol:
                    continue
                worth = rules.run_points[len(run) - 1]
                gained += worth
                add(counts, seat, "symbol", SYMBOLS[symbol - 1], int(len(run) > 1), times * worth)
                add(counts, seat, "run", RUNS[len(run) - 1], 1, times * worth)
                for row, column in run:
                    share = Fraction(times * int(worth), len(run))
                    add(counts, seat, "cell", cell_name(row, column), 0, share)
            if gained == 0:
                add(counts, seat, "run", "line without points", 1, times * rules.zero_line_points)
                for row, column in cells:
                    share = Fraction(times * int(rules.zero_line_points), size)
                    add(counts, seat, "cell", cell_name(row, column), 0, share)
    return counts


# Cross Off


def of_cross_off(trace: Mapping[str, Any]) -> Counts:
    points = trace["variant"]["mark_points"]
    counts = new_counts()
    marked: dict[tuple[int, str], list[int]] = defaultdict(list)
    marks: Counter[tuple[int, str]] = Counter()
    roller = 0
    for event in trace["events"]:
        seat = event.get("seat", -1)
        if event["type"] == "roll":
            roller = event["roller"]
        elif event["type"] == "penalty":
            add(counts, seat, "mark", "penalty", 1, -trace["variant"]["penalty_points"])
        elif event["type"] == "mark":
            track, number = event["track"], event["number"]
            last = number == (12 if track in ("red", "yellow") else 2)
            before = points[marks[seat, track]]
            marks[seat, track] += 2 if last else 1
            gained = points[marks[seat, track]] - before
            step = "pair of the own roll"
            if event["step"] == "sum":
                step = "sum of the own roll" if seat == roller else "sum of another's roll"
            add(counts, seat, "mark", step, 1, gained)
            add(counts, seat, "number", f"{track} {number}", 1, gained)
            if last:
                add(counts, seat, "close", track, 1, gained)
            marked[seat, track].append(number)
    for seat in range(len(trace["seats"])):
        for track in ("red", "yellow", "green", "blue"):
            add(counts, seat, "track", track, marks[seat, track], points[marks[seat, track]])
            numbers = list(range(2, 13)) if track in ("red", "yellow") else list(range(12, 1, -1))
            reached = marked[seat, track]
            upto = numbers.index(reached[-1]) if reached else 0
            for number in numbers[:upto]:
                if number not in reached:
                    add(counts, seat, "skipped", f"{track} {number}")
    return counts


# CrossWise

GROUPS = {2: "pair", 3: "three", 4: "four", 5: "five", 6: "six"}


def of_crosswise(trace: Mapping[str, Any]) -> Counts:
    rules = crosswise.rules_of(trace["variant"])
    counts = new_counts()
    board: dict[tuple[int, int], str] = {}

    def line(team: int, number: int) -> list[tuple[int, int]]:
        return [(number, place) if team == 0 else (place, number) for place in range(6)]

    def line_points(team: int, number: int) -> float:
        stones = Counter(board[cell] for cell in line(team, number) if cell in board)
        return crosswise.line_points([stones[str(symbol)] for symbol in range(1, 7)], rules)

    def lead(team: int) -> float:
        own, other = (sum(line_points(side, number) for number in range(6)) for side in (team, 1 - team))
        return own - other

    def kind_name(stone: str) -> str:
        return f"symbol {stone}" if stone.isdigit() else stone

    for event in trace["events"]:
        kind, seat = event["type"], event.get("seat", -1)
        if kind in ("draw", "return"):
            for stone in event["stones"]:
                add(counts, seat, "draw", kind_name(stone), 1 if kind == "draw" else -1)
            continue
        if kind == "end":
            continue
        before = lead(seat % 2)
        put: list[tuple[int, int]] = []
        if kind in ("place", "replace"):
            put = [tuple(event["cell"])]
            board[put[0]] = event["stone"]
        elif kind == "remove":
            del board[tuple(event["cell"])]
        elif kind == "move":
            put = [tuple(event["to"])]
            board[put[0]] = board.pop(tuple(event["from"]))
        elif kind == "swap":
            one, two = (tuple(cell) for cell in event["cells"])
            put = [one, two]
            board[one], board[two] = board[two], board[one]
        gained = lead(seat % 2) - before
        add(counts, seat, "play", kind, 1, gained)
        if "stone" in event:
            add(counts, seat, "symbol", f"symbol {event['stone']}", 1, gained)
        for row, column in put:
            add(counts, seat, "cell", cell_name(row, column), 1, Fraction(gained) / len(put))
            add(counts, seat, "cell-turn", cell_name(row, column), 1, event["turn"])
    for seat in range(len(trace["seats"])):
        for number in range(6):
            points = line_points(seat % 2, number)
            add(counts, seat, "line", f"line {number + 1}", int(points > 0), points)
            stones = [board.get(cell) for cell in line(seat % 2, number)]
            different = None not in stones and len(set(stones)) == 6
            if different:
                add(counts, seat, "group", "six different", 1, rules.six_different_points)
            for size in Counter(stone for stone in stones if stone).values():
                if size > 1:
                    add(counts, seat, "group", GROUPS[size], 1, rules.group_points[size - 2])
            for (row, column), stone in zip(line(seat % 2, number), stones, strict=True):
                if stone is None:
                    continue
                size, share = stones.count(stone), Fraction(0)
                if different:
                    share = Fraction(int(rules.six_different_points), 6)
                elif size > 1:
                    share = Fraction(int(rules.group_points[size - 2]), size)
                add(counts, seat, "cell-points", cell_name(row, column), 1, share)
    return counts


# CrossWays

FARTHEST = 64


def rank_name(card: str) -> str:
    return "joker" if card == "JOKER" else f"rank {card[:-1]}"


def simple_paths(
    rules: crossways.Rules, board: crossways.Board, team: int, ends: crossways.Ends, length: int
) -> Iterator[list[tuple[int, int]]]:
    """Every chain of so many squares, found by walking on from each of its beginnings."""
    # What is farther from the end than there are steps left is not walked into, or this would take for ever.
    own = {cell for cell in crossways.CELLS if crossways.counts(rules, board, team, cell)}
    distance = {cell: 0 for cell in ends.last if cell in own}
    layer = list(distance)
    while layer:
        following = []
        for cell in layer:
            for other in crossways.linked(rules, board, team, cell):
                if other in own and other not in distance:
                    distance[other] = distance[cell] + 1
                    following.append(other)
        layer = following

    def walk(path: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
        left = length - len(path)
        if left == 0:
            if path[-1] in ends.last:
                yield path
            return
        for other in crossways.linked(rules, board, team, path[-1]):
            if other in own and other not in path and distance.get(other, length) <= left - 1:
                yield from walk([*path, other])

    for cell in ends.first:
        if cell in own and distance.get(cell, length) <= length - 1:
            yield from walk([cell])


def winning_cells(rules: crossways.Rules, board: crossways.Board, team: int) -> set[tuple[int, int]]:
    if crossways.shapes_of(rules):
        return {cell for success in crossways.successes(rules, board, team) for cell in success.cells}
    chains = [(ends, crossways.shortest_chain(rules, board, team, ends)) for ends in crossways.ends_of(rules, team)]
    least = min(len(chain) for _, chain in chains if chain)
    return {
        cell
        for ends, chain in chains
        if chain and len(chain) == least
        for path in simple_paths(rules, board, team, ends, least)
        for cell in path
    }


def of_crossways(trace: Mapping[str, Any]) -> Counts:
    rules = crossways.rules_of(trace["variant"])
    layout = trace["events"][0]["squares"]
    board = crossways.board_of(layout)
    seats = len(trace["seats"])
    teams = seats // rules.team_size
    counts = new_counts()

    def square(cell: tuple[int, int]) -> str:
        return f"{cell_name(*cell)} ({layout[cell[0]][cell[1]]})"

    def needed(team: int) -> int:
        fewest = crossways.fewest_markers(rules, board, team)
        return FARTHEST if fewest is None else min(fewest, FARTHEST)

    def lead(team: int) -> int:
        return min(needed(other) for other in range(teams) if other != team) - needed(team)

    for event in trace["events"]:
        kind, seat = event["type"], event.get("seat", -1)
        if kind == "draw":
            for card in event["cards"]:
                add(counts, seat, "draw", rank_name(card))
        elif kind == "pass":
            add(counts, seat, "play", "pass")
        elif kind in ("single", "pair", "run", "joker", "pair-and-run"):
            team = seat % teams
            before = lead(team)
            markers: list[tuple[str, tuple[int, int], str]] = []
            for marker in event["removed"]:
                whose = "own one removed" if marker["team"] == team else "another's removed"
                markers.append(("removal", tuple(marker["cell"]), whose))
            gone = [(tuple(marker["cell"]), marker["level"]) for marker in event["removed"]]
            for cell, stack in board.stacks.items():
                board.stacks[cell] = [owner for level, owner in enumerate(stack) if (cell, level) not in gone]
            for row, column in event["placed"]:
                stack = board.stacks[row, column]
                use = "placed on an empty square"
                if layout[row][column] == "W":
                    use = "placed on a white square"
                elif team in stack:
                    use = "placed beside an own one (closes)"
                elif stack:
                    use = "placed beside markers of others"
                stack.append(team)
                markers.append(("square", (row, column), use))
            gained = lead(team) - before
            add(counts, seat, "play", kind, 1, gained)
            for card in event["cards"]:
                add(counts, seat, "card", rank_name(card), 1, Fraction(gained, len(event["cards"])))
            for board_kind, cell, use in markers:
                add(counts, seat, board_kind, square(cell), 1, Fraction(gained, len(markers)))
                add(counts, seat, "use", use, 1, Fraction(gained, len(markers)))
    end = trace["events"][-1]
    winner = end.get("team")
    path = winning_cells(rules, board, winner) if winner is not None else set()
    for seat in range(seats):
        team = seat % teams
        for cell, stack in board.stacks.items():
            add(counts, seat, "held", square(cell), stack.count(team), int(team == winner and cell in path))
    return counts


COUNTERS: dict[str, Callable[[Mapping[str, Any]], Counts]] = {
    "criss-cross": of_criss_cross,
    "cross-off": of_cross_off,
    "crosswise": of_crosswise,
    "crossways": of_crossways,
}
