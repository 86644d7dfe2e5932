"""What a finished state shows of the source: cells, columns and records that are as they were."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.data.table import Values
from microveil.run.contract import Step, StepRecord
from microveil.run.looking import (
    count_copied_records,
    find_nothing_hidden,
    find_redrawn,
    note_originals,
    share_unchanged,
)
from microveil.run.state import State

FRAME = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": [9.5, 8.5, 7.5, 6.5], "t": list("abab")})
NOISE, SUPPRESS = mv.mask.UncorrelatedNoise(), mv.mask.KAnonymise()


def state(origin: list[int], steps: list[tuple[Any, str]] = [], frame: pd.DataFrame = FRAME, **cells: Any) -> State:  # noqa: B006
    begun = State.begin(mv.Microdata(frame))
    changed = {name: Values("continuous", np.array(new, dtype=np.float64)) for name, new in cells.items()}
    records = tuple(
        StepRecord(Step(method), tuple(columns), kinds=("nominal",) * len(columns)) for method, columns in steps
    )
    return replace(begun, origin=np.array(origin, dtype=np.int64), changed=changed, steps=records)


def test_shares_are_of_observed_original_cells() -> None:
    found = share_unchanged(state([3, 0, -1], [(NOISE, "xy")], x=[3.5, 9, 0.5]))
    assert found == {"x": 0.5, "y": 1.0}
    assert share_unchanged(state([-1, -1], x=[3.5, 9])) == {}
    gappy = FRAME.assign(x=[np.nan, np.nan, 2.5, 3.5])
    assert share_unchanged(state([0, 1], frame=gappy, x=[1, np.nan])) == {"x": 0.0}
    assert share_unchanged(state([0, 2], frame=gappy, x=[1, 2.5])) == {"x": 1.0}


def test_amounts_are_compared_as_they_will_be_written() -> None:
    assert share_unchanged(state([0, 1, 2, 3], x=[0.52, 1.46, 2.5, 3.61])) == {"x": 0.75}
    classes = Values("nominal", np.array([0, 1, 0, 1]), ("low", "high"))
    assert share_unchanged(replace(state([0, 1, 2, 3]), changed={"x": classes})) == {"x": 0.0}


def test_a_method_that_may_spare_columns_answers_for_what_it_changed_only() -> None:
    assert SUPPRESS.spares
    assert share_unchanged(state([0, 1, 2, 3], [(SUPPRESS, "xy")], x=[0.5, 1, 2, 3])) == {"x": 0.25}


def test_columns_that_several_steps_brought_back() -> None:
    back: list[float] = [0.5, 1.5, 2.5, 3.5]
    twice = [(NOISE, "xy"), (NOISE, "x")]
    (told,) = find_nothing_hidden(state([0, 1, 2, 3], twice, x=back, y=[1, 2, 3, 4]))
    assert (
        told
        == "uncorrelated-noise then uncorrelated-noise left every value of 'x' as it was: nothing is protected there"
    )
    both = state([0, 1, 2, 3], [(NOISE, "yx"), (NOISE, "yx")], x=back, y=[9.5, 8.5, 7.5, 6.5])
    assert "left every value of 'x', 'y' as it was" in find_nothing_hidden(both)[0]
    assert find_nothing_hidden(state([0, 1, 2, 3], [(NOISE, "x")], x=back, y=[1, 2, 3, 4])) == ()
    assert find_nothing_hidden(state([0, 1, 2, 3], [(SUPPRESS, "x"), (NOISE, "x")], x=back, y=[1, 2, 3, 4])) == ()
    assert find_nothing_hidden(state([0, 1, 2, 3], twice, x=[0.5, 1.5, 2.5, 4.5], y=[1, 2, 3, 4])) == ()
    assert len(find_nothing_hidden(state([0], twice, x=[0.5], y=[1]))) == 1
    assert find_nothing_hidden(state([-1], twice, x=[0.5], y=[1])) == ()
    constant = FRAME.assign(x=1.5)
    assert find_nothing_hidden(state([0, 1], twice, frame=constant, x=[1.5, 1.5], y=[1, 2])) == ()


def test_all_records_in_another_order_are_the_original() -> None:
    there: dict[str, Any] = {"x": [1.5, 0.5, 2.5, 3.5], "y": [8.5, 9.5, 7.5, 6.5]}
    plain = FRAME[["x", "y"]]
    (told,) = find_nothing_hidden(state([0, 1, 2, 3], [(NOISE, "xy")], frame=plain, **there))
    assert "released every original record as it was, at most in another order" in told
    assert find_nothing_hidden(state([0, 1, 2, 3], [(NOISE, "xy")], **there)) == ()  # beside a third column
    fewer = {name: cells[:3] for name, cells in there.items()}
    assert find_nothing_hidden(state([0, 1, 2], [(NOISE, "xy")], frame=plain, **fewer)) == ()
    assert find_nothing_hidden(state([0, 1, 2, 3], frame=plain)) == ()  # nothing was to be changed


def test_a_few_values_in_finer_digits_hide_no_original() -> None:
    cells = np.arange(40.0)
    cells[7] = 7.5
    both = pd.DataFrame({"x": cells, "y": cells[::-1]})
    turned = {"x": cells[::-1], "y": cells}
    origin = list(range(40))
    (told,) = find_nothing_hidden(state(origin, [(NOISE, "xy")], frame=both, **turned))
    assert "released every original record as it was, at most in another order" in told
    (told,) = find_nothing_hidden(state(origin, [(NOISE, "x")], frame=both, x=cells))  # beside one that stays
    assert "released every original record as it was" in told
    computed = {"x": cells + np.where(cells == 7.5, 0.3, 0), "y": cells[::-1]}
    assert find_nothing_hidden(state(origin, [(NOISE, "xy")], frame=both, **computed)) == ()
    assert share_unchanged(state(origin, frame=both, x=cells)) == {"x": 1.0}


@pytest.mark.parametrize(
    ("cells", "redrawn"),
    [
        ([0.5, 1.5, 7, 8], ()),  # a half occurs in the source: not most of them are new
        ([0.5, 6, 7, 8], ("x",)),
        ([0.5, np.nan, np.nan, 7], ()),
        ([np.nan] * 4, ()),
    ],
)
def test_amounts_that_do_not_occur_in_the_source(cells: list[float], redrawn: tuple[str, ...]) -> None:
    assert find_redrawn(state([0, 1, 2, 3], x=cells)) == redrawn


def test_classes_are_not_drawn_amounts() -> None:
    begun = state([0, 1, 2, 3])
    assert find_redrawn(replace(begun, changed={"x": Values("nominal", np.arange(4), tuple("efgh"))})) == ()


def test_fewer_records_as_they_were_get_a_note() -> None:
    assert len(note_originals(state([0, 1]))) == 1
    assert note_originals(state([0, 1], x=[1, 2])) == ()
    assert note_originals(state([0, 1], [(NOISE, "x")])) == ()
    assert note_originals(state([-1, -1])) == ()
    weighted = replace(state([0, 1], x=[1, 2]), source=mv.Microdata(FRAME, roles={"x": "weight"}))
    assert len(note_originals(weighted)) == 1


def test_copies_are_among_records_without_an_original() -> None:
    assert count_copied_records(state([0, 1], x=[0.5, 1])) is None
    assert count_copied_records(state([-1, -1])) is None
    found = count_copied_records(state([0, -1, -1], x=[0.5, 2.5, 9], y=[1, 7.5, 9]))
    assert found is not None
    assert (found.copies, found.unique, found.records) == (1, 1, 2)
