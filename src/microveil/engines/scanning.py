"""`scan`: files larger than memory, with what is known about their columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

import pyarrow as pa

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.data import frames
from microveil.data.mark import BLOCK
from microveil.data.microdata import Microdata
from microveil.data.schema import check_codes, check_names, looks_like_code
from microveil.engines.block_data import BlockData
from microveil.engines.files import BLOCK_ROWS, Files
from microveil.engines.first_look import FirstLook, ToAsk
from microveil.engines.known import Known
from microveil.engines.marking import Marked, mark_of_all
from microveil.engines.source_files import files_named
from microveil.engines.spark_frames import files_of_frame, is_spark_frame
from microveil.engines.spark_workers import tasks_of
from microveil.engines.workers import HERE, HasWorkers, Threads, Workers
from microveil.hierarchy.stated import AnyHierarchy

if TYPE_CHECKING:
    from microveil.engines.pair_of_files import PairOfFiles

_LOOKED_AT = 2_000  # records that tell before all are looked at what units are likely to be


class SparkFrame(Protocol):
    """A DataFrame of Spark, which need not be installed."""

    def mapInArrow(self, func: Any, schema: Any) -> Any:
        """What a function makes of its records."""


def scan(
    path: str | os.PathLike[str] | SparkFrame,
    *,
    roles: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    levels: Mapping[str, Sequence[Cell]] | None = None,
    hierarchies: Mapping[str, AnyHierarchy] | None = None,
    missing: Mapping[str, Sequence[Cell]] | Sequence[Cell] | None = None,
    integers: str = "round",
    edits: Sequence[str] | None = None,
    threads: int = 1,
    engine: HasWorkers | Literal["blocks", "spark"] | None = None,
    folder: str | os.PathLike[str] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Scan:
    """Files of records that need not fit into memory: what their columns are, and where their records stand.

    `path` is a Parquet, Feather or CSV file, or a pattern of several (`survey/*.parquet`), whose records stand in the
    order of the names. `roles`, `kinds`, `levels`, `hierarchies`, `missing`, `integers` and `edits` are those of
    `mv.read`. The records are looked at in blocks, by `threads` at a time or by the tasks of Spark (`engine="spark"` or
    a `SparkEngine`), and none is kept; `plan.run(source, engine="blocks", into=...)` protects them so.

    `path` may be a Spark DataFrame too, and Spark looks at it then. If it is nothing but a read of Parquet files, these
    are scanned. Otherwise its records are written as Parquet once, in the order in which Spark gives them, into a
    hidden folder inside `folder`, which all of Spark's machines must see (on one machine the folder for temporary
    files); it is removed when the scan is no longer used, or the process ends.

    CSV files are converted to Parquet once in the same way, with the cells and types that `mv.read` gives, some rows at
    a time; `delimiter`, `decimal` and `encoding` are those of `mv.read`. Types are decided over all files together.
    """
    stated = {
        "roles": roles,
        "kinds": kinds,
        "levels": levels,
        "hierarchies": hierarchies,
        "missing": missing,
        "integers": integers,
        "edits": edits,
    }
    how = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding}
    if is_spark_frame(path):
        odd = [name for name, value in how.items() if value is not None]
        if odd:
            raise BadInput(f"{odd[0]} is for CSV files; leave it out for a frame of Spark")
        files = files_of_frame(path, folder)
    else:
        elsewhere = engine is not None and engine != "blocks" and getattr(engine, "name", "spark") != "blocks"
        files = files_named(Path(cast("str | os.PathLike[str]", path)), how, stated, folder, elsewhere, scan)
    with _working(engine, threads, path) as workers:
        found = Scan(files, stated, workers)
        # others may be gone afterwards: the fingerprint is found while they are there
        return found if isinstance(workers, Threads) else found.marked().worked_by(HERE)


def _working(engine: object, threads: int, path: object) -> AbstractContextManager[Workers]:
    by_spark = engine == "spark" or (engine is None and is_spark_frame(path))
    if engine == "blocks" or (engine is None and not by_spark):
        return nullcontext(Threads(threads))
    if threads != 1:
        raise BadInput("threads look at records with engine='blocks'; leave them out with another engine")
    if by_spark:
        return tasks_of(getattr(path, "sparkSession", None))
    if not isinstance(engine, HasWorkers):
        raise BadInput(f"engine is {engine!r}; give 'blocks', 'spark' or a SparkEngine")
    return engine.working()


class Scan:
    """Files in blocks, with roles, kinds and all else that `Microdata` knows about columns."""

    def __init__(self, files: Files, stated: Stated, workers: Workers = HERE, look: FirstLook | None = None) -> None:
        self.files, self._workers = files, workers
        self._stated = {**stated, "missing": _missing_of_each(files, stated["missing"])}
        for what in ("roles", "kinds", "levels", "hierarchies"):
            check_names(dict(self._stated[what] or {}), files.schema.names, what)
        self._look = self._take_first_look() if look is None else look
        self._facts = self._find_facts()
        self.known = Known(files, self._facts.schema, workers, self._look.units)
        self._set_hierarchies()

    # -- facts -----------------------------------------------------------------------------------

    def _take_first_look(self) -> FirstLook:
        """What is asked of all records, in one pass; what columns hold is not known before it."""
        first = next(self.files.blocks(_LOOKED_AT)).table
        frame = frames.open_frame(first)
        series = {name: frame.get_column(name) for name in frame.columns}
        kinds, levels = self._stated["kinds"] or {}, self._stated["levels"] or {}
        amounts = [name for name, one in series.items() if name not in levels and frames.is_numeric(one)]
        asked = ToAsk.about(
            first,
            self.files.rows,
            frozenset(
                name for name in series if kinds.get(name, "continuous" if name in amounts else "") == "continuous"
            ),
            frozenset(name for name, role in (self._stated["roles"] or {}).items() if role == "weight"),
            frozenset(name for name in amounts if series[name].dtype.is_integer() and name not in kinds),
            self._stated["missing"],
        )
        return self._workers.gather(self.files, BLOCK, None, asked.of)

    def _find_facts(self) -> Microdata:
        """Microdata of the first records, with the kinds of all: what is stated is checked by them."""
        stated = {name: value for name, value in self._stated.items() if name != "hierarchies"}
        first = next(self.files.blocks(1)).table
        kinds = {**self._inferred_kinds(frames.open_frame(first)), **(self._stated["kinds"] or {})}
        facts = Microdata(
            first,
            **{**stated, "kinds": kinds},
            codebook=self.files.codebook,
        )
        declared = set(self._stated["kinds"] or {})
        facts._schema = {name: replace(one, declared=name in declared) for name, one in facts._schema.items()}
        amounts = [name for name, column in facts.schema.items() if column.kind == "continuous"]
        self._look.refuse(amounts, facts.names("weight"))
        return facts

    def _inferred_kinds(self, first: frames.Frame) -> dict[str, str]:
        """The kinds of columns as `Microdata` infers them."""
        levels, kinds = self._stated["levels"] or {}, {}
        for name in first.columns:
            amounts = frames.is_numeric(first.get_column(name))
            kinds[name] = "ordinal" if name in levels else "continuous" if amounts else "nominal"
            whole = self._look.columns.parts[name].whole
            if whole is not None and whole.long:
                kinds[name] = "nominal"
            elif whole is not None and looks_like_code(len(whole.few), self.files.rows):
                kinds[name] = "ordinal"
        return kinds

    def _set_hierarchies(self) -> None:
        stated = self._stated["hierarchies"] or {}
        self.known.find_levels(stated)
        block = BlockData.of_table(self._facts, self.known, "", self._facts.frame)
        self._facts._set_hierarchies({name: block._paths(name, one) for name, one in stated.items()})

    # -- reading ---------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of records."""
        return self.files.rows

    def __len__(self) -> int:
        return self.n

    @property
    def facts(self) -> Microdata:
        """What is known about the columns, with the first record alone."""
        return self._facts

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return self._facts.columns

    @property
    def roles(self) -> Mapping[str, str]:
        """Role of each column."""
        return self._facts.roles

    @property
    def kinds(self) -> Mapping[str, str]:
        """Kind of each column."""
        return self._facts.kinds

    @property
    def integers(self) -> str:
        """What happens to whole-number columns that a method changes."""
        return self._facts.integers

    @property
    def mark(self) -> str:
        """The fingerprint of the data, that of the same records in memory."""
        return self._marked[0]

    @property
    def complete(self) -> frozenset[str]:
        """The columns in which nothing is missing."""
        return self._look.complete

    @property
    def ends(self) -> Mapping[str, tuple[float, float]]:
        """The smallest and the largest values of amounts of which none is missing."""
        return self._look.ends

    @property
    def wide(self) -> frozenset[str]:
        """The columns of which some values need more than a double or a microsecond."""
        return self._marked[1]

    @cached_property
    def _marked(self) -> tuple[str, frozenset[str]]:
        wide: frozenset[str] = frozenset()
        while True:
            found = self._marks(wide)
            needed = wide.union(*(one.wide for one in found))
            if needed == wide:
                return mark_of_all(self.n, found), wide
            wide = needed  # a later block needs a wider form than earlier ones were taken in

    def _marks(self, wide: frozenset[str]) -> list[Marked]:
        if not wide:
            return [self._look.marked[first] for first in sorted(self._look.marked)]
        return list(self._workers.each(self.files, BLOCK, None, lambda block: Marked.of(block.table, wide)))

    def blocks(self, rows: int = BLOCK_ROWS, names: Sequence[str] | None = None) -> Iterator[tuple[int, BlockData]]:
        """Microdata of so many records at a time, each with how many stand before them.

        `names`: the columns that are read, which are all that may be looked at; None: all.
        """
        for first, table in self.files.blocks(rows, names):
            yield first, self.block(table)

    def block(self, table: pa.Table) -> BlockData:
        """Some records as microdata."""
        return BlockData.of_table(self._facts, self.known, self.mark, table)

    def marked(self) -> Scan:
        """The same, with its fingerprint found now."""
        _ = self._marked
        return self

    def worked_by(self, workers: Workers) -> Scan:
        """The same files with what is known of them; whatever is to be known besides is found by others."""
        made = copy(self)
        made._workers, made.known = workers, self.known.found_by(workers)
        return made

    def stated_as(self, facts: Stated) -> Scan:
        """The same files with other facts stated, by the names of the arguments of `scan`."""
        now = {**self._stated, **facts}
        same = all((now[name] or None) == (self._stated[name] or None) for name in ("roles", "kinds", "levels"))
        same = same and _missing_of_each(self.files, now["missing"]) == self._stated["missing"]
        return Scan(self.files, now, self._workers, self._look if same else None)

    def in_blocks(self, protected: object = None, columns: Sequence[str] | None = None) -> PairOfFiles:
        """These files beside a release of them or other scanned files, or alone, for measures."""
        from microveil.engines.file_release import FileRelease, pair_with
        from microveil.engines.pair_of_files import PairOfFiles

        if isinstance(protected, FileRelease):
            return pair_with(self, protected, columns)
        if protected is not None and not isinstance(protected, Scan):
            raise BadInput(
                "the original is scanned, so that the protected file must be taken in blocks too; give the release "
                "that the plan returned, or scan its files"
            )
        return PairOfFiles.of(self, None if protected is None else protected.files, columns)

    def read(self) -> Microdata:
        """All records in memory."""
        return Microdata(self.files.whole(), **self._stated, codebook=self._facts.codebook)

    def __repr__(self) -> str:
        head = f"Scan: {self.n} records in {len(self.files.named)} file{'s' * (len(self.files.named) != 1)}"
        width = max(len(name) for name in self.columns)
        schema = self._facts.schema.items()
        return "\n".join([head, *(f"  {name:<{width}}  {one.role:<12}  {one.kind}" for name, one in schema)])


def _missing_of_each(files: Files, missing: Any) -> dict[str, Sequence[Cell]]:
    """The codes for missing of each column; words cannot stand in columns of numbers."""
    if missing is None:
        return {}
    if isinstance(missing, str) or not isinstance(missing, Mapping | Sequence):
        raise BadInput(f"missing is {missing!r}; give a list of codes, or a list for each column")
    names = files.schema.names
    if isinstance(missing, Mapping):
        check_names(dict(missing), names, "missing")
        stated = dict(missing)
    else:
        stated = {name: list(missing) for name in names}
    for name, codes in stated.items():
        check_codes(name, codes)
    numeric = {name for name in names if _is_number(files.schema.field(name).type)}
    usable = {
        name: [code for code in codes if not (isinstance(code, str) and name in numeric)]
        for name, codes in stated.items()
    }
    return {name: codes for name, codes in usable.items() if codes}


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
