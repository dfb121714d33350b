import copy
import dataclasses
import functools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims import chance
from sims import crosswise as cw
from sims.asking import new_scratch
from sims.bits import ONE, Word
from sims.chance import deal_key, fill_stream, new_streams, start_stream
from sims.crosswise import CROSSWISE, CrossWiseRules
from sims.errors import StrategyError, UsageError
from sims.game import WIN_UNIT, find_game
from sims.jit import COMPILED, jit
from sims.table import Table
from sims.trace import narrate
from strategies import (
    Parameter,
    Strategy,
    builtin_restrictions,
    builtin_strategies,
    find_strategy,
    heuristic,
    noisy,
    restrict,
    restriction,
    rollout,
    strategy,
)
from tests.reference import crosswise as literal

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("goldens") / "crosswise.txt"
BASIC, NO_SUDDEN_WIN = CrossWiseRules(), CROSSWISE.variant("no-sudden-win")
FEW = CrossWiseRules(copies=2, action_stones=1, hand=1, lone_hand=2)  # short games, which end by passes
SCORE, RANK, WIN = range(3)

# --- Players ---------------------------------------------------------------------------------------------------------


@heuristic(CROSSWISE.name)
def eager(view: Any, move: Any, params: Any) -> Any:
    """Takes the largest gain over the other team."""
    return cw.gain(view, move)


@strategy(CROSSWISE.name, parameters=[Parameter("columns", 0, 0, 1, "1: in columns, 0: in rows")])
def sorter(view: Any, rng: Any, params: Any) -> Any:
    """Collects every symbol in a line of its own."""
    symbols = cw.symbols_held(view.hand)
    while symbols:
        symbol = cw.next_symbol(symbols)
        symbols &= symbols - ONE
        for place in range(cw.SIDE):
            own, cross = symbol - ONE, Word(place)
            cell = own + Word(6) * cross if params[0] > 0.5 else Word(6) * own + cross
            if cw.is_empty(view, cell):
                return cw.make_move(cw.PLACING, symbol, cell, 0)
    return cw.random_move(view, rng)


@strategy(CROSSWISE.name)
def touchy(view: Any, rng: Any, params: Any) -> Any:
    """Lets everything that it sees change its choice, and draws nothing."""
    seen = Word(view.hand) + Word(view.filled) + Word(view.winner) + Word(view.ended) + Word(5) * Word(view.turn)
    seen += Word(7) * Word(view.bag) + Word(view.seat) + Word(view.team)
    for cell in range(cw.CELLS):
        seen += Word(view.cells[cell]) * Word(cell + 1)
    for line in range(cw.LINES):
        seen += Word(view.lines[line])
    for seat in range(cw.MAX_SEATS):
        seen += Word(view.hand_sizes[seat]) * Word(11 + seat)
    for action in range(cw.ACTIONS):
        seen += Word(view.played[action]) * Word(17 + action)
    moves = np.empty(cw.MAX_PLAYS, np.uint64)
    count = cw.list_moves(view, moves)
    return moves[seen % Word(count)]


@strategy(CROSSWISE.name, parameters=[Parameter("where", 0, 0, 1, "0: at the table, 1: thinking ahead")])
def wrong(view: Any, rng: Any, params: Any) -> Any:
    """Places a stone on another one from the third turn on."""
    symbols = cw.symbols_held(view.hand)
    if view.ahead == params[0] and view.turn >= 3 and symbols and view.filled:
        return cw.make_move(cw.PLACING, cw.next_symbol(symbols), cw.lowest_bit(view.filled), 0)
    return cw.random_move(view, rng)


@heuristic(CROSSWISE.name)
def unsure(view: Any, move: Any, params: Any) -> Any:
    """Cannot tell what a stone on the last cell is worth."""
    return np.nan if cw.cell_of(move) == Word(35) else 1.0


@restriction(CROSSWISE.name)
def border(view: Any, move: Any, params: Any) -> Any:
    """Touching the border of the board."""
    cell = cw.cell_of(move)
    row, column = cell // Word(6), cell % Word(6)
    return row == Word(0) or row == Word(5) or column == Word(0) or column == Word(5)


@restriction(CROSSWISE.name)
def placing(view: Any, move: Any, params: Any) -> Any:
    """Placing a stone while there is an action to play."""
    return cw.play_of(move) == Word(cw.PLACING)


UNIFORM = find_strategy(CROSSWISE.name, "uniform")
BUILT_IN = builtin_strategies(CROSSWISE.name)
NEVER = [*builtin_restrictions(CROSSWISE.name), border, placing]
# These draw nothing: what they choose is a function of what they see.
STEADY = [*(find_strategy(CROSSWISE.name, spec) for spec in ("wedel", "wedel:mirror=1")), touchy]
careful = restrict(eager, border)


def table(lineup: Sequence[Strategy], rules: CrossWiseRules = BASIC) -> Table:
    return Table(CROSSWISE, rules, [one.player() for one in lineup])


def play(lineup: Sequence[Strategy], deals: int, rules: CrossWiseRules = BASIC, seed: int = 1, first: int = 0) -> Any:
    seated = table(lineup, rules)
    outcomes = seated.new_outcomes(deals)
    seated.play(seed, first, outcomes)
    return outcomes


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


# --- Positions, told twice -------------------------------------------------------------------------------------------

LETTERS = {"R": "remove", "M": "move", "S": "swap", "P": "replace"}
LINE_STATE = {tuple(counts[1:]): number for number, counts in enumerate(cw.COUNTS.tolist())}


def stones_of(letters: str) -> list[str]:
    return [LETTERS.get(letter, letter) for letter in letters]


def kind_of(stone: str) -> int:
    return literal.STONES.index(stone) + 1


def word_of(hand: Sequence[str]) -> int:
    return sum(16 ** (kind_of(stone) - 1) for stone in hand)


def number_of(cell: literal.Cell) -> int:
    return 6 * cell[0] + cell[1]


def code(play: literal.Play) -> int:
    """The move that is a play."""
    first, second = [*map(number_of, play.cells), 0][:2]
    kind = ("place", *literal.ACTIONS).index(play.kind)
    return 65536 * kind + 4096 * int(play.stone or 0) + 64 * first + second


def codes(plays: Sequence[literal.Play]) -> list[int]:
    return sorted(map(code, plays))


def kernel_rules(rules: literal.Rules) -> CrossWiseRules:
    return CrossWiseRules(**dataclasses.asdict(rules))


def literal_rules(rules: CrossWiseRules) -> literal.Rules:
    return literal.Rules(**dataclasses.asdict(rules))


def state_of(board: str, *hands: str, turn: int = 1, played: str = "", **options: Any) -> literal.State:
    """A table with these stones on the board (a dot is an empty cell), in the hands and played; the rest is the bag."""
    state = literal.start(literal.Rules(**options), len(hands))
    state.turn = turn
    for cell, symbol in zip(literal.CELLS, board.replace(" ", ""), strict=True):
        if symbol != ".":
            state.bag.remove(symbol)
            literal.put(state, cell, symbol)
    for place, letters in [*zip(state.hands, hands, strict=True), (state.played, played)]:
        for stone in stones_of(letters):
            state.bag.remove(stone)
            place.append(stone)
    return state


EMPTY = " ".join(["......"] * 6)
RULEBOOK = "224322 421313 555655 444646 121662 614333"


def counts_of(line: Sequence[str | None]) -> tuple[int, ...]:
    return tuple(line.count(symbol) for symbol in literal.SYMBOLS)


@functools.lru_cache(maxsize=4)
def made_views(rules: CrossWiseRules, seats: int) -> Any:
    return np.frombuffer(cw.new_views(rules, seats).tobytes(), np.uint8)


def empty_views(rules: CrossWiseRules, seats: int) -> Any:
    views = np.zeros(2, cw.VIEW)
    views.view(np.uint8)[:] = made_views(rules, seats)  # to the byte: a copy of records leaves out what pads them
    return views.view(np.recarray)


def views_of(state: literal.State, seat: int) -> Any:
    """The kernel's two views of what the literal engine says that a seat knows, the first of them filled in."""
    seen = literal.seen_by(state, seat)
    views = empty_views(kernel_rules(state.rules), len(state.hands))
    view = views[0]
    view.seat, view.team, view.turn, view.bag = seat, literal.team_of(seat), state.turn, seen.bag_size
    view.hand = word_of(seen.hand)
    view.hand_sizes[: len(seen.hand_sizes)] = seen.hand_sizes
    view.played[:] = [seen.played.count(action) for action in literal.ACTIONS]
    view.cells[:] = [int(stone or 0) for row in seen.board for stone in row]
    view.filled = sum(1 << number_of(cell) for cell in literal.CELLS if seen.board[cell[0]][cell[1]])
    view.lines[:] = [LINE_STATE[counts_of(line)] for team in literal.TEAMS for line in literal.lines_of(state, team)]
    return views


def view_of(state: literal.State, seat: int) -> Any:
    return views_of(state, seat)[0]


def hidden_of(state: literal.State) -> Any:
    """Hands and bag as the kernel holds them."""
    hands, bag, numbers = cw.new_hidden()
    hands[: len(state.hands)] = [word_of(hand) for hand in state.hands]
    bag[: len(state.bag)] = [kind_of(stone) for stone in state.bag]
    numbers[1] = len(state.bag)
    return hands, bag, numbers


def stones_in_word(hand: Any) -> list[str]:
    return [stone for place, stone in enumerate(literal.STONES) for _ in range(int(hand) >> 4 * place & 15)]


def in_bag(hidden: Any) -> list[str]:
    _, bag, numbers = hidden
    return sorted(literal.STONES[kind - 1] for kind in bag[numbers[0] : numbers[1]])


RULE_FIELDS = (
    *("seats", "copies", "action_stones", "sudden_win", "hand_limits"),
    *("points", "gain_added", "gain_removed", "gain_replaced"),
)
SEEN = tuple(name for name in cw.VIEW.names if name not in (*RULE_FIELDS, "ahead"))
ON_TABLE = tuple(name for name in SEEN if name not in ("hand", "seat", "team", "winner", "ended"))


def told(view: Any, fields: Sequence[str] = SEEN) -> dict[str, Any]:
    return {name: np.array(view[name]).tolist() for name in fields}


def rules_in(view: Any) -> list[bytes]:
    return [view[name].tobytes() for name in RULE_FIELDS]


RULES = st.builds(
    CrossWiseRules,
    sudden_win=st.booleans(),
    group_points=st.tuples(*[st.integers(-20, 20)] * 5),
    six_different_points=st.integers(-20, 20),
    copies=st.integers(2, 10),
    action_stones=st.integers(0, 10),
    hand=st.integers(1, 8),
    lone_hand=st.integers(1, 10),
)


class Position(NamedTuple):
    """A table, and the seat whose turn it is."""

    state: literal.State
    seat: int

    @property
    def view(self) -> Any:
        return view_of(*self)

    @property
    def plays(self) -> list[literal.Play]:
        return literal.legal_plays(*self)

    def some_plays(self, most: int = 5) -> list[literal.Play]:
        """A few plays of every kind."""
        source = random.Random(0)
        by_kind: dict[str, list[literal.Play]] = {}
        for one in self.plays:
            by_kind.setdefault(one.kind, []).append(one)
        return [one for plays in by_kind.values() for one in source.sample(plays, min(most, len(plays)))]

    def after(self, play: literal.Play) -> literal.State:
        state = copy.deepcopy(self.state)
        literal.carry_out(state, self.seat, play)
        return state


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any table; often with lines that are all but equal, and with the mover's hand full of actions."""
    rules = literal_rules(draw(st.one_of(st.just(BASIC), RULES)))
    state = literal.start(rules, draw(st.integers(2, 4)))
    state.turn = draw(st.integers(1, 60))
    order = draw(st.sampled_from(["mixed", "rows", "columns"]))
    source = random.Random(draw(st.integers(0, 2**32)))
    symbols = [stone for stone in state.bag if stone in literal.SYMBOLS]
    cells = sorted(literal.CELLS, key=lambda cell: cell[:: -1 if order == "columns" else 1])
    if order == "mixed":
        source.shuffle(symbols)
        source.shuffle(cells)
    filled = draw(st.integers(0, min(35, len(symbols))))
    for cell, symbol in zip(cells, symbols[:filled], strict=False):
        literal.put(state, cell, symbol)
        state.bag.remove(symbol)
    for _ in range(draw(st.integers(0, 4))):
        one, other = source.sample(literal.CELLS, 2)
        stones = literal.stone_on(state, one), literal.stone_on(state, other)
        literal.put(state, one, stones[1])
        literal.put(state, other, stones[0])
    source.shuffle(state.bag)
    if draw(st.booleans()):
        state.bag.sort(key=lambda stone: stone in literal.ACTIONS)
    mover = state.mover
    for seat in (mover, *(seat for seat in range(len(state.hands)) if seat != mover)):
        size = min(draw(st.integers(0, literal.hand_size(state, seat))), len(state.bag))
        state.hands[seat] = [state.bag.pop() for _ in range(size)]
    actions = [stone for stone in state.bag if stone in literal.ACTIONS]
    for stone in source.sample(actions, source.randint(0, len(actions))):
        state.bag.remove(stone)
        state.played.append(stone)
    source.shuffle(state.bag)
    return Position(state, mover)


def another_world(state: literal.State, seat: int, source: random.Random) -> literal.State:
    """The same table for a seat: what it cannot see is dealt anew."""
    other = copy.deepcopy(state)
    pool = [*other.bag, *(stone for one, hand in enumerate(other.hands) if one != seat for stone in hand)]
    source.shuffle(pool)
    for one, hand in enumerate(other.hands):
        if one != seat:
            other.hands[one] = [pool.pop() for _ in hand]
    other.bag = pool
    assert literal.seen_by(other, seat) == literal.seen_by(state, seat)
    return other


def points_of(state: literal.State, team: int) -> Any:
    return sum(literal.line_points(counts_of(line), state.rules) for line in literal.lines_of(state, team))


def is_six(line: Sequence[str | None]) -> bool:
    return line[0] is not None and line.count(line[0]) == 6


# --- Facts -----------------------------------------------------------------------------------------------------------


def test_names_of_stones_and_plays_are_those_of_a_trace() -> None:
    assert list(cw.STONE_NAMES) == ["", *literal.STONES]
    assert list(cw.PLAY_NAMES) == ["place", *literal.ACTIONS]
    assert [cw.STONE_NAMES[kind] for kind in (cw.REMOVE, cw.MOVE, cw.SWAP, cw.REPLACE)] == list(literal.ACTIONS)
    assert [cw.PLAY_NAMES[play] for play in (cw.PLACING, cw.REMOVING, cw.MOVING, cw.SWAPPING, cw.REPLACING)] == [
        *("place", "remove", "move", "swap", "replace")
    ]


def test_states_are_all_lines_that_can_be() -> None:
    counts = [counts for counts in product(range(7), repeat=6) if sum(counts) <= 6]
    assert sorted(cw.COUNTS[:, 1:].tolist()) == sorted(map(list, counts))
    assert len(counts) == cw.STATES == 924 == comb(12, 6)
    assert not cw.COUNTS[:, 0].any()
    assert not cw.COUNTS[0].any()  # an empty line is state 0
    assert np.flatnonzero(cw.IS_SIX).tolist() == sorted(LINE_STATE[counts] for counts in counts if 6 in counts)


def test_added_and_removed() -> None:
    for number, counts in enumerate(cw.COUNTS[:, 1:].tolist()):
        assert cw.ADDED[number, 0] == cw.REMOVED[number, 0] == number
        for symbol in range(6):
            more = (*counts[:symbol], counts[symbol] + 1, *counts[symbol + 1 :])
            fewer = (*counts[:symbol], counts[symbol] - 1, *counts[symbol + 1 :])
            assert cw.ADDED[number, symbol + 1] == LINE_STATE.get(more, 0)
            assert cw.REMOVED[number, symbol + 1] == LINE_STATE.get(fewer, 0)


def test_rows_and_columns_of_cells() -> None:
    for row, column in literal.CELLS:
        assert (cw.ROW_OF[6 * row + column], cw.COLUMN_OF[6 * row + column]) == (row, 6 + column)
    assert cw.ROW_OF.dtype == cw.COLUMN_OF.dtype == np.uint64


def test_pairs_of_a_swap_are_numbered() -> None:
    for stones in (2, 3, 36):
        pairs = comb(stones, 2)
        numbered = list(zip(cw.PAIR_LOW[:pairs].tolist(), cw.PAIR_HIGH[:pairs].tolist(), strict=True))
        assert sorted(numbered) == list(combinations(range(stones), 2))
    assert len(cw.PAIR_LOW) == comb(36, 2)


def test_defaults_are_the_rulebook() -> None:
    assert kernel_rules(literal.Rules()) == BASIC
    assert literal_rules(BASIC) == literal.Rules()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("sudden_win", 1),
        ("group_points", (0, 0, 0, 0)),
        ("group_points", (0, 0, 0, 0, 21)),
        ("group_points", (-21, 0, 0, 0, 0)),
        ("six_different_points", 21),
        ("six_different_points", -21),
        ("six_different_points", 0.5),
        ("copies", 1),
        ("copies", 11),
        ("action_stones", -1),
        ("action_stones", 11),
        ("hand", 0),
        ("hand", 9),
        ("lone_hand", 0),
        ("lone_hand", 11),
    ],
)
def test_rules_refuse_what_does_not_fit(option: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^option {option}="):
        BASIC.replace(**{option: value})


@settings(deadline=None, max_examples=20)
@given(RULES)
def test_state_points(rules: CrossWiseRules) -> None:
    points = cw.state_points(rules)
    assert points.dtype == np.int8
    expected = [literal.line_points(counts, literal_rules(rules)) for counts in cw.COUNTS[:, 1:].tolist()]
    assert points.tolist() == expected


# --- Small rule functions --------------------------------------------------------------------------------------------


def test_make_move_and_its_parts() -> None:
    source = random.Random(1)
    for play, symbol in product(range(5), range(7)):
        for cell, other in [(0, 0), (35, 0), (0, 35), (35, 35), (source.randrange(36), source.randrange(36))]:
            move = cw.make_move(play, symbol, cell, other)
            assert move == play * 65536 + symbol * 4096 + cell * 64 + other
            assert (cw.play_of(move), cw.symbol_of(move)) == (play, symbol)
            assert (cw.cell_of(move), cw.other_cell_of(move)) == (cell, other)


@given(st.lists(st.integers(0, 15), min_size=10, max_size=10))
def test_held_one_of_symbols_held_next_symbol_and_nth_symbol(counts: list[int]) -> None:
    hand = Word(sum(count * 16**place for place, count in enumerate(counts)))
    assert [cw.held(hand, kind) for kind in range(1, 11)] == counts
    symbols = [symbol for symbol in range(1, 7) if counts[symbol - 1]]
    assert cw.symbols_held(hand) == sum(16 ** (symbol - 1) for symbol in symbols)
    if symbols:
        assert cw.next_symbol(cw.symbols_held(hand)) == symbols[0]
    assert [cw.nth_symbol(hand, place) for place in range(len(symbols))] == symbols
    for kind in range(1, 11):
        assert cw.one_of(kind) == 16 ** (kind - 1)


@settings(deadline=None, max_examples=30)
@given(positions())
def test_is_filled_and_is_empty(position: Position) -> None:
    view = position.view
    filled = [cell for cell in range(70) if cell < 64 and cw.is_filled(view, cell)]
    taken = [cell for cell in literal.CELLS if literal.stone_on(position.state, cell) is not None]
    assert filled == [number_of(cell) for cell in taken]
    assert [cell for cell in range(70) if cw.is_empty(view, cell)] == sorted(set(range(36)) - set(filled))


@settings(deadline=None)
@given(positions())
def test_list_moves_count_plays_and_can_play(position: Position) -> None:
    view, plays = position.view, position.plays
    before = view.tobytes()
    assert len(plays) <= cw.MAX_PLAYS
    moves = np.full(cw.MAX_PLAYS, 99, np.uint64)
    count = cw.list_moves(view, moves)
    assert sorted(moves[:count].tolist()) == codes(plays)
    assert np.all(moves[count:] == 99)
    assert cw.moves_of(view) == moves[:count].tolist()
    by_kind = Counter(one.kind for one in plays)
    assert [int(part) for part in cw.count_plays(view)] == [by_kind[name] for name in ("place", *literal.ACTIONS)]
    assert bool(cw.can_play(view)) == bool(plays)
    assert view.tobytes() == before


@jit
def legal_moves(view: Any, moves: Any) -> Any:
    """All moves below 2^19 that are legal."""
    count = 0
    for move in range(1 << 19):
        if cw.is_legal(view, Word(move)):
            moves[count] = move
            count += 1
    return count


@settings(deadline=None, max_examples=30)
@given(positions(), st.integers(0, 2**32))
def test_is_legal(position: Position, start: int) -> None:
    view, legal = position.view, codes(position.plays)
    source = random.Random(start)
    if COMPILED:
        moves = np.zeros(2 * cw.MAX_PLAYS, np.uint64)
        assert moves[: legal_moves(view, moves)].tolist() == legal
    tried = [source.randrange(2 ** source.choice([6, 12, 19, 20, 64])) for _ in range(100)]
    for move in source.sample(legal, min(20, len(legal))):
        tried += [move, move ^ 1 << source.randrange(19), move ^ 1 << source.randrange(19, 64)]
    for move in tried:
        assert bool(cw.is_legal(view, Word(move))) == (move in legal)


EVERY_KIND = [
    state_of("1..... ...... ...4.. ...... ...... ......", "2RMSP", "", hand=5),
    state_of("111222 3...33 444... 55..55 666... ......", "12RMSP", "", hand=6),
    state_of(RULEBOOK[:-1] + ".", "16RMSP", "", hand=6),
    state_of(EMPTY, "13RM", ""),
]


@pytest.mark.parametrize("state", EVERY_KIND, ids=["opening", "middle", "end", "empty"])
def test_random_move_makes_each_play_as_often(state: literal.State) -> None:
    view, rng = view_of(state, 0), stream(7)
    plays = codes(literal.legal_plays(state, 0))
    draws = (40 if COMPILED else 6) * len(plays)
    counts = Counter(int(cw.random_move(view, rng)) for _ in range(draws))
    assert counts.keys() <= set(plays)
    assert stats.chisquare([counts[move] for move in plays]).pvalue > 1e-4


@settings(deadline=None)
@given(positions())
def test_gains_own_gain_gain_and_sixes(position: Position) -> None:
    state, seat = position
    view = position.view
    kept = view.tobytes()
    before = [points_of(state, team) for team in literal.TEAMS]
    lines = [literal.lines_of(state, team) for team in literal.TEAMS]
    for one in position.some_plays():
        move, after = Word(code(one)), position.after(one)
        rows, columns = (points_of(after, team) - before[team] for team in literal.TEAMS)
        assert cw.gains(view, move) == (rows, columns)
        assert cw.own_gain(view, move) == (rows, columns)[literal.team_of(seat)]
        assert cw.gain(view, move) == (rows - columns) * (1 - 2 * literal.team_of(seat))
        made = [
            any(
                is_six(new) and not is_six(old)
                for old, new in zip(lines[team], literal.lines_of(after, team), strict=True)
            )
            for team in literal.TEAMS
        ]
        assert cw.sixes(view, move) == made[0] + 2 * made[1]
    assert view.tobytes() == kept


FIVE = "11111. 234562 345623 456234 562345 ......"


@pytest.mark.parametrize(
    ("board", "hand", "play", "made"),
    [
        (FIVE, "1", literal.Play("place", ((0, 5),), "1"), 1),
        (FIVE, "2", literal.Play("place", ((0, 5),), "2"), 0),
        (FIVE, "1", literal.Play("place", ((5, 5),), "1"), 0),
        ("11111. 234562 345621 456234 562345 ......", "M", literal.Play("move", ((2, 5), (0, 5))), 1),
        (FIVE, "M", literal.Play("move", ((0, 0), (0, 5))), 0),  # from the same row: five stay five
        ("111112 234563 345621 456234 562345 ......", "S", literal.Play("swap", ((0, 5), (2, 5))), 1),
        ("111112 234563 345621 456234 562345 ......", "S", literal.Play("swap", ((0, 0), (0, 5))), 0),
        ("111112 234563 345621 456234 562345 ......", "1P", literal.Play("replace", ((0, 5),), "1"), 1),
        ("111112 234563 345624 456234 562345 ......", "1P", literal.Play("replace", ((0, 0),), "1"), 0),
        ("111112 234563 345621 456234 562345 ......", "R", literal.Play("remove", ((0, 5),)), 0),
        # Two rows at once, by stones that change places.
        ("111112 222221 345634 456345 563456 ......", "S", literal.Play("swap", ((0, 5), (1, 5))), 1),
        ("111112 345634 222221 456345 563456 ......", "S", literal.Play("swap", ((0, 5), (2, 5))), 1),
        # The lower cell of a swap gets the sixth.
        ("111114 345632 456321 563243 632456 ......", "S", literal.Play("swap", ((0, 5), (2, 5))), 1),
    ],
)
def test_sixes_by_every_kind_of_play(board: str, hand: str, play: literal.Play, made: int) -> None:
    state = state_of(board, hand, "")
    assert play in literal.legal_plays(state, 0)
    assert cw.sixes(view_of(state, 0), Word(code(play))) == made
    # The same board turned over its diagonal: now it is the columns team.
    rows = board.split()
    turned = " ".join("".join(row[column] for row in rows) for column in range(6))
    cells = [cell[::-1] for cell in play.cells]
    cells = tuple(sorted(cells)) if play.kind == "swap" else tuple(cells)
    other = literal.Play(play.kind, cells, play.stone)
    assert cw.sixes(view_of(state_of(turned, hand, ""), 0), Word(code(other))) == 2 * made


@settings(deadline=None, max_examples=60)
@given(positions())
def test_unseen(position: Position) -> None:
    state, seat = position
    view = position.view
    hidden = Counter(state.bag)
    for one, hand in enumerate(state.hands):
        hidden.update(hand if one != seat else [])
    assert [int(cw.unseen(view, kind)) for kind in range(1, 11)] == [hidden[stone] for stone in literal.STONES]


@settings(deadline=None, max_examples=60)
@given(positions())
def test_team_points(position: Position) -> None:
    view = position.view
    assert [cw.team_points(view, team) for team in literal.TEAMS] == [
        points_of(position.state, team) for team in literal.TEAMS
    ]


def test_points_of_the_board_in_the_rulebook() -> None:
    view = view_of(state_of(RULEBOOK, "", ""), 0)
    assert view.points[view.lines].tolist() == [5, 2, 7, 6, 3, 3, 1, 3, 4, 6, 6, 2]
    assert (cw.team_points(view, 0), cw.team_points(view, 1)) == (26, 22)


# --- Parts of the kernel ---------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=8)
@given(RULES, st.integers(2, 4))
def test_new_views(rules: CrossWiseRules, seats: int) -> None:
    views = cw.new_views(rules, seats)
    view = views[0]
    assert told(view) == told(np.zeros(1, cw.VIEW)[0])
    for name in ("copies", "action_stones", "sudden_win"):
        assert view[name] == getattr(rules, name)
    assert view.seats == seats
    state = literal.start(literal_rules(rules), seats)
    assert view.hand_limits.tolist() == [literal.hand_size(state, seat) for seat in range(seats)] + [0] * (4 - seats)
    assert cw.hand_limits(rules, seats) == view.hand_limits[:seats].tolist()
    points = cw.state_points(rules).astype(int)
    assert view.points.tolist() == points.tolist()
    for number, counts in enumerate(cw.COUNTS.tolist()):
        for old in (symbol for symbol in range(1, 7) if counts[symbol]):
            removed = LINE_STATE[tuple(count - (place == old) for place, count in enumerate(counts))[1:]]
            assert view.gain_removed[number, old] == points[removed] - points[number]
            for new in range(1, 7):
                replaced = counts[:]
                replaced[old] -= 1
                replaced[new] += 1
                change = points[LINE_STATE[tuple(replaced[1:])]] - points[number]
                assert view.gain_replaced[number, old, new] == change
        for new in range(1, 7) if sum(counts) < 6 else ():
            added = LINE_STATE[tuple(count + (place == new) for place, count in enumerate(counts))[1:]]
            assert view.gain_added[number, new] == points[added] - points[number]
    assert views.ahead.tolist() == [0, 1]
    assert rules_in(views[1]) == rules_in(view)


@settings(deadline=None, max_examples=30)
@given(RULES)
def test_fill_bag(rules: CrossWiseRules) -> None:
    view, hidden = cw.new_views(rules, 2)[0], cw.new_hidden()
    hidden[2][:] = 7, 9  # left from the game before
    cw.fill_bag(view, hidden)
    assert in_bag(hidden) == sorted(literal.all_stones(literal_rules(rules)))
    assert hidden[2][0] == 0


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 2**32), st.integers(0, 30))
def test_draw(position: Position, start: int, drawn: int) -> None:
    hidden, draws = hidden_of(position.state), stream(start)
    _, bag, numbers = hidden
    before, drawn = in_bag(hidden), min(drawn, len(position.state.bag))
    kinds = [int(cw.draw(hidden, draws)) for _ in range(drawn)]
    assert numbers.tolist() == [drawn, len(before)]
    assert bag[:drawn].tolist() == kinds  # what was drawn first comes first
    assert sorted([literal.STONES[kind - 1] for kind in kinds] + in_bag(hidden)) == before


def test_draw_takes_each_stone_of_the_bag_as_often() -> None:
    state, draws = state_of(EMPTY, "", "", copies=2, action_stones=1), stream(11)
    hidden = hidden_of(state)
    pairs: Counter[tuple[int, int]] = Counter()
    size = len(state.bag)
    for _ in range(40_000 if COMPILED else 4_000):
        hidden[2][0] = 0  # all in the bag again, in the order in which the draws have left them
        pairs[int(cw.draw(hidden, draws)), int(cw.draw(hidden, draws))] += 1
    copies = {kind: 2 if kind <= 6 else 1 for kind in range(1, 11)}
    expected = {
        (one, other): copies[one] * (copies[other] - (one == other)) / (size * (size - 1))
        for one, other in product(copies, repeat=2)
    }
    possible = [pair for pair, share in expected.items() if share]
    assert pairs.keys() <= set(possible)
    shares = np.array([expected[pair] for pair in possible])
    assert stats.chisquare([pairs[pair] for pair in possible], shares * pairs.total()).pvalue > 1e-4


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 2**32))
def test_symbols_in_bag_and_refill(position: Position, start: int) -> None:
    state = position.state
    for seat in range(len(state.hands)):
        view, hidden = position.view, hidden_of(state)
        assert bool(cw.symbols_in_bag(hidden)) == any(stone in literal.SYMBOLS for stone in state.bag)
        cw.refill(view, seat, hidden, stream(start))
        hands, bag, numbers = hidden
        wanted = literal.stones_to_draw(state, seat)
        after = copy.deepcopy(state)
        for kind in bag[:wanted]:
            after.bag.remove(literal.STONES[kind - 1])
            after.hands[seat].append(literal.STONES[kind - 1])
        assert numbers[0] == wanted
        assert [stones_in_word(hand) for hand in hands[: len(after.hands)]] == [
            sorted(hand, key=kind_of) for hand in after.hands
        ]
        assert in_bag(hidden) == sorted(after.bag)
        # The seat's own word in the view waits for its next turn.
        assert told(view, ON_TABLE) == told(view_of(after, position.seat), ON_TABLE)


@settings(deadline=None)
@given(RULES, st.integers(2, 4), st.integers(0, 2**32))
def test_first_hand_and_put_back(rules: CrossWiseRules, seats: int, start: int) -> None:
    view, hidden, draws = cw.new_views(rules, seats)[0], cw.new_hidden(), stream(start)
    state = literal.start(literal_rules(rules), seats)
    cw.fill_bag(view, hidden)
    hands, bag, numbers = hidden
    for seat in range(seats):
        hands[seat], view.hand_sizes[seat] = 99, 7  # left from the game before
        returned = True
        while returned:
            first = int(numbers[0])
            returned = bool(cw.first_hand(view, seat, hidden, draws))
            drawn = [literal.STONES[kind - 1] for kind in bag[first : int(numbers[0])]]
            assert len(drawn) == literal.stones_to_draw(state, seat) == view.hand_sizes[seat]
            assert stones_in_word(hands[seat]) == sorted(drawn, key=kind_of)
            for stone in drawn:
                state.bag.remove(stone)
            state.hands[seat] = drawn
            assert in_bag(hidden) == sorted(state.bag)
            assert view.bag == len(state.bag)
            assert returned == (bool(drawn) and literal.is_to_redraw(state, seat))
            if returned:
                cw.put_back(view, seat, hidden)
                state.bag += drawn
                state.hands[seat] = []
                assert in_bag(hidden) == sorted(state.bag)


def test_a_hand_of_actions_is_kept_when_no_symbol_is_left_in_the_bag() -> None:
    board = "123456 123456 ...... ...... ...... ......"
    state = state_of(board, "", "", copies=2, action_stones=2, hand=3)
    view, hidden = view_of(state, 0), hidden_of(state)
    assert not cw.first_hand(view, 0, hidden, stream())
    assert view.hand_sizes[0] == 3


def first_hands(rules: CrossWiseRules, seats: int, games: int) -> Iterator[list[list[str]]]:
    view, hidden, draws = cw.new_views(rules, seats)[0], cw.new_hidden(), stream(3)
    for _ in range(games):
        cw.set_up(view, hidden, draws)
        yield [stones_in_word(hand) for hand in hidden[0][:seats]]


def test_first_hands_are_redrawn_until_they_have_a_symbol() -> None:
    """Every new hand is drawn from the whole bag: a hand is a hand at random that has a symbol."""
    games = 6_000 if COMPILED else 400
    rules = CrossWiseRules(copies=2, action_stones=10, hand=2)
    symbols = Counter(sum(stone in literal.SYMBOLS for stone in hands[0]) for hands in first_hands(rules, 2, games))
    assert set(symbols) == {1, 2}
    assert stats.binomtest(symbols[2], games, comb(12, 2) / (comb(52, 2) - comb(40, 2))).pvalue > 1e-4


def test_the_next_seat_draws_from_what_is_left() -> None:
    games = 6_000 if COMPILED else 400
    rules = CrossWiseRules(copies=2, action_stones=10, hand=1)
    pairs = Counter((one[0], other[0]) for one, other in first_hands(rules, 2, games))
    possible = list(product(literal.SYMBOLS, repeat=2))
    assert pairs.keys() <= set(possible)
    expected = [games / 6 * (1 if one == other else 2) / 11 for one, other in possible]
    assert stats.chisquare([pairs[pair] for pair in possible], expected).pvalue > 1e-4


@settings(deadline=None, max_examples=60)
@given(RULES, st.integers(2, 4), st.integers(0, 2**32))
def test_set_up(rules: CrossWiseRules, seats: int, start: int) -> None:
    view, hidden = cw.new_views(rules, seats)[0], cw.new_hidden()
    for name in SEEN:
        view[name] = 1  # left from the game before
    view.hand_sizes[seats:] = 0
    cw.set_up(view, hidden, stream(start))
    state = literal.start(literal_rules(rules), seats)
    state.turn = 0
    for seat, hand in enumerate(hidden[0][:seats]):
        for stone in stones_in_word(hand):
            state.bag.remove(stone)
            state.hands[seat].append(stone)
        assert len(state.hands[seat]) == view.hand_sizes[seat]
    assert in_bag(hidden) == sorted(state.bag)
    names = (*ON_TABLE, "winner", "ended")
    assert told(view, names) == told(view_of(state, 0), names)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seat_in_turn(seats: int) -> None:
    state = literal.start(literal.Rules(), seats)
    for state.turn in range(1, 100):
        assert cw.seat_in_turn(seats, state.turn) == state.mover


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 2**32))
def test_begin_turn_shows_a_seat_the_table_and_its_own_hand(position: Position, start: int) -> None:
    """To the byte, whatever the others hold and how the bag is ordered."""
    state, seat = position
    for world in (state, another_world(state, seat, random.Random(start))):
        view = position.view
        view.turn -= 1
        view.seat, view.team, view.hand = 3, 1, 2**40 - 1  # of the seat before
        assert cw.begin_turn(view, hidden_of(world)[0]) == seat
        assert view.tobytes() == position.view.tobytes()


@settings(deadline=None, max_examples=60)
@given(positions())
def test_put_and_take(position: Position) -> None:
    state, view = position.state, position.view
    before = told(view)
    for cell in literal.CELLS[::5]:
        stone, number = literal.stone_on(state, cell), Word(number_of(cell))
        if stone is None:
            symbol = literal.SYMBOLS[sum(cell) % 6]
            cw.put(view, number, Word(int(symbol)))
            literal.put(state, cell, symbol)
            assert told(view, ["cells", "filled", "lines"]) == told(position.view, ["cells", "filled", "lines"])
            literal.put(state, cell, None)
            assert cw.take(view, number) == int(symbol)
        else:
            assert cw.take(view, number) == int(stone)
            literal.put(state, cell, None)
            assert told(view, ["cells", "filled", "lines"]) == told(position.view, ["cells", "filled", "lines"])
            literal.put(state, cell, stone)
            cw.put(view, number, Word(int(stone)))
        assert told(view) == before


@settings(deadline=None)
@given(positions())
def test_carry_out(position: Position) -> None:
    for one in position.some_plays(3):
        view = position.view
        cw.carry_out(view, Word(code(one)))
        assert view.tobytes() == view_of(position.after(one), position.seat).tobytes()


@settings(deadline=None)
@given(positions())
def test_finish_turn(position: Position) -> None:
    if literal.team_with_six(position.state) is not None:
        return
    for one in position.some_plays(3):
        after = position.after(one)
        view = view_of(after, position.seat)
        cw.finish_turn(view, cw.sixes(position.view, Word(code(one))))
        expected = view_of(after, position.seat)
        end = literal.ending(after)
        if end is not None:
            expected.ended = cw.END_REASONS.index(end["reason"]) + 1
            expected.winner = end.get("team", 0)
        assert view.tobytes() == expected.tobytes()


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("team", [0, 1])
def test_six_of_a_kind_win_for_the_team_whose_line_it_is(mover: int, team: int) -> None:
    board = "11111. 234562 345623 456234 562345 ......" if team == 0 else "123456 134562 145623 156234 162345 ......"
    cell = (0, 5) if team == 0 else (5, 0)
    hands = ["1", ""] if mover == 0 else ["", "1"]
    for sudden in (True, False):
        view = view_of(state_of(board, *hands, turn=mover + 1, sudden_win=sudden), mover)
        move = Word(code(literal.Play("place", (cell,), "1")))
        made = cw.sixes(view, move)
        cw.carry_out(view, move)
        cw.finish_turn(view, made)
        assert (view.ended, view.winner) == ((cw.BY_SIX, team) if sudden else (cw.RUNNING, 0))


@settings(deadline=None, max_examples=60)
@given(positions())
def test_look_ahead_copies_the_position_and_not_the_rules(position: Position) -> None:
    view, ahead = views_of(*position)
    rules = rules_in(ahead)
    for name in SEEN:
        ahead[name] = 1  # left from the game before
    ahead.hand_sizes[len(position.state.hands) :] = 0
    cw.look_ahead(view, ahead)
    assert told(ahead) == told(view)
    assert rules_in(ahead) == rules
    assert (view.ahead, ahead.ahead) == (0, 1)
    kept = view.tobytes()
    for one in position.some_plays(1):
        cw.look_ahead(view, ahead)
        cw.carry_out(ahead, Word(code(one)))
        cw.finish_turn(ahead, Word(3))
    assert view.tobytes() == kept


@settings(deadline=None)
@given(positions(), st.integers(0, 2**32))
def test_imagine_hidden(position: Position, start: int) -> None:
    """Stones are conserved and hands keep their sizes, and what is hidden is not looked at."""
    state, seat = position
    view = position.view
    kept = view.tobytes()
    imagined = []
    for world in (state, another_world(state, seat, random.Random(start))):
        hidden = hidden_of(world)
        cw.imagine_hidden(view, hidden, stream(start))
        hands, _, numbers = hidden
        other = copy.deepcopy(state)
        other.hands = [stones_in_word(hand) for hand in hands[: len(state.hands)]]
        other.bag = in_bag(hidden)
        literal.check_stones(other)
        expected, found = literal.seen_by(state, seat), literal.seen_by(other, seat)
        assert found == expected._replace(hand=sorted(expected.hand, key=kind_of))
        assert numbers[1] - numbers[0] == len(state.bag)
        imagined.append([array.tolist() for array in (hands[: len(state.hands)], hidden[1][: numbers[1]], numbers)])
    assert imagined[0] == imagined[1]
    assert view.tobytes() == kept


def test_imagine_hidden_deals_every_unseen_stone_as_often() -> None:
    state = state_of("111111 223... ...... ...... ...... ......", "4R", "56", "3", "2", played="RRMM", hand=2)
    view, hidden, draws = view_of(state, 0), cw.new_hidden(), stream(5)
    games = 20_000 if COMPILED else 1_000
    counts: Counter[str] = Counter()
    for _ in range(games):
        cw.imagine_hidden(view, hidden, draws)
        counts.update(stones_in_word(hidden[0][2]))
    hidden_stones = Counter([*state.bag, *state.hands[1], *state.hands[2], *state.hands[3]])
    assert counts.total() == games
    expected = [games * hidden_stones[stone] / hidden_stones.total() for stone in hidden_stones]
    assert stats.chisquare([counts[stone] for stone in hidden_stones], expected).pvalue > 1e-4


@settings(deadline=None, max_examples=60)
@given(positions(), st.sampled_from([cw.BY_SIX, cw.BY_FULL, cw.BY_PASSES]), st.integers(0, 1))
def test_worth_of_end(position: Position, ended: int, winner: int) -> None:
    view = position.view
    view.ended, view.winner = ended, winner
    rows, columns = (points_of(position.state, team) for team in literal.TEAMS)
    worths = [float(cw.worth_of_end(view, team)) for team in literal.TEAMS]
    assert sum(worths) == pytest.approx(1)
    if ended == cw.BY_SIX:
        assert worths[winner] > 0.5
    else:
        assert (worths[0] > worths[1], worths[0] < worths[1]) == (rows > columns, rows < columns)
    share = 1.0 if (winner == 0 if ended == cw.BY_SIX else rows > columns) else 0.0
    share = 0.5 if ended != cw.BY_SIX and rows == columns else share
    assert abs(worths[0] - share) < 0.25  # any win is worth more than any draw, and any draw than any loss
    assert (worths[0] > share, worths[0] < share) == (rows > columns, rows < columns)


class Room(NamedTuple):
    """What asking a player needs beside a position."""

    seated: Table
    rng: Any
    noise: Any
    dice: Any
    scratch: Any
    outer: Any

    def play_out(self, views: Any, move: int) -> float:
        seat, probe = self.seated._seats[int(views[0].seat)], self.seated._probe
        return float(cw.play_out(views, seat, Word(move), self.rng, self.noise, self.scratch, self.dice, probe))

    def choose(self, views: Any) -> int:
        seat, probe = self.seated._seats[int(views[0].seat)], self.seated._probe
        if seat.rollouts:
            args = (views, seat, self.rng, self.noise, self.scratch, self.outer, self.dice, probe)
            return int(cw.think(*args))
        return int(cw.ask(views[0], seat, self.rng, self.noise, self.scratch, probe))


def room_for(player: Strategy, state: literal.State, start: int = 1) -> Room:
    seated = table([player] * len(state.hands), kernel_rules(state.rules))
    scratch = (*new_scratch(cw.MAX_PLAYS), hidden_of(state))
    streams = (stream(start), stream(start + 1), stream(start + 2))
    return Room(seated, *streams, scratch, new_scratch(cw.MAX_PLAYS))


def last_cell(board: str, hand: str, team: int, **options: Any) -> tuple[Any, Room, int]:
    """The views of a position with one empty cell, and the move that fills it."""
    hands = [hand, ""] if team == 0 else ["", hand]
    state = state_of(board, *hands, turn=team + 1, **options)
    empty = literal.CELLS[board.replace(" ", "").index(".")]
    return views_of(state, team), room_for(UNIFORM, state), code(literal.Play("place", (empty,), hand[0]))


@pytest.mark.parametrize("team", [0, 1])
def test_play_out_is_worth_what_the_end_is_worth(team: int) -> None:
    # The rulebook's board: rows 26, columns 22.
    views, room, move = last_cell(RULEBOOK[:-1] + ".", "3", team)
    kept = views[0].tobytes()
    assert room.play_out(views, move) == pytest.approx([1.0004, -0.0004][team])
    assert views[0].tobytes() == kept
    # Six different stones in every line: equal totals.
    views, room, move = last_cell("123456 234561 345612 456123 561234 61234.", "5", team)
    assert room.play_out(views, move) == pytest.approx(0.5)
    # Six of a kind in the last row; in points the columns are far ahead.
    board = "234562 345623 456234 562345 623456 11111."
    views, room, move = last_cell(board, "1", team)
    assert room.play_out(views, move) == pytest.approx([0.9976, 0.0024][team])


GAMES_AHEAD = 8_000 if COMPILED else 400


def test_play_out_deals_the_others_what_they_may_hold() -> None:
    """The other seat completes a column when its only stone is a 1: two of the seven unseen stones are."""
    rows = ["".join(str(2 + (row + column) % 5) for column in range(5)) + "1" for row in range(6)]
    board = " ".join(["." + rows[0][1:], *rows[1:5], rows[5][:5] + "."])
    state = state_of(board, "2", "2", action_stones=0, hand=1)
    views, room = views_of(state, 0), room_for(UNIFORM, state)
    move = code(literal.Play("place", ((0, 0),), "2"))
    worths = [room.play_out(views, move) for _ in range(GAMES_AHEAD)]
    full = state_of(board.replace(".", "2", 1)[:-1] + "1", "", "", action_stones=0)
    lost = (points_of(full, 0) - points_of(full, 1)) / 10_000
    losses = sum(worth < 0.5 for worth in worths)
    assert {worth for worth in worths if worth < 0.5} == {lost}
    assert stats.binomtest(losses, GAMES_AHEAD, 2 / 7).pvalue > 1e-4
    # It does not matter what the other seat really holds.
    other = state_of(board, "2", "1", action_stones=0, hand=1)
    views, room = views_of(other, 0), room_for(UNIFORM, other)
    assert [room.play_out(views, move) for _ in range(100)] == worths[:100]


def test_play_out_ends_by_passes() -> None:
    board = "11.... ..22.. ....33 44.... ..55.. ....6."
    for team in (0, 1):
        hands = ["6", ""] if team == 0 else ["", "6"]
        state = state_of(board, *hands, turn=team + 1, copies=2, action_stones=0)
        assert not state.bag
        views, room = views_of(state, team), room_for(UNIFORM, state)
        in_row, in_column = (code(literal.Play("place", (cell,), "6")) for cell in ((5, 5), (0, 4)))
        worths = [room.play_out(views, in_row), room.play_out(views, in_column)]
        assert worths == pytest.approx([[1.0006, 1.0004], [-0.0006, -0.0004]][team])


def played_out(position: Position, play: literal.Play, start: int) -> literal.State:
    """The table at the end of a game ahead that the literal engine plays, with `touchy` in every seat."""
    hidden, dice = cw.new_hidden(), stream(start)
    cw.imagine_hidden(position.view, hidden, dice)
    state, seat = position.after(play), position.seat
    for other in range(len(state.hands)):
        if other != seat:
            state.hands[other] = stones_in_word(hidden[0][other])
    state.bag = in_bag(hidden)
    while literal.ending(state) is None:
        for _ in range(0 if state.passes else literal.stones_to_draw(state, seat)):
            stone = literal.STONES[int(cw.draw(hidden, dice)) - 1]
            state.bag.remove(stone)
            state.hands[seat].append(stone)
        state.turn += 1
        seat = state.mover
        plays = {code(one): one for one in literal.legal_plays(state, seat)}
        if plays:
            literal.carry_out(state, seat, plays[int(touchy.function(view_of(state, seat), None, None))])
            state.passes = []
        else:
            state.passes.append(seat)
    literal.check_stones(state)
    return state


@settings(deadline=None, max_examples=60 if COMPILED else 40)
@given(positions(), st.integers(0, 2**32))
def test_play_out_plays_by_the_rules(position: Position, start: int) -> None:
    state, seat = position
    if state.rules.sudden_win and literal.team_with_six(state) is not None:
        return
    for one in position.some_plays(1):
        views, room = views_of(state, seat), room_for(touchy, state)
        fill_stream(room.dice, Word(start))
        worth = room.play_out(views, code(one))
        end = played_out(position, one, start)
        reason = literal.ending(end)
        assert reason is not None
        assert cw.END_REASONS[views[1].ended - 1] == reason["reason"]
        names = ("turn", "cells", "bag", "hand_sizes", "played")
        assert told(views[1], names) == told(view_of(end, seat), names)
        team = literal.team_of(seat)
        lead = points_of(end, team) - points_of(end, 1 - team)
        assert worth == pytest.approx(literal.outcome_of(end)[seat].win + lead / 10_000)


def test_play_out_is_not_a_number_when_a_move_is_refused() -> None:
    state = state_of("123... ...... ...... ...... ...... ......", "1234", "1234", turn=3)
    views = views_of(state, 0)
    assert np.isnan(room_for(wrong.with_values(where=1), state).play_out(views, code(literal.legal_plays(state, 0)[0])))


@settings(deadline=None)
@given(positions(), st.booleans())
def test_write_outcomes(position: Position, full: bool) -> None:
    state, view = position.state, position.view
    view.ended = cw.BY_FULL if full else cw.BY_PASSES
    team = literal.team_with_six(state)
    if state.rules.sudden_win and team is not None:
        view.ended, view.winner = cw.BY_SIX, team
    columns = [column.name for column in CROSSWISE.columns]
    outcomes = np.full((len(state.hands), len(columns)), 999, np.int16)
    cw.write_outcomes(view, outcomes)
    for seat, expected in zip(outcomes.tolist(), literal.outcome_of(state), strict=True):
        row = dict(zip(columns, seat, strict=True))
        assert row == {
            "score": expected.score,
            "rank": expected.rank,
            "win": expected.win * WIN_UNIT,
            "team": expected.team,
            **{f"line_{place}": points for place, points in enumerate(expected.lines, 1)},
            "end": view.ended - 1,
            "turns": state.turn,
            **dict.fromkeys(["placed", "removes", "moves", "swaps", "replaces", "passes"], 999),
        }


# --- Describing ------------------------------------------------------------------------------------------------------


def test_cell_name() -> None:
    assert [cw.cell_name(cell) for cell in (0, 5, 6, 35)] == [
        *("row 1, column 1", "row 1, column 6", "row 2, column 1", "row 6, column 6")
    ]


def cell_words(cell: literal.Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"


def words_of(play: literal.Play) -> str:
    cells = [cell_words(cell) for cell in play.cells]
    match play.kind:
        case "place":
            return f"place {play.stone} on {cells[0]}"
        case "remove":
            return f"remove the stone on {cells[0]}"
        case "move":
            return f"move the stone on {cells[0]} to {cells[1]}"
        case "swap":
            return f"swap the stones on {cells[0]} and {cells[1]}"
        case _:
            return f"replace the stone on {cells[0]} by {play.stone}"


ANOTHER_WAY = ", which is written in another way (a swap names the lower cell first, what is not needed is 0)"


@pytest.mark.parametrize(
    ("play", "symbol", "cell", "other", "words"),
    [
        (0, 3, 14, 0, "place 3 on row 3, column 3"),
        (0, 2, 14, 0, "place 2 on row 3, column 3, without such a stone in hand"),
        (0, 0, 14, 0, "place 0 on row 3, column 3, without such a stone in hand"),
        (0, 3, 0, 0, "place 3 on row 1, column 1: row 1, column 1 is not empty"),
        (0, 3, 14, 1, f"place 3 on row 3, column 3{ANOTHER_WAY}"),
        (1, 0, 0, 0, "remove the stone on row 1, column 1"),
        (1, 0, 2, 0, "remove the stone on row 1, column 3: row 1, column 3 is empty"),
        (1, 3, 0, 0, f"remove the stone on row 1, column 1{ANOTHER_WAY}"),
        (2, 0, 0, 1, "move the stone on row 1, column 1 to row 1, column 2, without such a stone in hand"),
        (3, 0, 0, 1, "swap the stones on row 1, column 1 and row 1, column 2"),
        (3, 0, 1, 0, f"swap the stones on row 1, column 2 and row 1, column 1{ANOTHER_WAY}"),
        (3, 0, 1, 1, f"swap the stones on row 1, column 2 and row 1, column 2{ANOTHER_WAY}"),
        (3, 0, 0, 2, "swap the stones on row 1, column 1 and row 1, column 3: row 1, column 3 is empty"),
        (4, 3, 0, 0, "replace the stone on row 1, column 1 by 3"),
        (4, 2, 0, 0, "replace the stone on row 1, column 1 by 2, without such a stone in hand"),
        (4, 3, 2, 0, "replace the stone on row 1, column 3 by 3: row 1, column 3 is empty"),
        (0, 7, 14, 0, "move 29568, which is no play"),
        (0, 3, 36, 0, "move 14592, which is no play"),
        (2, 0, 0, 36, "move 131108, which is no play"),
        (5, 0, 0, 0, "move 327680, which is no play"),
    ],
)
def test_describe_move(play: int, symbol: int, cell: int, other: int, words: str) -> None:
    view = view_of(state_of("12.... ...... ...... ...... ...... ......", "3RSP", ""), 0)
    assert cw.describe_move(view, play * 65536 + symbol * 4096 + cell * 64 + other) == words


@pytest.mark.parametrize("move", [-1, -(2**70), 2**32, int(cw.ILLEGAL), 2**70])
def test_describe_move_of_numbers_that_are_no_move(move: int) -> None:
    view = view_of(state_of(EMPTY, "3RSP", ""), 0)
    assert cw.describe_move(view, move) == f"move {move}, which is no play"


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 2**32))
def test_every_move_has_words(position: Position, start: int) -> None:
    state, seat = position
    view, source = position.view, random.Random(start)
    for one in position.some_plays():
        assert cw.describe_move(view, code(one)) == words_of(one)
    for _ in range(30):
        kind = source.choice(("place", *literal.ACTIONS))
        cells = tuple(source.sample(literal.CELLS, 2 if kind in ("move", "swap") else 1))
        cells = tuple(sorted(cells)) if kind == "swap" else cells
        stone = source.choice(literal.SYMBOLS) if kind in ("place", "replace") else None
        one = literal.Play(kind, cells, stone)
        reason, said = literal.refusal(state, seat, one), cw.describe_move(view, code(one))
        assert said.startswith(words_of(one))
        said = said.removeprefix(words_of(one))
        if reason is None:
            assert said == ""
        elif f"seat {seat} has no" in reason:
            assert said == ", without such a stone in hand"
        else:
            named = [cell for cell in cells if said.startswith(f": {cell_words(cell)} is ")]
            assert len(named) == 1
            is_taken = literal.stone_on(state, named[0]) is not None
            assert said == f": {cell_words(named[0])} is {'not empty' if is_taken else 'empty'}"
            assert is_taken == (kind == "place" or (kind == "move" and named[0] == cells[1]))
    for move in (source.randrange(-(2**20), 2**20) for _ in range(30)):
        said = cw.describe_move(view, move)
        if move not in codes(position.plays):
            assert any(sign in said for sign in ("without", "is empty", "not empty", "another way", "is no play"))


def test_hand_stones() -> None:
    assert cw.hand_stones(word_of(stones_of("P31R1"))) == ["1", "1", "3", "remove", "replace"]
    assert cw.hand_stones(0) == []


def test_board_rows() -> None:
    cells = [int(symbol) for symbol in RULEBOOK.replace(" ", "")]
    cells[0] = 0
    assert cw.board_rows(cells, [5, 2, 7, 6, 3, -3], [1, 3, 4, 6, -6, 12]) == [
        " .  2  4  3  2  2    5",
        " 4  2  1  3  1  3    2",
        " 5  5  5  6  5  5    7",
        " 4  4  4  6  4  6    6",
        " 1  2  1  6  6  2    3",
        " 6  1  4  3  3  3   -3",
        " 1  3  4  6 -6 12",
    ]


def test_picture() -> None:
    board = "224322 4....3 5...55 ...... ...6.. ......"
    view = view_of(state_of(board, "12R", "333334", "6S", turn=14, played="RMMP"), 1)
    assert cw.picture(view).split("\n") == [
        " 2  2  4  3  2  2    5",
        " 4  .  .  .  .  3    0",
        " 5  .  .  .  5  5    3",
        " .  .  .  .  .  .    0",
        " .  .  .  6  .  .    0",
        " .  .  .  .  .  .    0",
        " 0  0  0  0  0  0",
        "turn 14, seat 1 (columns), hand 3 3 3 3 3 4",
        "stones in hands 3, 6, 2, in the bag 27; played remove 1, move 2, swap 0, replace 1",
    ]


@settings(deadline=None, max_examples=60)
@given(positions(), st.integers(0, 2**32))
def test_relabel_exchanges_the_symbols(position: Position, start: int) -> None:
    state, seat = position
    view = position.view
    renamed = cw.relabel(view, np.random.default_rng(start))
    names = {
        symbol: str(int(cw.symbol_of(renamed(code(literal.Play("place", ((0, 0),), symbol))))))
        for symbol in literal.SYMBOLS
    }
    assert sorted(names.values()) == list(literal.SYMBOLS)

    def other(stone: Any) -> Any:
        return names.get(stone, stone)

    exchanged = copy.deepcopy(state)
    exchanged.board = [[other(stone) for stone in row] for row in state.board]
    exchanged.hands = [[other(stone) for stone in hand] for hand in state.hands]
    exchanged.bag = [other(stone) for stone in state.bag]
    assert view.tobytes() == view_of(exchanged, seat).tobytes()
    plays = position.some_plays()
    assert [renamed(code(one)) for one in plays] == [code(one._replace(stone=other(one.stone))) for one in plays]
    assert sorted(renamed(move) for move in cw.moves_of(position.view)) == sorted(cw.moves_of(view))
    for one in plays:
        move = code(one)
        assert cw.gains(position.view, Word(move)) == cw.gains(view, Word(renamed(move)))
        assert cw.sixes(position.view, Word(move)) == cw.sixes(view, Word(renamed(move)))


def test_relabel_makes_each_exchange_as_often() -> None:
    counts: Counter[tuple[int, ...]] = Counter()
    state = state_of("123456 ...... ...... ...... ...... ......", "1", "")
    for start in range(360):
        view = view_of(state, 0)
        cw.relabel(view, np.random.default_rng(start))
        counts[tuple(view.cells[:2].tolist())] += 1
    pairs = [(one, other) for one, other in product(range(1, 7), repeat=2) if one != other]
    assert counts.keys() <= set(pairs)
    assert stats.chisquare([counts[pair] for pair in pairs]).pvalue > 1e-4


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_sides_and_rotate(seats: int) -> None:
    sides = cw.sides(BASIC, seats)
    assert sides == tuple(["rows", "columns"][literal.team_of(seat)] for seat in range(seats))
    assert CROSSWISE.parties(BASIC, seats) == {"rows": 0, "columns": 1}
    still, turned = cw.rotate(BASIC, seats)
    assert still == tuple(range(seats))
    for seat, who in enumerate(turned):
        assert sides[seat] != sides[who]  # everybody plays for the other side
    for one, other in combinations(range(seats), 2):
        if sides[one] == sides[other]:
            assert sides[turned[one]] == sides[turned[other]]  # partners stay together
    # All players of a side take part; of the two against one, the first plays alone, and the lone player twice.
    assert sorted(turned) == (list(range(seats)) if seats != 3 else [0, 1, 1])


# --- Whole games, told and read again --------------------------------------------------------------------------------


def trace_of(seated: Table, seed: int, deal: int, outcomes: Any, log: Any) -> dict[str, Any]:
    """A trace as whoever reads it from a file gets it."""
    rules, seats = seated.rules, len(seated.players)
    trace = {
        "game": CROSSWISE.name,
        "rules_version": CROSSWISE.rules_version,
        "variant": rules.to_dict(),
        "seed": seed,
        "deal": deal,
        "rotation": 0,
        "seats": [seat.spec for seat in seated.players],
        "events": CROSSWISE.events(rules, log, seats),
        "outcome": CROSSWISE.results(rules, log, outcomes),
    }
    read: dict[str, Any] = json.loads(json.dumps(trace))
    return read


class Played(NamedTuple):
    """One game, as the kernel and as a trace tell it."""

    trace: dict[str, Any]
    outcomes: Any
    log: Any

    @property
    def rules(self) -> CrossWiseRules:
        return CrossWiseRules(**self.trace["variant"])

    @property
    def seats(self) -> int:
        return len(self.trace["seats"])


def played(lineup: Sequence[Strategy], rules: CrossWiseRules, seed: int, first: int, deals: int) -> list[Played]:
    seated = table(lineup, rules)
    outcomes, logs = seated.log(seed, first, deals)
    return [
        Played(trace_of(seated, seed, first + game, outcomes[game], logs[game]), outcomes[game], logs[game])
        for game in range(deals)
    ]


class Turn(NamedTuple):
    """A turn before anything happens in it; without a play it is a pass, without a seat the end."""

    state: literal.State
    seat: int | None
    play: literal.Play | None


def turns_of(trace: dict[str, Any]) -> Iterator[Turn]:
    """Go through a trace by means of the literal engine; the state is the same object all along."""
    state = literal.start(literal.rules_of(trace["variant"]), len(trace["seats"]))
    for event in trace["events"]:
        match event["type"]:
            case "draw":
                for stone in event["stones"]:
                    state.bag.remove(stone)
                    state.hands[event["seat"]].append(stone)
            case "return":
                state.bag += event["stones"]
                state.hands[event["seat"]] = []
            case "end":
                yield Turn(state, None, None)
            case kind:
                state.turn = event["turn"]
                one = None if kind == "pass" else literal.play_of(event)
                yield Turn(state, event["seat"], one)
                if one is not None:
                    literal.carry_out(state, event["seat"], one)


@pytest.fixture(scope="module")
def games() -> list[Played]:
    """A few games of many kinds."""
    source = random.Random(5)
    some = played([sorter, sorter.with_values(columns=1)], BASIC, 3, 0, 6 if COMPILED else 1)
    some += played([UNIFORM, sorter, UNIFORM], FEW.replace(action_stones=4), 3, 0, 6 if COMPILED else 1)
    some += played([sorter.with_values(columns=1)] * 4, CrossWiseRules(copies=10), 3, 0, 6 if COMPILED else 1)
    for _ in range(18 if COMPILED else 4):
        rules = random_rules(source)
        some += played(line_up(source, rules), rules, source.randrange(2**64), source.randrange(2**40), 2)
    return some


def test_the_games_of_these_tests_are_of_many_kinds(games: list[Played]) -> None:
    kinds = {event["type"] for game in games for event in game.trace["events"]}
    assert kinds == {"draw", "return", "place", *literal.ACTIONS, "pass", "end"}
    assert {game.trace["events"][-1]["reason"] for game in games} == {"six", "full", "passes"}
    assert {game.seats for game in games} == {2, 3, 4}


def test_stones_are_conserved_after_every_event(games: list[Played]) -> None:
    for game in games:
        variant = game.trace["variant"]
        box = Counter(
            {stone: variant["copies" if stone in literal.SYMBOLS else "action_stones"] for stone in literal.STONES}
        )
        bag = Counter(box)
        hands: list[Counter[str]] = [Counter() for _ in range(game.seats)]
        board: dict[tuple[int, ...], str] = {}
        out: Counter[str] = Counter()
        for event in game.trace["events"]:
            kind, hand = event["type"], hands[event.get("seat", 0)]
            if kind in ("draw", "return"):
                sign = 1 if kind == "draw" else -1
                for stone in event["stones"]:
                    bag[stone] -= sign
                    hand[stone] += sign
            if kind in literal.ACTIONS:
                hand[kind] -= 1
                out[kind] += 1
            if kind in ("remove", "replace"):
                hand[board.pop(tuple(event["cell"]))] += 1
            if kind in ("place", "replace"):
                hand[event["stone"]] -= 1
                assert tuple(event["cell"]) not in board
                board[tuple(event["cell"])] = event["stone"]
            if kind == "move":
                board[tuple(event["to"])] = board.pop(tuple(event["from"]))
            if kind == "swap":
                one, other = map(tuple, event["cells"])
                board[one], board[other] = board[other], board[one]
            assert min(0, *bag.values(), *(count for one in hands for count in one.values())) == 0
            everywhere = Counter(board.values()) + bag + out
            for one in hands:
                everywhere += one
            assert everywhere == +box


def test_events_tell_the_log(games: list[Played]) -> None:
    for game in games:
        turns = [turn for turn in turns_of(game.trace) if turn.seat is not None]
        moves = [cw.PASSED if turn.play is None else code(turn.play) for turn in turns]
        assert game.log.moves[: len(moves)].tolist() == moves
        assert game.log.turns == len(moves) <= cw.MAX_TURNS
        assert not game.log.moves[len(moves) :].any()


def extra_columns(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """What the outcome tells beside score, rank, win, team and lines, counted from the events."""
    events = trace["events"]
    names = {"placed": "place", "removes": "remove", "moves": "move", "swaps": "swap", "replaces": "replace"}
    names["passes"] = "pass"
    turns = [event for event in events if "turn" in event]
    return [
        {name: sum(event["type"] == kind and event["seat"] == seat for event in turns) for name, kind in names.items()}
        | {"turns": len(turns), "end": events[-1]["reason"]}
        for seat in range(len(trace["seats"]))
    ]


def check(game: Played) -> None:
    """Hold a game against the literal engine."""
    trace, rules = game.trace, game.rules
    literal.referee(trace)
    for seat, (counted, result) in enumerate(zip(extra_columns(trace), trace["outcome"], strict=True)):
        assert {name: result[name] for name in counted} == counted
        values = {**result, "end": cw.END_REASONS.index(result["end"]), "win": round(result["win"] * WIN_UNIT)}
        values |= {f"line_{place}": points for place, points in enumerate(result["lines"], 1)}
        assert [values[column.name] for column in CROSSWISE.columns] == game.outcomes[seat].tolist()
        plays = sum(counted[name] for name in ("placed", "removes", "moves", "swaps", "replaces"))
        assert plays <= cw.longest(rules)
    low, high = cw.score_range(rules)
    assert low <= game.outcomes[:, SCORE].min()
    assert game.outcomes[:, SCORE].max() <= high


def test_results_are_the_outcome_row_by_row(games: list[Played]) -> None:
    for game in games:
        check(game)
        assert [result["seat"] for result in game.trace["outcome"]] == list(range(game.seats))


def test_standings(games: list[Played]) -> None:
    for game in games:
        expected = [
            [points_of(turn.state, literal.team_of(seat)) for seat in range(game.seats)]
            for turn in turns_of(game.trace)
        ]
        standings = cw.standings(game.rules, game.log, game.seats)
        assert standings.tolist() == expected[1:]
        assert standings[-1].tolist() == game.outcomes[:, SCORE].tolist()


def test_choices(games: list[Played]) -> None:
    most = 0
    for game in games:
        expected = np.zeros((int(game.log.turns), game.seats), int)
        for number, turn in enumerate(turns_of(game.trace)):
            if turn.seat is not None:
                expected[number, turn.seat] = len(literal.legal_plays(turn.state, turn.seat))
        counts = cw.choices(game.rules, game.log, game.seats)
        assert counts.tolist() == expected.tolist()
        assert np.count_nonzero(counts, axis=0).max() <= cw.longest(game.rules)
        most = max(most, counts.max())
    assert most > 500


def line_of(event: dict[str, Any]) -> str:
    """An event as a line of text."""
    match event["type"]:
        case "draw":
            return f"  seat {event['seat']} draws {', '.join(event['stones'])}"
        case "return":
            return f"  seat {event['seat']} puts back {', '.join(event['stones'])}"
        case "pass":
            return f"turn {event['turn']}: seat {event['seat']} cannot play"
        case "end":
            how = {"six": "six of a kind", "full": "the full board", "passes": "passes"}[event["reason"]]
            team = {0: " by the rows team", 1: " by the columns team"}.get(event.get("team"), "")
            return f"the game ends by {how}{team}"
        case _:
            return f"turn {event['turn']}: seat {event['seat']}: {words_of(literal.play_of(event))}"


def test_narrate_tells_every_event_and_the_board(games: list[Played]) -> None:
    for game in games:
        trace = game.trace
        lines = cw.narrate(game.rules, trace)
        events = trace["events"]
        assert lines[: len(events)] == [line_of(event) for event in events]
        *_, end = turns_of(trace)
        points = {result["team"]: result["lines"] for result in trace["outcome"]}
        board = [
            " ".join(f"{stone or '.':>2}" for stone in row) + f"  {value:>3}"
            for row, value in zip(end.state.board, points[0], strict=True)
        ]
        under = " ".join(f"{value:>2}" for value in points[1])
        assert lines[len(events) : len(events) + 9] == ["", *board, under, ""]
        assert lines[len(events) + 9 :] == [
            f"seat {seat} ({['rows', 'columns'][seat % 2]}), {name}: {result['score']} points, rank {result['rank']}"
            for seat, (name, result) in enumerate(zip(trace["seats"], trace["outcome"], strict=True))
        ]


def test_goldens() -> None:
    """A change of these texts is a change of play: raise rules_version, or find the mistake."""
    told = []
    for lineup, rules, deal in (
        ([UNIFORM, UNIFORM], BASIC, 123),
        ([eager, UNIFORM, sorter], FEW.replace(action_stones=2), 9),
        ([sorter, sorter, careful, eager], BASIC, 21),
    ):
        (game,) = played(lineup, rules, 7, deal, 1)
        told.append(narrate(CROSSWISE, rules, game.trace))
    assert "\n\n\n".join(told) + "\n" == GOLDEN.read_text(encoding="utf-8")


# --- Against the literal engine --------------------------------------------------------------------------------------


def random_rules(source: random.Random) -> CrossWiseRules:
    """Rules at random; half of the time some options stay as they are, so that games are not all strange."""
    options: dict[str, Any] = {
        "sudden_win": source.random() < 0.5,
        "group_points": tuple(source.randint(-20, 20) for _ in range(5)),
        "six_different_points": source.randint(-20, 20),
        "copies": source.randint(2, 10),
        "action_stones": source.randint(0, 10),
        "hand": source.randint(1, 8),
        "lone_hand": source.randint(1, 10),
    }
    kept = source.sample(sorted(options), source.choice([0, 0, 0, 3, 5]))
    return CrossWiseRules(**{name: value for name, value in options.items() if name not in kept})


QUICK = [UNIFORM, find_strategy(CROSSWISE.name, "difference-greedy"), sorter, sorter.with_values(columns=1)]


def line_up(source: random.Random, rules: CrossWiseRules) -> list[Strategy]:
    """Two to four seats, each with a player that is bare or wrapped."""
    # Games ahead are many: short ones, and without the JIT very short ones.
    may_think = rules.copies <= 3 if COMPILED else rules.copies == 2 and rules.action_stones <= 2 and rules.hand <= 2

    def one() -> Strategy:
        # Without the JIT, clever players are slow.
        known = [*BUILT_IN, *STEADY, eager, sorter] if COMPILED or source.random() < 0.3 else QUICK
        base = source.choice(known)
        never, rate, quick = source.choice(NEVER), source.choice([0.1, 0.5, 1]), source.choice(QUICK)
        thinks = may_think and source.random() < 0.3
        match source.randrange(5):
            case 0 | 1:
                return rollout(quick, 2) if thinks else base
            case 2:
                return noisy(rollout(noisy(quick, 0.5), 1), 0.5) if thinks else noisy(base, rate)
            case 3:
                return restrict(rollout(quick, 1), never) if thinks else restrict(base, never)
            case _:
                return rollout(restrict(quick, never), 1) if thinks else noisy(restrict(base, never), 0.3)

    return [one() for _ in range(source.randint(2, cw.MAX_SEATS))]


def check_games(source: random.Random, rules: CrossWiseRules, deals: int) -> None:
    seed = source.choice([0, 1, 2**63, source.randrange(2**64)])
    first = source.choice([0, source.randrange(2**40)])
    for game in played(line_up(source, rules), rules, seed, first, deals):
        check(game)


def test_games_of_random_rules_are_those_of_the_rulebook() -> None:
    source = random.Random(1991)
    for _ in range(60 if COMPILED else 25):
        check_games(source, random_rules(source), 3 if COMPILED else 1)


@pytest.mark.parametrize("variant", CROSSWISE.variants)
def test_games_of_every_variant_are_those_of_the_rulebook(variant: str) -> None:
    source = random.Random(variant)
    for _ in range(12 if COMPILED else 5):
        check_games(source, CROSSWISE.variant(variant), 2 if COMPILED else 1)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_games_are_those_of_the_rulebook(part: int) -> None:
    source = random.Random(f"many {part}")
    for number in range(500 if COMPILED else 20):
        rules = CROSSWISE.variant(source.choice([*CROSSWISE.variants])) if number % 5 == 0 else random_rules(source)
        check_games(source, rules, 10 if COMPILED else 2)


def tampered(change: Any) -> dict[str, Any]:
    """The trace of a game whose log or outcome was changed after the game."""
    seated = table([UNIFORM, eager])
    outcomes, logs = seated.log(7, 3)
    change(logs[0], outcomes[0])
    return trace_of(seated, 7, 3, outcomes[0], logs[0])


def place_on_a_stone(log: Any, outcomes: Any) -> None:
    log.moves[1] = (log.moves[1] & 0xFF000) | (log.moves[0] & 0x00FFF)


def pass_by(log: Any, outcomes: Any) -> None:
    log.moves[log.turns - 1] = cw.PASSED


def stop_early(log: Any, outcomes: Any) -> None:
    log.turns -= 1


def give_a_point(log: Any, outcomes: Any) -> None:
    outcomes[0, SCORE] += 1


def take_a_point_from_a_line(log: Any, outcomes: Any) -> None:
    outcomes[1, cw.FIRST_LINE + 5] -= 1


def share_the_win(log: Any, outcomes: Any) -> None:
    outcomes[:, WIN] = WIN_UNIT // 2


def change_sides(log: Any, outcomes: Any) -> None:
    outcomes[:, cw.TEAM] = 1 - outcomes[:, cw.TEAM]


def test_the_referee_accepts_what_is_not_changed() -> None:
    assert literal.referee(tampered(lambda log, outcomes: None))


@pytest.mark.parametrize(
    "change",
    [
        *(place_on_a_stone, pass_by, stop_early, give_a_point),
        *(take_a_point_from_a_line, share_the_win, change_sides),
    ],
)
def test_the_referee_would_notice(change: Any) -> None:
    trace = tampered(change)
    with pytest.raises(literal.IllegalGameError):
        literal.referee(trace)


# --- Ends ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("team", [0, 1])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_six_of_a_kind_end_a_game_for_either_team_whoever_made_them(seats: int, team: int) -> None:
    some = played([sorter.with_values(columns=team)] * seats, BASIC, 3, 0, 60 if COMPILED else 12)
    makers = set()
    lengths = set()
    for game in some:
        check(game)
        *_, last, end = game.trace["events"]
        if end["reason"] == "six":
            assert end["team"] == team
            makers.add(literal.team_of(last["seat"]))
            lengths.add(last["turn"])
            won = [result["win"] for result in game.trace["outcome"]]
            assert won == [float(seat % 2 == team) for seat in range(seats)]
            # The score columns hold what the lines are worth.
            assert max(game.trace["outcome"][team]["lines"]) == 7
            for result in game.trace["outcome"]:
                assert result["score"] == sum(result["lines"])
    assert makers == {0, 1}
    assert len(lengths) > 3


def test_a_sudden_win_can_have_the_lower_score() -> None:
    outcomes = play([sorter, sorter], 2_000 if COMPILED else 60, BASIC.replace(group_points=(-9, -9, -9, -9, -9)))
    by_six = outcomes[outcomes[:, 0, cw.END] == 0]
    lost = by_six[by_six[:, 0, SCORE] < by_six[:, 1, SCORE]]
    assert len(lost)
    assert np.all(lost[:, :, WIN] == [WIN_UNIT, 0])
    assert np.all(lost[:, :, RANK] == [1, 2])


def test_without_the_sudden_win_no_game_ends_by_six() -> None:
    outcomes = play([sorter, sorter], 200 if COMPILED else 10, NO_SUDDEN_WIN)
    assert set(outcomes[:, :, cw.END].flat) == {cw.END_REASONS.index("full")}
    assert np.any(outcomes[:, 0, cw.FIRST_LINE : cw.FIRST_LINE + 6] == 7)


def test_a_full_board_takes_36_to_51_turns_apart_from_passes() -> None:
    """All actions are played, three of them removes: 36 + 12 + 3 turns."""
    lengths = []
    for seats in (2, 3, 4):
        for lineup in ([UNIFORM] * seats, [restrict(UNIFORM, placing)] * seats):
            outcomes = play(lineup, 2_000 if COMPILED else 4)
            full = outcomes[outcomes[:, 0, cw.END] == cw.END_REASONS.index("full")]
            turns = full[:, 0, cw.TURNS] - full[:, :, cw.PASSES].sum(axis=1)
            stones = full[:, :, cw.PLACED] - full[:, :, cw.PLACED + cw.REMOVING]
            assert np.all(stones.sum(axis=1) == 36)
            assert np.all(turns == full[:, :, cw.PLACED : cw.PASSES].sum(axis=(1, 2)))
            lengths += turns.tolist()
    assert min(lengths) >= 36
    assert max(lengths) <= 51
    assert not COMPILED or max(lengths) >= 50
    assert set(play([UNIFORM] * 2, 10, CROSSWISE.variant("no-actions"))[:, 0, cw.TURNS]) == {36}


def test_too_few_symbols_end_a_game_by_passes() -> None:
    for seats in (2, 3, 4):
        outcomes = play([UNIFORM] * seats, 200 if COMPILED else 3, BASIC.replace(copies=5))
        ended = outcomes[:, 0, cw.END]
        assert set(ended) <= {cw.END_REASONS.index("six"), cw.END_REASONS.index("passes")}
        by_passes = outcomes[ended == cw.END_REASONS.index("passes")]
        assert len(by_passes) > len(outcomes) / 2
        assert np.all(by_passes[:, :, cw.PASSES].min(axis=1) >= 1)


def test_a_play_breaks_the_row_of_passes() -> None:
    """The game goes on though every seat has passed at some time: they remove what the others need."""
    went_on = 0
    rules = CrossWiseRules(copies=2, action_stones=10, hand=2)
    for game in played([restrict(UNIFORM, placing)] * 2, rules, 6, 0, 20):
        check(game)
        passed: set[int] = set()
        for event in game.trace["events"]:
            went_on += "turn" in event and event["type"] != "pass" and len(passed) == 2
            passed |= {event["seat"]} if event["type"] == "pass" else set()
    assert went_on > 10


def test_equal_totals_share_the_win() -> None:
    for seats in (2, 3, 4):
        outcomes = play([UNIFORM] * seats, 500 if COMPILED else 20, FEW)
        equal = outcomes[:, 0, SCORE] == outcomes[:, 1, SCORE]
        assert equal.any()
        assert np.all(outcomes[equal][:, :, [RANK, WIN]] == [1, WIN_UNIT // 2])
        ahead = np.where(outcomes[:, 0, SCORE] > outcomes[:, 1, SCORE], 0, 1)
        for team in (0, 1):
            won = outcomes[~equal & (ahead == team)]
            assert np.all(won[:, team::2, WIN] == WIN_UNIT)
            assert np.all(won[:, 1 - team :: 2, WIN] == 0)
            assert np.all(won[:, team::2, RANK] == 1)
            assert np.all(won[:, 1 - team :: 2, RANK] == 2)


@pytest.mark.parametrize("seats", [3, 4])
def test_partners_share_score_lines_rank_and_win(seats: int) -> None:
    outcomes = play([UNIFORM, eager, UNIFORM, sorter][:seats], 50 if COMPILED else 4)
    shared = range(cw.TURNS + 1)
    assert outcomes[:, 0, shared].tolist() == outcomes[:, 2, shared].tolist()
    if seats == 4:
        assert outcomes[:, 1, shared].tolist() == outcomes[:, 3, shared].tolist()
    assert outcomes[:, :, cw.TEAM].tolist() == [[0, 1, 0, 1][:seats]] * len(outcomes)


# --- Chance, seats and compiled code ---------------------------------------------------------------------------------

LINEUPS = [
    [UNIFORM, UNIFORM],
    [sorter.with_values(columns=1), touchy],
    [eager, noisy(UNIFORM, 0.5), touchy],
    [restrict(UNIFORM, border), careful, noisy(restrict(UNIFORM, placing), 0.3), noisy(eager, 0.2)],
]
SHORT_LINEUPS = [
    [rollout(UNIFORM, 1), UNIFORM],
    [noisy(rollout(noisy(eager, 0.5), 1), 0.3), restrict(rollout(UNIFORM, 1), border), sorter],
]
OTHER = CrossWiseRules(False, (4, -3, 2, -1, 20), -5, 9, 6, 7, 3)


def jobs() -> list[tuple[list[Strategy], CrossWiseRules, int]]:
    """Line-ups, rules and numbers of deals that compiled code and plain Python are to agree on."""
    source = random.Random(3)
    pairs = list(pairwise([*BUILT_IN, BUILT_IN[0]]))[::2]
    return [
        *((lineup, rules, 2) for lineup in LINEUPS for rules in (BASIC, OTHER)),
        *((list(pair), BASIC, 1) for pair in pairs),
        *((lineup, FEW.replace(action_stones=0), 1) for lineup in SHORT_LINEUPS),
        *(([source.choice(QUICK), touchy], random_rules(source), 1) for _ in range(8)),
    ]


def play_jobs() -> list[Any]:
    return [play(lineup, deals, rules, 2**64 - 1, 2**40).tolist() for lineup, rules, deals in jobs()]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled; the compiled run compares the two")
def test_compiled_and_plain_python_play_the_same_games() -> None:
    code = (
        "import json; from tests.sims import test_crosswise as one; print(json.dumps([one.COMPILED, one.play_jobs()]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled, outcomes = json.loads(ran.stdout)
    assert not compiled
    for job, here, there in zip(jobs(), play_jobs(), outcomes, strict=True):
        assert here == there, job


@pytest.mark.skipif(COMPILED, reason="compiled code cannot write down what it sees")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_players_see_what_they_may_know_and_nothing_else(seats: int) -> None:
    """To the byte: the literal engine says what a seat knows, and a view is made of that."""
    seen: list[bytes] = []

    def watching(view: Any, rng: Any, params: Any) -> Any:
        seen.append(view.tobytes())
        return cw.random_move(view, rng)

    watcher = strategy(CROSSWISE.name)(watching)
    for rules in (BASIC, OTHER, FEW):
        seen.clear()
        some = played([watcher] * seats, rules, 6, 0, 2)
        expected = [
            view_of(turn.state, turn.seat).tobytes()
            for game in some
            for turn in turns_of(game.trace)
            if turn.seat is not None and turn.play is not None
        ]
        assert seen == expected


def wrapped(base: Strategy) -> list[Strategy]:
    return [base, noisy(base, 0.5), rollout(base, 1)]


@pytest.mark.parametrize("base", BUILT_IN, ids=lambda one: one.spec)
def test_what_is_hidden_changes_no_choice(base: Strategy) -> None:
    """In two worlds that look alike to a seat, it chooses alike, whatever lies about in the memory it thinks in."""
    source = random.Random(base.name)
    for board, hand, options in (
        ("123... 45.... ...... ...... ...... ......", "1", {"copies": 2, "action_stones": 1, "hand": 2}),
        ("12345. 23456. 34561. 45612. 5612.. 12345.", "16", {"copies": 7, "hand": 2}),
        ("111112 222221 333334 444443 555556 66..56", "1PS", {"hand": 3, "copies": 8}),
        ("111112 222221 333334 444443 555556 66..56", "12", {"hand": 2, "copies": 8}),
    ):
        state = state_of(board, hand, "", "", "", **options)
        for seat in (1, 2, 3):
            state.hands[seat] = [state.bag.pop(source.randrange(len(state.bag))) for _ in hand]
        plays = codes(literal.legal_plays(state, 0))
        worlds = [state, *(another_world(state, 0, source) for _ in range(2))]
        for player in wrapped(base):
            if not COMPILED and player.rollouts and len(plays) > 4:
                continue  # it would think for long
            chosen = set()
            for world in worlds:
                views = views_of(state, 0)
                views[0].turn -= 1
                cw.begin_turn(views[0], hidden_of(world)[0])
                chosen.add(room_for(player, world, 9).choose(views))
            assert len(chosen) == 1
            assert chosen < set(plays)


def knowledge(turn: Turn) -> str:
    """All that the seat in turn knows, as a text."""
    assert turn.seat is not None
    seen = literal.seen_by(turn.state, turn.seat)
    return repr((turn.seat, turn.state.turn, seen._replace(hand=sorted(seen.hand), played=sorted(seen.played))))


def test_players_who_draw_nothing_choose_by_what_they_know_alone() -> None:
    """In whole games, where all hands and the bag are there: equal knowledge, equal choice."""
    compared = 0
    for one, other in pairwise([*STEADY, STEADY[0]]):
        chosen: dict[str, literal.Play | None] = {}
        for game in played([one, other], FEW, 8, 0, 60 if COMPILED else 16):
            for turn in turns_of(game.trace):
                if turn.seat is not None:
                    known = knowledge(turn)
                    compared += known in chosen
                    assert chosen.setdefault(known, turn.play) == turn.play
    assert compared > (100 if COMPILED else 20)


@pytest.mark.skipif(COMPILED, reason="compiled code has no place to reach into")
@pytest.mark.parametrize("base", BUILT_IN, ids=lambda one: one.spec)
def test_stones_that_change_places_unseen_change_no_choice(base: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just before a seat chooses, the other hands and the bag are shuffled."""
    at_turn, source = 4, random.Random(1)
    kept: dict[str, Any] = {"shuffles": False, "changed": 0}
    begin_turn, set_up = cw.begin_turn, cw.set_up

    def catching(view: Any, hidden: Any, draws: Any) -> None:
        kept["hidden"] = hidden
        set_up(view, hidden, draws)

    def shuffling(view: Any, hands: Any) -> Any:
        seat = begin_turn(view, hands)
        if kept["shuffles"] and view.turn == at_turn and not view.ahead:
            own, bag, numbers = kept["hidden"]
            assert own is hands
            others = [one for one in range(int(view.seats)) if one != seat]
            before = [int(hands[one]) for one in others]
            pool = [int(kind) for kind in bag[numbers[0] : numbers[1]]]
            pool += [kind_of(stone) for one in others for stone in stones_in_word(hands[one])]
            source.shuffle(pool)
            for one in others:
                hands[one] = sum(16 ** (pool.pop() - 1) for _ in range(int(view.hand_sizes[one])))
            bag[numbers[0] : numbers[1]] = pool
            kept["changed"] += before != [int(hands[one]) for one in others]
        return seat

    monkeypatch.setattr(cw, "set_up", catching)
    monkeypatch.setattr(cw, "begin_turn", shuffling)
    rules = FEW.replace(action_stones=2)
    for player in wrapped(base):
        if player.rollouts and base is not UNIFORM:
            continue  # it would think for long
        seated = table([player] * 3, rules)
        for deal in range(1 if player.rollouts else 4):
            moves = []
            for kept["shuffles"] in (False, True):
                _, logs = seated.log(5, deal)
                moves.append(logs[0].moves[:at_turn].tolist())
            assert moves[0] == moves[1]
    assert kept["changed"] > 3


@pytest.mark.parametrize("lineup", LINEUPS)
def test_a_deal_does_not_depend_on_where_a_run_begins(lineup: list[Strategy]) -> None:
    deals = 30 if COMPILED else 4
    whole = play(lineup, deals, seed=5, first=100)
    for place in range(deals):
        assert play(lineup, 1, seed=5, first=100 + place).tolist() == whole[place : place + 1].tolist()


def test_what_lay_in_the_outcomes_before_does_not_matter() -> None:
    for rules in (BASIC, FEW):
        seated = table([UNIFORM, sorter], rules)
        outcomes = np.full_like(seated.new_outcomes(5), 99)
        seated.play(1, 0, outcomes)
        assert outcomes.tolist() == play([UNIFORM, sorter], 5, rules).tolist()


def test_log_tells_the_games_that_play_plays() -> None:
    for lineup in LINEUPS:
        outcomes, _ = table(lineup).log(5, 100, 6 if COMPILED else 2)
        assert outcomes.tolist() == play(lineup, 6 if COMPILED else 2, seed=5, first=100).tolist()


def drawn(trace: dict[str, Any]) -> list[str]:
    """All stones in the order in which they left the bag for good."""
    order: list[str] = []
    for event in trace["events"]:
        if event["type"] == "draw":
            order += event["stones"]
        elif event["type"] == "return":
            del order[-len(event["stones"]) :]
    return order


def same_bag(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the stones come from the bag in the same order, as far as both games went."""
    return all(first == second for first, second in zip(drawn(one), drawn(other), strict=False))


def test_a_deal_has_the_same_bag_whoever_plays_it() -> None:
    deals = 15 if COMPILED else 2
    lineups = [[UNIFORM] * 3, [eager, touchy, sorter], [noisy(sorter, 0.5), restrict(UNIFORM, placing), UNIFORM]]
    thinking = [rollout(UNIFORM, 1), UNIFORM, rollout(sorter, 1)]
    for rules in (BASIC, FEW.replace(action_stones=4), FEW.replace(action_stones=0)):
        thinks = COMPILED or not rules.action_stones  # else it would think for long
        some = [played(lineup, rules, 9, 0, deals) for lineup in [*lineups, *([thinking] if thinks else [])]]
        for first, second in combinations(some, 2):
            assert all(same_bag(one.trace, other.trace) for one, other in zip(first, second, strict=True))
        assert not same_bag(some[0][0].trace, some[0][1].trace)


def test_a_deal_has_the_same_bag_at_every_table() -> None:
    """As long as no first hand is put back."""
    deals = 10 if COMPILED else 3
    two, three, four = (played([UNIFORM] * seats, BASIC, 9, 0, deals) for seats in (2, 3, 4))
    compared = 0
    for one, *others in zip(two, three, four, strict=True):
        returned = [event for game in (one, *others) for event in game.trace["events"] if event["type"] == "return"]
        if not returned:
            assert all(same_bag(one.trace, other.trace) for other in others)
            compared += 1
    assert compared >= deals / 2


def test_another_stream_makes_other_choices_in_the_same_deals() -> None:
    players = [UNIFORM.player(), UNIFORM.player()]
    _, usual_logs = Table(CROSSWISE, BASIC, players).log(9, 0, 10)
    _, other_logs = Table(CROSSWISE, BASIC, [players[0], dataclasses.replace(players[1], stream=1)]).log(9, 0, 10)
    assert usual_logs.moves[:, 0].tolist() == other_logs.moves[:, 0].tolist()
    assert usual_logs.moves[:, 1].tolist() != other_logs.moves[:, 1].tolist()
    assert usual_logs.key.tolist() == other_logs.key.tolist()


def test_seeds_and_deals_differ() -> None:
    runs = [(seed, first) for seed in (0, 1, 2**64 - 1) for first in (0, 10, 2**40)]
    scores = [play([UNIFORM] * 3, 10, FEW, seed=seed, first=first)[:, :, :10].tolist() for seed, first in runs]
    assert len({str(some) for some in scores}) == len(runs)


@pytest.mark.parametrize(
    "player", [UNIFORM, noisy(UNIFORM, 1), noisy(rollout(UNIFORM, 1), 1)], ids=lambda one: one.spec
)
def test_seats_choose_independently(player: Strategy) -> None:
    """On a board that is all but empty, seats with equal stones would make equal plays."""
    _, logs = table([player] * 4, CrossWiseRules(action_stones=0)).log(3, 0, 60 if COMPILED else 8)
    cells = logs.moves[:, :4] >> 6 & 63
    for one, other in combinations(range(4), 2):
        assert 0 <= np.mean(cells[:, one] == cells[:, other]) < 0.3


def test_errors_come_from_a_stream_of_their_own() -> None:
    seated = table([noisy(UNIFORM, 1)] * 2)
    seated.log(3, 8)
    fresh = new_streams(1)[0]
    for seat in range(2):
        start_stream(fresh, Word(deal_key(Word(3), Word(8))), Word(chance.STRATEGY), Word(seat))
        assert seated._streams[seat, 0] == fresh  # a player that always errs is never asked


def test_seats_draw_from_their_own_streams_whatever_the_others_do() -> None:
    """A uniform seat's plays can be foretold from its stream alone, and so can the errors of a noisy one."""
    moves = np.empty(cw.MAX_PLAYS, np.uint64)
    for lineup in (
        [UNIFORM, noisy(sorter, 1), eager],
        [noisy(eager, 1), UNIFORM],
        [noisy(touchy, 0.5)] + [UNIFORM] * 3,
    ):
        for game in played(lineup, BASIC, 2**64 - 1, 77, 4 if COMPILED else 1):
            key = Word(deal_key(Word(2**64 - 1), Word(game.trace["deal"])))
            own, errors = new_streams(len(lineup)), new_streams(len(lineup))
            for seat in range(len(lineup)):
                start_stream(own[seat], key, Word(chance.STRATEGY), Word(seat))
                start_stream(errors[seat], key, Word(chance.NOISE), Word(seat))
            for turn in turns_of(game.trace):
                if turn.play is None or turn.seat is None:
                    continue
                view, seat = view_of(turn.state, turn.seat), turn.seat
                if lineup[seat] is UNIFORM:
                    assert cw.random_move(view, own[seat]) == code(turn.play)
                elif chance.uniform(errors[seat]) < lineup[seat].noise:
                    count = cw.list_moves(view, moves)
                    assert moves[chance.below(errors[seat], count)] == code(turn.play)


def test_noise_that_never_comes_changes_nothing() -> None:
    deals = 10 if COMPILED else 2
    assert play([noisy(UNIFORM, 1e-300)] * 2, deals).tolist() == play([UNIFORM] * 2, deals).tolist()


def test_noise_of_rate_one_is_a_uniform_player() -> None:
    deals = 20_000 if COMPILED else 60
    noise, uniform = (play([player] * 2, deals)[:, :, SCORE].astype(float) for player in (noisy(eager, 1), UNIFORM))
    for seat in range(2):
        error = np.sqrt((noise[:, seat].var() + uniform[:, seat].var()) / deals)
        assert abs(noise[:, seat].mean() - uniform[:, seat].mean()) < 4 * error


KINDS = {"actions": list(literal.ACTIONS), **{f"{kind}s": [kind] for kind in literal.ACTIONS}}


@pytest.mark.parametrize("never", builtin_restrictions(CROSSWISE.name), ids=lambda one: one.name)
def test_restricted_players_make_no_play_that_they_could_avoid(never: Any) -> None:
    avoided = 0
    for game in played([restrict(UNIFORM, never), restrict(eager, never)], BASIC, 4, 0, 12 if COMPILED else 2):
        for turn in turns_of(game.trace):
            if turn.play is not None and turn.seat is not None:
                kinds = {one.kind for one in literal.legal_plays(turn.state, turn.seat)}
                assert turn.play.kind not in KINDS[never.name] or kinds <= set(KINDS[never.name])
                avoided += turn.play.kind not in KINDS[never.name] and bool(kinds & set(KINDS[never.name]))
    assert avoided > 0


@pytest.mark.skipif(not COMPILED, reason="it would think for long; compiled code and plain Python play the same games")
def test_rollouts_beat_the_player_that_they_are_made_of_at_two_seats() -> None:
    deals = 60
    thinking = rollout(UNIFORM, 1)
    shares = [
        play(lineup, deals)[:, seat, WIN] / WIN_UNIT
        for seat, lineup in enumerate(([thinking, UNIFORM], [UNIFORM, thinking]))
    ]
    blocks = np.mean(shares, axis=0)
    assert blocks.mean() > 0.6 + 3 * blocks.std() / np.sqrt(deals)


@pytest.mark.parametrize(
    ("player", "said"),
    [
        (
            wrong,
            r"^wrong made an illegal move: place \d on (row \d, column \d): \1 is not empty \(deal 30, seat 1\)$",
        ),
        (rollout(wrong.with_values(where=1), 1), r"^rollout\(.* made an illegal move: .*, seat 1, in a rollout\)$"),
        (unsure, r"^unsure returned a value that is not a number for place \d on row 6, column 6 \(deal 30, seat 1\)$"),
    ],
    ids=["table", "ahead", "value"],
)
def test_a_move_that_is_refused_is_told(player: Strategy, said: str) -> None:
    seated = table([UNIFORM, player], CrossWiseRules(copies=2, action_stones=0))
    with pytest.raises(StrategyError, match=said) as caught:
        seated.play(12, 30, seated.new_outcomes(5))
    lines = caught.value.position.split("\n")
    assert len(lines) == 9
    assert lines[-1].startswith("stones in hands ")


# --- Against exact and published values ------------------------------------------------------------------------------


def test_what_a_random_board_is_worth() -> None:
    """With 36 stones, all are placed, in cells at random: every line is six of them."""
    exact = 0.0
    for counts in product(range(7), repeat=6):
        if sum(counts) == 6:
            ways = np.prod([comb(6, count) for count in counts])
            exact += 6 * float(ways) / comb(36, 6) * literal.line_points(counts, literal.Rules())
    deals = 40_000 if COMPILED else 100
    rules = CrossWiseRules(sudden_win=False, copies=6, action_stones=0)
    scores = play([UNIFORM] * 2, deals, rules)[:, :, SCORE].astype(float)
    for seat in range(2):
        assert abs(scores[:, seat].mean() - exact) < 4 * scores[:, seat].std() / np.sqrt(deals)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (BASIC, (0, 42)),
        (NO_SUDDEN_WIN, (0, 42)),
        (CrossWiseRules(group_points=(20, 20, 20, 20, 20), six_different_points=-20), (-120, 360)),
        (CrossWiseRules(group_points=(-20, 0, 0, 0, 0)), (-360, 36)),
        (CrossWiseRules(group_points=(2, 1, 1, 9, 20), six_different_points=1), (0, 120)),
    ],
)
def test_score_range(rules: CrossWiseRules, expected: tuple[int, int]) -> None:
    assert cw.score_range(rules) == expected


def test_longest() -> None:
    assert [cw.longest(CrossWiseRules(action_stones=number)) for number in (0, 3, 10)] == [36, 51, 86]


def test_registration() -> None:
    assert find_game("crosswise") is CROSSWISE
    assert CROSSWISE.log is cw.LOG
    assert chance.GAME <= cw.BAG
    assert [column.name for column in CROSSWISE.columns][cw.TEAM :] == [
        *("team", "line_1", "line_2", "line_3", "line_4", "line_5", "line_6", "end", "turns"),
        *("placed", "removes", "moves", "swaps", "replaces", "passes"),
    ]
    assert CROSSWISE.columns[cw.TURNS].name == CROSSWISE.length
    assert CROSSWISE.columns[cw.END].name == "end"
    assert CROSSWISE.columns[cw.PASSES].name == "passes"
    assert CROSSWISE.end_reasons == literal.REASONS
    assert list(CROSSWISE.variants) == ["basic", "no-sudden-win", "no-actions"]
