"""The records of decisions: short, complete, and listed in their index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "decisions"
RECORDS = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
LINK = re.compile(r"\]\(([^)#\s]+)")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_is_short_and_has_its_three_parts(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40
    assert [line for line in lines if line.startswith("#")] == [
        lines[0],
        "## Context",
        "## Decision",
        "## Consequence",
    ]
    words = re.sub(r"[^a-z0-9]+", "-", lines[0].removeprefix("# ").lower()).strip("-")
    assert re.fullmatch(rf"\d{{3}}-{words}", path.stem)


def test_the_index_lists_every_record_once_by_number_and_title():
    expected = [
        f"- [{path.stem[:3]} {path.read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')}]({path.name})"
        for path in RECORDS
    ]
    assert len(expected) >= 60
    assert re.findall(r"^- .*$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE) == expected
    assert len({path.stem[:3] for path in RECORDS}) == len(RECORDS)


def test_links_lead_to_files():
    pages = [FOLDER / "README.md", *RECORDS]
    links = [(page, link) for page in pages for link in LINK.findall(page.read_text(encoding="utf-8"))]
    assert [(page.name, link) for page, link in links if ":" not in link and not (page.parent / link).is_file()] == []


def test_references_in_sources_name_records_that_exist():
    root = FOLDER.parents[1]
    sources = [*(root / "src").rglob("*.py"), *(root / "tools").rglob("*.py"), *(root / "tests").rglob("*.py")]
    named = {
        name
        for path in sources
        for name in re.findall(r"docs/decisions/(\d{3}-[a-z0-9-]+)", path.read_text(encoding="utf-8"))
    }
    assert named
    assert named - {path.stem for path in RECORDS} == set()
