"""A first plan that redraws keys and everything confidential in the same groups, so that one bound holds for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from microveil.core.arrays import Bools
from microveil.core.edits import Edit
from microveil.data.microdata import Microdata
from microveil.data.nesting import Nesting, nestings_of_codes
from microveil.measure import Scenario
from microveil.plan.amounts import has_gaps, is_coarse
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan
from microveil.plan.proposed_roles import STATED, ColumnLook
from microveil.plan.proposed_rules import Rule, set_aside
from microveil.plan.repeated_units import Units, find_units

K = 10
_OFTEN = 0.9  # distinct values per record of a key up to which its values are exchanged, not redrawn
_MOST_LEFT_OUT = 0.1  # of the records, because hardly anybody has their gaps
_JITTER = 0.1
_RISK = 0.2
_SHARE = 200.0 / K  # per cent: twice what the bound lets through on average
_MANY_ZEROS = 0.15  # of the values: as many are below 0 in skewed amounts that were redrawn
# the share of good releases that a limit may refuse, and the attacks of which the strongest decides
_REFUSED, _ATTACKS = 0.001, 40
COARSE = "its numbers are few and round, so that they change places in groups"
REPEATED = "its values repeat, so that they are exchanged in groups"
DESIGN = "its values change places in groups"
DATED = "a rule binds it to dates, so that it changes places with them"
GAPS = "its gaps would leave many records out, so that its values are exchanged in groups"


@dataclass(frozen=True)
class Together:
    """The keys and the other columns that are redrawn together, and the columns whose kind changes for it, with why."""

    data: Microdata
    keys: tuple[Any, ...]
    others: tuple[Any, ...]
    kinds: Mapping[Any, str]
    roles: Mapping[Any, str]  # of all columns of the file
    exchanged: Mapping[Any, str] = field(default_factory=dict)
    left: tuple[Any, ...] = ()  # released as they are
    design: tuple[Any, ...] = ()  # strata and the weight, which change places too
    rules: tuple[Rule, ...] = ()  # of the file, for the kinds above

    @classmethod
    def of(cls, data: Microdata, found: Inspection) -> Together | None:
        """What can be redrawn together; None where it cannot be, or where counting keys says all."""
        looks = [look for look in found.columns if look.distinct > 1]
        keys = tuple(look.name for look in looks if look.role == "key")
        # a column of no role, such as a second weight, tells records apart too, unless somebody said that it does not
        free = {look.name for look in looks if look.role == "other" and look.why != STATED}
        others = tuple(look.name for look in looks if look.role == "confidential" or look.name in free)
        seen_as = found.kinds
        kinds: dict[Any, str] = {name: seen_as[name] for name in (*keys, *others)}
        stated = {name for edit in data.edits_of_amounts for name in edit.columns}
        amounts = [
            name
            for name, kind in kinds.items()
            if kind == "continuous" and not data.schema[name].declared and name not in stated
        ]
        exchanged = {name: COARSE for name in amounts if is_coarse(data, name)}
        dated = {name for rule in found.rules if rule.of_days and rule.active for name in rule.edit.columns}
        exchanged |= {name: DATED for name in amounts if name in dated}
        # ages and the like: redrawn, some would be below 0
        often = {look.name for look in looks if look.distinct <= _OFTEN * (data.n - look.missing)} - exchanged.keys()
        often &= set(amounts)
        # and second weights, 100 over the size of a household: a drawn number beside true ones is told by its decimals
        exchanged |= {name: REPEATED for name in (*keys, *free) if name in often}
        fine = [name for name in amounts if name not in exchanged]
        if _with_rare_gaps(data, fine, min(K, data.n)).mean() > _MOST_LEFT_OUT:
            exchanged |= {name: GAPS for name in fine if has_gaps(data, name)}
        # beside redrawn columns, strata and weights that stay would say who is who
        design = tuple(look.name for look in looks if _changes_places(data, look))
        kinds |= {name: seen_as[name] for name in design}
        weights = {look.name: DESIGN for look in looks if look.role == "weight" and look.name in design}
        exchanged |= weights
        # numbers of households are drawn anew when a file is written
        hidden = ("identifier", "household")
        left = tuple(look.name for look in looks if look.role not in hidden and look.name not in kinds)
        kinds |= dict.fromkeys(exchanged, "ordinal")
        rules = set_aside(found.rules, seen_as | kinds)
        together = cls(data, keys, others, kinds, found.roles, exchanged, left, design, rules)
        # values that are exchanged among their likes alone would stay where they are
        secrets = len(others) > len(free)
        possible = secrets and data.n > 1 and together._alike and (keys or together.redrawn)
        return together if possible else None

    @cached_property
    def columns(self) -> tuple[Any, ...]:
        """All columns that are redrawn."""
        return (*self.design, *self.keys, *self.others)

    @property
    def weight(self) -> Any:
        """The weight that changes places, None where there is none."""
        return next((name for name in self.design if name in self.exchanged), None)

    @property
    def household(self) -> Any:
        """The column that says who lives together, None where there is none."""
        return next((name for name, role in self.roles.items() if role == "household"), None)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The rules that amounts are redrawn inside."""
        return tuple(rule.edit for rule in self.rules if rule.active and not rule.of_days)

    @cached_property
    def rules_of_days(self) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
        """The rules about dates that the plan keeps, since their columns change places in whole rows, and the others.

        A row shows no secret beside true keys where the secret follows from these by the rule itself.
        """
        kept: list[Edit] = []
        parted: list[Edit] = []
        for edit in (rule.edit for rule in self.rules if rule.active and rule.of_days):
            places = all(name in self.columns and self.kinds[name] != "continuous" for name in edit.columns)
            secrets = [name for name in edit.columns if name in self.others]
            tells = secrets and len(secrets) < len(edit.columns) and not (edit.equal and len(secrets) == 1)
            (kept if places and not tells else parted).append(edit)
        return tuple(kept), tuple(parted)

    @cached_property
    def units(self) -> Units | None:
        """Units with several records each; None where there are none, or households alone."""
        found = find_units(self.data, [name for name, role in self.roles.items() if role == "identifier"])
        return None if found is None or found.are_households else found

    @cached_property
    def repaired(self) -> tuple[Any, ...]:
        """The redrawn amounts that are never below 0 in the original, but so near that some would be when redrawn.

        Where there are rules, these keep them where they are.
        """
        if self.edits:
            return ()
        amounts = {name: self.data.values(name, "continuous").numbers for name in self.redrawn}
        return tuple(name for name, numbers in amounts.items() if 0 <= np.nanmin(numbers) < np.nanstd(numbers))

    @cached_property
    def nestings(self) -> tuple[Nesting, ...]:
        """Columns that lie in others, among those that are exchanged, and that stay together: not beside secrets."""
        return tuple(one for one in self._nestings if one not in self.parted)

    @cached_property
    def parted(self) -> tuple[Nesting, ...]:
        """Columns that lie in others, but not in the release: whole rows would show a secret beside a true key."""
        return tuple(one for one in self._nestings if (one.finer in self.others) != (one.coarser in self.others))

    @cached_property
    def _nestings(self) -> tuple[Nesting, ...]:
        exchanged = [name for name in self.columns if self.kinds[name] != "continuous"]
        found = nestings_of_codes({name: self.data.codes(name) for name in exchanged})
        # a weight that is another in nearly every household has one of everything: that says nothing about it
        return tuple(one for one in found if one.finer != self.weight)

    @cached_property
    def left_out(self) -> Bools:
        """The records that are left out, because fewer than k have their gaps."""
        return _with_rare_gaps(self.data, self.redrawn, self.k)

    @property
    def blocks(self) -> tuple[tuple[Any, ...], ...]:
        """What changes places in whole rows: columns that lie in one another, and strata with the weight.

        Then nothing impossible arises, and totals of weights in strata stay exact.
        """
        pairs = [(one.finer, one.coarser) for one in self.nestings]
        pairs += [(self.design[0], name) for name in self.design]
        pairs += [(edit.columns[0], name) for edit in self.rules_of_days[0] for name in edit.columns]
        return _joined(pairs, self.columns)

    @cached_property
    def redrawn(self) -> tuple[Any, ...]:
        """The amounts that get new values; the other columns get values of their group."""
        return tuple(name for name in self.columns if self.kinds[name] == "continuous")

    @property
    def exact(self) -> bool:
        """Whether means and covariances of the amounts stay exact."""
        return bool(self.redrawn) and not self.repaired and not self._coarse

    @property
    def draws_each(self) -> bool:
        """Whether exchanged columns are drawn one by one: as whole rows they would show secrets beside true keys."""
        return any(self.kinds[name] != "continuous" for name in self.others)

    @property
    def k(self) -> int:
        """The records in a group."""
        return min(K, self.data.n)

    @property
    def plan(self) -> Plan:
        """One step, in which every column is replaced, and where need be one that ends impossible amounts."""
        from microveil.hybrid import MicroHybrid
        from microveil.partition import MDAV

        more: dict[str, Any] = {}
        if self.draws_each:
            more["categories"] = "multinomial"
        if self.blocks:
            more["blocks"] = self.blocks
        if len(self._alike) < len(self.columns):
            more["cluster_on"] = self._alike
        if self._jittered:
            more["jitter_moments"] = _JITTER
        step: dict[str, Any] = {
            "method": MicroHybrid(partition=MDAV(k=self.k), **more),
            "columns": list(self.columns),
            "given": [],
        }
        if any(has_gaps(self.data, name) for name in self.redrawn):
            step["missing"] = "mask"
        return Plan([step, *self._repair])

    @property
    def _repair(self) -> list[dict[str, Any]]:
        """The step that ends amounts below 0."""
        from microveil.mask import Repair

        often = [name for name in self.repaired if _is_often_zero(self.data, name)]
        seldom = [name for name in self.repaired if name not in often]
        steps: list[dict[str, Any]] = []
        for method, names in (
            (Repair(low=0.0, keep_means="shift"), often),
            (Repair(low=0.0, keep_means="scale"), seldom),
        ):
            if names:
                step: dict[str, Any] = {"method": method, "columns": names}
                gaps = any(has_gaps(self.data, name) for name in names)
                steps.append(step | {"missing": "mask"} if gaps else step)
        return steps

    @property
    def scenario(self) -> Scenario:
        """Somebody who knows everything that was redrawn; a link counts in full, so that `share` is that of links."""
        share = min(100.0, max(_SHARE, _share_by_chance(self.data.n, self.k)))
        name = "all keys and amounts" if self.keys else "all amounts"
        strata = tuple(name for name in self.design if name != self.weight)
        weight = () if self.weight is None else (self.weight,)
        return Scenario(name, (*strata, *self.keys), (*weight, *self.others), {"risk": _RISK, "share": share})

    @property
    def _jittered(self) -> bool:
        """Whether moments are moved, since rounding or repair ends exact ones; inside rules they cannot be."""
        return not self.edits and (bool(self.repaired) or self._coarse)

    @property
    def _coarse(self) -> bool:
        """Whether rounding ends exact moments: of a coarse amount that somebody stated to be one."""
        return any(is_coarse(self.data, name) for name in self.redrawn if self.data.schema[name].declared)

    @cached_property
    def _alike(self) -> tuple[Any, ...]:
        """The columns that make records similar: without those that would then come back as they were."""
        from microveil.partition.mdav import MANY
        from microveil.partition.mixed import WIDEST

        redrawn = set(self.redrawn)
        chosen = [name for name in self.columns if name in redrawn or not self._may_stay_whole(name)]
        if self.data.n > MANY:
            # as points, records have a place for each category: those with the most categories do without
            categories = {
                name: int(self.data.codes(name).max()) + 1 for name in chosen if self.kinds[name] == "nominal"
            }
            places = len(chosen) - len(categories)
            for name in sorted(categories, key=lambda name: categories[name]):
                places += categories[name] + 1
                if places > WIDEST:
                    chosen.remove(name)
        return tuple(chosen)

    def _may_stay_whole(self, name: Any) -> bool:
        """Whether groups of k can have one value each: all values but one come in multiples of k, or nearly so."""
        sizes = np.bincount(self.data.codes(name) + 1)  # a gap is a value too
        left = sizes % self.k
        odd = left[left > 0]
        return len(odd) <= 3 and not ((odd > 1) & (odd < self.k - 1)).any()


def _share_by_chance(n: int, k: int) -> float:
    """Per cent of n records, 1 in k of them linked on average, that chance exceeds in hardly any release.

    The quantile of the binomial distribution, corrected for the number of attacks (Bonferroni).
    """
    from scipy.stats import binom

    return float(np.ceil(100.0 * binom.ppf(1 - _REFUSED / _ATTACKS, n, 1 / k) / n))


def _is_often_zero(data: Microdata, name: Any) -> bool:
    """Whether so many values are 0 that a release with fewer of them would look wrong."""
    numbers = data.values(name, "continuous").numbers
    return bool(np.mean(numbers[~np.isnan(numbers)] == 0) >= _MANY_ZEROS)


def _changes_places(data: Microdata, look: ColumnLook) -> bool:
    """Whether a column is a stratum, or a weight that nobody stated to be an amount."""
    stays = data.schema[look.name].declared and look.kind == "continuous"
    return look.role in ("stratum", "weight") and not stays


def _joined(pairs: Iterable[tuple[Any, Any]], order: Sequence[Any]) -> tuple[tuple[Any, ...], ...]:
    """Columns that pairs connect, as lists in the order of the columns."""
    found: list[set[Any]] = []
    for pair in pairs:
        touched = [block for block in found if block & set(pair)]
        found = [block for block in found if block not in touched] + [set(pair).union(*touched)]
    blocks = [tuple(name for name in order if name in block) for block in found]
    return tuple(sorted(blocks, key=lambda block: order.index(block[0])))


def _with_rare_gaps(data: Microdata, names: Sequence[Any], k: int) -> Bools:
    """The records whose gaps in these amounts fewer than k records have."""
    from microveil.kernels.tables.classes import group_rows

    gaps = [np.isnan(data.values(name, "continuous").numbers) for name in names if has_gaps(data, name)]
    if not gaps:
        return np.zeros(data.n, dtype=np.bool_)
    pattern, sizes = group_rows(np.column_stack(gaps).astype(np.int64))
    return np.asarray(sizes[pattern] < k)
