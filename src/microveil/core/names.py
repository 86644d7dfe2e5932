"""Which names of a room are for users."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any


def public_names(room: Mapping[str, Any]) -> list[str]:
    """The names that a room offers, for `dir` and for completing what someone types: no modules, no helpers.

    A name that comes from elsewhere (typing, importlib) is not offered; constants have no home and are.
    """
    return sorted(name for name, value in room.items() if not name.startswith("_") and _is_ours(value))


def _is_ours(value: Any) -> bool:
    # a flag such as TYPE_CHECKING steers the module and offers nothing
    if isinstance(value, ModuleType | bool):
        return False
    home = getattr(value, "__module__", None) or "microveil"
    return str(home).partition(".")[0] == "microveil" and type(value).__module__ != "__future__"
