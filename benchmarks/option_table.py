"""Measure what every option of a game changes, and every layout of its board, and write the tables of its page.

The options are the rows of `docs/games/GAME-options.csv`, the base first: a table that others can be compared with, or
that `crosslab sweep --grid` plays again.
"""

import itertools
import math
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from analysis.frames import load_frame
from analysis.sweeps import Sweep, sweep
from benchmarks.tables import insert, to_markdown
from sims.errors import CrosslabError, UsageError
from sims.game import near_misses

DOCS = Path(__file__).resolve().parent.parent / "docs" / "games"
SEED = 1
WIDTH = 124  # of sentences in a page


class Plan(NamedTuple):
    """Who plays a game's tables, and on how many deals.

    Attributes
    ----------
    alone, alone_deals
        A player that meets itself: its games tell length, share without a winner, and what the first seat is worth.
    several, several_deals
        Players that meet each other: their order.
    layouts
        So many random layouts are played beside the default.
    """

    alone: str
    alone_deals: int
    several: tuple[str, ...]
    several_deals: int
    layouts: int


PLANS = {"crossways": Plan("balanced", 10_000, ("rusher", "balanced", "closer"), 2_000, 30)}
MEASURES = ("turns", "undecided", "direction", "win_seat_0", "win_seat_1")


def edge(row: dict[str, float]) -> tuple[float, float]:
    """Return how much more seat 0 wins than seat 1, and half its 95 % interval: games are independent here."""
    first, second = row["win_seat_0"], row["win_seat_1"]
    spread = math.sqrt(max(first + second - (first - second) ** 2, 0.0) / row["games"] * 2)
    return first - second, 1.96 * spread


def share(value: float, half: float | None = None, *, signed: bool = False) -> str:
    """Return a share in percent."""
    told = f"{100 * value:+.1f}" if signed else f"{100 * value:.1f}"
    return (told + (f" ± {100 * half:.1f}" if half is not None else "")).replace("-", "−")


def orders(found: Sweep) -> list[str]:
    """Return the order of the players at every point, the surely better one before ">"."""
    sure = {
        (row["point"], frozenset((row["a"], row["b"]))): row["better"] is not None
        for row in found.order().iter_rows(named=True)
    }
    told = []
    for place in range(len(found.points)):
        ranking = found.ranking(place)
        text = f"`{ranking[0]}`"
        for better, worse in itertools.pairwise(ranking):
            text += f" {'>' if sure[place, frozenset((better, worse))] else '~'} `{worse}`"
        told.append(text)
    return told


def option_table(game: str, plan: Plan, grid: pl.DataFrame) -> str:
    """Return a row for every setting: what it changes, and what that does."""
    alone = sweep(game, plan.alone, grid, deals=plan.alone_deals, seed=SEED, measures=MEASURES)
    several = sweep(game, list(plan.several), grid, deals=plan.several_deals, seed=SEED, measures=MEASURES)
    base = alone.points[0].values
    rows = []
    for row, order in zip(alone.summary().iter_rows(named=True), orders(several), strict=True):
        values = zip(alone.axes, alone.points[row["point"]].values, base, strict=True)
        changed = ", ".join(f"`{axis.name}={here}`" for axis, here, before in values if here != before)
        rows.append(
            (
                changed or "as they are",
                f"{row['mean_turns']:.1f}",
                share(row["mean_undecided"]),
                share(*edge(row), signed=True),
                order,
            )
        )
    headers = ("option", "turns", "nobody wins, %", "seat 0 more than seat 1, %", "order")
    return to_markdown(headers, rows, right=(1, 2, 3))


def layout_table(game: str, plan: Plan) -> str:
    """Return the default layout beside the lowest and the highest value of all layouts, and the orders there are."""
    grid = {"layout": ["default", *(f"random:{number}" for number in range(1, plan.layouts + 1))]}
    alone = sweep(game, plan.alone, grid, deals=plan.alone_deals, seed=SEED, measures=MEASURES)
    several = sweep(game, list(plan.several), grid, deals=plan.several_deals, seed=SEED, measures=MEASURES)
    frame = alone.summary()
    edges = [share(edge(row)[0], signed=True) for row in frame.iter_rows(named=True)]
    gaps = (frame["win_seat_0"] - frame["win_seat_1"]).to_list()
    measures = [
        ("turns", frame["mean_turns"].to_list(), [f"{value:.1f}" for value in frame["mean_turns"]]),
        ("nobody wins, %", frame["mean_undecided"].to_list(), [share(value) for value in frame["mean_undecided"]]),
        ("seat 0 more than seat 1, %", gaps, edges),
        (
            "top–bottom more than left–right, %",
            frame["mean_direction"].to_list(),
            [share(value, signed=True) for value in frame["mean_direction"]],
        ),
    ]
    wins = several.summary()
    for player in plan.several:
        values = wins.filter(pl.col("strategy") == player)["mean"].to_list()
        measures.append((f"wins of `{player}`, %", values, [share(value) for value in values]))
    rows = []
    for name, values, told in measures:
        low, high = values.index(min(values)), values.index(max(values))
        rows.append((name, told[0], told[low], grid["layout"][low], told[high], grid["layout"][high]))
    table = to_markdown(("", "default", "lowest", "at", "highest", "at"), rows, right=(1, 2, 4))
    found = orders(several)
    counted = [f"{order} at {found.count(order)}" for order in dict.fromkeys(found)]
    told = f"Of {len(found)} layouts the order is {'; '.join(counted)}. {' '.join(several.flip_sentences())}"
    return f"{table}\n\n{textwrap.fill(told, WIDTH, break_on_hyphens=False)}"


def main(names: Sequence[str]) -> int:
    """Measure and write the pages of some games, or of all that have a plan; return the exit code."""
    for name in names or PLANS:
        try:
            if name not in PLANS:
                raise UsageError(f"there is no plan of what to measure{near_misses(name, PLANS)}")
            page = DOCS / f"{name}.md"
            text = page.read_text("utf-8")
            for mark in ("options", "layouts"):  # before minutes are spent
                text = insert(text, mark, "")
            grid = load_frame(DOCS / f"{name}-options.csv")
            text = insert(text, "options", option_table(name, PLANS[name], grid))
            text = insert(text, "layouts", layout_table(name, PLANS[name]))
            page.write_text(text, "utf-8", newline="\n")
        except (CrosslabError, OSError) as error:
            print(f"option_table: error: {name}: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
