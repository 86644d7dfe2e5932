"""Checks of claims: what a claim says it notices it must notice, or a broken promise would pass as a kept one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np

from microveil.claims import CHANGES, DROP, Claim, Evidence, Example, InUnions, MeansKept
from microveil.claims.claim import About
from microveil.core.arrays import Floats, Ints
from microveil.core.streams import Key, Streams
from microveil.testing.changes import ways

_FAR, _NEAR = 64.0, 2.0**-9  # powers of two: values move exactly


def check_claim(cls: type[Claim]) -> None:
    """Run all checks on a claim; the first failure names its check."""
    for check in CLAIM_CHECKS:
        try:
            check(cls)
        except AssertionError as problem:
            raise AssertionError(f"{cls.__name__}, {check.__name__}: {problem}") from problem


def examples_of(cls: type[Claim]) -> list[Example]:
    """The examples of a claim, each claim on the columns of its evidence."""
    return [
        example._replace(claim=example.claim.on(example.evidence.columns))
        for example in cls.examples()
        if type(example.claim) is cls
    ]


def _split(cls: type[Claim]) -> tuple[list[Example], list[Example]]:
    examples = examples_of(cls)
    return [one for one in examples if one.holds], [one for one in examples if not one.holds]


def check_examples(cls: type[Claim]) -> None:
    """Every example is judged as it says, and there are both kinds."""
    kept, broken = _split(cls)
    assert kept, "no example in which it holds"
    assert broken, "no example in which it is broken"
    told = [one.what for one in (*kept, *broken)]
    assert all(told), "an example without a word on what it shows"
    assert len(set(told)) == len(told), f"two examples with the same words: {told}"
    for one in (*kept, *broken):
        verdict = one.claim.check(one.evidence)
        assert verdict.holds == one.holds, f"{one.what!r} should {'hold' if one.holds else 'be found'}: {verdict}"


def check_last_column(cls: type[Claim]) -> None:
    """Some broken example breaks by its last column alone, unless the claim looks at no values."""
    if set(CHANGES) - {DROP} <= cls.withstands:
        return
    for one in _split(cls)[1]:
        some = one.evidence.columns[:-1]
        if some and replace(one.claim, columns=some).check(one.evidence).holds:
            return
    raise AssertionError("no broken example of several columns holds without its last column")


def check_subdomains(cls: type[Claim]) -> None:
    """A break is found in the subdomain where it is, the first or the last, and not in the other."""
    kept, broken = _split(cls)
    for bad in broken:
        partners = [good for good in kept if good.claim == bad.claim and _fit(good.evidence, bad.evidence)]
        assert partners, f"no example like {bad.what!r} in which the same claim holds"
        good = partners[0]
        for parts in ((good, bad), (bad, good)):
            whole, sides = _joined([part.evidence for part in parts])
            for number, part in enumerate(parts):
                originals, released = (side == number for side in sides)
                verdict = part.claim.check(whole.rows(originals, released))
                assert verdict.holds == part.holds, f"{part.what!r} as subdomain {number} of two: {verdict}"


def check_unions(cls: type[Claim]) -> None:
    """What is said to last in unions of parts does so for the examples that hold."""
    kept = _split(cls)[0]
    for one in kept:
        assert one.claim.in_unions in get_args(InUnions), f"in_unions is {one.claim.in_unions!r}"
        for other in kept:
            parts = [one.evidence, other.evidence]
            if one.claim != other.claim or not _fit(*parts) or not _lasts(one.claim, parts):
                continue
            verdict = one.claim.check(_joined(parts)[0])
            assert verdict.holds, f"{one.what!r} and {other.what!r} together: {verdict}"


def check_parts(cls: type[Claim]) -> None:
    """What is not said to last in unions breaks in one: of an example and itself with other values."""
    kept = [one for one in _split(cls)[0] if one.claim.in_unions != "yes" and _fit(one.evidence, one.evidence)]
    outcomes = [
        one.claim.check(_joined([one.evidence, moved])[0]).holds
        for one in kept
        for moved in _elsewhere(one.evidence)
        if one.claim.check(moved).holds
    ]
    assert not outcomes or not all(outcomes), "nothing shows that it does not last in unions"


def _elsewhere(evidence: Evidence) -> Iterator[Evidence]:
    """The evidence with its original values, its released ones, both or neither far away, and close to one record."""
    here = [0.0] * len(evidence.columns)
    for before, after in product((0.0, _FAR), repeat=2):
        yield _moved(evidence, here, 1.0, before, after)
    for row in range(len(evidence.original[0])):
        yield _moved(evidence, [column[row] for column in evidence.original], _NEAR, 0.0, 0.0)


def _moved(evidence: Evidence, centre: Sequence[float], squeeze: float, before: float, after: float) -> Evidence:
    original, released = (
        [squeeze * (column - middle) + middle + move for column, middle in zip(side, centre, strict=True)]
        for side, move in ((evidence.original, before), (evidence.released, after))
    )
    return replace(evidence, original=original, released=released)


def _lasts(claim: Claim, parts: Sequence[Evidence]) -> bool:
    if any(part.half_unit.any() for part in parts):
        return False  # errors of rounding in two real parts average out, those of one example twice do not
    if claim.in_unions == "with means":
        return all(MeansKept().check(part).holds for part in parts)
    return claim.in_unions == "yes"


def check_changes(cls: type[Claim]) -> None:
    """No change that the claim says it withstands breaks an example that holds."""
    assert cls.withstands <= set(CHANGES), f"there are the changes {CHANGES}, and not all of {set(cls.withstands)}"
    draws = Streams(Key.of("changes")).at(cls.__name__).generator()
    for one, change in ((one, change) for one in _split(cls)[0] for change in CHANGES):
        for columns, after in ways(one.evidence, change, draws):
            if one.claim.survives(change, columns):
                verdict = one.claim.check(after)
                assert verdict.holds, f"{one.what!r} after {change} of {sorted(columns)}: {verdict}"


def check_breaks(cls: type[Claim]) -> None:
    """A change that the claim does not say it withstands breaks an example: it is not given up for nothing."""
    for change in CHANGES:
        draws = Streams(Key.of("breaks")).at(cls.__name__, change).generator()
        outcomes = (
            one.claim.check(after).holds
            for one in _split(cls)[0]
            for columns, after in ways(one.evidence, change, draws, tries=40)
            if not one.claim.survives(change, columns)
        )
        first = next(outcomes, None)
        assert not first or not all(outcomes), f"nothing shows that {change} breaks it"


def check_words(cls: type[Claim]) -> None:
    """It reads as part of a sentence, with and without columns, and names them."""
    assert cls.about in get_args(About), f"about is {cls.about!r}"
    for one in examples_of(cls):
        bare = str(replace(one.claim, columns=()))
        long = str(replace(one.claim, columns=tuple(f"column{i}" for i in range(10))))
        for text in (bare, long):
            assert text, "no words"
            assert text[0].islower(), f"{text!r} begins with a capital"
            assert not text.endswith("."), f"{text!r} ends with a full stop"
            assert not set("{}") & set(text), f"{text!r} has braces"
        assert "column" not in bare or "column0" not in bare, f"{bare!r} names columns and has none"
        assert any(f"column{i}" in long for i in range(10)), f"{long!r} names no column"


def check_value(cls: type[Claim]) -> None:
    """It is a value: equal to its copy, with equal hash, and another one on other columns."""
    for one in examples_of(cls):
        claim = one.claim
        again = deepcopy(claim)
        assert again == claim == replace(claim), f"{claim!r} does not equal its copy"
        assert hash(again) == hash(claim), f"{claim!r} and its copy have different hashes"
        other = replace(claim, columns=("other",))
        assert other != claim, f"{claim!r} equals the claim on other columns"
        assert other.on(claim.columns) == other, f"{other!r} lost its own columns"


def _fit(one: Evidence, other: Evidence) -> bool:
    """Whether two parts can stand in one file."""
    return (
        one.columns == other.columns
        and np.array_equal(one.half_unit, other.half_unit)
        and (one.groups is None) == (other.groups is None)
        and (one.given is None) == (other.given is None)
        and one.repeats is None
        and other.repeats is None
    )


def _joined(parts: Sequence[Evidence]) -> tuple[Evidence, tuple[Ints, Ints]]:
    """One file of several parts, and the part of each original and released row; groups lie inside parts."""
    rows = [len(part.original[0]) for part in parts]
    starts = np.concatenate([[0], np.cumsum(rows)[:-1]])
    of_originals = np.repeat(np.arange(len(parts)), rows)
    of_released = np.repeat(np.arange(len(parts)), [len(part.origin) for part in parts])
    origins = [np.where(part.origin >= 0, part.origin + start, -1) for part, start in zip(parts, starts, strict=True)]
    groups = [part.groups + 100 * i * (part.groups >= 0) for i, part in enumerate(parts) if part.groups is not None]
    given = [part.given for part in parts if part.given is not None]
    whole = replace(
        parts[0],
        original=_stacked([part.original for part in parts]),
        released=_stacked([part.released for part in parts]),
        origin=np.concatenate(origins),
        groups=np.concatenate(groups) if groups else None,
        given=np.concatenate(given) if given else None,
    )
    return whole, (of_originals, of_released)


def _stacked(sides: Sequence[Sequence[Floats]]) -> list[Floats]:
    return [np.concatenate(columns) for columns in zip(*sides, strict=True)]


CLAIM_CHECKS = (
    check_examples,
    check_value,
    check_last_column,
    check_subdomains,
    check_unions,
    check_parts,
    check_changes,
    check_breaks,
    check_words,
)
