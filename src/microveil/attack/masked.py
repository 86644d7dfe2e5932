"""The columns that one method alone masked, as far as an intruder may rely on it."""

from __future__ import annotations

from typing import NamedTuple

from microveil.attack.view import View
from microveil.measure import PublicStep
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

    @property
    def replaced(self) -> tuple[str, ...]:
        """All columns that it replaced, as far as anybody knows."""
        return self.columns if self.step is None else self.step.columns


def find_masked(view: View, attack: str, stated: MethodContract | None, example: str) -> list[Masked] | str:
    """The methods that declare the attack, with the columns that hold what they made; or why there are none.

    What an attack concludes from a method is false where another step changed the column as well, or left records
    out afterwards. `stated` is the method that the user says was used, on all known columns, where nobody else knows;
    `example` is how to state one.
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
        alone = tuple(name for name in step.columns if name in view.known.names and len(view.plan.steps_on(name)) == 1)
        reason = _why_not(view, step, alone)
        if reason:
            reasons.append(reason)
        else:
            found.append(Masked(step.method if stated is None else stated, alone, step.by, step))
    return found or "; ".join(dict.fromkeys(reasons))


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
