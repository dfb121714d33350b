import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.luck import luck_and_skill, split_moments
from analysis.simultaneous import Moments
from sims.errors import UsageError

NAMES = ("deal", "strategy", "seat", "deal:strategy", "deal:seat", "strategy:seat", "remainder")


def random_scores(shape, seed):
    return np.random.default_rng(seed).integers(-40, 60, shape)


def test_luck_and_skill_of_a_table_by_hand():
    # Deal means 2, 5, 8; strategy means 4, 6; residuals 0, 0; 1, −1; −1, 1.
    split = luck_and_skill([[1, 3], [5, 5], [6, 10]])
    # Mean squares: deals 2 · 18 / 2 = 18, strategies 3 · 2 / 1 = 6, remainder 4 / 2 = 2.
    assert split.blocks == 3
    assert split.components == {"deal": (18 - 2) / 2, "strategy": pytest.approx((6 - 2) / 3), "remainder": 2}
    assert split.total == pytest.approx(8 + 4 / 3 + 2)
    assert split.luck == pytest.approx(8 / split.total)
    assert split.skill == pytest.approx(4 / 3 / split.total)
    assert sum(split.shares.values()) == pytest.approx(1)


@given(st.integers(2, 9), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_luck_and_skill_are_covariances(blocks, strategies, seed):
    # Another way to the same numbers: the mean covariance of two strategies, and what it leaves of their variance.
    scores = random_scores((blocks, strategies), seed)
    covariance = np.cov(scores, rowvar=False)
    common = covariance[~np.eye(strategies, dtype=bool)].mean()
    components = luck_and_skill(scores).components
    assert components["deal"] == pytest.approx(common, abs=1e-9)
    assert components["remainder"] == pytest.approx(np.diag(covariance).mean() - common, abs=1e-9)
    between = np.var(scores.mean(axis=0), ddof=1) - components["remainder"] / blocks
    assert components["strategy"] == pytest.approx(between, abs=1e-9)


@given(st.integers(2, 6), st.integers(2, 4), st.integers(2, 4), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_luck_and_skill_with_seats_agree_with_the_textbook(deals, strategies, seats, seed):
    scores = random_scores((deals, strategies, seats), seed).astype(float)
    components = luck_and_skill(scores.astype(int)).components
    assert tuple(components) == NAMES

    def mean(*axes):
        """The means over all axes but these, spread over the table again."""
        return np.broadcast_to(scores.mean(axis=tuple({0, 1, 2} - set(axes)), keepdims=True), scores.shape)

    grand = mean()
    d, k, s, dk, ds, ks = mean(0), mean(1), mean(2), mean(0, 1), mean(0, 2), mean(1, 2)
    n, a, b = deals - 1, strategies - 1, seats - 1
    squares = {
        "deal": np.sum((d - grand) ** 2) / n,
        "strategy": np.sum((k - grand) ** 2) / a,
        "seat": np.sum((s - grand) ** 2) / b,
        "deal:strategy": np.sum((dk - d - k + grand) ** 2) / (n * a),
        "deal:seat": np.sum((ds - d - s + grand) ** 2) / (n * b),
        "strategy:seat": np.sum((ks - k - s + grand) ** 2) / (a * b),
        "remainder": np.sum((scores - dk - ds - ks + d + k + s - grand) ** 2) / (n * a * b),
    }
    # The expected mean squares of the model in which the deals are random.
    v = components
    expected = {
        "remainder": v["remainder"],
        "strategy:seat": v["remainder"] + deals * v["strategy:seat"],
        "deal:seat": v["remainder"] + strategies * v["deal:seat"],
        "deal:strategy": v["remainder"] + seats * v["deal:strategy"],
    }
    expected["seat"] = expected["deal:seat"] + deals * strategies * v["seat"]
    expected["strategy"] = expected["deal:strategy"] + deals * seats * v["strategy"]
    expected["deal"] = (
        expected["deal:seat"] + expected["deal:strategy"] - v["remainder"] + strategies * seats * v["deal"]
    )
    for name in NAMES:
        assert expected[name] == pytest.approx(squares[name], rel=1e-9, abs=1e-6)


def planted(generator, blocks, strategy, seat, strategy_seat, sd):
    """Scores of 3 strategies in 4 seats with planted effects; `sd` are those of what chance adds."""
    shape = (blocks, 3, 4)
    return np.rint(
        generator.normal(0, sd["deal"], (blocks, 1, 1))
        + generator.normal(0, sd["deal:strategy"], (blocks, 3, 1))
        + generator.normal(0, sd["deal:seat"], (blocks, 1, 4))
        + generator.normal(0, sd["remainder"], shape)
        + np.reshape(strategy, (1, 3, 1))
        + np.reshape(seat, (1, 1, 4))
        + strategy_seat
    ).astype(int)


SD = {"deal": 300, "deal:strategy": 100, "deal:seat": 200, "remainder": 150}


def test_luck_and_skill_find_planted_sizes():
    strategy, seat = [-100, 0, 100], [-90, -30, 30, 90]
    interaction = np.outer([-1, 2, -1], [-30, 30, 30, -30])
    scores = planted(np.random.default_rng(20_240_617), 20_000, strategy, seat, interaction, SD)
    components = luck_and_skill(scores).components
    # Three standard errors of a variance from 20,000 deals are 3 %; those of fixed effects are smaller.
    for name, sd in SD.items():
        assert components[name] == pytest.approx(sd**2, rel=0.04)
    assert components["strategy"] == pytest.approx(np.var(strategy, ddof=1), rel=0.1)
    assert components["seat"] == pytest.approx(np.var(seat, ddof=1), rel=0.1)
    assert components["strategy:seat"] == pytest.approx(np.sum(interaction**2) / 6, rel=0.1)


def test_luck_and_skill_find_planted_sizes_without_seats():
    generator = np.random.default_rng(20_240_618)
    luck, chance = generator.normal(0, 300, (20_000, 1)), generator.normal(0, 200, (20_000, 4))
    components = luck_and_skill(np.rint(luck + chance + [0, 50, 100, 350]).astype(int)).components
    assert components["deal"] == pytest.approx(300**2, rel=0.04)
    assert components["remainder"] == pytest.approx(200**2, rel=0.04)
    assert components["strategy"] == pytest.approx(np.var([0, 50, 100, 350], ddof=1), rel=0.04)


def test_luck_and_skill_are_not_biased_when_there_are_none():
    # Few deals, and nothing but chance: sizes that could not fall below 0 would be well above it on average.
    generator = np.random.default_rng(20_240_619)
    nothing = {"deal": 0, "deal:strategy": 0, "deal:seat": 0, "remainder": 100}
    found = np.array(
        [
            list(luck_and_skill(planted(generator, 5, [0] * 3, [0] * 4, np.zeros((3, 4)), nothing)).components.values())
            for _ in range(600)
        ]
    )
    errors = found.std(axis=0) / math.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - [0, 0, 0, 0, 0, 0, 100**2]) < 4 * errors)
    assert np.all((found[:, :-1] < 0).any(axis=0))


@pytest.mark.parametrize(
    ("axes", "name", "luck", "skill"),
    [
        ((0,), "deal", 1, 0),
        ((1,), "strategy", 0, 1),
        ((2,), "seat", 1, 0),
        ((0, 2), "deal:seat", None, None),
        ((0, 1), "deal:strategy", None, None),
        ((1, 2), "strategy:seat", None, None),
        ((0, 1, 2), "remainder", None, None),
    ],
)
def test_luck_and_skill_of_one_cause_alone(axes, name, luck, skill):
    # Plus and minus in every direction: no effect of a smaller set of causes.
    shape = tuple(4 if axis in axes else 1 for axis in range(3))
    signs = [np.array([-1, 1, -1, 1]).reshape([4 if axis == own else 1 for axis in range(3)]) for own in axes]
    scores = np.broadcast_to(np.prod(np.broadcast_arrays(*signs), axis=0).reshape(shape), (4, 4, 4))
    split = luck_and_skill(scores)
    assert max(split.components, key=split.components.get) == name
    assert split.components[name] == pytest.approx((4 / 3) ** len(axes))
    if len(axes) == 1:
        assert split.shares[name] == 1
        assert (split.luck, split.skill) == (luck, skill)


def test_split_moments_merges_exactly():
    scores = random_scores((50, 3, 4), 1)
    whole = Moments.from_scores(scores.reshape(50, 12))
    parts = Moments.from_scores(scores[:20].reshape(20, 12)) + Moments.from_scores(scores[20:].reshape(30, 12))
    assert split_moments(parts, seats=4) == split_moments(whole, seats=4) == luck_and_skill(scores)


def test_split_moments_is_exact_far_from_zero():
    scores = random_scores((50, 3), 1)
    assert luck_and_skill(scores + 10**12).components == luck_and_skill(scores).components


def test_split_moments_is_in_points_a_game():
    scores = random_scores((50, 3), 1)
    halves = split_moments(Moments.from_scores(2 * scores, scale=2))
    assert halves.components == pytest.approx(dict(luck_and_skill(scores).components))


def test_scores_that_do_not_vary_have_no_shares():
    split = luck_and_skill(np.full((5, 3), 7))
    assert set(split.components.values()) == {0}
    assert all(math.isnan(share) for share in (*split.shares.values(), split.luck, split.skill))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: luck_and_skill([1, 2, 3]), "scores have 1 dimensions"),
        (lambda: luck_and_skill([[1.5, 2.5], [1.5, 2.0]]), "give integers"),
        (lambda: luck_and_skill([[1, 2]]), "the number of deals is 1"),
        (lambda: luck_and_skill([[1], [2]]), "the number of strategies is 1"),
        (lambda: luck_and_skill(np.ones((3, 2, 1), dtype=int)), "1 seats"),
        (lambda: luck_and_skill(np.ones((3, 1, 2), dtype=int)), "the number of strategies is 1"),
        (lambda: luck_and_skill(np.ones((0, 2), dtype=int)), r"shape \(0, 2\)"),
        (lambda: split_moments(Moments.from_scores([[1, 2, 3], [2, 3, 4]]), 2), "3 columns do not fit 2 seats"),
    ],
)
def test_what_is_too_small_or_no_table_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_summary_tells_luck_from_skill():
    split = luck_and_skill(random_scores((9, 3, 2), 4))
    frame = split.summary()
    assert frame["cause"].to_list() == list(split.components)
    assert frame["component"].to_list() == list(split.components.values())
    shares = dict(frame.group_by("kind").agg(pl.col("share").sum()).rows())
    assert shares == pytest.approx({"luck": split.luck, "skill": split.skill, "both": 1 - split.luck - split.skill})
    assert luck_and_skill(np.ones((3, 3), int)).summary()["share"].to_list() == [None] * 3
