"""What the last look at the file told of its columns: pages read it and never open the data themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from microveil.app.calls.inspecting import LOOK
from microveil.app.fields import number_in
from microveil.app.jobs import Job
from microveil.app.visit import Visit
from microveil.core.errors import UnknownColumn
from microveil.core.open_types import Json, Stated
from microveil.data.schema import check_names
from microveil.hierarchy.files import value_text
from microveil.plan import Project

_CODES = "Codes for no answer were stated since, or taken back."
_OTHER = "What the project says of the file was changed since."


@dataclass(frozen=True)
class MissingLook:
    """Values that look like codes for no answer: how many records have them, and why it seems so."""

    codes: tuple[str, ...]
    records: int
    why: str


@dataclass(frozen=True)
class ColumnFacts:
    """One column of the file: what was found in it, and what was proposed for it and why."""

    name: str
    role: str = ""
    kind: str = ""
    why: str = ""
    distinct: int = 0
    missing: int = 0
    frequent: tuple[tuple[str, int], ...] = ()
    values: tuple[str | int | float, ...] = ()
    bins: tuple[tuple[float, float, int], ...] = ()
    title: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    counts: tuple[int, ...] = ()  # of the values, where they are few enough to be known
    codes: tuple[MissingLook, ...] = ()
    range: tuple[float, ...] = ()  # the smallest, the middle and the largest amount
    treated: tuple[str, ...] = ()  # codes that the look took for no answer already, as the file or the project said
    unsure: bool = False  # whether others are by now, of which the look cannot tell what follows

    def records_with(self, code: object) -> int | None:
        """How many records have a value; None where that is not known."""
        wanted = value_text(code)
        known = {value_text(value): count for value, count in zip(self.values, self.counts, strict=True)}
        if self.values:
            return known.get(wanted, 0)
        alone = next((one for one in self.codes if one.codes == (wanted,)), None)
        return None if alone is None else alone.records

    def without(self, stated: Sequence[object]) -> ColumnFacts:
        """The column once these codes, and no others, mean that there is no answer."""
        gone = {value_text(code) for code in stated}
        new, old = gone - set(self.treated), set(self.treated) - gone
        more, back = ([self.records_with(code) for code in codes] for codes in (new, old))
        suspected = {code for one in self.codes for code in one.codes}  # of which ranges were made without
        drawn = not self.bins or (new <= suspected and not old)
        return replace(
            self,
            unsure=None in more + back or not drawn,
            bins=self.bins if drawn else (),
            range=self.range if drawn else (),
            missing=self.missing + sum(n or 0 for n in more) - sum(n or 0 for n in back),
            distinct=self.distinct - sum(map(bool, more)) + sum(map(bool, back)),
            frequent=tuple(one for one in self.frequent if one[0] not in gone),
            codes=tuple(one for one in self.codes if not set(one.codes) <= gone),
        )


@dataclass(frozen=True)
class Looked:
    """A look at the whole file."""

    records: int = 0
    read_as: str = ""
    baseline: str = ""
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    rules: tuple[Json, ...] = ()
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    since: str = ""  # why it is no longer of the file as it is read now; empty while it is


def looked(visit: Visit) -> Looked | None:
    """The newest look at the file of the project; None while nobody looked at it."""
    if visit.now.project is None:
        return None
    job = _look_at(visit, visit.project.path)
    said = _told(job)
    if not said:
        return None
    found = _read(said, visit.project.columns)
    since = _since(visit, job) or (_CODES if any(one.unsure for one in found.columns.values()) else "")
    return replace(found, since=since)


def _told(job: Job | None) -> Json:
    """What a look left; nothing where there was none."""
    return {} if job is None else _parsed(job.folder / LOOK, job.begun)


@lru_cache(maxsize=2)
def _parsed(path: Path, _begun: str) -> Json:
    """A look never changes, and pages ask for it again and again: that of a wide file takes long to read."""
    told: Json = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return told


def _since(visit: Visit, job: Job | None) -> str:
    return visit.written_anew(job) or (_OTHER if visit.is_old(job) else "")


def check_columns(visit: Visit, text: str) -> str:
    """The text of a project, refused if it names a column that the newest look at its file did not find."""
    made = Project.from_text(text)
    job = _look_at(visit, made.path)
    told = _told(job)
    if told:
        known = [one["name"] for one in told["columns"]]
        try:
            check_names(made.columns, known, "columns of the project")
            made.check_names(known)
        except UnknownColumn as problem:
            raise UnknownColumn(
                f"{problem}; this is by the last look at the file, look at it again if it has changed", problem.column
            ) from None
    return text


def _look_at(visit: Visit, path: str) -> Job | None:
    """The newest look at a file; None while nobody looked at it."""
    looks = (job for job in visit.space.jobs.all() if job.what == "inspect" and job.state == "done")
    return next((job for job in looks if job.result.get("path") == path), None)


def _read(said: Json, stated: Mapping[str, Stated]) -> Looked:
    columns = {
        one["name"]: ColumnFacts(
            one["name"],
            one["role"],
            one["kind"],
            one["why"],
            one["distinct"],
            one["missing"],
            tuple((value, count) for value, count in one["frequent"]),
            tuple(one["values"]),
            tuple((low, high, count) for low, high, count in one["bins"]),
            one.get("title", ""),
            tuple((code, text) for code, text in one.get("labels", ())),
            tuple(one.get("counts", ())),
            tuple(MissingLook(tuple(said["codes"]), said["records"], said["why"]) for said in one.get("codes", ())),
            tuple(one.get("range", ())),
            tuple(one.get("treated", ())),
        )
        for one in said["columns"]
    }
    columns = {name: facts.without(stated.get(name, {}).get("missing") or ()) for name, facts in columns.items()}
    return Looked(
        said["records"], said["read_as"], said["baseline"], columns, tuple(said["rules"]), said["hierarchies"]
    )


def typed(texts: Sequence[str], found: ColumnFacts | None) -> list[Any]:
    """Values as the file has them, by their texts; numbers where nobody has looked at it."""
    known = {value_text(value): value for value in (found.values if found is not None else ())}
    return [known.get(text, text) if known else number_in(text, text) for text in texts]
