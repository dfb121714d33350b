"""Distribution: the verb's numbers are those of the rows, for any workers, and its text fits."""

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from analysis.distributions import BlockScores, named_bands
from analysis.histogram import Histogram
from analysis.intervals import share_interval
from analysis.scores import QUANTILES, Distribution, distribution, distribution_of_frame
from analysis.simulation import Results, simulate
from sims.design import CHUNK
from sims.errors import UsageError
from sims.game import find_game
from sims.jit import COMPILED

GAME = find_game("criss-cross")
DEALS = CHUNK + 500 if COMPILED else 24
LINEUP = ["uniform", "blunder", "uniform"]
TAILS = (15, 5, 90)


@pytest.fixture(scope="module")
def played() -> Results:
    return simulate("criss-cross", LINEUP, deals=DEALS, seed=3, n_jobs=2)


@pytest.fixture(scope="module")
def found() -> Distribution:
    return distribution("criss-cross", LINEUP, deals=DEALS, seed=3, n_jobs=2, tails=TAILS)


def small(scores: object, **more: object) -> Distribution:
    """A distribution of one strategy and given block scores, without any play."""
    rows = np.asarray(scores)
    number, games = rows.shape
    frame = pl.DataFrame(
        {"strategy": ["s"] * rows.size, "deal": np.repeat(np.arange(number), games), "score": rows.ravel()}
    )
    return distribution_of_frame(frame, **more)  # type: ignore[arg-type]


# Counts and rows


def test_scores_are_those_of_simulate(found: Distribution, played: Results) -> None:
    assert found.specs == ["uniform", "blunder"]
    for spec, games in (("uniform", 6), ("blunder", 3)):
        assert found.histogram(spec) == played.histogram(spec)
        assert found.scores[spec].sums == played.counts.blocks[spec]
        assert found.scores[spec].games_a_block == games
        assert found.scores[spec].blocks == DEALS


def test_rows_give_the_same_distribution(found: Distribution, played: Results) -> None:
    again = distribution_of_frame(played.table, tails=TAILS, bands=GAME.bands)
    told, same = found.to_dict(), again.to_dict()
    assert same.pop("design") is None
    assert same["strategies"] == told["strategies"]
    assert distribution_of_frame(played.to_pandas(), tails=TAILS, bands=GAME.bands).cdf().equals(again.cdf())


def test_rows_may_come_in_any_order(played: Results) -> None:
    shuffled = played.table.sample(fraction=1, shuffle=True, seed=1)
    assert distribution_of_frame(shuffled).scores["uniform"] == distribution_of_frame(played.table).scores["uniform"]


def test_summary_agrees_with_the_rows(found: Distribution, played: Results) -> None:
    for row, same in zip(found.summary().iter_rows(named=True), played.summary().iter_rows(named=True), strict=True):
        for key in ("strategy", "games", "mean", "low", "high", "sd", "median"):
            assert row[key] == pytest.approx(same[key]), key
        own = played.table.filter(played.table["strategy"] == row["strategy"])["score"]
        assert (row["minimum"], row["maximum"]) == (own.min(), own.max())
        assert row["skewness"] == pytest.approx(own.skew(bias=False))
        assert row["blocks"] == DEALS


def test_tails_and_bands_agree_with_the_rows(found: Distribution, played: Results) -> None:
    table = played.table
    for row in found.tails().iter_rows(named=True):
        own = table.filter(table["strategy"] == row["strategy"])["score"]
        assert row["games"] == (own >= row["at_least"]).sum()
        assert row["share"] == pytest.approx(row["games"] / len(own))
        assert row["low"] <= row["share"] <= row["high"]
    bands = found.bands()
    assert bands["band"].to_list() == [name for _, name in GAME.bands] * 2
    assert bands.filter(bands["strategy"] == "uniform")["games"].sum() == DEALS * 6
    assert bands.select("from", "to").row(1) == (25, 29)
    assert bands["to"][0] is None


def test_quantiles_are_those_that_were_asked_for(found: Distribution) -> None:
    quantiles = found.quantiles()
    assert quantiles["quantile"].to_list() == list(QUANTILES) * 2
    own = quantiles.filter(quantiles["strategy"] == "uniform")
    assert own["score"].to_list() == [found.histogram("uniform").quantile(p) for p in QUANTILES]
    assert own["score"].is_sorted()
    assert (own["low"].fill_null(-math.inf) <= own["score"]).all()
    assert (own["high"].fill_null(math.inf) >= own["score"]).all()


def test_cdf_is_the_whole_distribution(found: Distribution) -> None:
    cdf = found.cdf()
    for spec in found.specs:
        own = cdf.filter(cdf["strategy"] == spec)
        assert dict(zip(own["score"], own["count"], strict=True)) == found.histogram(spec).to_dict()
        assert own["share"].sum() == pytest.approx(1)
        assert own["cdf"].is_sorted()
        assert own["cdf"][-1] == 1
        assert ((own["low"] >= 0) & (own["low"] <= own["cdf"])).all()
        assert ((own["high"] <= 1) & (own["high"] >= own["cdf"])).all()
    assert found.to_pandas()["score"].to_list() == cdf["score"].to_list()


def test_statistics_hold_all_of_it(found: Distribution) -> None:
    rows = found.statistics()
    assert rows["statistic"].unique(maintain_order=True).to_list() == [
        *("mean", "sd", "skewness", "minimum", "maximum", "quantile", "band", "tail", "cdf")
    ]
    tails = rows.filter((rows["statistic"] == "tail") & (rows["strategy"] == "blunder"))
    assert tails["at"].to_list() == [str(score) for score in TAILS]
    same = found.tails().filter(pl.col("strategy") == "blunder")
    assert tails.select("value", "low", "high").rows() == same.select("share", "low", "high").rows()
    assert rows.filter(rows["statistic"] == "quantile")["at"][0] == "0.05"


def test_solo_tails_are_wilsons_or_exact() -> None:
    alone = distribution("criss-cross", "uniform", deals=DEALS, tails=(12, 90), quantiles=(0.5,))
    games = int((simulate("criss-cross", "uniform", deals=DEALS).table["score"] >= 12).sum())
    rows = alone.tails().rows(named=True)
    assert (rows[0]["low"], rows[0]["high"]) == share_interval(games, DEALS)
    assert (rows[1]["low"], rows[1]["high"]) == share_interval(0, DEALS)
    assert alone.histogram() == alone.scores["uniform"].orders[0]


def test_bands_are_for_the_basic_rules() -> None:
    advanced = distribution("criss-cross", "uniform", deals=5, variant="advanced")
    assert advanced.bands().is_empty()
    assert "Cross Master" not in advanced.text()
    assert named_bands(GAME.bands) == distribution("criss-cross", "uniform", deals=5).named


# The same for any workers


def test_bytes_are_the_same_for_any_workers_and_with_a_store(found: Distribution, tmp_path: Path) -> None:
    told = json.dumps(found.to_dict(), allow_nan=False)
    for more in (
        {"n_jobs": 1},
        {"n_jobs": 2, "backend": "loky"},
        {"store": tmp_path / "store"},
        {"store": tmp_path / "store"},
    ):
        again = distribution("criss-cross", LINEUP, deals=DEALS, seed=3, tails=TAILS, **more)  # type: ignore[arg-type]
        assert json.dumps(again.to_dict(), allow_nan=False) == told
    assert again.games == 0


# JSON and text


def test_one_deal_is_json_without_numbers_that_are_none() -> None:
    for lineup in ("uniform", LINEUP):
        one = distribution("criss-cross", lineup, deals=1, tails=(3,))
        told = json.loads(json.dumps(one.to_dict(), allow_nan=False))
        assert told["strategies"][0]["low"] is None
        assert told["strategies"][0]["quantiles"][0]["low"] is None
        assert told["design"]["deals"] == 1
        assert "interval not known" in one.text()


def test_text_has_the_numbers(found: Distribution) -> None:
    text = found.text()
    row = found.summary().row(0, named=True)
    assert f"skewness {row['skewness']:.2f}" in text
    assert f"in {DEALS * 6:,} games" in text
    assert f"Its 6 games on each of {DEALS:,} deals share their luck" in " ".join(text.split())
    assert "15 or more" in text
    assert "(95 % interval" in text
    assert "\N{NO-BREAK SPACE}" not in text
    assert text.endswith(f"seed 3, rules version {GAME.rules_version}")
    assert text.count("Symbol Simon (20 to 24)") == 2


def test_text_of_one_game_a_deal_does_not_speak_of_dependence() -> None:
    text = distribution("criss-cross", "uniform", deals=20).text()
    assert "share their luck" not in text
    assert "% interval\n" in text


@pytest.mark.parametrize("low", [-3, 0, 17])
@pytest.mark.parametrize("spread", [0, 1, 15, 16, 300, 40_000])
def test_text_is_at_most_80_columns_wide(low: int, spread: int) -> None:
    shown = small([[low], [low + spread]] * 3, tails=(low,), bands=((low, "a very long name of a band " * 5),)).text()
    assert max(len(line) for line in shown.splitlines()) <= 80
    drawn = shown.split("\n\n")[-1].splitlines()
    assert 2 <= len(drawn) <= 18
    assert sum("50.00 %" in line or "100.00 %" in line for line in drawn) == (1 if spread == 0 else 2)


def test_long_names_fit() -> None:
    spec = "noisy(restrict(uniform,never=lonely-spaces),0.25)"
    text = distribution("criss-cross", [spec, "blunder"], deals=8, tails=(3,)).text()
    assert max(len(line) for line in text.splitlines()) <= 80


def test_bars_are_as_long_as_their_shares() -> None:
    drawn = small([[1]] * 4 + [[2]] * 2 + [[4]] * 1).text().split("\n\n")[-1].splitlines()[1:]
    bars = [line.count("#") for line in drawn]
    assert [line.split()[0] for line in drawn] == ["1", "2", "3", "4"]
    assert bars == pytest.approx([bars[0], bars[0] / 2, 0, bars[0] / 4], abs=0.5)
    assert bars[0] > 50


# What cannot be


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"tails": (2.5,)}, r"tail=2.5 does not fit: it takes a whole number from -32768 to 32767"),
        ({"quantiles": (0.5, 1)}, r"quantile 1 has no interval; give a number above 0 and below 1"),
        ({"deals": 0}, r"deals=0 does not fit"),
        ({"variant": "basik"}, r"no variant 'basik'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(more: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        distribution("criss-cross", "uniform", **{"deals": 5, **more})  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_a_stranger_has_no_histogram(found: Distribution) -> None:
    with pytest.raises(UsageError, match="'greedy' is not in the line-up: uniform, blunder"):
        found.histogram("greedy")
    with pytest.raises(UsageError, match="None is not in the line-up"):
        found.histogram()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"strategy": ["a"], "score": [1]}, "no column 'deal'"),
        ({"strategy": [], "deal": [], "score": []}, "no rows"),
        ({"strategy": ["a", "a"], "deal": [0, 1], "score": [1, None]}, "no value of score in row 1"),
        ({"strategy": ["a"], "deal": [0], "score": [0.5]}, "type float64; give integers"),
        ({"strategy": ["a"] * 3, "deal": [0, 0, 1], "score": [1, 2, 3]}, "a has 1 rows on one deal and 2 on another"),
    ],
)
def test_frames_that_do_not_fit_are_refused(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        distribution_of_frame(pl.DataFrame(columns))


def test_what_is_asked_for_twice_is_told_once() -> None:
    twice = small([[1], [2]], tails=(2, 1, 2), quantiles=(0.5, 0.5))
    assert twice.tails()["at_least"].to_list() == [2, 1]
    assert twice.quantiles().height == 1


def test_nothing_asked_for_gives_empty_frames() -> None:
    nothing = small([[1], [2]], quantiles=())
    assert nothing.tails().columns == ["strategy", "at_least", "games", "share", "low", "high", "effective"]
    assert nothing.quantiles().is_empty()
    assert nothing.scores["s"] == BlockScores((Histogram.from_scores([1, 2]),), Histogram.from_scores([1, 2]))


def test_any_column_of_whole_numbers_has_a_distribution() -> None:
    found = distribution("criss-cross", LINEUP, deals=DEALS, seed=3, tails=(10,), column="rounds")
    table = simulate("criss-cross", LINEUP, deals=DEALS, seed=3).table
    own = table.filter(pl.col("strategy") == "uniform")["rounds"]
    assert found.histogram("uniform").to_dict() == dict(sorted(own.value_counts().iter_rows()))
    row = found.tails().filter(strategy="uniform").row(0, named=True)
    assert row["share"] == pytest.approx((own >= 10).mean())
    assert found.cdf().columns[:3] == ["strategy", "rounds", "count"]
    assert found.quantiles().columns[:3] == ["strategy", "quantile", "rounds"]
    assert found.to_dict()["column"] == "rounds"
    assert found.bands().is_empty()
    text = found.text()
    assert text.startswith("uniform: mean rounds ")
    assert "  rounds  " in text
    assert "points" not in text
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["strategies"][0]["games"] == len(own)


def test_a_column_that_holds_parts_of_a_win_is_refused() -> None:
    for name in ("win", "round", ["rounds"]):
        with pytest.raises(UsageError, match=r"^criss-cross has no column .* of whole numbers; "):
            distribution("criss-cross", "uniform", deals=10**9, column=name)  # type: ignore[arg-type]


def test_a_game_without_points_tells_wins_and_one_deal_is_one() -> None:
    text = " ".join(distribution("crossways", ["rusher", "idle"], deals=1).text().split())
    assert "wins a game (interval not known) in 2 games. Its 2 games on 1 deal share their luck" in text
    assert "none to none" not in text
    assert "5 % 1 not known" in text
