"""The search over the lattice finds what looking at every node finds, for every loss and every kind of model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.progress import listening
from microveil.data.class_rule import ClassRule
from microveil.data.microdata import Microdata
from microveil.data.table import Table, Values
from microveil.mask import lattice_search
from microveil.mask.ladders import Ladder, Step
from microveil.mask.lattice_judge import Judge
from microveil.mask.lattice_losses import LOSSES, make_loss
from microveil.mask.lattice_rows import LatticeRows
from microveil.mask.lattice_search import Limits, search
from tests.mask.lattice_exhaustion import Column, least_loss

MODELS = [
    {"k": 2},
    {"k": 5},
    {"k": 2, "l": 2},
    {"k": 2, "l": 2, "diversity": "entropy"},
    {"k": 3, "l": 2, "diversity": "recursive", "c": 1.3},
    {"k": 2, "t": 0.3, "distance": "equal"},
    {"k": 2, "t": 0.25, "distance": "ordered"},
    {"k": 2, "t": 0.25, "distance": "equal", "t_against": "file"},
    {"k": 2, "t": 0.2, "distance": "equal", "t_against": "release"},
    {"k": 2, "beta": 1.0},
    {"k": 1, "average_risk": 0.2},
    {"k": 2, "share_at_risk": 0.3, "at_risk": 0.2},
    {"k": 1, "uniqueness": 0.05},
    {"k": 1, "highest_risk": 0.25},
    {"k": 2, "l": 2, "diversity": "entropy", "average_risk": 0.3},
]


def random_column(draw, n):
    """A key with a random nested ladder, and the same for the package."""
    values = int(draw.integers(1, 7))
    groups = [np.arange(values)]
    while groups[-1].max() > 1 and draw.random() < 0.7:
        joined = np.unique(draw.integers(0, groups[-1].max() + 1, groups[-1].max() + 1), return_inverse=True)[1]
        groups.append(joined.reshape(-1)[groups[-1]])
    groups.append(np.zeros(values, dtype=np.int64))
    codes = np.minimum(draw.geometric(0.4, n) - 1, values - 1)
    texts = [tuple(f"{level}:{i}" for i in range(group.max() + 1)) for level, group in enumerate(groups)]
    steps = tuple(Step(group.astype(np.int64), text) for group, text in zip(groups, texts, strict=True))
    return Column(codes, groups), Ladder(Values("nominal", codes, texts[0]), codes, steps)


def prepared(seed, model, drop):
    draw = np.random.default_rng(seed)
    n = int(draw.integers(20, 120))
    pairs = [random_column(draw, n) for _ in range(int(draw.integers(1, 5)))]
    asks = {"l", "t", "beta"} & set(model)
    ill = np.minimum(draw.geometric(0.5, n) - 1, 3) if asks else np.empty(0, dtype=int)
    asked = mv.Anonymity(**model, sensitive=["s"] if asks else [])
    kind = "ordinal" if model.get("distance") == "ordered" else "nominal"
    given = Table({"s": Values(kind, ill, tuple("abcd"))}, n) if asks else Table({}, n)
    rule = ClassRule.of(asked, given, None)
    ladders = [ladder for _, ladder in pairs]
    return [column for column, _ in pairs], ladders, ill, Judge(LatticeRows(ladders, rule), rule, int(drop * n))


def found_by(judge, ladders, kind, weights=None, price=1.0, best=1, limits=None):
    loss = make_loss(kind, judge.rows, weights, price, judge.largest_drop)
    whole = Limits(tuple(0 for _ in ladders), tuple(ladder.top for ladder in ladders))
    return search(judge, loss, limits or whole, best)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("drop", [0.0, 0.1])
@pytest.mark.parametrize("wide", [False, True])
def test_the_optimum_is_that_of_all_nodes(model, drop, wide, monkeypatch):
    if wide:  # as in lattices with so many nodes that better bounds pay
        monkeypatch.setattr(lattice_search, "_WIDE", 0)
    for seed in range(8):
        kind = LOSSES[(seed + 3 * wide) % len(LOSSES)]
        price = (1.0, 0.3, 2.5)[seed % 3]
        columns, ladders, ill, judge = prepared(seed * 37 + 1, model, drop)
        of_columns = kind not in ("discernibility", "class-size")
        weights = [1.0 + 2 * (j % 2) for j in range(len(columns))] if of_columns and seed % 2 else None
        expected, nodes = least_loss(columns, model, kind, judge.largest_drop, ill, weights, price)
        found = found_by(judge, ladders, kind, weights, price)
        assert (found.best[0].loss if found.best else np.inf) == pytest.approx(expected, rel=1e-9, abs=1e-12)
        if found.best:
            assert found.complete
            assert found.bound == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert found.best[0].levels in nodes


@pytest.mark.parametrize("kind", LOSSES)
def test_the_best_nodes_are_the_best_of_all_nodes(kind):
    for seed in (3, 8):
        columns, ladders, ill, judge = prepared(seed, {"k": 3}, 0.1)
        expected = sorted(least_loss(columns, {"k": 3}, kind, judge.largest_drop, ill)[1].values())[:7]
        found = found_by(judge, ladders, kind, best=7)
        assert [node.loss for node in found.best] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", LOSSES)
def test_a_search_cut_short_knows_a_bound(kind, monkeypatch):
    monkeypatch.setattr(lattice_search, "_WIDE", 0)
    tight = 0
    for seed in range(6):
        columns, ladders, ill, judge = prepared(seed + 50, {"k": 3}, 0.05)
        expected = least_loss(columns, {"k": 3}, kind, judge.largest_drop, ill)[0]
        whole = Limits(tuple(0 for _ in ladders), tuple(ladder.top for ladder in ladders), nodes=1 + seed % 3)
        found = found_by(judge, ladders, kind, limits=whole)
        assert found.looked_at <= 1 + seed % 3
        assert found.bound <= expected + 1e-9
        if found.best:
            assert found.best[0].loss >= expected - 1e-9
            tight += found.best[0].loss > expected + 1e-9 or found.bound < expected - 1e-9
    assert tight  # some searches were really cut short


def survey_with_hierarchies(n=400, seed=5):
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "job": draw.choice(["smith", "miner", "nurse", "clerk"], n),
            "place": draw.choice(["Linz", "Wels", "Graz"], n),
            "ill": draw.choice(list("abc"), n),
        }
    )
    ages = {age: (f"{age // 5 * 5}-{age // 5 * 5 + 4}", f"{age // 20 * 20}+", "*") for age in range(20, 60)}
    jobs = {"smith": ("manual", "*"), "miner": ("manual", "*"), "nurse": ("other", "*"), "clerk": ("other", "*")}
    places = {"Linz": ("Upper Austria",), "Wels": ("Upper Austria",), "Graz": ("Styria",)}
    return Microdata(
        frame,
        roles=dict.fromkeys(["age", "job", "place"], "key"),
        kinds={"age": "ordinal", "job": "nominal", "place": "nominal", "ill": "nominal"},
        hierarchies={"age": ages, "job": jobs, "place": places},
    )


KEYS = ["age", "job", "place"]


def test_levels_can_be_limited_and_chosen():
    data = survey_with_hierarchies()
    free = mv.mask.Lattice(k=4).apply(data, seed=1)
    assert "age 2, job 0, place 1" in free.notes[0] or "age" in free.notes[0]
    held = mv.mask.Lattice(k=4, limits={"place": (0, 0), "age": (1, 3)}).apply(data, seed=1)
    assert set(held.frame["place"]) == {"Linz", "Wels", "Graz"}
    chosen = mv.mask.Lattice(k=4, levels={"age": 3, "job": 1, "place": 0}).apply(data, seed=1)
    assert set(chosen.frame["age"]) == {"*"}
    assert set(chosen.frame["job"]) == {"manual", "other"}
    with pytest.raises(BadInput, match="at the levels chosen the records do not satisfy k=4 with at most 0 records"):
        mv.mask.Lattice(k=4, levels={"age": 0, "job": 0, "place": 0}).apply(data, seed=1)
    with pytest.raises(BadInput, match="'job' has the levels 0 to 2; 3 was given"):
        mv.mask.Lattice(k=4, levels={"job": 3}).apply(data, seed=1)
    with pytest.raises(BadInput, match="stand in levels and in limits"):
        mv.mask.Lattice(k=4, levels={"job": 1}, limits={"job": (0, 1)})
    with pytest.raises(BadInput, match="give the lower level first"):
        mv.mask.Lattice(k=4, limits={"job": (2, 1)})


def test_weights_and_the_price_of_dropping_change_what_is_best():
    data = survey_with_hierarchies()
    dear = mv.mask.Lattice(k=4, weights={"age": 50}).apply(data, seed=1)
    cheap = mv.mask.Lattice(k=4, weights={"age": 0.02}).apply(data, seed=1)
    assert dear.frame["age"].nunique() > cheap.frame["age"].nunique()
    free = mv.mask.Lattice(k=4, max_dropped=0.3, drop_price=0.01).apply(data, seed=1)
    costly = mv.mask.Lattice(k=4, max_dropped=0.3, drop_price=50).apply(data, seed=1)
    assert len(free) < len(costly) == 400
    with pytest.raises(BadInput, match="loss='discernibility' is a loss of classes and knows no columns"):
        mv.mask.Lattice(k=4, loss="discernibility", weights={"age": 2}).apply(data, seed=1)
    with pytest.raises(mv.core.errors.UnknownColumn, match="weights: there is no column 'agee'"):
        mv.mask.Lattice(k=4, weights={"agee": 2}).apply(data, seed=1)


def test_each_set_of_keys_satisfies_the_model():
    data = survey_with_hierarchies()
    sets = (("age", "job"), ("age", "place"))
    together = mv.mask.Lattice(k=8).apply(data, seed=1)
    apart = mv.mask.Lattice(model=mv.Anonymity(k=8, key_sets=sets)).apply(data, seed=1)
    some = mv.mask.Lattice(model=mv.Anonymity(k=8, key_sets=sets), max_dropped=0.1).apply(data, seed=1)
    for release in (apart, some):
        for keys in sets:
            assert release.frame.groupby(list(keys)).size().min() >= 8
    rows = [len(release.frame[KEYS].drop_duplicates()) for release in (together, apart)]
    assert rows[0] < rows[1]
    with pytest.raises(BadInput, match=r"\['place'\] stand in no key set"):
        mv.mask.Lattice(model=mv.Anonymity(k=8, key_sets=[("age", "job")])).apply(data, seed=1)
    with pytest.raises(BadInput, match="use lattice for average_risk"):
        mv.mask.KAnonymise(model=mv.Anonymity(k=8, key_sets=sets))


def test_limits_on_the_file_are_promised_and_kept():
    data = survey_with_hierarchies()
    model = mv.Anonymity(k=1, average_risk=0.1, uniqueness=0.0, share_at_risk=0.2, at_risk=0.25)
    release = mv.mask.Lattice(model=model).apply(data, seed=1)
    sizes = release.frame.groupby(KEYS).size()
    assert len(sizes) / len(release) <= 0.1
    assert sizes.min() > 1
    assert sizes[sizes < 4].sum() <= 0.2 * len(release)
    assert {type(claim).__name__ for claim in release.claims} == {"AverageRiskWithin", "FewInSmallClasses"}


def test_whole_numbers_climb_the_hierarchy_that_is_stated():
    frame = pd.DataFrame({"age": np.repeat(np.arange(20.0, 60.0), 2)})
    decades = {float(age): (f"{age // 10 * 10}s", "*") for age in range(20, 60)}
    for paths in (decades, {f"{age:g}": path for age, path in decades.items()}):
        values = Values("continuous", frame["age"].to_numpy(), None, paths)
        from microveil.mask.ladders import ladder_of

        ladder = ladder_of(values, "age")
        assert [len(step.texts) for step in ladder.steps] == [41, 5, 1]
        assert ladder.at(1).levels == ("20s", "30s", "40s", "50s")
    with pytest.raises(BadInput, match="the hierarchy of 'age' has no place for"):
        ladder_of(Values("continuous", np.array([20.0, 99.0]), None, decades), "age")


def test_a_wide_lattice_ends_in_time_with_a_bound():
    draw = np.random.default_rng(4)
    names = [f"v{j}" for j in range(12)]
    frame = pd.DataFrame({name: draw.choice(list("abcdefgh"), 600) for name in names})
    paths = {value: (f"{i // 2}", f"{i // 4}") for i, value in enumerate("abcdefgh")}
    data = Microdata(frame, kinds=dict.fromkeys(names, "nominal"), hierarchies=dict.fromkeys(names, paths))
    release = mv.mask.Lattice(k=5, nodes=300).apply(data, columns=names, seed=1)
    assert release.frame.groupby(names).size().min() >= 5
    told = next(note for note in release.notes if "the search ended" in note)
    assert "after 300 of 16,777,216 combinations of levels; no other loses less than 0." in told
    assert mv.mask.Lattice(k=5).count_nodes(data, on=names) == 4**12
    assert mv.mask.Lattice(limits={"v0": (1, 2)}, levels={"v1": 3}).count_nodes(data, on=names) == 2 * 4**10
    shares = []
    with listening(shares.append):
        again = mv.mask.Lattice(k=5, nodes=300).apply(data, columns=names, seed=1)
    assert all(0 <= share <= 1 for share in shares)
    assert again.frame.equals(release.frame)
    timed = mv.mask.Lattice(k=5, seconds=0.05).apply(data, columns=names, seed=1)
    assert any("seconds depend on the machine: nodes=" in note for note in timed.notes)
    # where failures prove nothing about finer nodes there is a release all the same
    sick = data.with_(frame.assign(ill=draw.choice(list("uvw"), 600)))
    model = mv.Anonymity(k=3, sensitive=["ill"], l=2, diversity="entropy")
    diverse = mv.mask.Lattice(model=model, max_dropped=0.05, nodes=20).apply(sick, columns=names, seed=1)
    assert mv.risk.LDiversity(keys=names, targets=["ill"], kind="entropy")(diverse).value >= 2 - 1e-9
    log = mv.plan.private_log(timed)
    assert "seconds" not in str(log["steps"])
    assert mv.plan.replay(log, data).frame.equals(timed.frame)
