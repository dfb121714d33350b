"""What all tests share."""

import pytest
from hypothesis import settings

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
