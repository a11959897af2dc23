"""Search for the initial direction numbers of `anchorpbo.numerics.sobol` and print their table.

For a pair of dimensions and the first 2^m points, t(m) is the smallest t such that every box of area 2^(t-m) between
neighbouring binary fractions holds exactly 2^t points: 0 is perfect, m is trivial. In terms of the generator matrices
A and B (column k has the digits of v_k, row r their r-th digits), m - t is the largest s such that the first i rows of
A and the first s - i rows of B, cut to m columns, are linearly independent over GF(2), for each i.

For each dimension in turn, the script takes the seed with the smallest

    cost = sum over earlier dimensions, sum over m = 1, ..., 12, of 2^t(m)

among all seeds if there are at most 4,096, otherwise among 4,096 pseudo-random ones. The first 12 dimensions must also
have Sobol's property A: the first 2^d points in d dimensions lie in the 2^d different orthants of the cube, that is,
the first rows of the d matrices, cut to d columns, are independent. The table is the same on every machine and takes
about five minutes for 128 dimensions.

    python scripts/make_sobol_table.py
"""

import argparse
import hashlib

import numpy as np
import numpy.typing as npt
from numba import njit

from anchorpbo.numerics.sobol import WORD_BITS, directions, directions_of, polynomial

DIGITS = 12
"""Pairs of dimensions are compared up to 2^12 points."""

TRIES = 4096
"""Largest number of seeds tried per dimension."""

Rows = npt.NDArray[np.int64]
"""Rows of generator matrices, with column k at bit k."""


@njit
def insert(basis: Rows, row: int) -> bool:
    """Add a row to an echelon basis if it is independent; entry i of the basis is 0 or has its highest bit at i."""
    for bit in range(basis.size - 1, -1, -1):
        if row >> bit & 1:
            if basis[bit] == 0:
                basis[bit] = row
                return True
            row ^= basis[bit]
    return False


@njit
def t_value(first: Rows, second: Rows, m: int) -> int:
    """Return t(m) of a pair of dimensions from their rows, (12,) or more each."""
    mask = (1 << m) - 1
    shared = np.zeros(m, dtype=np.int64)
    strength = m
    for i in range(m):
        if i >= strength:
            break
        basis = shared.copy()
        reached = i
        while reached < strength and insert(basis, second[reached - i] & mask):
            reached += 1
        strength = reached
        insert(shared, first[i] & mask)
    return m - strength


@njit
def cost(candidate: Rows, earlier: Rows, bound: float) -> float:
    """Return the sum of 2^t(m) over the earlier dimensions, (j, 32), and m; stop above a bound."""
    total = 0.0
    for j in range(earlier.shape[0]):
        for m in range(1, DIGITS + 1):
            total += 2.0 ** t_value(earlier[j], candidate, m)
        if total >= bound:
            break
    return total


@njit
def keeps_property_a(candidate: Rows, earlier: Rows) -> bool:
    """Return whether the first rows stay independent when a dimension is added to the earlier ones, (j, 32)."""
    d = earlier.shape[0] + 1
    mask = (1 << d) - 1
    basis = np.zeros(d, dtype=np.int64)
    for j in range(d - 1):
        insert(basis, earlier[j, 0] & mask)
    return insert(basis, candidate[0] & mask)


def rows_of(words: npt.ArrayLike) -> Rows:
    """Return the 32 rows of the generator matrix of 32 direction numbers."""
    digits = np.asarray(words, dtype=np.int64)[None, :] >> np.arange(WORD_BITS - 1, -1, -1)[:, None] & 1
    return digits @ (1 << np.arange(WORD_BITS))


def candidates(j: int) -> list[int]:
    """Return the seeds to try for dimension j."""
    degree = polynomial(j).bit_length() - 1
    free = degree * (degree - 1) // 2
    if 2**free <= TRIES:
        return list(range(2**free))
    stream = hashlib.shake_128(f"Sobol table {j}".encode()).digest(8 * TRIES)
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "big") % 2**free for i in range(TRIES)]


def search(dimensions: int) -> list[int]:
    """Return the best seeds of dimensions 1 to dimensions - 1."""
    seeds: list[int] = []
    earlier = rows_of(directions(1)[0])[None, :]
    for j in range(1, dimensions):
        best, best_rows, lowest = -1, earlier[0], float("inf")
        for seed in candidates(j):
            rows = rows_of(directions_of(polynomial(j), seed))
            if j < DIGITS and not keeps_property_a(rows, earlier):
                continue
            value = cost(rows, earlier, lowest)
            if value < lowest:
                best, best_rows, lowest = seed, rows, value
        seeds.append(best)
        earlier = np.vstack([earlier, best_rows])
    return seeds


def main() -> None:
    """Print the table, ready for the module."""
    parser = argparse.ArgumentParser(description="Print the seeds of the Sobol' dimensions.")
    parser.add_argument("--dimensions", type=int, default=128, help="number of dimensions, including the first")
    line = "   "
    for seed in search(parser.parse_args().dimensions):
        word = f" {seed:#x},"
        if len(line) + len(word) > 110:
            print(line)
            line = "   "
        line += word
    print(line)


if __name__ == "__main__":
    main()
