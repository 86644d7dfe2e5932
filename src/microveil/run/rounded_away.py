"""Promises that rounding to the units of the source moves or destroys, and how broken ones are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from microveil.claims import Verdict
from microveil.core.numbers import format_number
from microveil.run.promises import Lost, Promise
from microveil.run.state import State

MUCH_OF_A_SPREAD = 0.05  # standard deviations by which an exact moment may be off after rounding, whatever the cause

Judged = Sequence[tuple[Promise, Verdict]]


def give_up_rounded(
    state: State, verdicts: Judged, exactly: Callable[[Sequence[Promise]], Judged]
) -> tuple[State, tuple[Lost, ...]]:
    """The state without promises that held until values were rounded to the units of the source, and those promises.

    What protects people (claims about the release alone) is never given up here: if rounding breaks it, it is broken.
    `exactly` judges promises on the values before they were rounded.
    """
    # of several subdomains the one in which it moved most
    worst_last = sorted(verdicts, key=lambda found: found[1].largest)
    moved = {promise: verdict for promise, verdict in worst_last if _is_destroyed(verdict)}
    suspects = [promise for promise in moved if promise.claim.about != "release"]
    if not suspects:
        return state, ()
    exact = exactly(suspects)
    destroyed = {promise for promise, verdict in exact if verdict.holds and verdict.largest < moved[promise].largest}
    lost = tuple(
        Lost(
            str(promise),
            state.steps[promise.step].method.name,
            f"rounding to the units of the source moves it by {format_number(moved[promise].largest, 2)}"
            f"{' standard deviations' * promise.claim.in_spreads}; integers='keep exact' keeps it",
        )
        for promise in state.promises
        if promise in destroyed
    )
    return replace(state, promises=tuple(p for p in state.promises if p not in destroyed)), lost


def _is_destroyed(verdict: Verdict) -> bool:
    """Whether rounding, if it is the cause, left little of the claim: beyond its own size, or much of a spread."""
    return not verdict.holds or (
        verdict.claim.in_spreads and not verdict.exactly and verdict.largest > MUCH_OF_A_SPREAD
    )


def complaints(state: State, judged: Judged) -> list[str]:
    """Each broken promise in words, with what to do where a later step is to blame.

    One that several subdomains break is told once, by the subdomain that is worst.
    """
    worst: dict[tuple[int, str], Verdict] = {}
    for promise, verdict in judged:
        said = promise.step, str(promise)
        if not verdict.holds and (said not in worst or verdict.largest > worst[said].largest):
            worst[said] = verdict
    return [_complaint(state, step, promise, verdict) for (step, promise), verdict in worst.items()]


def _complaint(state: State, step: int, promise: str, verdict: Verdict) -> str:
    made = state.steps[step].method.name
    later = state.steps[step + 1 :]
    text = f"BROKEN: {promise} (deviation {verdict.deviation:.3g}, allowed {verdict.allowed:.3g})"
    if not later:
        return text
    names = ", ".join(dict.fromkeys(one.method.name for one in later))
    return f"{text}; {made} promised it and {names} came later: run {made} last, or leave that step out"


def rounding_notes(kept: Judged) -> list[str]:
    """What rounding to the units of the original moves, where that is more than doubles do."""
    return [
        f"rounding to the units of the original moves this by up to {format_number(verdict.largest, 2)}"
        f"{' standard deviations' * promise.claim.in_spreads}: {promise}"
        for promise, verdict in kept
        if not verdict.exactly
    ]
