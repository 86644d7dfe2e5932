"""What is known about a column: role, kind, order of levels, hierarchy, missing codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from microveil.core.errors import BadInput, UnknownColumn
from microveil.core.open_types import Cell, Hierarchy
from microveil.core.parameters import nearest, suggest
from microveil.hierarchy.stated import check_stated

Role = Literal["identifier", "key", "confidential", "other", "weight", "household", "stratum"]
Kind = Literal["continuous", "ordinal", "nominal"]

ROLES: tuple[str, ...] = get_args(Role)
KINDS: tuple[str, ...] = get_args(Kind)
ONCE = ("weight", "household")  # roles that one column has at most
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
    levels: tuple[Cell, ...] | None = None
    hierarchy: Hierarchy | None = field(default=None, hash=False)
    missing: tuple[Cell, ...] = ()
    declared: bool = False
    stated: bool = False

    def __post_init__(self) -> None:
        for what, value, allowed in (("role", self.role, ROLES), ("kind", self.kind, KINDS)):
            if value not in allowed:
                raise BadInput(f"{what} {value!r} is not one of {list(allowed)}{nearest(str(value), allowed)}")


def looks_like_code(distinct: int, rows: int) -> bool:
    """Whether whole numbers with so many distinct values are codes of categories rather than amounts."""
    return distinct <= _CODE_LEVELS and distinct * _CODE_REPEATS <= rows


def check_codes(name: Any, codes: Any) -> None:
    """Codes for missing values are a list of plain values."""
    if not _is_plain_list(codes):
        raise BadInput(f"missing[{name!r}] is {codes!r}; give a list of codes, such as [99, -1]")


def check_levels(name: Any, levels: Any) -> None:
    """The order of a column is a list of plain values, each once; None states none."""
    if levels is None:
        return
    if not _is_plain_list(levels) or not len(levels):
        raise BadInput(f"levels[{name!r}] is {levels!r}; give a list of values in order, such as [low, middle, high]")
    seen = Counter(levels)
    if len(seen) < len(levels):
        raise BadInput(f"levels[{name!r}] names {seen.most_common(1)[0][0]!r} twice; name each level once")


def check_hierarchy(name: Any, hierarchy: Any) -> None:
    """A hierarchy maps values to lists of coarser ones, or is a file or a rule; None states none."""
    check_stated(hierarchy, f"the hierarchy of column {name!r}")


def _is_plain_list(given: Any) -> bool:
    """Whether this is a list, array or the like of single values."""
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(given, Collection):
        return False
    return not any(isinstance(value, Collection) and not isinstance(value, str | bytes) for value in given)


def check_names(given: Mapping[Any, Any] | tuple[Any, ...] | list[Any], known: list[Any], what: str) -> None:
    """Every name given must be a column; otherwise one error that offers the nearest."""
    present = set(known)
    for name in given:
        if name not in present:
            raise UnknownColumn(f"{what}: there is no column {name!r}{suggest(str(name), known)}", name)
