"""Subdomains of two files, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd

import microveil as mv
from microveil.attack.domains import each_domain


def files(known: list[str], released: list[str]) -> SimpleNamespace:
    """What of a view subdomains are told by: both files in one coding."""
    both = mv.Microdata(pd.DataFrame({"region": [*known, *released]})).table(["region"])
    place = np.arange(both.rows)
    return SimpleNamespace(known=both.take(place[: len(known)]), released=both.take(place[len(known) :]))


def test_the_rows_of_each_subdomain_in_both_files():
    found = {
        (tuple(mine.tolist()), tuple(theirs.tolist()))
        for mine, theirs in each_domain(files(["a", "b", "a", "c"], ["b", "a", "d"]), ["region"])
    }
    # nobody is sought in d, and nothing was released of c
    assert found == {((0, 2), (1,)), ((1,), (0,)), ((3,), ()), ((), (2,))}


def test_without_subdomains_the_file_is_one():
    ((mine, theirs),) = each_domain(files(["a", "b"], ["b"]), [])
    assert (mine.tolist(), theirs.tolist()) == ([0, 1], [0])
