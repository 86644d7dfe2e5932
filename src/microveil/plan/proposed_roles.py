"""Which role and kind a column is proposed to have, and why: for a person to check."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microveil.data.schema import Column
from microveil.detect import Finding, Look
from microveil.detect.days import days_of
from microveil.detect.weights import are_beside_bodies, says_weight
from microveil.detect.words import says

_FEW_VALUES = 12
_LARGEST_CODE = 1_000
_CODE = re.compile(r"9+[789]|8{2,}|-[1-9]|-9+[789]")
_WHOLE = 1e-6
STATED = "stated"


@dataclass(frozen=True)
class ColumnLook:
    """What was found in one column, and the role and kind proposed for it."""

    name: Any
    kind: str
    role: str
    distinct: int
    missing: int
    why: str


def propose(
    looks: Sequence[Look], schema: Mapping[Any, Column], identifiers: Mapping[Any, Finding]
) -> tuple[ColumnLook, ...]:
    """A role and a kind for every column; what was stated is kept."""
    beside_bodies = are_beside_bodies(look.name for look in looks)
    found = []
    for look in looks:
        column = schema[look.name]
        role, why = (column.role, STATED)
        if not column.stated:
            role, why = _role(look, identifiers.get(look.name), beside_bodies)
        kind = column.kind if column.declared else _kind(look, column.kind)
        found.append(ColumnLook(look.name, kind, role, look.distinct, look.missing, why))
    return _once(_once(found, looks, "weight"), looks, "household")


def _once(found: Sequence[ColumnLook], looks: Sequence[Look], role: str) -> tuple[ColumnLook, ...]:
    """One column of this role: the one stated, else one of persons, that varies, and with the most values."""
    rivals = [one for one in found if one.role == role]
    if len(rivals) < 2:
        return tuple(found)
    of_households = {look.name for look in looks if says(look.words, "household")} if role == "weight" else set()
    chosen = max(
        rivals, key=lambda one: (one.why == STATED, one.name not in of_households, one.distinct > 1, one.distinct)
    )
    if role == "weight":
        return _one_weight(found, rivals, chosen, {look.name: look for look in looks})
    # numbers of households that are not the household's are numbers of somebody all the same
    return tuple(
        replace(one, role="identifier", why=f"a second {role}") if one in rivals and one is not chosen else one
        for one in found
    )


def _one_weight(
    found: Sequence[ColumnLook], rivals: Sequence[ColumnLook], chosen: ColumnLook, looks: Mapping[Any, Look]
) -> tuple[ColumnLook, ...]:
    """One weight of several, each with why: which is the weight is for people to say."""
    names = ", ".join(str(one.name) for one in rivals)
    several = f"{len(rivals)} columns look like weights: {names}"
    same = f", although it is {looks[chosen.name].numbers[0]:g} in every record" if chosen.distinct == 1 else ""
    out = []
    for one in found:
        if one not in rivals or one.why == STATED:
            out.append(one)
        elif one is chosen:
            out.append(
                replace(one, why=f"{several}; this one is proposed{same}: state the role weight of the right one")
            )
        else:
            parts = _tell_parts(looks[one.name], looks[chosen.name])
            out.append(replace(one, role="other", why=f"a second weight beside {chosen.name}{parts}"))
    return tuple(out)


def _tell_parts(look: Look, whole: Look) -> str:
    """That a weight is a constant one over a whole number, as where it was shared out in households; else empty."""
    if whole.distinct > 1 or look.distinct < 2 or not len(look.numbers):
        return ""
    times = whole.numbers[0] / look.numbers
    if np.abs(times - np.rint(times)).max() > _WHOLE * times.max():
        return ""
    return f": {whole.numbers[0]:g} over a whole number in every record, such as the size of a household"


def _role(look: Look, identifier: Finding | None, beside_bodies: bool) -> tuple[str, str]:
    if not look.distinct:
        return "other", "it has no values"
    if _is_weight(look, beside_bodies) and identifier is None:
        if look.missing or look.numbers[0] <= 0:
            return "other", "its name says weight, but it has gaps or values that are not positive"
        return "weight", "its name says weight"
    if says(look.words, "weight") and look.form == "decimal":
        return "confidential", "the weight of a body or a thing"
    if identifier is not None:
        return identifier.role, identifier.why
    if look.distinct == 1:
        return "other", "it is the same in every record"
    words = look.words
    if says(words, "stratum"):
        return "stratum", "its name says stratum"
    if days_of(look):
        return "key", "full dates that others may know"
    if says(words, "confidential"):
        return "confidential", "its name says something that nobody should learn"
    if says(words, "key"):
        return "key", "its name says something others may know"
    if look.is_number and not _has_few_values(look) and not _is_code_by_name(look):
        code = _code_of_most(look)
        if code:
            return "key", f"most of its values are {code}, a code; say missing: [{code}] if it means no answer"
        return "confidential", "an amount"
    return "key", f"{look.distinct} categories that others may know"


def _is_weight(look: Look, beside_bodies: bool) -> bool:
    return look.is_number and says_weight(look.words, beside_bodies)


def _has_few_values(look: Look) -> bool:
    """Whether whole numbers have so few values that they are codes, in small files too."""
    repeat = look.is_code or 2 * look.distinct <= look.observed
    return look.form == "whole" and look.distinct <= _FEW_VALUES and repeat


def _kind(look: Look, inferred: str) -> str:
    """The kind inferred; codes as whole numbers are ordered only where the name says so."""
    if look.form != "whole" or not look.distinct or _is_weight(look, beside_bodies=False):
        return inferred
    if _is_code_by_name(look):
        return "nominal"
    if _code_of_most(look):
        return "ordinal"
    if not _has_few_values(look) or look.numbers[-1] >= _LARGEST_CODE:
        return inferred
    return "ordinal" if says(look.words, "ordered") else "nominal"


def _code_of_most(look: Look) -> str:
    """A number such as 99 that most records have and that ends the range, as codes for "none" do; else empty."""
    code = look.of_most
    if look.form != "whole" or code is None or code not in (look.numbers[0], look.numbers[-1]):
        return ""
    text = f"{code:.0f}"
    return text if _CODE.fullmatch(text) else ""


def _is_code_by_name(look: Look) -> bool:
    """Whether the name says regions, occupations or other codes without an order, and the values repeat."""
    return says(look.words, "nominal") and look.form == "whole" and 2 * look.distinct <= look.observed
