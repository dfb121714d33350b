"""Players of Cross Off, from the zero point of every comparison to the strongest made by hand.

Nearly all rate a mark by three things: how many numbers it passes over, what the marks on its track will be worth, and
how near the game's end is. The last two are looked up in tables, solved when the module is imported: a track alone is a
small game against chance.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims.bits import ONE, Word, bit_count, lowest_bit
from sims.cross_off import (
    LAST,
    MAX_MARKS,
    MAX_SEATS,
    PAIR,
    PASS,
    SIDES,
    SUM,
    TRACKS,
    CrossOffRules,
    after_mark,
    gain,
    is_last,
    last_place,
    lead,
    marks_on,
    one_more_ends,
    pair_bits,
    place_of,
    random_move,
    skips,
    takes_penalty,
    track_of,
)
from sims.jit import jit
from strategies.api import Parameter, heuristic, restriction, strategy
from strategies.cross_off_optimal import optimal

__all__ = ["optimal"]  # a player like those below, with a file of its own

GAME = "cross-off"

PANEL = ("score-aware", "careful-close", "expectation", "conservative", "rusher")
"""Who stands for the game in reports, the strongest first."""

# --- Tables ----------------------------------------------------------------------------------------------------------

NEVER = 99.0  # turns to close a track that cannot be closed any more
MOST_TURNS = 40  # that are looked ahead
MOST_NEEDED = 10  # marks that an option can ask for before the last number


def offers() -> NDArray[np.float64]:
    """Return how likely a turn offers a number to a track, by seats − 1 and position − 1, shape (5, 11).

    Every turn offers the sum of the plain dice, and one turn of `seats` pairs as well. All tracks are alike: with the
    dice turned over, an upward track is a downward one.
    """
    others, own = np.zeros(LAST), np.zeros(LAST)
    for first, second, coloured in np.ndindex(SIDES, SIDES, SIDES):
        others[first + second] += 1 / SIDES**3
        for place in {first + second, first + coloured, second + coloured}:
            own[place] += 1 / SIDES**3
    return np.array([others + (own - others) / seats for seats in range(1, MAX_SEATS + 1)])


def close_times(offered: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return about how many turns it takes to close a track, for somebody who wants nothing else.

    Solved as if a turn offered one number at most; that it sometimes offers two or three hardly matters.

    Parameters
    ----------
    offered
        See `offers`.

    Returns
    -------
    array of float32
        By seats − 1, marks that the last number needs, position of the last mark, and marks: shape (5, 11, 11, 13).
    """
    shape = (MAX_SEATS, MOST_NEEDED + 1, LAST, MAX_MARKS + 1)
    times = np.full(shape, NEVER)
    for seats, needed in np.ndindex(shape[:2]):
        for place in reversed(range(LAST)):
            for marks in range(place + 1):
                # Marks that shorten the rest, the shortest first; to wait for better is what optimal stopping says.
                rests = [(times[seats, needed, at, marks + 1], offered[seats, at - 1]) for at in range(place + 1, LAST)]
                rests += [(0.0, offered[seats, LAST - 1])] if marks >= needed else []
                chance, spent, best = 0.0, 1.0, NEVER
                for rest, share in sorted(rests):
                    if rest >= best:
                        break
                    chance += share
                    spent += share * rest
                    best = spent / chance
                times[seats, needed, place, marks] = min(best, NEVER)
    return times.astype(np.float32)


def track_worths(offered: NDArray[np.float64], share: float, price: float) -> NDArray[np.float32]:
    """Return what a track will score, by the turns that are left, when it is played for points alone.

    A number that is offered can be taken with probability `share` (another track may want the same roll), and costs
    `price` (the roll could have served another track). Numbers of one turn are added up as if they came apart.

    Parameters
    ----------
    offered
        See `offers`.
    share, price
        What the other tracks take from this one; found by play on the deals of seeds 1000 and up.

    Returns
    -------
    array of float32
        By seats − 1, marks that the last number needs, turns left, position of the last mark, and marks: shape
        (5, 11, 41, 11, 13). Points are those of the rulebook.
    """
    points = np.array([*CrossOffRules().mark_points, 0.0, 0.0])
    worths = np.zeros((MAX_SEATS, MOST_NEEDED + 1, MOST_TURNS + 1, LAST, MAX_MARKS + 1))
    worths[:, :, 0] = points[: MAX_MARKS + 1]
    after_last = np.where(
        np.arange(MAX_MARKS + 1) >= np.arange(MOST_NEEDED + 1)[:, None], points[2 : MAX_MARKS + 3], -np.inf
    )
    for turn in range(1, MOST_TURNS + 1):
        before = worths[:, :, turn - 1]
        now = worths[:, :, turn]
        now[:] = before
        for place in range(LAST):
            for at in range(place + 1, LAST + 1):
                marked = np.full(before[:, :, 0].shape, -np.inf)
                if at < LAST:
                    marked[:, :, :-1] = before[:, :, at, 1:]
                else:
                    marked[:] = after_last
                better = np.maximum(marked - before[:, :, place] - price, 0)
                now[:, :, place] += share * offered[:, at - 1, None, None] * better
    return worths.astype(np.float32)


OFFERS = offers()
CLOSE_TIMES = close_times(OFFERS)
TRACK_WORTHS = track_worths(OFFERS, 0.8, 2.0)

# --- Shared parts ----------------------------------------------------------------------------------------------------


@jit
def soonest_close(view: Any, track: Any) -> Any:
    """Return about how many turns the fastest sheet needs to close a track; more than all others when it is closed."""
    if (view.closed >> track) & 1:
        return 2 * NEVER
    row = CLOSE_TIMES[view.seats - 1, view.marks_to_close]
    soonest = NEVER
    for seat in range(view.seats):
        place = last_place(view.sheet_open[seat], track)
        soonest = min(soonest, float(row[place, marks_on(view.sheet_marks[seat], track)]))
    return soonest


@jit
def turns_left(view: Any) -> Any:
    """Return a rough number of turns until the game ends by closed tracks, when the fastest sheets want it.

    The game ends with the close of the last track that is still needed, the tracks taken in the order in which they can
    be closed.
    """
    first, second = soonest_close(view, 0), soonest_close(view, 1)
    third, fourth = soonest_close(view, 2), soonest_close(view, 3)
    low, high = min(first, second), max(first, second)
    other_low, other_high = min(third, fourth), max(third, fourth)
    needed = np.int64(view.tracks_to_end) - np.int64(bit_count(Word(view.closed)))
    if needed <= 1:
        return min(low, other_low)
    if needed >= 4:
        return max(high, other_high)
    middle, other_middle = max(low, other_low), min(high, other_high)
    return min(middle, other_middle) if needed == 2 else max(middle, other_middle)


@jit
def mark_worth(view: Any, sheet: Any, marks: Any, move: Any, turns: Any) -> Any:
    """Return by how much a mark raises what its track will score in this many turns."""
    track = track_of(move)
    row = TRACK_WORTHS[view.seats - 1, view.marks_to_close, turns]
    place, count = last_place(sheet, track), marks_on(marks, track)
    now = float(row[place, count])
    if is_last(move):
        return float(view.points[count + 2]) - now
    return float(row[place_of(move), count + 1]) - now


@jit
def best_pair(view: Any, sheet: Any, marks: Any, turns: Any) -> Any:
    """Return the most that a pair adds to what the tracks will score; 0 when none adds anything."""
    left = pair_bits(view) & sheet
    best = 0.0
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        best = max(best, mark_worth(view, sheet, marks, move, turns))
    return best


# --- Players ---------------------------------------------------------------------------------------------------------


@strategy(GAME, tags=["baseline"])
def uniform(view: Any, rng: Any, params: Any) -> Any:
    """Pass or make any legal mark, each equally likely: the zero point.

    It says what the rules alone give: about 4 points at two seats, and a game that ends by penalties.
    """
    return random_move(view, rng)


@heuristic(GAME, tags=["weak"])
def blunder(view: Any, move: Any, params: Any) -> Any:
    """Pass over as many numbers as it can: the control that has to lose.

    It always marks, so that it spoils its sheet instead of ending the game by penalties.
    """
    return -1.0 if move == PASS else float(skips(view.open, move))


@strategy(
    GAME,
    parameters=[
        Parameter("own", 2, 0, 10, "numbers that a mark may pass over in one's own turn"),
        Parameter("other", 1, 0, 10, "the same in the turn of another seat"),
    ],
    tags=["fast"],
)
def opportunist(view: Any, rng: Any, params: Any) -> Any:
    """Close when it can; else fewest skips, the longer track first.

    Marks are what scores, and skips are what costs marks. In its own turn it is less choosy, because a roller without a
    mark takes a penalty. It has no plan for the end of the game.
    """
    limit = np.int64(params[0]) if view.seat == view.roller else np.int64(params[1])
    left = Word(view.legal) ^ ONE
    best, rating = PASS, (limit + 1) * 16
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        if is_last(move):
            return move
        # Skips first, then the number of marks; of equals the first track.
        cost = skips(view.open, move) * 16 + 15 - marks_on(view.marks, track_of(move))
        if cost < rating:
            best, rating = move, cost
    return best


@strategy(GAME, parameters=[Parameter("most", 2, 0, 10, "numbers that a mark may pass over")], tags=["fast"])
def conservative(view: Any, rng: Any, params: Any) -> Any:
    """Make the mark with the fewest skips, if they are few enough.

    Never wastes much of a sheet, whoever rolls. It takes penalties that one more skip would have spared.
    """
    left = Word(view.legal) ^ ONE
    best, fewest = PASS, np.int64(params[0]) + 1
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        passed = skips(view.open, move)
        if passed < fewest:
            best, fewest = move, passed
    return best


@heuristic(
    GAME,
    parameters=[
        Parameter("marks", 1, 0, 20, "for each mark that the track has already"),
        Parameter("skip", 3, 0, 20, "what each number passed over costs"),
    ],
    tags=["race"],
)
def rusher(view: Any, move: Any, params: Any) -> Any:
    """Mark something at any price, on the longest track, and close.

    The end comes before the others are ready. It passes over much, so its own points are low, and it often ends a game
    that it loses.
    """
    if move == PASS:
        return -1000.0
    if is_last(move):
        return 1000.0
    return params[0] * marks_on(view.marks, track_of(move)) - params[1] * skips(view.open, move)


@heuristic(
    GAME,
    parameters=[
        Parameter("patience", 1, 0, 20, "turns that a mark on any track is worth by itself"),
        Parameter("strike", 6, 0, 50, "turns that a sure penalty is worth"),
    ],
    tags=["race"],
)
def race_to_close(view: Any, move: Any, params: Any) -> Any:
    """Bring the two tracks that close soonest nearer to their close.

    The turns that each track takes are looked up for somebody who wants nothing else, pairs of its own turns included.
    It plays a race that the longer tracks of others make it lose on points.
    """
    if move == PASS:
        return -params[1] if takes_penalty(view, move) else 0.0
    row = CLOSE_TIMES[view.seats - 1, view.marks_to_close]
    track = track_of(move)
    place, count = last_place(view.open, track), marks_on(view.marks, track)
    now = float(row[place, count])
    then = 0.0 if is_last(move) else float(row[place_of(move), count + 1])
    nearer = 0  # tracks that close sooner than this one as it stands
    for other in range(TRACKS):
        if other != track and not (view.closed >> other) & 1:
            nearer += row[last_place(view.open, other), marks_on(view.marks, other)] < then
    if nearer >= np.int64(view.tracks_to_end) - np.int64(bit_count(Word(view.closed))):
        return params[0] - skips(view.open, move)
    return params[0] + now - then


@heuristic(
    GAME,
    parameters=[
        Parameter("future", 7, 0, 100, "rolls for which the next number of each track counts"),
        Parameter("skip", 1.6, 0, 20, "points that each number passed over costs"),
        Parameter("concentration", 0, 0, 10, "points for each mark that the track has already"),
        Parameter("strike", 5, 0, 50, "points that a sure penalty counts, its own among them"),
    ],
    tags=["potential"],
)
def expectation(view: Any, move: Any, params: Any) -> Any:
    """Add the mark's points to what the track's next number promises.

    A track promises the chance that its next free number is rolled, times what a mark there would add. To skip numbers
    moves the track to numbers that are rolled more often (toward 7) or less (beyond it). It sees one mark ahead.
    """
    if move == PASS:
        return -params[3] if takes_penalty(view, move) else 0.0
    track = track_of(move)
    count = marks_on(view.marks, track)
    value = float(gain(view, move)) - params[1] * skips(view.open, move) + params[2] * count
    offered = OFFERS[view.seats - 1]
    place = last_place(view.open, track)
    step = float(view.points[count + 1] - view.points[count])
    now = offered[place] * step if place + 1 < LAST or count >= view.marks_to_close else 0.0
    then = 0.0
    if not is_last(move):
        place = np.int64(place_of(move))
        step = float(view.points[count + 2] - view.points[count + 1])
        then = offered[place] * step if place + 1 < LAST or count + 1 >= view.marks_to_close else 0.0
    return value + params[0] * (then - now)


@heuristic(
    GAME,
    parameters=[
        Parameter("skip", 1.6, 0, 50, "points that each number passed over costs"),
        Parameter("ahead", 0, -100, 100, "points that it wants to be ahead by when it ends the game"),
    ],
    tags=["race"],
)
def careful_close(view: Any, move: Any, params: Any) -> Any:
    """Close at once, but end the game only when ahead.

    A close is two marks and stops the others on that track; the last one also stops the game, which is good for the
    leader alone. Other marks are rated by their points less their skips.
    """
    if move == PASS:
        return -float(view.penalty_points) if takes_penalty(view, move) else 0.0
    if is_last(move):
        ends = one_more_ends(view)
        if ends and view.seats > 1 and lead(view, view.seat) + gain(view, move) < params[1]:
            return -1000.0
        return 1000.0
    return float(gain(view, move)) - params[0] * skips(view.open, move)


@strategy(
    GAME,
    parameters=[
        Parameter("most", 1, 0, 10, "numbers that a mark may pass over while no penalty threatens"),
    ],
    tags=["fast"],
)
def penalty_averse(view: Any, rng: Any, params: Any) -> Any:
    """Never take a penalty that a mark could spare; else skip little.

    As the roller it looks at the pairs too before it chooses for the sum step, since all dice lie on the table: when
    neither step offers a cheap mark, it makes the cheapest of all.
    """
    limit = np.int64(params[0])
    left = Word(view.legal) ^ ONE
    best, fewest = PASS, np.int64(LAST + 1)
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        passed = skips(view.open, move)
        if passed < fewest:
            best, fewest = move, passed
    if fewest <= limit or view.seat != view.roller:
        return best if fewest <= limit else PASS
    if view.step == PAIR:
        return PASS if view.marked else best
    left = pair_bits(view) & Word(view.open)
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        if skips(view.open, move) <= fewest:
            return PASS  # the pair step has a mark that is no dearer
    return best


HORIZON = [
    Parameter("pace", 0.6, 0, 5, "turns that are left with others at the table, for each that the fastest sheet needs"),
    Parameter("rival", 2.5, -20, 40, "turns that each other seat takes off"),
    Parameter("strike", 2.6, 0, 50, "points that a sure penalty counts"),
    Parameter("price", 2.2, -10, 20, "points that a mark has to add to be made"),
]


@jit
def plan(view: Any, params: Any, win: Any) -> Any:
    """Return the move that adds most to what the tracks will score in the turns that are left.

    With `win`, a mark that ends the game is made when that wins, and left when it loses.
    """
    others = view.seats - 1
    expected = turns_left(view) * (params[0] if others else 1.0) - params[1] * others
    turns = np.int64(min(max(expected, 0.0), float(MOST_TURNS)))
    sheet, marks = Word(view.open), Word(view.marks)
    looks = view.step == SUM and view.seat == view.roller
    best, most = PASS, 0.0
    if looks:
        most = max(best_pair(view, sheet, marks, turns) - params[3], -params[2])
    elif takes_penalty(view, PASS):
        most = -params[2]
    left = Word(view.legal) ^ ONE
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        value = mark_worth(view, sheet, marks, move, turns) - params[3]
        looks_on = True
        if is_last(move):
            ends = one_more_ends(view)
            if win and ends and view.seats > 1:
                ahead = lead(view, view.seat) + gain(view, move)
                value += 1000.0 if ahead > 0 else -1000.0
            looks_on = not ends
        if looks and looks_on:
            free, more = after_mark(view, sheet, marks, move)
            value += max(best_pair(view, free, more, turns) - params[3], 0.0)
        if value > most:
            best, most = move, value
    return best


@strategy(GAME, parameters=HORIZON, tags=["strong"])
def planner(view: Any, rng: Any, params: Any) -> Any:
    """Value each track by its own solved game, for the turns left.

    A track alone, with a known number of turns to go, is a small game against chance whose solution is looked up (see
    `track_worths`). How many turns are left is estimated from the sheet that closes tracks fastest. A mark is worth
    what it adds to its track, less a price for the roll; as the roller it looks at the pairs of the same roll first. It
    plays for points, and ends a game that it loses.
    """
    return plan(view, params, False)


@strategy(GAME, parameters=HORIZON, tags=["strong"])
def score_aware(view: Any, rng: Any, params: Any) -> Any:
    """Planner that ends the game when that wins, not when it loses.

    A mark that closes the last track needed is made when it leaves the seat ahead, whatever else it could still gain,
    and left alone when it does not. In the sum step others may mark at the same time, which it does not foresee.
    """
    return plan(view, params, True)


# --- Restrictions ----------------------------------------------------------------------------------------------------


@restriction(GAME)
def closes(view: Any, move: Any, params: Any) -> Any:
    """Mark the last number of a track."""
    return is_last(move)


@restriction(GAME)
def gaps(view: Any, move: Any, params: Any) -> Any:
    """Pass over a number that could still be marked."""
    return skips(view.open, move) > 0


@restriction(GAME)
def passes(view: Any, move: Any, params: Any) -> Any:
    """Pass while a mark is possible."""
    return Word(move) == PASS


@restriction(GAME)
def rolls_of_others(view: Any, move: Any, params: Any) -> Any:
    """Mark anything in the turn of another seat."""
    return view.seat != view.roller and Word(move) != PASS
