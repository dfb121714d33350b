"""Scores as bars: where they stand, how wide they are, and the axes below and beside them."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from analysis.comparisons import Unit
from reports.figures.style import share_axis

MOST_BARS = 120
"""Finer scores than this many bars can show are drawn in wider bars."""

FINEST_SCALE = 1_000
"""Scores are taken to be whole multiples of 1/n points, with n up to this number."""


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


def share_label(width: float, values: NDArray[np.float64], unit: Unit, of: str = "") -> str:
    """Return how an axis of shares is called; bars that hold more than one score are said to."""
    spacing = np.diff(np.unique(values))
    label = f"share of {of}" if of else "share"
    # Bars of one step need no word; wider ones do.
    return (
        f"{label} (bars of {width:.4g} {unit.name.removesuffix('s') if width == 1 else unit.name})"
        if spacing.size and width > spacing.min() * 1.01
        else label
    )


def score_ticks(ax: Axes) -> None:
    """Write scores below the axes, and shares beside them."""
    left, right = ax.get_xlim()
    ax.xaxis.set_major_locator(MaxNLocator(nbins=9, steps=[1, 2, 2.5, 5, 10], integer=right - left >= 2))
    share_axis(ax.yaxis)
