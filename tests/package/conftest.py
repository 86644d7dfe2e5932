"""What several tests of packages are tried with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.package.firms_audited import write_firms


@pytest.fixture(scope="session")
def place(tmp_path_factory) -> Path:
    """A folder with firms and their project; tests write elsewhere."""
    return write_firms(tmp_path_factory.mktemp("firms"))
