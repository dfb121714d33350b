import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import types

from sims import chance, jit
from sims.criss_cross import CHOOSE, ILLEGAL
from sims.errors import UsageError
from sims.game import find_game, game_names
from sims.jit import COMPILED, caller, has_feature, pointer
from sims.table import PROBE, SEAT

ROOT = Path(__file__).resolve().parents[2]
compiled_only = pytest.mark.skipif(not COMPILED, reason="nothing is compiled and nothing is cached")

# --- The cache, seen from other processes ----------------------------------------------------------------------------

BEFORE = """
import json
from sims import jit
compiled = []
jit.on_compile(compiled.append)
"""
AFTER = """
print(json.dumps({"compiled": compiled, "result": result}))
"""

SMALL = f"""{BEFORE}
from sims import chance
from sims.bits import Word
result = int(chance.deal_key(Word(7), Word(8)))
{AFTER}"""

TWO_FILES = f"""{BEFORE}
from sims import criss_cross
from sims.bits import Word
result = int(criss_cross.horizontal_pairs(Word(0b111)))
{AFTER}"""

WHOLE = f"""{BEFORE}
from sims.game import find_game
from sims.table import Table
from strategies import find_strategy
game = find_game("criss-cross")
specs = ["uniform", "restrict(blunder,never=lonely-spaces)", "rollout(noisy(blunder,0.1),2)"]
table = Table(game, game.variant(), [find_strategy(game.name, spec).player() for spec in specs])
outcomes = table.new_outcomes(20)
table.play(1, 0, outcomes)
result = outcomes.tolist()
{AFTER}"""


class Ran(NamedTuple):
    compiled: list[str]
    result: Any
    stderr: str


def run(script: str, cache: Path, root: Path) -> Ran:
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=root,
        env={**os.environ, "CROSSLAB_CACHE_DIR": str(cache), "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Ran(**json.loads(ran.stdout), stderr=ran.stderr)


def entries(cache: Path, name: str) -> list[Path]:
    return sorted(cache.glob(f"*/{name}.*.bin"))


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the packages whose sources the digest reads: an edit of ours during the tests changes nothing here."""
    root = tmp_path_factory.mktemp("sources")
    for package in jit.CACHED_PACKAGES:
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture(scope="module")
def small(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    cache = tmp_path_factory.mktemp("cache")
    return cache, run(SMALL, cache, sources)


@compiled_only
def test_a_second_process_compiles_nothing(small: tuple[Path, Ran], sources: Path) -> None:
    cache, first = small
    assert "sims.chance.deal_key" in first.compiled
    second = run(SMALL, cache, sources)
    assert second.compiled == []
    assert second.result == first.result
    assert first.stderr == second.stderr == ""


@compiled_only
def test_a_second_process_that_plays_compiles_nothing(tmp_path: Path) -> None:
    folder = jit.cache_folder()
    cache = folder.parent if folder else tmp_path  # the kernel takes ten seconds to compile, so all tests share it
    first, second = run(WHOLE, cache, ROOT), run(WHOLE, cache, ROOT)
    assert second.compiled == []
    assert second.result == first.result
    assert entries(cache, "sims.criss_cross.play")
    assert entries(cache, "strategies.criss_cross.uniform.pointer")


@compiled_only
def test_entries_are_whole_files_of_one_folder(small: tuple[Path, Ran]) -> None:
    cache, _ = small
    (folder,) = cache.iterdir()
    assert entries(cache, "sims.chance.deal_key")
    assert {path.suffix for path in folder.iterdir()} == {".bin"}  # no temporary file is left


@compiled_only
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: content[:3],
        lambda content: b"",
        lambda content: content[:-100] + bytes([content[-100] ^ 1]) + content[-99:],
        lambda content: bytes([content[0] ^ 128]) + content[1:],
    ],
    ids=["half", "less than a checksum", "empty", "flipped byte", "flipped byte of the checksum"],
)
def test_a_damaged_entry_is_compiled_anew(
    damage: Callable[[bytes], bytes], small: tuple[Path, Ran], sources: Path, tmp_path: Path
) -> None:
    cache, first = small
    copy = tmp_path / "cache"
    shutil.copytree(cache, copy)
    for path in entries(copy, "sims.chance.deal_key"):
        path.write_bytes(damage(path.read_bytes()))
    ran = run(SMALL, copy, sources)
    assert ran.compiled == ["sims.chance.deal_key"]
    assert ran.result == first.result
    assert ran.stderr == ""
    assert run(SMALL, copy, sources).compiled == []  # the entry has been written again


@compiled_only
@pytest.mark.parametrize("below", [".", "deep/er"])
def test_a_folder_that_cannot_be_made_costs_the_cache_and_nothing_else(
    below: str, small: tuple[Path, Ran], sources: Path, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    ran = run(SMALL, file / below, sources)
    assert ran.result == small[1].result
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"crosslab: no compiled code is kept, {file / below} cannot be written to (")
    assert line.endswith("set CROSSLAB_CACHE_DIR to a folder that can")
    assert file.read_text() == "not a folder"


@compiled_only
def test_an_edit_in_a_source_makes_a_folder_of_its_own(sources: Path, tmp_path: Path) -> None:
    cache, copy = tmp_path / "cache", tmp_path / "sources"
    shutil.copytree(sources, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert run(TWO_FILES, cache, copy).result == 0b011
    # The function stands in another file than the constant: Numba's own cache would not notice the edit.
    source = copy / "sims" / "bits.py"
    text = source.read_text(encoding="utf-8")
    assert text.count("ONE = Word(1)\n") == 1
    source.write_text(text.replace("ONE = Word(1)\n", "ONE = Word(2)\n"), encoding="utf-8")
    edited = run(TWO_FILES, cache, copy)
    assert "sims.criss_cross.horizontal_pairs" in edited.compiled
    assert edited.result == 0b001
    assert len(list(cache.iterdir())) == 2


@compiled_only
def test_only_our_own_folders_are_forgotten(sources: Path, tmp_path: Path) -> None:
    old = time.time() - (jit.KEEP_DAYS + 1) * 86_400
    ours, theirs, mixed, recent = (tmp_path / name for name in ("0" * 20, "documents", "1" * 20, "2" * 20))
    for folder in (ours, theirs, mixed, recent):
        folder.mkdir()
        (folder / "sims.chance.below.0123456789abcdef.bin").write_bytes(b"x")
    (mixed / "letter.txt").write_text("keep me")
    file = tmp_path / ("3" * 20)
    file.write_text("a file")
    for path in (ours, theirs, mixed, file):
        os.utime(path, (old, old))
    run(SMALL, tmp_path, sources)
    assert not ours.exists()
    assert (mixed / "letter.txt").exists()
    assert file.exists()
    assert list(theirs.iterdir())
    assert list(recent.iterdir())


# --- Pointers --------------------------------------------------------------------------------------------------------

THREE = types.int64(types.int64, types.int64, types.int64)
call_three = caller(THREE)


@jit.jit
def call_each(addresses: Any, results: Any, first: Any, second: Any, third: Any) -> None:
    for index in range(len(addresses)):
        results[index] = call_three(addresses[index], first, second, third)


def call(functions: list[Callable[..., Any]], *arguments: int, on_error: float = -7) -> list[int]:
    addresses = np.array([pointer(function, THREE, on_error) for function in functions], np.uint64)
    results = np.zeros(len(functions), np.int64)
    call_each(addresses, results, *arguments)
    return [int(result) for result in results]


def added(first: int, second: int, third: int) -> int:
    return first + second + third


def positive(first: int, second: int, third: int) -> int:
    if first < 0:
        raise ValueError("negative")
    return first + second * third


def is_first(first: int, second: int, third: int) -> bool:
    return first > second


def halved(first: int, second: int, third: int) -> float:
    return first / 2


def test_pointer_calls_the_function_that_stands_at_the_address() -> None:
    assert call([added, positive, is_first, halved, added], 5, 2, 3) == [10, 11, 1, 2, 10]


def test_pointer_returns_on_error_for_a_raising_function() -> None:
    assert call([positive, added], -1, 2, 3) == [-7, 4]
    assert call([positive], -1, 2, 3, on_error=-9) == [-9]
    assert call([positive], 1, 2, 3) == [7]


def test_pointer_compiles_once() -> None:
    assert pointer(added, THREE, -7) == pointer(added, THREE, -7)
    assert pointer(added, THREE, -7) != pointer(positive, THREE, -7)


def misspelt(view: Any, rng: Any, params: Any) -> Any:
    return view.emptyy


def unknown_name(view: Any, rng: Any, params: Any) -> Any:
    return no_such_function(view)  # type: ignore[name-defined]  # noqa: F821 - that is what is tested


def sometimes_nothing(view: Any, rng: Any, params: Any) -> Any:
    if view.first > 2:
        return 1
    return None


def always_nothing(view: Any, rng: Any, params: Any) -> Any:
    pass


def text(view: Any, rng: Any, params: Any) -> Any:
    return "a"


def two_types(view: Any, rng: Any, params: Any) -> Any:
    return 1 if view.first > 2 else "b"


def makes_a_class(view: Any, rng: Any, params: Any) -> Any:
    class Local:
        pass

    return 1


def formats(view: Any, rng: Any, params: Any) -> Any:
    return len(f"{params[0]:>10}")


@compiled_only
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (misspelt, "'emptyy'"),
        (unknown_name, "name 'no_such_function' is not defined"),
        (sometimes_nothing, "there is a way through it that returns nothing"),
        (always_nothing, "there is a way through it that returns nothing"),
        (text, "it has to return a number, not Literal[str](a)"),
        (two_types, "unify"),
        (makes_a_class, "LOAD_BUILD_CLASS"),
        (formats, "format"),
    ],
)
def test_a_function_that_does_not_compile_is_named_in_one_line(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        pointer(function, CHOOSE, int(ILLEGAL))
    message = str(caught.value)
    assert message.startswith(f"{function.__name__} does not compile: ")
    assert reason in message
    assert "\n" not in message
    assert len(message) < 400


@compiled_only
def test_on_compile_hears_of_a_user_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fresh(first: int, second: int, third: int) -> int:
        return first

    heard: list[str] = []
    monkeypatch.setattr(jit, "_listeners", [heard.append])
    pointer(fresh, THREE, 0)
    pointer(fresh, THREE, 0)
    assert heard == ["fresh"]


# --- Options and records ---------------------------------------------------------------------------------------------


@compiled_only
def test_our_functions_are_cached_and_a_user_function_is_not() -> None:
    def fresh(value: int) -> int:
        return value

    ours: Any = chance.below
    theirs: Any = jit.jit(fresh)
    assert isinstance(ours._cache, jit.SourceCache)
    assert not isinstance(theirs._cache, jit.SourceCache)


@compiled_only
def test_jit_options() -> None:
    dispatcher: Any = chance.below
    options = dispatcher.targetoptions
    assert options["nogil"]
    assert options["error_model"] == "numpy"
    assert not options.get("fastmath")


@pytest.mark.skipif(COMPILED, reason="compiled code wraps around without a warning")
def test_wrapping_silences_only_what_is_under_it() -> None:
    def doubled(word: Any) -> Any:
        return word + word

    assert jit.wrapping(doubled)(np.uint64(2**63 + 1)) == 2
    with pytest.warns(RuntimeWarning, match="overflow"):
        doubled(np.uint64(2**63 + 1))


def test_has_feature_follows_what_numba_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.CPU_FEATURES", "+sse2,-bmi2,+avx")
    assert has_feature("avx")
    assert not has_feature("bmi2")
    monkeypatch.setattr("numba.config.CPU_FEATURES", "")
    assert not has_feature("avx")


def test_has_feature_is_false_for_an_unknown_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> dict[str, bool]:
        raise RuntimeError("unknown processor")

    monkeypatch.setattr("numba.config.CPU_FEATURES", None)
    monkeypatch.setattr("sims.jit.binding.get_host_cpu_features", fail)
    assert not has_feature("bmi2")


RECORDS = {"SEAT": SEAT, "PROBE": PROBE, "STREAM": chance.STREAM} | {
    f"{name} {what}": dtype
    for name in game_names()
    for what, dtype in {
        "view": find_game(name).new_views(find_game(name).variant(), 1).dtype,
        "log": find_game(name).log,
    }.items()
}


@pytest.mark.parametrize("record", RECORDS)
def test_field_names_are_no_attributes_of_numpy_records(record: str) -> None:
    # With the JIT off a field named `size` would be NumPy's own attribute, silently.
    names = set(RECORDS[record].names or ())
    assert names
    assert not names & set(dir(np.record))
    assert not names & set(dir(np.recarray))


def closing_over(held: Any) -> Any:
    def function(x: Any) -> Any:
        return held, x

    return function


def test_what_a_closure_holds_is_part_of_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def five(x: Any) -> Any:
        return 5

    def other(x: Any) -> Any:
        return 5

    monkeypatch.setattr(jit, "_is_ours", lambda function: True)
    held = [5, 6, five, other, jit.jit(five), closing_over(5), closing_over(6)]
    names = [jit._captured(closing_over(one)) for one in held]
    assert len(set(names)) == 6  # the compiled form of a function goes by the function's name
    assert names[2] == names[4]
    assert jit._captured(five) == ""


def test_nothing_is_kept_that_closes_over_code_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def ours(x: Any) -> Any:
        return x

    def theirs(x: Any) -> Any:
        return x

    monkeypatch.setattr(jit, "_is_ours", lambda function: function.__name__ != "theirs")
    assert jit._captured(theirs) is None
    assert jit._captured(closing_over(theirs)) is None
    assert jit._captured(closing_over(closing_over(theirs))) is None
    assert jit._captured(closing_over(ours)) is not None
