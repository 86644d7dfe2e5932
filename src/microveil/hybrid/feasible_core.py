"""A file near a masked one, with the original's moments and inside its rules."""

from __future__ import annotations

import numpy as np

from microveil.claims import EditHolds
from microveil.core.arrays import Ints, Matrix
from microveil.core.words import counted
from microveil.data.matrices import split_columns
from microveil.data.table import Table
from microveil.run.job import Job, Outcome
from microveil.run.parts import members_of
from microveil.synth.came_back import NEAR
from microveil.synth.edit_bounds import bounds_of, note_left_alone, refuse_broken, rules_on, settle_ends, settle_sums
from microveil.synth.zero_patterns import zero_patterns

_BLOCK = 20  # records that are turned together before sweeps begin, where the mask formed no groups


def restore_inside_rules(table: Table, Y: Matrix, groups: Ints | None, job: Job) -> Outcome:
    """The records turned so that they come near the masked ones, row by row.

    They are turned at random first, inside the groups of the mask or blocks of records that are near one another in the
    masked file: from where they stood, sweeps would end near the original. Records are turned with those that have the
    same zeros, which stay.
    """
    from microveil.kernels.rotation.feasible import draw_feasible
    from microveil.kernels.rotation.near import draw_near

    kept = rules_on(job.edits, table, table.only(()))
    refuse_broken(kept, table, table.only(()))
    X, bounds = table.matrix(), bounds_of(kept, table, table.only(()))
    scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    inside = [edit for edit in kept if set(edit.columns) <= set(table.names)]
    classes = zero_patterns(table, inside, _BLOCK)
    own = np.zeros(table.rows, dtype=np.int64) if classes is None else classes.labels
    formed = groups is not None and (groups >= 0).all() and classes is None
    labels = groups if groups is not None and formed else _near_records(Y / scale, own)
    streams = job.streams.at("feasible")
    drawn = draw_feasible(X, bounds, np.zeros((table.rows, 0)), labels, streams.at("start"))
    new, sweeps = draw_near(drawn.values, Y, scale, bounds, own, streams.at("near"))
    new = settle_sums(settle_ends(new, kept, table), kept, table, table.only(()))
    patterns = () if classes is None else classes.notes
    notes = (
        *_distances(new, Y, X, scale, sweeps),
        *_tell_copies(new, X, scale, labels),
        *patterns,
        *note_left_alone(job.edits, kept, table),
    )
    return Outcome(split_columns(new, table), notes=notes, claims=tuple(EditHolds.of(edit) for edit in kept))


def _near_records(Y: Matrix, classes: Ints) -> Ints:
    """Blocks of records of one class that are near one another, numbered from 0."""
    from microveil.kernels.search.blocks import order_in_blocks

    labels, first = np.empty(len(Y), dtype=np.int64), 0
    for rows in members_of(classes):
        order, starts = order_in_blocks(Y[rows], _BLOCK)
        labels[rows[order]] = first + np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        first += len(starts) - 1
    return labels


def _tell_copies(new: Matrix, X: Matrix, scale: Matrix, labels: Ints) -> tuple[str, ...]:
    """How many records are originals as they were, or nearly: distances of rows in their places do not see these."""
    from microveil.kernels.distances.near_copies import find_near_copies

    # places that were changed by turning are off by the last digits
    known, rows = (np.ascontiguousarray(np.round(A / scale, 9) + 0.0) for A in (X, new))
    originals = {row.tobytes() for row in known}
    same = np.array([row.tobytes() in originals for row in rows], dtype=np.bool_)
    back = same | find_near_copies(new, X, labels, np.arange(len(X)), NEAR).rows
    count = int(np.count_nonzero(back))
    if not count:
        return ()
    came = (
        f"{counted(count, 'record')} of {len(X):,} came back as an original was, or within {100 * NEAR:.0f} % of "
        "one in every"
    )
    why = "because the rules leave no room: whoever knows some values finds the others; mask more, or by groups"
    return (f"{came} column, {why}",)


def _distances(new: Matrix, Y: Matrix, X: Matrix, scale: Matrix, sweeps: int) -> tuple[str, ...]:
    """How near the result is to the mask and to the original, in standard deviations of a column."""
    to_mask, to_original, of_mask = (
        float(np.sqrt((((A - B) / scale) ** 2).mean())) for A, B in ((new, Y), (new, X), (Y, X))
    )
    said = (
        f"after {sweeps} sweeps the records are {to_mask:.2f} standard deviations from the mask and {to_original:.2f} "
        f"from the original (the mask itself is {of_mask:.2f} from it)"
    )
    if f"{to_original:.2f}" == f"{of_mask:.2f}" or to_original >= of_mask:
        return (said,)
    return (said, "the records are nearer to the original than those of the mask are: measure the risk, or mask more")
