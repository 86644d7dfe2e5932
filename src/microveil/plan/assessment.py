"""Assessment: the risk of a file as it is, alone or beside its protected version."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import narwhals as nw
import numpy as np

from microveil.core.cards import Html, card, listed, paragraph, table
from microveil.core.errors import BadInput
from microveil.core.open_types import Json, Stated
from microveil.core.words import counted
from microveil.data.frames import AnyFrame
from microveil.data.microdata import Microdata
from microveil.data.schema import check_names
from microveil.measure import UNKNOWN_METHOD, Linked, Pair, Scenario
from microveil.plan.assessed_file import FileRisk, file_risk
from microveil.plan.assessed_pair import LinkedShare, measure_linkage, why_counts_mislead
from microveil.plan.assessed_scenarios import ScenarioFigure, scenario_figures
from microveil.plan.assessment_text import figure_rows, proposal, text_lines
from microveil.plan.inspection import first_look
from microveil.run.release import AnyFile, Release

_STEPS = 5  # of one file

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Assessment:
    """What a file gives away by its keys, and what its protected version still does.

    `original` and `protected` hold the figures of each file; `protected` is None without a second file, or where
    counting its keys would say nothing about people (`withheld` says why, and `linked` what linking finds then).
    `protected_records` is how many records the second file has. `proposed` are roles that nobody stated and
    that were taken from a first look. `records()` gives the figures of every record: for the protector's eyes only.
    """

    original: FileRisk
    protected: FileRisk | None = None
    withheld: str = ""
    scenarios: tuple[ScenarioFigure, ...] = ()
    protected_scenarios: tuple[ScenarioFigure, ...] = ()
    proposed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    protected_records: int | None = None
    linked: LinkedShare | None = None
    _backend: Any = field(default=None, repr=False, compare=False)

    @property
    def shown(self) -> FileRisk:
        """The file whose riskiest records are told: the protected one where it can be counted."""
        return self.original if self.protected is None else self.protected

    @property
    def over_limit(self) -> tuple[str, ...]:
        """The scenarios whose limits the last file exceeds."""
        last = self.protected_scenarios or self.scenarios
        return tuple(scenario.name for scenario in last if scenario.holds is False)

    def records(self, which: Literal["original", "protected"] = "original") -> AnyFrame:
        """A frame with the figures of every record in file order, its row counted from 1 (private).

        Columns: row, fk (records with these keys), fk_wildcard (the same where a missing value agrees with any), Fk
        (people, by the weights), risk, household_risk where there are households, dis (DIS-SUDA) where it was
        searched for.
        """
        if which not in ("original", "protected"):
            raise BadInput(f"which={which!r} is not one of ['original', 'protected']")
        file = self.original if which == "original" else self.protected
        if file is None:
            raise BadInput(self.withheld or "no protected file was given to assess; leave which='protected' out")
        each = file.each
        columns = {
            "row": np.arange(1, file.records + 1),
            "fk": each.f,
            "fk_wildcard": each.f_wildcard,
            "Fk": each.people,
            "risk": each.risk,
            "household_risk": each.household_risk,
            "dis": each.dis,
        }
        return self._frame({name: values for name, values in columns.items() if values is not None})

    def to_frame(self) -> AnyFrame:
        """The main figures as a frame: figure, original and, with a second file, protected."""
        rows = figure_rows(self)
        columns: Json = {"figure": [f"{row.title}, {row.unit}" if row.unit else row.title for row in rows]}
        columns["original"] = np.array([_number(row.original) for row in rows])
        if self.protected is not None or self.withheld:
            columns["protected"] = np.array([_number(row.protected) for row in rows])
        return self._frame(columns)

    def _frame(self, columns: Stated) -> AnyFrame:
        found: AnyFrame = nw.from_dict(dict(columns), backend=self._backend).to_native()
        return found

    def to_json(self) -> Json:
        """Everything but the figures of single records, in plain JSON terms."""
        return {
            "original": self.original.to_json(),
            "protected": None if self.protected is None else self.protected.to_json(),
            "withheld": self.withheld,
            "protected_records": self.protected_records,
            "linked_percent": None if self.linked is None else vars(self.linked),
            "scenarios": [scenario.to_json() for scenario in self.scenarios],
            "protected_scenarios": [scenario.to_json() for scenario in self.protected_scenarios],
            "proposed": {role: list(names) for role, names in self.proposed.items()},
            "notes": list(self.notes),
        }

    def to_text(self) -> str:
        """Everything but the figures of single records, as JSON text."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)

    def told(self, how: str = "name them with keys=[...] or roles={...}") -> str:
        """Everything in words; `how` says how to decide roles that nobody stated."""
        return "\n".join([*proposal(self, how), *text_lines(self)])

    def __repr__(self) -> str:
        return self.told()

    def _repr_html_(self) -> str:
        both = self.protected is not None or bool(self.withheld)
        file = self.shown
        return card(
            f"Risk by {counted(len(file.keys), 'key')}: {', '.join(map(str, file.keys))}",
            table(("", "original", "protected")[: 2 + both], [row.cells(both) for row in figure_rows(self)]),
            *(paragraph(text) for text in (self.withheld, *self.notes) if text),
            paragraph(Html("<b>Records most at risk</b>")) if file.riskiest else Html(""),
            listed(f"row {record.row}: {record.why}" for record in file.riskiest),
        )


def assess(
    data: AnyFile,
    release: AnyFile | None = None,
    keys: Sequence[str] | None = None,
    *,
    scenarios: Sequence[Scenario] = (),
    population: float | None = None,
    linked: Linked = True,
    progress: Progress | None = None,
) -> Assessment:
    """The risk of a file as it is: how many records its keys single out, which, why, and what would help.

    `data` is a frame, a Microdata or a Release; `release` the protected version, a Release or a frame, told beside it.
    `keys` are the columns that others may know, by default those with the role key; where nobody states roles, those
    that look like it, and the result says so. `population` is the number of people that the file is a sample of,
    where no weights tell it. Rows of two frames of equal length are taken to correspond; `linked` says otherwise, as in
    `evaluate`.

    >>> import pyarrow as pa
    >>> found = assess(pa.table({"sex": ["f", "f", "m"], "work": ["baker", "baker", "judge"]}), keys=["sex", "work"])
    >>> found.original.below[2], found.original.riskiest[0].why
    (1, 'alone with sex m, and with work judge')
    """
    pair = Pair.of(data, release, linked=linked)
    known = isinstance(release, Release) or isinstance(data, Release)
    proven_k = next((one.guarantee.k for one in (release, data) if isinstance(one, Release)), None)
    return assess_pair(
        pair,
        keys,
        scenarios=scenarios,
        population=population,
        methods_known=known,
        proven_k=proven_k,
        progress=progress,
    )


def assess_pair(
    pair: Pair,
    keys: Sequence[str] | None = None,
    *,
    scenarios: Sequence[Scenario] = (),
    population: float | None = None,
    methods_known: bool = False,
    proven_k: int | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """As `assess`, for files put together before; `methods_known`: `pair.perturbed` names all that was perturbed.

    `proven_k`: it is proven that one of so many protected records is found at most.
    """
    before, proposed = _with_proposals(pair.before, keys)
    after = None if pair.one_file else _with_roles(pair.after, proposed)
    before, homes = _with_homes_left_out(before)
    pair = replace(pair, before=before, after=before if after is None else after)
    chosen = tuple(dict.fromkeys(before.names("key") if keys is None else keys))
    check_names(chosen, list(before.columns), "keys")
    if not chosen:
        raise BadInput(
            "there is no key: no column looks like something others may know; give some the role key, or name the keys"
        )
    step = _counter(progress, _STEPS * (1 if after is None else 2) + bool(scenarios))
    original = file_risk(before, chosen, population, step)
    if scenarios:
        step("scenarios")
    limits = scenario_figures(Pair.of(before), scenarios)
    if after is None:
        library = before.narwhal.implementation
        return Assessment(original, scenarios=limits, proposed=proposed, notes=homes, _backend=library)
    present = tuple(key for key in chosen if key in after.columns)
    gone = [key for key in chosen if key not in after.columns]
    withheld = why_counts_mislead(pair, present, methods_known)
    if not present:
        withheld = "None of the keys is in the protected file: there is nothing to count."
    if withheld and not methods_known:
        # scenarios must not count these keys either
        pair = replace(pair, perturbed=dict.fromkeys(present, UNKNOWN_METHOD))
    counted = None if withheld else file_risk(after, present, population, step)
    return Assessment(
        original,
        counted,
        withheld,
        limits,
        scenario_figures(pair, scenarios, proven_k),
        proposed,
        homes if counted is None else (*homes, *_pair_notes(pair, gone, methods_known)),
        after.n,
        measure_linkage(pair, scenarios) if withheld else None,
        before.narwhal.implementation,
    )


def _pair_notes(pair: Pair, gone: Sequence[str], methods_known: bool) -> list[str]:
    """What to know about the figures of the protected file."""
    notes = []
    if gone:
        notes.append(f"The protected file lacks the keys {', '.join(gone)}; the others are counted there.")
    if pair.link is None and not methods_known:
        notes.append(
            "Nobody knows which rows of the two files belong together, so it cannot be told whether keys were"
            " perturbed; figures of the protected file hold only if its keys are true or coarser than true."
        )
    if pair.before.weights is not None and pair.after.weights is None:
        notes.append("The protected file has no weights: it is taken for the whole population there.")
    return notes


def _with_proposals(data: Microdata, keys: Sequence[str] | None) -> tuple[Microdata, dict[str, tuple[str, ...]]]:
    """Where nobody states keys, or with keys named no role at all, columns are taken for what they look like."""
    stated = set(data.roles.values()) - {"other"}
    wanted = ("key", "weight", "household") if keys is None else ("weight", "household")
    if (keys is None and "key" in stated) or (keys is not None and stated):
        return data, {}
    found = first_look(data).roles
    new = {
        name: role
        for name, role in found.items()
        if role in wanted and data.roles[name] == "other" and name not in (keys or ())
    }
    proposed = {role: tuple(name for name in new if new[name] == role) for role in wanted}
    proposed = {role: names for role, names in proposed.items() if names}
    return (data.with_(roles=new) if new else data), proposed


def _with_homes_left_out(data: Microdata) -> tuple[Microdata, tuple[str, ...]]:
    """Numbers of households that are left out of releases say all the same who lives together in the original."""
    from microveil.detect import is_household_number, look_at

    if data.households is not None:
        return data, ()
    looks = (look_at(data.narwhal.get_column(name), data.schema[name].missing) for name in data.names("identifier"))
    found = next((str(look.name) for look in looks if is_household_number(look)), None)
    if found is None:
        return data, ()
    note = f"{found} is left out of releases; it tells who lives together for the risk of the original's households."
    return data.with_(roles={found: "household"}), (note,)


def _with_roles(data: Microdata, proposed: Mapping[str, Sequence[str]]) -> Microdata:
    roles = {name: role for role, names in proposed.items() for name in names if name in data.columns}
    return data.with_(roles=roles) if roles else data


def _counter(progress: Progress | None, total: int) -> Callable[[str], None]:
    done = 0

    def step(what: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(what, min(done, total), total)

    return step


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
