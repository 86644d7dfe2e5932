"""Which checks run on which members, and in which tier: every class once, what parameters change at all grid points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, Literal

from microveil.claims import Anonymity
from microveil.core.registry import Value, registered
from microveil.hierarchy import HierarchyRule
from microveil.measure import Measure
from microveil.partition.base import Partition
from microveil.plan.catalogue import example_of
from microveil.run.method import Method
from microveil.testing import hierarchies, measures, methods, models, partitions
from microveil.testing.attacks import check_guarantee_against_attacks, check_guarantee_against_linkage
from microveil.testing.blocks import check_in_blocks
from microveil.testing.engines import check_any_engine
from microveil.testing.memory import check_memory, check_memory_of_groups
from microveil.testing.replaying import check_replay
from microveil.testing.two_steps import check_two_steps
from microveil.testing.values import check_round_trips, grid_points, run_checks
from microveil.testing.written import check_written_formats

Check = Callable[[Any], None]
Tier = Literal["quick", "long", "full"]

SUITES: tuple[tuple[type[Value], Any], ...] = (
    (Method, methods),
    (Partition, partitions),
    (Measure, measures),
    (Anonymity, models),
    (HierarchyRule, hierarchies),
)

# Tiers of this package: `make test-quick` runs what is quick, `make test` what is long as well, `make test-full` all.
# A check that is not named here is quick at the first grid point of a class, and full at all others.
# Long at all other grid points: cheap, and parameters decide what comes of them.
AT_EVERY_POINT: frozenset[Check] = frozenset(
    {
        check_round_trips,
        methods.check_claims,
        measures.check_figure,
        measures.check_by_agrees,
        partitions.check_too_few,
        partitions.check_mixed_tables,
    }
)
# Long at the first grid point: a tenth of a second and more.
LONG: frozenset[Check] = frozenset(
    {
        check_replay,
        check_guarantee_against_attacks,
        check_guarantee_against_linkage,
        methods.check_input_untouched,
        methods.check_frame_comes_back,
        methods.check_frames_alike,
        check_any_engine,
        check_written_formats,
        check_two_steps,
        methods.check_small_files,
        methods.check_hard_columns,
        partitions.check_sizes,
        measures.check_frames_alike,
        measures.check_row_order,
        measures.check_few_records,
    }
)
# Long for one class of each family and each form of methods, full for all others.
OF_REPRESENTATIVES: frozenset[Check] = frozenset({check_memory, check_in_blocks, check_memory_of_groups})


def cases(cls: type[Value]) -> Iterator[tuple[Value, Check]]:
    """Every member of a class to try, with every check to run on it; those that parameters change come first."""
    suite = next(module for base, module in SUITES if issubclass(cls, base))
    for number, member in enumerate(grid_points(cls)):
        for check in (*suite.POINT_CHECKS, *suite.CLASS_CHECKS) if number == 0 else suite.POINT_CHECKS:
            yield member, check


def tier_of(member: Value, check: Check) -> Tier:
    """Return the tier in which a check of a member runs."""
    if member not in _first_members():
        return "long" if check in AT_EVERY_POINT else "full"
    if check in OF_REPRESENTATIVES:
        return "long" if type(member) in _representatives() else "full"
    return "long" if check in LONG else "quick"


@cache
def _first_members() -> frozenset[Value]:
    return frozenset(member for cls in registered() for member in islice(grid_points(cls), 1))


@cache
def _representatives() -> frozenset[type[Value]]:
    """The first class of each family, of methods also by what they must know of the file."""
    first: dict[tuple[str, str], type[Value]] = {}
    for cls in registered():
        first.setdefault((cls.family, getattr(example_of(cls), "passes", "")), cls)
    return frozenset(first.values())


def all_cases() -> Iterator[tuple[Value, Check]]:
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
