"""What a run asks of a method, and a step: a method with the columns it acts on.

The two know each other: a method chooses the columns of a step, and a step holds its method. `Method`
(`microveil.run.method`) adds `apply` on top, for which it needs the release; nothing here does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args

from microveil.claims import Claim
from microveil.claims.guarantee import GroupAnonymity
from microveil.core.arrays import Bools
from microveil.core.errors import BadInput, UnknownName
from microveil.core.open_types import Json, Stated
from microveil.core.parameters import suggest
from microveil.core.registry import Value
from microveil.data.frames import is_numeric
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.run.job import Job, Outcome

# What a method must know of the file before it can say what becomes of one record. "row": nothing but the record;
# "sums", "counts", "order": sums over records, counts of combinations, the order of a column: with these the order in
# which records stand does not matter, to the last bit. "blocks": records near it; "part": a random part
# of all records in one place; "file": all of them in one place.
Passes = Literal["row", "sums", "counts", "order", "blocks", "part", "file"]
Ties = Literal["none", "kept", "record"]
MissingPolicy = Literal["error", "drop", "mask"]
MISSING_POLICIES: tuple[str, ...] = get_args(MissingPolicy)

FIELDS = ("method", "columns", "given", "by", "missing")

T = TypeVar("T")


class _Depends:
    """A class attribute that parameters change: one value for the class, another for a member."""

    def __init__(self, of_class: Any, of_member: Callable[[Any], Any]) -> None:
        self.of_class, self.of_member = of_class, of_member

    def __get__(self, member: Any, owner: type) -> Any:
        return self.of_class if member is None else self.of_member(member)


def depends(of_class: T, of_member: Callable[[Any], T]) -> T:
    """A class attribute (whether something is drawn, which kinds fit, ...) that follows from the parameters."""
    return cast(T, _Depends(of_class, of_member))


@dataclass(frozen=True, kw_only=True)
class MethodContract(Value):
    """The hooks of a protection method. Everything around them is done once, in `microveil.run.state`."""

    called: ClassVar[str] = "method"
    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    passes: ClassVar[Passes] = "file"  # what it must know of the file to say what becomes of one record
    columns_apart: ClassVar[bool] = False  # whether nothing but a column's own values and chance decide about its cells
    # what else a user may set where it cannot be run on a file in blocks as it is: an infinitive
    way_out: ClassVar[str] = ""
    random: ClassVar[bool] = True
    conditions: ClassVar[bool] = False  # whether it keeps and conditions on `given` columns
    # whether `given` left out means all other columns; where records hide in groups, what is kept tells them apart
    keeps_others: ClassVar[bool] = True
    skips_missing: ClassVar[bool] = False  # whether it can act on the observed cells only
    spares: ClassVar[bool] = False  # whether a column with nothing to protect may come back as it was
    coarsens: ClassVar[bool] = False  # whether it releases true values only, coarser or fewer
    restores: ClassVar[bool] = False  # whether it acts on what earlier steps did, back towards the original
    # what ties a new value to the record in whose place it stands: nothing (permuting the records it was given does
    # not matter), nothing but the columns kept, or the record itself; what is not declared is not proven
    ties_record: ClassVar[Ties] = "record"
    # the kind of change it makes, if every claim that withstands that kind survives it (`Claim.survives`)
    change: ClassVar[str] = ""
    memory: ClassVar[Literal["linear", "quadratic"]] = "linear"  # how what it needs grows with the records
    # whether its numbers may depend on the processor, because libraries fit its models or compute its logarithms: the
    # same key is sure to give the same release on like processors only, and the private log says which one it was
    depends_on_processor: ClassVar[bool] = False
    # whether it only makes sense on what earlier steps of a plan did: a search never tries it alone
    follows: ClassVar[bool] = False
    # the records it needs: so many, and so many more for each column it replaces; where there are groups of k, k too
    least_records: ClassVar[tuple[int, int]] = (1, 0)
    needs_roles: ClassVar[tuple[str, ...]] = ()  # the roles without a column of which it refuses
    default_roles: ClassVar[tuple[str, ...]] = ("confidential",)
    # whether it is for amounts above all: where nobody names columns it leaves categories alone as long as there are
    # amounts, and numbers whose kind nobody stated are amounts
    amounts_first: ClassVar[bool] = False
    # the attacks, by their registered names, that make use of knowing this method and its parameters
    attacks: ClassVar[tuple[str, ...]] = ()

    def run(self, table: Table, job: Job) -> Outcome:
        """Protect the columns of the table."""
        raise TypeError(f"{type(self).__name__} must implement run(table, job)")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """What is promised exactly when the method acts on these columns."""
        return ()

    def as_run(self, tallies: Mapping[str, int]) -> MethodContract:
        """The method that does the same again on any machine, given what a run of it on one part counted.

        A method that ends by the clock says where it ended instead: the private log holds that.
        """
        return self

    def takes_gaps(self, values: Values) -> bool:
        """Whether gaps in this column of numbers are one more value to the method, and nobody need say what to do."""
        return False

    def leaves_out(self, table: Table, given: Table) -> Bools | None:
        """Mask of the records in one subdomain that the method cannot handle with missing="mask", or None."""
        return None

    def looks_at(self, data: Microdata) -> tuple[str, ...]:
        """Other columns whose values the run reads (job.around) and neither changes nor conditions on."""
        return ()

    def may_spare(self, kind: str) -> bool:
        """Whether a column of this kind with nothing to protect may come back as it was."""
        return self.spares

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> GroupAnonymity | None:
        """What holds for the records of one group, if the method acts by groups.

        `kinds` are the columns it replaces, each with its kind; `telling` are the kept columns that differ inside
        groups: where new values follow them, records of a group are not alike.
        """
        return None

    def expected_unchanged(self, name: str, before: Values) -> float | None:
        """The share of cells that the method leaves as they were on average, if its parameters say so.

        None: as many as agree by chance when values are redrawn from their own distribution.
        """
        return None

    def applies(
        self, data: Microdata, columns: Sequence[str] | str | None = None, missing: MissingPolicy = "error"
    ) -> str | None:
        """Why it does not suit these columns of the data by what it declares, or None; nothing is run.

        A run may still refuse values that nothing declares, such as tails that cross.
        """
        from microveil.run.suiting import why_not

        return why_not(Step(self, columns, missing=missing), data)

    # -- which columns ---------------------------------------------------------------------------

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns to replace and those to keep and condition on, each with the kind it is used as."""
        if step.columns is not None:
            check_names(step.columns, list(data.columns), "columns")
            chosen = {name: self._usable_kind(data, name) for name in step.columns}
        else:
            chosen = self._default_columns(data, {*step.by, *(step.given or ())})
        return chosen, self._resolve_given(data, step, chosen)

    def _default_columns(self, data: Microdata, busy: set[str]) -> dict[str, str]:
        candidates = data.names(*self.default_roles) or data.names()
        found = {name: data.kinds[name] for name in candidates if data.kinds[name] in self.kinds and name not in busy}
        if self.amounts_first and "continuous" in found.values():
            found = {name: kind for name, kind in found.items() if kind == "continuous"}
        if not found:
            raise BadInput(
                f"{self.name} protects {' and '.join(self.kinds)} columns and there are none among {list(candidates)}; "
                "name them with columns=..."
            )
        return found

    def passes_over(self, data: Microdata, step: Step, chosen: Mapping[str, str]) -> tuple[str, ...]:
        """The columns of the roles it protects that it leaves alone for their kind, where nobody named columns."""
        if step.columns is not None or not self.default_roles:
            return ()
        kinds = ("continuous",) if self.amounts_first and "continuous" in chosen.values() else self.kinds
        wanted = data.names(*self.default_roles)
        return tuple(
            name for name in wanted if name not in chosen and name not in step.by and data.kinds[name] not in kinds
        )

    def _resolve_given(self, data: Microdata, step: Step, chosen: Mapping[str, str]) -> dict[str, str]:
        if step.given is None:
            if not self.conditions or not self.keeps_others:
                return {}
            # with roles stated, everything else that is not technical is kept and conditioned on
            stated = bool(data.names("key", "confidential"))
            return (
                {name: data.kinds[name] for name in data.names() if name not in chosen and name not in step.by}
                if stated
                else {}
            )
        if step.given and not self.conditions:
            raise BadInput(f"{self.name} does not condition on other columns; leave given out")
        check_names(step.given, list(data.columns), "given")
        shared = [name for name in step.given if name in chosen]
        if shared:
            raise BadInput(f"{shared} are both replaced (columns) and kept (given); name each once")
        return {name: data.kinds[name] for name in step.given}

    def _usable_kind(self, data: Microdata, name: str) -> str:
        column = data.schema[name]
        if column.kind in self.kinds and not self.amounts_first:
            return column.kind
        # the kind was only inferred: if the user names a column of numbers for a method of numbers, it is an amount
        if not column.declared and "continuous" in self.kinds and is_numeric(data.narwhal.get_column(name)):
            return "continuous"
        if column.kind in self.kinds:
            return column.kind
        raise BadInput(
            f"{self.name} protects {' and '.join(self.kinds)} columns; {name!r} is {column.kind}"
            + (" (text)" if not is_numeric(data.narwhal.get_column(name)) else "")
            + (f"; if its values have an order, say kinds={{{name!r}: 'ordinal'}}" if "ordinal" in self.kinds else "")
        )


@dataclass(frozen=True, init=False)
class Step:
    """A method with the columns it replaces, those it keeps, the subdomains, and what to do about gaps.

    `columns=None` and `given=None` leave the choice to the method (`MethodContract.resolve`); `given=()` keeps nothing.
    """

    method: MethodContract
    columns: tuple[str, ...] | None
    given: tuple[str, ...] | None
    by: tuple[str, ...]
    missing: str

    def __init__(
        self,
        method: MethodContract,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        missing: str = "error",
    ) -> None:
        if not isinstance(method, MethodContract):
            raise BadInput(f"{method!r} is not a method; give one, for example mv.mask.RankSwap(p=7)")
        if missing not in MISSING_POLICIES:
            raise BadInput(f"missing={missing!r} is not one of {list(MISSING_POLICIES)}")
        chosen = _names(columns, "columns")
        if chosen is not None and not chosen:
            raise BadInput("columns is empty; name at least one column")
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "columns", chosen)
        object.__setattr__(self, "given", _names(given, "given"))
        object.__setattr__(self, "by", _names(by, "by") or ())
        object.__setattr__(self, "missing", missing)

    @classmethod
    def of(cls, given: object) -> Step:
        """A step from a method, a (method, columns) pair, a mapping or a step."""
        if isinstance(given, Step):
            return given
        if isinstance(given, MethodContract):
            return cls(given)
        if isinstance(given, str):
            return cls(MethodContract.from_spec(given))
        if isinstance(given, Mapping):
            return cls.from_mapping(given)
        if isinstance(given, tuple | list) and len(given) == 2:
            return cls.from_mapping({"method": given[0], "columns": given[1]})
        ways = f"give a method, (method, columns) or a mapping with {list(FIELDS)}"
        raise BadInput(f"{given!r:.200} is not a step; {ways}")

    @classmethod
    def from_mapping(cls, fields: Stated) -> Step:
        """A step from the fields of a plan file; an unknown field is an error that names the nearest."""
        for name in fields:
            if name not in FIELDS:
                raise UnknownName(f"a step has no field {name!r}{suggest(str(name), FIELDS)}")
        if "method" not in fields:
            raise BadInput("a step needs a method")
        others = {name: value for name, value in fields.items() if name != "method" and value is not None}
        return cls(MethodContract.from_spec(fields["method"]), **others)

    def to_mapping(self) -> Json:
        """The fields of a plan file, without those that say nothing."""
        fields: Json = {"method": self.method.to_spec()}
        if self.columns is not None:
            fields["columns"] = list(self.columns)
        if self.given is not None:
            fields["given"] = list(self.given)
        if self.by:
            fields["by"] = list(self.by)
        if self.missing != "error":
            fields["missing"] = self.missing
        return fields


def _names(given: Sequence[str] | str | None, what: str) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Sequence) or any(name is None or isinstance(name, list | dict | set) for name in given):
        raise BadInput(f"{given!r} is not a column name or a list of them")
    if len(set(given)) < len(given):
        raise BadInput(f"{what} names a column twice: {list(given)}")
    return tuple(given)


@dataclass(frozen=True)
class StepRecord:
    """A step as it was run: the columns it came to act on, the kinds they were used as, and what there is to know."""

    step: Step
    columns: tuple[str, ...]
    given: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()  # of the columns, as they were used
    notes: tuple[str, ...] = ()
    path: tuple[str | int, ...] = ()  # where its streams begin, below the key
    synthetic: bool = False  # whether it made records that stand for no record it was given
    passed_over: tuple[str, ...] = ()  # columns of the roles it protects by default whose kind it cannot act on
    telling: tuple[str, ...] = ()  # the columns kept that differed inside its groups: new values follow them
    records: int = 0  # how many there were after it

    @property
    def method(self) -> MethodContract:
        """The method of the step."""
        return self.step.method
