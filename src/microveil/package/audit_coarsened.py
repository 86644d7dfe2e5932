"""Audit: columns that a plan makes coarser, or leaves, beside those that its runs give of the original."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microveil.core.arrays import Ints
from microveil.core.numbers import format_number
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.package.as_planned import count_strangers, labels_of, unlike_forms
from microveil.package.audit_files import DataFile
from microveil.package.excess import MOST_UNSEEN, limit_beside
from microveil.package.findings import Finding, broken, holds, note, undecided
from microveil.package.plan_runs import PlanRuns
from microveil.package.sampled_weights import CHECK, compare_weights


def audit_coarsened(
    file: DataFile, original: Microdata, runs: PlanRuns, names: Sequence[str], perturbed: frozenset[str]
) -> list[Finding]:
    """Every record by the columns that hold true values, which the plan makes coarser or leaves as they are."""
    if runs.records is not None and file.data.n > runs.records:
        told = f"it has {counted(file.data.n, 'record')}, and the plan gives {runs.records:,}"
        return [broken(CHECK, f"{file.name}: {told}, so that this file was not made by it.")]
    apart = {name for name in names if runs.full is not None and original.roles[name] == "weight"}
    true = [name for name in names if name not in perturbed and name not in apart]
    unread = list(unlike_forms(runs.files[0], file.data, true))
    compared = [name for name in true if name not in unread]
    found: list[Finding] = []
    if compared:
        by = "" if len(compared) == len(names) else f", by {list_all(compared)},"
        found = _compare(file, original, runs, compared, by)
    for name in sorted(apart - perturbed):
        found += compare_weights(file, original, runs, name, compared)
    if any(one.state == "broken" for one in found):
        return [one for one in found if one.state == "broken"]
    if not unread:
        return found
    told = f"{list_all(unread)} could not be laid beside what the plan gives: the file has another type of values there"
    return [*(one for one in found if one.state == "undecided"), undecided(CHECK, f"{file.name}: {told}.", "log=...")]


def _compare(file: DataFile, original: Microdata, runs: PlanRuns, names: Sequence[str], by: str) -> list[Finding]:
    """Where the plan draws none of these cells, no record may stand there more often than it gives it."""
    files = [file.data, *runs.files, *([] if runs.full is None else [runs.full])]
    shown, *given = labels_of(files, {name: original.schema[name].missing for name in names})
    if not any(count_strangers(given[-1], run) for run in given):
        strange = count_strangers(given[-1], shown)
        if not strange:
            return [holds(CHECK, f"{file.name}: every record{by} is one that the plan gives of the original.")]
        return [broken(CHECK, f"{file.name}: {_strange(strange, file)}, so that this file was not made by it.")]
    return _among_runs(file, shown, given[: len(runs.files)], by)


def _among_runs(file: DataFile, shown: Ints, runs: Sequence[Ints], by: str) -> list[Finding]:
    """Records that no run gives, beside those of a run that no other gives."""
    alone = [_count_others(run, [*runs[:place], *runs[place + 1 :]]) for place, run in enumerate(runs)]
    here, limit = _count_others(shown, runs), limit_beside(tuple(alone))
    if here >= limit:
        usual = f"a run of the plan has {format_number(float(np.mean(alone)))} that no other has"
        return [broken(CHECK, f"{file.name}: {_strange(here, file)} in any run; {usual}.")]
    unseen = min(limit - 1, file.data.n)
    share = f"{unseen:,} ({format_number(100 * unseen / file.data.n)} %)"
    told = f"{file.name}: the plan draws at random, and up to {share} of its records{by} could be others than it gives"
    if unseen <= MOST_UNSEEN * file.data.n:
        return [note(CHECK, f"{told} unseen; the private log decides.", "log=...")]
    more = f"more than {100 * MOST_UNSEEN:g} % cannot be left open"
    return [undecided(CHECK, f"{told} unseen: {more}; the private log decides.", "log=...")]


def _count_others(records: Ints, runs: Sequence[Ints]) -> int:
    return int((~np.isin(records, np.concatenate(runs))).sum())


def _strange(count: int, file: DataFile) -> str:
    return f"{count:,} of its {counted(file.data.n, 'record')} are none that the plan gives of the original"
