"""What the tests of reports share."""

import pytest

from tests.reports.chromium import PROGRAM, Browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Give a running Chromium, one for all tests; skip where none is installed."""
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    with Browser(tmp_path_factory.mktemp("browser")) as running:
        yield running
