"""The questions that measures answer: how figures are put in order for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from microveil.core.measured import Measured, NotApplicable
from microveil.measure import Measure


@dataclass(frozen=True)
class Question:
    """A question, in words what its answers mean, the measures that answer it best, and the others by name."""

    title: str
    meaning: str
    first: tuple[str, ...] = ()
    further: tuple[str, ...] = ()


QUESTIONS = (
    Question(
        "How much can be re-identified?",
        "An intruder who knows original values looks for the records of those they know: by counting who shares the "
        "keys, or by taking the most similar record.",
        ("distance-linkage", "uniqueness", "individual-risk", "scenario-risk"),
        (
            *("probabilistic-linkage", "global-linkage", "k-anonymity", "k-map", "reidentification-risk"),
            *("population-uniqueness", "suda", "key-ranking", "replicated-uniques"),
        ),
    ),
    Question(
        "What can be learnt about someone?",
        "Even without finding a record one may learn a confidential value, or within which bounds it lies.",
        ("attribute-disclosure", "rank-interval"),
        ("sd-interval", "l-diversity", "t-closeness"),
    ),
    Question(
        "What is lost for means, variances and correlations?",
        "How far the statistics that most analyses start from moved, from 0 (not at all).",
        ("pil", "moment-change"),
        ("information-loss", "matrix-loss", "eigenvalues"),
    ),
    Question(
        "What is lost for tables and distributions?",
        "How far counts of categories and shapes of distributions moved.",
        ("contingency-loss", "distribution-distance"),
        ("entropy-loss",),
    ),
    Question(
        "What is lost for models?",
        "Whether a regression gives the same coefficients, and whether the two files can be told apart.",
        ("regression-change", "interval-overlap"),
        ("propensity",),
    ),
    Question(
        "How far do single values move?",
        "What changed record by record; large here is what protects, and matters to those who read single values.",
        ("value-change",),
        ("sse", "yancey-loss", "truncated"),
    ),
)
FIRST_NAMES = frozenset(name for question in QUESTIONS for name in question.first)
_OTHERS = {
    "risk": Question("What else is at risk?", "Further measures of risk."),
    "loss": Question("What else is lost?", "Further measures of loss."),
}


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
    left = list(lines)
    out = []
    for question in (*QUESTIONS, *_OTHERS.values()):
        own = [line for line in left if _answers(question, line)]
        left = [line for line in left if line not in own]
        if own:
            out.append(_sorted_out(question, own))
    return tuple(out)


def _answers(question: Question, line: HasMeasure) -> bool:
    if question in _OTHERS.values():
        return _OTHERS.get(line.measure.family) is question
    return line.measure.name in (*question.first, *question.further)


def _sorted_out(question: Question, lines: Iterable[L]) -> Answers[L]:
    order = (*question.first, *question.further)
    ranked = sorted(lines, key=lambda line: order.index(line.measure.name) if line.measure.name in order else 0)
    apply = [line for line in ranked if isinstance(line.result, Measured)]
    # where none of the best applies, the next one stands for them; without a ranking all stand on top
    first = [line for line in apply if line.measure.name in question.first] or (apply[:1] if order else apply)
    further = [line for line in apply if line not in first]
    silent = [line for line in ranked if not isinstance(line.result, Measured)]
    return Answers(question, tuple(first), tuple(further), tuple(silent))
