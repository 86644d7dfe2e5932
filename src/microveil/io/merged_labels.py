"""Labels of codes that stand for more than they did: a code under which others were merged has the labels of all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microveil.core.open_types import Cell
from microveil.data.coding import in_common
from microveil.run.release import Release

_OR = " or "


def with_merged_labels(release: Release, labels: Mapping[str, dict[Cell, str]]) -> dict[str, dict[Cell, str]]:
    """The labels of a release; none where nobody can say what a code stands for."""
    found = {
        str(name): _labels_now(release, name, labels[str(name)]) for name in release.changed if str(name) in labels
    }
    return {name: own for name, own in {**labels, **found}.items() if own}


def _labels_now(release: Release, name: str, labels: dict[Cell, str]) -> dict[Cell, str]:
    coarsening = [record.method.coarsens for record in release.steps if name in record.columns]
    before, after = release.original.values(name), release.data.values(name)
    if not any(coarsening) or before.levels is None or after.levels is None:
        return labels
    origin = np.asarray(release.origin)
    was, now = (values.data for values in in_common([before.at(origin), after]))
    if not all(coarsening) or (origin < 0).any():  # values of others stand in the records too
        gone = set(np.unique(was[was >= 0]).tolist()) - set(np.unique(now[now >= 0]).tolist())
        return {} if gone else labels
    levels = in_common([before, after])[0].levels or ()
    known = (was >= 0) & (now >= 0)
    stands_for: dict[Cell, list[str]] = {}
    for new, old in np.unique(np.column_stack([now[known], was[known]]), axis=0).tolist():
        book = release.original.codebook
        text = book.labels.get(name, {}).get(levels[old]) if book is not None else None
        stands_for.setdefault(levels[new], []).append(str(levels[old]) if text is None else text)
    return {code: _OR.join(stands_for.get(code, [text])) for code, text in labels.items()}
