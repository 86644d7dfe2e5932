"""The state between steps: which columns are amounts, and in which order rows are written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.streams import Key
from microveil.data.table import Values
from microveil.run.state import State, _carried, _mark, _taken
from microveil.run.written import WriteOptions, written_order


def test_columns_are_amounts_until_a_step_makes_classes_of_them() -> None:
    state = State.begin(mv.Microdata(pa.table({"x": [0.5, 1.5, 2.5], "t": ["a", "b", "c"]})))
    assert state._was_amount("x")
    assert not state._was_amount("t")
    classes = Values("nominal", np.array([0, 0, 1]), ("low", "high"))
    assert not replace(state, changed={"x": classes})._was_amount("x")
    assert replace(state, changed={"x": Values("continuous", np.arange(3.0))})._was_amount("x")


def test_rows_are_synthetic_when_none_has_an_original() -> None:
    state = State.begin(mv.Microdata(pa.table({"x": [0.5, 1.5]})))
    for origin, synthetic in (([0, 1], False), ([-1, 0], False), ([-1, -1], True), ([], False)):
        assert replace(state, origin=np.array(origin, dtype=np.int64)).synthetic is synthetic


def test_labels_follow_their_rows() -> None:
    assert _carried(np.array([7, 8, 9]), np.array([2, -1, 0, 0])).tolist() == [9, -1, 7, 7]
    assert _taken(None, np.array([0])) is None
    assert _taken(np.array([7.0, 8.0]), np.array([1, -1])) is None
    taken = _taken(np.array([7.0, 8.0]), np.array([1, 0]))
    assert taken is not None
    assert taken.tolist() == [8.0, 7.0]


@pytest.mark.parametrize("place", [0, 5, 129])
def test_a_change_in_place_is_noticed(place: int) -> None:
    table = State.begin(mv.Microdata(pa.table({"x": np.arange(130.0) + 0.5}))).table({"x": "continuous"})
    before = _mark(table)
    assert _mark(table) == before
    data = table.columns["x"].data.copy()
    data[place] += 1
    assert _mark(replace(table, columns={"x": Values("continuous", data)})) != before


def test_the_order_of_a_file() -> None:
    key = Key.of(1)
    assert written_order(key, 5, shuffle=False).tolist() == [0, 1, 2, 3, 4]
    drawn = written_order(key, 50)
    assert sorted(drawn.tolist()) == list(range(50))
    assert drawn.tolist() != list(range(50))


def test_options_of_writing_come_back_from_the_log() -> None:
    options = WriteOptions(".csv", shuffle=False, delimiter=";", sha256="ab")
    assert WriteOptions.from_mapping(options.to_mapping()) == options
    assert set(options.arguments) == {"shuffle", "delimiter", "keep_identifiers", "titles", "formulas", "reproducible"}
    plain = WriteOptions(".csv")
    assert (plain.shuffle, plain.keep_identifiers, plain.titles, plain.reproducible) == (True, False, False, False)
