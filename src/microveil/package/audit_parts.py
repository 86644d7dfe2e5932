"""Audit: a package whose data are files of a release in parts, read in blocks; what blocks do not tell is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as parquet

from microveil.certify.certificate import files_in
from microveil.core.errors import MicroveilError
from microveil.core.words import counted, list_all
from microveil.engines.files import Files
from microveil.engines.pair_of_files import PairOfFiles
from microveil.engines.scanning import Scan
from microveil.io import sha256_of
from microveil.measure import Scenario
from microveil.package.audit_files import Place, is_data, tell_hidden_names, tell_unknown
from microveil.package.audit_grounds import tell_closed
from microveil.package.audit_search import audit_search
from microveil.package.ddi import find_faults, names_in
from microveil.package.findings import Finding, broken, holds, judged, not_checked, note, undecided
from microveil.package.known import Known
from microveil.package.names import CODEBOOK, DATA
from microveil.plan.judged_files import judge_in_blocks

_PART = "part-*.parquet"
_IN_MEMORY = (
    "what other programs read, words, traces and copies of originals in the files of data, weights and published "
    "figures are looked for with all records in memory only."
)


def has_parts(path: Path) -> bool:
    """Whether the data of a package are files of a release in parts."""
    return path.is_dir() and any((path / DATA).glob(_PART))


def audit_parts(path: Path, known: Known, trusted: bool, words: Sequence[str] = ()) -> list[Finding]:
    """Everything but the certificate of a package in parts."""
    folder = path / DATA
    strangers = sorted(one.name for one in folder.iterdir() if not one.match(_PART))
    found = [broken("files", f"{DATA}/{name} is no file of the release.") for name in strangers]
    found += _audit_papers(path, known, trusted, words)
    try:
        files = Files.of_paths(sorted(folder.glob(_PART)))
    except MicroveilError as problem:
        return [*found, broken("files", f"the files of data cannot be read: {str(problem).rstrip('.')}.")]
    size = f"{counted(files.rows, 'record')} in {counted(len(files.paths), 'file')}"
    found.append(holds("files", f"{size} with the same {counted(len(files.schema), 'column')} are there."))
    found += _audit_metadata(files)
    found += _audit_codebook(path, files)
    found += _audit_identifiers(files, known)
    found += _audit_logged(files, known)
    found += _audit_scenarios(files, known)
    found.append(not_checked("in memory", _IN_MEMORY))
    if known.log is None and not trusted:
        told = (
            "nothing here shows that the data are protected: neither the log nor a trusted signature names the files."
        )
        found.append(undecided("protection", told, "log=..., or trusted=..."))
    return found


def _audit_papers(path: Path, known: Known, trusted: bool, words: Sequence[str]) -> list[Finding]:
    """All files beside those of the data, which are looked at as in any other package."""
    place = Place(path, tuple(name for name in files_in(path) if not name.startswith(f"{DATA}/")))
    data = [name for name in place.names if is_data(name)]
    return [
        *(broken("files", f"{name} is a file of data that does not lie in {DATA}.") for name in data),
        *tell_hidden_names(place),
        *tell_unknown(place, data),
        *tell_closed(place, data, trusted),
        *audit_search(place, [], known, words),
    ]


def _audit_metadata(files: Files) -> list[Finding]:
    """Whatever stands in a file beside its columns."""
    told = [
        f"{path.name} holds more than columns: {list_all(sorted(key.decode(errors='replace') for key in found))}."
        for path in files.paths
        if (found := parquet.read_metadata(path).metadata)
    ]
    return judged("metadata", told, "the files hold nothing beside their columns.")


def _audit_codebook(path: Path, files: Files) -> list[Finding]:
    book = path / f"{CODEBOOK}.xml"
    if not book.is_file():
        return [not_checked("codebook", "there is no codebook in the package.")]
    text = book.read_bytes()
    faults = find_faults(text)
    if not faults and names_in(text) != files.schema.names:
        faults = ["it describes other columns than the files have"]
    if not faults and f">{files.rows}<" not in text.decode(errors="replace"):
        faults = ["it tells another number of records than the files have"]
    return judged("codebook", [f"of the codebook: {one}." for one in faults], "the codebook describes these files.")


def _audit_identifiers(files: Files, known: Known) -> list[Finding]:
    if not known.roles:
        return [
            not_checked("identifiers", "which columns identify people, log or project say.", "project=... or log=...")
        ]
    there = [name for name in files.schema.names if known.roles.get(name) == "identifier"]
    unknown = [name for name in files.schema.names if name not in known.roles]
    told = [f"{list_all(there)} identifies people, and is in the files."] if there else []
    told += [f"nobody says what {list_all(unknown)} is."] if unknown else []
    return judged("identifiers", told, "no column that identifies people is in the files.")


def _audit_logged(files: Files, known: Known) -> list[Finding]:
    """Whether these are the files that the log says were written."""
    if known.log is None:
        return [not_checked("log", "that these are the files that were written, the private log shows.", "log=...")]
    written = {one["name"]: one for part in known.log["written"] for one in part.get("parts", ())}
    told = [
        f"{path.name} is not the file that the log names: its bytes differ."
        for path in files.paths
        if path.name in written and sha256_of(path) != written[path.name]["sha256"]
    ]
    told += [f"{path.name} is no file that the log names." for path in files.paths if path.name not in written]
    lacking = sorted(set(written) - {path.name for path in files.paths})
    told += [f"{list_all(lacking)} is in the log and not in the package."] if lacking else []
    return judged("log", told, "every file has the bytes that the log says were written.")


def _audit_scenarios(files: Files, known: Known) -> Iterator[Finding]:
    """Limits of scenarios whose keys are counted in the files."""
    limited = [one for one in known.scenarios if one.thresholds]
    if not limited:
        yield note("scenarios", "nobody states a limit that could be counted in the files.")
        return
    released = _scanned(files, known)
    for scenario in limited:
        if not _is_counted(scenario, files, known):
            told = f"the limits of the scenario {scenario.name!r} are judged by links, which the original shows."
            yield not_checked("scenarios", told)
            continue
        found = judge_in_blocks(PairOfFiles.of(released, None, None), scenario, known.agreeing)
        yield (holds if found.kept else broken)("scenarios", found.said)


def _is_counted(scenario: Scenario, files: Files, known: Known) -> bool:
    there = all(name in files.schema.names for name in scenario.keys)
    return there and not scenario.known and not known.perturbed.intersection(scenario.keys)


def _scanned(files: Files, known: Known) -> Scan:
    stated = dict.fromkeys(("kinds", "levels", "hierarchies", "missing", "edits"))
    roles = {name: role for name, role in known.roles.items() if name in files.schema.names}
    return Scan(files, {**stated, "roles": roles, "integers": "round"})


def faults_of(findings: Sequence[Finding]) -> list[str]:
    """The sentences of what is broken."""
    return [one.text for one in findings if one.state == "broken"]
