"""The common suite for partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from microveil.core.arrays import Matrix
from microveil.core.errors import BadInput, BrokenPromise, MissingValues, NotEnoughRecords
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.partition.base import Partition
from microveil.testing.memory import check_memory_of_groups
from microveil.testing.values import VALUE_CHECKS, check_round_trips, refusal, run_checks


def _files(n: int) -> dict[str, Matrix]:
    draw = np.random.default_rng(n)
    normal = draw.normal(size=(n, 3))
    clustered = normal * 0.05 + draw.integers(0, 4, size=(n, 1))
    return {
        "normal": normal,
        "clustered": clustered,
        "one column": normal[:, :1].copy(),
        "ties": draw.integers(0, 3, size=(n, 2)).astype(np.float64),
        "duplicates": np.repeat(normal[: max(1, n // 4)], 5, axis=0)[:n] if n >= 4 else normal,
        "constant column": np.column_stack([normal[:, 0], np.full(n, 2.5)]),
        "all equal": np.full((n, 2), 1.25),
    }


def _check_labels(labels: Any, n: int, k: int, where: str) -> None:
    assert labels.shape == (n,), where
    assert labels.dtype == np.int64, where
    counts = np.bincount(labels)
    assert counts.min() >= k, f"{where}: a group of {counts.min()} records, k={k}"


def _sizes(k: int) -> list[int]:
    """Numbers of records at which the number of groups may change, and those beside them.

    Up to k = 10 every number until two groups are full; with larger k those at the borders stand for the rest.
    """
    step = max(1, k // 10)
    return sorted({*range(k, 2 * k - 1, step), k + 1, 2 * k - 1, 2 * k, 2 * k + 1, 3 * k - 1, 3 * k, 4 * k + 1, 137})


def check_sizes(partition: Partition) -> None:
    """Groups have at least k records on every kind of file and at every size from k on."""
    k = partition.k
    for n in _sizes(k):
        for what, X in _files(n).items():
            _check_labels(partition.labels(X[:n], seed=1), len(X[:n]), k, f"{what}, n={n}")


def check_too_few(partition: Partition) -> None:
    """Fewer than k records are refused with both numbers."""
    for n in range(1, partition.k):
        X = np.arange(float(n))[:, None]
        message = refusal(f"{n} records with k={partition.k}", NotEnoughRecords, lambda X=X: partition.labels(X))  # type: ignore[misc]
        assert str(partition.k) in message
        assert str(n) in message


def check_gaps_refused(partition: Partition) -> None:
    """Missing and infinite values are refused by the number of their column."""
    for bad in (np.nan, np.inf):
        X = np.random.default_rng(1).normal(size=(40, 3))
        X[5, 1] = bad
        message = refusal(f"the value {bad}", MissingValues, lambda X=X: partition.labels(X))  # type: ignore[misc]
        assert "column 1" in message
    for wrong in ("text", [["a"], ["b"]], np.zeros((4, 0)), np.zeros((2, 2, 2))):
        refusal(f"{wrong!r}", BadInput, lambda wrong=wrong: partition.labels(wrong))  # type: ignore[misc]


def check_deterministic(partition: Partition) -> None:
    """One key gives one partition; a partition that draws nothing needs no key; the input stays."""
    X = np.random.default_rng(2).normal(size=(90, 4))
    kept = X.copy()
    first = partition.labels(X, seed=1)
    assert (first == partition.labels(X, seed=1)).all()
    if not partition.random:
        assert (first == partition.labels(X, seed=2)).all()
    assert np.array_equal(X, kept)


def check_units_do_not_matter(partition: Partition) -> None:
    """Standardised, the partition does not depend on the units of the attributes."""
    if partition.standardise is None:
        return
    X = np.random.default_rng(3).normal(size=(80, 3))
    other = X * np.array([1024.0, 2.0**-10, 1.0])  # powers of two: no rounding hides a difference
    assert (partition.labels(X, seed=1) == partition.labels(other, seed=1)).all()


def check_mixed_tables(partition: Partition) -> None:
    """Tables of every kind of column, with ties, one level only, and gaps: groups of at least k, or a clear refusal."""
    k = partition.k
    for n in (k, 2 * k + 1, 90):
        for what, table in _tables(n).items():
            before = {name: values.data.copy() for name, values in table.columns.items()}
            try:
                labels = partition.groups_of(table, _streams())
            except (BadInput, MissingValues):
                continue  # a clear refusal
            except BrokenPromise as problem:
                raise AssertionError(f"{what}, n={n}: {problem}") from problem
            _check_labels(labels, n, k, f"{what}, n={n}")
            again = partition.groups_of(table, _streams())
            assert (labels == again).all(), f"{what}, n={n}: one key, two partitions"
            for name, data in before.items():
                kept = np.array_equal(table[name].data, data, equal_nan=table[name].levels is None)
                assert kept, f"{what}, n={n}: {name} was changed"


def _streams() -> Streams:
    return Streams(Key.of("mixed tables")).at("groups")


def _tables(n: int) -> dict[str, Table]:
    draw = np.random.default_rng(n)
    numbers = draw.normal(size=n)
    amount = Values("continuous", numbers)
    ordinal = Values("ordinal", draw.integers(0, 4, size=n), ("low", "fair", "good", "high"))
    nominal = Values("nominal", draw.integers(0, 3, size=n), ("a", "b", "c"))
    one = Values("nominal", np.zeros(n, dtype=np.int64), ("only",))
    gap = np.arange(n) % 5 == 0
    return {
        "amounts and categories": Table({"x": amount, "o": ordinal, "n": nominal}, n),
        "categories only": Table({"o": ordinal, "n": nominal}, n),
        "one level": Table({"x": amount, "one": one}, n),
        "one level alone": Table({"one": one}, n),
        "gaps": Table(
            {
                "x": amount.with_data(np.where(gap, np.nan, numbers)),
                "o": ordinal.with_data(np.where(np.roll(gap, 1), -1, ordinal.data)),
                "n": nominal.with_data(np.where(np.roll(gap, 2), -1, nominal.data)),
            },
            n,
        ),
        "a column of gaps": Table({"x": amount, "n": nominal.with_data(np.full(n, -1))}, n),
    }


CLASS_CHECKS: tuple[Callable[[Any], None], ...] = (*VALUE_CHECKS, check_gaps_refused, check_memory_of_groups)
POINT_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_round_trips,
    check_sizes,
    check_too_few,
    check_deterministic,
    check_units_do_not_matter,
    check_mixed_tables,
)
PARTITION_CHECKS = (*POINT_CHECKS, *CLASS_CHECKS)


def check_partition(partition: Partition) -> None:
    """Run the whole suite on one partition; the first failure is raised with the name of its check."""
    run_checks(partition, PARTITION_CHECKS)
