"""The common suite for anonymity models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from microveil.claims import Anonymity
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table, Values
from microveil.testing.values import VALUE_CHECKS, check_round_trips


def check_joining_keeps_classes(model: Anonymity) -> None:
    """Classes that satisfy the model still do when they are joined: partitions and lattices rely on it."""
    draw = np.random.default_rng(5)
    for n in (40, 200):
        columns = {name: Values("ordinal", draw.integers(0, 4, size=n), tuple("abcd")) for name in model.sensitive}
        rule = ClassRule.of(model, Table(columns, n), draw.uniform(1, 3, size=n))
        fine = draw.integers(0, n // 12, size=n)
        classes = int(fine.max()) + 1
        kept = ~rule.broken(fine, classes)
        coarse = fine // 2
        broken = rule.broken(coarse, int(coarse.max()) + 1)
        for first in range(0, classes - 1, 2):
            if kept[first] and kept[first + 1]:
                assert not broken[first // 2], f"two classes satisfy {model.asked}, and joined they do not"


def check_one_record_is_refused(model: Anonymity) -> None:
    """A class of one record never satisfies a model."""
    columns = {name: Values("ordinal", np.arange(4), tuple("abcd")) for name in model.sensitive}
    rule = ClassRule.of(model, Table(columns, 4), np.ones(4))
    assert rule.broken(np.arange(4), 4).all(), f"a class of one record satisfies {model.asked}"


CLASS_CHECKS: tuple[Callable[[Any], None], ...] = VALUE_CHECKS
POINT_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_round_trips,
    check_joining_keeps_classes,
    check_one_record_is_refused,
)
