"""Running in parts and joining: rows in their places, groups numbered through, claims that all parts make."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from microveil.claims import Claim, CovariancesKept, GroupsAtLeast, MeansKept
from microveil.core.errors import NotEnoughRecords
from microveil.core.progress import listening
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.run.engine import LocalEngine
from microveil.run.job import Job, Outcome
from microveil.run.parts import (
    Ran,
    count_notes,
    find_common_claims,
    group_parts,
    join_columns,
    join_rows,
    order_rows,
    part_of,
)

TABLE = Table.of_matrix(np.arange(10.0).reshape(5, 2), ["a", "b"])
LABELS = np.array([1, 0, 1, 0, 1])


def job(table: Table = TABLE) -> Job:
    given = Table.of_matrix(10.0 * np.arange(table.rows)[:, None], ["g"])
    return Job(Streams(Key.of(1)), given, table, weights=np.arange(float(table.rows)), around=given)


def ran(
    rows: Sequence[int],
    columns: dict[str, Sequence[float]],
    *,
    names: tuple[str, ...] = ("a", "b"),
    label: str = "",
    groups: Sequence[int] | None = None,
    origin: Sequence[int] | None = None,
    notes: tuple[str, ...] = (),
    claims: tuple[Claim, ...] | None = None,
) -> Ran:
    values = {name: Values("continuous", np.array(data)) for name, data in columns.items()}
    found = Outcome(
        values,
        None if groups is None else np.array(groups),
        None if origin is None else np.array(origin),
        notes,
        claims,
    )
    return Ran(np.array(rows), names, found, label)


# -- splitting -----------------------------------------------------------------------------------


def test_a_part_has_its_rows_and_columns_of_everything() -> None:
    part = part_of(TABLE, job(), ("x", 1), np.array([3, 1]), names=["b"])
    assert part.table.names == part.job.original.names == ("b",)
    assert part.table["b"].data.tolist() == part.job.original["b"].data.tolist() == [7.0, 3.0]
    assert part.job.given["g"].data.tolist() == part.job.around["g"].data.tolist() == [30.0, 10.0]
    assert part.job.weights is not None
    assert part.job.weights.tolist() == [3.0, 1.0]
    assert part.job.streams == job().streams.at("x", 1)
    bare = part_of(TABLE, job(), (), given=())
    assert bare.job.given.names == ()
    assert bare.rows.tolist() == [0, 1, 2, 3, 4]


def test_a_part_looks_back_at_another_original_where_there_is_one() -> None:
    before = Table.of_matrix(-np.arange(10.0).reshape(5, 2), ["a", "b"])
    part = part_of(TABLE, job(before), (), np.array([2]), names=["a"])
    assert part.table["a"].data.tolist() == [4.0]
    assert part.job.original["a"].data.tolist() == [-4.0]


def test_groups_are_parts_with_streams_of_their_own() -> None:
    first, second = group_parts(TABLE, job(), LABELS, bare=np.array([True, False]))
    assert first.rows.tolist() == [1, 3]
    assert second.rows.tolist() == [0, 2, 4]
    assert first.job.streams != second.job.streams
    assert first.job.given.names == ()
    assert second.job.given.names == ("g",)


# -- running -------------------------------------------------------------------------------------


def test_an_error_says_in_which_part_it_was() -> None:
    def refuse(part: Table, its: Job) -> Outcome:
        raise NotEnoughRecords("too few")

    with pytest.raises(NotEnoughRecords, match=r"^in cluster 0 of 2 records: too few$"):
        LocalEngine().map(group_parts(TABLE, job(), LABELS, word="cluster"), refuse, 5)
    with pytest.raises(NotEnoughRecords, match=r"^in group 0 of 1 record: too few$"):
        LocalEngine().map(group_parts(TABLE, job(), np.array([0, 1, 1, 1, 1])), refuse, 5)
    with pytest.raises(NotEnoughRecords, match=r"^too few$"):
        LocalEngine().map([part_of(TABLE, job(), ())], refuse, 5)


def test_parts_that_run_say_how_far_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("microveil.core.progress._APART", -1.0)
    heard: list[float] = []
    with listening(heard.append):
        LocalEngine().map(group_parts(TABLE, job(), LABELS), lambda part, its: Outcome(part.columns), 5)
    assert heard == [2 / 5, 1.0]


# -- joining -------------------------------------------------------------------------------------


def test_rows_come_back_in_their_places_and_synthetic_ones_follow() -> None:
    found = join_rows(TABLE, [ran([1, 3], {"a": [11, 13]}), ran([0, 2, 4], {"a": [10, 12, 14]})])
    assert found.columns["a"].data.tolist() == [10, 11, 12, 13, 14]
    assert found.origin is None
    parts = [ran([1, 3], {"a": [13, 99]}, origin=[1, -1]), ran([0, 2], {"a": [10, 12]})]
    left = join_rows(TABLE, parts)
    assert left.columns["a"].data.tolist() == [10, 12, 13, 99]
    assert left.origin is not None
    assert left.origin.tolist() == [0, 2, 3, -1]
    assert order_rows(parts)[1].tolist() == [2, 3, 0, 1]


def test_what_a_part_did_not_change_is_as_it_was() -> None:
    found = join_rows(TABLE, [ran([4, 0], {"a": [-4, 0]}), ran([1, 2, 3], {"b": [-1, -2, -3]})])
    assert found.columns["a"].data.tolist() == [0, 2, 4, 6, -4]
    assert found.columns["b"].data.tolist() == [1, -1, -2, -3, 9]


def test_categories_that_were_coded_apart_have_one_coding() -> None:
    def coded(rows: list[int], levels: tuple[str, ...]) -> Ran:
        return Ran(np.array(rows), ("c",), Outcome({"c": Values("nominal", np.array([0, -1]), levels)}))

    found = join_rows(Table({}, 4), [coded([2, 3], ("x",)), coded([0, 1], ("y",))]).columns["c"]
    assert found.levels == ("x", "y")
    assert found.data.tolist() == [1, -1, 0, -1]


def test_groups_of_several_parts_have_numbers_of_their_own() -> None:
    parts = [ran([0, 1, 4], {}, groups=[0, 1, -1]), ran([2, 3], {}, groups=[0, 0])]
    groups = join_rows(TABLE, parts).groups
    assert groups is not None
    assert groups.tolist() == [0, 1, 2, 2, -1]
    assert join_rows(TABLE, [parts[0], ran([2, 3], {})]).groups is None


def test_notes_have_the_label_of_their_part_or_are_counted() -> None:
    parts = [ran([0], {}, label="x=1", notes=("odd",)), ran([1], {}, notes=("odd", "even"))]
    assert join_rows(TABLE, parts).notes == ("x=1: odd", "odd", "even")
    assert join_rows(TABLE, parts, ["said"]).notes == ("said",)
    assert count_notes(parts) == ("in 2 clusters: odd", "in 1 cluster: even")
    many = [ran([0], {}, notes=tuple("abcde"))]
    assert count_notes(many)[3:] == ("2 other notes on clusters are not shown",)


def test_columns_are_joined_with_claims_on_their_own_columns() -> None:
    left = ran([0, 1, 2, 3, 4], {"b": [0] * 5}, names=("b",), label="B", notes=("n",), claims=(MeansKept(),))
    right = ran([0, 1, 2, 3, 4], {"a": [1] * 5, "c": [2] * 5}, names=("a",), claims=(GroupsAtLeast(k=3),))
    found = join_columns(TABLE, [left, right])
    assert list(found.columns) == ["a", "b", "c"]
    assert found.claims == (MeansKept(("b",)),)
    assert found.notes == ("B: n",)
    assert join_columns(TABLE, [ran([0], {"a": [1]})]).claims is None


@pytest.mark.parametrize(
    ("said", "common"),
    [
        # the same everywhere, whether columns are named or not
        ([(MeansKept(), CovariancesKept()), (MeansKept(),)], (MeansKept(),)),
        ([(MeansKept(("a", "b")),), (MeansKept(),)], (MeansKept(("a", "b")),)),
        # of other columns in one part than in another
        ([(MeansKept(("a",)),), (MeansKept(("b",)),)], ()),
        ([(GroupsAtLeast(k=3),), (GroupsAtLeast(k=4),)], ()),
        # columns beside those to protect are looked at too
        ([(MeansKept(("w",)),), ()], ()),
        ([(MeansKept(),), None], ()),
        ([None, None], None),
    ],
)
def test_claims_of_parts_with_the_same_columns(
    said: list[tuple[Claim, ...] | None], common: tuple[Claim, ...] | None
) -> None:
    assert find_common_claims([ran([0], {}, claims=claims) for claims in said]) == common


def test_a_part_is_not_asked_about_columns_it_was_not_given() -> None:
    wide = ran([0], {}, claims=(MeansKept(("a", "b")), CovariancesKept(("a",))))
    narrow = ran([1], {}, names=("b",), claims=(MeansKept(),))
    empty = ran([2], {}, names=(), claims=())
    # covariances of `a` alone are none of the second part's business
    assert find_common_claims([narrow, empty, wide]) == (MeansKept(("a", "b")), CovariancesKept(("a",)))
    assert find_common_claims([wide, ran([1], {}, names=("b",), claims=())]) == (CovariancesKept(("a",)),)


def test_a_method_that_is_given_no_columns_has_its_say() -> None:
    said = (MeansKept(("w",)),)
    assert find_common_claims([ran([0], {}, names=(), claims=said), ran([1], {}, names=(), claims=said)]) == said
    assert find_common_claims([ran([0], {}, names=(), claims=said), ran([1], {}, names=(), claims=())]) == ()
