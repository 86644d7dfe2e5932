"""The intake of a run: which file came in, as what it was read, and how risky and how useful it is as it is."""

from __future__ import annotations

import json
from pathlib import Path

from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.data.fingerprint import fingerprint
from microveil.data.microdata import Microdata
from microveil.plan.assessment import assess
from microveil.plan.project import Project
from microveil.plan.utility_baseline import estimate_goals


def manifest_of(data: Microdata, source: Path, digest: str) -> str:
    """What came in, as JSON text: the file by hash and size, records, columns with types, and how it was read."""
    reading = data.codebook.reading if data.codebook is not None else {}
    said: Json = {
        "file": source.name,
        "sha256": digest,
        "bytes": source.stat().st_size,
        "fingerprint": fingerprint(data),
        "records": data.n,
        "reading": {name: value for name, value in reading.items() if name != "missing"},
        "columns": [_column(data, name, reading.get("missing", {}).get(name, ())) for name in data.columns],
    }
    return _text(said)


def _column(data: Microdata, name: str, words: object) -> Json:
    column = data.schema[name]
    codes = [*column.missing, *(words if isinstance(words, list | tuple) else ())]
    said: Json = {
        "name": name,
        "type": str(data.narwhal.get_column(name).dtype),
        "role": column.role,
        "kind": column.kind,
        "missing": int(data.values(name).missing.sum()),
    }
    return {**said, "missing_codes": codes} if codes else said


def baseline_of(data: Microdata, project: Project) -> str:
    """Risk and utility before anything is done, as JSON text: keys, scenarios, and figures with their intervals."""
    try:
        risk = assess(data, scenarios=project.scenarios).to_json()
    except BadInput as problem:  # nobody states a key, and no column looks like one
        risk = {"not_assessed": str(problem)}
    return _text({"risk": risk, "utility": [one.to_json() for one in estimate_goals(data, project.utility)]})


def _text(said: Json) -> str:
    return json.dumps(said, indent=1, ensure_ascii=False, default=str) + "\n"
