"""What is stated about a release before it is made: for whom, why, in which forms, and who answers for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Published:
    """A figure that was published elsewhere, with which the release must agree.

    `statistic` is sum, mean or count; `of` the column, none for counts; `where` the values of columns that select its
    records; `tolerance` is relative.
    """

    statistic: str
    value: float
    of: str | None = None
    where: Mapping[str, object] = field(default_factory=dict)
    tolerance: float = 0.0


@dataclass(frozen=True)
class ReleasePlan:
    """The section `release` of a project: `kind` is public, scientific or secure."""

    title: str = "Protected microdata"
    kind: str = "public"
    need: str = ""
    formats: tuple[str, ...] = ("csv",)
    review: str = ""
    register: str = "register.jsonl"
    earlier: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    signers: tuple[str, ...] = ()
