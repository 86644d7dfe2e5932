"""k-anonymity and its refinements, enforced."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.data.microdata import Microdata
from microveil.kernels.tables.closeness import class_distance
from microveil.kernels.tables.diversity import class_diversity
from microveil.mask import KAnonymise, Lattice
from microveil.mask.ladders import ladder_of
from microveil.partition import MDAV, Mondrian
from tests.marks import ANY_FILE
from tests.mask.helpers import normal_frame
from tests.reference import reference

PATHS = {
    "smith": ("manual", "work"),
    "miner": ("manual", "work"),
    "nurse": ("care", "work"),
    "clerk": ("office", "work"),
    "judge": ("office", "work"),
}


def survey_with_illnesses(n=300, seed=0):
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": generator.integers(18, 90, n).astype(float),
            "job": generator.choice(list(PATHS), n, p=[0.4, 0.05, 0.25, 0.25, 0.05]),
            "grade": generator.choice(["low", "mid", "high", "top"], n),
            "illness": generator.choice(list("abcdef"), n, p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05]),
            "income": np.round(generator.lognormal(8, 1, n)),
            "w": generator.uniform(5, 20, n),
        }
    )
    return Microdata(
        frame,
        roles={"age": "key", "job": "key", "grade": "key", "w": "weight"},
        kinds={"job": "nominal", "illness": "nominal"},
        levels={"grade": ["low", "mid", "high", "top"]},
        hierarchies={"job": PATHS},
    )


KEYS = ["age", "job", "grade"]
WAYS = ["boxes", "lattice", "groups"]


def enforcing(way, **asked):
    """One of the three ways to enforce an anonymity model."""
    model = mv.Anonymity(**asked)
    if way == "lattice":
        return Lattice(model=model)
    if way == "boxes":
        return KAnonymise(model=model)
    return KAnonymise(model=model, partition=MDAV(k=2), release="average")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [2, 5])
def test_every_combination_of_keys_occurs_k_times(way, k):
    data = survey_with_illnesses()
    release = enforcing(way, k=k).apply(data, seed=1)
    assert release.frame.groupby(KEYS, dropna=False).size().min() >= k
    assert release.frame["income"].equals(data.frame["income"])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("diversity", ["distinct", "entropy", "recursive"])
def test_diversity_is_enforced(way, diversity):
    method = enforcing(way, k=3, sensitive=["illness"], l=2, diversity=diversity)
    release = method.apply(survey_with_illnesses(), seed=1)
    labels = release.frame.groupby(KEYS).ngroup().to_numpy()
    codes = pd.factorize(release.frame["illness"])[0]
    assert class_diversity(labels, codes, diversity, 2.0).min() >= 2 - 1e-9
    assert any("diversity" in str(claim) for claim in release.claims)


@pytest.mark.parametrize("way", WAYS)
def test_closeness_is_enforced(way):
    release = enforcing(way, k=3, sensitive=["income"], t=0.2).apply(survey_with_illnesses(), seed=1)
    labels = release.frame.groupby(KEYS).ngroup().to_numpy()
    codes = np.unique(release.frame["income"], return_inverse=True)[1]
    assert class_distance(labels, codes, ordered=True).max() <= 0.2 + 1e-9


@pytest.mark.parametrize("way", WAYS)
def test_classes_stand_for_enough_people(way):
    release = enforcing(way, k=2, population=100).apply(survey_with_illnesses(), seed=1)
    assert release.frame.groupby(KEYS)["w"].sum().min() >= 100
    with pytest.raises(BadInput, match="role 'weight'"):
        enforcing(way, population=10).apply(normal_frame(20), seed=1)


def test_distances_of_the_published_example():
    values = np.arange(3, 12)
    for chosen, expected in (((3, 4, 5), 0.375), ((6, 8, 11), 1 / 6)):
        labels = np.where(np.isin(values, chosen), 0, 1)
        found = class_distance(labels, values, ordered=True)[0]
        assert found == pytest.approx(expected)
    assert class_distance(np.zeros(9, dtype=int), values, ordered=True)[0] == pytest.approx(0, abs=1e-12)
    assert class_distance(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 0]), ordered=False) == pytest.approx([0.25, 0.25])


def test_diversities_by_hand():
    labels, codes = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 2, 3, 3])
    assert class_diversity(labels, codes, "distinct", 2.0).tolist() == [3, 1]
    assert class_diversity(labels, codes, "entropy", 2.0) == pytest.approx([np.exp(1.5 * np.log(2)), 1])
    assert class_diversity(labels, codes, "recursive", 1.5).tolist() == [2, 1]
    assert class_diversity(labels, codes, "recursive", 0.9).tolist() == [1, 0]


def test_ladders_nest():
    data = survey_with_illnesses()
    for name in KEYS:
        ladder = ladder_of(data.values(name), name)
        for low, high in zip(ladder.steps, ladder.steps[1:], strict=False):
            pairs = {(a, b) for a, b in zip(low.lookup.tolist(), high.lookup.tolist(), strict=True)}
            assert len(pairs) == len({a for a, _ in pairs})


def test_dropping_a_few_records_saves_generalisation():
    data = survey_with_illnesses()
    whole = Lattice(k=5).apply(data, seed=1)
    some = Lattice(k=5, max_dropped=0.1).apply(data, seed=1)
    assert 270 <= len(some) <= 300
    assert some.frame[KEYS].drop_duplicates().shape[0] >= whole.frame[KEYS].drop_duplicates().shape[0]
    assert some.frame.groupby(KEYS).size().min() >= 5


def test_dropped_records_do_not_count_for_t():
    model = mv.Anonymity(k=5, sensitive=["illness"], l=2, diversity="entropy", c=2, t=0.35, distance="equal")
    for seed in range(6):
        release = Lattice(model=model, max_dropped=0.15, loss="ncp").apply(survey_with_illnesses(200, seed), seed=1)
        labels = release.frame.groupby(KEYS).ngroup().to_numpy()
        codes = pd.factorize(release.frame["illness"])[0]
        assert class_distance(labels, codes, ordered=False).max() <= 0.35 + 1e-9
        assert len(release) >= 170
        dropped = len(release) < 200
        if dropped:
            break
    assert dropped


def test_mondrian_boxes_do_not_overlap_and_are_small():
    frame = normal_frame(256, 2)
    release = KAnonymise(k=4).apply(frame, columns=["a", "b"], seed=1)
    groups = release.groups
    assert np.bincount(groups).min() >= 4
    assert np.bincount(groups).max() <= 7
    low = frame.groupby(groups).min().to_numpy()
    high = frame.groupby(groups).max().to_numpy()
    for g in range(len(low)):
        apart = (low > high[g]).any(axis=1) | (high < low[g]).any(axis=1)
        assert apart.sum() == len(low) - 1


@ANY_FILE
def test_relaxed_boxes_cut_ties():
    frame = pd.DataFrame({"a": [1.0] * 15 + [2.0] * 5})
    assert np.bincount(KAnonymise(k=3).apply(frame, seed=1).groups).tolist() == [5, 15]
    assert sorted(
        np.bincount(
            KAnonymise(k=3, partition=Mondrian(k=2, variant="published", strict=False)).apply(frame, seed=1).groups
        )
    ) == [5, 5, 10]


def test_ranges_and_sets_in_words():
    frame = pd.DataFrame({"a": [1.0, 2.0, 50.0, 60.0], "c": ["x", "y", "y", "y"]})
    masked = KAnonymise(k=2).apply(Microdata(frame, kinds={"c": "nominal"}), columns=["a", "c"], seed=1).frame
    assert masked["a"].tolist() == ["[1, 2]"] * 2 + ["[50, 60]"] * 2
    assert masked["c"].tolist() == ["{x, y}"] * 2 + ["y"] * 2
    averaged = KAnonymise(k=2, release="average").apply(frame, columns=["a"], seed=1).frame
    assert averaged["a"].tolist() == [1.5, 1.5, 55.0, 55.0]


def test_missing_categories_are_a_value_of_their_own():
    data = survey_with_illnesses()
    frame = data.frame.copy()
    frame.loc[[1, 5, 9, 20, 33], "job"] = None
    for way in WAYS:
        release = enforcing(way, k=3).apply(data.with_(frame), seed=1)
        assert release.frame.groupby(KEYS, dropna=False).size().min() >= 3


def test_real_keys():
    names = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"]
    frame = reference("testdata")[names]
    release = KAnonymise(k=5).apply(frame, columns=names, seed=1)
    assert release.frame.groupby(names).size().min() >= 5


def test_refusals():
    with pytest.raises(BadInput, match="do not satisfy k=3, l=7"):
        KAnonymise(model=mv.Anonymity(sensitive=["illness"], l=7)).apply(survey_with_illnesses(), seed=1)
    with pytest.raises(NotEnoughRecords, match="k=3 records: 2 given"):
        KAnonymise(k=3).apply(normal_frame(2), seed=1)


def plain_distance(keys, values, ordered):
    """Largest distance of a class of equal keys from the file, by the definition; missing is the lowest value."""
    values = ["" if value is None or value != value else f"v{value}" for value in values]
    levels, worst = sorted(set(values)), 0.0
    for key in set(keys):
        inside = [value for one, value in zip(keys, values, strict=True) if one == key]
        shifts = [inside.count(v) / len(inside) - values.count(v) / len(values) for v in levels]
        steps = [abs(sum(shifts[: i + 1])) for i in range(len(levels))]
        found = sum(steps) / max(len(levels) - 1, 1) if ordered else sum(map(abs, shifts)) / 2
        worst = max(worst, found)
    return worst


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("gaps", [False, True])
def test_kernel_claim_and_measure_agree_on_closeness(way, gaps):
    for seed in range(2):
        generator = np.random.default_rng(seed)
        n, m = 60, int(generator.integers(2, 7))
        ill = generator.integers(0, m, n).astype(float)
        if gaps:
            ill[generator.random(n) < 0.15] = np.nan
        frame = pd.DataFrame({"a": generator.integers(0, 9, n), "b": generator.integers(0, 9, n), "s": ill})
        # a level that never occurs must not count as a step
        kind = pd.CategoricalDtype([float(level) for level in range(9)], ordered=True)
        coded = frame.assign(s=frame["s"].astype(kind))
        for sensitive in (coded,) if gaps else (coded, frame):
            for t in (0.1, 0.15, 0.2, 0.25):
                for distance in ("ordered", "equal"):
                    method = enforcing(way, k=4, sensitive=("s",), t=t, distance=distance)
                    release = method.apply(sensitive, columns=["a", "b"], seed=1)
                    rows = list(map(str, release.frame[["a", "b"]].itertuples(index=False)))
                    found = plain_distance(rows, list(release.frame["s"]), distance == "ordered")
                    assert found <= t + 1e-9
                    how = "ordered" if distance == "ordered" else "nominal"
                    measure = mv.risk.TCloseness(keys=["a", "b"], targets=["s"], distance=how)
                    assert measure(release).value == pytest.approx(found)


@pytest.mark.parametrize("method", [KAnonymise(k=5), Lattice(k=5)], ids=["boxes", "lattice"])
def test_exact_values_at_the_ends_of_intervals_are_counted(method):
    pay = 10.0 * np.random.default_rng(3).permutation(np.arange(1, 201))
    frame = pd.DataFrame({"pay": pay, "age": np.arange(200) % 40})
    release = method.apply(frame, columns=["pay", "age"], seed=1)
    numbers = {float(n) for text in release.frame["pay"].astype(str) for n in re.findall(r"\d+\.?\d*", text)}
    published = sorted(numbers & set(pay.tolist()))
    notes = [note for note in release.notes if note.startswith("ends of intervals of pay")]
    assert published
    assert f"{len(published)} of 200 records have a value that nobody shares and that is published" in notes[0]
    assert ("the largest and the smallest value among them" in notes[0]) == (pay.max() in published)


def test_averages_and_shared_ends_tell_nothing():
    frame = pd.DataFrame({"pay": np.repeat(np.arange(20.0), 4)})
    for method in (KAnonymise(k=6), KAnonymise(k=6, release="average")):
        assert not [note for note in method.apply(frame, columns=["pay"], seed=1).notes if "intervals" in note]


def test_k_is_short_for_a_model():
    assert KAnonymise(k=5) == KAnonymise(model=mv.Anonymity(k=5))
    assert KAnonymise(k=5).to_spec() == {"k-anonymise": {"k": 5}}
    assert KAnonymise().to_spec() == "k-anonymise"
    assert Lattice(k=5).model == mv.Anonymity(k=5)
    beside = KAnonymise(k=5, model=mv.Anonymity(sensitive=["illness"], l=2))
    assert beside.model == mv.Anonymity(k=5, sensitive=["illness"], l=2)
    for k, model in ((7, mv.Anonymity(k=5)), (2, mv.Anonymity(sensitive=["illness"], l=2))):
        with pytest.raises(BadInput, match=rf"k={k} and the k={model.k} of the model differ; say k in the model alone"):
            KAnonymise(k=k, model=model)


@pytest.mark.parametrize("partition", [MDAV(k=2), MDAV(k=8), mv.partition.KModes(k=2), mv.partition.VMDAV(k=2)])
def test_any_partition_forms_classes_that_satisfy_the_model(partition):
    data = survey_with_illnesses()
    model = mv.Anonymity(k=4, sensitive=["illness"], l=3)
    release = KAnonymise(model=model, partition=partition).apply(data, seed=1)
    classes = release.frame.groupby(KEYS, dropna=False)["illness"]
    assert classes.size().min() >= max(4, partition.k)
    assert classes.nunique().min() >= 3
    assert f"occurs at least {max(4, partition.k)} times" in str(release.claims[0])


@pytest.mark.parametrize("way", WAYS)
def test_mask_claim_and_measure_measure_t_along_one_hierarchy(way):
    branches = {"a": ("lung", "any"), "b": ("lung", "any"), "c": ("skin", "any"), "d": ("skin", "any")}
    paths = {**branches, "e": ("bone", "any"), "f": ("bone", "any")}
    data = survey_with_illnesses(400).with_(hierarchies={"job": PATHS, "illness": paths})
    for t in (0.1, 0.2):
        release = enforcing(way, k=3, sensitive=["illness"], t=t).apply(data, seed=1)
        stated = enforcing(way, k=3, sensitive=["illness"], t=t, distance="hierarchy").apply(data, seed=1)
        assert release.frame.equals(stated.frame)
        (claim,) = (claim for claim in release.claims if hasattr(claim, "tree"))
        assert claim.tree
        frame = release.frame
        labels = frame.groupby(KEYS, dropna=False).ngroup().to_numpy()
        # moves inside a branch cost half: the mean of the distances of illnesses and of branches
        branch = frame["illness"].map(lambda ill: paths[ill][0])
        codes = [pd.factorize(column)[0] for column in (frame["illness"], branch)]
        worst = (sum(class_distance(labels, code, ordered=False) for code in codes) / 2).max()
        assert mv.risk.TCloseness(keys=KEYS, targets=["illness"])(release).value == pytest.approx(worst)
        assert worst <= t + 1e-9
        assert worst > 0 or way == "lattice"


@pytest.mark.parametrize("way", ["boxes", "lattice"])
def test_text_without_order_is_not_ordered_for_t(way):
    data = survey_with_illnesses()
    plain, equal = (
        enforcing(way, sensitive=["illness"], t=0.25, **how).apply(data, seed=1) for how in ({}, {"distance": "equal"})
    )
    assert plain.frame.equals(equal.frame)
    with pytest.raises(BadInput, match="distance='ordered' needs an order of 'illness'; state its levels"):
        enforcing(way, sensitive=["illness"], t=0.25, distance="ordered").apply(data, seed=1)
    with pytest.raises(BadInput, match="distance='ordered' needs an order of 'illness'"):
        mv.risk.TCloseness(keys=KEYS, targets=["illness"], distance="ordered")(plain)
    labels = plain.frame.groupby(KEYS).ngroup().to_numpy()
    assert class_distance(labels, pd.factorize(plain.frame["illness"])[0], ordered=False).max() <= 0.25 + 1e-9
    assert [claim.ordered for claim in plain.claims if hasattr(claim, "ordered")] == [False]
    amounts = enforcing(way, sensitive=["income"], t=0.25).apply(data, seed=1)
    assert [claim.ordered for claim in amounts.claims if hasattr(claim, "ordered")] == [True]
