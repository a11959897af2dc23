"""Who is asking, and what they may do.

::

    owner         whoever knows the token, by a header or, after signing in, a cookie; everyone where there is no token
    participant   whoever came by a signed link, for one name in one study; the owner has no link

A cookie holds a signature and never the token itself. Wrong tokens are limited, see `throttle.py`: beyond
the limit a token is not even looked at, unless the right one is so long that nobody can guess it. Then the right one
lets in at any time, so that nobody can keep the owner out by sending wrong ones. A code that is valid once and for a
minute signs in the browser that is opened when the server starts: how a browser was called is no secret.
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
_A_MONTH = 30 * 24 * 3600
_OLD_PARTS = 3
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


GONE = "this link no longer lets you in; ask the owner of the study for another"
ACCESS = "anchorpbo.access"
"""Where a request's scope holds who is asking, as `Gate.access` found out."""
UNGUESSABLE = 32
"""Characters of a token that nobody can guess, however often they try."""
CODE_VALID = 60.0
"""Seconds for which a code that signs in once is valid."""


class ThrottledError(Exception):
    """Too many wrong tokens came."""

    def __init__(self, wait: float) -> None:
        self.seconds = max(1, math.ceil(wait))
        time = "a second" if self.seconds == 1 else f"{self.seconds} seconds"
        super().__init__(f"too many wrong tokens came; wait {time}, then try again")

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the 429 response."""
        return {"Retry-After": str(self.seconds)}


@dataclass(frozen=True)
class Access:
    """What a request may do: everything, or one participant's part in one study."""

    study: str | None = None
    participant: str | None = None
    link: int = 0
    """Which of their links a participant came by, see `anchorpbo.app.service.memberships`."""

    @property
    def is_owner(self) -> bool:
        """Whether everything is allowed."""
        return self.study is None

    def as_owner(self) -> None:
        """Raise unless everything is allowed."""
        if not self.is_owner:
            raise HTTPException(403, "only the owner of the studies may do this; ask them")

    def to(self, study: str, participant: str | None = None) -> None:
        """Raise unless this participant's part, or with none any part, of a study is open to them."""
        if not self.is_owner and (study != self.study or participant not in (None, self.participant)):
            raise HTTPException(403, "your link is for one name in one study; ask the owner for another")

    def acting(self, study: str, *named: str | None) -> str:
        """Whose part of a study a request is about, wherever it names them; by default their own, or the owner's."""
        names = {name for name in named if name is not None}
        if len(names) > 1:
            rule = "a request must name one participant, in its address or in its body"
            raise InputError(rule, " and ".join(map(repr, sorted(names))), "leave one of them out")
        participant = next(iter(names), self.participant or OWNER)
        self.to(study, participant)
        return participant


class Gate:
    """Authenticates requests."""

    def __init__(self, settings: Settings, signer: Signer, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings, self.signer, self.throttle, self.clock = settings, signer, Throttle(), clock
        self._code, self._code_until, self._lock = "", 0.0, Lock()
        # Cookies do not know ports: servers on one machine have names of their own for them.
        own = signer.sign("cookie")[:8]
        self.owner_cookie, self.participant_cookie = f"anchorpbo_{own}_owner", f"anchorpbo_{own}_part_"

    def access(self, connection: HTTPConnection) -> Access | None:
        """Authenticate a request; ``None`` for a stranger. Raises `ThrottledError` after too many wrong tokens."""
        if self.settings.token is None:
            return Access()
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.check_token(given.strip(), connection):
            return Access()
        cookie = connection.cookies.get(self.owner_cookie, "")
        if cookie and self.signer.verify(cookie, "owner", self.settings.token):
            return Access()
        # One for each study that someone takes part in: that of the study asked about, else any.
        parts = [value for name, value in connection.cookies.items() if name.startswith(self.participant_cookie)]
        known = [access for access in map(self._participant, parts) if access is not None]
        asked = _STUDY.match(connection.scope["path"])
        return next((access for access in known if asked and access.study == asked[1]), known[0] if known else None)

    def check_token(self, token: str, connection: HTTPConnection) -> bool:
        """Compare a token with the owner's, and count a wrong one. Raises `ThrottledError` after too many."""
        own = self.settings.token or ""
        return self._check(connection, lambda: _are_equal(own, token), is_guessable=len(own) < UNGUESSABLE)

    def check_code(self, code: str, connection: HTTPConnection) -> bool:
        """Use up a code of `make_code`; a wrong, used or expired one counts as a wrong token."""
        return self._check(connection, lambda: self._use_up(code), is_guessable=False)

    def make_code(self) -> str:
        """Make a code that signs the owner in once, within `CODE_VALID` seconds, in place of the one before."""
        with self._lock:
            self._code, self._code_until = secrets.token_urlsafe(32), self.clock() + CODE_VALID
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

    def _use_up(self, code: str) -> bool:
        with self._lock:
            is_valid = _are_equal(self._code, code) and self.clock() <= self._code_until
            if is_valid:
                self._code = ""
            return is_valid

    def sign_in(self, response: Response) -> None:
        """Let whoever gets this response in as the owner."""
        self._set(response, self.owner_cookie, self.signer.sign("owner", self.settings.token or ""), "strict")

    def join(self, response: Response, study: str, participant: str, link: int = 0) -> None:
        """Let whoever gets this response in as a participant who came by this one of their links."""
        # In hexadecimal, as a name may hold what a cookie cannot.
        name = participant.encode("utf-8", "surrogatepass").hex()
        value = f"{study}.{name}.{link}.{self._signed('part', study, participant, link)}"
        # Lax, as the link may be in a mail, which is another site; whatever changes something is guarded anyway.
        self._set(response, f"{self.participant_cookie}{study}", value, "lax")

    def link(self, study: str, participant: str, number: int = 0) -> str | None:
        """The path of a participant's link, the first or a later one; the owner signs in and has none."""
        if participant == OWNER:
            return None
        name = participant.encode("utf-8", "surrogatepass").hex()
        return f"/join/{study}/{name}/{self._signed('link', study, participant, number)}"

    def is_link(self, study: str, participant: str, signature: str, number: int = 0) -> bool:
        """Whether this link lets a participant in."""
        made = self._signed("link", study, participant, number)
        return participant != OWNER and hmac.compare_digest(made.encode(), signature.encode("utf-8", "surrogatepass"))

    def _signed(self, what: str, study: str, participant: str, link: int) -> str:
        # The first link, which most people have, is signed as it was before there were others.
        return self.signer.sign(what, study, participant, *([str(link)] if link else []))

    def _participant(self, cookie: str) -> Access | None:
        parts = cookie.split(".")
        if len(parts) == _OLD_PARTS:  # of an earlier release
            parts.insert(2, "0")
        if len(parts) != _OLD_PARTS + 1 or not parts[0] or not _COUNT.fullmatch(parts[2]):
            return None
        study, name, link, signature = parts
        try:
            participant = bytes.fromhex(name).decode("utf-8", "surrogatepass")
        except ValueError:
            return None
        made = self._signed("part", study, participant, int(link))
        known = hmac.compare_digest(made.encode(), signature.encode("utf-8", "surrogatepass"))
        # Earlier releases gave the owner a link too, which nobody could take back.
        return Access(study, participant, int(link)) if known and participant != OWNER else None

    @staticmethod
    def _set(response: Response, name: str, value: str, same_site: Literal["lax", "strict"]) -> None:
        response.set_cookie(name, value, max_age=_A_MONTH, httponly=True, samesite=same_site, path="/")


def _are_equal(secret: str, given: str) -> bool:
    """Compare in constant time; nothing equals an empty secret."""
    return bool(secret) and hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))


def has_access(studies: StudyService, access: Access) -> bool:
    """Whether someone who came by a link still takes part, and by this link."""
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
        raise HTTPException(403, GONE)
    return found


WhoAsks = Annotated[Access, Depends(_access)]
"""In the signature of a route: who is asking; 401 for someone unknown."""
