"""The files that a project names: what is written on a page names none outside of the folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from microveil.app.paths import below
from microveil.hierarchy.stated import is_rule
from microveil.plan import Project
from microveil.plan.release_plan import ReleasePlan


def check_new_files(project: Project, before: Project | None, folder: Path) -> None:
    """Refuse a file elsewhere that the project did not name before; what somebody wrote there by hand may stay."""
    known = {ReleasePlan().register, *(_all_in(before) if before is not None else ())}
    for named in _all_in(project):
        if named not in known:
            below(folder, named)


def check_read_files(project: Project, folder: Path) -> None:
    """Refuse a project whose data or hierarchies lie elsewhere by now, whoever wrote it, also behind links."""
    for named in read_in(project):
        below(folder, named)


def file_of(hierarchy: Any) -> str:
    """The file by which a hierarchy is stated, alone or in the settings of its rule; empty where there is none."""
    if is_rule(hierarchy):
        settings = next(iter(hierarchy.values())) if isinstance(hierarchy, Mapping) else {}
        return str(settings.get("file") or "")
    return hierarchy if isinstance(hierarchy, str) else ""


def read_in(project: Project) -> Iterator[str]:
    """The file of a project and those of its hierarchies."""
    yield project.path
    yield from filter(None, (file_of(facts.get("hierarchy")) for facts in project.columns.values()))


def _all_in(project: Project) -> Iterator[str]:
    yield from read_in(project)
    yield project.release.register
    yield from project.release.earlier
