"""Units with several records each: groups count records, and k of them may be of one person or enterprise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.detect.units import may_number_units
from microveil.detect.words import is_part_of_name, says, words_of
from microveil.kernels.tables.classes import group_rows
from microveil.measure import Pair, Scenario
from microveil.run.unit_notes import SEVERAL

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Units:
    """An identifier that stands in several records of a file: how many units it names, and in how many records.

    `are_households`: members of a household are different people, so that k records are of k people all the same.
    `columns`: those that name a person only together, as a first name and a last name do; empty: the one of the name.
    """

    name: str
    units: int
    records: int
    are_households: bool = False
    columns: tuple[str, ...] = ()

    @property
    def counts(self) -> str:
        """How many there are, in words."""
        return f"{counted(self.units, 'unit')} in {counted(self.records, 'record')}"

    @property
    def way_out(self) -> str:
        """What protects units, in words."""
        return (
            f"protect one record of each {self.name} (what it has in several stands side by side in columns, or is "
            "added up), or take a larger k"
        )


@dataclass(frozen=True)
class GroupedUnits:
    """Units of an original, and how they lie in the groups of its release, or in its classes of equal keys."""

    of: Units
    pair: Pair = field(repr=False, compare=False)

    @property
    def doubt(self) -> str:
        """What speaks against figures that count records, as the end of a sentence."""
        name = self.of.name
        if self.of.are_households:
            return f"{name} stands in several records, so that k records may be of fewer than k households"
        told = f"{name} stands in several records ({self.of.counts}), so that k records may be of fewer than k units"
        return f"{told}: {self.in_groups}" if self.in_groups else told

    @property
    def in_groups(self) -> str:
        """How many groups are of one unit, in words; empty where no groups are known."""
        labels = self._labels(self.pair.groups)
        if labels is None and self.pair.alike:
            labels = self._classes(sorted(self.pair.alike))
        if labels is None:
            return ""
        _, units_in = self._shares(labels)
        fewest = int(units_in.min())
        if fewest > 1:
            return f"no group is of one {self.of.name} alone, and the one with fewest holds {fewest:,} of them"
        share = format_number(100 * float(np.mean(units_in == 1)))
        return f"in {share} % of the groups all records are of one {self.of.name}"

    def at_risk(self, scenario: Scenario) -> float | None:
        """Per cent of the records whose unit holds more of their group than a scenario tolerates; None: not known.

        Records of a group are exchangeable, so that one of it is of a unit with the share that the unit has in it.
        """
        alike = bool(scenario.columns) and set(scenario.columns) <= self.pair.alike
        labels = self._classes(scenario.columns) if alike else self._labels(self.pair.groups)
        if labels is None or self.of.are_households:
            return None
        shares, _ = self._shares(labels)
        return 100 * float(np.mean(shares > scenario.limit("risk") + _ROUNDING))

    def _labels(self, groups: Ints | None) -> Ints | None:
        if groups is None or len(groups) != self.pair.after.n or not len(groups):
            return None
        # a record outside all groups is one by itself
        alone = groups < 0
        return np.where(alone, groups.max() + 1 + np.arange(len(groups)), groups)

    def _classes(self, names: Sequence[str]) -> Ints | None:
        labels, _ = group_rows(self.pair.tables(names)[1].codes())
        return self._labels(np.asarray(labels))

    def _shares(self, labels: Ints) -> tuple[Floats, Ints]:
        """The share that the unit of each record has in its group, and how many units each group has."""
        link = self.pair.link
        units = _unit_of_each(self.pair.before, self.of.columns or (self.of.name,))
        own = units if link is None else units[link]
        # a record without a value is taken for a unit of its own
        own = np.where(own < 0, own.max(initial=0) + 1 + np.arange(len(own)), own)
        _, group = np.unique(labels, return_inverse=True)
        pairs, of_record, sizes = np.unique(
            np.column_stack([group.reshape(-1), own]), axis=0, return_inverse=True, return_counts=True
        )
        in_group = np.bincount(group.reshape(-1))
        shares = sizes[of_record.reshape(-1)] / in_group[group.reshape(-1)]
        return np.asarray(shares), np.bincount(pairs[:, 0])


def find_units(data: Microdata, identifiers: Sequence[str]) -> Units | None:
    """The identifier that stands in several records; None where each is of one record.

    Names that a few records share are those of namesakes where another identifier tells all records apart. A first
    name, a last name or a day of birth is of many people: such parts name somebody together. Other days and
    remarks name nobody. Of several the one that is no household's is told, and of these the first.
    """
    parts = tuple(name for name in identifiers if is_part_of_name(name))
    whole = [name for name in identifiers if name not in parts and may_number_units(name, data.encoded(name).levels)]
    named = [(name,) for name in whole] + ([parts] if len(parts) > 1 else [])
    codes = {columns: _unit_of_each(data, columns) for columns in named}
    counts = {columns: (len(np.unique(own[own >= 0])), int((own >= 0).sum())) for columns, own in codes.items()}
    all_told_apart = any(units == records == data.n for units, records in counts.values())
    found = []
    for columns, (units, records) in counts.items():
        numbered = len(columns) == 1 and data.narwhal.get_column(columns[0]).dtype.is_numeric()
        namesakes = all_told_apart and not numbered and records < SEVERAL * units
        if units < records and not namesakes:
            name = " + ".join(columns)
            found.append(Units(name, units, records, says(words_of(name), "household"), columns))
    return min(found, key=lambda one: one.are_households, default=None)


def _unit_of_each(data: Microdata, columns: Sequence[str]) -> Ints:
    """The unit of each record as a number; below 0 where a part of its name is missing."""
    codes = [data.encoded(name).codes for name in columns]
    if len(codes) == 1:
        return codes[0]
    labels, _ = group_rows(np.column_stack(codes))
    return np.where(np.min(codes, axis=0) < 0, -1, labels)


def find_grouped_units(pair: Pair) -> GroupedUnits | None:
    """The same of an original beside its release; None where records have no original."""
    if pair.link is None or len(pair.link) != pair.after.n or (pair.link < 0).any():
        return None
    found = find_units(pair.before, pair.before.names("identifier"))
    return None if found is None else GroupedUnits(found, pair)
