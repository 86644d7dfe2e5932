"""Where Spark is: the session that somebody gives or has begun, or one on this machine that ends with the run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from microveil.core.errors import BadInput, FileProblem

_OLDEST = (3, 5)
_RETRIES = 4  # times that a task is tried on this machine, as often as on a cluster
_PATIENCE = 60  # seconds for Java to end by itself
_STARTED: list[Any] = []  # the context that was started here, while it runs: a process has one at a time


@contextmanager
def context_of(session: object, threads: int | None) -> Iterator[Any]:
    """The context of a session; where none is given, that of the running one, or one that is stopped at the end."""
    import_spark()
    from pyspark import SparkContext

    if session is not None:
        yield _given(session)
        return
    running = SparkContext._active_spark_context
    if running is not None and running._jsc is not None:
        if threads is not None and running not in _STARTED:
            _refuse_threads("a Spark session runs already")
        yield running
        return
    if is_submitted():
        if threads is not None:
            _refuse_threads("spark-submit says where the work is done")
        with without_pandas_warning():
            started = SparkContext.getOrCreate()
    else:
        started = start_here(threads)
        _STARTED.append(started)
    try:
        yield started
    finally:
        _STARTED.clear()
        stop(started)


def _refuse_threads(why: str) -> NoReturn:
    raise BadInput(f"{why}, and threads are those of a session that is started here; leave them out")


def import_spark() -> None:
    """Refuse in one sentence where there is no pyspark, or one that is too old."""
    if find_spec("pyspark") is None:
        raise BadInput("engine='spark' needs pyspark, which is not installed: pip install 'microveil[spark]'")
    import pyspark

    found = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    if found < _OLDEST:
        raise BadInput(
            f"pyspark {pyspark.__version__} is installed, and engine='spark' needs 3.5 or newer: "
            "pip install --upgrade 'microveil[spark]'"
        )


@contextmanager
def without_pandas_warning() -> Iterator[None]:
    """Keep pyspark from telling users about the version of a library that is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def is_submitted() -> bool:
    """Whether this process was started by spark-submit, which says where the work is done."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def _given(session: object) -> Any:
    context = None if "connect" in type(session).__module__.split(".") else getattr(session, "sparkContext", None)
    if context is None:
        raise BadInput(
            f"session is a {type(session).__module__}.{type(session).__name__}; give a SparkSession of "
            "pyspark.sql, as SparkSession.builder.getOrCreate() returns it where no remote server is named"
        )
    if context._jsc is None:
        raise BadInput("the Spark session that was given is stopped; give one that runs, or None to start one here")
    return context


# -- a session on this machine ---------------------------------------------------------------------


def start_here(threads: int | None) -> Any:
    """Start Spark on this machine: without its pages, its words kept off the terminal, what it spills encrypted."""
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.errors import PySparkException

    launch: Any = java_gateway.launch_gateway  # without types
    java = _java()
    settings = {
        "spark.master": f"local[{threads or '*'},{_RETRIES}]",
        "spark.app.name": "microveil",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.io.encryption.enabled": "true",
        "spark.log.level": "OFF",
    }
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    with tempfile.TemporaryFile() as said, without_pandas_warning(), _own_interrupts():
        try:
            gateway = launch(conf, {"stdout": subprocess.DEVNULL, "stderr": said})
            context = SparkContext(gateway=gateway, conf=conf)
        except (PySparkException, OSError) as problem:
            said.seek(0)
            _tell_not_started(java, said.read().decode(errors="replace"), problem)
    context.pythonExec = sys.executable  # whatever `python3` is
    return context


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Keep what Ctrl-C does: Spark takes it over, and who interrupts a run ends the session that it started anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(str(Path(home) / "bin" / "java")) if home else shutil.which("java")
    if found is None:
        where = f"JAVA_HOME is {home!r}, where there is no bin/java" if home else "no program java is found"
        raise BadInput(
            f"engine='spark' needs Java 17, and {where}; install it, or take engine='blocks', which needs none"
        )
    return found


def _tell_not_started(java: str, said: str, problem: Exception) -> NoReturn:
    import pyspark

    if "UnsupportedClassVersionError" in said:
        raise BadInput(
            f"{java} is too old for Spark {pyspark.__version__}; install Java 17 or newer, and name it by JAVA_HOME"
        ) from None
    lines = [line.strip() for line in said.splitlines() if "rror" in line or "xception" in line]
    reason = (lines or str(problem).splitlines() or [type(problem).__name__])[0]
    raise FileProblem(f"Spark {pyspark.__version__} did not start with {java}: {reason}") from None


def stop(context: Any) -> None:
    """End a session that was started here, and its Java."""
    from pyspark import SparkContext

    gateway = context._gateway
    context.stop()
    if is_submitted():
        return
    process = getattr(gateway, "proc", None)
    gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None
    if process is not None:
        process.stdin.close()  # it ends with that, or else is ended
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
