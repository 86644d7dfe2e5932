"""Records that were released as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from microveil.attack.base import Attack
from microveil.attack.copies_in_blocks import copies_among_originals, copies_in_blocks, expected_by_chance
from microveil.attack.guesses import Finding
from microveil.attack.view import View
from microveil.core.arrays import Ints
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.core.parameters import Range
from microveil.kernels.tables.classes import group_rows
from microveil.measure.in_blocks import PairInBlocks
from microveil.measure.keys import common_codes
from microveil.measure.shares import share_interval


@dataclass(frozen=True, kw_only=True)
class Verbatim(Attack, name="verbatim"):
    """Per cent of released records that equal an original one in all known columns, a gap like a gap.

    Use it for any release, synthetic ones above all: whoever knows somebody's values finds them by looking. Those that
    equal the only original of their kind ("certain") or one of few ("rare") count more than those that equal many, and
    "baseline" is what chance gives: twice as many as in one half of the originals equal the only one of their kind in
    the other half, or as many as would if columns were independent. As a control measure records that were not used:
    `Verbatim()(others, release, linked=False)` should find as many.
    """

    rare: Annotated[int, Range(ge=2), "originals that are equal to at most so many, themselves included, are rare"] = 3

    paired: ClassVar[bool] = False
    gains: ClassVar[bool] = True
    counts_copies: ClassVar[bool] = True
    verdict_limit: ClassVar[float] = float("inf")
    for_any_release: ClassVar[bool] = True
    overview_sample = None  # equal records are counted by sorting
    title: ClassVar[str] = "Records released as they are"
    reference: ClassVar[str] = "Raab, Nowok & Dibben 2024"
    advice: ClassVar[str] = (
        "Records stand in the release as they are in the original, more of them than chance explains: whoever knows "
        "their values sees that they are true. Change more of the columns in which they agree; where a synthesiser "
        "repeats originals, give it larger groups or leaves."
    )

    def advantage(self, result: Measured) -> float:
        """Copies of the only original of their kind, beyond chance: those of many equal ones are nobody's."""
        parts = [part.parts for part in result.domains.values()] or [result.parts]
        return max(max(part["unique"] - part["baseline"], 0.0) for part in parts)

    def in_blocks(self, files: PairInBlocks) -> Measured | NotApplicable:
        """Some released records are looked for among all originals."""
        names = self.choose(files.head)
        if not names:
            return self.not_applicable("there is no column that the intruder could know")
        found, originals = copies_in_blocks(files, names), files.records[0]
        value, unique = (100.0 * float(flags.mean()) for flags in (found.equal > 0, found.equal == 1))
        rare = 100.0 * float(((found.equal > 0) & (found.equal <= self.rare)).mean())
        by_chance = expected_by_chance(found.in_columns, originals)
        if originals > 1:
            by_chance = max(by_chance, min(200.0 * float((copies_among_originals(files, names) == 1).mean()), 100.0))
        tried = len(found.equal)
        said = f"{tried:,} of {files.records[1]:,} released records, drawn at random"
        always = {"certain": unique, "precision": 1.0 if unique else 0.0, "baseline": by_chance}
        return self.measured(
            value,
            parts={**always, "unique": unique, "rare": rare},
            interval=share_interval(value, tried),
            reading=_reading(value, unique, by_chance, len(names)),
            notes=(f"{said}, were looked for among all {originals:,} originals",),
        )

    def guess(self, view: View) -> Finding | str:
        """Count the released records that an original equals."""
        known, released = common_codes(view.known, view.released.only(view.known.names))
        labels = group_rows(np.vstack([known, released]))[0]
        mine, theirs = labels[: len(known)], labels[len(known) :]
        originals = np.bincount(mine, minlength=int(labels.max()) + 1)[theirs]
        shown = np.bincount(theirs, minlength=int(labels.max()) + 1)[mine] > 0
        value, unique = (100.0 * float(found.mean()) for found in (originals > 0, originals == 1))
        rare = 100.0 * float(((originals > 0) & (originals <= self.rare)).mean())
        baseline = max(_by_chance(known, released), _among_originals(mine))
        reading = _reading(value, unique, baseline, len(view.known.names))
        parts = {"unique": unique, "rare": rare}
        return Finding(value, unique, 1.0 if unique else 0.0, baseline, shown.astype(np.float64), reading, parts)


def _reading(value: float, unique: float, baseline: float, columns: int) -> str:
    return (
        f"{format_number(value)} % of the released records equal an original one in all {columns} columns, "
        f"{format_number(unique)} % the only one of its kind; {format_number(baseline, 2)} % would by chance."
    )


def _among_originals(kinds: Ints) -> float:
    """The per cent of one half of the originals that equal the only one of its kind in the other half, twice.

    Twice, because of all originals twice as many are there to be equal to. The order of rows carries nothing.
    """
    half = len(kinds) // 2
    if not half:
        return 0.0
    others = np.bincount(kinds[half:], minlength=int(kinds.max()) + 1)
    return min(200.0 * float((others[kinds[:half]] == 1).mean()), 100.0)


def _by_chance(known: Ints, released: Ints) -> float:
    """The per cent of released records that some original would equal if its columns were independent."""
    logs = np.zeros(len(released))
    for j in range(known.shape[1]):
        counts = np.bincount(known[:, j] + 1, minlength=int(released[:, j].max(initial=-1)) + 2)
        with np.errstate(divide="ignore"):
            logs += np.log(counts[released[:, j] + 1] / len(known))
    with np.errstate(divide="ignore"):
        misses = len(known) * np.log1p(-np.exp(logs))
    return abs(100.0 * float(np.expm1(misses).mean()))
