import dataclasses
import errno
import json
import os
import sys

import matplotlib as mpl
import polars as pl
import pytest

import analysis
from analysis.comparisons import POINTS, WINS, PairedCounts, control_entry, paired_verdict
from analysis.histogram import Histogram
from analysis.matches import Comparison, make_match
from reports.comparison import write_comparison
from reports.publishing import publish
from sims.criss_cross import CRISS_CROSS
from sims.design import Design
from sims.errors import StoreError, UsageError
from sims.table import Player
from strategies import find_strategy, heuristic
from tests.reports.html_pages import Page, outside, repeated_ids, unresolved

ALL_FILES = {
    "index.html",
    "comparison.json",
    *(f"{name}.{kind}" for name in ("scores", "difference") for kind in ("svg", "png")),
    *(f"{name}.{kind}" for name in ("scores", "differences") for kind in ("csv", "parquet")),
}
SCRIPT = "<script>alert(1)</script>"


def value(view, move, params):
    """Likes "<b>quotes</b>" & {{ braces }}.

    It plays
    for fun:

    - first & last,
    - {% raw %}.
    """
    return 0.0


def player(spec):
    return (
        find_strategy("criss-cross", spec).player()
        if spec in ("uniform", "blunder")
        else Player(spec, "00", None, value)
    )


def made(
    *,
    a="uniform",
    b="blunder",
    pairs=None,
    seats=1,
    opponents=(),
    rules=None,
    margin=0.1,
    passed=(True, True),
    scale=None,
    unit=POINTS,
    game=CRISS_CROSS,
):
    """Make a comparison by hand from the block sums of A and B: no game is played."""
    pairs = [(12, 3), (10, 4), (8, 4), (3, 5), (9, 9)] * 20 if pairs is None else pairs
    rules = game.rules() if rules is None else rules
    match = make_match(game, rules, player(a), player(b), seats, [player(spec) for spec in opponents])
    design = Design(game, rules, match.lineups, seed=7, deals=len(pairs))
    sides = match.design_sides(design)
    own = sum(side > 0 for rotations in sides for seats in rotations for side in seats)
    counts = PairedCounts(
        Histogram.from_scores([first - second for first, second in pairs]),
        Histogram.from_scores([first for first, _ in pairs]),
        Histogram.from_scores([second for _, second in pairs]),
        own * unit.size,
    )
    result = paired_verdict(counts, margin)
    controls = {
        "mirror": control_entry(a, result, passed[0]),
        "weak": control_entry("blunder", result, passed[1]),
    }
    return Comparison(a, b, design, counts, result, controls, seconds=1.5, games=len(pairs), unit=unit)


@pytest.fixture
def whole_page(tmp_path):
    """Write a report and read its page."""

    def write(comparison, **more):
        return Page(write_comparison(comparison, tmp_path / "report", **more).read_text(encoding="utf-8"))

    return write


@pytest.fixture
def page(whole_page, monkeypatch):
    """Do the same without drawing, which takes most of the time: for tests of what the page says."""
    monkeypatch.setattr("reports.pages.render", lambda figure, kind, title: b"<svg></svg>")
    return whole_page


# --- Files -----------------------------------------------------------------------------------------------------------


def test_write_comparison_writes_its_files_and_returns_the_page(tmp_path):
    path = write_comparison(made(), tmp_path / "new" / "report")
    assert path == tmp_path / "new" / "report" / "index.html"
    assert {item.name for item in path.parent.iterdir()} == ALL_FILES


def test_tables_and_json_hold_the_comparison(tmp_path):
    comparison = made()
    write_comparison(comparison, str(tmp_path))
    assert json.loads((tmp_path / "comparison.json").read_text(encoding="utf-8")) == comparison.to_dict()
    for name, frame in (("scores", comparison.scores()), ("differences", comparison.differences())):
        assert pl.read_parquet(tmp_path / f"{name}.parquet").equals(frame)
        assert pl.read_csv(tmp_path / f"{name}.csv").equals(frame)


def test_the_same_comparison_gives_the_same_bytes(tmp_path):
    def write(folder, comparison):
        write_comparison(comparison, folder, command="crosslab compare …")
        return {item.name: item.read_bytes() for item in folder.iterdir()}

    first = write(tmp_path / "a", made())
    assert write(tmp_path / "a", made()) == first
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "none"}):
        assert write(tmp_path / "b", dataclasses.replace(made(), seconds=99.0, games=0)) == first


def test_a_report_replaces_an_earlier_one_and_nothing_else(tmp_path):
    write_comparison(made(), tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    write_comparison(made(b="other"), tmp_path)
    assert "other" in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert {item.name for item in tmp_path.iterdir()} == ALL_FILES | {"notes.txt"}


@pytest.mark.parametrize("name", ["index.html", "scores.csv"])
def test_a_strangers_file_is_not_overwritten(tmp_path, name):
    (tmp_path / name).write_text("<p>mine</p>")
    with pytest.raises(UsageError, match=rf"holds {name}, which is not from a report: name another folder"):
        write_comparison(made(), tmp_path)
    assert (tmp_path / name).read_text() == "<p>mine</p>"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("below", [(), ("deeper",)])
def test_a_folder_that_is_a_file_is_refused_in_one_line(tmp_path, below):
    path = tmp_path / "taken"
    path.write_text("mine")
    with pytest.raises(UsageError, match="is a file; name a folder") as caught:
        write_comparison(made(), path.joinpath(*below))
    assert "\n" not in str(caught.value)
    assert path.read_text() == "mine"


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "the disk is full; make room and try again"),
        (errno.EACCES, "Permission denied; name a folder that you may write to"),
    ],
)
def test_a_failing_disk_is_one_line_and_leaves_the_old_report(tmp_path, monkeypatch, number, message):
    publish(tmp_path, {"index.html": b'<meta name="generator" content="crosslab">old', "scores.csv": b"old"})

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError, match=message) as caught:
        publish(tmp_path, {"index.html": b"new", "scores.csv": b"new"})
    assert "\n" not in str(caught.value)
    assert {item.name: item.read_bytes()[-3:] for item in tmp_path.iterdir()} == {
        "index.html": b"old",
        "scores.csv": b"old",
    }


# --- The page stands alone -------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_outside(whole_page):
    assert outside(whole_page(made(), command="crosslab compare criss-cross uniform blunder")) == []


def test_the_page_has_language_title_viewport_and_policy(page):
    found = page(made())
    assert found.all("html") == [{"lang": "en"}]
    assert "<title>uniform against blunder · Criss Cross</title>" in found.source
    metas = {attributes.get("name") or attributes.get("http-equiv"): attributes for attributes in found.all("meta")}
    assert metas["viewport"]["content"].startswith("width=device-width")
    assert metas["Content-Security-Policy"]["content"].startswith("default-src 'none'")


def test_every_figure_says_what_it_shows(whole_page):
    found = whole_page(made())
    drawings = found.all("svg")
    assert len(drawings) == len(found.all("figure")) == 2
    for drawing in drawings:
        assert drawing["role"] == "img"
        assert "uniform" in drawing["aria-label"]
        assert "blunder" in drawing["aria-label"]


def test_ids_are_unique_and_references_resolve(whole_page):
    found = whole_page(made())
    assert len(found.ids) > 10
    assert repeated_ids(found) == []
    assert unresolved(found) == []


def test_hostile_names_and_docs_stand_literally(whole_page, tmp_path):
    found = whole_page(made(a=SCRIPT, b="$x_1$"), command=f"crosslab compare '{SCRIPT}'")
    assert found.all("script") == []
    assert found.all("b") != []
    assert f"{SCRIPT} is the better strategy." in found.text
    assert f"crosslab compare '{SCRIPT}'" in found.text
    assert "$x_1$" in found.text
    assert 'Likes "<b>quotes</b>" & {{ braces }}.' in found.text
    assert "{% raw %}" in found.text
    assert any(SCRIPT in drawing["aria-label"] for drawing in found.all("svg"))
    assert "<script" not in (tmp_path / "report" / "scores.svg").read_text(encoding="utf-8")


def test_a_name_with_control_characters_is_spelt_out(page):
    assert "a\\x1b\\nb is the better strategy." in page(made(a="a\x1b\nb")).text


# --- What the page says ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("swapped", [False, True])
def test_the_page_opens_with_the_better_strategy(page, swapped):
    pairs = [(12, 3), (10, 4), (8, 4)] * 20
    found = page(made(pairs=[pair[::-1] for pair in pairs] if swapped else pairs))
    winner, loser = ("blunder", "uniform") if swapped else ("uniform", "blunder")
    opening = found.text.index(f"{winner} is the better strategy.")
    assert opening < found.text.index("How large, and how sure")
    assert f"6.33 points a game more than {loser}; the true difference lies between 5.80 and 6.87 points" in found.text


def test_the_page_says_when_it_does_not_matter(page):
    found = page(made(pairs=[(5, 5), (6, 6), (5, 6), (6, 5)] * 20, margin=1.0))
    assert "It does not matter which of the two you play." in found.text
    assert "inside the margin of 1 points" in found.text


def test_the_page_says_when_it_is_undecided(page):
    found = page(made(pairs=[(5, 9), (9, 5)] * 20))
    assert "These deals do not tell which strategy is better." in found.text
    assert "More deals would narrow the interval." in found.text


def test_the_page_holds_the_statistics(page):
    comparison = made()
    text = page(comparison).text
    assert "Effect (A − B) 3.40 points a game" in text
    assert "P(A > B) on the same deal 60.0 %" in text
    assert "P(B > A) on the same deal 20.0 %" in text
    assert "Blocks 100" in text
    assert f"Gain from common deals {comparison.result.variance_ratio:.2f} times" in text
    assert "Margin 0.1 points a game" in text
    assert "Mean 8.40 5.00" in text
    assert "Median 9 4" in text


@pytest.mark.parametrize("blocks", [1, 2, 29])
def test_thin_evidence_is_said_in_place_of_numbers(page, blocks):
    text = page(made(pairs=([(12, 3), (10, 4)] * 15)[:blocks], passed=(None, None))).text
    assert "Too few deals for an answer." in text
    assert "a verdict needs at least 30" in text
    for label in ("Effect (A − B)", "95 % interval", "P(A > B) on the same deal", "Smallest detectable difference"):
        assert f"{label} too few blocks" in text
    assert "Mean too few blocks too few blocks" in text
    assert "nan" not in text


def test_thirty_blocks_are_enough(page):
    assert "too few" not in page(made(pairs=[(12, 3), (10, 4)] * 15)).text.lower()


def test_luck_is_the_share_of_the_worse_strategy(page):
    assert "The worse strategy, blunder, scored more in 20.0 % of the blocks; in 20.0 % both" in page(made()).text
    pairs = [(12, 3)] * 59 + [(3, 4)]
    assert "scored more in 1.7 % of the blocks, about one in 60;" in page(made(pairs=pairs)).text
    assert "did not score more in any of the 40 blocks" in page(made(pairs=[(12, 3), (9, 3)] * 20)).text


@pytest.mark.parametrize(
    "pairs",
    [
        [(1680, 0), (840, 840), (840, 0)] * 20,
        [(1680, 0), (1680, 0), (1680, 1680)] * 20,
        [(1680, 0), (0, 1680)] * 20,
        [(840, 840)] * 40,
        [(1680, 1680), (1680, 1680), (1681, 1680)] * 20,
        [(1680, 0)] * 9,
    ],
)
def test_the_page_of_wins_speaks_of_wins(page, pairs):
    text = page(made(pairs=pairs, seats=2, margin=0.01, unit=WINS)).text
    told = text[: text.index("How the strategies play")]
    assert "0.01 wins a game" in told
    assert "point" not in told.lower()
    assert "score" not in told.lower()
    assert 'measure="win"' in text
    assert "margin=" not in text[text.index('compare("criss-cross"') :]


def test_a_strategy_against_itself(page):
    found = page(made(b="uniform", pairs=[(5, 5), (8, 8)] * 20))
    assert "Both sides are uniform: there is nothing to tell apart." in found.text
    assert "The two scored the same in every one of 40 blocks." in found.text
    assert "uniform (A) against uniform (B)" in found.text
    assert found.text.count("Digest of uniform") == 1
    assert "not defined: the difference never varies" in found.text
    assert "nan" not in found.text


def test_strategies_are_described_in_their_authors_words(page):
    text = page(made(a="mine")).text
    assert "mine (A) Likes" in text
    assert "It plays for fun:" in text
    assert f"blunder (B) {find_strategy('criss-cross', 'blunder').summary} The known" in text


def test_a_name_that_is_taken_by_another_strategy_is_not_described_by_it(page):
    comparison = made()
    impostor = Player("blunder", "00", None, value)
    design = dataclasses.replace(comparison.design, lineups=(comparison.design.lineups[0], (impostor,)))
    text = page(dataclasses.replace(comparison, design=design)).text
    assert "loses on purpose" not in text
    assert "blunder (B) Likes" in text


def test_wrapped_strategies_tell_what_is_around_them(page):
    spec = "noisy(restrict(blunder,never=lonely-spaces),0.25)"
    wrapped = find_strategy("criss-cross", spec).player()
    comparison = made()
    design = dataclasses.replace(comparison.design, lineups=(comparison.design.lineups[0], (wrapped,)))
    text = page(dataclasses.replace(comparison, b=spec, design=design)).text
    assert "Avoids, as long as it has others, the moves of lonely-spaces: Leave an empty" in text
    assert "Makes a random legal move with a probability of 25 %." in text


def test_options_that_are_not_basic_stand_out(page):
    rules = CRISS_CROSS.rules().replace(diagonal_weight=3)
    found = page(made(rules=rules))
    assert "diagonal_weight 3 basic game: 0" in found.text
    assert "own options" in found.text
    assert 'variant=find_game("criss-cross").rules().replace(diagonal_weight=3)' in found.text
    assert [attributes for attributes in found.all("td") if attributes.get("class") == "changed"] == [
        {"class": "changed"}
    ]


@pytest.mark.parametrize(
    ("more", "call", "table"),
    [
        ({}, "", "1 seat: each of the two plays every deal alone"),
        ({"seats": 3}, ", seats=3", "3 seats: the two sit at one table by turns"),
        (
            {"seats": 2, "opponents": ["uniform"]},
            ', opponents=["uniform"]',
            "2 seats: each of the two plays every deal with uniform",
        ),
        ({"margin": 0.5}, ", margin=0.5", "1 seat"),
        ({"rules": CRISS_CROSS.variant("advanced")}, ', variant="advanced"', "1 seat"),
    ],
)
def test_the_page_says_how_to_repeat_it(page, more, call, table):
    text = page(made(**more)).text
    assert f'compare("criss-cross", "uniform", "blunder", deals=100, seed=7{call})' in text
    assert table in text
    assert "Seed 7 Rules version 1" in text
    assert f"python {sys.version.split()[0]}" in text


def test_the_page_knows_the_tables_of_the_rules(page, partners):
    rules = partners.variant("advanced")
    text = page(made(game=partners, rules=rules, seats=4)).text
    assert 'deals=100, seed=7, variant="advanced")' in text
    assert "2 of each line-up: every side sits at every seat" in text
    text = page(made(game=partners, rules=rules, seats=6)).text
    assert "deals=100, seed=7, seats=6, variant=" in text
    assert "6 seats: the two sit at one table by turns" in text
    assert "3 of each line-up: every side sits at every seat" in text
    text = page(made(game=partners, rules=rules, seats=4, opponents=["uniform"] * 3)).text
    assert "2 of each line-up: every side sits at a seat of every team" in text
    assert "4 of each line-up: every side sits at every seat" in page(made(game=partners, seats=4)).text


def test_a_command_takes_the_place_of_the_call(page):
    text = page(made(), command="crosslab compare criss-cross uniform blunder").text
    assert "crosslab compare criss-cross uniform blunder" in text
    assert "from analysis import compare" not in text


def test_controls_say_what_they_show_and_whether_they_passed(page):
    text = page(made(passed=(True, None))).text
    assert "Mirror: uniform against itself Both sides play alike" in text
    assert "passed: difference 3.40 points a game, 99.9 % interval" in text
    assert "not applicable: this strategy is the known weak one itself" in text
    assert "A control failed" not in text


def test_a_failed_control_is_told_at_the_top(page):
    text = page(made(passed=(True, False))).text
    assert text.index("A control failed.") < text.index("How large, and how sure")
    assert "failed: difference" in text


def test_solo_ranks_are_drawn_for_the_basic_game_alone(tmp_path):
    def drawn(name, **more):
        write_comparison(made(**more), tmp_path / name)
        return "Column" in (tmp_path / name / "scores.svg").read_text(encoding="utf-8")

    assert drawn("solo")
    assert not drawn("advanced", rules=CRISS_CROSS.variant("advanced"))
    assert not drawn("two", seats=2)


def test_block_means_are_called_so(page):
    assert "mean over the games of a block" in page(made(seats=2)).text
    assert "mean over the games of a block" not in page(made()).text


# --- From a real run, in a browser -----------------------------------------------------------------------------------


def test_a_real_comparison_of_a_strategy_that_only_this_session_knows(whole_page):
    @heuristic("criss-cross")
    def mine(view, move, params):
        """Takes whatever comes."""
        return 0.0

    text = whole_page(analysis.compare("criss-cross", mine, "blunder", deals=60, progress=False)).text
    assert "mine is the better strategy." in text
    assert "mine (A) Takes whatever comes." in text
    assert text.count(" passed: ") == 2


def test_a_browser_has_nothing_to_complain_about(tmp_path, browser):
    visit = browser.visit(write_comparison(made(a=SCRIPT), tmp_path / "report"))
    assert visit.messages == visit.requests == []
    assert "How to repeat this" in browser.evaluate("document.body.innerText")
