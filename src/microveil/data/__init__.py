"""Microdata: roles and kinds of columns, in and out of the user's own frame.

`Method`, `Job`, `Outcome`, `Release`, `Measure` and `Pair` can be imported from here too, for authors of methods;
they live above this room (`microveil.run`, `microveil.measure`) and are loaded when they are asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from microveil.core.names import public_names as _public_names
from microveil.data.fingerprint import fingerprint as fingerprint
from microveil.data.microdata import Microdata as Microdata
from microveil.data.schema import KINDS as KINDS
from microveil.data.schema import ROLES as ROLES
from microveil.data.schema import Column as Column
from microveil.data.table import Table as Table
from microveil.data.table import Values as Values

if TYPE_CHECKING:
    from microveil.measure import Measure as Measure
    from microveil.measure import Pair as Pair
    from microveil.run import Job as Job
    from microveil.run import Method as Method
    from microveil.run import Outcome as Outcome
    from microveil.run import Release as Release

_ABOVE = {
    "Job": "microveil.run",
    "Measure": "microveil.measure",
    "Method": "microveil.run",
    "Outcome": "microveil.run",
    "Pair": "microveil.measure",
    "Release": "microveil.run",
}


def __getattr__(name: str) -> Any:
    if name in _ABOVE:
        return getattr(importlib.import_module(_ABOVE[name]), name)
    raise AttributeError(f"module 'microveil.data' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*_public_names(globals()), *_ABOVE})
