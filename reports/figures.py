"""Figures: functions that take frames and return matplotlib Axes. They count nothing and decide nothing.

Each function draws into the Axes that it is given, or into a new figure that pyplot does not know of, so none needs a
display. In a notebook, end a cell with `score_distributions(frame).figure`. Frames are Polars or pandas frames.
"""

import io
import math
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import matplotlib.style
import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from analysis.comparisons import POINTS, Unit
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

STYLE = Path(__file__).with_name("crosslab.mplstyle")

MOST_BARS = 120
"""Finer scores than this many bars can show are drawn in wider bars."""

MOST_FILLED = 3
"""With more strategies than this, shaded areas would hide one another."""

FINEST_SCALE = 1_000
"""Scores are taken to be whole multiples of 1/n points, with n up to this number."""

NAME_WIDTH = 58
"""Longer legend lines are wrapped, in characters."""

BAND_SHADES = ("#FFFFFF", "#F4F4F4")
QUIET = "#6B6B6B"
TIE = "#BBBBBB"

# Matplotlib's settings belong to the whole process: two threads that change and restore them must not overlap.
_LOCK = threading.RLock()


@contextmanager
def house_style() -> Iterator[None]:
    """Use the project's style sheet inside a `with` block and restore the user's settings after it."""
    with _LOCK, matplotlib.style.context(STYLE, after_reset=True):
        yield


def printable(text: str) -> str:
    """Return a text with control characters spelt out: fonts and XML have none."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


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
    names, values, counts = _columns(scores, ("strategy", "score", "count"))
    values, counts = _numbers(values, "score"), _counts(counts)
    edges, width = bar_edges(values)
    with house_style():
        ax = _new_axes() if ax is None else ax
        handles: list[Artist] = []
        labels = []
        highest = 0.0
        looks = mpl.rcParams["axes.prop_cycle"]()
        strategies = list(dict.fromkeys(names.tolist()))
        few = len(strategies) <= MOST_FILLED
        for name in strategies:
            own = names == name
            total = _total(counts[own], str(name))
            shares = np.histogram(values[own], bins=edges, weights=counts[own])[0] / total
            mean = float(values[own] @ counts[own]) / total
            look = next(looks)
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
            labels.append(f"{printable(str(name))}, mean {points(mean)}")
            highest = max(highest, float(shares.max()))
        ax.set_xlim(edges[0], edges[-1])
        ax.set_ylim(0, highest * (1.22 if bands else 1.06))
        _draw_bands(ax, bands, width)
        ax.set_xlabel(f"{unit.noun} ({unit.a_game})")
        ax.set_ylabel(_share_label(width, values, unit))
        _ticks(ax)
        _legend_above(ax, handles, labels)
    return ax


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
    values, counts = _columns(differences, ("difference", "count"))
    values, counts = _numbers(values, "difference"), _counts(counts)
    total = _total(counts, "the differences")
    edges, width = bar_edges(values)
    a, b = (printable(label) for label in labels)
    with house_style():
        ax = _new_axes() if ax is None else ax
        looks = mpl.rcParams["axes.prop_cycle"]()
        colours = [next(looks)["color"] for _ in range(2)]
        kinds = (
            (f"{a} {unit.did} more", values > 0, colours[0], None),
            (f"{b} {unit.did} more", values < 0, colours[1], "////"),
            (f"the same {unit.noun}", values == 0, TIE, None),
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
            look = {"facecolor": "#009E7355", "edgecolor": "#009E73", "hatch": "\\\\\\\\", "linewidth": 0.9}
            ax.axvspan(-margin, margin, zorder=3, **look)
            handles.append(Patch(**look))
            names.append(f"margin: ±{margin:.10g} {unit.name}, too little to matter")
        if effect is not None and math.isfinite(effect):
            known = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
            ends = (low, high) if low is not None and high is not None and known else (effect, effect)
            mean = ax.errorbar(
                [effect],
                [top * 1.09],
                xerr=[[effect - ends[0]], [ends[1] - effect]] if known else None,
                **_mark("black", "D"),
            )
            ax.vlines(effect, 0, top * 1.09, color="black", linewidth=0.9, linestyle=(0, (3, 2)), zorder=5)
            handles.append(mean)
            interval = f" ({100 * confidence:.10g}\N{NO-BREAK SPACE}% interval {span(*ends)})" if known else ""
            names.append(f"mean: {points(effect, decimals(*ends))} {unit.name}{interval}")
        reach = [edges[0], edges[-1], -1.2 * (margin or 0), 1.2 * (margin or 0)]
        ax.set_xlim(min(reach) - width / 2, max(reach) + width / 2)
        ax.set_ylim(0, top * 1.18)
        where = f"on the same deal ({unit.a_game})"
        pair = _wrapped(f"{a} minus {b}")
        ax.set_xlabel(
            f"{pair} {where}" if len(pair) + len(where) < NAME_WIDTH else f"{pair}\n{where}", parse_math=False
        )
        ax.set_ylabel(_share_label(width, values, unit, "blocks"))
        _ticks(ax)
        _legend_above(ax, handles, names)
    return ax


def intervals(frame: "pl.DataFrame | pd.DataFrame", *, confidence: float = 0.95, ax: Axes | None = None) -> Axes:
    """Draw the means of strategies with their intervals, one a line, in the order of the frame.

    Parameters
    ----------
    frame
        Columns `strategy`, `mean`, `low` and `high`, in points a game; `low` and `high` may be nan or null.
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
    names, *columns = _columns(frame, ("strategy", "mean", "low", "high"))
    means, lows, highs = (_numbers(column, "value", finite=False) for column in columns)
    places = np.arange(len(names))[::-1]
    with house_style():
        ax = _new_axes(height=1.1 + 0.42 * len(names)) if ax is None else ax
        ax.grid(visible=False, axis="y")
        ax.grid(visible=True, axis="x")
        style = next(mpl.rcParams["axes.prop_cycle"]())
        for place, mean, low, high in zip(places, means, lows, highs, strict=True):
            known = math.isfinite(low) and math.isfinite(high)
            ax.errorbar(
                [mean],
                [place],
                xerr=[[mean - low], [high - mean]] if known else None,
                **_mark(style["color"], style["marker"]),
            )
            words = f"{points(mean, decimals(low, high))} ({span(low, high)})" if known else "too few blocks"
            ax.annotate(
                words if math.isfinite(mean) else "not known",
                (1.0, place),
                xycoords=ax.get_yaxis_transform(),
                xytext=(8, 0),
                textcoords="offset points",
                va="center_baseline",
                ha="left",
                fontsize=9.5,
                annotation_clip=False,
            )
        ax.set_yticks(places, [_wrapped(printable(str(name)), 36) for name in names], parse_math=False)
        ax.tick_params(axis="y", length=0)
        ax.set_ylim(-0.6, len(names) - 0.4)
        ax.margins(x=0.06)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel(f"mean and {100 * confidence:.10g}\N{NO-BREAK SPACE}% interval (points a game)")
    return ax


def render(figure: Figure, kind: Literal["svg", "png"], *, title: str = "") -> bytes:
    """Return a figure as a file's bytes: the same bytes for the same figure, without a date.

    Parameters
    ----------
    figure
        The figure, such as `score_distributions(frame).figure`.
    kind
        "svg" or "png".
    title
        What the figure shows, in words; kept in the file for people who do not see it.
    """
    buffer = io.BytesIO()
    metadata: dict[str, Any] = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
    if title:
        metadata["Title"] = printable(title)
    with house_style():
        figure.savefig(buffer, format=kind, metadata=metadata)
    return buffer.getvalue()


# --- Bars ------------------------------------------------------------------------------------------------------------


def bar_edges(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the edges of bars that are centred on scores, and their width.

    Parameters
    ----------
    values
        The scores, in points: whole numbers, or whole multiples of 1/n points.

    Returns
    -------
    edges : ndarray, shape (bars + 1,)
        Equally spaced; a bar is centred on 0 when it is in reach.
    width : float
        One step of the scores, or an odd multiple of it when there would be more than `MOST_BARS` bars.
    """
    scale = next(
        (n for n in range(1, FINEST_SCALE) if np.allclose(values * n, np.rint(values * n), rtol=0, atol=1e-6)),
        FINEST_SCALE,
    )
    lowest, highest = float(values.min()), float(values.max())
    # With an odd number of steps a bar no edge meets a score, and the bar of 0 has as many on either side.
    steps = max(1, math.ceil((highest - lowest) * scale / MOST_BARS))
    width = (steps + (steps + 1) % 2) / scale
    first, last = math.floor(lowest / width + 0.5), math.floor(highest / width + 0.5)
    return (np.arange(first, last + 2, dtype=np.float64) - 0.5) * width, width


# --- Reading frames --------------------------------------------------------------------------------------------------


def _columns(frame: "pl.DataFrame | pd.DataFrame", names: tuple[str, ...]) -> list[NDArray[Any]]:
    table = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
    for name in names:
        if name not in table.columns:
            raise UsageError(f"the frame has no column {name!r}: this figure needs {', '.join(names)}")
    if table.is_empty():
        raise UsageError(f"the frame is empty: this figure needs rows with {', '.join(names)}")
    return [np.array(table[name].to_list(), dtype=object) for name in names]


def _numbers(column: NDArray[Any], what: str, *, finite: bool = True) -> NDArray[np.float64]:
    try:
        values = np.array([math.nan if value is None else value for value in column], dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"the column of {what}s holds {column[0]!r}: give numbers") from None
    if finite and not np.isfinite(values).all():
        raise UsageError(f"the column of {what}s holds a value that is no number: drop such rows first")
    return values


def _counts(column: NDArray[Any]) -> NDArray[np.float64]:
    counts = _numbers(column, "count")
    if (counts < 0).any():
        raise UsageError(f"the count {counts.min():.10g} is negative: give counts from 0 up")
    return counts


def _total(counts: NDArray[np.float64], name: str) -> float:
    total = float(counts.sum())
    if not total:
        raise UsageError(f"the counts of {printable(name)} add up to 0: there is nothing to draw")
    return total


# --- Parts of a figure -----------------------------------------------------------------------------------------------


def _new_axes(height: float | None = None) -> Axes:
    width, usual = mpl.rcParams["figure.figsize"]
    ax = Figure(figsize=(width, height or usual)).subplots()
    # Ticks that are only made when the figure is drawn would take the settings of that moment.
    ax.tick_params(
        color=mpl.rcParams["xtick.color"],
        labelcolor=mpl.rcParams["xtick.labelcolor"],
        labelsize=mpl.rcParams["xtick.labelsize"],
    )
    return ax


def _mark(colour: str, marker: str) -> dict[str, Any]:
    """Return how a mean with its interval is drawn."""
    return {
        "color": colour,
        "marker": marker,
        "markersize": 5.5,
        "linestyle": "none",
        "elinewidth": 1.8,
        "capsize": 5,
        "capthick": 1.4,
        "zorder": 6,
    }


def _draw_bands(ax: Axes, bands: Sequence[tuple[int, str]], width: float) -> None:
    left, right = ax.get_xlim()
    end = right
    for place, (lowest, name) in enumerate(bands):
        start = max(lowest - width / 2, left)
        if start < end:
            ax.axvspan(start, end, facecolor=BAND_SHADES[place % 2], linewidth=0, zorder=0)
            if start > left:
                ax.axvline(start, color="#CFCFCF", linewidth=0.7, zorder=1)
            share = (end - start) / (right - left)
            words = printable(name)
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


def _legend_above(ax: Axes, handles: Sequence[Artist | ErrorbarContainer], labels: Sequence[str]) -> None:
    # Some versions of matplotlib leave out labels that begin with "_": the names come in afterwards.
    legend = ax.legend(
        handles,
        [str(place) for place in range(len(labels))],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.03),
        ncols=2 if len(labels) > 3 and max(map(len, labels)) < NAME_WIDTH // 2 else 1,
        alignment="left",
        labelspacing=0.35,
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(_wrapped(label))


def _ticks(ax: Axes) -> None:
    left, right = ax.get_xlim()
    ax.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 2.5, 5, 10], integer=right - left > 2))
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.6g}\N{NO-BREAK SPACE}%"))


def _share_label(width: float, values: NDArray[np.float64], unit: Unit, of: str = "") -> str:
    spacing = np.diff(np.unique(values))
    label = f"share of {of}" if of else "share"
    # Bars of one step need no word; wider ones do.
    return (
        f"{label} (bars of {width:.4g} {unit.name.removesuffix('s') if width == 1 else unit.name})"
        if spacing.size and width > spacing.min() * 1.01
        else label
    )


def _wrapped(text: str, width: int = NAME_WIDTH) -> str:
    """Break a text into lines: after spaces, and after the commas and brackets of specs."""
    lines = [""]
    for piece in re.split(r"(?<=[ ,:(])", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(part for line in lines for part in (line[at : at + width] for at in range(0, len(line), width)))


# --- Numbers as text -------------------------------------------------------------------------------------------------


def decimals(low: float, high: float) -> int:
    """Choose decimals, two to six, so that neither an end of an interval nor its width prints as nothing."""
    shown = (low, high, (high - low) / 2)
    return next((digits for digits in range(2, 6) if not any(0 < abs(value) < 10.0**-digits for value in shown)), 6)


def points(value: float, digits: int = 2) -> str:
    """Return a number of points with a proper minus sign, and no minus before 0.00."""
    return f"{value:z.{digits}f}".replace("-", "\N{MINUS SIGN}")


def span(low: float, high: float) -> str:
    """Return the two ends of an interval."""
    digits = decimals(low, high)
    return f"{points(low, digits)} to {points(high, digits)}"


def percent(share: float) -> str:
    """Return a share in per cent; one that is not 0 or 1 does not read as if it were."""
    if 0 < share < 0.0005:
        return "less than 0.1\N{NO-BREAK SPACE}%"
    if 0.9995 < share < 1:
        return "more than 99.9\N{NO-BREAK SPACE}%"
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"
