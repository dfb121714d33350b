"""Frames and files as input: what is taken, and what is said of the rest."""

import math
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from analysis.frames import check_filled, defined, is_frame, load_frame, to_polars
from sims.errors import UsageError

FRAME = pl.DataFrame({"deal": [0, 1], "points": [[1, 2], [3, 4]], "name": ["a", "b"]})


def test_frames_of_both_libraries_are_taken() -> None:
    assert to_polars(FRAME, "it") is FRAME
    moved = FRAME.to_pandas().set_index(pd.Index([7, 9]))
    assert to_polars(moved, "it", row="deal", columns=("deal", "name")).equals(FRAME)
    assert is_frame(FRAME)
    assert is_frame(moved)


@pytest.mark.parametrize("other", [[1, 2], {"a": [1]}, pd.Series([1]), FRAME.lazy(), "frame", None])
def test_nothing_else_is_a_frame(other: object) -> None:
    assert not is_frame(other)
    with pytest.raises(UsageError, match=f"it is of type {type(other).__name__}; give a Polars or pandas frame"):
        to_polars(other, "it")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (FRAME.clear(), "it has no rows; give one a deal"),
        (pd.DataFrame(), "it has no column 'deal'; give the columns deal, name"),
        (FRAME.drop("name"), "it has no column 'name'; give the columns deal, name"),
    ],
)
def test_frames_without_what_is_needed_are_refused(frame: pl.DataFrame, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        to_polars(frame, "it", row="deal", columns=("deal", "name"))


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": [1, "x"]}), pd.DataFrame([[1, 2]], columns=["a", "a"])])
def test_what_pandas_cannot_hand_over_is_told_in_one_line(frame: pd.DataFrame) -> None:
    with pytest.raises(UsageError, match="it cannot be read: ") as caught:
        to_polars(frame, "it")
    assert "\n" not in str(caught.value)


def test_empty_frames_will_do_where_no_row_is_needed() -> None:
    assert to_polars(FRAME.clear(), "it").is_empty()


@pytest.mark.parametrize("value", [None, float("nan")])
def test_missing_values_are_told_by_column_and_row(value: float | None) -> None:
    rows = pl.DataFrame({"other": [None, None, 1.0], "x": [0.5, value, 2.0]})
    check_filled(rows.slice(2), rows.columns, "it")
    with pytest.raises(UsageError, match="it has no value of x in row 1; give every row one"):
        check_filled(rows, ["x"], "it")
    missing = to_polars(rows.to_pandas(), "it")
    with pytest.raises(UsageError, match="it has no value of other in row 0"):
        check_filled(missing, missing.columns, "it")


def test_files_are_read(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "frame.parquet")
    assert load_frame(tmp_path / "frame.parquet").equals(FRAME)
    (tmp_path / "frame.CSV").write_text('size,run_points\n3,"0,2,3,8,10"\n4,\n', encoding="utf-8-sig")
    known = {"size": ["3", "4"], "run_points": ["0,2,3,8,10", None]}
    assert load_frame(str(tmp_path / "frame.CSV")).to_dict(as_series=False) == known


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("frame.txt", b"a\n1\n", "give a file whose name ends in .csv or .parquet"),
        ("frame", b"a\n1\n", "give a file whose name ends in .csv or .parquet"),
        ("frame.csv", None, "there is no such file"),
        ("frame.csv", b"", "frame.csv: .*empty"),
        ("frame.csv", b"a,b\n1,2,3\n", "frame.csv: .*fields"),
        ("frame.csv", b"a\n\xff\n", "frame.csv: .*utf-8"),
        ("frame.parquet", b"a\n1\n", "frame.parquet: .*[Pp]arquet"),
    ],
)
def test_files_that_cannot_be_read_are_told_in_one_line(
    name: str, content: bytes | None, message: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=f"cannot read .*{message}") as caught:
        load_frame(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_defined_leaves_what_json_can_say() -> None:
    told = {"a": (1, math.nan, [math.inf, -math.inf]), "b": {"c": 0.5, "d": True, "e": None, "f": "nan"}}
    assert defined(told) == {"a": [1, None, [None, None]], "b": {"c": 0.5, "d": True, "e": None, "f": "nan"}}
