"""Promises inside subdomains: which rows each is checked on, and what is told of several verdicts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.core.claims import MeansKept
from microveil.data.table import Values
from microveil.run.checking import Checker, _amounts_as_codes
from microveil.run.promises import Promise
from microveil.run.restoring import restore
from microveil.run.state import State


class Noting:
    """Evidence that says which rows it was asked for."""

    def rows(self, original: Any, released: Any) -> tuple[list[int], list[int]]:
        return np.flatnonzero(original).tolist(), np.flatnonzero(released).tolist()


def checked(
    labels: list[int], released: list[int], reference: list[int] | None = None, verdicts: dict[Any, Any] | None = None
) -> tuple[list[Any], list[Any]]:
    """What was looked at, and the verdicts that came back."""
    seen: list[Any] = []

    def check(evidence: Any) -> Any:
        seen.append("all" if isinstance(evidence, Noting) else evidence)
        told = (verdicts or {}).get(len(seen) - 1, (True, True, 0.0))
        return SimpleNamespace(holds=told[0], exactly=told[1], largest=told[2], number=len(seen) - 1)

    state = SimpleNamespace(
        source=SimpleNamespace(domains=lambda by: (np.array(labels),)), domain_of_rows=lambda by: np.array(released)
    )
    promise = SimpleNamespace(
        by=("g",),
        claim=SimpleNamespace(check=check),
        reference=None if reference is None else np.array(reference),
    )
    found = Checker(state, None, {})._check(promise, Noting())  # type: ignore[arg-type]
    return seen, [verdict.number for verdict in found]


def test_rows_are_compared_inside_their_subdomain() -> None:
    assert checked([0, 0, 1], [0, 1, 0, 1])[0] == [([0, 1], [0, 2]), ([2], [1, 3])]


def test_rows_of_no_subdomain_are_in_none() -> None:
    assert checked([0, 0, 1], [-1, 1, 0])[0] == [([0, 1], [2]), ([2], [1])]
    assert checked([0, 0, 1], [1, 0], reference=[2, -1, 0])[0] == [([2], [1]), ([0], [0])]


def test_without_any_row_in_a_subdomain_all_are_looked_at() -> None:
    assert checked([0, 1], [-1, -1]) == (["all"], [0])


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ({0: (True, True, 0.3), 1: (True, True, 0.1), 2: (True, True, 0.2)}, [0]),  # the one that is off most
        ({0: (True, True, 0.3), 1: (True, False, 0.1), 2: (True, False, 0.2)}, [2]),  # exact ones are the best
        ({0: (True, True, 0.9), 1: (False, False, 0.1), 2: (False, True, 0.0)}, [1, 2]),  # broken ones, each
    ],
)
def test_what_is_told_of_several_subdomains(verdicts: dict[int, Any], told: list[int]) -> None:
    assert checked([0, 1, 2], [0, 1, 2], verdicts=verdicts)[1] == told


def test_amounts_are_numbered_and_gaps_stay_gaps() -> None:
    found = _amounts_as_codes(np.array([5.0, np.nan, 2.0, 5.0]))
    assert found[[0, 2, 3]].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(found[1])


def test_the_original_of_a_row_is_looked_up_among_those_the_step_saw() -> None:
    state = SimpleNamespace(origin=np.array([3, -1, 0, 2]), source=SimpleNamespace(n=4))
    checker = Checker(state, None, {})  # type: ignore[arg-type]
    assert checker._origin(None) is state.origin
    assert checker._origin(np.array([2, 3, -1, 3])).tolist() == [1, -1, -1, 0]


FRAME = pd.DataFrame({"x": [1, 2, 3], "y": [0.5, 1.5, 2.5], "z": [7.25, 8.25, 9.25], "t": list("aba")})


def with_x(*cells: float) -> State:
    data = mv.Microdata(FRAME, kinds={"x": "continuous"})
    return replace(State.begin(data), changed={"x": Values("continuous", np.array(cells, dtype=np.float64))})


def test_evidence_holds_what_was_rounded_and_the_amounts_kept_beside() -> None:
    promise = Promise(MeansKept(("x", "y")), given=("z", "t"))
    found = Checker(with_x(1.4, 1.4, 3.0), None, {"x": 0.5})._evidence(promise)
    assert found.half_unit.tolist() == [0.5, 0.0]
    assert found.given is not None
    assert found.given.tolist() == [[7.25], [8.25], [9.25]]
    assert found.repeats is not None
    assert found.repeats.tolist() == pytest.approx([4 / 9, 0.0])  # 3 is a whole unit already
    assert Checker(with_x(1.4, 1.4, 3.0), None, {})._evidence(promise).repeats is None


def test_what_is_checked_is_the_frame_that_was_given() -> None:
    state = with_x(1, 2, 3)
    other = nw.from_native(FRAME.assign(x=[9, 8, 7], t=list("bbb")), eager_only=True)
    for frame, x, t in ((None, [1, 2, 3], [0, 1, 0]), (other, [9, 8, 7], [1, 1, 1])):
        checker = Checker(state, frame, {})
        assert [cells.tolist() for cells in checker._common("x")] == [[1, 2, 3], x]
        assert [cells.tolist() for cells in checker._common("t")] == [[0, 1, 0], t]
    assert Checker(state, restore(state).frame, {})._common("y")[1].tolist() == [0.5, 1.5, 2.5]


def test_an_amount_that_was_recoded_has_no_level_in_common() -> None:
    classes = Values("nominal", np.array([0, 1, -1]), ("0.5", "more"))
    before, after = Checker(replace(with_x(1, 2, 3), changed={"y": classes}), None, {})._common("y")
    assert before.tolist() == [0, 1, 2]
    assert after.tolist()[:2] == [3, 4]
    assert np.isnan(after[2])
