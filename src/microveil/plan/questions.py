"""The questions that measures answer: how figures are put in order for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from microveil.core.families import sort_families
from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure, Question


class HasMeasure(Protocol):
    """A line of an evaluation."""

    @property
    def measure(self) -> Measure: ...

    @property
    def result(self) -> Measured | NotApplicable: ...


L = TypeVar("L", bound=HasMeasure)


@dataclass(frozen=True)
class Answers(Generic[L]):
    """The lines that answer one question: the few that matter, the others, and those that do not apply."""

    question: Question
    first: tuple[L, ...]
    further: tuple[L, ...]
    silent: tuple[L, ...]


def by_question(lines: Sequence[L]) -> tuple[Answers[L], ...]:
    """The lines of an evaluation in the order of the questions they answer; each line once."""
    out = []
    families = sort_families(line.measure.described for line in lines)
    for family in sorted(families, key=lambda one: one.asked):
        left = [line for line in lines if line.measure.family == family.name]
        named = {name for question in family.questions for name in question.names}
        for question in family.questions:
            own = [line for line in left if _answers(line.measure.name, question, named)]
            left = [line for line in left if line not in own]
            if own:
                out.append(_sorted_out(question, own))
    return tuple(out)


def _answers(name: str, question: Question, named: Collection[str]) -> bool:
    """Whether a measure answers the question: it is named there, or nowhere where the question names none."""
    return name in question.names if question.names else name not in named


def is_asked_first(measure: Measure) -> bool:
    """Whether the measure is among those that answer a question best."""
    return any(measure.name in question.first for question in measure.described.questions)


def _sorted_out(question: Question, lines: Iterable[L]) -> Answers[L]:
    order = question.names
    ranked = sorted(lines, key=lambda line: order.index(line.measure.name) if line.measure.name in order else 0)
    apply = [line for line in ranked if isinstance(line.result, Measured)]
    # where none of the best applies, the next one stands for them; without a ranking all stand on top
    first = [line for line in apply if line.measure.name in question.first] or (apply[:1] if order else apply)
    further = [line for line in apply if line not in first]
    silent = [line for line in ranked if not isinstance(line.result, Measured)]
    return Answers(question, tuple(first), tuple(further), tuple(silent))
