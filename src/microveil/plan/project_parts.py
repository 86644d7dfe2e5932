"""The parts of a project file as they stand in its text: each is checked, and what is wrong is told with its line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from microveil.core.edits import parse_edit
from microveil.core.errors import BadInput, MicroveilError, UnknownName
from microveil.core.open_types import Json
from microveil.core.parameters import nearest, suggest
from microveil.core.words import kind_of
from microveil.data.microdata import INTEGER_POLICIES
from microveil.data.schema import KINDS, ONCE, ROLES, check_codes, check_hierarchy, check_levels
from microveil.io.formats import reading_options
from microveil.io.labelling import check_labels, check_title
from microveil.measure import Scenario
from microveil.plan.plan import Plan
from microveil.plan.project_release import release_columns
from microveil.plan.project_shapes import Place, is_relative
from microveil.plan.release_plan import ReleasePlan
from microveil.plan.utility_plan import Goal, named_columns

VERSION = 2
_READ = (1, VERSION)  # 1 is the same file without the sections utility and release
FIELDS = (
    "version",
    "dataset",
    "integers",
    "columns",
    "constraints",
    "scenarios",
    "utility",
    "search",
    "plan",
    "release",
)
COLUMN_FIELDS = ("role", "kind", "levels", "hierarchy", "missing", "label", "labels")
_WORDS = {"role": ROLES, "kind": KINDS}
_SHAPES = {
    "levels": check_levels,
    "hierarchy": check_hierarchy,
    "missing": check_codes,
    "label": check_title,
    "labels": check_labels,
}


def check_head(fields: Any, place: Place) -> Json:
    """Return the fields of a project; an empty file, another version or an unknown field is an error."""
    if fields is None:
        raise BadInput("the project is empty; `microveil inspect FILE` writes one")
    version = fields.get("version", VERSION) if isinstance(fields, dict) else VERSION
    # before the fields: those of a newer version are not known here
    if type(version) is not int or version not in _READ:
        raise BadInput(
            f"the project has version {version!r}; this release reads version {VERSION}: write version: {VERSION}, or "
            f"install the microveil that wrote it{place('version')}"
        )
    _known(fields, FIELDS, "a project", place)
    return dict(fields)


def check_dataset(dataset: Any, place: Place) -> dict[str, Any]:
    """Where the file is, its hash, and how it is read."""
    reading = reading_options()
    _known(dataset, ("path", "sha256", *reading), "the dataset", place, "dataset")
    path = dataset.get("path")
    if not is_relative(path):
        raise BadInput(
            f"the dataset's path is {path!r}; give a path relative to the project file{place('dataset', 'path')}"
        )
    if not isinstance(dataset.get("sha256", ""), str | None):  # 000... without quotes is the number 0, and no hash
        raise BadInput(
            f"the dataset's sha256 is {dataset['sha256']!r}; give the hash in quotes, or leave it out"
            f"{place('dataset', 'sha256')}"
        )
    for name, option in reading.items():
        value = dataset.get(name)
        if value is not None and not option.fits(value):
            raise BadInput(
                f"the dataset's {name} is {value!r}; write {option.wanted}, in quotes{place('dataset', name)}"
            )
    return dict(dataset)


def check_integers(integers: Any, place: Place) -> str:
    """What becomes of whole numbers."""
    if integers not in INTEGER_POLICIES:
        hint = nearest(str(integers), INTEGER_POLICIES)
        raise BadInput(f"integers is {integers!r}, not one of {list(INTEGER_POLICIES)}{hint}{place('integers')}")
    return str(integers)


def check_columns(columns: Any, place: Place) -> dict[str, dict[str, Any]]:
    """What is known about each column."""
    if columns is None:
        return {}
    if not isinstance(columns, dict):
        raise BadInput(f"columns must map each column's name to its role and kind{place('columns')}")
    for name, facts in columns.items():
        if not isinstance(name, str):
            raise BadInput(
                f"a column is called {name!r}, which is not a text; put its name in quotes{place('columns', name)}"
            )
        _check_column(name, facts, place)
    for role in ONCE:
        several = [name for name, facts in columns.items() if facts.get("role") == role]
        if len(several) > 1:
            raise BadInput(
                f"{len(several)} columns have the role {role!r} ({several}); give it to one"
                f"{place('columns', several[1], 'role')}"
            )
    return columns


def _check_column(name: str, facts: Any, place: Place) -> None:
    _known(facts, COLUMN_FIELDS, f"the column {name!r}", place, "columns", name)
    for what, allowed in _WORDS.items():
        if what in facts and facts[what] not in allowed:
            hint = nearest(str(facts[what]), allowed)
            raise BadInput(
                f"the {what} of column {name!r} is {facts[what]!r}, not one of {list(allowed)}{hint}"
                f"{place('columns', name, what)}"
            )
    for what, check in _SHAPES.items():
        if what in facts:
            with _told(place, "columns", name, what):
                check(name, facts[what])
    stated = facts.get("hierarchy")
    if isinstance(stated, str) and not is_relative(stated):
        raise BadInput(
            f"the hierarchy of column {name!r} is {stated!r}; give a path relative to the project file"
            f"{place('columns', name, 'hierarchy')}"
        )


def check_constraints(given: Any, columns: Mapping[str, Mapping[str, Any]], place: Place) -> tuple[str, ...]:
    """The rules that every record satisfies; each is about amounts, or dates."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise BadInput(f"constraints is a list of rules; begin each with a dash: - income >= 0{place('constraints')}")
    for number, text in enumerate(given):
        with _told(place, "constraints", number):
            for name in (name for edit in parse_edit(text) for name in edit.columns if len(edit.columns) == 1):
                kind = columns.get(name, {}).get("kind", "continuous")
                # of several columns some may hold dates: the data say whether they do
                if kind != "continuous":
                    raise BadInput(
                        f"the rule {text!r} is about {name!r}, which is {kind}; rules are about amounts and dates: "
                        "leave it out, or state the kind continuous"
                    )
    return tuple(given)


def check_scenarios(given: Any, place: Place) -> tuple[Scenario, ...]:
    """Who might attack, each under a name of its own."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise BadInput(f"scenarios is a list; begin each with a dash{place('scenarios')}")
    found: list[Scenario] = []
    for number, spec in enumerate(given):
        with _told(place, "scenarios", number):
            found.append(Scenario.from_spec(spec))
            if Counter(scenario.name for scenario in found)[found[-1].name] > 1:
                raise BadInput(f"several scenarios are called {found[-1].name!r}; give each its own name")
    return tuple(found)


def check_plan(given: Any, place: Place) -> Plan | None:
    """The plan; None where there is none."""
    if given is None:
        return None
    steps = given.get("steps") if isinstance(given, dict) else None
    for number, step in enumerate(steps if isinstance(steps, list) else ()):
        with _told(place, "plan", "steps", number, "method"):
            Plan([step])
    with _told(place, "plan"):
        return Plan.from_mapping(given)


def _known(fields: Any, known: tuple[str, ...], what: str, place: Place, *path: Any) -> None:
    if not isinstance(fields, dict):
        raise BadInput(f"{what} is a mapping with {list(known)}; this is {kind_of(fields)}{place(*path)}")
    for name in fields:
        if name not in known:
            raise UnknownName(f"{what} has no field {name!r}{suggest(str(name), known)}{place(*path, name)}")


@contextmanager
def _told(place: Place, *path: Any) -> Iterator[None]:
    """Errors with the line on which they are, and with `name: value` as the file says it."""
    try:
        yield
    except MicroveilError as problem:
        raise type(problem)(f"{_as_in_file(str(problem))}{place(*path, *problem.place)}") from None


def _as_in_file(message: str) -> str:
    return re.sub(r"^(\w+)=", r"\1: ", message)


def names_in(
    constraints: tuple[str, ...],
    scenarios: tuple[Scenario, ...],
    plan: Plan | None,
    utility: tuple[Goal, ...],
    release: ReleasePlan,
    search: Mapping[str, Any],
) -> Iterator[tuple[Any, str, Mapping[str, Any]]]:
    """Every column that the parts of a project name: the path to where it stands, in words, and the names."""
    for number, text in enumerate(constraints):
        named = dict.fromkeys(name for edit in parse_edit(text) for name in edit.columns)
        yield ("constraints", number), f"the rule {text!r}", named
    for number, scenario in enumerate(scenarios):
        for field in ("keys", "known"):
            named = dict.fromkeys(getattr(scenario, field))
            yield ("scenarios", number, field), f"scenario {scenario.name!r}", named
    for number, step in enumerate(plan.steps if plan is not None else ()):
        here, said = ("plan", "steps", number), f"step {number + 1} of the plan"
        for field in ("columns", "given", "by"):
            yield (*here, field), said, dict.fromkeys(getattr(step, field) or ())
        for way, names in step.method.named_columns():
            yield (*here, "method", *way), f"{way[-1]} in {said}", dict.fromkeys(names)
    yield ("search", "columns"), "columns of search", dict.fromkeys(search.get("columns") or ())
    yield from named_columns(utility)
    yield from release_columns(release)
