"""Targeted record swapping: risky households change places with similar ones elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from microveil.core.arrays import Codes
from microveil.core.errors import BadInput
from microveil.core.parameters import Example, OfColumns, Range, Safer
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.data.table import Table
from microveil.mask.base import Mask
from microveil.mask.household_swap import Swaps, swap_households
from microveil.run.method import Job, Outcome, Step


@dataclass(frozen=True, kw_only=True)
class RecordSwap(Mask, name="record-swap"):
    """Exchange the geography of risky households with similar households elsewhere.

    Use it on census-like files with areas in levels: name them in `columns` from the highest to the lowest. At
    each level, households with a member whose `risk` values occur fewer than k times in the area are swapped
    with a household outside it that agrees on a profile in `similar` (the first that finds one); at the lowest
    level more are swapped until `rate` of the households have moved. Households (role `household`) stay whole,
    move at most once, and everything but the areas and `carry_along` stays with them.
    """

    risk: Annotated[
        tuple[str, ...],
        OfColumns(),
        Example(["age", "occupation"]),
        "columns whose rare combinations make a household risky",
    ] = ()
    similar: Annotated[
        tuple[tuple[str, ...], ...],
        OfColumns(),
        Example([["household_size", "age"], ["household_size"]]),
        "profiles on which partners must agree, best first",
    ] = ((),)
    k: Annotated[int, Range(ge=1), "a combination is rare in an area if it occurs less often"] = 3
    rate: Annotated[
        float, Range(ge=0, le=1, grid=(0.05, 0.2)), Safer("twice"), "share of households to swap in the lowest areas"
    ] = 0.05
    households: Annotated[bool, "swap whole households; else single records"] = True
    carry_along: Annotated[tuple[str, ...], OfColumns(), Example(["district"]), "columns that move with the areas"] = ()

    kinds: ClassVar[tuple[str, ...]] = ("ordinal", "nominal")
    default_roles: ClassVar[tuple[str, ...]] = ("key",)
    spares: ClassVar[bool] = True
    reference = "Shlomo, Tudor & Groom 2010"

    def validate(self) -> None:
        """At least one profile."""
        if not self.similar:
            raise BadInput("similar is empty; give a profile of columns, or one empty profile to match anybody")

    def resolve(self, data: Microdata, step: Step) -> tuple[dict[str, str], dict[str, str]]:
        """The areas and what moves with them; beside them risk and profile columns."""
        if step.given:
            raise BadInput(f"{self.name} reads the columns named in risk and similar; leave given out")
        profile = [name for names in self.similar for name in names]
        for what, names in (("risk", self.risk), ("similar", tuple(profile)), ("carry_along", self.carry_along)):
            check_names(names, list(data.columns), what)
        busy = tuple(dict.fromkeys((*self.risk, *profile, *self.carry_along)))
        if step.columns is None:
            found = self._default_columns(data, set(step.by))
            chosen = {name: kind for name, kind in found.items() if name not in busy}
        else:
            chosen = super().resolve(data, replace(step, given=None))[0]
        both = [name for name in busy if name in chosen]
        if both:
            raise BadInput(f"{both} are areas and also named in risk, similar or carry_along; name each once")
        if not chosen:
            raise BadInput(f"{self.name} needs the columns of the areas; name them in columns")
        moved = {name: data.kinds[name] for name in self.carry_along}
        beside = {name: data.kinds[name] for name in busy if name not in self.carry_along}
        return {**chosen, **moved}, beside

    def run(self, table: Table, job: Job) -> Outcome:
        """Choose partners and exchange their areas."""
        areas = [name for name in table.names if name not in self.carry_along]
        households = self._households(table, job)
        houses, first, of = np.unique(households, return_index=True, return_inverse=True)
        of = of.reshape(-1)
        self._check_profiles(job.given, of, first)
        swaps = swap_households(
            table.codes(areas),
            job.given.codes(self.risk),
            [job.given.codes(names)[first] for names in self.similar],
            of,
            len(houses),
            self.k,
            self.rate,
            job.streams.generator(),
        )
        source = first[swaps.partner[of]]
        still = swaps.partner[of] == of
        columns = {
            name: values.with_data(np.where(still, values.data, values.data[source]))
            for name, values in table.columns.items()
        }
        return Outcome(columns, notes=_notes(swaps, len(houses)))

    def _households(self, table: Table, job: Job) -> Codes:
        """What moves together: members of a household in one place; everybody else alone."""
        from microveil.kernels.tables.classes import group_rows

        alone = np.arange(table.rows)
        if job.households is None or not self.households:
            return alone
        together = np.column_stack([job.households, table.codes()])
        labels = group_rows(together)[0]
        return np.where(job.households < 0, int(labels.max()) + 1 + alone, labels)

    def _check_profiles(self, given: Table, of: Codes, first: Codes) -> None:
        """What is compared for a whole household must be the same for all its members."""
        for name in dict.fromkeys(name for names in self.similar for name in names):
            codes = given.codes([name])[:, 0]
            if (codes != codes[first][of]).any():
                raise BadInput(
                    f"{name!r} differs inside households; only columns of the whole household can be used here"
                )


def _notes(swaps: Swaps, houses: int) -> tuple[str, ...]:
    moved = int((swaps.partner != np.arange(houses)).sum())
    notes = (f"{moved} of {houses} households changed places",)
    if swaps.without_partner:
        return (*notes, f"{swaps.without_partner} risky households found no partner outside their area")
    return notes
