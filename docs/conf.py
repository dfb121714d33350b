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

ROOT = Path(__file__).resolve().parent.parent
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
napoleon_use_rtype = False
napoleon_preprocess_types = True

PACKAGES = ("crosslab", "reports", "analysis", "strategies", "sims")
SOURCE_LINK = re.compile(r"\[`([\w.]+)`\]\((?:\.\./)+((?:crosslab|reports|analysis|strategies|sims)/[\w/]+)\.py\)")
OUTSIDE_LINK = re.compile(r"\[([^\]]+)\]\((?:\.\./)+((?!docs/)[\w./-]+)\)")


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


def look_nearby(app: Sphinx, doctree: nodes.document) -> None:
    """Keep a class's own list of attributes, and words in its types, from linking to whatever has the same name."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refspecific"):
            if node["reftype"] == "obj":
                node.replace_self(node.children)
            else:
                del node["refspecific"]


def keep_first_line(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from reading a sentence with a colon as "type: description" where an attribute is described."""
    if what in ("attribute", "data", "property") and lines:
        lines.insert(0, "")


def link_to_reference(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn links to source files into links to the reference, and to other files outside `docs` into their names."""

    def to_name(match: re.Match[str]) -> str:
        shown, file = match.groups()
        module = file.replace("/", ".").removesuffix(".__init__")
        if shown == module:
            return f"{{py:mod}}`{module}`"
        return f"{{py:obj}}`{shown} <{module}.{shown}>`"

    text = SOURCE_LINK.sub(to_name, source[0])
    source[0] = OUTSIDE_LINK.sub(lambda match: f"{match[1]} (`{match[2]}`)" if "`" not in match[1] else match[1], text)


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
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline_math, None), block_renderers=(visit_block_math, None))
    app.connect("source-read", link_to_reference)
    app.connect("missing-reference", resolve_short_name)
    app.connect("doctree-read", look_nearby)
    app.connect("autodoc-process-docstring", keep_first_line, priority=400)  # before napoleon's, at 500
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
