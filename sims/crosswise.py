"""CrossWise: two teams, one board, hidden hands and action stones.

The board has 6×6 spaces. One team scores the six rows, the other the six columns, so every stone counts for both. There
are six symbols, seven stones each, and three stones of each of four actions, all mixed in a bag. In turn a seat puts a
symbol stone on an empty space, or plays an action stone: remove a stone into the hand, move one, swap two, or replace
one by a symbol stone from the hand. Then it refills its hand. Six equal stones in a line win at once for the team whose
line it is. Otherwise the game ends when the board is full, and each line scores its groups of equal stones: 1 point for
two, 3 for three, 5 for four, 7 for five, and 6 for six different ones. The higher total wins. With three seats one
plays alone, and after each of the others. Source: the CrossWise rulebook.

How it is held: a cell is 6·row + column. Of a line only the number of stones of each symbol matters: it is one of 924
states, and tables say which state follows and what it scores. A hand is a word with four bits for each kind of stone.
Kinds are numbered 1 to 6 for the symbols and 7 to 10 for remove, move, swap and replace.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from sims import chance
from sims.asking import make_asking, make_thinking, new_scratch, start_streams
from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below, deal_key, start_stream
from sims.elements import EARNED, USED, Board, ElementFacts, Kind, Tallies
from sims.game import (
    RANK,
    SCORE,
    STANDARD_COLUMNS,
    WIN,
    WIN_UNIT,
    Column,
    Flag,
    Game,
    Rules,
    Whole,
    Wholes,
    option,
    register,
)
from sims.jit import jit

# --- Facts -----------------------------------------------------------------------------------------------------------

SIDE = 6
CELLS = SIDE * SIDE
SYMBOLS = 6
ACTIONS = 4
KINDS = SYMBOLS + ACTIONS
REMOVE, MOVE, SWAP, REPLACE = range(SYMBOLS + 1, KINDS + 1)  # kinds of stones
STONE_NAMES = ("", "1", "2", "3", "4", "5", "6", "remove", "move", "swap", "replace")
PLAY_NAMES = ("place", "remove", "move", "swap", "replace")
PLACING, REMOVING, MOVING, SWAPPING, REPLACING = range(5)  # kinds of plays
LINES = 2 * SIDE
ROWS_TEAM, COLUMNS_TEAM = 0, 1
MAX_SEATS = 4
MAX_COPIES = 10
MAX_ACTIONS = 10  # of each kind
MAX_HAND = 10
MAX_STONES = SYMBOLS * MAX_COPIES + ACTIONS * MAX_ACTIONS
# Every stone of the bag is played once at most, a removed one twice; between two plays fewer seats pass than there are
# turns in a round.
MAX_TURNS = (CELLS + (ACTIONS + 1) * MAX_ACTIONS) * MAX_SEATS + MAX_SEATS
MAX_PLAYS = SYMBOLS * CELLS + CELLS + CELLS * CELLS // 4 + CELLS * (CELLS - 1) // 2 + SYMBOLS * CELLS
END_REASONS = ("six", "full", "passes")
RUNNING, BY_SIX, BY_FULL, BY_PASSES = range(4)  # END_REASONS from 1 on

BAG = chance.GAME  # purpose of chance

ILLEGAL = Word(0xFFFF_FFFF_FFFF_FFFF)
PASSED = 0xFFFF_FFFF  # in a log: no play was possible
FULL_BOARD = Word((1 << CELLS) - 1)
NIBBLE = Word(15)
SYMBOL_BITS = Word(0x0000_1111_11)  # the lowest bit of each symbol's count in a hand
# A move is play << 16 | symbol << 12 | cell << 6 | other cell; what a play does not need is 0.
PLAY_SHIFT, SYMBOL_SHIFT, CELL_SHIFT, CELL_MASK = Word(16), Word(12), Word(6), Word(63)

ROW_OF = np.array([cell // SIDE for cell in range(64)], np.uint64)
COLUMN_OF = np.array([SIDE + cell % SIDE for cell in range(64)], np.uint64)


def _states() -> tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the counts of every line state, and the state after a symbol is added or removed.

    Shapes (924, 7) each, by symbol; symbol 0 changes nothing, and what cannot be is state 0.
    """
    vectors = [counts for counts in product(range(SIDE + 1), repeat=SYMBOLS) if sum(counts) <= SIDE]
    numbers = {counts: number for number, counts in enumerate(vectors)}
    counts = np.zeros((len(vectors), SYMBOLS + 1), np.uint8)
    added, removed = np.zeros(counts.shape, np.uint16), np.zeros(counts.shape, np.uint16)
    for number, vector in enumerate(vectors):
        counts[number, 1:] = vector
        added[number, 0] = removed[number, 0] = number
        for symbol in range(SYMBOLS):
            more = (*vector[:symbol], vector[symbol] + 1, *vector[symbol + 1 :])
            fewer = (*vector[:symbol], vector[symbol] - 1, *vector[symbol + 1 :])
            added[number, symbol + 1] = numbers.get(more, 0)
            removed[number, symbol + 1] = numbers.get(fewer, 0)
    return counts, added, removed


COUNTS, ADDED, REMOVED = _states()
STATES = len(COUNTS)
IS_SIX = (COUNTS == SIDE).any(axis=1)
# Two stones of a swap, by the number of the unordered pair among the filled cells.
PAIR_HIGH = np.array([high for high in range(CELLS) for _ in range(high)], np.uint64)
PAIR_LOW = np.array([low for high in range(CELLS) for low in range(high)], np.uint64)

# Columns of the outcome, after score, rank and win.
TEAM, FIRST_LINE, END, TURNS, PLACED, PASSES = 3, 4, 10, 11, 12, 17
COLUMNS = (
    Column("team", "0: rows, 1: columns"),
    *(Column(f"line_{line + 1}", f"points of the team's line {line + 1}") for line in range(SIDE)),
    Column("end", "why the game ended: 0 six of a kind, 1 the board was full, 2 nobody could play"),
    Column("turns", "turns of the game, all seats together, passes among them"),
    Column("placed", "symbol stones that the seat placed"),
    Column("removes", "stones that it removed"),
    Column("moves", "stones that it moved"),
    Column("swaps", "swaps that it made"),
    Column("replaces", "stones that it replaced"),
    Column("passes", "turns in which it could not play"),
)


# --- Rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CrossWiseRules(Rules):
    """The options of CrossWise; the defaults are the rulebook's game."""

    sudden_win: bool = option(True, Flag(), "whether six equal stones in a line win at once")
    group_points: tuple[int, ...] = option(
        (1, 3, 5, 7, 7), Wholes(5, -20, 20), "points of a group of 2, 3, 4, 5, 6 equal stones in a line"
    )
    six_different_points: int = option(6, Whole(-20, 20), "points of a line of six different stones")
    copies: int = option(7, Whole(2, MAX_COPIES), "stones of each symbol")
    action_stones: int = option(3, Whole(0, MAX_ACTIONS), "stones of each action")
    hand: int = option(4, Whole(1, 8), "stones that a seat holds")
    lone_hand: int = option(6, Whole(1, MAX_HAND), "stones that the lone seat of three holds")


VARIANTS: dict[str, dict[str, Any]] = {
    "basic": {},
    "no-sudden-win": {"sudden_win": False},
    "no-actions": {"action_stones": 0},
}


def state_points(rules: CrossWiseRules) -> NDArray[np.int8]:
    """Return the points of every line state, shape (924,)."""
    by_size = np.array([0, 0, *rules.group_points])
    points = by_size[COUNTS[:, 1:]].sum(axis=1)
    points[(COUNTS[:, 1:] == 1).all(axis=1)] = rules.six_different_points
    return np.asarray(points, np.int8)


# --- Records ---------------------------------------------------------------------------------------------------------

VIEW = np.dtype(
    [
        ("filled", np.uint64),  # bit c: there is a stone on cell c
        ("hand", np.uint64),  # the seat's own stones: four bits for each kind, kind 1 lowest
        ("cells", np.uint8, (CELLS,)),  # the symbol on every cell, 0 for an empty one
        ("lines", np.uint16, (LINES,)),  # state of every line: the rows, then the columns
        ("seat", np.uint8),
        ("team", np.uint8),  # 0: the seat scores rows, 1: columns
        ("turn", np.uint16),  # from 1
        ("bag", np.uint8),  # stones left in it
        ("hand_sizes", np.uint8, (MAX_SEATS,)),  # stones in every hand
        ("played", np.uint8, (ACTIONS,)),  # action stones that were played: remove, move, swap, replace
        ("ended", np.uint8),
        ("winner", np.uint8),  # the team that six of a kind made win
        ("seats", np.uint8),
        ("ahead", np.uint8),  # 1 in the view to think ahead in
        ("copies", np.uint8),  # the rules in force: stones of each symbol and of each action
        ("action_stones", np.uint8),
        ("sudden_win", np.uint8),
        ("hand_limits", np.uint8, (MAX_SEATS,)),
        ("points", np.int8, (STATES,)),  # of a line, by its state
        ("gain_added", np.int8, (STATES, SYMBOLS + 1)),  # points that a line gains by one more symbol
        ("gain_removed", np.int8, (STATES, SYMBOLS + 1)),
        (
            "gain_replaced",
            np.int8,
            (STATES, SYMBOLS + 1, SYMBOLS + 1),
        ),  # by what goes and comes
    ],
    align=True,
)

LOG = np.dtype(
    [
        ("key", np.uint64),  # of the deal: the bag is drawn again to tell the game
        ("turns", np.uint16),
        ("moves", np.uint32, (MAX_TURNS,)),
    ],
    align=True,
)

PARAMETERS = types.Array(types.float64, 1, "C", aligned=False)  # as Numba types an array inside a record
CHOOSE = types.uint64(from_dtype(VIEW), from_dtype(chance.STREAM), PARAMETERS)
VALUE = types.float64(from_dtype(VIEW), types.uint64, PARAMETERS)
FORBID = types.int64(from_dtype(VIEW), types.uint64, PARAMETERS)


def hand_limits(rules: CrossWiseRules, seats: int) -> list[int]:
    """Return how many stones each seat holds."""
    return [rules.lone_hand if seats == 3 and seat == 1 else rules.hand for seat in range(seats)]


def new_views(rules: CrossWiseRules, seats: int) -> Any:
    """Return two views, shape (2,), with the rules filled in: one for the table and one to think ahead in."""
    views = np.zeros(2, VIEW).view(np.recarray)
    points = state_points(rules)
    after_removal = points[REMOVED]
    for view in views:
        view.seats, view.copies, view.action_stones = seats, rules.copies, rules.action_stones
        view.sudden_win = rules.sudden_win
        view.hand_limits[:seats] = hand_limits(rules, seats)
        view.points[:] = points
        view.gain_added[:] = points[ADDED] - points[:, None]
        view.gain_removed[:] = after_removal - points[:, None]
        view.gain_replaced[:] = points[ADDED[REMOVED]] - points[:, None, None]
    views[1].ahead = 1
    return views


# --- Small rule functions (words are 64 bits wide) -------------------------------------------------------------------


@jit
def play_of(move: Any) -> Any:
    """Return the kind of a play: 0 place, 1 remove, 2 move, 3 swap, 4 replace."""
    return Word(move) >> PLAY_SHIFT


@jit
def symbol_of(move: Any) -> Any:
    """Return the symbol, 1 to 6, that leaves the hand (place, replace), else 0."""
    return (Word(move) >> SYMBOL_SHIFT) & NIBBLE


@jit
def cell_of(move: Any) -> Any:
    """Return the cell that is played on; of a move the one that is left, of a swap the lower one."""
    return (Word(move) >> CELL_SHIFT) & CELL_MASK


@jit
def other_cell_of(move: Any) -> Any:
    """Return the cell that a stone is moved to, or the higher one of a swap."""
    return Word(move) & CELL_MASK


@jit
def make_move(play: Any, symbol: Any, cell: Any, other: Any) -> Any:
    """Return a play as a move."""
    return Word(play) << PLAY_SHIFT | Word(symbol) << SYMBOL_SHIFT | Word(cell) << CELL_SHIFT | Word(other)


@jit
def held(hand: Any, kind: Any) -> Any:
    """Return how many stones of a kind, 1 to 10, a hand holds."""
    return (Word(hand) >> ((Word(kind) - ONE) << Word(2))) & NIBBLE


@jit
def one_of(kind: Any) -> Any:
    """Return one stone of a kind, as it is added to a hand."""
    return ONE << ((Word(kind) - ONE) << Word(2))


@jit
def symbols_held(hand: Any) -> Any:
    """Return the symbols of a hand as bits: 4·(symbol − 1) is set when there is one."""
    hand = Word(hand)
    return (hand | (hand >> ONE) | (hand >> Word(2)) | (hand >> Word(3))) & SYMBOL_BITS


@jit
def next_symbol(symbols: Any) -> Any:
    """Return the lowest symbol, 1 to 6, of the bits that `symbols_held` gives."""
    return (lowest_bit(symbols) >> Word(2)) + ONE


@jit
def is_filled(view: Any, cell: Any) -> Any:
    """Whether there is a stone on a cell of the board (other numbers are none)."""
    return (Word(view.filled) >> Word(cell)) & ONE == ONE


@jit
def is_empty(view: Any, cell: Any) -> Any:
    """Whether a cell of the board is empty."""
    return Word(cell) < Word(CELLS) and not is_filled(view, cell)


@jit
def is_legal(view: Any, move: Any) -> Any:
    """Whether the seat holds the stones for a play, and the cells are as it needs them."""
    move = Word(move)
    play, symbol, cell, other = play_of(move), symbol_of(move), cell_of(move), other_cell_of(move)
    hand = Word(view.hand)
    if play == Word(PLACING) or play == Word(REPLACING):
        if other != Word(0) or symbol < ONE or symbol > Word(SYMBOLS) or held(hand, symbol) == Word(0):
            return False
        if play == Word(PLACING):
            return is_empty(view, cell)
        return held(hand, REPLACE) > Word(0) and is_filled(view, cell)
    if symbol != Word(0) or not is_filled(view, cell):
        return False
    if play == Word(REMOVING):
        return other == Word(0) and held(hand, REMOVE) > Word(0)
    if play == Word(MOVING):
        return held(hand, MOVE) > Word(0) and is_empty(view, other)
    return play == Word(SWAPPING) and held(hand, SWAP) > Word(0) and cell < other and is_filled(view, other)


@jit
def can_play(view: Any) -> Any:
    """Whether the seat has any legal play."""
    hand, filled = Word(view.hand), bit_count(view.filled)
    symbols = symbols_held(hand) != Word(0)
    if symbols and filled < Word(CELLS):
        return True
    if filled == Word(0):
        return False
    if held(hand, REMOVE) > Word(0) or (symbols and held(hand, REPLACE) > Word(0)):
        return True
    if held(hand, MOVE) > Word(0) and filled < Word(CELLS):
        return True
    return held(hand, SWAP) > Word(0) and filled > ONE


@jit
def count_plays(view: Any) -> Any:
    """Return how many distinct legal plays there are, a word for each kind of play."""
    hand = Word(view.hand)
    filled = bit_count(view.filled)
    empty = Word(CELLS) - filled
    symbols = bit_count(symbols_held(hand))
    none = Word(0)
    return (
        symbols * empty,
        filled if held(hand, REMOVE) else none,
        filled * empty if held(hand, MOVE) else none,
        (filled * (filled - ONE)) >> ONE if held(hand, SWAP) and filled else none,
        symbols * filled if held(hand, REPLACE) else none,
    )


@jit
def list_moves(view: Any, moves: Any) -> Any:
    """Write the distinct legal plays to `moves`, shape (1422,); return how many there are (a signed number)."""
    hand, filled = Word(view.hand), Word(view.filled)
    empty = FULL_BOARD & ~filled
    count = 0
    symbols = symbols_held(hand)
    replaces = held(hand, REPLACE) > Word(0)
    while symbols:
        symbol = next_symbol(symbols)
        symbols &= symbols - ONE
        left = empty
        while left:
            moves[count] = make_move(PLACING, symbol, lowest_bit(left), 0)
            left &= left - ONE
            count += 1
        left = filled if replaces else Word(0)
        while left:
            moves[count] = make_move(REPLACING, symbol, lowest_bit(left), 0)
            left &= left - ONE
            count += 1
    removes, shifts, swaps = held(hand, REMOVE), held(hand, MOVE), held(hand, SWAP)
    left = filled if removes | shifts | swaps else Word(0)
    while left:
        cell = lowest_bit(left)
        left &= left - ONE
        if removes:
            moves[count] = make_move(REMOVING, 0, cell, 0)
            count += 1
        others = empty if shifts else Word(0)
        while others:
            moves[count] = make_move(MOVING, 0, cell, lowest_bit(others))
            others &= others - ONE
            count += 1
        others = left if swaps else Word(0)
        while others:
            moves[count] = make_move(SWAPPING, 0, cell, lowest_bit(others))
            others &= others - ONE
            count += 1
    return count


@jit
def nth_symbol(hand: Any, k: Any) -> Any:
    """Return the k-th symbol, from 0, of those that a hand holds."""
    return (select_bit(symbols_held(hand), k) >> Word(2)) + ONE


@jit
def random_move(view: Any, rng: Any) -> Any:
    """Return a legal play, each distinct one equally likely; there has to be one."""
    hand, filled = Word(view.hand), Word(view.filled)
    empty = FULL_BOARD & ~filled
    stones, spaces = bit_count(filled), bit_count(empty)
    places, removes, shifts, swaps, replaces = count_plays(view)
    pick = below(rng, places + removes + shifts + swaps + replaces)
    if pick < places:
        return make_move(PLACING, nth_symbol(hand, pick // spaces), select_bit(empty, pick % spaces), 0)
    pick -= places
    if pick < removes:
        return make_move(REMOVING, 0, select_bit(filled, pick), 0)
    pick -= removes
    if pick < shifts:
        return make_move(MOVING, 0, select_bit(filled, pick // spaces), select_bit(empty, pick % spaces))
    pick -= shifts
    if pick < swaps:
        return make_move(SWAPPING, 0, select_bit(filled, PAIR_LOW[pick]), select_bit(filled, PAIR_HIGH[pick]))
    pick -= swaps
    return make_move(REPLACING, nth_symbol(hand, pick // stones), select_bit(filled, pick % stones), 0)


@jit
def gains(view: Any, move: Any) -> Any:
    """Return the points (signed numbers) that a play brings to the rows and to the columns."""
    play, symbol, cell, other = play_of(move), symbol_of(move), cell_of(move), other_cell_of(move)
    lines = view.lines
    row, column = lines[ROW_OF[cell]], lines[COLUMN_OF[cell]]
    if play == Word(PLACING):
        return np.int64(view.gain_added[row, symbol]), np.int64(view.gain_added[column, symbol])
    old = Word(view.cells[cell])
    if play == Word(REMOVING):
        return np.int64(view.gain_removed[row, old]), np.int64(view.gain_removed[column, old])
    if play == Word(REPLACING):
        return np.int64(view.gain_replaced[row, old, symbol]), np.int64(view.gain_replaced[column, old, symbol])
    rows, columns = np.int64(0), np.int64(0)
    other_row, other_column = lines[ROW_OF[other]], lines[COLUMN_OF[other]]
    if play == Word(MOVING):
        if ROW_OF[cell] != ROW_OF[other]:
            rows = np.int64(view.gain_removed[row, old]) + np.int64(view.gain_added[other_row, old])
        if COLUMN_OF[cell] != COLUMN_OF[other]:
            columns = np.int64(view.gain_removed[column, old]) + np.int64(view.gain_added[other_column, old])
        return rows, columns
    new = Word(view.cells[other])
    if ROW_OF[cell] != ROW_OF[other]:
        rows = np.int64(view.gain_replaced[row, old, new]) + np.int64(view.gain_replaced[other_row, new, old])
    if COLUMN_OF[cell] != COLUMN_OF[other]:
        columns = np.int64(view.gain_replaced[column, old, new]) + np.int64(view.gain_replaced[other_column, new, old])
    return rows, columns


@jit
def own_gain(view: Any, move: Any) -> Any:
    """Return the points (a signed number) that a play brings to the seat's own team."""
    rows, columns = gains(view, move)
    return rows if view.team == ROWS_TEAM else columns


@jit
def gain(view: Any, move: Any) -> Any:
    """Return by how many points (a signed number) a play brings the seat's team ahead of the other one."""
    rows, columns = gains(view, move)
    return rows - columns if view.team == ROWS_TEAM else columns - rows


@jit
def sixes(view: Any, move: Any) -> Any:
    """Return the teams, bit 0 rows and bit 1 columns, for which a play completes six equal stones in a line."""
    play, symbol, cell, other = play_of(move), symbol_of(move), cell_of(move), other_cell_of(move)
    if play == Word(REMOVING):
        return Word(0)
    five = np.uint8(SIDE - 1)
    at = cell
    if play == Word(MOVING) or play == Word(SWAPPING):
        at, symbol = other, Word(view.cells[cell])
    row, column = ROW_OF[at], COLUMN_OF[at]
    made = Word(0)
    # A stone that comes from the same line does not change what the line holds.
    same_row = play >= Word(MOVING) and play <= Word(SWAPPING) and ROW_OF[cell] == row
    same_column = play >= Word(MOVING) and play <= Word(SWAPPING) and COLUMN_OF[cell] == column
    if not same_row and COUNTS[view.lines[row], symbol] == five and Word(view.cells[at]) != symbol:
        made |= ONE
    if not same_column and COUNTS[view.lines[column], symbol] == five and Word(view.cells[at]) != symbol:
        made |= Word(2)
    if play == Word(SWAPPING):
        back = Word(view.cells[other])
        if back != symbol:
            if not same_row and COUNTS[view.lines[ROW_OF[cell]], back] == five:
                made |= ONE
            if not same_column and COUNTS[view.lines[COLUMN_OF[cell]], back] == five:
                made |= Word(2)
    return made


@jit
def unseen(view: Any, kind: Any) -> Any:
    """Return how many stones of a kind, 1 to 10, the seat cannot see (a signed number): in the bag and other hands."""
    own = np.int64(held(view.hand, kind))
    if kind > SYMBOLS:
        return np.int64(view.action_stones) - np.int64(view.played[np.int64(kind) - SYMBOLS - 1]) - own
    on_board = np.int64(0)
    for row in range(SIDE):
        on_board += np.int64(COUNTS[view.lines[row], kind])
    return np.int64(view.copies) - on_board - own


@jit
def team_points(view: Any, team: Any) -> Any:
    """Return the points (a signed number) of a team's lines as they stand."""
    points = np.int64(0)
    for line in range(SIDE):
        points += np.int64(view.points[view.lines[SIDE * np.int64(team) + line]])
    return points


# --- The play kernel -------------------------------------------------------------------------------------------------

# What nobody may see is no part of a view: the hands (a word a seat), the bag (kinds, those that were drawn first), and
# how many stones were drawn and are in it in all.


@jit
def new_hidden() -> Any:
    """Return room for hands, bag and the two numbers."""
    return np.zeros(MAX_SEATS, np.uint64), np.zeros(MAX_STONES, np.uint8), np.zeros(2, np.int64)


@jit
def fill_bag(view: Any, hidden: Any) -> None:
    """Put all stones into the bag."""
    _, bag, numbers = hidden
    total = 0
    for kind in range(1, KINDS + 1):
        for _ in range(view.copies if kind <= SYMBOLS else view.action_stones):
            bag[total] = kind
            total += 1
    numbers[0], numbers[1] = 0, total


@jit
def draw(hidden: Any, draws: Any) -> Any:
    """Draw a stone, each in the bag equally likely; return its kind."""
    _, bag, numbers = hidden
    first = numbers[0]
    place = first + np.int64(below(draws, Word(numbers[1] - first)))
    kind = bag[place]
    bag[place] = bag[first]
    bag[first] = kind
    numbers[0] = first + 1
    return Word(kind)


@jit
def symbols_in_bag(hidden: Any) -> Any:
    """Whether there is a symbol stone left in the bag."""
    _, bag, numbers = hidden
    symbols = np.int64(0)
    for place in range(numbers[0], numbers[1]):
        symbols += bag[place] <= SYMBOLS
    return symbols > 0


@jit
def refill(view: Any, seat: Any, hidden: Any, draws: Any) -> None:
    """Draw until the seat's hand is full or the bag is empty."""
    hands, _, numbers = hidden
    while view.hand_sizes[seat] < view.hand_limits[seat] and numbers[0] < numbers[1]:
        hands[seat] += one_of(draw(hidden, draws))
        view.hand_sizes[seat] += 1
    view.bag = numbers[1] - numbers[0]


@jit
def first_hand(view: Any, seat: Any, hidden: Any, draws: Any) -> Any:
    """Draw a seat's first hand; return whether it has to be put back: it is all actions, and there are symbols left."""
    hands, _, _ = hidden
    hands[seat] = 0
    view.hand_sizes[seat] = 0
    refill(view, seat, hidden, draws)
    return view.hand_sizes[seat] > 0 and not symbols_held(hands[seat]) and symbols_in_bag(hidden)


@jit
def put_back(view: Any, seat: Any, hidden: Any) -> None:
    """Put the stones that a seat has just drawn back into the bag."""
    numbers = hidden[2]
    numbers[0] -= np.int64(view.hand_sizes[seat])


@jit
def set_up(view: Any, hidden: Any, draws: Any) -> None:
    """Clear the board, and deal the first hands."""
    view.filled = Word(0)
    view.cells[:] = 0
    view.lines[:] = 0
    view.played[:] = 0
    view.turn = 0
    view.ended = RUNNING
    view.winner = 0
    fill_bag(view, hidden)
    for seat in range(view.seats):
        while first_hand(view, seat, hidden, draws):
            put_back(view, seat, hidden)


@jit
def seat_in_turn(seats: Any, turn: Any) -> Any:
    """Return who plays in a turn, from 1: in seat order; of three seats, seat 1 after each of the others."""
    place = np.int64(turn) - 1
    if seats == 3:
        return 1 if place % 2 else place % 4
    return place % np.int64(seats)


@jit
def begin_turn(view: Any, hands: Any) -> Any:
    """Let the view be that of the seat in turn; return the seat."""
    view.turn += 1
    seat = seat_in_turn(view.seats, view.turn)
    view.seat = seat
    view.team = seat % 2
    view.hand = hands[seat]
    return seat


@jit
def put(view: Any, cell: Any, symbol: Any) -> None:
    """Put a symbol on an empty cell."""
    view.cells[cell] = symbol
    view.filled = Word(view.filled) | (ONE << cell)
    row, column = ROW_OF[cell], COLUMN_OF[cell]
    view.lines[row] = ADDED[view.lines[row], symbol]
    view.lines[column] = ADDED[view.lines[column], symbol]


@jit
def take(view: Any, cell: Any) -> Any:
    """Take the stone from a cell; return its symbol."""
    symbol = Word(view.cells[cell])
    view.cells[cell] = 0
    view.filled = Word(view.filled) & ~(ONE << cell)
    row, column = ROW_OF[cell], COLUMN_OF[cell]
    view.lines[row] = REMOVED[view.lines[row], symbol]
    view.lines[column] = REMOVED[view.lines[column], symbol]
    return symbol


@jit
def carry_out(view: Any, move: Any) -> None:
    """Make a play on the view's board and in its hand."""
    play, symbol, cell, other = play_of(move), symbol_of(move), cell_of(move), other_cell_of(move)
    hand = Word(view.hand)
    spent: Any = np.int64(1)
    if play == Word(PLACING):
        put(view, cell, symbol)
        hand -= one_of(symbol)
    else:
        view.played[play - ONE] += 1
        hand -= one_of(play + Word(SYMBOLS))
        taken = take(view, cell)
        if play == Word(REMOVING):
            hand += one_of(taken)
            spent = 0
        elif play == Word(MOVING):
            put(view, other, taken)
        elif play == Word(SWAPPING):
            back = take(view, other)
            put(view, cell, back)
            put(view, other, taken)
        else:
            put(view, cell, symbol)
            hand += one_of(taken)
            hand -= one_of(symbol)
    view.hand = hand
    view.hand_sizes[view.seat] -= spent


@jit
def finish_turn(view: Any, made: Any) -> None:
    """See whether the game has ended: `made` are the teams for which the play completed six of a kind."""
    if made and view.sudden_win:
        view.ended = BY_SIX
        view.winner = COLUMNS_TEAM if made & Word(2) else ROWS_TEAM
    elif view.filled == FULL_BOARD:
        view.ended = BY_FULL


ASKING = make_asking(CHOOSE, VALUE, FORBID, int(ILLEGAL), list_moves, is_legal)
call_choose, ask = ASKING.choose, ASKING.ask


@jit
def look_ahead(view: Any, ahead: Any) -> None:
    """Copy the position, without the rules' tables, to the view to think ahead in."""
    ahead.filled, ahead.hand, ahead.seat, ahead.team = view.filled, view.hand, view.seat, view.team
    ahead.turn, ahead.bag, ahead.ended, ahead.winner = view.turn, view.bag, view.ended, view.winner
    ahead.cells[:] = view.cells
    ahead.lines[:] = view.lines
    ahead.hand_sizes[:] = view.hand_sizes
    ahead.played[:] = view.played


@jit
def imagine_hidden(view: Any, hidden: Any, draws: Any) -> None:
    """Deal what the view's seat cannot see at random: other hands of the sizes that it sees, and the bag."""
    hands, bag, numbers = hidden
    total = 0
    for kind in range(1, KINDS + 1):
        for _ in range(unseen(view, kind)):
            bag[total] = kind
            total += 1
    numbers[0], numbers[1] = 0, total
    for seat in range(view.seats):
        if seat == view.seat:
            hands[seat] = view.hand
            continue
        hands[seat] = 0
        for _ in range(view.hand_sizes[seat]):
            hands[seat] += one_of(draw(hidden, draws))


@jit
def worth_of_end(view: Any, team: Any) -> Any:
    """Return what the end of a game is worth to a team: wins count 1, and its lead breaks ties."""
    lead = float(team_points(view, team) - team_points(view, 1 - np.int64(team)))
    if view.ended == BY_SIX:
        win = 1.0 if view.winner == team else 0.0
    else:
        win = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
    return win + lead / 10_000.0  # below half a win, whatever lines are worth


@jit
def play_out(views: Any, seat: Any, move: Any, rng: Any, noise: Any, scratch: Any, dice: Any, probe: Any) -> Any:
    """Make a play and let the seat's own strategy play for all seats, with hands and bag as they might be.

    Returns the win (1, ½ or 0) and a small part of the lead; NaN when a move was refused.
    """
    view, ahead = views[0], views[1]
    hidden = scratch[2]
    hands = hidden[0]
    look_ahead(view, ahead)
    imagine_hidden(view, hidden, dice)
    team = view.team
    answer = Word(move)
    passed = Word(0)
    while True:
        made = sixes(ahead, answer)
        carry_out(ahead, answer)
        hands[ahead.seat] = ahead.hand
        finish_turn(ahead, made)
        passed = Word(0)
        if ahead.ended:
            break
        refill(ahead, ahead.seat, hidden, dice)
        mover = begin_turn(ahead, hands)
        while not can_play(ahead):
            passed |= ONE << Word(mover)
            if bit_count(passed) == Word(ahead.seats):
                ahead.ended = BY_PASSES
                break
            mover = begin_turn(ahead, hands)
        if ahead.ended:
            break
        answer = Word(ask(ahead, seat, rng, noise, scratch, probe))
        if not is_legal(ahead, answer):
            return np.nan
    return worth_of_end(ahead, team)


think = make_thinking(ASKING, play_out)


@jit
def write_outcomes(view: Any, outcomes: Any) -> None:
    """Write what the lines are worth, and who has won, to the outcomes of one game, shape (seats, columns)."""
    rows, columns = team_points(view, ROWS_TEAM), team_points(view, COLUMNS_TEAM)
    for seat in range(view.seats):
        team = seat % 2
        own, other = (rows, columns) if team == ROWS_TEAM else (columns, rows)
        won = view.winner == team if view.ended == BY_SIX else own > other
        drawn = view.ended != BY_SIX and own == other
        outcome = outcomes[seat]
        outcome[SCORE] = own
        outcome[RANK] = 1 if won or drawn else 2
        outcome[WIN] = WIN_UNIT if won else WIN_UNIT // 2 if drawn else 0
        outcome[TEAM] = team
        for line in range(SIDE):
            outcome[FIRST_LINE + line] = view.points[view.lines[SIDE * team + line]]
        outcome[END] = view.ended - 1
        outcome[TURNS] = view.turn


@jit
def play(
    players: Any,
    views: Any,
    streams: Any,
    probe: Any,
    seed: Any,
    first_deal: Any,
    outcomes: Any,
    logs: Any,
) -> Any:
    """Play one game for each row of `outcomes`; return how many were finished before a move was refused."""
    view = views[0]
    seats, games = outcomes.shape[1], outcomes.shape[0]
    moves, worths = new_scratch(MAX_PLAYS)
    scratch, outer = (moves, worths, new_hidden()), new_scratch(MAX_PLAYS)
    hidden = new_hidden()
    hands = hidden[0]
    draws, playout_draws = streams[0, 2], streams[1, 2]
    logged = len(logs) > 0
    for game in range(games):
        key = deal_key(seed, first_deal + game)
        start_stream(draws, key, BAG, 0)
        start_streams(players, streams, key)
        set_up(view, hidden, draws)
        for seat in range(seats):
            for column in range(PLACED, PASSES + 1):
                outcomes[game, seat, column] = 0
        if logged:
            logs[game].key = key
        passed = Word(0)
        while not view.ended:
            seat = begin_turn(view, hands)
            if logged:
                logs[game].turns = view.turn
                logs[game].moves[view.turn - 1] = PASSED
            if not can_play(view):
                outcomes[game, seat, PASSES] += 1
                passed |= ONE << Word(seat)
                if bit_count(passed) == Word(seats):
                    view.ended = BY_PASSES
                continue
            passed = Word(0)
            player, rng, noise = players[seat], streams[seat, 0], streams[seat, 1]
            if player.plain:
                move = Word(call_choose(player.chooser, view, rng, player.params))
            elif player.rollouts:
                move = Word(think(views, player, rng, noise, scratch, outer, playout_draws, probe))
            else:
                move = Word(ask(view, player, rng, noise, scratch, probe))
            if not is_legal(view, move):
                probe.seat = seat
                probe.refused = move
                return game
            if logged:
                logs[game].moves[view.turn - 1] = move
            outcomes[game, seat, PLACED + np.int64(play_of(move))] += 1
            made = sixes(view, move)
            carry_out(view, move)
            hands[seat] = view.hand
            finish_turn(view, made)
            if not view.ended:
                refill(view, seat, hidden, draws)
        write_outcomes(view, outcomes[game])
    return games


# --- Describing ------------------------------------------------------------------------------------------------------

ROTATIONS = {2: ((0, 1), (1, 0)), 3: ((0, 1, 2), (1, 0, 1)), 4: ((0, 1, 2, 3), (1, 0, 3, 2))}
TEAM_NAMES = ("rows", "columns")


def rotate(rules: CrossWiseRules, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return who of a line-up sits where: as it stands, and with the teams' sides changed.

    Of three seats, seat 1 plays alone; with the sides changed, its player takes both seats of the other team, and the
    first of those plays alone.
    """
    return ROTATIONS[seats]


def sides(rules: CrossWiseRules, seats: int) -> tuple[str, ...]:
    """Return the team of every seat."""
    return tuple(TEAM_NAMES[seat % 2] for seat in range(seats))


def cell_name(cell: int) -> str:
    """Return a cell as people say it: row and column from 1."""
    return f"row {cell // SIDE + 1}, column {cell % SIDE + 1}"


def move_words(move: int) -> str:
    """Return a play in words."""
    symbol, cell, other = int(symbol_of(move)), int(cell_of(move)), int(other_cell_of(move))
    match int(play_of(move)):
        case 0:
            return f"place {symbol} on {cell_name(cell)}"
        case 1:
            return f"remove the stone on {cell_name(cell)}"
        case 2:
            return f"move the stone on {cell_name(cell)} to {cell_name(other)}"
        case 3:
            return f"swap the stones on {cell_name(cell)} and {cell_name(other)}"
        case _:
            return f"replace the stone on {cell_name(cell)} by {symbol}"


def describe_move(view: Any, move: int) -> str:
    """Return a move in words, or what is wrong with it."""
    known = 0 <= move < 5 << 16
    if not known or int(symbol_of(move)) > SYMBOLS or max(int(cell_of(move)), int(other_cell_of(move))) >= CELLS:
        return f"move {move}, which is no play"
    words = move_words(move)
    if is_legal(view, move):
        return words
    play, symbol, cell, other = (int(part(move)) for part in (play_of, symbol_of, cell_of, other_cell_of))
    needs = [symbol] if play == PLACING else [SYMBOLS + play, *([symbol] if play == REPLACING else [])]
    missing = [STONE_NAMES[kind] for kind in needs if kind == 0 or not held(view.hand, kind)]
    if missing:
        return f"{words}, without such a stone in hand"
    empties = [cell] if play == PLACING else [other] if play == MOVING else []
    stones = [cell, *([other] if play == SWAPPING else [])] if play != PLACING else []
    for place in empties:
        if is_filled(view, place):
            return f"{words}: {cell_name(place)} is not empty"
    for place in stones:
        if not is_filled(view, place):
            return f"{words}: {cell_name(place)} is empty"
    return f"{words}, which is written in another way (a swap names the lower cell first, what is not needed is 0)"


def hand_stones(hand: int) -> list[str]:
    """Return the stones of a hand by name, symbols first."""
    return [name for kind, name in enumerate(STONE_NAMES) if kind for _ in range(int(held(hand, kind)))]


def board_rows(cells: Any, row_points: Any, column_points: Any) -> list[str]:
    """Return a board as lines of text, with the points of its rows and columns."""
    rows = [
        " ".join(f"{int(cells[SIDE * row + column]) or '.':>2}" for column in range(SIDE)) + f"  {int(points):>3}"
        for row, points in enumerate(row_points)
    ]
    return [*rows, " ".join(f"{int(points):>2}" for points in column_points)]


def _board_of(view: Any) -> list[str]:
    points = [int(view.points[state]) for state in view.lines]
    return board_rows(view.cells, points[:SIDE], points[SIDE:])


def picture(view: Any) -> str:
    """Return what the seat to move sees, as text."""
    played = ", ".join(f"{STONE_NAMES[SYMBOLS + 1 + kind]} {int(view.played[kind])}" for kind in range(ACTIONS))
    hand = " ".join(hand_stones(view.hand))
    sizes = ", ".join(str(int(size)) for size in view.hand_sizes[: int(view.seats)])
    return "\n".join(
        [
            *_board_of(view),
            f"turn {view.turn}, seat {view.seat} ({TEAM_NAMES[int(view.team)]}), hand {hand}",
            f"stones in hands {sizes}, in the bag {view.bag}; played {played}",
        ]
    )


def _played_again(rules: CrossWiseRules, log: Any, seats: int) -> Iterator[tuple[Any, int, list[int], list[int]]]:
    """Play a logged game again: yield the view before each play, the play, and the stones that are then drawn.

    The first hands come first, as a play of −1 each: the stones that are drawn, and all of them again when they are put
    back. At the end comes the view with a play of −2.
    """
    view = new_views(rules, seats)[0]
    hidden, draws = new_hidden(), chance.new_streams(1)[0]
    hands, bag, numbers = hidden
    start_stream(draws, Word(log.key), BAG, 0)
    view.turn = 0
    fill_bag(view, hidden)
    for seat in range(seats):
        returned = True
        while returned:
            before = int(numbers[0])
            returned = bool(first_hand(view, seat, hidden, draws))
            drawn = [int(kind) for kind in bag[before : int(numbers[0])]]
            view.seat = seat
            yield view, -1, drawn, drawn if returned else []
            if returned:
                put_back(view, seat, hidden)
    for turn in range(int(log.turns)):
        seat = int(begin_turn(view, hands))
        move = int(log.moves[turn])
        if move == PASSED:
            yield view, PASSED, [], []
            continue
        before = view.copy()
        made = sixes(view, Word(move))
        carry_out(view, Word(move))
        hands[seat] = view.hand
        finish_turn(view, made)
        first = int(numbers[0])
        if not view.ended:
            refill(view, seat, hidden, draws)
        yield before, move, [int(kind) for kind in bag[first : int(numbers[0])]], []
    if not view.ended:
        view.ended = BY_PASSES
    yield view, -2, [], []


def events(rules: CrossWiseRules, log: Any, seats: int) -> list[dict[str, Any]]:
    """Return a logged game as the events of a trace, in the order in which they happened."""
    told: list[dict[str, Any]] = []

    def tell_stones(kind: str, seat: int, stones: list[int]) -> None:
        if stones:
            told.append({"type": kind, "seat": seat, "stones": [STONE_NAMES[stone] for stone in stones]})

    for view, move, drawn, returned in _played_again(rules, log, seats):
        seat = int(view.seat)
        if move == -2:
            end: dict[str, Any] = {"type": "end", "reason": END_REASONS[int(view.ended) - 1]}
            told.append(end | ({"team": int(view.winner)} if view.ended == BY_SIX else {}))
            continue
        if move >= 0:
            head = {"turn": int(view.turn), "seat": seat}
            told.append(_play_event(head, move))
        tell_stones("draw", seat, drawn)
        tell_stones("return", seat, returned)
    return told


def _play_event(head: dict[str, Any], move: int) -> dict[str, Any]:
    if move == PASSED:
        return {"type": "pass", **head}
    play, symbol = int(play_of(move)), str(int(symbol_of(move)))
    cell, other = (list(divmod(int(part(move)), SIDE)) for part in (cell_of, other_cell_of))
    event: dict[str, Any] = {"type": PLAY_NAMES[play], **head}
    if play == PLACING:
        return event | {"stone": symbol, "cell": cell}
    if play == REMOVING:
        return event | {"cell": cell}
    if play == MOVING:
        return event | {"from": cell, "to": other}
    if play == SWAPPING:
        return event | {"cells": [cell, other]}
    return event | {"cell": cell, "stone": symbol}


def standings(rules: CrossWiseRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the points of each seat's team after each turn of a logged game, shape (turns, seats)."""
    totals = np.zeros((int(log.turns), seats), np.int64)
    turn = 0
    for view, move, _, _ in _played_again(rules, log, seats):
        if move != -1 and turn:
            totals[turn - 1] = [int(team_points(view, seat % 2)) for seat in range(seats)]
        turn += move >= 0
    return totals


def choices(rules: CrossWiseRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the number of distinct plays at each turn of a logged game, shape (turns, seats); 0 for all others."""
    counts = np.zeros((int(log.turns), seats), np.int64)
    for view, move, _, _ in _played_again(rules, log, seats):
        if move >= 0:
            counts[view.turn - 1, view.seat] = sum(int(part) for part in count_plays(view))
    return counts


def results(rules: CrossWiseRules, log: Any, outcomes: NDArray[np.int16]) -> list[dict[str, Any]]:
    """Return the outcome of a logged game for a trace, one entry a seat."""
    told = []
    for seat, row in enumerate(outcomes.tolist()):
        values = dict(zip((column.name for column in STANDARD_COLUMNS + COLUMNS), row, strict=True))
        lines = [values.pop(f"line_{line + 1}") for line in range(SIDE)]
        end = END_REASONS[values.pop("end")]
        told.append({"seat": seat, **values, "win": values["win"] / WIN_UNIT, "lines": lines, "end": end})
    return told


def narrate(rules: CrossWiseRules, trace: dict[str, Any]) -> list[str]:
    """Return a trace as lines of text: every play, and the board at the end with its points."""
    cells = [0] * CELLS
    lines = []

    def at(cell: list[int]) -> int:
        return SIDE * cell[0] + cell[1]

    for event in trace["events"]:
        if event["type"] in ("draw", "return"):
            verb = "draws" if event["type"] == "draw" else "puts back"
            lines.append(f"  seat {event['seat']} {verb} {', '.join(event['stones'])}")
            continue
        if event["type"] == "end":
            team = f" by the {TEAM_NAMES[event['team']]} team" if "team" in event else ""
            reasons = {"six": "six of a kind", "full": "the full board", "passes": "passes"}
            lines.append(f"the game ends by {reasons[event['reason']]}{team}")
            continue
        play = event["type"]
        if play == "pass":
            lines.append(f"turn {event['turn']}: seat {event['seat']} cannot play")
            continue
        one = event.get("cell") or event.get("from") or event["cells"][0]
        two = event.get("to") or (event["cells"][1] if "cells" in event else [0, 0])
        symbol = int(event.get("stone", 0))
        move = int(make_move(PLAY_NAMES.index(play), symbol, at(one), at(two)))
        lines.append(f"turn {event['turn']}: seat {event['seat']}: {move_words(move)}")
        if play in ("place", "replace"):
            cells[at(one)] = symbol
        elif play == "remove":
            cells[at(one)] = 0
        else:
            cells[at(one)], cells[at(two)] = (0 if play == "move" else cells[at(two)]), cells[at(one)]
    by_team = {seat["team"]: seat["lines"] for seat in trace["outcome"]}
    lines += ["", *board_rows(cells, by_team[ROWS_TEAM], by_team[COLUMNS_TEAM]), ""]
    for seat, name in zip(trace["outcome"], trace["seats"], strict=True):
        team = TEAM_NAMES[seat["team"]]
        lines.append(f"seat {seat['seat']} ({team}), {name}: {seat['score']} points, rank {seat['rank']}")
    return lines


def score_range(rules: CrossWiseRules) -> tuple[int, int]:
    """Return a lower and an upper bound of a team's total."""
    points = state_points(rules)
    return SIDE * int(points.min()), SIDE * int(points.max())


def longest(rules: CrossWiseRules) -> int:
    """Return an upper bound of the decisions of a seat."""
    return CELLS + (ACTIONS + 1) * rules.action_stones


def moves_of(view: Any) -> list[int]:
    """Return the distinct legal plays of a position."""
    moves = np.empty(MAX_PLAYS, np.uint64)
    return [int(move) for move in moves[: list_moves(view, moves)]]


def relabel(view: Any, rng: np.random.Generator) -> Callable[[int], int]:
    """Exchange the symbols of a position at random."""
    names = [0, *(int(symbol) + 1 for symbol in rng.permutation(SYMBOLS)), REMOVE, MOVE, SWAP, REPLACE]
    view.hand = sum(int(held(view.hand, kind)) << 4 * (names[kind] - 1) for kind in range(1, KINDS + 1))
    view.cells[:] = [names[int(symbol)] for symbol in view.cells]
    for line in range(LINES):
        state = 0
        for place in range(SIDE):
            cell = SIDE * line + place if line < SIDE else SIDE * place + line - SIDE
            state = ADDED[state, view.cells[cell]]
        view.lines[line] = state
    return lambda move: int(make_move(play_of(move), names[int(symbol_of(move))], cell_of(move), other_cell_of(move)))


# --- Elements --------------------------------------------------------------------------------------------------------

SHARES = 60  # of a group's points among its cells: divisible by every size
HALVES = 2  # of a swap's points between its cells
PASSING = 5  # the place of a pass after the kinds of plays
GROUP_NAMES = ("pair", "three", "four", "five", "six", "six different")
SYMBOL_NAMES = tuple(f"symbol {symbol}" for symbol in range(1, SYMBOLS + 1))
FIRST_SYMBOL = PASSING + 1
FIRST_DRAW = FIRST_SYMBOL + SYMBOLS
FIRST_OWN_LINE = FIRST_DRAW + KINDS
FIRST_GROUP = FIRST_OWN_LINE + SIDE
FIRST_CELL = FIRST_GROUP + len(GROUP_NAMES)
FIRST_CELL_POINTS = FIRST_CELL + CELLS
FIRST_CELL_TURN = FIRST_CELL_POINTS + CELLS
ELEMENTS = FIRST_CELL_TURN + CELLS


def element_kinds(rules: CrossWiseRules, seats: int) -> tuple[Kind, ...]:
    """Return what is counted; `tally_boards` knows the same order."""
    board = Board(
        tuple(f"row {row + 1}" for row in range(SIDE)), tuple(f"column {column + 1}" for column in range(SIDE))
    )
    cells = tuple(board.name(cell) for cell in range(CELLS))
    ahead = "points ahead of the other team that it brought at once"
    return (
        Kind(
            "play",
            "Plays",
            "What is done in a turn: a symbol stone placed, an action stone played, or a pass (nothing was possible).",
            (*PLAY_NAMES, "pass"),
            count="turns in which the seat played so",
            count_unit="plays",
            value=ahead,
            value_unit="points",
        ),
        Kind(
            "symbol",
            "Symbols",
            "The six symbols. They are alike, so that differences between them are chance or a habit of the players.",
            SYMBOL_NAMES,
            count="stones of the symbol that the seat placed, or replaced another by",
            count_unit="stones",
            value=ahead,
            value_unit="points",
        ),
        Kind(
            "draw",
            "Stones drawn",
            "Stones that the bag gave a seat, its first hand included: chance decides, not the player.",
            (*SYMBOL_NAMES, *PLAY_NAMES[1:]),
            count="stones of this kind that the seat drew",
            count_unit="stones",
        ),
        Kind(
            "line",
            "Lines",
            "The six rows of the rows team, the six columns of the columns team.",
            tuple(f"line {line + 1}" for line in range(SIDE)),
            count="times that the line scored",
            count_unit="lines",
            value="points of the line",
            value_unit="points",
            of="side",
            adds_up=True,
        ),
        Kind(
            "group",
            "Groups",
            "Groups of equal stones in the team's lines by their size, and lines of six different ones.",
            GROUP_NAMES,
            count="groups of this size",
            count_unit="groups",
            value="their points",
            value_unit="points",
            of="side",
            adds_up=True,
        ),
        Kind(
            "cell",
            "Cells",
            "The spaces of the board, and what was put there: by placing, moving, swapping or replacing.",
            cells,
            count="stones that the seat put there",
            count_unit="stones",
            value=ahead + ", a swap's shared by its two spaces",
            value_unit="points",
            scale=HALVES,
            board=board,
        ),
        Kind(
            "cell-points",
            "What cells earn",
            "The spaces of the board at the end; the points of a group are shared evenly among its stones.",
            cells,
            count="games that ended with a stone there",
            count_unit="stones",
            value="the space's share of the team's points",
            value_unit="points",
            scale=SHARES,
            of="side",
            adds_up=True,
            board=board,
            shown=("value",),
        ),
        Kind(
            "cell-turn",
            "When cells are filled",
            "The spaces of the board, and the turn in which the seat put a stone there.",
            cells,
            count="stones that the seat put there",
            count_unit="stones",
            value="the turn in which it did",
            value_unit="turns",
            board=board,
            shown=("each",),
        ),
    )


@jit
def tally_put(told: Any, cell: Any, points: Any, turn: Any) -> None:
    """Count a stone that a seat put on a cell."""
    cell = np.int64(cell)
    told[FIRST_CELL + cell, USED] += 1
    told[FIRST_CELL + cell, EARNED] += points
    told[FIRST_CELL_TURN + cell, USED] += 1
    told[FIRST_CELL_TURN + cell, EARNED] += turn


@jit
def tally_play(view: Any, move: Any, told: Any) -> None:
    """Count a play that the view's seat is about to make."""
    play, points, turn = np.int64(play_of(move)), gain(view, move), np.int64(view.turn)
    told[play, USED] += 1
    told[play, EARNED] += points
    if play in (PLACING, REPLACING):
        symbol = FIRST_SYMBOL + np.int64(symbol_of(move)) - 1
        told[symbol, USED] += 1
        told[symbol, EARNED] += points
        tally_put(told, cell_of(move), HALVES * points, turn)
    elif play == MOVING:
        tally_put(told, other_cell_of(move), HALVES * points, turn)
    elif play == SWAPPING:
        tally_put(told, cell_of(move), points, turn)
        tally_put(told, other_cell_of(move), points, turn)


@jit
def tally_lines(view: Any, seat: Any, group_points: Any, different_points: Any, told: Any) -> None:
    """Count the lines of a seat's team at the end, their groups, and the cells of these."""
    team = seat % 2
    for line in range(SIDE):
        state = view.lines[SIDE * team + line]
        points = np.int64(view.points[state])
        told[FIRST_OWN_LINE + line, USED] += points > 0
        told[FIRST_OWN_LINE + line, EARNED] += points
        singles = 0
        for symbol in range(1, SYMBOLS + 1):
            size = np.int64(COUNTS[state, symbol])
            singles += size == 1
            if size > 1:
                told[FIRST_GROUP + size - 2, USED] += 1
                told[FIRST_GROUP + size - 2, EARNED] += group_points[size - 2]
        different = singles == SIDE
        if different:
            told[FIRST_GROUP + SIDE - 1, USED] += 1
            told[FIRST_GROUP + SIDE - 1, EARNED] += different_points
        for place in range(SIDE):
            cell = SIDE * line + place if team == ROWS_TEAM else SIDE * place + line
            symbol = view.cells[cell]
            if not symbol:
                continue
            told[FIRST_CELL_POINTS + cell, USED] += 1
            size = np.int64(COUNTS[state, symbol])
            if different:
                told[FIRST_CELL_POINTS + cell, EARNED] += different_points * (SHARES // SIDE)
            elif size > 1:
                told[FIRST_CELL_POINTS + cell, EARNED] += group_points[size - 2] * (SHARES // size)


@jit
def tally_boards(view: Any, draws: Any, group_points: Any, different_points: Any, logs: Any, tallies: Any) -> None:
    """Count the elements of logged games, into zeros of shape (games, seats, elements, 2).

    `draws` is a stream to draw the stones with once more.
    """
    hidden = new_hidden()
    hands, bag, numbers = hidden
    for game in range(len(logs)):
        log = logs[game]
        told = tallies[game]
        start_stream(draws, Word(log.key), BAG, 0)
        set_up(view, hidden, draws)
        for seat in range(view.seats):
            for kind in range(1, KINDS + 1):
                told[seat, FIRST_DRAW + kind - 1, USED] = held(hands[seat], kind)
        for turn in range(log.turns):
            mover = np.int64(begin_turn(view, hands))
            if log.moves[turn] == PASSED:
                told[mover, PASSING, USED] += 1
                continue
            move = Word(log.moves[turn])
            tally_play(view, move, told[mover])
            made = sixes(view, move)
            carry_out(view, move)
            hands[mover] = view.hand
            finish_turn(view, made)
            if not view.ended:
                first = numbers[0]
                refill(view, mover, hidden, draws)
                for place in range(first, numbers[0]):
                    told[mover, FIRST_DRAW + np.int64(bag[place]) - 1, USED] += 1
        for seat in range(view.seats):
            tally_lines(view, seat, group_points, different_points, told[seat])


def tally_elements(rules: CrossWiseRules, logs: Any, outcomes: NDArray[np.int16]) -> Tallies:
    """Return counts and values of logged games, shape (games, seats, elements, 2)."""
    games, seats = outcomes.shape[:2]
    tallies = np.zeros((games, seats, ELEMENTS, 2), np.int64)
    group_points = np.array(rules.group_points, np.int64)
    view, draws = new_views(rules, seats)[0], chance.new_streams(1)[0]
    tally_boards(view, draws, group_points, rules.six_different_points, logs, tallies)
    return tallies


# --- Registration ----------------------------------------------------------------------------------------------------

CROSSWISE = register(
    Game(
        name="crosswise",
        title="CrossWise",
        summary="two teams fill one 6×6 board; one scores its rows, the other its columns",
        source="the CrossWise rulebook",
        rules_version="1",
        history={"1": "first version"},
        rules=CrossWiseRules,
        variants=VARIANTS,
        seats=(2, MAX_SEATS),
        decisions=("play: place a symbol stone, or play an action stone (remove, move, swap, replace)",),
        extra_columns=COLUMNS,
        margin=0.1,
        score_range=score_range,
        longest=longest,
        choose=CHOOSE,
        value=VALUE,
        forbid=FORBID,
        illegal=int(ILLEGAL),
        log=LOG,
        new_views=new_views,
        play=play,
        events=events,
        results=results,
        narrate=narrate,
        moves=moves_of,
        picture=picture,
        describe_move=describe_move,
        relabel=relabel,
        length="turns",
        house_rules={
            "group_points": ((1, 3, 6, 10, 15), (0, 2, 4, 6, 8)),
            "six_different_points": (0, 10),
            "copies": (6, 8),
            "action_stones": (0, 2, 4),
            "hand": (3, 5),
        },
        end_reasons=END_REASONS,
        standings=standings,
        choices=choices,
        sides=sides,
        rotate=rotate,
        elements=ElementFacts(element_kinds, tally_elements),
    )
)
