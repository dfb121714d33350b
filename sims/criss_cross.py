"""Criss Cross (Reiner Knizia, Grail Games 2017; Détrak in France).

Every seat has a 5×5 sheet with one symbol in its top-left space. Twelve times two dice with six symbols are rolled,
once for all; every seat must enter the two symbols into two empty spaces that are orthogonal neighbours, in either
order, if it still can. Each row and column scores its runs of equal symbols: 2 points for two in a row, 3 for three,
8 for four, 10 for five; an empty space breaks a run. The advanced game scores the diagonal from the top right to the
bottom left as well, twice, and gives −5 for a line that is worth nothing. Highest total wins, ties by the highest
single line. Source: the publisher's rulebook.

How it is held: a cell is 5·row + column, whatever the size (on a 3×3 sheet the other cells are never empty and never
filled). A line is the number of its symbols in base 7, first cell lowest, 0 for a space: one table look-up scores it.
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
    Game,
    OneOf,
    Rules,
    Whole,
    Wholes,
    option,
    register,
)
from sims.jit import jit

# --- Facts -----------------------------------------------------------------------------------------------------------

SIDE = 5
SYMBOLS = 6
SYMBOL_NAMES = ("empty", "X", "triangle", "circle", "slash", "hash", "three-lines")
SYMBOL_SIGNS = ".Xtc/#="
MAX_SEATS = 6
MAX_ROUNDS = 12
MAX_PAIRS = 40  # neighbouring spaces on the empty sheet
DIAGONAL = 10  # its place in view.lines, after 5 rows and 5 columns
LINE_CODES = 7**SIDE
SOLO_RANKS = (
    (30, "Cross Master"),
    (25, "X-tra Special"),
    (20, "Symbol Simon"),
    (15, "Line Sweeper"),
    (0, "Column Counter"),
)

START_NAMES = ("assigned", "rolled", "empty")
ASSIGNED, ROLLED, NO_START = range(3)

START, ROLL = chance.GAME, chance.GAME + 1  # purposes of chance

NOT_LAST_COLUMN = Word(0b01111_01111_01111_01111_01111)
NOT_FIRST_COLUMN = Word(0b11110_11110_11110_11110_11110)
CORNER = ONE
VERTICAL = Word(32)  # a move is (first cell + 32 when the second lies below it) · 2 + 1 when the symbols are flipped
ILLEGAL = Word(0xFFFF_FFFF_FFFF_FFFF)

ROW = np.array([cell // SIDE for cell in range(32)], dtype=np.uint64)
COLUMN = np.array([SIDE + cell % SIDE for cell in range(32)], dtype=np.uint64)
ROW_PLACE = np.array([7 ** (cell % SIDE) for cell in range(32)], dtype=np.uint64)  # a cell's weight in its row's number
COLUMN_PLACE = np.array([7 ** (cell // SIDE % SIDE) for cell in range(32)], dtype=np.uint64)

# Columns of the outcome, after score, rank and win.
BEST_LINE, DIAGONAL_POINTS, FILLED, ROUNDS, PAIRS, TRIPLETS, QUADRUPLES, QUINTETS = range(3, 11)
COLUMNS = (
    Column("best_line", "points of the best single line (the tie-break)"),
    Column("diagonal", "points of the diagonal, counted once; 0 when its weight is 0"),
    Column("filled", "spaces filled at the end"),
    Column("rounds", "rounds in which this seat entered symbols"),
    Column("pairs", "runs of exactly two equal symbols in rows and columns"),
    Column("triplets", "runs of exactly three"),
    Column("quadruples", "runs of exactly four"),
    Column("quintets", "runs of five"),
)


# --- Rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CrissCrossRules(Rules):
    """The options of Criss Cross; the defaults are the basic game."""

    size: int = option(5, Whole(3, 5), "rows and columns of the sheet; rounds = (size² − 1) // 2")
    start: str = option(
        "assigned",
        OneOf(START_NAMES),
        "top-left symbol: a different one for every seat, a random one for each, or none",
    )
    run_points: tuple[int, ...] = option((0, 2, 3, 8, 10), Wholes(5, -20, 20), "points of a run of 1, 2, 3, 4, 5")
    zero_line_points: int = option(0, Whole(-20, 20), "points of a line whose runs add up to 0")
    diagonal_weight: int = option(0, Whole(0, 9), "how often the diagonal (top right to bottom left) counts")

    @property
    def rounds(self) -> int:
        """The most rounds there can be."""
        return (self.size**2 - 1) // 2


VARIANTS: dict[str, dict[str, Any]] = {"basic": {}, "advanced": {"zero_line_points": -5, "diagonal_weight": 2}}


def runs(symbols: tuple[int, ...]) -> list[int]:
    """Return the lengths of the maximal runs of equal symbols; a 0 (an empty space) is in none."""
    lengths: list[int] = []
    previous = 0
    for symbol in symbols:
        if symbol and symbol == previous:
            lengths[-1] += 1
        elif symbol:
            lengths.append(1)
        previous = symbol
    return lengths


def line_symbols(code: int, size: int = SIDE) -> tuple[int, ...]:
    """Return the symbols of a line's number, first cell first."""
    return tuple(code // 7**place % 7 for place in range(size))


def _classes() -> tuple[NDArray[np.uint8], list[tuple[int, ...]]]:
    """Sort all lines by which runs they have: the class of each line, and the runs (sorted) of each class."""
    kinds: dict[tuple[int, ...], int] = {}
    table = np.zeros(LINE_CODES, np.uint8)
    for code, symbols in enumerate(product(range(7), repeat=SIDE)):
        table[code] = kinds.setdefault(tuple(sorted(runs(symbols))), len(kinds))
    return table, list(kinds)


# `product` counts with its last place fastest; a mirrored line has the same runs, so the class table holds for both.
RUN_CLASS, RUNS_OF_CLASS = _classes()
# Numbers of runs of length 2 to 5 in one word, 16 bits each: adding the words of ten lines adds the four counts.
CLASS_COUNTS = np.array(
    [sum(1 << 16 * (run - 2) for run in kind if run > 1) for kind in RUNS_OF_CLASS], dtype=np.uint64
)


def class_points(rules: CrissCrossRules) -> NDArray[np.int8]:
    """Return the points of a line by its class, shape (number of classes,)."""
    points = [sum(rules.run_points[run - 1] for run in kind) for kind in RUNS_OF_CLASS]
    return np.array([value or rules.zero_line_points for value in points], dtype=np.int8)


# --- Records ---------------------------------------------------------------------------------------------------------

VIEW = np.dtype(
    [
        ("lines", np.uint32, (11,)),  # the seat's own sheet: 5 rows, 5 columns, the diagonal, each in base 7
        ("empty", np.uint32),  # bit c: cell c is empty
        ("first", np.uint8),  # the two symbols rolled, 1 to 6
        ("second", np.uint8),
        ("round_number", np.uint8),  # from 1
        ("rounds", np.uint8),  # the most rounds there can be
        ("seat", np.uint8),
        ("seats", np.uint8),
        ("side", np.uint8),
        ("start", np.uint8),  # place in START_NAMES
        ("ahead", np.uint8),  # 1 in the view to think ahead in
        ("grid", np.uint32),  # the cells of an empty sheet, as a bit set
        ("diagonal_weight", np.uint8),
        ("class_points", np.int8, (len(RUNS_OF_CLASS),)),
        ("diagonal_place", np.uint32, (32,)),  # a cell's weight in the diagonal's number, 0 off the diagonal
        ("sheet_lines", np.uint32, (MAX_SEATS, 11)),  # every seat's sheet before this round; from two seats on
        ("sheet_empty", np.uint32, (MAX_SEATS,)),
        ("points", np.int8, (LINE_CODES,)),  # points of every line under these rules
    ],
    align=True,
)

LOG = np.dtype(
    [
        ("start", np.uint8, (MAX_SEATS,)),
        ("rounds", np.uint8),  # rolls made
        ("rolls", np.uint8, (MAX_ROUNDS, 2)),
        ("moves", np.uint64, (MAX_ROUNDS, MAX_SEATS)),  # ILLEGAL where a seat did not enter
    ],
    align=True,
)

PARAMETERS = types.Array(types.float64, 1, "C", aligned=False)  # as Numba types an array inside a record
CHOOSE = types.uint64(from_dtype(VIEW), from_dtype(chance.STREAM), PARAMETERS)
VALUE = types.float64(from_dtype(VIEW), types.uint64, PARAMETERS)
FORBID = types.int64(from_dtype(VIEW), types.uint64, PARAMETERS)


def new_views(rules: CrissCrossRules, seats: int) -> Any:
    """Return two views, shape (2,), with the rules filled in: one for the table and one to think ahead in."""
    views = np.zeros(2, VIEW).view(np.recarray)
    by_class = class_points(rules)
    for view in views:
        view.side, view.seats, view.rounds = rules.size, seats, rules.rounds
        view.diagonal_weight = rules.diagonal_weight
        view.start = START_NAMES.index(rules.start)
        view.grid = sum(1 << SIDE * row + column for row in range(rules.size) for column in range(rules.size))
        view.class_points[:] = by_class
        view.points[:] = by_class[RUN_CLASS]
        for row in range(rules.size):
            view.diagonal_place[SIDE * row + rules.size - 1 - row] = 7**row
    views[1].ahead = 1
    return views


# --- Small rule functions (all take and return 64-bit words unless they say otherwise) -------------------------------


@jit
def horizontal_pairs(empty: Any) -> Any:
    """Return the cells that are empty together with their right neighbour, as a bit set."""
    return empty & (empty >> ONE) & NOT_LAST_COLUMN


@jit
def vertical_pairs(empty: Any) -> Any:
    """Return the cells that are empty together with the neighbour below, as a bit set."""
    return empty & (empty >> Word(SIDE))


@jit
def all_pairs(empty: Any) -> Any:
    """Return both kinds of pairs in one bit set, the vertical ones 32 bits higher.

    Bit p stands for the moves 2p and 2p + 1.
    """
    return horizontal_pairs(empty) | (vertical_pairs(empty) << VERTICAL)


@jit
def lonely_cells(empty: Any) -> Any:
    """Return the empty cells without an empty neighbour, as a bit set: nothing can be entered there any more."""
    beside = ((empty << ONE) & NOT_FIRST_COLUMN) | ((empty >> ONE) & NOT_LAST_COLUMN)
    return empty & ~(beside | (empty << Word(SIDE)) | (empty >> Word(SIDE)))


@jit
def first_cell(move: Any) -> Any:
    """Return the left or upper cell of a move, 0 to 24."""
    return (Word(move) >> ONE) & Word(31)


@jit
def is_vertical(move: Any) -> Any:
    """Whether a move's second cell lies below the first (else to its right)."""
    return (Word(move) >> Word(6)) & ONE == ONE


@jit
def second_cell(move: Any) -> Any:
    """Return the right or lower cell of a move, 0 to 24."""
    return first_cell(move) + (Word(SIDE) if is_vertical(move) else ONE)


@jit
def first_symbol(view: Any, move: Any) -> Any:
    """Return the symbol, 1 to 6, that a move enters into its first cell."""
    return Word(view.second) if Word(move) & ONE else Word(view.first)


@jit
def second_symbol(view: Any, move: Any) -> Any:
    """Return the symbol, 1 to 6, that a move enters into its second cell."""
    return Word(view.first) if Word(move) & ONE else Word(view.second)


@jit
def symbol_at(view: Any, cell: Any) -> Any:
    """Return the symbol in a cell, 0 for an empty one."""
    return Word(view.lines[ROW[Word(cell)]]) // ROW_PLACE[Word(cell)] % Word(7)


@jit
def is_legal(view: Any, move: Any) -> Any:
    """Whether both cells of a move are empty neighbours."""
    pair = Word(move) >> ONE
    return pair < Word(64) and (all_pairs(Word(view.empty)) >> pair) & ONE == ONE


@jit
def list_moves(view: Any, moves: Any) -> Any:
    """Write the distinct legal moves to `moves`, shape (80,); return how many there are (a signed number).

    A double offers each pair of cells once.
    """
    pairs = all_pairs(Word(view.empty))
    double = view.first == view.second
    count = 0
    while pairs:
        move = lowest_bit(pairs) << ONE
        pairs &= pairs - ONE
        moves[count] = move
        count += 1
        if not double:
            moves[count] = move | ONE
            count += 1
    return count


@jit
def place(view: Any, move: Any) -> None:
    """Enter the rolled symbols into the view's own sheet."""
    p, q = first_cell(move), second_cell(move)
    a, b = first_symbol(view, move), second_symbol(view, move)
    view.empty = np.uint32(Word(view.empty) & ~((ONE << p) | (ONE << q)))
    view.lines[ROW[p]] += np.uint32(a * ROW_PLACE[p])
    view.lines[COLUMN[p]] += np.uint32(a * COLUMN_PLACE[p])
    view.lines[ROW[q]] += np.uint32(b * ROW_PLACE[q])
    view.lines[COLUMN[q]] += np.uint32(b * COLUMN_PLACE[q])
    if view.diagonal_weight:
        view.lines[DIAGONAL] += np.uint32(a * Word(view.diagonal_place[p]) + b * Word(view.diagonal_place[q]))


@jit
def pair_gain(view: Any, p: Any, vertical: Any, a: Any, b: Any) -> Any:
    """Return the points (a signed number) of entering `a` into cell `p` and `b` into the next, as the sheet stands."""
    lines, points = view.lines, view.points
    if vertical:
        q = p + Word(SIDE)
        shared, across_p, across_q = Word(lines[COLUMN[p]]), Word(lines[ROW[p]]), Word(lines[ROW[q]])
        step, across = COLUMN_PLACE[p], ROW_PLACE[p]
    else:
        q = p + ONE
        shared, across_p, across_q = Word(lines[ROW[p]]), Word(lines[COLUMN[p]]), Word(lines[COLUMN[q]])
        step, across = ROW_PLACE[p], COLUMN_PLACE[p]
    gain = (
        np.int64(points[shared + step * (a + Word(7) * b)])
        + np.int64(points[across_p + across * a])
        + np.int64(points[across_q + across * b])
        - np.int64(points[shared])
        - np.int64(points[across_p])
        - np.int64(points[across_q])
    )
    if view.diagonal_weight:
        code = Word(lines[DIAGONAL])
        after = code + a * Word(view.diagonal_place[p]) + b * Word(view.diagonal_place[q])
        gain += (np.int64(points[after]) - np.int64(points[code])) * np.int64(view.diagonal_weight)
    return gain


@jit
def gain(view: Any, move: Any) -> Any:
    """Return the points (a signed number) that a move adds to the sheet as it stands."""
    return pair_gain(view, first_cell(move), is_vertical(move), first_symbol(view, move), second_symbol(view, move))


@jit
def lonely(view: Any, move: Any) -> Any:
    """Return how many more empty cells without an empty neighbour there are after a move (a signed number)."""
    empty = Word(view.empty)
    after = empty & ~((ONE << first_cell(move)) | (ONE << second_cell(move)))
    return np.int64(bit_count(lonely_cells(after))) - np.int64(bit_count(lonely_cells(empty)))


@jit
def total(view: Any) -> Any:
    """Return the points (a signed number) of the view's own sheet."""
    points = np.int64(0)
    for line in range(view.side):
        points += np.int64(view.points[view.lines[line]]) + np.int64(view.points[view.lines[SIDE + line]])
    if view.diagonal_weight:
        points += np.int64(view.diagonal_weight) * np.int64(view.points[view.lines[DIAGONAL]])
    return points


@jit
def random_move(view: Any, rng: Any) -> Any:
    """Return a legal move, each pair of cells and each order equally likely."""
    pairs = all_pairs(Word(view.empty))
    pick = below(rng, bit_count(pairs) << ONE)
    return (select_bit(pairs, pick >> ONE) << ONE) | (pick & ONE)


# --- The play kernel -------------------------------------------------------------------------------------------------


ASKING = make_asking(CHOOSE, VALUE, FORBID, int(ILLEGAL), list_moves, is_legal)
call_choose, ask = ASKING.choose, ASKING.ask


@jit
def look_ahead(view: Any, ahead: Any) -> None:
    """Copy the position, without the rules' tables, to the view to think ahead in."""
    ahead.empty, ahead.round_number, ahead.seat = view.empty, view.round_number, view.seat
    ahead.first, ahead.second = view.first, view.second
    ahead.lines[:] = view.lines
    if view.seats > 1:
        ahead.sheet_lines[:] = view.sheet_lines
        ahead.sheet_empty[:] = view.sheet_empty


@jit
def roll(view: Any, dice: Any) -> None:
    """Roll two dice for the next round."""
    pair = below(dice, Word(SYMBOLS * SYMBOLS))
    view.first = np.uint8(pair // Word(SYMBOLS) + ONE)
    view.second = np.uint8(pair % Word(SYMBOLS) + ONE)


@jit
def play_out(views: Any, seat: Any, move: Any, rng: Any, noise: Any, scratch: Any, dice: Any, probe: Any) -> Any:
    """Make a move and let the seat's own strategy play to the end; return the total, NaN when a move was refused."""
    view, ahead = views[0], views[1]
    look_ahead(view, ahead)
    place(ahead, move)
    for turn in range(view.round_number + 1, view.rounds + 1):
        if not all_pairs(Word(ahead.empty)):
            break
        ahead.round_number = turn
        roll(ahead, dice)
        answer = ask(ahead, seat, rng, noise, scratch, probe)
        if not is_legal(ahead, answer):
            return np.nan
        place(ahead, answer)
    return float(total(ahead))


think = make_thinking(ASKING, play_out)


@jit
def load_sheet(view: Any, seat: Any) -> None:
    """Make a seat's sheet the view's own."""
    view.seat = seat
    view.empty = view.sheet_empty[seat]
    for line in range(11):
        view.lines[line] = view.sheet_lines[seat, line]


@jit
def store_sheet(view: Any, seat: Any) -> None:
    """Put the view's own sheet back on the table."""
    view.sheet_empty[seat] = view.empty
    for line in range(11):
        view.sheet_lines[seat, line] = view.lines[line]


@jit
def set_up(view: Any, key: Any, draws: Any) -> None:
    """Lay out the sheets and enter the start symbols; `draws` is a stream to draw them with."""
    free = Word((1 << SYMBOLS) - 1)  # symbols that no seat has yet
    if view.start == ASSIGNED:
        start_stream(draws, key, START, 0)
    for seat in range(view.seats):
        symbol = Word(0)
        if view.start == ASSIGNED:
            place_in_free = select_bit(free, below(draws, bit_count(free)))
            free ^= ONE << place_in_free
            symbol = place_in_free + ONE
        elif view.start == ROLLED:
            start_stream(draws, key, START, seat)
            symbol = below(draws, Word(SYMBOLS)) + ONE
        for line in range(11):
            view.lines[line] = 0
        view.lines[0] = symbol
        view.lines[SIDE] = symbol
        view.empty = view.grid & ~np.uint32(symbol != Word(0))
        if view.seats > 1:
            store_sheet(view, seat)


@jit
def write_outcome(view: Any, outcome: Any, rounds: Any) -> None:
    """Write what the view's own sheet is worth, except for rank and win, to a row of outcomes."""
    counts = Word(0)
    points, best = np.int64(0), np.int64(-128)
    for line in range(view.side):
        for code in (view.lines[line], view.lines[SIDE + line]):
            kind = RUN_CLASS[code]
            counts += CLASS_COUNTS[kind]
            worth = np.int64(view.class_points[kind])
            points += worth
            best = max(best, worth)
    outcome[DIAGONAL_POINTS] = 0
    if view.diagonal_weight:
        worth = np.int64(view.class_points[RUN_CLASS[view.lines[DIAGONAL]]])
        points += worth * np.int64(view.diagonal_weight)
        best = max(best, worth)
        outcome[DIAGONAL_POINTS] = worth
    outcome[SCORE] = points
    outcome[BEST_LINE] = best
    outcome[FILLED] = np.int64(bit_count(Word(view.grid & ~view.empty)))
    outcome[ROUNDS] = rounds
    for place_in_word in range(4):
        outcome[PAIRS + place_in_word] = np.int64((counts >> Word(16 * place_in_word)) & Word(0xFFFF))


@jit
def write_ranks(outcomes: Any) -> None:
    """Rank the seats of one game by total, then best single line; `outcomes` has shape (seats, columns)."""
    seats = len(outcomes)
    for seat in range(seats):
        rank, equals = 1, 0
        for other in range(seats):
            lead = np.int64(outcomes[other, SCORE]) - np.int64(outcomes[seat, SCORE])
            if lead == 0:
                lead = np.int64(outcomes[other, BEST_LINE]) - np.int64(outcomes[seat, BEST_LINE])
            if lead > 0:
                rank += 1
            elif lead == 0:
                equals += 1
        outcomes[seat, RANK] = rank
        outcomes[seat, WIN] = WIN_UNIT // equals if rank == 1 else 0


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
    scratch, outer = new_scratch(2 * MAX_PAIRS), new_scratch(2 * MAX_PAIRS)
    dice, playout_dice = streams[0, 2], streams[1, 2]
    chosen = np.empty(MAX_SEATS, np.uint64)
    entered = np.zeros(MAX_SEATS, np.int64)
    logged = len(logs) > 0
    for game in range(games):
        key = deal_key(seed, first_deal + game)
        set_up(view, key, dice)
        start_stream(dice, key, ROLL, 0)
        start_streams(players, streams, key)
        for seat in range(seats):
            entered[seat] = -1  # still in the game
            if logged:
                if seats > 1:
                    load_sheet(view, seat)
                logs[game].start[seat] = view.lines[0]
        if logged:
            logs[game].moves[:] = ILLEGAL
        playing = seats
        turn = 0
        while playing and turn < view.rounds:
            turn += 1
            view.round_number = turn
            roll(view, dice)
            if logged:
                logs[game].rounds = turn
                logs[game].rolls[turn - 1, 0] = view.first
                logs[game].rolls[turn - 1, 1] = view.second
            for seat in range(seats):
                if entered[seat] >= 0:
                    continue
                if seats > 1:
                    load_sheet(view, seat)
                player, rng, noise = players[seat], streams[seat, 0], streams[seat, 1]
                if player.plain:
                    move = call_choose(player.chooser, view, rng, player.params)
                elif player.rollouts:
                    move = think(views, player, rng, noise, scratch, outer, playout_dice, probe)
                else:
                    move = ask(view, player, rng, noise, scratch, probe)
                if not is_legal(view, move):
                    probe.seat = seat
                    probe.refused = move
                    return game
                chosen[seat] = move
                if logged:
                    logs[game].moves[turn - 1, seat] = move
            for seat in range(seats):
                if entered[seat] >= 0:
                    continue
                if seats > 1:
                    load_sheet(view, seat)
                place(view, chosen[seat])
                if not all_pairs(Word(view.empty)):
                    entered[seat] = turn
                    playing -= 1
                if seats > 1:
                    store_sheet(view, seat)
        for seat in range(seats):
            if seats > 1:
                load_sheet(view, seat)
            write_outcome(view, outcomes[game, seat], entered[seat] if entered[seat] >= 0 else turn)
        if seats > 1:
            write_ranks(outcomes[game])
        else:
            outcomes[game, 0, RANK] = 1
            outcomes[game, 0, WIN] = WIN_UNIT
    return games


# --- Describing ------------------------------------------------------------------------------------------------------


def cell_name(cell: int) -> str:
    """Return a cell as people say it: row and column from 1."""
    return f"row {cell // SIDE + 1}, column {cell % SIDE + 1}"


def describe_move(view: Any, move: int) -> str:
    """Return a move in words, or what is wrong with it."""
    if not 0 <= move < 128 or int(second_cell(move)) >= SIDE * SIDE:
        return f"move {move}, which is no pair of neighbouring cells"
    p, q = int(first_cell(move)), int(second_cell(move))
    a, b = int(first_symbol(view, move)), int(second_symbol(view, move))
    words = f"{SYMBOL_NAMES[a]} to {cell_name(p)} and {SYMBOL_NAMES[b]} to {cell_name(q)}"
    if is_legal(view, move):
        return words
    if not is_vertical(move) and p % SIDE == SIDE - 1:
        return f"{words}, which are not neighbours"
    return f"{words}, which are not both empty"


def picture_rows(symbols: Any, size: int) -> list[str]:
    """Return a sheet as lines of text from its symbols by cell, shape (25,)."""
    return [" ".join(SYMBOL_SIGNS[int(symbols[SIDE * row + column])] for column in range(size)) for row in range(size)]


def picture(view: Any) -> str:
    """Return the view's own sheet and the roll as text."""
    symbols = [int(symbol_at(view, cell)) for cell in range(SIDE * SIDE)]
    rolled = f"{SYMBOL_SIGNS[view.first]} and {SYMBOL_SIGNS[view.second]}"
    return "\n".join([*picture_rows(symbols, int(view.side)), f"round {view.round_number}, rolled {rolled}"])


def _final_sheets(rules: CrissCrossRules, log: Any, seats: int) -> list[list[int]]:
    """Return each seat's symbols by cell at the end of a logged game."""
    sheets = []
    for seat in range(seats):
        symbols = [0] * (SIDE * SIDE)
        symbols[0] = int(log.start[seat])
        for (first, second), moves in zip(log.rolls, log.moves, strict=True):
            move = int(moves[seat])
            if move != ILLEGAL:
                a, b = (second, first) if move & 1 else (first, second)
                symbols[int(first_cell(move))], symbols[int(second_cell(move))] = int(a), int(b)
        sheets.append(symbols)
    return sheets


def events(rules: CrissCrossRules, log: Any, seats: int) -> list[dict[str, Any]]:
    """Return a logged game as the events of a trace, in the order in which they happened."""
    told: list[dict[str, Any]] = []
    if rules.start != "empty":
        told += [{"type": "start", "seat": seat, "symbol": int(log.start[seat])} for seat in range(seats)]
    stuck: set[int] = set()

    def tell_stuck(seat: int, number: int) -> None:
        if seat not in stuck:
            stuck.add(seat)
            told.append({"type": "stuck", "seat": seat, "round": number})

    for number in range(1, int(log.rounds) + 1):
        symbols = [int(symbol) for symbol in log.rolls[number - 1]]
        told.append({"type": "roll", "round": number, "symbols": symbols})
        for seat in range(seats):
            move = int(log.moves[number - 1, seat])
            if move == ILLEGAL:
                tell_stuck(seat, number)
                continue
            cells = [list(divmod(int(cell), SIDE)) for cell in (first_cell(move), second_cell(move))]
            if move & 1:
                cells.reverse()
            told.append({"type": "place", "seat": seat, "round": number, "symbols": symbols, "cells": cells})
    if log.rounds < rules.rounds:
        for seat in range(seats):
            tell_stuck(seat, int(log.rounds) + 1)
    return told


def _played_again(rules: CrissCrossRules, log: Any, seats: int) -> Iterator[tuple[int, int, Any, int]]:
    """Yield round (from 0), seat, its view before the round, and its move, for a logged game; seat by seat."""
    view = new_views(rules, 1)[0]
    for seat in range(seats):
        symbol = int(log.start[seat])
        view.lines[:] = 0
        view.lines[0] = view.lines[SIDE] = symbol
        view.empty = int(view.grid) & ~int(symbol > 0)
        for turn in range(int(log.rounds)):
            view.first, view.second = log.rolls[turn]
            yield turn, seat, view, int(log.moves[turn, seat])


def standings(rules: CrissCrossRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the totals after each round of a logged game, shape (rounds, seats)."""
    totals = np.zeros((int(log.rounds), seats), np.int64)
    for turn, seat, view, move in _played_again(rules, log, seats):
        if move != ILLEGAL:
            place(view, Word(move))
        totals[turn, seat] = total(view)
    return totals


def choices(rules: CrissCrossRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the number of distinct legal moves in each round of a logged game, shape (rounds, seats)."""
    counts = np.zeros((int(log.rounds), seats), np.int64)
    moves = np.empty(2 * MAX_PAIRS, np.uint64)
    for turn, seat, view, move in _played_again(rules, log, seats):
        counts[turn, seat] = list_moves(view, moves)
        if move != ILLEGAL:
            place(view, Word(move))
    return counts


def results(rules: CrissCrossRules, log: Any, outcomes: NDArray[np.int16]) -> list[dict[str, Any]]:
    """Return the outcome of a logged game for a trace, one entry a seat."""
    size, seats = rules.size, len(outcomes)
    table = class_points(rules)

    def points(cells: Iterator[int] | list[int], symbols: list[int]) -> int:
        kind = tuple(sorted(runs(tuple(symbols[cell] for cell in cells))))
        return int(table[RUNS_OF_CLASS.index(kind)])

    told = []
    for seat, symbols in enumerate(_final_sheets(rules, log, seats)):
        values = dict(zip((column.name for column in STANDARD_COLUMNS + COLUMNS), outcomes[seat].tolist(), strict=True))
        told.append(
            {
                "seat": seat,
                **values,
                "win": values["win"] / WIN_UNIT,
                "rows": [points([SIDE * row + column for column in range(size)], symbols) for row in range(size)],
                "columns": [points([SIDE * row + column for row in range(size)], symbols) for column in range(size)],
                "diagonal": values["diagonal"] if rules.diagonal_weight else None,
            }
        )
    return told


def narrate(rules: CrissCrossRules, trace: dict[str, Any]) -> list[str]:
    """Return a trace as lines of text: what was rolled and entered, and the sheets at the end with their points."""
    seats = len(trace["seats"])
    sheets = [[0] * (SIDE * SIDE) for _ in range(seats)]
    lines = []
    for event in trace["events"]:
        match event["type"]:
            case "start":
                sheets[event["seat"]][0] = event["symbol"]
                lines.append(f"seat {event['seat']} starts with {SYMBOL_NAMES[event['symbol']]}")
            case "roll":
                first, second = (SYMBOL_NAMES[symbol] for symbol in event["symbols"])
                lines.append(f"round {event['round']}: {first} and {second}")
            case "place":
                words = []
                for symbol, (row, column) in zip(event["symbols"], event["cells"], strict=True):
                    sheets[event["seat"]][SIDE * row + column] = symbol
                    words.append(f"{SYMBOL_SIGNS[symbol]} to {cell_name(SIDE * row + column)}")
                lines.append(f"  seat {event['seat']}: {', '.join(words)}")
            case "stuck":
                lines.append(f"  seat {event['seat']} cannot enter any more")
    for symbols, seat, name in zip(sheets, trace["outcome"], trace["seats"], strict=True):
        lines += ["", f"seat {seat['seat']}, {name}: {seat['score']} points, rank {seat['rank']}"]
        rows = picture_rows(symbols, rules.size)
        lines += [f"  {row}  {points:>3}" for row, points in zip(rows, seat["rows"], strict=True)]
        lines.append("  columns: " + ", ".join(str(points) for points in seat["columns"]))
        if rules.diagonal_weight:
            lines.append(f"  diagonal: {seat['diagonal']}, counted {rules.diagonal_weight} times")
    return lines


def score_range(rules: CrissCrossRules) -> tuple[int, int]:
    """Return a lower and an upper bound of a seat's total."""
    points = class_points(rules)
    lines = 2 * rules.size + rules.diagonal_weight
    return int(points.min()) * lines, int(points.max()) * lines


def moves_of(view: Any) -> list[int]:
    """Return the distinct legal moves of a position."""
    moves = np.empty(2 * MAX_PAIRS, np.uint64)
    return [int(move) for move in moves[: list_moves(view, moves)]]


def relabel(view: Any, rng: np.random.Generator) -> Callable[[int], int]:
    """Exchange the symbols of a position at random: to a strategy that treats all symbols alike nothing has changed.

    Moves name cells, not symbols, so they stay as they are.
    """
    names = np.concatenate([[0], rng.permutation(SYMBOLS) + 1])

    def renamed(code: int) -> int:
        return sum(int(names[code // 7**place % 7]) * 7**place for place in range(SIDE))

    view.first, view.second = names[view.first], names[view.second]
    view.lines[:] = [renamed(int(code)) for code in view.lines]
    view.sheet_lines[:] = [[renamed(int(code)) for code in sheet] for sheet in view.sheet_lines]
    return lambda move: move


@jit
def count_doubles(seed: Any, first_deal: Any, streams: Any, doubles: Any) -> None:
    """Count the doubles among the twelve rolls of each deal, whether or not a seat could still enter them."""
    dice = streams[0]
    for deal in range(len(doubles)):
        start_stream(dice, deal_key(seed, first_deal + deal), ROLL, 0)
        for _ in range(MAX_ROUNDS):
            pair = below(dice, Word(SYMBOLS * SYMBOLS))
            if pair // Word(SYMBOLS) == pair % Word(SYMBOLS):
                doubles[deal] += 1


def luck(seed: int, first_deal: int, deals: int) -> NDArray[np.int64]:
    """Return, for each deal, by how many its doubles exceed the two that twelve rolls have in the mean."""
    doubles = np.zeros(deals, np.int64)
    count_doubles(np.uint64(seed), first_deal, chance.new_streams(1), doubles)
    return doubles - MAX_ROUNDS // SYMBOLS


# --- Elements --------------------------------------------------------------------------------------------------------

SHARES = 60  # of a run's or line's points among its cells: divisible by every length
RUN_NAMES = ("single", "pair", "triplet", "quadruple", "quintet")
BARREN = 5  # a line whose runs add up to nothing, after the runs of every length


def element_kinds(rules: CrissCrossRules, seats: int) -> tuple[Kind, ...]:
    """Return what is counted; `tally_sheets` knows the same order."""
    size = rules.size
    board = Board(tuple(f"row {row + 1}" for row in range(size)), tuple(f"column {row + 1}" for row in range(size)))
    cells = tuple(board.name(cell) for cell in range(size * size))
    diagonal = ("diagonal",) if rules.diagonal_weight else ()
    return (
        Kind(
            "symbol",
            "Symbols",
            "The six symbols. They are alike, so that differences between them are chance or a habit of the players.",
            SYMBOL_NAMES[1:],
            count="runs of two or more of the symbol",
            count_unit="runs",
            value="points of its runs",
            value_unit="points",
            adds_up=not rules.zero_line_points,
        ),
        Kind(
            "line",
            "Lines",
            "Rows and columns, and the diagonal when it counts (its points as often as it does).",
            (*board.rows, *board.columns, *diagonal),
            count="times that the line scored",
            count_unit="lines",
            value="points of the line",
            value_unit="points",
            adds_up=True,
        ),
        Kind(
            "run",
            "Runs",
            "Runs of equal symbols by their length, and lines whose runs add up to nothing.",
            (*RUN_NAMES[:size], "line without points"),
            count="runs of exactly this length, in all lines that count",
            count_unit="runs",
            value="their points",
            value_unit="points",
            adds_up=True,
        ),
        Kind(
            "cell",
            "Cells",
            "The spaces of the sheet; the points of a run are shared evenly among its spaces.",
            cells,
            count="times that the seat entered a symbol there",
            count_unit="symbols",
            value="the space's share of the points",
            value_unit="points",
            scale=SHARES,
            adds_up=True,
            board=board,
        ),
        Kind(
            "cell-round",
            "When cells are filled",
            "The spaces of the sheet, and the round in which the seat entered a symbol there.",
            cells,
            count="times that the seat entered a symbol there",
            count_unit="symbols",
            value="the round in which it did",
            value_unit="rounds",
            board=board,
            shown=("each",),
        ),
    )


@jit
def tally_sheets(
    side: Any, weight: Any, run_points: Any, zero_points: Any, logs: Any, seats: Any, tallies: Any
) -> None:
    """Count the elements of logged games.

    Parameters
    ----------
    side, weight, run_points, zero_points
        The rules: size, diagonal_weight, run_points, zero_line_points.
    logs, seats
        The games.
    tallies
        Zeros, shape (games, seats, elements, 2).
    """
    lines = 2 * side + (1 if weight else 0)
    first_line = SYMBOLS
    first_run = first_line + lines
    first_cell_of_board = first_run + side + 1
    first_round = first_cell_of_board + side * side
    symbols, rounds = np.zeros(SIDE * SIDE, np.int64), np.zeros(SIDE * SIDE, np.int64)
    cells = np.zeros(SIDE, np.int64)
    for game in range(len(logs)):
        log = logs[game]
        for seat in range(seats):
            told = tallies[game, seat]
            symbols[:] = 0
            rounds[:] = 0
            symbols[0] = log.start[seat]
            for turn in range(log.rounds):
                move = Word(log.moves[turn, seat])
                if move == ILLEGAL:
                    continue
                flipped = np.int64(move & ONE)
                p, q = np.int64(first_cell(move)), np.int64(second_cell(move))
                symbols[p], symbols[q] = log.rolls[turn, flipped], log.rolls[turn, 1 - flipped]
                rounds[p], rounds[q] = turn + 1, turn + 1
            for line in range(lines):
                for place in range(side):
                    if line < side:
                        cells[place] = SIDE * line + place
                    elif line < 2 * side:
                        cells[place] = SIDE * place + line - side
                    else:
                        cells[place] = SIDE * place + side - 1 - place
                times = weight if line == 2 * side else 1
                total, start = 0, 0
                while start < side:
                    symbol = symbols[cells[start]]
                    end = start + 1
                    if symbol:
                        while end < side and symbols[cells[end]] == symbol:
                            end += 1
                        length = end - start
                        points = run_points[length - 1]
                        total += points
                        told[symbol - 1, USED] += length > 1
                        told[symbol - 1, EARNED] += times * points
                        told[first_run + length - 1, USED] += 1
                        told[first_run + length - 1, EARNED] += times * points
                        for place in range(start, end):
                            cell = cells[place] // SIDE * side + cells[place] % SIDE
                            told[first_cell_of_board + cell, EARNED] += times * points * SHARES // length
                    start = end
                if total == 0:
                    total = zero_points
                    told[first_run + side, USED] += 1
                    told[first_run + side, EARNED] += times * zero_points
                    for place in range(side):
                        cell = cells[place] // SIDE * side + cells[place] % SIDE
                        told[first_cell_of_board + cell, EARNED] += times * zero_points * SHARES // side
                told[first_line + line, USED] += total > 0
                told[first_line + line, EARNED] += times * total
            for row in range(side):
                for column in range(side):
                    number = rounds[SIDE * row + column]
                    if number:
                        cell = side * row + column
                        told[first_cell_of_board + cell, USED] += 1
                        told[first_round + cell, USED] += 1
                        told[first_round + cell, EARNED] += number


def tally_elements(rules: CrissCrossRules, logs: Any, outcomes: NDArray[np.int16]) -> Tallies:
    """Return counts and values of logged games, shape (games, seats, elements, 2)."""
    games, seats = outcomes.shape[:2]
    tallies = np.zeros((games, seats, sum(len(kind.names) for kind in element_kinds(rules, seats)), 2), np.int64)
    points = np.array(rules.run_points, np.int64)
    tally_sheets(rules.size, rules.diagonal_weight, points, rules.zero_line_points, logs, seats, tallies)
    return tallies


# --- Registration ----------------------------------------------------------------------------------------------------

CRISS_CROSS = register(
    Game(
        name="criss-cross",
        title="Criss Cross",
        summary="5×5 dice placement; equal symbols side by side score",
        source="Grail Games rulebook 2017 (Reiner Knizia); published in France as Détrak",
        rules_version="1",
        history={"1": "first version"},
        rules=CrissCrossRules,
        variants=VARIANTS,
        seats=(1, MAX_SEATS),
        decisions=("place: two neighbouring spaces and which symbol goes where",),
        extra_columns=COLUMNS,
        margin=0.1,
        score_range=score_range,
        longest=lambda rules: int(rules.rounds),
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
        bands=SOLO_RANKS,
        length="rounds",
        house_rules={
            "size": (4,),
            "run_points": ((0, 1, 3, 6, 10), (0, 3, 3, 8, 10), (0, 2, 4, 8, 10)),
            "zero_line_points": (-5, -2),
            "diagonal_weight": (1, 2),
        },
        standings=standings,
        choices=choices,
        luck=luck,
        elements=ElementFacts(element_kinds, tally_elements),
    )
)
