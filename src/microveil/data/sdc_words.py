"""The words of sdcMicro for the columns of a file, as roles and kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from microveil.core.errors import BadInput

Names = str | Sequence[str] | None


@dataclass(frozen=True)
class SdcWords:
    """What `createSdcObj` is told, as roles and kinds of columns."""

    roles: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, keys: Names, numbers: Names, weight: Names, household: Names, strata: Names, left_out: Names
    ) -> SdcWords:
        """One role for each column named; a column named twice in different meanings is an error."""
        groups = {
            "keyVars": ("key", _listed(keys)),
            "numVars": ("confidential", _listed(numbers)),
            "weightVar": ("weight", _listed(weight)),
            "hhId": ("household", _listed(household)),
            "strataVar": ("stratum", _listed(strata)),
            "excludeVars": ("identifier", _listed(left_out)),
        }
        roles: dict[str, str] = {}
        for word, (role, names) in groups.items():
            for name in names:
                if name in roles:
                    raise BadInput(f"{word} names {name!r}, which has the role {roles[name]!r} already; name it once")
                roles[name] = role
        return cls(roles, dict.fromkeys(_listed(numbers), "continuous"))


def _listed(names: Names) -> list[str]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)
