"""Checks of the private log: with the data and nothing else it gives the same release and the same bytes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from microveil.core.errors import BadInput, BrokenPromise, NothingHidden
from microveil.data.microdata import Microdata
from microveil.io import write
from microveil.plan.log import private_log, replay
from microveil.run.method import Method
from microveil.run.release import Release
from microveil.run.written import WriteOptions
from microveil.testing.runs import DOMAIN, run, sample
from microveil.testing.samples import as_microdata, numbers_of, sample_columns, with_gaps

_ROWS = 100


def check_replay(method: Method) -> None:
    """The private log, as JSON, replays to the same release and the same bytes of the written file.

    It does so also with subdomains, with nothing conditioned on, and with gaps that are left out or left alone.
    """
    for what, data, how in _variants(method):
        try:
            release = run(method, data, seed=7, **how)
        except BadInput:
            continue  # too few records, or nothing to protect: a clear refusal
        with TemporaryDirectory() as folder:
            _check_one(release, data, Path(folder), what)


def _variants(method: Method) -> Iterator[tuple[str, Microdata, dict[str, Any]]]:
    plain = sample(_ROWS)
    alone: dict[str, Any] = {"given": []} if method.conditions else {}
    yield "as it is", plain, {}
    yield f"by {DOMAIN}{', given=[]' if alone else ''}", plain, {"by": DOMAIN, **alone}
    gappy = as_microdata(with_gaps(sample_columns(_ROWS), ["income", "wealth"], every=9))
    policy = "mask" if method.skips_missing else "drop"
    yield f"missing={policy!r}", gappy, {"missing": policy}


def _check_one(release: Release, data: Microdata, folder: Path, what: str) -> None:
    first = _written(release, folder / "first.csv")
    log = json.loads(json.dumps(private_log(release)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NothingHidden)  # the first run said so
            again = replay(log, data.frame)
    except (BadInput, BrokenPromise) as problem:
        raise AssertionError(f"{what}: the log does not replay: {problem}") from problem
    names = data.columns
    assert numbers_of(again.frame, names) == numbers_of(release.frame, names), f"{what}: the log gives another release"
    assert again.promises == release.promises, f"{what}: the log gives other promises"
    assert again.lost == release.lost, f"{what}: the log gives up other promises"
    if first is not None:
        kept = WriteOptions.from_mapping(log["written"][-1])
        write(again, folder / "again.csv", **kept.arguments)
        assert (folder / "again.csv").read_bytes() == first, f"{what}: the log gives other bytes"


def _written(release: Release, path: Path) -> bytes | None:
    """The bytes of the file; None where nothing may be written."""
    if release.exposed:
        return None
    write(release, path, reproducible=True)
    return path.read_bytes()
