"""The runner: a design becomes chunks, chunks become work for threads or processes, results are merged in order.

A chunk is a pure function of the design and its number. What a worker is handed is cut by time, not by chunk: many
chunks of a fast player, a slice of a chunk of a slow one. Neither the cut nor the number of workers nor the order in
which they finish can show in the result, because counts are whole numbers and are added up, and stored chunks are
whole.
"""

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from joblib import Parallel, delayed
from tqdm import tqdm

from sims.design import CHUNK, Design, Outcomes, check_whole, versions
from sims.errors import StrategyError, UsageError
from sims.store import Store

BACKENDS = {"threads": "threading", "loky": "loky"}
WORK_SECONDS = 0.15  # what a worker is handed at a time
CALL_SECONDS = 0.1  # the longest kernel call: between two of them a run can be stopped
BAR_DELAY = 1.0  # seconds before a progress bar appears


class Additive(Protocol):
    """A result of a chunk; the sum over all chunks is the result of the run."""

    def __add__(self, other: Self, /) -> Self:
        """Return both together."""
        ...


Sum = TypeVar("Sum", bound=Additive)
Reduce = Callable[[Design, int, Sequence[Outcomes]], Sum]


class Interrupted(KeyboardInterrupt):
    """The user stopped a run.

    Attributes
    ----------
    complete, chunks
        Chunks that are complete (kept only in a store), and chunks in all.
    """

    def __init__(self, complete: int, chunks: int) -> None:
        super().__init__(f"stopped with {complete} of {chunks} chunks complete")
        self.complete = complete
        self.chunks = chunks


class _Stopped(Exception):
    """The run was stopped; ends the work of a thread."""


@dataclass(frozen=True)
class Piece:
    """Work for one worker: whole chunks, or some deals of one chunk."""

    chunks: range
    start: int = 0
    deals: int = CHUNK
    whole: bool = True


@dataclass
class Run(Generic[Sum]):
    """What a run gave: the sum of its chunks' results, how long it took without compiling, and the games it played."""

    result: Sum
    seconds: float
    games: int


def workers(n_jobs: int) -> int:
    """Return the number of workers for `n_jobs`; −1 means one for each processor.

    Raises
    ------
    UsageError
        For 0, or numbers below −1.
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0 or n_jobs < -1:
        raise UsageError(f"jobs={n_jobs!r} does not fit: it takes a whole number from 1, or -1 for one a processor")
    if n_jobs > 0:
        return check_whole("jobs", n_jobs, 1, 1024)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


def run(
    design: Design,
    reduce: Reduce[Sum],
    *,
    n_jobs: int = -1,
    backend: str = "threads",
    store: Path | str | None = None,
    progress: bool = True,
) -> Run[Sum]:
    """Play a design.

    Parameters
    ----------
    design
        What is played.
    reduce
        `reduce(design, chunk, outcomes)` gives the result of a chunk; results of chunks are added. For "loky" it must
        be picklable.
    n_jobs
        Workers; −1 means one for each processor.
    backend
        "threads", or "loky" for processes.
    store
        A folder that keeps every game; chunks that it holds already are not played again.
    progress
        Whether a progress bar may appear (it does so only on a terminal or in a notebook, after a second).

    Raises
    ------
    StrategyError
        When a strategy breaks its contract; of several failures the one of the lowest deal is told.
    StoreError
        When the store cannot be used.
    Interrupted
        When the user stops the run; complete chunks stay in the store.
    """
    if backend not in BACKENDS:
        raise UsageError(f"unknown backend {backend!r}; there are: {', '.join(BACKENDS)}")
    count = workers(n_jobs)
    keeper = Store.open(store, design.to_manifest(), versions(), design.chunks) if store is not None else None
    todo = keeper.missing() if keeper else range(design.chunks)
    if todo:
        _play(design, design.tables(), design.first_deal, 1, None)  # compiles what has to be, before the clock starts
    started = time.perf_counter()
    stop = threading.Event()
    result: Sum | None = None
    complete = design.chunks - len(todo)
    bar = progress_bar(sum(design.chunk_deals(chunk) for chunk in todo) * design.games_a_deal, progress)
    with contextlib.closing(_results(design, reduce, todo, keeper, count, backend, stop)) as results, bar:
        try:
            for chunks, part in results:
                result = _sum(result, part)
                complete += len(chunks)
                bar.update(sum(design.chunk_deals(chunk) for chunk in chunks) * design.games_a_deal)
        except KeyboardInterrupt:
            raise Interrupted(complete, design.chunks) from None
        finally:
            stop.set()  # before the generator closes and waits for its workers
    if keeper:
        for chunk, frame in enumerate(keeper.frames()):
            result = _sum(result, reduce(design, chunk, design.outcomes(frame)))
    assert result is not None
    games = sum(design.chunk_deals(chunk) for chunk in todo) * design.games_a_deal
    return Run(result, time.perf_counter() - started, games)


def _sum(total: Sum | None, part: Sum | None) -> Sum | None:
    return part if total is None else total if part is None else total + part


def progress_bar(total: int, progress: bool = True, unit: str = " games") -> Any:
    """Return a bar that appears after a second, on a terminal or in a notebook only, and leaves nothing behind.

    Where one would appear, tqdm's own variable `TQDM_DISABLE=1` keeps it away: for notebooks that run to be printed.
    """
    overall = _overall.get()
    if overall is not None:
        return overall.run_bar(total)
    return tqdm(
        total=total,
        unit=unit,
        unit_scale=True,
        delay=BAR_DELAY,
        leave=False,
        dynamic_ncols=True,
        **_display(progress),
    )


def _display(progress: bool) -> dict[str, Any]:
    """Return where a bar is to be seen, or that it must not appear."""
    if not (progress and _can_show()):
        return {"disable": True}
    # JupyterLab shows stderr as an error, on red. `disable=False` would overrule the variable.
    return {"file": sys.stdout if "ipykernel" in sys.modules else sys.stderr}


def _can_show() -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty()


class Overall:
    """One bar over work of several parts; the runs inside move it in place of bars of their own.

    Parameters
    ----------
    weights
        How much of the work each part is, by name, in any unit.
    progress
        Whether the bar may appear.
    """

    def __init__(self, weights: Mapping[str, float], progress: bool) -> None:
        self._shares = {name: 100 * weight / sum(weights.values()) for name, weight in weights.items()}
        self._done = 0.0
        self._slice = self._end = 0.0
        self.bar = tqdm(
            total=100,
            delay=BAR_DELAY,
            leave=False,
            dynamic_ncols=True,
            bar_format="{desc}: {percentage:3.0f}% |{bar}| {elapsed}<{remaining}",
            **_display(progress),
        )

    def part(self, name: str, runs: int = 1) -> None:
        """Begin a part; `runs` is how many runs are expected in it."""
        self._move_to(self._end)
        self._end = self._done + self._shares[name]
        self._slice = self._shares[name] / max(runs, 1)
        self.bar.set_description_str(name)

    def advance(self, share: float) -> None:
        """Move the bar by a share of the slice of one run, never past the part that it belongs to."""
        self._move_to(min(self._done + share * self._slice, self._end))

    def _move_to(self, done: float) -> None:
        self.bar.update(done - self._done)
        self._done = done

    def run_bar(self, total: int) -> "_RunBar":
        """Return what one run moves."""
        return _RunBar(self, total)


class _RunBar:
    """What a run takes for its own bar."""

    def __init__(self, overall: Overall, total: int) -> None:
        self.overall, self.total, self.n = overall, max(total, 1), 0

    def update(self, count: int) -> None:
        self.n += count
        self.overall.advance(count / self.total)

    def close(self) -> None:
        pass

    def __enter__(self) -> "_RunBar":
        return self

    def __exit__(self, *error: object) -> None:
        pass


_overall: ContextVar[Overall | None] = ContextVar("overall", default=None)


@contextlib.contextmanager
def overall_progress(weights: Mapping[str, float], progress: bool = True) -> Iterator[Overall]:
    """Show one progress bar over all runs inside the `with` block."""
    overall = Overall(weights, progress)
    token = _overall.set(overall)
    try:
        yield overall
    finally:
        _overall.reset(token)
        overall.bar.close()


# --- Cutting the work ------------------------------------------------------------------------------------------------


def seconds_a_deal(design: Design, first: int) -> float:
    """Return how long one deal takes (all line-ups and rotations), measured on a few deals after all is compiled."""
    tables = design.tables()
    deals, seconds = 1, 0.0
    _play(design, tables, first, 1, None)
    while seconds < 0.002 and deals <= 1024:
        started = time.perf_counter()
        _play(design, tables, first, min(deals, design.first_deal + design.deals - first), None)
        seconds = time.perf_counter() - started
        deals *= 8
    return max(seconds / (deals // 8), 1e-9)


def cut(design: Design, todo: Sequence[int], seconds: float, count: int) -> Iterator[Piece]:
    """Yield pieces of work in chunk order: consecutive chunks, or slices of one, of about `WORK_SECONDS` each."""
    if seconds * CHUNK > 2 * WORK_SECONDS or len(todo) < count:
        for chunk in todo:
            deals = design.chunk_deals(chunk)
            share = max(1, min(int(WORK_SECONDS / seconds), -(-deals // count)))
            for start in range(0, deals, share):
                yield Piece(range(chunk, chunk + 1), start, min(share, deals - start), whole=False)
        return
    most = max(1, min(int(WORK_SECONDS / (seconds * CHUNK)), len(todo) // (4 * count)))
    begin = 0
    while begin < len(todo):
        end = begin + 1
        while end < len(todo) and end - begin < most and todo[end] == todo[end - 1] + 1:
            end += 1
        yield Piece(range(todo[begin], todo[end - 1] + 1))
        begin = end


# --- Doing the work --------------------------------------------------------------------------------------------------


def _play(design: Design, tables: Any, first: int, deals: int, stop: threading.Event | None) -> list[Outcomes]:
    """Play some deals at all tables, in calls that are short enough to be interrupted between them."""
    outcomes = design.new_outcomes(deals)
    for lineup, rotations in enumerate(tables):
        for rotation, table in enumerate(rotations):
            target = outcomes[lineup][rotation]
            done, size = 0, 8
            while done < deals:
                if stop is not None and stop.is_set():
                    raise _Stopped
                started = time.perf_counter()
                try:
                    table.play(design.seed, first + done, target[done : done + size])
                except StrategyError as error:
                    error.replay = design.replay_command(lineup, rotation, error.deal)
                    raise
                done += size
                size *= 8 if time.perf_counter() - started < CALL_SECONDS / 10 else 1
    return outcomes


def _work(
    design: Design, reduce: Reduce[Sum], piece: Piece, keeper: Store | None, stop: threading.Event | None
) -> Sum | list[Outcomes] | StrategyError | None:
    """Do one piece; a strategy's failure is returned, so that the failure of the lowest deal can be told."""
    total: Sum | None = None
    try:
        tables = design.tables()
        for chunk in piece.chunks:
            first = design.first_deal + chunk * CHUNK + piece.start
            outcomes = _play(design, tables, first, min(piece.deals, design.chunk_deals(chunk) - piece.start), stop)
            if not piece.whole:
                return outcomes
            part = _finish(design, reduce, chunk, outcomes, keeper)
            total = _sum(total, part)
    except StrategyError as error:
        return error
    return total


def _finish(
    design: Design, reduce: Reduce[Sum], chunk: int, outcomes: Sequence[Outcomes], keeper: Store | None
) -> Sum | None:
    """Reduce a whole chunk, or store it: what is stored is reduced from the store when all is complete."""
    if keeper is None:
        return reduce(design, chunk, outcomes)
    keeper.write(chunk, design.frame(chunk, outcomes))
    return None


def _results(
    design: Design,
    reduce: Reduce[Sum],
    todo: Sequence[int],
    keeper: Store | None,
    count: int,
    backend: str,
    stop: threading.Event,
) -> Generator[tuple[range, Sum | None], None, None]:
    """Yield chunks and their (summed) results in chunk order."""
    if not todo:
        return
    seconds = seconds_a_deal(design, design.first_deal + todo[0] * CHUNK)
    shared = stop if backend == "threads" else None
    handed: deque[Piece] = deque()

    def jobs() -> Iterator[Any]:
        for piece in cut(design, todo, seconds, count):
            handed.append(piece)
            yield delayed(_work)(design, reduce, piece, keeper, shared)

    parallel = Parallel(n_jobs=count, backend=BACKENDS[backend], return_as="generator", pre_dispatch="2*n_jobs")
    slices: list[list[Outcomes]] = []
    with contextlib.closing(parallel(jobs())) as results:
        for given in results:
            piece = handed.popleft()
            if isinstance(given, StrategyError):
                raise given
            if piece.whole:
                yield piece.chunks, given
                continue
            slices.append(given)
            chunk = piece.chunks[0]
            if piece.start + piece.deals == design.chunk_deals(chunk):
                outcomes = [np.concatenate(parts, axis=1) for parts in zip(*slices, strict=True)]
                slices.clear()
                yield piece.chunks, _finish(design, reduce, chunk, outcomes, keeper)
