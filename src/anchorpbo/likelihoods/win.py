"""Log F(z) of a win and its three derivatives in z, for many z at once, compiled."""

import math

from anchorpbo.likelihoods.expected import log_win
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array


@jit_tiered
def probit_wins(z: Array, out: Array) -> None:
    """Fill the rows of out, (4, m): with h = phi / Phi also h, -h (h + z) and h ((h + z)(2 h + z) - 1)."""
    for k in range(len(z)):
        value, h, d2, excess = log_win(z[k])
        out[0, k], out[1, k], out[2, k], out[3, k] = value, h, d2, h * (excess * (h + excess) - 1.0)


@jit_tiered
def logistic_wins(z: Array, out: Array) -> None:
    """Fill the rows of out, (4, m): with s = s(z) also 1 - s, -s (1 - s) and s (1 - s)(2 s - 1)."""
    for k in range(len(z)):
        t = math.exp(-abs(z[k]))
        larger, smaller = 1.0 / (1.0 + t), t / (1.0 + t)
        s, rest = (larger, smaller) if z[k] > 0.0 else (smaller, larger)
        out[0, k], out[1, k] = min(z[k], 0.0) - math.log1p(t), rest
        out[2, k], out[3, k] = -s * rest, s * rest * (s - rest)
