"""The answers of the command line: as text, CSV or JSON, to the screen or to a file."""

import argparse
import json
import os
import shlex
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sims.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

WIDTH = 80


def check_target(arguments: argparse.Namespace) -> None:
    """Refuse a file to write that cannot be written, before any work is done for it."""
    # The --out of a report is a folder, which the report looks at itself.
    files = (None if arguments.verb == "report" else arguments.out, getattr(arguments, "save", None))
    for path in files:
        if path is None:
            continue
        folder = os.path.dirname(path) or "."
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
        if os.path.isdir(path) or not os.access(folder, os.W_OK):
            raise UsageError(f"cannot write {path}: it is a folder, or its folder cannot be written to")


def emit(arguments: argparse.Namespace, text: str) -> None:
    """Write the answer to where it was asked for."""
    text = text.rstrip("\n") + "\n"
    if arguments.out is None:
        sys.stdout.write(text)
        return
    try:
        with open(arguments.out, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {arguments.out}: {error.strerror or error}") from error


def narrow(text: str) -> str:
    """Return a text whose lines that are too long go on below, further in."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=indent) if len(line) > WIDTH else [line]
    return "\n".join(lines)


def to_json(value: Any) -> str:
    """Return JSON that any reader takes: what is not a number is null."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def to_table(rows: Sequence[Sequence[str]], headers: Sequence[str], widths: Sequence[int | None] | None = None) -> str:
    """Return rows as aligned text; columns with a width are wrapped to it."""
    import tabulate

    tabulate.MIN_PADDING = 0  # its two spare columns before every number are needed for names
    numbers = [bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(headers))]
    return tabulate.tabulate(
        rows,
        headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=["right" if number else "left" for number in numbers] if rows else None,
        maxcolwidths=list(widths) if widths else None,
    )


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text[:1] in "-–"


def to_csv(frame: "pl.DataFrame") -> str:
    """Return a frame as CSV."""
    return frame.write_csv()


def answer(
    arguments: argparse.Namespace,
    found: Any,
    *,
    frame: "Callable[[], pl.DataFrame] | None" = None,
    text: Callable[[], str] | None = None,
    speed: Callable[[], str] | None = None,
) -> int:
    """Write what a verb found in the format that was asked for, and say how fast it was.

    `frame`, `text` and `speed` give the CSV, the text and the last line of results that have others than `summary()`,
    `text()` and games a second.
    """
    if arguments.format == "json":
        emit(arguments, to_json(found.to_dict()))
    elif arguments.format == "csv":
        emit(arguments, to_csv((frame or found.summary)()))
    else:
        emit(arguments, (text or found.text)())
        say(speed() if speed else _speed(found.games, found.seconds))
    return 0


def say(text: str) -> None:
    """Tell the user something that is not part of the answer."""
    print(text, file=sys.stderr)


def _speed(games: int, seconds: float) -> str:
    if not games:
        return f"all games were in the store; read in {seconds:.2f} s"
    return f"{games:,} games in {seconds:.2f} s ({games / seconds:,.0f} games/s)"


def command_line() -> str:
    """Return the command as the user could type it again."""
    return shlex.join(["crosslab", *sys.argv[1:]])
