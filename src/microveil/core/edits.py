"""Edits: linear rules that every record satisfies, read from text without evaluating code.

`income >= 0`, `total == a + b + c`, `rent <= 0.9 * income`, `0 <= share <= 100`, `non_negative(income, wealth)` for a
rule of each column. A column whose name is no plain word stands in backticks: `net income` >= 0. A record with a gap in
one of the columns breaks no rule.
"""

from __future__ import annotations

import ast
import keyword
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from microveil.core.arrays import Bools, Floats
from microveil.core.errors import BadInput

_EPS = float(np.finfo(np.float64).eps)
_HELD = 16  # units in the last place of the largest term that a sum of doubles may be off by
_SUMMED = 2**12  # the same for a total whose parts were computed one by one
_NON_NEGATIVE = "non_negative"
_SIGNS = {"≥": ">=", "≤": "<=", "=>": ">=", "=<": "<="}
_UNITS = (1.0, 0.1, 0.01, 0.001)
_LARGEST = float(np.finfo(np.float64).max)
_LONGEST = 80  # characters of a rule that an error repeats
_FORMS = "income >= 0, rent <= 0.9 * income, total == a + b + c"


@dataclass(frozen=True)
class Edit:
    """One rule: the sum of coefficients times columns, plus a constant, is at least 0 (or exactly 0).

    >>> edit, = parse_edit("rent <= 0.9 * income")
    >>> edit.columns, edit.coefficients
    (('income', 'rent'), (0.9, -1.0))
    """

    columns: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float = 0.0
    equal: bool = False

    def __str__(self) -> str:
        terms = list(zip(self.columns, self.coefficients, strict=True))
        left = [_term(name, number) for name, number in terms if number > 0]
        right = [_term(name, -number) for name, number in terms if number < 0]
        if not right:
            return f"{' + '.join(left)} {'==' if self.equal else '>='} {_shown(-self.constant)}"
        if not left:
            return f"{' + '.join(right)} {'==' if self.equal else '<='} {_shown(self.constant)}"
        constant = "" if self.constant == 0 else f" {'-' if self.constant < 0 else '+'} {_shown(abs(self.constant))}"
        if self.equal:
            return f"{' + '.join(left)}{constant} == {' + '.join(right)}"
        return f"{' + '.join(right)} <= {' + '.join(left)}{constant}"

    @property
    def meaning(self) -> object:
        """What the rule says, however it was written: equal for equal rules, and for multiples of one another."""
        ordered = sorted(zip(self.columns, self.coefficients, strict=True))
        # an equation may be turned about
        scale = ordered[0][1] if self.equal else abs(ordered[0][1])
        return tuple((name, number / scale) for name, number in ordered), self.constant / scale + 0.0, self.equal

    def number(self, name: str) -> float:
        """The coefficient of a column, 0 where the rule says nothing of it."""
        return self.coefficients[self.columns.index(name)] if name in self.columns else 0.0

    def slack(self, columns: Mapping[str, Floats]) -> Floats:
        """How far each record is inside the rule; an equality is 0; NaN where a value is missing."""
        total = np.full(len(columns[self.columns[0]]), self.constant)
        for name, number in zip(self.columns, self.coefficients, strict=True):
            total += number * columns[name]
        return total

    def held(self, columns: Mapping[str, Floats]) -> Floats:
        """What doubles may be off by in the slack of each record."""
        size = np.full(len(columns[self.columns[0]]), abs(self.constant))
        for name, number in zip(self.columns, self.coefficients, strict=True):
            np.maximum(size, np.abs(number * columns[name]), out=size)
        held: Floats = (_SUMMED if self.equal else _HELD) * _EPS * size
        unit = self.unit(columns) if self.equal and bool((held > _UNITS[-1] / 4).any()) else None
        return held if unit is None else np.minimum(held, unit / 4)

    def unit(self, columns: Mapping[str, Floats]) -> float | None:
        """The unit in which all amounts of the rule are whole: sums of these are off by whole units, or not at all."""
        numbers = np.array([*self.coefficients, self.constant])
        if (numbers[:-1] != np.rint(numbers[:-1])).any():
            return None
        terms = [np.array([self.constant]), *(columns[name][~np.isnan(columns[name])] for name in self.columns)]
        for unit in _UNITS:
            if all((np.abs(term - np.rint(term / unit) * unit) <= 2 * _EPS * np.abs(term)).all() for term in terms):
                return unit
        return None

    def broken(self, columns: Mapping[str, Floats]) -> Bools:
        """Which records break the rule by more than doubles may be off."""
        slack, held = self.slack(columns), self.held(columns)
        wrong = np.abs(slack) > held if self.equal else slack < -held
        return np.asarray(wrong, dtype=np.bool_)


def parse_edits(texts: Iterable[str]) -> tuple[Edit, ...]:
    """The rules of some texts, each once; a chain of comparisons is as many rules."""
    if isinstance(texts, str):
        raise BadInput(f"edits are {texts!r}; give a list of rules, such as [{texts!r}]")
    found: dict[object, Edit] = {}
    for edit in (edit for text in texts for edit in parse_edit(text)):
        found.setdefault(edit.meaning, edit)
    return tuple(found.values())


def parse_edit(text: str) -> tuple[Edit, ...]:
    """The rules of one text."""
    if not isinstance(text, str):
        raise BadInput(f"the edit {text!r} is no text; write for instance {_FORMS}")
    whole, text = text, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    names: dict[str, str] = {}
    try:
        tree = ast.parse(_in_plain_words(whole, names).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput(f"the edit {text!r} cannot be read; write for instance {_FORMS}") from None
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == _NON_NEGATIVE:
        return _non_negative(tree, names, text)
    if not isinstance(tree, ast.Compare):
        raise BadInput(f"the edit {text!r} compares nothing; write for instance {_FORMS}")
    try:
        sides = [_linear(side, names, text) for side in (tree.left, *tree.comparators)]
    except RecursionError:
        raise BadInput(f"the edit {text!r} has too many terms to be read") from None
    return tuple(_rule(left, op, right, text) for (left, right), op in zip(pairwise(sides), tree.ops, strict=True))


def _in_plain_words(text: str, names: dict[str, str]) -> str:
    """The text with columns that are no plain words, or that Python would spell otherwise, under other names."""
    prefix = "column"
    while prefix in text:
        prefix += "_"

    def other_name(name: str) -> str:
        names[f"{prefix}{len(names)}_"] = name
        return f"{prefix}{len(names) - 1}_"

    def plain(found: re.Match[str]) -> str:
        quoted, word = found.groups()
        if quoted is not None:
            return other_name(quoted)
        return str(word) if unicodedata.normalize("NFKC", word) == word else other_name(word)

    for said, meant in _SIGNS.items():
        text = text.replace(said, meant)
    # `=` alone is what people write who do not program
    return re.sub(r"(?<![<>=!])=(?!=)", "==", re.sub(r"`([^`]+)`|([^\W\d]\w*)", plain, text))


def _non_negative(call: ast.Call, names: Mapping[str, str], text: str) -> tuple[Edit, ...]:
    columns = [names.get(node.id, node.id) for node in call.args if isinstance(node, ast.Name)]
    if not columns or len(columns) < len(call.args) or call.keywords:
        raise BadInput(
            f"the edit {text!r} lists other than columns; write for instance {_NON_NEGATIVE}(income, wealth)"
        )
    return tuple(Edit((name,), (1.0,)) for name in columns)


_Form = dict[str, float]  # a number for each column; the constant stands under the empty name


def _rule(left: _Form, op: ast.cmpop, right: _Form, text: str) -> Edit:
    match op:
        case ast.GtE() | ast.Eq():
            form = _added(left, right, -1.0)
        case ast.LtE():
            form = _added(right, left, -1.0)
        case ast.Gt() | ast.Lt():
            within = re.sub(r"([<>])(?!=)", r"\1=", text)
            raise BadInput(
                f"the edit {text!r} forbids the bound itself, which cannot be kept of amounts with decimals; write "
                f"{within!r}, or name the nearest amount that may stand"
            )
        case _:
            raise BadInput(f"the edit {text!r} compares by other than >=, <= and ==; write for instance {_FORMS}")
    constant = form.pop("", 0.0)
    if not np.isfinite([*form.values(), constant]).all():
        raise BadInput(f"the edit {text!r} has a number that is not finite")
    if isinstance(op, ast.Eq) and all(number <= 0 for number in form.values()):
        form, constant = _times(form, -1.0), -constant
    # in the order in which the rule is told again: its numbers are added up in this order everywhere
    columns = {name: number for name, number in form.items() if number > 0}
    columns |= {name: number for name, number in form.items() if number < 0}
    if not columns:
        raise BadInput(f"the edit {text!r} is about no column; write for instance {_FORMS}")
    return Edit(tuple(columns), tuple(columns.values()), constant + 0.0, isinstance(op, ast.Eq))


def _linear(node: ast.expr, names: Mapping[str, str], text: str) -> _Form:
    match node:
        case ast.Name(id=name):
            return {names.get(name, name): 1.0}
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return {"": float(number) if abs(number) <= _LARGEST else np.inf}
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _times(_linear(inner, names, text), -1.0)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _linear(inner, names, text)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _added(_linear(left, names, text), _linear(right, names, text), 1.0)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _added(_linear(left, names, text), _linear(right, names, text), -1.0)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            first, second = _linear(left, names, text), _linear(right, names, text)
            if set(first) <= {""}:
                return _times(second, first.get("", 0.0))
            if set(second) <= {""}:
                return _times(first, second.get("", 0.0))
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            divisor = _linear(right, names, text)
            if set(divisor) <= {""} and divisor.get("", 0.0) != 0:
                return _times(_linear(left, names, text), 1.0 / divisor[""])
            raise BadInput(
                f"the edit {text!r} divides by a column or by 0; multiply instead: x <= 3 * y for x / y <= 3"
            )
    raise BadInput(
        f"the edit {text!r} is not linear ({ast.unparse(node)}); rules are sums of columns times numbers: {_FORMS}"
    )


def _added(one: _Form, other: _Form, times: float) -> _Form:
    return {name: one.get(name, 0.0) + times * other.get(name, 0.0) for name in {**one, **other}}


def _times(form: _Form, number: float) -> _Form:
    return {name: number * value for name, value in form.items()}


def _term(name: str, number: float) -> str:
    shown = name if name.isidentifier() and not keyword.iskeyword(name) else f"`{name}`"
    return shown if number == 1 else f"{_shown(number)} * {shown}"


def _shown(number: float) -> str:
    """The number so that it can be read again as the same."""
    return repr(int(number)) if number == int(number) and abs(number) < 1e15 else repr(number)
