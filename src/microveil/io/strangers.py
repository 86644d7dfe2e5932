"""What a reader who knows nothing of us gets out of a file, where that differs from what was released."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from microveil.claims import Claim
from microveil.core.open_types import Cell
from microveil.data.canonical import arrow_of
from microveil.io.adapting import is_text
from microveil.io.formats.format import Format
from microveil.io.promises import check_promises
from microveil.io.rounding import round_release
from microveil.run import Release


def check_as_read_by_strangers(release: Release, kind: Format) -> None:
    """Check what is promised about the released values alone, missing text read as a value where a format forces it."""
    if kind.knows_missing_text:
        return
    named = {name for claim in release.claims if _of_the_file(claim) for name in claim.columns}
    replaced = {name: read for name in named if (read := _with_gaps_as_values(release, name)) is not None}
    if not replaced:
        return
    coarser = round_release(release)
    check_promises(
        release,
        {**coarser.columns, **replaced},
        coarser.half_units,
        f"{kind.title} files know no missing text, and readers who take it for a value find a promise broken",
        "write CSV, Parquet or Feather, or let the method count a missing cell as a value of its own (missing='own')",
        _of_the_file,
    )


def _of_the_file(claim: Claim) -> bool:
    return claim.about == "release"


def _with_gaps_as_values(release: Release, name: str) -> list[Cell] | None:
    """A text column with a word in its gaps that is no value and no code of it; None when it has no gaps."""
    column = arrow_of(release.narwhal.get_column(name))
    if not is_text(column.type):
        return None
    codes = [code for code in release.original.schema[name].missing if isinstance(code, str)]
    gaps = pc.or_(pc.is_null(column), pc.is_in(column, pa.array(codes, column.type)))
    if not pc.any(gaps).as_py():
        return None
    taken = {*codes, *pc.unique(column).to_pylist()}
    word = ""
    while word in taken:
        word += " "
    values: list[Cell] = pc.if_else(gaps, pa.scalar(word, column.type), column).to_pylist()
    return values
