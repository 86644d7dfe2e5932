"""Multiplicative noise: large values move more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from microveil.claims import Claim, MeansKept, RelativeChangeWithin, VariancesKept
from microveil.core.arrays import Bools, Ints, Matrix, Vector
from microveil.core.errors import BadInput
from microveil.core.parameters import Range, Safer, When
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.kernels.summaries.extremes import Extremes
from microveil.mask.base import Draws, DrawsInGroups, RowWise
from microveil.mask.correlated_noise import noise_root, with_noise
from microveil.mask.rescale import restore_variances
from microveil.run.contract import Passes
from microveil.run.method import Job, Outcome, depends


@dataclass(frozen=True, kw_only=True)
class MultiplicativeNoise(RowWise, name="multiplicative-noise"):
    """Multiply values by random factors near 1, so that large values are protected in proportion.

    Use it for business data. `plain`: lognormal factors of mean 1 and standard deviation p. `hoehne`: one
    direction per record, all its values go up or down by a share of p plus or minus `spread`, so that none
    stays close; with `rescale` means and variances are restored. `balanced`: up and down in turn, so that
    column totals stay exactly. `log`: correlated noise of p on the logarithms of
    the absolute values. Signs stay and zeros stay zero, except after rescaling; so do constant columns.
    """

    p: Annotated[float, Range(ge=0, le=1, grid=(0.05, 0.12)), Safer("twice"), "size of the relative change"] = 0.1
    kind: Annotated[Literal["plain", "hoehne", "balanced", "log"], "how factors are drawn"] = "plain"
    spread: Annotated[
        float | None,
        Range(ge=0, lt=0.5),
        When(kind=("hoehne", "balanced")),
        "half width around 1 - p and 1 + p; p/4 if not given",
    ] = None
    rescale: Annotated[bool, When(kind=("plain", "hoehne", "log")), "restore means and variances"] = False

    # exponentials and logarithms of NumPy differ in their last bit between processors
    depends_on_processor: ClassVar[bool] = depends(True, lambda mask: mask.kind in ("plain", "log"))
    passes: ClassVar[Passes] = depends("sums", lambda mask: "file" if mask.kind == "balanced" else "sums")
    gathers: ClassVar[bool] = depends(True, lambda mask: mask.kind in ("plain", "hoehne") and not mask.rescale)
    skips_missing: ClassVar[bool] = True
    reference = "Hoehne 2004; Kim & Winkler 2003"

    def validate(self) -> None:
        """The two directions must not overlap."""
        if self.spread is not None and self.spread >= self.p / 2:
            raise BadInput(f"spread={self.spread} must be below p/2={self.p / 2:g}; lower it, or raise p")

    def claims(self, columns: tuple[str, ...]) -> tuple[Claim, ...]:
        """Balanced: means. Hoehne: bounded relative change. Rescaled: means and variances."""
        if self.rescale:
            return (MeansKept(), VariancesKept())
        if self.kind == "balanced":
            return (MeansKept(),)
        return (RelativeChangeWithin(share=self.p + self._width),) if self.kind == "hoehne" else ()

    @property
    def _width(self) -> float:
        return self.p / 4 if self.spread is None else self.spread

    def learn(self, table: Table, job: Job) -> Bools:
        """The columns that do not vary: they stay as they are."""
        from microveil.kernels.moments.central import is_narrow

        ends = job.engine.gather(table, job, lambda block, _: Extremes.of(block.matrix()))
        # a column without any value stays too
        return is_narrow(ends.low, ends.high) | (ends.records == ends.missing)

    def act(self, table: Table, job: Job, known: Bools) -> Outcome:
        """Draw factors for some records and multiply."""
        X = table.matrix()
        masked = X if self.p == 0 else self._masked(X, table, job)
        return Outcome(split_columns(np.where(known, X, masked), table))

    def run(self, table: Table, job: Job) -> Outcome:
        """By record position, or with all records at once where totals, logarithms or moments ask for it."""
        if self.kind in ("plain", "hoehne") and not self.rescale:
            return super().run(table, job)
        found = self.act(table, job, self.learn(table, job))
        if not self.rescale or self.p == 0:
            return found
        masked = Table(found.columns, table.rows).matrix()
        return Outcome(split_columns(restore_variances(masked, table.matrix(), table.names), table))

    def run_in_groups(self, table: Table, job: Job, labels: Ints) -> Outcome | None:
        """Factors of all groups in one pass; one by one where the moments or totals of each, or gaps, ask for it."""
        from microveil.kernels.fixed.group_sums import extremes_in_groups
        from microveil.kernels.moments.central import is_narrow

        if self.kind not in ("plain", "hoehne") or self.rescale or self.p == 0 or table.incomplete.any():
            return None
        clusters, groups = job.streams.at("cluster"), int(labels.max()) + 1
        X = table.matrix()
        masked = X * self._factors(table, lambda name: DrawsInGroups(clusters, labels, name))
        ends = (extremes_in_groups(X[:, j].copy(), labels, groups) for j in range(X.shape[1]))
        narrow = np.column_stack([is_narrow(low, high)[labels] for low, high in ends])
        return Outcome(split_columns(np.where(narrow, X, masked), table))

    def _masked(self, X: Matrix, table: Table, job: Job) -> Matrix:
        n, streams = len(X), job.streams
        if self.kind == "log":
            sizes = np.log(np.where(X == 0, np.nan, np.abs(X)))
            _, root = noise_root(Table.of_matrix(sizes, table.names), job, self.p, self.name)
            moved = np.sign(X) * np.exp(with_noise(sizes, root, job))
            return np.where(X == 0, X, moved)
        if self.kind == "balanced":
            changes = [self.p + self._step(Draws(streams.at(name), n)) for name in table.names]
            return np.column_stack([balance_changes(X[:, j], change) for j, change in enumerate(changes)])
        return np.asarray(X * self._factors(table, lambda name: Draws(streams.at(name), n)))

    def _factors(self, table: Table, draws: Callable[[str], Draws | DrawsInGroups]) -> Matrix:
        if self.kind == "plain":
            s = np.sqrt(np.log1p(self.p**2))
            return np.column_stack([np.exp(s * draws(name).normal() - s * s / 2) for name in table.names])
        sign = np.where(draws("direction").uniform() < 0.5, -1.0, 1.0)
        steps = [self._step(draws(name)) for name in table.names]
        return np.asarray(1 + self.p * sign[:, None] + np.column_stack(steps))

    def _step(self, draws: Draws | DrawsInGroups) -> Vector:
        return np.asarray(self._width * (2 * draws.uniform() - 1))


def balance_changes(x: Vector, sizes: Vector) -> Vector:
    """x changed by the relative sizes, down or up in turn from the largest on, with exactly the total of x.

    What is left at the end goes to the record nearest the median absolute value (reported figures of the
    smallest records would become implausible). Gaps stay.
    """
    from microveil.kernels.draws.signs import balancing_signs

    out = x.copy()
    rows = np.flatnonzero(~np.isnan(x) & (x != 0))
    if len(rows) < 2:
        return out
    order = rows[np.argsort(-np.abs(x[rows]), kind="stable")]
    step = np.abs(x[order]) * sizes[order]
    out[order] += balancing_signs(step) * step
    absorber = order[len(order) // 2]
    out[absorber] -= (out[order] - x[order]).sum()
    return out
