"""Authentication and access: owner or participant.

::

    owner         sends the token in a header or, after signing in, a cookie; without a token everyone is the owner
    participant   opened a signed link, which is for one participant in one study

A cookie holds a signature, never the token. Wrong tokens are rate-limited, see `throttle.py`: above the limit tokens
are rejected without comparison, unless the right one is too long to be guessed. The right one is then always accepted,
so that an attacker cannot lock the owner out. The browser that the server opens at its start signs in with a single-use
code, since other users of the machine can see its command line.
"""

from __future__ import annotations

import hmac
import math
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Literal

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from anchorpbo.app.service import StudyService
from anchorpbo.app.service.links import Signer
from anchorpbo.app.storage.journal import OWNER
from anchorpbo.app.web.settings import Settings
from anchorpbo.app.web.throttle import Throttle
from anchorpbo.errors import InputError

_STUDY = re.compile(r"(?:/api)?/studies/([^/]+)")
_COOKIE_SECONDS = 30 * 24 * 3600
_OLD_PARTS = 3
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


REVOKED_LINK = "this link is no longer valid; ask the owner of the study for a new one"
ACCESS = "anchorpbo.access"
"""Key of the scope that holds the `Access` of a request."""
MIN_UNGUESSABLE_LENGTH = 32
"""Length from which a token cannot be guessed."""
CODE_SECONDS = 60.0
"""Seconds for which a single-use code is valid."""


class ThrottledError(Exception):
    """Too many wrong tokens were received."""

    def __init__(self, wait: float) -> None:
        self.seconds = max(1, math.ceil(wait))
        time = "a second" if self.seconds == 1 else f"{self.seconds} seconds"
        super().__init__(f"too many wrong tokens were received; wait {time}, then try again")

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the 429 response."""
        return {"Retry-After": str(self.seconds)}


@dataclass(frozen=True)
class Access:
    """Rights of a request: everything, or one participant's part of one study."""

    study: str | None = None
    participant: str | None = None
    link: int = 0
    """Index of the link that the participant used, see `anchorpbo.app.service.memberships`."""

    @property
    def is_owner(self) -> bool:
        """Whether the request may do everything."""
        return self.study is None

    def require_owner(self) -> None:
        """Raise 403 unless the caller is the owner."""
        if not self.is_owner:
            raise HTTPException(403, "only the owner of the studies may do this; ask them")

    def require_study(self, study: str, participant: str | None = None) -> None:
        """Raise 403 unless the caller may access a study, and the part of this participant if one is given."""
        if not self.is_owner and (study != self.study or participant not in (None, self.participant)):
            raise HTTPException(403, "your link is for one participant in one study; ask the owner for another")

    def resolve_participant(self, study: str, *named: str | None) -> str:
        """Return the participant that a request is about; by default the caller or, for the owner, ``owner``."""
        names = {name for name in named if name is not None}
        if len(names) > 1:
            rule = "a request must name one participant, in its address or in its body"
            raise InputError(rule, " and ".join(map(repr, sorted(names))), "leave one of them out")
        participant = next(iter(names), self.participant or OWNER)
        self.require_study(study, participant)
        return participant


class Authenticator:
    """Authenticator of requests."""

    def __init__(self, settings: Settings, signer: Signer, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings, self.signer, self.throttle, self.clock = settings, signer, Throttle(), clock
        self._code, self._code_until, self._lock = "", 0.0, Lock()
        # Cookies ignore ports: servers on one machine need different cookie names.
        own = signer.sign("cookie")[:8]
        self.owner_cookie, self.participant_cookie = f"anchorpbo_{own}_owner", f"anchorpbo_{own}_part_"

    def authenticate(self, connection: HTTPConnection) -> Access | None:
        """Authenticate a request; ``None`` for a stranger. Raises `ThrottledError` after too many wrong tokens."""
        if self.settings.token is None:
            return Access()
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.check_token(given.strip(), connection):
            return Access()
        cookie = connection.cookies.get(self.owner_cookie, "")
        if cookie and self.signer.verify(cookie, "owner", self.settings.token):
            return Access()
        # One cookie per study: the one of the requested study, else any.
        parts = [value for name, value in connection.cookies.items() if name.startswith(self.participant_cookie)]
        known = [access for access in map(self._read_cookie, parts) if access is not None]
        asked = _STUDY.match(connection.scope["path"])
        return next((access for access in known if asked and access.study == asked[1]), known[0] if known else None)

    def check_token(self, token: str, connection: HTTPConnection) -> bool:
        """Compare a token with the owner's, and count a wrong one. Raises `ThrottledError` after too many."""
        own = self.settings.token or ""
        return self._check(connection, lambda: _are_equal(own, token), is_guessable=len(own) < MIN_UNGUESSABLE_LENGTH)

    def check_code(self, code: str, connection: HTTPConnection) -> bool:
        """Use up a code of `make_code`; a wrong, used or expired one counts as a wrong token."""
        return self._check(connection, lambda: self._redeem_code(code), is_guessable=False)

    def make_code(self) -> str:
        """Return a single-use code that signs the owner in within `CODE_SECONDS`; it replaces the previous code."""
        with self._lock:
            self._code, self._code_until = secrets.token_urlsafe(32), self.clock() + CODE_SECONDS
            return self._code

    def _check(self, connection: HTTPConnection, is_right: Callable[[], bool], *, is_guessable: bool) -> bool:
        address = connection.client.host if connection.client else ""
        wait = self.throttle.wait(address)
        if wait and is_guessable:
            raise ThrottledError(wait)
        if is_right():
            return True
        if wait:
            raise ThrottledError(wait)
        self.throttle.count(address)
        return False

    def _redeem_code(self, code: str) -> bool:
        with self._lock:
            is_valid = _are_equal(self._code, code) and self.clock() <= self._code_until
            if is_valid:
                self._code = ""
            return is_valid

    def sign_in(self, response: Response) -> None:
        """Set the owner's cookie."""
        self._set(response, self.owner_cookie, self.signer.sign("owner", self.settings.token or ""), "strict")

    def join(self, response: Response, study: str, participant: str, link: int = 0) -> None:
        """Set the cookie of a participant who used their link with this index."""
        # In hexadecimal, as a name may contain characters that a cookie cannot.
        name = participant.encode("utf-8", "surrogatepass").hex()
        value = f"{study}.{name}.{link}.{self._sign_participant('part', study, participant, link)}"
        # Lax, since the link may be opened from a mail; the guard rejects cross-site changes anyway.
        self._set(response, f"{self.participant_cookie}{study}", value, "lax")

    def link(self, study: str, participant: str, number: int = 0) -> str | None:
        """Return the path of a participant's link; ``None`` for the owner, who signs in."""
        if participant == OWNER:
            return None
        name = participant.encode("utf-8", "surrogatepass").hex()
        return f"/join/{study}/{name}/{self._sign_participant('link', study, participant, number)}"

    def verify_link(self, study: str, participant: str, signature: str, number: int = 0) -> bool:
        """Return whether a link is valid."""
        made = self._sign_participant("link", study, participant, number)
        return participant != OWNER and hmac.compare_digest(made.encode(), signature.encode("utf-8", "surrogatepass"))

    def _sign_participant(self, what: str, study: str, participant: str, link: int) -> str:
        # The first link is signed as in earlier releases, which had only one.
        return self.signer.sign(what, study, participant, *([str(link)] if link else []))

    def _read_cookie(self, cookie: str) -> Access | None:
        parts = cookie.split(".")
        if len(parts) == _OLD_PARTS:  # a cookie of an earlier release
            parts.insert(2, "0")
        if len(parts) != _OLD_PARTS + 1 or not parts[0] or not _COUNT.fullmatch(parts[2]):
            return None
        study, name, link, signature = parts
        try:
            participant = bytes.fromhex(name).decode("utf-8", "surrogatepass")
        except ValueError:
            return None
        made = self._sign_participant("part", study, participant, int(link))
        known = hmac.compare_digest(made.encode(), signature.encode("utf-8", "surrogatepass"))
        # Earlier releases also gave the owner a link, which could not be revoked.
        return Access(study, participant, int(link)) if known and participant != OWNER else None

    @staticmethod
    def _set(response: Response, name: str, value: str, same_site: Literal["lax", "strict"]) -> None:
        response.set_cookie(name, value, max_age=_COOKIE_SECONDS, httponly=True, samesite=same_site, path="/")


def _are_equal(secret: str, given: str) -> bool:
    """Compare in constant time; nothing equals an empty secret."""
    return bool(secret) and hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))


def has_access(studies: StudyService, access: Access) -> bool:
    """Return whether a participant has not been removed and their link has not been revoked."""
    if access.study is None or access.participant is None:
        return True
    standing = studies.memberships.get(access.study, access.participant)
    return standing.active and standing.link == access.link


def _access(request: Request) -> Access:
    found: Access | None = request.scope[ACCESS]
    if found is None:
        detail = "sign in first: send the token that the server printed"
        raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
    if not has_access(request.app.state.studies, found):
        raise HTTPException(403, REVOKED_LINK)
    return found


CurrentAccess = Annotated[Access, Depends(_access)]
"""Dependency of a route: the caller's access; 401 without one."""
