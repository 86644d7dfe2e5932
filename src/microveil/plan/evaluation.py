"""Evaluation: every measure that applies to a pair of files, in one table."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from microveil.core.errors import MicroveilError, UnknownName
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import suggest
from microveil.core.registry import registered
from microveil.data.schema import TECHNICAL_ROLES
from microveil.measure import Linked, Measure, Pair
from microveil.plan.silent import ROLES_IN_PYTHON, silent_lines
from microveil.plan.technical_roles import with_technical_roles
from microveil.plan.worst_case import worst_case
from microveil.risk import Scenario, ScenarioRisk

FAMILIES = ("loss", "risk")


@dataclass(frozen=True)
class Line:
    """One line of an evaluation: a measure and what it said."""

    measure: Measure
    result: Measured | NotApplicable

    @property
    def family(self) -> str:
        """`loss` or `risk`."""
        return self.measure.family

    @property
    def title(self) -> str:
        """The measure's name for people."""
        return self.measure.title or type(self.measure).__name__


@dataclass(frozen=True)
class Evaluation:
    """All figures of a pair of files; printed as a table, shown as HTML in a notebook."""

    lines: tuple[Line, ...]
    records: int
    protected_records: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Measured | NotApplicable:
        for line in self.lines:
            if name in (line.measure.name, type(line.measure).__name__):
                return line.result
        known = [line.measure.name for line in self.lines]
        raise UnknownName(f"no measure {name!r} here{suggest(name, known)}")

    @property
    def worst(self) -> Measured | NotApplicable:
        """The worst case: per cent of records re-identified, the highest over attacks and stated scenarios."""
        return worst_case(((line.measure, line.result) for line in self.lines), self.protected_records)

    def of(self, family: str) -> tuple[Line, ...]:
        """The lines of `loss` or of `risk`."""
        return tuple(line for line in self.lines if line.family == family)

    def to_json(self) -> dict[str, Any]:
        """All figures in plain JSON terms."""
        return {
            "records": self.records,
            "protected_records": self.protected_records,
            "columns": list(self.columns),
            "notes": list(self.notes),
            "worst": self.worst.to_json(),
            **{
                family: [{"title": line.title, **line.result.to_json()} for line in self.of(family)]
                for family in FAMILIES
            },
        }

    def to_text(self) -> str:
        """All figures as JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)

    def __repr__(self) -> str:
        out = [f"Evaluation of {self.protected_records} protected against {self.records} original records"]
        out += [self.worst.reading] if isinstance(self.worst, Measured) else []
        for family in FAMILIES:
            out.append(family)
            for line in self.of(family):
                if isinstance(line.result, Measured):
                    figure = (
                        f"{format_number(line.result.value, 4)}{' ' + line.result.unit if line.result.unit else ''}"
                    )
                    out.append(f"  {line.title:<34} {figure:>12}  {line.result.reading}")
            silent = silent_lines([(line.title, line.result) for line in self.of(family)], ROLES_IN_PYTHON)
            out += [f"  does not apply: {text}" for text in silent]
        return "\n".join([*out, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        rows = []
        for line in self.lines:
            if isinstance(line.result, Measured):
                figure = f"{format_number(line.result.value, 4)} {line.result.unit}"
                text = line.result.reading
            else:
                figure, text = "–", f"does not apply: {line.result.reason}"
            cells = (line.family, line.title, figure.strip(), text)
            rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        head = "<tr><th>family</th><th>measure</th><th>value</th><th>reading</th></tr>"
        return f"<table class='microveil'>{head}{''.join(rows)}</table>"


def evaluate(
    original: Any,
    protected: Any = None,
    *,
    measures: Sequence[Measure] | None = None,
    columns: Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    linked: Linked = True,
    scenarios: Sequence[Scenario] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Loss and risk of a release: every measure that applies, each with how to read it.

    Rows of two frames of equal length are taken to correspond; `linked=False` says that nobody
    knows which rows belong together, an array gives the original row of each protected row. A measure
    that does not apply says why. `scenarios` are those of the risk by scenario.
    """
    pair = Pair.of(original, protected, columns, linked)
    notes: list[str] = []
    if all(role == "other" for role in pair.before.roles.values()):
        named = (*(columns or ()), *([by] if isinstance(by, str) else by or ()))
        pair, notes = _without_technical(pair, named)
    chosen = tuple(measures) if measures is not None else default_measures(scenarios)
    lines = []
    for number, measure in enumerate(chosen, start=1):
        if progress is not None:
            progress(measure.title or measure.name, number, len(chosen))
        limit = measure.overview_limit if measures is None else None
        if limit is not None and max(pair.before.n, pair.after.n) > limit:
            reason = f"it takes long above {limit} records and is left out of an overview; ask for it by its name"
            lines.append(Line(measure, NotApplicable(measure.name, reason)))
            continue
        lines.append(Line(measure, _measure(measure, pair, by)))
    return Evaluation(tuple(lines), pair.before.n, pair.after.n, pair.columns, tuple(notes))


def _without_technical(pair: Pair, named: Sequence[str]) -> tuple[Pair, list[str]]:
    """The pair with columns that look like identifiers or technical ones taken for that, and a note; not those named.

    Weights are not used unless they are stated: a figure must not rest on a guess.
    """
    roles, listed = with_technical_roles(pair.before, named)
    if not listed:
        return pair, []
    kept = tuple(name for name in pair.columns if roles.roles[name] not in TECHNICAL_ROLES)
    return pair.only(kept), [f"nobody stated roles; not compared for what they look like: {listed}"]


def _measure(measure: Measure, pair: Pair, by: str | Sequence[str] | None) -> Measured | NotApplicable:
    try:
        return measure.of_pair(pair, by)
    except MicroveilError as problem:
        # what a measure refuses is shown with its reason; it never becomes a number
        return NotApplicable(measure.name, str(problem))


def default_measures(scenarios: Sequence[Scenario] = ()) -> tuple[Measure, ...]:
    """Every registered measure that needs no further information, loss first; with the scenarios stated."""
    ready = [cls for cls in registered(Measure) if not any(parameter.required for parameter in cls.parameters())]
    ordered = sorted(ready, key=lambda cls: (FAMILIES.index(cls.family), cls.name))
    return tuple(cls(scenarios=tuple(scenarios)) if cls is ScenarioRisk else cls() for cls in ordered)
