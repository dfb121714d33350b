"""`crosslab rank`: the answers of the Python verbs, in every format."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from analysis.races import race
from analysis.rankings import rank
from crosslab.cli import main
from sims.game import find_game
from sims.jit import COMPILED

DEALS = 300 if COMPILED else 35
FAST = ["uniform", "blunder"]
SIZE = 5 if COMPILED else 3  # small sheets where Python plays
RULES = find_game("criss-cross").rules().replace(size=SIZE)
LINE = f"rank criss-cross uniform blunder --deals {DEALS} --seed 3 --set size={SIZE}"


def test_formats_agree(run: Callable[[str], str]) -> None:
    table = run(LINE)
    told = json.loads(run(LINE + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(LINE + " --format csv"))))
    assert max(len(line) for line in table.splitlines()) <= 80
    assert f"{told['table'][0]['mean']:.2f}" in table
    assert [row["strategy"] for row in rows] == ["uniform", "blunder"]
    assert float(rows[1]["mean"]) == told["table"][1]["mean"]
    assert told == rank("criss-cross", FAST, deals=DEALS, seed=3, variant=RULES).to_dict()


def test_options_are_handed_on(run: Callable[[str], str]) -> None:
    line = LINE + " --seats 3 --tournament one-against-all --by win --margin 0.2 --set size=3 --format json"
    told = json.loads(run(line))
    assert (told["format"], told["seats"], told["measure"], told["margin"]) == ("one-against-all", 3, "win", 0.2)
    assert told["design"]["rules"]["size"] == 3
    tables = json.loads(run(LINE + " --seats 3 --tournament tables --lineups 2 --format json"))
    assert len(tables["design"]["lineups"]) == 2


def test_race(run: Callable[[str], str]) -> None:
    line = LINE + f" --race --budget {2 * DEALS}"
    known = race("criss-cross", FAST, budget=2 * DEALS, seed=3, variant=RULES)
    assert run(line) == known.text() + "\n"
    assert json.loads(run(line + " --format json")) == known.to_dict()
    rows = list(csv.DictReader(io.StringIO(run(line + " --format csv"))))
    assert rows[1]["status"] == "worse"
    assert json.loads(run(LINE + " --race --format json"))["budget"] == DEALS


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--budget 100", "--budget is the most deals of a race: add --race, or use --deals"),
        ("--race --store games", "a race keeps no games: leave out --store, or --race"),
        ("--by points", "unknown measure 'points'; there are: score, win"),
        ("--tournament solo --seats 2", "format=solo does not fit seats=2: solo is for 1, the others for 2 or more"),
    ],
)
def test_an_error_is_one_line(capsys: pytest.CaptureFixture[str], words: str, message: str) -> None:
    assert main([*LINE.split(), *words.split()]) == 2
    assert capsys.readouterr().err == f"crosslab: error: {message}\n"
