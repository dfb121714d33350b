"""The docs say what the code does."""

import re
import shlex
from pathlib import Path

import pytest

from analysis.frames import load_frame
from analysis.grids import make_grid
from crosslab.cli import main
from crosslab.facts import game_facts
from sims.game import Flag, OneOf, find_game, game_names
from sims.jit import COMPILED

ROOT = Path(__file__).resolve().parents[1]


def tables(text: str) -> list[list[list[str]]]:
    """Return all Markdown tables of a text, each as rows of cells without the heading's rule."""
    found: list[list[list[str]]] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("|"):
            if not inside:
                found.append([])
            if not re.fullmatch(r"[|\s:-]+", line):
                found[-1].append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
        inside = line.startswith("|")
    return found


def page(game: str) -> list[list[list[str]]]:
    return tables((ROOT / "docs" / "games" / f"{game}.md").read_text(encoding="utf-8"))


def table_of(game: str, heading: str) -> dict[str, list[str]]:
    rows = next(table for table in page(game) if table[0][0] == heading)
    return {row[0]: row[1:] for row in rows[1:]}


@pytest.mark.parametrize("name", game_names())
def test_facts_table(name: str) -> None:
    game = find_game(name)
    facts = game_facts(game)
    told = {key: values[0] for key, values in table_of(name, "fact").items()}
    expected = {
        "name": name,
        "rules version": facts["rules_version"],
        "seats": f"{facts['seats'][0]} to {facts['seats'][1]}",
        "decision points": "; ".join(facts["decisions"]),
        "longest game": f"{facts['longest']} decisions of a seat",
        "margin": f"{facts['margin']} {facts['score_unit']} a game",
        "source": facts["source"],
    }
    for variant in game.variants:
        low, high = game.score_range(game.variant(variant))
        expected[f"bounds of a score, {variant}"] = f"{low} to {high}"
    assert told == expected


@pytest.mark.parametrize("name", game_names())
def test_options_table(name: str) -> None:
    told = table_of(name, "option")
    for option in game_facts(find_game(name))["options"]:
        default = option["default"]
        shown = ",".join(str(item) for item in default) if isinstance(default, list) else str(default)
        assert told[option["name"]] == [shown, option["doc"]]


@pytest.mark.parametrize("name", game_names())
def test_version_history(name: str) -> None:
    history = {version: values[0] for version, values in table_of(name, "rules version").items()}
    assert history == dict(find_game(name).history)


@pytest.mark.parametrize("name", game_names())
def test_view_fields_exist(name: str) -> None:
    view = find_game(name).new_views(find_game(name).variant(), 1)[0]
    for fields in table_of(name, "field"):
        for field in re.split(r"`, `", fields):
            assert field.strip("`") in view.dtype.names


@pytest.mark.parametrize("name", game_names())
def test_kinds_of_elements_table(name: str) -> None:
    game = find_game(name)
    assert game.elements is not None
    expected = {}
    for kind in game.elements.kinds(game.rules(), 2):
        written = f"{kind.name}` (board)" if kind.board else kind.name
        expected[written] = [kind.doc, kind.count, kind.value or "–"]
    assert table_of(name, "kind") == expected


@pytest.mark.parametrize("name", game_names())
def test_every_player_has_a_row(name: str) -> None:
    from strategies import builtin_strategies, find_strategy

    told = set(table_of(name, "player"))
    assert told >= {strategy.name for strategy in builtin_strategies(name)}
    for spec in told:
        assert find_strategy(name, spec).spec == spec


PAGES = [path for folder in (".", "docs", "benchmarks") for path in sorted((ROOT / folder).glob("*.md"))]
PAGES += sorted((ROOT / "docs").glob("*/*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_inside_the_repository_resolve(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


QUESTIONS = sorted((ROOT / "docs" / "questions").glob("*.md"))


def assert_printed(shown: str, printed: str, command: str) -> None:
    """A line "…" in a page stands for what it leaves out."""
    rest = printed
    for piece in filter(None, shown.split("…\n")):
        assert piece in rest, f"{command} prints\n{printed}"
        rest = rest.partition(piece)[2]
    assert "…\n" in shown or not rest.strip(), f"{command} prints more:\n{rest}"


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the pages play too many games for plain Python")
@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: path.stem)
def test_a_page_runs_as_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All commands and Python of a page, in its order; what it shows of the answers is what they print."""
    monkeypatch.chdir(tmp_path)
    run_as_written(path.read_text(encoding="utf-8"), tmp_path, capsys)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="the pages play too many games for plain Python")
@pytest.mark.parametrize("name", game_names())
def test_the_elements_of_a_page_are_as_printed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
    section = text.partition("## Elements\n")[2].partition("\n## ")[0]
    assert "```\ncrosslab elements" in section
    run_as_written(section, tmp_path, capsys)


def run_as_written(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    asked = answer = ""
    for language, body in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if language == "python":
            exec(body, names)
        elif language == "csv":
            (tmp_path / "grid.csv").write_text(body)
        elif body.startswith("crosslab "):
            for asked in body.replace("\\\n", "").splitlines():
                capsys.readouterr()
                assert main(shlex.split(asked, comments=True)[1:]) == 0, asked
                answer = capsys.readouterr().out
        else:
            assert_printed(body, answer, asked)
            answer = ""


GRIDS = sorted((ROOT / "docs" / "games").glob("*-options.csv"))


@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.stem)
def test_a_table_of_options_changes_one_at_a_time(path: Path) -> None:
    """The defaults first; then every flag the other way round, and every other name of an option that has names."""
    rules = find_game(path.stem.removesuffix("-options")).rules()
    axes, points = make_grid(rules, [], load_frame(path))
    assert points[0].rules == rules
    changed = [
        [axis.name for axis, here, base in zip(axes, point.values, points[0].values, strict=True) if here != base]
        for point in points[1:]
    ]
    assert all(len(names) == 1 for names in changed)
    for axis in axes:
        check = type(rules).options()[axis.name].metadata["check"]
        others = len(check.names) - 1 if isinstance(check, OneOf) else 1
        assert changed.count([axis.name]) == others
    named = {axis.name for axis in axes}
    for name, item in type(rules).options().items():
        if isinstance(item.metadata["check"], Flag | OneOf):
            assert name in named
