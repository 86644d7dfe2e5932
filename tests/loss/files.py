"""Reference files and their masked versions for the tests of this room."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from tests.conftest import shared_file

SIX = ["AGI", "EMCONTRB", "FEDTAX", "INTVAL", "FICA", "POTHVAL"]


def original(name: str) -> pd.DataFrame:
    frame = pd.read_csv(shared_file("data", f"{name}.csv"))
    return (frame.loc[:, "RESREVENUE":"TOTSALES"] if name == "eia" else frame).astype(float)


def mdav(name: str, k: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Original and microaggregated file in the original units."""
    x = original(name)
    z = pd.read_csv(
        shared_file("oracles", "microaggregation", f"{'eia10' if name == 'eia' else name}_mdav_k{k}.csv.gz")
    )
    z.columns = x.columns
    return x, z * x.std() + x.mean()


def masked_pair(which: str) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Census, a masked version and the figures another tool gives for it."""
    x = original("census")
    file = {"noise20": "census_noise20", "mdav5": "census_mdav5_rawscale"}[which]
    y = pd.read_csv(shared_file("oracles", "masked_pair", f"{file}.csv"))
    y.columns = x.columns
    figures = json.loads(shared_file("oracles", "masked_pair", "measures.json").read_text())[which]
    return x, y, figures


def thyroid() -> tuple[pd.DataFrame, list[pd.DataFrame], dict[str, Any]]:
    """Thyroid, three synthetic versions and the figures another tool gives for them."""
    x = pd.read_csv(shared_file("data", "thyroid.csv"))
    s = pd.read_csv(shared_file("oracles", "synthpop", "thyroid_synthpop_cart_m3.csv"))
    figures = json.loads(shared_file("oracles", "synthpop", "synthpop_measures.json").read_text())
    names = figures["meta"]["variables"]
    return x[names], [s.loc[s.synthesis == i, names].reset_index(drop=True) for i in (1, 2, 3)], figures


def tell_exact_moments(x: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Normal numbers with exactly the mean and covariance of x."""
    centred = x - x.mean(axis=0)
    z = generator.standard_normal(x.shape)
    z -= z.mean(axis=0)
    here, there = (np.linalg.cholesky(a.T @ a / len(x)) for a in (z, centred))
    return z @ np.linalg.inv(here).T @ there.T + x.mean(axis=0)


def frame_of(x: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])])
