"""Programs of others find the records and columns in a file that we find."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import microveil as mv
from microveil.package import audit


def test_names_with_quotes_are_the_same_for_every_reader(tmp_path: Path):
    mv.write(pa.table({'a "b" c': [1, 2, 3], "d, e": ["x", "y", "z"]}), tmp_path / "data.csv", unprotected=True)
    found = [one for one in audit(tmp_path / "data.csv").findings if one.check == "strangers"]
    assert [one.state for one in found] == ["holds"]
    assert "polars" in found[0].text
