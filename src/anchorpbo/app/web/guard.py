"""Middleware that checks every request and adds security headers to every response.

* ``Host`` must be a known name of this server, against DNS rebinding.
* A request that changes something must not come from another site's page (CSRF).
* Failed sign-ins are rate-limited. The caller is authenticated once, and the result is stored in the scope.
* A body must not exceed the limit of its route.
* The content security policy allows nothing from other sites. Cookies set over https are marked ``Secure``.

The guard is the outermost layer of the app, so that it also covers unexpected errors.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anchorpbo.app.web.access import ACCESS, Access, Authenticator, ThrottledError
from anchorpbo.app.web.problem_details import make_problem

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
UPLOADS = re.compile(r"/api/(studies|studies/import|studies/check|catalogue|studies/[^/]+/(comparisons|clips/[^/]+))/?")
"""Routes that accept large bodies."""
ARCHIVE = "/api/studies/import/archive"
_MAX_DIGITS = 18
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""Headers that a proxy adds."""
_HOST = re.compile(r"(?P<name>[\w.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?", re.ASCII)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
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
    """ASGI middleware that checks requests and adds security headers."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self.app, self.authenticator, self.settings = app, authenticator, authenticator.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or reject it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith("/static/"):
                    headers.setdefault("Cache-Control", "no-store")
                if scope.get("scheme") == "https":
                    message["headers"] = [_add_secure_flag(name, value) for name, value in message["headers"]]
            await send(message)

        headers, method = Headers(scope=scope), scope["method"]
        host = headers.get("host", "")
        if _parse_host(host) not in self.settings.known_names:
            detail = "this server does not have that host name; start it with --name to add it"
            await make_problem(421, detail)(scope, receive, send_guarded)
        elif method not in SAFE and _is_cross_site(headers, host):
            await make_problem(403, "a page of another site must not change anything here")(
                scope, receive, send_guarded
            )
        elif self.settings.token is None and any(name in headers for name in FORWARDED):
            detail = "behind a proxy everyone would be the owner; start the server without --no-token, and with --name"
            await make_problem(403, detail)(scope, receive, send_guarded)
        else:
            try:
                scope[ACCESS] = self.authenticator.authenticate(HTTPConnection(scope))
            except ThrottledError as refusal:
                response = make_problem(429, str(refusal))
                response.headers.update(refusal.headers)
                await response(scope, receive, send_guarded)
                return
            body = _Body(receive, self._limit(scope))
            if body.declares_too_much(headers):
                await body.refusal()(scope, receive, send_guarded)
            else:
                await self._run(scope, body, send_guarded)

    def _limit(self, scope: Scope) -> int:
        """Return the size limit of a request body, which is read before its route checks the caller."""
        access: Access | None = scope[ACCESS]
        if access is None:
            return self.settings.max_anonymous_bytes
        if access.is_owner and scope["path"] == ARCHIVE:
            return self.settings.max_archive_bytes
        is_upload = access.is_owner and UPLOADS.fullmatch(scope["path"]) is not None
        return self.settings.max_upload_bytes if is_upload else self.settings.max_request_bytes

    async def _run(self, scope: Scope, body: _Body, send_guarded: Send) -> None:
        started = refused = False

        async def send_unless_refused(message: Message) -> None:
            # The route may have taken the truncated body for an invalid one and responded already.
            nonlocal started, refused
            if body.is_too_large and not started:
                refused = True
                return
            started = True
            await send_guarded(message)

        try:
            await self.app(scope, body.receive, send_unless_refused)
        except TooLargeError:
            if started:
                raise
            refused = True
        if refused:
            await body.refusal()(scope, body.receive, send_guarded)


class TooLargeError(Exception):
    """A body exceeds its size limit."""


class _Body:
    """A request body with a size limit."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._limit, self._read = receive, limit, 0
        self.is_too_large = False
        """Whether the limit was exceeded."""

    def declares_too_much(self, headers: Headers) -> bool:
        length = headers.get("content-length", "0")
        return not length.isdecimal() or len(length) > _MAX_DIGITS or int(length) > self._limit

    def refusal(self) -> Response:
        return make_problem(413, f"a request must have at most {self._limit / 1e6:g} MB; send less, or in parts")

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._read += len(message.get("body", b""))
            if self._read > self._limit:
                self.is_too_large = True
                raise TooLargeError
        return message


def _add_secure_flag(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Add ``Secure`` to a Set-Cookie header; other headers are returned unchanged."""
    is_open = name.lower() == b"set-cookie" and b"; secure" not in value.lower()
    return name, value + b"; Secure" if is_open else value


def _parse_host(host: str) -> str:
    """Return the host name of a Host header without its port; empty if it is malformed."""
    found = _HOST.fullmatch(host)
    return "" if found is None else found["name"].strip("[]").lower()


def _is_cross_site(headers: Headers, host: str) -> bool:
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:  # set by the browser; our own forms send no Origin because of the referrer policy
        return site not in ("same-origin", "none")
    try:
        return origin is not None and urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:
        return True
