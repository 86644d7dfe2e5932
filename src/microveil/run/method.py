"""Methods: frozen values that turn microdata into a release.

A method implements `run` on arrays. Everything around it (which columns, which kinds, missing
values, subdomains, streams, restoring the user's frame, checking the claims) is done once, here and
in `microveil.run.state`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from microveil.core.claims import Claim
from microveil.core.errors import BadInput
from microveil.core.guarantee import Anonymity
from microveil.core.registry import Value
from microveil.core.streams import Key, Streams
from microveil.data.frames import is_numeric
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values

MissingPolicy = Literal["error", "drop", "mask"]
MISSING_POLICIES: tuple[str, ...] = ("error", "drop", "mask")

DEFAULT_CHUNK = 1 << 17

T = TypeVar("T")


@dataclass(frozen=True)
class Job:
    """What a run is given beside the values: its streams and what surrounds the values."""

    streams: Streams
    given: Table
    original: Table
    weights: NDArray[np.float64] | None = None
    households: NDArray[np.int64] | None = None
    chunk_rows: int = DEFAULT_CHUNK
    around: Table = field(default_factory=lambda: Table({}, 0))  # the columns of `Method.looks_at`


@dataclass(frozen=True)
class Outcome:
    """What a run returns: the changed columns, and how its rows and groups relate to what it got.

    `origin` holds the position of each released row among the rows given (-1: synthetic), None when
    the rows are the same. `claims` holds what this run promises where that depends on the data (on the kinds of
    the columns, on groups that were too small); None: what `Method.claims` says.
    """

    columns: Mapping[str, Values]
    groups: NDArray[np.int64] | None = None
    origin: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    claims: tuple[Claim, ...] | None = None


@dataclass(frozen=True)
class Target:
    """On what a method acts: columns, kept columns, subdomains, and what to do with missing values."""

    columns: tuple[str, ...] | None = None
    given: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()
    missing: str = "error"

    @classmethod
    def of(
        cls,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        missing: str = "error",
    ) -> Target:
        """The target from what a user writes."""
        if missing not in MISSING_POLICIES:
            raise BadInput(f"missing={missing!r} is not one of {list(MISSING_POLICIES)}")
        return cls(_names(columns), _names(given), _names(by) or (), missing)


def _names(given: Sequence[str] | str | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(given)


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
class Method(Value):
    """Base of all protection methods."""

    kinds: ClassVar[tuple[str, ...]] = ("continuous",)
    scope: ClassVar[str] = "file"
    random: ClassVar[bool] = True
    conditions: ClassVar[bool] = False  # whether it keeps and conditions on `given` columns
    skips_missing: ClassVar[bool] = False  # whether it can act on the observed cells only
    spares: ClassVar[bool] = False  # whether a column with nothing to protect may come back as it was
    coarsens: ClassVar[bool] = False  # whether it releases true values only, coarser or fewer
    restores: ClassVar[bool] = False  # whether it acts on what earlier steps did, back towards the original
    preserves: ClassVar[tuple[type[Claim], ...]] = ()  # claims of earlier steps that survive this one
    default_roles: ClassVar[tuple[str, ...]] = ("confidential",)

    def run(self, table: Table, job: Job) -> Outcome:
        """Protect the columns of the table."""
        raise TypeError(f"{type(self).__name__} does not say how it runs")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """What is promised exactly when the method acts on these columns."""
        return ()

    def leaves_out(self, table: Table, given: Table) -> NDArray[np.bool_] | None:
        """Records that a method acting around gaps (missing="mask") cannot act on, of one subdomain; None: none."""
        return None

    def looks_at(self, data: Microdata) -> tuple[str, ...]:
        """Other columns whose values the run reads (job.around) and neither changes nor conditions on."""
        return ()

    def anonymity(self, kinds: Mapping[str, str], telling: tuple[str, ...]) -> Anonymity | None:
        """What holds for the records of one group, if the method acts by groups.

        `kinds` are the columns it replaces, each with its kind; `telling` are the kept columns that differ inside
        groups: where new values follow them, records of a group are not alike.
        """
        return None

    def apply(
        self,
        data: Any,
        *,
        columns: Sequence[str] | str | None = None,
        given: Sequence[str] | str | None = None,
        by: Sequence[str] | str | None = None,
        seed: int | str | bytes | Key | None = None,
        missing: MissingPolicy = "error",
    ) -> Any:
        """Protect `columns` of the data and return a Release.

        Without `columns`, the confidential columns are protected (all but identifiers and technical
        columns if none has that role). `by` runs the method inside subdomains. `missing` says what
        to do about missing continuous values: "error", "drop" the incomplete records, or "mask" the
        observed cells only. `seed=None` draws a fresh key from the operating system.
        """
        from microveil.run.release import Release
        from microveil.run.state import State

        state = State.begin(Microdata.of(data))
        key = Key.of(seed)
        target = Target.of(columns, given, by, missing)
        state = state.advance(self, target, Streams(key).at("step", 1))
        return Release.finish(state, key)

    # -- which columns ---------------------------------------------------------------------------

    def resolve(self, data: Microdata, target: Target) -> tuple[dict[str, str], dict[str, str]]:
        """The columns to replace and those to keep and condition on, each with the kind it is used as."""
        if target.columns is not None:
            check_names(target.columns, list(data.columns), "columns")
            if not target.columns:
                raise BadInput("columns is empty; name at least one column")
            if len(set(target.columns)) < len(target.columns):
                raise BadInput(f"columns names a column twice: {list(target.columns)}")
            chosen = {name: self._usable_kind(data, name) for name in target.columns}
        else:
            chosen = self._default_columns(data, target)
        return chosen, self._resolve_given(data, target, chosen)

    def _default_columns(self, data: Microdata, target: Target) -> dict[str, str]:
        busy = {*target.by, *(target.given or ())}
        candidates = data.names(*self.default_roles) or data.names()
        found = {name: data.kinds[name] for name in candidates if data.kinds[name] in self.kinds and name not in busy}
        if not found:
            raise BadInput(
                f"{self.name} protects {' and '.join(self.kinds)} columns and there are none among {list(candidates)}; "
                "name them with columns=..."
            )
        return found

    def _resolve_given(self, data: Microdata, target: Target, chosen: Mapping[str, str]) -> dict[str, str]:
        if target.given is None:
            if not self.conditions:
                return {}
            # with roles stated, everything else that is not technical is kept and conditioned on
            stated = bool(data.names("key", "confidential"))
            return (
                {name: data.kinds[name] for name in data.names() if name not in chosen and name not in target.by}
                if stated
                else {}
            )
        if target.given and not self.conditions:
            raise BadInput(f"{self.name} does not condition on other columns; leave given out")
        check_names(target.given, list(data.columns), "given")
        shared = [name for name in target.given if name in chosen]
        if shared:
            raise BadInput(f"{shared} are both replaced (columns) and kept (given); name each once")
        return {name: data.kinds[name] for name in target.given}

    def _usable_kind(self, data: Microdata, name: str) -> str:
        column = data.schema[name]
        if column.kind in self.kinds:
            return column.kind
        # an inferred kind is a guess: who names a column of numbers for a method of numbers means numbers
        if not column.declared and "continuous" in self.kinds and is_numeric(data.narwhal.get_column(name)):
            return "continuous"
        raise BadInput(
            f"{self.name} protects {' and '.join(self.kinds)} columns; {name!r} is {column.kind}"
            + (" (text)" if not is_numeric(data.narwhal.get_column(name)) else "")
        )


@dataclass(frozen=True)
class StepRecord:
    """One step as it was run: for the log and for replay."""

    method: Method
    target: Target
    columns: tuple[str, ...]
    given: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    kinds: tuple[str, ...] = ()  # of the columns, as they were used
