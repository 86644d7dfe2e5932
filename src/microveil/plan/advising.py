"""Advice that is measured: plans changed against attacks, run under several keys beside the plan that was used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.attack import Attack
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.measured import Measured
from microveil.core.open_types import Json
from microveil.core.registry import find
from microveil.core.streams import Key
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.measure import Pair, Scenario
from microveil.measure.sampling import drawn_rows
from microveil.plan.advised_changes import PlanChange, changes_against
from microveil.plan.attacked import Attacked
from microveil.plan.compared import compare_columns
from microveil.plan.plan import Plan
from microveil.plan.plan_words import in_words
from microveil.plan.quick_attack import quick_worst_case
from microveil.plan.tried_change import Draws, TriedChange
from microveil.plan.untouched import Untouched, find_untouched
from microveil.plan.verdict_loss import loss_of_amounts, loss_of_categories
from microveil.run.contract import Step
from microveil.run.release import Release

MOST_TRIED = 500  # records on which plans are run
_NONE_HELPS = (
    "None of these changes gives fewer records away beyond chance: take another method, as a search finds it, "
    "or release fewer columns."
)
DRAWS = 3  # keys under which a plan is run that draws something


@dataclass(frozen=True)
class Advice:
    """Changes of a plan with what came of each, the safest first; and what could not be tried, with the reason.

    `untouched` are the columns that no step changed and that give many records away.
    """

    tried: tuple[TriedChange, ...] = ()
    untouched: tuple[Untouched, ...] = ()
    not_tried: tuple[str, ...] = ()
    how: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it in sentences."""
        changes = (self.how, *(f"{one}." for one in self.tried)) if self.tried else ()
        none_helps = (_NONE_HELPS,) if self.tried and not any(one.helps for one in self.tried) else ()
        return (*(f"{one}." for one in self.untouched), *changes, *self.not_tried, *none_helps)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __bool__(self) -> bool:
        return bool(self.lines)

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {
            "how": self.how,
            "tried": [one.to_json() for one in self.tried],
            "untouched": [one.to_json() for one in self.untouched],
            "not_tried": list(self.not_tried),
        }


def advise_against(release: Release, attack: Attack | str, scenarios: Sequence[Scenario] = ()) -> Advice:
    """What the changes that may help against an attack do to this release: measured, on a sample of a large file.

    Methods declare which change of which parameter protects more; attacks know methods that withstand them; amounts may
    be rounded, and columns that no step touched be protected. Every plan is run with the same keys on the same records,
    and all quick attacks are tried on it, in the scenarios too, so that a change which only trades one attack for
    another does not look like protection.
    """
    against = find(attack, Attack)() if isinstance(attack, str) else attack
    if not isinstance(against, Attack):
        raise BadInput(f"{attack!r} is not an attack; give one of mv.attack or its name, as in 'rank-swap-attack'")
    return _advise(release, [against], False, scenarios)


def advise(release: Release, found: Sequence[Attacked], scenarios: Sequence[Scenario] = ()) -> Advice:
    """The changes that may help against the attacks that succeed, each tried once."""
    attacks, every = succeeding(found)
    return _advise(release, attacks, every, scenarios) if attacks or every else Advice()


def succeeding(found: Sequence[Attacked]) -> tuple[list[Attack], bool]:
    """The attacks that succeed, with the settings they have anyway; and whether something else finds records too."""
    successful = {one.measure.name: one.measure for one in found if one.succeeds}
    attacks = [type(one)() for one in successful.values() if isinstance(one, Attack)]
    return attacks, len(attacks) < len(successful)


def _advise(release: Release, attacks: Sequence[Attack], every: bool, scenarios: Sequence[Scenario]) -> Advice:
    steps = tuple(record.step for record in release.steps)
    seen = compare_columns(Pair.of(release.original, release)).pair
    untouched = find_untouched(seen, release.columns)
    changes = changes_against(steps, attacks, every, seen, untouched)
    if not changes:
        return Advice((), untouched, (_why_nothing(steps),))
    data = _some_records(release.original)
    before = _run(data, steps, scenarios)
    if isinstance(before, str):
        return Advice((), untouched, (f"No change was tried: {before}.",))
    tried, problems = [], []
    for change in changes:
        after = _run(data, change.steps, scenarios)
        if isinstance(after, str):
            problems.append(_told_problem(change, after))
        else:
            tried.append(TriedChange(change.words, before, after))
    tried.sort(key=lambda one: one.after.found)
    return Advice(tuple(tried), untouched, tuple(problems), _how(data.n, release.original.n))


def _told_problem(change: PlanChange, problem: str) -> str:
    return f"{change.words}: this could not be tried: {problem.rstrip('.')}."


def _why_nothing(steps: Iterable[Step]) -> str:
    names = list_all(list(dict.fromkeys(in_words(step.method) for step in steps)))
    return (
        f"No change was tried: {names} declares no parameter that would protect more against this attack, no amount "
        "can be rounded, and no column that was left as it is gives many records away."
    )


def _how(records: int, of: int) -> str:
    fewer = "" if records == of else ", among which more are found than in the whole file"
    return (
        f"Tried on {records:,} of {counted(of, 'record')}{fewer}; every plan that draws something "
        f"was run under the same {DRAWS} keys (means, with the lowest and highest draw in brackets):"
    )


def _some_records(data: Microdata) -> Microdata:
    if data.n <= MOST_TRIED:
        return data
    rows = drawn_rows(np.arange(data.n), MOST_TRIED, "records on which changes are tried")
    return data.with_(data.narwhal[rows.tolist()].to_native())


def _run(data: Microdata, steps: Sequence[Step], scenarios: Sequence[Scenario]) -> Draws | str:
    """What all quick attacks find and what is lost, under each key; or why that cannot be told."""
    keys = range(1, 1 + (DRAWS if any(step.method.random for step in steps) else 1))
    found, amounts, categories = [], [], []
    for key in keys:
        try:
            release = Plan(steps).run(data, seed=Key.of(key))
        except MicroveilError as problem:
            return str(problem)
        pair = compare_columns(Pair.of(data, release)).pair
        worst = quick_worst_case(pair, scenarios)
        if not isinstance(worst, Measured):
            return worst.reason
        found.append(worst.value)
        amounts.append(loss_of_amounts(pair, None))
        categories.append(loss_of_categories(pair))
    return Draws(tuple(found), _mean(amounts), _mean(categories))


def _mean(values: Sequence[float | None]) -> float | None:
    told = [value for value in values if value is not None]
    return sum(told) / len(told) if len(told) == len(values) else None
