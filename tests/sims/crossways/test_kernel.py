import copy
import dataclasses
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims import chance
from sims.asking import new_scratch
from sims.bits import Word
from sims.chance import deal_key, fill_stream, new_streams, start_stream
from sims.crossways import CROSSWAYS, CrossWaysRules, kernel, plays
from sims.crossways.facts import END_REASONS
from sims.crossways.listing import MAX_MOVES, list_moves
from sims.crossways.rules import VIEW
from sims.errors import StrategyError
from sims.game import WIN_UNIT
from sims.jit import COMPILED
from sims.table import Table
from strategies import Strategy, noisy, restrict, rollout, strategy
from tests.reference import crossways as literal
from tests.sims.crossways.players import (
    GAME,
    Played,
    Turn,
    anyhow,
    eager,
    idle,
    jealous,
    passing,
    played,
    random_games,
    singles,
    touchy,
    trace_of,
    turns_of,
    unsure,
    wrong,
)
from tests.sims.crossways.positions import (
    BASIC,
    BOARD_FIELDS,
    CELLS,
    FLAGS,
    LAYOUT,
    Position,
    another_world,
    board_fields,
    card_of,
    cell_at,
    empty_views,
    face_of,
    faces,
    fill_view,
    hidden_of,
    kernel_rules,
    literal_rules,
    play,
    position_of,
    positions,
    random_position,
    random_rules,
    read,
    sets_of,
    some_moves,
    stream,
    table,
    told,
    view_of,
    views_of,
)

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = 80 if COMPILED else 30
SCORE, RANK, WIN = range(3)
COLUMN = {column.name: place for place, column in enumerate(CROSSWAYS.columns)}
RULE_FIELDS = (
    *("white", "spots", "squares", "turn_limit", "seats", "teams", "goal", "hand_limit", "markers", "decks"),
    *("double_down", "king_of_the_mountain", "diagonals", "pairs_and_runs", "jokers", "may_pass", "discard_on_pass"),
)
THINGS = tuple(name for name in VIEW.names or () if name not in (*RULE_FIELDS, "ahead", "sets", "set_count"))


def in_deck(hidden: Any) -> list[str]:
    return sorted(card_of(int(face)) for face in hidden.deck[hidden.drawn : hidden.cards])


def in_hand(hidden: Any, seat: int, held: int) -> list[str]:
    return sorted(card_of(int(face)) for face in hidden.hands[seat, :held])


RULES = st.integers(0, 2**32).map(lambda start: random_rules(random.Random(start)))


# --- The cards nobody sees -------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(RULES)
def test_fill_deck(rules: literal.Rules) -> None:
    view = empty_views(kernel_rules(rules), 2 * rules.team_size)[0]
    hidden = hidden_of(random_position(random.Random(0)).state)
    hidden.drawn = 7  # left from the game before
    kernel.fill_deck(view, hidden)
    assert in_deck(hidden) == sorted(literal.all_cards(rules))
    assert hidden.drawn == 0


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32), st.integers(0, 60))
def test_draw_card(position: Position, start: int, number: int) -> None:
    """What is drawn was in the deck; the discards become the deck when it is empty, and never before."""
    state = position.state
    view, hidden, draws = position.view, hidden_of(state), stream(start)
    deck, discards, shuffled = list(state.deck), list(state.discards), 0
    for _ in range(min(number, len(deck) + len(discards))):
        if not deck:
            deck, discards, shuffled = discards, [], shuffled + 1
        deck.remove(card_of(int(kernel.draw_card(view, hidden, draws))))
        assert in_deck(hidden) == sorted(deck)
        assert view.reshuffles == shuffled
        assert Counter({card_of(face): int(count) for face, count in enumerate(view.discards) if count}) == Counter(
            discards
        )


def test_draw_card_takes_each_card_of_the_deck_as_often() -> None:
    position = position_of({}, "KS KH", decks=1)
    view, hidden, draws = position.view, hidden_of(position.state), stream(11)
    first: Counter[int] = Counter()
    second: Counter[bool] = Counter()
    games = 20_000 if COMPILED else 3_000
    for _ in range(games):
        hidden.drawn = 0  # all in the deck again, in the order in which the draws have left them
        one, other = (int(kernel.draw_card(view, hidden, draws)) for _ in range(2))
        first[one] += 1
        second[one < other] += 1
    assert len(first) == len(position.state.deck)
    assert stats.chisquare(list(first.values())).pvalue > 1e-5
    assert stats.chisquare(list(second.values())).pvalue > 1e-5


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_refill(position: Position, start: int) -> None:
    state, seat = position
    for kept in range(len(state.hands[seat])):
        after = position.after(literal.Pass())
        lost = after.hands[seat][kept:]
        after.hands[seat] = after.hands[seat][:kept]
        after.discards += lost
        view, hidden, draws = view_of(after, seat), hidden_of(after), stream(start)
        again, other = hidden_of(after), stream(start)
        kernel.refill(view, seat, hidden, draws)
        scratch = view_of(after, seat)
        drawn = [card_of(int(kernel.draw_card(scratch, again, other))) for _ in lost]
        assert in_hand(hidden, seat, len(state.hands[seat])) == sorted(after.hands[seat] + drawn)
        assert hidden.hands[seat].tolist()[: len(state.hands[seat])] == faces(after.hands[seat] + drawn)
        assert in_deck(hidden) == in_deck(again)
        assert view.deck == len(in_deck(hidden))
        assert view.hand_sizes[seat] == len(state.hands[seat])


@settings(max_examples=EXAMPLES)
@given(RULES, st.integers(0, 2), st.integers(0, 2**32))
def test_set_up(rules: literal.Rules, more: int, start: int) -> None:
    seats = literal.SEATS[rules.team_size][more]
    views = empty_views(kernel_rules(rules), seats)
    view = views[0]
    for name in THINGS:
        view[name] = 1  # left from the game before
    view.hand_sizes[seats:] = 0
    hidden, again = (hidden_of(random_position(random.Random(0)).state) for _ in range(2))
    kernel.set_up(view, hidden, stream(start))
    state = literal.start(rules, seats, LAYOUT)
    size, draws = literal.hand_size(rules), stream(start)
    scratch = empty_views(kernel_rules(rules), seats)[0]
    kernel.fill_deck(scratch, again)
    for seat in range(seats):
        state.hands[seat] = [card_of(int(kernel.draw_card(scratch, again, draws))) for _ in range(size)]
        state.deck = literal.without_cards(state.deck, state.hands[seat])
        assert in_hand(hidden, seat, size) == sorted(state.hands[seat])
    assert in_deck(hidden) == sorted(state.deck)
    state.turn = 0
    expected = view_of(state, 0)
    names = [name for name in THINGS if name not in ("seat", "team", "hand")]
    assert told(view, names) == told(expected, names)


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_begin_turn_shows_a_seat_the_table_and_its_own_hand(position: Position, start: int) -> None:
    """To the byte, whatever the others hold, how the deck is ordered, and what the seat before could play."""
    state, seat = position
    before = (seat - 1) % len(state.hands)
    for number in range(3):
        world = another_world(state, seat, random.Random(start + number)) if number else state
        view = fill_view(position.view, dataclasses.replace(world, turn=max(state.turn - 1, 0)), before)
        view.turn = state.turn - 1
        view.sets[:], view.set_count = 77, len(view.sets)
        assert kernel.begin_turn(view, hidden_of(world)) == seat
        assert view.tobytes() == position.view.tobytes()


@settings(max_examples=EXAMPLES)
@given(positions())
def test_unseen(position: Position) -> None:
    state, seat = position
    hidden = Counter(state.deck)
    for other, hand in enumerate(state.hands):
        hidden.update(hand if other != seat else [])
    view = position.view
    assert [int(kernel.unseen(view, face_of(card))) for card in literal.CARDS] == [
        hidden[card] for card in literal.CARDS
    ]
    assert int(kernel.unseen(view, face_of(literal.JOKER))) == hidden[literal.JOKER]


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_imagine_hidden(position: Position, start: int) -> None:
    """Cards are conserved and hands keep their sizes, and what is hidden is not looked at."""
    state, seat = position
    view = position.view
    kept = view.tobytes()
    imagined = []
    for world in (state, another_world(state, seat, random.Random(start))):
        hidden = hidden_of(world)
        kernel.imagine_hidden(view, hidden, stream(start))
        other = copy.copy(state)
        other.hands = [in_hand(hidden, one, len(hand)) for one, hand in enumerate(state.hands)]
        other.deck = in_deck(hidden)
        literal.check_table(other)
        assert other.hands[seat] == sorted(state.hands[seat])
        assert len(other.deck) == len(state.deck)
        imagined.append((other.hands, hidden.deck[: hidden.cards].tolist(), int(hidden.drawn)))
    assert imagined[0] == imagined[1]
    assert view.tobytes() == kept


def test_imagine_hidden_deals_every_unseen_card_as_often() -> None:
    position = position_of({}, "KS KH", seats=3, discards="2S 2S 3H", jokers_wild=True)
    state, view, draws = position.state, position.view, stream(5)
    hidden = hidden_of(state)
    games = 20_000 if COMPILED else 800
    counts: list[Counter[str]] = [Counter() for _ in range(3)]
    for _ in range(games):
        kernel.imagine_hidden(view, hidden, draws)
        for seat in range(3):
            counts[seat].update(in_hand(hidden, seat, 2))
    there = Counter([*state.deck, *state.hands[1], *state.hands[2]])
    for seat in (1, 2):
        assert counts[seat].total() == 2 * games
        expected = [2 * games * there[card] / there.total() for card in there]
        assert stats.chisquare([counts[seat][card] for card in there], expected).pvalue > 1e-5
    assert counts[0] == {"KS": games, "KH": games}


# --- Turns and ends --------------------------------------------------------------------------------------------------


@settings(max_examples=2 * EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_make_move(position: Position, start: int) -> None:
    """A whole turn: the move, the end or the draw, to the byte."""
    state = position.state
    if any(literal.has_path(state.rules, state.board, team) for team in range(state.teams)):
        return
    moves: list[Any] = list(some_moves(random.Random(start), position, 6))
    moves += [literal.Pass((card,) if state.rules.discard_on_pass else ()) for card in position.hand[:1]]
    for move in moves:
        if isinstance(move, literal.Move) and position.refusal(move) is not None:
            continue
        view, hidden = position.view, hidden_of(state)
        kernel.make_move(view, Word(position.code(move)), hidden, stream(start))
        check_after(position, move, view, hidden, start)


def check_after(position: Position, move: Any, view: Any, hidden: Any, start: int) -> None:
    state, seat = position
    after = position.after(move)
    again, draws = hidden_of(state), stream(start)
    winner = None if isinstance(move, literal.Pass) else literal.winning_team(after)
    scratch = view_of(after, seat)
    if winner is None:
        for _ in range(len(state.hands[seat]) - len(after.hands[seat])):
            before = int(scratch.reshuffles)
            card = card_of(int(kernel.draw_card(scratch, again, draws)))
            if int(scratch.reshuffles) > before:
                assert after.deck == []
                after.deck, after.discards = after.discards, []
            after.deck = literal.without_cards(after.deck, [card])
            after.hands[seat].append(card)
    literal.check_table(after)
    ended = 0
    if winner is not None:
        ended = 1
    elif after.passes >= len(after.hands) and not state.rules.discard_on_pass:
        ended = 2
    elif state.turn >= state.rules.turn_limit:
        ended = 3
    assert (view.ended, view.winner) == (ended, winner or 0)
    assert told(view) == board_fields(after.board, state.rules, state.teams)
    assert told(view, ["discards", "hand_sizes", "deck", "passes", "turn"]) == told(
        view_of(after, seat), ["discards", "hand_sizes", "deck", "passes", "turn"]
    )
    assert view.reshuffles == scratch.reshuffles
    for one, hand in enumerate(after.hands):
        assert in_hand(hidden, one, len(hand)) == sorted(hand)
    assert in_deck(hidden) == sorted(after.deck)


ROW = [f"d{column}" for column in range(1, 9)]  # RQ B9 RA B6 RJ B3 W B8: d7 is white
OTHER_ROW = [f"e{column}" for column in range(1, 9)]  # B8 W B3 …: e2 is white


def row_of(team: int, names: Sequence[str], whites: Sequence[str] = ("d7", "e2")) -> dict[str, str]:
    return {name: str(team) * (2 if name in whites else 1) for name in names}


def removing(*items: tuple[str, int, int]) -> tuple[literal.Marker, ...]:
    return tuple(literal.Marker(cell_at(name), team, level) for name, team, level in items)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("king", [True, False])
def test_a_removal_can_make_another_team_win(seats: int, mover: int, king: bool) -> None:
    """The row is complete but for a square that is hidden, or blocked by two markers of the mover."""
    other = (mover + 1) % seats
    board = row_of(other, ROW)
    board["d3"] = f"{other}{mover}" if king else f"{other}{mover}{mover}"
    options = {"king_of_the_mountain": True} if king else {"double_down": True}
    position = position_of(board, "QS KS", seats=seats, turn=mover + 1, **options)
    view, hidden = position.view, hidden_of(position.state)
    removed = [("d3", mover, 1), ("d4", other, 0)] if king else [("d3", mover, 1), ("d3", mover, 2)]
    if king:
        position.state.board.stacks[cell_at("d4")] = [other, mover]
        removed = [("d3", mover, 1), ("d4", mover, 1)]
        view = position.view
    assert not literal.has_path(position.state.rules, position.state.board, other)
    move = literal.Move("run", ("QS", "KS"), (), removing(*removed))
    kernel.make_move(view, Word(position.code(move)), hidden, stream())
    assert (view.ended, view.winner) == (1, other)
    check_after(position, move, view, hidden, 1)
    assert view.hand_sizes[mover] == 0  # nothing is drawn after the play that wins


@pytest.mark.parametrize("mover", range(4))
@pytest.mark.parametrize("rows", [(0, 1), (1, 2), (1, 3), (3, 0), (2, 3), (0, 2)])
def test_of_two_teams_that_win_at_once_the_mover_is_first_then_turn_order(mover: int, rows: tuple[int, int]) -> None:
    """A fourth team's markers lie on top of both rows."""
    hider = next(team for team in range(4) if team not in rows)
    board = row_of(rows[0], ROW) | row_of(rows[1], OTHER_ROW)
    board["d3"], board["e4"] = f"{rows[0]}{hider}", f"{rows[1]}{hider}"
    position = position_of(board, "QS KS", seats=4, turn=mover + 1, king_of_the_mountain=True)
    move = literal.Move("run", ("QS", "KS"), (), removing(("d3", hider, 1), ("e4", hider, 1)))
    view, hidden = position.view, hidden_of(position.state)
    kernel.make_move(view, Word(position.code(move)), hidden, stream())
    expected = min(rows, key=lambda team: (team - mover) % 4)
    assert (view.ended, view.winner) == (1, expected)
    assert literal.winning_team(position.after(move)) == expected


@pytest.mark.parametrize("goal", literal.GOALS)
def test_a_placement_that_reaches_the_goal_wins(goal: str) -> None:
    shape = {
        "sides": ROW,
        "own-sides": [f"{row}1" for row in "abcdefgh"],
        "corners": ["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"],
        "block-3x3": [f"{row}{column}" for row in "def" for column in "345"],
        "frame-4x4": [f"{row}{column}" for row in "defg" for column in "3456" if row in "dg" or column in "36"],
        "block-4x4": [f"{row}{column}" for row in "defg" for column in "3456"],
        "straight": ROW,
    }[goal]
    white = [name for name in shape if LAYOUT[cell_at(name)[0]][cell_at(name)[1]] == "W"]
    gap = "a1" if goal == "corners" else next(name for name in shape if name not in white)
    full = row_of(0, shape, white)
    board = {name: stack for name, stack in full.items() if name != gap}
    shown = LAYOUT[cell_at(gap)[0]][cell_at(gap)[1]]
    card = next(card for card in literal.CARDS if literal.square_of(card) == shown)
    position = position_of(board, f"{card} 2S", goal=goal)
    move = literal.Move("single", (card,), (cell_at(gap),))
    view, hidden = position.view, hidden_of(position.state)
    kernel.make_move(view, Word(position.code(move)), hidden, stream())
    assert (view.ended, view.winner) == (1, 0)
    check_after(position, move, view, hidden, 1)
    twin = next(cell for cell in CELLS if LAYOUT[cell[0]][cell[1]] == shown and cell != cell_at(gap))
    view, hidden = position.view, hidden_of(position.state)
    elsewhere = literal.Move("single", (card,), (twin,))
    kernel.make_move(view, Word(position.code(elsewhere)), hidden, stream())
    assert view.ended == 0


@pytest.mark.parametrize("discards", [True, False])
def test_passes_are_counted_as_far_as_they_go(discards: bool) -> None:
    """With `discard_on_pass` they end nothing, and there can be more of them than a byte holds."""
    position = position_of({}, "KS KH", discard_on_pass=discards, turn_limit=1000)
    view, hidden, draws = position.view, hidden_of(position.state), stream()
    view.turn = 0
    for number in range(300):
        assert view.passes == number
        if view.ended:
            break
        kernel.begin_turn(view, hidden)
        kernel.make_move(view, Word(1 << 54 if discards else 0), hidden, draws)
    assert (view.passes, view.ended) == ((300, 0) if discards else (2, 2))


@settings(max_examples=EXAMPLES)
@given(positions(), st.sampled_from([1, 2, 3]), st.integers(0, 3))
def test_worth_of_end(position: Position, ended: int, winner: int) -> None:
    view, (state, _) = position.view, position
    view.ended, view.winner = ended, winner % state.teams
    for team in range(state.teams):
        worth = float(kernel.worth_of_end(view, team))
        if ended == 1:
            assert worth == (1.0 if team == view.winner else 0.0)
        else:
            needed = literal.fewest_markers(state.rules, state.board, team)
            # Nearer is better, blocked the worst, and nothing comes near to a win.
            assert worth == pytest.approx(-(432 if needed is None else needed) / 100_000)
            assert abs(worth) < 0.01


@settings(max_examples=EXAMPLES)
@given(positions(), st.integers(0, 2**32))
def test_look_ahead_copies_the_position_and_not_the_rules(position: Position, start: int) -> None:
    views = views_of(*position)
    view, ahead = views
    rules = told(ahead, RULE_FIELDS)
    view.reshuffles, view.ended, view.winner = 3, 0, 1
    for name in THINGS:
        ahead[name] = 1  # left from the game before
    kept = view.tobytes()
    kernel.look_ahead(view, ahead)
    assert told(ahead, THINGS) == told(view, THINGS)
    assert told(ahead, RULE_FIELDS) == rules == told(view, RULE_FIELDS)
    assert (view.ahead, ahead.ahead) == (0, 1)
    for move in some_moves(random.Random(start), position, 2):
        if position.refusal(move) is None:
            kernel.look_ahead(view, ahead)
            plays.carry_out(ahead, Word(position.code(move)))
    assert view.tobytes() == kept


# --- Games ahead -----------------------------------------------------------------------------------------------------


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
        return float(kernel.play_out(views, seat, Word(move), self.rng, self.noise, self.scratch, self.dice, probe))

    def choose(self, views: Any) -> int:
        seat, probe = self.seated._seats[int(views[0].seat)], self.seated._probe
        if seat.rollouts:
            args = (views, seat, self.rng, self.noise, self.scratch, self.outer, self.dice, probe)
            return int(kernel.think(*args))
        return int(kernel.ask(views[0], seat, self.rng, self.noise, self.scratch, probe))


def room_for(player: Strategy, state: literal.State, start: int = 1) -> Room:
    seated = table([player] * len(state.hands), kernel_rules(state.rules))
    scratch = (*new_scratch(MAX_MOVES), hidden_of(state))
    streams = (stream(start), stream(start + 1), stream(start + 2))
    return Room(seated, *streams, scratch, new_scratch(MAX_MOVES))


def shortly(position: Position, turns: int) -> Position:
    """The same table with the turn limit near."""
    state = copy.copy(position.state)
    state.rules = dataclasses.replace(state.rules, turn_limit=state.turn + turns)
    return Position(state, position.seat)


def played_out(position: Position, move: Any, start: int) -> tuple[literal.State, int, int | None]:
    """The table at the end of a game ahead that the literal engine plays, with `touchy` in every seat."""
    hidden, dice = hidden_of(position.state), stream(start)
    kernel.imagine_hidden(position.view, hidden, dice)
    state, seat, reshuffles = position.after(move), position.seat, 0
    rules, size = state.rules, literal.hand_size(state.rules)
    for other in range(len(state.hands)):
        if other != seat:
            state.hands[other] = in_hand(hidden, other, size)
    state.deck = in_deck(hidden)
    while True:
        if not isinstance(move, literal.Pass) and (winner := literal.winning_team(state)) is not None:
            return state, 1, winner
        while len(state.hands[seat]) < size:
            scratch = view_of(state, seat)
            if not state.deck:
                state.deck, state.discards, reshuffles = state.discards, [], reshuffles + 1
            card = card_of(int(kernel.draw_card(scratch, hidden, dice)))
            state.deck = literal.without_cards(state.deck, [card])
            state.hands[seat].append(card)
        if state.passes >= len(state.hands) and not rules.discard_on_pass:
            return state, 2, None
        if state.turn >= rules.turn_limit:
            return state, 3, None
        state.turn += 1
        seat = state.mover
        view = view_of(state, seat)
        view.reshuffles = reshuffles
        move = read(view, int(touchy.function(view, None, None)))
        if isinstance(move, literal.Pass):
            literal.carry_out_pass(state, seat, move.discarded)
        else:
            literal.carry_out(state, seat, move)
        literal.check_table(state)


@settings(max_examples=15 if COMPILED else 6)
@given(positions(), st.integers(0, 2**32))
def test_play_out_plays_by_the_rules(position: Position, start: int) -> None:
    position = shortly(position, 12 if COMPILED else 2)
    state, seat = position
    if any(literal.has_path(state.rules, state.board, team) for team in range(state.teams)):
        return
    moves = [move for move in some_moves(random.Random(start), position, 8) if position.refusal(move) is None][:2]
    for move in moves:
        views, room = views_of(state, seat), room_for(touchy, state)
        kept = views[0].tobytes()
        fill_stream(room.dice, Word(start))
        worth = room.play_out(views, position.code(move))
        assert views[0].tobytes() == kept
        end, reason, winner = played_out(position, move, start)
        assert (views[1].ended, views[1].winner) == (reason, winner or 0)
        names = (*BOARD_FIELDS, "turn", "deck", "hand_sizes", "discards", "passes")
        assert told(views[1], names) == told(view_of(end, int(views[1].seat)), names)
        team = literal.team_of(state, seat)
        if winner is not None:
            assert worth == (1.0 if winner == team else 0.0)
        else:
            needed = literal.fewest_markers(state.rules, end.board, team)
            assert worth == pytest.approx(-(432 if needed is None else needed) / 100_000)


def test_play_out_is_not_a_number_when_a_move_is_refused() -> None:
    position = position_of({"a1": "0"}, "KS KH", turn=3)
    views = views_of(*position)
    move = literal.Move("pair", ("KS", "KH"), (cell_at("b1"), cell_at("b2")))
    assert np.isnan(room_for(wrong.with_values(where=1), position.state).play_out(views, position.code(move)))


@pytest.mark.parametrize("base", [anyhow, touchy, eager], ids=lambda one: one.spec)
def test_what_is_hidden_changes_no_choice(base: Strategy) -> None:
    """In worlds that look alike to a seat, it chooses alike, bare, noisy or thinking ahead."""
    source = random.Random(base.name)
    board = {"a1": "01", "c2": "11", "d3": "0", "e3": "10"}
    for hand, options in (("KS", {}), ("3D 3S", {"turn_limit": 8}), ("3D 4D JOKER", {"jokers_wild": True})):
        rules = {"turn_limit": 6 if COMPILED else 3, **options}
        position = position_of(board, hand, seats=3, turn=1, **rules)
        worlds = [position.state, *(another_world(position.state, 0, source) for _ in range(3))]
        assert len({str(world.hands) for world in worlds}) == 4
        for player in (base, noisy(base, 0.5), rollout(base, 1), noisy(rollout(base, 1), 0.5)):
            if not COMPILED and player.rollouts and hand != "KS":
                continue  # it would think for long
            choices = set()
            for world in worlds:
                views = views_of(position.state, 0)
                views[0].turn -= 1
                kernel.begin_turn(views[0], hidden_of(world))
                kept = views[0].tobytes()
                assert kept == position.view.tobytes()
                choices.add(room_for(player, world, 9).choose(views))
                assert views[0].tobytes() == kept
            assert len(choices) == 1
            assert plays.is_legal(position.view, Word(choices.pop()))


# --- Whole games -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def games() -> list[Played]:
    """Games of many kinds."""
    source = random.Random(5)
    some: list[Played] = []
    for goal in ("sides", "corners", "block-3x3"):
        rules = BASIC.replace(goal=goal, turn_limit=400 if COMPILED else 6)
        some += played([eager, jealous] if COMPILED else [anyhow, idle], rules, 3, 0, 3 if COMPILED else 1)
    some += played([idle] * 3, BASIC, 3, 0, 1)
    some += played([idle] * 2, BASIC.replace(discard_on_pass=True, turn_limit=90), 3, 0, 1)
    some += played([anyhow] * 4, BASIC.replace(decks=1, hand=6, turn_limit=60), 3, 0, 2)
    for _ in range(50 if COMPILED else 12):
        some += random_games(source, 2 if COMPILED else 1)
    return some


def test_the_games_of_these_tests_are_of_many_kinds(games: list[Played]) -> None:
    kinds = {event["type"] for game in games for event in game.trace["events"]}
    assert {"layout", "draw", "reshuffle", "single", "pair", "run", "pass", "end"} <= kinds
    assert {game.end["reason"] for game in games} >= ({*END_REASONS} if COMPILED else {"passes", "turn-limit"})
    assert {game.seats for game in games} >= ({2, 3, 4, 6, 8} if COMPILED else {2, 4})
    if COMPILED:
        assert kinds >= {"joker", "pair-and-run"}


EXTRA = ("singles", "pairs", "runs", "jokers", "pairs_and_runs", "passes", "placed", "removed")


def check(game: Played) -> None:
    """Hold a game against the literal engine, and its columns against its trace."""
    literal.referee(game.trace)
    for row, result in zip(game.outcomes.tolist(), game.trace["outcome"], strict=True):
        values = {**result, "end": END_REASONS.index(result["end"]), "win": round(result["win"] * WIN_UNIT)}
        assert [values[column.name] for column in CROSSWAYS.columns] == row
        decisions = sum(result[name] for name in EXTRA[:6])
        assert decisions <= CROSSWAYS.longest(game.rules)
        assert decisions == -(-(result["turns"] - result["seat"]) // game.seats)
    low, high = CROSSWAYS.score_range(game.rules)
    assert low <= game.outcomes[:, SCORE].min()
    assert game.outcomes[:, SCORE].max() <= high


def test_games_are_those_of_the_rulebook(games: list[Played]) -> None:
    for game in games:
        check(game)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_games_are_those_of_the_rulebook(part: int) -> None:
    source = random.Random(f"many {part}")
    for number in range(300 if COMPILED else 15):
        goals = {"goal": source.choice(["sides", "sides", "own-sides"])} if number % 3 == 0 else {}
        for game in random_games(source, 3 if COMPILED else 1, **goals):
            check(game)


def test_events_tell_the_log(games: list[Played]) -> None:
    for game in games:
        turns = [turn for turn in turns_of(game.trace) if turn.seat is not None]
        count = len(turns)
        assert game.log.turns == count
        assert not game.log.moves[count:].any()
    for game in games:
        for number, turn in enumerate(turns_of(game.trace)):
            if turn.seat is not None and isinstance(turn.move, literal.Pass | literal.Move):
                assert int(game.log.moves[number]) == turn.code


def test_views_that_the_kernel_makes_are_those_of_the_literal_engine(games: list[Played]) -> None:
    """Every move of every game is legal in the view that the literal engine makes."""
    for game in games[:20]:
        for number, turn in enumerate(turns_of(game.trace)):
            if turn.seat is not None:
                assert plays.is_legal(turn.view, game.log.moves[number])


@settings(max_examples=EXAMPLES)
@given(positions(), st.sampled_from([1, 2, 3]))
def test_write_outcomes(position: Position, ended: int) -> None:
    state, view = position.state, position.view
    winners = [team for team in range(state.teams) if literal.has_path(state.rules, state.board, team)]
    ended = 1 if winners else max(ended, 2)
    view.ended, view.reshuffles = ended, 2
    if winners:
        view.winner = winners[-1]
    outcomes = np.full((len(state.hands), len(CROSSWAYS.columns)), 999, np.int16)
    kernel.write_outcomes(view, outcomes)
    end = {"type": "end", "reason": END_REASONS[ended - 1]} | ({"team": winners[-1]} if winners else {})
    expected = literal.outcome_of(state, [end])
    for row, right in zip(outcomes.tolist(), expected, strict=True):
        values = dict(zip(COLUMN, row, strict=True))
        assert {name: values.pop(name) for name in EXTRA} == dict.fromkeys(EXTRA, 999)
        assert values == {
            **{name: getattr(right, name) for name in ("score", "rank", "team", "markers", "undecided")},
            **{name: getattr(right, name) for name in ("path_length", "direction")},
            "win": right.win * WIN_UNIT,
            "end": ended - 1,
            "turns": state.turn,
            "reshuffles": 2,
        }


@pytest.mark.parametrize("goal", literal.GOALS)
def test_winning_path(goal: str) -> None:
    """Boards on which much counts: often both directions, or several shapes, are there at once."""
    source = random.Random(goal)
    directions = Counter()
    for _ in range(60 if COMPILED else 10):
        rules = random_rules(source, goal=goal, markers=24, team_size=1)
        position = random_position(source, rules=rules, seats=2, share=0.0)
        state = position.state
        cells = [cell for cell in CELLS if state.board.squares[cell] != "W"]
        whites = [cell for cell in CELLS if state.board.squares[cell] == "W"]
        lines = [[(at, at), (at, 7 - at)] if goal == "corners" else [(4, at), (at, 3)] for at in range(8)]
        shapes = [shape.cells for shape in literal.shapes_of(rules)] or [
            list(line) for line in zip(*lines, strict=True)
        ]
        for cell in [*source.choice(shapes), *source.sample(cells, 2)]:
            state.board.stacks[cell] = [0, 0] if cell in whites else [0]
        for team in range(2):
            ways = literal.successes(rules, state.board, team)
            if ways:
                length, direction = kernel.winning_path(position.view, team)
                assert length == min(len(way.cells) for way in ways)
                assert direction == sum({way.direction for way in ways})
                directions[int(direction)] += 1
    assert directions


# --- Passes, limits, reshuffles in games -----------------------------------------------------------------------------


def test_a_round_of_passes_ends_a_game_and_passes_that_discard_do_not() -> None:
    for seats in (2, 3, 4):
        outcomes = play([idle] * seats, 3)
        assert set(outcomes[:, :, COLUMN["end"]].flat) == {END_REASONS.index("passes")}
        assert set(outcomes[:, :, COLUMN["turns"]].flat) == {seats}
        assert set(outcomes[:, :, RANK].flat) == {1}
        assert set(outcomes[:, :, WIN].flat) == {0}
        for limit in (5, 30):
            outcomes = play([idle] * seats, 3, BASIC.replace(discard_on_pass=True, turn_limit=limit))
            assert set(outcomes[:, :, COLUMN["end"]].flat) == {END_REASONS.index("turn-limit")}
            assert set(outcomes[:, :, COLUMN["turns"]].flat) == {limit}
            assert outcomes[:, :, COLUMN["passes"]].sum(axis=1).tolist() == [limit] * 3


def test_the_round_of_passes_at_the_turn_limit_is_told_as_passes() -> None:
    for seats in (2, 4):
        outcomes = play([idle] * seats, 2, BASIC.replace(turn_limit=seats))
        assert set(outcomes[:, :, COLUMN["end"]].flat) == {END_REASONS.index("passes")}
        outcomes = play([idle] * seats, 2, BASIC.replace(turn_limit=seats - 1))
        assert set(outcomes[:, :, COLUMN["end"]].flat) == {END_REASONS.index("turn-limit")}


def test_who_may_not_pass_plays() -> None:
    outcomes = play([idle] * 2, 6 if COMPILED else 2, BASIC.replace(may_pass=False, turn_limit=20))
    assert not outcomes[:, :, COLUMN["passes"]].any()
    assert play([idle] * 2, 2, BASIC.replace(turn_limit=20))[:, :, COLUMN["passes"]].all()


def test_random_players_without_markers_and_runs_are_stuck() -> None:
    """A pass draws nothing: so it ends by passes, undecided, and with all markers on the board."""
    if not COMPILED:
        pytest.skip("games of a hundred turns")
    outcomes = play([anyhow] * 2, 300)
    stuck = outcomes[outcomes[:, 0, COLUMN["end"]] == END_REASONS.index("passes")]
    assert len(stuck) > 200
    assert np.all(stuck[:, :, COLUMN["markers"]] == 24)
    assert np.all(stuck[:, :, COLUMN["undecided"]] == 1)


def test_markers_on_the_board_are_those_placed_less_those_removed() -> None:
    rules = BASIC.replace(team_size=2, turn_limit=60 if COMPILED else 12)
    outcomes = play([anyhow] * 4, 20 if COMPILED else 2, rules)
    markers = outcomes[:, :2, COLUMN["markers"]].sum(axis=1)
    moved = outcomes[:, :, COLUMN["placed"]] - outcomes[:, :, COLUMN["removed"]]
    assert moved.sum(axis=1).tolist() == markers.tolist()
    for name in ("team", "markers", "score", "rank", "win"):
        assert outcomes[:, :2, COLUMN[name]].tolist() == outcomes[:, 2:, COLUMN[name]].tolist()


# --- Chance, seats and compiled code ---------------------------------------------------------------------------------

LINEUPS: list[list[Strategy]] = [
    [anyhow, anyhow],
    [touchy, noisy(anyhow, 0.5), anyhow],
    [restrict(anyhow, singles), noisy(restrict(anyhow, passing), 0.3), idle, touchy],
]
TINY = BASIC.replace(hand=2, turn_limit=6)
WILD = CrossWaysRules(
    hand=4,
    goal="corners",
    double_down=True,
    king_of_the_mountain=True,
    diagonals=True,
    pairs_and_runs=True,
    jokers_wild=True,
    may_pass=False,
    discard_on_pass=True,
    turn_limit=10,
    layout="random:7",
)


def jobs() -> list[tuple[list[Strategy], CrossWaysRules, int]]:
    """Line-ups, rules and numbers of deals that compiled code and plain Python are to agree on."""
    source = random.Random(3)
    some = [(lineup, rules, 2) for lineup in LINEUPS for rules in (TINY, WILD)]
    some.append(
        ([rollout(anyhow, 1), noisy(rollout(noisy(eager, 0.5), 1), 0.3)], TINY.replace(hand=1, turn_limit=3), 1)
    )
    some.append(([eager, jealous], WILD.replace(hand=2, turn_limit=4), 1))
    for _ in range(6):
        rules = random_rules(source, hand=2, team_hand=2, turn_limit=8)
        some.append(([anyhow, touchy] * rules.team_size, kernel_rules(rules), 1))
    return some


def play_jobs() -> list[Any]:
    return [play(lineup, deals, rules, 2**64 - 1, 2**40).tolist() for lineup, rules, deals in jobs()]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled; the compiled run compares the two")
def test_compiled_and_plain_python_play_the_same_games() -> None:
    lines = (
        "import json; from tests.sims.crossways import test_kernel as one; "
        "print(json.dumps([one.COMPILED, one.play_jobs()]))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", lines],
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
@pytest.mark.parametrize("seats", [2, 4])
def test_players_see_what_they_may_know_and_nothing_else(seats: int) -> None:
    """To the byte: the literal engine says what a seat knows, and a view is made of that."""
    seen: list[bytes] = []

    def watching(view: Any, rng: Any, params: Any) -> Any:
        seen.append(view.tobytes())
        return plays.random_move(view, rng)

    watcher = strategy(GAME)(watching)
    for rules in (BASIC, WILD, BASIC.replace(hand=6, decks=1, team_size=seats // 2)):
        seen.clear()
        some = played([watcher] * seats, rules.replace(turn_limit=14), 6, 0, 2)
        expected = [turn.view.tobytes() for game in some for turn in turns_of(game.trace) if turn.seat is not None]
        assert len(seen) == len(expected) > 10
        assert seen == expected


def knowledge(turn: Turn) -> bytes:
    return bytes(turn.view.tobytes())


def test_players_who_draw_nothing_choose_by_what_they_see_alone() -> None:
    """In whole games, where all hands and the deck are there: `touchy` does what it would in the view made anew."""
    compared = 0
    rules = BASIC.replace(turn_limit=40 if COMPILED else 8)
    for game in played([touchy, anyhow, touchy], rules, 8, 0, 6 if COMPILED else 2):
        for turn in turns_of(game.trace):
            if turn.seat in (0, 2):
                assert int(touchy.function(turn.view, None, None)) == turn.code
                compared += 1
    assert compared >= (60 if COMPILED else 8)


@pytest.mark.skipif(COMPILED, reason="compiled code has no place to reach into")
@pytest.mark.parametrize("base", [anyhow, touchy, noisy(anyhow, 0.5)], ids=lambda one: one.spec)
def test_cards_that_change_places_unseen_change_no_choice(base: Strategy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just before a seat chooses, the other hands and the deck are shuffled."""
    at_turn, source = 4, random.Random(1)
    kept: dict[str, Any] = {"shuffles": False, "changed": 0}
    begin_turn = kernel.begin_turn

    def shuffling(view: Any, hidden: Any) -> Any:
        seat = (int(view.turn)) % int(view.seats)
        if kept["shuffles"] and int(view.turn) + 1 == at_turn and not view.ahead:
            others = [one for one in range(int(view.seats)) if one != seat]
            before = hidden.hands[others].tolist()
            size = int(view.hand_limit)
            pool = [int(face) for face in hidden.deck[hidden.drawn : hidden.cards]]
            pool += [int(face) for one in others for face in hidden.hands[one, :size]]
            source.shuffle(pool)
            for one in others:
                hidden.hands[one, :size] = sorted(pool.pop() for _ in range(size))
            hidden.deck[hidden.drawn : hidden.cards] = pool
            kept["changed"] += before != hidden.hands[others].tolist()
        return begin_turn(view, hidden)

    monkeypatch.setattr(kernel, "begin_turn", shuffling)
    for rules in (TINY, WILD):
        seated = table([base] * 3, rules)
        for deal in range(3):
            moves = []
            for kept["shuffles"] in (False, True):
                _, logs = seated.log(5, deal)
                moves.append(logs[0].moves[:at_turn].tolist())
            assert moves[0] == moves[1]
    assert kept["changed"] >= 5


@pytest.mark.parametrize("lineup", LINEUPS, ids=["two", "three", "four"])
def test_a_deal_does_not_depend_on_where_a_run_begins(lineup: list[Strategy]) -> None:
    deals = 20 if COMPILED else 4
    for rules in (BASIC.replace(turn_limit=60), WILD) if COMPILED else (TINY, WILD):
        whole = play(lineup, deals, rules, seed=5, first=100)
        for place in range(deals):
            assert play(lineup, 1, rules, seed=5, first=100 + place).tolist() == whole[place : place + 1].tolist()


def test_what_lay_in_the_outcomes_before_does_not_matter() -> None:
    for rules in (TINY, WILD, BASIC.replace(turn_limit=9)):
        seated = table([anyhow, idle], rules)
        outcomes = np.full_like(seated.new_outcomes(5), 99)
        seated.play(1, 0, outcomes)
        assert outcomes.tolist() == play([anyhow, idle], 5, rules).tolist()


def test_log_tells_the_games_that_play_plays() -> None:
    for lineup in LINEUPS:
        outcomes, _ = table(lineup, WILD).log(5, 100, 6 if COMPILED else 2)
        assert outcomes.tolist() == play(lineup, 6 if COMPILED else 2, WILD, seed=5, first=100).tolist()


def drawn(game: Played) -> list[str]:
    """All cards in the order in which they left the first deck."""
    order: list[str] = []
    for event in game.trace["events"]:
        if event["type"] == "reshuffle":
            break
        order += event["cards"] if event["type"] == "draw" else []
    return order


def same_deck(one: Played, other: Played) -> bool:
    return all(first == second for first, second in zip(drawn(one), drawn(other), strict=False))


def test_a_deal_has_the_same_deck_whoever_plays_it_at_every_table() -> None:
    deals = 10 if COMPILED else 2
    rules = BASIC.replace(turn_limit=60 if COMPILED else 8)
    lineups: list[tuple[list[Strategy], CrossWaysRules]] = [
        ([anyhow, anyhow], rules),
        ([touchy, idle, noisy(anyhow, 0.5)], rules.replace(goal="corners")),
        ([anyhow] * 4, rules.replace(team_size=2)),
        ([restrict(anyhow, passing), touchy], rules.replace(hand=3, layout="random:3")),
    ]
    if COMPILED:
        lineups += [([eager, jealous], rules), ([rollout(anyhow, 1), eager], rules.replace(turn_limit=12))]
    some = [played(lineup, options, 9, 0, deals) for lineup, options in lineups]
    for first, second in combinations(some, 2):
        assert all(same_deck(one, other) for one, other in zip(first, second, strict=True))
    assert not same_deck(some[0][0], some[0][1])
    assert max(len(drawn(game)) for game in some[0]) > 10


def test_another_stream_makes_other_choices_in_the_same_deals() -> None:
    players = [anyhow.player(), anyhow.player()]
    _, usual = Table(CROSSWAYS, TINY, players).log(9, 0, 10)
    _, changed = Table(CROSSWAYS, TINY, [players[0], dataclasses.replace(players[1], stream=1)]).log(9, 0, 10)
    assert usual.moves[:, 0].tolist() == changed.moves[:, 0].tolist()
    assert usual.moves[:, 1].tolist() != changed.moves[:, 1].tolist()
    assert usual.key.tolist() == changed.key.tolist()


def test_seeds_and_deals_differ() -> None:
    runs = [(seed, first) for seed in (0, 1, 2**64 - 1) for first in (0, 10, 2**40)]
    moves = [table([anyhow] * 3, TINY).log(seed, first, 10)[1].moves[:, :3].tolist() for seed, first in runs]
    assert len({str(some) for some in moves}) == len(runs)


def test_seats_draw_from_their_own_streams_whatever_the_others_do() -> None:
    """A random seat's plays can be foretold from its stream alone, and so can the errors of a noisy one.

    Noisy players err among all plays, restricted ones among those listed.
    """
    moves = np.empty(MAX_MOVES, np.uint64)
    rules = BASIC.replace(turn_limit=40 if COMPILED else 8)
    lineups: list[list[Strategy]] = [
        [anyhow, noisy(touchy, 1), anyhow],
        [noisy(touchy, 0.5), anyhow],
        [noisy(restrict(touchy, passing), 1), anyhow],
    ]
    listed = errors_made = 0
    for lineup in lineups:
        for game in played(lineup, rules, 2**64 - 1, 77, 4 if COMPILED else 1):
            key = Word(deal_key(Word(2**64 - 1), Word(game.trace["deal"])))
            own, errors = new_streams(len(lineup)), new_streams(len(lineup))
            for seat in range(len(lineup)):
                start_stream(own[seat], key, Word(chance.STRATEGY), Word(seat))
                start_stream(errors[seat], key, Word(chance.NOISE), Word(seat))
            for turn in turns_of(game.trace):
                if turn.seat is None:
                    continue
                view, seat = turn.view, turn.seat
                if lineup[seat] is anyhow:
                    assert int(plays.random_move(view, own[seat])) == turn.code
                elif chance.uniform(errors[seat]) < lineup[seat].noise:
                    errors_made += 1
                    if lineup[seat].limited:
                        some = [move for move in moves[: list_moves(view, moves)].tolist() if move >> 60]
                        if some:
                            assert some[chance.below(errors[seat], len(some))] == turn.code
                            listed += 1
                    else:
                        assert int(plays.random_move(view, errors[seat])) == turn.code
    assert errors_made > 10
    assert listed > 2


def test_rollouts_play_for_the_team_that_thinks() -> None:
    if not COMPILED:
        pytest.skip("it would think for long; compiled code and plain Python play the same games")
    thinking = rollout(eager, 1)
    outcomes = [play([thinking, anyhow], 30), play([anyhow, thinking], 30)]
    for seat in range(2):
        wins = outcomes[seat][:, :, WIN].mean(axis=0) / WIN_UNIT
        assert wins[seat] > 0.2
        assert wins[1 - seat] < wins[seat] / 4


@pytest.mark.parametrize(
    ("player", "said"),
    [
        (wrong, r"^wrong made an illegal move: .* \(deal 30, seat 1\)$"),
        (rollout(wrong.with_values(where=1), 1), r"^rollout\(.* made an illegal move: .*, seat 1, in a rollout\)$"),
        (unsure, r"^unsure returned a value that is not a number for .* \(deal 3\d, seat 1\)$"),
    ],
    ids=["table", "ahead", "value"],
)
def test_a_move_that_is_refused_is_told(player: Strategy, said: str) -> None:
    seated = table([anyhow, player], BASIC.replace(hand=2, turn_limit=20))
    with pytest.raises(StrategyError, match=said) as caught:
        seated.play(12, 30, seated.new_outcomes(5))
    assert len(caught.value.position.split("\n")) >= 11


def tampered(change: Any) -> dict[str, Any]:
    """The trace of a game whose log or outcome was changed after the game."""
    seated = table([anyhow, anyhow], BASIC.replace(turn_limit=12))
    outcomes, logs = seated.log(7, 3)
    change(logs[0], outcomes[0])
    return trace_of(seated, 7, 3, outcomes[0], logs[0])


def test_the_referee_accepts_what_is_not_changed() -> None:
    assert literal.referee(tampered(lambda log, outcomes: None))


@pytest.mark.parametrize("column", [name for name in COLUMN if name not in ("end", "direction")])
def test_the_referee_would_notice_another_outcome(column: str) -> None:
    def change(log: Any, outcomes: Any) -> None:
        outcomes[1, COLUMN[column]] += WIN_UNIT if column == "win" else 1

    with pytest.raises(literal.IllegalGameError):
        literal.referee(tampered(change))


def test_the_referee_would_notice_a_pass_for_a_play() -> None:
    def change(log: Any, outcomes: Any) -> None:
        log.moves[log.turns - 1] = 0

    with pytest.raises(literal.IllegalGameError):
        literal.referee(tampered(change))


# --- Rules -----------------------------------------------------------------------------------------------------------


def test_defaults_are_the_rulebook() -> None:
    assert literal_rules(BASIC) == literal.Rules()
    assert kernel_rules(literal.Rules()) == BASIC


def test_variants_change_what_they_are_named_for() -> None:
    changes: dict[str, dict[str, Any]] = {
        "basic": {},
        "teams": {"team_size": 2},
        **{name.replace("_", "-"): {name: True} for name in FLAGS},
    }
    assert {name: literal_rules(CROSSWAYS.variant(name)) for name in CROSSWAYS.variants} == {
        name: literal.Rules(**options) for name, options in changes.items()
    }


@settings(max_examples=EXAMPLES)
@given(RULES)
def test_new_views_hold_the_rules(rules: literal.Rules) -> None:
    options = kernel_rules(rules)
    for seats in CROSSWAYS.seat_numbers(options):
        views = empty_views(options, seats)
        assert views.ahead.tolist() == [0, 1]
        for view in views:
            state = literal.start(rules, seats, LAYOUT)
            assert (view.seats, view.teams) == (seats, state.teams)
            assert view.hand_limit == literal.hand_size(rules)
            assert (view.markers, view.decks, view.turn_limit) == (rules.markers, rules.decks, rules.turn_limit)
            assert view.jokers == literal.all_cards(rules).count(literal.JOKER)
            assert literal.GOALS.index(rules.goal) == ("sides", "own-sides", "corners", *literal.SHAPE_GOALS).index(
                rules.goal
            )
            for name in ("double_down", "king_of_the_mountain", "diagonals", "pairs_and_runs"):
                assert view[name] == getattr(rules, name)
            assert (view.may_pass, view.discard_on_pass) == (rules.may_pass, rules.discard_on_pass)
        assert told(views[0], THINGS) == told(np.zeros(1, VIEW)[0], THINGS)
    assert CROSSWAYS.seat_numbers(options) == literal.SEATS[rules.team_size]


def test_sets_of_a_view_are_found_as_at_a_turn() -> None:
    """What the tests use to fill in a view."""
    for start in range(30 if COMPILED else 6):
        position = random_position(random.Random(start))
        view, other = position.view, position.view
        other.sets[:], other.set_count = 0, 0
        sets_of(other)
        assert view.tobytes() == other.tobytes()
