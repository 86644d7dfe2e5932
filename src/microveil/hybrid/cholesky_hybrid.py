"""Masked data brought back to the original's exact means and covariances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, CovariancesKept, EqualRowsAtLeast, GroupsAtLeast, MeansKept
from microveil.core.arrays import Matrix
from microveil.core.errors import BadInput, MissingValues, NotEnoughRecords
from microveil.core.parameters import Example, Grid, OfColumns, Range, When
from microveil.data.matrices import split_columns
from microveil.data.microdata import Microdata
from microveil.data.table import Table
from microveil.hybrid.attribute_blocks import blocks_of_records, columns_of_labels, common_blocks, same_blocks
from microveil.hybrid.base import Hybrid
from microveil.hybrid.feasible_core import restore_inside_rules
from microveil.hybrid.groups import near_originals, outside_range
from microveil.hybrid.learnt_hybrid import LearntHybrid, learn_hybrid
from microveil.hybrid.triangular import hybrid_of_drawn_rows, last_rows, triangular_hybrid
from microveil.mask.base import Mask, depends
from microveil.mask.microaggregation import Microaggregation
from microveil.mask.nested import check_acts_on_numbers, refuse_other_columns, run_nested
from microveil.mask.rank_swap import RankSwap
from microveil.mask.uncorrelated_noise import UncorrelatedNoise
from microveil.run.by_rows import ByRows
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, Step
from microveil.run.parts import join_columns, part_of, run_parts

SMALLEST_FILE = 3  # mean and variance of two values give the values away
SURVIVING = (EqualRowsAtLeast, GroupsAtLeast)


@dataclass(frozen=True, kw_only=True)
class CholeskyHybrid(ByRows, Hybrid, name="cholesky-hybrid"):
    """Mask the records, then move them so that means and covariances are exactly the original's.

    Use it when records should stay similar and linear analyses come out the same; with `by` they do in every
    subdomain and so in any union of subdomains. `minimal` makes the smallest change to the masked file, and
    equal masked records stay equal; `polar` is the same optimum found in another way that also takes masked
    files with fewer distinct records than columns; `paper` is the published triangular algorithm, which puts
    the whole correction on as many records as there are columns less one and so moves the others further: by
    default on records that make its equations well conditioned, with `rows="last"` on the last ones, as published.
    `feasible` looks among the files that keep the edits of the data for one near the masked file.
    With `blocks`, subdomains are sets of columns too: each is masked and brought back by itself, which needs fewer
    records and is exact within the block, not between columns of two blocks. Blocks may differ between subdomains
    of records: {"region=north": [["sales", "costs"], ["debt"]]}, together with by="region".
    """

    mask: Annotated[
        Mask,
        Grid((RankSwap(p=7), Microaggregation(), UncorrelatedNoise())),
        "the method whose result is brought back to the original's moments",
    ] = field(default_factory=lambda: RankSwap(p=7))
    core: Annotated[
        Literal["minimal", "polar", "paper", "feasible"],
        "how the moments are restored; feasible: inside the edits of the data",
    ] = "minimal"
    rows: Annotated[
        Literal["pivoted", "last", "drawn"],
        When(core="paper"),
        "records that take the correction of core='paper': well-conditioned ones, the last of the file as published, "
        "or some at random",
    ] = "pivoted"
    blocks: Annotated[
        int | tuple[tuple[str, ...], ...] | Mapping[str, tuple[tuple[str, ...], ...]] | None,
        Range(ge=1, grid=(None, 3)),
        OfColumns("values"),
        Example([["income", "taxes"], ["age"]]),
        "columns protected together: all, so many at a time in file order, lists of names, or lists per subdomain",
    ] = None

    also_try = (
        {"blocks": 2},
        {"mask": Microaggregation(), "core": "polar"},
        {"mask": Microaggregation(), "core": "paper"},
        {"mask": UncorrelatedNoise(), "core": "paper", "rows": "last"},
        {"mask": Microaggregation(), "core": "paper", "rows": "drawn"},
        {"mask": Microaggregation(), "core": "feasible"},
    )
    # directions that masking lost are drawn too: an exception, and noted
    passes: ClassVar[Passes] = depends(
        "sums", lambda hybrid: "sums" if hybrid.core == "minimal" and hybrid.mask.passes in ("row", "sums") else "file"
    )
    gathers: ClassVar[bool] = depends(
        False,
        lambda hybrid: (
            hybrid.core == "minimal"
            and hybrid.blocks is None
            and isinstance(hybrid.mask, ByRows)
            and hybrid.mask.gathers
            and hybrid.mask.passes in ("row", "sums")
        ),
    )
    random: ClassVar[bool] = depends(
        True, lambda method: method.mask.random or method.rows == "drawn" or method.core == "feasible"
    )
    least_records: ClassVar[tuple[int, int]] = depends(
        (1, 1), lambda hybrid: (1, 1) if hybrid.blocks is None else (3, 0)
    )
    reference = (
        "Domingo-Ferrer, Mateo-Sanz & Sebe, Information loss in continuous hybrid microdata; Olkin & Pukelsheim 1982"
    )

    def validate(self) -> None:
        """The mask must act on numbers."""
        check_acts_on_numbers(self.mask)

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Means; covariances in each block; of the mask what one affine map of all columns of a block keeps."""
        blocks = common_blocks(self.blocks, columns)
        if len(blocks) == 1:
            return (MeansKept(), CovariancesKept(), *self._of_mask(columns, SURVIVING))
        each = [(CovariancesKept(columns=block), *self._of_mask(block, (EqualRowsAtLeast,))) for block in blocks]
        return (MeansKept(), *(claim for claims in each for claim in claims))

    def _of_mask(self, columns: tuple[str, ...], surviving: tuple[type[Claim], ...]) -> tuple[Claim, ...]:
        if self.core != "minimal":
            return ()
        kept = (claim for claim in self.mask.claims(columns) if isinstance(claim, surviving))
        # the map mixes columns: records equal on some columns only do not stay so
        return tuple(claim.on(columns) for claim in kept if not claim.columns or set(claim.columns) == set(columns))

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The columns of numbers; the mask may need no others."""
        chosen, given = super().resolve(data, step)
        refuse_other_columns(self.mask, chosen, data, step, self.name)
        return chosen, given

    def looks_at(self, data: Microdata) -> tuple[str, ...]:
        """The columns by which blocks differ between records."""
        return columns_of_labels(self.blocks, data) if isinstance(self.blocks, Mapping) else ()

    def learn(self, table: Table, job: Job) -> LearntHybrid:
        """What the mask must know, the moments to restore, and the maps that do so, from moments alone."""
        assert isinstance(self.mask, ByRows)
        return learn_hybrid(self.mask, table, job, self._check_size)

    def act(self, table: Table, job: Job, known: LearntHybrid) -> Outcome:
        """Mask some records and move them."""
        return known.outcome(table, job)

    def settle(self, found: Outcome, table: Table, job: Job, known: LearntHybrid) -> Outcome:
        """What to know of values that left the range of the original, or hardly changed."""
        return replace(found, notes=known.notes(found.tallies), tallies={})

    def run(self, table: Table, job: Job) -> Outcome:
        """Mask, then restore, block by block."""
        if job.streams.path in job.known:
            return super().run(table, job)
        if isinstance(self.blocks, Mapping):
            blocks = blocks_of_records(self.blocks, table.names, job.around)
        else:
            blocks = same_blocks(self.blocks, table.names)
        if len(blocks) == 1:
            return self._run_block(table, job)
        parts = [
            part_of(table, job, ("block", number), names=block, label=", ".join(block))
            for number, block in enumerate(blocks)
        ]
        ran = run_parts(parts, self._run_block, table.rows * len(parts), job.engine)
        if any(part.outcome.origin is not None for part in ran):
            raise BadInput(f"{self.mask.name} draws records, others for each block; leave blocks out")
        return join_columns(table, ran)

    def _run_block(self, table: Table, job: Job) -> Outcome:
        from microveil.kernels.moments.central import mean_and_covariance

        mean, V = mean_and_covariance(matrix_by_columns(table))
        masked, changed = run_nested(self.mask, table, job)
        self._check_size(changed.rows, V)
        if self.core == "feasible":
            return self._feasible(table, job, masked, changed)
        restored, notes = self._restored(self._numbers(changed), mean, V, job, table.names)
        columns = {**masked.columns, **split_columns(restored, changed)}
        near = near_originals(table, columns, masked.origin)
        return replace(masked, columns=columns, notes=(*masked.notes, *notes, *near, *outside_range(table, columns)))

    def _feasible(self, table: Table, job: Job, masked: Outcome, changed: Table) -> Outcome:
        """A file near the masked one, with the moments of the original and inside its rules."""
        if masked.origin is not None:
            raise BadInput(
                f"core='feasible' turns the records that there are and {self.mask.name} gives others back; use another "
                "mask, or another core"
            )
        found = restore_inside_rules(table, self._numbers(changed), masked.groups, job)
        near = near_originals(table, found.columns, None)
        claims = (MeansKept(), CovariancesKept(), *(found.claims or ()))
        return replace(masked, columns=found.columns, notes=(*masked.notes, *found.notes, *near), claims=claims)

    def _numbers(self, changed: Table) -> Matrix:
        if any(values.missing.any() for values in changed.columns.values()):
            raise MissingValues(f"{self.mask.name} left gaps and covariances need complete records; use another mask")
        return matrix_by_columns(changed)

    def _check_size(self, n: int, V: Matrix) -> None:
        # with no more records than columns the moments leave nothing but a rotation of the records
        varying = int((np.diag(V) > 0).sum())
        needed = max(SMALLEST_FILE, varying + 1)
        if n < needed:
            raise NotEnoughRecords(
                f"{self.name} needs at least {needed} records for {varying} columns that vary: {n} given; join "
                "subdomains (suggest_subdomains says which), protect fewer columns together (blocks), or leave by out"
            )

    def _restored(
        self, Y: Matrix, mean: Matrix, V: Matrix, job: Job, names: tuple[str, ...]
    ) -> tuple[Matrix, tuple[str, ...]]:
        """The masked records with this mean and covariance, and notes."""
        from microveil.kernels.linalg.recolour import recolour
        from microveil.kernels.tables.equal_rows import first_equal_rows

        if self.core == "paper":
            return self._triangular(Y, mean, V, job), ()
        mode: Literal["sym", "procrustes"] = "sym" if self.core == "minimal" else "procrustes"
        equal_rows = bool(self._of_mask(names, (EqualRowsAtLeast,)))
        try:
            restored = recolour(Y, mean, V, mode)
        except BadInput:
            if equal_rows:
                raise BadInput(
                    f"the covariance cannot be restored without separating the equal records of {self.mask.name}:"
                    f" the masked file has too few different records; mask less, or use core='polar'"
                ) from None
            restored = recolour(Y, mean, V, mode, job.streams.at("fill"))
            return restored, ("the masked file lacks directions of the original; they were drawn at random",)
        if equal_rows:
            first = first_equal_rows(Y)
            for column in restored.T:
                # rounding may differ between rows of a product
                column[:] = column[first]
        return restored, ()

    def _triangular(self, Y: Matrix, mean: Matrix, V: Matrix, job: Job) -> Matrix:
        if self.rows == "drawn":
            return hybrid_of_drawn_rows(Y, mean, V, job.streams.at("rows"))
        return triangular_hybrid(Y, mean, V, last_rows(Y) if self.rows == "last" else None)


def matrix_by_columns(table: Table) -> Matrix:
    """The columns of a table as a matrix in which each column is contiguous."""
    return np.array([values.numbers for values in table.columns.values()]).reshape(len(table.names), -1).T
