"""Earlier releases of the same source, and what somebody finds who combines them with a new one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from microveil.attack.composition import Composition
from microveil.core.errors import FileProblem, MicroveilError
from microveil.core.measured import Measured
from microveil.data.microdata import Microdata
from microveil.package.findings import Finding, not_checked, note
from microveil.package.names import INSIDE, LOG, PACKAGE, PROJECT
from microveil.package.register import read_register
from microveil.plan.log import load_log, read_logged, replay
from microveil.plan.project import Project
from microveil.run.release import Release

CHECK = "composition"
NEW_DISCLOSURE = "a second version of the same file is a new disclosure"


@dataclass(frozen=True)
class EarlierRelease:
    """A run whose package was given away before: its folder, and what the register says of it if it knows it.

    One that was revoked counts too: whoever has it keeps it.
    """

    folder: Path
    number: int | None = None
    title: str = ""
    date: str = ""
    state: str = ""
    source: str = ""
    released: str = ""  # on which day; `date` is that of its present state
    reason: str = ""  # why it was revoked

    @property
    def told(self) -> str:
        """What the register says of it, in a line."""
        if self.number is None:
            return self.called
        revoked = f", revoked {self.date}: {self.reason}" if self.state == "revoked" else ""
        return f"{self.called} ({self.title}), released {self.released}{revoked}"

    @property
    def called(self) -> str:
        """The number in the register, or the name of the folder."""
        return f"release {self.number}" if self.number is not None else f"the run in {self.folder.name}"


def earlier_releases(
    register: str | os.PathLike[str] | None, earlier: Sequence[str | os.PathLike[str]] = ()
) -> tuple[EarlierRelease, ...]:
    """All releases of a register, in their present states, and the runs in further folders that it does not know."""
    found = []
    if register is not None:
        known = read_register(register)
        days = {entry.number: entry.date for entry in reversed(known.entries) if entry.state == "released"}
        found = [
            EarlierRelease(
                known.folder_of(entry),
                entry.number,
                entry.title,
                entry.date,
                entry.state,
                entry.source,
                days[entry.number],
                entry.reason,
            )
            for entry in known.releases
        ]
    places = {one.folder.resolve() for one in found}
    for number, folder in enumerate(map(Path, earlier)):
        _refuse_no_run(folder, number)
        if folder.resolve() not in places:
            places.add(folder.resolve())
            found.append(EarlierRelease(folder))
    return tuple(found)


def _refuse_no_run(folder: Path, number: int) -> None:
    """A folder that is none of a run is a slip: nothing would be compared with it, and nobody would notice."""
    if not folder.is_dir():
        told = f"there is no folder {str(folder)!r} of an earlier run; name a folder such as runs/0001"
    elif not any((folder / part).is_dir() for part in (PACKAGE, INSIDE)):
        inside = folder.resolve().name in (PACKAGE, INSIDE)
        hint = "name the folder above it" if inside else "name one that has them, such as runs/0001"
        told = f"{str(folder)!r} is no folder of an earlier run, with {PACKAGE} and {INSIDE} in it; {hint}"
    else:
        return
    problem = FileProblem(told)
    problem.place = ("release", "earlier", str(number))
    raise problem


def compare_with_earlier(
    release: Release, earlier: Sequence[EarlierRelease], called: str = "the new release"
) -> list[Finding]:
    """What somebody finds who combines a new release with each earlier one of the same data."""
    found, same = [], False
    for one in earlier:
        other = _replayed(one, release.original)
        same |= one.source == release.original.mark or not isinstance(other, Finding)
        found.append(other if isinstance(other, Finding) else _composed(called, release, one.called, other))
    return [*([_new_disclosure()] if same else []), *found]


def not_combined(earlier: Sequence[EarlierRelease]) -> list[Finding]:
    """Earlier releases of the same data, where nobody can say what they tell beside a new one in files."""
    why = "what both tell together needs all records in memory"
    told = [not_checked(CHECK, f"the new release and {one.told} were not combined: {why}.") for one in earlier]
    return [*([_new_disclosure()] if earlier else []), *told]


def tell_composition(
    register: str | os.PathLike[str], number: int, original: str | os.PathLike[str] | None = None
) -> list[Finding]:
    """What a release of a register tells together with each one before it of the same source; empty for the first."""
    runs = earlier_releases(register)
    mine = next(one for one in runs if one.number == number)
    before = [one for one in runs if one.source == mine.source and one.number is not None and one.number < number]
    if not before:
        return []
    data = _read(mine, None if original is None else Path(original))
    release = data if isinstance(data, Finding) else _replayed(mine, data)
    if isinstance(release, Finding):
        return [_new_disclosure(), release]
    return compare_with_earlier(release, before, mine.called)


def _new_disclosure() -> Finding:
    return note(CHECK, f"there are earlier releases of these data, and {NEW_DISCLOSURE}.")


def compare_pairs(runs: Sequence[EarlierRelease], original: Path | None) -> list[Finding]:
    """What somebody finds who combines any two of these releases of the same source."""
    if len(runs) < 2:
        return []
    releases: dict[EarlierRelease, Release] = {}
    found = []
    for one in runs:
        read = _read(one, original)
        made = read if isinstance(read, Finding) else _replayed(one, read)
        if isinstance(made, Finding):
            found.append(made)
        else:
            releases[one] = made
    return [*found, *_pairs(releases)]


def _pairs(releases: Mapping[EarlierRelease, Release]) -> list[Finding]:
    found = []
    for (one, first), (other, second) in combinations(releases.items(), 2):
        if first.original.mark == second.original.mark:
            found.append(_composed(one.called, first, other.called, second))
        else:
            told = f"{one.called} and {other.called} were made from other data, whose rows cannot be put side by side."
            found.append(not_checked(CHECK, told))
    return found


def _composed(title: str, release: Release, other_title: str, other: Release) -> Finding:
    """The figure of two releases together, said plainly."""
    try:
        result = Composition()(release.original, [release, other])
    except MicroveilError as problem:
        return not_checked(CHECK, f"{title} and {other_title} cannot be combined: {problem}.")
    if not isinstance(result, Measured):
        return not_checked(CHECK, f"{title} and {other_title} cannot be combined: {result.reason}.")
    return note(CHECK, f"{title} and {other_title}: {result.reading}")


def _read(run: EarlierRelease, original: Path | None) -> Microdata | Finding:
    """The original of a run: the file that is given, or that of its project where runs stand beside it."""
    try:
        place = original or source_of(run.folder)
        if place is None:
            return not_checked(CHECK, f"{run.called}: the original is not where its project says.", "original=...")
        return read_logged(load_log(run.folder / INSIDE / LOG), place)
    except MicroveilError as problem:
        return not_checked(CHECK, f"{run.called} cannot be run again: {problem}.")


def source_of(run: Path) -> Path | None:
    """The data file of a run whose folder stands in one beside the project, as runs do; None if it is not there."""
    stated = run / INSIDE / PROJECT
    if not stated.is_file():
        return None
    found = run.resolve().parent.parent / Project.load(stated).path
    return found if found.is_file() else None


def _replayed(run: EarlierRelease, data: Microdata) -> Release | Finding:
    try:
        return replay(load_log(run.folder / INSIDE / LOG), data)
    except MicroveilError as problem:
        return not_checked(CHECK, f"{run.called} cannot be run again on these data: {problem}.")
