"""Tables and sentences as text of at most 80 columns."""

import textwrap
from collections.abc import Sequence

WIDTH = 80


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    """Return a text in lines of at most 80 columns, with an indent before the first and before the others."""
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def wide_table(keys: Sequence[str], rows: Sequence[Sequence[str]], columns: Sequence[tuple[str, list[str]]]) -> str:
    """Return a table of at most 80 columns; where it has too many, it goes on in another one below.

    Parameters
    ----------
    keys
        The headings of the columns that say what a row is; the last of them is wrapped where it has to be.
    rows
        Their texts.
    columns
        Heading and texts of each further column.
    """
    widths = [max(len(text) for text in column) for column in zip(keys, *rows, strict=True)]
    needed = sum(2 + max(len(text) for text in (heading, *texts)) for heading, texts in columns)
    widths[-1] = min(widths[-1], max(24, WIDTH - needed - sum(widths[:-1]) - 2 * (len(widths) - 1)))
    room = WIDTH - sum(widths) - 2 * (len(widths) - 1)
    groups: list[list[tuple[str, list[str]]]] = [[]]
    left = room
    for heading, texts in columns:
        need = 2 + max(len(text) for text in (heading, *texts))
        if need > left and groups[-1]:
            groups.append([])
            left = room
        groups[-1].append((heading, texts))
        left -= need
    return "\n\n".join(_table(keys, widths, rows, group) for group in groups)


def _table(
    keys: Sequence[str], widths: Sequence[int], rows: Sequence[Sequence[str]], columns: Sequence[tuple[str, list[str]]]
) -> str:
    lines = []
    sizes = [max(len(text) for text in (heading, *texts)) for heading, texts in columns]
    for place in range(-1, len(rows)):
        told = keys if place < 0 else rows[place]
        names = textwrap.wrap(told[-1], widths[-1], break_on_hyphens=False) or [""]
        head = [f"{text:<{width}}" for text, width in zip(told[:-1], widths[:-1], strict=True)]
        cells = [
            f"{heading if place < 0 else texts[place]:>{size}}"
            for (heading, texts), size in zip(columns, sizes, strict=True)
        ]
        lines.append("  ".join([*head, f"{names[0]:<{widths[-1]}}", *cells]).rstrip())
        indent = " " * (sum(widths[:-1]) + 2 * (len(widths) - 1))
        lines += [indent + name for name in names[1:]]
    return "\n".join(lines)
