"""Ladders: levels, losses, and the field that plays for them."""

import dataclasses

import numpy as np
import pytest

from analysis.ladders import RATES, Field, Ladder, count_field, ladder, losses, play_field
from analysis.simultaneous import Moments
from sims.design import Design
from sims.game import SCORE, WIN, WIN_UNIT, find_game
from sims.jit import COMPILED
from sims.table import Player
from strategies import builtin_restrictions, find_strategy, noisy, restrict

GAME = find_game("criss-cross")
FAST = ("uniform", "blunder")
FIELD_DEALS = 200 if COMPILED else 4


def scores_of(means: list[float], blocks: int = 400) -> Moments:
    """Players on common deals, with luck of their own."""
    rng = np.random.default_rng(5)
    luck = rng.normal(0, 20, (blocks, 1)) + rng.normal(0, 1, (blocks, len(means)))
    return Moments.from_scores(np.rint(np.array(means) * 2 + luck).astype(int), 2)


def test_ladder_finds_the_levels() -> None:
    found = ladder(scores_of([5, 9, 9.02, 7]), list("abcd"), [0.1, 0.2, 0.3, 0.4], margin=0.5, ordered=False)
    assert [rung.strategy for rung in found.rungs][2:] == ["d", "a"]
    assert {rung.strategy for rung in found.rungs[:2]} == {"b", "c"}
    assert [rung.level for rung in found.rungs] == [1, 1, 2, 3]
    assert found.levels == 3
    assert {rung.strategy: rung.wins for rung in found.rungs} == dict(zip("abcd", [0.1, 0.2, 0.3, 0.4], strict=True))
    for rung, following in zip(found.rungs, found.rungs[1:], strict=False):
        assert rung.ahead == pytest.approx(rung.mean - following.mean)
        assert rung.ahead_low < rung.ahead < rung.ahead_high
        assert rung.ahead_high - rung.ahead_low < 0.5, "paired: the common luck is gone"
    assert np.isnan(found.rungs[-1].ahead)


def test_a_ladder_in_given_order_keeps_it() -> None:
    found = ladder(scores_of([5, 9]), ["a", "b"], [0, 0], margin=0.5, ordered=True)
    assert [rung.strategy for rung in found.rungs] == ["a", "b"]
    assert found.levels == 1
    assert found.rungs[0].ahead < -3


def test_a_difference_inside_the_margin_is_no_level() -> None:
    assert ladder(scores_of([9, 8.6]), ["a", "b"], [0, 0], margin=0.0, ordered=True).levels == 2
    assert ladder(scores_of([9, 8.6]), ["a", "b"], [0, 0], margin=1.0, ordered=True).levels == 1


def test_few_blocks_have_no_levels() -> None:
    assert ladder(scores_of([9, 1], 29), ["a", "b"], [0, 0], margin=0.1, ordered=True).levels is None
    assert ladder(scores_of([9], 40), ["a"], [0], margin=0.1, ordered=True).levels == 1


def test_losses_are_paired_and_sorted() -> None:
    found = losses(scores_of([9, 9, 6, 8]), ["nothing", "much", "some"], margin=0.3)
    assert [loss.restriction for loss in found] == ["much", "some", "nothing"]
    assert [loss.verdict for loss in found] == ["worse", "worse", "equivalent"]
    for loss, true in zip(found, (3, 1, 0), strict=True):
        assert loss.low < true < loss.high
    assert losses(scores_of([9]), [], 0.3) == ()


def test_play_field_plays_everybody_on_the_same_deals() -> None:
    base = find_strategy("criss-cross", "first-fit")
    levels = [find_strategy("criss-cross", name) for name in FAST]
    lineup = (base.player(), find_strategy("criss-cross", "uniform").player())
    made = Design(GAME, GAME.variant(), (lineup,), seed=2, deals=FIELD_DEALS)
    found = play_field(made, base, levels, progress=False)
    assert [rung.strategy for rung in found.noise.rungs] == [
        "first-fit",
        *(noisy(base, rate).spec for rate in RATES[1:]),
    ]
    assert {rung.strategy for rung in found.players.rungs} == {"first-fit", *FAST}
    assert {loss.restriction for loss in found.losses} == {limit.spec for limit in builtin_restrictions("criss-cross")}
    # One by hand.
    total, wins = {}, {}
    limit = next(limit for limit in builtin_restrictions("criss-cross") if limit.name == "vertical")
    for player in (base.player(), restrict(base, limit).player()):
        tables = dataclasses.replace(made, lineups=((player, lineup[1]),)).tables()[0]
        own = [table.log(2, 0, FIELD_DEALS)[0][:, seat] for seat, table in enumerate(tables)]
        total[player.spec] = sum(int(values[:, SCORE].sum()) for values in own)
        wins[player.spec] = sum(int(values[:, WIN].sum()) for values in own)
    rung = found.noise.rungs[0]
    assert rung.mean == pytest.approx(total["first-fit"] / (2 * FIELD_DEALS))
    assert rung.wins == pytest.approx(wins["first-fit"] / (2 * FIELD_DEALS * WIN_UNIT))
    loss = next(loss for loss in found.losses if loss.restriction == "vertical")
    difference = total["first-fit"] - total["restrict(first-fit,never=vertical)"]
    assert loss.loss == pytest.approx(difference / (2 * FIELD_DEALS))


def test_what_is_noisy_or_restricted_gets_no_more_of_it() -> None:
    limit = builtin_restrictions("criss-cross")[0]
    base = noisy(restrict(find_strategy("criss-cross", "uniform"), limit), 0.5)
    made = Design(GAME, GAME.variant(), ((base.player(),),), seed=2, deals=3)
    found = play_field(made, base, [], progress=False)
    assert [rung.strategy for rung in found.noise.rungs] == [base.spec]
    assert found.losses == ()
    assert found.split is None


def test_count_field_takes_the_first_player_at_every_seat() -> None:
    array = np.zeros((2, 3, 2, len(GAME.columns)), np.int16)
    array[0, :, 0, SCORE], array[0, :, 1, SCORE] = [1, 2, 3], 50
    array[1, :, 1, SCORE], array[1, :, 0, SCORE] = [4, 5, 6], 60
    array[1, :, 1, WIN] = WIN_UNIT
    players = (Player("a", "a"), Player("b", "b"))
    made = Design(GAME, GAME.variant(), (players,), seed=1, deals=3)
    counts = count_field(made, 0, [array])
    assert counts.scores == Moments.from_scores(np.array([[1, 4], [2, 5], [3, 6]]))
    assert counts.wins == (3 * WIN_UNIT,)
    assert (counts + counts).wins == (6 * WIN_UNIT,)
    assert (counts + counts).scores.blocks == 6


def test_summary_has_a_row_a_rung() -> None:
    found = ladder(scores_of([5, 9]), ["a", "b"], [0.25, 0.75], margin=0.5, ordered=False)
    frame = found.summary()
    assert frame["strategy"].to_list() == ["b", "a"]
    assert frame["ahead"].to_list() == [found.rungs[0].ahead, None]
    assert frame.drop("ahead", "ahead_low", "ahead_high").rows() == [
        (rung.strategy, rung.mean, rung.low, rung.high, rung.wins, rung.level) for rung in found.rungs
    ]
    assert (
        ladder(scores_of([5, 9], 2), ["a", "b"], [0, 1], 0.5, ordered=False).summary()["level"].to_list() == [None] * 2
    )


def test_restrictions_have_a_row_each() -> None:
    found = losses(scores_of([9, 5, 9]), ["dear", "cheap"], 0.5)
    frame = Field(Ladder((), None, 0), Ladder((), None, 0), found, None).restrictions()
    assert frame.rows() == [tuple(loss) for loss in found]
    assert frame.columns == ["restriction", "loss", "low", "high", "verdict"]
    assert frame["restriction"].to_list() == ["dear", "cheap"]
