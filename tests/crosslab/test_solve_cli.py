"""`crosslab solve`: the answers of the Python verb, in every format, what is kept, and refusals in one line."""

import csv
import dataclasses
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.regret import solve
from crosslab.cli import announcing_solving, main
from sims.cross_off import CrossOffRules
from sims.jit import COMPILED
from strategies import cross_off_exact as exact
from strategies import cross_off_optimal, solving

DEALS = 200 if COMPILED else 4
LINE = f"solve cross-off uniform expectation --deals {DEALS} --seed 3"
TIMES = ("seconds", "solving_seconds")
SOLVING = "crosslab: solving cross-off for these rules (once; kept for later runs) …\n"


MADE_UP = dataclasses.replace(
    cross_off_optimal.SOLVER,
    values=lambda rules: np.zeros(1_234),
    expected=lambda rules: 99.5,
    digest=lambda rules: "0" * 32,
    save=lambda path, rules: Path(path).write_text("solved"),
    losses=lambda rules, logs: np.ones((len(logs), 2, 3)),
)


@pytest.fixture(autouse=True)
def quick_in_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the solution, which takes hours with the JIT off, by one that is made up."""

    def refused(model: Any, **options: Any) -> Any:
        raise AssertionError("this would take hours in plain Python")

    if not COMPILED:
        monkeypatch.setattr(cross_off_optimal, "SOLVER", MADE_UP)
        monkeypatch.setattr(exact, "solve", refused)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_off_optimal, "SOLVER", MADE_UP)


def without_times(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in TIMES}


# --- Answers ---------------------------------------------------------------------------------------------------------


def test_help_is_at_most_80_columns_wide(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        main(["solve", "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    assert all(option in text for option in ("--only", "--save", "--deals", "--variant", "--set", "--jobs"))


def test_formats_agree(run: Callable[[str], str]) -> None:
    table = run(LINE)
    told = json.loads(run(LINE + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(LINE + " --format csv"))))
    known = solve("cross-off", ["uniform", "expectation"], deals=DEALS, seed=3)
    assert without_times(told) == without_times(known.to_dict())
    assert table == known.text() + "\n"
    assert max(len(line) for line in table.splitlines()) <= 80
    assert [row["strategy"] for row in rows] == [row["strategy"] for row in told["strategies"]]
    for row, entry in zip(rows, told["strategies"], strict=True):
        assert {name: float(text) for name, text in row.items() if name != "strategy"} == {
            name: value for name, value in entry.items() if name != "strategy"
        }


def test_only_plays_nothing(run: Callable[[str], str]) -> None:
    line = "solve cross-off --only"
    table = run(line)
    assert len(table.splitlines()) == 2
    assert "played perfectly" in table
    told = json.loads(run(line + " --format json"))
    assert (told["strategies"], told["games"]) == ([], 0)
    assert f"{told['expected']:.6f} points a game" in table
    assert f"{told['states']:,} values solved; digest {told['digest']}" in table
    assert run(line + " --format csv").startswith("strategy,games,mean,")
    if COMPILED:
        assert "115.483126" in table


def test_how_long_it_took_is_no_part_of_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LINE.split()) == 0
    told = capsys.readouterr()
    assert "in 0." not in told.out
    last = told.err.splitlines()[-1]
    assert last.startswith("solved, or read what was, in ")
    assert f"{2 * DEALS:,} games played and judged in " in last
    assert main(["solve", "cross-off", "--only"]) == 0
    assert "played and judged" not in capsys.readouterr().err


@pytest.mark.usefixtures("made_up")
def test_options_are_handed_on(run: Callable[[str], str]) -> None:
    line = f"solve cross-off uniform --deals {DEALS} --seed 8 --variant finish-turn --set marks_to_close=4 --jobs 1"
    told = json.loads(run(line + " --format json"))
    assert (told["deals"], told["seed"]) == (DEALS, 8)
    assert told["variant"] == CrossOffRules(finish_turn=True, marks_to_close=4).to_dict()


@pytest.mark.skipif(not COMPILED, reason="perfect play takes hours to solve in plain Python")
def test_all_players_are_judged_by_default(run: Callable[[str], str]) -> None:
    told = json.loads(run("solve cross-off --deals 50 --format json"))
    assert len(told["strategies"]) == 12
    assert told["strategies"][0]["strategy"] == "optimal"
    assert told["strategies"][0]["regret"] == 0


# --- What is kept ----------------------------------------------------------------------------------------------------


def test_out_writes_a_file(run: Callable[[str], str], tmp_path: Path) -> None:
    target = tmp_path / "made" / "for" / "it.csv"
    assert run(f"{LINE} --format csv --out {target}") == ""
    assert target.read_text(encoding="utf-8") == run(LINE + " --format csv")


def test_save_writes_the_solved_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "basic.values"
    assert main(f"solve cross-off --only --format json --save {target}".split()) == 0
    told = capsys.readouterr()
    assert told.err.endswith(f"solved table: {target}\n")
    if COMPILED:
        values = exact.load(target, cross_off_optimal.model_of(CrossOffRules()))
        assert exact.digest(values) == json.loads(told.out)["digest"]
        assert values[0, 0] == json.loads(told.out)["expected"]
    else:
        assert target.read_text() == "solved"


# --- Refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("solve", "the following arguments are required: GAME"),
        ("solve chess", "unknown game 'chess'; there are: "),
        ("solve cross-of", "did you mean cross-off"),
        ("solve criss-cross", "criss-cross has not been solved; solved games: cross-off"),
        ("solve cross-off uniforn", "cross-off has no strategy 'uniforn'; did you mean uniform?"),
        ("solve cross-off none.py:mine", "there is no file none.py"),
        ("solve cross-off uniform --only", "--only plays nothing: leave it out, or the strategies"),
        ("solve cross-off uniform --deals 1", "deals=1 does not fit: it takes a whole number from 2 to "),
        ("solve cross-off uniform --deals many", "'many' is no whole number"),
        ("solve cross-off uniform --seed -1", "seed=-1 does not fit"),
        ("solve cross-off uniform --jobs 0", "jobs=0 does not fit"),
        ("solve cross-off --variant advanced", "cross-off has no variant 'advanced'"),
        ("solve cross-off --set marks_to_close=11", "option marks_to_close=11 does not fit"),
        ("solve cross-off --set size=3", "unknown option 'size'"),
        ("solve cross-off --format xml", "invalid choice: 'xml'"),
        ("solve cross-off --seats 2", "unrecognized arguments: --seats 2"),
        ("solve cross-off --only --out .", "cannot write .: it is a folder"),
    ],
)
def test_refusals_are_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(line.split())
    except SystemExit as stopped:  # what the parser refuses
        code = stopped.code  # type: ignore[assignment]
    told = capsys.readouterr()
    assert code == 2
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err


def test_a_table_that_cannot_be_saved_is_refused_before_anything_is_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert main(f"solve cross-off --only --save {tmp_path}/file/basic.values".split()) == 2
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert f"cannot write {tmp_path}/file/basic.values: " in told.err


# --- Saying that something is being solved ---------------------------------------------------------------------------


def test_solving_is_announced_once(capsys: pytest.CaptureFixture[str]) -> None:
    with announcing_solving():
        progress = solving.tell("cross-off")
        for done in range(1, 4):
            progress(done, 3)
    assert capsys.readouterr().err == SOLVING
    assert capsys.readouterr().out == ""


def test_every_solution_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    with announcing_solving():
        for _ in range(2):
            for done in range(1, 4):
                solving.tell("cross-off")(done, 3)
    assert capsys.readouterr().err == 2 * SOLVING


def test_nothing_is_announced_when_nothing_is_solved(capsys: pytest.CaptureFixture[str]) -> None:
    with announcing_solving():
        pass
    solving.tell("cross-off")(1, 3)  # nobody listens any more
    assert capsys.readouterr().err == ""


def test_an_interrupted_solution_is_no_trouble(capsys: pytest.CaptureFixture[str]) -> None:
    before = list(solving._listeners)

    def interrupted() -> None:
        with announcing_solving():
            solving.tell("cross-off")(1, 3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert solving._listeners == before
    assert capsys.readouterr().err == SOLVING


class Bar:
    """Stands in for a progress bar on a terminal, and keeps what it was told."""

    made: "list[Bar]" = []  # noqa: RUF012 - emptied by the test

    def __init__(self, total: int, **options: Any) -> None:
        self.total, self.options, self.n, self.closed = total, options, 0, False
        self.made.append(self)

    def update(self, more: int) -> None:
        self.n += more

    def close(self) -> None:
        self.closed = True


def test_a_bar_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sims.run.progress_bar", Bar)
    monkeypatch.setattr(Bar, "made", [])
    with announcing_solving():
        progress = solving.tell("cross-off")
        seen = []
        for done in (10, 25, 25, 30):
            progress(done, 30)
            seen.append((Bar.made[0].n, Bar.made[0].closed))
        progress(4, 40)
    first, second = Bar.made
    assert seen == [(10, False), (25, False), (25, False), (30, True)]
    assert (first.total, second.total, second.n, second.closed) == (30, 40, 4, True)
    assert first.options == {"unit": " states"}


@pytest.mark.parametrize("verb", ["solve cross-off --only", "simulate cross-off optimal --deals 2"])
def test_any_command_that_has_to_solve_says_so(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver is stopped at its second level: nothing is worked out, nothing kept."""

    def begun(model: Any, *, n_jobs: int, progress: Any) -> Any:
        progress(1, 10)
        progress(2, 10)
        raise KeyboardInterrupt

    monkeypatch.setattr(exact, "solve", begun)
    monkeypatch.setattr(exact, "_solutions", type(exact._solutions)())
    monkeypatch.setattr(exact, "cache_folder", lambda: tmp_path / "0123")
    values = cross_off_optimal.values_of
    monkeypatch.setattr(cross_off_optimal, "SOLVER", dataclasses.replace(cross_off_optimal.SOLVER, values=values))
    assert main(verb.split()) == 130
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count(SOLVING) == 1
    assert not list(tmp_path.iterdir())
