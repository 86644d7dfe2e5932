"""What is known about a column: role, kind, order of levels, hierarchy, missing codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import nearest, suggest

Role = Literal["identifier", "key", "confidential", "other", "weight", "household", "stratum"]
Kind = Literal["continuous", "ordinal", "nominal"]

ROLES: tuple[str, ...] = get_args(Role)
KINDS: tuple[str, ...] = get_args(Kind)
TECHNICAL_ROLES = ("identifier", "weight", "household", "stratum")

# A whole-number column with this few values, each repeated this often on average, is a code, not an amount.
_CODE_LEVELS = 12
_CODE_REPEATS = 8


@dataclass(frozen=True)
class Column:
    """One column: its role and kind, and what is needed to read its values.

    `hierarchy` maps a value to its generalisations, from the nearest to the root. `declared`
    tells a kind that the user stated from one that was inferred, `stated` a role that somebody stated from `other`
    by default.
    """

    role: str = "other"
    kind: str = "nominal"
    levels: tuple[Any, ...] | None = None
    hierarchy: Mapping[Any, tuple[Any, ...]] | None = field(default=None, hash=False)
    missing: tuple[Any, ...] = ()
    declared: bool = False
    stated: bool = False

    def __post_init__(self) -> None:
        for what, value, allowed in (("role", self.role, ROLES), ("kind", self.kind, KINDS)):
            if value not in allowed:
                raise BadInput(f"{what} {value!r} is not one of {list(allowed)}{nearest(str(value), allowed)}")


def looks_like_code(distinct: int, rows: int) -> bool:
    """Whether whole numbers with so many distinct values are codes of categories rather than amounts."""
    return distinct <= _CODE_LEVELS and distinct * _CODE_REPEATS <= rows


def check_names(given: Mapping[Any, Any] | tuple[Any, ...] | list[Any], known: list[Any], what: str) -> None:
    """Every name given must be a column; otherwise one error that offers the nearest."""
    present = set(known)
    for name in given:
        if name not in present:
            raise UnknownName(f"{what}: there is no column {name!r}{suggest(str(name), known)}")
