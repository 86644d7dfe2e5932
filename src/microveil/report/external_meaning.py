"""What protection means for an analysis, by what became of the columns and records; without counts of the original."""

from __future__ import annotations

import numpy as np

from microveil.hybrid.base import Hybrid
from microveil.mask import Sample
from microveil.run.release import Release
from microveil.synth.base import Synthesiser

_FEWEST, _LARGEST_SHARE = 10, 0.5  # records left out, and share of one in their weights, with which a sum is told


def meaning_of(release: Release, shown: list[str]) -> list[str]:
    """Sentences for users about records that are not there or nobody's, and columns drawn, made coarser or emptied.

    `shown` are the columns in the files.
    """
    told = [
        _left_out(release),
        _nobody(release),
        _drawn(release, shown),
        _mixed(release, shown),
        _coarser(release, shown),
        _emptied(release, shown),
        _moved_gaps(release, shown),
    ]
    return [one for one in told if one]


def _is_nobodys(release: Release) -> bool:
    return len(release) > 0 and bool((np.asarray(release.origin) < 0).all())


def use_of_weight(release: Release, name: str) -> str:
    """What becomes of a weight where records of the original are in no file; empty where all are there."""
    if not _lacks_records(release):
        return ""
    if _is_sampled(release):
        return "It was adjusted to records that are in no file: use it as it is."
    factor = _factor(release, name)
    if factor is not None:
        return f"Multiply it by {factor:g} before: it lacks those whom records that are in no file stood for."
    return (
        "It lacks those whom records that are in no file stood for, so that totals are somewhat too small; by how much "
        "is not told, for it would tell of few records."
    )


def _lacks_records(release: Release) -> bool:
    return not _is_nobodys(release) and len(release) < release.original.n


def _is_sampled(release: Release) -> bool:
    return any(isinstance(record.method, Sample) for record in release.steps)


def _left_out(release: Release) -> str:
    """Where some records of the original are in no file, and by what a weight is multiplied then, if that may be told.

    How many they are is told nowhere.
    """
    if not _lacks_records(release):
        return ""
    said = "Some records of the original data are in no file, so that totals and means of all of them differ."
    factors, adjusted = [], []
    for name in release.original.names("weight"):
        if name not in release.data.columns:
            continue
        if _is_sampled(release):
            adjusted.append(str(name))
        elif (factor := _factor(release, name)) is not None:
            factors.append(f"multiply {name} by {factor:g}")
    said += f" {', '.join(adjusted)} was adjusted to that: use it as it is." if adjusted else ""
    return f"{said} For totals of the population {'; '.join(factors)}." if factors else said


def _factor(release: Release, name: str) -> float | None:
    """By how much weights are too small without the records that were left out; None where that would tell of few.

    Who has the file knows the sum of its weights, so that an exact factor tells the sum of those left out: for one
    record, its weight. It is told where at least ten are left out, none with half of their sum, and to a thousandth.
    """
    weights = release.original.values(name, "continuous").numbers
    gone = np.setdiff1d(np.arange(release.original.n), np.asarray(release.origin))
    left_out = weights[gone][~np.isnan(weights[gone])]
    after = float(np.nansum(release.data.values(name, "continuous").numbers))
    if after <= 0 or len(left_out) < _FEWEST or left_out.max() > _LARGEST_SHARE * left_out.sum():
        return None
    factor = round(float(np.nansum(weights)) / after, 3)
    return factor if factor > 1 else None


def _nobody(release: Release) -> str:
    if not _is_nobodys(release):
        return ""
    return (
        "Every record was drawn from a model: none is a person, household or enterprise. Relations that the model does "
        "not know are not in the file. The usual standard errors are too small, since they leave out that the model "
        "was estimated."
    )


def _drawn(release: Release, shown: list[str]) -> str:
    names = _names(release, shown, Synthesiser)
    if not names or _is_nobodys(release):
        return ""
    return (
        f"{_listed(names)} drawn from a model that learnt from the original data. Relations that the model does not "
        "know are weaker in the file, and the usual standard errors of results that use them are too small."
    )


def _mixed(release: Release, shown: list[str]) -> str:
    names = _names(release, shown, Hybrid)
    if not names:
        return ""
    return (
        f"{_listed(names)} partly drawn anew from what the original values have in common: results of few records are "
        "not those of the original."
    )


def _coarser(release: Release, shown: list[str]) -> str:
    """Columns that hold classes where the original held finer values."""
    names = [name for name in shown if name in release.changed and _has_classes(release, name)]
    if not names:
        return ""
    said = (
        f"{_listed(names)} made coarser: a class is true of its records and tells less than a value. Use classes as "
        "categories; the middle of an interval is not the mean of its records."
    )
    overlapping = [name for name in names if _overlap(release, name)]
    if not overlapping:
        return said
    return (
        f"{said} Classes of {', '.join(map(str, overlapping))} overlap: the same value stands by itself or in one "
        "class in some records and in another class in others, so that the records of a class are not all that have "
        "its values."
    )


def _has_classes(release: Release, name: str) -> bool:
    before, after = set(release.original.values(name).levels or ()), release.data.values(name).levels
    return _is_coarsened(release, name) and after is not None and bool(set(after) - before)


def _overlap(release: Release, name: str) -> bool:
    """Whether equal values of the original stand in several classes, as where single records were made coarser."""
    origin = np.asarray(release.origin)
    if (origin < 0).any() or not all(one.method.coarsens for one in release.steps if name in one.columns):
        return False
    before, after = release.original.encoded(name).codes[origin], release.data.encoded(name).codes
    there = (before >= 0) & (after >= 0)
    pairs = np.unique(np.column_stack([before, after])[there], axis=0)
    return len(pairs) > len(np.unique(pairs[:, 0]))


def _emptied(release: Release, shown: list[str]) -> str:
    """Columns of which cells were emptied, by steps that leave true values or none."""
    names = [name for name in shown if _has_new_gaps(release, name) and _is_coarsened(release, name)]
    if not names or _is_nobodys(release):
        return ""
    return (
        f"Some cells of {', '.join(map(str, names))} were emptied, mostly those of rare combinations. Such gaps are "
        "not missing at random: leaving their records out shifts results, and tables should show them as a category."
    )


def _moved_gaps(release: Release, shown: list[str]) -> str:
    """Columns whose gaps were drawn or exchanged like values."""
    names = [name for name in shown if _has_new_gaps(release, name) and not _is_coarsened(release, name)]
    if not names or _is_nobodys(release):
        return ""
    return (
        f"Empty cells of {', '.join(map(str, names))} were treated like values and stand in other records than in the "
        "original: that a record has none says as little of it as a value would."
    )


def _is_coarsened(release: Release, name: str) -> bool:
    return any(record.method.coarsens and name in record.columns for record in release.steps)


def _has_new_gaps(release: Release, name: str) -> bool:
    origin = np.asarray(release.origin)
    if name not in release.changed or (origin < 0).any():
        return False
    before, after = release.original.values(name).missing[origin], release.data.values(name).missing
    return bool((after & ~before).any())


def _names(release: Release, shown: list[str], family: type) -> list[str]:
    acted = {name for record in release.steps if isinstance(record.method, family) for name in record.columns}
    return [name for name in shown if name in acted]


def _listed(names: list[str]) -> str:
    return f"{', '.join(map(str, names))} {'was' if len(names) == 1 else 'were'}"
