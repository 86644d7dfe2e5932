"""Audit: figures that were published elsewhere, computed again from the files as they were written."""

from __future__ import annotations

from microveil.core.numbers import format_number
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, holds, not_checked
from microveil.package.known import Known
from microveil.plan.published_totals import agrees, describe, figure_of
from microveil.plan.release_plan import Published

CHECK = "published"


def audit_totals(file: DataFile, known: Known) -> list[Finding]:
    """Whether a file gives the figures that were published, weighted where it has a weight."""
    return [_compare(file, stated, known) for stated in known.published]


def _compare(file: DataFile, stated: Published, known: Known) -> Finding:
    weight = known.weight_in(file.data)
    what = f"{file.name}: {describe(stated, weight is not None)}"
    found = figure_of(file.data, stated, weight)
    if isinstance(found, str):
        return not_checked(CHECK, f"{what} cannot be compared: {found}.")
    apart = abs(found - stated.value)
    allowed = f"{format_number(100 * stated.tolerance)} % apart are allowed"
    share = f", {format_number(100 * apart / abs(stated.value))} % apart" if stated.value else ""
    told = f"{what} is {format_number(found)}, and {format_number(stated.value)} was published{share}; {allowed}."
    return (holds if agrees(stated, found) else broken)(CHECK, told)
