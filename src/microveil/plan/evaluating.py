"""Loss and risk of a release, of files in memory and of files that are taken in blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from microveil.core.errors import BadInput
from microveil.engines import FileRelease, Scan
from microveil.measure import Linked, Scenario
from microveil.measure.measure import refuse_in_blocks
from microveil.plan.anonymity import agreeing_columns
from microveil.plan.evaluated_files import evaluate_files
from microveil.plan.evaluation import Evaluation, Measures, evaluate_in_memory
from microveil.run.release import AnyFile


def evaluate(
    original: AnyFile | Scan | FileRelease,
    protected: AnyFile | Scan | FileRelease | None = None,
    *,
    measures: Measures = None,
    columns: Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    linked: Linked = True,
    scenarios: Sequence[Scenario] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Loss and risk of a release: every measure that applies, each with how to read it.

    Rows of two frames of equal length are taken to correspond; `linked=False` says that nobody
    knows which rows belong together, an array gives the original row of each protected row. A measure
    that does not apply says why. `scenarios` are those of the risk by scenario; attacks are tried with what their
    intruders know, beside one who knows all that is released.

    `measures` says which: a list of measures or of their names, "quick" for the few that one decides by, "all" for
    every one, on all records of up to 300,000 however long it takes. By default it is every one; of a large file the
    slow ones are told from a sample, which their notes say, with an interval. Those named use every record.

    Scanned files beside the release that `plan.run` made of them are taken in blocks: what sums and counts tell is
    exact, links are those of a random sample of originals among all released records, with intervals, and all else
    says that it is not applicable in blocks.
    """
    if isinstance(original, Scan | FileRelease):
        refuse_in_blocks(by, linked)
        made = original if protected is None else protected
        gaps = agreeing_columns(made) if isinstance(made, FileRelease) else ()
        return evaluate_files(original.in_blocks(protected, columns), measures, columns, scenarios, gaps, progress)
    if isinstance(protected, Scan | FileRelease):
        raise BadInput(
            "the protected file is taken in blocks, so that the original must be too: scan it, or read the files of "
            "the release if they fit into memory"
        )
    return evaluate_in_memory(original, protected, measures, columns, by, linked, scenarios, progress)
