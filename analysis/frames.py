"""What goes into the verbs and comes out: frames of both libraries and files as one kind of thing, and JSON values."""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sims.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd


def is_frame(value: Any) -> bool:
    """Tell whether a value is a Polars or pandas frame."""
    # Who has a pandas frame has loaded pandas; nobody else need wait for it.
    pandas = sys.modules.get("pandas")
    return isinstance(value, pl.DataFrame) or (pandas is not None and isinstance(value, pandas.DataFrame))


def to_polars(
    frame: "pl.DataFrame | pd.DataFrame", what: str, *, row: str | None = None, columns: Sequence[str] = ()
) -> pl.DataFrame:
    """Return a Polars or pandas frame as a Polars frame, checked.

    Parameters
    ----------
    frame
        The index of a pandas frame is not looked at.
    what
        How messages call the frame, such as "the grid".
    row
        What a row of it is, such as "setting", where there has to be one.
    columns
        Those that it has to have.

    Raises
    ------
    UsageError
        When it is no frame, pandas cannot hand it over, or a column or all rows are missing.
    """
    if not is_frame(frame):
        raise UsageError(f"{what} is of type {type(frame).__name__}; give a Polars or pandas frame")
    try:
        rows = frame if isinstance(frame, pl.DataFrame) else pl.from_pandas(frame)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{what} cannot be read: {_first_line(error)}") from error
    missing = next((name for name in columns if name not in rows.columns), None)
    if missing is not None:
        raise UsageError(f"{what} has no column {missing!r}; give the columns {', '.join(columns)}")
    if row is not None and rows.is_empty():
        raise UsageError(f"{what} has no rows; give one a {row}")
    return rows


def check_filled(rows: pl.DataFrame, columns: Iterable[str], what: str) -> None:
    """Refuse columns in which a value is missing: null, or not a number.

    Raises
    ------
    UsageError
        It names the column and the row, counted from 0.
    """
    for name in columns:
        column = rows[name]
        empty = column.is_null()
        if column.dtype.is_float():
            empty |= column.is_nan().fill_null(False)
        if empty.any():
            raise UsageError(f"{what} has no value of {name} in row {empty.arg_max()}; give every row one")


def load_frame(path: Path | str) -> pl.DataFrame:
    """Read a frame from a CSV or Parquet file; all that a CSV file holds is text.

    Raises
    ------
    UsageError
        When the file's name ends otherwise, or the file cannot be read.
    """
    file = Path(path)
    kind = file.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise UsageError(f"cannot read {path}: give a file whose name ends in .csv or .parquet")
    if not file.is_file():
        raise UsageError(f"cannot read {path}: there is no such file")
    try:
        # What a text means is for those to say who want it: "0,2,3" is no number, and "1" need not be one.
        return pl.read_csv(file, infer_schema=False) if kind == ".csv" else pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"cannot read {path}: {_first_line(error)}") from error


def defined(value: Any) -> Any:
    """Return a value for JSON and frames: null for what is not a finite number, at any depth; tuples become lists."""
    if isinstance(value, Mapping):
        return {key: defined(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [defined(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
