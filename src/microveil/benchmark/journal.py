"""What was measured already, a line of JSON for each plan, so that a benchmark that was stopped goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Any

from microveil.benchmark.figures import taken
from microveil.core.open_types import Json
from microveil.study.lines import Lines

VERSION = 1
_DIFFERS = {
    "version": "is of another version of benchmarks",
    "data": "is about another file",
    "fingerprint": "is about other data",
    "key": "has another seed",
    "figures": "holds other figures",
}


@dataclass(frozen=True)
class Result:
    """What was found of one plan: figures and their parts by name, why others are missing, how long it took.

    `worst_by` names the attack whose figure the worst case is; `problem` says why a plan could not be run.
    """

    text: str
    label: str
    group: str
    figures: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    silent: Mapping[str, str] = field(default_factory=dict)
    worst_by: str = ""
    problem: str = ""
    seconds: float = 0.0


class Journal:
    """The results of one file under one key, those of before and those that are added."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self._lines = Lines(path, {"version": VERSION, **about}, _DIFFERS, _is_result, lambda fields: fields["text"])
        self.results = {one["text"]: Result(**one) for one in self._lines.found}

    def add(self, result: Result) -> None:
        """Note a result."""
        self.results[result.text] = result
        self._lines.add(asdict(result))


def _is_result(line: Json) -> bool:
    """Whether a line tells of a plan, with all fields as they were written and figures that their measures can be."""
    if line.keys() != {one.name for one in fields(Result)}:
        return False
    try:
        known = {name: one.measure.bounds for name, one in taken().items()}
        sound = all(known[name][0] <= value <= known[name][1] for name, value in line["figures"].items())
        told = all(isinstance(line[name], str) for name in ("label", "group", "worst_by", "problem"))
        parts = all(isinstance(one, float | int) for each in line["parts"].values() for one in each.values())
        silent = all(isinstance(reason, str) for reason in line["silent"].values())
        return (
            isinstance(json.loads(line["text"]), dict)
            and sound
            and told
            and parts
            and silent
            and 0 <= line["seconds"] < inf
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return False
