"""Who is let in: every request is looked at before anything knows what it asks for.

A request must name this machine as its host, come from a page of ours if it changes anything, and carry the token of
the printed link, which becomes a cookie with the first request. Every answer, a refusal too, carries headers under
which a page can load nothing from elsewhere and nobody can keep or frame it.
"""

from __future__ import annotations

import hmac
import sys
import traceback
from collections.abc import Collection
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "token"
LARGEST = 4 << 20  # bytes of a form
POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    # not no-referrer: under it a browser hides where a form of ours comes from
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_READING = ("GET", "HEAD")
_ENTERED = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=/">
<title>microveil</title>
<main><h1>microveil</h1><p><a href="/">Go on to the pages</a></p></main>
</html>
"""


class Guard:
    """The door of the app: `hosts` are the names it answers to, with their port, under `scheme`."""

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str], scheme: str = "http") -> None:
        self._app, self._token, self._hosts, self._scheme = app, token, frozenset(hosts), scheme
        # browsers share cookies between the ports of a host: each app has its own
        self.cookie = "microveil-" + "-".join(sorted({host.rpartition(":")[2] for host in hosts}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, let in, or hand on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = self._refusal(scope) or self._let_in(scope)
        try:
            await (answer or self._app)(scope, receive, _with_headers(send))
        except Exception as problem:  # noqa: BLE001 - it was answered by then; what it says may hold data
            where = "".join(traceback.format_tb(problem.__traceback__))
            sys.stderr.write(f"microveil: a fault of ours ({type(problem).__name__})\n{where}")

    def _refusal(self, scope: Scope) -> Response | None:
        """Why this request is refused; None if it is not."""
        headers, method = Headers(scope=scope), scope["method"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _refuse(
                400, "This app answers to its own address only. Open the link that was printed at its start."
            )
        if method not in (*_READING, "POST"):
            return _refuse(405, f"{method} is not used here.")
        if method == "POST" and headers.getlist("origin") != [f"{self._scheme}://{hosts[0].lower()}"]:
            return _refuse(403, "This change did not come from a page of this app, and was not made.")
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal() or int(length) > LARGEST:
            return _refuse(413, f"A form may have up to {LARGEST >> 20} MB; nothing was changed.")
        if _asked(scope) is None and not self._is_known(headers):
            return _refuse(403, "Open the link that was printed when the app was started: it lets this browser in.")
        return None

    def _is_known(self, headers: Headers) -> bool:
        # read by hand: what other programs of this machine keep in cookies may be anything, and hides none of ours
        pairs = (pair.partition("=") for line in headers.getlist("cookie") for pair in line.split(";"))
        given = [value.strip() for name, _, value in pairs if name.strip() == self.cookie]
        return any(self._is_token(one) for one in given)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _let_in(self, scope: Scope) -> Response | None:
        """The answer to the printed link: a cookie, and a page that goes on to the address without the token."""
        given = _asked(scope)
        if given is None:
            return None
        if not self._is_token(given):
            return _refuse(403, "This link is not of the app that runs now; open the one that it printed at its start.")
        # no redirect: where a page of another site leads here, browsers hold the cookie back on all that follows
        answer = HTMLResponse(_ENTERED, headers={"Referrer-Policy": "no-referrer"})
        secure = self._scheme == "https"
        answer.set_cookie(self.cookie, self._token, httponly=True, samesite="strict", path="/", secure=secure)
        return answer


def _asked(scope: Scope) -> str | None:
    """The token in the address of the printed link; None where there is none."""
    if scope["method"] not in _READING or scope["path"] != "/":
        return None
    found = parse_qs(scope["query_string"].decode("latin-1")).get(TOKEN)
    return found[0] if found else None


def _refuse(status: int, why: str) -> Response:
    return PlainTextResponse(f"microveil: {why}\n", status)


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent
