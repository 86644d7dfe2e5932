"""Whether a method suits data, told from what it declares before anything is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from microveil.core.errors import MicroveilError
from microveil.core.registry import Value
from microveil.core.words import counted
from microveil.data.microdata import Microdata

if TYPE_CHECKING:
    from microveil.run.contract import MethodContract, Step


def why_not(step: Step, data: Microdata) -> str | None:
    """Why a step does not suit data, or None; cheap: no record is looked at but for gaps."""
    method = step.method
    if method.follows:
        return f"{method.name} acts on what earlier steps did; put it after another step"
    try:
        chosen, given = method.resolve(data, step)
    except MicroveilError as problem:
        return str(problem)
    lacking = next((role for role in _roles_needed(method) if not data.names(role)), None)
    if lacking is not None:
        return f"{method.name} needs a column with the role {lacking}; give it to one"
    numbers = [name for name, kind in {**chosen, **given}.items() if kind == "continuous"]
    gappy = [name for name in numbers if data.values(name, "continuous").missing.any()]
    if gappy and (step.missing == "error" or (step.missing == "mask" and not method.skips_missing)):
        ways = " or missing='mask'" if method.skips_missing else ""
        return f"{gappy[0]!r} has gaps; use missing='drop'{ways}"
    return _too_few(method, data.n, len(chosen))


def _too_few(method: MethodContract, records: int, columns: int) -> str | None:
    needed = max(_least_records(method, columns), largest_group(method))
    if records >= needed:
        return None
    return f"{method.name} needs at least {needed} records for {counted(columns, 'column')}: {records} given"


def _least_records(value: Value, columns: int) -> int:
    alone, each = getattr(value, "least_records", (0, 0))
    return max([int(alone + each * columns), *(_least_records(inner, columns) for inner in _held(value))])


def largest_group(value: Value) -> int:
    """The most records that a group must have by a parameter k, of a method or of what it holds; 0 without groups."""
    own = getattr(value, "k", None)
    return max([own if isinstance(own, int) else 0, *map(largest_group, _held(value))])


def _roles_needed(value: Value) -> tuple[str, ...]:
    own: tuple[str, ...] = getattr(value, "needs_roles", ())
    return (*own, *(role for inner in _held(value) for role in _roles_needed(inner)))


def _held(value: Value) -> list[Value]:
    """The methods and partitions that a method has for parameters."""
    found = [getattr(value, parameter.name) for parameter in value.parameters()]
    return [inner for inner in found if isinstance(inner, Value)]
