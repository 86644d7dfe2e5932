"""Protect microdata before release: mask, synthesise, make hybrid data, measure loss and risk.

>>> import microveil as mv
>>> data = mv.Microdata(mv.datasets.make_enterprises(200, seed=1), **mv.datasets.enterprises_schema())
>>> release = mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)).apply(data)
>>> mv.risk.KAnonymity(keys=release.columns)(data, release).value
5.0
"""

from __future__ import annotations

import importlib

from microveil import _rooms

# not that of `typing`: what is loaded before a command answers Ctrl-C in its own words is kept small
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from microveil import attack as attack
    from microveil import certify as certify
    from microveil import datasets as datasets
    from microveil import engines as engines
    from microveil import errors as errors
    from microveil import hierarchy as hierarchy
    from microveil import hybrid as hybrid
    from microveil import io as io
    from microveil import loss as loss
    from microveil import mask as mask
    from microveil import package as package
    from microveil import partition as partition
    from microveil import plan as plan
    from microveil import report as report
    from microveil import reproduce as reproduce
    from microveil import risk as risk
    from microveil import score as score
    from microveil import study as study
    from microveil import synth as synth
    from microveil.claims.anonymity import Anonymity as Anonymity
    from microveil.data import Microdata as Microdata
    from microveil.engines import FileRelease as FileRelease
    from microveil.engines import scan as scan
    from microveil.hierarchy import Hierarchy as Hierarchy
    from microveil.io import read as read
    from microveil.io import write as write
    from microveil.plan import Plan as Plan
    from microveil.plan import assess as assess
    from microveil.plan import compare as compare
    from microveil.plan import evaluate as evaluate
    from microveil.plan import inspect as inspect
    from microveil.plan import methods as methods
    from microveil.run import Release as Release
    from microveil.study import search as search

    __version__: str

# Everything public, and the room it lives in; a room is imported when it is first used.
_OTHER_ROOMS = (
    "app",
    "benchmark",
    "certify",
    "core",
    "data",
    "datasets",
    "detect",
    "engines",
    "errors",
    "io",
    "measure",
    "package",
    "plan",
    "report",
    "reproduce",
    "run",
    "study",
    "testing",
)
_NAMES = {
    "Anonymity": "claims.anonymity",
    "Hierarchy": "hierarchy",
    "Microdata": "data",
    "Release": "run",
    "read": "io",
    "scan": "engines",
    "FileRelease": "engines",
    "write": "io",
    "Plan": "plan",
    "assess": "plan",
    "compare": "plan",
    "evaluate": "plan",
    "inspect": "plan",
    "methods": "plan",
    "search": "study",
}

__all__ = [
    *_NAMES,
    *_rooms.ROOMS,
    "certify",
    "datasets",
    "engines",
    "errors",
    "io",
    "package",
    "plan",
    "report",
    "reproduce",
    "study",
]


def __getattr__(name: str) -> Any:
    if name in (*_rooms.ROOMS, *_OTHER_ROOMS):
        return importlib.import_module(f"microveil.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"microveil.{_NAMES[name]}"), name)
    if name == "__version__":
        # when it is asked for: looking it up takes longer than all else here, and a command could not be stopped
        from importlib.metadata import version

        return version("microveil")
    from microveil.core.parameters import nearest

    hint = "" if name.startswith("_") else nearest(name, (*_rooms.ROOMS, *_OTHER_ROOMS, *_NAMES))
    raise AttributeError(f"module 'microveil' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_rooms.ROOMS, *_OTHER_ROOMS, *_NAMES, "__version__"})
