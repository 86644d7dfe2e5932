"""The recommendation of a study, in words for people who decide and have not read about methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from microveil.core.numbers import format_number
from microveil.core.words import counted, list_some
from microveil.study.tried import Tried

if TYPE_CHECKING:
    from microveil.study.study import Study

_LEAST_LOSS = "it loses least of those that keep all limits"
_LEAST_MEAN = "nobody stated a limit, and it has the least mean of loss and risk"
_STATES = {
    "discarded": "were given up early, because another loses less and is as safe",
    "copies the original": "are the original in another order",
    "breaks rules": "break rules of the data",
    "promises too little": "do not promise what is required",
    "not measured": "cannot be measured by these figures",
    "failed": "could not be run",
    "took too long": "took too long",
}


def recommendation(study: Study) -> str:
    """What was tried, what is recommended, what it costs, and why others lost."""
    sentences = [_tried(study)]
    kept = study.keeping()
    if not kept:
        said = study.nearest_said()
        return " ".join([*sentences, f"No plan is recommended: {said}."])
    chosen = study.best()
    return " ".join([*sentences, *_chosen(chosen, study), *_others(chosen, kept, study)])


def _tried(study: Study) -> str:
    counts = study.counts
    lost = [f"{counts[state]} {told}" for state, told in _STATES.items() if counts.get(state)]
    beside = f"; {'; '.join(lost)}" if lost else ""
    measured = counts.get("measured", 0)
    methods = len({step.method.name for trial in study.trials for step in trial.plan.steps})
    return (
        f"{counted(len(study.trials), 'plan')} of {counted(methods, 'method')} were tried; {measured} were measured to "
        f"the end{beside}."
    )


def _chosen(chosen: Tried, study: Study) -> list[str]:
    loss, risk = (measure.title or measure.name for measure in (study.aims.loss, study.aims.risk))
    by = _LEAST_LOSS if study.aims.is_limited else _LEAST_MEAN
    found = [
        f"Recommended is {chosen.label}: {by}.",
        f"Its loss ({loss}) is {format_number(chosen.loss)}.",
        f"Its risk ({risk}) is {format_number(chosen.risk)}{_instead(chosen)}.",
    ]
    worst = chosen.figures.get(study.aims.risk.name)
    if worst is not None and worst.parts:
        attack = max(worst.parts, key=lambda name: worst.parts[name])
        found.append(f"The attack that finds most is: {attack}.")
    if chosen.synthetic:
        found.append(
            "Its records are synthetic and stand for nobody, so that linking does not apply: the risk is that of "
            "copies, and of what can be learnt about those who were in the file."
        )
    draws = study.confirmed_draws(chosen)
    if draws is None:
        found.append("It was run once and not confirmed: another draw has somewhat other figures.")
    else:
        limits = " All of them keep every limit." if study.aims.is_limited else ""
        found.append(f"{draws.words}{limits}")
    return found


def _instead(chosen: Tried) -> str:
    return "" if chosen.original is None else f", where the unprotected file has {format_number(chosen.original[1])}"


def _others(chosen: Tried, kept: tuple[Tried, ...], study: Study) -> list[str]:
    """Who lost, and by what: those that lose less, those that are safer, and those who failed when run again."""
    found = []
    edge = study.frontier
    less = [one for one in edge if one not in kept]
    if less and study.aims.is_limited:
        named = list_some([one.label for one in less], 3)
        found.append(f"Beaten by none in both figures, but not within the limits: {named}.")
    safer = [one for one in edge if one in kept and one.text != chosen.text]
    if safer:
        last = min(safer, key=lambda one: one.less_is_better[1])
        if last.less_is_better[1] < chosen.less_is_better[1]:
            found.append(
                f"The safest is {last.label}, with a risk of {format_number(last.risk)} and a loss of "
                f"{format_number(last.loss)}."
            )
    failed = [one.trial.label for one in study.confirmed if one.trial not in kept]
    if failed:
        found.append(f"Run again under fresh keys, some draws did not keep the limits: {list_some(failed, 3)}.")
    return found
