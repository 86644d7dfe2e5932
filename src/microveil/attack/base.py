"""Base of all attacks: the intruder's view is made here, and here alone guesses are compared with the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from microveil.attack.guesses import Answer
from microveil.attack.truth import Truth
from microveil.attack.view import View, look
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example
from microveil.core.words import counted
from microveil.data.schema import KINDS, check_names
from microveil.measure import Measure, MeasureFamily, Pair, Question
from microveil.measure.sampling import Sample
from microveil.measure.shares import share_interval
from microveil.run.release import AnyFile

ATTACK = MeasureFamily(
    "attack",
    title="Attacks (`mv.attack`)",
    one="attack",
    order=70,
    heading="What an intruder who knows the method finds",
    asked=15,
    questions=(
        Question(
            "What does an intruder find who knows the method?",
            "An intruder who knows original values of those sought, and the method with its parameters but not its "
            "key, does more than to take the most similar record.",
        ),
    ),
)

Known = Annotated[
    tuple[str, ...] | None,
    Example(["income", "wealth"]),
    "columns whose original values the intruder knows; None: all that are released",
]


class Scored(NamedTuple):
    """What came of an attack: the probability that each sought record is found, its row, and figures in per cent."""

    found: Floats
    rows: Ints
    readings: Mapping[str, float]
    certain: float
    precision: float
    baseline: float
    notes: tuple[str, ...]
    beside: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Attack(Measure, family=ATTACK):
    """Base of all attacks: an intruder who knows original values and the method, but not the key.

    Members implement `guess(view)` and never see which rows belong together. The figure is the per cent of sought
    records that are found; parts are "certain", the per cent claimed with confidence, "precision", the share of these
    claims that is true, "baseline", the per cent found by guessing, and the figure by each way of reading the guesses.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    paired: ClassVar[bool] = True
    overview_sample: ClassVar[Sample | None] = Sample("searched", 10_000)
    for_any_release: ClassVar[bool] = False  # whether it needs no method that declares it
    whole_release: ClassVar[bool] = True  # whether released records outside of a subdomain tell it something

    known: Known = None

    # -- for members -----------------------------------------------------------------------------

    def guess(self, view: View) -> Answer | str:
        """The guesses of an intruder with this view, or why the attack does not apply."""
        raise TypeError(f"{type(self).__name__} must implement guess(view)")

    # -- what every attack does ------------------------------------------------------------------

    @classmethod
    def concerns(cls, pair: Pair) -> bool:
        """Whether a release was made by a method that declares this attack, or it is for any release."""
        return cls.for_any_release or (pair.plan is not None and bool(pair.plan.attacked_by(cls.name)))

    def choose(self, pair: Pair) -> tuple[str, ...]:
        if self.known is None:
            return pair.known
        check_names(self.known, [name for name in pair.before.columns if name in pair.after.columns], "known")
        return tuple(dict.fromkeys(self.known))

    def on(self, pair: Pair) -> Measured | NotApplicable:
        scored = self._scored(pair)
        return self.not_applicable(scored) if isinstance(scored, str) else self._told(scored)

    def records(self, original: AnyFile, protected: AnyFile | None = None) -> Floats:
        """The probability that each original record is found, NaN where it has no released one: for the protector.

        Records stand in the order of the original.
        """
        pair = Pair.of(original, protected)
        scored = self._scored(pair)
        if isinstance(scored, str):
            raise BadInput(f"{self.name} does not apply: {scored}")
        found = np.full(pair.before.n, np.nan)
        found[scored.rows] = scored.found
        return found

    def most_exposed(self, original: AnyFile, protected: AnyFile | None = None, most: int = 10) -> Ints:
        """The rows of the originals that are most likely found, the likeliest first: for the protector's eyes only."""
        found = self.records(original, protected)
        order = np.argsort(-np.nan_to_num(found), kind="stable")[:most]
        return np.asarray(order[np.nan_to_num(found[order]) > 0], dtype=np.int64)

    def _scored(self, pair: Pair) -> Scored | str:
        names = self.choose(pair)
        if not names:
            return "there is no column that the intruder could know"
        if pair.link is None:
            return "nobody knows which rows of the two files belong together"
        if not len(pair.linked_rows[0]):
            return "no protected record comes from an original one"
        view, truth = look(pair, names, self.whole_release)
        answer = self.guess(view)
        return answer if isinstance(answer, str) else _score(answer, truth)

    def _told(self, scored: Scored) -> Measured:
        value, count = max(scored.readings.values()), len(scored.found)
        sure = (
            f"of {format_number(scored.certain)} % they are sure, and right in {format_number(100 * scored.precision)} "
            "% of these"
            if scored.certain
            else "of none they are sure"
        )
        return self.measured(
            value,
            parts={
                "certain": scored.certain,
                "precision": scored.precision,
                "baseline": scored.baseline,
                **scored.readings,
                **scored.beside,
            },
            interval=share_interval(value, count),
            reading=(
                f"An intruder who knows the method finds about {format_number(value)} % of the "
                f"{counted(count, 'record')}; {sure}; guessing finds {format_number(scored.baseline, 2)} %."
            ),
            notes=scored.notes,
        )


def _score(answer: Answer, truth: Truth) -> Scored:
    """The guesses compared with the truth; the best way of reading them is the attack."""
    found = {name: guesses.found(truth) for name, guesses in answer.readings.items()}
    readings = {name: min(100.0 * float(each.mean()), 100.0) for name, each in found.items()}
    best = max(readings, key=lambda name: readings[name])
    claims = int(answer.sure.sum())
    first = next(iter(answer.readings.values()))
    precision = first.right(truth, answer.sure) / claims if claims else 0.0
    certain = 100.0 * claims / truth.sought
    beside = {name: part for one in answer.beside for name, part in one.parts(truth).items()}
    return Scored(found[best], truth.rows, readings, certain, precision, truth.chance, answer.notes, beside)
