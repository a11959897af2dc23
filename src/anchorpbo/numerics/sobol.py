"""Sobol' points in the unit cube, plain or scrambled at random, without `scipy.stats`.

    x_i[j] = 2^-32 (v_{j,0} if bit 0 of i is set) xor (v_{j,1} if bit 1 is set) xor ...                     [Sobol1967]

The direction numbers v_j of dimension j are 32-bit integers, the first digit of x leading. Dimension 0 is the van der
Corput sequence, v_{0,k} = 2^(31-k). Dimension j > 0 has the j-th primitive polynomial over GF(2), of degree s,

    p_j(y) = y^s + c_1 y^(s-1) + ... + c_(s-1) y + 1

and s odd initial numbers m_1, ..., m_s with m_k < 2^k, from which v_{j,k-1} = 2^(32-k) m_k for k <= s, and beyond

    v_{j,k} = c_1 v_{j,k-1} xor ... xor c_(s-1) v_{j,k-s+1} xor v_{j,k-s} xor (v_{j,k-s} >> s)             [BF1988]

Any odd initial numbers make each coordinate perfectly even; good ones make the pairs of coordinates even, too. Ours come
from a search of our own, `scripts/make_sobol_table.py`. m_k has k - 1 free bits, so that all s of them fit in one integer
of s (s - 1) / 2 bits, the seed of the dimension. Past the table, seeds are pseudo-random, and the same everywhere.

Scrambling multiplies the digits of each coordinate by a random lower-triangular matrix over GF(2) with unit diagonal and
then adds a random digital shift [Matousek1998]: each point becomes uniform, and every evenness of the plain points stays.
It makes the points a random sample whose average is unbiased, but not all Owen-scrambled: rows share one matrix.

References
----------
[Sobol1967] I. M. Sobol'. On the distribution of points in a cube and the approximate evaluation of integrals. USSR
    Computational Mathematics and Mathematical Physics 7(4), 86-112, 1967.
[BF1988] P. Bratley and B. L. Fox. Algorithm 659: implementing Sobol's quasirandom sequence generator. ACM Transactions
    on Mathematical Software 14, 88-100, 1988.
[Matousek1998] J. Matousek. On the L2-discrepancy for anchored boxes. Journal of Complexity 14, 527-556, 1998.
"""

import hashlib
from functools import cache

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError
from anchorpbo.numerics.checks import frozen
from anchorpbo.typing import Array

BITS = 32
MAX_DIMENSION = 5_000

# fmt: off
SEEDS = (
0,
)
# fmt: on
"""Seeds of dimensions 1, 2, ..., as printed by `scripts/make_sobol_table.py`."""

Words = npt.NDArray[np.uint32]


def sobol(n: int, dimension: int, rng: np.random.Generator | None = None) -> Array:
    """Give the first n points of the Sobol' sequence.

    Parameters
    ----------
    n
        How many. The points are evenest when this is a power of two.
    dimension
        Of the cube, at most 5,000.
    rng
        Scrambles the points, by a fixed number of draws: for a given state, fewer points are the first rows and fewer
        dimensions the first columns of more. Without it the sequence is plain and starts at 0.

    Returns
    -------
    points
        Multiples of 2^-32 in [0, 1), shape (n, dimension).
    """
    if not 0 <= n <= 2**BITS:
        raise InputError("n must be between 0 and 2^32", n, "ask for fewer points")
    if not 1 <= dimension <= MAX_DIMENSION:
        rule = f"the dimension of Sobol' points must be between 1 and {MAX_DIMENSION}"
        raise InputError(rule, dimension, "draw plain random points in so many dimensions")
    digits = max(n - 1, 0).bit_length()
    words, start = directions(dimension)[:, :digits], np.zeros(dimension, dtype=np.uint32)
    if rng is not None:
        words, start = _scrambled(words, rng)
    points = np.empty((n, dimension), dtype=np.uint32)
    points[:1] = start
    for k in range(digits):
        # Bit k of i is what tells the points 2^k, 2^k + 1, ... from the first 2^k.
        more = min(2**k, n - 2**k)
        np.bitwise_xor(points[:more], words[:, k], out=points[2**k : 2**k + more])
    return points * 2.0**-BITS


def _scrambled(words: Words, rng: np.random.Generator) -> tuple[Words, Words]:
    """Scramble the leading direction numbers, (d, digits), and draw a first point, (d,)."""
    dimension, digits = words.shape
    draws = rng.integers(0, 2**BITS, size=(dimension, BITS + 1), dtype=np.uint32)
    out = np.zeros_like(words)
    for r in range(digits):  # further digits are zero in all of these words
        unit = np.uint32(1 << (BITS - 1 - r))
        column = (draws[:, r] & (unit - np.uint32(1))) | unit
        out ^= ((words & unit) != 0) * column[:, None]
    return out, draws[:, BITS]


@cache
def directions(dimension: int) -> Words:
    """Stack the direction numbers of the first dimensions: (dimension, 32), read-only."""
    rows = [[1 << (BITS - 1 - k) for k in range(BITS)]]
    rows += [directions_of(polynomial(j), seed(j)) for j in range(1, dimension)]
    words = np.array(rows, dtype=np.uint32)
    frozen(words)
    return words


def directions_of(polynomial: int, seed: int) -> list[int]:
    """Run the recurrence from the initial numbers packed in a seed."""
    degree = polynomial.bit_length() - 1
    words: list[int] = []
    for k in range(degree):
        free = seed & ((1 << k) - 1)
        seed >>= k
        words.append((2 * free + 1) << (BITS - 1 - k))
    taps = [i for i in range(1, degree) if polynomial >> (degree - i) & 1]
    for k in range(degree, BITS):
        word = words[k - degree] ^ (words[k - degree] >> degree)
        for i in taps:
            word ^= words[k - i]
        words.append(word)
    return words


def seed(j: int) -> int:
    """Give the seed of dimension j > 0: from the table, or pseudo-random past its end."""
    if j <= len(SEEDS):
        return SEEDS[j - 1]
    # 17 bytes hold the 120 bits that the largest degree in use, 16, can need; more are not looked at.
    return int.from_bytes(hashlib.shake_128(f"Sobol {j}".encode()).digest(17), "big")


def polynomial(j: int) -> int:
    """Give the primitive polynomial of dimension j > 0; bit i is the coefficient of y^i."""
    degree = 1
    while j > len(primitive_polynomials(degree)):
        j -= len(primitive_polynomials(degree))
        degree += 1
    return primitive_polynomials(degree)[j - 1]


@cache
def primitive_polynomials(degree: int) -> tuple[int, ...]:
    """List the polynomials modulo which the powers of y run through all 2^degree - 1 non-zero residues."""
    order = 2**degree - 1
    shorter = [order // prime for prime in _prime_factors(order)]
    return tuple(
        p
        for p in range(2**degree + 1, 2 ** (degree + 1), 2)
        if _power(order, p, degree) == 1 and all(_power(e, p, degree) != 1 for e in shorter)
    )


def _power(exponent: int, polynomial: int, degree: int) -> int:
    """Reduce y^exponent modulo a polynomial over GF(2)."""
    value = 1
    for bit in f"{exponent:b}":
        # Squaring over GF(2) puts a 0 between digits, which is to read base 2 as base 4; "1" then multiplies by y.
        value = int(f"{value:b}", 4) << int(bit)
        while value.bit_length() > degree:
            value ^= polynomial << (value.bit_length() - degree - 1)
    return value


def _prime_factors(number: int) -> list[int]:
    """List the distinct primes that divide a number."""
    factors, candidate = [], 2
    while number > 1:
        if number % candidate == 0:
            factors.append(candidate)
        while number % candidate == 0:
            number //= candidate
        candidate += 1
    return factors
