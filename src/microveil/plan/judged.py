"""Which of several plans is better, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.words import list_all
from microveil.plan.trial import Trial, frontier

FIRM = 5  # draws: alike plans have ranges of 5 draws that lie apart in 1 of 126 comparisons, of 4 in 1 of 35


def better_said(trials: Sequence[Trial]) -> str:
    """Which plan is better; where none is in both loss and risk, who wins what.

    The sentence says how much it rests on: on one draw, on a mean that chance may explain, or on draws that lie apart.
    """
    candidates = [trial for trial in trials if trial.is_candidate]
    if not candidates:
        return (
            "None of the plans is a candidate: one that ran, could be measured, keeps the rules of the data and "
            "protects more than the file as it is."
        )
    if len(candidates) == 1:
        others = " of those compared" if len(trials) > 1 else ""
        return f"{candidates[0].label} is the only candidate{others}."
    if len(candidates) == 2 and candidates[0].plan == candidates[1].plan:
        return f"{candidates[0].label} and {candidates[1].label} are the same plan."
    said, rests_on = _of_two(*candidates) if len(candidates) == 2 else _of_many(candidates)
    return _as_sure_as_that(said, [one for one in rests_on if _compare(*one) != 0], candidates)


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


Difference = tuple[Trial, Trial, int]  # two trials, and whether they are compared by loss (0) or risk (1)


def _of_many(candidates: Sequence[Trial]) -> tuple[str, list[Difference]]:
    """Who is best among three or more, and the differences that this rests on."""
    first, *others = candidates
    if all(_compare(first, other, place) == 0 for other in others for place in (0, 1)):
        return f"All {len(candidates)} plans are as good as one another in both, as far as this comparison tells.", []
    best = frontier(candidates)
    if len(best) == 1:
        said = f"{best[0].label} is better than each of the others, or as good, in both."
        return said, [(best[0], other, place) for other in candidates if other is not best[0] for place in (0, 1)]
    told = f"; {list_all([trial.label for trial in best])} are beaten by none" if len(candidates) > len(best) else ""
    said = f"None is better in both: {best[0].label} loses least, {best[-1].label} is safest{told}."
    ends = ((best[0], 0), (best[-1], 1))
    return said, [(end, other, place) for end, place in ends for other in candidates if other is not end]


def _of_two(one: Trial, other: Trial) -> tuple[str, list[Difference]]:
    loses, risks = (_compare(one, other, place) for place in (0, 1))
    rests_on = [(one, other, place) for place in (0, 1)]
    first, second = one.label, other.label
    if loses == risks == 0:
        return f"{first} and {second} are as good as one another in both, as far as this comparison tells.", rests_on
    if loses == 0 or risks == 0:
        winner = first if loses + risks < 0 else second
        return f"{winner} {'is safer at the same loss' if loses == 0 else 'loses less at the same risk'}.", rests_on
    if loses == risks:
        return f"{first if loses < 0 else second} is better in both.", rests_on
    gentle, safe = (first, second) if loses < 0 else (second, first)
    return f"Neither is better in both: {gentle} loses less, {safe} is safer.", rests_on


def _as_sure_as_that(said: str, rests_on: Sequence[Difference], candidates: Sequence[Trial]) -> str:
    """The sentence with what it rests on; as it is where no chance is in it, or draws lie apart."""
    draws = min(trial.draws for trial in candidates)
    by_chance = [one for one in rests_on if one[0].is_drawn or one[1].is_drawn]
    if draws == 1:
        drawn = any(trial.is_drawn for trial in candidates)
        return f"In this one draw {_inside(said)}" if drawn else said
    if not by_chance:
        return said
    if draws < FIRM:
        return f"On average over {draws} draws {_inside(said)[:-1]}; so few draws do not rule chance out."
    if all(_lie_apart(*one) for one in by_chance):
        return said
    return f"On average over {draws} draws {_inside(said)[:-1]}; single draws overlap, so that it may be chance."


def _inside(said: str) -> str:
    """A sentence that stands after other words; names of plans are left as they are."""
    begins = said.startswith(("Neither ", "None ", "All "))
    return said[0].lower() + said[1:] if begins else said


def _lie_apart(one: Trial, other: Trial, place: int) -> bool:
    """Whether the ranges of two figures over all draws do not overlap."""
    found = [trial.figures.get(trial.measures[place].name) if trial.measures else None for trial in (one, other)]
    ranges = [(one.value, one.value) if one.interval is None else one.interval for one in found if one is not None]
    return len(ranges) == 2 and (ranges[0][1] < ranges[1][0] or ranges[1][1] < ranges[0][0])


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
