"""The plan to take among those that were tried, and why, in three sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.plan.plan import Plan
from microveil.plan.trial import Trial
from microveil.risk import DistanceLinkage


@dataclass(frozen=True)
class Recommended:
    """A plan with the sentences that recommend it; `within` the limit of risk, or the safest where none is."""

    trial: Trial
    within: bool
    sentences: tuple[str, str, str]

    @property
    def plan(self) -> Plan:
        """The plan with the columns that its steps acted on, so that it does the same where roles are not known."""
        steps = zip(self.trial.plan.steps, self.trial.steps, strict=True)
        return Plan([replace(step, columns=ran.columns) for step, ran in steps])


def recommend(trials: Sequence[Trial], max_risk: float) -> Recommended | None:
    """The plan that loses least among those within the limit of risk; where none is, the safest; none without figures.

    Of plans that lose the same the safer one is taken; none that breaks rules of the data is.
    """
    candidates = [trial for trial in trials if trial.is_candidate]
    if not candidates:
        return None
    within = [trial for trial in candidates if (trial.risk or 0.0) <= max_risk]
    chosen = (
        min(within, key=lambda trial: trial.less_is_better)
        if within
        else min(candidates, key=lambda trial: trial.less_is_better[::-1])
    )
    why = _why(chosen, candidates, within, max_risk)
    return Recommended(chosen, bool(within), (_what(chosen), why, _cost(chosen)))


def _what(chosen: Trial) -> str:
    return f"Recommended is {chosen.label}."


def _why(chosen: Trial, candidates: Sequence[Trial], within: Sequence[Trial], max_risk: float) -> str:
    tried = f"{counted(len(candidates), 'candidate')}"
    limit = f"{format_number(max_risk)} %"
    if not within:
        return (
            f"None of {tried} keeps the risk within {limit}, the limit that binds; this one comes nearest with "
            f"{format_number(chosen.risk)} %."
        )
    others = [trial for trial in within if trial is not chosen]
    if not others:
        return f"Of {tried} it is the only one in which attacks find at most {limit} of the records."
    second = min(others, key=lambda trial: trial.less_is_better)
    return (
        f"Of {tried}, {len(within)} keep the risk within {limit}, and it loses least of these; next is {second.label} "
        f"with a loss of {format_number(second.loss)} %."
    )


def _cost(chosen: Trial) -> str:
    before = chosen.original[1] if chosen.original is not None else None
    instead = f" instead of {format_number(before)} %" if before is not None else ""
    if DistanceLinkage.name not in chosen.figures:
        # nobody knows whose record is whose: the figure is not one of linkage
        found = (
            "linkage does not apply to its records, which are synthetic, and the risk counts copies of originals alone"
        )
        found = f"{found} ({format_number(chosen.risk)} %{instead})"
    else:
        found = f"attacks find {format_number(chosen.risk)} % of the records{instead}{_by(chosen)}"
    dropped = f" and {counted(chosen.left_out, 'record')}, which it leaves out" if chosen.left_out else ""
    return f"It costs a loss of {format_number(chosen.loss)} of 100{_most(chosen)}{dropped}; {found}."


def _by(chosen: Trial) -> str:
    """The attack that finds most."""
    figure = _figure(chosen, 1)
    if figure is None or not figure.parts:
        return ""
    return f", most by {max(figure.parts, key=lambda name: figure.parts[name])!r}"


def _most(chosen: Trial) -> str:
    """What of the loss is largest, where it has parts."""
    figure = _figure(chosen, 0)
    if figure is None or len(figure.parts) < 2:
        return ""
    return f" ({', '.join(f'{name} {format_number(value)}' for name, value in figure.parts.items())})"


def _figure(chosen: Trial, place: int) -> Measured | None:
    return None if chosen.measures is None else chosen.figures.get(chosen.measures[place].name)
