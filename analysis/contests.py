"""Contests: what `rank` and `race` are asked, checked: who plays in which tournament, and what the order is by."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.comparisons import UNITS
from analysis.matches import check_margin
from analysis.tournaments import MEASURES, Measure, Tournament, make_tournament, resolve_format
from sims.design import Design
from sims.errors import UsageError
from sims.game import Game, Rules, find_game, near_misses
from strategies.api import Strategy
from strategies.specs import find_strategy, quick_strategies


@dataclass(frozen=True, eq=False)
class Contest:
    """Strategies that are to be put in order.

    Attributes
    ----------
    game, rules, seed
        What is played, with which deals.
    strategies
        Who plays, by number.
    tournament
        Who meets whom.
    measure, margin
        What the order is by, and the difference in it that does not matter.
    """

    game: Game
    rules: Any
    seed: int
    strategies: tuple[Strategy, ...]
    tournament: Tournament
    measure: Measure
    margin: float

    @property
    def specs(self) -> tuple[str, ...]:
        """The names of the strategies."""
        return tuple(item.spec for item in self.strategies)

    def design(self, deals: int, *, first_deal: int = 0, part: Tournament | None = None) -> Design:
        """Return the design of some deals, of all line-ups or of a part of the tournament's."""
        lineups = (part or self.tournament).seated([item.player() for item in self.strategies])
        return Design(self.game, self.rules, lineups, seed=self.seed, deals=deals, first_deal=first_deal)


def make_contest(
    game: str | Game,
    strategies: "Sequence[str | Strategy] | None",
    *,
    seats: int | None,
    format: str,
    lineups: int | None,
    measure: str,
    margin: float | None,
    variant: "str | Rules | None",
    seed: int,
) -> Contest:
    """Check the arguments of a ranking (see `analysis.rankings.rank`) and return the contest.

    Raises
    ------
    UsageError
        For names, seats, a format, a measure or a margin that do not fit.
    """
    found = find_game(game)
    rules = found.resolve_rules(variant)
    chosen = find_field(found, strategies)
    by = check_measure(measure)
    by = "win" if found.score_is_win else by
    margin = check_margin(found, UNITS[by], margin)
    who = resolve_format(found, rules, format, seats, len(chosen))
    tournament = make_tournament(found, rules, len(chosen), *who, lineups=lineups, seed=seed)
    return Contest(found, rules, seed, chosen, tournament, by, margin)


def find_field(game: Game, strategies: "Sequence[str | Strategy] | None") -> tuple[Strategy, ...]:
    """Return the strategies of a ranking, all built-in ones that are not slow for None; each may be there once."""
    if strategies is None:
        return tuple(quick_strategies(game.name))
    if isinstance(strategies, str | Strategy) or not isinstance(strategies, Sequence):
        raise UsageError(f"strategies={strategies!r} does not fit: it takes a list of two or more")
    found = tuple(find_strategy(game.name, spec) for spec in strategies)
    specs = [item.spec for item in found]
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if twice is not None:
        raise UsageError(f"{twice} is in the field twice: name each strategy once")
    return found


def check_measure(measure: str) -> Measure:
    """Return a measure, or say which there are."""
    if measure not in MEASURES:
        raise UsageError(f"unknown measure {measure!r}{near_misses(measure, MEASURES)}")
    return next(item for item in MEASURES if item == measure)


def heading(name: str, tournament: Tournament, measure: Measure, deals: str, design: Design) -> str:
    """Return the sentence that says what was played."""
    by = "mean score" if measure == "score" else "share of wins"
    played = {
        "solo": "solo",
        "round-robin": f"round robin of {tournament.seats} seats",
        "one-against-all": f"one against all at {tournament.seats} seats",
        "tables": f"{len(tournament.lineups):,} tables of {tournament.seats} seats",
    }[tournament.format]
    version = design.game.rules_version
    return (
        f"{name} in {design.game.name} by {by}: {tournament.strategies} strategies, {played}, {deals}, "
        f"seed {design.seed}, rules version {version}."
    )
