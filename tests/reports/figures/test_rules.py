import polars as pl
import pytest

from reports.figures import ranking_flips, render, rule_sensitivity
from sims.errors import UsageError


def effects():
    rows = [
        (1, "0,1,3", 1, "run_points", "a", "mean_score", 1.0, 0.5, 1.5, True),
        (1, "0,1,3", 1, "run_points", "b", "mean_score", -0.1, -0.4, 0.2, False),
        (2, "0,1,3", 2, "run_points, diagonal", "a", "mean_score", -2.0, -2.5, -1.5, True),
        (2, "0,1,3", 2, "run_points, diagonal", "b", "mean_score", None, None, None, False),
        (1, "0,1,3", 1, "run_points", "a", "sd_score", 9.0, 8.0, 10.0, True),
    ]
    names = ["point", "run_points", "diagonal", "changed", "strategy", "measure", "effect", "low", "high", "clear"]
    return pl.DataFrame(rows, schema=names, orient="row")


def order(*better):
    """Who of a and b surely is better, by point."""
    rows = [(point, str(point), "a", "b", who) for point, who in enumerate(better)]
    schema = {"point": pl.Int64, "run": pl.String, "a": pl.String, "b": pl.String, "better": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def means():
    rows = [(0, "x", "a", 5.0), (0, "x", "b", 4.0), (0, "x", "c", 3.0)]
    rows += [(1, "y", "a", 1.0), (1, "y", "b", 2.0), (1, "y", "c", 0.0)]
    return pl.DataFrame(rows, schema=["point", "run", "strategy", "mean"], orient="row")


def legend_texts(ax):
    return [text.get_text().replace("\n", "") for text in ax.get_legend().get_texts()]


# --- Sensitivity -----------------------------------------------------------------------------------------------------


def test_rule_sensitivity_draws_one_measure_a_point_a_line():
    ax = rule_sensitivity(effects(), label="change of the score")
    lines = ["run_points=0,1,3", "run_points=0,1,3, diagonal=2"]
    assert [label.get_text().replace("\n", "") for label in ax.get_yticklabels()] == lines
    segments = [bars.lines[2][0].get_segments()[0][:, 0] for bars in ax.containers]
    assert [tuple(ends) for ends in segments] == [
        pytest.approx(ends) for ends in ((0.5, 1.5), (-0.4, 0.2), (-2.5, -1.5))
    ]
    assert ax.get_xlabel().startswith("change of the score\nagainst the base")
    other = rule_sensitivity(effects(), measure="sd_score")
    assert [tuple(bars.lines[2][0].get_segments()[0][:, 0]) for bars in other.containers] == [pytest.approx((8, 10))]
    assert other.get_xlabel().startswith("change of sd score")


def test_effects_that_could_be_chance_are_hollow():
    ax = rule_sensitivity(effects())
    marks = {float(line.get_xdata()[0]): line for line in ax.lines if line.get_marker() in ("o", "s")}
    assert marks[-0.1].get_markerfacecolor() == "white"
    assert marks[1.0].get_markerfacecolor() == marks[1.0].get_color()
    assert legend_texts(ax) == ["a", "b", "hollow: could be chance"]


def test_rule_sensitivity_marks_the_points_at_which_an_order_flips():
    told = [text.get_text() for text in rule_sensitivity(effects(), order=order("a", None, "b")).texts]
    assert told == ["flips: b\nahead of a"]
    assert not rule_sensitivity(effects(), order=order("a", "a", None)).texts
    assert not rule_sensitivity(effects(), order=order(None, "a", "b")).texts, "the base is not sure of an order"


def test_one_strategy_has_no_order():
    assert not rule_sensitivity(effects(), order=pl.DataFrame()).texts


def test_an_unknown_measure_is_refused():
    with pytest.raises(UsageError, match="has no measure 'mean_turns': it has mean_score, sd_score"):
        rule_sensitivity(effects(), measure="mean_turns")


# --- Flips -----------------------------------------------------------------------------------------------------------


def test_ranking_flips_draws_the_ranks_at_every_point():
    ax = ranking_flips(means())
    assert [list(line.get_ydata()) for line in ax.lines] == [[1, 2], [2, 1], [3, 3]]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0: x", "1: y"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax.get_xlabel() == "run"
    assert ax.get_legend() is None, "nothing is sure"


def test_ranking_flips_tells_the_sure_ones_and_greys_the_rest():
    ax = ranking_flips(means(), order=order("a", "b"))
    assert legend_texts(ax) == ["a is surely ahead at 0; b at 1"]
    first, second, third = (line.get_color() for line in ax.lines)
    assert third == "#BBBBBB"
    assert len({first, second, third}) == 3


def test_flips_that_are_not_sure_are_said_not_to_be():
    assert legend_texts(ranking_flips(means(), order=order("a", None))) == ["no order surely flips"]


def test_points_of_several_axes_are_named_by_what_they_change():
    frame = means().with_columns(diagonal=pl.lit(1)).select("point", "run", "diagonal", "strategy", "mean")
    labels = [label.get_text() for label in ranking_flips(frame).get_xticklabels()]
    assert [label.replace("\n", "") for label in labels] == ["0: run=x, diagonal=1", "1: run=y"]


def test_many_points_and_one_strategy():
    frame = pl.DataFrame({"point": range(60), "run": range(60), "strategy": "a", "mean": 1.0})
    ax = ranking_flips(frame)
    assert len(ax.get_xticks()) <= 20
    render(ax.figure, "svg")


def test_a_strategy_without_a_mean_at_a_point_is_refused():
    with pytest.raises(UsageError, match="no mean at some point"):
        ranking_flips(means().head(5))
