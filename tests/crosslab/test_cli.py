"""The command line: the same answers as the Python verbs, in every format."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import crosslab
from crosslab.cli import main
from crosslab.output import narrow
from crosslab.parser import whole
from sims.game import find_game
from sims.jit import COMPILED
from sims.trace import narrate

ROOT = Path(__file__).resolve().parents[2]
DEALS = "3000" if COMPILED else "40"


def call(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crosslab", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        **more,  # type: ignore[call-overload]
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5),
        ("1e5", 100_000),
        ("100k", 100_000),
        ("2M", 2_000_000),
        ("1_000", 1000),
        ("1,000", 1000),
        ("0.5M", 500_000),
    ],
)
def test_whole_reads_numbers_as_people_write_them(text: str, number: int) -> None:
    assert whole(text) == number


VERBS = ["", "games", "strategies", "simulate", "compare", "replay", "check", "bench"]
VERBS += ["distribution", "rank", "balance", "elements", "sweep", "tune"]


@pytest.mark.parametrize("verb", VERBS)
def test_help_is_at_most_80_columns_wide(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as stopped:
        main([*verb.split(), "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert max(len(line) for line in text.splitlines()) <= 80
    assert f"crosslab {verb}".strip() in text


def test_no_words_print_the_help(run: Callable[[str], str]) -> None:
    assert "verbs:" in run("")


def test_version(run: Callable[[str], str]) -> None:
    assert run("--version").startswith("crosslab ")


@pytest.mark.parametrize(
    "line",
    [
        "games",
        "games criss-cross",
        "strategies criss-cross",
        f"simulate criss-cross uniform blunder noisy(restrict(uniform,never=lonely-spaces),0.25) --deals {DEALS}",
        f"compare criss-cross noisy(restrict(uniform,never=lonely-spaces),0.25) blunder --deals {DEALS}",
    ],
)
def test_tables_are_at_most_80_columns_wide(line: str, run: Callable[[str], str]) -> None:
    assert max(len(row) for row in run(line).splitlines()) <= 80


def test_games_json_has_the_facts(run: Callable[[str], str]) -> None:
    facts = json.loads(run("games --format json"))
    assert [game["name"] for game in facts] == crosslab.game_names()
    one = json.loads(run("games criss-cross --format json"))
    assert one["seats"] == [1, 6]
    assert {option["name"] for option in one["options"]} >= {"size", "start", "run_points"}


def test_strategies_json(run: Callable[[str], str]) -> None:
    listed = json.loads(run("strategies criss-cross --format json"))
    assert all(set(item) == {"name", "doc", "source", "parameters", "tags"} for item in listed)
    assert "uniform" in [item["name"] for item in listed]
    weak = json.loads(run("strategies criss-cross --tag weak --format json"))
    assert [item["name"] for item in weak] == ["blunder"]
    rows = list(csv.DictReader(io.StringIO(run("strategies criss-cross --format csv"))))
    assert len(rows) == len(listed)


def test_simulate_formats_agree(run: Callable[[str], str]) -> None:
    line = f"simulate criss-cross uniform blunder --deals {DEALS} --seed 4"
    told = json.loads(run(line + " --format json"))
    rows = list(csv.DictReader(io.StringIO(run(line + " --format csv"))))
    assert [row["strategy"] for row in rows] == ["uniform", "blunder"]
    assert [float(row["mean"]) for row in rows] == [item["mean"] for item in told["strategies"]]
    table = run(line)
    assert f"{told['strategies'][0]['mean']:.3f}" in table


def without_times(text: str) -> dict[str, object]:
    told: dict[str, object] = json.loads(text)
    return {key: value for key, value in told.items() if key not in ("seconds", "games_per_second")}


def test_simulate_is_the_same_for_any_workers(run: Callable[[str], str]) -> None:
    line = f"simulate criss-cross uniform --deals {DEALS} --format json"
    told = [without_times(run(line + more)) for more in (" --jobs 1", " --jobs 2", " --jobs 2 --backend loky")]
    assert told[0] == told[1] == told[2]


def test_compare_json_has_the_promised_keys(run: Callable[[str], str]) -> None:
    told = json.loads(run(f"compare criss-cross uniform blunder --deals {DEALS} --format json"))
    promised = "a b blocks effect low high p_a_better p_tie margin verdict seed rules_version variance_ratio controls"
    assert set(told) >= set(promised.split())
    assert told["verdict"] == "better"
    assert set(told["controls"]) == {"mirror", "weak"}


@pytest.mark.parametrize("more", ["", " --until-decided"])
def test_compare_by_wins(run: Callable[[str], str], more: str) -> None:
    line = f"compare criss-cross uniform blunder --deals {DEALS} --seats 2 --by win{more}"
    told = json.loads(run(line + " --format json"))
    assert (told["measure"], told["verdict"]) == ("win", "better")
    assert "wins a game" in run(line)


def test_replay_json_is_one_object(run: Callable[[str], str]) -> None:
    line = "replay criss-cross uniform blunder --seed 7 --deal 3 --rotation 1 --variant advanced"
    told = json.loads(run(line + " --json"))
    assert told == json.loads(run(line + " --format json"))
    assert told == crosslab.replay(
        "criss-cross", ["uniform", "blunder"], seed=7, deal=3, rotation=1, variant="advanced"
    )
    assert told["seats"] == ["blunder", "uniform"]


def test_set_changes_a_rule(run: Callable[[str], str]) -> None:
    told = json.loads(run("replay criss-cross uniform --set size=3 --set run-points=1,2,3,4,5 --json"))
    assert told["variant"]["size"] == 3
    assert told["variant"]["run_points"] == [1, 2, 3, 4, 5]


def test_out_writes_a_file(tmp_path: Path, run: Callable[[str], str]) -> None:
    target = tmp_path / "new" / "answer.json"
    assert run(f"simulate criss-cross uniform --deals 20 --format json --out {target}") == ""
    assert json.loads(target.read_text())["strategies"][0]["games"] == 20


def test_one_deal_is_answered(run: Callable[[str], str]) -> None:
    assert run("simulate criss-cross uniform --deals 1").splitlines()[-1].split()[3:5] == ["-", "-"]
    told = json.loads(run("simulate criss-cross uniform --deals 1 --format json"))
    assert told["strategies"][0]["sd"] is None
    assert "too few for a verdict" in run("compare criss-cross uniform blunder --deals 1")


FAILING = """
import numpy as np
from strategies import heuristic, strategy

@strategy("criss-cross")
def cheat(view, rng, params):
    return 0

@heuristic("criss-cross")
def stumble(view, move, params):
    if view.round_number == 3:
        raise ValueError("no idea")
    return 0.0

@heuristic("criss-cross")
def lost(view, move, params):
    return np.nan
"""


@pytest.mark.parametrize(
    ("name", "message", "further"),
    [
        ("cheat", "cheat made an illegal move: ", "which are not both empty"),
        ("stumble", "stumble raised ValueError: no idea", 'raise ValueError("no idea")'),
        ("lost", "lost returned a value that is not a number", "rolled"),
    ],
)
def test_a_failing_strategy_is_explained(
    name: str,
    message: str,
    further: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ideas.py").write_text(FAILING)
    assert main(["simulate", "criss-cross", f"ideas.py:{name}", "--deals", "50"]) == 2
    said = capsys.readouterr().err
    assert f"crosslab: error: ideas.py:{message}" in said
    assert further in said
    assert "position:\n" in said
    assert f"replay: crosslab replay criss-cross ideas.py:{name} --seed 1 --deal 0" in said
    assert "site-packages" not in said


ENDLESS = """
from strategies import strategy

@strategy("criss-cross")
def thinks(view, rng, params):
    \"\"\"Never comes back.\"\"\"
    turns = 0
    while view.round_number > 0:
        turns += 1
    return turns
"""


@pytest.mark.skipif(os.name != "posix" or not COMPILED, reason="sends SIGINT; plain Python can be interrupted anyway")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_an_endless_strategy(jobs: str, tmp_path: Path) -> None:
    (tmp_path / "ideas.py").write_text(ENDLESS)
    words = ["simulate", "criss-cross", f"{tmp_path / 'ideas.py'}:thinks", "--jobs", jobs]
    code = (
        "import sys; from crosslab import cli, simulate; from sims.table import Table; cli.STOP_SECONDS = 0.2; "
        "simulate('criss-cross', 'uniform', deals=1); "  # so that nothing is left to compile when it plays
        "play = Table.play; Table.play = lambda *given: (print('plays', flush=True), play(*given)); "
        "sys.exit(cli.main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "plays\n"
    time.sleep(1)  # on a busy machine the step from there into compiled code takes its time
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "a strategy did not come back" in said


def test_module_and_pipe() -> None:
    """A reader that has seen enough is no error."""
    command = f"{sys.executable} -m crosslab games criss-cross | head -n 1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "Criss Cross\n"
    assert done.stderr == ""


def test_no_progress_bar_in_a_pipe() -> None:
    done = call("simulate", "criss-cross", "uniform", "--deals", DEALS, "--format", "csv")
    assert done.returncode == 0
    assert "it/s" not in done.stderr
    assert "games:" not in done.stderr


def test_ascii_terminal() -> None:
    """An old terminal gets its answer too."""
    done = call("games", "criss-cross", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr


def test_simulate_tells_wins_where_the_score_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "crossways", "rusher", "idle", "--deals", "2"]) == 0
    told = capsys.readouterr().out
    assert told.split()[:5] == ["strategy", "games", "wins", "±", "95%"]
    assert ["rusher", "4", "100.00%", "0.00%"] in [line.split() for line in told.splitlines()]
    assert "Nobody wins" not in told
    assert main(["simulate", "crossways", "idle", "idle", "--deals", "2"]) == 0
    assert capsys.readouterr().out.endswith("\n\nNobody wins 100.00% of the games.\n")
    assert main(["simulate", "criss-cross", "uniform", "uniform", "--deals", "5"]) == 0
    assert "Nobody" not in capsys.readouterr().out


def test_replay_is_at_most_80_columns_wide(run: Callable[[str], str]) -> None:
    told = run("replay crossways rusher balanced --seed 7 --deal 3")
    lines = told.splitlines()
    assert max(map(len, lines)) <= 80
    place = next(at for at, line in enumerate(lines) if line.startswith("options: layout=default, "))
    assert lines[place + 1].startswith("    ")
    # Nothing is lost but line ends, and what was narrow stays as it is.
    rules = find_game("crossways").variant()
    trace = crosslab.replay("crossways", ["rusher", "balanced"], seed=7, deal=3)
    whole = narrate(find_game("crossways"), rules, trace)
    assert told.split() == whole.split()
    assert {line for line in whole.splitlines() if len(line) <= 80} <= set(lines)


def test_lines_go_on_further_in_than_they_began() -> None:
    long = "  seat " + "word " * 20
    assert narrow(long).splitlines()[1].startswith("      word")
    assert narrow("short\n  line") == "short\n  line"


@pytest.mark.parametrize("game", ["criss-cross", "cross-off", "crosswise", "crossways"])
def test_a_trace_is_told_in_python_as_by_the_command(game: str, run: Callable[[str], str]) -> None:
    trace = crosslab.replay(game, ["uniform", "uniform"], seed=7, deal=3, rotation=1)
    told = crosslab.narrate(json.loads(json.dumps(trace)))
    printed = run(f"replay {game} uniform uniform --seed 7 --deal 3 --rotation 1")
    assert printed.split() == told.split()
    with pytest.raises(crosslab.UsageError, match="chess"):
        crosslab.narrate({**trace, "game": "chess"})
