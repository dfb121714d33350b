"""Plays that are worth a thought, and what positions are worth, against a literal reckoning.

What the strong player's own table says is not looked at: tables are made here.
"""

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from sims.bits import Word
from sims.crossways import CROSSWAYS
from strategies.crossways import racing, weighing
from tests.reference import crossways as literal
from tests.reference.crossways import Move, Pass
from tests.sims.crossways.positions import (
    cards_named,
    cell_at,
    face_of,
    position_of,
    random_position,
    random_rules,
    read,
    stream,
)
from tests.strategies.crossways.models import Seen, new_layers, open_squares, random_ones, some, spots_of


def listed(seen: Seen, start: int = 1) -> list[int]:
    view, moves, layers = seen.position.view, np.empty(weighing.MOST_PLAYS, np.uint64), new_layers()
    count = weighing.list_plays(view, racing.survey(view, layers), moves, layers, stream(start))
    return [int(move) for move in moves[:count]]


def worth(seen: Seen, move: int, table: Any) -> float:
    view, layers = seen.position.view, new_layers()
    return float(weighing.worth_of(view, racing.survey(view, layers), Word(move), table, layers))


# --- Tables ----------------------------------------------------------------------------------------------------------


def test_parts_of_a_table_do_not_overlap() -> None:
    """Every place is one of what needs, kept cards, hits, ways, supply and later stand for."""
    needs = {weighing.needs_at(mine, theirs) for mine in range(1, 65) for theirs in range(65)}
    assert needs == set(range(weighing.NEEDS, weighing.NEEDS + 81))
    parts = [
        needs,
        *(set(range(first, first + 4)) for first in (weighing.TWO_KEPT, weighing.MORE_KEPT, weighing.PAIR_KEPT)),
        *(set(range(first, first + 4)) for first in (weighing.RUN_KEPT, weighing.RUN_OWN)),
        set(range(weighing.HITS, weighing.HITS + 12)),
        *(set(range(first, first + 4)) for first in (weighing.WAYS, weighing.THEIR_WAYS)),
        *(set(range(first, first + 12)) for first in (weighing.NARROW, weighing.THEIR_NARROW)),
        *(set(range(first, first + 4)) for first in (weighing.LEAD, weighing.THEIR_LEAD)),
        {weighing.THREAT},
        {weighing.CHANCE},
        {weighing.DRAWN},
        {weighing.SUPPLY},
        {weighing.LATER},
    ]
    assert sorted(place for part in parts for place in part) == list(range(weighing.TABLE))


def test_needs_beyond_nine_are_alike() -> None:
    for mine in range(1, 70):
        for theirs in range(1, 70):
            assert weighing.needs_at(mine, theirs) == weighing.needs_at(min(mine, 9), min(theirs, 9))
    assert weighing.needs_at(3, 0) == weighing.needs_at(3, 1)
    assert [weighing.step_of(need) for need in (0, 1, 2, 3, 4, 5, 64)] == [0, 0, 1, 2, 3, 3, 3]


def test_a_table_in_which_every_marker_counts_the_same() -> None:
    table = weighing.table_of(2.0, 0.5, ways=0.25, their_ways=0.75, supply=0.01, later=0.4)
    assert table.shape == (weighing.TABLE,)
    for mine in range(1, 10):
        for theirs in range(1, 10):
            assert table[weighing.needs_at(mine, theirs)] == 0.5 * theirs - 2 * mine
    for step in range(4):
        assert table[weighing.WAYS + step] == 0.25
        assert table[weighing.THEIR_WAYS + step] == -0.75
    assert (table[weighing.SUPPLY], table[weighing.LATER]) == (0.01, 0.4)
    assert not table[weighing.TWO_KEPT : weighing.WAYS].any()
    assert not weighing.table_of(0, 0).any()


# --- Worth -----------------------------------------------------------------------------------------------------------


def size(cells: Any) -> float:
    return math.log2(1 + len(cells))


def test_worth_of_markers_to_go() -> None:
    """With all options: the play is made on the literal board, and everything counted again."""
    source = random.Random(20)
    seen_wins = Counter[bool]()
    for number, seen in enumerate(random_ones(some(120, 40), 20, near=True)):
        own, other, supply, later = (round(source.uniform(0.1, 2), 2) for _ in range(4))
        table = weighing.table_of(own, other, supply=supply, later=later)
        for move in source.sample(plays := listed(seen, number), min(3, len(plays))):
            told = read(seen.position.view, move)
            board = seen.after(told)
            mine = seen.way(board=board).cost
            seen_wins[mine == 0] += 1
            if mine == 0:
                assert worth(seen, move, table) == 1e6
                continue
            values = [other * min(max(seen.way(team, board).cost, 1), 9) - own * min(mine, 9) for team in seen.others]
            expected = min(values) + later * (sum(values) - min(values))
            expected += supply * min(seen.supply - len(told.placed), 8)
            assert worth(seen, move, table) == pytest.approx(expected)
    assert min(seen_wins.values()) > 0


def test_worth_of_ways_to_go_on() -> None:
    for number, seen in enumerate(random_ones(some(60, 20), 21)):
        if len(seen.others) > 1:
            continue
        table = weighing.table_of(0, 0, ways=1.0, their_ways=0.125)
        for move in listed(seen, number)[:2]:
            board = seen.after(read(seen.position.view, move))
            mine, theirs = seen.way(board=board), seen.way(seen.others[0], board)
            if mine.cost:
                expected = size(mine.open | mine.white) - 0.125 * size(theirs.open)
                assert worth(seen, move, table) == pytest.approx(expected)


def test_worth_of_kept_cards() -> None:
    """Each part by itself: pairs and runs, by who needs how many, and card squares of the way that singles reach."""
    met = Counter[str]()
    for number, seen in enumerate(random_ones(some(120, 25), 22, near=True, hand=6)):
        for move in listed(seen, number)[-2:]:
            told = read(seen.position.view, move)
            state = seen.position.after(told)
            board, hand = state.board, state.hands[seen.position.seat]
            mine, theirs = seen.way(board=board).cost, seen.nearest(board)
            if not mine:
                continue
            choices = literal.card_choices(literal.Position(seen.rules, board, seen.team, hand))
            pair, run = (
                max((len(choice.cards) for choice in choices if choice.kind == kind), default=0)
                for kind in ("pair", "run")
            )
            parts = {
                "two": (weighing.TWO_KEPT, pair == 2, mine),
                "more": (weighing.MORE_KEPT, pair > 2, mine),
                "pair": (weighing.PAIR_KEPT, pair > 0, theirs),
                "run": (weighing.RUN_KEPT, run > 0, theirs),
                "own run": (weighing.RUN_OWN, run > 0, mine),
            }
            for part, (first, has, need) in parts.items():
                for step in range(4):
                    table = np.zeros(weighing.TABLE)
                    table[first + step] = 1.0
                    assert worth(seen, move, table) == (has and min(max(need, 1), 4) - 1 == step)
                met[part] += has
            cards = [card for card in hand if card != literal.JOKER]
            reach = {cell for card in cards for cell in spots_of(board, card)}
            # A square that the play opens is not looked at: it was closed when cards were.
            hits = len(reach & open_squares(board) & open_squares(seen.board) & seen.way(board=board).open)
            table = np.zeros(weighing.TABLE)
            table[weighing.HITS : weighing.HITS + 12] = range(1, 13)
            expected = 3 * (min(mine, 4) - 1) + min(hits, 3) if hits else 0
            assert worth(seen, move, table) == expected
            met["hits"] += hits > 0
    assert len(met) == 6
    assert min(met.values()) > 0


def test_cards_that_stay_are_named_by_the_first_of_equal_ones() -> None:
    """The first king of spades is played, the other one stays with the king of hearts; so with runs."""
    for hand, played, kept in (("KH KS KS", 0b010, (2, 0)), ("QS QS KS", 0b001, (0, 2)), ("QS QS KS", 0b101, (0, 0))):
        view = position_of({}, hand).view
        found = weighing.keeps(view, weighing.kept_cards(view, Word(played)))
        assert tuple(map(int, found)) == kept
    source = random.Random(31)
    for seen in random_ones(some(100, 40), 31, hand=6):
        hand = sorted(seen.position.hand, key=face_of)
        played_cards = source.sample(hand, source.randrange(len(hand)))
        left = literal.without_cards(hand, played_cards)
        named = weighing.kept_cards(seen.position.view, Word(cards_named(hand, played_cards)))
        assert int(named) == cards_named(hand, left)


def test_what_is_kept_in_some_cards() -> None:
    source = random.Random(23)
    for seen in random_ones(some(100, 34), 23, hand=6):
        view = seen.position.view
        hand = sorted(seen.position.hand, key=face_of)
        cards = source.randrange(64)
        kept = [card for place, card in enumerate(hand) if cards >> place & 1]
        choices = literal.card_choices(literal.Position(seen.rules, seen.board, seen.team, kept))
        expected = tuple(
            max((len(choice.cards) for choice in choices if choice.kind == kind), default=0) for kind in ("pair", "run")
        )
        found = weighing.keeps(view, Word(cards_named(hand, kept)))
        assert (int(found[0]), int(found[1])) == expected


# --- Plays that are worth a thought ----------------------------------------------------------------------------------


def test_listed_plays_are_legal_and_have_all_single_cards() -> None:
    kinds = Counter[str]()
    for number, seen in enumerate(random_ones(some(150, 50), 24)):
        plays = listed(seen, number)
        told = [read(seen.position.view, move) for move in plays]
        for move, play in zip(plays, told, strict=True):
            assert seen.position.refusal(play) is None
            assert seen.position.code(play) == move
        singles = {(play.cards[0], play.placed[0]) for play in told if play.kind == "single"}
        assert singles == seen.singles
        kinds.update(play.kind for play in told)
    assert set(kinds) == {"single", "pair", "run", "joker", "pair-and-run"}


def test_every_pair_that_can_be_played_is_listed() -> None:
    for number, seen in enumerate(random_ones(some(80, 27), 25, hand=4)):
        told = [read(seen.position.view, move) for move in listed(seen, number)]
        pairs = {tuple(sorted(play.cards)) for play in told if play.kind == "pair"}
        assert pairs == {cards for cards in seen.sets("pair") if len(cards) <= seen.supply}


def test_pairs_are_listed_whatever_runs_there_are() -> None:
    """Blue has eleven markers on its cheapest ways, and green's hearts make four runs of two."""
    blue = [f"{row}{column}" for row in "abcde" for column in (4, 6)]
    seen = Seen(position_of(dict.fromkeys([*blue, "e5"], "1"), "3H 4H 5H 6H 7H 6C"))
    assert len(seen.way(1).own) == 11
    assert any(read(seen.position.view, move).kind == "pair" for move in listed(seen))


def test_a_pair_or_single_card_that_wins_is_listed() -> None:
    met = 0
    for number, seen in enumerate(random_ones(some(200, 70), 26, near=True, hand=6, markers=24)):
        way = seen.way()
        if way.cost > seen.most_of_a_rank and not (way.cost == 1 and seen.reached(way.open)):
            continue
        met += 1
        told = [read(seen.position.view, move) for move in listed(seen, number)]
        assert any(literal.has_path(seen.rules, seen.after(play), seen.team) for play in told)
    assert met > 10


def test_pairs_close_what_the_others_cannot_do_without() -> None:
    """Blue lacks d6 only; whatever the draws, a play that closes it is listed."""
    stacks = dict.fromkeys(["d1", "d2", "d3", "d4", "d5", "d8"], "1") | {"d7": "11"}
    seen = Seen(position_of(stacks, "KS KH 2D"))
    assert seen.nearest() == 1
    for start in range(some(20, 7)):
        told = [read(seen.position.view, move) for move in listed(seen, start)]
        closing = [play for play in told if play.placed == (cell_at("d6"),) * 2]
        assert closing
        assert all(seen.nearest(seen.after(play)) > 1 for play in closing)


# --- The best of them ------------------------------------------------------------------------------------------------


def test_best_play_is_worth_most() -> None:
    source = random.Random(27)
    for number, seen in enumerate(random_ones(some(80, 27), 27)):
        plays = listed(seen, number)
        if not plays:
            continue
        table = np.random.default_rng(number).normal(size=weighing.TABLE) if source.random() < 0.5 else TABLE
        best = int(weighing.best_play(seen.position.view, stream(number), table))
        values = {move: worth(seen, move, table) for move in plays}
        assert values[best] == max(values.values())


TABLE = weighing.table_of(1.0, 1.0, ways=0.1, their_ways=0.1, supply=0.02, later=0.5)


def test_best_play_draws_among_equals() -> None:
    """The six of diamonds on either square of an empty board that is the same from both ends."""
    seen = Seen(position_of({}, "6D"))
    found = Counter(
        int(weighing.best_play(seen.position.view, stream(start), TABLE)) for start in range(some(600, 200))
    )
    assert len(found) == 2
    assert min(found.values()) > 0.4 * max(found.values())


@pytest.mark.parametrize("discard_on_pass", [False, True])
def test_best_play_passes_when_there_is_nothing(discard_on_pass: bool) -> None:
    """No markers left, and no run."""
    stacks = dict.fromkeys(["d1", "d3", "d5", "e1", "e3", "e5", "a1", "a2"], "0")
    seen = Seen(position_of(stacks, "KS KH 4C", markers=8, may_pass=False, discard_on_pass=discard_on_pass))
    told = read(seen.position.view, int(weighing.best_play(seen.position.view, stream(), TABLE)))
    assert told == Pass(("4C",) if discard_on_pass else ())
    assert seen.position.refusal(told) is None


# All that can be played: two of green's own on a white square. Blue's one marker and these do not come out even.
ONLY_WHITE = {"a3": "00", "b5": "00", "b7": "00", "c1": "00", "d1": "1"}


def test_best_play_does_not_pass_when_it_may_not() -> None:
    position = position_of(ONLY_WHITE, "2D 3D", markers=8, may_pass=False)
    told = read(position.view, int(weighing.best_play(position.view, stream(), TABLE)))
    assert position.refusal(told) is None


# --- Passes, and saving ----------------------------------------------------------------------------------------------


def spared(hand: str, **options: Any) -> Any:
    position = position_of({}, hand, **options)
    return read(position.view, int(weighing.spare_pass(position.view)))


def test_a_pass_discards_a_card_that_is_in_no_pair_or_run() -> None:
    assert spared("KS KD 3H 4H 9C") == Pass(())
    assert spared("KS KD 3H 4H 9C", discard_on_pass=True) == Pass(("9C",))
    assert spared("2D KS KD 9C", discard_on_pass=True) == Pass(("2D",))
    assert spared("QD QD KS KH", discard_on_pass=True) == Pass(("QD",))
    assert spared("KS KD 9C 8C", discard_on_pass=True, pairs_and_runs=True) == Pass(("KD",))


def test_a_pass_keeps_pairs_and_runs_beside_a_joker() -> None:
    assert spared("KS KD 3H JOKER", discard_on_pass=True, jokers_wild=True) == Pass(("3H",))


def test_passes_that_discard_are_legal() -> None:
    source = random.Random(29)
    for _ in range(some(100, 34)):
        rules = random_rules(source, may_pass=True)
        position = random_position(source, rules=rules)
        told = read(position.view, int(weighing.spare_pass(position.view)))
        assert position.refusal(told) is None


def saved(seen: Seen, danger: float, start: int) -> Move | Pass:
    move = int(weighing.saves(seen.position.view, stream(start), float(danger)))
    return read(seen.position.view, move)


def test_saving_plays_single_cards_until_there_is_danger() -> None:
    """A single card on the way, a spare one first; then a spare one anywhere; the rest is what `balanced` does."""
    met = Counter[str]()
    for number, seen in enumerate(random_ones(some(300, 100), 30, near=True, jokers_wild=False)):
        way, near = seen.way(), seen.nearest()
        danger = number % 10
        told = saved(seen, danger, number)
        spare = {(card, cell) for card, cell in seen.singles if card not in seen.kept_cards}
        on_way = {(card, cell) for card, cell in seen.singles if cell in way.open}
        wanted = spare & on_way or on_way or spare
        needed = way.cost <= seen.most_of_a_rank or near <= danger
        if not needed and wanted:
            assert isinstance(told, Move)
            assert told.kind == "single"
            assert (told.cards[0], told.placed[0]) in wanted
            met["way" if on_way else "anywhere"] += 1
        else:
            again = racing.hold_balance(seen.position.view, new_layers(), stream(number))
            if needed:  # nothing was drawn before
                assert told == read(seen.position.view, int(again))
            met["needed" if needed else "nothing single"] += 1
    assert set(met) == {"way", "anywhere", "needed", "nothing single"}


def test_saving_beside_a_joker() -> None:
    """Nine and four fit the way alike; the nine belongs to nothing."""
    seen = Seen(position_of({}, "3D 4D 10S JOKER", jokers_wild=True))
    assert {cell for card, cell in seen.singles if card == "10S"} & seen.way().open
    assert {saved(seen, 0, start).cards for start in range(some(40, 14))} == {("10S",)}


def test_moves_of_the_game_name_these_plays_too() -> None:
    """Words are written as the game writes them."""
    seen = Seen(position_of({}, "6D 7H"))
    assert set(listed(seen)) == set(CROSSWAYS.moves(seen.position.view)) - {0}
