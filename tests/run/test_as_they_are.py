"""Columns that are released as they are are told, with the records they single out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.run.as_they_are import AsTheyAre
from tests.marks import ANY_FILE

FRAME = pd.DataFrame(
    {
        "code": [f"c{i}" for i in range(12)],
        "age": [20, 20, 30, 30, 40, 40, 50, 50, 60, 60, 70, 71],
        "sex": ["f", "f", "m", "m"] * 3,
        "income": np.arange(12) * 7.25 + 900,
        "wealth": np.arange(12) ** 2 * 3.5,
        "house": [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
    }
)
ROLES = {
    "code": "identifier",
    "age": "key",
    "sex": "key",
    "income": "confidential",
    "wealth": "confidential",
    "house": "household",
}
KINDS = {"age": "continuous"}


def households(**kinds: str) -> mv.Microdata:
    return mv.Microdata(FRAME, roles=ROLES, kinds={**KINDS, **kinds})


def test_columns_that_no_step_changed_are_listed_with_the_records_they_single_out(tmp_path: Path) -> None:
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(households(), columns=["income"])
    found = release.as_they_are
    assert found.columns == ("age", "sex", "wealth")
    assert (found.singled_out, found.records) == (12, 12)
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(households())
    assert release.as_they_are.columns == ("age", "sex")
    sentence = "released as they are: age, sex; 2 of 12 records are alone with these values together"
    assert release.as_they_are.sentence == sentence
    assert sentence in release.notes
    assert f"note: {sentence}" in repr(release)
    assert sentence in mv.write(release, tmp_path / "out.csv").notes


def test_records_left_out_are_not_counted() -> None:
    frame = FRAME.assign(income=[None, *FRAME["income"][1:]])
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(
        mv.Microdata(frame, roles=ROLES, kinds=KINDS), columns=["income", "wealth"], missing="drop"
    )
    assert (release.as_they_are.singled_out, release.as_they_are.records) == (3, 11)


@ANY_FILE
def test_what_came_back_whole_is_listed_too() -> None:
    release = mv.mask.UncorrelatedNoise(p=0.0).apply(households())
    assert release.as_they_are.columns == ("age", "sex", "income", "wealth")


def test_a_file_made_anew_holds_nothing_as_it_was() -> None:
    release = mv.synth.Cart().apply(households(), given=[], seed=1)
    assert release.as_they_are == AsTheyAre((), 0, 12)
    assert release.as_they_are.sentence == ""
    assert not any("as they are" in note for note in release.notes)


def test_one_record_is_told_as_one() -> None:
    frame = pd.DataFrame({"sex": ["f"] + ["m"] * 11, "income": FRAME["income"]})
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(frame, columns=["income"])
    assert release.as_they_are.sentence == "released as they are: sex; 1 of 12 records is alone with these values"


@ANY_FILE
def test_a_key_that_a_method_passed_over_is_told() -> None:
    note = (
        "age is a key and local-suppression left it as it is, since it is continuous: recode it, or state its kind as "
        "ordinal or nominal"
    )
    method = mv.mask.LocalSuppression(k=2)
    assert note in method.apply(households()).notes
    for release in (method.apply(households(age="ordinal")), method.apply(households(), columns=["sex"])):
        assert not any("age is a key" in one for one in release.notes)


def test_a_confidential_category_that_a_method_of_amounts_passed_over_is_told() -> None:
    sick = mv.Microdata(FRAME.assign(hiv=["yes", "no"] * 6), roles={**ROLES, "hiv": "confidential"}, kinds=KINDS)
    told = "hiv is confidential and uncorrelated-noise left it as it is, since it is nominal"
    assert f"{told}: protect it in another step" in mv.mask.UncorrelatedNoise(p=0.5).apply(sick).notes


def test_a_parameter_that_names_a_key_of_another_kind_says_why() -> None:
    with pytest.raises(BadInput, match="importance names 'age', which is continuous, and local-suppression acts on"):
        mv.mask.LocalSuppression(k=2, importance=("age", "sex")).apply(households())


@pytest.mark.parametrize(("number", "tail"), [(12, "c11;"), (13, "c11 and 1 more;"), (15, "c11 and 3 more;")])
def test_of_many_columns_a_dozen_is_named(number: int, tail: str) -> None:
    sentence = AsTheyAre(tuple(f"c{i}" for i in range(number)), 2, 9).sentence
    assert f"c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, {tail} 2 of 9 records are alone" in sentence
