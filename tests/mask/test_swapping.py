"""Data swapping and targeted record swapping."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata
from microveil.mask import DataSwap, RecordSwap
from tests.marks import ANY_FILE
from tests.reference import shared_file


def people_with_illnesses(n=600, seed=0):
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "job": generator.choice(list("abcde"), n),
            "ill": generator.choice(list("xyz"), n, p=[0.7, 0.2, 0.1]),
            "sex": generator.choice(["f", "m"], n),
            "area": generator.choice(["n", "s", "w"], n),
            "other": generator.choice(list("pq"), n),
        }
    )


def counts(frame, names):
    return frame.groupby(names).size().to_dict()


def test_matched_swapping_keeps_the_joint_table_exactly():
    frame = people_with_illnesses()
    release = DataSwap(rate=0.4, match=["sex", "area"]).apply(frame, columns=["job", "ill"], seed=1)
    masked = release.frame
    for names in (["job", "ill", "sex", "area"], ["sex", "area", "other"]):
        assert counts(masked, names) == counts(frame, names)
    changed = (masked[["job", "ill"]] != frame[["job", "ill"]]).any(axis=1).mean()
    assert 0.3 < changed <= 0.4
    # exchanges are pairs: a record's partner got what it gave
    assert counts(masked, ["job", "other"]) != counts(frame, ["job", "other"])


@ANY_FILE
@pytest.mark.parametrize("rate", [0.0, 0.05, 0.21, 1.0])
def test_never_more_records_than_the_rate(rate):
    frame = people_with_illnesses(101)
    for different in (False, True):
        method = DataSwap(rate=rate, match=["sex"], different=different)
        if rate == 0:
            with pytest.warns(UserWarning, match="released every original record"):
                masked = method.apply(frame, columns=["job"], seed=1).frame
        else:
            masked = method.apply(frame, columns=["job"], seed=1).frame
        assert (masked["job"] != frame["job"]).mean() <= rate


def test_lower_order_keeps_only_those_tables():
    frame = people_with_illnesses(400)
    match = ["sex", "area", "other"]
    masked = DataSwap(rate=0.2, match=match, order=2).apply(frame, columns=["job"], seed=1).frame
    for name in match:
        assert counts(masked, ["job", name]) == counts(frame, ["job", name])
    assert (masked["job"] != frame["job"]).mean() > 0.05
    loose = DataSwap(rate=0.2, match=match, order=2, tolerance=12).apply(frame, columns=["job"], seed=1).frame
    total = sum(
        (pd.crosstab(loose["job"], loose[name]) - pd.crosstab(frame["job"], frame[name])).abs().to_numpy().sum()
        for name in match
    )
    assert 0 < total <= 12


@ANY_FILE
def test_records_alone_in_their_cell_stay():
    frame = pd.DataFrame({"job": list("abcd"), "cell": [1, 2, 3, 4]})
    data = Microdata(frame, kinds={"cell": "nominal", "job": "nominal"})
    with pytest.warns(UserWarning, match="released every original record"):
        DataSwap(rate=1.0, match=["cell"]).apply(data, columns=["job"], seed=1)


def test_swap_refusals():
    with pytest.raises(BadInput, match="order=3 needs at least 2 match columns"):
        DataSwap(match=["a"], order=3)
    with pytest.raises(BadInput, match="both swapped and matched"):
        DataSwap(match=["sex"]).apply(people_with_illnesses(), columns=["sex"], seed=1)


# -- households --------------------------------------------------------------------------------


def census_like():
    frame = pd.read_csv(shared_file("oracles", "recordswap", "original.csv"))
    names = ["nuts1", "nuts2", "hsize", "ageGroup", "national", "nuts3", "lau2"]
    return Microdata(frame, roles={"hid": "household"}, kinds=dict.fromkeys(names, "nominal"))


METHOD = RecordSwap(risk=("ageGroup", "national"), similar=(("hsize",),), k=3, rate=0.05, carry_along=("nuts3", "lau2"))


def swapped():
    data = census_like()
    return data.frame, METHOD.apply(data, columns=["nuts1", "nuts2"], seed=1)


def test_households_stay_whole_and_areas_keep_their_households():
    before, release = swapped()
    after = release.frame
    areas = ["nuts1", "nuts2", "nuts3", "lau2"]
    assert (after.groupby("hid")[areas].nunique() == 1).all().all()
    houses_before = before.groupby("hid")[[*areas, "hsize"]].first()
    houses_after = after.groupby("hid")[[*areas, "hsize"]].first()
    assert houses_before.value_counts().to_dict() == houses_after.value_counts().to_dict()
    rest = [name for name in before if name not in areas]
    pd.testing.assert_frame_equal(before[rest], after[rest])


def test_as_many_households_as_asked_have_moved():
    before, release = swapped()
    moved = (before[["nuts1", "nuts2"]] != release.frame[["nuts1", "nuts2"]]).any(axis=1)
    share = moved.groupby(before["hid"]).first().mean()
    counts = before.groupby(["nuts1", "nuts2", "ageGroup", "national"])["hid"].transform("size")
    risky = before.loc[counts < 3, "hid"].nunique() / before["hid"].nunique()
    assert share >= 0.045
    assert share <= max(0.05, 2 * risky) + 0.02


def test_every_risky_household_moves_or_is_reported():
    before, release = swapped()
    moved = set(before.loc[(before[["nuts1", "nuts2"]] != release.frame[["nuts1", "nuts2"]]).any(axis=1), "hid"])
    risky = set()
    for level in (["nuts1"], ["nuts1", "nuts2"]):
        counts = before.groupby([*level, "ageGroup", "national"])["hid"].transform("size")
        risky |= set(before.loc[counts < 3, "hid"])
    missed = risky - moved
    assert not missed or any(f"{len(missed)} risky households found no partner" in note for note in release.notes)


def test_partners_need_the_same_profile_and_another_area():
    frame = pd.DataFrame({"area": ["n", "n", "s", "s"], "size": ["1", "2", "1", "2"], "x": list("abcd")})
    method = RecordSwap(similar=[["size"]], rate=1.0, k=1)
    masked = method.apply(frame, columns=["area"], seed=1).frame
    assert masked["area"].tolist() == ["s", "s", "n", "n"]


def test_profiles_must_be_the_same_in_a_household():
    data = census_like()
    with pytest.raises(BadInput, match="'ageGroup' differs inside households"):
        RecordSwap(similar=[["ageGroup"]]).apply(data, columns=["nuts1"], seed=1)
