"""The codebook as plain text, for people."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.numbers import format_number
from microveil.core.printable import one_line
from microveil.core.words import counted
from microveil.package.ddi import said_value
from microveil.package.variables import Variable
from microveil.report.external import MISSING_TOLD

_FIGURES = {"min": "smallest", "max": "largest", "mean": "mean", "stdev": "standard deviation"}


def codebook_text(title: str, files: Sequence[str], records: int, variables: Sequence[Variable], *, date: str) -> str:
    """The codebook of a release: its files, its columns with what they hold, and what was done to them."""
    lines = [title, "=" * len(title), "", f"{date}. {counted(records, 'record')}, {counted(len(variables), 'column')}."]
    lines += [f"Files: {', '.join(files)}.", f"{MISSING_TOLD} All figures are those of these files.", ""]
    for variable in variables:
        lines += [*_lines_of(variable), ""]
    return "\n".join(map(_one_line, lines))


def _lines_of(variable: Variable) -> list[str]:
    heading = f"{variable.name}: {variable.title}" if variable.title else variable.name
    what = f"{variable.form}, {variable.kind}" + (", the weight of the record" if variable.is_weight else "")
    lines = [heading, f"  {what}; {counted(variable.valid, 'value')}, {variable.missing:,} missing"]
    if variable.figures:
        told = (f"{_FIGURES[name]} {format_number(value, 6)}" for name, value in variable.figures.items())
        lines.append(f"  {', '.join(told)}")
    for category in variable.categories:
        label = f" = {category.label}" if category.label else ""
        lines.append(f"    {said_value(category.value)}{label}: {counted(category.count, 'record')}")
    if variable.kind != "continuous" and not variable.categories:
        lines.append(f"  {'more than ' * variable.more}{counted(variable.distinct, 'different value')}")
    if variable.done:
        lines.append(f"  protection: {variable.done}")
    return lines


def _one_line(text: str) -> str:
    """A label may hold line breaks, or signs that turn the direction of writing; here a line is a line."""
    return text[: len(text) - len(text.lstrip(" "))] + one_line(" ".join(text.split()))
