"""Tanimoto similarities of bits, counted in words, are those of the formula to the last bit."""

import numpy as np
import pytest

from anchorpbo.kernels import Tanimoto
from anchorpbo.numerics.bit_vectors import count_bits, count_shared_bits, pack_bits


def formula(X, Y, outputscale):
    shared = X @ Y.T
    union = (X * X).sum(axis=1)[:, None] + (Y * Y).sum(axis=1) - shared
    return outputscale * np.where(union > 0, shared / np.where(union > 0, union, 1.0), 1.0)


def fingerprints(n, bits, seed=0):
    X = (np.random.default_rng(seed).random((n, bits)) < 0.3).astype(float)
    X[0], X[-1] = 0.0, 1.0
    return X


@pytest.mark.parametrize("bits", [1, 3, 63, 64, 65, 200, 2048])
def test_similarities_are_equal_bit_by_bit(bits):
    X, Y = fingerprints(20, bits), fingerprints(7, bits, seed=1)
    np.testing.assert_array_equal(Tanimoto(1.7)(X, Y), formula(X, Y, 1.7))
    np.testing.assert_array_equal(Tanimoto(1.7).paired(X[:7], Y), np.diagonal(formula(X[:7], Y, 1.7)))


def test_counts_are_multiplied_instead():
    X = np.random.default_rng(2).integers(0, 4, (15, 70)).astype(float)
    assert pack_bits(X) is None
    np.testing.assert_array_equal(Tanimoto()(X, fingerprints(4, 70)), formula(X, fingerprints(4, 70), 1.0))


def test_words_hold_every_bit():
    X = fingerprints(9, 130)
    words = pack_bits(X)
    assert words.shape == (9, 3)
    np.testing.assert_array_equal(count_bits(words), X.sum(axis=1))
    np.testing.assert_array_equal(count_shared_bits(words, words), X @ X.T)


def test_half_a_bit_is_no_bit():
    assert pack_bits(np.array([[0.0, 0.5, 1.0]])) is None
