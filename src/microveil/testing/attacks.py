"""Checks that attack: what a method declares about linking its records is tried by an intruder who knows everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Any

import numpy as np

from microveil.attack import Attack
from microveil.claims import EqualRowsAtLeast
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.registry import registered
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.testing.intruder import chances_of_own
from microveil.testing.runs import run, seen_on_sample
from microveil.testing.samples import KINDS, as_microdata, numbers_of, sample_columns, with_gaps

_ROWS = 200
_SEEDS = (1, 2, 3)
_STANDARD_ERRORS = 4.0
_COPIES_BY_CHANCE = 6
_BESIDE = ("sex", "region")  # few values: groups may be cut and still hide somebody
# of every kind, and together unique
_AMOUNTS, _CATEGORIES = ("income", "wealth", "hours"), ("school", "place")


def _files(method: Method, gaps: bool, beside: Sequence[str]) -> Iterator[tuple[int, Microdata]]:
    """Files in which the method replaces every column but those `beside`, so that nothing else tells records apart."""
    amounts = [name for name in _AMOUNTS if "continuous" in method.kinds]
    names = [*amounts, *(name for name in _CATEGORIES if KINDS[name] in method.kinds)]
    for seed in _SEEDS:
        columns = {name: values for name, values in sample_columns(_ROWS, seed).items() if name in (*names, *beside)}
        yield seed, as_microdata(with_gaps(columns, amounts[:2], every=5) if gaps else columns)


def _releases(method: Method, gaps: bool = False, beside: Sequence[str] = ()) -> Iterator[Release]:
    how: dict[str, Any] = {"given": []} if method.conditions else {}
    for seed, data in _files(method, gaps, beside):
        try:
            yield run(method, data, seed, **how, missing="mask" if gaps else "error")
        except BadInput:
            return  # it needs other columns, or more records: a clear refusal


def check_guarantee_against_linkage(method: Method) -> None:
    """Where a release proves that linkage succeeds for 1 of k records at most, it does so for an actual intruder.

    The intruder knows all original values and takes the nearest record; gaps that stay in place are used first.
    """
    if not _may_prove(method):
        return
    _attack(_releases(method), "")
    _attack(_releases(method, beside=_BESIDE), f", who also knows {' and '.join(_BESIDE)}")
    if method.skips_missing and "continuous" in method.kinds:
        _attack(_releases(method, gaps=True), ", with gaps")


def check_guarantee_against_attacks(method: Method) -> None:
    """No attack that makes use of the method finds more records than the release proves.

    All releases of the sample together decide: single files scatter. An attack that runs the plan itself is tried on
    the first one alone: it takes as long as the method does, many times over.
    """
    if not _may_prove(method):
        return
    hits: dict[str, float] = defaultdict(float)
    allowed: dict[str, float] = defaultdict(float)
    for number, release in enumerate(_releases(method)):
        k = release.guarantee.k
        if k is None or (release.origin < 0).any():
            return  # nothing is proven on such files
        for name, found in _found_by_attacks(release, own_runs=number == 0):
            hits[name] += found
            allowed[name] += len(release) / k
    for name, found in hits.items():
        assert found <= allowed[name] + _STANDARD_ERRORS * sqrt(allowed[name]), (
            f"{name} finds {found:.0f} records, and the guarantee says {allowed[name]:.0f} at most"
        )


def _found_by_attacks(release: Release, own_runs: bool) -> Iterator[tuple[str, float]]:
    """The number of records that each attack finds which the methods make possible, or that is for any release."""
    pair = Pair.of(release.original, release)
    bounded = [cls for cls in registered(Attack) if cls.reidentifies and cls.bounded_by_k]
    aware = [cls() for cls in bounded if cls.needs_nothing() and cls.concerns(pair)]
    for attack in aware:
        if attack.runs_plan and not own_runs:
            continue
        result = attack.of_pair(pair)
        if isinstance(result, Measured):
            yield attack.name, result.value / 100 * len(release)


def _may_prove(method: Method) -> bool:
    release = seen_on_sample(method).release
    if any(isinstance(claim, EqualRowsAtLeast) for claim in release.claims):
        return True
    return any(
        step.method.anonymity(dict(zip(step.columns, step.kinds, strict=True)), ()) is not None
        for step in release.steps
    )


def _attack(releases: Iterable[Release], where: str) -> None:
    hits = allowed = records = 0.0
    for release in releases:
        k = release.guarantee.k
        if k is None or (release.origin < 0).any():
            break  # nothing is proven on such files
        hits += float(chances_of_own(release, release.origin, release.original.columns).sum())
        allowed += len(release) / k
        records += len(release)
    assert hits <= allowed + _STANDARD_ERRORS * sqrt(allowed), (
        f"the nearest original is the right one for {hits:.0f} of {records:.0f} released records{where}, "
        f"and the guarantee says {allowed:.0f} at most"
    )


def check_ties_record(method: Method) -> None:
    """A method that says nothing ties its records to those given is attacked by position, and copies are told.

    With nothing conditioned on, row i of the release must not be nearest to row i of the original more often than
    any other row is; and complete copies of unique originals must stand in the notes and in the guarantee.
    """
    if method.ties_record == "record":
        return
    hits = rows = 0.0
    for release in _releases(method):
        _check_copies(release)
        if len(release) == release.original.n:
            hits += float(chances_of_own(release, np.arange(len(release)), release.original.columns).sum())
            rows += 1.0  # one of n rows by chance
    assert hits <= rows + _STANDARD_ERRORS * sqrt(rows), (
        f"it declares ties_record={method.ties_record!r}, and the nearest original of {hits:.0f} released rows stands "
        f"at the same position ({rows:.0f} would by chance)"
    )


def _check_copies(release: Release) -> None:
    if (release.origin >= 0).any():
        return
    copied = count_unique_copies(release)
    if copied <= _COPIES_BY_CHANCE:
        return
    told = release.copies
    assert told is not None, f"{copied} records are copies of unique originals, and the release does not count them"
    assert told.unique == copied, f"{copied} records are copies of unique originals, and the release says {told.unique}"
    assert str(told) in release.notes, f"{copied} records are copies of unique originals, and no note says so"
    assert any(str(told) in line.text for line in release.guarantee.statements if not line.protects), (
        f"{copied} records are copies of unique originals, and the guarantee does not say so"
    )


def count_unique_copies(release: Release) -> int:
    """How many released records equal an original that no other original equals, on the columns replaced."""
    names = [name for name in release.columns if name in release.changed]
    before = numbers_of(release.original.frame, names)
    originals = Counter(zip(*(map(_comparable, before[name]) for name in names), strict=True))
    after = numbers_of(release.frame, names)
    released = zip(*(map(_comparable, after[name]) for name in names), strict=True)
    return sum(originals.get(record, 0) == 1 for record in released)


def _comparable(value: Any) -> Any:
    # the digits in which the sample is given, and in which it would be written
    return round(float(value), 2) + 0.0 if isinstance(value, int | float) else value
