import math
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.histogram import Histogram
from analysis.intervals import mean_interval, share_interval
from analysis.simultaneous import (
    Contrast,
    Moments,
    Ranks,
    critical_value,
    multinomial_intervals,
    probability_best,
    rank_intervals,
    simultaneous_intervals,
)
from sims.errors import UsageError

tables = st.integers(1, 4).flatmap(
    lambda count: st.tuples(
        *(st.lists(st.lists(st.integers(-99, 99), min_size=count, max_size=count), max_size=20) for _ in range(2)),
        st.just(count),
    )
)


def moments_of(rows, count, scale=1):
    return Moments.from_scores(np.array(rows, dtype=np.int64).reshape(len(rows), count), scale)


def equicorrelated(count, correlation):
    return (1 - correlation) * np.eye(count) + correlation


def pair_correlations(covariance):
    weights = np.array(
        [np.eye(len(covariance))[a] - np.eye(len(covariance))[b] for a, b in combinations(range(len(covariance)), 2)]
    )
    spread = weights @ covariance @ weights.T
    sd = np.sqrt(np.diag(spread))
    return spread / np.outer(sd, sd)


@given(tables)
@settings(deadline=None)
def test_moments_add_like_their_blocks(drawn):
    left, right, count = drawn
    parts = [moments_of(rows, count, 2) for rows in (left, right)]
    whole = moments_of(left + right, count, 2)
    assert parts[0] + parts[1] == parts[1] + parts[0] == whole
    assert hash(parts[0] + parts[1]) == hash(whole)


@given(tables.filter(lambda drawn: len(drawn[0]) >= 2))
@settings(deadline=None)
def test_moments_agree_with_numpy(drawn):
    rows, _, count = drawn
    scores = np.array(rows) / 2
    moments = moments_of(rows, count, scale=2)
    np.testing.assert_allclose(moments.means, scores.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(moments.covariance, np.cov(scores, rowvar=False).reshape(count, count), atol=1e-9)
    differences = scores - scores[:, :1]
    np.testing.assert_allclose(
        moments.difference_covariance(0), np.cov(differences, rowvar=False).reshape(count, count), atol=1e-9
    )
    for a in range(count):
        assert moments.mean(a) == pytest.approx((scores[:, a].mean(), stats.sem(scores[:, a])))
        difference = scores[:, a] - scores[:, -1]
        assert moments.difference(a, count - 1) == pytest.approx((difference.mean(), stats.sem(difference)))


def test_moments_are_exact_beyond_64_bits():
    moments = Moments.from_scores([[2**40, 2**40 + 1], [-(2**40), 2**40 - 1]])
    assert moments.sums == (0, 2**41)
    assert moments.products == ((2**81, 2**41), (2**41, 2**81 + 2))
    assert sum([moments] * 3, Moments(0, (0, 0), ((0, 0), (0, 0)))).products[0][0] == 3 * 2**81


def test_moments_keep_a_small_difference_under_much_common_luck():
    luck = np.arange(-500_000_000, 500_000_000, 1_000_000)
    moments = Moments.from_scores(np.column_stack([luck, luck + np.arange(1000) % 2]))
    assert moments.difference(1, 0) == pytest.approx((0.5, math.sqrt(0.25 / 999)), rel=1e-12)


@pytest.mark.parametrize("blocks", [0, 1])
def test_moments_of_few_blocks_are_not_known(blocks):
    moments = Moments.from_scores(np.full((blocks, 2), 7))
    assert np.isnan(moments.covariance).all()
    assert np.isnan(moments.difference_covariance(1)).all()
    assert math.isnan(moments.mean(0)[1])
    assert math.isnan(moments.difference(0, 1)[1])
    for kind in ("all-pairs", "against-best", "means"):
        for row in simultaneous_intervals(moments, kind):
            assert math.isnan(row.low)
            assert math.isnan(row.high)
    assert all(math.isnan(share) for share in probability_best(moments))
    assert rank_intervals(simultaneous_intervals(moments)) == (Ranks(1, 2), Ranks(1, 2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Moments(1, (1.5,), ((2,),)), "whole numbers"),
        (lambda: Moments(-1, (0,), ((0,),)), "-1 blocks"),
        (lambda: Moments(1, (0,), ((0,),), 0), "0 seat-games"),
        (lambda: Moments(1, (), ()), "have 0 sums"),
        (lambda: Moments(1, (1, 1), ((1, 1),)), "as many rows and columns"),
        (lambda: Moments(1, (1, 1), ((1, 1), (2, 1))), "strategy 1 are not symmetric"),
        (lambda: Moments(2, (4,), ((7,),)), "strategy 0 cannot have sum 4 and sum of squares 7 in 2 blocks"),
        (lambda: Moments(0, (0,), ((7,),)), "in 0 blocks"),
        (lambda: Moments.from_scores([1, 2]), r"shape \(2,\)"),
        (lambda: Moments.from_scores([[1.0, 2.0]]), "type float64; give integers"),
        (lambda: Moments.from_scores([[1]]) + Moments.from_scores([[1, 2]]), "1 strategies .* of 2"),
        (lambda: Moments.from_scores([[1]]) + Moments.from_scores([[1]], 2), "merge runs of one design"),
    ],
)
def test_moments_refuse_what_no_blocks_have(make, message):
    with pytest.raises(UsageError, match=message):
        make()


# Tables of the studentized range q(0.95; K, ν): over the root of 2 it is the critical value of all pairs.
@pytest.mark.parametrize(
    ("count", "degrees_of_freedom", "q"),
    [
        (2, math.inf, 2.772),
        (3, math.inf, 3.314),
        (6, math.inf, 4.030),
        (10, math.inf, 4.474),
        (20, math.inf, 5.012),
        (3, 10, 3.877),
        (6, 10, 4.912),
        (10, 20, 5.008),
    ],
)
def test_critical_value_of_all_pairs_is_tukeys(count, degrees_of_freedom, q):
    for correlation in (0, 0.6):
        pairs = pair_correlations(equicorrelated(count, correlation))
        assert critical_value(pairs, degrees_of_freedom) == pytest.approx(q / math.sqrt(2), rel=0.001)


# Dunnett, J. Amer. Statist. Assoc. 50 (1955), table 1a, and Biometrics 20 (1964), table II.
@pytest.mark.parametrize(
    ("count", "degrees_of_freedom", "one_sided", "two_sided"),
    [
        (1, 5, 2.02, 2.57),
        (2, 5, 2.44, 3.03),
        (5, 5, 2.98, 3.62),
        (9, 5, 3.30, 3.97),
        (1, math.inf, 1.64, 1.96),
        (2, math.inf, 1.92, 2.21),
        (5, math.inf, 2.23, 2.51),
        (9, math.inf, 2.42, 2.69),
    ],
)
def test_critical_value_against_a_control_is_dunnetts(count, degrees_of_freedom, one_sided, two_sided):
    correlation = equicorrelated(count, 0.5)
    assert critical_value(correlation, degrees_of_freedom, two_sided=False) == pytest.approx(one_sided, abs=0.006)
    assert critical_value(correlation, degrees_of_freedom) == pytest.approx(two_sided, abs=0.006)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.999])
@pytest.mark.parametrize("count", [1, 4, 12])
def test_critical_value_of_independent_statistics_is_sidaks(count, confidence):
    share = confidence ** (1 / count)
    value = critical_value(np.eye(count), confidence=confidence)
    error = 0.003 if confidence == 0.999 else 0.001
    assert value == pytest.approx(stats.norm.ppf((1 + share) / 2), rel=error)
    one_sided = critical_value(np.eye(count), confidence=confidence, two_sided=False)
    assert one_sided == pytest.approx(stats.norm.ppf(share), rel=error, abs=0.001)


def test_critical_value_of_equal_statistics_is_that_of_one():
    assert critical_value(np.ones((5, 5)), 7) == pytest.approx(stats.t.ppf(0.975, 7), rel=1e-6)
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert critical_value(opposite, 7) == pytest.approx(stats.t.ppf(0.975, 7), rel=1e-6)
    assert critical_value(opposite, 7, two_sided=False) == pytest.approx(stats.t.ppf(0.975, 7), rel=1e-6)


def test_critical_value_does_not_fall_below_0():
    assert critical_value([[1.0]], confidence=0.3, two_sided=False) == 0


@pytest.mark.parametrize(
    ("correlation", "degrees_of_freedom", "message"),
    [
        ([1.0, 0.5], 5, r"shape \(2,\)"),
        ([[1.0, 0.5]], 5, r"shape \(1, 2\)"),
        ([[1.0, 0.5], [0.4, 1.0]], 5, "not one of correlations"),
        ([[2.0, 0.0], [0.0, 1.0]], 5, "ones on the diagonal"),
        ([[1.0, 1.5], [1.5, 1.0]], 5, "no negative eigenvalue"),
        ([[1.0]], 0, "0 degrees of freedom"),
        ([[1.0]], math.nan, "nan degrees of freedom"),
    ],
)
def test_critical_value_refuses_what_is_no_correlation(correlation, degrees_of_freedom, message):
    with pytest.raises(UsageError, match=message):
        critical_value(correlation, degrees_of_freedom)


def test_all_pairs_of_six_strategies_with_correlation_06():
    products = (10**9 * (4 * np.eye(6, dtype=np.int64) + 6)).tolist()
    rows = simultaneous_intervals(Moments(10**9, (0,) * 6, products))
    assert [(row.strategy, row.other) for row in rows] == list(combinations(range(6), 2))
    for row in rows:
        assert row.critical_value == pytest.approx(2.8497, abs=0.001)
        assert row.standard_error == pytest.approx(math.sqrt(8 / 10**9))
        assert (row.low, row.high) == pytest.approx((-row.high, row.critical_value * row.standard_error))


def test_all_pairs_with_unequal_variances_lie_between_one_interval_and_bonferroni():
    generator = np.random.default_rng(5)
    scores = np.rint(generator.normal(0, [1, 5, 20, 20], (40, 4)) * 100).astype(int)
    value = simultaneous_intervals(Moments.from_scores(scores))[0].critical_value
    assert stats.t.ppf(0.975, 39) < value < stats.t.ppf(1 - 0.025 / 6, 39)
    # Monte Carlo of the same distribution: a million vectors leave an error of 0.003.
    draws = stats.multivariate_t(np.zeros(4), np.cov(scores, rowvar=False), 39).rvs(10**6, random_state=1)
    sd = {(a, b): np.std(scores[:, a] - scores[:, b], ddof=1) for a, b in combinations(range(4), 2)}
    largest = np.max([np.abs(draws[:, a] - draws[:, b]) / sd[a, b] for a, b in sd], axis=0)
    assert value == pytest.approx(np.quantile(largest, 0.95), abs=0.01)


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=30), st.integers(1, 4))
@settings(deadline=None, max_examples=25)
def test_two_strategies_have_students_interval(rows, scale):
    (row,) = simultaneous_intervals(moments_of(rows, 2, scale))
    low, high = mean_interval(Histogram.from_scores([a - b for a, b in rows]))
    assert (row.low * scale, row.high * scale) == pytest.approx((low, high), rel=1e-6, abs=1e-9)


def test_means_of_one_strategy_have_students_interval():
    (row,) = simultaneous_intervals(Moments.from_scores([[1], [3], [8]]), "means")
    assert (row.strategy, row.other, row.effect) == (0, None, 4)
    assert (row.low, row.high) == pytest.approx(mean_interval(Histogram.from_scores([1, 3, 8])), rel=1e-6)


def test_means_carry_the_luck_that_pairs_do_not():
    generator = np.random.default_rng(8)
    scores = generator.integers(0, 100, (50, 1)) + generator.integers(0, 5, (50, 3))
    moments = Moments.from_scores(scores)
    means, pairs = simultaneous_intervals(moments, "means"), simultaneous_intervals(moments)
    assert [row.effect for row in means] == pytest.approx(moments.means.tolist())
    assert min(row.high - row.low for row in means) > 5 * max(row.high - row.low for row in pairs)


def test_strategies_that_never_differ_have_intervals_of_width_zero():
    generator = np.random.default_rng(8)
    a, b = generator.integers(0, 9, (2, 40))
    rows = simultaneous_intervals(Moments.from_scores(np.column_stack([a, a, a + 3, b])))
    pairs = {(row.strategy, row.other): row for row in rows}
    assert (pairs[0, 1].low, pairs[0, 1].high) == (0, 0)
    assert (pairs[0, 2].low, pairs[0, 2].high) == (-3, -3)
    assert pairs[0, 3].low == pytest.approx(pairs[1, 3].low)
    # All that varies is one difference.
    assert pairs[0, 3].critical_value == pytest.approx(stats.t.ppf(0.975, 39), rel=1e-6)
    for kind in ("all-pairs", "against-best", "means"):
        for row in simultaneous_intervals(Moments.from_scores([[2, 3, 5]] * 40), kind):
            assert row.low == row.high or kind == "against-best"


def test_against_best_of_two_is_one_sided_each_way():
    a, b = np.array([3, 5, 4, 8, 6]), np.array([1, 4, 4, 5, 7])
    first, second = simultaneous_intervals(Moments.from_scores(np.column_stack([a, b])), "against-best")
    bound = stats.ttest_rel(a, b).confidence_interval(0.9)
    assert (first.other, first.effect) == (1, 1)
    assert (first.low, first.high) == pytest.approx((bound.low, bound.high), rel=1e-3)
    assert (second.low, second.high) == pytest.approx((-bound.high, -bound.low), rel=1e-3)


def test_against_best_names_the_best():
    generator = np.random.default_rng(3)
    scores = generator.integers([0, 30, 5, 20], [10, 40, 15, 30], (60, 4))
    rows = simultaneous_intervals(Moments.from_scores(scores), "against-best")
    assert [row.other for row in rows] == [1, 3, 1, 1]
    for row in rows:
        assert row.low <= 0 <= row.high
        assert row.low <= row.effect <= row.high
    assert [row.low == 0 for row in rows] == [False, True, False, False]
    assert [row.high == 0 for row in rows] == [True, False, True, True]
    # The best one alone bounds the others: one-sided values, narrower than all pairs.
    pairs = {(row.strategy, row.other): row for row in simultaneous_intervals(Moments.from_scores(scores))}
    assert rows[0].low > pairs[0, 1].low


def test_against_best_leaves_equal_strategies_open():
    rows = simultaneous_intervals(Moments.from_scores([[1, 1, 0], [5, 5, 4], [3, 3, 2]]), "against-best")
    assert [(row.low, row.high) for row in rows] == [(0, 0), (0, 0), (-1, 0)]


@pytest.mark.parametrize("kind", ["all-pairs", "against-best"])
def test_one_strategy_cannot_be_compared(kind):
    with pytest.raises(UsageError, match="1 strategy cannot be compared"):
        simultaneous_intervals(Moments.from_scores([[1], [2]]), kind)


def test_unknown_kinds_and_confidences_are_refused():
    moments = Moments.from_scores([[1, 2], [2, 3]])
    with pytest.raises(UsageError, match="unknown kind of comparison 'pairs'"):
        simultaneous_intervals(moments, "pairs")
    for call in (
        lambda: simultaneous_intervals(moments, confidence=95),
        lambda: critical_value([[1.0]], confidence=95),
        lambda: multinomial_intervals([1, 2], 95),
    ):
        with pytest.raises(UsageError, match="confidence 95"):
            call()


def block_scores(generator, means, blocks=100):
    """Scores of strategies that share 60 % of their variance, the luck of the deal."""
    luck = generator.normal(0, 60**0.5, (blocks, 1))
    scores = 10 * (luck + generator.normal(0, 40**0.5, (blocks, len(means))) + means)
    return Moments.from_scores(np.rint(scores).astype(int), scale=10)


MEANS = np.array([0.0, 0.3, 0.3, 1.0, 2.0, 4.0])


def covering_runs(repetitions, kind):
    generator = np.random.default_rng(20_240_611)
    covered = 0
    for _ in range(repetitions):
        rows = simultaneous_intervals(block_scores(generator, MEANS), kind)
        if kind == "all-pairs":
            truths = [MEANS[row.strategy] - MEANS[row.other] for row in rows]
        else:
            truths = [MEANS[row.strategy] - np.delete(MEANS, row.strategy).max() for row in rows]
        covered += all(row.low <= truth <= row.high for row, truth in zip(rows, truths, strict=True))
    return covered


# Fifteen intervals of 95 % each would cover jointly in about two thirds of the runs.
def test_all_pairs_cover_jointly_as_often_as_they_say():
    assert stats.binomtest(covering_runs(150, "all-pairs"), 150, 0.95).pvalue > 0.001


@pytest.mark.slow
def test_all_pairs_cover_jointly_as_often_as_they_say_long():
    assert stats.binomtest(covering_runs(3000, "all-pairs"), 3000, 0.95).pvalue > 0.001


def test_against_best_covers_jointly_at_least_as_often_as_it_says():
    assert stats.binomtest(covering_runs(40, "against-best"), 40, 0.95, "less").pvalue > 0.001


@pytest.mark.slow
def test_against_best_covers_jointly_at_least_as_often_as_it_says_long():
    assert stats.binomtest(covering_runs(1000, "against-best"), 1000, 0.95, "less").pvalue > 0.001


def contrast(a, b, low, high):
    return Contrast(a, b, (low + high) / 2, 1.0, 2.0, low, high)


def test_rank_intervals_count_what_is_sure():
    # 2 surely beats 0, and 1 is compared with nobody surely.
    pairs = [contrast(0, 1, -3, 1), contrast(0, 2, -5, -1), contrast(1, 2, -2, 2)]
    assert rank_intervals(pairs) == (Ranks(2, 3), Ranks(1, 3), Ranks(1, 2))
    ordered = [contrast(0, 1, 1, 2), contrast(0, 2, 1, 2), contrast(1, 2, 1, 2)]
    assert rank_intervals(ordered) == (Ranks(1, 1), Ranks(2, 2), Ranks(3, 3))
    touching = [contrast(0, 1, 0, 2)]
    assert rank_intervals(touching) == (Ranks(1, 2), Ranks(1, 2))


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [contrast(0, None, 1, 2)],
        [contrast(0, 1, 1, 2), contrast(1, 2, 1, 2)],
        [contrast(0, 2, 1, 2), contrast(0, 1, 1, 2), contrast(1, 2, 1, 2)],
    ],
)
def test_rank_intervals_need_all_pairs(pairs):
    with pytest.raises(UsageError, match="intervals of all pairs"):
        rank_intervals(pairs)


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_probability_best_of_two_is_that_of_the_paired_t_test(shift):
    generator = np.random.default_rng(1)
    a, b = generator.integers(0, 20, (2, 50))
    shares = probability_best(Moments.from_scores(np.column_stack([a + shift, b])))
    test = stats.ttest_rel(b, a + shift, alternative="greater")
    assert shares[0] == pytest.approx(test.pvalue, rel=0.001, abs=1e-4)
    assert sum(shares) == pytest.approx(1)


def test_probability_best_keeps_small_probabilities():
    a, b = np.array([3, 4] * 20), np.array([0, 1, 1, 1] * 10)
    share = probability_best(Moments.from_scores(np.column_stack([a, b])))[1]
    expected = stats.ttest_rel(a, b, alternative="greater").pvalue
    assert 0 < expected < 1e-20
    assert share == pytest.approx(expected, rel=0.001, abs=0)


def test_probability_best_agrees_with_the_multivariate_normal():
    generator = np.random.default_rng(2)
    scores = generator.integers(0, 100, (5000, 1)) + generator.integers(0, [20, 30, 40, 50], (5000, 4))
    scores -= np.array([0, 5, 10, 15])
    moments = Moments.from_scores(scores)
    covariance = moments.covariance / moments.blocks
    for k, share in enumerate(probability_best(moments)):
        others = [j for j in range(4) if j != k]
        weights = np.eye(4)[k] - np.eye(4)[others]
        lead = stats.multivariate_normal(weights @ moments.means, weights @ covariance @ weights.T)
        # P(all leads > 0) is the distribution function of the mirrored leads at 0.
        expected = stats.multivariate_normal(-lead.mean, lead.cov).cdf(np.zeros(3), rng=np.random.default_rng(0))
        assert share == pytest.approx(expected, abs=0.002)


@pytest.mark.parametrize("count", [3, 6, 12])
def test_probability_best_of_equals_is_shared(count):
    products = (1000 * (4 * np.eye(count, dtype=np.int64) + 6)).tolist()
    assert probability_best(Moments(1000, (0,) * count, products)) == pytest.approx([1 / count] * count, abs=0.002)


def test_probability_best_of_strategies_that_never_differ():
    generator = np.random.default_rng(8)
    a, b = generator.integers(0, 9, (2, 40))
    two = probability_best(Moments.from_scores(np.column_stack([a, b])))
    four = probability_best(Moments.from_scores(np.column_stack([a, a, b, a - 1])))
    assert four == pytest.approx((two[0] / 2, two[0] / 2, two[1], 0))
    assert probability_best(Moments.from_scores([[3, 5, 5], [4, 6, 6]])) == (0, 0.5, 0.5)
    assert probability_best(Moments.from_scores([[3], [4]])) == (1,)


def test_nothing_is_random():
    moments = block_scores(np.random.default_rng(4), MEANS)
    assert simultaneous_intervals(moments) == simultaneous_intervals(moments)
    assert probability_best(moments) == probability_best(moments)


# The example of the R package CoinMinD, function GM.
def test_multinomial_intervals_published_values():
    intervals = multinomial_intervals([44, 55, 43, 32, 67, 78])
    assert [end.low for end in intervals] == pytest.approx(
        [0.09468368, 0.12376893, 0.09208527, 0.06412671, 0.15637944, 0.18692732], abs=1e-8
    )
    assert [end.high for end in intervals] == pytest.approx(
        [0.1966413, 0.2350489, 0.1931040, 0.1535697, 0.2760670, 0.3130119], abs=1e-7
    )


def test_multinomial_intervals_agree_with_statsmodels():
    # statsmodels 0.15, multinomial_proportions_confint(…, method="goodman").
    low, middle, high = multinomial_intervals([0, 30, 3], 0.9)
    assert low == pytest.approx((0, 0.12067008500779094), rel=1e-12)
    assert middle == pytest.approx((0.7483273062964075, 0.9711244423335819), rel=1e-12)
    assert high == pytest.approx((0.028875557666418247, 0.2516726937035925), rel=1e-12)


@pytest.mark.parametrize("counts", [[56, 72, 73, 59, 62, 87, 58], [1, 0, 9], [10**9, 2 * 10**9]])
def test_multinomial_intervals_against_statsmodels(counts):
    from statsmodels.stats.proportion import multinomial_proportions_confint

    expected = multinomial_proportions_confint(counts, 0.05, "goodman")
    np.testing.assert_allclose(multinomial_intervals(counts), expected, rtol=1e-9, atol=1e-12)


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=8))
@settings(deadline=None)
def test_multinomial_intervals_are_wilsons_with_the_error_shared(counts):
    for count, interval in zip(counts, multinomial_intervals(counts), strict=True):
        assert interval == pytest.approx(share_interval(count, sum(counts), 1 - 0.05 / len(counts)), rel=1e-6)


def test_multinomial_intervals_at_the_extremes():
    none, all_of_them = multinomial_intervals([0, 20])
    assert none.low == 0
    assert all_of_them.high == 1
    assert none.high == pytest.approx(1 - all_of_them.low)
    assert all(math.isnan(end) for interval in multinomial_intervals([0, 0]) for end in interval)


@pytest.mark.parametrize("counts", [[], [1, -1], [0.5, 0.5], [[1, 2]], 3])
def test_multinomial_intervals_refuse_what_are_no_counts(counts):
    with pytest.raises(UsageError, match="whole numbers from 0 up"):
        multinomial_intervals(counts)


def covering_samples(repetitions):
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    samples = np.random.default_rng(20_240_612).multinomial(200, shares, repetitions)
    ends = np.array([multinomial_intervals(sample) for sample in samples])
    return int(np.all((ends[..., 0] <= shares) & (shares <= ends[..., 1]), axis=1).sum())


# Separate intervals of 95 % would cover jointly in about 85 %; Bonferroni loses little here.
def test_multinomial_intervals_cover_jointly_as_often_as_they_say():
    covered = covering_samples(1000)
    assert stats.binomtest(covered, 1000, 0.95, "less").pvalue > 0.001
    assert covered < 985


@pytest.mark.slow
def test_multinomial_intervals_cover_jointly_as_often_as_they_say_long():
    covered = covering_samples(40_000)
    assert stats.binomtest(covered, 40_000, 0.95, "less").pvalue > 0.001
    assert covered < 39_000


def test_importing_the_modules_does_not_load_scipy():
    code = (
        "import sys, analysis.simultaneous, analysis.ratings, analysis.cycles, analysis.luck; "
        "print({'scipy.' + part for part in ('special', 'stats', 'optimize', 'sparse')} & set(sys.modules))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# --- Parts of moments ------------------------------------------------------------------------------------------------


def test_only_keeps_some_in_the_order_named():
    scores = np.random.default_rng(1).integers(0, 9, (20, 3))
    assert Moments.from_scores(scores, 2).only([2, 0]) == Moments.from_scores(scores[:, [2, 0]], 2)


def test_combined_is_matrix_algebra():
    rng = np.random.default_rng(2)
    scores = rng.integers(-50, 50, (30, 4))
    weights = rng.integers(-3, 4, (3, 4))
    assert Moments.from_scores(scores).combined(weights, 2) == Moments.from_scores(scores @ weights.T, 2)
