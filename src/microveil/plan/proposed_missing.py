"""Codes that probably mean "no answer", by their labels or by where they stand: proposed with reasons, never used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from microveil.core.arrays import Floats
from microveil.core.words import counted, list_all
from microveil.data.microdata import Microdata
from microveil.detect import Look, look_at
from microveil.plan.project_text import columns_text

_BELOW = re.compile(r"-[789]|-9+[789]")  # codes that stand alone below amounts
_BELOW_TOO = re.compile(r"-[1-9]|-9+[0-9]|-8{2,}")  # and others beside these
_ABOVE = re.compile(r"9+[789]")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_FEWEST_ABOVE = 2  # records: a single high amount may be one
_GAP = 0.5  # of the range of all other values: how far above them a code stands
_NO_ANSWER = re.compile(
    r"\b(?:no answer|not answered|non-?response|refus\w*|don'?t know|do not know|unknown|missing|not stated|not asked"
    r"|not applicable|inapplicable|n/?a|keine angabe\w*|k\. ?a\.|wei(?:ß|ss) nicht|trifft nicht zu|no sabe|no contesta"
    r"|ns/?nc|sans objet|ne sait pas|non r[ée]ponse|sin dato|non sa|non risponde)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class MissingCodes:
    """Values of one column that probably stand for a missing one, how many records have them, and why."""

    column: str
    codes: tuple[float | str, ...]
    records: int
    why: str

    @property
    def texts(self) -> list[str]:
        """The codes as people write them."""
        return [_shown(code) for code in self.codes]

    def __str__(self) -> str:
        return f"{self.column}: {list_all(self.texts)} in {counted(self.records, 'record')}; {self.why}"


def propose_missing(data: Microdata, looks: Sequence[Look]) -> tuple[MissingCodes, ...]:
    """The columns with values that look like codes for a missing one; those stated already are not among them."""
    return tuple(found for look in looks for found in _in_column(data, look) if data.roles[look.name] != "identifier")


def tell_unstated_codes(data: Microdata) -> tuple[str, ...]:
    """What looks like a code for a missing value and is taken as a value like any other, for whoever signs."""
    looks = [look_at(data.narwhal.get_column(name), column.missing) for name, column in data.schema.items()]
    return tuple(
        f"{one}: that looks like a code for a missing value, and it was taken as a value like any other. If it is one, "
        "state it as missing of that column in the project, and run it again."
        for one in propose_missing(data, looks)
    )


def _in_column(data: Microdata, look: Look) -> Iterator[MissingCodes]:
    labels = data.codebook.labels.get(look.name, {}) if data.codebook is not None else {}
    present = set(look.values.to_pylist()) if labels else set()
    said = {code: text for code, text in labels.items() if code in present and _NO_ANSWER.search(str(text))}
    if said:
        shown = list_all([repr(str(text)) for text in said.values()])
        yield _found(data, look.name, tuple(said), f"their labels say {shown}" if len(said) > 1 else f"it says {shown}")
    elif look.is_number and look.distinct > 1:
        yield from _apart(data, look)
    elif look.form == "text" and (codes := codes_among_texts(list(map(str, look.values.to_pylist())))):
        yield _found(data, look.name, codes, "no other value is a number")


def _apart(data: Microdata, look: Look) -> Iterator[MissingCodes]:
    numbers = look.numbers
    below, above = codes_below(numbers), codes_above(numbers)
    if below:
        yield _found(data, look.name, below, "no other value is below 0")
    if above:
        rest = numbers[numbers < above[0]]
        found = _found(data, look.name, above, f"all other values lie between {_shown(rest[0])} and {_shown(rest[-1])}")
        if found.records >= _FEWEST_ABOVE:
            yield found


def codes_among_texts(values: Sequence[str]) -> tuple[str, ...]:
    """Negative codes, such as -9, beside texts of which none is a number.

    >>> codes_among_texts(["I10", "E11.9", "-9"]), codes_among_texts(["-9", "4", "n"])
    (('-9',), ())
    """
    numbers = [value for value in values if _NUMBER.fullmatch(value)]
    all_codes = all(map(_BELOW_TOO.fullmatch, numbers)) and any(map(_BELOW.fullmatch, numbers))
    return tuple(numbers) if all_codes and len(numbers) < len(values) else ()


def codes_below(numbers: Floats) -> tuple[float, ...]:
    """Negative codes, such as -9, where all negative values are such codes and not simply a scale below 0.

    >>> codes_below(np.array([-9.0, -8.0, 0.0, 3.0])), codes_below(np.array([-2.0, -1.0, 0.0, 1.0]))
    ((-9.0, -8.0), ())
    """
    negative = numbers[numbers < 0]
    texts = [_shown(value) for value in negative]
    if not any(map(_BELOW.fullmatch, texts)) or not all(map(_BELOW_TOO.fullmatch, texts)):
        return ()
    is_scale = len(negative) > 3 and bool((np.diff(negative) == 1).all()) and negative[-1] == -1
    return () if is_scale or not (numbers >= 0).any() else tuple(map(float, negative))


def codes_above(numbers: Floats) -> tuple[float, ...]:
    """Codes of nines, such as 99 or 998, that end a column far above its other values.

    >>> codes_above(np.array([1.0, 2.0, 7.0, 98.0, 99.0])), codes_above(np.array([1.0, 50.0, 90.0, 99.0]))
    ((98.0, 99.0), ())
    """
    first = len(numbers)
    while first and _ABOVE.fullmatch(_shown(numbers[first - 1])) and numbers[-1] - numbers[first - 1] <= 2:
        first -= 1
    rest = numbers[:first]
    if first == len(numbers) or not len(rest):
        return ()
    apart = numbers[first] - rest[-1] > max(_GAP * (rest[-1] - rest[0]), 2)
    return tuple(map(float, numbers[first:])) if apart else ()


def _found(data: Microdata, name: str, codes: tuple[float | str, ...], why: str) -> MissingCodes:
    column = data.narwhal.get_column(name)
    if column.dtype.is_numeric():
        there = np.isin(column.cast(nw.Float64()).to_numpy(), np.array(codes, dtype=np.float64))
        return MissingCodes(name, codes, int(there.sum()), why)
    return MissingCodes(name, codes, sum(value in codes for value in column.to_list()), why)


def _shown(code: float | str) -> str:
    return str(code) if isinstance(code, str) else f"{code:.12g}"


def about_missing(found: Sequence[MissingCodes], columns: Mapping[str, Mapping[str, object]]) -> str:
    """The lines of the columns with their codes, to be put in the place of those above; empty without any."""
    if not found:
        return ""
    codes: dict[str, list[object]] = {}
    for one in found:
        whole = [int(code) if isinstance(code, float) and code.is_integer() else code for code in one.codes]
        codes.setdefault(one.column, []).extend(whole)
    lines = columns_text({name: {**columns[name], "missing": these} for name, these in codes.items()})
    return (
        "# Values that look like codes for a missing one; nothing treats them so yet. Where they mean that, put\n"
        "# the line, without the #: sign, in the place of the line of its column, and missing: mask (or drop, to\n"
        "# leave these records out) in the steps of the plan that act on it:\n"
        + "".join(f"# {one}\n" for one in found)
        + "".join(f"#:{line}\n" for line in lines)
    )
