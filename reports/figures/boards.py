"""Boards: what happens on each of their cells."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.patches import Patch, Rectangle

from reports.figures.frames import Numbers, column, read_numbers, read_places, read_table
from reports.figures.style import (
    DIVERGING,
    SEQUENTIAL,
    colour_bar,
    drawable,
    house_style,
    ink,
    legend_above,
    new_axes,
    number_axis,
    share_axis,
)
from reports.figures.words import points, wrapped
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

LARGEST_BOARD = 200
"""More rows or columns than these are taken for a mistake in the frame."""

MOST_PRINTED = 12
"""With more columns or rows than this, cells are too small for their values."""

BOARD_WIDTH = 3.7  # inches that are left for a board in a figure of the usual width
NO_CELL: dict[str, Any] = {"facecolor": "#F7F7F7", "edgecolor": "#D0D0D0", "hatch": "xxx", "linewidth": 0.0}


def board_heatmap(
    cells: "pl.DataFrame | pd.DataFrame",
    *,
    label: str,
    percent: bool = False,
    centre: float | None = None,
    digits: int | None = None,
    rows: int | Sequence[str] | None = None,
    columns: int | Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a value for each cell of a board, such as how often a cell is chosen, or what it earns.

    Parameters
    ----------
    cells
        Columns `row` and `column` (whole numbers from 0; row 0 is on top) and `value`. Cells that do not stand there,
        or whose value is nan or null, are crossed out. A column `half_width` is printed below the value, as ±, and a
        column `name` above it, where cells are large enough.
    label
        What the values are, in words.
    percent
        Whether they are shares, to be written in per cent.
    centre
        The value that parts good from bad, such as 0 for gains: then two colours lead away from it, and all values that
        are printed bear their signs.
    digits
        Decimals of the values; by default so many that neighbours in size differ.
    rows, columns
        How many the board has, or their names; by default as many as the frame.
    ax
        Where to draw; by default a new figure of the board's proportions.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, there are no cells, a cell stands there twice or off the board, or no value is known.
    """
    table = read_table(cells, ("row", "column", "value"))
    down, across = (read_places(column(table, name), name) for name in ("row", "column"))
    values = read_numbers(column(table, "value"), "value", finite=False)
    halves = None
    if "half_width" in table.columns:
        halves = read_numbers(column(table, "half_width"), "half width", finite=False)
    names = [drawable(name) for name in column(table, "name")] if "name" in table.columns else None
    height, row_names = _side(rows, int(down.max()) + 1, "row")
    width, column_names = _side(columns, int(across.max()) + 1, "column")
    if len(set(zip(down.tolist(), across.tolist(), strict=True))) < len(values):
        raise UsageError("a cell of the board stands there twice: give one row each, such as those of one strategy")
    known = values[np.isfinite(values)]
    if not known.size:
        raise UsageError("no cell of the board has a value: there is nothing to draw")
    printed = max(width, height) <= MOST_PRINTED
    places = digits if digits is not None else _digits(known, halves, percent)
    with house_style():
        if ax is None:
            cell = min(BOARD_WIDTH / width, 0.62)
            ax = new_axes(height=max(cell * height + 1.2, 2.4))
        cell = _cell_inches(ax, width, height)
        shade = _shade(known, centre)
        grid = {(int(r), int(c)): at for at, (r, c) in enumerate(zip(down, across, strict=True))}
        masked = False
        for r in range(height):
            for c in range(width):
                at = grid.get((r, c))
                if at is None or not math.isfinite(values[at]):
                    masked = True
                    ax.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, zorder=2, **NO_CELL))
                    continue
                colour = shade.to_rgba(values[at])
                look: dict[str, Any] = {"facecolor": colour, "edgecolor": "white", "linewidth": 0.8}
                ax.add_patch(Rectangle((c - 0.5, r - 0.5), 1, 1, zorder=3, **look))
                words = ""
                if printed:
                    words = _cell_words(values[at], places, percent, centre is not None)
                    if halves is not None and math.isfinite(halves[at]):
                        words += f"\n±{points(halves[at] * (100 if percent else 1), places)}"
                    if names is not None and names[at]:
                        words = f"{wrapped(names[at], 8, 1)}\n{words}"
                elif centre is not None and values[at] < centre:
                    # In grey both directions look alike.
                    words = "\N{MINUS SIGN}"
                lines = words.split("\n")
                longest = max(map(len, lines))
                ax.text(
                    c,
                    r,
                    words,
                    ha="center",
                    va="center",
                    color=ink(colour),
                    fontsize=max(min(9.5, 72 * cell * 1.45 / max(longest, 1), 72 * cell * 0.75 / len(lines)), 5.0),
                    linespacing=1.05,
                    parse_math=False,
                    zorder=5,
                )
        ax.grid(visible=False)
        ax.set_xlim(-0.5, width - 0.5)
        ax.set_ylim(height - 0.5, -0.5)
        ax.set_aspect("equal")
        _ticks(ax, width, height, column_names, row_names)
        for spine in ax.spines.values():
            spine.set_visible(False)
        bar = colour_bar(ax, shade, drawable(label), width=max(int(11 * cell * height), 16))
        (share_axis if percent else number_axis)(bar.long_axis)
        if masked:
            legend_above(ax, [Patch(**NO_CELL)], ["no value"], below=True)
    return ax


def _side(given: int | Sequence[str] | None, least: int, what: str) -> tuple[int, list[str]]:
    """Return the number of rows or columns, and their names: numbers from 1 without any."""
    names = [] if given is None or isinstance(given, int) else [drawable(name) for name in given]
    count = given if isinstance(given, int) else len(names) or least
    if count < least:
        raise UsageError(f"a cell lies in {what} {least - 1}, counted from 0: the board has {count}")
    if count > LARGEST_BOARD:
        raise UsageError(f"the board has {count} {what}s: at most {LARGEST_BOARD} can be drawn")
    return count, names or [str(at) for at in range(1, count + 1)]


def _shade(known: Numbers, centre: float | None) -> ScalarMappable:
    low, high = float(known.min()), float(known.max())
    if centre is not None:
        reach = max(abs(low - centre), abs(high - centre)) or 1.0
        return ScalarMappable(mpl.colors.Normalize(centre - reach, centre + reach), mpl.colormaps[DIVERGING])
    # Equal values are in the middle of the map.
    pad = 0.0 if high > low else max(abs(low), 1.0) / 2
    return ScalarMappable(mpl.colors.Normalize(low - pad, high + pad), mpl.colormaps[SEQUENTIAL])


def _digits(known: Numbers, halves: Numbers | None, percent: bool) -> int:
    """Return decimals that tell values apart and half widths from nothing, none for whole numbers and three at most."""
    shown = known * (100 if percent else 1)
    widths = np.zeros(0) if halves is None else halves[halves > 0] * (100 if percent else 1)
    spread = float(np.ptp(shown)) or float(np.abs(shown).max())
    whole = np.allclose(shown, np.rint(shown), rtol=0, atol=1e-9)
    needed = [0 if whole else 1 - math.floor(math.log10(spread))]
    if widths.size:
        needed.append(math.ceil(-math.log10(widths.min())))
    return min(max(0, *needed), 3)


def _cell_words(value: float, digits: int, percent: bool, signed: bool) -> str:
    shown = value * (100 if percent else 1)
    words = points(shown, digits)
    return f"+{words}" if signed and float(f"{shown:.{digits}f}") > 0 else words


def _cell_inches(ax: Axes, width: int, height: int) -> float:
    """Return about how large a cell will be."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    room = min(box.width / dpi - 1.0, BOARD_WIDTH)
    return max(min(room / width, box.height / dpi / height), 0.05)


def _shared_word(names: Sequence[str]) -> str:
    """Return the word before all numbers: "row" of "row 1", "row 2"; nothing when there is none."""
    words = {name.rpartition(" ")[0] for name in names}
    numbered = all(name.rpartition(" ")[2].isdecimal() for name in names)
    return words.pop() if numbered and len(words) == 1 else ""


def _turned(column_names: Sequence[str]) -> bool:
    """Tell whether names of columns are too long to stand side by side."""
    return len(column_names) > 4 and max(map(len, column_names)) > 4


def _ticks(ax: Axes, width: int, height: int, column_names: Sequence[str], row_names: Sequence[str]) -> None:
    words = [_shared_word(names) for names in (column_names, row_names)]
    for axis, word in zip((ax.xaxis, ax.yaxis), words, strict=True):
        axis.set_label_text(word, parse_math=False)
    ax.xaxis.set_label_position("top")
    column_names, row_names = (
        [name.removeprefix(f"{word} ") for name in names]
        for word, names in zip(words, (column_names, row_names), strict=True)
    )
    for axis, count, names in ((ax.xaxis, width, column_names), (ax.yaxis, height, row_names)):
        step = 1 if count <= 2 * MOST_PRINTED else 5 if count <= 60 else 20
        at = list(range(0, count, step))
        axis.set_ticks(at, [wrapped(names[place], 12, 1) for place in at], parse_math=False)
        axis.set_tick_params(length=0)
    if _turned(column_names):
        ax.tick_params(axis="x", rotation=90)
    ax.xaxis.tick_top()
