"""The recommendation of a study, in words for people who decide and have not read about methods."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from microveil.core.numbers import format_number
from microveil.core.words import counted, list_some
from microveil.plan.overall_loss import NAME as OVERALL
from microveil.plan.worst_case import NAME as WORST
from microveil.plan.worst_case import strongest
from microveil.study.confirming import spread
from microveil.study.tried import Tried

if TYPE_CHECKING:
    from microveil.study.study import Study

_WIDE = 5.0  # per cent beyond what was found that are told where nobody stated a limit

# what is told of one plan, and of several
_STATES = {
    "discarded": (
        "was given up early, because another loses less and is as safe",
        "were given up early, because another loses less and is as safe",
    ),
    "copies the original": ("is the original in another order", "are the original in another order"),
    "breaks rules": ("breaks rules of the data", "break rules of the data"),
    "promises too little": ("does not promise what is required", "do not promise what is required"),
    "not measured": ("cannot be measured by these figures", "cannot be measured by these figures"),
    "failed": ("could not be run", "could not be run"),
    "took too long": ("took too long", "took too long"),
}


def recommendation(study: Study) -> tuple[str, ...]:
    """What is recommended, why, what it costs, why others lost, and what was tried: each in a paragraph."""
    if not study.keeping():
        return f"No plan is recommended: {study.nearest_said()}.", *_failed(study), _tried(study)
    chosen = study.best()
    return (
        *sentences(study),
        *_survival(chosen, study),
        *_others(chosen, study),
        _tried(study),
    )


def sentences(study: Study) -> tuple[str, ...]:
    """Which plan, why, and what it costs; where none keeps the limits the nearest, and what binds."""
    if not study.keeping():
        near = study.nearest()
        if near is None:
            return (f"No plan is recommended: {study.nearest_said()}.",)
        trial, over = near
        tried = counted(sum(one.is_candidate for one in study.trials), "candidate")
        return (
            f"No plan is recommended: none of {tried} keeps all limits{' in every draw' if study.confirmed else ''}.",
            f"{trial.label} comes nearest; what binds is that {over.words}.",
            _cost(trial, study),
        )
    chosen = study.best()
    return _what(chosen, study), _why(chosen, study), _cost(chosen, study)


def _tried(study: Study) -> str:
    counts = study.counts
    lost = [f"{counts[state]} {told[counts[state] > 1]}" for state, told in _STATES.items() if counts.get(state)]
    beside = f"; {'; '.join(lost)}" if lost else ""
    measured = counts.get("measured", 0)
    methods = len({step.method.name for trial in study.trials for step in trial.plan.steps})
    return (
        f"{counted(len(study.trials), 'plan')} of {counted(methods, 'method')} {_were(len(study.trials))} tried; "
        f"{measured} {_were(measured)} measured to the end{beside}."
    )


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _what(chosen: Tried, study: Study) -> str:
    draws = study.confirmed_draws(chosen)
    if draws is None:
        judged = f" It kept every limit{said}." if (said := _judged(chosen, study)) else ""
        return (
            f"Recommended is {chosen.label}, which was run once and is not confirmed: other draws may break limits."
            f"{judged}"
        )
    kept = f" and kept every limit{_judged(chosen, study)}" if study.aims.is_limited else ""
    return f"Recommended is {chosen.label}; it was run {len(draws.draws)} times under keys of their own{kept}."


def _judged(chosen: Tried, study: Study) -> str:
    """That some limits were not judged, where that is so; nobody should take them for kept."""
    unjudged = study.aims.unjudged(chosen)
    return f" that could be judged ({'; '.join(unjudged.values())})" if unjudged else ""


def _why(chosen: Tried, study: Study) -> str:
    tried = counted(sum(one.is_candidate for one in study.trials), "candidate")
    if not study.aims.is_limited:
        return f"Nobody stated a limit, and it has the least mean of loss and risk of {tried}."
    others = [one for one in study.keeping() if one.text != chosen.text]
    if not others:
        return f"Of {tried} it is the only one that keeps all limits."
    second = min(others, key=study.expected)
    if study.expected(second)[0] < study.expected(chosen)[0]:
        return (
            f"Of {tried} {len(others) + 1} keep all limits, and it loses least of those that were run again; in its "
            f"one draw {second.label} had a loss ({_loss(study)}) of {format_number(second.loss)}."
        )
    return (
        f"Of {tried} {len(others) + 1} keep all limits, and it loses least of these; next is {second.label} with a "
        f"loss ({_loss(study)}) of {format_number(_mean_loss(second, study))}."
    )


def _mean_loss(trial: Tried, study: Study) -> float | None:
    """The loss, of a plan that was run again the mean of its draws."""
    draws = study.confirmed_draws(trial)
    return trial.loss if draws is None else fmean(draws.losses)


def _cost(chosen: Tried, study: Study) -> str:
    """Loss and risk, with what of them is largest, and records that are lost."""
    loss, risk = _loss(study), study.aims.risk.title or study.aims.risk.name
    are = "is" if chosen.left_out == 1 else "are"
    dropped = f", and {counted(chosen.left_out, 'record')} {are} left out" if chosen.left_out else ""
    draws = study.confirmed_draws(chosen)
    losses, risks = (draws.losses, draws.risks) if draws is not None else ((chosen.loss,), (chosen.risk,))
    return (
        f"Its loss ({loss}) is {spread(losses)}{_parts(chosen, study)}{dropped}; its risk ({risk}) is "
        f"{spread(risks)}{_instead(chosen)}{_by(chosen, study)}{_so_few(chosen, study)}"
        f"{_synthetic(chosen, study)}."
    )


def _loss(study: Study) -> str:
    """The name of the loss: which one it is depends on the data."""
    return study.aims.loss.title or study.aims.loss.name


def _parts(chosen: Tried, study: Study) -> str:
    """What of the loss is largest, where it is one of several losses."""
    found = chosen.figures.get(study.aims.loss.name)
    if study.aims.loss.name != OVERALL or found is None or len(found.parts) < 2:
        return ""
    each = " on average" if study.confirmed_draws(chosen) is not None else ""
    return (
        f", the largest of {', '.join(f'{name} {format_number(value)}' for name, value in found.parts.items())}{each}"
    )


def _by(chosen: Tried, study: Study) -> str:
    """The attack that finds most."""
    found = chosen.figures.get(study.aims.risk.name)
    if study.aims.risk.name != WORST or found is None or not found.value or not found.parts:
        return ""
    return f", most by {strongest(found.parts)!r}"


def _so_few(chosen: Tried, study: Study) -> str:
    """How high the risk may be as far as the records tell, where that is beyond what may be found."""
    confirmed = study.confirmed_draws(chosen)
    draws = (chosen,) if confirmed is None else confirmed.draws
    found = [draw.figures[WORST] for draw in draws if WORST in draw.figures]
    ends = [one.interval[1] for one in found if one.interval is not None]
    if study.aims.risk.name != WORST or not ends:
        return ""
    allowed = (study.aims.at_most or {}).get(WORST, max(one.value for one in found) + _WIDE)
    highest = max(ends)
    return f"; so few records tell no more than that it is below {format_number(highest)}" if highest > allowed else ""


def _synthetic(chosen: Tried, study: Study) -> str:
    """What the risk of synthetic records is: what attacks other than linking found, of those that could be tried."""
    if not chosen.synthetic:
        return ""
    told = "; its records are synthetic and stand for nobody, so that linking does not apply"
    found = chosen.figures.get(study.aims.risk.name)
    if study.aims.risk.name != WORST or found is None:
        return told
    return f"{told}: the risk is what was tried instead ({', '.join(sorted(found.parts))})"


def _instead(chosen: Tried) -> str:
    return "" if chosen.original is None else f", where the unprotected file has {format_number(chosen.original[1])}"


def _survival(chosen: Tried, study: Study) -> tuple[str, ...]:
    """That figures that must survive do so."""
    goals = len(study.aims.utility)
    if not goals:
        return ()
    all_of = "The figure that must survive does" if goals == 1 else f"All {goals} figures that must survive do"
    return (f"{all_of} so{' in every draw' if study.confirmed_draws(chosen) else ' in this draw'}.",)


def _others(chosen: Tried, study: Study) -> list[str]:
    """Who lost, and by what: those that lose less, those that are safer, and those who failed when run again."""
    found = []
    edge, kept = study.frontier, {one.text for one in study.keeping()}
    less = [one for one in edge if one.text not in kept]
    if less and study.aims.is_limited:
        named = list_some([one.label for one in less], 3)
        found.append(f"Beaten by none in both figures, but not within the limits: {named}.")
    safer = [one for one in edge if one.text in kept and one.text != chosen.text]
    if safer:
        last = min(safer, key=lambda one: study.expected(one)[1])
        if study.expected(last)[1] < study.expected(chosen)[1]:
            draws = study.confirmed_draws(last)
            losses, risks = (draws.losses, draws.risks) if draws is not None else ((last.loss,), (last.risk,))
            found.append(f"The safest is {last.label}, with a risk of {spread(risks)} and a loss of {spread(losses)}.")
    return [*found, *_failed(study)]


def _failed(study: Study) -> tuple[str, ...]:
    """Plans that kept the limits in the draw of the search and not in others."""
    kept = {one.text for one in study.keeping()}
    failed = [one.trial.label for one in study.confirmed if one.trial.text not in kept]
    return (f"Run again under fresh keys, some draws did not keep the limits: {list_some(failed, 3)}.",) * bool(failed)
