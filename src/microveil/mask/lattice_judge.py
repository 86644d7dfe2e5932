"""Whether a node of the lattice is feasible: at most so many records are in classes that cannot be released."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from microveil.core.arrays import Bools, Ints
from microveil.data.class_counts import ClassCounts
from microveil.data.class_rule import ClassRule, Order
from microveil.mask.lattice_rows import LatticeRows, Levels, NodeClasses


@dataclass(frozen=True)
class Judged:
    """A node with its classes; those that are kept where it is feasible, and how many records are left out then.

    `dropped_below`: everything below leaves out at least so many records, by what no part of a class can satisfy.
    """

    classes: NodeClasses
    kept: Bools | None
    dropped: int
    dropped_below: int


class Judge:
    """A model on the rows of a file, with records that may be left out.

    `key_sets`: places of the keys that must each satisfy the model, in place of all keys together. `starred`: records
    that are left out stay as one class, which must satisfy the model, too.
    """

    def __init__(
        self,
        rows: LatticeRows,
        rule: ClassRule,
        largest_drop: int,
        key_sets: Sequence[Sequence[int]] = (),
        starred: bool = False,
    ) -> None:
        self.rows, self.rule, self.largest_drop, self.key_sets = rows, rule, largest_drop, key_sets
        self.starred = starred

    @cached_property
    def closed_below(self) -> bool:
        """Whether everything below a node that is not feasible is not feasible either.

        With nothing left out, joining classes never breaks a model, so what is feasible stays so going up. With
        records left out that is so where a class that breaks the model does so in any part: then those left out at a
        node are among those left out below it. With several sets of keys too: what can be kept at a node can be kept
        above it, where the classes of each set are larger. It is not so where those left out are a class of their own:
        going up they become fewer, and may be too few.
        """
        return self.largest_drop == 0 or (self.rule.is_hereditary and not self.starred)

    @cached_property
    def keeps_most(self) -> bool:
        """Whether no other choice of records to leave out keeps more of them at any node.

        Several sets of keys agree on what must go where a class that breaks the model does so in any part. Records that
        stay as a class of their own may need others beside them, and the smallest classes are taken.
        """
        if self.largest_drop == 0:
            return True
        agreed = not self.key_sets or self.rule.is_hereditary
        return self.rule.keeps_most and agreed and not self.starred

    def judge(self, levels: Levels) -> Judged:
        """What becomes of the classes at a node."""
        classes = self.rows.classes(levels)
        sizes = classes.counts.sizes
        possible = self._keep(classes, lambda counts, _: ~self.rule.broken_in_any_part(counts))
        in_any_part = self.rows.records if possible is None else int(sizes[~possible].sum())
        kept = None if in_any_part > self.largest_drop else self._keep(classes, self._release)
        dropped = 0 if kept is None else int(sizes[~kept].sum())
        if dropped > self.largest_drop:
            kept, dropped = None, 0
        if kept is None and self.largest_drop == 0:
            in_any_part = max(in_any_part, 1)  # nothing below is feasible either
        return Judged(classes, kept, dropped, in_any_part)

    def _release(self, counts: ClassCounts, order: Order) -> Bools | None:
        if not self.starred:
            return self.rule.keep(counts, order)
        one = np.zeros(len(counts.sizes), dtype=np.int64)
        return self.rule.keep_beside(counts, order, lambda others: self.rows.merge_some(counts, others, one)[1])

    def _keep(self, classes: NodeClasses, keep: Callable[[ClassCounts, Order], Bools | None]) -> Bools | None:
        """The classes that can be kept; with several sets of keys, those that every set can keep without the others.

        All sets judge the same classes before any of them goes, so that their order tells nothing.
        """
        if not self.key_sets:
            return keep(classes.counts, lambda: self.rows.order(classes.rows, classes.levels))
        projections = [self.rows.project(classes.levels, columns) for columns in self.key_sets]
        joined = [(levels, self.rows.join(classes.rows, levels)) for levels in projections]
        kept = np.ones(len(classes.counts.sizes), dtype=np.bool_)
        while kept.any():
            good = np.ones(int(kept.sum()), dtype=np.bool_)
            for levels, labels in joined:
                of_kept, counts = self.rows.merge_some(classes.counts, kept, labels)
                first = classes.rows[kept][np.unique(of_kept, return_index=True)[1]]
                of_set = keep(counts, partial(self.rows.order, first, levels))
                if of_set is None:
                    return None
                good &= of_set[of_kept]
            if good.all():
                return kept
            kept[np.flatnonzero(kept)[~good]] = False
        return None

    def riskiest_sizes(self, judged: Judged) -> Ints:
        """The sizes of the released classes; with several sets of keys those of the set with the largest risk."""
        kept = np.ones(len(judged.classes.rows), dtype=np.bool_) if judged.kept is None else judged.kept
        classes = judged.classes
        if not self.key_sets:
            return classes.counts.sizes[kept]
        of_sets = []
        for columns in self.key_sets:
            labels = self.rows.join(classes.rows, self.rows.project(classes.levels, columns))
            of_sets.append(self.rows.merge_some(classes.counts, kept, labels)[1].sizes)
        return max(of_sets, key=lambda sizes: (-int(sizes.min()), len(sizes)))

    def kept_rows(self, judged: Judged) -> Bools:
        """Which of the rows that were given are kept at a feasible node."""
        if judged.kept is None or judged.kept.all():
            return np.ones(len(self.rows.of_row), dtype=np.bool_)
        return self.rows.of_rows(judged.kept[self.rows.labels(judged.classes.levels)])
