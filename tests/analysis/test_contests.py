"""Contests: who plays, by what the order is, and how it is told."""

from typing import Any

import pytest

from analysis.contests import Contest, check_measure, find_field, heading, make_contest
from sims.errors import UsageError
from sims.game import find_game

GAME = find_game("criss-cross")


def contest(strategies: Any = ("uniform", "blunder", "first-fit"), **more: Any) -> Contest:
    nothing: dict[str, Any] = {
        **{"seats": None, "format": "auto", "lineups": None, "measure": "score", "margin": None},
        **{"variant": None, "seed": 1},
    }
    return make_contest(GAME, strategies, **{**nothing, **more})


def test_heading_says_what_was_played() -> None:
    made = contest(seats=3, measure="win")
    assert heading("Ranking", made.tournament, "win", "2 deals", made.design(2)) == (
        "Ranking in criss-cross by share of wins: 3 strategies, 2 tables of 3 seats, 2 deals, seed 1, rules version 1."
    )


def test_all_built_in_strategies_are_the_field() -> None:
    assert [item.name for item in find_field(GAME, None)][:2] == ["uniform", "blunder"]


def test_margin_and_measure_defaults() -> None:
    assert check_measure("win") == "win"
    assert contest().margin == GAME.margin
    assert contest(seats=2, measure="win").margin == 0.01
    assert contest(seats=2, measure="win", margin=0.5).margin == 0.5


def test_a_part_of_a_contest_has_its_deals_and_its_line_ups() -> None:
    made = contest(seats=2, seed=7)
    part = made.tournament.only([0], "score")
    design = made.design(20, first_deal=40, part=part)
    assert (design.seed, design.first_deal, design.deals) == (7, 40, 20)
    assert {frozenset(player.spec for player in lineup) for lineup in design.lineups} == {
        frozenset(("uniform", "blunder")),
        frozenset(("uniform", "first-fit")),
    }
    assert len(made.design(20).lineups) == len(made.tournament.lineups) == 3
    assert made.specs == ("uniform", "blunder", "first-fit")


@pytest.mark.parametrize("margin", [-1, float("nan"), True, "1"])
def test_margins_that_do_not_fit_are_refused(margin: Any) -> None:
    with pytest.raises(UsageError, match=f"margin={margin!r} does not fit: it takes a number of points, 0 or more"):
        contest(margin=margin)


def test_where_the_score_is_the_win_the_order_is_by_wins() -> None:
    made = make_contest(
        "crossways",
        ["rusher", "idle"],
        seats=None,
        format="auto",
        lineups=None,
        measure="score",
        margin=None,
        variant=None,
        seed=1,
    )
    assert (made.measure, made.margin) == ("win", find_game("crossways").margin)
