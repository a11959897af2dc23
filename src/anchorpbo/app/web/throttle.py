"""Rate limit on wrong tokens, by address and in total.

A wrong token adds one to a leaky bucket; while the bucket is full, further tokens have to wait:

    level(t) = max(0, level(t0) - rate (t - t0)),    wait = (level + 1 - burst) / rate

Right tokens add nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock

MAX_ADDRESSES = 10_000
"""Maximum number of addresses with their own limit; beyond it only the total limit applies."""


@dataclass(frozen=True)
class RateLimit:
    """A burst of wrong tokens, and the seconds until one more is allowed."""

    burst: int
    seconds: float


ADDRESS_LIMIT, TOTAL_LIMIT = RateLimit(10, 6.0), RateLimit(100, 1.0)


@dataclass
class _Bucket:
    limit: RateLimit
    level: float = 0.0
    at: float = 0.0

    def wait(self, now: float) -> float:
        """Return the seconds until one more token is allowed."""
        self.level, self.at = max(0.0, self.level - (now - self.at) / self.limit.seconds), now
        return max(0.0, (self.level + 1 - self.limit.burst) * self.limit.seconds)


class Throttle:
    """Rate limiter of wrong tokens. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._total = _Bucket(TOTAL_LIMIT)
        self._addresses: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, address: str) -> float:
        """Return the seconds until another token from this address is allowed."""
        with self._lock:
            now = self._clock()
            own = self._addresses.get(_network(address))
            return max(self._total.wait(now), 0.0 if own is None else own.wait(now))

    def count(self, address: str) -> None:
        """Count a wrong token."""
        with self._lock:
            now, network = self._clock(), _network(address)
            for bucket in (self._total, self._addresses.setdefault(network, _Bucket(ADDRESS_LIMIT))):
                bucket.wait(now)
                bucket.level += 1
            self._addresses.move_to_end(network)
            while len(self._addresses) > MAX_ADDRESSES:
                self._addresses.popitem(last=False)


def _network(address: str) -> str:
    """Return an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else str(found)
