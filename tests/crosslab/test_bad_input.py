"""Wrong command lines and wrong Python calls: each is one line that names the thing, the value and what would work."""

from collections.abc import Callable
from pathlib import Path

import pytest

import crosslab
from crosslab.cli import main
from sims.jit import COMPILED

FILES = {
    "no_decorator.py": "def spiral(view, move, params):\n    return 0.0\n",
    "syntax.py": "def spiral(view, move, params)\n    return 0.0\n",
    "raises.py": "import strategies\n\n1 / 0\n",
    "two.py": (
        "from strategies import heuristic\n\n"
        "@heuristic('criss-cross')\ndef spiral(view, move, params):\n    return 0.0\n\n"
        "@heuristic('criss-cross')\ndef spiral(view, move, params):\n    return 1.0\n"
    ),
    "clash.py": (
        "from strategies import heuristic\n\n"
        "@heuristic('criss-cross')\ndef uniform(view, move, params):\n    return 0.0\n"
    ),
    "signature.py": (
        "from strategies import heuristic\n\n@heuristic('criss-cross')\ndef spiral(view, move):\n    return 0.0\n"
    ),
    "untyped.py": (
        "from strategies import heuristic\n\n@heuristic('criss-cross')\ndef spiral(view, move, params):\n"
        "    return view.colour\n"
    ),
    "good.py": (
        "from strategies import Parameter, heuristic\nfrom sims.criss_cross import gain\n\n"
        "@heuristic('criss-cross', parameters=[Parameter('bias', 0, -1, 1)])\n"
        "def spiral(view, move, params):\n    'Gain.'\n    return gain(view, move) + params[0]\n"
    ),
}

LINES: list[tuple[str, str]] = [
    ("simulat criss-cross uniform", "invalid choice: 'simulat'"),
    ("simulate", "the following arguments are required: GAME, STRATEGY"),
    ("simulate criss-cross", "the following arguments are required: STRATEGY"),
    ("simulate criss-crosss uniform", "unknown game 'criss-crosss'; did you mean criss-cross?"),
    ("simulate chess uniform", "unknown game 'chess'; there are: criss-cross"),
    ("simulate criss-cross unifrom", "criss-cross has no strategy 'unifrom'; did you mean uniform?"),
    ("simulate criss-cross uniform:bias=1", "uniform has no parameter 'bias'; it has none"),
    ("simulate criss-cross good.py:spiral:bais=1", "spiral has no parameter 'bais'; did you mean bias?"),
    ("simulate criss-cross good.py:spiral:bias=7", "parameter bias=7.0 does not fit: it takes a number from -1 to 1"),
    ("simulate criss-cross good.py:spiral:bias=x", "parameter bias='x' is no number"),
    ("simulate criss-cross good.py:spiral:bias", "cannot read 'bias'"),
    ("simulate criss-cross good.py:spirl", "good.py has no strategy 'spirl'; did you mean spiral?"),
    ("simulate criss-cross missing.py:spiral", "there is no file missing.py"),
    ("simulate criss-cross no_decorator.py:spiral", "declares no strategy for criss-cross: put @heuristic"),
    ("simulate criss-cross syntax.py:spiral", "syntax.py, line 1: SyntaxError"),
    ("simulate criss-cross raises.py:spiral", "raises.py, line 3: ZeroDivisionError"),
    ("simulate criss-cross two.py:spiral", "declares 'spiral' twice, in lines"),
    ("simulate criss-cross clash.py:uniform", "the name 'uniform' is taken by a built-in of criss-cross"),
    ("simulate criss-cross signature.py:spiral", "it has to take (view, move, params)"),
    ("simulate criss-cross untyped.py:spiral", "spiral does not compile"),
    ("simulate criss-cross noisy(uniform,2)", "rate=2.0 does not fit: it takes a number from 0 to 1"),
    ("simulate criss-cross noisy(uniform,often)", "rate='often' is no number"),
    ("simulate criss-cross noisy(uniform)", "write noisy(STRATEGY,RATE)"),
    ("simulate criss-cross noisy", "noisy needs a strategy to wrap: write noisy(STRATEGY,RATE)"),
    ("simulate criss-cross shy(uniform,1)", "unknown wrapper 'shy'"),
    ("simulate criss-cross rollout(uniform,0)", "n=0 does not fit: it takes a whole number from 1 to 10000"),
    ("simulate criss-cross rollout(uniform,1.5)", "n=1.5 does not fit"),
    ("simulate criss-cross rollout(rollout(uniform,2),2)", "cannot be nested"),
    ("simulate criss-cross restrict(uniform,never=nothing)", "criss-cross has no restriction 'nothing'"),
    ("simulate criss-cross restrict(uniform,lonely)", "no restriction 'lonely'; did you mean lonely-spaces"),
    ("simulate criss-cross )uniform(", "cannot read the strategy ')uniform('"),
    ("simulate criss-cross uniform --deals 0", "deals=0 does not fit: it takes a whole number from 1 to"),
    ("simulate criss-cross uniform --deals -5", "deals=-5 does not fit"),
    (
        "simulate criss-cross uniform --deals many",
        "argument --deals: 'many' is no whole number; write 100000, 1e5 or 100k",
    ),
    ("simulate criss-cross uniform --deals 1.5", "'1.5' is no whole number"),
    ("simulate criss-cross uniform --deals", "argument --deals: expected one argument"),
    ("simulate criss-cross uniform --seed -1", "seed=-1 does not fit"),
    ("simulate criss-cross uniform --seed 18446744073709551616", "seed=18446744073709551616 does not fit"),
    ("simulate criss-cross uniform --first-deal -1", "first_deal=-1 does not fit"),
    ("simulate criss-cross uniform --variant advance", "criss-cross has no variant 'advance'; did you mean advanced?"),
    ("simulate criss-cross uniform --set size=9", "option size=9 does not fit: it takes a whole number from 3 to 5"),
    ("simulate criss-cross uniform --set size=big", "option size='big' does not fit"),
    ("simulate criss-cross uniform --set sise=4", "unknown option 'sise'; did you mean size?"),
    ("simulate criss-cross uniform --set size", "cannot read the option 'size': write option=value"),
    ("simulate criss-cross uniform --set run_points=0,2,3,8", "it takes 5 whole numbers from -20 to 20"),
    ("simulate criss-cross uniform --set run_points=0,2,3,8,99", "it takes 5 whole numbers from -20 to 20"),
    ("simulate criss-cross uniform --set start=middle", "it takes one of assigned, rolled, empty"),
    ("simulate criss-cross uniform --jobs 0", "jobs=0 does not fit"),
    ("simulate criss-cross uniform --backend dask", "unknown backend 'dask'; there are: threads, loky"),
    ("simulate criss-cross uniform --format xml", "argument --format: invalid choice: 'xml'"),
    ("simulate criss-cross uniform --deals 9 --store good.py", "good.py"),
    ("simulate criss-cross uniform --deals 9 --store .", "is not a store"),
    ("simulate criss-cross uniform --deals 1G --out good.py/x", "cannot write good.py/x"),
    ("simulate criss-cross uniform --deals 1G --out .", "cannot write .: it is a folder"),
    ("simulate criss-cross uniform --fast", "unrecognized arguments: --fast"),
    ("simulate criss-cross uniform uniform uniform uniform uniform uniform uniform", "is for 1 to 6 seats, not 7"),
    ("compare criss-cross uniform", "the following arguments are required: B"),
    ("compare criss-cross uniform blunder --margin -1", "margin=-1.0 does not fit"),
    ("compare criss-cross uniform blunder --margin nan", "margin=nan does not fit"),
    ("compare criss-cross uniform blunder --margin wide", "'wide' is no number"),
    ("compare criss-cross uniform blunder --seats 7", "is for 1 to 6 seats, not 7"),
    ("compare criss-cross uniform blunder --seats 0", "is for 1 to 6 seats, not 0"),
    ("compare criss-cross uniform blunder --seats 4 --against uniform", "make 2 seats, not 4"),
    ("compare criss-cross uniform blunder --deals 1G --report good.py", "good.py"),
    ("replay criss-cross uniform --deal -1", "deal=-1 does not fit"),
    ("replay criss-cross uniform --rotation 1", "a line-up of 1 has the rotations 0 to 0"),
    ("replay criss-cross uniform --format csv", "invalid choice: 'csv'"),
    ("strategies criss-cros", "did you mean criss-cross?"),
    ("strategies criss-cross --file missing.py", "there is no file missing.py"),
    ("games chess", "unknown game 'chess'"),
    ("check missing.py", "there is no file missing.py"),
    ("check uniform --seconds soon", "'soon' is no number"),
]

CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: crosslab.simulate("chess", "uniform"), "unknown game 'chess'"),
    (lambda: crosslab.simulate("criss-cross", []), "is for 1 to 6 seats, not 0"),
    (lambda: crosslab.simulate("criss-cross", 7), "7 is no line-up"),  # type: ignore[arg-type]
    (lambda: crosslab.simulate("criss-cross", [7]), "7 is no strategy"),  # type: ignore[list-item]
    (lambda: crosslab.simulate("criss-cross", "uniform", deals=1.5), "deals=1.5 does not fit"),  # type: ignore[arg-type]
    (lambda: crosslab.simulate("criss-cross", "uniform", deals="9"), "deals='9' does not fit"),  # type: ignore[arg-type]
    (lambda: crosslab.simulate("criss-cross", "uniform", seed=None), "seed=None does not fit"),  # type: ignore[arg-type]
    (lambda: crosslab.simulate("criss-cross", "uniform", variant="hard"), "has no variant 'hard'"),
    (lambda: crosslab.simulate("criss-cross", "uniform", variant=3), "are not rules of criss-cross"),  # type: ignore[arg-type]
    (lambda: crosslab.simulate("criss-cross", "uniform", n_jobs=0), "jobs=0 does not fit"),
    (lambda: crosslab.simulate("criss-cross", "uniform", backend="mpi"), "unknown backend 'mpi'"),
    (lambda: crosslab.compare("criss-cross", "uniform", "blunder", deals=0), "deals=0 does not fit"),
    (lambda: crosslab.compare("criss-cross", "uniform", "nobody"), "has no strategy 'nobody'"),
    (lambda: crosslab.replay("criss-cross", "uniform", deal=-1), "deal=-1 does not fit"),
    (lambda: crosslab.replay("criss-cross", "uniform", rotation=2), "rotation=2 does not fit"),
    (lambda: crosslab.find_game("criss-cross").variant().replace(sise=4), "unknown option 'sise'"),
    (lambda: crosslab.find_game("criss-cross").variant().replace(size=4.0), "option size=4.0 does not fit"),
    (lambda: crosslab.find_game("criss-cross").variant().replace(run_points=5), "option run_points=5 does not fit"),
    (lambda: crosslab.Parameter("bias", 5, 0, 1), "its default 5 is not in 0 to 1"),
    (lambda: crosslab.heuristic("criss-cross")(lambda view: 0), "it has to take (view, move, params)"),
    (lambda: crosslab.strategy("criss-cross")(print), "plain Python function"),
    (lambda: crosslab.noisy(crosslab.find_strategy("criss-cross", "uniform"), -0.1), "rate=-0.1 does not fit"),
    (
        lambda: crosslab.restrict(crosslab.find_strategy("criss-cross", "uniform"), "corner"),  # type: ignore[arg-type]
        "never='corner' is no restriction",
    ),
    (lambda: crosslab.rollout(crosslab.find_strategy("criss-cross", "uniform"), True), "n=True does not fit"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as stopped:
        return int(stopped.code or 0)


def test_the_table_is_long_enough() -> None:
    assert len(LINES) + len(CALLS) >= 40


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("line", "message"), LINES, ids=[line for line, _ in LINES])
def test_wrong_command_lines(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "does not compile" in message and not COMPILED:
        pytest.skip("nothing is compiled: it fails when it plays")
    code = run(line.split())
    said = capsys.readouterr()
    assert code == 2
    assert message in said.err
    errors = [text for text in said.err.splitlines() if not text.startswith("crosslab: compiling")]
    assert len(errors) == 1, said.err
    assert errors[0].startswith("crosslab")
    assert "error: " in errors[0]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_wrong_python_calls(call: Callable[[], object], message: str) -> None:
    with pytest.raises(crosslab.CrosslabError) as caught:
        call()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
