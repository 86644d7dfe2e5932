"""`microveil reproduce`: what it prints and how it ends."""

from __future__ import annotations

import pytest

from tests.reference import shared_file


@pytest.fixture
def census():
    shared_file("data", "census.csv")


def test_list_names_every_table(call):
    status, out, _ = call("reproduce", "--list")
    assert status == 0
    for name in ("cholesky-1.1", "cholesky-1.2", "cholesky-1.3", "cholesky-1.4", "pil-2", "pil-3"):
        assert f"\n{name} " in "\n" + out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("pil-4",), "no table called 'pil-4'; did you mean 'pil-3'?"),
        (("pil-3", "-o", "page.pdf"), "page.pdf ends in '.pdf'; the tables can be written to .html and .md"),
        (("cholesky-1.1", "--draws", "0"), "draws must be 1 or more; 0 was given"),
    ],
)
def test_bad_words_are_refused_with_one_line(call, words, complaint):
    status, out, err = call("reproduce", *words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""


def test_without_the_data_it_says_where_it_looked_before_any_work(call, monkeypatch, tmp_path):
    monkeypatch.setenv("MICROVEIL_DATA", str(tmp_path / "nowhere"))
    status, out, err = call("reproduce")
    assert status == 2
    assert "set the environment variable MICROVEIL_DATA to the folder that holds it" in err
    assert err.count("\n") == 1
    assert out == ""


def test_one_table_in_a_pipe(call, census):
    status, out, err = call("reproduce", "pil-3", "--draws", "2")
    assert status == 0
    assert err == ""
    assert "Micmul3             0.4987" in out
    assert "0.7004=" in out
    assert "2 draws." in out
    assert "\n  !     " in out  # the legend counts what is unresolved
    assert "Of 24 published figures compared, " in out
    assert "proves neither these readings nor the papers" in " ".join(out.split())
    again = call("reproduce", "pil-3", "--draws", "2")
    assert again[1] == out
    assert call("reproduce", "pil-3", "--draws", "2", "--seed", "another")[1] != out


def test_pages_are_written(call, census, tmp_path):
    for ending in ("html", "md"):
        status, out, _ = call("reproduce", "pil-3", "--draws", "1", "-o", f"page.{ending}")
        assert status == 0
        assert f"Wrote page.{ending}." in out
        assert "Micmul3" not in out
        assert "Scal_Micmul3" in (tmp_path / f"page.{ending}").read_text()
