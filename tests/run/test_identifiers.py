"""Identifiers where single methods might use them; that none does is in the common suite."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core import BadInput
from microveil.core.errors import NothingHidden


@pytest.fixture(scope="module")
def patients() -> mv.Microdata:
    draw = np.random.default_rng(3)
    table = pa.table(
        {
            "name": [f"Muster{i:03d}" for i in range(60)],
            "number": 10**6 + 7 * draw.permutation(60),
            "ward": draw.choice(["A", "B"], 60),
            "cost": draw.lognormal(8, 0.5, 60).round(2),
            "days": draw.gamma(2, 5, 60).round(1),
        }
    )
    roles = {
        "name": "identifier",
        "number": "identifier",
        "ward": "key",
        "cost": "confidential",
        "days": "confidential",
    }
    return mv.Microdata(table, roles=roles)


def test_groups_are_not_formed_by_identifiers_either(patients: mv.Microdata) -> None:
    method = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10), cluster_on=["number"])
    with pytest.raises(BadInput, match="would use 'number'"):
        method.apply(patients, columns=["cost"], seed=1)


def test_new_identifiers_may_take_the_place_of_old_ones(patients: mv.Microdata) -> None:
    with pytest.warns(NothingHidden):  # all else is as it was
        release = mv.mask.Pseudonymise().apply(patients, seed=1)
    assert release.columns == ("name", "number")
