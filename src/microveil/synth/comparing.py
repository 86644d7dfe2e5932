"""An analysis run on the original and on synthetic files, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.formula import parse_formula
from microveil.data.frames import AnyFrame
from microveil.data.microdata import AnyData, Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table, Values
from microveil.kernels.moments.intervals import interval_overlap
from microveil.run.release import AnyFile, Release
from microveil.synth.combining import Combined, Synthesis, combine

Analysis = Callable[[AnyFrame], tuple[Sequence[str], ArrayLike, ArrayLike]]

_MOST_STEPS = 50


@dataclass(frozen=True)
class Estimates:
    """Named estimates of one file with their covariance."""

    names: tuple[str, ...]
    values: Floats
    covariance: Floats

    @property
    def errors(self) -> Floats:
        """Standard errors."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))


@dataclass(frozen=True)
class Comparison:
    """Combined estimates of synthetic files beside those of the original."""

    original: Estimates
    each: tuple[Estimates, ...]
    combined: Combined
    level: float = 0.95

    @property
    def difference(self) -> Floats:
        """Synthetic less original estimate."""
        return self.combined.estimate - self.original.values

    @property
    def standardised_difference(self) -> Floats:
        """The difference in standard errors of the original."""
        return np.asarray(self.difference / self.original.errors)

    @property
    def overlap(self) -> Floats:
        """Overlap of the original's interval with one as wide about the synthetic estimate (Karr et al. 2006)."""
        from scipy.special import ndtri

        half = ndtri((1 + self.level) / 2) * self.original.errors
        there, here = self.original.values, self.combined.estimate
        return interval_overlap(there - half, there + half, here - half, here + half)

    @property
    def lack_of_fit(self) -> tuple[float, float]:
        """Distance of all estimates together from the original's, and its p-value if the synthesis is right.

        Chi-squared with as many degrees of freedom as estimates; the mean of m files varies by 1/m of the
        original's covariance about it (Raab, Nowok & Dibben 2021).
        """
        from scipy.stats import chi2

        gap = self.difference
        value = self.combined.files * float(gap @ np.linalg.solve(self.original.covariance, gap))
        return value, float(chi2.sf(value, len(gap)))

    def __repr__(self) -> str:
        width = max(len(name) for name in self.original.names)
        heads = ("original", "error", "synthetic", "error", "p", "difference/error", "overlap")
        lines = [" " * width + "".join(f"{head:>18}" for head in heads)]
        rows = zip(
            self.original.values, self.original.errors, self.combined.estimate, self.combined.error,
            self.combined.p_value,
            self.standardised_difference, self.overlap, strict=True,
        )  # fmt: skip
        for name, row in zip(self.original.names, rows, strict=True):
            lines.append(f"{name:<{width}}" + "".join(f"{value:>18.6g}" for value in row))
        value, chance = self.lack_of_fit
        lines.append(
            f"{self.combined.files} files, rule for {self.combined.synthesis} synthesis; mean overlap "
            f"{self.overlap.mean():.3f}; lack of fit {value:.4g} (p {chance:.3g})"
        )
        return "\n".join(lines)


def compare(
    original: AnyData,
    files: Sequence[AnyFile],
    analysis: str | Analysis,
    *,
    model: Literal["linear", "logistic"] = "linear",
    synthesis: Synthesis = "partial",
    target: Literal["population", "original"] = "population",
    proper: bool = False,
    level: float = 0.95,
) -> Comparison:
    """Run an analysis on the original and on every synthetic file: combined estimates beside the original's.

    `analysis` is a regression such as "income ~ age + sex", fitted by least squares or as a logistic model of a column
    of two values, or a function that takes a frame and returns names, estimates and their covariance matrix. The
    rule of `synthesis` is that of `combine`.
    """
    if not len(files):
        raise BadInput("there is no synthetic file; give a list of frames or releases")
    source = Microdata.of(original)
    frames = [_opened(source, file) for file in files]
    run = _regression(analysis, model, source) if isinstance(analysis, str) else _own(analysis)
    first, each = run(source), tuple(run(frame) for frame in frames)
    if any(found.names != first.names for found in each):
        raise BadInput(f"the analysis gives other estimates for a synthetic file than for the original: {first.names}")
    combined = combine(
        [found.values for found in each],
        [found.covariance for found in each],
        synthesis,
        records=round(float(np.mean([frame.n for frame in frames]))),
        original_records=source.n,
        target=target,
        proper=proper,
    )
    return Comparison(first, each, combined, level)


def _opened(source: Microdata, file: AnyFile) -> Microdata:
    if isinstance(file, Release):
        return file.data
    return file if isinstance(file, Microdata) else source.with_(file, roles=dict.fromkeys(source.names("weight")))


def _own(analysis: Analysis) -> Callable[[Microdata], Estimates]:
    def run(data: Microdata) -> Estimates:
        names, values, covariance = analysis(data.frame)
        return Estimates(
            tuple(names), np.asarray(values, dtype=np.float64), np.atleast_2d(np.asarray(covariance, dtype=np.float64))
        )

    return run


def _regression(text: str, model: str, source: Microdata) -> Callable[[Microdata], Estimates]:
    formula = parse_formula(text, "analysis")
    response, predictors = formula
    check_names(formula.columns, list(source.columns), "analysis")
    if model not in ("linear", "logistic"):
        raise BadInput(f"model={model!r} is not one of ['linear', 'logistic']")
    levels = {name: source.values(name).levels for name in formula.columns}

    def run(data: Microdata) -> Estimates:
        kinds = {name: "continuous" if kept is None else source.kinds[name] for name, kept in levels.items()}
        table = data.table(list(kinds), kinds)
        table = table.take(np.flatnonzero(~table.incomplete))
        W, names = _design(table, predictors, levels)
        if model == "linear":
            return _least_squares(W, _numbers(table[response], levels[response]), names)
        return _logistic(W, _two_values(response, table[response], levels[response]), names)

    return run


def _design(table: Table, predictors: tuple[str, ...], levels: dict[str, Any]) -> tuple[Floats, tuple[str, ...]]:
    """Intercept, numbers, and indicators of all but the first of the original's categories."""
    columns, names = [np.ones(table.rows)], ["(intercept)"]
    for name in predictors:
        values = table[name]
        if levels[name] is None:
            columns.append(values.numbers)
            names.append(name)
            continue
        place = {level: code for code, level in enumerate(values.levels or ())}
        for level in levels[name][1:]:
            columns.append((values.data == place.get(level, -2)).astype(np.float64))
            names.append(f"{name}[{level}]")
    return np.column_stack(columns), tuple(names)


def _numbers(values: Values, levels: Any) -> Floats:
    if levels is None:
        return values.numbers
    # codes that are numbers stand for themselves
    try:
        return np.asarray(np.array(values.levels or (), dtype=np.float64)[values.data])
    except (TypeError, ValueError):
        raise BadInput("the response of a linear regression must be a number; use model='logistic'") from None


def _two_values(name: str, values: Values, levels: Any) -> Floats:
    known = sorted(set(np.unique(values.numbers))) if levels is None else list(levels)
    if len(known) != 2:
        raise BadInput(f"the response {name!r} of a logistic regression must have two values: it has {len(known)}")
    if levels is None:
        return np.asarray(values.numbers == known[1], dtype=np.float64)
    place = {level: code for code, level in enumerate(values.levels or ())}
    return np.asarray(values.data == place.get(known[1], -2), dtype=np.float64)


def _least_squares(W: Floats, y: Floats, names: tuple[str, ...]) -> Estimates:
    n, q = W.shape
    if n <= q or np.linalg.matrix_rank(W) < q:
        raise BadInput(f"the regression on {', '.join(names)} is not determined by {n} complete records")
    # QR keeps the digits that the normal equations lose
    Q, R = np.linalg.qr(W)
    b = np.linalg.solve(R, Q.T @ y)
    residual = y - W @ b
    inverse = np.linalg.inv(R)
    return Estimates(names, b, inverse @ inverse.T * float(residual @ residual) / (n - q))


def _logistic(W: Floats, y: Floats, names: tuple[str, ...]) -> Estimates:
    from scipy.special import expit

    b = np.zeros(W.shape[1])
    for _ in range(_MOST_STEPS):
        p = expit(W @ b)
        information = (W * (p * (1 - p))[:, None]).T @ W
        gradient = W.T @ (y - p)
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            break
        b = b + step
        if float(np.abs(gradient @ step)) < 1e-16 * len(y):
            return Estimates(names, b, np.linalg.inv(information))
    raise BadInput(f"the logistic regression on {', '.join(names)} has no finite solution in one of the files")
