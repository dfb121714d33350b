"""The evidence of a balance report: what is played, with which budget, and what the analysis makes of it.

Every part is a function of the design and the seed alone. Budgets are numbers of deals or games, never a time, so that
the same request gives the same evidence on any machine.
"""

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from analysis.balance import Balance, balance
from analysis.comparisons import FEWEST_BLOCKS, smallest_detectable
from analysis.contests import make_contest
from analysis.distributions import named_bands
from analysis.elements import Elements, elements
from analysis.grids import value_text
from analysis.matches import Comparison, compare
from analysis.rankings import Ranking, rank
from analysis.scores import QUANTILES, Distribution, count_blocks, find_column
from analysis.seats import MARGIN, Seats, seat_balance
from analysis.skill import Skill, measure_skill
from analysis.sweeps import Sweep, sweep
from sims.design import LARGEST_DEALS, Design, check_whole
from sims.errors import UsageError
from sims.game import SCORE, Game, Rules, find_game, near_misses
from sims.run import Overall, overall_progress, run
from strategies.api import Strategy
from strategies.specs import WEAK, builtin_strategies, find_strategy, panel

CONFIDENCE = 0.95
"""Of every claim: its intervals hold at once with this confidence."""

LEAST_SPREAD = 0.1
"""Lengths that vary by less than this share of their mean are taken to vary by it: nobody would notice less."""


# --- What is asked ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Budget:
    """How much is played.

    Attributes
    ----------
    seats
        Deals by which the seats are judged, for each strategy.
    scores
        Deals of the distributions, for each strategy.
    strategy_games
        Games of the ranking: as many deals as they are enough for.
    ladder, sample, elements
        Deals of ladders and restrictions (and of luck and skill), of recorded games, and of the elements.
    rules, orders
        Deals at every changed rule: of one strategy against itself, and of all strategies against each other.
    control
        Deals of the controls.
    """

    seats: int
    scores: int
    strategy_games: int
    ladder: int
    sample: int
    elements: int
    rules: int
    orders: int
    control: int

    def scaled(self, deals: int) -> "Budget":
        """Return the budget with this many deals for the seats, and the other parts in proportion.

        No part falls below the fewest deals that carry a claim, unless the seats do.
        """
        least = min(deals, FEWEST_BLOCKS)
        return Budget(*(max(least, round(value * deals / self.seats)) for value in dataclasses.astuple(self)))


EFFORTS = {
    "quick": Budget(40_000, 10_000, 80_000, 1_000, 500, 500, 4_000, 500, 4_000),
    "standard": Budget(200_000, 50_000, 400_000, 5_000, 2_000, 2_000, 20_000, 2_500, 20_000),
    "thorough": Budget(1_000_000, 250_000, 2_000_000, 20_000, 10_000, 10_000, 100_000, 10_000, 100_000),
}


@dataclass(frozen=True, eq=False)
class Request:
    """What a report is asked for, checked.

    Attributes
    ----------
    game, rules, seats, strategies, seed
        What is played; the first strategy is the one whose games are looked at most closely.
    budget, asked
        How much, and how that was asked for: `effort="quick"` or `deals=1000`.
    margin
        The difference from a fair share of wins that does not matter.
    """

    game: Game
    rules: Any
    seats: int
    strategies: tuple[Strategy, ...]
    seed: int
    budget: Budget
    asked: str
    margin: float

    @property
    def base(self) -> Strategy:
        """The strategy whose games are looked at most closely."""
        return self.strategies[0]

    @property
    def specs(self) -> tuple[str, ...]:
        """The names of the strategies."""
        return tuple(strategy.spec for strategy in self.strategies)

    @property
    def variant(self) -> str | None:
        """The name of the variant; None for rules of the user's own."""
        return next((name for name in self.game.variants if self.game.variant(name) == self.rules), None)

    @property
    def settings(self) -> dict[str, Any]:
        """The options that are off their defaults, as JSON values."""
        basic = self.game.rules().to_dict()
        return {name: value for name, value in self.rules.to_dict().items() if value != basic[name]}


def make_request(
    game: str | Game,
    strategies: "str | Strategy | Sequence[str | Strategy] | None" = None,
    *,
    deals: int | None = None,
    effort: str | None = None,
    variant: "str | Rules | None" = None,
    seats: int | None = None,
    seed: int = 1,
    margin: float = MARGIN,
) -> Request:
    """Check what is asked for, and fill in what is not; see `balance_report`.

    Raises
    ------
    UsageError
        As it says.
    """
    found = find_game(game)
    rules = found.resolve_rules(variant)
    budget, asked = _budget(deals, effort)
    chosen = panel(found.name) if strategies is None else _strategies(found, strategies)
    numbers = found.seat_numbers(rules)
    if seats is None:
        seats = next((number for number in numbers if number > 1), numbers[0])
    if isinstance(seats, bool) or not isinstance(seats, int):
        raise UsageError(f"seats={seats!r} does not fit: it takes a whole number")
    found.check_seats(seats, rules)
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 <= margin <= 1:
        raise UsageError(f"margin={margin!r} does not fit: it takes a share of wins from 0 to 1, such as 0.01")
    request = Request(found, rules, seats, tuple(chosen), seed, budget, asked, float(margin))
    table_of(request, chosen[0], budget.seats)  # checks the seed
    return request


def _budget(deals: int | None, effort: str | None) -> tuple[Budget, str]:
    if deals is not None and effort is not None:
        raise UsageError("deals and effort both say how much is played: give one of them")
    if deals is not None:
        check_whole("deals", deals, 1, LARGEST_DEALS)
        return EFFORTS["quick"].scaled(int(deals)), f"deals={deals}"
    effort = "quick" if effort is None else effort
    if effort not in EFFORTS:
        raise UsageError(f"unknown effort {effort!r}{near_misses(effort, EFFORTS)}")
    return EFFORTS[effort], f"effort={effort}"


def _strategies(game: Game, given: "str | Strategy | Sequence[str | Strategy]") -> list[Strategy]:
    named = [given] if isinstance(given, str | Strategy) else list(given)
    if not named:
        raise UsageError("a report needs a strategy: give one or more")
    found = [find_strategy(game.name, spec) for spec in named]
    specs = [strategy.spec for strategy in found]
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is given twice: give each strategy once")
    return found


# --- What is found ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RuleStudy:
    """One option at a time off the value that it has, on the same deals.

    Attributes
    ----------
    alone
        The first strategy at a table of its own, at every setting; point 0 has the rules as they are.
    order
        All strategies at every setting; None for fewer than two.
    settings
        What each point changes: option and value as text; the first is ("", "").
    skipped
        Settings that could not be played at this table, and why.
    units
        The standard deviation over single games of each measure, with the rules as they are; that of the length is a
        tenth of its mean at the least.
    """

    alone: Sweep
    order: Sweep | None
    settings: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]
    units: dict[str, float]

    def effects(self) -> pl.DataFrame:
        """Return one row a setting and measure.

        Columns: `point`, `option`, `value`, `setting`; `measure`; `effect`, the paired difference from the rules as
        they are, with the ends `low` and `high` of intervals that hold for all rows at once (Bonferroni); `clear`,
        whether the interval excludes 0; `size`, how large the effect is, sign apart, in standard deviations of single
        games, with `size_low` and `size_high`.
        """
        rows = []
        for row in self.alone.effects().iter_rows(named=True):
            option, value = self.settings[row["point"]]
            unit = self.units.get(row["measure"], math.nan)
            if row["measure"] not in self.units:
                continue
            known = row["low"] is not None and unit > 0
            ends = sorted((abs(row["low"]), abs(row["high"]))) if known else (math.nan, math.nan)
            rows.append(
                {
                    "point": row["point"],
                    "option": option,
                    "value": value,
                    "setting": f"{option}={value}",
                    "measure": row["measure"],
                    "effect": row["effect"],
                    "low": row["low"],
                    "high": row["high"],
                    "clear": row["clear"],
                    "size": abs(row["effect"]) / unit if known else None,
                    "size_low": (ends[0] if row["low"] * row["high"] > 0 else 0.0) / unit if known else None,
                    "size_high": ends[1] / unit if known else None,
                }
            )
        numbers = ("effect", "low", "high", "size", "size_low", "size_high")
        schema: dict[str, Any] = {
            "point": pl.Int64,
            **dict.fromkeys(("option", "value", "setting", "measure"), pl.String),
            **dict.fromkeys(numbers[:3], pl.Float64),
            "clear": pl.Boolean,
            **dict.fromkeys(numbers[3:], pl.Float64),
        }
        return pl.DataFrame(rows, schema=schema)

    def reversed_pairs(self) -> pl.DataFrame:
        """Return the pairs of strategies that a setting surely puts in the opposite order.

        Columns: `point`, `setting`, `before` (better with the rules as they are), `after` (better with the setting).
        """
        rows = []
        if self.order is not None:
            better: dict[tuple[int, str, str], str | None] = {
                (row["point"], row["a"], row["b"]): row["better"] for row in self.order.order().iter_rows(named=True)
            }
            for (point, a, b), here in better.items():
                base = better[0, a, b]
                if base is not None and here is not None and base != here:
                    rows.append((point, "=".join(self.settings[point]), base, here))
        schema = {"point": pl.Int64, **dict.fromkeys(("setting", "before", "after"), pl.String)}
        return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that a report is made of.

    Attributes
    ----------
    request
        What was asked for.
    balances
        By strategy: a table of its own; the first also has records, ladders and restrictions.
    verdicts
        By strategy: the verdict on the seats, with intervals that hold for all seats of all strategies at once; empty
        for one seat.
    distributions
        By strategy: the scores at a table of its own, or the turns where the score is the win.
    ranking
        Everybody on the same deals; None for one strategy.
    control
        The first strategy against the second, with the controls; against the one that loses on purpose when it is
        alone. None when there is nobody.
    skill
        Luck and skill; None for one strategy.
    rules
        Options off their values; None when the game has none to try.
    elements
        What the game is made of, from `analysis.elements`; None when it tells nothing of that.
    """

    request: Request
    balances: Mapping[str, Balance]
    verdicts: Mapping[str, Seats]
    distributions: Mapping[str, Distribution]
    ranking: Ranking | None
    control: Comparison | None
    skill: Skill | None
    rules: RuleStudy | None
    elements: Elements | None = None

    @property
    def first(self) -> Balance:
        """What the first strategy's own table tells."""
        return self.balances[self.request.base.spec]

    @property
    def games(self) -> int:
        """The games of all parts, without those that were played for records and ladders once more."""
        counted = [found.games for found in self.balances.values()]
        counted += [found.games for found in self.distributions.values()]
        counted += [part.games for part in (self.ranking, self.control, self.skill, self.elements) if part is not None]
        if self.rules:
            counted += [part.games for part in (self.rules.alone, self.rules.order) if part is not None]
        return sum(counted)

    def seat_error(self, spec: str) -> float:
        """Return the largest standard error of a seat's share of wins, over blocks."""
        wins = self.balances[spec].counts.wins
        seats = wins.strategies
        weights = [[seats * (at == seat) - 1 for at in range(seats)] for seat in range(seats)]
        deviations = wins.combined(weights, wins.scale * seats)
        return max(deviations.mean(seat)[1] for seat in range(seats))

    def seat_detectable(self) -> float:
        """Return the smallest deviation from a fair share that the seats' intervals find with a power of 80 %."""
        count = sum(len(verdict.shares) for verdict in self.verdicts.values())
        error = max(self.seat_error(spec) for spec in self.verdicts)
        return smallest_detectable(error, 1 - (1 - CONFIDENCE) / count)


# --- Playing ---------------------------------------------------------------------------------------------------------

WEIGHTS = {
    "seats": 20,
    "scores": 6,
    "strategies": 16,
    "controls": 4,
    "ladders": 12,
    "luck and skill": 6,
    "elements": 8,
    "rules": 16,
    "order under rules": 16,
}


def table_of(request: Request, strategy: Strategy, deals: int) -> Design:
    """Return a strategy's own table, each deal once: to turn a table of equals would play the same games again."""
    players = (strategy.player(),) * request.seats
    return Design(request.game, request.rules, (players,), seed=request.seed, deals=deals, rotate=False)


def gather(request: Request, *, n_jobs: int = -1, backend: str = "threads", progress: bool = True) -> Evidence:
    """Play all that a report needs.

    Parameters
    ----------
    request
        See `make_request`.
    n_jobs, backend, progress
        See `sims.run.run`; one progress bar is shown over all parts.

    Raises
    ------
    StrategyError
        When a strategy breaks its contract.
    """
    work: dict[str, Any] = {"n_jobs": n_jobs, "backend": backend}
    budget, base, others = request.budget, request.base, request.strategies[1:]
    common: dict[str, Any] = {"seed": request.seed, "variant": request.rules, **work}
    game, seats = request.game, request.seats
    with overall_progress(WEIGHTS, progress) as overall:
        overall.part("seats", len(request.strategies))
        balances = play_seats(request, **work)
        overall.part("scores", len(request.strategies))
        distributions = {strategy.spec: _distribution(request, strategy, work) for strategy in request.strategies}
        overall.part("strategies")
        ranking = None
        if others:
            ranking = rank(game, request.strategies, deals=_ranking_deals(request), seats=seats, **common)
        overall.part("controls", 4)
        control = _control(request, common)
        overall.part("ladders", 2)
        first = balance(
            game,
            [base] * seats,
            deals=max(budget.ladder, budget.sample),
            margin=request.margin,
            sample=budget.sample,
            ladder_deals=budget.ladder,
            levels=request.strategies,
            **common,
        )
        balances[base.spec] = dataclasses.replace(balances[base.spec], records=first.records, field=first.field)
        overall.part("luck and skill")
        players = [strategy.player() for strategy in request.strategies]
        skill = measure_skill(table_of(request, base, budget.ladder), players, **work)
        overall.part("elements")
        parts = _elements(request, common)
        rules = _rules(request, balances[base.spec], distributions[base.spec], overall, common)
    verdicts = judge_seats(request, balances)
    return Evidence(request, balances, verdicts, distributions, ranking, control, skill, rules, parts)


def play_seats(
    request: Request, *, n_jobs: int = -1, backend: str = "threads", progress: bool = True
) -> dict[str, Balance]:
    """Play every strategy at a table of its own, by which the seats are judged; the result is by strategy."""
    return {
        strategy.spec: balance(
            request.game,
            [strategy] * request.seats,
            deals=request.budget.seats,
            seed=request.seed,
            variant=request.rules,
            margin=request.margin,
            sample=0,
            ladder_deals=0,
            n_jobs=n_jobs,
            backend=backend,
            progress=progress,
        )
        for strategy in request.strategies
    }


def judge_seats(request: Request, balances: Mapping[str, Balance], tables: int | None = None) -> dict[str, Seats]:
    """Return the verdict on the seats of every table, with intervals that hold for all tables at once (Bonferroni).

    Parameters
    ----------
    request, balances
        What was asked for and played.
    tables
        How many tables are judged in all; by default those of `balances`.
    """
    if request.seats == 1:
        return {}
    confidence = 1 - (1 - CONFIDENCE) / (len(balances) if tables is None else tables)
    return {spec: seat_balance(found.counts, request.margin, confidence) for spec, found in balances.items()}


def _distribution(request: Request, strategy: Strategy, work: dict[str, Any]) -> Distribution:
    game = request.game
    column = game.length if game.score_is_win and game.length else "score"
    place = find_column(game, column)
    bands = named_bands(game.bands) if request.rules == game.rules() and place == SCORE else ()
    design = table_of(request, strategy, request.budget.scores)
    played = run(design, functools.partial(count_blocks, bands=bands, column=place), **work)
    return Distribution(played.result.strategies, (), QUANTILES, bands, design, played.seconds, played.games, column)


def _ranking_deals(request: Request) -> int:
    """Return how many deals the games of the ranking are enough for."""
    contest = make_contest(
        request.game,
        request.strategies,
        seats=request.seats,
        format="auto",
        lineups=None,
        measure="score",
        margin=None,
        variant=request.rules,
        seed=request.seed,
    )
    least = min(request.budget.seats, FEWEST_BLOCKS)
    return max(least, request.budget.strategy_games // contest.design(1).games_a_deal)


def _control(request: Request, common: dict[str, Any]) -> Comparison | None:
    game, base = request.game, request.base
    other = next(iter(request.strategies[1:]), None)
    if other is None:
        weak = (item for item in builtin_strategies(game.name) if WEAK in item.tags and item.digest != base.digest)
        other = next(weak, None)
    if other is None:
        return None
    return compare(game, base, other, deals=request.budget.control, seats=request.seats, **common)


def _elements(request: Request, common: dict[str, Any]) -> Elements | None:
    if request.game.elements is None:
        return None
    return elements(
        request.game, request.base, deals=request.budget.elements, seats=request.seats, confidence=CONFIDENCE, **common
    )


# --- Rules -----------------------------------------------------------------------------------------------------------


def _rules(
    request: Request, own: Balance, scores: Distribution, overall: Overall, common: dict[str, Any]
) -> RuleStudy | None:
    game, rules, seats = request.game, request.rules, request.seats
    settings, skipped = [("", "")], []
    for option, values in game.alternatives(rules).items():
        for value in values:
            text = value_text(value)
            try:
                changed = rules.replace(**{option: value})
                game.check_seats(seats, changed)
            except UsageError as error:
                skipped.append((f"{option}={text}", str(error)))
                continue
            settings.append((option, text))
    if len(settings) == 1:
        return None
    options = list(dict.fromkeys(option for option, _ in settings[1:]))
    grid = pl.DataFrame(
        {
            option: [value if option == changed else value_text(getattr(rules, option)) for changed, value in settings]
            for option in options
        }
    )
    units, measures = _units(request, own, scores)
    rows = (len(settings) - 1) * len(units)
    overall.part("rules", len(settings))
    table: dict[str, Any] = {"seats": seats, **common}
    alone = sweep(
        game,
        [request.base],
        grid,
        deals=request.budget.rules,
        measures=measures,
        confidence=1 - (1 - CONFIDENCE) / rows,
        **table,
    )
    overall.part("order under rules", len(settings))
    order = None
    if len(request.strategies) > 1:
        order = sweep(
            game, request.strategies, grid, deals=request.budget.orders, measures=[], confidence=CONFIDENCE, **table
        )
    return RuleStudy(alone, order, tuple(settings), tuple(skipped), units)


def _units(request: Request, own: Balance, scores: Distribution) -> tuple[dict[str, float], list[str]]:
    """Return the standard deviation over single games of what rules may change, and the names that a sweep takes."""
    game = request.game
    units: dict[str, float] = {}
    measures = []
    if game.score_is_win:
        share = float(own.counts.wins.means.mean())
        units["mean_score"] = math.sqrt(share * (1 - share))
    else:
        units["mean_score"] = scores.histogram(request.base.spec).sd
    if game.length:
        measures.append(game.length)
        lengths = own.counts.lengths
        units[f"mean_{game.length}"] = max(lengths.sd, LEAST_SPREAD * lengths.mean)
    if request.seats > 1:
        fair = 1 / len(game.parties(request.rules, request.seats))
        measures.append("win_seat_0")
        units["win_seat_0"] = math.sqrt(fair * (1 - fair))
    return units, measures


def thin(deals: int) -> bool:
    """Whether deals are too few for any claim."""
    return deals < FEWEST_BLOCKS
