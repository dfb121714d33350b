"""Ladders: a field of players on the same deals, from strong to weak, and what restrictions and luck do to them.

Each player has the first player's place in turn, so that all differences are paired.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from analysis.comparisons import FEWEST_BLOCKS, Verdict, decide
from analysis.intervals import Interval, student_interval
from analysis.luck import VarianceSplit, split_moments
from analysis.simultaneous import Contrast, Moments, simultaneous_intervals
from sims.design import Design, Outcomes
from sims.game import SCORE, WIN, WIN_UNIT
from sims.run import run
from sims.table import Player
from strategies.api import Strategy, noisy, restrict
from strategies.specs import builtin_restrictions

RATES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
"""Rungs of the noise ladder: how often a player makes a random move instead of its own."""


# --- Counting --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FieldCounts:
    """The exact counts of many players, each in turn in the first player's place; adding two merges their deals.

    Attributes
    ----------
    scores
        Moments of the player's score by player and rotation, rotations running fastest.
    wins
        The player's wins by player, as whole numbers: `WIN_UNIT` is one win.
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


# --- Ladders and losses ----------------------------------------------------------------------------------------------


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

    def summary(self) -> pl.DataFrame:
        """Return one row a rung, in order: the columns are the fields of `Rung`; what is not known is null."""
        numbers = ("mean", "low", "high", "wins", "ahead", "ahead_low", "ahead_high")
        schema = {"strategy": pl.String, **dict.fromkeys(numbers, pl.Float64), "level": pl.Int64}
        return pl.DataFrame(list(self.rungs), schema=schema, orient="row").with_columns(pl.col(numbers).fill_nan(None))


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
    tuple of Loss
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
            names, simultaneous_intervals(moments.combined(weights, moments.scale), "means", confidence), strict=True
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

    def restrictions(self) -> pl.DataFrame:
        """Return one row a restriction, the dearest first: the columns are the fields of `Loss`."""
        numbers = ("loss", "low", "high")
        schema = {"restriction": pl.String, **dict.fromkeys(numbers, pl.Float64), "verdict": pl.String}
        return pl.DataFrame(list(self.losses), schema=schema, orient="row").with_columns(pl.col(numbers).fill_nan(None))


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
        return counts.scores.combined(weights, rotations)

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
        split_field(counts.scores, [specs.index(spec) for spec in known], [seating.index(0) for seating in seatings]),
    )


def split_field(moments: Moments, chosen: Sequence[int], seats: Sequence[int]) -> VarianceSplit | None:
    """Split the variance of some players' scores; `seats` is where a player sits in each rotation."""
    if len(chosen) < 2 or moments.blocks < 2:
        return None
    rotations = len(seats)
    columns = np.arange(moments.strategies).reshape(-1, rotations)[list(chosen)]
    if rotations > 1 and sorted(seats) == list(range(rotations)):
        return split_moments(moments.only(columns[:, np.argsort(seats)].ravel().tolist()), rotations)
    every = np.eye(moments.strategies, dtype=int)
    return split_moments(moments.combined(every[columns].sum(axis=1), rotations))
