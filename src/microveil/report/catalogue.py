"""The catalogue of all methods, partitions and measures as a page of documentation, from the registry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from microveil.core.families import sort_families
from microveil.core.parameters import to_json
from microveil.measure import Measure
from microveil.plan.catalogue import Entry, methods


def catalogue_text() -> str:
    """The whole catalogue in Markdown."""
    out = [
        "# Catalogue",
        "",
        "Made from the registry by `make docs`; `microveil methods NAME` prints the same.",
        "",
    ]
    found = methods()
    for family in sort_families(entry.cls.described for entry in found):
        meaning = f": {family.meaning}" if family.meaning else ""
        out += [f"## {family.title} (`mv.{family.home}`){meaning}", ""]
        for entry in sorted((entry for entry in found if entry.kind == family.name), key=lambda entry: entry.name):
            out += _entry_lines(entry)
    measures = [entry for entry in found if issubclass(entry.cls, Measure)]
    return "\n".join([*out, *_validity_lines(measures)])


def _validity_lines(entries: Sequence[Entry]) -> list[str]:
    """Which measure may be shown after which kind of method."""
    lines = [
        "## Which measure may be shown when",
        "",
        "A measure that may not be shown says so with its reason and has no value. Rows belong together if the",
        "release, the private log or the order of two files of equal length says so; synthetic ones belong to nobody.",
        "",
        "| measure | rows belong together | rows unknown or synthetic | keys coarser or suppressed | keys perturbed |",
        "|---|---|---|---|---|",
    ]
    for entry in entries:
        paired = bool(getattr(entry.cls, "paired", False))
        trusts = bool(getattr(entry.cls, "trusts_keys", False))
        cells = ("yes", "no" if paired else "yes", "yes", "no" if trusts else "yes")
        lines.append(f"| {entry.cls.__name__} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _entry_lines(entry: Entry) -> list[str]:
    lines = [f"### {entry.cls.__name__} · `{entry.name}`", "", entry.description, ""]
    if entry.parameters:
        lines += ["| parameter | meaning | allowed | default |", "|---|---|---|---|"]
        for parameter in entry.parameters:
            default = "required" if parameter.required else f"`{to_json(parameter.default)}`"
            form = "" if parameter.sample is None else f"; for example `{parameter.sample}`"
            cells = (f"`{parameter.name}`", parameter.help, parameter.allowed + form, default)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    if entry.data_kinds:
        lines.append(f"Columns: {', '.join(entry.data_kinds)}. ")
    if entry.claims:
        lines.append("Promises: " + "; ".join(str(claim) for claim in entry.claims) + ".")
    if entry.caution:
        lines += ["", entry.caution]
    if entry.reference:
        lines += ["", f"Reference: {entry.reference}."]
    return [*lines, ""]


def write_catalogue(path: str | Path) -> None:
    """Write the catalogue to a file."""
    from microveil.io import write_text

    write_text(path, catalogue_text())
