"""Every saved change is a numbered version; going back is one too; two tabs do not overwrite one another."""

from __future__ import annotations

import html
import re
import threading
import time

import pytest

from microveil.app.versions import changes
from microveil.app.workspace import ChangedMeanwhile, Workspace
from microveil.core.errors import FileProblem
from tests.app.client import Client, problem_of

ROLES = {f"{what}-{place}": word for place, word in enumerate(["key"] * 3 + ["confidential"] * 2) for what in ("role",)}


def test_the_project_as_it_was_found_is_the_first_version(client: Client):
    before = client.project.read_text(encoding="utf-8")
    client.get("/roles")
    found = client.project.parent / "project_work" / "versions" / "0001.yaml"
    assert found.read_text(encoding="utf-8") == before
    assert found.stat().st_mode & 0o077 == 0


def test_a_saved_change_is_a_version_and_can_be_undone(client: Client):
    before = client.project.read_text(encoding="utf-8")
    answer = client.post("/roles", {**ROLES, "role-2": "other"})
    assert answer.headers["location"] == "/roles?saved=2"
    after = client.project.read_text(encoding="utf-8")
    assert changes(before, after) == [
        ("-", "  age: {role: key, kind: continuous}"),
        ("+", "  age: {role: other, kind: continuous}"),
    ]
    assert "Version 2" in client.get("/history").text
    assert client.post("/history", {"version": "1"}).headers["location"] == "/history?saved=3"
    assert client.project.read_text(encoding="utf-8") == before
    assert client.post("/history", {"version": "17"}).status_code == 422


def test_a_change_by_an_editor_is_a_version_too(client: Client):
    client.get("/data")
    text = client.project.read_text(encoding="utf-8") + "integers: round\n"
    client.project.write_text(text, encoding="utf-8")
    page = client.get("/history").text
    assert "changed outside of the app" in page


def test_of_two_tabs_the_second_is_told_and_nothing_is_lost(client: Client):
    first_tab = second_tab = client.base()
    assert client.post("/roles", {**ROLES, "role-0": "other", "base": first_tab}).status_code == 303
    saved = client.project.read_text(encoding="utf-8")
    answer = client.post("/roles", {**ROLES, "role-1": "other", "base": second_tab})
    assert answer.status_code == 422
    assert "was changed in the meantime" in problem_of(answer)
    assert client.project.read_text(encoding="utf-8") == saved


def test_two_apps_on_one_project_take_turns(client: Client):
    base, begun = client.base(), threading.Event()
    one, other = Workspace(client.project), Workspace(client.project)

    def slowly(text: str) -> str:
        begun.set()
        time.sleep(0.2)
        return f"{text}integers: round\n"

    first = threading.Thread(target=one.save, args=(slowly, base, "by the first"))
    first.start()
    assert begun.wait(10)
    with pytest.raises(ChangedMeanwhile):
        other.save(lambda text: f"{text}integers: keep exact\n", base, "by the second")
    first.join()
    assert client.project.read_text(encoding="utf-8").endswith("integers: round\n")


def test_a_version_that_somebody_spoilt_hides_nothing(client: Client):
    client.get("/roles")
    versions = client.project.parent / "project_work" / "versions"
    (versions / "0001.json").write_text("[]", encoding="utf-8")
    (versions / "0001.yaml").write_bytes(b"\xff\xfe")
    assert client.get("/roles").status_code == 200
    assert "Version 2 (now)" in client.get("/history").text  # what it said is kept again
    assert client.post("/history", {"version": "1"}).status_code == 422


def test_what_cannot_be_read_is_not_saved_and_stays_in_the_form(client: Client):
    before = client.project.read_bytes()
    answer = client.post("/project", {"text": "version: 1\ndataset: {path: data.csv}\ncolums: {}\n"})
    assert answer.status_code == 422
    assert "did you mean 'columns'" in answer.text.replace("&#39;", "'")
    assert "colums: {}" in answer.text
    assert client.project.read_bytes() == before


def test_a_broken_project_leads_to_its_text(client: Client):
    client.project.write_text("version: 1\ndataset: [\n", encoding="utf-8")
    assert client.get("/roles").headers["location"] == "/project"
    page = client.get("/project")
    assert "cannot be read" in page.text
    assert "dataset: [" in page.text
    mended = client.post("/project", {"text": "version: 1\ndataset: {path: data.csv}\n"})
    assert mended.status_code == 303
    assert client.get("/roles").status_code == 200


def test_a_form_that_was_refused_stays_one_of_its_version(client: Client):
    old = client.base()
    assert client.post("/rules", {"own": "tax >= 0"}).status_code == 303  # in another tab
    saved = client.project.read_text(encoding="utf-8")
    refused = client.post("/rules", {"own": "incom >= 1", "base": old})
    assert "did you mean" in problem_of(refused)
    again = re.search(r'name="base" value="(\w+)"', refused.text)
    assert again is not None
    assert "in the meantime" in problem_of(client.post("/rules", {"own": "income >= 1", "base": again[1]}))
    assert client.project.read_text(encoding="utf-8") == saved


def test_what_could_not_be_written_is_no_version(client: Client, monkeypatch: pytest.MonkeyPatch):
    base = client.base()

    def full(*_: object) -> None:
        raise FileProblem(f"{str(client.project)!r} cannot be written: No space left on device; nothing was written")

    with monkeypatch.context() as broken:
        broken.setattr("microveil.app.workspace.write_text", full)
        refused = client.post("/rules", {"own": "tax >= 0", "base": base})
    assert "'project.yaml' cannot be written: No space left" in html.unescape(problem_of(refused))
    kept = Workspace(client.project).versions.folder.iterdir()
    assert sorted(path.name for path in kept) == ["0001.json", "0001.yaml"]
    assert "changed outside of the app" not in client.get("/history").text


def test_lines_that_begin_as_a_difference_does_are_told():
    assert changes("a\n--\n", "a\n++ b\n") == [("-", "--"), ("+", "++ b")]
    assert changes("a\n", "a\n") == []
