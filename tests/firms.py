"""Enterprises with rules that every record keeps, and how many records of a file break them."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv
from microveil.core.edits import parse_edits

RULES = (
    "home >= 0",
    "abroad >= 0",
    "rent >= 0",
    "staff >= 1",
    "total == home + abroad",
    "rent <= 0.9 * costs",
    "costs <= total",
)
AMOUNTS = ["total", "home", "abroad", "costs", "rent", "staff"]


def firms(records: int = 240, seed: int = 1) -> pd.DataFrame:
    """Whole amounts with heavy tails; three in ten sell nothing abroad."""
    rng = np.random.default_rng(seed)
    home = np.ceil(np.exp(rng.normal(5, 1.2, records)))
    abroad = np.ceil(np.exp(rng.normal(4, 1.2, records))) * (rng.random(records) < 0.7)
    costs = np.round((home + abroad) * rng.uniform(0.3, 0.95, records))
    rent = np.floor(costs * rng.uniform(0, 0.9, records))
    return pd.DataFrame(
        {
            "total": home + abroad,
            "home": home,
            "abroad": abroad,
            "costs": costs,
            "rent": rent,
            "staff": np.ceil(home / 50),
            "region": rng.choice(["north", "south"], records),
        }
    )


def with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    """Every fifth record without costs, another fifth without sales abroad."""
    gappy = frame.copy()
    gappy.loc[gappy.index % 5 == 0, "costs"] = np.nan
    gappy.loc[gappy.index % 5 == 1, "abroad"] = np.nan
    return gappy


def as_data(frame: pd.DataFrame, rules: tuple[str, ...] = RULES, **more: object) -> mv.Microdata:
    roles = {name: "key" if name == "region" else "confidential" for name in frame.columns}
    return mv.Microdata(frame, edits=list(rules), roles=roles, **more)  # type: ignore[arg-type]


def broken_rules(frame: pd.DataFrame, rules: tuple[str, ...] = RULES) -> dict[str, int]:
    """For each rule that some records break, how many do."""
    found = {}
    for edit in parse_edits(rules):
        broken = int(edit.broken({name: frame[name].to_numpy(float) for name in edit.columns}).sum())
        if broken:
            found[str(edit)] = broken
    return found


def released(
    method: mv.data.Method, frame: pd.DataFrame, rules: tuple[str, ...] = RULES, *, exact: bool = False, **step: object
):
    """The release of one step on the amounts; `exact`: before amounts are rounded to their digits."""
    data = as_data(frame, rules, **({"integers": "keep exact"} if exact else {}))
    return mv.Plan([{"method": method, "columns": AMOUNTS, **step}]).run(data, seed=7)
