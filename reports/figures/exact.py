"""Exact play: how far strategies are from it."""

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from reports.figures.frames import column, read_numbers, read_table, texts
from reports.figures.style import (
    Look,
    beside,
    drawable,
    house_style,
    legend_above,
    legend_height,
    looks,
    mark,
    number_axis,
    row_axes,
)
from reports.figures.words import confident, decimals, points, span

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

OTHERS = ("regret_low", "regret_high", "regret_per_decision")
"""Columns whose names begin as those of the kinds of decisions do."""

HATCHES = (None, "////", "....", "\\\\\\\\", "xxxx", "----")


def regret_to_optimal(
    regrets: "pl.DataFrame | pd.DataFrame", *, confidence: float = 0.95, ax: Axes | None = None
) -> Axes:
    """Draw how many points a game each strategy gives away, and by which kind of decision.

    Parameters
    ----------
    regrets
        Columns `strategy`, `regret`, the ends `regret_low` and `regret_high` of its interval, and a column
        `regret_KIND` for each kind of decision, which add up to the regret: `Solved.summary`. Without such columns the
        bars are of one piece.
    confidence
        The confidence of the intervals, for their label.
    ax
        Where to draw; by default a new figure whose height fits the number of strategies.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no strategies.
    """
    table = read_table(regrets, ("strategy", "regret", "regret_low", "regret_high"))
    names, regret = texts(column(table, "strategy")), read_numbers(column(table, "regret"), "regret")
    lows, highs = (read_numbers(column(table, name), "value", finite=False) for name in OTHERS[:2])
    kinds = [name for name in table.columns if name.startswith("regret_") and name not in OTHERS]
    parts = {name.removeprefix("regret_"): read_numbers(column(table, name), "regret") for name in kinds}
    with house_style():
        ax, places = row_axes(ax, names, extra=0.3 + legend_height(list(parts)))
        styles: list[Look] = [
            {
                "facecolor": look["color"],
                "hatch": HATCHES[at % len(HATCHES)],
                "edgecolor": "white",
                "linewidth": 0.0,
            }
            for at, look in enumerate(looks(max(len(parts), 1)))
        ]
        reached = np.zeros(len(names))
        for part, look in zip(parts.values() or [regret], styles, strict=True):
            ax.barh(places, part, 0.62, left=reached, zorder=2, **look)
            reached = reached + part
        for place, value, low, high in zip(places, regret, lows, highs, strict=True):
            known = math.isfinite(low) and math.isfinite(high)
            if known and high > low:
                ax.errorbar([value], [place], xerr=[[value - low], [high - value]], **mark("black", "none"))
            digits = decimals(low, high) if known else 2
            beside(ax, place, f"{points(value, digits)} ({span(low, high)})" if known else points(value))
        most = float(np.nanmax(np.concatenate([regret, highs, reached])))
        ax.set_xlim(0, most * 1.05 or 1.0)
        number_axis(ax.xaxis, 5)
        ax.set_xlabel(f"regret: points a game below perfect play,\nwith its {confident(confidence)}")
        if parts:
            legend_above(ax, [Patch(**look) for look in styles], [f"lost by: {drawable(kind)}" for kind in parts])
    return ax
