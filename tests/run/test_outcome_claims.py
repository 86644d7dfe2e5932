"""What a run promises may depend on the data; what it reads beside its columns it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from microveil.claims import Claim, MeansKept, RangeKept, ValuesKept
from microveil.core import UnknownName
from microveil.data import Microdata, Table
from microveil.data.schema import check_names
from microveil.run import Job, Method, Outcome


@dataclass(frozen=True, kw_only=True)
class Reverse(Method):
    """Reverses a column, and promises its range only where it begins with a positive value; looks at another one."""

    other: str = "y"
    kinds: ClassVar[tuple[str, ...]] = ("continuous",)

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        return (MeansKept(),)

    def looks_at(self, data: Microdata) -> tuple[str, ...]:
        check_names((self.other,), list(data.columns), "other")
        return (self.other,)

    def run(self, table: Table, job: Job) -> Outcome:
        x = table["x"].data
        claims = (ValuesKept(), RangeKept()) if x[0] > 0 else (ValuesKept(),)
        seen = f"{job.around.names} {job.around[self.other].data.tolist()}"
        return Outcome({"x": table["x"].with_data(x[::-1])}, notes=(seen,), claims=claims if x[0] != 0 else None)


FRAME = pd.DataFrame({"x": [1.0, 2.0, -3.0, 4.0], "y": list("abab"), "part": [0, 0, 1, 1]})


def test_a_run_promises_what_its_data_allow():
    assert Reverse().apply(FRAME, columns="x").claims == (ValuesKept(("x",)), RangeKept(("x",)))
    assert Reverse().apply(-FRAME.assign(y=1.0), columns="x").claims == (ValuesKept(("x",)),)
    same = Reverse().apply(FRAME.assign(x=[0.0, 1, 2, 3]), columns="x")
    assert same.claims == (MeansKept(("x",)),)


def test_only_what_every_subdomain_promises_is_promised():
    release = Reverse().apply(FRAME, columns="x", by="part")
    assert release.claims == (ValuesKept(("x",)),)
    assert release.notes[:2] == ("part=0: ('y',) [0, 1]", "part=1: ('y',) [0, 1]")


def test_columns_around_are_read_in_the_rows_that_are_used():
    release = Reverse().apply(FRAME.assign(x=[1.0, np.nan, 2.0, 3.0]), columns="x", missing="drop")
    assert "('y',) [0, 0, 1]" in release.notes
    with pytest.raises(UnknownName, match="other: there is no column 'z'"):
        Reverse(other="z").apply(FRAME, columns="x")
