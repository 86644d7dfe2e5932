"""Hidden folders of processes that were killed are swept, and nothing else is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from microveil.core.stages import Stage, place_meant, remove_left_behind


@pytest.mark.parametrize("files", [[], ["lock.new"]])
def test_a_folder_without_a_lock_and_without_data_is_swept(tmp_path: Path, files: list[str]) -> None:
    """Its process was killed before it had the lock, or while it removed the folder."""
    left = tmp_path / ".microveil-ab12_xyz"
    (left / "new" / "0001").mkdir(parents=True)
    for name in files:
        (left / name).touch()
    remove_left_behind(tmp_path)
    assert not left.exists()


def test_what_could_not_be_put_back_stays(tmp_path: Path) -> None:
    kept = tmp_path / ".microveil-ab12_xyz"
    (kept / "old").mkdir(parents=True)
    (kept / "old" / "log.json").write_text("key")
    remove_left_behind(tmp_path)
    assert (kept / "old" / "log.json").read_text() == "key"


def test_a_living_stage_stays_and_removes_its_lock_at_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path / "out")
    stage.new.write_text("x")
    remove_left_behind(tmp_path)
    assert stage.new.read_text() == "x"
    seen: list[bool] = []
    monkeypatch.setattr("shutil.rmtree", lambda path, **_: seen.append((stage._folder / "lock").exists()))
    stage.remove()
    assert seen == [True, True, True]


def test_without_locks_nobody_can_tell_and_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = tmp_path / ".microveil-ab12_xyz"
    left.mkdir()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    remove_left_behind(tmp_path)
    assert left.exists()


def test_a_place_inside_hidden_folders_is_called_as_somebody_named_it(tmp_path: Path) -> None:
    outer = Stage(tmp_path / "out")
    outer.new.mkdir()
    inner = Stage(outer.new / "data")
    try:
        assert place_meant(inner.new) == tmp_path / "out" / "data"
        assert place_meant(tmp_path / "out") == tmp_path / "out"
    finally:
        inner.remove()
        outer.remove()
