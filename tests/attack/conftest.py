"""What tests of attacks share: the Census file of the literature."""

from __future__ import annotations

import pyarrow as pa
import pytest

import microveil as mv
from tests.conftest import shared_file, shared_folder


@pytest.fixture(scope="session")
def census() -> pa.Table:
    shared_file("data", "census.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MICROVEIL_DATA", str(shared_folder()))
        return mv.datasets.load("census")
