"""One plan of a study: what was measured of it, how far measuring went, and the same as a line of the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from microveil.core.measured import Measured
from microveil.core.open_types import Json
from microveil.measure import BrokenRules
from microveil.plan.plan import Plan
from microveil.plan.trial import Trial

State = Literal[
    "measured",
    "discarded",
    "copies the original",
    "breaks rules",
    "promises too little",
    "not measured",
    "failed",
    "took too long",
]


@dataclass(frozen=True)
class Survived:
    """What became of a figure that must survive: the largest change or least overlap, None where it is gone."""

    kept: bool
    found: float | None
    told: str

    def to_json(self) -> Json:
        """The same in plain JSON terms."""
        return {"kept": self.kept, "found": self.found, "told": self.told}

    @classmethod
    def from_json(cls, fields: Json) -> Survived:
        """The reverse."""
        found = fields["found"]
        return cls(bool(fields["kept"]), None if found is None else float(found), str(fields["told"]))


@dataclass(frozen=True)
class Tried(Trial):
    """A trial of a study. `state` says how far it came; whatever is not "measured" is no candidate.

    `place` is a hash of the path at which the streams of the trial begin, below the key of the study. `scenarios` holds
    the per cent of records at risk by each scenario that states limits, and `over` those whose limits are not kept, in
    words. `at_least` is what the risk is known to be at least where measuring ended early. `synthetic`: no record has
    an original, so that nobody can be linked. `barely` is the risk from which on a plan is as good as unprotected.
    `acted_on` are the columns that each step acted on, and `reached` says what became of figures that must survive.
    `nobody` are the scenarios in which there is nobody to look for, since records are synthetic: no attack applies.
    """

    state: State = "measured"
    number: int = 0
    text: str = ""
    place: str = ""
    arm: str = ""
    scenarios: Mapping[str, float] = field(default_factory=dict)
    over: Mapping[str, str] = field(default_factory=dict)
    at_least: float | None = None
    synthetic: bool = False
    barely: float | None = None
    acted_on: tuple[tuple[str, ...], ...] = ()
    reached: Mapping[str, Survived] = field(default_factory=dict)
    nobody: tuple[str, ...] = ()

    @property
    def plan_with_columns(self) -> Plan:
        """The plan with the columns that its steps acted on, so that it does the same where roles are not known."""
        if not self.acted_on:
            return self.plan
        steps = zip(self.plan.steps, self.acted_on, strict=True)
        return Plan([replace(step, columns=columns) for step, columns in steps])

    @property
    def is_candidate(self) -> bool:
        """Whether it was measured to the end and protects more than the original, which loses nothing."""
        return self.state == "measured" and super().is_candidate

    def judged_by(self, loss: str, risk: str) -> Tried:
        """The same trial with two other figures for loss and risk."""
        judged = super().judged_by(loss, risk)
        assert isinstance(judged, Tried)
        same = self.measures is None or self.measures[1].name == risk
        return judged if same else replace(judged, barely=None, at_least=None)

    @property
    def as_good_as_unprotected(self) -> float | None:
        """The end of the interval of the original's risk: its records tell no more."""
        return self.barely if self.barely is not None else super().as_good_as_unprotected

    def to_json(self) -> Json:
        """The trial in plain JSON terms; nothing in it tells the key."""
        return {
            **super().to_json(),
            "state": self.state,
            "number": self.number,
            "place": self.place,
            "scenarios": dict(self.scenarios),
            "over": dict(self.over),
            "risk_at_least": self.at_least,
            "synthetic": self.synthetic,
            "utility": {name: one.to_json() for name, one in self.reached.items()},
            "scenarios_about_nobody": list(self.nobody),
        }


@dataclass(frozen=True)
class Found:
    """What a worker found out about a plan, in plain terms that go through a pipe and into the journal."""

    state: State
    seconds: float
    problem: str = ""
    figures: Mapping[str, Json] = field(default_factory=dict)
    scenarios: Mapping[str, float] = field(default_factory=dict)
    over: Mapping[str, str] = field(default_factory=dict)
    at_least: float | None = None
    rules: tuple[int, int] = (0, 0)
    synthetic: bool = False
    acted_on: tuple[tuple[str, ...], ...] = ()
    left_out: int = 0  # records of the original that the release does not have
    reached: Mapping[str, Json] = field(default_factory=dict)  # figures that must survive, by their names
    nobody: tuple[str, ...] = ()  # scenarios in which there is nobody to look for

    def to_json(self) -> Json:
        """The same as a mapping for JSON; what is empty is left out."""
        everything: Json = {
            "state": self.state,
            "seconds": self.seconds,
            "problem": self.problem,
            "figures": dict(self.figures),
            "scenarios": dict(self.scenarios),
            "over": dict(self.over),
            "at_least": self.at_least,
            "rules": list(self.rules) if any(self.rules) else [],
            "synthetic": self.synthetic,
            "acted_on": [list(columns) for columns in self.acted_on],
            "left_out": self.left_out or None,
            "reached": dict(self.reached),
            "nobody": list(self.nobody),
        }
        # 0 is something that was found
        return {
            name: value
            for name, value in everything.items()
            if value is not None and value is not False and value not in ("", {}, [])
        }

    @classmethod
    def from_json(cls, fields: Json) -> Found:
        """The same from a line of the journal."""
        return cls(
            state=fields["state"],
            seconds=float(fields["seconds"]),
            problem=str(fields.get("problem", "")),
            figures=dict(fields.get("figures", {})),
            scenarios={name: float(value) for name, value in fields.get("scenarios", {}).items()},
            over={name: str(said) for name, said in fields.get("over", {}).items()},
            at_least=None if fields.get("at_least") is None else float(fields["at_least"]),
            rules=_two(fields.get("rules", (0, 0))),
            synthetic=bool(fields.get("synthetic", False)),
            acted_on=tuple(tuple(map(str, columns)) for columns in fields.get("acted_on", ())),
            left_out=int(fields.get("left_out", 0)),
            reached=dict(fields.get("reached", {})),
            nobody=tuple(map(str, fields.get("nobody", ()))),
        )

    @property
    def broken(self) -> BrokenRules:
        """The numbers of records that break a rule, before and after."""
        return BrokenRules(before=self.rules[0], after=self.rules[1])


def _two(numbers: Sequence[int]) -> tuple[int, int]:
    before, after = numbers
    return int(before), int(after)


def figure_of(fields: Json) -> Measured:
    """A figure from its plain terms, the reverse of `Measured.to_json`."""
    interval = fields["interval"]
    return Measured(
        fields["name"],
        float(fields["value"]),
        fields["better"],
        (float(fields["bounds"][0]), float(fields["bounds"][1])),
        {name: float(value) for name, value in fields["parts"].items()},
        None if interval is None else (float(interval[0]), float(interval[1])),
        fields["unit"],
        fields["reading"],
        tuple(fields["notes"]),
        {name: figure_of(part) for name, part in fields["domains"].items()},
    )
