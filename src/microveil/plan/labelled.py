"""Plans to compare, each with a name for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from microveil.core.errors import BadInput
from microveil.core.words import kind_of
from microveil.plan.plan import Plan
from microveil.plan.plan_words import words_of
from microveil.run.contract import Step
from microveil.run.method import Method

AnyPlan = Plan | Method | Step | str | Path
AnyPlans = Mapping[str, AnyPlan] | Sequence[AnyPlan]


def label_plans(plans: AnyPlans) -> dict[str, Plan]:
    """The plans by their labels; those of a list are called by their file or by their methods, no two alike."""
    if isinstance(plans, Mapping):
        found = {str(label): _plan(plan) for label, plan in plans.items()}
    elif isinstance(plans, str | Path | Method | Plan | Step) or not isinstance(plans, Sequence):
        raise BadInput(f"plans is {kind_of(plans)}; give a list of plans, methods or plan files, or a mapping of names")
    else:
        found = {}
        for plan in plans:
            label = _label(plan)
            same = sum(known == label or known.startswith(f"{label} (") for known in found)
            found[f"{label} ({same + 1})" if same else label] = _plan(plan)
    if not found:
        raise BadInput("there is no plan to compare; give at least one")
    return found


def _plan(plan: object) -> Plan:
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Method | Step):
        return Plan([plan])
    if isinstance(plan, str | Path):
        return _load(Path(plan))
    raise BadInput(f"{plan!r} is not a plan; give a plan, a method, or the path of a plan file")


def _load(path: Path) -> Plan:
    """The plan of a plan file, or the one in a project file."""
    from microveil.io import read_text
    from microveil.plan.project import Project

    if not _is_project(read_text(path)):
        return Plan.load(path)
    found = Project.load(path).plan
    if found is None:
        raise BadInput(f"the project {path} has no plan in it; give a plan file, or a project with a plan")
    return found


def _is_project(text: str) -> bool:
    """Whether a file tells of a data file, as a project does; what cannot be read is told as a plan."""
    try:
        stated = yaml.safe_load(text)
    except yaml.YAMLError:
        return False
    return isinstance(stated, Mapping) and "steps" not in stated and "dataset" in stated


def _label(plan: object) -> str:
    if isinstance(plan, str | Path):
        return Path(plan).stem
    return words_of(_plan(plan))
