import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from analysis.comparisons import (
    CONTROL_CONFIDENCE,
    FEWEST_BLOCKS,
    WINS,
    Control,
    LuckAdjusted,
    LuckSums,
    PairedCounts,
    control_entry,
    control_interval,
    control_passed_mirror,
    control_passed_weak,
    decide,
    luck_adjusted,
    luck_slope,
    paired_verdict,
    smallest_detectable,
    variance_ratio,
    verdict_block,
)
from analysis.histogram import Histogram
from analysis.intervals import Interval
from sims.errors import UsageError


def paired(a, b, scale=1):
    a, b = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    return PairedCounts(Histogram.from_scores(a - b), Histogram.from_scores(a), Histogram.from_scores(b), scale)


def differences(counts, scale=1):
    """Counts whose differences are given; B always scores 0."""
    difference = Histogram.from_dict(counts)
    return PairedCounts(difference, difference, Histogram.from_dict({0: difference.total}), scale)


blocks = st.lists(st.tuples(st.integers(-200, 200), st.integers(-200, 200)), max_size=40)


@given(blocks, blocks)
@settings(deadline=None)
def test_paired_counts_add_like_their_blocks(left, right):
    split = [paired([a for a, _ in part], [b for _, b in part], 2) for part in (left, right)]
    whole = paired([a for a, _ in left + right], [b for _, b in left + right], 2)
    assert split[0] + split[1] == whole
    assert split[1] + split[0] == whole


def test_paired_counts_of_other_blocks_are_refused():
    one, two = Histogram.from_scores([1]), Histogram.from_scores([1, 2])
    with pytest.raises(UsageError, match="1 differences but 2 blocks of A"):
        PairedCounts(one, two, one, 1)
    with pytest.raises(UsageError, match="differences add up to 1 but A minus B to 0"):
        PairedCounts(one, one, one, 1)


def test_paired_counts_of_another_scale_are_refused():
    with pytest.raises(UsageError, match="scale 0"):
        paired([1], [1], 0)
    with pytest.raises(UsageError, match="of 2 and of 3 seat-games"):
        paired([1], [1], 2) + paired([1], [1], 3)


def test_paired_verdict_of_a_known_sample():
    # Sixteen blocks each of 1 and 3, two seat-games a side: mean 2, sum of squared deviations 32, se sqrt(32/31/32).
    result = paired_verdict(differences({1: 16, 3: 16}, scale=2), margin=0.25)
    assert result.blocks == 32
    assert result.effect == 1.0
    assert result.standard_error == pytest.approx(math.sqrt(1 / 31) / 2)
    # t = 2.039513 at 31 degrees of freedom.
    assert result.low == pytest.approx(1 - 2.039513 * math.sqrt(1 / 31) / 2, abs=1e-6)
    assert result.high == pytest.approx(1 + 2.039513 * math.sqrt(1 / 31) / 2, abs=1e-6)
    assert (result.p_a_better, result.p_tie) == (1, 0)
    assert result.variance_ratio == 1
    assert (result.margin, result.confidence, result.verdict) == (0.25, 0.95, "better")


@given(st.integers(0, 2**32 - 1), st.integers(30, 80), st.integers(1, 6), st.sampled_from([0.9, 0.95, 0.999]))
@settings(deadline=None, max_examples=50)
def test_paired_verdict_agrees_with_the_paired_t_test(seed, size, scale, confidence):
    generator = np.random.default_rng(seed)
    deal = generator.integers(0, 60, size)
    a, b = deal + generator.integers(0, 25, size), deal + generator.integers(0, 20, size)
    result = paired_verdict(paired(a, b, scale), margin=0, confidence=confidence)
    test = stats.ttest_rel(a, b)
    ends = test.confidence_interval(confidence)
    assert result.low == pytest.approx(ends.low / scale, rel=1e-9, abs=1e-9)
    assert result.high == pytest.approx(ends.high / scale, rel=1e-9, abs=1e-9)
    assert result.p_a_better == np.mean(a > b)
    assert result.p_tie == np.mean(a == b)
    significant = test.pvalue < 1 - confidence
    assert result.verdict == (("better" if test.statistic > 0 else "worse") if significant else "undecided")


@given(blocks)
@settings(deadline=None)
def test_swapping_the_sides_mirrors_the_result(pairs):
    a, b = [a for a, _ in pairs], [b for _, b in pairs]
    there, back = paired_verdict(paired(a, b), 1.0), paired_verdict(paired(b, a), 1.0)
    assert (there.effect, there.low, there.high) == pytest.approx((-back.effect, -back.high, -back.low), nan_ok=True)
    turned = {"better": "worse", "worse": "better"}
    assert there.verdict == turned.get(back.verdict, back.verdict)
    assert there.p_a_better + back.p_a_better + there.p_tie == pytest.approx(1 if pairs else math.nan, nan_ok=True)


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (0.1, 0.9, 0, "better"),
        (-0.9, -0.1, 0, "worse"),
        (-0.1, 0.9, 0, "undecided"),
        (0.0, 0.9, 0, "undecided"),
        (-0.9, 0.0, 0, "undecided"),
        (-0.1, 0.9, 1, "equivalent"),
        (0.1, 0.9, 1, "equivalent"),
        (-0.9, -0.1, 1, "equivalent"),
        (0.1, 1.0, 1, "better"),
        (-1.0, 0.1, 1, "undecided"),
        (0.0, 0.0, 0, "equivalent"),
        (0.0, 0.0, 1, "equivalent"),
        (3.0, 3.0, 0, "better"),
    ],
)
def test_decide(low, high, margin, verdict):
    assert decide(Interval(low, high), FEWEST_BLOCKS, margin) == verdict
    assert decide(Interval(low, high), FEWEST_BLOCKS - 1, margin) == "undecided"


@pytest.mark.parametrize("size", [0, 1, 2, 29])
def test_few_blocks_decide_nothing(size):
    assert paired_verdict(differences({5: size}), margin=100).verdict == "undecided"


@pytest.mark.parametrize("size", [0, 1])
def test_below_two_blocks_the_interval_is_not_known(size):
    result = paired_verdict(differences({5: size}), margin=0)
    assert result.blocks == size
    for value in (result.standard_error, result.low, result.high, result.smallest_detectable, result.variance_ratio):
        assert math.isnan(value)


def test_two_blocks_have_an_interval_but_no_verdict():
    # Differences 1 and 3: mean 2, standard error 1, t = 12.7062 at one degree of freedom.
    result = paired_verdict(differences({1: 1, 3: 1}), margin=0)
    assert (result.low, result.high) == pytest.approx((2 - 12.7062, 2 + 12.7062), abs=1e-4)
    assert result.verdict == "undecided"


def test_identical_play_is_equivalent_at_any_margin():
    for margin in (0, 0.5):
        result = paired_verdict(differences({0: 30}), margin)
        assert result.verdict == "equivalent"
        assert result.p_tie == 1
        assert (result.low, result.high) == (0, 0)


def test_a_constant_difference_is_decided_without_variance():
    result = paired_verdict(differences({-2: 30}), margin=0)
    assert (result.low, result.high, result.verdict) == (-2, -2, "worse")
    assert math.isnan(result.variance_ratio)


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
def test_a_margin_that_is_no_distance_is_refused(margin):
    with pytest.raises(UsageError, match=f"margin {margin}"):
        paired_verdict(differences({0: 30}), margin)


@pytest.mark.parametrize("confidence", [0, 1, 95, math.nan])
def test_a_confidence_outside_0_and_1_is_refused(confidence):
    with pytest.raises(UsageError, match=f"confidence {confidence}"):
        paired_verdict(differences({}), 0, confidence)
    with pytest.raises(UsageError, match=f"confidence {confidence}"):
        smallest_detectable(1.0, confidence)


def test_smallest_detectable_is_found_with_power_80_percent():
    # The tabled factor for 5 % two-sided and power 0.8.
    assert smallest_detectable(1.0) == pytest.approx(2.801585, abs=1e-6)
    for confidence in (0.9, 0.95, 0.999):
        threshold = stats.norm.ppf((1 + confidence) / 2)
        assert stats.norm.sf(threshold - smallest_detectable(1.0, confidence)) == pytest.approx(0.8)


def test_variance_ratio_measures_what_common_deals_save():
    # A = 0, 4 and B = 0, 2 in step: variances 8 and 2, of the differences 0, 2 it is 2.
    assert variance_ratio(paired([0, 4], [0, 2])) == 5
    # Out of step: the differences −2, 4 have variance 18.
    assert variance_ratio(paired([0, 4], [2, 0])) == pytest.approx(10 / 18)
    assert math.isnan(variance_ratio(paired([0, 4], [1, 5])))


def simulated_coverage(repetitions, paired_blocks=60):
    generator = np.random.default_rng(20_240_607)
    truth = 1.5
    covered = 0
    for _ in range(repetitions):
        deal = generator.normal(50, 12, paired_blocks)
        a = np.rint(deal + generator.normal(2 * truth, 4, paired_blocks))
        b = np.rint(deal + generator.normal(0, 4, paired_blocks))
        result = paired_verdict(paired(a, b, scale=2), margin=0)
        covered += result.low <= truth <= result.high
    return covered


# Rejects an interval off by much; treating A and B as independent would cover nearly always.
def test_the_interval_covers_the_truth_as_often_as_it_says():
    assert stats.binomtest(simulated_coverage(600), 600, 0.95).pvalue > 0.001


@pytest.mark.slow
def test_the_interval_covers_the_truth_as_often_as_it_says_long():
    assert stats.binomtest(simulated_coverage(40_000), 40_000, 0.95).pvalue > 0.001


def test_control_interval_has_its_own_confidence():
    counts = differences({1: 20, 3: 25}, scale=2)
    low, high = control_interval(paired_verdict(counts, margin=0, confidence=0.9))
    wide = paired_verdict(counts, margin=0, confidence=CONTROL_CONFIDENCE)
    assert (low, high) == pytest.approx((wide.low, wide.high))


def test_control_passed_mirror_unless_the_interval_excludes_0():
    assert control_passed_mirror(paired_verdict(differences({0: 40}), 0)) is True
    assert control_passed_mirror(paired_verdict(differences({-1: 20, 1: 20}), 0)) is True
    assert control_passed_mirror(paired_verdict(differences({-1: 5, 1: 35}), 0)) is False
    assert control_passed_mirror(paired_verdict(differences({-1: 35, 1: 5}), 0)) is False


def test_control_passed_mirror_allows_what_95_percent_would_not():
    result = paired_verdict(differences({-1: 13, 1: 27}), 0)
    assert result.low > 0
    assert control_passed_mirror(result) is True


def test_control_passed_weak_when_the_interval_lies_above_0():
    assert control_passed_weak(paired_verdict(differences({-1: 5, 1: 35}), 0)) is True
    assert control_passed_weak(paired_verdict(differences({-1: 13, 1: 27}), 0)) is False
    assert control_passed_weak(paired_verdict(differences({-1: 35, 1: 5}), 0)) is False
    assert control_passed_weak(paired_verdict(differences({0: 40}), 0)) is False


def test_controls_say_nothing_below_the_fewest_blocks():
    result = paired_verdict(differences({5: FEWEST_BLOCKS - 1}), 0)
    assert control_passed_mirror(result) is None
    assert control_passed_weak(result) is None


def test_control_entry_carries_the_control_interval():
    result = paired_verdict(differences({-1: 20, 1: 20}), 0)
    low, high = control_interval(result)
    expected = Control(strategy="greedy", effect=0, low=low, high=high, blocks=40, passed=True)
    assert control_entry("greedy", result, True) == expected


# --- Luck adjustment -------------------------------------------------------------------------------------------------


def with_luck(d, x, scale=1):
    """Counts of blocks with the differences d and the luck x; B always scores 0."""
    d, x = np.asarray(d, dtype=np.int64), np.asarray(x, dtype=np.int64)
    sums = LuckSums(int(x.sum()), int(x @ x), int(d @ x))
    return PairedCounts(
        Histogram.from_scores(d), Histogram.from_scores(d), Histogram.from_scores(np.zeros_like(d)), scale, sums
    )


pairs = st.lists(st.tuples(st.integers(-50, 50), st.integers(-5, 5)), min_size=3, max_size=30)


@given(pairs, pairs)
@settings(deadline=None)
def test_luck_sums_add_like_their_blocks(left, right):
    assert with_luck(*zip(*left, strict=True)) + with_luck(*zip(*right, strict=True)) == with_luck(
        *zip(*left, *right, strict=True)
    )


def test_blocks_with_and_without_luck_do_not_add():
    for left, right in ((with_luck([1], [1]), differences({1: 1})), (differences({1: 1}), with_luck([1], [1]))):
        with pytest.raises(UsageError, match="with and without the luck"):
            left + right


@given(pairs)
@settings(deadline=None)
def test_luck_slope_is_that_of_least_squares(sample):
    d, x = (np.array(column) for column in zip(*sample, strict=True))
    slope = luck_slope(with_luck(d, x))
    if np.ptp(x):
        assert float(slope) == pytest.approx(stats.linregress(x, d).slope, abs=1e-9)
    else:
        assert slope == 0


@given(pairs, st.fractions(-5, 5, max_denominator=20))
@settings(deadline=None)
def test_luck_adjusted_is_the_mean_of_the_adjusted_blocks(sample, slope):
    d, x = (np.array(column) for column in zip(*sample, strict=True))
    adjusted = luck_adjusted(with_luck(d, x, scale=2), slope)
    values = (d - float(slope) * x) / 2
    half = stats.t.ppf(0.975, len(d) - 1) * values.std(ddof=1) / math.sqrt(len(d))
    assert adjusted.effect == pytest.approx(values.mean(), abs=1e-9)
    assert (adjusted.low, adjusted.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=1e-6)


def test_luck_adjusted_is_unbiased_whatever_the_slope():
    # All four equally likely blocks: luck of mean 0, a true effect of 3. Every sample of two, each equally likely.
    space = [(1, -1), (2, -1), (3, 1), (6, 1)]
    for slope in (Fraction(0), Fraction(5, 4), Fraction(-7)):
        effects = [
            luck_adjusted(with_luck(*zip(one, two, strict=True)), slope).effect for one in space for two in space
        ]
        assert sum(effects) / len(effects) == pytest.approx(3)


def test_luck_that_explains_all_leaves_no_variance():
    counts = with_luck([5, 7, 9], [-1, 0, 1])
    assert luck_slope(counts) == 2
    adjusted = luck_adjusted(counts, Fraction(2))
    assert (adjusted.effect, adjusted.low, adjusted.high) == (7, 7, 7)
    assert math.isnan(adjusted.variance_ratio)
    # Half of the variance is left when d has as much spread of its own as it has from luck.
    independent = with_luck([1, -1, 1, -1], [1, 1, -1, -1])
    assert luck_adjusted(independent, Fraction(1)).variance_ratio == 0.5


def test_luck_adjusted_of_no_or_one_block_is_not_known():
    assert math.isnan(luck_adjusted(with_luck([], []), Fraction(1)).effect)
    one = luck_adjusted(with_luck([5], [1]), Fraction(1))
    assert one.effect == 4
    assert math.isnan(one.low)
    assert math.isnan(one.variance_ratio)


def test_blocks_without_luck_cannot_be_adjusted():
    with pytest.raises(UsageError, match="without the luck"):
        luck_slope(differences({1: 3}))
    with pytest.raises(UsageError, match="without the luck"):
        luck_adjusted(differences({1: 3}), Fraction(0))


# --- The text --------------------------------------------------------------------------------------------------------


MIRROR = Control(strategy="greedy", effect=0.01, low=-0.02, high=0.04, blocks=16_384, passed=True)
WEAK = Control(strategy="blunder", effect=9.5, low=9.25, high=9.75, blocks=16_384, passed=True)
CONTROLS = {"mirror": MIRROR, "weak": WEAK}


def block_of(counts, margin=0.5, a="greedy", b="uniform", controls=CONTROLS, confidence=0.95):
    return verdict_block(paired_verdict(counts, margin, confidence), a, b, 7, "1", controls)


def sentence_of(*args, **kwargs):
    return block_of(*args, **kwargs).split("\n\n")[0].replace("\n", " ")


def test_verdict_block_as_a_whole():
    # Four hundred blocks of 30 and 38, two seat-games a side: mean 17, standard error 0.1001, t = 1.9659.
    assert block_of(differences({30: 200, 38: 200}, scale=2)).splitlines() == [
        "greedy is better than uniform by 17.00 points a game (95 % interval 16.80 to",
        "17.20).",
        "",
        "  A                     greedy",
        "  B                     uniform",
        "  effect (A - B)        17.00 points a game",
        "  95 % interval         16.80 to 17.20",
        "  P(A > B)              100 %",
        "  ties                  0 %",
        "  blocks                400",
        "  smallest difference   0.28 points a game could have been seen (power 80 %)",
        "  variance ratio        1.00",
        "  margin                0.5 points a game",
        "  verdict               better",
        "  seed                  7",
        "  rules version         1",
        "  control: mirror       passed: greedy against itself, 0.01 points a game",
        "                        (99.9 % interval -0.02 to 0.04, 16,384 blocks)",
        "  control: weak         passed: against blunder, 9.50 points a game (99.9 %",
        "                        interval 9.25 to 9.75, 16,384 blocks)",
    ]


def test_the_sentence_of_each_verdict():
    assert sentence_of(differences({-38: 200, -30: 200}, scale=2)) == (
        "greedy is worse than uniform by 17.00 points a game (95 % interval 16.80 to 17.20)."
    )
    assert sentence_of(differences({-4: 200, 4: 200}, scale=2)) == (
        "greedy and uniform are equivalent: a difference of 0.00 points a game (95 % interval -0.20 to 0.20) "
        "stays inside the margin of 0.5."
    )
    assert sentence_of(differences({-4: 200, 4: 200}, scale=2), margin=0) == (
        "Undecided between greedy and uniform: a difference of 0.00 points a game (95 % interval -0.20 to 0.20); "
        "more blocks would narrow the interval."
    )
    assert sentence_of(differences({0: 1_600}), margin=0) == (
        "greedy and uniform are equivalent: no difference in any of 1,600 blocks."
    )
    assert sentence_of(differences({3: 12})) == (
        "Undecided between greedy and uniform: 12 blocks are too few for a verdict, which needs 30."
    )
    assert sentence_of(differences({3: 1})) == (
        "Undecided between greedy and uniform: 1 block is too few for a verdict, which needs 30."
    )


def test_the_sentence_states_the_confidence_that_was_asked_for():
    assert "(99.5 % interval" in sentence_of(differences({30: 200, 38: 200}), confidence=0.995)


def test_numbers_that_decide_do_not_print_as_zero():
    # Mean 5,300 / 905,300 and standard error 1 / sqrt(905,300): 0.005854 ± 0.002060.
    text = block_of(differences({-1: 450_000, 1: 455_300}), margin=0)
    assert "by 0.006 points a game (95 % interval 0.004 to 0.008)" in " ".join(text.split())
    assert "verdict               better" in text


def test_a_block_without_data_says_so():
    lines = block_of(differences({})).splitlines()
    assert "  effect (A - B)        not known" in lines
    assert "  95 % interval         not known" in lines
    assert "  smallest difference   not known" in lines


def test_controls_that_failed_or_do_not_apply():
    controls = {
        "mirror": Control(strategy="greedy", effect=0.2, low=0.1, high=0.3, blocks=400, passed=False),
        "weak": Control(strategy="greedy", effect=math.nan, low=math.nan, high=math.nan, blocks=0, passed=None),
    }
    text = block_of(differences({1: 40}), controls=controls)
    assert "control: mirror       FAILED: greedy against itself, 0.20 points a game" in text
    assert "control: weak         not applicable" in text


def test_controls_with_too_few_blocks_or_none_at_all():
    few = Control(strategy="blunder", effect=1, low=0, high=2, blocks=29, passed=None)
    assert "against blunder: no verdict below 30 blocks" in block_of(differences({1: 40}), controls={"weak": few})
    assert "controls              none were run" in block_of(differences({1: 40}), controls={})


def test_the_verdict_block_of_wins_speaks_of_wins_only():
    text = verdict_block(
        paired_verdict(differences({840: 200, 0: 200}, 1680), 0.01), "a", "b", 7, "1", CONTROLS, unit=WINS
    )
    assert "a is better than b by 0.25 wins a game" in text
    assert "margin                0.01 wins a game" in text
    assert "against itself, 0.01 wins a game" in text
    assert "point" not in text


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.25, "1.50 (1.25 to 1.75), variance 1.25 times smaller"),
        (0.8, "1.50 (1.25 to 1.75), variance 1.25 times larger"),
        (1.001, "1.50 (1.25 to 1.75), variance as before"),
        (0.0, "1.50 (1.25 to 1.75), the plain difference never varies"),
        (math.nan, "1.50 (1.25 to 1.75), no variance left"),
    ],
)
def test_the_verdict_block_tells_the_luck_adjusted_effect(ratio, words):
    result = paired_verdict(differences({1: 40}), 0.5)
    text = verdict_block(result, "a", "b", 7, "1", {}, adjusted=LuckAdjusted(1.5, 1.25, 1.75, ratio))
    assert f"  luck-adjusted         {words}" in text.splitlines()
    assert "luck-adjusted         not known" in verdict_block(
        result, "a", "b", 7, "1", {}, adjusted=LuckAdjusted(1.5, math.nan, math.nan, ratio)
    )


names = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=200)


@given(names, names, st.sampled_from([{3: 5}, {1: 40}, {-1: 40}, {-1: 20, 1: 20}, {0: 40}, {}]))
@settings(deadline=None)
def test_verdict_block_is_at_most_80_columns_wide_and_keeps_the_names(a, b, counts):
    text = block_of(differences(counts), a=a, b=b)
    assert max(map(len, text.splitlines())) <= 80
    squeezed = "".join(text.split())
    assert a in squeezed
    assert b in squeezed


def test_a_percent_sign_stays_with_its_number():
    for length in range(1, 60):
        text = block_of(differences({-4: 200, 4: 200}), a="x" * length)
        assert not any(line.lstrip().startswith("%") for line in text.splitlines())


def test_a_name_with_hyphens_is_not_broken_at_them():
    for length in range(1, 60):
        text = block_of(differences({-4: 200, 4: 200}), margin=0, a="x" * length, b="my-own-spiral")
        assert "my-own-spiral" in text.split("\n\n")[0]


def test_nothing_prints_as_minus_zero():
    text = block_of(differences({-4: 20_001, 4: 20_000}))
    assert "effect (A - B)        0.00 points a game" in text
