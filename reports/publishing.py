"""Files of reports: bytes that depend on nothing but their content, published all or none."""

import errno
import hashlib
import io
import json
import math
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl

from reports.figures import printable
from sims.errors import StoreError, UsageError

PAGE = "index.html"
MANIFEST = "manifest.json"
GENERATOR = '<meta name="generator" content="crosslab">'
"""Marks a page as ours: a folder that holds files of the report's names is written to only when its page has it."""

_DISK_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


# --- Content ---------------------------------------------------------------------------------------------------------


def parquet(frame: pl.DataFrame) -> bytes:
    """Return a frame as a Parquet file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def csv(frame: pl.DataFrame) -> bytes:
    """Return a frame as a CSV file; lists and records in it, which CSV has no form for, become JSON."""
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    columns = [
        pl.Series(name, [None if value is None else as_json(value) for value in frame[name].to_list()], pl.String)
        for name in nested
    ]
    return frame.with_columns(columns).write_csv().encode()


def as_json(value: Any, indent: int | None = None) -> str:
    """Return JSON that any reader takes: what is not a number is null, dates and the like are text."""
    return json.dumps(_finite(value), indent=indent, ensure_ascii=False, allow_nan=False, default=str)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list | tuple) else value


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


# --- Folders ---------------------------------------------------------------------------------------------------------


def prepare(folder: Path | str, names: Iterable[str]) -> None:
    """Make the folder of a report, or say at once why the report could not be written there.

    Parameters
    ----------
    folder
        Is made when it does not exist.
    names
        Files and folders that the report will have in it.

    Raises
    ------
    UsageError
        When the folder, or a part of it, is a file, or holds files of these names that are not from a report.
    StoreError
        When it cannot be written to: no permission, a full disk.
    """
    target = Path(folder)
    with _one_line_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        _refuse_strangers(target, names)


def publish(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put the files of a report into a folder: all are on disk before the first takes its name.

    Files that the manifest of an earlier report lists, and that are as that report left them, are taken away when the
    new one has them no more. All others are left alone.

    Parameters
    ----------
    folder
        Is made when it does not exist.
    files
        Name and content, the name with "/" for a file in a folder of its own; one of them is `index.html`.

    Raises
    ------
    UsageError, StoreError
        See `prepare`.
    """
    with _one_line_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_strangers(folder, {name.partition("/")[0] for name in files})
        outdated = [path for path in _unchanged(folder) if path not in {folder / name for name in files}]
        temporaries: dict[str, Path] = {}
        try:
            for name, content in files.items():
                (folder / name).parent.mkdir(exist_ok=True)
                temporaries[name] = folder / f"{name}.{secrets.token_hex(8)}.tmp"
                with open(temporaries[name], "xb") as handle:
                    handle.write(content)
                    handle.flush()
                    os.fsync(handle.fileno())
            for name, temporary in temporaries.items():
                os.replace(temporary, folder / name)
        finally:
            for temporary in temporaries.values():
                # A failure to tidy up must not hide why the writing failed.
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
        for path in outdated:
            path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()  # only when it is empty


def _unchanged(folder: Path) -> Iterator[Path]:
    """Yield the files of an earlier report that nobody has touched since, going by its manifest."""
    try:
        listed = json.loads((folder / MANIFEST).read_bytes())["files"]
        entries = [(str(name), known) for name, known in listed.items()]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return
    for name, known in entries:
        path = folder / name
        # A manifest that somebody wrote must not lead out of the folder.
        inside = path.resolve().is_relative_to(folder.resolve()) and not path.is_symlink()
        # Files that hold the date have no digest in it.
        if inside and path.is_file() and known in (None, digest(path.read_bytes())):
            yield path


def _refuse_strangers(folder: Path, names: Iterable[str]) -> None:
    page = folder / PAGE
    if page.is_file() and GENERATOR.encode() in page.read_bytes():
        return
    strangers = sorted(name for name in names if os.path.lexists(folder / name))
    if strangers:
        raise UsageError(
            f"{printable(str(folder))} holds {strangers[0]}, which is not from a report: "
            "name another folder, or move the file away"
        )


@contextmanager
def _one_line_errors(folder: Path) -> Iterator[None]:
    where = printable(str(folder))
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise UsageError(
            f"cannot write the report to {where}: it, or a part of it, is a file; name a folder"
        ) from error
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise StoreError(
                f"cannot write the report to {where}: the disk is full; make room and try again"
            ) from error
        reason = printable(error.strerror or str(error))
        raise StoreError(
            f"cannot write the report to {where}: {reason}; name a folder that you may write to"
        ) from error
