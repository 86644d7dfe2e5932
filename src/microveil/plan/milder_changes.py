"""Changes of a plan that may let a figure survive: milder settings, and columns that are left as they are.

Each of them protects less; one that takes columns out of a step says so, for whoever reads it may follow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from microveil.core.words import list_all
from microveil.plan.advised_changes import PlanChange
from microveil.plan.plan_words import in_words
from microveil.plan.safer_steps import safer_plans
from microveil.run.contract import Step


def milder_changes(steps: Sequence[tuple[Step, Sequence[str]]], needed: Iterable[str]) -> Iterator[PlanChange]:
    """Milder settings of the steps that touch the columns a figure needs, and these steps without the columns.

    `steps` are those of a plan, each with the columns that it changed. Nothing is said of what comes of a change:
    whoever names one has to measure it.
    """
    wanted = set(needed)
    plain = tuple(step for step, _ in steps)
    concerned = [place for place, (_, columns) in enumerate(steps) if wanted & set(columns)]
    for words, changed in safer_plans(plain, concerned, milder=True):
        yield PlanChange(words, changed)
    for place in concerned:
        step, columns = steps[place]
        left = [name for name in columns if name not in wanted]
        taken = [name for name in columns if name in wanted]
        leave = "leaves" if len(taken) == 1 else "leave"
        words = f"{in_words(step.method)} without {list_all(taken)}, which then {leave} as in the file: less protection"
        fewer = [Step(step.method, left, step.given, step.by, step.missing)] if left else []
        rest = (*plain[:place], *fewer, *plain[place + 1 :])
        if rest:
            yield PlanChange(words, rest)
