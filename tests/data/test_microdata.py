"""Microdata: roles and kinds, checked once, in any frame library."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core import BadInput, UnknownName
from microveil.data import Microdata
from microveil.data.schema import KINDS, ROLES

FRAME = pd.DataFrame(
    {
        "id": [f"p{i}" for i in range(40)],
        "sex": [1, 2] * 20,
        "age": np.arange(20, 60),
        "income": np.linspace(1000.0, 5000.0, 40),
        "place": ["north", "south", "east", "west"] * 10,
    }
)


def test_kinds_are_inferred_and_can_be_overridden():
    kinds = Microdata(FRAME).kinds
    assert kinds == {"id": "nominal", "sex": "ordinal", "age": "continuous", "income": "continuous", "place": "nominal"}
    assert Microdata(FRAME, kinds={"sex": "nominal"}).kinds["sex"] == "nominal"


def test_a_small_file_of_whole_numbers_is_amounts_not_codes():
    assert Microdata(pd.DataFrame({"a": [1, 2, 3, 3]})).kinds["a"] == "continuous"


def test_ordered_types_are_ordinal_in_every_library():
    levels = ["low", "middle", "high"]
    values = ["high", "low", "low"]
    pandas = pd.DataFrame({"x": pd.Categorical(values, categories=levels, ordered=True)})
    polars = pl.DataFrame({"x": pl.Series(values, dtype=pl.Enum(levels))})
    for frame in (pandas, polars):
        data = Microdata(frame)
        assert data.kinds["x"] == "ordinal"
        assert data.values("x").levels == ("low", "high")
        assert data.values("x").data.tolist() == [1, 0, 0]


def test_declared_levels_give_text_its_order():
    data = Microdata(FRAME, kinds={"place": "ordinal"}, levels={"place": ["west", "east", "south", "north"]})
    assert data.values("place").levels == ("west", "east", "south", "north")


def test_codes_do_not_depend_on_the_order_of_rows():
    assert Microdata(FRAME).values("place").levels == Microdata(FRAME[::-1]).values("place").levels


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"roles": {"incme": "key"}}, UnknownName, r"no column 'incme'; .*did you mean 'income'\?"),
        ({"roles": {"age": "quasi"}}, BadInput, "role 'quasi' is not one of"),
        ({"kinds": {"age": "number"}}, BadInput, "kind 'number' is not one of"),
        ({"kinds": {"place": "continuous"}}, BadInput, r"'place' is to be continuous but holds .* such as 'north'"),
        ({"kinds": {"place": "ordinal"}}, BadInput, "'place' is ordinal text; state the order"),
        (
            {"levels": {"place": ["north"]}, "kinds": {"place": "ordinal"}},
            None,
            "",
        ),
        ({"roles": {"age": "weight", "income": "weight"}}, BadInput, "2 columns have the role 'weight'"),
        ({"roles": {"place": "weight"}}, BadInput, "the weights in 'place' must all be positive numbers"),
        ({"integers": "maybe"}, BadInput, r"integers='maybe' is not one of \['round', 'keep exact'\]"),
        ({"missing": {"age": 99}}, BadInput, r"missing\['age'\] is 99; give a list"),
    ],
)
def test_wrong_statements_are_named(arguments, error, message):
    if error is None:
        with pytest.raises(BadInput, match="not among its declared levels"):
            Microdata(FRAME, **arguments).values("place")
        return
    with pytest.raises(error, match=message):
        Microdata(FRAME, **arguments)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": []}), "no records"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' occurs more than once"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "'a' occurs more than once"),
        ([[1, 2]], "a builtins list was given"),
        (pl.LazyFrame({"a": [1]}), "collect lazy frames first"),
        (pd.DataFrame({"a": [1.0, np.inf, -np.inf]}), "'a' has 2 infinite values"),
    ],
)
def test_unusable_frames_are_refused(frame, message):
    with pytest.raises(BadInput, match=message):
        Microdata(frame)


def test_missing_codes_are_gaps():
    data = Microdata(pd.DataFrame({"a": [1, 999, 3], "b": ["x", "?", "y"]}), missing={"a": [999], "b": ["?"]})
    assert data.values("a").missing.tolist() == [False, True, False]
    assert data.values("b").data.tolist() == [0, -1, 1]


@pytest.mark.parametrize("empty", [None, float("nan"), pd.NA])
def test_every_spelling_of_a_gap_is_a_gap(empty):
    data = Microdata(pd.DataFrame({"a": pd.Series([1.5, empty, 2.5], dtype="Float64" if empty is pd.NA else None)}))
    assert data.values("a").missing.tolist() == [False, True, False]


def test_nan_inside_polars_and_arrow_floats_is_a_gap():
    for frame in (pl.DataFrame({"a": [1.0, float("nan"), None]}), pa.table({"a": [1.0, float("nan"), None]})):
        assert Microdata(frame).values("a").missing.tolist() == [False, True, True]
        assert Microdata(frame, kinds={"a": "nominal"}).values("a").data.tolist() == [0, -1, -1]


def test_subdomains_have_readable_labels():
    labels, texts = Microdata(FRAME).domains(["place", "sex"])
    assert texts[0] == "place=east, sex=1"
    assert len(texts) == len(set(labels.tolist())) == 4
    with pytest.raises(UnknownName, match="by: there is no column 'plaec'"):
        Microdata(FRAME).domains("plaec")


def test_with_changes_facts_and_takes_them_back():
    data = Microdata(FRAME, roles={"age": "key"}, levels={"place": ["west", "east", "south", "north"]})
    again = data.with_(roles={"income": "confidential"}, integers="keep exact")
    assert (again.roles["age"], again.roles["income"], again.integers) == ("key", "confidential", "keep exact")
    assert data.with_(levels={"place": None}).schema["place"].levels is None
    with pytest.raises(BadInput, match=r"with_ has no argument 'role'; .*did you mean 'roles'"):
        data.with_(role={"age": "key"})


def test_columns_without_names_as_text_are_fine():
    data = Microdata(pd.DataFrame(np.eye(3)))
    assert data.columns == (0, 1, 2)


@given(
    st.dictionaries(
        st.sampled_from(list(FRAME.columns)), st.sampled_from([r for r in ROLES if r not in ("weight", "household")])
    ),
    st.dictionaries(st.sampled_from(["id", "sex"]), st.sampled_from([k for k in KINDS if k == "nominal"])),
)
def test_stated_facts_come_back(roles, kinds):
    data = Microdata(FRAME, roles=roles, kinds=kinds)
    assert {name: data.roles[name] for name in roles} == roles
    assert {name: data.kinds[name] for name in kinds} == kinds
    assert data.with_().roles == data.roles


def test_long_whole_numbers_are_no_problem():
    data = Microdata(pa.table({"id": [2**60 + 1, 5, 7], "x": [1.0, 2.0, 3.0]}), roles={"id": "identifier"})
    assert data.encoded("id").levels == (5, 7, 2**60 + 1)


# -- what is known cannot be changed from outside -------------------------------------------------


def test_schema_roles_and_kinds_are_read_only():
    data = Microdata(FRAME, roles={"age": "key"})
    for mapping in (data.schema, data.roles, data.kinds):
        with pytest.raises(TypeError, match="does not support item assignment"):
            mapping["age"] = "other"
    with pytest.raises(AttributeError):
        data.codebook = None
    assert data.roles == {"id": "other", "sex": "other", "age": "key", "income": "other", "place": "other"}


def test_microdata_can_be_pickled():
    data = Microdata(FRAME, roles={"age": "key"})
    assert pickle.loads(pickle.dumps(data)).roles == data.roles


# -- whole numbers beyond 2^53 ----------------------------------------------------------------------

LONG = [2**53 + 2 * i + 1 for i in range(40)]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": LONG}),
        pd.DataFrame({"x": pd.array([*LONG[:39], None], dtype="Int64")}),
        pd.DataFrame({"x": np.array(LONG, dtype=np.uint64) + np.uint64(2**63)}),
        pd.DataFrame({"x": [-value for value in LONG]}),
        pl.DataFrame({"x": LONG}),
        pa.table({"x": LONG}),
    ],
)
def test_long_whole_numbers_are_no_amounts(frame):
    data = Microdata(frame)
    assert data.kinds == {"x": "nominal"}
    assert len(data.values("x").levels) == data.narwhal["x"].drop_nulls().n_unique()
    for attempt in (lambda: Microdata(frame, kinds={"x": "continuous"}), lambda: data.values("x", "continuous")):
        with pytest.raises(BadInput, match=r"column 'x' holds whole numbers beyond 2\^53, .*declare it nominal"):
            attempt()


def test_weights_beyond_2_to_the_53_are_refused():
    with pytest.raises(BadInput, match=r"the weights in 'x' must all be positive numbers up to 2\^53"):
        Microdata(pa.table({"x": LONG}), roles={"x": "weight"})


def test_whole_numbers_up_to_2_to_the_53_are_amounts():
    assert Microdata(pa.table({"x": [2**53 - i for i in range(40)]})).kinds == {"x": "continuous"}
    coded = Microdata(pa.table({"x": [*range(40), 2**62]}), missing={"x": [2**62]})
    assert coded.kinds == {"x": "continuous"}
    assert coded.values("x").missing.tolist() == [False] * 40 + [True]


# -- types that libraries know and files do not ------------------------------------------------------

CUT = pd.cut([1, 2, 3, 4, 9], [0, 2, 4, 10])


@pytest.mark.parametrize(
    ("column", "kind", "levels"),
    [
        (CUT, "ordinal", ("(0, 2]", "(2, 4]", "(4, 10]")),
        (CUT.as_unordered(), "nominal", ("(0, 2]", "(2, 4]", "(4, 10]")),
        (pd.arrays.IntervalArray.from_breaks([0, 1, 2, 9]), "nominal", ("(0, 1]", "(1, 2]", "(2, 9]")),
    ],
)
def test_intervals_are_categories_by_their_text(column, kind, levels):
    data = Microdata(pd.DataFrame({"x": column}))
    assert (data.kinds["x"], data.values("x").levels) == (kind, levels)


def test_periods_are_categories_by_their_text():
    months = pd.period_range("2020-01", periods=3, freq="M")
    for column in (months, pd.Categorical(months)):
        assert Microdata(pd.DataFrame({"x": column})).values("x").levels == ("2020-01", "2020-02", "2020-03")


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([[1], [2]], r"column 'x' holds list<item: int64>; text, numbers, .* are allowed: convert it"),
        ([{"a": 1}, {"a": 2}], r"column 'x' holds struct<a: int64>; text, numbers"),
        ([1j, 2j], "column 'x' holds complex numbers; split it into two columns"),
        ([1, "a"], "column 'x' mixes types such as text and numbers; make it one type"),
        (pd.arrays.SparseArray([0.0, 1.0]), r"column 'x' is sparse; make it dense first"),
        ([2**70, 1], "column 'x' holds whole numbers of more than 64 bits; convert it to text"),
        (pd.Categorical([1, "a"]), "column 'x' holds category, which cannot be used"),
        (pl.Series([[1], [2]]), "column 'x' holds large_list<item: int64>; text, numbers"),
        (pl.Series([{1}, {2}], dtype=pl.Object), "column 'x' mixes types such as text and numbers; make it one type"),
    ],
)
def test_columns_that_cannot_be_used_are_named(column, message):
    frame = pl.DataFrame({"x": column}) if isinstance(column, pl.Series) else pd.DataFrame({"x": column})
    with pytest.raises(BadInput, match=message):
        Microdata(frame).values("x")


@pytest.mark.parametrize("huge", [1e308, -1e200])
def test_numbers_whose_moments_would_overflow_are_refused_unless_they_mean_missing(huge):
    frame = pd.DataFrame({"x": [1.5, huge, 2.5, np.nan]})
    with pytest.raises(BadInput, match="cannot be computed with") as told:
        Microdata(frame)
    assert f"holds {huge:g}, and numbers beyond 1e+75" in str(told.value)
    assert Microdata(frame, missing={"x": [huge]}).values("x").missing.tolist() == [False, True, False, True]
    assert Microdata(frame / 1e240).values("x").missing.tolist() == [False, False, False, True]


def test_the_spread_of_a_column_is_of_its_observed_cells() -> None:
    data = Microdata(pd.DataFrame({"x": [1.0, np.nan, 3.0], "y": [1.0, 2.0, 6.0]}))
    assert data.spread("x") == 1.0
    assert data.spread("y") == pytest.approx(np.std([1.0, 2.0, 6.0]))


def test_a_column_comes_in_the_kind_asked_for_whatever_was_asked_before():
    data = Microdata(pd.DataFrame({"a": [1, 2, 1, 3]}), kinds={"a": "nominal"})
    assert [data.values("a", kind).kind for kind in ("nominal", "ordinal", "continuous", "nominal")] == [
        "nominal",
        "ordinal",
        "continuous",
        "nominal",
    ]
