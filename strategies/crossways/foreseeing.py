"""Games played ahead: what the weighing players cannot see near the end of a game of CrossWays.

When a team is near, what counts is who draws what, and who stands in whose way once more. So the few plays that weigh
most are tried in games that `hold_balance` plays to the end for all seats, with hands and deck as they might be, the
same for each play.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word
from sims.chance import STREAM, below, fill_stream, next_word
from sims.crossways.facts import BY_GOAL, NONE
from sims.crossways.kernel import begin_turn, imagine_hidden, look_ahead, make_move, new_hidden
from sims.crossways.paths import LAYERS
from sims.crossways.plays import random_move
from sims.crossways.rules import VIEW
from sims.jit import jit, room_for
from strategies.crossways.racing import COST, hold_balance, nearest, survey
from strategies.crossways.weighing import MOST_PLAYS, WON, list_plays, worth_of

TRIED = 5  # plays that are tried in games ahead

new_positions, new_dice = room_for(VIEW), room_for(STREAM)


@jit
def heaviest(worths: Any, count: Any, chosen: Any, rng: Any) -> Any:
    """Write the places of the highest worths to `chosen`, the highest first; return how many (a signed number).

    Ties are broken at random; what was written is worth −∞ afterwards.
    """
    wanted = min(count, len(chosen))
    for number in range(wanted):
        best, ties = -np.inf, NONE
        for index in range(count):
            if worths[index] > best:
                best, ties = worths[index], NONE
            if worths[index] == best:
                ties += ONE
                if below(rng, ties) == NONE:
                    chosen[number] = index
        worths[chosen[number]] = -np.inf
    return wanted


@jit
def wins_ahead(position: Any, move: Any, team: Any, hidden: Any, dice: Any, layers: Any) -> Any:
    """Make a move and play on; return whether the team has won (1 or 0)."""
    make_move(position, move, hidden, dice)
    while not position.ended:
        begin_turn(position, hidden)
        make_move(position, Word(hold_balance(position, layers, dice)), hidden, dice)
    return 1 if position.ended == BY_GOAL and position.winner == team else 0


@jit
def foresee(view: Any, rng: Any, table: Any, near: Any, games: Any) -> Any:
    """Return the heaviest play; near the end, the one of the heaviest that wins most games ahead.

    Parameters
    ----------
    table
        See `strategies.crossways.weighing.table_of`.
    near
        Markers that a team needs when games are played ahead.
    games
        How many, for each of the plays that are tried. What a play weighs counts like as many games again.
    """
    layers = np.empty(LAYERS, np.uint64)
    moves, worths = np.empty(MOST_PLAYS, np.uint64), np.empty(MOST_PLAYS, np.float64)
    facts = survey(view, layers)
    count = list_plays(view, facts, moves, layers, rng)
    if count == 0:
        return random_move(view, rng)
    for index in range(count):
        worths[index] = worth_of(view, facts, moves[index], table, layers)
    weights = worths[:count].copy()
    chosen = np.zeros(TRIED, np.int64)
    tried = heaviest(worths, count, chosen, rng)
    distance = min(np.int64(facts[view.team, COST]), nearest(view, facts))
    if weights[chosen[0]] >= WON or float(distance) > near or tried == 1:
        return moves[chosen[0]]
    positions, cards, streams = new_positions(1), new_hidden(1), new_dice(1)
    positions[0] = view
    position, hidden, dice = positions[0], cards[0], streams[0]
    scores = np.empty(TRIED, np.float64)
    for number in range(tried):
        scores[number] = games / (1.0 + np.exp(-weights[chosen[number]]))
    for _ in range(np.int64(games)):
        start = next_word(rng)
        for number in range(tried):
            fill_stream(dice, start)
            look_ahead(view, position)
            imagine_hidden(view, hidden, dice)
            scores[number] += wins_ahead(position, moves[chosen[number]], view.team, hidden, dice, layers)
    best = 0
    for number in range(1, tried):
        if scores[number] > scores[best]:
            best = number
    kept = moves[chosen[best]]
    # Records hold no array alive: these were in use until here.
    positions[0], cards[0], streams[0] = positions[0], cards[0], streams[0]
    return kept
