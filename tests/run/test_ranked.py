"""What follows from orders, some ranks at a time: what all ranks at once would say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from microveil.core.streams import Key, Streams
from microveil.run import ranked
from microveil.run.by_order import OrderedHere
from microveil.run.ranked import Found, average_ranks, handed_out, read_off, spread_ranks


def ordered(x: np.ndarray) -> OrderedHere:
    order = np.argsort(x, kind="stable")
    return OrderedHere(x[order], order)


def of_records(found: Found, records: int) -> np.ndarray:
    out = np.full(records, np.nan)
    for places, numbers in found:
        assert np.isnan(out[places]).all(), "a record is there twice"
        out[places] = numbers
    return out


@pytest.fixture(autouse=True, params=[1, 3, 1000])
def stretch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranked, "STRETCH", request.param)


@pytest.mark.parametrize("values", [1, 2, 5, 1000], ids="{} values".format)
def test_average_ranks_with_ties_that_reach_over_stretches(values: int) -> None:
    x = np.random.default_rng(values).integers(0, values, 41).astype(float)
    assert (of_records(average_ranks(ordered(x)), 41) == rankdata(x)).all()


def test_no_value_has_no_rank() -> None:
    assert list(average_ranks(ordered(np.zeros(0)))) == []
    assert list(handed_out(ordered(np.zeros(0)), ordered(np.zeros(0)))) == []


def test_values_are_handed_out_by_rank() -> None:
    draw = np.random.default_rng(1)
    x, y = draw.normal(size=30), draw.normal(size=30)
    assert (of_records(handed_out(ordered(y), ordered(x)), 30) == np.sort(x)[rankdata(y).astype(int) - 1]).all()


@pytest.mark.parametrize("drawn", [2, 50])
def test_values_are_read_off_at_places_in_their_order(drawn: int) -> None:
    draw = np.random.default_rng(2)
    x, y = draw.normal(size=20), draw.uniform(-0.2, 1.2, size=drawn)  # places before the first and behind the last

    def read(u: np.ndarray, first: int, some: np.ndarray) -> np.ndarray:
        return np.interp(u * 20 - 0.5, np.arange(first, first + len(some)), some)

    found = of_records(read_off(ordered(y), ordered(x), lambda u: u * 20 - 0.5, read), drawn)
    assert (found == np.interp(y * 20 - 0.5, np.arange(20), np.sort(x))).all()


@pytest.mark.parametrize("values", [1, 4, 1000])
def test_equal_values_stand_somewhere_in_what_is_theirs(values: int) -> None:
    x = np.random.default_rng(values).integers(0, values, 41).astype(float)
    found = of_records(spread_ranks(ordered(x), Streams(Key.of("ties"))), 41)
    assert (found >= rankdata(x, "min") - 1).all()
    assert (found <= rankdata(x, "max")).all()
    alone = rankdata(x, "min") == rankdata(x, "max")
    assert (found[alone] == rankdata(x)[alone] - 0.5).all()
    assert len(np.unique(found)) == 41
