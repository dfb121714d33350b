"""The ratings of tournaments: errors over blocks are those of games only where games are independent."""

import numpy as np
import pytest

from analysis.rankings import ELO
from analysis.tournament_ratings import rate
from analysis.tournaments import Orders, count_tournament, make_tournament
from sims.design import Design
from sims.game import RANK, find_game
from sims.table import Player

GAME = find_game("criss-cross")


def two_seat_orders(chance: np.random.Generator, games: int, strengths: tuple[float, float, float]) -> Orders:
    """Independent games of three strategies in a round robin, each a block of its own."""
    keys = []
    for game in range(games):
        lineup, rotation = game % 3, game // 3 % 2
        a, b = ((0, 1), (0, 2), (1, 2))[lineup]
        a_wins = chance.random() < 1 / (1 + np.exp(strengths[b] - strengths[a]))
        code = (0 if a_wins else 1) + 2 * (1 if a_wins else 0)
        keys.append((((int(chance.integers(64)) * 3 + lineup) * 2 + rotation) * 4) + code)
    known, counts = np.unique(keys, return_counts=True)
    return Orders(known.astype(np.int64), counts.astype(np.int64))


def test_rating_errors_are_those_of_independent_games_where_they_are() -> None:
    tournament = make_tournament(GAME, GAME.rules(), 3, "round-robin", 2)
    ratios = []
    for seed in range(10):
        rated = rate(tournament, two_seat_orders(np.random.default_rng(seed), 1_200, (0.6, 0.0, -0.6)))
        assert rated is not None
        assert rated.groups == 64
        ratios.append(np.sqrt(np.diag(rated.covariance)[:3]) / rated.ratings.standard_errors)
        ratios.append(np.sqrt(rated.covariance[3:, 3]) / rated.ratings.advantage_error)
    assert np.concatenate(ratios).mean() == pytest.approx(1, abs=0.05)


def test_rating_errors_do_not_shrink_when_every_game_is_told_twice() -> None:
    tournament = make_tournament(GAME, GAME.rules(), 3, "round-robin", 2)
    once = two_seat_orders(np.random.default_rng(1), 600, (0.6, 0.0, -0.6))
    one, two = rate(tournament, once), rate(tournament, Orders(once.keys, 2 * once.counts))
    assert one is not None
    assert two is not None
    assert two.covariance == pytest.approx(one.covariance)
    assert two.ratings.covariance == pytest.approx(one.ratings.covariance / 2)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_team_s_win_is_one_win_whatever_its_size(seats: int) -> None:
    game = find_game("crosswise")
    tournament = make_tournament(game, game.variant(), 2, "round-robin", seats)
    players = [Player(f"{who}", f"{who}") for who in range(2)]
    design = Design(game, game.variant(), tournament.seated(players), seed=1, deals=100)
    outcomes = design.new_outcomes(100)
    for lineup, array in zip(tournament.lineups, outcomes, strict=True):
        for rotation, seating in enumerate(design.seatings(0)):
            for seat, place in enumerate(seating):
                array[rotation, :64, seat, RANK] = 1 + lineup[place]
                array[rotation, 64:, seat, RANK] = 2 - lineup[place]
    rated = rate(tournament, count_tournament(design, 0, outcomes, tournament=tournament, measure="win").orders)
    assert rated is not None
    stronger, weaker = rated.ratings.strengths
    # 400 points for every power of ten in the odds, here 64 to 36.
    assert ELO * (stronger - weaker) == pytest.approx(400 * np.log10(64 / 36), rel=1e-6)
    assert rated.ratings.advantage == pytest.approx(0, abs=1e-6)
