"""Runs that are killed: no partial package, no data outside of a whole one, and the next run gives the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked and killed here")
@pytest.mark.full
def test_ten_runs_that_are_killed() -> None:
    """Seven at steps spread over a run, three at random times; `python -m tools.faults` does more."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    words = [sys.executable, "-m", "tools.faults", "--steps", "7", "--random", "3", "--formats", "csv"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 kills; left:" in done.stdout
    assert "0 faults" in done.stdout
