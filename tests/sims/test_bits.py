import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims import bits
from sims.bits import Word, bit_count, lowest_bit, select_bit, select_bit_portable
from sims.jit import COMPILED

ROOT = Path(__file__).resolve().parents[2]
WORDS = st.integers(0, 2**64 - 1)
SPECIAL = [0, 1, 1 << 63, 2**64 - 1, 0x5555_5555_5555_5555, 0xFFFF_FFFF, 0xFFFF_FFFF << 32, 1 << 32, 1 << 31]


def places(mask: int) -> list[int]:
    return [place for place in range(64) if mask >> place & 1]


@pytest.mark.parametrize("mask", SPECIAL)
def test_lowest_bit_of_special_words(mask: int) -> None:
    assert lowest_bit(Word(mask)) == (places(mask) or [64])[0]


@settings(deadline=None)
@given(WORDS)
def test_lowest_bit(mask: int) -> None:
    assert lowest_bit(Word(mask)) == (places(mask) or [64])[0]


@pytest.mark.parametrize("mask", SPECIAL)
def test_bit_count_of_special_words(mask: int) -> None:
    assert bit_count(Word(mask)) == len(places(mask))


@settings(deadline=None)
@given(WORDS)
def test_bit_count(mask: int) -> None:
    assert bit_count(Word(mask)) == len(places(mask))


@pytest.mark.parametrize("mask", SPECIAL)
def test_select_bit_of_special_words(mask: int) -> None:
    for k, place in enumerate(places(mask)):
        assert select_bit(Word(mask), Word(k)) == place
        assert select_bit_portable(Word(mask), Word(k)) == place


@settings(deadline=None)
@given(WORDS)
def test_select_bit_and_its_portable_twin_agree_with_a_loop(mask: int) -> None:
    expected = places(mask)
    assert [int(select_bit(Word(mask), Word(k))) for k in range(len(expected))] == expected
    assert [int(select_bit_portable(Word(mask), Word(k))) for k in range(len(expected))] == expected


@settings(deadline=None)
@given(WORDS)
def test_results_are_unsigned(mask: int) -> None:
    words = [lowest_bit(Word(mask)), bit_count(Word(mask)), select_bit_portable(Word(mask), Word(0))]
    assert all(int(word) >= 0 for word in words)


def test_select_bit_is_the_portable_twin_where_pdep_is_missing() -> None:
    assert (select_bit is select_bit_portable) == (not bits.HAS_PDEP)


GENERIC = """
import json
from sims import bits
masks = [0x8000_0000_0001_0101, 0xF0F0_0000_FFFF_0001, 2**64 - 1]
chosen = [[int(bits.select_bit(bits.Word(mask), bits.Word(k))) for k in range(mask.bit_count())] for mask in masks]
print(json.dumps([bits.HAS_PDEP, masks, chosen]))
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled, so nothing depends on the processor")
def test_a_processor_without_pdep_takes_the_portable_twin() -> None:
    # A generic processor has no BMI2. Code with pdep would not even compile: LLVM ends the process.
    ran = subprocess.run(
        [sys.executable, "-c", GENERIC],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CPU_NAME": "generic"},
        capture_output=True,
        text=True,
        check=True,
    )
    has_pdep, masks, chosen = json.loads(ran.stdout)
    assert not has_pdep
    assert chosen == [places(mask) for mask in masks]
