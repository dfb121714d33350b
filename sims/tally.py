"""Counting outcomes: the one loop over all games that is not play."""

from typing import Any

from sims.game import SCORE
from sims.jit import jit


@jit
def tally(outcomes: Any, lowest: Any, counts: Any, sums: Any) -> None:
    """Count scores and add up all columns.

    Parameters
    ----------
    outcomes
        Shape (deals, seats, columns).
    lowest
        The score that is counted in the first place of `counts`.
    counts
        Shape (seats, scores); added to.
    sums
        Shape (seats, columns); added to.
    """
    for deal in range(outcomes.shape[0]):
        for seat in range(outcomes.shape[1]):
            counts[seat, outcomes[deal, seat, SCORE] - lowest] += 1
            for column in range(outcomes.shape[2]):
                sums[seat, column] += outcomes[deal, seat, column]
