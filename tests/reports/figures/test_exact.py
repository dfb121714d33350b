import polars as pl
import pytest

from analysis.intervals import Interval
from analysis.regret import Regret, Solved
from reports.figures import regret_to_optimal, render
from sims.game import find_game


def solved() -> pl.DataFrame:
    game = find_game("cross-off")
    rows = (
        Regret("optimal", 80.0, Interval(79, 81), 0.0, Interval(0, 0), (0.0, 0.0), 30, 0),
        Regret("greedy", 70.0, Interval(69, 71), 10.0, Interval(9, 11), (6.0, 4.0), 30, 0.5),
    )
    return Solved(game, game.rules(), 80.0, "", 1, ("sum", "pair"), rows, 9, 1, 0.95, 18, 1.0, 1.0).summary()


def test_regret_is_stacked_by_the_kind_of_decision():
    ax = regret_to_optimal(solved())
    bars = [(bar.get_x(), bar.get_width()) for bar in ax.patches]
    assert bars == [(0, 0), (0, 6), (0, 0), (6, 4)]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["lost by: sum", "lost by: pair"]
    assert len({bar.get_hatch() for bar in ax.patches}) == 2
    assert [text.get_text() for text in ax.texts] == ["0.00 (0.00 to 0.00)", "10.00 (9.00 to 11.00)"]


def test_regret_has_its_interval():
    ax = regret_to_optimal(solved())
    bars = [container for container in ax.containers if hasattr(container, "has_xerr")]
    assert [tuple(item.lines[2][0].get_segments()[0][:, 0]) for item in bars] == [pytest.approx((9, 11))]


def test_regret_without_kinds_is_of_one_piece():
    ax = regret_to_optimal(solved().drop("regret_sum", "regret_pair"))
    assert [bar.get_width() for bar in ax.patches] == [0, 10]
    assert ax.get_legend() is None


def test_perfect_play_alone():
    ax = regret_to_optimal(solved().head(1))
    assert ax.get_xlim() == (0, 1)
    render(ax.figure, "svg")
