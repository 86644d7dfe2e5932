"""Which plan is tried next: every method as it is by default, then grids, several steps, and refining near the best.

A proposal follows from what was settled before it and from nothing else: neither time nor chance other than that of
fixed streams decides. So the same figures give the same proposals, whoever measured them and in whatever order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from microveil.core.streams import Key, Streams
from microveil.measure import Measure
from microveil.plan.drawing import Chance, Decision, decisions_for
from microveil.plan.plan import Plan
from microveil.plan.space import Candidate
from microveil.study.area import area_beaten, behind, edge_of
from microveil.study.arms import Arm, Arms
from microveil.study.measuring import Point
from microveil.study.sampling import Sampler, sampler_for
from microveil.study.tried import Tried

_REACH = 0.05  # of both axes: arms no farther behind the best than this are refined
_DRAWS = 20  # draws of one arm without a new plan after which it has none left
_LOOKED_BACK = 8  # of an arm's last refined plans: their gain decides whether it goes on
_OPEN = 100.0
_PUBLIC = Streams(Key.of("proposals of a study"))  # proposals tell nothing about any key


@dataclass(frozen=True)
class Proposal:
    """A plan to try, the arm it is of, and the chance it was drawn by if a sampler is to be told of it."""

    candidate: Candidate
    arm: Arm
    chance: Chance | None = None


@dataclass
class _Account:
    """What is known of an arm."""

    arm: Arm
    points: list[Point] = field(default_factory=list)
    grid: deque[Candidate] | None = None
    sampler: Sampler | None = None
    seen: list[tuple[Plan, Point]] = field(default_factory=list)  # what a sampler that begins later learns from
    gains: list[float] = field(default_factory=list)
    refined: int = 0
    slow: int = 0  # plans of it that took too long
    exhausted: bool = False  # no new plan is drawn any more

    def begin_sampling(self) -> Sampler:
        """The sampler of the arm, which knows every plan of it that was settled before."""
        if self.sampler is None:
            self.sampler = sampler_for(self.arm.name, _PUBLIC)
            for plan, point in self.seen:
                self.sampler.learn(_decisions(plan), point)
        return self.sampler

    def learn(self, plan: Plan, point: Point) -> None:
        """A plan was settled that no sampler drew."""
        self.seen.append((plan, point))
        if self.sampler is not None:
            self.sampler.learn(_decisions(plan), point)

    @property
    def given_up(self) -> bool:
        """Whether too many of its plans took too long: the first one, or later one in six."""
        return self.slow > len(self.points) // 5


class Proposer:
    """The sequence of plans of a study."""

    def __init__(self, arms: Arms, measures: tuple[Measure, Measure], original: Point) -> None:
        self._arms = arms
        self._axes = _Axes(measures, original)
        self._accounts = {arm.name: _Account(arm) for arm in arms.single}
        self._defaults = deque(arms.single)
        self._several = {arm.name: arm for arm in arms.pairs}
        self._known: set[str] = set()
        self._points: list[Point] = [self._axes.turned(original)]  # the unprotected file beats what protects no more
        self._asked = 0

    def next(self) -> Proposal | None:
        """The next plan; None if there is none left."""
        self._asked += 1
        while self._defaults:
            arm = self._defaults.popleft()
            if (found := self._new(arm.candidate(arm.plan), arm)) is not None:
                return found
        ways: tuple[Callable[[], Proposal | None], ...] = (self._from_grid, self._of_steps, self._refined)
        turn = (0, 1, 0, 2, 1, 2)[self._asked % 6]
        for way in (*ways[turn:], *ways[:turn]):
            if (found := way()) is not None:
                return found
        return None

    def told(self, proposal: Proposal, trial: Tried) -> None:
        """A plan was settled; told in the order of asking."""
        account = self._accounts[proposal.arm.name]
        point = self._axes.point(trial)
        if trial.state == "took too long":
            account.slow += 1
        if trial.state == "breaks rules" and (mended := self._arms.repaired(proposal.arm)) is not None:
            self._offer(mended)
        gain = 0.0
        if point is not None:
            account.points.append(point)
            if trial.state == "measured":
                before = area_beaten(edge_of(self._points), self._axes.corner)
                self._points.append(point)
                gain = area_beaten(edge_of(self._points), self._axes.corner) - before
                if self._is_near(account):
                    for further in self._arms.after(proposal.arm):
                        self._offer(further)
        if proposal.chance is not None and account.sampler is not None:
            account.gains.append(gain)
            account.sampler.tell(proposal.chance, point or self._axes.worst)
        else:
            account.learn(proposal.candidate.plan, point or self._axes.worst)

    # -- the three ways --------------------------------------------------------------------------

    def _from_grid(self) -> Proposal | None:
        """A point of a grid, of the arm that is least behind."""
        for account in self._nearest_first():
            if account.given_up:
                continue
            if account.grid is None:
                account.grid = deque(account.arm.grid(self._arms.data))
            while account.grid:
                if (found := self._new(account.grid.popleft(), account.arm)) is not None:
                    return found
        return None

    def _of_steps(self) -> Proposal | None:
        """A plan of several steps, of the parts that are least behind."""
        while self._several:
            name = min(self._several, key=lambda one: (self._behind_of(self._several[one]), one))
            arm = self._several.pop(name)
            self._accounts.setdefault(name, _Account(arm))
            if (found := self._new(arm.candidate(arm.plan), arm)) is not None:
                return found
        return None

    def _refined(self) -> Proposal | None:
        """Drawn parameters of the arm near the best that gained most area of late."""
        for account in sorted(self._near(), key=lambda one: -self._promise(one)):
            sampler = account.begin_sampling()
            for _ in range(_DRAWS):
                chance = sampler.ask()
                drawn = account.arm.draw(chance, self._arms.data)
                if drawn is None:
                    sampler.tell(chance, self._axes.worst)
                elif (found := self._new(drawn, account.arm, chance)) is not None:
                    account.refined += 1
                    return found
            account.exhausted = True
        return None

    # -- what is known of arms -------------------------------------------------------------------

    def _new(self, candidate: Candidate, arm: Arm, chance: Chance | None = None) -> Proposal | None:
        if candidate.text in self._known:
            return None
        self._known.add(candidate.text)
        return Proposal(candidate, arm, chance)

    def _offer(self, arm: Arm) -> None:
        if arm.name not in self._accounts:
            self._several.setdefault(arm.name, arm)

    def _nearest_first(self) -> list[_Account]:
        return sorted(self._accounts.values(), key=lambda one: (self._behind(one), one.arm.name))

    def _near(self) -> list[_Account]:
        return [one for one in self._accounts.values() if self._is_near(one) and not one.given_up and not one.exhausted]

    def _is_near(self, account: _Account) -> bool:
        return self._behind(account) <= _REACH

    def _behind(self, account: _Account) -> float:
        """How far the best plan of an arm is behind the best of all, in parts of the axes; unknown is farthest."""
        edge = [self._axes.scaled(point) for point in edge_of(self._points)]
        return min((behind(self._axes.scaled(point), edge) for point in account.points), default=float("inf"))

    def _behind_of(self, arm: Arm) -> float:
        """How far the parts of a plan are behind on average; a part that could not be measured is farthest."""
        found = [self._behind(self._accounts[name]) for name in arm.parts if name in self._accounts]
        return sum(found) / len(found) if found else float("inf")

    def _promise(self, account: _Account) -> float:
        """The mean gain of the last refined plans; who was refined less is given the benefit of the doubt."""
        recent = account.gains[-_LOOKED_BACK:]
        waiting = account.refined - len(account.gains)
        usual = 1e-3 * area_beaten([(0.0, 0.0)], self._axes.reach)
        return (sum(recent) + usual) / (len(recent) + waiting + 1)


def _decisions(plan: Plan) -> Iterator[Decision]:
    """What chance would have had to decide for this plan of an arm."""
    return (one for place, step in enumerate(plan.steps) for one in decisions_for(step.method, (place,)))


class _Axes:
    """Loss and risk as numbers of which less is better, and the lengths by which they are compared."""

    def __init__(self, measures: tuple[Measure, Measure], original: Point) -> None:
        self._names = [measure.name for measure in measures]
        self._signs = [-1.0 if measure.better == "higher" else 1.0 for measure in measures]
        spans = [_span(measure, was) for measure, was in zip(measures, original, strict=True)]
        self.corner: Point = (spans[0][1], spans[1][1])
        self.reach: Point = (spans[0][1] - spans[0][0], spans[1][1] - spans[1][0])

    @property
    def worst(self) -> Point:
        """What a plan that failed is told as: a sampler learns nothing from silence."""
        return self.corner

    def turned(self, point: Point) -> Point:
        """Two figures so that less is better."""
        return self._signs[0] * point[0], self._signs[1] * point[1]

    def point(self, trial: Tried) -> Point | None:
        """The figures of a trial; of one that was given up early the bounds; None where there are none."""
        loss = trial.figures.get(self._names[0])
        risk = trial.figures[self._names[1]].value if self._names[1] in trial.figures else trial.at_least
        if loss is None or risk is None:
            return None
        return self.turned((loss.value, risk))

    def scaled(self, point: Point) -> Point:
        """The same in parts of the axes."""
        return point[0] / self.reach[0], point[1] / self.reach[1]


def _span(measure: Measure, original: float) -> tuple[float, float]:
    """The best and the worst that a measure can say, turned so that less is better.

    An open end stands for as much as is lost where everything is: about 100 in the measures of the literature.
    """
    low, high = measure.bounds
    ends = [end if abs(end) < float("inf") else original + side for end, side in ((low, -_OPEN), (high, _OPEN))]
    return (-ends[1], -ends[0]) if measure.better == "higher" else (ends[0], ends[1])
