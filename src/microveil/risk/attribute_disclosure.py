"""Attribute disclosure: what the released file tells about a confidential value of someone whose keys are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid, Range
from microveil.data.table import Values
from microveil.measure import Pair
from microveil.measure.sampling import Sample
from microveil.risk.base import Float, Int, KeyRisk, Sensitive, chosen_targets, common_codes

Bool = NDArray[np.bool_]
_RULES = ("disco", "cap", "tcap", "homogeneity")


@dataclass(frozen=True, kw_only=True)
class AttributeDisclosure(KeyRisk, name="attribute-disclosure"):
    """Per cent of original records whose confidential value the released file gives away to those who know the keys.

    Use it for synthetic and masked files; rows need not correspond. `disco`: the released records with the
    keys agree on one value (a share of at least `tau`), and it is the true one. `cap`: mean share of
    released records with the keys that show the true value, 0 where the keys do not occur. `tcap`: disco
    among the records whose keys occur. `homogeneity`: released records in classes that agree on one value.
    Compare with the parts for the original and for guessing without the keys: a value drawn at random (`guess`)
    and the commonest one (`best guess`). A missing released value discloses nothing. It does not apply where
    no original combination of keys occurs any more.
    Reference: Taub & Elliot 2018; Raab, Nowok & Dibben 2024.
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, 100.0)
    unit: ClassVar[str] = "%"
    title: ClassVar[str] = "Attribute disclosure"
    overview_sample: ClassVar[Sample] = Sample("keys", 20_000)
    reference: ClassVar[str] = "Taub & Elliot 2018; Raab, Nowok & Dibben 2024"
    trusts_keys: ClassVar[bool] = False

    targets: Sensitive = None
    rule: Annotated[Literal["disco", "cap", "tcap", "homogeneity"], Grid(_RULES), "what is counted"] = "disco"
    tau: Annotated[float, Range(gt=0, le=1), "share of a class that must agree for the class to give away a value"] = (
        1.0
    )
    tolerance: Annotated[
        float, Range(ge=0, lt=1), "continuous values agree when they differ by at most this share of the true value"
    ] = 0.1

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        targets = chosen_targets(pair, self.targets, pair.columns)
        if not targets:
            return self.not_applicable(
                "no column has the role confidential; give it to one, or name it with targets=[...]"
            )
        found = {name: self._of_target(pair, name) for name in targets}
        if not any(figures["keys occur"] for figures in found.values()):
            return self.not_applicable(
                f"no combination of {', '.join(map(str, pair.columns))} occurs in the release as in the original; "
                "where these were made coarser, l-diversity and t-closeness say what their classes reveal"
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
        }[self.rule]
        blind = found[worst]["guess" if self.rule == "cap" else "best guess"]
        how = (
            "A value drawn without looking at the keys" if self.rule == "cap" else "Always guessing the commonest value"
        )
        return self.measured(
            value,
            parts=parts,
            reading=f"{reading} {how} is right for {format_number(blind)} %.",
            notes=self.key_notes(pair),
        )

    def _of_target(self, pair: Pair, target: str) -> dict[str, float]:
        from microveil.kernels.tables.classes import group_rows

        before, after = pair.tables((*pair.columns, target))
        keys_before, keys_after = common_codes(before.only(pair.columns), after.only(pair.columns))
        labels, _ = group_rows(np.vstack([keys_before, keys_after]))
        here, there = labels[: before.rows], labels[before.rows :]
        classes = int(labels.max()) + 1
        x, y = before[target], after[target]
        known = ~x.missing
        own, _, in_original = self._shares(here, x, here, x, classes)
        released, occurs, given_away = self._shares(there, y, here, x, classes)
        alike = self._shares(there, y, there, y, classes)[2]
        hit = (given_away & (released >= self.tau))[known]
        count = max(int(known.sum()), 1)
        met = float(occurs[known].sum())
        return {
            "disco": 100.0 * float(hit.sum()) / count,
            "cap": 100.0 * float(released[known].sum()) / count,
            "tcap": 100.0 * float(hit.sum()) / max(met, 1.0),
            "homogeneity": 100.0 * float(alike.mean()),
            "keys occur": 100.0 * met / count,
            "given away, right or wrong": 100.0 * float(given_away[known].sum()) / count,
            "given away by the original": 100.0 * float(in_original[known].sum()) / count,
            "given away by both, correctly": 100.0 * float((hit & in_original[known]).sum()) / count,
            "cap of the original": 100.0 * float(own[known].sum()) / count,
            "guess": 100.0 * self._guess(x),
            "best guess": 100.0 * self._best_guess(x),
        }

    def _shares(self, pool: Int, values: Values, asked: Int, truth: Values, classes: int) -> tuple[Float, Bool, Bool]:
        """For each record asked about: the share of the pool with its keys that shows its true value, whether
        there is any, and whether the pool's class agrees on a value at all."""
        sizes = np.bincount(pool, minlength=classes).astype(np.float64)
        low, high = self._interval(truth)
        agreeing = _count_between(pool, values.numbers, asked, low, high)
        share = np.divide(agreeing, sizes[asked], out=np.zeros(len(asked)), where=sizes[asked] > 0)
        # the best supported value of each class decides whether it gives anything away
        low, high = self._interval(values)
        support = _count_between(pool, values.numbers, pool, low, high)
        best = np.zeros(classes)
        np.maximum.at(best, pool, support)
        agrees = (sizes > 0) & (best >= self.tau * sizes)
        return share, sizes[asked] > 0, agrees[asked]

    def _interval(self, values: Values) -> tuple[Float, Float]:
        numbers = values.numbers
        slack = self.tolerance * np.abs(numbers) if values.kind == "continuous" else np.zeros(len(numbers))
        return numbers - slack, numbers + slack

    def _guess(self, truth: Values) -> float:
        """How often a value drawn from the original itself is right."""
        low, high = self._interval(truth)
        nobody = np.zeros(len(low), dtype=np.int64)
        known = ~truth.missing
        right = _count_between(nobody, truth.numbers, nobody, low, high)[known]
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
        return float(_count_between(nobody, numbers, nobody, ends[0], ends[1]).max()) / len(numbers)


def _count_between(pool: Int, values: Float, asked: Int, low: Float, high: Float) -> Float:
    """How many values of the pool's class `asked` lie in [low, high]; missing values never do."""
    there = ~np.isnan(values)
    order = np.unique(values[there])
    width = len(order) + 1
    keys = np.sort(pool[there] * width + np.searchsorted(order, values[there]))
    first = np.searchsorted(keys, asked * width + np.searchsorted(order, low, side="left"), side="left")
    last = np.searchsorted(keys, asked * width + np.searchsorted(order, high, side="right"), side="left")
    return np.where(np.isnan(low), 0.0, (last - first).astype(np.float64))
