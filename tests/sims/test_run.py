"""The runner: results are a function of the design alone."""

import functools
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sims import run as runner
from sims.design import CHUNK, Design, Outcomes
from sims.errors import StrategyError, UsageError
from sims.game import SCORE, find_game
from sims.jit import COMPILED
from sims.run import Interrupted, cut, run, workers
from strategies import find_strategy, strategy

ROOT = Path(__file__).resolve().parents[2]
FEW = 60_000 if COMPILED else 40


@dataclass(frozen=True)
class Scores:
    """All scores of a run by chunk; adding puts chunks together."""

    chunks: dict[int, list[list[int]]]

    def __add__(self, other: "Scores") -> "Scores":
        assert not self.chunks.keys() & other.chunks.keys(), "a chunk came twice"
        return Scores(self.chunks | other.chunks)

    @property
    def in_order(self) -> list[int]:
        return [score for chunk in sorted(self.chunks) for scores in self.chunks[chunk] for score in scores]


def scores(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> Scores:
    return Scores({chunk: [array[..., SCORE].ravel().tolist() for array in outcomes]})


def make(*specs: str, deals: int, **more: object) -> Design:
    game = find_game("criss-cross")
    lineup = tuple(find_strategy(game.name, spec).player() for spec in specs)
    return Design(game, game.variant(), (lineup,), seed=5, deals=deals, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def reference() -> list[int]:
    return run(make("uniform", deals=FEW), scores, n_jobs=1).result.in_order


@pytest.mark.parametrize(("n_jobs", "backend"), [(2, "threads"), (5, "threads"), (2, "loky")])
def test_same_scores_for_any_workers(reference: list[int], n_jobs: int, backend: str) -> None:
    if backend == "loky":
        # A function of this file cannot be found by a worker; one of the package can.
        from analysis.simulation import count

        counted = run(make("uniform", deals=FEW), functools.partial(count, rows=False), n_jobs=2, backend="loky").result
        expected = np.bincount(reference, minlength=counted.scores.shape[-1])
        assert counted.scores[0, 0].tolist() == expected.tolist()
        return
    assert run(make("uniform", deals=FEW), scores, n_jobs=n_jobs, backend=backend).result.in_order == reference


def test_any_cut_of_the_work_gives_the_same_scores(reference: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def slices(design: Design, todo: Sequence[int], seconds: float, count: int) -> object:
        for chunk in todo:
            deals = design.chunk_deals(chunk)
            for start in range(0, deals, max(1, deals // 3)):
                size = min(max(1, deals // 3), deals - start)
                yield runner.Piece(range(chunk, chunk + 1), start, size, whole=False)

    monkeypatch.setattr(runner, "cut", slices)
    assert run(make("uniform", deals=FEW), scores, n_jobs=2).result.in_order == reference


def test_merging_in_any_order_gives_the_same_counts() -> None:
    from analysis.simulation import count

    design = make("uniform", "blunder", deals=3 * CHUNK if COMPILED else 9)
    tables = design.tables()
    parts = []
    for chunk in range(3):
        deals = design.deals // 3
        outcomes = runner._play(design, tables, chunk * deals, deals, None)
        parts.append(count(design, chunk, outcomes))
    forth, back = parts[0] + parts[1] + parts[2], parts[2] + (parts[0] + parts[1])
    assert forth.scores.tolist() == back.scores.tolist()
    assert forth.sums.tolist() == back.sums.tolist()
    assert forth.blocks == back.blocks


@pytest.mark.parametrize("seconds", [1e-7, 1e-5, 1e-4, 1e-2, 5.0])
@pytest.mark.parametrize("deals", [1, 7, CHUNK, CHUNK + 1, 9 * CHUNK + 5])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_cut_covers_every_deal_once(seconds: float, deals: int, count: int) -> None:
    design = make("uniform", deals=deals)
    todo = [chunk for chunk in range(design.chunks) if chunk != 4]
    covered = []
    for piece in cut(design, todo, seconds, count):
        for chunk in piece.chunks:
            size = design.chunk_deals(chunk) if piece.whole else piece.deals
            covered += [(chunk, piece.start + deal) for deal in range(size)]
    assert covered == [(chunk, deal) for chunk in todo for deal in range(design.chunk_deals(chunk))]


def test_a_slow_strategy_on_few_deals_keeps_all_workers_busy() -> None:
    assert len(list(cut(make("uniform", deals=100), [0], 0.01, 4))) >= 4


def test_rotations_seat_everyone_everywhere() -> None:
    design = make("uniform", "blunder", "uniform", deals=1)
    assert design.seatings(0) == ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    assert make("uniform", "blunder", deals=1, rotate=False).seatings(0) == ((0, 1),)


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, True])
def test_workers_refuses(n_jobs: object) -> None:
    with pytest.raises(UsageError, match="jobs="):
        workers(n_jobs)  # type: ignore[arg-type]


def test_unknown_backend_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown backend 'dusk'"):
        run(make("uniform", deals=1), scores, backend="dusk")


def test_the_failure_of_the_lowest_deal_is_told() -> None:
    @strategy("criss-cross")
    def stumbles(view, rng, params):  # type: ignore[no-untyped-def]
        return 127 if view.round_number > 7 else 0

    game = find_game("criss-cross")
    design = Design(game, game.variant(), ((stumbles.player(),),), seed=1, deals=FEW, first_deal=3)
    with pytest.raises(StrategyError, match=r"stumbles made an illegal move: .* \(deal 3, seat 0\)") as caught:
        run(design, scores, n_jobs=2)
    assert "round 1" in caught.value.position
    assert caught.value.replay == "crosslab replay criss-cross stumbles --seed 1 --deal 3"


def test_stop_is_heard_between_calls() -> None:
    stop = threading.Event()
    stop.set()
    design = make("uniform", deals=10)
    with pytest.raises(runner._Stopped):
        runner._play(design, design.tables(), 0, 10, stop)


@pytest.mark.skipif(os.name != "posix" or not COMPILED, reason="sends SIGINT; needs a run that lasts")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_complete_and_says_how_to_go_on(tmp_path: Path, jobs: str) -> None:
    store = tmp_path / "store"
    command = ["simulate", "criss-cross", "uniform", "--deals", "400M", "--jobs", jobs, "--store", str(store)]
    process = subprocess.Popen(
        [sys.executable, "-m", "crosslab", *command],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    while not list(store.glob("*.parquet")):
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "chunks complete" in said
    assert f"go on with: crosslab {' '.join(command)}" in said
    assert "Traceback" not in said
    assert list(store.glob("*.parquet"))


def test_interrupted_is_a_keyboard_interrupt() -> None:
    assert issubclass(Interrupted, KeyboardInterrupt)
    assert str(Interrupted(3, 7)) == "stopped with 3 of 7 chunks complete"


@pytest.mark.parametrize(
    ("notebook", "switch", "progress", "shown"),
    [(True, "", True, True), (True, "1", True, False), (True, "", False, False), (False, "", True, False)],
)
def test_bar_in_a_notebook_is_no_error_and_can_be_switched_off(
    notebook: bool, switch: str, progress: bool, shown: bool
) -> None:
    # In a process of its own: tqdm reads its variables when it is imported.
    code = f"""
import sys
if {notebook}:
    sys.modules["ipykernel"] = sys  # what a notebook's kernel is known by
from sims import run
run.BAR_DELAY = 0
with run.progress_bar(10, {progress}) as bar:
    bar.update(5)
    bar.refresh()
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TQDM_")}
    if switch:
        environment["TQDM_DISABLE"] = switch
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert ("games" in done.stdout) is shown
    assert done.stderr == ""


# --- One bar over many runs ------------------------------------------------------------------------------------------


def test_one_bar_goes_over_all_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts move it by their weights, never back, and however the runs inside are cut."""
    import sims.run

    monkeypatch.setattr(sims.run, "_display", lambda progress: {} if progress else {"disable": True})
    seen = []
    with sims.run.overall_progress({"one": 1, "two": 3}) as overall:
        overall.bar.delay = 1e9  # nothing is drawn
        for part, runs in (("one", 2), ("two", 1)):
            overall.part(part, runs)
            for _ in range(runs):
                bar = sims.run.progress_bar(10)
                with bar:
                    for _ in range(5):
                        bar.update(2)
                        seen.append(overall.bar.n)
    assert seen == sorted(seen)
    assert seen[4] == pytest.approx(12.5)
    assert seen[9] == pytest.approx(25)
    assert seen[-1] == pytest.approx(100)
    assert type(sims.run.progress_bar(10, progress=False)).__name__ == "tqdm"


def test_a_part_with_more_runs_than_expected_does_not_pass_its_end() -> None:
    import sims.run

    with sims.run.overall_progress({"one": 1, "two": 1}, progress=False) as overall:
        overall.part("one")
        for _ in range(3):
            sims.run.progress_bar(10).update(10)
        assert overall._done == pytest.approx(50)
        overall.part("two")
        assert overall._done == pytest.approx(50)
