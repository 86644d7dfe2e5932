"""Tables as text, HTML and Markdown."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from microveil.core.errors import BadInput
from microveil.reproduce.base import Cell, PaperTable
from microveil.reproduce.page import render_html, render_markdown, write_page
from microveil.reproduce.status import STATUSES, Range
from microveil.reproduce.text import MARKS, WIDTH, legend_text, summary_text, table_text


def toy(columns: int = 3, row: str = "X'(mic)") -> PaperTable:
    cells = [
        Cell(row, "A", 5.3, Range(23.5, 23.5, 23.5)),
        Cell(row, "B", 0.0, Range(0.0, 0.0, 0.0), exact_zero=True),
        Cell(row, "C", 39.1, Range(39.0, 38.9, 39.24)),
        *(Cell(row, f"column {j}", 1.0, Range(1.0, 0.9, 1.1)) for j in range(columns - 3)),
        Cell("alone", "A", None, Range(26.3, 26.3, 26.3)),
        Cell("timed", "A", 1.0, Range(2.0, 2.0, 2.0), 1, "another machine"),
    ]
    return PaperTable("toy-1", "Toy <table>", "Somebody & others", ("Read so.",), 2, tuple(cells), ("Take care.",))


def test_text_shows_paper_ours_and_range_below_one_another():
    lines = table_text(toy()).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("X'(mic)"))
    assert lines[start].split() == ["X'(mic)", "5.3", "0.0", "39.1"]
    assert lines[start + 1].split() == ["ours", "23.5!", "0.0z", "39.0+"]
    assert lines[start + 2].split() == ["range", "38.9–39.2"]
    assert lines[start + 3].split() == ["alone", "26.3"]
    assert "2 draws. 1 within range, 1 unresolved, 1 zero by construction, 1 ours only, 1 not comparable." in " ".join(
        table_text(toy()).split()
    )
    assert "Not comparable: another machine." in table_text(toy())


@pytest.mark.parametrize("columns", [3, 20])
@pytest.mark.parametrize("row", ["X'(mic)", "a row whose name is much too long to stand beside its figures " * 2])
def test_text_is_never_wider_than_the_terminal(columns, row):
    text = table_text(toy(columns, row.strip()[:90]))
    assert max(len(line) for line in text.splitlines()) <= WIDTH
    assert text.count("column 0") == (1 if columns > 3 else 0)


def test_legend_explains_the_marks_that_occur():
    text = legend_text([toy()])
    assert "!     1 unresolved" in text
    assert "near" not in text
    assert max(len(line) for line in text.splitlines()) <= WIDTH


def test_every_status_has_a_mark_of_its_own():
    assert set(MARKS) == set(STATUSES)
    assert len(set(MARKS.values())) == len(MARKS)


def test_the_summary_says_what_the_counts_mean_in_every_form():
    sentence = summary_text(toy().counts)
    assert sentence.startswith("Of 2 published figures compared, 1 agree with ours so closely that a figure a quarter")
    assert "proves neither these readings nor the papers" in sentence
    assert sentence.count(".") == 1
    assert sentence in " ".join(legend_text([toy()]).split())
    assert sentence in render_html([toy()])
    assert sentence in render_markdown([toy()])


def test_the_summary_without_published_figures():
    assert summary_text({"ours only": 3, "zero by construction": 2}) == (
        "No published figure is compared here, so the counts say nothing about the papers."
    )


class Tags(HTMLParser):
    """Collects tags and checks that they close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        assert not any(name in {"src", "onclick"} for name, _ in attrs)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_complete_escaped_and_says_unresolved_in_words():
    page = render_html([toy()], "a <seed>")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not tags.seen & {"script", "link", "img", "iframe"}
    assert "http" not in page
    assert "Toy &lt;table&gt;" in page
    assert "a &lt;seed&gt;" in page
    assert (
        '<td class="unresolved" title="23.5 (23.5 to 23.5)"><b>23.5</b><small>paper 5.3</small>'
        '<small class="unresolved">unresolved</small>' in page
    )
    assert "<b>1 unresolved</b>" in page
    for sentence in ("Read so.", "Take care.", "Not comparable: another machine.", "microveil reproduce toy-1"):
        assert sentence in page


def test_markdown_has_the_same_figures():
    text = render_markdown([toy()])
    assert "| X'(mic) | paper 5.3<br>ours 23.5<br>**unresolved** |" in text
    assert "paper 39.1<br>ours 39.0 (38.9 to 39.2)<br>within range" in text
    assert "In all: 1 within range, 1 unresolved, 1 zero by construction, 1 ours only, 1 not comparable." in text


def test_the_ending_says_what_is_written(tmp_path):
    write_page(tmp_path / "a.html", [toy()])
    write_page(tmp_path / "a.md", [toy()])
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "a.md").read_text().startswith("# ")
    with pytest.raises(BadInput, match=r"a\.txt ends in '\.txt'; the tables can be written to \.html and \.md"):
        write_page(tmp_path / "a.txt", [toy()])
