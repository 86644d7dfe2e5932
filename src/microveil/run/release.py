"""A release: protected data in the user's own frame, with what is promised about it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim, Evidence, Verdict, share_of_repeats
from microveil.core.errors import BrokenPromise, NothingHidden
from microveil.core.guarantee import Guarantee
from microveil.core.streams import Key
from microveil.data import frames
from microveil.data.microdata import Microdata, replace_columns
from microveil.data.table import Values
from microveil.run.method import StepRecord
from microveil.run.state import Promise, State


class Release:
    """What a method or a plan returns.

    `frame` is public: the same library, index, column order and types as the input, rows aligned
    with it. `origin`, `groups`, `steps` and the key are private: they link the release to the source.
    """

    def __init__(
        self,
        state: State,
        frame: frames.Frame,
        half_units: Mapping[str, float],
        key: Key,
        notes: tuple[str, ...],
    ) -> None:
        self._state = state
        self._frame = frame
        self._half_units = dict(half_units)
        self._key = key
        self.notes = notes

    @classmethod
    def finish(cls, state: State, key: Key) -> Release:
        """Put the values back into the user's frame, check every claim, and refuse to return a broken promise."""
        frame, half_units, notes = _restore(state)
        if _nothing_changed(state):
            text = f"{_names_of(state)} left every value as it was: nothing is protected"
            warnings.warn(text, NothingHidden, stacklevel=3)
            notes = (*notes, text)
        if not key.strong:
            notes = (*notes, "the seed has fewer than 128 bits: fine for tests, not for a real release")
        release = cls(state, frame, half_units, key, (*state.notes, *notes))
        verdicts = release.check()
        broken = [verdict for verdict in verdicts if not verdict.holds]
        if broken:
            raise BrokenPromise("; ".join(str(verdict) for verdict in broken))
        release.notes = (*release.notes, *_rounding_notes(verdicts))
        return release

    @property
    def frame(self) -> Any:
        """The protected data, in the library the user came with."""
        return self._frame.to_native()

    @property
    def narwhal(self) -> frames.Frame:
        """The protected data behind the common interface."""
        return self._frame

    @property
    def original(self) -> Microdata:
        """The source (private)."""
        return self._state.source

    @property
    def data(self) -> Microdata:
        """The protected data with the roles and kinds of the source."""
        kinds, levels = {}, {}
        for name, values in self._state.changed.items():
            if values.levels is None or _same_levels(self.original, name, values):
                continue
            # recoded: the order of the old levels means nothing any more
            kinds[name] = values.kind
            levels[name] = values.levels if values.kind == "ordinal" else None
        emptied = _emptied(self._state)
        # an empty column of weights or households is none
        roles = {name: None for name in self.original.names("weight", "household") if name in emptied}
        return self.original.with_(self.frame, roles=roles, kinds=kinds, levels=levels)

    @property
    def origin(self) -> NDArray[np.int64]:
        """Private: the original row of each released row, -1 where it is synthetic."""
        return self._state.origin

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """Private: the group of each released row, of the last step that formed groups."""
        return self.groupings[max(self.groupings)] if self.groupings else None

    @property
    def groupings(self) -> Mapping[int, NDArray[np.int64]]:
        """Private: the groups of each step that formed some, by the number of the step from 0."""
        return self._state.groupings

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were acted on, with those that changed along (weights, linked columns)."""
        named = (name for step in self.steps for name in step.columns)
        return tuple(dict.fromkeys((*named, *self._state.changed)))

    @property
    def perturbed(self) -> dict[str, str]:
        """The columns that hold other than true values made coarser, and the method that changed them."""
        return {name: step.method.name for step in self.steps if not step.method.coarsens for name in step.columns}

    @property
    def steps(self) -> tuple[StepRecord, ...]:
        """Private: the steps as they were run."""
        return self._state.steps

    @property
    def key(self) -> Key:
        """Private: the key of all randomness in this release."""
        return self._key

    @property
    def promises(self) -> tuple[Promise, ...]:
        """What is promised, with the subdomains in which it holds."""
        return self._state.promises

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is promised exactly."""
        return tuple(promise.claim for promise in self._state.promises)

    @property
    def guarantee(self) -> Guarantee:
        """Private: what is proven about linking records to people, and what an intruder who knows more can compute."""
        from microveil.run.guarantee import guarantee_of

        return guarantee_of(self)

    def check(self, frame: Any = None) -> tuple[Verdict, ...]:
        """Verify every claim on the released frame (or on another copy of it with the same rows)."""
        released = self._frame if frame is None else frames.open_frame(frame)
        known: tuple[Any, ...] | None = None
        verdicts: list[Verdict] = []
        for promise in self.promises:
            wanted = (promise.step, promise.claim.columns, promise.given)
            if known != wanted:
                # promises of one step follow one another and look at the same columns
                known, evidence = wanted, self._evidence(promise, released)
            verdicts += self._verdicts(promise, evidence)
        return tuple(verdicts)

    def _verdicts(self, promise: Promise, evidence: Evidence) -> list[Verdict]:
        if not promise.by:
            return [promise.claim.check(evidence)]
        labels = self.original.domains(promise.by)[0][self._state.scope]
        released = self._state.domain_of_rows(promise.by)[_in_scope(self._state)]
        present = np.unique(released[released >= 0])
        each = [promise.claim.check(evidence.rows(labels == domain, released == domain)) for domain in present]
        broken = [verdict for verdict in each if not verdict.holds]
        return broken or [max(each, key=lambda verdict: verdict.deviation)]

    def _evidence(self, promise: Promise, released: frames.Frame) -> Evidence:
        columns = promise.claim.columns
        pairs = [self._common(name, released) for name in columns]
        given = [self.original.values(name) for name in promise.given]
        kept = [values.numbers for values in given if values.levels is None]
        half_units = np.array([self._half_units.get(name, 0.0) for name in columns])
        evidence = Evidence(
            columns,
            [before for before, _ in pairs],
            [after for _, after in pairs],
            half_units,
            self.origin,
            self.groupings.get(promise.step),
            np.column_stack(kept) if kept else None,
            share_of_repeats([self._state.values(name).numbers for name in columns], half_units)
            if half_units.any()
            else None,
        )
        return evidence if self._state.scope.all() else evidence.rows(self._state.scope)

    def _common(self, name: str, released: frames.Frame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Original and released column as numbers in one coding."""
        used_as = self._state.changed[name].kind if name in self._state.changed else self.original.kinds[name]
        column = self.original.schema[name]
        if used_as == "continuous":
            return (
                self.original.values(name, "continuous").numbers,
                frames.numbers_to_read(released.get_column(name), name, column.missing),
            )
        other = frames.encode(released.get_column(name), None, column.missing, name)
        if column.kind == "continuous":
            # an amount that was recoded: no level is common, and a level per amount would be dear
            amounts = self.original.values(name).numbers
            seen = Values("nominal", np.where(other.codes < 0, -1, other.codes + len(amounts)), other.levels)
            return _amounts_as_codes(amounts), seen.numbers
        source = self.original.encoded(name)
        levels = {level: i for i, level in enumerate(source.levels)}
        for level in other.levels:
            levels.setdefault(level, len(levels))
        lookup = np.array([*(levels[level] for level in other.levels), -1], dtype=np.int64)
        codes = lookup[other.codes]
        return Values("nominal", source.codes, source.levels).numbers, Values("nominal", codes, tuple(levels)).numbers

    def __len__(self) -> int:
        return len(self.origin)

    def __repr__(self) -> str:
        lines = [f"Release: {len(self)} records; {_names_of(self._state)} on {', '.join(map(str, self.columns))}"]
        lines += [f"  promised: {claim}" for claim in self.claims]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def _amounts_as_codes(amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The number of each amount among the distinct ones, NaN where missing."""
    codes = np.unique(amounts, return_inverse=True)[1].astype(np.float64)
    codes[np.isnan(amounts)] = np.nan
    return codes


def _names_of(state: State) -> str:
    return " then ".join(step.method.name for step in state.steps)


def _same_levels(source: Microdata, name: str, values: Values) -> bool:
    return source.kinds[name] != "continuous" and values.levels == source.encoded(name).levels


def _in_scope(state: State) -> NDArray[np.bool_]:
    """Which released rows promises are about: those of source rows in scope, and synthetic ones."""
    return np.asarray(state.scope[state.origin] | (state.origin < 0), dtype=np.bool_)


def _emptied(state: State) -> tuple[str, ...]:
    """The columns in which synthetic rows have no value: nothing of the original stands in for it."""
    if (state.origin >= 0).all():
        return ()
    return tuple(name for name in state.source.columns if name not in state.changed)


def _restore(state: State) -> tuple[frames.Frame, dict[str, float], tuple[str, ...]]:
    source = state.source
    frame = source.narwhal
    same_rows = len(state.origin) == source.n and bool((state.origin == np.arange(source.n)).all())
    if not same_rows:
        frame = frame[np.maximum(state.origin, 0).tolist()]
    if (state.origin < 0).any():
        # a row that comes from no record must not carry a record's label
        frame = frames.without_index(frame)
    columns, half_units, notes = {}, {}, []
    for name in _emptied(state):
        columns[name] = frames.emptied(frame.get_column(name), state.origin >= 0)
    if columns:
        listed = ", ".join(repr(name) for name in columns)
        notes.append(f"synthetic records have no values in the columns that were not synthesised: {listed}")
    for name, values in state.changed.items():
        aligned = frame.get_column(name)
        if values.levels is None:
            numbers = _with_missing_codes(source, name, values, aligned, state.origin)
            restored = frames.restore_numbers(aligned, numbers, source.integers, name)
            columns[name], half_units[name] = restored.series, restored.half_unit
            notes += [restored.note] if restored.note else []
        elif _same_levels(source, name, values):
            columns[name] = _codes_with_missing(source, name, values, state.origin)
        else:
            columns[name] = frames.new_levels(name, values.levels, values.data, frame.implementation)
    return replace_columns(frame, columns), half_units, tuple(notes)


def _with_missing_codes(
    source: Microdata, name: str, values: Values, aligned: frames.Series, origin: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The values, with a missing code standing where it stood before."""
    codes = source.schema[name].missing
    if not codes or not frames.is_numeric(aligned):
        return values.numbers
    raw = frames.raw_numbers(aligned)
    return np.where(np.isnan(values.numbers) & np.isin(raw, codes) & (origin >= 0), raw, values.numbers)


def _codes_with_missing(source: Microdata, name: str, values: Values, origin: NDArray[np.int64]) -> frames.Series:
    encoded, column = source.encoded(name), source.schema[name]
    series = source.narwhal.get_column(name)
    if not column.missing:
        return frames.restore_codes(series, encoded, values.data)
    # a missing code is a value of the column: keep it where it stood by pointing at its own row
    was_missing = (encoded.codes[origin] < 0) & (values.data < 0) & (origin >= 0)
    levels = len(encoded.levels)
    codes = values.data.copy()
    codes[was_missing] = levels + np.arange(int(was_missing.sum()))
    rows = np.concatenate([encoded.first_row, origin[was_missing]])
    return frames.restore_codes(series, frames.Encoded(codes, (), rows), codes)


def _nothing_changed(state: State) -> bool:
    if len(state.origin) != state.source.n or not state.changed or (state.origin < 0).any():
        return False
    for name, values in state.changed.items():
        kind = values.kind if values.levels is None else state.source.kinds[name]
        before = state.source.values(name, kind).take(state.origin)
        if before.levels != values.levels or not np.array_equal(
            before.data, values.data, equal_nan=values.levels is None
        ):
            return False
    return True


def _rounding_notes(verdicts: tuple[Verdict, ...]) -> list[str]:
    return [
        f"after rounding to the units of the original, {verdict.claim} only up to {verdict.deviation:.2g} "
        "standard deviations"
        for verdict in verdicts
        if not verdict.exactly
    ]
