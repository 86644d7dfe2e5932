"""The project file: a data set with what is known about its columns, and the plan for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from microveil.core.errors import BadInput, BrokenPromise, UnknownName
from microveil.core.parameters import nearest
from microveil.data.microdata import Microdata
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan
from microveil.risk import Scenario

VERSION = 1
TEXT_FIELDS = ("encoding", "decimal", "delimiter")
FIELDS = ("version", "dataset", "integers", "columns", "scenarios", "plan")
DATASET_FIELDS = ("path", "sha256", *TEXT_FIELDS)
COLUMN_FIELDS = ("role", "kind", "levels", "hierarchy", "missing")


@dataclass(frozen=True)
class Project:
    """Everything stated about a data set in one file: written by `inspect`, edited by hand, replayed."""

    path: str
    sha256: str = ""
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    integers: str = "round"
    plan: Plan | None = None
    text: Mapping[str, str] = field(default_factory=dict)  # how a text file is read: encoding, decimal, delimiter
    scenarios: tuple[Scenario, ...] = ()

    @classmethod
    def propose(cls, path: str, sha256: str, data: Microdata, found: Inspection) -> Project:
        """The project of a file that was looked at."""
        columns: dict[str, dict[str, Any]] = {}
        for look in found.columns:
            stated = data.schema[look.name]
            columns[look.name] = {"role": look.role, "kind": look.kind}
            if stated.levels:
                columns[look.name]["levels"] = list(stated.levels)
            if stated.missing:
                columns[look.name]["missing"] = list(stated.missing)
            if stated.hierarchy:
                columns[look.name]["hierarchy"] = {value: list(path) for value, path in stated.hierarchy.items()}
        read_as = data.codebook.read_as if data.codebook is not None else None
        return cls(path, sha256, columns, data.integers, text=read_as.options if read_as is not None else {})

    # -- files -----------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The project as YAML."""
        fields: dict[str, Any] = {
            "version": VERSION,
            "dataset": {"path": self.path, "sha256": self.sha256, **self.text},
            "integers": self.integers,
            "columns": {name: dict(facts) for name, facts in self.columns.items()},
        }
        if self.scenarios:
            fields["scenarios"] = [scenario.to_spec() for scenario in self.scenarios]
        if self.plan is not None:
            fields["plan"] = self.plan.to_mapping()
        text: str = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)
        return text

    @classmethod
    def from_text(cls, text: str) -> Project:
        """The project of a YAML text; an unknown field is an error that names the nearest."""
        from microveil.io import read_yaml

        fields = read_yaml(text, "the project")
        _known(fields, FIELDS, "a project")
        if fields.get("version", VERSION) != VERSION:
            raise BadInput(f"the project has version {fields['version']!r}; this release reads version {VERSION}")
        dataset = fields.get("dataset")
        _known(dataset, DATASET_FIELDS, "the dataset")
        if not isinstance(dataset.get("path"), str) or Path(dataset["path"]).is_absolute():
            raise BadInput(f"the dataset's path is {dataset.get('path')!r}; give a path relative to the project file")
        columns = fields.get("columns") or {}
        if not isinstance(columns, dict):
            raise BadInput("columns must map each column's name to its role and kind")
        for name, facts in columns.items():
            _known(facts, COLUMN_FIELDS, f"the column {name!r}")
        plan = Plan.from_mapping(fields["plan"]) if fields.get("plan") else None
        read_as = {name: str(dataset[name]) for name in TEXT_FIELDS if dataset.get(name) is not None}
        scenarios = _scenarios(fields.get("scenarios") or [])
        sha256, integers = dataset.get("sha256") or "", fields.get("integers", "round")
        return cls(dataset["path"], sha256, columns, integers, plan, read_as, scenarios)

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

    def read(self, folder: str | Path) -> Microdata:
        """The data set, checked against the hash in the project."""
        from microveil.io import read, sha256_of

        path = Path(folder) / self.path
        if self.sha256 and sha256_of(path) != self.sha256:
            raise BrokenPromise(f"{path.name} is not the file the project was made for: its hash differs")
        return read(path, **self.facts)


def _scenarios(specs: Any) -> tuple[Scenario, ...]:
    if not isinstance(specs, list):
        raise BadInput("scenarios is not a list; give a list of scenarios, each with name, keys, known, thresholds")
    return tuple(Scenario.from_spec(spec) for spec in specs)


def _known(fields: Any, known: tuple[str, ...], what: str) -> None:
    if not isinstance(fields, dict):
        raise BadInput(f"{what} is a mapping with {list(known)}; this is {type(fields).__name__}")
    for name in fields:
        if name not in known:
            raise UnknownName(f"{what} has no field {name!r}; there are {list(known)}{nearest(str(name), known)}")
