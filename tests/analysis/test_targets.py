"""Targets: bisection on common deals, and what it leaves open."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from analysis.grids import Measures, exact_moments
from analysis.simulation import simulate
from analysis.targets import Target, find_crossing, find_target, read_target
from sims.errors import UsageError
from sims.game import SCORE, Game, find_game
from sims.jit import COMPILED

GAME = "criss-cross"
DEALS = 2_000 if COMPILED else 30
MEASURES = Measures(find_game(GAME), 1, (1,))


@pytest.fixture(scope="module")
def whole() -> Target:
    """Uniform scores 10.37 in the basic game and about −18 when a line without a run costs 5."""
    return find_target(GAME, "uniform", {"zero_line_points": [-10, 10]}, target="mean_score", value=0, deals=DEALS)


def test_a_whole_option_has_two_neighbours(whole: Target) -> None:
    assert whole.below is not None
    assert whole.above is not None
    assert whole.above.at - whole.below.at == 1
    assert whole.below.measured <= 0 <= whole.above.measured
    assert whole.below.at <= whole.estimate <= whole.above.at
    assert whole.low < whole.estimate < whole.high
    assert whole.met
    assert whole.crossings == 1


def test_neighbours_are_measured_as_simulate_does(whole: Target) -> None:
    assert whole.below is not None
    rules = find_game(GAME).variant().replace(zero_line_points=int(whole.below.at))
    known = simulate(GAME, "uniform", deals=DEALS, variant=rules).summary().row(0, named=True)
    assert whole.below.measured == known["mean"]
    assert whole.interval(whole.below) == pytest.approx((known["low"], known["high"]))


def test_frame_and_json_hold_what_was_tried(whole: Target) -> None:
    frame = whole.summary()
    assert frame["zero_line_points"].is_sorted()
    assert frame["neighbour"].sum() == 2
    told = json.loads(json.dumps(whole.to_dict(), allow_nan=False))
    assert told["neighbours"] == [whole.below.at, whole.above.at]  # type: ignore[union-attr]
    assert told["met"] is True
    assert whole.to_pandas().shape == frame.shape


def test_words(whole: Target) -> None:
    told = whole.sentences()
    assert told[0].startswith("mean_score=0 lies between zero_line_points=")
    assert told[1].startswith("The nearer is ")
    assert max(len(line) for line in whole.text().splitlines()) <= 80


def test_outside() -> None:
    found = find_target(GAME, "uniform", {"zero_line_points": [-1, 0]}, target="mean_score", value=90, deals=DEALS)
    assert not found.met
    assert found.nearest.at == 0
    assert math.isnan(found.estimate)
    assert found.sentences()[0].startswith("mean_score=90 is outside what zero_line_points from -1 to 0 gives: ")
    json.dumps(found.to_dict(), allow_nan=False)


SMOOTH = """
from sims.chance import uniform
from sims.criss_cross import gain, random_move
from strategies import Parameter, strategy

@strategy("criss-cross", parameters=[Parameter("share", 0.5, 0, 1)])
def choosy(view, rng, params):
    one, other = random_move(view, rng), random_move(view, rng)
    better = gain(view, other) > gain(view, one)
    return other if uniform(rng) < params[0] and better else one
"""


@pytest.mark.skipif(not COMPILED, reason="needs more deals than plain Python plays")
def test_a_real_parameter_has_a_root_with_its_uncertainty(tmp_path: Path) -> None:
    file = tmp_path / "smooth.py"
    file.write_text(SMOOTH)
    spec = f"{file}:choosy"
    found = find_target(GAME, spec, {f"{spec}.share": [0, 1]}, target="mean_score", value=12, deals=DEALS)
    assert found.met
    assert not found.whole
    assert found.low < found.estimate < found.high
    assert found.high - found.low < 0.3
    # Other deals put it elsewhere, within the uncertainty of both.
    again = find_target(GAME, spec, {f"{spec}.share": [0, 1]}, target="mean_score", value=12, deals=DEALS, seed=2)
    assert abs(found.estimate - again.estimate) < (found.high - found.low) + (again.high - again.low)
    assert found.sentences()[0].startswith("mean_score=12 is met at ")


@pytest.mark.skipif(not COMPILED, reason="needs more deals than plain Python plays")
def test_a_jump_is_told() -> None:
    """At no price careful is greedy; at any price it is another player."""
    ends = [simulate(GAME, f"careful:price={price}", deals=DEALS).summary()["mean"][0] for price in (0, 1)]
    middle = sum(ends) / 2
    found = find_target(GAME, "careful", {"careful.price": [0, 1]}, target="mean_score", value=middle, deals=DEALS)
    assert found.jumps
    assert found.sentences()[0].startswith(f"No value gives mean_score={middle:.10g}: it jumps from ")
    assert math.isnan(found.low)


def moments_of(columns: list[list[int]]) -> object:
    """Return moments of places whose only measure is the score."""
    size = len(find_game(GAME).columns) + 1
    values = np.zeros((len(columns[0]), size * len(columns)), np.int64)
    for place, column in enumerate(columns):
        values[:, place * size + SCORE] = column
        values[:, place * size + size - 1] = np.square(column)
    return exact_moments(values)


def test_find_crossing_is_the_delta_method() -> None:
    rng = np.random.default_rng(1)
    luck = rng.integers(-9, 10, 400)
    moments = moments_of([luck.tolist(), (luck + 10).tolist()])
    found = find_crossing(MEASURES, "mean_score", 5.0, [0.0, 2.0], moments, 0, 0.0, 0.95)  # type: ignore[arg-type]
    known = (5 - luck.mean()) / 5
    assert found.estimate == pytest.approx(known)
    half = 1.966 * luck.std(ddof=1) / 20 / 5
    assert found.high - found.estimate == pytest.approx(half, rel=1e-3)


def test_find_crossing_covers() -> None:
    """The truth lies at 1; 95 % of intervals hold it (300 runs: 0.95 ± 0.05)."""
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        luck, other = rng.integers(-20, 21, 200), rng.integers(-3, 4, 200)
        moments = moments_of([luck.tolist(), (luck + other + 8).tolist()])
        found = find_crossing(MEASURES, "mean_score", 4.0, [0.0, 2.0], moments, 0, 0.0, 0.95)  # type: ignore[arg-type]
        held += found.low <= 1 <= found.high
    assert 0.90 <= held / 300 <= 0.99


def test_find_crossing_without_a_clear_change_has_no_interval() -> None:
    luck = np.random.default_rng(2).integers(-9, 10, (2, 100))
    low, high = sorted((luck[0].mean(), luck[1].mean()))
    moments = moments_of([row.tolist() for row in luck])
    found = find_crossing(MEASURES, "mean_score", (low + high) / 2, [0.0, 1.0], moments, 0, 0.0, 0.95)  # type: ignore[arg-type]
    assert found.estimate == pytest.approx(0.5)
    assert math.isnan(found.low)


def test_read_target() -> None:
    assert read_target("mean_score=25") == ("mean_score", 25.0)
    for text in ("mean_score", "mean_score=x"):
        with pytest.raises(UsageError, match="cannot read the target"):
            read_target(text)


@pytest.mark.parametrize(
    ("strategies", "grid", "target", "value", "message"),
    [
        (["uniform", "blunder"], {"size": [4, 5]}, "mean_score", 1, "a target is for one strategy, not for 2"),
        ("uniform", {"size": [4]}, "mean_score", 1, "a target needs one option or parameter with two values"),
        ("uniform", {}, "mean_score", 1, "a target needs one option"),
        ("uniform", {"size": [4, 5], "start": ["empty"]}, "mean_score", 1, "a target needs one option"),
        ("uniform", {"start": ["empty", "rolled"]}, "mean_score", 1, "start is not one number"),
        ("uniform", {"size": [4, 5]}, "men_score", 1, "unknown target 'men_score'; did you mean mean_score"),
        ("uniform", {"size": [4, 5]}, "mean_score", math.nan, "mean_score=nan is no number"),
    ],
)
def test_refusals(strategies: object, grid: dict[str, list[object]], target: str, value: float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_target(GAME, strategies, grid, target=target, value=value, deals=5)  # type: ignore[arg-type]


def test_an_option_that_changes_who_sits_where_has_no_target(partners: Game) -> None:
    grid = {"diagonal_weight": [1, 2]}
    more = {"target": "mean_score", "value": 5.0, "deals": DEALS, "n_jobs": 1}
    message = r"^a target needs the same table at every point, and diagonal_weight changes who sits where$"
    with pytest.raises(UsageError, match=message):
        find_target(partners, "uniform", grid, opponents=["uniform"] * 3, **more)  # type: ignore[arg-type]
    # Alone with copies of itself a strategy has all seats once, in teams or not.
    found = find_target(partners, "uniform", grid, **more)  # type: ignore[arg-type]
    assert found.setup.seats == 4
    assert [item.at for item in found.evaluations] == [1, 2]
    for item in found.evaluations:
        rules = partners.rules().replace(diagonal_weight=int(item.at))
        known = simulate(partners, ["uniform"] * 4, deals=DEALS, variant=rules, rotate=False, n_jobs=1)
        assert item.measured == pytest.approx(known.summary()["mean"][0])
    with pytest.raises(UsageError, match="under the rules of all points is for 4 seats, not 6"):
        find_target(partners, "uniform", grid, seats=6, **more)  # type: ignore[arg-type]


def test_workers_change_nothing() -> None:
    told = [
        json.dumps(
            find_target(
                GAME, "uniform", {"size": [3, 5]}, target="mean_score", value=8, deals=DEALS, n_jobs=jobs
            ).to_dict()
        )
        for jobs in (1, 2)
    ]
    assert told[0] == told[1]
