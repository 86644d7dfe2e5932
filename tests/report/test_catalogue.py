"""The catalogue: every registered class, described by itself."""

from __future__ import annotations

import microveil as mv
from microveil.report import catalogue_text, write_catalogue


def test_every_registered_class_is_in_it():
    text = catalogue_text()
    for entry in mv.methods():
        assert f"### {entry.cls.__name__} · `{entry.name}`" in text
        assert entry.summary.split("\n")[0] in text.replace("\n", " ")
    assert ">>>" not in text


def test_it_is_written_to_a_file(tmp_path):
    write_catalogue(tmp_path / "catalogue.md")
    assert (tmp_path / "catalogue.md").read_text() == catalogue_text()
