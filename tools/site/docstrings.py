"""What the reference shows: examples as blocks of code, and parameters with the words of their annotation."""

from __future__ import annotations

import ast
import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^|\n)((?:[ \t]*>>> .*\n?(?:[ \t]*\S.*\n?)*)+)")


class PlainDocstrings(griffe.Extension):
    """Docstrings as Markdown wants them, and a docstring for every parameter."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put a fence around every example: Markdown would take its prompts for quotations."""
        if obj.docstring is not None:
            obj.docstring.value = fence_examples(obj.docstring.value)

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """The type of `Annotated[type, range, "words"]` is its annotation, the words are its docstring."""
        found = attr.annotation
        if isinstance(found, griffe.ExprSubscript) and found.canonical_name == "Annotated":
            inside = found.slice.elements if isinstance(found.slice, griffe.ExprTuple) else [found.slice]
            attr.annotation = inside[0]
            if attr.docstring is None and isinstance(inside[-1], str):
                words = str(ast.literal_eval(inside[-1]))
                attr.docstring = griffe.Docstring(f"{words[:1].upper()}{words[1:]}.", parent=attr)


def fence_examples(text: str) -> str:
    """The text with its examples between fences.

    >>> fence_examples("It adds. \\n\\n>>> 1 + 1\\n2")
    'It adds. \\n\\n```pycon\\n>>> 1 + 1\\n2\\n```\\n'
    """
    return _EXAMPLE.sub(lambda found: f"\n```pycon\n{found[1].rstrip()}\n```\n", text)
