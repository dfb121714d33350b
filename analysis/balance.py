"""Balance: is the game fair to its seats, how does it run, how much is skill, and what does each kind of move matter.

Counts over all deals give seat shares, ties and length. Records of a sample of them give the course of a game (see
`analysis.records`). A field of players, each in the first player's place on the same deals, gives the skill ladder, the
price of every restriction, and the split of scores into luck and skill.
"""

import dataclasses
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from analysis.comparisons import FEWEST_BLOCKS, Verdict, decide
from analysis.frames import defined
from analysis.histogram import Histogram
from analysis.intervals import Interval, mean_interval, share_interval, student_interval
from analysis.luck import VarianceSplit, split_moments
from analysis.records import choices_by_turn, end_reasons, measure, record_games, save_records, summarise
from analysis.simultaneous import Contrast, Moments, multinomial_intervals, simultaneous_intervals
from sims.design import LARGEST_DEALS, Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import SCORE, WIN, WIN_UNIT, Game, Rules, find_game
from sims.run import run
from sims.table import Player
from strategies.api import Strategy, noisy, restrict
from strategies.specs import builtin_restrictions, builtin_strategies, find_strategy

if TYPE_CHECKING:
    import pandas as pd

RATES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
"""Rungs of the noise ladder: how often a player makes a random move instead of its own."""

MARGIN = 0.01
"""The difference from a fair share of wins that does not matter, unless the user names one."""

WIDTH = 80

SeatVerdict = Literal["fair", "unfair", "undecided"]
Method = Literal["goodman", "max-t over blocks"]

LABELS = {
    "turns": "turns",
    "decided_at": "decided at turn",
    "decided_share": "decided after, of all turns",
    "lead_changes": "lead changes",
    "winner_behind": "winner behind, of all turns",
    "drama": "drama: mean deficit, points",
    "largest_deficit": "largest deficit, points",
    "decisions": "decisions of all seats",
    "choices_a_decision": "choices a decision",
    "forced": "decisions without a choice",
}
SHARES = ("decided_share", "winner_behind", "forced")


# --- Counting --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BalanceCounts:
    """The exact counts of a line-up's games by seat; adding two merges their deals.

    Attributes
    ----------
    wins, scores
        Moments of a block's sums by seat: of wins (in `WIN_UNIT`ths), and of scores.
    shared, unwon
        By block: the games with a shared win, and those that nobody won.
    lengths, block_lengths
        The turns of each game (of its longest seat), and their sum over a block; empty when the game does not tell.
    ends
        Games by the value of the column `end`; empty when there is none.
    """

    wins: Moments
    scores: Moments
    shared: Histogram
    unwon: Histogram
    lengths: Histogram
    block_lengths: Histogram
    ends: Histogram

    def __add__(self, other: "BalanceCounts") -> "BalanceCounts":
        """Return the counts of both sets of deals together."""
        return BalanceCounts(
            *(getattr(self, item.name) + getattr(other, item.name) for item in dataclasses.fields(self))
        )


def count_balance(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> BalanceCounts:
    """Count the outcomes of one chunk of a design with one line-up."""
    array = outcomes[0]
    rotations = len(array)
    game = design.game
    names = [column.name for column in game.columns]
    wins = array[..., WIN]
    empty = Histogram(0, np.zeros(0, np.int64))
    lengths = array[..., names.index(game.length)].max(axis=2).astype(np.int64) if game.length else None
    return BalanceCounts(
        wins=Moments.from_scores(wins.sum(axis=0, dtype=np.int64), rotations * WIN_UNIT),
        scores=Moments.from_scores(array[..., SCORE].sum(axis=0, dtype=np.int64), rotations),
        shared=Histogram.from_scores(((wins > 0) & (wins < WIN_UNIT)).any(axis=2).sum(axis=0)),
        unwon=Histogram.from_scores((wins <= 0).all(axis=2).sum(axis=0)),
        lengths=empty if lengths is None else Histogram.from_scores(lengths),
        block_lengths=empty if lengths is None else Histogram.from_scores(lengths.sum(axis=0)),
        ends=Histogram.from_scores(array[:, :, 0, names.index("end")]) if game.end_reasons else empty,
    )


@dataclass(frozen=True, eq=False)
class FieldCounts:
    """The exact counts of many players, each in turn in the first player's place; adding two merges their deals.

    Attributes
    ----------
    scores
        Moments of the player's score by player and rotation, rotations running fastest.
    wins
        The player's wins by player, in `WIN_UNIT`ths.
    """

    scores: Moments
    wins: tuple[int, ...]

    def __add__(self, other: "FieldCounts") -> "FieldCounts":
        """Return the counts of both sets of deals together."""
        wins = tuple(mine + theirs for mine, theirs in zip(self.wins, other.wins, strict=True))
        return FieldCounts(self.scores + other.scores, wins)


def count_field(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> FieldCounts:
    """Count the first player of every line-up of one chunk."""
    scores, wins = [], []
    for lineup, array in enumerate(outcomes):
        own = [array[rotation, :, seating.index(0)] for rotation, seating in enumerate(design.seatings(lineup))]
        scores += [values[:, SCORE] for values in own]
        wins.append(sum(int(values[:, WIN].sum(dtype=np.int64)) for values in own))
    return FieldCounts(Moments.from_scores(np.stack(scores, axis=1)), tuple(wins))


def combine(moments: Moments, weights: ArrayLike, scale: int) -> Moments:
    """Return the exact moments of weighted sums of block scores.

    Parameters
    ----------
    moments
        Of K columns.
    weights : array_like of int, shape (m, K)
        Each row makes one new column.
    scale
        The number of seat-games of a new column.
    """
    rows = np.array(weights, object)
    sums = rows @ np.array(moments.sums, object)
    products = rows @ np.array(moments.products, object) @ rows.T
    return Moments(moments.blocks, tuple(sums.tolist()), tuple(map(tuple, products.tolist())), scale)


# --- Seats -----------------------------------------------------------------------------------------------------------


class SeatShare(NamedTuple):
    """What a seat gets: its share of wins, and its points above the mean of the other seats, with simultaneous ends."""

    seat: int
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
        deviations = combine(counts.wins, from_mean, counts.wins.scale * seats)
        contrasts = simultaneous_intervals(deviations, "means", confidence)
        ends = [Interval(fair + contrast.low, fair + contrast.high) for contrast in contrasts]
    points = simultaneous_intervals(
        combine(counts.scores, from_mean, counts.scores.scale * (seats - 1)), "means", confidence
    )
    shares = tuple(
        SeatShare(seat, float(wins), end.low, end.high, ahead.effect, ahead.low, ahead.high)
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
    """Return one of Goodman's intervals for as many cells as seats, of a sum of wins in `WIN_UNIT`ths."""

    def against_rest(wins: int) -> Interval:
        # Goodman shares the error among all cells; a cell and its rest are two.
        return multinomial_intervals([wins, games - wins], 1 - 2 * (1 - confidence) / seats)[0]

    return Interval(against_rest(total // WIN_UNIT).low, against_rest(-(-total // WIN_UNIT)).high)


# --- The field -------------------------------------------------------------------------------------------------------


class Rung(NamedTuple):
    """A player of a ladder: points a game, share of wins, what it is ahead of the next rung, and its level from 1."""

    strategy: str
    mean: float
    low: float
    high: float
    wins: float
    ahead: float
    ahead_low: float
    ahead_high: float
    level: int | None


@dataclass(frozen=True)
class Ladder:
    """Players from strong to weak, on the same deals.

    Attributes
    ----------
    rungs
        The players. Intervals of differences hold for all pairs at once.
    levels
        How many levels can be told apart: the interval of the difference from the first rung of one level to the first
        of the next lies above the game's margin. None below 30 blocks.
    blocks
        The deals.
    """

    rungs: tuple[Rung, ...]
    levels: int | None
    blocks: int


class Loss(NamedTuple):
    """What a player loses in points a game by a restriction, with simultaneous ends, and what that says of it."""

    restriction: str
    loss: float
    low: float
    high: float
    verdict: Verdict


def ladder(moments: Moments, specs: Sequence[str], wins: Sequence[float], margin: float, *, ordered: bool) -> Ladder:
    """Put players on a ladder.

    Parameters
    ----------
    moments
        Of the players' block scores.
    specs, wins
        Their names, and their shares of wins.
    margin
        The difference in points a game that does not matter.
    ordered
        Whether they stand in the order of the ladder already; otherwise the best mean comes first.
    """
    count = len(specs)
    order = list(range(count)) if ordered else sorted(range(count), key=lambda place: (-moments.sums[place], place))
    sorted_moments = moments.only(order)
    pairs: dict[tuple[int, int | None], Contrast] = {}
    if count > 1:
        pairs = {(pair.strategy, pair.other): pair for pair in simultaneous_intervals(sorted_moments)}
    rungs: list[Rung] = []
    level, anchor = 1, 0
    for place, who in enumerate(order):
        if place and pairs[anchor, place].low > margin:
            level, anchor = level + 1, place
        mean, error = sorted_moments.mean(place)
        ends = student_interval(mean, error, moments.blocks)
        ahead = pairs.get((place, place + 1))
        difference = (ahead.effect, ahead.low, ahead.high) if ahead else (math.nan,) * 3
        known = level if moments.blocks >= FEWEST_BLOCKS else None
        rungs.append(Rung(specs[who], mean, ends.low, ends.high, wins[who], *difference, known))
    return Ladder(tuple(rungs), level if moments.blocks >= FEWEST_BLOCKS else None, moments.blocks)


def losses(moments: Moments, names: Sequence[str], margin: float, confidence: float = 0.95) -> tuple[Loss, ...]:
    """Say what each restriction costs.

    Parameters
    ----------
    moments
        Of block scores: the free player first, then the restricted ones.
    names
        Of the restrictions.
    margin
        The difference in points a game that does not matter.
    confidence
        That all intervals hold at once (max-t over blocks).

    Returns
    -------
    The dearest first. The verdict is on the restricted player: "worse" when it loses for certain.
    """
    if not names:
        return ()
    count = len(names)
    weights = np.hstack([np.ones((count, 1), int), -np.eye(count, dtype=int)])
    found = [
        Loss(
            name,
            cost.effect,
            cost.low,
            cost.high,
            decide(Interval(-cost.high, -cost.low), moments.blocks, margin),
        )
        for name, cost in zip(
            names, simultaneous_intervals(combine(moments, weights, moments.scale), "means", confidence), strict=True
        )
    ]
    return tuple(sorted(found, key=lambda loss: -loss.loss))


@dataclass(frozen=True)
class Field:
    """What many players on the same deals, each in the first player's place, tell of a game.

    Attributes
    ----------
    noise
        The first player with more and more random moves.
    players
        The built-in players, with the first player.
    losses
        What the first player loses with each built-in restriction.
    split
        The variance of the scores of `players` by deal, strategy and seat; None for fewer than two of them.
    """

    noise: Ladder
    players: Ladder
    losses: tuple[Loss, ...]
    split: VarianceSplit | None


def play_field(
    design: Design,
    base: Strategy,
    levels: Sequence[Strategy],
    *,
    rates: Sequence[float] = RATES,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> Field:
    """Play a field of players in the place of the first player of a design's line-up.

    Parameters
    ----------
    design
        The deals, and the line-up whose first player is replaced; all rotations are played.
    base
        The first player.
    levels
        The players to compare it with.
    rates
        Rungs of the noise ladder. A player that is noisy (restricted) already gets no further noise (restriction).
    n_jobs, backend, progress
        See `sims.run.run`.
    """
    noise = [base]
    if not (base.noise or base.rollout_noise):
        noise = [noisy(base, rate) if rate else base for rate in rates]
    limits = [] if base.restriction else builtin_restrictions(base.game)
    restricted = [restrict(base, limit) for limit in limits]
    players: dict[str, Player] = {base.spec: base.player()}
    players.update((who.spec, who.player()) for who in (*noise, *levels, *restricted))
    specs = list(players)
    field = dataclasses.replace(
        design, lineups=tuple((player, *design.lineups[0][1:]) for player in players.values()), rotate=True
    )
    counts = run(field, count_field, n_jobs=n_jobs, backend=backend, progress=progress).result
    seatings = field.seatings(0)
    rotations = len(seatings)

    def of(chosen: Sequence[str]) -> Moments:
        weights = np.array([np.repeat([spec == one for one in specs], rotations) for spec in chosen], int)
        return combine(counts.scores, weights, rotations)

    def place(chosen: Sequence[str], *, ordered: bool) -> Ladder:
        unit = WIN_UNIT * rotations * design.deals
        wins = [counts.wins[specs.index(spec)] / unit for spec in chosen]
        return ladder(of(chosen), chosen, wins, design.game.margin, ordered=ordered)

    known = list(dict.fromkeys([base.spec, *(level.spec for level in levels)]))
    names = [limit.spec for limit in limits]
    return Field(
        place([who.spec for who in noise], ordered=True),
        place(known, ordered=False),
        losses(of([base.spec, *(who.spec for who in restricted)]), names, design.game.margin),
        _split(counts.scores, [specs.index(spec) for spec in known], [seating.index(0) for seating in seatings]),
    )


def _split(moments: Moments, chosen: Sequence[int], seats: Sequence[int]) -> VarianceSplit | None:
    """Split the variance of some players' scores; `seats` is where a player sits in each rotation."""
    if len(chosen) < 2 or moments.blocks < 2:
        return None
    rotations = len(seats)
    columns = np.arange(moments.strategies).reshape(-1, rotations)[list(chosen)]
    if rotations > 1 and sorted(seats) == list(range(rotations)):
        return split_moments(moments.only(columns[:, np.argsort(seats)].ravel().tolist()), rotations)
    every = np.eye(moments.strategies, dtype=int)
    return split_moments(combine(moments, every[columns].sum(axis=1), rotations))


# --- The result ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Balance:
    """What `balance` found.

    Attributes
    ----------
    design
        What was played.
    counts
        The exact counts of all deals.
    seats
        The verdict on the seats; None for one seat.
    records
        The records of the sample, one row a game.
    field
        Ladder, restrictions, luck and skill; None when no deals were asked for.
    seconds, games
        How long it took, and the games that were played for the seats.
    """

    design: Design
    counts: BalanceCounts
    seats: Seats | None
    records: pl.DataFrame
    field: Field | None
    seconds: float
    games: int

    @property
    def rotations(self) -> int:
        """The rotations of a deal that were played: one when all players are alike."""
        return self.counts.scores.scale

    def games_with(self, per_block: Histogram) -> tuple[float, Interval]:
        """Return the share of games that a histogram by block counts, and its interval (over blocks)."""
        if self.rotations == 1:
            return per_block.mean, share_interval(per_block.score_sum, per_block.total)
        ends = mean_interval(per_block)
        return per_block.mean / self.rotations, Interval(ends.low / self.rotations, ends.high / self.rotations)

    def length(self) -> dict[str, float] | None:
        """Return mean, interval and quantiles of the turns of a game, from all games; None when it does not tell."""
        if not self.counts.lengths.total:
            return None
        ends = mean_interval(self.counts.block_lengths)
        lengths = self.counts.lengths
        return {
            "mean": lengths.mean,
            "low": ends.low / self.rotations,
            "high": ends.high / self.rotations,
            "q05": lengths.quantile(0.05),
            "median": lengths.median,
            "q95": lengths.quantile(0.95),
        }

    def end_reasons(self) -> dict[str, int]:
        """Return games by the reason why they ended: from all games when an outcome column tells, else the sample."""
        reasons = self.design.game.end_reasons
        if reasons:
            return {reasons[value]: count for value, count in self.counts.ends.to_dict().items()}
        return end_reasons(self.records)

    def course(self) -> pl.DataFrame:
        """Return the metrics of the sample, a row a metric; see `analysis.records.summarise`."""
        return summarise(measure(self.records))

    def summary(self) -> pl.DataFrame:
        """Return all figures in one tidy frame: `section`, `item`, `value`, `low`, `high`, `blocks`."""
        rows: list[tuple[str, str, float, float, float, int]] = []
        blocks = self.design.deals
        for share in self.seats.shares if self.seats else ():
            rows.append(("wins", f"seat {share.seat}", *share[1:4], blocks))
        for share in self.seats.shares if self.seats else ():
            rows.append(("points ahead of the other seats", f"seat {share.seat}", *share[4:7], blocks))
        for name, histogram in (("shared wins", self.counts.shared), ("no winner", self.counts.unwon)):
            value, ends = self.games_with(histogram)
            rows.append(("games", name, value, ends.low, ends.high, blocks))
        length = self.length()
        if length:
            rows.append(("games", "length", length["mean"], length["low"], length["high"], blocks))
        for item in self.course().iter_rows(named=True):
            rows.append(("course", item["metric"], item["mean"], item["low"], item["high"], item["blocks"]))
        if self.field:
            for cause, part in self.field.split.shares.items() if self.field.split else ():
                rows.append(("variance", cause, part, math.nan, math.nan, self.field.players.blocks))
            for section, found in (("noise ladder", self.field.noise), ("player ladder", self.field.players)):
                rows += [(section, rung.strategy, rung.mean, rung.low, rung.high, found.blocks) for rung in found.rungs]
            for loss in self.field.losses:
                rows.append(("loss by restriction", *loss[:4], self.field.players.blocks))
        numbers = ("value", "low", "high")
        schema = {"section": pl.String, "item": pl.String, **dict.fromkeys(numbers, pl.Float64), "blocks": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(numbers).fill_nan(None))

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return all that was found as JSON values; what is not defined is null."""
        shared, shared_ends = self.games_with(self.counts.shared)
        unwon, unwon_ends = self.games_with(self.counts.unwon)
        field = self.field
        told = {
            "verdict": self.seats.verdict if self.seats else None,
            "margin": self.seats.margin if self.seats else None,
            "method": self.seats.method if self.seats else None,
            "fair_share": self.seats.fair if self.seats else None,
            "seats": [share._asdict() for share in self.seats.shares] if self.seats else [],
            "shared_wins": {"share": shared, **shared_ends._asdict()},
            "no_winner": {"share": unwon, **unwon_ends._asdict()},
            "length": self.length(),
            "end_reasons": self.end_reasons(),
            "sample": len(self.records),
            "course": self.course().to_dicts(),
            "choices_by_turn": choices_by_turn(self.records).to_dicts(),
            "variance": {
                "shares": field.split.shares,
                "luck": field.split.luck,
                "skill": field.split.skill,
            }
            if field and field.split
            else None,
            "noise_ladder": _ladder_dict(field.noise) if field else None,
            "player_ladder": _ladder_dict(field.players) if field else None,
            "restrictions": [loss._asdict() for loss in field.losses] if field else [],
            "seed": self.design.seed,
            "rules_version": self.design.game.rules_version,
            "design": self.design.to_dict(),
        }
        return dict(defined(told))

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        parts = [self._seats_text(), self._games_text(), self._course_text()]
        if self.field:
            parts += [
                self._variance_text(),
                _ladder_text("Skill: random moves instead of its own", self.field.noise, self.seats is None),
                _ladder_text("Skill: different players", self.field.players, self.seats is None),
                self._losses_text(),
            ]
        return "\n\n".join(part for part in parts if part)

    def _seats_text(self) -> str:
        players = ", ".join(player.spec for player in self.design.lineups[0])
        turns = f"played under {self.rotations} rotations"
        if self.rotations == 1:
            turns = "played once" if self.seats is None else "played once as all players are alike"
        head = _wrap(
            f"{self.design.game.title}, rules version {self.design.game.rules_version}: {players}; "
            f"{_deals(self.design.deals)} of seed {self.design.seed}, {turns}."
        )
        if self.seats is None:
            return head
        rows = [
            (
                str(share.seat),
                _percent(share.wins),
                _span(share.low, share.high, _percent),
                _points(share.points),
                _span(share.points_low, share.points_high, _points),
            )
            for share in self.seats.shares
        ]
        headers = ("seat", "wins", "95 % interval", "points ahead of others", "95 % interval")
        goodman = self.seats.method == "goodman"
        note = "Intervals hold for all seats at once: " + (
            "Goodman's for wins, as the games are independent; max-t over blocks for points."
            if goodman
            else "max-t over blocks, each of them one deal under all rotations."
        )
        return "\n\n".join([head, _wrap(self._seats_sentence(self.seats)), _table(headers, rows), _wrap(note)])

    def _seats_sentence(self, seats: Seats) -> str:
        margin, fair = f"{100 * seats.margin:.10g} %", _percent(seats.fair)
        if self.design.deals < FEWEST_BLOCKS:
            return f"Seats undecided: {_deals(self.design.deals)} cannot carry a verdict: that takes {FEWEST_BLOCKS}."
        if seats.verdict == "fair":
            return f"The seats are fair: every share of wins is within {margin} of {fair}."
        off = [share for share in seats.shares if share.low > seats.fair or share.high < seats.fair]
        worst = max(off or seats.shares, key=lambda share: abs(share.wins - seats.fair))
        found = f"seat {worst.seat} wins {_percent(worst.wins)} ({_span(worst.low, worst.high, _percent)})"
        if seats.verdict == "unfair":
            return f"The seats are unfair: {found}; {fair} would be fair."
        return f"Seats undecided: {found}; fair is {fair}, the margin {margin}. More deals would narrow the interval."

    def _games_text(self) -> str:
        rows: list[tuple[str, ...]] = []
        for name, histogram in (("shared wins", self.counts.shared), ("no winner", self.counts.unwon)):
            if histogram.tail(1) > 0 or (name == "shared wins" and self.seats is not None):
                value, ends = self.games_with(histogram)
                rows.append((name, _percent(value), _span(ends.low, ends.high, _percent), "", "", ""))
        length = self.length()
        if length:
            quantiles = (f"{length[key]:g}" for key in ("q05", "median", "q95"))
            rows.append(("turns", _points(length["mean"]), _span(length["low"], length["high"], _points), *quantiles))
        reasons = self.end_reasons()
        rows += [
            (f"ended by {reason}", _percent(count / sum(reasons.values())), "", "", "", "")
            for reason, count in reasons.items()
        ]
        return _table(("all games", "mean", "95 % interval", "q05", "median", "q95"), rows) if rows else ""

    def _course_text(self) -> str:
        course = self.course()
        if course.is_empty():
            return ""
        rows = []
        for item in course.iter_rows(named=True):
            if item["metric"] == "turns" and self.counts.lengths.total:
                continue  # told from all games
            shown = _percent if item["metric"] in SHARES else _points
            quantiles = (shown(item[key]).removesuffix(" %").removesuffix(".00") for key in ("q05", "median", "q95"))
            rows.append(
                (LABELS[item["metric"]], shown(item["mean"]), _span(item["low"], item["high"], shown), *quantiles)
            )
        heading = f"{len(self.records):,} games from their records"
        return _table((heading, "mean", "95 % interval", "q05", "median", "q95"), rows)

    def _variance_text(self) -> str:
        if not (self.field and self.field.split):
            return ""
        split = self.field.split
        rows = [(cause, _percent(part)) for cause, part in split.shares.items()]
        luck = "deal" if self.seats is None else "deal, seat, both"
        note = (
            f"Luck ({luck}) {_percent(split.luck)}, skill (strategy) {_percent(split.skill)}; the rest depends on what "
            "meets what, and on chance in play."
        )
        count = len(self.field.players.rungs)
        return f"{_table((f'variance of the scores of {count} players', 'share'), rows)}\n\n{_wrap(note)}"

    def _losses_text(self) -> str:
        if not (self.field and self.field.losses):
            return ""
        base = self.design.lineups[0][0].spec
        rows = [
            (loss.restriction, _points(loss.loss), _span(loss.low, loss.high, _points), loss.verdict)
            for loss in self.field.losses
        ]
        note = f"What {base} loses in points a game when it never makes such a move, if it has another."
        return f"{_table(('restriction', 'loss', '95 % interval', 'verdict'), rows)}\n\n{_wrap(note)}"


def _ladder_dict(found: Ladder) -> dict[str, Any]:
    rungs = [rung._asdict() for rung in found.rungs]
    return {"levels": found.levels, "blocks": found.blocks, "rungs": rungs}


def _ladder_text(title: str, found: Ladder, solo: bool) -> str:
    if len(found.rungs) < 2:
        return ""
    rows: list[tuple[str, ...]] = [
        (
            rung.strategy,
            _points(rung.mean),
            _percent(rung.wins),
            _points(rung.ahead),
            _span(rung.ahead_low, rung.ahead_high, _points),
            "-" if rung.level is None else str(rung.level),
        )
        for rung in found.rungs
    ]
    headers: tuple[str, ...] = ("strategy", "points", "wins", "ahead of next", "95 % interval", "level")
    if solo:  # everybody wins alone
        headers, rows = (headers[:2] + headers[3:]), [row[:2] + row[3:] for row in rows]
    note = f"{_deals(found.blocks)} cannot tell levels apart: that takes {FEWEST_BLOCKS}."
    if found.levels is not None:
        note = f"{len(rows)} players, {found.levels} distinguishable levels on {_deals(found.blocks)}."
    return f"{title}\n\n{_table(headers, rows)}\n\n{_wrap(note)}"


def _deals(count: int) -> str:
    return "1 deal" if count == 1 else f"{count:,} deals"


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:z.2f} %"


def _points(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:z.2f}"


def _span(low: float, high: float, shown: Any) -> str:
    return "-" if math.isnan(low) else f"{shown(low).removesuffix(' %')} to {shown(high)}"


def _wrap(text: str) -> str:
    joined = text.replace(" %", "\N{NO-BREAK SPACE}%")
    return textwrap.fill(joined, WIDTH, break_on_hyphens=False).replace("\N{NO-BREAK SPACE}", " ")


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as text, the first column wrapped so that all fit, the others to the right."""
    widths = [max(len(row[place]) for row in (headers, *rows)) for place in range(len(headers))]
    first = min(widths[0], WIDTH - sum(width + 2 for width in widths[1:]))
    lines = []
    for row in (headers, ["-" * first, *("-" * width for width in widths[1:])], *rows):
        parts = textwrap.wrap(row[0], first, break_on_hyphens=False) or [""]
        numbers = "".join(f"  {text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        lines += [f"{parts[0]:<{first}}{numbers}".rstrip(), *parts[1:]]
    return "\n".join(lines)


# --- The verb --------------------------------------------------------------------------------------------------------


def balance(
    game: str | Game,
    lineup: "str | Strategy | Sequence[str | Strategy]",
    *,
    deals: int = 100_000,
    seed: int = 1,
    variant: "str | Rules | None" = None,
    margin: float = MARGIN,
    sample: int = 1_000,
    ladder_deals: int = 2_000,
    levels: "Sequence[str | Strategy] | None" = None,
    records: Path | str | None = None,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    progress: bool = True,
) -> Balance:
    """Measure how balanced a game is, and how it runs, between given players.

    Parameters
    ----------
    game
        The game's name.
    lineup
        Who sits at the table. When all are alike each deal is played once, as to turn the table would change nothing;
        otherwise each deal is played under all rotations.
    deals, seed
        Which deals.
    variant
        The name of a variant, or a rules object.
    margin
        The difference from a fair share of wins that does not matter, from 0 to 1.
    sample
        How many of the deals are recorded, for the course of a game; 0 for none.
    ladder_deals
        How many of the deals the field of players plays (see `play_field`), the most laborious part; 0 for none.
    levels
        The players to put on the ladder; by default all built-in ones.
    records
        A Parquet file to save the records to.
    n_jobs, backend, store, progress
        See `simulate`; the store keeps the games that the seats are judged by.

    Returns
    -------
    Balance

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    found = find_game(game)
    rules = found.resolve_rules(variant)
    if isinstance(lineup, str | Strategy):
        lineup = [lineup]
    chosen = [find_strategy(found.name, spec) for spec in lineup]
    others = builtin_strategies(found.name) if levels is None else [find_strategy(found.name, one) for one in levels]
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin <= 1:
        raise UsageError(f"margin={margin!r} does not fit: it takes a share of wins from 0 to 1, such as 0.01")
    check_whole("sample", sample, 0, LARGEST_DEALS)
    check_whole("ladder_deals", ladder_deals, 0, LARGEST_DEALS)
    alike = len({strategy.digest for strategy in chosen}) == 1
    players = tuple(strategy.player() for strategy in chosen)
    design = Design(found, rules, (players,), seed=seed, deals=deals, rotate=not alike)
    played = run(design, count_balance, n_jobs=n_jobs, backend=backend, store=store, progress=progress)
    recorded = record_games(design, sample)
    if records is not None:
        save_records(recorded, records)
    field = None
    if ladder_deals:
        few = dataclasses.replace(design, deals=min(deals, ladder_deals))
        field = play_field(few, chosen[0], others, n_jobs=n_jobs, backend=backend, progress=progress)
    seats = seat_balance(played.result, margin) if len(chosen) > 1 else None
    return Balance(design, played.result, seats, recorded, field, played.seconds, played.games)
