"""Seats: what each gets of wins and points, and whether they are treated alike.

In a team game the seats of a side win together, so the sides are counted, each by one of its seats.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from analysis.comparisons import decide
from analysis.histogram import Histogram
from analysis.intervals import Interval
from analysis.simultaneous import Moments, multinomial_intervals, simultaneous_intervals
from sims.design import Design, Outcomes
from sims.game import SCORE, WIN, WIN_UNIT

MARGIN = 0.01
"""The difference from a fair share of wins that does not matter, unless the user names one."""

SeatVerdict = Literal["fair", "unfair", "undecided"]
Method = Literal["goodman", "max-t over blocks"]


# --- Counting --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BalanceCounts:
    """The exact counts of a line-up's games by seat (or side); adding two merges their deals.

    Attributes
    ----------
    names
        Who is counted: "seat 0" and so on, or the sides of a team game.
    wins, scores
        Moments of a block's sums by seat: of wins (`WIN_UNIT` is one win), and of scores.
    shared, unwon
        By block: the games with a shared win, and those that nobody won.
    lengths, block_lengths
        The turns of each game (of its longest seat), and their sum over a block; empty when the game does not tell.
    ends
        Games by the value of the column `end`; empty when there is none.
    """

    names: tuple[str, ...]
    wins: Moments
    scores: Moments
    shared: Histogram
    unwon: Histogram
    lengths: Histogram
    block_lengths: Histogram
    ends: Histogram

    def __add__(self, other: "BalanceCounts") -> "BalanceCounts":
        """Return the counts of both sets of deals together."""
        counted = [item.name for item in dataclasses.fields(self) if item.name != "names"]
        return BalanceCounts(self.names, *(getattr(self, name) + getattr(other, name) for name in counted))


def count_balance(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> BalanceCounts:
    """Count the outcomes of one chunk of a design with one line-up."""
    game = design.game
    parties = game.parties(design.rules, outcomes[0].shape[2])
    array = outcomes[0][:, :, list(parties.values())]
    rotations = len(array)
    names = [column.name for column in game.columns]
    wins = array[..., WIN]
    empty = Histogram(0, np.zeros(0, np.int64))
    lengths = array[..., names.index(game.length)].max(axis=2).astype(np.int64) if game.length else None
    return BalanceCounts(
        names=tuple(parties),
        wins=Moments.from_scores(wins.sum(axis=0, dtype=np.int64), rotations * WIN_UNIT),
        scores=Moments.from_scores(array[..., SCORE].sum(axis=0, dtype=np.int64), rotations),
        shared=Histogram.from_scores(((wins > 0) & (wins < WIN_UNIT)).any(axis=2).sum(axis=0)),
        unwon=Histogram.from_scores((wins <= 0).all(axis=2).sum(axis=0)),
        lengths=empty if lengths is None else Histogram.from_scores(lengths),
        block_lengths=empty if lengths is None else Histogram.from_scores(lengths.sum(axis=0)),
        ends=Histogram.from_scores(array[:, :, 0, names.index("end")]) if game.end_reasons else empty,
    )


# --- The verdict -----------------------------------------------------------------------------------------------------


class SeatShare(NamedTuple):
    """What a seat (or side) gets: its share of wins, and its points above the mean of the others, with intervals."""

    seat: int
    name: str
    wins: float
    low: float
    high: float
    points: float
    points_low: float
    points_high: float


@dataclass(frozen=True)
class Seats:
    """Whether the seats are treated alike.

    Attributes
    ----------
    shares
        By seat.
    fair
        The share of wins that every seat would have.
    margin
        The difference from it that does not matter.
    method
        Of the intervals of the shares: Goodman's for independent games, else max-t over blocks.
    verdict
        "fair" when all shares are inside the margin, "unfair" when one is off the fair share, else "undecided".
    """

    shares: tuple[SeatShare, ...]
    fair: float
    margin: float
    method: Method
    verdict: SeatVerdict

    def summary(self) -> pl.DataFrame:
        """Return one row a seat (or side): the columns are the fields of `SeatShare`; what is not known is null."""
        numbers = ("wins", "low", "high", "points", "points_low", "points_high")
        schema = {"seat": pl.Int64, "name": pl.String, **dict.fromkeys(numbers, pl.Float64)}
        return pl.DataFrame(list(self.shares), schema=schema, orient="row").with_columns(pl.col(numbers).fill_nan(None))


def seat_balance(counts: BalanceCounts, margin: float = MARGIN, confidence: float = 0.95) -> Seats:
    """Judge the seats.

    Parameters
    ----------
    counts
        The exact counts.
    margin
        The difference from a fair share of wins that does not matter, 0 or more.
    confidence
        That all intervals of the shares hold at once; the same for those of the points.

    Notes
    -----
    With one rotation the games are independent, and the intervals Goodman's (Technometrics 7, 1965): binomial for each
    seat, the error shared among all. A shared win counts as a part of a win; as such shares vary less than whole wins,
    the intervals are then wider than they need be. With more rotations, or games that nobody wins, the block is the
    unit: each seat's share minus the mean share of all seats, with max-t intervals over blocks. Points are compared
    with the mean of the other seats in the same block, by max-t intervals over blocks.
    """
    seats, blocks = counts.wins.strategies, counts.wins.blocks
    from_mean = seats * np.eye(seats, dtype=int) - 1
    fair = float(counts.wins.means.mean())
    if counts.scores.scale == 1 and counts.unwon.tail(1) == 0:
        method: Method = "goodman"
        ends = [_goodman(total, blocks, seats, confidence) for total in counts.wins.sums]
    else:
        method = "max-t over blocks"
        deviations = counts.wins.combined(from_mean, counts.wins.scale * seats)
        contrasts = simultaneous_intervals(deviations, "means", confidence)
        ends = [Interval(fair + contrast.low, fair + contrast.high) for contrast in contrasts]
    ahead_of_others = counts.scores.combined(from_mean, counts.scores.scale * (seats - 1))
    points = simultaneous_intervals(ahead_of_others, "means", confidence)
    shares = tuple(
        SeatShare(seat, counts.names[seat], float(wins), end.low, end.high, ahead.effect, ahead.low, ahead.high)
        for seat, (wins, end, ahead) in enumerate(zip(counts.wins.means, ends, points, strict=True))
    )
    verdicts = [decide(Interval(share.low - fair, share.high - fair), blocks, margin) for share in shares]
    verdict: SeatVerdict = "undecided"
    if all(one == "equivalent" for one in verdicts):
        verdict = "fair"
    elif any(one in ("better", "worse") for one in verdicts):
        verdict = "unfair"
    return Seats(shares, fair, margin, method, verdict)


def _goodman(total: int, games: int, seats: int, confidence: float) -> Interval:
    """Return one of Goodman's intervals for as many cells as seats, of a sum of wins, `WIN_UNIT` being one win."""

    def against_rest(wins: int) -> Interval:
        # Goodman shares the error among all cells; a cell and its rest are two.
        return multinomial_intervals([wins, games - wins], 1 - 2 * (1 - confidence) / seats)[0]

    return Interval(against_rest(total // WIN_UNIT).low, against_rest(-(-total // WIN_UNIT)).high)
