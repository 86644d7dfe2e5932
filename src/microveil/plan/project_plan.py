"""Another plan put into the text of a project, with everything else in it as it was, comments too."""

from __future__ import annotations

from microveil.core.errors import BadInput
from microveil.plan.plan import Plan
from microveil.plan.project import Project
from microveil.plan.project_sections import with_section


def with_plan(text: str, plan: Plan, why: str) -> str:
    """The text of a project with this plan in place of its own; `why` stands above it as a comment.

    The result is read back: nothing but the plan may have changed.
    """
    changed = with_section(text, "plan", plan.to_mapping(), why)
    if Project.from_text(changed).plan != plan:
        raise BadInput("the plan of this project cannot be replaced in its text; put the recommended plan in by hand")
    return changed
