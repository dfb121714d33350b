"""Tuning: the search, the race, and the measurement on fresh deals."""

import json
import math
import sys
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.matches import compare
from analysis.simulation import simulate
from analysis.simultaneous import Moments
from analysis.tuning import (
    RACE_LENGTH,
    Search,
    Setting,
    Space,
    is_whole,
    make_space,
    own_randomness,
    race_settings,
    read_settings,
    round_value,
    search_cma,
    search_grid,
    tune,
)
from sims.errors import UsageError
from sims.jit import COMPILED
from strategies import Parameter, find_strategy, strategy

GAME = "criss-cross"
DEALS = 200 if COMPILED else 1
BUDGET = 12 if COMPILED else 5
FRESH = None if COMPILED else 2  # the default: 16 times as many


def space_of(*parameters: Parameter) -> Space:
    @strategy(GAME, name="made-up", parameters=parameters)
    def made_up(view: object, rng: object, params: object) -> int:
        return 0

    return make_space(made_up)


def landscape(height: Callable[[Setting], float], noise: int = 0) -> Callable[..., Moments]:
    """Return a `play` whose settings score round(1000 · height), plus luck that every setting shares."""

    def play(settings: Sequence[Setting], first_deal: int = 0, deals: int = 40) -> Moments:
        rng = np.random.default_rng(first_deal)
        luck = rng.integers(-50, 51, (deals, 1)) + rng.integers(-noise, noise + 1, (deals, len(settings)))
        return Moments.from_scores(luck + np.array([round(1000 * height(setting)) for setting in settings]))

    return play


# --- What is searched ------------------------------------------------------------------------------------------------


def test_only_what_can_change_is_tuned() -> None:
    space = space_of(Parameter("fixed", 2.0, 2, 2), Parameter("free", 1.0, 0, 5))
    assert [item.name for item in space.parameters] == ["free"]
    assert space.given == (1.0,)
    assert space.with_setting((3.0,)).values == (2.0, 3.0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [((), "made-up has no parameters to tune"), ((Parameter("fixed", 2, 2, 2),), "the range of each is one value")],
)
def test_nothing_to_tune(parameters: tuple[Parameter, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        space_of(*parameters)


def test_whole_parameters_are_declared_as_integers() -> None:
    assert is_whole(Parameter("from_round", 9, 1, 12))
    assert not is_whole(Parameter("weight", 1.0, 0, 5))


@given(st.floats(-100, 100), st.booleans())
def test_round_value_fits(value: float, whole: bool) -> None:
    parameter = Parameter("x", 0 if whole else 0.0, -7, 20)
    rounded = round_value(parameter, value)
    assert -7 <= rounded <= 20
    assert len(f"{rounded:.10g}") <= 7
    if -7 <= value <= 20:
        assert abs(rounded - value) <= (0.5 if whole else 27 / 10_000)
    if whole:
        assert rounded.is_integer()


def test_first_steps_fit_value_and_range() -> None:
    space = space_of(Parameter("a", 1.5, 0, 20), Parameter("b", 0.0, 0, 20), Parameter("c", 10.0, 0, 20))
    assert space.steps(space.given) == pytest.approx([0.75, 0.4, 2])


# --- Settings to try first -------------------------------------------------------------------------------------------

PRICE_AND_ROUND = (Parameter("price", 1.5, 0, 20), Parameter("from_round", 9, 1, 12))


def test_settings_are_read_from_frames_of_all_kinds() -> None:
    space = space_of(*PRICE_AND_ROUND)
    frame = pl.DataFrame({"from_round": [3, 12], "price": [2.0, 0.123456]})
    known = [(2.0, 3.0), (0.123, 12.0)]
    assert read_settings(space, frame) == known
    assert read_settings(space, frame.to_pandas()) == known
    assert read_settings(space, frame.cast(pl.String)) == known


def test_a_parameter_without_a_column_keeps_its_value() -> None:
    assert read_settings(space_of(*PRICE_AND_ROUND), pl.DataFrame({"price": [2, 3]})) == [(2.0, 9.0), (3.0, 9.0)]


def test_settings_that_come_twice_are_tried_once() -> None:
    frame = pl.DataFrame({"price": [2.0, 3.0, 2.00001]})
    assert read_settings(space_of(*PRICE_AND_ROUND), frame) == [(2.0, 9.0), (3.0, 9.0)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"prise": [2]}, "has the column 'prise', which made-up has no parameter for; did you mean price"),
        ({"mean": [2.5]}, "has no column of a parameter; there are: price, from_round"),
        ({"price": [2.5, None]}, "has no value of price in row 1; give every row one"),
        ({"price": [math.nan, 2.5]}, "has no value of price in row 0; give every row one"),
        ({"price": []}, "has no rows; give one a setting"),
        ({"price": [21]}, "made-up: parameter price=21 does not fit: it takes a number from 0 to 20"),
        ({"price": ["dear"]}, "made-up: parameter price='dear' does not fit: it takes a number from 0 to 20"),
        ({"price": [True]}, "parameter price=True does not fit"),
    ],
)
def test_settings_that_do_not_fit_are_refused(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        read_settings(space_of(*PRICE_AND_ROUND), pl.DataFrame(columns))
    assert "\n" not in str(caught.value)


def test_other_things_than_frames_are_refused() -> None:
    with pytest.raises(UsageError, match="the table of settings is of type list; give a Polars or pandas frame"):
        read_settings(space_of(*PRICE_AND_ROUND), [1.5])  # type: ignore[arg-type]


def test_parameters_may_not_be_called_like_results() -> None:
    with pytest.raises(UsageError, match="the parameter mean of made-up has the name of a column of results"):
        space_of(Parameter("mean", 1.0, 0, 5))


def test_searches_begin_with_the_settings_that_are_given() -> None:
    space = space_of(Parameter("a", 1.0, 0, 20), Parameter("b", 0.0, 0, 20))
    far = [(15.0, 12.0), (16.0, 12.0)]
    search = Search(landscape(lambda setting: -abs(setting[0] - 16) - abs(setting[1] - 12)), 60)
    search_cma(space, search, 1, far)
    trials = list(search.trials.values())
    assert [trial.setting for trial in trials[:3]] == [space.given, *far]
    assert {trial.generation for trial in trials[:3]} == {0}
    # From the best of them on: the first population is around it, not around what was given.
    near = np.array([trial.setting for trial in trials if trial.generation == 1])
    assert np.abs(np.median(near, axis=0) - far[1]).max() < 3

    single = Search(landscape(lambda setting: -abs(setting[0] - 7)), 8)
    search_grid(space_of(Parameter("a", 1.0, 0, 20)), single, [(7.1,)])
    assert list(single.trials)[:2] == [(1.0,), (7.1,)]


# --- The search ------------------------------------------------------------------------------------------------------


def test_a_search_plays_each_setting_once_and_stops_at_its_budget() -> None:
    played: list[Setting] = []

    def play(settings: Sequence[Setting]) -> Moments:
        played.extend(settings)
        return landscape(lambda setting: setting[0])(settings)

    search = Search(play, 3)
    search.means([(1.0,), (2.0,), (1.0,)])
    assert search.means([(2.0,), (3.0,), (4.0,)])[2] == -math.inf
    assert played == [(1.0,), (2.0,), (3.0,)]
    assert search.best(2) == [(3.0,), (2.0,)]


def test_search_grid_closes_in() -> None:
    space = space_of(Parameter("price", 1.0, 0, 20))
    search = Search(landscape(lambda setting: -((setting[0] - 7.3) ** 2)), 40)
    search_grid(space, search)
    assert search.best(1)[0][0] == pytest.approx(7.3, abs=0.05)
    assert len(search.trials) <= 40


def test_search_grid_tries_all_of_a_few_whole_numbers() -> None:
    space = space_of(Parameter("rounds", 3, 1, 5))
    search = Search(landscape(lambda setting: -abs(setting[0] - 4)), 40)
    search_grid(space, search)
    assert sorted(search.trials) == [(1.0,), (2.0,), (3.0,), (4.0,), (5.0,)]
    assert search.best(1) == [(4.0,)]


def test_search_cma_climbs() -> None:
    space = space_of(Parameter("a", 1.0, 0, 20), Parameter("b", 0.0, 0, 20), Parameter("whole", 9, 1, 12))
    search = Search(landscape(lambda s: -((s[0] - 3) ** 2) - (s[1] - 1) ** 2 - (s[2] - 6) ** 2), 200)
    favourite = search_cma(space, search, 1)
    assert search.best(1)[0] == pytest.approx((3, 1, 6), abs=0.2)
    assert favourite == pytest.approx((3, 1, 6), abs=0.5)
    assert len(search.trials) <= 200
    assert all(setting[2].is_integer() for setting in search.trials)


def test_search_cma_is_a_function_of_its_seed() -> None:
    space = space_of(Parameter("a", 1.0, 0, 20), Parameter("b", 0.0, 0, 20))
    tried = []
    for seed in (1, 1, 2):
        np.random.seed(len(tried))  # the user's own randomness has no part in it
        search = Search(landscape(lambda setting: -abs(setting[0] - 3) - abs(setting[1] - 1)), 40)
        search_cma(space, search, seed)
        tried.append(list(search.trials))
    assert tried[0] == tried[1] != tried[2]


def test_own_randomness_leaves_the_global_one_alone() -> None:
    np.random.seed(7)
    known = np.random.random(2).tolist()
    np.random.seed(7)
    own = np.random.RandomState(1)
    first = np.random.random()
    with own_randomness(own):
        drawn = np.random.random(3).tolist()
    with own_randomness(own):
        drawn += np.random.random(3).tolist()
    assert [first, np.random.random()] == known
    assert drawn == np.random.RandomState(1).random_sample(6).tolist()


def test_without_cma_the_message_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(UsageError, match="needs the package cma, which is not installed: pip install cma"):
        tune(GAME, "potential", deals=2, budget=2)


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
