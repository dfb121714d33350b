"""Designs as files, and two of them side by side."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from reports.balance import compare_designs, load_design
from reports.balance.evidence import make_request
from reports.balance.report import manifest_of
from sims.errors import UsageError
from sims.game import find_game
from sims.jit import COMPILED

MADE = datetime(2026, 1, 2, tzinfo=UTC)


def written(folder: Path, name: str, content: Any) -> Path:
    path = folder / f"{name}.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_a_manifest_is_a_design(tmp_path: Path) -> None:
    rules = find_game("criss-cross").rules().replace(run_points=(0, 1, 3, 6, 10), diagonal_weight=1)
    request = make_request("criss-cross", ["greedy"], variant=rules, seats=3, seed=9, deals=500)
    folder = tmp_path / "flat"
    folder.mkdir()
    found = load_design(written(folder, "manifest", {"title": "x", "files": {}, **manifest_of(request)}))
    assert found.label == "flat"
    assert found.rules == rules
    assert (found.strategies, found.seats, found.seed, found.deals, found.effort) == (("greedy",), 3, 9, 500, None)


def test_a_design_by_hand_needs_the_game_alone(tmp_path: Path) -> None:
    found = load_design(written(tmp_path, "mine", {"game": "criss-cross"}))
    assert found.label == "mine"
    assert found.rules == find_game("criss-cross").rules()
    assert (found.strategies, found.seats, found.seed, found.deals, found.effort) == (None,) * 5
    settings = {"game": "criss-cross", "variant": "advanced", "settings": {"diagonal_weight": 1}}
    changed = load_design(written(tmp_path, "other", settings)).rules
    assert changed == find_game("criss-cross").variant("advanced").replace(diagonal_weight=1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{not json", "is no JSON"),
        ("[1, 2]", "no design: it takes an object with a"),
        ({"name": "package", "version": "1"}, "no design: it takes an object with a"),
        ({"game": "cris-cross"}, "did you mean criss-cross"),
        ({"game": 7}, "game=7 does not fit"),
        ({"game": "criss-cross", "setings": {}}, "a design has no 'setings'; did you mean settings"),
        ({"game": "criss-cross", "settings": {"sise": 4}}, "did you mean size"),
        ({"game": "criss-cross", "settings": {"size": 40}}, "it takes a whole number from 3 to 5"),
        ({"game": "criss-cross", "settings": [4]}, "settings=[4] does not fit"),
        ({"game": "criss-cross", "variant": "advance"}, "did you mean advanced"),
        ({"game": "criss-cross", "strategies": "greedy"}, "strategies='greedy' does not fit"),
        ({"game": "criss-cross", "seats": "two"}, "seats='two' does not fit"),
        ({"rules_version": "0", "design": {"game": "criss-cross"}}, "made with rules version 0"),
    ],
)
def test_what_is_no_design_is_told_in_one_line(tmp_path: Path, content: Any, message: str) -> None:
    path = written(tmp_path, "x", content)
    with pytest.raises(UsageError) as told:
        load_design(path)
    assert message in str(told.value)
    assert str(path) in str(told.value)
    assert "\n" not in str(told.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the design"):
        load_design(tmp_path / "none.json")


BASE: dict[str, Any] = {"game": "criss-cross", "strategies": ["greedy"]}


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (BASE, {"game": "cross-off"}, "a is a design of criss-cross, b of cross-off"),
        (BASE, {"game": "criss-cross"}, "have the same rules"),
        (
            {**BASE, "seats": 2},
            {**BASE, "seats": 3, "variant": "advanced"},
            "a has seats 2, b has 3: on the same deals both need the same; name them with seats",
        ),
        (BASE, {"game": "criss-cross", "strategies": ["uniform"], "variant": "advanced"}, "a has strategies greedy"),
    ],
)
def test_unequal_designs_are_told_in_one_line(
    tmp_path: Path, a: dict[str, Any], b: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as told:
        compare_designs(written(tmp_path, "a", a), written(tmp_path, "b", b), deals=40)
    assert message in str(told.value)


@pytest.mark.skipif(not COMPILED, reason="a whole comparison takes too long in plain Python")
def test_two_designs_side_by_side(tmp_path: Path) -> None:
    """Points of a run are doubled: every score doubles, deal by deal, and nothing else changes."""
    a = written(tmp_path, "plain", {"game": "criss-cross", "strategies": ["first-fit", "uniform"], "deals": 400})
    doubled = {"game": "criss-cross", "settings": {"run_points": [0, 4, 6, 16, 20]}}
    b = written(tmp_path, "doubled", doubled)
    report = compare_designs(a, b, n_jobs=1, out=tmp_path / "out", progress=False)
    assert report.page is not None
    frames = {path.stem: pl.read_parquet(path) for path in (tmp_path / "out" / "frames").glob("*.parquet")}
    scores = frames["differences"].filter(pl.col("measure") == "mean_score")
    assert scores["b"].to_list() == pytest.approx([2 * value for value in scores["a"]])
    assert scores["effect"].to_list() == pytest.approx(scores["a"].to_list())
    others = frames["differences"].filter(pl.col("measure") != "mean_score")
    assert set(others["effect"]) == {0.0}
    assert not others["clear"].any()
    course = {row["metric"]: row for row in frames["course"].iter_rows(named=True)}
    assert course["lead_changes"]["effect"] == 0
    assert course["drama"]["b"] == pytest.approx(2 * course["drama"]["a"])
    keys = {section.key for section in report.document.every_section()}
    assert {claim.section for claim in report.claims} <= keys
    assert max(len(line) for line in report.text().splitlines()) <= 80
    answers = {claim.question: claim.answer for claim in report.claims}
    assert answers["Do scores change?"] == "Yes: higher in doubled"
    assert answers["Do games last longer?"] == "Not that it shows"
    assert answers["Does the order of the strategies change?"] == "Not that it shows"


@pytest.mark.skipif(not COMPILED, reason="a whole comparison takes too long in plain Python")
def test_too_few_deals_compare_nothing(tmp_path: Path) -> None:
    a = written(tmp_path, "a", BASE)
    b = written(tmp_path, "b", {"game": "criss-cross", "variant": "advanced"})
    report = compare_designs(a, b, deals=5, seats=1, n_jobs=1, progress=False)
    told = {claim.question: claim for claim in report.claims}
    assert told["Are the seats fair?"].answer == "There is one seat"
    assert told["Do scores change?"].answer == "Too little evidence to say"
    assert not told["Do scores change?"].effect
