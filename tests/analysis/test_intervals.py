import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.histogram import Histogram
from analysis.intervals import check_confidence, mean_interval, share_interval, student_interval
from sims.errors import UsageError

EMPTY = Histogram.from_dict({})
confidences = st.sampled_from([0.5, 0.9, 0.95, 0.999])


def test_student_interval_with_the_tabled_t():
    # Four observations, three degrees of freedom: t = 3.182446 at 95 %.
    low, high = student_interval(2.5, 0.5, 4)
    assert low == pytest.approx(2.5 - 3.182446 * 0.5, abs=1e-6)
    assert high == pytest.approx(2.5 + 3.182446 * 0.5, abs=1e-6)


@given(
    st.lists(st.integers(-100, 100), min_size=2, max_size=50).filter(lambda values: len(set(values)) > 1), confidences
)
@settings(deadline=None)
def test_mean_interval_agrees_with_scipy(values, confidence):
    expected = stats.ttest_1samp(values, 0).confidence_interval(confidence)
    assert mean_interval(Histogram.from_scores(values), confidence) == pytest.approx(
        tuple(expected), rel=1e-9, abs=1e-9
    )


def test_mean_interval_of_a_billion_blocks_is_the_normal_one():
    histogram = Histogram.from_dict({-1: 5 * 10**8, 1: 5 * 10**8})
    assert mean_interval(histogram).high == pytest.approx(1.959964 / math.sqrt(10**9), rel=1e-6)


@pytest.mark.parametrize("histogram", [EMPTY, Histogram.from_scores([4])])
def test_mean_interval_needs_two_observations(histogram):
    low, high = mean_interval(histogram)
    assert math.isnan(low)
    assert math.isnan(high)


def test_mean_interval_without_variance_is_a_point():
    assert mean_interval(Histogram.from_dict({4: 2})) == (4, 4)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion", Statist. Med. 17 (1998), table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (1, 29, 0.0061, 0.1718),
        # The exact interval, where Wilson would give 0.1611.
        (0, 20, 0.0, 0.1684),
    ],
)
def test_share_interval_published_values(successes, trials, low, high):
    assert share_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(2, 10**6), st.data(), confidences)
@settings(deadline=None)
def test_share_interval_is_wilsons_between_the_extremes(trials, data, confidence):
    successes = data.draw(st.integers(1, trials - 1))
    z = stats.norm.ppf((1 + confidence) / 2)
    share = successes / trials
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    half = z / (1 + z**2 / trials) * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    assert share_interval(successes, trials, confidence) == pytest.approx((centre - half, centre + half), rel=1e-6)


@given(st.integers(1, 10**6), confidences)
@settings(deadline=None)
def test_share_interval_is_exact_at_the_extremes(trials, confidence):
    # No success of n: the upper end p solves (1 − p)^n = α / 2.
    high = 1 - ((1 - confidence) / 2) ** (1 / trials)
    assert share_interval(0, trials, confidence) == pytest.approx((0, high), rel=1e-6, abs=1e-11)
    assert share_interval(trials, trials, confidence) == pytest.approx((1 - high, 1), rel=1e-6, abs=1e-11)


def test_share_interval_of_ten_billion_trials():
    low, high = share_interval(0, 10**10)
    assert low == 0
    assert high == pytest.approx(-math.log(0.025) / 10**10, rel=0.01)


def test_share_interval_without_trials_is_not_known():
    assert all(math.isnan(end) for end in share_interval(0, 0))


def test_share_interval_takes_numpy_counts():
    assert share_interval(np.int64(0), np.int64(20)) == share_interval(0, 20)


@pytest.mark.parametrize(("successes", "trials"), [(-1, 5), (6, 5), (0, -1)])
def test_share_interval_refuses_impossible_counts(successes, trials):
    with pytest.raises(UsageError, match=f"{successes} successes of {trials} trials"):
        share_interval(successes, trials)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, math.nan])
def test_check_confidence_refuses_what_is_not_between_0_and_1(confidence):
    for call in (
        lambda: check_confidence(confidence),
        lambda: mean_interval(EMPTY, confidence),
        lambda: share_interval(1, 2, confidence),
    ):
        with pytest.raises(UsageError, match=f"confidence {confidence} is not between"):
            call()


def test_importing_the_module_does_not_load_scipy():
    code = "import sys, analysis.comparisons; print({'scipy.special', 'scipy.stats'} & set(sys.modules))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
