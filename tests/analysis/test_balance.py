"""Balance: planted biases are found with their size, fair games stay fair, and ladders have the rungs they have."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import sims.game
from analysis.balance import (
    RATES,
    Balance,
    balance,
    combine,
    count_balance,
    count_field,
    ladder,
    losses,
    play_field,
    seat_balance,
)
from analysis.records import load_records
from analysis.simultaneous import Moments, multinomial_intervals
from sims.criss_cross import write_ranks
from sims.design import Design, Outcomes
from sims.errors import StoreError, UsageError
from sims.game import RANK, SCORE, WIN, WIN_UNIT, Column, Game, find_game
from sims.jit import COMPILED
from sims.table import Player
from strategies import Strategy, builtin_restrictions, builtin_strategies, find_strategy, noisy, restrict

GAME = find_game("criss-cross")
DEALS = 3_000 if COMPILED else 60
BIAS = 6
FAST = ("uniform", "blunder")


def planted_play(*arguments: Any) -> int:
    """Criss Cross, with points for seat 0 that nobody earned."""
    played = int(GAME.play(*arguments))
    outcomes = arguments[6]
    outcomes[:played, 0, SCORE] += BIAS
    for game in range(played if outcomes.shape[1] > 1 else 0):
        write_ranks(outcomes[game])
    return played


PLANTED = dataclasses.replace(GAME, name="planted", play=planted_play, score_range=lambda rules: (0, 100 + BIAS))


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Game:
    """The planted game, known for the length of one test: other tests go through all games."""
    monkeypatch.setitem(sims.game._games, PLANTED.name, PLANTED)
    return PLANTED


def of_planted(name: str) -> Strategy:
    return dataclasses.replace(find_strategy("criss-cross", name), game=PLANTED.name, finder=None)


def design(rotations: int = 1, seats: int = 2, game: Game = GAME) -> Design:
    """A design whose outcomes a test makes up."""
    players = tuple(Player(name, name) for name in "abcdef"[:seats])
    return Design(game, game.variant(), (players,), seed=1, deals=10, rotate=rotations > 1)


def outcomes_of(wins: NDArray[Any], columns: int = len(GAME.columns)) -> list[Outcomes]:
    """Outcomes with the given wins (units), shape (rotations, deals, seats); a winner has one point."""
    array = np.zeros((*wins.shape, columns), np.int16)
    array[..., WIN] = wins
    array[..., SCORE] = wins > 0
    return [array]


def one_winner(winners: NDArray[Any], seats: int) -> NDArray[Any]:
    return np.where(winners[..., None] == np.arange(seats), WIN_UNIT, 0)


# --- Counting --------------------------------------------------------------------------------------------------------


def test_count_balance_counts_blocks() -> None:
    half = WIN_UNIT // 2
    wins = np.array([[[WIN_UNIT, 0], [half, half], [0, 0]], [[WIN_UNIT, 0], [0, WIN_UNIT], [half, half]]])
    outcomes = outcomes_of(wins)
    outcomes[0][..., [column.name for column in GAME.columns].index("rounds")] = [[[9, 8]] * 3, [[10, 12]] * 3]
    counts = count_balance(design(2), 0, outcomes)
    assert counts.wins.means.tolist() == [3 / 6, 2 / 6]
    assert counts.scores.sums == (4, 3)
    assert counts.shared.to_dict() == {0: 1, 1: 2}
    assert counts.unwon.to_dict() == {0: 2, 1: 1}
    assert counts.lengths.to_dict() == {9: 3, 12: 3}
    assert counts.block_lengths.to_dict() == {21: 3}
    assert counts.ends.total == 0


def test_counts_add_up() -> None:
    rng = np.random.default_rng(1)
    wins = one_winner(rng.integers(0, 2, (2, 10)), 2)
    whole = count_balance(design(2), 0, outcomes_of(wins))
    parts = count_balance(design(2), 0, outcomes_of(wins[:, :4])) + count_balance(
        design(2), 1, outcomes_of(wins[:, 4:])
    )
    for item in dataclasses.fields(whole):
        assert getattr(parts, item.name) == getattr(whole, item.name)


def test_end_reasons_come_from_the_column() -> None:
    game = dataclasses.replace(
        GAME, extra_columns=(*GAME.extra_columns, Column("end", "why it ended")), end_reasons=("full", "passes")
    )
    outcomes = outcomes_of(one_winner(np.zeros((1, 10), int), 2), len(game.columns))
    outcomes[0][:, :3, :, -1] = 1
    made_up = design(game=game)
    counts = count_balance(made_up, 0, outcomes)
    found = Balance(made_up, counts, seat_balance(counts), pl.DataFrame(), None, 0.0, 0)
    assert found.end_reasons() == {"full": 7, "passes": 3}


def test_combine_is_matrix_algebra() -> None:
    rng = np.random.default_rng(2)
    scores = rng.integers(-50, 50, (30, 4))
    weights = rng.integers(-3, 4, (3, 4))
    assert combine(Moments.from_scores(scores), weights, 2) == Moments.from_scores(scores @ weights.T, 2)


# --- Seats -----------------------------------------------------------------------------------------------------------


def test_independent_games_have_goodman_intervals() -> None:
    winners = np.repeat([0, 1, 2], [50, 30, 40])[None]
    seats = seat_balance(count_balance(design(1, 3), 0, outcomes_of(one_winner(winners, 3))))
    assert seats.method == "goodman"
    assert seats.fair == pytest.approx(1 / 3)
    assert [share.wins for share in seats.shares] == pytest.approx([50 / 120, 30 / 120, 40 / 120])
    for share, (low, high) in zip(seats.shares, multinomial_intervals([50, 30, 40]), strict=True):
        assert (share.low, share.high) == pytest.approx((low, high))


def test_a_shared_win_is_a_part_of_a_win() -> None:
    wins = np.concatenate([one_winner(np.arange(101) % 2, 2), np.full((1, 2), WIN_UNIT // 2)])[None]
    seats = seat_balance(count_balance(design(), 0, outcomes_of(wins)))
    assert [share.wins for share in seats.shares] == [51.5 / 102, 50.5 / 102]
    low, high = (multinomial_intervals([wins, 102 - wins])[0] for wins in (51, 52))
    assert seats.shares[0].low == pytest.approx(low.low)
    assert seats.shares[0].high == pytest.approx(high.high)


def test_rotations_of_a_deal_are_one_block() -> None:
    """The deal decides which player wins, whatever the seat: shares are exactly fair, games far from independent."""
    rng = np.random.default_rng(3)
    strong = rng.integers(0, 2, 400)
    winners = np.stack([strong, 1 - strong])
    seats = seat_balance(count_balance(design(2), 0, outcomes_of(one_winner(winners, 2))))
    assert seats.method == "max-t over blocks"
    assert all(share.low == share.high == share.wins == 0.5 for share in seats.shares)
    assert seats.verdict == "fair"


def test_games_that_nobody_wins_make_no_seat_unfair() -> None:
    winners = np.arange(600)[None] % 3  # 2: nobody
    seats = seat_balance(count_balance(design(), 0, outcomes_of(one_winner(winners, 2))), margin=0.1)
    assert seats.fair == pytest.approx(1 / 3)
    assert seats.verdict == "fair"
    assert seats.method == "max-t over blocks"


@pytest.mark.parametrize(
    ("wins", "margin", "verdict"),
    [
        (5_000, 0.02, "fair"),
        (5_000, 0.0, "undecided"),
        (5_300, 0.01, "unfair"),
        (5_110, 0.05, "fair"),  # off for certain, but inside the margin
        (5_090, 0.01, "undecided"),
    ],
)
def test_verdict(wins: int, margin: float, verdict: str) -> None:
    winners = (np.arange(10_000) >= wins)[None].astype(int)
    assert seat_balance(count_balance(design(), 0, outcomes_of(one_winner(winners, 2))), margin).verdict == verdict


def test_no_verdict_below_30_blocks() -> None:
    winners = np.zeros((1, 29), int)
    assert seat_balance(count_balance(design(), 0, outcomes_of(one_winner(winners, 2)))).verdict == "undecided"


@pytest.mark.parametrize("rotations", [1, 3])
def test_fair_seats_are_rarely_called_unfair(rotations: int) -> None:
    rng = np.random.default_rng(4)
    runs = 60
    false = 0
    for _ in range(runs):
        winners = rng.integers(0, 3, (rotations, 300))
        counts = count_balance(design(rotations, 3), 0, outcomes_of(one_winner(winners, 3)))
        false += seat_balance(counts, margin=0.0).verdict == "unfair"
    assert false <= 9  # 3 are expected; 10 or more in one of 1,000 tests


def test_planted_bias_of_equal_players_is_found_with_its_size(planted: Game) -> None:
    lineup = [of_planted("uniform")] * 2
    found = balance(planted, lineup, deals=DEALS, sample=0, ladder_deals=0)
    fair = balance("criss-cross", ["uniform"] * 2, deals=DEALS, sample=0, ladder_deals=0)
    assert found.rotations == 1
    assert found.seats is not None
    assert fair.seats is not None
    assert found.seats.verdict == "unfair"
    assert fair.seats.verdict != "unfair"
    first, second = found.seats.shares
    assert first.points - fair.seats.shares[0].points == pytest.approx(BIAS)
    assert first.points_low < BIAS < first.points_high
    assert second.points == pytest.approx(-first.points)
    # The true share: how often a lead of the second seat is less than the bias.
    scores = np.array(fair.design.tables()[0][0].log(99, 0, DEALS)[0][..., SCORE], int)
    lead = scores[:, 1] - scores[:, 0]
    share = (np.sum(lead < BIAS) + 0.5 * np.sum(lead == BIAS)) / DEALS
    assert first.low - 0.03 < share < first.high + 0.03
    assert "The seats are unfair: seat " in found.text()


def test_planted_bias_of_different_players_is_found_over_blocks(planted: Game) -> None:
    names = ["uniform", "first-fit", "uniform"]
    found = balance(planted, [of_planted(name) for name in names], deals=DEALS, sample=0, ladder_deals=0)
    fair = balance("criss-cross", names, deals=DEALS, sample=0, ladder_deals=0)
    assert found.rotations == 3
    assert found.seats is not None
    assert fair.seats is not None
    assert found.seats.method == "max-t over blocks"
    assert found.seats.verdict == "unfair"
    assert found.seats.shares[0].low > 1 / 3
    more = [share.points - other.points for share, other in zip(found.seats.shares, fair.seats.shares, strict=True)]
    assert more == pytest.approx([BIAS, -BIAS / 2, -BIAS / 2])


# --- The field -------------------------------------------------------------------------------------------------------


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


FIELD_DEALS = 200 if COMPILED else 4


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


def test_the_split_of_the_field_knows_the_seats(planted: Game) -> None:
    lineup = [of_planted("uniform")] * 2
    found = balance(
        PLANTED, lineup, deals=FIELD_DEALS, sample=0, ladder_deals=FIELD_DEALS, levels=[of_planted("blunder")]
    )
    assert found.field is not None
    assert found.field.split is not None
    # Two seats, 6 points apart: their variance is 6² / 2.
    assert found.field.split.components["seat"] == pytest.approx(BIAS**2 / 2, rel=0.5 if COMPILED else 2)


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
    counts = count_field(design(2), 0, [array])
    assert counts.scores == Moments.from_scores(np.array([[1, 4], [2, 5], [3, 6]]))
    assert counts.wins == (3 * WIN_UNIT,)
    assert (counts + counts).wins == (6 * WIN_UNIT,)
    assert (counts + counts).scores.blocks == 6


# --- The verb --------------------------------------------------------------------------------------------------------

SMALL: dict[str, Any] = (
    {"deals": 200, "sample": 20, "ladder_deals": 100, "levels": FAST}
    if COMPILED
    else {"deals": 31, "sample": 2, "ladder_deals": 2, "levels": FAST}
)


@pytest.fixture(scope="module")
def found() -> Balance:
    return balance("criss-cross", ["uniform", "first-fit"], **SMALL)


def test_text_is_at_most_80_columns_wide(found: Balance) -> None:
    text = found.text()
    assert max(len(line) for line in text.splitlines()) <= 80
    for words in ("shared wins", "decided at turn", "lead changes", "drama", "choices a decision", "restriction"):
        assert words in text


def test_long_names_are_wrapped() -> None:
    spec = "noisy(restrict(potential:two=1.5,isolation=-3.25,never=lonely-spaces),0.25)"
    text = balance("criss-cross", [spec, "uniform"], **SMALL).text()
    assert max(len(line) for line in text.splitlines()) <= 80


def test_to_dict_is_json(found: Balance) -> None:
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [seat["seat"] for seat in told["seats"]] == [0, 1]
    assert {item["metric"] for item in told["course"]} >= {"decided_at", "drama", "choices_a_decision"}
    assert told["player_ladder"]["rungs"][-1]["ahead"] is None
    assert set(told["variance"]["shares"]) >= {"deal", "strategy", "seat"}
    assert told["design"]["deals"] == SMALL["deals"]
    assert told["choices_by_turn"][0]["turn"] == 1


def test_summary_is_tidy(found: Balance) -> None:
    frame = found.summary()
    assert frame.columns == ["section", "item", "value", "low", "high", "blocks"]
    wins = frame.filter(pl.col("section") == "wins")["value"].to_list()
    assert sum(wins) == pytest.approx(1)
    assert not frame["value"].is_nan().any()
    assert len(found.to_pandas()) == len(frame)


def test_length_is_that_of_the_longest_seat(found: Balance) -> None:
    length = found.length()
    assert length is not None
    both = [table.log(1, 0, SMALL["deals"])[0] for table in found.design.tables()[0]]
    rounds = np.concatenate([outcomes[..., 6] for outcomes in both]).max(axis=1)
    assert length["mean"] == pytest.approx(rounds.mean())
    assert length["low"] <= length["mean"] <= length["high"]


def test_the_same_for_any_workers(found: Balance) -> None:
    told = found.to_dict()
    for more in ({"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 2, "backend": "loky"}):
        assert balance("criss-cross", ["uniform", "first-fit"], **SMALL, **more).to_dict() == told


def test_equal_players_play_each_deal_once() -> None:
    found = balance("criss-cross", ["uniform"] * 3, **{**SMALL, "ladder_deals": 0})
    assert found.rotations == 1
    assert found.games == SMALL["deals"]
    assert found.seats is not None
    assert found.seats.method == "goodman"
    assert found.field is None
    assert found.to_dict()["noise_ladder"] is None


def test_one_seat_has_no_verdict_on_seats() -> None:
    found = balance("criss-cross", "first-fit", **SMALL)
    assert found.seats is None
    assert found.to_dict()["verdict"] is None
    assert found.field is not None
    assert set(found.field.split.components if found.field.split else ()) == {"deal", "strategy", "remainder"}
    assert "wins" not in found.text()
    assert "choices a decision" in found.text()


def test_all_built_in_players_are_the_levels_by_default() -> None:
    small = GAME.variant().replace(size=3)
    found = balance("criss-cross", "first-fit", deals=1, sample=1, ladder_deals=1, variant=small)
    assert found.field is not None
    names = {strategy.name for strategy in builtin_strategies("criss-cross")}
    assert {rung.strategy for rung in found.field.players.rungs} == names
    assert found.field.players.levels is None
    assert "cannot tell levels apart" in found.text()


def test_records_are_saved(tmp_path: Path) -> None:
    found = balance("criss-cross", ["uniform"] * 2, **{**SMALL, "ladder_deals": 0}, records=tmp_path / "games.parquet")
    assert load_records(tmp_path / "games.parquet").equals(found.records)
    assert len(found.records) == SMALL["sample"]
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot write records"):
        balance("criss-cross", "uniform", deals=1, ladder_deals=0, records=tmp_path / "file" / "x.parquet")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"margin": -0.1}, "margin=-0.1 does not fit"),
        ({"margin": "much"}, "margin='much' does not fit"),
        ({"sample": -1}, "sample=-1 does not fit"),
        ({"ladder_deals": 1.5}, "ladder_deals=1.5 does not fit"),
        ({"deals": 0}, "deals=0 does not fit"),
        ({"levels": ["nobody"]}, "no strategy 'nobody'"),
    ],
)
def test_bad_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        balance("criss-cross", ["uniform", "uniform"], **{**SMALL, **changes})


def test_rank_of_the_planted_game_follows_its_points(planted: Game) -> None:
    """The planted game is a sound game: who has more points has the better rank."""
    outcomes, _ = (
        Design(planted, planted.variant(), ((of_planted("uniform").player(),) * 2,), seed=1, deals=20)
        .tables()[0][0]
        .log(1, 0, 20)
    )
    ahead = outcomes[:, 0, SCORE] > outcomes[:, 1, SCORE]
    assert (outcomes[ahead, 0, RANK] == 1).all()
    assert (outcomes[ahead, 0, WIN] == WIN_UNIT).all()
