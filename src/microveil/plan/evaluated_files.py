"""Evaluation of files that are taken in blocks: every measure that counts, sums or a sample of originals tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from microveil.core.errors import MicroveilError
from microveil.core.measured import Measured, NotApplicable
from microveil.core.words import list_all
from microveil.engines.linked_sample import SAMPLED
from microveil.engines.pair_of_files import PairOfFiles
from microveil.kernels.tables.over_records import count_records
from microveil.kernels.tables.sizes import class_sizes
from microveil.measure import Measure, Scenario
from microveil.plan.compared import compare_columns
from microveil.plan.evaluation import QUICK, Evaluation, Line, Measures, choose_measures
from microveil.plan.questions import is_asked_first
from microveil.plan.unknown_weight import NO_WEIGHT, UnknownWeight, find_known, unknown_columns
from microveil.plan.worst_case import Said, attacks_on, in_scenarios

_NO_RELEASE = (
    "Nobody says how the protected files were made: their keys are counted as if they were true, and no record is "
    "linked; give the release that plan.run returned."
)


def evaluate_files(
    files: PairOfFiles,
    measures: Measures,
    columns: Sequence[str] | None,
    scenarios: Sequence[Scenario],
    agreeing: Sequence[str],
    progress: Callable[[str, int, int], None] | None,
) -> Evaluation:
    """Every measure of files in blocks; one that needs all records at once says so."""
    for scenario in scenarios:
        scenario.check_columns([name for name in files.source.columns if name in files.released.schema.names])
    seen = compare_columns(files.head, columns)
    files = replace(files, columns=seen.pair.columns)
    head = replace(seen.pair, strata=files.head.strata)
    chosen = choose_measures(measures, scenarios, agreeing)
    if measures is None or isinstance(measures, str):
        told = head.plan is None and measures != QUICK
        chosen = tuple(measure for measure in chosen if told or measure.concerns(head))
    original = None if files.single else files.alone()
    lines = []
    for number, measure in enumerate(chosen, start=1):
        if progress is not None:
            progress(measure.title or measure.name, number, len(chosen))
        said = in_every_way_in_blocks(measure, files)
        others = [*said[1:], *in_scenarios(said, scenarios, head, lambda one: take_in_blocks(one, files))]
        before = None
        if original is not None and measure.alone and is_asked_first(measure):
            before = take_in_blocks(measure, original)
        lines.append(Line(measure, said[0][1], before, tuple(others)))
    known = find_known([scenario for line in lines for scenario in line.scenarios])
    weight, unweighed = _unknown_weight(files, [name for name in seen.weights if name not in known])
    unused = [*unweighed, *([_NO_RELEASE] if head.plan is None and not files.single else [])]
    return Evaluation(
        tuple(lines),
        *files.records,
        files.columns,
        seen.notes,
        weight=weight,
        attacks=attacks_on(head),
        unused=tuple(unused),
        unknown=unknown_columns(head),
        sampled=min(SAMPLED, min(files.records)),
    )


def take_in_blocks(measure: Measure, files: PairOfFiles) -> Measured | NotApplicable:
    """What a measure says of files in blocks; what it refuses is shown with its reason and never becomes a number."""
    if files.single and not measure.alone:
        return NotApplicable(measure.name, "it compares two files")
    try:
        return measure.in_blocks(files)
    except MicroveilError as problem:
        return NotApplicable(measure.name, str(problem), left_out=True)


def in_every_way_in_blocks(measure: Measure, files: PairOfFiles) -> list[Said]:
    """What a measure says and, if it is an attack that may compare in other ways, what it says in these."""
    result = take_in_blocks(measure, files)
    if not measure.reidentifies or not isinstance(result, Measured):
        return [(measure, result)]
    amounts = [name for name in files.head.of_kind("continuous") if name in measure.choose(files.head)]
    changed = files.head.plan is None or any(name in files.head.plan.changed for name in amounts)
    return [(measure, result), *((one, take_in_blocks(one, files)) for one in measure.in_other_ways(changed))]


def _unknown_weight(files: PairOfFiles, weights: Sequence[Any]) -> tuple[UnknownWeight, list[str]]:
    """The weights that are released and not compared, and whom they single out; a sentence where nobody counted it."""
    head = files.head
    names = tuple(name for name in weights if name in head.after.columns and name not in files.columns)
    if not names:
        return NO_WEIGHT, []
    if head.plan is not None and any(name in head.plan.changed for name in names):
        return UnknownWeight(names), []
    keys = tuple(name for name in files.columns if head.before.roles[name] == "key" and name not in head.perturbed)
    try:
        counted = files.counted_as_they_are((*names, *keys))
    except MicroveilError:
        are = "is" if len(names) == 1 else "are"
        return UnknownWeight(names), [
            f"Whom {list_all(names)} {are} able to single out was not counted: there are too many different values."
        ]
    f, _ = class_sizes(counted.tables(counted.columns)[1].codes(), records=counted.counts)
    alone = count_records(f == 1, counted.counts)
    return UnknownWeight(names, alone, files.records[1], keys), []
