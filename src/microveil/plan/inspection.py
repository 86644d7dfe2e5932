"""A first look at a file: kinds, proposed roles, and how many people the keys single out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.cards import Html, card, paragraph, shown, table
from microveil.core.registry import in_python
from microveil.core.words import counted
from microveil.data.frames import AnyFrame, frame_like
from microveil.data.microdata import AnyData, Microdata
from microveil.detect import find_identifiers, look_at
from microveil.hierarchy import HierarchyRule
from microveil.measure import Scenario
from microveil.plan.plan import Plan
from microveil.plan.proposed_missing import MissingCodes, propose_missing
from microveil.plan.proposed_roles import ColumnLook, propose
from microveil.plan.proposed_rules import Rule, stated_rules
from microveil.plan.repeated_units import Units, find_units

_HEADINGS = {
    "column": "name",
    "kind": "kind",
    "proposed role": "role",
    "distinct": "distinct",
    "missing": "missing",
    "because": "why",
}

_CODES = "Values that look like codes for a missing one, and count as amounts until they are stated (missing):"
_NEARLY = (
    "Rules that nearly hold and are not used (a release may break them more often; correct the records, or state them):"
)


@dataclass(frozen=True, repr=False)
class Inspection:
    """What is in a file: one line per column, and the risk before anything is done."""

    records: int
    columns: tuple[ColumnLook, ...]
    keys: tuple[str, ...]
    uniques: int
    below_three: int
    source: Microdata = field(compare=False)
    classes: Ints = field(compare=False)  # how many records each combination of the keys has
    plan: Plan | None = field(default=None, compare=False)  # a first proposal: something that runs, to be changed
    scenarios: tuple[Scenario, ...] = field(default=(), compare=False)  # who might attack, with the limits of the plan
    comments: Mapping[str, str] = field(default_factory=dict, compare=False)  # on scenarios and plan, for a project
    rules: tuple[Rule, ...] = ()  # what holds in every record, or nearly so
    hierarchies: Mapping[str, HierarchyRule] = field(default_factory=dict, compare=False)  # that suit keys
    missing_codes: tuple[MissingCodes, ...] = ()  # values that look like codes for a missing one, and are not used so

    @property
    def roles(self) -> dict[str, str]:
        """The proposed roles."""
        return {look.name: look.role for look in self.columns}

    @property
    def kinds(self) -> dict[str, str]:
        """The proposed kinds."""
        return {look.name: look.kind for look in self.columns}

    @property
    def edits(self) -> list[str]:
        """The rules stated and those proposed, which hold in all records."""
        return [str(rule.edit) for rule in self.rules if rule.active]

    @property
    def data(self) -> Microdata:
        """The data with the proposed roles, kinds and rules stated: read the proposals before."""
        kinds = {name: kind for name, kind in self.kinds.items() if kind != self.source.kinds[name]}
        return self.source.with_(roles=self.roles, kinds=kinds, edits=self.edits)

    @property
    def baseline(self) -> str:
        """A sentence on the risk of the file as it is, and one on units with several records."""
        if not self.keys:
            none = "No column looks like something an intruder could know; state the keys before judging the risk."
            return f"{none}{self._units}"
        share = 100 * self.uniques / self.records
        return (
            f"{self.uniques:,} of {self.records:,} records ({share:.1f} %) are alone with their combination of "
            f"{', '.join(map(str, self.keys))}; {self.below_three:,} in all share it with at most one other."
            f"{self._units}"
        )

    @property
    def units(self) -> Units | None:
        """Units with several records each, by an identifier; None where there are none, or households alone."""
        found = find_units(self.source, [look.name for look in self.columns if look.role == "identifier"])
        return None if found is None or found.are_households else found

    @property
    def _units(self) -> str:
        if self.units is None:
            return ""
        return (
            f" {self.units.name} stands in several records: {self.units.counts}. Groups and figures of risk count "
            f"records, of which many may be of one {self.units.name}: {self.units.way_out}."
        )

    def to_frame(self) -> AnyFrame:
        """One row per column, in the library of the data."""
        return frame_like(
            self.source.narwhal,
            {heading: [getattr(look, what) for look in self.columns] for heading, what in _HEADINGS.items()},
        )

    @property
    def cells(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of the table of columns, as texts."""
        return tuple(_HEADINGS), [_cells(look) for look in self.columns]

    def __repr__(self) -> str:
        headings, body = self.cells
        rows = [headings, *body]
        widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADINGS))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join(
            [
                self._title,
                *(f"  {line}" for line in lines),
                self.baseline,
                *self.told_missing,
                *self.told_rules,
                *self.told_hierarchies,
                *self._proposed,
            ]
        )

    def _repr_html_(self) -> str:
        return card(
            self._title,
            table(*self.cells),
            paragraph(self.baseline),
            *(paragraph(line.strip()) for line in self.told_missing),
            self._rules_in_html,
            table(("column", "hierarchy that would suit"), self._hierarchies_in_python),
            *(Html(f'<pre style="white-space:pre-wrap;margin:.35em 0">{shown(text)}</pre>') for text in self._proposed),
        )

    @property
    def told_missing(self) -> list[str]:
        """Values that look like codes for a missing one, as lines for people; none where none was found."""
        return [_CODES, *(f"  {one}" for one in self.missing_codes)] if self.missing_codes else []

    @property
    def told_rules(self) -> list[str]:
        """The rules with their support, as lines for people; none where none was found."""
        kept, others = ([rule for rule in self.rules if rule.active is active] for active in (True, False))
        return [
            *(["Rules of every record:"] if kept else []),
            *(f"  {rule}" for rule in kept),
            *([_NEARLY] if others else []),
            *(f"  {rule}" for rule in others),
        ]

    @property
    def told_hierarchies(self) -> list[str]:
        """The hierarchies that suit keys, as lines for people; none where none was found."""
        lines = [f"  {name}: {json.dumps(rule.to_spec())}" for name, rule in self.hierarchies.items()]
        return ["Hierarchies that would suit:", *lines] if lines else []

    @property
    def _hierarchies_in_python(self) -> list[tuple[str, str]]:
        return [(str(name), f"mv.hierarchy.{in_python(rule)}") for name, rule in self.hierarchies.items()]

    @property
    def _rules_in_html(self) -> Html:
        rows = [(str(rule.edit), "yes" if rule.active else "no", rule.comment) for rule in self.rules]
        return table(("rule", "proposed", "because"), rows) if rows else Html("")

    @property
    def _proposed(self) -> list[str]:
        """The plan step by step, and who might attack; nothing where none is proposed."""
        if self.plan is None:
            return []
        steps = f"Proposed {repr(self.plan)[:1].lower()}{repr(self.plan)[1:]}"
        return [steps, *(f"Scenario {scenario.said}" for scenario in self.scenarios)]

    @property
    def _title(self) -> str:
        return f"Inspection: {counted(self.records, 'record')}, {counted(len(self.columns), 'column')}"


def first_look(data: AnyData, progress: Callable[[str, int, int], None] | None = None) -> Inspection:
    """Roles and kinds of every column from what it holds; what was stated is kept, and no plan is proposed."""
    from microveil.kernels.tables.classes import class_counts

    data = Microdata.of(data)
    looks = []
    for number, (name, column) in enumerate(data.schema.items(), start=1):
        if progress is not None:
            progress(str(name), number, len(data.columns))
        looks.append(look_at(data.narwhal.get_column(name), column.missing))
    found = propose(looks, data.schema, find_identifiers(looks))
    in_rules = {name for edit in data.edits_of_amounts for name in edit.columns}
    # who states a rule of a column says that it holds amounts
    found = tuple(replace(look, kind="continuous") if look.name in in_rules else look for look in found)
    keys = tuple(look.name for look in found if look.role == "key")
    sizes = class_counts([data.codes(name) for name in keys]) if keys else np.array([data.n])
    return Inspection(
        data.n,
        found,
        keys,
        int((sizes == 1).sum()),
        int(sizes[sizes < 3].sum()),
        data,
        sizes,
        rules=stated_rules(data),
        missing_codes=propose_missing(data, looks),
    )


def _cells(look: ColumnLook) -> tuple[str, ...]:
    return tuple(str(getattr(look, what)) for what in _HEADINGS.values())
