"""What becomes of promises in later steps, rule by rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import microveil as mv
from microveil import claims
from microveil.claims.claim import BLANK
from microveil.run.contract import Step, StepRecord
from microveil.run.promises import Later, Promise, _each_once, after_step, make_promises

NOISE = mv.mask.UncorrelatedNoise()
MEANS, RANGE = claims.MeansKept(columns=("x",)), claims.RangeKept(columns=("x",))
WITHIN = claims.ChangeWithin(columns=("x",))


def record(columns: tuple[str, ...] = ("x",), given: tuple[str, ...] = (), by: tuple[str, ...] = ()) -> StepRecord:
    return StepRecord(Step(NOISE, columns, by=by), columns, given)


def later(touched: str = "", recoded: str = "", **facts: Any) -> Later:
    by = facts.pop("by", ())
    changed = facts.pop("change", "")
    told = {"same_rows": True, "new_rows": False, **facts}
    step = record(tuple(touched) or ("z",), by=by)
    if changed:
        changing = type("Changing", (type(NOISE),), {"change": changed})
        changing.name = NOISE.name
        step = StepRecord(Step(changing(), tuple(touched), by=by), tuple(touched))
    return Later(step, frozenset(touched), frozenset(recoded), **told)


def ended(promise: Promise, step: Later) -> list[str]:
    return [lost.reason for lost in after_step([promise], [], step, ["first"])[1]]


def kept(promise: Promise, step: Later) -> tuple[Promise, ...]:
    return after_step([promise], [], step, ["first"])[0]


@pytest.mark.parametrize(
    ("claim", "step", "reasons"),
    [
        (MEANS, later(), []),
        (MEANS, later("y"), []),
        (MEANS, later("x"), ["uncorrelated-noise changed x"]),
        (MEANS, later("x", said=frozenset({Promise(MEANS)})), []),
        (MEANS, later("x", said=frozenset({Promise(RANGE)})), ["uncorrelated-noise changed x"]),
        (MEANS, later(same_rows=False), ["uncorrelated-noise left records out"]),
        (RANGE, later(same_rows=False), []),
        (RANGE, later(new_rows=True), ["uncorrelated-noise made new records in place of those it was about"]),
        (WITHIN, later("x", said=frozenset({Promise(WITHIN)})), ["uncorrelated-noise changed x"]),
        (RANGE, later("x", change=BLANK), []),
        (RANGE, later("x", change=BLANK, by=("g",)), []),
        (RANGE, later("x", change="affine"), ["uncorrelated-noise changed x"]),
        (claims.OrderKept(columns=("x",)), later("x", change="affine"), []),
        (claims.OrderKept(columns=("x",)), later("x", change="affine", by=("g",)), ["uncorrelated-noise changed x"]),
        (claims.MultiplesOf(columns=("x",)), later("x", "x"), ["uncorrelated-noise made classes of x"]),
        (claims.MultiplesOf(columns=("x",)), later("y", "y"), []),
        (claims.ValuesAtLeast(columns=("x",)), later("x", "x", new_rows=True), []),
        (claims.GroupsAtLeast(columns=("x",)), later("x"), []),
        (claims.GroupsAtLeast(columns=("x",)), later("x", new_rows=True),
         ["uncorrelated-noise made new records, which are in no group of that step"]),
    ],
)  # fmt: skip
def test_reasons_to_end(claim: claims.Claim, step: Later, reasons: list[str]) -> None:
    promise = Promise(claim)
    assert ended(promise, step) == reasons
    assert kept(promise, step) == (() if reasons else (promise,))


def test_subdomains_that_change_leave_what_holds_for_their_union() -> None:
    step = later("g")
    assert kept(Promise(MEANS, by=("g",)), step) == (Promise(MEANS),)
    assert kept(Promise(claims.VariancesKept(columns=("x",)), by=("g",)), step) == ()
    assert ended(Promise(MEANS, by=("g",)), step) == ["uncorrelated-noise changed g"]
    assert ended(Promise(MEANS, by=("h", "g")), later("hg")) == ["uncorrelated-noise changed g, h"]
    assert kept(Promise(MEANS, by=("h",)), step) == (Promise(MEANS, by=("h",)),)


def test_kept_columns_that_change_are_told_where_they_matter() -> None:
    step, covariances = later("a"), claims.CovariancesKept(columns=("x",))
    assert kept(Promise(covariances, given=("a", "b")), step) == (Promise(covariances),)
    (lost,) = after_step([Promise(covariances, given=("a", "b"))], [], step, ["first"])[1]
    assert str(lost).startswith("first promised: covariances of x are exactly the original's, also with a; ")
    assert ended(Promise(covariances, given=("b", "a")), later("ba")) == ["uncorrelated-noise changed a, b"]
    (untouched,) = kept(Promise(covariances, given=("b",)), step)
    assert untouched.given == ("b",)
    assert ended(untouched, step) == []
    assert ended(Promise(MEANS, given=("a",)), step) == []
    assert kept(Promise(MEANS, given=("a",)), step) == (Promise(MEANS),)


def test_a_promise_made_again_stands_once_and_groups_by_their_step() -> None:
    groups = claims.GroupsAtLeast(columns=("x",), k=3)
    made = [Promise(MEANS, step=0), Promise(groups, step=0), Promise(MEANS, step=1), Promise(groups, step=1)]
    assert [(promise.claim, promise.step) for promise in _each_once(made)] == [(groups, 0), (MEANS, 0), (groups, 1)]


@pytest.mark.parametrize(
    ("reference", "touched", "made"),
    [
        (None, "", 2),
        (None, "x", 1),  # of the release alone: there is no original to compare with
        (None, "a", 2),
        ([0, 2], "", 2),
        ([0, -1], "", 1),
        ([-1, -1], "", 1),
    ],
)
def test_what_a_step_promises(reference: list[int] | None, touched: str, made: int) -> None:
    alone = claims.ValuesAtLeast(k=2)
    rows = None if reference is None else np.array(reference)
    found = make_promises([alone, claims.MeansKept()], record(given=("a", "b")), 4, rows, frozenset(touched))
    assert [promise.claim for promise in found] == [alone.on(("x",)), MEANS][:made]
    assert {promise.step for promise in found} == {4}
    assert {promise.given for promise in found} == {("b",) if touched == "a" else ("a", "b")}


def test_promises_in_words() -> None:
    rows = np.arange(7)
    assert str(Promise(MEANS, by=("g", "h"))) == f"{MEANS}, in every subdomain of g, h"
    assert str(Promise(MEANS, reference=rows)) == f"{MEANS} (of the 7 records that were not left out before)"
    alone = claims.ValuesAtLeast(columns=("x",), k=2)
    assert str(Promise(alone, reference=rows)) == str(alone)
    assert Promise(MEANS, step=1, reference=rows) == Promise(MEANS)
    assert Promise(MEANS).step == 0
    assert "reference" not in repr(Promise(MEANS, reference=rows))


def test_what_is_kept_twice_is_kept() -> None:
    assert all(claim.composes for claim in (claims.RangeKept(), claims.MeansKept(), claims.ValuesKept()))
    assert claims.CellsUnchanged().composes
    assert not claims.ChangeWithin().composes


def test_values_that_became_equal_may_be_parted_in_another_order() -> None:
    frame = pd.DataFrame({"a": np.random.default_rng(1).lognormal(3, 1, 80)})
    release = mv.Plan([(mv.mask.Resample(), ["a"]), (mv.mask.Resample(), ["a"])]).run(frame, seed=1)
    assert any("larger values of a stay larger" in text for text in release.lost)
    assert any(isinstance(claim, claims.RangeKept) for claim in release.claims)
    assert not claims.OrderKept().composes
