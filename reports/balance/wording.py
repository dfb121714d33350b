"""How numbers and names stand in the sentences and tables of a balance report."""

import math
import re

from reports.figures import decimals, points, printable

SPACE = "\N{NO-BREAK SPACE}"
UNKNOWN = "not known"
TOO_LITTLE = "Too little evidence to say"


def share(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """Return a share in per cent."""
    if value is None or math.isnan(value):
        return UNKNOWN
    if 0 < value < 0.5 * 10.0 ** -(digits + 2) and not signed:
        return f"less than {points(10.0**-digits, digits)}{SPACE}%"
    shown = points(100 * value, digits)
    return f"{'+' if signed and value > 0 else ''}{shown}{SPACE}%"


def share_span(low: float | None, high: float | None, digits: int = 1) -> str:
    """Return the ends of an interval of shares in per cent."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return UNKNOWN
    return f"{points(100 * low, digits)} to {points(100 * high, digits)}{SPACE}%"


def percentage_points(value: float, digits: int = 1, *, signed: bool = False) -> str:
    """Return a difference of two shares."""
    return f"{'+' if signed and value > 0 else ''}{points(100 * value, digits)} percentage points"


def number(value: float | None, digits: int = 2, *, signed: bool = False) -> str:
    """Return a number; one that is small keeps its first digit."""
    if value is None or math.isnan(value):
        return UNKNOWN
    if 0 < abs(value) < 10.0**-digits:
        digits = decimals(value, value)
    return f"{'+' if signed and value > 0 else ''}{points(value, digits)}"


def number_span(low: float | None, high: float | None, digits: int = 2) -> str:
    """Return the ends of an interval."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return UNKNOWN
    return f"{points(low, digits)} to {points(high, digits)}"


def several(count: int, one: str, more: str = "") -> str:
    """Return a number of things."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def code(text: str) -> str:
    """Return a name that is set as code."""
    shown = printable(text)
    return shown if "`" in shown else f"`{shown}`"


def listed(names: "list[str] | tuple[str, ...]", last: str = "and") -> str:
    """Return names in a row: "a, b and c"."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def slug(text: str) -> str:
    """Return a name as files and links take it."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-") or "unnamed"
