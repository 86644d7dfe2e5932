"""MASSC: micro agglomeration, substitution, subsampling and calibration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Codes, Ints, Vector
from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, OfColumns, Range
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.mask.base import Mask, depends
from microveil.mask.massc_rates import Rates, best_rates
from microveil.partition.mixed import records_of
from microveil.run.by_rows import ByCounts
from microveil.run.contract import Passes
from microveil.run.counted import KeyRows, count_rows
from microveil.run.method import Job, Outcome, Step

_BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Massc(ByCounts, Mask, name="massc"):
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
        tuple[str, ...],
        OfColumns(),
        Example(["region", "sex"]),
        "categorical columns whose weighted totals are restored",
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
    counts: ClassVar[bool] = depends(True, lambda mask: not mask.calibrate and mask.target is None)
    passes: ClassVar[Passes] = depends("counts", lambda mask: "counts" if mask.counts else "file")
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

    def learn(self, table: Table, job: Job) -> _Known:
        """The strata of the different rows of the keys, which keys are nearest to each, and how many are kept."""
        file = count_rows(table, job, self.name)
        strata = risk_strata(file.counts)
        known = _Known(file.keys, strata, nearest_other(file.table, strata))
        return replace(
            known, kept=job.engine.gather(table, job, lambda some, its: _Kept.of(self._drawn(some, its, known)))
        )

    def act(self, table: Table, job: Job, known: _Known) -> Outcome:
        """New keys for some of some records, and those that are kept."""
        drawn = self._drawn(table, job, known)
        chosen = drawn.chance < 1
        if known.kept is not None and not known.kept.records:
            chosen = drawn.places == known.kept.place  # somebody is released
        kept = np.flatnonzero(chosen)
        rows = known.keys.table()
        columns = {name: values.take(drawn.source[kept]) for name, values in rows.columns.items()}
        if job.weights is not None:
            (name,) = job.given.names
            design = job.weights[kept] / np.array(self.keep)[known.strata[drawn.rows[kept]]]
            columns[name] = job.given[name].with_data(design)
        return Outcome(columns, origin=kept)

    def settle(self, found: Outcome, table: Table, job: Job, known: _Known) -> Outcome:
        """How many were kept, and with which chances."""
        assert known.kept is not None
        kept = max(known.kept.records, 1)
        return replace(
            found, notes=self._told(kept, known.kept.altered, table.rows, Rates(self.substitute, self.keep, 0.0))
        )

    def _drawn(self, table: Table, job: Job, known: _Known) -> _Drawn:
        """What is drawn for some records."""
        rows = known.keys.places(table)
        strata = known.strata[rows]
        hit = job.streams.at("substitute").uniforms(0, table.rows)[:, 0] < np.array(self.substitute)[strata]
        chance = job.streams.at("keep").uniforms(0, table.rows)[:, 0] / np.array(self.keep)[strata]
        return _Drawn(rows, np.where(hit, known.nearest[rows], rows), chance, job.streams.places(table.rows))

    @staticmethod
    def _told(kept: int, altered: int, records: int, rates: Rates) -> tuple[str, ...]:
        chances = ", ".join(f"{k * (1 - s):.3g}" for k, s in zip(rates.keep, rates.substitute, strict=True))
        return (
            f"{kept} of {records} records kept, {altered} of them with the keys of another",
            f"chance of being released unaltered, by rarity of the keys: {chances}",
        )

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """The four steps, where weights are calibrated or rates are found."""
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
        notes = self._told(len(kept), altered, table.rows, rates)
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


class _Drawn(NamedTuple):
    """Of some records: the row of their keys, the row they take, what is drawn against 1 to keep them, their places."""

    rows: Ints
    source: Ints
    chance: Vector
    places: Ints


@dataclass(frozen=True)
class _Kept:
    """How many records are kept, how many of them have new keys, and who comes first where nobody is."""

    records: int
    altered: int
    least: tuple[float, int]

    @classmethod
    def of(cls, drawn: _Drawn) -> _Kept:
        kept = drawn.chance < 1
        first = int(np.argmin(drawn.chance)) if len(kept) else -1
        least = (float(drawn.chance[first]), int(drawn.places[first])) if len(kept) else (np.inf, -1)
        return cls(int(kept.sum()), int((drawn.source != drawn.rows)[kept].sum()), least)

    def merge(self, other: _Kept) -> _Kept:
        return _Kept(self.records + other.records, self.altered + other.altered, min(self.least, other.least))

    @property
    def place(self) -> int:
        """Where the record stands that is kept if nobody else is."""
        return self.least[1]


@dataclass(frozen=True)
class _Known:
    """The different rows of the keys, the stratum of each, the row whose keys it takes, and who is kept."""

    keys: KeyRows
    strata: Codes
    nearest: Codes
    kept: _Kept | None = None


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
