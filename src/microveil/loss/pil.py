"""Probabilistic information loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from microveil.core.arrays import Floats, Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Example, Grid, Range
from microveil.core.words import list_some
from microveil.loss.base import Loss, choose_names
from microveil.loss.correlations import correlation_of, pairs_of
from microveil.loss.pil_quantiles import density_scores, gaps_at, rank_gaps, scores_of
from microveil.measure import Pair
from microveil.measure.in_blocks import PairInBlocks

if TYPE_CHECKING:
    from microveil.kernels.moments.central import PairMoments


PARTS = ("mean", "variance", "covariance", "correlation", "quantile")
_EXACT = 1e-9  # changes below this part of the attribute's spread are rounding, whatever the standard error
_SMALL = 100  # records from which the normal approximation is usually good (Kendall & Stuart)


class Discrepancy(NamedTuple):
    """One kind of statistic: its probability and its effect for each attribute or pair."""

    probability: Floats
    effect: Floats
    first: Ints  # column number of the attribute, or of the first of a pair
    second: Ints | None = None


@dataclass(frozen=True, kw_only=True)
class PIL(Loss, name="pil"):
    """Probability that a random sample of the protected file's size would differ less from the original.

    Bounded between 0 (as near as can be) and 100 for means, variances, covariances, correlations and
    quantiles; use it as the general figure of loss for continuous data and beside risk figures. A large
    file makes small changes probable losses: the parts `effect ...` tell their size in per cent of a
    standard deviation (mean), of the variance, of the product of two standard deviations (covariance), in
    hundredths of a correlation and in percentage points of the ranks (quantile).
    Reference: Mateo-Sanz, Domingo-Ferrer & Sebe 2005, Probabilistic information loss measures in
    confidentiality protection of continuous microdata.
    """

    quantiles: Annotated[
        Literal["rank", "printed", "own-record"],
        Grid(("rank", "printed", "own-record")),
        "how a change of a quantile is standardised. rank: the ranks that the released quantile has in the original, "
        "without any density. printed: the published rule to the letter, with a density from the records in a window "
        "around the quantile; an empty window gives density 0 and so no loss. own-record: the same with quantiles at "
        "(n + 1) q and one record of each window not counted; its figures are the nearest to the published ones",
    ] = "rank"
    probabilities: Annotated[
        tuple[float, ...], Range(gt=0, lt=1), Example([0.05, 0.5, 0.95]), "the quantiles compared"
    ] = tuple(i / 20 for i in range(1, 20))
    epsilon: Annotated[
        float,
        Range(gt=0, le=0.5, grid=(0.001, 0.01)),
        "half-width of the density window as a share of the range; rank does not use it",
    ] = 0.001
    detail: Annotated[
        Literal["none", "attributes", "pairs"],
        Grid(("none", "attributes", "pairs")),
        "which further parts are given: variance[a] per attribute, covariance[a, b] per pair",
    ] = "attributes"

    quick = True
    bounds = (0.0, 100.0)
    unit = "%"
    title = "Probabilistic information loss"
    reference = "Mateo-Sanz, Domingo-Ferrer & Sebe 2005"

    def measure(self, pair: Pair) -> Measured | NotApplicable:
        X, Y, notes = self.complete(pair)
        few = self.too_few(X, Y, X.shape[1] + 1)
        if few:
            return few
        quantiles, empty = self._quantiles(X, Y)
        ends = [*_ends(X), *_ends(Y)]
        found = {**moment_discrepancies(X, Y, ends), "quantile": quantiles}
        more = (*_notes(ends, pair.columns, len(Y)), *self._empty_windows(empty, X.shape[1]))
        return self._told(found, pair.columns, notes, more)

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        from microveil.kernels.moments.central import finish_pair_moments, scale_of_pairs

        if self.quantiles != "rank":
            return self.not_applicable(
                f"not applicable in blocks: the rule {self.quantiles!r} looks at all records around a quantile; use "
                "the rule 'rank'"
            )
        begun = self.sums_in_blocks(files)
        if isinstance(begun, NotApplicable):
            return begun
        names, sums = begun
        before, after = sums.moments()
        scale = scale_of_pairs(sums.before.low, sums.before.high)
        per_scale = np.divide(1.0, scale, out=np.zeros(len(scale)), where=scale > 0)
        powers = files.powers("before", names, before.start, before.shift, per_scale)
        totals = powers.totals()
        mean = before.start + before.shift
        m = finish_pair_moments(powers.records, mean, scale, totals["11"], totals["22"], totals["31"])
        ends = [sums.before.low, sums.before.high, sums.after.low, sums.after.high]
        size = sums.after.complete
        moments = discrepancies_of(m, after.start + after.shift, after.covariance, size, ends)
        q = np.array(self.probabilities)
        gaps = [
            gaps_at(one.below / one.records, one.up_to / one.records, q) for one in files.ranks_of_released(names, q)
        ]
        quantiles = Discrepancy(
            np.array([float(probability_of(scores_of(gap, q, size)).mean()) for gap in gaps]),
            np.array([float(gap.mean()) for gap in gaps]),
            np.arange(len(names)),
        )
        found = {**moments, "quantile": quantiles}
        return self._told(found, names, sums.notes, tuple(_notes(ends, names, size)))

    def _told(
        self,
        found: Mapping[str, Discrepancy],
        columns: tuple[str, ...],
        notes: tuple[str, ...],
        more: tuple[str, ...],
    ) -> Measured:
        """The figure, from all discrepancies; `more` notes stand behind that on missing parts."""
        present = {part: found[part] for part in PARTS if len(found[part].probability)}
        parts = {part: 100 * float(found.probability.mean()) for part, found in present.items()}
        effects = {f"effect {part}": 100 * float(found.effect.mean()) for part, found in present.items()}
        value = float(np.mean(list(parts.values())))
        return self.measured(
            value,
            parts={**parts, **effects, **self._details(present, columns)},
            reading=_reading(value, parts),
            notes=(*notes, *_missing_parts(len(present)), *more),
        )

    def _quantiles(self, X: Floats, Y: Floats) -> tuple[Discrepancy, int]:
        """The quantile part, and how many changed quantiles have no record in their density window."""
        q = np.array(self.probabilities)
        scores, gaps, empty = [], [], 0
        for j in range(X.shape[1]):
            x, y = np.sort(X[:, j]), np.sort(Y[:, j])
            gap = rank_gaps(x, y, q)
            gaps.append(float(gap.mean()))
            if self.quantiles == "rank":
                z = scores_of(gap, q, len(y))
            else:
                z, without = density_scores(x, y, q, self.epsilon, self.quantiles == "own-record")
                empty += int(without.sum())
            scores.append(float(probability_of(z).mean()))
        return Discrepancy(np.array(scores), np.array(gaps), np.arange(X.shape[1])), empty

    def _empty_windows(self, empty: int, columns: int) -> list[str]:
        if not empty:
            return []
        every = columns * len(self.probabilities)
        note = (
            f"{empty} of {every} quantiles changed where the density window holds no record; "
            f"the rule {self.quantiles!r} counts them as no loss; the rule 'rank' does not need a window"
        )
        return [note]

    def _details(self, present: Mapping[str, Discrepancy], names: tuple[str, ...]) -> dict[str, float]:
        out: dict[str, float] = {}
        if self.detail == "none":
            return out
        for part, found in present.items():
            ends = [found.first] if found.second is None else [found.first, found.second]
            for j, name in enumerate(names):
                of_name = np.any([end == j for end in ends], axis=0)
                if of_name.any():
                    out[f"{part}[{name}]"] = 100 * float(found.probability[of_name].mean())
        if self.detail == "pairs":
            out.update(_pair_details(present, names))
        return out


def _pair_details(present: Mapping[str, Discrepancy], names: tuple[str, ...]) -> Iterable[tuple[str, float]]:
    for part, found in present.items():
        if found.second is not None:
            for i, j, value in zip(found.first, found.second, found.probability, strict=True):
                yield f"{part}[{names[i]}, {names[j]}]", 100 * float(value)


def probability_of(z: Floats) -> Floats:
    """Probability that a standard normal number is smaller in size than z."""
    from scipy.special import erf

    return np.asarray(erf(z / np.sqrt(2.0)))


def moment_discrepancies(X: Floats, Y: Floats, ends: Sequence[Floats] | None = None) -> dict[str, Discrepancy]:
    """Means, variances, covariances and correlations of Y as a sample from the population X (divisor n)."""
    from microveil.kernels.moments.central import mean_and_covariance, pair_moments

    mean, V = mean_and_covariance(Y)
    return discrepancies_of(pair_moments(X), mean, V, len(Y), ends or [*_ends(X), *_ends(Y)])


def discrepancies_of(
    m: PairMoments, mean: Floats, V: Floats, size: int, ends: Sequence[Floats]
) -> dict[str, Discrepancy]:
    """The same from the moments of both files; `ends` are the smallest and largest values of both."""
    mu2, mu4 = np.diag(m.mu20), np.diag(m.mu40)
    s = np.sqrt(mu2)
    usable = s > 0
    i, j = pairs_of(usable)
    low, high, low_after, high_after = ends
    magnitude = np.max([high, -low, high_after, -low_after], axis=0)
    # values far from zero carry fewer digits: that much change is no change
    exact = _EXACT + np.divide(8 * np.finfo(float).eps * magnitude, s, out=np.zeros_like(s), where=usable)
    own = np.arange(len(s))
    both = s[i] * s[j]
    rho, r = correlation_of(m.mu11)[i, j], correlation_of(V)[i, j]
    loose = exact[i] + exact[j]
    scale = np.where(usable, s, np.where(magnitude > 0, magnitude, 1.0))
    return {
        "mean": _discrepancy(mean - m.mean, s / np.sqrt(size), scale, exact, own),
        "variance": _discrepancy(np.diag(V) - mu2, _root(mu4 - mu2**2, size), scale**2, 2 * exact, own),
        "covariance": _discrepancy(
            V[i, j] - m.mu11[i, j], _root(m.mu22[i, j] - m.mu11[i, j] ** 2, size), both, loose, i, j
        ),
        "correlation": _discrepancy(
            r - rho, _root(_correlation_variance(m, i, j, rho), size), np.ones(len(i)), 2 * loose, i, j
        ),
    }


def _correlation_variance(m: PairMoments, i: Ints, j: Ints, rho: Floats) -> Floats:
    """n' times the sampling variance of a correlation; the published form multiplied out, so finite at rho = 0."""
    a, b = m.mu20[i, j], m.mu02[i, j]
    k22 = m.mu22[i, j] / (a * b)
    k31 = m.mu31[i, j] / (a * np.sqrt(a * b))
    k13 = m.mu13[i, j] / (b * np.sqrt(a * b))
    k40, k04 = m.mu40[i, j] / a**2, m.mu04[i, j] / b**2
    return np.asarray(k22 + rho**2 / 4 * (k40 + k04 + 2 * k22) - rho * (k31 + k13))


def _root(variance: Floats, size: int) -> Floats:
    return np.sqrt(np.maximum(variance, 0.0) / size)


def _discrepancy(
    change: Floats,
    error: Floats,
    scale: Floats,
    exact: Floats,
    first: Ints,
    second: Ints | None = None,
) -> Discrepancy:
    effect = np.abs(change) / scale
    effect = np.where(effect > exact, effect, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(effect > 0, np.abs(change) / error, 0.0)
    return Discrepancy(probability_of(z), effect, first, second)


def _reading(value: float, parts: dict[str, float]) -> str:
    worst = max(parts, key=lambda part: parts[part])
    tail = f"; most is lost on the {worst} ({format_number(parts[worst])} %)" if parts[worst] > 0 else ""
    return (
        f"Of random samples of the same size from the original, {format_number(value)} % would have statistics "
        f"nearer to the "
        f"original's than this file has{tail}."
    )


def _ends(X: Floats) -> tuple[Floats, Floats]:
    """The smallest and the largest value of each column."""
    return X.min(axis=0), X.max(axis=0)


def _missing_parts(present: int) -> list[str]:
    if present == len(PARTS):
        return []
    return [f"there is no pair of columns that vary: the total is over {present} parts"]


def _notes(ends: Sequence[Floats], names: tuple[str, ...], size: int) -> list[str]:
    from microveil.kernels.moments.central import is_narrow

    notes = []
    low, high, low_after, high_after = ends
    constant, flat = is_narrow(low, high), is_narrow(low_after, high_after)
    if constant.any():
        notes.append(f"pairs with a constant column are left out: {list_some(choose_names(names, constant))}")
    if (flat & ~constant).any():
        became = list_some(choose_names(names, flat & ~constant))
        notes.append(f"constant in the protected file, its correlations count as 0: {became}")
    if size < _SMALL:
        notes.append(f"the normal approximation is rough below {_SMALL} records ({size} here)")
    return notes
