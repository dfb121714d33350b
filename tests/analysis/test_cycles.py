import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.cycles import Cycle, hodge_split, holm, significant_cycles
from sims.errors import UsageError

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def rated(ratings):
    return np.subtract.outer(ratings, ratings)


def antisymmetric(values, count):
    table = np.zeros((count, count))
    table[np.triu_indices(count, 1)] = values
    return table - table.T


def errors_like(table, error):
    return np.full(np.shape(table), float(error))


def noisy(generator, truth, errors):
    return truth + antisymmetric(generator.normal(0, errors[np.triu_indices(len(truth), 1)]), len(truth))


tables = st.integers(3, 7).flatmap(
    lambda count: st.lists(
        st.floats(-50, 50).map(lambda value: round(value, 3)),
        min_size=count * (count - 1) // 2,
        max_size=count * (count - 1) // 2,
    ).map(lambda values: antisymmetric(values, count))
)


def test_hodge_split_of_rock_paper_scissors_is_all_cycle():
    split = hodge_split(ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0))
    assert split.cyclic_share == 1
    assert split.ratings.tolist() == [0, 0, 0]
    assert split.cyclic.tolist() == ROCK_PAPER_SCISSORS.tolist()


def test_hodge_split_of_ratings_has_no_cycle():
    ratings = np.array([3.0, 1.0, -1.5, -2.5])
    split = hodge_split(rated(ratings), errors_like(rated(ratings), 0))
    assert split.cyclic_share == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(split.ratings, ratings, atol=1e-15)
    np.testing.assert_allclose(split.cyclic, 0, atol=1e-15)


def test_hodge_split_of_a_known_mixture():
    # Cycles of three at margin 1 on top of ratings 2, 0, −2: squares 3 and 4 + 4 + 16.
    split = hodge_split(rated([2.0, 0.0, -2.0]) + ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0))
    assert split.cyclic_share == pytest.approx(3 / 27)
    np.testing.assert_allclose(split.cyclic, ROCK_PAPER_SCISSORS, atol=1e-15)
    assert math.isnan(split.p_value)


def test_hodge_split_subtracts_the_noise_by_hand():
    # K = 3, variances 0.25: noise 0.75 in all, a third of it cyclic.
    split = hodge_split(rated([2.0, 0.0, -2.0]) + ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0.5))
    assert split.cyclic_share == pytest.approx((3 - 0.25) / (27 - 0.75))
    # The cyclic sum is 3, with variance 0.75.
    assert split.p_value == pytest.approx(stats.chi2.sf(9 / 0.75, 1))


@given(tables)
@settings(deadline=None)
def test_hodge_split_has_parts_at_right_angles(table):
    split = hodge_split(table, errors_like(table, 0))
    np.testing.assert_allclose(rated(split.ratings) + split.cyclic, table, atol=1e-9)
    np.testing.assert_allclose(split.cyclic.sum(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(np.sum(rated(split.ratings) * split.cyclic), 0, atol=1e-6)
    assert math.isnan(split.cyclic_share) or -1e-9 <= split.cyclic_share <= 1 + 1e-9


@given(tables, st.floats(-30, 30))
@settings(deadline=None)
def test_hodge_split_finds_the_same_cycles_under_other_ratings(table, step):
    ratings = step * np.arange(len(table))
    before = hodge_split(table, errors_like(table, 1))
    after = hodge_split(table + rated(ratings), errors_like(table, 1))
    np.testing.assert_allclose(after.cyclic, before.cyclic, atol=1e-9)
    assert after.p_value == pytest.approx(before.p_value, abs=1e-6)


def simulated_splits(truth, errors, repetitions):
    generator = np.random.default_rng(20_240_615)
    return [hodge_split(noisy(generator, truth, errors), errors) for _ in range(repetitions)]


@pytest.mark.parametrize(
    ("truth", "share"),
    [
        (rated([2.0, 1.0, 0.0, -1.0, -2.0]), 0),
        (antisymmetric([2, 0, 0, -2, 2, 0, 0, 2, 0, 2], 5), 1),
        (rated([2.0, 0.0, 0.0, 0.0, -2.0]) + antisymmetric([2, 0, 0, -2, 2, 0, 0, 2, 0, 2], 5), 1 / 3),
    ],
)
def test_hodge_split_is_not_biased_by_noise(truth, share):
    # Unequal errors; without the correction the first two means would be 0.04 and 0.94.
    errors = np.abs(rated([0.05, 0.35, 0.45, 0.7, 0.15])) + 0.25
    assert hodge_split(truth, errors_like(truth, 0)).cyclic_share == pytest.approx(share, abs=1e-12)
    shares = np.array([split.cyclic_share for split in simulated_splits(truth, errors, 1500)])
    assert shares.mean() == pytest.approx(share, abs=0.01 + 4 * shares.std() / math.sqrt(len(shares)))


def test_hodge_split_p_value_is_uniform_without_cycles():
    ratings = np.array([2.0, 1.0, 0.0, -1.0, -2.0])
    errors = np.abs(rated([0.1, 0.7, 0.9, 1.4, 0.3])) + 0.5
    values = [split.p_value for split in simulated_splits(rated(ratings), errors, 1000)]
    assert stats.kstest(values, "uniform").pvalue > 0.001


def test_hodge_split_without_more_than_noise_is_not_known():
    split = hodge_split(0.1 * ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 1))
    assert math.isnan(split.cyclic_share)
    assert split.p_value > 0.8


def test_significant_cycles_of_rock_paper_scissors():
    cycles = significant_cycles(ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0.1))
    # Rock 0 beats scissors 2, which beats paper 1, which beats rock.
    assert cycles == (Cycle((0, 2, 1), (1.0, 1.0, 1.0)),)
    assert significant_cycles(-ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0.1))[0].strategies == (0, 1, 2)
    assert significant_cycles(ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0)) == cycles


def test_significant_cycles_need_all_three_margins():
    # Holm with three pairs: the largest p-value must be 0.05 or less, the second 0.025, the smallest 0.0167.
    errors = errors_like(ROCK_PAPER_SCISSORS, 0.5)
    assert len(significant_cycles(ROCK_PAPER_SCISSORS * 1.25, errors)) == 1  # p = 0.012 three times
    assert len(significant_cycles(ROCK_PAPER_SCISSORS * 1.15, errors)) == 0  # p = 0.021 three times
    weak = antisymmetric([-2.0, 2.0, -1.0], 3)
    assert len(significant_cycles(weak, errors)) == 1  # p = 0.046 for the weakest
    assert len(significant_cycles(weak, errors, confidence=0.99)) == 0


def test_significant_cycles_come_by_their_weakest_margin():
    # 0, 1, 2 and 0, 1, 3 go in circles; 2 and 3 do not differ.
    table = antisymmetric([3.0, -1.0, -2.0, 2.0, 3.0, 0.0], 4)
    cycles = significant_cycles(table, errors_like(table, 0.1))
    assert cycles == (Cycle((0, 1, 3), (3.0, 3.0, 2.0)), Cycle((0, 1, 2), (3.0, 2.0, 1.0)))
    assert significant_cycles(table, errors_like(table, 0)) == cycles


def test_significant_cycles_are_rarely_found_by_chance():
    # Two margins are certain; the third is 0, and found against them in half of 5 % of the runs.
    truth = antisymmetric([50.0, 0.0, 50.0], 3)
    errors = errors_like(truth, 1)
    generator = np.random.default_rng(20_240_616)
    found = sum(bool(significant_cycles(noisy(generator, truth, errors), errors)) for _ in range(2000))
    assert stats.binomtest(found, 2000, 0.025).pvalue > 0.001


@pytest.mark.parametrize("function", [hodge_split, significant_cycles])
@pytest.mark.parametrize(
    ("margins", "errors", "message"),
    [
        ([1.0, 2.0], [1.0, 2.0], r"shape \(2,\)"),
        (ROCK_PAPER_SCISSORS, np.ones((2, 2)), r"shape \(3, 3\) and standard errors \(2, 2\)"),
        (np.zeros((2, 2)), np.ones((2, 2)), "2 strategies cannot form a cycle"),
        (antisymmetric([1, math.nan, 1], 3), np.ones((3, 3)), "strategies 0 and 2 have no margin"),
        (ROCK_PAPER_SCISSORS, np.full((3, 3), math.nan), "strategies 0 and 1 have no margin or no standard error"),
        (np.abs(ROCK_PAPER_SCISSORS), np.ones((3, 3)), "strategies 0 and 1 are 1.0 and 1.0; give one as minus"),
        (ROCK_PAPER_SCISSORS, -np.ones((3, 3)), "standard errors are not symmetric numbers from 0 up"),
        (ROCK_PAPER_SCISSORS, np.arange(9).reshape(3, 3), "standard errors are not symmetric"),
    ],
)
def test_what_is_no_matchup_table_is_refused(function, margins, errors, message):
    with pytest.raises(UsageError, match=message):
        function(margins, errors)


def test_the_diagonal_of_the_standard_errors_is_not_used():
    errors = errors_like(ROCK_PAPER_SCISSORS, 0.1)
    np.fill_diagonal(errors, math.nan)
    assert hodge_split(ROCK_PAPER_SCISSORS, errors).p_value < 1e-9
    assert math.isnan(errors[0, 0])


def test_a_confidence_outside_0_and_1_is_refused():
    with pytest.raises(UsageError, match="confidence 95"):
        significant_cycles(ROCK_PAPER_SCISSORS, errors_like(ROCK_PAPER_SCISSORS, 0.1), 95)


@pytest.mark.parametrize(
    ("p_values", "rejected"),
    [
        ([], []),
        ([0.01, 0.04, 0.03, 0.005], [True, False, False, True]),
        ([0.02, 0.01], [True, True]),
        ([0.03, 0.03], [False, False]),
        ([0.2, 0.001, 0.04], [False, True, False]),
        ([0.05], [True]),
    ],
)
def test_holm(p_values, rejected):
    assert holm(p_values, 0.05).tolist() == rejected


@given(st.lists(st.floats(0, 0.2), min_size=1, max_size=12))
@settings(deadline=None, max_examples=20)  # statsmodels takes a tenth of a second for each
def test_holm_against_statsmodels(p_values):
    from statsmodels.stats.multitest import multipletests

    expected, adjusted, *_ = multipletests(p_values, 0.05, method="holm")
    if np.abs(adjusted - 0.05).min() > 1e-9:
        assert holm(p_values, 0.05).tolist() == expected.tolist()
