"""Compare: paired blocks, sides and controls."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from analysis.comparisons import luck_slope
from analysis.matches import (
    PILOT_DEALS,
    PILOT_START,
    compare,
    default_margin,
    find_unit,
    make_match,
    make_pairing,
)
from analysis.simulation import simulate
from sims.criss_cross import CRISS_CROSS
from sims.design import LARGEST_DEALS, Design
from sims.errors import UsageError
from sims.game import WIN_UNIT, Game, find_game
from sims.jit import COMPILED
from sims.table import Player
from strategies import find_strategy

DEALS = 3_000 if COMPILED else 40
A, B, C = (Player(name, name) for name in "abc")


def test_solo_effect_is_the_difference_of_the_solo_means() -> None:
    comparison = compare("criss-cross", "uniform", "blunder", deals=DEALS, seed=8)
    scores = [
        simulate("criss-cross", spec, deals=DEALS, seed=8).table["score"].to_numpy().astype(int)
        for spec in ("uniform", "blunder")
    ]
    difference = scores[0] - scores[1]
    assert comparison.result.blocks == DEALS
    assert comparison.result.effect == pytest.approx(difference.mean())
    assert comparison.result.p_a_better == pytest.approx((difference > 0).mean())
    assert comparison.result.p_tie == pytest.approx((difference == 0).mean())
    ratio = (scores[0].var() + scores[1].var()) / difference.var()
    assert comparison.result.variance_ratio == pytest.approx(ratio)
    assert comparison.result.verdict == "better"


def test_two_seats_meet_at_both_seats() -> None:
    comparison = compare("criss-cross", "uniform", "blunder", deals=DEALS, seats=2)
    table = simulate("criss-cross", ["uniform", "blunder"], deals=DEALS).table
    means = {name: table.filter(table["strategy"] == name)["score"].mean() for name in ("uniform", "blunder")}
    assert comparison.result.effect == pytest.approx(means["uniform"] - means["blunder"])
    assert comparison.counts.scale == 2


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_both_sides_sit_at_every_seat_equally_often(seats: int) -> None:
    match = make_match(CRISS_CROSS, CRISS_CROSS.rules(), A, B, seats, [])
    taken = np.zeros((2, seats), int)
    for sides in match.sides:
        for turn in range(seats):
            for seat in range(seats):
                taken[0 if sides[(seat - turn) % seats] > 0 else 1, seat] += 1
    assert (taken == taken[0, 0]).all()


@pytest.mark.parametrize(
    ("variant", "seats", "lines"),
    [
        ("basic", 3, ["aba", "bab"]),
        ("basic", 4, ["abab"]),
        ("advanced", 4, ["abab"]),
        ("advanced", 6, ["abaaba", "babbab"]),
        ("advanced", 8, ["abababab"]),
    ],
)
def test_partners_play_for_one_side(partners: Game, variant: str, seats: int, lines: list[str]) -> None:
    rules = partners.variant(variant)
    match = make_match(partners, rules, A, B, seats, [])
    assert ["".join(player.spec for player in lineup) for lineup in match.lineups] == lines
    design = Design(partners, rules, match.lineups, seed=1, deals=1)
    games = [sides for turned in match.design_sides(design) for sides in turned]
    assert len(games) == len(lines) * len(partners.rotate(rules, seats))
    teams = partners.party_of(rules, seats)
    assert all(len(set(zip(teams, sides, strict=True))) == max(teams) + 1 for sides in games)
    assert not np.sum(games, axis=0).any(), "both sit at every seat equally often"


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_team_game_needs_no_second_line_up_where_sides_are_changed(seats: int) -> None:
    crosswise = find_game("crosswise")
    match = make_match(crosswise, crosswise.variant(), A, B, seats, [])
    assert ["".join(player.spec for player in lineup) for lineup in match.lineups] == ["abab"[:seats]]
    design = Design(crosswise, crosswise.variant(), match.lineups, seed=1, deals=1)
    assert not np.sum(match.design_sides(design)[0], axis=0).any()
    found = compare("crosswise", "uniform", "blunder", deals=4, seats=seats)
    assert found.seat_games == seats


def test_the_fewest_seats_are_those_of_the_rules(partners: Game) -> None:
    assert make_pairing(partners, "uniform", "blunder").seats == 2
    assert make_pairing(partners, "uniform", "blunder", variant="advanced").seats == 4
    with pytest.raises(UsageError, match="under these rules is for 4, 6 or 8 seats, not 3"):
        make_pairing(partners, "uniform", "blunder", variant="advanced", opponents=["uniform"] * 2)


def test_opponents_are_on_no_side() -> None:
    match = make_match(CRISS_CROSS, CRISS_CROSS.rules(), A, B, 3, [C, C])
    assert match.lineups == ((A, C, C), (B, C, C))
    assert match.sides == ((1, 0, 0), (-1, 0, 0))


def test_a_strategy_against_itself_is_equivalent() -> None:
    comparison = compare("criss-cross", "blunder", "blunder", deals=DEALS)
    assert comparison.result.effect == 0
    assert comparison.result.verdict == "equivalent"
    assert comparison.controls["weak"]["passed"] is None


def test_controls_pass_and_say_so() -> None:
    controls = compare("criss-cross", "uniform", "blunder", deals=DEALS).controls
    assert controls["mirror"]["passed"] is True
    assert controls["mirror"]["effect"] != 0, "the mirror plays other draws of its own"
    assert controls["weak"]["strategy"] == "blunder"
    assert controls["weak"]["passed"] is True


def test_swapping_a_and_b_turns_the_sign() -> None:
    forth = compare("criss-cross", "uniform", "blunder", deals=DEALS).result
    back = compare("criss-cross", "blunder", "uniform", deals=DEALS).result
    assert forth.effect == -back.effect
    assert (forth.low, forth.high) == (-back.high, -back.low)
    assert back.verdict == "worse"


def test_workers_and_backend_change_nothing() -> None:
    told = [
        json.dumps(compare("criss-cross", "uniform", "blunder", deals=DEALS, n_jobs=jobs, backend=backend).to_dict())
        for jobs, backend in ((1, "threads"), (2, "threads"), (2, "loky"))
    ]
    assert told[0] == told[1] == told[2]


def test_one_block_is_undecided_and_json() -> None:
    told = json.loads(json.dumps(compare("criss-cross", "uniform", "blunder", deals=1).to_dict(), allow_nan=False))
    assert told["verdict"] == "undecided"
    assert told["low"] is None


def test_store_resumes(tmp_path) -> None:  # type: ignore[no-untyped-def]
    first = compare("criss-cross", "uniform", "blunder", deals=DEALS, seats=3, store=tmp_path / "s")
    again = compare("criss-cross", "uniform", "blunder", deals=DEALS, seats=3, store=tmp_path / "s")
    assert again.games < first.games, "only the controls were played again"
    assert again.to_dict() == first.to_dict()


def test_frames_count_every_block() -> None:
    comparison = compare("criss-cross", "uniform", "blunder", deals=50)
    assert comparison.differences()["count"].sum() == 50
    assert comparison.scores()["count"].sum() == 100
    assert comparison.summary()["verdict"].to_list() == [comparison.result.verdict]
    assert comparison.to_pandas()["blocks"].tolist() == [50]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"margin": -1}, "margin=-1 does not fit"),
        ({"margin": float("nan")}, "margin=nan does not fit"),
        ({"margin": "1"}, "margin='1' does not fit"),
        ({"seats": 7}, "criss-cross is for 1 to 6 seats, not 7"),
        ({"seats": 2.0}, "seats=2.0 does not fit"),
        ({"opponents": ["uniform"], "seats": 3}, "1 opponents and one strategy make 2 seats, not 3"),
        ({"opponents": ["uniform"] * 6}, "criss-cross is for 1 to 6 seats, not 7"),
        ({"measure": "wins"}, "unknown measure 'wins'; did you mean win"),
        ({"measure": ["win"]}, "unknown measure"),
        ({"measure": "win"}, "measure='win' does not fit 1 seat"),
        ({"measure": "win", "seats": 2, "margin": -1}, "it takes a number of wins, 0 or more"),
    ],
)
def test_refusals(more: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare("criss-cross", "uniform", "blunder", deals=5, **more)  # type: ignore[arg-type]


def test_wins_are_counted_exactly() -> None:
    found = compare("criss-cross", "uniform", "blunder", deals=DEALS, seats=2, measure="win")
    table = simulate("criss-cross", ["uniform", "blunder"], deals=DEALS).table
    means = {name: table.filter(table["strategy"] == name)["win"].mean() for name in ("uniform", "blunder")}
    assert found.result.effect == pytest.approx(means["uniform"] - means["blunder"])
    assert (found.counts.scale, found.seat_games) == (2 * WIN_UNIT, 2)
    # Every win of a game with two seats is one of the two's.
    assert found.counts.a.score_sum + found.counts.b.score_sum == 2 * WIN_UNIT * DEALS


@pytest.mark.parametrize("table", [{"seats": 3}, {"opponents": ["uniform"]}])
def test_a_comparison_of_wins_speaks_of_wins(table: dict[str, Any]) -> None:
    found = compare("criss-cross", "uniform", "blunder", deals=DEALS, measure="win", **table)
    assert found.result.verdict == "better"
    assert 0 < found.result.effect <= 1
    assert found.result.margin == 0.01
    assert found.to_dict()["measure"] == "win"
    assert "wins a game" in found.text()
    assert "point" not in found.text()


def test_luck_adjusted_is_computed_from_the_deals() -> None:
    found = compare("criss-cross", "uniform", "blunder", deals=DEALS, seed=8)
    luck = find_game("criss-cross").luck
    assert luck is not None
    uniform, blunder = (
        simulate("criss-cross", spec, deals=DEALS, seed=8).table["score"].to_numpy().astype(int)
        for spec in ("uniform", "blunder")
    )
    pairing = make_pairing("criss-cross", "uniform", "blunder", seed=8)
    pilot_deals = min(DEALS, PILOT_DEALS)
    _, pilot = pairing.play(pairing.a, pairing.b, pilot_deals, first_deal=PILOT_START, with_luck=True, progress=False)
    values = uniform - blunder - float(luck_slope(pilot.result)) * luck(8, 0, DEALS)
    assert found.adjusted is not None
    assert found.adjusted.effect == pytest.approx(values.mean())
    assert found.adjusted.variance_ratio == pytest.approx((uniform - blunder).var() / values.var())
    told = found.to_dict()["luck_adjusted"]
    assert told == dataclasses.asdict(found.adjusted)
    assert found.summary()["luck_adjusted_effect"].to_list() == [told["effect"]]
    assert "luck-adjusted" in found.text()


def test_the_pilot_shares_no_deal_with_any_run() -> None:
    assert PILOT_START >= LARGEST_DEALS


def test_a_game_that_does_not_tell_its_luck_is_not_adjusted() -> None:
    found = compare(dataclasses.replace(CRISS_CROSS, luck=None), "uniform", "blunder", deals=40)
    assert found.to_dict()["luck_adjusted"] is None
    assert found.summary()["luck_adjusted_effect"].to_list() == [None]
    assert "luck-adjusted" not in found.text()


def test_strategy_objects_are_taken() -> None:
    uniform = find_strategy("criss-cross", "uniform")
    assert compare("criss-cross", uniform, "blunder", deals=40).a == "uniform"


def test_where_the_score_is_the_win_wins_are_compared() -> None:
    """Whatever is asked for, the effect is in wins, and the margin is the game's."""
    by_score, by_win = (compare("crossways", "rusher", "idle", deals=3, measure=name) for name in ("score", "win"))
    assert by_score.text() == by_win.text()
    assert "1.00 wins a game" in by_score.text()
    assert by_score.to_dict()["measure"] == "win"
    assert by_score.result.margin == find_game("crossways").margin
    careful = dataclasses.replace(find_game("crossways"), margin=0.2)
    assert default_margin(careful, find_unit(careful, "win")) == 0.2
    with pytest.raises(UsageError, match="unknown measure 'wins'; did you mean win"):
        find_unit(careful, "wins")
