"""What CrossWays is made of: plays, cards and squares, how often each is used, and how many steps it gains.

A step is a marker that a team needs less, to reach its goal, than before. What a play gains is by how much it brings
the own team nearer and the nearest of the others further away.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims import chance
from sims.bits import ONE, Word, bit_count
from sims.chance import start_stream
from sims.crossways.facts import (
    BY_GOAL,
    CORNERS,
    DECK,
    JOKER,
    JOKER_PLAY,
    KIND_NAMES,
    MAX_TEAMS,
    NONE,
    PAIR_AND_RUN,
    PASS,
    RANK_NAMES,
    RANKS,
    SIDE,
    SQUARES,
)
from sims.crossways.hands import insert_card, rank_of
from sims.crossways.kernel import begin_turn, draw_card, finish_turn, make_play, new_hidden, set_up
from sims.crossways.layouts import NAMES, find_layout
from sims.crossways.paths import (
    LAYERS,
    SHAPES,
    SHAPES_FROM,
    SHAPES_TO,
    end_of,
    is_path_goal,
    reach,
    shortest_chain,
    start_of,
)
from sims.crossways.plays import (
    cards_of,
    count_in,
    counting,
    has_won,
    height_of,
    item_of,
    kind_of,
    level_of,
    links,
    markers_needed,
    placed_by,
    removed_by,
    square_of,
    team_at,
)
from sims.crossways.rules import CrossWaysRules, new_views
from sims.crossways.telling import FARTHEST
from sims.elements import EARNED, USED, Board, Kind, Tallies
from sims.jit import jit

SHARES = 60  # of a play's steps among its cards, or its markers: divisible by every number of them
ANY_RANK = RANKS + 1  # the ranks and the joker
ON_EMPTY, BESIDE, CLOSING, ON_WHITE, OWN_REMOVED, OTHERS_REMOVED = range(6)
USE_NAMES = (
    "placed on an empty square",
    "placed beside markers of others",
    "placed beside an own one (closes)",
    "placed on a white square",
    "own one removed",
    "another's removed",
)

FIRST_CARD = len(KIND_NAMES)
FIRST_DRAW = FIRST_CARD + ANY_RANK
FIRST_USE = FIRST_DRAW + ANY_RANK
FIRST_SQUARE = FIRST_USE + len(USE_NAMES)
FIRST_REMOVAL = FIRST_SQUARE + SQUARES
FIRST_HELD = FIRST_REMOVAL + SQUARES
ELEMENTS = FIRST_HELD + SQUARES


def element_kinds(rules: CrossWaysRules, seats: int) -> tuple[Kind, ...]:
    """Return what is counted; `in_use` says where `tally_boards` has it."""
    kept = in_use(rules)
    plays = tuple(name for place, name in enumerate(KIND_NAMES) if place in kept)
    ranks = tuple(
        "joker" if name == "joker" else f"rank {name}"
        for place, name in enumerate((*RANK_NAMES, "joker"))
        if FIRST_CARD + place in kept
    )
    labels = tuple(NAMES[code] for code in find_layout(rules.layout))
    board = Board(tuple(f"row {row + 1}" for row in range(SIDE)), tuple(f"column {row + 1}" for row in range(SIDE)))
    squares = tuple(f"{board.name(square)} ({label})" for square, label in enumerate(labels))
    gained = "steps that the play gained on the nearest opponent"
    return (
        Kind(
            "play",
            "Plays",
            "What is done in a turn, by kind.",
            plays,
            count="turns in which the seat played so",
            count_unit="plays",
            value=gained,
            value_unit="steps",
        ),
        Kind(
            "card",
            "Cards played",
            "Cards by rank, whatever they were played for; a play's steps are shared evenly among its cards.",
            ranks,
            count="cards of the rank that the seat played",
            count_unit="cards",
            value=f"{gained}, shared by its cards",
            value_unit="steps",
            scale=SHARES,
        ),
        Kind(
            "draw",
            "Cards drawn",
            "Cards that the deck gave a seat, its first hand included: chance decides, not the player.",
            ranks,
            count="cards of the rank that the seat drew",
            count_unit="cards",
        ),
        Kind(
            "use",
            "What markers do",
            "Markers by where they were placed, or whose they were when they were removed; a play's steps are shared "
            "evenly among its markers.",
            USE_NAMES,
            count="markers that the seat placed or removed so",
            count_unit="markers",
            value=f"{gained}, shared by its markers",
            value_unit="steps",
            scale=SHARES,
        ),
        Kind(
            "square",
            "Squares",
            "The squares of the board, and the markers that were placed there.",
            squares,
            count="markers that the seat placed there",
            count_unit="markers",
            value=f"{gained}, shared by its markers",
            value_unit="steps",
            scale=SHARES,
            board=board,
            labels=labels,
        ),
        Kind(
            "removal",
            "Removals",
            "The squares of the board, and the markers that were removed there.",
            squares,
            count="markers that the seat removed there, whoever owned them",
            count_unit="markers",
            value=f"{gained}, shared by its markers",
            value_unit="steps",
            scale=SHARES,
            board=board,
            labels=labels,
        ),
        Kind(
            "held",
            "Squares held at the end",
            "The squares of the board at the end, and those that lie on a shortest winning path (or in the winning "
            "block, frame or line).",
            squares,
            count="markers that the team had there",
            count_unit="markers",
            value="games that it won through this square",
            value_unit="wins",
            of="side",
            board=board,
            labels=labels,
        ),
    )


def in_use(rules: CrossWaysRules) -> list[int]:
    """Return which of the elements that `tally_boards` counts there can be under these rules."""
    left_out = set() if rules.pairs_and_runs else {PAIR_AND_RUN}
    if not rules.jokers_wild:
        left_out |= {JOKER_PLAY, FIRST_CARD + RANKS, FIRST_DRAW + RANKS}
    return [element for element in range(ELEMENTS) if element not in left_out]


@jit
def rank_place(face: Any) -> Any:
    """Return the rank of a face, ace 0, and 13 for a joker."""
    return np.int64(RANKS) if face == JOKER else np.int64(rank_of(face))


@jit
def tally_draws(view: Any, seat: Any, hidden: Any, draws: Any, told: Any) -> None:
    """Refill a hand as the kernel does, and count what is drawn."""
    for place in range(np.int64(view.hand_sizes[seat]), np.int64(view.hand_limit)):
        face = draw_card(view, hidden, draws)
        insert_card(hidden.hands[seat], place, face)
        told[FIRST_DRAW + rank_place(face), USED] += 1
    view.hand_sizes[seat] = view.hand_limit
    view.deck = hidden.cards - hidden.drawn


@jit
def use_of(view: Any, move: Any, index: Any) -> Any:
    """Return what a marker of a move that is about to be made does: a place in `USE_NAMES`."""
    removed, item = np.int64(removed_by(move)), item_of(move, index)
    square, mark = square_of(item), Word(view.team) + ONE
    stack = view.stacks[square]
    if index < removed:
        return OWN_REMOVED if team_at(stack, level_of(item)) == mark else OTHERS_REMOVED
    if (Word(view.white) >> square) & ONE:
        return ON_WHITE
    own, height = np.int64(count_in(stack, view.team)), np.int64(height_of(stack))
    for other in range(index):
        if square_of(item_of(move, other)) != square:
            continue
        step = -1 if other < removed else 1
        height += step
        if step > 0 or team_at(stack, level_of(item_of(move, other))) == mark:
            own += step
    return CLOSING if own > 0 else BESIDE if height > 0 else ON_EMPTY


@jit
def tally_uses(view: Any, move: Any, uses: Any) -> None:
    """Write what each marker of a move that is about to be made does to `uses`."""
    for index in range(np.int64(removed_by(move) + placed_by(move))):
        uses[index] = use_of(view, move, index)


@jit
def tally_play(hand: Any, move: Any, uses: Any, steps: Any, told: Any) -> None:
    """Count a play, given the hand that it was made from, what its markers do, and the steps that it gained."""
    kind = np.int64(kind_of(move))
    told[kind, USED] += 1
    told[kind, EARNED] += steps
    if kind == PASS:
        return
    cards = cards_of(move)
    share = steps * SHARES // np.int64(bit_count(cards))
    for place in range(len(hand)):
        if (cards >> Word(place)) & ONE:
            card = FIRST_CARD + rank_place(hand[place])
            told[card, USED] += 1
            told[card, EARNED] += share
    removed = np.int64(removed_by(move))
    markers = removed + np.int64(placed_by(move))
    share = steps * SHARES // markers
    for index in range(markers):
        square = np.int64(square_of(item_of(move, index))) + (FIRST_REMOVAL if index < removed else FIRST_SQUARE)
        for element in (square, FIRST_USE + uses[index]):
            told[element, USED] += 1
            told[element, EARNED] += share


@jit
def lead(needed: Any, teams: Any, team: Any) -> Any:
    """Return by how many steps a team is nearer to its goal than the nearest other team (a signed number)."""
    nearest = np.int64(FARTHEST)
    for other in range(teams):
        if other != team:
            nearest = min(nearest, needed[other])
    return nearest - needed[team]


@jit
def on_shortest(own: Any, linked: Any, diagonal: Any, start: Any, end: Any, layers: Any) -> Any:
    """Return the squares on some shortest path in `own` from `start` to `end`, which there has to be.

    `layers` is room for the search, `LAYERS` words.
    """
    reached, steps = own & start, 0
    layers[0] = reached
    while not reached & end:
        reached |= reach(reached, linked, diagonal) & own
        steps += 1
        layers[steps] = reached
    back, found = own & end, NONE
    for left in range(steps, -1, -1):
        found |= back & layers[left]
        back |= reach(back, linked, diagonal) & own
    return found


@jit
def winning_set(view: Any, team: Any, layers: Any) -> Any:
    """Return the squares on a winner's shortest paths, or of the shapes that it completed."""
    own, linked, goal = counting(view, team), links(view, team), view.goal
    found = NONE
    if not is_path_goal(goal):
        for place in range(SHAPES_FROM[goal], SHAPES_TO[goal]):
            if SHAPES[place] & ~own == NONE:
                found |= SHAPES[place]
        return found
    won, least = has_won(view, team), SQUARES + 1
    for way in range(2):
        if (won >> Word(way)) & ONE:
            start, end = start_of(goal, way), end_of(goal, way)
            length = shortest_chain(own, linked, goal == CORNERS, start, end)
            if length < least:
                least, found = length, NONE
            if length == least:
                found |= on_shortest(own, linked, goal == CORNERS, start, end, layers)
    return found


@jit
def tally_end(view: Any, layers: Any, told: Any) -> None:
    """Count what every seat's team holds at the end; `told` has shape (seats, elements, 2)."""
    path = winning_set(view, view.winner, layers) if view.ended == BY_GOAL else NONE
    for seat in range(view.seats):
        team = seat % np.int64(view.teams)
        won = view.ended == BY_GOAL and view.winner == team
        for square in range(SQUARES):
            told[seat, FIRST_HELD + square, USED] = count_in(view.stacks[square], team)
            told[seat, FIRST_HELD + square, EARNED] = won and (path >> Word(square)) & ONE == ONE


@jit
def tally_boards(view: Any, draws: Any, logs: Any, tallies: Any) -> None:
    """Count the elements of logged games, into zeros of shape (games, seats, elements, 2).

    `draws` is a stream to draw the cards with once more.
    """
    cards = new_hidden(1)
    hidden = cards[0]
    layers, needed = np.zeros(LAYERS, np.uint64), np.zeros(MAX_TEAMS, np.int64)
    hand, uses = np.zeros(len(view.hand), np.uint8), np.zeros(len(view.hand), np.int64)
    limit = view.hand_limit
    for game in range(len(logs)):
        log = logs[game]
        told = tallies[game]
        start_stream(draws, Word(log.key), DECK, 0)
        view.hand_limit = 0  # nothing is dealt before it can be counted
        set_up(view, hidden, draws)
        view.hand_limit = limit
        for seat in range(view.seats):
            tally_draws(view, seat, hidden, draws, told[seat])
        for team in range(view.teams):
            needed[team] = min(markers_needed(view, team), FARTHEST)
        for turn in range(log.turns):
            mover = np.int64(begin_turn(view, hidden))
            own, teams = np.int64(view.team), np.int64(view.teams)
            move = Word(log.moves[turn])
            hand[:] = view.hand
            before = lead(needed, teams, own)
            tally_uses(view, move, uses)
            make_play(view, move, hidden)
            if kind_of(move) != Word(PASS):
                for other in range(teams):
                    needed[other] = min(markers_needed(view, other), FARTHEST)
            tally_play(hand, move, uses, lead(needed, teams, own) - before, told[mover])
            if not view.ended:
                tally_draws(view, mover, hidden, draws, told[mover])
                finish_turn(view)
        tally_end(view, layers, told)
    cards[0] = cards[0]  # it was in use until here


def tally_elements(rules: CrossWaysRules, logs: Any, outcomes: NDArray[np.int16]) -> Tallies:
    """Return counts and values of logged games, shape (games, seats, elements, 2)."""
    games, seats = outcomes.shape[:2]
    tallies = np.zeros((games, seats, ELEMENTS, 2), np.int64)
    tally_boards(new_views(rules, seats)[0], chance.new_streams(1)[0], logs, tallies)
    return tallies[:, :, in_use(rules)]
