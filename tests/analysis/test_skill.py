"""Luck and skill with intervals: they cover what is planted, and do not depend on how a run is cut."""

import math

import numpy as np
import pytest

from analysis.simultaneous import Moments
from analysis.skill import GROUPS, measure_skill, split_groups
from sims.design import Design
from sims.game import find_game
from sims.jit import COMPILED
from strategies import find_strategy

PLAYERS, DEALS = 4, 400
SKILL, LUCK, REST = 9.0, 25.0, 16.0


def groups_of(seed: int, deals: int = DEALS) -> tuple[list[Moments], float]:
    """Return made-up scores of a deal, a player and chance, and the true share of skill."""
    rng = np.random.default_rng(seed)
    strength = np.array([-1.5, -0.5, 0.5, 1.5])
    strength *= math.sqrt(SKILL / strength.var(ddof=1))
    scores = strength + rng.normal(0, math.sqrt(LUCK), (deals, 1)) + rng.normal(0, math.sqrt(REST), (deals, PLAYERS))
    whole = np.rint(100 * scores).astype(np.int64)
    groups = [Moments.from_scores(whole[group::GROUPS]) for group in range(GROUPS)]
    return groups, SKILL / (SKILL + LUCK + REST)


def test_intervals_cover_the_planted_shares() -> None:
    covered = {"skill": 0, "luck": 0}
    seeds = 120
    for seed in range(seeds):
        groups, skill = groups_of(seed)
        found = split_groups(groups, [0])
        assert found is not None
        for name, truth in (("skill", skill), ("luck", LUCK / (SKILL + LUCK + REST))):
            error, interval = found[1][name]
            assert error > 0
            covered[name] += interval.low <= truth <= interval.high
    assert min(covered.values()) > 0.88 * seeds
    assert min(covered.values()) < seeds  # intervals that hold everything say nothing


def test_too_few_deals_or_players_have_no_interval() -> None:
    found = split_groups(groups_of(1, deals=29)[0], [0])
    assert found is not None
    assert all(math.isnan(interval.low) for _, interval in found[1].values())
    alone = [group.only([0]) for group in groups_of(1)[0]]
    assert split_groups(alone, [0]) is None


@pytest.mark.parametrize("seats", [1, 2])
def test_games_are_counted_alike_with_any_number_of_workers(seats: int) -> None:
    game = find_game("criss-cross")
    players = [find_strategy("criss-cross", name).player() for name in ("uniform", "first-fit")]
    deals = 200 if COMPILED else 31
    design = Design(game, game.rules(), ((players[0],) * seats,), seed=3, deals=deals, rotate=False)
    one, two = (measure_skill(design, players, n_jobs=jobs, progress=False) for jobs in (1, 2))
    assert one is not None
    assert two is not None
    assert one.split == two.split
    assert (one.skill, one.luck) == (two.skill, two.luck)
    assert one.games == deals * 2 * seats
    assert measure_skill(design, players[:1], progress=False) is None
