"""A column without any value: every method that acts around gaps releases it as it is, or says what it lacks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.errors import BadInput
from microveil.core.registry import registered
from microveil.testing import grid_points
from tests.marks import ANY_FILE

MEMBERS = [
    member
    for cls in registered(mv.data.Method)
    for member in grid_points(cls)
    if member.skips_missing and "continuous" in member.kinds
]


@ANY_FILE
@pytest.mark.parametrize("method", MEMBERS, ids=str)
def test_an_empty_column_breaks_no_promise(method: mv.data.Method) -> None:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"a": np.full(80, np.nan), "b": draw.normal(size=80), "c": draw.lognormal(size=80)})
    data = mv.Microdata(frame.assign(w=1.5), kinds={"a": "continuous"}, roles={"w": "weight"})
    try:
        release = method.apply(data, columns=["a", "b", "c"], missing="mask", seed=1)
    except BadInput as problem:
        assert "'a'" in str(problem) or "complete records" in str(problem)  # noqa: PT017 - a clear refusal is as good
    else:
        assert release.frame["a"].isna().all()
        assert all(verdict.holds for verdict in release.check())
