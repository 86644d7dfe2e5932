"""A block of a file as microdata: its own values, coded by what is known of all records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.errors import BadInput
from microveil.data import frames
from microveil.data.frames import Spelling
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.engines.known import Known


class BlockData(Microdata):
    """Some records of a file. Levels, units and subdomains are those of the file; nothing is checked again."""

    _known: Known
    _mark: str

    @classmethod
    def of_table(cls, facts: Microdata, known: Known, mark: str, table: pa.Table) -> BlockData:
        """Records of which `facts` says what their columns are."""
        made = cls.__new__(cls)
        made.__dict__.update({name: value for name, value in vars(facts).items() if name != "mark"})
        empty: dict[str, Any] = {"_cache": {}, "_encoded": {}, "_units": {}, "_spreads": {}, "_codes": {}}
        made.__dict__.update(empty, _known=known, _mark=mark, _frame=_opened(table))
        return made

    @property
    def mark(self) -> str:
        """The fingerprint of the whole file."""
        return self._mark

    def encoded(self, name: str) -> frames.Encoded:
        """A column as codes with the levels of the file."""
        if name not in self._encoded:
            levels = self._known.levels(name)
            array = self._frame.get_column(name).to_native().combine_chunks()
            rows = np.arange(len(levels.levels), dtype=np.int64)
            self._encoded[name] = frames.Encoded(levels.codes_of(array), levels.levels, rows)
        return self._encoded[name]

    def spelling(self, name: str) -> Spelling:
        """The levels of the file, and behind them the cells of the block."""
        levels = self._known.levels(name)
        cells = self._frame.get_column(name).to_native().combine_chunks()
        both = _opened(pa.table({name: pa.concat_arrays([levels.values, cells])})).get_column(name)
        return Spelling(both, np.arange(len(levels.levels), dtype=np.int64), len(levels.levels))

    def unit(self, name: str) -> int | None:
        """The unit of the column in the file."""
        return self._known.unit(name)

    def domains(self, by: str | Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
        """Subdomain of each record, numbered as in the file, and the labels of all subdomains of the file."""
        names = [by] if isinstance(by, str) else list(by)
        check_names(names, list(self.columns), "by")
        if not names:
            raise BadInput("by names no column; give at least one, or leave it out")
        found = self._known.domains(names)
        codes = np.stack([self.encoded(name).codes for name in names], axis=1)
        return found.found.places(codes), found.texts


def _opened(table: pa.Table) -> frames.Frame:
    import narwhals as nw

    return nw.from_native(table, eager_only=True)
