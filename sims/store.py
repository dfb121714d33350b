"""The store of a run on disk: a folder with `manifest.json` and one Parquet file a chunk.

A store knows nothing about games. It keeps polars frames by chunk number, beside the design (any JSON object) that they
belong to. The name of a chunk's file carries a digest of its bytes::

    manifest.json
    chunk-000000.5f0c1d7e9a3b2468.parquet
    chunk-000001.90ab12cd34ef5678.parquet

So a chunk is published by a single rename, file and digest can never disagree because a run was killed between the two,
and the same frame always ends up as the same file. Results are only ever Parquet and JSON: nothing is unpickled.
"""

import errno
import hashlib
import io
import json
import os
import re
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from sims.errors import StoreError, UsageError

FORMAT = "crosslab-store"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"

_CHUNK_NAME = re.compile(r"chunk-([0-9]{6}|[1-9][0-9]{6,})\.([0-9a-f]{16})\.parquet")
_TEMPORARY_NAME = re.compile(rf"(?:manifest\.json|{_CHUNK_NAME.pattern})\.[0-9a-f]{{16}}\.tmp")

# A living writer holds a temporary file for well under a second, so one this old was left by a killed run. The age is
# judged and not the process id: asking whether a process lives has no portable form (on Windows `os.kill` ends it),
# and on a shared folder the id may belong to another machine. A writer that slept for longer loses its file, fails with
# one line, and leaves nothing half done.
_STALE_SECONDS = 3600.0

_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_SHOWN_CHARACTERS = 48
_ABSENT = object()


@dataclass(frozen=True)
class Store:
    """The results of one run on disk; made by `Store.open` or `Store.load`.

    It holds plain values only, so it can be sent to worker processes, and any number of threads and processes may
    write to one folder at a time: they make the same bytes under the same names.

    Attributes
    ----------
    folder
        The absolute path of the folder.
    design
        What was run, as it is in the manifest (a JSON object: tuples have become lists).
    versions
        The versions of Python and of the packages that began the run, by name.
    chunks
        The number of chunks of the whole run.
    writable
        False for a store from `Store.load`, which changes nothing on disk.
    """

    folder: Path
    design: dict[str, Any]
    versions: dict[str, str]
    chunks: int
    writable: bool

    @classmethod
    def open(cls, folder: Path | str, design: dict[str, Any], versions: dict[str, str], chunks: int) -> Self:
        """Begin the store of a run, or resume it.

        Parameters
        ----------
        folder
            Where the store is or will be; missing folders are made.
        design
            Everything that the results depend on, as JSON-able values.
        versions
            Versions to record, by package. Those of the first run stay; other ones are no reason to refuse.
        chunks
            The number of chunks of the run, at least 1.

        Raises
        ------
        StoreError
            The folder is a file, may not be written, holds other things, an unreadable or foreign manifest, or the
            store of another design; or the disk is full.
        UsageError
            The design has no JSON form, or the number of chunks is less than 1.
        """
        folder = Path(folder).absolute()
        if chunks < 1:
            raise UsageError(f"the number of chunks of a store is {chunks}, it must be at least 1")
        wanted = _Manifest(_json_form(design), dict(versions), chunks)
        with _one_line_errors(f"open a store in {folder}"):
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / MANIFEST).exists():
                _publish_manifest(folder, wanted)
            found = _read_manifest(folder)
            _check_same_run(folder, found, wanted)
            _remove_stale_temporaries(folder)
        return cls(folder, found.design, found.versions, found.chunks, writable=True)

    @classmethod
    def load(cls, folder: Path | str) -> Self:
        """Open an existing store for reading only, whatever its design.

        Raises
        ------
        StoreError
            There is no store in the folder, or its manifest is unreadable or foreign.
        """
        folder = Path(folder).absolute()
        with _one_line_errors(f"read the store in {folder}"):
            if not (folder / MANIFEST).exists():
                raise _error(f"there is no store in {folder} (no {MANIFEST}): give the --store folder of a run")
            found = _read_manifest(folder)
        return cls(folder, found.design, found.versions, found.chunks, writable=False)

    @property
    def complete(self) -> bool:
        """Whether every chunk is present and sound; reads every file and removes none."""
        return not self._absent_chunks(remove_damaged=False)

    def missing(self) -> list[int]:
        """Find the chunks that have to be made: absent ones, and damaged ones, whose files are removed.

        Every file is read and its digest checked. A store from `Store.load` keeps its damaged files.

        Returns
        -------
        list of int
            Chunk numbers in ascending order.

        Raises
        ------
        StoreError
            A chunk has two sound files that differ, or a file cannot be read or removed.
        """
        return self._absent_chunks(remove_damaged=self.writable)

    def write(self, chunk: int, frame: pl.DataFrame) -> None:
        """Publish a chunk: all of it under its final name, or nothing.

        The same frame makes the same bytes (for one version of polars), so writing a chunk again changes nothing.

        Parameters
        ----------
        chunk
            The chunk number, from 0.
        frame
            The rows of the chunk.

        Raises
        ------
        StoreError
            The disk is full, the folder cannot be written, or the store was opened for reading only.
        UsageError
            The run has no chunk of this number.
        """
        self._check_chunk(chunk)
        if not self.writable:
            raise _error(f"the store in {self.folder} was loaded for reading only: open it with its design to write")
        payload = _parquet_bytes(frame)
        final = self.folder / f"chunk-{chunk:06d}.{_digest(payload)}.parquet"
        with _one_line_errors(f"write chunk {chunk} to {self.folder}"), _temporary_file(final, payload) as temporary:
            try:
                os.replace(temporary, final)
            except PermissionError:
                # Windows does not rename over a file that another process reads; when it is sound, it is this one.
                if _sound_bytes(final) is None:
                    raise
            _sync_folder(self.folder)

    def read(self, chunk: int) -> pl.DataFrame:
        """Read one chunk, its digest checked.

        It lists the folder at each call; `frames` does so once for all chunks.

        Raises
        ------
        StoreError
            The chunk is absent or damaged, has two sound files that differ, or cannot be read.
        UsageError
            The run has no chunk of this number.
        """
        self._check_chunk(chunk)
        return self._frame(chunk, self._files().get(chunk, []))

    def frames(self) -> Iterator[pl.DataFrame]:
        """Read all chunks in chunk order, one in memory at a time, each with its digest checked.

        Raises
        ------
        StoreError
            As `read`, at the first chunk that cannot be used.
        """
        files = self._files()
        for chunk in range(self.chunks):
            yield self._frame(chunk, files.get(chunk, []))

    def scan(self) -> pl.LazyFrame:
        """Give all rows in chunk order as a lazy frame; every file's digest is checked first.

        Raises
        ------
        StoreError
            A chunk is absent or damaged, has two sound files that differ, or cannot be read.
        """
        files = self._files()
        paths = [self._sound_file(chunk, files.get(chunk, []))[0] for chunk in range(self.chunks)]
        # The name of a folder may hold the characters of a glob pattern, and is none.
        return pl.scan_parquet(paths, glob=False)

    def _check_chunk(self, chunk: int) -> None:
        if not 0 <= chunk < self.chunks:
            raise UsageError(f"there is no chunk {chunk} in this run: chunks are numbered 0 to {self.chunks - 1}")

    def _files(self) -> dict[int, list[Path]]:
        """List the files of every chunk, damaged ones too; files of other names are nobody's business here."""
        files: dict[int, list[Path]] = {}
        with _one_line_errors(f"read the store in {self.folder}"):
            names = sorted(os.listdir(self.folder))
        for name in names:
            match = _CHUNK_NAME.fullmatch(name)
            if match:
                files.setdefault(int(match[1]), []).append(self.folder / name)
        return files

    def _absent_chunks(self, *, remove_damaged: bool) -> list[int]:
        files = self._files()
        absent = []
        for chunk in range(self.chunks):
            sound, damaged = self._inspect(chunk, files.get(chunk, []))
            if not sound:
                absent.append(chunk)
            if remove_damaged:
                with _one_line_errors(f"remove the damaged chunk {chunk} from {self.folder}"):
                    for path in damaged:
                        path.unlink(missing_ok=True)
        return absent

    def _inspect(self, chunk: int, paths: list[Path]) -> tuple[dict[Path, bytes], list[Path]]:
        """Part the files of a chunk into at most one sound file with its bytes, and the damaged ones."""
        sound: dict[Path, bytes] = {}
        damaged = []
        for path in paths:
            with _one_line_errors(f"read {path}"):
                payload = _sound_bytes(path)
            if payload is None:
                damaged.append(path)
            else:
                sound[path] = payload
        if len(sound) > 1:
            names = " and ".join(path.name for path in sound)
            raise _error(
                f"the store in {self.folder} has two different results for chunk {chunk}, {names}: "
                "remove both files and run again, or use another --store folder"
            )
        return sound, damaged

    def _sound_file(self, chunk: int, paths: list[Path]) -> tuple[Path, bytes]:
        sound, damaged = self._inspect(chunk, paths)
        for path, payload in sound.items():
            return path, payload
        state = "damaged" if damaged else "missing"
        raise _error(f"chunk {chunk} of the store in {self.folder} is {state}: run the same command to make it again")

    def _frame(self, chunk: int, paths: list[Path]) -> pl.DataFrame:
        path, payload = self._sound_file(chunk, paths)
        try:
            return pl.read_parquet(io.BytesIO(payload))
        except pl.exceptions.PolarsError as error:
            raise _error(
                f"{path} is not a Parquet file: remove it and run the same command to make it again"
            ) from error


# The manifest


@dataclass(frozen=True)
class _Manifest:
    design: dict[str, Any]
    versions: dict[str, str]
    chunks: int


def _json_form(design: dict[str, Any]) -> dict[str, Any]:
    """Give the design as it will be read back, so that a tuple and its list do not count as a difference."""
    try:
        form: dict[str, Any] = json.loads(json.dumps(design, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the design of the run cannot be stored as JSON: {error}") from error
    return form


def _manifest_bytes(manifest: _Manifest) -> bytes:
    content = {"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(manifest)}
    return (json.dumps(content, indent=2, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def _publish_manifest(folder: Path, manifest: _Manifest) -> None:
    """Write the manifest into an empty folder, unless another process was first."""
    path = folder / MANIFEST
    strangers = sorted(name for name in os.listdir(folder) if not _TEMPORARY_NAME.fullmatch(name))
    # The list may hold the chunks of a process that began the store meanwhile; then its manifest is there too.
    if strangers and not path.exists():
        raise _error(
            f"{folder} is not a store: it holds {strangers[0]} and no {MANIFEST}; use a new or empty --store folder"
        )
    with suppress(FileExistsError), _temporary_file(path, _manifest_bytes(manifest)) as temporary:
        _rename_to_free_name(temporary, path)
    _sync_folder(folder)


def _rename_to_free_name(temporary: Path, final: Path) -> None:
    """Publish a file under a name that must be free: two runs that begin at once must not replace each other's."""
    try:
        os.link(temporary, final)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems (FAT, network shares) have no hard links. Whatever else was wrong is wrong here as well.
        os.replace(temporary, final)


def _read_manifest(folder: Path) -> _Manifest:
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise _error(f"{path} is damaged or not JSON: restore it, or use another --store folder") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _error(f"{path} is not the manifest of a store (no format {FORMAT}): use another --store folder")
    version = content.get("format_version")
    if type(version) is int and version > FORMAT_VERSION:
        raise _error(
            f"{path} has store format {version}, this crosslab reads {FORMAT_VERSION}: "
            "use a newer crosslab, or another --store folder"
        )
    design, versions, chunks = (content.get(field) for field in ("design", "versions", "chunks"))
    if not (
        type(version) is int
        and version == FORMAT_VERSION
        and isinstance(design, dict)
        and isinstance(versions, dict)
        and all(isinstance(text, str) for text in versions.values())
        and type(chunks) is int
        and chunks >= 1
    ):
        raise _error(f"{path} has missing or wrong fields: restore it, or use another --store folder")
    return _Manifest(design, versions, chunks)


def _check_same_run(folder: Path, found: _Manifest, wanted: _Manifest) -> None:
    differences = [
        *_differences(found.design, wanted.design),
        *_differences(found.chunks, wanted.chunks, "chunks"),
    ]
    if differences:
        named = "; ".join(f"{name}: store has {first}, this run has {second}" for name, first, second in differences)
        raise _error(
            f"the store in {folder} is of another run ({named}): use another --store folder, or the stored values"
        )


def _differences(stored: object, wanted: object, name: str = "") -> Iterator[tuple[str, str, str]]:
    """Name every field that would be written differently, with both values, short (`rules.size`, `lineup[1].spec`)."""
    if isinstance(stored, dict) and isinstance(wanted, dict):
        for key in sorted(stored.keys() | wanted.keys()):
            inner = f"{name}.{key}" if name else key
            yield from _differences(stored.get(key, _ABSENT), wanted.get(key, _ABSENT), inner)
    elif (
        isinstance(stored, list)
        and isinstance(wanted, list)
        and len(stored) == len(wanted)
        and any(isinstance(item, dict | list) for item in stored + wanted)
    ):
        for index, (first, second) in enumerate(zip(stored, wanted, strict=True)):
            yield from _differences(first, second, f"{name}[{index}]")
    else:
        first, second = (_value_text(value) for value in (stored, wanted))
        if first != second:
            yield name, *_shortened(first, second)


def _value_text(value: object) -> str:
    return "nothing" if value is _ABSENT else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _shortened(first: str, second: str) -> tuple[str, str]:
    """Cut two long texts to the same window around the place where they part."""
    begin = 0
    if max(len(first), len(second)) > _SHOWN_CHARACTERS:
        pairs = enumerate(zip(first, second, strict=False))
        parting = next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))
        begin = max(0, parting - _SHOWN_CHARACTERS // 2)
    end = begin + _SHOWN_CHARACTERS
    cut_first, cut_second = (
        ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "") for text in (first, second)
    )
    return cut_first, cut_second


# Files


def _parquet_bytes(frame: pl.DataFrame) -> bytes:
    """Serialise a frame in one fixed way: the bytes depend on its values and types, not on how it was put together."""
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(
        buffer,
        compression="zstd",
        compression_level=3,
        statistics=True,
        row_group_size=max(1, frame.height),
        data_page_size=1 << 20,
    )
    return buffer.getvalue()


def _digest(payload: bytes) -> str:
    return hashlib.blake2b(payload, digest_size=8).hexdigest()


def _sound_bytes(path: Path) -> bytes | None:
    """Read a chunk's file; None when the digest in its name is not that of its bytes, or it is gone."""
    try:
        payload = path.read_bytes()
    except FileNotFoundError:
        return None
    match = _CHUNK_NAME.fullmatch(path.name)
    return payload if match and match[2] == _digest(payload) else None


@contextmanager
def _temporary_file(final: Path, payload: bytes) -> Iterator[Path]:
    """Write the bytes to disk beside their final name, under a name of its own that is gone at the end."""
    temporary = final.with_name(f"{final.name}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as handle:
            handle.write(payload)
            handle.flush()
            os.fsync(handle.fileno())
        yield temporary
    finally:
        # A failure to tidy up must not hide why the writing failed; a later run removes what is left.
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Bring a rename to disk, where the platform and the file system can."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def _remove_stale_temporaries(folder: Path) -> None:
    oldest = time.time() - _STALE_SECONDS
    for name in os.listdir(folder):
        if _TEMPORARY_NAME.fullmatch(name):
            # Another process may remove it first, and a file that stays harms nobody.
            with suppress(OSError):
                if (folder / name).stat().st_mtime < oldest:
                    (folder / name).unlink()


# Errors


def _error(message: str) -> StoreError:
    """Make an error of exactly one line: file names and foreign manifests may hold line breaks or control codes."""
    return StoreError("".join(character if character.isprintable() else repr(character)[1:-1] for character in message))


@contextmanager
def _one_line_errors(action: str) -> Iterator[None]:
    """Turn an error of the operating system into one line that says what could not be done, and what would work."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise _error(
                f"cannot {action}: the disk is full; complete chunks are kept: "
                "make room and run the same command to resume"
            ) from error
        reason = error.strerror or str(error)
        if isinstance(error, PermissionError):
            reason += "; use a --store folder that you may read and write"
        elif isinstance(error, FileExistsError | NotADirectoryError):
            reason += "; the --store path has to be a folder, and not a file"
        else:
            reason += "; check the disk, or use another --store folder"
        raise _error(f"cannot {action}: {reason}") from error
