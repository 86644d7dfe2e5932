"""Checks of growth: four times the records take about four times the memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from microveil.core.errors import BadInput
from microveil.partition.base import Partition
from microveil.run.method import Method
from microveil.testing.runs import run
from microveil.testing.samples import as_microdata, sample_columns

_ROWS = 160
_GROWTH = 4.6  # a little more than 4: tables of categories fill up
_PER_RECORD = 500  # bytes that are never too much, as where the number of groups grows up to a limit


def check_memory(method: Method) -> None:
    """Peak memory grows about as the number of records does.

    A class that cannot do better says `memory = "quadratic"`, itself or through a parameter that is one.
    """
    _check_growth(method, lambda n: partial(run, method, as_microdata(sample_columns(n))))


def check_memory_of_groups(partition: Partition) -> None:
    """The same for a partition on a matrix."""
    draw = np.random.default_rng(4)
    X = draw.normal(size=(4 * _ROWS, 3))
    _check_growth(partition, lambda n: partial(partition.labels, X[:n], seed=1))


def _check_growth(member: Any, task: Callable[[int], Callable[[], Any]]) -> None:
    if says_quadratic(member):
        return
    try:
        task(4 * _ROWS)()  # what is compiled or imported once does not count
        small, large = (_peak(task(n)) for n in (_ROWS, 4 * _ROWS))
    except BadInput:
        return  # a clear refusal
    assert large <= max(_GROWTH * small, 4 * _ROWS * _PER_RECORD), (
        f"{4 * _ROWS} records take {large / small:.1f} times the memory of {_ROWS} ({large / 1e6:.1f} MB); "
        "about 4 times are expected"
    )


def says_quadratic(member: Any) -> bool:
    """Whether a class, or one of its parameters, declares that its memory grows as the square of the records."""
    if getattr(member, "memory", "linear") == "quadratic":
        return True
    parameters = member.parameters() if hasattr(member, "parameters") else ()
    return any(says_quadratic(getattr(member, parameter.name)) for parameter in parameters)


def _peak(task: Callable[[], Any]) -> int:
    gc.collect(1)  # so that the next collection comes at the same place; all that is loaded need not be searched
    tracemalloc.start()
    try:
        task()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
