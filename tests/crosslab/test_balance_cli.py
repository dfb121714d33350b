"""`crosslab balance`: the answers of the Python verb, in every format."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import analysis.balance
from analysis.records import load_records
from crosslab.cli import main
from sims.jit import COMPILED

LINE = "balance criss-cross uniform blunder --seed 3 " + (
    "--deals 200 --sample 20 --ladder-deals 40"
    if COMPILED
    else "--set size=3 --deals 3 --sample 2 --ladder-deals 1 --jobs 1"
)


def test_formats_agree(run: Callable[[str], str]) -> None:
    table = run(LINE)
    told = json.loads(run(LINE + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(LINE + " --format csv"))))
    assert max(len(line) for line in table.splitlines()) <= 80
    assert f"{100 * told['seats'][0]['wins']:.2f} %" in table
    assert float(rows[0]["value"]) == told["seats"][0]["wins"]
    assert {row["section"] for row in rows} >= {"wins", "games", "course", "noise ladder", "loss by restriction"}
    assert told["seed"] == 3


def test_parts_can_be_left_out(run: Callable[[str], str]) -> None:
    told = json.loads(run("balance criss-cross uniform --deals 3 --sample 0 --ladder-deals 0 --format json"))
    assert told["course"] == []
    assert told["noise_ladder"] is None
    assert told["length"] is not None


def test_margin_is_handed_on(run: Callable[[str], str]) -> None:
    line = "balance criss-cross uniform uniform --deals 30 --sample 0 --ladder-deals 0 --format json"
    assert json.loads(run(line + " --margin 1"))["verdict"] == "fair"
    assert json.loads(run(line))["margin"] == analysis.balance.MARGIN


def test_records_are_saved(tmp_path: Path, run: Callable[[str], str]) -> None:
    path = tmp_path / "games.parquet"
    run(f"balance criss-cross uniform uniform --deals 5 --sample 2 --ladder-deals 0 --records {path}")
    assert load_records(path)["deal"].to_list() == [0, 1]


def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["balance", "criss-cross", "uniform", "uniform", "--margin", "2"]) == 2
    assert capsys.readouterr().err == (
        "crosslab: error: margin=2.0 does not fit: it takes a share of wins from 0 to 1, such as 0.01\n"
    )
