"""Numbers of runs: one after the other, never twice, and free again after a run that died."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from microveil.core.errors import FileProblem
from microveil.core.locking import knows_locks
from microveil.package import numbering
from microveil.package.numbering import next_run

needs_locks = pytest.mark.skipif(not knows_locks(), reason="this system has no locks that end with their process")


def test_runs_at_once_never_share_a_number(tmp_path):
    with next_run(tmp_path) as first, next_run(tmp_path) as second:
        assert (first.name, second.name) == ("0001", "0002")
        second.mkdir()
    assert [path.name for path in tmp_path.iterdir()] == ["0002"]
    with next_run(tmp_path) as third:
        assert third.name == "0003"


def test_the_highest_number_counts_and_others_are_no_runs(tmp_path):
    for name in ("0007", "12", "notes", "00011"):
        (tmp_path / name).mkdir()
    with next_run(tmp_path) as found:
        assert found.name == "0012"


DIES = """
import os, sys
from pathlib import Path
from microveil.package.numbering import next_run
with next_run(Path(sys.argv[1])):
    os._exit(9)
"""


@pytest.mark.long
@needs_locks
def test_what_a_dead_run_left_is_swept(tmp_path):
    ended = subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    assert ended.returncode == 9
    assert [path.name for path in tmp_path.iterdir()] == [".microveil-run-0001"]
    (tmp_path / ".microveil-run-0005").touch()
    half = tmp_path / ".microveil-abc"  # a package on its way
    half.mkdir()
    (half / "lock").touch()
    (half / "data.csv").write_text("x")
    with next_run(tmp_path) as found:
        assert found.name == "0001"
        assert [path.name for path in tmp_path.iterdir()] == [".microveil-run-0001"]
    assert list(tmp_path.iterdir()) == []


def test_without_locks_the_first_to_come_has_the_number(tmp_path, monkeypatch):
    monkeypatch.setattr(numbering, "knows_locks", lambda: False)
    with next_run(tmp_path) as first, next_run(tmp_path) as second:
        assert (first.name, second.name) == ("0001", "0002")
    assert list(tmp_path.iterdir()) == []


def test_a_failing_run_frees_its_number(tmp_path):
    with pytest.raises(ZeroDivisionError), next_run(tmp_path):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FileProblem, match="nothing can be written into"), next_run(tmp_path):
        pass
    tmp_path.chmod(0o700)
