"""Sweeps: paired effects, orders and flips."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from analysis.grids import read_grid
from analysis.matches import compare
from analysis.simulation import simulate
from analysis.sweeps import Sweep, _runs, sweep, wide_table
from sims.errors import UsageError
from sims.game import Game
from sims.jit import COMPILED

DEALS = 2_000 if COMPILED else 30
GAME = "criss-cross"


@pytest.fixture(scope="module")
def solo() -> Sweep:
    return sweep(GAME, ["uniform", "careful"], {"zero_line_points": [0, -5]}, deals=DEALS)


def test_means_are_those_of_simulate(solo: Sweep) -> None:
    for row in solo.summary().iter_rows(named=True):
        rules = solo.points[row["point"]].rules
        assert rules.zero_line_points == row["zero_line_points"]
        known = simulate(GAME, row["strategy"], deals=DEALS, variant=rules).summary().row(0, named=True)
        assert row["mean"] == known["mean"]
        assert (row["low"], row["high"]) == pytest.approx((known["low"], known["high"]))
        assert row["sd"] == pytest.approx(known["sd"])
        assert row["mean_rounds"] == known["rounds"]


def test_one_row_a_point_and_strategy(solo: Sweep) -> None:
    frame = solo.summary()
    assert frame.select("point", "zero_line_points", "strategy").rows() == [
        (0, 0, "uniform"),
        (0, 0, "careful"),
        (1, -5, "uniform"),
        (1, -5, "careful"),
    ]
    assert frame["blocks"].to_list() == [DEALS] * 4
    assert solo.to_pandas().shape == frame.shape


def test_effects_are_paired_differences(solo: Sweep) -> None:
    scores = [
        simulate(GAME, "careful", deals=DEALS, variant=point.rules).table["score"].to_numpy() for point in solo.points
    ]
    difference = scores[1] - scores[0]
    row = solo.effects().filter(strategy="careful", measure="mean_score").row(0, named=True)
    assert row["effect"] == pytest.approx(difference.mean())
    half = (row["high"] - row["low"]) / 2
    assert half == pytest.approx(1.96 * difference.std(ddof=1) / np.sqrt(DEALS), rel=0.05)
    assert row["changed"] == "zero_line_points"
    assert row["clear"]
    spread = solo.effects().filter(strategy="careful", measure="sd_score").row(0, named=True)
    assert spread["effect"] == pytest.approx(scores[1].std(ddof=1) - scores[0].std(ddof=1))


def test_what_a_rule_cannot_touch_has_an_effect_of_exactly_0(solo: Sweep) -> None:
    row = solo.effects().filter(strategy="uniform", measure="mean_rounds").row(0, named=True)
    assert (row["effect"], row["low"], row["high"], row["clear"]) == (0, 0, 0, False)


def test_order_at_two_seats_is_that_of_compare() -> None:
    found = sweep(GAME, ["uniform", "careful"], {"size": [5]}, deals=DEALS, seats=2)
    known = compare(GAME, "uniform", "careful", deals=DEALS, seats=2).result
    row = found.order().row(0, named=True)
    assert row["effect"] == pytest.approx(known.effect)
    # One pair at one point: nothing to correct for.
    assert (row["low"], row["high"]) == pytest.approx((known.low, known.high))
    assert row["better"] == "careful"


def test_seat_shares_add_up() -> None:
    found = sweep(GAME, "uniform", {"start": ["assigned", "empty"]}, deals=DEALS, seats=3)
    frame = found.summary()
    total = frame["win_seat_0"] + frame["win_seat_1"] + frame["win_seat_2"]
    assert total.to_list() == pytest.approx([1, 1])
    assert frame["mean_win"].to_list() == pytest.approx([1 / 3, 1 / 3])
    assert found.games == 2 * DEALS


def test_a_parameter_leaves_the_other_strategy_alone() -> None:
    found = sweep(GAME, ["uniform", "careful"], {"careful.price": [1.5, 0]}, deals=DEALS)
    assert found.games == 3 * DEALS
    frame = found.summary()
    assert frame["spec"].to_list() == ["uniform", "careful", "uniform", "careful:price=0"]
    assert frame["mean"][0] == frame["mean"][2]


@pytest.mark.skipif(not COMPILED, reason="needs more deals than plain Python plays")
def test_a_planted_flip_is_found_and_told() -> None:
    """Line-builder builds runs whatever they count: a good idea, until they cost points."""
    grid = {"run_points": [(0, 2, 3, 8, 10), (0, -5, -5, -5, -5)]}
    found = sweep(GAME, ["line-builder", "uniform"], grid, deals=DEALS)
    (flip,) = found.flips()
    assert (flip.a, flip.b, flip.a_better, flip.b_better) == ("line-builder", "uniform", (0,), (1,))
    (sentence,) = found.flip_sentences()
    assert sentence.startswith("The order flips: line-builder beats uniform by ")
    assert "at run_points=0,2,3,8,10, and uniform beats line-builder by " in sentence
    assert found.ranking(0) == ["line-builder", "uniform"]
    assert found.ranking(1) == ["uniform", "line-builder"]


def test_equal_players_do_not_flip() -> None:
    """Greedy and careful at no price play alike but for ties."""
    found = sweep(GAME, ["greedy", "careful:price=0"], {"zero_line_points": [0, -5]}, deals=DEALS, seed=2)
    assert found.flips() == ()
    assert found.flip_sentences()[0].startswith("No order")


def test_workers_and_backend_change_nothing() -> None:
    told = [
        json.dumps(
            sweep(
                GAME, ["uniform", "blunder"], {"size": [4, 3]}, deals=DEALS, seats=2, n_jobs=jobs, backend=backend
            ).to_dict()
        )
        for jobs, backend in ((1, "threads"), (2, "threads"), (2, "loky"))
    ]
    assert told[0] == told[1] == told[2]


def test_one_deal_is_json_without_nan() -> None:
    found = sweep(GAME, ["uniform", "blunder"], {"size": [5, 4]}, deals=1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["points"][0]["low"] is None
    assert told["flips"] == []
    assert found.text()


def test_text_is_at_most_80_columns_wide() -> None:
    grid = read_grid(GAME, ["run_points=0,2,3,8,10|0,1,3,6,10", "zero_line_points=0|-5"])
    long = "noisy(restrict(potential:one=0.5,three=0.25,never=lonely-spaces),0.25)"
    text = sweep(GAME, [long, "uniform"], grid, deals=3, seats=2).text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "0 (base)  run_points=0,2,3,8,10, zero_line_points=0" in text


def test_wide_table_goes_on_below() -> None:
    columns = [(f"column{place}", ["1.000"]) for place in range(20)]
    text = wide_table(("point", "strategy"), [["0", "greedy"]], columns)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert text.count("greedy") == text.count("point") > 1
    assert all(heading in text for heading, _ in columns)


def test_a_frame_plays_only_its_rows(solo: Sweep) -> None:
    frame = pd.DataFrame({"zero_line_points": [0, -5, 0], "careful.price": [1.5, 1.5, 0.0]})
    found = sweep(GAME, ["uniform", "careful"], frame, deals=DEALS)
    assert found.summary().filter(pl.col("point") < 2).drop("careful.price").equals(solo.summary())
    assert found.effects()["changed"].unique(maintain_order=True).to_list() == ["zero_line_points", "careful.price"]
    # Uniform has no price: it plays one game less.
    assert found.games == 5 * DEALS


def test_nothing_to_vary_is_refused() -> None:
    with pytest.raises(UsageError, match="a sweep needs something to vary"):
        sweep(GAME, "uniform", {}, deals=5)


@pytest.mark.parametrize("opponents", [0, 3])
def test_an_option_may_change_who_plays_together(partners: Game, opponents: int) -> None:
    """Points of one table have as many games of their own as turning it gives, and means that count for them."""
    names, against = ["uniform", "blunder"], ["uniform"] * opponents
    found = sweep(partners, names, {"diagonal_weight": [1, 2]}, deals=DEALS, opponents=against, n_jobs=1)
    assert found.setup.seats == 4
    frame = found.summary()
    once = 1 if opponents else 2
    assert frame["games"].to_list() == [4 * once * DEALS] * 2 + [2 * once * DEALS] * 2
    assert found.games == (4 + 2) * len(names[: 2 if opponents else 1]) * DEALS
    for point in found.points:
        known = compare(partners, *names, deals=DEALS, seats=4, opponents=against, variant=point.rules, n_jobs=1)
        at = frame.filter(diagonal_weight=point.values[0])
        order = found.order().filter(diagonal_weight=point.values[0]).row(0, named=True)
        assert at["mean"][0] - at["mean"][1] == pytest.approx(known.result.effect)
        assert order["effect"] == pytest.approx(known.result.effect)
    effect = found.effects().filter(strategy="uniform", measure="mean_score").row(0, named=True)
    assert effect["effect"] == pytest.approx(frame["mean"][2] - frame["mean"][0])
    taken = [name for name in found.names if name.startswith("win_seat_")]
    assert taken == [f"win_seat_{seat}" for seat in range(2 if opponents else 4)]
    assert max(map(len, found.text().splitlines())) <= 80


def test_the_wins_of_a_seat_that_is_never_taken_are_left_out() -> None:
    """With opponents a strategy sits at one seat of each team."""
    found = sweep("crosswise", "uniform", {"sudden_win": [True, False]}, deals=30, opponents=["uniform"] * 3)
    assert [name for name in found.names if name.startswith("win_seat_")] == ["win_seat_0", "win_seat_1"]
    assert found.summary()["games"].to_list() == [60, 60]


def test_points_that_no_table_fits_are_refused(partners: Game) -> None:
    with pytest.raises(UsageError, match=r"^criss-cross under the rules of all points is for 4 seats, not 2$"):
        sweep(partners, "uniform", {"diagonal_weight": [1, 2]}, deals=5, seats=2)


def test_only_the_measures_that_are_asked_for_are_told(solo: Sweep) -> None:
    found = sweep(
        GAME, ["uniform", "careful"], {"zero_line_points": [0, -5]}, deals=DEALS, measures=["rounds", "sd_score"]
    )
    assert found.names == ["mean_score", "mean_rounds", "sd_score"]
    kept = [name for name in solo.summary().columns if not name.startswith("mean_") or name == "mean_rounds"]
    assert found.summary().equals(solo.summary().select(kept))
    assert found.effects()["measure"].unique(maintain_order=True).to_list() == found.names
    headings = [line.split() for line in found.text().splitlines() if line.startswith("point  strategy")]
    assert headings[0] == ["point", "strategy", "mean", "±", "95%", "rounds", "sd"]
    assert headings[1] == ["point", "strategy", "score", "rounds", "sd_score"]


def test_the_score_alone_can_be_asked_for(solo: Sweep) -> None:
    found = sweep(GAME, ["uniform", "careful"], {"zero_line_points": [0, -5]}, deals=DEALS, measures=["score"])
    assert found.names == ["mean_score"]
    assert found.order().equals(solo.order())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["round"], r"^there is no measure 'round'; did you mean rounds"),
        (["win_seat_0"], r"^there is no measure 'win_seat_0'"),
        (["rounds", "mean_rounds"], r"^the measure rounds is asked for twice: give each once$"),
    ],
)
def test_measures_are_checked_before_anything_is_played(names: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sweep(GAME, "uniform", {"size": [4, 5]}, deals=10**9, measures=names)


def test_points_are_told_by_what_they_change() -> None:
    grid = {"size": [3, 4], "zero_line_points": [0, -5]}
    text = sweep(GAME, "uniform", grid, deals=3).text()
    legend = text.partition("\n\npoint ")[0].partition("points (what they change)\n")[2]
    assert legend.splitlines() == [
        "    0 (base)  size=3, zero_line_points=0",
        "    1         zero_line_points=-5",
        "    2         size=4",
        "    3         size=4, zero_line_points=-5",
    ]


def test_many_points_are_told_by_their_range_too() -> None:
    """The points of one order stand together; the ends of a measure are those of its column."""
    values = [0, -1, -2, -5, -9]
    few = sweep(GAME, ["uniform", "careful"], {"zero_line_points": values[:4]}, deals=DEALS, measures=["rounds"])
    assert "Over all points" not in few.text()
    found = sweep(GAME, ["uniform", "careful"], {"zero_line_points": values}, deals=DEALS, measures=["rounds"])
    lines = found.text().splitlines()
    table = [line.split() for line in lines[lines.index("Over all points") + 2 :][:4]]
    means = found.summary().filter(strategy="careful")["mean"].to_list()
    # Empty lines cost points: the dearer they are, the less is scored.
    assert table[1] == ["score", "careful", f"{min(means):.3f}", "4", f"{max(means):.3f}", "0"]
    assert [row[:2] for row in table] == [
        [name, strategy] for name in ("score", "rounds") for strategy in ("uniform", "careful")
    ]
    # What does not depend on the rule has its lowest and highest value at the first point already.
    assert (table[2][3], table[2][5]) == ("0", "0")
    if COMPILED:
        assert "  0-4  careful > uniform" in lines


def test_orders_that_come_back_are_told_once() -> None:
    assert _runs([0]) == "0"
    assert _runs([0, 1, 2, 5, 7, 8]) == "0-2, 5, 7-8"


def test_where_the_score_is_the_win_it_is_told_once() -> None:
    found = sweep("crossways", ["rusher", "idle"], {"markers": [24, 8]}, deals=2)
    frame = found.summary()
    assert frame["mean"].to_list() == frame["mean_win"].to_list()
    text = found.text()
    assert "Order by share of wins" in text
    heading = next(line for line in text.splitlines() if line.startswith("point  strategy")).split()
    assert heading[:5] == ["point", "strategy", "wins", "±", "95%"]
    assert "win" not in heading
    assert "sd" not in heading
    asked = sweep("crossways", ["rusher", "idle"], {"markers": [24, 8]}, deals=2, measures=["sd_score", "win"])
    assert {"win", "sd"} < set(asked.text().split())
