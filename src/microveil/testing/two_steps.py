"""Checks of two steps in a row: records left out before or after a method, and what becomes of its promises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from microveil.core.errors import BadInput, BrokenPromise
from microveil.data.microdata import Microdata
from microveil.mask import Sample, UncorrelatedNoise
from microveil.run.contract import Step
from microveil.run.method import Method
from microveil.run.promises import Promise
from microveil.run.release import Release
from microveil.testing.recounts import recount
from microveil.testing.runs import run, run_all, run_unchecked
from microveil.testing.samples import as_microdata, sample_columns, with_gaps

_ROWS = 120
_GAPPY = "rent"


def check_two_steps(method: Method) -> None:
    """Records left out after the method, or before it, neither break a promise in silence nor raise a false alarm.

    Every promise of the method alone is listed by the release and holds by our own count, or is given up in words
    (`release.lost`), or is an error, and then our own count finds it broken.
    """
    data = _data()
    alone = run(method, data)
    for what, steps in _plans(method):
        try:
            release = run_all(data, steps)
        except BrokenPromise as problem:
            _check_alarm(data, steps, what, str(problem))
            continue
        except BadInput:
            continue  # too few records are left, or synthetic ones have nothing to act on: a clear refusal
        _check_promises(alone, release, what)


def _data() -> Microdata:
    columns = sample_columns(_ROWS)
    rent = {_GAPPY: columns["weight"] * 100.0 + columns["age"]}
    # a technical column: no method takes it unless it is named
    return as_microdata({**columns, **with_gaps(rent, rent, every=4)}, integers="keep exact").with_(
        roles={_GAPPY: "stratum"}, kinds={_GAPPY: "continuous"}
    )


def _plans(method: Method) -> Iterator[tuple[str, Sequence[Step]]]:
    first = Step(method)
    yield "with a sample of it released", [first, Step(Sample(fraction=0.5))]
    yield "on a sample", [Step(Sample(fraction=0.7)), first]
    dropping = Step(UncorrelatedNoise(), columns=_GAPPY, missing="drop")
    yield "with incomplete records left out later", [first, dropping]


def _check_promises(alone: Release, release: Release, what: str) -> None:
    held = {(promise.claim, promise.by): promise for promise in release.promises}
    for promise in alone.promises:
        now = held.get((promise.claim, promise.by))
        if now is None:
            lost = any(str(promise.claim) in text for text in release.lost)
            assert lost, f"{what}, it is silently lost that {promise.claim}"
            continue
        assert recount(release, now) is not False, f"{what}, a false promise: {now}"
    for verdict in release.check():
        assert verdict.holds, f"{what}: {verdict}"


def _check_alarm(data: Microdata, steps: Sequence[Step], what: str, message: str) -> None:
    release = run_unchecked(data, steps)
    suspects = [promise for promise in release.promises if promise.claim.about == "release"]
    assert any(_is_broken(release, promise) for promise in suspects), f"{what}, a false alarm: {message}"


def _is_broken(release: Release, promise: Promise) -> bool:
    counted = recount(release, promise)
    if counted is None:
        # we do not know how to count it: its own check is all there is
        return any(not verdict.holds for verdict in release.check() if verdict.claim == promise.claim)
    return not counted
