"""Audit: what the anonymity models of a plan ask for, counted on the files; what cannot be counted is said."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from microveil.claims.anonymity import Anonymity, smallest_class_at
from microveil.core.arrays import Floats, Ints
from microveil.core.errors import MicroveilError
from microveil.core.numbers import format_number
from microveil.core.open_types import Json
from microveil.core.words import list_all
from microveil.data.microdata import Microdata
from microveil.data.sensitive import SensitiveValues
from microveil.kernels.tables.classes import group_rows, value_counts
from microveil.kernels.tables.closeness import class_distance, class_distance_in_tree
from microveil.kernels.tables.diversity import class_diversity
from microveil.kernels.tables.sizes import class_sizes
from microveil.measure.keys import read_gaps
from microveil.package.findings import Finding, broken, holds, not_checked
from microveil.package.known import Asked, Known

CHECK = "model"
_ROUNDING = 1e-9
_OF_A_REGISTER = ("register", "presence", "population_uniqueness")


@dataclass(frozen=True)
class _Part:
    """One thing that a model asks for: what was counted, and whether it is kept (None: nobody could count it)."""

    text: str
    kept: bool | None = None


def count_k(data: Microdata, keys: Sequence[str], agreeing: Collection[str] = ()) -> int:
    """The smallest number of records that share these keys; gaps of the columns `agreeing` agree with any value."""
    some = [name for name in keys if name in agreeing]
    sizes, _ = class_sizes(read_gaps(data.table(keys), some), "wildcard" if some else "own")
    return int(sizes.min()) if len(sizes) else 0


def audit_models(data: Microdata, known: Known, kinds: dict[str, str]) -> Iterator[Finding]:
    """Every model of the plan on one reading of a file; `kinds` are those of columns of which nobody says any."""
    for asked in known.asked:
        named = asked.keys or tuple(name for name, role in known.roles.items() if role == "key")
        for keys in asked.model.key_sets or (named,):
            there = tuple(name for name in keys if name in data.columns)
            if there:
                yield _judged(there, list(_parts(data, there, asked, known, kinds)))


def _judged(keys: Sequence[str], parts: Sequence[_Part]) -> Finding:
    text = f"classes of {', '.join(keys)}: {'; '.join(part.text for part in parts)}."
    if any(part.kept is False for part in parts):
        return broken(CHECK, text)
    return (not_checked if any(part.kept is None for part in parts) else holds)(CHECK, text)


def _parts(
    data: Microdata, keys: tuple[str, ...], asked: Asked, known: Known, kinds: dict[str, str]
) -> Iterator[_Part]:
    """All that a model asks for, each part counted or said not to be."""
    model = asked.model
    if model.population_size is not None:
        with suppress(MicroveilError):  # the file has more records than that, or classes need not be any larger
            model = model if known.records is None else model.in_sample(known.records)
        if model.population_size is not None:
            yield _Part("how many people a record stands for is not told without the original")
    least = model.smallest
    if least > 1:
        k = count_k(data, keys, asked.agreeing)
        yield _Part(f"k is {k}, {least} is asked for", k >= least)
    labels, sizes = group_rows(data.table(keys).codes())
    yield from _of_sizes(model, sizes)
    if model.population is not None and model.population_size is None:
        yield _people(data, labels, model.population, known)
    for name in model.sensitive:
        if name in data.columns:
            yield from _sensitive(data, labels, name, asked, _facts_on(name, known, kinds))
        else:
            yield _Part(f"what is asked of {name} cannot be counted, since the file has no such column")
    if model.needs_register:
        told = [name for name in _OF_A_REGISTER if getattr(model, name) is not None]
        yield _Part(f"{list_all(told)} {'is' if len(told) == 1 else 'are'} not counted on a file alone")


def _of_sizes(model: Anonymity, sizes: Ints) -> Iterator[_Part]:
    """Limits on the risks of all records together."""
    records = max(int(sizes.sum()), 1)
    if model.average_risk is not None:
        mean = len(sizes) / records
        told = f"the mean risk is {format_number(mean)}, {model.average_risk:g} is allowed"
        yield _Part(told, mean <= model.average_risk + _ROUNDING)
    for limit, size, what in (
        (model.share_at_risk, smallest_class_at(model.at_risk), f"have a risk above {model.at_risk:g}"),
        (model.uniqueness, 2, "are alone"),
    ):
        if limit is not None:
            share = float(sizes[sizes < size].sum()) / records
            told = f"{format_number(100 * share)} % of the records {what}, {format_number(100 * limit)} % are allowed"
            yield _Part(told, share <= limit + _ROUNDING)


def _people(data: Microdata, labels: Ints, least: float, known: Known) -> _Part:
    """How many people the smallest class stands for."""
    weight = known.weight_in(data)
    if weight is None or weight in known.perturbed:
        return _Part(f"whether every class stands for {least:g} people cannot be told without true weights")
    weights = np.nan_to_num(data.values(weight).numbers)
    people = float(np.bincount(labels, weights=weights).min(initial=np.inf))
    return _Part(
        f"the smallest class stands for {format_number(people)} people, {least:g} are asked for",
        people >= least - _ROUNDING,
    )


def _facts_on(name: str, known: Known, kinds: dict[str, str]) -> Json:
    """What is stated of a column, as `with_` takes it; its kind is that of our reading where nobody states one."""
    stated = {what: {name: given[name]} for what, given in known.facts.items() if name in given}
    return {"kinds": {name: kinds[name]}, **stated} if name in kinds else stated


def _sensitive(data: Microdata, labels: Ints, name: str, asked: Asked, facts: Json) -> Iterator[_Part]:
    """Diversity, closeness and likeness of one sensitive column; a missing value is a value."""
    model = asked.model
    codes = data.table([name]).codes()[:, 0] + 1
    if model.l is not None:
        found = class_diversity(labels, codes, model.diversity, model.c)
        least = float(found.min()) if len(found) else 0.0
        told = f"l of {name} is {format_number(least)} ({model.diversity}), {model.l} is asked for"
        yield _Part(told, least >= model.l - _ROUNDING)
    for limit, what, measure in (
        (model.t, "t", lambda: _distance(data, labels, name, model, facts)),
        (model.beta, "beta", lambda: _gain(labels, codes)),
    ):
        if limit is not None:
            yield _within(what, name, limit, asked, measure)


def _within(what: str, name: str, limit: float, asked: Asked, measure: Callable[[], float | None]) -> _Part:
    """A limit on how far the values of a class are from those of the file."""
    if asked.model.t_against == "file":
        return _Part(f"{what} of {name} is held against the original file, as a promise, where log and original are")
    if asked.by:
        return _Part(f"{what} of {name} is held against each subdomain, and is checked as a promise")
    most = measure()
    if most is None:
        return _Part(f"{what} of {name} cannot be measured, for its values are not read as they were stated")
    if what == "t":
        return _Part(f"t of {name} is {format_number(most)}, {limit:g} is allowed", most <= limit + _ROUNDING)
    told = f"a value of {name} is up to {format_number(1 + most)} times as frequent in a class as in the file"
    return _Part(f"{told}, {1 + limit:g} is allowed", most <= limit + _ROUNDING)


def _distance(data: Microdata, labels: Ints, name: str, model: Anonymity, facts: Json) -> float | None:
    """The largest distance of a class, by the kind, order and hierarchy that were stated; None where none fits."""
    is_text = not data.narwhal.get_column(name).dtype.is_numeric()
    ordered = facts.get("kinds", {}).get(name) != "nominal" and name not in facts.get("hierarchies", {})
    if is_text and ordered and model.distance != "equal" and name not in facts.get("levels", {}):
        return None
    try:
        values = data.with_(**facts).values(name)
        how = model.distance_of(name, values.kind, bool(values.hierarchy))
    except MicroveilError:
        return None
    column = SensitiveValues.of_values(values, how)
    found: Floats = (
        class_distance_in_tree(labels, column.codes, column.tree)
        if how == "hierarchy"
        else class_distance(labels, column.codes, how == "ordered")
    )
    return float(found.max(initial=0.0))


def _gain(labels: Ints, codes: Ints) -> float:
    """By how much the share of a value in a class exceeds its share in the file, relative to the latter, at most."""
    found, shares = value_counts(labels, codes), np.bincount(codes) / max(len(codes), 1)
    inside = found.counts / np.bincount(labels)[found.classes]
    return float((inside / shares[found.values] - 1).max(initial=0.0))
