"""Firms whose amounts a project replaces by means of five: what audits beside the original are tried with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pyarrow.csv import write_csv

import microveil as mv

AMOUNTS = ["employees", "total_sales", "total_revenue"]
PROJECT = """
version: 1
dataset: {path: firms.csv}
columns:
  enterprise_id: {role: identifier, kind: nominal}
plan:
  steps:
  - method: {microaggregation: {partition: {mdav: {k: 5}}}}
    columns: [employees, total_sales, total_revenue]
"""


def write_firms(folder: Path) -> Path:
    """The original, the same without numbers in another order (`raw.csv`), and the project."""
    firms = mv.datasets.make_enterprises(120, seed=3).select(["enterprise_id", *AMOUNTS])
    write_csv(firms, folder / "firms.csv")
    rows = np.random.default_rng(1).permutation(120)
    write_csv(firms.drop_columns(["enterprise_id"]).take(rows), folder / "raw.csv")
    (folder / "project.yaml").write_text(PROJECT)
    return folder
