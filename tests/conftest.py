"""What all tests share: settings, marks, a command, a working folder, small files, reference files, Spark."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

# several tests run at a time: threads of each would only wait for one another; read when NumPy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

import microveil as mv
from tests import reference
from tests.spark import need_spark

QUICK_PARAMETERS = 2  # of each test in make test-quick

settings.register_profile("microveil", deadline=None, max_examples=30, derandomize=True)
settings.load_profile("microveil")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what reads reference files, and further parameters of a test as long."""
    tried = Counter[str]()
    for item in items:
        test, has_parameters, _ = item.nodeid.partition("[")
        tried[test] += 1
        # the common suite states its tiers itself (microveil.testing.suite)
        if has_parameters and tried[test] > QUICK_PARAMETERS and "test_common_suite" not in test:
            item.add_marker("long")
        module = getattr(item, "module", None)
        if module is not None and (reads_reference(module) or "census" in getattr(item, "fixturenames", ())):
            item.add_marker("reference")


@cache
def reads_reference(module: ModuleType) -> bool:
    """Return whether a module of tests uses a function of tests.reference, directly or through another module."""
    makers = {getattr(value, "__module__", None) for value in vars(module).values() if callable(value)}
    known = {name for name in makers if name and name.startswith("tests.") and name != module.__name__}
    return reference.__name__ in known or any(reads_reference(sys.modules[name]) for name in known)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Show reference files to tests with the mark alone: to all others there are none."""
    marked = item.get_closest_marker("reference") is not None
    os.environ["MICROVEIL_DATA"] = str(reference.FOLDER if marked else "no-reference-files")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the present one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command in this process; check its status and a part of its output, and return all of the output."""
    from microveil.cli import main

    def call(*words: object, status: int = 0, match: str = "") -> str:
        monkeypatch.setattr(sys, "argv", ["microveil", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        output = (shown.out + shown.err).replace("\n", " ")
        assert int(end.value.code or 0) == status, output
        assert match in output
        return output

    return call


@pytest.fixture(scope="session")
def survey() -> mv.Microdata:
    """300 generated people with the roles of the generator."""
    return mv.Microdata(mv.datasets.make_survey(300, seed=1), **mv.datasets.survey_schema())


@pytest.fixture
def survey_file(folder: Path) -> Path:
    """The same people in survey.csv, in the present folder."""
    from pyarrow.csv import write_csv

    write_csv(mv.datasets.make_survey(300, seed=1), folder / "survey.csv")
    return folder / "survey.csv"


@pytest.fixture(scope="session")
def enterprises() -> mv.Microdata:
    """200 generated enterprises."""
    return mv.Microdata(mv.datasets.make_enterprises(200, seed=1), **mv.datasets.enterprises_schema())


@pytest.fixture(scope="session")
def census() -> Any:
    """The Census file of the literature, 1,080 records with 13 attributes."""
    reference.shared_file("data", "census.csv")
    return mv.datasets.load("census")


@pytest.fixture(scope="session")
def spark_context() -> Iterator[Any]:
    """Spark on this machine, one for all tests."""
    need_spark()
    from microveil.engines.spark_context import start_here, stop

    context = start_here(2)
    yield context
    stop(context)


@pytest.fixture(scope="session")
def spark(spark_context: Any) -> Any:
    """A session for frames, in the same Spark."""
    from pyspark.sql import SparkSession

    session = SparkSession(spark_context)
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session
