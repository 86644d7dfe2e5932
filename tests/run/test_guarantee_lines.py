"""The bound of each line of a guarantee, from the sizes of classes."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil.claims import EqualRowsAtLeast
from microveil.claims.guarantee import GroupAnonymity, Guarantee
from microveil.data.table import Values
from microveil.run.groups import classes_of, differs_in_groups, people_in, split
from microveil.run.promises import Promise
from microveil.run.proving import _differencing, _Found, _made_untied, _only_processes, guarantee_of
from microveil.run.state import State


def sizes(*of_classes: int) -> np.ndarray:
    return np.array(of_classes)


def found(records: int = 12, steps: tuple[Any, ...] = (), groupings: dict[int, Any] | None = None) -> _Found:
    state = SimpleNamespace(origin=np.arange(records), steps=steps, groupings=groupings or {})
    return _Found(state, SimpleNamespace())  # type: ignore[arg-type]


def line(k: int, own: Any, others: Any, outside: tuple[str, ...] = ()) -> tuple[int | None, list[tuple[bool, str]]]:
    bound, said = found(steps=(SimpleNamespace(columns=("a",)),))._line(
        ("a",), k, "equal records", own, others, outside
    )
    return bound, [(one.protects, one.text) for one in said]


HOLDS = "links a record to its original with probability 1/3 at most (equal records)"


def test_large_classes_bound_everyone() -> None:
    assert line(3, sizes(3, 9), sizes(3, 9)) == (3, [(True, HOLDS)])
    assert line(2, sizes(2), sizes(2))[0] == 2


def test_groups_of_one_prove_nothing() -> None:
    single = (None, [(False, "no bound is proven: a group or class holds a single person")])
    assert line(1, sizes(1), sizes(1)) == single


def test_other_columns_leave_smaller_classes() -> None:
    bound, said = line(3, sizes(3, 9), sizes(2, 2, 3, 5), ("b", "c"))
    assert bound == 2
    text = "4 of 12 records are told apart from the others of their group by b, c, down to 2 records that look alike"
    assert said == [(True, HOLDS), (False, f"{text}; replace or coarsen these columns too")]
    bound, said = line(3, sizes(3, 9), sizes(1, 3, 8), ("b",))
    assert bound is None
    assert said[1][1].startswith("1 of 12 records are told apart from the others of their group by b, down to a single")


def test_gaps_tell_members_apart() -> None:
    bound, said = line(3, sizes(2, 10), sizes(2, 10))
    text = "2 of 12 records are told apart from the others of their group by the places of missing values, down to"
    assert bound == 2
    assert [protects for protects, _ in said] == [False, False]
    assert all(words.startswith(text) for _, words in said)
    assert line(3, sizes(2, 10), sizes(1, 11), ("b",))[1][1][1].startswith("1 of 12 records are told apart")


def test_classes_that_are_not_known_prove_nothing() -> None:
    both = "no bound is proven: b, the places of missing values may tell the members of a group apart"
    assert line(3, None, None, ("b",)) == (None, [(False, both)])
    other = "no bound is proven: b may tell the members of a group apart"
    assert line(3, sizes(3), None, ("b",)) == (None, [(True, HOLDS), (False, other)])


def test_several_groupings_can_be_intersected() -> None:
    bound, said = line(3, sizes(3, 9), sizes(2, 10), ("a",))
    assert bound is None
    assert said[1][0] is False
    assert said[1][1].startswith("no bound is proven: columns were protected in several groupings")


def step(columns: tuple[str, ...], anonymity: GroupAnonymity | None = None, **told: Any) -> Any:
    method = SimpleNamespace(passes=told.pop("passes", "file"), restores=told.pop("restores", False))
    method.anonymity = lambda kinds, telling: anonymity
    method.ties_record = told.pop("ties_record", "record")
    method.columns_apart = told.pop("columns_apart", False)
    facts = {"given": (), "telling": (), "kinds": ("continuous",) * len(columns), **told}
    return SimpleNamespace(columns=columns, method=method, step=SimpleNamespace(by=told.pop("by", ())), **facts)


FIVE = GroupAnonymity(5, "exchangeable records")


def of_frame(after: dict[str, list[float]], before: dict[str, list[float]] | None = None) -> _Found:
    """A run on amounts whose records are told apart by nothing else."""
    state = State.begin(mv.Microdata(pd.DataFrame(before or after)))
    return _Found(state, mv.Microdata(pd.DataFrame(after)))


GAP = float("nan")


@pytest.mark.parametrize(
    ("after", "before", "stay"),
    [
        ({"a": [1.5, GAP], "b": [2.5, 3.5]}, None, True),
        ({"a": [1.5, 4.5], "b": [2.5, 3.5]}, None, False),
        ({"a": [1.5, GAP], "b": [2.5, 3.5]}, {"a": [GAP, 1.5], "b": [2.5, 3.5]}, False),
        ({"a": [1.5, GAP], "b": [2.5, GAP]}, {"a": [1.5, GAP], "b": [2.5, 3.5]}, False),
    ],
)
def test_gaps_stand_where_they_stood(after: dict[str, Any], before: dict[str, Any] | None, stay: bool) -> None:
    gaps = of_frame(after, before)._gaps_in_place(step(("a", "b")))
    assert [column.tolist() for column in gaps] == ([[False, True], [False, False]] if stay else [])


@pytest.mark.parametrize(
    ("columns", "gap", "bound", "protects"),
    [
        (("a", "b"), 3.5, 5, [True]),
        (("a",), 3.5, None, [True, False]),  # the other column may tell members apart
        (("a", "b"), GAP, None, [False]),  # the gaps may
    ],
)
def test_groups_that_are_not_known_record_by_record(
    columns: tuple[str, ...], gap: float, bound: int | None, protects: list[bool]
) -> None:
    run = of_frame({"a": [1.5, gap], "b": [2.5, 3.5]})
    found, said = run.exchangeable(0, step(columns, FIVE), FIVE)
    assert (found, [one.protects for one in said]) == (bound, protects)


def guaranteed(*steps: Any, claims: tuple[Any, ...] = ()) -> Guarantee:
    data = mv.Microdata(pd.DataFrame({"a": [1.5] * 6}))
    promises = tuple(Promise(claim.on(("a",))) for claim in claims)
    return guarantee_of(replace(State.begin(data), steps=steps, promises=promises), data, None)


@pytest.mark.parametrize(
    ("way", "telling", "text"),
    [
        (None, ("b", "c"), "no bound is proven: new values follow b, c, which differ inside groups"),
        (None, (), "no bound on the probability of a correct link is proven"),
        ("equal records", ("b",), "no bound on the probability of a correct link is proven"),
    ],
)
def test_members_of_a_group_that_can_be_told_apart(way: Any, telling: tuple[str, ...], text: str) -> None:
    (statement,) = guaranteed(step(("a",), GroupAnonymity(3, way), telling=telling)).statements
    assert not statement.protects
    assert statement.text.startswith(text)


def test_the_best_of_several_bounds_is_the_guarantee() -> None:
    found = guaranteed(claims=(EqualRowsAtLeast(k=2), EqualRowsAtLeast(k=3)))
    assert found.k == 3
    assert [one.protects for one in found.statements] == [True, True]


@pytest.mark.parametrize(
    ("later", "left"),
    [
        ((), True),
        ((step(("b",)),), True),
        ((step(("a",), columns_apart=True),), True),
        ((step(("a",), passes="row"),), True),
        ((step(("a",)),), False),
        ((step(("a",), columns_apart=True, restores=True),), False),
        ((step(("b",)), step(("b", "a"))), False),
    ],
)
def test_a_later_step_ends_a_bound_unless_it_only_processes(later: tuple[Any, ...], left: bool) -> None:
    first = step(("a",), FIVE)
    assert found(steps=(first, *later)).anonymity(0, first) == (FIVE if left else None)


def test_a_step_does_not_end_its_own_bound() -> None:
    steps = (step(("a",), columns_apart=True), step(("a",), FIVE))
    assert found(steps=steps).anonymity(1, steps[1]) == FIVE


@pytest.mark.parametrize(("labels", "k"), [([0] * 7, 5), ([0] * 3 + [1] * 9, 3), ([0, 0, -1, 0, 0, 0], 5)])
def test_groups_may_have_become_smaller(labels: list[int], k: int) -> None:
    first = step(("a",), FIVE)
    one = found(len(labels), (first,), {0: np.array(labels)}).anonymity(0, first)
    assert one is not None
    assert one.k == k


def test_steps_that_only_process() -> None:
    grouped = step(("a", "b"))
    assert _only_processes(step(("a",), columns_apart=True), grouped)
    for told in ({"columns_apart": False}, {"given": ("b",)}, {"by": ("g",)}, {"restores": True}):
        assert not _only_processes(step(("a",), **{"columns_apart": True, **told}), grouped)
    # values that follow from several columns of a row say nothing new only if all of these are new
    assert _only_processes(step(("a", "b"), passes="row"), grouped)
    assert not _only_processes(step(("a", "c"), passes="row"), grouped)
    assert _only_processes(step(("a", "c"), columns_apart=True), grouped)


@pytest.mark.parametrize(
    ("ties", "given", "untied"),
    [("none", ("b",), True), ("kept", ("b",), False), ("kept", (), True), ("record", (), False)],
)
def test_records_that_depend_on_nobody(ties: str, given: tuple[str, ...], untied: bool) -> None:
    assert _made_untied(step(("a",), ties_record=ties, given=given)) is untied


@pytest.mark.parametrize(
    ("ties", "text"),
    [
        ("none", "no released record stems from one person, but none is proven to resemble nobody"),
        ("record", "the method does not declare that its records depend on no single original"),
    ],
)
def test_synthetic_records_are_called_what_is_declared_of_them(ties: str, text: str) -> None:
    data = mv.Microdata(pd.DataFrame({"a": [1.5, 2.5]}))
    steps = (step(("a",), ties_record=ties, synthetic=True), step(("a",), synthetic=False))
    found = guarantee_of(replace(State.begin(data), origin=np.array([-1, -1]), steps=steps), data, None)
    assert (found.k, found.synthetic) == (None, ties == "none")
    (statement,) = found.statements
    assert not statement.protects
    assert statement.text.startswith(text)


def test_what_exact_statistics_of_groups_tell() -> None:
    assert _differencing(FIVE, []) == []
    told = GroupAnonymity(5, None, exact=("means", "covariances"), remedy="jitter them")
    (exact,) = _differencing(told, [])
    assert not exact.protects
    assert exact.text.startswith("means and covariances of every group are exact: the values of the last record follow")
    assert exact.text.endswith("up to rounding; jitter them")
    (spared,) = _differencing(told, ["repair", "round", "repair"])
    assert "of every group in which repair and round moved nothing are exact" in spared.text
    mixed = GroupAnonymity(5, None, exact=("means",), jittered=("covariances",), jitter=0.25, remedy="jitter")
    both = _differencing(mixed, [])
    assert [one.protects for one in both] == [False, True]
    assert both[0].text.endswith("up to rounding")
    assert both[1].text.endswith("off by about 0.25 standard deviations of the group")


# -- groups ----------------------------------------------------------------------------------------


def test_classes_and_the_people_in_them() -> None:
    labels = np.array([0, 0, 1, 1, 1])
    assert split(labels, np.array([5.0, 7.0, 5.0, 5.0, 7.0])).tolist() == [0, 1, 2, 2, 3]
    assert classes_of(labels, [np.array([1, 1, 2, 2, 2]), np.array([0, 1, 0, 0, 1])]).tolist() == [0, 1, 2, 2, 3]
    assert people_in(labels, np.arange(5)).tolist() == [2, 3]
    assert people_in(labels, np.array([9, 9, 3, 4, 3])).tolist() == [1, 2]
    assert people_in(labels, np.array([9, 3, 9, 4, 5])).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("data", "differs"),
    [([1, 1, 2, 2], False), ([1, 2, 2, 2], True), ([1, 1, np.nan, np.nan], False), ([1, 1, np.nan, 2], True)],
)
def test_columns_that_differ_inside_groups(data: list[float], differs: bool) -> None:
    assert differs_in_groups(Values("continuous", np.array(data)), np.array([0, 0, 1, 1])) is differs
