"""The parts of the internal report that one decides by: the verdict, what it is about, and what attacks found."""

from __future__ import annotations

from typing import Literal

from microveil.core.numbers import format_number
from microveil.plan.advising import Advice
from microveil.plan.attacked import Attacked, advice_lines
from microveil.plan.judged_files import VerdictOfFiles
from microveil.plan.verdict import Verdict
from microveil.report.identity import Identity
from microveil.report.parts import Cell, Code, Column, Decision, Fold, Heading, Items, Part, Row, Table, Text, Words

_STATES: dict[str, Literal["yes", "doubt", "no"]] = {
    "kept": "yes",
    "doubtful": "doubt",
    "not kept": "no",
    "not shown": "no",
}


def decision_part(verdict: Verdict | VerdictOfFiles | None, worst: str, limits: str) -> Decision:
    """The box with the verdict; `worst` is what the strongest attack finds, `limits` how limits are stated."""
    if verdict is None:
        stated = f"{limits[0].upper()}{limits[1:]} make them a decision."
        said = Text(f"The figures below say what is lost and what is at risk. {stated}")
        return Decision((Heading("Nobody stated limits"), Text(worst, "line"), said))
    # without limits the title says the first reason
    because = verdict.because if verdict.ok is not None else verdict.because[1:]
    open_question = f"So nothing says whether this file may be released: {limits} make the figures a decision."
    told = [*because]
    told += [open_question] if verdict.ok is None else []
    told += [verdict.exposed] if verdict.exposed else []
    told += [f"What would help: {'; '.join(verdict.help)}."] if verdict.help else []
    found = Items(tuple(f"{one[:1].upper()}{one[1:]}" for one in verdict.line.split(" · ")))
    parts: tuple[Part, ...] = (Heading(verdict.title), Text(worst, "line"), found, *(Text(one) for one in told))
    return Decision(parts, _STATES.get(verdict.state, ""))


def identity_parts(identity: Identity, no_files: str) -> list[Part]:
    """Files with their hashes, columns with their roles, and the plan."""
    parts: list[Part] = []
    if identity.files:
        rows = tuple(Row((file.what, file.name, Cell(file.sha256, "hash"))) for file in identity.files)
        parts.append(Table(tuple(map(Column, ("file", "name", "SHA-256"))), rows, "figures"))
    elif no_files:
        parts.append(Text(no_files, "soft"))
    head = (Column("column"), *(Column(title, told=True) for title in ("role", "kind", "what was done")))
    columns = Table(head, tuple(map(Row, identity.columns)), "figures tight")
    parts.append(Fold("columns, with their roles and kinds", (columns,)))
    if identity.plan:
        parts.append(Fold("the plan", (Code(identity.plan),)))
    return parts


def attack_parts(found: tuple[Attacked, ...], changes: Advice | None) -> list[Part]:
    """What each attack found, and what helps against those that succeed."""
    if not found:
        return []
    head = (
        Column("attack"),
        Column("by whom"),
        *(Column(name, number=True, told=True) for name in ("found, %", "claimed for certain, %", "guessing, %")),
    )
    parts: list[Part] = [
        Heading("What each attack found"),
        Text(
            "Per cent of the records found, by each attack in its strongest way. An intruder chooses the best of them: "
            "what found most decides (bold).",
            "soft",
        ),
        Table(
            head,
            tuple(_attack_row(one, one.found == found[0].found) for one in found),
            "figures attacks",
        ),
    ]
    advice = advice_lines(found)
    if advice:
        said = "What helps against those that find clearly more than guessing does and than a proof allows:"
        parts += [Text(said), Items(tuple(advice))]
    if changes is not None and changes.lines:
        parts += [Text("Tried on these data:"), Items(tuple(changes.lines))]
    return parts


def _attack_row(one: Attacked, decides: bool) -> Row:
    """An attack; what found most stands out, for an intruder chooses it."""
    found = format_number(one.found)
    certain = "" if one.certain is None else format_number(one.certain)
    return Row((one.label, one.who, (Words(found),) if decides else found, certain, one.guessing_text))


def before_and_after_parts(verdict: Verdict | None) -> list[Part]:
    """The figures one decides by, before and after."""
    figures = before_and_after(verdict)
    if verdict is None or not figures:
        return []
    counted = f"Keys are counted on {', '.join(verdict.keys_counted)}. " if verdict.keys_counted else ""
    return [
        Heading("Before and after"),
        Text(
            f"{counted}A record that shares its keys with many others cannot be told from them. Before protection "
            "linking takes the most similar record by all columns that are compared; after it, the attack or scenario "
            "counts that links most.",
            "soft",
        ),
        Table(
            (Column("what"), Column("before", number=True), Column("after", number=True)),
            tuple(Row((what, before, (Words(after),))) for what, before, after in figures),
        ),
    ]


def before_and_after(verdict: Verdict | None) -> list[tuple[str, str, str]]:
    """The figures one decides by: what, before, after."""
    if verdict is None:
        return []
    rows = [
        ("smallest number of records with the same keys", verdict.before.k, verdict.after.k),
        ("records alone with their keys", verdict.before.uniques, verdict.after.uniques),
        ("records that share their keys with one other at most", verdict.before.below_three, verdict.after.below_three),
        ("re-identifications to be expected from the keys", verdict.before.expected, verdict.after.expected),
        (
            "re-identifications to be expected through households",
            verdict.before.through_households,
            verdict.after.through_households,
        ),
        ("records linked in the worst case, by any attack or scenario, %", verdict.before.linked, verdict.after.linked),
    ]
    return [
        (what, format_number(before), format_number(after))
        for what, before, after in rows
        if before is not None or after is not None
    ]
