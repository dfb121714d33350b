"""Writing measured tables into Markdown pages, between two markers."""

from collections.abc import Sequence

from sims.errors import UsageError


def to_markdown(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return rows as a Markdown table; the columns numbered in `right` are aligned to the right."""
    rule = ["---:" if place in right else "---" for place in range(len(headers))]
    lines = [list(headers), rule, *([text.replace("|", "\\|") for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def insert(text: str, name: str, block: str) -> str:
    """Return a page with a block between the markers of this name, instead of what stood there.

    Raises
    ------
    UsageError
        When the markers are missing, or not there once each and in order.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise UsageError(f"the page needs the lines {begin} and {end}, once each and in this order")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{block}\n{end}{rest.partition(end)[2]}"
