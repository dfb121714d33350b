"""The report of a comparison: one page that an editor can read, its figures, and the numbers behind them.

The page is a function of the comparison alone: the same comparison gives the same bytes, so it holds no date and no
run time.
"""

import inspect
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from analysis.comparisons import CONTROL_CONFIDENCE, FEWEST_BLOCKS, POINTS, POWER, Control, Unit
from analysis.intervals import mean_interval
from analysis.matches import Comparison, default_margin
from reports.figures import decimals, paired_difference, percent, points, printable, score_distributions, span
from reports.pages import Drawing, page
from reports.publishing import PAGE, csv, parquet, publish
from sims.design import versions
from sims.errors import CrosslabError
from sims.game import Game
from sims.table import Player
from strategies import Strategy, find_strategy

FIGURES, FRAMES = ("scores", "difference"), ("scores", "differences")
FILES = (
    PAGE,
    "comparison.json",
    *(f"{name}.{kind}" for name in FIGURES for kind in ("svg", "png")),
    *(f"{name}.{kind}" for name in FRAMES for kind in ("csv", "parquet")),
)
TOO_FEW = "too few blocks"
NEVER_VARIES = "not defined: the difference never varies"


def write_comparison(comparison: Comparison, folder: Path | str, *, command: str = "") -> Path:
    """Write the report of a comparison into a folder.

    Parameters
    ----------
    comparison
        What `analysis.compare` returned.
    folder
        Is made when it does not exist. Files of an earlier report in it are replaced, all others are left alone.
    command
        The command that made the comparison, for the page; without one the page shows the call in Python.

    Returns
    -------
    Path
        The page, `index.html`. Beside it stand `comparison.json`, `scores` and `difference` as figures (`.svg`,
        `.png`), and `scores` and `differences` as tables (`.csv`, `.parquet`).

    Raises
    ------
    UsageError
        When the folder is a file, or holds files of these names that are not from a report.
    StoreError
        When the files cannot be written: no permission, a full disk.
    """
    target = Path(folder)
    pictures = _pictures(comparison)
    files = {
        PAGE: _page(comparison, command, pictures).encode(),
        "comparison.json": f"{json.dumps(comparison.to_dict(), indent=2, ensure_ascii=False)}\n".encode(),
    }
    for name, picture in pictures.items():
        files[f"{name}.svg"], files[f"{name}.png"] = picture.svg, picture.png
    for name, frame in zip(FRAMES, (comparison.scores(), comparison.differences()), strict=True):
        files[f"{name}.csv"], files[f"{name}.parquet"] = csv(frame), parquet(frame)
    assert set(files) == set(FILES)
    publish(target, files)
    return target / PAGE


# --- Figures ---------------------------------------------------------------------------------------------------------


def _pictures(comparison: Comparison) -> dict[str, Drawing]:
    result, counts, unit, thin = comparison.result, comparison.counts, comparison.unit, _thin(comparison)
    a, b = _names(comparison)
    scores = comparison.scores()
    if comparison.a == comparison.b:
        rows = len(counts.a.to_dict())
        scores = scores.with_columns(pl.Series("strategy", [a] * rows + [b] * (scores.height - rows)))
    bands = comparison.design.game.bands if _has_bands(comparison) else ()
    shown = (None, None, None) if thin else (result.effect, result.low, result.high)
    figures = {
        "scores": score_distributions(scores, bands=bands, unit=unit),
        "difference": paired_difference(
            comparison.differences(),
            effect=shown[0],
            low=shown[1],
            high=shown[2],
            margin=result.margin,
            labels=(a, b),
            confidence=result.confidence,
            unit=unit,
        ),
    }
    ranges = []
    for name, histogram in ((a, counts.a), (b, counts.b)):
        lowest, highest = (_short(end / counts.scale) for end in (histogram.minimum, histogram.maximum))
        mean = "" if thin else f", with a mean of {points(histogram.mean / counts.scale)}"
        ranges.append(f"{name} from {lowest} to {highest} {unit.name}{mean}")
    words = {
        "scores": f"How often each {unit.noun} came: {'; '.join(ranges)}.",
        "difference": f"Differences on the same deals, {a} minus {b}: {_shares_in_words(comparison)}.",
    }
    pictures = {}
    for name, axes in figures.items():
        pictures[name] = Drawing.of(axes, words[name])
    return pictures


def _has_bands(comparison: Comparison) -> bool:
    """Tell whether the rulebook's bands, which are for the basic game played alone, apply."""
    design = comparison.design
    return len(design.lineups[0]) == 1 and design.rules == design.game.rules()


# --- Words -----------------------------------------------------------------------------------------------------------


def _names(comparison: Comparison) -> tuple[str, str]:
    """Return the names of the two sides, told apart when one strategy is both."""
    a, b = printable(comparison.a), printable(comparison.b)
    return (f"{a} (A)", f"{b} (B)") if a == b else (a, b)


def _per_cent(share: float) -> str:
    return f"{100 * share:.10g}\N{NO-BREAK SPACE}%"


def _thin(comparison: Comparison) -> bool:
    return comparison.result.blocks < FEWEST_BLOCKS or not math.isfinite(comparison.result.low)


def _shares(comparison: Comparison) -> tuple[float, float, float]:
    """Return the shares of blocks in which A scored more, B did, and neither."""
    result = comparison.result
    return result.p_a_better, 1 - comparison.counts.difference.tail(0), result.p_tie


def _shares_in_words(comparison: Comparison) -> str:
    a, b = _names(comparison)
    more, less, same = (percent(share) for share in _shares(comparison))
    return f"{a} {comparison.unit.did} more in {more} of the blocks, {b} in {less}, and both the same in {same}"


@dataclass(frozen=True)
class Verdict:
    """What was found: a short answer, and sentences that say how sure it is."""

    kind: str
    headline: Markup
    sentences: tuple[Markup, ...]


def _verdict(comparison: Comparison) -> Verdict:
    result, unit = comparison.result, comparison.unit
    a, b = _names(comparison)
    digits = decimals(result.low, result.high)
    confidence = f"{_per_cent(result.confidence)} interval"
    if _thin(comparison):
        deals = "1 block was played" if result.blocks == 1 else f"{result.blocks} blocks were played"
        return Verdict(
            "undecided",
            Markup("Too few deals for an answer."),
            (Markup("{}, and a verdict needs at least {}.").format(deals, FEWEST_BLOCKS),),
        )
    if result.verdict in ("better", "worse"):
        sign = 1 if result.verdict == "better" else -1
        winner, loser = (a, b)[::sign]
        low, high = sorted((sign * result.low, sign * result.high))
        return Verdict(
            "decided",
            Markup("<b>{}</b> is the better strategy.").format(winner),
            (
                Markup(
                    "On the same deals it {} <b>{} more</b> than <b>{}</b>; the true difference lies between {} and "
                    "{} {} ({})."
                ).format(
                    unit.does,
                    _a_game(sign * result.effect, digits, unit),
                    loser,
                    points(low, digits),
                    points(high, digits),
                    unit.name,
                    confidence,
                ),
            ),
        )
    effect = Markup("The mean difference, <b>{}</b> minus <b>{}</b>, is {} ({}: {}).").format(
        a, b, _a_game(result.effect, digits, unit), confidence, span(result.low, result.high)
    )
    if result.verdict == "equivalent":
        same = comparison.a == comparison.b
        none = result.low == result.high == 0
        headline = (
            Markup("Both sides are <b>{}</b>: there is nothing to tell apart.").format(printable(comparison.a))
            if same
            else Markup("It does not matter which of the two you play.")
        )
        if none:
            reason = Markup("The two {} the same in every one of {} blocks.").format(unit.did, f"{result.blocks:,}")
            return Verdict("equivalent", headline, (reason,))
        reason = Markup("That is inside the margin of {} {} that was set as too little to matter.").format(
            f"{result.margin:.10g}", unit.name
        )
        return Verdict("equivalent", headline, (effect, reason))
    return Verdict(
        "undecided",
        Markup("These deals do not tell which strategy is better."),
        (
            effect,
            Markup(
                "The true difference may favour either, or be too small to matter. "
                "More deals would narrow the interval."
            ),
        ),
    )


def _facts(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of the statistics."""
    result, unit, thin = comparison.result, comparison.unit, _thin(comparison)
    a, b = _names(comparison)
    digits = decimals(result.low, result.high)

    def known(text: str) -> str:
        return TOO_FEW if thin else text

    smallest, ratio = result.smallest_detectable, result.variance_ratio
    more, less, same = (known(percent(share)) for share in _shares(comparison))
    confidence = f"{100 * result.confidence:.10g}"
    return [
        (
            "Effect (A − B)",
            known(_a_game(result.effect, digits, unit)),
            f"mean {unit.noun} of A, {a}, minus that of B, {b}",
        ),
        (
            f"{_per_cent(result.confidence)} interval",
            known(f"{span(result.low, result.high)} {unit.a_game}"),
            f"an interval made this way holds the true effect in {confidence} of 100 runs",
        ),
        ("P(A > B) on the same deal", more, f"share of blocks in which A {unit.did} more"),
        ("P(B > A) on the same deal", less, f"share of blocks in which B {unit.did} more"),
        (f"Same {unit.noun}", same, f"share of blocks in which both {unit.did} the same"),
        ("Blocks", f"{result.blocks:,}", "independent deals, each played by both sides"),
        (
            "Smallest detectable difference",
            known(_a_game(smallest, decimals(-smallest, smallest), unit) if smallest else NEVER_VARIES),
            f"a true difference of this size would have been found with a probability of {_per_cent(POWER)}",
        ),
        ("Margin", f"{result.margin:.10g} {unit.a_game}", "a difference inside the margin counts as none"),
        (
            "Gain from common deals",
            known(NEVER_VARIES if math.isnan(ratio) else f"{ratio:.2f} times"),
            "how many times the blocks it would take if the two did not play the same deals",
        ),
    ]


def _a_game(value: float, digits: int, unit: Unit) -> str:
    return "not known" if math.isnan(value) else f"{points(value, digits)} {unit.a_game}"


def _score_rows(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Return the statistics of both strategies: name, A's value, B's value."""
    counts, confidence = comparison.counts, comparison.result.confidence
    columns = []
    for histogram in (counts.a, counts.b):
        low, high = (end / counts.scale for end in mean_interval(histogram, confidence))
        rows = {
            "Mean": points(histogram.mean / counts.scale, decimals(low, high)),
            f"{_per_cent(confidence)} interval of the mean": span(low, high),
            "Standard deviation": points(histogram.sd / counts.scale),
            "Lowest": _short(histogram.minimum / counts.scale),
            "5\N{NO-BREAK SPACE}% quantile": _short(histogram.quantile(0.05) / counts.scale),
            "Median": _short(histogram.median / counts.scale),
            "95\N{NO-BREAK SPACE}% quantile": _short(histogram.quantile(0.95) / counts.scale),
            "Highest": _short(histogram.maximum / counts.scale),
        }
        if _thin(comparison):
            rows = dict.fromkeys(rows, TOO_FEW)
        columns.append(rows)
    return [(name, columns[0][name], columns[1][name]) for name in columns[0]]


def _short(value: float) -> str:
    return points(value, 0 if value == int(value) else 2)


def _luck(comparison: Comparison) -> str:
    """Say how often the deal decided and not the strategy."""
    result, unit = comparison.result, comparison.unit
    if _thin(comparison):
        return f"{TOO_FEW.capitalize()} to tell: at least {FEWEST_BLOCKS} are needed."
    if result.verdict not in ("better", "worse"):
        return f"{_shares_in_words(comparison)}."
    a, b = _names(comparison)
    more, less, same = _shares(comparison)
    loser, share = (b, less) if result.verdict == "better" else (a, more)
    if not share:
        return f"The worse strategy, {loser}, did not {unit.do} more in any of the {result.blocks:,} blocks."
    often = f", about one in {1 / share:,.0f}" if share < 0.1 else ""
    return (
        f"The worse strategy, {loser}, {unit.did} more in {percent(share)} of the blocks{often}; "
        f"in {percent(same)} both {unit.did} the same."
    )


# --- Strategies ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Description:
    """How a strategy plays, in its author's words."""

    spec: str
    role: str
    summary: str
    paragraphs: tuple[tuple[bool, str], ...]  # whether line breaks are to be kept, and the text
    parameters: tuple[tuple[str, str, str, bool], ...]  # name, value, meaning, whether it is not the default
    additions: tuple[str, ...]
    digest: str


def _descriptions(comparison: Comparison) -> list[Description]:
    design = comparison.design
    players = {player.spec: player for lineup in design.lineups for player in lineup}
    found = []
    for spec, player in players.items():
        role = " and ".join(side for side, name in (("A", comparison.a), ("B", comparison.b)) if name == spec)
        found.append((role or "opponent", _describe(design.game, player, role or "opponent")))
    return [description for _, description in sorted(found, key=lambda pair: (pair[0] == "opponent", pair[0]))]


def _describe(game: Game, player: Player, role: str) -> Description:
    strategy = _declaration(game, player)
    function = player.chooser or player.valuer
    doc = strategy.doc if strategy else inspect.getdoc(function) or ""
    summary, _, rest = doc.strip().partition("\n")
    paragraphs = tuple(_paragraph(text) for text in re.split(r"\n\s*\n", rest.strip("\n")) if text.strip())
    parameters: tuple[tuple[str, str, str, bool], ...] = ()
    if strategy:
        parameters = tuple(
            (parameter.name, f"{value:.10g}", parameter.doc, value != parameter.default)
            for parameter, value in zip(strategy.parameters, strategy.values, strict=True)
        )
    elif player.params:
        parameters = tuple((str(place), f"{value:.10g}", "", False) for place, value in enumerate(player.params))
    return Description(
        spec=printable(player.spec),
        role=role,
        summary=summary or "Its author left no description.",
        paragraphs=paragraphs,
        parameters=parameters,
        additions=tuple(_additions(player, strategy)),
        digest=player.digest,
    )


def _declaration(game: Game, player: Player) -> Strategy | None:
    """Find the strategy of a spec; None when that name is of another one, or of one that only a notebook knows."""
    try:
        found = find_strategy(game.name, player.spec)
    except CrosslabError:
        return None
    return found if found.digest == player.digest else None


def _paragraph(text: str) -> tuple[bool, str]:
    """Join the lines of a paragraph of prose; keep those of lists and of code."""
    lines = text.split("\n")
    keep = any(re.match(r"\s|[-*•]\s|\d+[.)]\s", line) for line in lines)
    return keep, text if keep else " ".join(line.strip() for line in lines)


def _additions(player: Player, strategy: Strategy | None) -> Iterator[str]:
    if player.forbidder:
        restriction = strategy.restriction if strategy else None
        doc = restriction.doc if restriction else inspect.getdoc(player.forbidder) or ""
        name = printable(restriction.name) if restriction else player.forbidder.__name__
        yield f"Avoids, as long as it has others, the moves of {name}: {' '.join(doc.split()) or 'no description'}"
    noise = player.rollout_noise if player.rollouts else player.noise
    if player.rollouts:
        yield f"Plays every legal move to the end in {player.rollouts:,} games, as above, and makes the best."
    if noise:
        yield f"Makes a random legal move with a probability of {_per_cent(noise)}."
    if player.rollouts and player.noise:
        yield f"In the games played ahead, a move is random with a probability of {_per_cent(player.noise)}."


# --- Set-up, controls, how to repeat ---------------------------------------------------------------------------------


def _variant(comparison: Comparison) -> str | None:
    game, rules = comparison.design.game, comparison.design.rules
    return next((name for name in game.variants if game.variant(name) == rules), None)


def _opponents(comparison: Comparison) -> tuple[Player, ...]:
    """Return who sat at the table beside A, or B; none when A and B met."""
    design = comparison.design
    seats = len(design.lineups[0])
    # With opponents each side has one seat in every game; at one table it has more, or there is one line-up.
    apart = seats > 1 and len(design.lineups) == 2 and comparison.seat_games == len(design.seatings(0))
    return design.lineups[0][1:] if apart else ()


def _setup(comparison: Comparison) -> list[tuple[str, str]]:
    design = comparison.design
    game, seats = design.game, len(design.lineups[0])
    opponents = [printable(player.spec) for player in _opponents(comparison)]
    variant = _variant(comparison)
    if seats == 1:
        table = "1 seat: each of the two plays every deal alone"
    elif opponents:
        table = f"{seats} seats: each of the two plays every deal with {', '.join(opponents)}"
    else:
        table = f"{seats} seats: the two sit at one table by turns"
    rotations = len(design.seatings(0))
    everywhere = "at a seat of every team" if opponents and game.in_teams(design.rules, seats) else "at every seat"
    last = design.first_deal + design.deals - 1
    return [
        ("Game", f"{game.title}: {game.summary}"),
        ("Rules", f"version {game.rules_version}, {variant or 'own options'}"),
        ("Source", game.source),
        ("Table", table),
        (
            "Rotations",
            f"{rotations} of each line-up: every side sits {everywhere}"
            if seats > 1
            else "1 of each line-up: there is one seat",
        ),
        ("Deals", f"{design.deals:,}, numbers {design.first_deal:,} to {last:,}, of seed {design.seed}"),
        ("Games", f"{design.games_a_deal * design.deals:,}, that is {design.games_a_deal} for each deal"),
    ]


def _options(comparison: Comparison) -> list[dict[str, Any]]:
    rules = comparison.design.rules
    basic = comparison.design.game.rules().to_dict()
    return [
        {
            "name": name,
            "value": _option_text(value),
            "basic": _option_text(basic[name]),
            "changed": value != basic[name],
            "doc": rules.options()[name].metadata["doc"],
        }
        for name, value in rules.to_dict().items()
    ]


def _option_text(value: Any) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)


def _controls(comparison: Comparison) -> list[dict[str, Any]]:
    stronger = printable(comparison.a if comparison.result.effect >= 0 else comparison.b)
    shown = []
    for name, control in comparison.controls.items():
        strategy = printable(control["strategy"])
        if name == "mirror":
            title = f"Mirror: {strategy} against itself"
            meaning = (
                "Both sides play alike and differ only in their own random choices, so no difference may appear. "
                "If one did, the deals, the seats or the counting would favour a side."
            )
        else:
            title = f"Known weak: {stronger} against {strategy}"
            meaning = (
                f"{strategy} is known to play badly, so it has to lose clearly. "
                "If it did not, the comparison would be blind to differences that are there."
            )
        shown.append({"title": title, "meaning": meaning, **_outcome(control, comparison.unit)})
    return shown


def _outcome(control: Control, unit: Unit) -> dict[str, str]:
    if control["passed"] is None:
        reason = "too few blocks" if control["blocks"] < FEWEST_BLOCKS else "this strategy is the known weak one itself"
        return {"status": "not applicable", "numbers": reason}
    effect, low, high = control["effect"], control["low"], control["high"]
    numbers = (
        f"difference {_a_game(effect, decimals(low, high), unit)}, {_per_cent(CONTROL_CONFIDENCE)} interval "
        f"{span(low, high)}, {control['blocks']:,} blocks"
    )
    return {"status": "passed" if control["passed"] else "failed", "numbers": numbers}


def _python_call(comparison: Comparison) -> str:
    """Return the Python that repeats a comparison."""
    design, game = comparison.design, comparison.design.game
    names = [_quoted(name) for name in (game.name, comparison.a, comparison.b)]
    arguments = [*names, f"deals={design.deals}", f"seed={design.seed}"]
    opponents, seats = _opponents(comparison), len(design.lineups[0])
    if opponents:
        arguments.append(f"opponents=[{', '.join(_quoted(player.spec) for player in opponents)}]")
    elif seats != game.seat_numbers(design.rules)[0]:
        arguments.append(f"seats={seats}")
    if comparison.unit != POINTS:
        arguments.append(f"measure={_quoted(comparison.unit.measure)}")
    if comparison.result.margin != default_margin(game, comparison.unit):
        arguments.append(f"margin={comparison.result.margin!r}")
    imports = ["from analysis import compare"]
    variant = _variant(comparison)
    if variant is None:
        basic = game.rules().to_dict()
        changes = ", ".join(
            f"{name}={_quoted(value) if isinstance(value, str) else value}"
            for name, value in design.rules.to_dict().items()
            if value != basic[name]
        )
        arguments.append(f"variant=find_game({names[0]}).rules().replace({changes})")
        imports.append("from sims.game import find_game")
    elif variant != "basic":
        arguments.append(f"variant={_quoted(variant)}")
    return "\n".join([*imports, "", f"compare({', '.join(arguments)})"])


def _quoted(text: str) -> str:
    """Return a text as a Python literal: JSON's escapes are among Python's."""
    return json.dumps(text, ensure_ascii=False)


# --- The page --------------------------------------------------------------------------------------------------------


def _page(comparison: Comparison, command: str, pictures: Mapping[str, Drawing]) -> str:
    a, b = _names(comparison)
    controls = _controls(comparison)
    return page(
        "comparison.html.jinja",
        title=f"{a} against {b}",
        game=comparison.design.game.title,
        a=a,
        b=b,
        verdict=_verdict(comparison),
        failed=any(control["status"] == "failed" for control in controls),
        facts=_facts(comparison),
        block_means=comparison.seat_games > 1,
        unit=comparison.unit,
        few=_thin(comparison),
        pictures={name: picture.inline(name) for name, picture in pictures.items()},
        score_rows=_score_rows(comparison),
        strategies=_descriptions(comparison),
        setup=_setup(comparison),
        options=_options(comparison),
        controls=controls,
        luck=_luck(comparison),
        command=command or _python_call(comparison),
        seed=comparison.design.seed,
        rules_version=comparison.design.game.rules_version,
        versions=versions(),
    )
