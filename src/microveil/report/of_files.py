"""Reports on a release in files: one for users of the files, and one that stays inside.

What blocks do not tell is named in both; there are no charts, since no page holds so many records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from microveil.core.measured import Measured
from microveil.core.words import counted
from microveil.engines import FileRelease
from microveil.plan.attacked import advice_lines
from microveil.plan.evaluation import Evaluation
from microveil.plan.judged_files import VerdictOfFiles
from microveil.plan.questions import by_question
from microveil.plan.release_plan import ReleasePlan
from microveil.plan.worst_case import worst_said
from microveil.report.decided_parts import decision_part
from microveil.report.external import (
    MISSING_TOLD,
    kept_exactly,
    loss_for_users,
    public_steps,
    step_said,
    unweighted,
    using_parts,
)
from microveil.report.identity import done_to
from microveil.report.parts import Cell, Code, Column, Fold, Heading, Items, Note, Part, Report, Row, Table, Text, Words
from microveil.report.sign_off import KINDS, NOT_STATED, SIGNED_FOR, rows_of, signature_parts

_INTERNAL = (Words("Internal."), " This report holds risk figures and names of the source; it is not given away.")


@dataclass(frozen=True)
class FilesContent:
    """All that reports on a release in files tell."""

    release: FileRelease
    evaluation: Evaluation
    verdict: VerdictOfFiles
    title: str
    date: str
    tell_settings: bool = False
    hashes: Sequence[tuple[str, str]] = ()  # of files that are given away, by their names


def external_report_of_files(content: FilesContent, columns: Sequence[tuple[str, str]]) -> Report:
    """The report for users: files, columns with their kinds, what was done, what is kept and what is lost."""
    release = content.release
    told = [(name, kind, done_to(release, name)) for name, kind in columns]
    size = f"{counted(len(release), 'record')} in {counted(len(release.parts), 'file')}, {counted(len(told), 'column')}"
    head = (Column("column"), Column("kind", told=True), Column("what was done to it", told=True))
    parts: list[Part] = [
        Text(f"{size}. {content.date}. Protected with microveil {version('microveil')}.", "soft"),
        Heading("What the files hold"),
        Text(
            "Each record is in one of the files; read all of them together. "
            f"{MISSING_TOLD} The order of the records says nothing: it was drawn at random."
        ),
        Table(head, tuple(map(Row, told)), "figures tight"),
        Heading("What was done to protect people"),
        Text("Columns that identify somebody by themselves are left out. Then:"),
        Items(tuple(map(step_said, public_steps(release, content.tell_settings))), ordered=True),
        Text("What was drawn at random was drawn under a secret key and cannot be drawn again by others.", "soft"),
        Heading("What it means for analysis"),
        *(Text(one) for one in _meaning(release)),
    ]
    kept = kept_exactly(release, content.tell_settings)
    if kept:
        parts += [Text("This is as in the original data, and was checked:"), Items(tuple(kept))]
    else:
        parts.append(Text("No statistic of the original data is promised to be kept exactly."))
    loss = loss_for_users(content.evaluation)
    if loss:
        names = (Column("measure of loss"), Column("figure", number=True), Column("how to read it"))
        parts += [
            Text(f"Measured by comparison with the original data{unweighted(release)}:"),
            Table(names, tuple(map(Row, loss)), "figures"),
        ]
    parts += using_parts(release, [name for name, _ in columns], {})
    return Report(content.title, content.date, tuple(parts))


def _meaning(release: FileRelease) -> list[str]:
    told = []
    linking = release.linking
    if linking is not None and linking.made:
        told.append(
            "Every record was drawn from a model: none is a person, household or enterprise. Relations that the model "
            "does not know are not in the files."
        )
    elif len(release) < release.source.n:
        told.append("Some records of the original data are in no file, so that totals and means of all of them differ.")
    told.append(
        "A column that was changed differs from the original in single records: use it for statistics of many records, "
        "and never as a statement about one."
    )
    return told


def internal_report_of_files(content: FilesContent) -> Report:
    """The report that stays inside: the verdict, every figure, what nobody measured, promises, notes and files."""
    release, verdict = content.release, content.verdict
    columns = [
        (str(name), role, release.original.kinds[name], done_to(release, name))
        for name, role in release.original.roles.items()
    ]
    head = (Column("column"), *(Column(title, told=True) for title in ("role", "kind", "what was done")))
    parts: list[Part] = [
        Text(f"{content.date}, microveil {version('microveil')}", "soft"),
        Note(_INTERNAL),
        decision_part(verdict, worst_said(verdict.worst), "limits of scenarios"),
        *(
            [Items(tuple(advice_lines(content.evaluation.attacked)))]
            if advice_lines(content.evaluation.attacked)
            else []
        ),
        *_figure_parts(content.evaluation),
        Heading("What was not measured"),
        Text("These need all records at once; measure a sample of the file in memory for them:"),
        Items(tuple(verdict.unmeasured) or ("nothing",)),
        Heading("What is promised"),
        Items(tuple(map(str, release.promises)) or ("nothing",)),
    ]
    for title, told in (
        ("Promised, and not checked, since blocks do not tell it", tuple(map(str, release.unchecked))),
        ("Given up", release.lost),
        ("Notes of the run", release.notes),
    ):
        if told:
            parts += [Heading(title, 3), Items(tuple(told))]
    hashes = tuple(Row((name, Cell(digest, "hash"))) for name, digest in content.hashes)
    parts += [
        Heading("Files and columns"),
        Table((Column("file"), Column("SHA-256")), hashes, "tight"),
        Fold("columns, with their roles and kinds", (Table(head, tuple(map(Row, columns)), "figures tight"),)),
        Fold("the plan", (Code(_plan_text(release)),)),
    ]
    return Report(content.title, content.date, tuple(parts))


def sign_off_of_files(
    content: FilesContent,
    stated: ReleasePlan,
    sources: Sequence[str],
    open_points: Sequence[str],
    earlier: Sequence[str] = (),
) -> Report:
    """The page to sign: what is decided on which files, what is known, and what nobody measured or checked.

    The first of `content.hashes` is the certificate of the package, which names all others; `earlier` names releases
    of the same data.
    """
    release, verdict = content.release, content.verdict
    size = counted(len(release), "record")
    facts = {
        "title": stated.title or NOT_STATED,
        "kind of release": KINDS.get(stated.kind, stated.kind) or NOT_STATED,
        "need": stated.need or NOT_STATED,
        "data": f"{', '.join(sources)}: {counted(release.source.n, 'record')}; {size} in the release",
        "date of the release": content.date,
        "to be reviewed by": stated.review or NOT_STATED,
        "earlier releases of the same data": "; ".join(earlier) or NOT_STATED,
        "signers": ", ".join(stated.signers) or NOT_STATED,
    }
    limits = [f"Not measured: {', '.join(verdict.unmeasured)}."] if verdict.unmeasured else []
    limits += [f"Promised, and not checked: {one}" for one in release.unchecked]
    limits += [*open_points, *release.notes]
    rows = tuple(Row((name, Cell(digest, "hash"))) for name, digest in content.hashes)
    parts: tuple[Part, ...] = (
        Text(f"{content.date}, microveil {version('microveil')}", "soft"),
        Note(_INTERNAL),
        decision_part(verdict, worst_said(verdict.worst), "limits of scenarios"),
        Heading("What is to be decided"),
        rows_of(facts),
        Heading("What was done"),
        Items(tuple(map(step_said, public_steps(release, True))), ordered=True),
        Heading("Known limits"),
        Items(tuple(limits) or ("none was found",)),
        Heading("The files that are signed for"),
        Text(SIGNED_FOR, "soft"),
        Table((Column("file"), Column("SHA-256")), rows, "tight"),
        *signature_parts(stated.signers),
    )
    return Report(f"Sign-off: {stated.title or NOT_STATED}", content.date, parts)


def _plan_text(release: FileRelease) -> str:
    from microveil.plan import Plan

    return Plan([record.step for record in release.steps]).to_text()


def _figure_parts(evaluation: Evaluation) -> list[Part]:
    """Every figure in the order of the questions, and why a measure has none."""
    head = (Column("measure"), *(Column(title, number=True) for title in ("before", "after")), Column("how to read it"))
    parts: list[Part] = []
    for found in by_question(evaluation.lines):
        rows = [
            (
                line.title,
                line.before.figure if isinstance(line.before, Measured) else "",
                line.result.figure,
                " ".join([line.result.said, *(f"{note[0].upper()}{note[1:]}." for note in line.result.notes)]),
            )
            for line in (*found.first, *found.further)
            if isinstance(line.result, Measured)
        ]
        if rows:
            parts += [Heading(found.question.title), Table(head, tuple(map(Row, rows)), "figures measures")]
    return parts
