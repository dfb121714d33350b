"""Bit sets in 64-bit words: lowest bit, number of bits, the k-th set bit.

Each is one machine instruction where the processor has it. Literals are wrapped in `Word`: Numba types a mix of signed
and unsigned 64-bit integers as signed.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from sims.jit import COMPILED, has_feature, intrinsic, jit

Word = np.uint64
ONE = Word(1)
HAS_PDEP = COMPILED and has_feature("bmi2")

if COMPILED:

    @intrinsic
    def _cttz(_context: Any, _mask: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), code

    @intrinsic
    def _ctpop(_context: Any, _mask: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), code

else:

    def _cttz(mask: Any) -> Any:
        number = int(mask)
        return Word((number & -number).bit_length() - 1) if number else Word(64)

    def _ctpop(mask: Any) -> Any:
        return Word(int(mask).bit_count())


if HAS_PDEP:

    @intrinsic
    def _pdep(_context: Any, _source: Any, _mask: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            function_type = ir.FunctionType(word, [word, word])
            function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), function_type)
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), code


@jit
def lowest_bit(mask: Any) -> Any:
    """Return the place of the lowest set bit; 64 for an empty set."""
    return _cttz(Word(mask))


@jit
def bit_count(mask: Any) -> Any:
    """Return the number of set bits."""
    return _ctpop(Word(mask))


@jit
def select_bit_portable(mask: Any, k: Any) -> Any:
    """Return the place of the k-th set bit, from 0: halve the word, going where the k-th bit must be."""
    rest, wanted, place, width = Word(mask), Word(k), Word(0), Word(32)
    while width:
        low = rest & ((ONE << width) - ONE)
        below = bit_count(low)
        if wanted >= below:
            wanted -= below
            place += width
            rest >>= width
        else:
            rest = low
        width >>= ONE
    return place


if HAS_PDEP:

    @jit
    def select_bit(mask: Any, k: Any) -> Any:
        """Return the place of the k-th set bit, from 0 (deposit a single bit into the mask)."""
        return lowest_bit(_pdep(ONE << Word(k), Word(mask)))

else:
    select_bit = select_bit_portable
