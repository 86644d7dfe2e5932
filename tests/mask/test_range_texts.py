"""Every method writes a range of the same kind in the same way, and what it writes is read as what it stands for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.mask.range_texts import amount_text, between_cuts, observed_range, range_of_levels, set_of_levels
from microveil.measure import Pair
from microveil.measure.classes import read_classes

RNG = np.random.default_rng(6)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, 120),
        "school": RNG.integers(1, 6, 120),
        "town": RNG.choice(list("abcd"), 120),
    }
)
DATA = mv.Microdata(
    FRAME,
    roles=dict.fromkeys(FRAME, "key"),
    kinds={"age": "continuous", "school": "ordinal", "town": "nominal"},
)
METHODS = {
    "mondrian": mv.mask.KAnonymise(k=10),
    "lattice": mv.mask.Lattice(k=10),
    "recode": mv.mask.GlobalRecode(bins=3, rare=30),
}
NOTATIONS = {
    "age": r"\[\d+, \d+[\])]|<\d+|>=\d+|\d+|\*",
    "school": r"\d|\d\.\.\d|\*",
    "town": r"[abcd]|\{[abcd](, [abcd])+\}|\*|other",
}


def test_each_kind_of_range_has_its_notation():
    assert observed_range(5.0, 7.5) == "[5, 7.5]"
    assert observed_range(5.0, 5.0) == "5"
    assert range_of_levels(2, 3) == "2..3"
    assert range_of_levels("low", "low") == "low"
    assert set_of_levels(["a", "b"]) == "{a, b}"
    assert between_cuts([15.0, 30.0]) == ("<15", "[15, 30)", ">=30")
    assert between_cuts([]) == ("*",)


@pytest.mark.parametrize("name", METHODS)
def test_methods_write_ranges_by_kind_and_readers_understand_them(name):
    release = METHODS[name].apply(DATA, seed=1)
    before, after = Pair.of(DATA, release).own_tables(list(FRAME))
    nobody, rows = np.empty(0, dtype=np.int64), np.arange(len(FRAME))
    for column, notation in NOTATIONS.items():
        texts = release.frame[column].astype(str)
        assert texts.str.fullmatch(notation).all(), texts.unique()
        # by their texts alone; "other" needs the records
        linked = (rows, rows) if "other" in set(texts) else (nobody, nobody)
        classes = read_classes(before[column], after[column], *linked)
        assert classes.contains(rows, rows).all()


def test_zero_has_one_sign():
    assert amount_text(-0.0) == amount_text(0.0) == "0"
