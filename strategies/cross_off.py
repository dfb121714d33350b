"""Players of Cross Off."""

from typing import Any

import numpy as np

from sims.bits import ONE, Word, bit_count, lowest_bit, select_bit
from sims.chance import below
from sims.cross_off import (
    PASS,
    random_move,
    skips,
)
from sims.jit import jit
from strategies.api import Parameter, heuristic, restriction, strategy

GAME = "cross-off"


@strategy(GAME, tags=["baseline"])
def uniform(view, rng, params):  # type: ignore[no-untyped-def]
    """Passes or makes any legal mark, each equally likely."""
    return random_move(view, rng)


@strategy(GAME, parameters=[Parameter("most", 2, 0, 10, "numbers that a mark may pass over")])
def conservative(view, rng, params):  # type: ignore[no-untyped-def]
    """Makes the mark that passes over the fewest numbers, if they are few enough."""
    left = Word(view.legal) ^ ONE
    best, fewest = PASS, np.int64(params[0]) + 1
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        passed = skips(view.open, move)
        if passed < fewest:
            best, fewest = move, passed
    return best
