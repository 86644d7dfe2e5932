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


@pytest.mark.parametrize("ending", ["sav", "dta", "xlsx", "parquet", "feather"])
@pytest.mark.parametrize("other", [False, True], ids=["same", "another value"])
def test_single_precision_is_what_its_shortest_text_means(tmp_path: Path, ending: str, other: bool):
    """Stata keeps numbers so unless it is told otherwise, and a text file shows 2752.0825 and no further digits."""
    amounts = pa.array([2752.0825, None, 0.1, 3], pa.float32())
    shown = pa.array([2752.0825, None, 0.1 + (1e-7 if other else 0), 3], pa.float32())
    mv.write(
        mv.Microdata(pa.table({"n": [1, 2, 3, 4], "x": amounts})),
        tmp_path / "data.csv",
        shuffle=False,
        unprotected=True,
    )
    mv.write(
        mv.Microdata(pa.table({"n": [1, 2, 3, 4], "x": shown})),
        tmp_path / f"data.{ending}",
        shuffle=False,
        unprotected=True,
    )
    (found,) = compare_files(open_files(Place.of(tmp_path))[0])
    assert (found.state, "differ in x" in found.text) == (("broken", True) if other else ("holds", False))
