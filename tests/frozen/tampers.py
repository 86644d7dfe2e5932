"""Tamper cases: packages, files and registers that somebody changed, and what the audit answers.

    python -m tests.frozen.tampers WORDS      what comes of the cases whose names hold these words, in full

A dishonest producer hashes and signs what was changed where the name of a case says so; cases with nothing tampered
are among them. Kept are outcomes, and of each finding the check with the file and columns it names; no sentence.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import microveil as mv
from tests.frozen._tampers import copies, formats, limits, registers, runs, signed, weights, words  # noqa: F401 - cases
from tests.frozen._tampers.cases import CASES, answer

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow", "pyreadstat", "openpyxl")
QUICK = 60
NEEDS = ("cryptography",)


def entries(sample: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield what is answered to every case, or to every tenth and so on."""
    for name in sorted(CASES)[::sample]:
        yield name, outcome(name)


def outcome(name: str, full: bool = False) -> Any:
    """Run one case in a folder of its own; the name of the error where the call is refused."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place) / "case"
        folder.mkdir()
        try:
            made = CASES[name](folder)
        except mv.errors.MicroveilError as problem:
            return f"{type(problem).__name__}: {problem}" if full else {"refused": type(problem).__name__}
        return str(made) if full and hasattr(made, "findings") else answer(made)


if __name__ == "__main__":
    for one in sorted(CASES):
        if all(word in one for word in sys.argv[1:]):
            print(f"== {one}\n{outcome(one, full=True)}\n{outcome(one)}")
