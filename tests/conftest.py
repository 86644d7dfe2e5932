"""Where the reference files are, and the settings all tests share."""

from __future__ import annotations

import os
from pathlib import Path

# several tests run at a time: threads of each would only wait for one another; read when NumPy is loaded
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

settings.register_profile("microveil", deadline=None, max_examples=30, derandomize=True)
settings.load_profile("microveil")


def shared_folder() -> Path:
    """The folder of the reference data: MICROVEIL_DATA, or `shared` beside the project."""
    default = Path(__file__).resolve().parents[2] / "shared"
    return Path(os.environ.get("MICROVEIL_DATA", default))


def shared_file(*parts: str) -> Path:
    """A reference file; the test is skipped where it is absent."""
    path = shared_folder().joinpath(*parts)
    if not path.exists():
        pytest.skip(
            f"reference file {'/'.join(parts)} is not there; set MICROVEIL_DATA to the folder with data/ and oracles/"
        )
    return path
