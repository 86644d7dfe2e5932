"""The page in docs: its cells agree with the rule, the counts, and the records of decisions that quote it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from microveil import reproduce
from microveil.reproduce import cholesky_tables
from microveil.reproduce.status import PASSING, STATUSES, Range, status_of
from microveil.reproduce.text import COMPARED, summary_text

DOCS = Path(__file__).resolve().parents[2] / "docs"
STATUS, READINGS = "status-of-reproduced-figures", "rejected-readings-of-published-tables"
NUMBER = r"(-?[\d.]+(?:e[-+]\d+)?|nan)"


@dataclass(frozen=True)
class Shown:
    """A cell as the page prints it."""

    table: str
    row: str
    column: str
    published: str
    ours: Range | None
    status: str

    def judged(self, factor: float = 1.0) -> str:
        """The status if the published figure were this many times as large."""
        decimals = len(self.published.partition(".")[2])
        exact_zero = self.status == "zero by construction"
        return status_of(float(self.published) * factor, self.ours, decimals, exact_zero=exact_zero)


@cache
def page() -> str:
    return unescape((DOCS / "reproduction.html").read_text(encoding="utf-8"))


@cache
def cells() -> tuple[Shown, ...]:
    found = []
    for section in page().split("<section>")[1:]:
        name = re.search(r'<h2 id="([^"]+)"', section)
        assert name
        columns = re.findall(r'<th scope="col">(.*?)</th>', section)
        for row, line in re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', section, re.DOTALL):
            texts = re.findall(r"<td.*?</td>", line)
            found += [
                _shown(name[1], row, *pair) for pair in zip(columns, texts, strict=True) if pair[1] != "<td></td>"
            ]
    return tuple(found)


def _shown(table: str, row: str, column: str, text: str) -> Shown:
    digits = re.search(rf'title="{NUMBER} \({NUMBER} to {NUMBER}\)"', text)
    published = re.search(r"<small>paper (.*?)</small>", text)
    kind = re.search(r'<td class="(.*?)"', text)
    assert kind
    ours = Range(float(digits[1]), float(digits[2]), float(digits[3])) if digits else None
    return Shown(table, row, column, published[1] if published else "", ours, kind[1].replace("-", " "))


def compared() -> list[Shown]:
    return [cell for cell in cells() if cell.published and cell.status != "not comparable"]


def test_the_page_shows_every_table():
    assert list(dict.fromkeys(cell.table for cell in cells())) == [table.name for table in reproduce.tables()]


def test_the_status_of_every_cell_follows_from_its_figures():
    assert len(compared()) > 700
    assert [cell for cell in compared() if cell.judged() != cell.status] == []
    assert {cell.status for cell in cells()} <= set(STATUSES)


@pytest.mark.parametrize("factor", [1.25, 1 / 1.25, 2, 0.5])
def test_no_cell_that_passes_would_pass_with_another_published_figure(factor):
    passing = [cell for cell in compared() if cell.status in PASSING and float(cell.published)]
    assert len(passing) > 80
    assert [cell for cell in passing if cell.judged(factor) in PASSING] == []


def test_the_page_tells_why_larger_groups_are_not_the_reading():
    assert page().count(cholesky_tables.NOT_LARGER) == 3


def test_the_counts_and_the_summary_are_those_of_the_cells():
    counted = Counter(cell.status for cell in cells())
    cards = {status: int(number) for number, status in re.findall(r'<div class="card"><b>(\d+) (.*?)</b>', page())}
    assert cards == counted
    assert summary_text({status: counted[status] for status in STATUSES}) in page()
    assert sum(counted[status] for status in COMPARED) + counted["zero by construction"] == len(compared())


@cache
def record(title: str) -> str:
    """Return the text of the record of a decision, on one line."""
    (path,) = (DOCS / "decisions").glob(f"[0-9]*-{title}.md")
    return " ".join(path.read_text(encoding="utf-8").split())


def means(table: str, row: str, decimals: int, *columns: str) -> str:
    """Our means of a row as a sentence lists them."""
    row_cells = {cell.column: cell.ours for cell in cells() if (cell.table, cell.row) == (table, row)}
    texts = [f"{ours.mean:.{decimals}f}" for column in columns or row_cells if (ours := row_cells[column])]
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def test_decisions_quote_the_counts_of_the_page():
    counted = Counter(cell.status for cell in cells())
    passing, everything = (sum(counted[status] for status in chosen) for chosen in (PASSING, COMPARED))
    assert (
        f"On the published page {passing} of {everything} figures compared pass, {counted['near']} are near, "
        f"{counted['unresolved']} unresolved, {counted['too wide to tell']} too wide to tell; "
        f"{counted['zero by construction']} zeros hold by construction."
    ) in record(STATUS)


def test_decisions_quote_how_many_passing_figures_are_near_the_end_of_their_scale():
    ends = {"cholesky-1.2": 100, "cholesky-1.3": 100, "cholesky-1.4": 100, "pil-2": 1, "pil-3": 1}
    high = [
        cell
        for cell in compared()
        if cell.status in PASSING and cell.table in ends and float(cell.published) > 0.8 * ends[cell.table]
    ]
    assert f"Of those that pass, {len(high)} lie above four fifths of a scale that ends" in record(STATUS)


def test_decisions_quote_the_figures_of_readings_that_were_tried():
    risks = ("DLD", "RID", "SDID")
    tried, read = (means("cholesky-1.2", row, 1, *risks) for row in ("X''(mic, k = 8)", "X''(mic)"))
    assert f"are on average {tried} (with k = 3: {read}; published: 2.0, 41.1 and 41.4)" in record(READINGS)
    mutual, one_way = (means("microhybrid-5", f"% correct matches{more}", 2) for more in (", mutual neighbours", ""))
    assert f"rates of {mutual} %" in record(READINGS)
    assert f"links in one direction: {one_way})" in record(READINGS)


def test_decisions_say_of_the_hybrid_of_microaggregation_what_the_page_says():
    statuses = {cell.column: cell.status for cell in cells() if (cell.table, cell.row) == ("cholesky-1.2", "X''(mic)")}
    by_status: dict[str, list[str]] = {}
    for column, status in statuses.items():
        by_status.setdefault(status, []).append(column)
    said = "; ".join(f"{status}: {', '.join(columns)}" for status, columns in by_status.items())
    assert f"X''(mic) in Table 1.2 ({said})" in record(READINGS)
