"""Players of Criss Cross."""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, lowest_bit
from sims.chance import below
from sims.criss_cross import (
    ILLEGAL,
    all_pairs,
    gain,
    is_vertical,
    first_cell,
    lonely,
    pair_gain,
    random_move,
    second_cell,
)
from strategies.api import Parameter, heuristic, restriction, strategy

GAME = "criss-cross"


@strategy(GAME, tags=["baseline", "random"])
def uniform(view: Any, rng: Any, params: Any) -> Any:
    """Any legal placement, each equally likely.

    The zero point of every comparison; its mean is known exactly (10.366581 in the basic game).
    """
    return random_move(view, rng)


@heuristic(GAME, tags=["control", "weak"])
def blunder(view: Any, move: Any, params: Any) -> Any:
    """The smallest immediate gain, and lonely spaces for preference: loses on purpose.

    The known weak player of every comparison's controls.
    """
    return lonely(view, move) - 10.0 * gain(view, move)


@restriction(GAME)
def lonely_spaces(view: Any, move: Any, params: Any) -> Any:
    """Moves that leave an empty space without an empty neighbour."""
    return lonely(view, move) > 0
