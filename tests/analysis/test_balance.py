"""Balance: planted biases are found with their size, and all that is told of a game."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sims.game
from analysis.balance import Balance, balance
from analysis.histogram import Histogram
from analysis.records import load_records, measure
from sims.criss_cross import write_ranks
from sims.design import Design
from sims.errors import StoreError, UsageError
from sims.game import RANK, SCORE, WIN, WIN_UNIT, Game, find_game
from sims.jit import COMPILED
from strategies import Strategy, builtin_strategies, find_strategy

GAME = find_game("criss-cross")
DEALS = 3_000 if COMPILED else 60
FIELD_DEALS = 200 if COMPILED else 4
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


# --- Planted truths --------------------------------------------------------------------------------------------------


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


def test_the_split_of_the_field_knows_the_seats(planted: Game) -> None:
    lineup = [of_planted("uniform")] * 2
    found = balance(
        PLANTED, lineup, deals=FIELD_DEALS, sample=0, ladder_deals=FIELD_DEALS, levels=[of_planted("blunder")]
    )
    assert found.field is not None
    assert found.field.split is not None
    # Two seats, 6 points apart: their variance is 6² / 2.
    assert found.field.split.components["seat"] == pytest.approx(BIAS**2 / 2, rel=0.5 if COMPILED else 2)


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


def test_lengths_are_of_all_games_where_the_outcome_tells(found: Balance) -> None:
    assert dict(found.lengths().rows()) == found.counts.lengths.to_dict()
    assert found.lengths()["count"].sum() == found.games


def test_lengths_are_of_the_sample_where_it_does_not(found: Balance) -> None:
    untold = dataclasses.replace(found.counts, lengths=Histogram.from_dict({}))
    lengths = dataclasses.replace(found, counts=untold).lengths()
    assert lengths["count"].sum() == len(found.records)
    turns = measure(found.records)["turns"]
    assert dict(lengths.rows()) == dict(turns.cast(pl.Int64).value_counts().rows())
    assert dataclasses.replace(found, counts=untold, records=found.records.head(0)).lengths().is_empty()


def test_end_reasons_come_from_the_column_where_there_is_one(found: Balance) -> None:
    assert found.end_reasons() == {}
    game = dataclasses.replace(GAME, end_reasons=("full", "passes"))
    counts = dataclasses.replace(found.counts, ends=Histogram.from_scores([0] * 7 + [1] * 3))
    told = dataclasses.replace(found, design=dataclasses.replace(found.design, game=game), counts=counts)
    assert told.end_reasons() == {"full": 7, "passes": 3}


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


def test_where_the_score_is_the_win_it_is_told_once() -> None:
    levels = ["rusher", "idle"]
    found = balance("crossways", ["rusher"] * 2, deals=4, sample=2, ladder_deals=2, levels=levels)
    text = found.text()
    assert "points" not in text
    assert "largest deficit, markers" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["strategy", "wins", "ahead", "of", "next", "95", "%", "interval", "level"] in rows
    idle = next(row for row in rows if row[:1] == ["idle"])
    assert idle[1:3] == ["0.00", "%"]
    assert "loses of its share of wins when it never" in " ".join(text.split())
    assert ("wins ahead of the others", "seat 0") in found.summary().select("section", "item").rows()
    # Name, share and interval, and nothing more.
    seats = next(row for row in rows if row[:2] == ["seat", "0"])
    assert len(seats) == 8


def test_deficits_are_told_in_what_standings_count(planted: Game) -> None:
    text = balance(planted, [of_planted("uniform")] * 2, deals=3, sample=2, ladder_deals=0).text()
    assert "drama: mean deficit, points" in text
    assert "largest deficit, points" in text
