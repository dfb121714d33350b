"""The verbs that need names turned into players and nothing more."""

from collections.abc import Sequence
from typing import Any

from sims import trace
from sims.game import Game, Rules, find_game
from strategies.api import Strategy
from strategies.specs import builtin_strategies, find_players, strategies_of_file


def replay(
    game: str | Game,
    lineup: "str | Strategy | Sequence[str | Strategy]",
    *,
    seed: int = 1,
    deal: int = 0,
    rotation: int = 0,
    variant: "str | Rules | None" = None,
) -> dict[str, Any]:
    """Play one deal and tell all of it; see `sims.trace.replay`.

    Parameters
    ----------
    game
        The game's name.
    lineup
        Who sits at the table before rotation: a spec or a `Strategy` for each seat.
    seed, deal, rotation
        Which game.
    variant
        The name of a variant, or a rules object.

    Returns
    -------
    dict
        The trace, as JSON values.

    Raises
    ------
    UsageError, StrategyError
        As they say.
    """
    found = find_game(game)
    players = find_players(found.name, lineup)
    return trace.replay(found, found.resolve_rules(variant), players, seed=seed, deal=deal, rotation=rotation)


def narrate(told: dict[str, Any]) -> str:
    """Tell a game that `replay` played in words; see `sims.trace.narrate`.

    Parameters
    ----------
    told
        What `replay` returned, or its JSON.

    Returns
    -------
    The game move by move, with the sheets or the board at its end.

    Raises
    ------
    UsageError
        When the trace is of an unknown game, or of rules that it does not have.
    """
    game = find_game(told["game"])
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in told["variant"].items()}
    return trace.narrate(game, game.rules().replace(**options), told)


def strategies(game: str | Game, *, file: str | None = None, tag: str | None = None) -> list[dict[str, Any]]:
    """List the strategies of a game.

    Parameters
    ----------
    game
        The game's name.
    file
        List those that a user's file declares instead of the built-in ones.
    tag
        List only those with this tag.

    Returns
    -------
    list of dict
        One dictionary a strategy: name, doc, source, parameters (name, default, low, high, doc), tags.

    Raises
    ------
    UsageError
        For an unknown game, or a file that cannot be used.
    """
    name = find_game(game).name
    listed = builtin_strategies(name) if file is None else strategies_of_file(name, file)
    return [
        {
            "name": item.name,
            "doc": item.doc,
            "source": item.source,
            "parameters": [
                {
                    "name": parameter.name,
                    "default": parameter.default,
                    "low": parameter.low,
                    "high": parameter.high,
                    "doc": parameter.doc,
                }
                for parameter in item.parameters
            ],
            "tags": list(item.tags),
        }
        for item in listed
        if tag is None or tag in item.tags
    ]
