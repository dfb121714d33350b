from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sims import chance
from sims.bits import Word
from sims.chance import below, deal_key, fill_stream, finalize, new_streams, next_word, start_stream, uniform
from sims.jit import COMPILED, jit

MASK = 2**64 - 1
WORDS = st.integers(0, MASK)

# Published with the generators: prng.di.unimi.it, and the test vectors that many implementations share.
SPLITMIX64_OF_1234567 = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]
XOSHIRO256PP_OF_1234 = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def state(stream: Any) -> list[int]:
    return [int(stream.s0), int(stream.s1), int(stream.s2), int(stream.s3)]


def key_of(seed: int, deal: int) -> Any:
    return Word(deal_key(Word(seed), Word(deal)))


def stream_of(start: int) -> Any:
    stream = new_streams(1)[0]
    fill_stream(stream, Word(start))
    return stream


def literal_words(start: int) -> Iterator[int]:
    """The same words from the published C code, in Python's integers: SplitMix64 for the state, then xoshiro256++."""
    s: list[int] = []
    for place in range(1, 5):
        z = (start + place * 0x9E3779B97F4A7C15) & MASK
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        s.append(z ^ (z >> 31))

    def rotated(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & MASK

    while True:
        yield (rotated((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotated(s[3], 45)


def literal_below(words: Iterator[int], n: int) -> int:
    """Lemire's method without its short cut: a draw counts unless the low half of the product is in the surplus."""
    for word in words:
        whole, part = divmod((word >> 32) * n, 2**32)
        if part >= 2**32 % n:
            return whole
    raise AssertionError("the words never end")


@jit
def count_draws(stream: Any, n: Any, counts: Any) -> None:
    for _ in range(100 * len(counts) if not COMPILED else 5000 * len(counts)):
        counts[below(stream, n)] += 1


@jit
def count_buckets(stream: Any, n: Any, counts: Any, draws: Any) -> None:
    bucket = Word(n) // Word(len(counts)) + Word(1)
    for _ in range(draws):
        counts[below(stream, n) // bucket] += 1


def test_finalize_and_fill_stream_are_splitmix64() -> None:
    assert state(stream_of(1234567)) == SPLITMIX64_OF_1234567[:4]
    assert state(stream_of(1234567 + int(chance.GOLDEN) & MASK)) == SPLITMIX64_OF_1234567[1:]
    fifth = Word((1234567 + 5 * int(chance.GOLDEN)) & MASK)
    assert finalize(fifth) == SPLITMIX64_OF_1234567[4]


def test_next_word_is_xoshiro256_plus_plus() -> None:
    stream = new_streams(1)[0]
    stream.s0, stream.s1, stream.s2, stream.s3 = 1, 2, 3, 4
    assert [int(next_word(stream)) for _ in range(10)] == XOSHIRO256PP_OF_1234


@settings(deadline=None)
@given(WORDS)
def test_next_word_agrees_with_the_published_code(start: int) -> None:
    stream = stream_of(start)
    assert [int(next_word(stream)) for _ in range(20)] == list(islice(literal_words(start), 20))


@settings(deadline=None)
@given(WORDS, st.integers(1, 2**32 - 1))
def test_below_agrees_with_the_literal_method(start: int, n: int) -> None:
    stream, words = stream_of(start), literal_words(start)
    assert [int(below(stream, Word(n))) for _ in range(10)] == [literal_below(words, n) for _ in range(10)]


@settings(deadline=None)
@given(WORDS, st.sampled_from([2**32 - 1, 2**32 - 3, 2**31 + 1, 2**31 - 1, 2**31 + 2**30 + 1, 3, 1]))
def test_below_stays_in_range(start: int, n: int) -> None:
    stream = stream_of(start)
    assert all(0 <= int(below(stream, Word(n))) < n for _ in range(50))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 36, 80])
def test_below_is_uniform(n: int) -> None:
    counts = np.zeros(n, np.int64)
    count_draws(stream_of(n), Word(n), counts)
    assert counts.min() > 0
    if n > 1:
        assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("n", [2**32 - 1, 2**31 + 1, 3 * 2**30 + 1])
def test_below_is_uniform_for_large_numbers(n: int) -> None:
    # Without the rejection step, 2³¹ + 1 would give every other number twice as often, and 3·2³⁰ + 1 every third.
    residues, counts = np.zeros(3, np.int64), np.zeros(16, np.int64)
    draws = 200_000 if COMPILED else 4_000
    stream = stream_of(n)
    for _ in range(min(draws, 20_000)):
        residues[int(below(stream, Word(n))) % 3] += 1
    assert stats.chisquare(residues).pvalue > 1e-4
    count_buckets(stream_of(n + 1), Word(n), counts, draws)
    assert stats.chisquare(counts).pvalue > 1e-4


def test_uniform_is_a_fraction_of_the_next_word() -> None:
    stream, words = stream_of(5), literal_words(5)
    for word in islice(words, 1000):
        value = uniform(stream)
        assert value == (word >> 11) / 2**53
        assert 0 <= value < 1


def test_uniform_reaches_neither_end() -> None:
    stream = new_streams(1)[0]
    stream.s0 = stream.s3 = 0
    assert uniform(stream) == 0.0
    # (s0 + s3) rotated left by 23, plus s0, is all ones for s0 = 0 and s3 = all ones.
    stream.s0, stream.s1, stream.s2, stream.s3 = 0, 0, 0, MASK
    assert uniform(stream) == 1 - 2.0**-53


def test_streams_of_different_keys_differ() -> None:
    stream = new_streams(1)[0]
    deals = [*range(60), 2**32, 2**63, MASK]
    purposes = [chance.STRATEGY, chance.NOISE, chance.GAME, chance.GAME + 1]
    first_words = set()
    keys = list(product([0, 1, 2, 7, MASK], deals, purposes, range(8)))
    for seed, deal, purpose, seat in keys:
        start_stream(stream, key_of(seed, deal), Word(purpose), Word(seat))
        first_words.add(int(next_word(stream)))
    assert len(first_words) == len(keys)


def test_deal_key_differs_in_seed_and_deal() -> None:
    keys = {int(key_of(seed, deal)) for seed in range(50) for deal in range(50)}
    assert len(keys) == 2500


@settings(deadline=None)
@given(WORDS, WORDS, st.integers(1, 30), st.integers(0, 7), st.integers(0, 20))
def test_start_stream_is_a_pure_function_of_its_key(seed: int, deal: int, purpose: int, seat: int, drawn: int) -> None:
    fresh, used = new_streams(2)
    fill_stream(used, Word(99))
    for _ in range(drawn):
        next_word(used)
    for stream in (fresh, used):
        start_stream(stream, key_of(seed, deal), Word(purpose), Word(seat))
    assert state(fresh) == state(used)
    assert [int(next_word(fresh)) for _ in range(5)] == [int(next_word(used)) for _ in range(5)]


def test_streams_do_not_disturb_each_other() -> None:
    first, second = new_streams(2)
    fill_stream(first, Word(1))
    fill_stream(second, Word(2))
    mixed = [(int(next_word(first)), int(next_word(second))) for _ in range(10)]
    assert [word for word, _ in mixed] == list(islice(literal_words(1), 10))
    assert [word for _, word in mixed] == list(islice(literal_words(2), 10))


def test_new_streams() -> None:
    streams = new_streams(3)
    assert streams.shape == (3,)
    assert state(streams[2]) == [0, 0, 0, 0]
