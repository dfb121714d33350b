"""Two designs side by side: two sets of rules, the same strategies, the same deals.

What one design has more than the other is the difference deal by deal, so that luck which both share does not blur it.
"""

import dataclasses
import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from analysis.balance import LABELS, SHARES, Balance, balance
from analysis.grids import value_text
from analysis.records import measure, summarise
from analysis.seats import MARGIN, Seats
from analysis.sweeps import Sweep, sweep
from reports import figures
from reports.balance.claims import WITH_POWER, detectable, seats_verdict, worst_seat
from reports.balance.designs import RuleDesign, agreed, load_design
from reports.balance.evidence import CONFIDENCE, Request, judge_seats, make_request, thin
from reports.balance.report import BalanceReport, uninterrupted
from reports.balance.sections import LEVEL, reproduction, too_few
from reports.balance.wording import (
    TOO_LITTLE,
    code,
    listed,
    number,
    number_span,
    percentage_points,
    several,
    share,
    share_span,
)
from reports.document import (
    Block,
    Claim,
    Document,
    Paragraph,
    Picture,
    Section,
    Table,
    prepare_document,
    write_document,
)
from reports.figures import printable
from sims.design import versions
from sims.errors import UsageError
from sims.run import overall_progress
from strategies.api import Strategy

COURSE = ("decided_share", "lead_changes", "winner_behind", "drama", "choices_a_decision", "forced")
"""What is compared of recorded games."""


@dataclass(frozen=True, eq=False)
class Pair:
    """What two designs give on the same deals.

    Attributes
    ----------
    labels
        How the designs are called.
    requests
        What is played under each.
    options
        The options in which they differ: name, and the value of each design as text.
    verdicts
        By design, by strategy: the verdict on the seats, with intervals that hold for everything at once.
    balances
        By design: the first strategy at a table of its own, with records.
    alone
        By strategy: both designs, paired, at a table of its own.
    order
        All strategies under both designs; None for one.
    """

    labels: tuple[str, str]
    requests: tuple[Request, Request]
    options: tuple[tuple[str, str, str], ...]
    verdicts: tuple[dict[str, Seats], dict[str, Seats]]
    balances: tuple[Balance, Balance]
    alone: dict[str, Sweep]
    order: Sweep | None

    def effects(self) -> pl.DataFrame:
        """Return what the second design has more than the first: a row a strategy and measure.

        Columns: `strategy`, `measure`, `a` and `b` (the values), `effect` (b − a), with the ends `low` and `high` of
        intervals that hold for all rows at once, and `clear`, whether the interval excludes 0.
        """
        frames = []
        for spec, found in self.alone.items():
            values = found.summary().rename({"mean": "mean_score"})
            effects = found.effects()
            names = effects["measure"].to_list()
            frames.append(
                effects.select(
                    pl.lit(spec).alias("strategy"),
                    "measure",
                    pl.Series("a", [float(values[name][0]) for name in names]),
                    pl.Series("b", [float(values[name][1]) for name in names]),
                    "effect",
                    "low",
                    "high",
                    "clear",
                )
            )
        return pl.concat(frames)

    def course(self) -> pl.DataFrame:
        """Return what the course of recorded games has more under the second design, deal by deal.

        Columns: `metric`, `a`, `b`, `effect` (b − a), with the ends `low` and `high` of intervals that hold for all
        rows at once (Bonferroni), and `blocks`, the deals on which both designs have the metric.
        """
        first, second = (measure(found.records) for found in self.balances)
        names = [name for name in COURSE if name in first.columns]
        both = first.join(second, on=["deal", "rotation"], suffix="_b").sort("rotation", "deal")
        known = {
            name: both.select("deal", "rotation", a=pl.col(name), b=pl.col(f"{name}_b")).drop_nulls() for name in names
        }
        known = {name: frame for name, frame in known.items() if len(frame)}
        rows = []
        for name, frame in known.items():
            differences = frame.select("deal", "rotation", difference=pl.col("b") - pl.col("a"))
            row = summarise(differences, 1 - (1 - CONFIDENCE) / len(known)).row(0, named=True)
            a, b = (float(frame[column].sum()) / len(frame) for column in ("a", "b"))
            rows.append((name, a, b, row["mean"], row["low"], row["high"], row["blocks"]))
        floats = dict.fromkeys(("a", "b", "effect", "low", "high"), pl.Float64)
        return pl.DataFrame(rows, schema={"metric": pl.String, **floats, "blocks": pl.Int64}, orient="row")


def compare_designs(
    a: RuleDesign | Path | str,
    b: RuleDesign | Path | str,
    *,
    strategies: "Sequence[str | Strategy] | None" = None,
    deals: int | None = None,
    effort: str | None = None,
    seats: int | None = None,
    seed: int | None = None,
    n_jobs: int = -1,
    backend: str = "threads",
    out: Path | str | None = None,
    pdf: bool = False,
    progress: bool = True,
) -> BalanceReport:
    """Set two designs side by side, on the same deals.

    Parameters
    ----------
    a, b
        Designs, or files that hold them: `manifest.json` of a report, or as `reports.balance.designs` says. They are of
        the same game and differ in its options.
    strategies, deals, effort, seats, seed
        As for `balance_report`; by default as the designs say. Where the designs say different things, they have to be
        given.
    n_jobs, backend, out, pdf, progress
        As for `balance_report`.

    Returns
    -------
    BalanceReport

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say.
    """
    designs = [one if isinstance(one, RuleDesign) else load_design(one) for one in (a, b)]
    first, second = _labelled(*designs)
    requests, options = _requests(first, second, strategies, deals, effort, seats, seed)
    if out is not None:
        prepare_document(out, pdf=pdf)
    pair = uninterrupted(_gather, (first, second), requests, options, n_jobs, backend, progress)
    files = [str(one) if not isinstance(one, RuleDesign) else f"{one.label}.json" for one in (a, b)]
    document = make_comparison(pair, files, folder=out)
    return BalanceReport(document, None, None if out is None else write_document(document, out, pdf=pdf))


def _labelled(a: RuleDesign, b: RuleDesign) -> tuple[RuleDesign, RuleDesign]:
    """Return both designs with labels that tell them apart."""
    if a.label == b.label:
        return dataclasses.replace(a, label=f"{a.label} (A)"), dataclasses.replace(b, label=f"{b.label} (B)")
    return a, b


def _requests(
    a: RuleDesign,
    b: RuleDesign,
    strategies: "Sequence[str | Strategy] | None",
    deals: int | None,
    effort: str | None,
    seats: int | None,
    seed: int | None,
) -> tuple[tuple[Request, Request], tuple[tuple[str, str, str], ...]]:
    if a.game is not b.game:
        raise UsageError(
            f"{a.label} is a design of {a.game.name}, {b.label} of {b.game.name}: two designs of one game are compared"
        )
    before, after = a.rules.to_dict(), b.rules.to_dict()
    options = tuple(
        (name, value_text(before[name]), value_text(after[name])) for name in before if before[name] != after[name]
    )
    if not options:
        raise UsageError(f"{a.label} and {b.label} have the same rules: there is nothing to compare")
    if deals is None and effort is None:
        deals, effort = agreed("deals", a, b), agreed("effort", a, b)
    seed = agreed("seed", a, b, seed)
    common: dict[str, Any] = {
        "deals": deals,
        "effort": effort,
        "seats": agreed("seats", a, b, seats),
        "seed": 1 if seed is None else seed,
    }
    chosen = agreed("strategies", a, b, strategies)
    first = make_request(a.game, chosen, variant=a.rules, **common)
    second = make_request(b.game, chosen, variant=b.rules, **{**common, "seats": first.seats})
    return (first, second), options


def _gather(
    designs: tuple[RuleDesign, RuleDesign],
    requests: tuple[Request, Request],
    options: tuple[tuple[str, str, str], ...],
    n_jobs: int,
    backend: str,
    progress: bool,
) -> Pair:
    first, _ = requests
    game, seats, budget = first.game, first.seats, first.budget
    work: dict[str, Any] = {"seed": first.seed, "n_jobs": n_jobs, "backend": backend}
    grid = pl.DataFrame({name: [before, after] for name, before, after in options})
    measures = [game.length] if game.length else []
    if seats > 1:
        measures += [f"win_seat_{seat}" for seat in range(seats)]
    rows = len(first.strategies) * (len(measures) + 1)
    with overall_progress({"seats": 3, "differences": 3, "order": 2}, progress) as overall:
        overall.part("seats", 2 * len(first.strategies))
        tables: list[dict[str, Balance]] = []
        for request in requests:
            tables.append(
                {
                    strategy.spec: balance(
                        game,
                        [strategy] * seats,
                        deals=budget.seats,
                        variant=request.rules,
                        margin=MARGIN,
                        sample=budget.sample if strategy is first.base else 0,
                        ladder_deals=0,
                        **work,
                    )
                    for strategy in request.strategies
                }
            )
        overall.part("differences", 2 * len(first.strategies))
        alone = {
            strategy.spec: sweep(
                game,
                [strategy],
                grid,
                deals=budget.rules,
                seats=seats,
                measures=measures,
                confidence=1 - (1 - CONFIDENCE) / rows,
                variant=first.rules,
                **work,
            )
            for strategy in first.strategies
        }
        overall.part("order", 2)
        order = None
        if len(first.strategies) > 1:
            order = sweep(
                game,
                first.strategies,
                grid,
                deals=budget.orders,
                seats=seats,
                measures=[],
                confidence=CONFIDENCE,
                variant=first.rules,
                **work,
            )
    verdicts = [judge_seats(request, table, 2 * len(table)) for request, table in zip(requests, tables, strict=True)]
    base = first.base.spec
    return Pair(
        (designs[0].label, designs[1].label),
        requests,
        options,
        (verdicts[0], verdicts[1]),
        (tables[0][base], tables[1][base]),
        alone,
        order,
    )


# --- The report ------------------------------------------------------------------------------------------------------


def make_comparison(
    pair: Pair, files: Sequence[str], *, folder: Path | str | None = None, made: datetime | None = None
) -> Document:
    """Return the report of two designs as a value.

    Parameters
    ----------
    pair
        What was found.
    files
        The files of the designs, for the command.
    folder, made
        As for `make_document`.
    """
    first, _second = pair.requests
    a, b = pair.labels
    seats = "1 seat" if first.seats == 1 else f"{first.seats} seats"
    asked, _, amount = first.asked.partition("=")
    manifest: dict[str, Any] = {
        "kind": "comparison of designs",
        "rules_version": first.game.rules_version,
        "designs": [
            {"label": label, "game": first.game.name, "settings": request.settings}
            for label, request in zip(pair.labels, pair.requests, strict=True)
        ],
        "strategies": list(first.specs),
        "seats": first.seats,
        "seed": first.seed,
        asked: int(amount) if asked == "deals" else amount,
        "digests": {strategy.spec: strategy.digest for strategy in first.strategies},
        "versions": versions(),
    }
    return Document(
        title=f"Two designs of {first.game.title}: {a} and {b}",
        game=first.game.title,
        subtitle=f"{seats}, {', '.join(printable(spec) for spec in first.specs)}, the same deals for both",
        claims=_claims(pair),
        sections=(
            _set_up(pair),
            _seats(pair),
            _differences(pair),
            _order(pair),
            _course(pair),
            Section("reproduce", "How to reproduce", _reproduce(pair, files, folder, manifest)),
        ),
        manifest=manifest,
        made=made or datetime.now(UTC).replace(microsecond=0),
    )


def _words(pair: Pair, name: str) -> str:
    if name.startswith("win_seat_"):
        return f"share of wins of seat {name.removeprefix('win_seat_')}"
    if name == "mean_score":
        return "share of wins of a seat" if pair.requests[0].game.score_is_win else "mean score"
    return f"mean {name.removeprefix('mean_')}"


def _is_share(pair: Pair, name: str) -> bool:
    return name.startswith("win_seat_") or (name == "mean_score" and pair.requests[0].game.score_is_win)


def _change(pair: Pair, name: str, effect: float) -> str:
    if _is_share(pair, name):
        return percentage_points(effect, 2, signed=True)
    unit = "points" if name == "mean_score" else name.removeprefix("mean_")
    return f"{number(effect, signed=True)} {unit}"


def _ends(pair: Pair, name: str, low: float | None, high: float | None) -> str:
    return share_span(low, high, 2) if _is_share(pair, name) else number_span(low, high)


def _claims(pair: Pair) -> tuple[Claim, ...]:
    """Return the answers; all differences are those of the second design from the first, deal by deal."""
    budget = pair.requests[0].budget
    found = [_seat_claim(pair)]
    effects = pair.effects()
    for question, name, more, less in (
        ("Do scores change?", "mean_score", "higher", "lower"),
        ("Do games last longer?", f"mean_{pair.requests[0].game.length}", "longer", "shorter"),
    ):
        rows = effects.filter(pl.col("measure") == name)
        if rows.is_empty():
            continue
        if thin(budget.rules):
            found.append(_open(question, "differences", budget.rules))
            continue
        row = rows.sort(pl.col("effect").abs(), descending=True, maintain_order=True).row(0, named=True)
        words = f"the {_words(pair, name)} of {code(row['strategy'])}"
        change = f"from {_value(pair, name, row['a'])} to {_value(pair, name, row['b'])}"
        if row["clear"]:
            answer = f"Yes: {more if row['effect'] > 0 else less} in {pair.labels[1]}"
            sentence = f"Where it changes most, {words} goes {change}."
        else:
            answer = "Not that it shows"
            sentence = f"Where it changes most, {words} goes {change}: chance alone can do that."
        found.append(
            Claim(
                question=question,
                answer=answer,
                sentence=sentence,
                outcome="told" if row["clear"] else "open",
                section="differences",
                effect=_change(pair, name, row["effect"]),
                interval=f"{_ends(pair, name, row['low'], row['high'])}; {LEVEL}, for "
                f"{several(len(effects), 'difference')} at once",
                games=f"{sum(one.games for one in pair.alone.values()):,}",
                smallest_detectable=_smallest(pair, name, row, len(effects)),
            )
        )
    found.append(_order_claim(pair))
    return tuple(found)


def _smallest(pair: Pair, name: str, row: dict[str, Any], count: int) -> str:
    if row["low"] is None:
        return ""
    found = detectable((row["high"] - row["low"]) / 2, count)
    return f"{_change(pair, name, found).removeprefix('+')} {WITH_POWER}"


def _value(pair: Pair, name: str, value: float) -> str:
    return share(value, 2) if _is_share(pair, name) else number(value)


def _open(question: str, section: str, deals: int) -> Claim:
    note = too_few(deals)
    return Claim(question=question, answer=TOO_LITTLE, sentence=note.text, outcome="open", section=section)


def _seat_claim(pair: Pair) -> Claim:
    question, deals = "Are the seats fair?", pair.requests[0].budget.seats
    if not pair.verdicts[0]:
        return Claim(
            question=question,
            answer="There is one seat",
            sentence="Alone at the table, nobody can sit better than anybody else.",
            outcome="told",
            section="seats",
        )
    if thin(deals):
        return _open(question, "seats", deals)
    found = [seats_verdict(verdicts) for verdicts in pair.verdicts]
    told = {"fair": "fair", "unfair": "unfair", "undecided": "too little evidence to say"}
    sentences = []
    for label, verdicts in zip(pair.labels, pair.verdicts, strict=True):
        worst = worst_seat(verdicts)
        sentences.append(
            f"{label}: farthest from {share(worst.fair)} is {worst.name} with "
            f"{code(worst.strategy)}, {share(worst.wins, 2)} ({share_span(worst.low, worst.high, 2)})."
        )
    count = 2 * sum(len(verdict.shares) for verdict in pair.verdicts[0].values())
    return Claim(
        question=question,
        answer="; ".join(f"{label}: {told[verdict]}" for label, verdict in zip(pair.labels, found, strict=True)),
        sentence=" ".join(sentences),
        outcome="good" if found == ["fair", "fair"] else "bad" if "unfair" in found else "open",
        section="seats",
        interval=f"{LEVEL}, for {several(count, 'share')} at once",
        games=f"{2 * deals * len(pair.verdicts[0]):,}",
    )


def _order_claim(pair: Pair) -> Claim:
    question, deals = "Does the order of the strategies change?", pair.requests[0].budget.orders
    if pair.order is None:
        return Claim(
            question=question,
            answer="Not asked: there is one strategy",
            sentence="A report on two strategies or more tells.",
            outcome="told",
            section="order",
        )
    if thin(deals):
        return _open(question, "order", deals)
    flips = pair.order.flips()
    sentence = " ".join(pair.order.flip_sentences())
    answer = f"Yes: {several(len(flips), 'pair')} surely" if flips else "Not that it shows"
    return Claim(
        question=question,
        answer=answer,
        sentence=printable(sentence),
        outcome="told" if flips else "open",
        section="order",
        interval=f"{LEVEL}, for all pairs and both designs at once",
        games=f"{pair.order.games:,}",
    )


def _set_up(pair: Pair) -> Section:
    first = pair.requests[0]
    budget = first.budget
    options = tuple(
        (name, before, after, first.game.rules.options()[name].metadata["doc"]) for name, before, after in pair.options
    )
    return Section(
        "set-up",
        "What differs",
        (
            Paragraph(
                f"{first.game.title}, rules version {first.game.rules_version}, {several(first.seats, 'seat')}, seed "
                f"{first.seed}. Both designs play the same deals ({first.asked}): {budget.seats:,} for the seats of "
                f"each strategy, {budget.rules:,} for differences, {budget.orders:,} for the order, {budget.sample:,} "
                "recorded. A change of what is drawn, such as the number of stones, may change the deals themselves; "
                "differences are still those of one deal number."
            ),
            Table(
                name="designs",
                caption="The options in which they differ",
                headers=("option", *(printable(label) for label in pair.labels), "what it is"),
                rows=options,
                frame=pl.DataFrame(pair.options, schema=dict.fromkeys(("option", "a", "b"), pl.String), orient="row"),
                alignment="llll",
            ),
        ),
    )


def _seats(pair: Pair) -> Section:
    key, title, deals = "seats", "Seats", pair.requests[0].budget.seats
    if not pair.verdicts[0]:
        return Section(key, title, (Paragraph("There is one seat."),))
    if thin(deals):
        return Section(key, title, (too_few(deals),))
    frame = pl.concat(
        verdict.summary().select(
            pl.lit(label).alias("design"),
            pl.lit(spec).alias("strategy"),
            pl.all(),
            pl.lit(verdict.verdict).alias("verdict"),
        )
        for label, verdicts in zip(pair.labels, pair.verdicts, strict=True)
        for spec, verdict in verdicts.items()
    )
    drawn = frame.select(
        (pl.col("strategy") + ", " + pl.col("name")).alias("strategy"),
        pl.col("wins").alias("mean"),
        "low",
        "high",
        pl.col("design").alias("series"),
    )
    fair = next(iter(pair.verdicts[0].values())).fair
    rows = tuple(
        (
            printable(row["design"]),
            printable(row["strategy"]),
            row["name"],
            share(row["wins"], 2),
            share_span(row["low"], row["high"], 2),
            row["verdict"],
        )
        for row in frame.iter_rows(named=True)
    )
    blocks: tuple[Block, ...] = (
        Picture(
            name="seats",
            caption=f"Shares of wins by seat under both designs; {LEVEL} intervals hold for all at once.",
            alt="Shares of wins: " + "; ".join(f"{row[0]}, {row[1]}, {row[2]}: {row[3]}" for row in rows),
            draw=lambda: figures.intervals(
                drawn, confidence=CONFIDENCE, label="share of wins", percent=True, reference=fair, margin=MARGIN
            ),
        ),
        Table(
            name="seats",
            caption="What each seat gets",
            headers=("design", "strategy", "seat", "wins", "interval", "verdict"),
            rows=rows,
            frame=frame,
            alignment="lllrrl",
        ),
    )
    return Section(key, title, blocks)


def _differences(pair: Pair) -> Section:
    key, title, deals = "differences", "What changes, deal by deal", pair.requests[0].budget.rules
    if thin(deals):
        return Section(key, title, (too_few(deals),))
    effects = pair.effects()
    rows = tuple(
        (
            printable(row["strategy"]),
            _words(pair, row["measure"]),
            _value(pair, row["measure"], row["a"]),
            _value(pair, row["measure"], row["b"]),
            _change(pair, row["measure"], row["effect"]),
            _ends(pair, row["measure"], row["low"], row["high"]),
            "yes" if row["clear"] else "no",
        )
        for row in effects.iter_rows(named=True)
    )
    scores = effects.filter(pl.col("measure") == "mean_score").select(
        "strategy", pl.col("effect").alias("mean"), "low", "high"
    )
    won = pair.requests[0].game.score_is_win
    return Section(
        key,
        title,
        (
            Paragraph(
                f"Every strategy at all seats of a table of its own, on {several(deals, 'deal')} under both designs. "
                f"Differences are {printable(pair.labels[1])} minus {printable(pair.labels[0])} on the same deal."
            ),
            Picture(
                name="differences",
                caption=f"Change of the {_words(pair, 'mean_score')}; {LEVEL} intervals hold for all differences at "
                "once.",
                alt="Changes: "
                + "; ".join(f"{row[0]}: {row[4]}" for row in rows if row[1] == _words(pair, "mean_score")),
                draw=lambda: figures.intervals(
                    scores,
                    confidence=CONFIDENCE,
                    label="change of the share of wins" if won else "change (points a game)",
                    percent=won,
                    reference=0,
                ),
            ),
            Table(
                name="differences",
                caption="Differences on the same deals",
                headers=(
                    "strategy",
                    "measure",
                    *(printable(label) for label in pair.labels),
                    "change",
                    "interval",
                    "sure",
                ),
                rows=rows,
                frame=effects,
                alignment="llrrrrl",
                notes=(f"Intervals hold for all {len(effects):,} differences at once, {LEVEL} (Bonferroni).",),
            ),
        ),
    )


def _order(pair: Pair) -> Section:
    key, title, found = "order", "The order of the strategies", pair.order
    if found is None:
        return Section(key, title, (Paragraph("There is one strategy: nothing to put in order."),))
    deals = pair.requests[0].budget.orders
    if thin(deals):
        return Section(key, title, (too_few(deals),))
    means, order = found.summary(), found.order()
    rows = tuple(
        (printable(label), printable(" > ".join(found.ranking(point)))) for point, label in enumerate(pair.labels)
    )
    told = " ".join(found.flip_sentences())
    return Section(
        key,
        title,
        (
            Paragraph(f"All strategies play each other on {several(deals, 'deal')}. {printable(told)}"),
            Picture(
                name="order",
                caption="The mean of every strategy under both designs.",
                alt=printable(told),
                draw=lambda: figures.ranking_flips(means, order=order),
            ),
            Table(
                name="order",
                caption="By mean, the best first",
                headers=("design", "order"),
                rows=rows,
                frame=means,
                alignment="ll",
            ),
        ),
    )


def _course(pair: Pair) -> Section:
    key, title, sample = "course", "The course of a game", pair.requests[0].budget.sample
    if thin(sample):
        return Section(key, title, (too_few(sample),))
    frame = pair.course()
    base = code(pair.requests[0].base.spec)
    if frame.is_empty():
        return Section(key, title, (Paragraph("The game does not tell its course."),))
    rows = []
    for row in frame.iter_rows(named=True):
        is_share = row["metric"] in SHARES
        shown = share if is_share else number
        ends = share_span if is_share else number_span
        rows.append(
            (
                LABELS[row["metric"]],
                shown(row["a"]),
                shown(row["b"]),
                percentage_points(row["effect"], signed=True) if is_share else number(row["effect"], signed=True),
                ends(row["low"], row["high"]),
            )
        )
    sure = [
        LABELS[row["metric"]]
        for row in frame.iter_rows(named=True)
        if row["low"] is not None and not math.isnan(row["low"]) and row["low"] * row["high"] > 0
    ]
    return Section(
        key,
        title,
        (
            Paragraph(
                f"{base} at all seats, {several(sample, 'game')} recorded under each design. "
                + (f"What surely changes: {listed(sure)}." if sure else "Nothing surely changes.")
            ),
            Table(
                name="course",
                caption="Differences on the same deals",
                headers=("", *(printable(label) for label in pair.labels), "change", "interval"),
                rows=tuple(rows),
                frame=frame,
                alignment="lrrrr",
                notes=(f"Intervals hold for all rows at once, {LEVEL} (Bonferroni).",),
            ),
        ),
    )


def _reproduce(
    pair: Pair, files: Sequence[str], folder: Path | str | None, manifest: dict[str, Any]
) -> tuple[Block, ...]:
    first = pair.requests[0]
    asked, _, amount = first.asked.partition("=")
    words = ["crosslab", "report", "--compare", *files, "--strategies", *first.specs, f"--{asked}", amount]
    words += ["--seats", str(first.seats), "--seed", str(first.seed), "--out", str(folder or "out/compare")]
    amount_text = amount if asked == "deals" else json.dumps(amount)
    python = (
        "from crosslab import compare_designs\n\n"
        "report = compare_designs(\n"
        f"    {json.dumps(files[0])},\n    {json.dumps(files[1])},\n"
        f"    strategies={json.dumps(list(first.specs), ensure_ascii=False)},\n"
        f"    {asked}={amount_text},\n    seats={first.seats},\n    seed={first.seed},\n)\nprint(report.text())"
    )
    facts = [("Seed", str(first.seed)), ("Rules version", first.game.rules_version), *versions().items()]
    shown = json.dumps(manifest["designs"], indent=2, ensure_ascii=False)
    return reproduction(shlex.join(words), python, facts, shown)
