import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.crossways import CROSSWAYS, CrossWaysRules, layouts
from sims.errors import UsageError
from sims.jit import COMPILED
from sims.trace import replay
from tests.reference import crossways as literal
from tests.sims.crossways.players import anyhow
from tests.sims.crossways.positions import BASIC, LAYOUT, RANKS, random_layout

TEXT = "\n".join(" ".join(row) for row in LAYOUT)


def names(squares: Any) -> list[list[str]]:
    return layouts.layout_rows(list(squares))


def code_of(token: str) -> int:
    return 31 if token == "W" else 16 * "RB".index(token[0]) + RANKS.index(token[1:])


def file_with(folder: Path, text: str, name: str = "board.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


# --- Codes and words -------------------------------------------------------------------------------------------------


def test_codes_of_squares() -> None:
    assert {name: layouts.CODES[name] for name in literal.TOKENS} == {name: code_of(name) for name in literal.TOKENS}
    assert len(layouts.CODES) == len(literal.TOKENS)
    assert all(layouts.NAMES[code] == name for name, code in layouts.CODES.items())


@given(st.integers(0, 2**32))
def test_a_layout_as_text_is_read_again(start: int) -> None:
    rows = random_layout(random.Random(start))
    squares = [code_of(token) for row in rows for token in row]
    text = layouts.layout_text(squares)
    assert names(squares) == rows
    assert "\n" not in text
    assert list(layouts.find_layout(text)) == squares
    assert CrossWaysRules(layout=text).layout == text
    assert layouts.read_layout("\n".join(" ".join(row) for row in rows), "here") == squares


# --- The default -----------------------------------------------------------------------------------------------------


def test_the_default_layout() -> None:
    rows = names(layouts.find_layout("default"))
    assert rows == LAYOUT
    assert literal.layout_faults(rows) == []
    for row in range(8):
        for column in range(8):
            assert rows[row][column] == rows[7 - row][7 - column]  # each square's image is its twin
    whites = [(row, column) for row in range(8) for column in range(8) if rows[row][column] == "W"]
    for line in range(8):
        assert 1 <= sum(row == line for row, _ in whites) <= 2
        assert 1 <= sum(column == line for _, column in whites) <= 2
    assert Counter((row // 4, column // 4) for row, column in whites) == dict.fromkeys(
        [(0, 0), (0, 1), (1, 0), (1, 1)], 3
    )


# --- Random ones -----------------------------------------------------------------------------------------------------


@settings(max_examples=60 if COMPILED else 20)
@given(st.integers(0, 2**32 - 1))
def test_random_layouts_are_legal_and_their_colours_alternate(number: int) -> None:
    rows = names(layouts.find_layout(f"random:{number}"))
    assert literal.layout_faults(rows) == []
    colours = Counter(
        (rows[row][column][0], (row + column) % 2)
        for row in range(8)
        for column in range(8)
        if rows[row][column] != "W"
    )
    assert len(colours) == 2
    assert set(colours.values()) == {26}
    whites = Counter((row + column) % 2 for row in range(8) for column in range(8) if rows[row][column] == "W")
    assert whites == {0: 6, 1: 6}


def test_random_layouts_differ_and_stay_as_they_are() -> None:
    some = [layouts.find_layout(f"random:{number}") for number in range(50)]
    assert len(set(some)) == 50
    assert some == [layouts.find_layout(f"random:{number}") for number in range(50)]
    layouts.random_layout.cache_clear()
    assert some == [layouts.find_layout(f"random:{number}") for number in range(50)]
    # Every square is white now and then, and the twins of a rank lie anywhere.
    whites = Counter(place for layout in some for place, code in enumerate(layout) if code == 31)
    assert len(whites) == 64


GOLDEN = {
    "random:0": (
        "BK R2 B2 R5 BJ RQ B7 RK",
        "W BA RJ B3 R4 W R7 B6",
        "W R6 BQ R9 W R2 B3 R8",
        "W BK W BA R6 B5 R10 B6",
        "B9 R3 B10 R3 B4 RA B5 RJ",
        "W B7 R5 B8 RA W RK B9",
        "W R7 BJ R9 B8 R4 BQ R8",
        "W B4 RQ B2 R10 B10 W W",
    ),
    "random:1": (
        "B4 RQ B4 RA B8 R8 W RK",
        "W B3 RQ BA RK W W W",
        "BQ W B10 R8 B2 R4 B10 R5",
        "W B6 R9 B5 R6 B5 R6 B3",
        "B8 R2 B2 R5 W R7 BA RJ",
        "R7 B9 W B6 R9 B7 R4 W",
        "BK R2 BK R3 BQ RA B9 W",
        "R10 BJ R10 BJ RJ W R3 B7",
    ),
    "random:4294967295": (
        "BA R3 B2 R4 B7 RQ B7 R6",
        "R5 B8 R7 W RK B5 R5 B2",
        "BJ W B5 W B9 RK BK W",
        "R6 BA W B4 R2 W R9 W",
        "W W BK R4 B8 RJ BQ W",
        "R9 B6 RJ B3 R10 BJ R10 W",
        "B9 RA B10 R8 BQ R8 B3 R2",
        "RQ B10 RA B4 R7 W R3 B6",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_goldens_of_random_layouts(name: str) -> None:
    """A change of these is a change of play for whoever uses them: raise rules_version, or find the mistake."""
    assert layouts.layout_text(list(layouts.find_layout(name))) == " / ".join(GOLDEN[name])


# --- Files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT + "\n",
        "\n\n" + TEXT.replace("\n", "\n\n") + "\n\n",
        TEXT.replace("\n", "\r\n") + "\r\n",
        TEXT.replace(" ", "\t"),
        TEXT.replace(" ", "    "),
        "\n".join(f"  {line}  " for line in TEXT.splitlines()),
    ],
    ids=["as it is", "line at the end", "empty lines", "CRLF", "tabs", "spaces", "margins"],
)
def test_files_may_be_written_in_many_ways(text: str, tmp_path: Path) -> None:
    path = file_with(tmp_path, text)
    assert names(layouts.find_layout(str(path))) == LAYOUT
    assert CrossWaysRules(layout=str(path)).layout == " / ".join(" ".join(row) for row in LAYOUT)


def changed(line: int, column: int, token: str) -> str:
    rows = [list(row) for row in LAYOUT]
    rows[line][column] = token
    return "\n".join(" ".join(row) for row in rows)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"board\.txt has 0 lines of squares: a layout has 8$"),
        ("\n \n\t\n", r"board\.txt has 0 lines of squares: a layout has 8$"),
        (TEXT.rsplit("\n", 1)[0], r"board\.txt has 7 lines of squares: a layout has 8$"),
        (TEXT + "\nW W W W W W W W", r"board\.txt has 9 lines of squares: a layout has 8$"),
        (TEXT.replace("\n", " "), r"board\.txt has 1 lines of squares: a layout has 8$"),
        (TEXT + " W", r"board\.txt, line 8: 9 squares, not 8$"),
        (TEXT[3:], r"board\.txt, line 1: 7 squares, not 8$"),
        ("\n\n" + TEXT + " W", r"board\.txt, line 10: 9 squares, not 8$"),
        (changed(2, 4, "X3"), r"board\.txt, line 3, column 5: 'X3' is no square; write R2 to RA, B2 to BA or W$"),
        (changed(0, 0, "BT"), r"board\.txt, line 1, column 1: 'BT' is no square"),
        (changed(0, 0, "bj"), r"board\.txt, line 1, column 1: 'bj' is no square"),
        (changed(7, 7, "R1"), r"board\.txt, line 8, column 8: 'R1' is no square"),
        (changed(0, 1, "BJ"), r"board\.txt, line 8, column 8: BJ stands there once more than the 2 times that it may$"),
        (changed(0, 0, "W"), r"board\.txt, line 8, column 6: W stands there once more than the 12 times that it may$"),
    ],
)
def test_faults_of_a_file_are_named_with_line_and_column(text: str, said: str, tmp_path: Path) -> None:
    path = file_with(tmp_path, text)
    with pytest.raises(UsageError, match=said):
        layouts.find_layout(str(path))
    with pytest.raises(UsageError, match="^option layout: .*" + said):
        CrossWaysRules(layout=str(path))
    with pytest.raises(UsageError, match="^option layout: .*" + said):
        BASIC.replace_text([f"layout={path}"])


def test_every_single_square_that_is_changed_is_noticed(tmp_path: Path) -> None:
    source = random.Random(1)
    for line in range(8):
        for column in range(8):
            token = source.choice([token for token in literal.TOKENS if token != LAYOUT[line][column]])
            path = file_with(tmp_path, changed(line, column, token))
            with pytest.raises(UsageError, match=rf"column \d: {token} stands there once more"):
                layouts.find_layout(str(path))


def test_what_is_no_layout_is_said(tmp_path: Path) -> None:
    binary = tmp_path / "board.bin"
    binary.write_bytes(b"\xff\xfe\x00W")
    allowed = r"it takes default, random:NUMBER, or a file with 8 lines of 8 squares \(R2 to RA, B2 to BA, W\)$"
    for name, reason in (
        (str(tmp_path / "nowhere.txt"), "No such file or directory"),
        (str(tmp_path), "Is a directory"),
        (str(binary), "it is no text"),
        ("defualt", "No such file or directory"),
        ("", "Is a directory"),
        ("a\0b", "it is no text"),
    ):
        with pytest.raises(UsageError, match=rf"is no layout and no file \({reason}\): {allowed}"):
            layouts.find_layout(name)
        with pytest.raises(UsageError, match=r"^option layout: "):
            BASIC.replace(layout=name)


@pytest.mark.parametrize("number", ["", "-1", "4294967296", "x", "1.5", "1e3", "٣", "²", " 1", "9" * 30])
def test_numbers_of_random_layouts(number: str) -> None:
    with pytest.raises(UsageError, match=r"is no layout: write random: and a whole number from 0 to 4294967295$"):
        layouts.find_layout(f"random:{number}")


def test_the_last_random_layout() -> None:
    assert literal.layout_faults(names(layouts.find_layout("random:4294967295"))) == []
    with pytest.raises(UsageError, match="layout"):
        CrossWaysRules(layout="random:" + "9" * 5_000)


# --- As an option ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [5, None, True, ("default",), ["W"] * 64, b"default"])
def test_values_that_are_no_layout(value: Any) -> None:
    with pytest.raises(UsageError, match=r"^option layout=.* does not fit: it takes default, random:NUMBER, or a file"):
        CrossWaysRules(layout=value)


@pytest.mark.parametrize("name", ["default", "random:12"])
def test_names_stay_names(name: str) -> None:
    for rules in (
        CrossWaysRules(layout=name),
        BASIC.replace_text([f"layout = {name} "]),
        CrossWaysRules(layout=f" {name}\n"),
    ):
        assert rules.layout == rules.to_dict()["layout"] == name
    assert hash(CrossWaysRules(layout=name)) == hash(CrossWaysRules(layout=name))


def test_rules_with_a_file_do_not_need_it_again(tmp_path: Path) -> None:
    rows = random_layout(random.Random(5))
    path = file_with(tmp_path, "\n".join(" ".join(row) for row in rows))
    rules = CrossWaysRules(layout=path)  # type: ignore[arg-type]
    assert rules == CrossWaysRules(layout=str(path)) == BASIC.replace_text([f"layout={path}"])
    path.unlink()
    again = CrossWaysRules(**rules.to_dict())
    assert again == rules
    assert hash(again) == hash(rules)
    assert rules.replace(hand=4).layout == rules.layout
    for options in (rules, again):
        trace = replay(CROSSWAYS, options.replace(turn_limit=3), [anyhow.player()] * 2)
        assert trace["events"][0] == {"type": "layout", "squares": rows}
        assert trace["variant"]["layout"] == " / ".join(" ".join(row) for row in rows)


def test_a_file_that_changes_gives_other_rules(tmp_path: Path) -> None:
    path = file_with(tmp_path, TEXT)
    first = CrossWaysRules(layout=str(path))
    other = random_layout(random.Random(6))
    file_with(tmp_path, "\n".join(" ".join(row) for row in other))
    assert CrossWaysRules(layout=str(path)) != first
    assert names(layouts.find_layout(first.layout)) == LAYOUT


def test_the_squares_in_one_line_are_checked_like_a_file() -> None:
    text = " / ".join(" ".join(row) for row in LAYOUT)
    assert names(layouts.find_layout(text)) == LAYOUT
    assert names(layouts.find_layout(text.replace(" / ", "/"))) == LAYOUT
    with pytest.raises(UsageError, match=r"^the layout, line 8, column 8: BJ stands there once more than the 2 times"):
        layouts.find_layout(text.replace("RK", "BJ", 1))
    with pytest.raises(UsageError, match=r"^the layout has 7 lines of squares: a layout has 8$"):
        layouts.find_layout(text.rsplit(" / ", 1)[0])
