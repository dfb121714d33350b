"""Tune: the parameters of a strategy, searched on common deals, raced on fresh ones, and measured on others again.

The best of many settings looks better than it is on the deals that chose it. What is reported is therefore never what
the search saw: the winner is measured against the default parameters on deals that no setting was chosen by.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from analysis.comparisons import (
    POINTS,
    Control,
    PairedCounts,
    PairedResult,
    paired_verdict,
    verdict_block,
)
from analysis.frames import check_filled, defined, to_polars
from analysis.matches import CONTROL_DEALS, Pairing, check_margin
from analysis.races import Standing, last_standings, run_race, standings_frame, standings_text
from analysis.simultaneous import Moments
from analysis.sweeps import wrapped
from sims.design import Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import SCORE, Game, Rules, find_game, near_misses
from sims.run import run
from sims.table import Player
from strategies.api import Parameter, Strategy
from strategies.specs import find_strategy

if TYPE_CHECKING:
    import pandas as pd

FINALISTS = 8
"""So many of the best settings go into the race, with the default parameters and the search's own favourite."""

RACE_LENGTH = 15
"""The race plays at most so many times the deals of the search."""

ERROR_RATE = 0.05
"""The share of races in which the best setting may be dropped as worse."""

GRID = 9
"""A search in one parameter tries so many values at a time."""

STEPS = 10_000
"""Real parameters are rounded so that their range has at least so many steps: specs stay short."""

LARGEST_BUDGET = 1_000_000

TABLE = "the table of settings"
TRIAL_COLUMNS = ("generation", "spec", "mean", "standard_error")
"""What the table of trials has beside a column for each parameter."""

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

    def steps(self, start: Setting) -> list[float]:
        """Return the first step of a search in each parameter: a half of its value, kept within its range's scale."""
        return [
            min(max(abs(value) / 2, (item.high - item.low) / 50), (item.high - item.low) / 10)
            for item, value in zip(self.parameters, start, strict=True)
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
        When the strategy has no parameter, none whose range has two values, or one that is called like a column of the
        table of trials.
    """
    if not strategy.parameters:
        raise UsageError(f"{strategy.spec} has no parameters to tune")
    free = tuple(item for item in strategy.parameters if item.high > item.low)
    if not free:
        raise UsageError(f"{strategy.spec} has no parameter to tune: the range of each is one value")
    taken = next((item.name for item in free if item.name in TRIAL_COLUMNS), None)
    if taken is not None:
        raise UsageError(f"the parameter {taken} of {strategy.spec} has the name of a column of results: rename it")
    return Space(strategy, free)


def read_settings(space: Space, frame: "pl.DataFrame | pd.DataFrame") -> list[Setting]:
    """Return the settings that a frame has.

    Parameters
    ----------
    space
        What is tuned.
    frame
        One row a setting, one column a parameter; a parameter without a column has the value that it was given. The
        other columns of `Tuning.trial_table` are not looked at. A text is read as a number.

    Returns
    -------
    list of Setting
        Rounded as those of a search, each once.

    Raises
    ------
    UsageError
        For an unknown column, a missing value, one that does not fit, and a frame without rows or parameters.
    """
    rows = to_polars(frame, TABLE, row="setting")
    known = {item.name: item for item in space.parameters}
    named = [name for name in rows.columns if name not in TRIAL_COLUMNS]
    stranger = next((name for name in named if name not in known), None)
    if stranger is not None:
        raise UsageError(
            f"{TABLE} has the column {stranger!r}, which {space.strategy.spec} has no parameter for"
            f"{near_misses(stranger, known)}"
        )
    if not named:
        raise UsageError(f"{TABLE} has no column of a parameter; there are: {', '.join(known)}")
    check_filled(rows, named, TABLE)
    columns = [
        [_read_number(item, value, space.strategy.name) for value in rows[item.name].to_list()]
        if item.name in named
        else [value] * rows.height
        for item, value in zip(space.parameters, space.given, strict=True)
    ]
    return list(dict.fromkeys(space.round(values) for values in zip(*columns, strict=True)))


def _read_number(parameter: Parameter, value: Any, owner: str) -> float:
    if isinstance(value, str):
        with contextlib.suppress(ValueError):  # what is no number is told as the text that it is
            value = float(value)
    return parameter.check(value, owner)


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
    """Plays settings under the same conditions, and adds up what that takes; `work` goes to `sims.run.run`."""

    game: Game
    rules: Any
    space: Space
    opponents: tuple[Player, ...]
    seed: int
    work: dict[str, Any]
    seconds: float = 0.0
    games: int = 0

    def play(self, settings: Sequence[Setting], first_deal: int, deals: int) -> Moments:
        """Return the moments of the block scores of some settings on the same deals."""
        players = [self.space.with_setting(setting).player() for setting in settings]
        lineups = tuple((player, *self.opponents) for player in players)
        design = Design(self.game, self.rules, lineups, seed=self.seed, first_deal=first_deal, deals=deals)
        played = run(design, block_moments, **self.work)
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


def search_grid(space: Space, search: Search, first: Sequence[Setting] = ()) -> None:
    """Search one parameter: nine values over its range, then nine between the neighbours of the best, and so on.

    Parameters
    ----------
    space
        With one parameter.
    search
        Keeps the trials, and stops at its budget.
    first
        Settings to try after the one that was given.
    """
    parameter = space.parameters[0]
    low, high = parameter.low, parameter.high
    search.means([space.given, *first])
    while search.left:
        values = sorted({space.round([value]) for value in np.linspace(low, high, GRID).tolist()})
        before = search.left
        search.means(values)
        if search.left == before:
            return
        tried = sorted(search.trials)
        place = tried.index(search.best(1)[0])
        low, high = tried[max(place - 1, 0)][0], tried[min(place + 1, len(tried) - 1)][0]


def search_cma(space: Space, search: Search, seed: int, first: Sequence[Setting] = ()) -> Setting:
    """Search two or more parameters by CMA-ES, from the best of the settings that are there at the start.

    Parameters
    ----------
    space
        With two parameters or more.
    search
        Keeps the trials, and stops at its budget.
    seed
        Of the search's own random numbers.
    first
        Settings to try after the one that was given.

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
    search.means([space.given, *first])
    start = search.best(1)[0]
    whole = [place for place, item in enumerate(space.parameters) if is_whole(item)]
    options = {
        "bounds": [[item.low for item in space.parameters], [item.high for item in space.parameters]],
        "CMA_stds": space.steps(start),
        "integer_variables": whole,
        "seed": math.nan,  # it draws from NumPy's global generator, which `own_randomness` lends it
        "verbose": -9,
        "verb_log": 0,
        "verb_disp": 0,
    }
    randomness = np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))
    with own_randomness(randomness):
        evolution = cma.CMAEvolutionStrategy(list(start), 1.0, options)
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


def race_settings(
    play: Callable[[Sequence[Setting], int, int], Moments],
    settings: Sequence[Setting],
    first_deal: int,
    deals: int,
    margin: float,
) -> tuple[Setting, list[Standing]]:
    """Race settings against each other on fresh deals; see `analysis.races.run_race`.

    Parameters
    ----------
    play
        `play(settings, first_deal, deals)` returns the moments of their block scores.
    settings
        Those in the race, the first being the one that was given; of equals the first wins.
    first_deal, deals
        Where the race's deals begin, and the deals of the first round.
    margin
        A setting within this many points of the leader is dropped as equivalent; but where that is the first, it wins:
        nothing that matters speaks for leaving it.

    Returns
    -------
    The winner, and the standings of every round, in which settings have their numbers; none for a single setting.
    """
    if len(settings) == 1:
        return settings[0], []
    standings = run_race(
        lambda left, done, more: play([settings[place] for place in left], first_deal + done, more),
        len(settings),
        budget=deals * RACE_LENGTH,
        margin=margin,
        alpha=ERROR_RATE,
        first=deals,
    )
    leader = standings[-1].leader
    last_of_first = next(row for row in reversed(standings) if row.strategy == 0)
    stays = last_of_first.status == "equivalent" and last_of_first.leader == leader
    return settings[0 if stays else leader], standings


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
    initial
        The settings that were given to be tried first.
    trials
        Those that were tried, in their order.
    entrants, standings
        The settings that were in the race, and every round of it; `Standing.strategy` is the number of an entrant.
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
    initial: tuple[Setting, ...]
    trials: tuple[Trial, ...]
    entrants: tuple[Setting, ...]
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

        Columns: `round`; `blocks`; `spec`; `leader`; `mean`; `behind`, the difference from the leader, with the ends
        `low` and `high` of its confidence sequence; `status`: leads, left, or dropped as worse or equivalent.
        """
        return standings_frame(self._entrant_specs, self.standings).rename({"strategy": "spec"})

    @property
    def _entrant_specs(self) -> list[str]:
        return [self._spec(setting) for setting in self.entrants]

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
        told = {
            "spec": self.spec,
            "given": self.space.strategy.spec,
            "parameters": dict(
                zip([item.name for item in self.strategy.parameters], self.strategy.values, strict=True)
            ),
            "blocks": result.blocks,
            "effect": result.effect,
            "low": result.low,
            "high": result.high,
            "margin": result.margin,
            "verdict": result.verdict,
            "mean": self.counts.a.mean / self.counts.scale,
            "given_mean": self.counts.b.mean / self.counts.scale,
            "search_mean": self.search_mean,
            "tried": len(self.trials),
            "seed": self.seed,
            "rules_version": self.game.rules_version,
            "controls": self.controls,
            "design": {
                "game": self.game.name,
                "rules": self.rules.to_dict(),
                "opponents": list(self.opponents),
                "budget": self.budget,
                "initial": [self._values(setting) for setting in self.initial],
                "search_deals": [0, self.deals],
                "race_deals": [self.deals, self.first_fresh_deal],
                "fresh_deals": [self.first_fresh_deal, self.first_fresh_deal + self.fresh_deals],
            },
            "trials": self.trial_table().to_dicts(),
            "race": self.race_table().to_dicts(),
        }
        return dict(defined(told))

    def text(self) -> str:
        """Return what was found as text, at most 80 columns wide."""
        given = self.space.strategy.spec
        names = ", ".join(item.name for item in self.space.parameters)
        search = f"Search: {len(self.trials):,} settings of {given} ({names}) on {self.deals:,} common deals"
        search += f", beginning with {len(self.initial):,} from a table." if self.initial else "."
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
            title = wrapped("Race on fresh deals: points from the leader, as measured and at best")
            table = standings_text("setting", self._entrant_specs, last_standings(self.standings), 3)
            parts.append(f"{title}\n{table}")
        return "\n\n".join(parts)


# --- The verb --------------------------------------------------------------------------------------------------------


def tune(
    game: str | Game,
    strategy: "str | Strategy",
    *,
    deals: int = 10_000,
    budget: int = 200,
    initial: "pl.DataFrame | pd.DataFrame | None" = None,
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
    initial
        Settings to try first: a frame, for Polars or pandas, with one row a setting and one column a parameter, such as
        the `trial_table` of an earlier search. The search goes on from the best of them.
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
    The best eight settings, the one that was given and the centre of CMA-ES's last population go into the race (see
    `race_settings`).
    """
    found = find_game(game)
    rules = found.resolve_rules(variant)
    space = make_space(find_strategy(found.name, strategy))
    given = space.strategy.player()
    check_whole("budget", budget, 2, LARGEST_BUDGET)
    first = () if initial is None else tuple(item for item in read_settings(space, initial) if item != space.given)
    if len(first) + 1 >= budget and first:
        raise UsageError(
            f"budget={budget} leaves nothing to search: {len(first) + 1} settings are tried first; "
            "give a larger budget, or fewer rows"
        )
    fresh_deals = deals * (1 + RACE_LENGTH) if fresh_deals is None else fresh_deals
    margin = check_margin(found, POINTS, margin)
    others = (
        (given,) * (found.seats[0] - 1)
        if against is None
        else tuple(find_strategy(found.name, spec).player() for spec in against)
    )
    first_fresh = deals * (1 + RACE_LENGTH)
    Design(found, rules, ((given, *others),), seed=seed, deals=deals)
    Design(found, rules, ((given, *others),), seed=seed, deals=fresh_deals, first_deal=first_fresh)
    work: dict[str, Any] = {"n_jobs": n_jobs, "backend": backend, "progress": progress}
    field = Field(found, rules, space, others, seed, work)
    search = Search(lambda settings: field.play(settings, 0, deals), budget)
    favourite: list[Setting] = []
    if len(space.parameters) == 1:
        search_grid(space, search, first)
    else:
        favourite = [search_cma(space, search, seed, first)]
    entered = dict.fromkeys([space.given, *search.best(FINALISTS), *favourite])
    winner, standings = race_settings(field.play, list(entered), deals, deals, margin)
    strategy_found = space.with_setting(winner)
    pairing = Pairing(found, rules, strategy_found.player(), given, len(others) + 1, others, margin, seed)
    _, measured = pairing.play(pairing.a, given, fresh_deals, first_deal=first_fresh, **work)
    result = paired_verdict(measured.result, margin)
    controls, more = pairing.controls(result, min(fresh_deals, CONTROL_DEALS), first_deal=first_fresh, **work)
    runs = [measured, *more]
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
        first,
        tuple(search.trials.values()),
        tuple(entered),
        tuple(standings),
        measured.result,
        result,
        controls,
        field.seconds + sum(other.seconds for other in runs),
        field.games + sum(other.games for other in runs),
    )
