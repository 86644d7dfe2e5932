"""Protect microdata before release: mask, synthesise, make hybrid data, measure loss and risk.

>>> import microveil as mv
>>> data = mv.Microdata(mv.datasets.make_enterprises(200, seed=1), **mv.datasets.enterprises_schema())
>>> release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data)
>>> mv.risk.KAnonymity(keys=release.columns)(data, release).value
5.0
"""

from __future__ import annotations

import importlib

# not that of `typing`: what is loaded before a command answers Ctrl-C in its own words is kept small
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from microveil import datasets, hybrid, io, loss, mask, partition, plan, report, risk, synth
    from microveil.claims.anonymity import Anonymity
    from microveil.data import Microdata
    from microveil.io import read, write
    from microveil.plan import Plan, assess, evaluate, inspect, methods
    from microveil.run import Release

    __version__: str

# Everything public, and the room it lives in; a room is imported when it is first used.
_ROOMS = (
    "core",
    "data",
    "datasets",
    "detect",
    "hybrid",
    "io",
    "loss",
    "mask",
    "measure",
    "partition",
    "plan",
    "report",
    "reproduce",
    "risk",
    "run",
    "synth",
    "testing",
)
_NAMES = {
    "Anonymity": "claims.anonymity",
    "Microdata": "data",
    "Release": "run",
    "read": "io",
    "write": "io",
    "Plan": "plan",
    "assess": "plan",
    "evaluate": "plan",
    "inspect": "plan",
    "methods": "plan",
}

__all__ = [
    "Anonymity",
    "Microdata",
    "Plan",
    "Release",
    "assess",
    "datasets",
    "evaluate",
    "hybrid",
    "inspect",
    "io",
    "loss",
    "mask",
    "methods",
    "partition",
    "plan",
    "read",
    "report",
    "reproduce",
    "risk",
    "synth",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"microveil.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"microveil.{_NAMES[name]}"), name)
    if name == "__version__":
        # when it is asked for: looking it up takes longer than all else here, and a command could not be stopped
        from importlib.metadata import version

        return version("microveil")
    from microveil.core.parameters import nearest

    hint = "" if name.startswith("_") else nearest(name, (*_ROOMS, *_NAMES))
    raise AttributeError(f"module 'microveil' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS, *_NAMES, "__version__"})
