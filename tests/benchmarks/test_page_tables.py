"""The tables that scripts write into the pages of the games."""

from pathlib import Path

import polars as pl
import pytest

from analysis.sweeps import sweep
from benchmarks import option_table, player_table
from benchmarks.option_table import PLANS, Plan, edge, layout_table, orders, share
from benchmarks.player_table import player_row, tables_of
from sims.game import find_game
from strategies import find_strategy

GAME = find_game("crossways")
TINY = Plan("idle", 3, ("idle", "rusher"), 2, 1)


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


# --- Players ---------------------------------------------------------------------------------------------------------


def test_tables_are_those_of_the_basic_rules_and_of_variants_for_other_seats() -> None:
    assert tables_of(GAME) == {
        "2 seats": ("basic", 2),
        "3 seats": ("basic", 3),
        "4 seats": ("basic", 4),
        "teams, 4 seats": ("teams", 4),
    }
    assert list(tables_of(find_game("cross-off"))) == ["2 seats", "3 seats", "4 seats", "5 seats"]


def test_where_the_score_is_the_win_length_and_undecided_games_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who passes whenever it may ends the game after one round: two turns, or four in teams of two."""
    monkeypatch.setattr(player_table, "deals_for", lambda game, strategy, seconds: 2)
    row = player_row(GAME, find_strategy("crossways", "idle"), 1.0)
    expected = ["4.0, 100.0 %" if variant == "teams" else "2.0, 100.0 %" for variant in GAME.variants]
    assert row[0] == "`idle`"
    assert row[2:] == ("2", *expected)
    row = player_row(find_game("criss-cross"), find_strategy("criss-cross", "uniform"), 1.0)
    assert " ± " in row[3]


# --- Options and layouts ---------------------------------------------------------------------------------------------


def test_edge_is_that_of_independent_games() -> None:
    """60 wins of seat 0 and 30 of seat 1 in 100 games: the variance of a game's difference is 0.9 − 0.3²."""
    gap, half = edge({"win_seat_0": 0.6, "win_seat_1": 0.3, "games": 200})
    assert gap == pytest.approx(0.3)
    assert half == pytest.approx(1.96 * (0.81 / 100) ** 0.5)
    assert share(-0.123, 0.004, signed=True) == "−12.3 ± 0.4"
    assert share(0.5) == "50.0"


def test_a_row_for_every_setting() -> None:
    grid = pl.DataFrame({"markers": [24, 8], "may_pass": [True, True]})
    table = cells(option_table.option_table("crossways", TINY, grid))
    assert [row[0] for row in table[2:]] == ["as they are", "`markers=8`"]
    assert table[2][1:4] == ["2.0", "100.0", "+0.0 ± 0.0"]
    assert table[2][4] == "`rusher` ~ `idle`"  # two deals are sure of nothing


def test_layouts_are_told_by_their_range() -> None:
    table, _, told = layout_table("crossways", TINY).partition("\n\n")
    rows = cells(table)
    assert rows[2] == ["turns", "2.0", "2.0", "default", "2.0", "default"]
    wins = {row[0]: row[1] for row in rows}
    assert (wins["wins of `rusher`, %"], wins["wins of `idle`, %"]) == ("100.0", "0.0")
    assert told == (
        "Of 2 layouts the order is `rusher` ~ `idle` at 2. "
        "No order flips: the means have the same order at every point."
    )


def test_orders_are_those_of_the_sweep() -> None:
    found = sweep("crossways", ["idle", "rusher"], {"markers": [24, 23]}, deals=30, measures=["turns"])
    assert orders(found) == ["`rusher` > `idle`"] * 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("crosswise", "there is no plan of what to measure; did you mean crossways?"),
        ("crossways", "the page needs the lines <!-- options: begin -->"),
    ],
)
def test_refusals_are_one_line_before_anything_is_measured(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(option_table, "DOCS", tmp_path)
    monkeypatch.setattr(option_table, "sweep", lambda *words, **more: pytest.fail("played"))
    (tmp_path / "crossways.md").write_text("# No marks\n")
    assert option_table.main([name]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert message in said


def test_main_writes_both_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(option_table, "DOCS", tmp_path)
    monkeypatch.setitem(PLANS, "crossways", TINY)
    marks = "".join(f"<!-- {name}: begin -->\n<!-- {name}: end -->\n" for name in ("options", "layouts"))
    (tmp_path / "crossways.md").write_text(f"# A page\n{marks}The end.\n")
    (tmp_path / "crossways-options.csv").write_text("goal\nsides\ncorners\n")
    assert option_table.main(["crossways"]) == 0
    text = (tmp_path / "crossways.md").read_text(encoding="utf-8")
    assert "| `goal=corners` |" in text
    assert "| wins of `rusher`, % |" in text
    assert text.endswith("<!-- layouts: end -->\nThe end.\n")
