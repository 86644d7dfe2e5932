"""Figures of a file that was written anew since say so."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from microveil.app.stamps import stamps_of, written_anew
from tests.app.client import Client


def test_a_file_that_is_written_anew_or_gone_is_named(tmp_path: Path):
    names = ["a.csv", "b.csv", "nowhere.csv", "a\0b"]
    for name in names[:2]:
        (tmp_path / name).write_text("x\n1\n", encoding="utf-8")
    stamps = stamps_of(tmp_path, names)
    assert written_anew(tmp_path, stamps) == ""
    (tmp_path / "a.csv").write_text("x\n1\n2\n", encoding="utf-8")
    assert written_anew(tmp_path, stamps) == "a.csv was written anew since, or is gone."
    (tmp_path / "b.csv").unlink()
    assert written_anew(tmp_path, stamps) == "a.csv and b.csv were written anew since, or are gone."
    many = written_anew(tmp_path, {f"{i}.csv": [1, 1] for i in range(9)})
    assert many == "0.csv, 1.csv, 2.csv, 3.csv and others were written anew since, or are gone."


@pytest.mark.parametrize("path", ["/data", "/roles", "/rules", "/columns/2"])
def test_pages_say_that_the_look_is_of_another_file(looked: Callable[[], Client], path: str):
    client = looked()
    file = client.project.parent / "data.csv"
    assert "written anew" not in client.get(path).text
    known = file.stat()
    file.write_text(file.read_text(encoding="utf-8").replace("\nN,", "\nE,"), encoding="utf-8")
    assert "data.csv was written anew since" in client.get(path).text
    os.utime(file, ns=(known.st_atime_ns, known.st_mtime_ns))  # put back as it was
    assert "written anew" not in client.get(path).text
    text = client.project.read_text(encoding="utf-8").replace("path: data.csv", "path: data.csv, decimal: '.'")
    client.project.write_text(text, encoding="utf-8")
    assert "What the project says of the file was changed since." in client.get(path).text
