"""Cells that came back as they were: how many, by column, step and subdomain, and how many would by chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from microveil.core.arrays import Bools, Ints, Scalars
from microveil.core.numbers import format_percent
from microveil.data.coding import as_amounts, in_common
from microveil.data.table import Values

_STANDARD_ERRORS = 5.0  # above chance by that many: not chance any more
_CELLS_COUNTED = 20_000
FEW = 0.01  # a share of cells below which nothing is said, and chance is not computed
_NAMES_SHOWN = 6


@dataclass(frozen=True)
class Unchanged:
    """How many observed cells of one column a step left as they were, after rounding to the column's own digits.

    `chance` is the share expected to agree anyway; `whole_domains` are the subdomains in which every cell came back,
    each with its number of cells. `spares`: the method may rightly leave cells alone.
    """

    step: int
    method: str
    column: str
    cells: int
    same: int
    chance: float = 0.0
    domains: Mapping[str, float] = field(default_factory=dict)
    whole_domains: Mapping[str, int] = field(default_factory=dict)
    spares: bool = False
    constant: bool = False  # all cells held one value: there was nothing to hide among them

    @property
    def share(self) -> float:
        """The share of the cells that came back as they were."""
        return self.same / self.cells if self.cells else 0.0

    @property
    def whole(self) -> bool:
        """Whether the column came back as it was although it could have changed."""
        return self.cells > 0 and self.same == self.cells and not self.constant

    @property
    def beyond_chance(self) -> bool:
        """Whether clearly more cells came back than agree by chance."""
        if self.share < FEW:
            return False
        error = np.sqrt(self.chance * (1 - self.chance) / self.cells)
        return bool(self.share > self.chance + _STANDARD_ERRORS * error)


class UnchangedShares(Mapping[str, float]):
    """The share of cells of each column that are the original's in the release; `steps` tells it step by step."""

    def __init__(self, shares: Mapping[str, float], steps: tuple[Unchanged, ...]) -> None:
        self._shares, self.steps = dict(shares), steps

    def __getitem__(self, column: str) -> float:
        return self._shares[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shares)

    def __len__(self) -> int:
        return len(self._shares)

    def __repr__(self) -> str:
        lines = [f"  {name}: {format_percent(share)}" for name, share in self._shares.items()]
        lines += [
            f"  step {one.step + 1}, {one.method}, {one.column}: {format_percent(one.share)}" for one in self.steps
        ]
        return "\n".join(["Cells left as they were", *lines])


def same_cells(before: Values, after: Values) -> Bools:
    """Which cells of two aligned columns agree; a gap agrees with nothing."""
    if before.levels is None or after.levels is None:
        # an amount beside a class: the same where the class is the text of that amount
        return np.asarray(as_amounts(before).data == as_amounts(after).data, dtype=np.bool_)
    x, y = (values.data for values in in_common([before, after]))
    return np.asarray((x == y) & (x >= 0), dtype=np.bool_)


def chance_of_agreement(values: Values, domains: Ints | None, sizes: Ints | None = None) -> float:
    """The share of observed cells, of which there are some, that agree when values are redrawn in each subdomain.

    `sizes`: how many observed cells each subdomain has, where these are a sample of them.
    """
    observed = ~values.missing
    if domains is None:
        return _chance_of_pair(values.data[observed])
    labels = domains[observed]
    codes = np.unique(values.data[observed], return_inverse=True)[1].reshape(-1)
    places, counts = np.unique(labels * (int(codes.max()) + 1) + codes, return_counts=True)
    of_domain = places // (int(codes.max()) + 1)
    seen = np.bincount(labels)
    if sizes is None or int(sizes.sum()) == len(labels):
        return float((counts**2 / seen[of_domain]).sum() / len(labels))
    pairs = np.bincount(of_domain, weights=counts * (counts - 1.0))
    told = np.flatnonzero(seen > 1)  # those of one cell tell nothing
    if not len(told):
        return 0.0
    shares = pairs[told] / (seen[told] * (seen[told] - 1.0)) + 1.0 / sizes[told]
    return float(np.minimum(shares, 1.0) @ sizes[told] / sizes[told].sum())


def _chance_of_pair(values: Scalars) -> float:
    """The sum of the squared shares of the values; of many records some, evenly spaced, tell it."""
    some = values[:: max(1, len(values) // _CELLS_COUNTED)]
    counts = np.unique(some, return_counts=True)[1].astype(np.float64)
    if len(some) == len(values):
        return float(counts @ counts) / len(values) ** 2
    pairs = float((counts * (counts - 1.0)).sum()) / (len(some) * (len(some) - 1.0))
    return pairs + 1.0 / len(values)


def is_constant(values: Values) -> bool:
    """Whether all observed cells hold one value."""
    observed = values.data[~values.missing]
    return len(observed) == 0 or bool((observed == observed[0]).all())


def count_domains(
    same: Bools, observed: Bools, domains: Ints, texts: Sequence[str]
) -> tuple[dict[str, float], dict[str, int]]:
    """The share of unchanged cells in each subdomain, and the subdomains in which all came back."""
    cells = np.bincount(domains[observed], minlength=len(texts))
    kept = np.bincount(domains[observed], weights=same[observed], minlength=len(texts))
    shares = {texts[i]: float(kept[i] / cells[i]) for i in np.flatnonzero(cells).tolist()}
    whole = {texts[i]: int(cells[i]) for i in np.flatnonzero((cells > 0) & (kept == cells)).tolist()}
    return shares, whole


def hidden_nothing(found: Sequence[Unchanged]) -> tuple[str, ...]:
    """Sentences on columns that a step left wholly as they were though it was asked to protect them."""
    whole: dict[tuple[int, str], list[str]] = {}
    for one in found:
        if one.whole and not one.spares:
            whole.setdefault((one.step, one.method), []).append(repr(one.column))
    return tuple(
        f"{method} left every value of {', '.join(columns)} as it was: nothing is protected there"
        for (_, method), columns in whole.items()
    )


def notes_on(found: Sequence[Unchanged]) -> tuple[str, ...]:
    """What to know about cells that came back, beyond what chance explains."""
    notes = []
    for one in found:
        if one.spares:
            if one.whole:
                notes.append(f"{one.method} found nothing to change in {one.column!r}: it is as it was")
            continue
        if one.whole or one.constant:
            continue
        if one.beyond_chance:
            notes.append(
                f"{format_percent(one.share)} of the values of {one.column!r} came back as they were after "
                f"{one.method} ({format_percent(one.chance)} would by chance)"
            )
        if one.whole_domains:
            records, number = sum(one.whole_domains.values()), len(one.whole_domains)
            shown = "; ".join(list(one.whole_domains)[:_NAMES_SHOWN]) + ("; ..." if number > _NAMES_SHOWN else "")
            notes.append(
                f"in {number} of {len(one.domains)} subdomains ({records} records) {one.method} left every value of "
                f"{one.column!r} as it was: {shown}"
            )
    return tuple(notes)
