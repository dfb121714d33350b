"""The figure of the README is what its script draws."""

import re
from pathlib import Path

import pytest

from benchmarks.readme_figure import DEALS, FIGURE, GAME, PLAYERS, main
from sims.jit import COMPILED

ROOT = Path(__file__).resolve().parents[2]


def title(figure: bytes) -> str:
    return re.search(rb"<dc:title>(.*?)</dc:title>", figure)[1].decode()  # type: ignore[index]


@pytest.mark.skipif(not COMPILED, reason="line-solver is slow in plain Python")
def test_the_same_run_is_the_same_figure(tmp_path: Path) -> None:
    first, second = tmp_path / "first.svg", tmp_path / "new" / "second.svg"
    assert main(first, deals=300) == main(second, deals=300) == 0
    assert first.read_bytes() == second.read_bytes()
    assert title(first.read_bytes()) == (
        "Scores of line-solver and greedy on the same 300 deals, and their differences"
    )


def test_the_figure_in_the_repository_is_of_the_demo() -> None:
    assert f"on the same {DEALS:,} deals" in title(FIGURE.read_bytes())
    demo = f"crosslab compare {GAME} {' '.join(PLAYERS)} --deals {DEALS // 1000}k "
    assert demo in (ROOT / "Makefile").read_text(encoding="utf-8")
    for page, link in (("README.md", "docs/figures/comparison.svg"), ("docs/index.md", "figures/comparison.svg")):
        assert f"]({link})" in (ROOT / page).read_text(encoding="utf-8")


def test_a_place_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.readme_figure.PLAYERS", ("uniform", "blunder"))
    (tmp_path / "file").write_text("")
    assert main(tmp_path / "file" / "figure.svg", deals=10) == 2
    assert capsys.readouterr().err.count("\n") == 1
