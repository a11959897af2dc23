"""Linear or logarithmic scaling of a range of numbers to [0, 1], and back to exactly the same numbers.

    linear       u = (v - low) / (high - low)
    logarithmic  u = (log v - log low) / (log high - log low)

Both round, so several neighbouring doubles may share one coordinate: near 0 in a much wider range, or anywhere on a
logarithmic scale of several decades. Among them `decode` picks the number that is shortest to write. A number of up to
15 digits (counted from the leading digit of the range; 14 on a logarithmic scale of up to ten decades) shares its
coordinate with no other number of at most as many digits, so it is decoded exactly.
"""

import math
from dataclasses import dataclass

# Proposals are rounded to about this share of their range: finer than anybody can dose, and short to write.
READABLE_SHARE = 1e-4
_MIN_LOG_DIGITS = 5  # on a logarithmic scale, where shares of the range mean nothing; more if the range is narrow
_EXTRA_DECIMALS = 8  # further decimals, used if constraints leave too little room for the readable ones
_MAX_DIGITS = 17  # enough to distinguish any two doubles
_MAX_CORRECTIONS = 40


@dataclass(frozen=True)
class UnitScaling:
    """Scaling of the numbers from `low` to `high`, both finite, to [0, 1]."""

    low: float
    high: float
    log: bool = False
    """Whether the scale is logarithmic."""

    def encode(self, value: float) -> float:
        """Return the coordinate of a number; numbers beyond an end get the coordinate of that end."""
        if value <= self.low:
            return 0.0
        if value >= self.high:
            return 1.0
        if self.log:
            return (math.log(value) - math.log(self.low)) / self._span
        return (value - self.low) / self._span

    def decode(self, u: float) -> float:
        """Return the number with coordinate u that is shortest to write; if no number has it, that of a neighbour."""
        value = self._near(u)
        target = self.encode(value)
        if target in (0.0, 1.0):
            return self.high if target else self.low
        # No number of digits rounds 1e-17 to 0, although in a range of -1 to 1 both have the same coordinate.
        if self.low < 0.0 < self.high and self.encode(0.0) == target:
            return 0.0
        for digits in range(1, _MAX_DIGITS):
            short = float(f"{value:.{digits - 1}e}")
            if self.encode(short) == target:
                return short
        return value

    def readable(self, u: float) -> float:
        """Return the number near coordinate u that a person would write; the ends of the range are always possible."""
        value = self.decode(u)
        short = float(f"{value:.{self._digits - 1}e}") if self.log else round(value, self._decimals)
        return min(
            (number for number in (short, self.low, self.high) if self.low <= number <= self.high),
            key=lambda number: abs(number - value),
        )

    def readable_within(self, u: float, least: float, most: float) -> float:
        """Return `readable` between two coordinates, with more decimals if necessary; only for a linear scale."""
        slack = (self.high - self.low) * READABLE_SHARE * 10.0**-_EXTRA_DECIMALS
        least, most = self.low + least * self._span - slack, self.low + most * self._span + slack
        value = min(max(self.decode(u), least + slack), most - slack)
        for decimals in range(self._decimals, self._decimals + _EXTRA_DECIMALS + 1):
            short, step = round(value, decimals), 10.0**-decimals
            around = (short, round(short - step, decimals), round(short + step, decimals), self.low, self.high)
            fine = [number for number in around if self.low <= number <= self.high and least <= number <= most]
            if fine:
                return min(fine, key=lambda number: abs(number - value))
        return min(max(value, self.low), self.high)

    @property
    def _span(self) -> float:
        return math.log(self.high) - math.log(self.low) if self.log else self.high - self.low

    @property
    def _decimals(self) -> int:
        return math.ceil(-math.log10(READABLE_SHARE) - math.log10(self.high - self.low))

    @property
    def _digits(self) -> int:
        # In a range of 100 to 101, five digits would leave only 101 numbers to propose.
        narrow = math.log10(self.high) - math.log10(self.high - self.low)
        return min(max(_MIN_LOG_DIGITS, math.ceil(narrow - math.log10(READABLE_SHARE))), _MAX_DIGITS)

    def _near(self, u: float) -> float:
        """Return a number with coordinate u if there is one: a guess, corrected by the error of its coordinate."""
        u = min(max(u, 0.0), 1.0)
        value = math.exp(math.log(self.low) + u * self._span) if self.log else self.low + u * self._span
        value = min(max(value, self.low), self.high)
        for _ in range(_MAX_CORRECTIONS):
            miss = u - self.encode(value)
            if miss == 0.0:
                break
            better = value + miss * self._span * (value if self.log else 1.0)
            if better == value:
                better = math.nextafter(value, math.copysign(math.inf, miss))
            value = min(max(better, self.low), self.high)
        return value
