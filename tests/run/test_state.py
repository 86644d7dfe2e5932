"""The state between steps: which columns are amounts, and in which order rows are written."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core import BadInput, MissingValues, progress
from microveil.core.errors import NotEnoughRecords
from microveil.core.streams import Key, Streams
from microveil.data import Table
from microveil.data.table import Values
from microveil.mask import Mask
from microveil.run import Job, Outcome
from microveil.run.contract import Step, StepRecord
from microveil.run.parts import Ran, carried, taken
from microveil.run.running_a_part import mark_of
from microveil.run.state import State
from microveil.run.written import WriteOptions, written_order
from tests.streams import streams_of


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
    assert carried(np.array([7, 8, 9]), np.array([2, -1, 0, 0])).tolist() == [9, -1, 7, 7]
    assert taken(None, np.array([0])) is None
    assert taken(np.array([7.0, 8.0]), np.array([1, -1])) is None
    kept = taken(np.array([7.0, 8.0]), np.array([1, 0]))
    assert kept is not None
    assert kept.tolist() == [8.0, 7.0]


@pytest.mark.parametrize("place", [0, 5, 129])
def test_a_change_in_place_is_noticed(place: int) -> None:
    table = State.begin(mv.Microdata(pa.table({"x": np.arange(130.0) + 0.5}))).table({"x": "continuous"})
    before = mark_of(table)
    assert mark_of(table) == before
    data = table.columns["x"].data.copy()
    data[place] += 1
    assert mark_of(replace(table, columns={"x": Values("continuous", data)})) != before


def test_the_order_of_a_file() -> None:
    streams = streams_of(1)
    assert written_order(streams, 5, shuffle=False).tolist() == [0, 1, 2, 3, 4]
    drawn = written_order(streams, 50)
    assert sorted(drawn.tolist()) == list(range(50))
    assert drawn.tolist() != list(range(50))


def test_options_of_writing_come_back_from_the_log() -> None:
    options = WriteOptions(".csv", shuffle=False, delimiter=";", sha256="ab")
    assert WriteOptions.from_mapping(options.to_mapping()) == options
    assert set(options.arguments) == {"shuffle", "delimiter", "keep_identifiers", "titles", "formulas", "reproducible"}
    plain = WriteOptions(".csv")
    assert (plain.shuffle, plain.keep_identifiers, plain.titles, plain.reproducible) == (True, False, False, False)


def test_rows_of_a_part_are_numbered_in_the_input() -> None:
    members = np.array([4, 6, 8])
    assert Ran(members, ("a",), Outcome({})).where is members
    assert Ran(members, ("a",), Outcome({}, origin=np.array([2, -1, 0]))).where.tolist() == [8, -1, 4]


@dataclass(frozen=True, kw_only=True)
class Telling(Mask):
    """Turns its column round and says that it is done."""

    def run(self, table: Table, job: Job) -> Outcome:
        progress.advance(0.5)
        progress.advance(1.0)
        return Outcome({name: values.with_data(values.data[::-1].copy()) for name, values in table.columns.items()})


@pytest.mark.parametrize(
    ("of", "heard"), [("abbb", [0.125, 0.25, 0.625, 1.0]), ("aaab", [0.375, 0.75, 0.875, 1.0]), ("a", [0.5, 1.0])]
)
def test_subdomains_stand_for_their_share_of_the_records(
    of: str, heard: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_APART", 0.0)
    state = State.begin(mv.Microdata(pa.table({"x": np.arange(len(of)) + 0.5, "g": list(of)})))
    told: list[float] = []
    with progress.listening(told.append):
        state.advance(Step(Telling(), ["x"], by="g"), Streams(Key.of(1)))
    assert told == heard


def test_a_step_on_no_record_ends() -> None:
    state = State.begin(mv.Microdata(pa.table({"x": [0.5, 1.5]})))
    nobody = replace(state, origin=np.array([], dtype=np.int64))
    assert len(nobody.advance(Step(Telling(), ["x"]), Streams(Key.of(1))).origin) == 0


def test_rounding_brings_a_cell_back() -> None:
    state = State.begin(mv.Microdata(pa.table({"x": [0.5, 1.5, 2.5, 3.5]})))
    before, after = state.values("x"), Values("continuous", np.array([0.54, 1.44, 2.6, np.nan]))
    assert state.same_cells("x", before, after).tolist() == [True, False, False, False]


@dataclass(frozen=True, kw_only=True)
class LeavesOut(Telling):
    """Cannot handle records with two gaps or more."""

    skips_missing = True

    def leaves_out(self, table: Table, given: Table) -> np.ndarray:
        return np.sum([values.missing for values in table.columns.values()], axis=0) > 1


def usable(x: list[float], y: list[float]) -> tuple[list[int], tuple[str, ...]]:
    state = State.begin(mv.Microdata(pd.DataFrame({"x": x, "y": y, "g": list("aabb")})))
    step = Step(LeavesOut(), ["x", "y"], by="g", missing="mask")
    kinds = {"x": "continuous", "y": "continuous"}
    rows, notes = state._complete_rows(step, state.table(kinds), state.table({}))
    return rows.tolist(), notes


def test_records_that_a_method_cannot_handle_are_left_out() -> None:
    gap, used = np.nan, "values are missing in 'x' (2){}; the observed cells were used"
    assert usable([0.5, 1.5, 2.5, 3.5], [0.5, 1.5, 2.5, 3.5]) == ([0, 1, 2, 3], ())
    assert usable([0.5, gap, gap, 3.5], [0.5, 1.5, 2.5, 3.5]) == ([0, 1, 2, 3], (used.format(""),))
    rows, notes = usable([0.5, gap, gap, 3.5], [0.5, 1.5, gap, 3.5])
    assert rows == [0, 1, 3]
    assert notes[0] == used.format(", 'y' (1)")
    assert notes[1].startswith("1 of 4 records were left out, because too few others miss the same values:")
    with pytest.raises(MissingValues, match="too few records have the same gaps"):
        usable([gap] * 4, [gap] * 4)


@pytest.mark.parametrize(
    ("where", "groups", "telling", "synthetic"),
    [
        ([0, 1, 2, 3], [0, 0, 1, 1], ("z",), False),  # y is the same inside each group
        ([0, 2, 1, 3], [0, 0, 1, 1], ("y", "z"), False),
        ([0, 1, 2, 3], None, ("y", "z"), False),
        ([0, 1, 2, 3], [0, 0, -1, 1], ("y", "z"), False),  # one record is in no group
        ([0, 1, 2, -1], [0, 0, 1, 1], ("y", "z"), True),
    ],
)
def test_what_is_known_of_a_step_that_was_run(
    where: list[int], groups: list[int] | None, telling: tuple[str, ...], synthetic: bool
) -> None:
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": [1.5, 1.5, 2.5, 2.5], "z": [1.5, 2.5, 3.5, 4.5]})
    record = StepRecord(Step(Telling()), ("x",), ("y", "z"), notes=("before",))
    labels = None if groups is None else np.array(groups)
    outcome = Outcome({}, labels, notes=("after",))
    found = State.begin(mv.Microdata(frame))._as_run(record, outcome, np.array(where))
    assert (found.telling, found.synthetic, found.notes) == (telling, synthetic, ("before", "after"))


def test_a_run_begins_with_the_other_files_it_was_given() -> None:
    data = mv.Microdata(pa.table({"x": [0.5, 1.5]}))
    assert State.begin(data).aside == {}
    assert State.begin(data, {"other": data}).aside == {"other": data}


def test_classes_are_no_amounts_for_a_later_step() -> None:
    state = State.begin(mv.Microdata(pa.table({"x": [0.5, 1.5, 2.5]})))
    recoded = replace(state, changed={"x": Values("nominal", np.array([0, 0, 1]), ("low", "high"))})
    with pytest.raises(BadInput, match="cannot act on 'x': an earlier step made it nominal"):
        recoded.advance(Step(Telling(), ["x"]), Streams(Key.of(1)))


@dataclass(frozen=True, kw_only=True)
class TooFew(Telling):
    """Never has enough records."""

    def run(self, table: Table, job: Job) -> Outcome:
        raise NotEnoughRecords("too few")


@pytest.mark.parametrize(("by", "told"), [(None, "too few"), ("g", "in the subdomain g=a: too few")])
def test_too_few_records_are_told_with_their_subdomain(by: str | None, told: str) -> None:
    state = State.begin(mv.Microdata(pa.table({"x": [0.5, 1.5], "g": ["a", "a"]})))
    with pytest.raises(NotEnoughRecords) as caught:
        state.advance(Step(TooFew(), ["x"], by=by), Streams(Key.of(1)))
    assert str(caught.value) == told


def test_a_key_that_an_earlier_step_recoded_has_its_new_kind() -> None:
    """Ages are numbers, classes of ages are not: what suppresses categories acts on the classes."""
    draw = np.random.default_rng(5)
    table = pa.table({"age": draw.integers(18, 90, 200), "pay": draw.lognormal(8, 0.4, 200).round(2)})
    data = mv.Microdata(table, roles={"age": "key", "pay": "confidential"}, kinds={"age": "continuous"})
    plan = mv.Plan([(mv.mask.GlobalRecode(bins=6), ["age"]), (mv.mask.LocalSuppression(k=5), ["age"])])
    assert mv.risk.KAnonymity(keys=["age"])(data, plan.run(data, seed=1)).value >= 5
    by_role = mv.Plan([(mv.mask.GlobalRecode(bins=6), ["age"]), mv.mask.LocalSuppression(k=5)])
    assert by_role.run(data, seed=1).steps[1].columns == ("age",)
