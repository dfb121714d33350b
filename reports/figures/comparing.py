"""Which strategy is better: paired differences, intervals, who beats whom, and the ranks that the data leave open."""

import math
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from analysis.comparisons import POINTS, Unit
from reports.figures.bars import bar_edges, score_ticks, share_label
from reports.figures.frames import column, counts_total, read_columns, read_counts, read_numbers, read_table, texts
from reports.figures.style import (
    FAINT,
    MARGIN_LOOK,
    SEQUENTIAL,
    Look,
    beside,
    colour_bar,
    draw_interval,
    drawable,
    house_style,
    ink,
    legend_above,
    looks,
    mark,
    new_axes,
    number_axis,
    row_axes,
    share_axis,
)
from reports.figures.words import (
    NAME_WIDTH,
    cell_percent,
    confident,
    decimals,
    half_width,
    percent,
    percent_span,
    points,
    span,
    wrapped,
)
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

LEAST_REACH = 0.1
"""Colours of matchups reach at least so far from one half: small differences stay pale."""

HATCH = "////"


def paired_difference(
    differences: "pl.DataFrame | pd.DataFrame",
    *,
    effect: float | None = None,
    low: float | None = None,
    high: float | None = None,
    margin: float | None = None,
    labels: tuple[str, str] = ("A", "B"),
    confidence: float = 0.95,
    unit: Unit = POINTS,
    ax: Axes | None = None,
) -> Axes:
    """Draw the differences between two strategies on the same deals.

    Parameters
    ----------
    differences
        Columns `difference` (A minus B, points a game) and `count` (blocks).
    effect, low, high
        The mean difference and the ends of its interval, in points a game; what is None or nan is not drawn.
    margin
        The largest difference that does not matter, in points a game; shaded.
    labels
        The names of A and B.
    confidence
        The confidence of the interval, for its label.
    unit
        What the differences are, for the labels.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no counts.
    """
    values, counts = read_columns(differences, ("difference", "count"))
    values, counts = read_numbers(values, "difference"), read_counts(counts)
    total = counts_total(counts, "the differences")
    edges, width = bar_edges(values)
    a, b = (drawable(label) for label in labels)
    with house_style():
        ax = new_axes() if ax is None else ax
        colours = [look["color"] for look in looks(2)]
        kinds = (
            (f"{a} {unit.did} more", values > 0, colours[0], None),
            (f"{b} {unit.did} more", values < 0, colours[1], "////"),
            (f"the same {unit.noun}", values == 0, FAINT, None),
        )
        handles: list[Artist | ErrorbarContainer] = []
        names = []
        # Where bars hold more than one difference, the one around 0 is stacked of all three kinds.
        height = np.zeros(edges.size - 1)
        for name, own, colour, hatch in kinds:
            look: dict[str, Any] = {"facecolor": colour, "edgecolor": "white", "hatch": hatch, "linewidth": 0.0}
            shares = np.histogram(values[own], bins=edges, weights=counts[own])[0] / total
            ax.stairs(height + shares, edges, baseline=height, fill=True, zorder=2, **look)
            height = height + shares
            handles.append(Patch(**look))
            names.append(f"{name}: {percent(float(counts[own].sum()) / total)} of blocks")
        ax.axvline(0, color="black", linewidth=0.8, zorder=4)
        top = float(height.max())
        if margin:
            # The edges keep a margin visible that is narrower than the zero line.
            ax.axvspan(-margin, margin, zorder=3, **MARGIN_LOOK)
            handles.append(Patch(**MARGIN_LOOK))
            names.append(f"margin: ±{margin:.10g} {unit.name}, too little to matter")
        if effect is not None and math.isfinite(effect):
            known = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
            ends = (low, high) if low is not None and high is not None and known else (effect, effect)
            mean = ax.errorbar(
                [effect],
                [top * 1.09],
                xerr=[[effect - ends[0]], [ends[1] - effect]] if known else None,
                **mark("black", "D"),
            )
            ax.vlines(effect, 0, top * 1.09, color="black", linewidth=0.9, linestyle=(0, (3, 2)), zorder=5)
            handles.append(mean)
            interval = f" ({100 * confidence:.10g}\N{NO-BREAK SPACE}% interval {span(*ends)})" if known else ""
            names.append(f"mean: {points(effect, decimals(*ends))} {unit.name}{interval}")
        reach = [edges[0], edges[-1], -1.2 * (margin or 0), 1.2 * (margin or 0)]
        ax.set_xlim(min(reach) - width / 2, max(reach) + width / 2)
        ax.set_ylim(0, top * 1.18)
        where = f"on the same deal ({unit.a_game})"
        pair = wrapped(f"{a} minus {b}")
        ax.set_xlabel(
            f"{pair} {where}" if len(pair) + len(where) < NAME_WIDTH else f"{pair}\n{where}", parse_math=False
        )
        ax.set_ylabel(share_label(width, values, unit, "blocks"))
        score_ticks(ax)
        legend_above(ax, handles, names)
    return ax


def intervals(
    frame: "pl.DataFrame | pd.DataFrame",
    *,
    confidence: float = 0.95,
    label: str | None = None,
    percent: bool = False,
    reference: float | None = None,
    margin: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw means with their intervals, one strategy (or whatever else) a line, in the order of the frame.

    Parameters
    ----------
    frame
        Columns `strategy`, `mean`, `low` and `high`; `low` and `high` may be nan or null. With a column `series` a
        strategy has a mark for each of its values, one below the other.
    confidence
        The confidence of the intervals, for their label.
    label
        What the means are, for the axis; by default points a game.
    percent
        Whether they are shares, to be written in per cent.
    reference
        Where to draw a line, such as 0 for differences.
    margin
        The difference from the reference (from 0 without one) that does not matter; shaded.
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
    table = read_table(frame, ("strategy", "mean", "low", "high"))
    names = texts(column(table, "strategy"))
    means, lows, highs = (read_numbers(column(table, name), "value", finite=False) for name in ("mean", "low", "high"))
    several = "series" in table.columns
    kinds = texts(column(table, "series")) if several else [""] * len(names)
    series = list(dict.fromkeys(kinds))
    # Without series every row has a line of its own, whatever it is called.
    lines = list(dict.fromkeys(names)) if several else names
    with house_style():
        row = 0.42 if len(series) == 1 else 0.16 + 0.24 * len(series)
        ax, places = row_axes(ax, lines, row=row, extra=0.2 * len(series) if several else 0.2 * bool(margin))
        if margin:
            centre = reference or 0.0
            ax.axvspan(centre - margin, centre + margin, zorder=1, **MARGIN_LOOK)
        if reference is not None:
            ax.axvline(reference, color="black", linewidth=0.9, zorder=2)
        where = dict(zip(lines, places, strict=True)) if several else {}
        styles = dict(zip(series, looks(len(series)), strict=True))
        for at, (name, kind, mean, low, high) in enumerate(zip(names, kinds, means, lows, highs, strict=True)):
            place = places[at] if not several else where[name] + _dodge(series.index(kind), len(series))
            draw_interval(ax, place, mean, low, high, colour=styles[kind]["color"], marker=styles[kind]["marker"])
            beside(ax, place, _interval_words(mean, low, high, percent))
        ax.margins(x=0.06)
        number_axis(ax.xaxis, 5)
        if percent:
            share_axis(ax.xaxis, 4)
        ax.set_xlabel(wrapped(label or f"mean and {confident(confidence)} (points a game)"), parse_math=False)
        handles: list[Artist] = [
            Line2D([], [], color=look["color"], marker=look["marker"], markersize=5.5, linestyle="none")
            for look in styles.values()
        ]
        labels = [drawable(kind) for kind in series]
        if not several:
            handles, labels = [], []
        if margin:
            handles.append(Patch(**MARGIN_LOOK))
            labels.append(f"margin: ±{_margin_words(margin, percent)}, too little to matter")
        if handles:
            legend_above(ax, handles, labels)
    return ax


def matchup_heatmap(matchups: "pl.DataFrame | pd.DataFrame", *, ax: Axes | None = None) -> Axes:
    """Draw who beats whom: the share of games in which the row is ahead of the column, ± half of its interval.

    Cells whose interval holds one half are hatched on white: who wins there is not sure.

    Parameters
    ----------
    matchups
        Columns `a`, `b`, `wins` (a share; a tie counts half), and the ends `wins_low` and `wins_high` of its interval,
        one row for every two strategies in both orders: `Ranking.matchups`. The order of `a` is that of the rows.
    ax
        Where to draw; by default a new figure whose size fits the number of strategies.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, there are no pairs, or a pair stands there twice.
    """
    table = read_table(matchups, ("a", "b", "wins", "wins_low", "wins_high"))
    rows, columns = texts(column(table, "a")), texts(column(table, "b"))
    shares = read_numbers(column(table, "wins"), "share", finite=False)
    lows, highs = (read_numbers(column(table, name), "value", finite=False) for name in ("wins_low", "wins_high"))
    names = list(dict.fromkeys([*rows, *columns]))
    place = {name: at for at, name in enumerate(names)}
    if len(set(zip(rows, columns, strict=True))) < len(rows):
        raise UsageError(
            "a pair of strategies stands there twice: give one row for a against b, and one for b against a"
        )
    known = shares[np.isfinite(shares)]
    reach = max(LEAST_REACH, float(np.abs(known - 0.5).max(initial=0.0)))
    count = len(names)
    with house_style():
        if ax is None:
            side = max(0.42 * count, 2.2)
            ax = new_axes(
                height=1.5 + max(side, 0.36 * count), width=max(mpl.rcParams["figure.figsize"][0], 3.1 + side)
            )
        ax.grid(visible=False)
        shade = mpl.cm.ScalarMappable(mpl.colors.Normalize(0.5 - reach, 0.5 + reach), mpl.colormaps[SEQUENTIAL])
        size = 9.0 if count <= 8 else 8.0
        for row, other, share, low, high in zip(rows, columns, shares, lows, highs, strict=True):
            x, y = place[other], place[row]
            sure = math.isfinite(share) and math.isfinite(low) and math.isfinite(high) and not low <= 0.5 <= high
            colour: Any = shade.to_rgba(share) if sure else "white"
            look: Look = {"hatch": None if sure else HATCH, "edgecolor": "white" if sure else FAINT}
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, linewidth=0.8, zorder=2, **look))
            half = (high - low) / 2
            words = f"{cell_percent(share)}\n{half_width(half) if math.isfinite(half) else '±?'}"
            ax.text(
                x,
                y,
                words if math.isfinite(share) else "?",
                ha="center",
                va="center",
                fontsize=size,
                linespacing=1.0,
                color=ink(colour),
                zorder=4,
                bbox=None if sure else {"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
        for at in range(count):
            ax.add_patch(Rectangle((at - 0.5, at - 0.5), 1, 1, facecolor="#EDEDED", edgecolor="white", zorder=2))
        ax.set_xlim(-0.5, count - 0.5)
        ax.set_ylim(count - 0.5, -0.5)
        ax.set_xticks(range(count), [str(at) for at in range(1, count + 1)])
        labels = [f"{wrapped(drawable(name), 20, 2)}  {at}" for at, name in enumerate(names, 1)]
        ax.set_yticks(range(count), labels, parse_math=False)
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.tick_params(axis="both", length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.set_xlabel("the column's strategy")
        bar = colour_bar(ax, shade, "share of games won by the row")
        share_axis(bar.long_axis)
        legend_above(
            ax,
            [Patch(facecolor="white", edgecolor=FAINT, hatch=HATCH)],
            ["who wins is not sure; in %, ± half of the interval"],
            below=True,
        )
    return ax


def rank_intervals(table: "pl.DataFrame | pd.DataFrame", *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the ranks that the data leave open, one strategy a line, in the order of the frame.

    Parameters
    ----------
    table
        Columns `strategy`, `rank`, and the ends `rank_low` and `rank_high` of the ranks that are possible for all
        strategies at once: `Ranking.table`.
    confidence
        The confidence of the ranks, for their label.
    ax
        Where to draw; by default a new figure whose height fits the number of strategies.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, there are no strategies, or a rank is no number.
    """
    names, *columns = read_columns(table, ("strategy", "rank", "rank_low", "rank_high"))
    ranks, lows, highs = (read_numbers(values, "rank") for values in columns)
    with house_style():
        ax, places = row_axes(ax, texts(names))
        look = looks(1)[0]
        for place, rank, low, high in zip(places, ranks, lows, highs, strict=True):
            ax.plot(
                [low, high], [place, place], color=FAINT, marker="none", linewidth=7, solid_capstyle="round", zorder=3
            )
            ax.plot([rank], [place], color=look["color"], marker=look["marker"], markersize=6.5, zorder=5)
            beside(ax, place, f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}")
        last = max(float(highs.max()), float(len(names)))
        ax.set_xlim(0.4, last + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))
        told = f"{100 * confidence:.10g}\N{NO-BREAK SPACE}% confidence"
        ax.set_xlabel(f"rank (1 is best), and the ranks that are possible\nfor all at once with {told}")
    return ax


def _dodge(which: int, of: int) -> float:
    """Return how far from the middle of a line a series stands, the first on top."""
    return 0.0 if of == 1 else 0.2 - 0.4 * which / (of - 1)


def _interval_words(mean: float, low: float, high: float, shares: bool) -> str:
    if not math.isfinite(mean):
        return "not known"
    if not (math.isfinite(low) and math.isfinite(high)):
        return "too few blocks"
    if shares:
        digits = decimals(100 * low, 100 * high) - 1
        return f"{points(100 * mean, digits)} ({percent_span(low, high)})"
    return f"{points(mean, decimals(low, high))} ({span(low, high)})"


def _margin_words(margin: float, shares: bool) -> str:
    return f"{100 * margin:.10g}\N{NO-BREAK SPACE}%" if shares else f"{margin:.10g}"
