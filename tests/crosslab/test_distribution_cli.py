"""`crosslab distribution`: the answers of the Python verb, in every format."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from analysis.scores import distribution
from crosslab.cli import main
from sims.jit import COMPILED

DEALS = 3000 if COMPILED else 40
LINE = f"distribution criss-cross uniform blunder --deals {DEALS} --seed 4 --tail 15 --tail 8 --quantile 0.9"


def test_formats_agree_with_the_verb(run: Callable[[str], str]) -> None:
    same = distribution("criss-cross", ["uniform", "blunder"], deals=DEALS, seed=4, tails=(15, 8), quantiles=(0.9,))
    assert json.loads(run(LINE + " --format json")) == json.loads(json.dumps(same.to_dict()))
    rows = list(csv.DictReader(io.StringIO(run(LINE + " --format csv"))))
    assert len(rows) == same.statistics().height
    tails = [row for row in rows if row["statistic"] == "tail"]
    assert [float(row["value"]) for row in tails] == same.tails()["share"].to_list()
    assert run(LINE) == same.text() + "\n"


def test_default_quantiles(run: Callable[[str], str]) -> None:
    told = json.loads(run(f"distribution criss-cross uniform --deals {DEALS} --format json"))
    first = told["strategies"][0]
    assert [row["quantile"] for row in first["quantiles"]] == [0.05, 0.25, 0.5, 0.75, 0.95]
    assert first["tails"] == []
    assert sum(first["histogram"].values()) == first["games"] == DEALS


def test_table_is_at_most_80_columns_wide(run: Callable[[str], str]) -> None:
    line = f"distribution criss-cross noisy(restrict(uniform,never=lonely-spaces),0.25) blunder --deals {DEALS}"
    assert max(len(row) for row in run(line + " --tail 5").splitlines()) <= 80


def test_rules_are_taken(run: Callable[[str], str]) -> None:
    line = "distribution criss-cross uniform --deals 20 --variant advanced --tail -10 --format json"
    told = json.loads(run(line))
    assert told["design"]["rules"]["diagonal_weight"] == 2
    assert told["strategies"][0]["bands"] == []
    assert told["strategies"][0]["tails"][0]["at_least"] == -10


def test_bytes_are_the_same_for_any_workers(run: Callable[[str], str]) -> None:
    told = {run(f"{LINE} --format json{more}") for more in (" --jobs 1", " --jobs 2")}
    assert len(told) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--quantile 1.5", "quantile 1.5 has no interval; give a number above 0 and below 1, such as 0.9"),
        ("--quantile nan", "quantile nan has no interval; give a number above 0 and below 1, such as 0.9"),
        ("--tail 1M", "tail=1000000 does not fit: it takes a whole number from -32768 to 32767"),
    ],
)
def test_bad_input_is_one_line(more: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(f"distribution criss-cross uniform --deals 5 {more}".split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"crosslab: error: {message}\n"


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["distribution", "--help"])
    assert "95 % interval over deals" in " ".join(capsys.readouterr().out.split())


def test_another_column_is_distributed(run: Callable[[str], str]) -> None:
    line = f"distribution criss-cross uniform --of rounds --deals {DEALS} --format json"
    same = distribution("criss-cross", "uniform", deals=DEALS, column="rounds")
    assert json.loads(run(line)) == json.loads(json.dumps(same.to_dict()))
    assert json.loads(run(line))["column"] == "rounds"
