"""Indicators with intervals: the figure itself, the known width of a mean's interval, weights, and what is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import MicroveilError
from microveil.core.streams import Key, Streams
from microveil.measure import Pair
from microveil.plan.indicator_estimates import estimate_indicators

X = np.random.default_rng(3).normal(50.0, 10.0, 400)
STREAMS = Streams(Key.of(1))


def pairs_of(before: pd.DataFrame, **after: pd.DataFrame) -> dict[str, Pair]:
    return {name: Pair.of(before, frame) for name, frame in after.items()}


def test_the_interval_of_a_mean_is_that_of_the_central_limit_theorem():
    frame = pd.DataFrame({"x": X})
    (found,) = estimate_indicators(["mean(x)"], pairs_of(frame, moved=frame + 5), STREAMS)
    error = X.std() / np.sqrt(len(X))
    assert found.original.value == pytest.approx(X.mean())
    # four hundred draws leave some room at either end
    assert (found.original.low, found.original.high) == pytest.approx(
        (X.mean() - 1.96 * error, X.mean() + 1.96 * error), abs=0.35 * error
    )
    assert found.releases["moved"].value == pytest.approx(X.mean() + 5)
    assert not found.original.holds(found.releases["moved"].value)
    assert found.original.holds(found.original.value)


def test_the_same_streams_give_the_same_interval_and_others_another():
    frame = pd.DataFrame({"x": X})
    one, again, other = (
        estimate_indicators(["median(x)"], pairs_of(frame, a=frame), streams)[0].original
        for streams in (STREAMS, STREAMS, Streams(Key.of(2)))
    )
    assert one == again
    assert one.value == other.value
    assert one != other


def test_weights_go_along_with_their_records():
    frame = pd.DataFrame({"x": [1.0, 3.0], "w": [3.0, 1.0]})
    data = mv.Microdata(frame, roles={"w": "weight"}, kinds={"x": "continuous"})
    (found,) = estimate_indicators(["mean(x)"], {"a": Pair.of(data, data)}, STREAMS)
    assert found.original.value == 1.5
    assert (found.original.low, found.original.high) == (1.0, 3.0)


def test_an_indicator_without_a_value_has_no_interval():
    frame = pd.DataFrame({"x": X})
    (found,) = estimate_indicators(["mean(x, x > 1000)"], pairs_of(frame, a=frame), STREAMS)
    assert np.isnan([found.original.value, found.original.low, found.original.high]).all()


def test_an_unknown_column_is_told():
    frame = pd.DataFrame({"income": X})
    with pytest.raises(MicroveilError, match="incomes"):
        estimate_indicators(["mean(incomes)"], pairs_of(frame, a=frame), STREAMS)
