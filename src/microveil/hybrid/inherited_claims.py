"""What a file inherits from what a method keeps in each of its groups."""

from __future__ import annotations

from microveil.claims import Claim, CovariancesAmongReplaced, CovariancesKept, MeansKept, TableKept, ValuesKept
from microveil.synth.base import Synthesiser


def of_union(inside: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Of the claims on every group those that hold for a union of groups."""
    means = [claim for claim in inside if isinstance(claim, MeansKept)]
    return tuple(
        claim
        for claim in inside
        if claim.in_unions == "yes" or (claim.in_unions == "with means" and any(_covers(kept, claim) for kept in means))
    )


def _covers(means: MeansKept, claim: Claim) -> bool:
    """Whether the means of all columns of the claim are kept; a claim without columns is about all."""
    return not means.columns or (bool(claim.columns) and set(claim.columns) <= set(means.columns))


def inherited(synthesiser: Synthesiser, columns: tuple[str, ...], dropped: bool = False) -> tuple[Claim, ...]:
    """What a synthesiser keeps of the file when it runs in groups; `dropped`: in some without the kept columns."""
    kept = of_union(synthesiser.claims(columns))
    if not dropped:
        return kept
    return tuple(CovariancesAmongReplaced() if isinstance(claim, CovariancesKept) else claim for claim in kept)


def of_permuted_rows(columns: tuple[str, ...]) -> tuple[Claim, ...]:
    """Every column keeps its values, and several columns their joint table."""
    return (ValuesKept(), TableKept(columns=columns)) if len(columns) > 1 else (ValuesKept(),)


def draws_afresh(synthesiser: Synthesiser | str | None) -> bool:
    """True if a new value depends on its record only through the group and the columns kept.

    A synthesiser says so by itself (`ties_record`); what is no synthesiser permutes, or draws from the group.
    """
    return not isinstance(synthesiser, Synthesiser) or synthesiser.ties_record != "record"
