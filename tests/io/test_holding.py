"""Files that have no name yet are read by their names, and are gone with their process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from microveil.io import atomic, sha256_of, write_text
from microveil.io.holding import OPEN_FILES, holding, is_strange_link


@pytest.fixture(autouse=True)
def nameless(tmp_path: Path) -> None:
    handle = atomic._nameless(tmp_path)
    if handle is None:
        pytest.skip("this file system knows no files without a name")
    os.close(handle)


def test_a_held_file_is_read_by_its_name_and_named_at_the_end(tmp_path: Path) -> None:
    with holding(tmp_path) as held:
        write_text(tmp_path / "a.txt", "first")
        write_text(tmp_path / "a.txt", "second", private=True)
        link = tmp_path / "a.txt"
        assert link.is_symlink()
        assert not is_strange_link(link)
        assert link.read_text() == "second"
        found = sha256_of(link)
        held.name()
        assert not link.is_symlink()
        assert sha256_of(link) == found
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o600


def test_what_was_written_first_is_named_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []
    link = os.link

    def note(source: object, target: str, **options: int) -> None:
        named.append(target)
        link(source, target, **options)

    with holding(tmp_path) as held:
        for name in ("data.csv", "codebook.txt", "log.json"):
            write_text(tmp_path / name, name)
        monkeypatch.setattr(os, "link", note)
        held.name()
    assert named == ["log.json", "codebook.txt", "data.csv"]


def test_what_was_never_named_is_gone_and_no_file_stays_open(tmp_path: Path) -> None:
    before = len(list(OPEN_FILES.iterdir()))
    with holding(tmp_path):
        write_text(tmp_path / "a.txt", "x")
    assert len(list(OPEN_FILES.iterdir())) == before
    assert not (tmp_path / "a.txt").exists()


def test_other_links_and_other_folders_are_as_ever(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "held").mkdir()
    with holding(tmp_path / "held"):
        write_text(tmp_path / "a.txt", "x")
        assert not (tmp_path / "a.txt").is_symlink()
        assert is_strange_link(tmp_path / "link")
        (tmp_path / "held" / "link").symlink_to(tmp_path / "a.txt")
        assert is_strange_link(tmp_path / "held" / "link")


def test_a_killed_process_leaves_links_that_lead_nowhere(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from microveil.io import write_text\n"
        "from microveil.io.holding import OPEN_FILES, holding\n"
        "with holding(Path(sys.argv[1])):\n"
        "    write_text(Path(sys.argv[1]) / 'a.txt', 'canary')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [(path.name, path.exists()) for path in tmp_path.iterdir()] == [("a.txt", False)]
