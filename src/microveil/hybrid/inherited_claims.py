"""What a file inherits from what a method keeps in each of its groups."""

from __future__ import annotations

from microveil.core.claims import (
    ChangeWithin,
    Claim,
    CovariancesKept,
    EqualRowsAtLeast,
    GroupsAtLeast,
    MeansKept,
    MultiplesOf,
    RangeKept,
    TailsAtLeast,
    ValuesKept,
    VariancesKept,
)
from microveil.core.claims_hybrid import CovariancesAmongReplaced
from microveil.core.claims_noise import RelativeChangeWithin
from microveil.core.claims_values import BetweenBounds, CellsUnchanged, SumHolds, TableKept, ValuesAtLeast
from microveil.synth.base import FullSynthesiser, Synthesiser
from microveil.synth.ipso import Ipso

# what holds in every group and therefore in the file; ranks, order and totals do not add up like that
_LASTING: tuple[type[Claim], ...] = (
    MeansKept,
    ValuesKept,
    RangeKept,
    TableKept,
    ChangeWithin,
    RelativeChangeWithin,
    CellsUnchanged,
    MultiplesOf,
    BetweenBounds,
    SumHolds,
    EqualRowsAtLeast,
    ValuesAtLeast,
    TailsAtLeast,
    GroupsAtLeast,
)
# the covariance of a union is that inside its groups and that of their means
_WITH_MEANS: tuple[type[Claim], ...] = (VariancesKept, CovariancesKept)


def of_union(inside: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Of the claims on every group those that hold for a union of groups."""
    with_means = any(isinstance(claim, MeansKept) for claim in inside)
    lasting = (*_LASTING, *_WITH_MEANS) if with_means else _LASTING
    return tuple(claim for claim in inside if isinstance(claim, lasting) and not _scaled(claim))


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
    """Whether nothing but the group, and kept columns, ties a new value to its record; no synthesiser: permuted."""
    if isinstance(synthesiser, Ipso):
        return synthesiser.rho is None
    if isinstance(synthesiser, FullSynthesiser):
        return not getattr(synthesiser, "cells", None)
    return not isinstance(synthesiser, Synthesiser)


def _scaled(claim: Claim) -> bool:
    return isinstance(claim, CovariancesKept) and (claim.factor != 1 or claim.diagonal != 0)
