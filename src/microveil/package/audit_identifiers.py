"""Audit: columns that look like identifiers, in files of which nobody said what their columns are."""

from __future__ import annotations

from microveil.detect import find_identifiers, look_at
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, holds, note

CHECK = "identifiers"


def audit_identifiers(file: DataFile) -> list[Finding]:
    """Names, addresses, numbers of people: by the names of columns and by what they hold."""
    looks = [look_at(file.data.narwhal.get_column(name), ()) for name in file.data.columns]
    found = find_identifiers(looks)
    if not found:
        return [holds(CHECK, f"{file.name}: no column looks like an identifier.")]
    return [
        note(CHECK, f"{file.name}: the column {name!r} looks like an identifier ({one.why}).")
        for name, one in found.items()
    ]
