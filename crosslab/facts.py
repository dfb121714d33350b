"""The facts of a game, as data and as text."""

import textwrap
from typing import Any

from crosslab.output import WIDTH
from sims.game import Game, seat_words


def game_facts(game: Game) -> dict[str, Any]:
    """Return all facts of a game as JSON values."""
    rules = game.rules()
    low, high = game.score_range(rules)
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "source": game.source,
        "rules_version": game.rules_version,
        "history": dict(game.history),
        "seats": list(game.seats),
        "seat_numbers": {name: list(game.seat_numbers(game.variant(name))) for name in game.variants},
        "decisions": list(game.decisions),
        "longest": game.longest(rules),
        "lowest_score": low,
        "highest_score": high,
        "margin": game.margin,
        "score_unit": game.score_unit,
        "variants": {name: dict(changes) for name, changes in game.variants.items()},
        "options": [
            {
                "name": name,
                "default": rules.to_dict()[name],
                "allowed": item.metadata["check"].allowed,
                "doc": item.metadata["doc"],
            }
            for name, item in game.rules.options().items()
        ],
        "columns": [{"name": column.name, "doc": column.doc} for column in game.columns],
        "bands": [{"from": low, "name": name} for low, name in game.bands],
    }


def game_text(facts: dict[str, Any]) -> str:
    """Return the facts as text, at most 80 columns wide."""

    def told(label: str, text: str) -> str:
        return textwrap.fill(text, WIDTH, initial_indent=f"{label:<18}", subsequent_indent=" " * 18)

    lines = [
        facts["title"],
        "",
        told("name", facts["name"]),
        told("summary", facts["summary"]),
        told("source", facts["source"]),
        told("rules version", facts["rules_version"]),
        told("seats", _seats_text(facts)),
        told("decisions", "; ".join(facts["decisions"])),
        told("longest game", f"{facts['longest']} decisions of a seat"),
        told("score (bounds)", f"{facts['lowest_score']} to {facts['highest_score']}"),
        told("margin", f"{facts['margin']} {facts['score_unit']} a game"),
        "",
        "options (--set option=value)",
    ]
    for option in facts["options"]:
        default = option["default"]
        value = ",".join(str(item) for item in default) if isinstance(default, list) else default
        lines.append(f"  {option['name']}={value}")
        lines += textwrap.wrap(
            f"{option['doc']}; {option['allowed']}", WIDTH - 6, initial_indent="      ", subsequent_indent="      "
        )
    lines += ["", "variants (--variant name)"]
    named = {
        name: ", ".join(f"{key}={value}" for key, value in changes.items()) or "the defaults"
        for name, changes in facts["variants"].items()
    }
    lines += _listed(named)
    lines += ["", "outcome columns", *_listed({column["name"]: column["doc"] for column in facts["columns"]})]
    if facts["bands"]:
        lines += ["", "score bands"]
        lines += [f"  from {band['from']:<11}{band['name']}" for band in facts["bands"]]
    return "\n".join(lines)


def _listed(texts: dict[str, str]) -> list[str]:
    """Return names and what they mean in lines, side by side."""
    width = max([15, *map(len, texts)]) + 1
    lines = []
    for name, text in texts.items():
        indent = f"  {name:<{width}}"
        lines += textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent))
    return lines


def _seats_text(facts: dict[str, Any]) -> str:
    low, high = facts["seats"]
    text = f"{low} to {high}"
    if all(numbers == list(range(low, high + 1)) for numbers in facts["seat_numbers"].values()):
        return text
    variants: dict[str, list[str]] = {}
    for name, numbers in facts["seat_numbers"].items():
        variants.setdefault(seat_words(numbers), []).append(name)
    # What most variants have is told last, without their names.
    *others, (most, names) = sorted(variants.items(), key=lambda item: len(item[1]))
    parts = [f"{', '.join(some)} {words}" for words, some in others]
    parts.append(f"{names[0] if len(names) == 1 else 'all others'} {most}")
    return f"{text} ({'; '.join(parts)})"
