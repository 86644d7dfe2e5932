"""Jobs: in processes of their own, found again, cancelled without a trace, told when they were killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from microveil.app import jobs
from microveil.app.calls import CALLS
from microveil.app.jobs import Job, Jobs
from microveil.app.jobs import _begin as begin_process
from microveil.app.work import for_pages
from microveil.core.errors import BadInput, FileProblem
from tests.app.client import PATIENCE, Client

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are ended by signals of POSIX here")


def _running(client: Client, share: float = 0.0) -> Job:
    """The job under way, once its process is at work."""
    until = time.monotonic() + PATIENCE
    while True:
        job = client.jobs.running()
        if job is not None and job.share > share:
            return job
        assert time.monotonic() < until
        time.sleep(0.02)


def _search(client: Client) -> Job:
    assert client.post("/search", {"act": "begin", "budget": "10 min"}).status_code == 303
    return _running(client)


def _processes(group: int) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(entry.parent.name)
    return found


@pytest.mark.long
def test_a_job_ends_with_its_result(client: Client):
    assert client.post("/risk").headers["location"] == "/risk#job-0001"
    job = client.finished()
    assert (job.state, job.what, job.result) == ("done", "risk", {"over": []})
    part = client.get(f"/jobs/{job.number}/part")
    assert part.headers["HX-Refresh"] == "true"
    page = client.get("/risk").text
    assert "The records most at risk, and why" in page
    assert "microveil risk data.csv --project project.yaml --report risk.html --json risk.json" in page
    assert (job.folder.stat().st_mode & 0o077, (job.folder / "risk.json").stat().st_mode & 0o077) == (0, 0)


@pytest.mark.usefixtures("jobs_here")
def test_no_page_waits_for_a_process_that_has_said_its_last_word(client: Client):
    client.post("/risk")
    job = client.finished()
    may_end, ended = threading.Event(), threading.Event()

    def wait(_seconds: float) -> int:
        may_end.wait(60)
        ended.set()
        return 0

    jobs = client.jobs
    jobs._processes[job.number] = SimpleNamespace(wait=wait)
    found = jobs.find(job.number)
    assert found is not None
    assert (found.state, ended.is_set()) == ("done", False)
    may_end.set()
    assert ended.wait(60)  # somebody waited for it all the same
    assert jobs._processes == {}


@pytest.mark.usefixtures("jobs_here")
def test_figures_are_old_once_what_they_depend_on_changes(client: Client):
    client.post("/risk")
    assert client.finished().state == "done"
    since = "The project was changed since."
    client.post("/release", {"act": "describe", "title": "Another title"})
    assert since not in client.get("/risk").text
    client.post("/scenarios", {"count": "0", "name-0": "employer", "known-0": ["income"]})
    assert since in client.get("/risk").text
    # whatever became of a newer measurement, what is shown is of the earlier version
    folder = client.jobs.folder / "0002"
    folder.mkdir()
    (folder / "call.json").write_text((client.jobs.folder / "0001" / "call.json").read_text("utf-8"), encoding="utf-8")
    (folder / "ended.json").write_text('{"state": "cancelled"}', encoding="utf-8")
    assert client.jobs.last("risk").state == "cancelled"
    assert since in client.get("/risk").text


@pytest.mark.usefixtures("jobs_here")
def test_figures_are_of_the_project_that_the_job_read(client: Client, monkeypatch: pytest.MonkeyPatch):
    """Between the button and the process somebody saves, and later goes back."""
    asked = client.project.read_text(encoding="utf-8")
    client.get("/risk")
    read = asked.replace("risk: 0.2", "risk: 0.3")
    begin = jobs._begin

    def late(*how: Path) -> object:
        client.project.write_text(read, encoding="utf-8")
        return begin(*how)

    monkeypatch.setattr(jobs, "_begin", late)
    client.post("/risk")
    assert client.finished().state == "done"
    since = "The project was changed since."
    assert since not in client.get("/risk").text
    client.project.write_text(asked, encoding="utf-8")
    assert since in client.get("/risk").text
    client.project.write_text(read, encoding="utf-8")
    (client.project.parent / "data.csv").write_text("region,sex,age,income,tax\n", encoding="utf-8")
    assert "data.csv was written anew since" in client.get("/risk").text


@pytest.mark.usefixtures("jobs_here")
def test_a_job_is_not_lost_where_the_system_cannot_tell(client: Client, monkeypatch: pytest.MonkeyPatch):
    """Too many open files in the app say nothing of a process: what it did would be thrown away."""
    client.post("/risk")
    done = client.finished()

    def full(*_: object, **__: object) -> str:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(Path, "read_text", full)
    with pytest.raises(OSError, match="Too many"):
        client.jobs.find(done.number)
    monkeypatch.undo()
    assert client.jobs.find(done.number) == done


@pytest.mark.parametrize(
    ("name", "said"), [("call.json", '{"what": "risk", "settings": [1]}'), ("done.json", '{"result": 5}')]
)
def test_a_state_that_somebody_spoilt_hides_no_page(client: Client, name: str, said: str):
    folder = client.project.parent / "project_work" / "jobs" / "0001"
    folder.mkdir(parents=True)
    for file in ("call.json", "done.json"):
        (folder / file).write_text(said if file == name else '{"by": "0"}', encoding="utf-8")
    assert client.get("/risk").status_code == 200


@pytest.mark.long
def test_two_apps_on_one_project_run_one_job(client: Client):
    began = []

    def begin(jobs: Jobs) -> None:
        with contextlib.suppress(BadInput, FileProblem):
            began.append(jobs.start("search", {"folder": "project_work/x", "budget": "10 min"}, [], "").number)

    apps = [client.jobs, client.jobs]
    both = [threading.Thread(target=begin, args=(one,)) for one in apps]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert began == ["0001"]
    apps[0].cancel("0001")
    assert [one.find("0001").state for one in apps] == ["cancelled", "cancelled"]  # whoever began it lets it go


def test_a_job_that_begins_too_slowly_is_ended_before_it_is_told_so(client: Client, monkeypatch: pytest.MonkeyPatch):
    begun: list[subprocess.Popen[bytes]] = []

    def begin(folder: Path, home: Path) -> subprocess.Popen[bytes]:
        begun.append(begin_process(folder, home))
        return begun[0]

    monkeypatch.setattr(jobs, "_BEGINNING", 0.0)
    monkeypatch.setattr(jobs, "_begin", begin)
    assert client.jobs.start("risk", {"path": "data.csv"}, [], "").state == "lost"
    assert begun[0].returncode == -signal.SIGKILL


@pytest.mark.usefixtures("jobs_here")
def test_what_another_version_left_is_passed_over(client: Client):
    client.post("/risk")
    job = client.finished()
    call = job.folder / "call.json"
    call.write_text(call.read_text().replace(f'"by": "{job.by}"', '"by": "0.0.1"'), encoding="utf-8")
    assert client.jobs.all() == []
    assert "Measure the risk" in client.get("/risk").text


@pytest.mark.usefixtures("jobs_here")
def test_what_is_wrong_with_the_data_is_told_on_the_page(client: Client):
    (client.project.parent / "data.csv").write_text("region,sex\nN,f\n", encoding="utf-8")
    client.post("/risk")
    ended = client.finished()
    assert ended.state == "failed"
    assert ended.message == "roles: there is no column 'age'; there are ['region', 'sex']"
    assert "this did not work" in client.get("/risk").text


def test_jobs_name_files_from_the_folder_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    told = for_pages(FileProblem(f"there is no file {str(tmp_path / 'data.csv')!r} (line 3 of the project)"))
    assert told == "there is no file 'data.csv'"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.long
def test_a_cancelled_job_leaves_no_process_and_no_file(client: Client):
    job = _search(client)
    group = int(job.file("alive"))
    refused = client.post("/risk")
    assert refused.status_code == 422
    assert "another job is running" in refused.text
    again = Client(client.project)  # the app was started again, the page loaded again
    assert "hx-get" in again.get("/search").text
    assert again.post(f"/jobs/{job.number}/cancel", {}).headers["location"] == "/search#job-0001"
    ended = client.finished()
    assert ended.state == "cancelled"
    assert sorted(path.name for path in job.folder.iterdir()) == ["call.json", "ended.json", "said.txt"]
    until = time.monotonic() + PATIENCE
    while _processes(group) and time.monotonic() < until:  # a busy machine needs a moment to end what was killed
        time.sleep(0.02)
    assert _processes(group) == []
    assert "cancelled" in client.get("/search").text


@pytest.mark.long
def test_a_killed_job_is_told_as_one(client: Client):
    client.post("/release", {"act": "run", "as_they_are": "yes"})
    job = _running(client)
    os.killpg(int(job.file("alive")), signal.SIGKILL)
    assert client.finished().state == "lost"
    page = client.get("/release").text
    assert "ended before it was done; nothing was written" in page
    assert Client(client.project).get("/release").status_code == 200
    runs = client.project.parent / "runs"
    assert not runs.exists() or not [path for path in runs.iterdir() if path.name[0] != "."]


def test_time_left_is_told_once_it_can_be(tmp_path: Path):
    job = Job("0001", tmp_path, "risk", "running", seconds=10.0)
    assert job.left is None
    assert Job("0001", tmp_path, "risk", "running", seconds=10.0, share=0.25).left == 30.0
    assert Job("0001", tmp_path, "risk", "done", seconds=10.0, share=0.25).left is None


def test_a_long_stage_does_not_push_the_end_away(tmp_path: Path):
    told = [Job("0001", tmp_path, "run", "running", seconds=s, share=0.5, after=20.0).left for s in (20.0, 30.0, 45.0)]
    assert told == [20.0, 10.0, None]


def test_the_process_of_a_job_shows_that_it_lives_before_it_loads_what_it_needs():
    rooms = {"microveil.plan", "starlette", "microveil.app.server"}
    code = f"import sys, microveil.app.work; print({rooms} & {{*sys.modules}})"
    said = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "set()\n"


def test_every_call_says_its_command():
    settings = {
        "path": "data.csv",
        "plans": ["project.yaml"],
        "folder": "s",
        "package": "runs/0001/package",
        "original": "a.csv",
        "protected": "b.csv",
    }
    for call in CALLS.values():
        assert call.command(Path("/home/x/project.yaml"), settings)[0] == "microveil"
        assert "/home/x" not in " ".join(call.command(Path("/home/x/project.yaml"), settings))


def test_a_job_whose_process_only_just_begins_is_not_lost(client: Client):
    client.jobs.folder.mkdir(parents=True)
    call = client.jobs.folder / "0001" / "call.json"
    call.parent.mkdir()
    call.write_text(f'{{"what": "risk", "by": "{version("microveil")}"}}', encoding="utf-8")
    assert client.get("/risk").status_code == 200  # another tab, or a reload while the button is being answered
    found = client.jobs.find("0001")
    assert found is not None
    assert found.running
    assert [path.name for path in call.parent.iterdir()] == ["call.json"]
    assert "another job is running" in client.post("/risk").text
    os.utime(call, (0, 0))
    found = client.jobs.find("0001")
    assert found is not None
    assert found.state == "lost"


def test_a_process_that_does_not_begin_in_time_never_begins(client: Client, monkeypatch: pytest.MonkeyPatch):
    begun = []

    def begin(folder: Path, home: Path) -> subprocess.Popen[bytes]:
        begun.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]))
        return begun[-1]

    monkeypatch.setattr(jobs, "_begin", begin)
    monkeypatch.setattr(jobs, "_BEGINNING", 0.05)
    assert client.post("/risk").status_code == 303
    assert begun[0].returncode is not None
    assert client.jobs.all()[0].state == "lost"


@pytest.mark.usefixtures("jobs_here")
def test_a_link_put_in_the_place_of_the_file_is_refused_by_the_job(client: Client):
    data = client.project.parent / "data.csv"
    data.rename(outside := client.project.parent.parent / f"{client.project.parent.name}.csv")
    data.symlink_to(outside)
    client.post("/risk")
    ended = client.finished()
    assert ended.state == "failed"
    assert "not below the folder of the project" in ended.message
