"""Statistics of frames: the same answers as of the games themselves."""

import polars as pl
import pytest

from analysis.matches import compare
from analysis.played import block_sums, compare_played, rank_played
from analysis.simulation import simulate
from sims.errors import UsageError
from sims.jit import COMPILED

DEALS = 1_000 if COMPILED else 40
NAMES = ("greedy", "uniform", "blunder")


@pytest.fixture(scope="module")
def games() -> pl.DataFrame:
    return pl.concat(
        simulate("criss-cross", name, deals=DEALS, seed=6).table.with_columns(pl.col("strategy").cast(pl.String))
        for name in NAMES
    )


def test_compare_played_says_what_compare_says(games: pl.DataFrame) -> None:
    expected = compare("criss-cross", "greedy", "uniform", deals=DEALS, seed=6, margin=0.5).result
    assert compare_played(games, "greedy", "uniform", margin=0.5) == expected
    assert compare_played(games.sample(fraction=1, shuffle=True, seed=1), "greedy", "uniform", margin=0.5) == expected
    assert compare_played(games.to_pandas(), "greedy", "uniform", margin=0.5) == expected


def test_compare_played_knows_tables() -> None:
    expected = compare("criss-cross", "greedy", "uniform", deals=DEALS, seats=2).result
    assert compare_played(simulate("criss-cross", ["greedy", "uniform"], deals=DEALS).table, "greedy", "uniform") == (
        type(expected)(**{**expected.__dict__, "margin": 0.0, "verdict": "better"})
    )


def test_rank_played_orders_by_mean(games: pl.DataFrame) -> None:
    found = rank_played(games)
    assert found["strategy"].to_list() == ["greedy", "uniform", "blunder"]
    assert found["rank"].to_list() == [1, 2, 3]
    assert found["rank_low"].to_list() == found["rank_high"].to_list() == [1, 2, 3]
    assert found["p_best"][0] == pytest.approx(1)
    assert rank_played(games.to_pandas()).equals(found)
    means = {row["strategy"]: row["mean"] for row in found.iter_rows(named=True)}
    assert means["greedy"] == pytest.approx(games.filter(pl.col("strategy") == "greedy")["score"].mean())


def test_block_sums_add_up_a_deal() -> None:
    frame = pl.DataFrame(
        {"strategy": ["a", "b", "a", "b"] * 2, "deal": [3, 3, 3, 3, 1, 1, 1, 1], "score": [1, 2, 3, 4, 5, 6, 7, 8]}
    )
    names, sums, scale = block_sums(frame)
    assert (names, sums.tolist(), scale) == (["a", "b"], [[12, 14], [4, 6]], 2)


GOOD = {"strategy": ["a", "b"], "deal": [1, 1], "score": [2, 3]}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"strategy": ["a"], "deal": [1]}, "no column 'score'"),
        ({"strategy": [], "deal": [], "score": []}, "no rows"),
        ({**GOOD, "score": [None, *GOOD["score"][1:]]}, "no value of score in row 0"),
        ({**GOOD, "score": [0.5, 1.5]}, "give integers"),
        ({"strategy": ["a", "b", "a"], "deal": [1, 1, 2], "score": [2, 3, 4]}, "not played equally often"),
        ({"strategy": ["a", "b", "b"], "deal": [1, 1, 1], "score": [2, 3, 4]}, "not played equally often"),
    ],
)
def test_frames_without_blocks_are_refused(columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rank_played(pl.DataFrame(columns))


def test_strangers_and_single_strategies_are_refused() -> None:
    with pytest.raises(UsageError, match="no strategy 'c'; there are: a, b"):
        compare_played(pl.DataFrame(GOOD), "a", "c")
    with pytest.raises(UsageError, match="needs two strategies"):
        rank_played(pl.DataFrame({"strategy": ["a"], "deal": [1], "score": [2]}))


def test_a_comparison_of_frames_is_a_frame() -> None:
    found = compare_played(pl.DataFrame(GOOD), "a", "b")
    row = found.summary().row(0, named=True)
    assert (row["blocks"], row["effect"], row["low"], row["verdict"]) == (1, -1.0, None, "undecided")
    assert found.summary().schema["low"] == pl.Float64
    assert found.to_pandas()["effect"].to_list() == [-1.0]
