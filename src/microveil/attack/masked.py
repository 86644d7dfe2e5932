"""The columns that one method alone masked, as far as an intruder may rely on it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from microveil.attack.simulating import values_before
from microveil.attack.view import View
from microveil.core.arrays import Floats
from microveil.measure import PublicPlan, PublicStep
from microveil.run.contract import MethodContract

UNKNOWN = "nobody knows which method made this file"


class Masked(NamedTuple):
    """A method, the known columns that it alone replaced, and the columns inside whose subdomains it did.

    `step` is what it did as a whole, with columns that the intruder does not know; None where nobody knows.
    """

    method: MethodContract
    columns: tuple[str, ...]
    by: tuple[str, ...] = ()
    step: PublicStep | None = None
    before: Mapping[str, Floats] = MappingProxyType({})  # known amounts as earlier steps handed them to it, if any did

    @property
    def replaced(self) -> tuple[str, ...]:
        """All columns that it replaced, as far as anybody knows."""
        return self.columns if self.step is None else self.step.columns


def find_masked(
    view: View, attack: str, stated: MethodContract | None, example: str, after_settled: bool = False
) -> list[Masked] | str:
    """The methods that declare the attack, with the columns that hold what they made; or why there are none.

    What an attack concludes from a method is false where another step changed the column as well, or left records
    out afterwards. `stated` is the method that the user says was used, on all known columns, where nobody else knows;
    `example` is how to state one. `after_settled`: steps that came before may have changed a column if nothing was
    drawn in them, for then the intruder knows what they made of the known values.
    """
    if view.plan is None:
        if stated is None:
            return f"{UNKNOWN}; give the release itself, or say what was done, as in {example}"
        return [Masked(stated, view.known.names)]
    steps = view.plan.attacked_by(attack)
    if not steps:
        return "no step of this release was made by a method that it is about"
    found, reasons = [], []
    for step in steps:
        before = _amounts_before(view, step) if after_settled else {}
        alone = tuple(
            name for name in step.columns if name in view.known.names and _is_last(view.plan, step, name, before)
        )
        reason = _why_not(view, step, alone)
        if reason:
            reasons.append(reason)
        else:
            found.append(Masked(step.method if stated is None else stated, alone, step.by, step, before))
    return found or "; ".join(dict.fromkeys(reasons))


def _is_last(plan: PublicPlan, step: PublicStep, name: str, before: Mapping[str, Floats]) -> bool:
    """Whether a step made what a column shows, from known values or from what is known of those before."""
    steps = plan.steps_on(name)
    return steps[-1] is step and (len(steps) == 1 or name in before)


def _amounts_before(view: View, step: PublicStep) -> dict[str, Floats]:
    values = values_before(view, step) or {}
    return {name: one.numbers for name, one in values.items() if one.levels is None}


def _why_not(view: View, step: PublicStep, alone: tuple[str, ...]) -> str:
    """Why nothing follows from a step; empty if something does."""
    name = step.method.name
    if not alone:
        if any(column in view.known.names for column in step.columns):
            return f"another step changed the columns of {name} as well, so that nothing certain follows from them"
        return f"the intruder knows no column that {name} changed"
    if step.records != view.released.rows:
        return f"records were left out after {name}, so that the others no longer stand as it left them"
    unknown = [column for column in step.by if column not in view.untouched]
    if unknown:
        return f"{name} was run inside subdomains of {', '.join(map(str, unknown))}, which the intruder does not know"
    return ""
