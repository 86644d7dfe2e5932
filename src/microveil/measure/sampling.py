"""Some records of a large file in place of all, where a figure from all would take long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microveil.core.arrays import Floats, Ints, Words
from microveil.core.streams import Key, Streams
from microveil.measure.classes import keys_made_coarser
from microveil.measure.pair import Pair

PARTS = 4


@dataclass(frozen=True)
class Sample:
    """How a measure that takes long can be told from about `most` records of a large file.

    `of` "records": records of both files. "searched": originals that are looked for in the whole protected file, so
    that each hides among as many records as it really does. "households": whole households of these. "searching":
    protected records that look for their own in the whole original. "keys": all records with some of the combinations
    of keys, so that records keep everyone they share their keys with; of the original alone where keys were made
    coarser.
    """

    of: Literal["records", "searched", "households", "searching", "keys"]
    most: int

    def applies(self, pair: Pair) -> bool:
        """Whether the pair has so many records that a sample saves work, and can be drawn."""
        if self.of in ("searched", "households", "searching"):
            rows = pair.rows_after if self.of == "searching" else pair.rows_before
            return pair.link is not None and len(rows) > self.most
        return max(len(pair.rows_before), len(pair.rows_after)) > 2 * self.most


@dataclass(frozen=True)
class Drawn:
    """A sample of a pair, and the same in words; its parts are samples too, none where the release stays whole."""

    pair: Pair
    parts: tuple[Pair, ...]
    said: str


def draw_pair(pair: Pair, sample: Sample, keys: Sequence[str] = ()) -> Drawn:
    """The sample of a pair; the same one whenever the same is asked."""
    if sample.of == "searching":
        found = with_some_searching(pair, sample.most)
        said = f"{len(found.rows_after):,} of {pair.after.n:,} protected records looked for their originals among all"
        return Drawn(found, (), said)
    if sample.of in ("searched", "households"):
        some = with_some_searched if sample.of == "searched" else with_some_households
        found = some(pair, sample.most)
        said = f"{len(found.rows_before):,} of {pair.before.n:,} originals were searched for in the whole file"
        return Drawn(found, (), said)
    if sample.of == "keys":
        return _by_keys(pair, sample.most, keys)
    before, after = _some_records(pair, sample.most)
    parts = tuple(pair.domain(before[i::PARTS], after[i::PARTS]) for i in range(PARTS))
    said = f"measured on a random sample of {len(before):,} of {pair.before.n:,} records"
    return Drawn(pair.domain(before, after), parts, said)


def drawn_rows(rows: Ints, most: int, purpose: str) -> Ints:
    """At most this many of the rows, in their order; the same ones whenever the same is asked."""
    if len(rows) <= most:
        return rows
    generator = _streams(purpose).generator()
    return np.asarray(rows[np.sort(generator.choice(len(rows), most, replace=False))], dtype=np.int64)


def with_some_searched(pair: Pair, most: int) -> Pair:
    """The pair with at most this many originals in view, all of which have a protected record to be found.

    The protected file stays whole, so that each original hides among as many records as it really does.
    """
    if pair.link is None or len(pair.rows_before) <= most:
        return pair
    linked = pair.link[pair.rows_after]
    found = np.zeros(pair.before.n, dtype=np.bool_)
    found[linked[linked >= 0]] = True
    searched = pair.rows_before[found[pair.rows_before]]
    return pair.domain(drawn_rows(searched, most, "searched originals"), pair.rows_after)


def with_some_households(pair: Pair, most: int) -> Pair:
    """The pair with whole households of the original in view, of about this many records in all."""
    homes = pair.before.households
    if homes is None or len(pair.rows_before) <= most:
        return with_some_searched(pair, most)
    # a record without a household is one of its own
    labels = np.where(homes >= 0, homes, homes.max(initial=-1) + 1 + np.arange(len(homes)))[pair.rows_before]
    there = np.unique(labels)
    chosen = drawn_rows(there, round(most * len(there) / len(labels)), "searched households")
    return pair.domain(pair.rows_before[np.isin(labels, chosen)], pair.rows_after)


def with_some_searching(pair: Pair, most: int) -> Pair:
    """The pair with at most this many protected records in view, all of which have an original; that stays whole."""
    if pair.link is None or len(pair.rows_after) <= most:
        return pair
    there = np.zeros(pair.before.n + 1, dtype=np.bool_)
    there[pair.rows_before] = True
    searching = pair.rows_after[there[pair.link[pair.rows_after]]]
    return pair.domain(pair.rows_before, drawn_rows(searching, most, "searching records"))


def _some_records(pair: Pair, most: int) -> tuple[Ints, Ints]:
    """Rows of both files: those of the same people where that is known, so that what is kept looks kept."""
    after = drawn_rows(pair.rows_after, most, "records")
    if pair.link is None or (pair.link[after] < 0).any():
        return drawn_rows(pair.rows_before, most, "original records"), after
    return pair.link[after], after


def _by_keys(pair: Pair, most: int, keys: Sequence[str]) -> Drawn:
    if keys_made_coarser(pair.only(keys)):
        return _by_raw_keys(pair, most, keys)
    of_before, of_after = (_places(table.matrix()) for table in pair.tables(keys))
    share = most / max(len(of_before), len(of_after))
    chosen = [np.flatnonzero(places < share) for places in (of_before, of_after)]
    parts = []
    for i in range(PARTS):
        low, high = share * i / PARTS, share * (i + 1) / PARTS
        rows = [np.flatnonzero((places >= low) & (places < high)) for places in (of_before, of_after)]
        parts.append(pair.domain(pair.rows_before[rows[0]], pair.rows_after[rows[1]]))
    said = (
        f"measured on all records with one in {1 / share:.0f} of the combinations of keys: {len(chosen[0]):,} of "
        f"{pair.before.n:,}"
    )
    return Drawn(pair.domain(pair.rows_before[chosen[0]], pair.rows_after[chosen[1]]), tuple(parts), said)


def _by_raw_keys(pair: Pair, most: int, keys: Sequence[str]) -> Drawn:
    """Some combinations of raw keys beside the whole release: any of its classes may hold them."""
    places = _places(pair.tables(keys)[0].matrix())
    share = most / len(places)
    chosen = np.flatnonzero(places < share)
    said = (
        f"asked for all originals with one in {1 / share:.0f} of the combinations of keys: {len(chosen):,} of "
        f"{pair.before.n:,}, among all released records"
    )
    return Drawn(pair.domain(pair.rows_before[chosen], pair.rows_after), (), said)


def _places(keys: Floats) -> Floats:
    """A number from [0, 1) for each row, the same for equal rows and as if drawn for others."""
    # + 0.0: there is one zero only
    words: Words = np.where(np.isnan(keys), -1.0, keys + 0.0).view(np.uint64)
    generator = _streams("combinations of keys").generator()
    drawn = generator.integers(0, 1 << 63, size=keys.shape[1], dtype=np.uint64)
    odd: Words = np.asarray(drawn * np.uint64(2) + np.uint64(1), dtype=np.uint64)
    mixed = np.zeros(len(keys), dtype=np.uint64)
    for j in range(keys.shape[1]):
        mixed = (mixed ^ words[:, j]) * odd[j]
        mixed ^= mixed >> np.uint64(29)
    return np.asarray((mixed >> np.uint64(11)) / float(1 << 53), dtype=np.float64)


def _streams(purpose: str) -> Streams:
    return Streams(Key.of(0)).at("sample of records", purpose)
