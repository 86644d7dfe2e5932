"""Records that cannot be released with the others: removed, starred, or generalised apart."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from tests.mask.test_lattice_search import KEYS, survey_with_hierarchies


def released(dropped, **more):
    asked = {"k": 4, "max_dropped": 0.3, "drop_price": 0.05, **more}
    return mv.mask.Lattice(dropped=dropped, **asked).apply(survey_with_hierarchies(), seed=1)


def loss_of(release):
    return float(re.search(r"the loss of the release is ([\d.]+)", " ".join(release.notes))[1])


def test_starred_records_are_a_class_that_keeps_the_promise():
    release = released("star")
    assert len(release) == 400
    starred = (release.frame[KEYS] == "*").all(axis=1)
    assert 4 <= starred.sum() <= 120
    assert release.frame.groupby(KEYS).size().min() >= 4
    assert (release.origin == range(400)).all()
    assert f"{starred.sum()} of 400 records have * in all keys" in " ".join(release.notes)
    assert any("at least 4 times" in str(claim) for claim in release.claims)
    # what is told is what a measure finds
    found = mv.loss.NCP()(survey_with_hierarchies(), release, columns=KEYS).value
    assert found == pytest.approx(loss_of(release), rel=1e-3)


def test_recoding_what_was_dropped_loses_less_at_the_same_promise():
    starred, recoded = released("star"), released("recode")
    assert len(recoded) == 400
    assert recoded.frame.groupby(KEYS).size().min() >= 4
    assert loss_of(recoded) < loss_of(starred)
    found = mv.loss.NCP()(survey_with_hierarchies(), recoded, columns=KEYS).value
    assert found == pytest.approx(loss_of(recoded), rel=1e-3)
    kept = ~(starred.frame[KEYS] == "*").all(axis=1)
    assert recoded.frame[kept][KEYS].equals(starred.frame[kept][KEYS])


@pytest.mark.parametrize("dropped", ["star", "recode"])
@pytest.mark.parametrize("asked", [{"l": 3}, {"l": 2, "diversity": "entropy"}, {"t": 0.4}])
def test_the_others_satisfy_the_whole_model(dropped, asked):
    model = mv.Anonymity(k=3, sensitive=["ill"], **asked)
    release = released(dropped, k=None, model=model)
    assert len(release) == 400
    assert release.frame.groupby(KEYS).size().min() >= 3
    if "t" in asked:
        assert mv.risk.TCloseness(keys=KEYS, targets=["ill"])(release).value <= 0.4 + 1e-9
    else:
        kind = asked.get("diversity", "distinct")
        assert mv.risk.LDiversity(keys=KEYS, targets=["ill"], kind=kind)(release).value >= asked["l"] - 1e-9


def test_too_few_others_are_no_class():
    """Where the best node would leave fewer than k records, starring them breaks the promise: another node is taken."""
    for k in range(2, 12):
        release = mv.mask.Lattice(k=k, max_dropped=(k - 1) / 400, dropped="star", drop_price=0.01).apply(
            survey_with_hierarchies(), seed=1
        )
        assert not (release.frame[KEYS] == "*").all(axis=1).any() or len(release.frame[KEYS].drop_duplicates()) == 1
        assert release.frame.groupby(KEYS).size().min() >= k


@pytest.mark.parametrize("loss", ["discernibility", "class-size", "ncp"])
def test_with_starred_records_the_loss_of_the_release_is_what_is_minimised(loss):
    """Every node is released by itself, and a measure tells what it loses: none loses less than the one found."""
    figures = {
        "discernibility": lambda found: found.parts["discernibility"],
        "class-size": lambda found: found.parts["class size"],
        "ncp": lambda found: found.value,
    }
    measures = {"discernibility": mv.loss.Discernibility, "class-size": mv.loss.AverageClassSize, "ncp": mv.loss.NCP}
    for seed in range(4):
        draw = np.random.default_rng(seed)
        frame = pd.DataFrame({"a": draw.choice(list("pqrstu"), 40), "b": draw.choice(list("pqrs"), 40)})
        paths = {value: [f"{i // 2}", "*"] for i, value in enumerate("pqrstu")}
        data = mv.Microdata(frame, roles={"a": "key", "b": "key"}, hierarchies={"a": paths})
        asked = {"k": 3, "max_dropped": 0.3, "dropped": "star", "loss": loss}
        (best,) = mv.mask.Lattice(**asked).explore(data, on=["a", "b"], best=1)
        losses = {}
        for a, b in product(range(3), range(2)):
            try:
                release = mv.mask.Lattice(**asked, levels={"a": a, "b": b}).apply(data, seed=1)
            except BadInput:
                continue
            losses[a, b] = figures[loss](measures[loss]()(data, release, columns=["a", "b"]))
        assert best.loss == pytest.approx(min(losses.values()), rel=1e-12)
        assert losses[best.levels["a"], best.levels["b"]] == pytest.approx(best.loss, rel=1e-12)


def rule_is_told(mask, data):
    return "where the classes that break it are left out, then the smallest" in mask.explore(data, on=KEYS, best=1).head


@pytest.mark.parametrize(
    ("asked", "by_rule"),
    [
        ({"k": 4}, False),
        ({"k": 4, "drop_price": 2.0}, False),
        ({"k": 4, "drop_price": 0.5}, True),
        ({"k": 4, "dropped": "star"}, True),
        ({"k": 4, "dropped": "recode"}, True),
        ({"model": mv.Anonymity(k=4, sensitive=["ill"], l=2, diversity="entropy")}, False),
        ({"model": mv.Anonymity(k=4, sensitive=["ill"], t=0.5, t_against="file")}, False),
        ({"model": mv.Anonymity(k=4, sensitive=["ill"], t=0.5)}, True),
        ({"model": mv.Anonymity(k=4, sensitive=["ill"], beta=2.0, t_against="release")}, True),
        ({"model": mv.Anonymity(k=4, uniqueness=0.0)}, True),
        ({"model": mv.Anonymity(k=4, key_sets=[["age", "job"], ["place"]])}, False),
    ],
)
def test_the_proof_says_where_it_goes_by_the_rule_of_leaving_out(asked, by_rule):
    assert rule_is_told(mv.mask.Lattice(max_dropped=0.1, **asked), survey_with_hierarchies(200)) is by_rule


def test_without_records_left_out_no_rule_is_told():
    model = mv.Anonymity(k=4, sensitive=["ill"], t=0.5)
    assert not rule_is_told(mv.mask.Lattice(model=model), survey_with_hierarchies(200))


def test_a_refusal_says_that_another_choice_of_records_was_not_tried():
    """Without y the shares of u and v are 2/5 and 3/5, with x and z 1/15 and 1/10 away; the rule drops others first."""
    frame = pd.DataFrame({"a": list("xxyxzz"), "s": list("vvuuuv")})
    data = mv.Microdata(frame, roles={"a": "key", "s": "confidential"})
    model = mv.Anonymity(k=1, sensitive=["s"], t=0.1, t_against="release")
    with pytest.raises(BadInput, match="with at most 3 records left out, where the classes that break it are left out"):
        mv.mask.Lattice(model=model, max_dropped=0.6, limits={"a": (0, 0)}).explore(data, on=["a"])


def test_refusals():
    with pytest.raises(BadInput, match="leave key_sets out"):
        mv.mask.Lattice(model=mv.Anonymity(k=3, key_sets=[["age"]]), max_dropped=0.1, dropped="star")
    with pytest.raises(BadInput, match="no limit on the file was judged with; use 'star'"):
        mv.mask.Lattice(model=mv.Anonymity(k=3, average_risk=0.1), max_dropped=0.1, dropped="recode")
    for asked in ({"dropped": "star"}, {"drop_price": 2.0}):
        with pytest.raises(BadInput, match=r"needs max_dropped more than 0; max_dropped is 0.0"):
            mv.mask.Lattice(k=3, **asked)


def test_the_best_nodes_are_data():
    data = survey_with_hierarchies()
    solutions = mv.mask.Lattice(k=4, max_dropped=0.05).explore(data, best=5)
    assert len(solutions) == 5
    assert solutions.complete
    assert [node.loss for node in solutions] == sorted(node.loss for node in solutions)
    frame = solutions.to_frame()
    assert list(frame.columns[:4]) == ["level of age", "level of job", "level of place", "loss"]
    assert "private" in repr(solutions)
    assert solutions.picture().count("<circle") == 5
    for node in (solutions[0], solutions[3]):
        release = mv.mask.Lattice(k=4, max_dropped=0.05, levels=node.levels).apply(data, seed=1)
        sizes = release.frame.groupby(KEYS).size()
        assert (len(sizes), sizes.min(), 400 - len(release)) == (node.classes, node.smallest, node.dropped)
        assert node.average_risk == pytest.approx(len(sizes) / len(release))
        assert f"loss {node.loss:.4g}" in release.notes[0]
    with pytest.raises(BadInput, match="best=0 is no number of nodes"):
        mv.mask.Lattice(k=4).explore(data, best=0)
