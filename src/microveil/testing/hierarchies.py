"""The common suite for rules of hierarchies."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput
from microveil.hierarchy import Hierarchy, HierarchyRule
from microveil.hierarchy.checking import TOP
from microveil.testing.values import VALUE_CHECKS, check_round_trips, refusal


def check_paths_nest_and_meet(rule: HierarchyRule) -> None:
    """Paths of its samples are equally long, nested (or `Hierarchy` would refuse them) and end in one value."""
    found = rule.of(rule.samples)
    assert not found.notes, f"paths had to be completed: {found.notes}"
    assert {path[-1] for path in found.values()} == {TOP}
    assert set(found) == set(rule.samples)


def check_written_and_read(rule: HierarchyRule) -> None:
    """A file gives the same hierarchy again, by value."""
    made = rule.of(rule.samples)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hierarchy.csv"
        made.write(path)
        read = Hierarchy.read(path)
        read.write(path.with_suffix(".again"))
        assert path.read_bytes() == path.with_suffix(".again").read_bytes()
    assert list(read.values()) == list(made.values())
    assert not read.notes, f"the file had to be completed: {read.notes}"


def check_rule_stays_the_same(rule: HierarchyRule) -> None:
    """The rule of a hierarchy, in plain terms and back, gives the same paths, whatever values it is asked about."""
    made = rule.of(rule.samples)
    assert made.rule is not None
    again = HierarchyRule.from_spec(made.rule.to_spec())
    assert all(again.whole_path(value) == path for value, path in made.items())
    some = rule.samples[: len(rule.samples) // 2 + 1]
    assert {value: again.of(some)[value] for value in some} == {value: made[value] for value in some}


def check_what_it_takes_is_said(rule: HierarchyRule) -> None:
    """A rule that does not take every value says which ones came."""
    bound, odd = rule.bound(rule.samples), object()
    if bound.whole_path(odd) is None:
        said = refusal("a value without a path", BadInput, lambda: bound.of([*rule.samples, odd]))
        assert bound.takes in said, f"it does not say that it takes {bound.takes}: {said}"


CLASS_CHECKS: tuple[Callable[[Any], None], ...] = VALUE_CHECKS
POINT_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_round_trips,
    check_paths_nest_and_meet,
    check_written_and_read,
    check_rule_stays_the_same,
    check_what_it_takes_is_said,
)
