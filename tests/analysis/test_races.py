"""Races: the best is found, equals are dropped as such, and no look at the data is paid for with false verdicts."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.races import FIRST, Race, race, run_race, standings
from analysis.rankings import rank
from analysis.sequential import confidence_sequence
from analysis.simultaneous import Moments
from sims.errors import UsageError
from sims.game import find_game
from sims.jit import COMPILED

FAST = ["uniform", "blunder", "first-fit"]
BUDGET = 4_000 if COMPILED else 40
RULES = find_game("criss-cross").rules().replace(size=5 if COMPILED else 3)  # small sheets where Python plays


def player_of(scores: NDArray[np.int64]) -> Callable[[Sequence[int], int, int], Moments]:
    """Play from a table of block scores, shape (strategies, blocks)."""

    def play(left: Sequence[int], first_deal: int, deals: int) -> Moments:
        return Moments.from_scores(scores[list(left), first_deal : first_deal + deals].T)

    return play


def noisy_scores(means: Sequence[float], blocks: int, seed: int) -> NDArray[np.int64]:
    chance = np.random.default_rng(seed)
    shared = chance.normal(0, 50, blocks)
    own = chance.normal(0, 10, (len(means), blocks))
    return np.rint(np.array(means)[:, None] + shared + own).astype(np.int64)


def test_the_best_is_found_and_the_weakest_go_first() -> None:
    scores = noisy_scores([0, 10, 9, 1], 8_000, 1)
    told = run_race(player_of(scores), 4, budget=8_000, margin=0.0, alpha=0.05)
    last = {row.strategy: row for row in told}
    assert last[1].status == "leads"
    assert {last[who].status for who in (0, 2, 3)} == {"worse"}
    assert last[0].round == last[3].round == 1
    assert last[2].round > 1
    assert last[0].leader == 1
    assert [row.strategy for row in told if row.round == last[2].round] == [1, 2]


def test_a_strategy_inside_the_margin_is_equivalent() -> None:
    scores = noisy_scores([0, 0.1, -40], 8_000, 2)
    last = {row.strategy: row for row in run_race(player_of(scores), 3, budget=8_000, margin=5.0, alpha=0.05)}
    assert sorted(row.status for row in last.values()) == ["equivalent", "leads", "worse"]
    assert last[2].status == "worse"


def test_a_spent_budget_leaves_it_open() -> None:
    told = run_race(player_of(noisy_scores([0, 0.1], 2_000, 3)), 2, budget=2_000, margin=0.0, alpha=0.05)
    assert [row.blocks for row in told] == [FIRST, FIRST, 2_000, 2_000]
    assert {row.status for row in told} == {"leads", "left"}


def test_every_round_doubles_the_deals() -> None:
    asked: list[tuple[int, int]] = []
    scores = noisy_scores([0, 0.1], 7_000, 3)

    def play(left: Sequence[int], first_deal: int, deals: int) -> Moments:
        asked.append((first_deal, deals))
        return player_of(scores)(left, first_deal, deals)

    run_race(play, 2, budget=7_000, margin=0.0, alpha=0.05, first=1_000)
    assert asked == [(0, 1_000), (1_000, 1_000), (2_000, 2_000), (4_000, 3_000)]


def test_twins_are_judged_at_the_last_look_only() -> None:
    scores = noisy_scores([0], 4_000, 4)[[0, 0]]
    told = run_race(player_of(scores), 2, budget=4_000, margin=1.0, alpha=0.05)
    assert [(row.blocks, row.status) for row in told if row.strategy == 1] == [
        (1_000, "left"),
        (2_000, "left"),
        (4_000, "equivalent"),
    ]


def test_nobody_is_dropped_below_thirty_blocks() -> None:
    scores = noisy_scores([0, 900], 29, 5)
    assert {row.status for row in run_race(player_of(scores), 2, budget=29, margin=0.0, alpha=0.05)} == {
        "leads",
        "left",
    }


def test_standings_are_confidence_sequences() -> None:
    scores = noisy_scores([3, 0], 500, 6)
    rows = standings(Moments.from_scores(scores.T, 2), [4, 7], 3, margin=0.0, alpha=0.02, most=900, unit=5)
    difference = (scores[1] - scores[0]) / 10
    interval = confidence_sequence(difference.mean(), difference.std(ddof=1), 500, alpha=0.02, optimised_for=900)
    assert rows[0][:4] == (3, 500, 4, 4)
    assert rows[0][4:6] == pytest.approx((scores[0].mean() / 10, 0))
    assert rows[1][:4] == (3, 500, 7, 4)
    assert rows[1][5:8] == pytest.approx((difference.mean(), *interval))


def test_of_equals_the_first_leads() -> None:
    rows = standings(Moments.from_scores(np.ones((40, 2), int)), [0, 1], 1, margin=0.0, alpha=0.05, most=80)
    assert [row.status for row in rows] == ["leads", "left"]


def wrongly_dropped(races: int) -> float:
    """Return how often one of five equal strategies was dropped as worse, after up to six looks."""
    dropped = 0
    for seed in range(races):
        told = run_race(
            player_of(noisy_scores([0] * 5, 3_200, seed)), 5, budget=3_200, margin=0.0, alpha=0.05, first=100
        )
        dropped += any(row.strategy == 0 and row.status == "worse" for row in told)
    return dropped / races


def test_the_best_is_seldom_dropped() -> None:
    assert wrongly_dropped(150) <= 0.05


@pytest.mark.slow
def test_the_best_is_dropped_in_at_most_its_share_of_races() -> None:
    assert wrongly_dropped(1_000) <= 0.05


# --- The verb --------------------------------------------------------------------------------------------------------


def test_race_finds_the_best_alone_and_at_a_table() -> None:
    for seats in (1, 2):
        found = race("criss-cross", FAST, variant=RULES, budget=BUDGET, seats=seats)
        if COMPILED:  # on a sheet of 3×3 two of them are close
            assert found.leader == "first-fit"
        assert found.blocks <= BUDGET
        summary = {row["strategy"]: row for row in found.summary().iter_rows(named=True)}
        assert summary["blunder"]["status"] == "worse"


def test_means_are_those_of_rank() -> None:
    ways: tuple[dict[str, Any], ...] = (
        {},
        {"seats": 2},
        {"measure": "win"},
        {"seats": 3, "format": "one-against-all"},
    )
    for more in ways:
        found = race("criss-cross", FAST, variant=RULES, budget=6, **more)
        known = rank("criss-cross", FAST, variant=RULES, deals=6, **more)
        value = "win" if known.measure == "win" else "mean"
        means = dict(known.table.select("strategy", value).iter_rows())
        for row in found.summary().iter_rows(named=True):
            assert row["mean"] == pytest.approx(means[row["strategy"]])


@pytest.mark.skipif(not COMPILED, reason="no second round in plain Python")
def test_the_dropped_stay_as_opponents() -> None:
    fields: dict[str, Any] = {"seats": 2, "margin": 0.0}
    near = ["uniform", "noisy(uniform,0.5)", "blunder"]  # the first two play alike
    found = race("criss-cross", near, variant=RULES, budget=2_000, **fields)
    assert found.summary()["status"].to_list() == ["leads", "left", "worse"]
    known = rank("criss-cross", near, variant=RULES, deals=2_000, **fields).table
    means = dict(known.select("strategy", "mean").iter_rows())
    for row in found.summary().head(2).iter_rows(named=True):
        assert (row["round"], row["mean"]) == (2, pytest.approx(means[row["strategy"]]))


def test_workers_and_backend_change_nothing() -> None:
    told = [
        json.dumps(race("criss-cross", FAST, variant=RULES, budget=BUDGET, n_jobs=jobs, backend=backend).to_dict())
        for jobs, backend in ((1, "threads"), (2, "threads"), (2, "loky"))
    ]
    assert told[0] == told[1] == told[2]


def test_frames_and_json() -> None:
    found = race("criss-cross", FAST, variant=RULES, budget=1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["summary"][1]["low"] is None
    assert len(told["left"]) == 3
    assert found.rounds.columns == found.summary().columns
    assert found.to_pandas().shape == found.summary().shape
    assert "Undecided after 1 deals between" in found.text()


def test_text_names_the_winner_and_the_equals() -> None:
    found = race("criss-cross", FAST, variant=RULES, budget=BUDGET, margin=50.0)
    assert isinstance(found, Race)
    text = found.text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert " ".join(text.split()).startswith(f"{found.leader} is the best: all others were dropped within")
    assert "as equivalent (margin 50)." in " ".join(text.split())


def test_refusals() -> None:
    with pytest.raises(UsageError, match="budget=0 does not fit"):
        race("criss-cross", FAST, budget=0)
    with pytest.raises(UsageError, match="confidence 2 is not between"):
        race("criss-cross", FAST, confidence=2)
