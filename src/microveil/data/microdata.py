"""Microdata: a frame whose columns have roles and kinds, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import narwhals as nw
import numpy as np

from microveil.core.arrays import Floats, Ints, SmallInts
from microveil.core.edits import Edit, parse_edits
from microveil.core.errors import BadInput, MicroveilError
from microveil.core.open_types import Cell, Hierarchy, Stated
from microveil.core.parameters import suggest
from microveil.data import frames
from microveil.data.codebook import Codebook
from microveil.data.days import UNCLEAR, days_of_levels, form_of_days, numbers_of_levels
from microveil.data.frames import AnyFrame
from microveil.data.inferring import infer_kind
from microveil.data.schema import (
    KINDS,
    ONCE,
    TECHNICAL_ROLES,
    Column,
    check_codes,
    check_levels,
    check_names,
)
from microveil.data.sdc_words import Names, SdcWords
from microveil.data.table import Table, Values
from microveil.data.units import observed_unit
from microveil.hierarchy.stated import AnyHierarchy, resolve

INTEGER_POLICIES = ("round", "keep exact")


class Microdata:
    """Records about people or enterprises with what is known about their columns.

    `frame` is a pandas or polars DataFrame or a pyarrow Table. Columns without a role have the role `other`, and
    `stated` names those whose role somebody stated; kinds are inferred where not given. `levels` is the order of
    ordinal values, `hierarchies` are mappings from values to their generalisations, files of such, or rules
    (`mv.hierarchy`), `missing` lists codes that stand for a missing value. `integers` says what happens to
    whole-number columns that a method changes: "round" gives whole numbers back, "keep exact" gives unrounded
    numbers. `codebook` is what a file says beside its values; `read` gives it. `edits` are linear rules that every
    record satisfies, such as "income >= 0" or "total == a + b"; what becomes of them is said of every release.

    >>> import pyarrow as pa
    >>> data = Microdata(pa.table({"age": [31, 44], "income": [2100.0, 3050.5]}), roles={"age": "key"})
    >>> data.roles["age"], data.kinds["income"]
    ('key', 'continuous')
    """

    def __init__(
        self,
        frame: AnyFrame,
        roles: Mapping[str, str] | None = None,
        kinds: Mapping[str, str] | None = None,
        levels: Mapping[str, Sequence[Cell]] | None = None,
        hierarchies: Mapping[str, AnyHierarchy] | None = None,
        missing: Mapping[str, Sequence[Cell]] | None = None,
        integers: str = "round",
        codebook: Codebook | None = None,
        edits: Sequence[str] | None = None,
    ) -> None:
        if isinstance(frame, Microdata):
            raise BadInput("these are Microdata already; use with_(roles=...) to change what is known about them")
        if integers not in INTEGER_POLICIES:
            raise BadInput(f"integers={integers!r} is not one of {list(INTEGER_POLICIES)}")
        self._frame = frames.open_frame(frame)
        self.integers = integers
        self._codebook = codebook
        known = list(self._frame.columns)
        for what, given in {
            "roles": roles,
            "kinds": kinds,
            "levels": levels,
            "hierarchies": hierarchies,
            "missing": missing,
        }.items():
            check_names(dict(given or {}), known, what)
        self._schema: dict[str, Column] = {
            name: self._column(
                name,
                (roles or {}).get(name),
                (kinds or {}).get(name),
                (levels or {}).get(name),
                (missing or {}).get(name, ()),
            )
            for name in known
        }
        self._roles = {name: column.role for name, column in self._schema.items()}
        self._kinds = {name: column.kind for name, column in self._schema.items()}
        self._cache: dict[str, Values] = {}
        self._encoded: dict[str, frames.Encoded] = {}
        self._units: dict[str, int | None] = {}
        self._spreads: dict[str, float] = {}
        self._codes: dict[str, SmallInts] = {}
        self._day_forms: dict[str, str] = {}
        self._set_hierarchies({name: self._paths(name, stated) for name, stated in (hierarchies or {}).items()})
        self._check()
        self.edits = self._read_edits(edits or ())

    # -- making ----------------------------------------------------------------------------------

    @classmethod
    def of(cls, data: Microdata | AnyFrame) -> Microdata:
        """Microdata from a frame, or unchanged."""
        return data if isinstance(data, Microdata) else cls(data)

    @classmethod
    def from_sdc(
        cls,
        frame: AnyFrame,
        keyVars: Names,
        numVars: Names = None,
        weightVar: str | None = None,
        hhId: str | None = None,
        strataVar: Names = None,
        excludeVars: Names = None,
    ) -> Microdata:
        """Microdata in the words of sdcMicro's `createSdcObj`: each becomes the role of a column.

        Keys that are stored as numbers are categories in order, as there; `numVars` are amounts.

        >>> import pyarrow as pa
        >>> people = pa.table({"sex": [1, 2], "income": [2100, 3050], "w": [10.0, 12.5]})
        >>> Microdata.from_sdc(people, keyVars=["sex"], numVars=["income"], weightVar="w").roles["income"]
        'confidential'
        """
        words = SdcWords.of(keyVars, numVars, weightVar, hhId, strataVar, excludeVars)
        data = cls(frame, roles=words.roles, kinds=words.kinds)
        return data.with_(kinds=dict.fromkeys(data.names("key", kind="continuous"), "ordinal"))

    def with_(self, frame: AnyFrame | None = None, **changes: Stated | str | Sequence[str]) -> Microdata:
        """The same data with another frame or with some facts stated differently."""
        facts: dict[str, Any] = {
            "roles": {name: column.role for name, column in self._schema.items() if column.stated},
            # values of another frame must not change what a column is taken for
            "kinds": {
                name: column.kind for name, column in self._schema.items() if column.declared or frame is not None
            },
            "levels": {name: column.levels for name, column in self._schema.items() if column.levels is not None},
            "hierarchies": {},
            "missing": {name: column.missing for name, column in self._schema.items() if column.missing},
        }
        for what, new in changes.items():
            if what in ("integers", "edits"):
                continue
            if what not in facts:
                raise BadInput(f"with_ has no argument {what!r}{suggest(what, facts)}")
            # None takes a fact back
            facts[what] = {
                name: fact for name, fact in {**facts[what], **cast("Stated", new)}.items() if fact is not None
            }
        native = self.frame if frame is None else frame
        if frame is not None:
            present = set(frames.open_frame(frame).columns)
            facts = {
                what: {name: fact for name, fact in given.items() if name in present} for what, given in facts.items()
            }
        # what was stated of the columns held for this frame; another may hold coarser values by now
        kept = {
            name: column.hierarchy
            for name, column in self._schema.items()
            if column.hierarchy and name not in cast("Stated", changes.get("hierarchies", {}))
        }
        integers = cast("str", changes.get("integers", self.integers))
        kept_rules = () if "edits" in changes else self._edits_on(frame, facts["kinds"])
        rules = [str(edit) for edit in kept_rules if not self.is_of_days(edit)]
        stated = cast("Sequence[str]", changes.get("edits", rules))
        made = Microdata(native, integers=integers, codebook=self._codebook, edits=stated, **facts)
        if len(kept_rules) > len(rules):
            # dates are read as in the whole file: some of them alone may not tell whether the day or the month is first
            made._day_forms, made.edits = dict(self._day_forms), tuple(kept_rules)
        made._set_hierarchies({name: paths for name, paths in kept.items() if name in made._schema})
        return made

    def _edits_on(self, frame: AnyFrame | None, kinds: Stated) -> Sequence[Edit]:
        """The rules; on another frame those of which all columns are there, as amounts and dates, not recoded."""
        if frame is None:
            return self.edits
        opened = frames.open_frame(frame)
        amounts = {name for name in opened.columns if kinds.get(name, "continuous") == "continuous"}
        kept = []
        for edit in self.edits:
            if self.is_of_days(edit):
                there = set(edit.columns) <= set(opened.columns)
                series = [(opened.get_column(name), name) for name in edit.columns] if there else []
                read = there and all(self.read_for_rules(*one) is not None for one in series)
            else:
                read = amounts.issuperset(edit.columns)
            kept += [edit] if read else []
        return kept

    def _read_edits(self, texts: Sequence[str]) -> tuple[Edit, ...]:
        rules = parse_edits(texts)
        for edit in rules:
            check_names(dict.fromkeys(edit.columns), list(self._schema), f"the edit {str(edit)!r}")
            others = [name for name in edit.columns if self._kinds[name] != "continuous"]
            self._day_forms |= {name: form_of_days(self.encoded(name).levels) for name in others}
            dates = [name for name in others if self._day_forms[name]]
            for name in others:
                self._check_in_rule(edit, name, dates)
        return rules

    def _check_in_rule(self, edit: Edit, name: str, dates: Sequence[str]) -> None:
        """Refuse a column that is no amount in a rule, unless the rule is about dates."""
        named = f"the edit {str(edit)!r} is about {name!r}, which"
        if self._day_forms[name] == UNCLEAR:
            raise BadInput(
                f"{named} holds dates that may be read with the day or with the month first; write them as 2025-12-31"
            )
        if not dates:
            raise BadInput(
                f"{named} is {self._kinds[name]}; rules are about amounts and dates: leave it out, or state the kind "
                "continuous"
            )
        if self.read_for_rules(self._frame.get_column(name), name) is None:
            raise BadInput(
                f"{named} holds values that are neither numbers nor dates of one form; leave it out, or write dates as "
                "2025-12-31"
            )

    @property
    def edits_of_amounts(self) -> tuple[Edit, ...]:
        """The rules about amounts alone, which methods may keep by what they draw; others are about dates."""
        return tuple(edit for edit in self.edits if not self.is_of_days(edit))

    def is_of_days(self, edit: Edit) -> bool:
        """Whether a rule of these data is about dates: they count in days, other columns by their numbers."""
        return any(self._day_forms.get(name) for name in edit.columns)

    def read_for_rules(self, series: frames.Series, name: str) -> Floats | None:
        """The numbers that rules see in a column of this name, dates as days; None where it holds neither.

        The column may be one of a release: dates are read as they are written in these data.
        """
        column = self._schema[name]
        if frames.is_numeric(series) and column.kind == "continuous":
            return frames.numbers_to_read(series, name, column.missing)
        encoded = frames.encode(series, None, column.missing, name)
        form = self._day_forms.get(name) or form_of_days(encoded.levels)
        numbers = days_of_levels(encoded.levels, form) if form else numbers_of_levels(encoded.levels)
        return None if numbers is None else np.append(numbers, np.nan)[encoded.codes]

    def broken_edits(self) -> dict[Edit, Ints]:
        """For each rule that some records break, their positions."""
        names = {name for edit in self.edits for name in edit.columns}
        read = {name: self.read_for_rules(self._frame.get_column(name), name) for name in names}
        columns = {name: numbers for name, numbers in read.items() if numbers is not None}
        found = {edit: np.flatnonzero(edit.broken(columns)) for edit in self.edits}
        return {edit: rows for edit, rows in found.items() if len(rows)}

    def _column(
        self,
        name: str,
        role: str | None,
        kind: str | None,
        levels: Sequence[Cell] | None,
        missing: Sequence[Cell],
    ) -> Column:
        check_codes(name, missing)
        check_levels(name, levels)
        codes = tuple(missing)
        series = self._frame.get_column(name)
        if series.dtype == nw.Unknown():
            frames.refuse_sparse(series, name)
        inferred = kind or infer_kind(series, levels, codes)
        return Column(
            "other" if role is None else role,
            inferred,
            None if levels is None else tuple(levels),
            missing=codes,
            declared=kind is not None,
            stated=role is not None,
        )

    def _paths(self, name: str, stated: AnyHierarchy) -> Hierarchy | None:
        """The hierarchy of a column by its values, each of which must have a path."""
        try:
            ordered = self._schema[name].levels is not None or frames.has_order(self._frame.get_column(name))
            what = f"the hierarchy of column {name!r}"
            return resolve(stated, lambda: self._levels_in_order(name), what, ordered=ordered)
        except MicroveilError as problem:
            problem.place = ("columns", name, "hierarchy", *problem.place)
            raise

    def _levels_in_order(self, name: str) -> Sequence[Cell]:
        """The different values of a column; all levels that were stated where there are such."""
        column = self._schema[name]
        return self.encoded(name).levels if column.levels is None else column.levels

    def _set_hierarchies(self, paths: Mapping[str, Hierarchy | None]) -> None:
        for name, hierarchy in paths.items():
            self._schema[name] = replace(self._schema[name], hierarchy=hierarchy)
            for kind in KINDS:
                self._cache.pop(f"{kind}:{name}", None)

    def _check(self) -> None:
        for role in ONCE:
            if len(self.names(role)) > 1:
                raise BadInput(
                    f"{len(self.names(role))} columns have the role {role!r} ({list(self.names(role))}); give it to one"
                )
        for name, column in self._schema.items():
            if column.kind == "continuous":
                self.values(name)
            says_its_order = column.kind != "ordinal" or column.levels is not None or not column.declared
            if not says_its_order and not frames.has_order(self._frame.get_column(name)):
                raise BadInput(f"column {name!r} is ordinal text; state the order with levels={{{name!r}: [...]}}")
        for name in self.names("weight"):
            series = self._frame.get_column(name)
            if not frames.is_numeric(series) or frames.has_long_numbers(series, ()):
                raise BadInput(f"the weights in {name!r} must all be positive numbers up to 2^53")
            weights = frames.raw_numbers(series)
            if np.isnan(weights).any() or (weights <= 0).any():
                raise BadInput(f"the weights in {name!r} must all be positive numbers without gaps")

    def seen_as(self, kinds: Mapping[str, str]) -> Microdata:
        """The same data with other kinds of some columns, unchecked: to choose among columns that were recoded."""
        other = {name: kind for name, kind in kinds.items() if kind != self._kinds[name]}
        if not other:
            return self
        seen = copy(self)
        seen._schema = {
            name: replace(column, kind=other[name], declared=True) if name in other else column
            for name, column in self._schema.items()
        }
        seen._kinds = {**self._kinds, **other}
        return seen

    # -- reading ---------------------------------------------------------------------------------

    @property
    def frame(self) -> AnyFrame:
        """The frame as the user gave it."""
        native: AnyFrame = self._frame.to_native()
        return native

    @property
    def narwhal(self) -> frames.Frame:
        """The frame behind the common interface."""
        return self._frame

    @property
    def n(self) -> int:
        """The number of records."""
        return int(self._frame.shape[0])

    def __len__(self) -> int:
        return self.n

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in order."""
        return tuple(self._schema)

    @property
    def schema(self) -> Mapping[str, Column]:
        """What is known about each column; read-only."""
        return MappingProxyType(self._schema)

    @property
    def codebook(self) -> Codebook | None:
        """What the file said beside its values, if the data were read from one."""
        return self._codebook

    @property
    def roles(self) -> Mapping[str, str]:
        """Role of each column; read-only."""
        return MappingProxyType(self._roles)

    @property
    def stated(self) -> frozenset[str]:
        """The columns whose role somebody stated; the others have the role `other` by default."""
        return frozenset(name for name, column in self._schema.items() if column.stated)

    @property
    def kinds(self) -> Mapping[str, str]:
        """Kind of each column; read-only."""
        return MappingProxyType(self._kinds)

    def names(self, *roles: str, kind: str | None = None) -> tuple[str, ...]:
        """The columns with one of these roles (any role but the technical ones if none is given) and of this kind."""
        return tuple(
            name
            for name, column in self._schema.items()
            if (column.role in roles if roles else column.role not in TECHNICAL_ROLES) and kind in (None, column.kind)
        )

    def values(self, name: str, kind: str | None = None) -> Values:
        """A column as an array, in its own kind or in the one asked for."""
        column = self._schema[name]
        wanted = kind or column.kind
        cached = f"{wanted}:{name}"
        if cached not in self._cache:
            series = self._frame.get_column(name)
            if wanted == "continuous":
                amounts = frames.continuous_values(series, name, column.missing)
                self._cache[cached] = replace(amounts, hierarchy=column.hierarchy) if column.hierarchy else amounts
            else:
                encoded = self.encoded(name)
                self._cache[cached] = Values(wanted, encoded.codes, encoded.levels, column.hierarchy)
        return self._cache[cached]

    @cached_property
    def mark(self) -> str:
        """The fingerprint of the data (private: who guesses the whole file can test the guess)."""
        from microveil.data.mark import mark_of

        return mark_of(self.narwhal)

    def unit(self, name: str) -> int | None:
        """The power of ten that the bulk of a column's amounts are multiples of; None with more than nine decimals."""
        if name not in self._units:
            self._units[name] = observed_unit(self.values(name, "continuous").numbers)
        return self._units[name]

    def spread(self, name: str) -> float:
        """The standard deviation (divisor n) of a column's amounts; infinite where there is none."""
        if name not in self._spreads:
            numbers = self.values(name, "continuous").numbers
            observed = numbers[~np.isnan(numbers)] if np.isnan(numbers.sum()) else numbers
            self._spreads[name] = float(observed.std()) if len(observed) else np.inf
        return self._spreads[name]

    def codes(self, name: str) -> SmallInts:
        """Numbers that tell the values of a column apart, -1 where missing: in no order, and found without sorting."""
        if name not in self._codes:
            self._codes[name] = frames.codes_of(self._frame.get_column(name), self._schema[name].missing)
        return self._codes[name]

    def encoded(self, name: str) -> frames.Encoded:
        """A column as codes with its levels."""
        if name not in self._encoded:
            column = self._schema[name]
            self._encoded[name] = frames.encode(self._frame.get_column(name), column.levels, column.missing, name)
        return self._encoded[name]

    def spelling(self, name: str) -> frames.Spelling:
        """Where the levels of a column of categories are spelt as in the data."""
        return frames.Spelling(self._frame.get_column(name), self.encoded(name).first_row, 0)

    def table(self, names: Sequence[str], kinds: Mapping[str, str] | None = None) -> Table:
        """Some columns as arrays."""
        return Table({name: self.values(name, (kinds or {}).get(name)) for name in names}, self.n)

    @property
    def weights(self) -> Floats | None:
        """The survey weights, if a column has that role."""
        named = self.names("weight")
        return frames.raw_numbers(self._frame.get_column(named[0])) if named else None

    @property
    def households(self) -> Ints | None:
        """The household of each record as a number, if a column has that role."""
        named = self.names("household")
        return self.encoded(named[0]).codes if named else None

    def domains(self, by: str | Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
        """Subdomain of each record and the subdomains' labels, from one or more columns."""
        names = [by] if isinstance(by, str) or not isinstance(by, Sequence) else list(by)
        check_names(names, list(self.columns), "by")
        if not names:
            raise BadInput("by names no column; give at least one, or leave it out")
        encodings = [self.encoded(name) for name in names]
        codes = np.stack([encoding.codes for encoding in encodings], axis=1)
        rows, labels = np.unique(codes, axis=0, return_inverse=True)
        texts = tuple(
            ", ".join(
                f"{name}={'missing' if code < 0 else encoding.levels[code]}"
                for name, encoding, code in zip(names, encodings, row, strict=True)
            )
            for row in rows.tolist()
        )
        return np.asarray(labels, dtype=np.int64).reshape(-1), texts

    # -- looking ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        read_as = str(self._codebook.read_as or "") if self._codebook is not None else ""
        known = "; ".join(filter(None, (f"integers: {self.integers}", read_as)))
        head = f"Microdata: {self.n} records, {len(self.columns)} columns ({known})"
        width = max(len(str(name)) for name in self.columns)
        lines = [f"  {name!s:<{width}}  {column.role:<12}  {column.kind}" for name, column in self._schema.items()]
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        from microveil.data.profile import profile

        return profile(self)


AnyData: TypeAlias = Microdata | AnyFrame
