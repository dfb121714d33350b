"""Tune: the parameters of a strategy, searched on common deals, raced on fresh ones, and measured on others again.

The best of many settings looks better than it is on the deals that chose it. What is reported is therefore never what
the search saw: the winner is measured against the default parameters on deals that no setting was chosen by.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from analysis.frames import defined
from analysis.matches import CONTROL_DEALS, Pairing, check_margin, find_unit
from analysis.races import Standing, last_standings, run_race, standings_frame, standings_text
from analysis.searches import Search, Setting, Space, Trial, make_space, read_settings, search_cma, search_grid
from analysis.simultaneous import Moments
from analysis.tables import wrapped
from sims.design import Design, Outcomes, check_whole
from sims.errors import UsageError
from sims.game import SCORE, Game, Rules, find_game
from sims.run import run
from sims.table import Player
from strategies.api import Strategy
from strategies.specs import find_strategy

if TYPE_CHECKING:
    import pandas as pd

FINALISTS = 8
"""So many of the best settings go into the race, with the default parameters and the search's own favourite."""

RACE_LENGTH = 15
"""The race plays at most so many times the deals of the search."""

ERROR_RATE = 0.05
"""The share of races in which the best setting may be dropped as worse."""

LARGEST_BUDGET = 1_000_000


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
    tuple
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
        unit = find_unit(self.game, "score")
        gets = f"scores {mean:.3f}" if unit == POINTS else f"{unit.does} {mean:.3f} {unit.a_game}"
        told = f"It {gets} on {self.fresh_deals:,} fresh deals, which no setting was chosen by"
        if not math.isnan(self.search_mean):
            told += f"; {self.search_mean:.3f} on those of the search"
        version = self.game.rules_version
        block = verdict_block(self.result, self.spec, given, self.seed, version, self.controls, unit=unit)
        parts = [f"{wrapped(found)}\n{wrapped(told + '.')}", block, wrapped(search)]
        if self.standings:
            title = wrapped(f"Race on fresh deals: {unit.name} from the leader, as measured and at best")
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
        the `trial_table` of an earlier search. The search goes on from the best of them. If they were chosen on more
        deals than these, give another seed: race and measurement are to play deals that nothing was chosen by.
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
    margin = check_margin(found, find_unit(found, "score"), margin)
    others = (
        (given,) * (found.seat_numbers(rules)[0] - 1)
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
