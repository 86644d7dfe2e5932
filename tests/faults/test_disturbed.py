"""Runs that something disturbs: one clear line, the right status, and nothing is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked and killed here")


@pytest.fixture(scope="module")
def ended() -> dict[str, dict[str, Any]]:
    """How every disturbed run ended."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.scenes"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


def test_runs_are_forked_from_a_process_that_has_no_threads(ended: dict[str, Any]) -> None:
    """A lock that another thread holds at that moment stays closed in the fork: runs would hang or fail by chance."""
    allowed = ("python", "jemalloc")  # the allocator of pyarrow readies itself for forks
    assert [name for name in ended["threads"]["threads"] if not name.startswith(allowed)] == []


def check_closed(found: dict[str, Any], status: int, told: str) -> None:
    """One line, and no trace."""
    if "skipped" in found:
        pytest.skip(found["skipped"])
    assert (found["status"], len(found["lines"])) == (status, 1), found
    assert told in found["lines"][0]
    assert (found["packages"], found["wrong"], found["hidden"]) == ([], [], 0)


@pytest.mark.parametrize("size", [0, 5000])
def test_a_full_disk(ended: dict[str, Any], size: int) -> None:
    check_closed(ended[f"full disk at {size}"], 2, "cannot be written: File too large; nothing was written")


def test_a_disk_that_is_really_full(ended: dict[str, Any]) -> None:
    check_closed(ended["full tmpfs"], 2, "cannot be written: No space left on device; nothing was written")


def test_a_folder_that_is_read_only(ended: dict[str, Any]) -> None:
    check_closed(ended["read-only folder"], 2, "nothing can be written into")


@pytest.mark.parametrize("what", ["changed", "vanished"])
def test_data_that_change_during_the_run(ended: dict[str, Any], what: str) -> None:
    check_closed(ended[f"input {what}"], 2, "survey.csv was changed or moved away during the run; nothing was written")


def test_a_clock_that_is_set_back(ended: dict[str, Any]) -> None:
    """Numbers go on, and what a killed run left is swept though its times lie ahead."""
    found = ended["clock set back"]
    assert (found["first"], found["status"], found["packages"]) == (0, 0, ["0001", "0002"])
    assert (found["wrong"], found["hidden"]) == ([], 0)
    assert found["dates"][1] == "1999-01-01" < found["dates"][0]


def test_two_runs_at_once(ended: dict[str, Any]) -> None:
    """Each ends with a number and a package of its own."""
    found = ended["two at once"]
    assert found["statuses"] == [0, 0]
    assert len(found["packages"]) == 2
    assert not found["lines"]
    assert (found["wrong"], found["hidden"]) == ([], 0)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("where", [0.5, 0.9])
def test_a_signal_that_asks_for_the_end(ended: dict[str, Any], name: str, where: float) -> None:
    check_closed(ended[f"{name} at {where}"], 130, "microveil: stopped; nothing was written")
