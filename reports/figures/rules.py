"""What the rules do: how far each option moves a result, and where two strategies change places."""

import math
from typing import TYPE_CHECKING, Any

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reports.figures.frames import column, read_numbers, read_table, texts
from reports.figures.style import (
    FAINT,
    QUIET,
    Look,
    beside,
    draw_interval,
    drawable,
    house_style,
    legend_above,
    legend_height,
    looks,
    new_axes,
    number_axis,
    row_axes,
)
from reports.figures.words import wrapped
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

MOST_STOPS = 20
"""Of more points of a sweep not every one is named below the axes."""

TOLD = 3
"""So many flips are told in words; the frame has all."""


def rule_sensitivity(
    effects: "pl.DataFrame | pd.DataFrame",
    *,
    measure: str = "mean_score",
    label: str | None = None,
    order: "pl.DataFrame | pd.DataFrame | None" = None,
    confidence: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Draw what each point of a sweep changes against the base, one point a line, with a mark for each strategy.

    Filled marks are clear effects; hollow ones could be chance.

    Parameters
    ----------
    effects
        Columns `point`, one for each axis that is varied, `changed` (the names of those that are not as at the base),
        `strategy`, `measure`, `effect`, the ends `low` and `high` of its interval, and `clear`: `Sweep.effects`.
    measure
        Which statistic is drawn.
    label
        What it is, in words, for the axis.
    order
        `Sweep.order`: then the points at which two strategies surely stand in the opposite order to the base are
        marked, with their names.
    confidence
        The confidence of the intervals, for their label.
    ax
        Where to draw; by default a new figure whose height fits the number of points.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, or the measure has no rows.
    """
    needed = ("point", "changed", "strategy", "measure", "effect", "low", "high", "clear")
    whole = read_table(effects, needed)
    known = list(dict.fromkeys(texts(column(whole, "measure"))))
    if measure not in known:
        raise UsageError(f"the frame has no measure {measure!r}: it has {', '.join(known)}")
    table = whole.filter(pl.col("measure").cast(pl.String) == measure)
    names = texts(column(table, "strategy"))
    effect = read_numbers(column(table, "effect"), "effect", finite=False)
    lows, highs = (read_numbers(column(table, name), "value", finite=False) for name in ("low", "high"))
    settings = {row["point"]: _changed(row) for row in table.iter_rows(named=True)}
    strategies = list(dict.fromkeys(names))
    flips = {} if order is None else _flips_from_base(_read_order(order))
    with house_style():
        rows = [words if point in settings else str(point) for point, words in settings.items()]
        row = 0.20 + 0.22 * len(strategies)
        extra = 0.45 + legend_height([drawable(name) for name in strategies], 40)
        ax, places = row_axes(ax, rows, row=row, extra=extra, width=24)
        where = dict(zip(settings, places, strict=True))
        styles = dict(zip(strategies, looks(len(strategies)), strict=True))
        step = min(0.7 / max(len(strategies) - 1, 1), 0.26)
        for place in places[:-1]:
            ax.axhline(place - 0.5, color="#E3E3E3", linewidth=0.7, zorder=1)
        for point, name, value, low, high, clear in zip(
            column(table, "point"), names, effect, lows, highs, column(table, "clear"), strict=True
        ):
            if not math.isfinite(value):
                continue
            place = where[point] + step * ((len(strategies) - 1) / 2 - strategies.index(name))
            look = styles[name]
            draw_interval(ax, place, value, low, high, colour=look["color"], marker=look["marker"], hollow=not clear)
        for point, place in where.items():
            if point in flips:
                first, *more = flips[point]
                beside(ax, place, first + (f"\nand {len(more)} more" if more else ""))
        ax.axvline(0, color="black", linewidth=0.9, zorder=2)
        ax.margins(x=0.06)
        number_axis(ax.xaxis, 5)
        told = label or f"change of {measure.replace('_', ' ')}"
        interval = f"{100 * confidence:.10g}\N{NO-BREAK SPACE}% intervals"
        ax.set_xlabel(f"{wrapped(drawable(told), 48)}\nagainst the base, with {interval}", parse_math=False)
        handles: list[Artist] = [_marker(look["color"], look["marker"]) for look in styles.values()]
        labels = [drawable(name) for name in strategies]
        if not all(column(table, "clear")):
            handles.append(_marker(QUIET, "o", hollow=True))
            labels.append("hollow: could be chance")
        legend_above(ax, handles, labels)
    return ax


def ranking_flips(
    means: "pl.DataFrame | pd.DataFrame",
    *,
    order: "pl.DataFrame | pd.DataFrame | None" = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how the order of the strategies changes from point to point of a sweep.

    Parameters
    ----------
    means
        Columns `point`, one for each axis that is varied, `strategy` and `mean`: `Sweep.summary`.
    order
        `Sweep.order`: then the strategies whose order surely flips are drawn in full, all others in grey, and the flips
        are told above. Without it all are drawn in full, and nothing is said to be sure.
    ax
        Where to draw; by default a new figure whose height fits the number of strategies.

    Returns
    -------
    Axes

    Raises
    ------
    UsageError
        When a column is missing, there are no rows, or a strategy has no mean at some point.
    """
    table = read_table(means, ("point", "strategy", "mean"))
    names, points = texts(column(table, "strategy")), column(table, "point").tolist()
    values = read_numbers(column(table, "mean"), "mean")
    strategies, stops = list(dict.fromkeys(names)), list(dict.fromkeys(points))
    at = {key: value for key, value in zip(zip(points, names, strict=True), values, strict=True)}
    if len(at) != len(stops) * len(strategies) or len(at) != len(values):
        raise UsageError("a strategy has no mean at some point, or two: give one row for each point and strategy")
    axes = table.columns[table.columns.index("point") + 1 : table.columns.index("strategy")]
    # Equal means keep the order of the frame, so that no two strategies share a place.
    ranks = {
        stop: {name: place for place, name in enumerate(sorted(strategies, key=lambda name: -at[stop, name]), 1)}
        for stop in stops
    }
    pairs = {} if order is None else _sure_flips(_read_order(order))
    sure = {name for pair in pairs for name in pair} if order is not None else set(strategies)
    first = next(iter(table.iter_rows(named=True)))
    labels = []
    for stop in stops:
        row = next(row for row in table.iter_rows(named=True) if row["point"] == stop)
        changed = [axis for axis in axes if row[axis] != first[axis]] if stop != stops[0] and len(axes) > 1 else axes
        words = ", ".join(f"{axis}={row[axis]}" if len(axes) > 1 else str(row[axis]) for axis in changed)
        labels.append(f"{stop}: {words}" if words else str(stop))
    with house_style():
        told = [] if order is None else _flip_words(pairs)
        long = len(stops) > 4 or max(map(len, labels)) > 60 // len(stops)
        height = 1.5 + 0.36 * len(strategies) + 0.3 * len(told) + (1.2 if long else 0.2)
        ax = new_axes(height=max(height, 2.6)) if ax is None else ax
        ax.grid(visible=False, axis="y")
        for name, look in zip(strategies, looks(len(strategies)), strict=True):
            line: dict[str, Any] = {
                "color": look["color"],
                "linestyle": look["linestyle"],
                "linewidth": 2.0,
                "zorder": 4,
            }
            if name not in sure:
                line |= {"color": FAINT, "linewidth": 1.3, "zorder": 3}
            heights = [ranks[stop][name] for stop in stops]
            marker = look["marker"] if len(stops) <= MOST_STOPS else "none"
            ax.plot(range(len(stops)), heights, marker=marker, markersize=7, markeredgecolor="white", **line)
        base = sorted(strategies, key=lambda name: ranks[stops[0]][name])
        ax.set_yticks(range(1, len(base) + 1), [wrapped(drawable(name), 26, 2) for name in base], parse_math=False)
        end = ax.secondary_yaxis("right")
        last = sorted(strategies, key=lambda name: ranks[stops[-1]][name])
        end.set_yticks(range(1, len(last) + 1), [str(place) for place in range(1, len(last) + 1)])
        for side in (ax.yaxis, end.yaxis):
            side.set_tick_params(length=0, labelcolor="#222222", labelsize=9.5)
        end.spines["right"].set_visible(False)
        ax.spines["left"].set_visible(False)
        ax.set_ylim(len(strategies) + 0.5, 0.5)
        ax.set_xlim(-0.25, len(stops) - 0.75)
        width = 24 if long else max(60 // len(stops), 8)
        shown = range(0, len(stops), math.ceil(len(stops) / MOST_STOPS))
        ax.set_xticks(
            shown,
            [wrapped(drawable(labels[place]), width, 3 if len(shown) <= MOST_STOPS // 2 else 1) for place in shown],
            parse_math=False,
            rotation=90 if long else 0,
        )
        title = ", ".join(axes) if len(axes) == 1 else "what is changed against the first point"
        ax.set_xlabel(wrapped(drawable(title)), parse_math=False)
        ax.set_ylabel("order at the first point, best on top")
        if told:
            legend_above(ax, [], told)
    return ax


# --- Points and flips ------------------------------------------------------------------------------------------------


def _changed(row: dict[str, Any]) -> str:
    """Return what is set at a point that is not as at the base."""
    names = [name for name in str(row["changed"]).split(", ") if name in row]
    return ", ".join(f"{name}={row[name]}" for name in names) or f"point {row['point']}"


def _read_order(order: "pl.DataFrame | pd.DataFrame") -> pl.DataFrame:
    """Return the frame of pairs; one strategy alone has none, and then no columns either."""
    names = ("point", "a", "b", "better")
    if not len(order):
        return pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    return read_table(order, names)


def _better(order: pl.DataFrame) -> dict[tuple[str, str], dict[Any, str]]:
    """Return by pair and point which of them surely is better, where one is."""
    found: dict[tuple[str, str], dict[Any, str]] = {}
    for row in order.iter_rows(named=True):
        if row["better"] is not None:
            found.setdefault((str(row["a"]), str(row["b"])), {})[row["point"]] = str(row["better"])
    return found


def _flips_from_base(order: pl.DataFrame) -> dict[Any, list[str]]:
    """Return by point, in words, the pairs whose order there surely is not that of the first point."""
    found: dict[Any, list[str]] = {}
    if order.is_empty():
        return found
    base = order["point"][0]
    for pair, better in _better(order).items():
        for point, winner in better.items():
            if base in better and winner != better[base]:
                loser = pair[0] if winner == pair[1] else pair[1]
                words = f"flips: {wrapped(drawable(winner), 20, 1)}\nahead of {wrapped(drawable(loser), 17, 1)}"
                found.setdefault(point, []).append(words)
    return found


def _sure_flips(order: pl.DataFrame) -> dict[tuple[str, str], dict[Any, str]]:
    return {pair: better for pair, better in _better(order).items() if len(set(better.values())) > 1}


def _flip_words(pairs: dict[tuple[str, str], dict[Any, str]]) -> list[str]:
    if not pairs:
        return ["no order surely flips"]
    told = []
    for (a, b), better in list(pairs.items())[:TOLD]:
        first, second = (_listed([point for point, winner in better.items() if winner == name]) for name in (a, b))
        told.append(f"{drawable(a)} is surely ahead at {first}; {drawable(b)} at {second}")
    if len(pairs) > TOLD:
        told.append(f"{len(pairs) - TOLD:,} more pairs surely flip")
    return told


def _listed(points: list[Any]) -> str:
    """Return ascending numbers of points in words, neighbours together."""
    runs: list[list[Any]] = []
    for point in points:
        if runs and point == runs[-1][-1] + 1:
            runs[-1].append(point)
        else:
            runs.append([point])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _marker(colour: str, marker: str, *, hollow: bool = False) -> Line2D:
    fill: Look = {"markerfacecolor": "white"} if hollow else {}
    return Line2D([], [], color=colour, marker=marker, markersize=5.5, linestyle="none", **fill)
