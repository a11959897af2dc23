"""What every request goes through before anything reads it, and every response on its way out.

* ``Host`` must be a name of this server: else a page elsewhere could reach it under a name of its own (DNS rebinding).
* A request that changes something must not come from another site's page.
* Failed sign-ins are rate-limited. The caller is authenticated once, and the result is stored in the scope.
* A body must not be larger than its route takes.
* Responses say what a browser may load: nothing from anywhere else. Cookies given over https go back over https only.

It is the outermost layer of the app, so that this holds for every response, also of an error that nobody foresaw.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anchorpbo.app.web.access import ACCESS, Access, Gate, ThrottledError
from anchorpbo.app.web.problems import problem

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
UPLOADS = re.compile(r"/api/(studies|studies/import|studies/check|catalogue|studies/[^/]+/comparisons)/?")
"""Routes that take large bodies."""
_MOST_DIGITS = 18
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""Headers that a proxy adds."""
_HOST = re.compile(r"(?P<name>[\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?", re.ASCII)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",  # links are secrets
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self.app, self.gate, self.settings = app, gate, gate.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def leave(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
                if scope.get("scheme") == "https":
                    message["headers"] = [_secured(name, value) for name, value in message["headers"]]
            await send(message)

        headers, method = Headers(scope=scope), scope["method"]
        host = headers.get("host", "")
        if _name(host) not in self.settings.known_names:
            detail = "this server does not go by that name; start it with --name to add one"
            await problem(421, detail)(scope, receive, leave)
        elif method not in SAFE and _from_elsewhere(headers, host):
            await problem(403, "a page of another site must not change anything here")(scope, receive, leave)
        elif self.settings.token is None and any(name in headers for name in FORWARDED):
            detail = "behind a proxy everyone would be the owner; start the server without --no-token, and with --name"
            await problem(403, detail)(scope, receive, leave)
        else:
            try:
                scope[ACCESS] = self.gate.access(HTTPConnection(scope))
            except ThrottledError as refusal:
                response = problem(429, str(refusal))
                response.headers.update(refusal.headers)
                await response(scope, receive, leave)
                return
            body = _Body(receive, self._limit(scope))
            if body.announced_too_much(headers):
                await body.refusal()(scope, receive, leave)
            else:
                await self._run(scope, body, leave)

    def _limit(self, scope: Scope) -> int:
        """Bytes that a request may have: a body is read before its route asks who sent it."""
        access: Access | None = scope[ACCESS]
        if access is None:
            return self.settings.largest_of_strangers
        is_upload = access.is_owner and UPLOADS.fullmatch(scope["path"]) is not None
        return self.settings.largest_upload if is_upload else self.settings.largest_request

    async def _run(self, scope: Scope, body: _Body, leave: Send) -> None:
        started = refused = False

        async def note(message: Message) -> None:
            # Whoever read the body may have taken its end for a broken one, and answered so.
            nonlocal started, refused
            if body.went_on and not started:
                refused = True
                return
            started = True
            await leave(message)

        try:
            await self.app(scope, body.receive, note)
        except TooLargeError:
            if started:
                raise
            refused = True
        if refused:
            await body.refusal()(scope, body.receive, leave)


class TooLargeError(Exception):
    """A body went on for too long."""


class _Body:
    """Counts what comes in."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._limit, self._read = receive, limit, 0
        self.went_on = False
        """Beyond what is allowed."""

    def announced_too_much(self, headers: Headers) -> bool:
        length = headers.get("content-length", "0")
        return not length.isdecimal() or len(length) > _MOST_DIGITS or int(length) > self._limit

    def refusal(self) -> Response:
        return problem(413, f"a request must not be larger than {self._limit / 1e6:g} MB; send less, or in parts")

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            if self._read > self._limit:
                self.went_on = True
                raise TooLargeError
        return message


def _secured(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """A header; of a cookie, one that keeps it from going back without https."""
    is_open = name.lower() == b"set-cookie" and b"; secure" not in value.lower()
    return name, value + b"; Secure" if is_open else value


def _name(host: str) -> str:
    """A Host header without its port; nothing where it is more than a name and a port."""
    found = _HOST.fullmatch(host)
    return "" if found is None else found["name"].strip("[]").lower()


def _from_elsewhere(headers: Headers, host: str) -> bool:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:  # no page can change this one; and a form of ours has no origin, as links must not leak
        return site not in ("same-origin", "none")
    try:
        return origin is not None and urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:
        return True
