import numpy as np
import polars as pl
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.patches import StepPatch

from reports.figures import choice_width, game_length, lead_over_time, render, winner_over_time


def leads(turns=6, games=None):
    at = np.arange(1, turns + 1)
    return pl.DataFrame(
        {
            "turn": at,
            "games": games or [10] * turns,
            "mean": at * 1.1,
            "q05": at - 4.0,
            "q25": at - 2.0,
            "median": at * 1.0,
            "q75": at + 2.0,
            "q95": at + 4.0,
            "ahead": [0.6] * turns,
            "level": [0.1] * turns,
            "behind": [0.3] * turns,
        }
    )


def choices(turns=6, top=90.0):
    at = np.arange(turns, 0, -1)
    return pl.DataFrame(
        {
            "turn": range(1, turns + 1),
            "decisions": [10] * turns,
            "choices": at + 0.5,
            "q05": [1.0] * turns,
            "median": at * 1.0,
            "q95": [top] * turns,
        }
    )


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def corners(band):
    return {(float(x), float(y)) for x, y in band.get_paths()[0].vertices}


# --- Length ----------------------------------------------------------------------------------------------------------


def test_game_length_shows_shares_and_mean():
    ax = game_length(pl.DataFrame({"turns": [10, 11, 13], "count": [1, 2, 1]}))
    (bars,) = (patch for patch in ax.patches if isinstance(patch, StepPatch))
    data = bars.get_data()
    shares = dict(zip((data.edges[:-1] + data.edges[1:]) / 2, data.values, strict=True))
    assert shares == {10: 0.25, 11: 0.5, 12: 0, 13: 0.25}
    assert legend_texts(ax) == ["mean: 11.2 turns in 4 games"]
    assert list(ax.lines[0].get_xdata()) == [11.25, 11.25]


def test_games_of_one_length_and_one_game():
    assert legend_texts(game_length(pl.DataFrame({"turns": [12], "count": [1]}))) == ["mean: 12.0 turns in 1 game"]


# --- Lead ------------------------------------------------------------------------------------------------------------


def test_lead_over_time_draws_median_and_quantiles():
    frame = leads()
    ax = lead_over_time(frame, unit="markers")
    assert list(ax.lines[0].get_xdata()) == frame["turn"].to_list()
    assert list(ax.lines[0].get_ydata()) == frame["median"].to_list()
    outer, inner = (item for item in ax.collections if isinstance(item, PolyCollection))
    for band, ends in ((outer, ("q05", "q95")), (inner, ("q25", "q75"))):
        for name in ends:
            assert set(frame.select("turn", name).rows()) <= corners(band)
    assert "markers" in ax.get_ylabel()
    assert legend_texts(ax) == ["median game", "the middle half of games", "nine games of ten"]


def test_lead_over_time_says_where_few_games_go_on():
    ax = lead_over_time(leads(6, [10, 10, 9, 5, 4, 1]))
    assert legend_texts(ax)[-1] == "right of it: fewer than half of the games"
    assert any(list(line.get_xdata()) == [4.5, 4.5] for line in ax.lines)


def test_by_turn_figures_sort_the_turns():
    frame = leads()
    assert render(lead_over_time(frame).figure, "svg") == render(lead_over_time(frame.reverse()).figure, "svg")


@pytest.mark.parametrize("turns", [1, 150])
def test_few_and_many_turns(turns):
    for ax in (lead_over_time(leads(turns)), winner_over_time(leads(turns)), choice_width(choices(turns))):
        assert all(tick == int(tick) for tick in ax.get_xticks())
        assert render(ax.figure, "png").startswith(b"\x89PNG")


# --- Who is ahead ----------------------------------------------------------------------------------------------------


def test_winner_over_time_stacks_the_three_shares():
    ax = winner_over_time(leads(4))
    bars = [patch for patch in ax.patches if patch.get_height() < 1]
    assert [(bar.get_y(), bar.get_height()) for bar in bars] == [
        *[pytest.approx((0, 0.6))] * 4,
        *[pytest.approx((0.6, 0.1))] * 4,
        *[pytest.approx((0.7, 0.3))] * 4,
    ]
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars[:4]] == pytest.approx([1, 2, 3, 4])
    assert legend_texts(ax) == [f"the eventual winner is {name}" for name in ("ahead", "level", "behind")]
    assert len({(bar.get_hatch(), bar.get_facecolor()) for bar in bars}) == 3


# --- Choices ---------------------------------------------------------------------------------------------------------


def test_choice_width_draws_median_mean_and_band():
    frame = choices(top=9.0)
    ax = choice_width(frame)
    assert list(ax.lines[0].get_ydata()) == frame["median"].to_list()
    assert list(ax.lines[1].get_ydata()) == frame["choices"].to_list()
    (band,) = (item for item in ax.collections if isinstance(item, PolyCollection))
    assert set(frame.select("turn", "q95").rows()) <= corners(band)
    assert ax.get_yscale() == "linear"
    assert ax.get_ylim()[0] == 0


def test_choice_width_over_a_wide_range_is_logarithmic():
    ax = choice_width(choices(top=2_000.0))
    assert ax.get_yscale() == "log"
    assert ax.yaxis.get_major_formatter()(2_000, 0) == "2,000"
    render(ax.figure, "svg")
