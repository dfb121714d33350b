"""The options of CrossWays, and the records that its kernel works in."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype, types

from sims import chance
from sims.bits import Word
from sims.crossways.facts import (
    GOAL_NAMES,
    MAX_DECKS,
    MAX_HAND,
    MAX_MARKERS,
    MAX_SEATS,
    MAX_TEAMS,
    MAX_TURNS,
    SIDE,
    SQUARES,
    WHITE,
)
from sims.crossways.layouts import Layout, find_layout
from sims.game import Flag, OneOf, Rules, Whole, option

MAX_SETS = 64  # no hand of six cards has more than 62


@dataclass(frozen=True)
class CrossWaysRules(Rules):
    """The options of CrossWays; the defaults are the rulebook's game."""

    layout: str = option("default", Layout(), "where the squares are")
    team_size: int = option(1, Whole(1, 2), "1: every seat plays for itself; 2: partners sit opposite")
    hand: int = option(5, Whole(1, MAX_HAND), "cards that a seat holds when it plays for itself")
    team_hand: int = option(4, Whole(1, MAX_HAND), "cards that a seat of a team holds")
    markers: int = option(24, Whole(SIDE, MAX_MARKERS), "markers of a team")
    decks: int = option(2, Whole(1, MAX_DECKS), "decks of 52 cards that are shuffled together")
    goal: str = option("sides", OneOf(GOAL_NAMES), "what wins")
    double_down: bool = option(False, Flag(), "whether two markers of a team on a square block the paths of all others")
    king_of_the_mountain: bool = option(False, Flag(), "whether only the topmost marker of a square counts")
    diagonals: bool = option(
        False, Flag(), "whether a white square with four markers of a team is linked to its diagonal neighbours"
    )
    pairs_and_runs: bool = option(False, Flag(), "whether a pair and a run may be played together")
    jokers_wild: bool = option(False, Flag(), "whether the jokers (two a deck) are in the game")
    may_pass: bool = option(True, Flag(), "whether a seat may pass although it could play")
    discard_on_pass: bool = option(
        False, Flag(), "whether a pass discards one card and draws one, and never ends the game"
    )
    turn_limit: int = option(400, Whole(1, MAX_TURNS), "turns after which the game ends undecided, passes among them")


VARIANTS: dict[str, dict[str, Any]] = {
    "basic": {},
    "teams": {"team_size": 2},
    "double-down": {"double_down": True},
    "king-of-the-mountain": {"king_of_the_mountain": True},
    "diagonals": {"diagonals": True},
    "pairs-and-runs": {"pairs_and_runs": True},
    "jokers-wild": {"jokers_wild": True},
}


def seat_counts(rules: CrossWaysRules) -> tuple[int, ...]:
    """Return the numbers of seats that the rules allow: 2 to 4, or twice as many in teams of two."""
    return tuple(teams * rules.team_size for teams in range(2, MAX_TEAMS + 1))


VIEW = np.dtype(
    [
        ("one", np.uint64, (MAX_TEAMS,)),  # bit s: the team has a marker on square s (8·row + column)
        ("two", np.uint64, (MAX_TEAMS,)),  # … two or more
        ("four", np.uint64, (MAX_TEAMS,)),  # … four: on a white square, with the option diagonals
        ("top", np.uint64, (MAX_TEAMS,)),  # … the topmost one
        ("closed", np.uint64),  # squares with two markers of a team
        ("white", np.uint64),  # the white squares
        ("spots", np.uint64, (32,)),  # the squares of every colour and rank: colour << 4 | rank
        ("stacks", np.uint16, (SQUARES,)),  # the markers of every square: three bits each, team + 1, the lowest first
        ("squares", np.uint8, (SQUARES,)),  # colour << 4 | rank of every square, 31 for a white one
        ("turn", np.uint16),  # from 1
        ("turn_limit", np.uint16),
        ("set_count", np.uint16),
        ("sets", np.uint16, (MAX_SETS,)),  # what can be played with which cards: kind << 6 | cards of the hand
        ("hand", np.uint8, (MAX_HAND,)),  # faces of the seat's own cards, ascending
        ("hand_sizes", np.uint8, (MAX_SEATS,)),
        ("supplies", np.uint8, (MAX_TEAMS,)),  # markers that are not on the board
        ("discards", np.uint8, (64,)),  # cards of every face among the discards
        ("deck", np.uint8),  # cards left in it
        ("seat", np.uint8),
        ("team", np.uint8),
        ("seats", np.uint8),
        ("teams", np.uint8),
        ("passes", np.uint16),  # passes in a row before this turn
        ("reshuffles", np.uint16),
        ("ended", np.uint8),
        ("winner", np.uint8),  # the team that reached the goal
        ("ahead", np.uint8),  # 1 in the view to think ahead in
        ("goal", np.uint8),  # the rules in force: place in GOAL_NAMES
        ("hand_limit", np.uint8),
        ("markers", np.uint8),
        ("decks", np.uint8),
        ("double_down", np.uint8),
        ("king_of_the_mountain", np.uint8),
        ("diagonals", np.uint8),
        ("pairs_and_runs", np.uint8),
        ("jokers", np.uint8),  # jokers in the game
        ("may_pass", np.uint8),
        ("discard_on_pass", np.uint8),
    ],
    align=True,
)

LOG = np.dtype(
    [
        ("key", np.uint64),  # of the deal: the cards are drawn again to tell the game
        ("turns", np.uint16),
        ("moves", np.uint64, (MAX_TURNS,)),
    ],
    align=True,
)

PARAMETERS = types.Array(types.float64, 1, "C", aligned=False)  # as Numba types an array inside a record
CHOOSE = types.uint64(from_dtype(VIEW), from_dtype(chance.STREAM), PARAMETERS)
VALUE = types.float64(from_dtype(VIEW), types.uint64, PARAMETERS)
FORBID = types.int64(from_dtype(VIEW), types.uint64, PARAMETERS)


def new_views(rules: CrossWaysRules, seats: int) -> Any:
    """Return two views, shape (2,), with the rules filled in: one for the table and one to think ahead in."""
    views = np.zeros(2, VIEW).view(np.recarray)
    squares = find_layout(rules.layout)
    for view in views:
        view.seats, view.teams = seats, seats // rules.team_size
        view.hand_limit = rules.hand if rules.team_size == 1 else rules.team_hand
        view.squares[:] = squares
        for place, code in enumerate(squares):
            if code == WHITE:
                view.white |= Word(1 << place)
            else:
                view.spots[code] |= Word(1 << place)
        view.goal = GOAL_NAMES.index(rules.goal)
        view.markers, view.decks, view.turn_limit = rules.markers, rules.decks, rules.turn_limit
        view.jokers = 2 * rules.decks if rules.jokers_wild else 0
        for name in (
            "double_down",
            "king_of_the_mountain",
            "diagonals",
            "pairs_and_runs",
            "may_pass",
            "discard_on_pass",
        ):
            view[name] = getattr(rules, name)
    views[1].ahead = 1
    return views
