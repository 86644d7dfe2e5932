"""The external report: what users of the released files need to know, and nothing that only the office may know.

It tells methods and loss. It has no figure of risk, no count or extreme of the original, no key, no path and no note of
the run: those are of the internal report. What a step was set to is told only where somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib.metadata import version

from microveil.core.measured import Measured
from microveil.core.words import counted
from microveil.engines import FileRelease
from microveil.io.rounding import promises_but_for_rounding
from microveil.plan.evaluation import Evaluation
from microveil.plan.utility_reached import Reached
from microveil.report.as_html import as_html
from microveil.report.external_meaning import meaning_of, use_of_weight
from microveil.report.identity import done_to
from microveil.report.parts import Column, Heading, Items, Part, Report, Row, Said, Table, Text, Words
from microveil.report.settings_words import settings_in_words
from microveil.report.survived_parts import kept_parts
from microveil.run.release import Release

MISSING_TOLD = "Empty cells are missing values."


@dataclass(frozen=True)
class ExternalContent:
    """All that an external report tells: a release, the names of its files, and name, label and kind of each column."""

    release: Release
    files: Sequence[str]
    columns: Sequence[tuple[str, str, str]]
    _: KW_ONLY
    title: str
    date: str
    evaluation: Evaluation | None = None
    tell_settings: bool = False
    reached: Sequence[Reached] = ()  # figures that must survive


def render_external(content: ExternalContent) -> str:
    """The external report as HTML text."""
    return as_html(external_report(content))


def external_report(content: ExternalContent) -> Report:
    """The external report as parts."""
    release, files, columns, date = content.release, content.files, content.columns, content.date
    names = {str(name): name for name in release.original.columns}
    told = tuple((name, label, kind, done_to(release, names[name])) for name, label, kind in columns)
    shown = [names[name] for name, *_ in columns]
    size = f"{counted(len(release), 'record')}, {counted(len(columns), 'column')}"
    parts: tuple[Part, ...] = (
        Text(f"{size}. {date}. Protected with microveil {version('microveil')}.", "soft"),
        *_holding(files, told),
        *_doing(release, content.tell_settings),
        *_meaning(content, [(names[name], done) for name, _, _, done in told]),
        *kept_parts(content.reached),
        *using_parts(release, shown, {name: use_of_weight(release, name) for name in release.original.names("weight")}),
    )
    return Report(content.title, date, parts)


def _holding(files: Sequence[str], columns: tuple[tuple[str, ...], ...]) -> list[Part]:
    """What the files hold."""
    several = "All files hold the same records in the same order: use any one of them."
    same = several if len(files) > 1 else "There is one file of data."
    told = any(label for _, label, *_ in columns)
    titles = (*(("what it is",) if told else ()), "kind", "what was done to it")
    head = (Column("column"), *(Column(title, told=True) for title in titles))
    rows = columns if told else tuple((name, *more) for name, _, *more in columns)
    return [
        Heading("What the files hold"),
        Text(f"{same} {MISSING_TOLD} The order of the records says nothing: it was drawn at random."),
        Items(tuple(files)),
        Table(head, tuple(map(Row, rows)), "figures tight"),
    ]


def _doing(release: Release, tell_settings: bool) -> list[Part]:
    """What was done to protect people."""
    return [
        Heading("What was done to protect people"),
        Text("Columns that identify somebody by themselves are left out. Then:"),
        Items(tuple(map(step_said, public_steps(release, tell_settings))), ordered=True),
        Text("What was drawn at random was drawn under a secret key and cannot be drawn again by others.", "soft"),
    ]


def step_said(step: dict[str, str]) -> Said:
    """A step in words."""
    inside = f", inside each value of {step['by']}" if step["by"] else ""
    settings = (" ", Words(f"({step['settings']})", "soft")) if step["settings"] else ()
    columns = step["columns"] or "whole records"
    return Words(step["name"]), f" on {columns}{inside}: {step['what']}", *settings


def _meaning(content: ExternalContent, columns: Sequence[tuple[str, str]]) -> list[Part]:
    """What it means for analysis; `columns` are names and what was done."""
    release = content.release
    left = [str(name) for name, done in columns if done == "left as it was"]
    kept, loss = kept_exactly(release, content.tell_settings), loss_for_users(content.evaluation)
    parts: list[Part] = [Heading("What it means for analysis")]
    parts += [Text((Words(said),)) for said in meaning_of(release, [name for name, _ in columns])]
    if kept:
        weights = " (of records, without weights)" if release.about_weights else ""
        parts += [Text(f"This is as in the original data{weights}, and was checked:"), Items(tuple(kept))]
    else:
        parts.append(Text("No statistic of the original data is promised to be kept exactly."))
    single = (
        "A column that was changed differs from the original in single records: use it for statistics of many records, "
        "and never as a statement about one."
    )
    as_collected = (
        f" {', '.join(left)} {'is' if len(left) == 1 else 'are'} as collected, but for the order of the records."
    )
    parts.append(Text(single + (as_collected if left else "")))
    if loss:
        head = (Column("measure of loss"), Column("figure", number=True), Column("how to read it"))
        parts.append(Text(f"Measured by comparison with the original data{unweighted(release)}:"))
        parts.append(Table(head, tuple(map(Row, loss)), "figures"))
    return parts


def unweighted(release: Release | FileRelease) -> str:
    """That measures of loss count records, where there is a weight to count them by."""
    return ", record by record and without weights" if release.original.weights is not None else ""


def using_parts(release: Release | FileRelease, columns: Sequence[str], uses: Mapping[str, str]) -> list[Part]:
    """How weights and numbers of households are used; `uses` says more of single weights."""
    roles = release.original.roles
    weights = [name for name in columns if roles[name] == "weight"]
    households = ", ".join(str(name) for name in columns if roles[name] == "household")
    parts: list[Part] = []
    for weight in weights:
        said = f"{weight} says how many people or enterprises of the population a record stands for: estimate totals"
        parts += [
            Heading("How to use the weight"),
            Text(
                f"{said} and means with it. A sum of the weights over a small group is no count of that group. "
                f"{uses.get(weight, '')}".rstrip()
            ),
        ]
    if households:
        said = f"Records with the same number in {households} belong together."
        parts += [
            Heading("Who belongs together"),
            Text(f"{said} The numbers were drawn anew and link to no other file."),
        ]
    return parts


def public_steps(release: Release | FileRelease, tell_settings: bool) -> list[dict[str, str]]:
    """The steps as anybody may know them; identifiers are no business of a reader."""
    return [
        {
            "name": record.method.name,
            "what": record.method.summary(),
            "columns": ", ".join(map(str, record.columns)),
            "by": ", ".join(map(str, record.step.by)),
            "settings": settings_in_words(record.method) if tell_settings else "",
        }
        for record in release.steps
    ]


def kept_exactly(release: Release | FileRelease, tell_settings: bool) -> list[str]:
    """What is as in the original: promises that compare statistics, without those that speak of groups or cells.

    Bounds that methods were set to are told with the settings only.
    """
    found = []
    rounded = release.rounded if isinstance(release, FileRelease) else promises_but_for_rounding(release)
    for promise in release.promises:
        if promise.claim.about == "original":
            inside = promise.inside
            if promise.reference is not None:
                inside += ", without the records that had been left out before"
            if promise in rounded:
                inside += ", but for the rounding of values"
            found.append(f"{promise.claim if tell_settings else promise.claim.public}{inside}")
    return list(dict.fromkeys(found))


def loss_for_users(evaluation: Evaluation | None) -> list[tuple[str, str, str]]:
    """Each measure that users may know: its title, its figure, and which way it is better."""
    lines = () if evaluation is None else evaluation.lines
    return [
        (line.title, line.result.figure, f"{line.result.better} is better")
        for line in lines
        if line.measure.for_users and isinstance(line.result, Measured)
    ]
