import itertools
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.histogram import Histogram
from analysis.intervals import Interval, student_interval
from analysis.sequential import (
    confidence_sequence,
    constrained_shares,
    cumulative,
    difference_log_likelihood_ratio,
    elo_score,
    estimate_after_stop,
    log_likelihood_ratio,
    looks,
    mean_confidence_sequence,
    sequential_verdict,
    sprt,
    sprt_bounds,
    sprt_verdict,
)
from sims.errors import UsageError

EMPTY = Histogram.from_dict({})

# Block differences by their probabilities: most blocks alike; and many small losses against rare large gains.
SYMMETRIC = (np.array([-1, 0, 1]), np.array([0.2, 0.6, 0.2]))
SKEWED = (np.array([-1, 3, 20]), np.array([0.9, 0.07, 0.03]))
DISTRIBUTIONS = [pytest.param(SYMMETRIC, id="symmetric"), pytest.param(SKEWED, id="skewed")]


def simulated_counts(distribution, at, trials, seed):
    """Cumulative counts at each look, shape (looks, trials, values): the increments of the looks are independent."""
    rng = np.random.default_rng(seed)
    parts = [rng.multinomial(blocks, distribution[1], size=trials) for blocks in np.diff([0, *at])]
    return np.cumsum(parts, axis=0)


def histograms(values, counts):
    """One histogram a look, from counts of shape (looks, values)."""
    return [Histogram.from_dict(dict(zip(values.tolist(), row, strict=True))) for row in counts.tolist()]


def with_mean(distribution, mean):
    values, shares = distribution
    return values, constrained_shares(values, shares, mean)


# Looks


def test_looks_grow_by_the_ratio_and_end_at_most():
    assert looks(first=100, ratio=2, most=1000) == (100, 200, 400, 800, 1000)
    assert looks(first=3, ratio=1.1, most=8) == (3, 4, 5, 6, 7, 8)
    assert looks(first=50, ratio=1.5, most=50) == (50,)


@given(st.integers(1, 1000), st.floats(1.01, 10), st.integers(0, 10**6))
@settings(deadline=None)
def test_looks_increase_strictly_from_first_to_most(first, ratio, further):
    at = looks(first=first, ratio=ratio, most=first + further)
    assert (at[0], at[-1]) == (first, first + further)
    assert all(earlier < later <= max(earlier + 1, earlier * ratio + 1) for earlier, later in itertools.pairwise(at))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"first": 0, "ratio": 2, "most": 5}, "first look 0"),
        ({"first": 5, "ratio": 1, "most": 9}, "ratio 1 "),
        ({"first": 5, "ratio": math.nan, "most": 9}, "ratio nan"),
        ({"first": 5, "ratio": math.inf, "most": 9}, "ratio inf"),
        ({"first": 5, "ratio": 2, "most": 4}, "last look 4 comes before the first at 5"),
    ],
)
def test_looks_refuse_what_does_not_grow(arguments, message):
    with pytest.raises(UsageError, match=message):
        looks(**arguments)


def test_cumulative_adds_consecutive_parts():
    parts = [Histogram.from_scores(scores) for scores in ([1, 2], [3], [], [4, 4, 4])]
    assert list(cumulative(parts, (2, 3, 6))) == [
        Histogram.from_scores([1, 2]),
        Histogram.from_scores([1, 2, 3]),
        Histogram.from_scores([1, 2, 3, 4, 4, 4]),
    ]
    assert next(cumulative(parts, (3, 6))).total == 3


def test_cumulative_ends_with_its_parts():
    assert [counts.total for counts in cumulative([Histogram.from_dict({0: 10})], (10, 20))] == [10]


def test_cumulative_refuses_a_look_inside_a_part():
    with pytest.raises(UsageError, match="ends at block 10, past the look at 7"):
        list(cumulative([Histogram.from_dict({0: 10})], (7,)))


@pytest.mark.parametrize("at", [(5, 5), (9, 4), (0, 3)])
def test_cumulative_refuses_looks_that_do_not_increase(at):
    with pytest.raises(UsageError, match="do not increase"):
        list(cumulative([Histogram.from_dict({0: 10})], at))


# The confidence sequence


def test_confidence_sequence_worked_by_hand():
    # α = 0.05, n = n*: −2 ln α = 5.991465, n r = 5.991465 + ln 6.991465 = 7.936155, so that the half width is
    # sd / √n times √( 2 · 8.936155 / 7.936155 · ln(2.989340 / 0.05) ) = 3.035209: 1.55 single 95 % intervals.
    low, high = confidence_sequence(7, 2, 400, alpha=0.05, optimised_for=400)
    assert (low, high) == pytest.approx((7 - 0.3035209, 7 + 0.3035209), abs=1e-6)
    assert (high - 7) / (1.959964 * 2 / 20) == pytest.approx(1.55, abs=0.005)


@given(st.floats(1e-4, 0.5), st.integers(10, 10**9))
@settings(deadline=None)
def test_confidence_sequence_is_narrowest_where_it_is_optimised(alpha, blocks):
    best, early, late = (
        confidence_sequence(0, 1, blocks, alpha=alpha, optimised_for=blocks * factor).high for factor in (1, 0.5, 2)
    )
    assert best < early
    assert best < late


@given(st.integers(2, 10**9), st.floats(1e-4, 0.5), st.floats(1, 10**9))
@settings(deadline=None)
def test_confidence_sequence_is_wider_than_a_single_interval(blocks, alpha, optimised_for):
    normal = -student_interval(0, 1 / math.sqrt(blocks), 10**12, 1 - alpha).low
    assert confidence_sequence(0, 1, blocks, alpha=alpha, optimised_for=optimised_for).high > normal


def test_mean_confidence_sequence_takes_mean_and_sd_from_the_counts():
    histogram = Histogram.from_dict({-3: 40, 0: 10, 5: 50})
    expected = confidence_sequence(histogram.mean, histogram.sd, 100, alpha=0.1, optimised_for=50)
    assert mean_confidence_sequence(histogram, alpha=0.1, optimised_for=50) == expected


def test_mean_confidence_sequence_without_variance_is_a_point():
    assert mean_confidence_sequence(Histogram.from_dict({4: 9}), optimised_for=9) == (4, 4)


@pytest.mark.parametrize("histogram", [EMPTY, Histogram.from_scores([4])])
def test_mean_confidence_sequence_needs_two_observations(histogram):
    assert all(math.isnan(end) for end in mean_confidence_sequence(histogram, optimised_for=100))


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 5, math.nan])
def test_confidence_sequence_refuses_what_is_no_error_rate(alpha):
    with pytest.raises(UsageError, match=f"alpha {alpha} is not between 0 and 1"):
        confidence_sequence(0, 1, 10, alpha=alpha, optimised_for=10)


@pytest.mark.parametrize("optimised_for", [0, -1, math.nan, math.inf])
def test_confidence_sequence_refuses_to_be_optimised_for_nothing(optimised_for):
    with pytest.raises(UsageError, match=f"optimised_for {optimised_for} is not a number of blocks"):
        confidence_sequence(0, 1, 10, optimised_for=optimised_for)


def missed(distribution, trials, seed):
    """The shares of runs of thirty looks in which a plain 95 % interval, and the sequence, miss the mean once."""
    at = looks(first=1000, ratio=1.3, most=10**7)[:30]
    values, shares = distribution
    truth = float(values @ shares)
    blocks = np.array(at)[:, None]
    counts = simulated_counts(distribution, at, trials, seed)
    means = counts @ values / blocks
    sds = np.sqrt((counts @ values**2 - blocks * means**2) / (blocks - 1))
    plain = np.array([student_interval(0, 1 / math.sqrt(n), n).high for n in at])[:, None]
    sequence = np.array([confidence_sequence(0, 1, n, optimised_for=at[15]).high for n in at])[:, None]
    errors = abs(means - truth)
    return [float(np.mean(np.any(errors > factor * sds, axis=0))) for factor in (plain, sequence)]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_thirty_looks_fool_a_plain_interval_but_not_the_sequence(distribution):
    plain, sequence = missed(distribution, trials=1000, seed=11)
    assert plain > 0.3
    assert sequence <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_thirty_looks_over_many_runs(distribution):
    plain, sequence = missed(distribution, trials=50_000, seed=12)
    assert plain == pytest.approx(0.456, abs=0.03)
    assert 0.005 < sequence < 0.03


# Sequential verdicts


def test_sequential_verdict_stops_at_the_first_look_that_decides():
    part = Histogram.from_dict({-1: 40, 0: 20, 1: 60})
    at = tuple(range(120, 1201, 120))
    result = sequential_verdict(cumulative([part] * 10, at), 0.01, optimised_for=480, scale=2)
    intervals = [mean_confidence_sequence(counts, optimised_for=480) for counts in cumulative([part] * 10, at)]
    first = next(look for look, interval in enumerate(intervals, start=1) if interval.low > 0)
    assert 1 < first < 10
    assert (result.verdict, result.look, result.blocks) == ("better", first, 120 * first)
    assert result.effect == pytest.approx(20 / 120 / 2)
    assert Interval(result.low, result.high) == pytest.approx(tuple(end / 2 for end in intervals[first - 1]))


@pytest.mark.parametrize(
    ("counts", "margin", "verdict"),
    [
        ({-1: 400, 1: 600}, 0.0, "better"),
        ({-1: 600, 1: 400}, 0.0, "worse"),
        ({-1: 500, 1: 500}, 0.2, "equivalent"),
        ({-1: 500, 1: 500}, 0.0, "undecided"),
        ({-1: 10, 1: 19}, 9.0, "undecided"),  # below the fewest blocks of any verdict
    ],
)
def test_sequential_verdict_says_what_the_interval_allows(counts, margin, verdict):
    assert sequential_verdict([Histogram.from_dict(counts)], margin, optimised_for=1000).verdict == verdict


def test_sequential_verdict_asks_for_nothing_after_the_decision():
    def parts():
        yield Histogram.from_dict({1: 500, 3: 500})
        pytest.fail("a look after the decision was asked for")

    assert sequential_verdict(cumulative(parts(), (1000, 2000)), 0, optimised_for=1000).look == 1


def test_sequential_verdict_does_not_stop_before_the_differences_vary():
    still = Histogram.from_dict({0: 100})
    late = sequential_verdict([still, still + Histogram.from_dict({0: 98, 20: 2})], 0.5, optimised_for=200)
    assert (late.verdict, late.look) == ("undecided", 2)
    same = sequential_verdict([still, still + still], 0, optimised_for=200)
    assert (same.verdict, same.look, same.low, same.high) == ("equivalent", 2, 0, 0)


@given(st.data(), st.integers(0, 2**32))
@settings(deadline=None)
def test_the_stop_is_a_function_of_the_prefix_whatever_the_chunks(data, seed):
    at = looks(first=40, ratio=1.4, most=400)
    rng = np.random.default_rng(seed)
    scores = rng.integers(-4, 6, size=500)
    cuts = sorted(data.draw(st.sets(st.integers(1, 499), max_size=30)) | set(at))
    parts = [Histogram.from_scores(part) for part in np.split(scores, cuts)]
    whole = [Histogram.from_scores(scores[:blocks]) for blocks in at]
    expected = sequential_verdict(whole, 0.6, optimised_for=400)
    assert sequential_verdict(cumulative(parts, at), 0.6, optimised_for=400) == expected
    altered = scores.copy()
    altered[expected.blocks :] = 5
    later = [Histogram.from_scores(altered[:blocks]) for blocks in at]
    assert sequential_verdict(later, 0.6, optimised_for=400) == expected
    assert sprt(cumulative(parts, at), 0, 1) == sprt(whole, 0, 1)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sequential_verdict_is_rarely_false(distribution):
    at = looks(first=500, ratio=1.5, most=20_000)
    values, _ = fair = with_mean(distribution, 0.0)
    counts = simulated_counts(fair, at, trials=300, seed=13)
    results = [sequential_verdict(histograms(values, run), 0, optimised_for=at[-1]) for run in counts.swapaxes(0, 1)]
    assert sum(result.verdict != "undecided" for result in results) <= 0.05 * 300


@pytest.mark.parametrize(
    ("differences", "message"),
    [
        ([], "no look"),
        ([Histogram.from_dict({0: 500})] * 2, "look 2 has 500 blocks, no more than the 500"),
        ([Histogram.from_dict({0: 9}), Histogram.from_dict({0: 8})], "look 2 has 8 blocks"),
    ],
)
def test_sequential_decisions_refuse_looks_that_do_not_grow(differences, message):
    with pytest.raises(UsageError, match=message):
        sequential_verdict(differences, 0, optimised_for=100)
    with pytest.raises(UsageError, match=message):
        sprt(differences, -1, 1)


def test_sequential_verdict_refuses_bad_parameters():
    differences = [Histogram.from_dict({0: 50, 1: 50})]
    for margin in (-1, math.nan, math.inf):
        with pytest.raises(UsageError, match=f"margin {margin} is not a number of points"):
            sequential_verdict(differences, margin, optimised_for=100)
    with pytest.raises(UsageError, match="scale 0"):
        sequential_verdict(differences, 0, optimised_for=100, scale=0)


# The estimate after stopping


def test_estimate_after_stop_is_the_sample_of_the_fresh_blocks():
    stopped, fresh = Histogram.from_dict({-2: 100, 6: 300}), Histogram.from_dict({-2: 60, 4: 40})
    estimate = estimate_after_stop(stopped, fresh, confidence=0.9, scale=2)
    assert (estimate.blocks, estimate.effect) == (400, 2.0)
    assert (estimate.fresh_blocks, estimate.fresh_effect) == (100, pytest.approx(0.2))
    assert estimate.fresh_standard_error == pytest.approx(fresh.standard_error / 2)
    assert (estimate.low, estimate.high) == pytest.approx(
        tuple(student_interval(0.2, fresh.standard_error / 2, 100, 0.9))
    )


def test_estimate_after_stop_without_fresh_blocks_is_not_known():
    estimate = estimate_after_stop(Histogram.from_dict({1: 100}), EMPTY)
    assert estimate.effect == 1
    assert all(
        math.isnan(value)
        for value in (estimate.fresh_effect, estimate.fresh_standard_error, estimate.low, estimate.high)
    )


def test_estimate_after_stop_refuses_bad_parameters():
    some = Histogram.from_scores([1, 2])
    with pytest.raises(UsageError, match="confidence 95 "):
        estimate_after_stop(some, some, confidence=95)
    with pytest.raises(UsageError, match="scale 0"):
        estimate_after_stop(some, some, scale=0)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_estimate_after_stop_is_unbiased_where_the_plain_mean_is_not(distribution):
    at = looks(first=500, ratio=1.3, most=5000)
    scale = math.sqrt(with_mean(distribution, 0.0)[1] @ distribution[0] ** 2)
    truth = 0.05 * scale
    values, shares = shifted = with_mean(distribution, truth)
    counts = simulated_counts(shifted, at, trials=500, seed=14)
    rng = np.random.default_rng(15)
    estimates = []
    for run in counts.swapaxes(0, 1):
        seen = histograms(values, run)
        stop = sequential_verdict(seen, 0, optimised_for=at[-1])
        if stop.verdict == "better":
            fresh = histograms(values, rng.multinomial(1000, shares, size=1))[0]
            estimates.append(estimate_after_stop(seen[stop.look - 1], fresh))
    assert 150 < len(estimates) < 450  # the stop selects: by no means every run ends as "better"
    error = scale / math.sqrt(1000 * len(estimates))
    assert np.mean([estimate.effect for estimate in estimates]) > truth + 5 * error
    assert np.mean([estimate.fresh_effect for estimate in estimates]) == pytest.approx(truth, abs=3.5 * error)
    covered = np.mean([estimate.low <= truth <= estimate.high for estimate in estimates])
    assert covered == pytest.approx(0.95, abs=0.04)


# The generalised sequential probability ratio test


@pytest.mark.parametrize(("elo", "score"), [(0, 0.5), (400, 10 / 11), (-400, 1 / 11), (400 * math.log10(3), 0.75)])
def test_elo_score_is_the_logistic_curve(elo, score):
    assert elo_score(elo) == pytest.approx(score, abs=1e-9)


def test_elo_score_of_huge_differences():
    assert (elo_score(-1e6), elo_score(1e6)) == (0, 1)


@pytest.mark.parametrize(
    ("values", "counts", "elo", "published"),
    [
        # Of tests that fishtest ran with logistic bounds: wins, draws, losses; then pairs of games by their score.
        ([1, 0.5, 0], [21404, 40708, 21184], (0.5, 2.5), "-1.57"),
        ([1, 0.5, 0], [57433, 106593, 57030], (0, 2), "-2.59"),
        ([0, 0.25, 0.5, 0.75, 1], [223, 9863, 21279, 10037, 246], (0.5, 2.5), "-3.07"),
        ([0, 0.25, 0.5, 0.75, 1], [871, 26175, 55983, 26678, 821], (0, 2), "-4.98"),
    ],
)
def test_log_likelihood_ratio_published_values(values, counts, elo, published):
    low, high = (elo_score(difference) for difference in elo)
    assert f"{log_likelihood_ratio(values, counts, low, high):.2f}" == published


@given(st.integers(1, 10**9), st.integers(1, 10**9), st.floats(0.01, 0.98), st.floats(0.005, 0.5))
@settings(deadline=None)
def test_log_likelihood_ratio_of_two_values_is_walds(failures, successes, low, step):
    # With two values the mean fixes both shares, and the test is Wald's for a share.
    high = min(low + step, 0.99)
    expected = successes * math.log(high / low) + failures * math.log((1 - high) / (1 - low))
    ratio = log_likelihood_ratio([0, 1], [failures, successes], low, high)
    assert ratio == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_log_likelihood_ratio_near_the_normal_approximation():
    # Close bounds: n (high − low) (2 mean − low − high) / (2 variance), from Van den Bergh's GSPRT approximation.
    histogram = Histogram.from_dict({-30: 2000, -5: 30_000, 0: 20_000, 4: 40_000, 11: 8000})
    low, high = histogram.mean - 0.05, histogram.mean + 0.02
    expected = histogram.total * (high - low) * (2 * histogram.mean - low - high) / (2 * histogram.variance)
    counts = histogram.to_dict()
    ratio = log_likelihood_ratio(list(counts), list(counts.values()), low, high)
    assert ratio == pytest.approx(expected, rel=0.02)


tables = st.lists(
    st.tuples(st.integers(-200, 200), st.integers(0, 10**6)), min_size=3, max_size=12, unique_by=lambda x: x[0]
)


@given(tables, st.floats(0.02, 0.98))
@settings(deadline=None)
def test_constrained_shares_are_a_distribution_with_the_mean(table, position):
    values, counts = (np.array(column, dtype=float) for column in zip(*table, strict=True))
    mean = values.min() + position * np.ptp(values)
    shares = constrained_shares(values, counts, mean)
    assert shares.min() > 0
    assert shares.sum() == pytest.approx(1, abs=1e-6)
    assert shares @ values == pytest.approx(mean, abs=1e-6 * np.ptp(values))


@given(tables, st.floats(0.02, 0.98), st.floats(0.01, 0.9))
@settings(deadline=None)
def test_constrained_shares_are_more_likely_than_their_neighbours(table, position, step):
    values, counts = (np.array(column, dtype=float) for column in zip(*table, strict=True))
    counts += 1
    shares = constrained_shares(values, counts, values.min() + position * np.ptp(values))
    # Moving mass among three values along this direction keeps both the sum and the mean.
    first, second, third = values[:3]
    direction = np.zeros(values.size)
    direction[:3] = second - third, third - first, first - second
    direction *= step / np.max(abs(direction) / shares)
    best = counts @ np.log(shares)
    assert counts @ np.log(shares + direction) <= best + 1e-9 * abs(best)
    assert counts @ np.log(shares - direction) <= best + 1e-9 * abs(best)


def test_constrained_shares_of_the_own_mean_are_the_observed_ones():
    assert constrained_shares([0, 1, 5], [2, 5, 3], 2.0) == pytest.approx([0.2, 0.5, 0.3])


def test_log_likelihood_ratio_counts_an_absent_value_as_a_thousandth():
    with_zero = log_likelihood_ratio([0, 0.5, 1], [0, 3, 2], 0.4, 0.6)
    assert with_zero == log_likelihood_ratio([0, 0.5, 1], [0.001, 3, 2], 0.4, 0.6)
    assert math.isfinite(with_zero)


@given(tables, st.floats(0.02, 0.45), st.floats(0.55, 0.98))
@settings(deadline=None)
def test_log_likelihood_ratio_turns_its_sign_with_the_values(table, low, high):
    values, counts = (np.array(column, dtype=float) for column in zip(*table, strict=True))
    lower, upper = (values.min() + position * np.ptp(values) for position in (low, high))
    ratio = log_likelihood_ratio(values, counts, lower, upper)
    turned = log_likelihood_ratio(-values, counts, -upper, -lower)
    assert turned == pytest.approx(-ratio, rel=1e-6, abs=1e-6)


def test_log_likelihood_ratio_without_observations_is_zero():
    assert log_likelihood_ratio([0, 0.5, 1], [0, 0, 0], 0.2, 0.3) == 0


@pytest.mark.parametrize("place", [0, 1, 2])
def test_log_likelihood_ratio_with_all_mass_at_one_value(place):
    counts = [0, 0, 0]
    counts[place] = 50
    ratio = log_likelihood_ratio([0, 0.5, 1], counts, 0.4, 0.6)
    # Mass at an end: one bound explains each observation by a share of 0.4, the other by one of 0.6, both at most.
    expected = {0: -50 * math.log(1.5), 1: 0.0, 2: 50 * math.log(1.5)}[place]
    assert ratio == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(("low", "high"), [(0, 0.5), (0.5, 1), (-2, 0.5), (0.5, 7), (math.nan, 0.5)])
def test_log_likelihood_ratio_refuses_bounds_outside_the_values(low, high):
    with pytest.raises(UsageError, match=r"cannot come from values between 0 and 1|bounds nan"):
        log_likelihood_ratio([0, 0.5, 1], [10, 10, 10], low, high)


@pytest.mark.parametrize(
    ("values", "counts", "message"),
    [
        ([0, 1], [1, 2, 3], "do not fit"),
        ([0], [1], "do not fit"),
        ([[0, 1]], [[1, 1]], "do not fit"),
        ([0, math.inf], [1, 1], "value inf"),
        ([0, 1], [1, -1], "count -1 "),
        ([0, 1], [1, math.nan], "count nan"),
    ],
)
def test_log_likelihood_ratio_refuses_what_does_not_fit(values, counts, message):
    with pytest.raises(UsageError, match=message):
        log_likelihood_ratio(values, counts, 0.2, 0.4)


def test_log_likelihood_ratio_refuses_turned_bounds():
    for low, high in ((0.5, 0.4), (0.5, 0.5), (-math.inf, 0.5), (0.5, math.nan)):
        with pytest.raises(UsageError, match=f"bounds {low} and {high} are not two numbers in order"):
            log_likelihood_ratio([0, 1], [1, 1], low, high)
        with pytest.raises(UsageError, match=f"bounds {low} and {high} are not two numbers in order"):
            difference_log_likelihood_ratio(Histogram.from_dict({0: 1, 1: 1}), low, high)


def test_difference_log_likelihood_ratio_adds_the_possible_ends():
    histogram = Histogram.from_dict({-4: 10, 0: 40, 3: 50})
    expected = log_likelihood_ratio([-9, -4, 0, 3, 9], [0, 10, 40, 50, 0], 0.5, 1.5)
    assert difference_log_likelihood_ratio(histogram, 0.5, 1.5, possible=(-9, 9)) == pytest.approx(expected)
    # An end that did occur keeps its count.
    assert difference_log_likelihood_ratio(histogram, 0.5, 1.5, possible=(-4, 3)) == pytest.approx(
        log_likelihood_ratio([-4, 0, 3], [10, 40, 50], 0.5, 1.5)
    )


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [(-1, 2, (-4, 3)), (-4.5, 2, (-5, 3)), (-4, 2, (-5, 3)), (-9.5, -9, (-10, 3)), (0, 3, (-4, 4)), (5, 7.5, (-4, 8))],
)
def test_difference_log_likelihood_ratio_extends_the_range_just_beyond_the_bounds(low, high, ends):
    histogram = Histogram.from_dict({-4: 10, 0: 40, 3: 50})
    expected = difference_log_likelihood_ratio(histogram, low, high, possible=ends)
    assert difference_log_likelihood_ratio(histogram, low, high) == expected


def test_difference_log_likelihood_ratio_refuses_bounds_outside_the_possible():
    with pytest.raises(UsageError, match="mean 5 cannot come from values between -5 and 5"):
        difference_log_likelihood_ratio(Histogram.from_dict({0: 9, 1: 9}), 0, 5, possible=(-5, 5))


def test_difference_log_likelihood_ratio_of_equal_differences_is_careful():
    # Fifty blocks without a difference: a mean of 1 needs a share of 1 % at +100, so the ratio is near 50 ln 0.99.
    equal = Histogram.from_dict({0: 50})
    ratio = difference_log_likelihood_ratio(equal, 0, 1, possible=(-100, 100))
    assert ratio == pytest.approx(50 * math.log(0.99), rel=0.02)


def test_difference_log_likelihood_ratio_without_blocks_is_zero():
    assert difference_log_likelihood_ratio(EMPTY, 0, 1) == 0
    assert difference_log_likelihood_ratio(EMPTY, 0, 1, possible=(-100, 100)) == 0


def test_difference_log_likelihood_ratio_refuses_an_impossible_difference():
    with pytest.raises(UsageError, match="differences from -7 to 2 do not fit the possible -5 to 5"):
        difference_log_likelihood_ratio(Histogram.from_scores([-7, 2]), 0, 1, possible=(-5, 5))


def test_sprt_bounds_are_walds():
    # The bounds of ±2.94 that every chess engine test prints.
    assert sprt_bounds(0.05, 0.05) == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert sprt_bounds(0.01, 0.2) == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))


@pytest.mark.parametrize(
    ("alpha", "beta", "message"),
    [(0, 0.05, "alpha 0 "), (0.05, 1, "beta 1 "), (math.nan, 0.1, "alpha nan"), (0.6, 0.4, "add up to 1 or more")],
)
def test_sprt_bounds_refuse_what_is_no_error_rate(alpha, beta, message):
    with pytest.raises(UsageError, match=message):
        sprt_bounds(alpha, beta)


def test_sprt_verdict_at_its_bounds():
    lower, upper = sprt_bounds(0.05, 0.1)
    ratios = (-math.inf, lower, lower + 1e-9, 0, upper - 1e-9, upper)
    assert [sprt_verdict(ratio, alpha=0.05, beta=0.1) for ratio in ratios] == [
        "accepted low",
        "accepted low",
        "undecided",
        "undecided",
        "undecided",
        "accepted high",
    ]


def test_sprt_stops_at_the_first_look_that_accepts():
    part = Histogram.from_dict({-2: 20, 0: 10, 2: 30})
    at = tuple(range(60, 1201, 60))
    result = sprt(cumulative([part] * 20, at), 0, 0.1, possible=(-6, 6), scale=2)
    ratios = [
        difference_log_likelihood_ratio(counts, 0, 0.2, possible=(-6, 6)) for counts in cumulative([part] * 20, at)
    ]
    first = next(look for look, ratio in enumerate(ratios, start=1) if ratio >= sprt_bounds()[1])
    assert 1 < first < 20
    assert (result.verdict, result.look, result.blocks) == ("accepted high", first, 60 * first)
    assert result.ratio == ratios[first - 1]


def test_sprt_is_undecided_when_the_looks_end():
    result = sprt([Histogram.from_dict({-1: 20, 1: 20})], -0.1, 0.1, possible=(-2, 2))
    assert (result.verdict, result.look) == ("undecided", 1)
    assert result.ratio == pytest.approx(0, abs=1e-9)


def test_sprt_gives_no_verdict_from_very_few_blocks():
    few, enough = Histogram.from_dict({-1: 1, 1: 28}), Histogram.from_dict({-1: 1, 1: 29})
    assert sprt([few], -0.9, 0.9).verdict == "undecided"
    assert sprt([enough], -0.9, 0.9).verdict == "accepted high"


def test_sprt_does_not_stop_before_the_differences_vary():
    still = Histogram.from_dict({0: 100})
    assert sprt([still, still + Histogram.from_dict({0: 60, 1: 40})], 0, 0.2).verdict == "accepted high"
    same = sprt([still, still + still], 0, 0.2)
    assert (same.verdict, same.look) == ("accepted low", 2)


def test_sprt_refuses_a_scale_of_nothing():
    with pytest.raises(UsageError, match="scale 0"):
        sprt([Histogram.from_dict({0: 50})], 0, 1, possible=(-5, 5), scale=0)


def false_acceptances(distribution, trials, seed):
    """The shares of runs that accept high when low is true, and low when high is true."""
    values = distribution[0]
    at = looks(first=200, ratio=1.3, most=50_000)
    high = 0.1 * math.sqrt(with_mean(distribution, 0.0)[1] @ values**2)
    shares = []
    for truth, wrong in ((0.0, "accepted high"), (high, "accepted low")):
        counts = simulated_counts(with_mean(distribution, truth), at, trials, seed)
        verdicts = [sprt(iter(histograms(values, run)), 0, high).verdict for run in counts.swapaxes(0, 1)]
        assert "undecided" not in verdicts
        shares.append(verdicts.count(wrong) / trials)
    return shares


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sprt_keeps_its_error_rates(distribution):
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)
    assert max(false_acceptances(distribution, trials=200, seed=16)) <= allowed


@pytest.mark.slow
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sprt_keeps_its_error_rates_over_many_runs(distribution):
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1500)
    first, second = false_acceptances(distribution, trials=1500, seed=17)
    assert 0.005 < first <= allowed
    assert 0.005 < second <= allowed


def test_importing_the_module_does_not_load_scipy():
    code = "import sys, analysis.sequential; print({'scipy.optimize', 'scipy.special'} & set(sys.modules))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
