"""Reference files of the literature: read from the folder MICROVEIL_DATA, and skipped where they are absent."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from microveil.reproduce.eia import ATTRIBUTES

if TYPE_CHECKING:  # a plain installation has no pandas, and some of its tests read the files as matrices
    import pandas as pd

EIA_AMOUNTS = list(ATTRIBUTES)
EIA_COLUMNS = ("UTILITYID", *EIA_AMOUNTS)
# MICROVEIL_DATA, or `shared` next to the project; tests without the mark `reference` see another, empty one
FOLDER = Path(os.environ.get("MICROVEIL_DATA") or Path(__file__).resolve().parents[2] / "shared")
SIX = ["AGI", "EMCONTRB", "FEDTAX", "INTVAL", "FICA", "POTHVAL"]


def shared_file(*parts: str) -> Path:
    """Return the path of a reference file; skip the test where the file is absent."""
    shown = os.environ.get("MICROVEIL_DATA") == str(FOLDER)
    assert shown, "import what reads reference files at the top of the module: from tests.reference import ..."
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        name = "/".join(parts)
        pytest.skip(f"no reference file {name}; set MICROVEIL_DATA to the folder that contains data/ and oracles/")
    return path


def reference(name: str) -> pd.DataFrame:
    """Return a reference file as a data frame; skip the test where it is absent."""
    import pandas as pd

    return pd.read_csv(shared_file("data", f"{name}.csv"))


def census() -> pd.DataFrame:
    """Return the Census file as real numbers."""
    return reference("census").astype(float)


def eia_amounts() -> pd.DataFrame:
    """Return the ten amounts of the EIA file as real numbers."""
    return reference("eia")[EIA_AMOUNTS].astype(float)


def original(name: str) -> pd.DataFrame:
    """Return the numerical columns of a reference file."""
    return eia_amounts() if name == "eia" else reference(name).astype(float)


def matrix(name: str, columns: Any = None) -> np.ndarray:
    """Return a reference file as a matrix, read without any library of frames."""
    with shared_file("data", f"{name}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    return np.array([[float(row[column]) for column in columns or rows[0]] for row in rows])


def mdav(name: str, k: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a file and its microaggregated version, both in the original units."""
    import pandas as pd

    x = original(name)
    file = f"{'eia10' if name == 'eia' else name}_mdav_k{k}.csv.gz"
    z = pd.read_csv(shared_file("oracles", "microaggregation", file))
    z.columns = x.columns
    return x, z * x.std() + x.mean()


def masked_pair(which: str) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Return Census, a masked version and the figures that another program gives for the pair."""
    import pandas as pd

    x = original("census")
    file = {"noise20": "census_noise20", "mdav5": "census_mdav5_rawscale"}[which]
    y = pd.read_csv(shared_file("oracles", "masked_pair", f"{file}.csv"))
    y.columns = x.columns
    figures = json.loads(shared_file("oracles", "masked_pair", "measures.json").read_text())[which]
    return x, y, figures


def thyroid() -> tuple[pd.DataFrame, list[pd.DataFrame], dict[str, Any]]:
    """Return Thyroid, three synthetic versions and the figures that another program gives for them."""
    import pandas as pd

    x = reference("thyroid")
    s = pd.read_csv(shared_file("oracles", "synthpop", "thyroid_synthpop_cart_m3.csv"))
    figures = json.loads(shared_file("oracles", "synthpop", "synthpop_measures.json").read_text())
    names = figures["meta"]["variables"]
    return x[names], [s.loc[s.synthesis == i, names].reset_index(drop=True) for i in (1, 2, 3)], figures
