"""Who is asking, and what they may do.

::

    owner         on loopback everyone; elsewhere whoever knows the token, by a header or, after signing in, a cookie
    participant   whoever came by a signed link, for one name in one study

A cookie holds a signature and never the token itself.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from anchorpbo.errors import InputError
from anchorpbo.service.links import Signer
from anchorpbo.study.journal import OWNER
from anchorpbo.web.settings import Settings

_STUDY = re.compile(r"(?:/api)?/studies/([^/]+)")
_A_MONTH = 30 * 24 * 3600
_OLD_PARTS = 3
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)


GONE = "this link no longer lets you in; ask the owner of the study for another"


@dataclass(frozen=True)
class Access:
    """What a request may do: everything, or one participant's part in one study."""

    study: str | None = None
    participant: str | None = None
    link: int = 0
    """Which of their links a participant came by, see `anchorpbo.service.people`."""

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
    """Tells who is asking."""

    def __init__(self, settings: Settings, signer: Signer) -> None:
        self.settings, self.signer = settings, signer
        # Cookies do not know ports: servers on one machine have names of their own for them.
        own = signer.sign("cookie")[:8]
        self.owner_cookie, self.participant_cookie = f"anchorpbo_{own}_owner", f"anchorpbo_{own}_part_"

    def access(self, connection: HTTPConnection) -> Access | None:
        """What a request may do; ``None`` for someone unknown."""
        if self.settings.token is None:
            return Access()
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.knows(given.strip()):
            return Access()
        cookie = connection.cookies.get(self.owner_cookie, "")
        if cookie and self.signer.verify(cookie, "owner", self.settings.token):
            return Access()
        # One for each study that someone takes part in: that of the study asked about, else any.
        parts = [value for name, value in connection.cookies.items() if name.startswith(self.participant_cookie)]
        known = [access for access in map(self._participant, parts) if access is not None]
        asked = _STUDY.match(connection.scope["path"])
        return next((access for access in known if asked and access.study == asked[1]), known[0] if known else None)

    def knows(self, token: str) -> bool:
        """Whether this is the token."""
        own = self.settings.token or ""
        return bool(own) and hmac.compare_digest(own.encode(), token.encode("utf-8", "surrogatepass"))

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

    def link(self, study: str, participant: str, number: int = 0) -> str:
        """The path of a participant's link, the first or a later one."""
        name = participant.encode("utf-8", "surrogatepass").hex()
        return f"/join/{study}/{name}/{self._signed('link', study, participant, number)}"

    def is_link(self, study: str, participant: str, signature: str, number: int = 0) -> bool:
        """Whether this link was made here."""
        made = self._signed("link", study, participant, number)
        return hmac.compare_digest(made.encode(), signature.encode("utf-8", "surrogatepass"))

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
        return Access(study, participant, int(link)) if known else None

    @staticmethod
    def _set(response: Response, name: str, value: str, same_site: Literal["lax", "strict"]) -> None:
        response.set_cookie(name, value, max_age=_A_MONTH, httponly=True, samesite=same_site, path="/")


def _access(request: Request) -> Access:
    found: Access | None = request.app.state.gate.access(request)
    if found is None:
        detail = "sign in first: send the token that the server printed"
        raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
    if found.study is not None and found.participant is not None:
        standing = request.app.state.studies.people.standing(found.study, found.participant)
        if not standing.present or standing.link != found.link:
            raise HTTPException(403, GONE)
    return found


WhoAsks = Annotated[Access, Depends(_access)]
"""In the signature of a route: who is asking; 401 for someone unknown."""
