"""The first start after an installation: loops are compiled before somebody waits for them, in a process of its own.

`python -m microveil.app.warming` goes the whole way on a few records; whatever it needs is compiled and kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

LINE = (
    "microveil gets ready for this machine, once after an installation, for a minute or two (its loops are compiled). "
    "Pages work meanwhile; jobs take longer."
)
_RECORDS = 400


def begin_warming() -> subprocess.Popen[bytes] | None:
    """Begin to compile where it was not done for this installation; None where nothing is left to do."""
    if _done() is None or is_warm():
        return None
    command = [sys.executable, "-P", "-m", "microveil.app.warming"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def is_warm() -> bool:
    """Whether loops were compiled for this installation before."""
    place = _done()
    return place is not None and place.exists()


def end_warming(process: subprocess.Popen[bytes] | None) -> None:
    """End it with the app; what was compiled by then is kept."""
    if process is not None:
        process.terminate()
        process.wait()


def _done() -> Path | None:
    """The file that says that it was done; None where nothing can be kept."""
    from microveil.core.compiling import home_of_machine_code

    try:
        home = home_of_machine_code()
        home.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        return None
    place = home / f"ready-{version('microveil')}-{version('numba')}"
    return place if place.exists() or os.access(home, os.W_OK) else None


def warm() -> None:
    """Look at a file, assess, protect and measure it, as pages do."""
    from microveil import datasets, plan

    found = plan.inspect(datasets.make_survey(_RECORDS, seed=1))
    plan.assess(found.data, scenarios=found.scenarios)
    if found.plan is not None:
        release = found.plan.run(found.data)
        plan.evaluate(found.data, release, measures="quick", scenarios=found.scenarios)
    place = _done()
    if place is not None:
        place.touch()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(5)  # whoever uses the app comes first
    warm()
