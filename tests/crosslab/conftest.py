"""What the tests of the command line share."""

from collections.abc import Callable

import pytest

from crosslab.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Run a command that has to succeed, and return what it prints."""

    def run(line: str) -> str:
        capsys.readouterr()
        assert main(line.split()) == 0
        return capsys.readouterr().out

    return run
