"""Search for the initial direction numbers of `anchorpbo.numerics.sobol` and print their table.

For a pair of dimensions and the first 2^m points, t(m) is the smallest t such that every box of area 2^(t-m), whose
sides are binary fractions, holds exactly 2^t points: 0 is perfect, m says nothing. In terms of the generator matrices
A and B (column k has the digits of v_k), m - t is the largest r such that the first i rows of A and the first r - i
rows of B, cut to m columns, are linearly independent for each i.

Dimension by dimension, the script takes the seed with the smallest cost

    sum over earlier dimensions, sum over m = 1..12, of 2^t(m)

among all seeds where there are few, or among pseudo-random ones. It has no options that change the table, and takes about
NN minutes:

    python scripts/make_sobol_table.py > table.txt
"""

import argparse
import hashlib

import numpy as np
import numpy.typing as npt

from anchorpbo.numerics.jit import compiled
from anchorpbo.numerics.sobol import BITS, directions_of, polynomial

DIGITS = 12
"""Evenness is judged up to 2^12 points."""

TRIES = 4096
"""Seeds that are tried for a dimension with more than so many."""

Rows = npt.NDArray[np.int64]


@compiled
def insert(basis: Rows, row: int) -> bool:
    """Add a row to an echelon basis over GF(2), where entry i has its highest bit at i, if it is independent."""
    for bit in range(DIGITS - 1, -1, -1):
        if row >> bit & 1:
            if basis[bit] == 0:
                basis[bit] = row
                return True
            row ^= basis[bit]
    return False


@compiled
def t_value(first: Rows, second: Rows, m: int) -> int:
    """Give t(m) of a pair of dimensions from their rows, (12,) each, with column k at bit k."""
    mask = (1 << m) - 1
    strength = m
    shared = np.zeros(DIGITS, dtype=np.int64)
    for i in range(m + 1):
        if i >= strength:
            break
        basis = shared.copy()
        reached = i
        while reached < strength and insert(basis, second[reached - i] & mask):
            reached += 1
        strength = reached
        insert(shared, first[i] & mask)
    return m - strength


@compiled
def cost(candidate: Rows, earlier: Rows, bound: float) -> float:
    """Sum 2^t(m) over the earlier dimensions, (j, 12), and m; stop early above a bound."""
    total = 0.0
    for j in range(earlier.shape[0]):
        for m in range(1, DIGITS + 1):
            total += 2.0 ** t_value(earlier[j], candidate, m)
        if total >= bound:
            break
    return total


def rows_of(words: list[int]) -> Rows:
    """Turn direction numbers into the leading rows of the generator matrix: shape (12,)."""
    return np.array(
        [sum((words[k] >> (BITS - 1 - r) & 1) << k for k in range(DIGITS)) for r in range(DIGITS)], dtype=np.int64
    )


def candidates(j: int) -> list[int]:
    """List the seeds to try for dimension j."""
    degree = polynomial(j).bit_length() - 1
    free = degree * (degree - 1) // 2
    if 2**free <= TRIES:
        return list(range(2**free))
    stream = hashlib.shake_128(f"Sobol table {j}".encode()).digest(8 * TRIES)
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "big") % 2**free for i in range(TRIES)]


def search(dimensions: int) -> list[int]:
    """Choose the seeds of dimensions 1 to dimensions - 1."""
    seeds: list[int] = []
    earlier = rows_of([1 << (BITS - 1 - k) for k in range(BITS)])[None, :]
    for j in range(1, dimensions):
        best, best_rows, lowest = 0, earlier[0], float("inf")
        for seed in candidates(j):
            rows = rows_of(directions_of(polynomial(j), seed))
            value = cost(rows, earlier, lowest)
            if value < lowest:
                best, best_rows, lowest = seed, rows, value
        seeds.append(best)
        earlier = np.vstack([earlier, best_rows])
    return seeds


def main() -> None:
    """Print the table, ready for the module."""
    parser = argparse.ArgumentParser(description="Print the seeds of Sobol' dimensions.")
    parser.add_argument("--dimensions", type=int, default=128)
    seeds = search(parser.parse_args().dimensions)
    line = "   "
    for seed in seeds:
        word = f" {seed:#x},"
        if len(line) + len(word) > 110:
            print(line)
            line = "   "
        line += word
    print(line)


if __name__ == "__main__":
    main()
