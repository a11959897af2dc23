"""How a server was started."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Settings:
    """Where the server listens and what it lets in.

    Parameters
    ----------
    host, port
        Where it listens.
    token
        What its owner must know. ``None`` is allowed on loopback only, where all who can reach it are the owner.
    names
        Names, beside `host`, by which people may call it: ``Host`` headers with any other are refused.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    names: tuple[str, ...] = ()
    largest_request: int = 2 * MEGABYTE
    largest_upload: int = 32 * MEGABYTE
    """Of a catalogue, an export or a table of comparisons."""

    @property
    def known_names(self) -> frozenset[str]:
        """Host names that requests may carry."""
        own = {"localhost", "127.0.0.1", "::1"} if is_loopback(self.host) or self.host in ("0.0.0.0", "::") else set()
        return frozenset(own | {self.host.lower(), *(name.lower() for name in self.names)})


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
