"""What is said of a column that is to be one of amounts and holds none."""

from __future__ import annotations

import math
from collections.abc import Sequence

from microveil.core.open_types import Cell

_IN_WORDS = {"String": "text", "Boolean": "true and false"}
_LONGEST = 40  # signs of a value that is shown


def tell_no_amounts(name: str, kind: str, values: Sequence[Cell]) -> str:
    """The sentence, with values that are no numbers: 320.0 is one, also where others made all of them text.

    >>> tell_no_amounts("debts", "String", ["320.0", "1e400", None, "none"]).partition(";")[0]
    "column 'debts' is to be continuous but holds text such as '1e400', 'none'"
    """
    different = list(dict.fromkeys(value for value in values if value is not None))
    shown = [value for value in different if not _is_number(value)] or different
    examples = ", ".join(repr(_shortened(value)) for value in shown[:3]) or "nothing"
    return (
        f"column {name!r} is to be continuous but holds {_IN_WORDS.get(kind, kind)} such as {examples}; "
        "convert it to numbers or declare it ordinal or nominal"
    )


def _is_number(value: Cell) -> bool:
    try:
        return isinstance(value, str) and math.isfinite(float(value))
    except ValueError:
        return False


def _shortened(value: Cell) -> Cell:
    return f"{value[:_LONGEST]}..." if isinstance(value, str) and len(value) > _LONGEST else value
