"""Players of CrossWise, from the zero point of every comparison to the strongest made by hand.

All rate a play by what it does to the two to four lines that it touches. They differ in what a line is worth to them:
its points as it stands, or what it may still become; and in whether the other team's lines count.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below
from sims.crosswise import (
    ADDED,
    CELLS,
    COLUMN_OF,
    COUNTS,
    FULL_BOARD,
    LINES,
    MAX_COPIES,
    MAX_PLAYS,
    MOVE,
    MOVING,
    PLACING,
    REMOVE,
    REMOVED,
    REMOVING,
    REPLACE,
    REPLACING,
    ROW_OF,
    ROWS_TEAM,
    SIDE,
    SWAP,
    SWAPPING,
    SYMBOLS,
    CrossWiseRules,
    cell_of,
    gain,
    held,
    list_moves,
    make_move,
    next_symbol,
    other_cell_of,
    play_of,
    random_move,
    sixes,
    symbol_of,
    symbols_held,
)
from sims.jit import jit
from sims.table import known
from strategies.api import Parameter, restriction, strategy

GAME = "crosswise"

PANEL = ("line-table", "potential", "difference-greedy", "own-greedy", "spoiler")
"""Who stands for the game in reports, the strongest first; `wedel` is left out for the bias that its caveat names."""

NONE = Word(0)
LEAST = -(1 << 16)  # below all points of a play
ORDER_BITS = 42  # for the order among equals: stone, symbol that replaces, cells
STONE_SHIFT, SYMBOL_SHIFT, CELL_SHIFT = 27, 12, 6
# By line state: the stones in it, five equal ones (whether or not there is a sixth stone), and five with an empty cell.
SIZES = COUNTS.sum(axis=1).astype(np.int64)
HAS_FIVE = (COUNTS == SIDE - 1).any(axis=1)
IS_THREAT = HAS_FIVE & (SIZES == SIDE - 1)
CERTAIN = 1e6  # above all that lines can be worth
ONLY_SYMBOLS = Word((1 << 4 * SYMBOLS) - 1)
FIRST_COLUMN = Word(sum(1 << SIDE * row for row in range(SIDE)))
BYTE = Word(255)
ROW_SHIFT = np.array([8 * (cell // SIDE % SIDE) for cell in range(64)], np.uint64)
COLUMN_SHIFT = np.array([8 * (cell % SIDE) for cell in range(64)], np.uint64)

# --- Expected points -------------------------------------------------------------------------------------------------

MOST_LEFT = SYMBOLS * MAX_COPIES  # symbol stones that can be off the board
STEPS = SIDE + 1  # numbers of stones that a line can have of a symbol, and of cells that can be empty
EXPECTED_SIZE = (MAX_COPIES + 1) * (MOST_LEFT + 1) * STEPS * STEPS


def expected_points(rules: CrossWiseRules) -> NDArray[np.float64]:
    """Return what the stones of one symbol in a line will score, when the line is filled with random stones.

    The stones that fill the empty cells of a line are drawn from those that are not on the board, without replacement:
    the number of the symbol among them is hypergeometric. Six different stones are left out.

    Returns
    -------
    array of float64
        Of shape (11, 61, 7, 7, 2) in one row, by stones of the symbol off the board, symbol stones off the board,
        stones in the line, and empty cells: expected points, and beside them the chance of six (then without points,
        when six win; 0 when they do not).
    """
    return _expected_points(rules.group_points, rules.sudden_win)


@functools.cache
def _expected_points(group_points: tuple[int, ...], sudden_win: bool) -> NDArray[np.float64]:
    points = np.array([0, 0, *group_points[:-1], 0 if sudden_win else group_points[-1]], float)
    own, total, empty, more = np.ogrid[: MAX_COPIES + 1, : MOST_LEFT + 1, :STEPS, :STEPS]
    chances = np.nan_to_num(stats.hypergeom.pmf(more, total, own, np.minimum(empty, total)))
    chances[0, 0, :, 0] = 1  # nothing is left to draw, which the library does not count as a case
    expected = np.zeros((2, MAX_COPIES + 1, MOST_LEFT + 1, STEPS, STEPS))
    for have in range(STEPS):
        for drawn in range(STEPS - have):
            expected[0, :, :, have] += chances[..., drawn] * points[have + drawn]
        if sudden_win:
            expected[1, :, :, have] = chances[..., SIDE - have]
    return np.ascontiguousarray(np.moveaxis(expected, 0, -1).reshape(-1))


@jit
def worth_at(table: Any, at: Any, six: Any) -> Any:
    """Return an entry of `expected_points`, with six of a kind at their price."""
    return table[2 * at] + six * table[2 * at + 1]


# --- Fitted worths ---------------------------------------------------------------------------------------------------

PATTERN_WORTHS: dict[tuple[int, ...], float] = {
    (): 0.0,
    (1,): 1.2,
    (2,): 3.4,
    (1, 1): -1.4,
    (3,): 6.6,
    (2, 1): 0.2,
    (1, 1, 1): -4.2,
    (4,): 10.5,
    (3, 1): 3.8,
    (2, 2): 0.6,
    (2, 1, 1): -4.4,
    (1, 1, 1, 1): -6.7,
    (5,): 15.2,
    (4, 1): 8.6,
    (3, 2): 5.8,
    (3, 1, 1): -0.6,
    (2, 2, 1): -4.5,
    (2, 1, 1, 1): -9.8,
    (1, 1, 1, 1, 1): -7.5,
    (6,): 2.9,
    (5, 1): 20.1,
    (4, 2): 9.5,
    (4, 1, 1): 4.4,
    (3, 3): 7.3,
    (3, 2, 1): -1.5,
    (3, 1, 1, 1): -6.9,
    (2, 2, 2): -2.0,
    (2, 2, 1, 1): -11.6,
    (2, 1, 1, 1, 1): -16.3,
    (1, 1, 1, 1, 1, 1): 1.1,
}
REMOVE_WORTH, MOVE_WORTH, SWAP_WORTH, REPLACE_WORTH, LATE = 4.6, 12.7, 37.2, 15.4, 4.0


def state_worths() -> NDArray[np.float64]:
    """Return the fitted worth of every line state, shape (924,)."""
    patterns = [tuple(sorted((int(count) for count in state if count), reverse=True)) for state in COUNTS[:, 1:]]
    return np.array([PATTERN_WORTHS.get(pattern, 0.0) for pattern in patterns])


STATE_WORTHS = state_worths()

# --- Shared parts ----------------------------------------------------------------------------------------------------


# The best plays are collected group by group: all plays that differ in one cell only, as bits. Of equal groups one is
# kept at random, in proportion to its size, and of its cells one is drawn at the end. A player that draws nothing has
# an order among equals instead, as small numbers below the points: symbol stones before actions, stones that it has
# more of, symbols that are rarer on the board, lower kinds, and then the cells in order.


@jit
def cell_order(cell: Any, by_columns: Any) -> Any:
    """Return the place of a cell in reading order: along the rows, or along the columns."""
    return (cell % Word(SIDE)) * Word(SIDE) + cell // Word(SIDE) if by_columns else Word(cell)


@jit
def first_cell(cells: Any, by_columns: Any) -> Any:
    """Return the first of some cells in reading order."""
    if not by_columns:
        return lowest_bit(cells)
    column = FIRST_COLUMN
    while not cells & column:
        column <<= ONE
    return lowest_bit(cells & column)


@jit
def on_board(view: Any, symbol: Any) -> Any:
    """Return how many stones of a symbol lie on the board."""
    count = NONE
    for row in range(SIDE):
        count += Word(COUNTS[view.lines[row], symbol])
    return count


@jit
def rank_of_stone(view: Any, kind: Any) -> Any:
    """Return the rank, below 2^15, of a stone of the hand among equal plays (a signed number)."""
    order = (held(view.hand, kind) << Word(10)) | (Word(15) - Word(kind))
    if kind <= Word(SYMBOLS):
        order |= (ONE << Word(14)) | ((Word(63) - on_board(view, kind)) << Word(4))
    return np.int64(order)


@jit
def keeps_group(value: Any, cells: Any, best: Any, ties: Any, rng: Any) -> Any:
    """Return whether a group of equal plays is to be kept instead of the best so far, and how many are as good.

    Without a stream the first group is kept.
    """
    size = bit_count(cells)
    if value > best:
        return True, size
    if rng is None:
        return False, ties
    ties += size
    return below(rng, ties) < size, ties


@jit
def by_line(table: Any, lines: Any, first: Any, symbol: Any, weight: Any) -> Any:
    """Return weight · table[state, symbol] + 128 for six lines, a byte each, from line `first` on."""
    word = NONE
    for line in range(SIDE):
        value = weight * np.int64(table[lines[first + line], symbol]) + 128
        word |= Word(value) << Word(8 * line)
    return word


@jit
def most_of(gains: Any) -> Any:
    """Return the greatest of the six values that `by_line` packs (a signed number)."""
    most = NONE
    for line in range(SIDE):
        most = max(most, (gains >> Word(8 * line)) & BYTE)
    return np.int64(most) - 128


@jit
def best_by_points(view: Any, rng: Any, hand: Any, rows: Any, columns: Any, by_columns: Any) -> Any:
    """Return the play with the highest `rows` · points of rows + `columns` · points of columns.

    Stones of `hand` are played. The weights are −1, 0 or 1. With a stream, ties are broken at random; with None for it,
    by the order of equals, with cells in the order that `by_columns` names.
    """
    lines, cells, filled = view.lines, view.cells, Word(view.filled)
    empty = FULL_BOARD & ~filled
    best, ties, kept, kept_cells = np.int64(LEAST) << ORDER_BITS, NONE, NONE, NONE
    order = np.int64(0)
    symbols = symbols_held(hand)
    replaces = held(hand, REPLACE) > NONE
    if rng is None:
        replace_order = rank_of_stone(view, REPLACE) << STONE_SHIFT
    while symbols:
        symbol = next_symbol(symbols)
        symbols &= symbols - ONE
        row_gains = by_line(view.gain_added, lines, 0, symbol, rows)
        column_gains = by_line(view.gain_added, lines, SIDE, symbol, columns)
        left, most, found = empty, np.int64(LEAST), NONE
        while left:
            cell = lowest_bit(left)
            bit = left & (~left + ONE)
            left ^= bit
            value = ((row_gains >> ROW_SHIFT[cell]) & BYTE) + ((column_gains >> COLUMN_SHIFT[cell]) & BYTE)
            if np.int64(value) > most:
                most, found = np.int64(value), bit
            elif np.int64(value) == most:
                found |= bit
        if rng is None:
            order = rank_of_stone(view, symbol) << STONE_SHIFT
        most = ((most - 256) << ORDER_BITS) + order
        if found and most >= best:
            keep, ties = keeps_group(most, found, best, ties, rng)
            best = most
            if keep:
                kept, kept_cells = make_move(PLACING, symbol, 0, 0), found
        left, most, found = filled if replaces else NONE, np.int64(LEAST), NONE
        while left:
            cell = lowest_bit(left)
            bit = left & (~left + ONE)
            left ^= bit
            old = Word(cells[cell])
            change = rows * np.int64(view.gain_replaced[lines[ROW_OF[cell]], old, symbol]) + columns * np.int64(
                view.gain_replaced[lines[COLUMN_OF[cell]], old, symbol]
            )
            if change > most:
                most, found = change, bit
            elif change == most:
                found |= bit
        if rng is None:
            order = replace_order + (rank_of_stone(view, symbol) << SYMBOL_SHIFT)
        most = (most << ORDER_BITS) + order
        if found and most >= best:
            keep, ties = keeps_group(most, found, best, ties, rng)
            best = most
            if keep:
                kept, kept_cells = make_move(REPLACING, symbol, 0, 0), found
    removes, shifts, swaps = held(hand, REMOVE), held(hand, MOVE), held(hand, SWAP)
    if rng is None:
        remove_order = rank_of_stone(view, REMOVE) << STONE_SHIFT
        move_order = rank_of_stone(view, MOVE) << STONE_SHIFT
        swap_order = rank_of_stone(view, SWAP) << STONE_SHIFT
    sources = filled if removes | shifts | swaps else NONE
    while sources:
        cell = lowest_bit(sources)
        sources &= sources - ONE
        old = Word(cells[cell])
        row, column = ROW_OF[cell], COLUMN_OF[cell]
        row_loss = rows * np.int64(view.gain_removed[lines[row], old])
        column_loss = columns * np.int64(view.gain_removed[lines[column], old])
        place = cell_order(cell, by_columns)
        if removes:
            if rng is None:
                order = remove_order - (np.int64(place) << CELL_SHIFT)
            most = ((row_loss + column_loss) << ORDER_BITS) + order
            if most >= best:
                keep, ties = keeps_group(most, ONE, best, ties, rng)
                best = most
                if keep:
                    kept, kept_cells = make_move(REMOVING, 0, 0, 0), ONE << cell
        if shifts:
            row_gains = by_line(view.gain_added, lines, 0, old, rows)
            column_gains = by_line(view.gain_added, lines, SIDE, old, columns)
            most, found = np.int64(LEAST), NONE
            by_row, by_column = row_loss + most_of(row_gains), column_loss + most_of(column_gains)
            # A stone that stays in its row (or column) changes nothing there.
            could_be = max(by_row + by_column, by_row, by_column)
            left = empty if could_be >= best >> ORDER_BITS else NONE
            while left:
                other = lowest_bit(left)
                bit = left & (~left + ONE)
                left ^= bit
                change = np.int64(0)
                if ROW_OF[other] != row:
                    change += row_loss + np.int64((row_gains >> ROW_SHIFT[other]) & BYTE) - 128
                if COLUMN_OF[other] != column:
                    change += column_loss + np.int64((column_gains >> COLUMN_SHIFT[other]) & BYTE) - 128
                if change > most:
                    most, found = change, bit
                elif change == most:
                    found |= bit
            if rng is None:
                order = move_order - (np.int64(place) << CELL_SHIFT)
            most = (most << ORDER_BITS) + order
            if found and most >= best:
                keep, ties = keeps_group(most, found, best, ties, rng)
                best = most
                if keep:
                    kept, kept_cells = make_move(MOVING, 0, cell, 0), found
        if swaps:
            row_change, column_change = view.gain_replaced[lines[row]], view.gain_replaced[lines[column]]
            left, most, found = sources, np.int64(LEAST) << ORDER_BITS, NONE
            while left:
                other = lowest_bit(left)
                bit = left & (~left + ONE)
                left ^= bit
                new = Word(cells[other])
                change = np.int64(0)
                if new != old:
                    if ROW_OF[other] != row:
                        back = np.int64(view.gain_replaced[lines[ROW_OF[other]], new, old])
                        change += rows * (np.int64(row_change[old, new]) + back)
                    if COLUMN_OF[other] != column:
                        back = np.int64(view.gain_replaced[lines[COLUMN_OF[other]], new, old])
                        change += columns * (np.int64(column_change[old, new]) + back)
                change <<= ORDER_BITS
                if rng is None:
                    second = cell_order(other, by_columns)
                    pair = (min(place, second) << Word(CELL_SHIFT)) + max(place, second)
                    change += swap_order - np.int64(pair)
                if change > most:
                    most, found = change, bit
                elif change == most:
                    found |= bit
            if found and most >= best:
                keep, ties = keeps_group(most, found, best, ties, rng)
                best = most
                if keep:
                    kept, kept_cells = make_move(SWAPPING, 0, cell, 0), found
    if rng is None:
        cell = first_cell(kept_cells, by_columns)
    else:
        cell = select_bit(kept_cells, below(rng, bit_count(kept_cells)))
    play = play_of(kept)
    return kept | (cell if play == Word(MOVING) or play == Word(SWAPPING) else cell << Word(6))


@jit
def weights(view: Any, own: Any, other: Any) -> Any:
    """Return the weights of rows and of columns from those of the own and the other team."""
    if view.team == ROWS_TEAM:
        return np.int64(own), np.int64(other)
    return np.int64(other), np.int64(own)


@jit
def lines_after(view: Any, move: Any, team: Any) -> Any:
    """Return the two lines of a team that a play touches (one twice when it is one only) and their states after it."""
    play, symbol, cell, other = play_of(move), symbol_of(move), cell_of(move), other_cell_of(move)
    at = ROW_OF if team == ROWS_TEAM else COLUMN_OF
    line = at[cell]
    state = view.lines[line]
    if play == Word(PLACING):
        state = ADDED[state, symbol]
        return line, state, line, state
    old = Word(view.cells[cell])
    if play == Word(REPLACING):
        state = ADDED[REMOVED[state, old], symbol]
        return line, state, line, state
    if play == Word(REMOVING):
        state = REMOVED[state, old]
        return line, state, line, state
    second = at[other]
    if second == line:
        return line, state, line, state
    new = Word(view.cells[other])  # 0 for a move: nothing comes back
    return line, ADDED[REMOVED[state, old], new], second, ADDED[REMOVED[view.lines[second], new], old]


@jit
def threats(view: Any, team: Any) -> Any:
    """Return how many lines of a team lack one stone to six of a kind, with the cell for it empty (a signed number)."""
    count = np.int64(0)
    for line in range(SIDE):
        count += IS_THREAT[view.lines[SIDE * np.int64(team) + line]]
    return count


@jit
def threats_after(view: Any, move: Any, team: Any) -> Any:
    """Return how many such lines there are after a play."""
    first, state, second, other_state = lines_after(view, move, team)
    count = threats(view, team) - IS_THREAT[view.lines[first]] + IS_THREAT[state]
    if second != first:
        count += np.int64(IS_THREAT[other_state]) - np.int64(IS_THREAT[view.lines[second]])
    return count


@jit
def fives(view: Any, team: Any) -> Any:
    """Whether a team has a line with five equal stones."""
    count = np.int64(0)
    for line in range(SIDE):
        count += HAS_FIVE[view.lines[SIDE * np.int64(team) + line]]
    return count > 0


@jit
def order_of_play(view: Any, move: Any, by_columns: Any) -> Any:
    """Return a play's place in the order of equals: the higher the earlier (a signed number)."""
    play, first = play_of(move), cell_order(cell_of(move), by_columns)
    stone = symbol_of(move) if play == Word(PLACING) else play + Word(SYMBOLS)
    order = rank_of_stone(view, stone) << STONE_SHIFT
    if play == Word(REPLACING):
        order += rank_of_stone(view, symbol_of(move)) << SYMBOL_SHIFT
    second = first
    if play == Word(MOVING) or play == Word(SWAPPING):
        second = cell_order(other_cell_of(move), by_columns)
        if play == Word(SWAPPING):
            first, second = min(first, second), max(first, second)
    return order - (np.int64(first) << CELL_SHIFT) - np.int64(second)


@jit
def urgency(view: Any, move: Any) -> Any:
    """Return what a play is worth beyond its lines: it may win or lose at once."""
    made = sixes(view, move)
    if made == NONE:
        return 0.0
    return CERTAIN if made & (ONE << Word(view.team)) else -CERTAIN


@jit
def weigh(value: Any, most: Any, ties: Any, rng: Any) -> Any:
    """Return whether a play is to be kept instead of the best so far, and how many are as good: ties at random."""
    if value > most:
        return True, 1
    ties += 1
    return below(rng, Word(ties)) == NONE, ties


@jit
def best_by_lines(view: Any, rng: Any, comes: Any, goes: Any, changes: Any, prices: Any) -> Any:
    """Return the play that raises the worth of lines most, ties at random.

    Parameters
    ----------
    comes, goes
        What a symbol adds to a line's worth to the seat when it comes to an empty cell, or leaves its cell empty: shape
        (12, 7), by line and symbol.
    changes
        What it adds that a symbol goes and another comes in its place: shape (12, 7, 7); read only with a swap or a
        replace stone in hand.
    prices
        What the four action stones are worth while they are kept.
    """
    urgent = view.sudden_win and (fives(view, 0) or fives(view, 1))
    cells, hand, filled = view.cells, Word(view.hand), Word(view.filled)
    empty = FULL_BOARD & ~filled
    best, most, ties = NONE, -2 * CERTAIN, 0
    symbols = symbols_held(hand)
    while symbols:
        symbol = next_symbol(symbols)
        symbols &= symbols - ONE
        left = empty
        while left:
            cell = lowest_bit(left)
            left &= left - ONE
            value = comes[ROW_OF[cell], symbol] + comes[COLUMN_OF[cell], symbol]
            move = make_move(PLACING, symbol, cell, 0)
            if urgent:
                value += urgency(view, move)
            if value >= most:
                keep, ties = weigh(value, most, ties, rng)
                if keep:
                    best, most = move, value
        left = filled if held(hand, REPLACE) else NONE
        while left:
            cell = lowest_bit(left)
            left &= left - ONE
            old = cells[cell]
            value = changes[ROW_OF[cell], old, symbol] + changes[COLUMN_OF[cell], old, symbol] - prices[3]
            move = make_move(REPLACING, symbol, cell, 0)
            if urgent:
                value += urgency(view, move)
            if value >= most:
                keep, ties = weigh(value, most, ties, rng)
                if keep:
                    best, most = move, value
    removes, shifts, swaps = held(hand, REMOVE), held(hand, MOVE), held(hand, SWAP)
    sources = filled if removes | shifts | swaps else NONE
    while sources:
        cell = lowest_bit(sources)
        sources &= sources - ONE
        old, row, column = cells[cell], ROW_OF[cell], COLUMN_OF[cell]
        if removes:
            value = goes[row, old] + goes[column, old] - prices[0]
            move = make_move(REMOVING, 0, cell, 0)
            if urgent:
                value += urgency(view, move)
            if value >= most:
                keep, ties = weigh(value, most, ties, rng)
                if keep:
                    best, most = move, value
        left = empty if shifts else NONE
        while left:
            other = lowest_bit(left)
            left &= left - ONE
            value = -prices[1]
            if ROW_OF[other] != row:
                value += goes[row, old] + comes[ROW_OF[other], old]
            if COLUMN_OF[other] != column:
                value += goes[column, old] + comes[COLUMN_OF[other], old]
            move = make_move(MOVING, 0, cell, other)
            if urgent:
                value += urgency(view, move)
            if value >= most:
                keep, ties = weigh(value, most, ties, rng)
                if keep:
                    best, most = move, value
        left = sources if swaps else NONE
        while left:
            other = lowest_bit(left)
            left &= left - ONE
            new, value = cells[other], -prices[2]
            if ROW_OF[other] != row:
                value += changes[row, old, new] + changes[ROW_OF[other], new, old]
            if COLUMN_OF[other] != column:
                value += changes[column, old, new] + changes[COLUMN_OF[other], new, old]
            move = make_move(SWAPPING, 0, cell, other)
            if urgent:
                value += urgency(view, move)
            if value >= most:
                keep, ties = weigh(value, most, ties, rng)
                if keep:
                    best, most = move, value
    return best


@jit
def needs_changes(view: Any) -> Any:
    """Whether the seat could play a swap or a replace stone."""
    return held(view.hand, SWAP) | held(view.hand, REPLACE) != NONE


@jit
def is_own(view: Any, line: Any) -> Any:
    """Whether a line is one of the seat's own team."""
    return (line < SIDE) == (view.team == ROWS_TEAM)


@jit
def threat_of(state: Any, own: Any, price: Any) -> Any:
    """Return what a line of this state costs the seat: `price` where the others lack one stone to six of a kind."""
    return price if IS_THREAT[state] and not own else 0.0


@jit
def worth_of_state(state: Any, own: Any, threat: Any) -> Any:
    """Return the fitted worth of a line to the seat, less what a threat in it costs."""
    return STATE_WORTHS[state] if own else -STATE_WORTHS[state] - threat_of(state, own, threat)


# --- Players ---------------------------------------------------------------------------------------------------------


@strategy(GAME, tags=["baseline"])
def uniform(view: Any, rng: Any, params: Any) -> Any:
    """Make any distinct play, each equally likely: the zero point."""
    return random_move(view, rng)


@strategy(GAME, tags=["weak"])
def blunder(view: Any, rng: Any, params: Any) -> Any:
    """Help the other team: the control that has to lose."""
    rows, columns = weights(view, -1, 1)
    return best_by_points(view, rng, Word(view.hand), rows, columns, False)


@strategy(GAME, tags=["greedy", "fast"])
def own_greedy(view: Any, rng: Any, params: Any) -> Any:
    """Take the most points for the own lines now, ties at random.

    It does not see that every stone also counts for the other team.
    """
    rows, columns = weights(view, 1, 0)
    return best_by_points(view, rng, Word(view.hand), rows, columns, False)


@strategy(GAME, tags=["greedy", "fast"])
def difference_greedy(view: Any, rng: Any, params: Any) -> Any:
    """Take the largest gain over the other team now, ties at random.

    It spends its action stones on the first point that they bring, and sees no danger before it is there.
    """
    rows, columns = weights(view, 1, -1)
    return best_by_points(view, rng, Word(view.hand), rows, columns, False)


@strategy(
    GAME,
    parameters=[Parameter("mirror", 0, 0, 1, "1: the columns team reads the board along its own lines")],
    tags=["published"],
    caveat="its ties go to the topmost, then the leftmost cell, so that a difference between rows and columns is an "
    "artefact of that order unless mirror=1",
)
def wedel(view: Any, rng: Any, params: Any) -> Any:
    """Complete a six, else stop one, else the largest difference; no dice.

    A published player without chance. It completes six of its own, with an action stone if need be. Else it prevents
    six of a kind that the others could complete by placing one stone, whatever they hold. Else it takes the largest
    gain over the other team (but does not complete a six for it). Among equals: a symbol stone before an action, the
    stone that it has most of, the rarest on the board, the lowest symbol, the topmost and then leftmost cell. That
    reading order follows the rows, and is an artefact: it favours the columns team, unless that team reads along its
    own lines (`mirror=1`).
    """
    rows, columns = weights(view, 1, -1)
    by_columns = params[0] > 0.5 and view.team != ROWS_TEAM
    own, other = np.int64(view.team), 1 - np.int64(view.team)
    if not view.sudden_win or not (fives(view, own) or fives(view, other)):
        return best_by_points(view, None, Word(view.hand), rows, columns, by_columns)
    stops = threats(view, other) > 0
    moves = np.empty(MAX_PLAYS, np.uint64)
    count = list_moves(view, moves)
    best, most = NONE, (np.int64(-2), np.int64(0), np.int64(0))
    for index in range(count):
        move = moves[index]
        made = sixes(view, move)
        wins, loses = made & (ONE << Word(own)) != NONE, made & (ONE << Word(other)) != NONE
        urgency = np.int64(2) if wins else np.int64(-1) if loses else np.int64(0)
        if stops and urgency == 0 and threats_after(view, move, other) == 0:
            urgency = np.int64(1)
        key = (urgency, np.int64(0) if wins else gain(view, move), order_of_play(view, move, by_columns))
        if key > most:
            best, most = move, key
    return best


@strategy(GAME, tags=["greedy"])
def spoiler(view: Any, rng: Any, params: Any) -> Any:
    """Take the most points from the other team now, ties at random.

    It keeps games low. What its own lines become is left to chance.
    """
    rows, columns = weights(view, 0, -1)
    return best_by_points(view, rng, Word(view.hand), rows, columns, False)


@strategy(
    GAME,
    parameters=[Parameter("late", 4, 0, 36, "empty cells from which on it plays action stones")],
    tags=["greedy"],
)
def hoarder(view: Any, rng: Any, params: Any) -> Any:
    """Difference-greedy that keeps its action stones for the end.

    Late in the game there is more on the board to swap, move and replace, and the others cannot answer any more.
    """
    rows, columns = weights(view, 1, -1)
    hand = Word(view.hand)
    empty = Word(CELLS) - bit_count(view.filled)
    if symbols_held(hand) != NONE and empty > Word(params[0]):
        hand &= ONLY_SYMBOLS
    return best_by_points(view, rng, hand, rows, columns, False)


@strategy(
    GAME,
    parameters=[
        Parameter("six", 21, 0, 200, "points that six of a kind are worth"),
        Parameter("threat", 26, 0, 500, "points that a line of the others one stone short of six costs"),
        Parameter("price", 6, -5, 40, "points that an action stone is worth while it is kept"),
        Parameter("late", 15, 1, 36, "empty cells from which on that price falls to nothing"),
        Parameter("other", 0.8, 0, 3, "how much a point of the other team counts"),
    ],
    tags=["potential", "strong"],
    knowledge=expected_points,
)
def potential(view: Any, rng: Any, params: Any) -> Any:
    """Value lines by what they would score, filled with random stones.

    What a line is expected to score follows from its stones, its empty cells, and the symbols that are not on the board
    yet (hypergeometric, for the group points in force; six different stones are not foreseen). Others do not place at
    random, so it sees danger late. Action stones have a price, because they are worth more toward the end.
    """
    table = known(params, 2 * EXPECTED_SIZE)
    six, threat = params[0], params[1] if view.sudden_win else 0.0
    by_symbol = np.zeros((2, LINES, SYMBOLS + 1))
    comes, goes = by_symbol[0], by_symbol[1]
    takes, alters = held(view.hand, REMOVE) | held(view.hand, MOVE) != NONE, needs_changes(view)
    changes = np.zeros((LINES if alters else 0, SYMBOLS + 1, SYMBOLS + 1))
    left, total = NONE, np.int64(0)  # symbol stones off the board, a byte for each symbol, and in all
    for symbol in range(1, SYMBOLS + 1):
        off_board = Word(view.copies) - on_board(view, symbol)
        left |= off_board << Word(8 * symbol)
        total += np.int64(off_board)
    for line in range(LINES):
        state, own = view.lines[line], is_own(view, line)
        sign = 1.0 if own else -params[4]
        empty = SIDE - np.int64(SIZES[state])
        if empty == 0 and not (takes or alters):
            continue  # nothing can happen to it
        now, fuller, emptier = 0.0, 0.0, 0.0
        for symbol in range(1, SYMBOLS + 1):
            have = np.int64(COUNTS[state, symbol])
            at = (
                (np.int64((left >> Word(8 * symbol)) & BYTE) * (MOST_LEFT + 1) + total) * STEPS + have
            ) * STEPS + empty
            now += worth_at(table, at, six)
            if empty > 0:
                with_fuller = worth_at(table, at - 1, six)
                fuller += with_fuller
                comes[line, symbol] = worth_at(table, at - 1 + STEPS, six) - with_fuller
            if takes and empty < SIDE:
                with_emptier = worth_at(table, at + 1, six)
                emptier += with_emptier
                if have > 0:
                    goes[line, symbol] = worth_at(table, at + 1 - STEPS, six) - with_emptier
        danger = threat_of(state, own, threat)
        for symbol in range(1, SYMBOLS + 1):
            comes[line, symbol] = sign * (comes[line, symbol] + fuller - now)
            comes[line, symbol] += danger - threat_of(ADDED[state, symbol], own, threat)
            goes[line, symbol] = sign * (goes[line, symbol] + emptier - now)
            goes[line, symbol] += danger - threat_of(REMOVED[state, symbol], own, threat)
        if alters:
            for old in range(1, SYMBOLS + 1):
                if COUNTS[state, old] == 0:
                    continue
                at = (
                    (np.int64((left >> Word(8 * old)) & BYTE) * (MOST_LEFT + 1) + total) * STEPS
                    + np.int64(COUNTS[state, old])
                ) * STEPS + empty
                lost = worth_at(table, at - STEPS, six) - worth_at(table, at, six)
                for new in range(1, SYMBOLS + 1):
                    have = np.int64(COUNTS[state, new])
                    if new != old:
                        at = (
                            (np.int64((left >> Word(8 * new)) & BYTE) * (MOST_LEFT + 1) + total) * STEPS + have
                        ) * STEPS + empty
                        won = worth_at(table, at + STEPS, six) - worth_at(table, at, six)
                        after = threat_of(ADDED[REMOVED[state, old], new], own, threat)
                        changes[line, old, new] = sign * (lost + won) + danger - after
    price = params[2] * min(float(Word(CELLS) - bit_count(view.filled)) / params[3], 1.0)
    return best_by_lines(view, rng, comes, goes, changes, (price, price, price, price))


@strategy(
    GAME,
    parameters=[
        Parameter("threat", 10, 0, 100, "what a line of the others one stone short of six costs"),
        Parameter("late", LATE, 1, 36, "empty cells from which on the prices of action stones fall to nothing"),
    ],
    tags=["strong"],
)
def line_table(view: Any, rng: Any, params: Any) -> Any:
    """Value lines by a table fitted by self-play.

    A line counts by its pattern alone: which groups it has and how many stones, 30 in all, whatever the symbols. The
    worths, in hundredths of a game, and those of the four action stones were found by evolution (CMA-ES) on the deals
    of seeds 1000 and up, against `wedel` and its own earlier forms. They say what a player learns by losing: single
    stones spoil a line, many different ones most of all, and swap and replace stones win at the end.
    """
    threat = params[0] if view.sudden_win else 0.0
    by_symbol = np.zeros((2, LINES, SYMBOLS + 1))
    comes, goes = by_symbol[0], by_symbol[1]
    takes, alters = held(view.hand, REMOVE) | held(view.hand, MOVE) != NONE, needs_changes(view)
    changes = np.zeros((LINES if alters else 0, SYMBOLS + 1, SYMBOLS + 1))
    for line in range(LINES):
        state, own = view.lines[line], is_own(view, line)
        now = worth_of_state(state, own, threat)
        for symbol in range(1, SYMBOLS + 1):
            if SIZES[state] < SIDE:
                comes[line, symbol] = worth_of_state(ADDED[state, symbol], own, threat) - now
            if (takes or alters) and COUNTS[state, symbol] > 0:
                without = REMOVED[state, symbol]
                goes[line, symbol] = worth_of_state(without, own, threat) - now
                for new in range(1, SYMBOLS + 1) if alters else range(1, 1):
                    changes[line, symbol, new] = worth_of_state(ADDED[without, new], own, threat) - now
    share = min(float(Word(CELLS) - bit_count(view.filled)) / params[1], 1.0)
    prices = (share * REMOVE_WORTH, share * MOVE_WORTH, share * SWAP_WORTH, share * REPLACE_WORTH)
    return best_by_lines(view, rng, comes, goes, changes, prices)


# --- Restrictions ----------------------------------------------------------------------------------------------------


@restriction(GAME)
def actions(view: Any, move: Any, params: Any) -> Any:
    """Play an action stone."""
    return play_of(move) != Word(PLACING)


@restriction(GAME)
def removes(view: Any, move: Any, params: Any) -> Any:
    """Remove a stone."""
    return play_of(move) == Word(REMOVING)


@restriction(GAME)
def moves(view: Any, move: Any, params: Any) -> Any:
    """Move a stone."""
    return play_of(move) == Word(MOVING)


@restriction(GAME)
def swaps(view: Any, move: Any, params: Any) -> Any:
    """Swap two stones."""
    return play_of(move) == Word(SWAPPING)


@restriction(GAME)
def replaces(view: Any, move: Any, params: Any) -> Any:
    """Replace a stone."""
    return play_of(move) == Word(REPLACING)
