import functools
import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.criss_cross import CRISS_CROSS, gain, random_move
from sims.errors import UsageError
from sims.table import Player
from strategies import (
    Parameter,
    Strategy,
    builtin_restrictions,
    builtin_strategies,
    find_strategy,
    heuristic,
    noisy,
    restrict,
    restriction,
    rollout,
    specs,
    strategy,
)
from strategies.specs import ENTRY_POINTS, find_players, load_file, split_arguments

GAME = "criss-cross"

IDEAS = '''
from strategies import Parameter, heuristic, restriction, strategy
from sims.criss_cross import gain, is_vertical, random_move


@heuristic("criss-cross", parameters=[Parameter("run", 1, 0, 5), Parameter("far_off", -0.5, -3, 3)])
def spiral(view, move, params):
    """From outside to inside."""
    return params[0] * gain(view, move) + params[1]


@strategy("criss-cross", name="any-move")
def whatever(view, rng, params):
    return random_move(view, rng)


@restriction("criss-cross")
def standing(view, move, params):
    return is_vertical(move)
'''


@pytest.fixture
def ideas(tmp_path: Path) -> Path:
    path = tmp_path / "ideas.py"
    path.write_text(IDEAS)
    return path


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Write a user's file, each under a name of its own, and return its path."""

    def written(text: str, name: str = "mine.py") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return written


def fails_with(message: str, spec: Any, game: str = GAME) -> None:
    with pytest.raises(UsageError) as caught:
        find_strategy(game, spec)
    assert str(caught.value) == message


# --- Names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [one.spec for one in builtin_strategies(GAME)])
def test_every_built_in_is_found_by_its_spec(spec: str) -> None:
    found = find_strategy(GAME, spec)
    assert found.spec == spec
    assert found.named
    assert found.game == GAME
    assert found.summary.endswith(".")


def test_built_ins() -> None:
    names = [one.name for one in builtin_strategies(GAME)]
    assert {"uniform", "blunder"} <= set(names)
    assert len(set(names)) == len(names)
    assert "lonely-spaces" in {one.name for one in builtin_restrictions(GAME)}
    assert all(one.named for one in builtin_restrictions(GAME))


def test_a_strategy_is_its_own_spec() -> None:
    made = strategy(GAME)(random_choice)
    assert find_strategy(GAME, made) is made


def test_a_game_object_is_as_good_as_its_name() -> None:
    assert find_strategy(CRISS_CROSS, "uniform") is find_strategy(GAME, "uniform")  # type: ignore[arg-type]


def random_choice(view: Any, rng: Any, params: Any) -> Any:
    return random_move(view, rng)


def gain_only(view: Any, move: Any, params: Any) -> Any:
    return gain(view, move)


def test_a_strategy_of_another_game_is_refused() -> None:
    fails_with("random-choice plays chess, not criss-cross", strategy("chess")(random_choice))


@pytest.mark.parametrize("spec", [None, 3, random_choice, ["uniform"]])
def test_what_is_no_spec_is_refused(spec: Any) -> None:
    fails_with(f"{spec!r} is no strategy: give a spec such as 'greedy', or what @strategy or @heuristic returned", spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("unifrom", "criss-cross has no strategy 'unifrom'; did you mean uniform?"),
        ("nosy(uniform,0.1)", "unknown wrapper 'nosy' in 'nosy(uniform,0.1)'; did you mean noisy?"),
        (
            "restrict(uniform,never=lonely)",
            "criss-cross has no restriction 'lonely'; did you mean lonely-spaces?",
        ),
        ("uniform:run=1", "uniform has no parameter 'run'; it has none"),
    ],
)
def test_near_misses(spec: str, message: str) -> None:
    fails_with(message, spec)


def test_without_near_misses_all_names_are_listed() -> None:
    listed = ", ".join(sorted(one.name for one in builtin_strategies(GAME)))
    fails_with(f"criss-cross has no strategy 'zzz'; there are: {listed}", "zzz")


def test_an_unknown_game() -> None:
    fails_with("unknown game 'criss-cros'; did you mean criss-cross?", "uniform", game="criss-cros")


@pytest.mark.parametrize(
    "spec", ["", " ", "a b", "mine.py", "uniform)", "noisy(a,0.1", "a(b)c", "uniform,blunder", "=1"]
)
def test_what_cannot_be_read(spec: str) -> None:
    fails_with(f"cannot read the strategy {spec!r}: write NAME, NAME:parameter=value or FILE.py:NAME", spec)


# --- Parameters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", ["", ":run=2", ":far_off=0.25", ":run=0,far_off=-3", ":run=1e-05", ":far_off=3"])
def test_parameters_round_trip(parameters: str, ideas: Path) -> None:
    spec = f"{ideas}:spiral{parameters}"
    assert find_strategy(GAME, spec).spec == spec


def test_defaults_are_left_out_and_blanks_too(ideas: Path) -> None:
    assert find_strategy(GAME, f"{ideas}:spiral:run=1,far_off=2").spec == f"{ideas}:spiral:far_off=2"
    assert find_strategy(GAME, f" {ideas}:spiral:run = 2 , far_off=1.0 ").spec == f"{ideas}:spiral:run=2,far_off=1"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("run", "cannot read 'run' in '{spec}': write parameter=value"),
        ("", "cannot read '' in '{spec}': write parameter=value"),
        ("run=1,", "cannot read '' in '{spec}': write parameter=value"),
        ("run=", "spiral: parameter run='' is no number"),
        ("run=two", "spiral: parameter run='two' is no number"),
        ("rum=2", "spiral has no parameter 'rum'; did you mean run?"),
        ("x=2", "spiral has no parameter 'x'; there are: far_off, run"),
        ("run=5.5", "spiral: parameter run=5.5 does not fit: it takes a number from 0 to 5"),
        ("run=nan", "spiral: parameter run=nan does not fit: it takes a number from 0 to 5"),
        ("far_off=-inf", "spiral: parameter far_off=-inf does not fit: it takes a number from -3 to 3"),
        ("run=1,run=2", "'{spec}' sets the parameter run twice: give it one value"),
    ],
)
def test_parameters_that_do_not_fit(parameters: str, message: str, ideas: Path) -> None:
    spec = f"{ideas}:spiral:{parameters}"
    fails_with(message.replace("{spec}", spec), spec)


# --- Wrappers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        "noisy(uniform,0.1)",
        "restrict(blunder,never=lonely-spaces)",
        "rollout(uniform,20)",
        "noisy(restrict(blunder,never=lonely-spaces),0.25)",
        "restrict(noisy(blunder,0.25),never=lonely-spaces)",
        "noisy(rollout(noisy(uniform,0.5),3),1)",
        "restrict(rollout(uniform,3),never=lonely-spaces)",
        "rollout(restrict(uniform,never=lonely-spaces),3)",
    ],
)
def test_wrappers_round_trip(spec: str) -> None:
    found = find_strategy(GAME, spec)
    assert found.spec == spec
    assert found.named


def wrapped(draw: st.DrawFn) -> Strategy:
    made = find_strategy(GAME, draw(st.sampled_from([one.name for one in builtin_strategies(GAME)])))
    for _ in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["noisy", "restrict", "rollout"]))
        noise = made.rollout_noise if made.rollouts else made.noise
        if kind == "noisy" and not noise:
            made = noisy(made, draw(st.floats(0, 1)))
        elif kind == "restrict" and not made.restriction:
            made = restrict(made, never=draw(st.sampled_from(builtin_restrictions(GAME))))
        elif kind == "rollout" and not made.rollouts:
            made = rollout(made, draw(st.integers(1, 10_000)))
    return made


@settings(deadline=None)
@given(st.composite(wrapped)())
def test_a_spec_finds_the_same_player_again(made: Strategy) -> None:
    found = find_strategy(GAME, made.spec)
    assert found.spec == made.spec
    assert found.player() == made.player()


def test_wrappers_of_a_user_file_round_trip(ideas: Path) -> None:
    spec = f"noisy(rollout(restrict({ideas}:spiral:run=2,far_off=1,never={ideas}:standing),3),0.5)"
    found = find_strategy(GAME, spec)
    assert found.spec == spec
    assert found.values == (2.0, 1.0)
    assert found.restriction is not None
    assert found.restriction.spec == f"{ideas}:standing"
    assert found.named


def test_wrappers_take_their_argument_by_name() -> None:
    assert find_strategy(GAME, "noisy(uniform, rate=0.5)").spec == "noisy(uniform,0.5)"
    assert find_strategy(GAME, "rollout( uniform , n=7 )").spec == "rollout(uniform,7)"
    assert find_strategy(GAME, "restrict(uniform,lonely-spaces)").spec == "restrict(uniform,never=lonely-spaces)"
    assert find_strategy(GAME, "rollout(uniform,1e3)").spec == "rollout(uniform,1000)"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("noisy", "noisy needs a strategy to wrap: write noisy(STRATEGY,RATE)"),
        ("rollout:n=3", "rollout needs a strategy to wrap: write rollout(STRATEGY,N)"),
        ("noisy(uniform)", "cannot read 'noisy(uniform)': write noisy(STRATEGY,RATE)"),
        ("restrict(uniform)", "cannot read 'restrict(uniform)': write restrict(STRATEGY,never=NAME)"),
        ("rollout()", "cannot read 'rollout()': write rollout(STRATEGY,N)"),
        ("noisy(uniform,often)", "rate='often' is no number"),
        ("noisy(uniform,2)", "noisy(uniform): parameter rate=2.0 does not fit: it takes a number from 0 to 1"),
        ("rollout(uniform,few)", "n='few' is no number"),
        ("rollout(uniform,0)", "rollout(uniform): n=0 does not fit: it takes a whole number from 1 to 10000"),
        ("rollout(uniform,2.5)", "rollout(uniform): n=2.5 does not fit: it takes a whole number from 1 to 10000"),
        ("rollout(uniform,inf)", "rollout(uniform): n=inf does not fit: it takes a whole number from 1 to 10000"),
        (
            "restrict(uniform,never=a b)",
            "cannot read the restriction 'never=a b': write never=NAME or never=FILE.py:NAME",
        ),
        (
            "restrict(uniform,never=lonely-spaces:x=1)",
            "cannot read the restriction 'never=lonely-spaces:x=1': write never=NAME or never=FILE.py:NAME",
        ),
        ("noisy(noisy(uniform,0.1),0.2)", "noisy(uniform,0.1) is noisy already: give it one rate"),
        (
            "restrict(restrict(uniform,never=lonely-spaces),never=lonely-spaces)",
            "restrict(uniform,never=lonely-spaces) is restricted already: write one restriction that forbids both",
        ),
        (
            "rollout(noisy(rollout(uniform,2),0.5),3)",
            "noisy(rollout(uniform,2),0.5) thinks by rollouts already: they cannot be nested",
        ),
        (
            "noisy(uniform,0.1),noisy(uniform,0.2)",
            "cannot read the strategy 'uniform,0.1),noisy(uniform': write NAME, NAME:parameter=value or FILE.py:NAME",
        ),
    ],
)
def test_wrappers_that_cannot_be_read(spec: str, message: str) -> None:
    fails_with(message, spec)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("a,b", ["a", "b"]),
        ("f(a,b),c", ["f(a,b)", "c"]),
        ("f(g(a,b),c), d", ["f(g(a,b),c)", "d"]),
        ("", [""]),
        ("a,", ["a", ""]),
    ],
)
def test_split_arguments(text: str, parts: list[str]) -> None:
    assert split_arguments(text) == parts


@settings(deadline=None)
@given(st.text(alphabet="uniform(),:=.py 0123456789-nosyrlt", max_size=30))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    try:
        found = find_strategy(GAME, text)
    except UsageError as error:
        said = str(error)
    else:
        said = found.spec
        assert find_strategy(GAME, said).spec == said
    assert said
    assert "\n" not in said


# --- Users' files ----------------------------------------------------------------------------------------------------


def test_a_strategy_from_a_file(ideas: Path) -> None:
    found = find_strategy(GAME, f"{ideas}:any-move")
    assert (found.origin, found.name, found.named) == (str(ideas), "any-move", True)
    assert find_strategy(GAME, f"{ideas}:spiral").doc == "From outside to inside."


def test_a_relative_path(ideas: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ideas.parent)
    assert find_strategy(GAME, "ideas.py:spiral").spec == "ideas.py:spiral"


def test_a_restriction_from_a_file(ideas: Path) -> None:
    spec = f"restrict(uniform,never={ideas}:standing)"
    found = find_strategy(GAME, spec)
    assert found.spec == spec
    assert found.named
    assert found.player().forbidder is load_file(ideas).standing.function


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("spirall", "{file} has no strategy 'spirall'; did you mean spiral?"),
        ("standing", "{file} has no strategy 'standing'; there are: any-move, spiral"),
    ],
)
def test_near_misses_in_a_file(name: str, message: str, ideas: Path) -> None:
    fails_with(message.replace("{file}", str(ideas)), f"{ideas}:{name}")


def test_near_misses_of_restrictions_in_a_file(ideas: Path) -> None:
    spec = f"restrict(uniform,never={ideas}:standin)"
    fails_with(f"{ideas} has no restriction 'standin'; did you mean standing?", spec)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "missing.py"
    fails_with(f"there is no file {missing}", f"{missing}:spiral")
    fails_with(f"there is no file {tmp_path / 'folder.py'}", f"{tmp_path / 'folder.py'}:spiral")


def test_a_file_without_a_strategy_for_the_game(write: Any) -> None:
    path = write("from strategies import strategy\n\n@strategy('chess')\ndef mate(view, rng, params):\n    return 0\n")
    fails_with(f"{path} declares no strategy for criss-cross: put @heuristic('criss-cross') on one", f"{path}:mate")
    fails_with(
        f"{path} declares no restriction for criss-cross: put @restriction('criss-cross') on one",
        f"restrict(uniform,never={path}:x)",
    )


HEAD = "from strategies import heuristic, noisy, restriction, strategy\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def broken(:\n", ", line 2: SyntaxError: invalid syntax"),
        ("x = 1\ny = (\n", ", line 3: SyntaxError: '(' was never closed"),
        ("x = 1\n\ny = 1 / 0\n", ", line 4: ZeroDivisionError: division by zero"),
        (
            "import no_such_module_anywhere\n",
            ", line 2: ModuleNotFoundError: No module named 'no_such_module_anywhere'",
        ),
        ("raise ValueError('two\\nlines')\n", ", line 2: ValueError: two lines"),
        ("def fail():\n    raise KeyError('x')\n\nfail()\n", ", line 3: KeyError: 'x'"),
        (
            "@strategy('criss-cross')\ndef short(view, rng):\n    return 0\n",
            ": short(view, rng) has the wrong signature: it has to take (view, rng, params)",
        ),
        (
            "@heuristic('criss-cross')\ndef one(view, move, params):\n    return 0\n\n\n"
            "@heuristic('criss-cross')\ndef one(view, move, params):\n    return 1\n",
            " declares 'one' twice, in lines 3 and 8: rename one",
        ),
        (
            "@heuristic('criss-cross', name='one')\ndef two(view, move, params):\n    return 0\n\n\n"
            "@heuristic('criss-cross')\ndef one(view, move, params):\n    return 1\n",
            " declares two of the name 'one' for criss-cross: rename one",
        ),
        (
            "@strategy('criss-cross')\ndef uniform(view, rng, params):\n    return 0\n",
            ": the name 'uniform' is taken by a built-in of criss-cross: rename yours",
        ),
        (
            "@restriction('criss-cross')\ndef lonely_spaces(view, move, params):\n    return False\n",
            ": the name 'lonely-spaces' is taken by a built-in of criss-cross: rename yours",
        ),
    ],
)
def test_files_that_do_not_work(text: str, message: str, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(HEAD + text)
    fails_with(f"{path}{message}", f"{path}:one")
    # The same by a relative path.
    monkeypatch.chdir(Path(path).parent)
    fails_with(f"mine.py{message}", "mine.py:one")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "binary.py"
    path.write_bytes(b"x = 1\n\xff\xfe = 2\n")
    with pytest.raises(UsageError) as caught:
        find_strategy(GAME, f"{path}:one")
    assert str(caught.value).startswith(f"{path}")
    assert "SyntaxError" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    text = (
        "# -*- coding: latin-1 -*-\nfrom strategies import strategy\n\n"
        "@strategy('criss-cross')\ndef one(view, rng, params):\n    '''Élan.'''\n    return 0\n"
    )
    path.write_bytes(text.encode("latin-1"))
    assert find_strategy(GAME, f"{path}:one").summary == "Élan."


def test_a_syntax_error_in_an_imported_file_is_not_given_a_line_of_this_one(
    write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("\n\n\n\ndef broken(:\n", name="crosslab_test_broken_import.py")
    path = write(HEAD + "import crosslab_test_broken_import\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError) as caught:
        find_strategy(GAME, f"{path}:one")
    assert str(caught.value).startswith(f"{path}, line 2: SyntaxError: invalid syntax (crosslab_test_broken_import.py")


def test_a_file_that_failed_can_be_repaired(write: Any) -> None:
    path = write("x = 1 / 0\n")
    modules = set(sys.modules)
    fails_with(f"{path}, line 1: ZeroDivisionError: division by zero", f"{path}:spiral")
    assert set(sys.modules) == modules
    write(IDEAS)
    assert find_strategy(GAME, f"{path}:spiral").name == "spiral"


def test_a_file_may_import_built_ins_and_wrap_them(write: Any) -> None:
    path = write(
        HEAD + "from strategies.criss_cross import uniform, lonely_spaces\n"
        "mine = noisy(uniform, 0.5)\n\n\n"
        "@heuristic('criss-cross')\ndef one(view, move, params):\n    return 0\n\n\nalias = one\n"
    )
    assert find_strategy(GAME, f"{path}:one").spec == f"{path}:one"
    fails_with(f"{path} has no strategy 'uniform'; there are: one", f"{path}:uniform")


def test_a_file_is_imported_once(write: Any) -> None:
    path = write(HEAD + "import sys\nsys.crosslab_count = getattr(sys, 'crosslab_count', 0) + 1\n" + IDEAS)
    try:
        for name in ("spiral", "any-move", "spiral"):
            find_strategy(GAME, f"{path}:{name}")
        assert load_file(Path(path)) is load_file(Path(path))
        assert sys.crosslab_count == 1  # type: ignore[attr-defined]
    finally:
        del sys.crosslab_count  # type: ignore[attr-defined]


def test_an_edited_file_is_imported_again(write: Any) -> None:
    path = write(IDEAS)
    before = find_strategy(GAME, f"{path}:spiral")
    write(IDEAS.replace("gain(view, move) + params[1]", "gain(view, move) - params[1]"))
    after = find_strategy(GAME, f"{path}:spiral")
    assert after.function is not before.function
    assert after.digest != before.digest
    write(IDEAS)
    assert find_strategy(GAME, f"{path}:spiral").function is before.function


def test_a_relative_path_is_read_where_the_process_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, name in [("one", "first"), ("two", "second")]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ideas.py").write_text(IDEAS.replace("any-move", name))
        monkeypatch.chdir(tmp_path / folder)
        assert find_strategy(GAME, f"ideas.py:{name}").name == name


# --- Entry points ----------------------------------------------------------------------------------------------------


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Pretend that packages with entry points are installed: `install(name=module or item)`."""
    real = importlib.metadata.entry_points

    def installed(**targets: Any) -> None:
        points = []
        for name, target in targets.items():
            module = ModuleType(f"crosslab_test_{name}")
            module.target = target  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, module.__name__, module)
            points.append(importlib.metadata.EntryPoint(name, f"{module.__name__}:target", ENTRY_POINTS))
        found = importlib.metadata.EntryPoints(points)
        monkeypatch.setattr(
            importlib.metadata,
            "entry_points",
            lambda **chosen: found.select(**chosen) if chosen.get("group") == ENTRY_POINTS else real(**chosen),
        )
        specs._named.cache_clear()

    specs._named.cache_clear()
    yield installed
    specs._named.cache_clear()


def plugin(**items: Any) -> ModuleType:
    module = ModuleType("plugin")
    vars(module).update(items)
    return module


def test_entry_points_of_modules(install: Any) -> None:
    made = heuristic(GAME, name="plugged", parameters=[Parameter("run", 1, 0, 5)])(gain_only)
    never = restriction(GAME, name="plugged-never")(gain_only)
    install(mine=plugin(made=made, never=never, other=strategy("chess")(random_choice)))
    assert find_strategy(GAME, "plugged:run=2").spec == "plugged:run=2"
    found = find_strategy(GAME, "restrict(plugged,never=plugged-never)")
    assert found.named
    assert [one.name for one in builtin_strategies(GAME)][-1] == "plugged"
    assert "random-choice" not in [one.name for one in builtin_strategies(GAME)]


def test_entry_points_of_single_strategies(install: Any) -> None:
    install(mine=heuristic(GAME, name="plugged")(gain_only))
    assert find_strategy(GAME, "plugged").named


def test_an_entry_point_may_import_built_ins(install: Any) -> None:
    from strategies.criss_cross import uniform

    install(mine=plugin(uniform=uniform))
    assert find_strategy(GAME, "uniform").function is uniform.function


def test_an_entry_point_with_a_name_that_is_taken(install: Any) -> None:
    install(mine=plugin(made=strategy(GAME, name="uniform")(random_choice)))
    fails_with(
        "entry point mine declares 'uniform' for criss-cross, a name that is taken: it needs another name", "blunder"
    )


def test_two_entry_points_of_one_name(install: Any) -> None:
    install(
        first=plugin(made=strategy(GAME, name="plugged")(random_choice)),
        second=plugin(made=heuristic(GAME, name="plugged")(gain_only)),
    )
    fails_with(
        "entry point second declares 'plugged' for criss-cross, a name that is taken: it needs another name",
        "uniform",
    )


def test_an_entry_point_that_cannot_be_loaded(install: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    broken = importlib.metadata.EntryPoint("mine", "crosslab_no_such_module:target", ENTRY_POINTS)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", functools.partial(lambda group: [broken] if group == ENTRY_POINTS else [])
    )
    specs._named.cache_clear()
    fails_with(
        "entry point mine (crosslab_no_such_module:target) cannot be loaded: "
        "ModuleNotFoundError: No module named 'crosslab_no_such_module'",
        "uniform",
    )


# --- Line-ups --------------------------------------------------------------------------------------------------------


def test_find_players() -> None:
    made = strategy(GAME)(random_choice)
    players = find_players(GAME, ["uniform", made, "noisy(uniform,0.5)"])
    assert all(isinstance(player, Player) for player in players)
    assert [player.spec for player in players] == ["uniform", "random-choice", "noisy(uniform,0.5)"]
