import io
import itertools
import math
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

import reports
from analysis.comparisons import WINS
from reports.figures import (
    MOST_BARS,
    bar_edges,
    board_heatmap,
    choice_width,
    decimals,
    game_length,
    house_style,
    intervals,
    lead_over_time,
    luck_and_skill,
    matchup_heatmap,
    paired_difference,
    percent,
    points,
    printable,
    rank_bands,
    rank_intervals,
    ranking_flips,
    regret_to_optimal,
    render,
    rule_sensitivity,
    score_distributions,
    score_ecdf,
    seat_shares,
    skill_ladder,
    span,
    winner_over_time,
)
from sims.errors import UsageError

HOSTILE = [
    "_under",
    "$x_1$",
    "$\\bad{$",
    "<script>alert(1)</script>",
    "a & b",
    "my_ideas.py:spiral:run=1.5,isolation=-3",
]
BANDS = ((30, "Cross Master"), (15, "Line Sweeper"), (0, "Column Counter"))


def scores(*names):
    rows = [(name, float(score), 1 + score * place) for place, name in enumerate(names, 1) for score in range(5, 30, 5)]
    return pl.DataFrame(rows, schema=["strategy", "score", "count"], orient="row")


def differences():
    return pl.DataFrame({"difference": [-2.0, 0.0, 1.0, 3.0], "count": [1, 2, 3, 4]})


def forest(*names):
    return pl.DataFrame({"strategy": names, "mean": [3.0] * len(names), "low": [2.5] * len(names), "high": 3.5})


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def steps(ax):
    return [patch for patch in ax.patches if isinstance(patch, StepPatch)]


# --- Score distributions ---------------------------------------------------------------------------------------------


def test_score_distributions_shows_shares_that_add_up_to_one():
    ax = score_distributions(scores("a", "b"))
    outlines = [patch for patch in steps(ax) if not patch.get_fill()]
    assert len(outlines) == 2
    for patch in outlines:
        assert patch.get_data().values.sum() == pytest.approx(1)


def test_score_distributions_puts_each_share_over_its_score():
    frame = pl.DataFrame({"strategy": ["a"] * 3, "score": [0.0, 2.0, 5.0], "count": [1, 2, 5]})
    data = next(patch for patch in steps(score_distributions(frame)) if not patch.get_fill()).get_data()
    shares = dict(zip((data.edges[:-1] + data.edges[1:]) / 2, data.values, strict=True))
    assert shares == {0: 0.125, 1: 0, 2: 0.25, 3: 0, 4: 0, 5: 0.625}


def test_score_distributions_names_strategies_with_their_means_and_units():
    frame = pl.DataFrame({"strategy": ["a", "a", "b"], "score": [1.0, 2.0, 7.0], "count": [1, 3, 5]})
    ax = score_distributions(frame)
    assert legend_texts(ax) == ["a, mean 1.75", "b, mean 7.00"]
    assert "points" in ax.get_xlabel()
    assert ax.get_ylabel().startswith("share")


def test_score_distributions_tells_lines_apart_without_colour():
    outlines = [patch for patch in steps(score_distributions(scores(*"abcdef"))) if not patch.get_fill()]
    assert len({str(patch.get_linestyle()) for patch in outlines}) == 6
    assert len({patch.get_edgecolor() for patch in outlines}) == 6


def test_score_distributions_merges_rows_of_one_strategy_and_score():
    once = pl.DataFrame({"strategy": ["a", "a"], "score": [1.0, 2.0], "count": [2, 6]})
    parts = pl.DataFrame({"strategy": ["a"] * 3, "score": [1.0, 2.0, 2.0], "count": [2, 5, 1]})
    assert legend_texts(score_distributions(once)) == legend_texts(score_distributions(parts))


def test_score_distributions_names_only_bands_in_sight():
    names = [text.get_text().replace("\n", " ") for text in score_distributions(scores("a"), bands=BANDS).texts]
    assert names == ["Line Sweeper", "Column Counter"]


def test_score_distributions_takes_pandas_and_enum_columns():
    frame = scores("a", "b")
    expected = legend_texts(score_distributions(frame))
    assert legend_texts(score_distributions(frame.to_pandas())) == expected
    assert (
        legend_texts(score_distributions(frame.with_columns(pl.col("strategy").cast(pl.Enum(["b", "a"]))))) == expected
    )


# --- Paired differences ----------------------------------------------------------------------------------------------


def test_paired_difference_shows_shares_that_add_up_to_one():
    parts = [patch.get_data() for patch in steps(paired_difference(differences()))]
    assert sum(float(np.sum(data.values - data.baseline)) for data in parts) == pytest.approx(1)


def test_paired_difference_tells_who_scored_more():
    ax = paired_difference(differences(), labels=("greedy", "uniform"))
    assert legend_texts(ax) == [
        "greedy scored more: 70.0\N{NO-BREAK SPACE}% of blocks",
        "uniform scored more: 10.0\N{NO-BREAK SPACE}% of blocks",
        "the same score: 20.0\N{NO-BREAK SPACE}% of blocks",
    ]
    assert ax.get_xlabel() == "greedy minus uniform on the same deal (points a game)"


def test_figures_of_wins_speak_of_wins():
    ax = paired_difference(differences(), effect=1.3, low=1.1, high=1.5, margin=0.01, unit=WINS)
    texts = [*legend_texts(ax), ax.get_xlabel(), ax.get_ylabel()]
    ax = score_distributions(scores("a", "b"), unit=WINS)
    texts += [*legend_texts(ax), ax.get_xlabel(), ax.get_ylabel()]
    assert "A won more: 70.0\N{NO-BREAK SPACE}% of blocks" in texts
    assert "share of wins (wins a game)" in texts
    assert not any("point" in text or "score" in text for text in texts)


def test_paired_difference_draws_mean_interval_and_margin():
    ax = paired_difference(differences(), effect=1.3, low=1.1, high=1.5, margin=0.25, confidence=0.9)
    assert "margin: ±0.25 points, too little to matter" in legend_texts(ax)
    assert "mean: 1.30 points (90\N{NO-BREAK SPACE}% interval 1.10 to 1.50)" in legend_texts(ax)
    (bars,) = ax.containers
    (segments,) = bars.lines[2]
    assert segments.get_segments()[0][:, 0] == pytest.approx([1.1, 1.5])


@pytest.mark.parametrize("missing", [None, math.nan])
def test_paired_difference_leaves_out_an_interval_that_is_not_known(missing):
    ax = paired_difference(differences(), effect=1.3, low=missing, high=missing)
    assert legend_texts(ax)[-1] == "mean: 1.30 points"
    assert not any("mean" in text for text in legend_texts(paired_difference(differences(), effect=missing)))


def test_paired_difference_stacks_the_bar_around_zero_of_what_is_in_it():
    # Thirds over a wide range: the bar around 0 holds -1/3, 0 and 1/3.
    frame = pl.DataFrame({"difference": [-40.0, -1 / 3, 0.0, 1 / 3, 40.0], "count": [1, 2, 3, 4, 1]})
    more, less, same = (patch.get_data() for patch in steps(paired_difference(frame)))
    place = int(np.searchsorted(more.edges, 0)) - 1
    heights = [float((data.values - data.baseline)[place]) for data in (more, less, same)]
    assert heights == pytest.approx([4 / 11, 2 / 11, 3 / 11])


def test_paired_difference_of_equal_sides_is_one_bar():
    ax = paired_difference(pl.DataFrame({"difference": [0.0], "count": [9]}), effect=0.0, low=0.0, high=0.0, margin=0.1)
    assert "the same score: 100.0\N{NO-BREAK SPACE}% of blocks" in legend_texts(ax)
    render(ax.figure, "png")


# --- Intervals -------------------------------------------------------------------------------------------------------


def test_intervals_keeps_the_order_of_the_frame_from_the_top():
    frame = pl.DataFrame({"strategy": ["b", "a"], "mean": [2.0, 1.0], "low": [1.5, 0.9], "high": [2.5, 1.1]})
    ax = intervals(frame)
    places = {label.get_text(): place for label, place in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)}
    assert places["b"] > places["a"]
    assert [text.get_text() for text in ax.texts] == ["2.00 (1.50 to 2.50)", "1.00 (0.90 to 1.10)"]
    assert "95\N{NO-BREAK SPACE}% interval (points a game)" in ax.get_xlabel()


@pytest.mark.parametrize("missing", [None, math.nan])
def test_intervals_says_where_there_is_no_interval(missing):
    frame = pl.DataFrame({"strategy": ["a"], "mean": [2.0], "low": [missing], "high": [missing]}, strict=False)
    assert [text.get_text() for text in intervals(frame).texts] == ["too few blocks"]


# --- All figures -----------------------------------------------------------------------------------------------------


def ecdf(*names):
    rows = [
        (name, float(score), score / 10, score / 10 - 0.1, score / 10 + 0.1) for name in names for score in range(11)
    ]
    return pl.DataFrame(rows, schema=["strategy", "score", "cdf", "low", "high"], orient="row")


def named(*names):
    rows = [(name, band, share, share - 0.1, share + 0.1) for name in names for band, share in (("x", 0.4), ("y", 0.6))]
    return pl.DataFrame(rows, schema=["strategy", "band", "share", "low", "high"], orient="row")


def matchups(*names):
    rows = [(a, b, 0.4 + at / 20, 0.35 + at / 20, 0.5) for at, a in enumerate(names) for b in names if a != b]
    return pl.DataFrame(rows, schema=["a", "b", "wins", "wins_low", "wins_high"], orient="row")


def ranks(*names):
    """All that figures with a line for each strategy look at."""
    return forest(*names).with_columns(
        rank=pl.int_range(1, pl.len() + 1),
        rank_low=pl.lit(1),
        rank_high=pl.len(),
        level=pl.int_range(1, pl.len() + 1),
        regret=pl.lit(3.0),
        regret_low=pl.lit(2.5),
        regret_high=pl.lit(3.5),
        regret_sum=pl.lit(3.0),
    )


def seats(*names):
    return pl.DataFrame({"name": names, "wins": [0.3] * len(names), "low": 0.2, "high": 0.4})


def causes(*names):
    return pl.DataFrame({"cause": names, "share": [0.3] * len(names), "kind": "luck"})


def by_turn():
    names = ("mean", "q05", "q25", "median", "q75", "q95", "choices")
    shares = {"ahead": 0.5, "level": 0.25, "behind": 0.25}
    numbers = {name: [place + 1.0, place + 2.0] for place, name in enumerate(names)}
    return pl.DataFrame({"turn": [1, 2], "games": [2, 1], "decisions": [4, 2], **numbers, **shares})


def effects(*names):
    rows = [
        (point, str(point), "run", name, "mean_score", 1.0, 0.0, 2.0, False, float(point * place))
        for point in range(2)
        for place, name in enumerate(names)
    ]
    columns = ["point", "run", "changed", "strategy", "measure", "effect", "low", "high", "clear", "mean"]
    # What is between the point and the strategy is varied.
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return frame.select(
        "point", "run", "strategy", *(name for name in columns if name not in ("point", "run", "strategy"))
    )


def order(*names):
    rows = [(point, a, b, a if point else b) for point in range(2) for a, b in itertools.pairwise(names)]
    return pl.DataFrame(rows, schema=["point", "a", "b", "better"], orient="row")


def cells(*names):
    return pl.DataFrame(
        {"row": 0, "column": range(len(names)), "value": [-1.0, *[2.0] * (len(names) - 1)], "name": names}
    )


DRAWINGS = {
    "score_distributions": lambda **more: score_distributions(scores(*HOSTILE[:2]), bands=BANDS, **more),
    "paired_difference": lambda **more: paired_difference(
        differences(), effect=1.3, low=1.1, high=1.5, margin=0.1, labels=(HOSTILE[1], HOSTILE[3]), **more
    ),
    "intervals": lambda **more: intervals(forest(*HOSTILE), reference=3, margin=0.1, **more),
    "score_ecdf": lambda **more: score_ecdf(ecdf(*HOSTILE), bands=BANDS, **more),
    "rank_bands": lambda **more: rank_bands(named(*HOSTILE), **more),
    "matchup_heatmap": lambda **more: matchup_heatmap(matchups(*HOSTILE), **more),
    "rank_intervals": lambda **more: rank_intervals(ranks(*HOSTILE), **more),
    "seat_shares": lambda **more: seat_shares(seats(*HOSTILE), fair=0.3, margin=0.1, **more),
    "skill_ladder": lambda **more: skill_ladder(ranks(*HOSTILE), **more),
    "luck_and_skill": lambda **more: luck_and_skill(causes(*HOSTILE), **more),
    "game_length": lambda **more: game_length(pl.DataFrame({"turns": [9, 10], "count": [1, 3]}), **more),
    "lead_over_time": lambda **more: lead_over_time(by_turn(), unit=HOSTILE[3], **more),
    "winner_over_time": lambda **more: winner_over_time(by_turn(), **more),
    "choice_width": lambda **more: choice_width(by_turn(), **more),
    "rule_sensitivity": lambda **more: rule_sensitivity(effects(*HOSTILE), label=HOSTILE[1], **more),
    "ranking_flips": lambda **more: ranking_flips(effects(*HOSTILE), order=order(*HOSTILE), **more),
    "board_heatmap": lambda **more: board_heatmap(cells(*HOSTILE), label=HOSTILE[3], centre=0, columns=HOSTILE, **more),
    "regret_to_optimal": lambda **more: regret_to_optimal(ranks(*HOSTILE), **more),
}

NAMED = (
    lambda name: score_ecdf(ecdf(name)).get_legend().get_texts()[:1],
    lambda name: rank_bands(named(name)).get_yticklabels(),
    lambda name: matchup_heatmap(matchups(name, "b")).get_yticklabels()[:1],
    lambda name: rank_intervals(ranks(name)).get_yticklabels(),
    lambda name: seat_shares(seats(name)).get_yticklabels(),
    lambda name: skill_ladder(ranks(name)).get_yticklabels(),
    lambda name: rule_sensitivity(effects(name)).get_legend().get_texts()[:1],
    lambda name: ranking_flips(effects(name)).get_yticklabels(),
    lambda name: regret_to_optimal(ranks(name)).get_yticklabels(),
)


FIGURES = (
    score_distributions,
    score_ecdf,
    rank_bands,
    paired_difference,
    intervals,
    matchup_heatmap,
    rank_intervals,
    seat_shares,
    skill_ladder,
    luck_and_skill,
    game_length,
    lead_over_time,
    winner_over_time,
    choice_width,
    rule_sensitivity,
    ranking_flips,
    board_heatmap,
    regret_to_optimal,
)


@pytest.fixture(params=DRAWINGS)
def draw(request):
    return DRAWINGS[request.param]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stand_literally(name):
    texts = [
        *score_distributions(scores(name)).get_legend().get_texts(),
        *paired_difference(differences(), labels=(name, "b")).get_legend().get_texts()[:1],
        *intervals(forest(name)).get_yticklabels(),
    ]
    assert len(texts) == 3
    for text in texts:
        assert text.get_text().replace("\n", "").startswith(name)
        assert not text.get_parse_math()


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stand_literally_in_all_figures(name):
    for read in NAMED:
        (text,) = read(name)
        assert text.get_text().replace("\n", "").startswith(name)
        assert not text.get_parse_math()


LONG = "potential:" + ",".join(f"weight{place}={place / 7:.3f}" for place in range(60))


@pytest.mark.parametrize("name", [LONG, "x" * 2_000, "word " * 400])
def test_very_long_names_leave_room_for_the_figure(name):
    for read in (*NAMED[:2], NAMED[3], NAMED[6], NAMED[7]):
        (text,) = read(name)
        ax = text.figure.axes[0]
        svg = render(ax.figure, "svg")
        assert svg.startswith(b"<?xml")
        box = ax.get_position()
        width, height = ax.figure.get_size_inches()
        assert box.width * width > 1.5
        assert box.height * height > 0.25
        assert "…" in text.get_text()


def test_signs_that_the_font_lacks_are_spelt_out():
    # Without that matplotlib warns, and draws boxes that look all alike.
    ax = intervals(forest("中文", "\N{GAME DIE}"))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["\\u4e2d\\u6587", "\\U0001f3b2"]
    render(ax.figure, "png")


def test_figures_need_no_font_but_the_one_that_matplotlib_brings(monkeypatch, caplog):
    own = [font for font in font_manager.fontManager.ttflist if font.fname.startswith(mpl.get_data_path())]
    expected = render(DRAWINGS["rank_bands"]().figure, "svg")
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    with mpl.rc_context({"font.family": ["No Such Font"], "font.sans-serif": ["Neither This"]}):
        assert render(DRAWINGS["rank_bands"]().figure, "svg") == expected
    assert not caplog.records


def text_boxes(ax):
    """The boxes of all texts of a figure in pixels, by what they say."""
    figure = ax.figure
    figure.draw_without_rendering()
    found = [*ax.texts, ax.xaxis.label, ax.yaxis.label]
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_majorticklocs(), axis.get_ticklabels(), strict=True)
        found += [label for place, label in ticks if low <= place <= high]
    found += ax.get_legend().get_texts() if ax.get_legend() else []
    return [(text.get_text(), text.get_window_extent()) for text in found if text.get_text() and text.get_visible()]


def test_no_text_is_cut_off(draw):
    with house_style():
        ax = draw()
        boxes = text_boxes(ax)
    page = ax.figure.bbox
    assert boxes
    for words, box in boxes:
        assert page.x0 - 1 <= box.x0, words
        assert box.x1 <= page.x1 + 1, words
        assert page.y0 - 1 <= box.y0, words
        assert box.y1 <= page.y1 + 1, words


def test_no_legend_covers_data(draw):
    with house_style():
        ax = draw()
        ax.figure.draw_without_rendering()
    if ax.get_legend() is not None:
        box, data = ax.get_legend().get_window_extent(), ax.get_window_extent()
        assert box.y0 >= data.y1 or box.y1 <= data.y0


def test_control_characters_are_spelt_out():
    assert printable("a\x1b\n\udc80é") == "a\\x1b\\n\\udc80é"
    assert legend_texts(score_distributions(scores("a\nb")))[0].startswith("a\\nb, mean")


def test_figures_draw_hostile_names(draw):
    assert render(draw().figure, "png").startswith(b"\x89PNG")


def test_figures_draw_into_given_axes(draw):
    ax = Figure().subplots()
    assert draw(ax=ax) is ax


def test_figures_and_settings_of_the_user_leave_each_other_alone(draw):
    expected = render(draw().figure, "svg", title="x")
    with mpl.rc_context({"font.size": 23, "svg.hashsalt": "mine", "lines.linewidth": 9, "text.parse_math": True}):
        before = dict(mpl.rcParams)
        assert render(draw().figure, "svg", title="x") == expected
        assert dict(mpl.rcParams) == before


def test_pictures_do_not_depend_on_the_settings_of_the_user():
    draw = DRAWINGS["paired_difference"]
    expected = render(draw().figure, "png", title="x")
    with mpl.rc_context({"font.size": 23, "savefig.dpi": 30, "lines.linewidth": 9, "text.parse_math": True}):
        assert render(draw().figure, "png", title="x") == expected


def test_figures_are_the_same_from_several_threads():
    expected = render(DRAWINGS["paired_difference"]().figure, "svg")
    before = dict(mpl.rcParams)
    drawn = []
    threads = [
        threading.Thread(target=lambda: drawn.append(render(DRAWINGS["paired_difference"]().figure, "svg")))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drawn == [expected] * 4
    assert dict(mpl.rcParams) == before


def test_figures_do_without_pyplot():
    code = (
        "import sys, polars as pl; from reports.figures import render, intervals; "
        "render(intervals(pl.DataFrame({'strategy': ['a'], 'mean': [1], 'low': [0], 'high': [2]})).figure, 'png'); "
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_render_keeps_a_title_and_no_date():
    svg = render(score_distributions(scores("a")).figure, "svg", title="scores of <a> & b").decode()
    title = ElementTree.parse(io.StringIO(svg)).getroot().find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "scores of <a> & b"
    assert "dc:date" not in svg


def test_house_style_restores_settings_after_an_error():
    before = dict(mpl.rcParams)

    def fail():
        with house_style():
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("function", "frame", "message"),
    [
        (score_distributions, scores("a").drop("count"), "no column 'count'"),
        (score_distributions, scores("a").with_columns(count=0), "counts of a add up to 0"),
        (score_distributions, scores("a").with_columns(count=-1), "count -1 is negative"),
        (score_distributions, scores("a").with_columns(score=math.inf), "no number"),
        (paired_difference, differences().head(0), "frame is empty"),
        (paired_difference, differences().with_columns(difference=pl.lit("x")), "holds 'x': give numbers"),
        (intervals, pd.DataFrame({"strategy": ["a"], "mean": [1.0]}), "no column 'low'"),
        (intervals, [1, 2], "this is a list: give a Polars or pandas frame"),
        (rank_intervals, ranks("a").with_columns(rank=None), "no number"),
        (lead_over_time, by_turn().with_columns(q05=math.nan), "no number"),
        (regret_to_optimal, ranks("a").with_columns(regret=pl.lit("x")), "holds 'x': give numbers"),
    ],
)
def test_frames_that_do_not_fit_are_refused_in_one_line(function, frame, message):
    with pytest.raises(UsageError, match=message) as caught:
        function(frame)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", FIGURES)
def test_every_figure_refuses_an_empty_frame_and_names_what_it_needs(function):
    more = {"label": "x"} if function is board_heatmap else {}
    for frame in (pl.DataFrame(), pd.DataFrame({"no": [1]})):
        with pytest.raises(UsageError, match=r"the frame has no column '\w+': this figure needs ") as caught:
            function(frame, **more)
        assert "\n" not in str(caught.value)


def test_every_public_figure_is_among_those_that_are_tested():
    assert {function.__name__ for function in FIGURES} == set(DRAWINGS)
    assert set(DRAWINGS) == set(reports.__all__) - {"write_comparison"}


# --- Bars and numbers ------------------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(-3_000, 3_000), min_size=1, max_size=40),
    st.integers(1, 36),
)
def test_bar_edges_hold_every_score_and_meet_none(wholes, scale):
    values = np.array(wholes) / scale
    edges, width = bar_edges(values)
    assert edges.size - 1 <= MOST_BARS + 2
    assert np.diff(edges) == pytest.approx(width)
    assert np.histogram(values, bins=edges)[0].sum() == len(wholes)
    assert np.abs(values[:, None] - edges[None, :]).min() > 1e-6


@given(st.integers(1, 500), st.integers(1, 36))
def test_bar_edges_lie_evenly_about_zero(reach, scale):
    edges, _ = bar_edges(np.array([-reach, 0, reach]) / scale)
    assert edges == pytest.approx(-edges[::-1])


def test_bar_edges_of_whole_scores_are_one_point_wide():
    edges, width = bar_edges(np.array([3.0, 9.0]))
    assert width == 1
    assert (edges[0], edges[-1]) == (2.5, 9.5)


def test_decimals():
    assert decimals(6.5, 6.7) == 2
    assert decimals(0.004, 0.531) == 3
    assert decimals(5.123, 5.127) == 3
    assert decimals(0.0, 0.0) == 2


def test_points():
    assert points(-1.234) == "−1.23"
    assert points(-0.001) == "0.00"


def test_span():
    assert span(-0.5, 1.25) == "−0.50 to 1.25"


def test_percent():
    gap = "\N{NO-BREAK SPACE}"
    assert percent(0.1234) == f"12.3{gap}%"
    assert (percent(0), percent(1)) == (f"0.0{gap}%", f"100.0{gap}%")
    assert percent(0.0001) == f"less than 0.1{gap}%"
    assert percent(0.9999) == f"more than 99.9{gap}%"
