"""Recodings in text: rules `new: old, old, low-high`, and the recode files and code lists of mu-Argus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput, FileProblem

_NUMBER = r"[+-]?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})?\s*-\s*({_NUMBER})?")


@dataclass(frozen=True)
class Rule:
    """One line of a recoding: the new code (empty: missing), single old codes, closed ranges of numbers."""

    new: str
    singles: frozenset[str]
    ranges: tuple[tuple[float, float], ...]

    def covers(self, value: Any) -> bool:
        """Whether an old value is meant."""
        if _text(value) in self.singles:
            return True
        number = as_number(value)
        return number is not None and any(low <= number <= high for low, high in self.ranges)


def parse_rule(line: str) -> Rule:
    """The rule of `new: old, old, low-high, low-, -high`; quotation marks keep text together."""
    new, colon, olds = line.partition(":")
    if not colon or not olds.strip():
        raise BadInput(f"{line!r} is not a recoding; write `new: old, old, low-high`")
    singles, ranges = set(), []
    for part in re.findall(r'"[^"]*"|[^,]+', olds):
        old = part.strip()
        found = _RANGE.fullmatch(old)
        if found and (found[1] or found[2]):
            ranges.append((float(found[1] or "-inf"), float(found[2] or "inf")))
        elif old:
            singles.add(old.strip('"'))
    return Rule(new.strip().strip('"'), frozenset(singles), tuple(ranges))


def new_code(value: Any, rules: Sequence[Rule], column: str) -> str | None:
    """The new code of a value, or None where no rule speaks of it; two different answers are an error."""
    found = list(dict.fromkeys(rule.new for rule in rules if rule.covers(value)))
    if len(found) > 1:
        raise BadInput(f"the value {value!r} of {column!r} is recoded to both {found[0]!r} and {found[1]!r}")
    return found[0] if found else None


def as_number(value: Any) -> float | None:
    """A number, or text that reads as one."""
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def read_recode_file(path: str | Path, *, labels: bool = False) -> tuple[str, ...]:
    """The rules of a mu-Argus recode file (.grc).

    Codes after <MISSING> become missing. With `labels`, new codes are replaced by their labels in the code
    list named after <CODELIST>, looked up beside the file.
    """
    rules, missing, names = [], [], {}
    for line in _lines(path):
        word = line.upper()
        if word.startswith("<MISSING>"):
            missing += re.split(r"[,\s]+", line[len("<MISSING>") :].strip())
        elif word.startswith("<CODELIST>"):
            if labels:
                listed = line[len("<CODELIST>") :].strip().strip('"').replace("\\", "/")
                names = read_code_list(Path(path).parent / listed.rpartition("/")[2])
        else:
            rules.append(line)
    codes = [code for code in missing if code]
    parsed = [parse_rule(line) for line in rules]
    texts = [
        f'"{"" if rule.new in codes else names.get(rule.new, rule.new)}":{line.partition(":")[2]}'
        for rule, line in zip(parsed, rules, strict=True)
    ]
    produced = {rule.new for rule in parsed}
    texts += [f'"": {code}' for code in codes if code not in produced and not any(rule.covers(code) for rule in parsed)]
    return tuple(texts)


def read_code_list(path: str | Path) -> dict[str, str]:
    """The labels of a mu-Argus code list (.cdl): lines `code, label`."""
    pairs = (line.partition(",") for line in _lines(path))
    return {code.strip().strip('"'): label.strip().strip('"') for code, _, label in pairs}


def _lines(path: str | Path) -> list[str]:
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        text = Path(path).read_bytes().decode("cp1252", errors="replace")
    except OSError as problem:
        raise FileProblem(f"{Path(path).name} cannot be read: {problem.strerror or problem}") from None
    return [line.strip() for line in text.splitlines() if line.strip()]
