"""Columns that are released as they are: which ones, whom they single out, and which of them a method passed over."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.words import list_some
from microveil.data.frames import codes_of
from microveil.kernels.tables.classes import group_rows
from microveil.run.contract import StepRecord
from microveil.run.restoring import emptied_columns
from microveil.run.state import State
from microveil.run.unchanged import UnchangedShares

_NAMES_SHOWN = 12
_ROLE_IN_WORDS = {"key": "a key", "identifier": "an identifier", "other": "not technical"}


@dataclass(frozen=True)
class AsTheyAre:
    """Released columns that no step changed, how many of the records they single out, and what methods passed over."""

    columns: tuple[Any, ...]
    singled_out: int
    records: int
    passed_over: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The columns and whom they single out, in one sentence; empty if every released column was changed."""
        if not self.columns:
            return ""
        shown = list_some(self.columns, _NAMES_SHOWN)
        many = self.singled_out != 1
        value = "these values" if len(self.columns) == 1 else "these values together"
        return (
            f"released as they are: {shown}; {self.singled_out} of {self.records} records "
            f"{'are' if many else 'is'} alone with {value}"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Everything to know, a sentence each."""
        return (*((self.sentence,) if self.columns else ()), *self.passed_over)


def find_as_they_are(state: State, unchanged: UnchangedShares) -> AsTheyAre:
    """The columns of a finished run that hold the source's own values; identifiers are not released."""
    source = state.source
    # household numbers are drawn anew when a file is written
    hidden = {*source.names("identifier", "household"), *emptied_columns(state)}
    same = {name for name in state.changed if unchanged.get(name) == 1.0}
    columns = tuple(
        name for name in source.columns if name not in hidden and (name not in state.changed or name in same)
    )
    return AsTheyAre(columns, _count_alone(state, columns), len(state.origin), tell_passed_over(state, hidden))


def tell_passed_over(state: State, hidden: Collection[Any]) -> tuple[str, ...]:
    """The columns of the roles that a method protects whose kind it cannot act on, a sentence each."""
    told = (_sentence(state, step, name) for step in state.steps for name in step.passed_over if name not in hidden)
    return tuple(dict.fromkeys(told))


def _sentence(state: State, step: StepRecord, name: Any) -> str:
    role, kind = state.source.roles[name], state.source.kinds[name]
    acted = "did not act on it" if name in state.changed else "left it as it is"
    cure = "protect it in another step"
    if kind == "continuous":
        cure = f"recode it, or state its kind as {' or '.join(step.method.kinds)}"
    return f"{name} is {_ROLE_IN_WORDS.get(role, role)} and {step.method.name} {acted}, since it is {kind}: {cure}"


def _count_alone(state: State, columns: tuple[Any, ...]) -> int:
    """How many released records have a combination of these columns that no other has."""
    labels: Ints | None = None
    for name in columns:
        codes = codes_of(state.source.narwhal.get_column(name), state.source.schema[name].missing)[state.origin]
        pair = codes[:, None] if labels is None else np.column_stack([labels, codes])
        labels, sizes = group_rows(pair)
        if len(sizes) == len(labels):
            return len(labels)
    return 0 if labels is None else int((np.bincount(labels) == 1).sum())
