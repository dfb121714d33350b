"""What players do: the plug-in API, one file of strategies a game, and the contract check."""

from strategies.api import Parameter, Restriction, Strategy, heuristic, noisy, restrict, restriction, rollout, strategy
from strategies.specs import builtin_restrictions, builtin_strategies, find_strategy

__all__ = [
    "Parameter",
    "Restriction",
    "Strategy",
    "builtin_restrictions",
    "builtin_strategies",
    "find_strategy",
    "heuristic",
    "noisy",
    "restrict",
    "restriction",
    "rollout",
    "strategy",
]
