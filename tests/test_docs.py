"""The docs say what the code does."""

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import analysis
import crosslab
import reports
import strategies
from analysis.frames import load_frame
from analysis.grids import make_grid
from crosslab.cli import main
from crosslab.facts import game_facts
from crosslab.parser import build_parser
from sims.game import Flag, OneOf, find_game, game_names
from sims.jit import COMPILED
from strategies import builtin_strategies, find_strategy

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
    told = set(table_of(name, "player"))
    assert told >= {strategy.name for strategy in builtin_strategies(name)}
    for spec in told:
        assert find_strategy(name, spec).spec == spec


PAGES = [path for folder in (".", "docs", "benchmarks") for path in sorted((ROOT / folder).glob("*.md"))]
PAGES += sorted((ROOT / "docs").glob("*/*.md"))


def page_id(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """Return what code hosts and the site call the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE)
    return {re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_links_inside_the_repository_resolve(path: Path) -> None:
    text = without_code(path.read_text(encoding="utf-8"))
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
        if "://" in target:
            continue
        found = path.parent / target if target else path
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found.read_text(encoding="utf-8")), f"{target}#{anchor}"


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_links_to_source_name_what_is_there(path: Path) -> None:
    """The site turns a name that links to a source file into a link to the reference."""
    for name, target in re.findall(r"\[`([\w.]+)`\]\(([\w./-]+)\.py\)", path.read_text(encoding="utf-8")):
        module = (path.parent / target).resolve().relative_to(ROOT).as_posix().replace("/", ".")
        found = importlib.import_module(module)
        assert (found if name == module else getattr(found, name)).__doc__, f"{module}.{name}"
        assert f"   {module}\n" in (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8"), module


# --- Commands --------------------------------------------------------------------------------------------------------


def commands(text: str) -> list[str]:
    """Return the commands that stand in blocks of a page, one line each."""
    lines = text.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if re.match(r"(?:    )?crosslab [a-z-]", line)]


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_commands_can_be_read(path: Path) -> None:
    """Options exist, games are known, and strategies that come from no file have their names and parameters."""
    for command in commands(path.read_text(encoding="utf-8")):
        arguments = build_parser().parse_args(shlex.split(command, comments=True)[1:])
        game = getattr(arguments, "game", None)
        if game is None:
            continue
        assert game in game_names(), command
        named = [*getattr(arguments, "lineup", ()), *(getattr(arguments, "strategies", ()) or ())]
        named += [getattr(arguments, name) for name in ("a", "b", "strategy") if hasattr(arguments, name)]
        for spec in named:
            if ".py:" not in spec:
                find_strategy(game, spec)


def test_the_readme_has_a_tour_of_ten_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(commands(text.partition("## A tour")[2].partition("\n## ")[0])) == 10


def demo_command() -> str:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return re.search(r"^demo:.*\n\t\$\(BIN\)/(.*)$", makefile, re.MULTILINE)[1]  # type: ignore[index]


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
@pytest.mark.parametrize("path", [ROOT / "README.md", *QUESTIONS], ids=lambda path: path.stem)
def test_a_page_runs_as_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All commands and Python of a page, in its order; what it shows of the answers is what they print."""
    monkeypatch.chdir(tmp_path)
    text = path.read_text(encoding="utf-8")
    for body in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if "\n@" in body:
            (tmp_path / "my_ideas.py").write_text(body, encoding="utf-8")
    text = text.replace("<!-- demo: begin -->\n", f"```\n{demo_command()}\n```\n")
    run_as_written(text, tmp_path, capsys)


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


# --- The site --------------------------------------------------------------------------------------------------------

SITE = ROOT / "docs"


def listed_pages(page: Path) -> set[Path]:
    """Return the pages in the tables of contents of a page."""
    found: set[Path] = set()
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line and not line.startswith(":"):
                found |= set(page.parent.glob(f"{line}.md"))
    return found


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = {SITE / "index.md"} | listed_pages(SITE / "index.md") | listed_pages(SITE / "api" / "index.md")
    assert listed == set(SITE.rglob("*.md"))


def documented_modules() -> set[str]:
    return set(re.findall(r"^   ([\w.]+)$", (SITE / "api" / "index.md").read_text(encoding="utf-8"), re.MULTILINE))


def public_names(module: ModuleType) -> set[str]:
    """Return what the reference tells of a module: what it lists, or else what it defines."""
    own = {name for name, item in vars(module).items() if getattr(item, "__module__", "") == module.__name__}
    return set(getattr(module, "__all__", own))


def test_all_documented_modules_exist() -> None:
    for module in documented_modules():
        assert importlib.import_module(module).__doc__


def test_all_public_names_are_in_the_reference() -> None:
    told = set(re.findall(r"^   ~([\w.]+)$", (SITE / "api" / "crosslab.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert told == {f"{module}.{name}" for name, module in crosslab._HOME_OF.items()}
    modules = [importlib.import_module(module) for module in documented_modules()]
    assert set(crosslab._HOME_OF.values()) <= {module.__name__ for module in modules}
    for package in (analysis, reports, strategies):
        for name in package.__all__:
            told_by = [module for module in modules if name in public_names(module)]
            assert any(getattr(module, name) is getattr(package, name) for module in told_by), name


@pytest.mark.slow
def test_the_site_builds_and_opens_without_a_network(tmp_path: Path) -> None:
    """No warning; nothing is loaded from outside, and every public name is on a page."""
    pytest.importorskip("furo")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", SITE, tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(
            r"<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|href)=[\"'](?:https?:)?//[^>]*", text
        ), page
    for sheet in tmp_path.rglob("*.css"):
        assert not re.search(r"@import|url\([\"']?(?:https?:)?//", sheet.read_text(encoding="utf-8")), sheet
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.loads((tmp_path / "objects.inv").read_bytes(), uri="")
    known = {name for kind, items in inventory.data.items() if kind.startswith("py:") for name in items}
    assert {f"{module}.{name}" for name, module in crosslab._HOME_OF.items()} <= known
    assert "<math" in (tmp_path / "statistics.html").read_text(encoding="utf-8")
