"""A round played ahead: its parts, and what it sees that weights do not."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sims.crossways.kernel import look_ahead, new_hidden
from sims.crossways.paths import LAYERS
from strategies.crossways import foreseeing, weighing
from strategies.crossways.fitted import PLANNER
from tests.reference.crossways import Move, Pass
from tests.sims.crossways.positions import Position, cell_at, code, position_of, stream
from tests.strategies.crossways.models import BLUE_NEARLY_DOWN, NEARLY_DOWN, Seen, random_ones, some, spots_of


def test_worths_are_logarithms_of_odds() -> None:
    assert foreseeing.chance_to_win(0.0) == 0.5
    assert foreseeing.chance_to_win(math.log(3.0)) == pytest.approx(0.75)
    assert foreseeing.chance_to_win(weighing.WON) == pytest.approx(1.0)
    assert 0.0 <= foreseeing.chance_to_win(-np.inf) < 1e-12


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 12), st.integers(0, 99))
def test_the_heaviest_come_first(worths: list[int], wanted: int, seed: int) -> None:
    chosen = np.zeros(wanted, np.int64)
    found = int(foreseeing.heaviest(np.array(worths, np.float64), len(worths), chosen, stream(seed)))
    places = [int(place) for place in chosen[:found]]
    assert found == min(wanted, len(worths))
    assert len(set(places)) == found
    assert [worths[place] for place in places] == sorted(worths, reverse=True)[:found]


def test_ties_among_the_heaviest_are_broken_at_random() -> None:
    firsts = Counter[int]()
    for seed in range(600):
        chosen = np.zeros(1, np.int64)
        foreseeing.heaviest(np.array([1.0, 2.0, 2.0, 0.0, 2.0]), 5, chosen, stream(seed))
        firsts[int(chosen[0])] += 1
    assert set(firsts) == {1, 2, 4}
    assert min(firsts.values()) > 150


def dropped(values: Any, priors: Any) -> list[int]:
    """The plays that are left of some, the best first."""
    alive = np.arange(len(values))
    left = int(foreseeing.drop_worse(alive, len(values), values, values.shape[1], priors))
    return [int(play) for play in alive[:left]]


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.sampled_from([8, 16, 64]))
def test_plays_are_dropped_by_paired_differences(seed: int, plays: int, rounds: int) -> None:
    source = np.random.default_rng(seed)
    values = np.clip(source.normal(source.normal(0.5, 0.1, (plays, 1)), 0.2, (plays, rounds)), 0, 1)
    priors = source.random(plays)
    means = (foreseeing.OWN_VIEW * priors + values.sum(axis=1)) / (foreseeing.OWN_VIEW + rounds)
    best = int(means.argmax())
    errors = (values[best] - values).std(axis=1, ddof=1) / math.sqrt(rounds)
    kept = [
        play
        for play in range(plays)
        if play != best
        and means[best] - means[play] <= foreseeing.SURE * errors[play]
        and errors[play] > foreseeing.ALIKE
    ]
    found = dropped(values, priors)
    assert found[0] == best
    assert sorted(found[1:]) == kept


def test_plays_that_are_worth_the_same_in_every_round_are_one() -> None:
    values = np.tile(np.random.default_rng(1).random(8), (5, 1))
    assert dropped(values, np.array([0.1, 0.2, 0.5, 0.3, 0.4])) == [2]


def after(position: Position, played: Move | Pass, start: int = 5) -> float:
    """The chance that a round gives a play, with hands and deck dealt anew."""
    views, cards, dice = foreseeing.new_positions(1), new_hidden(1), foreseeing.new_dice(1)
    views[0] = position.view
    dice[0] = stream(start)
    look_ahead(position.view, views[0])
    foreseeing.imagine_hidden(position.view, cards[0], dice[0])
    later, layers = np.empty(weighing.MOST_PLAYS, np.uint64), np.empty(LAYERS, np.uint64)
    move = np.uint64(code(position.hand, played))
    return float(foreseeing.try_round(views[0], move, position.view.team, cards[0], dice[0], PLANNER, later, layers))


def card_for(cell: str) -> str:
    """A card that can be played on a square of the default layout."""
    board = Seen(position_of({}, "KS")).board
    return next(
        card for rank in "23456789JQK" for suit in "DHCS" if cell_at(cell) in spots_of(board, card := rank + suit)
    )


def test_a_round_that_ends_the_game_is_worth_its_end() -> None:
    card = card_for("h5")
    position = position_of({**NEARLY_DOWN, "g5": "0"}, f"{card} KS 7H 6C 4C")
    assert after(position, Move("single", (card,), (cell_at("h5"),))) == 1.0


def test_a_round_is_worth_the_same_with_the_same_cards() -> None:
    for seen in random_ones(some(20, 4), 71, near=True, may_pass=True, discard_on_pass=False):
        found = {after(seen.position, Pass()) for _ in range(2)}
        assert len(found) == 1
        assert 0.0 <= found.pop() <= 1.0


def test_others_who_may_win_in_the_round_are_seen() -> None:
    """Blue lacks one square and has five cards: left alone it wins at times, past a closed square rarely."""
    position = position_of({**BLUE_NEARLY_DOWN, "g5": "1"}, "KS KH 6D 4C 7D")
    chances = [after(position, move, start) for move in (Pass(), closing()) for start in range(some(200, 20))]
    alone, closed = np.reshape(chances, (2, -1))
    assert (alone == 0.0).sum() > (closed == 0.0).sum()
    assert alone.mean() < closed.mean()


def closing() -> Move:
    return Move("pair", ("KH", "KS"), (cell_at("h5"),) * 2)
