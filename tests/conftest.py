"""Where the reference files are, and the settings all tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# several tests run at a time: threads of each would only wait for one another; read when NumPy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

from tests.spark import need_spark

settings.register_profile("microveil", deadline=None, max_examples=30, derandomize=True)
settings.load_profile("microveil")


def shared_folder() -> Path:
    """The folder of the reference data: MICROVEIL_DATA, or `shared` beside the project."""
    default = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("MICROVEIL_DATA", default))


def shared_file(*parts: str) -> Path:
    """A reference file; the test is skipped where it is absent."""
    path = shared_folder().joinpath(*parts)
    if not path.exists():
        pytest.skip(
            f"reference file {'/'.join(parts)} is not there; set MICROVEIL_DATA to the folder with data/ and oracles/"
        )
    return path


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
