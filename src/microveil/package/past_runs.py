"""The runs of a project: what each released, how it was judged, who signed it, and when it is looked at again."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from microveil.certify.certificate import CERTIFICATE, read_certificate
from microveil.certify.statement import Statement
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, MicroveilError
from microveil.core.numbers import format_number
from microveil.core.open_types import Json, Stated
from microveil.core.parameters import suggest
from microveil.core.printable import one_line
from microveil.io import sha256_of
from microveil.package.audit_written import says_what_was_written
from microveil.package.names import INSIDE, PACKAGE, SUMMARY
from microveil.package.numbering import NUMBER, RUNS
from microveil.package.run_register import entry_of
from microveil.package.run_signers import keys_beside, signatures_told

_LARGEST = 1 << 24


@dataclass(frozen=True)
class PastRun:
    """A run of the past, as its folder tells: figures of risk are of the internal folder, and stay inside.

    `problem` says why a run cannot be told of; all else is empty then. `signatures` counts those on the certificate of
    the package; whether they hold is for `audit` to say, which knows whom you trust.
    """

    number: str
    folder: Path
    date: str = ""
    title: str = ""
    plan: tuple[str, ...] = ()
    loss: float | None = None
    loss_of_categories: float | None = None
    worst: float | None = None
    verdict: str = ""
    signatures: int = 0
    review: str = ""
    problem: str = ""
    utility: tuple[Json, ...] = field(default=(), hash=False)
    files: tuple[str, ...] = ()
    source: str = ""  # the hash of the data file
    said: str = ""  # why the verdict is what it is, in a sentence (internal)
    signed_by: tuple[str, ...] = ()  # the hashes by which signatures name their keys
    signers: tuple[str, ...] = ()  # who has to sign, as the project stated it
    revoked: str = ""  # since when and why, as the register of the project says
    register_problem: str = ""  # why nobody can say whether the run was revoked

    @property
    def limits(self) -> str:
        """Whether the limits were kept, in the words of the certificate; or that the release is revoked, or may be."""
        if self.revoked:
            return "revoked"
        told = "kept, with doubts" if self.verdict == "doubtful" else self.verdict
        return f"{told}; whether revoked is not known" if self.register_problem else told

    @property
    def signatures_told(self) -> str:
        """Who signed and who is still missing, as keys beside the project name them; empty where nobody is missing."""
        project = self.folder.resolve().parent.parent
        return signatures_told(self.signers, self.signed_by, keys_beside([project]) if self.signers else {})

    def is_due(self, today: dt.date) -> bool:
        """Whether the decision has to be looked at again by now."""
        return bool(self.review) and self.review <= today.isoformat()


def history(folder: str | os.PathLike[str] = ".") -> tuple[PastRun, ...]:
    """The runs of a project, in the order of their numbers; `folder` is that of the project or of its runs."""
    place = Path(folder)
    if not place.is_dir():
        raise FileProblem(f"{str(place)!r} is no folder; name the folder of a project, or of its runs")
    runs = place / RUNS if (place / RUNS).is_dir() else place
    found = sorted((path for path in runs.iterdir() if NUMBER.fullmatch(path.name)), key=lambda path: int(path.name))
    return tuple(past_run(path) for path in found if path.is_dir())


def find_run(folder: str | os.PathLike[str], number: str) -> PastRun:
    """One run by its number, or by the folder it is in."""
    named = Path(number)
    if (named / PACKAGE).is_dir():
        return past_run(named)
    runs = history(folder)
    for one in runs:
        if NUMBER.fullmatch(one.number) and number.isdecimal() and int(one.number) == int(number):
            return one
    raise BadInput(f"there is no run {number!r} in {str(folder)!r}{suggest(number, [one.number for one in runs])}")


def past_run(folder: Path) -> PastRun:
    """What the folder of a run tells of it; one whose papers are not those of the run has a problem."""
    try:
        return _told(folder)
    except (MicroveilError, OSError) as problem:
        return PastRun(folder.name, folder, problem=str(problem))
    except (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError):
        told = f"the papers of the run are damaged: {CERTIFICATE} or {SUMMARY} hold something that no run writes"
        return PastRun(folder.name, folder, problem=told)


def _told(folder: Path) -> PastRun:
    public = read_certificate(folder / PACKAGE)
    inside = read_certificate(folder / INSIDE)
    if not says_what_was_written(public.statement, inside.statement):
        raise BrokenPromise(f"{CERTIFICATE} does not say what the run wrote into it")
    for part, statement in ((PACKAGE, public.statement), (INSIDE, inside.statement)):
        _refuse_changed(folder / part, statement)
    said, kept = public.statement.predicate, inside.statement.predicate
    entry, register_problem = entry_of(folder, public.statement)
    revoked = f"{entry.date}: {one_line(entry.reason)}" if entry is not None and entry.state == "revoked" else ""
    summary = _summary(folder / INSIDE / SUMMARY, inside.statement)
    verdict = summary.get("verdict", {})
    return PastRun(
        folder.name,
        folder,
        date=_text(said, "date"),
        title=_text(said, "title"),
        plan=_lines(summary, "plan"),
        loss=_number(verdict.get("loss")),
        loss_of_categories=_number(verdict.get("loss_of_categories")),
        worst=_number(verdict.get("worst", {}).get("value")),
        verdict=_text(kept.get("verdict", {}), "state"),
        signatures=len(set(public.strangers)),
        review=_text(said, "review"),
        utility=tuple(_figure(one) for one in summary.get("utility", ())),
        files=tuple(sorted(public.statement.subjects)),
        source=_text(kept.get("input", {}), "sha256"),
        said=_text(verdict, "title"),
        signed_by=tuple(dict.fromkeys(public.strangers)),
        signers=_lines(summary, "signers"),
        revoked=revoked,
        register_problem=register_problem,
    )


def _refuse_changed(folder: Path, statement: Statement) -> None:
    """Whatever a certificate names must be there, and as it was."""
    for name, digest in statement.subjects.items():
        if not (folder / name).is_file():
            raise BrokenPromise(f"{folder.name}/{one_line(name)} is missing")
        if sha256_of(folder / name) != digest:
            raise BrokenPromise(f"{folder.name}/{one_line(name)} was changed since the run")


def _summary(path: Path, kept: Statement) -> Json:
    """Return the figures and decisions that the run noted of itself."""
    if path.name not in kept.subjects or path.stat().st_size > _LARGEST:
        raise ValueError(path.name)
    found: Json = json.loads(path.read_text(encoding="utf-8"))
    return found


def _text(said: Stated, name: str) -> str:
    """A text of a certificate, in one line whatever it holds."""
    return one_line(str(said.get(name) or ""))


def _number(value: object) -> float | None:
    """A figure, or None where the run has none; worst cases that cannot be measured are told in words."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return float(value)


def _figure(found: Stated) -> Json:
    if not isinstance(found["name"], str):
        raise TypeError(found)
    return {**found, "name": one_line(found["name"]), "found": _number(found["found"])}


def _lines(summary: Stated, name: str) -> tuple[str, ...]:
    lines = summary.get(name) or ()
    if not all(isinstance(line, str) for line in lines):
        raise TypeError(lines)
    return tuple(map(one_line, lines))


def compare_runs(one: PastRun, other: PastRun) -> tuple[str, ...]:
    """What changed from one run to another, in sentences: source, plan, figures, verdict, files."""
    for run in (one, other):
        if run.problem:
            raise BadInput(f"run {run.number} cannot be compared: {run.problem}")
    told = []
    same = one.source == other.source
    told.append(f"Data: {'the same file' if same else 'another file, or one that was changed'}.")
    told += _changed("Title", one.title, other.title)
    told += _plan_changes(one.plan, other.plan)
    for name, before, after in (
        ("Loss of amounts (PIL)", one.loss, other.loss),
        ("Loss of categories", one.loss_of_categories, other.loss_of_categories),
        ("Worst case (internal)", one.worst, other.worst),
    ):
        told += _changed(name, _percent(before), _percent(after))
    told += _utility_changes(one.utility, other.utility)
    told += _changed("Limits", one.limits, other.limits)
    told += _changed("Files", ", ".join(one.files), ", ".join(other.files))
    told += _changed("Review", one.review or "none", other.review or "none")
    return tuple(told)


def _changed(what: str, before: str, after: str) -> list[str]:
    return [f"{what}: {before}, as before."] if before == after else [f"{what}: {before} -> {after}."]


def _plan_changes(before: Sequence[str], after: Sequence[str]) -> list[str]:
    if tuple(before) == tuple(after):
        return ["Plan: the same."]
    gone = [f"  no longer: {line}" for line in before if line not in after]
    new = [f"  now: {line}" for line in after if line not in before]
    return ["Plan: changed.", *gone, *new]


def _utility_changes(before: Sequence[Json], after: Sequence[Json]) -> list[str]:
    earlier = {one.get("name"): _found(one) for one in before}
    told = [
        f"Figure {one.get('name')!r}: {earlier.get(one.get('name'), 'not asked for')} -> {_found(one)}."
        for one in after
    ]
    gone = [name for name in earlier if name not in {one.get("name") for one in after}]
    return [*told, *(f"Figure {name!r}: no longer asked for." for name in gone)]


def _found(one: Json) -> str:
    """What became of a figure, in the words of its run: a change, an overlap, or a share of records."""
    value = one.get("found")
    if value is None:
        return "lost"
    if "regression" in one:
        return f"intervals overlap by {format_number(value)}"
    if "table" in one:
        return f"{format_number(100 * value)} % of the records in another cell"
    was_nothing = "where it was 0" in str(one.get("said"))
    return f"{format_number(value)} off" if was_nothing else f"{format_number(100 * value)} % off"


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{format_number(value)} %"
