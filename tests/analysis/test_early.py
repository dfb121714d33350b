"""Compare until decided: the stop is a function of the design, and the verdict may be trusted."""

import json

import pytest

from analysis.early import FIRST_LOOK, compare_until_decided
from sims.errors import UsageError
from sims.jit import COMPILED

MOST = 20_000 if COMPILED else 60


def test_a_clear_difference_stops_at_the_first_look() -> None:
    found = compare_until_decided("criss-cross", "uniform", "blunder", most_deals=MOST)
    assert found.result.verdict == "better"
    assert found.result.look == 1
    assert found.result.blocks == min(FIRST_LOOK, MOST)
    assert found.estimate.fresh_blocks == found.result.blocks
    assert found.estimate.low < found.estimate.fresh_effect < found.estimate.high


def test_identical_players_are_equivalent_at_the_last_look() -> None:
    found = compare_until_decided("criss-cross", "uniform", "uniform", most_deals=MOST)
    assert found.result.verdict == "equivalent"
    assert found.result.blocks == MOST


def test_workers_and_backends_stop_at_the_same_look() -> None:
    told = [
        json.dumps(
            compare_until_decided(
                "criss-cross", "greedy", "noisy(greedy,0.03)", most_deals=MOST, n_jobs=jobs, backend=backend
            ).to_dict()
        )
        for jobs, backend in ((1, "threads"), (2, "threads"), (2, "loky"))
    ]
    assert told[0] == told[1] == told[2]


def test_sequential_test_accepts_one_of_two_differences() -> None:
    found = compare_until_decided("criss-cross", "uniform", "blunder", most_deals=MOST, test=(0, 3))
    assert found.result.verdict == "accepted high"
    back = compare_until_decided("criss-cross", "blunder", "uniform", most_deals=MOST, test=(0, 3))
    assert back.result.verdict == "accepted low"


def decided_mirrors(seeds: int) -> int:
    """Return how many runs of an equal player with other draws, at nine looks each, end in a verdict."""
    found = [
        compare_until_decided(
            "criss-cross", "uniform", "noisy(uniform,1)", most_deals=20_000, margin=0, seed=seed, progress=False
        )
        for seed in range(seeds)
    ]
    return sum(one.result.verdict != "undecided" for one in found)


@pytest.mark.skipif(not COMPILED, reason="plays too many games for plain Python")
def test_mirror_matches_are_rarely_decided() -> None:
    """With alpha = 5 %, six or more of forty would come in one of seventy such tests at the most."""
    assert decided_mirrors(40) <= 5


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="plays too many games for plain Python")
def test_a_thousand_mirror_matches_are_decided_in_at_most_their_share() -> None:
    """Five per cent, and three standard errors of a share measured a thousand times."""
    assert decided_mirrors(1_000) <= 50 + 21


def test_text_is_at_most_80_columns_wide() -> None:
    found = compare_until_decided(
        "criss-cross", "noisy(restrict(uniform,never=lonely-spaces),0.25)", "blunder", most_deals=MOST
    )
    assert max(len(line) for line in found.text().splitlines()) <= 80
    assert found.summary()["verdict"].to_list() == ["better"]
    assert found.to_pandas()["verdict"].tolist() == ["better"]


@pytest.mark.parametrize("test", [None, (0, 0.1)])
def test_wins_are_compared_until_decided(test: tuple[float, float] | None) -> None:
    found = compare_until_decided(
        "criss-cross", "uniform", "blunder", most_deals=MOST, seats=2, measure="win", test=test
    )
    assert found.result.verdict == ("better" if test is None else "accepted high")
    assert found.to_dict()["measure"] == "win"
    assert 0 < found.estimate.fresh_effect <= 1
    assert "wins a game" in found.text()
    assert "point" not in found.text()
    assert max(len(line) for line in found.text().splitlines()) <= 80


def test_wins_need_two_seats() -> None:
    with pytest.raises(UsageError, match="measure='win' does not fit 1 seat"):
        compare_until_decided("criss-cross", "uniform", "blunder", most_deals=MOST, measure="win")


@pytest.mark.parametrize("most", [0, -1, 1.5])
def test_most_deals_is_checked(most: object) -> None:
    with pytest.raises(UsageError, match="most_deals="):
        compare_until_decided("criss-cross", "uniform", "blunder", most_deals=most)  # type: ignore[arg-type]
