"""Checks of what a method says it must know of the file: parts and the order of records may not matter."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.errors import MicroveilError, NothingHidden
from microveil.core.streams import Key, Streams
from microveil.run.contract import Step
from microveil.run.method import Method
from microveil.run.state import State
from microveil.testing.runs import ROWS, sample

_STREAMS = Streams(Key.of("passes")).at("step", 1)


def check_passes(method: Method) -> None:
    """In another order, or part by part where it knows the record alone, a method gives every record the same bytes."""
    if method.passes in ("blocks", "part", "file"):
        return
    everyone = np.arange(ROWS, dtype=np.int64)
    whole = _run(method, everyone)
    if (whole.origin < 0).any():
        return  # whose records come from nobody has none to look for in another order
    shuffled = _run(method, _STREAMS.at("order").order(ROWS))
    assert _records(whole) == _records(shuffled), f"passes = {method.passes!r}, and the order of the records matters"
    if method.passes == "row":
        parts = [_run(method, rows) for rows in np.split(everyone, [ROWS // 3])]
        found = {record: cells for part in parts for record, cells in _records(part).items()}
        assert _records(whole) == found, "passes = 'row', and a part of the file gives other numbers than the whole"


def check_left_out(method: Method) -> None:
    """What a record draws does not depend on which others are there: a method that knows the record alone shows it."""
    if method.passes != "row" or not method.random:
        return
    whole = _records(_run(method, np.arange(ROWS, dtype=np.int64)))
    some = np.flatnonzero(np.arange(ROWS) % 3 > 0)
    for record, cells in _records(_run(method, some)).items():
        assert cells == whole[record], "a record drew other numbers because others were left out"


def _run(method: Method, origin: Ints) -> State:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)
        try:
            return State(sample(), origin, {}).advance(Step(method), _STREAMS)
        except MicroveilError as problem:
            raise AssertionError(f"it refuses some of the records that it takes together: {problem}") from problem


def _records(state: State) -> dict[int, list[Any]]:
    """The released cells of each record, numbers to the last bit and categories as they read."""
    columns: list[list[Any]] = []
    for _, values in sorted(state.changed.items()):
        if values.levels is None:
            columns.append([float(number).hex() for number in values.data.tolist()])
        else:
            columns.append([None if code < 0 else values.levels[code] for code in values.data.tolist()])
    return {int(record): list(cells) for record, *cells in zip(state.origin.tolist(), *columns, strict=True)}
