import dataclasses
import errno
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import zlib
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import matplotlib as mpl
import polars as pl
import pytest
from matplotlib.figure import Figure

from reports.comparison import FILES as COMPARISON_FILES
from reports.document import (
    Claim,
    Code,
    Document,
    Items,
    Note,
    Paragraph,
    Picture,
    Section,
    Table,
    prepare_document,
    write_document,
)
from reports.figures import printable
from reports.pages import check_paper, marked, on_paper, readable, readable_lines
from reports.publishing import GENERATOR
from sims.errors import StoreError, UsageError
from tests.reports.html_pages import Page, outside, repeated_ids, unresolved

SCRIPT = "<script>alert(1)</script>"
HOSTILE = f"{SCRIPT}</style></title>&amp; \"'{{{{ 7 * 7 }}}} $x_1$ \x00\x1b[31m\u202e\ud800 {'long' * 90}"
SPELT = (
    HOSTILE.replace("\x00", "\\x00").replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace("\ud800", "\\ud800")
)
MADE = datetime(2026, 11, 30, 23, 59, 1, tzinfo=UTC)
FRAME = pl.DataFrame({"strategy": ["greedy", SCRIPT], "mean": [27.5, None], "ranks": [[1, 2], None]})


def draw(label="turn"):
    ax = Figure(figsize=(2, 1.5)).subplots()
    ax.plot([1, 2], [3, 5], marker="o")
    ax.set_xlabel(label)
    return ax


def draw_cells():
    ax = Figure(figsize=(2, 1.5)).subplots()
    ax.imshow([[1, 2], [3, 4]])
    return ax


def claim(**changes):
    usual = {"question": "Fair?", "answer": "Yes", "sentence": "So it is.", "outcome": "good", "section": "seats"}
    return Claim(**(usual | changes))


def table(**changes):
    usual = {"name": "ranks", "caption": "Ranks.", "headers": ("Strategy", "Mean"), "rows": (("greedy", "27.50"),)}
    return Table(**(usual | changes))


def picture(**changes):
    return Picture(**({"name": "means", "caption": "Means.", "alt": "One dot.", "draw": draw} | changes))


def document(*blocks, **changes):
    usual = {"title": "Is it balanced?", "game": "Criss Cross", "sections": (Section("seats", "Seats", blocks),)}
    return Document(**(usual | changes))


def everything(text="text", made=None):
    """Make a document of all kinds of blocks with one text in every place."""
    rows = ((text, "27.50", text), ("greedy", "−1.5", "–"))
    blocks = (
        Paragraph(text),
        Note(text),
        Note(text, "warning"),
        Items((text, text)),
        Items((text,), numbered=True),
        table(caption=text, headers=("Strategy", text, "More"), rows=rows, frame=FRAME, notes=(text,)),
        table(name="empty", rows=(), frame=pl.DataFrame(schema={"a": pl.Int64, "b": pl.String})),
        picture(caption=text, alt=text, draw=lambda: draw(printable(text))),
        Code(text),
        Code("one = 1\n\tother", "python"),
    )
    inner = Section("inner", text, (picture(name="scores", alt="Scores.", draw=draw_cells), Code("{}", "json")))
    claims = (
        *(claim(outcome=outcome, section="inner") for outcome in ("good", "bad", "open", "told")),
        claim(
            question=text, answer=text, sentence=text, effect=text, interval=text, games=text, smallest_detectable=text
        ),
    )
    return Document(
        title=text,
        game=text,
        subtitle=text,
        claims=claims,
        sections=(Section("seats", text, blocks, (inner,)), Section("last", "Last")),
        manifest={"strategy": text, "seed": 7},
        made=made,
    )


def read(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def page_of(text):
    return Page(text.decode())


def paper_or_skip():
    try:
        check_paper()
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Write a document whose every text is hostile, and give its files."""
    folder = tmp_path_factory.mktemp("hostile")
    write_document(everything(HOSTILE), folder)
    return read(folder)


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """Write a document without drawing, which takes most of the time, and read its page."""
    monkeypatch.setattr("reports.pages.render", lambda figure, kind, title: b'<svg width="1" height="1"></svg>')
    return lambda made: Page(write_document(made, tmp_path / "report").read_text(encoding="utf-8"))


# --- Files -----------------------------------------------------------------------------------------------------------


def test_write_document_writes_its_files_and_returns_the_page(hostile, tmp_path):
    assert set(hostile) == {
        "index.html",
        "manifest.json",
        *(f"frames/{name}.{kind}" for name in ("ranks", "empty") for kind in ("parquet", "csv")),
        *(f"figures/{name}.{kind}" for name in ("means", "scores") for kind in ("svg", "png")),
    }
    path = write_document(document(), str(tmp_path / "new" / "report"))
    assert path == tmp_path / "new" / "report" / "index.html"
    assert set(read(path.parent)) == {"index.html", "manifest.json"}


def test_frames_are_whole(hostile, tmp_path):
    for name, content in hostile.items():
        if name.startswith("frames/"):
            (tmp_path / name.partition("/")[2]).write_bytes(content)
    assert pl.read_parquet(tmp_path / "ranks.parquet").equals(FRAME)
    assert pl.read_csv(tmp_path / "ranks.csv").rows() == [("greedy", 27.5, "[1, 2]"), (SCRIPT, None, None)]
    empty = pl.read_parquet(tmp_path / "empty.parquet")
    assert (empty.schema, empty.height) == ({"a": pl.Int64, "b": pl.String}, 0)
    assert (tmp_path / "empty.csv").read_text() == "a,b\n"


def test_the_manifest_holds_what_it_was_given_and_digests(hostile):
    manifest = json.loads(hostile["manifest.json"])
    assert manifest["strategy"] == manifest["title"] == HOSTILE
    assert (manifest["seed"], manifest["made"]) == (7, None)
    assert manifest["files"] == {
        name: hashlib.sha256(content).hexdigest() for name, content in hostile.items() if name != "manifest.json"
    }


def test_numbers_that_are_none_are_null(tmp_path):
    frame = pl.DataFrame({"ends": [[1.5, float("nan")]], "at": [{"low": float("-inf")}]})
    write_document(
        document(table(frame=frame), manifest={"low": float("nan"), "ends": (1, float("inf")), "made on": MADE}),
        tmp_path,
    )
    manifest = json.loads((tmp_path / "manifest.json").read_text(), parse_constant=pytest.fail)
    assert (manifest["low"], manifest["ends"], manifest["made on"]) == (None, [1, None], str(MADE))
    assert pl.read_csv(tmp_path / "frames" / "ranks.csv").rows() == [("[1.5, null]", '{"low": null}')]


def test_the_same_document_gives_the_same_bytes(hostile, tmp_path):
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "none"}):
        write_document(everything(HOSTILE), tmp_path)
    assert read(tmp_path) == hostile


def test_the_date_stands_in_one_line_of_the_page_and_in_the_manifest(hostile, tmp_path):
    write_document(everything(HOSTILE, made=MADE), tmp_path)
    dated = read(tmp_path)
    assert {name for name in hostile if dated[name] != hostile[name]} == {"index.html", "manifest.json"}
    line = '<p class="made">Made on <time datetime="2026-11-30T23:59:01+00:00">2026-11-30, 23:59 UTC</time></p>\n'
    assert dated["index.html"].decode().replace(line, "") == hostile["index.html"].decode()
    first, second = (json.loads(files["manifest.json"]) for files in (hostile, dated))
    assert second["made"] == "2026-11-30T23:59:01+00:00"
    # The digest of the page would tell the date in a second place.
    assert second["files"].pop("index.html") is None
    del first["files"]["index.html"]
    assert second | {"made": None} == first


def test_a_report_replaces_an_earlier_one_and_takes_away_what_it_has_no_more(tmp_path):
    write_document(
        document(table(frame=FRAME), table(name="old", frame=FRAME), table(name="edited", frame=FRAME)), tmp_path
    )
    (tmp_path / "frames" / "notes.txt").write_text("mine")
    (tmp_path / "frames" / "edited.csv").write_text("mine, too")
    write_document(document(table(frame=FRAME)), tmp_path)
    assert set(read(tmp_path)) == {
        "index.html",
        "manifest.json",
        "frames/ranks.csv",
        "frames/ranks.parquet",
        "frames/edited.csv",
        "frames/notes.txt",
    }
    write_document(document(), tmp_path / "other")
    write_document(document(table(frame=FRAME)), tmp_path / "other")
    write_document(document(), tmp_path / "other")
    assert not (tmp_path / "other" / "frames").exists()


def test_a_manifest_does_not_lead_out_of_the_folder(tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_bytes(b"mine")
    folder = tmp_path / "report"
    write_document(document(), folder)
    known = hashlib.sha256(b"mine").hexdigest()
    (folder / "link.txt").symlink_to(mine)
    (folder / "manifest.json").write_text(
        json.dumps({"files": {"../mine.txt": known, str(mine): known, "link.txt": known}})
    )
    write_document(document(), folder)
    assert mine.read_bytes() == b"mine"
    assert (folder / "link.txt").is_symlink()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 3}', '{"files": ["a"]}'])
def test_a_manifest_that_is_none_is_no_hindrance(tmp_path, content):
    write_document(document(), tmp_path)
    (tmp_path / "manifest.json").write_text(content)
    write_document(document(), tmp_path)
    assert "files" in json.loads((tmp_path / "manifest.json").read_text())


@pytest.mark.parametrize("name", ["index.html", "manifest.json", "frames/x.csv", "figures/x.svg"])
def test_a_strangers_file_is_not_overwritten(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match=rf"holds {name.partition('/')[0]}, which is not from a report: name another"):
        prepare_document(tmp_path)
    assert read(tmp_path) == {name: b"mine"}


def test_prepare_accepts_an_earlier_report_and_refuses_a_file(tmp_path):
    write_document(document(picture()), tmp_path / "report")
    prepare_document(tmp_path / "report")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="is a file; name a folder"):
        prepare_document(tmp_path / "file")


def test_a_full_disk_is_one_line_and_leaves_the_old_report(tmp_path, monkeypatch):
    write_document(document(table(frame=FRAME)), tmp_path)
    before = read(tmp_path)

    def fail(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError, match="the disk is full; make room and try again"):
        write_document(document(Paragraph("new"), table(name="new", frame=FRAME)), tmp_path)
    assert read(tmp_path) == before


# --- What is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "../up", "a/b", "Big", "a b", "a--b", "-a", "a_b", "a.csv", SCRIPT, "a\n", "x" * 61]
)
def test_names_that_are_no_file_names_are_refused(name):
    for blocks in ((table(name=name),), (picture(name=name),)):
        with pytest.raises(UsageError, match="cannot be named so: use a-z"):
            document(*blocks)
    with pytest.raises(UsageError, match="cannot be named so"):
        document(sections=(Section(name, "Title"),))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: document(table(), table()), "two tables are called 'ranks'"),
        (lambda: document(picture(), picture()), "two pictures are called 'means'"),
        (lambda: document(sections=(Section("a", "A"), Section("b", "B", (), (Section("a", "A"),)))), "two sections"),
        (lambda: document(sections=(Section("contents", "A"),)), "has the name of a part of the page"),
        (
            lambda: document(claims=(claim(section="luck"),)),
            "links to the section 'luck', which there is not: .* seats",
        ),
        (lambda: document(picture(alt=" ")), "no alternative text"),
        (lambda: document(table(rows=(("greedy",),))), "has 1 cells, its head has 2"),
        (lambda: document(table(alignment="l")), "does not fit: give 2 letters"),
        (lambda: document(table(alignment="lc")), "does not fit"),
        (lambda: document(manifest={"made": "today"}), "the key 'made', which is written by itself"),
    ],
)
def test_documents_that_do_not_hold_together_are_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_a_table_and_a_picture_may_have_one_name(quick):
    found = quick(document(table(name="seats"), picture(name="seats")))
    assert {"table_seats", "figure_seats", "seats"} <= set(found.ids)
    assert repeated_ids(found) == []


# --- The page stands alone -------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_from_outside(hostile):
    found = page_of(hostile["index.html"])
    assert outside(found, beside=set(hostile)) == []
    assert len(found.all("image")) == 1
    policy = next(tag["content"] for tag in found.all("meta") if tag.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    assert "script" not in policy


def test_ids_are_unique_and_links_resolve(hostile):
    found = page_of(hostile["index.html"])
    assert len(found.ids) > 30
    assert repeated_ids(found) == []
    assert unresolved(found) == []
    files = {tag["href"] for tag in found.all("a") if not tag["href"].startswith("#")}
    assert files == set(hostile) - {"index.html", "manifest.json"}


def test_every_figure_says_what_it_shows(hostile):
    found = page_of(hostile["index.html"])
    drawings = [tag for tag in found.all("svg") if "aria-hidden" not in tag]
    assert len(drawings) == len(found.all("figure")) == 2
    assert [(drawing["role"], drawing["aria-label"]) for drawing in drawings] == [("img", SPELT), ("img", "Scores.")]


def test_a_drawing_has_no_style_sheet_and_no_metadata(hostile):
    main = hostile["index.html"].decode().partition("<main>")[2]
    assert "<svg" in main
    assert not re.search("<style|<metadata|<!--|<!DOCTYPE", main)


def test_hostile_texts_stand_literally_wherever_they_are(hostile):
    text = hostile["index.html"].decode()
    found = page_of(hostile["index.html"])
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    assert found.all("script") == []
    assert len(found.all("style")) == 1
    assert "49" not in text.partition("<svg")[0].partition("</style>")[2]
    # Title and game in the head; game, title, subtitle; a claim's seven texts, and the title of the section that each
    # of five points to; two titles in the contents and as headings; a paragraph, two notes, three items; a table's
    # caption, head, two cells and note; a figure's title and caption; code.
    plain = " ".join(SPELT.split())
    assert found.text.count(plain) == 2 + 3 + 7 + 5 + 4 + 6 + 5 + 2 + 1


def test_missing_signs_are_no_noise(tmp_path, capfd):
    text = "中文 🂡 \ue000"
    write_document(document(picture(alt=text, draw=lambda: draw(text))), tmp_path)
    assert capfd.readouterr() == ("", "")
    found = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert [tag["aria-label"] for tag in found.all("svg")] == ["中文 🂡 \\ue000"]


def test_without_a_single_font_the_report_is_the_same_and_silent(tmp_path):
    """Run in a process of its own, which finds its fonts as it begins, and where C libraries speak past Python."""
    try:
        check_paper()
        pdf = True
    except UsageError:
        pdf = False
    (tmp_path / "fonts.conf").write_text(f"<fontconfig><cachedir>{tmp_path}/cache</cachedir></fontconfig>")
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from tests.reports.test_document import everything, write_document\n"
        f"write_document(everything('words'), Path(sys.argv[1]), pdf={pdf})\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", script, str(tmp_path / "bare")],
        capture_output=True,
        text=True,
        env={**os.environ, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "PYTHONPATH": "."},
        check=True,
    )
    assert done.stderr == done.stdout == ""
    write_document(everything("words"), tmp_path / "usual", pdf=pdf)
    assert read(tmp_path / "bare") == read(tmp_path / "usual")


# --- What the page says ----------------------------------------------------------------------------------------------


def test_the_verdict_comes_first_and_is_told_in_words(quick):
    claims = [claim(outcome=outcome, answer=outcome.upper()) for outcome in ("good", "bad", "open", "told")]
    text = quick(document(claims=tuple(claims))).text
    told = ["In order", "GOOD", "Concern", "BAD", "Open", "OPEN", "Finding", "TOLD", "Contents", "Seats"]
    places = [text.index(word) for word in told[:-1]]
    assert places == sorted(places)
    assert "Effect" not in text
    assert "Evidence: Seats" in text


def test_marks_differ_in_shape(quick):
    source = quick(document(claims=tuple(claim(outcome=outcome) for outcome in ("good", "bad", "open", "told")))).source
    shapes = [re.sub(r"#[0-9a-f]{3,6}", "", shape) for shape in re.findall(r"<svg viewBox.*?</svg>", source, re.DOTALL)]
    assert len(set(shapes)) == 4


def test_facts_that_are_known_are_shown(quick):
    text = quick(document(claims=(claim(effect="+1", games="30", smallest_detectable="0.5"),))).text
    assert "Effect +1 Games 30 Smallest detectable effect 0.5" in text
    assert "Interval" not in text


def test_without_claims_pictures_or_sections_the_page_is_whole(quick):
    found = quick(document(sections=()))
    assert "Verdict" not in found.text
    assert "Contents" not in found.text
    assert "This report has no sections." in found.text
    assert unresolved(found) == []
    assert "Verdict" not in quick(document(Paragraph("Only this."))).text


def test_an_empty_table_says_so(quick):
    assert "Nothing to show: there are no rows." in quick(document(table(rows=()))).text
    assert "Nothing to show" in quick(document(table(headers=(), rows=(), frame=pl.DataFrame()))).text
    assert "Nothing to show" not in quick(document(table())).text


def test_a_table_of_names_and_values_needs_no_heads(quick):
    found = quick(document(table(headers=("", ""))))
    assert found.all("thead") == []
    assert len(found.all("tr")) == 1


def test_a_table_without_a_frame_offers_no_files(quick):
    assert "All data" not in quick(document(table())).text
    assert "All data: Parquet · CSV" in quick(document(table(frame=FRAME))).text


@pytest.mark.parametrize(
    ("cells", "side"),
    [
        (("1", "−2.5"), "r"),
        (("26.21 to 27.31", "–"), "r"),
        (("less than 0.1 %", "100.0 %"), "r"),
        (("too few blocks", "3"), "r"),
        (("greedy", "3"), "l"),
        (("–", "–"), "r"),
        (("", ""), "l"),
    ],
)
def test_columns_of_numbers_are_set_right(quick, cells, side):
    found = quick(document(table(rows=tuple(("greedy", cell) for cell in cells))))
    assert [tag["class"][0] for tag in found.all("td")] == [side, side]
    assert [tag["class"][0] for tag in found.all("th") if tag["scope"] == "row"] == ["l", "l"]


@pytest.mark.parametrize(
    ("columns", "rows", "paper"),
    [(6, 10, " whole"), (6, 11, ""), (7, 11, " wide"), (8, 11, " wide sideways"), (8, 1, " wide sideways whole")],
)
def test_wide_tables_are_small_or_turned_on_paper_and_long_ones_broken(quick, columns, rows, paper):
    row = ("x" * 15,) * columns
    found = quick(document(table(headers=row, rows=(row,) * rows)))
    assert [tag["class"] for tag in found.all("div") if tag.get("id") == "table_ranks"] == [f"table{paper}"]
    heads = ("head of some words",) * 8
    assert '<div class="table wide whole"' in quick(document(table(headers=heads, rows=(("1",) * 8,)))).source
    long = ("x" * 400, "y" * 400)
    assert '<div class="table whole"' in quick(document(table(headers=long, rows=(long,)))).source


def test_letters_of_drawings_have_one_size(hostile):
    found = page_of(hostile["index.html"])
    styles = [tag["style"] for tag in found.all("svg") if tag.get("role")]
    # 2 inches are 144 points; the style sheet reads the width, and a drawing has none of its own.
    assert all(style.startswith("--width: 13.71rem;") for style in styles)
    assert not any("width" in tag for tag in found.all("svg") if tag.get("role"))


def test_an_alignment_that_is_given_is_kept(quick):
    found = quick(document(table(alignment="rl")))
    assert [tag["class"][0] for tag in found.all("td")] == ["r", "l"]


def test_headings_go_as_deep_as_sections(quick):
    deep = Section("f", "F")
    for key in "edcba":
        deep = Section(key, key.upper(), (), (deep, Section(f"{key}2", "Other")))
    found = quick(document(sections=(deep,)))
    assert [tag for tag, _ in found.tags if re.fullmatch(r"h[1-6]", tag)].count("h6") == 4
    assert len(found.all("section")) == 11
    assert found.text.index("A B C D E F") > 0


def test_tables_and_figures_are_numbered_as_they_are_read(quick):
    sections = (
        Section("a", "A", (table(name="x"), picture(name="x")), (Section("b", "B", (table(name="y"),)),)),
        Section("c", "C", (picture(name="z"), table(name="z"))),
    )
    numbered = re.findall(r"(?:Table|Figure) \d", quick(document(sections=sections)).text)
    assert numbered == ["Table 1", "Figure 1", "Table 2", "Figure 2", "Table 3"]


def test_code_keeps_its_lines_and_text_has_code_between_backticks(quick):
    found = quick(document(Paragraph("play `greedy` or `<b>`, 5` long"), Code("one\n\ttwo\x1b\n\n")))
    assert "<p>play <code>greedy</code> or <code>&lt;b&gt;</code>, 5` long</p>" in found.source
    assert '<pre class="shell" tabindex="0"><code>one\n    two\\x1b</code></pre>' in found.source


def test_options_of_commands_are_not_broken(quick):
    found = quick(document(Code(f"crosslab report --deals 20 --out {'x-' * 20} '<b-b>'")))
    inner = f"crosslab report <span>--deals</span> 20 <span>--out</span> {'x-' * 20} <span>&#39;&lt;b-b&gt;&#39;</span>"
    assert f"<code>{inner}</code></pre>" in found.source


def test_readable_keeps_spaces_that_do_not_break_and_spells_out_the_rest():
    assert readable("5\N{NO-BREAK SPACE}%\N{NARROW NO-BREAK SPACE}a\r\n  b\tc\x7f") == "5\xa0%\u202fa b\\tc\\x7f"
    assert readable_lines("\na\r\nb\n") == "a\nb"
    assert marked("`` a `b`") == "`` a <code>b</code>"


def test_pages_of_a_comparison_and_of_a_document_know_each_other(tmp_path, quick):
    assert GENERATOR in quick(document()).source
    assert "index.html" in COMPARISON_FILES


# --- On paper --------------------------------------------------------------------------------------------------------


def test_a_pdf_without_weasyprint_is_one_line_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)

    def never():
        raise AssertionError("drawn for nothing")

    for call in (
        lambda: prepare_document(tmp_path / "report", pdf=True),
        lambda: write_document(document(picture(draw=never)), tmp_path / "report", pdf=True),
    ):
        with pytest.raises(UsageError, match=r"not installed: pip install 'crosslab\[pdf\]', or write") as caught:
            call()
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "report").exists()
    prepare_document(tmp_path / "report")


def test_a_pdf_without_system_libraries_is_one_line(tmp_path, monkeypatch, capfd):
    (tmp_path / "weasyprint.py").write_text("print('-----\\n\\nlong')\nraise OSError('cannot load pango\\nmore')\n")
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=r"does not find \(cannot load pango\): install Pango, or write"):
        check_paper()
    assert capfd.readouterr() == ("", "")


def unpacked(content):
    """Return a PDF with what its compressed parts hold."""
    parts = re.findall(rb"/FlateDecode.*?stream\n(.*?)\nendstream", content, re.DOTALL)
    return content + b"".join(zlib.decompressobj().decompress(part) for part in parts)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Print a hostile document twice."""
    paper_or_skip()
    folders = [tmp_path_factory.mktemp("printed") for _ in range(2)]
    for folder in folders:
        write_document(everything(HOSTILE, made=MADE), folder, pdf=True)
    return [read(folder) for folder in folders]


def test_the_same_document_gives_the_same_pdf(printed):
    assert printed[0] == printed[1]
    assert printed[0]["report.pdf"].startswith(b"%PDF")


def test_the_pdf_has_no_date_of_its_own_and_no_machines_paths(printed):
    content = unpacked(printed[0]["report.pdf"])
    assert b"/Producer" in content
    assert b"CreationDate" not in content
    assert b"ModDate" not in content
    assert b"file:" not in content
    assert b"/URI" not in content
    assert json.loads(printed[0]["manifest.json"])["files"]["report.pdf"] is None


def test_the_pdf_has_its_figures_in_words(printed):
    assert b"/Alt (Scores.)" in unpacked(printed[0]["report.pdf"])


def test_a_report_without_its_pdf_takes_the_old_one_away(tmp_path, monkeypatch):
    monkeypatch.setattr("reports.document.check_paper", lambda: None)
    monkeypatch.setattr("reports.document.on_paper", lambda text: b"%PDF")
    write_document(document(made=MADE), tmp_path, pdf=True)
    assert (tmp_path / "report.pdf").read_bytes() == b"%PDF"
    write_document(document(made=MADE), tmp_path)
    assert set(read(tmp_path)) == {"index.html", "manifest.json"}


def test_paper_fetches_nothing(listener):
    paper_or_skip()
    address, asked = listener
    assert on_paper(f'<img alt="x" src="{address}/a.png"><link rel="stylesheet" href="{address}/b.css">').startswith(
        b"%PDF"
    )
    assert asked == []


# --- In a browser ----------------------------------------------------------------------------------------------------


@pytest.fixture
def listener():
    """Give the address of a server and the list of what it was asked for."""
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *words):
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("width", [400, 1200])
def test_a_browser_has_nothing_to_complain_about(tmp_path, hostile, browser, width):
    for name, content in hostile.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    visit = browser.visit(tmp_path / "index.html", width=width)
    assert visit.messages == visit.requests == []
    # Nothing sticks out of the window; what is wider scrolls in a box of its own.
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert browser.evaluate("[...document.querySelectorAll('figure svg')].every(one => one.ariaLabel.trim())")
    assert browser.evaluate("[...document.querySelectorAll('figure svg')].every(one => one.clientWidth > 200)")


PLANTED = {
    "a console error": ("<script>console.error('planted')</script>", "", "messages"),
    "an exception": ("<script>missing()</script>", "", "messages"),
    "an outside picture": ("<img alt='x' src='{address}/x.png'>", "", "requests"),
    "an outside style sheet": ("<style>@import url('{address}/x.css');</style>", "", "requests"),
    "what the policy refuses": ("<script>1</script>", "default-src 'none'", "messages"),
    "an outside picture that the policy refuses": (
        "<img alt='x' src='{address}/x.png'>",
        "default-src 'none'",
        "messages",
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_the_browser_tells_what_is_planted(tmp_path, browser, listener, fault):
    body, policy, where = PLANTED[fault]
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    page = tmp_path / "index.html"
    page.write_text(f"<!DOCTYPE html><html lang=en><title>x</title>{meta}{body.format(address=listener[0])}</html>")
    assert getattr(browser.visit(page), where)
    page.write_text("<!DOCTYPE html><html lang=en><title>x</title><p>x</p></html>")
    clean = browser.visit(page)
    assert clean.messages == clean.requests == []


def test_frames_figures_and_documents_are_values():
    assert claim() == claim()
    with pytest.raises(dataclasses.FrozenInstanceError):
        claim().answer = "No"
