"""Measure everything that `crosslab bench --full` does, and write it into README.md as a table, between two markers."""

import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from analysis.speed import SECTIONS, measure, players, threads, value_text
from benchmarks.tables import insert, to_markdown
from sims.design import versions
from sims.errors import CrosslabError
from sims.game import find_game, game_names
from sims.run import workers

README = Path(__file__).resolve().parent.parent / "README.md"
NAME = "benchmark"
SECONDS = 3.0  # for each figure in games/s
GAME = "criss-cross"  # measured in full: alone, against C++, start-up, memory
OTHERS_SEATS = 2  # of the other games, of which players and workers are measured
MORE_SEATS = {"crossways": (4,)}  # where players are measured at larger tables too, as they look at all others


def processor_model() -> str:
    """Return what the processor calls itself, or its architecture when it does not say."""
    try:
        if sys.platform == "linux":
            lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
        if sys.platform == "darwin":
            words = ["sysctl", "-n", "machdep.cpu.brand_string"]
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, StopIteration, subprocess.CalledProcessError):  # arm64 Linux has no model name
        return platform.machine()
    return platform.processor() or platform.machine()


def machine() -> str:
    """Return what the figures depend on in one line: processor, cores, versions."""
    found = versions()
    cores = workers(-1)
    return (
        f"{processor_model()}, {cores} core{'s' if cores > 1 else ''}, Python {found['python']}, numba {found['numba']}"
    )


def speed_table(frame: pl.DataFrame) -> str:
    """Return figures as a Markdown table."""
    rows = []
    before = ""
    for row in frame.iter_rows(named=True):
        section = SECTIONS[row["section"]] if row["section"] != before else ""
        before = row["section"]
        rows.append((section, row["figure"], f"{value_text(row['value'])} {row['unit']}".strip(), row["note"]))
    return to_markdown(("", "figure", "value", ""), rows, right=(2,))


def write_table(readme: Path, frames: Mapping[str, pl.DataFrame]) -> None:
    """Write the machine and a table for each heading into a README."""
    tables = "\n\n".join(f"{heading}:\n\n{speed_table(frame)}" for heading, frame in frames.items())
    block = f"Measured by `make bench` on: {machine()}.\n\n{tables}"
    readme.write_text(insert(readme.read_text("utf-8"), NAME, block), "utf-8", newline="\n")


def main(readme: Path = README) -> int:
    """Measure and write; return the exit code."""
    try:
        insert(readme.read_text("utf-8"), NAME, "")  # before minutes are spent
        frames = {f"{find_game(GAME).title}, one seat": measure(GAME, seconds=SECONDS, full=True)}
        for name in game_names():
            if name != GAME:
                parts = (players(name, SECONDS, OTHERS_SEATS), threads(name, SECONDS, OTHERS_SEATS))
                frames[f"{find_game(name).title}, {OTHERS_SEATS} seats"] = pl.concat(parts)
            for seats in MORE_SEATS.get(name, ()):
                frames[f"{find_game(name).title}, {seats} seats"] = players(name, SECONDS, seats)
        write_table(readme, frames)
    except OSError as error:
        print(f"readme_table: error: {readme.name}: {error.strerror or error}", file=sys.stderr)
        return 2
    except CrosslabError as error:
        print(f"readme_table: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
