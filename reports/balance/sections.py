"""The sections of a balance report: tables, figures and words out of evidence."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from analysis.balance import DEFICITS, LABELS, SHARES
from analysis.comparisons import FEWEST_BLOCKS, POINTS, WINS, Control, Unit
from analysis.elements import Elements
from analysis.grids import value_text
from analysis.records import choices_by_turn, lead_by_turn
from analysis.scores import Distribution
from reports import figures
from reports.balance.claims import HALF, effect_words, measure_words
from reports.balance.evidence import CONFIDENCE, Evidence, RuleStudy, thin
from reports.balance.wording import (
    SPACE,
    code,
    listed,
    number,
    number_span,
    percentage_points,
    several,
    share,
    share_span,
    slug,
)
from reports.document import Block, Code, Items, Note, Paragraph, Picture, Section, Table
from reports.figures import printable
from sims.elements import Kind, Measure

LEVEL = share(CONFIDENCE, 0)
MOST_ROWS = 40
"""Longer tables are shown in part; their files have all rows."""

MOST_TURNS = 18
"""So many turns of what is told by turn are shown, evenly chosen."""

MOST_CELLS = 8
"""So many rows of what lies on a board are shown, as the board shows the rest."""


def sections(evidence: Evidence, reproduce: Sequence[Block]) -> tuple[Section, ...]:
    """Return all sections, in the order in which they are read."""
    return (
        set_up(evidence),
        seats(evidence),
        strategies(evidence),
        distributions(evidence),
        luck(evidence),
        tension(evidence),
        *elements(evidence),
        rules(evidence),
        skill(evidence),
        Section("reproduce", "How to reproduce", tuple(reproduce)),
    )


def too_few(deals: int) -> Note:
    """Return what stands in place of numbers."""
    return Note(
        f"{several(deals, 'deal')} cannot carry a claim: that takes {FEWEST_BLOCKS}. No numbers are shown.", "warning"
    )


def _unit(evidence: Evidence) -> Unit:
    return WINS if evidence.request.game.score_is_win else POINTS


def _shown(evidence: Evidence, value: float | None) -> str:
    """Return a score as text: as a share where it is the win."""
    return share(value, 2) if evidence.request.game.score_is_win else number(value)


def _shown_span(evidence: Evidence, low: float | None, high: float | None) -> str:
    return share_span(low, high, 2) if evidence.request.game.score_is_win else number_span(low, high)


# --- Set-up ----------------------------------------------------------------------------------------------------------


def set_up(evidence: Evidence) -> Section:
    """Return what was played, by whom, under which rules, and whether the controls hold."""
    request = evidence.request
    game, budget = request.game, request.budget
    variant = request.variant
    changed = ", ".join(f"{name}={value_text(value)}" for name, value in request.settings.items())
    parties = game.parties(request.rules, request.seats)
    table = several(request.seats, "seat")
    if game.in_teams(request.rules, request.seats):
        table += f", in {len(parties)} sides: {listed(list(parties))}"
    facts = (
        ("Game", f"{game.title}: {game.summary}"),
        ("Source", game.source),
        ("Rules", f"version {game.rules_version}, {variant or 'own options'}{f' ({changed})' if changed else ''}"),
        ("Table", table),
        ("Deals", f"of seed {request.seed}, the first ones for every part ({request.asked})"),
        ("Games", f"{evidence.games:,}"),
    )
    players = tuple(
        (strategy.spec, strategy.summary or "Its author left no description.", ", ".join(strategy.tags))
        for strategy in request.strategies
    )
    caveats = [
        Note(f"Mind {code(strategy.spec)}: {strategy.caveat}.", "warning")
        for strategy in request.strategies
        if strategy.caveat
    ]
    parts = (
        ("Seats", f"{budget.seats:,} deals of every strategy's own table"),
        ("Distributions", f"{budget.scores:,} deals of every strategy's own table"),
        ("Strategies", f"{budget.strategy_games:,} games at most, all on the same deals"),
        ("Luck and skill, ladder, restrictions", f"{budget.ladder:,} deals"),
        ("Tension", f"{several(budget.sample, 'game')}, recorded move by move"),
        ("Elements", f"{budget.elements:,} deals"),
        ("Rules", f"{budget.rules:,} deals at every change; {budget.orders:,} for the order of strategies"),
    )
    options = tuple(
        (name, value_text(value), value_text(game.rules().to_dict()[name]), game.rules.options()[name].metadata["doc"])
        for name, value in request.rules.to_dict().items()
    )
    blocks: list[Block] = [
        Table(name="set-up", caption="What was played", headers=("", ""), rows=facts, alignment="ll"),
        Table(
            name="strategies-played",
            caption=f"The strategies; {code(request.base.spec)} is the one whose games are looked at most closely",
            headers=("strategy", "what it does", "tags"),
            rows=tuple((printable(spec), printable(doc), tags) for spec, doc, tags in players),
            alignment="lll",
        ),
        *caveats,
        Table(name="budget", caption="How much was played", headers=("part", "deals"), rows=parts, alignment="ll"),
        Table(
            name="options",
            caption="The options of the rules",
            headers=("option", "here", "default", "what it is"),
            rows=options,
            alignment="llll",
        ),
    ]
    return Section(
        "set-up",
        "Set-up and controls",
        tuple(blocks),
        (
            Section("claims", "How the claims are made", _method(evidence)),
            Section("controls", "Controls", tuple(_controls(evidence))),
        ),
    )


def _method(evidence: Evidence) -> tuple[Block, ...]:
    margin = percentage_points(evidence.request.margin)
    return (
        Paragraph(
            "The unit of all intervals is the deal: games on one deal share its luck, and are not counted as if they "
            f"did not. Every claim has a confidence of {LEVEL} of its own: all intervals that it looks at hold at once "
            f"in {LEVEL} of such reports. The five claims are not corrected for each other."
        ),
        Items(
            (
                "Seats: simultaneous for all seats of all strategies (Goodman's, or max-t over deals; Bonferroni over "
                f"the strategies). Fair means that every interval lies within {margin} of the fair share; unfair that "
                "one leaves it out. Everything else is too little evidence.",
                "Strategies: simultaneous for all pairs.",
                "Luck and skill: the share of skill by itself, by the jackknife over groups of deals.",
                "Length: the mean over recorded games by itself, Student's.",
                "Rules: simultaneous for all changes and measures (Bonferroni); the order of strategies likewise for "
                "all pairs and changes.",
                "All other intervals, of distributions, of the course of a game, of elements, are each for itself "
                "unless the table says otherwise.",
            )
        ),
        Paragraph(
            "The smallest detectable effect is the true effect that a claim would have found with a probability of "
            f"80 % on so many deals. Below {FEWEST_BLOCKS} deals nothing is claimed."
        ),
    )


def _controls(evidence: Evidence) -> Iterator[Block]:
    control = evidence.control
    if control is None:
        yield Note("There is nobody to compare with: no controls.", "note")
        return
    yield Paragraph(
        "A method that finds differences everywhere, or nowhere, would be worthless: a strategy against itself must "
        "give no difference, and one that loses on purpose must lose."
    )
    rows = []
    for name, found in control.controls.items():
        what = "mirror: against itself" if name == "mirror" else "known weak: has to lose"
        passed = {True: "passed", False: "failed", None: "not applicable"}[found["passed"]]
        rows.append((what, printable(found["strategy"]), _control_numbers(evidence, found), passed))
    yield Table(
        name="controls",
        caption="The controls",
        headers=("control", "strategy", "difference", "outcome"),
        rows=tuple(rows),
        alignment="llll",
    )
    if any(found["passed"] is False for found in control.controls.values()):
        yield Note("A control failed: trust nothing in this report before it is known why.", "warning")


def _control_numbers(evidence: Evidence, found: Control) -> str:
    if found["passed"] is None:
        return "too few deals" if thin(found["blocks"]) else "it is the known weak one itself"
    ends = _shown_span(evidence, found["low"], found["high"])
    return f"{_shown(evidence, found['effect'])} ({ends}), {several(found['blocks'], 'deal')}"


# --- Seats -----------------------------------------------------------------------------------------------------------


def seats(evidence: Evidence) -> Section:
    """Return what each seat gets."""
    request, key, title = evidence.request, "seats", "Seats"
    if not evidence.verdicts:
        return Section(key, title, (Paragraph("There is one seat."),))
    if thin(request.budget.seats):
        return Section(key, title, (too_few(request.budget.seats),))
    frame = pl.concat(
        verdict.summary().select(pl.lit(spec).alias("strategy"), pl.all(), pl.lit(verdict.verdict).alias("verdict"))
        for spec, verdict in evidence.verdicts.items()
    )
    won = request.game.score_is_win
    headers = ("strategy", "seat", "wins", "interval", "points ahead of others", "interval", "verdict")
    rows = [
        (
            printable(row["strategy"]),
            row["name"],
            share(row["wins"], 2),
            share_span(row["low"], row["high"], 2),
            *(() if won else (number(row["points"]), number_span(row["points_low"], row["points_high"]))),
            row["verdict"],
        )
        for row in frame.iter_rows(named=True)
    ]
    first = next(iter(evidence.verdicts.values()))
    drawn = frame.with_columns((pl.col("strategy") + ", " + pl.col("name")).alias("name"))
    method = "Goodman's" if first.method == "goodman" else "max-t over deals"
    together = several(len(frame), "share")
    pictures = Picture(
        name="seat-shares",
        caption=f"Each seat's share of wins. The line is the fair share, the shade the margin; {LEVEL} intervals hold "
        f"for all {together} at once.",
        alt="Shares of wins by seat: "
        + "; ".join(
            f"{row['strategy']}, {row['name']}: {share(row['wins'], 2)}" for row in frame.iter_rows(named=True)
        ),
        draw=lambda: figures.seat_shares(drawn, fair=first.fair, margin=first.margin, confidence=CONFIDENCE),
    )
    games = [
        (printable(spec), *_games_row(found.counts.shared, found), *_games_row(found.counts.unwon, found))
        for spec, found in evidence.balances.items()
    ]
    return Section(
        key,
        title,
        (
            Paragraph(
                "Each strategy plays at all seats of a table of its own, so that a difference between the seats is "
                "the game's. A bias may show among strong players only, or among weak ones only."
            ),
            pictures,
            Table(
                name="seats",
                caption=f"What each seat gets, over {request.budget.seats:,} deals for each strategy",
                headers=(*headers[:4], *(() if won else headers[4:6]), headers[6]),
                rows=tuple(rows),
                frame=frame,
                alignment="llrr" + ("" if won else "rr") + "l",
                notes=(
                    f"Intervals of wins ({method}) hold for all seats of all strategies at once, {LEVEL}; a shared win "
                    "is a part of a win for each."
                    + ("" if won else " Those of points hold for the seats of one strategy at once."),
                ),
            ),
            Table(
                name="shared-wins",
                caption="Games that several win, or nobody",
                headers=("strategy", "shared wins", "interval", "no winner", "interval"),
                rows=tuple(games),
                frame=pl.DataFrame(
                    [
                        {
                            "strategy": spec,
                            "shared": found.games_with(found.counts.shared)[0],
                            "no_winner": found.games_with(found.counts.unwon)[0],
                        }
                        for spec, found in evidence.balances.items()
                    ]
                ),
                alignment="lrrrr",
            ),
        ),
    )


def _games_row(histogram: Any, found: Any) -> tuple[str, str]:
    value, ends = found.games_with(histogram)
    return share(value, 2), share_span(ends.low, ends.high, 2)


# --- Strategies ------------------------------------------------------------------------------------------------------


def strategies(evidence: Evidence) -> Section:
    """Return the order of the strategies, and who beats whom."""
    key, title, ranking = "strategies", "Strategies", evidence.ranking
    if ranking is None:
        return Section(key, title, (Paragraph("There is one strategy: nothing to put in order."),))
    if thin(ranking.blocks):
        return Section(key, title, (too_few(ranking.blocks),))
    table, matchups = ranking.table, ranking.matchups
    solo, won = ranking.tournament.format == "solo", evidence.request.game.score_is_win
    rows = [
        (
            str(row["rank"]),
            printable(row["strategy"]),
            *(() if won else (number(row["mean"]), number_span(row["low"], row["high"]))),
            share(row["win"], 2),
            share_span(row["win_low"], row["win_high"], 2),
            _ranks(row["rank_low"], row["rank_high"]),
        )
        for row in table.iter_rows(named=True)
    ]
    headers = ("rank", "strategy", "mean", "interval", "beats" if solo else "wins", "interval", "ranks left open")
    pairs = [
        (
            printable(row["a"]),
            printable(row["b"]),
            _shown(evidence, row["effect"]),
            _shown_span(evidence, row["low"], row["high"]),
            share(row["wins"]),
            row["verdict"],
        )
        for row in matchups.iter_rows(named=True)
        if ranking.strategies.index(row["a"]) != ranking.strategies.index(row["b"])
        and list(table["strategy"]).index(row["a"]) < list(table["strategy"]).index(row["b"])
    ]
    order = listed([code(spec) for spec in table["strategy"]])
    told = "alone on the same deals" if solo else "against each other on the same deals"
    cycles = [
        " beats ".join(code(ranking.strategies[who]) for who in (*cycle.strategies, cycle.strategies[0]))
        for cycle in ranking.cycles
    ]
    return Section(
        key,
        title,
        (
            Paragraph(
                f"The strategies play {told}: {several(ranking.blocks, 'deal')}, {ranking.games:,} games. From the "
                f"highest mean to the lowest: {order}."
            ),
            Picture(
                name="rank-intervals",
                caption=f"The ranks that the data leave open, for all strategies at once ({LEVEL}).",
                alt="Ranks: "
                + "; ".join(
                    f"{row['strategy']}: {_ranks(row['rank_low'], row['rank_high'])}"
                    for row in table.iter_rows(named=True)
                ),
                draw=lambda: figures.rank_intervals(table, confidence=ranking.confidence),
            ),
            Table(
                name="ranking",
                caption="The order",
                headers=(*headers[:2], *(() if won else headers[2:4]), *headers[4:]),
                rows=tuple(rows),
                frame=table,
                notes=(
                    f"Intervals and ranks hold for all strategies at once, {LEVEL}."
                    + (" Beats: the share of the others that score less on the same deal." if solo else ""),
                ),
            ),
            Picture(
                name="matchups",
                caption=f"How often the row is ahead of the column, of {'deals' if solo else 'games'}; ties count "
                "half.",
                alt="Who beats whom: "
                + "; ".join(f"{row[0]} is ahead of {row[1]} in {row[4]}" for row in pairs[:MOST_ROWS]),
                draw=lambda: figures.matchup_heatmap(matchups),
            ),
            Table(
                name="matchups",
                caption="Every two of them",
                headers=("A", "B", "A − B", "interval", "A ahead", "verdict on A"),
                rows=tuple(pairs[:MOST_ROWS]),
                frame=matchups,
                notes=(
                    f"Intervals hold for all pairs at once, {LEVEL}. Equivalent: within "
                    f"{_shown(evidence, ranking.margin)}{'' if won else ' points a game'}.",
                    *_left_out(len(pairs)),
                ),
            ),
            Paragraph(
                f"A cycle is sure: {'; '.join(cycles)}." if cycles else "No cycle (A beats B beats C beats A) is sure."
            )
            if len(ranking.strategies) > 2
            else Paragraph("Two strategies can form no cycle."),
            *(Note(note) for note in ranking.notes),
        ),
    )


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _left_out(count: int, shown: int = MOST_ROWS) -> tuple[str, ...]:
    return (f"The first {shown} of {count:,} rows; the files have all.",) if count > shown else ()


# --- Distributions ---------------------------------------------------------------------------------------------------


def distributions(evidence: Evidence) -> Section:
    """Return how scores spread."""
    request, key = evidence.request, "distributions"
    found = list(evidence.distributions.values())
    column = found[0].column
    title = "Distributions" if column == "score" else f"Distributions of {column}"
    if thin(request.budget.scores):
        return Section(key, title, (too_few(request.budget.scores),))
    summary = pl.concat(one.summary() for one in found)
    cdf = pl.concat(one.cdf() for one in found)
    quantiles = pl.concat(one.quantiles() for one in found)
    rows = []
    for one in found:
        row = one.summary().row(0, named=True)
        at = {item["quantile"]: item for item in one.quantiles().iter_rows(named=True)}
        ends = [f"{at[p][column]:g}" for p in (0.05, 0.95)]
        rows.append(
            (
                printable(row["strategy"]),
                number(row["mean"]),
                number_span(row["low"], row["high"]),
                number(row["sd"]),
                ends[0],
                f"{row['median']:g}",
                ends[1],
                f"{row['minimum']:g}",
                f"{row['maximum']:g}",
            )
        )
    drawn = cdf.rename({column: "score"}) if column != "score" else cdf
    base = drawn.filter(pl.col("strategy") == request.base.spec)
    unit = POINTS if column == "score" else None
    told = [f"{row[0]}: mean {row[1]}, from {row[7]} to {row[8]}" for row in rows]
    plan = f"Every strategy at a table of its own; {several(request.budget.scores, 'deal')} for each."
    if unit is not None:
        plan += f" The share of games at or below a value is drawn with a band that holds the whole curve, {LEVEL}."
    blocks: list[Block] = [Paragraph(plan)]
    if unit is not None:
        bands = request.game.bands if request.rules == request.game.rules() else ()
        blocks.append(
            Picture(
                name="scores",
                caption="How often each score is reached.",
                alt="Distributions of scores: " + "; ".join(told),
                draw=lambda: figures.score_distributions(drawn, bands=bands, unit=unit),
            )
        )
        blocks.append(
            Picture(
                name="scores-cumulative",
                caption=f"The share of games with at most so many points, with {LEVEL} bands.",
                alt="Cumulative distributions of scores: " + "; ".join(told),
                draw=lambda: figures.score_ecdf(drawn, confidence=CONFIDENCE, bands=bands, unit=unit),
            )
        )
    else:
        lengths = base.rename({"score": "turns"}).select("turns", "count")
        blocks.append(
            Picture(
                name="lengths-distribution",
                caption=f"How often a game of {code(request.base.spec)} takes so many turns.",
                alt="Distribution of turns: " + told[0],
                draw=lambda: figures.game_length(lengths),
            )
        )
    blocks += [
        Table(
            name="distributions",
            caption="Scores" if column == "score" else column.capitalize(),
            headers=("strategy", "mean", "interval", "sd", "5 %", "median", "95 %", "lowest", "highest"),
            rows=tuple(rows),
            frame=summary,
            notes=(f"Intervals of means: each for itself, {LEVEL}.",),
        ),
        Table(
            name="quantiles",
            caption="Quantiles, with their intervals",
            headers=("strategy", *(share(p, 0) for p in found[0].quantile_shares)),
            rows=tuple(_quantile_row(one, column) for one in found),
            frame=quantiles,
            notes=(f"Intervals: each for itself, {LEVEL}.",),
        ),
        *_bands(evidence),
    ]
    return Section(key, title, tuple(blocks))


def _quantile_row(found: Distribution, column: str) -> tuple[str, ...]:
    cells = [
        f"{row[column]:g} ({number_span(row['low'], row['high'], 0)})"
        for row in found.quantiles().iter_rows(named=True)
    ]
    return printable(found.specs[0]), *cells


def _bands(evidence: Evidence) -> Iterator[Block]:
    frames = [one.bands() for one in evidence.distributions.values()]
    bands = pl.concat(frames)
    if bands.is_empty():
        return
    yield Picture(
        name="rank-bands",
        caption=f"How often the rulebook's titles are reached; {LEVEL} intervals, each for itself.",
        alt="Shares of the rulebook's titles: "
        + "; ".join(f"{row['strategy']}, {row['band']}: {share(row['share'])}" for row in bands.iter_rows(named=True)),
        draw=lambda: figures.rank_bands(bands, confidence=CONFIDENCE),
    )
    yield Table(
        name="rank-bands",
        caption="The rulebook's titles",
        headers=("strategy", "title", "from", "share", "interval"),
        rows=tuple(
            (
                printable(row["strategy"]),
                row["band"],
                str(row["from"]),
                share(row["share"]),
                share_span(row["low"], row["high"]),
            )
            for row in bands.iter_rows(named=True)
        ),
        frame=bands,
        alignment="llrrr",
    )


# --- Luck and skill --------------------------------------------------------------------------------------------------

CAUSES = {
    "deal": "the deal: chance that all share",
    "strategy": "who plays: skill",
    "seat": "the seat",
    "deal:strategy": "who plays, on this deal",
    "deal:seat": "the seat, on this deal: the luck of the draw",
    "strategy:seat": "who plays, at this seat",
    "remainder": "all three together, and chance in play",
}


def luck(evidence: Evidence) -> Section:
    """Return the variance of scores by its causes."""
    key, title, found = "luck", "Luck and skill", evidence.skill
    request = evidence.request
    if len(request.strategies) < 2:
        return Section(key, title, (Paragraph("Skill is what strategies differ by: it takes two of them or more."),))
    if found is None or thin(found.blocks):
        return Section(key, title, (too_few(request.budget.ladder),))
    if math.isnan(found.split.skill):
        return Section(key, title, (Paragraph("Scores do not vary: there is nothing to split."),))
    frame = found.split.summary()
    rows = tuple(
        (CAUSES[row["cause"]], number(row["component"]), share(row["share"]), row["kind"])
        for row in frame.iter_rows(named=True)
    )
    others = "" if request.seats == 1 else f", with {code(request.base.spec)} at all other seats,"
    return Section(
        key,
        title,
        (
            Paragraph(
                f"All strategies play the same {several(found.blocks, 'deal')}, each at every seat{others} and the "
                "analysis of variance tells what makes the spread of their scores. Skill is "
                f"{share(found.split.skill)} ({share_span(found.skill.low, found.skill.high)}), the luck of deal and "
                f"seat {share(found.split.luck)} ({share_span(found.luck.low, found.luck.high)}), each by itself, "
                f"{LEVEL}."
            ),
            Picture(
                name="luck-and-skill",
                caption="The variance of scores by what causes it.",
                alt="Shares of the variance: " + "; ".join(f"{row[0]}: {row[2]}" for row in rows),
                draw=lambda: figures.luck_and_skill(frame),
            ),
            Table(
                name="variance",
                caption="The parts of the variance",
                headers=("cause", "variance", "share", "counts as"),
                rows=rows,
                frame=frame,
                alignment="lrrl",
                notes=(
                    "A part can come out below 0: when it is small, or when what one gains others lose. "
                    "The split depends on who plays.",
                ),
            ),
        ),
    )


# --- Tension ---------------------------------------------------------------------------------------------------------


def tension(evidence: Evidence) -> Section:
    """Return the course of a game: length, lead, choices."""
    request, own = evidence.request, evidence.first
    key, title, base = "tension", "Length and tension", code(request.base.spec)
    if thin(request.budget.sample) or thin(request.budget.seats):
        return Section(key, title, (too_few(min(request.budget.sample, request.budget.seats)),))
    course, lengths = own.course(), own.lengths()
    rows = []
    for row in course.iter_rows(named=True):
        shown = share if row["metric"] in SHARES else number
        ends = share_span if row["metric"] in SHARES else number_span
        label = LABELS[row["metric"]]
        if row["metric"] in DEFICITS:
            label += f", {request.game.standing_unit}"
        rows.append(
            (
                label,
                shown(row["mean"]),
                ends(row["low"], row["high"]),
                shown(row["q05"]),
                shown(row["median"]),
                shown(row["q95"]),
            )
        )
    blocks: list[Block] = [
        Paragraph(
            f"{base} plays at all seats; {several(len(own.records), 'game')} were recorded move by move. A game is "
            "decided when its winner has more than all others for good; whoever has less may still be the favourite. "
            f"A game that is decided before {share(HALF, 0)} of its turns, on average, counts as too long."
        )
    ]
    if not lengths.is_empty():
        blocks.append(
            Picture(
                name="game-length",
                caption=f"How often a game takes so many turns ({base} at all seats).",
                alt=_length_alt(own.length()),
                draw=lambda: figures.game_length(lengths),
            )
        )
    leads = lead_by_turn(own.records)
    if not leads.is_empty():
        last = leads.row(len(leads) - 1, named=True)
        middle = leads.row(len(leads) // 2, named=True)
        blocks += [
            Picture(
                name="lead-over-time",
                caption="By how much the eventual winner leads after each turn: median and spread over games.",
                alt=f"The mean lead of the eventual winner is {number(middle['mean'])} after turn {middle['turn']} and "
                f"{number(last['mean'])} after turn {last['turn']}.",
                draw=lambda: figures.lead_over_time(leads, unit=request.game.standing_unit),
            ),
            Picture(
                name="winner-over-time",
                caption="Whether the eventual winner is ahead, level or behind after each turn.",
                alt=f"After turn {middle['turn']} the eventual winner is ahead in {share(middle['ahead'])} of the "
                f"games and behind in {share(middle['behind'])}.",
                draw=lambda: figures.winner_over_time(leads),
            ),
            _frame_table("leads", "The lead of the eventual winner by turn", leads),
        ]
    choices = choices_by_turn(own.records)
    if not choices.is_empty():
        widest = choices.sort("choices", descending=True).row(0, named=True)
        blocks += [
            Picture(
                name="choice-width",
                caption="How many different moves there are to choose from, by turn.",
                alt=f"Choices by turn: the most, {number(widest['choices'], 1)} on average, in turn {widest['turn']}.",
                draw=lambda: figures.choice_width(choices),
            ),
            _frame_table("choices", "Choices by turn", choices),
        ]
    if rows:
        blocks.append(
            Table(
                name="course",
                caption=f"The course of {several(len(own.records), 'recorded game')}",
                headers=("", "mean", "interval", "5 %", "median", "95 %"),
                rows=tuple(rows),
                frame=course,
                notes=(f"Intervals of means: each for itself, {LEVEL}.",),
            )
        )
    reasons = own.end_reasons()
    if reasons:
        total = sum(reasons.values())
        blocks.append(
            Table(
                name="end-reasons",
                caption="Why games end",
                headers=("reason", "share"),
                rows=tuple((reason, share(count / total)) for reason, count in reasons.items()),
                frame=pl.DataFrame({"reason": list(reasons), "games": list(reasons.values())}),
                alignment="lr",
            )
        )
    return Section(key, title, tuple(blocks))


def _length_alt(length: dict[str, float] | None) -> str:
    if length is None:
        return "The distribution of the turns of recorded games."
    return (
        f"Turns of a game: {number(length['mean'])} on average, median {length['median']:g}, nine in ten from "
        f"{length['q05']:g} to {length['q95']:g}."
    )


def _frame_table(name: str, caption: str, frame: pl.DataFrame) -> Table:
    """Return a frame as a table of at most `MOST_TURNS` rows, evenly chosen."""
    step = -(-len(frame) // MOST_TURNS) if len(frame) else 1
    picked = frame.gather_every(step)
    columns = [_cells(picked[column].to_list()) for column in picked.columns]
    rows = tuple(zip(*columns, strict=True))
    notes = () if step == 1 else (f"Every {_ordinal(step)} of {len(frame):,} rows; the files have all.",)
    return Table(name=name, caption=caption, headers=tuple(frame.columns), rows=rows, frame=frame, notes=notes)


def _ordinal(step: int) -> str:
    return {2: "second", 3: "third"}.get(step, f"{step}th")


def _cells(values: Sequence[Any]) -> list[str]:
    """Return the values of a column as text, alike: whole numbers only where all are whole."""
    whole = all(value is None or float(value).is_integer() for value in values)
    return ["-" if value is None else f"{value:,.0f}" if whole else number(value) for value in values]


# --- Elements --------------------------------------------------------------------------------------------------------


def elements(evidence: Evidence) -> Iterator[Section]:
    """Yield what the game is made of: how often each element is used, what it earns, who wins with it."""
    found, request = evidence.elements, evidence.request
    if found is None:
        return
    key, title = "elements", "Elements"
    if thin(request.budget.elements):
        yield Section(key, title, (too_few(request.budget.elements),))
        return
    parts = [_element_kind(found, kind) for kind in found.kinds]
    yield Section(
        key,
        title,
        (
            Paragraph(
                f"What {code(request.base.spec)} does at all seats, over {several(found.deals, 'deal')}: how often "
                "each element of the game is used, what it earns, and whether those who use it more than the others of "
                "their game win more. That is an association and no cause: who is ahead also plays otherwise. "
                f"Intervals of counts and values are each for itself; those of wins hold for all elements of a kind at "
                f"once, {LEVEL}."
            ),
            *_winners(found),
        ),
        tuple(part for part in parts if part.blocks),
    )


def _element_kind(found: Elements, kind: Kind) -> Section:
    summary = found.summary().filter((pl.col("kind") == kind.name) & pl.col("seat").is_null())
    name = f"element-{slug(kind.name)}"
    if summary.is_empty():
        return Section(name, kind.title)
    blocks: list[Block] = [Paragraph(kind.doc if kind.doc.endswith(".") else f"{kind.doc}.")]
    if kind.board:
        blocks += [_board(found, kind, measure, name) for measure in kind.shown if measure == "count" or kind.value]
        summary = summary.sort("count", descending=True, maintain_order=True)
    shown = MOST_CELLS if kind.board else MOST_ROWS
    rows = []
    for row in summary.head(shown).iter_rows(named=True):
        cells = [_element(row), number(row["count"]), number_span(row["count_low"], row["count_high"])]
        if kind.value:
            cells += [number(row["value"]), number_span(row["value_low"], row["value_high"]), _each(row["each"])]
        rows.append(tuple(cells))
    headers = ["", kind.count, "interval", *([kind.value, "interval", "each"] if kind.value else [])]
    blocks.append(
        Table(
            name=name,
            caption=f"{kind.title}: {kind.count}, a game and {kind.of}",
            headers=tuple(headers),
            rows=tuple(rows),
            frame=summary,
            alignment="l" + "r" * (len(headers) - 1),
            notes=_left_out(len(summary), shown),
        )
    )
    return Section(name, kind.title, tuple(blocks))


def _each(value: float | None) -> str:
    return "-" if value is None else number(value)


def _element(row: Mapping[str, Any]) -> str:
    return printable(str(row["element"] if row["label"] is None else row["label"]))


def _winners(found: Elements) -> Iterator[Block]:
    """Yield the table of those elements that winners surely use more, or less; its files have all."""
    frame = found.association()
    if frame.is_empty():
        return
    titles = {kind.name: kind.title for kind in found.kinds}
    sure = frame.filter(pl.col("verdict").is_in(["more wins", "fewer wins"]))
    rows = tuple(
        (
            titles[row["kind"]],
            _element(row),
            share(row["more"]),
            share(row["less"]),
            share_span(row["gap_low"], row["gap_high"]),
            f"{row['games']:,}",
            row["verdict"],
        )
        for row in sure.sort(pl.col("gap").abs(), descending=True, maintain_order=True)
        .head(MOST_ROWS)
        .iter_rows(named=True)
    )
    yield Table(
        name="element-wins",
        caption="What those who win surely use more, or less",
        headers=("kind", "element", "wins with most", "wins of others", "interval of the gap", "games", "verdict"),
        rows=rows,
        frame=frame,
        alignment="llrrrrl",
        notes=(
            f"{len(sure):,} of {several(len(frame), 'element')} surely go along with winning or losing; the files have "
            f"all. Intervals hold for all elements of a kind at once, {LEVEL}; games with equal use say nothing.",
        ),
    )


def _board(found: Elements, kind: Kind, measure: Measure, name: str) -> Picture:
    assert kind.board is not None
    cells = found.board(kind.name, measure)
    label = found.board_label(kind.name, measure)
    known = cells.drop_nulls("value")
    alt = f"{kind.title}: {label}"
    if not known.is_empty():
        high = known.sort("value", descending=True).row(0, named=True)
        low = known.sort("value").row(0, named=True)
        alt += (
            f"; the most, {number(high['value'])}, in row {high['row'] + 1}, column {high['column'] + 1}, the least, "
            f"{number(low['value'])}, in row {low['row'] + 1}, column {low['column'] + 1}"
        )
    rows, columns = len(kind.board.rows), len(kind.board.columns)
    return Picture(
        name=f"{name}-{measure}",
        caption=f"{kind.title}: {label}.",
        alt=alt,
        draw=lambda: figures.board_heatmap(cells, label=label, rows=rows, columns=columns),
    )


# --- Rules -----------------------------------------------------------------------------------------------------------


def rules(evidence: Evidence) -> Section:
    """Return what each option changes."""
    key, title, study = "rules", "Rules and house rules", evidence.rules
    if study is None:
        return Section(key, title, (Paragraph("The game has no options with other values to try."),))
    deals = evidence.request.budget.rules
    if thin(deals):
        return Section(key, title, (too_few(deals),))
    effects = study.effects()
    measures = effects["measure"].unique(maintain_order=True).to_list()
    base = code(evidence.request.base.spec)
    blocks: list[Block] = [
        Paragraph(
            f"One option at a time takes another value, on the same {several(deals, 'deal')}; {base} plays at all "
            "seats, and knows the rules as far as it is made to. What a change does is the difference on the same "
            "deals. To compare unlike measures, the size of a change is told in standard deviations of single games "
            "under the rules as they are (for the length, a tenth of it at the least)."
        ),
        _sizes(effects, evidence),
    ]
    blocks += [_sensitivity(evidence, study, measure) for measure in measures]
    blocks.append(
        Table(
            name="rules",
            caption="What changes",
            headers=("change", "measure", "effect", "interval", "size", "sure"),
            rows=tuple(
                (
                    row["setting"],
                    measure_words(evidence, row["measure"]),
                    _effect_cell(evidence, row["measure"], row["effect"]),
                    _effect_span(evidence, row["measure"], row["low"], row["high"]),
                    number(row["size"]),
                    "yes" if row["clear"] else "no",
                )
                for row in effects.filter(pl.col("clear")).sort("size", descending=True).iter_rows(named=True)
            )[:MOST_ROWS],
            frame=effects,
            alignment="llrrrl",
            notes=(
                f"Only what surely changes, the largest first; the files have all {len(effects):,} effects. Intervals "
                f"hold for all of them at once, {LEVEL} (Bonferroni).",
                "Changes of shares are in percentage points. Where more games end without a winner, every seat's share "
                "of wins falls.",
            ),
        )
    )
    blocks += list(_orders(evidence, study))
    if study.skipped:
        blocks.append(
            Note(
                "Not tried at this table: "
                + "; ".join(f"{code(setting)} ({reason})" for setting, reason in study.skipped)
                + "."
            )
        )
    return Section(key, title, tuple(blocks))


def _effect_cell(evidence: Evidence, measure: str, effect: float) -> str:
    told = effect_words(evidence, measure, effect)
    return told.replace(" percentage points", f"{SPACE}%")


def _effect_span(evidence: Evidence, measure: str, low: float | None, high: float | None) -> str:
    if measure == "win_seat_0" or (measure == "mean_score" and evidence.request.game.score_is_win):
        return share_span(low, high)
    return number_span(low, high)


def _sizes(effects: pl.DataFrame, evidence: Evidence) -> Table:
    """Return the largest effect of every option."""
    top = (
        effects.filter(pl.col("clear"))
        .sort("size", descending=True, maintain_order=True)
        .group_by("option", maintain_order=True)
        .first()
    )
    quiet = [option for option in effects["option"].unique(maintain_order=True) if option not in set(top["option"])]
    notes = (f"Nothing surely changes with {listed([code(option) for option in quiet])}.",) if quiet else ()
    return Table(
        name="rule-sizes",
        caption="The largest sure change of every option",
        headers=("option", "value", "measure", "effect", "size", "interval of the size"),
        rows=tuple(
            (
                row["option"],
                row["value"],
                measure_words(evidence, row["measure"]),
                _effect_cell(evidence, row["measure"], row["effect"]),
                number(row["size"]),
                number_span(row["size_low"], row["size_high"]),
            )
            for row in top.iter_rows(named=True)
        ),
        frame=top,
        alignment="lllrrr",
        notes=notes,
    )


def _sensitivity(evidence: Evidence, study: RuleStudy, measure: str) -> Picture:
    effects = study.alone.effects()
    order = study.order.order() if study.order is not None else None
    words = measure_words(evidence, measure)
    shown = study.effects().filter((pl.col("measure") == measure) & pl.col("clear")).sort("size", descending=True)
    told = [
        f"{row['setting']}: {effect_words(evidence, measure, row['effect'])}"
        for row in shown.head(5).iter_rows(named=True)
    ]
    return Picture(
        name=f"rules-{slug(measure)}",
        caption=f"Change of the {words} by each option, with intervals that hold for all changes and measures at once "
        f"({LEVEL}).",
        alt=f"Change of the {words}; the largest: {'; '.join(told) or 'none is sure'}.",
        draw=lambda: figures.rule_sensitivity(
            effects, measure=measure, label=f"change of the {words}", order=order, confidence=CONFIDENCE
        ),
    )


def _orders(evidence: Evidence, study: RuleStudy) -> Iterator[Block]:
    if study.order is None:
        return
    deals = evidence.request.budget.orders
    if thin(deals):
        yield too_few(deals)
        return
    flips, found = study.reversed_pairs(), study.order
    means, order = found.summary(), found.order()
    rankings = [found.ranking(point) for point in range(len(found.points))]
    rows = []
    for point, (option, value) in enumerate(study.settings):
        turned = flips.filter(pl.col("point") == point)
        told = "; ".join(f"{row['after']} before {row['before']}" for row in turned.iter_rows(named=True))
        names = " > ".join(rankings[point])
        rows.append((f"{option}={value}" if point else "as they are", printable(names), printable(told) or "-"))
    sure = (
        f"{several(len(flips), 'pair')} of strategies surely changes places."
        if len(flips) == 1
        else f"{len(flips):,} pairs of strategies surely change places."
        if len(flips)
        else "No two strategies surely change places."
    )
    yield Paragraph(
        f"All strategies play each other under every change, {several(deals, 'deal')} each. {sure} This is sure for "
        f"all pairs and changes at once, {LEVEL}."
    )
    yield Picture(
        name="ranking-flips",
        caption="The mean of every strategy under every change; those that surely change places are coloured.",
        alt=sure,
        draw=lambda: figures.ranking_flips(means, order=order),
    )
    yield Table(
        name="orders",
        caption="The order of the strategies",
        headers=("change", "by mean", "surely turned round"),
        rows=tuple(rows),
        frame=order,
        alignment="lll",
    )


# --- Restrictions and ladder -----------------------------------------------------------------------------------------


def skill(evidence: Evidence) -> Section:
    """Return what random moves, other players and forbidden moves cost."""
    key, title = "skill", "Restricted play and skill ladder"
    field, deals = evidence.first.field, evidence.request.budget.ladder
    if thin(deals) or field is None:
        return Section(key, title, (too_few(deals),))
    base = code(evidence.request.base.spec)
    blocks: list[Block] = [
        Paragraph(
            f"Everybody here sits in turn at every seat of a table whose other seats are those of {base}, on the same "
            f"{several(deals, 'deal')}. Levels are told apart when the whole interval of the difference is above "
            f"{_shown(evidence, evidence.request.game.margin)}; intervals of differences hold for all pairs at once."
        ),
        *_ladder(evidence, field.noise, "noise-ladder", f"{base} with more and more random moves"),
        *_ladder(evidence, field.players, "player-ladder", "The strategies"),
    ]
    losses = field.restrictions()
    if losses.is_empty():
        blocks.append(Paragraph(f"There is no restriction to try on {base}."))
    else:
        drawn = losses.rename({"restriction": "strategy", "loss": "mean"})
        unit = "share of wins" if evidence.request.game.score_is_win else "points a game"
        rows = tuple(
            (
                row["restriction"],
                _shown(evidence, row["loss"]),
                _shown_span(evidence, row["low"], row["high"]),
                row["verdict"],
            )
            for row in losses.iter_rows(named=True)
        )
        blocks += [
            Picture(
                name="restrictions",
                caption=f"What {base} loses when it never makes such a move, if it has another; {LEVEL} intervals hold "
                "for all of them at once.",
                alt="Losses: " + "; ".join(f"{row[0]}: {row[1]}" for row in rows),
                draw=lambda: figures.intervals(
                    drawn,
                    confidence=CONFIDENCE,
                    label=f"loss ({unit})",
                    percent=evidence.request.game.score_is_win,
                    reference=0,
                ),
            ),
            Table(
                name="restrictions",
                caption="What each restriction costs",
                headers=("restriction", "loss", "interval", "verdict on the restricted player"),
                rows=rows,
                frame=losses,
                alignment="lrrl",
            ),
        ]
    return Section(key, title, tuple(blocks))


def _ladder(evidence: Evidence, found: Any, name: str, caption: str) -> Iterator[Block]:
    if len(found.rungs) < 2:
        return
    frame = found.summary()
    alone, won = evidence.request.seats == 1, evidence.request.game.score_is_win
    rows = tuple(
        (
            printable(row["strategy"]),
            _shown(evidence, row["mean"]),
            *(() if alone or won else (share(row["wins"]),)),
            _shown(evidence, row["ahead"]) if row["ahead"] is not None else "-",
            _shown_span(evidence, row["ahead_low"], row["ahead_high"]) if row["ahead"] is not None else "-",
            "-" if row["level"] is None else str(row["level"]),
        )
        for row in frame.iter_rows(named=True)
    )
    told = f"{several(len(rows), 'player')}, {several(found.levels or 0, 'level')} that can be told apart"
    yield Picture(
        name=name,
        caption=f"{caption}: {told}.",
        alt=f"{told}: " + "; ".join(f"{row[0]}: {row[1]}" for row in rows),
        draw=_ladder_drawing(frame, _unit(evidence)),
    )
    yield Table(
        name=name,
        caption=caption,
        headers=(
            "player",
            "wins" if won else "mean",
            *(() if alone or won else ("wins",)),
            "ahead of the next",
            "interval",
            "level",
        ),
        rows=rows,
        frame=frame,
        alignment="l" + "r" * (4 if alone or won else 5),
    )


def _ladder_drawing(frame: pl.DataFrame, unit: Unit) -> Callable[[], Any]:
    return lambda: figures.skill_ladder(frame, unit=unit, confidence=CONFIDENCE)


# --- How to reproduce ------------------------------------------------------------------------------------------------


def reproduction(command: str, python: str, facts: Sequence[tuple[str, str]], manifest: str) -> tuple[Block, ...]:
    """Return how to get the same numbers again."""
    return (
        Paragraph("The same command gives the same numbers, on any machine and with any number of workers."),
        Code(command, "shell"),
        Paragraph("The same from Python:"),
        Code(python, "python"),
        Table(name="versions", caption="What it was made with", headers=("", ""), rows=tuple(facts), alignment="ll"),
        Paragraph("The design as `manifest.json` holds it; `crosslab report --compare` sets two of them side by side."),
        Code(manifest, "json"),
    )
