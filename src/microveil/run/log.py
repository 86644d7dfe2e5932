"""The private log of a release: everything needed to run it again, to the same bytes. Never part of a release."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import packages_distributions, version
from typing import NamedTuple

from microveil.core.errors import BadInput, BrokenPromise
from microveil.core.open_types import Json, Stated
from microveil.core.streams import Key
from microveil.data.fingerprint import fingerprint
from microveil.data.microdata import AnyData, Microdata
from microveil.hierarchy.stated import from_plain, to_plain
from microveil.run.contract import Step, StepRecord
from microveil.run.processor import depends_on_processor, describe_processor, tell_other_processor
from microveil.run.release import Release
from microveil.run.steps import run_steps
from microveil.run.written import WriteOptions

VERSION = 1
_FIELDS = ("key_strong", "integers", "steps", "input", "released", "written", "scenarios", "versions")


def log_of(release: Release, scenarios: Sequence[Stated] = ()) -> Json:
    """Key, steps with their streams, facts about the columns, versions, hashes: as secret as the original data.

    `scenarios` are those that the release was judged by, in plain terms.
    """
    source = release.original
    return log_with(
        Logged(
            release.key,
            source,
            source.n,
            source.mark,
            {name: fingerprint(other) for name, other in release.aside.items()},
            release.steps,
            {
                "records": len(release),
                "fingerprint": fingerprint(release.data),
                "perturbed": release.perturbed,
                "lost": list(release.lost),
            },
            release.written,
            release.notes,
        ),
        scenarios,
    )


class Logged(NamedTuple):
    """What a log tells of a release, wherever its records are."""

    key: Key
    facts: Microdata  # what is known about the columns
    records: int
    mark: str
    aside: Mapping[str, str]
    steps: Sequence[StepRecord]
    released: Json
    written: Sequence[WriteOptions]
    notes: Sequence[str]


def log_with(release: Logged, scenarios: Sequence[Stated] = ()) -> Json:
    """The log of a release, with its seal."""
    source = release.facts
    log: Json = {
        "what": "private log of a microveil release: keep it as secret as the original data",
        "version": VERSION,
        "key": release.key.hex,
        "key_strong": release.key.strong,
        "integers": source.integers,
        "steps": [{**record.step.to_mapping(), "streams": list(record.path)} for record in release.steps],
        "input": {
            "records": release.records,
            "columns": {str(name): _facts(source, name) for name in source.columns},
            "edits": [str(edit) for edit in source.edits],
            "reading": dict(source.codebook.reading) if source.codebook is not None else {},
            "fingerprint": release.mark,
            "aside": dict(release.aside),
        },
        "released": release.released,
        "written": [options.to_mapping() for options in release.written],
        "scenarios": list(scenarios),
        "notes": list(release.notes),
        "versions": {"python": platform.python_version(), **_loaded_versions()},
    }
    if any(depends_on_processor(record.method) for record in release.steps):
        log["processor"] = describe_processor()
    return {**log, "seal": seal_of(log)}


def seal_of(log: Stated) -> str:
    """A keyed hash over all lines of a log but the seal itself: one that was changed by accident or by hand shows."""
    lines = {name: value for name, value in log.items() if name != "seal"}
    text = json.dumps(lines, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode(), digest_size=32, key=bytes.fromhex(str(log["key"]))).hexdigest()


def check_log(log: object, name: str) -> Json:
    """The log if it is one that can be replayed; otherwise an error that says why."""
    if not isinstance(log, dict) or not {"key", "steps"} <= set(log):
        raise BadInput(
            f"{name} is not a private log: it has no key and steps; give log.json from the internal folder of a run, "
            "or the log that was kept with a single file"
        )
    _check_version(log.get("version"), name)
    try:
        sealed = seal_of(log) == log.get("seal")
    except ValueError:
        sealed = False
    if not sealed:
        raise BadInput(f"{name} was changed after it was written: its seal does not fit; use it as it was written")
    absent = [field for field in _FIELDS if field not in log]
    if absent:
        raise BadInput(f"{name} lacks {', '.join(absent)}, which every private log has; use it as it was written")
    return log


def _check_version(version: object, name: str) -> None:
    if type(version) is not int:
        raise BadInput(
            f"{name} is not a private log as microveil writes it: its version is {version!r:.40}, not a whole number; "
            "use it as it was written"
        )
    if version != VERSION:
        raise BadInput(
            f"{name} is a log of format {version!s:.20}; this version reads format {VERSION}: install the microveil "
            "that wrote it"
        )


def rerun(log: Stated, data: AnyData, aside: Mapping[str, AnyData] | None = None) -> Release:
    """Run a logged release again on the same data and prove that it is the same; other data are refused."""
    source = _with_facts(Microdata.of(data), log)
    if source.mark != log["input"]["fingerprint"]:
        raise BadInput(
            "these are not the data of the log: their fingerprint differs; give the file that the release was made "
            "from, unchanged and with its rows in the same order"
        )
    steps, key, paths = steps_in(log)
    release = run_steps(
        source,
        steps,
        key,
        paths=paths,
        aside=_same_files(log["input"]["aside"], aside or {}),
    )
    if fingerprint(release.data) != log["released"]["fingerprint"]:
        raise BrokenPromise(tell_other_release(log))
    for fields in log["written"]:
        release.remember_writing(WriteOptions.from_mapping(fields))
    return release


def steps_in(log: Stated) -> tuple[list[Step], Key, list[tuple[str | int, ...]]]:
    """The steps of a log, its key, and where the streams of each step begin."""
    return (
        [Step.from_mapping(_without_streams(fields)) for fields in log["steps"]],
        replace(Key.of(log["key"]), strong=bool(log["key_strong"])),
        [tuple(fields["streams"]) for fields in log["steps"]],
    )


def tell_other_release(log: Stated) -> str:
    """That a log gave another release, and what may be the reason."""
    return f"running the log again gave another release: its fingerprint differs. {_why_other(log)}"


def _why_other(log: Stated) -> str:
    """What may have made the difference: another processor where a method depends on it, else how data were read."""
    other = tell_other_processor(log.get("processor", {}))
    if other:
        steps = [Step.from_mapping(_without_streams(fields)).method for fields in log["steps"]]
        bound = ", ".join(dict.fromkeys(method.name for method in steps if depends_on_processor(method)))
        return (
            f"What {bound} gives may depend on the processor, and the log was made on another one ({other}); "
            "run it on a processor like that"
        )
    return (
        "Whole numbers may have been read as floating ones or the other way round (read the data by the same library), "
        f"or the log was made on another kind of machine or with other versions ({_other_versions(log)})"
    )


def _facts(source: Microdata, name: str) -> Json:
    column = source.schema[name]
    facts: Json = {"role": column.role, "kind": column.kind, "declared": column.declared}
    if column.missing:
        facts["missing"] = list(column.missing)
    if column.levels is not None:
        facts["levels"] = list(column.levels)
    if column.hierarchy:
        facts["hierarchy"] = to_plain(column.hierarchy)
    return facts


def facts_in(log: Stated) -> Json:
    """What a log says about the columns of the data, as `read` and `Microdata` take it."""
    facts: Mapping[str, Stated] = log["input"]["columns"]
    return {
        "roles": {name: fact["role"] for name, fact in facts.items()},
        "kinds": {name: fact["kind"] for name, fact in facts.items() if fact["declared"]},
        "levels": {name: fact["levels"] for name, fact in facts.items() if "levels" in fact},
        "hierarchies": {name: from_plain(fact["hierarchy"]) for name, fact in facts.items() if "hierarchy" in fact},
        "missing": {name: fact["missing"] for name, fact in facts.items() if "missing" in fact},
        "integers": log["integers"],
        "edits": log["input"]["edits"],
    }


def _with_facts(source: Microdata, log: Stated) -> Microdata:
    """The data with what the log says about their columns: the log decides, whatever the caller stated."""
    # a log is text, the names of columns need not be
    named = {str(name): name for name in source.columns}
    if list(named) != list(log["input"]["columns"]):
        raise BadInput(
            "these are not the data of the log: their columns differ; give the file that the release was made from"
        )
    facts: Json = {
        what: {named[name]: fact for name, fact in given.items()} if isinstance(given, dict) else given
        for what, given in facts_in(log).items()
    }
    return Microdata(source.frame, codebook=source.codebook, **facts)


def _without_streams(fields: Stated) -> Json:
    return {name: value for name, value in fields.items() if name != "streams"}


def _same_files(wanted: Mapping[str, str], given: Mapping[str, AnyData]) -> dict[str, Microdata]:
    """The other files that the run read, each proven to be the one of the log."""
    files = {name: Microdata.of(frame) for name, frame in given.items()}
    for name, mark in wanted.items():
        if name not in files:
            raise BadInput(f"the release read {name!r} beside the data; give that file with aside={{{name!r}: ...}}")
        if fingerprint(files[name]) != mark:
            raise BadInput(
                f"{name!r} is not the file of the log: its fingerprint differs; give the file that the release read"
            )
    return files


@cache
def _distributions() -> Mapping[str, list[str]]:
    # reads the records of everything that is installed
    return packages_distributions()


def _loaded_versions() -> dict[str, str]:
    """The version of every distribution of which something is loaded."""
    known = _distributions()
    roots = {module.partition(".")[0] for module in sys.modules}
    loaded = {name for root in roots for name in known.get(root, ())} | {"microveil"}
    return {name: version(name) for name in sorted(loaded)}


def _other_versions(log: Stated) -> str:
    here = {"python": platform.python_version(), **_loaded_versions()}
    other = [f"{name} {kept}" for name, kept in log["versions"].items() if here.get(name) not in (None, kept)]
    return ", ".join(other) or "none differ"
