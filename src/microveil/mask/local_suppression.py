"""Local suppression: single cells of the keys are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import BLANK, AgreeingRowsAtLeast, CellsUnchanged, Claim, EqualRowsAtLeast
from microveil.core.arrays import Bools, Codes, Floats, Ints
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import GIVEN, Example, OfColumns, Range, Safer, When
from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.kernels.suppression.pieces import Pieces
from microveil.mask.base import Mask
from microveil.mask.suppressed_records import Suppressed
from microveil.mask.suppression_advice import advice_on
from microveil.run.by_rows import ByCounts
from microveil.run.contract import Passes
from microveil.run.counted import count_rows
from microveil.run.method import Job, Outcome, Step, depends

Reading = Literal["own", "wildcard"]
KeySet = tuple[tuple[str, ...], int]


@dataclass(frozen=True, kw_only=True)
class LocalSuppression(ByCounts, Mask, name="local-suppression"):
    """Leave out as few cells of the keys as it takes until every combination of keys occurs at least k times.

    Use it after global recoding, when few unsafe combinations remain; k counts the record itself.
    `missing="own"` guarantees k whether a reader takes a missing cell for a value of its own or for any value;
    `wildcard` guarantees the second reading only and suppresses less. Several `key_sets` may each have a
    threshold; `subsets` asks for all combinations of so many keys. `cost` or `importance` say which cells to
    spare; `linked` columns lose their value with a key; `household_keys` are left out for the whole household.
    `by=` works in strata.
    """

    k: Annotated[int, Range(ge=2, grid=(2, 3)), Safer("twice"), "how often every combination of keys must occur"] = 3
    missing: Annotated[Reading, "reading of a missing cell under which k is guaranteed"] = "own"
    key_sets: Annotated[
        tuple[tuple[str, ...], ...] | None,
        OfColumns(),
        Example([["age", "sex"], ["region", "occupation"]]),
        "sets of keys to make safe; all keys together if none",
    ] = None
    thresholds: Annotated[
        tuple[int, ...] | None,
        Range(ge=2),
        When(key_sets=GIVEN),
        Example([5, 3], {"key_sets": [["age", "sex"], ["region", "occupation"]]}),
        "k of each set of keys instead of the common one",
    ] = None
    subsets: Annotated[
        tuple[tuple[int, int], ...] | None,
        Range(ge=1),
        When(key_sets=None),
        Example([[2, 5], [3, 3]]),
        "pairs (m, k): all combinations of m keys occur k times",
    ] = None
    cost: Annotated[
        Mapping[str, float] | None,
        Range(gt=0),
        OfColumns("keys"),
        Example({"age": 1, "region": 5}),
        "price of leaving out a cell, per column, else 1",
    ] = None
    importance: Annotated[
        tuple[str, ...] | None,
        When(cost=None),
        OfColumns(),
        Example(["region", "sex", "age"]),
        "keys in the order in which to spare them, instead of cost",
    ] = None
    linked: Annotated[
        Mapping[str, tuple[str, ...]] | None,
        OfColumns(),
        Example({"region": ["district"]}),
        "columns that lose their value with a key",
    ] = None
    household_keys: Annotated[
        tuple[str, ...], OfColumns(), Example(["region"]), "keys left out for all members of a household at once"
    ] = ()

    counts: ClassVar[bool] = depends(True, lambda mask: not mask.household_keys)
    passes: ClassVar[Passes] = depends("counts", lambda mask: "counts" if mask.counts else "file")
    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    random: ClassVar[bool] = False
    skips_missing: ClassVar[bool] = True
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    change: ClassVar[str] = BLANK
    spares: ClassVar[bool] = True
    coarsens: ClassVar[bool] = True
    attacks: ClassVar[tuple[str, ...]] = ("attribute-inference", "suppression-inference", "weight-inference")
    reference = "de Waal & Willenborg 1995, 1999; Templ, Kowarik & Meindl 2015"

    def validate(self) -> None:
        """Thresholds belong to sets; one way of stating prices."""
        if self.thresholds is not None and len(self.thresholds) != len(self.key_sets or ()):
            raise BadInput(
                f"{len(self.thresholds)} thresholds for {len(self.key_sets or ())} key_sets; give one for each"
            )

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """k on every set of keys; cells are the original's or missing."""
        claim = EqualRowsAtLeast if self.missing == "own" else AgreeingRowsAtLeast
        sets = self._key_sets(self._keys(columns))
        return (CellsUnchanged(gaps=True), *(claim(columns=names, k=k) for names, k in sets))

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The keys, and the columns linked to them."""
        chosen, given = super().resolve(data, step)
        self._refuse_passed_over(self.passes_over(data, step, chosen), data)
        extra = [name for names in (self.linked or {}).values() for name in names]
        check_names(extra, list(data.columns), "linked")
        both = [name for name in extra if name in chosen and step.columns is not None]
        if both:
            raise BadInput(f"{both} are keys and linked to keys; name each once")
        keys = {name: kind for name, kind in chosen.items() if name not in extra}
        return {**keys, **{name: data.kinds[name] for name in extra}}, given

    def learn(self, table: Table, job: Job) -> Suppressed:
        """Which cells the different rows of the keys lose, and which of their records where not all of them do."""
        keys = self._keys(table.names)
        self._refuse_few(keys, table.rows)
        file = count_rows(table, job, self.name, columns=keys)
        pieces, notes = self._found(file.table, keys, file.counts)
        return Suppressed.of(file.keys, pieces, notes, table, job)

    def act(self, table: Table, job: Job, known: Suppressed) -> Outcome:
        """Some records without the cells that they lose."""
        cells = known.cells(table.only(self._keys(table.names)), job)
        return Outcome(self._without(table, cells))

    def settle(self, found: Outcome, table: Table, job: Job, known: Suppressed) -> Outcome:
        """How many cells were suppressed, and what would spare many of them."""
        return replace(found, notes=known.notes)

    def run_whole(self, table: Table, job: Job) -> Outcome:
        """Suppress where cells are left out for whole households: these are of records."""
        keys = self._keys(table.names)
        self._refuse_few(keys, table.rows)
        if job.households is None:
            raise BadInput("household_keys need a column of the role 'household'")
        pieces, notes = self._found(table, keys, np.ones(table.rows, dtype=np.int64), job.households)
        return Outcome(self._without(table, pieces.cells), notes=notes)

    def _refuse_few(self, keys: tuple[str, ...], records: int) -> None:
        most = max(k for _, k in self._key_sets(keys))
        if records < most:
            raise NotEnoughRecords(f"{self.name} needs at least k={most} records: {records} given")

    def _found(
        self, table: Table, keys: tuple[str, ...], times: Ints, households: Codes | None = None
    ) -> tuple[Pieces, tuple[str, ...]]:
        """What rows of which so many records have each lose, and what is told of it."""
        codes, together = table.codes(keys), self._household_columns(keys)
        sets = [([keys.index(name) for name in names], k) for names, k in self._key_sets(keys)]

        def suppress(of: Codes) -> Pieces:
            return suppress_cells(of, sets, self._costs(keys), self.missing, households, together, times)

        pieces = suppress(codes)
        lost = pieces.lost.tolist()
        counts = ", ".join(f"{name} {number}" for name, number in zip(keys, lost, strict=True) if number)
        note = f"{counted(sum(lost), 'cell')} suppressed ({counts})" if counts else "no cell had to be suppressed"
        return pieces, (note, *advice_on(table, keys, max(k for _, k in sets), pieces, suppress, times))

    def _without(self, table: Table, cells: Bools) -> dict[str, Values]:
        """The columns without these cells of the keys, nor those linked to them."""
        keys = self._keys(table.names)
        columns = {
            name: table[name].with_data(np.where(cells[:, j], -1, table[name].data)) for j, name in enumerate(keys)
        }
        for key, names in (self.linked or {}).items():
            gone = cells[:, keys.index(key)]
            for name in names:
                blank = np.nan if table[name].levels is None else -1
                columns[name] = table[name].with_data(np.where(gone, blank, table[name].data))
        return {name: columns[name] for name in table.names}

    # -- what the parameters mean for these keys -------------------------------------------------

    def _keys(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        linked = {name for names in (self.linked or {}).values() for name in names}
        return tuple(name for name in columns if name not in linked)

    def _key_sets(self, keys: tuple[str, ...]) -> list[KeySet]:
        if self.key_sets is not None:
            self._refuse_unknown("key_sets", [name for names in self.key_sets for name in names], keys)
            return list(zip(self.key_sets, self.thresholds or (self.k,) * len(self.key_sets), strict=True))
        if self.subsets is not None:
            too_many = [m for m, _ in self.subsets if m > len(keys)]
            if too_many:
                raise BadInput(f"subsets asks for combinations of {too_many[0]} keys; there are {len(keys)}")
            return [(names, k) for m, k in self.subsets for names in combinations(keys, m)]
        return [(keys, self.k)]

    def _costs(self, keys: tuple[str, ...]) -> Floats:
        if self.importance is not None:
            self._refuse_unknown("importance", list(self.importance), keys)
            rank = {name: len(self.importance) - i for i, name in enumerate(self.importance)}
            return np.array([float(1 + rank.get(name, 0)) for name in keys])
        self._refuse_unknown("cost", list(self.cost or ()), keys)
        return np.array([float((self.cost or {}).get(name, 1.0)) for name in keys])

    def _refuse_passed_over(self, names: tuple[str, ...], data: Microdata) -> None:
        """A key that a parameter names and whose kind cannot be suppressed is an error that says why."""
        said = {
            "key_sets": [name for names in self.key_sets or () for name in names],
            "importance": self.importance or (),
            "cost": self.cost or (),
            "household_keys": self.household_keys,
            "linked": self.linked or (),
        }
        for what, named in said.items():
            for name in named:
                if name in names:
                    raise BadInput(
                        f"{what} names {name!r}, which is {data.kinds[name]}, and {self.name} acts on ordinal and "
                        "nominal keys; recode it, or state its kind as ordinal or nominal"
                    )

    def _household_columns(self, keys: tuple[str, ...]) -> list[int]:
        self._refuse_unknown("household_keys", list(self.household_keys), keys)
        self._refuse_unknown("linked", list(self.linked or ()), keys)
        return [keys.index(name) for name in self.household_keys]

    @staticmethod
    def _refuse_unknown(what: str, names: list[str], keys: tuple[str, ...]) -> None:
        for name in names:
            if name not in keys:
                raise BadInput(f"{what} names {name!r}, not among the keys {list(keys)}")


def suppress_cells(
    codes: Codes,
    sets: list[tuple[list[int], int]],
    cost: Floats,
    missing: Reading,
    households: Codes | None = None,
    together: list[int] | None = None,
    times: Ints | None = None,
) -> Pieces:
    """The cells to leave out so that every set of key columns is safe in the reading asked for.

    `times` says how many records have each row; with households each row is one record.
    """
    from microveil.kernels.suppression.own import suppress_own
    from microveil.kernels.suppression.wildcard import suppress_wildcard
    from microveil.kernels.tables.sizes import class_sizes

    suppress = suppress_own if missing == "own" else suppress_wildcard
    pieces = Pieces.whole(codes.shape, times)
    unsafe = True
    while unsafe:  # cells only ever go: this ends
        unsafe = False
        for columns, k in sets:
            current = np.ascontiguousarray(pieces.blanked(codes)[:, columns])
            if class_sizes(current, missing, records=pieces.times)[0].min() < k:
                pieces = pieces.then(suppress(current, k, cost[columns], pieces.times), columns)
                unsafe = True
        if households is not None and together:
            spread = _whole_households(pieces.cells, households, together)
            unsafe |= bool((spread != pieces.cells).any())
            pieces = pieces._replace(cells=spread)
    return pieces._replace(cells=pieces.cells & (codes[pieces.of] >= 0))


def _whole_households(cells: Bools, households: Codes, together: list[int]) -> Bools:
    out = cells.copy()
    known = households >= 0  # records without a household stand for themselves
    for j in together:
        hit = np.zeros(int(households.max(initial=0)) + 1, dtype=np.bool_)
        hit[households[known & cells[:, j]]] = True
        out[known, j] |= hit[households[known]]
    return out
