from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from microveil.core.errors import BadInput
from microveil.datasets import make_survey, survey_roles, survey_schema
from microveil.datasets.drawing import Draws
from microveil.datasets.survey import _MISSING


@pytest.fixture(scope="module")
def large_survey() -> pd.DataFrame:
    return make_survey(40_000, seed=3).to_pandas()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 11, 997])
def test_any_number_of_records(n):
    table = make_survey(n, seed=n)
    assert isinstance(table, pa.Table)
    assert table.num_rows == n
    assert table.column_names == list(survey_roles())
    sizes = table.group_by("household_id").aggregate([("household_size", "max"), ("person_id", "count")])
    assert sizes["household_size_max"] == sizes["person_id_count"]


def test_same_seed_same_file_and_other_seed_another():
    assert make_survey(300, seed=5).equals(make_survey(300, seed=5))
    assert not make_survey(300, seed=5).equals(make_survey(300, seed=6))
    assert not make_survey(300).equals(make_survey(300))


def test_each_column_has_its_own_stream(monkeypatch):
    before = make_survey(300, seed=5)
    drawn = Draws.uniform
    # as if debts were drawn in another way: nothing else may move
    monkeypatch.setattr(Draws, "uniform", lambda self, *name: drawn(self, *(("x", *name) if "debts" in name else name)))
    after = make_survey(300, seed=5)
    moved = [name for name in before.column_names if before[name] != after[name]]
    assert moved == ["debts"]


def test_column_order_does_not_depend_on_the_backend():
    table = make_survey(50, seed=1)
    for backend in ("pandas", "polars"):
        frame = make_survey(50, seed=1, backend=backend)
        assert type(frame).__module__.startswith(backend)
        assert nw.from_native(frame).columns == table.column_names
        assert nw.from_native(frame)["income"].null_count() == table["income"].null_count
        assert nw.from_native(frame)["occupation"].to_list()[:9] == table["occupation"].to_pylist()[:9]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"n": 0}, r"n must be 1 or more; 0 was given"),
        ({"n": 2.5}, "n is 2.5; give a whole number of records"),
        ({"n": True}, "n is True; give a whole number of records"),
        ({"backend": "dask"}, r"no backend called 'dask'; there are \['pyarrow', 'pandas', 'polars'\]"),
        ({"seed": 1.5}, "seed is 1.5"),
    ],
)
def test_refuses(arguments, text):
    with pytest.raises(BadInput, match=text):
        make_survey(**arguments)


def test_schema_describes_the_file():
    schema = survey_schema()
    table = make_survey(20_000, seed=2)
    assert list(schema["roles"]) == list(schema["kinds"]) == table.column_names
    assert set(schema["roles"].values()) == {
        *("identifier", "key", "confidential", "other", "weight", "household", "stratum")
    }
    assert set(schema["kinds"].values()) == {"continuous", "ordinal", "nominal"}
    assert set(pc.unique(table["education"]).drop_null().to_pylist()) == set(schema["levels"]["education"])
    for column, hierarchy in schema["hierarchies"].items():
        assert set(pc.unique(table[column]).drop_null().to_pylist()) <= set(hierarchy)
        assert len({len(above) for above in hierarchy.values()}) == 1
        assert {above[-1] for above in hierarchy.values()} == {"all"}
    assert schema["hierarchies"]["district"]["Skerrin"] == ("North", "all")


def test_schema_is_handed_out_as_a_copy():
    survey_schema()["levels"]["education"].clear()
    survey_schema()["hierarchies"]["district"].clear()
    survey_roles().clear()
    assert survey_schema()["levels"]["education"]
    assert survey_schema()["hierarchies"]["district"]
    assert survey_roles()


def test_households_share_place_weight_and_wealth(large_survey):
    shared = ["stratum", "weight", "region", "district", "wealth", "household_size"]
    assert (large_survey.groupby("household_id")[shared].nunique(dropna=False) == 1).all(axis=None)
    above = survey_schema()["hierarchies"]["district"]
    assert (large_survey["district"].map(lambda leaf: above[leaf][0]) == large_survey["region"]).all()


def test_missing_values_occur_at_their_rates(large_survey):
    observed = large_survey.isna().mean()
    for column in large_survey:
        rate = _MISSING.get(column, 0.0)
        # wealth is missing by household: about 2.4 people answer or fail together
        assert observed[column] == pytest.approx(rate, abs=8 * np.sqrt(rate * (1 - rate) / 40_000))


def test_people_are_plausible(large_survey):
    assert large_survey["age"].between(0, 110).all()
    assert large_survey["person_id"].is_unique
    children = large_survey[large_survey["age"] < 11]
    assert set(children["education"].dropna()) == {"none"}
    assert set(children["marital_status"].dropna()) == {"never married"}
    assert (children["income"].dropna() == 0).all()
    reference = large_survey[large_survey["relationship"] == "reference person"].set_index("household_id")["age"]
    born = large_survey[large_survey["relationship"] == "child"]
    assert (born["household_id"].map(reference) - born["age"] >= 16).all()
    couples = large_survey[large_survey["relationship"].isin(["reference person", "partner"])]
    husbands = couples[couples["marital_status"] == "married"].groupby("household_id").size()
    assert husbands.max() == 2


def test_amounts_are_skewed_and_depend_on_the_person(large_survey):
    working = large_survey[~large_survey["occupation"].isin(["retired", "pupil or student", "child below school age"])]
    by_level = working.groupby("education")["income"].median()[["primary", "upper secondary", "bachelor", "master"]]
    assert by_level.is_monotonic_increasing
    by_job = large_survey.groupby("occupation")["income"].median()
    assert by_job["physician"] > by_job["nurse"] > by_job["cleaner"] > by_job["pupil or student"]
    assert large_survey[["income", "expenditure"]].corr("spearman").iloc[0, 1] > 0.7
    assert (large_survey[["income", "expenditure", "wealth", "debts"]].skew() > 3).all()
    assert 0.1 < (large_survey["wealth"] == 0).mean() < 0.2
    assert 0.5 < (large_survey["debts"] == 0).mean() < 0.8


def test_nationality_has_rare_categories(large_survey):
    counts = large_survey["nationality"].value_counts()
    assert counts["national"] / counts.sum() == pytest.approx(0.9, abs=0.01)
    assert (counts < 40).sum() >= 10
