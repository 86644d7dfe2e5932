"""Advice that is measured: a plan changed against an attack, run once beside the plan that was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.attack import Attack
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.registry import find, in_python
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.measure.sampling import drawn_rows
from microveil.plan.attacked import Attacked
from microveil.plan.compared import compare_columns
from microveil.plan.plan import Plan
from microveil.plan.quick_attack import quick_worst_case
from microveil.plan.verdict_loss import loss_of_amounts
from microveil.run.contract import Step
from microveil.run.method import Method
from microveil.run.release import Release

MOST_TRIED = 2_000  # records on which both plans are run


@dataclass(frozen=True)
class TriedChange:
    """A change of the plan with what comes of it: per cent of records found in the worst case, and loss (PIL).

    The worst case is over all attacks that are quick and fit the plan, so that a change which only trades one attack
    for another does not look like protection.
    """

    change: str
    found: tuple[float, float]  # before and after
    loss: tuple[float, float] | None
    records: int
    of: int

    def __str__(self) -> str:
        before, after = self.found
        text = f"{self.change}: {format_number(after)} % instead of {format_number(before)} % of the records are found"
        if self.loss is not None:
            text += f", at a loss (PIL) of {format_number(self.loss[1])} % instead of {format_number(self.loss[0])} %"
        return f"{text} (both plans were run once on {self.records:,} of {self.of:,} records)."

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {"change": self.change, "found": self.found, "loss": self.loss, "records": self.records, "of": self.of}


def advise_against(release: Release, attack: Attack | str) -> TriedChange | None:
    """What the change that helps against an attack does to this release: measured, on a sample of a large file.

    None where the attack knows no change of the methods that were used. Both plans are run with the same key on the
    same records, so that neither figure owes anything to another draw.
    """
    against = find(attack, Attack)() if isinstance(attack, str) else attack
    if not isinstance(against, Attack):
        raise BadInput(f"{attack!r} is not an attack; give one of mv.attack or its name, as in 'rank-swap-attack'")
    steps = [record.step for record in release.steps]
    changed = [_changed(step, against) for step in steps]
    words = dict.fromkeys(_in_words(old, new) for old, new in zip(steps, changed, strict=True) if old != new)
    if not words:
        return None
    data = _some_records(release.original)
    before, after = (_figures(data, plan) for plan in (steps, changed))
    if before is None or after is None:
        return None
    loss = None if before[1] is None or after[1] is None else (before[1], after[1])
    return TriedChange("; ".join(words), (before[0], after[0]), loss, data.n, release.original.n)


def advise(release: Release, found: Sequence[Attacked]) -> tuple[TriedChange, ...]:
    """The changes that help against the attacks that succeed, each tried once."""
    names = dict.fromkeys(one.measure.name for one in found if one.succeeds and isinstance(one.measure, Attack))
    tried = [advise_against(release, name) for name in names]
    return tuple(dict.fromkeys(one for one in tried if one is not None))


def _changed(step: Step, attack: Attack) -> Step:
    """The step with the method that withstands the attack better, if there is one."""
    if attack.name not in step.method.attacks:
        return step
    stronger = attack.stronger(step.method)
    return step if stronger is None else Step(stronger, step.columns, step.given, step.by, step.missing)


def _in_words(old: Step, new: Step) -> str:
    before, after = old.method, new.method
    assert isinstance(before, Method)
    assert isinstance(after, Method)
    if type(before) is type(after):
        differing = [p.name for p in after.parameters() if getattr(before, p.name) != getattr(after, p.name)]
        if len(differing) == 1 and isinstance(getattr(after, differing[0]), int | float):
            (name,) = differing
            return f"{name}={getattr(after, name):g} instead of {getattr(before, name):g}"
    return f"{in_python(after)} instead of {in_python(before)}"


def _some_records(data: Microdata) -> Microdata:
    if data.n <= MOST_TRIED:
        return data
    rows = drawn_rows(np.arange(data.n), MOST_TRIED, "records on which changes are tried")
    return data.with_(data.narwhal[rows.tolist()].to_native())


def _figures(data: Microdata, steps: Sequence[Step]) -> tuple[float, float | None] | None:
    """The per cent of records found in the worst case, and the loss; None where nobody can be looked for."""
    release = Plan(steps).run(data, seed=1)
    pair = compare_columns(Pair.of(data, release)).pair
    worst = quick_worst_case(pair)
    return (worst.value, loss_of_amounts(pair, None)) if isinstance(worst, Measured) else None
