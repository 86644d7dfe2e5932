"""Released columns in the user's own types: nothing wraps, nothing is silently inexact."""

from __future__ import annotations

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.frames import new_levels, replace_columns, restore_numbers
from tests.marks import ANY_FILE


def series(values: object, library: str, kind: str) -> nw.Series:
    if library == "pandas":
        native = pd.Series(values, dtype=kind)
    elif library == "polars":
        native = pl.Series("x", values, dtype=getattr(pl, kind.capitalize().replace("Uint", "UInt")))
    else:
        native = pa.chunked_array([pa.array(values, kind.lower())])
    return nw.from_native(native, series_only=True)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("kind", "largest", "comes_back", "note"),
    [
        ("int8", 127.4, "Int8", ""),
        ("int8", 127.6, "Int64", "values of 'x' no longer fit Int8 and come back as Int64"),
        ("uint8", -1.0, "Int64", "values of 'x' no longer fit UInt8 and come back as Int64"),
        ("int64", 2.0**53, "Int64", ""),
        ("int64", 2.0**53 + 2, "Float64", "values of 'x' lie beyond 2^53 now and come back as Float64"),
        ("int64", 2.0**63, "Float64", "values of 'x' lie beyond 2^53 now and come back as Float64"),
        ("uint64", 2.0**64, "Float64", "values of 'x' lie beyond 2^53 now and come back as Float64"),
        ("int64", -1e30, "Float64", "values of 'x' lie beyond 2^53 now and come back as Float64"),
    ],
)
def test_numbers_never_wrap(library: str, kind: str, largest: float, comes_back: str, note: str) -> None:
    original = series([1, 2, 3], library, kind)
    for numbers in (np.array([1.0, largest, 3.0]), np.array([np.nan, largest, 3.0])):
        restored = restore_numbers(original, numbers, "round", "x")
        assert restored.note == note
        if library != "pandas" or not np.isnan(numbers).any():
            assert str(restored.series.dtype) == comes_back
        assert float(restored.series.to_list()[1]) == np.rint(largest)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("integers", ["round", "keep exact"])
def test_noise_near_the_end_of_a_type_is_refused_or_true(library: str, integers: str) -> None:
    rng = np.random.default_rng(0)
    near = pd.DataFrame({"x": 2**63 - 1 - rng.integers(0, 2**60, 100)})
    within = pd.DataFrame({"x": 2**53 - rng.integers(0, 2**52, 100)})
    for frame in (near, within):
        table = pa.Table.from_pandas(frame, preserve_index=False)
        native = {"pandas": frame, "polars": pl.from_arrow(table), "pyarrow": table}[library]
        if frame is near:
            with pytest.raises(BadInput, match=r"column 'x' holds whole numbers beyond 2\^53"):
                mv.mask.UncorrelatedNoise(p=5).apply(mv.Microdata(native, kinds={"x": "continuous"}, integers=integers))
            continue
        release = mv.mask.UncorrelatedNoise(p=5).apply(mv.Microdata(native, integers=integers), seed=1)
        released = np.array(release.narwhal["x"].to_list(), dtype=float)
        assert np.abs(released).max() > 2**53
        assert released.min() > -(2.0**60)
        told = "values of 'x' lie beyond 2^53 now and come back as Float64" in release.notes
        assert told == (integers == "round")


@ANY_FILE
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_swapped_long_numbers_are_the_original_ones(library: str) -> None:
    numbers = [2**53 + i for i in range(100)]
    native = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[library]({"x": numbers})
    release = mv.mask.RankSwap(p=10).apply(native, columns=["x"], seed=1)
    assert sorted(release.narwhal["x"].to_list()) == numbers
    assert release.narwhal["x"].to_list() != numbers


def test_recoded_columns_leave_arrow_tables_that_pandas_can_read() -> None:
    frame = pd.DataFrame(
        {"a": pd.array([1, 2, None], dtype="Int64"), "s": pd.Categorical(["x", "y", "x"]), "f": [1.5, 2.5, 3.5]},
        index=pd.Index(["r", "s", "t"], name="row"),
    )
    table = pa.Table.from_pandas(frame)
    words = nw.from_native(pa.chunked_array([["u", "v", None]]), series_only=True)
    opened = nw.from_native(table, eager_only=True)
    released = replace_columns(opened, {"a": words, "s": words}).to_native().to_pandas()
    assert released.index.tolist() == ["r", "s", "t"]
    assert released["a"].tolist()[:2] == ["u", "v"]
    assert released["f"].tolist() == [1.5, 2.5, 3.5]
    assert replace_columns(opened, {"f": opened["f"]}).to_native().to_pandas()["a"].dtype == "Int64"


@pytest.mark.parametrize("method", [mv.mask.GlobalRecode(), mv.mask.KAnonymise(k=5), mv.mask.Sample(fraction=0.5)])
def test_releases_of_tables_from_pandas_go_back_to_pandas(method: mv.data.Method) -> None:
    ages = pd.DataFrame({"age": pd.array(np.arange(80) % 40, dtype="Int64")}, index=[f"r{i}" for i in range(80)])
    data = mv.Microdata(pa.Table.from_pandas(ages), roles={"age": "key", "__index_level_0__": "identifier"})
    released = method.apply(data, columns=["age"], seed=1).frame
    assert len(released.to_pandas()) == released.num_rows
    assert released.to_pandas()["age"].tolist() == released["age"].to_pylist()


@pytest.mark.parametrize("zeros", [[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]])
def test_the_sign_of_zero_makes_no_category(zeros: list[float]) -> None:
    encoded = mv.Microdata(pd.DataFrame({"a": [*zeros, 1.5]})).encoded("a")
    assert [str(level) for level in encoded.levels] == ["0.0", "1.5"]
    assert encoded.codes.tolist() == [0, 0, 1]


@pytest.mark.parametrize("kind", ["int64", "int8", "uint32"])
def test_whole_numbers_are_coded_in_rising_order(kind: str) -> None:
    table = pa.table({"x": pa.array([7, 3, None, 99, 7, 12, 3], kind)})
    found = mv.Microdata(table, kinds={"x": "nominal"}, missing={"x": [99, "none"]}).encoded("x")
    assert found.levels == (3, 7, 12)
    assert found.codes.tolist() == [1, 0, -1, -1, 1, 2, 0]
    assert found.first_row.tolist() == [1, 0, 5]


def test_ordered_categories_of_whole_numbers_keep_their_order() -> None:
    frame = pd.DataFrame({"x": pd.Categorical([7, 3, 12], categories=[12, 3, 7], ordered=True)})
    assert mv.Microdata(frame).encoded("x").levels == (12, 3, 7)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("levels", "texts"),
    [((1, 2, "*"), ["1", "2"]), ((False, True, "*"), ["false", "true"]), ((1.5, 2.0, "*"), ["1.5", "2"])],
)
def test_levels_of_unlike_types_become_texts_where_columns_have_one(library, levels, texts) -> None:
    column = new_levels("c", levels, np.array([0, 2, -1, 1]), nw.Implementation.from_backend(library))
    first, second = levels[:2] if library == "pandas" else texts
    assert column.to_list() == [first, "*", None, second]
    # texts alone, in a part of the file where the others do not occur
    if library != "pandas":
        assert new_levels("c", levels, np.array([0]), nw.Implementation.from_backend(library)).dtype == nw.String
