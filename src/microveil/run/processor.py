"""What the numbers of some methods depend on: the processor, and the linear algebra that was made for it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from typing import Any

from microveil.core.registry import Value

_WORDS = {
    "machine": "machine",
    "system": "system",
    "instructions": "sets of instructions",
    "linear algebra": "linear algebra",
    "kernels": "kernels of linear algebra",
}


def depends_on_processor(value: Any) -> bool:
    """Whether a method, or one inside it, declares that its numbers may depend on the processor."""
    return any(getattr(one, "depends_on_processor", False) for one in _with_nested(value))


def _with_nested(value: Any) -> Iterator[Value]:
    if isinstance(value, Value):
        yield value
        for parameter in value.parameters():
            yield from _with_nested(getattr(value, parameter.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from _with_nested(one)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _with_nested(one)


def describe_processor() -> dict[str, Any]:
    """The processor as far as numbers may depend on it: no name and no path of the machine."""
    import numpy as np

    built: Any = np.show_config(mode="dicts")
    blas = built["Build Dependencies"]["blas"]
    extensions = built["SIMD Extensions"]
    return {
        "machine": platform.machine(),
        "system": platform.system(),
        "instructions": [*extensions.get("baseline", ()), *extensions.get("found", ())],
        "linear algebra": f"{blas['name']} {blas['version']}",
        # OpenBLAS takes those of the processor unless it is told otherwise
        "kernels": os.environ.get("OPENBLAS_CORETYPE", "") or "those of the processor",
    }


def tell_other_processor(logged: Mapping[str, Any]) -> str:
    """In which way the processor of a log differs from this one; empty: in none that is known."""
    here = describe_processor()
    other = [
        f"{words} {_shown(logged[name])}, here {_shown(here[name])}"
        for name, words in _WORDS.items()
        if name in logged and logged[name] != here[name]
    ]
    return "; ".join(other)


def _shown(fact: Any) -> str:
    return " ".join(map(str, fact)) if isinstance(fact, list) else str(fact)
