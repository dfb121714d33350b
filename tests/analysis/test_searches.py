"""Searches: what they may try, where they begin, and that they close in."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.searches import (
    Search,
    Setting,
    Space,
    is_whole,
    make_space,
    own_randomness,
    read_settings,
    round_value,
    search_cma,
    search_grid,
)
from analysis.simultaneous import Moments
from sims.errors import UsageError
from strategies import Parameter, strategy


def space_of(*parameters: Parameter) -> Space:
    @strategy("criss-cross", name="made-up", parameters=parameters)
    def made_up(view: object, rng: object, params: object) -> int:
        return 0

    return make_space(made_up)


def landscape(height: Callable[[Setting], float]) -> Callable[[Sequence[Setting]], Moments]:
    """Return a `play` whose settings score round(1000 · height), plus luck that every setting shares."""

    def play(settings: Sequence[Setting]) -> Moments:
        rng = np.random.default_rng(0)
        luck = rng.integers(-50, 51, (40, 1))
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
