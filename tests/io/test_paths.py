"""Names of files: what no file can be called, and what is no file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from microveil.core.errors import BadInput, FileProblem
from microveil.io.paths import _shortened, check_path, check_target


@pytest.mark.parametrize(("length", "shown"), [(60, repr("x" * 60)), (61, repr("x" * 60 + "..."))])
def test_long_names_are_shortened(length: int, shown: str) -> None:
    assert _shortened(Path("x" * length)) == shown


def test_ordinary_paths_are_fine(tmp_path: Path) -> None:
    (tmp_path / "there.csv").touch()
    for path in (tmp_path, tmp_path / "there.csv", tmp_path / "not_there.csv"):
        check_path(path)


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds a zero character; give it a plain name"):
        check_path(tmp_path / "a\0b.csv")
    with pytest.raises(BadInput, match="has 5000 characters, more than the system allows"):
        check_path(tmp_path / ("x" * 5000))


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(FileProblem, match="is a pipe, not a file; name a file"):
        check_path(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(FileProblem, match="is a link that leads back to itself"):
        check_path(tmp_path / "loop.csv")


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    check_target(tmp_path / "new.csv")
    with pytest.raises(FileProblem, match="is a folder; name a file in it"):
        check_target(tmp_path)
    with pytest.raises(FileProblem, match=r"there is no folder '.*/nowhere' to write to; make it first"):
        check_target(tmp_path / "nowhere" / "new.csv")
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(FileProblem, match="is a link to a file that is not there"):
        check_target(tmp_path / "dangling.csv")
