"""How Sphinx builds the site; `make docs` calls it.

The pages are Markdown that reads well on a code host too. So they link to files of the repository, as any Markdown
does, and what such a link means in the site is decided here: a link to a name in a source file goes to that name in the
reference. Formulas become MathML, which browsers set by themselves: pages open without a network.
"""

import os
import re
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from pygments.lexers.special import TextLexer
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.docutils import SphinxTranslator
from sphinx.util.nodes import make_refnode

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))
os.environ["NUMBA_DISABLE_JIT"] = "1"  # a compiled function has no signature to show

project = "crosslab"
release = installed_version("crosslab")
version = release
language = "en"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]
default_role = "named"
smartquotes = False  # options begin with two hyphens
nitpicky = True
nitpick_ignore = [("py:class", "sims.run.Sum"), ("py:obj", "sims.run.Sum"), ("py:obj", "True")]

html_theme = "furo"
html_title = "crosslab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_math_renderer = "mathml"
highlight_language = "text"  # most blocks are commands and their answers
pygments_style = "friendly"
pygments_dark_style = "monokai"

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autosummary_generate = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
napoleon_google_docstring = False
napoleon_use_ivar = True

PACKAGES = ("crosslab", "reports", "analysis", "strategies", "sims")
LINK = re.compile(r"\[([^\]]+)\]\(([\w./-]+)\)")
SHOWN_AS = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "benchmarks/README.md": "speed.md"}


class NameRole(XRefRole):
    """Text in single backticks in a docstring: a link where it names something in the reference, else code."""

    def process_link(
        self, env: BuildEnvironment, refnode: Any, has_explicit_title: bool, title: str, target: str
    ) -> tuple[str, str]:
        """Look the name up as an object of any kind, seen from where the text stands."""
        refnode["refdomain"], refnode["reftype"], refnode["optional"] = "py", "obj", True
        refnode["py:module"] = env.ref_context.get("py:module")
        refnode["py:class"] = env.ref_context.get("py:class")
        return title, target


def resolve_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: nodes.Element
) -> nodes.Element | None:
    """Link a name that docstrings give without its module, and leave as text what no page of ours is about.

    That is what belongs to another project (there is no network to look its pages up) and words such as "array of int".
    A whole name of ours that leads nowhere stays an error.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    objects = env.domains["py"].data["objects"]
    kinds = ("class", "exception", "type") if node["reftype"] in ("class", "exc") else ()
    matches = [name for name, found in objects.items() if found.objtype in kinds and name.endswith(f".{target}")]
    if len(matches) == 1:
        document = objects[matches[0]].docname
        return make_refnode(app.builder, node["refdoc"], document, objects[matches[0]].node_id, contnode, matches[0])
    ours = re.fullmatch(rf"({'|'.join(PACKAGES)})\.[\w.]+", target)
    if node.get("optional") or (node["reftype"] in ("class", "exc") and not ours):
        return contnode
    return None


def finish_objects(app: Sphinx, doctree: nodes.document) -> None:
    """Set right what Sphinx makes of the fields of classes and functions.

    A class's own list of attributes, and words in its types, link to whatever has the same name; attributes are called
    variables; and a dash is left to smart quotes, which are off.
    """
    for node in list(doctree.findall(pending_xref)):
        if node.get("refspecific"):
            if node["reftype"] == "obj":
                node.replace_self(node.children)
            else:
                del node["refspecific"]
    for text in list(doctree.findall(nodes.Text)):
        said = {" -- ": " \N{EN DASH} ", "Variables": "Attributes"}.get(str(text))
        if said and isinstance(text.parent, nodes.paragraph | nodes.field_name):
            text.parent.replace(text, nodes.Text(said))


def part_attributes(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Give each of several attributes that are described together the description: napoleon knows one at a time."""
    if "Attributes" not in lines:
        return
    start = lines.index("Attributes") + 2
    parted: list[str] = []
    entry: list[str] = []
    for line in [*lines[start:], "."]:
        if line[:1].strip() and entry:
            described = entry[1:]
            for one in entry[0].split(", ") if re.fullmatch(r"\w+(, \w+)+", entry[0]) else entry[:1]:
                parted += [one, *described]
            entry = []
        entry.append(line)
    lines[start:] = parted


class PlainDocstrings:
    """Keeps napoleon from the words about an attribute: it takes a sentence with a colon for "type: description"."""

    def __init__(self) -> None:
        self.written: dict[str, list[str]] = {}

    def keep(self, app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
        """Note what napoleon will be given."""
        if what in ("attribute", "data", "property"):
            self.written[name] = list(lines)

    def restore(self, app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
        """Put it in the place of what napoleon made of it."""
        lines[:] = self.written.pop(name, lines)
        if lines and lines[0].startswith("Alias for field number"):  # what Python says of every named tuple
            lines.clear()


def link_to_reference(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn links to source files into links to the reference, and to other files outside `docs` into their names."""
    page = DOCS / f"{name}.md"

    def changed(match: re.Match[str]) -> str:
        shown, link = match.groups()
        target = (page.parent / link).resolve()
        if not target.is_relative_to(ROOT) or target.is_relative_to(DOCS):
            return match[0]
        file = target.relative_to(ROOT).as_posix()
        if target.suffix == ".py" and file.split("/")[0] in PACKAGES:
            text, module = shown.strip("`"), file.removesuffix(".py").replace("/", ".")
            return f"{{py:mod}}`{module}`" if text == module else f"{{py:obj}}`{text} <{module}.{text}>`"
        if file in SHOWN_AS and DOCS / SHOWN_AS[file] != page:
            return f"[{shown}]({os.path.relpath(DOCS / SHOWN_AS[file], page.parent)})"
        return f"`{file}`"

    source[0] = LINK.sub(changed, source[0])


def visit_inline_math(translator: SphinxTranslator, node: nodes.math) -> None:
    """Write a formula in a line as MathML."""
    translator.body.append(tex2mathml(node.astext(), as_block=False))  # type: ignore[attr-defined]
    raise nodes.SkipNode


def visit_block_math(translator: SphinxTranslator, node: nodes.math_block) -> None:
    """Write a formula of its own as MathML; a wide one scrolls by itself."""
    formula = tex2mathml(node.astext(), as_block=True)
    translator.body.append(f'<div class="formula" tabindex="0">{formula}</div>\n')  # type: ignore[attr-defined]
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what is particular to this site."""
    app.add_role("named", NameRole())
    app.add_html_math_renderer(
        "mathml", inline_renderers=(visit_inline_math, None), block_renderers=(visit_block_math, None)
    )
    app.connect("source-read", link_to_reference)
    app.connect("missing-reference", resolve_short_name)
    app.connect("doctree-read", finish_objects)
    plain = PlainDocstrings()
    app.connect("autodoc-process-docstring", part_attributes, priority=400)
    app.connect("autodoc-process-docstring", plain.keep, priority=400)  # napoleon's is 500
    app.connect("autodoc-process-docstring", plain.restore, priority=600)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
