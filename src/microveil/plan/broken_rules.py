"""The rules of the data that the data themselves break: told before anything is done to them."""

from __future__ import annotations

from microveil.core.words import counted, list_some
from microveil.data.microdata import Microdata


def tell_broken_rules(data: Microdata) -> list[str]:
    """A line for each rule that some records break, with the first of these by their number in the file.

    >>> import pyarrow as pa
    >>> tell_broken_rules(Microdata(pa.table({"rent": [1.5, -2.5, 0.25]}), edits=["rent >= 0"]))
    ["The rule 'rent >= 0' is broken by 1 record of the original: row 2."]
    """
    return [
        f"The rule {str(edit)!r} is broken by {counted(len(rows), 'record')} of the original: "
        f"row{'s' * (len(rows) > 1)} {list_some((rows + 1).tolist())}."
        for edit, rows in data.broken_edits().items()
    ]
