"""The private log of a release: everything needed to replay it. Never part of a release."""

from __future__ import annotations

import json
import platform
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput, BrokenPromise
from microveil.core.streams import Key
from microveil.data.microdata import Microdata
from microveil.plan.plan import Plan
from microveil.plan.steps import Step
from microveil.run.release import Release

LIBRARIES = ("microveil", "numpy", "scipy", "numba", "narwhals", "pyarrow")


def private_log(release: Release) -> dict[str, Any]:
    """Key, plan, versions and fingerprint of the input: keep it where the original data are kept."""
    from microveil.io import fingerprint

    steps = [
        Step(step.method, step.columns, step.given or None, step.target.by, step.target.missing)
        for step in release.steps
    ]
    return {
        "what": "private log of a microveil release: keep it as secret as the original data",
        "key": release.key.hex,
        "key_strong": release.key.strong,
        "plan": Plan(steps, release.original.integers).to_mapping(),
        "input": {
            "records": release.original.n,
            "columns": list(release.original.columns),
            "fingerprint": fingerprint(release.original),
        },
        "released": {"records": len(release)},
        "notes": list(release.notes),
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
    }


def save_log(release: Release, path: str | Path) -> None:
    """Write the private log, readable by its owner only."""
    from microveil.io import write_text

    write_text(path, json.dumps(private_log(release), indent=2, ensure_ascii=False) + "\n", private=True)


def load_log(path: str | Path) -> dict[str, Any]:
    """Read a private log."""
    from microveil.io import read_text

    try:
        log = json.loads(read_text(path))
    except json.JSONDecodeError as problem:
        raise BadInput(f"{Path(path).name} is not a private log: no JSON at line {problem.lineno}") from None
    if not isinstance(log, dict) or "key" not in log or "plan" not in log:
        raise BadInput(f"{Path(path).name} is not a private log: it has no key and plan")
    return log


def replay(log: dict[str, Any] | str | Path, data: Any) -> Release:
    """Run a logged release again on the same data; other data are refused."""
    from microveil.io import fingerprint

    known = log if isinstance(log, dict) else load_log(log)
    source = Microdata.of(data)
    if fingerprint(source) != known["input"]["fingerprint"]:
        raise BrokenPromise("these are not the data of the log: their fingerprint differs")
    key = replace(Key.of(known["key"]), strong=bool(known.get("key_strong", True)))
    return Plan.from_mapping(known["plan"]).run(source, seed=key)
