"""Synthesisers with one planted fault each; `bad_methods.planted` registers one for the time of a test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from microveil.data.table import Table
from microveil.run.method import Job, Outcome
from microveil.synth import CholeskySynthesis, FullSynthesiser, InGroups
from microveil.synth.in_groups import PLAINLY


@dataclass(frozen=True, kw_only=True)
class _BadSynthesiser(FullSynthesiser):
    """Base of synthesisers that say nothing ties their records to those given."""

    ties_record: ClassVar[Any] = "none"
    default_roles: ClassVar[tuple[str, ...]] = ("confidential",)
    reference = "none"

    def draw(self, table: Table, records: int, job: Job):
        draw = job.streams.generator()
        rows = np.arange(records) % table.rows
        return {name: values.with_data(self.new(values.data[rows], draw)) for name, values in table.columns.items()}, ()


@dataclass(frozen=True, kw_only=True)
class Nudges(_BadSynthesiser):
    """Move every value by a millionth of a standard deviation."""

    def new(self, x, draw):
        return x + 1e-6 * x.std() * draw.normal(size=len(x))


@dataclass(frozen=True, kw_only=True)
class NudgesMore(_BadSynthesiser):
    """Move every value by a hundredth of a standard deviation."""

    def new(self, x, draw):
        return x + 1e-2 * x.std() * draw.normal(size=len(x)) if len(np.unique(x)) > 1 else x


@dataclass(frozen=True, kw_only=True)
class FollowsRanks(_BadSynthesiser):
    """Draw new values and hand them out in the order of the old ones."""

    def new(self, x, draw):
        fresh = np.sort(x.mean() + x.std() * draw.normal(size=len(x)) * (len(np.unique(x)) > 1))
        return fresh[np.argsort(np.argsort(x, kind="stable"), kind="stable")]


@dataclass(frozen=True, kw_only=True)
class CopiesOriginals(_BadSynthesiser):
    """Draw whole records of the original."""

    def draw(self, table: Table, records: int, job: Job):
        rows = job.streams.generator().integers(0, table.rows, size=records)
        return {name: values.take(rows) for name, values in table.columns.items()}, ()


@dataclass(frozen=True, kw_only=True)
class DrawsAcrossGroups(CholeskySynthesis):
    """Draw the records of all groups together, promising the moments of each."""

    def draw_in_groups(self, table: Table, job: Job, labels: np.ndarray, how: InGroups = PLAINLY) -> Outcome:
        return replace(self.run(table, job), origin=None, claims=self.claims(table.names))


@dataclass(frozen=True, kw_only=True)
class ShufflesGroups(CholeskySynthesis):
    """Return the records of groups in another order than they were given."""

    def draw_in_groups(self, table: Table, job: Job, labels: np.ndarray, how: InGroups = PLAINLY) -> Outcome:
        return replace(super().draw_in_groups(table, job, labels), origin=np.arange(table.rows)[::-1])
