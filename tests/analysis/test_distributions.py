import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.distributions import (
    BlockScores,
    block_share,
    cdf_half_width,
    kolmogorov_smirnov_distance,
    named_bands,
    quantile_interval,
    superiority,
    tail_interval,
    wasserstein_distance,
)
from analysis.histogram import Histogram
from analysis.intervals import share_interval
from sims.errors import UsageError

EMPTY = Histogram.from_dict({})
scores = st.lists(st.integers(-20, 20), min_size=1, max_size=60)
blocks = st.integers(1, 5).flatmap(
    lambda games: st.lists(st.lists(st.integers(-5, 5), min_size=games, max_size=games), min_size=1, max_size=30)
)


def within_noise(covered: int, trials: int, confidence: float = 0.95) -> bool:
    """Tell whether a coverage is not below what was promised, up to three standard errors of the simulation."""
    return covered / trials >= confidence - 3 * math.sqrt(confidence * (1 - confidence) / trials)


# Skewness


@given(st.lists(st.integers(-100, 100), min_size=3, max_size=40).filter(lambda values: len(set(values)) > 1))
@settings(deadline=None)
def test_skewness_agrees_with_scipy(values):
    expected = stats.skew(np.array(values, dtype=float), bias=False)
    assert Histogram.from_scores(values).skewness == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_skewness_needs_three_observations_and_spread():
    assert math.isnan(EMPTY.skewness)
    assert math.isnan(Histogram.from_scores([1, 2]).skewness)
    assert math.isnan(Histogram.from_scores([4, 4, 4, 4]).skewness)


def test_skewness_of_huge_counts_is_exact():
    # One in a hundred succeeds: (1 − 2p) / sqrt(p (1 − p)).
    coin = Histogram.from_dict({10_000: 99 * 10**10, 10_001: 10**10})
    assert coin.skewness == pytest.approx(0.98 / math.sqrt(0.0099), rel=1e-9)


# Quantiles


@given(scores, st.floats(0.01, 0.99), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
@settings(deadline=None)
def test_quantile_interval_agrees_with_scipy(values, p, confidence):
    expected = stats.quantile_test(values, q=0, p=p).confidence_interval(confidence)
    found = quantile_interval(Histogram.from_scores(values), p, confidence)
    assert np.array_equal(found, expected, equal_nan=True)


def test_quantile_interval_of_a_large_sample_agrees_with_scipy():
    values = np.random.default_rng(7).binomial(60, 0.4, size=20_000)
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        expected = stats.quantile_test(values, q=0, p=p).confidence_interval(0.95)
        assert quantile_interval(Histogram.from_scores(values), p) == tuple(expected)


def test_fewer_effective_observations_give_wider_intervals():
    histogram = Histogram(0, np.ones(1000, dtype=np.int64))
    exact = quantile_interval(histogram, 0.5)
    assert quantile_interval(histogram, 0.5, effective=1000.9) == exact
    # 250 of the thousand: every fourth score, with the ranks of 250 observations.
    few = quantile_interval(Histogram(0, np.ones(250, dtype=np.int64)), 0.5)
    assert quantile_interval(histogram, 0.5, effective=250) == (4 * few.low + 3, 4 * few.high + 3)


def test_quantile_interval_without_enough_observations_has_no_ends():
    assert np.isnan(quantile_interval(EMPTY, 0.5)).all()
    assert np.isnan(quantile_interval(Histogram.from_scores([1, 2]), 0.5)).all()
    assert np.isnan(quantile_interval(Histogram.from_scores([1, 2]), 0.5, effective=math.nan)).all()
    low, high = quantile_interval(Histogram.from_scores(range(100)), 0.99)
    assert low == 96
    assert math.isnan(high)


@pytest.mark.parametrize("p", [0, 1, -0.2, math.nan, True, "0.5"])
def test_quantile_that_has_no_interval_is_refused(p):
    with pytest.raises(UsageError, match=r"quantile .* has no interval; give a number above 0 and below 1"):
        quantile_interval(Histogram.from_scores([1, 2, 3]), p)


def quantile_coverage(shares, p, n, trials, seed):
    truth = int(np.searchsorted(np.cumsum(shares), p - 1e-9))
    covered = 0
    for counts in np.random.default_rng(seed).multinomial(n, shares, size=trials):
        low, high = quantile_interval(Histogram(0, counts), p)
        # An end that is not there covers all.
        covered += not (low > truth or high < truth)
    return covered


FINE = np.full(1000, 1 / 1000)  # nearly continuous: no more than the promised coverage to hide behind
COARSE = np.array([0.1, 0.4, 0.2, 0.2, 0.1])


@pytest.mark.parametrize("shares", [FINE, COARSE], ids=["fine", "coarse"])
def test_quantile_interval_covers(shares):
    assert within_noise(quantile_coverage(shares, 0.5, n=100, trials=600, seed=1), 600)


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.05, 0.25, 0.5, 0.95])
@pytest.mark.parametrize("n", [30, 400])
@pytest.mark.parametrize("shares", [FINE, COARSE], ids=["fine", "coarse"])
def test_quantile_interval_covers_long(shares, n, p):
    assert within_noise(quantile_coverage(shares, p, n, trials=4000, seed=n), 4000)


# Tails


def test_tail_interval_is_the_interval_of_a_share():
    histogram = Histogram.from_dict({1: 30, 2: 50, 5: 20})
    assert tail_interval(histogram, 2) == share_interval(70, 100)
    assert tail_interval(histogram, 6) == share_interval(0, 100)
    assert tail_interval(histogram, -9, 0.9) == share_interval(100, 100, 0.9)
    assert np.isnan(tail_interval(EMPTY, 0)).all()


def test_a_tail_that_never_came_has_the_upper_end_of_clopper_and_pearson():
    assert tail_interval(Histogram.from_dict({0: 100}), 1) == pytest.approx((0, 1 - 0.025**0.01))


# The whole distribution function


@pytest.mark.parametrize("n", [1, 10, 1000, 10**6, 10**12])
def test_half_width_of_the_band_is_the_exact_quantile(n):
    assert cdf_half_width(n) == pytest.approx(stats.kstwo.ppf(0.95, n), rel=1e-9)
    # Massart's bound is the limit, and never less.
    assert cdf_half_width(n) <= math.sqrt(math.log(2 / 0.05) / (2 * n))


@pytest.mark.parametrize(("n", "excess"), [(1, 1.02), (5, 1.15), (30, 1.05)])
def test_half_width_of_dependent_games_is_the_expected_shortfall(n, excess):
    # The mean of the largest twentieth of all deviations, over their quantiles.
    shortfall = np.mean(stats.kstwo.ppf(0.95 + 0.05 * (np.arange(200) + 0.5) / 200, n))
    assert shortfall <= cdf_half_width(n, games_a_block=6) <= shortfall * excess


def test_half_width_of_dependent_games_scales_with_the_root_of_the_blocks():
    ratios = [cdf_half_width(n, games_a_block=2) / cdf_half_width(n) for n in (10**5, 10**8, 10**12)]
    # Of Kolmogorov's limit distribution: its mean above the 95 % quantile over that quantile.
    assert ratios == pytest.approx([1.1219] * 3, abs=1e-3)


def test_half_width_without_blocks_is_not_known():
    assert math.isnan(cdf_half_width(0))
    with pytest.raises(UsageError, match="confidence 1 is not between 0 and 1"):
        cdf_half_width(5, 1)


def band_coverage(shares, n, trials, seed):
    truth = np.cumsum(shares)
    counts = np.random.default_rng(seed).multinomial(n, shares, size=trials)
    deviations = np.abs(np.cumsum(counts, axis=1) / n - truth).max(axis=1)
    return int((deviations <= cdf_half_width(n)).sum())


def test_band_covers_the_whole_distribution_function():
    assert within_noise(band_coverage(FINE, n=200, trials=2000, seed=2), 2000)
    assert band_coverage(FINE, n=200, trials=2000, seed=2) < 2000 * 0.975
    # Few scores leave fewer places to miss.
    assert band_coverage(COARSE, n=200, trials=2000, seed=2) > 2000 * 0.97


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 1000])
def test_band_covers_the_whole_distribution_function_long(n):
    covered = band_coverage(FINE, n, trials=20_000, seed=n)
    assert within_noise(covered, 20_000)
    assert covered < 20_000 * 0.965


# Two histograms


@given(scores, scores)
@settings(deadline=None)
def test_superiority_agrees_with_counting_pairs(left, right):
    x, y = np.array(left), np.array(right)
    found = superiority(Histogram.from_scores(x), Histogram.from_scores(y))
    assert found.greater == pytest.approx(np.mean(x[:, None] > y))
    assert found.equal == pytest.approx(np.mean(x[:, None] == y))
    for error, kernel in ((found.greater_error, x[:, None] > y), (found.equal_error, x[:, None] == y)):
        if min(len(x), len(y)) < 2:
            assert math.isnan(error)
        else:
            parts = [kernel.mean(axis=axis).var(ddof=1) / kernel.shape[1 - axis] for axis in (0, 1)]
            assert error == pytest.approx(math.sqrt(sum(parts)), abs=1e-12)


def test_superiority_agrees_with_mann_whitney_and_brunner_munzel():
    rng = np.random.default_rng(3)
    mixed = rng.permutation(300)
    x, y = mixed[:120] + 25, mixed[120:]
    x = x[~np.isin(x, y)]  # without ties both tests speak of P(X > Y) alone
    found = superiority(Histogram.from_scores(x), Histogram.from_scores(y))
    assert found.equal == 0
    assert found.greater == pytest.approx(stats.mannwhitneyu(x, y).statistic / (x.size * y.size))
    assert (found.greater - 0.5) / found.greater_error == pytest.approx(-stats.brunnermunzel(x, y).statistic)


def test_superiority_of_nothing_is_not_known():
    assert np.isnan(superiority(EMPTY, Histogram.from_scores([1, 2]))).all()


def test_superiority_of_huge_counts_does_not_wrap():
    half = Histogram.from_dict({0: 10**11, 1: 10**11})
    found = superiority(half, half)
    assert (found.greater, found.equal) == (0.25, 0.5)
    # Placements are 0 or a half: variance 1/16 over each sample.
    assert found.greater_error == pytest.approx(math.sqrt(2 / 16 / (2 * 10**11)))


def superiority_coverage(trials, seed):
    first, second = np.array([0.2, 0.3, 0.3, 0.2]), np.array([0.3, 0.4, 0.2, 0.1])
    greater = sum(first[score] * second[:score].sum() for score in range(4))
    equal = float(first @ second)
    rng = np.random.default_rng(seed)
    covered = np.zeros(2, int)
    for x, y in zip(rng.multinomial(150, first, trials), rng.multinomial(250, second, trials), strict=True):
        found = superiority(Histogram(0, x), Histogram(0, y))
        covered += [
            abs(found.greater - greater) <= 1.96 * found.greater_error,
            abs(found.equal - equal) <= 1.96 * found.equal_error,
        ]
    return covered


def test_superiority_error_covers():
    assert all(within_noise(covered, 1000, 0.945) for covered in superiority_coverage(1000, seed=4))


@pytest.mark.slow
def test_superiority_error_covers_long():
    assert all(within_noise(covered, 20_000, 0.945) for covered in superiority_coverage(20_000, seed=5))


several = st.lists(st.integers(-20, 20), min_size=2, max_size=60)  # scipy's test takes no single observations


@given(several, several)
@settings(deadline=None)
def test_distances_agree_with_scipy(left, right):
    x, y = Histogram.from_scores(left), Histogram.from_scores(right)
    assert wasserstein_distance(x, y) == pytest.approx(stats.wasserstein_distance(left, right), abs=1e-12)
    assert kolmogorov_smirnov_distance(x, y) == pytest.approx(stats.ks_2samp(left, right, method="asymp").statistic)
    assert wasserstein_distance(x, y) == wasserstein_distance(y, x) >= abs(x.mean - y.mean) - 1e-12
    assert wasserstein_distance(x, x) == kolmogorov_smirnov_distance(x, x) == 0


def test_distance_of_a_shifted_distribution_is_the_shift():
    x = Histogram.from_dict({0: 5, 3: 7})
    assert wasserstein_distance(x, Histogram.from_dict({4: 10, 7: 14})) == 4
    assert kolmogorov_smirnov_distance(x, Histogram.from_dict({4: 1})) == 1


def test_distance_to_nothing_is_not_known():
    assert math.isnan(wasserstein_distance(EMPTY, Histogram.from_scores([1])))
    assert math.isnan(kolmogorov_smirnov_distance(EMPTY, Histogram.from_scores([1])))


# Blocks of several games


def test_named_bands_have_both_ends():
    assert named_bands([(30, "high"), (10, "middle"), (0, "low")]) == (
        ("high", 30, None),
        ("middle", 10, 30),
        ("low", 0, 10),
    )


@given(blocks, st.integers(-7, 7))
@settings(deadline=None)
def test_orders_hold_the_squares_of_every_tail(rows, score):
    values = np.array(rows)
    counted = BlockScores.from_scores(values, [("top", score, None), ("band", score, score + 3)])
    assert counted.histogram == Histogram.from_scores(values)
    assert (counted.blocks, counted.games_a_block) == values.shape
    games = values.shape[1]
    for found, inside in (
        (counted.tail(score), values >= score),
        (counted.band(0), values >= score),
        (counted.band(1), (values >= score) & (values < score + 3)),
    ):
        number = inside.sum(axis=1)
        assert found == pytest.approx(
            block_share(int(number.sum()), int((number**2).sum()), len(rows), games), nan_ok=True
        )


@given(blocks, st.data())
@settings(deadline=None)
def test_addition_of_blocks_is_concatenation(rows, data):
    cut = data.draw(st.integers(0, len(rows)))
    values, bands = np.array(rows), (("middle", -1, 2),)
    parts = [BlockScores.from_scores(part, bands) for part in (values[:cut], values[cut:])]
    assert parts[0] + parts[1] == BlockScores.from_scores(values, bands)


def test_one_game_a_block_has_the_exact_intervals():
    values = np.random.default_rng(5).integers(0, 30, size=(500, 1))
    counted, plain = BlockScores.from_scores(values, [("low", 0, 3)]), Histogram.from_scores(values)
    assert counted.tail(20)[2:] == (*tail_interval(plain, 20), 500)
    assert counted.band(0)[2:4] == share_interval(int((values < 3).sum()), 500)
    assert counted.quantile(0.9) == (plain.quantile(0.9), *quantile_interval(plain, 0.9), 500)
    assert counted.cdf_half_width() == cdf_half_width(500)


def test_games_that_are_all_alike_count_once():
    once = np.random.default_rng(6).integers(0, 30, size=(400, 1))
    single, repeated = BlockScores.from_scores(once), BlockScores.from_scores(np.repeat(once, 5, axis=1))
    # Korn and Graubard's correction, and the divisor of an unbiased variance, are all that differ.
    assert repeated.tail(20).effective == pytest.approx(400, rel=0.01)
    assert repeated.tail(20)[1:4] == pytest.approx(single.tail(20)[1:4], rel=0.01)
    assert repeated.quantile(0.5)[:3] == pytest.approx(single.quantile(0.5)[:3], abs=1)
    assert repeated.mean_interval() == pytest.approx(single.mean_interval())


def test_independent_games_count_in_full():
    values = np.random.default_rng(8).integers(0, 30, size=(4000, 5))
    assert 17_500 < BlockScores.from_scores(values).tail(20).effective <= 20_000


def test_a_share_that_never_varies_between_blocks_counts_every_game_once():
    found = BlockScores.from_scores(np.tile([3, 7], (50, 1))).tail(5)
    assert (found.share, found.effective) == (0.5, 100)


def test_a_tail_that_never_came_counts_blocks():
    counted = BlockScores.from_scores(np.zeros((50, 4), int))
    assert counted.tail(1) == (0, 0, *share_interval(0, 50), 50)
    assert counted.tail(0) == (200, 1, *share_interval(50, 50), 50)
    assert counted.quantile(0.5) == (0, 0, 0, 50)


def test_one_block_of_several_games_has_no_intervals():
    counted = BlockScores.from_scores([[3, 4, 9]])
    assert counted.tail(4).share == pytest.approx(2 / 3)
    assert np.isnan(counted.tail(4)[2:]).all()
    assert np.isnan(counted.quantile(0.5)[1:]).all()
    assert np.isnan(counted.mean_interval()).all()


@pytest.mark.parametrize("shape", [(3,), (3, 0), (2, 2, 2)])
def test_scores_without_blocks_are_refused(shape):
    with pytest.raises(UsageError, match="give one row a block, one column a game"):
        BlockScores.from_scores(np.zeros(shape, int))


def test_scores_that_are_not_whole_are_refused():
    with pytest.raises(UsageError, match="type float64; give integers"):
        BlockScores.from_scores([[0.5]])


# Coverage where games of a block share luck: score = block's part + game's part, both uniform on 0 to 499.
PART = 500
TRUTH = np.convolve(np.full(PART, 1 / PART), np.full(PART, 1 / PART))


def shared_luck(number, games, rng):
    return rng.integers(0, PART, size=(number, 1)) + rng.integers(0, PART, size=(number, games))


def clustered_coverage(number, games, trials, seed, tail=600, p=0.75):
    """How often the intervals cover that run over blocks, and the one that takes every game for independent."""
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(TRUTH)
    quantile = int(np.searchsorted(cumulative, p - 1e-9))
    share, between = TRUTH[tail:].sum(), TRUTH[300:500].sum()
    covered = dict.fromkeys(("tail", "band", "quantile", "cdf", "naive"), 0)
    for _ in range(trials):
        counted = BlockScores.from_scores(shared_luck(number, games, rng), [("band", 300, 500)])
        for name, found, truth in (
            ("tail", counted.tail(tail), share),
            ("band", counted.band(0), between),
            ("quantile", counted.quantile(p), quantile),
        ):
            covered[name] += not (found.low > truth or found.high < truth)
        low, high = tail_interval(counted.histogram, tail)
        covered["naive"] += low <= share <= high
        dense = np.zeros(2 * PART - 1)
        dense[counted.histogram.lowest :][: counted.histogram.counts.size] = counted.histogram.counts
        deviation = np.abs(np.cumsum(dense) / dense.sum() - cumulative).max()
        covered["cdf"] += deviation <= counted.cdf_half_width()
    return covered


def test_intervals_over_blocks_cover_and_naive_ones_do_not():
    covered = clustered_coverage(number=150, games=4, trials=400, seed=9)
    assert covered.pop("naive") < 400 * 0.88
    assert all(within_noise(number, 400) for number in covered.values()), covered


@pytest.mark.slow
@pytest.mark.parametrize(("number", "games"), [(30, 2), (150, 6), (1000, 2)])
@pytest.mark.parametrize(("tail", "p"), [(600, 0.75), (800, 0.5), (900, 0.05)])
def test_intervals_over_blocks_cover_long(number, games, tail, p):
    covered = clustered_coverage(number, games, trials=2000, seed=number + games, tail=tail, p=p)
    naive = covered.pop("naive")
    assert naive < 2000 * 0.97
    assert games < 6 or naive < covered["tail"] - 50
    # Rare shares of few blocks, and quantiles far out: the effective number is itself an estimate.
    assert all(within_noise(number, 2000, 0.94) for number in covered.values()), covered


def test_band_covers_games_that_are_all_alike():
    rng, trials, cumulative = np.random.default_rng(10), 1000, np.arange(1, 501) / 500
    half_width = cdf_half_width(100, games_a_block=3)
    counts = rng.multinomial(100, np.full(500, 1 / 500), size=trials)
    deviations = np.abs(np.cumsum(counts, axis=1) / 100 - cumulative).max(axis=1)
    assert within_noise(int((deviations <= half_width).sum()), trials)
