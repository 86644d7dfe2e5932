"""A name that a module does not have: the error offers the nearest one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from microveil.core.parameters import nearest


def suggesting(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module: an AttributeError with the nearest public name."""

    def missing(name: str) -> Any:
        public = [known for known in vars(sys.modules[module]) if not known.startswith("_")]
        hint = "" if name.startswith("_") else nearest(name, public)
        raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}")

    return missing
