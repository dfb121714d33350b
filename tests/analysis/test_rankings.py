"""Rankings: planted orders, cycles, equals, seat biases and disagreements are found; all else agrees with its parts."""

import dataclasses
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import sims.game
from analysis.cycles import hodge_split
from analysis.matches import compare
from analysis.rankings import (
    cyclic_share,
    margins,
    rank,
)
from analysis.ratings import bradley_terry, plackett_luce
from analysis.simulation import simulate
from analysis.simultaneous import probability_best, rank_intervals, simultaneous_intervals
from analysis.tournament_ratings import parameters, rate
from analysis.tournaments import Orders, count_tournament, make_tournament, read_orders
from sims.criss_cross import write_ranks
from sims.design import Design
from sims.errors import UsageError
from sims.game import SCORE, Game, find_game
from sims.jit import COMPILED
from sims.table import Player
from strategies import Parameter, Strategy, heuristic

GAME = find_game("criss-cross")
DEALS = 2_000 if COMPILED else 35
FEW = 2_000 if COMPILED else 8
RULES = GAME.rules().replace(size=5 if COMPILED else 3)  # small sheets where Python plays
FAST = ["uniform", "blunder", "first-fit"]
GAMBLER = 6


def circle_play(
    players: Any, views: Any, streams: Any, probe: Any, seed: Any, first_deal: Any, outcomes: Any, logs: Any
) -> int:
    """Rock, paper, scissors by the kinds of the players, with luck that all share and luck of their own.

    A kind beats the one below it, all modulo 3. The gambler meets nobody: it mostly loses a little, and seldom wins
    much.
    """
    kinds = players.params[:, 0].astype(int)
    for game in range(len(outcomes)):
        chance = np.random.default_rng([int(seed), int(first_deal) + game])
        shared = int(chance.integers(0, 20))
        own = chance.integers(-4, 5, (len(kinds), 8))
        for seat, kind in enumerate(kinds):
            luck = int(own[seat, kind])
            beaten = sum((0, 1, -1)[(kind - other) % 3] for other in kinds if GAMBLER not in (kind, other))
            outcomes[game, seat, SCORE] = 50 + shared + 3 * beaten + luck
            if kind == GAMBLER:
                outcomes[game, seat, SCORE] = 50 + shared + (40 if luck < -2 else -6)
        write_ranks(outcomes[game])
    return len(outcomes)


def first_play(*arguments: Any) -> int:
    """The same, with points for the first seat that nobody earned."""
    played = circle_play(*arguments)
    outcomes = arguments[6]
    outcomes[:, 0, SCORE] += 3
    for game in range(played):
        write_ranks(outcomes[game])
    return played


def planted(name: str, play: Callable[..., int]) -> Game:
    return dataclasses.replace(GAME, name=name, play=play, score_range=lambda rules: (0, 200))


CIRCLE, FIRST = planted("circle", circle_play), planted("first", first_play)


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the planted games known for the length of one test: other tests go through all games."""
    for game in (CIRCLE, FIRST):
        monkeypatch.setitem(sims.game._games, game.name, game)


def kind(number: int, game: str = "circle") -> Strategy:
    def value(view: Any, move: Any, params: Any) -> Any:
        return 0.0

    declared = heuristic(game, name="kind", parameters=[Parameter("number", 7, 0, 7, "which it is")])(value)
    return declared.with_values(number=number)


def row_of(frame: pl.DataFrame, **keys: Any) -> dict[str, Any]:
    return frame.row(by_predicate=pl.all_horizontal(pl.col(name) == value for name, value in keys.items()), named=True)


# --- Planted truths --------------------------------------------------------------------------------------------------


def test_a_cycle_is_reported_with_its_margins() -> None:
    ranking = rank("circle", [kind(0), kind(1), kind(2)], deals=120, seats=2)
    (cycle,) = ranking.cycles
    # 1 beats 0, 2 beats 1 and 0 beats 2: by three points for, and three against.
    assert cycle.strategies == (0, 2, 1)
    assert cycle.margins == pytest.approx((6, 6, 6), abs=1)
    assert ranking.cyclic_share == pytest.approx(1, abs=0.05)
    assert ranking.table["rank_low"].to_list() == [1, 1, 1]
    assert ranking.table["rank_high"].to_list() == [3, 3, 3]
    assert "A cycle: kind:number=0 beats kind:number=2 by" in " ".join(ranking.text().split())
    assert ranking.to_dict()["cycles"][0]["strategies"] == [f"kind:number={number}" for number in (0, 2, 1)]


def test_a_cycle_is_reported_by_wins_and_against_all() -> None:
    for more in ({"measure": "win", "seats": 2}, {"format": "one-against-all", "seats": 3}):
        ranking = rank("circle", [kind(0), kind(1), kind(2)], deals=120, **more)  # type: ignore[arg-type]
        assert [cycle.strategies for cycle in ranking.cycles] == [(0, 2, 1)]


def test_equal_strategies_are_equivalent_and_share_their_ranks() -> None:
    ranking = rank("circle", [kind(0), kind(3), kind(1)], deals=400, seats=2, margin=1.5)
    assert row_of(ranking.matchups, a="kind:number=0", b="kind:number=3")["verdict"] == "equivalent"
    assert row_of(ranking.matchups, a="kind:number=1", b="kind:number=3")["verdict"] == "better"
    assert row_of(ranking.table, strategy="kind:number=1")["rank_high"] == 1
    for name in ("kind:number=0", "kind:number=3"):
        row = row_of(ranking.table, strategy=name)
        assert (row["rank_low"], row["rank_high"]) == (2, 3)


def test_twins_are_tied_in_everything() -> None:
    twin = dataclasses.replace(kind(0), name="twin")
    ranking = rank("circle", [kind(0), twin, kind(4)], deals=40)
    rows = [row_of(ranking.table, strategy=spec) for spec in ("kind:number=0", "twin:number=0")]
    for name in ("mean", "rank", "rank_low", "rank_high", "p_best", "win"):
        assert rows[0][name] == rows[1][name]
    pair = row_of(ranking.matchups, a="kind:number=0", b="twin:number=0")
    assert (pair["effect"], pair["low"], pair["high"], pair["wins"]) == (0, 0, 0, 0.5)
    assert pair["verdict"] == "equivalent"


def test_a_seat_bias_is_found() -> None:
    strategies = [kind(0, "first"), kind(3, "first")]
    biased = rank("first", strategies, deals=300, seats=2).first_seat
    assert biased is not None
    assert biased[1].low > 50
    fair = rank("circle", [kind(0), kind(3)], deals=300, seats=2).first_seat
    assert fair is not None
    assert fair[1].low <= 0 <= fair[1].high
    assert rank("circle", [kind(0), kind(3)], deals=30, seats=3).first_seat is None
    assert rank("circle", [kind(0), kind(3)], deals=30).first_seat is None


@pytest.mark.parametrize("seats", [1, 2])
def test_a_gambler_divides_the_rankings(seats: int) -> None:
    ranking = rank("circle", [kind(0), kind(GAMBLER)], deals=800, seats=seats)
    (found,) = ranking.disagreements
    assert (found.higher, found.lower, found.clear) == ("kind:number=6", "kind:number=0", True)
    assert found.points == pytest.approx(ranking.table["mean"][0] - ranking.table["mean"][1])
    assert "Two rankings disagree: kind:number=6 has the higher mean" in " ".join(ranking.text().split())
    by_wins = rank("circle", [kind(0), kind(GAMBLER)], deals=800, seats=seats, measure="win")
    assert by_wins.table["strategy"].to_list() == ["kind:number=0", "kind:number=6"]


def test_no_disagreement_where_all_agree() -> None:
    assert rank("circle", [kind(0), kind(1)], deals=60, seats=2).disagreements == ()


@pytest.mark.skipif(not COMPILED, reason="the strong players are slow in plain Python")
def test_built_in_players_have_their_order() -> None:
    specs = ["blunder", "greedy", "lookahead", "planner", "uniform", "line-solver", "potential"]
    table = rank("criss-cross", specs, variant=RULES, deals=500).table
    ranks = {row["strategy"]: (row["rank_low"], row["rank_high"]) for row in table.iter_rows(named=True)}
    assert (ranks["planner"][0], ranks["line-solver"][1]) == (1, 2)
    for name in ("lookahead", "potential"):
        assert 3 <= ranks[name][0] <= ranks[name][1] <= 4
    assert [ranks[name] for name in ("greedy", "uniform", "blunder")] == [(5, 5), (6, 6), (7, 7)]
    assert sum(table["p_best"]) == pytest.approx(1, abs=0.01)


def test_weak_players_have_their_order_alone_and_at_the_table() -> None:
    for seats in (1, 2, 3):
        table = rank(
            "criss-cross", FAST, variant=RULES, deals=DEALS, seats=seats, measure="win" if seats == 3 else "score"
        ).table
        if COMPILED:  # on a sheet of 3×3 these two are close
            assert table["strategy"].to_list() == ["first-fit", "uniform", "blunder"]
        assert row_of(table, strategy="blunder")["rank_low"] == 3


# --- The parts -------------------------------------------------------------------------------------------------------


def test_solo_means_are_those_of_simulate() -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=DEALS, seed=5)
    scores = {
        spec: simulate("criss-cross", spec, variant=RULES, deals=DEALS, seed=5).table["score"].to_numpy()
        for spec in FAST
    }
    for row in ranking.table.iter_rows(named=True):
        assert row["mean"] == pytest.approx(scores[row["strategy"]].mean())
        assert row["games"] == DEALS
        others = [scores[spec] for spec in FAST if spec != row["strategy"]]
        mine = scores[row["strategy"]]
        assert row["win"] == pytest.approx(np.mean([(mine > other) + (mine == other) / 2 for other in others]))


def test_the_table_is_made_of_simultaneous_intervals() -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=DEALS)
    moments = ranking.counts.scores
    means = simultaneous_intervals(moments, "means")
    ranks = rank_intervals(simultaneous_intervals(moments, "all-pairs"))
    best = probability_best(moments)
    for row in ranking.table.iter_rows(named=True):
        k = FAST.index(row["strategy"])
        assert (row["mean"], row["low"], row["high"]) == means[k][2:3] + means[k][-2:]
        assert (row["rank_low"], row["rank_high"]) == ranks[k]
        assert row["p_best"] == best[k]


@pytest.mark.parametrize("seats", [2, 3])
def test_a_matchup_is_a_comparison(seats: int) -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=FEW, seats=seats, format="round-robin")
    assert len(ranking.matchups) == 6
    for a, b in itertools.combinations(FAST, 2):
        row = row_of(ranking.matchups, a=a, b=b)
        known = compare("criss-cross", a, b, variant=RULES, deals=FEW, seats=seats).result
        assert row["effect"] == pytest.approx(known.effect)
        # Wider than alone, because all hold at once.
        assert row["low"] < known.low < known.high < row["high"]
        assert row["verdict"] == known.verdict
        back = row_of(ranking.matchups, a=b, b=a)
        assert (back["effect"], back["low"], back["high"]) == (-row["effect"], -row["high"], -row["low"])
        assert row["wins"] + back["wins"] == pytest.approx(1)
        assert 0 <= row["wins_low"] < row["wins"] < row["wins_high"] <= 1
        assert (1 - back["wins_high"], 1 - back["wins_low"]) == pytest.approx((row["wins_low"], row["wins_high"]))


@pytest.mark.parametrize("seats", [1, 2])
def test_shares_of_wins_have_the_intervals_of_their_blocks(seats: int) -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=FEW, seats=seats)
    pairs, meetings, blocks = ranking.counts.pairs, ranking.tournament.meetings, ranking.blocks
    for place, (a, b) in enumerate(itertools.combinations(range(3), 2)):
        row = row_of(ranking.matchups, a=FAST[a], b=FAST[b])
        share = (1 + pairs.leads[place] / (blocks * meetings)) / 2
        variance = (pairs.lead_squares[place] / blocks / meetings**2 - (2 * share - 1) ** 2) / 4 * blocks / (blocks - 1)
        assert row["wins"] == pytest.approx(share)
        # Three pairs at once; Wilson's interval is Wald's but for terms of the order 1 / blocks.
        if blocks > 100:
            wald = 2.393980 * np.sqrt(variance / blocks)
            assert row["wins_high"] - row["wins_low"] == pytest.approx(2 * wald, rel=0.05)
            assert row["wins_low"] <= row["wins"] <= row["wins_high"]


def test_a_share_of_all_games_is_not_certain() -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=FEW, seats=2)
    meetings = ranking.tournament.meetings
    pairs = dataclasses.replace(
        ranking.counts.pairs, leads=(FEW * meetings,) * 3, lead_squares=(FEW * meetings**2,) * 3
    )
    told = dataclasses.replace(ranking, counts=dataclasses.replace(ranking.counts, pairs=pairs))
    row = row_of(told.matchups, a=FAST[0], b=FAST[1])
    assert (row["wins"], row["wins_high"]) == (1, 1)
    assert row["wins_low"] == pytest.approx((0.05 / 3 / 2) ** (1 / FEW)), (
        "that of Clopper and Pearson for as many blocks"
    )


def test_margins_are_what_the_matchups_are_made_of() -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=FEW, seats=2)
    table, errors = margins(ranking.tournament, ranking.counts, "score")
    for a, b in itertools.combinations(range(3), 2):
        known = compare("criss-cross", FAST[a], FAST[b], variant=RULES, deals=FEW, seats=2).result
        assert (table[a, b], errors[a, b]) == pytest.approx((known.effect, known.standard_error))
    assert (table == -table.T).all()


def test_cyclic_share_takes_the_measured_noise_out() -> None:
    tournament = make_tournament(GAME, GAME.rules(), 4, "round-robin", 2)
    players = [Player(f"{who}", f"{who}") for who in range(4)]
    design = Design(GAME, GAME.rules(), tournament.seated(players), seed=1, deals=25)
    outcomes = design.new_outcomes(25)
    chance = np.random.default_rng(4)
    for array in outcomes:
        array[..., SCORE] = chance.integers(0, 30, array.shape[:-1])
        for game in array.reshape(-1, *array.shape[2:]):
            write_ranks(game)
    counts = count_tournament(design, 0, outcomes, tournament=tournament, measure="score")
    values = np.stack([(array[0, :, 0, SCORE] - array[1, :, 0, SCORE]) for array in outcomes], axis=1).astype(float)
    values += np.stack([(array[1, :, 1, SCORE] - array[0, :, 1, SCORE]) for array in outcomes], axis=1)
    # Literally: the projection onto differences of ratings, and the covariance of the means.
    first, second = np.triu_indices(4, 1)
    incidence = np.eye(4)[first] - np.eye(4)[second]
    keep = np.eye(6) - incidence @ np.linalg.pinv(incidence)
    mean, noise = values.mean(axis=0), np.cov(values.T) / 25
    share = (mean @ keep @ mean - np.trace(keep @ noise @ keep)) / (mean @ mean - np.trace(noise))
    assert cyclic_share(counts) == pytest.approx(share)
    table, errors = margins(tournament, counts, "score")
    raw = hodge_split(table, np.zeros_like(errors))
    assert raw.cyclic_share == pytest.approx(mean @ keep @ mean / (mean @ mean))


# --- Ratings ---------------------------------------------------------------------------------------------------------


def test_two_seats_are_rated_by_bradley_and_terry() -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=FEW, seats=2)
    wins = np.zeros((2, 3, 3))
    for a, b in itertools.combinations(range(3), 2):
        table = simulate("criss-cross", [FAST[a], FAST[b]], variant=RULES, deals=FEW).table
        for (first, second), ranks in (
            ((a, b), table.filter(table["rotation"] == 0)),
            ((b, a), table.filter(table["rotation"] == 1)),
        ):
            ahead = ranks.filter(ranks["seat"] == 0)["rank"].to_numpy()
            behind = ranks.filter(ranks["seat"] == 1)["rank"].to_numpy()
            level = (ahead == behind).sum() / 2
            wins[0, first, second] += (ahead < behind).sum() + level
            wins[1, second, first] += (ahead > behind).sum() + level
    assert ranking.rated is not None
    known = bradley_terry(wins, ranking.rated.ridge)
    assert parameters(ranking.rated.ratings) == pytest.approx([*known.strengths, known.advantage])
    for row in ranking.ratings.iter_rows(named=True):
        assert row["rating"] == pytest.approx(known.strengths[FAST.index(row["strategy"])])
    assert ranking.ratings["rank"].to_list() == [1, 2, 3]


def test_tables_are_rated_by_plackett_and_luce() -> None:
    ranking = rank("circle", [kind(0), kind(1), kind(2)], deals=60, seats=3)
    finishes, _, places = read_orders(ranking.tournament, ranking.counts.orders)
    orders: dict[Any, float] = {}
    for place, number in zip(places, ranking.counts.orders.counts.tolist(), strict=True):
        finish = finishes[place]
        order = tuple(
            tuple(sorted(who for who, at in zip(finish.strategies, finish.ranks, strict=True) if at == here))
            for here in sorted(set(finish.ranks))
        )
        orders[order] = orders.get(order, 0) + number
    assert sum(orders.values()) == 60 * 2 * 3
    assert ranking.rated is not None
    assert ranking.rated.ratings.strengths == pytest.approx(plackett_luce(orders).strengths)


def test_rating_errors_of_tables_do_not_shrink_either() -> None:
    ranking = rank("circle", [kind(0), kind(1), kind(2)], deals=60, seats=3)
    orders = ranking.counts.orders
    one, two = rate(ranking.tournament, orders), rate(ranking.tournament, Orders(orders.keys, 3 * orders.counts))
    assert one is not None
    assert two is not None
    assert one.groups == 60
    assert (np.diag(one.covariance) > 0).all()
    assert two.covariance == pytest.approx(one.covariance)


def test_who_never_loses_gets_a_finite_rating_and_a_note() -> None:
    ranking = rank("criss-cross", ["first-fit", "blunder"], variant=RULES, deals=2, seats=2)
    assert ranking.rated is not None
    assert ranking.rated.ridge > 0
    assert any("never lost" in note for note in ranking.notes)
    assert np.isfinite(ranking.ratings["elo"].to_numpy()).all()


# --- The result ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_workers_and_backend_change_nothing(seats: int) -> None:
    told = [
        json.dumps(
            rank("criss-cross", FAST, variant=RULES, deals=FEW, seats=seats, n_jobs=jobs, backend=backend).to_dict()
        )
        for jobs, backend in ((1, "threads"), (2, "threads"), (2, "loky"))
    ]
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_one_deal_is_json_and_leaves_all_ranks_open(seats: int) -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=1, seats=seats)
    told = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert {(row["rank_low"], row["rank_high"]) for row in told["table"]} == {(1, 3)}
    assert told["table"][0]["low"] is None
    assert told["cycles"] == []
    assert told["cyclic_share"] is None
    assert any("too few" in note for note in told["notes"])
    assert max(len(line) for line in ranking.text().splitlines()) <= 80


@pytest.mark.parametrize(
    "more", [{}, {"seats": 2}, {"seats": 3}, {"seats": 3, "format": "one-against-all"}, {"measure": "win", "seats": 2}]
)
def test_text_is_narrow_and_has_all_strategies(more: dict[str, Any]) -> None:
    long = "restrict(noisy(uniform,0.123),never=corners)"
    ranking = rank("criss-cross", [*FAST, long], variant=RULES, deals=40 if COMPILED else 4, **more)
    text = ranking.text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert all(spec in text for spec in FAST)
    assert "ranks" in text


def test_line_ups_left_out_are_noted() -> None:
    ranking = rank("circle", [kind(number) for number in range(6)], deals=2, seats=3, lineups=12)
    assert "12 of 40 possible line-ups were played on every deal." in ranking.notes


def test_frames(tmp_path: Path) -> None:
    ranking = rank("criss-cross", FAST, variant=RULES, deals=40, store=tmp_path / "games")
    assert ranking.summary().equals(ranking.table)
    assert ranking.to_pandas().shape == ranking.table.shape
    assert ranking.ratings.is_empty()
    assert ranking.matchups["blocks"].unique().to_list() == [40]
    again = rank("criss-cross", FAST, variant=RULES, deals=40, store=tmp_path / "games")
    assert again.games == 0
    assert again.to_dict() == ranking.to_dict()


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        (["uniform"], "a ranking needs two strategies or more, not 1"),
        ("uniform", "strategies='uniform' does not fit"),
        (["uniform", "blunder", "uniform"], "uniform is in the field twice"),
        (["uniform", "blundr"], "did you mean blunder"),
    ],
)
def test_refused_fields(strategies: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rank("criss-cross", strategies, deals=5)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"measure": "points"}, "unknown measure 'points'; there are: score, win"),
        ({"margin": -1}, "margin=-1 does not fit: it takes a number of points, 0 or more"),
        ({"margin": "1", "measure": "win"}, "margin='1' does not fit: it takes a number of wins"),
        ({"confidence": 1}, "confidence 1 is not between 0 and 1"),
        ({"format": "solo", "seats": 2}, "format=solo does not fit seats=2"),
        ({"lineups": 1, "seats": 2, "format": "tables"}, "lineups=1 are too few"),
        ({"deals": 0}, "deals=0 does not fit"),
    ],
)
def test_refusals(more: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rank("criss-cross", FAST, **{"deals": 5, **more})


def test_where_the_score_is_the_win_no_mean_is_told() -> None:
    found = rank("crossways", ["rusher", "idle"], deals=2)
    heading = next(line for line in found.text().splitlines() if line.startswith("rank  strategy")).split()
    assert heading == ["rank", "strategy", "wins", "95", "%", "interval", "ranks", "P(best)"]
    assert "by share of wins" in found.text()
    assert found.table["mean"].to_list() == found.table["win"].to_list() == [1, 0]
