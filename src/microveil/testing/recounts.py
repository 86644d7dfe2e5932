"""Promises counted again in plain Python: a check that shares no code with the claims it checks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from microveil import claims
from microveil.claims import Claim
from microveil.run.promises import Promise
from microveil.run.release import Release
from microveil.testing.samples import numbers_of

Columns = Mapping[str, Sequence[Any]]  # plain values, None for a gap
NEAR = 1e-9
_LAST_BITS = 2e-15


def recount(release: Release, promise: Promise) -> bool | None:
    """Whether a promise about a whole file holds by our own count; None where we do not know how to count it."""
    claim = promise.claim
    if promise.by:
        return None
    after = numbers_of(release.frame, claim.columns)
    if isinstance(claim, claims.GroupsAtLeast):
        groups = release.groupings.get(promise.step)
        return groups is not None and _smallest([g for g in groups.tolist() if g >= 0]) >= claim.k
    if claim.about == "release":
        return recount_released(claim, after, _gaps_before(release, claim.columns))
    rows = range(release.original.n) if promise.reference is None else promise.reference.tolist()
    whole = numbers_of(release.original.frame, claim.columns)
    before = {name: [values[row] for row in rows] for name, values in whole.items()}
    counted = _COMPARED.get(type(claim))
    if counted is None or any(isinstance(value, str) for values in after.values() for value in values):
        return None
    return all(counted(before[name], after[name]) for name in claim.columns)


def recount_released(claim: Claim, columns: Columns, was_gap: Columns | None = None) -> bool | None:
    """Whether a claim about released values alone holds for these columns; `was_gap` tells gaps of the original."""
    rows = list(zip(*(columns[name] for name in claim.columns), strict=True))
    counted = _RELEASED.get(type(claim))
    if not rows or counted is None:
        return True if not rows else None
    gaps = [[False] * len(claim.columns)] * len(rows)
    if was_gap is not None:
        gaps = [list(one) for one in zip(*(was_gap[name] for name in claim.columns), strict=True)]
    return counted(claim, rows, gaps)


def _gaps_before(release: Release, names: Sequence[str]) -> dict[str, list[bool]]:
    before = numbers_of(release.original.frame, names)
    return {name: [row >= 0 and before[name][row] is None for row in release.origin.tolist()] for name in names}


def _smallest(labels: Sequence[Any]) -> int:
    return min(Counter(labels).values(), default=0)


def _equal_rows(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    return bool(_smallest(rows) >= claim.k)


def _equal_aside_gaps(claim: Any, rows: Sequence[Any], gaps: Any) -> bool:
    return _agreeing(rows, gaps, claim.k)


def _agreeing_rows(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    return _agreeing(rows, [[value is None for value in row] for row in rows], claim.k)


def _agreeing(rows: Sequence[Any], free: Sequence[Sequence[bool]], k: int) -> bool:
    """Whether every row agrees with k rows on the cells that are not free in either."""
    kinds = Counter(
        tuple(("free",) if one and value is None else ("is", value) for value, one in zip(row, open_, strict=True))
        for row, open_ in zip(rows, free, strict=True)
    )
    for row in kinds:
        alike = sum(
            count
            for other, count in kinds.items()
            if all(x == y or len(x) == 1 or len(y) == 1 for x, y in zip(row, other, strict=True))
        )
        if alike < k:
            return False
    return True


def _observed(rows: Sequence[Any]) -> list[list[Any]]:
    return [[value for value in column if value is not None] for column in zip(*rows, strict=True)]


def _values_often(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    return all(_smallest(column) >= claim.k for column in _observed(rows) if column)


def _tails_often(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    columns = [column for column in _observed(rows) if column]
    top = not claim.top or all(column.count(max(column)) >= claim.k for column in columns)
    return top and (not claim.bottom or all(column.count(min(column)) >= claim.k for column in columns))


def _multiples(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    steps = [value / claim.base for column in _observed(rows) for value in column]
    return all(abs(step - round(step)) <= _LAST_BITS * max(abs(step), 1.0) for step in steps)


def _between(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    return all(claim.low <= value <= claim.high for column in _observed(rows) for value in column)


def _classes(rows: Sequence[Any]) -> list[Counter[Any]]:
    """How often each sensitive value, the last of a row, occurs in each class of equal keys."""
    found: dict[Any, Counter[Any]] = {}
    for *keys, sensitive in rows:
        found.setdefault(tuple(keys), Counter())[sensitive] += 1
    return list(found.values())


def _diverse(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    return all(_is_diverse(sorted(found.values(), reverse=True), claim) for found in _classes(rows))


def _is_diverse(counts: Sequence[int], claim: Any) -> bool:
    if claim.kind == "entropy":
        shares = [count / sum(counts) for count in counts]
        return bool(math.exp(-math.fsum(share * math.log(share) for share in shares)) >= claim.l - NEAR)
    if claim.kind == "recursive":
        return bool(counts[0] < claim.c * sum(counts[int(claim.l) - 1 :]))
    return bool(len(counts) >= claim.l)


def _close(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool | None:
    whole = Counter(row[-1] for row in rows)
    observed = [value for value in whole if value is not None]
    if claim.tree or (claim.ordered and not all(isinstance(value, int | float) for value in observed)):
        return None  # words do not tell their order, nor a tree
    values = [value for value in whole if value is None] + (sorted(observed) if claim.ordered else observed)
    return all(_distance(found, whole, values, claim.ordered) <= claim.t + NEAR for found in _classes(rows))


def _distance(found: Counter[Any], whole: Counter[Any], values: Sequence[Any], ordered: bool) -> float:
    """The earth mover's distance; a gap comes before all values."""
    apart = [found[value] / found.total() - whole[value] / whole.total() for value in values]
    if not ordered:
        return math.fsum(map(abs, apart)) / 2
    carried = [math.fsum(apart[: i + 1]) for i in range(len(apart) - 1)]
    return math.fsum(map(abs, carried)) / max(len(carried), 1)


def _alike(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    whole = Counter(row[-1] for row in rows)
    return all(
        count / found.total() <= (1 + claim.beta + NEAR) * whole[value] / whole.total()
        for found in _classes(rows)
        for value, count in found.items()
    )


def _low_on_average(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    return bool(len(set(rows)) <= (claim.most + NEAR) * len(rows))


def _few_in_small(claim: Any, rows: Sequence[Any], _gaps: Any) -> bool:
    small = sum(n for n in Counter(rows).values() if n < claim.size)
    return bool(small <= (claim.most + NEAR) * len(rows))


_RELEASED: dict[type[Claim], Callable[[Any, Sequence[Any], Any], bool | None]] = {
    claims.EqualRowsAtLeast: _equal_rows,
    claims.EqualRowsAsideGaps: _equal_aside_gaps,
    claims.AgreeingRowsAtLeast: _agreeing_rows,
    claims.ValuesAtLeast: _values_often,
    claims.TailsAtLeast: _tails_often,
    claims.MultiplesOf: _multiples,
    claims.BetweenBounds: _between,
    claims.DiversityAtLeast: _diverse,
    claims.ClosenessWithin: _close,
    claims.LikenessWithin: _alike,
    claims.AverageRiskWithin: _low_on_average,
    claims.FewInSmallClasses: _few_in_small,
}


def _known(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values if value is not None]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    centre = _mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / max(len(values) - 1, 1)


def _same_mean(before: Sequence[Any], after: Sequence[Any]) -> bool:
    x, y = _known(before), _known(after)
    if not x or not y:
        return not x and not y
    return abs(_mean(x) - _mean(y)) <= NEAR * max(math.sqrt(_variance(x)), abs(_mean(x)), 1e-300)


def _same_variance(before: Sequence[Any], after: Sequence[Any]) -> bool:
    x, y = _known(before), _known(after)
    if not x or not y:
        return not x and not y
    return math.isclose(_variance(x), _variance(y), rel_tol=NEAR, abs_tol=_LAST_BITS * _mean(x) ** 2)


def _in_range(before: Sequence[Any], after: Sequence[Any]) -> bool:
    x, y = _known(before), _known(after)
    if not x or not y:
        return not y
    slack = NEAR * max(map(abs, x))
    return min(x) - slack <= min(y) and max(y) <= max(x) + slack


def _same_values(before: Sequence[Any], after: Sequence[Any]) -> bool:
    return sorted(_known(before)) == sorted(_known(after))


_COMPARED: dict[type[Claim], Callable[[Sequence[Any], Sequence[Any]], bool]] = {
    claims.MeansKept: _same_mean,
    claims.VariancesKept: _same_variance,
    claims.RangeKept: _in_range,
    claims.ValuesKept: _same_values,
}
