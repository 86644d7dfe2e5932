"""Base of attacks on confidential values of people whose keys are known: true values are compared here alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from microveil.attack.base import Scored
from microveil.attack.claims import advantage_over
from microveil.attack.held_out import HeldOutAttack
from microveil.attack.hiding import hide_order
from microveil.core.arrays import Bools, Floats
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Range
from microveil.data.microdata import AnyData, Microdata
from microveil.data.table import Table, Values
from microveil.measure import Pair
from microveil.measure.classes import is_made_coarser
from microveil.measure.keys import Sensitive, choose_keys, choose_targets
from microveil.measure.sampling import Sample
from microveil.measure.shares import share_interval
from microveil.risk import AttributeDisclosure

SAME_KEYS, MODEL = "same keys", "model"
_FOLDS = 10


class Found(NamedTuple):
    """What was said about one column, in per cent of the records: right by each way, sure, and right by guessing."""

    right: dict[str, float]
    certain: float
    precision: float
    baseline: float
    asked: int

    @property
    def best(self) -> float:
        """What is right by the better way."""
        return max(self.right.values())


@dataclass(frozen=True, kw_only=True)
class AttributeAttack(HeldOutAttack):
    """Base of attacks on confidential values: members implement `predict(known, released, target)`.

    The figure is how far the intruder comes from a control to certainty: records whose confidential value is said, less
    those by the control, as per cent of what the control leaves. The control is what anybody learns about the
    population: how often the same attack is right about people who were not in the file (the hold-out), or, without
    one, about each tenth of the originals from the others as they are; or the one best value for all, if that is more.
    """

    paired: ClassVar[bool] = False
    overview_sample: ClassVar[Sample | None] = Sample("keys", 20_000)
    gains: ClassVar[bool] = True

    targets: Sensitive = None
    tolerance: Annotated[
        float, Range(ge=0, lt=1), "amounts are right when they differ by at most this share of the true value"
    ] = 0.1

    # -- for members -----------------------------------------------------------------------------

    def predict(self, known: Table, released: Table, target: str) -> Floats | str:
        """The value said of each one whose keys are known, as a number or a code, NaN for none."""
        raise TypeError(f"{type(self).__name__} must implement predict(known, released, target)")

    # -- what every attack on attributes does ----------------------------------------------------

    def beside(self, pair: Pair, holdout: AnyData) -> Measured | NotApplicable:
        """The advantage over what the release says about people who were not in the file."""
        others = holdout if isinstance(holdout, Microdata) else pair.before.with_(holdout)
        control = Pair.of(others, pair.after, pair.columns, linked=False)
        return self._compared(pair, [control], held_out=True)

    def choose(self, pair: Pair) -> tuple[str, ...]:
        return choose_keys(pair, self.known)

    def _scored(self, pair: Pair) -> Scored | str:  # it is about values
        return "it asks for confidential values, and finds nobody's record"

    def on(self, pair: Pair) -> Measured | NotApplicable:
        return self._compared(pair, _tenths(pair), held_out=False)

    def _compared(self, pair: Pair, control: Sequence[Pair], held_out: bool) -> Measured | NotApplicable:
        keys = self.choose(pair)
        if not keys:
            return self.not_applicable("there are no keys that the intruder could know")
        targets = choose_targets(pair, self.targets, keys)
        if not targets:
            return self.not_applicable(
                "no column has the role confidential; give it to one, or name it with targets=[...]"
            )
        found, advantages, controls, reasons = {}, {}, {}, []
        for target in targets:
            one = self._of_target(pair, keys, target)
            if isinstance(one, str):
                reasons.append(one)
                continue
            controls[target] = max(one.baseline, self._learned(control, keys, target))
            advantages[target] = advantage_over(one.best / 100, controls[target] / 100)
            found[target] = one
        if not found:
            return self.not_applicable("; ".join(dict.fromkeys(reasons)))
        worst = max(advantages, key=lambda name: (advantages[name], found[name].best))
        return self._told_of(worst, found[worst], controls[worst], advantages, held_out)

    def _of_target(self, pair: Pair, keys: tuple[str, ...], target: str) -> Found | str:
        """Both ways of saying the value, beside the one best value for all."""
        read = AttributeDisclosure(keys=keys, targets=(target,), tolerance=self.tolerance).on(pair)
        if isinstance(read, NotApplicable):
            return read.reason
        known, released, truth = _look(pair, keys, target)
        right = {SAME_KEYS: read.parts["commonest"]}
        said = self.predict(known, released, target)
        if not isinstance(said, str):
            right[MODEL] = 100.0 * float(self._is_right(said, truth)[~truth.missing].mean())
        claimed = read.parts["given away, right or wrong"]
        precision = read.parts["disco"] / claimed if claimed else 0.0
        return Found(right, claimed, precision, read.parts["best guess"], int((~truth.missing).sum()))

    def _learned(self, control: Sequence[Pair], keys: tuple[str, ...], target: str) -> float:
        """What is right about people who are not in the file that it is said from, by the better way."""
        found = [one for pair in control if isinstance(one := self._of_target(pair, keys, target), Found)]
        if not found:
            return 0.0
        asked = [one.asked for one in found]
        ways = set.intersection(*(set(one.right) for one in found))
        return max(float(np.average([one.right[way] for one in found], weights=asked)) for way in ways)

    def _is_right(self, said: Floats, truth: Values) -> Bools:
        slack = self.tolerance * np.abs(truth.numbers) if truth.levels is None else 0.0
        return np.asarray(np.abs(said - truth.numbers) <= slack, dtype=np.bool_)

    def _told_of(
        self, target: str, found: Found, control: float, advantages: dict[str, float], held_out: bool
    ) -> Measured:
        value = advantages[target]
        low, high = (advantage_over(end / 100, control / 100) for end in share_interval(found.best, found.asked))
        several = {f"advantage[{name}]": part for name, part in advantages.items()} if len(advantages) > 1 else {}
        learned = control > found.baseline
        control_said = "the same about people who were not in the file"
        if not held_out:
            control_said = "the same about some of the originals from the others"
        against = control_said if learned else "the one best value for all"
        return self.measured(
            value,
            parts={
                "certain": found.certain,
                "precision": found.precision,
                "baseline": found.baseline,
                "control": control,
                **found.right,
                **several,
            },
            interval=(min(low, value), max(high, value)),
            reading=(
                f"Who knows the keys says {target} rightly for {format_number(found.best)} % of the records, where "
                f"{against} is right for {format_number(control)} %: an advantage of {format_number(value)} %."
            ),
        )


def _tenths(pair: Pair) -> list[Pair]:
    """Each tenth of the originals as people sought, the others as the file: what is said is about the population."""
    rows = pair.rows_before
    order = hide_order(pair.before.table(pair.columns).take(rows), "tenths")[1]
    found = []
    for number in range(_FOLDS):
        asked = np.zeros(len(rows), dtype=np.bool_)
        asked[order[number::_FOLDS]] = True
        if asked.any() and not asked.all():
            found.append(
                replace(
                    pair,
                    after=pair.before,
                    link=None,
                    before_rows=rows[asked],
                    after_rows=rows[~asked],
                    plan=None,
                    perturbed={},
                    alike=frozenset(),
                )
            )
    return found


def _look(pair: Pair, keys: tuple[str, ...], target: str) -> tuple[Table, Table, Values]:
    """The known keys, the release, and apart from them the true values; rows in orders that carry nothing.

    Keys that were released as classes are left to the other way of reading.
    """
    own_before, own_after = pair.own_tables(keys)
    plain = [name for name in keys if not is_made_coarser(own_before[name], own_after[name])]
    before, after = pair.tables((*plain, target))
    here, there = hide_order(before, "known")[1], hide_order(after, "released")[1]
    return before.only(plain).take(here), after.take(there), before[target].take(here)
