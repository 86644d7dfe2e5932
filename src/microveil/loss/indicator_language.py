"""The small language of indicators: statistics of columns, conditions and arithmetic, read without evaluating code.

`mean(income)`, `total(turnover, region == 3)`, `share(age >= 65 and sex == "f")`, `quantile(pay, 0.9) / median(pay)`.
A column whose name is no plain word stands in backticks: mean(`net income`). Conditions are those of
`data.conditions`: a comparison with a missing value does not hold.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from microveil.core.arrays import Floats
from microveil.core.errors import BadInput
from microveil.core.parameters import nearest
from microveil.data.conditions import Condition, as_numbers, replace_backticks
from microveil.data.table import Values
from microveil.loss.indicator_statistics import STATISTICS

_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LONGEST = 2000  # characters of an indicator


class Indicator:
    """An indicator that has been read: which columns it needs, and its value on given columns."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > _LONGEST:
            raise BadInput(f"the indicator has {len(text)} characters; {_LONGEST} are allowed")
        source, self._names = replace_backticks(text)
        try:
            self._tree = ast.parse(source.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise BadInput(
                f"indicator {text!r} cannot be read; write for instance mean(income) or share(sex == 1)"
            ) from None
        self.columns = tuple(dict.fromkeys(self._number_columns(self._tree)))

    def value(self, columns: Mapping[str, Values], weights: Floats) -> float:
        """The indicator on these columns; NaN where it is not defined."""
        return self._number(self._tree, columns, weights)

    # -- checking: every node is one of those known here ----------------------------------------

    def _number_columns(self, node: ast.AST) -> list[str]:
        """The columns named in an expression of statistics; anything unknown is an error."""
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return []
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self._number_columns(inner)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return self._number_columns(left) + self._number_columns(right)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call_columns(name, args)
        raise self._unknown(node)

    def _call_columns(self, name: str, args: list[ast.expr]) -> list[str]:
        if name not in STATISTICS:
            raise BadInput(
                f"indicator {self.text!r}: no statistic {name!r}; there are {sorted(STATISTICS)}"
                + nearest(name, STATISTICS)
            )
        wanted = STATISTICS[name][0]
        if len(args) not in (len(wanted), len(wanted) + 1):
            raise BadInput(
                f"indicator {self.text!r}: {name} takes ({', '.join(wanted)}) and perhaps a condition; "
                f"{len(args)} given"
            )
        found: list[str] = []
        for kind, arg in zip((*wanted, "condition"), args, strict=False):
            if kind == "column":
                found.append(self._column_name(arg))
            elif kind == "probability":
                self._probability(arg)
            else:
                found += self._condition(arg).columns
        return found

    def _condition(self, node: ast.expr) -> Condition:
        return Condition.of_tree(node, self._names, f"indicator {self.text!r}")

    def _column_name(self, node: ast.AST) -> str:
        if not isinstance(node, ast.Name):
            raise self._unknown(node)
        return str(self._names.get(node.id, node.id))

    def _probability(self, node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and 0 <= node.value <= 1:
            return float(node.value)
        raise BadInput(f"indicator {self.text!r}: a quantile needs a probability between 0 and 1, such as 0.9")

    def _unknown(self, node: ast.AST) -> BadInput:
        return BadInput(
            f"indicator {self.text!r}: {ast.unparse(node)!r} is not understood; allowed are statistics of columns "
            f"({', '.join(sorted(STATISTICS))}), numbers, + - * /, and conditions with == != < <= > >= in and or not"
        )

    # -- computing -------------------------------------------------------------------------------

    def _number(self, node: ast.AST, columns: Mapping[str, Values], weights: Floats) -> float:
        match node:
            case ast.Constant(value=number):
                return float(number)  # type: ignore[arg-type]
            case ast.UnaryOp(operand=inner):
                return -self._number(inner, columns, weights)
            case ast.BinOp(left=left, op=op, right=right):
                a, b = self._number(left, columns, weights), self._number(right, columns, weights)
                return float("nan") if isinstance(op, ast.Div) and b == 0 else _ARITHMETIC[type(op)](a, b)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._statistic(name, args, columns, weights)
        raise self._unknown(node)

    def _statistic(self, name: str, args: list[ast.expr], columns: Mapping[str, Values], weights: Floats) -> float:
        wanted, compute = STATISTICS[name]
        keep = np.ones(len(weights), dtype=bool)
        if len(args) > len(wanted):
            keep = self._condition(args[-1]).holds(columns)
        given: list[Any] = []
        for kind, arg in zip(wanted, args, strict=False):
            if kind == "column":
                values = as_numbers(columns[self._column_name(arg)])
                if values is None:
                    raise BadInput(f"indicator {self.text!r}: {ast.unparse(arg)!r} is not a column of numbers")
                given.append(values)
                keep = keep & ~np.isnan(values)
            elif kind == "condition":
                given.append(self._condition(arg).holds(columns))
            else:
                given.append(self._probability(arg))
        chosen = [part[keep] if isinstance(part, np.ndarray) else part for part in given]
        if not keep.any() and name not in ("count", "total"):
            return float("nan")
        return float(compute(weights[keep], *chosen))
