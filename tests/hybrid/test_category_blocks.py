"""Categories that stay together while others are drawn one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from microveil.core.errors import BadInput
from microveil.hybrid import MicroHybrid
from microveil.partition import MDAV


def places(n: int = 200) -> pd.DataFrame:
    draw = np.random.default_rng(3)
    district = draw.integers(0, 12, n)
    return pd.DataFrame(
        {
            "region": [f"r{code // 3}" for code in district],
            "district": [f"d{code}" for code in district],
            "sex": draw.choice(["f", "m"], n),
            "income": draw.gamma(2.0, 900.0, n).round(2),
        }
    )


def hybrid(blocks: object) -> MicroHybrid:
    return MicroHybrid(partition=MDAV(k=20), categories="multinomial", blocks=blocks, cluster_on=("income",))


def test_drawn_one_by_one_nested_columns_break_and_a_note_says_so():
    release = hybrid(None).apply(places(), given=[], seed=1)
    region = release.frame["district"].str.slice(1).astype(int) // 3
    count = int((release.frame["region"] != "r" + region.astype(str)).sum())
    assert count > 0
    assert any(f"each district has one region ({count} records)" in note for note in release.notes)


def test_a_block_keeps_every_row_of_its_columns_and_leaves_the_others_alone():
    frame, names = places(), ["region", "district"]
    release = hybrid([names]).apply(frame, given=[], seed=1)
    pd.testing.assert_series_equal(release.frame.groupby(names).size(), frame.groupby(names).size())
    assert (release.frame["district"] != frame["district"]).mean() > 0.5
    assert not [note for note in release.notes if "do not lie" in note]
    pd.testing.assert_series_equal(release.frame["sex"], hybrid(None).apply(frame, given=[], seed=1).frame["sex"])


def test_the_bound_stays_and_tables_of_groups_are_told():
    release = hybrid([["region", "district"]]).apply(places(), given=[], seed=1)
    assert release.guarantee.k == 20
    assert "tables of categories" in str(release.guarantee)


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ([[]], "a list in blocks is empty"),
        ([["sex"], ["sex", "region"]], "more than once"),
        ([["income"]], "state their kind as ordinal"),
        ([["town"]], "town"),
    ],
)
def test_what_cannot_stay_together_is_refused(blocks: list[list[str]], said: str):
    with pytest.raises((BadInput, KeyError), match=said):
        hybrid(blocks).apply(places(), given=[], seed=1)


def test_separate_runs_have_no_blocks():
    with pytest.raises(BadInput, match="needs kinds_together='imposed' or 'consensus'; kinds_together is 'separate'"):
        MicroHybrid(blocks=[["sex"]], kinds_together="separate")
