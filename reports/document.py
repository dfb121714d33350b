"""A report as a value: its verdict, its sections, and the tables and figures in them.

Who has evidence builds a `Document`; `write_document` makes a page, a PDF and files of any of them. It knows no game and
no statistic. Every text is plain: what stands between two backticks is set as code, nothing else is markup.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

import polars as pl
from matplotlib.axes import Axes

from reports.figures import printable
from sims.errors import UsageError

Outcome: TypeAlias = Literal["good", "bad", "open", "told"]

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 60
OWN_IDS = ("contents", "top", "verdict")
"""Places of the page itself, which no section may be called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One line of the verdict.

    Parameters
    ----------
    question
        What was asked: "Are the seats fair?"
    answer
        In a few words: "Yes", "No: the first seat wins 53.4 %", "Too little evidence to say".
    sentence
        One or two sentences for people who know no statistics.
    outcome
        "good", "bad", "open" (too little evidence) or "told" (neither good nor bad); decides the mark and its word.
    section
        The key of the section that shows the evidence.
    effect, interval, games, smallest_detectable
        As printed; what is empty is not shown.
    """

    question: str
    answer: str
    sentence: str
    outcome: Outcome
    section: str
    effect: str = ""
    interval: str = ""
    games: str = ""
    smallest_detectable: str = ""

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield what is shown below the sentence: label and value."""
        for label, value in (
            ("Effect", self.effect),
            ("Interval", self.interval),
            ("Games", self.games),
            ("Smallest detectable effect", self.smallest_detectable),
        ):
            if value:
                yield label, value


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark beside the text: what a number means ("note"), or what is not sound ("warning")."""

    text: str
    kind: Literal["note", "warning"] = "note"


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short texts."""

    texts: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table on the page, and the whole frame behind it as files.

    Parameters
    ----------
    name
        The name of the files, of a-z, 0-9 and single hyphens; another one for every table of a document.
    caption
        What the table shows.
    headers
        The heads of the columns.
    rows
        What the page prints, as text; none are said to be none.
    frame
        All data, for `frames/NAME.parquet` and `frames/NAME.csv`; None for a table whose rows are everything.
    alignment
        A letter a column, "l" (left) or "r" (right); by default a column is set right when all its cells are numbers.
    notes
        Remarks below the table.
    """

    name: str
    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    frame: pl.DataFrame | None = None
    alignment: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure on the page, and as files.

    Parameters
    ----------
    name
        The name of the files, of a-z, 0-9 and single hyphens; another one for every picture of a document.
    caption
        What the figure shows and how to read it.
    alt
        What there is to see, in words, for people who do not see it. Not empty.
    draw
        Draws the figure, in the style of the house: a figure function with its frame.
    """

    name: str
    caption: str
    alt: str
    draw: Callable[[], Axes]


@dataclass(frozen=True, slots=True)
class Code:
    """Commands or code, line by line as they are typed."""

    text: str
    language: Literal["shell", "python", "json"] = "shell"


Block: TypeAlias = Paragraph | Note | Items | Table | Picture | Code


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document.

    Parameters
    ----------
    key
        Its place in links (`index.html#key`), of a-z, 0-9 and single hyphens.
    title
        Its heading.
    blocks
        What it says and shows.
    children
        The sections in it.
    """

    key: str
    title: str
    blocks: tuple[Block, ...] = ()
    children: tuple["Section", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole report.

    Parameters
    ----------
    title, game, subtitle
        The heading, the game it is about (above it) and one line below it; no subtitle is an empty one.
    claims
        The verdict, most important first.
    sections
        What follows it.
    manifest
        What the document was made from, as JSON: design, versions, digests.
    made
        When; None leaves it out. Nothing else in a document may depend on the time.

    Raises
    ------
    UsageError
        When names are not as above or occur twice, a claim links to no section, a row does not fit its headers, or a
        picture has no alternative text.
    """

    title: str
    game: str
    sections: tuple[Section, ...]
    claims: tuple[Claim, ...] = ()
    subtitle: str = ""
    manifest: Mapping[str, Any] = field(default_factory=dict)
    made: datetime | None = None

    def __post_init__(self) -> None:
        """Check what the page, its links and its files rely on."""
        keys = [section.key for section in self.every_section()]
        _check_names("section", keys)
        _check_names("table", [table.name for table in self.tables()])
        _check_names("picture", [picture.name for picture in self.pictures()])
        for key in keys:
            if key in OWN_IDS:
                raise UsageError(f"the section {key!r} has the name of a part of the page: name it otherwise")
        for claim in self.claims:
            if claim.section not in keys:
                raise UsageError(
                    f"the claim {printable(claim.question)!r} links to the section {claim.section!r}, "
                    f"which there is not: choose one of {', '.join(keys) or 'no sections'}"
                )
        for picture in self.pictures():
            if not picture.alt.strip():
                raise UsageError(f"the picture {picture.name!r} has no alternative text: say what there is to see")
        for table in self.tables():
            _check_table(table)

    def every_section(self) -> Iterator[Section]:
        """Yield all sections as they are read, each before those in it."""
        waiting = list(reversed(self.sections))
        while waiting:
            section = waiting.pop()
            yield section
            waiting += reversed(section.children)

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks as they are read."""
        for section in self.every_section():
            yield from section.blocks

    def tables(self) -> Iterator[Table]:
        """Yield all tables as they are read."""
        return (block for block in self.blocks() if isinstance(block, Table))

    def pictures(self) -> Iterator[Picture]:
        """Yield all pictures as they are read."""
        return (block for block in self.blocks() if isinstance(block, Picture))


def _check_names(kind: str, names: Iterable[str]) -> None:
    seen = set()
    for name in names:
        if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise UsageError(
                f"the {kind} {name!r} cannot be named so: use a-z, 0-9 and single hyphens between them, "
                f"{LONGEST_NAME} signs at most"
            )
        if name in seen:
            raise UsageError(f"two {kind}s are called {name!r}: give each a name of its own")
        seen.add(name)


def _check_table(table: Table) -> None:
    columns = len(table.headers)
    for row in table.rows:
        if len(row) != columns:
            raise UsageError(f"a row of the table {table.name!r} has {len(row)} cells, its head has {columns}")
    if table.alignment and (len(table.alignment) != columns or set(table.alignment) - {"l", "r"}):
        raise UsageError(
            f"the alignment {table.alignment!r} of the table {table.name!r} does not fit: "
            f"give {columns} letters, each l or r"
        )
