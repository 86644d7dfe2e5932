"""Families of plans that a search draws from: one method, or two or three that make sense together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import get_args

from microveil.claims import CovariancesKept, ValuesKept, VariancesKept
from microveil.core.errors import BadInput, MicroveilError, UnknownName
from microveil.core.parameters import suggest
from microveil.data.microdata import Microdata
from microveil.mask import Repair, Rescale, UncorrelatedNoise
from microveil.plan.drawing import Chance, draw_member
from microveil.plan.grid import single_choices
from microveil.plan.plan import Plan
from microveil.plan.plan_words import words_of
from microveil.plan.space import Candidate, Space, canonical_text, gaps_of, why_not
from microveil.run.contract import Passes, Step
from microveil.run.method import Method

_JITTER = 0.05  # standard deviations: enough that equal records are none any more


@dataclass(frozen=True)
class Arm:
    """Steps whose parameters are open; `parts` names the arms that it was put together from.

    `stated`: somebody gave the plan, so that whether it suits the data is left to the run.
    """

    name: str
    steps: tuple[Step, ...]
    parts: tuple[str, ...] = ()
    stated: bool = False

    @property
    def plan(self) -> Plan:
        """The plan with all parameters as they are by default."""
        return Plan(self.steps)

    def candidate(self, plan: Plan) -> Candidate:
        """A plan of this arm."""
        return Candidate(canonical_text(plan), plan, self.name)

    def grid(self, data: Microdata) -> Iterator[Candidate]:
        """Plans in which one step is another point of its grids; steps that mend others are not varied alone."""
        for place, step in enumerate(self.steps):
            if step.method.follows:
                continue
            for member in _around(step.method):
                if self._suits(member, step, data):
                    yield self.candidate(self._with({place: member}))

    def draw(self, chance: Chance, data: Microdata) -> Candidate | None:
        """A plan with parameters by chance; None if they do not suit the data."""
        drawn: dict[int, Method] = {}
        for place, step in enumerate(self.steps):
            try:
                member = draw_member(step.method, chance.at(place))
            except BadInput:
                return None  # parameters that exclude one another in a way that no condition states
            if not isinstance(member, Method) or not self._suits(member, step, data):
                return None
            drawn[place] = member
        return self.candidate(self._with(drawn))

    def _with(self, members: dict[int, Method]) -> Plan:
        return Plan(
            Step(members.get(place, step.method), step.columns, step.given, step.by, step.missing)
            for place, step in enumerate(self.steps)
        )

    def _suits(self, member: Method, step: Step, data: Microdata) -> bool:
        # a step that follows another is judged by what that leaves it
        return self.stated or member.follows or why_not(member, data, step.columns) is None


def _around(member: object) -> Iterator[Method]:
    """The method with one parameter at a time at another point of its grid or choices."""
    assert isinstance(member, Method)
    settings = {parameter.name: getattr(member, parameter.name) for parameter in member.parameters()}
    for choice in (*single_choices(type(member), member), *member.also_try):
        try:
            yield type(member)(**{**settings, **choice})
        except BadInput:
            continue  # not valid with the others as they are


@dataclass(frozen=True)
class Arms:
    """All arms of a study: single methods in the order in which they are tried, and plans of several steps."""

    data: Microdata
    single: tuple[Arm, ...]
    pairs: tuple[Arm, ...]

    @classmethod
    def of(
        cls,
        data: Microdata,
        columns: Sequence[str] | None,
        methods: Sequence[str] | None,
        without: Sequence[str],
        plans: Sequence[Plan] = (),
    ) -> Arms:
        """The arms of data: every method that suits them, and pairs of which one is for keys and one for amounts.

        Where there are both, each method is also tried on all columns together. The `plans` given come first.
        """
        stated = [Arm(f"the plan {words_of(plan)}", plan.steps, stated=True) for plan in plans]
        whole = _arms_of(Space.of(data, columns), methods, without)
        keys, rest = _keys_and_rest(data, columns)
        if not keys or not rest:
            return cls(data, (*stated, *_cheapest_first(whole)), ())
        first, second, together = (
            _arms_of(Space.of(data, some), methods, without) for some in (keys, rest, keys + rest)
        )
        first, second = _acting_within(data, [*whole, *first], keys), _acting_within(data, [*whole, *second], rest)
        pairs = [_joined(one, other) for one in first for other in second]
        return cls(data, (*stated, *_cheapest_first([*whole, *together, *first, *second])), tuple(pairs))

    def after(self, arm: Arm) -> Iterator[Arm]:
        """The arm with one more step that mends what it does: spread restored, equal records set apart a little.

        What keeps variances exactly needs neither.
        """
        if len(arm.steps) > 2 or any(isinstance(step.method, Rescale | UncorrelatedNoise) for step in arm.steps):
            return
        amounts = self._amounts(arm.steps[-1])
        promised = arm.steps[-1].method.claims(amounts)
        if any(isinstance(claim, VariancesKept | CovariancesKept | ValuesKept) for claim in promised):
            return
        for follower in (Rescale(), UncorrelatedNoise(p=_JITTER)) if amounts else ():
            yield _followed(arm, follower, amounts)

    def repaired(self, arm: Arm) -> Arm | None:
        """The arm with a step that brings records back into the rules; None where there is none to bring back."""
        if (
            not self.data.edits_of_amounts
            or len(arm.steps) > 2
            or any(isinstance(step.method, Repair) for step in arm.steps)
        ):
            return None
        return _followed(arm, Repair(), None)

    def _amounts(self, step: Step) -> tuple[str, ...]:
        changed = _changed(self.data, step)
        return tuple(name for name in changed if self.data.kinds[name] == "continuous")


def _arms_of(space: Space, methods: Sequence[str] | None, without: Sequence[str]) -> list[Arm]:
    known = [*space.members, *space.left_out]
    for name in (*(methods or ()), *without):
        if name not in known:
            raise UnknownName(f"no method called {name!r}{suggest(name, known)}")
    wanted = [name for name in space.members if (methods is None or name in methods) and name not in without]
    return [_arm(space, space.members[name]) for name in wanted]


def _arm(space: Space, member: Method) -> Arm:
    named = "" if space.columns is None else f" on {', '.join(map(str, space.columns))}"
    step = Step(member, space.columns, missing=gaps_of(member, space.data, space.columns))
    return Arm(f"{member.name}{named}", (step,))


def _keys_and_rest(data: Microdata, columns: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The key columns, and the amounts that are no keys; of some columns alone if these were named."""
    there = [name for name in data.columns if columns is None or name in columns]
    keys = [name for name in there if data.roles[name] == "key"]
    told = ("confidential", "other")
    rest = [name for name in there if data.roles[name] in told and data.kinds[name] == "continuous"]
    return keys, rest


def _acting_within(data: Microdata, arms: Sequence[Arm], columns: Sequence[str]) -> list[Arm]:
    """The arms that change none but these columns, those of one method once."""
    found: dict[str, Arm] = {}
    for arm in arms:
        changed = _changed(data, arm.steps[0])
        if changed and set(changed) <= set(columns):
            found.setdefault(arm.steps[0].method.name, arm)
    return list(found.values())


def _changed(data: Microdata, step: Step) -> tuple[str, ...]:
    try:
        return tuple(step.method.resolve(data, step)[0])
    except MicroveilError:
        return ()


def _joined(one: Arm, other: Arm) -> Arm:
    return Arm(f"{one.name} then {other.name}", (*one.steps, *other.steps), (one.name, other.name))


def _followed(arm: Arm, method: Method, columns: tuple[str, ...] | None) -> Arm:
    step = Step(method, columns or None, missing=arm.steps[-1].missing)
    return Arm(f"{arm.name} then {method.name}", (*arm.steps, step), (*arm.parts, arm.name))


def _cheapest_first(arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms, each once, those first that need to know least of the file; families take turns.

    So little time shows something of every family. Seconds would tell more, but differ from run to run, and a study is
    the same whenever it is run.
    """
    once = {arm.name: arm for arm in arms}
    families: dict[str, list[Arm]] = {}
    for arm in sorted(once.values(), key=lambda arm: _cost(arm.steps[0].method)):
        families.setdefault(arm.steps[0].method.family, []).append(arm)
    return tuple(arm for turn in zip_longest(*families.values()) for arm in turn if arm is not None)


def _cost(method: object) -> tuple[int, int, str]:
    assert isinstance(method, Method)
    inside = sum(isinstance(getattr(method, one.name), Method) for one in method.parameters())
    return get_args(Passes).index(method.passes), inside, method.name
