"""Tuning: the search, the race, and the measurement on fresh deals."""

import json
import sys
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest

from analysis.matches import compare
from analysis.searches import Setting
from analysis.simulation import simulate
from analysis.simultaneous import Moments
from analysis.tuning import RACE_LENGTH, race_settings, tune
from sims.errors import UsageError
from sims.game import Game
from sims.jit import COMPILED
from strategies import find_strategy

GAME = "criss-cross"
DEALS = 200 if COMPILED else 1
BUDGET = 12 if COMPILED else 5
FRESH = None if COMPILED else 2  # the default: 16 times as many


def landscape(height: Callable[[Setting], float], noise: int = 0) -> Callable[..., Moments]:
    """Return a `play` whose settings score round(1000 · height), plus luck that every setting shares."""

    def play(settings: Sequence[Setting], first_deal: int = 0, deals: int = 40) -> Moments:
        rng = np.random.default_rng(first_deal)
        luck = rng.integers(-50, 51, (deals, 1)) + rng.integers(-noise, noise + 1, (deals, len(settings)))
        return Moments.from_scores(luck + np.array([round(1000 * height(setting)) for setting in settings]))

    return play


# --- The race --------------------------------------------------------------------------------------------------------


def test_the_best_wins_and_the_others_are_dropped() -> None:
    play = landscape(lambda setting: setting[0] / 100, noise=30)
    winner, standings = race_settings(play, [(1.0,), (3.0,), (2.0,)], 100, 100, 0.1)
    assert winner == (3.0,)
    assert {row.strategy for row in standings if row.status == "worse"} == {0, 2}
    assert all(row.low <= row.behind <= row.high for row in standings)


def test_a_race_plays_fresh_deals_and_fifteen_times_those_of_the_search_at_most() -> None:
    asked: list[tuple[int, int]] = []
    play = landscape(lambda setting: 0.0, noise=100)

    def watched(settings: Sequence[Setting], first_deal: int, deals: int) -> Moments:
        asked.append((first_deal, deals))
        return play(settings, first_deal, deals)

    race_settings(watched, [(1.0,), (2.0,)], 50, 50, 0.0)
    assert asked == [(50, 50), (100, 50), (150, 100), (250, 200), (450, 350)]
    assert sum(asked[-1]) == 50 + 50 * RACE_LENGTH


def test_a_difference_that_does_not_matter_is_no_reason_to_leave_the_first() -> None:
    play = landscape(lambda setting: 0.0, noise=100)
    settings = [(1.0,), (2.0,), (3.0,), (4.0,)]
    winner, standings = race_settings(play, settings, 41, 40, 1000.0)
    assert settings[standings[-1].leader] != (1.0,)
    assert winner == (1.0,)


def test_the_first_does_not_win_by_way_of_a_leader_that_was_beaten() -> None:
    """The first is dropped as equivalent to the second, and the third overtakes the second."""
    first_round, more = np.random.default_rng(1), np.random.default_rng(2)

    def play(settings: Sequence[Setting], first_deal: int, deals: int) -> Moments:
        rng, gain = (first_round, 0) if first_deal == 40 else (more, 5)
        scores = np.stack(
            [-rng.integers(0, 2, deals), np.zeros(deals, int), gain + rng.integers(-20, 20, deals)], axis=1
        )
        return Moments.from_scores(scores[:, [int(setting[0]) for setting in settings]])

    winner, standings = race_settings(play, [(0.0,), (1.0,), (2.0,)], 40, 40, 2.0)
    assert standings[0].status == "equivalent"
    assert standings[0].leader == 1
    assert winner == (2.0,)


def test_equals_leave_the_first() -> None:
    winner, standings = race_settings(landscape(lambda setting: 1.0), [(2.0,), (1.0,)], 40, 40, 0.5)
    assert winner == (2.0,)
    assert standings[-1].status == "equivalent"


def test_a_race_of_one_is_not_run() -> None:
    assert race_settings(landscape(lambda setting: 1.0), [(2.0,)], 40, 40, 0.5) == ((2.0,), [])


def test_equals_are_seldom_dropped_as_worse() -> None:
    """Of 100 races among five equals, about 5 at most may drop one as worse than the best; 10 is beyond chance."""
    dropped = 0
    for first in range(100):
        play = landscape(lambda setting: 0.0, noise=100)
        _, standings = race_settings(play, [(float(k),) for k in range(5)], 1000 * first + 1, 40, 0.0)
        dropped += any(row.status == "worse" for row in standings)
    assert dropped <= 10


# --- The verb --------------------------------------------------------------------------------------------------------


def test_tune_of_several_parameters() -> None:
    start = find_strategy(GAME, "potential:isolation=-0.1,one=5")
    found = tune(GAME, start, deals=DEALS, budget=BUDGET, fresh_deals=FRESH)
    assert len(found.trials) <= BUDGET
    assert found.trials[0].setting == found.space.given == (5, 0, 1.2, 0, -0.1)
    assert find_strategy(GAME, found.spec).spec == found.spec
    assert found.first_fresh_deal == 16 * DEALS
    if COMPILED:
        assert found.result.blocks == found.fresh_deals == 16 * DEALS
        assert found.result.verdict == "better"
        assert found.text().startswith("Found: potential:")


def test_trials_are_the_games_of_simulate() -> None:
    found = tune(GAME, "careful", deals=DEALS, budget=3, fresh_deals=2)
    assert found.trial_table()["spec"].to_list() == ["careful", "careful:price=0", "careful:price=2.5"]
    for row in found.trial_table().iter_rows(named=True):
        assert row["mean"] == simulate(GAME, row["spec"], deals=DEALS).summary()["mean"][0]


def test_the_winner_is_measured_on_deals_that_nothing_was_chosen_by() -> None:
    found = tune(GAME, "careful:price=0", deals=DEALS, budget=4, fresh_deals=FRESH)
    fresh = [
        simulate(GAME, spec, deals=found.fresh_deals, first_deal=found.first_fresh_deal).summary()["mean"][0]
        for spec in (found.spec, "careful:price=0")
    ]
    assert found.result.effect == pytest.approx(fresh[0] - fresh[1])
    told = found.to_dict()["design"]
    assert told["search_deals"] == [0, DEALS]
    assert told["race_deals"] == [DEALS, 16 * DEALS]
    assert told["fresh_deals"] == [16 * DEALS, 16 * DEALS + found.fresh_deals]


def test_opponents_share_the_table() -> None:
    found = tune(GAME, "careful", deals=DEALS, budget=3, against=["blunder"], fresh_deals=2 * DEALS)
    known = simulate(GAME, ["careful", "blunder"], deals=DEALS).summary()["mean"][0]
    assert found.trials[0].mean == known
    duel = compare(GAME, found.spec, "careful", deals=5, opponents=["blunder"])
    assert found.counts.scale == duel.counts.scale
    assert found.opponents == ("blunder",)


def test_without_opponents_the_smallest_table_is_filled(partners: Game) -> None:
    known = {"deals": DEALS, "budget": 3, "fresh_deals": 2 * DEALS, "n_jobs": 1}
    assert tune(partners, "careful", **known).opponents == ("careful",)  # type: ignore[arg-type]
    found = tune(partners, "careful", variant="advanced", **known)  # type: ignore[arg-type]
    assert found.opponents == ("careful",) * 3
    with pytest.raises(UsageError, match="under these rules is for 4, 6 or 8 seats, not 3"):
        tune(partners, "careful", against=["blunder"] * 2, variant="advanced", **known)  # type: ignore[arg-type]


def test_a_table_of_trials_is_a_start() -> None:
    """A search goes on from what an earlier one found, here on fewer settings than that one tried."""
    start = find_strategy(GAME, "potential:isolation=-0.1,one=5")
    before = tune(GAME, start, deals=DEALS, budget=BUDGET, fresh_deals=2)
    table = before.trial_table().sort("mean", descending=True).head(3)
    found = tune(GAME, start, deals=DEALS, budget=5, initial=table.to_pandas(), fresh_deals=2)
    tried = found.trial_table()
    assert tried["spec"].to_list()[1 : len(found.initial) + 1] == [s for s in table["spec"] if s != start.spec]
    shared = tried.join(table, on="spec")
    assert shared["mean"].equals(shared["mean_right"], check_names=False)  # the same deals
    assert found.to_dict()["design"]["initial"][0] == dict(
        zip(["one", "two", "three", "four", "isolation"], found.initial[0], strict=True)
    )
    assert f"beginning with {len(found.initial)} from a table." in " ".join(found.text().split())


def test_settings_that_leave_nothing_to_search_are_refused() -> None:
    table = pl.DataFrame({"price": [1.0, 2.0, 3.0, 1.5]})
    with pytest.raises(UsageError, match="budget=4 leaves nothing to search: 4 settings are tried first"):
        tune(GAME, "careful", budget=4, initial=table)


def test_controls_are_run() -> None:
    controls = tune(GAME, "careful", deals=DEALS, budget=2, fresh_deals=FRESH).controls
    assert controls["weak"]["strategy"] == "blunder"
    assert {control["passed"] for control in controls.values()} == ({True} if COMPILED else {None})


def test_nothing_better_is_said() -> None:
    found = tune(GAME, "careful:price=2", deals=2, budget=2, fresh_deals=2)
    assert found.text().startswith(("No setting is surely better", "No better setting was found"))


@pytest.mark.parametrize(
    ("spec", "others"),
    [("careful", [(2, "threads")]), ("block-builder", [(2, "loky")])],
)
def test_workers_and_backend_change_nothing(spec: str, others: list[tuple[int, str]]) -> None:
    told = [
        json.dumps(tune(GAME, spec, deals=DEALS, budget=5, fresh_deals=FRESH, n_jobs=jobs, backend=backend).to_dict())
        for jobs, backend in [(1, "threads"), *others]
    ]
    assert all(other == told[0] for other in told[1:])


def test_frames_text_and_json() -> None:
    found = tune(GAME, "block-builder", deals=DEALS, budget=BUDGET, fresh_deals=FRESH)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["spec"] == found.spec
    assert set(told["parameters"]) == {"three", "four"}
    assert len(told["trials"]) == found.to_pandas().shape[0] == len(found.trials)
    assert found.summary().height == 1
    assert found.race_table()["round"].to_list() == [row.round for row in found.standings]
    assert max(len(line) for line in found.text().splitlines()) <= 80


def test_without_cma_the_message_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(UsageError, match="needs the package cma, which is not installed: pip install cma"):
        tune(GAME, "potential", deals=2, budget=2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"budget": 1}, "budget=1 does not fit"),
        ({"deals": 0}, "deals=0 does not fit"),
        ({"fresh_deals": 0}, "deals=0 does not fit"),
        ({"margin": -1}, "margin=-1 does not fit"),
        ({"against": ["uniform"] * 6}, "criss-cross is for 1 to 6 seats, not 7"),
        ({"deals": 10**12}, "does not fit"),
    ],
)
def test_refusals(more: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        tune(GAME, "careful", **more)  # type: ignore[arg-type]


def test_no_parameters_are_refused() -> None:
    with pytest.raises(UsageError, match="greedy has no parameters to tune"):
        tune(GAME, "greedy")


def test_where_the_score_is_the_win_wins_are_told() -> None:
    text = " ".join(tune("crossways", "hoarder", budget=2, deals=1, fresh_deals=2).text().split())
    assert " wins a game on 2 fresh deals" in text
    assert "points" not in text
    assert "margin 0.01 wins a game" in text
