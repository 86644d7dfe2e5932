"""The last pass: records on their way into buckets, as they are written, and the fingerprint of the release."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import cast

import pyarrow as pa

from microveil.data.mark import BLOCK
from microveil.engines.cutting import cut
from microveil.engines.different_values import widest
from microveil.engines.marking import Marked, mark_of_all
from microveil.engines.passing import InBlocks, Passed
from microveil.engines.released_columns import Columns
from microveil.engines.shuffling import Shuffle
from microveil.engines.survey import Survey
from microveil.run.restoring import restore


def put_all(passing: InBlocks, survey: Survey, columns: Columns, shuffle: Shuffle) -> str:
    """Put the records of all blocks into their buckets; the fingerprint of the release in the order of the source."""
    starts = survey.starts()
    types = {name: widest(found) for name, found in survey.columns.plain.items()}
    marked_alone = _are_marked_alone(survey)

    def work(passed: Passed) -> tuple[list[tuple[int, pa.Table]], pa.Table | Marked | None]:
        if not len(passed.state.origin):
            return [], None
        restored = restore(passed.state)
        frame = restored.frame.to_native()
        plain = pa.table([frame[name].cast(kind) for name, kind in types.items()], names=list(types))
        records = shuffle.sort(starts[passed.first], columns.table_of(restored))
        return records, Marked.of(plain, survey.wide) if marked_alone else plain

    def released() -> Iterator[pa.Table | Marked]:
        for records, found in passing.each(work):
            shuffle.put(records)
            if found is not None:
                yield found

    return _mark_of(released(), survey.released, survey.wide)


def _are_marked_alone(survey: Survey) -> bool:
    """Whether each block holds just the records that are hashed together, so that whoever works on it may do so."""
    return all(
        start % BLOCK == 0 and survey.rows[first] in (BLOCK, survey.released - start)
        for first, start in survey.starts().items()
        if survey.rows[first]
    )


def _mark_of(found: Iterator[pa.Table | Marked], rows: int, wide: frozenset[str]) -> str:
    """The fingerprint of a release that comes block by block, marked already or still to be cut."""
    first = next(found)
    rest = chain([first], found)
    if isinstance(first, Marked):
        return mark_of_all(rows, cast("Iterator[Marked]", rest))
    return mark_of_all(rows, (Marked.of(one, wide) for one in cut(cast("Iterator[pa.Table]", rest), BLOCK)))
