"""Which rows of two files belong together, when nobody says so."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.errors import BadInput
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.run.release import Release
from microveil.run.written import WriteOptions, written_order

# A chance agreement this strong in one column has a probability of about 1e-9.
_CLEAR = 6.0


def rows_seem_to_correspond(before: Microdata, after: Microdata) -> bool:
    """Whether row i of one file and row i of the other look like the same record.

    Files of equal length are compared column by column: in files shuffled against each other the
    correlation is of the size 1/sqrt(n) by chance.
    """
    if before.n != after.n or before.n < 3:
        return False
    pair = Pair.of(before, after)
    left, right = pair.tables(pair.columns)
    for name in pair.columns:
        x, y = left[name].numbers, right[name].numbers
        observed = ~(np.isnan(x) | np.isnan(y))
        if (
            observed.sum() >= 3
            and abs(_correlation(_ranks(x[observed]), _ranks(y[observed]))) * observed.sum() ** 0.5 > _CLEAR
        ):
            return True
    return False


def _ranks(x: Floats) -> Floats:
    order = np.sort(x)
    return (np.searchsorted(order, x, "left") + np.searchsorted(order, x, "right")) / 2.0


def _correlation(x: Floats, y: Floats) -> float:
    spread = float(x.std() * y.std())
    return 0.0 if spread == 0 else float(np.mean((x - x.mean()) * (y - y.mean())) / spread)


def find_writing(release: Release, sha256: str) -> WriteOptions:
    """How the file with this hash was written; an error if the release, or its log, wrote no such file."""
    for options in release.written:
        if options.sha256 == sha256:
            return options
    raise BadInput(
        "this is not a file that the release was written to, byte for byte: its hash is not in the log; give the "
        "file as it was written, or the log of this file"
    )


def link_of_written(release: Release, written: WriteOptions | None = None) -> Ints:
    """The original row of each row of a written file (private).

    `written` says which file, one of `release.written`; by default the last that was written, or one written with
    the default options if there is none yet.
    """
    if written is None and release.written:
        written = release.written[-1]
    shuffle = written is None or written.shuffle
    return release.origin[written_order(release.streams, len(release), shuffle)]
