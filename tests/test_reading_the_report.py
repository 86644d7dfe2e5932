"""The page on reports names what stands on them, and leaves figures of risk out where the report does."""

from __future__ import annotations

import html
import re

import pytest

from tests.pages import Reader, read_page

PAGE = read_page("reading_the_report.md")
PLACES = {
    "The verdict, at the top": "internal/report.html",
    "What is at risk (internal)": "internal/report.html",
    "What is promised (internal)": "internal/report.html",
    "What is lost (internal, and in words for users)": "internal/report.html",
    "The page to sign": "internal/sign_off.html",
    "The page for users": "package/report.html",
}


@pytest.mark.long
def test_every_figure_stands_on_the_page_that_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Reader(monkeypatch, capsys).follow(PAGE)
    sections = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])
    assert set(sections) == set(PLACES)
    for heading, place in PLACES.items():
        text = " ".join(html.unescape((tmp_path / "runs" / "0001" / place).read_text(encoding="utf-8")).split())
        words = re.findall(r"\*\*(.+?)\*\*", sections[heading])
        assert words
        assert [word for word in words if word not in text] == [], heading
    users = (tmp_path / "runs" / "0001" / "package" / "report.html").read_text(encoding="utf-8")
    assert "worst case" not in users
    assert "linkage" not in users
