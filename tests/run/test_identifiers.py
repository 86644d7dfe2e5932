"""No method reads an identifier: what follows a name gives it away, also where the name itself is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core import BadInput
from microveil.core.errors import NothingHidden
from microveil.core.registry import registered
from microveil.plan import example_of
from microveil.run.method import Method


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


def _columns(method: type[Method]) -> list[str]:
    return ["cost", "days"] if "continuous" in method.kinds else ["ward"]


def _uses() -> list[Any]:
    found = []
    for method in registered(Method):
        uses: dict[str, dict[str, Any]] = {"by": {"columns": _columns(method), "by": ["name"]}}
        if "identifier" not in method.default_roles:
            uses["columns"] = {"columns": [*_columns(method), "number" if "continuous" in method.kinds else "name"]}
        if method.conditions:
            uses["given"] = {"columns": _columns(method), "given": ["number"]}
        found += [pytest.param(method, words, id=f"{method.name} {what}") for what, words in uses.items()]
    return found


@pytest.mark.parametrize(("method", "words"), _uses())
def test_identifiers_are_refused(patients: mv.Microdata, method: type[Method], words: dict[str, Any]) -> None:
    with pytest.raises(
        BadInput, match=r"would use '(name|number)'; identifiers are left out of a release|leave given out"
    ):
        example_of(method).apply(patients, seed=1, **words)


def test_groups_are_not_formed_by_identifiers_either(patients: mv.Microdata) -> None:
    method = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=10), cluster_on=["number"])
    with pytest.raises(BadInput, match="would use 'number'"):
        method.apply(patients, columns=["cost"], seed=1)


def test_new_identifiers_may_take_the_place_of_old_ones(patients: mv.Microdata) -> None:
    with pytest.warns(NothingHidden):  # all else is as it was
        release = mv.mask.Pseudonymise().apply(patients, seed=1)
    assert release.columns == ("name", "number")
