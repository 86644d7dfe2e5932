"""Synthesisers and masks that act in groups: what they say of each group must hold there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microveil.claims import Claim, Evidence
from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.table import Table, Values
from microveil.mask.base import Mask
from microveil.run.contract import Step
from microveil.run.job import Job, Outcome
from microveil.run.method import Method
from microveil.run.state import State
from microveil.synth.base import Synthesiser
from microveil.testing.runs import sample

_GROUPS = 4


def check_in_groups(method: Method) -> None:
    """In groups every record has a new one in its place, and what is exact in each group by declaration is so.

    A method that refuses to act in groups, or has no way of its own to do so, has nothing to show.
    """
    data = sample()
    chosen, _ = method.resolve(data, Step(method, given=()))
    table = State.begin(data).table(chosen)
    job = Job(Streams(Key.of(1)), Table({}, table.rows), table)
    labels = np.arange(table.rows) % _GROUPS
    try:
        found, exact, whole = _run_in_groups(method, table, job, labels)
    except BadInput:
        return
    if found is None:
        return
    assert found.origin is None or np.array_equal(found.origin, np.arange(table.rows)), (
        "in groups records left their places"
    )
    for name, values in found.columns.items():
        assert len(values.data) == table.rows, (
            f"in groups {name} has {len(values.data)} values for {table.rows} records"
        )
    before, after = _numbers(table, table.columns), _numbers(table, found.columns)
    evidence = Evidence(table.names, before, after, np.zeros(len(table.names)), np.arange(table.rows), found.groups)
    for claim in whole:
        assert claim.on(table.names).check(evidence).holds, f"drawn in groups, this does not hold: {claim}"
    for group in range(_GROUPS):
        inside = evidence.rows(labels == group)
        for claim in exact:
            verdict = claim.on(table.names).check(inside)
            assert verdict.holds, f"by declaration exact in groups, and in one of them: {verdict}"


def _run_in_groups(
    method: Method, table: Table, job: Job, labels: Ints
) -> tuple[Outcome | None, tuple[Claim, ...], tuple[Claim, ...]]:
    """The outcome, what should hold in every group, and what should hold of the whole."""
    if isinstance(method, Synthesiser):
        found = method.draw_in_groups(table, job, labels)
        return found, method.exact_in_groups(table.names), found.claims or ()
    if isinstance(method, Mask):
        return method.run_in_groups(table, job, labels), method.claims(table.names), ()
    return None, (), ()


def _numbers(table: Table, columns: Mapping[str, Values]) -> list[np.ndarray]:
    return [columns.get(name, table[name]).numbers for name in table.names]
