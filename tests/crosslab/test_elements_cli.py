"""`crosslab elements`: the answers of the Python verb, in every format."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crosslab.cli import main

LINE = "elements criss-cross uniform blunder --set size=3 --deals 31 --seed 3 --jobs 1"


def test_formats_agree(run: Callable[[str], str]) -> None:
    table = run(LINE)
    told = json.loads(run(LINE + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(LINE + " --format csv"))))
    assert max(len(line) for line in table.splitlines()) <= 80
    assert len(rows) == len(told["elements"])
    first = told["elements"][0]
    assert float(rows[0]["count"]) == first["count"]
    assert f"{first['count']:.2f}" in table
    assert rows[0]["verdict"] == told["association"][0]["verdict"]
    assert {row["seat"] for row in rows} == {"", "0", "1"}
    assert {row["strategy"] for row in rows} == {"uniform", "blunder"}
    assert told["design"]["seed"] == 3


def test_arguments_are_handed_on(run: Callable[[str], str]) -> None:
    line = "elements cross-off uniform --against uniform --against blunder --kind track --kind close --deals 2 --jobs 1"
    told = json.loads(run(line + " --variant finish-turn --format json"))
    assert [kind["name"] for kind in told["kinds"]] == ["track", "close"]
    assert told["design"]["lineups"] == [["uniform", "uniform", "blunder"]]
    assert told["design"]["rules"]["finish_turn"] is True
    assert told["games"] == 6


def test_seats_and_file(tmp_path: Path, run: Callable[[str], str]) -> None:
    path = tmp_path / "elements.csv"
    assert run(f"elements cross-off uniform --seats 3 --deals 1 --jobs 1 --format csv --out {path}") == ""
    with path.open() as file:
        assert {row["seat"] for row in csv.DictReader(file)} == {"", "0", "1", "2"}


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["elements", "criss-cross", "uniform", "--kind", "cel", "--deals", "1"]) == 2
    assert capsys.readouterr().err == (
        "crosslab: error: criss-cross has no elements of the kind 'cel'; did you mean cell?\n"
    )
