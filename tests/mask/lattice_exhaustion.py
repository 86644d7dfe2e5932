"""Every node of a lattice looked at, by code of its own: what a search must find."""

from __future__ import annotations

from itertools import product

import numpy as np


class Column:
    """A key: its code in every record, and for every level the number of the group of each code."""

    def __init__(self, codes, groups):
        self.codes, self.groups = codes, groups
        self.counts = np.bincount(codes, minlength=len(groups[0]))

    @property
    def top(self):
        return len(self.groups) - 1

    def losses(self, kind):
        """What a record with each code loses on every level, and what it had."""
        used, counts = self.counts > 0, self.counts.astype(float)
        bits = []
        hidden = []
        for group in self.groups:
            same = group[:, None] == group[None, :]
            hidden.append((same @ used.astype(float) - 1) / max(used.sum() - 1, 1))
            bits.append(np.log2(np.maximum(same @ counts, 1) / np.maximum(counts, 1)))
        whole = np.log2(counts.sum() / np.maximum(counts, 1))
        if kind in ("ncp", "geometric"):
            return hidden, np.full(len(used), float(used.sum() > 1))
        if kind == "non-uniform-entropy":
            return bits, whole
        if kind == "entropy":
            mean = (counts * whole).sum() / counts.sum() or 1.0
            return [one / mean for one in bits], whole / mean
        return [np.full(len(used), level / self.top) for level in range(self.top + 1)], np.ones(len(used))


def join(kind, columns, weights, totals, records):
    """The loss of a file from the mean losses of its columns."""
    weights = np.array(weights, dtype=float)
    if kind == "height":
        weights = weights * [column.top for column in columns]
    if kind == "geometric":
        return np.prod((1 + totals) ** (weights / weights.sum())) - 1
    if kind == "non-uniform-entropy":
        return (weights * totals).sum() * records
    return (weights * totals).sum() / weights.sum()


def node_loss(kind, columns, levels, weights, sizes, labels, kept, price):
    """The loss at a node: `labels` holds the class of each record, `kept` the classes that are released."""
    records = len(labels)
    gone = sizes[~kept].sum()
    if kind == "discernibility":
        return ((sizes[kept] ** 2).sum() + price * records * gone) / records**2
    if kind == "class-size":
        return (sizes[kept].sum() + price * gone) / kept.sum()
    released, totals = kept[labels], []
    for level, column in zip(levels, columns, strict=True):
        lost, whole = column.tables[kind]
        totals.append(np.where(released, lost[level][column.codes], price * whole[column.codes]).mean())
    return join(kind, columns, weights, np.array(totals), records)


def all_nodes(columns):
    """Every node with the sizes of its classes and the class of each record."""
    codes = np.column_stack([column.codes for column in columns])
    rows, of_record, sizes = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    for levels in product(*(range(column.top + 1) for column in columns)):
        keys = np.zeros(len(rows), dtype=np.int64)
        for j, column in enumerate(columns):
            keys = keys * len(column.groups[0]) + column.groups[levels[j]][rows[:, j]]
        labels = np.unique(keys, return_inverse=True)[1].reshape(-1)
        yield levels, np.bincount(labels, weights=sizes).astype(int), labels[of_record.reshape(-1)]


def kept_classes(model, counts, sizes):
    """The classes that satisfy a model; None where the others spoil what is left, or limits on the file do not hold.

    `counts` holds how often each class (row) has each sensitive value; None where the model asks for none.
    """
    everybody = np.ones(len(sizes), dtype=bool)
    kept = _satisfied(model, counts, everybody, sizes)
    if model.get("t_against") == "release":
        plain = {name: value for name, value in model.items() if name not in ("t", "beta")}
        kept = _satisfied(plain, counts, everybody, sizes)
        while kept.any():
            still = kept & _satisfied(model, counts, kept, sizes)
            if (still == kept).all():
                break
            kept = still
    if not kept.any():
        return None
    both = model.get("t_against", "both") == "both" and counts is not None
    if both and not kept.all() and not _satisfied(model, counts, kept, sizes)[kept].all():
        return None
    # the smallest classes go, in the order of their keys, until the limits on the file hold
    smallest = sorted(np.flatnonzero(kept), key=lambda one: (sizes[one], one))
    held = np.flatnonzero(_within_limits(model, sizes[smallest]))
    if not len(held):
        return None
    kept[smallest[: held[0]]] = False
    return kept


def _within_limits(model, rising):
    """Whether the limits on the file hold without the first 0, 1, 2, ... of the released classes, given by size."""

    def left(values):
        return np.cumsum(values[::-1])[::-1]

    records = left(rising)
    return (
        (left(np.ones(len(rising))) <= (model.get("average_risk", 1) + 1e-12) * records)
        & (
            left(np.where(rising < 1 / model.get("at_risk", 0.2) - 1e-9, rising, 0))
            <= (model.get("share_at_risk", 1) + 1e-12) * records
        )
        & (left(np.where(rising == 1, rising, 0)) <= (model.get("uniqueness", 1) + 1e-12) * records)
    )


def _satisfied(model, counts, against, sizes):
    """Which classes satisfy a model; distributions are held against that of the classes `against` together."""
    good = sizes >= max(model.get("k", 1), 1 / model.get("highest_risk", 1) - 1e-9)
    if counts is None:
        return good
    share, whole = counts / sizes[:, None], counts[against].sum(axis=0) / sizes[against].sum()
    if "l" in model:
        kind = model.get("diversity", "distinct")
        if kind == "distinct":
            good &= (counts > 0).sum(axis=1) >= model["l"]
        elif kind == "entropy":
            logs = np.where(share > 0, np.log(np.where(share > 0, share, 1)), 0)
            good &= np.exp(-(share * logs).sum(axis=1)) >= model["l"] * (1 - 1e-12)
        else:
            falling = -np.sort(-counts, axis=1)
            good &= falling[:, 0] < model.get("c", 2.0) * falling[:, model["l"] - 1 :].sum(axis=1)
    if "t" in model:
        if model.get("distance") == "ordered":
            occurs = whole > 0
            steps = np.abs(np.cumsum((share - whole)[:, occurs], axis=1)).sum(axis=1) / max(occurs.sum() - 1, 1)
            good &= (steps <= model["t"] + 1e-12) & ~(counts[:, ~occurs] > 0).any(axis=1)
        else:
            good &= np.abs(share - whole).sum(axis=1) / 2 <= model["t"] + 1e-12
    if "beta" in model:
        good &= (share <= (1 + model["beta"]) * whole + 1e-12).all(axis=1)
    return good


def least_loss(columns, model, kind, most_dropped, sensitive=(), weights=None, price=1.0, levels_allowed=None):
    """The least loss over all nodes, infinite where none is feasible; all feasible losses by node beside it."""
    for column in columns:
        column.tables = {kind: column.losses(kind)}
    sensitive = np.asarray(sensitive, dtype=np.int64)
    found = {}
    for levels, sizes, labels in all_nodes(columns):
        if levels_allowed is not None and not levels_allowed(levels):
            continue
        counts = None
        if len(sensitive):
            m = int(sensitive.max()) + 1
            counts = np.bincount(labels * m + sensitive, minlength=len(sizes) * m).reshape(len(sizes), m)
        kept = kept_classes(model, counts, sizes)
        if kept is None or sizes[~kept].sum() > most_dropped:
            continue
        weighed = weights or [1.0] * len(columns)
        found[levels] = node_loss(kind, columns, levels, weighed, sizes, labels, kept, price)
    return min(found.values(), default=np.inf), found
