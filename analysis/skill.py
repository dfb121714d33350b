"""How much of the spread of scores is luck and how much is skill, with intervals.

The split of a variance has no simple standard error: its parts are ratios of sums of squares. The deals fall into
groups, and how much the split moves when a group is left out tells how sure it is.
"""

import dataclasses
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Self

import numpy as np

from analysis.comparisons import FEWEST_BLOCKS
from analysis.intervals import Interval, student_interval
from analysis.ladders import split_field
from analysis.luck import VarianceSplit
from analysis.simultaneous import Moments
from sims.design import Design, Outcomes
from sims.game import SCORE
from sims.run import run
from sims.table import Player

GROUPS = 20
"""Deals fall into so many groups, deal by deal in turn."""


@dataclass(frozen=True, eq=False)
class GroupedMoments:
    """Exact moments of block scores by group of deals; adding two merges them group by group."""

    groups: tuple[Moments, ...]

    def __add__(self, other: Self) -> "GroupedMoments":
        """Return the moments of both sets of deals together."""
        return GroupedMoments(tuple(map(operator.add, self.groups, other.groups)))


def count_groups(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> GroupedMoments:
    """Count the scores of the first player of every line-up of one chunk, by player and rotation."""
    scores = np.stack(
        [
            array[rotation, :, seating.index(0), SCORE]
            for lineup, array in enumerate(outcomes)
            for rotation, seating in enumerate(design.seatings(lineup))
        ],
        axis=1,
    )
    return GroupedMoments(tuple(Moments.from_scores(scores[group::GROUPS]) for group in range(GROUPS)))


@dataclass(frozen=True, eq=False)
class Skill:
    """Luck and skill as shares of the variance of scores.

    Attributes
    ----------
    split
        The variance by its causes.
    luck, skill
        The intervals of the two shares; nan below 30 deals and where scores do not vary.
    luck_error, skill_error
        Their standard errors, with the same exceptions.
    blocks, games
        The deals, and the games that were played.
    """

    split: VarianceSplit
    luck: Interval
    skill: Interval
    luck_error: float
    skill_error: float
    blocks: int
    games: int


def split_groups(
    groups: Sequence[Moments], seats: Sequence[int], confidence: float = 0.95
) -> tuple[VarianceSplit, dict[str, tuple[float, Interval]]] | None:
    """Split the variance of scores, and tell how sure the shares of luck and skill are.

    Parameters
    ----------
    groups
        Moments of scores by player and rotation, rotations running fastest, of several groups of deals.
    seats
        Where a player sits in each rotation.
    confidence
        Of each of the two intervals, for itself.

    Returns
    -------
    The split of all deals; and by "luck" and "skill" the standard error and the interval of the share. None for fewer
    than two players or deals.

    Notes
    -----
    The jackknife over groups: √((g − 1) / g · Σ (θ₍₋ᵢ₎ − mean)²) for the shares θ₍₋ᵢ₎ without group i, with g − 1
    degrees of freedom: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), section 11.5.
    """
    whole = reduce(operator.add, groups)
    players = list(range(whole.strategies // len(seats)))
    split = split_field(whole, players, seats)
    if split is None:
        return None
    unknown = math.nan, Interval(math.nan, math.nan)
    if whole.blocks < FEWEST_BLOCKS:
        return split, {"luck": unknown, "skill": unknown}
    without = [
        split_field(reduce(operator.add, [*groups[:place], *groups[place + 1 :]]), players, seats)
        for place in range(len(groups))
    ]
    found = {}
    for name in ("luck", "skill"):
        shares = np.array([getattr(part, name) for part in without if part is not None])
        count = len(shares)
        error = math.sqrt((count - 1) / count * float(np.sum((shares - shares.mean()) ** 2)))
        found[name] = error, student_interval(getattr(split, name), error, count, confidence)
    return split, found


def measure_skill(
    design: Design, players: Sequence[Player], *, n_jobs: int = -1, backend: str = "threads", progress: bool = True
) -> Skill | None:
    """Play several players, each in the place of the first of a line-up, and split the variance of their scores.

    Parameters
    ----------
    design
        The deals, and the line-up whose first player is replaced; all rotations are played.
    players
        Two or more; None is returned for fewer.
    n_jobs, backend, progress
        See `sims.run.run`.
    """
    if len(players) < 2:
        return None
    others = design.lineups[0][1:]
    field = dataclasses.replace(design, lineups=tuple((player, *others) for player in players), rotate=True)
    played = run(field, count_groups, n_jobs=n_jobs, backend=backend, progress=progress)
    found = split_groups(played.result.groups, [seating.index(0) for seating in field.seatings(0)])
    if found is None:
        return None
    split, shares = found
    (luck_error, luck), (skill_error, skill) = shares["luck"], shares["skill"]
    return Skill(split, luck, skill, luck_error, skill_error, field.deals, played.games)
