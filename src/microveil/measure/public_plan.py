"""What anybody may know of how a release was made: methods with parameters and columns, never key, origin or groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from microveil.run.contract import MethodContract, StepRecord


class MadeBySteps(Protocol):
    """A release, of whatever size."""

    @property
    def steps(self) -> Sequence[StepRecord]:
        """What was done."""

    @property
    def changed(self) -> Iterable[str]:
        """The columns that hold new values."""


@dataclass(frozen=True)
class PublicStep:
    """A step as an intruder knows it: the method with its parameters, its columns, and how many records it left."""

    method: MethodContract
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    given: tuple[str, ...]
    by: tuple[str, ...]
    missing: str
    records: int
    synthetic: bool


@dataclass(frozen=True)
class PublicPlan:
    """The steps of a release in their order, and the columns that hold other values than the original."""

    steps: tuple[PublicStep, ...]
    changed: frozenset[str]

    @classmethod
    def of(cls, release: MadeBySteps) -> PublicPlan:
        """The public part of what was done for a release."""
        steps = tuple(
            PublicStep(
                record.method,
                record.columns,
                record.kinds,
                record.given,
                record.step.by,
                record.step.missing,
                record.records,
                record.synthetic,
            )
            for record in release.steps
        )
        return cls(steps, frozenset((*release.changed, *(name for step in steps for name in step.columns))))

    def attacked_by(self, attack: str) -> tuple[PublicStep, ...]:
        """The steps whose method declares this attack."""
        return tuple(step for step in self.steps if attack in step.method.attacks)

    def steps_on(self, column: str) -> tuple[PublicStep, ...]:
        """The steps that replaced a column."""
        return tuple(step for step in self.steps if column in step.columns)
