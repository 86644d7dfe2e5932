"""Audit: records of the original that stand in a file as they are, whatever its plan says was changed."""

from __future__ import annotations

from microveil.attack.verbatim import Verbatim
from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, holds, not_checked, note
from microveil.package.known import Known

CHECK = "copies"
_MOST = 95.0  # per cent of copies beyond chance with which nobody can say that columns were perturbed


def audit_copies(file: DataFile, known: Known) -> list[Finding]:
    """Released records that equal the only original of their kind.

    A run has judged them by its limits already. Here they show whether the file is what its project or log speaks of.
    """
    if known.original is None or known.release is not None:
        return []
    try:
        result = Verbatim()(known.original, file.data, linked=False)
    except MicroveilError as problem:
        return [not_checked(CHECK, f"{file.name}: {problem}.")]
    if not isinstance(result, Measured):
        return [not_checked(CHECK, f"{file.name}: {result.reason}.")]
    found = Verbatim().advantage(result)
    if not found:
        return [holds(CHECK, f"{file.name}: no more records than by chance equal an original that nobody shares.")]
    told = f"{file.name}: {format_number(found)} % of its records, beyond chance, are the original's as they are"
    if known.perturbed and found > _MOST:
        return [broken(CHECK, f"{told}, although columns are said to be perturbed.")]
    return [note(CHECK, f"{told}.")]
