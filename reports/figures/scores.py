"""How scores spread: their shares, their distribution function, and the named ranks that they reach."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.comparisons import POINTS, Unit
from reports.figures.bars import bar_edges, score_ticks, share_label
from reports.figures.frames import column, counts_total, read_columns, read_counts, read_numbers, read_table, texts
from reports.figures.style import (
    BAND_SHADES,
    QUIET,
    SEQUENTIAL,
    drawable,
    house_style,
    ink,
    legend_above,
    legend_height,
    looks,
    new_axes,
    row_axes,
    share_axis,
)
from reports.figures.words import confident, half_width, points
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

MOST_FILLED = 3
"""With more strategies than this, shaded areas would hide one another."""

LEAST_BAND = 0.03
"""Narrower bands, as shares of the axis, bear no name."""

LEAST_NAMED = 0.13
"""Narrower parts of a bar, as shares of it, hold no text."""


def score_distributions(
    scores: "pl.DataFrame | pd.DataFrame",
    *,
    bands: Sequence[tuple[int, str]] = (),
    unit: Unit = POINTS,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often each strategy gets each score, with the means.

    Parameters
    ----------
    scores
        Columns `strategy`, `score` (points a game) and `count`. Each strategy's counts are shown as shares of its own.
    bands
        Named bands of scores, highest first, as (lower bound, name): `game.bands`.
    unit
        What the scores are, for the labels.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or a strategy has no counts.
    """
    names, values, counts = read_columns(scores, ("strategy", "score", "count"))
    values, counts = read_numbers(values, "score"), read_counts(counts)
    edges, width = bar_edges(values)
    strategies = list(dict.fromkeys(names.tolist()))
    with house_style():
        if ax is None:
            expected = [f"{drawable(name)}, mean {points(-100)}" for name in strategies]
            ax = new_axes(height=mpl.rcParams["figure.figsize"][1] + legend_height(expected))
        handles: list[Artist] = []
        labels = []
        highest = 0.0
        few = len(strategies) <= MOST_FILLED
        for name, look in zip(strategies, looks(len(strategies)), strict=True):
            own = names == name
            total = counts_total(counts[own], str(name))
            shares = np.histogram(values[own], bins=edges, weights=counts[own])[0] / total
            mean = float(values[own] @ counts[own]) / total
            colour, dashes, marker = look["color"], look["linestyle"], look["marker"]
            ax.stairs(shares, edges, color=colour, linestyle=dashes, linewidth=1.7, zorder=3)
            if few:
                ax.stairs(shares, edges, fill=True, color=colour, alpha=0.10, linewidth=0, zorder=2)
            ax.plot(
                [mean],
                [0.0],
                color=colour,
                marker=marker,
                markersize=8,
                markeredgecolor="white",
                markeredgewidth=1.0,
                linestyle="none",
                clip_on=False,
                zorder=5,
            )
            handles.append(
                Line2D([], [], color=colour, linestyle=dashes, linewidth=1.7, marker=marker, markeredgecolor="white")
            )
            labels.append(f"{drawable(name)}, mean {points(mean)}")
            highest = max(highest, float(shares.max()))
        ax.set_xlim(edges[0], edges[-1])
        ax.set_ylim(0, highest * (1.22 if bands else 1.06))
        draw_bands(ax, bands, width)
        ax.set_xlabel(f"{unit.noun} ({unit.a_game})")
        ax.set_ylabel(share_label(width, values, unit))
        score_ticks(ax)
        legend_above(ax, handles, labels)
    return ax


def score_ecdf(
    cdf: "pl.DataFrame | pd.DataFrame",
    *,
    confidence: float = 0.95,
    bands: Sequence[tuple[int, str]] = (),
    unit: Unit = POINTS,
    ax: Axes | None = None,
) -> Axes:
    """Draw what share of games has each score or less, with a band around the whole curve.

    Parameters
    ----------
    cdf
        Columns `strategy`, `score` (points a game), `cdf`, and the ends `low` and `high` of the simultaneous band of
        Dvoretzky, Kiefer and Wolfowitz, which holds the whole curve at once; nan or null where it is not known.
        `Distribution.cdf` makes it.
    confidence
        The confidence of the bands, for their label.
    bands
        Named bands of scores, highest first, as (lower bound, name): `game.bands`.
    unit
        What the scores are, for the labels.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no rows.
    """
    names, *columns = read_columns(cdf, ("strategy", "score", "cdf", "low", "high"))
    values, shares = read_numbers(columns[0], "score"), read_numbers(columns[1], "cdf")
    lows, highs = (read_numbers(side, "value", finite=False) for side in columns[2:])
    strategies = list(dict.fromkeys(names.tolist()))
    spacing = np.diff(np.unique(values))
    step = float(spacing.min()) if spacing.size else 1.0
    left, right = float(values.min()) - step, float(values.max()) + step
    with house_style():
        labels = [drawable(name) for name in strategies]
        if np.isfinite(lows).any():
            labels.append(f"holds the whole curve at once ({100 * confidence:.10g}\N{NO-BREAK SPACE}% DKW band)")
        if ax is None:
            ax = new_axes(height=mpl.rcParams["figure.figsize"][1] + legend_height(labels))
        handles: list[Artist] = []
        for name, look in zip(strategies, looks(len(strategies)), strict=True):
            own = np.flatnonzero(names == name)
            own = own[np.argsort(values[own], kind="stable")]
            colour = look["color"]
            # A step goes on to the edge: nobody scores beyond what occurred.
            at = np.concatenate([values[own], [right]])
            low, high = (np.concatenate([side[own], side[own[-1:]]]) for side in (lows, highs))
            ax.fill_between(at, low, high, step="post", color=colour, alpha=0.16, linewidth=0, zorder=2)
            ax.step(
                np.concatenate([[left], at]),
                np.concatenate([[0.0], shares[own], shares[own[-1:]]]),
                where="post",
                color=colour,
                linestyle=look["linestyle"],
                marker="none",
                linewidth=1.7,
                zorder=3,
            )
            handles.append(Line2D([], [], color=colour, linestyle=look["linestyle"], linewidth=1.7))
        if len(labels) > len(handles):
            handles.append(Patch(color=QUIET, alpha=0.3, linewidth=0))
        ax.set_xlim(left, right)
        ax.set_ylim(0, 1.22 if bands else 1.02)
        draw_bands(ax, bands, step)
        score_ticks(ax)
        ax.set_yticks(np.linspace(0, 1, 6))
        ax.set_xlabel(f"{unit.noun} ({unit.a_game})")
        ax.set_ylabel(f"share of games with this {unit.noun} or less")
        legend_above(ax, handles, labels)
    return ax


def rank_bands(bands: "pl.DataFrame | pd.DataFrame", *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw how often each strategy reaches each named rank, one bar a strategy.

    Parameters
    ----------
    bands
        Columns `strategy`, `band`, `share`, and the ends `low` and `high` of its interval, highest band first, as
        `Distribution.bands` returns them.
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
        When a column is missing, there are no rows, or a strategy has a band twice.
    """
    table = read_table(bands, ("strategy", "band", "share", "low", "high"))
    names, ranks = texts(column(table, "strategy")), texts(column(table, "band"))
    shares = read_numbers(column(table, "share"), "share", finite=False)
    lows, highs = (read_numbers(column(table, name), "value", finite=False) for name in ("low", "high"))
    rows = {}
    for place, key in enumerate(zip(names, ranks, strict=True)):
        if key in rows:
            raise UsageError(f"the band {drawable(key[1])} of {drawable(key[0])} stands there twice: give one row each")
        rows[key] = place
    strategies, order = list(dict.fromkeys(names)), list(dict.fromkeys(ranks))[::-1]
    with house_style():
        ax, places = row_axes(ax, strategies, row=0.5, extra=0.2 + 0.1 * len(order))
        ax.grid(visible=False)
        # The ends of the map are too dark to tell the highest rank from black, and too light for white paper.
        colours = mpl.colormaps[SEQUENTIAL](np.linspace(0.97, 0.12, len(order)))
        for strategy, place in zip(strategies, places, strict=True):
            reached = 0.0
            for rank, colour in zip(order, colours, strict=True):
                at = rows.get((strategy, rank))
                share = 0.0 if at is None or not math.isfinite(shares[at]) else float(shares[at])
                ax.barh([place], [share], 0.72, left=[reached], color=colour, edgecolor="white", linewidth=0.8)
                if at is not None and share >= LEAST_NAMED:
                    half = (highs[at] - lows[at]) / 2
                    known = f"\n{half_width(half)}" if math.isfinite(half) else ""
                    ax.text(
                        reached + share / 2,
                        place,
                        f"{100 * share:.0f}{known}",
                        ha="center",
                        va="center",
                        fontsize=8.5,
                        linespacing=1.0,
                        color=ink(colour),
                    )
                reached += share
        ax.set_xlim(0, 1)
        share_axis(ax.xaxis)
        ax.set_xlabel(f"share of games, in %, ± half of its {confident(confidence)}")
        handles = [Patch(facecolor=colour) for colour in colours]
        legend_above(ax, handles, [drawable(rank) for rank in order])
    return ax


# --- Parts -----------------------------------------------------------------------------------------------------------


def draw_bands(ax: Axes, bands: Sequence[tuple[int, str]], width: float) -> None:
    """Shade named bands of scores, highest first, behind bars of a width; names stand at the top."""
    left, right = ax.get_xlim()
    end = right
    for place, (lowest, name) in enumerate(bands):
        start = max(lowest - width / 2, left)
        if start < end:
            ax.axvspan(start, end, facecolor=BAND_SHADES[place % 2], linewidth=0, zorder=0)
            if start > left:
                ax.axvline(start, color="#CFCFCF", linewidth=0.7, zorder=1)
            share = (end - start) / (right - left)
            words = drawable(name) if share >= LEAST_BAND else ""
            ax.text(
                (start + end) / 2,
                0.985,
                words if share < 0.08 else words.replace(" ", "\n"),
                transform=ax.get_xaxis_transform(),
                ha="center",
                va="top",
                rotation=90 if share < 0.08 else 0,
                fontsize=8,
                color=QUIET,
                parse_math=False,
                zorder=4,
            )
        end = min(end, start)
