"""Simulate: the counts, the rows and the store say the same."""

import json
from pathlib import Path

import numpy as np
import pytest

from analysis import simulation
from analysis.simulation import simulate
from sims.design import CHUNK
from sims.errors import StoreError, UsageError
from sims.game import find_game
from sims.jit import COMPILED

GAME = find_game("criss-cross")
DEALS = 2 * CHUNK + 500 if COMPILED else 24
LINEUP = ["uniform", "blunder"]


@pytest.fixture(scope="module")
def results() -> simulation.Results:
    return simulate("criss-cross", LINEUP, deals=DEALS, seed=3, n_jobs=2)


def test_table_has_a_row_for_every_deal_rotation_and_seat(results: simulation.Results) -> None:
    table = results.table
    assert len(table) == DEALS * 2 * 2
    assert table.select("rotation", "deal", "seat").n_unique() == len(table)
    assert table["deal"].max() == DEALS - 1
    assert results.to_pandas().shape == table.shape


def test_counts_agree_with_the_rows(results: simulation.Results) -> None:
    table = results.table
    for row in results.summary().iter_rows(named=True):
        own = table.filter(table["strategy"] == row["strategy"])
        assert row["games"] == len(own)
        assert row["mean"] == pytest.approx(own["score"].mean())
        assert row["sd"] == pytest.approx(own["score"].std())
        assert row["win"] == pytest.approx(own["win"].mean())
        assert row["filled"] == pytest.approx(own["filled"].mean())
        assert row["q05"] == np.quantile(own["score"].to_numpy(), 0.05, method="inverted_cdf")
        for seat in (0, 1):
            at = own.filter(own["seat"] == seat)["score"]
            assert results.histogram(row["strategy"], seat=seat).total == len(at)
            assert results.histogram(row["strategy"], seat=seat).mean == pytest.approx(at.mean())


def test_interval_is_over_blocks(results: simulation.Results) -> None:
    table = results.table
    own = (
        table.filter(table["strategy"] == "uniform").select("deal", "score").group_by("deal").mean()["score"].to_numpy()
    )
    row = results.summary().row(0, named=True)
    half = (row["high"] - row["low"]) / 2
    assert half == pytest.approx(1.96 * own.std(ddof=1) / np.sqrt(len(own)), rel=0.1 if not COMPILED else 0.001)


def test_wins_of_a_table_add_up_to_one(results: simulation.Results) -> None:
    assert results.summary()["win"].sum() == pytest.approx(1)


def test_results_add_up(results: simulation.Results) -> None:
    cut = CHUNK if COMPILED else 10
    first = simulate("criss-cross", LINEUP, deals=cut, seed=3)
    second = simulate("criss-cross", LINEUP, deals=DEALS - cut, first_deal=cut, seed=3)
    both = second + first
    assert both.design == results.design
    assert both.counts.scores.tolist() == results.counts.scores.tolist()
    assert both.counts.blocks == results.counts.blocks
    columns = ["rotation", "deal", "seat"]
    assert both.table.sort(columns).equals(results.table.sort(columns))


def test_results_that_do_not_belong_together_are_refused() -> None:
    first = simulate("criss-cross", "uniform", deals=5)
    with pytest.raises(UsageError, match="do not adjoin"):
        first + first
    with pytest.raises(UsageError, match="different designs"):
        first + simulate("criss-cross", "uniform", deals=5, first_deal=5, seed=2)


def test_adding_a_strategy_changes_nobody_elses_games() -> None:
    alone = simulate("criss-cross", "uniform", deals=50, seed=4).table["score"]
    table = simulate("criss-cross", ["uniform", "blunder", "blunder"], deals=50, seed=4, rotate=False).table
    assert table.filter(table["seat"] == 0)["score"].to_list() == alone.to_list()


def test_rows_are_kept_up_to_the_limit_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MOST_ROWS", 19)
    assert len(simulate("criss-cross", "uniform", deals=19).table) == 19
    counted = simulate("criss-cross", "uniform", deals=20)
    with pytest.raises(UsageError, match="kept counts, not its games"):
        counted.table  # noqa: B018
    assert counted.summary()["games"].to_list() == [20]


def test_one_game_has_no_interval() -> None:
    row = simulate("criss-cross", "uniform", deals=1).summary().row(0, named=True)
    assert np.isnan(row["low"])
    assert row["q05"] == row["median"] == row["q95"] == row["mean"]


def test_histogram_of_a_stranger_is_refused(results: simulation.Results) -> None:
    with pytest.raises(UsageError, match="'greedy' is not in the line-up: uniform, blunder"):
        results.histogram("greedy")
    with pytest.raises(UsageError, match="seat=2 does not fit"):
        results.histogram("uniform", seat=2)


def test_to_dict_is_json_with_times_last(results: simulation.Results) -> None:
    told = json.loads(json.dumps(results.to_dict()))
    assert list(told) == ["design", "strategies", "seconds", "games_per_second"]
    first = told["strategies"][0]
    assert set(first) >= {"strategy", "games", "mean", "sd", "median", "q05", "q95", "win", "histogram"}
    assert sum(first["histogram"].values()) == first["games"]
    assert told["design"]["rules"] == GAME.variant().to_dict()


# --- With a store ----------------------------------------------------------------------------------------------------


def test_store_gives_the_same_results(results: simulation.Results, tmp_path: Path) -> None:
    stored = simulate("criss-cross", LINEUP, deals=DEALS, seed=3, store=tmp_path / "store")
    assert stored.counts.scores.tolist() == results.counts.scores.tolist()
    assert stored.table.equals(results.table)
    again = simulate("criss-cross", LINEUP, deals=DEALS, seed=3, store=tmp_path / "store")
    assert again.games == 0
    assert again.summary().equals(results.summary())


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_store_has_the_same_bytes_for_any_workers_and_after_damage(tmp_path: Path) -> None:
    def fill(name: str, **more: object) -> dict[str, bytes]:
        simulate("criss-cross", LINEUP, deals=DEALS, seed=3, store=tmp_path / name, **more)  # type: ignore[arg-type]
        return bytes_of(tmp_path / name)

    whole = fill("a", n_jobs=1)
    assert fill("b", n_jobs=2) == whole
    assert fill("c", n_jobs=2, backend="loky") == whole
    chunks = sorted((tmp_path / "a").glob("*.parquet"))
    chunks[0].write_bytes(chunks[0].read_bytes()[:-7])
    if len(chunks) > 1:
        content = bytearray(chunks[1].read_bytes())
        content[len(content) // 2] ^= 1
        chunks[1].write_bytes(bytes(content))
    assert fill("a") == whole


def test_store_of_another_design_is_refused(tmp_path: Path) -> None:
    simulate("criss-cross", "uniform", deals=5, store=tmp_path / "store")
    with pytest.raises(StoreError, match="seed") as caught:
        simulate("criss-cross", "uniform", deals=5, seed=2, store=tmp_path / "store")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("variant", "seats"), [("basic", 2), ("teams", 4)])
def test_games_that_nobody_won_are_counted(variant: str, seats: int) -> None:
    """Who passes from the first turn on ends the game undecided; a team that wins has as many winners as seats."""
    for lineup, unwon in ((["idle"] * seats, 1.0), (["rusher", "idle"] * (seats // 2), 0.0)):
        found = simulate("crossways", lineup, deals=3, variant=variant)
        assert found.unwon == unwon
        assert found.unwon == found.table["undecided"].mean()


def test_shared_wins_are_no_games_without_a_winner() -> None:
    found = simulate("criss-cross", ["uniform"] * 3, deals=40)
    assert (found.table["win"] < 1).any()
    assert found.unwon == 0
