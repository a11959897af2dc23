"""Bit vectors packed into 64-bit words, and counts of the bits that two of them share.

Symbols: x_i is a row of X (n, b), y_j a row of Y (p, b), with entries 0 or 1. The number of shared bits, x_i.y_j, is
the population count of the bitwise "and" of the packed words. It is an integer, so there is no rounding error.
"""

import numpy as np
import numpy.typing as npt

from anchorpbo.numerics.jit import jit
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.numerics.validation import as_read_only
from anchorpbo.typing import Array

Words = npt.NDArray[np.uint64]

WORD_BITS = 64
"""Bits in a word."""


def pack_bits(X: Array) -> Words | None:
    """Pack the bits of each row, (n, words); return ``None`` unless all entries are 0 or 1."""
    words = np.zeros((len(X), -(-X.shape[1] // WORD_BITS)), dtype=np.uint64)
    return words if _pack(as_read_only(X), words) else None


def count_shared_bits(X: Words, Y: Words) -> Array:
    """Return the number of bits set in both x_i and y_j, (n, p)."""
    shared = np.empty((len(X), len(Y)))
    _count_shared(X, Y, shared)
    return shared


def count_bits(X: Words) -> Array:
    """Return the number of bits set in each row, (n,)."""
    sizes = np.empty(len(X))
    _count(X, sizes)
    return sizes


@jit_tiered
def _pack(X: Array, words: Words) -> bool:
    for i in range(len(X)):
        for c in range(X.shape[1]):
            if X[i, c] == 1.0:
                words[i, c // WORD_BITS] |= np.uint64(1) << np.uint64(c % WORD_BITS)
            elif X[i, c] != 0.0:
                return False
    return True


@jit
def _popcount(word: np.uint64) -> np.uint64:
    """Return the number of bits set in a word; compilers turn this formula into one instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@jit_tiered
def _count_shared(X: Words, Y: Words, shared: Array) -> None:
    for i in range(len(X)):
        for j in range(len(Y)):
            total = np.uint64(0)
            for w in range(X.shape[1]):
                total += _popcount(X[i, w] & Y[j, w])
            shared[i, j] = total


@jit_tiered
def _count(X: Words, sizes: Array) -> None:
    for i in range(len(X)):
        total = np.uint64(0)
        for w in range(X.shape[1]):
            total += _popcount(X[i, w])
        sizes[i] = total
