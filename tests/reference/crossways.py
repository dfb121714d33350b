"""CrossWays, played slowly and literally from the rulebook: the oracle that fast kernels are held against.

On a board of 8×8 squares, most of which show the colour and rank of a playing card, seats play cards from their hands.
A single card places a marker on one of its two squares, cards of one rank place as many markers anywhere, and cards of
one suit in sequence remove as many markers from anywhere. Whose markers connect two opposite sides of the board wins.
The squares that are white show nothing, and never hold a single marker.

Nothing here is fast or clever, and nothing is imported from the project. Cards are the words of a trace, the deck, the
discards and the hands are lists of them, and a square holds a list of teams, from the bottom of the stack to its top.
`play` writes a game down as it goes, `referee` reads one and stops at the first thing that is wrong; they share the
rules of a single play and of the goals, but each goes through the steps of a turn in its own words. Sources: the
CrossWays rulebook, the project's page of rules (section 4) and its trace format.

Where all of them are silent: the first hands are drawn in seat order, each hand whole. At the turn limit the last play
is still drawn for, unless it wins. A play removes its markers before it places any. A seat without cards passes, and
has nothing to discard then. A chain visits no square twice.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

SIZE = 8
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SEQUENCES = (RANKS, (*RANKS[1:], RANKS[0]))  # the ace low, and the ace high
COLOURS = {"S": "B", "C": "B", "H": "R", "D": "R"}  # of the suits
JOKER = "JOKER"
JOKERS_IN_A_DECK = 2
CARDS = tuple(rank + suit for suit in COLOURS for rank in RANKS)

WHITE = "W"
WHITE_SQUARES = 12
SQUARES_OF_A_CARD = 2
TOKENS = (*(colour + rank for colour in "RB" for rank in RANKS), WHITE)

CHAIN_GOALS = ("sides", "own-sides", "corners")
SHAPE_GOALS = ("block-3x3", "frame-4x4", "block-4x4", "straight")
GOALS = (*CHAIN_GOALS, *SHAPE_GOALS)
KINDS = ("single", "pair", "run", "pair-and-run", "joker")
SEATS = {1: (2, 3, 4), 2: (4, 6, 8)}  # by the size of a team
RULES_VERSION = "1"

Cell = tuple[int, int]  # row and column
Event = dict[str, Any]

CELLS: list[Cell] = [(row, column) for row in range(SIZE) for column in range(SIZE)]
SIDEWAYS = [(-1, 0), (1, 0), (0, -1), (0, 1)]
DIAGONALLY = [(-1, -1), (-1, 1), (1, -1), (1, 1)]


class IllegalGameError(ValueError):
    """Something happened that the rules forbid, or something did not happen that they demand."""


@dataclass(frozen=True)
class Rules:
    """The options of the game; the defaults are the rulebook's. The layout comes with the game, not with the rules."""

    team_size: int = 1
    hand: int = 5
    team_hand: int = 4
    markers: int = 24
    decks: int = 2
    goal: str = "sides"
    double_down: bool = False
    king_of_the_mountain: bool = False
    diagonals: bool = False
    pairs_and_runs: bool = False
    jokers_wild: bool = False
    may_pass: bool = True
    discard_on_pass: bool = False
    turn_limit: int = 400


@dataclass
class Board:
    """What the squares show, and the teams of the markers on each of them, from the bottom to the top."""

    squares: dict[Cell, str]
    stacks: dict[Cell, list[int]]


@dataclass
class State:
    """Everything on the table and in the hands."""

    rules: Rules
    board: Board
    box: list[str]  # all cards there are, sorted
    deck: list[str]
    hands: list[list[str]]
    discards: list[str] = field(default_factory=list)
    passes: int = 0  # in a row
    turn: int = 1

    @property
    def mover(self) -> int:
        """The seat whose turn it is; seat 0 begins."""
        return (self.turn - 1) % len(self.hands)

    @property
    def teams(self) -> int:
        """Number of teams at the table."""
        return len(self.hands) // self.rules.team_size


class Position(NamedTuple):
    """What the legality of a seat's plays depends on."""

    rules: Rules
    board: Board
    team: int
    hand: list[str]


class Marker(NamedTuple):
    """A marker on the board; levels count from 0 at the bottom of the stack."""

    cell: Cell
    team: int
    level: int


class Move(NamedTuple):
    """A play as a trace tells it; pair and run are empty but for a pair and run played together."""

    kind: str
    cards: tuple[str, ...]
    placed: tuple[Cell, ...] = ()
    removed: tuple[Marker, ...] = ()
    pair: tuple[str, ...] = ()
    run: tuple[str, ...] = ()


class Pass(NamedTuple):
    """No play, and the cards that are discarded nonetheless."""

    discarded: tuple[str, ...] = ()


class Play(NamedTuple):
    """A play up to what makes no difference: two moves are the same play when nothing here tells them apart.

    Everything is sorted. What is removed are pairs of square and team, with the level as a third where it counts.
    """

    kind: str
    cards: tuple[str, ...]
    placed: tuple[Cell, ...]
    removed: tuple[tuple[Cell, int] | tuple[Cell, int, int], ...]


class Choice(NamedTuple):
    """A way to play cards: how many markers they place and remove."""

    kind: str
    cards: tuple[str, ...]
    placed: int
    removed: int
    pair: tuple[str, ...] = ()
    run: tuple[str, ...] = ()


class SeatOutcome(NamedTuple):
    """One seat's entry in the outcome, the fields named as in a trace."""

    seat: int
    score: float
    rank: int
    win: float
    team: int
    markers: int  # of the team, on the board
    end: str
    undecided: int
    turns: int
    singles: int
    pairs: int
    runs: int
    pairs_and_runs: int
    jokers: int
    passes: int
    placed: int
    removed: int
    reshuffles: int
    path_length: int
    direction: int


class Game(NamedTuple):
    """A finished game: what happened, the table at the end, and the outcome."""

    events: list[Event]
    state: State
    outcome: tuple[SeatOutcome, ...]


# Given the table, a seat and chance: a legal move, or a legal pass.
Chooser = Callable[[State, int, random.Random], Move | Pass]


# The table


def all_cards(rules: Rules) -> list[str]:
    """Return the cards of all decks, the jokers only when they are played with."""
    deck = [*CARDS, *([JOKER] * JOKERS_IN_A_DECK if rules.jokers_wild else [])]
    return deck * rules.decks


def layout_faults(layout: object) -> list[str]:
    """Say what is wrong with the squares of a board, given as eight rows of eight tokens."""
    if not isinstance(layout, list) or len(layout) != SIZE:
        return [f"not {SIZE} rows of squares"]
    faults = []
    for number, row in enumerate(layout):
        if not isinstance(row, list) or len(row) != SIZE:
            faults.append(f"row {number} is not a list of {SIZE} squares")
            continue
        faults += [
            f"there is no square {token!r} (row {number}, column {column})"
            for column, token in enumerate(row)
            if token not in TOKENS
        ]
    if faults:
        return faults
    found = [token for row in layout for token in row]
    for token in TOKENS:
        wanted = WHITE_SQUARES if token == WHITE else SQUARES_OF_A_CARD
        if found.count(token) != wanted:
            faults.append(f"{found.count(token)} squares {token}, not {wanted}")
    return faults


def board_of(layout: Sequence[Sequence[str]]) -> Board:
    """Return an empty board with these squares."""
    for fault in layout_faults(layout):
        raise IllegalGameError(f"layout: {fault}")
    return Board({(row, column): layout[row][column] for row, column in CELLS}, {cell: [] for cell in CELLS})


def start(rules: Rules, seats: int, layout: Sequence[Sequence[str]]) -> State:
    """Return the table before the first draw, all cards in the deck."""
    if seats not in SEATS[rules.team_size]:
        raise IllegalGameError(f"{seats} seats, but with teams of {rules.team_size} it is {seats_allowed(rules)}")
    cards = all_cards(rules)
    return State(rules, board_of(layout), sorted(cards), cards, [[] for _ in range(seats)])


def seats_allowed(rules: Rules) -> str:
    """Say how many seats can play."""
    *first, last = SEATS[rules.team_size]
    return f"{', '.join(map(str, first))} or {last}"


def team_of(state: State, seat: int) -> int:
    """Team of a seat; partners sit opposite each other."""
    return seat % state.teams


def hand_size(rules: Rules) -> int:
    """Number of cards that a seat fills its hand up to."""
    return rules.hand if rules.team_size == 1 else rules.team_hand


def position_of(state: State, seat: int) -> Position:
    """Return what a seat's plays depend on; it shares the board and the hand with the table."""
    return Position(state.rules, state.board, team_of(state, seat), state.hands[seat])


def on_board(board: Board, team: int) -> int:
    """Count the markers of a team on the board."""
    return sum(stack.count(team) for stack in board.stacks.values())


def is_closed(board: Board, cell: Cell) -> bool:
    """Whether two markers of one team, or more, lie on a square."""
    stack = board.stacks[cell]
    return any(stack.count(team) >= 2 for team in stack)


def check_table(state: State) -> None:
    """Raise `AssertionError` unless every card is in one place and the board is one that plays can lead to."""
    found = [*state.deck, *state.discards]
    for hand in state.hands:
        found += hand
    if sorted(found) != state.box:
        raise AssertionError(f"turn {state.turn}: cards got lost or came from nowhere")
    for team in range(state.teams):
        if on_board(state.board, team) > state.rules.markers:
            raise AssertionError(f"turn {state.turn}: team {team} has more markers than there are")
    most_on_white = 4 if state.rules.diagonals else 2
    for cell, stack in state.board.stacks.items():
        if state.board.squares[cell] == WHITE:
            is_right = len(stack) % 2 == 0 and len(stack) <= most_on_white and len(set(stack)) <= 1
        else:
            is_right = len(stack) <= len(set(stack)) + 1
        if not is_right:
            raise AssertionError(f"turn {state.turn}: {list(cell)} bears {stack}")


# Cards


def rank_of(card: str) -> str:
    """Return the rank of a card that is no joker."""
    return card[:-1]


def suit_of(card: str) -> str:
    """Return the suit of a card that is no joker."""
    return card[-1]


def square_of(card: str) -> str:
    """Return what the two squares of a card show."""
    return COLOURS[suit_of(card)] + rank_of(card)


def is_pair(cards: Sequence[str]) -> bool:
    """Whether cards are two or more of one rank."""
    return len(cards) >= 2 and JOKER not in cards and len({rank_of(card) for card in cards}) == 1


def is_run(cards: Sequence[str]) -> bool:
    """Whether cards are two or more of one suit in sequence, in whatever order; the ace is low or high, never both."""
    if len(cards) < 2 or JOKER in cards or len({suit_of(card) for card in cards}) > 1:
        return False
    for sequence in SEQUENCES:
        places = sorted(sequence.index(rank_of(card)) for card in cards)
        if places == list(range(places[0], places[0] + len(cards))):
            return True
    return False


def are_among(cards: Sequence[str], others: Sequence[str]) -> bool:
    """Whether there are as many of each of these cards among the others."""
    return all(cards.count(card) <= others.count(card) for card in cards)


def without_cards(cards: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return the cards that are left when some are taken."""
    left = list(cards)
    for card in taken:
        left.remove(card)
    return left


# Plays


def removal_refusal(board: Board, removed: Sequence[Marker]) -> str | None:
    """Why these markers cannot be removed together; None when they can."""
    for marker in removed:
        stack = board.stacks[marker.cell]
        if marker.level >= len(stack) or stack[marker.level] != marker.team:
            return f"there is no marker of team {marker.team} on {list(marker.cell)} at level {marker.level}"
        if removed.count(marker) > 1:
            return f"the marker on {list(marker.cell)} at level {marker.level} is removed twice"
    for cell in {marker.cell for marker in removed}:
        number = len([marker for marker in removed if marker.cell == cell])
        if board.squares[cell] == WHITE and number % 2 == 1:
            return f"the markers on the white square {list(cell)} leave two at a time"
    return None


def placement_refusal(rules: Rules, board: Board, team: int, placed: Sequence[Cell]) -> str | None:
    """Why a team cannot place markers on these squares in one play, whatever its supply; None when it can."""
    for cell in sorted(set(placed)):
        number = placed.count(cell)
        stack = list(board.stacks[cell])
        if board.squares[cell] == WHITE:
            is_enough = number == 2 and not stack
            if rules.diagonals:
                is_enough = is_enough or (number == 4 and not stack) or (number == 2 and stack == [team, team])
            if not is_enough:
                return f"no {number} on the white square {list(cell)}, which bears {stack}"
            continue
        for _ in range(number):
            if any(stack.count(other) >= 2 for other in stack):
                return f"{list(cell)} is closed by the time it bears {stack}"
            stack.append(team)
    return None


def supply_refusal(rules: Rules, board: Board, team: int, placed: int) -> str | None:
    """Why a team has not so many markers to place; None when it has."""
    supply = rules.markers - on_board(board, team)
    return f"team {team} has {supply} markers left to place, not {placed}" if placed > supply else None


def without(board: Board, removed: Sequence[Marker]) -> Board:
    """Return the board after these markers left it."""
    gone = [(marker.cell, marker.level) for marker in removed]
    stacks = {
        cell: [team for level, team in enumerate(stack) if (cell, level) not in gone]
        for cell, stack in board.stacks.items()
    }
    return Board(board.squares, stacks)


def single_refusal(position: Position, move: Move) -> str | None:
    """What is wrong with a single card and the marker that it places."""
    if len(move.cards) != 1 or JOKER in move.cards:
        return f"{list(move.cards)} is not a single card"
    if len(move.placed) != 1 or move.removed:
        return "a single card places one marker"
    shown = position.board.squares[move.placed[0]]
    if shown != square_of(move.cards[0]):
        return f"{move.cards[0]} does not place on {list(move.placed[0])}, which shows {shown}"
    return None


def pair_refusal(position: Position, move: Move) -> str | None:
    """What is wrong with cards of one rank and the number of markers that they place."""
    if not is_pair(move.cards):
        return f"{list(move.cards)} are not cards of one rank"
    if len(move.placed) != len(move.cards) or move.removed:
        return f"{len(move.cards)} cards of one rank place {len(move.cards)} markers"
    return None


def run_refusal(position: Position, move: Move) -> str | None:
    """What is wrong with cards in sequence and the number of markers that they remove."""
    if not is_run(move.cards):
        return f"{list(move.cards)} are not cards of one suit in sequence"
    if len(move.removed) != len(move.cards) or move.placed:
        return f"{len(move.cards)} cards in sequence remove {len(move.cards)} markers"
    return None


def pair_and_run_refusal(position: Position, move: Move) -> str | None:
    """What is wrong with a pair and a run together, and the numbers of markers that they place and remove."""
    if not position.rules.pairs_and_runs:
        return "a pair and a run are not played together"
    if not is_pair(move.pair):
        return f"{list(move.pair)} are not cards of one rank"
    if not is_run(move.run):
        return f"{list(move.run)} are not cards of one suit in sequence"
    numbers = (len(move.placed), len(move.removed))
    both = [*move.pair, *move.run]
    if sorted(both) == sorted(move.cards):
        allowed = [(len(move.pair), len(move.run))]
    elif any(sorted([*move.cards, card]) == sorted(both) for card in move.pair if card in move.run):
        allowed = [(len(move.pair) - 1, len(move.run)), (len(move.pair), len(move.run) - 1)]
    else:
        return f"{list(move.pair)} and {list(move.run)} are not made of {list(move.cards)}"
    if numbers not in allowed:
        ways = " or ".join(f"place {placed} and remove {removed}" for placed, removed in allowed)
        return f"this pair and run {ways} markers, not {numbers[0]} and {numbers[1]}"
    return None


def joker_refusal(position: Position, move: Move) -> str | None:
    """What is wrong with a joker, alone or with another card, and the markers of the play."""
    if not position.rules.jokers_wild:
        return "jokers are not played with"
    if move.cards.count(JOKER) != 1 or len(move.cards) > 2:
        return f"{list(move.cards)} are not one joker, alone or with another card"
    others = [card for card in move.cards if card != JOKER]
    squares, stacks = position.board.squares, position.board.stacks
    if not others:
        if len(move.removed) != 1 or move.placed:
            return "a joker alone removes one marker"
        if squares[move.removed[0].cell] == WHITE:
            return f"a joker removes nothing from the white square {list(move.removed[0].cell)}"
        return None
    if len(move.placed) != 2 or len(set(move.placed)) != 1 or move.removed:
        return "a joker with another card places two markers together"
    cell = move.placed[0]
    if squares[cell] != square_of(others[0]):
        return f"{others[0]} does not place on {list(cell)}, which shows {squares[cell]}"
    if position.team in stacks[cell]:
        return f"{list(cell)} bears a marker of team {position.team} already"
    return None


REFUSALS = {
    "single": single_refusal,
    "pair": pair_refusal,
    "run": run_refusal,
    "pair-and-run": pair_and_run_refusal,
    "joker": joker_refusal,
}


def refusal(position: Position, move: Move) -> str | None:
    """Why a seat may not play this; None when it may."""
    if not are_among(move.cards, position.hand):
        return f"{list(move.cards)} is not in the hand {position.hand}"
    reason = REFUSALS[move.kind](position, move) or removal_refusal(position.board, move.removed)
    if reason is not None:
        return reason
    board = without(position.board, move.removed)
    return supply_refusal(position.rules, board, position.team, len(move.placed)) or placement_refusal(
        position.rules, board, position.team, move.placed
    )


def card_choices(position: Position) -> list[Choice]:
    """All ways to play cards of a hand, whether or not the board has room for the markers."""
    rules, hand = position.rules, position.hand
    parts = sorted(
        {cards for number in range(1, len(hand) + 1) for cards in itertools.combinations(sorted(hand), number)}
    )
    pairs = [cards for cards in parts if is_pair(cards)]
    runs = [cards for cards in parts if is_run(cards)]
    choices = [Choice("single", cards, 1, 0) for cards in parts if len(cards) == 1 and JOKER not in cards]
    if rules.jokers_wild:
        choices += [Choice("joker", cards, 0, 1) for cards in parts if cards == (JOKER,)]
        choices += [Choice("joker", cards, 2, 0) for cards in parts if len(cards) == 2 and cards.count(JOKER) == 1]
    choices += [Choice("pair", cards, len(cards), 0) for cards in pairs]
    choices += [Choice("run", cards, 0, len(cards)) for cards in runs]
    if rules.pairs_and_runs:
        for pair, run in itertools.product(pairs, runs):
            apart = tuple(sorted(pair + run))
            if are_among(apart, hand):
                choices.append(Choice("pair-and-run", apart, len(pair), len(run), pair, run))
            for card in sorted(set(pair) & set(run)):
                cards = tuple(without_cards(apart, [card]))
                if are_among(cards, hand):
                    choices.append(Choice("pair-and-run", cards, len(pair) - 1, len(run), pair, run))
                    choices.append(Choice("pair-and-run", cards, len(pair), len(run) - 1, pair, run))
    return choices


def markers_on(board: Board) -> list[Marker]:
    """All markers on the board."""
    return [Marker(cell, team, level) for cell in CELLS for level, team in enumerate(board.stacks[cell])]


def removals(position: Position, choice: Choice) -> Iterator[tuple[Marker, ...]]:
    """Go through the sets of markers that a choice of cards can remove."""
    markers = markers_on(position.board)
    for removed in itertools.combinations(markers, choice.removed):
        if removal_refusal(position.board, removed) is None:
            yield removed


def placements(position: Position, board: Board, choice: Choice) -> Iterator[tuple[Cell, ...]]:
    """Go through the groups of squares that a choice of cards can place markers on, on the board that it made."""
    rules, team = position.rules, position.team
    if supply_refusal(rules, board, team, choice.placed) is not None:
        return
    cells = CELLS
    if choice.kind in ("single", "joker"):
        shown = [square_of(card) for card in choice.cards if card != JOKER]
        cells = [cell for cell in CELLS if board.squares[cell] in shown]
    cells = [
        cell
        for cell in cells
        if any(placement_refusal(rules, board, team, [cell] * number) is None for number in (1, 2, 4))
    ]
    for placed in itertools.combinations_with_replacement(cells, choice.placed):
        if choice.kind == "joker" and len(set(placed)) > 1:
            continue
        if placement_refusal(rules, board, team, placed) is None:
            yield placed


def moves(position: Position) -> Iterator[Move]:
    """Go through the legal moves of a seat; some may be the same play."""
    for choice in card_choices(position):
        for removed in removals(position, choice):
            for placed in placements(position, without(position.board, removed), choice):
                yield Move(choice.kind, choice.cards, placed, removed, choice.pair, choice.run)


def has_play(position: Position) -> bool:
    """Whether a seat can do anything but pass."""
    return any(True for _ in moves(position))


def play_of(rules: Rules, move: Move) -> Play:
    """Return what is played, without what makes no difference."""
    removed: list[Any] = [
        (cell, team, level) if rules.king_of_the_mountain else (cell, team) for cell, team, level in move.removed
    ]
    return Play(move.kind, tuple(sorted(move.cards)), tuple(sorted(move.placed)), tuple(sorted(removed)))


def plays(position: Position) -> set[Play]:
    """All different legal plays of a seat, without the pass.

    Everything is tried, so that large hands on large boards take long: five cards of one rank alone have millions of
    ways to place five markers.
    """
    return {play_of(position.rules, move) for move in moves(position)}


def pass_refusal(position: Position, discarded: Sequence[str]) -> str | None:
    """Why a seat may not pass, discarding these cards; None when it may."""
    if not position.rules.may_pass:
        for move in moves(position):
            return f"it has to play, for example {move}"
    wanted = min(1, len(position.hand)) if position.rules.discard_on_pass else 0
    if len(discarded) != wanted:
        return f"a pass discards {wanted} cards, not {list(discarded)}"
    if not are_among(discarded, position.hand):
        return f"{list(discarded)} is not in the hand {position.hand}"
    return None


def carry_out(state: State, seat: int, move: Move) -> None:
    """Change the table as a legal move does, up to the refilling of the hand."""
    state.hands[seat] = without_cards(state.hands[seat], move.cards)
    state.discards += move.cards
    state.board = without(state.board, move.removed)
    for cell in move.placed:
        state.board.stacks[cell].append(team_of(state, seat))
    state.passes = 0


def carry_out_pass(state: State, seat: int, discarded: Sequence[str]) -> None:
    """Change the table as a legal pass does, up to the drawing of a card."""
    state.hands[seat] = without_cards(state.hands[seat], discarded)
    state.discards += discarded
    state.passes += 1


# The goals


def counts(rules: Rules, board: Board, team: int, cell: Cell) -> bool:
    """Whether a square counts for a team."""
    stack = board.stacks[cell]
    if rules.double_down and any(stack.count(other) >= 2 for other in stack if other != team):
        return False
    if rules.king_of_the_mountain:
        return len(stack) > 0 and stack[-1] == team
    return team in stack


def neighbours(cell: Cell, steps: Sequence[tuple[int, int]]) -> list[Cell]:
    """Return the squares that lie one of these steps from a square."""
    row, column = cell
    found = [(row + down, column + right) for down, right in steps]
    return [(row, column) for row, column in found if 0 <= row < SIZE and 0 <= column < SIZE]


def is_crossing(board: Board, team: int, cell: Cell) -> bool:
    """Whether a square is white and bears four markers of a team, which links it to its diagonal neighbours."""
    return board.squares[cell] == WHITE and board.stacks[cell].count(team) == 4


def linked(rules: Rules, board: Board, team: int, cell: Cell) -> list[Cell]:
    """Return the squares that may come next to a square in a chain of a team, if they are the team's."""
    if rules.goal == "corners":
        return neighbours(cell, SIDEWAYS + DIAGONALLY)
    if not rules.diagonals:
        return neighbours(cell, SIDEWAYS)
    aslant = neighbours(cell, DIAGONALLY)
    if not is_crossing(board, team, cell):
        aslant = [other for other in aslant if is_crossing(board, team, other)]
    return neighbours(cell, SIDEWAYS) + aslant


class Ends(NamedTuple):
    """The squares between which a chain runs, and what this direction is called in the outcome."""

    direction: int
    first: list[Cell]
    last: list[Cell]


def ends_of(rules: Rules, team: int) -> list[Ends]:
    """Return where the chains of a team may run; nowhere when the goal is a shape."""
    across = list(range(SIZE))
    down = Ends(1, [(0, column) for column in across], [(SIZE - 1, column) for column in across])
    right = Ends(-1, [(row, 0) for row in across], [(row, SIZE - 1) for row in across])
    if rules.goal == "sides":
        return [down, right]
    if rules.goal == "own-sides":
        return [down] if team % 2 == 0 else [right]
    if rules.goal == "corners":
        return [Ends(1, [(0, 0)], [(SIZE - 1, SIZE - 1)]), Ends(-1, [(0, SIZE - 1)], [(SIZE - 1, 0)])]
    return []


class Shape(NamedTuple):
    """Squares that win together, and what their direction is called in the outcome."""

    direction: int
    cells: list[Cell]


def block(top: int, left: int, side: int) -> list[Cell]:
    """Return the squares of a square block."""
    return [(row, column) for row in range(top, top + side) for column in range(left, left + side)]


def blocks(side: int) -> list[list[Cell]]:
    """Return all square blocks of a size on the board."""
    corners = range(SIZE - side + 1)
    return [block(top, left, side) for top in corners for left in corners]


def shapes_of(rules: Rules) -> list[Shape]:
    """Return the shapes that win; none when the goal is a chain."""
    if rules.goal == "straight":
        columns = [Shape(1, [(row, column) for row in range(SIZE)]) for column in range(SIZE)]
        rows = [Shape(-1, [(row, column) for column in range(SIZE)]) for row in range(SIZE)]
        return columns + rows
    if rules.goal == "block-3x3":
        return [Shape(0, cells) for cells in blocks(3)]
    if rules.goal == "block-4x4":
        return [Shape(0, cells) for cells in blocks(4)]
    if rules.goal == "frame-4x4":
        return [
            Shape(0, [cell for cell in cells if cell not in block(cells[0][0] + 1, cells[0][1] + 1, 2)])
            for cells in blocks(4)
        ]
    return []


def shortest_chain(rules: Rules, board: Board, team: int, ends: Ends) -> list[Cell] | None:
    """Return a chain of counting squares with as few squares as possible, None when there is no chain."""
    own = {cell for cell in CELLS if counts(rules, board, team, cell)}
    before: dict[Cell, Cell | None] = {cell: None for cell in ends.first if cell in own}
    layer = list(before)
    while layer:
        for cell in layer:
            if cell in ends.last:
                chain = [cell]
                while (previous := before[chain[-1]]) is not None:
                    chain.append(previous)
                return chain[::-1]
        following = []
        for cell in layer:
            for other in linked(rules, board, team, cell):
                if other in own and other not in before:
                    before[other] = cell
                    following.append(other)
        layer = following
    return None


class Success(NamedTuple):
    """A way in which a team has reached the goal."""

    direction: int
    cells: list[Cell]


def successes(rules: Rules, board: Board, team: int) -> list[Success]:
    """Return a shortest chain in every direction that has one, or all complete shapes."""
    found = []
    for ends in ends_of(rules, team):
        chain = shortest_chain(rules, board, team, ends)
        if chain is not None:
            found.append(Success(ends.direction, chain))
    for shape in shapes_of(rules):
        if all(counts(rules, board, team, cell) for cell in shape.cells):
            found.append(Success(shape.direction, shape.cells))
    return found


def has_path(rules: Rules, board: Board, team: int) -> bool:
    """Whether a team has reached the goal."""
    return len(successes(rules, board, team)) > 0


def winning_team(state: State) -> int | None:
    """Return the team that wins by the play of the mover, its own team before the others in turn order."""
    mover = team_of(state, state.mover)
    for team in [(mover + later) % state.teams for later in range(state.teams)]:
        if has_path(state.rules, state.board, team):
            return team
    return None


def chain_fault(rules: Rules, board: Board, team: int, cells: Sequence[Cell]) -> str | None:
    """Why these squares are not a team's winning chain in order, or winning shape; None when they are."""
    if len(set(cells)) != len(cells):
        return "a square comes twice"
    for cell in cells:
        if not counts(rules, board, team, cell):
            return f"{list(cell)} does not count for team {team}"
    if rules.goal in SHAPE_GOALS:
        if all(set(cells) != set(shape.cells) for shape in shapes_of(rules)):
            return f"the squares are not those of a {rules.goal}"
        return None
    for cell, following in itertools.pairwise(cells):
        if following not in linked(rules, board, team, cell):
            return f"{list(following)} is not linked to {list(cell)}"
    for ends in ends_of(rules, team):
        for first, last in ((ends.first, ends.last), (ends.last, ends.first)):
            if cells and cells[0] in first and cells[-1] in last:
                return None
    return "the chain does not connect what the goal wants connected"


# How far a team has to go


def price(rules: Rules, board: Board, team: int, cell: Cell) -> float:
    """Count the markers that a team needs to make a square count, infinitely many when none would do now."""
    if counts(rules, board, team, cell):
        return 0
    if board.squares[cell] == WHITE:
        return math.inf if board.stacks[cell] else 2
    return math.inf if is_closed(board, cell) else 1


def cheapest_from(rules: Rules, board: Board, team: int, first: Sequence[Cell]) -> dict[Cell, float]:
    """Prices of the cheapest chains from some squares to every square, both ends included; unreachable ones lack."""
    prices = {cell: price(rules, board, team, cell) for cell in CELLS}
    found: dict[Cell, float] = {}
    waiting = [(prices[cell], cell) for cell in first]
    heapq.heapify(waiting)
    while waiting:
        paid, cell = heapq.heappop(waiting)
        if cell in found or math.isinf(paid):
            continue
        found[cell] = paid
        for other in linked(rules, board, team, cell):
            heapq.heappush(waiting, (paid + prices[other], other))
    return found


def ways_on(rules: Rules, board: Board, team: int) -> list[tuple[int, set[Cell]]]:
    """Return the cheapest way to the goal in every direction or shape that is open: its price, and squares to fill.

    In a direction, these are the squares of all its cheapest chains that do not count yet. Where a square costs
    something, going through it twice is never cheapest, so that the sum of both prices speaks of a chain.
    """
    ways = []
    for ends in ends_of(rules, team):
        there = cheapest_from(rules, board, team, ends.first)
        back = cheapest_from(rules, board, team, ends.last)
        if not any(cell in there for cell in ends.last):
            continue
        best = min(there[cell] for cell in ends.last if cell in there)
        squares = set()
        for cell in there:
            own = price(rules, board, team, cell)
            if cell in back and own > 0 and there[cell] + back[cell] - own == best:
                squares.add(cell)
        ways.append((int(best), squares))
    for shape in shapes_of(rules):
        prices = {cell: price(rules, board, team, cell) for cell in shape.cells}
        if math.isfinite(sum(prices.values())):
            ways.append((int(sum(prices.values())), {cell for cell in shape.cells if prices[cell] > 0}))
    return ways


def fewest_markers(rules: Rules, board: Board, team: int) -> int | None:
    """Fewest further markers that reach the goal by placing alone, whatever the supply; None when it is blocked."""
    prices = [paid for paid, _ in ways_on(rules, board, team)]
    return min(prices) if prices else None


def squares_wanted(rules: Rules, board: Board, team: int) -> set[Cell]:
    """Return the squares of all cheapest chains or shapes that do not count yet."""
    best = fewest_markers(rules, board, team)
    return {cell for paid, squares in ways_on(rules, board, team) if paid == best for cell in squares}


# The outcome


def outcome_of(state: State, events: Sequence[Event]) -> tuple[SeatOutcome, ...]:
    """Count what happened in a finished game."""
    end = events[-1]
    winner = end.get("team")
    path_length, direction = 0, 0
    if winner is not None:
        ways = successes(state.rules, state.board, winner)
        path_length = min(len(way.cells) for way in ways)
        direction = sum({way.direction for way in ways})
    turns = [event for event in events if "turn" in event]
    outcome = []
    for seat in range(len(state.hands)):
        team = team_of(state, seat)
        own = [event for event in turns if event["seat"] == seat]
        kinds = [event["type"] for event in own]
        outcome.append(
            SeatOutcome(
                seat=seat,
                score=1 if team == winner else 0,
                rank=1 if winner is None or team == winner else 2,
                win=1.0 if team == winner else 0.0,
                team=team,
                markers=on_board(state.board, team),
                end=end["reason"],
                undecided=1 if winner is None else 0,
                turns=len(turns),
                singles=kinds.count("single"),
                pairs=kinds.count("pair"),
                runs=kinds.count("run"),
                pairs_and_runs=kinds.count("pair-and-run"),
                jokers=kinds.count("joker"),
                passes=kinds.count("pass"),
                placed=sum(len(event.get("placed", [])) for event in own),
                removed=sum(len(event.get("removed", [])) for event in own),
                reshuffles=len([event for event in events if event["type"] == "reshuffle"]),
                path_length=path_length,
                direction=direction,
            )
        )
    return tuple(outcome)


# Playing


def draw_cards(state: State, seat: int, number: int, chance: random.Random) -> list[Event]:
    """Draw cards one by one, with a new deck where one is needed; a draw of nothing is no event."""
    events: list[Event] = []
    cards: list[str] = []
    for _ in range(number):
        if not state.deck and state.discards:
            if cards:
                events.append({"type": "draw", "seat": seat, "cards": cards})
                cards = []
            state.deck, state.discards = state.discards, []
            events.append({"type": "reshuffle"})
        if state.deck:
            card = state.deck.pop(chance.randrange(len(state.deck)))
            state.hands[seat].append(card)
            cards.append(card)
    return [*events, {"type": "draw", "seat": seat, "cards": cards}] if cards else events


def event_of(state: State, seat: int, choice: Move | Pass) -> Event:
    """Return a move or a pass as an event of a trace."""
    if isinstance(choice, Pass):
        return {"type": "pass", "turn": state.turn, "seat": seat, "discarded": list(choice.discarded)}
    event = {
        "type": choice.kind,
        "turn": state.turn,
        "seat": seat,
        "cards": list(choice.cards),
        "placed": [list(cell) for cell in choice.placed],
        "removed": [
            {"cell": list(marker.cell), "team": marker.team, "level": marker.level} for marker in choice.removed
        ],
    }
    if choice.kind == "pair-and-run":
        event |= {"pair": list(choice.pair), "run": list(choice.run)}
    return event


def play(rules: Rules, seats: int, layout: Sequence[Sequence[str]], chance: random.Random, chooser: Chooser) -> Game:
    """Play a game to its end, which the turn limit brings about if nothing else does.

    Parameters
    ----------
    rules
        The options.
    seats
        2 to 4; with teams of two 4, 6 or 8.
    layout
        The squares of the board, eight rows of eight tokens.
    chance
        Source of the draws, and handed to the chooser.
    chooser
        Asked once a turn.

    Raises
    ------
    IllegalGameError
        When the chooser returns a move or a pass that is not legal.
    """
    state = start(rules, seats, layout)
    events: list[Event] = [{"type": "layout", "squares": [list(row) for row in layout]}]
    for seat in range(seats):
        events += draw_cards(state, seat, hand_size(rules), chance)

    while True:
        seat = state.mover
        choice = chooser(state, seat, chance)
        position = position_of(state, seat)
        reason = pass_refusal(position, choice.discarded) if isinstance(choice, Pass) else refusal(position, choice)
        if reason is not None:
            raise IllegalGameError(f"turn {state.turn}: seat {seat} may not do this: {reason}")
        events.append(event_of(state, seat, choice))
        if isinstance(choice, Pass):
            carry_out_pass(state, seat, choice.discarded)
            events += draw_cards(state, seat, len(choice.discarded), chance)
        else:
            carry_out(state, seat, choice)
            winner = winning_team(state)
            if winner is not None:
                cells = successes(rules, state.board, winner)[0].cells
                events.append(
                    {"type": "end", "reason": "goal", "team": winner, "cells": [list(cell) for cell in cells]}
                )
                break
            events += draw_cards(state, seat, hand_size(rules) - len(state.hands[seat]), chance)
        if state.passes == seats and not rules.discard_on_pass:
            events.append({"type": "end", "reason": "passes"})
            break
        if state.turn == rules.turn_limit:
            events.append({"type": "end", "reason": "turn-limit"})
            break
        state.turn += 1
    return Game(events, state, outcome_of(state, events))


# Refereeing a trace

TRACE_KEYS = {"game", "rules_version", "variant", "seed", "deal", "rotation", "seats", "events", "outcome"}
FLAGS = (
    "double_down",
    "king_of_the_mountain",
    "diagonals",
    "pairs_and_runs",
    "jokers_wild",
    "may_pass",
    "discard_on_pass",
)
NUMBERS = ("hand", "team_hand", "markers", "decks", "turn_limit")
VARIANT_KEYS = {"layout", "team_size", "goal", *FLAGS, *NUMBERS}
PLAY_KEYS = {"type", "turn", "seat", "cards", "placed", "removed"}
EVENT_KEYS = {
    "layout": {"type", "squares"},
    "draw": {"type", "seat", "cards"},
    "reshuffle": {"type"},
    **{kind: PLAY_KEYS for kind in KINDS},
    "pair-and-run": PLAY_KEYS | {"pair", "run"},
    "pass": {"type", "turn", "seat", "discarded"},
    "end": {"type", "reason"},
}
REASONS = ("goal", "passes", "turn-limit")


def referee(trace: Mapping[str, Any]) -> tuple[SeatOutcome, ...]:
    """Go through a trace event by event, as somebody at the table with the rulebook would.

    Draws and plays are judged by the state of the table; the reshuffles, the number of cards drawn, the end and the
    outcome are what they have to be. Cards, squares and markers of one event may be listed in any order, a chain from
    either end. Keys of the outcome that this module does not know are ignored.

    Parameters
    ----------
    trace
        A whole trace as `json.loads` returns it (lists, never tuples).

    Returns
    -------
    tuple of SeatOutcome
        The outcome, made again.

    Raises
    ------
    IllegalGameError
        At the first thing that the rules or the trace format forbid, or that is missing, with the number of the
        event (from 0).
    """
    check_header(trace)
    rules, seats = rules_of(trace["variant"]), len(trace["seats"])
    reader = Reader(trace["events"], seats, seats // rules.team_size)
    state = start(rules, seats, read_layout(reader))
    for seat in range(seats):
        read_draws(reader, state, seat, hand_size(rules))
    while not read_turn(reader, state, state.mover):
        state.turn += 1
    if reader.next() is not None:
        reader.refuse(f"{reader.next()} comes after the end")
    outcome = outcome_of(state, trace["events"])
    check_outcome(outcome, trace["outcome"])
    return outcome


class Reader:
    """The events of a trace, one after the other; each is checked for its shape when it comes up."""

    def __init__(self, events: Sequence[object], seats: int, teams: int) -> None:
        self.events = events
        self.seats = seats
        self.teams = teams
        self.position = 0

    def refuse(self, message: str) -> NoReturn:
        """Raise `IllegalGameError` about the event that comes next."""
        raise IllegalGameError(f"event {self.position}: {message}")

    def next(self) -> Event | None:
        """Return the event that comes next, None after the last; it stays the next."""
        if self.position == len(self.events):
            return None
        event = self.events[self.position]
        for fault in shape_faults(event, self.seats, self.teams):
            self.refuse(fault)
        assert isinstance(event, Mapping)
        return dict(event)

    def next_of(self, kind: str, name: str) -> Event:
        """Return the event that comes next, which has to be of this kind; it stays the next."""
        event = self.next()
        if event is None:
            self.refuse(f"the {name} is missing")
        if event["type"] != kind:
            self.refuse(f"{event} should be the {name}")
        return event

    def accept(self, state: State) -> None:
        """Go on to the following event, now that the table shows this one."""
        check_table(state)
        self.position += 1


def read_layout(reader: Reader) -> list[list[str]]:
    """Read the squares of the board."""
    squares: list[list[str]] = reader.next_of("layout", "layout")["squares"]
    for fault in layout_faults(squares):
        reader.refuse(f"layout: {fault}")
    reader.position += 1
    return squares


def read_draws(reader: Reader, state: State, seat: int, number: int) -> None:
    """Read the drawing of this many cards: what the deck has first, and the rest from a new deck."""
    while number > 0 and (state.deck or state.discards):
        if not state.deck:
            reader.next_of("reshuffle", f"reshuffle before seat {seat} draws {number} more")
            state.deck += state.discards
            state.discards.clear()
            reader.accept(state)
        wanted = number if number <= len(state.deck) else len(state.deck)
        event = reader.next_of("draw", f"draw of seat {seat}")
        cards = event["cards"]
        if event["seat"] != seat:
            reader.refuse(f"it is seat {seat} that draws, not seat {event['seat']}")
        if len(cards) != wanted:
            reader.refuse(f"seat {seat} draws {wanted} of {len(state.deck)} cards in the deck, not {len(cards)}")
        for card in cards:
            if cards.count(card) > state.deck.count(card):
                reader.refuse(f"seat {seat} draws {card} too often, it is in the deck {state.deck.count(card)} times")
        state.deck = without_cards(state.deck, cards)
        state.hands[seat] += cards
        reader.accept(state)
        number -= wanted


def read_turn(reader: Reader, state: State, seat: int) -> bool:
    """Read what a seat does in its turn, with its draws, and the end if the game is over then; say whether it is."""
    event = reader.next()
    if event is None:
        reader.refuse(f"turn {state.turn} is missing, the game is not over")
    if event["type"] not in ("pass", *KINDS):
        reader.refuse(f"turn {state.turn} begins with a play or a pass, not with {event}")
    if event["turn"] != state.turn:
        reader.refuse(f"this is turn {state.turn}, not turn {event['turn']}")
    if event["seat"] != seat:
        reader.refuse(f"turn {state.turn} belongs to seat {seat}, not to seat {event['seat']}")
    position = position_of(state, seat)
    if event["type"] == "pass":
        if (reason := pass_refusal(position, event["discarded"])) is not None:
            reader.refuse(f"seat {seat} may not pass so: {reason}")
        carry_out_pass(state, seat, event["discarded"])
        reader.accept(state)
        read_draws(reader, state, seat, len(event["discarded"]))
    else:
        move = move_of(event)
        if (reason := refusal(position, move)) is not None:
            reader.refuse(reason)
        carry_out(state, seat, move)
        reader.accept(state)
        winner = winning_team(state)
        if winner is not None:
            read_goal(reader, state, winner)
            return True
        read_draws(reader, state, seat, hand_size(state.rules) - len(state.hands[seat]))
    reason = None
    if state.turn >= state.rules.turn_limit:
        reason = "turn-limit"
    if state.passes >= len(state.hands) and not state.rules.discard_on_pass:
        reason = "passes"
    if reason is None:
        return False
    end = reader.next_of("end", f"end by {reason}")
    if end["reason"] != reason:
        reader.refuse(f"the game ends by {reason}, not by {end['reason']}")
    reader.accept(state)
    return True


def read_goal(reader: Reader, state: State, winner: int) -> None:
    """Read the end of a game that a team has won."""
    end = reader.next_of("end", f"end, which team {winner} wins")
    if end["reason"] != "goal":
        reader.refuse(f"team {winner} has won, the game does not end by {end['reason']}")
    if end["team"] != winner:
        reader.refuse(f"it is team {winner} that has won, not team {end['team']}")
    if (fault := chain_fault(state.rules, state.board, winner, cells_of(end["cells"]))) is not None:
        reader.refuse(f"cells: {fault}")
    reader.accept(state)


def cells_of(values: Sequence[Sequence[int]]) -> tuple[Cell, ...]:
    """Squares from JSON values."""
    return tuple([(row, column) for row, column in values])


def move_of(event: Event) -> Move:
    """Return the move that an event tells of."""
    markers = [(*cells_of([marker["cell"]]), marker["team"], marker["level"]) for marker in event["removed"]]
    return Move(
        kind=event["type"],
        cards=tuple(event["cards"]),
        placed=cells_of(event["placed"]),
        removed=tuple([Marker(*marker) for marker in markers]),
        pair=tuple(event.get("pair", [])),
        run=tuple(event.get("run", [])),
    )


def is_integer(value: object, least: int, most: float = math.inf) -> bool:
    """Whether a JSON value is a whole number (true and false are not) between these bounds, themselves included."""
    return type(value) is int and least <= value <= most


def is_cell(value: object) -> bool:
    """Whether a JSON value is a square of the board."""
    return isinstance(value, list) and len(value) == 2 and all(is_integer(number, 0, SIZE - 1) for number in value)


def is_list_of(value: object, is_right: Callable[[object], bool]) -> bool:
    """Whether a JSON value is a list of values that are all right."""
    return isinstance(value, list) and all(is_right(item) for item in value)


def is_card(value: object) -> bool:
    """Whether a JSON value is a card."""
    return isinstance(value, str) and (value in CARDS or value == JOKER)


def key_faults(value: object, wanted: set[str]) -> list[str]:
    """Say which keys an object lacks and which it should not have."""
    if not isinstance(value, Mapping):
        return [f"{value!r} is not an object"]
    faults = [f"the key {key!r} is missing" for key in sorted(wanted - set(value))]
    return faults + [f"the key {key!r} is unknown" for key in sorted(map(str, set(value) - wanted))]


def shape_faults(event: object, seats: int, teams: int) -> list[str]:
    """Say what is wrong with an event, whatever came before it."""
    if not isinstance(event, Mapping) or event.get("type") not in list(EVENT_KEYS):
        return [f"{event!r} is not a layout, draw, reshuffle, play, pass or end event"]
    kind = event["type"]
    won = {"team", "cells"} if kind == "end" and event.get("reason") == "goal" else set()
    keys = EVENT_KEYS[kind] | won
    faults = [f"{kind}: {fault}" for fault in key_faults(event, keys)]
    if faults:
        return faults
    if "turn" in keys and not is_integer(event["turn"], 1):
        faults.append(f"{kind}: there is no turn {event['turn']!r}")
    if "seat" in keys and not is_integer(event["seat"], 0, seats - 1):
        faults.append(f"{kind}: there is no seat {event['seat']!r}")
    faults += [
        f"{kind}: {event[key]!r} is not a list of cards"
        for key in ("cards", "pair", "run", "discarded")
        if key in keys and not is_list_of(event[key], is_card)
    ]
    faults += [
        f"{kind}: {event[key]!r} is not a list of squares"
        for key in ("placed", "cells")
        if key in keys and not is_list_of(event[key], is_cell)
    ]
    if "removed" in keys:
        if not isinstance(event["removed"], list):
            faults.append(f"{kind}: {event['removed']!r} is not a list of markers")
        else:
            faults += [f"{kind}: {fault}" for marker in event["removed"] for fault in marker_faults(marker, teams)]
    if "reason" in keys and event["reason"] not in REASONS:
        faults.append(f"{kind}: the reason {event['reason']!r} is not 'goal', 'passes' or 'turn-limit'")
    if "team" in keys and not is_integer(event["team"], 0, teams - 1):
        faults.append(f"{kind}: there is no team {event['team']!r}")
    return faults


def marker_faults(marker: object, teams: int) -> list[str]:
    """Say what is wrong with a marker that is removed, whatever lies on the board."""
    faults = key_faults(marker, {"cell", "team", "level"})
    if faults or not isinstance(marker, Mapping):
        return faults
    if not is_cell(marker["cell"]):
        faults.append(f"there is no square {marker['cell']!r}")
    if not is_integer(marker["team"], 0, teams - 1):
        faults.append(f"there is no team {marker['team']!r}")
    if not is_integer(marker["level"], 0):
        faults.append(f"there is no level {marker['level']!r}")
    return faults


def header_faults(trace: Mapping[str, Any]) -> list[str]:
    """Say what is wrong with the parts of a trace before its events."""
    faults = [f"trace: {fault}" for fault in key_faults(trace, TRACE_KEYS)]
    if faults:
        return faults
    if trace["game"] != "crossways":
        faults.append(f"game: {trace['game']!r} is not 'crossways'")
    if trace["rules_version"] != RULES_VERSION:
        faults.append(f"rules_version: {trace['rules_version']!r} is not {RULES_VERSION!r}")
    faults += [f"variant: {fault}" for fault in variant_faults(trace["variant"])]
    faults += [
        f"{key}: {trace[key]!r} is not a whole number from 0"
        for key in ("seed", "deal")
        if not is_integer(trace[key], 0)
    ]
    seats = trace["seats"]
    if not isinstance(seats, list) or any(not isinstance(seat, str) for seat in seats):
        faults.append(f"seats: {seats!r} is not a list of strategies")
    faults += [f"{key}: not a list" for key in ("events", "outcome") if not isinstance(trace[key], list)]
    if faults:
        return faults
    rules = rules_of(trace["variant"])
    if len(seats) not in SEATS[rules.team_size]:
        return [f"seats: {len(seats)} seats, but with teams of {rules.team_size} it is {seats_allowed(rules)}"]
    # Partners stay together, so that there are as many rotations as teams.
    last = len(seats) // rules.team_size - 1
    if not is_integer(trace["rotation"], 0, last):
        return [f"rotation: {trace['rotation']!r} is not a whole number from 0 to {last}"]
    return []


def variant_faults(variant: object) -> list[str]:
    """Say what is wrong with the resolved options of a trace; what the layout is called does not matter."""
    faults = key_faults(variant, VARIANT_KEYS)
    if faults or not isinstance(variant, Mapping):
        return faults
    if not is_integer(variant["team_size"], 1, 2):
        faults.append(f"team_size {variant['team_size']!r} is neither 1 nor 2")
    if variant["goal"] not in GOALS:
        faults.append(f"goal {variant['goal']!r} is not one of {', '.join(GOALS)}")
    faults += [f"{key} {variant[key]!r} is neither true nor false" for key in FLAGS if type(variant[key]) is not bool]
    faults += [
        f"{key} {variant[key]!r} is not a whole number from 1" for key in NUMBERS if not is_integer(variant[key], 1)
    ]
    return faults


def check_header(trace: Mapping[str, Any]) -> None:
    """Raise `IllegalGameError` unless the parts of a trace before its events are right."""
    for fault in header_faults(trace):
        raise IllegalGameError(fault)


def rules_of(variant: Mapping[str, Any]) -> Rules:
    """Rules from the resolved options of a trace."""
    return Rules(**{key: value for key, value in variant.items() if key != "layout"})


def is_close(value: object, wanted: float) -> bool:
    """Whether a JSON value is this number, written as a whole number or not."""
    return type(value) in (int, float) and value == wanted


def check_outcome(expected: Sequence[SeatOutcome], given: Sequence[object]) -> None:
    """Raise `IllegalGameError` unless every seat's entry holds what it should; further keys do not matter."""
    if len(expected) != len(given):
        raise IllegalGameError(f"outcome: there are {len(given)} entries for {len(expected)} seats")
    for right, found in zip(expected, given, strict=True):
        name = f"outcome of seat {right.seat}"
        if not isinstance(found, Mapping):
            raise IllegalGameError(f"{name}: {found!r} is not an object")
        for key, wanted in right._asdict().items():
            if key not in found:
                raise IllegalGameError(f"{name}: the key {key!r} is missing")
            value = found[key]
            is_right = is_close(value, wanted) if key in ("score", "win") else type(value) is type(wanted)
            if not is_right or value != wanted:
                raise IllegalGameError(f"{name}: {key} is {value!r}, should be {wanted!r}")
