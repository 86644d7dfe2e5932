"""Rules that fix a value where a condition holds, such as `if age < 12: marital = "never"`."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from microveil.core.errors import BadInput
from microveil.data.conditions import Condition, constant_of, replace_backticks
from microveil.data.table import Values


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
    source, names = replace_backticks(text)
    try:
        statements = ast.parse(source.strip()).body
    except (SyntaxError, ValueError, RecursionError):
        statements = []
    match statements:
        case [ast.If(body=[ast.Assign(targets=[ast.Name(id=target)], value=value)], orelse=[])]:
            condition = re.match(r"\s*if\b(.*?):\s*(?:`[^`]+`|\w+)\s*=(?!=)", text, re.DOTALL)
            assert condition is not None
            return Rule(Condition(condition.group(1)), names.get(target, target), constant_of(value, f"rule {text!r}"))
    raise BadInput(f'rule {text!r} is not of the form: if age < 12: marital = "never"')
