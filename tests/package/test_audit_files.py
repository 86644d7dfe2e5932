"""Files of one package, compared with one another."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import microveil as mv
from microveil.package.audit_files import Place, compare_files, open_files


@pytest.mark.parametrize("ending", ["sav", "dta", "xlsx", "parquet"])
@pytest.mark.parametrize("other", [False, True], ids=["same", "another value"])
def test_truth_values_are_1_and_0_in_formats_that_have_none(tmp_path: Path, ending: str, other: bool):
    ill = [True, False, None, True]
    mv.write(
        mv.Microdata(pa.table({"n": [1, 2, 3, 4], "ill": ill})), tmp_path / "data.csv", shuffle=False, unprotected=True
    )
    shown = pa.table({"n": [1, 2, 3, 4], "ill": [not ill[0] if other else ill[0], *ill[1:]]})
    mv.write(mv.Microdata(shown), tmp_path / f"data.{ending}", shuffle=False, unprotected=True)
    (found,) = compare_files(open_files(Place.of(tmp_path))[0])
    assert (found.state, "differ in ill" in found.text) == (("broken", True) if other else ("holds", False))
