"""A first plan that protects keys and the other columns apart: keys stay true, and say who is who beside amounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from microveil.data.microdata import Microdata
from microveil.data.units import round_to
from microveil.measure import Scenario
from microveil.plan.amounts import has_gaps, is_coarse
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan

Kinds = Mapping[Any, str]

K_OF_KEYS = 5  # the usual limit on the risk of a record, 0.2, in records that share their keys
K_OF_AMOUNTS = 10
_FEW = 0.05  # share of records below k up to which single cells are left out rather than all keys coarsened
_SWAP_WITHIN, _LEAST_PLACES = 7.0, 2
_NOISE = 0.16


def scenarios_of_keys(data: Microdata, found: Inspection) -> tuple[Scenario, ...]:
    """Somebody who knows all keys of somebody else, with the limit that k equal records keep; none without keys."""
    if not found.keys:
        return ()
    return (Scenario("all keys", found.keys, thresholds={"risk": _risk_of_k(data, found), "share": 0.0}),)


def _risk_of_k(data: Microdata, found: Inspection) -> float:
    """The largest risk of a record that shares its keys with k - 1 others, in two digits.

    With weights the risk is that of being found in the population. It is below 1 in 5 for nearly any record of a
    sample, alone or not, so that the usual limit would ask for nothing.
    """
    weight = next((look.name for look in found.columns if look.role == "weight"), None)
    if weight is None:
        return 1 / K_OF_KEYS
    # k records stand for k times the least weight at least; what is estimated is k / (k - 1) times as much at most
    least = float(np.nanmin(data.values(weight, "continuous").numbers))
    return min(1 / K_OF_KEYS, _rounded_up(1 / ((K_OF_KEYS - 1) * least)))


def _rounded_up(value: float) -> float:
    """Two digits, not less than the value."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(f"{np.ceil(value / unit) * unit:.3g}")


def plan_apart(data: Microdata, found: Inspection, kinds: Kinds) -> Plan | None:
    """Keys made equal to those of others, amounts redrawn in groups; None where nothing is to be protected."""
    keys = _for_keys(data, found, kinds)
    # a step that leaves records out comes before those whose groups or classes need them
    keys_first = any(step.get("missing") == "drop" for step in keys)
    others = [*_for_amounts(data, found, kinds, keep_all=keys_first), *_for_categories(data, found, kinds)]
    if not others and is_safe_as_it_is(found):
        return None  # the step would give the original back, which is not written
    steps = [*keys, *others] if keys_first else [*others, *keys]
    return Plan(steps) if steps else None


def _for_keys(data: Microdata, found: Inspection, kinds: Kinds) -> list[dict[str, Any]]:
    from microveil.mask import KAnonymise, LocalSuppression

    k = min(K_OF_KEYS, data.n)
    if not found.keys or k < 2:
        return []
    amounts = [name for name in found.keys if kinds[name] == "continuous"]
    few = not amounts and _share_below(found, k) <= _FEW
    method = LocalSuppression(k=k) if few else KAnonymise(k=k)
    return [_step(data, kinds, method, found.keys)]


def is_safe_as_it_is(found: Inspection) -> bool:
    """Whether k records share each combination of keys already."""
    return bool(found.keys) and _share_below(found, K_OF_KEYS) == 0


def _share_below(found: Inspection, k: int) -> float:
    """The share of records whose keys fewer than k records have."""
    sizes = found.classes
    return float(sizes[sizes < k].sum() / found.records)


def _for_amounts(data: Microdata, found: Inspection, kinds: Kinds, keep_all: bool) -> list[dict[str, Any]]:
    """Redrawn in groups with exact moments; counts, which rounding would spoil, are exchanged, or get noise.

    `keep_all`: no record may be left out, so that amounts with gaps are exchanged too.
    """
    from microveil.hybrid import MicroHybrid
    from microveil.mask import RankSwap, UncorrelatedNoise
    from microveil.partition import MDAV

    amounts = [
        look.name
        for look in found.columns
        if look.role == "confidential" and kinds[look.name] == "continuous" and look.distinct > 1
    ]
    k = min(K_OF_AMOUNTS, data.n // 2)
    exchanged = {name for name in amounts if keep_all and has_gaps(data, name)}
    plain = [name for name in amounts if k >= 2 and name not in exchanged and not is_coarse(data, name)]
    fine = set(plain)
    counts = [name for name in amounts if name in exchanged or (name not in fine and _is_whole(data, name))]
    done = fine.union(counts)
    others = [name for name in amounts if name not in done]
    steps = []
    if plain:
        steps.append({**_step(data, kinds, MicroHybrid(partition=MDAV(k=k)), plain), "given": []})
    if counts:
        # some places to both sides, also in a small file
        within = min(100.0, max(_SWAP_WITHIN, np.ceil(100 * _LEAST_PLACES / data.n)))
        steps.append(_step(data, kinds, RankSwap(p=within), counts))
    if others:
        steps.append(_step(data, kinds, UncorrelatedNoise(p=_NOISE), others))
    return steps


def _for_categories(data: Microdata, found: Inspection, kinds: Kinds) -> list[dict[str, Any]]:
    """Confidential categories get another value now and then, each as often as before on average."""
    from microveil.mask import InvariantPram

    names = [
        look.name
        for look in found.columns
        if look.role == "confidential" and kinds[look.name] != "continuous" and look.distinct > 1
    ]
    return [_step(data, kinds, InvariantPram(), names)] if names else []


def _is_whole(data: Microdata, name: str) -> bool:
    """Whether all values are multiples of the column's unit, so that exchanged ones stay as they are."""
    unit, numbers = data.unit(name), data.values(name, "continuous").numbers
    observed = numbers[~np.isnan(numbers)]
    return unit is not None and bool((round_to(observed, unit) == observed).all())


def _step(data: Microdata, kinds: Kinds, method: Any, columns: tuple[str, ...] | list[str]) -> dict[str, Any]:
    step: dict[str, Any] = {"method": method, "columns": list(columns)}
    if any(has_gaps(data, name) for name in columns if kinds[name] == "continuous"):
        step["missing"] = "mask" if method.skips_missing else "drop"
    return step
