"""Audit: k, l and t of the files as strangers read them, the limits of scenarios, and the rules of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microveil.core.edits import parse_edit
from microveil.core.errors import BadInput
from microveil.core.measured import Measured
from microveil.core.numbers import format_number
from microveil.core.words import counted, list_all
from microveil.data.frames import is_numeric
from microveil.data.microdata import Microdata
from microveil.measure import Scenario
from microveil.package.audit_files import DataFile
from microveil.package.audit_model import audit_models, count_k
from microveil.package.findings import Finding, broken, holds, judged, not_checked, note
from microveil.package.known import Known
from microveil.risk import ScenarioRisk

_AS_VALUE, _AGREEING = "a missing value counted as a value", "a missing value agreeing with any"


def audit_protection(file: DataFile, readings: Sequence[tuple[str, Microdata]], known: Known) -> list[Finding]:
    """Every scenario and every model that the plan asks for, in each reading of a file; like lines are one line."""
    said: dict[Finding, list[str]] = {}
    for title, data in readings:
        seen, weighted = _with_roles(data, known)
        for scenario in known.scenarios:
            said.setdefault(_scenario(seen, scenario, known, weighted), []).append(title)
        for finding in audit_models(seen, known, dict(file.data.kinds)):
            said.setdefault(finding, []).append(title)
    return [replace(one, text=f"{file.name}, read by {list_all(titles)}: {one.text}") for one, titles in said.items()]


def is_counted(data: Microdata, scenario: Scenario, known: Known) -> bool:
    """Whether counting the keys of a scenario says something about a file: some are there, and none was perturbed."""
    there = any(name in data.columns for name in scenario.keys)
    return there and not known.perturbed.intersection(scenario.columns)


def _with_roles(data: Microdata, known: Known) -> tuple[Microdata, bool]:
    """The data with the roles known, and whether the weight is a number in this reading; else it counts for nothing.

    Weights with gaps, or not above 0, count for nothing either; limits are then judged by records, which is stricter.
    """
    roles = known.roles_in(list(map(str, data.columns)))
    numeric = {name for name in roles if data.narwhal.get_column(name).dtype.is_numeric()}
    unread = [name for name, role in roles.items() if role == "weight" and name not in numeric]
    weights = [name for name, role in roles.items() if role == "weight" and name in numeric]
    apart = {*unread, *(name for name in weights if not (data.values(name, "continuous").numbers > 0).all())}
    return data.with_(roles={name: role for name, role in roles.items() if name not in apart}), not unread


def _scenario(data: Microdata, scenario: Scenario, known: Known, weighted: bool) -> Finding:
    """The k of a scenario in both readings of gaps, and its limits where true values can be counted."""
    named, check = f"scenario {scenario.name!r}", "scenarios"
    keys = tuple(name for name in scenario.keys if name in data.columns)
    if not keys:
        return note(check, f"{named}: none of its keys is released.")
    changed = sorted(known.perturbed.intersection(scenario.columns))
    if changed:
        why = f"{', '.join(changed)} {'was' if len(changed) == 1 else 'were'} perturbed, and counting says nothing then"
        return not_checked(check, f"{named}: {why}; the internal report tells what attacks find.")
    told = f"{named}: {_k_in_readings(data, keys, known.agreeing)}"
    if not scenario.thresholds:
        return note(check, f"{told}; no limit is stated.")
    if not weighted:
        return note(check, f"{told}; the weight is text in this reading, and its limits are judged in others.")
    also = tuple(name for name in scenario.known if name in data.columns)
    within = Scenario(scenario.name, keys, also, scenario.thresholds)
    measured = ScenarioRisk(scenarios=(within,)).reading_gaps(known.agreeing)(data)
    if not isinstance(measured, Measured):
        return not_checked(check, f"{told}; {measured.reason}.")
    share, limit = format_number(measured.value), f"{scenario.limit('share'):g}"
    at_risk = f"{share} % of the records have a risk above {scenario.limit('risk'):g}, {limit} % are allowed"
    return (broken if measured.value > scenario.limit("share") else holds)(check, f"{told}; {at_risk}.")


def _k_in_readings(data: Microdata, keys: tuple[str, ...], agreeing: Sequence[str]) -> str:
    """k as the plan declares gaps to be read, and in the other reading."""
    some = [name for name in keys if name in agreeing]
    if not some:
        return f"k is {count_k(data, keys)} with {_AS_VALUE}, {count_k(data, keys, keys)} with {_AGREEING}"
    where = "" if len(some) == len(keys) else f" in {list_all(some)}, and counted as a value elsewhere"
    return f"k is {count_k(data, keys, some)} with {_AGREEING}{where}, {count_k(data, keys)} with {_AS_VALUE}"


def audit_edits(file: DataFile, known: Known) -> list[Finding]:
    """The rules of the data on the file as it was written; those that the original breaks as often are told only."""
    names = set(map(str, file.data.columns))
    rules = [text for text in known.edits if {str(name) for edit in parse_edit(text) for name in edit.columns} <= names]
    if not rules:
        return []
    rules, unread = _readable(file, rules)
    after = _ruled(file, rules).broken_edits()
    original = {} if known.original is None else known.original.broken_edits()
    before = {str(edit): len(rows) for edit, rows in original.items()}
    problems, notes = [], []
    for edit, rows in after.items():
        text = f"{file.name}: {counted(len(rows), 'record')} break{'s' * (len(rows) == 1)} the rule {str(edit)!r}"
        had = before.get(str(edit), 0)
        if had >= len(rows):
            notes.append(note("rules", f"{text}, {had:,} of the original too."))
        else:
            problems.append(f"{text}.")
    sound = f"{file.name}: {counted(len(rules) - len(after), 'rule')} of the data kept by every record."
    told = [not_checked("rules", f"{file.name}: {text}.") for text in unread]
    return [*notes, *told, *(judged("rules", problems, sound) if rules else ())]


def _ruled(file: DataFile, rules: Sequence[str]) -> Microdata:
    """The file with these rules; numbers that they name are amounts, however few values these have."""
    named = {name for text in rules for edit in parse_edit(text) for name in edit.columns}
    numbers = [name for name in file.data.columns if name in named and is_numeric(file.data.narwhal.get_column(name))]
    return Microdata(file.data.frame, kinds=dict.fromkeys(numbers, "continuous"), edits=rules)


def _readable(file: DataFile, rules: Sequence[str]) -> tuple[list[str], list[str]]:
    """The rules that can be read in a file, and why others cannot: dates may be coarser by now."""
    fit, unread = [], []
    for text in rules:
        try:
            _ruled(file, [text])
        except BadInput as problem:
            unread.append(str(problem))
        else:
            fit.append(text)
    return fit, unread
