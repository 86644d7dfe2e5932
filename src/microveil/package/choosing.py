"""The plan of a run: the one that the project states, or the one that a search recommends within its limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from microveil.core.errors import BadInput, OverLimit
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.plan.plan import Plan
from microveil.plan.plan_words import few, in_words
from microveil.plan.project import Project
from microveil.plan.project_plan import with_plan


def plan_in_words(plan: Plan) -> tuple[str, ...]:
    """The steps of a plan, each in a few words.

    >>> import microveil as mv
    >>> plan_in_words(mv.Plan([(mv.mask.RankSwap(p=7), ["pay", "debts"])]))
    ('rank-swap (p: 7) on pay, debts',)
    """
    return tuple(f"{in_words(step.method)} on {few(step.columns or ()) or 'all that it is for'}" for step in plan.steps)


@dataclass(frozen=True)
class Chosen:
    """A plan, the project with it, and in words where it came from."""

    plan: Plan
    project: Project
    why: str


def refuse_no_plan(project: Project, name: str) -> None:
    """A project needs a plan, or has to say what a search may do."""
    if project.plan is None and not project.search:
        raise BadInput(f"{name} has no plan; state one under plan, as microveil inspect proposes it, or a search")


def choose_plan(project: Project, data: Microdata) -> Chosen:
    """The plan that is run; without one, what the search section asks for is searched, and its best plan is taken.

    A plan that was recommended keeps all limits in every draw under fresh keys; where none does, that is an error
    which names the nearest plan. It is put into the text of the project, which stays inside.
    """
    if project.plan is not None:
        return Chosen(project.plan, project, "stated in the project")
    from microveil.study import search

    asked = dict(project.search)
    found = search(data, scenarios=project.scenarios, utility=project.utility, **asked)
    if not found.keeping():
        raise OverLimit(f"{found.nearest_said()}. Nothing was written")
    best = found.best()
    if found.confirmed_draws(best) is None:
        raise OverLimit(
            "no plan that was found could be confirmed under fresh keys; give the search more time (budget under "
            "search). Nothing was written"
        )
    why = f"chosen by a search among {counted(len(found.trials), 'plan')}"
    text = with_plan(project.written or project.to_text(), best.plan, why)
    return Chosen(best.plan, replace(project, plan=best.plan, written=text), why)
