"""What tests of attacks share: the Census file of the literature."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.attack.census import load_census


@pytest.fixture(scope="session")
def census() -> pa.Table:
    return load_census()
