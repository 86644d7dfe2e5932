"""Audit: columns that identify people, by what is stated of them or by what they look like."""

from __future__ import annotations

from collections.abc import Mapping

from microveil.detect import find_identifiers, look_at
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, holds, judged, note

CHECK = "identifiers"


def audit_identifiers(file: DataFile, roles: Mapping[str, str]) -> list[Finding]:
    """Columns that are stated to be identifiers; where nothing is stated, by their names and by what they hold."""
    if roles:
        stated = [name for name in map(str, file.data.columns) if roles.get(name) == "identifier"]
        problems = [
            f"{file.name}: the column {name!r} is an identifier, and has values."
            for name in stated
            if file.data.narwhal.get_column(name).null_count() < file.data.n
        ]
        return judged(CHECK, problems, f"{file.name}: no column that is stated as an identifier has values.")
    looks = [look_at(file.data.narwhal.get_column(name), ()) for name in file.data.columns]
    found = find_identifiers(looks)
    if not found:
        return [holds(CHECK, f"{file.name}: no column looks like an identifier.")]
    return [
        note(CHECK, f"{file.name}: the column {name!r} looks like an identifier ({one.why}).")
        for name, one in found.items()
    ]
