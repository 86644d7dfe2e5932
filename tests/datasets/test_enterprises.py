from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.datasets import enterprises_roles, enterprises_schema, make_enterprises

PARTS = ["residential", "commercial", "industrial", "other"]


@pytest.fixture(scope="module")
def file() -> pd.DataFrame:
    return make_enterprises(20_000, seed=3).to_pandas()


@pytest.mark.parametrize("n", [1, 2, 3, 19, 20, 249, 251])
def test_any_number_of_records(n):
    table = make_enterprises(n, seed=n)
    assert table.num_rows == n
    assert table.column_names == list(enterprises_roles())
    assert sum(column.null_count for column in table.columns) == 0


def test_same_seed_same_file_and_other_seed_another():
    assert make_enterprises(300, seed=5).equals(make_enterprises(300, seed=5))
    assert not make_enterprises(300, seed=5).equals(make_enterprises(300, seed=6))


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_backends_hold_the_same_values(backend):
    frame = nw.from_native(make_enterprises(50, seed=1, backend=backend))
    assert frame.to_arrow().to_pydict() == make_enterprises(50, seed=1).to_pydict()


def test_refuses_unknown_backend_and_no_records():
    with pytest.raises(BadInput, match="no backend called 'spark'"):
        make_enterprises(5, backend="spark")
    with pytest.raises(BadInput, match=r"n must be 1 or more; -1 was given"):
        make_enterprises(-1)


def test_schema_describes_the_file(file):
    schema = enterprises_schema()
    assert list(schema["roles"]) == list(schema["kinds"]) == list(file)
    assert set(file["sector"]) == set(schema["hierarchies"]["sector"])
    assert schema["hierarchies"]["sector"]["47.71"] == ("47.7", "47", "G", "all")


@pytest.mark.parametrize("what", ["revenue", "sales"])
def test_totals_are_almost_sums(file, what):
    total = file[f"total_{what}"]
    miss = total - file[[f"{part}_{what}" for part in PARTS]].sum(axis=1)
    assert (miss == 0).mean() == pytest.approx(0.94, abs=0.01)
    assert (miss.abs() <= np.maximum(1, 0.021 * total)).all()
    assert (total >= 0).all()


def test_quantities_follow_revenues(file):
    for part in [*PARTS, "total"]:
        assert np.corrcoef(file[f"{part}_revenue"], file[f"{part}_sales"])[0, 1] > 0.9
        assert ((file[f"{part}_revenue"] == 0) == (file[f"{part}_sales"] == 0)).all()
    scaled = file.drop(columns=["enterprise_id", "name", "region", "sector", "employees"]).rank()
    values = np.linalg.eigvalsh(np.corrcoef(scaled.to_numpy(), rowvar=False))
    assert values[0] < 0.01


def test_skew_zeros_and_repeated_figures(file):
    amounts = file.drop(columns=["enterprise_id", "name", "region", "sector", "employees"])
    assert (amounts.skew() > 5).all()
    zeros = (amounts == 0).mean()
    assert zeros[[f"{part}_revenue" for part in PARTS]].between(0.02, 0.07).all()
    assert 80 <= amounts[amounts["total_revenue"] > 0].duplicated().sum() <= 90
    assert file["enterprise_id"].is_unique
