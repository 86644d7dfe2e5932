"""One step of a plan: a method and what it acts on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from microveil.core.errors import BadInput, UnknownName
from microveil.core.parameters import nearest
from microveil.run.method import MISSING_POLICIES, Method, Target

FIELDS = ("method", "columns", "given", "by", "missing")


@dataclass(frozen=True)
class Step:
    """A method with the columns it replaces, those it keeps, the subdomains, and what to do about gaps."""

    method: Method
    columns: tuple[str, ...] | None = None
    given: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()
    missing: str = "error"

    @classmethod
    def of(cls, given: Any) -> Step:
        """A step from a method, a (method, columns) pair, a mapping or a step."""
        if isinstance(given, Step):
            return given
        if isinstance(given, Method):
            return cls(given)
        if isinstance(given, str):
            return cls(Method.from_spec(given))
        if isinstance(given, Mapping):
            return cls.from_mapping(given)
        if isinstance(given, tuple | list) and len(given) == 2:
            return cls.from_mapping({"method": given[0], "columns": given[1]})
        raise BadInput(f"{given!r} is not a step; give a method, (method, columns) or a mapping with {list(FIELDS)}")

    @classmethod
    def from_mapping(cls, fields: Mapping[str, Any]) -> Step:
        """A step from the fields of a plan file; an unknown field is an error that names the nearest."""
        for name in fields:
            if name not in FIELDS:
                raise UnknownName(f"a step has no field {name!r}; there are {list(FIELDS)}{nearest(str(name), FIELDS)}")
        if "method" not in fields:
            raise BadInput("a step needs a method")
        target = Target.of(fields.get("columns"), fields.get("given"), fields.get("by"), fields.get("missing", "error"))
        return cls(Method.from_spec(fields["method"]), target.columns, target.given, target.by, target.missing)

    @property
    def target(self) -> Target:
        """On what the method acts."""
        return Target(self.columns, self.given, self.by, self.missing)

    def to_mapping(self) -> dict[str, Any]:
        """The fields of a plan file, without those that say nothing."""
        fields: dict[str, Any] = {"method": self.method.to_spec()}
        if self.columns is not None:
            fields["columns"] = list(self.columns)
        if self.given is not None:
            fields["given"] = list(self.given)
        if self.by:
            fields["by"] = list(self.by)
        if self.missing != "error":
            fields["missing"] = self.missing
        return fields


def step_schema() -> dict[str, Any]:
    """The JSON Schema of a step."""
    names: dict[str, Any] = {
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]
    }
    return {
        "type": "object",
        "properties": {
            "method": {"$ref": "#/$defs/method"},
            "columns": {**names, "description": "the columns to replace"},
            "given": {**names, "description": "the columns to keep and condition on"},
            "by": {**names, "description": "the columns whose values form subdomains"},
            "missing": {"enum": list(MISSING_POLICIES), "description": "what to do about missing continuous values"},
        },
        "required": ["method"],
        "additionalProperties": False,
    }
