"""Marks of releases under fixed keys; `tests/test_release_marks.py` compares them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.release_marks import FILE as RECORD
from tests.release_marks import cases, marks_of

__all__ = ["QUICK", "RECORD", "TOLERANCE", "entries"]

TOLERANCE = 1e-7
QUICK = None  # in a test of their own


def entries() -> Iterator[tuple[str, Any]]:
    """Yield the marks of every method and of a spread of plans."""
    for name, plan, data in cases():
        yield name, marks_of(plan, data)
