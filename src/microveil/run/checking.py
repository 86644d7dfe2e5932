"""Checking promises: the evidence of each, from the source and a released frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from microveil.claims import Evidence, Verdict, share_of_repeats
from microveil.core.arrays import Floats, Ints
from microveil.core.ordering import distinct
from microveil.data import frames
from microveil.data.coding import in_common
from microveil.data.table import Values
from microveil.run.promises import Promise
from microveil.run.restoring import restore
from microveil.run.state import State


class Checker:
    """Verifies the promises of a state on a frame of its rows, or on its values before they were rounded (no frame).

    `half_units` are half the units to which columns were rounded: what rounding may move is allowed for.
    """

    def __init__(self, state: State, frame: frames.Frame | None, half_units: Mapping[str, float]) -> None:
        self._state, self._frame, self._half_units = state, frame, half_units

    def verdicts(self, promises: Sequence[Promise] | None = None) -> list[tuple[Promise, Verdict]]:
        """Every promise with what was found; one promise of several subdomains may be broken several times."""
        known: tuple[object, ...] | None = None
        found: list[tuple[Promise, Verdict]] = []
        for promise in self._state.promises if promises is None else promises:
            wanted = (promise.step, promise.claim.columns, promise.given)
            if known != wanted:
                # promises of one step follow one another and look at the same columns
                known, evidence = wanted, self._evidence(promise)
            found += [(promise, verdict) for verdict in self._check(promise, evidence)]
        return found

    def _check(self, promise: Promise, evidence: Evidence) -> list[Verdict]:
        if not promise.by:
            return [promise.claim.check(evidence)]
        labels = self._state.source.domains(promise.by)[0]
        if promise.reference is not None:
            labels = np.where(promise.reference >= 0, labels[promise.reference], -1)
        released = self._state.domain_of_rows(promise.by)
        present = np.unique(released[released >= 0])
        each = [promise.claim.check(evidence.rows(labels == domain, released == domain)) for domain in present]
        broken = [verdict for verdict in each if not verdict.holds]
        if not each:
            return [promise.claim.check(evidence)]  # no row is left in any subdomain: then of all of them together
        return broken or [max(each, key=lambda verdict: (not verdict.exactly, verdict.largest))]

    def _evidence(self, promise: Promise) -> Evidence:
        state, reference = self._state, promise.reference
        columns = promise.claim.columns
        pairs = [self._common(name) for name in columns]
        given = [state.source.values(name) for name in promise.given]
        kept = [values.numbers for values in given if values.levels is None]
        half_units = np.array([self._half_units.get(name, 0.0) for name in columns])
        before = [original for original, _ in pairs]
        if reference is not None:
            before = [original[reference] for original in before]
            kept = [numbers[reference] for numbers in kept]
        return Evidence(
            columns,
            before,
            [after for _, after in pairs],
            half_units,
            self._origin(reference),
            state.groupings.get(promise.step),
            np.column_stack(kept) if kept else None,
            self._repeats(columns, half_units),
        )

    def _origin(self, reference: Ints | None) -> Ints:
        """The place of each released row's original among the rows that the step saw, -1 where it has none."""
        origin = self._state.origin
        if reference is None:
            return origin
        place = np.full(self._state.source.n + 1, -1, dtype=np.int64)  # the last entry is for -1
        place[reference[::-1]] = np.arange(len(reference))[::-1]
        place[-1] = -1
        return place[origin]

    def _repeats(self, columns: Sequence[str], half_units: Floats) -> Floats | None:
        """How much values repeat themselves before rounding: equal values are rounded alike."""
        if not half_units.any():
            return None
        return share_of_repeats([self._state.values(name).numbers for name in columns], half_units)

    def _common(self, name: str) -> tuple[Floats, Floats]:
        """Original and released column as numbers in one coding."""
        state = self._state
        source, column = state.source, state.source.schema[name]
        used_as = state.changed[name].kind if name in state.changed else source.kinds[name]
        if self._frame is None and used_as == "continuous":
            return source.values(name, "continuous").numbers, state.values(name, "continuous").numbers
        series = (restore(state).frame if self._frame is None else self._frame).get_column(name)
        if used_as == "continuous":
            return source.values(name, "continuous").numbers, frames.numbers_to_read(series, name, column.missing)
        other = frames.encode(series, None, column.missing, name)
        if column.kind == "continuous":
            # an amount that was recoded: no level is common, and a level per amount would be dear
            amounts = source.values(name).numbers
            seen = Values("nominal", np.where(other.codes < 0, -1, other.codes + len(amounts)), other.levels)
            return _amounts_as_codes(amounts), seen.numbers
        encoded = source.encoded(name)
        both = in_common(
            [Values("nominal", encoded.codes, encoded.levels), Values("nominal", other.codes, other.levels)]
        )
        return both[0].numbers, both[1].numbers


def _amounts_as_codes(amounts: Floats) -> Floats:
    """The number of each amount among the distinct ones, NaN where missing."""
    codes = distinct(amounts)[1].astype(np.float64)
    codes[np.isnan(amounts)] = np.nan
    return codes
