"""The parts of the internal report on what was measured, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import counted
from microveil.plan.evaluation import Line
from microveil.plan.questions import by_question
from microveil.report.parts import Cell, Column, Fold, Heading, Items, Pairs, Part, Row, Said, Table, Text, Words

_MOST_PARTS = 40
_HEAD = (
    Column("measure"),
    Column("before", number=True, told=True),
    Column("after", number=True, told=True),
    Column("how to read it"),
)


def measured_parts(lines: Sequence[Line]) -> list[Part]:
    """Every figure under the question that it answers, and the measures that do not apply."""
    shared = _shared_notes(lines)
    parts: list[Part] = [
        Heading("What is at risk and what is lost, question by question"),
        Text(
            "Every risk assumes the worst: that the intruder holds the exact original values of the attributes used. A "
            "figure before protection stands where one file can be measured alone. Lower is better unless said "
            "otherwise.",
            "soft",
        ),
    ]
    parts += [Text(f"{', '.join(names)}: {note}.", "soft") for note, names in shared.items()]
    for found in by_question(lines):
        if not found.first:
            continue
        parts += [Heading(found.question.title, 3), Text(found.question.meaning, "soft"), _table(found.first, shared)]
        further = _measured(found.further)
        if further:
            parts.append(Fold(counted(len(further), "further measure"), (_table(found.further, shared),)))
    silent = _silent(lines)
    return [*parts, Fold("measures that do not apply", (Items(silent, style="soft"),))] if silent else parts


def _table(lines: Sequence[Line], shared: Mapping[str, list[str]]) -> Table:
    return Table(_HEAD, tuple(_row(line, result, shared) for line, result in _measured(lines)), "figures measures")


def _measured(lines: Sequence[Line]) -> list[tuple[Line, Measured]]:
    return [(line, line.result) for line in lines if isinstance(line.result, Measured)]


def _shared_notes(lines: Sequence[Line]) -> dict[str, list[str]]:
    """The notes that several measures have, and which: they are said once for all of them."""
    found: dict[str, list[str]] = {}
    for line, result in _measured(lines):
        for note in dict.fromkeys(result.notes):
            found.setdefault(note, []).append(line.title)
    return {note: names for note, names in found.items() if len(names) > 1}


def _silent(lines: Sequence[Line]) -> tuple[str, ...]:
    """The measures that do not apply by their reason."""
    found: dict[str, list[str]] = {}
    for line in lines:
        if not isinstance(line.result, Measured):
            found.setdefault(line.result.reason, []).append(line.title)
    return tuple(
        f"{', '.join(names)}: {'do' if len(names) > 1 else 'does'} not apply, since {reason}"
        for reason, names in found.items()
    )


def _row(line: Line, result: Measured, shared: Mapping[str, list[str]]) -> Row:
    ends = result.interval
    interval = () if ends is None else (f"95 % interval {format_number(ends[0])} to {format_number(ends[1])}",)
    notes = (*interval, *(note for note in result.notes if note not in shared))
    value = format_number(result.value)
    cells: tuple[Said | Cell, ...] = (
        Cell((line.title, Words(line.measure.name, "small")), "name"),
        format_number(line.before.value) if isinstance(line.before, Measured) else "",
        Cell((f"{value} ", Words(result.unit, "small")) if result.unit else value, "value"),
        (result.said, *(Words(note, "below") for note in notes)),
    )
    return Row(cells, _more(line, result))


def _more(line: Line, result: Measured) -> tuple[Part, ...]:
    """The parts of a figure, behind a line."""
    if not result.parts:
        return ()
    words = line.measure.words_of_parts
    told = [(_part_in_words(name, words), format_number(value)) for name, value in result.parts.items()]
    left = len(told) - _MOST_PARTS
    more = (Text(f"and {counted(left, 'more part')}", "soft"),) if left > 0 else ()
    return (Fold("its parts", (Pairs(tuple(told[:_MOST_PARTS])), *more)),)


def _part_in_words(name: str, words: Mapping[str, str]) -> str:
    """The name of a part in words; the column before it stays."""
    column, colon, short = name.rpartition(": ")
    return f"{column}{colon}{words.get(short, short)}"
