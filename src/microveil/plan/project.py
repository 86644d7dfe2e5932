"""The project file: a data set with what is known about its columns, who might attack it, and the plan for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from microveil.core.errors import BadInput, MicroveilError, UnknownColumn
from microveil.core.open_types import Json, Stated
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.hierarchy.stated import in_folder, to_yaml
from microveil.io.formats import reading_options
from microveil.measure import Scenario
from microveil.plan.inspection import Inspection
from microveil.plan.plan import Plan
from microveil.plan.project_parts import (
    VERSION,
    check_columns,
    check_constraints,
    check_dataset,
    check_head,
    check_integers,
    check_plan,
    check_scenarios,
    names_in,
)
from microveil.plan.project_release import check_release, release_spec
from microveil.plan.project_search import check_search
from microveil.plan.project_text import project_text
from microveil.plan.proposed_hierarchies import about_hierarchies
from microveil.plan.proposed_missing import about_missing
from microveil.plan.proposed_text import about_rules
from microveil.plan.release_plan import ReleasePlan
from microveil.plan.utility_plan import Goal, check_utility


@dataclass(frozen=True)
class Project:
    """Everything stated about a data set in one file: written by `inspect`, edited by hand, replayed.

    `constraints` are rules that every record satisfies, `scenarios` say who might attack and what is tolerated, `plan`
    what is done, `text` how a text file is read, `search` what a search may try and must keep, `utility` the figures
    that must survive, `release` what the release is to be.
    """

    path: str
    sha256: str = ""
    columns: Mapping[str, Stated] = field(default_factory=dict)
    integers: str = "round"
    plan: Plan | None = None
    text: Mapping[str, str] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    constraints: tuple[str, ...] = ()
    # why a role was proposed: comments of the file, which nobody reads back
    reasons: Mapping[str, str] = field(default_factory=dict, compare=False)
    comments: Mapping[str, str] = field(default_factory=dict, compare=False)  # on its rules, scenarios and plan
    support: Mapping[str, str] = field(default_factory=dict, compare=False)  # why a rule was proposed
    written: str = field(default="", compare=False, repr=False)  # the text it was read from, to tell lines
    # where it was read: its files are named from there
    folder: Path = field(default=Path(), compare=False, repr=False)
    search: Stated = field(default_factory=dict)  # what a search may try and must keep
    utility: tuple[Goal, ...] = ()
    release: ReleasePlan = field(default_factory=ReleasePlan)

    @classmethod
    def propose(cls, path: str, sha256: str, data: Microdata, found: Inspection) -> Project:
        """The project of a file that was looked at: roles, rules, a scenario and a plan to change."""
        columns: dict[str, Json] = {}
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
                columns[look.name]["hierarchy"] = to_yaml(stated.hierarchy)
        return cls(
            path,
            sha256,
            columns,
            data.integers,
            found.plan,
            {name: reading[name] for name in reading_options() if name in reading},
            found.scenarios,
            tuple(found.edits),
            {look.name: look.why for look in found.columns},
            {
                **found.comments,
                "columns": about_missing(found.missing_codes, columns) + about_hierarchies(found.hierarchies, columns),
                "constraints": about_rules(found.rules),
            },
            {str(rule.edit): rule.comment for rule in found.rules},
        )

    # -- files -----------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The project as YAML, with comments that say what may stand where."""
        fields = {
            "version": VERSION,
            "dataset": {"path": self.path, "sha256": self.sha256, **self.text},
            "integers": self.integers,
            "columns": self.columns,
            "constraints": list(self.constraints),
            "scenarios": [scenario.to_spec() for scenario in self.scenarios],
            "utility": [goal.to_spec() for goal in self.utility],
            "search": dict(self.search),
            "release": release_spec(self.release),
            "plan": None if self.plan is None else self.plan.to_mapping(),
        }
        return project_text(fields, self.reasons, self.comments, self.support)

    @classmethod
    def from_text(cls, text: str) -> Project:
        """The project of a YAML text; an error names its line, and the nearest field where one is unknown."""
        from microveil.io import read_yaml

        def place(*path: object) -> str:
            return _line_of(text, path)

        fields = check_head(read_yaml(text, "the project"), place)
        dataset = check_dataset(fields.get("dataset"), place)
        columns = check_columns(fields.get("columns"), place)
        return cls(
            dataset["path"],
            dataset.get("sha256") or "",
            columns,
            check_integers(fields.get("integers", "round"), place),
            check_plan(fields.get("plan"), place),
            {name: dataset[name] for name in reading_options() if dataset.get(name) is not None},
            check_scenarios(fields.get("scenarios"), place),
            check_constraints(fields.get("constraints"), columns, place),
            written=text,
            search=check_search(fields.get("search"), place),
            utility=check_utility(fields.get("utility"), place),
            release=check_release(fields.get("release"), place),
        )

    def save(self, path: str | Path) -> None:
        """Write the project file."""
        from microveil.io import write_text

        write_text(path, self.to_text())

    @classmethod
    def load(cls, path: str | Path) -> Project:
        """Read a project file."""
        from microveil.io import read_text

        return replace(cls.from_text(read_text(path)), folder=Path(path).parent)

    # -- data ------------------------------------------------------------------------------------

    @property
    def facts(self) -> Json:
        """What is known about the file and its columns, as `mv.read` takes it."""
        named = {"role": "roles", "kind": "kinds", "levels": "levels", "hierarchy": "hierarchies", "missing": "missing"}
        named |= {"label": "titles", "labels": "labels"}
        out: Json = {what: {} for what in named.values()}
        for name, facts in self.columns.items():
            for field_name, value in facts.items():
                out[named[field_name]][name] = in_folder(value, self.folder) if field_name == "hierarchy" else value
        return {**out, "integers": self.integers, "edits": list(self.constraints), **self.text}

    @contextmanager
    def telling_lines(self) -> Iterator[None]:
        """A column that the data lack is told with the line of the project that names it."""
        try:
            yield
        except UnknownColumn as problem:
            paths = [path for path, _, names in self._named if problem.column in names]
            path = ("columns", problem.column) if problem.column in self.columns else next(iter(paths), None)
            where = _line_of(self.written, path) if path is not None else ""
            raise UnknownColumn(f"{problem}{where}", problem.column) from None
        except MicroveilError as problem:
            if problem.place[:1] not in (("columns",), ("release",)):
                raise
            raise type(problem)(f"{problem}{_line_of(self.written, problem.place)}") from None

    def check_names(self, columns: Iterable[str]) -> None:
        """Whatever the parts of the project speak of must be columns that the data have."""
        for _, what, names in self._named:
            check_names(names, list(columns), what)

    @property
    def _named(self) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
        return names_in(self.constraints, self.scenarios, self.plan, self.utility, self.release, self.search)

    def is_about(self, path: Path) -> bool:
        """Whether a file has the bytes that the project was made for; a project without a hash takes any file."""
        from microveil.io import sha256_of

        return not self.sha256 or sha256_of(path) == self.sha256

    def read(self, folder: str | Path) -> Microdata:
        """The data set, checked against the hash in the project."""
        from microveil.io import read
        from microveil.io.first_bytes import check_there

        path = Path(folder) / self.path
        check_there(path)
        if not self.is_about(path):
            raise BadInput(
                f"{path.name} is not the file the project was made for: its hash differs; inspect it again, or take "
                "the hash out of the project"
            )
        with self.telling_lines():
            data = read(path, **replace(self, folder=Path(folder)).facts)
            self.check_names(data.columns)
        return data


def _line_of(text: str, path: tuple[object, ...]) -> str:
    from microveil.io import line_in_yaml

    line = line_in_yaml(text, path) if text else 0
    return f" (line {line} of the project)" if line else ""
