"""Conditions on records, and rules that fix a value where a condition holds, read without evaluating code.

`age < 12`, `sex == "f" and not (region in [1, 2])`; a rule is `if age < 12: marital = "never"`. A column whose name is
no plain word stands in backticks: `net income` > 0. A comparison with a missing value does not hold.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from microveil.core.arrays import Bools
from microveil.core.errors import BadInput
from microveil.data.table import Values

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


class Condition:
    """A condition on the columns of a record."""

    def __init__(self, text: str) -> None:
        self.text = text
        source, self._names = _without_backticks(text)
        try:
            self._tree: ast.expr = ast.parse(source.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            raise BadInput(f'condition {text!r} cannot be read; write for instance age < 12 and sex == "f"') from None
        self.columns = tuple(
            dict.fromkeys(self._column(node) for node in ast.walk(self._tree) if isinstance(node, ast.Name))
        )
        self._check(self._tree)

    def holds(self, columns: Mapping[str, Values]) -> Bools:
        """In which records the condition holds."""
        return self._holds(self._tree, columns)

    def _column(self, node: ast.Name) -> str:
        return self._names.get(node.id, node.id)

    def _check(self, node: ast.expr) -> None:
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                self._check(part)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._check(node.operand)
        elif isinstance(node, ast.Compare):
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                if not isinstance(left, ast.Name) and not isinstance(right, ast.Name):
                    raise BadInput(f"condition {self.text!r}: a comparison needs a column on one side")
                for side in (left, right):
                    if not isinstance(side, ast.Name):
                        _constant(side, self.text)
        else:
            raise BadInput(
                f"condition {self.text!r}: only comparisons of columns joined by and, or, not are allowed "
                f"({ast.unparse(node)})"
            )

    def _holds(self, node: ast.expr, columns: Mapping[str, Values]) -> Bools:
        if isinstance(node, ast.BoolOp):
            join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
            return np.asarray(join.reduce([self._holds(part, columns) for part in node.values]), dtype=np.bool_)
        if isinstance(node, ast.UnaryOp):
            return ~self._holds(node.operand, columns)
        assert isinstance(node, ast.Compare)
        sides = zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
        return np.asarray(np.logical_and.reduce([self._compare(*side, columns) for side in sides]), dtype=np.bool_)

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr, columns: Mapping[str, Values]) -> Bools:
        if isinstance(left, ast.Name) and isinstance(right, ast.Name):
            return _both(self._values(left, columns), self._values(right, columns), type(op), self.text)
        if isinstance(right, ast.Name):
            if type(op) not in _MIRRORED:
                raise BadInput(f"condition {self.text!r}: write the column before `in`")
            return _against(self._values(right, columns), _MIRRORED[type(op)], _constant(left, self.text), self.text)
        assert isinstance(left, ast.Name)
        return _against(self._values(left, columns), type(op), _constant(right, self.text), self.text)

    def _values(self, node: ast.Name, columns: Mapping[str, Values]) -> Values:
        name = self._column(node)
        if name not in columns:
            raise BadInput(
                f"condition {self.text!r} uses {name!r}, which is not known at that point; "
                f"there are {list(columns)}: draw it earlier (visit) or keep it (given)"
            )
        return columns[name]


@dataclass(frozen=True)
class Rule:
    """Where the condition holds, the column has this value and no other is drawn."""

    condition: Condition
    column: str
    value: Any

    def code(self, values: Values) -> float | int:
        """The value as the column holds it."""
        if values.levels is None:
            if self.value is None:
                return float("nan")
            if not isinstance(self.value, int | float):
                raise BadInput(f"rule for {self.column!r}: {self.value!r} is no number and the column is continuous")
            return float(self.value)
        if self.value is None:
            return -1
        if self.value not in values.levels:
            raise BadInput(
                f"rule for {self.column!r}: {self.value!r} is not among its values {list(values.levels)[:20]}"
            )
        return values.levels.index(self.value)


def parse_rule(text: str) -> Rule:
    """The rule of a text such as `if age < 12: marital = "never"`."""
    source, names = _without_backticks(text)
    try:
        statements = ast.parse(source.strip()).body
    except (SyntaxError, ValueError, RecursionError):
        statements = []
    match statements:
        case [ast.If(body=[ast.Assign(targets=[ast.Name(id=target)], value=value)], orelse=[])]:
            condition = re.match(r"\s*if\b(.*?):\s*(?:`[^`]+`|\w+)\s*=(?!=)", text, re.DOTALL)
            assert condition is not None
            return Rule(Condition(condition.group(1)), names.get(target, target), _constant(value, text))
    raise BadInput(f'rule {text!r} is not of the form: if age < 12: marital = "never"')


def _without_backticks(text: str) -> tuple[str, dict[str, str]]:
    names = {f"column_{i}_": name for i, name in enumerate(re.findall(r"`([^`]+)`", text))}
    for placeholder, name in names.items():
        text = text.replace(f"`{name}`", placeholder, 1)
    return text, names


def _constant(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise BadInput(f"{text!r}: {ast.unparse(node)} is neither a column nor a plain value") from None


def _against(values: Values, op: type[ast.cmpop], constant: Any, text: str) -> Bools:
    """The column compared with a constant: numbers as numbers, categories as values, ordinal ones in their order."""
    seen = ~values.missing
    if op in (ast.In, ast.NotIn):
        if not isinstance(constant, list | tuple | set):
            raise BadInput(f"condition {text!r}: `in` needs a list")
        found = np.zeros(len(values.data), dtype=np.bool_)
        for item in constant:
            found |= _against(values, ast.Eq, item, text)
        return seen & (found if op is ast.In else ~found)
    if op not in _COMPARISONS:
        raise BadInput(f"condition {text!r}: only ==, !=, <, <=, >, >=, in and not in are allowed")
    if values.levels is None:
        if not isinstance(constant, int | float):
            raise BadInput(f"condition {text!r}: {constant!r} is no number and the column is continuous")
        return np.asarray(seen & _COMPARISONS[op](values.data, constant), dtype=np.bool_)
    if op in (ast.Eq, ast.NotEq):
        same = np.array([*(level == constant for level in values.levels), False])[values.data]
        return np.asarray(seen & (same if op is ast.Eq else ~same), dtype=np.bool_)
    if constant in values.levels and values.kind == "ordinal":
        return np.asarray(seen & _COMPARISONS[op](values.data, values.levels.index(constant)), dtype=np.bool_)
    try:
        fits = [bool(_COMPARISONS[op](level, constant)) for level in values.levels]
    except TypeError:
        raise BadInput(f"condition {text!r}: {constant!r} cannot be compared with {list(values.levels)[:5]}") from None
    return np.asarray(seen & np.array([*fits, False])[values.data], dtype=np.bool_)


def _both(x: Values, y: Values, op: type[ast.cmpop], text: str) -> Bools:
    if op not in _COMPARISONS or (x.levels is None) != (y.levels is None):
        raise BadInput(f"condition {text!r} compares two columns of different kinds")
    seen = ~x.missing & ~y.missing
    if x.levels is None or y.levels is None:
        return np.asarray(seen & _COMPARISONS[op](x.data, y.data), dtype=np.bool_)
    if op not in (ast.Eq, ast.NotEq):
        raise BadInput(f"condition {text!r}: two columns of categories can only be equal or not")
    a, b = np.array([*x.levels, None], dtype=object)[x.data], np.array([*y.levels, None], dtype=object)[y.data]
    return np.asarray(seen & _COMPARISONS[op](a, b).astype(np.bool_), dtype=np.bool_)
