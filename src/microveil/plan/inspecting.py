"""The first look at a file with everything that is proposed for it: roles, kinds, a plan and its scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from microveil.data.microdata import AnyData
from microveil.plan.inspection import Inspection, first_look
from microveil.plan.proposal import proposal_for


def inspect(data: AnyData, progress: Callable[[str, int, int], None] | None = None) -> Inspection:
    """Look at every column of a frame or of Microdata and propose roles, kinds and a plan; what was stated is kept.

    >>> import pyarrow as pa
    >>> found = inspect(pa.table({"email": ["a@x.org", "b@x.org"], "sex": ["f", "m"]}))
    >>> found.roles
    {'email': 'identifier', 'sex': 'key'}
    """
    found = first_look(data, progress)
    proposal = proposal_for(found.source, found)
    looks = (
        replace(
            look,
            role=proposal.roles[look.name],
            kind=proposal.kinds[look.name],
            why=proposal.reasons[look.name],
        )
        for look in found.columns
    )
    return replace(
        found,
        columns=tuple(looks),
        plan=proposal.plan,
        scenarios=proposal.scenarios,
        comments=proposal.comments,
    )
