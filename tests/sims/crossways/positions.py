"""Positions of CrossWays, told twice: as the literal engine holds them, and as the kernel's view.

What the kernel keeps up to date by differences is made here from the stacks, and moves are read and written without the
functions that the kernel has for it.
"""

import copy
import dataclasses
import functools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from sims.bits import Word
from sims.chance import fill_stream, new_streams
from sims.crossways import CROSSWAYS, CrossWaysRules, new_views
from sims.crossways.hands import find_sets
from sims.crossways.kernel import new_hidden
from sims.crossways.rules import VIEW
from sims.jit import COMPILED, jit
from sims.table import Table
from strategies import Strategy
from tests.reference import crossways as literal

BASIC = CrossWaysRules()
SUITS, RANKS = "DHCS", ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
KINDS = ("pass", "single", "pair", "run", "joker", "pair-and-run")
GOALS = ("sides", "own-sides", "corners", "block-3x3", "frame-4x4", "block-4x4", "straight")
FLAGS = ("double_down", "king_of_the_mountain", "diagonals", "pairs_and_runs", "jokers_wild")
LAYOUT = [
    row.split()
    for row in (
        "BJ RK W R2 B7 R9 B4 R6",
        "R3 B5 R8 B10 W BQ W BA",
        "W R7 W R4 BK R5 B2 R10",
        "RQ B9 RA B6 RJ B3 W B8",
        "B8 W B3 RJ B6 RA B9 RQ",
        "R10 B2 R5 BK R4 W R7 W",
        "BA W BQ W B10 R8 B5 R3",
        "R6 B4 R9 B7 R2 W RK BJ",
    )
]
CELLS = literal.CELLS
PASS = literal.Pass


# --- The same thing under two names ----------------------------------------------------------------------------------


def face_of(card: str) -> int:
    """The kernel's number of a card."""
    return 63 if card == literal.JOKER else 16 * SUITS.index(card[-1]) + RANKS.index(card[:-1])


def card_of(face: int) -> str:
    return literal.JOKER if face == 63 else RANKS[face % 16] + SUITS[face // 16]


def faces(cards: Iterable[str]) -> list[int]:
    return sorted(face_of(card) for card in cards)


def number_of(cell: literal.Cell) -> int:
    return 8 * cell[0] + cell[1]


def cell_of(number: int) -> literal.Cell:
    return divmod(number, 8)


def bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def squares_in(word: Any) -> list[int]:
    return [number for number in range(64) if int(word) >> number & 1]


def kernel_rules(rules: literal.Rules, layout: Sequence[Sequence[str]] = LAYOUT) -> CrossWaysRules:
    text = "default" if layout == LAYOUT else " / ".join(" ".join(row) for row in layout)
    return CrossWaysRules(layout=text, **dataclasses.asdict(rules))


def literal_rules(rules: CrossWaysRules) -> literal.Rules:
    return literal.rules_of(rules.to_dict())


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


# --- Views -----------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def made_views(rules: CrossWaysRules, seats: int) -> Any:
    return np.frombuffer(new_views(rules, seats).tobytes(), np.uint8)


def empty_views(rules: CrossWaysRules, seats: int) -> Any:
    views = np.zeros(2, VIEW)
    views.view(np.uint8)[:] = made_views(rules, seats)  # to the byte: a copy of records leaves out what pads them
    return views.view(np.recarray)


def board_fields(board: literal.Board, rules: literal.Rules, teams: int) -> dict[str, Any]:
    """What a view holds of a board, made from the stacks."""
    fields: dict[str, Any] = {name: [0] * 4 for name in ("one", "two", "four", "top")}
    fields |= {"stacks": [0] * 64, "closed": 0, "supplies": [0] * 4}
    for cell, stack in board.stacks.items():
        bit = 1 << number_of(cell)
        fields["stacks"][number_of(cell)] = sum(team + 1 << 3 * level for level, team in enumerate(stack))
        for team in range(teams):
            for name, least in (("one", 1), ("two", 2), ("four", 4)):
                fields[name][team] |= bit if stack.count(team) >= least else 0
            fields["top"][team] |= bit if stack and stack[-1] == team else 0
        fields["closed"] |= bit if any(stack.count(team) > 1 for team in stack) else 0
    for team in range(teams):
        fields["supplies"][team] = rules.markers - literal.on_board(board, team)
    return fields


BOARD_FIELDS = ("one", "two", "four", "top", "stacks", "closed", "supplies")


def told(view: Any, fields: Sequence[str] = BOARD_FIELDS) -> dict[str, Any]:
    return {name: np.array(view[name]).tolist() for name in fields}


def fill_view(view: Any, state: literal.State, seat: int) -> Any:
    """Write to a view what the literal engine says that a seat sees."""
    for name, value in board_fields(state.board, state.rules, state.teams).items():
        view[name] = value
    view.turn, view.passes = state.turn, state.passes
    view.hand_sizes[: len(state.hands)] = [len(hand) for hand in state.hands]
    view.discards[:] = 0
    for card in state.discards:
        view.discards[face_of(card)] += 1
    view.deck, view.seat, view.team = len(state.deck), seat, literal.team_of(state, seat)
    view.hand[:] = 0
    view.hand[: len(state.hands[seat])] = faces(state.hands[seat])
    sets_of(view)
    return view


@jit
def sets_of(view: Any) -> None:
    view.set_count = find_sets(view.hand, view.hand_sizes[view.seat], view.pairs_and_runs, view.sets)


def views_of(state: literal.State, seat: int) -> Any:
    """The kernel's two views, the first of them filled in."""
    views = empty_views(kernel_rules(state.rules, rows_of(state.board)), len(state.hands))
    fill_view(views[0], state, seat)
    return views


def view_of(state: literal.State, seat: int) -> Any:
    return views_of(state, seat)[0]


def rows_of(board: literal.Board) -> list[list[str]]:
    return [[board.squares[row, column] for column in range(8)] for row in range(8)]


def hidden_of(state: literal.State) -> Any:
    """Hands and deck as the kernel holds them."""
    hidden = new_hidden(1)[0] if not COMPILED else new_hidden(1).view(np.recarray)[0]
    for seat, hand in enumerate(state.hands):
        hidden.hands[seat, : len(hand)] = faces(hand)
    hidden.deck[: len(state.deck)] = [face_of(card) for card in state.deck]
    hidden.drawn, hidden.cards = 0, len(state.deck)
    return hidden


# --- Moves -----------------------------------------------------------------------------------------------------------


def cards_named(hand: Sequence[str], cards: Iterable[str]) -> int:
    """Bits of some cards of a sorted hand, of equal cards the first ones."""
    named = 0
    ordered = faces(hand)
    for face in faces(cards):
        named |= next(1 << place for place, other in enumerate(ordered) if other == face and not named & 1 << place)
    return named


def code(hand: Sequence[str], move: literal.Move | literal.Pass) -> int:
    """The word of a move; nothing about it has to be legal but that the hand has the cards."""
    if isinstance(move, literal.Pass):
        return cards_named(hand, move.discarded) << 54
    kind = KINDS.index(move.kind)
    if kind == 5:
        kind += len(move.placed) - 1
    word = (kind << 6 | cards_named(hand, move.cards)) << 54
    items = sorted(marker.level << 6 | number_of(marker.cell) for marker in move.removed)
    items += sorted(map(number_of, move.placed))
    assert len(items) <= 6
    return word + sum(item << 9 * index for index, item in enumerate(items))


def read(view: Any, word: int) -> literal.Move | literal.Pass:
    """A move in the literal engine's words; of a pair-and-run without pair and run."""
    word = int(word)
    kind, named = word >> 60, word >> 54 & 63
    cards = tuple(card_of(int(face)) for place, face in enumerate(view.hand) if named >> place & 1)
    if kind == 0:
        return literal.Pass(cards)
    placed = {1: len(cards), 2: len(cards), 3: 0, 4: 2 if len(cards) == 2 else 0}.get(kind, kind - 4)
    removed = 1 if kind == 4 and len(cards) == 1 else len(cards) - placed if kind != 4 else 0
    items = [word >> 9 * index & 511 for index in range(removed + placed)]
    assert word & (1 << 54) - 1 == sum(item << 9 * index for index, item in enumerate(items))
    markers = []
    for item in items[:removed]:
        stack = int(view.stacks[item & 63])
        markers.append(literal.Marker(cell_of(item & 63), (stack >> 3 * (item >> 6) & 7) - 1, item >> 6))
    assert all(item < 64 for item in items[removed:])
    return literal.Move(KINDS[min(kind, 5)], cards, tuple(cell_of(item) for item in items[removed:]), tuple(markers))


def play_of(view: Any, word: int) -> literal.Play:
    """A move without what makes no difference."""
    move = read(view, word)
    assert isinstance(move, literal.Move)
    rules = literal.Rules(king_of_the_mountain=bool(view.king_of_the_mountain))
    return literal.play_of(rules, move)


def split(position: literal.Position, move: literal.Move) -> literal.Move:
    """A pair-and-run with its pair and run: those of the choices of cards that have its numbers."""
    if move.kind != "pair-and-run":
        return move
    for choice in literal.card_choices(position):
        numbers = choice.kind, choice.cards, choice.placed, choice.removed
        if numbers == (move.kind, tuple(sorted(move.cards)), len(move.placed), len(move.removed)):
            return move._replace(pair=choice.pair, run=choice.run)
    return move


# --- Random positions ------------------------------------------------------------------------------------------------


class Position(NamedTuple):
    """A table, and the seat whose turn it is."""

    state: literal.State
    seat: int

    @property
    def view(self) -> Any:
        return view_of(*self)

    @property
    def situation(self) -> literal.Position:
        return literal.position_of(self.state, self.seat)

    @property
    def hand(self) -> list[str]:
        return self.state.hands[self.seat]

    def code(self, move: literal.Move | literal.Pass) -> int:
        return code(self.hand, move)

    def refusal(self, move: literal.Move | literal.Pass) -> str | None:
        if isinstance(move, literal.Pass):
            return literal.pass_refusal(self.situation, move.discarded)
        return literal.refusal(self.situation, split(self.situation, move))

    def after(self, move: literal.Move | literal.Pass) -> literal.State:
        state = copy.copy(self.state)
        state.hands, state.discards = [list(hand) for hand in state.hands], list(state.discards)
        if isinstance(move, literal.Pass):
            literal.carry_out_pass(state, self.seat, move.discarded)
        else:
            literal.carry_out(state, self.seat, move)
        return state


def random_layout(source: random.Random) -> list[list[str]]:
    tokens = [token for token in literal.TOKENS[:-1] for _ in range(2)] + ["W"] * 12
    source.shuffle(tokens)
    return [tokens[8 * row : 8 * row + 8] for row in range(8)]


def fill_board(source: random.Random, state: literal.State, share: float, doubles: float, least: int = 0) -> None:
    """Put markers on the board as plays could have: each square is used with probability `share`.

    `least` markers stay in the supply of every team.
    """
    rules, board = state.rules, state.board
    left = {team: rules.markers - least for team in range(state.teams)}
    cells = list(CELLS)
    source.shuffle(cells)
    for cell in cells:
        if source.random() >= share:
            continue
        if board.squares[cell] == "W":
            times = 4 if rules.diagonals and source.random() < 0.5 else 2
            rich = [team for team in left if left[team] >= times]
            stack = [source.choice(rich)] * times if rich else []
        else:
            some = [team for team in left if left[team] >= 2]
            stack = source.sample(some, min(len(some), source.choice([1, 1, 1, 2, 2, 3, 4])))
            if stack and source.random() < doubles:
                stack.append(source.choice(stack))
        board.stacks[cell] = stack
        for team in stack:
            left[team] -= 1


def likely_hand(source: random.Random, deck: list[str], size: int) -> list[str]:
    """Cards of a hand in which there often is a pair, a run, or both, and equal cards."""
    style = source.random()
    start = source.randrange(13)
    near = [RANKS[(start + step) % 13] for step in range(3)]
    suits = source.sample(SUITS, source.choice([1, 2, 2, 4]))
    wanted = [
        card
        for card in deck
        if (card == literal.JOKER and style < 0.7)
        or (card != literal.JOKER and card[:-1] in near and (card[-1] in suits or style < 0.2))
    ]
    source.shuffle(wanted)
    jokers = [card for card in wanted if card == literal.JOKER][: source.choice([0, 1, 1, 2])]
    wanted = jokers + [card for card in wanted if card != literal.JOKER]
    others = [card for card in deck if style >= 0.9 or card not in wanted]
    source.shuffle(others)
    pool = others if style >= 0.9 else wanted + others
    return sorted(pool[:size])


def random_position(
    source: random.Random,
    *,
    rules: literal.Rules | None = None,
    seats: int | None = None,
    hand: int | None = None,
    share: float | None = None,
    doubles: float | None = None,
    layout: Sequence[Sequence[str]] | None = None,
    least: int = 0,
) -> Position:
    """A table in the middle of a game, with a hand in which there is something to play."""
    rules = random_rules(source) if rules is None else rules
    if hand is not None:
        rules = dataclasses.replace(rules, hand=hand, team_hand=hand)
    seats = source.choice(literal.SEATS[rules.team_size]) if seats is None else seats
    state = literal.start(rules, seats, layout or source.choice([LAYOUT, random_layout(source)]))
    share = source.choice([0.05, 0.15, 0.4, 0.7, 1.0]) if share is None else share
    doubles = source.choice([0.0, 0.3, 0.9]) if doubles is None else doubles
    fill_board(source, state, share, doubles, source.choice([least, least, min(4 + least, rules.markers)]))
    state.turn = source.randrange(1, rules.turn_limit + 1)
    seat = state.mover
    source.shuffle(state.deck)
    size = literal.hand_size(rules)
    for one in (seat, *(one for one in range(seats) if one != seat)):
        cards = likely_hand(source, state.deck, size) if one == seat else state.deck[:size]
        state.hands[one] = cards
        state.deck = literal.without_cards(state.deck, cards)
    gone = source.randrange(len(state.deck) + 1)
    state.discards, state.deck = state.deck[:gone], state.deck[gone:]
    state.passes = source.randrange(seats)
    literal.check_table(state)
    return Position(state, seat)


def random_rules(source: random.Random, **kept: Any) -> literal.Rules:
    """Options at random, a few of the optional rules among them."""
    options: dict[str, Any] = {
        "team_size": source.choice([1, 1, 1, 2]),
        "hand": source.choice([1, 2, 3, 4, 5, 6]),
        "team_hand": source.choice([1, 2, 3, 4, 5, 6]),
        "markers": source.choice([8, 12, 24, 24]),
        "decks": source.choice([1, 2, 2, 4]),
        "goal": source.choice(GOALS),
        "may_pass": source.random() < 0.6,
        "discard_on_pass": source.random() < 0.4,
        "turn_limit": source.choice([1, 3, 20, 60, 400]),
    }
    options |= {name: source.random() < 0.4 for name in FLAGS}
    return literal.Rules(**{**options, **kept})


def positions(**kept: Any) -> st.SearchStrategy[Position]:
    """Tables at random; a failing one is told by its number."""
    return st.integers(0, 2**32).map(lambda start: random_position(random.Random(start), **kept))


def position_of(
    stacks: dict[str, str],
    hand: str,
    *,
    seats: int = 2,
    turn: int = 1,
    discards: str = "",
    layout: Sequence[Sequence[str]] = LAYOUT,
    **options: Any,
) -> Position:
    """A table with stacks such as {"b3": "010"} (row and column as a letter and a digit), the mover's hand full.

    The other hands and the deck are what is left, in order.
    """
    cards = hand.split()
    rules = literal.Rules(**{"hand": len(cards), "team_hand": len(cards), **options})
    state = literal.start(rules, seats, layout)
    for name, stack in stacks.items():
        state.board.stacks[cell_at(name)] = [int(team) for team in stack]
    state.turn = turn
    seat = state.mover
    state.hands[seat] = cards
    state.discards = discards.split()
    state.deck = literal.without_cards(state.deck, [*cards, *state.discards])
    for other in range(seats):
        if other != seat:
            state.hands[other] = [state.deck.pop() for _ in range(literal.hand_size(rules))]
    literal.check_table(state)
    return Position(state, seat)


def cell_at(name: str) -> literal.Cell:
    """The square with this name: a1 is the first of the first row."""
    return "abcdefgh".index(name[0]), int(name[1]) - 1


def another_world(state: literal.State, seat: int, source: random.Random) -> literal.State:
    """The same table for a seat: what it cannot see is dealt anew."""
    other = copy.copy(state)
    pool = [*state.deck, *(card for one, hand in enumerate(state.hands) if one != seat for card in hand)]
    source.shuffle(pool)
    other.hands = [list(hand) if one == seat else [pool.pop() for _ in hand] for one, hand in enumerate(state.hands)]
    other.deck = pool
    literal.check_table(other)
    return other


def some_moves(source: random.Random, position: Position, most: int) -> Iterator[literal.Move]:
    """Moves that look as if they could be made, most of them legal: cards that fit together, squares at random."""
    choices = literal.card_choices(position.situation)
    board = position.state.board
    markers = literal.markers_on(board)
    whites = [cell for cell in CELLS if board.squares[cell] == "W"]
    for _ in range(most if choices else 0):
        choice = source.choice(choices)
        removed: list[literal.Marker] = []
        while len(removed) < choice.removed and markers:
            marker = source.choice(markers)
            same = [one for one in markers if one.cell == marker.cell and one not in removed]
            take = min(source.choice([1, 2, 4]), choice.removed - len(removed))
            if board.squares[marker.cell] != "W":
                take = 1
            removed += same[:take] if source.random() < 0.5 else source.sample(same, min(take, len(same)))
            if len(removed) >= len(markers):
                break
        if len(removed) != choice.removed:
            continue
        shown = [literal.square_of(card) for card in choice.cards if card != literal.JOKER]
        near = [cell for cell in CELLS if board.squares[cell] in shown]
        placed: list[literal.Cell] = []
        while len(placed) < choice.placed:
            cells = near if choice.kind in ("single", "joker") else source.choice([CELLS, CELLS, CELLS, whites])
            cell = source.choice(cells)
            times = source.choice([1, 1, 2, 4]) if choice.kind not in ("single", "joker") else choice.placed
            placed += [cell] * min(times, choice.placed - len(placed))
        yield literal.Move(choice.kind, choice.cards, tuple(placed), tuple(removed), choice.pair, choice.run)


# --- Players and tables ----------------------------------------------------------------------------------------------


def table(lineup: Sequence[Strategy], rules: CrossWaysRules = BASIC) -> Table:
    return Table(CROSSWAYS, rules, [one.player() for one in lineup])


def play(lineup: Sequence[Strategy], deals: int, rules: CrossWaysRules = BASIC, seed: int = 1, first: int = 0) -> Any:
    seated = table(lineup, rules)
    outcomes = seated.new_outcomes(deals)
    seated.play(seed, first, outcomes)
    return outcomes


def cards_of(state: literal.State) -> Counter[str]:
    """All cards there are, wherever they lie."""
    return Counter([*state.deck, *state.discards, *(card for hand in state.hands for card in hand)])
