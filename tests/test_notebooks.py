"""The notebooks are kept clean, run from top to bottom in any folder, and end in what their texts say."""

import ast
import json
import re
import shlex
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from crosslab.parser import build_parser
from sims.jit import COMPILED

nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# What the texts of a notebook rest on, as expressions of its own names.
PROMISES = {
    "balance_report": (
        "asked['verdict'].to_list() == ['unfair', 'unfair', 'undecided', 'undecided']",
        "asked['high'][0] < 0.34",
        "found.course().filter(metric='decided_share')['mean'][0] > 0.8",
        "swept.effects().filter(measure='win_seat_0')['clear'].to_list() == [True, False, False, False]",
        "swept.effects().filter(measure='mean_turns')['effect'].arg_min() == 0",
        "report.page.is_file()",
        "'wedel' in report.claims[0].sentence",
        "'action_stones' in report.claims[-1].answer",
    ),
    "comparing_heuristics": (
        "comparison.result.verdict == 'better'",
        "all(control['passed'] for control in comparison.controls.values())",
        "[found.result.verdict for found in asked] == ['undecided', 'undecided', 'equivalent']",
        "ranking.table.filter(rank_low=4)['rank_high'].to_list() == [5, 5]",
        "('careful', 'line-builder') in [(flip.a, flip.b) for flip in swept.flips()]",
        "table.low > 0.1",
    ),
    "exact_play_and_regret": (
        "abs(solved.expected - 115.483126) < 1e-6",
        "low < solved.expected < high",
        "measured.regrets[0].strategy == 'optimal' and measured.regrets[0].regret == 0",
        "all(abs(row.mean + row.regret - solved.expected) < 2 for row in measured.regrets)",
        "abs(variant.expected - 115.910815) < 1e-6",
        "ranking.table['strategy'][-1] == 'optimal' and ranking.table['rank_low'][-1] == 5",
    ),
    "score_distributions": (
        "few.cdf()['low'][-1] < 0.95 < many.cdf()['low'][-1]",
        "0.25 < many.bands()['share'][0] < 0.3",
        "many.tails()['games'][-1] == 0 and 0 < many.tails()['high'][-1] < 4 / 20_000",
        "0.92 < hits / len(repeats) < 0.98",
        "(part + rest).histogram() == whole.histogram()",
    ),
    "your_own_heuristic": (
        "first.result.verdict == 'better' and tuned.result.verdict == 'better'",
        "tuned.trial_table().filter(pl.col('rim').is_between(0.01, 0.33))['mean'].n_unique() == 1",
        "tuned.trial_table().filter(pl.col('rim') > 2)['mean'].max() < first.counts.b.mean",
        "second.result.verdict == 'better'",
        "final.table['strategy'][:2].to_list() == ['line-solver', 'rim-careful']",
        "verdicts['verdict'].to_list() == ['better', 'better', 'worse'] * 2",
    ),
}


def test_they_are_all_here() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(PROMISES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_clean(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    # As JupyterLab writes it: who opens and saves it changes nothing.
    assert text == nbformat.writes(notebook) + "\n"
    for cell in notebook.cells:
        assert cell.metadata == {}, cell.id
        if cell.cell_type == "code":
            assert cell.outputs == [], cell.id
            assert cell.execution_count is None, cell.id
    # Names of a person's choice, which say what a cell does and stay when it moves.
    names = [cell.id for cell in notebook.cells]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name)] == []
    title = notebook.cells[0].source.splitlines()[0].removeprefix("# ")
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "title": title,
    }
    assert not re.search(r"/(home|root|Users|tmp|work|usr|opt)/|[A-Z]:\\\\", text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_notebook_points_at_is_there(path: Path) -> None:
    commands = 0
    for cell in nbformat.read(path, as_version=nbformat.NO_CONVERT).cells:
        if cell.cell_type == "code":
            code = "\n".join(line for line in cell.source.splitlines() if not line.startswith("%"))
            for node in ast.walk(ast.parse(code)):
                # Whoever reads a tutorial copies it: it needs no private names.
                name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
                assert not name.startswith("_"), cell.id
            continue
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", cell.source):
            assert (path.parent / target).is_file(), target
        for line in re.findall(r"^    crosslab (.*)$", cell.source, re.MULTILINE):
            build_parser().parse_args(shlex.split(line))
            commands += 1
    assert commands


@pytest.mark.skipif(not COMPILED, reason="the notebooks play too many games for plain Python")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Any) -> None:
    nbclient = pytest.importorskip("nbclient")
    # JupyterLab starts it in `notebooks`, others start it in the root: it has to run in any folder.
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("TQDM_DISABLE", "1")
    folder = tmp_path / "anywhere"
    folder.mkdir()
    notebook = nbformat.read(path, as_version=4)
    shown = len(notebook.cells)
    told = ", ".join(f"{promise!r}: bool({promise})" for promise in PROMISES[path.stem])
    notebook.cells.append(nbformat.v4.new_code_cell(f"import json\nprint(json.dumps({{{told}}}))"))
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the machinery that runs notebooks; those of the cells come as output
        nbclient.NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    record_property("notebook", [path.stem, time.perf_counter() - started])

    code = [cell for cell in notebook.cells[:shown] if cell.cell_type == "code"]
    printed = [
        (cell.id, output.text)
        for cell in code
        for output in cell.outputs
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert not printed
    for cell in code:
        kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
        if cell.source.rstrip().endswith(".figure"):
            assert "image/svg+xml" in kinds, cell.id
        assert "…" not in "".join(output.get("data", {}).get("text/html", "") for output in cell.outputs), cell.id
    assert any("text/html" in output.get("data", {}) for cell in code for output in cell.outputs), "no table"

    kept = json.loads(notebook.cells[-1].outputs[-1].text)
    assert [promise for promise, holds in kept.items() if not holds] == []
    # What it writes, it writes below `out`, which git does not look at.
    assert {item.name for item in folder.iterdir()} <= {"out"}


def test_pages_of_notebooks_stand_alone(tmp_path: Path) -> None:
    nbconvert = pytest.importorskip("nbconvert")
    cells = [
        nbformat.v4.new_markdown_cell("# Title\n\n[another](other.ipynb)"),
        nbformat.v4.new_code_cell("frame", id="table"),
        nbformat.v4.new_code_cell("axes.figure", id="picture-of-ranks"),
    ]
    html = '<table class="dataframe"><tr><td>&quot;greedy&quot;</td><td>1.00</td></tr></table>'
    cells[1].outputs = [nbformat.v4.new_output("execute_result", {"text/html": html}, execution_count=1)]
    svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    cells[2].outputs = [nbformat.v4.new_output("execute_result", {"image/svg+xml": svg}, execution_count=2)]
    exporter = nbconvert.HTMLExporter(template_name="page", extra_template_basedirs=[str(ROOT / "notebooks")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of nbconvert's own libraries
        page, _ = exporter.from_notebook_node(
            nbformat.v4.new_notebook(cells=cells, metadata={"title": "<script>alert(1)</script>"})
        )
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["'](https?:)?//|@import|url\(\s*["']?https?:""", page)
    assert 'href="other.html"' in page
    assert re.findall(r'<img alt="([^"]*)" src="data:image/svg', page) == ["picture of ranks"]
    assert '<td class="text">greedy</td><td>1.00</td>' in page
