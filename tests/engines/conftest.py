"""What tests of engines share: scanned files, and limits so small that a few records make several of everything."""

from __future__ import annotations

import pytest

from microveil.engines import Scan, scan
from tests.engines.files import FACTS, write_parts


@pytest.fixture(scope="session")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Scan:
    """The small file of many kinds of columns, scanned."""
    return scan(write_parts(tmp_path_factory.mktemp("parts")), **FACTS)


@pytest.fixture
def several_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few records in a file of the release, and fewer that are marked together: there are several of each."""
    monkeypatch.setattr("microveil.engines.part_files.PART_ROWS", 50)
    monkeypatch.setattr("microveil.data.mark.BLOCK", 32)
    monkeypatch.setattr("microveil.engines.scanning.BLOCK", 32)
    monkeypatch.setattr("microveil.engines.buckets._BUCKET_ROWS", 40)


@pytest.fixture
def orders_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No column in memory, and few records in each file of an order."""
    monkeypatch.setattr("microveil.engines.block_engine.ORDER_IN_MEMORY", 0)
    monkeypatch.setattr("microveil.engines.ordering.FILE_ROWS", 50)
    monkeypatch.setattr("microveil.engines.ordering._SAMPLED", 300)
    monkeypatch.setattr("microveil.engines.keeping._HELD_ROWS", 128)
