"""The fingerprint of records that come block by block: that of the same records in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa

from microveil.data.canonical import canonical
from microveil.data.mark import digest_of, mark_of_blocks


class Marked(NamedTuple):
    """Records that are hashed together: the kinds of their columns, and the hash."""

    kinds: Mapping[str, str]
    digest: bytes

    @classmethod
    def of(cls, table: pa.Table, wide: frozenset[str]) -> Marked:
        """Of a table as it comes back."""
        forms = [canonical(table[name], name, name in wide) for name in table.column_names]
        return cls({name: form.kind for name, form in zip(table.column_names, forms, strict=True)}, digest_of(forms))

    @property
    def wide(self) -> frozenset[str]:
        """The columns of which some values need more than a double or a microsecond."""
        return frozenset(name for name, kind in self.kinds.items() if kind == "long number" or kind.startswith("fine "))


def mark_of_all(rows: int, found: Iterable[Marked]) -> str:
    """The fingerprint of so many records, from the hashes of all of them in their order."""
    marked = list(found)
    return mark_of_blocks(rows, marked[0].kinds, [one.digest for one in marked])
