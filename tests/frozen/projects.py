"""Generated projects: what each releases under a fixed key, what is decided about it, and its figures.

A project is drawn from its number alone, so that any of them can be run alone:

    python -m tests.frozen.projects 17      what project 17 is, and what comes of it

`bytes` are hashes of the written files; those of other formats than CSV may differ with the versions of libraries, what
`cells` says of them may not.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import microveil as mv
from tests.frozen._project_files import Generated, generated

LIBRARIES = ("numpy", "scipy", "numba", "scikit-learn", "pyarrow", "pyreadstat", "openpyxl")
COUNT = 300
QUICK = 50
TOLERANCE = 2e-9  # figures are rounded to ten digits, which may fall on either side
KEY = "5c9e1f0a7b3d48e26f10a2c4d6e8f0b1c3d5e7f90a1b2c3d4e5f60718293a4b5"
_FULL_EVERY = 5


def entries(sample: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield what comes of every project, or of every tenth and so on."""
    for number in range(0, COUNT, sample):
        for key, value in outcome(generated(number)):
            yield f"{number:03d} {key}", value


def outcome(project: Generated) -> Iterator[tuple[str, Any]]:
    """Yield what comes of a project: the error that refuses it, or files, figures and verdicts."""
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(place)
        try:
            stated = mv.plan.Project.load(project.save(folder))
            data = stated.read(folder)
            yield "read", {"cells": _hash_of_cells(data), "kinds": [data.schema[name].kind for name in data.columns]}
            release = stated.plan.run(data, seed=KEY)
        except mv.errors.MicroveilError as problem:
            yield "refused", type(problem).__name__
            return
        yield "release", _facts_of(release)
        for ending in dict.fromkeys(("csv", project.target)):
            yield f"written {ending}", _written(release, folder / f"out.{ending}")
        yield from _judged(project.number, stated, data, release)


def _judged(number: int, stated: Any, data: Any, release: Any) -> Iterator[tuple[str, Any]]:
    measures = None if number % _FULL_EVERY == 0 else "quick"
    try:
        figures = mv.evaluate(data, release, measures=measures, scenarios=stated.scenarios)
        yield "figures", _figures(figures)
        for scenario in ((), *((one,) for one in stated.scenarios)):
            verdict = mv.plan.verdict_of(release, scenario, figures)
            yield f"verdict {scenario[0].name}" if scenario else "verdict", _verdict(verdict, bool(scenario))
    except mv.errors.MicroveilError as problem:
        yield "not judged", type(problem).__name__


def _facts_of(release: Any) -> dict[str, Any]:
    guarantee = release.guarantee
    return {
        "records": len(release),
        "columns": list(release.columns),
        "claims": len(release.claims),
        "lost": len(release.lost),
        "notes": len(release.notes),
        "k": None if guarantee is None else guarantee.k,
    }


def _written(release: Any, path: Path) -> Any:
    try:
        mv.write(release, path, reproducible=True)
    except mv.errors.MicroveilError as problem:
        return type(problem).__name__
    found = {"bytes": hashlib.sha256(path.read_bytes()).hexdigest()[:16]}
    if path.suffix != ".csv":
        found["cells"] = _hash_of_cells(mv.read(path))
    return found


def _hash_of_cells(data: Any) -> str:
    """Hash of names and values; a float and a whole number of the same value are the same cell."""
    digest = hashlib.sha256(json.dumps(list(data.columns)).encode())
    for name in data.columns:
        digest.update(json.dumps([_cell(value) for value in data.frame[name].to_pylist()]).encode())
    return digest.hexdigest()[:16]


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return None if value != value else float(f"{value:.15g}")
    return (
        float(value)
        if isinstance(value, int) and not isinstance(value, bool)
        else value
        if value is None
        else str(value)
    )


def _figures(evaluation: Any) -> dict[str, Any]:
    """Every figure by its name; null where it does not apply."""
    found = {}
    for line in evaluation.lines:
        found[line.measure.name] = _figure(line.result)
    return {**found, "worst": _figure(evaluation.worst)}


def _figure(result: Any) -> Any:
    """The value, and the sum of its parts and ends so that no part moves unnoticed."""
    said = result.to_json()
    if said.get("value") is None:
        return None
    rest = [*said["parts"].values(), *(said["interval"] or ())]
    finite = [value for value in rest if isinstance(value, int | float) and math.isfinite(value)]
    return [_rounded(said["value"]), _rounded(math.fsum(finite))] if rest else [_rounded(said["value"])]


def _rounded(value: Any) -> Any:
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _verdict(verdict: Any, of_scenario: bool) -> dict[str, Any]:
    said: dict[str, Any] = {
        "state": verdict.state,
        "ok": verdict.ok,
        "doubts": len(verdict.doubts),
        "because": len(verdict.because),
        "help": len(verdict.help),
    }
    if of_scenario:
        return said
    plain = verdict.to_json()
    for when in ("before", "after"):
        said[when] = {name: _rounded(value) for name, value in plain[when].items() if isinstance(value, int | float)}
    for name in ("loss", "loss_of_categories", "loss_of_detail"):
        said[name] = _rounded(plain[name])
    found = {one["attack"]: _rounded(one["found"]) for one in plain["attacked"]}
    return {**said, "keys": plain["keys_counted"], "exposed": bool(plain["exposed"]), "succeeding": sum(found.values())}


if __name__ == "__main__":
    for number in map(int, sys.argv[1:]):
        made = generated(number)
        print(json.dumps(made.fields, indent=1, default=str))
        for key, value in outcome(made):
            print(key, json.dumps(value))
