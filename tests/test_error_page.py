"""Every error of the page is raised by the command above it, in these words and with this status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import Reader, read_page


@pytest.mark.long
def test_every_error_is_said_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = read_page("errors.md")
    reader = Reader(monkeypatch, capsys)
    reader.follow(page)
    assert len(reader.ran) == page.count("$ microveil ")
    assert page.count("# status") >= 18
    assert not (tmp_path / "out.csv").exists()
