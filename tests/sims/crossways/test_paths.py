"""Everything here is asked of sets of squares alone; what counts for a team is the business of `plays`."""

import heapq
import random
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.bits import Word
from sims.crossways import paths
from sims.jit import COMPILED
from tests.sims.crossways.positions import GOALS, bits, squares_in

EXAMPLES = 300 if COMPILED else 30
PATHS = {"sides": 0, "own-sides": 1, "corners": 2}
SHAPES = {"block-3x3": 3, "frame-4x4": 4, "block-4x4": 5, "straight": 6}
BLOCKED = 999


# --- The same by lists -----------------------------------------------------------------------------------------------


def steps(square: int, aslant: bool) -> list[int]:
    """The squares beside one, or across from it."""
    row, column = divmod(square, 8)
    ways = product((-1, 1), repeat=2) if aslant else [(-1, 0), (1, 0), (0, -1), (0, 1)]
    near = [(row + down, column + right) for down, right in ways]
    return [8 * down + right for down, right in near if 0 <= down < 8 and 0 <= right < 8]


def neighbours(square: int, linked: set[int], diagonal: bool) -> list[int]:
    near = steps(square, False)
    return near + [other for other in steps(square, True) if diagonal or square in linked or other in linked]


def cheapest(price: dict[int, int], linked: set[int], diagonal: bool, start: Iterable[int]) -> dict[int, int]:
    """What it takes to come to each square, its own price included (Dijkstra's method)."""
    found: dict[int, int] = {}
    waiting = [(price[square], square) for square in start if square in price]
    heapq.heapify(waiting)
    while waiting:
        paid, square = heapq.heappop(waiting)
        if square in found:
            continue
        found[square] = paid
        for other in neighbours(square, linked, diagonal):
            if other in price and other not in found:
                heapq.heappush(waiting, (paid + price[other], other))
    return found


def chain_length(own: set[int], linked: set[int], diagonal: bool, start: set[int], end: set[int]) -> int:
    """Squares of the shortest chain, 0 without one (breadth first)."""
    layer, seen, length = own & start, own & start, 1
    while layer:
        if layer & end:
            return length
        layer = {other for square in layer for other in neighbours(square, linked, diagonal)} & own - seen
        seen = seen | layer
        length += 1
    return 0


FIRST_ROW, LAST_ROW = set(range(8)), set(range(56, 64))
FIRST_COLUMN, LAST_COLUMN = set(range(0, 64, 8)), set(range(7, 64, 8))
ENDS = {
    "sides": [(FIRST_ROW, LAST_ROW), (FIRST_COLUMN, LAST_COLUMN)],
    "own-sides": [(FIRST_ROW, LAST_ROW), (FIRST_COLUMN, LAST_COLUMN)],
    "corners": [({0}, {63}), ({7}, {56})],
}


def ways_of(goal: str, team: int) -> list[int]:
    return [team % 2] if goal == "own-sides" else [0, 1]


def boxes(side: int) -> list[set[int]]:
    corners = range(9 - side)
    return [
        {8 * (top + down) + left + right for down in range(side) for right in range(side)}
        for top in corners
        for left in corners
    ]


def shapes_of(goal: str) -> list[set[int]]:
    """The squares of every shape that wins; of straight lines the columns first."""
    if goal == "straight":
        return [set(range(column, 64, 8)) for column in range(8)] + [
            set(range(8 * row, 8 * row + 8)) for row in range(8)
        ]
    if goal == "frame-4x4":
        return [{one for one in box if len(box & set(steps(one, False))) < 4} for box in boxes(4)]
    return boxes(3 if goal == "block-3x3" else 4)


class Squares:
    """Squares that count, that one marker makes count, and that two do; and links among those that count."""

    def __init__(self, start: int) -> None:
        source = random.Random(start)
        own, open_squares = source.choice([0.1, 0.4, 0.6, 0.8]), source.choice([0.2, 0.6, 0.95])
        kinds = [
            "own"
            if source.random() < own
            else "open"
            if source.random() < open_squares
            else source.choice(["free", "no"])
            for _ in range(64)
        ]
        if source.random() < 0.3:  # walls, through which few ways lead
            for column in range(8):
                for row in source.sample(range(8), 1):
                    kinds[8 * row + column] = "no"
        self.own, self.open, self.free = (
            {square for square in range(64) if kinds[square] == kind} for kind in ("own", "open", "free")
        )
        rate = source.choice([0, 0, 0.2, 0.5])
        self.linked = {square for square in self.own if source.random() < rate}
        self.price = dict.fromkeys(self.own, 0) | dict.fromkeys(self.open, 1) | dict.fromkeys(self.free, 2)

    @property
    def words(self) -> tuple[Any, ...]:
        return tuple(Word(bits(some)) for some in (self.own, self.open, self.free, self.linked))

    def keys(self, diagonal: bool, start: set[int], end: set[int]) -> tuple[int, set[int]]:
        """The cost, and the squares on some cheapest way."""
        there = cheapest(self.price, self.linked, diagonal, start)
        back = cheapest(self.price, self.linked, diagonal, end)
        least = min((there[square] for square in end if square in there), default=BLOCKED)
        return least, {
            square for square in there if square in back and there[square] + back[square] - self.price[square] == least
        }


SQUARES = st.integers(0, 2**32).map(Squares)


def kinds_of(squares: Squares, found: set[int]) -> tuple[list[int], ...]:
    return tuple(sorted(found & some) for some in (squares.open, squares.free, squares.own))


# --- Steps -----------------------------------------------------------------------------------------------------------


def test_sides_and_corners() -> None:
    for way, (start, end) in enumerate(ENDS["sides"]):
        for goal in (0, 1):
            assert set(squares_in(paths.start_of(goal, way))) == start
            assert set(squares_in(paths.end_of(goal, way))) == end
    for way, (start, end) in enumerate(ENDS["corners"]):
        assert set(squares_in(paths.start_of(2, way))) == start
        assert set(squares_in(paths.end_of(2, way))) == end


@pytest.mark.parametrize("square", range(64))
def test_neighbours_of_a_square(square: int) -> None:
    one, none = Word(1 << square), Word(0)
    assert squares_in(paths.beside(one)) == sorted(steps(square, False))
    assert squares_in(paths.across(one)) == sorted(steps(square, True))
    assert squares_in(paths.reach(one, none, False)) == sorted(steps(square, False))
    assert squares_in(paths.reach(one, none, True)) == sorted(neighbours(square, set(), True))
    assert squares_in(paths.reach(one, one, False)) == sorted(neighbours(square, {square}, False))


@settings(max_examples=EXAMPLES)
@given(SQUARES, st.booleans(), st.integers(0, 63))
def test_reach_and_spread(squares: Squares, diagonal: bool, first: int) -> None:
    own, _, _, linked = squares.words
    near = {other for square in squares.own for other in neighbours(square, squares.linked, diagonal)}
    assert set(squares_in(paths.reach(own, linked, diagonal))) == near
    part = {first}
    while more := {other for one in part for other in neighbours(one, squares.linked, diagonal)} & squares.own - part:
        part |= more
    assert set(squares_in(paths.spread(Word(1 << first), own, linked, diagonal))) == part


# --- Shapes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", GOALS)
def test_shapes_of_every_goal(goal: str) -> None:
    number = GOALS.index(goal)
    assert bool(paths.is_path_goal(number)) == (goal in PATHS)
    if goal in SHAPES:
        found = [squares_in(paths.SHAPES[place]) for place in range(paths.SHAPES_FROM[number], paths.SHAPES_TO[number])]
        assert sorted(found) == sorted(sorted(shape) for shape in shapes_of(goal))
    assert {goal: len(shapes_of(goal)) for goal in SHAPES} == {
        "block-3x3": 36,
        "frame-4x4": 25,
        "block-4x4": 25,
        "straight": 16,
    }
    assert {len(shape) for shape in shapes_of("frame-4x4")} == {12}


# --- Paths -----------------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(SQUARES, st.booleans())
def test_connects_and_shortest_chain(squares: Squares, diagonal: bool) -> None:
    own, _, _, linked = squares.words
    for start, end in (*ENDS["sides"], *ENDS["corners"]):
        args = (own, linked, diagonal, Word(bits(start)), Word(bits(end)))
        length = chain_length(squares.own, squares.linked, diagonal, start, end)
        assert paths.shortest_chain(*args) == length
        assert bool(paths.connects(*args)) == (length > 0)


@settings(max_examples=EXAMPLES)
@given(SQUARES, st.booleans())
def test_path_cost_and_key_squares(squares: Squares, diagonal: bool) -> None:
    own, some, free, linked = squares.words
    layers = np.full(paths.LAYERS, 99, np.uint64)
    for start, end in (*ENDS["sides"], *ENDS["corners"]):
        least, keys = squares.keys(diagonal, start, end)
        args = (own, some, free, linked, diagonal, Word(bits(start)), Word(bits(end)))
        assert paths.path_cost(*args) == least
        assert paths.fill_layers(*args, layers) == least
        there = cheapest(squares.price, squares.linked, diagonal, start)
        for cost in range(least + 1 if least < BLOCKED else 0):
            assert set(squares_in(layers[cost])) == {square for square in there if there[square] <= cost}
        cost, *found, _ = paths.key_squares(*args, layers)
        assert cost == least
        assert tuple(map(squares_in, found)) == (kinds_of(squares, keys) if least < BLOCKED else ([], [], []))


def goal_by_lists(squares: Squares, goal: str, team: int) -> tuple[int, set[int], int]:
    """The cost of a goal, the squares on some cheapest way to it, and the directions won."""
    if goal in PATHS:
        ways = {way: squares.keys(goal == "corners", *ENDS[goal][way]) for way in ways_of(goal, team)}
        least = min(cost for cost, _ in ways.values())
        keys = set().union(*(keys for cost, keys in ways.values() if cost == least)) if least < BLOCKED else set()
        return least, keys, sum(1 << way for way, (cost, _) in ways.items() if cost == 0)
    costs = [sum(squares.price.get(one, BLOCKED) for one in shape) for shape in shapes_of(goal)]
    least = min(*costs, BLOCKED)
    cheap = [place for place, cost in enumerate(costs) if cost == least < BLOCKED]
    won = 0
    for place in cheap if least == 0 else []:
        won |= (1 if place < 8 else 2) if goal == "straight" else 4
    return least, set().union(*(shapes_of(goal)[place] for place in cheap)), won


@settings(max_examples=EXAMPLES)
@given(SQUARES, st.sampled_from(GOALS), st.integers(0, 3))
def test_goal_cost_goal_keys_and_ways_won(squares: Squares, goal: str, team: int) -> None:
    own, some, free, linked = squares.words
    number = GOALS.index(goal)
    least, keys, won = goal_by_lists(squares, goal, team)
    layers = np.full(paths.LAYERS, 99, np.uint64)
    assert paths.goal_cost(own, some, free, linked, number, team) == least
    cost, *found = paths.goal_keys(own, some, free, linked, number, team, layers)
    assert cost == least
    assert tuple(map(squares_in, found)) == kinds_of(squares, keys)
    assert paths.ways_won(own, linked, number, team) == won


def shapes_but_few(goal: str, source: random.Random, missing: int) -> Squares:
    """A board that has all but a few squares of one shape, or of two that lie by each other."""
    squares = Squares(0)
    shape = set(source.choice(shapes_of(goal)))
    if source.random() < 0.5:
        shape |= source.choice([other for other in shapes_of(goal) if other & shape])
    gone = set(source.sample(sorted(shape), missing))
    squares.own = shape - gone
    rest = sorted(set(range(64)) - squares.own)
    squares.free = set(source.sample(rest, 10))
    squares.open = set(source.sample(rest, min(45, len(rest)))) - squares.free
    squares.linked = set()
    squares.price = dict.fromkeys(squares.own, 0) | dict.fromkeys(squares.open, 1) | dict.fromkeys(squares.free, 2)
    return squares


@pytest.mark.parametrize("goal", SHAPES)
def test_shapes_that_are_all_but_complete(goal: str) -> None:
    source, costs = random.Random(goal), []
    number = GOALS.index(goal)
    for case in range(200 if COMPILED else 30):
        squares = shapes_but_few(goal, source, case % 4)
        own, some, free, linked = squares.words
        least, keys, won = goal_by_lists(squares, goal, 0)
        assert paths.goal_cost(own, some, free, linked, number, 0) == least
        layers = np.zeros(paths.LAYERS, np.uint64)
        cost, *found = paths.goal_keys(own, some, free, linked, number, 0, layers)
        assert (cost, tuple(map(squares_in, found))) == (least, kinds_of(squares, keys))
        assert paths.ways_won(own, linked, number, 0) == won
        costs.append(least)
    assert {0, 1, 2} <= set(costs)


# --- What is hard ----------------------------------------------------------------------------------------------------


def rows(*text: str) -> Squares:
    """A board by rows: x counts, . is open, w an empty white square, # none, + counts and is linked."""
    squares = Squares(0)
    marks = "".join(text)
    squares.own = {place for place, mark in enumerate(marks) if mark in "x+"}
    squares.open = {place for place, mark in enumerate(marks) if mark == "."}
    squares.free = {place for place, mark in enumerate(marks) if mark == "w"}
    squares.linked = {place for place, mark in enumerate(marks) if mark == "+"}
    squares.price = dict.fromkeys(squares.own, 0) | dict.fromkeys(squares.open, 1) | dict.fromkeys(squares.free, 2)
    return squares


EVERYWHERE = ("." * 8,) * 8
WINDING = (
    "#x######",
    "#xxxxxx#",
    "######x#",
    "#xxxxxx#",
    "#x######",
    "#xxxxxx#",
    "######x#",
    "######x#",
)
WHITE_SIDES = ("wwwwwwww", *EVERYWHERE[1:7], "wwwwwwww")
WALL = (*EVERYWHERE[:4], "########", *EVERYWHERE[5:])
STAIRS = (
    "+#######",
    "#x######",
    "##+#####",
    "###x####",
    "####+###",
    "#####x##",
    "######+#",
    "#######x",
)


@pytest.mark.parametrize(
    ("board", "goal", "cost"),
    [
        (EVERYWHERE, "sides", 8),
        (EVERYWHERE, "own-sides", 8),
        (EVERYWHERE, "corners", 8),
        (EVERYWHERE, "block-3x3", 9),
        (EVERYWHERE, "frame-4x4", 12),
        (EVERYWHERE, "block-4x4", 16),
        (EVERYWHERE, "straight", 8),
        (WINDING, "sides", 0),
        (WHITE_SIDES, "own-sides", 10),
        (WHITE_SIDES, "straight", 8),
        (WALL, "sides", 8),
        (WALL, "own-sides", BLOCKED),
        (WALL, "corners", BLOCKED),
        (WALL, "block-4x4", 16),
        (("#" * 8,) * 8, "sides", BLOCKED),
        (("w" * 8,) * 8, "sides", 16),
        (STAIRS, "sides", 0),
        (STAIRS, "corners", 0),
        ([row.replace("+", "x") for row in STAIRS], "corners", 0),
        ([row.replace("+", "x") for row in STAIRS], "sides", BLOCKED),
        ([row.replace("x", ".") for row in STAIRS], "sides", 4),
        ([row.replace("x", "w") for row in STAIRS], "sides", 8),
    ],
)
def test_costs_of_boards_that_are_hard(board: tuple[str, ...], goal: str, cost: int) -> None:
    squares = rows(*board)
    own, some, free, linked = squares.words
    assert paths.goal_cost(own, some, free, linked, GOALS.index(goal), 0) == cost
    assert goal_by_lists(squares, goal, 0)[0] == cost
    assert (paths.ways_won(own, linked, GOALS.index(goal), 0) != 0) == (cost == 0)


def test_a_winding_chain_is_counted_square_by_square() -> None:
    squares = rows(*WINDING)
    own, _, _, linked = squares.words
    start, end = (Word(bits(side)) for side in ENDS["sides"][0])
    assert paths.shortest_chain(own, linked, False, start, end) == len(squares.own)
    assert paths.shortest_chain(own, linked, True, start, end) < len(squares.own)


@pytest.mark.parametrize("team", range(4))
def test_own_sides_are_top_and_bottom_for_even_teams(team: int) -> None:
    for way, line in enumerate((range(3, 64, 8), range(24, 32))):
        own = Word(bits(line))
        assert paths.ways_won(own, Word(0), GOALS.index("own-sides"), team) == (1 << way if team % 2 == way else 0)
        assert paths.ways_won(own, Word(0), GOALS.index("sides"), team) == 1 << way
        assert paths.ways_won(own, Word(0), GOALS.index("straight"), team) == 1 << way
    both = Word(bits({*range(3, 64, 8), *range(24, 32)}))
    assert paths.ways_won(both, Word(0), GOALS.index("sides"), team) == 3
    assert paths.ways_won(both, Word(0), GOALS.index("straight"), team) == 3
    assert paths.ways_won(both, Word(0), GOALS.index("own-sides"), team) == 1 << team % 2


def test_a_search_is_the_same_however_the_board_is_turned() -> None:
    """Turning by a quarter exchanges the directions, mirroring changes nothing."""
    turns: list[Callable[[int], int]] = [
        lambda square: 8 * (square % 8) + square // 8,
        lambda square: square ^ 7,
        lambda square: square ^ 56,
    ]
    for start in range(60 if COMPILED else 8):
        squares = Squares(start)
        least, *_ = goal_by_lists(squares, "sides", 0)
        for turn in turns:
            words = tuple(
                Word(bits(map(turn, some))) for some in (squares.own, squares.open, squares.free, squares.linked)
            )
            assert paths.goal_cost(*words, 0, 0) == least
