import base64
import json
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.criss_cross import CRISS_CROSS, gain, is_vertical, lonely, random_move
from sims.errors import UsageError
from sims.table import MOST_PARAMETERS, Player, Table
from strategies import (
    Parameter,
    Restriction,
    Strategy,
    find_strategy,
    heuristic,
    noisy,
    restrict,
    restriction,
    rollout,
    strategy,
)
from strategies.api import LARGEST_ROLLOUTS, number

ROOT = Path(__file__).resolve().parents[2]
GAME = "criss-cross"


@heuristic(
    GAME,
    parameters=[Parameter("run", 1, 0, 5, "points of a run"), Parameter("upright", -0.5, -3, 3)],
    tags=["test", "simple"],
)
def tall(view: Any, move: Any, params: Any) -> Any:
    """Gain, and a liking for upright pairs.

    The second paragraph is no summary.
    """
    return params[0] * gain(view, move) + params[1] * is_vertical(move)


@strategy(GAME)
def any_move(view: Any, rng: Any, params: Any) -> Any:
    """Whatever comes."""
    return random_move(view, rng)


@restriction(GAME)
def no_lonely(view: Any, move: Any, params: Any) -> Any:
    """Lonely spaces."""
    return lonely(view, move) > 0


@restriction(GAME, name="upright")
def lying_only(view: Any, move: Any, params: Any) -> Any:
    return is_vertical(move)


def fails_with(message: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    with pytest.raises(UsageError) as caught:
        function(*arguments, **named)
    assert str(caught.value) == message


# --- Parameters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 5, 2.5, np.float64(1.5), np.float32(0.5), np.int64(3), Fraction(1, 4)])
def test_parameter_takes_numbers_of_its_range(value: Any) -> None:
    checked = Parameter("run", 1, 0, 5).check(value, "tall")
    assert checked == float(value)
    assert type(checked) is float


@pytest.mark.parametrize("value", [-0.1, 5.1, math.nan, math.inf, -math.inf, True, "1", None, 1j, [1]])
def test_parameter_refuses_everything_else(value: Any) -> None:
    fails_with(
        f"tall: parameter run={value!r} does not fit: it takes a number from 0 to 5",
        Parameter("run", 1, 0, 5).check,
        value,
        "tall",
    )


@pytest.mark.parametrize("default", [-1, 6, math.nan])
def test_parameter_refuses_a_default_out_of_its_range(default: float) -> None:
    fails_with(f"parameter run: its default {default} is not in 0 to 5", Parameter, "run", default, 0, 5)


@pytest.mark.parametrize("name", ["", "a b", "a=b", "a,b", "a:b", "a(b)", "a.py"])
def test_names_that_no_spec_can_hold_are_refused(name: str) -> None:
    rule = "is made of letters, digits, - and _, not"
    fails_with(f"the name of a parameter {rule} {name!r}", Parameter, name, 1, 0, 5)
    if name:  # without a name it is the function's
        fails_with(f"the name of a strategy {rule} {name!r}", strategy(GAME, name=name), any_move.function)
        fails_with(f"the name of a restriction {rule} {name!r}", restriction(GAME, name=name), no_lonely.function)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-3, "-3"),
        (0.1, "0.1"),
        (-0.0, "0"),
        (1e15, "1000000000000000.0"),
        (1e-7, "1e-07"),
        (1e300, "1e+300"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_number_reads_back_as_the_same_number(value: float) -> None:
    assert float(number(value)) == value


# --- Declaring -------------------------------------------------------------------------------------------------------


def test_heuristic() -> None:
    assert isinstance(tall, Strategy)
    assert (tall.game, tall.name, tall.by_value, tall.tags) == (GAME, "tall", True, ("test", "simple"))
    assert tall.values == (1.0, -0.5)
    assert tall.spec == "tall"
    assert tall.summary == "Gain, and a liking for upright pairs."


def test_strategy() -> None:
    assert (any_move.name, any_move.by_value, any_move.parameters) == ("any-move", False, ())
    assert any_move.doc == "Whatever comes."


def test_restriction() -> None:
    assert isinstance(no_lonely, Restriction)
    assert (no_lonely.spec, no_lonely.doc) == ("no-lonely", "Lonely spaces.")
    assert (lying_only.spec, lying_only.doc) == ("upright", "")


def test_summary_of_a_strategy_without_a_docstring() -> None:
    def silent(view: Any, rng: Any, params: Any) -> Any:
        return 0

    assert strategy(GAME)(silent).summary == ""


def test_a_name_of_its_own() -> None:
    assert strategy(GAME, name="other")(any_move.function).spec == "other"


def two(view: Any, rng: Any) -> Any:
    return 0


def values_moves(view: Any, move: Any, params: Any) -> Any:
    return 0


def draws(view: Any, rng: Any, params: Any) -> Any:
    return 0


@pytest.mark.parametrize(
    ("declare", "function", "message"),
    [
        (strategy, two, "two(view, rng) has the wrong signature: it has to take (view, rng, params)"),
        (heuristic, two, "two(view, rng) has the wrong signature: it has to take (view, move, params)"),
        (restriction, two, "two(view, rng) has the wrong signature: it has to take (view, move, params)"),
        (
            strategy,
            values_moves,
            "values_moves(view, move, params) has the wrong signature: it has to take (view, rng, params)",
        ),
        (heuristic, draws, "draws(view, rng, params) has the wrong signature: it has to take (view, move, params)"),
        (restriction, draws, "draws(view, rng, params) has the wrong signature: it has to take (view, move, params)"),
        (strategy, print, "a strategy is made of a plain Python function, not of a builtin_function_or_method"),
        (heuristic, any_move, "a strategy is made of a plain Python function, not of a Strategy"),
    ],
)
def test_a_wrong_signature_says_which_is_right(declare: Any, function: Any, message: str) -> None:
    fails_with(message, declare(GAME), function)


def test_other_names_for_the_arguments_are_fine() -> None:
    def named(_view: Any, _rng: Any, _params: Any) -> Any:
        return 0

    assert strategy(GAME)(named).name == "named"


def test_parameters_need_different_names_and_are_few() -> None:
    message = f"tall: parameters need different names and at most {MOST_PARAMETERS} are allowed"
    same = [Parameter("run", 1, 0, 5), Parameter("run", 2, 0, 5)]
    many = [Parameter(f"p{index}", 1, 0, 5) for index in range(MOST_PARAMETERS + 1)]
    fails_with(message, heuristic(GAME, parameters=same), tall.function)
    fails_with(message, heuristic(GAME, parameters=many), tall.function)
    assert len(heuristic(GAME, parameters=many[1:])(tall.function).values) == MOST_PARAMETERS


# --- Specs and values ------------------------------------------------------------------------------------------------


def test_with_values() -> None:
    changed = tall.with_values(run=2.5)
    assert changed.values == (2.5, -0.5)
    assert changed.spec == "tall:run=2.5"
    assert tall.values == (1.0, -0.5)
    assert changed.with_values(run=1, upright=0).spec == "tall:upright=0"


def test_with_values_names_near_misses() -> None:
    fails_with("tall has no parameter 'rum'; did you mean run?", tall.with_values, rum=1)
    fails_with("tall has no parameter 'x'; there are: run, upright", tall.with_values, x=1)
    fails_with("any-move has no parameter 'x'; it has none", any_move.with_values, x=1)
    fails_with(
        "tall: parameter run=9 does not fit: it takes a number from 0 to 5",
        tall.with_values,
        run=9,
    )


def test_player() -> None:
    player = noisy(rollout(noisy(restrict(tall.with_values(run=2), never=no_lonely), 0.25), 7), 0.5).player()
    assert player.spec == "noisy(rollout(noisy(restrict(tall:run=2,never=no-lonely),0.25),7),0.5)"
    assert (player.chooser, player.valuer, player.forbidder) == (None, tall.function, no_lonely.function)
    assert player.params == (2.0, -0.5)
    assert (player.limited, player.noise) == (True, 0.25)
    assert (player.rollouts, player.rollout_limited, player.rollout_noise) == (7, False, 0.5)
    assert player.remake is None
    assert any_move.player().chooser is any_move.function


# --- Digests ---------------------------------------------------------------------------------------------------------


def test_digest_follows_the_spec() -> None:
    made = [tall, tall.with_values(run=2), noisy(tall, 0.1), restrict(tall, never=no_lonely), rollout(tall, 3)]
    assert len({one.digest for one in made}) == len(made)
    assert tall.with_values(run=1).digest == tall.digest


def test_digest_does_not_depend_on_what_was_asked_first() -> None:
    def base() -> Strategy:
        return heuristic(GAME, name="base")(tall.function)

    asked = base()
    alone = asked.digest
    limited = restrict(asked, never=no_lonely).digest
    not_asked = base()
    assert restrict(not_asked, never=no_lonely).digest == limited != alone
    assert not_asked.digest == alone


def test_digest_follows_the_file(tmp_path: Path) -> None:
    def digest(text: str) -> str:
        path = tmp_path / f"ideas_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        namespace: dict[str, Any] = {}
        exec(compile(text, str(path), "exec"), namespace)
        return strategy(GAME)(namespace["choose"]).digest

    text = "def choose(view, rng, params):\n    return {}\n"
    assert digest(text.format(1)) == digest(text.format(1))
    assert digest(text.format(1)) != digest(text.format(2))


def test_digest_of_functions_without_a_file_follows_their_code() -> None:
    def digest(text: str) -> str:
        return strategy(GAME, name="typed")(eval(text)).digest

    one, same, other = (f"lambda view, rng, params: {value}" for value in (1, 1, 2))
    assert digest(one) == digest(same) != digest(other)


# --- Wrappers --------------------------------------------------------------------------------------------------------


def test_noisy() -> None:
    made = noisy(tall, 0.125)
    assert (made.spec, made.noise, made.rollout_noise) == ("noisy(tall,0.125)", 0.125, 0.0)
    around = noisy(rollout(made, 2), 0.5)
    assert (around.noise, around.rollout_noise) == (0.125, 0.5)


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan, "0.1", None])
def test_noisy_refuses_a_rate_out_of_range(rate: Any) -> None:
    fails_with(f"noisy(tall): parameter rate={rate!r} does not fit: it takes a number from 0 to 1", noisy, tall, rate)


def test_noisy_refuses_a_second_rate() -> None:
    fails_with("noisy(tall,0.1) is noisy already: give it one rate", noisy, noisy(tall, 0.1), 0.2)
    around = noisy(rollout(tall, 2), 0.1)
    fails_with("noisy(rollout(tall,2),0.1) is noisy already: give it one rate", noisy, around, 0.2)


def test_restrict() -> None:
    made = restrict(tall, never=no_lonely)
    assert (made.spec, made.limited, made.rollout_limited) == ("restrict(tall,never=no-lonely)", True, False)
    around = restrict(rollout(tall, 2), never=no_lonely)
    assert around.spec == "restrict(rollout(tall,2),never=no-lonely)"
    assert (around.limited, around.rollout_limited) == (False, True)
    inside = rollout(made, 2)
    assert (inside.limited, inside.rollout_limited) == (True, False)


def test_restrict_refuses_what_is_no_restriction() -> None:
    fails_with(
        "never='upright' is no restriction: declare one with @restriction(game)", restrict, tall, never="upright"
    )


def test_restrict_refuses_a_second_restriction() -> None:
    message = "is restricted already: write one restriction that forbids both"
    made = restrict(tall, never=no_lonely)
    fails_with(f"restrict(tall,never=no-lonely) {message}", restrict, made, never=lying_only)
    fails_with(f"rollout(restrict(tall,never=no-lonely),2) {message}", restrict, rollout(made, 2), never=lying_only)


def test_restrict_refuses_a_restriction_of_another_game() -> None:
    other = restriction("chess")(no_lonely.function)
    fails_with("no-lonely is a restriction of chess, and tall plays criss-cross", restrict, tall, never=other)


def test_rollout() -> None:
    assert rollout(tall).rollouts == 20
    assert rollout(tall, LARGEST_ROLLOUTS).spec == f"rollout(tall,{LARGEST_ROLLOUTS})"


@pytest.mark.parametrize("n", [0, -1, LARGEST_ROLLOUTS + 1, 2.0, "2", True, None])
def test_rollout_refuses_other_numbers(n: Any) -> None:
    fails_with(f"rollout(tall): n={n!r} does not fit: it takes a whole number from 1 to 10000", rollout, tall, n)


def test_rollout_cannot_be_nested() -> None:
    fails_with(
        "noisy(rollout(tall,2),0.5) thinks by rollouts already: they cannot be nested",
        rollout,
        noisy(rollout(tall, 2), 0.5),
        3,
    )


# --- Travelling to another process -----------------------------------------------------------------------------------

RECEIVE = """
import base64, json, pickle, sys
from sims.criss_cross import CRISS_CROSS
from sims.table import Table
players = pickle.loads(base64.b64decode(sys.stdin.read()))
table = Table(CRISS_CROSS, CRISS_CROSS.variant(), players)
outcomes = table.new_outcomes(5)
table.play(1, 0, outcomes)
print(json.dumps([[player.spec for player in players], [player.digest for player in players], outcomes.tolist()]))
"""


def play_elsewhere(players: list[Player], folder: Path) -> list[Any]:
    """Send players to another process as joblib does, and let them play five deals there."""
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{RECEIVE}"],
        cwd=folder,
        input=base64.b64encode(cloudpickle.dumps(players)).decode(),
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(ran.stdout))


def play_here(players: list[Player]) -> list[Any]:
    table = Table(CRISS_CROSS, CRISS_CROSS.variant(), players)
    outcomes = table.new_outcomes(5)
    table.play(1, 0, outcomes)
    return [[player.spec for player in players], [player.digest for player in players], outcomes.tolist()]


IDEAS = """
from strategies import heuristic, restriction
from sims.criss_cross import gain, is_vertical

@heuristic("criss-cross")
def keen(view, move, params):
    return gain(view, move)

@restriction("criss-cross")
def standing(view, move, params):
    return is_vertical(move)
"""


def test_players_travel_by_name_and_by_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ideas.py").write_text(IDEAS)
    monkeypatch.chdir(tmp_path)
    by_name = [
        find_strategy(GAME, spec).player()
        for spec in ("noisy(blunder,0.5)", "restrict(ideas.py:keen,never=ideas.py:standing)")
    ]
    by_value = [
        tall.with_values(run=2).player(),
        restrict(find_strategy(GAME, "uniform"), never=lying_only).player(),
    ]
    assert all(player.remake for player in by_name)
    assert not any(player.remake for player in by_value)
    assert all(len(pickle.dumps(player)) < 200 for player in by_name)
    assert play_elsewhere(by_name + by_value, tmp_path) == play_here(by_name + by_value)


def test_a_player_that_travels_by_name_comes_back_the_same() -> None:
    player = find_strategy(GAME, "rollout(restrict(noisy(uniform,0.5),never=lonely-spaces),3)").player()
    assert pickle.loads(pickle.dumps(player)) == player


def test_a_restriction_that_no_name_finds_makes_a_player_travel_by_value() -> None:
    named, lonely_spaces = find_strategy(GAME, "uniform"), find_strategy(GAME, "restrict(uniform,never=lonely-spaces)")
    assert named.player().remake
    assert lonely_spaces.player().remake
    # It has the name of a built-in restriction, and is another.
    impostor = restriction(GAME, name="lonely-spaces")(lying_only.function)
    assert restrict(named, never=impostor).player().remake is None
