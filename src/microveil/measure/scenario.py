"""Scenarios: who might attack, knowing what, and what is tolerated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput, UnknownName
from microveil.core.open_types import Json
from microveil.core.parameters import FrozenDict, suggest
from microveil.core.printable import is_plain
from microveil.core.words import kind_of
from microveil.data.schema import check_names
from microveil.kernels.tables.over_records import share_of_records

# the largest tolerated risk of a record, and per cent of records that may exceed it
THRESHOLDS = {"risk": 0.2, "share": 0.0}


@dataclass(frozen=True)
class Scenario:
    """One kind of intruder: the keys known exactly, further attributes known, and the thresholds.

    `thresholds`: "risk", the largest tolerated probability that a record is re-identified (0.2), and
    "share", the per cent of records that may exceed it (0).
    """

    name: str
    keys: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise BadInput(f"a scenario has the name {self.name!r}; give it a text")
        if not is_plain(self.name):
            raise BadInput(f"a scenario has the name {self.name!r}; give it one line of signs that are shown")
        for what in ("keys", "known"):
            names = getattr(self, what)
            if isinstance(names, str | Mapping) or not isinstance(names, Sequence) or not all(map(_is_name, names)):
                raise BadInput(f"{what} of scenario {self.name!r} is {names!r}; give a list of columns").at(what)
            object.__setattr__(self, what, tuple(names))
        if not self.keys and not self.known:
            raise BadInput(f"scenario {self.name!r} knows nothing; give keys or known attributes")
        if not isinstance(self.thresholds, Mapping):
            told = f"thresholds of scenario {self.name!r} is {self.thresholds!r}"
            raise BadInput(f"{told}; write {{risk: 0.2, share: 0}}, or leave it out").at("thresholds")
        for limit, value in self.thresholds.items():
            if limit not in THRESHOLDS:
                told = f"scenario {self.name!r} has no threshold {limit!r}{suggest(str(limit), THRESHOLDS)}"
                raise UnknownName(told).at("thresholds", str(limit))
            numeric = isinstance(value, int | float) and not isinstance(value, bool)
            if not numeric or not 0 <= value <= (1 if limit == "risk" else 100):
                allowed = "between 0 and 1" if limit == "risk" else "between 0 and 100"
                told = f"the threshold {limit} of scenario {self.name!r} must be {allowed}; {value!r} was given"
                raise BadInput(told).at("thresholds", limit)
        object.__setattr__(self, "thresholds", FrozenDict(self.thresholds))

    def limit(self, name: str) -> float:
        """A threshold, as stated or by default."""
        return float(self.thresholds.get(name, THRESHOLDS[name]))

    @property
    def columns(self) -> tuple[str, ...]:
        """Everything that the intruder knows."""
        return tuple(dict.fromkeys((*self.keys, *self.known)))

    def check_columns(self, columns: list[str]) -> None:
        """Refuse a scenario about a column that is not among these."""
        check_names((*self.keys, *self.known), columns, f"scenario {self.name!r}")

    def share_at_risk(self, risks: Floats, records: Ints | None = None) -> float:
        """The per cent of records whose risk exceeds the limit of this scenario; rows stand for so many `records`."""
        return share_of_records(risks > self.limit("risk"), records)

    @classmethod
    def from_spec(cls, spec: object) -> Self:
        """The scenario of a mapping such as {name: ..., keys: [...], known: [...], thresholds: {...}}."""
        if not isinstance(spec, Mapping):
            raise BadInput(f"{kind_of(spec)} is not a scenario; give a mapping with name, keys, known, thresholds")
        allowed = [entry.name for entry in fields(cls)]
        for given in spec:
            if given not in allowed:
                raise UnknownName(f"a scenario has no {given!r}{suggest(str(given), allowed)}").at(str(given))
        if "name" not in spec:
            raise BadInput(f"a scenario needs a name; {dict(spec)!r} has none")
        return cls(**spec)

    @property
    def said(self) -> str:
        """Who this is and what is tolerated, in one sentence.

        >>> Scenario("neighbour", ("age", "sex"), ("income",), {"share": 5}).said
        "'neighbour': knows age, sex, and also income; at most 5 % of the records may have a risk above 0.2."
        """
        knows = ", and also ".join(", ".join(map(str, names)) for names in (self.keys, self.known) if names)
        if not self.thresholds:
            return f"{self.name!r}: knows {knows}; no limit is stated."
        allowed = f"at most {self.limit('share'):g} % of the records" if self.limit("share") else "no record"
        return f"{self.name!r}: knows {knows}; {allowed} may have a risk above {self.limit('risk'):g}."

    def to_spec(self) -> Json:
        """The scenario in JSON terms."""
        parts = {"keys": list(self.keys), "known": list(self.known), "thresholds": dict(self.thresholds)}
        return {"name": self.name, **{what: value for what, value in parts.items() if value}}


def _is_name(given: Any) -> bool:
    return given is not None and not isinstance(given, list | dict | set | tuple)
