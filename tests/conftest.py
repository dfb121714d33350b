"""What all tests share."""

import dataclasses
from typing import Any

import pytest
from hypothesis import settings

from sims.game import Game, find_game
from sims.jit import COMPILED

# How long an example takes says nothing here: the first one compiles, and machines are shared.
settings.register_profile("crosslab", deadline=None)
settings.load_profile("crosslab")

# In plain Python these play for minutes what the tests of `sims` and `strategies` show already: that both ways of
# running give the same games. `make test-slow` runs them so.
LONG_IN_PLAIN_PYTHON = (
    "test_balance",
    "test_balance_cli",
    "test_ladders",
    "test_races",
    "test_rank_cli",
    "test_rankings",
    "test_sweep_tune_cli",
    "test_sweeps",
    "test_targets",
    "test_tournaments",
    "test_tuning",
)


@pytest.hookimpl(tryfirst=True)  # before the marks decide what runs
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes too long with the JIT off as slow."""
    for item in items:
        if not COMPILED and item.path.stem in LONG_IN_PLAIN_PYTHON:
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell how long the notebooks took: no test has a limit, but people wait for them."""
    seconds = dict(
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == "notebook" and report.when == "call"
    )
    if seconds:
        each = ", ".join(f"{name} {taken:.1f} s" for name, taken in sorted(seconds.items()))
        terminalreporter.write_line(f"notebooks: {each}; {sum(seconds.values()):.1f} s in all")


@pytest.fixture
def partners() -> Game:
    """A game of 2 to 4 seats that play for themselves and, in its advanced variant, of two to four teams of two.

    The line-up is turned by fewer seats than there are: once for every team.
    """

    def in_teams(rules: Any) -> bool:
        return bool(rules.diagonal_weight == 2)

    def sides(rules: Any, seats: int) -> tuple[str, ...] | None:
        return ("red", "blue", "green", "white")[: seats // 2] * 2 if in_teams(rules) else None

    def rotate(rules: Any, seats: int) -> tuple[tuple[int, ...], ...]:
        turns = seats // 2 if in_teams(rules) else seats
        return tuple(tuple((seat - turn) % seats for seat in range(seats)) for turn in range(turns))

    return dataclasses.replace(
        find_game("criss-cross"),
        seats=(2, 8),
        seat_counts=lambda rules: (4, 6, 8) if in_teams(rules) else (2, 3, 4),
        sides=sides,
        rotate=rotate,
    )
