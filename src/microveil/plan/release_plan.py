"""What a release is to be: title, kind, formats, review, and what was published of the same source before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Published:
    """A figure that was published elsewhere, with which the release must agree."""

    statistic: str  # "sum" | "mean" | "count"
    value: float
    of: str | None = None  # the column; None for counts
    where: Mapping[str, object] = field(default_factory=dict)  # values of columns, all of which a record must have
    tolerance: float = 0.0  # relative


@dataclass(frozen=True)
class ReleasePlan:
    """What a release is to be: what it is called, who gets it, in which formats, and what else is known of its source.

    `earlier` are folders of earlier runs of the same source that the `register` does not know; `signers` those who
    have to sign. Paths are relative to the project.
    """

    title: str = "Protected microdata"
    kind: str = "public"
    need: str = ""
    formats: tuple[str, ...] = ("csv",)
    review: str = ""
    register: str = "register.jsonl"
    earlier: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    signers: tuple[str, ...] = ()
