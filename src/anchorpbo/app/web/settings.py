"""Settings of a server."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address

from anchorpbo.errors import InputError

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Settings:
    """Address, token and limits of a server.

    Parameters
    ----------
    host, port
        Address to listen on.
    token
        The owner's token. ``None`` is allowed on loopback only and makes everyone who reaches the server the owner,
        including other users of the machine and anyone behind a proxy on it.
    names
        Host names in addition to `host`; requests with any other ``Host`` header are rejected.
    ephemeral
        Whether all studies are deleted when the server stops.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    names: tuple[str, ...] = ()
    ephemeral: bool = False
    max_request_bytes: int = 2 * MEGABYTE
    max_anonymous_bytes: int = 10_000
    """Maximum size of a request body without authentication; enough for a token."""
    max_upload_bytes: int = 32 * MEGABYTE
    """Maximum size of a catalogue, an export or a table of comparisons; a clip has a limit of its own."""
    max_archive_bytes: int = 240 * MEGABYTE
    """Maximum size of an export with clips."""

    def __post_init__(self) -> None:
        # Another host name means that others can reach the server, such as through a proxy.
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
    """Return whether an address is reachable from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
