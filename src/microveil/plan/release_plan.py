"""What is stated about a release: its kind and need, its register, and figures that were published elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Published:
    """A figure that was published elsewhere, with which the release must agree."""

    statistic: str  # "sum" | "mean" | "count"
    value: float
    of: str | None = None  # the column; None for counts
    where: Mapping[str, object] = field(default_factory=dict)
    tolerance: float = 0.0  # relative


@dataclass(frozen=True)
class ReleasePlan:
    """Everything that a project states about the release itself."""

    title: str = "Protected microdata"
    kind: str = "public"
    need: str = ""
    formats: tuple[str, ...] = ("csv",)
    review: str = ""
    register: str = "register.jsonl"
    earlier: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()
    signers: tuple[str, ...] = ()
