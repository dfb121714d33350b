"""Cross Off, a roll-and-write game of the Qwixx family.

Every seat has four tracks of the numbers 2 to 12: red and yellow run upward, green and blue downward. The roller of the
turn rolls two plain dice and one in the colour of each open track. First every seat, at the same time, may mark the sum
of the plain dice on one track; then the roller alone may mark the sum of one plain and one coloured die on that
colour's track. Marks go left to right, and a number that was passed is gone. A roller who marked nothing takes a
penalty. The last number of a track needs five marks first; it counts as two marks and closes the track for everyone.
The game ends when two tracks are closed or a seat has its fourth penalty. A track of m marks scores m(m + 1)/2, a
penalty −5; the highest total wins. With one seat it is a solitaire whose best play is known exactly.

How it is held: the place of a number on its track is its position, 1 to 11 from the left. A sheet is a word of four
lanes of 16 bits, one a track, in which bit p says that position p can still be marked. A move is the place of its bit
in such a word, 16·track + position; 0 is to pass. Tracks are numbered red 0, yellow 1, green 2, blue 3.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from sims import chance
from sims.asking import make_asking, make_thinking, new_scratch, rank_by_score, start_streams
from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below, deal_key, start_stream
from sims.elements import EARNED, USED, Board, ElementFacts, Kind, Tallies
from sims.game import SCORE, STANDARD_COLUMNS, WIN_UNIT, Column, Flag, Game, Rules, Whole, Wholes, option, register
from sims.jit import jit

# --- Facts -----------------------------------------------------------------------------------------------------------

TRACKS = 4
TRACK_NAMES = ("red", "yellow", "green", "blue")
LAST = 11  # positions of a track
MAX_MARKS = 12  # all numbers and the bonus mark
MAX_SEATS = 5
MAX_PENALTIES = 8  # the most that can be asked for to end the game
MAX_TURNS = MAX_SEATS * (TRACKS * LAST + MAX_PENALTIES)  # in each, the roller marks a number or takes a penalty
MAX_MOVES = 9  # to pass, and the eight sums of a plain and a coloured die

SUM, PAIR = 0, 1  # the steps of a turn
STEP_NAMES = ("sum", "pair")
END_REASONS = ("tracks", "penalties")
RUNNING, BY_TRACKS, BY_PENALTIES = range(3)  # END_REASONS from 1 on

ROLL = chance.GAME  # purpose of chance

PASS = Word(0)
ILLEGAL = Word(0xFFFF_FFFF_FFFF_FFFF)
LANE_BITS = Word(16)
LANE = Word(0xFFFF)
POSITION = Word(15)
LAST_BITS = Word(0x0800_0800_0800_0800)
NUMBER_BITS = Word(0x0FFE_0FFE_0FFE_0FFE)
BEFORE_LAST = Word(0x07FE_07FE_07FE_07FE)
LOW_BYTE = Word(0xFF)
CHOICE_BITS = Word(8)  # moves of one step, packed: seat s in the bits from 8·s on
SIDES = 6
ROLLS = Word(SIDES**6)


def position_of(track: int, number: int) -> int:
    """Return the position, 1 to 11, of a number, 2 to 12, on a track."""
    return number - 1 if track < 2 else 13 - number


def number_at(track: int, position: int) -> int:
    """Return the number, 2 to 12, at a position, 1 to 11, of a track."""
    return position + 1 if track < 2 else 13 - position


def _bit(track: int, number: int) -> int:
    return 1 << 16 * track + position_of(track, number)


# The bits of a number on all four tracks, by number.
NUMBER_ON_TRACKS = np.array(
    [sum(_bit(track, number) for track in range(TRACKS)) if number > 1 else 0 for number in range(13)], np.uint64
)
# The bits of both sums with a coloured die, by the two plain dice (6·first + second, each from 0), track, and that die
# (0 for one that has left the game).
PAIR_SUMS = np.array(
    [
        [
            [
                _bit(track, plain // SIDES + 1 + die) | _bit(track, plain % SIDES + 1 + die) if die else 0
                for die in range(SIDES + 1)
            ]
            for track in range(TRACKS)
        ]
        for plain in range(SIDES * SIDES)
    ],
    np.uint64,
)

# Columns of the outcome, after score, rank and win.
RED, CLOSES, PENALTIES, SKIPPED, TURNS, END = 3, 7, 8, 9, 10, 11
COLUMNS = (
    *(Column(name, f"marks on the {name} track, the bonus mark of its last number included") for name in TRACK_NAMES),
    Column("closes", "tracks that this seat closed, alone or together with others"),
    Column("penalties", "penalties taken"),
    Column("skipped", "numbers passed over on all tracks"),
    Column("turns", "turns of the game, all rollers together"),
    Column("end", "why the game ended: 0 enough tracks closed, 1 enough penalties of one seat"),
)


# --- Rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CrossOffRules(Rules):
    """The options of Cross Off; the defaults are the rulebook's game."""

    mark_points: tuple[int, ...] = option(
        tuple(marks * (marks + 1) // 2 for marks in range(MAX_MARKS + 1)),
        Wholes(MAX_MARKS + 1, -200, 200),
        "points of a track with 0, 1, … 12 marks",
    )
    marks_to_close: int = option(5, Whole(0, 10), "marks that the last number of a track needs first")
    penalty_points: int = option(5, Whole(0, 50), "points that a penalty costs")
    penalties_to_end: int = option(4, Whole(1, MAX_PENALTIES), "penalties of one seat that end the game")
    tracks_to_end: int = option(2, Whole(1, TRACKS), "closed tracks that end the game")
    finish_turn: bool = option(
        False, Flag(), "whether the roller still has the pair step when the sum step closes the last track needed"
    )


VARIANTS: dict[str, dict[str, Any]] = {"basic": {}, "finish-turn": {"finish_turn": True}}


# --- Records ---------------------------------------------------------------------------------------------------------

VIEW = np.dtype(
    [
        ("legal", np.uint64),  # the moves of this decision, as bits; bit 0 (to pass) is always set
        ("open", np.uint64),  # the seat's own sheet: numbers that can still be marked, as bits; none of a closed track
        ("marks", np.uint64),  # the seat's own marks, four lanes, bonus included
        ("seat", np.uint8),
        ("roller", np.uint8),
        ("step", np.uint8),  # 0: the sum of the plain dice, all seats; 1: a pair, the roller alone
        ("marked", np.uint8),  # whether the roller made a mark in the sum step of this turn (known in the pair step)
        ("turn", np.uint16),  # from 1
        ("plain", np.uint8, (2,)),
        ("coloured", np.uint8, (TRACKS,)),  # 0: that die has left the game
        ("closed", np.uint8),  # bit t: track t is closed
        ("ended", np.uint8),
        ("penalties", np.uint8, (MAX_SEATS,)),  # by seat
        ("closes", np.uint8, (MAX_SEATS,)),  # tracks that each seat closed, as bits
        ("live", np.uint64),  # all bits of the lanes of open tracks
        ("sheet_open", np.uint64, (MAX_SEATS,)),  # as `open`, by seat, but with the numbers of closed tracks
        ("sheet_marks", np.uint64, (MAX_SEATS,)),
        ("seats", np.uint8),
        ("ahead", np.uint8),  # 1 in the view to think ahead in
        ("marks_to_close", np.uint8),
        ("penalties_to_end", np.uint8),
        ("tracks_to_end", np.uint8),
        ("finish_turn", np.uint8),
        ("penalty_points", np.int16),
        ("points", np.int16, (16,)),  # of a track, by marks
    ],
    align=True,
)

LOG = np.dtype(
    [
        ("turns", np.uint16),
        ("rolls", np.uint8, (MAX_TURNS, 6)),  # plain, plain, red, yellow, green, blue; 0: left the game
        ("sums", np.uint8, (MAX_TURNS, MAX_SEATS)),  # moves of the sum step
        ("pairs", np.uint8, (MAX_TURNS,)),  # move of the pair step
    ],
    align=True,
)

PARAMETERS = types.Array(types.float64, 1, "C", aligned=False)  # as Numba types an array inside a record
CHOOSE = types.uint64(from_dtype(VIEW), from_dtype(chance.STREAM), PARAMETERS)
VALUE = types.float64(from_dtype(VIEW), types.uint64, PARAMETERS)
FORBID = types.int64(from_dtype(VIEW), types.uint64, PARAMETERS)


def new_views(rules: CrossOffRules, seats: int) -> Any:
    """Return two views, shape (2,), with the rules filled in: one for the table and one to think ahead in."""
    views = np.zeros(2, VIEW).view(np.recarray)
    for view in views:
        view.seats = seats
        view.marks_to_close, view.penalty_points = rules.marks_to_close, rules.penalty_points
        view.penalties_to_end, view.tracks_to_end = rules.penalties_to_end, rules.tracks_to_end
        view.finish_turn = rules.finish_turn
        view.points[: MAX_MARKS + 1] = rules.mark_points
    views[1].ahead = 1
    return views


# --- Small rule functions (moves and sheets are 64-bit words) --------------------------------------------------------


@jit
def track_of(move: Any) -> Any:
    """Return the track, 0 to 3, of a mark."""
    return Word(move) >> Word(4)


@jit
def place_of(move: Any) -> Any:
    """Return the position on its track, 1 to 11, of a mark; 0 when the move is to pass."""
    return Word(move) & POSITION


@jit
def lane(sheet: Any, track: Any) -> Any:
    """Return the 16 bits of one track."""
    return (Word(sheet) >> (Word(track) * LANE_BITS)) & LANE


@jit
def skips(sheet: Any, move: Any) -> Any:
    """Return how many numbers a mark passes over that could still be marked (a signed number); 0 for a pass."""
    move = Word(move)
    before = (ONE << move) - (ONE << (move & ~POSITION))
    return np.int64(bit_count(Word(sheet) & before))


@jit
def marks_on(marks: Any, track: Any) -> Any:
    """Return the number of marks on a track (a signed number)."""
    return np.int64(lane(marks, track))


@jit
def last_place(sheet: Any, track: Any) -> Any:
    """Return the position of the last mark of a track that is not closed, 0 to 10 (a signed number)."""
    free = lane(sheet, track)
    return np.int64(lowest_bit(free)) - 1 if free else LAST - 1


@jit
def is_last(move: Any) -> Any:
    """Whether a mark is the last number of its track, which closes it."""
    return Word(move) & POSITION == Word(LAST)


@jit
def takes_penalty(view: Any, move: Any) -> Any:
    """Whether a move of this decision brings a penalty for sure: to pass in the pair step without a mark before."""
    return view.step == PAIR and not view.marked and Word(move) == PASS


@jit
def pair_bits(view: Any) -> Any:
    """Return the numbers that the dice offer as pairs, on all tracks, as bits of a sheet."""
    sums = PAIR_SUMS[SIDES * (view.plain[0] - 1) + view.plain[1] - 1]
    return sums[0, view.coloured[0]] | sums[1, view.coloured[1]] | sums[2, view.coloured[2]] | sums[3, view.coloured[3]]


@jit
def after_mark(view: Any, sheet: Any, marks: Any, move: Any) -> Any:
    """Return a sheet and its marks after a mark; a pass changes neither.

    The last number of its track leaves nothing to mark there, and counts twice.
    """
    if move == PASS:
        return sheet, marks
    first = move & ~POSITION
    free = sheet & ~((ONE << (move + ONE)) - (ONE << first))
    more = marks + (ONE << first)
    if is_last(move):
        more += ONE << first
    elif (more >> first) & POSITION >= Word(view.marks_to_close):
        free |= ONE << (first + Word(LAST))
    return free, more


@jit
def track_points(view: Any, marks: Any) -> Any:
    """Return the points (a signed number) of all tracks with these marks."""
    return (
        np.int64(view.points[marks & POSITION])
        + np.int64(view.points[(marks >> Word(16)) & POSITION])
        + np.int64(view.points[(marks >> Word(32)) & POSITION])
        + np.int64(view.points[(marks >> Word(48)) & POSITION])
    )


@jit
def total(view: Any, seat: Any) -> Any:
    """Return the points (a signed number) of a seat as its sheet stands."""
    lost = np.int64(view.penalties[seat]) * np.int64(view.penalty_points)
    return track_points(view, Word(view.sheet_marks[seat])) - lost


@jit
def gain(view: Any, move: Any) -> Any:
    """Return the points (a signed number) that a move adds to the seat's own sheet at once, a sure penalty included."""
    move = Word(move)
    if move == PASS:
        return -np.int64(view.penalty_points) if takes_penalty(view, move) else np.int64(0)
    now = marks_on(view.marks, track_of(move))
    more = 2 if is_last(move) else 1
    return np.int64(view.points[now + more]) - np.int64(view.points[now])


@jit
def is_legal(view: Any, move: Any) -> Any:
    """Whether a move is one of the decision's."""
    return Word(move) < Word(64) and (Word(view.legal) >> Word(move)) & ONE == ONE


@jit
def list_moves(view: Any, moves: Any) -> Any:
    """Write the legal moves to `moves`, shape (9,), to pass first; return how many there are (a signed number)."""
    left = Word(view.legal)
    count = 0
    while left:
        moves[count] = lowest_bit(left)
        left &= left - ONE
        count += 1
    return count


@jit
def random_move(view: Any, rng: Any) -> Any:
    """Return a legal move, to pass and each mark equally likely."""
    legal = Word(view.legal)
    return select_bit(legal, below(rng, bit_count(legal)))


# --- The play kernel -------------------------------------------------------------------------------------------------


@jit
def set_up(view: Any) -> None:
    """Lay out empty sheets."""
    view.turn = 0
    view.closed = 0
    view.ended = RUNNING
    view.live = NUMBER_BITS
    empty = BEFORE_LAST if view.marks_to_close else NUMBER_BITS
    for seat in range(view.seats):
        view.sheet_open[seat] = empty
        view.sheet_marks[seat] = Word(0)
        view.penalties[seat] = 0
        view.closes[seat] = 0


@jit
def begin_turn(view: Any) -> None:
    """Count a turn, and hand the dice on."""
    view.turn += 1
    view.roller = (view.turn - 1) % view.seats
    view.step = SUM
    view.marked = 0


@jit
def roll(view: Any, dice: Any) -> None:
    """Start the next turn: pass on the dice, and roll those of the open tracks.

    All six are drawn whatever is left, so that a deal's rolls are the same for everybody who plays it.
    """
    begin_turn(view)
    drawn = below(dice, ROLLS)
    six = Word(SIDES)
    view.plain[0], view.plain[1] = drawn % six + ONE, drawn // six % six + ONE
    drawn = drawn // Word(SIDES * SIDES)
    view.coloured[0], view.coloured[1] = drawn % six + ONE, drawn // six % six + ONE
    drawn = drawn // Word(SIDES * SIDES)
    view.coloured[2], view.coloured[3] = drawn % six + ONE, drawn // six + ONE
    if view.closed:
        leave_out_dice(view)


@jit
def leave_out_dice(view: Any) -> None:
    """Take the dice of closed tracks from the roll."""
    for track in range(TRACKS):
        if (view.closed >> track) & 1:
            view.coloured[track] = 0


@jit
def offer_sum(view: Any, seat: Any) -> Any:
    """Let the view be a seat's in the sum step; return whether there is anything but to pass."""
    free = Word(view.sheet_open[seat]) & Word(view.live)
    view.seat = seat
    view.open = free
    view.marks = view.sheet_marks[seat]
    view.legal = (free & NUMBER_ON_TRACKS[view.plain[0] + view.plain[1]]) | ONE
    return view.legal != ONE


@jit
def offer_pair(view: Any) -> Any:
    """Let the view be the roller's in the pair step; return whether there is anything but to pass."""
    free = Word(view.sheet_open[view.roller]) & Word(view.live)
    view.step = PAIR
    view.seat = view.roller
    view.open = free
    view.marks = view.sheet_marks[view.roller]
    view.legal = (free & pair_bits(view)) | ONE
    return view.legal != ONE


@jit
def mark(view: Any, seat: Any, move: Any) -> None:
    """Make a mark on a seat's sheet; the track that it closes stays open until `close`."""
    free, marks = after_mark(view, Word(view.sheet_open[seat]), Word(view.sheet_marks[seat]), move)
    view.sheet_open[seat] = free
    view.sheet_marks[seat] = marks
    if is_last(move):
        view.closes[seat] |= np.uint8(1) << np.uint8(track_of(move))


@jit
def close(view: Any, move: Any) -> None:
    """Close the track of a last number for everyone: its die leaves the game at once."""
    track = track_of(move)
    view.closed |= np.uint8(1) << np.uint8(track)
    view.coloured[track] = 0
    view.live = Word(view.live) & ~(LANE << (track * LANE_BITS))


@jit
def enough_closed(view: Any) -> Any:
    """Whether as many tracks are closed as end the game."""
    return bit_count(Word(view.closed)) >= Word(view.tracks_to_end)


@jit
def one_more_ends(view: Any) -> Any:
    """Whether one more closed track ends the game."""
    return bit_count(Word(view.closed)) + ONE >= Word(view.tracks_to_end)


@jit
def finish_sum(view: Any, chosen: Any) -> None:
    """Make the marks that all seats chose for the sum step, packed in a word, at the same time."""
    closing = False
    for seat in range(view.seats):
        move = (chosen >> (CHOICE_BITS * Word(seat))) & LOW_BYTE
        if move:
            mark(view, seat, move)
            closing |= is_last(move)
    if (chosen >> (CHOICE_BITS * Word(view.roller))) & LOW_BYTE:
        view.marked = 1
    if closing:
        for seat in range(view.seats):
            move = (chosen >> (CHOICE_BITS * Word(seat))) & LOW_BYTE
            if is_last(move):
                close(view, move)
        if enough_closed(view) and not view.finish_turn:
            view.ended = BY_TRACKS


@jit
def finish_pair(view: Any, move: Any) -> None:
    """Make the roller's mark, or see to the penalty, and see whether the game has ended."""
    roller = view.roller
    if move:
        mark(view, roller, move)
        if is_last(move):
            close(view, move)
    elif not view.marked:
        view.penalties[roller] += 1
        if view.penalties[roller] >= view.penalties_to_end:
            view.ended = BY_PENALTIES
    if view.closed and enough_closed(view):
        view.ended = BY_TRACKS


ASKING = make_asking(CHOOSE, VALUE, FORBID, int(ILLEGAL), list_moves, is_legal)
call_choose, ask = ASKING.choose, ASKING.ask


@jit
def look_ahead(view: Any, ahead: Any) -> None:
    """Copy the position, without the rules, to the view to think ahead in."""
    ahead.seat, ahead.roller, ahead.step, ahead.marked = view.seat, view.roller, view.step, view.marked
    ahead.turn, ahead.closed, ahead.ended, ahead.live = view.turn, view.closed, view.ended, view.live
    ahead.plain[:] = view.plain
    ahead.coloured[:] = view.coloured
    for seat in range(view.seats):
        ahead.sheet_open[seat], ahead.sheet_marks[seat] = view.sheet_open[seat], view.sheet_marks[seat]
        ahead.penalties[seat], ahead.closes[seat] = view.penalties[seat], view.closes[seat]


@jit
def lead(view: Any, me: Any) -> Any:
    """Return the points of a seat less those of the best other seat (a signed number); alone, its points."""
    if view.seats == 1:
        return total(view, me)
    best = np.int64(-(1 << 30))
    for seat in range(view.seats):
        if seat != me:
            best = max(best, total(view, seat))
    return total(view, me) - best


@jit
def play_out(views: Any, seat: Any, move: Any, rng: Any, noise: Any, scratch: Any, dice: Any, probe: Any) -> Any:
    """Make a move and let the seat's own strategy play for all seats to the end; return the lead.

    It is NaN when a move was refused.
    """
    view, ahead = views[0], views[1]
    look_ahead(view, ahead)
    me = view.seat
    if view.step == PAIR:
        finish_pair(ahead, Word(move))
        if not ahead.ended:
            roll(ahead, dice)
    while not ahead.ended:
        chosen = Word(0)
        for other in range(ahead.seats):
            if view.step == SUM and ahead.turn == view.turn and other == me:
                answer = Word(move)
            elif offer_sum(ahead, other):
                answer = Word(ask(ahead, seat, rng, noise, scratch, probe))
                if not is_legal(ahead, answer):
                    return np.nan
            else:
                continue
            chosen |= answer << (CHOICE_BITS * Word(other))
        finish_sum(ahead, chosen)
        if not ahead.ended:
            answer = PASS
            if offer_pair(ahead):
                answer = Word(ask(ahead, seat, rng, noise, scratch, probe))
                if not is_legal(ahead, answer):
                    return np.nan
            finish_pair(ahead, answer)
        if not ahead.ended:
            roll(ahead, dice)
    return float(lead(ahead, me))


think = make_thinking(ASKING, play_out)


@jit
def write_outcome(view: Any, seat: Any, outcome: Any) -> None:
    """Write what a seat's sheet is worth, except for rank and win, to a row of outcomes."""
    marks = Word(view.sheet_marks[seat])
    count = np.int64(0)
    for track in range(TRACKS):
        on_track = marks_on(marks, track)
        count += on_track
        outcome[RED + track] = on_track
    closes = np.int64(bit_count(Word(view.closes[seat])))
    passed = TRACKS * (LAST - 1) - np.int64(bit_count(Word(view.sheet_open[seat]) & BEFORE_LAST))
    outcome[SCORE] = total(view, seat)
    outcome[CLOSES] = closes
    outcome[PENALTIES] = view.penalties[seat]
    outcome[SKIPPED] = passed - (count - 2 * closes)
    outcome[TURNS] = view.turn
    outcome[END] = view.ended - 1


@jit
def log_roll(view: Any, log: Any) -> None:
    """Keep the dice of a turn."""
    turn = view.turn - 1
    log.turns = view.turn
    for die in range(2):
        log.rolls[turn, die] = view.plain[die]
    for track in range(TRACKS):
        log.rolls[turn, 2 + track] = view.coloured[track]


@jit
def roll_again(view: Any, log: Any) -> None:
    """Start the next turn of a logged game with the dice that were rolled."""
    begin_turn(view)
    turn = view.turn - 1
    for die in range(2):
        view.plain[die] = log.rolls[turn, die]
    for track in range(TRACKS):
        view.coloured[track] = log.rolls[turn, 2 + track]


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
    scratch, outer = new_scratch(MAX_MOVES), new_scratch(MAX_MOVES)
    dice, playout_dice = streams[0, 2], streams[1, 2]
    logged = len(logs) > 0
    for game in range(games):
        key = deal_key(seed, first_deal + game)
        set_up(view)
        start_stream(dice, key, ROLL, 0)
        start_streams(players, streams, key)
        while not view.ended:
            roll(view, dice)
            if logged:
                log_roll(view, logs[game])
            chosen = Word(0)
            turn = view.turn - 1
            for asked in range(seats + 1):  # every seat for the sum step, then the roller for the pair step
                if asked < seats:
                    seat: Any = asked
                    offered = offer_sum(view, seat)
                else:
                    finish_sum(view, chosen)
                    if view.ended:
                        break
                    seat = np.int64(view.roller)
                    offered = offer_pair(view)
                move = PASS
                if offered:
                    player, rng, noise = players[seat], streams[seat, 0], streams[seat, 1]
                    if player.plain:
                        move = Word(call_choose(player.chooser, view, rng, player.params))
                    elif player.rollouts:
                        move = Word(think(views, player, rng, noise, scratch, outer, playout_dice, probe))
                    else:
                        move = Word(ask(view, player, rng, noise, scratch, probe))
                    if not is_legal(view, move):
                        probe.seat = seat
                        probe.refused = move
                        return game
                if asked < seats:
                    chosen |= move << (CHOICE_BITS * Word(seat))
                    if logged:
                        logs[game].sums[turn, seat] = move
                else:
                    finish_pair(view, move)
                    if logged:
                        logs[game].pairs[turn] = move
        for seat in range(seats):
            write_outcome(view, seat, outcomes[game, seat])
        rank_by_score(outcomes[game])
    return games


# --- Describing ------------------------------------------------------------------------------------------------------


def mark_name(move: int) -> str:
    """Return a mark as people say it: colour and number."""
    track, position = divmod(move, 16)
    return f"{TRACK_NAMES[track]} {number_at(track, position)}"


def describe_move(view: Any, move: int) -> str:
    """Return a move in words, or what is wrong with it."""
    if move == PASS:
        return "pass"
    if not 0 <= move < 64 or not 1 <= move % 16 <= LAST:
        return f"move {move}, which is no number of a track"
    words = f"{mark_name(move)} in the {STEP_NAMES[int(view.step)]} step"
    if is_legal(view, move):
        return words
    track = move // 16
    if (int(view.closed) >> track) & 1:
        return f"{words}: the track is closed"
    if not (int(view.open) >> move) & 1:
        last = move % 16 == LAST and not int(view.open) >> move & 1 and last_place(view.open, track) < LAST
        short = last and int(marks_on(view.marks, track)) < int(view.marks_to_close)
        return f"{words}: " + (
            f"the last number needs {view.marks_to_close} marks on its track first"
            if short
            else "it was marked or passed over"
        )
    return f"{words}: the dice do not show it"


def sheet_rows(marked: Any, closed: int, marks: Any) -> list[str]:
    """Return a sheet as lines of text: X marked, - passed over, else the number.

    Parameters
    ----------
    marked
        For each track, the positions that are marked.
    closed
        Bit t: track t is closed.
    marks
        For each track, the number of its marks.
    """
    rows = []
    for track, name in enumerate(TRACK_NAMES):
        cells = []
        for position in range(1, LAST + 1):
            sign = str(number_at(track, position))
            if position in marked[track]:
                sign = "X"
            elif position < max(marked[track], default=0):
                sign = "-"
            cells.append(f"{sign:>2}")
        shut = "  closed" if (closed >> track) & 1 else ""
        count = int(marks[track])
        rows.append(f"{name:<6} {' '.join(cells)}  {count:>2} mark{'s' if count != 1 else ' '}{shut}".rstrip())
    return rows


def picture(view: Any) -> str:
    """Return the position as text: all sheets, the dice, and what is asked.

    The view knows the last mark of each track and how many there are, not which numbers before it were marked: these
    are shown as dots.
    """
    lines = []
    for seat in range(int(view.seats)):
        me = " (to decide)" if seat == int(view.seat) else ""
        count = int(view.penalties[seat])
        lines.append(f"seat {seat}{me}: {int(total(view, seat))} points, penalties {count}")
        for track, name in enumerate(TRACK_NAMES):
            shut = (int(view.closed) >> track) & 1
            mine = (int(view.closes[seat]) >> track) & 1
            last = LAST if mine else int(last_place(view.sheet_open[seat], track))
            cells = [
                "X" if position == last else "." if position < last else str(number_at(track, position))
                for position in range(1, LAST + 1)
            ]
            marks = int(marks_on(view.sheet_marks[seat], track))
            text = " ".join(f"{cell:>2}" for cell in cells)
            lines.append(f"  {name:<6} {text}  {marks:>2} mark{'s' if marks != 1 else ''}{', closed' if shut else ''}")
    coloured = [f"{name} {die}" for name, die in zip(TRACK_NAMES, view.coloured, strict=True) if die]
    rolled = ", ".join([f"plain {view.plain[0]} and {view.plain[1]}", *coloured])
    lines.append(f"turn {view.turn}, roller seat {view.roller}: {rolled}; {STEP_NAMES[int(view.step)]} step")
    return "\n".join(lines)


def _played_again(rules: CrossOffRules, log: Any, seats: int) -> Iterator[tuple[Any, list[int]]]:
    """Yield the view at the start of every step of a logged game, and the moves that are made in it.

    In the sum step these are the moves of all seats, in the pair step the roller's alone; then, once more, the view at
    the end, with no moves.
    """
    view = new_views(rules, seats)[0]
    set_up(view)
    for turn in range(int(log.turns)):
        roll_again(view, log)
        moves = [int(move) for move in log.sums[turn, :seats]]
        yield view, moves
        finish_sum(view, Word(sum(move << 8 * seat for seat, move in enumerate(moves))))
        if not view.ended:
            view.step = PAIR
            move = int(log.pairs[turn])
            yield view, [move]
            finish_pair(view, Word(move))
    yield view, []


def events(rules: CrossOffRules, log: Any, seats: int) -> list[dict[str, Any]]:
    """Return a logged game as the events of a trace, in the order in which they happened."""
    told: list[dict[str, Any]] = []
    for view, moves in _played_again(rules, log, seats):
        turn, roller = int(view.turn), int(view.roller)
        if not moves:
            told.append({"type": "end", "reason": END_REASONS[int(view.ended) - 1]})
            break
        if view.step == SUM:
            dice = {name: int(die) or None for name, die in zip(TRACK_NAMES, view.coloured, strict=True)}
            plain = [int(die) for die in view.plain]
            told.append({"type": "roll", "turn": turn, "roller": roller, "plain": plain, **dice})
        closing: dict[int, list[int]] = {}
        for seat, move in enumerate(moves) if view.step == SUM else [(roller, moves[0])]:
            if move == PASS:
                continue
            track, position = divmod(move, 16)
            number = number_at(track, position)
            entry = {
                "type": "mark",
                "turn": turn,
                "step": STEP_NAMES[int(view.step)],
                "seat": seat,
                "track": TRACK_NAMES[track],
                "number": number,
            }
            if view.step == PAIR:
                entry["plain"] = number - int(view.coloured[track])
            told.append(entry)
            if position == LAST:
                closing.setdefault(track, []).append(seat)
        told += [
            {"type": "close", "turn": turn, "track": TRACK_NAMES[track], "seats": closing[track]}
            for track in sorted(closing)
        ]
        if view.step == PAIR and moves[0] == PASS and not view.marked:
            told.append({"type": "penalty", "turn": turn, "seat": roller})
    return told


def standings(rules: CrossOffRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the totals after each turn of a logged game, shape (turns, seats)."""
    totals = np.zeros((int(log.turns), seats), np.int64)
    for view, moves in _played_again(rules, log, seats):
        if view.step == SUM and moves and view.turn > 1:
            totals[view.turn - 2] = [total(view, seat) for seat in range(seats)]
        if not moves:
            totals[-1] = [total(view, seat) for seat in range(seats)]
    return totals


def choices(rules: CrossOffRules, log: Any, seats: int) -> NDArray[np.int64]:
    """Return the number of moves of each decision of a logged game, shape (steps, seats), to pass among them.

    A turn has two steps, the sum step and (unless the game ended) the pair step. 0 where a seat was not asked: it could
    only pass, or it was not its step.
    """
    counts = []
    for view, moves in _played_again(rules, log, seats):
        if moves:
            row = [0] * seats
            for seat in range(seats) if view.step == SUM else [int(view.roller)]:
                offered = offer_sum(view, seat) if view.step == SUM else offer_pair(view)
                row[seat] = int(bit_count(view.legal)) if offered else 0
            counts.append(row)
    return np.array(counts, np.int64).reshape(-1, seats)


def results(rules: CrossOffRules, log: Any, outcomes: NDArray[np.int16]) -> list[dict[str, Any]]:
    """Return the outcome of a logged game for a trace, one entry a seat."""
    told = []
    for seat, row in enumerate(outcomes.tolist()):
        values = dict(zip((column.name for column in STANDARD_COLUMNS + COLUMNS), row, strict=True))
        marks = {name: values.pop(name) for name in TRACK_NAMES}
        end = END_REASONS[values.pop("end")]
        told.append({"seat": seat, **values, "win": values["win"] / WIN_UNIT, "marks": marks, "end": end})
    return told


def narrate(rules: CrossOffRules, trace: dict[str, Any]) -> list[str]:
    """Return a trace as lines of text: what was rolled and marked, and the sheets at the end."""
    seats = len(trace["seats"])
    marked: list[list[set[int]]] = [[set() for _ in TRACK_NAMES] for _ in range(seats)]
    closed = 0
    lines = []
    for event in trace["events"]:
        match event["type"]:
            case "roll":
                dice = ", ".join(f"{name} {event[name]}" for name in TRACK_NAMES if event[name] is not None)
                first, second = event["plain"]
                lines.append(
                    f"turn {event['turn']}: seat {event['roller']} rolls {first} and {second}"
                    + (f"; {dice}" * bool(dice))
                )
            case "mark":
                track = TRACK_NAMES.index(event["track"])
                marked[event["seat"]][track].add(position_of(track, event["number"]))
                pair = f" ({event['plain']} + {event['number'] - event['plain']})" if "plain" in event else ""
                lines.append(f"  seat {event['seat']}: {event['track']} {event['number']}{pair}")
            case "close":
                closed |= 1 << TRACK_NAMES.index(event["track"])
                who = " and ".join(str(seat) for seat in event["seats"])
                lines.append(f"  {event['track']} is closed by seat {who}")
            case "penalty":
                lines.append(f"  seat {event['seat']} takes a penalty")
            case "end":
                lines.append(
                    "the game ends by closed tracks" if event["reason"] == "tracks" else "the game ends by penalties"
                )
    for sheet, seat, name in zip(marked, trace["outcome"], trace["seats"], strict=True):
        told = f"{seat['score']} points, rank {seat['rank']}, penalties {seat['penalties']}"
        lines += ["", f"seat {seat['seat']}, {name}: {told}"]
        marks = [seat["marks"][track] for track in TRACK_NAMES]
        lines += [f"  {row}" for row in sheet_rows(sheet, closed, marks)]
    return lines


def score_range(rules: CrossOffRules) -> tuple[int, int]:
    """Return a lower and an upper bound of a seat's total."""
    most = rules.penalty_points * rules.penalties_to_end
    return TRACKS * min(rules.mark_points) - most, TRACKS * max(rules.mark_points)


def longest(rules: CrossOffRules) -> int:
    """Return an upper bound of the decisions of a seat: one in every turn, and a second in its own."""
    own = TRACKS * LAST + rules.penalties_to_end
    return (MAX_SEATS + 1) * own


def moves_of(view: Any) -> list[int]:
    """Return the legal moves of a decision."""
    moves = np.empty(MAX_MOVES, np.uint64)
    return [int(move) for move in moves[: list_moves(view, moves)]]


def relabel(view: Any, rng: np.random.Generator) -> Callable[[int], int]:
    """Exchange what the rules treat alike: red and yellow, green and blue; up and down, with all dice turned over."""
    order = [0, 1, 2, 3]
    if rng.integers(2):
        order = [1, 0, *order[2:]]
    if rng.integers(2):
        order = [*order[:2], 3, 2]
    if rng.integers(2):
        order = [*order[2:], *order[:2]]
        view.plain[:] = 7 - view.plain
        view.coloured[:] = [7 - die if die else 0 for die in view.coloured]

    def lanes(word: Any) -> int:
        return sum((int(word) >> 16 * old & 0xFFFF) << 16 * new for new, old in enumerate(order))

    def bits(mask: Any) -> int:
        return sum((int(mask) >> old & 1) << new for new, old in enumerate(order))

    passing = int(view.legal) & 1
    view.legal = lanes(int(view.legal) & ~1) | passing
    view.open, view.marks, view.live = lanes(view.open), lanes(view.marks), lanes(view.live)
    view.closed = bits(view.closed)
    view.coloured[:] = view.coloured[order]
    view.closes[:] = [bits(mask) for mask in view.closes]
    view.sheet_open[:] = [lanes(word) for word in view.sheet_open]
    view.sheet_marks[:] = [lanes(word) for word in view.sheet_marks]
    return lambda move: 16 * order.index(move // 16) + move % 16 if 0 < move < 64 else move


# --- Elements --------------------------------------------------------------------------------------------------------

OWN_SUM, OTHERS_SUM, OWN_PAIR, PENALTY = range(4)
MARK_NAMES = ("sum of the own roll", "sum of another's roll", "pair of the own roll", "penalty")


def element_kinds(rules: CrossOffRules, seats: int) -> tuple[Kind, ...]:
    """Return what is counted; `tally_sheets` knows the same order."""
    board = Board(TRACK_NAMES, tuple(f"position {position}" for position in range(1, LAST + 1)))
    places = [(track, number_at(track, position)) for track in range(TRACKS) for position in range(1, LAST + 1)]
    numbers = tuple(f"{TRACK_NAMES[track]} {number}" for track, number in places)
    labels = tuple(str(number) for _, number in places)
    return (
        Kind(
            "track",
            "Tracks",
            "The four tracks; their points less those of the penalties are the score.",
            TRACK_NAMES,
            count="marks on the track, the bonus mark of its last number included",
            count_unit="marks",
            value="points of the track",
            value_unit="points",
        ),
        Kind(
            "mark",
            "Marks",
            "Marks by the step in which they were made, and penalties.",
            MARK_NAMES,
            count="marks made in this step, or penalties taken",
            count_unit="marks",
            value="points that they brought at once",
            value_unit="points",
            adds_up=not rules.mark_points[0],
        ),
        Kind(
            "close",
            "Closes",
            "Tracks that the seat closed, alone or together with others in the same step.",
            TRACK_NAMES,
            count="times that the seat closed the track",
            count_unit="closes",
            value="points of the last number and its bonus mark at once",
            value_unit="points",
        ),
        Kind(
            "number",
            "Numbers",
            "All numbers of all tracks, in the order in which they are marked.",
            numbers,
            count="times that the seat marked the number",
            count_unit="marks",
            value="points that the mark brought at once",
            value_unit="points",
            board=board,
            labels=labels,
        ),
        Kind(
            "skipped",
            "Numbers passed over",
            "Numbers to the left of the seat's last mark on their track that it did not mark.",
            numbers,
            count="times that the seat passed over the number",
            count_unit="numbers",
            board=board,
            labels=labels,
            shown=("count",),
        ),
    )


@jit
def tally_mark(view: Any, seat: Any, move: Any, step: Any, told: Any) -> None:
    """Count a mark that a seat is about to make."""
    track, position = np.int64(track_of(move)), np.int64(place_of(move))
    now = marks_on(view.sheet_marks[seat], track)
    points = np.int64(view.points[now + (2 if is_last(move) else 1)]) - np.int64(view.points[now])
    told[TRACKS + step, USED] += 1
    told[TRACKS + step, EARNED] += points
    if is_last(move):
        told[2 * TRACKS + track, USED] += 1
        told[2 * TRACKS + track, EARNED] += points
    number = 3 * TRACKS + LAST * track + position - 1
    told[number, USED] += 1
    told[number, EARNED] += points


@jit
def tally_sheets(view: Any, logs: Any, tallies: Any) -> None:
    """Count the elements of logged games, into zeros of shape (games, seats, elements, 2)."""
    for game in range(len(logs)):
        log = logs[game]
        told = tallies[game]
        set_up(view)
        for turn in range(log.turns):
            roll_again(view, log)
            roller = np.int64(view.roller)
            chosen = Word(0)
            for seat in range(view.seats):
                move = Word(log.sums[turn, seat])
                chosen |= move << (CHOICE_BITS * Word(seat))
                if move != PASS:
                    tally_mark(view, seat, move, OWN_SUM if seat == roller else OTHERS_SUM, told[seat])
            finish_sum(view, chosen)
            if view.ended:
                break
            move = Word(log.pairs[turn])
            if move != PASS:
                tally_mark(view, roller, move, OWN_PAIR, told[roller])
            elif not view.marked:
                told[roller, TRACKS + PENALTY, USED] += 1
                told[roller, TRACKS + PENALTY, EARNED] -= np.int64(view.penalty_points)
            finish_pair(view, move)
        for seat in range(view.seats):
            for track in range(TRACKS):
                marks = marks_on(view.sheet_marks[seat], track)
                told[seat, track, USED] = marks
                told[seat, track, EARNED] = view.points[marks]
                passed = False
                for position in range(LAST - 1, -1, -1):
                    marked = told[seat, 3 * TRACKS + LAST * track + position, USED] > 0
                    if passed and not marked:
                        told[seat, 3 * TRACKS + LAST * (TRACKS + track) + position, USED] = 1
                    passed |= marked


def tally_elements(rules: CrossOffRules, logs: Any, outcomes: NDArray[np.int16]) -> Tallies:
    """Return counts and values of logged games, shape (games, seats, elements, 2)."""
    games, seats = outcomes.shape[:2]
    tallies = np.zeros((games, seats, 3 * TRACKS + 2 * TRACKS * LAST, 2), np.int64)
    tally_sheets(new_views(rules, seats)[0], logs, tallies)
    return tallies


# --- Registration ----------------------------------------------------------------------------------------------------

CROSS_OFF = register(
    Game(
        name="cross-off",
        title="Cross Off",
        summary="roll-and-write on four tracks; the more marks on a track the better",
        source="the Cross Off rulebook; the family of Qwixx (Steffen Benndorf, 2012)",
        rules_version="1",
        history={"1": "first version"},
        rules=CrossOffRules,
        variants=VARIANTS,
        seats=(1, MAX_SEATS),
        decisions=(
            "sum: mark the sum of the plain dice on one track, or pass (every seat, at the same time)",
            "pair: mark the sum of a plain and a coloured die on that colour's track, or pass (the roller)",
        ),
        extra_columns=COLUMNS,
        margin=0.5,
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
            "mark_points": (tuple(range(0, 65, 5)),),
            "marks_to_close": (4, 6),
            "penalty_points": (3, 8),
            "penalties_to_end": (3, 5),
            "tracks_to_end": (1, 3),
        },
        end_reasons=END_REASONS,
        standings=standings,
        choices=choices,
        elements=ElementFacts(element_kinds, tally_elements),
    )
)
