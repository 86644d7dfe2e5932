"""Who is let in: the table of refusals, and the headers that every answer carries."""

from __future__ import annotations

import asyncio
import html
from pathlib import Path

import pytest

from microveil.app.guard import HEADERS, LARGEST
from tests.app.client import HOST, TOKEN, Client

OURS = f"http://{HOST}"


@pytest.mark.parametrize(
    ("why", "status", "method", "path", "headers"),
    [
        ("no token", 403, "GET", "/data", {"Cookie": ""}),
        ("no token for a file of ours", 403, "GET", "/static/app.css", {"Cookie": ""}),
        ("no token for a page that is not there", 403, "GET", "/nothing", {"Cookie": ""}),
        ("another token in the link", 403, "GET", "/?token=another", {"Cookie": ""}),
        ("an empty token in the link", 403, "GET", "/?token=", {"Cookie": ""}),
        ("another token in the cookie", 403, "GET", "/data", {"Cookie": "microveil-8765=another"}),
        ("a cookie that is none", 403, "GET", "/data", {"Cookie": "=;;=\x01"}),
        ("the token of the link elsewhere", 403, "GET", f"/data?token={TOKEN}", {"Cookie": ""}),
        ("the token of the link by a form", 403, "POST", f"/?token={TOKEN}", {"Cookie": "", "Origin": OURS}),
        ("another host", 400, "GET", "/data", {"Host": "evil.example"}),
        ("another host with the token", 400, "GET", f"/?token={TOKEN}", {"Host": "evil.example:8765"}),
        ("this machine on another port", 400, "GET", "/data", {"Host": "127.0.0.1:80"}),
        ("no port", 400, "GET", "/data", {"Host": "127.0.0.1"}),
        ("a foreign origin", 403, "POST", "/roles", {"Origin": "https://evil.example"}),
        ("an origin on another port", 403, "POST", "/roles", {"Origin": "http://127.0.0.1:80"}),
        ("an origin under another scheme", 403, "POST", "/roles", {"Origin": OURS.replace("http", "https")}),
        ("an origin that hides itself", 403, "POST", "/roles", {"Origin": "null"}),
        ("no origin", 403, "POST", "/roles", {}),
        ("the other name of this machine", 403, "POST", "/roles", {"Origin": OURS.replace("127.0.0.1", "localhost")}),
        ("a method that nobody needs", 405, "PUT", "/roles", {"Origin": OURS}),
        ("a form without an end", 413, "POST", "/roles", {"Origin": OURS, "Transfer-Encoding": "chunked"}),
        ("a form that is too long", 413, "POST", "/roles", {"Origin": OURS, "Content-Length": str(LARGEST + 1)}),
    ],
)
def test_what_is_refused_before_anything_is_asked(
    client: Client, why: str, status: int, method: str, path: str, headers: dict[str, str]
):
    before = client.project.read_bytes()
    given = {**({} if "Cookie" in headers else {"Cookie": f"{client.app.cookie}={TOKEN}"}), **headers}
    client.cookies = {}
    answer = client.ask(method, path, headers=given)
    assert answer.status_code == status, why
    assert answer.text.startswith("microveil: ")
    assert TOKEN not in answer.text
    assert "set-cookie" not in answer.headers
    assert client.project.read_bytes() == before
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_the_link_becomes_a_cookie_and_leaves_the_address(tmp_path: Path):
    answer = Client(tmp_path / "project.yaml", let_in=False).get(f"/?token={TOKEN}")
    # a page, not a redirect: after one that another site began browsers would hold the cookie back
    assert (answer.status_code, "location" in answer.headers) == (200, False)
    assert 'http-equiv="refresh" content="0; url=/"' in answer.text
    assert TOKEN not in answer.text
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["set-cookie"] == f"microveil-8765={TOKEN}; HttpOnly; Path=/; SameSite=strict"


@pytest.mark.parametrize(
    "other", ['a={"b": 1}', "a b=1", "a[b]=1", "bare", "=1", 'a="b', "path=/", "microveil-8765=old"]
)
def test_cookies_of_other_programs_on_this_machine_lock_nobody_out(client: Client, other: str):
    ours, client.cookies = f"{client.app.cookie}={TOKEN}", {}
    for both in (f"{other}; {ours}", f"{ours}; {other}"):
        assert client.get("/data", headers={"Cookie": both}).status_code == 200


def test_both_names_of_this_machine_are_known(client: Client):
    assert client.get("/data", headers={"Host": "localhost:8765"}).status_code == 200
    origin = {"Host": "localhost:8765", "Origin": "http://localhost:8765"}
    assert client.post("/roles", headers=origin).status_code == 303


@pytest.mark.parametrize("path", ["/data", "/static/htmx-4.0.1.min.js", "/nothing", "/jobs/9999", "/static/../app.css"])
def test_every_answer_carries_the_headers(client: Client, path: str):
    answer = client.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "'unsafe-eval'" not in HEADERS["Content-Security-Policy"]
    assert "script-src 'self';" in HEADERS["Content-Security-Policy"]


def test_a_fault_of_ours_is_told_without_what_it_says(client: Client, monkeypatch: pytest.MonkeyPatch, capsys):
    def fail(*_: object) -> None:
        raise RuntimeError(f"a cell of the data: {4700 + 11}")

    monkeypatch.setattr("microveil.app.workspace.Workspace.now", fail)
    answer = client.get("/data")
    assert answer.status_code == 500
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    said = capsys.readouterr()
    assert "fault of microveil" in answer.text
    assert "RuntimeError" in said.err
    assert "4711" not in answer.text + said.err + said.out


def test_who_leaves_in_the_middle_of_a_form_is_no_fault(client: Client, capsys):
    async def gone() -> dict[str, str]:
        return {"type": "http.disconnect"}

    async def send(_: object) -> None:
        """Nobody is there to be answered."""

    headers = {"Host": HOST, "Cookie": f"{client.app.cookie}={TOKEN}", "Origin": OURS, "Content-Length": "9"}
    headers["Content-Type"] = "application/x-www-form-urlencoded"
    scope = {"type": "http", "method": "POST", "path": "/rules", "query_string": b"", "root_path": ""}
    scope["headers"] = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    asyncio.run(client.app(scope, gone, send))
    assert capsys.readouterr().err == ""


def test_a_file_where_a_folder_should_be_is_told_as_that(client: Client):
    (client.project.parent / "project_work").write_text("", encoding="utf-8")
    answer = client.get("/data")
    assert (answer.status_code, "'project_work'" in html.unescape(answer.text)) == (422, True)
    assert str(client.project.parent) not in answer.text


def test_the_vendored_script_is_the_published_one():
    import hashlib
    from importlib.resources import files

    content = files("microveil.app").joinpath("static", "htmx-4.0.1.min.js").read_bytes()
    assert hashlib.sha256(content).hexdigest() == "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"
