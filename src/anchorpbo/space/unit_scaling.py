"""Linear or logarithmic scaling of a range of numbers to [0, 1], and back to the very same numbers.

    even         u = (v - low) / (high - low)
    logarithmic  u = (log v - log low) / (log high - log low)

Both lose a little to rounding, so several neighbouring doubles may share one coordinate: near 0 in a range that is
much wider, or anywhere on a logarithmic scale of several decades. Of these `decode` picks the one that is shortest to
write. A number of up to 15 digits (counted from the leading digit of the range; 14 on a logarithmic scale of up to ten
decades) has a coordinate that it shares with no other of so few digits, and thus comes back exactly.
"""

import math
from dataclasses import dataclass

# A proposal is rounded to about this part of its range: finer than anybody can dose, and short to write.
READABLE_SHARE = 1e-4
_MIN_LOG_DIGITS = 5  # on a logarithmic scale, where parts of the range mean nothing; more if that is narrow
_EXTRA_DECIMALS = 8  # decimals beyond the readable ones where constraints leave less room than those need
_MAX_DIGITS = 17  # tell any two doubles apart
_MAX_CORRECTIONS = 40


@dataclass(frozen=True)
class UnitScaling:
    """Scaling of the numbers from `low` to `high`, both finite, to [0, 1]."""

    low: float
    high: float
    log: bool = False
    """Whether coordinates follow the logarithm."""

    def encode(self, value: float) -> float:
        """Coordinate of a number; those beyond an end have the coordinate of that end."""
        if value <= self.low:
            return 0.0
        if value >= self.high:
            return 1.0
        if self.log:
            return (math.log(value) - math.log(self.low)) / self._span
        return (value - self.low) / self._span

    def decode(self, u: float) -> float:
        """The number with coordinate u that is shortest to write; where none has it, a neighbour's."""
        value = self._near(u)
        target = self.encode(value)
        if target in (0.0, 1.0):
            return self.high if target else self.low
        # No number of digits rounds 1e-17 to 0, though in a range of -1 to 1 both have one coordinate.
        if self.low < 0.0 < self.high and self.encode(0.0) == target:
            return 0.0
        for digits in range(1, _MAX_DIGITS):
            short = float(f"{value:.{digits - 1}e}")
            if self.encode(short) == target:
                return short
        return value

    def readable(self, u: float) -> float:
        """The number near coordinate u that a person would write; the ends of the range are always among them."""
        value = self.decode(u)
        short = float(f"{value:.{self._digits - 1}e}") if self.log else round(value, self._decimals)
        return min(
            (number for number in (short, self.low, self.high) if self.low <= number <= self.high),
            key=lambda number: abs(number - value),
        )

    def readable_within(self, u: float, least: float, most: float) -> float:
        """The same between two coordinates, with more decimals where there is too little room; an even scale only."""
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
        # From 100 to 101 the fifth digit would leave 101 numbers to propose.
        narrow = math.log10(self.high) - math.log10(self.high - self.low)
        return min(max(_MIN_LOG_DIGITS, math.ceil(narrow - math.log10(READABLE_SHARE))), _MAX_DIGITS)

    def _near(self, u: float) -> float:
        """A number with coordinate u if there is one: a first guess, corrected by what its coordinate misses."""
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
