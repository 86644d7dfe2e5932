"""Releases: the user's own frame comes back, promises are checked, nothing passes silently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest

from microveil.claims import Claim, MeansKept
from microveil.core import BadInput, BrokenPromise, MissingValues, NotEnoughRecords, NothingHidden, UnknownName
from microveil.core.streams import Key, Streams
from microveil.data import Microdata, Table
from microveil.mask import Mask, RankSwap, Round
from microveil.run import Job, Method, Outcome, Step
from microveil.run.state import State


@dataclass(frozen=True, kw_only=True)
class Shift(Mask):
    """Adds one to everything and claims to keep the means."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(),)

    def run(self, table: Table, job: Job) -> Outcome:
        return Outcome({name: values.with_data(values.data + 1) for name, values in table.columns.items()})


@dataclass(frozen=True, kw_only=True)
class FirstRows(Mask):
    """Keeps the first rows and swaps their nominal codes round."""

    kinds: ClassVar[tuple[str, ...]] = ("nominal",)

    def run(self, table: Table, job: Job) -> Outcome:
        if table.rows < 4:
            raise NotEnoughRecords("four are needed")
        rows = np.arange(4)
        changed = {name: values.with_data(values.data[rows][::-1]) for name, values in table.columns.items()}
        return Outcome(changed, origin=rows)


FRAME = pd.DataFrame(
    {"x": [1.5, 2.5, 4.0, 8.25], "n": [1, 20, 300, 4000], "c": ["a", "b", "a", "b"]}, index=list("wxyz")
)


def test_a_broken_promise_is_never_returned():
    with pytest.raises(BrokenPromise, match="BROKEN: means of x are exactly the original's"):
        Shift().apply(FRAME, columns=["x"])


def test_unchanged_data_are_never_returned_silently():
    with pytest.warns(NothingHidden, match="round left every value of 'n' as it was"):
        release = Round(base=1).apply(FRAME, columns=["n"])
    assert any("nothing is protected" in note for note in release.notes)


def test_whole_numbers_are_rounded_or_kept_exact_as_stated():
    frame = pd.DataFrame({"n": np.arange(1, 41) ** 2})
    rounded = Round(base=2.5).apply(frame).frame["n"]
    assert rounded.dtype == np.int64
    exact = Round(base=2.5).apply(Microdata(frame, integers="keep exact")).frame["n"]
    assert exact.dtype == np.float64
    assert (exact % 2.5 == 0).all()


def test_values_that_do_not_fit_their_type_widen_it_and_say_so():
    frame = pl.DataFrame({"a": pl.Series([100, 120, 127, 90], dtype=pl.Int8)})
    release = Round(base=100).apply(frame, columns=["a"])
    assert release.frame["a"].dtype == pl.Int8
    release = Round(base=1000, mode="random").apply(frame, columns=["a"], seed=2)
    assert release.frame["a"].dtype in (pl.Int8, pl.Int64)
    wide = Round(base=200).apply(pl.DataFrame({"a": pl.Series([110, 120, 127, 90], dtype=pl.Int8)}), columns=["a"])
    assert wide.frame["a"].to_list() == [200, 200, 200, 0]
    assert wide.frame["a"].dtype == pl.Int64
    assert any("no longer fit" in note for note in wide.notes)


def test_missing_codes_stay_where_they_were():
    data = Microdata(pd.DataFrame({"a": [11, 999, 24, 38], "b": [12, 999, 25, 39]}), missing={"a": [999]})
    release = Round(base=10).apply(data, columns=["a"], missing="mask")
    assert release.frame["a"].tolist() == [10, 999, 20, 40]
    assert release.frame["b"].tolist() == [12, 999, 25, 39]


def test_rows_left_out_are_known_by_their_origin():
    frame = FRAME.assign(x=[1.0, None, 13.0, 26.0])
    release = Round(base=10).apply(frame, columns=["x"], missing="drop")
    assert release.origin.tolist() == [0, 2, 3]
    assert list(release.frame.index) == ["w", "y", "z"]
    assert "1 of 4 records with missing values" in " ".join(release.notes)


def test_a_method_may_return_fewer_rows_and_other_codes():
    release = FirstRows().apply(pd.concat([FRAME, FRAME]), columns=["c"])
    assert release.frame["c"].tolist() == ["b", "a", "b", "a"]
    assert release.frame["n"].tolist() == [1, 20, 300, 4000]


def test_a_subdomain_that_is_too_small_is_named():
    with pytest.raises(NotEnoughRecords, match="in the subdomain n=1: four are needed"):
        FirstRows().apply(FRAME, columns=["c"], by="n")


def test_minus_zero_does_not_tell_computed_cells():
    frame = pd.DataFrame({"x": np.linspace(-4.0, 4.0, 9)})
    released = Round(base=10).apply(frame).frame["x"].to_numpy()
    assert not np.signbit(released[released == 0]).any()


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"columns": ["c"]}, BadInput, r"round protects continuous columns; 'c' is nominal \(text\)"),
        ({"columns": []}, BadInput, "columns is empty"),
        ({"columns": ["x", "x"]}, BadInput, "names a column twice"),
        ({"columns": ["y"]}, UnknownName, "no column 'y'"),
        ({"by": "nn"}, UnknownName, "by: there is no column 'nn'"),
        ({"given": ["x"]}, BadInput, "round does not condition on other columns"),
        ({"missing": "ignore"}, BadInput, r"missing='ignore' is not one of \['error', 'drop', 'mask'\]"),
    ],
)
def test_wrong_targets_are_refused(how, error, message):
    with pytest.raises(error, match=message):
        Round(base=10).apply(FRAME, **how)


def test_missing_values_are_refused_by_name_and_count():
    with pytest.raises(MissingValues, match=r"missing values in 'x' \(2\); use missing='drop'"):
        Round(base=10).apply(FRAME.assign(x=[None, None, 1.0, 2.0]), columns=["x"])


def test_the_confidential_columns_are_the_default_target():
    data = Microdata(FRAME, roles={"x": "confidential"})
    assert Round(base=10).apply(data).columns == ("x",)
    assert Round(base=10).apply(FRAME).columns == ("x", "n")


def test_nothing_suitable_is_an_error_that_says_what_to_do():
    with pytest.raises(BadInput, match="round protects continuous columns and there are none"):
        Round(base=10).apply(FRAME[["c"]])


def test_strata_do_not_share_their_noise():
    n = 200
    frame = pd.DataFrame({"x": np.tile(np.arange(n / 2), 2), "s": np.repeat(["a", "b"], n // 2), "y": np.arange(n)})
    released = RankSwap(p=20).apply(frame, columns=["x"], by="s", seed=1).frame
    a, b = (released.loc[released["s"] == s, "x"].to_numpy() for s in "ab")
    assert sorted(a) == sorted(b)
    assert not np.array_equal(a, b)


def test_a_method_without_run_says_so():
    @dataclass(frozen=True, kw_only=True)
    class Nothing(Method):
        """Does nothing."""

    with pytest.raises(TypeError, match=r"Nothing must implement run\(table, job\)"):
        Nothing().apply(FRAME, columns=["x"])


# -- synthetic rows ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Invent(Mask):
    """Makes as many rows as asked for, which come from nobody."""

    rows: int = 3

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(),)

    def run(self, table: Table, job: Job) -> Outcome:
        made = {
            name: values.with_data(np.full(self.rows, values.data.mean())) for name, values in table.columns.items()
        }
        return Outcome(made, origin=np.full(self.rows, -1))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_synthetic_rows_carry_nothing_of_the_original(library):
    frame = FRAME.assign(
        name=["ann", "bob", "cy", "di"], w=[1.0, 2.0, 3.0, 4.0], day=pd.to_datetime(["2020-01-01"] * 4)
    )
    native = {"pandas": frame, "polars": pl.from_pandas(frame), "pyarrow": pl.from_pandas(frame).to_arrow()}[library]
    data = Microdata(native, roles={"w": "weight", "name": "identifier"})
    release = Invent(rows=6).apply(data, columns=["x"])
    assert list(release.narwhal.columns) == list(frame.columns)
    for name in ("n", "c", "name", "w", "day"):
        assert release.narwhal.get_column(name).null_count() == 6
    assert release.data.weights is None
    assert any("have no values in the columns that were not synthesised: 'n', 'c'" in note for note in release.notes)
    if library == "pandas":
        assert list(release.frame.index) == list(range(6))


def test_synthetic_rows_of_a_subdomain_belong_to_it():
    release = Invent(rows=2).apply(FRAME, columns=["x"], by="c")
    assert release.frame["c"].tolist() == ["a", "a", "b", "b"]
    assert release.frame["x"].tolist() == [2.75, 2.75, 5.375, 5.375]
    assert all(verdict.holds for verdict in release.check())


def test_what_an_earlier_step_did_to_other_columns_does_not_reach_synthetic_rows():
    state = State.begin(Microdata(FRAME))
    streams = Streams(Key.of(1))
    state = state.advance(Step(Round(base=10), ["n"]), streams)
    state = state.advance(Step(Invent(rows=2), ["x"]), streams)
    assert np.isnan(state.values("n").data).all()
    assert (state.values("c").data == -1).all()
    with pytest.raises(BadInput, match=r"synthetic records belong to no subdomain of \['c'\]"):
        state.advance(Step(Round(base=10), ["x"], by=["c"]), streams)


def test_synthetic_rows_after_dropping_incomplete_ones():
    release = Invent(rows=2).apply(FRAME.assign(x=[1.0, None, 13.0, 25.0]), columns=["x"], missing="drop")
    assert release.frame["x"].tolist() == [13.0, 13.0]
    assert release.check()[0].holds
