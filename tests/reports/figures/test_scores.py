import numpy as np
import polars as pl
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb

from analysis.distributions import BlockScores, named_bands
from analysis.scores import Distribution
from reports.figures import rank_bands, render, score_distributions, score_ecdf
from sims.errors import UsageError

BANDS = ((20, "Cross Master"), (10, "Line Sweeper"), (0, "Column Counter"))


def found(seed: int = 1, games: int = 50) -> Distribution:
    rng = np.random.default_rng(seed)
    named = named_bands(BANDS)
    scores = {
        name: BlockScores.from_scores(rng.binomial(40, share, (games, 1)), named)
        for name, share in (("greedy", 0.5), ("uniform", 0.2))
    }
    return Distribution(scores, (), (), named)


# --- ECDF ------------------------------------------------------------------------------------------------------------


def test_ecdf_steps_up_at_every_score():
    frame = found().cdf()
    ax = score_ecdf(frame)
    for line, name in zip(ax.lines, ("greedy", "uniform"), strict=True):
        own = frame.filter(pl.col("strategy") == name)
        x, y = line.get_xdata(), line.get_ydata()
        assert line.get_drawstyle() == "steps-post"
        assert list(x[1:-1]) == own["score"].to_list()
        assert list(y[1:-1]) == own["cdf"].to_list()
        # From nothing at the left edge to all at the right one.
        assert (x[0], y[0], x[-1], y[-1]) == (*ax.get_xlim()[:1], 0, ax.get_xlim()[1], 1)


def test_ecdf_draws_the_band_of_the_frame():
    frame = found().cdf()
    bands = [item for item in score_ecdf(frame).collections if isinstance(item, PolyCollection)]
    for band, name in zip(bands, ("greedy", "uniform"), strict=True):
        own = frame.filter(pl.col("strategy") == name)
        corners = {(float(x), round(float(y), 9)) for x, y in band.get_paths()[0].vertices}
        for row in own.iter_rows(named=True):
            assert {(row["score"], round(row["low"], 9)), (row["score"], round(row["high"], 9))} <= corners


def test_ecdf_says_what_the_band_is():
    frame = found().cdf()
    texts = [text.get_text() for text in score_ecdf(frame, confidence=0.9).get_legend().get_texts()]
    assert texts == ["greedy", "uniform", "holds the whole curve at once (90\N{NO-BREAK SPACE}% DKW band)"]
    unknown = frame.with_columns(low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64))
    assert len(score_ecdf(unknown).get_legend().get_texts()) == 2, "nothing is said of a band that is not there"


def test_ecdf_does_not_depend_on_the_order_of_rows():
    frame = found().cdf()
    shuffled = pl.concat([part.reverse() for part in frame.partition_by("strategy", maintain_order=True)])
    assert render(score_ecdf(frame).figure, "svg") == render(score_ecdf(shuffled).figure, "svg")


def test_ecdf_of_one_game():
    ax = score_ecdf(found(games=1).cdf().head(1))
    assert ax.lines[0].get_ydata().tolist() == [0, 1, 1]
    render(ax.figure, "png")


@pytest.mark.parametrize("function", [score_ecdf, score_distributions])
def test_forty_strategies_leave_room_for_the_curves(function):
    frame = pl.concat([found(games=5).cdf().with_columns(strategy=pl.lit(f"noisy(s{at},0.2)")) for at in range(40)])
    ax = function(frame.unique(["strategy", "score"], maintain_order=True))
    render(ax.figure, "png")
    assert ax.get_position().height * ax.figure.get_size_inches()[1] > 1.5


# --- Rank bands ------------------------------------------------------------------------------------------------------


def test_rank_bands_are_bars_of_the_shares_in_the_frame_from_the_lowest_on():
    frame = found().bands()
    ax = rank_bands(frame)
    order = [name for _, name in reversed(BANDS)]
    bars = iter(ax.patches)
    for strategy in ("greedy", "uniform"):
        reached = 0.0
        for band in order:
            share = frame.row(by_predicate=(pl.col("strategy") == strategy) & (pl.col("band") == band), named=True)[
                "share"
            ]
            bar = next(bars)
            assert (bar.get_x(), bar.get_width()) == pytest.approx((reached, share))
            reached += share
        assert reached == pytest.approx(1)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == order


def test_rank_bands_print_share_and_half_width_where_there_is_room():
    frame = pl.DataFrame(
        {
            "strategy": ["a"] * 3,
            "band": ["x", "y", "z"],
            "share": [0.7, 0.29, 0.01],
            "low": [0.6, 0.285, 0.0],
            "high": [0.8, 0.295, 0.02],
        }
    )
    texts = [text.get_text() for text in rank_bands(frame).texts]
    assert texts == ["29\n±0.5", "70\n±10"]


def test_rank_bands_get_darker_in_grey():
    bars = rank_bands(found().bands()).patches[:3]
    grey = [np.dot([0.299, 0.587, 0.114], to_rgb(bar.get_facecolor())) for bar in bars]
    assert grey == sorted(grey, reverse=True)
    assert np.diff(grey).max() < -0.1


def test_rank_bands_refuse_a_band_twice():
    frame = found().bands()
    with pytest.raises(UsageError, match="the band Cross Master of greedy stands there twice"):
        rank_bands(pl.concat([frame, frame.head(1)]))
