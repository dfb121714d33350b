import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from analysis import ratings
from analysis.ratings import bradley_terry, plackett_luce
from sims.errors import UsageError

# American League East 1987: Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore. Agresti, "Categorical
# Data Analysis" (2002), section 10.6: how often the row won, and how often it lost, at home against the column.
HOME_WINS = np.array(
    [
        [0, 4, 4, 4, 6, 4, 6],
        [3, 0, 4, 4, 6, 6, 4],
        [2, 4, 0, 2, 4, 4, 6],
        [3, 5, 2, 0, 4, 4, 6],
        [5, 2, 3, 4, 0, 5, 6],
        [2, 3, 3, 4, 4, 0, 2],
        [2, 1, 1, 2, 1, 3, 0],
    ]
)
HOME_LOSSES = np.array(
    [
        [0, 3, 2, 3, 1, 2, 0],
        [3, 0, 2, 3, 0, 1, 3],
        [5, 3, 0, 4, 3, 2, 0],
        [3, 1, 5, 0, 3, 2, 1],
        [1, 5, 3, 2, 0, 2, 0],
        [5, 3, 4, 3, 2, 0, 4],
        [5, 5, 6, 4, 6, 4, 0],
    ]
)
BASEBALL = np.array([HOME_WINS, HOME_LOSSES.T])

TIES = np.array([[0, 3, 5.5, 2], [4, 0, 1, 6], [2.5, 7, 0, 3], [1, 2, 4, 0]])
TIES_RATINGS = [0.311156855, -0.075245949, 0.144049906, -0.379960811]  # choix 0.4.1, ilsr_pairwise_dense

STRICT_ORDERS = {
    ((0,), (1,), (2,), (3,)): 5,
    ((1,), (0,), (3,), (2,)): 4,
    ((2,), (3,), (0,), (1,)): 6,
    ((3,), (1,), (0,), (2,)): 2,
    ((0,), (2,), (1,)): 3,
    ((2,), (1,)): 4,
    ((3,), (0,)): 1,
}
STRICT_RATINGS = [0.484371381, -0.385524997, -0.018541187, -0.080305198]  # choix 0.4.1, ilsr_rankings
TIED_ORDERS = {**STRICT_ORDERS, ((0,), (1, 2), (3,)): 2, ((0, 3), (2,)): 3, ((1, 2, 3),): 1}
TIED_RATINGS = [0.609597317, -0.310426165, -0.143255914, -0.155915238]  # the same, ties as all their strict orders

win_tables = st.lists(st.lists(st.integers(1, 30), min_size=4, max_size=4), min_size=4, max_size=4).map(
    lambda rows: np.array(rows, dtype=float) * (1 - np.eye(4))
)


def test_bradley_terry_published_ratings():
    fit = bradley_terry(BASEBALL.sum(axis=0))
    over_last = [fit.difference(team, 6) for team in range(7)]
    # Table 10.11 of Agresti, third column; standard errors "about 0.3".
    assert [round(value, 2) for value, _ in over_last] == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0]
    assert [round(error, 1) for _, error in over_last] == [0.3] * 6 + [0]
    assert math.isnan(fit.advantage)
    assert math.isnan(fit.advantage_error)


def test_bradley_terry_published_advantage():
    fit = bradley_terry(BASEBALL)
    assert round(fit.advantage, 3) == 0.302
    abilities = np.exp(fit.strengths) / np.exp(fit.strengths).sum()
    # Table 10.11 of Agresti, fifth column.
    assert np.round(abilities, 3).tolist() == [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044]


def test_bradley_terry_agrees_with_a_generalised_linear_model():
    fit = bradley_terry(BASEBALL)
    # statsmodels 0.15, binomial GLM with Baltimore as the reference and a column for playing at home.
    values = [1.619554994, 1.475357214, 1.327110398, 1.281340403, 1.143802653, 0.704694457]
    errors = [0.347365683, 0.344552213, 0.340322568, 0.340403721, 0.337842535, 0.335001717]
    for team, (value, error) in enumerate(zip(values, errors, strict=True)):
        assert fit.difference(team, 6) == pytest.approx((value, error), abs=2e-9)
    assert (fit.advantage, fit.advantage_error) == pytest.approx((0.302260656, 0.130943707), abs=2e-9)


def test_bradley_terry_with_ties_as_half_wins():
    np.testing.assert_allclose(bradley_terry(TIES).strengths, TIES_RATINGS, atol=2e-9)


def test_bradley_terry_with_a_ridge():
    # choix 0.4.1, opt_pairwise with alpha 0.05 (it penalises alpha · Σ rating²), each result counted twice.
    expected = [0.307912352, -0.074641535, 0.142933523, -0.376204341]
    np.testing.assert_allclose(bradley_terry(2 * TIES, ridge=0.1).strengths, expected, atol=2e-9)


def test_bradley_terry_against_choix():
    import choix

    generator = np.random.default_rng(3)
    for count in (2, 5, 12):
        wins = generator.integers(1, 40, (count, count)) / 2
        np.fill_diagonal(wins, 0)
        expected = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-12)
        np.testing.assert_allclose(bradley_terry(wins).strengths, expected - expected.mean(), atol=1e-8)


@given(win_tables, st.permutations(range(4)), st.booleans())
@settings(deadline=None, max_examples=50)
def test_bradley_terry_does_not_depend_on_the_numbering(wins, order, both_seats):
    wins = np.array([wins, wins.T + 1 - np.eye(4)]) if both_seats else wins
    fit, renamed = bradley_terry(wins), bradley_terry(wins[..., order, :][..., order])
    np.testing.assert_allclose(renamed.strengths, fit.strengths[order], atol=1e-9)
    np.testing.assert_allclose(renamed.covariance, fit.covariance[np.ix_(order, order)], atol=1e-9)
    assert renamed.advantage == pytest.approx(fit.advantage, abs=1e-9, nan_ok=True)


@given(win_tables)
@settings(deadline=None, max_examples=50)
def test_bradley_terry_expects_as_many_wins_as_there_were(wins):
    fit = bradley_terry(wins)
    games = wins + wins.T
    expected = [sum(games[a, b] * fit.win_probability(a, b) for b in range(4)) for a in range(4)]
    np.testing.assert_allclose(expected, wins.sum(axis=1), rtol=1e-8)
    assert fit.strengths.sum() == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(fit.covariance.sum(axis=0), 0, atol=1e-12)


@given(win_tables, st.sampled_from([4, 10_000, 10**10]))
@settings(deadline=None, max_examples=50)
def test_bradley_terry_with_more_of_the_same(wins, factor):
    fit, more = bradley_terry(wins), bradley_terry(factor * wins)
    np.testing.assert_allclose(more.strengths, fit.strengths, atol=1e-9)
    np.testing.assert_allclose(more.standard_errors * math.sqrt(factor), fit.standard_errors, rtol=1e-6)


def test_bradley_terry_of_two_is_the_log_odds():
    fit = bradley_terry([[0, 30], [10, 0]])
    assert fit.difference(0, 1) == pytest.approx((math.log(3), math.sqrt(1 / 30 + 1 / 10)))
    assert fit.win_probability(0, 1) == pytest.approx(0.75)
    # The first seat: (30 : 10) and (20 : 20) are odds of 3 and 1.
    fit = bradley_terry([[[0, 30], [20, 0]], [[0, 20], [10, 0]]])
    assert fit.difference(0, 1)[0] == pytest.approx(math.log(3) / 2)
    assert fit.advantage == pytest.approx(math.log(3) / 2)
    assert fit.advantage_error == pytest.approx(math.sqrt(1 / 30 + 1 / 10 + 1 / 20 + 1 / 20) / 2)


def test_bradley_terry_standard_errors_are_those_of_repeated_play():
    truth = np.array([0.6, 0.1, -0.1, -0.6])
    generator = np.random.default_rng(20_240_613)
    chances = 1 / (1 + np.exp(truth[np.newaxis] - truth[:, np.newaxis]))
    scores = []
    for _ in range(400):
        first = generator.binomial(60, 1 / (1 + np.exp(-0.4) * (1 / chances - 1)))
        second = 60 - first.T
        both = np.array([first, second]) * (1 - np.eye(4))
        fit = bradley_terry(both)
        value, error = fit.difference(0, 3)
        scores.append([(value - 1.2) / error, (fit.advantage - 0.4) / fit.advantage_error])
    # Standard normal but for chance: 400 values have a mean within 0.16 and an sd of 1 ± 0.12 at 99.9 %.
    assert np.abs(np.mean(scores, axis=0)).max() < 0.2
    np.testing.assert_allclose(np.std(scores, axis=0), 1, atol=0.13)


def test_a_strategy_that_never_lost_needs_a_ridge():
    wins = np.array([[0, 5, 5], [0, 0, 3], [0, 2, 0]])
    with pytest.raises(UsageError, match=r"strategies \[0\] never lost to the others"):
        bradley_terry(wins)
    with pytest.raises(UsageError, match=r"strategies \[1, 2\] never lost"):
        bradley_terry(wins.T)
    with pytest.raises(UsageError, match=r"strategies \[1\] never lost"):
        plackett_luce({((1,), (0,), (2,)): 3, ((1,), (2,), (0,)): 2})
    fit = bradley_terry(wins, ridge=0.01)
    assert 3 < fit.difference(0, 1)[0] < 20
    smaller = bradley_terry(wins, ridge=1e-6)
    assert smaller.difference(0, 1)[0] > fit.difference(0, 1)[0]
    # Those who are bounded hardly move.
    assert smaller.difference(1, 2)[0] == pytest.approx(math.log(1.5), rel=1e-3)
    assert plackett_luce({((1,), (0,), (2,)): 3, ((1,), (2,), (0,)): 2}, ridge=0.01).strengths[1] > 1


def test_strategies_that_never_met_need_games():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 5
    with pytest.raises(UsageError, match=r"strategies \[0, 1\] never met the others"):
        bradley_terry(wins)
    fit = bradley_terry(wins, ridge=0.01)
    np.testing.assert_allclose(fit.strengths, 0, atol=1e-12)
    assert fit.difference(0, 2)[1] > 5 * fit.difference(0, 1)[1]
    with pytest.raises(UsageError, match=r"strategies \[0, 1\] never met"):
        plackett_luce({((0,), (1,)): 1, ((1,), (0,)): 1, ((2, 3),): 1})


def test_an_advantage_that_cannot_be_known_is_refused():
    one_way = np.zeros((2, 2, 2))
    one_way[0, 0, 1], one_way[1, 1, 0] = 7, 3
    with pytest.raises(UsageError, match="cannot be told from the ratings"):
        bradley_terry(one_way)
    # The first seat won every game.
    always = np.array([[[0, 5, 5], [5, 0, 5], [5, 5, 0]], np.zeros((3, 3))])
    with pytest.raises(UsageError, match=r"one seat won .* advantage is infinite"):
        bradley_terry(always)
    fit = bradley_terry(always, ridge=0.01)
    assert fit.advantage > 3
    np.testing.assert_allclose(fit.strengths, 0, atol=1e-9)


@pytest.mark.parametrize(
    ("wins", "ridge", "message"),
    [
        ([1, 2], 0, r"shape \(2,\)"),
        ([[0, 1, 2], [1, 0, 2]], 0, r"shape \(2, 3\)"),
        (np.zeros((3, 4, 4)), 0, r"shape \(3, 4, 4\)"),
        ([[0, -1], [1, 0]], 0, "finite numbers from 0 up"),
        ([[0, math.nan], [1, 0]], 0, "finite numbers from 0 up"),
        ([[1, 1], [1, 0]], 0, "cannot beat itself"),
        ([[0]], 0, "two strategies or more; the results name 1"),
        ([[0, 1], [1, 0]], -1, "ridge -1"),
        ([[0, 1], [1, 0]], math.inf, "ridge inf"),
    ],
)
def test_bradley_terry_refuses_what_are_no_wins(wins, ridge, message):
    with pytest.raises(UsageError, match=message):
        bradley_terry(wins, ridge)


def test_ratings_that_do_not_settle_are_refused(monkeypatch):
    monkeypatch.setattr(ratings, "MOST_STEPS", 1)
    with pytest.raises(UsageError, match="did not settle within 1 steps"):
        bradley_terry(TIES)


def test_plackett_luce_of_strict_orders():
    np.testing.assert_allclose(plackett_luce(STRICT_ORDERS).strengths, STRICT_RATINGS, atol=2e-9)


def test_plackett_luce_of_ties():
    np.testing.assert_allclose(plackett_luce(TIED_ORDERS).strengths, TIED_RATINGS, atol=2e-9)


def strict(order):
    """All strict orders of an order with ties."""
    return [sum(parts, ()) for parts in product(*(list(permutations(place)) for place in order))]


def test_plackett_luce_counts_a_tie_as_all_its_strict_orders():
    expanded = {}
    for order, number in TIED_ORDERS.items():
        for one in strict(order):
            key = tuple((player,) for player in one)
            expanded[key] = expanded.get(key, 0) + number / len(strict(order))
    tied, untied = plackett_luce(TIED_ORDERS), plackett_luce(expanded)
    np.testing.assert_allclose(tied.strengths, untied.strengths, atol=1e-12)
    np.testing.assert_allclose(tied.covariance, untied.covariance, atol=1e-12)


def test_plackett_luce_against_choix():
    import choix

    games = [one for order, number in TIED_ORDERS.items() for one in strict(order) * (6 * number // len(strict(order)))]
    expected = choix.ilsr_rankings(4, games, max_iter=100_000, tol=1e-12)
    np.testing.assert_allclose(plackett_luce(TIED_ORDERS).strengths, expected - expected.mean(), atol=1e-8)


def test_plackett_luce_of_two_seats_is_bradley_terry():
    orders = {((a,), (b,)): TIES[a, b] for a in range(4) for b in range(4) if a != b}
    orders[((0,), (2,))] -= 0.5
    orders[((2,), (0,))] -= 0.5
    orders[((0, 2),)] = 1
    luce, terry = plackett_luce(orders), bradley_terry(TIES)
    np.testing.assert_allclose(luce.strengths, terry.strengths, atol=1e-12)
    np.testing.assert_allclose(luce.covariance, terry.covariance, atol=1e-12)


def test_plackett_luce_with_a_strategy_in_two_seats():
    # Two seats of 0 and one of 1: the first place goes to 0 with probability 2x / (2x + 1).
    fit = plackett_luce({((0,), (0,), (1,)): 5, ((0,), (1,), (0,)): 4, ((1,), (0,), (0,)): 2})

    def loss(rating):
        x = math.exp(rating)
        return -(
            9 * math.log(2 * x / (2 * x + 1)) + 2 * math.log(1 / (2 * x + 1)) + 5 * math.log(x) - 9 * math.log1p(x)
        )

    assert fit.difference(0, 1)[0] == pytest.approx(minimize_scalar(loss).x, abs=1e-6)


def test_plackett_luce_standard_errors_are_those_of_repeated_play():
    truth = np.array([0.5, 0.0, -0.2, -0.3])
    generator = np.random.default_rng(20_240_614)
    scores = []
    for _ in range(300):
        # Ranking by rating plus Gumbel noise draws from the model (Yellott 1977).
        finish = np.argsort(-(truth + generator.gumbel(size=(300, 4))), axis=1)
        orders, counts = np.unique(finish, axis=0, return_counts=True)
        fit = plackett_luce(
            {tuple((int(player),) for player in order): int(n) for order, n in zip(orders, counts, strict=True)}
        )
        scores.append((fit.strengths - truth) / fit.standard_errors)
    assert np.abs(np.mean(scores, axis=0)).max() < 0.22
    np.testing.assert_allclose(np.std(scores, axis=0), 1, atol=0.15)


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ({}, "the results name 0"),
        ({((0,),): 5}, "the results name 1"),
        ({(): 1}, r"finishing order \(\) is not one"),
        ({((0,), ()): 1}, "is not one"),
        ({(0, 1): 1}, r"finishing order \(0, 1\) is not one"),
        ({((0,), (-1,)): 1}, "is not one"),
        ({((0,), ("a",)): 1}, "is not one"),
        ({((0,), (1,)): -1}, "has the count -1"),
        ({((0,), (1,)): math.nan}, "has the count nan"),
        ({((0,), (3,)): 1, ((3,), (0,)): 1}, r"strategies \[1, 2\] are in no finishing order"),
    ],
)
def test_plackett_luce_refuses_what_are_no_orders(orders, message):
    with pytest.raises(UsageError, match=message):
        plackett_luce(orders)


def test_strategies_that_always_tied_are_equal():
    fit = plackett_luce({((0, 1, 2),): 6})
    np.testing.assert_allclose(fit.strengths, 0, atol=1e-12)
    assert fit.difference(0, 1)[1] > 0


def test_orders_that_never_occurred_count_for_nothing():
    fit = plackett_luce({((0,), (1,)): 3, ((1,), (0,)): 1, ((5,), (0,)): 0})
    assert fit.difference(0, 1)[0] == pytest.approx(math.log(3))
