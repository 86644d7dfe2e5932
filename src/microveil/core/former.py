"""Old forms of methods, stated as data: what a setting was called, and where it is said now.

The room that renamed something states it (`state_former`); `Value.from_spec` reads plan files, project files and logs
in the old form and says what it is called now.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from microveil.core.errors import BadInput
from microveil.core.open_types import Json

_STATED: list[Former] = []


@dataclass(frozen=True)
class Said:
    """A setting of the new form: its path, the old setting whose value it takes, or the value it has else.

    It is said only together with what it `needs`: old settings that are given (no values), or have one of these values.
    """

    to: str
    of: str = ""
    value: Any = None
    needs: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Former:
    """An old form: the name of the method, what it is now, and how its settings are said.

    `when` are the values by which this form is told from others, the first of them by default; `marks` are settings
    that only the old form has (none: the name itself is old); `silent` ones decided nothing. A form is `refused` where
    no new one does the same to the same columns.
    """

    name: str
    now: str
    says: tuple[Said, ...]
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    refused: str = ""  # why it is not read any more, and what to write

    def fits(self, name: str, settings: Mapping[str, Any]) -> bool:
        """Whether a method of this name with these settings is of this form."""
        known = {*self.when, *self.silent, *(said.of for said in self.says)}
        return (
            _letters(name) == _letters(self.name)
            and (not self.marks or bool(self.marks & set(settings)))
            and set(settings) <= known
            and all(settings.get(key, values[0]) in values for key, values in self.when.items())
        )

    def read(self, settings: Mapping[str, Any]) -> Json:
        """The same as it is said now; refused where that would do something else."""
        if self.refused:
            raise BadInput(f"{self.name} {self.refused}")
        given = {key: value for key, value in settings.items() if value is not None}
        found: Json = {}
        for said in self.says:
            value = given.get(said.of, said.value)
            met = all(key in given and (not of or given[key] in of) for key, of in said.needs.items())
            if value is not None and met:
                _put(found, said.to.split("."), value)
        return {self.now: found}


def _letters(name: str) -> str:
    return name.strip().replace("_", "").replace("-", "").lower()


def _put(found: Json, path: list[str], value: Any) -> None:
    for name in path[:-1]:
        found = found.setdefault(name, {})
    found[path[-1]] = value


def state_former(*forms: Former) -> None:
    """Make old forms known."""
    _STATED.extend(forms)


def said_now(name: str, settings: Mapping[str, Any]) -> Json | None:
    """What is said today for a method of this name with these settings; None if it is no old form."""
    form = next((form for form in _STATED if form.fits(name, settings)), None)
    return None if form is None else form.read(settings)
