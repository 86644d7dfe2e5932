"""The risk of each record by linkage in a scenario, comparing the files in every way."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.measure import Pair
from microveil.measure.sampling import Sample, draw_pair
from microveil.risk.files import link_files
from microveil.risk.ways import Way, ways_to_try

_EVERY_WAY_UP_TO = 10_000  # records; of more, some tell which ways find most, and these are tried on all
_TOLD_BY = 2_000


def risks_by_linkage(pair: Pair, limit: float, risk: Floats) -> list[Floats] | str:
    """For each way of comparing the risk of every protected record in view, at least `risk`; or why there is none.

    A record's risk by linkage is the probability that its link is right: 1/ties where its own is among the nearest. A
    record does not take the highest over all ways, since an intruder has to settle for one without knowing which is
    right for whom.
    """
    files = link_files(pair, Way.direction, Way.standardise)
    if isinstance(files, str):
        return files
    ways = ways_to_try(any(column.amounts for column in files.columns))
    if max(len(pair.rows_before), len(pair.rows_after)) > _EVERY_WAY_UP_TO:
        ways = _strongest(pair, limit, risk, ways)
    found = []
    for way in ways:
        rows, credit = _linked(pair, way)
        most = risk.copy()
        np.maximum.at(most, rows, credit)
        found.append(most)
    return found


def _strongest(pair: Pair, limit: float, risk: Floats, ways: tuple[Way, ...]) -> tuple[Way, ...]:
    """The ways that find most in a sample: above the limit, and on average.

    Above the limit only where originals search: a sample of released records parts those that share a link.
    """
    of_row = np.full(pair.after.n, -1, dtype=np.int64)
    of_row[pair.rows_after] = np.arange(len(pair.rows_after))
    samples = {"original": Sample("searched", _TOLD_BY), "masked": Sample("searching", _TOLD_BY)}
    some = {direction: draw_pair(pair, sample).pair for direction, sample in samples.items()}
    above, mean = {}, {}
    for way in ways:
        part = some[way.direction]
        rows, credit = _linked(part, way)
        found = np.maximum(credit, risk[of_row[part.rows_after[rows]]])
        mean[way] = float(found.mean())
        if way.direction == "original":
            above[way] = float((found > limit).mean())
    return tuple({max(above, key=lambda way: above[way]): None, max(mean, key=lambda way: mean[way]): None})


def _linked(pair: Pair, way: Way) -> tuple[Ints, Floats]:
    """The protected rows in view that have an original, and the probability that the link of each is right."""
    files = link_files(pair, way.direction, way.standardise, scale=way.scale)
    if isinstance(files, str):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    return files.released_rows, files.credits(range(files.width))
