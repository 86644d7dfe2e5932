"""Groups joined until none breaks an anonymity model."""

from __future__ import annotations

import numpy as np

from microveil.core.arrays import Labels
from microveil.data.class_rule import ClassRule
from microveil.data.table import Table


def join_broken_groups(labels: Labels, table: Table, rule: ClassRule) -> Labels:
    """Groups joined with their nearest neighbour until none breaks the model, the worst placed first."""
    from microveil.kernels.moments.scales import standardise

    Z = standardise(np.where(np.isnan(table.matrix()), -1.0, table.matrix())).values
    while True:
        classes = int(labels.max()) + 1
        bad = np.flatnonzero(rule.broken(labels, classes))
        if not len(bad):
            return labels
        sizes = np.bincount(labels, minlength=classes)
        centres = np.column_stack([np.bincount(labels, weights=z, minlength=classes) for z in Z.T]) / sizes[:, None]
        new = np.arange(classes)
        taken = np.zeros(classes, dtype=bool)
        for group in bad.tolist():
            if taken[group]:
                continue
            away = ((centres - centres[group]) ** 2).sum(axis=1)
            away[group] = np.inf
            away[taken] = np.inf
            nearest = int(np.argmin(away))
            if not np.isfinite(away[nearest]):
                continue
            taken[[group, nearest]] = True
            new[group] = nearest
        labels = np.unique(new[labels], return_inverse=True)[1].reshape(-1).astype(np.int64)
