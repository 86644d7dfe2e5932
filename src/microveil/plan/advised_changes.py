"""The changes of a plan that are tried against attacks: declared by methods, known to attacks, and steps to add."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.attack import Attack
from microveil.core.numbers import format_number
from microveil.core.registry import Value
from microveil.core.words import list_all
from microveil.mask import LocalSuppression, RankSwap, Round
from microveil.measure import Pair
from microveil.plan.as_it_was import is_as_it_was
from microveil.plan.plan_words import in_words
from microveil.plan.safer_steps import safer_plans, with_method
from microveil.plan.untouched import Untouched
from microveil.run.contract import Step

_SWAPPED = RankSwap(p=10)
_SUPPRESSED = LocalSuppression(k=3)


@dataclass(frozen=True)
class PlanChange:
    """A changed plan, with the change in words."""

    words: str
    steps: tuple[Step, ...]


def changes_against(
    steps: Sequence[Step], attacks: Sequence[Attack], every: bool, pair: Pair, untouched: Sequence[Untouched]
) -> tuple[PlanChange, ...]:
    """What may help against these attacks, each change once; `every`: something found records whatever the method.

    `pair` is the release beside its original, `untouched` what no step changed and gives records away.
    """
    concerned = [
        place
        for place, step in enumerate(steps)
        if every or any(attack.for_any_release or attack.name in step.method.attacks for attack in attacks)
    ]
    found = [*_known_to(attacks, steps), *(PlanChange(*one) for one in safer_plans(steps, concerned))]
    found += _rounded(steps, pair) if concerned else ()
    found += _protected(steps, pair, untouched)
    return tuple({one.steps: one for one in reversed(found)}.values())[::-1]


def _known_to(attacks: Sequence[Attack], steps: Sequence[Step]) -> Iterator[PlanChange]:
    """Another method in place of one that an attack is about."""
    for attack in attacks:
        words: dict[str, None] = {}
        changed = []
        for step in steps:
            method = attack.stronger(step.method) if attack.name in step.method.attacks else None
            if method is None or _is_declared(step.method, method):
                changed.append(step)
                continue
            changed.append(with_method(step, method))
            words[f"{in_words(method)} instead of {in_words(step.method)}"] = None
        if words:
            yield PlanChange("; ".join(words), tuple(changed))


def _is_declared(before: Value, after: Value) -> bool:
    """Whether one number differs that the method itself declares: it is tried without the attack."""
    if type(before) is not type(after):
        return False
    differing = [one for one in after.parameters() if getattr(before, one.name) != getattr(after, one.name)]
    return len(differing) == 1 and differing[0].safer is not None


def _rounded(steps: Sequence[Step], pair: Pair) -> Iterator[PlanChange]:
    """Fewer digits of the amounts that were changed, where no step rounds them yet."""
    if any(isinstance(step.method, Round) for step in steps):
        return
    bases: dict[float, list[str]] = {}
    for name in pair.of_kind("continuous"):
        base = None if is_as_it_was(pair, name) else _coarse_base(pair, name)
        if base is not None:
            bases.setdefault(base, []).append(name)
    if bases:
        told = [f"{list_all(names)} to multiples of {format_number(base, 12)}" for base, names in bases.items()]
        added = [Step(Round(base=base), names, missing="mask") for base, names in bases.items()]
        yield PlanChange(f"rounding at the end: {'; '.join(told)}", (*steps, *added))


def _coarse_base(pair: Pair, name: str) -> float | None:
    """The largest power of ten of at most half a standard deviation; None where values are its multiples already."""
    released = pair.tables([name])[1][name].data
    observed = released[~np.isnan(released)]
    spread = float(observed.std()) if len(observed) else 0.0
    if not spread > 0 or not math.isfinite(spread):
        return None
    base = float(f"1e{math.floor(math.log10(spread / 2))}")
    steps = observed / base
    return None if base == 0 or bool(np.allclose(steps, np.round(steps), rtol=0, atol=1e-9)) else base


def _protected(steps: Sequence[Step], pair: Pair, untouched: Sequence[Untouched]) -> Iterator[PlanChange]:
    """Steps for the columns that no step touched and that give records away: all at once, for one is enough to find."""
    names = list(dict.fromkeys(name for one in untouched for name in one.columns))
    amounts = [name for name in names if pair.before.kinds[name] == "continuous"]
    others = [name for name in names if name not in amounts]
    added = [(method, chosen) for method, chosen in ((_SWAPPED, amounts), (_SUPPRESSED, others)) if chosen]
    if added:
        words = " and ".join(f"{in_words(method)} on {list_all(chosen)}" for method, chosen in added)
        more = [Step(method, chosen, missing="mask") for method, chosen in added]
        yield PlanChange(f"{words}, which no step touched", (*steps, *more))
