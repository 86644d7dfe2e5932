"""The first look at a file with everything that is proposed for it: roles, kinds, rules, a plan and its scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from microveil.data.microdata import AnyData
from microveil.plan.inspection import Inspection, first_look
from microveil.plan.proposal import proposal_for
from microveil.plan.proposed_hierarchies import propose_hierarchies
from microveil.plan.proposed_rules import propose_rules


def inspect(data: AnyData, progress: Callable[[str, int, int], None] | None = None) -> Inspection:
    """Look at every column of a frame or of Microdata; propose roles, kinds, rules and a plan; what was stated is kept.

    >>> import pyarrow as pa
    >>> found = inspect(pa.table({"email": ["a@x.org", "b@x.org"], "sex": ["f", "m"]}))
    >>> found.roles
    {'email': 'identifier', 'sex': 'key'}
    """
    found = first_look(data, progress)
    found = replace(found, rules=propose_rules(found))
    proposal = proposal_for(found.source, found)
    looks = tuple(
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
        columns=looks,
        plan=proposal.plan,
        scenarios=proposal.scenarios,
        comments=proposal.comments,
        rules=proposal.rules,
        hierarchies=propose_hierarchies(found.source, looks),
    )
