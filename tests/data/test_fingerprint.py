"""Fingerprints: the same for every library, another for any change."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.io import fingerprint
from tests.io.frames import LIBRARIES, in_library, mixed_table


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_same_for_every_library(library: str) -> None:
    assert fingerprint(mv.Microdata(in_library(mixed_table(), library))) == fingerprint(mixed_table())


def test_categories_are_their_values() -> None:
    plain = fingerprint(pa.table({"a": ["x", "y", "x"]}))
    assert fingerprint(pd.DataFrame({"a": pd.Categorical(["x", "y", "x"], categories=["z", "y", "x"])})) == plain
    assert fingerprint(pl.DataFrame({"a": ["x", "y", "x"]}, schema={"a": pl.Categorical})) == plain
    assert fingerprint(pa.table({"a": pa.array(["w", "x", "y", "x"])}).slice(1)) == plain


@pytest.mark.parametrize(
    "other",
    [
        {"a": [1, 2, 4], "b": ["x", "yz", None]},
        {"a": [1, 3, 2], "b": ["x", "yz", None]},
        {"a": [1, 2, 3], "b": ["xy", "z", None]},
        {"a": [1, 2, 3], "b": ["x", "yz", ""]},
        {"a": [1, 2, None], "b": ["x", "yz", None]},
        {"A": [1, 2, 3], "b": ["x", "yz", None]},
        {"b": ["x", "yz", None], "a": [1, 2, 3]},
        {"a": ["1", "2", "3"], "b": ["x", "yz", None]},
        {"a": [1, 2, 3]},
    ],
)
def test_any_change_changes_it(other: dict[str, list[object]]) -> None:
    assert fingerprint(pa.table(other)) != fingerprint(pa.table({"a": [1, 2, 3], "b": ["x", "yz", None]}))


def test_a_known_value() -> None:
    """Written down once, so that logs of today can be checked tomorrow."""
    assert (
        fingerprint(pa.table({"a": [1.5, None], "b": ["x", "é"]}))
        == "4812423802aabf6a9b1fbc9a13d04a62495b4ff21ba6e74112dc984dd2db553d"
    )


def test_unknown_types_are_refused() -> None:
    with pytest.raises(
        BadInput, match=r"column 'a' holds duration\[s\]; text, numbers, true/false, dates and times are allowed"
    ):
        fingerprint(pa.table({"a": pa.array([1], pa.duration("s"))}))
