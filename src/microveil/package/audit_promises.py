"""Audit: the release run again from its private log, and every promise checked on the file as it was written."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from microveil.core.arrays import Ints
from microveil.core.errors import BrokenPromise, MicroveilError
from microveil.core.words import counted
from microveil.data.canonical import plain
from microveil.io import sha256_of
from microveil.io.promises import check_promises
from microveil.io.rounding import round_release
from microveil.package.audit_files import DataFile
from microveil.package.findings import Finding, broken, holds, not_checked
from microveil.package.known import Known
from microveil.plan.alignment import find_writing
from microveil.plan.log import replay
from microveil.run.release import Release
from microveil.run.written import written_order

CHECK = "promises"


def audit_promises(files: list[DataFile], known: Known) -> list[Finding]:
    """Whether the log gives these files, and whether they keep what was promised about them."""
    if known.log is None or known.original is None:
        lacking = {"log=...": known.log, "original=...": known.original}
        give = " and ".join(option for option, value in lacking.items() if value is None)
        told = not_checked(CHECK, "promises are checked with the original and the private log; both are needed.", give)
        return [told, *_named_by_log(files, known)]
    try:
        release = known.release or replay(known.log, known.original)
    except BrokenPromise as problem:
        return [broken(CHECK, f"{problem}.")]
    except MicroveilError as problem:
        return [not_checked(CHECK, f"the log cannot be run again: {problem}."), *_named_by_log(files, known)]
    return [finding for file in files for finding in _file(file, release)]


def _named_by_log(files: list[DataFile], known: Known) -> list[Finding]:
    """Whether the log names these very files, which it can say without the original."""
    if known.log is None:
        return []
    named = {str(one.get("sha256", "")) for one in known.log["written"]}
    return [
        holds("log", f"{file.name} is, byte for byte, a file that the log says was written.")
        if sha256_of(file.path) in named
        else broken("log", f"{file.name} is not among the files that the log says were written.")
        for file in files
    ]


def _file(file: DataFile, release: Release) -> list[Finding]:
    try:
        written = find_writing(release, sha256_of(file.path))
    except MicroveilError:
        return [broken(CHECK, f"{file.name} is not among the files that the log says were written.")]
    order = written_order(release.streams, len(release), written.shuffle)
    if file.data.n != len(order):
        return [broken(CHECK, f"{file.name} has another number of records than the release.")]
    try:
        check_promises(
            release,
            _columns(file, release, np.argsort(order)),
            round_release(release).half_units,
            f"{file.name} breaks what was promised",
            "do not give it away",
        )
    except BrokenPromise as problem:
        return [broken(CHECK, f"{problem}.")]
    count = counted(len(release.promises), "promise")
    return [holds(CHECK, f"{file.name}: the log gives this file, and {count} hold on it.")]


def _columns(file: DataFile, release: Release, back: Ints) -> dict[str, list[object]]:
    """The columns of a file in the order of the release, in its types; household numbers were drawn anew on purpose."""
    by_text = {str(name): name for name in release.original.columns}
    found: dict[str, list[object]] = {}
    for text, column in zip(file.table.column_names, file.table.columns, strict=True):
        name = by_text.get(text)
        if name is None or release.original.roles[name] == "household":
            continue
        values = plain(column).take(pa.array(back))
        wanted = plain(release.narwhal.get_column(name).to_arrow()).type
        found[name] = (values.cast(wanted) if _castable(values.type, wanted) else values).to_pylist()
    return found


def _castable(kind: pa.DataType, wanted: pa.DataType) -> bool:
    numbers = (pa.types.is_integer, pa.types.is_floating)
    return kind == wanted or (any(one(kind) for one in numbers) and any(one(wanted) for one in numbers))
