"""Which of several plans is better, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.words import list_all
from microveil.plan.trial import Trial, frontier


def better_said(trials: Sequence[Trial]) -> str:
    """Which plan is better; where none is in both loss and risk, who wins what."""
    candidates = [trial for trial in trials if trial.is_candidate]
    if not candidates:
        return "None of the plans is a candidate: none ran, could be measured, and keeps the rules of the data."
    if len(candidates) == 1:
        others = " of those compared" if len(trials) > 1 else ""
        return f"{candidates[0].label} is the only candidate{others}."
    if len(candidates) == 2:
        return _of_two(*candidates)
    if all(_compare(candidates[0], other, place) == 0 for other in candidates[1:] for place in (0, 1)):
        return f"All {len(candidates)} plans are as good as one another in both, as far as this comparison tells."
    best = frontier(candidates)
    if len(best) == 1:
        return f"{best[0].label} is better than each of the others, or as good, in both."
    ends = f"{best[0].label} loses least, {best[-1].label} is safest"
    beaten = len(candidates) - len(best)
    told = f"; {list_all([trial.label for trial in best])} are beaten by none" if beaten else ""
    return f"None is better in both: {ends}{told}."


def limits_said(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Which plans keep the limits that somebody stated, in a sentence; none where nobody did."""
    judged = [trial for trial in trials if trial.keeps_limits is not None]
    if not judged:
        return ()
    kept = [trial.label for trial in judged if trial.keeps_limits]
    if not kept:
        return ("None of the plans keeps the limits stated in every draw: none may be released as it is.",)
    if len(kept) == len(judged):
        return ("Every plan that ran keeps the limits stated.",)
    return (f"{list_all(kept)} {'keeps' if len(kept) == 1 else 'keep'} the limits stated, the others do not.",)


def _of_two(one: Trial, other: Trial) -> str:
    loses, risks = (_compare(one, other, place) for place in (0, 1))
    first, second = one.label, other.label
    if one.plan == other.plan:
        return f"{first} and {second} are the same plan."
    if loses == risks == 0:
        return f"{first} and {second} are as good as one another in both, as far as this comparison tells."
    if loses == 0 or risks == 0:
        winner = first if loses + risks < 0 else second
        return f"{winner} {'is safer at the same loss' if loses == 0 else 'loses less at the same risk'}."
    if loses == risks:
        return f"{first if loses < 0 else second} is better in both."
    gentle, safe = (first, second) if loses < 0 else (second, first)
    return f"Neither is better in both: {gentle} loses less, {safe} is safer."


def _compare(one: Trial, other: Trial, place: int) -> int:
    """-1 if the first is better in loss (0) or risk (1), 1 if the second is, 0 if chance may tell them apart alone."""
    values = one.less_is_better[place], other.less_is_better[place]
    if abs(values[0] - values[1]) <= 1e-9 * max(map(abs, values)) or _is_chance(one, other, place):
        return 0
    return -1 if values[0] < values[1] else 1


def _is_chance(one: Trial, other: Trial, place: int) -> bool:
    """Whether each of two figures lies in the interval of the other; figures without intervals differ if they do."""
    found = [trial.figures.get(trial.measures[place].name) if trial.measures else None for trial in (one, other)]
    if found[0] is None or found[1] is None:
        return False
    return all(
        mine.interval is not None and mine.interval[0] <= theirs.value <= mine.interval[1]
        for mine, theirs in ((found[0], found[1]), (found[1], found[0]))
    )
