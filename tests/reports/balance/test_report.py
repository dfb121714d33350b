"""Balance reports: what they say is what their frames say, and the same request gives the same bytes."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.comparisons import FEWEST_BLOCKS
from reports.balance import BalanceReport, balance_report, make_document
from reports.balance.claims import HALF, rule_claim, strongest
from reports.balance.evidence import EFFORTS, Evidence, gather, make_request
from reports.balance.report import command_of, python_of
from reports.balance.wording import number, share
from reports.document import Document, Table
from sims.errors import UsageError
from sims.game import find_game
from sims.jit import COMPILED
from strategies.specs import panel

MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
played = pytest.mark.skipif(not COMPILED, reason="a whole report takes too long in plain Python")

SPIRAL = '''
from strategies import heuristic


@heuristic("criss-cross")
def spiral(view, move, params):
    """A likes & "quotes" <b>bold</b>."""
    return float(move % 7)
'''


def evidence_of(*strategies: str, **asked: Any) -> Evidence:
    asked = {"deals": 400, **asked}
    return gather(make_request("criss-cross", strategies, **asked), n_jobs=1, progress=False)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return evidence_of("line-solver", "greedy", "first-fit")


@pytest.fixture(scope="module")
def document(evidence: Evidence) -> Document:
    return make_document(evidence, folder="out/here", made=MADE)


def frame(document: Document, name: str) -> pl.DataFrame:
    found = next(table.frame for table in document.tables() if table.name == name)
    assert found is not None
    return found


# --- Requests --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["criss-cross", "cross-off", "crosswise", "crossways"])
def test_defaults_are_a_panel_at_a_table(game: str) -> None:
    request = make_request(game)
    assert request.strategies == tuple(panel(game))
    assert 3 <= len(request.strategies) <= 5
    assert request.seats == 2
    assert request.budget == EFFORTS["quick"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"strategies": []}, "a report needs a strategy"),
        ({"strategies": ["greedy", "greedy"]}, "greedy is given twice"),
        ({"strategies": ["gredy"]}, "did you mean greedy"),
        ({"deals": 0}, "deals=0 does not fit"),
        ({"deals": 100, "effort": "quick"}, "give one of them"),
        ({"effort": "quik"}, "unknown effort 'quik'; did you mean quick"),
        ({"seats": 9}, "is for 1 to 6 seats, not 9"),
        ({"seats": True}, "seats=True does not fit"),
        ({"seed": -1}, "seed=-1 does not fit"),
        ({"margin": 2}, "margin=2 does not fit"),
        ({"variant": "advance"}, "did you mean advanced"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as told:
        balance_report("criss-cross", **asked)
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_parts_are_scaled_with_the_deals_but_can_carry_claims() -> None:
    budget = EFFORTS["quick"]
    twice = budget.scaled(2 * budget.seats)
    assert (twice.seats, twice.rules, twice.sample) == (2 * budget.seats, 2 * budget.rules, 2 * budget.sample)
    assert budget.scaled(100).sample == FEWEST_BLOCKS
    assert budget.scaled(7).sample == 7


@pytest.mark.parametrize("game", ["criss-cross", "cross-off", "crosswise", "crossways"])
def test_house_rules_fit_the_game(game: str) -> None:
    found = find_game(game)
    assert set(found.house_rules) <= set(found.rules.options())
    for name, values in found.alternatives(found.rules()).items():
        for value in values:
            assert found.rules().replace(**{name: value}) != found.rules()


def test_alternatives_of_other_rules_begin_with_the_default() -> None:
    game = find_game("criss-cross")
    rules = game.variant("advanced")
    assert game.alternatives(rules)["diagonal_weight"] == (0, 1)
    assert game.alternatives(game.rules())["diagonal_weight"] == (1, 2)
    assert game.alternatives(rules)["start"] == ("rolled", "empty")


# --- What a report says ----------------------------------------------------------------------------------------------


@played
def test_sections_and_links(document: Document) -> None:
    keys = [section.key for section in document.every_section()]
    assert {"set-up", "seats", "strategies", "distributions", "luck", "tension", "elements", "rules"} <= set(keys)
    assert {claim.section for claim in document.claims} <= set(keys)
    assert len(document.claims) == 5
    for claim in document.claims:
        assert claim.answer
        assert claim.sentence.endswith(".")
        assert claim.smallest_detectable


@played
def test_numbers_of_claims_are_those_of_the_frames(document: Document) -> None:
    seats, best, skill, length, rule = document.claims
    rows = frame(document, "seats").with_columns((pl.col("wins") - 0.5).abs().alias("off"))
    farthest = rows.filter(pl.col("off") > rows["off"].max() - 1e-9)
    assert any(
        f"{row['name']} with `{row['strategy']}`, {share(row['wins'], 2)}" in seats.sentence
        for row in farthest.iter_rows(named=True)
    )
    assert int(seats.games.replace(",", "")) == 400 * 3
    matchups = frame(document, "matchups").filter(pl.col("a") == "line-solver").sort("effect")
    assert best.answer.endswith("line-solver")
    assert matchups["b"][0] in best.effect
    assert number(matchups["effect"][0]) in best.effect
    assert number(matchups["low"][0]) in best.interval
    variance = frame(document, "variance")
    shares = dict(zip(variance["cause"], variance["share"], strict=True))
    assert share(shares["strategy"]) in skill.sentence
    assert share(shares["deal"] + shares["seat"] + shares["deal:seat"]) in skill.sentence
    decided = frame(document, "course").row(by_predicate=pl.col("metric") == "decided_share", named=True)
    assert share(decided["mean"]) in length.effect
    assert length.outcome == ("good" if decided["low"] > HALF else "bad" if decided["high"] < HALF else "open")
    top = frame(document, "rules").filter(pl.col("clear")).sort("size").row(-1, named=True)
    assert top["option"] in rule.answer
    assert number(top["effect"], signed=True) in rule.effect
    assert f"{number(top['low'])} to {number(top['high'])}" in rule.interval


@played
def test_luck_and_skill_are_those_of_the_ladder(evidence: Evidence) -> None:
    """Two ways to the same deals: the ladder's split, and the one with intervals."""
    field, skill = evidence.first.field, evidence.skill
    assert field is not None
    assert field.split is not None
    assert skill is not None
    assert dict(skill.split.components) == pytest.approx(dict(field.split.components))
    assert skill.skill.low < skill.split.skill < skill.skill.high


@played
def test_the_rule_that_matters_most_is_the_largest_clear_effect(evidence: Evidence) -> None:
    assert evidence.rules is not None
    effects = evidence.rules.effects()
    assert set(effects["measure"]) == {"mean_score", "mean_rounds", "win_seat_0"}
    assert len(effects) == 3 * (len(evidence.rules.settings) - 1)
    found = strongest(evidence.rules)
    assert found is not None
    top, rivals = found
    assert top["size"] == effects.filter(pl.col("clear"))["size"].max()
    assert (rule_claim(evidence).outcome == "open") is bool(rivals)


@played
def test_command_and_call_make_the_report_again(document: Document, evidence: Evidence) -> None:
    import shlex

    from crosslab.commands import rules_of
    from crosslab.parser import build_parser

    command = command_of(evidence.request, "out/here")
    arguments = build_parser().parse_args(shlex.split(command)[1:])
    arguments.variant = arguments.variant or "basic"
    again = make_request(
        arguments.game,
        arguments.strategies,
        deals=arguments.deals,
        variant=rules_of(arguments),
        seats=arguments.seats,
        seed=arguments.seed,
    )
    assert (again.specs, again.rules, again.budget) == (
        evidence.request.specs,
        evidence.request.rules,
        evidence.request.budget,
    )
    compile(python_of(evidence.request), "call", "exec")
    codes = [block.text for block in document.blocks() if type(block).__name__ == "Code"]
    assert codes[0] == command
    assert json.loads(codes[2]) == document.manifest["design"]


@played
def test_text_is_at_most_80_columns_wide(document: Document) -> None:
    text = BalanceReport(document).text()
    assert max(len(line) for line in text.splitlines()) <= 80
    for claim in document.claims:
        assert claim.question in text


# --- Edges -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The spec of a strategy in a file that is called like a script."""
    folder = tmp_path_factory.mktemp("files") / "<script>alert(1)<"
    folder.mkdir()
    (folder / "script>.py").write_text(SPIRAL, encoding="utf-8")
    return f"{folder}/script>.py:spiral"


@played
def test_one_strategy_whose_name_is_a_script_and_the_same_bytes_twice(scripted: str, tmp_path: Path) -> None:
    assert "<script>alert(1)</script>" in scripted
    folders = []
    for jobs, year in ((1, 2026), (2, 2027)):
        evidence = gather(make_request("criss-cross", [scripted], deals=40), n_jobs=jobs, progress=False)
        document = make_document(evidence, folder="out/here", made=datetime(year, 6, 7, tzinfo=UTC))
        folders.append(BalanceReport(document).write(tmp_path / f"{year}").parent)
    first, second = folders
    page = (first / "index.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    answers = [claim.answer for claim in document.claims]
    assert answers.count("Not asked: there is one strategy") == 2
    files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert len(files) > 30
    assert files == sorted(path.relative_to(second) for path in second.rglob("*") if path.is_file())
    differing = [name for name in files if (first / name).read_bytes() != (second / name).read_bytes()]
    assert [str(name) for name in differing] == ["index.html", "manifest.json"]
    for name in differing:
        lines = [(folder / name).read_text("utf-8").splitlines() for folder in folders]
        others = [(a, b) for a, b in zip(*lines, strict=True) if a != b]
        assert len(others) == 1
        assert "2026" in others[0][0]
        assert others[0][0].replace("2026", "2027") == others[0][1]


@played
def test_too_few_deals_claim_nothing() -> None:
    document = make_document(evidence_of("greedy", "first-fit", deals=3), made=MADE)
    assert all(claim.outcome == "open" for claim in document.claims)
    for claim in document.claims:
        assert claim.answer == "Too little evidence to say"
        assert not claim.effect
        assert "there are 3." in claim.sentence
    for key in ("seats", "strategies", "distributions", "luck", "tension", "rules", "skill"):
        section = next(one for one in document.every_section() if one.key == key)
        assert not any(isinstance(block, Table) for block in section.blocks), key


@played
def test_one_seat() -> None:
    evidence = evidence_of("greedy", "first-fit", seats=1, deals=200)
    document = make_document(evidence, made=MADE)
    seats, best, skill, length, rule = document.claims
    assert seats.answer == "There is one seat"
    assert best.answer == "Yes, of these: greedy"
    assert "scores more than" in best.sentence
    assert skill.effect.endswith("skill")
    assert length.outcome == "told"
    assert "win_seat_0" not in frame(document, "rules")["measure"]
    assert rule.effect
    assert evidence.ranking is not None
    assert evidence.ranking.tournament.format == "solo"


@played
@pytest.mark.parametrize(("game", "measure"), [("crossways", "share of wins of a seat"), ("crosswise", "mean score")])
def test_games_of_other_kinds(game: str, measure: str) -> None:
    """Wins in place of points, and sides."""
    request = make_request(game, ["uniform", panel(game)[-1]], deals=40)
    document = make_document(gather(request, n_jobs=1, progress=False), made=MADE)
    measures = {row[1] for table in document.tables() if table.name == "rules" for row in table.rows}
    assert measures <= {measure, "mean turns", "share of wins of seat 0"}
    assert len(document.claims) == 5


@played
def test_out_is_looked_at_before_anything_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").write_text("mine")
    monkeypatch.setattr("reports.balance.report.gather", lambda *_, **__: pytest.fail("played"))
    with pytest.raises(UsageError, match="is a file"):
        balance_report("criss-cross", ["greedy"], deals=40, out=tmp_path / "taken")


def test_ctrl_c_ends_a_report_without_a_word_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from sims.run import Interrupted

    def stopped(*_: Any, **__: Any) -> Any:
        raise Interrupted(1, 2)

    monkeypatch.setattr("reports.balance.report.gather", stopped)
    with pytest.raises(KeyboardInterrupt) as told:
        balance_report("criss-cross", ["greedy"], deals=40)
    assert not hasattr(told.value, "chunks")
