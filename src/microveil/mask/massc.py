"""MASSC: micro agglomeration, substitution, subsampling and calibration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.core.arrays import Codes, Vector
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Range
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.mask.base import Mask, depends
from microveil.mask.massc_rates import Rates, best_rates
from microveil.partition.mixed import records_of
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, Step

_BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Massc(Mask, name="massc"):
    """Substitute the keys of some records, release a sample of the records, and calibrate the weights.

    Use it for survey files of categorical keys where the risk should be known: records fall into strata by how
    often their keys occur (once, twice, 3 to 5 times, more often); in each a record takes the keys of its
    nearest neighbour with probability `substitute` and is kept with probability `keep`. A unique record is
    released unaltered with probability keep (1 - substitute). Weights (role `weight`) are divided by `keep` and
    calibrated to the original totals of the `calibrate` columns. Amounts are protected by sampling alone.
    With `target`, `substitute` and `keep` are bounds, and the rates between them are those that cost least while the
    expected share of records that are found by their keys stays below it.
    """

    substitute: Annotated[
        tuple[float, float, float, float],
        Range(ge=0, le=1),
        Example([0.4, 0.3, 0.2, 0.1]),
        "chances of new keys: unique, twice, 3-5 times, more often",
    ] = (0.3, 0.2, 0.1, 0.05)
    keep: Annotated[
        tuple[float, float, float, float],
        Range(gt=0, le=1),
        Example([0.7, 0.8, 0.9, 0.95]),
        "chances of being kept: unique, twice, 3-5 times, more often",
    ] = (0.8, 0.85, 0.9, 0.9)
    calibrate: Annotated[
        tuple[str, ...], Example(["region", "sex"]), "categorical columns whose weighted totals are restored"
    ] = ()
    curve: Annotated[Literal["raking", "linear", "bounded"], "how weights are calibrated"] = "raking"
    bounds: Annotated[
        tuple[float, float], Range(gt=0), Example([0.5, 2]), "smallest and largest change of a weight with `bounded`"
    ] = (
        0.3,
        3.0,
    )

    target: Annotated[
        float | None, Range(gt=0, le=1), "largest expected share of records found by their keys; None: rates as given"
    ] = None
    price: Annotated[
        float, Range(gt=0), "cost of new keys for a record beside the variance that leaving records out adds (target)"
    ] = 1.0

    # calibrated weights follow from sums by linear algebra of a library
    passes: ClassVar[Passes] = depends(
        "counts", lambda mask: "file" if mask.calibrate or mask.target is not None else "counts"
    )
    depends_on_processor: ClassVar[bool] = depends(False, lambda mask: bool(mask.calibrate))
    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    spares: ClassVar[bool] = True
    reference = "Singh, Yu & Dunteman 2003"

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The keys; beside them the calibration columns and the weight."""
        if step.given:
            raise BadInput(f"{self.name} reads the columns named in calibrate; leave given out")
        check_names(self.calibrate, list(data.columns), "calibrate")
        if self.calibrate and not data.names("weight"):
            raise BadInput("calibrate restores weighted totals; give a column the role 'weight'")
        wrong = [name for name in self.calibrate if data.kinds[name] == "continuous"]
        if wrong:
            raise BadInput(f"calibrate needs categorical columns; {wrong} are continuous")
        chosen = super().resolve(data, replace(step, given=None))[0]
        beside = {name: data.kinds[name] for name in self.calibrate if name not in chosen}
        return chosen, {**beside, **dict.fromkeys(data.names("weight"), "continuous")}

    def run(self, table: Table, job: Job) -> Outcome:
        """The four steps."""
        from microveil.kernels.tables.sizes import class_sizes

        alike, people = class_sizes(table.codes(), weights=job.weights)
        strata = risk_strata(alike)
        rates = self._rates(strata, alike, people)
        hit = job.streams.at("substitute").uniforms(0, table.rows)[:, 0] < np.array(rates.substitute)[strata]
        source = np.where(hit, nearest_other(table, strata), np.arange(table.rows))
        kept = self._subsample(strata, np.array(rates.keep), table, job)
        columns = {name: values.take(source[kept]) for name, values in table.columns.items()}
        if job.weights is not None:
            name = next(name for name in job.given.names if name not in self.calibrate)
            design = job.weights[kept] / np.array(rates.keep)[strata[kept]]
            columns[name] = job.given[name].with_data(self._calibrated(design, source, kept, table, job))
        altered = int((source[kept] != kept).sum())
        chances = ", ".join(f"{k * (1 - s):.3g}" for k, s in zip(rates.keep, rates.substitute, strict=True))
        notes = (
            f"{len(kept)} of {table.rows} records kept, {altered} of them with the keys of another",
            f"chance of being released unaltered, by rarity of the keys: {chances}",
        )
        return Outcome(columns, origin=kept, notes=(*notes, *self._chosen(rates)))

    def _rates(self, strata: Codes, alike: Codes, people: Vector) -> Rates:
        """The rates as given, or those that cost least below the target."""
        from microveil.kernels.tables.individual import individual_risk

        if self.target is None:
            return Rates(self.substitute, self.keep, float("nan"))
        records = np.bincount(strata, minlength=4).astype(np.float64)
        # by size of the class in order: the same sums in any order of the records
        found = individual_risk(alike, people)
        risks = np.array([np.sort(found[strata == h]).sum() for h in range(4)]) / np.maximum(records, 1.0)
        return best_rates(records, risks, self.substitute, self.keep, self.price, self.target)

    def _chosen(self, rates: Rates) -> tuple[str, ...]:
        if self.target is None:
            return ()
        substitute, keep = (", ".join(f"{rate:.3g}" for rate in each) for each in (rates.substitute, rates.keep))
        return (
            f"rates of least cost, by rarity of the keys: new keys {substitute}; kept {keep}",
            f"expected share found by their keys: {format_number(rates.risk)}, at most {format_number(self.target)}",
        )

    def _subsample(self, strata: Codes, keep: Vector, table: Table, job: Job) -> Codes:
        """Records kept at random, at least one in every calibration cell."""
        draw = job.streams.at("keep").uniforms(0, len(strata))[:, 0] / keep[strata]
        kept = draw < 1
        for name in self.calibrate:
            codes = self._original(name, table, job)
            for code in np.unique(codes):
                members = np.flatnonzero(codes == code)
                if not kept[members].any():
                    kept[members[np.argmin(draw[members])]] = True
        if not kept.any():
            kept[int(np.argmin(draw))] = True
        return np.flatnonzero(kept)

    def _calibrated(self, design: Vector, source: Codes, kept: Codes, table: Table, job: Job) -> Vector:
        from microveil.kernels.tables import rake as calibration

        if not self.calibrate or job.weights is None:
            return design
        margins = {}
        for name in self.calibrate:
            _, codes = np.unique(self._original(name, table, job), return_inverse=True)
            codes = codes.reshape(-1)
            # released values: where a key was substituted, that of the other record
            rows = source[kept] if name in table.names else kept
            margins[name] = (codes[rows].astype(np.int64), np.bincount(codes, weights=job.weights).astype(np.float64))
        if self.curve == "raking":
            return calibration.rake(design, margins)
        X, totals, names = calibration.margin_columns(margins)
        if self.curve == "linear":
            return calibration.calibrate_linear(design, X, totals, names)
        return calibration.calibrate_logit(design, X, totals, self.bounds, names)

    @staticmethod
    def _original(name: str, table: Table, job: Job) -> Codes:
        return (table if name in table.names else job.given).codes([name])[:, 0]


def risk_strata(frequencies: Codes) -> Codes:
    """0: the keys occur once, 1: twice, 2: three to five times, 3: more often."""
    return np.searchsorted(np.array([2, 3, 6]), frequencies, "right").astype(np.int64)


def nearest_other(table: Table, strata: Codes) -> Codes:
    """For each record one of the records of its stratum with the nearest other keys (itself if there is none)."""
    from microveil.kernels.distances.mixed import record_distances
    from microveil.kernels.tables.classes import group_rows

    X, metric = records_of(table, "zscore")
    out = np.arange(table.rows)
    labels, counts = group_rows(table.codes())
    first = np.empty(len(counts), dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    for stratum in np.unique(strata):
        classes = np.unique(labels[strata == stratum])
        if len(classes) < 2:
            continue
        rows = X[first[classes]]
        nearest = np.empty(len(classes), dtype=np.int64)
        step = max(1, _BLOCK // len(classes))
        for start in range(0, len(classes), step):
            distances = record_distances(rows[start : start + step], rows, metric)
            distances[np.arange(len(distances)), start + np.arange(len(distances))] = np.inf
            nearest[start : start + step] = np.argmin(distances, axis=1)
        members = np.flatnonzero(strata == stratum)
        out[members] = first[classes[nearest[np.searchsorted(classes, labels[members])]]]
    return out
