import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims.bits import Word
from sims.crossways import listing, plays
from sims.jit import COMPILED, jit
from tests.reference import crossways as literal
from tests.sims.crossways.positions import (
    BOARD_FIELDS,
    CELLS,
    FLAGS,
    KINDS,
    LAYOUT,
    RANKS,
    SUITS,
    Position,
    bits,
    board_fields,
    cards_of,
    cell_at,
    cell_of,
    code,
    face_of,
    faces,
    fill_view,
    number_of,
    play_of,
    position_of,
    positions,
    random_position,
    random_rules,
    read,
    some_moves,
    squares_in,
    stream,
    told,
)

EXAMPLES = 100 if COMPILED else 12
RARE = 30 if COMPILED else 6


# --- Moves as words --------------------------------------------------------------------------------------------------


@given(
    st.integers(0, 1023),
    st.lists(st.integers(0, 511), max_size=6),
)
def test_moves_keep_what_is_put_in(entry: int, items: list[int]) -> None:
    move = Word(plays.start_move(Word(entry)))
    for index, item in enumerate(items):
        move = Word(plays.with_item(move, index, Word(item)))
    assert move == (entry << 54) + sum(item << 9 * index for index, item in enumerate(items))
    assert plays.set_of(move) == entry
    assert plays.kind_of(move) == min(entry >> 6, 5)
    assert plays.cards_of(move) == entry & 63
    for index, item in enumerate(items):
        assert plays.item_of(move, index) == item
        assert (plays.square_of(Word(item)), plays.level_of(Word(item))) == (item % 64, item // 64)


@pytest.mark.parametrize(
    ("kind", "cards", "placed", "removed"),
    [
        *(
            (1, 1, 1, 0),
            (2, 2, 2, 0),
            (2, 6, 6, 0),
            (3, 2, 0, 2),
            (3, 6, 0, 6),
            (4, 1, 0, 1),
            (4, 2, 2, 0),
            (0, 1, 0, 0),
        ),
        *((5, 3, 1, 2), (6, 3, 2, 1), (5, 4, 1, 3), (6, 4, 2, 2), (7, 4, 3, 1), (9, 6, 5, 1), (5, 6, 1, 5)),
    ],
)
def test_placed_by_and_removed_by(kind: int, cards: int, placed: int, removed: int) -> None:
    for named in combinations(range(6), cards):
        move = Word(plays.start_move(Word(kind << 6 | bits(named))))
        assert (plays.placed_by(move), plays.removed_by(move)) == (placed, removed)


@settings(max_examples=EXAMPLES)
@given(st.sampled_from([(2, 4), (3, 4), (5, 6), (7, 6), (8, 5)]), st.lists(st.integers(0, 511), min_size=6, max_size=6))
def test_finish_move_puts_removed_and_placed_markers_in_order(what: tuple[int, int], items: list[int]) -> None:
    kind, cards = what
    entry = Word(kind << 6 | (1 << cards) - 1)
    placed = {2: cards, 3: 0}.get(kind, kind - 4)
    removed, items = cards - placed, items[:cards]
    word = Word(plays.start_move(entry))
    for index, item in enumerate(items):
        word = Word(plays.with_item(word, index, Word(item)))
    ordered = sorted(items[:removed]) + sorted(items[removed:])
    assert plays.finish_move(word) == (int(entry) << 54) + sum(item << 9 * index for index, item in enumerate(ordered))


# --- Stacks ----------------------------------------------------------------------------------------------------------

STACKS = st.lists(st.integers(0, 3), max_size=5)


def word_of(stack: list[int]) -> Any:
    return Word(sum(team + 1 << 3 * level for level, team in enumerate(stack)))


@given(STACKS, st.integers(0, 3))
def test_stacks(stack: list[int], team: int) -> None:
    word = word_of(stack)
    assert plays.height_of(word) == len(stack)
    assert [plays.team_at(word, level) for level in range(6)] == [one + 1 for one in stack] + [0] * (6 - len(stack))
    assert plays.count_in(word, team) == stack.count(team)
    assert plays.top_level(word, team) == max((level for level, one in enumerate(stack) if one == team), default=8)
    assert bool(plays.is_closed(word)) == any(stack.count(one) > 1 for one in stack)
    for level in range(len(stack)):
        assert plays.without_level(word, level) == word_of(stack[:level] + stack[level + 1 :])
    if len(stack) < 5:
        assert plays.with_marker(word, team) == word_of([*stack, team])


# --- Boards ----------------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(positions())
def test_counting_open_for_free_whites_and_links(position: Position) -> None:
    """One marker makes an open square a team's, two an empty white one."""
    view, (state, _) = position.view, position
    rules, board = state.rules, state.board
    for team in range(state.teams):
        own = Word(plays.counting(view, team))
        assert squares_in(own) == [number_of(cell) for cell in CELLS if literal.counts(rules, board, team, cell)]
        prices = {number_of(cell): literal.price(rules, board, team, cell) for cell in CELLS}
        assert squares_in(plays.open_for(view, own)) == [number for number in range(64) if prices[number] == 1]
        whites = [number for number in range(64) if prices[number] == 2]
        assert squares_in(plays.free_whites(view)) == whites
        crossings = [number_of(cell) for cell in CELLS if literal.is_crossing(board, team, cell)]
        assert squares_in(plays.links(view, team)) == (crossings if rules.diagonals else [])


@settings(max_examples=EXAMPLES)
@given(positions())
def test_markers_needed_key_squares_of_and_has_won(position: Position) -> None:
    view, (state, _) = position.view, position
    rules, board = state.rules, state.board
    layers = np.empty(200, np.uint64)
    for team in range(state.teams):
        fewest = literal.fewest_markers(rules, board, team)
        assert plays.markers_needed(view, team) == (999 if fewest is None else fewest)
        cost, some, white, own = plays.key_squares_of(view, team, layers)
        assert cost == plays.markers_needed(view, team)
        wanted = (
            {number_of(cell) for cell in literal.squares_wanted(rules, board, team)} if fewest is not None else set()
        )
        assert {*squares_in(some), *squares_in(white)} == wanted
        assert not int(some) & int(view.white)
        assert int(white) & ~int(view.white) == 0
        assert int(own) & ~int(plays.counting(view, team)) == 0
        won = {way.direction for way in literal.successes(rules, board, team)}
        names = {1: 1, -1: 2, 0: 4}
        assert plays.has_won(view, team) == sum(names[direction] for direction in won)
        assert (fewest == 0) == bool(won)


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_completes_sees_every_path_that_a_placement_makes(position: Position, start: int) -> None:
    """On boards nearly won: the mover's markers lie wherever there is room but for one line across."""
    state, seat = position
    if state.rules.goal not in literal.CHAIN_GOALS or literal.has_path(
        state.rules, state.board, position.situation.team
    ):
        return
    source = random.Random(start)
    moves = [move for move in some_moves(source, position, 60) if not move.removed and position.refusal(move) is None]
    for move in moves:
        after = fill_view(position.view, position.after(move), seat)
        won = literal.has_path(state.rules, position.after(move).board, position.situation.team)
        assert bool(plays.completes(after, Word(position.code(move)))) == won


def nearly_won(source: random.Random, goal: str, **options: Any) -> Position:
    """A board where team 0 lacks one marker, or two on a white square, on a winding way to the goal."""
    rules = literal.Rules(goal=goal, markers=24, hand=3, **options)
    while True:
        position = random_position(source, rules=rules, seats=2, share=0.0)
        state = position.state
        state.turn = 1
        ends = source.choice(literal.ends_of(rules, 0))
        cell = source.choice(ends.first)
        way = [cell]
        while cell not in ends.last and len(way) < 30:
            steps = [other for other in literal.linked(rules, state.board, 0, cell) if other not in way]
            if not steps:
                break
            cell = source.choice(steps)
            way.append(cell)
        costs = [2 if state.board.squares[one] == "W" else 1 for one in way]
        if way[-1] not in ends.last or sum(costs) > 24:
            continue
        for one, cost in zip(way, costs, strict=True):
            state.board.stacks[one] = [0] * cost
        gap = source.choice(way)
        state.board.stacks[gap] = []
        if not literal.has_path(rules, state.board, 0):
            number = 2 if state.board.squares[gap] == "W" else 1
            if number == 1:  # a second marker stays out of it
                card = next(card for card in literal.CARDS if literal.square_of(card) == state.board.squares[gap])
                state.hands[0] = [card]
            else:
                state.hands[0] = ["KS", "KH"]
            return Position(state, 0)


@pytest.mark.parametrize("goal", literal.CHAIN_GOALS)
def test_completes_and_markers_needed_after_the_marker_that_was_missing(goal: str) -> None:
    source, won = random.Random(goal), []
    for _ in range(40 if COMPILED else 5):
        position = nearly_won(source, goal)
        view = position.view
        for move in literal.moves(position.situation):
            if move.kind == "run" or (move.kind == "pair" and len(set(move.placed)) > 1):
                continue
            after = fill_view(position.view, position.after(move), 0)
            complete = literal.has_path(position.state.rules, position.after(move).board, 0)
            assert bool(plays.completes(after, Word(position.code(move)))) == complete
            assert (plays.markers_needed_after(view, Word(position.code(move)), 0) == 0) == complete
            won.append(complete)
    assert won.count(True) > 4
    assert won.count(False) > 4


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_markers_needed_after_is_markers_needed_of_the_position_after(position: Position, start: int) -> None:
    view, (state, _) = position.view, position
    before = view.tobytes()
    for move in some_moves(random.Random(start), position, 30):
        if position.refusal(move) is not None:
            continue
        board = position.after(move).board
        for team in range(state.teams):
            fewest = literal.fewest_markers(state.rules, board, team)
            found = plays.markers_needed_after(view, Word(position.code(move)), team)
            assert found == (999 if fewest is None else fewest)
    assert view.tobytes() == before


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_stack_after(position: Position, start: int) -> None:
    view = position.view
    for move in some_moves(random.Random(start), position, 10):
        if position.refusal(move) is None:
            board = position.after(move).board
            for cell in (*move.placed, *(marker.cell for marker in move.removed), (0, 0)):
                stack = plays.stack_after(view, Word(position.code(move)), Word(number_of(cell)))
                assert stack == word_of(board.stacks[cell])


# --- Legality --------------------------------------------------------------------------------------------------------


def judge(position: Position, word: int) -> bool:
    """Whether a word is a legal move: read by the letter of the format, then asked of the literal engine."""
    kind, named, rest = word >> 60, word >> 54 & 63, word & (1 << 54) - 1
    hand = sorted(position.hand, key=face_of)
    if named >> len(hand):
        return False
    cards = [card for place, card in enumerate(hand) if named >> place & 1]
    first = [place for place in range(1, len(hand)) if hand[place] == hand[place - 1]]
    if any(named >> place & 1 and not named >> place - 1 & 1 for place in first):
        return False
    if kind == 0:
        return rest == 0 and position.refusal(literal.Pass(tuple(cards))) is None
    if not cards or (kind >= 5 and not 1 <= kind - 4 < len(cards)):
        return False
    placed = {1: 1, 2: len(cards), 3: 0, 4: 2 * (len(cards) - 1)}.get(kind, kind - 4)
    removed = {1: 0, 2: 0, 3: len(cards), 4: 1 if len(cards) == 1 else 0}.get(kind, len(cards) - placed)
    items = [rest >> 9 * index & 511 for index in range(placed + removed)]
    if placed + removed > 6 or rest >> 9 * (placed + removed):
        return False
    taken, put = items[:removed], items[removed:]
    if taken != sorted(set(taken)) or put != sorted(put) or max(put, default=0) > 63:
        return False
    markers = []
    for item in taken:
        stack = position.state.board.stacks[cell_of(item & 63)]
        if item >> 6 >= len(stack):
            return False
        markers.append(literal.Marker(cell_of(item & 63), stack[item >> 6], item >> 6))
    move = literal.Move(KINDS[min(kind, 5)], tuple(cards), tuple(map(cell_of, put)), tuple(markers))
    return position.refusal(move) is None


def corrupted(source: random.Random, word: int) -> Iterator[int]:
    """A word, and others near it: a bit, a marker's level or square, the order, the cards or the kind is another."""
    yield word
    yield word ^ 1 << source.randrange(64)
    one, other = source.randrange(6), source.randrange(6)
    items = [word >> 9 * index & 511 for index in range(6)]
    yield word ^ (items[one] ^ items[other]) << 9 * one  # the same marker twice
    items[one], items[other] = items[other], items[one]
    yield word & ~((1 << 54) - 1) | sum(item << 9 * index for index, item in enumerate(items))
    yield word ^ source.randrange(1, 64) << 9 * one  # another square
    yield word ^ source.randrange(1, 8) << 9 * one + 6  # another level
    yield word ^ source.randrange(1, 16) << 60  # another kind
    yield word ^ source.randrange(1, 64) << 54  # other cards


@settings(max_examples=3 * EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_is_legal(position: Position, start: int) -> None:
    view, source = position.view, random.Random(start)
    before = view.tobytes()
    words = [source.getrandbits(64) for _ in range(10)]
    words += [position.code(literal.Pass(cards)) for cards in [(), *((card,) for card in position.hand)]]
    for move in some_moves(source, position, 12):
        words += corrupted(source, position.code(move))
    for word in words:
        assert bool(plays.is_legal(view, Word(word))) == judge(position, word), word
    assert view.tobytes() == before


def test_random_moves_near_legal_ones_are_of_every_kind() -> None:
    """What the test above goes through is legal often enough, and refused for every reason."""
    kinds: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for start in range(300 if COMPILED else 120):
        source = random.Random(start)
        position = random_position(source)
        for move in some_moves(source, position, 12):
            reason = position.refusal(move)
            kinds[move.kind] += reason is None
            if reason is not None:
                said["white" if "white" in reason else "closed" if "closed" in reason else reason[:9]] += 1
    assert min(kinds[kind] for kind in KINDS[1:]) >= 5, kinds
    assert said["white"] > 50
    assert said["closed"] > 50
    assert any("has" in reason or "team" in reason for reason in said)


BASIC_BOARD = {"b1": "0", "b2": "1", "b4": "01", "c2": "00", "c1": "11", "a3": "00", "f5": "10", "h8": "110"}
# a3 is white and bears two of team 0, c1 two of team 1; b5 and b7 are white and empty. a1 is BJ, h8 too; f5 is R4.


@pytest.mark.parametrize(
    ("hand", "move", "options", "legal"),
    [
        ("JS 3D", ("single", "JS", "a1", ""), {}, True),
        ("JC 3D", ("single", "JC", "a1", ""), {}, True),
        ("JH 3D", ("single", "JH", "a1", ""), {}, False),
        ("JS 3D", ("single", "JS", "h8", ""), {}, False),  # closed
        ("3D 3H", ("single", "3D", "b1", ""), {}, True),  # closes it
        ("QS QH", ("pair", "QS QH", "b5 b5", ""), {}, True),
        ("QS QH", ("pair", "QS QH", "b5 b7", ""), {}, False),  # a white single each
        ("QS QH", ("pair", "QS QH", "a3 a3", ""), {}, False),
        ("QS QH", ("pair", "QS QH", "a3 a3", ""), {"diagonals": True}, True),
        ("QS QH", ("pair", "QS QH", "c1 c1", ""), {"diagonals": True}, False),  # the other team's
        ("QS QH QD", ("pair", "QS QH QD", "b5 b5 b5", ""), {"diagonals": True}, False),
        ("QS QH QD QC", ("pair", "QS QH QD QC", "b5 b5 b5 b5", ""), {"diagonals": True}, True),
        ("QS QH QD QC", ("pair", "QS QH QD QC", "b5 b5 b5 b5", ""), {}, False),
        ("QS QH QD QC", ("pair", "QS QH QD QC", "a3 a3 a3 a3", ""), {"diagonals": True}, False),
        ("QS QH", ("pair", "QS QH", "b2 b2", ""), {}, True),  # on another's marker, together
        ("QS QH", ("pair", "QS QH", "b1 b1", ""), {}, False),  # a third one
        ("QS QH QD", ("pair", "QS QH QD", "d4 d4 d4", ""), {}, False),
        ("QS QH", ("pair", "QS QH", "b1 c2", ""), {}, False),
        ("QS QH", ("pair", "QS QH", "b1 b2", ""), {}, True),
        ("QS KS", ("run", "QS KS", "", "b1.0 b2.0"), {}, True),
        ("QS KS", ("run", "QS KS", "", "b4.0 b4.1"), {}, True),
        ("QS KS", ("run", "QS KS", "", "h8.1 h8.2"), {}, True),
        ("QS KS", ("run", "QS KS", "", "h8.1 h8.3"), {}, False),  # no such level
        ("QS KS", ("run", "QS KS", "", "a3.0 a3.1"), {}, True),
        ("QS KS", ("run", "QS KS", "", "a3.0 b1.0"), {}, False),
        ("QS KS", ("run", "QS KS", "", "a3.0 c1.0"), {}, False),
        ("KS AS", ("run", "KS AS", "", "a3.0 a3.1"), {}, True),
        ("AS 2S", ("run", "AS 2S", "", "a3.0 a3.1"), {}, True),
        ("KS AS 2S", ("run", "KS AS 2S", "", "a3.0 a3.1 b1.0"), {}, False),
        ("QS KH", ("run", "QS KH", "", "b1.0 b2.0"), {}, False),
        ("JOKER 5C", ("joker", "JOKER", "", "b1.0"), {"jokers_wild": True}, True),
        ("JOKER 5C", ("joker", "JOKER", "", "b2.0"), {"jokers_wild": True}, True),
        ("JOKER 5C", ("joker", "JOKER", "", "a3.0"), {"jokers_wild": True}, False),
        ("JOKER 5C", ("joker", "5C JOKER", "b2 b2", ""), {"jokers_wild": True}, True),  # on another's
        ("JOKER 5C", ("joker", "5C JOKER", "d2 d2", ""), {"jokers_wild": True}, False),
        ("JOKER 3H", ("joker", "3H JOKER", "b1 b1", ""), {"jokers_wild": True}, False),  # own marker
        ("JOKER 3H", ("joker", "3H JOKER", "g8 g8", ""), {"jokers_wild": True}, True),
        ("JOKER 3H", ("joker", "3H JOKER", "b1 g8", ""), {"jokers_wild": True}, False),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "d1", "b1.0 b2.0"), {"pairs_and_runs": True}, True),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "d1", "b1.0 b2.0"), {}, False),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "d1 d1", "b1.0"), {"pairs_and_runs": True}, True),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "b5 b5", "b1.0"), {"pairs_and_runs": True}, True),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "b5", "b1.0 b2.0"), {"pairs_and_runs": True}, False),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "d1 d1", "a3.0"), {"pairs_and_runs": True}, False),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "c2", "c2.0 b2.0"), {"pairs_and_runs": True}, True),  # opened
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "c2 c2", "c2.0"), {"pairs_and_runs": True}, False),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "h8", "h8.0 b2.0"), {"pairs_and_runs": True}, True),
        ("4S 5S 5H", ("pair-and-run", "4S 5S 5H", "h8", "b1.0 b2.0"), {"pairs_and_runs": True}, False),
    ],
)
def test_is_legal_by_the_rulebook(hand: str, move: tuple[str, str, str, str], options: Any, legal: bool) -> None:
    position = position_of(BASIC_BOARD, hand, **options)
    kind, cards, placed, removed = move
    markers = []
    for item in removed.split():
        name, _, level = item.partition(".")
        stack = position.state.board.stacks[cell_at(name)]
        team = stack[int(level)] if int(level) < len(stack) else 0
        markers.append(literal.Marker(cell_at(name), team, int(level)))
    made = literal.Move(kind, tuple(cards.split()), tuple(map(cell_at, placed.split())), tuple(markers))
    assert (position.refusal(made) is None) == legal
    assert bool(plays.is_legal(position.view, Word(position.code(made)))) == legal


def test_a_play_needs_its_markers_in_the_supply_and_may_take_them_from_the_board() -> None:
    board = {"a1": "0", "a2": "0", "a4": "0", "b1": "00", "b2": "0", "b3": "0", "c2": "1"}  # 7 of 8
    position = position_of(board, "4S 5S 5H", markers=8, pairs_and_runs=True)
    view = position.view
    for placed, removed, legal in (("d1", "a1.0 c2.0", True), ("d1 d2", "a1.0", True), ("d1 d2", "c2.0", False)):
        markers = tuple(
            literal.Marker(cell_at(item[:2]), position.state.board.stacks[cell_at(item[:2])][0], int(item[3]))
            for item in removed.split()
        )
        move = literal.Move("pair-and-run", ("4S", "5S", "5H"), tuple(map(cell_at, placed.split())), markers)
        assert bool(plays.is_legal(view, Word(position.code(move)))) == legal == (position.refusal(move) is None)
    pair = literal.Move("pair", ("5S", "5H"), (cell_at("d1"), cell_at("d2")))
    assert not plays.is_legal(view, Word(position.code(pair)))


ALL_OUT = {"a1": "00", "a2": "00", "b1": "00", "b2": "00"}  # all eight markers of team 0


@pytest.mark.parametrize("may_pass", [True, False])
@pytest.mark.parametrize("discards", [True, False])
@pytest.mark.parametrize("board", [{}, ALL_OUT], ids=["play", "no play"])
def test_passes(may_pass: bool, discards: bool, board: dict[str, str]) -> None:
    position = position_of(board, "JS JS JC", markers=8, may_pass=may_pass, discard_on_pass=discards)
    view, can = position.view, not board
    assert bool(plays.can_play(view)) == literal.has_play(position.situation) == can
    # JC comes before JS, and of the two JS the first one is named.
    legal = [discarded for discarded in range(64) if plays.is_legal(view, Word(discarded << 54))]
    assert legal == ([] if can and not may_pass else [1, 2] if discards else [0])
    for more in (1, 1 << 9, 1 << 53):
        assert not any(plays.is_legal(view, Word(discarded << 54 | more)) for discarded in range(64))


# --- Carrying out ----------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_carry_out(position: Position, start: int) -> None:
    """The whole view is what the literal engine says, to the byte but for what is left of the hand."""
    state, seat = position
    moves: list[Any] = [move for move in some_moves(random.Random(start), position, 12)]
    moves += [literal.Pass((position.hand[0],) if state.rules.discard_on_pass else ())]
    for move in moves:
        if position.refusal(move) is not None and not isinstance(move, literal.Pass):
            continue
        view, after = position.view, position.after(move)
        literal.check_table(after)
        plays.carry_out(view, Word(position.code(move)))
        expected = fill_view(position.view, after, seat)
        left = len(after.hands[seat])
        assert view.hand[:left].tolist() == faces(after.hands[seat])
        expected.hand[:] = view.hand
        expected.sets[:], expected.set_count = view.sets, view.set_count
        assert view.tobytes() == expected.tobytes()
        assert cards_of(after) == cards_of(state)


@settings(max_examples=EXAMPLES)
@given(positions(share=0.8), st.integers(0, 2**32))
def test_remove_marker_and_place_marker_undo_each_other(position: Position, start: int) -> None:
    view, (state, _) = position.view, position
    markers = literal.markers_on(state.board)
    source = random.Random(start)
    source.shuffle(markers)
    before = told(view)
    for marker in markers[:10]:
        stack = state.board.stacks[marker.cell]
        team = plays.remove_marker(view, Word(number_of(marker.cell)), Word(marker.level))
        assert team == marker.team
        board = literal.without(state.board, [marker])
        assert told(view) == board_fields(board, state.rules, state.teams)
        if marker.level == len(stack) - 1:
            view.team = team
            plays.place_marker(view, Word(number_of(marker.cell)))
            assert told(view) == before
        else:
            for name, value in board_fields(state.board, state.rules, state.teams).items():
                view[name] = value


# --- Numbers of ways -------------------------------------------------------------------------------------------------


def ways_by_counting(markers: int, ones: int, twos: int, fours: int, pairs: int, each: int) -> int:
    """Coefficients of the product of what every square can take."""
    poly = [1] + [0] * markers
    parts = [[1, 1, 1]] * twos + [[1, 1]] * (ones - twos) + [[1, 0, each, 0, 1]] * fours + [[1, 0, 1]] * pairs
    for part in parts:
        poly = [
            sum(poly[total - take] * part[take] for take in range(min(total, len(part) - 1) + 1))
            for total in range(markers + 1)
        ]
    return poly[markers]


@given(st.integers(0, 6), st.integers(0, 96), st.integers(0, 52), st.integers(0, 12), st.integers(0, 12), st.booleans())
def test_ways(markers: int, ones: int, twos: int, fours: int, pairs: int, ordered: bool) -> None:
    each, twos = (6, 0) if ordered else (1, min(twos, ones))
    args = (Word(one) for one in (ones, twos, fours, pairs, each))
    assert plays.ways(markers, *args) == ways_by_counting(markers, ones, twos, fours, pairs, each)


def spaces_of(view: Any) -> tuple[Any, ...]:
    return tuple(map(Word, plays.room(view)))


@settings(max_examples=EXAMPLES)
@given(positions())
def test_room_placements_and_removals(position: Position) -> None:
    view, (state, _) = position.view, position
    rules, board, team = state.rules, state.board, position.situation.team
    fits = {
        number_of(cell): [
            number for number in (1, 2, 4) if not literal.placement_refusal(rules, board, team, [cell] * number)
        ]
        for cell in CELLS
    }
    ones, twos, fours, pairs = map(squares_in, spaces_of(view))
    assert ones == [square for square in fits if 1 in fits[square]]
    assert twos == [square for square in fits if fits[square] == [1, 2]]
    assert fours == [square for square in fits if fits[square] == [2, 4]]
    assert pairs == [square for square in fits if fits[square] == [2]]
    expected = sum(
        not literal.placement_refusal(rules, board, team, placed) for placed in combinations_with_replacement(CELLS, 2)
    )
    assert plays.placements(spaces_of(view), 2) == expected
    found = {
        literal.play_of(rules, literal.Move("run", ("QS", "KS"), (), removed)).removed
        for removed in combinations(literal.markers_on(board), 2)
        if literal.removal_refusal(board, removed) is None
    }
    assert plays.removals(view, 2, plays.ALL_TEAMS) == len(found)
    for one in range(state.teams):
        own = [removed for removed in found if {item[1] for item in removed} == {one}]
        assert plays.removals(view, 2, Word(1 << one)) == len(own)


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_room_after_and_the_bound_of_placements(position: Position, start: int) -> None:
    """There is never more room after a removal than the bound says that random plays are drawn by."""
    view, (state, _) = position.view, position
    source = random.Random(start)
    rules, team = state.rules, position.situation.team
    for number in (1, 2, 3, 4, 5):
        for _ in range(5):
            markers = literal.markers_on(state.board)
            if len(markers) < number:
                continue
            removed = source.sample(markers, number)
            if source.random() < 0.5:  # white squares are left whole
                cell = removed[0].cell
                removed = [marker for marker in markers if marker.cell == cell][:number]
            if literal.removal_refusal(state.board, removed) is not None:
                continue
            board = literal.without(state.board, removed)
            items = sorted(marker.level << 6 | number_of(marker.cell) for marker in removed)
            word = Word(sum(item << 9 * at for at, item in enumerate(items)))
            supply, spaces = plays.room_after(view, word, len(removed))
            assert supply == rules.markers - literal.on_board(board, team)
            after = fill_view(position.view, position.after(literal.Pass()), position.seat)
            for name, value in board_fields(board, rules, state.teams).items():
                after[name] = value
            spaces = tuple(map(Word, spaces))
            assert spaces == spaces_of(after)
            for placed in range(1, 7 - number):
                assert plays.placements(spaces, placed) <= plays.most_placements(view, len(removed), placed)


# --- All plays, counted, listed and drawn ----------------------------------------------------------------------------


def every_play(position: Position) -> dict[Any, set[literal.Play]]:
    """All plays of the literal engine by kind and cards."""
    by_cards: dict[Any, set[literal.Play]] = defaultdict(set)
    for play in literal.plays(position.situation):
        by_cards[play.kind, play.cards].add(play)
    return by_cards


def listed(view: Any, most: int) -> list[int]:
    moves = np.zeros(most, np.uint64)
    count = listing.list_all(view, moves)
    assert count < most, "there are more"
    return [int(move) for move in moves[:count] if int(move) >> 60]


def check_plays(position: Position, most: int = 200_000) -> int:
    """Hold list_all, count_moves, can_play and can_play_set against the literal engine; return how many plays."""
    view = position.view
    by_cards = every_play(position)
    total = sum(map(len, by_cards.values()))
    moves = listed(view, total + 10)
    assert len(moves) == total == plays_counted(view)
    told_by: dict[Any, set[literal.Play]] = defaultdict(set)
    for move in moves:
        assert plays.is_legal(view, Word(move))
        play = play_of(view, move)
        told_by[play.kind, play.cards].add(play)
    assert told_by == by_cards
    splits = Counter(move >> 54 for move in moves)
    for entry in view.sets[: view.set_count]:
        assert bool(plays.can_play_set(view, Word(entry))) == (int(entry) in splits)
    assert bool(plays.can_play(view)) == bool(total)
    assert splits.keys() <= {int(entry) for entry in view.sets[: view.set_count]}
    return total


def plays_counted(view: Any) -> int:
    return int(listing.count_moves(view))


OPTIONS = [
    {},
    {"king_of_the_mountain": True},
    {"diagonals": True},
    {"diagonals": True, "king_of_the_mountain": True},
    {"jokers_wild": True},
    {"jokers_wild": True, "king_of_the_mountain": True, "diagonals": True, "pairs_and_runs": True},
    {"pairs_and_runs": True},
    {"pairs_and_runs": True, "king_of_the_mountain": True},
    {"pairs_and_runs": True, "diagonals": True},
    {"pairs_and_runs": True, "double_down": True},
]


def crowded(source: random.Random, hand: int, options: dict[str, Any], **kept: Any) -> Position:
    """A table with few places to put markers, so that all plays are soon listed."""
    seats = source.choice([3, 4])
    share = 1.0 if not options.get("pairs_and_runs") or source.random() < 0.5 else 0.1
    return random_position(
        source,
        rules=random_rules(source, team_size=1, turn_limit=400, **{**dict.fromkeys(FLAGS, False), **options, **kept}),
        seats=seats,
        hand=hand,
        share=share,
        doubles=1.0 if share == 1.0 else 0.5,
    )


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "basic")
def test_all_plays_are_listed_and_counted(options: dict[str, Any]) -> None:
    source = random.Random(str(options))
    done = 0
    for number in range(6 if COMPILED else 3):
        position = crowded(source, (source.choice([1, 2, 2]) if number else 3) if COMPILED else 2, options)
        done += check_plays(position)
    assert done > 0


# What is hard: white squares that come and go, supplies that run out, squares that a removal opens.
HARD = {
    "empty board": ({}, "KS KH", {}),
    "three of a rank on a full board": (
        {name: "0" for name in ("a1", "a2", "b1")} | {"c1": "11", "c3": "00"},
        "KS KH",
        {},
    ),
    "white with two": ({"a3": "00", "b5": "11", "b7": "11"}, "QS KS", {}),
    "white with four, run of four": (
        {"a3": "0000", "b5": "11", "b7": "1111", "a1": "010"},
        "JS QS KS AS",
        {"diagonals": True},
    ),
    "white with four, levels count": (
        {"a3": "0000", "b5": "11", "a1": "101", "a2": "0"},
        "JS QS KS AS",
        {"diagonals": True, "king_of_the_mountain": True},
    ),
    "four on white": ({"a3": "00", "c1": "11"}, "KS KH", {"diagonals": True}),
    "supply from removed markers": (
        {"a1": "00", "a2": "00", "b1": "00", "b2": "00", "c2": "1"},
        "4S 5S 5H",
        {"pairs_and_runs": True, "markers": 8},
    ),
    "a run alone of a team without markers": ({}, "4S 5S 5H", {"pairs_and_runs": True}),
    "one marker on the board": ({"a1": "1"}, "4S 5S 5H", {"pairs_and_runs": True}),
    "equal cards on both sides": ({"a1": "10", "a2": "0"}, "4S 5S 5S 5H", {"pairs_and_runs": True}),
    "white for a pair-and-run": ({"a3": "11", "a1": "0"}, "4S 5S 5H", {"pairs_and_runs": True, "diagonals": True}),
    "jokers": ({"a1": "10", "a2": "0", "a3": "00", "h5": "1"}, "JOKER JOKER 2D JS", {"jokers_wild": True}),
}


@pytest.mark.parametrize("name", HARD)
def test_all_plays_of_hard_positions_are_listed_and_counted(name: str) -> None:
    board, hand, options = HARD[name]
    if not COMPILED and len(hand.split()) > 2 and "pairs_and_runs" in options and "equal" in name:
        hand = "5S 5S 4S"
    total = check_plays(position_of(board, hand, **options))
    if "five cards" not in name:
        assert total > 0


@pytest.mark.skipif(not COMPILED, reason="there are many thousand moves to list")
@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_larger_hands_are_counted_as_they_are_listed(start: int) -> None:
    """Here every listed move is asked of the kernel's own judge, and counts of different origin agree."""
    source = random.Random(start)
    position = random_position(source, hand=source.choice([3, 4]))
    view = position.view
    total = plays_counted(view)
    if total > 400_000:
        return
    moves = listed(view, total + 10)
    assert len(set(moves)) == len(moves) == total
    splits = Counter(move >> 54 for move in moves)
    for entry in view.sets[: view.set_count]:
        assert bool(plays.can_play_set(view, Word(entry))) == (int(entry) in splits)
    for move in source.sample(moves, min(30, total)):
        assert judge(position, move)


def test_an_empty_board_has_as_many_plays_as_combinations_say() -> None:
    view = position_of({}, "KS KH").view
    # Two singles on two squares each; two of 52 card squares, both on one of them, or both on one of 12 white ones.
    assert plays_counted(view) == 4 + comb(52, 2) + 52 + 12
    view = position_of({}, "KS KH KD").view
    pairs = 3 * (comb(52, 2) + 52 + 12)
    assert plays_counted(view) == 6 + pairs + comb(52, 3) + 52 * 51 + 12 * 52


@jit
def drawn_moves(view: Any, rng: Any, moves: Any) -> None:
    for index in range(len(moves)):
        moves[index] = plays.random_move(view, rng)


def check_uniform(position: Position, each: int, start: int = 1) -> None:
    """Each (kind, cards) as often, and each of its plays as often, by the literal engine's list."""
    view = position.view
    before = view.tobytes()
    by_cards = every_play(position)
    assert by_cards
    draws = each * max(len(by_cards) * max(map(len, by_cards.values())), 20)
    moves = np.zeros(min(draws, 400_000 if COMPILED else 3_000), np.uint64)
    drawn_moves(view, stream(start), moves)
    assert view.tobytes() == before
    words, counts = np.unique(moves, return_counts=True)
    found: Counter[literal.Play] = Counter()
    for word, count in zip(words.tolist(), counts.tolist(), strict=True):
        assert plays.is_legal(view, Word(word))
        found[play_of(view, word)] += count
    every = {play: 1 / len(by_cards) / len(some) for some in by_cards.values() for play in some}
    assert found.keys() <= every.keys()
    shares = np.array(list(every.values()))
    counted = np.array([found[play] for play in every])
    assert stats.chisquare(counted, shares / shares.sum() * len(moves)).pvalue > 1e-5
    cards = Counter({key: sum(found[play] for play in some) for key, some in by_cards.items()})
    if len(cards) > 1:
        assert stats.chisquare([cards[key] for key in by_cards]).pvalue > 1e-5


UNIFORM_POSITIONS = [
    *(name for name in HARD if name not in ("white with four, run of four", "jokers")),
    "jokers",
    "white with four, run of four",
]


@pytest.mark.parametrize("name", UNIFORM_POSITIONS)
def test_random_move_makes_each_play_of_cards_as_often(name: str) -> None:
    board, hand, options = HARD[name]
    if not COMPILED and len(hand.split()) > 2:
        pytest.skip("there are many plays: compiled code draws them")
    check_uniform(position_of(board, hand, **options), 12 if COMPILED else 2)


def mostly_closed(hand: str, **options: Any) -> Position:
    """A board where four teams have closed all but a few squares."""
    board = {}
    teams = [team for _ in range(11) for team in range(4)]
    for cell in CELLS:
        name = "abcdefgh"[cell[0]] + str(cell[1] + 1)
        if LAYOUT[cell[0]][cell[1]] != "W" and teams:
            board[name] = str(teams.pop()) * 2
    whites = [cell for cell in CELLS if LAYOUT[cell[0]][cell[1]] == "W"]
    for team, (row, column) in enumerate(whites[:3], 1):
        board["abcdefgh"[row] + str(column + 1)] = str(team) * 2
    return position_of(board, hand, seats=4, **options)


@pytest.mark.skipif(not COMPILED, reason="there are many plays: compiled code draws them")
@pytest.mark.parametrize("hand", ["4S 5S 5H", "KS KH"])
@pytest.mark.parametrize(
    "options", [{}, {"king_of_the_mountain": True}, {"diagonals": True}], ids=lambda options: "".join(options)
)
def test_random_moves_are_uniform_where_much_is_closed(hand: str, options: dict[str, Any]) -> None:
    """How many ways there are to place hangs on what is removed before: on few open squares it hangs much."""
    check_uniform(mostly_closed(hand, pairs_and_runs=True, **options), 12)


def test_a_seat_without_plays_passes_and_discards_any_face() -> None:
    position = position_of(ALL_OUT, "2D 2D 7S KH", markers=8, discard_on_pass=True)
    view, rng = position.view, stream(3)
    assert not plays.can_play(view)
    draws = 3_000 if COMPILED else 300
    counts = Counter(int(plays.random_move(view, rng)) >> 54 for _ in range(draws))
    assert set(counts) == {1, 4, 8}  # the first of the equal ones
    assert stats.chisquare(list(counts.values())).pvalue > 1e-5
    view.discard_on_pass = False
    assert plays.random_move(view, rng) == 0


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_random_moves_are_legal(position: Position, start: int) -> None:
    view, rng = position.view, stream(start)
    for _ in range(20):
        move = int(plays.random_move(view, rng))
        assert judge(position, move)
        assert plays.is_legal(view, Word(move))
        if move >> 60 == 0:
            assert not plays.can_play(view)


def test_pick_bits_picks_each_set_as_often() -> None:
    squares = bits([0, 3, 17, 40, 63])
    rng = stream(5)
    counts = Counter(int(plays.pick_bits(Word(squares), 2, rng)) for _ in range(4_000 if COMPILED else 400))
    assert set(counts) == {bits(pair) for pair in combinations([0, 3, 17, 40, 63], 2)}
    assert stats.chisquare(list(counts.values())).pvalue > 1e-5


def test_words_are_read_as_they_were_written() -> None:
    """What the tests themselves use to write and read moves."""
    for start in range(40 if COMPILED else 10):
        source = random.Random(start)
        position = random_position(source)
        view = position.view
        for move in some_moves(source, position, 10):
            again = read(view, code(position.hand, move))
            assert isinstance(again, literal.Move)
            assert literal.play_of(literal.Rules(king_of_the_mountain=True), again) == literal.play_of(
                literal.Rules(king_of_the_mountain=True), move
            )
    assert (RANKS[face_of("10H") % 16], SUITS[face_of("10H") // 16]) == ("10", "H")
    assert BOARD_FIELDS[0] == "one"
