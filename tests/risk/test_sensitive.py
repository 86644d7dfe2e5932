"""l-diversity, t-closeness, attribute disclosure, replicated uniques, key ranking."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

import microveil as mv
from microveil.core import NotApplicable
from microveil.core.errors import BadInput
from microveil.kernels.tables.closeness import class_distance
from microveil.measure import Pair
from tests.reference import shared_file, thyroid

KEYS7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


# -- l-diversity ----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["hhcivil", "electcon"])
@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive"])
def test_l_diversity_of_every_record_as_in_sdcmicro(household_survey, target, kind):
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "testdata_ldiversity.csv"))
    pair = Pair.of(household_survey).only(("urbrur", "water", "sex", "relat"))
    found = mv.risk.LDiversity(kind=kind).records_of(pair, target)
    assert found == pytest.approx(oracle[f"{target}_{kind.capitalize()}_Ldiversity"].to_numpy(), rel=1e-9)


def test_l_diversity_by_hand():
    data = pd.DataFrame({"k": list("aaaabbb"), "ill": list("uuvwxxx"), "pay": list("1122112")})
    assert mv.risk.LDiversity(keys=["k"], targets=["ill"])(data).value == 1
    first = data[data.k == "a"]
    assert mv.risk.LDiversity(keys=["k"], targets=["ill"], kind="entropy")(first).value == pytest.approx(2**1.5)
    # 2 of u, 1 of v, 1 of w: 2 < 2 x 2 holds from the second value on, 2 < 2 x 1 not from the third
    assert mv.risk.LDiversity(keys=["k"], targets=["ill"], kind="recursive")(first).value == 2
    several = mv.risk.LDiversity(keys=["k"], targets=["ill", "pay"], multi=True)(first)
    assert several.parts["pay"] == 1  # everybody with illness u earns 1
    assert mv.risk.LDiversity(keys=["k"], targets=["ill", "pay"])(first).parts["pay"] == 2


def test_targets_have_the_role_confidential_and_are_no_keys():
    data = pd.DataFrame({"k": list("aabb"), "ill": list("uvxx")})
    known = mv.Microdata(data, roles={"k": "key", "ill": "confidential"})
    assert mv.risk.LDiversity()(known).value == 1
    assert "no column has the role confidential" in mv.risk.LDiversity(keys=["k"])(data).reason
    with pytest.raises(BadInput, match="are keys and cannot be targets"):
        mv.risk.LDiversity(keys=["k"], targets=["k"])(data)


# -- t-closeness ----------------------------------------------------------------------------------


def test_published_earth_mover_distances():
    found = class_distance(np.repeat([0, 1, 2], 3), np.array([3.0, 4, 5, 6, 8, 11, 7, 9, 10]), ordered=True)
    assert found[:2] == pytest.approx([0.375, 1 / 6])


def test_distances_equal_their_definitions():
    rng = np.random.default_rng(0)
    labels, x = rng.integers(0, 20, 300), rng.integers(0, 40, 300)
    rank = np.unique(x, return_inverse=True)[1]
    m = rank.max() + 1
    shares = np.array([np.bincount(rank[labels == g], minlength=m) / (labels == g).sum() for g in range(20)])
    difference = shares - np.bincount(rank) / 300
    assert class_distance(labels, x.astype(float), ordered=True) == pytest.approx(
        np.abs(np.cumsum(difference, axis=1)).sum(axis=1) / (m - 1)
    )
    assert class_distance(labels, x, ordered=False) == pytest.approx(0.5 * np.abs(difference).sum(axis=1))


@pytest.mark.parametrize("common_top", [True, False])
def test_distance_along_a_hierarchy_is_the_cheapest_transport(common_top):
    names = ["flu", "cold", "ulcer", "gastritis"]
    branch = {"flu": "chest", "cold": "chest", "ulcer": "stomach", "gastritis": "stomach"}
    tree = {name: ((branch[name], "any") if common_top else (branch[name],)) for name in names}
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"k": rng.choice(["a", "b", "c"], 60), "ill": rng.choice(names, 60, p=[0.4, 0.3, 0.2, 0.1])})
    data = mv.Microdata(frame, hierarchies={"ill": tree})
    cost = [0.0 if i == j else 0.5 if branch[i] == branch[j] else 1.0 for i in names for j in names]
    overall = frame["ill"].value_counts(normalize=True).reindex(names).to_numpy()
    moved = [np.kron(np.eye(4), np.ones(4)), np.kron(np.ones(4), np.eye(4))]
    expected = 0.0
    for _, part in frame.groupby("k"):
        share = part["ill"].value_counts(normalize=True).reindex(names, fill_value=0).to_numpy()
        expected = max(expected, linprog(cost, A_eq=np.vstack(moved), b_eq=np.concatenate([share, overall])).fun)
    assert mv.risk.TCloseness(keys=["k"], targets=["ill"])(data).value == pytest.approx(expected)


def test_classes_like_the_file_have_distance_zero():
    data = pd.DataFrame({"k": list("aabb"), "pay": [1.5, 2.5, 1.5, 2.5], "ill": list("uvuv")})
    assert mv.risk.TCloseness(keys=["k"], targets=["pay", "ill"])(data).value == 0.0
    assert mv.risk.TCloseness(keys=["k"], targets=["pay"])(data.assign(pay=1.5)).value == 0.0
    with pytest.raises(BadInput, match="needs a hierarchy of 'ill'"):
        mv.risk.TCloseness(keys=["k"], targets=["ill"], distance="hierarchy")(data)


# -- attribute disclosure -------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0, 1, 2])
def test_attribute_disclosure_of_synthetic_data_as_in_synthpop(m):
    original, files, oracle = thyroid()
    block = oracle["disclosure_keys_male_age_onthyroxine_sick_target_psych"]
    attrib, cap = block["attrib"][m], block["allCAPs"][m]
    keys = ["male", "age", "on_thyroxine", "sick"]
    found = mv.risk.AttributeDisclosure(keys=keys, targets=["psych"])(original, files[m])
    assert found.value == pytest.approx(attrib["DiSCO"], rel=1e-9)
    expected = {
        "cap": cap["DCAP"],
        "tcap": cap["TCAP"],
        "homogeneity": attrib["Dsyn"],
        "keys occur": attrib["iS"],
        "given away, right or wrong": attrib["DiS"],
        "given away by the original": attrib["Dorig"],
        "given away by both, correctly": attrib["DiSDiO"],
        "cap of the original": cap["CAPd"],
        "guess": cap["baseCAPd"],
    }
    assert {name: found.parts[name] for name in expected} == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("m", "replicated"), [(0, 245), (1, 216), (2, 220)])
def test_replicated_uniques_compare_numbers_as_numbers(m, replicated):
    original, files, oracle = thyroid()
    keys = ["male", "age", "on_thyroxine", "sick", "fti"]
    assert mv.risk.ReplicatedUniques(keys=keys)(original, files[m]).parts["replicated records"] == replicated
    ident = oracle["disclosure_keys_male_age_onthyroxine_sick_target_psych"]["ident"][m]
    found = mv.risk.ReplicatedUniques(keys=keys[:-1])(original, files[m])
    assert found.value == pytest.approx(ident["repU"], rel=1e-9)
    names = ["unique in the original (%)", "unique in the release (%)"]
    names.append("unique in the original and present in the release (%)")
    assert [found.parts[name] for name in names] == pytest.approx([ident[n] for n in ("UiO", "UiS", "UiOiS")], rel=1e-9)


def test_attribute_disclosure_by_hand():
    original = pd.DataFrame({"k": list("aabbc"), "ill": list("uuxyz")})
    released = pd.DataFrame({"k": list("aaabb"), "ill": ["u", "u", "u", "x", None]})
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill"])(original, released)
    # class a gives u away; in class b one of two values is missing and x is not certain; c does not occur
    assert found.parts["disco"] == 40.0
    assert found.parts["cap"] == pytest.approx(100 * (1 + 1 + 0.5 + 0 + 0) / 5)
    assert found.parts["tcap"] == 50.0
    half = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill"], tau=0.5)(original, released)
    assert half.parts["disco"] == 60.0


def test_a_wholly_missing_target_discloses_nothing():
    original = pd.DataFrame({"k": list("aabb"), "ill": list("uuxx")})
    released = original.assign(ill=pd.Series([None] * 4, dtype="str"))
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill"])(original, released)
    assert found.parts["disco"] == found.parts["cap"] == found.parts["homogeneity"] == 0.0


def test_continuous_targets_agree_within_the_tolerance():
    original = pd.DataFrame({"k": list("aabb"), "pay": [100.0, 100.5, 200.0, 900.0]})
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["pay"])(original, original)
    assert found.parts["disco"] == 50.0
    assert (
        mv.risk.AttributeDisclosure(keys=["k"], targets=["pay"], tolerance=0)(original, original).parts["cap"] == 50.0
    )


def test_independent_synthetic_values_are_no_better_than_guessing():
    rng = np.random.default_rng(4)
    draw = lambda: pd.DataFrame({"k": rng.choice(list("abc"), 4000), "ill": rng.choice(list("uvw"), 4000)})  # noqa: E731
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill"], rule="cap")(draw(), draw())
    assert found.value == pytest.approx(found.parts["guess"], abs=1.0)


# -- key ranking ----------------------------------------------------------------------------------


def test_rare_cells_of_all_tables_as_in_sdcmicro(household_survey):
    oracle = pd.read_csv(shared_file("oracles", "risk_categorical", "testdata_riskyCells_t5_d3.csv"))
    found = mv.risk.KeyRanking(keys=KEYS7, threshold=5, count="cells", top=None)(household_survey).parts
    expected = {
        " x ".join(name for name in (row.dim1, row.dim2, row.dim3) if isinstance(name, str)): int(row.unsafe_cells)
        for row in oracle.itertuples()
    }
    assert found == expected
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_most_revealing_key_comes_first():
    data = pd.DataFrame({"a": list("xxxx"), "b": list("uvww"), "c": list("ppqq")})
    found = mv.risk.KeyRanking(keys=["a", "b", "c"], sizes=(1, 2), top=2)(data)
    assert found.value == 50.0
    assert list(found.parts) == ["b", "a x b"]
    assert found.reading == "The most revealing keys are b: they leave 50 % of the records alone."


def test_keys_that_no_longer_occur_tell_nothing_and_not_zero():
    original = pd.DataFrame({"k": ["a", "b", "c", "d"], "ill": ["no", "no", "no", "yes"]})
    released = original.assign(k=["e", "e", "f", "f"])
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill"])(original, released, linked=False)
    assert isinstance(found, NotApplicable)
    assert found.reason == "no released record shows a combination of k that holds one of the original"


def test_values_released_as_classes_are_not_asked_for():
    original = pd.DataFrame({"k": ["a", "a", "b", "b"], "ill": ["no", "no", "no", "yes"], "pay": [1.0, 2.0, 3.0, 4.0]})
    released = original.assign(pay=["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"])
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill", "pay"])(original, released)
    assert found.notes == ("not asked for, as released in classes: pay",)
    only = mv.risk.AttributeDisclosure(keys=["k"], targets=["pay"])(original, released)
    assert only.reason.startswith("pay was released as classes;")


def test_what_guessing_achieves_stands_beside_what_the_file_gives_away():
    original = pd.DataFrame({"k": list("abcd") * 5, "ill": ["no"] * 19 + ["yes"]})
    found = mv.risk.AttributeDisclosure(keys=["k"], targets=["ill"])(original, original)
    assert found.parts["best guess"] == 95.0
    assert "Always guessing the commonest value is right for 95 %." in found.reading
    amounts = pd.DataFrame({"k": list("abcde"), "pay": [100.0, 105.0, 110.0, -50.0, 900.0]})
    parts = mv.risk.AttributeDisclosure(keys=["k"], targets=["pay"], tolerance=0.05)(amounts, amounts).parts
    # 105 is within 5 % of 100, 105 and 110
    assert parts["best guess"] == 60.0
