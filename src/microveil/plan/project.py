"""The project file: a data set with what is known about its columns, who might attack it, and the plan for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput, MicroveilError, UnknownName
from microveil.core.parameters import nearest, suggest
from microveil.data.microdata import INTEGER_POLICIES, Microdata
from microveil.data.schema import KINDS, ROLES
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan
from microveil.plan.project_text import project_text
from microveil.plan.proposed_plan import proposed_plan, proposed_scenarios
from microveil.risk import Scenario

VERSION = 1
TEXT_FIELDS = ("encoding", "decimal", "delimiter")
FIELDS = ("version", "dataset", "integers", "columns", "scenarios", "plan")
DATASET_FIELDS = ("path", "sha256", *TEXT_FIELDS)
COLUMN_FIELDS = ("role", "kind", "levels", "hierarchy", "missing")
_WORDS = {"role": ROLES, "kind": KINDS}

Place = Callable[..., str]


@dataclass(frozen=True)
class Project:
    """Everything stated about a data set in one file: written by `inspect`, edited by hand, replayed.

    `scenarios` say who might attack and what is tolerated, `plan` what is done, `text` how a text file is read.
    """

    path: str
    sha256: str = ""
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    integers: str = "round"
    plan: Plan | None = None
    text: Mapping[str, str] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    # why a role was proposed: comments of the file, which nobody reads back
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)

    @classmethod
    def propose(cls, path: str, sha256: str, data: Microdata, found: Inspection) -> Project:
        """The project of a file that was looked at: roles, a scenario and a plan to change."""
        columns: dict[str, dict[str, Any]] = {}
        reading = data.codebook.reading if data.codebook is not None else {}
        for look in found.columns:
            stated = data.schema[look.name]
            columns[look.name] = {"role": look.role, "kind": look.kind}
            if stated.levels:
                columns[look.name]["levels"] = list(stated.levels)
            codes = [*stated.missing, *reading.get("missing", {}).get(look.name, ())]
            if codes:
                columns[look.name]["missing"] = codes
            if stated.hierarchy:
                columns[look.name]["hierarchy"] = {value: list(path) for value, path in stated.hierarchy.items()}
        return cls(
            path,
            sha256,
            columns,
            data.integers,
            proposed_plan(data, found),
            {name: reading[name] for name in TEXT_FIELDS if name in reading},
            proposed_scenarios(found),
            {look.name: look.why for look in found.columns},
        )

    # -- files -----------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The project as YAML, with comments that say what may stand where."""
        fields = {
            "version": VERSION,
            "dataset": {"path": self.path, "sha256": self.sha256, **self.text},
            "integers": self.integers,
            "columns": self.columns,
            "scenarios": [scenario.to_spec() for scenario in self.scenarios],
            "plan": None if self.plan is None else self.plan.to_mapping(),
        }
        return project_text(fields, self.reasons)

    @classmethod
    def from_text(cls, text: str) -> Project:
        """The project of a YAML text; an error names its line, and the nearest field where one is unknown."""
        from microveil.io import line_in_yaml, read_yaml

        def place(*path: Any) -> str:
            line = line_in_yaml(text, path)
            return f" (line {line} of the project)" if line else ""

        fields = read_yaml(text, "the project")
        _known(fields, FIELDS, "a project", place)
        if fields.get("version", VERSION) != VERSION:
            raise BadInput(f"the project has version {fields['version']!r}; this release reads version {VERSION}")
        dataset = fields.get("dataset")
        _known(dataset, DATASET_FIELDS, "the dataset", place, "dataset")
        if not isinstance(dataset.get("path"), str) or Path(dataset["path"]).is_absolute():
            raise BadInput(
                f"the dataset's path is {dataset.get('path')!r}; give a path relative to the project file"
                f"{place('dataset', 'path')}"
            )
        integers = fields.get("integers", "round")
        if integers not in INTEGER_POLICIES:
            raise BadInput(f"integers is {integers!r}, not one of {list(INTEGER_POLICIES)}{place('integers')}")
        return cls(
            dataset["path"],
            dataset.get("sha256") or "",
            _columns(fields.get("columns"), place),
            integers,
            _plan(fields.get("plan"), place),
            {name: str(dataset[name]) for name in TEXT_FIELDS if dataset.get(name) is not None},
            _scenarios(fields.get("scenarios"), place),
        )

    def save(self, path: str | Path) -> None:
        """Write the project file."""
        from microveil.io import write_text

        write_text(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> Project:
        """Read a project file."""
        from microveil.io import read_text

        return cls.from_text(read_text(path))

    # -- data ------------------------------------------------------------------------------------

    @property
    def facts(self) -> dict[str, Any]:
        """What is known about the file and its columns, as `mv.read` takes it."""
        named = {"role": "roles", "kind": "kinds", "levels": "levels", "hierarchy": "hierarchies", "missing": "missing"}
        out: dict[str, Any] = {what: {} for what in named.values()}
        for name, facts in self.columns.items():
            for field_name, value in facts.items():
                out[named[field_name]][name] = value
        return {**out, "integers": self.integers, **self.text}

    def is_about(self, path: Path) -> bool:
        """Whether a file has the bytes that the project was made for; a project without a hash takes any file."""
        from microveil.io import sha256_of

        return not self.sha256 or sha256_of(path) == self.sha256

    def read(self, folder: str | Path) -> Microdata:
        """The data set, checked against the hash in the project."""
        from microveil.io import read

        path = Path(folder) / self.path
        if not self.is_about(path):
            raise BadInput(
                f"{path.name} is not the file the project was made for: its hash differs; inspect it again, or take "
                "the hash out of the project"
            )
        return read(path, **self.facts)


def _known(fields: Any, known: tuple[str, ...], what: str, place: Place, *path: Any) -> None:
    if not isinstance(fields, dict):
        raise BadInput(f"{what} is a mapping with {list(known)}; this is {type(fields).__name__}{place(*path)}")
    for name in fields:
        if name not in known:
            raise UnknownName(f"{what} has no field {name!r}{suggest(str(name), known)}{place(*path, name)}")


def _columns(columns: Any, place: Place) -> dict[str, dict[str, Any]]:
    if columns is None:
        return {}
    if not isinstance(columns, dict):
        raise BadInput(f"columns must map each column's name to its role and kind{place('columns')}")
    for name, facts in columns.items():
        _known(facts, COLUMN_FIELDS, f"the column {name!r}", place, "columns", name)
        for what, allowed in _WORDS.items():
            if what in facts and facts[what] not in allowed:
                hint = nearest(str(facts[what]), allowed)
                raise BadInput(
                    f"the {what} of column {name!r} is {facts[what]!r}, not one of {list(allowed)}{hint}"
                    f"{place('columns', name, what)}"
                )
    return columns


def _scenarios(given: Any, place: Place) -> tuple[Scenario, ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise BadInput(f"scenarios is a list; begin each with a dash{place('scenarios')}")
    found = []
    for number, spec in enumerate(given):
        with _told(place("scenarios", number)):
            found.append(Scenario.from_spec(spec))
    return tuple(found)


def _plan(given: Any, place: Place) -> Plan | None:
    if not given:
        return None
    steps = given.get("steps") if isinstance(given, dict) else None
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        with _told(place("plan", "steps", number)):
            Plan([step])
    with _told(place("plan")):
        return Plan.from_mapping(given)


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Errors with the line on which they are."""
    try:
        yield
    except MicroveilError as problem:
        raise type(problem)(f"{problem}{where}") from None
