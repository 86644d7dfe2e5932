"""Which checks run on which members: every class once, what parameters may change at every grid point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from microveil.claims import Anonymity
from microveil.core.registry import Value, registered
from microveil.hierarchy import HierarchyRule
from microveil.measure import Measure
from microveil.partition.base import Partition
from microveil.run.method import Method
from microveil.testing import hierarchies, measures, methods, models, partitions
from microveil.testing.values import grid_points, run_checks

SUITES: tuple[tuple[type[Value], Any], ...] = (
    (Method, methods),
    (Partition, partitions),
    (Measure, measures),
    (Anonymity, models),
    (HierarchyRule, hierarchies),
)


def cases(cls: type[Value]) -> Iterator[tuple[Value, Callable[[Value], None]]]:
    """Every member of a class to try, with every check to run on it; those that parameters change come first."""
    suite = next(module for base, module in SUITES if issubclass(cls, base))
    for number, member in enumerate(grid_points(cls)):
        for check in (*suite.POINT_CHECKS, *suite.CLASS_CHECKS) if number == 0 else suite.POINT_CHECKS:
            yield member, check


def all_cases() -> Iterator[tuple[Value, Callable[[Value], None]]]:
    """Everything registered."""
    for cls in registered():
        yield from cases(cls)


def check_class(cls: type[Value]) -> None:
    """Run the whole suite on a class at every grid point; the first failure names its check and member."""
    found = False
    for member, check in cases(cls):
        found = True
        run_checks(member, [check], f"{member!r}, ")
    if not found:
        raise AssertionError(f"{cls.__name__} states neither a grid for its required parameters nor an example")
