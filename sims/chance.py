"""Chance: every random number is a pure function of (seed, deal, purpose, seat).

The generator is xoshiro256++ (Blackman and Vigna 2019), its 256-bit state filled by SplitMix64 (Steele, Lea and Flood
2014) from a key. A deal's dice and each seat's strategy draw from streams of different keys, so nobody's draws move
anybody else's: a strategy that draws more, a further seat or another order of work leaves all other games as they are.
Bounded draws use Lemire's multiplication method (2019), with its rejection step, so they are exact.
"""

from typing import Any

import numpy as np

from sims.bits import Word
from sims.jit import jit, wrapping

# What a stream is for. A game numbers its own purposes from GAME on.
STRATEGY = 1  # a seat's own draws
NOISE = 2  # whether a `noisy` seat errs, and its errors
STREAM_STEP = 2  # added for every further set of a seat's own streams
GAME = 16

STREAM = np.dtype([("s0", np.uint64), ("s1", np.uint64), ("s2", np.uint64), ("s3", np.uint64)])

GOLDEN = Word(0x9E3779B97F4A7C15)
LOW_HALF = Word(0xFFFFFFFF)
UNIT = 2.0**-53


@jit
@wrapping
def finalize(word: Any) -> Any:
    """Scramble a word by SplitMix64's output function (a bijection)."""
    z = Word(word)
    z = (z ^ (z >> Word(30))) * Word(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> Word(27))) * Word(0x94D049BB133111EB)
    return z ^ (z >> Word(31))


@jit
@wrapping
def deal_key(seed: Any, deal: Any) -> Any:
    """Return the key that all streams of a deal share."""
    return finalize(finalize(Word(seed) + GOLDEN) ^ (Word(deal) * Word(0xD1342543DE82EF95)))


@jit
@wrapping
def start_stream(stream: Any, key: Any, purpose: Any, seat: Any) -> None:
    """Set `stream` to the start of the draws for one purpose and seat of the deal with this key."""
    fill_stream(stream, finalize(Word(key) ^ (Word(purpose) << Word(8)) ^ Word(seat)))


@jit
@wrapping
def fill_stream(stream: Any, start: Any) -> None:
    """Fill the state with the first four outputs of SplitMix64 from `start`."""
    z = Word(start) + GOLDEN
    stream.s0 = finalize(z)
    z += GOLDEN
    stream.s1 = finalize(z)
    z += GOLDEN
    stream.s2 = finalize(z)
    z += GOLDEN
    stream.s3 = finalize(z)


@jit
@wrapping
def next_word(stream: Any) -> Any:
    """Return the next 64 random bits (xoshiro256++)."""
    s0, s1, s2, s3 = stream.s0, stream.s1, stream.s2, stream.s3
    total = s0 + s3
    result = ((total << Word(23)) | (total >> Word(41))) + s0
    shifted = s1 << Word(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << Word(45)) | (s3 >> Word(19))
    stream.s0, stream.s1, stream.s2, stream.s3 = s0, s1, s2, s3
    return result


@jit
@wrapping
def below(stream: Any, n: Any) -> Any:
    """Return a whole number from 0 to n − 1, each equally likely; 1 ≤ n < 2³²."""
    bound = Word(n)
    product = (next_word(stream) >> Word(32)) * bound
    if product & LOW_HALF < bound:
        threshold = (LOW_HALF + Word(1) - bound) % bound
        while product & LOW_HALF < threshold:
            product = (next_word(stream) >> Word(32)) * bound
    return product >> Word(32)


@jit
def uniform(stream: Any) -> Any:
    """Return a real number from [0, 1), a multiple of 2⁻⁵³."""
    return float(next_word(stream) >> Word(11)) * UNIT


def new_streams(count: int) -> Any:
    """Return `count` streams, not started, whose elements have the state words as attributes."""
    return np.zeros(count, STREAM).view(np.recarray)
