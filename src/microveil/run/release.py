"""A release: protected data in the user's own frame, with what is promised about it."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from microveil.claims import Claim, Verdict
from microveil.claims.guarantee import Guarantee
from microveil.core.arrays import Ints
from microveil.core.errors import BrokenPromise, NothingHidden
from microveil.core.streams import Key, Streams
from microveil.core.words import counted
from microveil.data import frames
from microveil.data.frames import AnyFrame, replace_columns
from microveil.data.microdata import Microdata
from microveil.data.table import Values
from microveil.data.units import round_to
from microveil.run.as_they_are import AsTheyAre, find_as_they_are
from microveil.run.checking import Checker
from microveil.run.contract import StepRecord
from microveil.run.controlled_rounding import round_inside_rules
from microveil.run.copies import Copies
from microveil.run.digits import unit_of
from microveil.run.edit_notes import judge_edits
from microveil.run.household_notes import note_households
from microveil.run.looking import (
    count_copied_records,
    find_nothing_hidden,
    find_redrawn,
    note_originals,
    share_unchanged,
)
from microveil.run.promises import WITHOUT_WEIGHTS, Lost, Promise
from microveil.run.proving import guarantee_of
from microveil.run.restoring import Restored, emptied_columns, has_source_levels, restore
from microveil.run.rounded_away import MUCH_OF_A_SPREAD, complaints, give_up_rounded, rounding_notes
from microveil.run.state import State
from microveil.run.unchanged import UnchangedShares, notes_on
from microveil.run.unit_notes import note_units
from microveil.run.weight_notes import note_weights
from microveil.run.written import WriteOptions

# Method.apply and Plan.run stand two frames above: a warning points at the line that called them
_CALLER = 4


class Release:
    """What a method or a plan returns.

    `frame` is for looking at inside: the same library, index, column order and types as the input, rows aligned
    with it, identifiers still in it. `mv.write` makes the file to give away. `origin`, `groups`, `steps` and the
    key are private: they link the release to the source.
    """

    def __init__(
        self,
        state: State,
        restored: Restored,
        key: Key,
        notes: Sequence[str] = (),
        lost: Sequence[Lost] = (),
        exposed: Sequence[str] = (),
    ) -> None:
        # Pickling keeps source, key and links: a pickle is as confidential as the source; `mv.write` writes files for
        # others.
        self._state = state
        self._restored = restored
        self._key = key
        self._lost = tuple(lost)
        self._exposed = tuple(exposed)
        self._written: list[WriteOptions] = []
        self._notes = tuple(notes)

    @classmethod
    def finish(cls, state: State, key: Key) -> Release:
        """Put the values back into the user's frame, check every promise, and refuse to return a broken one."""
        rounded = round_inside_rules(state)
        restored = restore(rounded.state)
        restored = replace(restored, half_units={**restored.half_units, **rounded.moved_by})
        state, broken_rules = judge_edits(state, restored.frame)
        verdicts = Checker(state, restored.frame, restored.half_units).verdicts()
        state, destroyed = give_up_rounded(state, verdicts, Checker(state, None, {}).verdicts)
        coarse = _in_coarse_digits(state, restored, rounded.moved_by)
        if coarse is not restored:
            found = Checker(state, coarse.frame, coarse.half_units).verdicts()
            state, more = give_up_rounded(state, found, Checker(state, None, {}).verdicts)
            destroyed = (*destroyed, *more)
        kept = [(promise, verdict) for promise, verdict in verdicts if promise in state.promises]
        broken = complaints(state, kept)
        if broken:
            raise BrokenPromise("; ".join(broken))
        exposed = find_nothing_hidden(state)
        for text in exposed:
            warnings.warn(text, NothingHidden, stacklevel=_CALLER)
        copies = count_copied_records(state)
        # totals first: whoever reads the first notes only must not miss that they changed
        notes = [*note_weights(state, restored.frame), *broken_rules, *state.notes, *rounded.notes]
        notes += [*restored.notes, *exposed]
        notes += [*notes_on(state.unchanged), *note_originals(state), *note_households(state)]
        notes += note_units(state)
        notes += [str(copies)] if copies is not None and copies.beyond_chance else []
        if not key.strong:
            notes.append("the seed is not a strong key: it is fine for tests, not for a real release")
        notes += rounding_notes(kept)
        return cls(state, restored, key, notes, (*state.lost, *destroyed), exposed)

    # -- what is released ------------------------------------------------------------------------

    @property
    def frame(self) -> AnyFrame:
        """The protected data in the library the user came with, to look at inside; `mv.write` makes the file.

        Its rows stand in the order of the original, and its identifiers are still there.
        """
        native: AnyFrame = self._restored.frame.to_native()
        return native

    @property
    def narwhal(self) -> frames.Frame:
        """The protected data behind the common interface."""
        return self._restored.frame

    @cached_property
    def data(self) -> Microdata:
        """The protected data with the roles and kinds of the source."""
        kinds, levels = {}, {}
        for name, values in self._state.changed.items():
            if values.levels is None or has_source_levels(self.original, name, values):
                continue
            # recoded: the order of the old levels means nothing any more
            kinds[name] = values.kind
            levels[name] = values.levels if values.kind == "ordinal" else None
        emptied = emptied_columns(self._state)
        # an empty column of weights or households is none
        roles = {name: None for name in self.original.names("weight", "household") if name in emptied}
        return self.original.with_(self.frame, roles=roles, kinds=kinds, levels=levels)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were acted on, with those that changed along (weights, linked columns)."""
        named = (name for step in self.steps for name in step.columns)
        return tuple(dict.fromkeys((*named, *self._state.changed)))

    @property
    def changed(self) -> Mapping[str, Values]:
        """The columns that hold new values, as arrays before they were rounded."""
        return self._state.changed

    @cached_property
    def redrawn(self) -> tuple[str, ...]:
        """The columns of amounts of which most values in the release do not occur in the source."""
        return find_redrawn(self._state)

    @property
    def perturbed(self) -> dict[str, str]:
        """The columns that hold other than true values made coarser, and the method that changed them."""
        return {name: step.method.name for step in self.steps if not step.method.coarsens for name in step.columns}

    def __len__(self) -> int:
        return len(self.origin)

    def __repr__(self) -> str:
        return "\n".join([*self.told(), f"  {self.about_frame}", *(f"  note: {note}" for note in self.notes)])

    @property
    def about_frame(self) -> str:
        """Why `frame` must not be given away, in one sentence."""
        names = [name for name in self.original.names("identifier") if name in self.narwhal.columns]
        held = f"identifiers ({', '.join(map(str, names))}) and " if names else ""
        return (
            f"release.frame is for looking at inside: it holds {held}the order of the original; "
            "mv.write(release, path) makes the file to give away"
        )

    def told(self) -> list[str]:
        """What was done, promised and given up, as lines for people; `notes` are apart."""
        steps = " then ".join(step.method.name for step in self.steps)
        lines = [f"Release: {counted(len(self), 'record')}; {steps} on {', '.join(map(str, self.columns))}"]
        lines += [f"  promised: {promise}" for promise in self.promises]
        lines += [f"  {self.about_weights}"] if self.about_weights else []
        return [*lines, *(f"  given up: {text}" for text in self.lost)]

    @property
    def about_weights(self) -> str:
        """That promised statistics are those of records, where there is a weight to count them by; else empty."""
        compares = any(promise.claim.about == "original" for promise in self.promises)
        return WITHOUT_WEIGHTS if compares and self.original.weights is not None else ""

    def _repr_html_(self) -> str:
        html: str = _reports().card_of(self)
        return html

    def report(self, path: str | Path, **options: object) -> None:
        """Write the internal report of this release: verdict, promises, what is lost and at risk, distributions.

        Options are those of `mv.report.report_of`: `evaluation` (else everything is measured), `scenarios` with the
        limits to judge by, `title`, `progress`.
        """
        _reports().report_of(self, path, **options)

    # -- private: what links it to the source ----------------------------------------------------

    @property
    def original(self) -> Microdata:
        """The source (private)."""
        return self._state.source

    @property
    def origin(self) -> Ints:
        """Private: the original row of each released row, -1 where it is synthetic."""
        return self._state.origin

    @property
    def groups(self) -> Ints | None:
        """Private: the group of each released row, of the last step that formed groups."""
        return self.groupings[max(self.groupings)] if self.groupings else None

    @property
    def groupings(self) -> Mapping[int, Ints]:
        """Private: the groups of each step that formed some, by the number of the step from 0."""
        return self._state.groupings

    @property
    def steps(self) -> tuple[StepRecord, ...]:
        """Private: the steps as they were run."""
        return self._state.steps

    @property
    def aside(self) -> Mapping[str, Microdata]:
        """Private: other files that the methods read, by name."""
        return self._state.aside

    @property
    def streams(self) -> Streams:
        """Private: the streams of everything that is drawn for this release, from the key and the data together."""
        return Streams(self._key.for_data(self.original.mark))

    @property
    def key(self) -> Key:
        """Private: the key of all randomness in this release."""
        return self._key

    @property
    def written(self) -> tuple[WriteOptions, ...]:
        """Private: how the release was written so far, for the log; each file has its own order of rows."""
        return tuple(self._written)

    def remember_writing(self, options: WriteOptions) -> None:
        """Note how a file of this release was written: the log and the link of its rows follow from it."""
        self._written.append(options)

    # -- what is promised, proven and left -------------------------------------------------------

    @property
    def promises(self) -> tuple[Promise, ...]:
        """What is promised, with the subdomains in which it holds."""
        return self._state.promises

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What is promised exactly."""
        return tuple(promise.claim for promise in self._state.promises)

    @property
    def lost(self) -> tuple[str, ...]:
        """Promises of steps that later steps, or rounding, made meaningless, in words."""
        return tuple(map(str, self._lost))

    @property
    def given_up(self) -> tuple[Lost, ...]:
        """The same with promise, step and reason apart."""
        return self._lost

    @property
    def exposed(self) -> tuple[str, ...]:
        """What stayed wholly as it was though it was to be protected, in words; such a release cannot be written."""
        return self._exposed

    @cached_property
    def unchanged(self) -> UnchangedShares:
        """The share of cells left as they were: by column in the release, and in `steps` by column and step."""
        return UnchangedShares(share_unchanged(self._state), self._state.unchanged)

    @cached_property
    def as_they_are(self) -> AsTheyAre:
        """The released columns that no step changed, how many records they single out, and what was passed over."""
        return find_as_they_are(self._state, self.unchanged)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What to know about the release, a sentence each."""
        return (*self._notes, *self.as_they_are.notes)

    @cached_property
    def copies(self) -> Copies | None:
        """Private: how many synthetic records equal an original; None unless all records are synthetic."""
        return count_copied_records(self._state)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Private: what is proven about linking records to people, and what an intruder who knows more can compute."""
        return guarantee_of(self._state, self.data, self.copies)

    def check(self, frame: AnyFrame | None = None) -> tuple[Verdict, ...]:
        """Verify every claim on the released frame (or on another copy of it with the same rows)."""
        return tuple(verdict for _, verdict in self.verdicts(frame))

    def verdicts(self, frame: AnyFrame | None = None) -> list[tuple[Promise, Verdict]]:
        """Every promise with what was found on the released frame, or on another copy of it."""
        released = self.narwhal if frame is None else frames.open_frame(frame)
        return Checker(self._state, released, self._restored.half_units).verdicts()

    def rounded(self, columns: Mapping[str, frames.Series], half_units: Mapping[str, float]) -> Release:
        """The release with some columns rounded further, to twice `half_units`; promises are not checked yet."""
        frame = replace_columns(self.narwhal, columns)
        # numbers of 32 bits may hold less than the unit that they are rounded to
        held = self._restored.half_units
        halves = held | {name: max(half, held.get(name, 0.0)) for name, half in half_units.items()}
        return Release(self._state, Restored(frame, halves), self._key, self._notes, self._lost, self._exposed)


def _reports() -> ModuleType:
    # pages are made above this room; they are loaded when one is asked for
    return importlib.import_module("microveil.report")


def _in_coarse_digits(state: State, restored: Restored, done: Collection[str]) -> Restored:
    """The frame with amounts rounded as they will be written, where that is much of their spread.

    Whole numbers in a floating column (as files with gaps have them) are written whole, and promises are judged so.
    """
    rounded, half_units = {}, dict(restored.half_units)
    types = restored.frame.schema
    for name, values in state.changed.items():
        if name in done:
            continue
        unit = unit_of(state.source, name) if values.levels is None and types[name].is_float() else None
        if unit is None or 10.0**unit <= MUCH_OF_A_SPREAD * state.source.spread(name):
            continue
        series = restored.frame.get_column(name)
        rounded[name] = frames.restore_numbers(series, round_to(values.numbers, unit), "round", name).series
        half_units[name] = 0.5 * 10.0**unit
    return Restored(replace_columns(restored.frame, rounded), half_units) if rounded else restored


AnyFile: TypeAlias = Release | Microdata | frames.AnyFrame  # original or protected, as users have it
