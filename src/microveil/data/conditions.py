"""Conditions on records, read from text without evaluating code.

`age < 12`, `sex == "f" and not (region in [1, 2])`, `10 <= age < 20`. A column whose name is no plain word stands in
backticks: `net income` > 0. A comparison with a missing value does not hold, whatever is compared.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from numbers import Number
from typing import Any

import numpy as np

from microveil.core.arrays import AnyArray, Bools, Floats
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
    """A condition on the columns of a record: its text, the columns it names, and where it holds."""

    def __init__(self, text: str) -> None:
        source, names = replace_backticks(text)
        try:
            tree = ast.parse(source.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise BadInput(f'condition {text!r} cannot be read; write for instance age < 12 and sex == "f"') from None
        self._take(tree, names, f"condition {text!r}")

    @classmethod
    def of_tree(cls, tree: ast.expr, names: Mapping[str, str], what: str) -> Condition:
        """The condition that stands in a larger expression; `what` names that in errors."""
        found = cls.__new__(cls)
        found._take(tree, names, what)
        return found

    def _take(self, tree: ast.expr, names: Mapping[str, str], what: str) -> None:
        self._tree, self._names, self._what = tree, names, what
        self._check(tree)
        named = [self._column(node) for node in ast.walk(tree) if isinstance(node, ast.Name)]
        self.columns = tuple(dict.fromkeys(named))

    def holds(self, columns: Mapping[str, Values], hint: str = "") -> Bools:
        """In which records the condition holds; `hint` says what to do about a column that is not there."""
        for name in self.columns:
            if name not in columns:
                raise BadInput(
                    f"{self._what} uses {name!r}, which is not known at that point; there are {list(columns)}"
                    + (f": {hint}" if hint else "")
                )
        return self._holds(self._tree, columns)

    def _column(self, node: ast.Name) -> str:
        return self._names.get(node.id, node.id)

    def _check(self, node: ast.expr) -> None:
        """Every node is one of those known here."""
        match node:
            case ast.BoolOp(values=parts):
                for part in parts:
                    self._check(part)
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self._check(inner)
            case ast.Compare(left=first, comparators=rest):
                for side in (first, *rest):
                    if not isinstance(side, ast.Name):
                        constant_of(side, self._what)
                for left, right in zip([first, *rest], rest, strict=False):
                    if not isinstance(left, ast.Name) and not isinstance(right, ast.Name):
                        raise BadInput(f"{self._what}: a comparison needs a column on one side")
            case _:
                raise BadInput(
                    f"{self._what}: only comparisons of columns joined by and, or, not are allowed as a condition "
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
            return self._both(columns[self._column(left)], columns[self._column(right)], type(op))
        if isinstance(right, ast.Name):
            if type(op) not in _MIRRORED:
                raise BadInput(f"{self._what}: write the column before `in`")
            constant = constant_of(left, self._what)
            return self._against(columns[self._column(right)], _MIRRORED[type(op)], constant)
        assert isinstance(left, ast.Name)
        return self._against(columns[self._column(left)], type(op), constant_of(right, self._what))

    def _against(self, values: Values, op: type[ast.cmpop], constant: Any) -> Bools:
        """The column compared with a constant: numbers as numbers, categories as values, ordinal ones in order."""
        seen = ~values.missing
        if op in (ast.In, ast.NotIn):
            if not isinstance(constant, list | tuple | set):
                raise BadInput(f"{self._what}: `in` needs a list")
            found = np.zeros(len(values.data), dtype=np.bool_)
            for item in constant:
                found |= self._against(values, ast.Eq, item)
            return seen & (found if op is ast.In else ~found)
        if op not in _COMPARISONS:
            raise BadInput(f"{self._what}: only ==, !=, <, <=, >, >=, in and not in are allowed")
        if values.levels is None:
            if not isinstance(constant, int | float):
                raise BadInput(f"{self._what}: {constant!r} is no number and the column is continuous")
            return np.asarray(seen & _COMPARISONS[op](values.data, constant), dtype=np.bool_)
        return np.asarray(seen & np.array([*self._of_levels(values, op, constant), False])[values.data], dtype=np.bool_)

    def _of_levels(self, values: Values, op: type[ast.cmpop], constant: Any) -> list[bool]:
        """For each level of a column of categories, whether the comparison holds."""
        levels = values.levels or ()
        for one, other in ((str, Number), (Number, str)):
            # text never equals a number: the answer would be a silent "nobody"
            if isinstance(constant, one) and levels and all(isinstance(level, other) for level in levels):
                raise BadInput(f"{self._what} compares text with numbers; text stands in quotation marks")
        if op in (ast.Eq, ast.NotEq):
            return [bool(_COMPARISONS[op](level, constant)) for level in levels]
        if values.kind == "ordinal" and constant in levels:
            return [bool(_COMPARISONS[op](code, levels.index(constant))) for code in range(len(levels))]
        if isinstance(constant, str):
            raise BadInput(f"{self._what}: text has no order; compare it with == or !=, or make the column ordinal")
        try:
            return [bool(_COMPARISONS[op](level, constant)) for level in levels]
        except TypeError:
            raise BadInput(f"{self._what}: {constant!r} cannot be compared with {list(levels)[:5]}") from None

    def _both(self, x: Values, y: Values, op: type[ast.cmpop]) -> Bools:
        """Two columns compared: as numbers where both hold numbers, else categories for being equal."""
        seen = ~x.missing & ~y.missing
        a: AnyArray | None = as_numbers(x)
        b: AnyArray | None = as_numbers(y)
        if op not in _COMPARISONS or (a is None) != (b is None):
            raise BadInput(f"{self._what} compares two columns of different kinds")
        if a is None or b is None:
            if op not in (ast.Eq, ast.NotEq):
                raise BadInput(f"{self._what}: two columns of categories can only be equal or not")
            a = np.array([*(x.levels or ()), None], dtype=object)[x.data]
            b = np.array([*(y.levels or ()), None], dtype=object)[y.data]
        return np.asarray(seen & np.asarray(_COMPARISONS[op](a, b), dtype=np.bool_), dtype=np.bool_)


def replace_backticks(text: str) -> tuple[str, dict[str, str]]:
    """The text with a plain word for each name in backticks, and the names by these words."""
    names = {f"column_{i}_": name for i, name in enumerate(re.findall(r"`([^`]+)`", text))}
    for placeholder, name in names.items():
        text = text.replace(f"`{name}`", placeholder, 1)
    return text, names


def constant_of(node: ast.expr, what: str) -> Any:
    """The number, text or list that a piece of an expression states; anything else is refused."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise BadInput(f"{what}: {ast.unparse(node)} is neither a column nor a plain value") from None


def as_numbers(values: Values) -> Floats | None:
    """The values as numbers with NaN where missing; None for categories that are not numbers."""
    if values.levels is None:
        return np.asarray(values.data, dtype=np.float64)
    if all(isinstance(level, Number) for level in values.levels):
        return np.asarray(np.append(np.array(values.levels, dtype=np.float64), np.nan)[values.data])
    return None
