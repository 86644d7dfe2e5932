"""Audit: figures that were published elsewhere, computed again from the files as they were written."""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw
import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.numbers import format_number
from microveil.data.microdata import Microdata
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, holds, not_checked
from microveil.package.known import Known
from microveil.plan.release_plan import Published

CHECK = "published"
STATISTICS = ("sum", "mean", "count")
_ROUNDING = 1e-9


def audit_totals(file: DataFile, known: Known) -> list[Finding]:
    """Whether a file gives the figures that were published, weighted where it has a weight."""
    return [_compare(file, stated, known) for stated in known.published]


def _compare(file: DataFile, stated: Published, known: Known) -> Finding:
    what = f"{file.name}: {_describe(stated, known.weight_in(file.data) is not None)}"
    found = figure_of(file.data, stated, known.weight_in(file.data))
    if isinstance(found, str):
        return not_checked(CHECK, f"{what} cannot be compared: {found}.")
    apart = abs(found - stated.value)
    kept = apart <= stated.tolerance * abs(stated.value) + _ROUNDING * max(abs(stated.value), 1.0)
    allowed = f"{format_number(100 * stated.tolerance)} % apart are allowed"
    share = f", {format_number(100 * apart / abs(stated.value))} % apart" if stated.value else ""
    told = f"{what} is {format_number(found)}, and {format_number(stated.value)} was published{share}; {allowed}."
    return (holds if kept else broken)(CHECK, told)


def figure_of(data: Microdata, stated: Published, weight: str | None) -> float | str:
    """The figure in a file, or why it has none."""
    absent = [name for name in (*stated.where, stated.of) if name is not None and name not in data.columns]
    if absent:
        return f"the file has no column {', '.join(map(repr, absent))}"
    if stated.statistic not in STATISTICS:
        return f"the statistic {stated.statistic!r} is not one of {', '.join(STATISTICS)}"
    chosen = _chosen(data, stated.where)
    if not chosen.any():
        return "no record of the file is among these; they may have been recoded"
    weights = None if weight is None else _numbers(data, weight)
    weights = np.ones(data.n) if weights is None else weights
    if stated.of is None:
        return float(np.nansum(weights[chosen])) if stated.statistic == "count" else "no column is named"
    values = _numbers(data, stated.of)
    if values is None:
        return f"{stated.of!r} holds no numbers"
    there = chosen & ~np.isnan(values) & ~np.isnan(weights)
    count, total = float(weights[there].sum()), float((weights * values)[there].sum())
    if stated.statistic == "mean":
        return total / count if count else "no record among these has a value"
    return total if stated.statistic == "sum" else count


def _describe(stated: Published, weighted: bool) -> str:
    where = " and ".join(f"{name} is {value}" for name, value in stated.where.items())
    of = f" of {stated.of}" if stated.of else ""
    return f"the {'weighted ' * weighted}{stated.statistic}{of}{' where ' * bool(where)}{where}"


def _chosen(data: Microdata, where: Mapping[str, object]) -> Bools:
    """The records that have all of these values, numbers compared as numbers and anything else as text."""
    chosen = np.ones(data.n, dtype=np.bool_)
    for name, wanted in where.items():
        numbers = _numbers(data, name) if isinstance(wanted, int | float) and not isinstance(wanted, bool) else None
        if numbers is not None:
            chosen &= numbers == wanted
        else:
            shown = data.narwhal.get_column(name).to_list()
            chosen &= np.array([value is not None and str(value) == str(wanted) for value in shown], dtype=np.bool_)
    return chosen


def _numbers(data: Microdata, name: str) -> Floats | None:
    column = data.narwhal.get_column(name)
    if not column.dtype.is_numeric():
        return None
    return np.asarray(column.cast(nw.Float64()).to_numpy(), dtype=np.float64)
