"""How many bits two fingerprints share, counted sixty-four at a time.

Symbols: x_i a row of X (n, b), y_j a row of Y (p, b), all of them 0 or 1. Shared bits, x_i.y_j, are those set in the
bitwise "and" of the two, packed into words; whole numbers, so nothing is rounded.
"""

import numpy as np
import numpy.typing as npt

from anchorpbo.numerics.jit import compiled
from anchorpbo.numerics.tiering import tiered
from anchorpbo.numerics.validation import as_read_only
from anchorpbo.typing import Array

Words = npt.NDArray[np.uint64]

WORD = 64
"""Bits in a word."""


def packed(X: Array) -> Words | None:
    """The bits of each row, (n, words); ``None`` unless all are 0 or 1."""
    words = np.zeros((len(X), -(-X.shape[1] // WORD)), dtype=np.uint64)
    return words if _pack(as_read_only(X), words) else None


def shared_bits(X: Words, Y: Words) -> Array:
    """Bits that are set in both, (n, p)."""
    shared = np.empty((len(X), len(Y)))
    _count_shared(X, Y, shared)
    return shared


def bits_set(X: Words) -> Array:
    """Bits that are set in each, (n,)."""
    sizes = np.empty(len(X))
    _count(X, sizes)
    return sizes


@tiered
def _pack(X: Array, words: Words) -> bool:
    for i in range(len(X)):
        for c in range(X.shape[1]):
            if X[i, c] == 1.0:
                words[i, c // WORD] |= np.uint64(1) << np.uint64(c % WORD)
            elif X[i, c] != 0.0:
                return False
    return True


@compiled
def _ones(word: np.uint64) -> np.uint64:
    """How many bits of a word are set; compilers know this formula and put in the instruction that it stands for."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@tiered
def _count_shared(X: Words, Y: Words, shared: Array) -> None:
    for i in range(len(X)):
        for j in range(len(Y)):
            total = np.uint64(0)
            for w in range(X.shape[1]):
                total += _ones(X[i, w] & Y[j, w])
            shared[i, j] = total


@tiered
def _count(X: Words, sizes: Array) -> None:
    for i in range(len(X)):
        total = np.uint64(0)
        for w in range(X.shape[1]):
            total += _ones(X[i, w])
        sizes[i] = total
