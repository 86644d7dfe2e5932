"""Changes of third and fourth moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from microveil.core.arrays import Bools, Floats, Matrix
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Grid
from microveil.core.words import list_some
from microveil.loss.base import Loss
from microveil.loss.relative import RelativeChange
from microveil.measure import Pair
from microveil.measure.in_blocks import SIDES, PairInBlocks

_EXACT = 1e-9  # of the moment's scale
_ALL_CONSTANT = "every column is constant in the original"


@dataclass(frozen=True, kw_only=True)
class MomentChange(Loss, name="moment-change"):
    """Mean relative change of third and fourth moments, of single attributes and mixed over pairs.

    Use it for methods that keep means and covariances exactly: it shows what they do to skewness, tails
    and their co-movement. Parts: third, third mixed (x x y), fourth, fourth mixed (x x x y and x x y y), in per cent.
    Reference: Oganian & Domingo-Ferrer 2017, Local synthesis for disclosure limitation that satisfies
    probabilistic k-anonymity criterion.
    """

    relative_to: Annotated[
        Literal["absolute", "moment"],
        Grid(("absolute", "moment")),
        "a change is divided by the moment of absolute values, which is never 0 for a column that varies, or by the "
        "moment itself, as published",
    ] = "absolute"
    central: Annotated[bool, Grid((True, False)), "moments about each file's own mean, or about 0"] = True

    unit = "%"
    title = "Change of third and fourth moments"
    reference = "Oganian & Domingo-Ferrer 2017"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        from microveil.kernels.moments.central import standard_deviations

        X, Y, notes = self.complete(pair)
        few = self.too_few(X, Y, 2)
        if few:
            return few
        s = standard_deviations(X, ddof=0)
        if not (s > 0).any():
            return self.not_applicable(_ALL_CONSTANT)
        before = _moments(X[:, s > 0], s[s > 0], self.central)
        after = _moments(Y[:, s > 0], s[s > 0], self.central)
        return self._told(before, after, (*notes, *_constant(pair.columns, s)))

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        begun = self.sums_in_blocks(files, 2)
        if isinstance(begun, NotApplicable):
            return begun
        names, sums = begun
        moments = sums.moments()
        s = np.sqrt(np.diag(moments[0].covariance))
        if not (s > 0).any():
            return self.not_applicable(_ALL_CONSTANT)
        per_spread = np.divide(1.0, s, out=np.zeros(len(s)), where=s > 0)
        found = []
        for side, own in zip(SIDES, moments, strict=True):
            start, shift = (own.start, own.shift) if self.central else np.zeros((2, len(s)))
            found.append(_kinds(files.powers(side, names, start, shift, per_spread).means(), s > 0))
        return self._told(found[0], found[1], (*sums.notes, *_constant(names, s)))

    def _told(
        self,
        before: Mapping[str, tuple[Matrix, Matrix]],
        after: Mapping[str, tuple[Matrix, Matrix]],
        notes: tuple[str, ...],
    ) -> Measured:
        """The figure, from each kind of moment of both files."""
        relative = RelativeChange("skip")
        parts: dict[str, float] = {}
        total, cells = 0.0, 0
        for name, (moment, absolute) in before.items():
            if not len(moment):
                continue
            if self.relative_to == "absolute":
                change = np.abs(after[name][0] - moment) / absolute
                found = float(np.where(change > _EXACT, change, 0.0).mean())
            else:
                found = relative.mean(f"moments ({name})", moment, after[name][0], absolute, _EXACT)
            parts[name] = 100 * found
            total, cells = total + found * len(moment), cells + len(moment)
        value = 100 * total / cells
        return self.measured(
            value,
            parts=parts,
            reading=f"Third and fourth moments (skewness, tails, how they move together) change by "
            f"{format_number(value)} % "
            "on average.",
            notes=(*notes, *relative.notes()),
        )


def _moments(X: Matrix, scale: Matrix, central: bool) -> dict[str, tuple[Matrix, Matrix]]:
    """Each kind of moment with that of the absolute values, in units of the scales."""
    from microveil.kernels.moments.central import row_blocks

    n, p = X.shape
    start = X.mean(axis=0) if central else np.zeros(p)
    start = start + (X - start).mean(axis=0) if central else start
    sums: dict[str, Matrix] = {name: np.zeros((p, p)) for name in ("21", "|21|", "31", "|31|", "22")}
    for rows in row_blocks(X):
        z = (X[rows] - start) / scale
        size, square = np.abs(z), z * z
        sums["21"] += square.T @ z
        sums["|21|"] += square.T @ size
        sums["31"] += (square * z).T @ z
        sums["|31|"] += (square * size).T @ size
        sums["22"] += square.T @ square
    return _kinds({name: total / n for name, total in sums.items()}, np.ones(p, dtype=bool))


def _kinds(means: Mapping[str, Matrix], chosen: Bools) -> dict[str, tuple[Matrix, Matrix]]:
    """Each kind of moment of the chosen columns, from means of products of powers."""
    p = int(np.count_nonzero(chosen))
    sums = {name: found[np.ix_(chosen, chosen)] for name, found in means.items()}
    off = ~np.eye(p, dtype=bool)
    upper = np.triu_indices(p, 1)
    return {
        "third": (np.diag(sums["21"]), np.diag(sums["|21|"])),
        "third mixed": (sums["21"][off], sums["|21|"][off]),
        "fourth": (np.diag(sums["22"]), np.diag(sums["22"])),
        "fourth mixed": (
            _joined(sums["31"][off], sums["22"][upper]),
            _joined(sums["|31|"][off], sums["22"][upper]),
        ),
    }


def _constant(names: Sequence[str], s: Floats) -> tuple[str, ...]:
    flat = [str(name) for name, spread in zip(names, s, strict=True) if spread == 0]
    return (f"constant columns are left out: {list_some(flat)}",) if flat else ()


def _joined(a: Matrix, b: Matrix) -> Floats:
    return np.concatenate([a, b])
