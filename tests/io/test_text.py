"""Text that people write: clear errors, however it is nested."""

from __future__ import annotations

import pytest

from microveil.core.errors import BadInput
from microveil.io.text import read_yaml


def test_yaml_is_read() -> None:
    assert read_yaml("a: [1, {b: c}]\n", "the plan") == {"a": [1, {"b": "c"}]}
    assert read_yaml("a: &x [1]\nb: *x\n", "the plan") == {"a": [1], "b": [1]}
    assert read_yaml("", "the plan") is None


@pytest.mark.parametrize("depth", [51, 2000, 100_000])
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
    with pytest.raises(BadInput, match="the project is not valid YAML at line 2; check indentation and colons"):
        read_yaml("a: 1\nb: [}\n", "the project")
