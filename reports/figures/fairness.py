"""Is the game fair, and what decides it: what the seats get, what skill is worth, and what is luck."""

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from analysis.comparisons import POINTS, Unit
from reports.figures.frames import column, read_columns, read_numbers, read_table, texts
from reports.figures.style import (
    BAND_SHADES,
    FAINT,
    MARGIN_LOOK,
    QUIET,
    Look,
    beside,
    draw_interval,
    drawable,
    house_style,
    legend_above,
    looks,
    number_axis,
    row_axes,
    share_axis,
)
from reports.figures.words import confident, decimals, percent, percent_span, points
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

KINDS = {
    "luck": ("luck: no strategy can change it", None),
    "skill": ("skill: the strategy, whatever the luck", "////"),
    "both": ("both together, and chance in play", "...."),
}


def seat_shares(
    seats: "pl.DataFrame | pd.DataFrame",
    *,
    fair: float | None = None,
    margin: float | None = None,
    confidence: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of wins of each seat (or side) with its interval, against the fair share.

    Parameters
    ----------
    seats
        Columns `name`, `wins` and the ends `low` and `high` of its interval, which may be nan or null:
        `Seats.summary`.
    fair
        The share that every seat would have: `Seats.fair`; a line.
    margin
        The difference from it that does not matter: `Seats.margin`; shaded about the line.
    confidence
        The confidence of the intervals, for their label.
    ax
        Where to draw; by default a new figure whose height fits the number of seats.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, there are no seats, or a margin stands without a fair share.
    """
    if margin is not None and fair is None:
        raise UsageError(f"margin={margin!r} is about a fair share: give fair as well")
    names, *columns = read_columns(seats, ("name", "wins", "low", "high"))
    wins = read_numbers(columns[0], "share")
    lows, highs = (read_numbers(values, "value", finite=False) for values in columns[1:])
    with house_style():
        ax, places = row_axes(ax, texts(names), extra=0.5)
        handles: list[Artist] = []
        labels = []
        if fair is not None:
            ax.axvline(fair, color="black", linewidth=1.1, zorder=3)
            handles.append(Line2D([], [], color="black", linewidth=1.1))
            labels.append(f"fair: {percent(fair)} of wins for everyone")
        if fair is not None and margin:
            ax.axvspan(fair - margin, fair + margin, zorder=1, **MARGIN_LOOK)
            handles.append(Patch(**MARGIN_LOOK))
            labels.append(f"margin: ±{100 * margin:.10g} percentage points do not matter")
        look = looks(1)[0]
        for place, share, low, high in zip(places, wins, lows, highs, strict=True):
            known = math.isfinite(low) and math.isfinite(high)
            draw_interval(ax, place, share, low, high, colour=look["color"], marker=look["marker"])
            words = percent_span(low, high) if known else "too few blocks"
            beside(ax, place, f"{percent(share)} ({words})" if known else f"{percent(share)}, {words}")
        ends = [end for end in (*wins, *lows, *highs) if math.isfinite(end)]
        if fair is not None:
            ends += [fair - 1.25 * (margin or 0), fair + 1.25 * (margin or 0)]
        room = 0.06 * (max(ends) - min(ends)) or 0.05
        ax.set_xlim(min(ends) - room, max(ends) + room)
        share_axis(ax.xaxis, 4)
        ax.set_xlabel(f"share of wins and {confident(confidence)}")
        if handles:
            legend_above(ax, handles, labels)
    return ax


def skill_ladder(
    rungs: "pl.DataFrame | pd.DataFrame",
    *,
    unit: Unit = POINTS,
    confidence: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw players from strong to weak with their means, and the levels that the data tell apart.

    Parameters
    ----------
    rungs
        Columns `strategy`, `mean`, the ends `low` and `high` of its interval, and `level` from 1 (null: not known), in
        the order of the ladder: `Ladder.summary`.
    unit
        What the means count.
    confidence
        The confidence of the intervals, for their label.
    ax
        Where to draw; by default a new figure whose height fits the number of players.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or there are no players.
    """
    names, *columns = read_columns(rungs, ("strategy", "mean", "low", "high", "level"))
    means = read_numbers(columns[0], "mean")
    lows, highs, levels = (read_numbers(values, "value", finite=False) for values in columns[1:])
    with house_style():
        ax, places = row_axes(ax, texts(names))
        look = looks(1)[0]
        for place, mean, low, high in zip(places, means, lows, highs, strict=True):
            known = math.isfinite(low) and math.isfinite(high)
            draw_interval(ax, place, mean, low, high, colour=look["color"], marker=look["marker"])
            digits = decimals(low, high) if known else 2
            beside(ax, place, f"{points(mean, digits)} ± {points((high - low) / 2, digits)}" if known else points(mean))
        # Room for the names of the levels, left of all that is drawn.
        ends = np.concatenate([means, lows[np.isfinite(lows)], highs[np.isfinite(highs)]])
        reach = float(np.ptp(ends)) or 1.0
        told = np.isfinite(levels).all()
        ax.set_xlim(float(ends.min()) - reach * (0.30 if told else 0.06), float(ends.max()) + 0.06 * reach)
        for first, last, level in _runs(levels.tolist()) if told else ():
            bottom, top = places[last] - 0.5, places[first] + 0.5
            ax.axhspan(bottom, top, facecolor=BAND_SHADES[int(level) % 2], linewidth=0, zorder=0)
            if first:
                ax.axhline(top, color=FAINT, linewidth=0.8, zorder=1)
            ax.annotate(
                f"level {level:.0f}",
                (0.0, (bottom + top) / 2),
                xycoords=ax.get_yaxis_transform(),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8.5,
                color=QUIET,
            )
        number_axis(ax.xaxis, 5)
        left, right = ax.get_xlim()
        # The room on the left is no part of the scale: means may have none below 0.
        ax.set_xticks([tick for tick in ax.get_xticks() if left <= tick <= right and tick >= ends.min() - 0.1 * reach])
        ax.set_xlabel(f"mean {unit.noun} and {confident(confidence)} ({unit.a_game})")
    return ax


def luck_and_skill(split: "pl.DataFrame | pd.DataFrame", *, ax: Axes | None = None) -> Axes:
    """Draw what the variance of scores comes from, one cause a line.

    Parameters
    ----------
    split
        Columns `cause`, `share` of the variance (an estimate of a small one can be below 0), and `kind`, one of "luck",
        "skill" and "both": `VarianceSplit.summary`.
    ax
        Where to draw; by default a new figure whose height fits the number of causes.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, there are no causes, a kind is unknown, or no share is known.
    """
    table = read_table(split, ("cause", "share", "kind"))
    causes, kinds = texts(column(table, "cause")), texts(column(table, "kind"))
    shares = read_numbers(column(table, "share"), "share", finite=False)
    unknown = next((kind for kind in kinds if kind not in KINDS), None)
    if unknown is not None:
        raise UsageError(f"the kind {drawable(unknown)} of a cause is unknown: it is one of {', '.join(KINDS)}")
    if not np.isfinite(shares).any():
        raise UsageError("no share of the variance is known: scores that never vary have no causes to tell apart")
    with house_style():
        colours = [look["color"] for look in looks(2)]
        styles: dict[str, Look] = {
            kind: {"facecolor": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0.0}
            for (kind, (_, hatch)), colour in zip(KINDS.items(), [*colours, FAINT], strict=True)
        }
        ax, places = row_axes(ax, [cause.replace(":", " × ") for cause in causes], row=0.36, extra=0.6)
        known = shares[np.isfinite(shares)]
        low, high = min(float(known.min()), 0.0), max(float(known.max()), 0.0)
        for place, share, kind in zip(places, shares, kinds, strict=True):
            if math.isfinite(share):
                ax.barh([place], [share], 0.66, zorder=3, **styles[kind])
            beside(ax, place, points(100 * share, 1) + "\N{NO-BREAK SPACE}%" if math.isfinite(share) else "not known")
        ax.axvline(0, color="black", linewidth=0.9, zorder=4)
        room = 0.06 * (high - low)
        ax.set_xlim(low - room * (low < 0), high + room)
        share_axis(ax.xaxis, 4)
        ax.set_xlabel("share of the variance of scores")
        here = [kind for kind in KINDS if kind in kinds]
        sums = {kind: float(np.nansum([s for s, k in zip(shares, kinds, strict=True) if k == kind])) for kind in here}
        words = [f"{KINDS[kind][0]}, {points(100 * sums[kind], 1)}\N{NO-BREAK SPACE}% in all" for kind in here]
        legend_above(ax, [Patch(**styles[kind]) for kind in here], words)
    return ax


def _runs(levels: list[float]) -> list[tuple[int, int, float]]:
    """Return where each stretch of equal levels begins and ends."""
    starts = [at for at, level in enumerate(levels) if not at or level != levels[at - 1]]
    return [(first, end - 1, levels[first]) for first, end in zip(starts, [*starts[1:], len(levels)], strict=True)]
