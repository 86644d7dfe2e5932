"""Columns of a release in blocks that look like identifiers though no role of theirs is stated, over all records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.detect.identifiers import find_identifiers, refuse_found
from microveil.engines.passing import InBlocks, Passed
from microveil.engines.released_columns import Columns
from microveil.engines.survey import Survey, whole_columns
from microveil.kernels.summaries.together import Together
from microveil.run.looking import are_redrawn
from microveil.run.state import State

_MOST = 1 << 20  # released values that are looked for in the source


def refuse_unstated_in_blocks(passing: InBlocks, state: State, survey: Survey, columns: Columns) -> None:
    """Stop at a column that looks like an identifier and has no stated role.

    The survey saw all columns. Redrawn amounts are judged by less, so that only a changed column that looks like an
    identifier needs two more passes.
    """
    seen = survey.columns.unstated
    looks = [seen[name].look(name) for name in passing.source.columns if name in seen]
    found = find_identifiers(looks)
    amounts = [name for name, values in state.changed.items() if name in found and values.levels is None]
    if amounts:
        found = find_identifiers(looks, _find_redrawn(passing, survey, columns, amounts))
    refuse_found(found)


@dataclass(frozen=True)
class _Some:
    """Released values of a column, in any order."""

    values: Floats

    def merge(self, other: _Some) -> _Some:
        return _Some(np.concatenate([self.values, other.values]))


@dataclass(frozen=True)
class _Occurring:
    """Which of some values occur in the source."""

    found: Bools

    def merge(self, other: _Occurring) -> _Occurring:
        return _Occurring(self.found | other.found)


def _find_redrawn(passing: InBlocks, survey: Survey, columns: Columns, names: Sequence[str]) -> list[str]:
    """Return the columns of amounts most released values of which do not occur in the source."""
    starts, every = survey.starts(), -(-survey.released // _MOST)

    def released(passed: Passed) -> Together[str, _Some]:
        chosen = (starts[passed.first] + np.arange(len(passed.state.origin))) % every == 0
        pairs = zip(names, whole_columns(passed, names, columns.rounded), strict=True)
        return Together({name: _Some(after.numbers[chosen & ~after.missing]) for name, (_, after) in pairs})

    some = passing.gather(released, names).parts

    def occurring(passed: Passed) -> Together[str, _Occurring]:
        pairs = zip(names, whole_columns(passed, names, ()), strict=True)
        return Together(
            {
                name: _Occurring(np.isin(some[name].values, before.numbers[~before.missing]))
                for name, (before, _) in pairs
            }
        )

    parts = passing.gather(occurring, names).parts
    return [name for name in names if are_redrawn(parts[name].found)]
