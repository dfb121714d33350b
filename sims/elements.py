"""What a game is made of, as data: its lines, tracks, stones, cards and squares, how often each was used and for what.

A game declares kinds of elements, and one function that reads them off its logs. Whoever counts them knows no game:
names, meanings, units and the shape of a board all come from here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Tallies = NDArray[np.int64]
"""Counts and values of some games: shape (games, seats, elements, 2), elements in the order of the kinds."""

USED, EARNED = 0, 1

Measure = Literal["count", "value", "each"]


@dataclass(frozen=True)
class Board:
    """Where the elements of a kind lie: the names of its rows, top row first, and of its columns."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self.rows), len(self.columns)

    def name(self, place: int) -> str:
        """Return a cell in words, by its place row by row."""
        row, column = divmod(place, len(self.columns))
        return f"{self.rows[row]}, {self.columns[column]}"


@dataclass(frozen=True)
class Kind:
    """Elements that are counted in the same way.

    Attributes
    ----------
    name, title
        What a single one is called ("line"), and the heading over all ("Lines").
    doc
        What they are, in one sentence.
    names
        The elements; those of a board row by row.
    count, count_unit
        What the count of a game says, and what it counts, in the plural.
    value, value_unit
        What the value of a game says, and its unit; both empty when the kind has no value.
    scale
        What stored values are divided by for people: they are whole numbers, so that sums are exact in any order.
    of
        Whose they are: a seat's own, or those of its side, which all its seats have alike.
    adds_up
        Whether the values of all elements add up to the score.
    board
        The board on which they lie; None when they lie on none.
    labels
        What stands in each cell of the board beside its place, such as a rank; empty when nothing does.
    shown
        The measures that say most of a board: the count or the value a game, or the value of each use.
    """

    name: str
    title: str
    doc: str
    names: tuple[str, ...]
    count: str
    count_unit: str
    value: str = ""
    value_unit: str = ""
    scale: int = 1
    of: Literal["seat", "side"] = "seat"
    adds_up: bool = False
    board: Board | None = None
    labels: tuple[str, ...] = ()
    shown: tuple[Measure, ...] = ("count", "value")

    def place(self, element: int) -> tuple[int, int] | None:
        """Return row and column, from 0, of an element; None when the kind lies on no board."""
        return None if self.board is None else divmod(element, len(self.board.columns))


@dataclass(frozen=True)
class ElementFacts:
    """The elements of a game.

    Attributes
    ----------
    kinds
        `kinds(rules, seats)`: what is counted under these rules.
    tally
        `tally(rules, logs, outcomes)`: counts and values of logged games, one for each row of `outcomes`, of shape
        (games, seats, columns).
    """

    kinds: Callable[[Any, int], tuple[Kind, ...]]
    tally: Callable[[Any, Any, NDArray[np.int16]], Tallies]


@dataclass(frozen=True, slots=True)
class ElementRow:
    """One element in one game, for one seat; `row` and `column` are None off a board, `value` where there is none."""

    seat: int
    kind: str
    element: str
    row: int | None
    column: int | None
    count: int
    value: float | None


def element_rows(facts: ElementFacts, rules: Any, log: Any, outcome: NDArray[np.int16]) -> list[ElementRow]:
    """Return the elements of one logged game, seat by seat, in the order of the kinds.

    Parameters
    ----------
    facts, rules
        The game's elements, and the rules it was played by.
    log
        One record, as `sims.table.Table.log` gives it.
    outcome
        The game's outcome, shape (seats, columns).
    """
    logs = np.array([log], log.dtype).view(np.recarray)
    told = facts.tally(rules, logs, outcome[None])[0]
    rows = []
    for seat, own in enumerate(told):
        first = 0
        for kind in facts.kinds(rules, len(told)):
            for element, name in enumerate(kind.names):
                count, value = (int(number) for number in own[first + element])
                row, column = kind.place(element) or (None, None)
                worth = value / kind.scale if kind.value else None
                rows.append(ElementRow(seat, kind.name, name, row, column, count, worth))
            first += len(kind.names)
    return rows
