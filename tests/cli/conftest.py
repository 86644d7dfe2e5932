"""What tests of commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from microveil.cli import main


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command in this process; the status and a text of what was said are as expected."""

    def call(*words: object, status: int = 0, match: str = "") -> str:
        monkeypatch.setattr(sys, "argv", ["microveil", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        said = (shown.out + shown.err).replace("\n", " ")
        assert int(end.value.code or 0) == status, said
        assert match in said
        return said

    return call
