"""Players of CrossWays, from the zero point of every comparison to the strongest made by hand.

All think in markers: how many more a team needs on its cheapest way. The fast ones take the play that changes these numbers
most (`strategies.crossways.racing`); the others weigh the positions that plays leave (`strategies.crossways.weighing`).
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit
from sims.chance import below
from sims.crossways.facts import NONE, PAIR, RUN, SINGLE
from sims.crossways.paths import LAYERS, goal_keys
from sims.crossways.plays import counting, free_whites, links, open_for, random_move
from sims.jit import jit
from strategies.api import Parameter, restriction, strategy
from strategies.crossways.racing import FAR, hold_balance, race
from strategies.crossways.weighing import best_play, spare_pass

GAME = "crossways"


@strategy(GAME, tags=["baseline"])
def uniform(view: Any, rng: Any, params: Any) -> Any:
    """Draw cards that can be played, then one of their plays: the zero point."""
    return random_move(view, rng)


@strategy(GAME, tags=["weak"])
def idle(view: Any, rng: Any, params: Any) -> Any:
    """Pass whenever the rules let it: the control that has to lose."""
    return spare_pass(view) if view.may_pass else random_move(view, rng)


@strategy(
    GAME,
    parameters=[
        Parameter("own2", 1.0, -20, 20, "…"),
        Parameter("own3", 1.0, -20, 20, "…"),
        Parameter("own_more", 1.0, -20, 20, "…"),
        Parameter("other2", 2.0, -20, 20, "…"),
        Parameter("other3", 1.0, -20, 20, "…"),
        Parameter("other4", 1.0, -20, 20, "…"),
        Parameter("other_more", 1.0, -20, 20, "…"),
        Parameter("pair", 0.5, -20, 20, "…"),
        Parameter("run", 0.5, -20, 20, "…"),
        Parameter("pair_near", 1.0, -20, 20, "…"),
        Parameter("hit", 0.2, -20, 20, "…"),
        Parameter("hit_near", 0.5, -20, 20, "…"),
        Parameter("ways", 0.1, -20, 20, "…"),
        Parameter("their_ways", 0.0, -20, 20, "…"),
        Parameter("later", 0.5, -20, 20, "…"),
        Parameter("supply", 0.1, -20, 20, "…"),
    ],
    tags=["strong"],
)
def planner(view: Any, rng: Any, params: Any) -> Any:
    """Weigh the position that each play leaves."""
    return best_play(view, rng, params)


@strategy(GAME, tags=["fast"])
def rusher(view: Any, rng: Any, params: Any) -> Any:
    """Take the play that leaves the fewest markers to go, ties at random."""
    team = np.int64(view.team)
    layers = np.empty(LAYERS, np.uint64)
    own = counting(view, team)
    cost, key_open, key_free, key_own = goal_keys(
        own, open_for(view, own), free_whites(view), links(view, team), view.goal, team, layers
    )
    return race(view, own, min(cost, FAR), key_open, key_free, key_own, layers, rng)


@strategy(GAME, tags=["fast"])
def balanced(view: Any, rng: Any, params: Any) -> Any:
    """Take the play that most changes what the nearest others need minus what its own team needs.

    Pairs close squares that the others need, runs take markers from their cheapest way.
    """
    return hold_balance(view, np.empty(LAYERS, np.uint64), rng)
