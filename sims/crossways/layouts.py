"""Where each rank and each white square of the board sits: data, as the rulebook prints no board.

The default layout is ours: point symmetry (each card square's image is its twin), the white squares spread evenly.
Random layouts say how much of a result hangs on it.
"""

import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sims import chance
from sims.bits import Word
from sims.crossways.facts import COLOUR_NAMES, LAYOUT, RANK_NAMES, RANKS, SIDE, SQUARES, WHITE, WHITES
from sims.errors import UsageError

DEFAULT = """
BJ RK W R2 B7 R9 B4 R6
R3 B5 R8 B10 W BQ W BA
W R7 W R4 BK R5 B2 R10
RQ B9 RA B6 RJ B3 W B8
B8 W B3 RJ B6 RA B9 RQ
R10 B2 R5 BK R4 W R7 W
BA W BQ W B10 R8 B5 R3
R6 B4 R9 B7 R2 W RK BJ
"""

LARGEST = (1 << 32) - 1
NAMES = {WHITE: "W"} | {
    colour << 4 | rank: COLOUR_NAMES[colour] + RANK_NAMES[rank] for colour in range(2) for rank in range(RANKS)
}
CODES = {name: code for code, name in NAMES.items()}


def layout_text(squares: "list[int] | NDArray[np.uint8]") -> str:
    """Return a layout in one line: its rows, with a stroke between them."""
    names = [NAMES[int(code)] for code in squares]
    return " / ".join(" ".join(names[SIDE * row : SIDE * row + SIDE]) for row in range(SIDE))


def layout_rows(squares: "list[int] | NDArray[np.uint8]") -> list[list[str]]:
    """Return the squares of a layout by name, row by row."""
    return [row.split() for row in layout_text(squares).split(" / ")]


def read_layout(text: str, source: str) -> list[int]:
    """Return the squares of a layout, row by row, from 8 lines of 8 names (`R2` … `RA`, `B2` … `BA`, `W`).

    Raises
    ------
    UsageError
        When something else stands there; the message names `source`, line and column.
    """
    squares: list[int] = []
    rows = [(number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(rows) != SIDE:
        raise UsageError(f"{source} has {len(rows)} lines of squares: a layout has {SIDE}")
    places: dict[int, list[str]] = {}
    for number, names in rows:
        if len(names) != SIDE:
            raise UsageError(f"{source}, line {number}: {len(names)} squares, not {SIDE}")
        for column, name in enumerate(names, 1):
            where = f"line {number}, column {column}"
            if name not in CODES:
                raise UsageError(f"{source}, {where}: {name!r} is no square; write R2 to RA, B2 to BA or W")
            code = CODES[name]
            places.setdefault(code, []).append(where)
            most = WHITES if code == WHITE else 2
            if len(places[code]) > most:
                raise UsageError(f"{source}, {where}: {name} stands there once more than the {most} times that it may")
            squares.append(code)
    return squares


@functools.cache
def random_layout(number: int) -> tuple[int, ...]:
    """Return random layout `number`: red and black alternate, and six squares of each colour are white.

    Which squares are white, and which rank the others bear, is drawn from a stream of its own for each number.
    """
    stream = chance.new_streams(1)[0]
    chance.start_stream(stream, Word(chance.deal_key(number, 0)), LAYOUT, 0)
    squares = [0] * SQUARES
    for colour in range(2):
        codes = [WHITE] * (WHITES // 2) + [colour << 4 | rank for rank in range(RANKS) for _ in range(2)]
        for last in range(len(codes) - 1, 0, -1):
            other = int(chance.below(stream, Word(last + 1)))
            codes[last], codes[other] = codes[other], codes[last]
        places = [place for place in range(SQUARES) if (place // SIDE + place) % 2 != colour]
        for place, code in zip(places, codes, strict=True):
            squares[place] = code
    return tuple(squares)


def find_layout(name: str) -> tuple[int, ...]:
    """Return the squares of a layout, row by row: its code for each (colour << 4 | rank, or `WHITE`), 64 of them.

    Parameters
    ----------
    name
        "default", "random:" and a number, eight rows with strokes between them, or a file.

    Raises
    ------
    UsageError
        When there is no such layout.
    """
    if name == "default":
        return tuple(read_layout(DEFAULT, "the default layout"))
    kind, colon, number = name.partition(":")
    if kind == "random" and colon:
        if not (number.isascii() and number.isdigit() and int(number) <= LARGEST):
            raise UsageError(f"{name!r} is no layout: write random: and a whole number from 0 to {LARGEST}")
        return random_layout(int(number))
    if "/" in name and len(name.split()) > SIDE:
        return tuple(read_layout(name.replace("/", "\n"), "the layout"))
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError(f"{name!r} is no layout and no file ({reason}): it takes {Layout().allowed}") from None
    return tuple(read_layout(text, name))


class Layout:
    """The layout of the board, as an option of the rules: a name, or the squares themselves."""

    allowed = "default, random:NUMBER, or a file with 8 lines of 8 squares (R2 to RA, B2 to BA, W)"

    def check(self, value: Any) -> str:
        """Return the name; what came from a file becomes its squares, so that a result can be told without the file."""
        if isinstance(value, Path):
            value = str(value)
        if not isinstance(value, str):
            raise ValueError
        name = value.strip()
        squares = find_layout(name)
        kind, _, number = name.partition(":")
        if kind == "random":
            return f"random:{int(number)}"
        return name if name == "default" else layout_text(list(squares))

    def parse(self, text: str) -> str:
        """Read the value from a command line."""
        return self.check(text)
