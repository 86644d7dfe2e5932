"""The tutorial as a data protector follows it: every command, and the figures that it reads aloud."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages import Reader, read_page


@pytest.mark.long
def test_every_block_runs_and_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("cryptography", reason="signatures need the extra sign")
    monkeypatch.chdir(tmp_path)
    reader = Reader(monkeypatch, capsys, drawn=("compare", "run"), rough=0.15)
    reader.follow(read_page("tutorial.md"))
    assert reader.ran == (["inspect", "risk", "compare", "run", "audit", "key", "sign", "audit", "register", "history"])
    for name in ("risk.html", "plans.html", "runs/0001/package/data.csv", "runs/0001/internal/sign_off.html"):
        assert (tmp_path / name).exists()
