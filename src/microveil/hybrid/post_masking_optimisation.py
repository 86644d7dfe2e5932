"""Masked data improved cell by cell towards the original's means and second moments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import BetweenBounds, Claim, MultiplesOf, RangeKept, ValuesKept
from microveil.core.arrays import Matrix
from microveil.core.errors import BrokenPromise, MissingValues
from microveil.core.parameters import Grid, Range, When
from microveil.data.matrices import split_columns
from microveil.data.microdata import Microdata
from microveil.data.table import Table
from microveil.hybrid.base import Hybrid
from microveil.hybrid.groups import near_originals
from microveil.mask.base import Mask
from microveil.mask.microaggregation import Microaggregation
from microveil.mask.nested import check_acts_on_numbers, refuse_other_columns, run_nested
from microveil.mask.rank_swap import RankSwap
from microveil.mask.uncorrelated_noise import UncorrelatedNoise
from microveil.run.method import Job, Outcome, Step, depends

if TYPE_CHECKING:
    from microveil.kernels.refinement.hill_climb import Aim, Rules


MOVES_PER_CELL = 20
FAILURES_PER_RECORD = 50
# Errors relative to a mean depend on the position of zero and explode near it, so `scaled` is the default. The base of
# a relative error is at least this, in standard deviations or products of two.
SMALLEST_BASE = 0.1
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class PostMaskingOptimisation(Hybrid, name="post-masking-optimisation"):
    """Mask the records, then change single cells so that means and second moments come nearer to the original's.

    Use it after a mask that protects well and loses relations between columns: moves at random are taken if the
    error of the moments falls, so it never rises. A value may not come within `width` per cent of the original
    column's standard deviation of its original value unless it was as near before: interval disclosure at these
    widths never rises (before rounding to whole numbers). With `keep_distance` no record comes nearer to its own
    original than the mask put it. `scaled` errors are in standard deviations, moments taken about the original's
    means: units and shifts do not matter. `relative` ones are those of the literature, of means and of moments about
    zero, relative to the original's. Equal records and groups of the mask do not survive. For exact moments use
    `cholesky-hybrid`, which moves all cells at once.
    """

    mask: Annotated[
        Mask, Grid((RankSwap(p=7), Microaggregation(), UncorrelatedNoise())), "the method whose result is improved"
    ] = field(default_factory=lambda: RankSwap(p=7))
    moves: Annotated[
        Literal["both", "exchanges", "values"], "exchange two cells of a column, give one a new value, or both"
    ] = "both"
    values: Annotated[
        Literal["masked", "range"],
        When(moves=("both", "values")),
        "new values: copied from the masked column, or evenly from the original's range",
    ] = "masked"
    width: Annotated[
        float, Range(ge=0, le=100, grid=(2, 10)), "half-width of the intervals kept free, per cent of a deviation"
    ] = 10.0
    keep_distance: Annotated[bool, "keep every record as far from its own original as the mask put it"] = False
    errors: Annotated[Literal["scaled", "relative"], "how errors of moments are measured"] = "scaled"
    budget: Annotated[int | None, Range(ge=0, grid=(None, 2000)), "most moves to try; none: 20 for each cell"] = None

    random: ClassVar[bool] = depends(True, lambda hybrid: hybrid.mask.random or hybrid.budget != 0)
    reference = "Sebe, Domingo-Ferrer, Mateo-Sanz & Torra 2002"

    def validate(self) -> None:
        """The mask must act on numbers."""
        check_acts_on_numbers(self.mask)

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """What the mask says of the values of a column, where no others come in."""
        masked = self.mask.claims(columns)
        ranged = any(isinstance(claim, RangeKept | ValuesKept) for claim in masked)
        lasting: tuple[type[Claim], ...] = () if self.values == "range" else (MultiplesOf, BetweenBounds)
        if self.moves == "exchanges":
            lasting += (ValuesKept,)
        kept = tuple(claim for claim in masked if isinstance(claim, lasting))
        return (RangeKept(), *kept) if ranged else kept

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns of numbers; the mask may need no others."""
        chosen, given = super().resolve(data, step)
        refuse_other_columns(self.mask, chosen, data, step, self.name)
        return chosen, given

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask, then climb."""
        from microveil.kernels.refinement.hill_climb import hill_climb

        masked, changed = run_nested(self.mask, table, job)
        X = table.matrix()
        start, paired = self._numbers(changed), X if masked.origin is None else X[masked.origin]
        aim = aim_of(X, self.errors)
        rules = self._rules(X, start, paired, aim)
        Y, cells = start.copy(), len(start) * len(rules.columns)
        budget = MOVES_PER_CELL * cells if self.budget is None else self.budget
        generator = job.streams.at("moves").generator()
        climb = hill_climb(Y, paired, aim, rules, budget, FAILURES_PER_RECORD * len(Y), generator)
        if climb.after > climb.before:  # by rounding, where there was nothing to gain
            Y, climb = start, climb._replace(after=climb.before, taken=0)
        _check_apart(Y, start, paired, aim, rules)
        note = (
            f"error of means and second moments {climb.before:.4g} before, {climb.after:.4g} after "
            f"{climb.taken} moves taken of {climb.tried} tried"
        )
        columns = {**masked.columns, **split_columns(Y, changed)}
        # single cells moved: the groups of the mask are groups no more
        near = near_originals(table, columns, masked.origin)
        return replace(masked, columns=columns, groups=None, notes=(*masked.notes, note, *near))

    def _numbers(self, changed: Table) -> Matrix:
        Y = changed.matrix()
        if np.isnan(Y).any():
            raise MissingValues(f"{self.mask.name} left gaps and moments need complete records; use another mask")
        return Y

    def _rules(self, X: Matrix, start: Matrix, paired: Matrix, aim: Aim) -> Rules:
        from microveil.kernels.refinement.hill_climb import Rules, squared_distances

        scale = np.divide(1.0, aim.per_unit, out=np.zeros(X.shape[1]), where=aim.per_unit > 0)
        none, drawn = np.zeros(0), self.values == "range"
        return Rules(
            columns=np.flatnonzero(aim.per_unit > 0),
            reach=self.width / 100.0 * scale * (1.0 + _ROUNDING),
            distance=squared_distances(start, paired, aim.per_unit) if self.keep_distance else none,
            low=X.min(axis=0) if drawn else none,
            high=X.max(axis=0) if drawn else none,
            exchanges={"both": 0.5, "exchanges": 1.0, "values": 0.0}[self.moves],
        )


def aim_of(X: Matrix, errors: Literal["scaled", "relative"]) -> Aim:
    """The original's moments and the weights of their errors: the mean over means plus the mean over second moments."""
    from microveil.kernels.moments.scales import standardise
    from microveil.kernels.refinement.hill_climb import Aim, moments_about

    known = standardise(X)
    moving = known.scale > 0
    centre = known.centre if errors == "scaled" else np.zeros(X.shape[1])
    per_unit = np.divide(1.0, known.scale, out=np.zeros(X.shape[1]), where=moving)
    empty = np.zeros((X.shape[1], X.shape[1]))
    mean, cross = moments_about(X, Aim(centre, per_unit, per_unit, empty, per_unit, empty))
    count = max(int(moving.sum()), 1)
    mean_weight, cross_weight = moving / count, np.outer(moving, moving) / (count * (count + 1) / 2)
    if errors == "relative":
        mean_weight = mean_weight / np.maximum(np.abs(mean), SMALLEST_BASE)
        cross_weight = cross_weight / np.maximum(np.abs(cross), SMALLEST_BASE)
    return Aim(centre, per_unit, mean, cross, mean_weight, cross_weight)


def _check_apart(Y: Matrix, start: Matrix, X: Matrix, aim: Aim, rules: Rules) -> None:
    """Refuse a result in which a value or a record came nearer to its original than the rules allow."""
    from microveil.kernels.moments.central import row_blocks
    from microveil.kernels.refinement.hill_climb import squared_distances

    for rows in row_blocks(Y):
        gap = np.abs(Y[rows] - X[rows])
        if ((gap <= rules.reach) & (gap < np.abs(start[rows] - X[rows]))).any():
            raise BrokenPromise("values came nearer to their originals than the mask put them")
    if len(rules.distance) and (squared_distances(Y, X, aim.per_unit) < rules.distance * (1.0 - _ROUNDING)).any():
        raise BrokenPromise("records came nearer to their originals than the mask put them")
