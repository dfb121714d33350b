"""Paths across the board, on bitboards: is there one, how many markers does the cheapest one still need, and where.

A square that already counts for a team costs nothing, an open one a marker, an empty white one two, and no other can
be entered. The search goes by layers: all that can be reached for 0 markers, for 1, for 2, … A square lies on a
cheapest path when what it takes to come there from one side, and from the other, adds up to the least. Goals that are
no path (a block, a frame, a straight line) are sets of squares, and the cheapest one is looked up.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count
from sims.crossways.facts import ALL, BLOCK_3, BLOCK_4, CORNERS, FRAME_4, NONE, OWN_SIDES, SIDE, STRAIGHT
from sims.jit import jit

FIRST_COLUMN = Word(sum(1 << SIDE * row for row in range(SIDE)))
LAST_COLUMN = FIRST_COLUMN << Word(SIDE - 1)
FIRST_ROW = Word((1 << SIDE) - 1)
LAST_ROW = FIRST_ROW << Word(SIDE * (SIDE - 1))
TOP_LEFT, TOP_RIGHT = ONE, ONE << Word(SIDE - 1)
BOTTOM_LEFT, BOTTOM_RIGHT = ONE << Word(SIDE * (SIDE - 1)), ONE << Word(SIDE * SIDE - 1)
NO_FIRST, NO_LAST = ALL ^ FIRST_COLUMN, ALL ^ LAST_COLUMN
FEWEST_FOR_PATH = Word(SIDE)

LAYERS = 2 * SIDE * SIDE + 2
BLOCKED = 999  # more than any path costs

BOTH_WAYS = 3  # bits of `ways_won`: 1 the first direction, 2 the second
SHAPE_WON = 4


def _boxes(side: int, frame: bool) -> list[int]:
    """Return all squares of `side` × `side` on the board, or their borders, as bits."""
    return [
        sum(
            1 << SIDE * (row + down) + column + right
            for down in range(side)
            for right in range(side)
            if not frame or {down, right} & {0, side - 1}
        )
        for row in range(SIDE - side + 1)
        for column in range(SIDE - side + 1)
    ]


_COLUMNS = [int(FIRST_COLUMN) << column for column in range(SIDE)]
_ROWS = [int(FIRST_ROW) << SIDE * row for row in range(SIDE)]
SHAPES = np.array([*_boxes(3, False), *_boxes(4, True), *_boxes(4, False), *_COLUMNS, *_ROWS], np.uint64)
_STARTS = np.cumsum([0, 36, 25, 25, 16])
# Where the shapes of each goal begin and end in SHAPES, by goal.
SHAPES_FROM, SHAPES_TO = np.zeros(7, np.int64), np.zeros(7, np.int64)
for _place, _goal in enumerate((BLOCK_3, FRAME_4, BLOCK_4, STRAIGHT)):
    SHAPES_FROM[_goal], SHAPES_TO[_goal] = _STARTS[_place], _STARTS[_place + 1]
FIRST_OF_ROWS = int(_STARTS[-1]) - SIDE


@jit
def is_path_goal(goal: Any) -> Any:
    """Whether a goal is a path from side to side or from corner to corner."""
    return goal <= CORNERS


@jit
def beside(squares: Any) -> Any:
    """Return the orthogonal neighbours of squares."""
    return squares << Word(SIDE) | squares >> Word(SIDE) | (squares << ONE) & NO_FIRST | (squares >> ONE) & NO_LAST


@jit
def across(squares: Any) -> Any:
    """Return the diagonal neighbours of squares."""
    sideways = (squares << ONE) & NO_FIRST | (squares >> ONE) & NO_LAST
    return sideways << Word(SIDE) | sideways >> Word(SIDE)


@jit
def reach(squares: Any, linked: Any, diagonal: Any) -> Any:
    """Return what is one step away: beside, and across where steps may be `diagonal` or a square is `linked`."""
    near = beside(squares)
    if diagonal:
        near |= across(squares)
    elif linked:
        near |= across(squares & linked) | across(squares) & linked
    return near


@jit
def spread(squares: Any, own: Any, linked: Any, diagonal: Any) -> Any:
    """Return squares and all of `own` that hang together with them."""
    while True:
        more = squares | reach(squares, linked, diagonal) & own
        if more == squares:
            return squares
        squares = more


@jit
def connects(own: Any, linked: Any, diagonal: Any, start: Any, end: Any) -> Any:
    """Whether squares of `own` hang together from `start` to `end`."""
    reached = own & start
    if not reached or not own & end:
        return False
    while True:
        if reached & end:
            return True
        more = reached | reach(reached, linked, diagonal) & own
        if more == reached:
            return False
        reached = more


@jit
def start_of(goal: Any, way: Any) -> Any:
    """Return where paths of the first (0) or second (1) direction start."""
    if goal == CORNERS:
        return TOP_RIGHT if way else TOP_LEFT
    return FIRST_COLUMN if way else FIRST_ROW


@jit
def end_of(goal: Any, way: Any) -> Any:
    """Return where paths of the first (0) or second (1) direction end."""
    if goal == CORNERS:
        return BOTTOM_LEFT if way else BOTTOM_RIGHT
    return LAST_COLUMN if way else LAST_ROW


@jit
def allows_way(goal: Any, team: Any, way: Any) -> Any:
    """Whether a path of a direction wins for a team."""
    return goal != OWN_SIDES or np.int64(team) % 2 == np.int64(way)


@jit
def ways_won(own: Any, linked: Any, goal: Any, team: Any) -> Any:
    """Return the directions in which a team wins with squares that count for it, as bits; 4 for a block or frame."""
    if bit_count(own) < FEWEST_FOR_PATH:
        return NONE
    won = NONE
    if is_path_goal(goal):
        for way in range(2):
            if allows_way(goal, team, way) and connects(
                own, linked, goal == CORNERS, start_of(goal, way), end_of(goal, way)
            ):
                won |= ONE << Word(way)
        return won
    for place in range(SHAPES_FROM[goal], SHAPES_TO[goal]):
        if SHAPES[place] & ~own == NONE:
            won |= ONE << Word(place >= FIRST_OF_ROWS) if goal == STRAIGHT else Word(SHAPE_WON)
    return won


@jit
def shortest_chain(own: Any, linked: Any, diagonal: Any, start: Any, end: Any) -> Any:
    """Return the number of squares (signed) of the shortest path in `own` from `start` to `end`; 0 without any."""
    reached, length = own & start, 1
    while reached:
        if reached & end:
            return length
        more = reached | reach(reached, linked, diagonal) & own
        if more == reached:
            return 0
        reached = more
        length += 1
    return 0


# --- Cheapest paths --------------------------------------------------------------------------------------------------


@jit
def path_cost(own: Any, open_squares: Any, free: Any, linked: Any, diagonal: Any, start: Any, end: Any) -> Any:
    """Return how many markers (a signed number) the cheapest path needs; `BLOCKED` when there is none.

    Parameters
    ----------
    own, open_squares, free
        Squares that cost nothing, one and two markers; no square is in two of them.
    linked, diagonal
        See `reach`.
    start, end
        The two sides.
    """
    reached = own & start
    if reached:
        reached = spread(reached, own, linked, diagonal)
    before, cost = NONE, 0
    while not reached & end:
        more = reached | (reach(reached, linked, diagonal) | start) & open_squares
        if cost > 0:  # two markers come from the layer before the last
            more |= (reach(before, linked, diagonal) | start) & free
        more = spread(more, own, linked, diagonal)
        if more == reached and (cost > 0 and before == reached):
            return BLOCKED
        before, reached = reached, more
        cost += 1
    return cost


@jit
def fill_layers(
    own: Any, open_squares: Any, free: Any, linked: Any, diagonal: Any, start: Any, end: Any, layers: Any
) -> Any:
    """Write what can be reached from `start` for 0, 1, 2, … markers to `layers`; return the cost to come to `end`.

    Layers are written up to that cost and no further.
    """
    reached = own & start
    if reached:
        reached = spread(reached, own, linked, diagonal)
    before, cost = NONE, 0
    layers[0] = reached
    while not reached & end:
        more = reached | (reach(reached, linked, diagonal) | start) & open_squares
        if cost > 0:
            more |= (reach(before, linked, diagonal) | start) & free
        more = spread(more, own, linked, diagonal)
        if more == reached and (cost > 0 and before == reached):
            return BLOCKED
        before, reached = reached, more
        cost += 1
        layers[cost] = reached
    return cost


@jit
def key_squares(
    own: Any, open_squares: Any, free: Any, linked: Any, diagonal: Any, start: Any, end: Any, layers: Any
) -> Any:
    """Return what the cheapest path needs, all open, white and own squares on some path as cheap, and its width.

    The width is the number of open squares (signed) at the narrowest place: so many have to be closed, or more, before
    paths need more markers. It is 0 where paths need no open square.

    Parameters
    ----------
    own, open_squares, free, linked, diagonal, start, end
        As for `path_cost`.
    layers
        Room for the search, `LAYERS` words.
    """
    cost = fill_layers(own, open_squares, free, linked, diagonal, start, end, layers)
    if cost >= BLOCKED:
        return cost, NONE, NONE, NONE, 0
    key_open, key_free, key_own = NONE, NONE, NONE
    width: Any = 0
    reached = own & end
    if reached:
        reached = spread(reached, own, linked, diagonal)
    before, back = NONE, 0
    # `reached` holds what the other end is reached from for `back` markers; squares count their own cost in both.
    while True:
        key_own |= own & reached & layers[cost - back]
        if back >= 1:
            place = open_squares & reached & layers[cost + 1 - back]
            key_open |= place
            size = np.int64(bit_count(place))
            if size > 0 and (width == 0 or size < width):
                width = size
        if back >= 2:
            key_free |= free & reached & layers[cost + 2 - back]
        if back == cost:
            return cost, key_open, key_free, key_own, width
        more = reached | (reach(reached, linked, diagonal) | end) & open_squares
        if back > 0:
            more |= (reach(before, linked, diagonal) | end) & free
        before, reached = reached, spread(more, own, linked, diagonal)
        back += 1


@jit
def goal_cost(own: Any, open_squares: Any, free: Any, linked: Any, goal: Any, team: Any) -> Any:
    """Return how many more markers (a signed number) a team needs at least to win; `BLOCKED` when it cannot."""
    least: Any = BLOCKED
    if is_path_goal(goal):
        for way in range(2):
            if allows_way(goal, team, way):
                cost = path_cost(
                    own, open_squares, free, linked, goal == CORNERS, start_of(goal, way), end_of(goal, way)
                )
                if cost < least:
                    least = cost
        return least
    for place in range(SHAPES_FROM[goal], SHAPES_TO[goal]):
        shape = SHAPES[place]
        if shape & ~(own | open_squares | free) == NONE:
            cost = np.int64(bit_count(shape & open_squares)) + 2 * np.int64(bit_count(shape & free))
            if cost < least:
                least = cost
    return least


@jit
def goal_keys(own: Any, open_squares: Any, free: Any, linked: Any, goal: Any, team: Any, layers: Any) -> Any:
    """Return the least cost of a team's goal, and all open, white and own squares on some cheapest way to it.

    `layers` is room for the search, `LAYERS` words.
    """
    least: Any = BLOCKED
    key_open, key_free, key_own = NONE, NONE, NONE
    if is_path_goal(goal):
        for way in range(2):
            if not allows_way(goal, team, way):
                continue
            cost, some, white, mine, _ = key_squares(
                own, open_squares, free, linked, goal == CORNERS, start_of(goal, way), end_of(goal, way), layers
            )
            if cost < least:
                least, key_open, key_free, key_own = cost, some, white, mine
            elif cost == least:
                key_open, key_free, key_own = key_open | some, key_free | white, key_own | mine
        return least, key_open, key_free, key_own
    for place in range(SHAPES_FROM[goal], SHAPES_TO[goal]):
        shape = SHAPES[place]
        if shape & ~(own | open_squares | free) == NONE:
            cost = np.int64(bit_count(shape & open_squares)) + 2 * np.int64(bit_count(shape & free))
            if cost < least:
                least, key_open, key_free, key_own = cost, NONE, NONE, NONE
            if cost == least:
                key_open, key_free, key_own = (
                    key_open | shape & open_squares,
                    key_free | shape & free,
                    key_own | shape & own,
                )
    return least, key_open, key_free, key_own
