"""How well columns that identify are found: recall and false alarms on columns the detectors were not made with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tests.detect.columns import Family, drawn
from tests.detect.columns_that_identify import IDENTIFYING
from tests.detect.harmless_columns import HARMLESS

import microveil as mv
from microveil.detect import find_identifiers, look_at

PAGE = Path(__file__).resolve().parents[1] / "docs" / "roles.md"
MARK = "<!-- measured -->"
SEED = 20_240_917  # of the columns that are held out; the detectors were made with others


def run(quick: bool) -> list[dict[str, Any]]:
    rows = measured(10 if quick else 100, SEED)
    if not quick:
        head = PAGE.read_text(encoding="utf-8").split(MARK)[0]
        PAGE.write_text(f"{head}{MARK}\n\n{_table(rows)}\n", encoding="utf-8")
    return rows


def measured(columns: int, seed: int) -> list[dict[str, Any]]:
    """For each family the per cent of its columns that are taken for identifiers, by whether their names tell."""
    rows = []
    for number, family in enumerate((*IDENTIFYING, *HARMLESS)):
        draw = np.random.default_rng([seed, number])
        found = [[_is_found(family, draw, named) for _ in range(columns)] for named in (True, False)]
        rows.append(
            {
                "column": family.name,
                "identifies": "yes" if family.identifies else "no",
                "found, name tells": 100 * float(np.mean(found[0])),
                "found, name says nothing": 100 * float(np.mean(found[1])),
            }
        )
    return rows


def _is_found(family: Family, draw: np.random.Generator, named: bool) -> bool:
    name, values = drawn(family, draw, named)
    data = mv.Microdata(pa.table({name: values}))
    return name in find_identifiers([look_at(data.narwhal.get_column(name))])


def _table(rows: list[dict[str, Any]]) -> str:
    heads = list(rows[0])
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        cells = [f"{value:.0f} %" if isinstance(value, float) else str(value) for value in row.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
