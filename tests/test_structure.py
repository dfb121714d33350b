"""The house: arrows point down, packages are ours, and the command line starts at once."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("sims", "strategies", "analysis", "reports", "crosslab")  # each may import those before it
SOURCES = [(layer, path) for layer in LAYERS for path in sorted((ROOT / layer).rglob("*.py"))]


@pytest.mark.parametrize(("layer", "path"), SOURCES, ids=[str(path.relative_to(ROOT)) for _, path in SOURCES])
def test_imports_point_down(layer: str, path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import"
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            if top in LAYERS:
                assert LAYERS.index(top) <= LAYERS.index(layer), f"line {node.lineno}: {layer} imports {top}"
            assert top not in ("tests", "benchmarks"), f"line {node.lineno}: {layer} imports {top}"


@pytest.mark.parametrize("layer", LAYERS)
def test_packages_resolve_inside_the_repository(layer: str) -> None:
    assert Path(str(importlib.import_module(layer).__file__)).resolve().parent == ROOT / layer


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from crosslab.parser import build_parser; build_parser().format_help(); "
        "heavy = {'numba', 'numpy', 'scipy', 'polars', 'pandas', 'matplotlib', 'joblib'} & set(sys.modules); "
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_public_names_are_there() -> None:
    import crosslab

    for name in crosslab.__all__:
        assert getattr(crosslab, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        crosslab.simulat  # noqa: B018
