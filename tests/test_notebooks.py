"""The notebooks run from top to bottom, and are kept without outputs."""

import os
import sys
import warnings
from pathlib import Path

import pytest

from sims.jit import COMPILED

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_is_one() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.skipif(not COMPILED, reason="the notebooks play too many games for plain Python")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the machinery that runs notebooks, not of ours
        notebook = nbformat.read(path, as_version=4)
        nbclient.NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": ROOT}}
        ).execute()
    printed = [
        output
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert not printed, printed
