"""Two strategies on the same deals: what the counts of block differences say, and the text that says it.

The unit is the block: one deal under all rotations and by both sides. The paired difference of a block carries no luck
that both sides shared, which is why its interval is narrower than that of two separate runs.
"""

import math
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Literal, TypedDict

import polars as pl

from analysis.frames import defined
from analysis.histogram import Histogram
from analysis.intervals import Interval, check_confidence, student_interval
from analysis.tables import WIDTH
from sims.errors import UsageError
from sims.game import SCORE, WIN, WIN_UNIT

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal["better", "worse", "equivalent", "undecided"]

FEWEST_BLOCKS = 30
"""Below this number of blocks no verdict is given: the normal approximation is not to be trusted."""

POWER = 0.8
"""The power at which the smallest detectable difference is stated."""

CONTROL_CONFIDENCE = 0.999
"""Controls use a wide interval: they run with every report, and a sound run should rarely fail one by chance."""

LABEL_WIDTH = 22


@dataclass(frozen=True)
class Unit:
    """What a comparison counts, and the words for it.

    Parameters
    ----------
    measure : str
        The name of the outcome's column.
    column, size : int
        Its place, and the whole number that it holds for one unit.
    margin : float or None
        The difference a game that does not matter by default; None for the game's own.
    name, noun : str
        Several of the unit, and what a game gives: "points" and "score".
    do, does, did : str
        To get some of it: "score", "scores", "scored".
    """

    measure: str
    column: int
    size: int
    margin: float | None
    name: str
    noun: str
    do: str
    does: str
    did: str

    @property
    def a_game(self) -> str:
        """The unit of an effect."""
        return f"{self.name} a game"


POINTS = Unit("score", SCORE, 1, None, "points", "score", "score", "scores", "scored")
WINS = Unit("win", WIN, WIN_UNIT, 0.01, "wins", "share of wins", "win", "gets", "won")
UNITS = {unit.measure: unit for unit in (POINTS, WINS)}


@dataclass(frozen=True)
class LuckSums:
    """Exact sums over blocks of x, the luck of a deal, and of d, the difference in the block; they add up.

    Parameters
    ----------
    luck, square, product : int
        The sums of x, of x² and of d·x.
    """

    luck: int
    square: int
    product: int

    def __add__(self, other: "LuckSums") -> "LuckSums":
        """Return the sums over both sets of blocks."""
        return LuckSums(self.luck + other.luck, self.square + other.square, self.product + other.product)


@dataclass(frozen=True)
class PairedCounts:
    """The exact outcome of two strategies A and B on the same deals; adding two merges their blocks.

    Parameters
    ----------
    difference : Histogram
        Per block: the sum over its rotations of A's score minus B's, in points or in parts of a win (`Unit.size`).
    a, b : Histogram
        Per block: the sum of A's scores, and of B's.
    scale : int
        The number of seat-games that each side has in one block, times `Unit.size`; block sums over it are points, or
        wins, a game.
    luck : LuckSums or None, default None
        The sums that `luck_adjusted` needs; None when they were not taken.

    Raises
    ------
    UsageError
        When the three histograms cannot come from the same blocks, or `scale` is below 1.
    """

    difference: Histogram
    a: Histogram
    b: Histogram
    scale: int
    luck: LuckSums | None = None

    def __post_init__(self) -> None:
        """Check that the three histograms can describe the same blocks."""
        if self.scale < 1:
            raise UsageError(f"scale {self.scale} is not a number of seat-games; give 1 or more")
        if not self.difference.total == self.a.total == self.b.total:
            raise UsageError(
                f"paired counts hold {self.difference.total} differences but {self.a.total} blocks of A "
                f"and {self.b.total} of B; give the same blocks to all three"
            )
        if self.difference.score_sum != self.a.score_sum - self.b.score_sum:
            raise UsageError(
                f"the differences add up to {self.difference.score_sum} but A minus B to "
                f"{self.a.score_sum - self.b.score_sum}; give the same blocks to all three"
            )

    def __add__(self, other: object) -> "PairedCounts":
        """Return the counts of both sets of blocks together."""
        if not isinstance(other, PairedCounts):
            return NotImplemented
        if self.scale != other.scale:
            raise UsageError(
                f"blocks of {self.scale} and of {other.scale} seat-games a side cannot be added; "
                "merge comparisons of one design"
            )
        if self.luck is None or other.luck is None:
            if self.luck is not other.luck:
                raise UsageError("blocks with and without the luck of their deals cannot be added; take it in both")
            luck = None
        else:
            luck = self.luck + other.luck
        return PairedCounts(self.difference + other.difference, self.a + other.a, self.b + other.b, self.scale, luck)


@dataclass(frozen=True)
class PairedResult:
    """What a paired comparison of A and B found. Points are points a game, or wins a game; A minus B.

    Parameters
    ----------
    blocks : int
        The number of independent blocks.
    effect : float
        The mean of A − B, in points.
    standard_error : float
        The standard error of `effect`, in points.
    confidence : float
        The confidence of the interval.
    low, high : float
        The ends of the Student t interval of `effect`, in points.
    p_a_better, p_tie : float
        The share of blocks in which A scored more than B, and the same as B.
    smallest_detectable : float
        The true difference, in points, that a two-sided test at this confidence would have found with power 0.8.
    variance_ratio : float
        (Var A + Var B) / Var(A − B): how many times more blocks an unpaired comparison would have needed for the same
        standard error; nan when the differences do not vary.
    margin : float
        The largest difference, in points, that does not matter to the user.
    verdict : {"better", "worse", "equivalent", "undecided"}
        A against B.
    """

    blocks: int
    effect: float
    standard_error: float
    confidence: float
    low: float
    high: float
    p_a_better: float
    p_tie: float
    smallest_detectable: float
    variance_ratio: float
    margin: float
    verdict: Verdict

    def summary(self) -> pl.DataFrame:
        """Return one row with all statistics; what the blocks cannot carry is null."""
        floats = {item.name: pl.Float64 for item in fields(self) if item.type is float}
        return pl.DataFrame([defined(asdict(self))], schema_overrides=floats)

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()


class Control(TypedDict):
    """One control as the verdict block prints it; the interval has `CONTROL_CONFIDENCE`, in points a game.

    ``passed`` is None when the control does not apply or has too few blocks.
    """

    strategy: str
    effect: float
    low: float
    high: float
    blocks: int
    passed: bool | None


def paired_verdict(counts: PairedCounts, margin: float, confidence: float = 0.95) -> PairedResult:
    """Compare A with B over common blocks.

    Parameters
    ----------
    counts : PairedCounts
        The exact counts of the blocks.
    margin : float
        The largest difference, in points a game, that does not matter; 0 or more.
    confidence : float, default 0.95
        The confidence of the interval and of the verdict, between 0 and 1.

    Returns
    -------
    PairedResult
        Statistics that the blocks cannot carry are nan.

    Raises
    ------
    UsageError
        When `margin` is negative or not finite, or `confidence` is not between 0 and 1.

    Notes
    -----
    "Equivalent" goes before "better" and "worse": a difference inside the margin does not matter, however certain. It
    is the interval-inclusion rule of Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987), at a stricter confidence.
    """
    if not (math.isfinite(margin) and margin >= 0):
        raise UsageError(f"margin {margin} is not a number of points; give 0 or more")
    difference = counts.difference
    effect = difference.mean / counts.scale
    standard_error = difference.standard_error / counts.scale
    interval = student_interval(effect, standard_error, difference.total, confidence)
    return PairedResult(
        blocks=difference.total,
        effect=effect,
        standard_error=standard_error,
        confidence=confidence,
        low=interval.low,
        high=interval.high,
        p_a_better=difference.tail(1),
        p_tie=difference.share(0),
        smallest_detectable=smallest_detectable(standard_error, confidence),
        variance_ratio=variance_ratio(counts),
        margin=margin,
        verdict=decide(interval, difference.total, margin),
    )


@dataclass(frozen=True)
class LuckAdjusted:
    """The effect without the part that goes along with the luck of the deals.

    Parameters
    ----------
    effect, low, high : float
        The adjusted mean of A − B and its Student t interval, in the unit of the comparison.
    variance_ratio : float
        The variance of the plain block differences over that of the adjusted ones; nan when those do not vary.
    """

    effect: float
    low: float
    high: float
    variance_ratio: float


def luck_slope(pilot: PairedCounts) -> Fraction:
    """Return by how much the block difference grows with the luck of the deal: the least-squares slope.

    Parameters
    ----------
    pilot : PairedCounts
        Blocks of deals that the measured run does not play, with `luck`.

    Returns
    -------
    Fraction
        Exact; 0 when the luck of the blocks does not vary.

    Raises
    ------
    UsageError
        When the blocks have no luck.
    """
    n, sums = pilot.difference.total, _luck_of(pilot)
    spread = n * sums.square - sums.luck**2
    return Fraction(n * sums.product - pilot.difference.score_sum * sums.luck, spread) if spread else Fraction(0)


def luck_adjusted(counts: PairedCounts, slope: Fraction, confidence: float = 0.95) -> LuckAdjusted:
    """Return the mean of d − slope · x over the blocks: d the difference, x the luck of the deal.

    Parameters
    ----------
    counts : PairedCounts
        The blocks, with `luck`.
    slope : Fraction
        From other blocks than these; see `luck_slope`.
    confidence : float, default 0.95
        The confidence of the interval, between 0 and 1.

    Returns
    -------
    LuckAdjusted
        Statistics that the blocks cannot carry are nan.

    Raises
    ------
    UsageError
        When the blocks have no luck, or `confidence` is not between 0 and 1.

    Notes
    -----
    A control variate: Lavenberg and Welch, "A perspective on the use of control variables to increase the efficiency of
    Monte Carlo simulations", Management Science 27 (1981). The mean of x is 0 and the slope does not depend on these
    blocks, so the estimate is unbiased whatever the slope; a slope fitted to the same blocks would not be.
    """
    n, d, sums = counts.difference.total, counts.difference, _luck_of(counts)
    total = d.score_sum - slope * sums.luck
    squares = d.square_sum - 2 * slope * sums.product + slope**2 * sums.square
    spread = n * squares - total**2  # exact, as the slope is a fraction
    effect = float(total / (n * counts.scale)) if n else math.nan
    variance = float(spread / (n * (n - 1))) if n > 1 else math.nan
    standard_error = math.sqrt(variance / n) / counts.scale if n else math.nan
    low, high = student_interval(effect, standard_error, n, confidence)
    return LuckAdjusted(effect, low, high, d.variance / variance if variance else math.nan)


def _luck_of(counts: PairedCounts) -> LuckSums:
    if counts.luck is None:
        raise UsageError("these blocks were counted without the luck of their deals; count them with it")
    return counts.luck


def decide(interval: Interval, blocks: int, margin: float) -> Verdict:
    """Turn the interval of A − B into a verdict on A.

    Parameters
    ----------
    interval : Interval
        The confidence interval of A − B, in points a game.
    blocks : int
        The number of blocks behind it.
    margin : float
        The largest difference that does not matter, in points a game.

    Returns
    -------
    {"better", "worse", "equivalent", "undecided"}
    """
    if blocks < FEWEST_BLOCKS:
        return "undecided"
    identical = interval.low == interval.high == 0
    if identical or -margin < interval.low <= interval.high < margin:
        return "equivalent"
    if interval.low > 0:
        return "better"
    if interval.high < 0:
        return "worse"
    return "undecided"


def smallest_detectable(standard_error: float, confidence: float = 0.95) -> float:
    """Return the true difference that a two-sided test would find with power 0.8, in the unit of the standard error.

    Parameters
    ----------
    standard_error : float
        The standard error of the difference; nan gives nan.
    confidence : float, default 0.95
        One minus the level of the test, between 0 and 1.

    Returns
    -------
    float

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.

    Notes
    -----
    (z(1 − α/2) + z(power)) · standard error: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988),
    the normal approximation.
    """
    check_confidence(confidence)
    normal = NormalDist()
    return (normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(POWER)) * standard_error


def variance_ratio(counts: PairedCounts) -> float:
    """Return (Var A + Var B) / Var(A − B): what playing the same deals has saved; nan when A − B does not vary.

    Parameters
    ----------
    counts : PairedCounts
        The exact counts of the blocks.

    Returns
    -------
    float
        Above 1 when the common deals helped, 1 when the two sides were uncorrelated.
    """
    if counts.difference.variance == 0:
        return math.nan
    return (counts.a.variance + counts.b.variance) / counts.difference.variance


def control_interval(result: PairedResult) -> Interval:
    """Return the interval that controls are judged by (`CONTROL_CONFIDENCE`), in points a game.

    Parameters
    ----------
    result : PairedResult
        The result of the control, at any confidence.

    Returns
    -------
    Interval
    """
    return student_interval(result.effect, result.standard_error, result.blocks, CONTROL_CONFIDENCE)


def control_passed_mirror(result: PairedResult) -> bool | None:
    """Tell whether a strategy against itself made no difference: the control interval does not exclude 0.

    Parameters
    ----------
    result : PairedResult
        A strategy compared with itself, at any confidence.

    Returns
    -------
    bool or None
        None when the blocks are too few for a verdict.
    """
    if result.blocks < FEWEST_BLOCKS:
        return None
    low, high = control_interval(result)
    return low <= 0 <= high


def control_passed_weak(result: PairedResult) -> bool | None:
    """Tell whether a known weak strategy lost: the control interval of A minus the weak one lies above 0.

    Parameters
    ----------
    result : PairedResult
        A strategy compared with the weak one, at any confidence.

    Returns
    -------
    bool or None
        None when the blocks are too few for a verdict.
    """
    if result.blocks < FEWEST_BLOCKS:
        return None
    return control_interval(result).low > 0


def control_entry(strategy: str, result: PairedResult, passed: bool | None) -> Control:
    """Collect what the verdict block prints of a control.

    Parameters
    ----------
    strategy : str
        The strategy that played itself (mirror), or the weak one.
    result : PairedResult
        The result of the control, at any confidence.
    passed : bool or None
        What `control_passed_mirror` or `control_passed_weak` said; None when the control does not apply.

    Returns
    -------
    Control
    """
    low, high = control_interval(result)
    return Control(strategy=strategy, effect=result.effect, low=low, high=high, blocks=result.blocks, passed=passed)


def verdict_block(
    result: PairedResult,
    a: str,
    b: str,
    seed: int,
    rules_version: str,
    controls: Mapping[str, Control],
    *,
    unit: Unit = POINTS,
    adjusted: LuckAdjusted | None = None,
) -> str:
    """Say in plain words what a comparison found, with everything needed to judge and to repeat it.

    Parameters
    ----------
    result : PairedResult
        The comparison of A with B.
    a, b : str
        The names of the two strategies.
    seed : int
        The seed of the run.
    rules_version : str
        The version of the rules that were played.
    controls : mapping of str to Control
        The controls by name, ``"mirror"`` and ``"weak"``; see `control_entry`.
    unit : Unit, default POINTS
        What the numbers of the result are.
    adjusted : LuckAdjusted or None, default None
        The effect without the luck of the deals; None when the game does not tell it.

    Returns
    -------
    str
        A sentence, an empty line and one labelled line a fact, at most 80 columns wide, without a final newline.
    """
    digits = _digits(result.low, result.high, result.margin)
    interval = _range(result.low, result.high, digits)
    smallest = _a_game(result.smallest_detectable, _digits(result.smallest_detectable), unit)
    if not math.isnan(result.smallest_detectable):
        smallest += f" could have been seen (power {_percent(POWER)})"
    facts = [
        ("A", a),
        ("B", b),
        ("effect (A - B)", _a_game(result.effect, digits, unit)),
        (_interval_name(result.confidence), interval),
        *([("luck-adjusted", _adjusted(adjusted))] if adjusted else []),
        ("P(A > B)", _percent(result.p_a_better)),
        ("ties", _percent(result.p_tie)),
        ("blocks", f"{result.blocks:,}"),
        ("smallest difference", smallest),
        ("variance ratio", _points(result.variance_ratio, 2)),
        ("margin", f"{result.margin:.10g} {unit.a_game}"),
        ("verdict", result.verdict),
        ("seed", str(seed)),
        ("rules version", rules_version),
        *((f"control: {name}", _control(name, control, unit)) for name, control in controls.items()),
    ]
    if not controls:
        facts.append(("controls", "none were run"))
    return "\n".join([_wrap(_sentence(result, a, b, unit)), "", *(_line(label, text) for label, text in facts)])


def _sentence(result: PairedResult, a: str, b: str, unit: Unit) -> str:
    digits = _digits(result.low, result.high, result.margin)
    name = _interval_name(result.confidence)
    interval = f"{name} {_range(result.low, result.high, digits)}"
    if result.blocks < FEWEST_BLOCKS:
        count = "1 block is" if result.blocks == 1 else f"{result.blocks} blocks are"
        return f"Undecided between {a} and {b}: {count} too few for a verdict, which needs {FEWEST_BLOCKS}."
    if result.verdict == "better":
        return f"{a} is better than {b} by {_a_game(result.effect, digits, unit)} ({interval})."
    if result.verdict == "worse":
        turned = f"{name} {_range(-result.high, -result.low, digits)}"
        return f"{a} is worse than {b} by {_a_game(-result.effect, digits, unit)} ({turned})."
    effect = f"a difference of {_a_game(result.effect, digits, unit)} ({interval})"
    if result.verdict == "undecided":
        return f"Undecided between {a} and {b}: {effect}; more blocks would narrow the interval."
    if result.low == result.high == 0:
        return f"{a} and {b} are equivalent: no difference in any of {result.blocks:,} blocks."
    return f"{a} and {b} are equivalent: {effect} stays inside the margin of {result.margin:.10g}."


def _control(name: str, control: Control, unit: Unit) -> str:
    players = f"{control['strategy']} against itself" if name == "mirror" else f"against {control['strategy']}"
    if control["passed"] is None:
        few = 0 < control["blocks"] < FEWEST_BLOCKS
        return f"{players}: no verdict below {FEWEST_BLOCKS} blocks" if few else "not applicable"
    if name == "mirror" and control["low"] == control["high"] == 0:
        return f"passed: {players}, no difference in any of {control['blocks']:,} blocks, as it draws nothing itself"
    digits = _digits(control["low"], control["high"])
    interval = f"{_interval_name(CONTROL_CONFIDENCE)} {_range(control['low'], control['high'], digits)}"
    return (
        f"{'passed' if control['passed'] else 'FAILED'}: {players}, {_a_game(control['effect'], digits, unit)} "
        f"({interval}, {control['blocks']:,} blocks)"
    )


def _adjusted(adjusted: LuckAdjusted) -> str:
    if math.isnan(adjusted.low):
        return "not known"
    digits = _digits(adjusted.low, adjusted.high)
    interval = f"{_points(adjusted.effect, digits)} ({_range(adjusted.low, adjusted.high, digits)})"
    ratio = adjusted.variance_ratio
    if math.isnan(ratio):
        return f"{interval}, no variance left"
    if not ratio:
        return f"{interval}, the plain difference never varies"
    if f"{ratio:.2f}" == "1.00":
        return f"{interval}, variance as before"
    change = f"{ratio:.2f} times smaller" if ratio >= 1 else f"{1 / ratio:.2f} times larger"
    return f"{interval}, variance {change}"


def _line(label: str, text: str) -> str:
    return _wrap(text, f"  {label:<{LABEL_WIDTH}}", " " * (LABEL_WIDTH + 2))


def _wrap(text: str, first_indent: str = "", indent: str = "") -> str:
    # A number must not be parted from its per cent sign: textwrap does not break at a no-break space.
    joined = text.replace(" %", "\N{NO-BREAK SPACE}%")
    # Hyphens are minus signs here, and parts of strategy names.
    filled = textwrap.fill(joined, WIDTH, initial_indent=first_indent, subsequent_indent=indent, break_on_hyphens=False)
    return filled.replace("\N{NO-BREAK SPACE}", " ")


def _interval_name(confidence: float) -> str:
    return f"{100 * confidence:.10g} % interval"


def _percent(share: float) -> str:
    return "not known" if math.isnan(share) else f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %"


def _points(value: float, digits: int) -> str:
    # The option z turns -0.00 into 0.00.
    return "not known" if math.isnan(value) else f"{value:z.{digits}f}"


def _a_game(value: float, digits: int, unit: Unit) -> str:
    return "not known" if math.isnan(value) else f"{_points(value, digits)} {unit.a_game}"


def _range(low: float, high: float, digits: int) -> str:
    return "not known" if math.isnan(low) else f"{_points(low, digits)} to {_points(high, digits)}"


def _digits(low: float, high: float | None = None, margin: float = 0.0) -> int:
    """Choose decimals, two to six, so that ends, width and distance to the margin do not print as nothing."""
    upper = low if high is None else high
    shown = [low, upper, (upper - low) / 2, low + margin, upper - margin]
    for digits in range(2, 6):
        if not any(0 < abs(value) < 10.0**-digits for value in shown):
            return digits
    return 6
