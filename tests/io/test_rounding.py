"""Rounding to the digits of the source: its unit, its range, and values that are copies."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microveil as mv
from microveil.claims import MeansKept, RangeKept
from microveil.io.rounding import Rounded, _in_unit, _within, doubles, round_release
from microveil.run.promises import Promise


@pytest.mark.parametrize("unit", [3, 9, -9])
def test_the_ends_of_the_range_are_rounded_towards_the_inside(unit: int) -> None:
    ends = (1.4 * 10.0**unit, 9.6 * 10.0**unit)
    values = np.array([1.4, 9.6, 5.2, 1.399, 9.601])
    coarser = np.array([1.0, 10.0, 5.0, 1.0, 10.0])
    # the ends themselves move inwards; what lay outside before rounding is not this function's business
    found = _within(ends, values * 10.0**unit, coarser * 10.0**unit, unit)
    assert found == pytest.approx(np.array([2.0, 9.0, 5.0, 1.0, 10.0]) * 10.0**unit, rel=1e-12)


def test_nothing_moves_where_nothing_leaves_the_range() -> None:
    coarser = np.array([1000.0, 4000.0, 9000.0])
    assert _within((1000.0, 9000.0), np.array([1200.0, 4100.0, 8900.0]), coarser, 3) is coarser


def released(
    source: list[Any],
    values: list[Any],
    claims: tuple[Any, ...] = (),
    role: str = "confidential",
    missing: tuple[Any, ...] = (),
    origin: list[int] | None = None,
) -> Any:
    """As much of a release as rounding looks at."""
    original = SimpleNamespace(
        schema={"x": SimpleNamespace(missing=missing)},
        narwhal=nw.from_native(pa.table({"x": source})),
        roles={"x": role},
    )
    links = np.full(len(values), -1) if origin is None else np.array(origin)
    frame = nw.from_native(pa.table({"x": values}))
    promises = tuple(Promise(claim) for claim in claims)
    return SimpleNamespace(original=original, narwhal=frame, promises=promises, origin=links)


def in_unit(release: Any) -> tuple[list[float], int] | None:
    found = _in_unit(release, "x")
    return None if found is None else (found[0].tolist(), found[1])


CENTS = [1.25, 2.5, 9.75, 4.0]


def test_values_come_in_the_unit_of_the_source() -> None:
    assert in_unit(released(CENTS, [1.2345, 9.754])) == ([1.23, 9.75], -2)
    assert in_unit(released(CENTS, [1.2345, 9.757])) == ([1.23, 9.76], -2)
    assert in_unit(released(CENTS, [1.23, 9.75])) is None  # no finer digits
    assert in_unit(released([1 / 3, 2 / 7], [0.123456789012, 1.0])) is None  # no unit


THOUSANDS = [*(1000.0 * i for i in range(2, 42)), 41_600.0]


@pytest.mark.parametrize(
    ("claims", "last"),
    [
        ((), 42_000.0),
        ((MeansKept(("x",)),), 42_000.0),
        ((RangeKept(("y",)),), 42_000.0),
        ((RangeKept(("x",)),), 41_000.0),
        ((MeansKept(("y",)), RangeKept(("y", "x"))), 41_000.0),
    ],
)
def test_only_a_promise_on_the_range_of_the_column_turns_rounding_round(claims: tuple[Any, ...], last: float) -> None:
    assert in_unit(released(THOUSANDS, [2345.0, 41_555.0], claims)) == ([2000.0, last], 3)


def test_weights_are_rounded_to_whole_numbers_at_most() -> None:
    assert in_unit(released(THOUSANDS, [2345.6, 41_555.0], role="weight")) == ([2346.0, 41_555.0], 0)
    assert in_unit(released(CENTS, [1.2345, 5.0], role="weight")) == ([1.23, 5.0], -2)


def test_codes_for_missing_values_have_no_unit_and_stay() -> None:
    source = [*THOUSANDS, *[-9.5] * 20]
    found = in_unit(released(source, [2345.0, -9.5, None], missing=(-9.5, "none")))
    assert repr(found) == "([2000.0, -9.5, nan], 3)"


def test_numbers_of_any_type_asdoubles() -> None:
    assert doubles(pa.array([0.1], pa.float32())).tolist() == [0.1]
    assert doubles(pa.array([0.1])).tolist() == [0.1]
    assert doubles(pa.array([2**53 + 1])).tolist() == [2.0**53]
    assert repr(doubles(pa.array([1, None])).tolist()) == "[1.0, nan]"


def test_rounded_columns_keep_their_type_where_they_fit() -> None:
    notes: list[str] = []
    found = Rounded({"x": np.array([130.0, np.nan])})
    assert found.put_back(pa.array([127, None], pa.int16()), "x", notes) == pa.array([130, None], pa.int16())
    assert notes == []
    assert found.put_back(pa.array([127, None], pa.int8()), "x", notes) == pa.array([130, None])
    assert notes == ["values of 'x' no longer fit int8 and are written as int64"]
    other = pa.array([1])
    assert found.put_back(other, "y", notes) is other


def test_half_of_the_unit_is_what_rounding_moves_at_most() -> None:
    rng = np.random.default_rng(1)
    frame = pa.table({"x": np.round(rng.lognormal(8, 1, 60), 2), "y": 1000.0 * rng.integers(1, 90, 60)})
    release = mv.mask.UncorrelatedNoise(p=0.3).apply(frame, seed=1)
    found = round_release(release)
    assert found.half_units == pytest.approx({"x": 0.005, "y": 500.0})
    assert found.notes == (
        "'x' was rounded to 2 decimals, as in the source",
        "'y' was rounded to multiples of 1000, as in the source",
    )
    exact = mv.mask.UncorrelatedNoise(p=0.3).apply(mv.Microdata(frame, integers="keep exact"), seed=1)
    assert round_release(exact) == Rounded()


def test_promises_that_rounding_leaves_exact_are_not_told() -> None:
    amounts = np.round(np.random.default_rng(1).lognormal(10.5, 0.6, 400), -3)
    release = mv.mask.SullivanNoise(p=0.05).apply(pa.table({"x": [*amounts, 1400.0]}), seed=1)
    assert any(isinstance(claim, RangeKept) for claim in release.claims)
    assert round_release(release).notes == ("'x' was rounded to multiples of 1000, as in the source",)


@pytest.mark.parametrize("method", [mv.mask.ExactNoise(p=0.3), mv.mask.Microaggregation()], ids=lambda one: one.name)
def test_numbers_of_32_bits_with_all_their_digits_are_written(method: mv.data.Method, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(draw.lognormal(8, 1, (300, 3)), columns=list("abc")).astype("float32")
    release = method.apply(frame, columns=["a", "b", "c"])
    mv.write(release, tmp_path / "out.parquet")
    back = pd.read_parquet(tmp_path / "out.parquet")
    assert back.dtypes.astype(str).tolist() == ["float32"] * 3
    assert back.astype(float).mean().to_numpy() == pytest.approx(frame.astype(float).mean().to_numpy(), rel=1e-6)
