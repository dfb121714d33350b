"""Figures: functions that take frames and return matplotlib Axes. They count nothing and decide nothing.

Each function draws into the Axes that it is given, or into a new figure that pyplot does not know of, so none needs a
display. In a notebook, end a cell with `score_distributions(frame).figure`. Frames are Polars or pandas frames; the
docstrings name the columns, and the result of `analysis` that has them.
"""

from reports.figures.bars import MOST_BARS, bar_edges
from reports.figures.boards import board_heatmap
from reports.figures.comparing import intervals, matchup_heatmap, paired_difference, rank_intervals
from reports.figures.course import choice_width, game_length, lead_over_time, winner_over_time
from reports.figures.exact import regret_to_optimal
from reports.figures.fairness import luck_and_skill, seat_shares, skill_ladder
from reports.figures.rules import ranking_flips, rule_sensitivity
from reports.figures.scores import rank_bands, score_distributions, score_ecdf
from reports.figures.style import STYLE, house_style, render
from reports.figures.words import decimals, percent, points, printable, span

__all__ = [
    "MOST_BARS",
    "STYLE",
    "bar_edges",
    "board_heatmap",
    "choice_width",
    "decimals",
    "game_length",
    "house_style",
    "intervals",
    "lead_over_time",
    "luck_and_skill",
    "matchup_heatmap",
    "paired_difference",
    "percent",
    "points",
    "printable",
    "rank_bands",
    "rank_intervals",
    "ranking_flips",
    "regret_to_optimal",
    "render",
    "rule_sensitivity",
    "score_distributions",
    "score_ecdf",
    "seat_shares",
    "skill_ladder",
    "span",
    "winner_over_time",
]
