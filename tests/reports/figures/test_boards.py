import numpy as np
import polars as pl
import pytest
from matplotlib.patches import Rectangle

from reports.figures import board_heatmap, render
from sims.errors import UsageError


def board(height, width, masked=()):
    rows = [(r, c, float(10 * r + c)) for r in range(height) for c in range(width) if (r, c) not in masked]
    return pl.DataFrame(rows, schema=["row", "column", "value"], orient="row")


def cells(ax):
    """Rectangles by row and column."""
    return {
        (round(patch.get_y() + 0.5), round(patch.get_x() + 0.5)): patch
        for patch in ax.patches
        if isinstance(patch, Rectangle)
    }


def texts(ax):
    return {(round(text.get_position()[1]), round(text.get_position()[0])): text.get_text() for text in ax.texts}


def test_every_cell_has_its_value():
    ax = board_heatmap(board(2, 3), label="stones")
    assert texts(ax) == {(0, 0): "0", (0, 1): "1", (0, 2): "2", (1, 0): "10", (1, 1): "11", (1, 2): "12"}
    assert ax.yaxis_inverted(), "row 0 is on top"
    assert ax.figure.axes[1].get_ylabel() == "stones"


def test_colours_are_those_of_the_values():
    found = cells(board_heatmap(board(2, 3), label="stones"))
    grey = {place: np.dot([0.299, 0.587, 0.114], patch.get_facecolor()[:3]) for place, patch in found.items()}
    assert [grey[place] for place in sorted(grey)] == sorted(grey.values()), "lighter and lighter"


def test_cells_that_are_not_there_are_crossed_out():
    frame = board(3, 3, {(0, 0)}).with_columns(
        value=pl.when((pl.col("row") == 2) & (pl.col("column") == 1)).then(None).otherwise("value")
    )
    ax = board_heatmap(frame, label="stones", columns=4)
    hatched = {place for place, patch in cells(ax).items() if patch.get_hatch()}
    assert hatched == {(0, 0), (2, 1), (0, 3), (1, 3), (2, 3)}
    assert not hatched & set(texts(ax))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no value"]
    assert board_heatmap(board(3, 3), label="stones").get_legend() is None


def test_a_centre_gives_signs_and_opposite_colours():
    frame = pl.DataFrame({"row": [0, 0, 0], "column": [0, 1, 2], "value": [-0.5, 0.0, 0.5]})
    ax = board_heatmap(frame, label="gain", centre=0)
    assert list(texts(ax).values()) == ["−0.5", "0.0", "+0.5"]
    found = cells(ax)
    assert np.ptp(found[0, 1].get_facecolor()[:3]) < 0.05, "nothing is white"
    assert found[0, 0].get_facecolor() != found[0, 2].get_facecolor()


def test_large_boards_print_no_values_but_signs():
    frame = board(13, 2).with_columns(pl.col("value") - 60)
    assert set(texts(board_heatmap(board(13, 2), label="x")).values()) == {""}
    signs = texts(board_heatmap(frame, label="x", centre=0))
    assert {place for place, sign in signs.items() if sign == "−"} == {(r, c) for r in range(6) for c in range(2)}


def test_half_widths_and_names_stand_in_the_cells():
    frame = board(1, 2).with_columns(half_width=pl.Series([0.25, None]), name=pl.Series(["corner", "<b>$x$"]))
    ax = board_heatmap(frame, label="x", digits=2)
    assert texts(ax) == {(0, 0): "corner\n0.00\n±0.25", (0, 1): "<b>$x$\n1.00"}
    assert not any(text.get_parse_math() for text in ax.texts)


def test_shares_are_printed_in_per_cent():
    frame = pl.DataFrame({"row": [0, 0], "column": [0, 1], "value": [0.1, 0.35], "half_width": [0.02, 0.03]})
    ax = board_heatmap(frame, label="share", percent=True)
    assert list(texts(ax).values()) == ["10\n±2", "35\n±3"]
    assert ax.figure.axes[1].yaxis.get_major_formatter()(0.1, 0) == "10\N{NO-BREAK SPACE}%"


def test_rows_and_columns_have_their_names():
    ax = board_heatmap(board(2, 2), label="x", rows=["red", "blue"], columns=["2", "3", "4"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["red", "blue"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "3", "4"]


def test_numbered_rows_and_columns_share_their_word():
    names = [f"column {place}" for place in (1, 2, 3)]
    ax = board_heatmap(board(2, 3), label="x", rows=["row 1", "line 2"], columns=names)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]
    assert ax.get_xlabel() == "column"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["row 1", "line 2"]
    assert ax.get_ylabel() == ""


def test_half_widths_do_not_print_as_nothing():
    frame = board(1, 2).with_columns(half_width=pl.Series([0.03, 0.0]))
    assert list(texts(board_heatmap(frame, label="x")).values()) == ["0.00\n±0.03", "1.00\n±0.00"]


@pytest.mark.parametrize(("height", "width"), [(1, 1), (4, 11), (24, 20)])
def test_boards_of_every_size(height, width):
    ax = board_heatmap(board(height, width), label="long words about a board " * 6)
    assert len(cells(ax)) == height * width
    assert render(ax.figure, "png").startswith(b"\x89PNG")


def test_equal_values_have_a_colour():
    frame = board(2, 2).with_columns(value=pl.lit(3.0))
    assert len({patch.get_facecolor() for patch in cells(board_heatmap(frame, label="x")).values()}) == 1


@pytest.mark.parametrize(
    ("frame", "more", "message"),
    [
        (board(2, 2), {"rows": 1}, "a cell lies in row 1, counted from 0: the board has 1"),
        (pl.concat([board(1, 1)] * 2), {}, "stands there twice"),
        (board(1, 1).with_columns(value=pl.lit(None, pl.Float64)), {}, "no cell of the board has a value"),
        (board(1, 1).with_columns(row=pl.lit(0.5)), {}, "no whole number from 0 up"),
        (board(1, 1).with_columns(column=pl.lit(-1)), {}, "no whole number from 0 up"),
        (board(1, 1).with_columns(row=pl.lit(10**6)), {}, "at most 200 can be drawn"),
    ],
)
def test_boards_that_do_not_fit_are_refused(frame, more, message):
    with pytest.raises(UsageError, match=message):
        board_heatmap(frame, label="x", **more)
