"""What a release is to be: title, kind, formats, review, and what was published of the same source before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from microveil.core.errors import BadInput
from microveil.core.printable import has_halves, is_plain


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
    have to sign; `as_they_are` columns of which it is decided that they leave as in the file. Paths are relative to the
    project.
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
    as_they_are: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, text in (("title", self.title), *(("name of a signer", one) for one in self.signers)):
            if not is_plain(text):
                raise BadInput(f"the {what} is {text!r}; give one line of signs that are shown")
        if has_halves(self.need):
            raise BadInput(f"need is {self.need!r:.80}, which holds halves of characters; write it anew")
        if self.review:
            _day(self.review)


def check_review(plan: ReleasePlan, day: str) -> None:
    """Refuse a release whose next review would be due on the day it is made, or before."""
    if plan.review and _day(plan.review) <= _day(day):
        told = f"the review is to be by {plan.review}, and the release is of {day}"
        later = "give a later day of review, by which the decision is looked at again"
        raise BadInput(f"{told}; {later}").at("release", "review")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"{text!r:.40} is no day; write it as 2028-06-30") from None
