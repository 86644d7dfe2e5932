"""Audit: weights of a file whose plan samples records, beside the true ones, which all grow by one factor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.data.units import observed_unit
from microveil.io.rounding import unit_to_write
from microveil.package.as_planned import labels_of
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, undecided
from microveil.package.nearest_runs import distances
from microveil.package.plan_runs import PlanRuns

CHECK = "copies"
_ALIKE = 1e-9  # of a weight, by which programs compute it otherwise
_LAST_DIGIT = 1e-6  # of a unit


def compare_weights(
    file: DataFile, original: Microdata, runs: PlanRuns, name: str, others: Sequence[str]
) -> list[Finding]:
    """Whether each record has a true weight of a record that is alike in other columns, times the common factor.

    Designs that draw some records more often than others have no such factor: their weights are left open.
    """
    assert runs.full is not None
    told = f"{file.name}: the weights in {name!r}"
    files = [file.data, *runs.files, runs.full]
    if not all(name in one.columns and one.narwhal.get_column(name).dtype.is_numeric() for one in files):
        return [undecided(CHECK, f"{told} could not be laid beside the true ones: they are no numbers.", "log=...")]
    missing = {other: original.schema[other].missing for other in others}
    labels = labels_of(files, missing) if missing else [np.zeros(one.n, dtype=np.int64) for one in files]
    weights = [one.values(name, "continuous").numbers for one in files]
    room = _half_unit(weights[-1], original.roles[name])
    strange, *of_runs = (
        _count_strange(label, weight, labels[-1], weights[-1] * (runs.full.n / run.n), room)
        for label, weight, run in zip(labels[:-1], weights[:-1], [runs.files[0], *runs.files], strict=True)
    )
    if any(of_runs):
        why = "the plan gives them by a factor that differs from record to record, or draws the records anew"
        return [undecided(CHECK, f"{told} could not be laid beside the true ones: {why}.", "log=...")]
    if not strange:
        return []
    share = f"{strange:,} of {counted(file.data.n, 'record')}"
    return [broken(CHECK, f"{told} are not the true ones times a common factor in {share}: it was not made so.")]


def _count_strange(labels: Ints, weights: Floats, true_labels: Ints, true: Floats, room: float) -> int:
    """How many weights are none of the true ones of records alike; a gap is strange where no such record has one."""
    known = np.isfinite(weights)
    far = distances(labels[known], weights[known], true_labels, true) > room + _ALIKE * np.abs(weights[known])
    gaps = ~np.isin(labels[~known], true_labels[~np.isfinite(true)])
    return int(far.sum() + gaps.sum())


def _half_unit(weights: Floats, role: str) -> float:
    """Half of the unit in which weights are written."""
    unit = unit_to_write(observed_unit(weights), role)
    return 0.0 if unit is None else 0.5 * 10.0**unit * (1 + _LAST_DIGIT)
