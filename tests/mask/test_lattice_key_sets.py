"""Several sets of keys, each of which must satisfy the model: which records are left out."""

from __future__ import annotations

import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata

SETS = ([["a"], ["b"]], [["b"], ["a"]])


def two_keys(a, b, s=None):
    """Two keys and a sensitive column, each value one letter."""
    columns = {"a": list(a), "b": list(b)} | ({} if s is None else {"s": list(s)})
    roles = {"a": "key", "b": "key", "s": "confidential"}
    return Microdata(pd.DataFrame(columns), roles={name: roles[name] for name in columns})


def test_a_limit_on_the_file_leaves_out_what_the_sets_need():
    # without the two records that are alone, or with one other, in one key three equal ones are left
    model = mv.Anonymity(k=2, share_at_risk=0, at_risk=0.34, key_sets=SETS[0])
    (best,) = mv.mask.Lattice(model=model, max_dropped=0.5).explore(two_keys("yxyxx", "yyxyy"), on=["a", "b"], best=1)
    assert (dict(best.levels), best.dropped) == ({"a": 0, "b": 0}, 2)
    assert best.loss == pytest.approx(0.4, abs=1e-15)


def test_the_order_of_the_sets_tells_nothing():
    data = two_keys("zzxyzyz", "zxzxyyz", "uuvvvuu")
    found = []
    for sets in SETS:
        model = mv.Anonymity(k=1, sensitive=["s"], l=2, diversity="recursive", c=2.0, key_sets=sets)
        (best,) = mv.mask.Lattice(model=model, max_dropped=0.5).explore(data, on=["a", "b"], best=1)
        found.append((best.loss, best.levels, best.dropped))
    assert found[0] == found[1]


def test_what_one_set_leaves_out_counts_for_the_distribution_of_the_others():
    """The last record goes for one set: the others hold against the file, not among themselves (1/2 less 1/7)."""
    data = two_keys("xyzyzzxz", "xxyxyyxz", "uvvvvvvu")
    model = mv.Anonymity(k=2, sensitive=["s"], t=0.3, key_sets=SETS[0])
    fixed = {"max_dropped": 0.6, "levels": {"a": 0, "b": 0}}
    with pytest.raises(BadInput, match="at the levels chosen the records do not satisfy"):
        mv.mask.Lattice(model=model, **fixed).apply(data, columns=["a", "b"], seed=1)


def test_risks_are_those_of_the_worst_set():
    """All keys together leave six classes of one record; set a has classes of three, set b of two."""
    data = two_keys("xxxyyy", "pqrpqr")
    model = mv.Anonymity(k=2, key_sets=SETS[0])
    (best,) = mv.mask.Lattice(model=model, levels={"a": 0, "b": 0}).explore(data, on=["a", "b"])
    assert (best.classes, best.smallest, best.highest_risk, best.average_risk) == (3, 2, 0.5, 0.5)
