"""A first look at what methods can do with a file: as many plans as some time allows, the cheapest first."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import cast, get_args

from microveil.core.errors import BadInput
from microveil.core.streams import Key, Streams
from microveil.data.microdata import Microdata
from microveil.measure import Measure, Scenario
from microveil.plan.apart import Apart
from microveil.plan.comparison import Comparison, Measuring, Trial, try_plan
from microveil.plan.grid import single_choices
from microveil.plan.overall_loss import OverallLoss
from microveil.plan.plan import Plan
from microveil.plan.space import Candidate, Space, canonical_text
from microveil.plan.worst_of_quick import WorstCase
from microveil.risk import DistanceLinkage
from microveil.run.contract import MissingPolicy, Passes, Step

MOST_RECORDS = 5000  # of a larger file that many are looked at
_SHARE = 0.25  # of the time that one plan may take at most
_LEAST = 5.0  # seconds that every plan may take while there is time
PROPOSED, VARIED = "as inspect proposes", "the proposal, varied"
_MOST_LISTED = 3

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Probed:
    """What was tried in the time given; `not_reached` plans had none left, `records` were looked at."""

    trials: Comparison
    not_reached: int
    records: int
    seconds: float


def probe(
    data: Microdata,
    seconds: float,
    *,
    scenarios: Sequence[Scenario] = (),
    proposed: Plan | None = None,
    key: Key | None = None,
    progress: Progress | None = None,
) -> Probed:
    """Try the proposed plan, every method that suits the data with its defaults, then variations, in this time.

    A plan runs in a process of its own and is ended when it takes too long; a program that calls this must allow for
    that by the usual `if __name__ == "__main__":`. Families take turns, each with those first that need to know
    least of the file; grids come in the order of the seconds that their methods took.
    """
    begun, secret = time.monotonic(), Key.fresh() if key is None else key
    source = _some_records(data, secret)
    space = Space.of(source)
    defaults, grid = _candidates(space, proposed)
    both: tuple[Measure, Measure] = (OverallLoss(), WorstCase(scenarios=tuple(scenarios)))
    measuring = Measuring(source, both, (DistanceLinkage(),), [one.plan for one in (*defaults, *grid)], scenarios)
    trials: list[Trial] = []
    with Apart(_answer, (measuring, secret)) as worker:

        def settle(candidate: Candidate) -> bool:
            """Try one plan; false where no time is left. The first is tried however slow the machine is."""
            left = max(seconds - (time.monotonic() - begun), 0.0 if trials else _LEAST)
            if left <= 0:
                return False
            if progress is not None:
                progress(candidate.method, max(round(seconds - left), 0) + 1, round(seconds))
            allowed = min(left, max(_SHARE * seconds, _LEAST))
            found = worker.ask(candidate, allowed)
            trials.append(found or _too_long(candidate, both, allowed))
            return True

        tried = [settle(candidate) for candidate in defaults]
        took = {candidate.method: trial.seconds or 0.0 for candidate, trial in zip(defaults, trials, strict=False)}
        failed = {candidate.method for candidate, trial in zip(defaults, trials, strict=False) if trial.loss is None}
        ordered = sorted((one for one in grid if one.method not in failed), key=lambda one: took.get(one.method, 0.0))
        tried += [settle(candidate) for candidate in ordered]
    return Probed(Comparison(trials), tried.count(False), source.n, time.monotonic() - begun)


def _answer(known: tuple[Measuring, Key], candidate: Candidate) -> Trial:
    measuring, key = known
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a plan leaves as it was is in its figures
        return try_plan(_label(candidate), candidate.plan, measuring, [key])


def _too_long(candidate: Candidate, both: tuple[Measure, Measure], allowed: float) -> Trial:
    problem = f"it took more than {allowed:.0f} seconds"
    return Trial(_label(candidate), candidate.plan, problem=problem, measures=both, tried=both, seconds=allowed)


def _label(candidate: Candidate) -> str:
    """The methods of a plan with the settings that are not their defaults; steps on keys that all plans share are not
    told."""
    steps = candidate.plan.steps if candidate.method in (PROPOSED, VARIED) else candidate.plan.steps[-1:]
    told = ", then ".join(_words(step.method.to_spec()) for step in steps)
    return f"{told} ({candidate.method})" if candidate.method in (PROPOSED, VARIED) else told


def _words(spec: object) -> str:
    """A method or setting as people write it.

    >>> _words({"rank-swap": {"p": 5.0, "columns": ["a", "b"]}})
    'rank-swap p=5 columns=a,b'
    """
    if isinstance(spec, Mapping) and len(spec) == 1 and isinstance(next(iter(spec.values())), Mapping):
        ((name, settings),) = spec.items()
        return " ".join([str(name), *(f"{key}={_words(value)}" for key, value in settings.items())])
    if isinstance(spec, Mapping):
        return ",".join(f"{key}:{_words(value)}" for key, value in spec.items())
    if isinstance(spec, list | tuple):
        more = f",… ({len(spec)})" if len(spec) > _MOST_LISTED else ""
        return ",".join(map(_words, spec[:_MOST_LISTED])) + more
    if isinstance(spec, bool):
        return "yes" if spec else "no"
    return f"{spec:g}" if isinstance(spec, float) else str(spec)


def _some_records(data: Microdata, key: Key) -> Microdata:
    """The data, or some of many records, drawn at random."""
    if data.n <= MOST_RECORDS:
        return data
    rows = sorted(Streams(key).at("probe", "records").order(data.n)[:MOST_RECORDS].tolist())
    return data.with_(data.narwhal[rows, :].to_native())


def _candidates(space: Space, proposed: Plan | None) -> tuple[list[Candidate], list[Candidate]]:
    """The plans with defaults, the cheapest first, and those of grids; each after what the proposal does to keys."""
    before = _steps_on_keys(proposed, space.data)
    defaults = _in_turns(space.defaults())
    first = [] if proposed is None else [Candidate(canonical_text(proposed), proposed, PROPOSED)]
    known = {one.text for one in defaults}
    rest = [one for one in space.grid() if one.text not in known]
    varied = list(_variations(proposed, space.data))
    return [*first, *_after(before, defaults, space.data)], [*varied, *_after(before, rest, space.data)]


def _variations(proposed: Plan | None, data: Microdata) -> Iterator[Candidate]:
    """The proposal with its last method at each point of its grids, one parameter at a time."""
    if proposed is None:
        return
    *others, last = proposed.steps
    for settings in single_choices(type(last.method), last.method):
        try:
            method = replace(last.method, **settings)
        except BadInput:
            continue  # what does not go together with the settings of the proposal
        if method.applies(data, last.columns, cast(MissingPolicy, last.missing)) is None:
            plan = Plan([*others, replace(last, method=method)])
            yield Candidate(canonical_text(plan), plan, VARIED)


def _in_turns(candidates: Sequence[Candidate]) -> list[Candidate]:
    """One of each family in turn, those first that need to know least of the file: little time shows some of all."""
    families: dict[str, list[Candidate]] = {}
    for one in sorted(candidates, key=lambda one: (_cost(one), one.method)):
        families.setdefault(one.plan.steps[-1].method.family, []).append(one)
    return [one for turn in zip_longest(*families.values()) for one in turn if one is not None]


def _after(before: Sequence[Step], candidates: Sequence[Candidate], data: Microdata) -> Iterator[Candidate]:
    """Candidates for amounts after the steps on keys; others as they are."""
    for one in candidates:
        method = one.plan.steps[-1].method
        amounts = [name for name in data.columns if data.kinds[name] == "continuous"]
        if before and method.kinds == ("continuous",):
            plan = Plan([*before, *one.plan.steps])
            yield Candidate(canonical_text(plan), plan, one.method)
        elif not before or not amounts:
            yield one


def _steps_on_keys(proposed: Plan | None, data: Microdata) -> tuple[Step, ...]:
    """The steps of a plan that act on columns of categories alone."""
    found = []
    for step in proposed.steps if proposed is not None else ():
        names = step.columns or ()
        if names and all(data.kinds[name] != "continuous" for name in names):
            found.append(step)
    return tuple(found)


def _cost(candidate: Candidate) -> int:
    """What a method must know of the file, from single records to all of it."""
    return get_args(Passes).index(candidate.plan.steps[-1].method.passes)
