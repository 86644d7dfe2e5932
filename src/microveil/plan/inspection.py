"""A first look at a file: kinds, proposed roles, and how many people the keys single out."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microveil.core.words import counted
from microveil.data.microdata import Microdata
from microveil.data.schema import Column

# Words in column names that hint at a role; they are proposals for a person to check, nothing else.
_HINTS = {
    "weight": r"(weight|wgt|^wt$|gewicht|poids)",
    "household": r"(household|hhid|^hid$|_hid$|haushalt|menage)",
    "identifier": r"(^id$|_id$|id$|^name|name$|ssn|passport|e-?mail|phone|address|iban|^nr$|number$)",
    "stratum": r"(stratum|strata)",
    "key": r"(^age|age$|^sex|gender|birth|region|district|province|state$|county|zip|postcode|marital|civil|educ"
    r"|occup|nation|citizen|country|sector|industry|nace|urbrur|relat|size)",
}
_ONCE = ("weight", "household")  # roles of one column at most
_DISTINCT_TEXT = 0.95
_DISTINCT_NAMES = 0.5
_STATED = "stated"


@dataclass(frozen=True)
class ColumnLook:
    """What was found in one column, and the role proposed for it."""

    name: str
    kind: str
    role: str
    distinct: int
    missing: int
    why: str


@dataclass(frozen=True)
class Inspection:
    """What is in a file: one line per column, and the risk before anything is done."""

    records: int
    columns: tuple[ColumnLook, ...]
    keys: tuple[str, ...]
    uniques: int
    below_three: int

    @property
    def roles(self) -> dict[str, str]:
        """The proposed roles."""
        return {look.name: look.role for look in self.columns}

    @property
    def baseline(self) -> str:
        """One sentence on the risk of the file as it is."""
        if not self.keys:
            return "No column looks like something an intruder could know; state the keys before judging the risk."
        share = 100 * self.uniques / self.records
        return (
            f"{self.uniques} of {self.records} records ({share:.1f} %) are alone with their combination of "
            f"{', '.join(self.keys)}; {self.below_three} share it with fewer than two others."
        )


def inspect(data: Microdata) -> Inspection:
    """Look at every column and propose roles; roles already stated are kept."""
    looks = tuple(_look(data, name, column) for name, column in data.schema.items())
    for role in _ONCE:
        looks = _with_one(data, looks, role)
    keys = tuple(look.name for look in looks if look.role == "key")
    sizes = _class_sizes(data, keys)
    return Inspection(data.n, looks, keys, int((sizes == 1).sum()), int((sizes < 3).sum()))


def _with_one(data: Microdata, looks: tuple[ColumnLook, ...], role: str) -> tuple[ColumnLook, ...]:
    """One column of this role: the one stated, else that with the most values; the others get their next role."""
    found = [look for look in looks if look.role == role]
    if len(found) < 2:
        return looks
    chosen = max(found, key=lambda look: (look.why == _STATED, look.distinct))
    return tuple(
        _look(data, look.name, data.schema[look.name], but=(role,)) if look in found and look is not chosen else look
        for look in looks
    )


def _look(data: Microdata, name: str, column: Column, but: tuple[str, ...] = ()) -> ColumnLook:
    encoded = data.encoded(name)
    distinct, missing = len(encoded.levels), int((encoded.codes < 0).sum())
    if column.role != "other":
        return ColumnLook(name, column.kind, column.role, distinct, missing, _STATED)
    role, why = _propose(name, column.kind, distinct, data.n - missing, _is_numeric(data, name), but)
    return ColumnLook(name, column.kind, role, distinct, missing, why)


def _is_numeric(data: Microdata, name: str) -> bool:
    return data.narwhal.get_column(name).dtype.is_numeric()


def _propose(
    name: str, kind: str, distinct: int, observed: int, numeric: bool, but: tuple[str, ...]
) -> tuple[str, str]:
    text = str(name).lower()
    hints = (role for role, pattern in _HINTS.items() if role not in but and re.search(pattern, text))
    hint = next(hints, "")
    if hint == "weight" and numeric:
        return "weight", "its name says weight"
    if hint == "household" and distinct < observed:
        return "household", "its name says household and its values repeat"
    # names of people and firms repeat: half of them different is enough where the column says what it is
    if hint == "identifier" and distinct > (_DISTINCT_TEXT if numeric else _DISTINCT_NAMES) * observed:
        return "identifier", "its name and its distinct values"
    if not numeric and observed >= 20 and distinct > _DISTINCT_TEXT * observed:
        return "identifier", f"{distinct} distinct texts in {observed} records"
    if hint == "stratum":
        return "stratum", "its name says stratum"
    if hint == "key":
        return "key", "its name says something others may know"
    if kind == "continuous":
        return "confidential", "an amount"
    return "key", f"{counted(distinct, 'category', 'categories')} that others may know"


def _class_sizes(data: Microdata, keys: tuple[str, ...]) -> NDArray[np.int64]:
    from microveil.kernels.tables import class_sizes

    if not keys:
        return np.full(data.n, data.n, dtype=np.int64)
    return class_sizes(np.column_stack([data.encoded(name).codes for name in keys]))[0]
