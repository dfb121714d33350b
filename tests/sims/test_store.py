import errno
import io
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sims.store
from sims.errors import StoreError, UsageError
from sims.store import MANIFEST, Store

DESIGN: dict[str, Any] = {
    "game": "criss-cross",
    "rules": {"size": 4, "run_points": (0, 2, 3, 8, 10)},
    "lineup": [{"spec": "greedy", "digest": "0f" * 32}, {"spec": "random", "digest": "ab" * 32}],
    "deals": 100_000,
    "seed": 7,
}
VERSIONS = {"python": "3.11.9", "polars": "1.20.0"}
CHUNKS = 6
ROOT = Path(__file__).resolve().parents[2]


def rows(chunk: int, height: int = 50) -> pl.DataFrame:
    rng = np.random.default_rng(chunk)
    return pl.DataFrame(
        {
            "deal": np.arange(height, dtype=np.int64) + chunk * height,
            "seat": rng.integers(0, 6, height).astype(np.uint8),
            "score": rng.integers(-40, 80, height).astype(np.int16),
            "win": rng.random(height),
            "reason": pl.Series(rng.choice(["full", "six"], height), dtype=pl.Enum(["full", "six", "passes"])),
        }
    )


def begin(folder: Path, design: dict[str, Any] = DESIGN, chunks: int = CHUNKS) -> Store:
    return Store.open(folder, design, VERSIONS, chunks)


def fill(store: Store) -> Store:
    for chunk in range(store.chunks):
        store.write(chunk, rows(chunk))
    return store


def chunk_file(folder: Path, chunk: int) -> Path:
    (path,) = folder.glob(f"chunk-{chunk:06d}.*.parquet")
    return path


def temporaries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.tmp"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path, place: int = 100) -> None:
    payload = bytearray(path.read_bytes())
    payload[place % len(payload)] ^= 0x10
    path.write_bytes(payload)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def line(caught: pytest.ExceptionInfo[Exception]) -> str:
    message = str(caught.value)
    assert message
    assert message.isprintable()
    return message


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fill(begin(tmp_path / "run"))


# Opening


def test_open_makes_missing_folders_and_a_manifest(tmp_path: Path) -> None:
    begin(tmp_path / "a" / "b")
    text = (tmp_path / "a" / "b" / MANIFEST).read_bytes().decode("ascii")
    content = json.loads(text)
    assert content == {
        "format": "crosslab-store",
        "format_version": 1,
        "design": json.loads(json.dumps(DESIGN)),
        "chunks": CHUNKS,
        "versions": VERSIONS,
    }
    assert text == json.dumps(content, indent=2, sort_keys=True) + "\n"


def test_open_accepts_an_empty_folder_and_a_path_in_text(tmp_path: Path) -> None:
    assert Store.open(str(tmp_path), DESIGN, VERSIONS, 2).missing() == [0, 1]
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_open_resumes_an_equal_design_with_keys_in_another_order(tmp_path: Path) -> None:
    fill(begin(tmp_path))
    assert begin(tmp_path, dict(reversed(DESIGN.items()))).complete


def test_open_keeps_the_versions_of_the_first_run(tmp_path: Path) -> None:
    begin(tmp_path)
    before = contents(tmp_path)
    again = Store.open(tmp_path, DESIGN, {"python": "3.14.0"}, CHUNKS)
    assert again.versions == VERSIONS
    assert contents(tmp_path) == before


def test_open_holds_an_absolute_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = begin(Path("run"))
    monkeypatch.chdir(ROOT)
    store.write(0, rows(0))
    assert chunk_file(tmp_path / "run", 0).exists()


def test_open_names_every_field_of_another_design(tmp_path: Path) -> None:
    begin(tmp_path)
    other = {
        **DESIGN,
        "rules": {"size": 5, "run_points": (0, 2, 3, 7, 10)},
        "lineup": [DESIGN["lineup"][0], {"spec": "uniform", "digest": "ab" * 31 + "cd"}],
        "note": "line\nbreak",
    }
    del other["seed"]
    with pytest.raises(StoreError) as caught:
        begin(tmp_path, other, chunks=7)
    message = line(caught)
    for part in (
        str(tmp_path),
        "rules.size: store has 4, this run has 5",
        "rules.run_points: store has [0, 2, 3, 8, 10], this run has [0, 2, 3, 7, 10]",
        'lineup[1].spec: store has "random", this run has "uniform"',
        "lineup[1].digest: store has …",
        "seed: store has 7, this run has nothing",
        r'note: store has nothing, this run has "line\nbreak"',
        "chunks: store has 6, this run has 7",
        "another --store folder",
    ):
        assert part in message
    for equal in ("game", "deals", "lineup[0]"):
        assert f"{equal}:" not in message
    assert begin(tmp_path).missing() == list(range(CHUNKS))


def test_open_tells_true_from_one(tmp_path: Path) -> None:
    begin(tmp_path, {"rotate": True})
    with pytest.raises(StoreError, match="rotate: store has true, this run has 1") as caught:
        begin(tmp_path, {"rotate": 1})
    line(caught)


def test_shortened_shows_where_two_long_values_part() -> None:
    first, second = sims.store._shortened("a" * 200 + "left" + "b" * 200, "a" * 200 + "right" + "b" * 200)
    assert "left" in first
    assert "right" in second
    assert max(len(first), len(second)) <= 50
    assert sims.store._shortened("4", "5") == ("4", "5")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(stored=st.dictionaries(st.text("ab", max_size=2), JSON), wanted=st.dictionaries(st.text("ab", max_size=2), JSON))
def test_differences_are_empty_exactly_for_equal_designs(stored: dict[str, Any], wanted: dict[str, Any]) -> None:
    same = json.dumps(stored, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    assert (not list(sims.store._differences(stored, wanted))) == same
    assert list(sims.store._differences(stored, stored)) == []


def test_open_refuses_a_folder_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(StoreError, match=r"is not a store: it holds thesis\.txt") as caught:
        begin(tmp_path)
    line(caught)
    assert contents(tmp_path) == {"thesis.txt": b"years of work"}


def test_open_refuses_chunks_without_a_manifest(store: Store) -> None:
    (store.folder / MANIFEST).unlink()
    before = contents(store.folder)
    with pytest.raises(StoreError, match="is not a store") as caught:
        begin(store.folder)
    line(caught)
    assert contents(store.folder) == before


def good_manifest(**changes: object) -> bytes:
    content = {
        "format": "crosslab-store",
        "format_version": 1,
        "design": DESIGN,
        "chunks": CHUNKS,
        "versions": VERSIONS,
    }
    return json.dumps({**content, **changes}).encode()


@pytest.mark.parametrize("opener", [begin, Store.load])
@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        (b"", "damaged or not JSON"),
        (good_manifest()[:-20], "damaged or not JSON"),
        (b"\xff\xfe\x00garbage", "damaged or not JSON"),
        pytest.param(b"[" * 100_000, "damaged or not JSON", id="nested without end"),
        (b"[1, 2]", "not the manifest of a store"),
        (b'{"name": "my web app", "start_url": "/"}', "not the manifest of a store"),
        (good_manifest(format="other-store"), "not the manifest of a store"),
        (good_manifest(format_version=2), "has store format 2, this crosslab reads 1"),
        (good_manifest(format_version=True), "missing or wrong fields"),
        (good_manifest(format_version="1"), "missing or wrong fields"),
        (good_manifest(format_version=0), "missing or wrong fields"),
        (good_manifest(design=[]), "missing or wrong fields"),
        (good_manifest(versions={"python": 3}), "missing or wrong fields"),
        (good_manifest(chunks=0), "missing or wrong fields"),
        (good_manifest(chunks=2.5), "missing or wrong fields"),
    ],
)
def test_a_damaged_or_foreign_manifest_is_refused(
    tmp_path: Path, opener: Callable[[Path], Store], manifest: bytes, reason: str
) -> None:
    (tmp_path / MANIFEST).write_bytes(manifest)
    with pytest.raises(StoreError, match=reason) as caught:
        opener(tmp_path)
    message = line(caught)
    assert str(tmp_path / MANIFEST) in message
    assert "another --store folder" in message
    assert contents(tmp_path) == {MANIFEST: manifest}


def test_the_good_manifest_of_these_tests_is_accepted(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(good_manifest())
    assert begin(tmp_path).missing() == list(range(CHUNKS))


@pytest.mark.parametrize("inside", [(), ("run",)])
def test_open_refuses_a_path_that_is_or_crosses_a_file(tmp_path: Path, inside: tuple[str, ...]) -> None:
    file = tmp_path / "results.csv"
    file.write_text("a,b")
    with pytest.raises(StoreError, match="has to be a folder, and not a file") as caught:
        begin(file.joinpath(*inside))
    assert str(file) in line(caught)
    assert file.read_text() == "a,b"


def test_open_refuses_a_manifest_that_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).mkdir()
    with pytest.raises(StoreError, match="cannot open a store") as caught:
        begin(tmp_path)
    line(caught)


def test_open_reports_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *arguments: object, **options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(
        StoreError, match="Permission denied; use a --store folder that you may read and write"
    ) as caught:
        begin(tmp_path / "run")
    assert str(tmp_path / "run") in line(caught)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="permission bits bind neither Windows nor the superuser"
)
def test_open_reports_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="use a --store folder that you may read and write") as caught:
            begin(tmp_path)
        line(caught)
    finally:
        tmp_path.chmod(0o700)


def test_errors_are_one_line_for_any_folder_name(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"two\\nlines") as caught:
        Store.load(tmp_path / "two\nlines")
    line(caught)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_open_refuses_a_design_without_a_json_form(tmp_path: Path, value: object) -> None:
    with pytest.raises(UsageError, match="cannot be stored as JSON") as caught:
        begin(tmp_path / "run", {"run": value})
    line(caught)
    assert not (tmp_path / "run").exists()


def test_open_refuses_a_run_without_chunks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is 0, it must be at least 1") as caught:
        begin(tmp_path / "run", chunks=0)
    line(caught)


def test_one_of_several_runs_that_begin_at_once_gets_the_folder(tmp_path: Path) -> None:
    runs = 8
    barrier = threading.Barrier(runs)

    def race(seed: int) -> int | None:
        barrier.wait()
        try:
            begin(tmp_path / "run", {"seed": seed})
        except StoreError:
            return None
        return seed

    with ThreadPoolExecutor(runs) as pool:
        winners = [seed for seed in pool.map(race, range(runs)) if seed is not None]
    assert winners == [Store.load(tmp_path / "run").design["seed"]]
    assert [path.name for path in (tmp_path / "run").iterdir()] == [MANIFEST]


def test_the_manifest_of_a_run_that_was_first_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_link = os.link

    def overtaken(source: Path, target: Path) -> None:
        target.write_bytes(good_manifest(design={"seed": 8}))
        real_link(source, target)

    monkeypatch.setattr(os, "link", overtaken)
    with pytest.raises(StoreError, match="seed: store has 8, this run has 7") as caught:
        begin(tmp_path, {"seed": 7})
    line(caught)
    assert temporaries(tmp_path) == []


def test_open_works_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    begin(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]
    assert Store.load(tmp_path).design["seed"] == 7


def test_open_removes_old_temporaries_of_ours_only(store: Store) -> None:
    chunk = f"{chunk_file(store.folder, 0).name}.{'0' * 16}.tmp"
    old = [store.folder / chunk, store.folder / f"{MANIFEST}.{'1' * 16}.tmp"]
    young = store.folder / f"{MANIFEST}.{'2' * 16}.tmp"
    strange = [
        store.folder / name for name in ("notes.tmp", f"chunk-1.{'3' * 16}.tmp", f"my-{MANIFEST}.{'4' * 16}.tmp")
    ]
    for path in [*old, young, *strange]:
        path.write_bytes(b"half")
    two_hours_ago = time.time() - 7200
    for path in [*old, *strange]:
        os.utime(path, (two_hours_ago, two_hours_ago))
    Store.load(store.folder)
    assert all(path.exists() for path in old)
    begin(store.folder)
    assert not any(path.exists() for path in old)
    assert young.exists()
    assert all(path.exists() for path in strange)


def test_open_begins_in_a_folder_with_a_temporary_of_a_killed_run(tmp_path: Path) -> None:
    (tmp_path / f"{MANIFEST}.{'0' * 16}.tmp").write_bytes(b'{"design"')
    assert begin(tmp_path).missing() == list(range(CHUNKS))


# Writing and reading


def test_write_and_read_keep_values_types_and_order(store: Store) -> None:
    for chunk in range(CHUNKS):
        assert store.read(chunk).equals(rows(chunk))
        assert store.read(chunk).schema == rows(chunk).schema
    assert temporaries(store.folder) == []


def test_frames_and_scan_give_all_chunks_in_order(tmp_path: Path) -> None:
    store = begin(tmp_path / "a=1 [0-9]")
    for chunk in reversed(range(CHUNKS)):
        store.write(chunk, rows(chunk))
    expected = pl.concat([rows(chunk) for chunk in range(CHUNKS)])
    assert pl.concat(list(store.frames())).equals(expected)
    assert store.scan().collect().equals(expected)
    assert store.scan().select(pl.col("score").sum()).collect().item() == expected["score"].sum()


def test_write_keeps_an_empty_frame(tmp_path: Path) -> None:
    store = begin(tmp_path)
    store.write(0, rows(0).clear())
    assert store.read(0).equals(rows(0).clear())


def test_two_stores_of_one_run_are_equal_byte_for_byte(tmp_path: Path) -> None:
    first, second = (fill(begin(tmp_path / name)) for name in ("first", "second"))
    fill(second)
    assert contents(first.folder) == contents(second.folder)
    assert len(contents(first.folder)) == CHUNKS + 1


def test_bytes_do_not_depend_on_how_a_frame_was_put_together() -> None:
    frame = rows(3, height=40_000)
    expected = sims.store._parquet_bytes(frame)
    pieces = pl.concat([frame[:1], frame[1:30_000], frame[30_000:]], rechunk=False)
    assert pieces.n_chunks() == 3
    for same in (
        pieces,
        frame.reverse().reverse(),
        pl.concat([rows(4), frame])[rows(4).height :],
        frame.with_columns(pl.col("deal").set_sorted()),
    ):
        assert same.equals(frame)
        assert sims.store._parquet_bytes(same) == expected


def test_a_chunk_is_one_row_group_without_a_time_stamp() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    metadata = parquet.ParquetFile(io.BytesIO(sims.store._parquet_bytes(rows(3, height=40_000)))).metadata
    assert metadata.num_row_groups == 1
    assert metadata.num_rows == 40_000
    assert metadata.metadata.keys() == {b"ARROW:schema"}


@pytest.mark.parametrize("chunk", [-1, CHUNKS])
def test_a_chunk_number_outside_the_run_is_refused(store: Store, chunk: int) -> None:
    calls: list[Callable[[], object]] = [lambda: store.write(chunk, rows(0)), lambda: store.read(chunk)]
    for call in calls:
        with pytest.raises(UsageError, match=rf"no chunk {chunk} in this run: chunks are numbered 0 to 5") as caught:
            call()
        line(caught)


def test_chunk_numbers_past_six_digits_and_foreign_files(tmp_path: Path) -> None:
    store = begin(tmp_path, chunks=1_000_002)
    store.write(1_000_001, rows(1))
    chunk_file(tmp_path, 1_000_001)
    assert store.read(1_000_001).equals(rows(1))

    small = fill(begin(tmp_path / "small"))
    name = chunk_file(small.folder, 1).name
    foreign = [name.replace("chunk-000001", "chunk-0000001"), name.replace("000001", "000099"), "notes.txt"]
    for stranger in foreign:
        (small.folder / stranger).write_bytes(b"not ours")
    assert small.missing() == []
    assert small.scan().collect().height == CHUNKS * rows(0).height
    assert all((small.folder / stranger).exists() for stranger in foreign)


def test_load_needs_no_design_and_changes_nothing(store: Store) -> None:
    flip(chunk_file(store.folder, 2))
    before = contents(store.folder)
    loaded = Store.load(str(store.folder))
    assert loaded.design == json.loads(json.dumps(DESIGN))
    assert loaded.versions == VERSIONS
    assert loaded.chunks == CHUNKS
    assert loaded.missing() == [2]
    assert loaded.read(3).equals(rows(3))
    with pytest.raises(StoreError, match="loaded for reading only") as caught:
        loaded.write(2, rows(2))
    line(caught)
    assert contents(store.folder) == before


def test_load_refuses_a_folder_without_a_store(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "absent"):
        with pytest.raises(StoreError, match="there is no store in") as caught:
            Store.load(folder)
        line(caught)
    assert not (tmp_path / "absent").exists()


def test_a_store_survives_pickling(store: Store) -> None:
    copy = pickle.loads(pickle.dumps(store))
    assert copy == store
    chunk_file(store.folder, 4).unlink()
    copy.write(4, rows(4))
    assert store.complete
    loaded = Store.load(store.folder)
    assert pickle.loads(pickle.dumps(loaded)) == loaded


# Damage


@pytest.mark.parametrize("damage", [truncate, flip, empty])
def test_a_damaged_chunk_is_never_accepted_and_is_made_again(store: Store, damage: Callable[[Path], None]) -> None:
    before = contents(store.folder)
    damaged = chunk_file(store.folder, 3)
    damage(damaged)
    uses: list[Callable[[], object]] = [lambda: store.read(3), lambda: list(store.frames()), store.scan]
    for use in uses:
        with pytest.raises(StoreError, match=r"chunk 3 .* is damaged: run the same command") as caught:
            use()
        assert str(store.folder) in line(caught)
    assert not store.complete
    assert damaged.exists()
    assert store.missing() == [3]
    assert not damaged.exists()
    store.write(3, rows(3))
    assert store.complete
    assert contents(store.folder) == before


def test_write_replaces_a_damaged_file_of_the_same_name(store: Store) -> None:
    flip(chunk_file(store.folder, 0))
    store.write(0, rows(0))
    assert store.read(0).equals(rows(0))


def test_an_absent_chunk_is_named(store: Store) -> None:
    chunk_file(store.folder, 5).unlink()
    uses: list[Callable[[], object]] = [lambda: store.read(5), lambda: list(store.frames()), store.scan]
    for use in uses:
        with pytest.raises(StoreError, match=r"chunk 5 .* is missing: run the same command") as caught:
            use()
        line(caught)


def test_a_sound_file_that_is_no_parquet_is_named(store: Store) -> None:
    chunk_file(store.folder, 1).unlink()
    payload = b"a digest proves the bytes, not the format"
    (store.folder / f"chunk-000001.{sims.store._digest(payload)}.parquet").write_bytes(payload)
    with pytest.raises(StoreError, match="is not a Parquet file: remove it") as caught:
        store.read(1)
    line(caught)


def test_two_results_for_one_chunk_are_refused(store: Store) -> None:
    store.write(2, rows(99))
    before = contents(store.folder)
    uses: list[Callable[[], object]] = [
        store.missing,
        lambda: store.complete,
        lambda: store.read(2),
        lambda: list(store.frames()),
        store.scan,
    ]
    for use in uses:
        with pytest.raises(StoreError, match=r"two different results for chunk 2, .* remove both files") as caught:
            use()
        line(caught)
    assert contents(store.folder) == before


def test_a_damaged_second_result_gives_way_to_the_sound_one(store: Store) -> None:
    store.write(2, rows(99))
    (wrong,) = set(store.folder.glob("chunk-000002.*")) - {store.folder / path for path in [expected_name(2)]}
    truncate(wrong)
    assert store.read(2).equals(rows(2))
    assert store.missing() == []
    assert not wrong.exists()


def expected_name(chunk: int) -> str:
    return f"chunk-{chunk:06d}.{sims.store._digest(sims.store._parquet_bytes(rows(chunk)))}.parquet"


def test_a_chunk_that_vanishes_while_it_is_read_counts_as_missing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_read = Path.read_bytes

    def vanish(self: Path) -> bytes:
        if self.name.startswith("chunk-000004"):
            self.unlink(missing_ok=True)
        return real_read(self)

    monkeypatch.setattr(Path, "read_bytes", vanish)
    assert store.missing() == [4]


def test_a_chunk_that_cannot_be_read_is_an_error_and_stays(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    real_read = Path.read_bytes

    def fail(self: Path) -> bytes:
        if self.name.startswith("chunk-000004"):
            raise OSError(errno.EIO, "Input/output error")
        return real_read(self)

    before = contents(store.folder)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", fail)
        with pytest.raises(
            StoreError, match=r"cannot read .*chunk-000004.*Input/output error; check the disk"
        ) as caught:
            store.missing()
    line(caught)
    assert contents(store.folder) == before


def test_a_store_whose_folder_is_gone_is_one_line(store: Store) -> None:
    shutil.rmtree(store.folder)
    uses: list[Callable[[], object]] = [store.missing, store.scan, lambda: store.write(0, rows(0))]
    for use in uses:
        with pytest.raises(StoreError, match="cannot ") as caught:
            use()
        assert str(store.folder) in line(caught)


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(begin(tmp_path_factory.mktemp("pristine") / "run")).folder


@settings(deadline=None)
@given(
    fates=st.lists(
        st.sampled_from(["kept", "removed", "truncated", "flipped", "emptied"]), min_size=CHUNKS, max_size=CHUNKS
    ),
    place=st.integers(min_value=0, max_value=1 << 20),
)
def test_missing_is_exactly_what_was_removed_or_damaged(pristine: Path, fates: list[str], place: int) -> None:
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "run"
        shutil.copytree(pristine, folder)
        for chunk, fate in enumerate(fates):
            path = chunk_file(folder, chunk)
            if fate == "removed":
                path.unlink()
            elif fate == "truncated":
                path.write_bytes(path.read_bytes()[: place % path.stat().st_size])
            elif fate == "flipped":
                flip(path, place)
            elif fate == "emptied":
                empty(path)
        store = begin(folder)
        expected = [chunk for chunk, fate in enumerate(fates) if fate != "kept"]
        assert store.complete == (not expected)
        assert store.missing() == expected
        assert len(list(folder.glob("chunk-*"))) == CHUNKS - len(expected)
        for chunk in expected:
            store.write(chunk, rows(chunk))
        assert contents(folder) == contents(pristine)


# A full disk and other errors of writing


class HalfWriting:
    """A file that takes half of what it is given before the operating system refuses."""

    def __init__(self, handle: IO[bytes], code: int) -> None:
        self.handle = handle
        self.code = code

    def write(self, payload: bytes) -> int:
        self.handle.write(payload[: len(payload) // 2])
        self.handle.flush()
        raise OSError(self.code, os.strerror(self.code))


def fail_in_write(patch: pytest.MonkeyPatch, code: int) -> None:
    @contextmanager
    def failing_open(path: Path, mode: str) -> Iterator[HalfWriting]:
        with path.open(mode) as handle:
            yield HalfWriting(handle, code)

    patch.setattr(sims.store, "open", failing_open, raising=False)


def fail_in_call(name: str) -> Callable[[pytest.MonkeyPatch, int], None]:
    def install(patch: pytest.MonkeyPatch, code: int) -> None:
        def fail(*arguments: object) -> None:
            raise OSError(code, os.strerror(code))

        patch.setattr(os, name, fail)

    return install


@pytest.mark.parametrize(
    "install", [fail_in_write, fail_in_call("fsync"), fail_in_call("replace")], ids=["write", "fsync", "replace"]
)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "the disk is full; complete chunks are kept: make room and run the same command to resume"),
        (errno.EDQUOT, "the disk is full; complete chunks are kept: make room and run the same command to resume"),
        (errno.EIO, "check the disk, or use another --store folder"),
        (errno.EACCES, "use a --store folder that you may read and write"),
    ],
    ids=["ENOSPC", "EDQUOT", "EIO", "EACCES"],
)
def test_a_write_that_fails_is_one_line_and_leaves_no_trace(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    install: Callable[[pytest.MonkeyPatch, int], None],
    code: int,
    reason: str,
) -> None:
    store = begin(tmp_path)
    store.write(0, rows(0))
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        install(patch, code)
        with pytest.raises(StoreError, match="cannot write chunk 1 to") as caught:
            store.write(1, rows(1))
    message = line(caught)
    assert reason in message
    assert str(tmp_path) in message
    assert contents(tmp_path) == before
    store.write(1, rows(1))
    assert store.missing() == [2, 3, 4, 5]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_is_full_at_the_manifest_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    with monkeypatch.context() as patch:
        fail_in_write(patch, code)
        with pytest.raises(StoreError, match=r"cannot open a store in .*: the disk is full") as caught:
            begin(tmp_path)
    line(caught)
    assert contents(tmp_path) == {}
    begin(tmp_path)


def test_an_interrupt_leaves_no_temporary(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    before = contents(store.folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.write(0, rows(0))
    assert contents(store.folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not sync folders")
@pytest.mark.parametrize(("code", "accepted"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_a_file_system_that_cannot_sync_folders_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, accepted: bool
) -> None:
    real_fsync = os.fsync

    def fsync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    if not accepted:
        with pytest.raises(StoreError, match=r"cannot open a store in .*check the disk"):
            begin(tmp_path)
    store = begin(tmp_path)
    if not accepted:
        with pytest.raises(StoreError, match=r"cannot write chunk 0 to .*check the disk"):
            store.write(0, rows(0))
    else:
        store.write(0, rows(0))
    assert store.read(0).equals(rows(0))


def test_write_accepts_that_a_sound_file_may_not_be_replaced(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_in_call("replace")(monkeypatch, errno.EACCES)
    store.write(0, rows(0))
    assert temporaries(store.folder) == []
    flip(chunk_file(store.folder, 0))
    with pytest.raises(StoreError, match="cannot write chunk 0") as caught:
        store.write(0, rows(0))
    line(caught)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small tmpfs needs Linux, the superuser and `mount`")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"this machine does not let us mount a tmpfs: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_run_goes_on_after_a_disk_was_really_full(small_disk: Path) -> None:
    chunks = 10
    store = begin(small_disk / "run", chunks=chunks)
    written = []
    with pytest.raises(StoreError, match="the disk is full") as caught:  # noqa: PT012
        for chunk in range(chunks):
            store.write(chunk, rows(chunk, height=10_000))
            written.append(chunk)
    assert str(store.folder) in line(caught)
    assert written
    assert temporaries(store.folder) == []
    assert store.missing() == list(range(len(written), chunks))
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    resumed = begin(small_disk / "run", chunks=chunks)
    for chunk in resumed.missing():
        resumed.write(chunk, rows(chunk, height=10_000))
    assert resumed.scan().collect().equals(pl.concat([rows(chunk, height=10_000) for chunk in range(chunks)]))


# Several writers, and killed ones


def test_threads_may_write_the_same_chunks_at_once(tmp_path: Path) -> None:
    store = begin(tmp_path / "together")
    writers = 8
    barrier = threading.Barrier(writers)

    def write_all(first: int) -> None:
        barrier.wait()
        for step in range(CHUNKS):
            chunk = (first + step) % CHUNKS
            store.write(chunk, rows(chunk))
            assert store.read(chunk).equals(rows(chunk))

    with ThreadPoolExecutor(writers) as pool:
        list(pool.map(write_all, range(writers)))
    assert contents(store.folder) == contents(fill(begin(tmp_path / "alone")).folder)


# The child gets this module's `rows` by its path, as test modules have no import name.
CHILD = f"""
import importlib.util, os, sys
specification = importlib.util.spec_from_file_location("store_tests", {str(Path(__file__))!r})
tests = importlib.util.module_from_spec(specification)
specification.loader.exec_module(tests)
folder = tests.Path(sys.argv[1])
"""


def start(script: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + script, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


def test_processes_may_write_the_same_chunks_at_once(tmp_path: Path) -> None:
    script = "tests.fill(tests.begin(folder))"
    children = [
        start(script, tmp_path / "together", PYTHONHASHSEED="1", POLARS_MAX_THREADS="1"),
        start(script, tmp_path / "together", PYTHONHASHSEED="2", POLARS_MAX_THREADS="3"),
    ]
    for child in children:
        child.communicate()
    assert [child.returncode for child in children] == [0, 0]
    assert contents(tmp_path / "together") == contents(fill(begin(tmp_path / "alone")).folder)


KILLED_CHUNKS = 2_000
KILLED_HEIGHT = 16_384


@pytest.mark.parametrize("acknowledged", [1, 4, 9])
def test_a_run_that_is_killed_loses_no_finished_chunk_and_accepts_no_other(tmp_path: Path, acknowledged: int) -> None:
    child = start(
        """
store = tests.begin(folder, chunks=tests.KILLED_CHUNKS)
for chunk in range(tests.KILLED_CHUNKS):
    store.write(chunk, tests.rows(chunk, tests.KILLED_HEIGHT))
    print(chunk, flush=True)
""",
        tmp_path,
    )
    assert child.stdout is not None
    finished = [int(child.stdout.readline()) for _ in range(acknowledged)]
    child.kill()
    rest, _ = child.communicate()
    finished += [int(text) for text in rest.split()]
    assert len(finished) < KILLED_CHUNKS

    store = begin(tmp_path, chunks=KILLED_CHUNKS)
    missing = store.missing()
    present = sorted(set(range(KILLED_CHUNKS)) - set(missing))
    # The kill can fall between the rename of one more chunk and its line.
    assert present in (finished, [*finished, len(finished)])
    for chunk in present:
        assert store.read(chunk).equals(rows(chunk, KILLED_HEIGHT))
    store.write(missing[0], rows(missing[0], KILLED_HEIGHT))
    assert store.missing() == missing[1:]


def test_a_run_that_is_killed_within_a_file_leaves_it_unpublished(tmp_path: Path) -> None:
    child = start(
        """
store = tests.begin(folder)
store.write(0, tests.rows(0))

def half_on_disk(descriptor):
    os.truncate(descriptor, os.fstat(descriptor).st_size // 2)
    print("half", flush=True)
    sys.stdin.read()

os.fsync = half_on_disk
store.write(1, tests.rows(1))
""",
        tmp_path,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "half\n"
    child.kill()
    child.communicate()

    (half,) = temporaries(tmp_path)
    assert 0 < half.stat().st_size < len(sims.store._parquet_bytes(rows(1)))
    store = begin(tmp_path)
    assert half.exists()
    assert store.missing() == [1, 2, 3, 4, 5]
    fill(store)
    os.utime(half, (0, 0))
    assert begin(tmp_path).complete
    assert contents(tmp_path) == contents(fill(begin(tmp_path.parent / "alone")).folder)
