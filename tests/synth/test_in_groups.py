"""Drawing in groups: what every synthesiser can do, what it says of it, and what IPSO does at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from microveil.claims import CovariancesAmongReplaced, CovariancesKept, MeansKept
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.run.job import Job, Outcome
from microveil.synth import Cart, CholeskySynthesis, Ipso, MultipleImputation, Synthesiser
from microveil.synth.in_groups import InGroups, draw_one_by_one

LABELS = np.arange(60) % 3
MEANS, BOTH = (MeansKept(),), (MeansKept(), CovariancesKept())
AMONG = (MeansKept(), CovariancesAmongReplaced())


def file(kept: int = 1) -> tuple[Table, Job]:
    X = np.random.default_rng(3).normal(size=(60, 2 + kept))
    table = Table.of_matrix(X[:, :2] + LABELS[:, None], ["x", "y"])
    return table, Job(Streams(Key.of(5)), Table.of_matrix(X[:, 2:], [f"s{j}" for j in range(kept)]), table)


def moments(table: Table, columns: dict[str, Values] | Table, given: Table | None = None) -> np.ndarray:
    new = columns if isinstance(columns, Table) else Table(columns, table.rows)
    X = np.hstack([new.matrix(), *([] if given is None else [given.matrix()])])
    return np.array([[*part.mean(axis=0), *np.cov(part.T).ravel()] for part in (X[g::3] for g in range(3))])


@pytest.mark.parametrize("synthesiser", [CholeskySynthesis(), Ipso(), Ipso(rho=0.5)], ids=str)
def test_what_is_exact_in_a_file_is_exact_in_every_group(synthesiser: Synthesiser) -> None:
    table, job = file()
    given = job.given if synthesiser.conditions else None
    before = moments(table, table, given)
    at_once = synthesiser.draw_in_groups(table, job, LABELS)
    plain = Synthesiser.draw_in_groups(synthesiser, table, job, LABELS)
    for found in (at_once, plain):
        np.testing.assert_allclose(moments(table, dict(found.columns), given), before, atol=1e-12)
        assert found.claims == BOTH == synthesiser.exact_in_groups(table.names)
        assert found.origin is None
        assert not np.allclose(found.columns["x"].data, table["x"].data)


def test_groups_are_drawn_apart() -> None:
    table, job = file()
    found = Ipso(variant="B").draw_in_groups(table, job, LABELS)
    moved = replace(table, columns={**table.columns, "x": table["x"].with_data(table["x"].data + (LABELS == 1))})
    again = Ipso(variant="B").draw_in_groups(moved, replace(job, original=moved), LABELS)
    changed = found.columns["y"].data != again.columns["y"].data
    assert not changed[LABELS != 1].any()
    assert (found.columns["x"].data != again.columns["x"].data)[LABELS == 1].all()


def test_kept_columns_are_shown_only_to_groups_that_condition_on_them() -> None:
    table, job = file()
    seen = []

    def spy(part: Table, its: Job) -> Outcome:
        seen.append(its.given.names)
        return Outcome(part.columns, origin=np.full(part.rows, -1))

    found = draw_one_by_one("spy", spy, table, job, LABELS, np.array([False, True, False]))
    assert seen == [("s0",), (), ("s0",)]
    assert found.origin is None
    assert found.columns["x"].data.tolist() == table["x"].data.tolist()


def test_a_group_gets_one_new_record_for_each() -> None:
    table, job = file()
    levels = Values("nominal", np.zeros(20, dtype=np.int64), ("a",))
    for wrong in (
        lambda part: part.only(["x"]).columns,
        lambda part: part.take(np.arange(3)).columns,
        lambda part: {**part.columns, "x": levels},
    ):
        with pytest.raises(BadInput, match="in group 0 of 20 records: spy returned other columns, levels or numbers"):
            draw_one_by_one("spy", lambda part, its, wrong=wrong: Outcome(wrong(part)), table, job, LABELS)


def test_ways_that_a_synthesiser_does_not_know_are_refused() -> None:
    table, job = file()
    with pytest.raises(BadInput, match="small_groups='pooled' is about a regression on the columns kept and cart"):
        Cart().draw_in_groups(table, job, LABELS, InGroups("pooled"))
    with pytest.raises(BadInput, match=r"jitter_moments=0\.2 moves moments that are exact in groups and cholesky"):
        CholeskySynthesis().refuse_in_groups(InGroups(jitter_moments=0.2))
    with pytest.raises(BadInput, match=r"jitter_moments=0\.2 moves .* variant 'C' of ipso; the variant is 'A'"):
        Ipso(variant="A").draw_in_groups(table, job, LABELS, InGroups(jitter_moments=0.2))
    with pytest.raises(BadInput, match="records=5 of cart: a group gets as many records as it has"):
        Cart(records=5).refuse_in_groups()
    with pytest.raises(BadInput, match="use its model, sequential-regression"):
        MultipleImputation().refuse_in_groups()


def test_the_records_that_a_group_needs() -> None:
    table, job = file(3)
    assert Cart().least_group(table, job.given).records == 1
    assert Ipso().least_group(table, job.given) == (6, "1 + 3 for the columns kept + 2 free dimensions")
    assert Ipso(rho=0.5).least_group(table, job.given).records == 8
    letters = Table({"c": Values("nominal", np.arange(60) % 4, tuple("abcd"))}, 60)
    assert Ipso(freedom=5).least_group(table, letters).records == 1 + 3 + 5
    Ipso().refuse_groups_of(5, job.given)
    with pytest.raises(BadInput, match=r"k=4 with 3 kept columns: .* take k >= 6, keep fewer"):
        Ipso().refuse_groups_of(4, job.given)


@pytest.mark.parametrize(
    ("how", "in_groups", "of_file"),
    [
        (InGroups(), BOTH, BOTH),
        (InGroups("raise_k"), BOTH, BOTH),
        (InGroups("drop_kept"), AMONG, AMONG),
        (InGroups("pooled"), MEANS, BOTH),
        (InGroups("pooled", 0.1), (), ()),
        (InGroups(jitter_moments=0.1), (), ()),
    ],
)
def test_what_ipso_keeps_in_groups_and_of_the_file(how: InGroups, in_groups: tuple, of_file: tuple) -> None:
    assert Ipso().exact_in_groups(("x", "y"), how) == in_groups
    assert Ipso().claims_in_groups(("x", "y"), how) == of_file
    assert Ipso(variant="A").claims_in_groups(("x", "y"), InGroups(how.small_groups)) == ()


@pytest.mark.parametrize(("kept", "claims"), [(1, BOTH), (18, AMONG)])
def test_nothing_is_given_up_that_need_not_be(kept: int, claims: tuple) -> None:
    # groups of 20 records: 18 kept columns leave one free dimension
    table, job = file(kept)
    found = Ipso().draw_in_groups(table, job, LABELS, InGroups("drop_kept"))
    assert found.claims == claims
    assert any("the kept columns were left out" in note for note in found.notes) == (claims == AMONG)
    pooled = Ipso().draw_in_groups(table, job, LABELS, InGroups("pooled"))
    assert any("one regression for all 3 groups" in note for note in pooled.notes) == (claims == AMONG)
    assert pooled.claims == BOTH
