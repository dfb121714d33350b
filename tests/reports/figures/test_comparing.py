import math

import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from reports.figures import intervals, matchup_heatmap, rank_intervals, render
from sims.errors import UsageError


def drawn_intervals(ax):
    """The ends of all intervals, in the order in which they were drawn."""
    return [tuple(bars.lines[2][0].get_segments()[0][:, 0].tolist()) for bars in ax.containers]


def drawn_values(ax):
    return [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() not in ("None", "none", "|", "")]


# --- Intervals -------------------------------------------------------------------------------------------------------


def several():
    return pl.DataFrame(
        {
            "strategy": ["a", "a", "b", "b"],
            "series": ["solo", "table"] * 2,
            "mean": [1.0, 2, 3, 4],
            "low": [0.5, 1.5, 2.5, None],
            "high": [1.5, 2.5, 3.5, None],
        }
    )


def test_intervals_of_several_series_share_a_line():
    ax = intervals(several(), label="loss", reference=0)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert drawn_intervals(ax) == [pytest.approx(ends) for ends in ((0.5, 1.5), (1.5, 2.5), (2.5, 3.5))]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["solo", "table"]
    heights = [text.xy[1] for text in ax.texts]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 4
    assert ax.get_xlabel() == "loss"


def test_intervals_draw_reference_and_margin():
    ax = intervals(several().drop("series"), reference=2, margin=0.5)
    shaded = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [(patch.get_x(), patch.get_width()) for patch in shaded] == [(1.5, 1.0)]
    assert any(list(line.get_xdata()) == [2, 2] for line in ax.lines)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["margin: ±0.5, too little to matter"]
    assert len(ax.get_yticks()) == 4, "without series each row has its own line"


def test_intervals_of_shares_are_in_per_cent():
    frame = pl.DataFrame({"strategy": ["a"], "mean": [0.25], "low": [0.2], "high": [0.3]})
    ax = intervals(frame, percent=True, margin=0.01)
    gap = "\N{NO-BREAK SPACE}"
    assert [text.get_text() for text in ax.texts] == [f"25.0 (20.0 to 30.0{gap}%)"]
    assert ax.xaxis.get_major_formatter()(0.25, 0) == f"25{gap}%"
    assert f"±1{gap}%" in ax.get_legend().get_texts()[0].get_text()


def test_intervals_may_leave_their_mean_out():
    frame = pl.DataFrame({"strategy": ["a"], "mean": [5.0], "low": [1.0], "high": [2.0]})
    ax = intervals(frame)
    assert drawn_intervals(ax) == [pytest.approx((1, 2))]
    assert drawn_values(ax) == [5]


# --- Matchups --------------------------------------------------------------------------------------------------------


def matchups(*names, half=0.05):
    rows = []
    for at, a in enumerate(names):
        for other, b in enumerate(names):
            if a != b:
                share = 0.5 + 0.11 * (other - at)
                rows.append((a, b, share, share - half, share + half))
    return pl.DataFrame(rows, schema=["a", "b", "wins", "wins_low", "wins_high"], orient="row")


def cells(ax):
    """Rectangles by row and column."""
    return {
        (round(patch.get_y() + 0.5), round(patch.get_x() + 0.5)): patch
        for patch in ax.patches
        if isinstance(patch, Rectangle) and patch.get_width() == 1
    }


def cell_texts(ax):
    return {(round(text.get_position()[1]), round(text.get_position()[0])): text.get_text() for text in ax.texts}


def test_every_matchup_says_share_and_half_width():
    ax = matchup_heatmap(matchups("a", "b", "c"))
    assert cell_texts(ax) == {
        (0, 1): "61\n±5",
        (0, 2): "72\n±5",
        (1, 0): "39\n±5",
        (1, 2): "61\n±5",
        (2, 0): "28\n±5",
        (2, 1): "39\n±5",
    }
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a  1", "b  2", "c  3"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]


def test_uncertain_matchups_are_hatched_on_white():
    frame = matchups("a", "b", "c").with_columns(
        wins_low=pl.when((pl.col("a") == "a") & (pl.col("b") == "b")).then(0.49).otherwise("wins_low")
    )
    found = cells(matchup_heatmap(frame))
    assert found[0, 1].get_hatch()
    assert found[0, 1].get_facecolor() == to_rgba("white")
    assert [place for place, patch in found.items() if patch.get_hatch()] == [(0, 1)]
    assert all(found[place].get_facecolor() != to_rgba("white") for place in ((0, 2), (1, 0), (2, 1)))


@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_matchup_without_an_interval_is_uncertain(missing):
    frame = matchups("a", "b").with_columns(wins_low=pl.lit(missing, pl.Float64))
    ax = matchup_heatmap(frame)
    assert set(cell_texts(ax).values()) == {"61\n±?", "39\n±?"}
    assert cells(ax)[0, 1].get_hatch()


def test_matchups_get_lighter_with_the_share_in_grey():
    frame = pl.concat([matchups("a", "b", "c", "d", half=0.01)])
    found = cells(matchup_heatmap(frame))
    grey = [
        np.dot([0.299, 0.587, 0.114], found[place].get_facecolor()[:3]) for place in ((3, 0), (1, 0), (0, 1), (0, 3))
    ]
    assert grey == sorted(grey)


def test_shares_that_are_not_0_or_1_do_not_read_as_if_they_were():
    frame = pl.DataFrame(
        {"a": ["x", "y"], "b": ["y", "x"], "wins": [0.999, 0.001], "wins_low": [0.998, 0], "wins_high": [1, 0.002]},
        strict=False,
    )
    assert list(cell_texts(matchup_heatmap(frame)).values()) == [">99\n±0.1", "<1\n±0.1"]


def test_matchups_of_many_make_a_larger_figure():
    ax = matchup_heatmap(matchups(*(f"s{at}" for at in range(5)), half=0.01))
    larger = matchup_heatmap(matchups(*(f"s{at}" for at in range(14)), half=0.01))
    assert larger.figure.get_size_inches()[1] > ax.figure.get_size_inches()[1]
    assert len(cell_texts(larger)) == 14 * 13


def test_a_matchup_twice_is_refused():
    with pytest.raises(UsageError, match="stands there twice"):
        matchup_heatmap(pl.concat([matchups("a", "b"), matchups("a", "b")]))


# --- Ranks -----------------------------------------------------------------------------------------------------------


def test_rank_intervals_show_rank_and_possible_ranks():
    frame = pl.DataFrame(
        {"strategy": ["b", "a", "c"], "rank": [1, 2, 3], "rank_low": [1, 1, 3], "rank_high": [2, 2, 3]}
    )
    ax = rank_intervals(frame, confidence=0.9)
    bars = [line for line in ax.lines if len(line.get_xdata()) == 2]
    assert [tuple(line.get_xdata()) for line in bars] == [(1, 2), (1, 2), (3, 3)]
    assert drawn_values(ax) == [1, 2, 3]
    assert [text.get_text() for text in ax.texts] == ["1 to 2", "1 to 2", "3"]
    assert "90\N{NO-BREAK SPACE}% confidence" in ax.get_xlabel()
    assert all(tick == int(tick) for tick in ax.get_xticks())


def test_a_hundred_ranks():
    count = 100
    frame = pl.DataFrame({"strategy": [f"s{k}" for k in range(count)], "rank": range(1, count + 1)})
    ax = rank_intervals(frame.with_columns(rank_low=pl.col("rank"), rank_high=pl.col("rank")))
    assert len(ax.get_yticks()) == count
    assert ax.figure.get_size_inches()[1] < 32
    render(ax.figure, "svg")
