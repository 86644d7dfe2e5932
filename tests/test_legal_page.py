"""The page on figures and the law: its names are there, its example keeps its limit, and it promises nothing."""

from __future__ import annotations

import re

import microveil as mv
from tests.pages import Reader, read_page

PAGE = read_page("legal.md")


def test_its_example_runs_and_keeps_the_limit(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Reader(monkeypatch, capsys).follow(PAGE)
    assert (tmp_path / "runs" / "0001" / "package" / "data.csv").exists()


def test_every_name_is_there():
    for room, name in re.findall(r"mv\.(\w+)\.(\w+)", PAGE):
        assert hasattr(getattr(mv, room), name), f"mv.{room}.{name}"


def test_it_claims_no_compliance():
    assert "It is no legal advice" in PAGE
    assert not re.search(r"\bcompl(y|ies|iant|iance)\b|\bguarantees? anonymity\b", PAGE)
