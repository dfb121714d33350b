"""Numbers and names as the text of a figure."""

import itertools
import re

NAME_WIDTH = 58
"""Longer lines are wrapped, in characters."""

MOST_LINES = 3
"""Of a text; what does not fit is left out of its middle, so that names that end differently stay different."""


def printable(text: str) -> str:
    """Return a text with control characters spelt out: fonts and XML have none."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def wrapped(text: str, width: int = NAME_WIDTH, lines: int = MOST_LINES) -> str:
    """Break a text into lines: after spaces, and after the commas and brackets of specs."""
    if len(text) > width * lines:
        kept = width * lines - 1
        text = f"{text[: kept - kept // 2]}…{text[-(kept // 2) :]}"
    broken = [""]
    for piece in re.split(r"(?<=[ ,:(])", text):
        if broken[-1] and len(broken[-1]) + len(piece.rstrip()) > width:
            broken.append("")
        broken[-1] += piece
    # A space at the end takes no room.
    parts = ([line] if len(line.rstrip()) <= width else _cut(line, width) for line in broken)
    return "\n".join(itertools.chain.from_iterable(parts))


def _cut(text: str, width: int) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def decimals(low: float, high: float) -> int:
    """Choose decimals, two to six, so that neither an end of an interval nor its width prints as nothing."""
    shown = (low, high, (high - low) / 2)
    return next((digits for digits in range(2, 6) if not any(0 < abs(value) < 10.0**-digits for value in shown)), 6)


def points(value: float, digits: int = 2) -> str:
    """Return a number of points with a proper minus sign, and no minus before 0.00."""
    return f"{value:z.{digits}f}".replace("-", "\N{MINUS SIGN}")


def span(low: float, high: float) -> str:
    """Return the two ends of an interval."""
    digits = decimals(low, high)
    return f"{points(low, digits)} to {points(high, digits)}"


def percent(share: float) -> str:
    """Return a share in per cent; one that is not 0 or 1 does not read as if it were."""
    if 0 < share < 0.0005:
        return "less than 0.1\N{NO-BREAK SPACE}%"
    if 0.9995 < share < 1:
        return "more than 99.9\N{NO-BREAK SPACE}%"
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def percent_span(low: float, high: float) -> str:
    """Return the two ends of an interval of shares, in per cent."""
    digits = decimals(100 * low, 100 * high) - 1
    return f"{points(100 * low, digits)} to {points(100 * high, digits)}\N{NO-BREAK SPACE}%"


def confident(confidence: float) -> str:
    """Return how an interval of this confidence is called."""
    return f"{100 * confidence:.10g}\N{NO-BREAK SPACE}% interval"


def cell_percent(share: float) -> str:
    """Return a share in whole per cent, without the sign; one that is not 0 or 1 does not read as if it were."""
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 < share < 1 else f"{100 * share:.0f}"


def half_width(share: float) -> str:
    """Return half the width of an interval of a share, in points of a per cent, short enough for a cell."""
    value = 100 * share
    if 0 < value < 0.05:
        return "±<0.1"
    return f"±{value:.1f}" if value < 0.95 else f"±{value:.0f}"
