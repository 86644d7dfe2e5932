"""The Gaussian copula of records that are not all in memory: the numbers of `gaussian_copula`, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Vector
from microveil.data.extremes import Ends, decimals_of, ends_alone, finer_than, tell_ends
from microveil.data.table import Table, Values
from microveil.kernels.summaries.counts import Counts
from microveil.kernels.summaries.together import Together
from microveil.run.afar import Rows, after_times, normals
from microveil.run.by_order import Ordered
from microveil.run.job import Job
from microveil.run.ranked import Found, Ranked, handed_out, read_off, side_by_side


@dataclass(frozen=True)
class Drawn:
    """The columns of new records, and notes on them."""

    columns: Mapping[str, Rows]
    header: Table
    notes: tuple[str, ...]

    def __call__(self, block: Table, its: Job) -> dict[str, Values]:
        """The columns of some of the records."""
        return {
            name: self.header[name].with_data(rows(block, its)[:, 0].astype(self.header[name].data.dtype))
            for name, rows in self.columns.items()
        }


def drawn_afar(
    records: Ranked,
    made: Ranked,
    margins: Literal["smooth", "exact"],
    correlation: Literal["normal scores", "spearman"],
) -> Drawn:
    """The records to be made, with the rank correlations of those given and the distribution of each column."""
    names, header = records.table.names, records.table
    codings = _codings(records)
    values = records.ordered(_places(codings), [None] * len(names))
    F = _latent_root(records, values, correlation)
    words = [made.job.streams.at(name) for name in names]
    z = made.ordered(after_times(normals(len(F), "latent"), F), words)
    columns = {
        name: made.held(_decoded(_new_values(header[name], own, drawn, margins), codings[name]))
        for name, own, drawn in zip(names, values, z, strict=True)
    }
    single = [repr(name) for name, one in codings.items() if margins == "exact" and one.occurs_once]
    note = f"exact margins keep categories that occur once: {', '.join(single)}"
    told = _tell_extremes(records, made, columns, dict(zip(names, values, strict=True)))
    return Drawn(columns, header, (*((note,) if single else ()), *told))


def _new_values(header: Values, values: Ordered, drawn: Ordered, margins: str) -> Found:
    if margins == "exact":
        return handed_out(drawn, values)
    return _interpolated(drawn, values) if header.levels is None else _stepped(drawn, values)


def _interpolated(drawn: Ordered, values: Ordered) -> Found:
    """As `RankScale.values`."""
    from scipy.special import ndtr

    n = values.count

    def at(z: Vector) -> Vector:
        return np.asarray(ndtr(z) * n - 0.5)

    def read(z: Vector, first: int, some: Vector) -> Vector:
        return np.asarray(np.interp(at(z), np.arange(first, first + len(some)), some))

    return read_off(drawn, values, at, read)


def _stepped(drawn: Ordered, values: Ordered) -> Found:
    from scipy.special import ndtr

    n = values.count

    def at(z: Vector) -> Vector:
        return np.asarray(np.minimum(np.floor(ndtr(z) * n), n - 1))

    return read_off(drawn, values, at, lambda z, first, some: some[at(z).astype(np.int64) - first])


def _latent_root(records: Ranked, values: Sequence[Ordered], correlation: str) -> Floats:
    """A root of the correlations of the normal variables behind the columns."""
    from microveil.kernels.draws.latin import nearest_correlation
    from microveil.kernels.linalg.bases import correlation_scale, factor

    ranks, n = records.average_ranks(values), records.records

    def scores(block: Table, its: Job) -> Floats:
        from scipy.special import ndtri

        return np.asarray(ndtri((ranks(block, its) - 0.5) / n))

    R = correlation_scale(records.moments(ranks if correlation == "spearman" else scores)[1])[1]
    np.fill_diagonal(R, 1.0)
    if correlation == "spearman":
        R = 2 * np.sin(np.pi / 6 * R)
        np.fill_diagonal(R, 1.0)
    return factor(nearest_correlation(R))


# -- categories ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Coding:
    """Where the codes of a category stand in an order: `codes` from the first on; None: by themselves."""

    codes: Ints | None = None
    occurs_once: bool = False

    def places(self, data: Floats | Ints) -> Floats:
        """The places of some codes."""
        if self.codes is None:
            return np.asarray(data, dtype=np.float64)
        place = np.empty(int(self.codes.max()) + 2)
        place[self.codes + 1] = np.arange(len(self.codes))
        return place[data + 1]

    def data(self, places: Floats) -> Floats:
        """The codes at some places."""
        return places if self.codes is None else self.codes[places.astype(np.int64)].astype(np.float64)


def _codings(records: Ranked) -> dict[str, _Coding]:
    """Categories without an order stand by their frequency, a gap as one of them."""
    header = records.table
    coded = [name for name, values in header.columns.items() if values.levels is not None]

    def of(block: Table, _: Job) -> Together[str, Counts]:
        return Together({name: Counts.of(block[name].data, len(header[name].levels or ())) for name in coded})

    counts = records.job.engine.gather(header, records.job, of).parts if coded else {}
    found = {}
    for name, values in header.columns.items():
        if name not in counts:
            found[name] = _Coding()
            continue
        of_codes = np.append(counts[name].missing, counts[name].counts)
        present = np.flatnonzero(of_codes)
        codes = present[np.argsort(-of_codes[present], kind="stable")] - 1
        found[name] = _Coding(codes if values.kind == "nominal" else None, bool((of_codes == 1).any()))
    return found


def _places(codings: Mapping[str, _Coding]) -> Rows:
    return side_by_side([_places_of(name, coding) for name, coding in codings.items()])


def _places_of(name: str, coding: _Coding) -> Rows:
    return lambda block, _: coding.places(block[name].data)[:, None]


def _decoded(found: Found, coding: _Coding) -> Found:
    return ((places, coding.data(numbers)) for places, numbers in found)


# -- what is told --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Any:
    """Whether something holds of any record, for several things."""

    found: Bools

    def merge(self, other: _Any) -> _Any:
        return _Any(self.found | other.found)


def _tell_extremes(
    records: Ranked, made: Ranked, columns: Mapping[str, Rows], values: Mapping[str, Ordered]
) -> tuple[str, ...]:
    """As `tell_drawn_extremes` tells it."""
    ends = {name: _ends_alone(values[name]) for name, one in records.table.columns.items() if one.levels is None}
    ends = {name: one for name, one in ends.items() if one}
    if not ends:
        return ()
    digits = _gather_any(records, list(ends), lambda name, block, _: finer_than(block[name].numbers))
    decimals = {name: decimals_of(found) for name, found in digits.items()}

    def holds(name: str, block: Table, its: Job) -> Bools:
        rounded = np.round(columns[name](block, its)[:, 0], decimals[name])
        return np.array([(rounded == end).any() for end in ends[name].values()])

    held = _gather_any(made, list(ends), holds)
    return tell_ends({name: [which for which, one in zip(ends[name], held[name], strict=True) if one] for name in ends})


def _gather_any(records: Ranked, names: Sequence[str], of: Callable[[str, Table, Job], Bools]) -> dict[str, Bools]:
    def each(block: Table, its: Job) -> Together[str, _Any]:
        return Together({name: _Any(of(name, block, its)) for name in names})

    return {name: one.found for name, one in records.job.engine.gather(records.table, records.job, each).parts.items()}


def _ends_alone(values: Ordered) -> Ends:
    n = values.count
    return ends_alone(values.values(0, min(2, n)), values.values(max(0, n - 2), n))
