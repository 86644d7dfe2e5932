"""How a release was written: what the private log needs to find its rows again and to write the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.open_types import Json, Stated
from microveil.core.streams import Streams


@dataclass(frozen=True)
class WriteOptions:
    """The options of one call of `write`, the ending of the file and the hash of its bytes."""

    ending: str  # of the file's name: it says the format, and whether it is compressed
    shuffle: bool = True
    delimiter: str | None = None
    keep_identifiers: bool = False
    titles: bool = False
    formulas: str = "keep"
    reproducible: bool = False
    sha256: str = ""
    others: Mapping[str, str] = field(default_factory=dict, hash=False)  # that the format declares for itself
    # the files of a folder, where a release was written into one: name, records and hash of each
    parts: tuple[Mapping[str, object], ...] = field(default=(), hash=False)

    def to_mapping(self) -> Json:
        """In plain terms, for the log."""
        return {name: value for name, value in asdict(self).items() if name not in ("others", "parts") or value}

    @property
    def arguments(self) -> Json:
        """The options as arguments of `write`."""
        stated = {
            name: value for name, value in asdict(self).items() if name not in ("ending", "sha256", "others", "parts")
        }
        return {**stated, **self.others}

    @classmethod
    def from_mapping(cls, fields: Stated) -> WriteOptions:
        """From the log."""
        return cls(**fields)


def written_order(streams: Streams, rows: int, shuffle: bool = True) -> Ints:
    """The order in which rows are written: row i of the file is this row of the release."""
    if not shuffle:
        return np.arange(rows, dtype=np.int64)
    return streams.at("write").order(rows)
