"""Which subdomains to protect by themselves: guidance for `by`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from microveil.core.arrays import Bools, Floats, Labels
from microveil.core.errors import BadInput
from microveil.data.microdata import AnyData, Microdata
from microveil.data.schema import check_names
from microveil.hybrid.cholesky_hybrid import SMALLEST_FILE, CholeskyHybrid
from microveil.hybrid.subdomain_merges import Parts, covariance_difference, join_parts
from microveil.hybrid.subdomain_table import Suggestion, Suggestions
from microveil.run.contract import Step

# With fewer records than varying columns exact moments leave only a rotation of the records.
_NUMBERS_FOR_ONE = 10  # numbers of a subdomain for each that exact moments fix
_FEW_RECORDS = 30  # below this the moments of a subdomain say little that is not about single records
_MOST_CROSSED = 12  # columns of which pairs are tried
_MOST_JOINED = 1000  # subdomains among which those to join are looked for
_NAMES_SHOWN = 4
_LITTLE = 0.01  # share of variance below which subdomains have hardly other means


@dataclass(frozen=True, eq=False)
class _Cut:
    """Records by subdomain."""

    by: tuple[str, ...]
    labels: Labels
    texts: tuple[str, ...]
    ordered: bool
    made: bool = False  # classes of amounts: no column of the file has them yet


def suggest_subdomains(
    data: AnyData,
    columns: Sequence[str] | None = None,
    *,
    candidates: Sequence[str] | None = None,
    at_least: int | None = None,
    classes: int | None = None,
    most: int = 20,
) -> Suggestions:
    """Which columns to name in `by` so that their subdomains keep exact moments, which sizes are sound, what to join.

    Use it before `CholeskyHybrid` or another exact method runs inside subdomains. Candidates are categorical columns
    that are not protected, single and in pairs; with `classes` also so many classes of equal size of each amount among
    the candidates, and of the size of a record (the sum of the standardised protected columns). `at_least` is the size
    below which a subdomain counts as too small. The result is made from the original and is private.
    Reference: Domingo-Ferrer, Mateo-Sanz & Sebe, Information loss in continuous hybrid microdata.
    """
    source = Microdata.of(data)
    names = _protected(source, columns)
    usable = _candidates(source, candidates, names)
    _check_numbers(at_least, classes, most)
    X = source.table(names, dict.fromkeys(names, "continuous")).matrix()
    complete = np.asarray(~np.isnan(X).any(axis=1), dtype=np.bool_)
    notes = [f"{int((~complete).sum())} of {len(X)} records with gaps were left out"] if not complete.all() else []
    Z = _standardised(X[complete])
    needed = max(SMALLEST_FILE, Z.shape[1] + 1)
    wanted = recommended_size(len(names)) if at_least is None else max(at_least, needed)
    single = [*_categories(source, usable), *(_classes(source, usable, X, classes) if classes is not None else ())]
    few = [cut for cut in single if 1 < len(cut.texts) <= len(Z) // needed]
    many = [cut.by[0] for cut in single if len(cut.texts) > len(Z) // needed]
    if many:
        notes.append(f"too many subdomains for {len(Z)} records: {', '.join(many)}")
    if len(few) > _MOST_CROSSED:
        notes.append(f"pairs were tried of the first {_MOST_CROSSED} candidates only")
    if classes is not None:
        notes.append("classes of size follow from protected values: leave their column out of the release")
    pairs = (_cross_cuts(first, second) for first, second in combinations(few[:_MOST_CROSSED], 2))
    found = [
        _judged(cut, Z, complete, needed, wanted)
        for cut in (*few, *pairs)
        if 1 < len(np.unique(cut.labels[complete])) <= len(Z) // needed
    ]
    if not found:
        notes.append("no candidate has at least two subdomains of a usable size; leave by out")
    found.sort(key=lambda row: (row.impossible > 0, not row.sound, -row.explained, len(row.by)))
    return Suggestions(names, needed, wanted, tuple(found[:most]), tuple(notes))


def recommended_size(columns: int) -> int:
    """The records a subdomain should have: exact moments then fix at most a tenth of its numbers.

    m means and m(m+1)/2 variances and covariances stand against n m cells: (m + 3) / (2n) of them.
    """
    return max(_FEW_RECORDS, -(-_NUMBERS_FOR_ONE * (columns + 3) // 2))


def _protected(source: Microdata, columns: Sequence[str] | None) -> tuple[str, ...]:
    hybrid = CholeskyHybrid()
    return tuple(hybrid.resolve(source, Step(hybrid, columns))[0])


def _candidates(source: Microdata, candidates: Sequence[str] | None, protected: tuple[str, ...]) -> tuple[str, ...]:
    if candidates is None:
        return tuple(name for name in source.names() if name not in protected)
    given = (candidates,) if isinstance(candidates, str) else tuple(candidates)
    check_names(given, list(source.columns), "candidates")
    shared = [name for name in given if name in protected]
    if shared:
        raise BadInput(f"{shared} are protected and cannot name subdomains; leave them out of candidates or of columns")
    return given


def _check_numbers(at_least: int | None, classes: int | None, most: int) -> None:
    for name, value, low in (("at_least", at_least, 2), ("classes", classes, 2), ("most", most, 1)):
        if value is not None and value < low:
            raise BadInput(f"{name} must be {low} or more; {value} was given")


def _standardised(X: Floats) -> Floats:
    """The columns that vary, in standard deviations from their means."""
    from microveil.kernels.linalg.bases import correlation_scale
    from microveil.kernels.moments.central import centred_moments

    start, shift, V = centred_moments(X)
    d, _ = correlation_scale(V)
    return np.asarray((X - start - shift)[:, d > 0] / d[d > 0])


def _categories(source: Microdata, usable: tuple[str, ...]) -> list[_Cut]:
    return [
        _Cut((name,), *source.domains(name), source.kinds[name] == "ordinal")
        for name in usable
        if source.kinds[name] != "continuous"
    ]


def _classes(source: Microdata, usable: tuple[str, ...], X: Floats, classes: int) -> list[_Cut]:
    """Classes of the amounts among the candidates, and of the size of records."""
    amounts = {name: source.values(name).numbers for name in usable if source.kinds[name] == "continuous"}
    spread = np.nanstd(X, axis=0)
    amounts["size"] = ((X - np.nanmean(X, axis=0)) / np.where(spread > 0, spread, 1.0)).sum(axis=1)
    return [_classes_of(f"{classes} classes of {name}", x, classes) for name, x in amounts.items()]


def _classes_of(name: str, x: Floats, classes: int) -> _Cut:
    """Classes of equal numbers of records; equal values stay together."""
    edges = np.unique(np.nanquantile(x, np.arange(1, classes) / classes))
    labels = np.searchsorted(edges, np.where(np.isnan(x), -np.inf, x), side="right")
    present, numbers = np.unique(np.where(np.isnan(x), -1, labels), return_inverse=True)
    texts = tuple(f"{name}: {'missing' if label < 0 else label + 1}" for label in present.tolist())
    return _Cut((name,), numbers.astype(np.int64), texts, ordered=True, made=True)


def _cross_cuts(first: _Cut, second: _Cut) -> _Cut:
    both = first.labels * len(second.texts) + second.labels
    present, labels = np.unique(both, return_inverse=True)
    texts = tuple(
        f"{first.texts[i]}, {second.texts[j]}"
        for i, j in (divmod(number, len(second.texts)) for number in present.tolist())
    )
    made = first.made or second.made
    return _Cut((*first.by, *second.by), labels.astype(np.int64), texts, ordered=False, made=made)


def _judged(cut: _Cut, Z: Floats, complete: Bools, needed: int, wanted: int) -> Suggestion:
    present, numbers = np.unique(cut.labels[complete], return_inverse=True)
    texts = tuple(cut.texts[i] for i in present.tolist())
    parts, total = Parts.of(Z, numbers), float((Z**2).sum())
    small = parts.sizes < wanted
    new = np.arange(len(texts), dtype=np.int64)
    if small.any() and len(texts) <= _MOST_JOINED:
        new = join_parts(parts, wanted, cut.ordered)
    sets = [tuple(texts[i] for i in np.flatnonzero(new == number)) for number in range(int(new.max()) + 1)]
    after = Parts.of(Z, new[numbers]).explained(total)
    of_record = np.full(len(complete), len(sets), dtype=np.int64)
    of_record[complete] = new[numbers]
    return Suggestion(
        by=cut.by,
        subdomains=len(texts),
        smallest=int(parts.sizes.min()),
        too_small=int(parts.sizes[small].sum()),
        impossible=int(parts.sizes[parts.sizes < needed].sum()),
        explained=parts.explained(total),
        covariances=covariance_difference(Z, numbers),
        verdict=_verdict(cut, parts, needed, wanted, sets, after),
        ready=not cut.made and not small.any(),
        joined=tuple(joined for joined in sets if len(joined) > 1),
        names=(*(" or ".join(joined) for joined in sets), "gaps"),
        of_record=of_record,
    )


def _verdict(cut: _Cut, parts: Parts, needed: int, wanted: int, sets: list[tuple[str, ...]], after: float) -> str:
    """What to do, in a sentence."""
    column = "a column of the labels"
    if not (parts.sizes < wanted).any():
        names = repr(cut.by[0]) if len(cut.by) == 1 else str(list(cut.by))
        use = f"make {column} and name it in by" if cut.made else f"use by={names}"
        return f"sound: {use}" + ("; means hardly differ" if after < _LITTLE else "")
    short = int((parts.sizes < needed).sum())
    problem = (
        f"{short} of {len(parts.sizes)} are too small to run"
        if short
        else f"runs, but {int((parts.sizes < wanted).sum())} of {len(parts.sizes)} are below {wanted} records"
    )
    if len(sets) == 1:
        return f"{problem}; joining them leaves one subdomain: leave it out"
    if all(len(joined) == 1 for joined in sets):
        return f"{problem}; too many to join: use coarser categories"
    joined = [text for joined in sets if len(joined) > 1 for text in [" with ".join(joined)]]
    told = "; ".join(joined) if len(cut.texts) <= _NAMES_SHOWN else f"as listed in joined, for {column}"
    return f"{problem}; join {told}: leaves {len(sets)} that explain {after:.1%}"
