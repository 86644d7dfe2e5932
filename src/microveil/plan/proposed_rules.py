"""Rules that the records of a file keep, found in the data: amounts never below 0, sums, bounds between columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.edits import Edit, parse_edit
from microveil.core.errors import BadInput
from microveil.core.words import counted, list_some
from microveil.data import frames
from microveil.data.microdata import Microdata
from microveil.data.schema import TECHNICAL_ROLES
from microveil.detect.words import says, words_of
from microveil.plan.exact_sums import find_sums
from microveil.plan.proposed_days import date_columns, find_orders, find_spans

if TYPE_CHECKING:
    from microveil.plan.inspection import Inspection

_LEAST = 20  # records in which a rule shows: fewer may keep it by chance
_NEARLY = 0.99  # of the records: then it may be a rule that some break
_MOSTLY = 0.8  # of the records: so many do not add up by chance
_YEARS = (1800.0, 2200.0)
_LOOKED_AT_FIRST = 2_000
_DOUBTFUL = 0.03  # of the records looked at first that break a bound: of all of them more than a hundredth do


@dataclass(frozen=True)
class Rule:
    """A rule of a file, why it is taken for one, and how many records break it.

    `stated`: somebody said so. `idle`: why it is no use in the plan that is proposed, though it holds. `of_days`: it is
    about dates, which are counted, and which no method draws inside rules.
    """

    edit: Edit
    why: str
    broken: int = 0
    stated: bool = False
    idle: str = ""
    of_days: bool = False

    @property
    def active(self) -> bool:
        """Whether it is written as a rule: the others are for people to look at."""
        return self.stated or not (self.broken or self.idle)

    @property
    def comment(self) -> str:
        """What stands behind it."""
        return f"{self.why}; {self.idle}" if self.idle else self.why

    def __str__(self) -> str:
        return f"{self.edit} ({self.comment})"


def stated_rules(data: Microdata) -> tuple[Rule, ...]:
    """The rules that somebody stated, with the records that break them."""
    broken = data.broken_edits()
    return tuple(
        Rule(
            edit,
            f"stated; {_breaking(len(broken[edit]), data.n, broken[edit] + 1)}" if edit in broken else "stated",
            len(broken.get(edit, ())),
            stated=True,
            of_days=data.is_of_days(edit),
        )
        for edit in data.edits
    )


def propose_rules(found: Inspection) -> tuple[Rule, ...]:
    """The rules stated, and those that the amounts of a file keep in all records or in nearly all."""
    data = found.source
    columns = {name: data.values(name, "continuous").numbers for name in _amounts(found)}
    columns = {name: numbers for name, numbers in columns.items() if _has_enough(numbers)}
    sums = _sums(columns)
    positive = [_signed(name, numbers) for name, numbers in columns.items() if np.nanmax(numbers) > 0]
    bounds = _bounds(columns, sums, [rule.edit.columns[0] for rule in positive if not rule.broken])
    proposed = [rule for rule in (*positive, *sums, *bounds) if _is_nearly_kept(rule, columns)]
    proposed += _of_days(found)
    known = {edit.meaning for edit in data.edits}
    return (*found.rules, *(rule for rule in proposed if rule.edit.meaning not in known and _can_be_read(rule.edit)))


def set_aside(rules: Iterable[Rule], kinds: Mapping[Any, str]) -> tuple[Rule, ...]:
    """The rules for a plan under which columns have these kinds: a rule about classes is none."""
    out = []
    for rule in rules:
        if rule.of_days:
            out.append(rule)
            continue
        exchanged = [name for name in rule.edit.columns if kinds[name] != "continuous"]
        if not exchanged:
            out.append(rule)
        elif len(rule.edit.columns) > 1:
            verb = "changes places" if len(exchanged) == 1 else "change places"
            out.append(replace(rule, idle=f"not kept by the plan: {', '.join(exchanged)} {verb} in groups"))
    return tuple(out)


# -- which columns ---------------------------------------------------------------------------------


def _amounts(found: Inspection) -> list[str]:
    """The columns of amounts: no identifiers, no weight, no coordinates and no years."""
    return [
        look.name
        for look in found.columns
        if look.kind == "continuous"
        and look.role not in TECHNICAL_ROLES
        and look.distinct > 1
        and not says(words_of(look.name), "coordinate")
        and not _are_years(found.source.values(look.name, "continuous").numbers)
    ]


def _are_years(numbers: Floats) -> bool:
    observed = numbers[~np.isnan(numbers)]
    if not len(observed) or observed.min() < _YEARS[0] or observed.max() > _YEARS[1]:
        return False
    return bool((observed == np.rint(observed)).all())


def _has_enough(numbers: Floats) -> bool:
    """Whether enough records have an amount other than 0, and not all the same."""
    observed = numbers[~np.isnan(numbers)]
    return int(np.count_nonzero(observed)) >= _LEAST and bool(observed.min() < observed.max())


# -- rules -----------------------------------------------------------------------------------------


def _signed(name: str, numbers: Floats) -> Rule:
    zeros = int(np.count_nonzero(numbers == 0))
    more = f"; {zeros:,} {'is' if zeros == 1 else 'are'} 0" if zeros else ""
    return _rule(Edit((name,), (1.0,)), {name: numbers}, more)


def _sums(columns: Mapping[str, Floats]) -> list[Rule]:
    """Sums that hold, those in all records first, none that follows from others."""
    tried = [_rule(edit, columns) for edit in find_sums(columns)]
    rules = [rule for rule in tried if _is_nearly_kept(rule, columns)]
    kept: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: rule.broken > 0):
        if np.linalg.matrix_rank(_coefficients([*kept, rule], list(columns))) > len(kept):
            kept.append(rule)
    return kept


def _coefficients(rules: Sequence[Rule], names: Sequence[str]) -> Floats:
    given = [dict(zip(rule.edit.columns, rule.edit.coefficients, strict=True)) for rule in rules]
    return np.array([[one.get(name, 0.0) for name in names] for one in given])


def _bounds(columns: Mapping[str, Floats], sums: Sequence[Rule], positive: Sequence[str]) -> list[Rule]:
    """One amount at most another, where many reach it: without those that follow from others or from sums."""
    names = list(columns)
    tight: dict[tuple[str, str], Rule] = {}
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            found = _bound(columns, one, other)
            if found is not None:
                tight[found.edit.columns[1], found.edit.columns[0]] = found
    of_sums = {step for rule in sums if not rule.broken for step in _parts(rule.edit, positive)}
    return [rule for step, rule in tight.items() if not _leads(step, of_sums | (set(tight) - {step}))]


def _bound(columns: Mapping[str, Floats], one: str, other: str) -> Rule | None:
    """The rule that one is at most the other, or the other way round; None where neither is likely."""
    x, y = columns[one], columns[other]
    step = max(1, len(x) // _LOOKED_AT_FIRST)
    first = np.sign(y[::step] - x[::step])
    above, below = np.count_nonzero(first > 0), np.count_nonzero(first < 0)
    if min(above, below) > _DOUBTFUL * len(first):
        return None
    low, high = (one, other) if above >= below else (other, one)
    equal = int(np.count_nonzero((x == y) & (x != 0)))
    less = int(np.count_nonzero(columns[low] < columns[high]))
    if equal < _LEAST or less < _LEAST:
        return None  # nobody reaches it, or all do, which is a sum
    return _rule(Edit((high, low), (1.0, -1.0)), columns, f"; {equal:,} reach it")


def _of_days(found: Inspection) -> list[Rule]:
    """Dates in an order, without orders that follow from others, and the days between them."""
    dates = date_columns(found)
    if len(dates) < 2:
        return []
    numbers = {
        look.name: found.source.values(look.name, "continuous").numbers
        for look in found.columns
        if look.role not in TECHNICAL_ROLES and frames.is_numeric(found.source.narwhal.get_column(look.name))
    }
    orders = {(edit.columns[1], edit.columns[0]): edit for edit in find_orders(dates)}
    steps = set(orders)
    kept = [edit for step, edit in orders.items() if not _leads(step, steps - {step})]
    return [replace(_rule(edit, {**dates, **numbers}), of_days=True) for edit in (*kept, *find_spans(dates, numbers))]


def _parts(edit: Edit, positive: Sequence[str]) -> Iterable[tuple[str, str]]:
    """What a total of amounts that are never below 0 says of each: it is at most the total."""
    total, *parts = edit.columns
    is_total = edit.constant == 0 and edit.coefficients == (1.0, *(-1.0 for _ in parts))
    return [(part, total) for part in parts] if is_total and set(parts) <= set(positive) else []


def _leads(way: tuple[str, str], steps: Iterable[tuple[str, str]]) -> bool:
    """Whether steps lead from one column to another."""
    start, end = way
    ahead: dict[str, list[str]] = {}
    for low, high in steps:
        ahead.setdefault(low, []).append(high)
    reached, todo = {start}, [start]
    while todo:
        for name in ahead.get(todo.pop(), ()):
            if name not in reached:
                reached.add(name)
                todo.append(name)
    return end in reached


def _rule(edit: Edit, columns: Mapping[str, Floats], more: str = "") -> Rule:
    """The rule with its support in the records that have all its columns."""
    own = {name: columns[name] for name in edit.columns}
    records = _records(edit, own)
    rows = np.flatnonzero(edit.broken(own))
    if len(rows):
        return Rule(edit, _breaking(len(rows), records, rows + 1), len(rows))
    gaps = " that have a value" if records < len(own[edit.columns[0]]) else ""
    return Rule(edit, f"holds in all {counted(records, 'record')}{gaps}{more}")


def _breaking(broken: int, records: int, rows: Any) -> str:
    breaks = "breaks" if broken == 1 else "break"
    return f"{broken:,} of {counted(records, 'record')} {breaks} it: row{'s' * (broken > 1)} {list_some(rows.tolist())}"


def _records(edit: Edit, columns: Mapping[str, Floats]) -> int:
    return int(np.count_nonzero(~np.isnan(edit.slack(columns))))


def _is_nearly_kept(rule: Rule, columns: Mapping[str, Floats]) -> bool:
    if not rule.edit.equal:
        records = _records(rule.edit, columns)
        return records >= _LEAST and rule.broken <= (1 - _NEARLY) * records
    # records of zeros add up whatever the rule says
    slack = rule.edit.slack(columns)
    tell = ~np.isnan(slack) & np.any([columns[name] != 0 for name in rule.edit.columns], axis=0)
    records = int(np.count_nonzero(tell))
    return records >= _LEAST and rule.broken <= (1 - _MOSTLY) * records


def _can_be_read(edit: Edit) -> bool:
    """Whether its text says the same again: names may hold what no rule can."""
    try:
        return parse_edit(str(edit)) == (edit,)
    except BadInput:
        return False
