"""Two files as an intruder holds them: comparable numbers, and (for the measure only) who is who."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Bools, Floats, Ints, Words
from microveil.core.parameters import Grid
from microveil.data.table import Table, Values
from microveil.kernels.tables.classes import first_rows
from microveil.measure import Pair
from microveil.measure.codebooks import public_classes, tell_silent
from microveil.measure.in_blocks import Rescale
from microveil.risk.comparing import Compared, Side, compare_amounts, compare_classes, plain_side

if TYPE_CHECKING:
    from microveil.kernels.linkage.cells import Cells


Direction = Annotated[
    Literal["original", "masked"],
    Grid(("original", "masked")),
    "which file's records look for their nearest in the other: the original's or the masked one's",
]
Standardise = Annotated[
    Literal["own", "original"],
    Grid(("own", "original")),
    "each file by its own mean and standard deviation, or both by those of the original",
]
Scale = Annotated[
    Literal["values", "ranks"],
    Grid(("values", "ranks")),
    "compare amounts by their values, or by their ranks in the whole file: these outlast swapping and skewed noise",
]
Metric = Annotated[
    Literal["euclid", "mahalanobis", "manhattan"], Grid(("euclid", "mahalanobis", "manhattan")), "distance of records"
]

Gaps = Annotated[
    Literal["telling", "partial"],
    Grid(("telling", "partial")),
    "a gap in both files agrees and one in a single file costs what true pairs differ by; or records are compared by"
    " the attributes that both have, scaled up to all",
]

_RANK_TOLERANCE = 1e-12
_RANKS = 12**0.5  # ranks as shares of all records times this have a standard deviation of one, as values have


class EqualRecords(NamedTuple):
    """Classes of equal records: the class of each record, one record of each class, and how many it holds."""

    labels: Ints
    first: Ints
    counts: Ints


@dataclass(frozen=True)
class LinkedFiles:
    """Records that search, records that are searched, and the true pairs among them.

    `released_rows` is the protected row in view of each true pair. With `plain` all cells are numbers, with `partial`
    records are compared by the attributes that both have. `stands_for` says how many each record that is searched
    counts for; None: one.
    """

    columns: tuple[Compared, ...]
    original_searches: bool
    searching: Ints
    partner: Ints
    released_rows: Ints
    plain: bool = False
    partial: bool = False
    notes: tuple[str, ...] = ()
    stands_for: Ints | None = None

    @property
    def count(self) -> int:
        """How many records have a true partner."""
        from microveil.kernels.tables.classes import class_counts

        return len(class_counts([self.searching]))

    @property
    def chance(self) -> float:
        """Per cent of records that guessing links."""
        return 100.0 / len(self._sides(False)[0].low)

    @property
    def gap_notes(self) -> tuple[str, ...]:
        """How many records with gaps are among those linked, and what a gap means for a distance."""
        left, right = (self.searching, self.partner) if self.original_searches else (self.partner, self.searching)
        empty = np.zeros(len(left), dtype=np.bool_)
        for one in self.columns:
            empty |= one.original.gaps[left] | one.released.gaps[right]
        if not empty.any():
            return ()
        how = (
            "they are compared by the attributes that both records have, scaled up to all"
            if self.partial
            else "a gap in both files agrees, and one in a single file agrees with any value at some cost"
        )
        return (f"{int(empty.sum()):,} of {len(empty):,} records have gaps and are linked like all others: {how}",)

    @property
    def width(self) -> int:
        """How many attributes are compared."""
        return len(self.columns)

    def ties(self, subset: Sequence[int], metric: str = "euclid") -> tuple[Ints, Ints]:
        """For each distinct (query, partner) the number of records as near as the partner, and how often it occurs.

        0 where another record is nearer.
        """
        ties, _, multiplicity = self._ties(subset, metric)
        return ties, multiplicity

    def ties_of_pairs(self, subset: Sequence[int], metric: str = "euclid") -> Ints:
        """For each true pair the number of records as near as the partner; 0 where another record is nearer."""
        ties, which, _ = self._ties(subset, metric)
        return ties[which]

    def credits(self, subset: Sequence[int], metric: str = "euclid") -> Floats:
        """For each true pair the probability that the nearest record is the partner: 1/ties, or 0."""
        ties, which, _ = self._ties(subset, metric)
        found = np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0)[which]
        if self.original_searches:
            return found
        # equal released records find the same originals, and nobody knows whose each of them is
        alike = self.classes(True, subset)[0][self.searching]
        total, count = np.bincount(alike, weights=found), np.bincount(alike)
        return np.asarray(total[alike] / count[alike], dtype=np.float64)

    def cells(self, queries: bool, subset: Sequence[int], manhattan: bool, rows: Ints | None = None) -> Cells:
        """The records that search, or those that are searched, in some columns; all of them, or these rows."""
        from microveil.kernels.linkage.cells import Cells

        sides = [self._sides(queries)[j] for j in subset]
        if rows is not None:
            sides = [side.rows(rows) for side in sides]
        low = np.column_stack([side.low for side in sides])
        wide = any(side.high is not side.low for side in sides)
        high = np.column_stack([side.high for side in sides]) if wide else low
        sets = [side.sets for side in sides if side.sets is not None]
        words = [0 if side.sets is None else side.sets.shape[1] for side in sides]
        handicap = np.zeros(len(low))
        for j in subset:
            more = self.columns[j].handicap(manhattan, of_released=queries != self.original_searches)
            if more is not None:
                handicap = handicap + (more if rows is None else more[rows])
        return Cells(
            low,
            high,
            np.column_stack(sets) if sets else np.zeros((len(low), 0), dtype=np.uint64),
            np.concatenate([[0], np.cumsum(words)]).astype(np.int64),
            handicap,
            _gap_words([side.gaps for side in sides]) if self.partial else np.zeros((len(low), 0), dtype=np.uint64),
        )

    def steps(self, subset: Sequence[int]) -> Floats:
        """What disagreement in some columns adds to a distance, as kernels take it."""
        return np.array([[0.0, self.columns[j].step] for j in subset])

    def classes(self, queries: bool, subset: Sequence[int], rows: Ints | None = None) -> EqualRecords:
        """The classes of records that are equal in some columns.

        Classes stand in the order of their values, where these have one. With `rows` only these have a class.
        """
        from microveil.kernels.tables.classes import group_rows

        codes = [self._sides(queries)[j].codes for j in subset]
        if rows is not None:
            codes = [column[rows] for column in codes]
        labels, counts = group_rows(np.column_stack(codes))  # int32: half the memory
        first = first_rows(labels, len(counts))
        return EqualRecords(labels, first if rows is None else rows[first], counts)

    def in_question(self, subset: Sequence[int]) -> Ints | None:
        """The records searched that agree with one that searches where all else is out of the question; None: all.

        The others are never nearest, so that a few who search in a large file need not look at them.
        """
        from microveil.kernels.tables.classes import group_rows

        settled = [j for j in subset if self.columns[j].settled]
        asking, asked = (self._sides(queries) for queries in (True, False))
        who = np.unique(self.searching)
        if not settled or 2 * len(who) > len(asked[0].low):
            return None
        # one number for each true value, the same in both files
        values = [np.concatenate([asking[j].low[who], asked[j].low]).astype(np.int32) for j in settled]
        labels, counts = group_rows(np.column_stack(values))
        wanted = np.zeros(len(counts), dtype=np.bool_)
        wanted[labels[: len(who)]] = True
        return np.flatnonzero(wanted[labels[len(who) :]])

    def _sides(self, queries: bool) -> list[Side]:
        return [one.original if queries == self.original_searches else one.released for one in self.columns]

    def _ties(self, subset: Sequence[int], metric: str) -> tuple[Ints, Ints, Ints]:
        from microveil.kernels.linkage.cells import numbers
        from microveil.kernels.linkage.partners import tied_with_partner
        from microveil.kernels.tables.classes import count_up, group_rows

        manhattan = metric == "manhattan"
        rows = None if metric == "mahalanobis" else self.in_question(subset)
        labels, first, counts = self.classes(False, subset, rows)
        if self.stands_for is not None:
            counts = count_up(labels, self.stands_for if rows is None else self.stands_for[rows], len(counts))
        of_query, first_query, _ = self.classes(True, subset)
        partner = self.partner if rows is None else np.searchsorted(rows, self.partner)
        both = np.column_stack([of_query[self.searching], labels[partner]])
        which, multiplicity = group_rows(both)
        pairs = both[first_rows(which, len(multiplicity))]
        asked = self.cells(True, subset, manhattan, first_query[pairs[:, 0]])
        points = self.cells(False, subset, manhattan, first)
        steps = self.steps(subset)
        if metric == "mahalanobis":
            a, b = whiten_both(asked.low, multiplicity, points.low, counts)
            asked, points, steps = numbers(a), numbers(b), np.zeros((a.shape[1], 2))
        return tied_with_partner(asked, points, pairs[:, 1], counts, steps, manhattan), which, multiplicity


def link_files(
    pair: Pair,
    direction: str,
    standardise: str | None,
    plain: bool = False,
    scale: str = "values",
    partial: bool = False,
    by: Rescale | None = None,
) -> LinkedFiles | str:
    """The two files of a pair for linkage; or why nothing is left.

    `standardise` None leaves the values as they are; `scale` "ranks" compares ranks. `plain` compares numbers only,
    without incomplete records: for distances that need all columns at once. `partial` compares records by the
    attributes that both have. `by` brings amounts on the scale of files of which these are some records.
    """
    before, after = pair.own_tables(pair.columns)
    left, right = pair.linked_rows
    if all(values.missing.all() for values in (*before.columns.values(), *after.columns.values())):
        return "every record has a missing value"
    rescale = by or (None if standardise is None else _rescaling(pair, standardise, scale))
    if plain:
        return _plain_files(before, after, left, right, direction == "original", rescale)
    in_classes = {name: public_classes(pair, name) for name in pair.columns if _has_levels(before[name], after[name])}
    columns = tuple(
        compare_classes(in_classes[name], before[name].kind, left, right, rescale is not None, partial)
        if name in in_classes
        else _compare_numbers(name, before[name].numbers, after[name].numbers, left, right, rescale, partial)
        for name in pair.columns
    )
    sides = (left, right) if direction == "original" else (right, left)
    notes = tell_silent([name for name, classes in in_classes.items() if classes.silent])
    return LinkedFiles(columns, direction == "original", *sides, right, partial=partial, notes=notes)


def _has_levels(before: Values, after: Values) -> bool:
    return before.levels is not None or after.levels is not None


def _gap_words(gaps: list[Bools]) -> Words:
    """The gaps of each record as bits, 64 columns to a word."""
    words = np.zeros((len(gaps[0]), -(-len(gaps) // 64)), dtype=np.uint64)
    for j, gap in enumerate(gaps):
        words[gap, j // 64] |= np.uint64(1) << np.uint64(j % 64)
    return words


def _plain_files(
    before: Table, after: Table, left: Ints, right: Ints, original_searches: bool, rescale: Rescale | None
) -> LinkedFiles | str:
    keep_x, keep_y = ~before.incomplete, ~after.incomplete
    whole = np.asarray(keep_x[left] & keep_y[right])
    if not whole.any():
        return "every record has a missing value"
    notes: tuple[str, ...] = ()
    if not whole.all():
        notes = (f"{int((~whole).sum()):,} of {len(whole):,} records with missing values were left out",)
    columns = []
    for name in before.names:
        x, y = before[name].numbers[keep_x], after[name].numbers[keep_y]
        a, b = (x, y) if rescale is None else rescale(name, x, y)
        columns.append(Compared(plain_side(a), plain_side(b)))
    place_x, place_y = np.cumsum(keep_x) - 1, np.cumsum(keep_y) - 1
    sides = (place_x[left[whole]], place_y[right[whole]])
    sides = sides if original_searches else (sides[1], sides[0])
    return LinkedFiles(tuple(columns), original_searches, *sides, right[whole], plain=True, notes=notes)


def _compare_numbers(
    name: str, x: Floats, y: Floats, left: Ints, right: Ints, rescale: Rescale | None, partial: bool
) -> Compared:
    return compare_amounts(x, y, left, right, None if rescale is None else rescale(name, x, y), partial)


def _rescaling(pair: Pair, standardise: str, scale: str) -> Rescale:
    """How the amounts of a column of both files are brought into one scale."""

    def rescale(name: str, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        if scale == "ranks":
            # among all records: the ranks of some that are searched for would be off by more than records are apart
            every = pair.before.values(name).numbers
            others = every if standardise == "original" else pair.after.values(name, "continuous").numbers
            return _ranks(x, every), _ranks(y, others)
        centre, spread = _centre_and_scale(x)
        other = (centre, spread) if standardise == "original" else _centre_and_scale(y)
        return _scaled(x, centre, spread), _scaled(y, *other)

    return rescale


def _ranks(x: Floats, every: Floats) -> Floats:
    """Where values stand among all of a file; ties share their ranks."""
    ordered = np.sort(every[~np.isnan(every)])
    order = np.argsort(x)
    asked = x[order]  # by rising values they are found in one walk
    ranks = np.empty(len(x))
    ranks[order] = (np.searchsorted(ordered, asked, "left") + np.searchsorted(ordered, asked, "right")) / 2
    return np.where(np.isnan(x), np.nan, _RANKS * ranks / max(len(ordered), 1))


def _centre_and_scale(x: Floats) -> tuple[float, float]:
    from microveil.kernels.moments.scales import standardise

    observed = x[~np.isnan(x)]
    if not len(observed):
        return 0.0, 1.0
    # sorted first: sums of the same values in another order differ in the last bits
    found = standardise(np.sort(observed)[:, None])
    return float(found.centre[0]), float(found.scale[0])


def _scaled(x: Floats, centre: float, scale: float) -> Floats:
    return (x - centre) / scale if scale > 0 else x - centre


def whiten_both(A: Floats, a_counts: Ints, B: Floats, b_counts: Ints) -> tuple[Floats, Floats]:
    """Both files in coordinates in which Euclidean distance is Mahalanobis distance.

    The covariance is the sum of the two files' (Torra, Abowd & Domingo-Ferrer 2006, whose term for the
    unknown covariance between the files is zero), inverted on its range.
    """
    from microveil.kernels.moments.central import mean_and_covariance

    V = sum(mean_and_covariance(X, counts.astype(np.float64))[1] for X, counts in ((A, a_counts), (B, b_counts)))
    values, vectors = np.linalg.eigh(V)
    kept = values > len(values) * _RANK_TOLERANCE * max(values.max(), 0.0)
    if not kept.any():
        return np.zeros((len(A), 1)), np.zeros((len(B), 1))
    W = vectors[:, kept] / np.sqrt(values[kept])
    return A @ W, B @ W


def expected_links(ties: Ints, multiplicity: Ints) -> float:
    """Expected number of correct links; summed by number of ties, so the same for any order of the rows."""
    linked = ties > 0
    counts = np.bincount(ties[linked], weights=multiplicity[linked].astype(np.float64))
    return float((counts[1:] / np.arange(1, max(len(counts), 1))).sum())
