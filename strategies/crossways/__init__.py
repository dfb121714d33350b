"""Players of CrossWays, from the zero point of every comparison to the strongest made by hand.

All think in markers: how many more a team needs on its cheapest way. The fast ones take the play that changes these
numbers most (`strategies.crossways.racing`); the others weigh the positions that plays leave
(`strategies.crossways.weighing`).
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word
from sims.crossways.facts import JOKER_PLAY, PAIR, PAIR_AND_RUN, RUN
from sims.crossways.paths import LAYERS, goal_keys
from sims.crossways.plays import (
    count_in,
    counting,
    free_whites,
    item_of,
    kind_of,
    links,
    open_for,
    placed_by,
    random_move,
    removed_by,
    square_of,
    stack_after,
)
from strategies.api import Parameter, restriction, strategy
from strategies.crossways.fitted import PLANNER
from strategies.crossways.foreseeing import foresee
from strategies.crossways.racing import FAR, cheapest_line, hold_balance, race
from strategies.crossways.weighing import best_play, saves, spare_pass, table_of

GAME = "crossways"

PANEL = ("balanced", "hoarder", "rusher", "straight-line")
"""Who stands for the game in reports, the strongest first; `planner` would be stronger, at ten times the time."""


# --- Players ---------------------------------------------------------------------------------------------------------


@strategy(GAME, tags=["baseline"])
def uniform(view: Any, rng: Any, params: Any) -> Any:
    """Draw cards that can be played, then one of their plays: the zero point.

    It runs out of markers and then waits for a run: nearly all its games end undecided.
    """
    return random_move(view, rng)


@strategy(GAME, tags=["weak"])
def idle(view: Any, rng: Any, params: Any) -> Any:
    """Pass whenever the rules let it: the control that has to lose."""
    return spare_pass(view) if view.may_pass else random_move(view, rng)


@strategy(GAME, tags=["fast"])
def straight_line(view: Any, rng: Any, params: Any) -> Any:
    """Fill the row or column that needs the fewest markers, and look at nothing else.

    What a beginner does. A single closed square turns it to another line; a way around it does not see. Where the
    goal is no path from side to side it takes the cheapest diagonal, block or frame.
    """
    layers = np.empty(LAYERS, np.uint64)
    own = Word(counting(view, view.team))
    cost, key_open, key_free, line = cheapest_line(view, own, rng)
    return race(view, own, cost, Word(key_open), Word(key_free), Word(line), True, layers, rng)


@strategy(GAME, tags=["fast"])
def rusher(view: Any, rng: Any, params: Any) -> Any:
    """Take the play that leaves its own team the fewest markers to go.

    It goes around what is closed, opens squares with runs where that brings it nearer, and sees nobody else.
    """
    team = np.int64(view.team)
    layers = np.empty(LAYERS, np.uint64)
    own = Word(counting(view, team))
    cost, key_open, key_free, key_own = goal_keys(
        own, Word(open_for(view, own)), Word(free_whites(view)), Word(links(view, team)), view.goal, team, layers
    )
    return race(view, own, min(cost, FAR), Word(key_open), Word(key_free), Word(key_own), False, layers, rng)


@strategy(GAME, tags=["fast"])
def balanced(view: Any, rng: Any, params: Any) -> Any:
    """Take the play that most changes the nearest others' way against its own.

    That is what they need minus what its own team needs. Pairs close squares that the others cannot do without,
    runs take markers from their cheapest way. It keeps nothing for later.
    """
    return hold_balance(view, np.empty(LAYERS, np.uint64), rng)


BLOCKER = table_of(0.5, 1.0, ways=0.05, their_ways=0.05, supply=0.02, later=0.3)
CLOSER = table_of(0.8, 1.0, ways=0.1, their_ways=0.1, supply=0.02, later=0.5)


@strategy(GAME)
def blocker(view: Any, rng: Any, params: Any) -> Any:
    """Stand in the way of the nearest others first, and go on second.

    A marker that they need more is worth two that its own team needs less. With more than two at the table the others
    reap what it pays for.
    """
    return best_play(view, rng, BLOCKER)


@strategy(
    GAME,
    parameters=[
        Parameter("danger", 3, 0, 9, "markers the nearest others need when it begins to use what it has kept"),
    ],
)
def hoarder(view: Any, rng: Any, params: Any) -> Any:
    """Play single cards and save pairs and runs, until a pair wins or the others are near.

    A pair in hand ends a game from two markers away, and a run takes two from others who thought so too.
    """
    return saves(view, rng, params[0])


@strategy(GAME)
def closer(view: Any, rng: Any, params: Any) -> Any:
    """Close the squares that the others need, and take white squares on the way.

    Its pairs go together on one square, so that what it has built cannot be shared; that costs speed.
    """
    return best_play(view, rng, CLOSER)


@strategy(GAME, tags=["strong"])
def planner(view: Any, rng: Any, params: Any) -> Any:
    """Weigh the position that each play leaves: markers to go, ways to go on, and the cards that are kept.

    What each of them counts was fitted to what a round ahead makes of positions.
    """
    return best_play(view, rng, PLANNER)


@strategy(
    GAME,
    tags=["strong", "slow"],
    parameters=[
        Parameter("rounds", 96, 1, 1_000, "rounds ahead at most for each play that is tried"),
    ],
)
def seer(view: Any, rng: Any, params: Any) -> Any:
    """Play a round ahead with the plays that weigh most to the planner, again and again, and take the best.

    Hands and deck are dealt as they might be, the others answer as `balanced` would.
    """
    return foresee(view, rng, PLANNER, params[0])


# --- Restrictions ----------------------------------------------------------------------------------------------------


@restriction(GAME)
def pairs(view: Any, move: Any, params: Any) -> Any:
    """Playing two or more cards of a rank, with a run or without."""
    return kind_of(move) == Word(PAIR) or kind_of(move) == Word(PAIR_AND_RUN)


@restriction(GAME)
def runs(view: Any, move: Any, params: Any) -> Any:
    """Playing a run, with a pair or without."""
    return kind_of(move) == Word(RUN) or kind_of(move) == Word(PAIR_AND_RUN)


@restriction(GAME)
def jokers(view: Any, move: Any, params: Any) -> Any:
    """Playing a joker."""
    return kind_of(move) == Word(JOKER_PLAY)


@restriction(GAME)
def whites(view: Any, move: Any, params: Any) -> Any:
    """Placing markers on white squares."""
    first = np.int64(removed_by(move))
    for index in range(first, first + np.int64(placed_by(move))):
        if (Word(view.white) >> square_of(item_of(move, index))) & ONE:
            return True
    return False


@restriction(GAME)
def closing(view: Any, move: Any, params: Any) -> Any:
    """Placing a second marker of its team on a square."""
    first, team = np.int64(removed_by(move)), np.int64(view.team)
    for index in range(first, first + np.int64(placed_by(move))):
        if count_in(stack_after(view, move, item_of(move, index)), team) > ONE:
            return True
    return False
