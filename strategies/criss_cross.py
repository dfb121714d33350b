"""Players of Criss Cross, from the zero point of every comparison to the strongest made by hand.

A placement changes three lines: the one along it, and the two across it. All players here rate it by what it does to
these lines and to the empty spaces around it. The fast ones share one loop, `best_placement`; the others are
heuristics by value.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims.asking import best_of
from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below
from sims.criss_cross import (
    CLASS_COUNTS,
    COLUMN,
    COLUMN_PLACE,
    DIAGONAL,
    LINE_CODES,
    MAX_PAIRS,
    MAX_ROUNDS,
    NOT_FIRST_COLUMN,
    NOT_LAST_COLUMN,
    ROW,
    ROW_PLACE,
    RUN_CLASS,
    SIDE,
    SYMBOLS,
    VARIANTS,
    VERTICAL,
    CrissCrossRules,
    all_pairs,
    class_points,
    first_cell,
    first_symbol,
    gain,
    horizontal_pairs,
    is_vertical,
    line_symbols,
    list_moves,
    lonely,
    lonely_cells,
    place,
    random_move,
    second_cell,
    second_symbol,
    total,
    vertical_pairs,
)
from sims.jit import jit
from strategies.api import Parameter, heuristic, restriction, strategy

GAME = "criss-cross"

PANEL = ("planner", "potential", "greedy", "line-builder", "first-fit")
"""Who stands for the game in reports, the strongest first."""

# --- Tables ----------------------------------------------------------------------------------------------------------

ALL = Word(0xFFFF_FFFF_FFFF_FFFF)
SEVEN = Word(7)
CELL = Word(31)
NONE = Word(0)


def _pair_tables() -> tuple[NDArray[np.uint64], ...]:
    """Return, by bit in `all_pairs`: the line along a pair, the two across it, and the steps of its cells in them."""
    tables = np.zeros((5, 64), np.uint64)
    for cell in range(SIDE * SIDE):
        if cell % SIDE < SIDE - 1:
            tables[:, cell] = ROW[cell], COLUMN[cell], COLUMN[cell + 1], ROW_PLACE[cell], COLUMN_PLACE[cell]
        if cell < SIDE * (SIDE - 1):
            below_it = cell + SIDE
            tables[:, cell + 32] = COLUMN[cell], ROW[cell], ROW[below_it], COLUMN_PLACE[cell], ROW_PLACE[cell]
    return tuple(tables)


ALONG, ACROSS_FIRST, ACROSS_SECOND, STEP_ALONG, STEP_ACROSS = _pair_tables()


def _patterns() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Sort the lines by their pattern: two are alike when another choice of symbols makes them equal.

    Returns the pattern of each line, shape (7⁵,), and the smallest number of a line of each pattern, shape (203,).
    """
    cells = np.array([np.arange(LINE_CODES) // 7**place_in_line % 7 for place_in_line in range(SIDE)])
    renamed = np.zeros((LINE_CODES, 7), np.int64)
    smallest, names = np.zeros(LINE_CODES, np.int64), np.zeros(LINE_CODES, np.int64)
    every = np.arange(LINE_CODES)
    for place_in_line, symbols in enumerate(cells):
        is_new = (symbols > 0) & (renamed[every, symbols] == 0)
        names += is_new
        renamed[every[is_new], symbols[is_new]] = names[is_new]
        smallest += renamed[every, symbols] * 7**place_in_line
    codes, pattern = np.unique(smallest, return_inverse=True)
    return pattern.astype(np.uint8), codes


PATTERN, PATTERN_CODES = _patterns()

# What `line_values` assumes, found on the deals of seeds 1000 and up: how often a line that is still empty has to
# take what is rolled (in the first round, and how much more in the last), and the points that a space is worth to the
# rest of the sheet.
FORCED, FORCED_MORE = 0.63, 0.61
SPACE_PRICE = 1.08
FINE = 1024  # values are whole numbers of 1/1024 point: sums are exact, on every machine


def line_values(points: NDArray[np.float64], side: int, rounds: int) -> NDArray[np.int16]:
    """Return what lines are worth in the end, in 1/1024 point, by rounds played and pattern, shape (13, 203).

    Solves a solitaire of one line by going backward. Each round one random symbol comes by. With a chance that is in
    proportion to the line's empty spaces, the symbol has to be entered at a random one of them (the rest of the sheet
    had no use for it); otherwise the line may enter it where it is best, at a price (the space could have served
    another line), or let it pass.

    Parameters
    ----------
    points
        Points of a finished line by pattern, shape (203,).
    side
        Cells of a line; the cells beyond never get a symbol.
    rounds
        Most rounds there can be.
    """
    cells = np.array([line_symbols(int(code)) for code in PATTERN_CODES])
    open_cells = (cells == 0) & (np.arange(SIDE) < side)
    steps = np.arange(1, SYMBOLS + 1)[:, None] * 7 ** np.arange(SIDE)
    after = PATTERN[np.where(open_cells[:, None, :], PATTERN_CODES[:, None, None] + steps, 0)]
    empty = open_cells.sum(axis=1)
    values = np.zeros((MAX_ROUNDS + 1, len(points)))
    values[rounds:] = value = points
    for played in range(rounds, 0, -1):
        entered = np.where(open_cells[:, None, :], value[after], 0.0)
        forced = np.where(empty > 0, entered.sum(axis=(1, 2)) / np.maximum(SYMBOLS * empty, 1), value)
        best = np.where(open_cells[:, None, :], entered, -np.inf).max(axis=2) - SPACE_PRICE
        offered = np.maximum(best, value[:, None]).mean(axis=1)
        share = np.minimum((FORCED + FORCED_MORE * played / rounds) * empty / side, 1.0)
        value = share * forced + (1 - share) * offered
        values[played - 1] = value
    return np.rint(values * FINE).astype(np.int16)


# The same for the rules of both variants (0 basic, 1 advanced) and sides of 3, 4 and 5.
POINTS_OF_VARIANT = np.array([class_points(CrissCrossRules(**options)) for options in VARIANTS.values()])
PATTERN_POINTS = POINTS_OF_VARIANT[:, RUN_CLASS[PATTERN_CODES]]
LINE_VALUES = np.array(
    [
        [line_values(points.astype(float), side, (side * side - 1) // 2) for side in range(3, SIDE + 1)]
        for points in PATTERN_POINTS
    ]
)


def _open_ends() -> NDArray[np.int64]:
    """Return how many ends of runs of 1, 2, 3 and 4 have an empty space beside them, by pattern, shape (203, 4)."""
    counts = np.zeros((len(PATTERN_CODES), 4), np.int64)
    for pattern, code in enumerate(PATTERN_CODES):
        symbols = (-1, *line_symbols(int(code)), -1)
        start = 1
        for end in range(2, SIDE + 2):
            if symbols[end] != symbols[start]:
                if symbols[start]:
                    counts[pattern, end - start - 1 : end - start] += (symbols[start - 1] == 0) + (symbols[end] == 0)
                start = end
    return counts


OPEN_ENDS = _open_ends()

# --- Shared parts ----------------------------------------------------------------------------------------------------


@jit
def pair_cells(pair: Any) -> Any:
    """Return the two cells of a pair, given as its bit in `all_pairs`, as a bit set."""
    return (Word(0b1_00001) if pair & VERTICAL else Word(0b11)) << (pair & CELL)


@jit
def neighbours(cells: Any) -> Any:
    """Return the cells orthogonally beside those of a bit set (some may lie off a sheet; mask with view.grid)."""
    sideways = ((cells << ONE) & NOT_FIRST_COLUMN) | ((cells >> ONE) & NOT_LAST_COLUMN)
    return sideways | (cells << Word(SIDE)) | (cells >> Word(SIDE))


@jit
def dead_ends(empty: Any) -> Any:
    """Return the empty cells with exactly one empty neighbour, as a bit set: filling that leaves them lonely."""
    left, right = (empty << ONE) & NOT_FIRST_COLUMN, (empty >> ONE) & NOT_LAST_COLUMN
    up, down = empty << Word(SIDE), empty >> Word(SIDE)
    several = (left & right) | (up & down) | ((left | right) & (up | down))
    return empty & (left | right | up | down) & ~several


@jit
def shape_value(empty: Any, prices: Any) -> Any:
    """Return what the shape of the empty cells is worth: room for pairs, less lonely spaces and dead ends."""
    lonely_price, dead_end_price, room = prices
    return (
        np.int64(bit_count(all_pairs(empty))) * room
        - np.int64(bit_count(lonely_cells(empty))) * lonely_price
        - np.int64(bit_count(dead_ends(empty))) * dead_end_price
    )


@jit
def worth(view: Any, values: Any, known: Any, code: Any) -> Any:
    """Return what a line is worth: its points, or by the table `values`.

    `known` holds the points by pattern that the table was made for; what the rules in force give more is added.
    """
    if values is None:
        return np.int64(view.points[code])
    value = np.int64(values[Word(PATTERN[code])])
    if known is not None:
        value += FINE * (np.int64(view.points[code]) - np.int64(known[Word(PATTERN[code])]))
    return value


@jit
def three_lines(view: Any, pair: Any) -> Any:
    """Return the numbers of the lines that a pair changes: the one along it, and the two across its cells."""
    lines = view.lines
    return Word(lines[ALONG[pair]]), Word(lines[ACROSS_FIRST[pair]]), Word(lines[ACROSS_SECOND[pair]])


@jit
def joint_worth(view: Any, values: Any, known: Any, along: Any, first: Any, second: Any) -> Any:
    """Return what three lines are worth together."""
    return worth(view, values, known, along) + worth(view, values, known, first) + worth(view, values, known, second)


@jit
def best_placement(view: Any, rng: Any, values: Any, known: Any, prices: Any, weight: Any) -> Any:
    """Return the placement that raises the worth of the lines and the empty cells' shape most, ties at random.

    `values` and `known` as for `worth`, `prices` as for `shape_value`; `weight` is the diagonal's. None leaves a part
    out, and is compiled without it. The best placements are collected as bits of two sets, one for each order of the
    symbols.
    """
    lines, empty = view.lines, Word(view.empty)
    a, b = Word(view.first), Word(view.second)
    ab, ba = a + SEVEN * b, b + SEVEN * a
    pairs = all_pairs(empty)
    best = np.int64(-(1 << 40))
    as_rolled, flipped = NONE, NONE
    while pairs:
        pair = lowest_bit(pairs)
        pairs &= pairs - ONE
        along, first, second = three_lines(view, pair)
        step, across = STEP_ALONG[pair], STEP_ACROSS[pair]
        before = joint_worth(view, values, known, along, first, second)
        one = joint_worth(view, values, known, along + step * ab, first + across * a, second + across * b) - before
        other = joint_worth(view, values, known, along + step * ba, first + across * b, second + across * a) - before
        if weight is not None:
            cell = pair & CELL
            code = Word(lines[DIAGONAL])
            p = Word(view.diagonal_place[cell])
            q = Word(view.diagonal_place[cell + (Word(SIDE) if pair & VERTICAL else ONE)])
            now = worth(view, values, known, code)
            one += weight * (worth(view, values, known, code + p * a + q * b) - now)
            other += weight * (worth(view, values, known, code + p * b + q * a) - now)
        if prices is not None:
            shape = shape_value(empty & ~pair_cells(pair), prices)
            one += shape
            other += shape
        top = max(one, other)
        if top >= best:
            keep = ALL if top == best else NONE
            best = top
            as_rolled = (as_rolled & keep) | (Word(one == top) << pair)
            flipped = (flipped & keep) | (Word(other == top) << pair)
    if a == b:
        flipped = NONE
    count = bit_count(as_rolled)
    ties = count + bit_count(flipped)
    pick = below(rng, ties) if ties > ONE else NONE
    if pick < count:
        return select_bit(as_rolled, pick) << ONE
    return (select_bit(flipped, pick - count) << ONE) | ONE


# --- Controls and baselines ------------------------------------------------------------------------------------------


@strategy(GAME, tags=["baseline", "random", "fast"])
def uniform(view: Any, rng: Any, params: Any) -> Any:
    """Any legal placement, each equally likely.

    The zero point of every comparison; its mean is known exactly (10.366581 in the basic game).
    """
    return random_move(view, rng)


@heuristic(GAME, tags=["control", "weak"])
def blunder(view: Any, move: Any, params: Any) -> Any:
    """Take the smallest gain, and make lonely spaces: loses on purpose.

    The known weak player of every comparison's controls.
    """
    return lonely(view, move) - 10.0 * gain(view, move)


@strategy(GAME, tags=["baseline", "fast"])
def first_fit(view: Any, rng: Any, params: Any) -> Any:
    """Fill the first two neighbouring spaces, symbols as rolled.

    What a player does who does not look at the symbols: row by row, to the right where that fits, else downwards. It
    wastes no space before the end, and what it scores beyond that is luck: the measure for what tidiness alone is
    worth.
    """
    across, down = lowest_bit(horizontal_pairs(Word(view.empty))), lowest_bit(vertical_pairs(Word(view.empty)))
    return (across if across <= down else down + VERTICAL) << ONE


@strategy(GAME, tags=["baseline", "greedy", "fast"])
def greedy(view: Any, rng: Any, params: Any) -> Any:
    """Take the largest immediate gain, ties at random.

    Points on the sheet are never lost again, so taking the most each time is sound, and it needs no judgement. Its
    weakness: it sees no difference between two placements of equal gain, breaks up the room for long runs and leaves
    lonely spaces behind.
    """
    if view.diagonal_weight:
        return best_placement(view, rng, None, None, None, np.int64(view.diagonal_weight))
    return best_placement(view, rng, None, None, None, None)


# --- Heuristics with one idea each -----------------------------------------------------------------------------------


@jit
def run_counts(first: Any, second: Any, third: Any) -> Any:
    """Return how many runs of 2, 3, 4 and 5 three lines have together, 16 bits each."""
    return CLASS_COUNTS[RUN_CLASS[first]] + CLASS_COUNTS[RUN_CLASS[second]] + CLASS_COUNTS[RUN_CLASS[third]]


@jit
def openness(code: Any, params: Any) -> Any:
    """Return the number of open ends of a line's runs of 1 to 4, weighted with the first four parameters."""
    ends = OPEN_ENDS[Word(PATTERN[code])]
    return ends[0] * params[0] + ends[1] * params[1] + ends[2] * params[2] + ends[3] * params[3]


@jit
def changed_lines(view: Any, move: Any) -> Any:
    """Return the numbers of the three lines that a move changes: before, then after it (six numbers)."""
    pair = Word(move) >> ONE
    a, b = first_symbol(view, move), second_symbol(view, move)
    along, first, second = three_lines(view, pair)
    step, across = STEP_ALONG[pair], STEP_ACROSS[pair]
    return along, first, second, along + step * (a + SEVEN * b), first + across * a, second + across * b


@jit
def cells_with(view: Any, symbol: Any) -> Any:
    """Return the cells that hold a symbol, as a bit set."""
    cells = NONE
    for row in range(view.side):
        code = Word(view.lines[row])
        for column in range(view.side):
            cells |= Word(code % SEVEN == symbol) << Word(SIDE * row + column)
            code //= SEVEN
    return cells


@jit
def block_value(cells: Any, empty: Any, three: Any, four: Any) -> Any:
    """Return the worth of 2×2 windows: `four` where `cells` fill one, `three` where only an empty cell is missing."""
    windows = Word(0b01111_01111_01111_01111)
    full = windows & cells & (cells >> ONE) & (cells >> Word(5)) & (cells >> Word(6))
    either = cells | empty
    hopeful = windows & either & (either >> ONE) & (either >> Word(5)) & (either >> Word(6))
    p, q, r, s = cells, cells >> ONE, cells >> Word(5), cells >> Word(6)
    at_least_three = (p & q & (r | s)) | (r & s & (p | q))
    return four * float(bit_count(full)) + three * float(bit_count(hopeful & at_least_three & ~full))


@heuristic(
    GAME,
    parameters=[Parameter("price", 1.5, 0, 20, "points that a new lonely space counts as lost")],
    tags=["greedy", "space"],
)
def careful(view: Any, move: Any, params: Any) -> Any:
    """Greedy, at a price for each lonely space that a placement makes.

    A space without an empty neighbour can never be filled: it breaks two lines, and two of them cost a whole round.
    Paying a point or two to avoid one is a bargain. It still does not see which symbols go together later.
    """
    return gain(view, move) - params[0] * lonely(view, move)


@heuristic(
    GAME,
    parameters=[
        Parameter("one", 0.15, 0, 20, "points for each open end of a single symbol"),
        Parameter("two", 0.0, 0, 20, "points for each open end of a run of two"),
        Parameter("three", 1.2, 0, 20, "points for each open end of a run of three"),
        Parameter("four", 0.0, 0, 20, "points for each open end of a run of four"),
        Parameter("isolation", -1.4, -20, 0, "points for a new lonely space"),
    ],
    tags=["potential", "space"],
)
def potential(view: Any, move: Any, params: Any) -> Any:
    """Gain, and what runs could still become: their open ends.

    A run with an empty space beside it is worth more than a closed one, most of all three in a row, where the fourth
    symbol brings five points (an open pair hardly counts: its third brings one). It values a line alike at any time,
    so late in the game it hopes for too much.
    """
    along, first, second, along_after, first_after, second_after = changed_lines(view, move)
    hopes = openness(along_after, params) + openness(first_after, params) + openness(second_after, params)
    hopes -= openness(along, params) + openness(first, params) + openness(second, params)
    return gain(view, move) + hopes + params[4] * lonely(view, move)


@heuristic(
    GAME,
    parameters=[Parameter("power", 2.5, 1, 6, "a run of length n counts n to this power")],
    tags=["builder"],
)
def line_builder(view: Any, move: Any, params: Any) -> Any:
    """Long runs first: a run of n counts n to a power.

    Four in a row pay far more than two pairs, so it lengthens the longest run that it can. Its weakness: it goes on
    where the rules pay little (three in a row is one point more than two), it does not see whether a run has room,
    and it is blind to lines that score nothing.
    """
    along, first, second, along_after, first_after, second_after = changed_lines(view, move)
    before, after = run_counts(along, first, second), run_counts(along_after, first_after, second_after)
    rise = 0.0
    for length in range(2, SIDE + 1):
        place_in_word = Word(16 * (length - 2))
        more = np.int64((after >> place_in_word) & Word(0xFFFF)) - np.int64((before >> place_in_word) & Word(0xFFFF))
        rise += more * float(length) ** params[0]
    return rise


@heuristic(
    GAME,
    parameters=[
        Parameter("three", 0.8, 0, 20, "points for three equal symbols of a 2×2 block whose fourth space is empty"),
        Parameter("four", 1.0, 0, 20, "points for a full 2×2 block of equal symbols"),
    ],
    tags=["builder"],
)
def block_builder(view: Any, move: Any, params: Any) -> Any:
    """Gain, and a liking for 2×2 blocks of equal symbols.

    A block is four pairs with four symbols, two in rows and two in columns: few shapes pay eight points so soon. But
    an L whose symbol is not rolled again stays an L, and blocks stand in the way of long runs: it gains little on
    greedy.
    """
    a, b = first_symbol(view, move), second_symbol(view, move)
    p, q = ONE << first_cell(move), ONE << second_cell(move)
    empty = Word(view.empty)
    after = empty & ~(p | q)
    three, four = params[0], params[1]
    cells = cells_with(view, a)
    rise = block_value(cells | p | (q if a == b else NONE), after, three, four) - block_value(cells, empty, three, four)
    if a != b:
        cells = cells_with(view, b)
        rise += block_value(cells | q, after, three, four) - block_value(cells, empty, three, four)
    return gain(view, move) + rise


@heuristic(
    GAME,
    parameters=[Parameter("touch", 0.5, 0, 20, "points for a pair that touches a filled space")],
    tags=["space"],
)
def anchored(view: Any, move: Any, params: Any) -> Any:
    """Gain, but grow in one piece: no pair apart from filled spaces.

    A sheet that grows from its start symbol in one piece gives every new symbol neighbours that it may match. But it
    closes runs in early, and leaves the lonely spaces at the border: it plays worse than greedy, which shows what
    open room is worth.
    """
    beside = neighbours((ONE << first_cell(move)) | (ONE << second_cell(move))) & Word(view.grid & ~view.empty)
    return gain(view, move) + (params[0] if beside else 0.0)


# --- Looking ahead ---------------------------------------------------------------------------------------------------


@jit
def best_replies(view: Any, values: Any, known: Any, prices: Any, best: Any) -> Any:
    """Return the best reply's value summed over the 36 rolls; `best` is room for numbers, shape (36,).

    A reply is worth what it adds to the lines, and the shape that it leaves. 0 when nothing can be entered any more.
    """
    lines, empty = view.lines, Word(view.empty)
    weight = np.int64(view.diagonal_weight)
    pairs = all_pairs(empty)
    if not pairs:
        return np.int64(0)
    best[:] = -(1 << 40)
    diagonal = Word(lines[DIAGONAL])
    while pairs:
        pair = lowest_bit(pairs)
        pairs &= pairs - ONE
        along, first, second = three_lines(view, pair)
        step, across = STEP_ALONG[pair], STEP_ACROSS[pair]
        before = joint_worth(view, values, known, along, first, second)
        cell = pair & CELL
        p = Word(view.diagonal_place[cell])
        q = Word(view.diagonal_place[cell + (Word(SIDE) if pair & VERTICAL else ONE)])
        crossed = weight != 0 and p + q > NONE
        if crossed:
            before += weight * worth(view, values, known, diagonal)
        if prices is not None:
            before -= shape_value(empty & ~pair_cells(pair), prices)
        index = Word(0)
        for a in range(1, SYMBOLS + 1):
            x = Word(a)
            partly = worth(view, values, known, first + across * x) - before
            for b in range(1, SYMBOLS + 1):
                y = Word(b)
                value = (
                    partly
                    + worth(view, values, known, along + step * (x + SEVEN * y))
                    + worth(view, values, known, second + across * y)
                )
                if crossed:
                    value += weight * worth(view, values, known, diagonal + p * x + q * y)
                best[index] = max(best[index], value)
                index += ONE
    result = np.int64(0)
    for a in range(SYMBOLS):
        result += best[7 * a]
        for b in range(a):
            result += 2 * max(best[SYMBOLS * a + b], best[SYMBOLS * b + a])
    return result


@jit
def take_back(view: Any, move: Any) -> None:
    """Undo `place`."""
    p, q = first_cell(move), second_cell(move)
    a, b = first_symbol(view, move), second_symbol(view, move)
    view.empty = np.uint32(Word(view.empty) | (ONE << p) | (ONE << q))
    view.lines[ROW[p]] -= np.uint32(a * ROW_PLACE[p])
    view.lines[COLUMN[p]] -= np.uint32(a * COLUMN_PLACE[p])
    view.lines[ROW[q]] -= np.uint32(b * ROW_PLACE[q])
    view.lines[COLUMN[q]] -= np.uint32(b * COLUMN_PLACE[q])
    if view.diagonal_weight:
        view.lines[DIAGONAL] -= np.uint32(a * Word(view.diagonal_place[p]) + b * Word(view.diagonal_place[q]))


@jit
def sheet_value(view: Any, values: Any, known: Any) -> Any:
    """Return the worth of all lines of the view's own sheet, by the table `values`."""
    value = np.int64(0)
    for line in range(view.side):
        value += worth(view, values, known, Word(view.lines[line]))
        value += worth(view, values, known, Word(view.lines[SIDE + line]))
    if view.diagonal_weight:
        value += np.int64(view.diagonal_weight) * worth(view, values, known, Word(view.lines[DIAGONAL]))
    return value


@jit
def table_for(view: Any) -> Any:
    """Return which variant's table suits the rules in force, and whether the points are exactly that variant's."""
    variant = Word(view.points[0] < 0)
    exact = True
    for kind in range(POINTS_OF_VARIANT.shape[1]):
        exact &= view.class_points[kind] == POINTS_OF_VARIANT[variant, kind]
    return variant, exact


@jit
def shape_prices(view: Any, params: Any, round_number: Any) -> Any:
    """Return the prices for `shape_value` from the first three parameters.

    Dead ends can still be mended early on. Where barren lines lose points (five in the advanced game), freedom to
    mend them is worth more: twice as much in the advanced game, found on deals of seeds 1000 and up.
    """
    left = 1.0 - round_number / view.rounds
    freedom = 1.0 + min(max(-float(view.points[0]) / 5.0, 0.0), 2.0)
    return np.int64(params[0] * FINE), np.int64(params[1] * left * freedom * FINE), np.int64(params[2] * freedom * FINE)


@jit
def place_by_values(view: Any, rng: Any, params: Any) -> Any:
    """Return the placement that is best by `line_values` and `shape_value`."""
    variant, exact = table_for(view)
    values = LINE_VALUES[variant, Word(view.side) - Word(3), Word(view.round_number)]
    prices = shape_prices(view, params, view.round_number)
    if exact and not view.diagonal_weight:
        return best_placement(view, rng, values, None, prices, None)
    return best_placement(view, rng, values, PATTERN_POINTS[variant], prices, np.int64(view.diagonal_weight))


@jit
def plan(view: Any, rng: Any, params: Any, candidates: Any) -> Any:
    """Return the best of the most promising placements when the best reply to each next roll is looked at."""
    variant, _ = table_for(view)
    side, played = Word(view.side) - Word(3), Word(view.round_number)
    now, then = LINE_VALUES[variant, side, played], LINE_VALUES[variant, side, played + ONE]
    known = PATTERN_POINTS[variant]
    prices, next_prices = shape_prices(view, params, played), shape_prices(view, params, played + ONE)
    moves, promise = np.empty(2 * MAX_PAIRS, np.uint64), np.empty(2 * MAX_PAIRS, np.int64)
    replies = np.empty(SYMBOLS * SYMBOLS, np.int64)
    count = list_moves(view, moves)
    for index in range(count):
        place(view, moves[index])
        promise[index] = sheet_value(view, now, known) + shape_value(Word(view.empty), prices)
        take_back(view, moves[index])
    best, best_move = np.int64(-(1 << 60)), moves[0]
    for _ in range(min(count, candidates)):
        chosen = promise[:count].argmax()
        promise[chosen] = -(1 << 60)
        place(view, moves[chosen])
        if all_pairs(Word(view.empty)):
            value = 36 * sheet_value(view, then, known) + best_replies(view, then, known, next_prices, replies)
        else:
            value = 36 * FINE * total(view)
        take_back(view, moves[chosen])
        if value > best:
            best, best_move = value, moves[chosen]
    return best_move


@strategy(
    GAME,
    parameters=[Parameter("weight", 1.0, 0, 5, "how much a point of the next round counts")],
    tags=["greedy", "look-ahead"],
)
def lookahead(view: Any, rng: Any, params: Any) -> Any:
    """Gain now, plus the expected gain of the best reply to the next roll.

    For every placement it looks at all 21 rolls that can follow (doubles 1/36, others 2/36) and takes the largest
    gain of each. So it prefers placements that set something up and still leave room to take it. Beyond the next
    round it is as blind as greedy.
    """
    moves, value = np.empty(2 * MAX_PAIRS, np.uint64), np.empty(2 * MAX_PAIRS, np.float64)
    replies = np.empty(SYMBOLS * SYMBOLS, np.int64)
    count = list_moves(view, moves)
    for index in range(count):
        move = moves[index]
        value[index] = 36.0 * gain(view, move)
        if view.round_number < view.rounds:
            place(view, move)
            value[index] += params[0] * best_replies(view, None, None, None, replies)
            take_back(view, move)
    return best_of(moves, value, count, rng)


SHAPE_PARAMETERS = [
    Parameter("lonely", 2.56, 0, 20, "points that a lonely space costs"),
    Parameter("dead_end", 0.38, 0, 20, "points that a space with one empty neighbour costs, less and less to the end"),
    Parameter("room", 0.23, 0, 20, "points for each pair of neighbouring spaces left"),
]


@strategy(GAME, parameters=SHAPE_PARAMETERS, tags=["potential", "strong", "fast"])
def line_solver(view: Any, rng: Any, params: Any) -> Any:
    """Value each line by its own solved solitaire, and the empty shape.

    What a line will be worth depends on its symbols and on the rounds left. Taken alone it is a small game against
    chance, solved exactly when the module is imported (see `line_values`): symbols come by, some fit, some are forced
    upon it. A placement is worth what it adds to three such values, less the price of lonely spaces and dead ends. It
    does not see that two lines may want different symbols in the space they share. Tables are solved for both
    variants; for other points it adds what they give more on the sheet as it stands.
    """
    return place_by_values(view, rng, params)


@strategy(
    GAME,
    parameters=[
        *SHAPE_PARAMETERS,
        Parameter("from_round", 9, 1, 12, "the round from which on it looks ahead; from 1 on is strongest and slow"),
        Parameter("candidates", 4, 1, 80, "placements that are looked at more closely"),
    ],
    tags=["look-ahead", "potential", "strong"],
)
def planner(view: Any, rng: Any, params: Any) -> Any:
    """Line-solver that looks one roll ahead with its best few placements.

    The few placements that line-solver likes best are compared by the best answer to each of the 21 next rolls,
    valued with its tables one round on. That sees what the tables of single lines cannot: two uses for one space, and
    the last pair of neighbouring spaces. It costs time, so by default it starts when the sheet gets narrow.
    """
    if view.round_number >= view.rounds or view.round_number < params[3]:
        return place_by_values(view, rng, params)
    return plan(view, rng, params, np.int64(params[4]))


# --- Restrictions ----------------------------------------------------------------------------------------------------


@restriction(GAME)
def lonely_spaces(view: Any, move: Any, params: Any) -> Any:
    """Leave an empty space without an empty neighbour."""
    return lonely(view, move) > 0


@restriction(GAME)
def vertical(view: Any, move: Any, params: Any) -> Any:
    """Enter one symbol below the other."""
    return is_vertical(move)


@restriction(GAME)
def corners(view: Any, move: Any, params: Any) -> Any:
    """Fill a corner of the sheet."""
    last = Word(view.side) - ONE
    top = ONE | (ONE << last)
    corner_cells = top | (top << (Word(SIDE) * last))
    return ((ONE << first_cell(move)) | (ONE << second_cell(move))) & corner_cells != NONE


@restriction(GAME)
def apart(view: Any, move: Any, params: Any) -> Any:
    """Touch no filled space (without such moves the sheet grows in one piece)."""
    cells = (ONE << first_cell(move)) | (ONE << second_cell(move))
    return neighbours(cells) & Word(view.grid & ~view.empty) == NONE
