"""Projected BFGS in the unit cube for many starts at once, each with its own step length, compiled.

Each search has x (p,) in the unit cube, f = -value to minimise, its gradient g, and H (p, p), the inverse of its
curvature, learnt from every step s and change of gradient y by the BFGS formula [NocedalWright]. Coordinates at a face
of the cube whose slope leads out of it are held: they are swept out of H, so that the direction is that of the other
coordinates. A step is cut off at the faces [Bertsekas1982]. Every search has its own step length, so that none waits
for another: each evaluation is one trial of every active search.

A search ends when its next step promises less than `tolerance`. It is given up

* if it comes within `MERGE_DISTANCE` of a better one, because both would end at the same optimum;
* if `GAIN_FACTOR` times the gain that its next step promises would not reach the best value so far.

References
----------
[Bertsekas1982] D. P. Bertsekas. Projected Newton methods for optimization problems with simple constraints. SIAM
    Journal on Control and Optimization 20(2), 221-246, 1982.
[NocedalWright] J. Nocedal and S. J. Wright. Numerical optimization, 2nd edition, chapters 3, 6 and 16. Springer, 2006.
"""

from __future__ import annotations

import math

import numpy as np

from anchorpbo.numerics.jit import elements
from anchorpbo.numerics.tiering import jit_tiered
from anchorpbo.typing import Array, BoolArray, IntArray

FIRST_STEP_LENGTH = 0.1
"""Length of the first step, in the coordinate that moves most."""
MAX_BACKTRACKS = 12
"""Largest number of times a step is shortened before the search resets H, or ends."""
MERGE_DISTANCE = 0.01
"""Largest coordinate difference at which two searches count as one."""
GAIN_FACTOR = 10.0
"""Multiple of the expected gain of a step within which a search must reach the best value so far."""
_MIN_STEPS = 4
"""Number of steps after which the promised gain decides whether a search is given up."""
_MIN_SLOPE = 1e-300  # smaller slopes count as 0, so that a stride can be divided by the slope
_SUFFICIENT_DECREASE = 1e-4
"""Smallest accepted share of the decrease that the slope promises."""


class ProjectedBFGS:
    """Projected BFGS from starts, (n, p): evaluate the rows `active_rows` of `trial`, `tell`, and repeat.

    With `symmetric`, the order of the two halves of an item, such as the designs of a pair, (n, 2 d), does not matter.
    With `competing` false each search has a function of its own, and none is given up for another.
    """

    def __init__(self, starts: Array, tolerance: float, symmetric: bool, *, competing: bool = True) -> None:
        n, p = starts.shape
        self.trial: Array = starts.copy()
        """Points to evaluate next, (n, p)."""
        self.x: Array = starts.copy()
        """Best point of each search so far, (n, p)."""
        self.ended: BoolArray = np.zeros(n, dtype=np.bool_)
        """Whether each search has ended at a maximum, (n,)."""
        self._tolerance, self._symmetric, self._competing = tolerance, symmetric, competing
        self._live = np.ones(n, dtype=np.bool_)
        self._f = np.full(n, np.inf)
        self._g, self._direction = np.zeros((2, n, p))
        self._inverse = np.zeros((n, p, p))
        self._scratch = np.empty((p + 3, p))
        self._numbers = np.zeros((n, 3))
        """Step length, stride and promised gain of each search."""
        self._counts = np.zeros((n, 3), dtype=np.intp)
        """Number of steps in H, of steps taken, and of trials of the present step."""

    @property
    def active_rows(self) -> IntArray:
        """Row numbers of searches that need another trial."""
        return np.flatnonzero(self._live)

    @property
    def values(self) -> Array:
        """Values at x, (n,)."""
        return -self._f

    def tell(self, rows: IntArray, values: Array, gradient: Array) -> None:
        """Process the values, (k,), and gradients, (k, p), of the trials in these rows."""
        _advance(
            rows, -values, np.negative(gradient, order="C"), self.x, self._f, self._g, self.trial, self._direction,
            self._inverse, self._numbers, self._counts, self._live, self.ended, self._tolerance, self._scratch,
        )  # fmt: skip
        if self._competing and len(rows) > 1:
            _prune(rows, self.x, self._f, self._numbers, self._counts, self._live, self._symmetric)


@jit_tiered
def _advance(  # noqa: PLR0912, PLR0915
    rows: IntArray, new_f: Array, new_g: Array, x: Array, f: Array, g: Array, trial: Array, direction: Array,
    inverse: Array, numbers: Array, counts: IntArray, live: BoolArray, ended: BoolArray, tolerance: float,
    scratch: Array,
) -> None:  # fmt: skip
    """Accept or shorten each step, and set the next trials.

    This is one long function, because separate parts would double the compilation time.
    """
    p = x.shape[1]
    s, y, Hy, H = scratch[0], scratch[1], scratch[2], scratch[3:]
    for k in range(len(rows)):
        i = rows[k]
        rise, ss, sy, yy, longest = 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(p):
            s[c], y[c] = trial[i, c] - x[i, c], new_g[k, c] - g[i, c]
            rise += g[i, c] * s[c]
            ss += s[c] * s[c]
            sy += s[c] * y[c]
            yy += y[c] * y[c]
            longest = max(longest, abs(s[c]))
        first, turn, step = counts[i, 1] == 0, True, 1.0
        if first or new_f[k] <= f[i] + _SUFFICIENT_DECREASE * rise:
            f[i] = new_f[k]
            for c in range(p):
                x[i, c], g[i, c] = trial[i, c], new_g[k, c]
            numbers[i, 1] = FIRST_STEP_LENGTH if first else longest
            counts[i, 1] += 1
            counts[i, 2] = 0
            if not first and sy > 1e-8 * math.sqrt(ss * yy):
                # H <- (I - s y' / sy) H (I - y s' / sy) + s s' / sy, starting from a multiple of I.
                yHy = 0.0
                if counts[i, 0] == 0:
                    for a in range(p):
                        for b in elements(p):
                            inverse[i, a, b] = 0.0
                        inverse[i, a, a] = sy / yy
                for a in elements(p):
                    Hy[a] = 0.0
                for b in range(p):
                    for a in elements(p):
                        Hy[a] += inverse[i, a, b] * y[b]
                for a in range(p):
                    yHy += y[a] * Hy[a]
                for a in range(p):
                    for b in elements(p):
                        inverse[i, a, b] += ((1.0 + yHy / sy) * s[a] * s[b] - Hy[a] * s[b] - s[a] * Hy[b]) / sy
                counts[i, 0] += 1
            elif not first:
                # Negative curvature: reset H, and take a longer stride, as the maximum is further away.
                numbers[i, 1], counts[i, 0] = 2.0 * longest, 0
        elif counts[i, 2] + 1 < MAX_BACKTRACKS:
            # Minimum of the parabola through the known values and slope.
            step = numbers[i, 0] * min(max(-rise / (2.0 * (new_f[k] - f[i] - rise)), 0.1), 0.5)
            counts[i, 2] += 1
            turn = False
        elif counts[i, 0] > 0:
            numbers[i, 1], counts[i, 0], counts[i, 2] = 1e-3 * FIRST_STEP_LENGTH, 0, 0
        else:
            live[i] = False
        numbers[i, 0] = step
        while turn:
            # The direction -H g of the free coordinates, and the decrease that a full step promises to first order.
            known, steepest, promise = counts[i, 0] > 0, 0.0, 0.0
            for a in range(p):
                for b in elements(p):
                    H[a, b] = inverse[i, a, b] if known else 0.0
                if not known:
                    H[a, a] = 1.0
            for a in range(p):
                if (x[i, a] > 0.0 or g[i, a] < 0.0) and (x[i, a] < 1.0 or g[i, a] > 0.0):
                    steepest = max(steepest, abs(g[i, a]))
                    continue
                # Held: sweep it out, so that H is the inverse of the curvature in the other coordinates only.
                for b in range(p):
                    share = H[b, a] / H[a, a] if b != a else 0.0
                    for c in elements(p):
                        H[b, c] -= share * H[a, c]
                for b in elements(p):
                    H[a, b], H[b, a] = 0.0, 0.0
            for a in elements(p):
                direction[i, a] = 0.0
            for b in range(p):
                for a in elements(p):
                    direction[i, a] -= H[a, b] * g[i, b]
            for a in range(p):
                promise -= direction[i, a] * g[i, a]
            turn = known and not promise > 0.0
            if turn:
                counts[i, 0] = 0  # H gives no descent direction: retry without it
            else:
                # Without curvature: a stride downhill.
                stride = numbers[i, 1] / steepest if steepest > _MIN_SLOPE else 0.0
                for a in elements(p):
                    direction[i, a] *= 1.0 if known else stride
                numbers[i, 2] = promise * (1.0 if known else stride)
        if 0.5 * numbers[i, 2] < tolerance:
            live[i], ended[i] = False, True
        for c in range(p):
            trial[i, c] = min(max(x[i, c] + step * direction[i, c], 0.0), 1.0)


@jit_tiered
def _prune(
    rows: IntArray, x: Array, f: Array, numbers: Array, counts: IntArray, live: BoolArray, symmetric: bool
) -> None:
    """Give up searches that have merged with a better one or cannot reach the best value."""
    n, p = x.shape
    best = f[0]
    for j in range(1, n):
        best = min(best, f[j])
    for k in range(len(rows)):
        i = rows[k]
        if counts[i, 1] > _MIN_STEPS and f[i] - GAIN_FACTOR * numbers[i, 2] > best:
            live[i] = False
        for j in range(n):
            if f[j] < f[i] or (f[j] == f[i] and j < i):
                straight, swapped = 0.0, 0.0
                for c in range(p):
                    other = c + p // 2 if c < p // 2 else c - p // 2
                    straight = max(straight, abs(x[i, c] - x[j, c]))
                    swapped = max(swapped, abs(x[i, c] - x[j, other]))
                if straight < MERGE_DISTANCE or (symmetric and swapped < MERGE_DISTANCE):
                    live[i] = False
