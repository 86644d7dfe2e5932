"""Which columns are protected together, and for which records."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.data.table import Table, Values
from microveil.hybrid.attribute_blocks import blocks_of_records, columns_of_labels, common_blocks, same_blocks

NAMES = ("a", "b", "c", "d")
BLOCKS = {"region=x": (("a", "b"), ("c", "d")), "region=y": (("a", "b", "c"), ("d",))}


def around(*codes: int) -> Table:
    return Table({"region": Values("nominal", np.array(codes), ("x", "y"))}, len(codes))


def test_blocks_of_all_records() -> None:
    assert same_blocks(None, NAMES) == (NAMES,)
    assert same_blocks(2, NAMES) == (("a", "b"), ("c", "d"))
    assert same_blocks(3, NAMES) == (NAMES,)  # a column that would be left over joins the last block
    assert same_blocks((("b", "d"), ("a", "c")), NAMES) == (("b", "d"), ("a", "c"))


def test_only_what_is_together_in_every_subdomain_is_together_in_the_file() -> None:
    assert common_blocks(BLOCKS, NAMES) == (("a", "b"), ("c",), ("d",))
    assert common_blocks(2, NAMES) == (("a", "b"), ("c", "d"))


def test_the_blocks_of_a_subdomain() -> None:
    assert blocks_of_records(BLOCKS, NAMES, around(0, 0)) == BLOCKS["region=x"]
    assert blocks_of_records(BLOCKS, NAMES, around(1, 1)) == BLOCKS["region=y"]
    assert blocks_of_records(BLOCKS, NAMES, around(-1, -1)) == (NAMES,)
    missing = {"region=missing": BLOCKS["region=y"]}
    assert blocks_of_records(missing, NAMES, around(-1, -1)) == BLOCKS["region=y"]
    with pytest.raises(BadInput, match="'region=x' and only 1 of 2 records are in it; run the method"):
        blocks_of_records(BLOCKS, NAMES, around(0, 1))


def test_labels_of_numbers_are_read_as_numbers() -> None:
    years = Table({"year": Values("continuous", np.array([2020.0, 2020.0]))}, 2)
    assert blocks_of_records({"year=2020": BLOCKS["region=x"]}, NAMES, years) == BLOCKS["region=x"]
    assert blocks_of_records({"year=then": BLOCKS["region=x"]}, NAMES, years) == (NAMES,)


def test_labels_must_fit_the_file() -> None:
    data = mv.Microdata(pa.table({"region": ["x", "y", "x"], "a": [1.5, 2.5, 3.5]}))
    assert columns_of_labels(BLOCKS, data) == ("region",)
    with pytest.raises(BadInput, match="blocks names the subdomain 'region=z' and no record is in it"):
        columns_of_labels({"region=z": ()}, data)
    with pytest.raises(BadInput, match="blocks names the subdomain 'x'; write column=value with a column of"):
        columns_of_labels({"x": ()}, data)
