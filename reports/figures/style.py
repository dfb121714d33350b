"""The look of all figures, the parts that they share, and figures as files."""

import functools
import io
import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import matplotlib.style
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from reports.figures.words import NAME_WIDTH, printable, wrapped

STYLE = Path(__file__).with_name("crosslab.mplstyle")

BAND_SHADES = ("#FFFFFF", "#F4F4F4")
QUIET = "#6B6B6B"
FAINT = "#BBBBBB"
MARGIN_LOOK: dict[str, Any] = {"facecolor": "#009E7333", "edgecolor": "#009E73", "hatch": "\\\\\\\\", "linewidth": 0.9}

SEQUENTIAL = "cividis"
"""Evenly spaced to the eye, lighter and lighter in grey, and the same to those who see few colours."""

DIVERGING = "PuOr_r"
"""Purple and orange are told apart by all; in grey the sign has to be told otherwise."""

ROW = 0.42  # inches of a line of a figure that has one for each strategy
CLOSE_ROW = 0.27
MANY_ROWS = 25
FIGURE_WIDTH = 70
"""Characters of a legend and of the names beside the axes that fit next to each other."""

SIDE_WIDTH = 30  # characters of names beside the lines

# Matplotlib's settings belong to the whole process: two threads that change and restore them must not overlap.
_LOCK = threading.RLock()

Look = dict[str, Any]


@contextmanager
def house_style() -> Iterator[None]:
    """Use the project's style sheet inside a `with` block and restore the user's settings after it."""
    with _LOCK, matplotlib.style.context(STYLE, after_reset=True):
        yield


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


# --- Names -----------------------------------------------------------------------------------------------------------


@functools.cache
def _glyphs() -> frozenset[int]:
    with house_style():
        return frozenset(get_font(findfont(FontProperties())).get_charmap())


def drawable(text: object) -> str:
    """Return a text with all signs spelt out that the font of the style sheet lacks.

    It is the one that matplotlib brings along, so that figures have the same bytes on every machine.
    """
    known = _glyphs()
    return "".join(
        sign if ord(sign) in known else sign.encode("unicode_escape").decode() for sign in printable(str(text))
    )


# --- Axes ------------------------------------------------------------------------------------------------------------


def new_axes(height: float | None = None, width: float | None = None) -> Axes:
    """Return the axes of a new figure that pyplot does not know of; sizes in inches."""
    usual = mpl.rcParams["figure.figsize"]
    ax = Figure(figsize=(width or usual[0], height or usual[1])).subplots()
    # Ticks that are only made when the figure is drawn would take the settings of that moment.
    ax.tick_params(
        color=mpl.rcParams["xtick.color"],
        labelcolor=mpl.rcParams["xtick.labelcolor"],
        labelsize=mpl.rcParams["xtick.labelsize"],
    )
    return ax


def row_axes(
    ax: Axes | None, names: Sequence[object], *, row: float = ROW, extra: float = 0.0, width: int = SIDE_WIDTH
) -> tuple[Axes, NDArray[np.int64]]:
    """Return axes with a line for each name, the first on top, and the places of the lines.

    Parameters
    ----------
    ax
        None for a new figure of fitting height.
    names
        Of the lines.
    row, extra
        Inches of a line, and of what stands above all.
    width
        Longer names are wrapped, in characters.
    """
    labels = [wrapped(drawable(name), width, 2 if len(names) <= MANY_ROWS else 1) for name in names]
    if len(names) > MANY_ROWS:
        row = min(row, CLOSE_ROW)
    ax = new_axes(height=1.1 + extra + row * len(names)) if ax is None else ax
    places = np.arange(len(names))[::-1]
    ax.grid(visible=False, axis="y")
    ax.grid(visible=True, axis="x")
    ax.set_yticks(places, labels, parse_math=False)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.spines["left"].set_visible(False)
    return ax, places


def beside(ax: Axes, place: float, words: str) -> None:
    """Write to the right of a line."""
    ax.annotate(
        words,
        (1.0, place),
        xycoords=ax.get_yaxis_transform(),
        xytext=(8, 0),
        textcoords="offset points",
        va="center_baseline",
        ha="left",
        fontsize=9.5,
        annotation_clip=False,
        parse_math=False,
    )


def looks(count: int) -> list[Look]:
    """Return so many different looks of lines, as far as there are: colour, dashes and marker."""
    cycle = mpl.rcParams["axes.prop_cycle"]()
    return [next(cycle) for _ in range(count)]


def mark(colour: str, marker: str) -> Look:
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


def draw_interval(
    ax: Axes, place: float, value: float, low: float, high: float, *, colour: str, marker: str, hollow: bool = False
) -> None:
    """Draw a value on a line with its interval, as far as they are known.

    The interval need not hold the value: simultaneous and rounded ones may leave it out.
    """
    look = mark(colour, marker)
    size, zorder = look["markersize"], look["zorder"]
    if math.isfinite(low) and math.isfinite(high):
        ax.errorbar([(low + high) / 2], [place], xerr=[(high - low) / 2], **(look | {"marker": "none"}))
    face = "white" if hollow else colour
    ax.plot(
        [value],
        [place],
        color=colour,
        marker=marker,
        markersize=size,
        markerfacecolor=face,
        linestyle="none",
        zorder=zorder + 1,
    )


def legend_above(
    ax: Axes,
    handles: Sequence[Artist | ErrorbarContainer],
    labels: Sequence[str],
    *,
    width: int | None = None,
    below: bool = False,
) -> None:
    """Put a legend above (or below) the axes, where it covers nothing; long labels are wrapped.

    Parameters
    ----------
    ax
        The axes; names beside them leave the legend less room.
    handles, labels
        Without handles the labels stand alone.
    width
        Of a line, in characters.
    below
        Whether it stands below: where the ticks are above.
    """
    if width is None:
        beside = max((len(line) for label in ax.get_yticklabels() for line in label.get_text().split("\n")), default=0)
        width = min(NAME_WIDTH, FIGURE_WIDTH - max(beside, 8))
    gap = ScaledTranslation(0, (-7 if below else 7) / 72, ax.figure.dpi_scale_trans)
    # Some versions of matplotlib leave out labels that begin with "_": the names come in afterwards.
    legend = ax.legend(
        handles or [Line2D([], [], linestyle="none") for _ in labels],
        [str(place) for place in range(len(labels))],
        loc="upper left" if below else "lower left",
        bbox_to_anchor=(0.0, 0.0 if below else 1.0),
        bbox_transform=ax.transAxes + gap,
        ncols=_legend_columns(labels, width),
        alignment="left",
        handlelength=None if handles else 0.0,
        handletextpad=None if handles else 0.0,
        labelspacing=0.35,
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(wrapped(label, width))


def legend_height(labels: Sequence[str], width: int = NAME_WIDTH) -> float:
    """Return how many inches more a figure needs for these labels than for a few short ones."""
    lines = sum(wrapped(label, width).count("\n") + 1 for label in labels)
    return 0.205 * max(lines / _legend_columns(labels, width) - 4, 0)


def _legend_columns(labels: Sequence[str], width: int) -> int:
    return 2 if len(labels) > 3 and max(map(len, labels)) < width // 2 else 1


def share_axis(axis: Axis, bins: int = 6) -> None:
    """Write the ticks of an axis in per cent."""
    axis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:z.6g}\N{NO-BREAK SPACE}%".replace("-", "−")))


def number_axis(axis: Axis, bins: int = 7) -> None:
    """Write few ticks at round numbers: at whole ones when they are far enough apart."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(MaxNLocator(nbins=bins, steps=[1, 2, 2.5, 5, 10], integer=high - low > 2))


def ink(colour: Any) -> str:
    """Return black or white, whichever is easier to read on a colour.

    Notes
    -----
    Relative luminance after the Web Content Accessibility Guidelines 2.2; both contrasts are equal at 0.179.
    """
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour))
    return "black" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "white"


def colour_bar(ax: Axes, shade: ScalarMappable, label: str, *, width: int = 40) -> Colorbar:
    """Put a colour bar to the right of the axes; its label is wrapped to lines of so many characters."""
    figure = ax.get_figure()
    assert figure is not None  # axes without one were taken off it
    bar = figure.colorbar(shade, ax=ax, fraction=0.05, pad=0.02, aspect=24)
    bar.outline.set_visible(False)
    bar.ax.tick_params(
        color=mpl.rcParams["ytick.color"],
        labelcolor=mpl.rcParams["ytick.labelcolor"],
        labelsize=mpl.rcParams["ytick.labelsize"],
    )
    bar.set_label(wrapped(label, width, 5), parse_math=False)
    return bar
