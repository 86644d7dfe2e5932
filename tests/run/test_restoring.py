"""Back into the user's frame: which rows, which columns are emptied, and where missing codes stand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.data.table import Values
from microveil.run.restoring import Restored, emptied_columns, has_source_levels, restore
from microveil.run.state import State

FRAME = pd.DataFrame({"x": [5.5, -9.0, 7.5], "n": [1, 20, 300], "t": ["a", "?", "b"]}, index=list("uvw"))


def begun(**facts: Any) -> State:
    return State.begin(mv.Microdata(FRAME, **facts))


def restored(origin: list[int], changed: dict[str, Values], **facts: Any) -> tuple[pd.DataFrame, Restored]:
    found = restore(replace(begun(**facts), origin=np.array(origin, dtype=np.int64), changed=changed))
    return found.frame.to_native(), found


def continuous(*cells: float) -> Values:
    return Values("continuous", np.array(cells, dtype=np.float64))


def test_rows_follow_their_origin_with_their_labels() -> None:
    frame, found = restored([2, 0], {})
    assert (frame.index.tolist(), frame["n"].tolist(), frame["t"].tolist()) == (["w", "u"], [300, 1], ["b", "a"])
    assert found.notes == ()
    partly, _ = restored([0, 2, 1], {})
    assert (partly.index.tolist(), partly["n"].tolist()) == (["u", "w", "v"], [1, 300, 20])
    turned, _ = restored([2, 0, 1], {})
    assert (turned.index.tolist(), turned["n"].tolist()) == (["w", "u", "v"], [300, 1, 20])
    again, _ = restored([0, 1, 2], {})
    assert again.equals(FRAME)


def test_new_rows_carry_nothing_of_the_first_record() -> None:
    frame, found = restored([0, -1], {"x": continuous(1, 2)})
    assert frame.index.tolist() == [0, 1]
    assert frame["x"].tolist() == [1, 2]
    assert frame["t"].isna().tolist() == [False, True]
    assert frame["n"].isna().tolist() == [False, True]
    assert found.notes[0] == "synthetic records have no values in the columns that were not synthesised: 'n', 't'"


def test_emptied_columns_are_those_that_nobody_made() -> None:
    state = replace(begun(), changed={"x": continuous(1, 2)})
    assert emptied_columns(replace(state, origin=np.array([0, -1]))) == ("n", "t")
    assert emptied_columns(replace(state, origin=np.array([0, 1]))) == ()


def test_whole_numbers_are_rounded_by_half_a_unit() -> None:
    frame, found = restored([0, 1, 2], {"n": continuous(1.2, 2.7, 4.0), "x": continuous(1.2, 2.7, 4.0)})
    assert frame["n"].tolist() == [1, 3, 4]
    assert found.half_units == {"n": 0.5, "x": 0.0}


def test_a_missing_code_of_an_amount_stands_where_it_stood() -> None:
    gap = np.nan
    frame, _ = restored([0, 1, 2], {"x": continuous(gap, gap, 3)}, missing={"x": [-9.0]})
    assert frame["x"].isna().tolist() == [True, False, False]
    assert frame["x"].tolist()[1:] == [-9.0, 3.0]
    moved, _ = restored([1, 0, 1], {"x": continuous(gap, 2, 4)}, missing={"x": [-9.0]})
    assert moved["x"].tolist() == [-9.0, 2.0, 4.0]
    # the row of a record without an original is not that of any record
    coded_first = FRAME.iloc[[1, 0, 2]]
    state = State.begin(mv.Microdata(coded_first, missing={"x": [-9.0]}))
    made = restore(replace(state, origin=np.array([-1, 0]), changed={"x": continuous(gap, gap)})).frame.to_native()
    assert made["x"].isna().tolist() == [True, False]


def test_a_number_among_codes_of_text_stands_where_it_stood() -> None:
    frame, _ = restored([0, 1, 2], {"x": continuous(1, np.nan, np.nan)}, missing={"x": ["none", -9.0]})
    assert frame["x"].tolist()[:2] == [1.0, -9.0]
    assert frame["x"].isna().tolist() == [False, False, True]


def test_a_missing_code_of_a_category_stands_where_it_stood() -> None:
    levels = begun(missing={"t": ["?"]}).source.encoded("t").levels
    frame, _ = restored([0, 1, 2], {"t": Values("nominal", np.array([1, -1, -1]), levels)}, missing={"t": ["?"]})
    assert frame["t"].tolist()[:2] == [levels[1], "?"]
    assert frame["t"].isna().tolist() == [False, False, True]
    filled, _ = restored([1, 1, 0], {"t": Values("nominal", np.array([0, -1, 1]), levels)}, missing={"t": ["?"]})
    assert filled["t"].tolist() == [levels[0], "?", levels[1]]
    coded_last = mv.Microdata(FRAME.iloc[[0, 2, 1]], missing={"t": ["?"]})
    new = {"t": Values("nominal", np.array([-1, -1]), coded_last.encoded("t").levels)}
    made = restore(replace(State.begin(coded_last), origin=np.array([-1, 2]), changed=new)).frame.to_native()
    assert made["t"].isna().tolist() == [True, False]
    blanked, _ = restored([0, 1, 2], {"t": Values("nominal", np.array([-1, -1, 1]), levels)}, missing={"t": ["?"]})
    assert blanked["t"].isna().tolist() == [True, False, False]
    coded_first = mv.Microdata(FRAME.iloc[[1, 0, 2]], missing={"t": ["?"]})
    first = {"t": Values("nominal", np.array([-1, 0, 1]), coded_first.encoded("t").levels)}
    assert restore(replace(State.begin(coded_first), changed=first)).frame.to_native()["t"].tolist()[0] == "?"
    plain, _ = restored([0, 1, 2], {"t": Values("nominal", np.array([-1, 0, 0]), begun().source.encoded("t").levels)})
    assert plain["t"].isna().tolist() == [True, False, False]


def test_each_missing_code_stands_in_its_own_row() -> None:
    data = mv.Microdata(pd.DataFrame({"t": ["?", "a", "!", "b"]}), missing={"t": ["?", "!"]})
    new = {"t": Values("nominal", np.array([-1, 1, -1, 0]), data.encoded("t").levels)}
    assert restore(replace(State.begin(data), changed=new)).frame.to_native()["t"].tolist() == ["?", "b", "!", "a"]


def test_levels_of_the_source_or_others() -> None:
    source = begun().source
    levels = source.encoded("t").levels
    assert has_source_levels(source, "t", Values("nominal", np.zeros(3, dtype=np.int64), levels))
    assert not has_source_levels(source, "t", Values("nominal", np.zeros(3, dtype=np.int64), ("a", "z")))
    classes = Values("nominal", np.array([0, 1, 0]), ("low", "high"))
    assert not has_source_levels(source, "x", classes)
    frame, _ = restored([0, 1, 2], {"x": classes})
    assert frame["x"].tolist() == ["low", "high", "low"]


@pytest.mark.parametrize("kind", ["float64", "int64"])
def test_no_new_value_is_a_code_for_a_missing_one(kind):
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"y": np.where((y := draw.poisson(4.2, 300)) == 9, 8, y)}).astype(kind)
    data = mv.Microdata(frame, missing={"y": [9]}, kinds={"y": "continuous"})
    release = mv.mask.UncorrelatedNoise(p=0.5).apply(data, columns=["y"], seed=1)
    (note,) = [note for note in release.notes if "code for a missing value" in note]
    moved = int(note.split()[0])
    plain = mv.mask.UncorrelatedNoise(p=0.5).apply(
        mv.Microdata(frame, kinds={"y": "continuous"}), columns=["y"], seed=1
    )
    assert moved == (plain.frame["y"].round() == 9).sum() > 0
    assert not (release.frame["y"].round() == 9).any()
