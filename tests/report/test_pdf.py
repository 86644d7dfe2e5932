"""Reports as PDF: what users wrote is text, the same bytes twice, readable for all and by archives."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.measure import Pair
from microveil.report import typesetting
from microveil.report.as_html import as_html
from microveil.report.as_pdf import as_pdf
from microveil.report.chart_bars import bars_pair
from microveil.report.page import InternalContent, internal_report
from microveil.report.parts import (
    Beside,
    Cell,
    Chart,
    Code,
    Column,
    Decision,
    Fold,
    Heading,
    Items,
    Lines,
    Note,
    Pairs,
    Part,
    Report,
    Row,
    Screen,
    Step,
    Table,
    Text,
    Words,
)

pytest.importorskip("typst", reason="the extra pdf is not installed")

NASTY = '#eval("1+1") #panic() $x^2$ @label <label> [b] *b* _i_ `r` ```c``` <script>alert(1)</script> \\ // /* = {{7}}'
CHART = bars_pair(NASTY, [NASTY, "b"], np.array([3, 1]), np.array([1, 3]))
EVERY: tuple[Part, ...] = (
    Heading(NASTY),
    Heading(NASTY, 3),
    Text(NASTY),
    Text((NASTY, *(Words(NASTY, style) for style in ("strong", "soft", "small", "below"))), "soft"),
    Text(NASTY, "line"),
    Note(NASTY),
    Items((NASTY, NASTY)),
    Items((NASTY,), ordered=True, style="broken"),
    Table(
        (Column(NASTY), Column(NASTY, number=True, told=True)),
        (
            Row((NASTY, Cell(NASTY, "hash")), (Fold("its parts", (Pairs(((NASTY, "1"),)),)),)),
            *(Row((NASTY, Cell(NASTY, style))) for style in ("value", "name", "holds", "broken", "proven")),
        ),
        "figures measures",
    ),
    Table((), (Row((NASTY, NASTY)),), "tight"),
    Pairs(((NASTY, "1"), ("b", NASTY))),
    Code(f"a: {NASTY}\nb: 2"),
    Chart(CHART),
    Beside((Chart(CHART), Chart(CHART))),
    Fold(NASTY, (Text(NASTY),)),
    Decision((Heading(NASTY), Text(NASTY, "line")), "doubt"),
    Step((Text(NASTY),)),
    Lines((NASTY, NASTY)),
    Screen("<div>screen only</div>", (Text("paper only"),)),
)
REPORT = Report(NASTY, "2026-11-16", EVERY)


def words_in(pdf: bytes) -> str:
    """The text of a PDF as another program reads it, without blanks and places to break."""
    reader = pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    document = reader.PdfDocument(pdf)
    pages = [page.get_textpage().get_text_range() for page in document]
    return re.sub(r"[\s\u200b\ufffe\x02]", "", " ".join(pages))


def test_every_kind_of_part_is_shown_with_what_users_wrote_as_text():
    kinds = {type(one).__name__ for one in EVERY}
    assert kinds == {kind.__name__ for kind in Part.__args__}
    page = as_html(REPORT)
    assert "<script>" not in page
    assert "{{7}}" in page
    assert as_pdf(REPORT).startswith(b"%PDF-1.7")


def test_labels_are_shown_letter_by_letter_and_never_run():
    shown = words_in(as_pdf(Report("t", "2026-11-16", EVERY[:5])))
    assert shown.count(NASTY.replace(" ", "")) == 9  # two headings, three paragraphs, one of them five times
    assert "paperonly" in words_in(as_pdf(REPORT))
    assert "screenonly" not in words_in(as_pdf(REPORT))


def test_the_same_report_gives_the_same_bytes_and_another_date_other_ones():
    assert as_pdf(REPORT) == as_pdf(REPORT)
    assert as_pdf(REPORT) != as_pdf(Report(NASTY, "2026-11-17", EVERY))


def test_it_is_tagged_and_says_its_title_language_date_and_standards():
    pdf = as_pdf(Report("People & places", "2026-11-16", (Heading("One"), Text("Two."), Chart(CHART))))
    assert b"/StructTreeRoot" in pdf
    assert b"/Lang (en)" in pdf or b"/Lang(en)" in pdf
    assert re.search(rb"/MarkInfo\s*<<[^>]*/Marked true", pdf)
    assert b"D:20261116" in pdf
    said = pdf[pdf.index(b"<?xpacket begin") : pdf.index(b"<?xpacket end")]
    assert b"People &amp; places" in said
    assert re.search(rb"pdfuaid:part>\s*1|pdfuaid:part=\"1\"", said)
    assert re.search(rb"pdfaid:part>\s*2|pdfaid:part=\"2\"", said)


def test_fonts_are_those_that_typst_brings_along():
    fonts = set(re.findall(rb"/FontName\s*/[A-Z]{6}\+([\w-]+)", as_pdf(REPORT)))
    assert fonts
    assert all(name.startswith((b"LibertinusSerif", b"DejaVuSansMono")) for name in fonts), fonts


@pytest.mark.parametrize("sign", ["中", "\x01", "\ue000", "😀", "\ud800"])
def test_characters_that_no_font_has_are_written_by_their_numbers(sign, monkeypatch):
    told = []
    monkeypatch.setattr("microveil.report.as_pdf.set_pdf", lambda template, **given: told.append(given["report"]))
    report = Report(f"a{sign}b", "2026-11-16", (Text(f"β {sign} ≥ й"), Chart(CHART.replace(">b<", f">{sign}<"))))
    as_pdf(report)
    monkeypatch.undo()
    assert f"[U+{ord(sign):04X}]" in told[0]
    assert "written by their numbers" in told[0]
    assert as_pdf(report).startswith(b"%PDF")


def test_a_date_that_is_none_is_told():
    with pytest.raises(BadInput, match="the date of the report is '16 November'"):
        as_pdf(Report("x", "16 November", (Text("y"),)))


def test_long_words_get_places_to_break_and_hashes_none(monkeypatch):
    told = []
    monkeypatch.setattr("microveil.report.as_pdf.set_pdf", lambda template, **given: told.append(given["report"]))
    digest, name = "0123456789abcdef" * 4, "household_income_of_the_reference_person"
    as_pdf(Report("x", "2026-11-16", (Text(name), Table((), (Row(("a", Cell(digest, "hash"))),)))))
    assert digest in told[0]
    assert "household_\\u200bincome" in told[0]


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(typesetting, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"pip install 'microveil\[pdf\]', or write the report as HTML"):
        as_pdf(REPORT)


def test_a_release_is_reported_as_pdf_by_the_ending_of_the_name(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).gamma(2.0, size=(60, 2)), columns=[NASTY, "b"])
    release = mv.mask.Microaggregation().apply(frame, seed=1)
    figures = mv.evaluate(frame, release, measures=["pil"])
    mv.report.report_of(release, tmp_path / "a.pdf", evaluation=figures)
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    report = internal_report(InternalContent(Pair.of(frame, release), figures, release=release, date="2026-11-16"))
    assert report.date == "2026-11-16"
    assert as_pdf(report) == as_pdf(report)


def test_the_command_line_refuses_pdf_before_it_reads_anything(monkeypatch, folder, run):
    monkeypatch.setattr(typesetting, "find_spec", lambda name: None)
    run("evaluate", "a.csv", "b.csv", "--report", "r.pdf", status=2, match="pip install")
    assert list(folder.iterdir()) == []


def test_the_command_line_writes_pdf_by_the_ending(folder, run):
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0, 8.5] * 5, "b": [3.0, 1.0, 2.0, 9.5] * 5})
    frame.to_csv("a.csv", index=False)
    (frame + 0.5).to_csv("b.csv", index=False)
    run("evaluate", "a.csv", "b.csv", "--measures", "pil", "--report", "r.pdf")
    assert (folder / "r.pdf").read_bytes().startswith(b"%PDF")
