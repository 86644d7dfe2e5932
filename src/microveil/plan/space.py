"""The plans that a search may try on data: every method that suits them, by default, at its grids, or drawn anew."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import suggest
from microveil.core.registry import registered
from microveil.core.streams import Streams
from microveil.data.microdata import AnyData, Microdata
from microveil.data.schema import check_names
from microveil.plan.catalogue import example_of
from microveil.plan.drawing import ByStreams, draw_member
from microveil.plan.grid import grid_points
from microveil.plan.plan import Plan
from microveil.run.contract import MissingPolicy, Step
from microveil.run.method import Method

_TRIES = 50  # draws after which parameters that do not suit the data are given up for the defaults


@dataclass(frozen=True)
class Candidate:
    """A plan to try: `text` is the same for equal plans on any machine, `method` names what it runs."""

    text: str
    plan: Plan
    method: str


@dataclass(frozen=True)
class Space:
    """The methods that suit the target columns of data, each as a member that works; why others do not."""

    data: Microdata
    columns: tuple[str, ...] | None
    members: Mapping[str, Method]
    left_out: Mapping[str, str]

    @classmethod
    def of(cls, data: AnyData, columns: Sequence[str] | None = None) -> Space:
        """The space of some columns; without any, each method acts on those it is for."""
        source = Microdata.of(data)
        target = None if columns is None else tuple(columns)
        if target is not None:
            check_names(target, list(source.columns), "columns")
        members: dict[str, Method] = {}
        left_out: dict[str, str] = {}
        for found in registered(Method):
            member = example_of(found)
            if not isinstance(member, Method):
                left_out[found.name] = "it has parameters that somebody must state, and no example of them"
                continue
            reason = why_not(member, source, target)
            if reason is None:
                members[found.name] = member
            else:
                left_out[found.name] = reason
        return cls(source, target, members, left_out)

    def defaults(self) -> tuple[Candidate, ...]:
        """Every method once, by name."""
        return tuple(self._candidate(member) for member in self.members.values())

    def grid(self) -> tuple[Candidate, ...]:
        """Every method at every point of its grids and choices that suits the data, each plan once; defaults first."""
        points = [point for member in self.members.values() for point in grid_points(type(member))]
        suited = [one for one in points if isinstance(one, Method) and why_not(one, self.data, self.columns) is None]
        found = [*self.defaults(), *map(self._candidate, suited)]
        return tuple({candidate.text: candidate for candidate in found}.values())

    def draw(self, name: str, streams: Streams) -> Candidate:
        """The method of this name with random parameters; the same streams give the same plan."""
        if name in self.left_out:
            raise BadInput(f"{name} does not suit the data: {self.left_out[name]}")
        if name not in self.members:
            raise UnknownName(f"no method called {name!r}{suggest(name, self.members)}")
        for attempt in range(_TRIES):
            member = draw_member(self.members[name], ByStreams(streams.at(name, attempt)))
            if why_not(member, self.data, self.columns) is None:
                return self._candidate(member)
        return self._candidate(self.members[name])

    def _candidate(self, method: Method) -> Candidate:
        plan = Plan([Step(method, self.columns, missing=gaps_of(method, self.data, self.columns))])
        return Candidate(canonical_text(plan), plan, method.name)


def canonical_text(plan: Plan) -> str:
    """A plan as text that is the same for equal plans: JSON in one line, names in the order of the alphabet."""
    return json.dumps(plan.to_mapping(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def gaps_of(method: Method, data: Microdata, columns: Sequence[str] | None) -> MissingPolicy:
    """What a plan says about gaps: nothing where there are none, else that the method acts around them."""
    return "error" if method.applies(data, columns) is None else "mask"


def why_not(method: Method, data: Microdata, columns: Sequence[str] | None) -> str | None:
    """Why a method does not suit the data; gaps alone are no reason for one that can act around them."""
    if method.default_roles == ("identifier",):
        return f"{method.name} replaces identifiers, not values that protect or tell"
    reason = method.applies(data, columns)
    return method.applies(data, columns, "mask") if reason is not None and method.skips_missing else reason
