"""Audit: on what ground anybody may say that the data are protected; without one the audit is undecided.

A file with no fault is not yet a protected one: the raw data with their rows shuffled have none either. Where nothing
but a package is given, it is compared with its own certificate, and a note says what that is worth. Else grounds are
the word of people whose keys are trusted, the private log that names these very files, or limits of a project that were
counted on them. That a plan says that columns were perturbed, or made coarser, is no ground. Beside the original its
runs show raw records and amounts; raw columns beside honest ones, in another unit or order, are shown by nothing but
the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from microveil.core.words import list_all
from microveil.package.audit_files import DataFile, Place
from microveil.package.audit_marks import tell_variants
from microveil.package.audit_protection import is_counted
from microveil.package.findings import Finding, note, undecided
from microveil.package.known import Known
from microveil.package.unpacked import is_closed

CHECK = "protection"
_NOBODY = (
    "the files are those of the certificate, and nobody whom you trust answers for what it says: whether the data are "
    "protected was not checked."
)


def audit_grounds(
    place: Place,
    files: Sequence[DataFile],
    known: Known,
    certified: Sequence[Finding],
    found: Sequence[Finding],
    trusted: bool,
) -> list[Finding]:
    """A finding where nothing shows, and nobody who is trusted says, that the data are protected."""
    if trusted and not any(one.state == "broken" for one in certified):
        return []
    told = tell_closed(place, {file.name for file in files}, trusted)
    if known.log is not None:  # which names the files that were written, or they are broken
        return told
    states = {one.state for one in certified}
    if not known.says_anything and "holds" in states and "broken" not in states:
        return [*told, note(CHECK, _NOBODY, _ways_left(known, trusted))]
    told += [finding for file in files for finding in tell_variants(file, known)]
    why = list(_open_points(files, known, found))
    if not why:
        return told
    open_points = f"nothing here shows that the data are protected: {'; '.join(why)}."
    return [*told, undecided(CHECK, open_points, _ways_left(known, trusted))]


def tell_closed(place: Place, opened: Collection[str], trusted: bool) -> list[Finding]:
    """Files that nobody can look into, whatever else is known."""
    closed = [name for name in place.names if name not in opened and is_closed(place.folder / name)]
    ways = "" if trusted else "trusted=..."
    return [
        undecided("files", f"{name} is neither data, text nor PDF: nobody can say what is in it.", ways)
        for name in closed
    ]


def _ways_left(known: Known, trusted: bool) -> str:
    """What would be a ground and is not given yet; keys that were given are none where what they signed is broken."""
    lacking = {"project=...": known.roles or known.steps or known.scenarios, "original=...": known.original}
    beside = " with ".join(option for option, value in lacking.items() if not value)
    return ", or ".join(["log=...", *([beside] if beside else []), *([] if trusted else ["trusted=..."])])


def _open_points(files: Sequence[DataFile], known: Known, found: Sequence[Finding]) -> Iterator[str]:
    """What would have to be known."""
    if not known.says_anything:
        yield "nobody says what was done to them, and within which limits"
        return
    limited = [scenario for scenario in known.scenarios if scenario.thresholds]
    judged = {one.check for one in found if one.state in ("holds", "broken")}
    for scenario in limited:
        if not all(is_counted(file.data, scenario, known) for file in files):
            yield f"the limits of the scenario {scenario.name!r} could not be judged by counting"
    there = {name for file in files for name in map(str, file.data.columns)}
    changed = sorted(there & known.perturbed)
    compared = {one.state for one in found if one.check == "copies"} - {"not checked"}
    seen = bool(compared)
    if changed and not seen:
        yield f"whether {list_all(changed)} {_were(changed)} perturbed, as the plan says, was not checked"
    elif changed:
        all_changed = f"that all of {list_all(changed)} {_were(changed)} perturbed, as the plan says, nobody can tell"
        if compared & {"broken", "undecided"}:  # these say what is seen
            yield f"{all_changed} from the original and runs of the plan"
        else:
            raw = "beside the original and runs of the plan no raw record and no raw amount is seen"
            yield f"{raw}, and {all_changed} from that"
    coarser = [] if seen else sorted(there & known.coarsened - _limited(known))
    if coarser:
        yield f"whether {list_all(coarser)} {_were(coarser)} made coarser, as the plan says, was not checked"
    if not limited and "model" not in judged and not (changed and seen):
        yield "nobody states a limit that could be counted"
    yield from (said for file in files for said in _unknown_columns(file, known))
    left = sorted(there & _unjudged_keys(known))
    if left:
        one = len(left) == 1
        yield f"no step changes {list_all(left)}, and no limit is about {'it' if one else 'them'}"


def _limited(known: Known) -> frozenset[str]:
    """Columns that limits are about which are counted on the files: raw ones are seen by these, as far as they go."""
    keys = tuple(name for name, role in known.roles.items() if role == "key")
    judged = {name for scenario in known.scenarios if scenario.thresholds for name in scenario.columns}
    return frozenset(judged | {name for asked in known.asked for name in asked.keys or keys})


def _unjudged_keys(known: Known) -> frozenset[str]:
    """Keys that leave as they are and by which nothing is judged, as a run refuses them; those meant so aside."""
    keys = {name for name, role in known.roles.items() if role == "key"}
    judged = {*known.as_they_are, *(name for scenario in known.scenarios for name in scenario.columns)}
    judged |= {name for asked in known.asked for name in asked.keys or keys}
    acted = {name for step in known.steps for name in step.columns or keys}
    return frozenset(keys - judged - acted)


def _unknown_columns(file: DataFile, known: Known) -> Iterator[str]:
    """Columns that nobody stated, and keys and sensitive ones that are not there: perhaps the same by other names."""
    names = set(map(str, file.data.columns))
    judged = {name for scenario in known.scenarios for name in scenario.keys}
    for asked in known.asked:
        keys = asked.keys or tuple(name for name, role in known.roles.items() if role == "key")
        judged |= {*keys, *(name for some in asked.model.key_sets or () for name in some), *asked.model.sensitive}
    gone = sorted(name for name in judged - names if known.roles.get(name) != "identifier")  # which no file has
    further = sorted(names - known.stated)
    if further:
        yield f"nobody says what {list_all(further)} of {file.name} {'is' if len(further) == 1 else 'are'}"
    if gone:
        what = "a column by which the data are judged" if len(gone) == 1 else "columns by which the data are judged"
        yield f"{file.name} lacks {list_all(gone)}, {what}"


def _were(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"
