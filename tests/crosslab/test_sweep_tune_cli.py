"""`crosslab sweep` and `crosslab tune`: the answers of the Python verbs, in every format, and refusals in one line."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from analysis.sweeps import sweep
from analysis.tuning import tune
from crosslab.cli import main
from sims.jit import COMPILED

DEALS = 200 if COMPILED else 3
SWEEP = f"sweep criss-cross uniform blunder --vary zero_line_points=0|-5 --deals {DEALS} --seed 3"
TARGET = f"sweep criss-cross uniform --vary zero_line_points=-10|10 --target mean_score=0 --deals {DEALS}"
TUNED = 200 if COMPILED else 1
TUNE = f"tune criss-cross careful --budget 3 --deals {TUNED} --fresh-deals {TUNED} --seed 3"


@pytest.mark.parametrize("line", [SWEEP, TARGET, TUNE], ids=["sweep", "target", "tune"])
def test_tables_are_at_most_80_columns_wide(line: str, run: Callable[[str], str]) -> None:
    assert max(len(row) for row in run(line).splitlines()) <= 80


def test_sweep_formats_agree(run: Callable[[str], str]) -> None:
    told = json.loads(run(SWEEP + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(SWEEP + " --format csv"))))
    known = sweep("criss-cross", ["uniform", "blunder"], {"zero_line_points": [0, -5]}, deals=DEALS, seed=3)
    assert told == json.loads(json.dumps(known.to_dict()))
    assert [float(row["mean"]) for row in rows] == [point["mean"] for point in told["points"]]
    assert f"{told['points'][0]['mean']:.3f}" in run(SWEEP)


def test_sweep_shows_what_is_asked_for(run: Callable[[str], str]) -> None:
    rows = list(csv.DictReader(io.StringIO(run(SWEEP + " --show rounds,filled --format csv"))))
    known = sweep(
        "criss-cross",
        ["uniform", "blunder"],
        {"zero_line_points": [0, -5]},
        deals=DEALS,
        seed=3,
        measures=["rounds", "filled"],
    )
    assert list(rows[0]) == known.summary().columns
    assert list(rows[0])[-2:] == ["mean_rounds", "mean_filled"]


def test_sweep_takes_seats_opponents_and_rules(run: Callable[[str], str]) -> None:
    line = f"sweep criss-cross uniform --vary start=assigned|empty --against blunder --set size=3 --deals {DEALS}"
    told = json.loads(run(line + " --format json"))["design"]
    assert (told["seats"], told["opponents"], told["rules"]["size"]) == (2, ["blunder"], 3)
    line = f"sweep criss-cross uniform --vary size=3|4 --seats 3 --deals {DEALS} --format json"
    assert "win_seat_2" in json.loads(run(line))["points"][0]


def test_target_formats_agree(run: Callable[[str], str]) -> None:
    told = json.loads(run(TARGET + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(TARGET + " --format csv"))))
    assert told["met"] is True
    assert [float(row["value"]) for row in rows] == [item["value"] for item in told["evaluations"]]
    assert "mean_score=0 lies between zero_line_points=" in run(TARGET)


def test_tune_formats_agree(run: Callable[[str], str]) -> None:
    told = json.loads(run(TUNE + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(TUNE + " --format csv"))))
    known = tune("criss-cross", "careful", budget=3, deals=TUNED, fresh_deals=TUNED, seed=3)
    assert told == json.loads(json.dumps(known.to_dict()))
    assert [row["spec"] for row in rows] == [trial["spec"] for trial in told["trials"]]
    assert told["spec"] in run(TUNE)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_sweep_takes_a_file_of_settings(kind: str, tmp_path: Path, run: Callable[[str], str]) -> None:
    frame = pl.DataFrame(
        {"run_points": ["0,2,3,8,10", "0,1,3,8,20", "0,1,3,8,20"], "start": ["assigned"] * 2 + ["empty"]}
    )
    target = tmp_path / f"grid.{kind}"
    (frame.write_csv if kind == "csv" else frame.write_parquet)(target)
    line = f"sweep criss-cross uniform blunder --grid {target} --deals {DEALS} --format json"
    known = sweep("criss-cross", ["uniform", "blunder"], frame, deals=DEALS)
    assert json.loads(run(line)) == json.loads(json.dumps(known.to_dict()))


def test_a_target_takes_a_file_of_settings(tmp_path: Path, run: Callable[[str], str]) -> None:
    target = tmp_path / "grid.csv"
    target.write_text("zero_line_points\n-10\n10\n")
    assert run(TARGET.replace("--vary zero_line_points=-10|10", f"--grid {target}")) == run(TARGET)


def test_tune_goes_on_from_a_table(tmp_path: Path, run: Callable[[str], str]) -> None:
    target = tmp_path / "trials.csv"
    run(f"{TUNE} --format csv --out {target}")
    told = json.loads(run(TUNE.replace("--budget 3", "--budget 6") + f" --initial {target} --format json"))
    before = pl.read_csv(target)["spec"].to_list()
    assert [trial["spec"] for trial in told["trials"]][: len(before)] == before
    assert len(told["trials"]) > len(before)
    assert len(told["design"]["initial"]) == len(before) - 1


def test_out_writes_a_file(tmp_path: Path, run: Callable[[str], str]) -> None:
    target = tmp_path / "sweep.csv"
    assert run(f"{SWEEP} --format csv --out {target}") == ""
    assert target.read_text(encoding="utf-8").startswith("point,zero_line_points,strategy,spec,")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sweep criss-cross uniform", "a sweep needs something to vary"),
        ("sweep criss-cross uniform --vary size", "cannot read 'size': write option=value|value"),
        ("sweep criss-cross uniform --vary sizes=3", "unknown option 'sizes'; did you mean size"),
        ("sweep criss-cross uniform --vary unifrm.x=3", "no strategy 'unifrm'; did you mean uniform"),
        ("sweep criss-cross uniform --vary size=3|5 --target score", "cannot read the target 'score'"),
        ("sweep criss-cross uniform --vary size=3|5 --target men_score=3", "unknown target 'men_score'"),
        ("sweep criss-cross uniform --vary size=3|5 --seats 9", "seats=9 does not fit"),
        ("sweep criss-cross uniform --vary size=3|5 --grid x.csv", "--grid and --vary both say what is varied"),
        ("sweep criss-cross uniform --vary size=3|5 --show round", "no measure 'round'; did you mean rounds"),
        ("sweep criss-cross uniform --vary size=3|5 --show rounds --target mean_score=3", "leave out --show"),
        ("sweep criss-cross uniform --grid none.csv", "cannot read none.csv: there is no such file"),
        ("tune criss-cross careful --initial none.json", "cannot read none.json: give a file whose name ends in .csv"),
        ("tune criss-cross greedy", "greedy has no parameters to tune"),
        ("tune criss-cross careful --budget 1", "budget=1 does not fit"),
        ("tune criss-cross carefull", "did you mean careful"),
    ],
)
def test_refusals_are_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err
