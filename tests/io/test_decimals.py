"""Decimals of written files: as many as the source has, in every cell alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.core.errors import BrokenPromise
from microveil.core.streams import Key, Streams
from tests.io.frames import in_library


def noisy(table: pa.Table, **facts: Any) -> mv.Release:
    """A release whose incomes have more decimals than the source."""
    from dataclasses import dataclass

    from microveil.run.method import Method, Outcome, Step
    from microveil.run.state import State

    @dataclass(frozen=True, kw_only=True)
    class Third(Method):
        name = "third"

        def run(self, table: Any, job: Any) -> Outcome:
            return Outcome({name: values.with_data(values.data / 3) for name, values in table.columns.items()})

    state = State.begin(mv.Microdata(table, **facts))
    state = state.advance(Step(Third(), ["income"]), Streams(Key.of(1)))
    return mv.Release.finish(state, Key.of(1))


def test_changed_numbers_show_no_more_decimals_than_the_source(tmp_path: Path) -> None:
    table = pa.table({"income": [1.25, 2.5, 100.0], "other": [1 / 3, 2 / 3, 1.0]})
    written = mv.write(noisy(table), tmp_path / "out.csv", shuffle=False, reproducible=True)
    assert written.notes == (
        "'income' was rounded to 2 decimals, as in the source",
        "released as they are: other; 3 of 3 records are alone with these values",
    )
    assert mv.read(tmp_path / "out.csv").frame.to_pydict() == {
        "income": [0.42, 0.83, 33.33],
        "other": [1 / 3, 2 / 3, 1.0],
    }


def test_kept_exact_when_asked_or_when_the_source_is_as_fine(tmp_path: Path) -> None:
    table = pa.table({"income": [1.25, 2.5, 100.0]})
    mv.write(noisy(table, integers="keep exact"), tmp_path / "out.csv", shuffle=False, reproducible=True)
    assert mv.read(tmp_path / "out.csv").frame["income"].to_pylist() == [1.25 / 3, 2.5 / 3, 100 / 3]
    fine = pa.table({"income": [1 / 7, 2.5, 100.0]})
    mv.write(noisy(fine), tmp_path / "out.csv", shuffle=False, reproducible=True)
    assert mv.read(tmp_path / "out.csv").frame["income"].to_pylist() == [1 / 7 / 3, 2.5 / 3, 100 / 3]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_rounding_that_breaks_a_promise_writes_nothing(tmp_path: Path, library: str) -> None:
    frame = pd.DataFrame({"income": [1.3, 2.6, 7.9]}, index=[5, 6, 7])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    data = mv.Microdata(frame if library == "pandas" else in_library(table, library))
    with pytest.raises(
        BrokenPromise, match=r"rounding to the digits of the source breaks .*multiple of 0.25.*keep exact"
    ):
        mv.write(mv.mask.Round(base=0.25).apply(data), tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def incomes(fill: float | None = None) -> np.ndarray:
    """Whole thousands, as people say them; the last cells are exceptions."""
    values = np.round(np.random.default_rng(1).lognormal(10.5, 0.6, 400), -3)
    if fill is not None:
        values[-8:] = fill
    return values


def off_unit(values: Any, unit: float) -> np.ndarray:
    scaled = np.asarray(values, dtype=float) / unit
    return np.abs(scaled - np.rint(scaled)) > 1e-9


MASKS = [
    mv.mask.TopBottomCode(share=0.1, replacement="mean"),
    mv.mask.Microaggregation(partition=mv.partition.MDAV(k=4)),
    mv.mask.UncorrelatedNoise(p=0.3),
    mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=8)),
]


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: mask.name)
@pytest.mark.parametrize("kind", ["int64", "Int64", "float64", "float32", "int32"])
@pytest.mark.parametrize("exception", [None, 1234.0])
def test_digits_do_not_tell_touched_cells(tmp_path: Path, mask: Any, kind: str, exception: float | None) -> None:
    frame = pd.DataFrame({"x": incomes(exception), "y": incomes()[::-1] + 2000}).astype(kind)
    released = mask.apply(mv.Microdata(frame), seed=1)
    touched = np.asarray(released.frame["x"], dtype=float) != np.asarray(frame["x"], dtype=float)
    assert off_unit(released.frame["x"], 1000)[touched].mean() > 0.8  # what an intruder would see without rounding
    written = mv.write(released, tmp_path / "out.parquet", shuffle=False, reproducible=True)
    found = pd.read_parquet(tmp_path / "out.parquet")
    assert not off_unit(found["x"], 1000).any()
    assert found["x"].dtype == kind.lower()
    assert "'x' was rounded to multiples of 1000, as in the source" in written.notes


def test_one_fine_value_does_not_switch_rounding_off(tmp_path: Path) -> None:
    cents = np.round(np.random.default_rng(1).lognormal(8, 1, 400), 2)
    cents[17] = 1 / 3
    released = mv.mask.TopBottomCode(share=0.1, replacement="mean").apply(pd.DataFrame({"x": cents}))
    written = mv.write(released, tmp_path / "out.csv")
    assert "'x' was rounded to 2 decimals, as in the source" in written.notes
    fields = (tmp_path / "out.csv").read_text().split()[1:]
    assert max(len(field.partition(".")[2]) for field in fields) == 2


def test_cells_that_were_left_or_exchanged_keep_their_digits(tmp_path: Path) -> None:
    """Exceptions among them are the source's own, and promises on single values must not break."""
    frame = pd.DataFrame({"x": incomes(1234.5), "place": np.arange(len(incomes()))})
    for mask in (mv.mask.RankSwap(p=10), mv.mask.Sample(fraction=0.5), mv.mask.TopBottomCode(share=0.1)):
        released = mask.apply(mv.Microdata(frame), columns=["x"], seed=1)
        written = mv.write(released, tmp_path / "out.parquet", shuffle=False, reproducible=True)
        assert pd.read_parquet(tmp_path / "out.parquet")["x"].tolist() == released.frame["x"].tolist()
        assert not any("rounded" in note for note in written.notes)


def test_codes_for_missing_values_have_no_unit(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [*incomes(), *[-9.0] * 60]})
    data = mv.Microdata(frame, missing={"x": [-9]})
    released = mv.mask.UncorrelatedNoise(p=0.3).apply(data, missing="mask", seed=1)
    mv.write(released, tmp_path / "out.parquet", shuffle=False, reproducible=True)
    found = pd.read_parquet(tmp_path / "out.parquet")["x"]
    assert found.isna().sum() == 60
    assert not off_unit(found.dropna(), 1000).any()


def test_weights_are_not_rounded_to_hundreds(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": incomes(), "w": 100.0 * (np.arange(400) % 9 + 1)})
    released = mv.mask.Sample(fraction=0.3).apply(mv.Microdata(frame, roles={"w": "weight"}), columns=["x"], seed=1)
    mv.write(released, tmp_path / "out.parquet", shuffle=False, reproducible=True)
    found = pd.read_parquet(tmp_path / "out.parquet")["w"]
    assert off_unit(found, 100).mean() > 0.5
    assert found.tolist() == released.frame["w"].round().tolist()


def test_rounding_stays_within_the_range_of_the_source(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [*incomes(), 1400.0, incomes().max() + 600]})
    released = mv.mask.SullivanNoise(p=0.05).apply(mv.Microdata(frame), seed=1)
    assert "no value of x lies outside the original range" in [str(claim) for claim in released.claims]
    mv.write(released, tmp_path / "out.parquet", reproducible=True, shuffle=False)
    found = pd.read_parquet(tmp_path / "out.parquet")["x"]
    assert not off_unit(found, 1000).any()
    assert found.min() >= 2000
    assert found.max() <= incomes().max()
    # only what would have left the range is rounded the other way
    nearest = (released.frame["x"] / 1000).round() * 1000
    inside = (nearest >= frame["x"].min()) & (nearest <= frame["x"].max())
    assert not inside.all()
    assert found[inside].tolist() == nearest[inside].tolist()


def test_rounded_numbers_that_leave_their_type_are_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.array([*[10 * (i % 12) + 10 for i in range(60)], *[127, 127]], dtype=np.int8)})
    frame["other"] = np.arange(62)
    data = mv.Microdata(frame, kinds={"x": "continuous"}, roles={"other": "other"})
    released = mv.mask.UncorrelatedNoise(p=0.02).apply(data, columns=["x"], seed=1)
    assert released.frame["x"].dtype == np.int8
    written = mv.write(released, tmp_path / "out.parquet", reproducible=True)
    assert "values of 'x' no longer fit int8 and are written as int64" in written.notes
    assert pd.read_parquet(tmp_path / "out.parquet")["x"].max() == 130


def test_what_rounding_costs_a_promise_is_told(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": incomes(), "y": incomes()[::-1]})
    released = mv.hybrid.MicroHybrid(partition=mv.partition.MDAV(k=8)).apply(frame, seed=1)
    written = mv.write(released, tmp_path / "out.csv", reproducible=True)
    (cost,) = [note for note in written.notes if note.endswith("means of x, y are exactly the original's")]
    found = pd.read_csv(tmp_path / "out.csv")
    off = ((found.mean() - frame.mean()).abs() / frame.std(ddof=0)).max()
    assert cost.startswith(f"in the file, rounding moves this by up to {off:.2g} standard deviations: ")
