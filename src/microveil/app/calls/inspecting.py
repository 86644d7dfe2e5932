"""The first look at a file: what pages tell of its columns, and a project where there is none yet."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microveil import io, plan
from microveil.app import reading_form
from microveil.app.calls.call import Call, Work, argument
from microveil.app.workspace import Workspace
from microveil.core.arrays import Floats
from microveil.core.open_types import Cell, Json
from microveil.data.canonical import arrow_of
from microveil.data.microdata import Microdata
from microveil.hierarchy.files import value_text
from microveil.plan import Inspection, Project

LOOK = "look.json"
_MOST_VALUES = 2_000  # different values of a column that pages know; of others the most frequent
_FREQUENT = 20
_BINS = 8


def _do(work: Work) -> Json:
    """Look at the file, propose what pages show, and write the project where one was asked for."""
    begin = bool(work.settings.get("begin"))
    named = str(work.settings["path"])
    path = work.home / named
    data = (
        io.read(path, **reading_form.facts(work.settings.get("reading", {}))) if begin else work.load().read(work.home)
    )
    found = plan.inspect(data, progress=lambda name, number, total: work.tell(f"looking at {name}", number, total))
    # why roles, rules and hierarchies were proposed is asked of the file alone: what was stated hides it
    look = _look(data, found, found if begin else plan.inspect(data.with_(roles=dict.fromkeys(data.columns))))
    io.write_text(work.folder / LOOK, json.dumps(look, ensure_ascii=False) + "\n", private=True)
    if begin:
        text = Project.propose(named, io.sha256_of(path), data, found).to_text()
        Workspace(work.project).save(lambda _: text, str(work.settings["base"]), f"began with {named}")
    return {"records": found.records, "columns": len(found.columns), "path": named}


def _look(data: Microdata, found: Inspection, proposed: Inspection) -> Json:
    """Everything that pages tell of the file without opening it again."""
    why = {look.name: look for look in proposed.columns}
    book = data.codebook or io.Codebook()
    read_as, titles, labels = book.read_as, book.titles, book.labels
    codes: dict[str, list[Json]] = {}
    for one in found.missing_codes:
        listed = [value_text(code) for code in one.codes]
        codes.setdefault(one.column, []).append({"codes": listed, "records": one.records, "why": one.why})
    return {
        "records": found.records,
        "read_as": str(read_as or ""),
        "baseline": found.baseline,
        "columns": [
            {
                "name": str(look.name),
                "role": why[look.name].role,
                "kind": why[look.name].kind,
                "why": why[look.name].why,
                "distinct": look.distinct,
                "missing": look.missing,
                "title": titles.get(look.name, ""),
                "labels": [(value_text(code), text) for code, text in labels.get(look.name, {}).items()],
                "codes": codes.get(look.name, []),
                "treated": [value_text(code) for code in data.schema[look.name].missing],
                **_values(data, str(look.name), [code for one in codes.get(look.name, []) for code in one["codes"]]),
            }
            for look in found.columns
        ],
        "rules": [
            {"text": str(rule.edit), "why": rule.comment, "active": rule.active, "broken": rule.broken}
            for rule in found.rules
        ],
        "hierarchies": {str(name): rule.to_spec() for name, rule in proposed.hierarchies.items()},
    }


def _values(data: Microdata, name: str, codes: Sequence[str]) -> Json:
    """The values of one column: the most frequent with their counts, all of them where they are few, or bins.

    `codes` look like ones for no answer: they are no amounts, and bins leave them out, as they do those that are known.
    """
    array = arrow_of(data.narwhal.get_column(name)).drop_null()
    counts = array.value_counts() if len(array) else pa.array([])
    if len(counts) == 0:
        return {"frequent": [], "values": [], "counts": [], "bins": [], "range": []}
    kinds, numbers = counts.field(0), counts.field(1).to_numpy(zero_copy_only=False)
    order = np.argsort(-numbers, kind="stable")
    frequent = [(value_text(kinds[int(i)].as_py()), int(numbers[i])) for i in order[:_FREQUENT]]
    few = len(kinds) <= _MOST_VALUES
    values = [_plain(value) for value in kinds.to_pylist()] if few else []
    counted = [int(n) for n in numbers] if few else []
    known = [value_text(code) for code in data.schema[name].missing if isinstance(code, int | float)]
    amounts = _amounts(array, [*codes, *known]) if len(kinds) > _FREQUENT else np.array([])
    return {
        "frequent": frequent,
        "values": values,
        "counts": counted,
        "bins": _bins(amounts),
        "range": [float(amounts.min()), float(np.median(amounts)), float(amounts.max())] if len(amounts) else [],
    }


def _plain(value: Cell) -> str | int | float:
    """Numbers and texts as they are, all else as the text that stands for it."""
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else value_text(value)


def _amounts(array: pa.Array, codes: Sequence[str]) -> Floats:
    """The numbers of a column without codes; none of what is no number."""
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        return np.array([])
    numbers: Floats = pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers[np.isfinite(numbers) & ~np.isin(numbers, [float(code) for code in codes])]


def _bins(numbers: Floats) -> list[tuple[float, float, int]]:
    """How many records have an amount in each of some ranges, which begin and end at round numbers."""
    if not len(numbers) or numbers.min() == numbers.max():
        return []
    edges = round_edges(float(numbers.min()), float(numbers.max()))
    counts = np.histogram(numbers, bins=edges)[0]
    return [(float(low), float(high), int(n)) for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)]


def round_edges(low: float, high: float) -> Floats:
    """Bounds of about as many ranges of equal width as are shown, at multiples of 1, 2, 2.5 or 5 times a power of ten.

    >>> round_edges(0, 64).tolist()
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0]
    """
    rough = (high - low) / _BINS
    power = 10.0 ** np.floor(np.log10(rough))
    width = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= rough * (1 - 1e-9))
    first = np.floor(low / width)
    last = max(np.ceil(high / width), first + 1)
    edges: Floats = np.arange(first, last + 1) * width
    return edges


def _command(project: Path, settings: Json) -> tuple[str, ...]:
    place = project.name if settings.get("begin") else f"{project.stem}_looked.yaml"
    read = reading_form.words(settings.get("reading", {}))
    return ("microveil", "inspect", argument(str(settings["path"])), "--project", place, "--force", *read)


INSPECT = Call("inspect", "Look at the file", _do, _command, ("dataset",))
