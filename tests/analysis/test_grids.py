"""Grids: reading, playing on common deals, and exact sums."""

import dataclasses
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import grids
from analysis.grids import (
    Axis,
    Measures,
    exact_moments,
    find_strategies,
    make_axes,
    make_grid,
    make_point,
    make_points,
    make_setup,
    read_grid,
    standard_error,
    value_text,
)
from analysis.simulation import simulate
from analysis.simultaneous import Moments
from sims.errors import UsageError
from sims.game import SCORE, WIN, Game, find_game
from sims.jit import COMPILED
from strategies import find_strategy

GAME = find_game("criss-cross")
DEALS = 400 if COMPILED else 12
CAREFUL, UNIFORM = find_strategy("criss-cross", "careful"), find_strategy("criss-cross", "uniform")


def setup(seats: int = 1, opponents: tuple[str, ...] = (), deals: int = DEALS) -> grids.Setup:
    return make_setup(GAME, [GAME.variant()], seats, opponents, deals, 1, 1, "threads", False)


# --- The grid --------------------------------------------------------------------------------------------------------


def test_read_grid_keeps_commas_inside_values() -> None:
    read = read_grid("criss-cross", ["run-points=0,2,3,8,10|0,1,3,6,10", "careful.price=1|2.5", "start=assigned|empty"])
    assert read == {
        "run_points": [(0, 2, 3, 8, 10), (0, 1, 3, 6, 10)],
        "careful.price": [1.0, 2.5],
        "start": ["assigned", "empty"],
    }


def test_read_grid_takes_specs_with_signs_of_their_own() -> None:
    assert read_grid("criss-cross", ["noisy(potential:one=0.5,0.1).three=1|2"]) == {
        "noisy(potential:one=0.5,0.1).three": [1.0, 2.0]
    }


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["size"], "cannot read 'size': write option=value"),
        (["size="], "cannot read 'size='"),
        (["=3"], "cannot read '=3'"),
        (["sizes=3"], "unknown option 'sizes'; did you mean size"),
        (["size=3|x"], "option size='x' does not fit"),
        (["size=3|"], "option size='' does not fit"),
        (["careful.price=1|x"], "careful.price='x' is no number"),
        (["size=3", "size=4"], "size is varied twice"),
    ],
)
def test_read_grid_refusals(texts: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_grid("criss-cross", texts)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"size": []}, "size=.. does not fit: it takes a list"),
        ({"size": 4}, "size=4 does not fit: it takes a list"),
        ({"start": "empty"}, "start='empty' does not fit: it takes a list"),
        ({"size": [3, 3]}, "size has the value 3 twice"),
        ({"size": [9]}, "option size=9 does not fit"),
        ({"careful.prize": [1]}, "careful has no parameter 'prize'"),
        ({"careful.price": [-1]}, "parameter price=-1 does not fit"),
        ({"greedy.price": [1]}, "this sweep has no strategy 'greedy'"),
    ],
)
def test_make_axes_refusals(grid: dict[str, list[object]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_axes(GAME.variant(), [CAREFUL, UNIFORM], grid)


def test_an_ambiguous_owner_is_refused_and_a_whole_spec_is_not() -> None:
    both = [CAREFUL, find_strategy("criss-cross", "careful:price=3")]
    assert make_axes(GAME.variant(), both, {"careful:price=3.price": [1]})[0].strategy == 1
    noisy = [find_strategy("criss-cross", f"noisy(careful,0.{rate})") for rate in (1, 2)]
    with pytest.raises(UsageError, match="'careful' names 2 strategies"):
        make_axes(GAME.variant(), noisy, {"careful.price": [1]})


def test_make_points_changes_the_last_axis_fastest() -> None:
    axes = make_axes(GAME.variant(), [CAREFUL], {"size": [3, 4], "careful.price": [1, 2]})
    points = make_points(GAME.variant(), [CAREFUL], axes)
    assert [point.values for point in points] == [(3, 1.0), (3, 2.0), (4, 1.0), (4, 2.0)]
    assert [point.rules.size for point in points] == [3, 3, 4, 4]
    assert [point.strategies[0].spec for point in points[:2]] == ["careful:price=1", "careful:price=2"]


def test_make_axes_takes_any_list_of_values() -> None:
    grid = {"size": range(3, 5), "careful.price": np.array([1, 2.5]), "run_points": pl.Series([[0, 2, 3, 8, 10]])}
    axes = make_axes(GAME.variant(), [CAREFUL], grid)
    assert [axis.values for axis in axes] == [(3, 4), (1.0, 2.5), ((0, 2, 3, 8, 10),)]


# --- Grids as frames -------------------------------------------------------------------------------------------------

ROWS = {"run_points": [[0, 2, 3, 8, 10], [0, 1, 3, 8, 20], [0, 2, 3, 8, 10]], "careful.price": [1.5, 1.5, 3.0]}
TEXTS = {"run_points": ["0,2,3,8,10", "0,1,3,8,20", "0,2,3,8,10"], "careful.price": ["1.5", "1.5", "3"]}


@pytest.mark.parametrize("frame", [pl.DataFrame(ROWS), pl.DataFrame(ROWS).to_pandas(), pl.DataFrame(TEXTS)])
def test_a_frame_is_exactly_its_rows(frame: pl.DataFrame) -> None:
    axes, points = make_grid(GAME.variant(), [UNIFORM, CAREFUL], frame)
    assert [point.values for point in points] == [
        ((0, 2, 3, 8, 10), 1.5),
        ((0, 1, 3, 8, 20), 1.5),
        ((0, 2, 3, 8, 10), 3.0),
    ]
    assert [axis.values for axis in axes] == [((0, 2, 3, 8, 10), (0, 1, 3, 8, 20)), (1.5, 3.0)]
    assert [point.strategies[1].spec for point in points] == ["careful", "careful", "careful:price=3"]


def test_a_frame_of_all_combinations_is_the_grid_by_name() -> None:
    grid = {"start": ["assigned", "empty"], "careful.price": [1, 2, 3]}
    frame = pl.DataFrame({"start": ["assigned", "empty"]}).join(pl.DataFrame({"careful.price": [1, 2, 3]}), how="cross")
    (axes, points), (known, others) = (make_grid(GAME.variant(), [CAREFUL], either) for either in (frame, grid))
    assert axes == known
    assert [(point.values, point.rules) for point in points] == [(point.values, point.rules) for point in others]


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        (pl.DataFrame({"sizes": [3]}), "unknown option 'sizes'; did you mean size"),
        (pl.DataFrame({"careful.prize": [3]}), "careful has no parameter 'prize'"),
        (pl.DataFrame({"greedy.price": [3]}), "this sweep has no strategy 'greedy'"),
        (pl.DataFrame({"size": [3, None]}), "the grid has no value of size in row 1; give every row one"),
        (pl.DataFrame({"size": []}), "the grid has no rows; give one a setting"),
        (pl.DataFrame(), "the grid has no rows; give one a setting"),
        (pl.DataFrame({"size": [3, 4, 3]}), "rows 0 and 2 of the grid are one setting: give each once"),
        (pl.DataFrame({"run_points": ["0,2,3,8,10", "0,2,3,8, 10"]}), "rows 0 and 1 of the grid are one setting"),
        (pl.DataFrame({"size": [3.0]}), "option size=3.0 does not fit: it takes a whole number"),
        (pl.DataFrame({"size": ["x"]}), "option size='x' does not fit: it takes a whole number"),
        (pl.DataFrame({"size": [[3]]}), "option size=.3. does not fit: it takes a whole number"),
        (pl.DataFrame({"careful.price": ["x"]}), "careful.price='x' is no number"),
        (pl.DataFrame({"careful.price": [21]}), "parameter price=21 does not fit"),
        (
            pl.DataFrame({"careful.price": [n / 100 for n in range(1001)]}),
            "the grid has 1,001 points: it may have 1,000",
        ),
        ([("size", 3)], "a grid of type list does not fit: it takes a dictionary of values by name, or a frame"),
    ],
)
def test_make_grid_refusals(grid: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        make_grid(GAME.variant(), [CAREFUL, UNIFORM], grid)
    assert "\n" not in str(caught.value)


def test_make_points_has_a_limit() -> None:
    axes = [Axis("size", (3,) * 1001, None, "size")]
    with pytest.raises(UsageError, match="the grid has 1,001 points"):
        make_points(GAME.variant(), [CAREFUL], axes)


@pytest.mark.parametrize(("value", "text"), [((0, 2), "0,2"), (2.0, "2"), (0.5, "0.5"), (-5, "-5"), ("empty", "empty")])
def test_value_text_is_what_the_command_line_takes(value: object, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("given", "message"), [([], "no strategy"), (["careful", "careful"], "careful is given twice")]
)
def test_find_strategies_refusals(given: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_strategies(GAME, given)


# --- Playing ---------------------------------------------------------------------------------------------------------


def test_blocks_are_the_games_of_simulate() -> None:
    rules = GAME.variant()
    point = make_point(rules, [UNIFORM, CAREFUL], (), ())
    ((batch, _, games),) = list(setup(2, ("blunder",)).play([point]))
    assert batch.shape == (1, 2, DEALS, len(GAME.columns) + 3)
    assert games == DEALS * 4
    table = simulate(GAME, ["uniform", "blunder"], deals=DEALS).table
    own = table.filter(table["strategy"] == "uniform").sort("deal")
    by_deal = own.group_by("deal", maintain_order=True).sum()
    assert batch[0, 0, :, SCORE].tolist() == by_deal["score"].to_list()
    squares = own.with_columns(own["score"].cast(int) ** 2).group_by("deal", maintain_order=True).sum()
    assert batch[0, 0, :, len(GAME.columns)].tolist() == squares["score"].to_list()
    first = own.filter(own["seat"] == 0).sort("deal")["win"] * GAME.columns[WIN].scale
    assert batch[0, 0, :, len(GAME.columns) + 1].tolist() == first.to_list()


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.grids.CHUNK", 8)
    monkeypatch.setattr("sims.design.CHUNK", 8)
    monkeypatch.setattr("sims.run.CHUNK", 8)
    points = [make_point(GAME.variant(), [UNIFORM], (), ())]
    (whole,) = (batch for batch, _, _ in setup(deals=20).play(points))
    monkeypatch.setattr("analysis.grids.LARGEST_BATCH", 1)
    parts = [batch for batch, _, _ in setup(deals=20).play(points)]
    assert len(parts) == 3
    assert np.array_equal(np.concatenate(parts, axis=2), whole)


def test_a_line_up_that_two_points_share_is_played_once() -> None:
    points = [make_point(GAME.variant(), [UNIFORM, strategy], (), ()) for strategy in (CAREFUL, UNIFORM)]
    ((batch, _, games),) = list(setup().play(points))
    assert games == 2 * DEALS
    assert np.array_equal(batch[0, 0], batch[1, 1])


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("players", [1, 2, 3])
def test_everyone_sits_at_every_seat_equally_often(players: int, seats: int) -> None:
    for games in setup(seats).seat_games(GAME.variant(), players):
        assert len(set(games)) == 1
        assert games[0] > 0


def test_rules_say_who_sits_where(partners: Game) -> None:
    alone, together = partners.variant(), partners.variant("advanced")

    def made(rules: list[Any], seats: int | None, opponents: int = 0) -> grids.Setup:
        return make_setup(partners, rules, seats, ["uniform"] * opponents, DEALS, 1, 1, "threads", False)

    assert made([alone], None).seats == 2
    assert made([together], None).seats == 4
    assert made([alone, together], None).seats == 4
    assert made([together], 6).seat_games(together, 2) == [[3] * 6] * 2
    assert made([together], 8).seat_games(together, 2) == [[2] * 8] * 2
    assert made([together], 6).seat_games(together, 3) == [[6] * 6] * 3
    assert made([together], None, 5).seat_games(together, 1) == [[1, 1, 1, 0, 0, 0]]
    assert made([alone, together], 4).seat_games(alone, 2) == [[2] * 4] * 2
    assert made([alone, together], 4).seat_games(together, 2) == [[1] * 4] * 2
    with pytest.raises(UsageError, match=r"^criss-cross under the rules of all points is for 4 seats, not 6$"):
        made([alone, together], 6)
    with pytest.raises(UsageError, match=r"is for 4, 6 or 8 seats, not 3$"):
        made([together], None, 2)
    apart = dataclasses.replace(partners, seat_counts=lambda rules: (6,) if rules == together else (2, 3))
    with pytest.raises(UsageError, match=r"^the points of this grid have no number of seats of criss-cross in common"):
        make_setup(apart, [alone, together], None, (), DEALS, 1, 1, "threads", False)


def test_seats_and_opponents_have_to_fit() -> None:
    with pytest.raises(UsageError, match="seats=7 does not fit"):
        setup(7)
    with pytest.raises(UsageError, match="1 opponents and one strategy make 2 seats, not 3"):
        setup(3, ("uniform",))
    with pytest.raises(UsageError, match="deals=0 does not fit"):
        setup(deals=0)


# --- Sums ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(-9, 9)), min_size=1, max_size=30))
def test_exact_moments_equal_integer_arithmetic(rows: list[tuple[int, int]]) -> None:
    values = np.array(rows, np.int64)
    assert exact_moments(values) == Moments.from_scores(values)


def test_exact_moments_of_numbers_beyond_floating_point() -> None:
    values = np.array([[2**27 + 1, 3], [2**27 - 1, -3]], np.int64)
    assert exact_moments(values) == Moments.from_scores(values)
    values = values * 2
    values[0, 0] += 1
    assert exact_moments(values) == Moments.from_scores(values)


def test_measures_are_the_textbook_statistics() -> None:
    point = make_point(GAME.variant(), [UNIFORM], (), ())
    ((batch, _, _),) = list(setup().play([point]))
    scores = batch[0, 0, :, SCORE]
    measures = Measures(GAME, 1, (1,))
    moments = exact_moments(batch[0, 0])
    mean, sd = (measures.measure(name, moments) for name in ("mean_score", "sd_score"))
    assert mean.value == pytest.approx(scores.mean())
    assert standard_error(moments, mean.gradient) == pytest.approx(scores.std(ddof=1) / math.sqrt(DEALS))
    assert sd.value == pytest.approx(scores.std(ddof=1))
    # The delta method for an sd: sqrt((fourth central moment − variance²) / n) / (2 sd).
    centred = scores - scores.mean()
    known = math.sqrt(((centred**4).mean() - (centred**2).mean() ** 2) / (DEALS - 1)) / (2 * sd.value)
    assert standard_error(moments, sd.gradient) == pytest.approx(known, rel=1e-9)


def test_names_leave_out_what_one_seat_cannot_vary() -> None:
    alone, table = Measures(GAME, 1, (1,)).names, Measures(GAME, 2, (1, 1)).names
    assert alone[:2] == ["mean_score", "sd_score"]
    assert "mean_win" not in alone
    assert {"mean_win", "mean_rank", "win_seat_0", "win_seat_1"} <= set(table)


def test_names_leave_out_seats_that_are_never_taken() -> None:
    names = Measures(GAME, 4, (1, 1, 0, 0)).names
    assert [name for name in names if name.startswith("win_seat_")] == ["win_seat_0", "win_seat_1"]


def test_a_difference_of_equals_has_no_error() -> None:
    values = np.array([[1, 1], [4, 4], [9, 9]], np.int64)
    one, other = np.array([1 / 3, 0.0]), np.array([0.0, -1 / 3])
    assert standard_error(exact_moments(values), one, other) == 0
