"""The risk in a scenario of files in blocks: exactly by counts of keys, or of a sample where records must be linked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.data.coding import in_common
from microveil.data.table import Table
from microveil.kernels.tables.sizes import class_sizes, gaps_as_values
from microveil.measure import Pair, Scenario
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import common_codes
from microveil.measure.measure import UNKNOWN_LINK
from microveil.risk.linked_in_blocks import count_alike, link_in_blocks
from microveil.risk.scenario_found import COUNTED_ALONE, RisksFound, risk_by_counts
from microveil.risk.ways import ways_to_try

if TYPE_CHECKING:
    from microveil.risk.scenario import ScenarioRisk


def risks_in_blocks(files: PairInBlocks, scenario: Scenario, measure: ScenarioRisk) -> RisksFound:
    """The risk of records in one scenario."""
    head = files.head
    perturbed = any(name in head.perturbed for name in scenario.keys)
    counted = files.counted(scenario.keys) if scenario.keys and not perturbed else None
    if counted is not None and (not scenario.known or not files.is_linked or head.single):
        reason = UNKNOWN_LINK if scenario.known else COUNTED_ALONE
        return RisksFound(scenario, [_by_counts(counted, measure)], counted.counts, reason)
    return _of_sample(files, scenario, counted, measure)


def _of_sample(files: PairInBlocks, scenario: Scenario, counted: Pair | None, measure: ScenarioRisk) -> RisksFound:
    """The risk of the records of a sample: the higher of what keys and linkage allow, in each way of comparing."""
    head, names = files.head, scenario.columns
    if head.link is not None and bool((head.link < 0).all()):  # nobody is in the file who could be found by links
        nobody = "no protected record comes from an original one"
        if counted is None:
            return RisksFound(scenario, [np.zeros(1)], unlinked=nobody)
        return RisksFound(scenario, [_by_counts(counted, measure)], counted.counts, nobody)
    sample = files.sampled(names)
    if isinstance(sample, str):
        raise BadInput(sample)
    base = np.zeros(len(sample.rows_after)) if counted is None else _beside(counted, sample, scenario, measure)
    every = tuple(range(len(names)))
    changed = any(name in head.perturbed for name in sample.of_kind("continuous"))
    alike = count_alike(files, names)
    risks: list[Floats] = []
    mean: list[Floats] = []
    notes: tuple[str, ...] = ()
    for way in ways_to_try(changed):
        found = link_in_blocks(files, names, [every], way)
        if isinstance(found, str):
            raise BadInput(found)
        notes = notes or found.notes[:1]
        credit = found.found[0].credits
        mean.append(np.maximum(base, credit))
        if way.direction == "masked":
            # equal released records find the same originals: one of them at most is right
            credit = np.where(alike > 1, 1.0 / alike, credit)
        risks.append(np.maximum(base, credit))
    return RisksFound(scenario, risks, None, "", True, notes, mean)


def _by_counts(counted: Pair, measure: ScenarioRisk) -> Floats:
    weights = counted.after.weights
    codes = measure.read_gaps(counted.tables(counted.columns)[1])
    return risk_by_counts(*class_sizes(codes, measure.missing, weights, counted.counts), weights is not None)


def _beside(counted: Pair, sample: Pair, scenario: Scenario, measure: ScenarioRisk) -> Floats:
    """The risk of the records of a sample by counts of all: they stand behind these and count for none."""
    every, some = counted.tables(scenario.keys)[1], sample.tables(scenario.keys)[1]
    both = {name: in_common([every[name], some[name]]) for name in scenario.keys}
    tables = [Table({name: both[name][side] for name in both}, own.rows) for side, own in enumerate((every, some))]
    codes = np.vstack(common_codes(*tables))
    if measure.agreeing is not None:
        codes = gaps_as_values(codes, [j for j, name in enumerate(scenario.keys) if name not in measure.agreeing])
    none = np.zeros(some.rows)
    weights = counted.after.weights
    assert counted.counts is not None
    f, F = class_sizes(
        codes,
        measure.missing,
        None if weights is None else np.concatenate([weights, none]),
        np.concatenate([counted.counts, none.astype(np.int64)]),
    )
    return risk_by_counts(f[every.rows :], F[every.rows :], weights is not None)
