"""`scan`: files larger than memory, with what is known about their columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import numpy as np
import pyarrow as pa

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell, Stated
from microveil.data import frames
from microveil.data.canonical import canonical
from microveil.data.codebook import Codebook
from microveil.data.mark import BLOCK, digest_of, mark_of_blocks
from microveil.data.microdata import Microdata
from microveil.data.schema import check_codes, check_names, looks_like_code
from microveil.engines.block_data import BlockData
from microveil.engines.files import BLOCK_ROWS, Block, Files
from microveil.engines.known import Known
from microveil.engines.spark_frames import files_of_frame, is_spark_frame
from microveil.engines.spark_workers import tasks_of
from microveil.engines.workers import HERE, HasWorkers, Threads, Workers
from microveil.hierarchy.stated import AnyHierarchy
from microveil.kernels.summaries.together import Together

_FEW = 13  # one more than a column of codes has


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
) -> Scan:
    """Files of records that need not fit into memory: what their columns are, and where their records stand.

    `path` is a Parquet or Feather file, or a pattern of several (`survey/*.parquet`), whose records stand in the order
    of the names. `roles`, `kinds`, `levels`, `hierarchies`, `missing`, `integers` and `edits` are those of `mv.read`.
    The records are looked at in blocks, by `threads` at a time or by the tasks of Spark (`engine="spark"` or a
    `SparkEngine`), and none is kept; `plan.run(source, engine="blocks", into=...)` protects them so.

    `path` may be a Spark DataFrame too, and Spark looks at it then. If it is nothing but a read of Parquet files, these
    are scanned. Otherwise its records are written as Parquet once, in the order in which Spark gives them, into a
    hidden folder inside `folder`, which all of Spark's machines must see (on one machine the folder for temporary
    files); it is removed when the scan is no longer used, or the process ends.
    """
    if is_spark_frame(path):
        files = files_of_frame(path, folder)
    elif folder is not None:
        raise BadInput("folder is where the records of a Spark frame are kept meanwhile; leave it out for files")
    else:
        files = Files.of(Path(cast("str | os.PathLike[str]", path)))
    stated = {
        "roles": roles,
        "kinds": kinds,
        "levels": levels,
        "hierarchies": hierarchies,
        "missing": missing,
        "integers": integers,
        "edits": edits,
    }
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

    def __init__(self, files: Files, stated: Stated, workers: Workers = HERE) -> None:
        self.files, self._workers = files, workers
        self._stated = {**stated, "missing": _missing_of_each(files, stated["missing"])}
        self._facts = self._find_facts()
        self.known = Known(files, self._facts.schema, workers)
        self._set_hierarchies()

    # -- facts -----------------------------------------------------------------------------------

    def _find_facts(self) -> Microdata:
        """Microdata of the first records, with the kinds of all: what is stated is checked by them."""
        stated = {name: value for name, value in self._stated.items() if name != "hierarchies"}
        first = next(self.files.blocks(1)).table
        for what in ("roles", "kinds", "levels", "hierarchies"):
            check_names(dict(self._stated[what] or {}), first.column_names, what)
        kinds = {**self._inferred_kinds(), **(self._stated["kinds"] or {})}
        facts = Microdata(
            first,
            **{**stated, "kinds": kinds},
            codebook=Codebook(source=self.files.paths[0].resolve(), reading={}),
        )
        declared = set(self._stated["kinds"] or {})
        facts._schema = {name: replace(one, declared=name in declared) for name, one in facts._schema.items()}
        self._refuse_bad_values(facts)
        return facts

    def _inferred_kinds(self) -> dict[str, str]:
        """The kinds of columns as `Microdata` infers them, from one look at all whole numbers."""
        levels, missing = self._stated["levels"] or {}, self._stated["missing"]
        first = frames.open_frame(next(self.files.blocks(1)).table)
        series = {name: first.get_column(name) for name in first.columns}
        kinds = {
            name: "ordinal" if name in levels else "continuous" if frames.is_numeric(one) else "nominal"
            for name, one in series.items()
        }
        whole = [name for name, one in series.items() if one.dtype.is_integer() and name not in levels]
        wanted = [name for name in whole if name not in (self._stated["kinds"] or {})]
        if wanted:

            def look(block: Block) -> Together[str, _Whole]:
                frame = frames.open_frame(block.table)
                return Together({name: _Whole.of(frame.get_column(name), missing.get(name, ())) for name in wanted})

            found = self._workers.gather(self.files, BLOCK_ROWS, wanted, look).parts
            for name, one in found.items():
                if one.long:
                    kinds[name] = "nominal"
                elif looks_like_code(len(one.few), self.files.rows):
                    kinds[name] = "ordinal"
        return kinds

    def _refuse_bad_values(self, facts: Microdata) -> None:
        """What `Microdata` refuses of amounts and weights, looked for in all records."""
        amounts = [name for name, column in facts.schema.items() if column.kind == "continuous"]
        weights = [name for name in facts.names("weight") if name not in amounts]

        def look(block: Block) -> None:
            frame = frames.open_frame(block.table)
            for name in amounts:
                frames.continuous_values(frame.get_column(name), name, facts.schema[name].missing)
            for name in facts.names("weight"):
                numbers = frames.raw_numbers(frame.get_column(name))
                if np.isnan(numbers).any() or (numbers <= 0).any():
                    raise BadInput(f"the weights in {name!r} must all be positive numbers without gaps")

        if amounts or weights:
            for _ in self._workers.each(self.files, BLOCK_ROWS, [*amounts, *weights], look):
                pass

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
    def wide(self) -> frozenset[str]:
        """The columns of which some values need more than a double or a microsecond."""
        return self._marked[1]

    @cached_property
    def _marked(self) -> tuple[str, frozenset[str]]:
        wide: frozenset[str] = frozenset()
        while True:
            found = self._digests(wide)
            if found.wide == wide:
                return mark_of_blocks(self.n, found.kinds, found.digests), wide
            wide = found.wide  # a later block needs a wider form than earlier ones were taken in

    def _digests(self, wide: frozenset[str]) -> _Digests:
        names = self.files.schema.names

        def look(block: Block) -> tuple[dict[str, str], bytes]:
            forms = [canonical(block.table[name], name, name in wide) for name in names]
            return {name: form.kind for name, form in zip(names, forms, strict=True)}, digest_of(forms)

        kinds: dict[str, str] = {}
        digests, needed = [], set(wide)
        for own, digest in self._workers.each(self.files, BLOCK, None, look):
            kinds = kinds or own
            needed |= {name for name, kind in own.items() if kind == "long number" or kind.startswith("fine ")}
            digests.append(digest)
        return _Digests(kinds, digests, frozenset(needed))

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
        return Scan(self.files, {**self._stated, **facts}, self._workers)

    def read(self) -> Microdata:
        """All records in memory."""
        return Microdata(self.files.whole(), **self._stated, codebook=self._facts.codebook)

    def __repr__(self) -> str:
        head = f"Scan: {self.n} records in {len(self.files.paths)} file{'s' * (len(self.files.paths) != 1)}"
        width = max(len(name) for name in self.columns)
        schema = self._facts.schema.items()
        return "\n".join([head, *(f"  {name:<{width}}  {one.role:<12}  {one.kind}" for name, one in schema)])


@dataclass(frozen=True)
class _Digests:
    kinds: Mapping[str, str]
    digests: list[bytes]
    wide: frozenset[str]


@dataclass(frozen=True)
class _Whole:
    """A column of whole numbers: a few of its values, and whether some are too long for amounts."""

    few: frozenset[float]
    long: bool

    @classmethod
    def of(cls, series: frames.Series, missing: Sequence[Cell]) -> _Whole:
        numbers = frames.raw_numbers(series)
        absent = np.isnan(numbers) | np.isin(numbers, [code for code in missing if isinstance(code, int | float)])
        few = np.unique(numbers[~absent])[:_FEW]
        return cls(frozenset(few.tolist()), frames.has_long_numbers(series, tuple(missing)))

    def merge(self, other: _Whole) -> _Whole:
        return _Whole(frozenset(sorted(self.few | other.few)[:_FEW]), self.long or other.long)


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
