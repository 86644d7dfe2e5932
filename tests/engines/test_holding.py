"""Steps that are run subdomain by subdomain: one coding of what they coded apart, and what is refused."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data import Microdata
from microveil.data.table import Table, Values
from microveil.engines import Scan, holding, scan
from microveil.engines.held import Held
from microveil.engines.passing import InBlocks
from microveil.mask.base import Mask
from microveil.run.contract import Step
from microveil.run.method import Job, Outcome
from microveil.run.state import State

FRAME = pa.table({"g": list("aabbbcc") * 5, "x": np.arange(35.0) % 11, "k": list("uvw") * 11 + ["u", "v"]})
STREAMS = Streams(Key.of(1))


@dataclass(frozen=True, kw_only=True)
class Mixed(Mask):
    """Classes in one subdomain, amounts in another; one column is left alone in one, and some records are left out."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "nominal")

    def run(self, table: Table, job: Job) -> Outcome:
        label, x, k = job.streams.path[-1], table["x"], table["k"]
        if label == "g=a":
            return Outcome({"x": x.with_data(x.data / 3)}, groups=np.arange(table.rows) // 5)
        if label == "g=b":
            classes = Values("ordinal", (x.data > 5).astype(np.int64), ("low", "high"))
            return Outcome({"x": classes, "k": replace(k, levels=("v", "z", "u"))}, groups=np.arange(table.rows) // 5)
        kept = np.arange(1, table.rows)
        return Outcome({"k": Values("nominal", np.where(kept % 2, 0, -1), ("new",))}, kept // 5, kept)


@pytest.fixture
def grouped(tmp_path: Path) -> Scan:
    parquet.write_table(FRAME, tmp_path / "a.parquet")
    return scan(tmp_path / "a.parquet")


def test_what_subdomains_coded_apart_is_coded_as_in_memory(grouped: Scan, tmp_path: Path) -> None:
    step = Step(Mixed(), ["x", "k"], by="g")
    whole = State.begin(Microdata(FRAME)).advance(step, STREAMS.at("step", 1))
    passing = InBlocks(grouped, STREAMS, 4, folder=tmp_path).learn(step, ("step", 1))
    states = [(first, state) for first, state in passing.each(lambda passed: (passed.first, passed.state))]
    np.testing.assert_array_equal(np.concatenate([first + one.origin for first, one in states]), whole.origin)
    np.testing.assert_array_equal(np.concatenate([one.groupings[0] for _, one in states]), whole.groupings[0])
    for name in ("x", "k"):
        parts = [state.changed[name] for _, state in states]
        assert {(part.kind, part.levels) for part in parts} == {(whole.changed[name].kind, whole.changed[name].levels)}
        np.testing.assert_array_equal(np.concatenate([part.data for part in parts]), whole.changed[name].data)


@dataclass(frozen=True, kw_only=True)
class HalfMade(Mask):
    """Some records are made, and others come back."""

    def run(self, table: Table, job: Job) -> Outcome:
        return Outcome(dict(table.columns), origin=np.append(np.arange(1, table.rows), -1))


def test_a_method_that_makes_some_records_only_is_refused(grouped: Scan, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="made some records and kept others"):
        InBlocks(grouped, STREAMS, 4, folder=tmp_path).learn(Step(HalfMade(), ["x"], by="g"), ("step", 1))


_RAN: list[weakref.ref[np.ndarray]] = []


@dataclass(frozen=True, kw_only=True)
class Watched(Mask):
    """The values of its parts are watched."""

    def run(self, table: Table, job: Job) -> Outcome:
        new = table["x"].data + 1
        _RAN.extend((weakref.ref(table["x"].data), weakref.ref(new)))
        return Outcome({"x": table["x"].with_data(new)})


def test_values_of_parts_that_were_run_are_not_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    def finish(keeping: holding._Keeping, folder: Path) -> Held:
        gc.collect()
        kept.append(sum(one() is not None for one in _RAN))
        return whole(keeping, folder)

    whole = holding._Keeping.finish
    monkeypatch.setattr(holding._Keeping, "finish", finish)
    frame = pa.table({"g": [str(number) for number in range(40)] * 5, "x": np.arange(200.0)})
    parquet.write_table(frame, tmp_path / "a.parquet")
    _RAN.clear()
    passing = InBlocks(scan(tmp_path / "a.parquet"), STREAMS, 50, folder=tmp_path)
    passing.learn(Step(Watched(), ["x"], by="g"), ("step", 1))
    assert len(_RAN) == 80
    assert kept[0] <= 4, "those of the last part at most"
