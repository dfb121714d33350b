"""What every page of ours shares: the templates, how text and drawings come into a page, and the page on paper."""

import base64
import contextlib
import importlib
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes

from reports.figures import printable, render
from reports.publishing import GENERATOR
from sims.errors import UsageError

TEMPLATES = Path(__file__).with_name("templates")
SPACES = frozenset("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{FIGURE SPACE}")

POINTS_A_REM = 10.5
"""How large drawings stand in a page: this many points of theirs in the size of its letters."""

UNBROKEN = 30
"""Longer words of code may be broken, in characters: a phone shows so many in a line."""


# --- Text ------------------------------------------------------------------------------------------------------------


def readable(text: str) -> str:
    """Return a text for a page: line breaks are spaces, other control characters are spelt out."""
    return "".join(sign if sign in SPACES else printable(sign) for sign in re.sub(r"\s*[\r\n]\s*", " ", text))


def readable_lines(text: str) -> str:
    """Do the same line by line: for code."""
    lines = text.replace("\r\n", "\n").expandtabs(4).strip("\n").split("\n")
    return "\n".join(readable(line) for line in lines)


def typed(text: str) -> Markup:
    """Return code for a page: lines that are too long break between words, not after the hyphens of options."""
    return Markup("").join(
        Markup("<span>{}</span>").format(word) if "-" in word and len(word) <= UNBROKEN else Markup.escape(word)
        for word in re.split(r"(\s+)", readable_lines(text))
    )


def marked(text: str) -> Markup:
    """Return a text for a page in which what stands between two backticks is set as code."""
    # An odd backtick at the end has no partner and stands as it is.
    return Markup("").join(
        Markup("<code>{}</code>").format(piece[1:-1]) if len(piece) > 2 and place % 2 else Markup.escape(piece)
        for place, piece in enumerate(re.split(r"(`[^`]*`)", readable(text)))
    )


# --- Drawings --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Drawing:
    """A figure as files, and what it shows in words."""

    svg: bytes
    png: bytes
    words: str

    @classmethod
    def of(cls, axes: Axes, words: str) -> "Drawing":
        """Draw the whole figure that these axes stand in; `words` say what there is to see."""
        figure, text = axes.get_figure(root=True), readable(words)
        assert figure is not None
        with missing_signs_as_boxes():
            return cls(render(figure, "svg", title=text), render(figure, "png", title=text), text)

    def inline(self, prefix: str) -> Markup:
        """Return the drawing as a part of a page, with ids that begin with `prefix` and so are the page's only ones."""
        text = self.svg.decode()
        text = text[text.index("<svg") :]
        text = re.sub(r"<!--.*?-->|<title>.*?</title>|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
        text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", text)
        # In a page, a drawing's own style sheet would hold for everything.
        text = re.sub(r"<style[^>]*>\*\{([^}]*)\}</style>", "", text)
        text = re.sub(r"\n\s*", "\n", text)
        head, body = text.split(">", 1)
        size = re.search(r'\swidth="([\d.]+)pt"', head)
        # The page decides on the size; of wide figures and narrow ones it sets the letters alike.
        width = f"--width: {float(size[1]) / POINTS_A_REM:.4g}rem; " if size else ""
        head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
        label = Markup.escape(self.words)
        style = f'style="{width}stroke-linejoin: round; stroke-linecap: butt"'
        return Markup(f'{head} {style} role="img" aria-label="{label}"><title>{label}</title>{body}')


@contextlib.contextmanager
def missing_signs_as_boxes() -> Iterator[None]:
    """Draw a box for every sign that the font of the figures has not, and say nothing: the words have the text."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")
        yield


# --- Pages -----------------------------------------------------------------------------------------------------------


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(readable=readable, typed=typed, marked=marked)
    return environment


def page(template: str, **content: Any) -> str:
    """Return a page made from a template; all text in it is escaped."""
    return _environment().get_template(template).render(generator=Markup(GENERATOR), **content)


# --- Paper -----------------------------------------------------------------------------------------------------------


def check_paper() -> None:
    """Say at once when no PDF can be made here.

    Raises
    ------
    UsageError
        When WeasyPrint is not installed, or finds no Pango.
    """
    _weasyprint()


def on_paper(text: str) -> bytes:
    """Return a page as a PDF: the same bytes for the same page, without a date of its own.

    The letters are those of the figures, which come with matplotlib: the PDF is the same whatever fonts are there, and
    only signs that these have not are taken from others.

    Raises
    ------
    UsageError
        See `check_paper`.
    """
    weasyprint = _weasyprint()
    nothing_from_outside = weasyprint.URLFetcher(allowed_protocols=("data",))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No fonts configured")
        fonts = importlib.import_module("weasyprint.text.fonts").FontConfiguration()
        letters = weasyprint.CSS(string=_letters(), url_fetcher=nothing_from_outside, font_config=fonts)
        content: bytes = weasyprint.HTML(string=text, url_fetcher=nothing_from_outside).write_pdf(
            stylesheets=[letters], font_config=fonts, pdf_tags=True
        )
    return content


@cache
def _letters() -> str:
    """Return the fonts of the figures as a style sheet; page.css asks for them by these names."""
    folder = Path(matplotlib.get_data_path(), "fonts", "ttf")
    faces = []
    for family, file in (("crosslab sans", "DejaVuSans"), ("crosslab mono", "DejaVuSansMono")):
        for end, look in (("", ""), ("-Bold", "font-weight: bold;"), ("-Oblique", "font-style: italic;")):
            content = base64.b64encode((folder / f"{file}{end}.ttf").read_bytes()).decode()
            faces.append(f'@font-face {{ font-family: "{family}"; {look} src: url(data:font/ttf;base64,{content}); }}')
    return "\n".join(faces)


def _weasyprint() -> Any:
    try:
        # It prints a notice of several lines when it finds no library, and warns of what it finds no font or will need.
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import weasyprint
    except ImportError as error:
        raise UsageError(
            "a PDF needs WeasyPrint, which is not installed: pip install 'crosslab[pdf]', or write the "
            "report without a PDF"
        ) from error
    except OSError as error:
        raise UsageError(
            f"a PDF needs system libraries that WeasyPrint does not find ({printable(str(error).splitlines()[0])}): "
            "install Pango, or write the report without a PDF"
        ) from error
    return weasyprint
