"""A small release with everything that a package has to tell: labels, weights, gaps, households, an identifier."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import microveil as mv
from microveil.core.open_types import Json
from microveil.data.codebook import Codebook

KEY = "aae24849842d7082b66f57ce8270bd04da2c39ffb97df22803c270983032c4e5"


def people(n: int = 120) -> mv.Microdata:
    """People with two keys, an income, a weight and a household; the name of nobody is released."""
    rng = np.random.default_rng(3)
    sex = rng.integers(1, 3, size=n)
    region = np.array(["north", "south", "east"])[rng.integers(0, 3, size=n)].astype(object)
    region[:4] = None
    return mv.Microdata(
        pa.table(
            {
                "name": [f"canary-{i:04d}" for i in range(n)],
                "home": np.repeat(np.arange(n // 2), 2)[:n],
                "sex": sex,
                "region": pa.array(region),
                "income": np.round(rng.gamma(2.0, 1300.0, size=n), 2),
                "weight": np.round(rng.uniform(5, 9, size=n), 1),
            }
        ),
        **FACTS,
        codebook=Codebook({"sex": {1: "men", 2: "women", 9: "unknown"}}, {"income": "Income <per> month & person"}),
    )


FACTS: Json = {
    "roles": {
        "name": "identifier",
        "home": "household",
        "sex": "key",
        "region": "key",
        "income": "confidential",
        "weight": "weight",
    },
    "kinds": {"sex": "nominal", "region": "nominal"},
    "edits": ["income >= 0"],
}


def released(data: mv.Microdata | None = None, seed: str | None = None) -> mv.Release:
    """Incomes of five like one another; keys and weights as they are."""
    method = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5))
    return method.apply(data or people(), columns=["income"], seed=seed)
