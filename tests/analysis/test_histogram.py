import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.histogram import Histogram
from sims.errors import UsageError

scores = st.lists(st.integers(-10_000, 10_000), max_size=30)
EMPTY = Histogram.from_dict({})


def test_from_scores_counts_each_score():
    assert Histogram.from_scores([3, -1, 3, 0]).to_dict() == {-1: 1, 0: 1, 3: 2}


def test_from_scores_flattens_and_does_not_overflow_narrow_types():
    wide = Histogram.from_scores(np.array([[-128, 127], [127, 0]], dtype=np.int8))
    assert wide.to_dict() == {-128: 1, 0: 1, 127: 2}


def test_from_dict_and_to_dict_leave_out_zeros_and_sort():
    assert list(Histogram.from_dict({5: 2, 4: 0, -3: 1}).to_dict().items()) == [(-3, 1), (5, 2)]


def test_zero_counts_at_the_ends_make_no_difference():
    padded = Histogram(-2, np.array([0, 0, 4, 0, 1, 0]))
    plain = Histogram(0, np.array([4, 0, 1]))
    assert padded == plain
    assert hash(padded) == hash(plain)
    assert padded.lowest == 0


def test_different_counts_are_different_histograms():
    base = Histogram.from_dict({1: 2, 3: 4})
    assert base != Histogram.from_dict({1: 2, 3: 5})
    assert base != Histogram.from_dict({2: 2, 4: 4})
    assert base != {1: 2, 3: 4}


def test_counts_are_a_read_only_copy():
    given_counts = np.array([1, 2, 3])
    histogram = Histogram(0, given_counts)
    given_counts[0] = 99
    assert histogram.to_dict() == {0: 1, 1: 2, 2: 3}
    with pytest.raises(ValueError, match="read-only"):
        histogram.counts[0] = 5


def test_a_histogram_survives_pickling():
    histogram = Histogram.from_dict({-4: 1, 9: 10**10})
    assert pickle.loads(pickle.dumps(histogram)) == histogram


def test_statistics_of_a_known_sample():
    # Scores 1, 2, 2, 5: sum 10, mean 2.5, squared deviations 2.25 + 0.25 + 0.25 + 6.25 = 9, variance 9 / 3.
    sample = Histogram.from_scores([5, 2, 1, 2])
    assert sample.total == 4
    assert sample.score_sum == 10
    assert sample.square_sum == 34
    assert sample.mean == 2.5
    assert sample.variance == 3.0
    assert sample.sd == pytest.approx(math.sqrt(3))
    assert sample.standard_error == pytest.approx(math.sqrt(3) / 2)
    assert (sample.minimum, sample.median, sample.maximum) == (1, 2, 5)
    assert sample.share(2) == 0.5
    assert sample.share(4) == 0


def test_an_empty_histogram_has_no_statistics():
    assert EMPTY.total == 0
    assert EMPTY.to_dict() == {}
    assert Histogram.from_scores([]) == Histogram(7, np.array([0, 0])) == EMPTY
    statistics = [
        EMPTY.mean,
        EMPTY.variance,
        EMPTY.sd,
        EMPTY.standard_error,
        EMPTY.median,
        EMPTY.minimum,
        EMPTY.maximum,
        EMPTY.quantile(0),
        EMPTY.share(0),
        EMPTY.tail(0),
    ]
    assert all(math.isnan(value) for value in statistics)


def test_one_observation_has_a_mean_but_no_variance():
    one = Histogram.from_scores([7])
    assert one.mean == 7
    assert math.isnan(one.variance)
    assert math.isnan(one.standard_error)


def test_sums_are_exact_where_doubles_are_not():
    # Two scores, 10^10 times each, one apart and far from 0: n = 2 · 10^10, mean 9999.5, squared deviations n / 4.
    n = 2 * 10**10
    large = Histogram.from_dict({9_999: n // 2, 10_000: n // 2})
    assert large.square_sum == (9_999**2 + 10_000**2) * 10**10
    assert large.square_sum > 2**63 / 10
    assert large.mean == 9999.5
    assert large.variance == float(Fraction(n, 4 * (n - 1)))


def test_sums_exceed_64_bits_without_wrapping():
    huge = Histogram(-10_000, np.full(20_001, 10**10))
    assert huge.score_sum == 0
    assert huge.square_sum == 2 * 10**10 * sum(score**2 for score in range(10_001))
    assert huge.square_sum > 2**63


@given(scores, scores)
@settings(deadline=None)
def test_addition_is_concatenation_and_commutes(left, right):
    first, second = Histogram.from_scores(left), Histogram.from_scores(right)
    assert first + second == Histogram.from_scores(left + right)
    assert first + second == second + first


@given(scores, scores, scores)
@settings(deadline=None)
def test_addition_is_associative_to_the_last_bit(one, two, three):
    a, b, c = (Histogram.from_scores(part) for part in (one, two, three))
    left, right = (a + b) + c, a + (b + c)
    assert left == right
    assert (left.score_sum, left.square_sum) == (right.score_sum, right.square_sum)


@given(scores)
@settings(deadline=None)
def test_to_dict_round_trip(values):
    histogram = Histogram.from_scores(values)
    assert Histogram.from_dict(histogram.to_dict()) == histogram


@given(st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=50))
@settings(deadline=None)
def test_moments_agree_with_numpy(values):
    histogram = Histogram.from_scores(values)
    assert histogram.mean == pytest.approx(np.mean(values), rel=1e-12, abs=1e-9)
    assert histogram.variance == pytest.approx(np.var(values, ddof=1), rel=1e-9, abs=1e-9)


# Multiples of 1/64 times a small count are exact doubles, so that numpy's own rounding plays no part.
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(0, 64))
@settings(deadline=None)
def test_quantile_agrees_with_numpy(values, sixty_fourths):
    p = sixty_fourths / 64
    assert Histogram.from_scores(values).quantile(p) == np.quantile(values, p, method="inverted_cdf")


@given(st.integers(1, 2_000), st.data())
@settings(deadline=None)
def test_quantile_reaches_a_share_written_as_a_fraction(n, data):
    k = data.draw(st.integers(1, n))
    one_each = Histogram(1, np.ones(n, dtype=np.int64))
    assert one_each.quantile(k / n) == k


def test_quantile_does_not_round_past_the_boundary():
    assert 0.07 * 100 > 7
    assert Histogram(1, np.ones(100, dtype=np.int64)).quantile(0.07) == 7


def test_quantile_skips_scores_that_did_not_occur():
    assert Histogram.from_dict({0: 1, 10: 1}).quantile(0.51) == 10


def test_median_is_the_lower_of_the_middle_two():
    assert Histogram.from_scores([1, 2, 3, 4]).median == 2


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_quantile_refuses_what_is_no_share(p):
    with pytest.raises(UsageError, match="from 0 to 1"):
        Histogram.from_scores([1]).quantile(p)


@pytest.mark.parametrize(("score", "share"), [(-100, 1), (1, 1), (2, 0.75), (3, 0.25), (5, 0.25), (6, 0), (100, 0)])
def test_tail_includes_the_score_itself(score, share):
    assert Histogram.from_scores([1, 2, 2, 5]).tail(score) == share


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Histogram(0, np.array([1, -2])), r"count -2 of score 1 is negative"),
        (lambda: Histogram(0, np.array([1.0, 2.0])), r"type float64; give integers"),
        (lambda: Histogram(0, np.ones((2, 2), dtype=np.int64)), r"2 dimensions"),
        (lambda: Histogram(0.5, np.array([1])), r"lowest score 0.5 is not an integer"),
        (lambda: Histogram.from_scores([1.5]), r"type float64; give integers"),
        (lambda: Histogram.from_dict({1: 2.5}), r"count 2.5 is not an integer"),
        (lambda: Histogram.from_dict({"1": 2}), r"score '1' is not an integer"),
        (lambda: Histogram.from_dict({1: -2}), r"count -2 of score 1 is negative"),
    ],
)
def test_what_is_not_a_count_is_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()
