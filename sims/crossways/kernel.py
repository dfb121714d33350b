"""The play kernel of CrossWays: the cards nobody sees, the turns, and games played ahead."""

from typing import Any

import numpy as np

from sims.asking import make_asking, make_thinking, new_scratch, start_streams
from sims.bits import ONE, Word, bit_count
from sims.chance import below, deal_key, start_stream
from sims.crossways.facts import (
    BY_GOAL,
    BY_PASSES,
    BY_TURN_LIMIT,
    CORNERS,
    DECK,
    DIRECTION,
    END,
    ILLEGAL,
    JOKER,
    MARKERS,
    MAX_CARDS,
    MAX_HAND,
    MAX_SEATS,
    NONE,
    PASS,
    PASSES,
    PATH,
    PLACED,
    RANKS,
    REMOVED,
    RESHUFFLES,
    RUNNING,
    SINGLES,
    SUITS,
    TEAM,
    TURNS,
    UNDECIDED,
)
from sims.crossways.hands import find_sets, insert_card
from sims.crossways.listing import MAX_MOVES, list_moves
from sims.crossways.paths import (
    BLOCKED,
    SHAPES,
    SHAPES_FROM,
    end_of,
    is_path_goal,
    shortest_chain,
    start_of,
)
from sims.crossways.plays import (
    carry_out,
    completes,
    counting,
    has_won,
    is_legal,
    kind_of,
    links,
    markers_needed,
    placed_by,
    random_move,
    removed_by,
)
from sims.crossways.rules import CHOOSE, FORBID, VALUE
from sims.game import RANK, SCORE, WIN, WIN_UNIT
from sims.jit import jit, room_for

# What nobody may see is no part of a view. Functions take the record, never the array that it stands in: an array
# that is handed on has its references counted, atomically, which was half of a random player's turn. So whoever makes
# the array has to use it once more at the end, or it is freed before.
HIDDEN = np.dtype(
    [
        ("hands", np.uint8, (MAX_SEATS, MAX_HAND)),  # of every seat, in ascending order
        ("deck", np.uint8, (MAX_CARDS,)),  # faces; those that were drawn come first
        ("drawn", np.int64),
        ("cards", np.int64),  # in the deck, those that were drawn among them
    ],
    align=True,
)


new_hidden = room_for(HIDDEN)  # so many sets of hands and deck


@jit
def put_into_deck(hidden: Any, face: Any, copies: Any) -> None:
    """Put cards of a face into the deck."""
    last = hidden.cards
    for _ in range(copies):
        hidden.deck[last] = face
        last += 1
    hidden.cards = last


@jit
def fill_deck(view: Any, hidden: Any) -> None:
    """Put all cards into the deck."""
    hidden.drawn, hidden.cards = 0, 0
    for suit in range(SUITS):
        for rank in range(RANKS):
            put_into_deck(hidden, suit << 4 | rank, np.int64(view.decks))
    put_into_deck(hidden, JOKER, np.int64(view.jokers))


@jit
def reshuffle(view: Any, hidden: Any) -> None:
    """Let the discards be the deck."""
    hidden.drawn, hidden.cards = 0, 0
    for face in range(64):
        if view.discards[face]:
            put_into_deck(hidden, face, np.int64(view.discards[face]))
            view.discards[face] = 0
    view.reshuffles += 1


@jit
def draw_card(view: Any, hidden: Any, draws: Any) -> Any:
    """Return the face of a drawn card, each in the deck equally likely; the discards become an empty deck."""
    if hidden.drawn == hidden.cards:
        reshuffle(view, hidden)
    first = hidden.drawn
    place = first + np.int64(below(draws, Word(hidden.cards - first)))
    face = hidden.deck[place]
    hidden.deck[place] = hidden.deck[first]
    hidden.deck[first] = face
    hidden.drawn = first + 1
    return face


@jit
def refill(view: Any, seat: Any, hidden: Any, draws: Any) -> None:
    """Draw until the seat's hand is full."""
    for held in range(view.hand_sizes[seat], view.hand_limit):
        face = draw_card(view, hidden, draws)
        insert_card(hidden.hands[seat], held, face)
    view.hand_sizes[seat] = view.hand_limit
    view.deck = hidden.cards - hidden.drawn


@jit
def set_up(view: Any, hidden: Any, draws: Any) -> None:
    """Clear the board, and deal the hands, seat by seat."""
    view.one[:] = NONE
    view.two[:] = NONE
    view.four[:] = NONE
    view.top[:] = NONE
    view.closed = NONE
    view.stacks[:] = 0
    view.supplies[:] = 0
    view.supplies[: view.teams] = view.markers
    view.discards[:] = 0
    view.hand_sizes[:] = 0
    view.turn = 0
    view.passes = 0
    view.reshuffles = 0
    view.ended = RUNNING
    view.winner = 0
    fill_deck(view, hidden)
    for seat in range(view.seats):
        refill(view, seat, hidden, draws)


@jit
def begin_turn(view: Any, hidden: Any) -> Any:
    """Let the view be that of the seat in turn; return the seat."""
    seat = np.int64(view.turn) % np.int64(view.seats)
    view.turn += 1
    view.seat = seat
    view.team = seat % np.int64(view.teams)
    for place in range(view.hand_limit):
        view.hand[place] = hidden.hands[seat, place]
    before = np.int64(view.set_count)
    count = find_sets(view.hand, view.hand_limit, view.pairs_and_runs, view.sets)
    for index in range(count, before):  # what the last seat held is nobody else's business
        view.sets[index] = 0
    view.set_count = count
    return seat


@jit
def finish_play(view: Any, move: Any) -> None:
    """See whether the play of the seat has won: its own team is looked at first, then the others in turn order."""
    teams, team = np.int64(view.teams), np.int64(view.team)
    removed = np.int64(removed_by(move))
    if is_path_goal(view.goal) and not removed:
        if completes(view, move):
            view.ended = BY_GOAL
            view.winner = team
        return
    # What another team has can begin to count only when a marker goes that hid or blocked it.
    for step in range(teams if removed else 1):
        other = (team + step) % teams
        if has_won(view, other):
            view.ended = BY_GOAL
            view.winner = other
            return


@jit
def finish_turn(view: Any) -> None:
    """End the game after a round of passes, or at the turn limit."""
    if view.passes >= view.seats and not view.discard_on_pass:
        view.ended = BY_PASSES
    elif view.turn >= view.turn_limit:
        view.ended = BY_TURN_LIMIT


@jit
def make_play(view: Any, move: Any, hidden: Any) -> None:
    """Make a legal move, and look whether it wins."""
    carry_out(view, move)
    for place in range(view.hand_limit):
        hidden.hands[view.seat, place] = view.hand[place]
    if kind_of(move) != Word(PASS):
        finish_play(view, move)


@jit
def make_move(view: Any, move: Any, hidden: Any, draws: Any) -> None:
    """Make a legal move, look whether the game is over, and draw."""
    make_play(view, move, hidden)
    if not view.ended:
        refill(view, view.seat, hidden, draws)
        finish_turn(view)


ASKING = make_asking(CHOOSE, VALUE, FORBID, int(ILLEGAL), list_moves, is_legal, random_move)
call_choose, ask = ASKING.choose, ASKING.ask


@jit
def look_ahead(view: Any, ahead: Any) -> None:
    """Copy the position, without the rules, to the view to think ahead in."""
    ahead.one[:], ahead.two[:], ahead.four[:], ahead.top[:] = view.one, view.two, view.four, view.top
    ahead.closed, ahead.turn, ahead.passes, ahead.reshuffles = view.closed, view.turn, view.passes, view.reshuffles
    ahead.stacks[:] = view.stacks
    ahead.hand[:] = view.hand
    ahead.hand_sizes[:] = view.hand_sizes
    ahead.supplies[:] = view.supplies
    ahead.discards[:] = view.discards
    ahead.deck, ahead.seat, ahead.team = view.deck, view.seat, view.team
    ahead.ended, ahead.winner = view.ended, view.winner


@jit
def unseen(view: Any, face: Any) -> Any:
    """Return how many cards of a face the seat cannot see (a signed number): in the deck and in other hands."""
    count = np.int64(view.jokers if face == JOKER else view.decks) - np.int64(view.discards[face])
    for place in range(np.int64(view.hand_sizes[view.seat])):
        count -= view.hand[place] == face
    return count


@jit
def imagine_hidden(view: Any, hidden: Any, draws: Any) -> None:
    """Deal what the view's seat cannot see at random: the other hands, and the deck."""
    hidden.drawn, hidden.cards = 0, 0
    for suit in range(SUITS):
        for rank in range(RANKS):
            face = suit << 4 | rank
            put_into_deck(hidden, face, unseen(view, face))
    put_into_deck(hidden, JOKER, unseen(view, JOKER))
    for seat in range(view.seats):
        for held in range(view.hand_limit):
            if seat == view.seat:
                hidden.hands[seat, held] = view.hand[held]
            else:
                face = draw_card(view, hidden, draws)
                insert_card(hidden.hands[seat], held, face)


@jit
def worth_of_end(view: Any, team: Any) -> Any:
    """Return what the end of a game is worth to a team: 1 for a win, and a small part of how near it came otherwise."""
    if view.ended == BY_GOAL:
        return 1.0 if view.winner == team else 0.0
    return -float(min(markers_needed(view, team), 2 * MAX_CARDS)) / 100_000.0


@jit
def play_out(views: Any, seat: Any, move: Any, rng: Any, noise: Any, scratch: Any, dice: Any, probe: Any) -> Any:
    """Make a move and let the seat's own strategy play for all seats, with hands and deck as they might be.

    Returns what the end is worth; NaN when a move was refused.
    """
    view, ahead = views[0], views[1]
    hidden = scratch[2]
    look_ahead(view, ahead)
    imagine_hidden(view, hidden, dice)
    team = view.team
    make_move(ahead, Word(move), hidden, dice)
    while not ahead.ended:
        begin_turn(ahead, hidden)
        answer = Word(ask(ahead, seat, rng, noise, scratch, probe))
        if not is_legal(ahead, answer):
            return np.nan
        make_move(ahead, answer, hidden, dice)
    return worth_of_end(ahead, team)


think = make_thinking(ASKING, play_out)


@jit
def winning_path(view: Any, team: Any) -> Any:
    """Return how many squares (a signed number) the shortest path or the shape of a winner has, and its direction.

    The direction is 1 from top to bottom, −1 from left to right, 0 for both at once, a block or a frame.
    """
    won = has_won(view, team)
    own, linked, goal = counting(view, team), links(view, team), view.goal
    direction = np.int64(won & ONE) - np.int64((won >> ONE) & ONE)
    if not is_path_goal(goal):
        return np.int64(bit_count(SHAPES[SHAPES_FROM[goal]])), direction
    length = BLOCKED
    for way in range(2):
        if (won >> Word(way)) & ONE:
            found = shortest_chain(own, linked, goal == CORNERS, start_of(goal, way), end_of(goal, way))
            length = min(length, found)
    return length, direction


@jit
def write_outcomes(view: Any, outcomes: Any) -> None:
    """Write who has won, and how, to the outcomes of one game, shape (seats, columns)."""
    decided = view.ended == BY_GOAL
    length, direction = winning_path(view, view.winner) if decided else (0, 0)
    for seat in range(view.seats):
        team = seat % np.int64(view.teams)
        won = decided and view.winner == team
        outcome = outcomes[seat]
        outcome[SCORE] = won
        outcome[RANK] = 2 if decided and not won else 1
        outcome[WIN] = WIN_UNIT if won else 0
        outcome[TEAM] = team
        outcome[MARKERS] = np.int64(view.markers) - np.int64(view.supplies[team])
        outcome[END] = view.ended - 1
        outcome[UNDECIDED] = not decided
        outcome[TURNS] = view.turn
        outcome[RESHUFFLES] = view.reshuffles
        outcome[PATH] = length
        outcome[DIRECTION] = direction


@jit
def play(
    players: Any,
    views: Any,
    streams: Any,
    probe: Any,
    seed: Any,
    first_deal: Any,
    outcomes: Any,
    logs: Any,
) -> Any:
    """Play one game for each row of `outcomes`; return how many were finished before a move was refused."""
    view = views[0]
    games = outcomes.shape[0]
    moves, worths = new_scratch(MAX_MOVES)
    cards = new_hidden(2)
    hidden, scratch, outer = cards[0], (moves, worths, cards[1]), new_scratch(MAX_MOVES)
    draws, playout_draws = streams[0, 2], streams[1, 2]
    logged = len(logs) > 0
    for game in range(games):
        key = deal_key(seed, first_deal + game)
        start_stream(draws, key, DECK, 0)
        start_streams(players, streams, key)
        set_up(view, hidden, draws)
        outcomes[game, :, SINGLES : REMOVED + 1] = 0
        if logged:
            logs[game].key = key
        while not view.ended:
            seat = begin_turn(view, hidden)
            player, rng, noise = players[seat], streams[seat, 0], streams[seat, 1]
            if player.plain:
                move = Word(call_choose(player.chooser, view, rng, player.params))
            elif player.rollouts:
                move = Word(think(views, player, rng, noise, scratch, outer, playout_draws, probe))
            else:
                move = Word(ask(view, player, rng, noise, scratch, probe))
            if not is_legal(view, move):
                probe.seat = seat
                probe.refused = move
                return game
            if logged:
                logs[game].moves[view.turn - 1] = move
            kind = np.int64(kind_of(move))
            outcomes[game, seat, SINGLES + kind - 1 if kind else PASSES] += 1
            outcomes[game, seat, PLACED] += np.int64(placed_by(move))
            outcomes[game, seat, REMOVED] += np.int64(removed_by(move))
            make_move(view, move, hidden, draws)
        write_outcomes(view, outcomes[game])
        if logged:
            logs[game].turns = view.turn
    cards[0] = cards[1]  # it was in use until here
    return games
