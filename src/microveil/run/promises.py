"""Promises: claims of the steps of a run, what becomes of them in later steps, and their evidence.

A promise once made is kept, broken openly, or given up openly. A claim about the release alone (k, l, t, sizes,
bounds) is carried to the end and checked on the final rows, whatever came between. A claim that compares with the
original survives a later step only if that step cannot break it; otherwise it is lost, and the release says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from microveil.claims import BLANK, DROP, PERMUTE, Claim
from microveil.core.arrays import Ints
from microveil.core.words import list_all
from microveil.run.contract import StepRecord

WITHOUT_WEIGHTS = "what is promised of means, covariances, tables and values is about records, without weights"


@dataclass(frozen=True)
class Promise:
    """A claim of one step, with the columns kept beside it and the subdomains it holds in.

    Subdomains are those of the original's values. `altered` are the columns of `by` that earlier steps had changed, so
    that whoever groups the file by what it shows finds others. `reference` holds the source rows that the step saw,
    None when it saw the whole file: a comparison is with these.
    """

    claim: Claim
    given: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    step: int = field(default=0, compare=False)  # which step made it, from 0: it is about the groups of that step
    reference: Ints | None = field(default=None, compare=False, repr=False)
    altered: tuple[str, ...] = field(default=(), compare=False)

    @property
    def inside(self) -> str:
        """The subdomains it holds in, as the end of a sentence; empty where it is about the file."""
        if not self.by:
            return ""
        columns = ", ".join(map(str, self.by))
        if not self.altered:
            return f", in every subdomain of {columns}"
        changed = list_all(list(map(str, self.altered)))
        return f", in every subdomain of {columns} as in the original, of which earlier steps changed {changed}"

    def __str__(self) -> str:
        text = f"{self.claim}{self.inside}"
        if self.reference is not None and self.claim.about != "release":
            text = f"{text} (of the {len(self.reference):,} records that were not left out before)"
        return text


@dataclass(frozen=True)
class Lost:
    """A promise that a later step, or rounding, made meaningless: what was promised, by which step, and why."""

    promise: str
    method: str
    reason: str

    def __str__(self) -> str:
        return f"{self.method} promised: {self.promise}; {self.reason}"


@dataclass(frozen=True)
class Later:
    """What a step does, as far as earlier promises care."""

    record: StepRecord
    touched: frozenset[str]  # the columns whose values it may have changed
    recoded: frozenset[str]  # those that were amounts and are classes now
    same_rows: bool
    new_rows: bool  # it made synthetic rows
    said: frozenset[Promise] = frozenset()  # all it claims about what it was given

    @property
    def name(self) -> str:
        """The method, for sentences."""
        return self.record.method.name


def make_promises(
    claims: Sequence[Claim], record: StepRecord, number: int, reference: Ints | None, touched_before: frozenset[str]
) -> tuple[Promise, ...]:
    """What a step promises about the release.

    A comparison with the original follows only on columns that no earlier step changed, unless the step looks back
    at the original by itself; and only if there is an original to each row it saw.
    """
    has_originals = reference is None or bool((reference >= 0).all())
    # of kept columns that were changed before there is no original to compare with
    given = tuple(name for name in record.given if name not in touched_before)
    altered = tuple(name for name in record.step.by if name in touched_before)
    out = []
    for claim in claims:
        promise = Promise(claim.on(record.columns), given, record.step.by, number, reference, altered)
        about_input = touched_before.isdisjoint(promise.claim.columns) or record.method.restores
        if claim.about == "release" or (has_originals and about_input):
            out.append(promise)
    return tuple(out)


def after_step(
    before: Sequence[Promise], fresh: Sequence[Promise], later: Later, names: Sequence[str]
) -> tuple[tuple[Promise, ...], tuple[Lost, ...]]:
    """The promises that hold on after a step, with its own; and those it ends. `names` are the methods of the steps."""
    kept: list[Promise] = []
    lost: list[Lost] = []
    for promise in before:
        reason = _reason_to_end(promise, later)
        if reason:
            lost.append(Lost(str(promise), names[promise.step], reason))
            continue
        if not later.touched.isdisjoint(promise.by):
            # the subdomains can no longer be told by their own columns: what holds in each may hold in the file
            changed = ", ".join(map(str, sorted(later.touched.intersection(promise.by))))
            lost.append(Lost(str(promise), names[promise.step], f"{later.name} changed {changed}"))
            if promise.claim.in_unions != "yes":
                continue
            promise = replace(promise, by=(), altered=())
        if later.touched.isdisjoint(promise.given):
            kept.append(promise)
            continue
        # what was said about kept columns ends with their values; the rest stands
        kept.append(replace(promise, given=()))
        changed = ", ".join(map(str, sorted(later.touched.intersection(promise.given))))
        if promise.claim.uses_given:
            lost.append(Lost(f"{promise}, also with {changed}", names[promise.step], f"{later.name} changed {changed}"))
    return _each_once((*kept, *fresh)), tuple(lost)


def _each_once(promises: Sequence[Promise]) -> tuple[Promise, ...]:
    """Promises without those made before; one about groups is about those of its own step."""
    found = {(promise, promise.step if promise.claim.of_groups else None): promise for promise in reversed(promises)}
    return tuple(reversed(found.values()))


def _reason_to_end(promise: Promise, later: Later) -> str:
    """Why a promise means nothing after the step; empty where it can still be checked or is known to hold."""
    claim = promise.claim
    if claim.about == "release":
        return _reason_not_to_check(claim, later)
    if later.new_rows:
        return f"{later.name} made new records in place of those it was about"
    if not later.same_rows and not claim.survives(DROP, frozenset(claim.columns)):
        return f"{later.name} left records out"
    touched = later.touched.intersection(claim.columns)
    if not touched or (claim.composes and promise in later.said):
        # both steps keep it on the same columns, so both together do
        return ""
    change = later.record.method.change
    if change and _is_one_change(change, later) and claim.survives(change, frozenset(later.record.columns)):
        return ""
    return f"{later.name} changed {', '.join(map(str, sorted(touched)))}"


def _is_one_change(change: str, later: Later) -> bool:
    """Whether the step did one such thing to the file: inside subdomains, maps differ from one to the next."""
    return not later.record.step.by or change in (BLANK, PERMUTE)


def _reason_not_to_check(claim: Claim, later: Later) -> str:
    """Why a claim about the release alone cannot be checked on the final rows; empty where it can, as nearly always."""
    recoded = later.recoded.intersection(claim.columns)
    if claim.of_amounts and recoded:
        return f"{later.name} made classes of {', '.join(map(str, sorted(recoded)))}"
    if claim.of_groups and later.new_rows:
        return f"{later.name} made new records, which are in no group of that step"
    return ""
