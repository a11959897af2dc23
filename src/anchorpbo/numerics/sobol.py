"""Sobol' points in the unit cube, plain or randomly scrambled, without `scipy.stats`.

    x_i[j] = 2^-32 (v_{j,0} if bit 0 of i is set) xor (v_{j,1} if bit 1 is set) xor ...                     [Sobol1967]

The direction numbers v_j of dimension j are 32-bit integers; the leading bit is the first digit of x. Dimension 0 is
the van der Corput sequence, v_{0,k} = 2^(31-k). Dimension j > 0 uses the j-th primitive polynomial over GF(2),

    p_j(y) = y^s + c_1 y^(s-1) + ... + c_(s-1) y + 1

of degree s, and s odd initial numbers m_1, ..., m_s with m_k < 2^k. Then v_{j,k-1} = 2^(32-k) m_k for k <= s, and for
k >= s

    v_{j,k} = c_1 v_{j,k-1} xor ... xor c_(s-1) v_{j,k-s+1} xor v_{j,k-s} xor (v_{j,k-s} >> s)             [BF1988]

With any odd initial numbers each coordinate is evenly distributed; good ones also make pairs of coordinates even. The
initial numbers here were found by the search in `scripts/make_sobol_table.py`. As m_k has k - 1 free bits, all s of
them fit in one integer of s (s - 1) / 2 bits, the seed of the dimension. Beyond the 128 dimensions of the table, seeds
are pseudo-random (but the same on every machine), and pairs of coordinates are not optimised.

Scrambling multiplies the digits of each coordinate by a random lower-triangular matrix over GF(2) with unit diagonal,
then adds a random digital shift [Matousek1998]. Each point becomes uniform in the cube, so that averages are unbiased.
The evenness of the point set is preserved.

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
from operator import index

import numpy as np
import numpy.typing as npt

from anchorpbo.errors import InputError
from anchorpbo.numerics.validation import freeze
from anchorpbo.typing import Array

WORD_BITS = 32
MAX_DIMENSION = 5_000

# fmt: off
SEEDS = (
    0x0, 0x0, 0x0, 0x1, 0xf, 0x15, 0x2f8, 0x2c2, 0x333, 0x125, 0x2d4, 0x386, 0x24c3, 0x3311, 0x6eda, 0x1c2a,
    0x4cd, 0x69bf, 0x145236, 0x4e406, 0x1d5563, 0x112df5, 0x19bff4, 0x265e0, 0x1e278e, 0x3cd5a, 0xe6691,
    0x19cb77, 0x284e6, 0x5e121, 0x1137e3, 0x1fb840, 0x0, 0x180a1a, 0x6cf69, 0x1eb1cc, 0xc709db4, 0xafb4041,
    0xc1afad7, 0x753bc4c, 0x5bae646, 0x21f0c28, 0xf9c9459, 0xb03bb60, 0x57a5d21, 0xc76df37, 0xb61dc6c,
    0x4b373e, 0xef0d81d, 0xc667a4a, 0xd791ec9, 0x4172238, 0x31e8a04f8, 0xe25d35105, 0xcaeb4f95, 0x1669d451c,
    0x771e02bbb, 0x42a044ea3, 0x4c9ca1637, 0xb3a00aa57, 0x7e9495259, 0xb666fd3ee, 0x6df82ab7c, 0x58e30c2d9,
    0x2b14ad66b, 0xedcda4a, 0x9112fe3de, 0x44ae24b24, 0x99c3e363f, 0x121a9f6f5, 0xa0a2f3c54, 0xb0e6a7b5,
    0xf51e1fc13, 0xbbdcd2d74, 0xdaba8b3ab, 0xb88013ac3, 0x6eaf485dd, 0x4e3b461aa, 0x4b8559858, 0xe34723acd,
    0x6df1565d0, 0x8ac8f7493, 0xdd1a7bca5, 0x57da1a01, 0xa68a57d21, 0x514d2b4e, 0xdc48c27d9, 0x97c9df3b9,
    0x3016ac412, 0xb07ecb66c, 0x881cf42d7, 0xb56842f8c, 0xb66a86749, 0x505db4717, 0xd0c8c1158, 0x9daa3adb7,
    0xb3e4d192b, 0xc79e5b48d, 0x920b51666, 0x22fb6bc23, 0x1b54de28f440, 0x1ae2c5932d63, 0x4c61fc631a0,
    0x1319b3d02594, 0x3251e7a834b, 0x16e26f7988b6, 0x1c8135bd0365, 0x1a30c44ba862, 0x7d96478a405,
    0xdb466461105, 0xf6dbfc74fb8, 0xc1a7d530ec7, 0xf7779fbaa94, 0x1cc2e15d4bec, 0x169d0450c4b5,
    0x15094a600d65, 0x1ed0f5a0715f, 0x1233ea19477a, 0xe9704bafd8, 0xb1ad7cafc8d, 0x105155f5e35a,
    0x13ff2d963294, 0xf57e7964ee3, 0x1e9dda10e25e, 0x183d7f124172, 0x1153efc65b6d, 0x1d5e4731749b,
)
# fmt: on
"""Seeds of dimensions 1, 2, ..., as printed by `scripts/make_sobol_table.py`."""

Words = npt.NDArray[np.uint32]


def sobol(n: int, dimension: int, rng: np.random.Generator | None = None) -> Array:
    """Return the first n points of the Sobol' sequence.

    Parameters
    ----------
    n
        Number of points. They are most even when n is a power of two.
    dimension
        Dimension of the cube, at most 5,000.
    rng
        Random generator for scrambling; without one the sequence is not scrambled and starts at 0. For the same
        state, fewer points are the first rows of more points, and fewer dimensions are the first columns.

    Returns
    -------
    points
        Multiples of 2^-32 in [0, 1), shape (n, dimension).
    """
    n, dimension = index(n), index(dimension)
    if not 0 <= n <= 2**WORD_BITS:
        raise InputError("n must be between 0 and 2^32", n, "ask for fewer points")
    if not 1 <= dimension <= MAX_DIMENSION:
        rule = f"the dimension of Sobol' points must be between 1 and {MAX_DIMENSION}"
        raise InputError(rule, dimension, "use uniform random points in higher dimensions")
    digits = max(n - 1, 0).bit_length()
    words, start = directions(dimension)[:, :digits], np.zeros(dimension, dtype=np.uint32)
    if rng is not None:
        words, start = _scramble(words, rng)
    points = np.empty((n, dimension), dtype=np.uint32)
    points[:1] = start
    for k in range(digits):
        # The points 2^k, 2^k + 1, ... are the first 2^k points with bit k of i set.
        more = min(2**k, n - 2**k)
        np.bitwise_xor(points[:more], words[:, k], out=points[2**k : 2**k + more])
    scaled: Array = points * np.float64(2.0**-WORD_BITS)
    return scaled


def _scramble(words: Words, rng: np.random.Generator) -> tuple[Words, Words]:
    """Return the scrambled leading direction numbers, (d, digits), and a random first point, (d,)."""
    dimension, digits = words.shape
    draws = rng.integers(0, 2**WORD_BITS, size=(dimension, WORD_BITS + 1), dtype=np.uint32)
    # Digit r of a word, counted from the first, selects column r; further digits are zero in all of these words.
    units = np.uint32(1) << np.arange(WORD_BITS - 1, WORD_BITS - 1 - digits, -1, dtype=np.uint32)
    columns = (draws[:, :digits] & (units - np.uint32(1))) | units
    out = np.bitwise_xor.reduce(((words[:, :, None] & units) != 0) * columns[:, None], axis=2)
    return out, draws[:, WORD_BITS]


@cache
def directions(dimension: int) -> Words:
    """Return the direction numbers of the first dimensions, (dimension, 32), read-only."""
    rows = [[1 << (WORD_BITS - 1 - k) for k in range(WORD_BITS)]]
    rows += [directions_of(polynomial(j), seed(j)) for j in range(1, dimension)]
    words = np.array(rows, dtype=np.uint32)
    freeze(words)
    return words


def directions_of(polynomial: int, seed: int) -> list[int]:
    """Return the direction numbers given by the recurrence and the initial numbers packed in a seed."""
    degree = polynomial.bit_length() - 1
    words: list[int] = []
    for k in range(degree):
        free = seed & ((1 << k) - 1)
        seed >>= k
        words.append((2 * free + 1) << (WORD_BITS - 1 - k))
    taps = [i for i in range(1, degree) if polynomial >> (degree - i) & 1]
    for k in range(degree, WORD_BITS):
        word = words[k - degree] ^ (words[k - degree] >> degree)
        for i in taps:
            word ^= words[k - i]
        words.append(word)
    return words


def seed(j: int) -> int:
    """Return the seed of dimension j > 0: from the table, or pseudo-random past its end."""
    if j <= len(SEEDS):
        return SEEDS[j - 1]
    # 17 bytes hold the 120 bits needed by the largest degree in use, 16; further bits are ignored.
    return int.from_bytes(hashlib.shake_128(f"Sobol {j}".encode()).digest(17), "big")


def polynomial(j: int) -> int:
    """Return the primitive polynomial of dimension j > 0; bit i is the coefficient of y^i."""
    degree = 1
    while j > len(primitive_polynomials(degree)):
        j -= len(primitive_polynomials(degree))
        degree += 1
    return primitive_polynomials(degree)[j - 1]


@cache
def primitive_polynomials(degree: int) -> tuple[int, ...]:
    """Return the primitive polynomials of a degree: powers of y modulo them give all 2^degree - 1 non-zero residues."""
    order = 2**degree - 1
    shorter = [order // prime for prime in _prime_factors(order)]
    return tuple(
        p
        for p in range(2**degree + 1, 2 ** (degree + 1), 2)
        if _power(order, p, degree) == 1 and all(_power(e, p, degree) != 1 for e in shorter)
    )


def _power(exponent: int, polynomial: int, degree: int) -> int:
    """Return y^exponent modulo a polynomial over GF(2)."""
    value = 1
    for bit in f"{exponent:b}":
        # Squaring over GF(2) puts a 0 between digits, so base 2 is read as base 4; a 1 bit then multiplies by y.
        value = int(f"{value:b}", 4) << int(bit)
        while value.bit_length() > degree:
            value ^= polynomial << (value.bit_length() - degree - 1)
    return value


def _prime_factors(number: int) -> list[int]:
    """Return the distinct prime factors of a number."""
    factors, candidate = [], 2
    while number > 1:
        if number % candidate == 0:
            factors.append(candidate)
        while number % candidate == 0:
            number //= candidate
        candidate += 1
    return factors
