"""Hierarchies that suit the keys of a file: for a person to check, and to put into the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import floor, log10

from microveil.core.errors import BadInput
from microveil.core.open_types import Cell
from microveil.data.microdata import Microdata
from microveil.detect.words import words_of
from microveil.hierarchy import Dates, HierarchyRule, Intervals, Order, Prefixes, Redact
from microveil.plan.project_text import columns_text
from microveil.plan.proposed_roles import ColumnLook

_FEW = 3  # values that need no levels in between
_INTERVALS = 20  # about so many at the first level
_CODES = 12  # numbers of no more values are codes, which have an order at most
_MOST = 20_000  # different values that are looked at
_POSTCODES = frozenset({"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl"})
_LONGEST_CODE = 10
_DAYS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d")  # beside 2024-03-05


def propose_hierarchies(data: Microdata, looks: Sequence[ColumnLook]) -> dict[str, HierarchyRule]:
    """A rule for each key that has many values and no hierarchy yet, where one suits all of its values."""
    found: dict[str, HierarchyRule] = {}
    for look in looks:
        if look.role != "key" or data.schema[look.name].hierarchy or not _FEW < look.distinct <= _MOST:
            continue
        values = data.schema[look.name].levels or data.encoded(look.name).levels
        rule = next(filter(None, (propose(look, values) for propose in _PROPOSALS)), None)
        if rule is not None and _takes(rule.with_order(values), values):
            found[look.name] = rule
    return found


def _takes(rule: HierarchyRule, values: Sequence[Cell]) -> bool:
    try:
        rule.of(values)
    except BadInput:
        return False
    return True


def _for_postcodes(look: ColumnLook, values: Sequence[Cell]) -> HierarchyRule | None:
    """Characters replaced from the right; postcodes read as numbers get their zeros back."""
    if not _POSTCODES & set(words_of(look.name)):
        return None
    numbers = all(isinstance(value, int) for value in values)
    return Redact(pad="0", pad_side="left") if numbers else Redact()


def _for_days(_: ColumnLook, values: Sequence[Cell]) -> HierarchyRule | None:
    """Periods; of days that can be read in two ways (03/05/2024) nobody but a person knows which is meant."""
    plain, *written = (Dates(), *(Dates(pattern=pattern) for pattern in _DAYS))
    if _reads(plain, values):
        return plain
    reading = [rule for rule in written if _reads(rule, values)]
    return reading[0] if len(reading) == 1 else None


def _reads(rule: HierarchyRule, values: Sequence[Cell]) -> bool:
    return all(rule.whole_path(value) is not None for value in values)


def _for_codes(look: ColumnLook, values: Sequence[Cell]) -> HierarchyRule | None:
    """First characters of codes that are all equally long and hold digits."""
    if look.kind != "nominal" or not all(isinstance(value, str) for value in values):
        return None
    lengths = {len(str(value)) for value in values}
    digits = all(any(sign.isdigit() for sign in str(value)) and str(value).isalnum() for value in values)
    if len(lengths) > 1 or not digits or not 2 <= max(lengths) <= _LONGEST_CODE:
        return None
    return Prefixes(lengths=tuple(range(max(lengths) - 1, 0, -1))[-3:])


def _for_order(look: ColumnLook, values: Sequence[Cell]) -> HierarchyRule | None:
    if look.kind != "ordinal":
        return None
    sizes = [size for size in (2, 4, 8) if size < len(values)]
    return Order(sizes=tuple(sizes)) if sizes else None


def _for_amounts(look: ColumnLook, values: Sequence[Cell]) -> HierarchyRule | None:
    """Intervals of a round width, of twice and of four times as much: 5, 10 and 20 for ages."""
    numbers = [value for value in values if isinstance(value, int | float)]
    if look.kind == "nominal" or len(numbers) < len(values) or len(values) <= _CODES:
        return None
    least = (max(numbers) - min(numbers)) / _INTERVALS
    unit = 10.0 ** floor(log10(least))
    width = next(unit * times for times in (1, 2, 5, 10) if unit * times >= least)
    return Intervals(widths=(width, 2 * width, 4 * width))


_PROPOSALS: tuple[Callable[[ColumnLook, Sequence[Cell]], HierarchyRule | None], ...] = (
    _for_postcodes,
    _for_days,
    _for_codes,
    _for_amounts,
    _for_order,
)


def about_hierarchies(rules: Mapping[str, HierarchyRule], columns: Mapping[str, Mapping[str, object]]) -> str:
    """The lines of the columns with their hierarchies, to be put in the place of those above; empty without any."""
    if not rules:
        return ""
    lines = columns_text({name: {**columns[name], "hierarchy": rule.to_spec()} for name, rule in rules.items()})
    return (
        "# Coarser values that suit these keys, for global-recode, lattice and others that generalise. To use one,\n"
        "# put its line, without the #: sign, in the place of the line of its column:\n"
        + "".join(f"#:{line}\n" for line in lines)
    )
