"""The trace of one game: everything that happened, as JSON values; and the same in words."""

from collections.abc import Sequence
from typing import Any

from sims.design import LARGEST_DEALS, LARGEST_SEED, check_whole
from sims.errors import UsageError
from sims.game import Game
from sims.table import Player, Table


def replay(
    game: Game, rules: Any, lineup: Sequence[Player], *, seed: int = 1, deal: int = 0, rotation: int = 0
) -> dict[str, Any]:
    """Play one deal and tell all of it: bit for bit the game that a simulation plays with the same arguments.

    Parameters
    ----------
    game, rules
        What is played.
    lineup
        The players before rotation.
    seed, deal, rotation
        Which game.

    Returns
    -------
    dict
        The trace as JSON values: game, rules_version, variant (every option), seed, deal, rotation, seats (specs after
        rotation), events, outcome.

    Raises
    ------
    UsageError
        For a rotation that the line-up does not have, or a number out of range.
    """
    game.check_seats(len(lineup), rules)
    check_whole("seed", seed, 0, LARGEST_SEED)
    check_whole("deal", deal, 0, LARGEST_DEALS)
    rotations = game.rotate(rules, len(lineup))
    if not 0 <= rotation < len(rotations):
        last = len(rotations) - 1
        raise UsageError(
            f"rotation={rotation!r} does not fit: a line-up of {len(lineup)} has the rotations 0 to {last}"
        )
    players = [lineup[who] for who in rotations[rotation]]
    outcomes, logs = Table(game, rules, players).log(seed, deal)
    return {
        "game": game.name,
        "rules_version": game.rules_version,
        "variant": rules.to_dict(),
        "seed": seed,
        "deal": deal,
        "rotation": rotation,
        "seats": [player.spec for player in players],
        "events": game.events(rules, logs[0], len(players)),
        "outcome": game.results(rules, logs[0], outcomes[0]),
    }


def narrate(game: Game, rules: Any, trace: dict[str, Any]) -> str:
    """Return a trace in words."""
    options = ", ".join(f"{name}={value}" for name, value in trace["variant"].items())
    head = [
        f"{game.title}, rules version {trace['rules_version']}",
        f"options: {options}",
        f"seed {trace['seed']}, deal {trace['deal']}, rotation {trace['rotation']}",
        "",
    ]
    return "\n".join([*head, *game.narrate(rules, trace)])
