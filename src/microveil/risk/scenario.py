"""Scenarios: who might attack, knowing what, and what is tolerated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput, UnknownName
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, FrozenDict, suggest
from microveil.data.schema import check_names
from microveil.measure import Pair
from microveil.risk.base import NO_KEY, Missing, Risk, why_not_counted
from microveil.risk.individual_risk import individual_risk
from microveil.risk.scenario_linkage import risks_by_linkage

# the largest tolerated risk of a record, and per cent of records that may exceed it
_THRESHOLDS = {"risk": 0.2, "share": 0.0}


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
        for what in ("keys", "known"):
            names = getattr(self, what)
            if isinstance(names, str | Mapping) or not isinstance(names, Sequence) or not all(map(_is_name, names)):
                raise BadInput(f"{what} of scenario {self.name!r} is {names!r}; give a list of columns")
            object.__setattr__(self, what, tuple(names))
        if not self.keys and not self.known:
            raise BadInput(f"scenario {self.name!r} knows nothing; give keys or known attributes")
        if not isinstance(self.thresholds, Mapping):
            raise BadInput(
                f"thresholds of scenario {self.name!r} is {self.thresholds!r}; write {{risk: 0.2, share: 0}}, or leave "
                "it out"
            )
        for limit, value in self.thresholds.items():
            if limit not in _THRESHOLDS:
                raise UnknownName(
                    f"scenario {self.name!r} has no threshold {limit!r}{suggest(str(limit), _THRESHOLDS)}"
                )
            numeric = isinstance(value, int | float) and not isinstance(value, bool)
            if not numeric or not 0 <= value <= (1 if limit == "risk" else 100):
                allowed = "between 0 and 1" if limit == "risk" else "between 0 and 100"
                raise BadInput(
                    f"the threshold {limit} of scenario {self.name!r} must be {allowed}; {value!r} was given"
                )
        object.__setattr__(self, "thresholds", FrozenDict(self.thresholds))

    def limit(self, name: str) -> float:
        """A threshold, as stated or by default."""
        return float(self.thresholds.get(name, _THRESHOLDS[name]))

    @classmethod
    def from_spec(cls, spec: Any) -> Self:
        """The scenario of a mapping such as {name: ..., keys: [...], known: [...], thresholds: {...}}."""
        if not isinstance(spec, Mapping):
            raise BadInput(f"{spec!r} is not a scenario; give a mapping with name, keys, known, thresholds")
        allowed = [entry.name for entry in fields(cls)]
        for given in spec:
            if given not in allowed:
                raise UnknownName(f"a scenario has no {given!r}{suggest(str(given), allowed)}")
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

    def to_spec(self) -> dict[str, Any]:
        """The scenario in JSON terms."""
        parts = {"keys": list(self.keys), "known": list(self.known), "thresholds": dict(self.thresholds)}
        return {"name": self.name, **{what: value for what, value in parts.items() if value}}


def _is_name(given: Any) -> bool:
    return given is not None and not isinstance(given, list | dict | set | tuple)


@dataclass(frozen=True, kw_only=True)
class ScenarioRisk(Risk, name="scenario-risk"):
    """Per cent of records at risk in the worst scenario: several intruders, each with keys, knowledge and thresholds.

    Use it to decide on a release. In each scenario a record's risk is the higher of what its knowledge allows:
    key frequencies (1/f, or the individual risk where there are weights) unless keys were perturbed, and
    distance-based linkage on keys and known attributes when it is known which rows belong together: 1/ties where
    the record's own is among the nearest. Files are compared by values and by ranks, each on its own and both on the
    original's scale, from either file; the way that puts most records at risk counts.
    Linkage is not tried on true keys alone; the reading says so.
    Without scenarios there is one, with the columns whose role is key; limits that nobody stated are assumed and the
    reading says so.
    Reference: Duncan & Lambert 1989; Hundepool et al. 2012.
    """

    kinds: ClassVar[tuple[str, ...]] = ("continuous", "ordinal", "nominal")
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    alone: ClassVar[bool] = True
    title: ClassVar[str] = "Risk by scenario"
    reference: ClassVar[str] = "Hundepool et al. 2012"

    scenarios: Annotated[
        tuple[Scenario, ...], Example([{"name": "neighbour", "keys": ["age", "sex"]}]), "the intruders considered"
    ] = ()
    missing: Missing = "own"

    def validate(self) -> None:
        names = [scenario.name for scenario in self.scenarios]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadInput(f"several scenarios are called {twice}; give each its own name")

    def choose(self, pair: Pair) -> tuple[str, ...]:
        chosen = self._scenarios(pair)
        common = [name for name in pair.before.columns if name in pair.after.columns]
        for scenario in chosen:
            check_names((*scenario.keys, *scenario.known), common, f"scenario {scenario.name!r}")
        return tuple(dict.fromkeys(name for scenario in chosen for name in (*scenario.keys, *scenario.known)))

    def on(self, pair: Pair) -> Measured | NotApplicable:
        if not self._scenarios(pair):
            return self.not_applicable(f"no scenario is given and {NO_KEY}")
        if not len(pair.rows_after):
            return self.not_applicable("there is no record")
        keys = dict.fromkeys(name for one in self._scenarios(pair) for name in one.keys)
        doubtful = [name for name in keys if name in pair.perturbed]
        if pair.link is None and doubtful:
            return self.not_applicable(why_not_counted(pair, doubtful))
        without = [scenario.name for scenario in self._scenarios(pair) if not scenario.keys]
        if pair.link is None and without:
            return self.not_applicable(
                f"the scenarios {without} know no keys, so that linkage is their only attack, and nobody knows which"
                " rows belong together"
            )
        return super().on(pair)

    def _scenarios(self, pair: Pair) -> tuple[Scenario, ...]:
        if self.scenarios:
            return self.scenarios
        keys = tuple(name for name in pair.columns if pair.before.roles[name] == "key")
        return (Scenario("all keys", keys),) if keys else ()

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        parts: dict[str, float] = {}
        shares: dict[str, float] = {}
        unlinked: dict[str, list[str]] = {}
        for scenario in self._scenarios(pair):
            risks, reason = self._risks(pair, scenario)
            if reason:
                unlinked.setdefault(reason, []).append(scenario.name)
            shares[scenario.name] = 100.0 * max(float((risk > scenario.limit("risk")).mean()) for risk in risks)
            parts[f"{scenario.name}: records at risk (%)"] = shares[scenario.name]
            parts[f"{scenario.name}: largest risk (%)"] = 100.0 * max(float(risk.max()) for risk in risks)
            parts[f"{scenario.name}: mean risk (%)"] = 100.0 * max(float(risk.mean()) for risk in risks)
        worst = max(shares, key=lambda name: shares[name])
        value = shares[worst]
        at_risk = f"{format_number(value)} % of the records are at risk"
        reading = f"In the worst scenario ({worst}) {at_risk}{self._verdict(shares)}."
        reading += self._assumed(pair)
        for reason, names in unlinked.items():
            reading += f" Linkage was not tried in {', '.join(names)}: {reason}."
        return self.measured(value, parts=parts, reading=reading)

    def reidentified(self, result: Measured) -> dict[str, float]:
        """The expected per cent of records re-identified in each scenario that somebody stated."""
        parts = [part.parts for part in result.domains.values()] or [result.parts]
        return {one.name: max(part[f"{one.name}: mean risk (%)"] for part in parts) for one in self.scenarios}

    def _verdict(self, shares: Mapping[str, float]) -> str:
        """Whether the limits that somebody stated are kept; nothing where there are none."""
        judged = [scenario for scenario in self.scenarios if scenario.thresholds]
        failed = [scenario.name for scenario in judged if shares[scenario.name] > scenario.limit("share")]
        if failed:
            return f"; over the limit in: {', '.join(failed)}"
        if not judged:
            return ""
        every = len(judged) == len(self.scenarios)
        return f"; within the limits of {'every scenario' if every else ', '.join(one.name for one in judged)}"

    def _assumed(self, pair: Pair) -> str:
        """What was taken for granted where nobody stated a scenario or a limit."""
        counted = f"records with a risk above {100 * _THRESHOLDS['risk']:g} % are counted"
        if not self.scenarios:
            keys = ", ".join(map(str, self._scenarios(pair)[0].keys))
            return f" Nobody stated a scenario or a limit: the intruder is taken to know {keys}, and {counted}."
        without = [scenario.name for scenario in self.scenarios if "risk" not in scenario.thresholds]
        return f" Nobody stated a limit of risk for {', '.join(without)}: {counted}." if without else ""

    def records_at_risk(self, original: Any, protected: Any = None) -> dict[str, Ints]:
        """For each scenario the protected rows whose risk exceeds its threshold: for the protector's eyes only."""
        pair = Pair.of(original, protected)
        pair = pair.only(self.choose(pair))
        found = {}
        for scenario in self._scenarios(pair):
            limit = scenario.limit("risk")
            at_risk = [np.flatnonzero(risk > limit) for risk in self._risks(pair, scenario)[0]]
            found[scenario.name] = max(at_risk, key=len)
        return found

    def _risks(self, pair: Pair, scenario: Scenario) -> tuple[list[Floats], str]:
        """The risk of every protected record in view, in each way to link; and why linkage was not tried."""
        from microveil.kernels.tables.sizes import class_sizes

        risk = np.zeros(len(pair.rows_after))
        perturbed = any(name in pair.perturbed for name in scenario.keys)
        if scenario.keys and not perturbed:
            weights = pair.after.weights
            codes = pair.tables(scenario.keys)[1].codes()
            f, F = class_sizes(codes, self.missing, None if weights is None else weights[pair.rows_after])
            risk = 1.0 / f if weights is None else individual_risk(f, F)
        if not scenario.known and not perturbed:
            return [
                risk
            ], "the keys are true and nothing else is known, so that the risk comes from counting them alone"
        if pair.link is None:
            return [risk], "nobody knows which rows of the two files belong together"
        found = risks_by_linkage(pair.only((*scenario.keys, *scenario.known)), scenario.limit("risk"), risk)
        return ([risk], found) if isinstance(found, str) else (found, "")
