"""The documentation as a site: it builds without a broken link and asks nobody for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HERE = all(find_spec(name) for name in ("mkdocs", "material", "mkdocstrings"))
needs_mkdocs = pytest.mark.skipif(not HERE, reason="the site needs the extra docs: pip install '.[docs]'")


class Fetched(HTMLParser):
    """Collects what a browser fetches to show a page; links that somebody may follow are not among it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in ("a", "area"):
            self.found += [
                given[name] for name in ("src", "srcset", "href", "data", "poster", "action") if given.get(name)
            ]


def outside(text: str) -> list[str]:
    page = Fetched()
    page.feed(text)
    in_styles = re.findall(r"(?:url\(|@import\s+)['\"]?([^'\")]+)", text)
    return [address for address in (*page.found, *in_styles) if re.match(r"(?:\w+:)?//", address)]


def test_what_a_page_fetches_is_told_from_where_it_leads():
    page = '<a href="https://there.org">x</a><img src="near.png"><script src="//cdn.org/x.js"></script>'
    assert outside(page + "<style>@import 'https://fonts.org/a.css'; b { c: url(near.svg) }</style>") == [
        "//cdn.org/x.js",
        "https://fonts.org/a.css",
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with every warning as an error: a link that leads nowhere, a page that no list names.

    A quiet build would count no warning at all.
    """
    folder = tmp_path_factory.mktemp("site")
    # the tool announces itself and its successors otherwise
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@needs_mkdocs
def test_no_page_fetches_anything_from_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 20
    found = {str(page.relative_to(site)): outside(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: addresses for name, addresses in found.items() if addresses} == {}
    styles = [outside(f"<style>{style.read_text(encoding='utf-8')}</style>") for style in site.rglob("*.css")]
    assert styles
    assert not any(styles)


@needs_mkdocs
def test_the_reference_shows_parameters_with_their_words_and_examples_as_code(site):
    masks = (site / "api" / "mask.html").read_text(encoding="utf-8")
    assert 'id="microveil.mask.RankSwap.p"' in masks
    assert "standard deviation" in masks
    first = (site / "api" / "first.html").read_text(encoding="utf-8")
    assert 'id="microveil.data.Microdata"' in first
    assert "<blockquote>" not in first


@needs_mkdocs
def test_search_needs_no_server(site):
    assert "micro-hybrid" in (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert 'src="assets/iframe-worker.js"' in (site / "index.html").read_text(encoding="utf-8")


def test_links_between_pages_lead_somewhere():
    """The same as in the site, for clones without its tools: files and headings that pages name exist."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "benchmarks" / "results.md"]
    broken = []
    for page in pages:
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target, anchor in re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)", prose):
            if ":" in target:
                continue
            file = (page.parent / target).resolve() if target else page
            if not file.exists() or (anchor and anchor not in headings(file)):
                broken.append((page.name, target, anchor))
    assert broken == []


def headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
