"""What an auditor knows beside the package: the project, the private log and the original, as far as they are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from microveil.claims.anonymity import Anonymity
from microveil.claims.gaps import AgreeingRowsAtLeast
from microveil.claims.groups import RowsAlike
from microveil.core.open_types import Stated
from microveil.core.words import list_all
from microveil.data.microdata import Microdata
from microveil.mask import LocalSuppression, Sample
from microveil.measure import Scenario
from microveil.plan.log import load_log, private_log, read_logged, scenarios_in
from microveil.plan.project import Project
from microveil.plan.release_plan import Published
from microveil.run.contract import Step
from microveil.run.log import facts_in
from microveil.run.release import Release

_FACTS = ("kinds", "levels", "hierarchies")
Figures = tuple[Published, ...]


@dataclass(frozen=True)
class Asked:
    """An anonymity model that a step of the plan asks for, and the keys it is about (None: the keys of the file).

    `by` is whether it is asked for in subdomains, each held against itself. `agreeing` are the columns in which its own
    step says that a gap agrees with any value; what another step says of its gaps does not count here.
    """

    model: Anonymity
    keys: tuple[str, ...] | None
    by: bool = False
    agreeing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Known:
    """Roles, rules, scenarios and plan; empty where nobody told them."""

    roles: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    steps: tuple[Step, ...] = ()
    perturbed: frozenset[str] = frozenset()
    log: Stated | None = None
    original: Microdata | None = None
    source: Path | None = None
    release: Release | None = None  # where it is at hand, so that the log need not be run again
    published: tuple[Published, ...] = ()  # figures that were published elsewhere
    facts: Mapping[str, Stated] = field(default_factory=dict)  # kinds, levels and hierarchies of the original's columns
    planned: tuple[Step, ...] = ()  # those of a project beside a log, whose steps were run
    as_they_are: tuple[str, ...] = ()  # keys of which a project says that they leave so
    otherwise: tuple[str, ...] = ()  # what the project says otherwise than the log

    @classmethod
    def of_release(
        cls, release: Release, scenarios: tuple[Scenario, ...], published: tuple[Published, ...] = ()
    ) -> Known:
        """What those know who made the release."""
        data = release.original
        log = private_log(release)
        return cls(
            {str(name): role for name, role in data.roles.items()},
            tuple(map(str, data.edits)),
            scenarios,
            tuple(record.step for record in release.steps),
            frozenset(release.perturbed),
            log,
            data,
            data.codebook.source if data.codebook is not None else None,
            release,
            published,
            _facts_of_log(log),
        )

    @property
    def says_anything(self) -> bool:
        """Whether anything is known of what was done to the data and how they are to be judged."""
        return bool(self.roles or self.scenarios or self.steps or self.original is not None)

    @property
    def stated(self) -> frozenset[str]:
        """The columns of which project, log or original say what they are."""
        named = {*self.roles, *(name for step in self.steps for name in step.columns or ())}
        named |= {name for scenario in self.scenarios for name in scenario.columns}
        named |= set() if self.original is None else set(map(str, self.original.columns))
        return frozenset(map(str, named))

    @property
    def coarsened(self) -> frozenset[str]:
        """The columns that the plan makes coarser, as it says; one that takes records changes none."""
        steps = [step for step in self.steps if step.method.coarsens and not isinstance(step.method, Sample)]
        return _acted(steps, self.roles) - self.perturbed

    @property
    def agreeing(self) -> tuple[str, ...]:
        """The columns in which a gap agrees with any value, by a step that hides their cells so; else it is a value."""
        keys = tuple(name for name, role in self.roles.items() if role == "key")
        steps = [step for step in self.steps if isinstance(step.method, LocalSuppression)]
        claims = [claim for step in steps for claim in step.method.claims(step.columns or keys)]
        promised = [claim.columns for claim in claims if isinstance(claim, AgreeingRowsAtLeast)]
        return tuple(dict.fromkeys(name for columns in promised for name in columns))

    @property
    def asked(self) -> list[Asked]:
        """The anonymity models of the steps that were run, and of those that a project beside the log plans."""
        found = [asked for steps in (self.steps, self.planned) for asked in _asked(steps, self.roles)]
        return [one for place, one in enumerate(found) if one not in found[:place]]

    @property
    def records(self) -> int | None:
        """How many records the original has, where log or original say it."""
        if self.original is not None:
            return self.original.n
        return None if self.log is None else int(self.log["input"]["records"])

    def weight_in(self, data: Microdata) -> str | None:
        """The name of the weight, where a file has it as numbers."""
        named = [name for name, role in self.roles_in(list(map(str, data.columns))).items() if role == "weight"]
        return next((name for name in named if data.narwhal.get_column(name).dtype.is_numeric()), None)

    def roles_in(self, columns: list[str]) -> dict[str, str]:
        """The roles of columns that are there."""
        return {name: role for name, role in self.roles.items() if name in columns}


def what_is_known(
    project: Path | None, log: Path | None, original: Path | None, published: Sequence[Published] = ()
) -> Known:
    """Read what is given: the log says what was done, and limits and rules of log and project are judged."""
    told = Project.load(project) if project is not None else None
    figures = (*published, *_published_in(told))
    logged = load_log(log) if log is not None else None
    data = None
    if original is not None:
        data = _original(original, told, logged)
    if logged is not None:
        known = _known_from_log(logged, data, original, figures)
        return known if told is None else _with_project(known, told)
    if told is None:
        return Known(original=data, source=original, published=figures)
    steps = list(told.plan.steps) if told.plan is not None else []
    roles = {name: str(fact.get("role", "other")) for name, fact in told.columns.items()}
    perturbed = _perturbed(steps, roles)
    return Known(
        roles,
        told.constraints,
        told.scenarios,
        tuple(steps),
        perturbed,
        None,
        data,
        original,
        published=figures,
        facts={what: told.facts[what] for what in _FACTS},
        as_they_are=told.release.as_they_are,
    )


def _facts_of_log(log: Stated) -> Mapping[str, Stated]:
    """Kinds, levels and hierarchies of the columns that a release was made from."""
    facts = facts_in(log)
    return {
        "kinds": {name: fact["kind"] for name, fact in log["input"]["columns"].items()},
        "levels": facts["levels"],
        "hierarchies": facts["hierarchies"],
    }


def _known_from_log(log: Stated, data: Microdata | None, original: Path | None, figures: Figures) -> Known:
    columns: Mapping[str, Stated] = log["input"]["columns"]
    return Known(
        {name: fact["role"] for name, fact in columns.items()},
        tuple(log["input"].get("edits", ())),
        scenarios_in(log),
        tuple(Step.from_mapping({k: v for k, v in one.items() if k != "streams"}) for one in log["steps"]),
        frozenset(log["released"]["perturbed"]),
        log,
        data,
        original,
        published=figures,
        facts=_facts_of_log(log),
    )


def _with_project(known: Known, project: Project) -> Known:
    """What a project adds to a log: rules, scenarios and models of both are judged, and identifiers of either count."""
    stated = {name: str(fact["role"]) for name, fact in project.columns.items() if "role" in fact}
    secret = {name: role for name, role in stated.items() if role == "identifier"}
    planned = tuple(project.plan.steps) if project.plan is not None else ()
    others = [name for name, role in stated.items() if known.roles.get(name, role) != role]
    otherwise = []
    if others:
        otherwise.append(f"other roles for {list_all(sorted(others))}")
    if planned and planned != known.steps:
        otherwise.append("another plan")
    if project.scenarios and project.scenarios != known.scenarios:
        otherwise.append("other scenarios")
    return replace(
        known,
        roles={**stated, **known.roles, **secret},
        edits=(*known.edits, *(rule for rule in project.constraints if rule not in known.edits)),
        scenarios=(*known.scenarios, *(one for one in project.scenarios if one not in known.scenarios)),
        planned=planned,
        otherwise=tuple(otherwise),
    )


def _published_in(project: Project | None) -> tuple[Published, ...]:
    """The figures that a project states under `release`."""
    return project.release.published if project is not None else ()


def _original(path: Path, project: Project | None, log: Stated | None) -> Microdata:
    from microveil.io import options_for, read

    if log is not None:
        return read_logged(log, path)
    if project is None:
        return read(path)
    facts = project.facts
    how = options_for(path, project.text)
    return read(path, **{name: fact for name, fact in facts.items() if name not in project.text}, **how)


def _asked(steps: Sequence[Step], roles: Mapping[str, str]) -> Iterator[Asked]:
    """The models of steps, and the k of those that leave out cells, unless a later step perturbs these keys."""
    keys = tuple(name for name, role in roles.items() if role == "key")
    for place, step in enumerate(steps):
        model = getattr(step.method, "model", None)
        if isinstance(model, Anonymity):
            yield Asked(model, step.columns, bool(step.by))
        elif isinstance(step.method, LocalSuppression):
            later = _perturbed(steps[place + 1 :], roles)
            for claim in step.method.claims(step.columns or keys):
                if isinstance(claim, RowsAlike) and not later.intersection(claim.columns):
                    agreeing = claim.columns if isinstance(claim, AgreeingRowsAtLeast) else ()
                    yield Asked(Anonymity(k=claim.k), claim.columns, bool(step.by), agreeing)


def _perturbed(steps: Sequence[Step], roles: Mapping[str, str]) -> frozenset[str]:
    """The columns in which a step may put other than true values."""
    return _acted([step for step in steps if not step.method.coarsens], roles)


def _acted(steps: Sequence[Step], roles: Mapping[str, str]) -> frozenset[str]:
    """The columns that steps act on; without names these are those of their roles."""
    found: set[str] = set()
    for step in steps:
        wanted = step.method.default_roles
        found |= set(step.columns or (name for name, role in roles.items() if not wanted or role in wanted))
    return frozenset(found)
