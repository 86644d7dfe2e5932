"""Records of one person or enterprise are counted one by one, and a release says so."""

from __future__ import annotations

import numpy as np
import pandas as pd

import microveil as mv


def months(of_each, n=240, spread=0.01):
    """Enterprises with several months each, which resemble one another within an enterprise."""
    draw = np.random.default_rng(4)
    firms = np.repeat(np.arange(n // of_each), of_each)
    level = draw.lognormal(8, 1, n // of_each)[firms]
    sales = level * draw.lognormal(0, spread, n)
    frame = pd.DataFrame(
        {"firm": [f"F{i:04d}" for i in firms], "sales": sales, "staff": level * draw.lognormal(0, spread, n)}
    )
    return mv.Microdata(frame, roles={"firm": "identifier", "sales": "confidential", "staff": "confidential"})


def told(release):
    return [note for note in release.notes if "'firm'" in note]


def test_groups_of_records_of_one_unit_are_told():
    release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(
        months(12), columns=["sales", "staff"], seed=1
    )
    (note,) = told(release)
    assert note.startswith("240 records belong to 20 values of 'firm', about 12.0 to each")
    groups, firms = release.groups, months(12).frame["firm"]
    fewest = min(firms[groups == group].nunique() for group in np.unique(groups))
    assert f"holds {fewest} value" in note
    assert fewest < 5


def test_figures_without_groups_are_told_as_counting_records():
    (note,) = told(mv.mask.UncorrelatedNoise(p=0.3).apply(months(3), columns=["sales", "staff"], seed=1))
    assert "who knows several records of one finds it more easily" in note
    assert "group" not in note


def test_one_record_of_each_and_a_few_namesakes_need_no_word():
    assert not told(mv.mask.UncorrelatedNoise(p=0.3).apply(months(1), columns=["sales", "staff"], seed=1))
    frame = months(1).frame.assign(firm=lambda known: ["F0000"] * 20 + list(known["firm"][20:]))
    data = mv.Microdata(frame, roles={"firm": "identifier", "sales": "confidential", "staff": "confidential"})
    assert not told(mv.mask.UncorrelatedNoise(p=0.3).apply(data, columns=["sales", "staff"], seed=1))
