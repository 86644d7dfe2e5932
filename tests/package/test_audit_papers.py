"""Reports, codebooks and other papers of a package are searched for what protection removed, however it is written."""

from __future__ import annotations

import base64
import bz2
import gzip
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import microveil as mv
from microveil.package import audit, write_package
from microveil.package.audit_files import DataFile
from microveil.package.known import Known
from microveil.package.removed_values import removed_values

REGIONS = ["coast", "Saint Claire", "Île-de-Ré", "private", "north"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A file of data that shows one region, and the original that knows five and an extreme."""
    folder = tmp_path_factory.mktemp("papers")
    rng = np.random.default_rng(4)
    n = 60
    pay = np.round(rng.gamma(2.0, 1300.0, n), 2)
    pay[3] = 98765.43
    regions = [REGIONS[i % 5] for i in range(n)]
    pyarrow.csv.write_csv(pa.table({"region": regions, "pay": pay}), folder / "original.csv")
    rows = rng.permutation(n)
    kept = pa.table({"region": ["coast"] * n, "pay": np.round(np.minimum(pay[rows], 5000.0), 0)})
    (folder / "package").mkdir()
    pyarrow.csv.write_csv(kept, folder / "package" / "data.csv")
    return folder


def told(place, name: str, contents: bytes | str) -> list[str]:
    paper = place / "package" / name
    paper.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    try:
        found = audit(place / "package", original=place / "original.csv")
    finally:
        paper.unlink()
    return [one.text for one in found.broken if one.check == "search" and one.text.startswith(name)]


PACKED = base64.b64encode(b"the regions are Saint Claire and others, as the table says").decode()
GIVEN = {
    "plain": ("codebook.txt", "Regions\n  Saint Claire: 12 records\n"),
    "entity": ("report.html", "<p>Saint&nbsp;Claire, or &#73;&#108;e; S&#97;int Cl&#x61;ire</p>"),
    "torn by tags": ("report.html", "<td>Saint <b>Cla</b>ire</td>"),
    "comment": ("report.html", "<!-- <td>Saint Claire</td> -->"),
    "attribute": ("codebook.xml", "<a title='Saint Claire'/>"),
    "another letter": ("notes.md", "a trip to Île-de-Ré is nice"),
    "escape": ("more.json", '{"a": "\\u00cele-de-R\\u00e9"}'),
    "utf-16": ("notes.txt", "the island of Île-de-Ré".encode("utf-16")),
    "base64": ("report.html", f"<img src='data:text/plain;base64,{PACKED}'>"),
    "packed": ("notes.gz", gzip.compress(b"from Saint Claire", mtime=0)),
    "a plain word alone": ("report.html", "<td>north</td>"),
    "a plain word in a list": ("notes.txt", "Regions: coast, north, and others"),
    "some amounts": ("README.txt", "{amounts}"),
    "an extreme": ("report.html", "<p>The largest is 98,765.43 per month.</p>"),
}


@pytest.mark.parametrize(("name", "contents"), GIVEN.values(), ids=GIVEN)
def test_what_was_removed_is_found(place, name, contents):
    if contents == "{amounts}":  # of which the file of data shows other ones
        contents = "\n".join(line.split(",")[1] for line in (place / "original.csv").read_text().splitlines())
    (one,) = told(place, name, contents)
    assert one.endswith("that no record has any more.")


ALLOWED = {
    "a plain word in a sentence": ("notes.txt", "Drive north until private roads begin.\n"),
    "a word of our forms": ("report.html", "<td>public</td><td>nominal</td>"),
    "what cells show": ("notes.txt", "coast\n"),
    "part of a longer word": ("notes.txt", "northern\nnorthern, privateer\n"),
    "another number": ("notes.txt", "98765.437 and 198765.43\n"),
}


@pytest.mark.parametrize(("name", "contents"), ALLOWED.values(), ids=ALLOWED)
def test_everyday_words_are_no_alarm(place, name, contents):
    assert told(place, name, contents) == []


def test_classes_that_name_what_they_hold_are_no_alarm(tmp_path):
    original = mv.Microdata(pa.table({"region": ["Saint Claire", "Saint Denis"]}))
    released = mv.Microdata(pa.table({"region": ["Saint Claire or Saint Denis"] * 2}))
    file = DataFile("data.csv", tmp_path / "data.csv", released)
    assert removed_values([file], Known(original=original)).patterns == {}


def test_numbers_of_figures_that_are_running_numbers_too_are_no_alarm(tmp_path):
    numbers = list(range(10_000, 30_000))
    original = mv.Microdata(pa.table({"id": numbers}), roles={"id": "identifier"})
    released = mv.Microdata(pa.table({"pay": [1.5] * 3}))
    found = removed_values([DataFile("data.csv", tmp_path / "data.csv", released)], Known(original=original))
    assert found.columns_in(b"mean 12345, largest 23456, sd 19876") == []
    spread = mv.Microdata(pa.table({"id": numbers[::500]}), roles={"id": "identifier"})
    found = removed_values([DataFile("data.csv", tmp_path / "data.csv", released)], Known(original=spread))
    assert found.columns_in(b"persons 10500, 11000, 12500 and 20000") == ["'id'"]


def test_classes_that_name_their_ends_are_no_alarm(tmp_path):
    pay = [10123.5, 20456.25, 30789.75, 41234.5, 52345.25, 63456.5]
    original = mv.Microdata(pa.table({"pay": pay}))
    released = mv.Microdata(pa.table({"pay": [f"[{pay[i]}, {pay[i + 1]}]" for i in (0, 0, 2, 2, 4, 4)]}))
    found = removed_values([DataFile("data.csv", tmp_path / "data.csv", released)], Known(original=original))
    assert found.columns_in("\n".join(map(str, pay)).encode()) == []


@pytest.mark.parametrize(
    ("name", "contents", "closed"),
    [
        ("more.7z", b"7z\xbc\xaf\x27\x1c\x00\x04", True),
        ("report.html", bz2.compress(b"north"), True),
        ("README.txt", "Île".encode("latin-1"), False),
        ("README.txt", "Île".encode(), False),
    ],
)
def test_files_that_nobody_can_look_into_leave_an_audit_undecided(place, name, contents, closed):
    paper = place / "package" / name
    paper.write_bytes(contents)
    try:
        found = audit(place / "package", original=place / "original.csv")
    finally:
        paper.unlink()
    assert any(f"{name} is neither data, text nor PDF" in one.text for one in found.undecided) is closed


def test_words_that_are_set_in_a_pdf_are_found(tmp_path, place):
    pytest.importorskip("typst", reason="the extra pdf is not installed")
    data = mv.Microdata(pa.table({"pay": np.round(np.random.default_rng(3).gamma(2, 900, 60), 2)}))
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data)
    figures = mv.evaluate(data, release, measures=["pil"])
    made = write_package(release, tmp_path / "a", evaluation=figures, pdf=True, title="Life in Saint Claire")
    (one,) = told(place, "report.pdf", (made.public / "report.pdf").read_bytes())
    assert "'region'" in one
    assert audit(made.public, words=["Saint Claire"]).broken


@pytest.mark.parametrize(
    ("mark", "what"), [(b"/Type /EmbeddedFile", "attached files"), (b"/Encrypt 3 0 R", "encrypted parts")]
)
def test_parts_of_a_pdf_that_nobody_can_look_into_are_named(place, mark, what):
    packed = zlib.compress(b"<< " + mark + b" >>")
    (one,) = told(place, "report.pdf", b"%PDF-1.7\n1 0 obj\n<<>>\nstream\n" + packed + b"\nendstream\nendobj\n%%EOF\n")
    assert f"cannot be unpacked (it holds {what})" in one
