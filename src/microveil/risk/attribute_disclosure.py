"""Attribute disclosure: what the released file tells about a confidential value of someone whose keys are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.data.table import Values
from microveil.measure import Pair
from microveil.measure.classes import is_made_coarser
from microveil.measure.keys import Sensitive, choose_targets, common_codes
from microveil.measure.sampling import Sample
from microveil.measure.shares import share_interval
from microveil.risk.base import KeyRisk
from microveil.risk.candidates import Candidates, candidates_of

_WORDS = {
    "disco": "read off correctly",
    "cap": "right by a record with the same keys",
    "tcap": "read off correctly where the keys occur",
    "commonest": "right by the commonest value",
    "homogeneity": "in groups that agree",
}
_RULES = ("disco", "cap", "tcap", "homogeneity", "commonest")


@dataclass(frozen=True, kw_only=True)
class AttributeDisclosure(KeyRisk, name="attribute-disclosure"):
    """Per cent of original records whose confidential value the released file gives away to those who know the keys.

    Use it for synthetic, masked and recoded files; rows need not correspond. A released record may be somebody's if
    each of its keys shows his true value, or a class, range, set or gap that holds it. `disco`: those records agree on
    one value (a share of at least `tau`), and it is the true one. `cap`: mean share of them that show the true value,
    0 where there is none. `tcap`: disco among the records who have any. `commonest`: the value most of them show is
    the true one (of the whole file where there is none). `homogeneity`: released records in classes that agree.
    Compare with the parts for the original and for guessing without the keys: a value drawn at random (`guess`)
    and the commonest one (`best guess`). A missing released value discloses nothing. It does not apply where
    no released record may be anybody's, nor to values that were released as classes.
    Reference: Taub & Elliot 2018; Raab, Nowok & Dibben 2024.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    words_of_parts: ClassVar[Mapping[str, str]] = _WORDS
    title: ClassVar[str] = "Attribute disclosure"
    overview_sample: ClassVar[Sample] = Sample("keys", 20_000)
    reference: ClassVar[str] = "Taub & Elliot 2018; Raab, Nowok & Dibben 2024"
    trusts_keys: ClassVar[bool] = False

    targets: Sensitive = None
    rule: Annotated[Literal["disco", "cap", "tcap", "homogeneity", "commonest"], Grid(_RULES), "what is counted"] = (
        "disco"
    )
    tau: Annotated[float, Range(gt=0, le=1), "share of a class that must agree for the class to give away a value"] = (
        1.0
    )
    tolerance: Annotated[
        float, Range(ge=0, lt=1), "continuous values agree when they differ by at most this share of the true value"
    ] = 0.1

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        targets = choose_targets(pair, self.targets, pair.columns)
        if not targets:
            return self.not_applicable(
                "no column has the role confidential; give it to one, or name it with targets=[...]"
            )
        before, after = pair.own_tables(targets)
        in_classes = [name for name in targets if is_made_coarser(before[name], after[name])]
        targets = tuple(name for name in targets if name not in in_classes)
        if not targets:
            return self.not_applicable(
                f"{_listed(in_classes)} {_were(in_classes)} released as classes; l-diversity and t-closeness say what "
                "equal keys reveal about them"
            )
        candidates = candidates_of(pair)
        found = {name: self._of_target(pair, name, candidates) for name in targets}
        if not any(figures["keys occur"] for figures in found.values()):
            return self.not_applicable(
                f"no released record shows a combination of {_listed(pair.columns)} that holds one of the original"
            )
        parts = {
            label if len(targets) == 1 else f"{name}: {label}": part
            for name, figures in found.items()
            for label, part in figures.items()
        }
        worst = max(found, key=lambda name: found[name][self.rule])
        value = found[worst][self.rule]
        percent = f"{format_number(value)} %"
        reading = {
            "disco": f"Who knows the keys can read {worst} correctly off the release for {percent} of the records.",
            "cap": f"Taking {worst} from a released record with the same keys is right for {percent} of them.",
            "tcap": f"Where the keys occur, {worst} is given away correctly for {percent} of the records.",
            "homogeneity": f"{percent} of the released records are in groups of equal keys that agree on {worst}.",
            "commonest": f"The commonest {worst} among the released records that fit the keys is right for {percent}.",
        }[self.rule]
        blind = found[worst]["guess" if self.rule == "cap" else "best guess"]
        how = (
            "A value drawn without looking at the keys" if self.rule == "cap" else "Always guessing the commonest value"
        )
        learned = "" if self.rule == "commonest" else self._learned(found[worst]["commonest"])
        left_out = (f"not asked for, as released in classes: {_listed(in_classes)}",) if in_classes else ()
        return self.measured(
            value,
            parts=parts,
            # who has the same keys gets the same answer: it counts once
            interval=share_interval(value, len(candidates.raw.group)),
            reading=f"{reading}{learned} {how} is right for {format_number(blind)} %.",
            notes=(*self.key_notes(pair), *left_out),
        )

    @staticmethod
    def _learned(percent: float) -> str:
        return (
            f" Taking the commonest value among the records that fit the keys is right for {format_number(percent)} %."
        )

    def _of_target(self, pair: Pair, target: str, candidates: Candidates) -> dict[str, float]:
        from microveil.kernels.tables.classes import group_rows

        before, after = pair.tables((*pair.columns, target))
        here, there = (
            group_rows(codes)[0] for codes in common_codes(before.only(pair.columns), after.only(pair.columns))
        )
        x, y = before[target], after[target]
        known = ~x.missing
        own, in_original = self._shares(here, x)
        alike = self._shares(there, y)[1]
        tolerance = self.tolerance if x.kind == "continuous" else 0.0
        released = candidates.agreement(y.numbers, *self._interval(x), tolerance)
        occurs = released.sizes > 0
        given_away = occurs & (released.best >= self.tau)
        hit = (given_away & (released.shares >= self.tau))[known]
        count = max(int(known.sum()), 1)
        met = float(occurs[known].sum())
        right = released.right if occurs.all() else np.where(occurs, released.right, self._right_without_keys(y, x))
        return {
            "disco": 100.0 * float(hit.sum()) / count,
            "cap": 100.0 * float(released.shares[known].sum()) / count,
            "tcap": 100.0 * float(hit.sum()) / max(met, 1.0),
            "commonest": 100.0 * float(right[known].sum()) / count,
            "homogeneity": 100.0 * float(alike.mean()),
            "keys occur": 100.0 * met / count,
            "given away, right or wrong": 100.0 * float(given_away[known].sum()) / count,
            "given away by the original": 100.0 * float(in_original[known].sum()) / count,
            "given away by both, correctly": 100.0 * float((hit & in_original[known]).sum()) / count,
            "cap of the original": 100.0 * float(own[known].sum()) / count,
            "guess": 100.0 * self._guess(x),
            "best guess": 100.0 * self._best_guess(x),
        }

    def _shares(self, classes: Ints, values: Values) -> tuple[Floats, Bools]:
        """For each record the share of its class that shows its value, and whether the class agrees on any."""
        sizes = np.bincount(classes).astype(np.float64)
        support = _count_between(classes, values.numbers, *self._interval(values))
        # the best supported value of each class decides whether it gives anything away
        best = np.zeros(len(sizes))
        np.maximum.at(best, classes, support)
        return support / sizes[classes], (best >= self.tau * sizes)[classes]

    def _right_without_keys(self, released: Values, truth: Values) -> Floats:
        """For each original value the chance that the commonest released one is right."""
        numbers = released.numbers[~released.missing]
        nobody = np.zeros(len(numbers), dtype=np.int64)
        support = _count_between(nobody, numbers, *self._interval(released.with_data(released.data[~released.missing])))
        leaders = np.sort(numbers[support == support.max(initial=0)])
        low, high = self._interval(truth)
        among = np.searchsorted(leaders, high, side="right") - np.searchsorted(leaders, low)
        return np.where(truth.missing, 0.0, among / max(len(leaders), 1))

    def _interval(self, values: Values) -> tuple[Floats, Floats]:
        numbers = values.numbers
        slack = self.tolerance * np.abs(numbers) if values.kind == "continuous" else np.zeros(len(numbers))
        return numbers - slack, numbers + slack

    def _guess(self, truth: Values) -> float:
        """How often a value drawn from the original itself is right."""
        low, high = self._interval(truth)
        nobody = np.zeros(len(low), dtype=np.int64)
        known = ~truth.missing
        right = _count_between(nobody, truth.numbers, low, high)[known]
        return float(right.sum()) / max(int(known.sum()) ** 2, 1)

    def _best_guess(self, truth: Values) -> float:
        """How often the one value that is right most often is right."""
        known = ~truth.missing
        numbers = truth.numbers[known]
        if not len(numbers):
            return 0.0
        # a guess g is right for x when |x - g| <= tolerance |x|
        slack = self.tolerance if truth.kind == "continuous" else 0.0
        ends = np.sort(np.stack([numbers / (1.0 + slack), numbers / (1.0 - slack)]), axis=0)
        nobody = np.zeros(len(numbers), dtype=np.int64)
        return float(_count_between(nobody, numbers, ends[0], ends[1]).max()) / len(numbers)


def _count_between(classes: Ints, values: Floats, low: Floats, high: Floats) -> Floats:
    """How many values of each record's class lie in its [low, high]; missing values never do."""
    there = ~np.isnan(values)
    order = np.unique(values[there])
    width = len(order) + 1
    keys = np.sort(classes[there] * width + np.searchsorted(order, values[there]))
    first = np.searchsorted(keys, classes * width + np.searchsorted(order, low, side="left"), side="left")
    last = np.searchsorted(keys, classes * width + np.searchsorted(order, high, side="right"), side="left")
    return np.where(np.isnan(low), 0.0, (last - first).astype(np.float64))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(str, names))


def _were(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
