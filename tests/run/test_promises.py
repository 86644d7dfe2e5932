"""What is promised is checked in every subdomain, and what is guaranteed in every class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import microveil as mv
from microveil.claims import (
    Claim,
    EqualRowsAsideGaps,
    EqualRowsAtLeast,
    MeansKept,
    OrderKept,
    RangeKept,
    TableKept,
)
from microveil.claims.guarantee import Guarantee
from microveil.core import BrokenPromise
from microveil.data import Table
from microveil.mask import Mask
from microveil.run import Job, Outcome

FRAME = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8], "part": list("aaaabbbb")})


Floats = NDArray[np.float64]


def planted(promise: Claim, change: Callable[[Floats], Floats]) -> Mask:
    """A method that promises something and changes each subdomain as it is told, in one group."""

    @dataclass(frozen=True, kw_only=True)
    class Planted(Mask):
        kinds: ClassVar[tuple[str, ...]] = ("continuous",)

        def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
            return (promise,)

        def run(self, table: Table, job: Job) -> Outcome:
            new = np.array(change(table["x"].data), dtype=np.float64)
            return Outcome({"x": table["x"].with_data(new)}, groups=np.zeros(len(new), dtype=np.int64))

    return Planted()


def exchanged(x: Floats) -> Floats:
    """Each subdomain gets the other's values: the file as a whole has the values it had."""
    return np.where(x > 4, x - 4, x + 4)


@pytest.mark.parametrize("where", [1.0, 5.0], ids=["first", "last"])
@pytest.mark.parametrize(
    ("promise", "text"),
    [
        (MeansKept(), "BROKEN: means of x are exactly the original's"),
        (RangeKept(), "BROKEN: no value of x lies outside the original range"),
        (TableKept(), "BROKEN: the table of x is exactly the original's"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Claim) else "",
)
def test_a_break_in_one_subdomain_is_found(promise: Claim, text: str, where: float) -> None:
    def change(x: Floats) -> Floats:
        return np.where(x == x.max(), x + 0.5, x) if where in x else x[::-1]

    plan = mv.Plan([{"method": planted(promise, change), "columns": ["x"], "by": ["part"]}])
    with pytest.raises(BrokenPromise, match=text):
        plan.run(FRAME, seed=1)


def test_breaks_that_cancel_in_the_file_are_found() -> None:
    method = planted(MeansKept(), exchanged)
    assert all(verdict.holds for verdict in method.apply(FRAME, columns="x", seed=1).check())
    with pytest.raises(BrokenPromise, match="BROKEN: means of x"):
        method.apply(FRAME, columns="x", by="part", seed=1)


def test_order_that_is_kept_in_subdomains_only_is_promised_for_them_only() -> None:
    method = planted(OrderKept(), exchanged)
    release = method.apply(FRAME, columns="x", by="part", seed=1)
    assert [promise.by for promise in release.promises] == [("part",)]
    with pytest.raises(BrokenPromise, match="BROKEN: larger values of x stay larger"):
        method.apply(FRAME, columns="x", seed=1)


def test_a_changed_copy_is_found_in_the_subdomain_where_it_changed() -> None:
    release = planted(MeansKept(), np.flip).apply(FRAME.assign(other=range(8)), columns="x", by="part", seed=1)
    for row in (0, 7):
        copy = release.frame.copy()
        copy.loc[row, "x"] += 0.01
        verdicts = release.check(copy)
        assert [verdict.holds for verdict in verdicts] == [False]
        assert verdicts[0].deviation == pytest.approx(0.0025 / np.arange(4.0).std())


@pytest.mark.parametrize("claim", [EqualRowsAtLeast(k=3), EqualRowsAsideGaps(k=3)])
def test_groups_do_not_prove_equal_rows(claim: Claim) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]})
    honest = planted(claim, lambda x: np.full(6, 5.0)).apply(frame, columns="x", seed=1)
    assert honest.claims == (claim.on(("x",)),)
    with pytest.raises(BrokenPromise, match="BROKEN: every combination of values in x occurs at least 3 times"):
        planted(claim, lambda x: np.array([5.0, 5, 5, 6, 6, 7])).apply(frame, columns="x", seed=1)


def test_groups_beside_gaps_do_not_prove_equal_rows() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, np.nan]})
    liar = planted(EqualRowsAsideGaps(k=3), lambda x: np.array([5.0, 5, 5, 6, 7, np.nan]))
    with pytest.raises(BrokenPromise, match="gaps of the original aside"):
        type("Around", (type(liar),), {"skips_missing": True})().apply(frame, columns="x", missing="mask", seed=1)


def guaranteed(sizes: Sequence[int], k: int) -> Guarantee:
    """Of a release whose records are equal in x, and told apart by another column into classes of these sizes."""
    n = sum(sizes)
    other = [f"class {i}" for i, size in enumerate(sizes) for _ in range(size)]
    frame = pd.DataFrame({"x": np.arange(float(n)), "other": other})
    method = planted(EqualRowsAtLeast(k=k), lambda x: np.ones(n))
    return mv.Plan([{"method": method, "columns": ["x"]}]).run(frame, seed=1).guarantee


def test_classes_of_k_are_guaranteed() -> None:
    found = guaranteed([3, 4], k=3)
    assert (found.k, found.linkage) == (3, 1 / 3)
    assert [statement.protects for statement in found.statements] == [True]


@pytest.mark.parametrize(("sizes", "k"), [([3, 2], 3), ([2, 3], 3), ([5, 4, 6], 5)])
def test_classes_of_one_less_than_k_are_not(sizes: list[int], k: int) -> None:
    found = guaranteed(sizes, k)
    assert found.k == k - 1
    assert found.linkage == 1 / (k - 1)
    exposed = [str(statement) for statement in found.statements if not statement.protects]
    assert any(f"{k - 1} of {sum(sizes)} records are told apart" in text for text in exposed)
    assert any(f"down to {k - 1} records that look alike" in text for text in exposed)


def test_a_class_of_one_is_no_bound() -> None:
    found = guaranteed([3, 1], k=3)
    assert found.k is None
    assert any("down to a single record" in str(statement) for statement in found.statements)


def test_rounding_of_values_that_repeat_is_one_error_each() -> None:
    frame = pd.DataFrame({"x": np.arange(300)})
    thirds = planted(
        MeansKept(), lambda x: np.repeat([x.mean() - 100.1, x.mean() - 0.1, x.mean() + 100.2], len(x) // 3)
    )
    # three values, of which each is rounded once: their mean moves by a sixth of a unit
    (verdict,) = thirds.apply(frame, columns="x", seed=1).check()
    assert (verdict.holds, verdict.exactly) == (True, False)
    assert verdict.deviation == pytest.approx(1 / 6 / np.arange(300).std())

    def crowded(x: Floats) -> Floats:
        """As many different values, nearly the same three: every one is rounded by itself, and all of them alike."""
        near = np.repeat([x.mean() - 100.1, x.mean() - 0.1, x.mean() + 100.2], len(x) // 3)
        return near + np.linspace(-0.01, 0.01, len(x))

    release = planted(MeansKept(), crowded).apply(frame, columns="x", seed=1)
    assert release.claims == ()
    assert "means of x are exactly the original's; rounding to the units of the source moves it" in release.lost[0]


def test_subdomains_of_a_column_that_was_changed_before_are_told_as_such():
    """Means by sex, where sex was suppressed first, are not those that anybody finds in the file by its sex."""
    draw = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"age": draw.integers(1, 9, 60), "sex": draw.choice(["f", "m"], 60), "debt": draw.gamma(1, 9, 60)}
    )
    data = mv.Microdata(frame, kinds={"age": "nominal", "sex": "nominal"})
    noise = mv.plan.Step(mv.mask.ExactNoise(p=0.3), ["debt"], by=["sex"])
    hide = mv.plan.Step(mv.mask.LocalSuppression(k=6), ["age", "sex"])
    (told, *_) = [str(one) for one in mv.Plan([hide, noise]).run(data, seed=1).promises if "means" in str(one)]
    means = "means of debt are exactly the original's, in every subdomain of sex"
    assert told == f"{means} as in the original, of which earlier steps changed sex"
    (told, *_) = [str(one) for one in mv.Plan([noise]).run(data, seed=1).promises if "means" in str(one)]
    assert told == means


def test_a_promise_that_several_subdomains_break_is_told_once() -> None:
    draw = np.random.default_rng(5)
    frame = pd.DataFrame({"sex": ["f", "m"] * 40, "debt": draw.gamma(1, 99, 80)})
    data = mv.Microdata(frame, kinds={"sex": "nominal"})
    ranked = mv.plan.Step(mv.mask.IndividualRanking(k=4), ["debt"], by=["sex"])
    with pytest.raises(BrokenPromise) as found:
        mv.Plan([ranked, mv.plan.Step(mv.mask.Sample(fraction=0.3))]).run(data, seed=1)
    assert str(found.value).count("BROKEN") == 1
