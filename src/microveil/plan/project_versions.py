"""Versions of project files: older ones are brought up to the one that is read here, newer ones are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from microveil.core.errors import BadInput
from microveil.core.open_types import Json
from microveil.plan.project_shapes import Place

VERSION = 2
_ADDED_IN_2 = ("utility", "release")


def _from_1(fields: Json, place: Place) -> Json:
    """Version 1 knew neither utility nor release: both begin empty, as a run took them then."""
    for name in _ADDED_IN_2:
        if name in fields:
            raise BadInput(f"a project of version 1 has no field {name!r}; write version: 2{place(name)}")
    return {**fields, "version": 2}


# what brings a project of one version up to the next
MIGRATIONS: Mapping[int, Callable[[Json, Place], Json]] = {1: _from_1}
_CHANGES = {1: "sections utility and release may be added once it says version: 2"}


def migrate(fields: Json, place: Place) -> tuple[Json, tuple[str, ...]]:
    """The fields as the present version has them, and what people are told about it."""
    version = fields.get("version", VERSION)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadInput(
            f"the project has version {version!r}; this release reads version {', '.join(map(str, MIGRATIONS))} and "
            f"{VERSION}{place('version')}"
        )
    if version > VERSION:
        raise BadInput(
            f"the project has version {version}; this release reads versions up to {VERSION}: a newer microveil wrote "
            f"it, install that one{place('version')}"
        )
    told = []
    while version < VERSION:
        told.append(f"The project is of version {version} and was read as version {version + 1}: {_CHANGES[version]}.")
        fields = MIGRATIONS[version](fields, place)
        version += 1
    return fields, tuple(told)
