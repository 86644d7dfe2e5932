"""The weight that no attack makes use of: the office computed it, and nobody outside knows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from microveil.core.words import counted
from microveil.kernels.tables.classes import group_rows
from microveil.measure import Pair, Scenario
from microveil.plan.as_it_was import is_as_it_was


@dataclass(frozen=True)
class UnknownWeight:
    """Released weights that intruders are taken not to know, and how many records these would single out if they did.

    `keys` are those looked at beside them.
    """

    names: tuple[str, ...] = ()
    singled_out: int = 0
    records: int = 0
    keys: tuple[str, ...] = ()

    @property
    def assumption(self) -> str:
        """What is taken for granted, without a full stop; empty if no weight is released."""
        return "the weight is taken as unknown to the intruder" if self.names else ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The assumption, and whom the weight would single out without it."""
        if not self.names:
            return ()
        first = f"{self.assumption[0].upper()}{self.assumption[1:]}."
        return (first, *self.warning)

    @property
    def warning(self) -> tuple[str, ...]:
        """Whom the weight would single out, in a sentence; none if nobody."""
        if not self.singled_out:
            return ()
        said = "The weight is released as it is: it singles out"
        if len(self.names) > 1:
            said = f"The weights {', '.join(map(str, self.names))} are released as they are: they single out"
        together = " together with the keys" if self.keys else ""
        whom = f"{self.singled_out:,} of {counted(self.records, 'record')}{together}"
        return (f"{said} {whom} for whoever knows {'it' if len(self.names) == 1 else 'them'}.",)


NO_WEIGHT = UnknownWeight()


def unknown_columns(pair: Pair) -> tuple[str, ...]:
    """The released columns that no attack compares unless a scenario knows them, such as weights; not identifiers."""
    left = {*pair.known, *pair.before.names("identifier")}
    return tuple(name for name in pair.after.columns if name not in left)


def find_known(scenarios: Iterable[Scenario]) -> frozenset[str]:
    """The columns that the intruder of at least one of the scenarios knows."""
    return frozenset(name for scenario in scenarios for name in scenario.columns)


def unknown_weight(pair: Pair, weights: Sequence[str]) -> UnknownWeight:
    """Those of the weights of a pair that are released and not compared."""
    names = tuple(name for name in weights if name in pair.after.columns and name not in pair.columns)
    if not names or not pair.after.n:
        return NO_WEIGHT
    if not all(is_as_it_was(pair, name) for name in names):
        return UnknownWeight(names)
    keys = tuple(name for name in pair.columns if pair.before.roles[name] == "key" and name not in pair.perturbed)
    released = pair.tables([*names, *keys])[1]
    labels, _ = group_rows(released.codes())
    return UnknownWeight(names, int((np.bincount(labels) == 1).sum()), released.rows, keys)
