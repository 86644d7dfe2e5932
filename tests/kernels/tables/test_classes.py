from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microveil.core.errors import BadInput
from microveil.kernels.tables.classes import class_counts, group_rows
from microveil.kernels.tables.sizes import class_sizes
from tests.reference import shared_file


def read_columns(*path: str) -> dict[str, np.ndarray]:
    with shared_file(*path).open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {name: np.array([float(r[name] if r[name] not in ("", "NA") else "nan") for r in rows]) for name in rows[0]}


def as_codes(columns: dict[str, np.ndarray], names: list[str]) -> np.ndarray:
    table = np.column_stack([columns[name] for name in names])
    return np.where(np.isnan(table), -1, table).astype(np.int64)


def compatible_counts(codes: np.ndarray) -> np.ndarray:
    agree = (codes[:, None] == codes) | (codes[:, None] < 0) | (codes < 0)
    return agree.all(axis=2).sum(axis=1)


small_codes = arrays(np.int64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.integers(-1, 2))


@given(small_codes)
def test_group_rows_equals_numpy_unique(codes):
    _, inverse, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    labels, sizes = group_rows(codes)
    assert np.array_equal(labels, inverse.reshape(-1))
    assert np.array_equal(sizes, counts)
    assert np.array_equal(class_counts(list(codes.astype(np.int32).T)), counts)


@given(small_codes)
def test_wildcard_counts_compatible_records(codes):
    f, F = class_sizes(codes, "wildcard")
    assert np.array_equal(f, compatible_counts(codes))
    assert np.array_equal(F, f)


def test_wildcard_with_large_patterns_uses_joins_and_agrees():
    generator = np.random.default_rng(3)
    codes = generator.integers(0, 6, (2500, 5))
    codes[:, 3:][generator.random((2500, 2)) < 0.4] = -1
    weights = generator.random(2500)
    f, F = class_sizes(codes, "wildcard", weights)
    agree = ((codes[:, None] == codes) | (codes[:, None] < 0) | (codes < 0)).all(axis=2)
    assert np.array_equal(f, agree.sum(axis=1))
    assert np.allclose(F, agree @ weights, rtol=1e-12)


def test_group_rows_packs_beyond_64_bits():
    generator = np.random.default_rng(1)
    few = generator.integers(0, 3, (3000, 12))
    wide = few * 10**9 - 5  # 12 columns of 31 bits
    extreme = np.where(few == 2, np.iinfo(np.int64).max, np.where(few == 1, np.iinfo(np.int64).min, 0))
    wide[:, 0] = extreme[:, 0]
    labels, sizes = group_rows(wide)
    _, inverse, counts = np.unique(wide, axis=0, return_inverse=True, return_counts=True)
    assert np.array_equal(labels, inverse.reshape(-1))
    assert np.array_equal(sizes, counts)
    assert np.array_equal(class_counts(list(wide.T)), counts)


def test_counts_of_many_classes_leave_the_columns_as_they_are():
    columns = np.random.default_rng(4).integers(-1, 40, (6, 2000))
    before = columns.copy()
    assert np.array_equal(class_counts(list(columns)), np.unique(columns, axis=1, return_counts=True)[1])
    assert np.array_equal(columns, before)


def test_group_rows_of_nothing():
    assert [a.tolist() for a in group_rows(np.zeros((0, 2), dtype=np.int64))] == [[], []]
    labels, sizes = group_rows(np.zeros((3, 0), dtype=np.int64))
    assert labels.tolist() == [0, 0, 0]
    assert sizes.tolist() == [3]


def test_own_treats_missing_as_a_category():
    codes = np.array([[0, -1], [0, -1], [0, 1], [-1, 1]])
    f, F = class_sizes(codes, "own", np.array([1.0, 2.0, 4.0, 8.0]))
    assert f.tolist() == [2, 2, 1, 1]
    assert F.tolist() == [3.0, 3.0, 4.0, 8.0]


def test_wildcard_by_hand_is_not_transitive():
    codes = np.array([[0, 0], [0, -1], [0, 1], [-1, -1], [1, 1]])
    f, _ = class_sizes(codes, "wildcard")
    assert f.tolist() == [3, 4, 3, 5, 2]


def test_francdat_counts_of_sdcmicro():
    data = read_columns("data", "francdat.csv")
    oracle = read_columns("oracles", "risk_categorical", "francdat_freq_risk.csv")
    codes = as_codes(data, ["Key1", "Key2", "Key3", "Key4"])
    f, F = class_sizes(codes, "own", data["w"])
    assert np.array_equal(f, oracle["fk"])
    assert np.allclose(F, oracle["Fk"])
    codes[[0, 3], 0] = -1
    codes[6, 2] = -1
    f, F = class_sizes(codes, "wildcard", data["w"])
    assert np.array_equal(f, oracle["fk_na_alpha1"])
    assert np.allclose(F, oracle["Fk_na_alpha1"])


def test_testdata_counts_of_sdcmicro():
    data = read_columns("data", "testdata.csv")
    oracle = read_columns("oracles", "risk_categorical", "testdata_freq_risk.csv")
    codes = as_codes(data, ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"])
    for missing in ("own", "wildcard"):
        f, F = class_sizes(codes, missing, data["sampling_weight"])
        assert np.array_equal(f, oracle["fk"])
        assert np.allclose(F, oracle["Fk"])


@pytest.mark.parametrize("name", ["kv4_k3", "kv7_k3", "kv7_age_k3"])
def test_suppressed_tables_of_sdcmicro(name):
    columns = read_columns("oracles", "suppression", f"testdata_{name}.csv")
    codes = as_codes(columns, list(columns))
    f, _ = class_sizes(codes, "wildcard")
    assert f.min() == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: class_sizes(np.zeros((2, 1), dtype=np.int64), "any"), "missing='any' is not one of 'own', 'wildcard'"),
        (lambda: class_sizes(np.full((2, 1), -2)), "code -2 is not allowed"),
        (lambda: class_sizes(np.zeros((2, 1), dtype=np.int64), weights=np.ones(3)), "each of the 2 records"),
    ],
)
def test_errors_say_what_is_wrong(call, message):
    with pytest.raises(BadInput, match=message):
        call()
