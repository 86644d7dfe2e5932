"""Hybrid records as combinations of original and synthetic ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, CovariancesKept, MeansKept, RangeKept
from microveil.core.arrays import Ints, Matrix
from microveil.core.errors import BadInput, NotEnoughRecords
from microveil.core.parameters import Grid, Range, Safer
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.hybrid.base import Hybrid
from microveil.hybrid.groups import near_originals, tell_unchanged_records
from microveil.run.method import Job, Outcome, depends
from microveil.synth.base import Synthesiser
from microveil.synth.ipso import Ipso
from microveil.synth.latin_hypercube import LatinHypercube

Mode = Literal["add", "mult"]


@dataclass(frozen=True, kw_only=True)
class Combine(Hybrid, name="combine"):
    """Pair every record with a synthetic one and release a combination of the two.

    Use it to choose with one number how near to the original the release is: alpha = 1 gives the original, 0 the
    synthetic partner. `add` is the weighted mean of the two values, `mult` the weighted geometric mean, for amounts
    whose ratios matter. `nearest` pairs with the nearest synthetic record, which changes least and uses some of them
    several times; `greedy` and `assignment` (at most 5000 records) use each once. Every value lies between those of
    the pair; nothing is proven about linkage, and a near partner hides little: measure the risk. `restore` gives the
    result the original's exact means and covariances by the smallest change.
    """

    # The literature takes alpha in [0, 1]; 1 is allowed and hides nothing.
    alpha: Annotated[float, Range(ge=0, le=1, grid=(0.2, 0.5, 0.8)), Safer("half"), "weight of the original record"] = (
        0.5
    )
    mode: Annotated[Mode, "weighted mean, or weighted geometric mean"] = "add"
    synthesiser: Annotated[Synthesiser, Grid((LatinHypercube(), Ipso())), "how the synthetic records are drawn"] = (
        field(default_factory=LatinHypercube)
    )
    pairing: Annotated[Literal["nearest", "greedy", "assignment"], "which synthetic record goes with a record"] = (
        "nearest"
    )
    restore: Annotated[bool, "give the result the original's means and covariances"] = False

    also_try = (
        {"synthesiser": Ipso(), "pairing": "greedy"},
        {"mode": "mult", "pairing": "assignment", "restore": True},
    )
    random: ClassVar[bool] = depends(True, lambda hybrid: hybrid.synthesiser.random and hybrid.alpha < 1)
    reference = "Dandekar, Domingo-Ferrer & Sebe 2002"

    def validate(self) -> None:
        """The synthesiser must draw numbers."""
        if "continuous" not in self.synthesiser.kinds:
            raise BadInput(
                f"synthesiser={self.synthesiser.name!r} draws {' and '.join(self.synthesiser.kinds)} columns; give a "
                "synthesiser of numbers, such as 'latin-hypercube'"
            )

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Restored moments, or what values between the original's and the synthesiser's keep."""
        if self.restore:
            return (MeansKept(), CovariancesKept())
        drawn = self.synthesiser.claims(columns)
        kept: tuple[type[Claim], ...] = (RangeKept,)
        # each synthetic record is used once: the mean is the weighted mean of two equal means
        if self.mode == "add" and self.pairing != "nearest" and self.synthesiser.as_many:
            kept += (MeansKept,)
        return tuple(claim for claim in drawn if isinstance(claim, kept))

    def run(self, table: Table, job: Job) -> Outcome:
        """Draw, pair, combine, restore."""
        drawn = self.synthesiser.run(table, replace(job, streams=job.streams.at(self.synthesiser.name)))
        X, S = table.matrix(), _numbers_of(drawn, table, self.synthesiser.name)
        partner = pairs(X, S, self.pairing)
        Z, opposite = combine_cells(X, S[partner], self.alpha, self.mode)
        notes = [*drawn.notes, *_used(partner)]
        if opposite:
            notes.append(f"{opposite} cells have another sign than their partner's; their weighted mean was taken")
        if self.restore and not np.array_equal(Z, X):
            Z, found = _restored(Z, X, job)
            notes += found
        columns = split_columns(Z, table)
        return Outcome(
            columns, notes=(*notes, *near_originals(table, columns), *tell_unchanged_records(table, columns))
        )


def combine_cells(X: Matrix, S: Matrix, alpha: float, mode: Mode) -> tuple[Matrix, int]:
    """The weighted mean of each pair of cells, and in how many it stands in for the geometric mean.

    The geometric mean of two negative numbers is minus that of their moduli; with a zero it is 0. Numbers of opposite
    signs have none: there the arithmetic mean is taken.
    """
    Z = alpha * X + (1.0 - alpha) * S
    opposite = 0
    if mode == "mult":
        same = X * np.sign(S) >= 0
        sign = np.where(X == 0, np.sign(S), np.sign(X))
        Z = np.where(same, sign * np.abs(X) ** alpha * np.abs(S) ** (1.0 - alpha), Z)
        opposite = int(X.size - np.count_nonzero(same))
    # rounding must not carry a value beyond its two parents
    return np.clip(Z, np.minimum(X, S), np.maximum(X, S)), opposite


def pairs(X: Matrix, S: Matrix, pairing: str) -> Ints:
    """The row of S that goes with each row of X; distances on the scale of X's standard deviations."""
    from microveil.kernels.assignment.pairing import pair_assignment, pair_greedy, pair_nearest
    from microveil.kernels.moments.scales import standardise

    known = standardise(X)
    varying = known.scale > 0
    A = known.values[:, varying]
    B = (S[:, varying] - known.centre[varying]) / known.scale[varying]
    if not varying.any():  # all records are alike: any order is as good
        A, B = np.zeros((len(X), 1)), np.zeros((len(S), 1))
    return {"nearest": pair_nearest, "greedy": pair_greedy, "assignment": pair_assignment}[pairing](A, B)


def _numbers_of(drawn: Outcome, table: Table, name: str) -> Matrix:
    """The synthetic records as a matrix."""
    S = Table({column: drawn.columns[column] for column in table.names}, len(drawn.columns[table.names[0]].data))
    if not np.isfinite(S.matrix()).all():
        raise BadInput(f"{name} drew values that are missing or infinite; use another synthesiser")
    return S.matrix()


def _used(partner: Ints) -> tuple[str, ...]:
    times = np.bincount(partner)
    if times.max() == 1:
        return ()
    return (f"{np.count_nonzero(times)} synthetic records serve {len(partner)}, one of them {times.max()} times",)


def _restored(Z: Matrix, X: Matrix, job: Job) -> tuple[Matrix, tuple[str, ...]]:
    """Z with the mean and covariance of X; directions that Z lost are drawn."""
    from microveil.kernels.linalg.recolour import recolour
    from microveil.kernels.moments.central import mean_and_covariance

    mean, V = mean_and_covariance(X)
    try:
        return recolour(Z, mean, V), ()
    except NotEnoughRecords:
        raise
    except BadInput:
        restored = recolour(Z, mean, V, "sym", job.streams.at("fill"))
        return restored, ("the combination lacks directions of the original; they were drawn at random",)
