"""Audit beside the original: a file that is the original in another order is not what its project says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow.csv import write_csv

import microveil as mv
from microveil.package import audit

PROJECT = """
version: 2
dataset: {path: firms.csv}
columns:
  enterprise_id: {role: identifier, kind: nominal}
plan:
  steps:
  - method: {microaggregation: {partition: {mdav: {k: 5}}}}
    columns: [employees, total_sales, total_revenue]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("copies")
    firms = mv.datasets.make_enterprises(120, seed=3).select(
        ["enterprise_id", "employees", "total_sales", "total_revenue"]
    )
    write_csv(firms, place / "firms.csv")
    (place / "project.yaml").write_text(PROJECT)
    return place


def copies(folder: Path, name: str) -> list[tuple[str, str]]:
    found = audit(folder / name, project=folder / "project.yaml", original=folder / "firms.csv")
    return [(one.state, one.text) for one in found.findings if one.check == "copies"]


def test_the_original_in_another_order_breaks_the_audit(folder: Path):
    shuffled = mv.read(folder / "firms.csv").frame.drop_columns(["enterprise_id"]).sort_by("total_sales")
    write_csv(shuffled, folder / "shuffled.csv")
    ((state, text),) = copies(folder, "shuffled.csv")
    assert state == "broken"
    assert "although columns are said to be perturbed" in text


def test_groups_of_five_hold_no_copies(folder: Path):
    data = mv.read(folder / "firms.csv", roles={"enterprise_id": "identifier"})
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(
        data, columns=["employees", "total_sales", "total_revenue"]
    )
    mv.write(release, folder / "released.csv")
    ((state, _),) = copies(folder, "released.csv")
    assert state == "holds"
