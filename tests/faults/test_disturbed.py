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
pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked and killed here"),
    pytest.mark.long,
]

TOO_LARGE = "cannot be written: File too large; nothing was written"
CHANGED = "survey.csv was changed or moved away during the run; nothing was written"
STOPPED = "microveil: stopped; nothing was written"
CLOSED = {
    "full disk at 5000": (2, TOO_LARGE),
    "SIGTERM at 0.9": (130, STOPPED),
}
CLOSED_TOO = {
    "read-only folder": (2, "nothing can be written into"),
    "full disk at 0": (2, TOO_LARGE),
    "full tmpfs": (2, "cannot be written: No space left on device; nothing was written"),
    "input changed": (2, CHANGED),
    "input vanished": (2, CHANGED),
    "SIGINT at 0.5": (130, STOPPED),
    "SIGINT at 0.9": (130, STOPPED),
    "SIGTERM at 0.5": (130, STOPPED),
}


def ends_of(*scenes: str) -> dict[str, dict[str, Any]]:
    """How disturbed runs ended."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    words = [sys.executable, "-m", "tests.faults.scenes", *scenes]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def ended() -> dict[str, dict[str, Any]]:
    return ends_of(*CLOSED, "two at once", "killed", "threads")


@pytest.fixture(scope="module")
def ended_too() -> dict[str, dict[str, Any]]:
    return ends_of(*CLOSED_TOO, "clock set back")


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


@pytest.mark.parametrize("scene", CLOSED)
def test_a_disturbed_run_ends_in_one_line(ended: dict[str, Any], scene: str) -> None:
    check_closed(ended[scene], *CLOSED[scene])


@pytest.mark.full
@pytest.mark.parametrize("scene", CLOSED_TOO)
def test_another_disturbed_run_ends_in_one_line(ended_too: dict[str, Any], scene: str) -> None:
    check_closed(ended_too[scene], *CLOSED_TOO[scene])


@pytest.mark.full
def test_a_clock_that_is_set_back(ended_too: dict[str, Any]) -> None:
    """Numbers go on, and what a killed run left is swept though its times lie ahead."""
    found = ended_too["clock set back"]
    assert (found["first"], found["status"], found["packages"]) == (0, 0, ["0001", "0002"])
    assert (found["wrong"], found["hidden"]) == ([], 0)
    assert found["dates"][1] == "1999-01-01" < found["dates"][0]


def test_a_killed_run_leaves_nothing_that_counts_and_the_next_gives_the_same_bytes(ended: dict[str, Any]) -> None:
    """tests/faults/test_killed.py kills more of them."""
    found = ended["killed"]
    assert found["left"] == [[], []]
    for status, left in found["after"]:
        assert (status, left["lines"], left["wrong"], left["hidden"]) == (0, [], [], 0)
        assert left["packages"] == ["0001"]
    assert found["given"] == 1


def test_two_runs_at_once(ended: dict[str, Any]) -> None:
    """Each ends with a number and a package of its own."""
    found = ended["two at once"]
    assert found["statuses"] == [0, 0]
    assert len(found["packages"]) == 2
    assert not found["lines"]
    assert (found["wrong"], found["hidden"]) == ([], 0)
