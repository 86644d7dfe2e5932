"""Claims of hybrid methods: on some of the replaced columns only, and covariances without those of kept columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from microveil.core.claims import Claim, CovariancesKept, Evidence, MeansKept, ValuesKept


@dataclass(frozen=True)
class CovariancesAmongReplaced(CovariancesKept):
    """The covariance matrix of the replaced columns is the original's; nothing is said about kept columns."""

    text = "covariances of the replaced columns with one another are exactly the original's"

    def deviation(self, evidence: Evidence) -> tuple[float, float, float]:
        return super().deviation(replace(evidence, given=None))


class _NamesColumns(Claim):
    def __str__(self) -> str:
        return f"{', '.join(map(str, self.columns))}: {super().__str__()}"


@dataclass(frozen=True)
class MeansOfSome(_NamesColumns, MeansKept):
    """The means of some of the replaced columns are exactly the original's."""


@dataclass(frozen=True)
class CovariancesOfSome(_NamesColumns, CovariancesKept):
    """The covariances of some of the replaced columns are exactly the original's."""


@dataclass(frozen=True)
class CovariancesAmongSome(_NamesColumns, CovariancesAmongReplaced):
    """The covariances of some of the replaced columns with one another are exactly the original's."""


@dataclass(frozen=True)
class ValuesOfSome(_NamesColumns, ValuesKept):
    """Some of the replaced columns have exactly the original's values, only in other records."""

    text = "exactly the original's values, in other records"


_NAMED: dict[type[Claim], type[Claim]] = {
    MeansKept: MeansOfSome,
    CovariancesKept: CovariancesOfSome,
    CovariancesAmongReplaced: CovariancesAmongSome,
    ValuesKept: ValuesOfSome,
}


def on_some(claim: Claim, columns: Sequence[str]) -> Claim:
    """The claim on some of the replaced columns, in words that name them."""
    kind = _NAMED.get(type(claim))
    return claim.on(columns) if kind is None else kind(columns=tuple(columns))
