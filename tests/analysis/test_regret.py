import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

from analysis import regret
from analysis.intervals import student_interval
from analysis.regret import Regret, Solved, solve
from crosslab.cli import main
from sims.cross_off import CROSS_OFF, CrossOffRules
from sims.errors import StoreError, StrategyError, UsageError
from sims.game import SCORE
from sims.jit import COMPILED
from sims.table import Table
from strategies import builtin_strategies, cross_off_exact, cross_off_optimal, find_strategy
from strategies.solving import find_solver

BASIC = CrossOffRules()
TRIO = ["uniform", "expectation", "penalty-averse"]
DEALS = 300 if COMPILED else 12

compiled_only = pytest.mark.skipif(not COMPILED, reason="a full table takes hours in plain Python")


def made_up_losses(rules: Any, logs: Any) -> NDArray[np.float64]:
    """Losses that can be counted by hand: half a point for each pass of the sum step, two for one of the pair step."""
    losses = np.zeros((len(logs), 2, 3))
    for lost, log in zip(losses, logs, strict=True):
        turns = int(log.turns)
        for step, (moves, price) in enumerate(((log.sums[:turns, 0], 0.5), (log.pairs[:turns], 2.0))):
            passes = int((moves == 0).sum())
            lost[step] = price * passes, turns, passes
    return losses


MADE_UP = dataclasses.replace(
    cross_off_optimal.SOLVER,
    values=lambda rules: np.zeros(1_234),
    expected=lambda rules: 99.5,
    digest=lambda rules: "0" * 32,
    save=lambda path, rules: None,
    losses=made_up_losses,
)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Cross Off have a solution that takes no time: what is done with it is the same for any."""

    def refused(model: Any, **options: Any) -> Any:
        raise AssertionError("nothing here needs the solution")

    monkeypatch.setattr(cross_off_optimal, "SOLVER", MADE_UP)
    monkeypatch.setattr(cross_off_exact, "solve", refused)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regret, "BATCH", 7)


def played(strategies: Any = None, **more: Any) -> Solved:
    return solve("cross-off", TRIO if strategies is None else strategies, **{"deals": DEALS, "progress": False, **more})


# --- Numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("made_up", "small_batches")
@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_numbers_are_those_of_the_games(n_jobs: int) -> None:
    deals = 50 if COMPILED else 16
    found = played(deals=deals, seed=3, n_jobs=n_jobs, confidence=0.9)
    assert [row.strategy for row in found.regrets] == sorted(
        TRIO, key=lambda spec: next(row.regret for row in found.regrets if row.strategy == spec)
    )
    for row in found.regrets:
        player = find_strategy("cross-off", row.strategy).player()
        outcomes, logs = Table(CROSS_OFF, BASIC, [player]).log(3, 0, deals)
        losses = made_up_losses(BASIC, logs)
        points, lost = outcomes[:, 0, SCORE].astype(float), losses[..., 0].sum(axis=1)
        assert row.mean == pytest.approx(points.mean())
        assert row.regret == pytest.approx(lost.mean())
        assert row.by_decision == pytest.approx(tuple(losses[..., 0].mean(axis=0)))
        assert sum(row.by_decision) == pytest.approx(row.regret)
        assert row.decisions == pytest.approx(losses[..., 1].sum() / deals)
        assert row.not_best == pytest.approx(losses[..., 2].sum() / losses[..., 1].sum())
        assert row.per_decision == pytest.approx(lost.sum() / losses[..., 1].sum())
        for interval, values in ((row.mean_interval, points), (row.regret_interval, lost)):
            known = student_interval(values.mean(), values.std(ddof=1) / deals**0.5, deals, 0.9)
            assert interval == pytest.approx(known)


@pytest.mark.usefixtures("made_up", "small_batches")
def test_the_number_of_workers_does_not_show() -> None:
    known = [played(n_jobs=n_jobs).to_dict() for n_jobs in (1, 2, -1, 5)]
    for told in known:
        for name in ("seconds", "solving_seconds"):
            assert told.pop(name) >= 0
    assert known[0] == known[1] == known[2] == known[3]


@pytest.mark.usefixtures("made_up")
def test_batches_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    known = played(["expectation"], n_jobs=1).regrets
    for size in (1, DEALS - 1, DEALS, 10 * DEALS):
        monkeypatch.setattr(regret, "BATCH", size)
        assert played(["expectation"], n_jobs=2).regrets == known


@pytest.mark.usefixtures("made_up")
def test_a_player_does_not_change_the_games_of_others() -> None:
    [alone] = played(["expectation"]).regrets
    assert alone in played().regrets
    assert played(["expectation"], seed=2).regrets != (alone,)


def test_without_decisions_nothing_was_lost_by_one() -> None:
    nothing = Regret("idle", 0.0, (0.0, 0.0), 0.0, (0.0, 0.0), (0.0,), 0.0, 0.0)  # type: ignore[arg-type]
    assert nothing.per_decision == 0.0


@pytest.mark.usefixtures("made_up")
def test_what_was_played_is_told() -> None:
    rules = BASIC.replace(penalties_to_end=3)
    found = played(seed=9, confidence=0.8, variant=rules)
    assert (found.game, found.rules, found.deals, found.seed, found.confidence) == (CROSS_OFF, rules, DEALS, 9, 0.8)
    assert (found.expected, found.digest, found.states, found.kinds) == (99.5, "0" * 32, 1_234, ("sum", "pair"))
    assert found.games == 3 * DEALS
    assert found.seconds > 0
    assert found.solving_seconds >= 0


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize("variant", ["finish-turn", CrossOffRules(finish_turn=True)])
def test_variants(variant: Any) -> None:
    assert played(["uniform"], variant=variant).rules == CrossOffRules(finish_turn=True)


@pytest.mark.usefixtures("made_up")
def test_strategies_may_be_specs_or_strategies() -> None:
    specs = ["noisy(expectation,0.1)", "restrict(rusher,never=closes)", "expectation:skip=2"]
    found = played([*specs, find_strategy("cross-off", "uniform")])
    assert {row.strategy for row in found.regrets} == {*specs, "uniform"}


@pytest.mark.usefixtures("made_up")
def test_an_empty_list_plays_nothing() -> None:
    found = played([])
    assert found.regrets == ()
    assert found.games == 0
    assert found.text().count("\n") == 1
    assert "99.5" in found.text()
    assert found.to_dict()["strategies"] == []
    assert found.summary().is_empty()
    assert found.summary().columns == played(["uniform"]).summary().columns


# --- Forms -----------------------------------------------------------------------------------------------------------

COLUMNS = ["strategy", "games", "mean", "mean_low", "mean_high", "regret", "regret_low", "regret_high"]
COLUMNS += ["regret_sum", "regret_pair", "decisions", "regret_per_decision", "not_best"]


@pytest.mark.usefixtures("made_up")
def test_frames() -> None:
    found = played()
    frame, pandas = found.summary(), found.to_pandas()
    assert isinstance(frame, pl.DataFrame)
    assert isinstance(pandas, pd.DataFrame)
    assert frame.columns == list(pandas.columns) == COLUMNS
    assert frame.to_dicts() == pandas.to_dict("records")
    assert frame["games"].to_list() == [DEALS] * 3
    for row, told in zip(found.regrets, frame.iter_rows(named=True), strict=True):
        assert (told["strategy"], told["mean"], told["regret"]) == (row.strategy, row.mean, row.regret)
        assert (told["mean_low"], told["mean_high"]) == row.mean_interval
        assert (told["regret_low"], told["regret_high"]) == row.regret_interval
        assert (told["regret_sum"], told["regret_pair"]) == row.by_decision
        assert told["regret_per_decision"] == row.per_decision


@pytest.mark.usefixtures("made_up")
def test_to_dict_is_json() -> None:
    found = played(seed=4)
    told = found.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert list(told) == [
        *("game", "rules_version", "variant", "expected", "states", "digest", "deals", "seed", "confidence"),
        *("strategies", "games", "seconds", "solving_seconds"),
    ]
    assert told["variant"] == BASIC.to_dict()
    assert (told["game"], told["deals"], told["seed"], told["games"]) == ("cross-off", DEALS, 4, 3 * DEALS)
    assert told["strategies"] == found.summary().to_dicts()
    assert list(told["strategies"][0]) == COLUMNS


@pytest.mark.usefixtures("made_up")
def test_text() -> None:
    found = played()
    lines = found.text().splitlines()
    assert lines[0] == "Cross Off alone, played perfectly: 99.500000 points a game."
    assert lines[1] == f"Exact: 1,234 values solved; digest {'0' * 32}."
    head = lines.index(next(line for line in lines if line.startswith("strategy")))
    assert " ".join(lines[head].split()) == "strategy mean regret ± 95% in sum in pair not best"
    for row, line in zip(found.regrets, lines[head + 1 :], strict=False):
        low, high = row.regret_interval
        cells = [row.strategy, f"{row.mean:.2f}", f"{row.regret:.2f}", f"{(high - low) / 2:.2f}"]
        assert line.split() == [*cells, *(f"{lost:.2f}" for lost in row.by_decision), f"{row.not_best:.1%}"]
    assert f"over {DEALS:,} deals of seed" in found.text()


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(
    "spec", ["noisy(restrict(expectation:future=12.5,skip=0.25,strike=7,never=rolls-of-others),0.125)", "uniform"]
)
def test_text_is_at_most_80_columns_wide(spec: str) -> None:
    text = played([spec, "blunder"]).text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert spec[:8] in text


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(("confidence", "named"), [(0.9, "± 90%"), (0.999, "± 99.9%")])
def test_text_names_the_confidence(confidence: float, named: str) -> None:
    assert named in played(["uniform"], confidence=confidence).text()


# --- What does not fit -----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("made_up")
@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("cross-off", {"deals": 1}, "deals=1 does not fit: it takes a whole number from 2 to "),
        ("cross-off", {"deals": 10.0}, "deals=10.0 does not fit"),
        ("cross-off", {"seed": -1}, "seed=-1 does not fit"),
        ("cross-off", {"confidence": 1.0}, "confidence 1.0 is not between 0 and 1"),
        ("cross-off", {"n_jobs": 0}, "jobs=0 does not fit"),
        ("cross-off", {"variant": "advanced"}, "cross-off has no variant 'advanced'"),
        ("cross-off", {"strategies": ["plannr"]}, "cross-off has no strategy 'plannr'; did you mean planner?"),
        ("cross-off", {"strategies": "planner"}, "strategies='planner' does not fit: it takes a list"),
        ("cross-off", {"strategies": [7]}, "7 is no strategy"),
        ("cross-off", {"strategies": ["none.py:mine"]}, "there is no file none.py"),
        ("criss-cross", {}, "criss-cross has not been solved; solved games: cross-off"),
        ("chess", {}, "unknown game 'chess'"),
    ],
)
def test_what_does_not_fit_is_one_line(
    game: str, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def solved(rules: Any) -> Any:
        raise AssertionError("it was solved before the arguments were looked at")

    monkeypatch.setattr(cross_off_optimal, "SOLVER", dataclasses.replace(MADE_UP, values=solved))
    with pytest.raises(UsageError) as caught:
        solve(game, **{"strategies": ["uniform"], "progress": False, **options})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("made_up")
def test_a_strategy_alone_is_no_list() -> None:
    with pytest.raises(UsageError, match="it takes a list"):
        solve("cross-off", find_strategy("cross-off", "uniform"))  # type: ignore[arg-type]


@pytest.mark.usefixtures("made_up")
def test_a_strategy_of_another_game_is_refused() -> None:
    with pytest.raises(UsageError, match="greedy plays criss-cross, not cross-off"):
        played([find_strategy("criss-cross", "greedy")])


# --- Strategies of a user --------------------------------------------------------------------------------------------

OWN = """
from sims.bits import Word
from sims.cross_off import skips
from strategies import heuristic, strategy


@heuristic("cross-off")
def tidy(view, move, params):
    "Pass over as little as possible."
    return -4.0 if move == 0 else -1.0 * skips(view.open, move)


@strategy("cross-off")
def stray(view, rng, params):
    "Play a move that there is not, in the third turn."
    return Word(63) if view.turn >= 3 else Word(0)
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


@pytest.mark.usefixtures("made_up")
def test_a_strategy_from_a_file(own: Path) -> None:
    found = played([f"{own}:tidy", "uniform"])
    row = next(row for row in found.regrets if row.strategy == f"{own}:tidy")
    assert row.mean > next(other.mean for other in found.regrets if other.strategy == "uniform")


@pytest.mark.usefixtures("made_up", "small_batches")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("rules", [BASIC, CrossOffRules(marks_to_close=3, finish_turn=True)], ids=["basic", "house"])
def test_a_failure_can_be_replayed(
    rules: CrossOffRules, n_jobs: int, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StrategyError, match="made an illegal move") as caught:
        played(["uniform", f"{own}:stray"], seed=6, n_jobs=n_jobs, variant=rules)
    assert "turn 3" in caught.value.position
    command, *words = shlex.split(caught.value.replay)
    assert command == "crosslab"
    assert words[:3] == ["replay", "cross-off", f"{own}:stray"]
    assert main(words) == 2
    # The same deal under the same rules fails in the same way.
    told = capsys.readouterr().err
    assert f"crosslab: error: {caught.value}\n" in told
    assert all(line in told for line in caught.value.position.splitlines())
    assert words[3:7] == ["--seed", "6", "--deal", str(caught.value.deal)]
    given = [word for word in words[7:] if word != "--set"]
    assert rules == BASIC.replace_text(given)


@pytest.mark.usefixtures("made_up")
def test_save_hands_path_and_rules_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    saved: list[tuple[Any, Any]] = []
    solver = dataclasses.replace(MADE_UP, save=lambda path, rules: saved.append((path, rules)))
    monkeypatch.setattr(cross_off_optimal, "SOLVER", solver)
    rules = BASIC.replace(tracks_to_end=3)
    played([], variant=rules).save(tmp_path / "table")
    assert saved == [(tmp_path / "table", rules)]


# --- With the solution -----------------------------------------------------------------------------------------------


@compiled_only
def test_all_built_in_players_by_default() -> None:
    found = solve("cross-off", deals=200, progress=False)
    assert {row.strategy for row in found.regrets} == {player.name for player in builtin_strategies("cross-off")}
    assert found.expected == pytest.approx(115.48312602, abs=1e-8)
    assert found.states == 1_367_031 * 4
    assert found.digest == find_solver("cross-off").digest(BASIC)
    best, *others = found.regrets
    assert best.strategy == "optimal"
    assert (best.regret, best.not_best, best.regret_interval) == (0.0, 0.0, (0.0, 0.0))
    assert [row.regret for row in others] == sorted(row.regret for row in others)
    assert all(0 < row.not_best < 1 and row.regret > 5 for row in others)
    assert max(len(line) for line in found.text().splitlines()) <= 80


@compiled_only
def test_mean_and_regret_make_up_perfect_play() -> None:
    found = played(["uniform", "expectation", "planner"], deals=5_000, confidence=0.9999)
    for row in found.regrets:
        width = sum(high - low for low, high in (row.mean_interval, row.regret_interval)) / 2
        assert abs(row.mean + row.regret - found.expected) < width


@compiled_only
def test_intervals_cover_the_regret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 95 % intervals over 60 deals, as many cover the regret of 40,000 other deals as chance allows."""
    quick = dataclasses.replace(cross_off_optimal.SOLVER, digest=lambda rules: "")
    monkeypatch.setattr(cross_off_optimal, "SOLVER", quick)
    [known] = played(["expectation"], deals=40_000, seed=1_000).regrets
    repetitions = 200
    covered = np.zeros(2, int)
    for seed in range(repetitions):
        [row] = played(["expectation"], deals=60, seed=seed, n_jobs=1).regrets
        for place, (interval, value) in enumerate(
            ((row.regret_interval, known.regret), (row.mean_interval, known.mean))
        ):
            covered[place] += interval.low <= value <= interval.high
    # 95 % ± 4 standard errors.
    assert (np.abs(covered / repetitions - 0.95) < 4 * (0.95 * 0.05 / repetitions) ** 0.5).all()


@compiled_only
def test_a_table_that_cannot_be_saved_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match="cannot be written") as caught:
        played([]).save(tmp_path / "file" / "table.values")
    assert "\n" not in str(caught.value)
