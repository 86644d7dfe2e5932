"""What a measure returns: a number with all that is needed to read it, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from microveil.core.cards import card, folded, listed, paragraph, table
from microveil.core.errors import BadInput, NoValue
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import counted, unit_for

Better = Literal["lower", "higher"]
_PARTS_SHOWN = 8


@dataclass(frozen=True, repr=False)
class Measured:
    """A measured figure.

    `parts` are its components (per attribute, per pair, per kind), `bounds` the values it can
    take, `interval` a 95 % confidence interval where one exists, `reading` one sentence for people
    who do not know the measure, `notes` what was left out or assumed, `domains` the same measure
    in every subdomain.
    """

    name: str
    value: float
    better: Better
    bounds: tuple[float, float] = (0.0, float("inf"))
    parts: Mapping[str, float] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    unit: str = ""
    reading: str = ""
    notes: tuple[str, ...] = ()
    domains: Mapping[str, Measured] = field(default_factory=dict)

    def __float__(self) -> float:
        return float(self.value)

    @property
    def figure(self) -> str:
        """The value with its unit, for people."""
        return f"{format_number(self.value)} {unit_for(self.value, self.unit)}".strip()

    @property
    def _ends(self) -> str:
        return " to ".join(map(format_number, self.interval or ()))

    @property
    def said(self) -> str:
        """How to read it; where higher is better, that too."""
        return f"{self.reading} Higher is better.".strip() if self.better == "higher" else self.reading

    def __repr__(self) -> str:
        ends = f" ({self._ends})" if self.interval is not None else ""
        lines = [f"{self.name}: {self.figure}{ends}, {self.better} is better"]
        lines += [f"  {self.reading}"] if self.reading else []
        lines += [f"  {name}: {format_number(value)}" for name, value in list(self.parts.items())[:_PARTS_SHOWN]]
        if len(self.parts) > _PARTS_SHOWN:
            lines.append(f"  and {counted(len(self.parts) - _PARTS_SHOWN, 'more part')} in .parts")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        ends = f", 95 % interval {self._ends}" if self.interval is not None else ""
        parts = table(("part", "value"), [(name, format_number(value)) for name, value in self.parts.items()])
        return card(
            f"{self.name}: {self.figure}",
            paragraph(f"{self.reading} {self.better.capitalize()} is better{ends}.".strip()),
            listed(self.notes),
            folded(counted(len(self.parts), "part"), parts),
        )

    @property
    def worst(self) -> float:
        """The least favourable value over the subdomains (the value itself without subdomains)."""
        values = [measured.value for measured in self.domains.values()] or [self.value]
        return max(values) if self.better == "lower" else min(values)

    def to_json(self) -> Json:
        """The figure in plain JSON terms."""
        return {
            "name": self.name,
            "value": _finite(self.value),
            "better": self.better,
            "bounds": [_finite(bound) for bound in self.bounds],
            "unit": self.unit,
            "parts": {key: _finite(value) for key, value in self.parts.items()},
            "interval": None if self.interval is None else [_finite(end) for end in self.interval],
            "reading": self.reading,
            "notes": list(self.notes),
            "domains": {key: value.to_json() for key, value in self.domains.items()},
        }


def _finite(number: float) -> float | str:
    # JSON has no infinity; the text says it and survives every reader
    return float(number) if abs(number) != float("inf") and number == number else str(number)


@dataclass(frozen=True)
class NotApplicable:
    """A measure that says nothing about this pair of files, and why; it has no value.

    `left_out`: it could have said something, and was not asked because that takes long.
    """

    name: str
    reason: str
    left_out: bool = False

    @property
    def value(self) -> NoReturn:
        """There is none."""
        raise NoValue(f"{self.name} does not apply: {self.reason}")

    def __float__(self) -> NoReturn:
        raise BadInput(f"{self.name} does not apply: {self.reason}")

    def _repr_html_(self) -> str:
        return card(f"{self.name} does not apply", paragraph(f"{self.reason[:1].upper()}{self.reason[1:]}."))

    def to_json(self) -> Json:
        """The reason in plain JSON terms."""
        return {"name": self.name, "not_applicable": self.reason}
