"""Every page says the command that does the same: said in a copy of the folder, it gives the same bytes."""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import microveil as mv
from microveil.app.pages.release import again
from microveil.core.streams import Key
from microveil.package import PastRun
from tests.app.client import Client
from tests.app.conftest import DATA, make_project

pytestmark = pytest.mark.usefixtures("jobs_here")


@pytest.fixture
def run_in(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command in a folder, in this process; return its lines."""
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


@pytest.fixture
def same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key that is drawn is the same one."""
    key = Key.fresh()
    monkeypatch.setattr(Key, "fresh", classmethod(lambda cls: key))


TIMES = re.compile(r'"seconds": ?[0-9.e-]+|[0-9.]+ (s|min|seconds)\b')  # how long something took
UTILITY = "utility:\n- {name: mean income, statistic: mean, of: income, by: [sex], tolerance: 0.5}\n"


@pytest.fixture
def two_places(tmp_path: Path) -> tuple[Client, Path]:
    """An app on a project, and a copy of its folder for whoever types the commands."""
    project = make_project(tmp_path / "here")
    project.write_text(project.read_text(encoding="utf-8") + UTILITY, encoding="utf-8")
    client = Client(project)
    client.get("/project")  # the first version is kept
    return client, Path(shutil.copytree(project.parent, tmp_path / "there"))


def same_bytes(ours: Path, theirs: Path, names: list[str]) -> None:
    for name in names:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


@pytest.mark.long
def test_the_package_is_that_of_the_command(
    two_places: tuple[Client, Path], run_in: Callable[..., str], same_key: None
):
    client, other = two_places
    client.post("/release", {"act": "run", "as_they_are": "yes"})
    assert client.finished().state == "done", client.jobs.all()[0].message
    shutil.copy(client.project, other)  # the page states in the project first that the columns leave as they are
    run_in(other, said_on(client, "/release", "microveil run"))
    ours, theirs = (folder / "runs" / "0001" for folder in (client.project.parent, other))
    written = [path.relative_to(ours).as_posix() for path in ours.rglob("*") if path.is_file()]
    assert {"package/data.csv", "package/certificate.json", "internal/log.json", "internal/report.html"} <= set(written)
    # these say when each stage began and what was loaded in the process, and certify those that say it
    of_process = {"internal/stages.jsonl", "internal/log.json", "internal/certificate.json"}
    same_bytes(ours, theirs, sorted({*written} - of_process))
    logs = [json.loads((place / "internal" / "log.json").read_text(encoding="utf-8")) for place in (ours, theirs)]
    assert {**logs[0], "versions": {}, "seal": ""} == {**logs[1], "versions": {}, "seal": ""}


@pytest.mark.usefixtures("same_key")
@pytest.mark.long
def test_the_study_is_that_of_the_command(two_places: tuple[Client, Path], run_in: Callable[..., str]):
    client, other = two_places
    client.post("/search", {"act": "begin", "budget": "3 trials"})
    job = client.finished()
    assert job.state == "done", job.message
    shutil.copy(client.project, other)  # the page states the time in the project first
    words = said_on(client, "/search", "microveil search")
    run_in(other, words)
    place = words[words.index("--folder") + 1]
    ours, theirs = (folder / place for folder in (client.project.parent, other))
    assert sorted(path.name for path in ours.iterdir()) == sorted(path.name for path in theirs.iterdir())
    for name in sorted(path.name for path in ours.iterdir()):
        told = [TIMES.sub("", (folder / name).read_text(encoding="utf-8")) for folder in (ours, theirs)]
        assert told[0] == told[1], name


@pytest.mark.long
def test_a_comparison_is_that_of_the_command(
    two_places: tuple[Client, Path], run_in: Callable[..., str], same_key: None
):
    client, other = two_places
    changed = client.project.read_text(encoding="utf-8").replace("k: 5", "k: 10")
    client.project.write_text(changed, encoding="utf-8")
    first = next(one for one in client.project.parent.rglob("versions/0001.yaml"))
    plans = {"first": "project.yaml", "second": first.relative_to(client.project.parent).as_posix()}
    client.post("/compare", {**plans, "indicators": "mean(income)"})
    job = client.finished()
    assert job.state == "done", job.message
    shutil.rmtree(other)
    shutil.copytree(client.project.parent, other)
    run_in(other, said_on(client, "/compare", "microveil compare"))
    told = [TIMES.sub("", (place / "comparison.json").read_text(encoding="utf-8")) for place in (job.folder, other)]
    assert told[0] == told[1]
    body = job.file("body.html")
    page = (other / "comparison.html").read_text(encoding="utf-8")
    assert "mean(income)" in body
    assert all(line in page for line in body.splitlines() if line.strip())


def said_on(client: Client, page: str, begins: str) -> list[str]:
    """The words of the command that a page shows."""
    shown = re.findall(r"<pre[^>]*><code>(.*?)</code>", client.get(page).text, re.DOTALL)
    return next(shlex.split(html.unescape(text)) for text in shown if html.unescape(text).startswith(begins))


def plain(text: str) -> str:
    """Words as they are read: without marks, and with single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).replace("`", "").split())


def copied(client: Client, to: Path) -> Path:
    """The folder as somebody else has it: without what the app keeps for itself."""
    shutil.copytree(client.project.parent, to, ignore=shutil.ignore_patterns("*_work"))
    return to


def test_a_look_writes_the_project_that_inspect_writes(tmp_path: Path, run_in: Callable[..., str]):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "data.csv").write_text(DATA.replace(",1000,", ",-,"), encoding="utf-8")
    client = Client(tmp_path / "here" / "project.yaml")
    client.post("/data", {"path": "data.csv", "encoding": "utf-8"})
    # a file that has to be explained is no dead end
    assert client.finished().message == (
        "column 'income' holds numbers and ['-'] (first in line 2): if these mean missing, begin with the file anew on "
        "the page Data and write them under «How the file is read»; if they are categories, name the column there too; "
        "infinite values and numbers written in another way must be replaced first"
    )
    page = client.get("/data").text
    assert ("<details open><summary>How" in page, 'id="encoding" value="utf-8"' in page) == (True, True)
    reading = {"no_answer": "-\r\nn/a", "encoding": "utf-8", "categories": "region"}
    client.post("/data", {"path": "data.csv", **reading})
    assert client.finished().state == "done", client.jobs.all()[0].message
    other = copied(client, tmp_path / "there")
    (other / "project.yaml").unlink()
    run_in(other, said_on(client, "/data", "microveil inspect"))
    assert (other / "project.yaml").read_bytes() == client.project.read_bytes()


def test_methods_and_hierarchies_are_those_of_the_commands(
    looked: Callable[[], Client], tmp_path: Path, run_in: Callable[..., str]
):
    client = looked()
    other = copied(client, tmp_path.with_name(f"{tmp_path.name}_there"))
    page = plain(client.get("/methods/step?method=rank-swap").text)
    told = plain(run_in(other, said_on(client, "/methods/step?method=rank-swap", "microveil methods")))
    for parameter in mv.mask.RankSwap.parameters():
        assert parameter.help[1:] in told, parameter.name
        assert parameter.help[1:] in page, parameter.name
    assert plain(mv.mask.RankSwap.summary()) in told
    assert plain(mv.mask.RankSwap.summary()) in page

    client.post("/columns/2", {"form": "intervals", "hierarchy.intervals.widths": "[10, 30]"})
    words = said_on(client, "/columns/2", "microveil hierarchy")
    tree = client.get("/columns/2").text
    told = run_in(other, words)
    assert "[20, 30)" in told
    groups = re.findall(r"\[\d+, \d+\)", told)
    assert set(groups) == set(re.findall(r"\[\d+, \d+\)", tree))
    for path, section in (("/roles", "columns:"), ("/scenarios", "scenarios:"), ("/rules", "constraints:")):
        assert re.search(rf"What the project file says</summary><pre[^>]*><code>{section}", client.get(path).text), path


@pytest.mark.long
def test_risk_release_audit_and_pair_are_what_the_commands_give(
    tmp_path: Path, run_in: Callable[..., str], monkeypatch: pytest.MonkeyPatch
):
    client = Client(make_project(tmp_path / "here"))
    client.post("/risk")
    risk = client.finished()
    assert risk.state == "done"
    client.post("/release", {"act": "run", "as_they_are": "yes"})
    assert client.finished().state == "done", client.jobs.all()[0].message
    keys = {"act": "key", "name": "Jane Doe", "passphrase": "three quiet words", "again": "three quiet words"}
    assert client.post("/release", keys).status_code == 303
    client.post("/release", {"act": "audit", "number": "0001"})
    audit = client.finished()
    assert audit.result["ok"], audit.result["findings"]  # a key is there, and nobody has signed yet: no fault
    page = client.get("/release").text
    assert audit.result["line"] in page
    assert "sign it before you give it away" in page
    pair = {"original": "data.csv", "protected": "runs/0001/package/data.csv", "with_project": "yes", "log": "none"}
    client.post("/pair", pair)
    pair_job = client.finished()
    assert pair_job.state == "done", pair_job.message
    other = copied(client, tmp_path / "there")

    run_in(other, said_on(client, "/risk", "microveil risk"))
    for name in ("risk.json", "risk.html"):
        assert (other / name).read_bytes() == (risk.folder / name).read_bytes(), name

    run_in(other, said_on(client, "/release", "microveil replay"))
    written = client.project.parent / "runs" / "0001" / "package" / "data.csv"
    assert (other / "again.csv").read_bytes() == written.read_bytes()

    said = run_in(other, said_on(client, "/release", "microveil audit"))
    said = re.sub(r" Give --.*", "", said)  # options, which a page has not
    assert said.splitlines() == [*(line for _, line in audit.result["findings"]), audit.result["line"]]

    # of the pair alone nobody knows that a proof keeps the limit: the page and the command say so
    run_in(other, said_on(client, "/pair", "microveil evaluate"), status=1)
    assert (pair_job.result["ok"], '<section class="verdict no">' in client.get("/pair").text) == (False, True)
    ours, theirs = ((place / "figures.json").read_text(encoding="utf-8") for place in (pair_job.folder, other))
    reason = re.compile(r'"not_applicable": ".*"')  # told in the words of each door
    assert reason.sub("", ours) == reason.sub("", theirs)
    assert "Information loss" in client.get("/pair").text
    assert client.get(f"/jobs/{pair_job.number}/page/report").status_code == 200
    assert client.get("/runs/0001/sign_off").headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "anew since" not in client.get("/release").text + client.get("/pair").text
    written.touch()  # figures and verdicts are of the file that was there
    anew = "runs/0001/package/data.csv was written anew since"
    release_page = client.get("/release").text
    assert (anew in release_page, audit.result["line"] in release_page) == (True, False)
    assert anew in client.get("/pair").text
    wrong = {"act": "sign", "number": "0001", "key": "keys/jane-doe.key", "passphrase": "three other words"}
    refused = client.post("/release", wrong)
    assert refused.status_code == 422
    assert "<details open><summary>Sign it</summary>" in refused.text  # nobody has to open and choose again
    monkeypatch.setenv("MICROVEIL_PASSPHRASE", "three quiet words")
    run_in(other, said_on(client, "/release", "microveil sign"))
    assert (
        client.post("/release", {**wrong, "passphrase": "three quiet words"}).headers["location"]
        == "/release?signed=0001#run-0001"
    )
    page = client.get("/release").text
    assert "Signed by Jane Doe" in page
    assert (audit.result["line"] in page, "audit the package again" in page) == (False, True)  # it saw another one
    assert re.search(r"Loss of amounts [\d.]+ %; worst case [\d.]+ % of the records found", page)
    signed = client.project.parent / "runs" / "0001" / "package" / "certificate.json"
    assert signed.read_bytes() == (other / "runs" / "0001" / "package" / "certificate.json").read_bytes()

    client.post("/pair", {**pair, "log": "auto"})  # with the log of the run, as the page proposes
    with_log = client.finished()
    assert with_log.state == "done", with_log.message
    run_in(other, [*said_on(client, "/pair", "microveil evaluate"), "--force"])
    ours, theirs = ((place / "figures.json").read_text(encoding="utf-8") for place in (with_log.folder, other))
    assert reason.sub("", ours) == reason.sub("", theirs)
    assert with_log.result["ok"] is True


def test_a_run_is_made_again_of_its_own_file_in_its_own_format(tmp_path: Path):
    inside = tmp_path / "runs" / "0001" / "internal"
    inside.mkdir(parents=True)
    run = PastRun("0001", inside.parent, files=("codebook.txt", "data.parquet", "data.sav"))
    start = ("microveil", "replay", "runs/0001/internal/log.json")
    assert again(run, "data.csv") == (*start, "data.csv", "-o", "again.parquet")
    # the project is about another file by now
    (inside / "project.yaml").write_text("version: 2\ndataset: {path: -old.csv}\n", encoding="utf-8")
    assert again(run, "data.csv") == (*start, "./-old.csv", "-o", "again.parquet")


@pytest.mark.usefixtures("idle_jobs")
def test_a_look_again_is_said_with_how_the_project_reads_the_file(client: Client):
    text = client.project.read_text(encoding="utf-8").replace("{path: data.csv}", "{path: data.csv, decimal: ','}")
    client.project.write_text(text, encoding="utf-8")
    client.post("/data", {"path": "data.csv"})
    assert client.jobs.all()[0].command[-2:] == ("--decimal", ",")
    client.post("/data", {"path": "data.csv", "begin": "yes", "sure": "yes"})
    assert "reading" not in client.jobs.all()[0].settings
