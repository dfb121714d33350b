"""The figures themselves are never judged here: only that they are there, and what is said when they are not."""

import dataclasses
import math
import shutil
import subprocess
import sys

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis import speed
from analysis.speed import Figure, Pace, to_frame
from benchmarks import readme_table
from sims.errors import CrosslabError, UsageError
from sims.game import game_names

GAME = "criss-cross"
TINY = 1e-4
COLUMNS = {"section": pl.String, "figure": pl.String, "value": pl.Float64, "unit": pl.String, "note": pl.String}


@pytest.fixture
def few_players(monkeypatch):
    """Players that are quick even as plain Python."""
    chosen = [item for item in speed.quick_strategies(GAME) if item.name in ("uniform", "blunder")]
    monkeypatch.setattr(speed, "quick_strategies", lambda game: chosen)


@pytest.fixture
def no_compiler(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)


@pytest.fixture
def commands(monkeypatch):
    """The commands that would be run, instead of running them."""
    called: list[tuple[str, ...]] = []

    def pretend(words, before=(), cache=None):
        called.append(tuple(words))
        return 0.5, "2000\n" if before else ""

    monkeypatch.setattr(speed, "run_command", pretend)
    return called


# --- The whole measurement -------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_players", "no_compiler", "commands")
def test_measure_returns_a_row_for_each_figure():
    frame = speed.measure(GAME, seconds=TINY, progress=False)
    assert frame.schema == COLUMNS
    assert frame["section"].unique(maintain_order=True).to_list() == ["players", "yardstick", "threads", "start-up"]
    assert frame.filter(section="players")["figure"].to_list() == ["uniform", "blunder"]
    measured = frame.drop_nulls("value")
    assert (measured["value"] > 0).all()
    assert (measured["unit"] != "").all()
    assert (frame.filter(pl.col("value").is_null())["note"] != "").all()


@pytest.mark.usefixtures("few_players", "no_compiler", "commands")
def test_the_full_measurement_adds_memory_and_the_empty_cache():
    frame = speed.measure(GAME, seconds=TINY, full=True, progress=False)
    assert frame["section"].unique(maintain_order=True).to_list() == list(speed.SECTIONS)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.inf, math.nan])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(UsageError, match="a number above 0"):
        speed.measure(GAME, seconds=seconds)


def test_an_unknown_game_is_refused():
    with pytest.raises(UsageError, match="chess"):
        speed.measure("chess")


# --- Games a second --------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("few_players")
def test_players_has_a_row_for_every_player():
    frame = speed.players(GAME, TINY)
    assert frame["figure"].to_list() == ["uniform", "blunder"]
    assert frame["unit"].to_list() == ["games/s", "games/s"]


def test_play_fills_the_smallest_table():
    results = speed.play(GAME, "uniform", 3)
    assert results.games == 3
    assert [player.spec for player in results.design.lineups[0]] == ["uniform"]


def test_the_smallest_table_is_that_of_the_basic_rules(monkeypatch, partners):
    four = dataclasses.replace(partners, seats=(2, 8), seat_counts=lambda rules: (4, 6))
    monkeypatch.setattr(speed, "find_game", lambda name: four)
    assert speed.fewest_seats("any") == 4
    with pytest.raises(UsageError, match="under these rules is for 4 or 6 seats, not 5"):
        speed.measure("any", seats=5)


def test_pace_has_the_rate_and_the_mean_of_the_games():
    pace = speed.pace(GAME, "uniform", 5)
    assert pace.rate > 0
    assert pace.mean == speed.play(GAME, "uniform", 5).histogram().mean


@pytest.mark.parametrize(("share", "note"), [(1.0, "same"), (0.5, "same; got 50% of the processor time: ")])
def test_typical_rate_is_the_median_and_tells_a_busy_machine(share, note):
    paces = [Pace(rate, share, 10.0) for rate in (5.0, 1.0, 2.0)]
    figure = speed.typical_rate("players", "uniform", paces, "same")
    assert figure.value == 2.0
    assert figure.note.startswith(note)
    assert (figure.note == "same") == (share == 1.0)


def test_deals_that_fit_is_one_at_least():
    assert speed.deals_that_fit(GAME, "uniform", 1e-12) == 1


def test_deals_that_fit_grows_with_the_time():
    assert speed.deals_that_fit(GAME, "uniform", 0.5) > 1


@pytest.mark.usefixtures("few_players")
@pytest.mark.parametrize(
    ("processors", "expected"),
    [
        (3, ["uniform, 1 worker", "uniform, 2 workers", "uniform, 2 workers / 1"]),
        (1, ["uniform, 1 worker", "uniform, 2 workers"]),
    ],
)
def test_threads_go_up_to_the_number_of_processors(monkeypatch, processors, expected):
    monkeypatch.setattr(speed, "workers", lambda n_jobs: processors)
    frame = speed.threads(GAME, TINY)
    assert frame["figure"].to_list() == [*expected, "greedy"]
    one = frame.filter(pl.col("figure") == "uniform, 2 workers")["value"].to_list()
    assert (one == [None]) == (processors == 1)


@pytest.mark.usefixtures("few_players")
def test_a_player_that_the_game_lacks_is_told():
    assert speed.compared(GAME) == ["uniform"]
    (row,) = speed.missing("threads", GAME).to_dicts()
    assert row["value"] is None
    assert row["note"] == "not measured: criss-cross has no player 'greedy'"


# --- The yardstick ---------------------------------------------------------------------------------------------------


@pytest.fixture
def fitting_processor(monkeypatch):
    monkeypatch.setattr(speed.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(speed, "has_feature", lambda name: True)


def the_only_note(frame):
    (row,) = frame.to_dicts()
    assert (row["section"], row["figure"], row["value"]) == ("yardstick", "not measured", None)
    return row["note"]


@pytest.mark.usefixtures("fitting_processor", "no_compiler")
def test_the_yardstick_needs_a_compiler():
    assert the_only_note(speed.yardstick(GAME, TINY)).startswith("no compiler")


@pytest.mark.usefixtures("fitting_processor")
def test_the_yardstick_needs_its_source(monkeypatch, tmp_path):
    monkeypatch.setattr(speed, "YARDSTICK", tmp_path / "yardstick.cpp")
    assert "comes with the repository" in the_only_note(speed.yardstick(GAME, TINY))


def test_the_yardstick_needs_its_processor(monkeypatch):
    monkeypatch.setattr(speed.platform, "machine", lambda: "arm64")
    assert "BMI2" in the_only_note(speed.yardstick(GAME, TINY))


def test_the_yardstick_plays_one_game():
    assert the_only_note(speed.yardstick("another", TINY)) == "the yardstick plays criss-cross only"


@pytest.mark.usefixtures("fitting_processor")
def test_a_compiler_that_fails_is_told_in_one_line(monkeypatch):
    def fail(words, **options):
        return subprocess.CompletedProcess(words, 1, "", "<stdin>:1: error: no\nmore\n")

    monkeypatch.setattr(speed, "find_compiler", lambda: ["g++"])
    monkeypatch.setattr(speed.subprocess, "run", fail)
    assert the_only_note(speed.yardstick(GAME, TINY)) == "g++ cannot compile the yardstick: <stdin>:1: error: no"


def test_find_compiler_takes_cxx_first(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setenv("CXX", "cached c++")
    assert speed.find_compiler() == ["cached", "c++"]
    monkeypatch.delenv("CXX")
    assert speed.find_compiler() == ["g++"]


def test_find_compiler_passes_over_a_cxx_that_is_not_there(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "clang++" else None)
    monkeypatch.setenv("CXX", "missing")
    assert speed.find_compiler() == ["clang++"]


@pytest.mark.skipif(sys.platform == "win32", reason="quotes are read the POSIX way")
def test_find_compiler_refuses_a_cxx_with_half_a_quote(monkeypatch):
    monkeypatch.setenv("CXX", "g++ '")
    with pytest.raises(UsageError, match="CXX"):
        speed.find_compiler()


def test_read_yardstick():
    text = "uniform 6000000 games/s mean 10.367\ngreedy 400000 games/s mean 27.370\n"
    assert speed.read_yardstick(text) == {"uniform": (6e6, 10.367), "greedy": (4e5, 27.37)}


@pytest.mark.usefixtures("few_players")
def test_the_ratio_is_ours_to_that_of_the_yardstick(monkeypatch):
    def run_it(words, **options):
        return subprocess.CompletedProcess(words, 0, "uniform 1 games/s mean 10.367\n")

    monkeypatch.setattr(speed, "yardstick_obstacle", lambda game: "")
    monkeypatch.setattr(speed, "compile_yardstick", lambda folder: folder / "yardstick")
    monkeypatch.setattr(speed.subprocess, "run", run_it)
    frame = speed.yardstick(GAME, TINY)
    assert frame["figure"].to_list() == ["uniform, crosslab", "uniform, C++", "uniform, crosslab / C++", "greedy"]
    ours, theirs, ratio, _ = frame["value"]
    assert theirs == 1
    assert ratio == ours


@pytest.mark.slow
@pytest.mark.skipif(bool(speed.yardstick_obstacle(GAME)), reason=speed.yardstick_obstacle(GAME))
def test_the_yardstick_plays_the_game_of_the_project(tmp_path):
    program = speed.compile_yardstick(tmp_path)
    said = speed.read_yardstick(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    assert said["uniform"][1] == pytest.approx(10.366581, abs=0.02)  # exact value of the design pages; 3,000,000 deals
    assert said["greedy"][1] == pytest.approx(27.37, abs=0.05)  # measured there over 1,000,000 deals


# --- Commands --------------------------------------------------------------------------------------------------------


def test_run_command_times_a_command_and_returns_its_answer():
    seconds, said = speed.run_command(["--version"])
    assert seconds > 0
    assert said.startswith("crosslab ")


def test_run_command_tells_the_last_line_of_a_failure():
    with pytest.raises(CrosslabError, match=r"`crosslab games chess` failed: .*chess"):
        speed.run_command(["games", "chess"])


def test_run_command_uses_the_cache_that_it_is_given(tmp_path):
    program = "import os; print(os.environ['CROSSLAB_CACHE_DIR'])"
    _, said = speed.run_command([], before=[sys.executable, "-c", program], cache=str(tmp_path))
    assert said.strip() == str(tmp_path)


def test_start_up_times_help_and_a_comparison(monkeypatch, commands):
    monkeypatch.setattr(speed, "missing", lambda section, game: to_frame([]))
    frame = speed.start_up(GAME, full=True)
    assert frame["value"].to_list() == [0.5, 0.5, 0.5]
    assert frame["figure"].to_list()[2].endswith("empty cache")
    assert set(commands) == {("--help",), ("compare", GAME, "greedy", "uniform", "--deals", "100000")}


@pytest.mark.usefixtures("few_players")
def test_start_up_without_the_players_tells_so(commands):
    frame = speed.start_up(GAME, full=True)
    assert frame["figure"].to_list() == ["--help", "greedy"]
    assert set(commands) == {("--help",)}


@pytest.mark.skipif(not speed.can_measure_memory(), reason="the platform does not tell the memory of a process")
def test_peak_bytes_are_those_of_the_command():
    assert 1e6 < speed.peak_bytes(["--version"]) < 1e9


@pytest.mark.usefixtures("commands")
def test_memory_has_both_sizes_and_their_difference(monkeypatch):
    peaks = {"1000000": 100e6, "100000000": 103e6}
    monkeypatch.setattr(speed, "can_measure_memory", lambda: True)
    monkeypatch.setattr(speed, "peak_bytes", lambda words: peaks[words[-1]])
    frame = speed.memory(GAME)
    assert frame["value"].to_list() == [100, 103, 3]
    assert frame["unit"].to_list() == ["MB"] * 3


def test_memory_is_left_out_where_the_platform_does_not_tell(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    (row,) = speed.memory(GAME).to_dicts()
    assert row["value"] is None
    assert "platform" in row["note"]


# --- Text ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (0.0, "0"),
        (6_123_456.0, "6,120,000"),
        (0.98765, "0.988"),
        (0.9996, "1.00"),
        (27.37, "27.4"),
        (-1.5, "-1.50"),
    ],
)
def test_value_text_has_three_significant_digits(value, text):
    assert speed.value_text(value) == text


FIGURES = st.builds(
    Figure,
    section=st.sampled_from(list(speed.SECTIONS)),
    figure=st.text("ab -,", min_size=1, max_size=150).filter(str.strip),
    value=st.none() | st.floats(1e-6, 1e9),
    unit=st.sampled_from(["games/s", "×", "s", "MB"]),
    note=st.text("ab -,", max_size=200),
)


@given(st.lists(FIGURES, min_size=1, max_size=8))
def test_speed_text_has_eighty_columns_at_most_and_every_value(figures):
    text = speed.speed_text(to_frame(figures))
    assert max(len(line) for line in text.splitlines()) <= 80
    for figure in figures:
        assert f" {speed.value_text(figure.value)} {figure.unit}\n" in text + "\n"


# --- The table of the README -----------------------------------------------------------------------------------------

BEGIN, END = (f"<!-- {readme_table.NAME}: {word} -->" for word in ("begin", "end"))
FRAME = to_frame(
    [
        Figure("players", "uniform", 6_000_000.0, "games/s"),
        Figure("players", "a|b", 5.0, "games/s", "a note"),
        Figure("yardstick", "not measured", None, note="no compiler"),
    ]
)


def test_speed_table_is_a_table_of_four_columns():
    lines = readme_table.speed_table(FRAME).splitlines()
    assert lines[2:] == [
        "| every player on one processor | uniform | 6,000,000 games/s |  |",
        "|  | a\\|b | 5.00 games/s | a note |",
        "| the same games in C++, on one processor | not measured | - | no compiler |",
    ]


def test_write_table_keeps_the_rest_and_is_idempotent(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text(f"# Title\n\n{BEGIN}\nold\n{END}\n\nThe end: é.\n", "utf-8")
    readme_table.write_table(readme, {"A game": FRAME, "Another": FRAME})
    once = readme.read_text("utf-8")
    readme_table.write_table(readme, {"A game": FRAME, "Another": FRAME})
    assert readme.read_text("utf-8") == once
    assert once.startswith(f"# Title\n\n{BEGIN}\n")
    assert once.endswith(f"{END}\n\nThe end: é.\n")
    assert "old" not in once
    assert f"A game:\n\n{readme_table.speed_table(FRAME)}\n\nAnother:\n\n" in once


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_a_readme_without_markers_fails_in_one_line_before_anything_is_measured(monkeypatch, tmp_path, capsys, text):
    monkeypatch.setattr(readme_table, "measure", lambda game, **options: pytest.fail("measured"))
    readme = tmp_path / "README.md"
    readme.write_text(text, "utf-8")
    assert readme_table.main(readme) == 2
    assert readme.read_text("utf-8") == text
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert BEGIN in said


def test_a_readme_that_is_not_there_fails_in_one_line(tmp_path, capsys):
    assert readme_table.main(tmp_path / "README.md") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_main_writes_the_measurement(monkeypatch, tmp_path):
    monkeypatch.setattr(readme_table, "measure", lambda game, **options: FRAME if options["full"] else None)
    for part in ("players", "threads"):
        monkeypatch.setattr(readme_table, part, lambda game, seconds, seats: FRAME.head(1 if seats == 2 else 0))
    readme = tmp_path / "README.md"
    readme.write_text(f"{BEGIN}{END}", "utf-8")
    assert readme_table.main(readme) == 0
    written = readme.read_text("utf-8")
    assert "Criss Cross, one seat:" in written
    assert written.count("6,000,000 games/s") == 1 + 2 * (len(game_names()) - 1)
    assert "Cross Off, 2 seats:" in written
    assert "CrossWays, 4 seats:" in written


def test_machine_names_processor_cores_and_versions():
    said = readme_table.machine()
    assert readme_table.processor_model() in said
    assert "core" in said
    assert "Python" in said
    assert "numba" in said
    assert "/" not in said.replace(readme_table.processor_model(), "")
