"""Text that people write: clear errors, however it is nested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from microveil.core.errors import BadInput, FileProblem
from microveil.io.text import read_text, read_yaml, write_text


def test_yaml_is_read() -> None:
    assert read_yaml("a: [1, {b: c}]\n", "the plan") == {"a": [1, {"b": "c"}]}
    assert read_yaml("a: &x [1]\nb: *x\n", "the plan") == {"a": [1], "b": [1]}
    assert read_yaml("", "the plan") is None


@pytest.mark.parametrize("depth", [51, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_deep_nesting_is_refused(depth: int, brackets: str) -> None:
    text = brackets[0] * depth + brackets[1] * depth if brackets == "[]" else "{a: " * depth + "}" * depth
    with pytest.raises(BadInput, match="the plan is nested more than 50 levels deep; write it flatter"):
        read_yaml(text, "the plan")


def test_wide_content_and_anchors_inside_themselves_are_no_depth() -> None:
    assert len(read_yaml("[" + "[1]," * 5000 + "]", "the plan")) == 5000
    assert read_yaml("&x [*x]", "the plan")[0][0] is not None
    assert read_yaml("[" * 49 + "]" * 49, "the plan")


def test_wrong_yaml_names_the_line() -> None:
    with pytest.raises(
        BadInput, match=r"the project is not valid YAML at line 2; check indentation \(blanks, no tabs\) and colons"
    ):
        read_yaml("a: 1\nb: [}\n", "the project")


@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_fifty_levels_are_read(brackets: str) -> None:
    text = "[" * 50 + "]" * 50 if brackets == "[]" else "{a: " * 49 + "{}" + "}" * 49
    assert read_yaml(text, "the plan")


def test_text_is_written_and_read(tmp_path: Path) -> None:
    write_text(tmp_path / "plan.yaml", "a: é\n")
    assert (tmp_path / "plan.yaml").read_bytes() == "a: é\n".encode()
    assert read_text(tmp_path / "plan.yaml") == "a: é\n"
    (tmp_path / "marked.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_text(tmp_path / "marked.yaml") == "a: 1\n"


def test_files_that_are_not_text_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileProblem, match=r"there is no file '.*/none.yaml'"):
        read_text(tmp_path / "none.yaml")
    (tmp_path / "raw.yaml").write_bytes(b"ab\xff")
    with pytest.raises(FileProblem, match=r"raw.yaml' is not UTF-8 text \(line 1\); save it as UTF-8"):
        read_text(tmp_path / "raw.yaml")

    def refuse(*given: object, **options: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refuse)
    with pytest.raises(FileProblem, match=r"raw.yaml' cannot be read: Permission denied"):
        read_text(tmp_path / "raw.yaml")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2020-13-45", "2020-13-45 (line 2, in release, review); write a day that the calendar has as 2028-06-30, or"),
        ("9" * 5000, f"{'9' * 40}... (line 2, in release, review); write a number, or"),
        ("9" * 400, f"{'9' * 40}... (line 2, in release, review); write a number with fewer digits, or"),
        ("!!timestamp soon", "soon (line 2, in release, review); write a day that the calendar has as 2028-06-30, or"),
        ("!!bool maybe", "maybe (line 2, in release, review); write true or false, or 'maybe' in quotation marks"),
        ("!!int many", "many (line 2, in release, review); write a number, or 'many' in quotation marks"),
        ("!!float many", "many (line 2, in release, review); write a number, or 'many' in quotation marks"),
    ],
)
def test_values_that_cannot_be_read_are_told_with_line_and_field(value: str, told: str) -> None:
    with pytest.raises(BadInput, match=re.escape(f"the plan says {told}")):
        read_yaml(f"release:\n  review: {value}", "the plan")
