"""A report as a value: its verdict, its sections, and the tables and figures in them.

Who has evidence builds a `Document`; `write_document` makes a page, a PDF and files of any of them, and knows no game
and no statistic. Every text is plain: what stands between two backticks is set as code, nothing else is markup.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl
from matplotlib.axes import Axes

from reports.figures import house_style, printable
from reports.pages import Drawing, check_paper, missing_signs_as_boxes, on_paper, page
from reports.publishing import MANIFEST, PAGE, as_json, csv, digest, parquet, prepare, publish
from sims.errors import UsageError

Outcome: TypeAlias = Literal["good", "bad", "open", "told"]

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_NAME = 60
PDF, FRAMES, FIGURES = "report.pdf", "frames", "figures"

OWN_KEYS = ("title", "game", "made", "files")
"""What `write_document` adds to a manifest."""

OWN_IDS = ("contents", "top", "verdict")
"""Places of the page itself, which no section may be called."""

NO_NUMBERS = ("–", "—", "not known", "too few blocks")
"""Cells that stand in a column of numbers where there is none."""

UPRIGHT, WIDE = 110, 140
"""The widest tables, in characters, that a sheet of paper holds in its usual letters, and in smaller ones."""

MOST_ROWS = 10
"""Longer tables may go on on the next sheet of paper."""

LONGEST_LINE, SHORT = 40, 24
"""Longer cells are broken into lines, and shorter ones never are, in characters."""


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
        for key in OWN_KEYS:
            if key in self.manifest:
                raise UsageError(f"the manifest has the key {key!r}, which is written by itself: leave it out")

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


# --- Files -----------------------------------------------------------------------------------------------------------


def prepare_document(folder: Path | str, *, pdf: bool = False) -> None:
    """Make the folder of a report, or say at once why the report could not be written: before any work is done for it.

    Parameters
    ----------
    folder, pdf
        As for `write_document`.

    Raises
    ------
    UsageError
        When the folder is a file, or holds files of a report's names that are not from a report; when a PDF is wanted
        and WeasyPrint, or a library that it needs, is missing.
    StoreError
        When the folder cannot be written to.
    """
    if pdf:
        check_paper()
    prepare(folder, (PAGE, MANIFEST, *((PDF,) if pdf else ()), FRAMES, FIGURES))


def write_document(document: Document, folder: Path | str, *, pdf: bool = False) -> Path:
    """Write a report into a folder.

    Parameters
    ----------
    document
        The report.
    folder
        Is made when it does not exist. Files of an earlier report in it are replaced, or taken away when the new one
        has them no more; all others are left alone.
    pdf
        Whether to print it, too; needs WeasyPrint (`pip install 'crosslab[pdf]'`).

    Returns
    -------
    Path
        The page, `index.html`. Beside it stand `manifest.json`, with the digests of all files that hold no date;
        `frames/NAME.parquet` and `.csv` for every table with a frame, `figures/NAME.svg` and `.png` for every picture,
        and `report.pdf`.

    Raises
    ------
    UsageError, StoreError
        See `prepare_document`.
    """
    prepare_document(folder, pdf=pdf)
    drawings = {picture.name: _draw(picture) for picture in document.pictures()}
    files = {PAGE: _page(document, drawings, with_files=True).encode()}
    if pdf:
        # On paper there is nothing to click beside the page.
        files[PDF] = on_paper(_page(document, drawings, with_files=False))
    for table in document.tables():
        if table.frame is not None:
            files |= dict(zip(_table_files(table), (parquet(table.frame), csv(table.frame)), strict=True))
    for picture in document.pictures():
        drawing = drawings[picture.name]
        files |= dict(zip(_picture_files(picture), (drawing.svg, drawing.png), strict=True))
    files[MANIFEST] = _manifest(document, files)
    publish(Path(folder), files)
    return Path(folder) / PAGE


def _draw(picture: Picture) -> Drawing:
    with house_style(), missing_signs_as_boxes():
        return Drawing.of(picture.draw(), picture.alt)


def _table_files(table: Table) -> tuple[str, str]:
    return f"{FRAMES}/{table.name}.parquet", f"{FRAMES}/{table.name}.csv"


def _picture_files(picture: Picture) -> tuple[str, str]:
    return f"{FIGURES}/{picture.name}.svg", f"{FIGURES}/{picture.name}.png"


def _manifest(document: Document, files: Mapping[str, bytes]) -> bytes:
    dated = (PAGE, PDF) if document.made else ()
    content = {
        "title": document.title,
        "game": document.game,
        "made": document.made.isoformat(timespec="seconds") if document.made else None,
        **document.manifest,
        "files": {name: None if name in dated else digest(files[name]) for name in sorted(files)},
    }
    # Half of a surrogate pair, which UTF-8 has no bytes for, becomes JSON's own escape.
    return f"{as_json(content, indent=2)}\n".encode(errors="backslashreplace")


# --- The page --------------------------------------------------------------------------------------------------------


def _page(document: Document, drawings: Mapping[str, Drawing], *, with_files: bool) -> str:
    numbers = {f"{table.name}.table": number for number, table in enumerate(document.tables(), 1)}
    numbers |= {f"{picture.name}.picture": number for number, picture in enumerate(document.pictures(), 1)}
    return page(
        "document.html.jinja",
        title=document.title,
        game=document.game,
        document=document,
        titles={section.key: section.title for section in document.every_section()},
        numbers=numbers,
        drawings=drawings,
        with_files=with_files,
        kind_of=lambda block: type(block).__name__,
        alignment=_alignment,
        paper_class=_paper_class,
        length=lambda cell, most=SHORT: " short" if len(cell) <= most else " long",
        table_files=_table_files,
        picture_files=_picture_files,
        date=_date,
    )


def _alignment(table: Table) -> str:
    """Return a letter a column; columns of nothing but numbers are set right."""
    if table.alignment:
        return table.alignment
    columns = [[row[place] for row in table.rows] for place in range(len(table.headers))]
    return "".join("r" if any(column) and all(map(_is_number, column)) else "l" for column in columns)


def _is_number(cell: str) -> bool:
    return not cell or cell in NO_NUMBERS or re.match(r"(less than |more than |[+±<>≥≤≈~])?[-−]?\d", cell) is not None


def _paper_class(table: Table) -> str:
    """Return how a table goes on paper: in one piece, in smaller letters, on a sheet that is turned."""
    width = 0
    for place, head in enumerate(table.headers):
        # Heads go over several lines, at their words.
        longest = max(min(len(head), SHORT // 2), *map(len, head.split() or [""]))
        width += 3 + min(max([longest, *(len(row[place]) for row in table.rows)]), LONGEST_LINE)
    size = " wide sideways" if width > WIDE else " wide" if width > UPRIGHT else ""
    return size + (" whole" if len(table.rows) <= MOST_ROWS else "")


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d, %H:%M}" + (f" {moment.tzname()}" if moment.tzinfo else "")
