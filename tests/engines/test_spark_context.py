"""Where Spark is not, or is not as it must be: one sentence that says what to do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from microveil.core.errors import BadInput, FileProblem
from microveil.engines import spark_workers
from microveil.engines.spark_context import _tell_not_started, context_of
from microveil.engines.spark_workers import SparkWorkers, give_up
from tests.engines.fake_spark import Collection, FakeSession

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'microveil[spark]'")


def refused(match: str, session: object = None, threads: int | None = None) -> None:
    with pytest.raises(BadInput, match=match) as told, context_of(session, threads):
        pytest.fail("there was a context")
    assert "\n" not in str(told.value)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    for name in ("PYSPARK_GATEWAY_PORT", "JAVA_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_without_pyspark_or_with_an_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "3.4.2")
    refused(r"pyspark 3\.4\.2 is installed, and engine='spark' needs 3\.5 or newer")
    monkeypatch.setattr("microveil.engines.spark_context.find_spec", lambda _: None)
    refused(r"needs pyspark, which is not installed: pip install 'microveil\[spark\]'")


@pytest.mark.usefixtures("nothing_runs")
def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    refused("engine='spark' needs Java 17, and no program java is found")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    refused("engine='spark' needs Java 17, and JAVA_HOME is .* where there is no bin/java")


def test_java_that_spark_does_not_take() -> None:
    with pytest.raises(BadInput, match="/x/java is too old for Spark"):
        _tell_not_started("/x/java", "java.lang.UnsupportedClassVersionError: ...\n", OSError("ended"))
    with pytest.raises(FileProblem, match=r"did not start with /x/java: Error: no such option$"):
        _tell_not_started("/x/java", "hello\nError: no such option\nmore\n", OSError("ended"))


def test_sessions_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("session is a builtins.int; give a SparkSession", session=3)
    remote = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session", "sparkContext": FakeSession()})
    refused("where no remote server is named", session=remote())
    refused("is stopped", session=SimpleNamespace(sparkContext=SimpleNamespace(_jsc=None)))
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", FakeSession())
    refused("a Spark session runs already, and threads are those of a session that is started here", threads=2)
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    refused("spark-submit says where the work is done, and threads", threads=2)


@pytest.mark.parametrize(
    ("found", "match"),
    [
        (None, "scipy is not installed for the Python of the Spark tasks on node1; install microveil there"),
        ("1.0", r"Spark tasks on node1 have scipy 1\.0, and here it is .*; give both the same versions"),
    ],
)
def test_tasks_of_other_versions(found: str | None, match: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Told(Collection):
        def mapPartitions(self, work: Any) -> Any:
            ((_, versions),) = work(None)
            return Collection([[("node1", {**versions, "scipy": found})]])

    class Context(FakeSession):
        applicationId = "other"  # noqa: N815

        def parallelize(self, items: Any, parts: int) -> Collection:
            return Told([items])

    monkeypatch.setattr(spark_workers, "_ALIKE", set())
    with pytest.raises(BadInput, match=match):
        SparkWorkers(Context()).refuse_unlike()
    assert not spark_workers._ALIKE


def test_what_spark_says_is_one_sentence() -> None:
    from pyspark.errors import PySparkRuntimeError

    announced = (
        "An exception was thrown from the Python worker:\nTraceback:\n  File x\nModuleNotFoundError: No module y\n"
    )
    with pytest.raises(FileProblem, match=r"^Spark gave the work up: ModuleNotFoundError: No module y; nothing was w"):
        give_up(PySparkRuntimeError(announced))
    with pytest.raises(FileProblem, match=r"^Spark gave the work up: Job aborted: a lost task; nothing was written$"):
        give_up(PySparkRuntimeError("Job aborted: a lost task.\n\nDriver stacktrace:\nat x"))
    with pytest.raises(BadInput, match=r"run another Python than this process.*PYSPARK_PYTHON"):
        give_up(PySparkRuntimeError("... [PYTHON_VERSION_MISMATCH] ..."))
    with pytest.raises(ZeroDivisionError):
        give_up(ZeroDivisionError())
