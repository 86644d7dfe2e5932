"""What the last look at the file told of its columns: pages read it and never open the data themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from microveil.app.calls.inspecting import LOOK
from microveil.app.visit import Visit
from microveil.core.open_types import Json


@dataclass(frozen=True)
class ColumnFacts:
    """One column of the file: what was found in it, and what was proposed for it and why."""

    name: str
    role: str = ""
    kind: str = ""
    why: str = ""
    distinct: int = 0
    missing: int = 0
    frequent: tuple[tuple[str, int], ...] = ()
    values: tuple[str | int | float, ...] = ()
    bins: tuple[tuple[float, float, int], ...] = ()
    title: str = ""
    labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Looked:
    """A look at the whole file."""

    records: int = 0
    read_as: str = ""
    baseline: str = ""
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    rules: tuple[Json, ...] = ()
    hierarchies: Mapping[str, Any] = field(default_factory=dict)


def looked(visit: Visit) -> Looked | None:
    """The newest look at the file of the project; None while nobody looked at it."""
    path = visit.now.project.path if visit.now.project is not None else None
    for job in visit.space.jobs.all():
        if job.what == "inspect" and job.state == "done" and job.result.get("path") == path:
            text = job.file(LOOK)
            return _read(json.loads(text)) if text else None
    return None


def _read(said: Json) -> Looked:
    columns = {
        one["name"]: ColumnFacts(
            one["name"],
            one["role"],
            one["kind"],
            one["why"],
            one["distinct"],
            one["missing"],
            tuple((value, count) for value, count in one["frequent"]),
            tuple(one["values"]),
            tuple((low, high, count) for low, high, count in one["bins"]),
            one.get("title", ""),
            tuple((code, text) for code, text in one.get("labels", ())),
        )
        for one in said["columns"]
    }
    return Looked(
        said["records"], said["read_as"], said["baseline"], columns, tuple(said["rules"]), said["hierarchies"]
    )
