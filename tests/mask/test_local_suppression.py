"""Local suppression in both readings of a missing cell."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.data.microdata import Microdata
from microveil.kernels.tables.sizes import class_sizes
from microveil.mask import LocalSuppression
from microveil.mask.local_suppression import suppress_cells
from tests.marks import ANY_FILE
from tests.mask.helpers import KEYS
from tests.reference import reference, shared_file


def key_data(names):
    frame = reference("testdata")[names]
    return Microdata(frame, kinds=dict.fromkeys(names, "nominal"))


def coded(frame):
    return np.column_stack([np.where(frame[c].isna(), -1, pd.factorize(frame[c])[0]) for c in frame]).astype(np.int64)


@pytest.mark.parametrize("names", [KEYS, [*KEYS, "age"]], ids=["7 keys", "8 keys"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_more_cells_than_the_reference_in_its_own_reading(names, k):
    facts = json.loads(shared_file("oracles", "suppression", "kanon.json").read_text())
    published = facts[f"kv7{'_age' if 'age' in names else ''}_k{k}"]["total"]
    release = LocalSuppression(k=k, missing="wildcard").apply(key_data(names), columns=names, seed=1)
    assert release.frame.isna().sum().sum() <= published
    assert class_sizes(coded(release.frame), "wildcard")[0].min() >= k


@pytest.mark.parametrize(("k", "most"), [(2, 200), (3, 395), (5, 725)])
def test_the_strict_reading_holds_and_implies_the_other(k, most):
    release = LocalSuppression(k=k).apply(key_data(KEYS), columns=KEYS, seed=1)
    codes = coded(release.frame)
    assert class_sizes(codes, "own")[0].min() >= k
    assert class_sizes(codes, "wildcard")[0].min() >= k
    # integer programming over one group per record and at most two cells each reaches 187, 358, 662
    assert release.frame.isna().sum().sum() <= most


def test_kept_cells_are_the_original_ones():
    data = key_data(KEYS)
    masked = LocalSuppression(k=3).apply(data, columns=KEYS, seed=1).frame
    kept = masked.notna()
    assert (masked.where(kept) == data.frame.where(kept)).to_numpy()[kept.to_numpy()].all()


@given(
    rows=st.lists(st.tuples(*[st.integers(-1, 2)] * 3), min_size=4, max_size=40),
    k=st.integers(2, 4),
    reading=st.sampled_from(["own", "wildcard"]),
)
def test_any_table_becomes_safe(rows, k, reading):
    codes = np.array(rows, dtype=np.int64)
    cells = suppress_cells(codes, [([0, 1, 2], k)], np.ones(3), reading).cells
    after = np.where(cells, -1, codes)
    assert class_sizes(after, reading)[0].min() >= k
    assert not (cells & (codes < 0)).any()
    if class_sizes(codes, reading)[0].min() >= k:
        assert not cells.any()


@given(
    rows=st.lists(st.tuples(*[st.integers(-1, 2)] * 2), min_size=8, max_size=60),
    k=st.integers(2, 5),
    reading=st.sampled_from(["own", "wildcard"]),
    sets=st.sampled_from([[[0, 1]], [[0], [0, 1]]]),
)
def test_different_rows_with_their_counts_lose_what_records_in_their_order_lose(rows, k, reading, sets):
    records = np.array(sorted(rows), dtype=np.int64)
    asked = [(columns, k) for columns in sets]
    different, counts = np.unique(records, axis=0, return_counts=True)
    found = suppress_cells(different, asked, np.array([1.0, 1.5]), reading, times=counts)
    assert np.bincount(found.of, weights=found.times).tolist() == counts.tolist()
    whole = suppress_cells(records, asked, np.array([1.0, 1.5]), reading).cells
    assert np.repeat(found.cells, found.times, axis=0).tolist() == whole.tolist()


@pytest.mark.parametrize("reading", ["own", "wildcard"])
def test_many_keys(reading):
    codes = np.random.default_rng(0).integers(0, 2, size=(60, 25))
    cells = suppress_cells(codes, [(list(range(25)), 3)], np.ones(25), reading).cells
    assert class_sizes(np.where(cells, -1, codes), reading)[0].min() >= 3


def test_two_rare_records_that_differ_in_one_key_lose_that_key():
    frame = pd.DataFrame({"a": ["x"] * 4 + ["y", "y"], "b": ["p"] * 4 + ["q", "r"]})
    masked = LocalSuppression(k=2).apply(frame, columns=["a", "b"], seed=1).frame
    assert masked.isna().sum().to_dict() == {"a": 0, "b": 2}
    # when a missing cell agrees with anything one of the two is enough
    masked = LocalSuppression(k=2, missing="wildcard").apply(frame, columns=["a", "b"], seed=1).frame
    assert masked.isna().sum().sum() == 1


def test_cost_and_importance_decide_which_key_goes():
    frame = pd.DataFrame({"a": list("xxxyyyxy"), "b": list("pppqqqqp")})
    by_cost = LocalSuppression(k=2, cost={"a": 5.0}).apply(frame, columns=["a", "b"], seed=1).frame
    assert by_cost["a"].isna().sum() == 0
    spared = LocalSuppression(k=2, importance=["b", "a"]).apply(frame, columns=["a", "b"], seed=1).frame
    assert spared["b"].isna().sum() == 0


def test_several_key_sets_with_their_own_thresholds():
    names = KEYS
    method = LocalSuppression(key_sets=[names[:4], names[3:]], thresholds=[5, 2])
    release = method.apply(key_data(names), columns=names, seed=1)
    codes = coded(release.frame)
    assert class_sizes(codes[:, :4])[0].min() >= 5
    assert class_sizes(codes[:, 3:])[0].min() >= 2
    with pytest.raises(BadInput, match="1 thresholds for 2 key_sets"):
        LocalSuppression(key_sets=[["a"], ["b"]], thresholds=[2])


def test_all_combinations_of_three_keys():
    release = LocalSuppression(subsets=[(3, 3)], missing="wildcard").apply(key_data(KEYS), columns=KEYS, seed=1)
    facts = json.loads(shared_file("oracles", "suppression", "kanon.json").read_text())
    published = [entry["total"] for name, entry in facts.items() if "comb" in name and "total" in entry]
    assert release.frame.isna().sum().sum() <= max(published, default=np.inf)


def test_linked_columns_follow_their_key():
    frame = pd.DataFrame({"a": ["x"] * 4 + ["y", "z"], "b": ["p"] * 6, "detail": list("123456")})
    method = LocalSuppression(k=2, linked={"a": ["detail"]})
    masked = method.apply(frame, columns=["a", "b"], seed=1).frame
    assert (masked["detail"].isna() == masked["a"].isna()).all()
    assert masked["a"].isna().sum() == 2


def test_households_lose_a_household_key_together():
    frame = reference("testdata")[["urbrur", "roof", "walls", "sex", "relat", "ori_hid"]].head(1500)
    keys = ["urbrur", "roof", "walls", "sex", "relat"]
    data = Microdata(frame, roles={"ori_hid": "household"}, kinds=dict.fromkeys(keys, "nominal"))
    masked = LocalSuppression(k=3, household_keys=["roof"]).apply(data, columns=keys, seed=1).frame
    by_house = masked["roof"].isna().groupby(frame["ori_hid"]).agg(["min", "max"])
    assert (by_house["min"] == by_house["max"]).all()
    assert class_sizes(coded(masked[keys]))[0].min() >= 3


def test_strata_and_refusals():
    frame = pd.DataFrame({"a": list("xxyyz"), "s": ["n"] * 4 + ["t"]})
    with pytest.raises(NotEnoughRecords, match=r"subdomain s=t.*needs at least k=2 records: 1 given"):
        LocalSuppression(k=2).apply(frame, columns=["a"], by="s", seed=1)
    with pytest.raises(BadInput, match="goes without cost"):
        LocalSuppression(cost={"a": 1.0}, importance=["a"])
    with pytest.raises(BadInput, match="importance names 'q'"):
        LocalSuppression(importance=["q"]).apply(frame, columns=["a"], seed=1)


@ANY_FILE
def test_a_safe_file_is_left_alone():
    frame = pd.DataFrame({"a": list("xxyy")})
    with pytest.warns(UserWarning, match="released every original record"):
        release = LocalSuppression(k=2).apply(frame, columns=["a"], seed=1)
    assert "no cell had to be suppressed" in release.notes
