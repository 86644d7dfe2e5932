"""One owner for each idea."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.concepts import Concept, absent_names, definitions, read_concepts, second_owners

CONCEPT = Concept("overlap of intervals", "pkg.kernels", ("overlap", "overlap_of*"))


@pytest.mark.long
def test_no_idea_has_a_second_owner():
    concepts, found = read_concepts(), list(definitions())
    assert second_owners(concepts, found) == []
    assert absent_names(concepts, found) == []


def test_a_second_owner_is_found_under_any_of_its_names(tmp_path: Path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "kernels.py").write_text("def overlap(a, b): ...\n")
    (tmp_path / "pkg" / "loss.py").write_text("X = 1\ndef _overlap(a, b): ...\ndef other(): ...\n")
    (tmp_path / "pkg" / "synth.py").write_text("class overlap_of_two: ...\n")
    assert second_owners([CONCEPT], list(definitions(tmp_path))) == [
        "pkg.loss:2 defines _overlap; pkg.kernels owns overlap of intervals",
        "pkg.synth:1 defines overlap_of_two; pkg.kernels owns overlap of intervals",
    ]


def test_a_stale_entry_is_found(tmp_path: Path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "kernels.py").write_text("def renamed(a, b): ...\n")
    assert absent_names([CONCEPT], list(definitions(tmp_path))) == [
        "pkg.kernels defines nothing of overlap of intervals: overlap, overlap_of*"
    ]
