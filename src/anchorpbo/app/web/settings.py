"""How a server was started."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

from anchorpbo.errors import InputError

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Settings:
    """Where the server listens and what it lets in.

    Parameters
    ----------
    host, port
        Where it listens.
    token
        What its owner must know. ``None`` is allowed on loopback only, and makes all who reach it the owner: other
        users of the machine too, and strangers where a proxy on it passes requests on as if they were its own.
    names
        Names, beside `host`, by which people may call it: ``Host`` headers with any other are refused.
    ephemeral
        Whether all studies are deleted when it stops; its pages say so.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    names: tuple[str, ...] = ()
    ephemeral: bool = False
    largest_request: int = 2 * MEGABYTE
    largest_of_strangers: int = 10_000
    """Enough for a token, and for nothing else."""
    largest_upload: int = 32 * MEGABYTE
    """Of a catalogue, an export or a table of comparisons."""

    def __post_init__(self) -> None:
        # Another name means that others come by it, such as through a proxy.
        others = [name for name in (self.host, *self.names) if not is_loopback(name)]
        if others and not self.token:
            rule = "a server that others can reach must have a token"
            raise InputError(rule, f"none for {', '.join(others)}", "choose one, or listen on 127.0.0.1")

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
