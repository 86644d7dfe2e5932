"""What a file inherits from what is kept in each part of its rows."""

from __future__ import annotations

from collections.abc import Iterable

from microveil.claims import Claim, MeansKept


def of_union(inside: Iterable[Claim]) -> tuple[Claim, ...]:
    """Of the claims on every part of the rows those that hold for the union of the parts."""
    inside = tuple(inside)
    means = [claim for claim in inside if isinstance(claim, MeansKept)]
    return tuple(
        claim
        for claim in inside
        if claim.in_unions == "yes" or (claim.in_unions == "with means" and any(_covers(kept, claim) for kept in means))
    )


def _covers(means: MeansKept, claim: Claim) -> bool:
    """Whether the means of all columns of the claim are kept; a claim without columns is about all."""
    return not means.columns or (bool(claim.columns) and set(claim.columns) <= set(means.columns))
