"""The suite of claims over every claim of the package, and that it finds claims which are no good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from microveil.claims import (
    AFFINE,
    PERMUTE,
    Claim,
    Deviation,
    Evidence,
    Example,
    MeansKept,
    RangeKept,
    registered_claims,
)
from microveil.claims.examples import evidence_of
from microveil.testing import check_claim
from microveil.testing.claims import CLAIM_CHECKS

OURS = [cls for cls in registered_claims() if cls.__module__.startswith("microveil.")]


@pytest.mark.parametrize("cls", OURS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("check", CLAIM_CHECKS, ids=lambda check: check.__name__)
def test_claim(cls, check):
    check(cls)


def test_every_claim_of_the_package_is_registered():
    assert len(OURS) == 32
    assert MeansKept in OURS


def pair(cls, after, broken, what="kept"):
    before = [[1.0, 2.0], [1.0, 2.0]]
    return [
        Example(cls(), evidence_of(before, after), True, what),
        Example(cls(), evidence_of(before, broken), False, "broken"),
    ]


GOOD, BAD = [[2.0, 1.0], [1.0, 2.0]], [[1.0, 2.0], [1.0, 3.0]]


def alone(cls):
    return Example(cls(), evidence_of([[1]], [[2]]), False, "alone")


def planted(**parts):
    """A range claim of which some parts are replaced."""
    examples = parts.pop("examples", lambda cls: pair(cls, GOOD, BAD))
    body = {"examples": classmethod(examples), "__module__": __name__, **parts}
    return dataclass(frozen=True)(type("Planted", (RangeKept,), body))


def found(evidence: Evidence, columns: slice) -> Deviation:
    moved = [np.ptp(after) - np.ptp(before) for before, after in zip(evidence.original, evidence.released, strict=True)]
    return Deviation(moved[columns], 0.0)


def broken_in_long_files(self: Claim, evidence: Evidence) -> Deviation:
    return Deviation(float(len(evidence.origin) > 2 or evidence.released[-1].max() == 3), 0.0)


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (planted(deviation=lambda self, evidence: Deviation(0.0, 0.0)), "'broken' should be found: holds"),
        (planted(deviation=lambda self, evidence: Deviation(1.0, 0.0)), "'kept' should hold: BROKEN"),
        (planted(deviation=lambda self, evidence: Deviation(np.nan, 0.0)), "'kept' should hold: BROKEN"),
        (planted(deviation=lambda self, evidence: found(evidence, slice(1))), "'broken' should be found"),
        (planted(examples=lambda cls: pair(cls, GOOD, BAD)[:1]), "no example in which it is broken"),
        (planted(examples=lambda cls: pair(cls, GOOD, BAD)[1:]), "no example in which it holds"),
        (planted(examples=lambda cls: pair(RangeKept, GOOD, BAD)), "no example in which it holds"),
        (planted(examples=lambda cls: pair(cls, GOOD, BAD, "")), "without a word on what it shows"),
        (planted(examples=lambda cls: pair(cls, GOOD, BAD, "broken")), "two examples with the same words"),
        (planted(examples=lambda cls: pair(cls, GOOD, BAD[::-1])), "holds without its last column"),
        (planted(examples=lambda cls: [*pair(cls, GOOD, BAD), alone(cls)]), "no example like 'alone' in which"),
        (planted(withstands=frozenset({AFFINE})), "'kept' after affine of"),
        (planted(withstands=frozenset()), "nothing shows that blank breaks it"),
        (planted(withstands=frozenset({PERMUTE, "melt"})), "there are the changes"),
        (planted(deviation=broken_in_long_files), "'kept' and 'kept' together: BROKEN"),
        (planted(in_unions="always"), "in_unions is 'always'"),
        (planted(in_unions="no"), "nothing shows that it does not last in unions"),
        (planted(about="rows"), "about is 'rows'"),
        (planted(text=""), "no words"),
        (planted(text="No value"), "begins with a capital"),
        (planted(text="no value{of}."), "ends with a full stop"),
        (planted(text="no value{of} of {{}}"), "has braces"),
        (planted(text="no value"), "names no column"),
        (planted(on=lambda self, columns: Claim.on(type(self)(), columns)), "lost its own columns"),
        (planted(__eq__=lambda self, other: True, __hash__=lambda self: 1), "equals the claim on other columns"),
        (planted(__eq__=lambda self, other: self is other, __hash__=lambda self: 1), "does not equal its copy"),
        (planted(__hash__=lambda self: id(self)), "different hashes"),
    ],
)  # fmt: skip
def test_claims_that_are_no_good_are_found(cls, message):
    with pytest.raises(AssertionError, match=message):
        check_claim(cls)


def test_a_claim_without_examples_is_refused():
    class Silent(Claim):
        """Says how it is checked and shows nothing."""

        def deviation(self, evidence: Evidence) -> Deviation:
            return Deviation(0.0, 0.0)

    assert Silent in registered_claims()
    with pytest.raises(TypeError, match="Silent states no examples"):
        check_claim(Silent)


def test_a_claim_that_cannot_be_checked_is_not_registered():
    class Vague(Claim):
        """Says nothing."""

    assert Vague not in registered_claims()
    with pytest.raises(TypeError, match="Vague must implement deviation"):
        Vague().check(evidence_of([[1]], [[1]]))
