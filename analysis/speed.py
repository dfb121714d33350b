"""How fast it is here: games a second, start-up and memory, measured on this machine.

Machines are noisy. Every figure is the median of several repeats; what is compared is measured in turn (A B A B …), and
its ratio is the median of the ratios of neighbours, so that a slow minute slows both sides.
"""

import contextlib
import math
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import polars as pl
from tqdm import tqdm

from analysis.simulation import Results, simulate
from analysis.tables import WIDTH
from sims.errors import CrosslabError, UsageError
from sims.game import find_game
from sims.jit import CACHE_VARIABLE, has_feature
from sims.run import workers
from strategies.specs import quick_strategies

ROOT = Path(__file__).resolve().parent.parent
YARDSTICK = ROOT / "benchmarks" / "yardstick.cpp"
YARDSTICK_GAME = "criss-cross"
COMPILERS = ("g++", "clang++")
COMPILER_OPTIONS = ("-O3", "-march=native")

REPEATS = 3  # of a figure that stands alone
PAIRS = 5  # of figures that are compared
COMPARED = ("uniform", "greedy")
COMPARE_DEALS = 100_000
FEW_DEALS, MANY_DEALS = 1_000_000, 100_000_000
MEGABYTE = 1_000_000
FULL_SHARE = 0.9  # of the processor time: with less, a figure says more about the machine's other work

FIGURE_WIDTH, VALUE_WIDTH = 46, 14
NOT_MEASURED = "not measured"
SECTIONS = {
    "players": "every player on one processor",
    "yardstick": "the same games in C++, on one processor",
    "threads": "more workers",
    "start-up": "wall time of a command",
    "memory": "peak resident memory of crosslab simulate",
}
SCHEMA = {"section": pl.String, "figure": pl.String, "value": pl.Float64, "unit": pl.String, "note": pl.String}

# A process of its own, because a child begins with the peak of the process that started it.
PEAK_PROGRAM = """\
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)
"""


@dataclass(frozen=True)
class Figure:
    """One row: what was measured, its value (None when it was not measured) and unit, and a remark."""

    section: str
    figure: str
    value: float | None
    unit: str = ""
    note: str = ""


def to_frame(figures: Sequence[Figure]) -> pl.DataFrame:
    """Return figures as a frame with the columns section, figure, value, unit and note."""
    return pl.DataFrame([asdict(figure) for figure in figures], schema=SCHEMA)


def _skip(section: str, note: str) -> pl.DataFrame:
    return to_frame([Figure(section, NOT_MEASURED, None, note=note)])


def measure(
    game: str = "criss-cross",
    *,
    seats: int | None = None,
    seconds: float = 1.0,
    full: bool = False,
    progress: bool = True,
) -> pl.DataFrame:
    """Measure everything.

    Parameters
    ----------
    game
        The game's name.
    seats
        Seats at the table, each with the same player; by default the fewest of the basic rules.
    seconds
        Time for each figure in games/s, over all its repeats.
    full
        Also measure what takes long: the start with an empty cache, and memory.
    progress
        Whether a progress bar may appear (on a terminal only).

    Returns
    -------
    DataFrame
        One row a figure: section, figure, value (null when it could not be measured), unit, note.

    Raises
    ------
    UsageError
        For an unknown game, or a time that is not above 0.
    CrosslabError
        When a command that is timed fails.
    """
    found = find_game(game)
    name = found.name
    check_seconds(seconds)
    if seats is not None:
        found.check_seats(seats, found.variant())
    sections: dict[str, Callable[[], pl.DataFrame]] = {
        "players": lambda: players(name, seconds, seats),
        "yardstick": lambda: yardstick(name, seconds),
        "threads": lambda: threads(name, seconds, seats),
        "start-up": lambda: start_up(name, full=full),
    }
    if full:
        sections["memory"] = lambda: memory(name)
    bar = tqdm(sections.items(), unit=" sections", leave=False, disable=not progress or not sys.stderr.isatty())
    frames = []
    for section, measure_section in bar:
        bar.set_description(section)
        frames.append(measure_section())
    return pl.concat(frames)


def check_seconds(seconds: float) -> None:
    """Refuse a time that nothing can be measured in."""
    if not 0 < seconds < math.inf:
        raise UsageError(f"seconds={seconds!r} does not fit: it takes a number above 0")


# --- Games a second --------------------------------------------------------------------------------------------------


def fewest_seats(game: str) -> int:
    """Return the fewest seats that the basic rules of a game allow."""
    found = find_game(game)
    return found.seat_numbers(found.variant())[0]


def play(game: str, name: str, deals: int, n_jobs: int = 1, seats: int | None = None) -> Results:
    """Play a strategy at every seat of a table, the game's smallest by default; one seat is solo."""
    lineup = [name] * (seats or fewest_seats(game))
    return simulate(game, lineup, deals=deals, rotate=False, n_jobs=n_jobs, rows=False, progress=False)


@dataclass(frozen=True)
class Pace:
    """How fast a run went: games/s, the share of its processors that it got, and the mean score."""

    rate: float
    share: float
    mean: float


def pace(game: str, name: str, deals: int, n_jobs: int = 1, seats: int | None = None) -> Pace:
    """Measure a strategy over all that a run does: playing, counting, handing out work."""
    processor, wall = time.process_time(), time.perf_counter()
    results = play(game, name, deals, n_jobs, seats)
    share = (time.process_time() - processor) / (time.perf_counter() - wall) / n_jobs
    return Pace(results.games / results.seconds, share, results.histogram().mean)


def typical_rate(section: str, figure: str, paces: Sequence[Pace], note: str = "") -> Figure:
    """Return the median games/s of repeats; says so when the machine gave them less than its processors."""
    share = median(each.share for each in paces)
    notes = [note] if note else []
    if share < FULL_SHARE:
        notes.append(f"got {share:.0%} of the processor time: something else was running, or work was waited for")
    return Figure(section, figure, median(each.rate for each in paces), "games/s", "; ".join(notes))


def deals_that_fit(game: str, name: str, seconds: float, seats: int | None = None) -> int:
    """Return how many deals a strategy plays in a time on one processor, at least 1; compiles it first."""
    play(game, name, 1, seats=seats)
    deals = 1
    while True:
        results = play(game, name, deals, seats=seats)
        if results.seconds >= seconds / 8:
            return max(1, int(deals * seconds / results.seconds))
        deals *= 8


def players(game: str, seconds: float, seats: int | None = None) -> pl.DataFrame:
    """Measure the games/s of the built-in players that are not slow, in turn on one processor: medians of repeats."""
    names = [strategy.name for strategy in quick_strategies(game)]
    deals = {name: deals_that_fit(game, name, seconds / REPEATS, seats) for name in names}
    rounds = [{name: pace(game, name, deals[name], seats=seats) for name in names} for _ in range(REPEATS)]
    return to_frame([typical_rate("players", name, [paces[name] for paces in rounds]) for name in names])


def compared(game: str) -> list[str]:
    """Return the two players of every comparison; where one is missing, the first that is tagged "fast" instead."""
    tags = {strategy.name: strategy.tags for strategy in quick_strategies(game)}
    chosen = [name for name in COMPARED if name in tags]
    fast = [name for name, words in tags.items() if "fast" in words and name not in chosen]
    return [*chosen, *fast][: len(COMPARED)]


def missing(section: str, game: str) -> pl.DataFrame:
    """Return a row for every player of the comparisons that the game does not have, and has none instead."""
    have = compared(game)
    return to_frame(
        [
            Figure(section, name, None, note=f"{NOT_MEASURED}: {game} has no player {name!r}")
            for name in COMPARED
            if name not in have and len(have) < len(COMPARED)
        ]
    )


def threads(game: str, seconds: float, seats: int | None = None) -> pl.DataFrame:
    """Measure games/s with 1, 2, 4, … workers up to the number of processors, and each ratio to one worker."""
    processors = workers(-1)
    counts = [2**power for power in range(processors.bit_length())]
    figures = []
    for name in compared(game):
        deals = deals_that_fit(game, name, seconds / PAIRS, seats)
        # As many deals a worker for any number of workers: short runs would show the start of a run, not its speed.
        rounds = [{count: pace(game, name, deals * count, count, seats) for count in counts} for _ in range(PAIRS)]
        for count in counts:
            label = f"{name}, {count} worker{'s' if count > 1 else ''}"
            figures.append(typical_rate("threads", label, [paces[count] for paces in rounds]))
        for count in counts[1:]:
            ratio = median(paces[count].rate / paces[1].rate for paces in rounds)
            figures.append(Figure("threads", f"{name}, {count} workers / 1", ratio, "×"))
        if processors == 1:
            note = f"{NOT_MEASURED}: there is one processor"
            figures.append(Figure("threads", f"{name}, 2 workers", None, note=note))
    return pl.concat([to_frame(figures), missing("threads", game)])


# --- The yardstick ---------------------------------------------------------------------------------------------------


def find_compiler() -> list[str] | None:
    """Return the words of a C++ compiler's command: CXX when it is set and found, else the first that is found.

    Raises
    ------
    UsageError
        When CXX has quotes that do not match.
    """
    for command in (os.environ.get("CXX", ""), *COMPILERS):
        try:
            words = shlex.split(command, posix=os.name == "posix")
        except ValueError as error:
            raise UsageError(f"CXX={command!r} cannot be read as a command: {error}") from None
        if words and shutil.which(words[0]):
            return words
    return None


def yardstick_obstacle(game: str) -> str:
    """Return why the yardstick cannot be used here; empty when it can."""
    if game != YARDSTICK_GAME:
        return f"the yardstick plays {YARDSTICK_GAME} only"
    if not YARDSTICK.is_file():
        return "benchmarks/yardstick.cpp is not here: it comes with the repository, not with an installed package"
    if platform.machine().lower() not in ("x86_64", "amd64") or not has_feature("bmi2"):
        return "the yardstick needs an x86-64 processor with BMI2"
    if find_compiler() is None:
        return f"no compiler for C++ is found: neither CXX nor {' nor '.join(COMPILERS)}"
    return ""


def compile_yardstick(folder: Path) -> Path:
    """Compile the yardstick into a folder; return the program.

    Raises
    ------
    CrosslabError
        With the compiler's first line when it fails.
    """
    program = folder / "yardstick"
    words = [*(find_compiler() or []), *COMPILER_OPTIONS, "-x", "c++", "-o", str(program), "-"]
    done = subprocess.run(words, input=YARDSTICK.read_text("utf-8"), capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it gave no reason"])[0]
        raise CrosslabError(f"{Path(words[0]).name} cannot compile the yardstick: {said}")
    # MinGW adds the suffix.
    return program if program.is_file() else program.with_suffix(".exe")


def read_yardstick(text: str) -> dict[str, tuple[float, float]]:
    """Return games/s and mean score by player from the lines "uniform 6000000 games/s mean 10.367"."""
    lines = [line.split() for line in text.splitlines()]
    return {name: (float(speed), float(mean)) for name, speed, _, _, mean in lines}


def yardstick(game: str, seconds: float) -> pl.DataFrame:
    """Measure our players and the same in C++ in turn, one process at a time, and the ratio of ours to C++."""
    obstacle = yardstick_obstacle(game)
    if obstacle:
        return _skip("yardstick", obstacle)
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = compile_yardstick(Path(folder))
        except CrosslabError as error:
            return _skip("yardstick", str(error))
        names = compared(game)
        deals = {name: deals_that_fit(game, name, seconds / PAIRS) for name in names}
        theirs, ours = [], []
        for _ in range(PAIRS):
            done = subprocess.run([str(program)], capture_output=True, text=True, check=True)
            theirs.append(read_yardstick(done.stdout))
            ours.append({name: pace(game, name, deals[name]) for name in names})
    figures = []
    for name in names:
        own = [paces[name] for paces in ours]
        their = [speeds[name][0] for speeds in theirs]
        ratio = median(mine.rate / speed for mine, speed in zip(own, their, strict=True))
        figures += [
            typical_rate("yardstick", f"{name}, crosslab", own, _mean(own[0].mean)),
            Figure("yardstick", f"{name}, C++", median(their), "games/s", _mean(theirs[0][name][1])),
            Figure("yardstick", f"{name}, crosslab / C++", ratio, "×"),
        ]
    return pl.concat([to_frame(figures), missing("yardstick", game)])


def _mean(score: float) -> str:
    return f"mean score {score:.2f}"


# --- Commands --------------------------------------------------------------------------------------------------------


def run_command(words: Sequence[str], before: Sequence[str] = (), cache: str | None = None) -> tuple[float, str]:
    """Run `crosslab` in a process of its own.

    Parameters
    ----------
    words
        What follows `crosslab`.
    before
        What precedes the whole command, such as a program that runs it.
    cache
        A folder for compiled code, instead of the usual one.

    Returns
    -------
    tuple of (float, str)
        Wall seconds, and what was written to the standard output.

    Raises
    ------
    CrosslabError
        When the command fails, with its last line.
    """
    environment = os.environ | ({CACHE_VARIABLE: cache} if cache is not None else {})
    command = [*before, sys.executable, "-m", "crosslab", *words]
    started = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise CrosslabError(f"`crosslab {shlex.join(words)}` failed: {said}")
    return seconds, done.stdout


def start_up(game: str, *, full: bool) -> pl.DataFrame:
    """Measure the wall seconds of the help and of a comparison, with a warm cache and (full) with an empty one."""
    label = f"compare, {COMPARE_DEALS:,} deals"
    figures = [Figure("start-up", "--help", median(run_command(["--help"])[0] for _ in range(REPEATS)), "s")]
    absent = missing("start-up", game)
    if not absent.is_empty():
        return pl.concat([to_frame(figures), absent])
    words = ["compare", game, *reversed(compared(game)), "--deals", str(COMPARE_DEALS)]
    run_command(words)
    figures.append(Figure("start-up", label, median(run_command(words)[0] for _ in range(REPEATS)), "s"))
    if full:
        cold = median(_cold_seconds(words) for _ in range(REPEATS))
        figures.append(Figure("start-up", f"{label}, empty cache", cold, "s", "the first time: all is compiled"))
    return to_frame(figures)


def _cold_seconds(words: Sequence[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return run_command(words, cache=folder)[0]


def peak_bytes(words: Sequence[str]) -> int:
    """Return the peak resident memory of a `crosslab` command; not on Windows."""
    reported = int(run_command(words, before=[sys.executable, "-c", PEAK_PROGRAM])[1])
    return reported if sys.platform == "darwin" else reported * 1024


def can_measure_memory() -> bool:
    """Whether the platform tells the peak memory of a process that has ended."""
    with contextlib.suppress(ImportError):
        import resource

        return hasattr(resource, "RUSAGE_CHILDREN")
    return False


def memory(game: str) -> pl.DataFrame:
    """Measure the peak memory of a simulation of few and of many deals in turn, and the difference in MB."""
    absent = missing("memory", game).filter(figure="uniform")
    if not absent.is_empty():
        return absent
    if not can_measure_memory():
        return _skip("memory", "the platform does not tell the peak memory of a process")
    few, many = (
        ["simulate", game, *["uniform"] * fewest_seats(game), "--format", "json", "--deals", str(deals)]
        for deals in (FEW_DEALS, MANY_DEALS)
    )
    run_command([*few[:-1], "1"])  # compiles, which takes memory of its own
    pairs = [(peak_bytes(few) / MEGABYTE, peak_bytes(many) / MEGABYTE) for _ in range(REPEATS)]
    return to_frame(
        [
            Figure("memory", f"uniform, {FEW_DEALS:,} deals", median(pair[0] for pair in pairs), "MB"),
            Figure("memory", f"uniform, {MANY_DEALS:,} deals", median(pair[1] for pair in pairs), "MB"),
            Figure("memory", "difference", median(pair[1] - pair[0] for pair in pairs), "MB"),
        ]
    )


# --- Text ------------------------------------------------------------------------------------------------------------


def value_text(value: float | None) -> str:
    """Return a value with three significant digits; "-" for none."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}"


def speed_text(frame: pl.DataFrame) -> str:
    """Return a frame of figures as text of at most 80 columns."""
    lines: list[str] = []
    for section in frame["section"].unique(maintain_order=True):
        lines += ["", *textwrap.wrap(f"{section}: {SECTIONS[section]}", WIDTH)]
        for row in frame.filter(section=section).iter_rows(named=True):
            names = textwrap.wrap(row["figure"], FIGURE_WIDTH)
            value = f"{value_text(row['value']):>{VALUE_WIDTH}}"
            lines += [f"  {name}" for name in names[:-1]]
            lines.append(f"  {names[-1]:<{FIGURE_WIDTH}}{value} {row['unit']}".rstrip())
            lines += textwrap.wrap(row["note"], WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return "\n".join(lines[1:])
