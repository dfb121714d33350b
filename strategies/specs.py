"""Spec strings: how a strategy is named on the command line, in results and in stores.

::

    greedy                          a name
    potential:one=1.5,isolation=-3  with parameters
    my_ideas.py:spiral              from a user's file
    noisy(greedy,0.1)               wrapped: also restrict(…,never=NAME) and rollout(…,N), one in another
"""

import ast
import functools
import hashlib
import importlib
import importlib.metadata
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from sims.errors import CrosslabError, UsageError
from sims.game import GAME_MODULES, find_game, near_misses
from sims.table import Player
from strategies.api import LOADED_SOURCE, Restriction, Strategy, noisy, restrict, rollout

ENTRY_POINTS = "crosslab.strategies"
PANEL_SIZE = 5
WEAK = "weak"  # the tag of players that lose on purpose
PLAIN = re.compile(r"(?:(?P<file>.+\.py):)?(?P<name>[\w-]+)(?::(?P<parameters>.*))?", re.DOTALL)
WRAPPED = re.compile(r"(?P<wrapper>[\w-]+)\((?P<inside>.*)\)", re.DOTALL)

Kind = TypeVar("Kind", Strategy, Restriction)

# --- Where strategies are found --------------------------------------------------------------------------------------


class Names(NamedTuple):
    """Strategies and restrictions by name."""

    strategies: dict[str, Strategy]
    restrictions: dict[str, Restriction]
    panel: tuple[str, ...] = ()

    def of_same_name(self, item: Strategy | Restriction) -> Strategy | Restriction | None:
        """Return what has an item's name already, None when nothing has."""
        return self.strategies.get(item.name) if isinstance(item, Strategy) else self.restrictions.get(item.name)

    def add(self, item: Strategy | Restriction, origin: str = "") -> None:
        """Add an item, which its spec can find from now on."""
        if isinstance(item, Strategy):
            self.strategies[item.name] = replace(item, origin=origin, finder=find_player)
        else:
            self.restrictions[item.name] = replace(item, origin=origin, named=True)


def _declared(module: Any, game: str) -> list[Strategy | Restriction]:
    """Return what a module (or a single item) declares for a game; a wrapped strategy is no declaration of its own."""
    items = [module] if isinstance(module, Strategy | Restriction) else vars(module).values()
    return [
        item
        for item in items
        if isinstance(item, Strategy | Restriction)
        and item.game == game
        and not (isinstance(item, Strategy) and item.wrapping != "{}")
    ]


def _load_entry(entry: importlib.metadata.EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise UsageError(
            f"entry point {entry.name} ({entry.value}) cannot be loaded: "
            f"{type(error).__name__}: {' '.join(str(error).split())}"
        ) from error


@functools.cache
def _named(game: str) -> Names:
    """Return what a name alone finds: our own, then those of installed packages (entry points)."""
    find_game(game)
    places: list[tuple[str, Any]] = []
    if game in GAME_MODULES:
        module = "strategies." + GAME_MODULES[game].rpartition(".")[2]
        places.append((module, importlib.import_module(module)))
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        places.append((f"entry point {entry.name}", _load_entry(entry)))
    names = Names({}, {}, getattr(places[0][1], "PANEL", ()) if places else ())
    for place, loaded in places:
        for item in _declared(loaded, game):
            taken = names.of_same_name(item)
            if taken is None:
                names.add(item)
            elif taken.function is not item.function:
                raise UsageError(
                    f"{place} declares {item.name!r} for {game}, a name that is taken: it needs another name"
                )
    return names


def builtin_strategies(game: str) -> list[Strategy]:
    """Return the strategies of a game that a name alone finds, in the order of their declaration."""
    return list(_named(game).strategies.values())


def quick_strategies(game: str) -> list[Strategy]:
    """Return the strategies that stand for all where many games are played: those that are not tagged `slow`."""
    return [strategy for strategy in builtin_strategies(game) if "slow" not in strategy.tags]


def panel(game: str) -> list[Strategy]:
    """Return a handful of players that stand for a game, the strongest first: those that its file names as `PANEL`.

    For a game without such a list they are the first few that are not slow, without those that lose on purpose.
    """
    names = _named(game)
    if names.panel:
        return [names.strategies[name] for name in names.panel]
    return [item for item in quick_strategies(game) if WEAK not in item.tags][:PANEL_SIZE]


def builtin_restrictions(game: str) -> list[Restriction]:
    """Return the restrictions of a game that a name alone finds."""
    return list(_named(game).restrictions.values())


def _declared_twice(tree: ast.Module) -> str:
    """Return what a file defines twice with a decorator, with the lines: the second would hide the first."""
    seen: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            if node.name in seen:
                return f"{node.name!r} twice, in lines {seen[node.name]} and {node.lineno}"
            seen[node.name] = node.lineno
    return ""


def load_file(path: Path) -> ModuleType:
    """Import a user's file, once for every content that it has: after an edit it is another module.

    Raises
    ------
    UsageError
        In one line, when there is no such file, or when it cannot be imported (with the line that failed).
    """
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    origin, content = os.path.abspath(path), path.read_bytes()
    name = "crosslab_file_" + hashlib.blake2b(origin.encode() + b"\0" + content, digest_size=10).hexdigest()
    if name in sys.modules:
        return sys.modules[name]
    module = ModuleType(name)
    module.__file__ = origin
    setattr(module, LOADED_SOURCE, content)
    sys.modules[name] = module
    try:
        clash = _declared_twice(ast.parse(content, origin))
        if clash:
            raise UsageError(f"{path} declares {clash}: rename one")
        exec(compile(content, origin, "exec"), vars(module))
    except CrosslabError as error:
        del sys.modules[name]
        raise UsageError(f"{path}: {error}" if str(path) not in str(error) else str(error)) from error
    except Exception as error:
        del sys.modules[name]
        said: object = error
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == origin]
        if isinstance(error, SyntaxError) and error.filename == origin:
            said, lines = error.msg, [error.lineno]
        where = f", line {lines[-1]}" if lines else ""
        raise UsageError(f"{path}{where}: {type(error).__name__}: {' '.join(str(said).split())}") from error
    return module


def _in_file(path: str, game: str) -> Names:
    """Return what a user's file declares; what it has imported from elsewhere keeps its name there."""
    names = Names({}, {})
    for item in _declared(load_file(Path(path)), game):
        taken = names.of_same_name(item)
        built_in = _named(game).of_same_name(item)
        if any(other and other.function is item.function for other in (taken, built_in)):
            continue
        if taken:
            raise UsageError(f"{path} declares two of the name {item.name!r} for {game}: rename one")
        if built_in:
            raise UsageError(f"{path}: the name {item.name!r} is taken by a built-in of {game}: rename yours")
        names.add(item, path)
    return names


def strategies_of_file(game: str, path: str) -> list[Strategy]:
    """Return the strategies that a user's file declares for a game.

    Raises
    ------
    UsageError
        When the file cannot be imported, or a name is taken.
    """
    return list(_in_file(path, find_game(game).name).strategies.values())


def _pick(known: dict[str, Kind], game: str, what: str, file: str | None, name: str) -> Kind:
    if name in known:
        return known[name]
    if file and not known:
        decorator = "heuristic" if what == "strategy" else what
        raise UsageError(f"{file} declares no {what} for {game}: put @{decorator}({game!r}) on one")
    raise UsageError(f"{file or game} has no {what} {name!r}{near_misses(name, known)}")


def _names(game: str, file: str | None) -> Names:
    return _named(game) if file is None else _in_file(file, game)


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
    known = _names(game, match["file"]).restrictions
    return restrict(base, _pick(known, game, "restriction", match["file"], match["name"]))


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
    known = _names(game, plain["file"]).strategies
    found = _pick(known, game, "strategy", plain["file"], plain["name"])
    if plain["parameters"] is None:
        return found
    values: dict[str, float] = {}
    for assignment in plain["parameters"].split(","):
        name, equals, value = assignment.partition("=")
        name = name.strip()
        if not equals:
            raise UsageError(f"cannot read {assignment!r} in {spec!r}: write parameter=value")
        if name in values:
            raise UsageError(f"{spec!r} sets the parameter {name} twice: give it one value")
        values[name] = _number(value.strip(), f"{found.name}: parameter {name}")
    return found.with_values(**values)


def find_player(game: str, spec: str) -> Player:
    """Return the player that a spec names."""
    return find_strategy(game, spec).player()


def find_players(game: str, lineup: "str | Strategy | Sequence[str | Strategy]") -> list[Player]:
    """Return the players of a line-up, one a seat; one strategy alone is a line-up of one."""
    if isinstance(lineup, str | Strategy):
        lineup = [lineup]
    if not isinstance(lineup, Sequence):
        raise UsageError(f"{lineup!r} is no line-up: give a strategy, or a list with one for each seat")
    return [find_strategy(game, spec).player() for spec in lineup]
