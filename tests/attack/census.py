"""The reference file on which figures of attacks were published."""

from __future__ import annotations

import pyarrow as pa
import pytest

import microveil as mv
from tests.conftest import shared_file, shared_folder


def load_census() -> pa.Table:
    """Census, 1,080 records with 13 attributes; the test is skipped where it is absent."""
    shared_file("data", "census.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MICROVEIL_DATA", str(shared_folder()))
        return mv.datasets.load("census")
