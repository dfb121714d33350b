"""Frames of both libraries as arrays, checked; errors are one line."""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from analysis.frames import is_frame
from reports.figures.words import printable
from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

Numbers = NDArray[np.float64]


def read_table(frame: "pl.DataFrame | pd.DataFrame", names: tuple[str, ...]) -> pl.DataFrame:
    """Return a frame as one of Polars that has rows and these columns.

    Raises
    ------
    UsageError
        When it is no frame, it is empty, or a column is missing.
    """
    if not is_frame(frame):
        raise UsageError(f"this is a {type(frame).__name__}: give a Polars or pandas frame")
    table = frame if isinstance(frame, pl.DataFrame) else pl.DataFrame(frame)
    for name in names:
        if name not in table.columns:
            raise UsageError(f"the frame has no column {name!r}: this figure needs {', '.join(names)}")
    if table.is_empty():
        raise UsageError(f"the frame is empty: this figure needs rows with {', '.join(names)}")
    return table


def read_columns(frame: "pl.DataFrame | pd.DataFrame", names: tuple[str, ...]) -> list[NDArray[Any]]:
    """Return columns as arrays of Python objects; see `read_table`."""
    table = read_table(frame, names)
    return [column(table, name) for name in names]


def column(table: pl.DataFrame, name: str) -> NDArray[Any]:
    """Return one column as an array of Python objects."""
    values = np.empty(len(table), dtype=object)
    values[:] = table[name].to_list()
    return values


def texts(values: NDArray[Any]) -> list[str]:
    """Return the values as names."""
    return [str(value) for value in values]


def read_numbers(values: NDArray[Any], what: str, *, finite: bool = True) -> Numbers:
    """Return a column as floats.

    Parameters
    ----------
    values
        The column; null is nan.
    what
        How messages call one of its values.
    finite
        Whether each has to be a finite number.

    Raises
    ------
    UsageError
        When one is no number.
    """
    try:
        found = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"the column of {what}s holds {values[0]!r}: give numbers") from None
    if finite and not np.isfinite(found).all():
        raise UsageError(f"the column of {what}s holds a value that is no number: drop such rows first")
    return found


def read_counts(values: NDArray[Any]) -> Numbers:
    """Return a column of counts, none of them negative."""
    found = read_numbers(values, "count")
    if (found < 0).any():
        raise UsageError(f"the count {found.min():.10g} is negative: give counts from 0 up")
    return found


def counts_total(found: Numbers, name: str) -> float:
    """Return the sum of counts, which has to be above 0."""
    added = float(found.sum())
    if not added:
        raise UsageError(f"the counts of {printable(name)} add up to 0: there is nothing to draw")
    return added


def read_places(values: NDArray[Any], what: str) -> NDArray[np.int64]:
    """Return a column of whole numbers from 0."""
    found = read_numbers(values, what)
    if (found != np.rint(found)).any() or (found < 0).any():
        raise UsageError(f"the column of {what}s holds a value that is no whole number from 0 up")
    return found.astype(np.int64)
