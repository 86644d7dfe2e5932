"""Identifiers, weights, households and strata where nobody states roles: they are no amounts to protect or compare."""

from __future__ import annotations

from collections.abc import Collection

from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata
from microveil.data.schema import TECHNICAL_ROLES
from microveil.plan.inspection import first_look


def with_technical_roles(
    data: Microdata, stated: Collection[str] = (), but: Collection[str] = ()
) -> tuple[Microdata, str]:
    """The data with the technical roles that a first look proposes, and which these are, in words.

    Columns whose role is stated, those in `stated` and those of a role in `but` stay as they are.
    """
    found = {
        name: role
        for name, role in first_look(data).roles.items()
        if role in TECHNICAL_ROLES and role not in but and name not in {*data.stated, *stated}
    }
    try:
        changed = data.with_(roles=found)
    except BadInput:
        # what is called a weight need not be one: some are negative, or missing
        found = {name: role for name, role in found.items() if role != "weight"}
        changed = data.with_(roles=found)
    if not found:
        return data, ""
    return changed, ", ".join(f"{name} ({role})" for name, role in found.items())
