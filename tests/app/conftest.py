"""What tests of the app share: a small project, once looked at."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("starlette", reason="the extra app is not installed")

from microveil.app import work
from microveil.study.workers import Here
from tests.app.client import Client

RECORDS = 60
DATA = "region,sex,age,income,tax\n" + "".join(
    f"{'NESW'[i % 4]},{'fm'[i % 2]},{20 + (7 * i) % 50},{1000 + (i * 7919) % 4000},{(i * 7919) % 400}\n"
    for i in range(RECORDS)
)
PROJECT = """\
version: 2
dataset: {path: data.csv}
columns:
  region: {role: key, kind: nominal}  # its name says something others may know
  sex: {role: key, kind: nominal}
  age: {role: key, kind: continuous}
  income: {role: confidential, kind: continuous}
  tax: {role: confidential, kind: continuous}
constraints:
- income >= 0
scenarios:
- name: neighbour
  keys: [region, sex]
  thresholds: {risk: 0.2}
plan:
  steps:
  - method: {microaggregation: {partition: {mdav: {k: 5}}}}
    columns: [age, income, tax]
"""


def make_project(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.csv").write_text(DATA, encoding="utf-8")
    project = folder / "project.yaml"
    project.write_text(PROJECT, encoding="utf-8")
    return project


@pytest.fixture(autouse=True)
def _no_job_goes_on() -> Iterator[None]:
    """Whatever becomes of a test, its jobs end with it."""
    yield
    while Client.made:
        Client.made.pop().end()


@contextmanager
def _jobs_here() -> Iterator[pytest.MonkeyPatch]:
    """Jobs, and the plans of a search, run in this process: each is done before the form is answered."""

    def begin(folder: Path, home: Path) -> SimpleNamespace:
        before, mask = Path.cwd(), os.umask(0o077)
        os.chdir(home)
        work.main(folder)
        os.chdir(before)
        os.umask(mask)
        return SimpleNamespace(poll=lambda: 0, wait=lambda _=None: 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microveil.app.work.signal.signal", lambda *_: None)  # a thread has no signals
        patch.setattr("microveil.app.jobs._begin", begin)
        patch.setattr("microveil.study.searching.Workers", lambda begin, *_: Here(begin()))
        yield patch


@pytest.fixture
def jobs_here() -> Iterator[None]:
    """Run jobs in this process."""
    with _jobs_here():
        yield


@pytest.fixture
def idle_jobs() -> Iterator[None]:
    """Jobs that end at once and find nothing, for tests of the forms that begin them."""
    with _jobs_here() as patch:
        patch.setattr(work, "_do", lambda _: {"result": {}, "mark": "", "plan": "", "files": {}})
        yield


@pytest.fixture
def client(tmp_path: Path) -> Client:
    """An app on a fresh project."""
    return Client(make_project(tmp_path))


@pytest.fixture(scope="session")
def _looked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("looked")
    client = Client(make_project(folder))
    with _jobs_here():
        client.post("/data", {"path": "data.csv"})
    assert client.finished().state == "done"
    return folder


@pytest.fixture
def looked(_looked: Path, tmp_path: Path) -> Callable[[], Client]:
    """An app on a project whose file was looked at."""
    shutil.copytree(_looked, tmp_path, dirs_exist_ok=True)
    return lambda: Client(tmp_path / "project.yaml")
