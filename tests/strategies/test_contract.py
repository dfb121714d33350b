"""The contract check finds each kind of broken strategy, and lets a good one pass."""

import json
import os
from pathlib import Path

import pytest

from sims.criss_cross import gain, lonely
from sims.errors import UsageError
from sims.game import GAME_MODULES, Game, find_game
from sims.jit import COMPILED, cache_folder
from strategies.api import Parameter, heuristic, rollout
from strategies.contract import RULES, CheckReport, Finding, check
from strategies.specs import find_strategy
from strategies.trial import LONGEST_MESSAGE, _Bench, _plainly, _Raised, _tables

GAME = "criss-cross"
SECONDS = 60.0 if COMPILED else 10.0  # plain Python would use all the time that it is given

HEAD = """
import ctypes
import os
import signal
import sys

import numpy as np
from numba.extending import overload

from sims.bits import Word
from sims.criss_cross import first_cell, first_symbol, gain, lonely, random_move, second_cell
from strategies import Parameter, heuristic, strategy
"""

GOOD = """
@heuristic("criss-cross", parameters=[Parameter("centre", 0.5, 0, 5, "points for each cell of the middle row")])
def centred(view, move, params):
    "Gain, no lonely spaces, and a liking for the middle row."
    return gain(view, move) - 3 * lonely(view, move) + params[0] * (first_cell(move) // Word(5) == 2)
"""

BROKEN = """
@strategy("criss-cross")
def last_corner(view, rng, params):
    return Word(4 << 1)  # the pair of the first row's last cell and the cell to its right

@heuristic("criss-cross")
def impatient(view, move, params):
    if view.round_number > 6:
        raise ValueError("too late")
    return 1.0

WEIGHTS = np.ones(5)

@heuristic("criss-cross")
def short_table(view, move, params):
    return WEIGHTS[first_cell(move)]

@heuristic("criss-cross")
def undefined(view, move, params):
    return np.nan if view.round_number > 3 else 1.0

@heuristic("criss-cross")
def infinite(view, move, params):
    return -np.inf if lonely(view, move) > 0 else 1.0

@heuristic("criss-cross")
def moody(view, move, params):
    return np.random.random()

@heuristic("criss-cross")
def careless(view, move, params):
    view.round_number = np.uint8(1)
    return gain(view, move)

@heuristic("criss-cross", parameters=[Parameter("weight", 1, 0, 5)])
def drifting(view, move, params):
    params[0] += 1.0
    return gain(view, move)

@heuristic("criss-cross")
def crosses_first(view, move, params):
    return 1.0 * (first_symbol(view, move) == 1) * (first_cell(move) < Word(12))

SEEN = []

@heuristic("criss-cross")
def listing(view, move, params):
    SEEN.append(move)
    return len(SEEN) % 7

COUNT = 0

@strategy("criss-cross")
def counting(view, rng, params):
    global COUNT
    COUNT += 1
    move = random_move(view, rng)
    return Word(move) ^ Word(COUNT % 2)

CALLS = []

def mood():
    CALLS.append(1)
    return len(CALLS) % 7

@overload(mood)
def compiled_mood():
    return lambda: 0

@heuristic("criss-cross")
def two_faced(view, move, params):
    return gain(view, move) + mood()

@heuristic("criss-cross")
def wrapping(view, move, params):
    return 1.0 * (view.first - np.uint8(200))

@heuristic("criss-cross")
def text(view, move, params):
    return "a lot"

@strategy("criss-cross")
def talkative(view, rng, params):
    print("hello")
    return random_move(view, rng)
"""


def write(folder: Path, text: str) -> str:
    path = folder / "ideas.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return str(path)


def finding(report: CheckReport, rule: str) -> Finding:
    return next(item for item in report.findings if item.rule == rule)


def broken(report: CheckReport) -> set[str]:
    return {item.rule for item in report.findings if item.passed is False}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckReport]:
    path = write(tmp_path_factory.mktemp("ideas"), GOOD + BROKEN)
    return {report.strategy.removeprefix(f"{path}:"): report for report in check(GAME, path, seconds=SECONDS, deals=2)}


# --- What strategies do ----------------------------------------------------------------------------------------------


def test_a_good_heuristic_passes(reports: dict[str, CheckReport]) -> None:
    report = reports["centred"]
    assert report.passed
    assert not broken(report)
    expected = {"raises", "legal", "numbers", "repeatable", "memory", "view"}
    assert expected <= {item.rule for item in report.findings if item.passed}
    assert finding(report, "symbols").message.startswith(RULES["symbols"])
    assert "games a second" in finding(report, "speed").message


def test_illegal_moves_are_found(reports: dict[str, CheckReport]) -> None:
    report = reports["last-corner"]
    assert broken(report) == {"legal"}
    found = finding(report, "legal")
    assert "illegal move" in found.message
    assert "which are not neighbours" in found.message
    assert "deal 0, seat 0" in found.message
    assert "basic, 1 seat" in found.message
    assert "round 1, rolled" in found.details


def test_exceptions_are_found_with_the_traceback_of_the_strategy_alone(reports: dict[str, CheckReport]) -> None:
    report = reports["impatient"]
    assert broken(report) == {"raises"}
    found = finding(report, "raises")
    assert "raised ValueError: too late" in found.message
    assert 'raise ValueError("too late")' in found.details
    assert "contract.py" not in found.details
    assert "rolled" in found.details


def test_messages_of_many_lines_are_cut_short() -> None:
    """Numba's are, where a chooser hands the wrong type to a compiled function."""

    def choose(view: object) -> None:
        raise TypeError("no match for (float64, uint64)\n" + "one of the candidates\n" * 100)

    with pytest.raises(_Raised) as caught:
        _plainly(choose, None)
    assert caught.value.message.startswith("raised TypeError: no match for (float64, uint64) one of the")
    assert len(caught.value.message) <= LONGEST_MESSAGE + len("raised ")
    assert "in choose" in caught.value.trace
    assert caught.value.trace.count("no match for (float64") == 2  # the line of code, and the message
    assert len(caught.value.trace) < 2 * LONGEST_MESSAGE


def test_an_index_out_of_bounds_is_found_though_compiled_code_does_not_notice(reports: dict[str, CheckReport]) -> None:
    assert "raised IndexError" in finding(reports["short-table"], "raises").message


def test_values_that_are_no_numbers_are_found(reports: dict[str, CheckReport]) -> None:
    report = reports["undefined"]
    assert broken(report) == {"numbers"}
    assert "deal" in finding(report, "numbers").message
    assert "round 4" in finding(report, "numbers").details or "rolled" in finding(report, "numbers").details


def test_infinite_values_are_told_and_allowed(reports: dict[str, CheckReport]) -> None:
    report = reports["infinite"]
    assert report.passed
    assert finding(report, "numbers").message.startswith("infinite at")


def test_chance_from_elsewhere_is_found(reports: dict[str, CheckReport]) -> None:
    assert {"repeatable", "memory"} <= broken(reports["moody"])


def test_changing_the_view_is_found(reports: dict[str, CheckReport]) -> None:
    report = reports["careless"]
    assert broken(report) == {"view"}
    assert "changed: round_number" in finding(report, "view").details
    assert finding(report, "legal").message == "not tried: it changes what it is given"


def test_changing_the_parameters_is_found(reports: dict[str, CheckReport]) -> None:
    assert "changed: params" in finding(reports["drifting"], "view").details


@pytest.mark.parametrize("name", ["listing", "counting"])
def test_hidden_state_is_found(reports: dict[str, CheckReport], name: str) -> None:
    report = reports[name]
    assert "memory" in broken(report)
    assert "remembers something" in finding(report, "memory").message
    if COMPILED:
        assert "does not compile" in finding(report, "compiles").message


def test_hidden_state_that_compiled_code_does_not_see_is_found(reports: dict[str, CheckReport]) -> None:
    expected = {"repeatable", "memory", "plain"} if COMPILED else {"repeatable", "memory"}
    assert expected <= broken(reports["two-faced"])


@pytest.mark.skipif(not COMPILED, reason="compares compiled code with plain Python")
def test_numpy_overflow_is_told_and_not_held_against_it(reports: dict[str, CheckReport]) -> None:
    report = reports["wrapping"]
    assert report.passed
    assert "overflow there; write int(…) around them" in finding(report, "plain").message


def test_what_is_no_number_at_all_is_found(reports: dict[str, CheckReport]) -> None:
    report = reports["text"]
    assert finding(report, "compiles").passed is (False if COMPILED else None)
    assert "returned 'a lot', which is no number" in finding(report, "raises").message


def test_a_liking_for_a_symbol_is_information(reports: dict[str, CheckReport]) -> None:
    report = reports["crosses-first"]
    assert report.passed
    assert finding(report, "symbols").passed is None
    assert "change its answer at" in finding(report, "symbols").message
    assert "with other names" in finding(report, "symbols").details


def test_what_a_strategy_prints_does_not_disturb_the_check(reports: dict[str, CheckReport]) -> None:
    assert reports["talkative"].passed


# --- What ends the process -------------------------------------------------------------------------------------------


def test_an_endless_loop_is_found_and_the_next_strategy_is_checked(tmp_path: Path) -> None:
    loop = """
@strategy("criss-cross")
def pondering(view, rng, params):
    found = 0
    while view.round_number > 2 and found < 100:
        found = int(random_move(view, rng)) & 1
    return random_move(view, rng)
"""
    path = write(tmp_path, loop + GOOD)
    pondering, centred = check(GAME, path, seconds=8, deals=1)
    found = finding(pondering, "time")
    assert found.passed is False
    assert "no answer within 8 s: probably an endless loop" in found.message
    assert "deal" in found.message
    assert "rolled" in found.details
    assert (pondering.strategy, centred.strategy) == (f"{path}:pondering", f"{path}:centred")
    assert centred.passed


def test_an_endless_loop_while_the_file_is_imported_is_found(tmp_path: Path) -> None:
    path = write(tmp_path, "while True:\n    pass\n")
    (report,) = check(GAME, path, seconds=2)
    assert report.strategy == path
    assert "endless loop; last tried: loading it" in finding(report, "time").message


def test_a_process_that_ends_while_the_file_is_imported_is_found(tmp_path: Path) -> None:
    path = write(tmp_path, 'print("good-bye", flush=True)\nos._exit(3)\n')
    (report,) = check(GAME, f"{path}:anything")
    assert "exit code 3" in finding(report, "process").message
    assert "good-bye" in finding(report, "process").details


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_a_killed_process_is_found_with_the_signal_and_the_position(tmp_path: Path) -> None:
    kill = """
@heuristic("criss-cross")
def fatal(view, move, params):
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0
"""
    (report,) = check(GAME, write(tmp_path, kill))
    found = finding(report, "process")
    assert "signal 9 (SIGKILL)" in found.message
    assert "asked for values" in found.message
    assert "rolled" in found.details
    assert not report.passed


# --- Targets ---------------------------------------------------------------------------------------------------------


def test_refused_declarations_are_usage_errors(tmp_path: Path) -> None:
    path = write(tmp_path, '@heuristic("criss-cross")\ndef short(view, move):\n    return 0.0\n')
    with pytest.raises(UsageError, match=r"short\(view, move\) has the wrong signature"):
        check(GAME, path)


def test_a_file_without_strategies_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="declares no strategy for criss-cross"):
        check(GAME, write(tmp_path, ""))


def test_a_syntax_error_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SyntaxError"):
        check(GAME, write(tmp_path, "def f(:\n"))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"seconds": 0}, "seconds=0 does not fit"), ({"deals": 0}, "deals=0 does not fit")],
)
def test_options_out_of_range_are_usage_errors(options: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check(GAME, "uniform", **options)


def test_an_unknown_game_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown game"):
        check("chess", "uniform")


def test_a_strategy_without_a_name_travels_by_value() -> None:
    bonus = 2.0

    @heuristic(GAME, parameters=[Parameter("weight", 3, 0, 5)])
    def local(view, move, params):  # type: ignore[no-untyped-def]
        return bonus * gain(view, move) - params[0] * lonely(view, move)

    (report,) = check(GAME, local.with_values(weight=4), seconds=SECONDS, deals=1)
    assert report.strategy == "local:weight=4"
    assert report.passed


def test_a_restricted_and_noisy_strategy_can_be_checked() -> None:
    (report,) = check(GAME, "noisy(restrict(blunder,never=lonely-spaces),0.1)", seconds=SECONDS, deals=1)
    assert report.strategy == "noisy(restrict(blunder,never=lonely-spaces),0.1)"
    assert report.passed


@pytest.mark.skipif(not COMPILED, reason="rollouts take minutes in plain Python")
def test_a_player_by_rollouts_can_be_checked() -> None:
    (report,) = check(GAME, rollout(find_strategy(GAME, "blunder"), 2), seconds=SECONDS, deals=1)
    assert report.strategy == "rollout(blunder,2)"
    assert report.passed


@pytest.mark.parametrize("game", GAME_MODULES)
def test_uniform_of_every_game_passes(game: str) -> None:
    (report,) = check(game, "uniform", seconds=SECONDS, deals=1)
    assert report.passed
    assert finding(report, "legal").passed


@pytest.mark.parametrize("name", GAME_MODULES)
def test_positions_come_from_every_variant_and_number_of_seats(name: str) -> None:
    game = find_game(name)
    positions = _Bench(game).random_positions
    assert len({position.view.tobytes() for position in positions}) == len(positions) >= 100
    tables = {tuple(position.where.split(", ")[:2]) for position in positions}
    assert {variant for variant, _ in tables} == set(game.variants)
    expected = sum(len(game.seat_numbers(game.variant(variant))) for variant in game.variants)
    assert len(tables) == expected
    assert all(game.moves(position.view[0]) for position in positions)


def test_tables_are_those_that_each_variant_allows(partners: Game) -> None:
    assert [where for where, _, _ in _tables(partners)] == [
        *(f"basic, {seats} seats" for seats in (2, 3, 4)),
        *(f"advanced, {seats} seats" for seats in (4, 6, 8)),
    ]


def test_the_restriction_that_watches_is_never_kept_on_disk() -> None:
    # It has an address of its process in it.
    _Bench(find_game(GAME))
    folder = cache_folder()
    assert folder is None or not list(folder.glob("*forbid_nothing*"))


def test_everything_works_in_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    (report,) = check(GAME, write(tmp_path, GOOD), seconds=10, deals=1)
    assert report.passed
    assert "NUMBA_DISABLE_JIT" in finding(report, "compiles").message
    assert {"legal", "repeatable", "memory"} <= {item.rule for item in report.findings if item.passed}


# --- Reports ---------------------------------------------------------------------------------------------------------


def test_reports_are_json_values(reports: dict[str, CheckReport]) -> None:
    report = reports["impatient"]
    told = json.loads(json.dumps(report.to_dict()))
    assert told["passed"] is False
    assert CheckReport(told["strategy"], tuple(Finding(**item) for item in told["findings"])) == report


def test_texts_are_at_most_80_columns_wide(reports: dict[str, CheckReport]) -> None:
    for report in reports.values():
        assert max(map(len, report.text().splitlines())) <= 80


def test_a_text_has_one_line_for_each_rule_and_keeps_the_position() -> None:
    position = "X t\n. c"
    report = CheckReport("spiral", (Finding("legal", False, "illegal", position), Finding("speed", None, "fast")))
    assert report.text().splitlines() == [
        "spiral: FAILED",
        "  FAILED  legal       illegal",
        "          X t",
        "          . c",
        "  info    speed       fast",
    ]


def test_findings_stand_in_the_order_of_the_rules(reports: dict[str, CheckReport]) -> None:
    order = list(RULES)
    for report in reports.values():
        places = [order.index(item.rule) for item in report.findings]
        assert places == sorted(set(places))


def test_passed_ignores_information() -> None:
    assert CheckReport("a", (Finding("speed", None, ""), Finding("legal", True, ""))).passed
    assert not CheckReport("a", (Finding("speed", None, ""), Finding("legal", False, ""))).passed
