"""Race: the best of many strategies on a budget of deals, by dropping early what surely is not the best.

All that are left play the same deals, twice as many in all with every round. Where the race stands after a round is a
function of its design and seed, never of the number of workers.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

from analysis.comparisons import FEWEST_BLOCKS, decide
from analysis.contests import heading, make_contest
from analysis.intervals import Interval, check_confidence
from analysis.sequential import confidence_sequence, looks
from analysis.simultaneous import Moments
from analysis.tables import wide_table, wrapped
from analysis.tournaments import Measure, Tournament, count_chosen
from sims.design import LARGEST_DEALS, Design, check_whole
from sims.game import Game, Rules
from sims.run import run
from strategies.api import Strategy

if TYPE_CHECKING:
    import pandas as pd

FIRST = 1_000
"""Deals of the first round: fewer would not make the means of skewed differences nearly normal."""

Status = Literal["leads", "left", "worse", "equivalent"]


class Standing(NamedTuple):
    """How one strategy stands after one round, over all deals so far, in the unit of the measure.

    ``behind`` is its mean minus the leader's, with the ends of its confidence sequence. "worse" and "equivalent"
    (within the margin of the leader) drop it.
    """

    round: int
    blocks: int
    strategy: int
    leader: int
    mean: float
    behind: float
    low: float
    high: float
    status: Status


def standings(
    total: Moments, left: Sequence[int], lap: int, *, margin: float, alpha: float, most: int, unit: int = 1
) -> list[Standing]:
    """Say how the strategies stand after a round, and who is dropped.

    Parameters
    ----------
    total
        The moments of those left, over all deals so far.
    left
        The numbers of those left, in the order of the moments.
    lap
        The number of the round.
    margin
        The difference that does not matter, in units of the measure.
    alpha
        The error rate of each confidence sequence.
    most
        The number of blocks that the sequences are narrowest at, and after which the race ends.
    unit
        What block scores are divided by, beside the scale of the moments.

    Returns
    -------
    list of Standing
        In the order of `left`. Of equals the first leads.

    Notes
    -----
    Nobody is dropped below 30 blocks; and differences that have not varied yet are judged after the last round only, as
    in `analysis.sequential.sequential_verdict`.
    """
    ahead = max(range(len(left)), key=lambda place: (total.sums[place], -place))
    rows = []
    for place, who in enumerate(left):
        behind, error = (value / unit for value in total.difference(place, ahead))
        spread = error * math.sqrt(total.blocks)
        interval = Interval(behind, behind)
        if spread > 0 or math.isnan(spread):
            interval = confidence_sequence(behind, spread, total.blocks, alpha=alpha, optimised_for=most)
        status: Status = "leads" if place == ahead else "left"
        ready = total.blocks >= FEWEST_BLOCKS and (spread > 0 or total.blocks >= most)
        if place != ahead and ready:
            verdict = decide(interval, total.blocks, margin)
            status = verdict if verdict in ("worse", "equivalent") else "left"
        mean = total.mean(place)[0] / unit
        rows.append(Standing(lap, total.blocks, who, left[ahead], mean, behind, *interval, status))
    return rows


def run_race(
    play: Callable[[Sequence[int], int, int], Moments],
    strategies: int,
    *,
    budget: int,
    margin: float,
    alpha: float,
    unit: int = 1,
    first: int = FIRST,
) -> list[Standing]:
    """Race strategies against each other.

    Parameters
    ----------
    play
        `play(left, first_deal, deals)` returns the moments of those left.
    strategies
        How many there are, 2 or more.
    budget
        The most deals.
    margin, unit
        See `standings`.
    alpha
        The share of races in which the best one may be dropped as worse.
    first
        The deals of the first round, or the budget when it is smaller.

    Returns
    -------
    list of Standing
        Of all rounds, in their order.

    Notes
    -----
    Each interval is that of a confidence sequence at the rate alpha / (K − 1), so that all looks at all comparisons
    with the best strategy together are wrong in at most a share alpha of races. Doubling the deals of fewer and fewer
    is successive halving (Karnin, Koren and Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013); to
    drop by the data alone is racing (Maron and Moore, "Hoeffding races", NIPS 1993).
    """
    left, told = list(range(strategies)), []
    total: Moments | None = None
    done = 0
    for lap, look in enumerate(looks(first=min(first, budget), ratio=2.0, most=budget), start=1):
        played = play(left, done, look - done)
        total = played if total is None else total + played
        done = look
        rows = standings(total, left, lap, margin=margin, alpha=alpha / (strategies - 1), most=budget, unit=unit)
        told += rows
        keep = [place for place, row in enumerate(rows) if row.status in ("leads", "left")]
        left = [left[place] for place in keep]
        if len(left) == 1:
            break
        total = total.only(keep)
    return told


def last_standings(rows: Sequence[Standing]) -> list[Standing]:
    """Return the last standing of each strategy: those that are left first, then those that were dropped latest."""
    last = {row.strategy: row for row in rows}
    return sorted(
        last.values(), key=lambda row: (row.status in ("worse", "equivalent"), -row.round, -row.mean, row.strategy)
    )


def standings_frame(names: Sequence[str], rows: Sequence[Standing]) -> pl.DataFrame:
    """Return one row a standing, with the columns of `Race.rounds`.

    Parameters
    ----------
    names
        Of the strategies, by number.
    rows
        Any standings.
    """
    floats = ("mean", "behind", "low", "high")
    schema = {
        **{"round": pl.Int64, "blocks": pl.Int64, "strategy": pl.String, "leader": pl.String},
        **dict.fromkeys(floats, pl.Float64),
        "status": pl.String,
    }
    named = [{**row._asdict(), "strategy": names[row.strategy], "leader": names[row.leader]} for row in rows]
    return pl.DataFrame(named, schema=schema).with_columns(pl.col(floats).fill_nan(None))


def standings_text(title: str, names: Sequence[str], rows: Sequence[Standing], digits: int) -> str:
    """Return standings as a table of at most 80 columns.

    Parameters
    ----------
    title
        What the names are.
    names
        Of the strategies, by number.
    rows
        One standing a strategy.
    digits
        Decimals.
    """

    def at_best(row: Standing) -> str:
        # The sign of what rounds to 0 says why it was dropped.
        return "-" if row.status == "leads" or math.isnan(row.high) else f"{row.high:.{digits}f}"

    columns: list[tuple[str, list[str]]] = [
        ("status", [row.status for row in rows]),
        ("round", [str(row.round) for row in rows]),
        ("deals", [f"{row.blocks:,}" for row in rows]),
        ("mean", [f"{row.mean:z.{digits}f}" for row in rows]),
        ("behind", ["-" if row.status == "leads" else f"{row.behind:z.{digits}f}" for row in rows]),
        ("at best", [at_best(row) for row in rows]),
    ]
    return wide_table((title,), [[names[row.strategy]] for row in rows], columns)


@dataclass(frozen=True, eq=False)
class Race:
    """What `race` found.

    Attributes
    ----------
    strategies
        The specs, in the order in which they were given.
    tournament, design
        What was played; the design is that of the first round.
    measure
        What the order is by.
    budget
        The most deals that might be played.
    margin, confidence
        The difference that does not matter, and the share of races in which the best one is not dropped as worse.
    standings
        Every round.
    seconds, games
        How long it took, and the games that were played.
    """

    strategies: tuple[str, ...]
    tournament: Tournament
    design: Design
    measure: Measure
    budget: int
    margin: float
    confidence: float
    standings: tuple[Standing, ...]
    seconds: float
    games: int

    @property
    def _last(self) -> list[Standing]:
        return last_standings(self.standings)

    @property
    def blocks(self) -> int:
        """The number of deals that were played."""
        return self.standings[-1].blocks

    @property
    def leader(self) -> str:
        """The strategy with the highest mean at the end."""
        return self.strategies[self.standings[-1].leader]

    @property
    def left(self) -> tuple[str, ...]:
        """The strategies that were not dropped, the leader first."""
        return tuple(self.strategies[row.strategy] for row in self._last if row.status in ("leads", "left"))

    @functools.cached_property
    def rounds(self) -> pl.DataFrame:
        """One row a round and strategy that played in it.

        Columns: `round`; `blocks`, all deals so far; `strategy`; `leader`; `mean`; `behind`, its mean minus the
        leader's, with the ends `low` and `high` of its confidence sequence; `status`: leads, left, or dropped as worse
        or equivalent.
        """
        return standings_frame(self.strategies, self.standings)

    def summary(self) -> pl.DataFrame:
        """Return the last row of each strategy in `rounds`: those that are left first, then those dropped latest."""
        return standings_frame(self.strategies, self._last)

    def to_pandas(self) -> "pd.DataFrame":
        """Return `summary` for pandas."""
        return self.summary().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return the race as JSON values; a statistic that is not defined is null."""
        return {
            "leader": self.leader,
            "left": list(self.left),
            "format": self.tournament.format,
            "seats": self.tournament.seats,
            "measure": self.measure,
            "margin": self.margin,
            "confidence": self.confidence,
            "budget": self.budget,
            "blocks": self.blocks,
            "seed": self.design.seed,
            "rules_version": self.design.game.rules_version,
            "summary": self.summary().to_dicts(),
            "rounds": self.rounds.to_dicts(),
            "design": self.design.to_dict(),
        }

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        digits = 3 if self.measure == "score" else 4
        table = standings_text("strategy", self.strategies, self._last, digits)
        budget = f"at most {self.budget:,} common deals"
        note = (
            "Behind, and where the truth may lie at best: against the leader of the round in which it was dropped. The "
            "means are of the deals that chose the leader: measure it again with another seed."
        )
        start = heading("Race", self.tournament, self.measure, budget, self.design)
        return "\n\n".join([wrapped(self._sentence()), wrapped(start), table, wrapped(note)])

    def _sentence(self) -> str:
        equals = [self.strategies[row.strategy] for row in self._last if row.status == "equivalent"]
        if len(self.left) > 1:
            return (
                f"Undecided after {self.blocks:,} deals between {_listed(self.left)}: {self.leader} leads. "
                "A larger budget would tell them apart."
            )
        told = f"{self.leader} is the best: all others were dropped within {self.blocks:,} deals"
        return f"{told}, {_listed(equals)} as equivalent (margin {self.margin:.10g})." if equals else f"{told}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def race(
    game: str | Game,
    strategies: "Sequence[str | Strategy] | None" = None,
    *,
    budget: int = 100_000,
    seed: int = 1,
    seats: int | None = None,
    format: str = "auto",
    lineups: int | None = None,
    measure: str = "score",
    margin: float | None = None,
    confidence: float = 0.95,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> Race:
    """Find the best of many strategies on a budget of deals.

    Parameters
    ----------
    game
        The game's name.
    strategies
        Two or more, each once; by default all that a name alone finds.
    budget
        The most deals. The first round has 1,000, and every further one doubles them, up to the budget.
    seed, seats, format, lineups, measure
        See `rank`. At a table, those that were dropped stay as opponents, so that a mean is the same in all rounds.
    margin
        A strategy within this of the leader is dropped as equivalent; by default the game's margin, or 0.01 of wins.
    confidence
        The share of races in which the best strategy is not dropped as worse, between 0 and 1.
    variant, n_jobs, backend, progress
        See `simulate`; workers and backend do not change the result.

    Returns
    -------
    Race

    Raises
    ------
    UsageError, StrategyError
        As they say.
    """
    check_confidence(confidence)
    check_whole("budget", budget, 1, LARGEST_DEALS)
    contest = make_contest(
        game,
        strategies,
        seats=seats,
        format=format,
        lineups=lineups,
        measure=measure,
        margin=margin,
        variant=variant,
        seed=seed,
    )
    tournament, by = contest.tournament, contest.measure
    seconds, games = 0.0, 0

    def play(left: Sequence[int], first_deal: int, deals: int) -> Moments:
        nonlocal seconds, games
        part = tournament.only(left, by)
        reduce = functools.partial(
            count_chosen, tournament=part, measure=by, chosen=tuple(left), scale=tournament.scale
        )
        design = contest.design(deals, first_deal=first_deal, part=part)
        played = run(design, reduce, n_jobs=n_jobs, backend=backend, progress=progress)
        seconds, games = seconds + played.seconds, games + played.games
        return played.result

    told = run_race(
        play,
        len(contest.strategies),
        budget=budget,
        margin=contest.margin,
        alpha=1 - confidence,
        unit=tournament.value_unit(by),
    )
    return Race(
        contest.specs,
        tournament,
        contest.design(min(FIRST, budget)),
        by,
        budget,
        contest.margin,
        confidence,
        tuple(told),
        seconds,
        games,
    )
