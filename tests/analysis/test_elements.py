"""Elements: sums and intervals against naive ones, planted truths, error rates, recorded games."""

import dataclasses
import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import analysis.element_counts
import sims.game
from analysis.element_counts import BLOCKS, UNEQUAL, sum_wins, win_unit
from analysis.elements import Elements, _gaps, elements, elements_of_records
from analysis.records import record_games
from sims.design import Design
from sims.elements import Board, ElementFacts, Kind, element_rows
from sims.errors import StrategyError, UsageError
from sims.game import SCORE, WIN, WIN_UNIT, Game, find_game, game_names
from sims.jit import COMPILED
from sims.table import Table
from strategies import find_strategy, strategy

GAME = find_game("criss-cross")
SMALL = GAME.variant("basic").replace(size=3)
DEALS = 60 if COMPILED else 31


def one(frame: pl.DataFrame, **keys: Any) -> dict[str, Any]:
    for name, value in keys.items():
        frame = frame.filter(pl.col(name).eq_missing(pl.lit(value)))
    assert len(frame) == 1
    return frame.row(0, named=True)


# --- Means -----------------------------------------------------------------------------------------------------------


def naive_rows(design: Design, lineup: int) -> pl.DataFrame:
    """Every element of every game, one row each, without any sum."""
    facts = design.game.elements
    assert facts is not None
    rows = []
    for rotation, seating in enumerate(design.seatings(lineup)):
        players = [design.lineups[lineup][who] for who in seating]
        outcomes, logs = Table(design.game, design.rules, players).log(design.seed, 0, design.deals)
        for deal in range(design.deals):
            for row in element_rows(facts, design.rules, logs[deal], outcomes[deal]):
                told = dataclasses.asdict(row)
                rows.append({**told, "deal": deal, "rotation": rotation, "player": players[row.seat].spec})
    return pl.DataFrame(rows, infer_schema_length=None)


@pytest.fixture(scope="module")
def found() -> Elements:
    return elements("criss-cross", ["uniform", "greedy"], deals=DEALS, seed=3, seats=2, variant=SMALL, n_jobs=1)


def check_against_naive(found: Elements, spec: str, naive: pl.DataFrame) -> None:
    for seat in [None, 0, 1]:
        own = naive.filter(pl.col("player") == spec)
        own = own if seat is None else own.filter(pl.col("seat") == seat)
        games = own.select("deal", "rotation", "seat").n_unique()
        blocks = own["deal"].n_unique()
        for kind in ("line", "symbol", "cell"):
            for element, rows in own.filter(pl.col("kind") == kind).group_by("element"):
                told = one(found.summary(), strategy=spec, seat=seat, kind=kind, element=element[0])
                by_deal = rows.group_by("deal").agg(pl.col("count").sum(), pl.col("value").sum()).sort("deal")
                x, y = by_deal["count"].to_numpy().astype(float), by_deal["value"].to_numpy()
                each_block = games / blocks
                assert (told["games"], told["blocks"]) == (games, blocks)
                for name, values in (("count", x), ("value", y)):
                    means = values / each_block
                    assert told[name] == pytest.approx(means.mean())
                    if means.std() > 0:
                        low, high = stats.t.interval(0.95, blocks - 1, means.mean(), stats.sem(means))
                        assert (told[f"{name}_low"], told[f"{name}_high"]) == pytest.approx((low, high))
                if x.sum():
                    ratio = y.sum() / x.sum()
                    assert told["each"] == pytest.approx(ratio)
                    if (x > 0).sum() >= 30:
                        error = np.std(y - ratio * x, ddof=1) / x.mean() / math.sqrt(blocks)
                        half = stats.t.ppf(0.975, blocks - 1) * error
                        # The residuals have mean 0, so that both ways of summing their squares agree.
                        assert told["each_high"] - told["each"] == pytest.approx(half, abs=1e-9)


def test_means_and_intervals_are_those_of_naive_rows(found: Elements) -> None:
    for lineup, spec in enumerate(found.strategies):
        check_against_naive(found, spec, naive_rows(found.design, lineup))
    assert found.strategies == ("uniform", "greedy")
    assert (found.deals, found.games, found.seats) == (DEALS, 2 * DEALS, 2)


def test_with_opponents_only_the_own_seats_are_told() -> None:
    found = elements("criss-cross", "greedy", deals=DEALS, seed=3, opponents=["uniform"], variant=SMALL, n_jobs=1)
    assert found.games == 2 * DEALS
    naive = naive_rows(found.design, 0)
    assert set(naive["rotation"]) == {0, 1}
    check_against_naive(found, "greedy", naive)
    assert one(found.summary(), seat=1, kind="line", element="row 1")["games"] == DEALS


def test_values_add_up_to_the_score(found: Elements) -> None:
    totals = found.summary().filter(pl.col("seat").is_null()).group_by("strategy", "kind").agg(pl.col("value").sum())
    for kind in found.kinds:
        if kind.adds_up:
            for lineup, spec in enumerate(found.strategies):
                table = Table(GAME, SMALL, found.design.lineups[lineup])
                score = table.log(3, 0, DEALS)[0][..., SCORE].mean()
                assert one(totals, strategy=spec, kind=kind.name)["value"] == pytest.approx(score)
    assert sum(kind.adds_up for kind in found.kinds) == 4


# --- Who wins --------------------------------------------------------------------------------------------------------


def naive_gap(use: Any, wins: Any) -> tuple[int, list[float], list[float]]:
    """Games of unequal use, and for each of them the mean win of who used it most, and of the others."""
    more, less = [], []
    for used, won in zip(use, wins, strict=True):
        top = [party for party, number in enumerate(used) if number == max(used)]
        rest = [party for party in range(len(used)) if party not in top]
        if rest:
            more.append(float(np.mean([won[party] for party in top])))
            less.append(float(np.mean([won[party] for party in rest])))
    return len(more), more, less


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_gaps_are_those_of_naive_rows(seats: int) -> None:
    found = elements("criss-cross", "uniform", deals=DEALS, seats=seats, variant=SMALL, n_jobs=1)
    naive = naive_rows(found.design, 0)
    outcomes = Table(GAME, SMALL, found.design.lineups[0]).log(1, 0, DEALS)[0]
    wins = outcomes[..., WIN] / WIN_UNIT
    for kind in ("line", "run"):
        rows = found.association().filter(pl.col("kind") == kind)
        tested = int((rows["blocks"] >= 30).sum())
        for told in rows.iter_rows(named=True):
            use = naive.filter(pl.col("kind") == kind, pl.col("element") == told["element"]).sort("deal", "seat")
            games, more, less = naive_gap(use["count"].to_numpy().reshape(DEALS, seats), wins)
            assert told["games"] == told["blocks"] == games
            assert (told["verdict"] == "too thin") == (games < 30)
            if not games:
                assert told["more"] is told["gap"] is None
                continue
            assert told["more"] == pytest.approx(np.mean(more))
            assert told["less"] == pytest.approx(np.mean(less))
            gaps = np.subtract(more, less)
            if games >= 30 and gaps.std() > 0:
                level = 1 - 0.05 / tested
                low, high = stats.t.interval(level, games - 1, gaps.mean(), stats.sem(gaps))
                assert told["gap_low"] == pytest.approx(max(low, -1))
                assert told["gap_high"] == pytest.approx(min(high, 1))
            else:
                assert told["gap_low"] is None or games >= 30


PLANTED_NAMES = ("by winners", "by losers", "by all alike", "by chance", "almost never")


def planted_tally(rules: Any, logs: Any, outcomes: Any) -> Any:
    """Uses that say who has won, and uses that say nothing of it."""
    tallies = np.zeros((*outcomes.shape[:2], len(PLANTED_NAMES), 2), np.int64)
    wins = outcomes[..., WIN]
    noise = np.arange(len(outcomes)) + logs.rolls[:, 0, 0]
    tallies[..., 0, 0] = wins
    tallies[..., 1, 0] = 3 - np.sign(wins)
    tallies[..., 2, 0] = 7
    tallies[..., 3, 0] = (np.arange(outcomes.shape[1]) + noise[:, None]) % 2
    tallies[0, 0, 4, 0] = 1
    return tallies


PLANTED = dataclasses.replace(
    GAME,
    name="planted",
    elements=ElementFacts(
        lambda rules, seats: (
            Kind("use", "Uses", "What is used.", PLANTED_NAMES, count="uses", count_unit="uses"),
            Kind("place", "Places", "Where.", (), count="uses", count_unit="uses", board=Board((), ())),
        ),
        planted_tally,
    ),
)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setitem(sims.game._games, PLANTED.name, PLANTED)
    return PLANTED


def test_planted_uses_are_told(planted: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis.element_counts, "BATCH", 1_000)
    uniform = dataclasses.replace(find_strategy("criss-cross", "uniform"), game="planted", finder=None)
    found = elements(planted, uniform, deals=40, variant=SMALL, kinds=["use"], n_jobs=1)
    verdicts = dict(found.association().select("element", "verdict").iter_rows())
    assert verdicts == {
        "by winners": "more wins",
        "by losers": "fewer wins",
        "by all alike": "too thin",
        "by chance": "undecided",
        "almost never": "too thin",
    }
    winners = one(found.association(), element="by winners")
    assert (winners["more"], winners["less"], winners["gap"], winners["gap_high"]) == (1, 0, 1, 1)
    # All say the same: the least share of successes that leaves so many in a row possible.
    chance = 0.05 / 3 / 2
    assert winners["gap_low"] == pytest.approx(2 * chance ** (1 / winners["blocks"]) - 1)
    assert one(found.association(), element="by losers")["gap_high"] == pytest.approx(-winners["gap_low"])
    assert one(found.summary(), element="by all alike", seat=None)["count_low"] == 7
    assert "thin" in found.text()


def test_sides_are_counted_once() -> None:
    """Partners have the lines of their team in common, and what they draw is added up."""
    rules = find_game("crosswise").rules()
    outcomes = np.zeros((1, 4, 3), np.int16)
    outcomes[0, [0, 2], WIN] = WIN_UNIT
    tallies = np.zeros((1, 4, 2, 2), np.int64)
    tallies[0, :, 0, 0] = [2, 1, 2, 1]  # of the sides
    tallies[0, :, 1, 0] = [0, 2, 3, 2]  # of the seats: 3 against 4
    parties = find_game("crosswise").party_of(rules, 4)
    sums = sum_wins([tallies], [outcomes], parties, np.array([True, False]))
    assert sums[:, UNEQUAL].tolist() == sums[:, BLOCKS].tolist() == [1, 1]
    told = _gaps(sums, win_unit(2), 0.95)
    assert told["gap"].tolist() == [1, -1]


def test_intervals_of_gaps_hold_for_all_elements_at_once() -> None:
    """300 runs in which use says nothing of who wins: some element of twenty seems to in about one of twenty."""
    rng = np.random.default_rng(5)
    runs, blocks, elements_ = 300, 80, 20
    wrong = missed = 0
    for _ in range(runs):
        outcomes = np.zeros((blocks, 2, 3), np.int16)
        first = rng.integers(0, 2, blocks)
        outcomes[:, 0, WIN], outcomes[:, 1, WIN] = WIN_UNIT * first, WIN_UNIT * (1 - first)
        tallies = np.zeros((blocks, 2, elements_ + 1, 2), np.int64)
        tallies[..., 0] = rng.integers(0, 3, (blocks, 2, elements_ + 1))
        # One element is used more by the winner in four games of five: a gap of 0.6.
        honest = rng.random(blocks) < 0.8
        tallies[:, 0, elements_, 0] = np.where(honest, first, 1 - first)
        tallies[:, 1, elements_, 0] = 1 - tallies[:, 0, elements_, 0]
        sums = sum_wins([tallies], [outcomes], (0, 1), np.zeros(elements_ + 1, bool))
        told = _gaps(sums, win_unit(2), 0.95)
        wrong += any(verdict != "undecided" for verdict in told["verdict"][:elements_])
        missed += not told["gap_low"][elements_] <= 0.6 <= told["gap_high"][elements_]
        assert told["verdict"][elements_] == "more wins"
    assert wrong / runs < 0.09
    assert missed / runs < 0.04


def test_blocks_of_several_games_are_the_unit() -> None:
    """Four rotations of each deal that say the same are no more evidence than one."""
    rng = np.random.default_rng(6)
    outcomes = np.zeros((100, 2, 3), np.int16)
    outcomes[np.arange(100), rng.integers(0, 2, 100), WIN] = WIN_UNIT
    tallies = np.zeros((100, 2, 1, 2), np.int64)
    tallies[:, :, 0, 0] = rng.integers(0, 2, (100, 2))
    once = _gaps(sum_wins([tallies], [outcomes], (0, 1), np.zeros(1, bool)), win_unit(2), 0.95)
    often = _gaps(sum_wins([tallies] * 4, [outcomes] * 4, (0, 1), np.zeros(1, bool)), win_unit(2), 0.95)
    assert often["games"][0] == 4 * once["games"][0]
    assert often["blocks"][0] == once["blocks"][0]
    assert once["gap_low"][0] < once["gap"][0]
    assert often["gap_low"][0] == pytest.approx(once["gap_low"][0])


def test_who_is_alone_beats_nobody() -> None:
    found = elements("cross-off", "uniform", deals=2, seats=1, n_jobs=1)
    assert found.association().is_empty()
    assert found.association().columns == elements("cross-off", "uniform", deals=2, n_jobs=1).association().columns
    assert "most win" not in found.text()
    assert len(found.table()) == len(found.summary())
    with pytest.raises(UsageError, match="there is no strategy None here: there are none"):
        found.board("number", "gap")


# --- How it is played ------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not COMPILED, reason="the same code either way, and many games")
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_workers_and_batches_do_not_matter(n_jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    common: dict[str, Any] = {"deals": 300, "seed": 9, "opponents": ["uniform"], "variant": SMALL}
    known = elements("criss-cross", ["greedy", "first-fit"], n_jobs=1, **common)
    monkeypatch.setattr(analysis.element_counts, "BATCH", 37)
    again = elements("criss-cross", ["greedy", "first-fit"], n_jobs=n_jobs, **common)
    assert again.table().equals(known.table())
    assert again.association().equals(known.association())
    assert json.dumps({**known.to_dict(), "seconds": 0}) == json.dumps({**again.to_dict(), "seconds": 0})


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the same code either way")
def test_processes_give_the_same() -> None:
    threads, processes = (
        elements("cross-off", "uniform", deals=50, n_jobs=2, backend=backend) for backend in ("threads", "loky")
    )
    assert threads.table().equals(processes.table())


def test_a_failing_strategy_is_told_with_its_replay() -> None:
    @strategy("cross-off")
    def stubborn(view: Any, rng: Any, params: Any) -> int:
        """Mark the first number of red whatever the dice."""
        return 1

    with pytest.raises(StrategyError, match="stubborn made an illegal move") as caught:
        elements("cross-off", stubborn, deals=3, n_jobs=1)
    assert "crosslab replay cross-off" in str(caught.value.replay)


# --- What is told ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", game_names())
def test_every_game_is_told(name: str) -> None:
    game = find_game(name)
    rules = game.rules().replace(turn_limit=20) if name == "crossways" else game.rules()
    spec = {"crossways": "rusher"}.get(name, "uniform")
    found = elements(name, spec, deals=3, variant=rules, n_jobs=1)
    text = found.text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert all(f"{kind.title} ({spec})" in text for kind in found.kinds)
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(found.to_pandas()) == len(found.summary())
    assert found.summary()["seat"].unique(maintain_order=True).to_list() == [None, 0, 1]
    for kind in found.kinds:
        if kind.board is None:
            with pytest.raises(UsageError, match="lie on no board"):
                found.board(kind.name)
            continue
        for measure in (*kind.shown, "gap"):
            frame = found.board(kind.name, measure)
            name_column = ["name"] if kind.labels else []
            assert frame.columns == ["row", "column", "value", "half_width", *name_column, "element"]
            assert len(frame) == len(kind.names)
            assert frame["row"].max() == kind.board.shape[0] - 1
            assert found.board_label(kind.name, measure)


def test_a_board_is_the_summary_cell_by_cell(found: Elements) -> None:
    board = found.board("cell", "value", strategy="greedy", seat=1)
    told = one(found.summary(), strategy="greedy", seat=1, kind="cell", row=2, column=1)
    cell = one(board, row=2, column=1)
    assert cell["value"] == told["value"]
    assert cell["half_width"] == pytest.approx(told["value_high"] - told["value"])
    gaps = found.board("cell", "gap", strategy="uniform")
    pairs = found.association().filter(pl.col("strategy") == "uniform", pl.col("kind") == "cell")
    for gap, pair in zip(gaps.iter_rows(named=True), pairs.iter_rows(named=True), strict=True):
        assert gap["element"] == pair["element"]
        assert gap["value"] == (None if pair["verdict"] == "too thin" else pair["gap"])


def test_labels_stand_in_cells() -> None:
    rules = find_game("crossways").rules().replace(turn_limit=8)
    found = elements("crossways", "rusher", deals=1, variant=rules, kinds=["square"], n_jobs=1)
    assert [kind.name for kind in found.kinds] == ["square"]
    assert one(found.board("square"), row=0, column=0)["name"] == "BJ"
    assert one(found.summary(), row=0, column=2, seat=None)["element"] == "row 1, column 3 (W)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strategies": []}, "give one strategy or more"),
        ({"strategies": ["greedy", "greedy"]}, "greedy is given twice"),
        ({"strategies": "greedy", "kinds": ["lines"]}, "no elements of the kind 'lines'; did you mean line"),
        ({"strategies": "greedy", "kinds": "line"}, "kinds='line' does not fit"),
        ({"strategies": "greedy", "seats": 3, "opponents": ["uniform"]}, "make 2 seats, not 3"),
        ({"strategies": "greedy", "seats": 9}, "seats=9 does not fit"),
        ({"strategies": "greedy", "deals": 0}, "deals=0 does not fit"),
        ({"strategies": "greedy", "deals": 10**8}, "deals=100000000 does not fit"),
        ({"strategies": "greedy", "confidence": 1.0}, "confidence"),
        ({"strategies": "greedy", "backend": "dusk"}, "unknown backend 'dusk'"),
        ({"strategies": "greedy", "n_jobs": 0}, "jobs=0 does not fit"),
    ],
)
def test_what_does_not_fit_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        elements("criss-cross", **{"deals": 1, **arguments})


def test_a_game_without_elements_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = dataclasses.replace(GAME, name="bare", elements=None)
    monkeypatch.setitem(sims.game._games, "bare", bare)
    uniform = dataclasses.replace(find_strategy("criss-cross", "uniform"), game="bare", finder=None)
    with pytest.raises(UsageError, match="bare does not say what its elements are"):
        elements(bare, uniform, deals=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("line",), "lie on no board"),
        (("cells",), "did you mean cell"),
        (("cell", "points"), "no measure 'points': it has count, value, each, gap"),
        (("cell", "count"), "there is no strategy None here: there are uniform, greedy"),
    ],
)
def test_boards_that_there_are_not(found: Elements, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        found.board(*arguments)


def test_seats_of_boards(found: Elements) -> None:
    with pytest.raises(UsageError, match="greedy has no seat 5"):
        found.board("cell", strategy="greedy", seat=5)
    with pytest.raises(UsageError, match="leave out the seat"):
        found.board("cell", "gap", strategy="greedy", seat=0)


def test_the_table_has_both(found: Elements) -> None:
    table = found.table()
    assert len(table) == len(found.summary())
    told = one(table, strategy="greedy", seat=None, kind="line", element="row 2")
    pair = one(found.association(), strategy="greedy", kind="line", element="row 2")
    assert (told["gap"], told["verdict"], told["unequal_games"]) == (pair["gap"], pair["verdict"], pair["games"])
    assert one(table, strategy="greedy", seat=0, kind="line", element="row 2")["verdict"] is None


# --- Recorded games --------------------------------------------------------------------------------------------------


def recorded(specs: list[str], *, deals: int = 8, rotate: bool = True, seed: int = 4) -> pl.DataFrame:
    players = tuple(find_strategy("criss-cross", spec).player() for spec in specs)
    return record_games(Design(GAME, SMALL, (players,), seed=seed, deals=deals, rotate=rotate), deals)


def test_records_tell_what_playing_tells() -> None:
    found = elements_of_records(recorded(["greedy", "uniform"]))
    played = elements("criss-cross", "greedy", deals=8, seed=4, opponents=["uniform"], variant=SMALL, n_jobs=1)
    greedy = found.summary().filter(pl.col("strategy") == "greedy")
    assert greedy.equals(played.summary())
    assert found.strategies == ("greedy", "uniform")
    assert set(found.association()["strategy"]) == {"greedy, uniform"}
    assert found.association().drop("strategy").equals(played.association().drop("strategy"))
    told = found.table().filter(pl.col("seat").is_null())
    assert told["verdict"].null_count() == 0
    assert (found.deals, found.games) == (8, 16)
    assert "Lines (uniform)" in found.text()


def test_records_of_equal_players_and_of_pandas() -> None:
    frame = recorded(["uniform", "uniform"], rotate=False)
    found = elements_of_records(frame, kinds=["line"])
    played = elements("criss-cross", "uniform", deals=8, seed=4, variant=SMALL, kinds=["line"], n_jobs=1)
    assert found.summary().equals(played.summary())
    assert elements_of_records(frame.to_pandas(), kinds=["line"]).summary().equals(found.summary())


def test_records_of_some_deals() -> None:
    frame = recorded(["greedy", "uniform"])
    some = frame.filter(pl.col("deal").is_in([1, 2, 5]))
    found = elements_of_records(some.sample(fraction=1, shuffle=True, seed=1), kinds=["line"])
    assert (found.deals, found.games) == (3, 6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.clear(), "no rows"),
        (lambda frame: pl.concat([frame, recorded(["greedy", "uniform"], seed=5)]), "differ in seed"),
        (lambda frame: frame.filter(pl.col("rotation") == 1), "some rotations of the line-up only"),
        (lambda frame: pl.concat([frame, recorded(["greedy", "first-fit"])]), "several line-ups"),
        (lambda frame: frame.slice(1), "whole deals"),
        (lambda frame: frame.with_columns(rules_version=pl.lit("0")), "rules version 0, and criss-cross is at"),
        (lambda frame: frame.with_columns(outcome=pl.lit("[]")), "deal 0 does not end as recorded"),
        (lambda frame: frame.drop("seats"), "no column 'seats'"),
    ],
)
def test_records_that_do_not_fit(change: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        elements_of_records(change(recorded(["greedy", "uniform"], deals=2)))
