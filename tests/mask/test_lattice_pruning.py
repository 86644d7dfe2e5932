"""Files on which a search that passes over nodes without proof misses the optimum."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata


def cells(*counts, extra=None):
    """Records by the values of three keys and how often each illness occurs with them."""
    rows = [(*keys, ill) for keys, found in counts for ill, count in found.items() for _ in range(count)]
    frame = pd.DataFrame(rows, columns=["a", "b", "c", "ill"])
    keys = dict.fromkeys("abc", "nominal")
    return Microdata(frame, kinds={**keys, "ill": "nominal"}, roles={**dict.fromkeys("abc", "key"), **(extra or {})})


BALANCED = {"u": 170, "v": 170}
HIDDEN = (("001", BALANCED), ("010", BALANCED), ("100", BALANCED), ("000", {"u": 52}))


@pytest.mark.parametrize("asked", [{"diversity": "entropy"}, {"diversity": "recursive", "c": 1.1}])
def test_a_projection_may_fail_where_all_keys_together_do_not(asked):
    # 52 records without a second illness spoil every class of two keys, and are a class of their own on all three
    model = mv.Anonymity(k=2, sensitive=["ill"], l=2, **asked)
    release = mv.mask.Lattice(model=model, max_dropped=0.05).apply(cells(*HIDDEN), seed=1)
    assert len(release) == 1020
    assert any("loss 0.0485" in note for note in release.notes)


def test_closeness_on_a_projection_says_nothing_either():
    model = mv.Anonymity(k=2, sensitive=["ill"], t=0.03)
    release = mv.mask.Lattice(model=model, max_dropped=0.05).apply(cells(*HIDDEN), seed=1)
    assert len(release) == 1020


def test_dropping_makes_feasible_what_all_records_together_are_not():
    # all records together have fewer than two illnesses in effect; without those of one class they have
    data = cells(("000", {"u": 40, "v": 40}), ("111", {"u": 15}))
    model = mv.Anonymity(k=2, sensitive=["ill"], l=2, diversity="entropy")
    release = mv.mask.Lattice(model=model, max_dropped=0.2).apply(data, seed=1)
    assert len(release) == 80
    with pytest.raises(BadInput, match="do not satisfy k=2, l=2"):
        mv.mask.Lattice(model=model).apply(data, seed=1)
    with pytest.raises(BadInput, match="no combination of levels"):
        mv.mask.Lattice(model=model, max_dropped=0.1).apply(data, seed=1)


def test_the_number_of_records_dropped_may_grow_going_up():
    # the finest level drops 4 records; one step up joins them with others, and 44 would have to go
    generator = np.random.default_rng(2)
    rows = [("x1", "u")] * 20 + [("x1", "v")] * 20 + [("x2", "u")] * 4 + [("y1", "u")] * 30 + [("y1", "v")] * 30
    frame = pd.DataFrame(rows, columns=["a", "ill"]).iloc[generator.permutation(len(rows))]
    paths = {"x1": ("x",), "x2": ("x",), "y1": ("y",)}
    data = Microdata(frame, kinds={"a": "nominal", "ill": "nominal"}, hierarchies={"a": paths})
    model = mv.Anonymity(k=2, sensitive=["ill"], l=2, diversity="entropy")
    release = mv.mask.Lattice(model=model, max_dropped=0.1).apply(data, columns=["a"], seed=1)
    assert len(release) == 100
    assert set(release.frame["a"]) == {"x1", "y1"}


def one_key(counts, paths):
    frame = pd.DataFrame({"a": [value for value, count in counts.items() for _ in range(count)]})
    return Microdata(frame, kinds={"a": "nominal"}, hierarchies={"a": paths})


def test_a_limit_on_the_file_may_fail_above_a_node_at_which_it_holds():
    # one class of 100 is enough below; one step up the five records left out come back as a class of their own
    data = one_key({"x": 100, "y1": 3, "y2": 2}, {"x": ("x",), "y1": ("y",), "y2": ("y",)})
    model = mv.Anonymity(k=5, average_risk=0.012)
    release = mv.mask.Lattice(model=model, max_dropped=0.06).apply(data, columns=["a"], seed=1)
    assert set(release.frame["a"]) == {"x"}


def test_records_that_stay_may_become_too_few_going_up():
    # six records are a class of stars; one step up only two of them are left over, too few for one
    counts = {"x1": 20, "y1": 20, "y2": 4, "z1": 2}
    data = one_key(counts, {"x1": ("x",), "y1": ("y",), "y2": ("y",), "z1": ("z",)})
    release = mv.mask.Lattice(k=5, max_dropped=0.2, dropped="star", drop_price=0.1).apply(data, columns=["a"], seed=1)
    assert release.frame["a"].value_counts().to_dict() == {"x1": 20, "y1": 20, "*": 6}


def test_a_cheap_price_of_dropping_makes_a_coarse_node_with_many_left_out_the_best():
    """The loss of a node below one without anybody left out is no bound when leaving out costs less than keeping."""
    data = one_key({"x": 50, "y1": 2, "y2": 2, "y3": 2}, dict.fromkeys(["y1", "y2", "y3"], ("y",)) | {"x": ("x",)})
    for price, left in ((0.01, 50), (1.0, 56)):
        release = mv.mask.Lattice(k=3, max_dropped=0.2, drop_price=price).apply(data, columns=["a"], seed=1)
        assert len(release) == left


def test_whole_numbers_of_keys_never_run_over():
    """Thirty keys of a hundred values have more combinations than whole numbers: rows are told apart all the same."""
    draw = np.random.default_rng(3)
    names = [f"v{j}" for j in range(30)]
    rows = draw.integers(0, 100, (40, 30))
    frame = pd.DataFrame(np.repeat(rows, 3, axis=0), columns=names).astype(str)
    data = Microdata(frame, kinds=dict.fromkeys(names, "nominal"))
    solutions = mv.mask.Lattice(k=3, nodes=5).explore(data, on=names, best=1)
    assert set(solutions[0].levels.values()) == {0}
    assert solutions[0].classes == 40
