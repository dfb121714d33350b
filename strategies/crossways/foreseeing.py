"""A round played ahead: what the weighing players cannot see from the board alone.

Who draws what, and who stands in whose way next, decides between plays that weigh nearly the same. So the heaviest are
tried: hands and deck are dealt as they might be, the same for each play, the others answer as `balanced` would, and
what counts is what the own next play can then make of the position.
"""

from typing import Any

import numpy as np

from sims.bits import ONE, Word
from sims.chance import STREAM, below, fill_stream, next_word
from sims.crossways.facts import BY_GOAL, NONE
from sims.crossways.kernel import begin_turn, imagine_hidden, look_ahead, make_move, new_hidden
from sims.crossways.paths import LAYERS
from sims.crossways.rules import VIEW
from sims.jit import jit, room_for
from strategies.crossways.racing import hold_balance, survey
from strategies.crossways.weighing import MOST_PLAYS, WON, list_plays, nothing_to_weigh, worth_of

TRIED = 8  # plays that are tried
BATCH = 8  # rounds after which plays are dropped
OWN_VIEW = 4.0  # what a play weighs counts like so many rounds ahead
SURE = 2.0  # standard errors that a play lies behind the best when it is dropped
ALIKE = 0.004  # the standard error, in chances to win, below which two plays are as good as each other

new_positions, new_dice = room_for(VIEW), room_for(STREAM)


@jit
def chance_to_win(worth: Any) -> Any:
    """Return the chance to win that a worth stands for: worths are logarithms of odds."""
    return 1.0 / (1.0 + np.exp(-min(max(worth, -30.0), 30.0)))


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
def chance_ahead(view: Any, table: Any, moves: Any, layers: Any, rng: Any) -> Any:
    """Return the chance to win after the best play of the seat that is to play."""
    facts = survey(view, layers)
    best = -np.inf
    for index in range(list_plays(view, facts, moves, layers, rng)):
        best = max(best, worth_of(view, facts, moves[index], table, layers))
    return chance_to_win(best)


@jit
def try_round(position: Any, move: Any, team: Any, hidden: Any, dice: Any, table: Any, moves: Any, layers: Any) -> Any:
    """Make a move and play on until the team plays next; return its chance to win then."""
    make_move(position, move, hidden, dice)
    while not position.ended:
        begin_turn(position, hidden)
        if position.team == team:
            return chance_ahead(position, table, moves, layers, dice)
        make_move(position, Word(hold_balance(position, layers, dice)), hidden, dice)
    return 1.0 if position.ended == BY_GOAL and position.winner == team else 0.0


@jit
def drop_worse(alive: Any, count: Any, values: Any, rounds: Any, priors: Any) -> Any:
    """Put the best play first and drop those that are surely worse; return how many are left.

    Parameters
    ----------
    alive
        Plays, as rows of `values`; changed in place.
    values
        What each play was worth in each round, of shape (plays, rounds). The rounds are the same for all, so that
        differences are paired.
    priors
        What each play is worth by itself, which counts like `OWN_VIEW` rounds.
    """
    best = 0
    means = np.empty(count)
    for number in range(count):
        play = alive[number]
        means[number] = (OWN_VIEW * priors[play] + values[play, :rounds].sum()) / (OWN_VIEW + rounds)
        if means[number] > means[best]:
            best = number
    leader, most = alive[best], means[best]
    alive[best], means[best], alive[0] = alive[0], means[0], leader
    kept = 1
    for number in range(1, count):
        play = alive[number]
        squares = 0.0
        behind = (values[leader, :rounds] - values[play, :rounds]).mean()
        for one in range(rounds):
            squares += (values[leader, one] - values[play, one] - behind) ** 2
        error = np.sqrt(squares / (rounds - 1) / rounds)
        if most - means[number] <= SURE * error and error > ALIKE:
            alive[kept] = play
            kept += 1
    return kept


@jit
def foresee(view: Any, rng: Any, table: Any, rounds: Any) -> Any:
    """Return the play that leaves the best chance to win after a round ahead.

    The heaviest plays race: after every eight rounds those are out that are surely worse than the best, or so close to
    it that it does not matter.

    Parameters
    ----------
    table
        What positions are worth, as logarithms of the odds to win: see `strategies.crossways.weighing.table_of`.
    rounds
        Rounds that are played ahead for each play at most, in eights: 1 to 8 are 8.

    Notes
    -----
    Racing is by Maron and Moore, Hoeffding races: accelerating model selection search (1994); here by the standard
    error of paired differences.
    """
    layers = np.empty(LAYERS, np.uint64)
    moves, later, worths = np.empty(MOST_PLAYS, np.uint64), np.empty(MOST_PLAYS, np.uint64), np.empty(MOST_PLAYS)
    facts = survey(view, layers)
    count = list_plays(view, facts, moves, layers, rng)
    if count == 0:
        return nothing_to_weigh(view, rng)
    for index in range(count):
        worths[index] = worth_of(view, facts, moves[index], table, layers)
    chosen = np.zeros(TRIED, np.int64)
    weights = worths[:count].copy()
    left = heaviest(worths, count, chosen, rng)
    if weights[chosen[0]] >= WON:
        return moves[chosen[0]]
    positions, cards, streams = new_positions(1), new_hidden(1), new_dice(1)
    positions[0] = view
    position, hidden, dice = positions[0], cards[0], streams[0]
    alive, priors = np.arange(TRIED), np.empty(TRIED)
    for play in range(left):
        priors[play] = chance_to_win(weights[chosen[play]])
    most = BATCH * np.int64(np.ceil(rounds / BATCH))
    values = np.empty((TRIED, most))
    for number in range(most):
        start = next_word(rng)
        for place in range(left):
            play = alive[place]
            fill_stream(dice, start)
            look_ahead(view, position)
            imagine_hidden(view, hidden, dice)
            values[play, number] = try_round(
                position, moves[chosen[play]], view.team, hidden, dice, table, later, layers
            )
        if (number + 1) % BATCH == 0:
            left = drop_worse(alive, left, values, number + 1, priors)
            if left == 1:
                break
    kept = moves[chosen[alive[0]]]
    # Records hold no array alive: these were in use until here.
    positions[0], cards[0], streams[0] = positions[0], cards[0], streams[0]
    return kept
