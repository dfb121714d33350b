"""Tune: the parameters of a strategy, searched on common deals, raced on fresh ones, and measured on others again.

The best of many settings looks better than it is on the deals that chose it. What is reported is therefore never what
the search saw: the winner is measured against the default parameters on deals that no setting was chosen by.
"""

import contextlib
import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from analysis.comparisons import (
    FEWEST_BLOCKS,
    Control,
    PairedCounts,
    PairedResult,
    control_entry,
    control_passed_mirror,
    control_passed_weak,
    paired_verdict,
    verdict_block,
)
from analysis.intervals import Interval
from analysis.matches import CONTROL_DEALS, count_pairs, defined, make_match
from analysis.sequential import confidence_sequence
from analysis.simultaneous import Moments
from analysis.sweeps import wide_table, wrapped
from sims.design import Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import SCORE, Game, Rules, find_game
from sims.run import run
from sims.table import Player
from strategies.api import Parameter, Strategy
from strategies.specs import builtin_strategies, find_strategy

if TYPE_CHECKING:
    import pandas as pd

FINALISTS = 8
"""So many of the best settings go into the race, with the default parameters and the search's own favourite."""

ROUNDS = 4
"""The race has at most so many rounds, each on twice the deals of the one before."""

ERROR_RATE = 0.05
"""How often the race may drop a setting that is as good as the leader."""

GRID = 9
"""A search in one parameter tries so many values at a time."""

STEPS = 10_000
"""Real parameters are rounded so that their range has at least so many steps: specs stay short."""

LARGEST_BUDGET = 1_000_000

Setting = tuple[float, ...]  # a value for every parameter that is tuned


# --- What is searched ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Space:
    """The parameters that are tuned, and their ranges.

    Attributes
    ----------
    strategy
        The strategy as it was given.
    parameters
        Those of its parameters whose range has more than one value.
    """

    strategy: Strategy
    parameters: tuple[Parameter, ...]

    @property
    def given(self) -> Setting:
        """The values that the strategy was given."""
        values = dict(zip([item.name for item in self.strategy.parameters], self.strategy.values, strict=True))
        return tuple(values[item.name] for item in self.parameters)

    def round(self, values: Sequence[float]) -> Setting:
        """Return the setting nearest to some values: within the ranges, whole where it has to be, and short."""
        return tuple(round_value(item, value) for item, value in zip(self.parameters, values, strict=True))

    def with_setting(self, setting: Setting) -> Strategy:
        """Return the strategy with a setting."""
        return self.strategy.with_values(
            **{item.name: value for item, value in zip(self.parameters, setting, strict=True)}
        )

    def steps(self) -> list[float]:
        """Return the first step of a search in each parameter: a half of its value, kept within its range's scale."""
        return [
            min(max(abs(value) / 2, (item.high - item.low) / 50), (item.high - item.low) / 10)
            for item, value in zip(self.parameters, self.given, strict=True)
        ]


def is_whole(parameter: Parameter) -> bool:
    """Tell whether a parameter takes whole numbers: default and range are declared as Python integers."""
    return all(isinstance(value, int) for value in (parameter.default, parameter.low, parameter.high))


def round_value(parameter: Parameter, value: float) -> float:
    """Return the value nearest to one that a parameter may take: whole, or with few decimals."""
    span = parameter.high - parameter.low
    decimals = 0 if is_whole(parameter) else max(0, math.ceil(math.log10(STEPS / span)))
    return float(min(max(round(value, decimals), parameter.low), parameter.high))


def make_space(strategy: Strategy) -> Space:
    """Return what there is to tune.

    Raises
    ------
    UsageError
        When the strategy has no parameter, or none whose range has two values.
    """
    if not strategy.parameters:
        raise UsageError(f"{strategy.spec} has no parameters to tune")
    free = tuple(item for item in strategy.parameters if item.high > item.low)
    if not free:
        raise UsageError(f"{strategy.spec} has no parameter to tune: the range of each is one value")
    return Space(strategy, free)


# --- Playing settings ------------------------------------------------------------------------------------------------


def block_moments(design: Design, chunk: int, outcomes: Sequence[Outcomes]) -> Moments:
    """Return the moments of the block scores of each line-up's first player, for one chunk."""
    seats = [
        [(rotation, seating.index(0)) for rotation, seating in enumerate(design.seatings(lineup))]
        for lineup in range(len(outcomes))
    ]
    scores = np.stack(
        [
            sum(array[rotation, :, seat, SCORE].astype(np.int64) for rotation, seat in places)
            for array, places in zip(outcomes, seats, strict=True)
        ],
        axis=1,
    )
    return Moments.from_scores(scores, len(seats[0]))


@dataclass
class Field:
    """Plays settings under the same conditions, and adds up what that takes."""

    game: Game
    rules: Any
    space: Space
    opponents: tuple[Player, ...]
    seed: int
    n_jobs: int
    backend: str
    progress: bool
    seconds: float = 0.0
    games: int = 0

    def play(self, settings: Sequence[Setting], first_deal: int, deals: int) -> Moments:
        """Return the moments of the block scores of some settings on the same deals."""
        players = [self.space.with_setting(setting).player() for setting in settings]
        lineups = tuple((player, *self.opponents) for player in players)
        design = Design(self.game, self.rules, lineups, seed=self.seed, first_deal=first_deal, deals=deals)
        played = run(design, block_moments, n_jobs=self.n_jobs, backend=self.backend, progress=self.progress)
        self.seconds, self.games = self.seconds + played.seconds, self.games + played.games
        return played.result

    def compare(self, a: Player, b: Player, first_deal: int, deals: int) -> PairedCounts:
        """Return the paired counts of two players on the same deals, as `compare` counts them."""
        match = make_match(a, b, len(self.opponents) + 1, self.opponents)
        design = Design(self.game, self.rules, match.lineups, seed=self.seed, first_deal=first_deal, deals=deals)
        reduce = functools.partial(count_pairs, sides=match.design_sides(design))
        played = run(design, reduce, n_jobs=self.n_jobs, backend=self.backend, progress=self.progress)
        self.seconds, self.games = self.seconds + played.seconds, self.games + played.games
        return played.result


# --- The search ------------------------------------------------------------------------------------------------------


class Trial(NamedTuple):
    """A setting that the search tried: its mean score on the tuning deals, in points a game."""

    generation: int
    setting: Setting
    mean: float
    standard_error: float


class Search:
    """All settings that were tried; each is played once, however often it is asked for.

    Parameters
    ----------
    play
        `play(settings)` returns the moments of their block scores.
    budget
        The number of different settings that may be tried.
    """

    def __init__(self, play: Callable[[Sequence[Setting]], Moments], budget: int) -> None:
        self.play = play
        self.budget = budget
        self.trials: dict[Setting, Trial] = {}
        self.generation = 0

    @property
    def left(self) -> int:
        """How many more settings may be tried."""
        return self.budget - len(self.trials)

    def means(self, settings: Sequence[Setting]) -> list[float]:
        """Return the mean scores of some settings; those beyond the budget are not played and score minus infinity."""
        new = [setting for setting in dict.fromkeys(settings) if setting not in self.trials][: self.left]
        if new:
            moments = self.play(new)
            for place, setting in enumerate(new):
                self.trials[setting] = Trial(self.generation, setting, *moments.mean(place))
        self.generation += 1
        return [self.trials[setting].mean if setting in self.trials else -math.inf for setting in settings]

    def best(self, count: int) -> list[Setting]:
        """Return the best settings, the best first; of equal ones the one that was tried first."""
        return sorted(self.trials, key=lambda setting: -self.trials[setting].mean)[:count]


def search_grid(space: Space, search: Search) -> None:
    """Search one parameter: nine values over its range, then nine between the neighbours of the best, and so on.

    Parameters
    ----------
    space
        With one parameter.
    search
        Keeps the trials, and stops at its budget.
    """
    parameter = space.parameters[0]
    low, high = parameter.low, parameter.high
    search.means([space.given])
    while search.left:
        values = sorted({space.round([value]) for value in np.linspace(low, high, GRID).tolist()})
        before = search.left
        search.means(values)
        if search.left == before:
            return
        tried = sorted(search.trials)
        place = tried.index(search.best(1)[0])
        low, high = tried[max(place - 1, 0)][0], tried[min(place + 1, len(tried) - 1)][0]


def search_cma(space: Space, search: Search, seed: int) -> Setting:
    """Search two or more parameters by CMA-ES.

    Parameters
    ----------
    space
        With two parameters or more.
    search
        Keeps the trials, and stops at its budget.
    seed
        Of the search's own random numbers.

    Returns
    -------
    Setting
        The centre of the last population: with noise often better than the best that was seen.

    Raises
    ------
    UsageError
        When the package cma is not installed.

    Notes
    -----
    Hansen and Ostermeier, "Completely derandomized self-adaptation in evolution strategies", Evol. Comput. 9 (2001), in
    the implementation of Hansen's package cma, with its handling of bounds and of whole numbers.
    """
    try:
        import cma
    except ImportError as error:
        raise UsageError(
            "tuning two parameters or more needs the package cma, which is not installed: pip install cma"
        ) from error
    whole = [place for place, item in enumerate(space.parameters) if is_whole(item)]
    options = {
        "bounds": [[item.low for item in space.parameters], [item.high for item in space.parameters]],
        "CMA_stds": space.steps(),
        "integer_variables": whole,
        "seed": math.nan,  # it draws from NumPy's global generator, which `own_randomness` lends it
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
    }
    randomness = np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))
    search.means([space.given])
    with own_randomness(randomness):
        evolution = cma.CMAEvolutionStrategy(list(space.given), 1.0, options)
    # A population of settings that were all tried before costs nothing: bound their number too.
    for _ in range(search.budget):
        if not search.left or evolution.stop():
            break
        with own_randomness(randomness):
            asked = evolution.ask()
        means = search.means([space.round(values) for values in asked])
        if not all(map(math.isfinite, means)):
            break
        with own_randomness(randomness):
            evolution.tell(asked, [-mean for mean in means])
    return space.round(evolution.result.xfavorite)


@contextlib.contextmanager
def own_randomness(randomness: np.random.RandomState) -> Iterator[None]:
    """Lend a generator's state to NumPy's global one, and put both back: cma knows no other source of chance."""
    outside = np.random.get_state()
    np.random.set_state(randomness.get_state())
    try:
        yield
    finally:
        randomness.set_state(np.random.get_state())
        np.random.set_state(outside)


# --- The race --------------------------------------------------------------------------------------------------------


class Standing(NamedTuple):
    """A setting after a round of the race, over all rounds so far: its mean, and its difference from the leader."""

    round: int
    blocks: int
    setting: Setting
    mean: float
    behind: float
    low: float
    high: float
    dropped: bool


def race(
    play: Callable[[Sequence[Setting], int, int], Moments],
    settings: Sequence[Setting],
    first_deal: int,
    deals: int,
    margin: float,
) -> tuple[Setting, list[Standing]]:
    """Find the best of some settings on fresh deals, the number doubled every round, dropping what surely is not.

    Parameters
    ----------
    play
        `play(settings, first_deal, deals)` returns the moments of their block scores.
    settings
        Those in the race, the first being the one that was given; of equals the first wins.
    first_deal, deals
        Where the race's deals begin, and the deals of the first round.
    margin
        When all that are left are within this many points of the leader, the race is over, and the first wins where it
        is among them.

    Returns
    -------
    The winner, and the standings of every round.

    Notes
    -----
    The interval of each difference is that of a confidence sequence (see `analysis.sequential`) at the error rate over
    the number of pairs, so that all looks at all pairs together are wrong in at most 5 % of races. Doubling the budget
    of fewer and fewer settings is successive halving: Karnin, Koren and Somekh, "Almost optimal exploration in
    multi-armed bandits", ICML 2013.
    """
    left, standings = list(settings), []
    total: Moments | None = None
    pairs = max(len(left) * (len(left) - 1) // 2, 1)
    most = deals * (2**ROUNDS - 1)
    leader = left[0]
    for lap in range(1, ROUNDS + 1):
        if len(left) == 1:
            break
        more = deals * 2 ** (lap - 1)
        played = play(left, first_deal, more)
        total = played if total is None else total + played
        first_deal += more
        # The first of the largest: exact sums make the choice the same everywhere.
        sums = total.sums
        ahead = max(range(len(left)), key=lambda place: (sums[place], -place))
        leader = left[ahead]
        keep, inside = [], True
        for place, setting in enumerate(left):
            behind, error = total.difference(place, ahead)
            interval = difference_sequence(behind, error, total.blocks, ERROR_RATE / pairs, most)
            dropped = total.blocks >= FEWEST_BLOCKS and interval.high < 0
            standings.append(Standing(lap, total.blocks, setting, total.mean(place)[0], behind, *interval, dropped))
            if not dropped:
                keep.append(place)
                inside = inside and -margin < interval.low <= interval.high < margin
        left = [left[place] for place in keep]
        total = select(total, keep)
        if total.blocks >= FEWEST_BLOCKS and inside:
            # Nothing that matters tells them apart: no reason to leave the first.
            leader = settings[0] if settings[0] in left else leader
            break
    return leader, standings


def difference_sequence(mean: float, standard_error: float, blocks: int, alpha: float, most: int) -> Interval:
    """Return the confidence sequence of a difference; a setting against itself is exactly 0."""
    if mean == 0 and standard_error == 0:
        return Interval(0.0, 0.0)
    return confidence_sequence(mean, standard_error * math.sqrt(blocks), blocks, alpha=alpha, optimised_for=most)


def select(moments: Moments, keep: Sequence[int]) -> Moments:
    """Return the moments of some of the strategies."""
    return Moments(
        moments.blocks,
        tuple(moments.sums[place] for place in keep),
        tuple(tuple(moments.products[place][other] for other in keep) for place in keep),
        moments.scale,
    )


# --- The result ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tuning:
    """What `tune` found.

    Attributes
    ----------
    strategy
        The winner: the strategy with its tuned parameters.
    space
        The strategy as it was given, and what was searched.
    game, rules, opponents, seed
        What was played.
    deals, first_fresh_deal, fresh_deals
        The deals of the search, from deal 0 on, and those of the final measurement; the race's lie between them.
    budget
        How many settings might be tried.
    trials
        Those that were, in their order.
    standings
        Every round of the race.
    counts, result
        The winner (A) against the strategy as it was given (B), on the fresh deals.
    controls
        The mirror control and the known-weak control.
    seconds, games
        How long it took, and the games that were played.
    """

    strategy: Strategy
    space: Space
    game: Game
    rules: Any
    opponents: tuple[str, ...]
    seed: int
    deals: int
    first_fresh_deal: int
    fresh_deals: int
    budget: int
    trials: tuple[Trial, ...]
    standings: tuple[Standing, ...]
    counts: PairedCounts
    result: PairedResult
    controls: dict[str, Control]
    seconds: float
    games: int

    @property
    def spec(self) -> str:
        """The text that names the winner everywhere."""
        return self.strategy.spec

    def _spec(self, setting: Setting) -> str:
        return self.space.with_setting(setting).spec

    def _values(self, setting: Setting) -> dict[str, float]:
        return {item.name: value for item, value in zip(self.space.parameters, setting, strict=True)}

    def trial_table(self) -> pl.DataFrame:
        """Return one row a setting that the search tried.

        Columns: `generation`; `spec`; one for each parameter; `mean` and `standard_error` on the tuning deals, in
        points a game.
        """
        return pl.DataFrame(
            [
                {
                    "generation": trial.generation,
                    "spec": self._spec(trial.setting),
                    **self._values(trial.setting),
                    "mean": trial.mean,
                    "standard_error": defined(trial.standard_error),
                }
                for trial in self.trials
            ],
            schema_overrides={"standard_error": pl.Float64},
        )

    def race_table(self) -> pl.DataFrame:
        """Return one row a round of the race and setting, over all rounds so far.

        Columns: `round`; `blocks`; `spec`; `mean`; `behind`, the difference from the leader, with the ends `low` and
        `high` of its confidence sequence; `dropped`.
        """
        return pl.DataFrame(
            [
                {
                    "round": row.round,
                    "blocks": row.blocks,
                    "spec": self._spec(row.setting),
                    "mean": row.mean,
                    "behind": row.behind,
                    "low": defined(row.low),
                    "high": defined(row.high),
                    "dropped": row.dropped,
                }
                for row in self.standings
            ],
            schema={
                "round": pl.Int64,
                "blocks": pl.Int64,
                "spec": pl.String,
                "mean": pl.Float64,
                "behind": pl.Float64,
                "low": pl.Float64,
                "high": pl.Float64,
                "dropped": pl.Boolean,
            },
        )

    def summary(self) -> pl.DataFrame:
        """Return one row: the winner's `spec`, what it was before (`given`), and the measurement on fresh deals."""
        hidden = ("controls", "design", "parameters", "trials", "race")
        return pl.DataFrame([{key: value for key, value in self.to_dict().items() if key not in hidden}])

    def to_pandas(self) -> "pd.DataFrame":
        """Return `trial_table` for pandas."""
        return self.trial_table().to_pandas()

    @property
    def search_mean(self) -> float:
        """The winner's mean score on the deals that chose it; nan when the search did not try it."""
        setting = self._setting
        return next((trial.mean for trial in self.trials if trial.setting == setting), math.nan)

    @property
    def _setting(self) -> Setting:
        return Space(self.strategy, self.space.parameters).given

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values; a statistic that is not defined is null."""
        result = self.result
        return {
            "spec": self.spec,
            "given": self.space.strategy.spec,
            "parameters": dict(
                zip([item.name for item in self.strategy.parameters], self.strategy.values, strict=True)
            ),
            "blocks": result.blocks,
            "effect": defined(result.effect),
            "low": defined(result.low),
            "high": defined(result.high),
            "margin": result.margin,
            "verdict": result.verdict,
            "mean": self.counts.a.mean / self.counts.scale,
            "given_mean": self.counts.b.mean / self.counts.scale,
            "search_mean": defined(self.search_mean),
            "tried": len(self.trials),
            "seed": self.seed,
            "rules_version": self.game.rules_version,
            "controls": {
                name: {key: defined(value) if isinstance(value, float) else value for key, value in control.items()}
                for name, control in self.controls.items()
            },
            "design": {
                "game": self.game.name,
                "rules": self.rules.to_dict(),
                "opponents": list(self.opponents),
                "budget": self.budget,
                "search_deals": [0, self.deals],
                "race_deals": [self.deals, self.first_fresh_deal],
                "fresh_deals": [self.first_fresh_deal, self.first_fresh_deal + self.fresh_deals],
            },
            "trials": self.trial_table().to_dicts(),
            "race": self.race_table().to_dicts(),
        }

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        given = self.space.strategy.spec
        names = ", ".join(item.name for item in self.space.parameters)
        search = f"Search: {len(self.trials):,} settings of {given} ({names}) on {self.deals:,} common deals."
        found = f"Found: {self.spec}"
        if self.spec == given:
            found = f"No better setting was found than that of {given}."
        elif self.result.verdict != "better":
            found = f"No setting is surely better than that of {given}; the best of the race: {self.spec}"
        mean = self.counts.a.mean / self.counts.scale
        told = f"It scores {mean:.3f} on {self.fresh_deals:,} fresh deals, which no setting was chosen by"
        if not math.isnan(self.search_mean):
            told += f"; {self.search_mean:.3f} on those of the search"
        block = verdict_block(self.result, self.spec, given, self.seed, self.game.rules_version, self.controls)
        parts = [f"{wrapped(found)}\n{wrapped(told + '.')}", block, wrapped(search)]
        if self.standings:
            parts.append(self._race_text())
        return "\n\n".join(parts)

    def _race_text(self) -> str:
        # The last round of each setting says it all.
        last = {row.setting: row for row in self.standings}
        shown = sorted(last.values(), key=lambda row: (-row.round, -row.behind))
        rows = [[self._spec(row.setting)] for row in shown]
        columns = [
            ("rounds", [str(row.round) for row in shown]),
            ("blocks", [f"{row.blocks:,}" for row in shown]),
            ("mean", [f"{row.mean:.3f}" for row in shown]),
            ("from leader", [f"{row.behind:.3f}" for row in shown]),
            ("at best", ["-" if math.isnan(row.high) else f"{row.high:.3f}" for row in shown]),
            ("dropped", ["yes" if row.dropped else "" for row in shown]),
        ]
        heading = "Race on fresh deals: points from the leader, as measured and at best"
        return wrapped(heading) + "\n" + wide_table(("setting",), rows, columns)


# --- The verb --------------------------------------------------------------------------------------------------------


def tune(
    game: str | Game,
    strategy: "str | Strategy",
    *,
    deals: int = 10_000,
    budget: int = 200,
    seed: int = 1,
    against: "Sequence[str | Strategy] | None" = None,
    fresh_deals: int | None = None,
    margin: float | None = None,
    variant: "str | Rules | None" = None,
    n_jobs: int = -1,
    backend: str = "threads",
    progress: bool = True,
) -> Tuning:
    """Search the parameters of a strategy for the highest mean score, and measure what was found on fresh deals.

    Parameters
    ----------
    game
        The game's name.
    strategy
        Who is tuned; the search begins at the values that it has.
    deals
        Deals of the search: every setting is tried on the same. The race uses fresh ones, at most 15 times as many.
    budget
        The number of different settings that the search tries, 2 or more.
    seed
        Of all chance. Search, race and final measurement play different deals of it.
    against
        Opponents at the table, whom the strategy meets at every seat; by default it plays solo, or where a game needs
        more seats, against itself as it was given.
    fresh_deals
        Deals of the final measurement; by default 16 times `deals`.
    margin
        The difference in points a game that does not matter; by default the game's.
    variant, n_jobs, backend, progress
        See `simulate`; workers and backend do not change the result.

    Returns
    -------
    Tuning

    Raises
    ------
    UsageError, StrategyError
        As they say.

    Notes
    -----
    Two parameters or more are searched by CMA-ES (see `search_cma`), a single one by repeated grids (`search_grid`).
    The best eight settings, the one that was given and the centre of CMA-ES's last population go into the `race`.
    """
    found = find_game(game)
    rules = found.resolve_rules(variant)
    space = make_space(find_strategy(found.name, strategy))
    given = space.strategy.player()
    check_whole("budget", budget, 2, LARGEST_BUDGET)
    fresh_deals = deals * 2**ROUNDS if fresh_deals is None else fresh_deals
    margin = found.margin if margin is None else margin
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not (math.isfinite(margin) and margin >= 0):
        raise UsageError(f"margin={margin!r} does not fit: it takes a number of points, 0 or more")
    others = (
        (given,) * (found.seats[0] - 1)
        if against is None
        else tuple(find_strategy(found.name, spec).player() for spec in against)
    )
    first_fresh = deals * 2**ROUNDS
    Design(found, rules, ((given, *others),), seed=seed, deals=deals)
    Design(found, rules, ((given, *others),), seed=seed, deals=fresh_deals, first_deal=first_fresh)
    field = Field(found, rules, space, others, seed, n_jobs, backend, progress)
    search = Search(lambda settings: field.play(settings, 0, deals), budget)
    favourite: list[Setting] = []
    if len(space.parameters) == 1:
        search_grid(space, search)
    else:
        favourite = [search_cma(space, search, seed)]
    entered = dict.fromkeys([space.given, *search.best(FINALISTS), *favourite])
    winner, standings = race(field.play, list(entered), deals, deals, margin)
    strategy_found = space.with_setting(winner)
    player = strategy_found.player()
    counts = field.compare(player, given, first_fresh, fresh_deals)
    result = paired_verdict(counts, margin)
    controls = _controls(field, player, given, result, first_fresh, min(fresh_deals, CONTROL_DEALS))
    return Tuning(
        strategy_found,
        space,
        found,
        rules,
        tuple(player.spec for player in others),
        seed,
        deals,
        first_fresh,
        fresh_deals,
        budget,
        tuple(search.trials.values()),
        tuple(standings),
        counts,
        result,
        controls,
        field.seconds,
        field.games,
    )


def _controls(
    field: Field, winner: Player, given: Player, result: PairedResult, first_deal: int, deals: int
) -> dict[str, Control]:
    """Play the controls of the final measurement, as `compare` does."""
    # The same player with other draws of its own: differences come and go, and must cancel.
    twin = dataclasses.replace(winner, stream=1)
    mirror = paired_verdict(field.compare(winner, twin, first_deal, deals), result.margin)
    controls = {"mirror": control_entry(winner.spec, mirror, control_passed_mirror(mirror))}
    weak = next((item for item in builtin_strategies(field.game.name) if "weak" in item.tags), None)
    if weak is not None:
        stronger = winner if result.effect >= 0 else given
        lost = paired_verdict(field.compare(stronger, weak.player(), first_deal, deals), result.margin)
        passed = control_passed_weak(lost) if stronger.digest != weak.digest else None
        controls["weak"] = control_entry(weak.spec, lost, passed)
    return controls
