"""A lattice inside subdomains, of which some need no generalisation."""

from __future__ import annotations

import pandas as pd

import microveil as mv


def test_amounts_that_stay_beside_classes_are_classes_of_one_number():
    frame = pd.DataFrame(
        {"age": [30, 30, 30, 40, 40, 40, 51, 52, 53, 54, 55, 56], "sex": ["a"] * 6 + ["b"] * 6},
    )
    data = mv.Microdata(frame, roles={"age": "key", "sex": "stratum"}, kinds={"age": "continuous"})
    release = mv.mask.Lattice(k=3).apply(data, columns=["age"], by="sex", seed=1)
    assert release.frame["age"].tolist()[:6] == ["30", "30", "30", "40", "40", "40"]
    assert release.frame.groupby(["sex", "age"]).size().min() >= 3
