"""Figures that were published elsewhere: one that the original itself does not give, or a release, ends a run."""

from __future__ import annotations

from collections.abc import Sequence

from microveil.core.errors import BadInput
from microveil.core.numbers import format_number
from microveil.data.microdata import Microdata
from microveil.measure import Pair
from microveil.package.audit_totals import CHECK
from microveil.package.findings import Finding
from microveil.plan.published_totals import agrees, compare_published, describe, figure_of, off, without_identifiers
from microveil.plan.release_plan import Published

TO_DO = "keep these columns as numbers and the values of `where` as they are, or take the figure out of `published`"


def refuse_wrong_totals(data: Microdata, published: Sequence[Published]) -> None:
    """A published figure that the original itself does not give is refused before anything is done.

    No plan could be blamed for it, and a run would tell it only after minutes.
    """
    given, weight = without_identifiers(data, data)
    for number, stated in enumerate(published):
        found = figure_of(given, stated, weight)
        if isinstance(found, str):
            told = f"it cannot be computed from the original: {found.partition(';')[0]}"  # nothing was recoded yet
        elif not agrees(stated, found):
            told = (
                f"the original gives {format_number(found, 6)}, and the published {format_number(stated.value, 6)} is "
                f"{off(stated, found)} already, where {format_number(100 * stated.tolerance)} % are tolerated"
            )
        else:
            continue
        problem = BadInput(
            f"published figure {number + 1}, {describe(stated, weight is not None)}: {told}; correct the figure or its "
            "tolerance, or take it out of `published`. Nothing was written"
        )
        problem.place = ("release", "published", str(number))
        raise problem


def published_faults(pair: Pair, published: Sequence[Published]) -> tuple[str, ...]:
    """In sentences, the published figures that the release does not give, or that cannot be compared."""
    return tuple(one.said for one in compare_published(pair, published) if not one.kept)


def faults_among(found: Sequence[Finding]) -> tuple[str, ...]:
    """What an audit says of published figures that differ, or that it could not compare: nobody knows of these."""
    return tuple(one.text for one in found if one.check == CHECK and one.state != "holds")
