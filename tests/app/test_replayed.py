"""Every page says the command that does the same: said in a copy of the folder, it gives the same bytes."""

from __future__ import annotations

import html
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.client import Client
from tests.app.conftest import DATA, make_project


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Say a command in a folder, in this process; what it printed."""
    import sys

    from microveil.cli import main

    def call(folder: Path, words: list[str], status: int = 0) -> str:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        assert (end.value.code or 0) == status, shown.err
        return shown.out

    return call


def said_on(client: Client, page: str, begins: str) -> list[str]:
    """The words of the command that a page shows."""
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code>", client.get(page).text, re.DOTALL)
    return next(shlex.split(html.unescape(text)) for text in shown if html.unescape(text).startswith(begins))


def copied(client: Client, to: Path) -> Path:
    """The folder as somebody else has it: without what the app keeps for itself."""
    shutil.copytree(client.project.parent, to, ignore=shutil.ignore_patterns("*_work"))
    return to


def test_a_look_writes_the_project_that_inspect_writes(tmp_path: Path, run: Callable[..., str]):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "data.csv").write_text(DATA, encoding="utf-8")
    client = Client(tmp_path / "here" / "project.yaml")
    client.post("/data", {"path": "data.csv"})
    assert client.finished().state == "done"
    other = copied(client, tmp_path / "there")
    (other / "project.yaml").unlink()
    run(other, said_on(client, "/data", "microveil inspect"))
    assert (other / "project.yaml").read_bytes() == client.project.read_bytes()


def test_risk_release_audit_and_pair_are_what_the_commands_give(tmp_path: Path, run: Callable[..., str]):
    client = Client(make_project(tmp_path / "here"))
    client.post("/risk")
    risk = client.finished()
    assert risk.state == "done"
    client.post("/release", {"act": "run", "as_they_are": "yes"})
    assert client.finished().state == "done", client.jobs.all()[0].message
    client.post("/release", {"act": "audit", "number": "0001"})
    audit = client.finished()
    pair = {"original": "data.csv", "protected": "runs/0001/package/data.csv", "with_project": "yes"}
    client.post("/pair", pair)
    pair_job = client.finished()
    assert pair_job.state == "done", pair_job.message
    other = copied(client, tmp_path / "there")

    run(other, said_on(client, "/risk", "microveil risk"))
    for name in ("risk.json", "risk.html"):
        assert (other / name).read_bytes() == (risk.folder / name).read_bytes(), name

    run(other, said_on(client, "/release", "microveil replay"))
    written = client.project.parent / "runs" / "0001" / "package" / "data.csv"
    assert (other / "again.csv").read_bytes() == written.read_bytes()

    said = run(other, said_on(client, "/release", "microveil audit"))
    assert said.splitlines() == [*(line for _, line in audit.result["findings"]), audit.result["line"]]

    # of the pair alone nobody knows that a proof keeps the limit: the page and the command say so
    run(other, said_on(client, "/pair", "microveil evaluate"), status=1)
    assert (pair_job.result["ok"], '<section class="verdict no">' in client.get("/pair").text) == (False, True)
    ours, theirs = ((place / "figures.json").read_text(encoding="utf-8") for place in (pair_job.folder, other))
    reason = re.compile(r'"not_applicable": ".*"')  # told in the words of each door
    assert reason.sub("", ours) == reason.sub("", theirs)
    assert "Information loss" in client.get("/pair").text
    assert client.get(f"/jobs/{pair_job.number}/page/report").status_code == 200
    assert client.get("/runs/0001/sign_off").headers["Content-Security-Policy"].startswith("default-src 'none'")
    keys = {"act": "key", "name": "Jane Doe", "passphrase": "a b", "again": "a b"}
    assert client.post("/release", keys).status_code == 303
    wrong = {"act": "sign", "number": "0001", "key": "keys/jane-doe.key", "passphrase": "a c"}
    assert client.post("/release", wrong).status_code == 422
    assert client.post("/release", {**wrong, "passphrase": "a b"}).headers["location"] == "/release?signed=0001"
    assert "Signed by 1." in client.get("/release").text
