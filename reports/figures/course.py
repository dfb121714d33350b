"""How a game runs: how long it takes, who is ahead when, and how much there is to choose from."""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from reports.figures.bars import bar_edges, score_ticks
from reports.figures.frames import Numbers, column, counts_total, read_columns, read_counts, read_numbers, read_table
from reports.figures.style import (
    FAINT,
    QUIET,
    Look,
    drawable,
    house_style,
    legend_above,
    looks,
    new_axes,
    number_axis,
    share_axis,
)
from reports.figures.words import points, wrapped

if TYPE_CHECKING:
    import pandas as pd

MANY_DECADES = 1_000
"""From this ratio on, such an axis names powers of ten only."""

WIDE = 50
"""From this ratio of most to fewest choices on, their axis is logarithmic."""


def game_length(lengths: "pl.DataFrame | pd.DataFrame", *, ax: Axes | None = None) -> Axes:
    """Draw how many turns games have.

    Parameters
    ----------
    lengths
        Columns `turns` and `count` (games): `Balance.lengths`.
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
    turns, games = read_columns(lengths, ("turns", "count"))
    values, counted = read_numbers(turns, "turn"), read_counts(games)
    total = counts_total(counted, "the lengths")
    edges, width = bar_edges(values)
    with house_style():
        ax = new_axes(height=3.2) if ax is None else ax
        look = looks(1)[0]
        shares = np.histogram(values, bins=edges, weights=counted)[0] / total
        ax.stairs(shares, edges, fill=True, facecolor=look["color"], edgecolor="white", linewidth=0.5, zorder=2)
        mean = float(values @ counted) / total
        ax.axvline(mean, color="black", linewidth=1.2, linestyle=(0, (4, 2)), zorder=3)
        ax.set_xlim(edges[0] - width, edges[-1] + width)
        ax.set_ylim(0, float(shares.max()) * 1.06)
        score_ticks(ax)
        ax.set_xlabel("turns of a game" + (f" (bars of {width:.0f})" if width > 1 else ""))
        ax.set_ylabel("share of games")
        mark = Line2D([], [], color="black", linewidth=1.2, linestyle=(0, (4, 2)))
        legend_above(ax, [mark], [f"mean: {points(mean, 1)} turns in {total:,.0f} game{'s' * (total != 1)}"])
    return ax


def lead_over_time(leads: "pl.DataFrame | pd.DataFrame", *, unit: str = "points", ax: Axes | None = None) -> Axes:
    """Draw how far ahead the eventual winner is after each turn: the median game, and how others spread about it.

    Parameters
    ----------
    leads
        Columns `turn`, `games` that have it, and of the eventual winner's lead the quantiles `q05`, `q25`, `median`,
        `q75` and `q95`: `analysis.records.lead_by_turn`.
    unit
        What the lead counts: `game.standing_unit`.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no turns.
    """
    names = ("q05", "q25", "median", "q75", "q95")
    table = _by_turn(leads, ("turn", "games", *names))
    turns, games = read_numbers(column(table, "turn"), "turn"), read_counts(column(table, "games"))
    q05, q25, median, q75, q95 = (read_numbers(column(table, name), "lead") for name in names)
    with house_style():
        ax = new_axes() if ax is None else ax
        look = looks(1)[0]
        outer: dict[str, Any] = {"facecolor": "#CFE1EE", "edgecolor": "none"}
        inner: dict[str, Any] = {"facecolor": "#8DBBD9", "edgecolor": "none"}
        ax.fill_between(turns, q05, q95, zorder=2, **outer)
        ax.fill_between(turns, q25, q75, zorder=3, **inner)
        few = len(turns) <= 30
        marker = look["marker"] if few else "none"
        ax.plot(turns, median, color=look["color"], marker=marker, markersize=4, linewidth=1.8, zorder=5)
        if len(turns) == 1:
            ax.vlines(turns, q05, q95, color=outer["facecolor"], linewidth=8, zorder=2)
            ax.vlines(turns, q25, q75, color=inner["facecolor"], linewidth=8, zorder=3)
        ax.axhline(0, color="black", linewidth=0.9, zorder=4)
        _turn_axis(ax, turns)
        number_axis(ax.yaxis, 7)
        words = wrapped(f"lead of the eventual winner ({drawable(unit)})", 40)
        ax.set_ylabel(f"{words}\nbelow 0: behind", parse_math=False)
        handles = [
            Line2D([], [], color=look["color"], marker=marker, markersize=4, linewidth=1.8),
            Patch(**inner),
            Patch(**outer),
        ]
        legend_above(ax, handles, ["median game", "the middle half of games", "nine games of ten"])
        _mark_ended(ax, turns, games)
    return ax


def winner_over_time(leads: "pl.DataFrame | pd.DataFrame", *, ax: Axes | None = None) -> Axes:
    """Draw in which share of games the eventual winner is ahead, level or behind after each turn.

    Parameters
    ----------
    leads
        Columns `turn`, `games` that have it, and the shares `ahead`, `level` and `behind` of them:
        `analysis.records.lead_by_turn`.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no turns.
    """
    names = ("ahead", "level", "behind")
    table = _by_turn(leads, ("turn", "games", *names))
    turns, games = read_numbers(column(table, "turn"), "turn"), read_counts(column(table, "games"))
    shares = [read_numbers(column(table, name), "share") for name in names]
    with house_style():
        ax = new_axes() if ax is None else ax
        ax.grid(visible=False)
        colours = [look["color"] for look in looks(2)]
        # Turns without a game do not stand in the frame: each bar stands by itself.
        bottom = np.zeros(len(turns))
        handles = []
        for part, colour, hatch in zip(shares, [colours[0], FAINT, colours[1]], (None, None, "////"), strict=True):
            look: dict[str, Any] = {"facecolor": colour, "edgecolor": "white", "hatch": hatch, "linewidth": 0.0}
            ax.bar(turns, part, 1.0 if len(turns) > 40 else 0.9, bottom=bottom, zorder=2, **look)
            handles.append(Patch(**look))
            bottom = bottom + part
        _turn_axis(ax, turns, room=0.6)
        ax.set_ylim(0, 1)
        share_axis(ax.yaxis)
        ax.set_ylabel("share of games")
        legend_above(ax, handles, [f"the eventual winner is {name}" for name in names])
        _mark_ended(ax, turns, games)
    return ax


def choice_width(choices: "pl.DataFrame | pd.DataFrame", *, ax: Axes | None = None) -> Axes:
    """Draw how many different legal moves there are to choose from, turn by turn.

    Parameters
    ----------
    choices
        Columns `turn`, `decisions` that were made in it, `choices` (the mean number of moves), and the quantiles
        `q05`, `median` and `q95` of that number: `analysis.records.choices_by_turn`.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no turns.
    """
    table = _by_turn(choices, ("turn", "decisions", "choices", "q05", "median", "q95"))
    turns, decisions = read_numbers(column(table, "turn"), "turn"), read_counts(column(table, "decisions"))
    names = ("choices", "q05", "median", "q95")
    means, q05, median, q95 = (read_numbers(column(table, name), "number") for name in names)
    with house_style():
        ax = new_axes(height=3.4) if ax is None else ax
        look = looks(1)[0]
        band: dict[str, Any] = {"facecolor": "#CFE1EE", "edgecolor": "none"}
        ax.fill_between(turns, q05, q95, zorder=2, **band)
        if len(turns) == 1:
            ax.vlines(turns, q05, q95, color=band["facecolor"], linewidth=8, zorder=2)
        marker = look["marker"] if len(turns) <= 30 else "none"
        ax.plot(turns, median, color=look["color"], marker=marker, markersize=4, linewidth=1.8, zorder=5)
        mean: Look = {"color": "black", "marker": "none", "linewidth": 1.1, "linestyle": (0, (4, 2))}
        ax.plot(turns, means, zorder=4, **mean)
        most, fewest = float(max(q95.max(), means.max())), float(min(q05.min(), means.min()))
        _turn_axis(ax, turns)
        if fewest > 0 and most / fewest >= WIDE:
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if most / fewest < MANY_DECADES else (1,), numticks=9))
            ax.yaxis.set_minor_locator(NullLocator())
            ax.yaxis.set_major_formatter(
                FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}")
            )
            ax.set_ylim(fewest / 1.15, most * 1.15)
        else:
            ax.set_ylim(0, most * 1.06)
            number_axis(ax.yaxis, 6)
        ax.set_ylabel("different legal moves")
        line = Line2D([], [], color=look["color"], marker=marker, markersize=4, linewidth=1.8)
        handles = [line, Line2D([], [], **mean), Patch(**band)]
        legend_above(ax, handles, ["median decision", "mean", "nine decisions of ten"])
        _mark_ended(ax, turns, decisions, "decisions")
    return ax


def _by_turn(frame: "pl.DataFrame | pd.DataFrame", names: tuple[str, ...]) -> pl.DataFrame:
    return read_table(frame, names).sort("turn")


def _turn_axis(ax: Axes, turns: Numbers, room: float = 0.5) -> None:
    ax.set_xlim(float(turns.min()) - room, float(turns.max()) + room)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=[1, 2, 5, 10], integer=True, min_n_ticks=1))
    ax.set_xlabel("turn")


def _mark_ended(ax: Axes, turns: Numbers, counted: Numbers, what: str = "games") -> None:
    """Mark from where on fewer than half as many count as at the most: what is there is about long games only."""
    few = np.flatnonzero(counted < counted.max() / 2)
    many = np.flatnonzero(counted >= counted.max() / 2)
    if not few.size or few[-1] < many[-1]:
        return
    start = (float(turns[many[-1]]) + float(turns[many[-1] + 1])) / 2
    ax.axvline(start, color="black", linewidth=1.0, linestyle=(0, (1, 2)), zorder=6)
    legend = ax.get_legend()
    assert legend is not None  # every figure by turn has one
    handles = [*legend.legend_handles, Line2D([], [], color="black", linewidth=1.0, linestyle=(0, (1, 2)))]
    words = [text.get_text() for text in legend.get_texts()]
    legend_above(
        ax,
        [handle for handle in handles if handle is not None],
        [*words, f"right of it: fewer than half of the {what}"],
    )
    ax.axvspan(start, ax.get_xlim()[1], facecolor=QUIET, alpha=0.08, linewidth=0, zorder=1)
