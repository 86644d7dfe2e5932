"""Several releases of the same file, combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from microveil.attack.aside import AttackAside
from microveil.attack.claims import advantage_over
from microveil.attack.nearest_records import share_own_nearest
from microveil.attack.several import Several, combine, mean_error, put_together
from microveil.core.errors import BadInput
from microveil.core.measured import Measured, NotApplicable
from microveil.core.numbers import format_number
from microveil.measure import Linked
from microveil.run.release import AnyFile

_FEWEST = 2


@dataclass(frozen=True, kw_only=True)
class Composition(AttackAside, name="composition"):
    """Per cent of records found by one who combines several releases of the same file.

    Use it before a file is released a second time, protected anew: `Composition()(data, [first, second, ...])`. Chance
    cancels out: amounts are averaged over the releases and of categories the commonest is taken, and the record nearest
    to somebody's known values is theirs; where one of the releases alone gives more away than their mean, that one
    counts. The intruder is taken to know which records of the releases belong together, as by a pseudonym or by columns
    that stay. Where columns are released as classes, only records whose classes in all releases hold the known values
    are looked at. Values that all classes of a record share are counted, too; without any other column they are the
    figure. Releases that differ in their key alone should never be given away together.
    """

    title: ClassVar[str] = "Several releases combined"
    reference: ClassVar[str] = "Ganta, Kasiviswanathan & Smith 2008"
    advice: ClassVar[str] = (
        "Releases of the same file differ by chance, and their mean by less. Publish one release only, or all of "
        "them under one key and plan."
    )
    needs: ClassVar[str] = "it combines several releases; give a list of them: Composition()(data, [first, second])"

    def __call__(
        self,
        original: AnyFile,
        protected: AnyFile | Sequence[AnyFile] | None = None,
        *,
        columns: Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        linked: Linked = True,
    ) -> Measured | NotApplicable:
        """Measure releases against their common original, through all common columns or some."""
        if not isinstance(protected, list | tuple) or len(protected) < _FEWEST:
            return self.not_applicable(self.needs)
        if by is not None or linked is not True:
            raise BadInput("releases are combined as wholes, whose rows belong together; leave by and linked out")
        together = put_together(original, protected, columns if self.known is None else self.known)
        if isinstance(together, str):
            return self.not_applicable(together)
        return self._on_records(together) if together.original.names else self._on_classes(together)

    def _on_records(self, together: Several) -> Measured:
        combined = combine(together.releases)
        known, every = together.original, [held for one in together.classes for held in one]
        mean = 100.0 * float(share_own_nearest(known, combined, every).mean())
        ones = [
            100.0 * float(share_own_nearest(known, one, held).mean())
            for one, held in zip(together.releases, together.classes, strict=True)
        ]
        errors = [mean_error(together.original, one) for one in together.releases]
        best, alone, error = max(ones), sum(ones) / len(ones), sum(errors) / len(errors)
        found = max(mean, best)  # whoever has all of them need not average
        by = "" if mean >= best else f" by the one that gives most away ({format_number(mean)} % by their mean)"
        left = mean_error(together.original, combined)
        return self.measured(
            found,
            parts={
                "certain": 0.0,
                "precision": 0.0,
                "baseline": 100.0 / together.original.rows,
                "found in one": alone,
                "error of one": error,
                "error combined": left,
                **self._pinned(together),
            },
            reading=(
                f"Who combines {len(ones)} releases finds {format_number(found)} % of the records{by}, where one "
                f"release gives {format_number(alone)} %; errors shrink from {format_number(error)} to "
                f"{format_number(left)} standard deviations."
            ),
        )

    def _on_classes(self, together: Several) -> Measured | NotApplicable:
        if not together.cells_in_classes:
            return self.not_applicable("the releases share no column that could be combined")
        one, every = together.pinned_by_one, together.pinned_by_all
        value = advantage_over(every, one)
        return self.measured(
            value,
            parts={"certain": 100.0 * every, "precision": 1.0, "baseline": 100.0 * one, **self._pinned(together)},
            reading=(
                f"Classes of {len(together.releases)} releases share a single value in {format_number(100 * every)} % "
                f"of the cells, where those of one hold one value in {format_number(100 * one)} %."
            ),
        )

    @staticmethod
    def _pinned(together: Several) -> dict[str, float]:
        if not together.cells_in_classes:
            return {}
        return {
            "cells pinned by one": 100.0 * together.pinned_by_one,
            "cells pinned by all": 100.0 * together.pinned_by_all,
        }
