"""Reference files that several tests of risks look at; a module with such tests imports from tests.reference."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.reference import eia_amounts, reference, shared_file


@pytest.fixture(scope="session")
def household_survey() -> pd.DataFrame:
    return reference("testdata")


@pytest.fixture(scope="session")
def eia() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The ten amounts, and their means in groups of three that another program formed."""
    original = eia_amounts()
    groups = pd.read_csv(shared_file("oracles", "microaggregation", "eia10_groups.csv"))["mdav_k3"].to_numpy()
    return original, original.groupby(groups).transform("mean")
