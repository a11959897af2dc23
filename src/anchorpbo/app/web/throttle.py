"""Limits wrong tokens, by the address they come from and in total.

A wrong token fills a bucket, which empties at a constant rate; at a full one further tokens have to wait:

    level(t) = max(0, level(t0) - rate (t - t0)),    wait = (level + 1 - burst) / rate

Right tokens fill nothing, and nobody is shut out for longer than a bucket takes to have room for one more.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock

MOST_ADDRESSES = 10_000
"""Remembered; whoever has more of them meets the limit in total."""


@dataclass(frozen=True)
class Limit:
    """So many wrong tokens at once, and one more in so many seconds."""

    burst: int
    seconds: float


BY_ADDRESS, IN_TOTAL = Limit(10, 6.0), Limit(100, 1.0)


@dataclass
class _Bucket:
    limit: Limit
    level: float = 0.0
    at: float = 0.0

    def wait(self, now: float) -> float:
        """Seconds until there is room for one more."""
        self.level, self.at = max(0.0, self.level - (now - self.at) / self.limit.seconds), now
        return max(0.0, (self.level + 1 - self.limit.burst) * self.limit.seconds)


class Throttle:
    """Counts wrong tokens. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._total = _Bucket(IN_TOTAL)
        self._addresses: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, address: str) -> float:
        """Seconds until another token from this address is looked at; 0 where it is now."""
        with self._lock:
            now = self._clock()
            own = self._addresses.get(_network(address))
            return max(self._total.wait(now), 0.0 if own is None else own.wait(now))

    def count(self, address: str) -> None:
        """Note a wrong token."""
        with self._lock:
            now, network = self._clock(), _network(address)
            for bucket in (self._total, self._addresses.setdefault(network, _Bucket(BY_ADDRESS))):
                bucket.wait(now)
                bucket.level += 1
            self._addresses.move_to_end(network)
            while len(self._addresses) > MOST_ADDRESSES:
                self._addresses.popitem(last=False)


def _network(address: str) -> str:
    """What one sender has: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((found, 64), strict=False)) if isinstance(found, IPv6Address) else str(found)
