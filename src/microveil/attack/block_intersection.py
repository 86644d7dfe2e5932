"""Intersection attack on microaggregation by blocks of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.comparable import complete_parts
from microveil.attack.domains import each_domain
from microveil.attack.guesses import Answer, Guesses
from microveil.attack.linking import Near, Part, are_few, find_near, match, nearest_points
from microveil.attack.masked import Masked, find_masked
from microveil.attack.view import View
from microveil.core.arrays import Floats, Ints
from microveil.core.parameters import Example
from microveil.data.table import Table
from microveil.kernels.linkage.boxes import Boxes, find_meeting
from microveil.kernels.tables.classes import first_rows, group_rows
from microveil.mask.blocks import Blocks
from microveil.mask.microaggregation import Microaggregation
from microveil.run.contract import MethodContract

_LEAST = 1e-12  # of a usual distance, squared, where averages are mostly the values themselves


@dataclass(frozen=True, kw_only=True)
class BlockIntersection(Attack, name="block-intersection"):
    """Per cent of records found by one who knows which columns were averaged together.

    Use it for microaggregation by blocks: the averages of a block hide k records, but each block hides others. The
    nearest averages of every block are intersected, and where one record shows all of them it is claimed; the figure is
    that of the nearest record over all blocks, or of a one-to-one matching (up to some thousand records).
    """

    blocks: Annotated[
        tuple[tuple[str, ...], ...] | None,
        Example([["income", "taxes"], ["age"]]),
        "columns averaged together; None: as the release says",
    ] = None

    quick: ClassVar[bool] = True
    reidentifies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")  # some of many records tell the share
    title: ClassVar[str] = "Intersection of averages by blocks"
    reference: ClassVar[str] = "Nin, Herranz & Torra 2008"
    advice: ClassVar[str] = (
        "The averages of one block hide a record among k, but each block hides it among others, and hardly anybody is "
        "in all these groups. Average all columns in groups of k together (blocks=None), which bounds what is found by "
        "1/k; larger groups in each block help less."
    )

    def guess(self, view: View) -> Answer | str:
        """Intersect the nearest averages of all blocks, and take the nearest record."""
        stated = None if self.blocks is None else Microaggregation(blocks=self.blocks)
        averaged = find_masked(view, self.name, stated, f"{type(self).__name__}(blocks=3)")
        if isinstance(averaged, str):
            return averaged
        # amounts have distances; of several steps the columns are blocks side by side
        names = [name for masked in averaged for name in masked.columns if view.known[name].levels is None]
        if not names:
            return "the intruder knows no amount that was averaged by blocks"
        blocks = [block for masked in averaged for block in blocks_of(view, masked)]
        known, released = view.known.matrix(names), view.released.matrix(names)
        by = tuple(dict.fromkeys(name for masked in averaged for name in masked.by))
        scale = np.nanstd(released, axis=0)
        root = np.diag(1.0 / np.where(scale > 0, scale, 1.0))
        parts = [
            part
            for domain in each_domain(view, by)
            if len(domain.sought)
            for part in complete_parts(
                view, domain, known[domain.sought], released[domain.released], lambda some: root[np.ix_(some, some)]
            )
            if len(part.released)
        ]
        found = [_InBlocks.of(part, [[names.index(name) for name in block] for block in blocks]) for part in parts]
        return _answer(found, view.known.rows)

    def stronger(self, method: MethodContract) -> MethodContract | None:
        """The same groups over all columns together."""
        if not isinstance(method, Microaggregation) or method.blocks is None:
            return None
        return replace(method, blocks=None, order="given")


def blocks_of(view: View, masked: Masked) -> Blocks:
    """The known columns that were averaged together; where the data decided, records that share averages tell."""
    assert isinstance(masked.method, Microaggregation)
    stated = masked.method.blocks_on(masked.replaced)
    if stated is None:
        stated = _seen_blocks(view, masked, len(view.released[masked.columns[0]].data) // masked.method.partition.k)
    amounts = [name for name in masked.columns if view.known[name].levels is None]
    cut = [tuple(name for name in block if name in amounts) for block in stated]
    return tuple(block for block in cut if block)


def _seen_blocks(view: View, masked: Masked, most: int) -> Blocks:
    """Columns whose averages come together: there are no more combinations than groups."""
    blocks: list[tuple[str, ...]] = []
    for name in masked.columns:
        for number, block in enumerate(blocks):
            if len(group_rows(view.released.codes((*block, name)))[1]) <= most:
                blocks[number] = (*block, name)
                break
        else:
            blocks.append((name,))
    return tuple(blocks)


@dataclass(frozen=True)
class _InBlocks:
    """Records that can be compared, with the number of the nearest average of each sought one in every block.

    The last column of points tells whether records agree in what nobody changed. `floor` is how far the nearest average
    of a block usually is, squared: differences below it say little.
    """

    part: Part
    blocks: Sequence[Ints]
    nearest: Floats
    shown: Floats
    floor: Floats

    @classmethod
    def of(cls, part: Part, blocks: Sequence[Sequence[int]]) -> _InBlocks:
        place = {column: i for i, column in enumerate(part.columns.tolist())}
        kept = [np.array([place[j] for j in block if j in place], dtype=np.int64) for block in blocks]
        kept = [block for block in kept if len(block)]
        nearest, shown = np.empty((len(part.sought), len(kept))), np.empty((len(part.released), len(kept)))
        floor = np.empty(len(kept))
        for number, block in enumerate(kept):
            labels, counts = group_rows(Table.of_matrix(part.shown[:, block]).codes())
            averages = part.shown[first_rows(labels, len(counts))][:, block]
            near, apart = nearest_points(part.known[:, block], averages, 1)
            nearest[:, number], shown[:, number] = near[:, 0], labels
            floor[number] = max(float(np.median(apart)), _LEAST)
        return cls(part, kept, nearest, shown, floor)

    def cost(self, q: Ints, r: Ints) -> Floats:
        """How unlikely released records are, summed over the blocks; a block that does not fit at all counts little."""
        known, shown = self.part.known, self.part.shown
        total = (known[q, -1] - shown[r, -1]) ** 2
        for block, floor in zip(self.blocks, self.floor, strict=True):
            apart = sum((known[q, j] - shown[r, j]) ** 2 for j in block)
            total = total + np.log1p(apart / floor)
        return np.asarray(total, dtype=np.float64)

    def every_cost(self) -> Floats:
        """The same of all pairs."""
        return self.cost(np.arange(len(self.part.sought))[:, None], np.arange(len(self.part.released))[None, :])

    def alone(self) -> Ints:
        """The released record, by its row in the view, that alone shows the nearest averages of all blocks; else -1."""
        asked, shown = (
            np.column_stack([side, points[:, -1]])
            for side, points in ((self.nearest, self.part.known), (self.shown, self.part.shown))
        )
        met = find_meeting(Boxes(asked, asked, asked), Boxes(shown, shown, shown), 1)
        found = np.full(len(asked), -1, dtype=np.int64)
        single = met.sizes == 1
        found[single] = self.part.released[met.candidate[met.start[:-1][single]]]
        return found


def _answer(found: Sequence[_InBlocks], sought: int) -> Answer:
    parts = [one.part for one in found]
    near = find_near(parts, sought)
    costs, alone = np.full_like(near.apart, np.inf), np.full(sought, -1, dtype=np.int64)
    for one in found:
        rows, released = one.part.sought, one.part.released
        q, slot = np.nonzero(near.candidate[rows] >= 0)
        costs[rows[q], slot] = one.cost(q, np.searchsorted(released, near.candidate[rows[q], slot]))
        alone[rows] = one.alone()
    readings = {
        "alone in all blocks": Guesses.of_one_each(alone),
        "nearest": near.guesses(),
        "nearest by blocks": Near(near.candidate, costs).guesses(),
    }
    if are_few(parts):
        every = {id(one.part): one.every_cost for one in found}
        readings["one-to-one"] = Guesses.of_one_each(match(parts, sought, lambda part: every[id(part)]()))
    return Answer(readings, alone >= 0)
