"""Designs as files: what a report plays, as JSON, so that a report can be made again and two can be set side by side.

The `manifest.json` of a report holds one under "design". One written by hand needs the game alone:

    {"game": "criss-cross", "variant": "advanced", "settings": {"diagonal_weight": 1}}

`settings` are options of the rules that are not as in the variant ("basic" when none is named). `strategies`, `seats`,
`seed`, and `deals` or `effort`, are as for `balance_report`, and may be left out.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.figures import printable
from sims.errors import CrosslabError, UsageError
from sims.game import Game, find_game, near_misses

KEYS = ("game", "variant", "settings", "strategies", "seats", "seed", "deals", "effort")


@dataclass(frozen=True)
class RuleDesign:
    """One of two designs that are compared.

    Attributes
    ----------
    label
        How it is called: the name of its file, or of the file's folder for a manifest.
    game, rules
        What is played.
    strategies, seats, seed, deals, effort
        As the file says; None for what it leaves open.
    """

    label: str
    game: Game
    rules: Any
    strategies: tuple[str, ...] | None
    seats: int | None
    seed: int | None
    deals: int | None
    effort: str | None


def load_design(path: Path | str) -> RuleDesign:
    """Read a design.

    Raises
    ------
    UsageError
        In one line that names the file: when it cannot be read, is no JSON or no design, or asks for what there is not.
    """
    file = Path(path)
    where = printable(str(file))
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the design {where}: {error.strerror or error}") from error
    except (ValueError, RecursionError):
        raise UsageError(f"{where} is no JSON: give the manifest.json of a report, or a design") from None
    try:
        return _design(content, _label(file))
    except CrosslabError as error:
        raise UsageError(f"{where}: {error}") from error


def _label(file: Path) -> str:
    return printable(file.resolve().parent.name if file.name == "manifest.json" else file.stem)


def _design(content: Any, label: str) -> RuleDesign:
    version = None
    if isinstance(content, dict) and "design" in content:  # a manifest
        version, content = content.get("rules_version"), content["design"]
    if not isinstance(content, dict) or "game" not in content:
        raise UsageError('no design: it takes an object with a "game", such as {"game": "criss-cross"}')
    unknown = next((key for key in content if key not in KEYS), None)
    if unknown is not None:
        raise UsageError(f"a design has no {unknown!r}{near_misses(unknown, KEYS)}")
    game = find_game(_text("game", content["game"]))
    if version not in (None, game.rules_version):
        raise UsageError(f"made with rules version {version} of {game.name}; this crosslab has {game.rules_version}")
    settings = content.get("settings") or {}
    if not isinstance(settings, dict):
        raise UsageError(f"settings={settings!r} does not fit: it takes an object of options and values")
    variant = content.get("variant")
    rules = game.variant("basic" if variant is None else _text("variant", variant)).replace(**settings)
    strategies = content.get("strategies")
    if strategies is not None and not (
        isinstance(strategies, list) and strategies and all(isinstance(spec, str) for spec in strategies)
    ):
        raise UsageError(f"strategies={strategies!r} does not fit: it takes a list of one name or more")
    numbers = {name: _whole(name, content.get(name)) for name in ("seats", "seed", "deals")}
    effort = content.get("effort")
    return RuleDesign(
        label=label,
        game=game,
        rules=rules,
        strategies=None if strategies is None else tuple(strategies),
        effort=None if effort is None else _text("effort", effort),
        **numbers,
    )


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name}={value!r} does not fit: it takes a name")
    return value


def _whole(name: str, value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise UsageError(f"{name}={value!r} does not fit: it takes a whole number")
    return value


def agreed(name: str, a: RuleDesign, b: RuleDesign, given: Any = None) -> Any:
    """Return what two designs have in common, or the caller names; what only one of them says holds for both.

    Raises
    ------
    UsageError
        When the two differ, and the caller does not decide.
    """
    if given is not None:
        return given
    first, second = getattr(a, name), getattr(b, name)
    if first is not None and second is not None and first != second:
        raise UsageError(
            f"{a.label} has {name} {_told(first)}, {b.label} has {_told(second)}: "
            f"on the same deals both need the same; name them with {name}"
        )
    return first if first is not None else second


def _told(value: Any) -> str:
    return (
        ", ".join(printable(str(one)) for one in value)
        if isinstance(value, Sequence) and not isinstance(value, str)
        else printable(str(value))
    )
