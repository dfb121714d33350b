"""Spec strings: how a strategy is named on the command line, in results and in stores.

greedy                          a name
potential:run=1.5,isolation=-3  with parameters
my_ideas.py:spiral              from a user's file
noisy(greedy,0.1)               wrapped: also restrict(…,never=NAME) and rollout(…,N), one in another
"""

import ast
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from sims.errors import CrosslabError, UsageError
from sims.game import GAME_MODULES, find_game, near_misses
from strategies.api import Restriction, Strategy, noisy, restrict, rollout

ENTRY_POINTS = "crosslab.strategies"
PLAIN = re.compile(r"(?:(?P<file>.+\.py):)?(?P<name>[\w-]+)(?::(?P<parameters>.*))?", re.DOTALL)
WRAPPED = re.compile(r"(?P<wrapper>[\w-]+)\((?P<inside>.*)\)", re.DOTALL)

Kind = TypeVar("Kind", Strategy, Restriction)

# --- Where strategies are found --------------------------------------------------------------------------------------


def _declared(module: ModuleType, kind: type[Kind], game: str) -> list[Kind]:
    return [item for item in vars(module).values() if isinstance(item, kind) and item.game == game]


@functools.cache
def _named(game: str, kind: type[Kind]) -> dict[str, Kind]:
    """Return what a name alone finds: our own, then those of installed packages (entry points)."""
    find_game(game)
    found: dict[str, Kind] = {}
    places = []
    if game in GAME_MODULES:
        stem = GAME_MODULES[game].rpartition(".")[2]
        places.append((f"strategies.{stem}", lambda: importlib.import_module(f"strategies.{stem}")))
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        places.append((f"entry point {entry.name}", entry.load))
    for place, load in places:
        for item in _declared(load(), kind, game):
            if item.name in found:
                raise UsageError(
                    f"{place} declares {item.name!r} for {game}, a name that is taken: it needs another name"
                )
            found[item.name] = replace(item, named=True) if isinstance(item, Strategy) else item
    return found


def builtin_strategies(game: str) -> list[Strategy]:
    """Return the strategies of a game that a name alone finds, in the order of their declaration."""
    return list(_named(game, Strategy).values())


def builtin_restrictions(game: str) -> list[Restriction]:
    """Return the restrictions of a game that a name alone finds."""
    return list(_named(game, Restriction).values())


def _declared_twice(path: Path) -> str:
    """Return the first function name that a file defines twice with a decorator: the second would hide the first."""
    seen: dict[str, int] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            if node.name in seen:
                return f"{path} declares {node.name!r} twice, in lines {seen[node.name]} and {node.lineno}"
            seen[node.name] = node.lineno
    return ""


@functools.cache
def load_file(path: Path) -> ModuleType:
    """Import a user's file.

    Raises
    ------
    UsageError
        In one line, when there is no such file, or when it cannot be imported (with the line that failed).
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    name = "crosslab_file_" + hashlib.blake2b(str(path.resolve()).encode(), digest_size=6).hexdigest()
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        clash = _declared_twice(path)
        if clash:
            raise UsageError(f"{clash}: rename one")
        spec.loader.exec_module(module)
    except CrosslabError as error:
        raise UsageError(f"{path}: {error}" if str(path) not in str(error) else str(error)) from error
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = error.lineno if isinstance(error, SyntaxError) else (lines[-1] if lines else None)
        where = f", line {line}" if line else ""
        raise UsageError(f"{path}{where}: {type(error).__name__}: {' '.join(str(error).split())}") from error
    return module


def _in_file(path: str, game: str, kind: type[Kind]) -> dict[str, Kind]:
    module = load_file(Path(path))
    found: dict[str, Kind] = {}
    for item in _declared(module, kind, game):
        if item.name in found:
            raise UsageError(f"{path} declares two of the name {item.name!r} for {game}: rename one")
        if item.name in _named(game, kind):
            raise UsageError(f"{path}: the name {item.name!r} is taken by a built-in of {game}: rename yours")
        more = {"named": True} if isinstance(item, Strategy) else {}
        found[item.name] = replace(item, origin=path, **more)
    return found


def _find(game: str, kind: type[Kind], file: str | None, name: str) -> Kind:
    what = "strategy" if kind is Strategy else "restriction"
    if file is None:
        known = _named(game, kind)
        if name not in known:
            raise UsageError(f"{game} has no {what} {name!r}{near_misses(name, known)}")
    else:
        known = _in_file(file, game, kind)
        if not known:
            raise UsageError(
                f"{file} declares no {what} for {game}: put @{'heuristic' if what == 'strategy' else what}({game!r}) on one"
            )
        if name not in known:
            raise UsageError(f"{file} has no {what} {name!r}{near_misses(name, known)}")
    return known[name]


# --- Reading a spec --------------------------------------------------------------------------------------------------


def split_arguments(text: str) -> list[str]:
    """Split at the commas that stand outside of all brackets."""
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [part.strip() for part in [*parts, text[start:]]]


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{what}={text!r} is no number") from None


def _wrap_noisy(game: str, base: Strategy, text: str) -> Strategy:
    return noisy(base, _number(text.removeprefix("rate="), "rate"))


def _wrap_restrict(game: str, base: Strategy, text: str) -> Strategy:
    match = PLAIN.fullmatch(text.removeprefix("never="))
    if not match or match["parameters"] is not None:
        raise UsageError(f"cannot read the restriction {text!r}: write never=NAME or never=FILE.py:NAME")
    return restrict(base, _find(game, Restriction, match["file"], match["name"]))


def _wrap_rollout(game: str, base: Strategy, text: str) -> Strategy:
    value = _number(text.removeprefix("n="), "n")
    return rollout(base, int(value) if value.is_integer() else value)  # type: ignore[arg-type]  # refused by name


WRAPPERS: dict[str, tuple[Callable[[str, Strategy, str], Strategy], str]] = {
    "noisy": (_wrap_noisy, "noisy(STRATEGY,RATE)"),
    "restrict": (_wrap_restrict, "restrict(STRATEGY,never=NAME)"),
    "rollout": (_wrap_rollout, "rollout(STRATEGY,N)"),
}


def find_strategy(game: str, spec: "str | Strategy") -> Strategy:
    """Return the strategy that a spec names.

    Parameters
    ----------
    game
        Name of the game that it has to play.
    spec
        A spec string, or a `Strategy`, which is returned after a check of its game.

    Raises
    ------
    UsageError
        In one line that names what is unknown or cannot be read, with near misses.
    """
    game = find_game(game).name
    if isinstance(spec, Strategy):
        if spec.game != game:
            raise UsageError(f"{spec.spec} plays {spec.game}, not {game}")
        return spec
    if not isinstance(spec, str):
        raise UsageError(
            f"{spec!r} is no strategy: give a spec such as 'greedy', or what @strategy or @heuristic returned"
        )
    text = spec.strip()
    wrapped = WRAPPED.fullmatch(text)
    if wrapped:
        wrapper = wrapped["wrapper"]
        if wrapper not in WRAPPERS:
            raise UsageError(f"unknown wrapper {wrapper!r} in {spec!r}{near_misses(wrapper, WRAPPERS)}")
        wrap, form = WRAPPERS[wrapper]
        arguments = split_arguments(wrapped["inside"])
        # A comma may also part the parameters of the wrapped strategy, so the wrapper's own argument is the last.
        if len(arguments) < 2:
            raise UsageError(f"cannot read {spec!r}: write {form}")
        return wrap(game, find_strategy(game, ",".join(arguments[:-1])), arguments[-1])
    plain = PLAIN.fullmatch(text)
    if not plain:
        raise UsageError(f"cannot read the strategy {spec!r}: write NAME, NAME:parameter=value or FILE.py:NAME")
    if plain["name"] in WRAPPERS and plain["file"] is None:
        raise UsageError(f"{plain['name']} needs a strategy to wrap: write {WRAPPERS[plain['name']][1]}")
    found = _find(game, Strategy, plain["file"], plain["name"])
    if plain["parameters"] is None:
        return found
    values = {}
    for assignment in plain["parameters"].split(","):
        name, equals, value = assignment.partition("=")
        if not equals:
            raise UsageError(f"cannot read {assignment!r} in {spec!r}: write parameter=value")
        values[name.strip()] = _number(value.strip(), f"{found.name}: parameter {name.strip()}")
    return found.with_values(**values)


def find_players(game: str, lineup: Sequence["str | Strategy"]) -> list[Any]:
    """Return the players of a line-up, one a seat."""
    return [find_strategy(game, spec).player() for spec in lineup]
