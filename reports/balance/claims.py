"""The claims of a balance report: what the evidence says, as one answer a question.

A claim is decided by intervals that hold at once for everything that it looks at. "Fair" needs all intervals inside the
margin: that none was found to be unfair is not enough. Between the two lies the third answer, that there is too little
evidence.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import polars as pl

from analysis.comparisons import FEWEST_BLOCKS, POWER, smallest_detectable
from analysis.intervals import Interval
from analysis.seats import Seats
from reports.balance.evidence import CONFIDENCE, Evidence, RuleStudy, thin
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
from reports.document import Claim

HALF = 0.5
"""A game that is decided before this share of its turns, on average, goes on for too long."""

FAIR, DOMINANT, LUCK, LENGTH, RULE = (
    "Are the seats fair?",
    "Is there a dominant strategy?",
    "Is it luck or skill?",
    "Does it last too long?",
    "Which rule matters most?",
)
WITH_POWER = f"with a probability of {share(POWER, 0)}"


def claims(evidence: Evidence) -> tuple[Claim, ...]:
    """Return the answers to the five questions."""
    return (
        seat_claim(evidence),
        dominance_claim(evidence),
        luck_claim(evidence),
        length_claim(evidence),
        rule_claim(evidence),
    )


def _thin(question: str, section: str, deals: int) -> Claim:
    return Claim(
        question=question,
        answer=TOO_LITTLE,
        sentence=f"That takes {FEWEST_BLOCKS} deals at the least; there are {deals:,}.",
        outcome="open",
        section=section,
    )


# --- Seats -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WorstSeat:
    """The share of wins that is farthest from fair: of all that surely are not, if there are any."""

    strategy: str
    name: str
    wins: float
    low: float
    high: float
    fair: float


def seats_verdict(verdicts: Mapping[str, Seats]) -> str:
    """Return "unfair", "fair" or "undecided" for tables of several strategies.

    Unfair when the interval of one share leaves out the fair one (and does not lie inside the margin); fair when the
    intervals of all shares lie inside the margin. With verdicts whose intervals hold for all tables at once, each of
    the two is false in at most 1 − `CONFIDENCE` of all reports.
    """
    found = {verdict.verdict for verdict in verdicts.values()}
    if "unfair" in found:
        return "unfair"
    return "fair" if found == {"fair"} else "undecided"


def worst_seat(verdicts: Mapping[str, Seats]) -> WorstSeat:
    """Return the share of wins that the verdict hangs on."""
    every = [
        (WorstSeat(spec, one.name, one.wins, one.low, one.high, verdict.fair), verdict.verdict)
        for spec, verdict in verdicts.items()
        for one in verdict.shares
    ]
    off = [seat for seat, verdict in every if verdict == "unfair" and not seat.low <= seat.fair <= seat.high]
    return max(off or [seat for seat, _ in every], key=lambda seat: abs(seat.wins - seat.fair))


def seat_claim(evidence: Evidence) -> Claim:
    """Say whether the seats are fair, with every strategy at a table of its own."""
    request, verdicts = evidence.request, evidence.verdicts
    deals = request.budget.seats
    if not verdicts:
        return Claim(
            question=FAIR,
            answer="There is one seat",
            sentence="Alone at the table, nobody can sit better than anybody else.",
            outcome="told",
            section="seats",
        )
    if thin(deals):
        return _thin(FAIR, "seats", deals)
    verdict, worst = seats_verdict(verdicts), worst_seat(verdicts)
    sides = request.game.in_teams(request.rules, request.seats)
    what = "sides" if sides else "seats"
    who = f"the {worst.name} team" if sides else worst.name
    shares = sum(len(found.shares) for found in verdicts.values())
    margin = percentage_points(request.margin, 1)
    several_strategies = len(verdicts) > 1
    if verdict == "unfair":
        unfair = [spec for spec, found in verdicts.items() if found.verdict == "unfair"]
        answer = f"No: {who} wins {share(worst.wins)}"
        sentence = (
            f"When {code(worst.strategy)} plays at all {what}, {who} wins {share(worst.wins, 2)} of the games, where "
            f"{share(worst.fair, 2)} would be fair."
        )
        if several_strategies:
            sentence += f" The {what} are surely unequal with {len(unfair)} of {len(verdicts)} strategies."
    elif verdict == "fair":
        answer = "Yes"
        sentence = f"Every share of wins is within {margin} of {share(worst.fair)}"
        sentence += ", with each of the strategies at all seats." if several_strategies else "."
    else:
        answer = TOO_LITTLE
        sentence = (
            f"No share of wins is surely off, but they are not all surely within {margin} of {share(worst.fair)} "
            f"either: the largest gap is that of {who} with {code(worst.strategy)}, {share(worst.wins, 2)}."
        )
    return Claim(
        question=FAIR,
        answer=answer,
        sentence=sentence,
        outcome={"unfair": "bad", "fair": "good", "undecided": "open"}[verdict],  # type: ignore[arg-type]
        section="seats",
        effect=f"{percentage_points(worst.wins - worst.fair, 2, signed=True)} ({who}, {code(worst.strategy)})",
        interval=f"{share_span(worst.low, worst.high, 2)} of wins; {share(CONFIDENCE, 0)}, "
        f"for {several(shares, 'share')} at once",
        games=f"{deals * len(verdicts):,}",
        smallest_detectable=f"{percentage_points(evidence.seat_detectable(), 2)} {WITH_POWER}",
    )


# --- Strategies ------------------------------------------------------------------------------------------------------


def dominant(matchups: pl.DataFrame) -> str | None:
    """Return the strategy that surely beats every other one by more than the margin allows for; None when none does."""
    for (name,), rows in matchups.group_by(["a"], maintain_order=True):
        if (rows["verdict"] == "better").all():
            return str(name)
    return None


def none_dominates(matchups: pl.DataFrame) -> bool:
    """Whether every strategy surely loses to another one, or surely equals it."""
    return all(
        rows["verdict"].is_in(["worse", "equivalent"]).any()
        for _, rows in matchups.group_by(["a"], maintain_order=True)
    )


def dominance_claim(evidence: Evidence) -> Claim:
    """Say whether one of the strategies beats all others."""
    ranking = evidence.ranking
    if ranking is None:
        return Claim(
            question=DOMINANT,
            answer="Not asked: there is one strategy",
            sentence="A report on two strategies or more tells.",
            outcome="told",
            section="strategies",
        )
    if thin(ranking.blocks):
        return _thin(DOMINANT, "strategies", ranking.blocks)
    matchups = ranking.matchups
    best = dominant(matchups)
    leader = best if best is not None else ranking.strategies[ranking.order[0]]
    rows = matchups.filter(pl.col("a") == leader)
    closest = rows.sort("effect", maintain_order=True).row(0, named=True)
    by_win = ranking.measure == "win"
    pairs = math.comb(len(ranking.strategies), 2)
    if by_win:
        effect = percentage_points(closest["effect"], 2, signed=True)
        interval = f"{number_span(100 * closest['low'], 100 * closest['high'])} percentage points"
    else:
        effect = f"{number(closest['effect'], signed=True)} points a game"
        interval = f"{number_span(closest['low'], closest['high'])} points"
    solo = ranking.tournament.format == "solo"
    what = "scores more than" if solo else "beats"
    if best is not None:
        answer = f"Yes, of these: {best}"
        sentence = (
            f"{code(best)} {what} each of the {several(len(rows), 'other strategy', 'other strategies')}, "
            f"{code(closest['b'])} by the least. Whether it beats all ways to play, no report on "
            f"{several(len(ranking.strategies), 'strategy', 'strategies')} can tell."
        )
        outcome = "told"
    elif none_dominates(matchups):
        answer = "No, none of these"
        equal = rows.filter(pl.col("verdict") == "equivalent")["b"].to_list()
        if equal:
            sentence = (
                f"{code(leader)} has the best mean, and is no better than {listed([code(one) for one in equal])}."
            )
        else:
            sentence = f"Every strategy surely loses to another one: there is a cycle around {code(leader)}."
        outcome = "good"
    else:
        answer = TOO_LITTLE
        open_pairs = rows.filter(pl.col("verdict") == "undecided")["b"].to_list()
        sentence = f"{code(leader)} has the best mean"
        if open_pairs:
            sentence += f", but it is not sure that it is ahead of {listed([code(one) for one in open_pairs])}"
        sentence += "."
        outcome = "open"
    return Claim(
        question=DOMINANT,
        answer=answer,
        sentence=sentence,
        outcome=outcome,  # type: ignore[arg-type]
        section="strategies",
        effect=f"{effect} ({code(leader)} − {code(closest['b'])})",
        interval=f"{interval}; {share(ranking.confidence, 0)}, for {several(pairs, 'pair')} at once",
        games=f"{ranking.games:,}",
        smallest_detectable=_pair_detectable(evidence, leader, closest["b"], pairs),
    )


def _pair_detectable(evidence: Evidence, a: str, b: str, pairs: int) -> str:
    ranking = evidence.ranking
    assert ranking is not None
    first, second = ranking.strategies.index(a), ranking.strategies.index(b)
    if ranking.tournament.direct:
        error = float(ranking.margins[1][first, second])
    else:
        error = ranking.moments.difference(first, second)[1] / ranking.tournament.value_unit(ranking.measure)
    found = smallest_detectable(error, 1 - (1 - ranking.confidence) / pairs)
    if ranking.measure == "win":
        return f"{percentage_points(found, 2)} {WITH_POWER}"
    return f"{number(found)} points a game {WITH_POWER}"


# --- Luck and skill --------------------------------------------------------------------------------------------------


def luck_answer(skill: Interval, luck: Interval, unit: str) -> str:
    """Return what the intervals of the two shares of the variance of scores (or wins: `unit`) say."""
    if skill.low > HALF:
        return "Mostly skill"
    if luck.low > HALF:
        return "Mostly luck"
    if skill.low <= 0:
        return f"The {unit} do not tell who plays"
    if skill.high + luck.high < HALF:
        return "Mostly chance in play, and what meets what"
    if skill.high < HALF and luck.high < HALF:
        return "Some of both"
    return "Between the two: too close to call"


def luck_claim(evidence: Evidence) -> Claim:
    """Say how much of the spread of scores the strategies make."""
    request, skill = evidence.request, evidence.skill
    if skill is None and len(request.strategies) < 2:
        return Claim(
            question=LUCK,
            answer="Not asked: there is one strategy",
            sentence="Skill is what strategies differ by: it takes two of them or more.",
            outcome="told",
            section="luck",
        )
    if skill is None or thin(skill.blocks):
        return _thin(LUCK, "luck", request.budget.ladder)
    if math.isnan(skill.split.skill):
        return Claim(
            question=LUCK,
            answer="Neither: scores do not vary",
            sentence="Every game of these strategies ends with the same score.",
            outcome="told",
            section="luck",
        )
    unit = "wins" if request.game.score_is_win else "scores"
    where = "deal" if request.seats == 1 else "deal and the seat"
    own, luck = max(skill.split.skill, 0.0), max(skill.split.luck, 0.0)
    rest = 1 - own - luck
    sentence = (
        f"Of the spread of {unit}, who plays makes {share(own)} and the luck of the {where} "
        f"{share(luck)}; {share(rest)} depends on what meets what, and on chance during play. This holds "
        f"among {listed([code(spec) for spec in request.specs])}; among equals all is luck."
    )
    random = _random_rung(evidence)
    if random is not None:
        won = f"win {share(random)} of the games" if random else "do not win a single game"
        sentence += f" Random moves against {code(request.base.spec)} {won}."
    return Claim(
        question=LUCK,
        answer=luck_answer(skill.skill, skill.luck, unit),
        sentence=sentence,
        outcome="told",
        section="luck",
        effect=f"{share(skill.split.skill)} skill",
        interval=f"{share_span(skill.skill.low, skill.skill.high)} of the variance; {share(CONFIDENCE, 0)}",
        games=f"{skill.games:,}",
        smallest_detectable=f"{percentage_points(smallest_detectable(skill.skill_error))} {WITH_POWER}",
    )


def _random_rung(evidence: Evidence) -> float | None:
    """Return the share of wins of random moves in the first player's place; None where everybody wins."""
    field = evidence.first.field
    if field is None or evidence.request.seats == 1 or len(field.noise.rungs) < 2:
        return None
    return field.noise.rungs[-1].wins


# --- Length ----------------------------------------------------------------------------------------------------------


def length_claim(evidence: Evidence) -> Claim:
    """Say how long games take, and how much of that is played after they are decided."""
    request, own = evidence.request, evidence.first
    length, base = own.length(), code(request.base.spec)
    if thin(request.budget.sample) or thin(request.budget.seats):
        return _thin(LENGTH, "tension", min(request.budget.sample, request.budget.seats))
    course = {row["metric"]: row for row in own.course().iter_rows(named=True)}
    decided = course.get("decided_share")
    told = []
    if length is not None:
        told.append(
            f"With {base}, a game takes {number(length['mean'], 1)} turns, and nineteen games in twenty "
            f"{length['q95']:g} at most."
        )
    unwon, _ = own.games_with(own.counts.unwon)
    if unwon > 0 and request.seats > 1:
        told.append(f"Of the games, {share(unwon)} end without a winner.")
    if decided is None:
        shown = length is not None
        return Claim(
            question=LENGTH,
            answer=f"It takes {number(length['mean'], 1)} turns" if length is not None else "The game does not tell",
            sentence=" ".join([*told, "Nobody races anybody: when it is decided cannot be said."])
            if request.seats == 1
            else " ".join([*told, "Who is ahead during the game is not told."]),
            outcome="told",
            section="tension",
            effect=f"{number(length['mean'])} turns" if length is not None else "",
            interval=f"{number_span(length['low'], length['high'])} turns; {share(CONFIDENCE, 0)}"
            if length is not None
            else "",
            games=f"{request.budget.seats:,}" if shown else "",
        )
    answer = {
        "bad": f"Yes: it is decided after {share(decided['mean'], 0)} of its turns",
        "good": f"No: it is decided after {share(decided['mean'], 0)} of its turns",
        "open": f"{TOO_LITTLE}: it is decided about half-way",
    }
    outcome = "good" if decided["low"] > HALF else "bad" if decided["high"] < HALF else "open"
    told.append(
        f"From {share(decided['mean'], 0)} of its turns on, on average, the eventual winner stays ahead. A game that "
        "is decided in its first half counts as too long."
    )
    half_width = (decided["high"] - decided["low"]) / 2
    return Claim(
        question=LENGTH,
        answer=answer[outcome],
        sentence=" ".join(told),
        outcome=outcome,  # type: ignore[arg-type]
        section="tension",
        effect=f"{share(decided['mean'])} of the turns",
        interval=f"{share_span(decided['low'], decided['high'])}; {share(CONFIDENCE, 0)}",
        games=f"{decided['games']:,} recorded",
        smallest_detectable=f"{percentage_points(detectable(half_width, 1))} {WITH_POWER}",
    )


# --- Rules -----------------------------------------------------------------------------------------------------------


def measure_words(evidence: Evidence, measure: str) -> str:
    """Return what a measure of the rules is, in words."""
    if measure == "win_seat_0":
        return "share of wins of seat 0"
    if measure == "mean_score":
        return "share of wins of a seat" if evidence.request.game.score_is_win else "mean score"
    return f"mean {measure.removeprefix('mean_')}"


def span_words(evidence: Evidence, measure: str, low: float, high: float) -> str:
    """Return the interval of an effect of a rule with its unit."""
    if measure == "win_seat_0" or (measure == "mean_score" and evidence.request.game.score_is_win):
        return share_span(low, high).replace("%", "percentage points")
    unit = "points" if measure == "mean_score" else measure.removeprefix("mean_")
    return f"{number_span(low, high)} {unit}"


def effect_words(evidence: Evidence, measure: str, effect: float) -> str:
    """Return an effect of a rule with its unit."""
    if measure == "win_seat_0" or (measure == "mean_score" and evidence.request.game.score_is_win):
        return percentage_points(effect, 1, signed=True)
    unit = "points" if measure == "mean_score" else measure.removeprefix("mean_")
    return f"{number(effect, signed=True)} {unit}"


def strongest(study: RuleStudy) -> tuple[dict[str, object], list[str]] | None:
    """Return the largest effect, and the other options whose effects might be as large; None when none is clear."""
    effects = study.effects().drop_nulls("size")
    clear = effects.filter(pl.col("clear"))
    if clear.is_empty():
        return None
    top = clear.sort("size", descending=True, maintain_order=True).row(0, named=True)
    rivals = effects.filter((pl.col("option") != top["option"]) & (pl.col("size_high") > top["size_low"]))
    return top, rivals["option"].unique(maintain_order=True).to_list()


def rule_claim(evidence: Evidence) -> Claim:
    """Say which option changes most when it is not as it is."""
    study, request = evidence.rules, evidence.request
    if study is None:
        return Claim(
            question=RULE,
            answer="There are no rules to change",
            sentence="The game has no options with other values to try.",
            outcome="told",
            section="rules",
        )
    deals = request.budget.rules
    if thin(deals):
        return _thin(RULE, "rules", deals)
    effects = study.effects()
    tried = len(study.settings) - 1
    flips = study.reversed_pairs()
    found = strongest(study)
    if found is None:
        return Claim(
            question=RULE,
            answer=TOO_LITTLE,
            sentence=f"None of the {several(tried, 'change')} that were tried surely changes what is measured.",
            outcome="open",
            section="rules",
            games=f"{study.alone.games:,}",
        )
    top, rivals = found
    option, setting, measure = str(top["option"]), str(top["setting"]), str(top["measure"])
    effect, low, high = (float(str(top[name])) for name in ("effect", "low", "high"))
    words = measure_words(evidence, measure)
    answer = f"{option}" if not rivals else f"{option}, or {listed(rivals, 'or')}"
    sentence = (
        f"With {code(setting)} the {words} changes by {effect_words(evidence, measure, effect)}, "
        f"{number(float(str(top['size'])), 1)} times the standard deviation of single games: the largest of the "
        f"{several(tried, 'change')} that were tried, one at a time."
    )
    if rivals:
        sentence += " It is not sure that it is the largest."
    if not flips.is_empty():
        settings = flips["setting"].unique(maintain_order=True).to_list()
        sentence += f" The order of two strategies surely turns round with {listed([code(one) for one in settings])}."
    elif study.order is not None:
        sentence += " No change surely turns round the order of two strategies."
    error = (high - low) / 2
    return Claim(
        question=RULE,
        answer=answer,
        sentence=sentence,
        outcome="told" if not rivals else "open",
        section="rules",
        effect=f"{effect_words(evidence, measure, effect)} ({words})",
        interval=f"{span_words(evidence, measure, low, high)}; "
        f"{share(CONFIDENCE, 0)}, for {several(len(effects), 'effect')} at once",
        games=f"{study.alone.games:,}",
        smallest_detectable=f"{effect_words(evidence, measure, detectable(error, len(effects)))} {WITH_POWER}".replace(
            "+", ""
        ),
    )


def detectable(half_width: float, effects: int) -> float:
    """Return the smallest detectable effect behind an interval that holds for several effects at once."""
    confidence = 1 - (1 - CONFIDENCE) / effects
    return smallest_detectable(half_width / NormalDist().inv_cdf((1 + confidence) / 2), confidence)
