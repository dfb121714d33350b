"""What tests ask of a page without a browser."""

import re
from collections import Counter
from html.parser import HTMLParser

BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "small", "pre", "li", "dt", "dd"}
VOID = {"meta", "br", "img", "hr", "link", "input"}
LOADING = {"script", "link", "iframe", "frame", "object", "embed", "img", "base", "video", "audio", "source", "form"}
ADDRESSES = {"src", "href", "xlink:href", "data", "action", "srcset", "poster", "background"}


class Page(HTMLParser):
    """What a test asks of a page: its tags with their attributes, its text, and whether tags are balanced."""

    def __init__(self, text):
        super().__init__()
        self.source = text
        self.tags, self.words, self.open = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.words.append(" " if tag in BLOCKS else "")
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def outside(page, beside=()):
    """List what a page would load or run; links to the files `beside` it, and pictures that it holds, are its own."""
    found = []
    for tag, attributes in page.tags:
        if tag in LOADING:
            found.append(f"<{tag}>")
        for name, text in attributes.items():
            text = text or ""
            held = tag == "image" and text.startswith("data:image/png;base64,")
            linked = tag == "a" and text in beside
            if name.startswith("on") or (name in ADDRESSES and not (text.startswith("#") or held or linked)):
                found.append(f"<{tag} {name}={text[:80]}>")
            found += [f"<{tag} {name}={to}>" for to in re.findall(r"url\(([^)]*)\)", text) if not to.startswith("#")]
    style = page.source[page.source.index("<style>") : page.source.index("</style>")]
    return found + re.findall(r"url\([^)]*\)|@import[^;]*", style)


def repeated_ids(page):
    """List the ids that stand more than once."""
    return [name for name, times in Counter(page.ids).items() if times > 1]


def unresolved(page):
    """List the places that are pointed to and are not there."""
    wanted = {
        target for pair in re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page.source) for target in pair if target
    }
    for _, attributes in page.tags:
        wanted |= set((attributes.get("aria-labelledby") or "").split())
    return sorted(wanted - set(page.ids))
