"""`crosslab report`: words, errors and what it prints."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crosslab.cli import main
from sims.jit import COMPILED

played = pytest.mark.skipif(not COMPILED, reason="a whole report takes too long in plain Python")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("report --out x", "name a game, or give --compare two designs"),
        ("report cris-cross --out x", "did you mean criss-cross"),
        ("report criss-cross --effort fast --out x", "unknown effort 'fast'"),
        ("report criss-cross --effort quick --deals 5 --out x", "give one of them"),
        ("report criss-cross --compare a.json b.json --out x", "leave out GAME"),
        ("report --compare a.json b.json --variant basic --out x", "leave out --variant"),
        ("report --compare a.json b.json --margin 0.1 --out x", "leave out --margin"),
        ("report --compare a.json b.json --out x", "cannot read the design a.json"),
        ("report criss-cross --set size=9 --out x", "option size=9 does not fit"),
    ],
)
def test_errors_are_one_line(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) == 2
    told = capsys.readouterr().err.strip()
    assert message in told
    assert len(told.splitlines()) == 1


def test_out_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["report", "criss-cross"])
    assert stopped.value.code == 2
    assert "--out" in capsys.readouterr().err


def test_help_is_at_most_80_columns_wide(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80


@played
def test_a_report_and_its_manifest_compared(run: Callable[[str], str], tmp_path: Path) -> None:
    words = "--strategies greedy --deals 40 --seats 1 --jobs 1"
    told = run(f"report criss-cross {words} --set run_points=0,4,6,16,20 --out {tmp_path}/one")
    assert told.startswith("Balance report: Criss Cross (run_points=0,4,6,16,20 rules, 1 seat, greedy)")
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text("utf-8"))
    assert manifest["design"]["settings"] == {"run_points": [0, 4, 6, 16, 20]}
    (tmp_path / "plain.json").write_text('{"game": "criss-cross"}')
    compared = json.loads(
        run(f"report --compare {tmp_path}/one/manifest.json {tmp_path}/plain.json --format json --out {tmp_path}/two")
    )
    assert compared["title"] == "Two designs of Criss Cross: one and plain"
    assert (compared["strategies"], compared["seats"], compared["deals"]) == (["greedy"], 1, 40)
    scores = next(claim for claim in compared["claims"] if claim["question"] == "Do scores change?")
    assert scores["answer"] == "Yes: lower in plain"
    assert (tmp_path / "two" / "index.html").is_file()
