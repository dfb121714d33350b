"""crosslab: Monte Carlo strategy analysis for four tabletop games.

The verbs have the same words here and on the command line: `simulate`, `distribution`, `compare`,
`rank`, `balance`, `elements`, `sweep`, `tune`, `solve`, `replay`, `check`. Names are loaded
when they are first used, so that importing this package costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.balance import Balance as Balance
    from analysis.balance import balance as balance
    from analysis.early import EarlyComparison as EarlyComparison
    from analysis.early import compare_until_decided as compare_until_decided
    from analysis.elements import Elements as Elements
    from analysis.elements import elements as elements
    from analysis.elements import elements_of_records as elements_of_records
    from analysis.histogram import Histogram as Histogram
    from analysis.matches import Comparison as Comparison
    from analysis.matches import compare as compare
    from analysis.played import compare_played as compare_played
    from analysis.played import rank_played as rank_played
    from analysis.races import Race as Race
    from analysis.races import race as race
    from analysis.rankings import Ranking as Ranking
    from analysis.rankings import rank as rank
    from analysis.regret import Solved as Solved
    from analysis.regret import solve as solve
    from analysis.scores import Distribution as Distribution
    from analysis.scores import distribution as distribution
    from analysis.scores import distribution_of_frame as distribution_of_frame
    from analysis.simulation import Results as Results
    from analysis.simulation import simulate as simulate
    from analysis.sweeps import Sweep as Sweep
    from analysis.sweeps import sweep as sweep
    from analysis.targets import Target as Target
    from analysis.targets import find_target as find_target
    from analysis.tuning import Tuning as Tuning
    from analysis.tuning import tune as tune
    from crosslab.verbs import narrate as narrate
    from crosslab.verbs import replay as replay
    from crosslab.verbs import strategies as strategies
    from reports.balance import BalanceReport as BalanceReport
    from reports.balance import balance_report as balance_report
    from reports.balance import compare_designs as compare_designs
    from reports.comparison import write_comparison as write_comparison
    from sims.errors import CrosslabError as CrosslabError
    from sims.errors import StoreError as StoreError
    from sims.errors import StrategyError as StrategyError
    from sims.errors import UsageError as UsageError
    from sims.game import find_game as find_game
    from sims.game import game_names as game_names
    from strategies.api import Parameter as Parameter
    from strategies.api import Strategy as Strategy
    from strategies.api import heuristic as heuristic
    from strategies.api import noisy as noisy
    from strategies.api import restrict as restrict
    from strategies.api import restriction as restriction
    from strategies.api import rollout as rollout
    from strategies.api import strategy as strategy
    from strategies.contract import check as check
    from strategies.specs import find_strategy as find_strategy

_HOMES = {
    "analysis.balance": (
        "Balance",
        "balance",
    ),
    "analysis.early": (
        "EarlyComparison",
        "compare_until_decided",
    ),
    "analysis.elements": ("Elements", "elements", "elements_of_records"),
    "analysis.played": ("compare_played", "rank_played"),
    "analysis.races": ("Race", "race"),
    "analysis.rankings": (
        "Ranking",
        "rank",
    ),
    "analysis.regret": ("Solved", "solve"),
    "analysis.scores": (
        "Distribution",
        "distribution",
        "distribution_of_frame",
    ),
    "analysis.sweeps": ("Sweep", "sweep"),
    "analysis.targets": ("Target", "find_target"),
    "analysis.tuning": ("Tuning", "tune"),
    "analysis.histogram": ("Histogram",),
    "analysis.matches": ("Comparison", "compare"),
    "analysis.simulation": ("Results", "simulate"),
    "crosslab.verbs": ("narrate", "replay", "strategies"),
    "reports.balance": ("BalanceReport", "balance_report", "compare_designs"),
    "reports.comparison": ("write_comparison",),
    "sims.errors": ("CrosslabError", "StoreError", "StrategyError", "UsageError"),
    "sims.game": ("find_game", "game_names"),
    "strategies.api": ("Parameter", "Strategy", "heuristic", "noisy", "restrict", "restriction", "rollout", "strategy"),
    "strategies.contract": ("check",),
    "strategies.specs": ("find_strategy",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return [*globals(), *__all__]
