"""Codes under which others were merged have the labels of all of them, in every file and codebook."""

from __future__ import annotations

import pyarrow as pa
import pytest

import microveil as mv
from microveil.data.codebook import Codebook
from microveil.package.variables import released_columns

BOOK = Codebook({"region": {1: "North", 2: "South", 3: "East", 4: "West"}}, {})


def labels_of(*steps) -> dict[object, str]:
    frame = pa.table({"region": [1, 2, 3, 4, 3, 4] * 5, "x": range(30)})
    data = mv.Microdata(frame, roles={"region": "key"}, kinds={"region": "nominal"}, codebook=BOOK)
    release = mv.Plan([(method, ["region"]) for method in steps]).run(data, seed=1)
    return dict(released_columns(release).labels.get("region", {}))


MERGED = mv.mask.GlobalRecode(rules={"region": ["3: 3, 4"]})


def test_a_code_under_which_another_was_merged_has_both_labels() -> None:
    found = {str(code): text for code, text in labels_of(MERGED).items()}
    assert found == {"1": "North", "2": "South", "3": "East or West"}


@pytest.mark.parametrize("steps", [(MERGED, mv.mask.Pram(stay=0.5)), (mv.mask.Pram(stay=0.5), MERGED)])
def test_nobody_says_what_a_code_stands_for_where_values_were_exchanged_too(steps) -> None:
    assert labels_of(*steps) == {}


def test_labels_of_codes_that_stand_for_themselves_stay() -> None:
    assert labels_of(mv.mask.Pram(stay=0.5)) == BOOK.labels["region"]
    assert labels_of(mv.mask.LocalSuppression(k=6)) == {3: "East", 4: "West"}  # 1 and 2 are in 5 records each
