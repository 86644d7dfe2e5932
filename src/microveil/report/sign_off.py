"""The page that is signed: what is decided, by whom, on which files, and until when.

It is for people who do not read the whole report: every line is in words, and what nobody stated says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

from microveil.core.measured import Measured
from microveil.core.words import counted
from microveil.measure import Scenario
from microveil.plan.evaluation import Evaluation
from microveil.plan.published_totals import Stands
from microveil.plan.questions import by_question
from microveil.plan.release_plan import ReleasePlan
from microveil.plan.utility_reached import Reached
from microveil.plan.verdict import Verdict
from microveil.plan.worst_case import worst_said
from microveil.report.decided_parts import decision_part
from microveil.report.done_parts import step_parts
from microveil.report.parts import Cell, Column, Heading, Items, Lines, Note, Part, Report, Row, Table, Text, Words
from microveil.report.survived_parts import published_parts, survived_parts
from microveil.run.release import Release

NOT_STATED = "not stated"
_LIMITS = "limits of scenarios"
_INTERNAL = (
    Words("Internal."),
    " This page holds risk figures and is kept with the full report; it is not given away.",
)
KINDS = {
    "public": "public: anybody may have the files, and nobody is asked what for",
    "scientific": "scientific: researchers have the files under a contract",
    "secure": "secure: the files are analysed in a safe place and do not leave it",
}
_NO_PROOF = (
    "An audit and attacks find what they look for. A file that passes may still tell something to somebody who knows "
    "what nobody thought of, and more can be known later: that is why the decision has a date of review."
)
SIGNED_FOR = (
    "The certificate of the package names every file by its hash: whoever signs it signs for all of them. "
    "A signature is written into certificate.json, which has another hash from then on than it has here."
)
_ANSWER = (
    "I read what stands above and the full report, and I decide as I write below whether the files with these hashes "
    "may be released in this way."
)


@dataclass(frozen=True)
class Signed:
    """What a signature is about: a file by its name, or the certificate that names all of them, and its hash."""

    name: str
    sha256: str


def sign_off_report(
    release: Release,
    verdict: Verdict,
    stated: ReleasePlan,
    *,
    date: str,
    source: Signed,
    certificate: Signed,
    files: Sequence[Signed],
    scenarios: Sequence[Scenario] = (),
    evaluation: Evaluation | None = None,
    reached: Sequence[Reached] = (),
    published: Sequence[Stands] = (),
    earlier: Sequence[str] = (),
    together: Sequence[str] = (),
    open_points: Sequence[str] = (),
) -> Report:
    """The page to sign, as parts.

    `source` is the input, `certificate` that of the package, `files` those in it; `reached` and `published` are figures
    that were asked for, `earlier` names releases of the same data, `together` says what these tell beside this one;
    `open_points` are what an audit notes or could not check.
    """
    parts: tuple[Part, ...] = (
        Text(f"{date}, microveil {version('microveil')}", "soft"),
        Note(_INTERNAL),
        decision_part(replace(verdict, because=_but_scenarios(verdict)), worst_said(verdict.worst), _LIMITS),
        Heading("What is to be decided"),
        rows_of(_about(release, stated, date, source, earlier, together)),
        *step_parts(release),
        *_scenario_parts(verdict, scenarios),
        *_loss_parts(release, evaluation),
        *survived_parts(reached, values=False),
        *published_parts(published),
        Heading("Known limits"),
        Items(tuple(_known_limits(release, open_points))),
        Heading("The files that are signed for"),
        Text(SIGNED_FOR, "soft"),
        Table(
            (Column("file"), Column("SHA-256")),
            tuple(Row((one.name, Cell(one.sha256, "hash"))) for one in (certificate, *files)),
            "tight",
        ),
        *signature_parts(stated.signers),
    )
    return Report(f"Sign-off: {stated.title or NOT_STATED}", date, parts)


def _about(
    release: Release, stated: ReleasePlan, date: str, source: Signed, earlier: Sequence[str], together: Sequence[str]
) -> Mapping[str, str | Cell]:
    size = f"{counted(release.original.n, 'record')}, {counted(len(release.original.columns), 'column')}"
    data = f"{source.name or NOT_STATED}: {size}; {counted(len(release), 'record')} in the release"
    return {
        "title": stated.title or NOT_STATED,
        "kind of release": KINDS.get(stated.kind, stated.kind) or NOT_STATED,
        "need": stated.need or NOT_STATED,
        "data": data,
        "SHA-256 of the data": Cell(source.sha256, "hash") if source.sha256 else NOT_STATED,
        "date of the release": date,
        "to be reviewed by": stated.review or NOT_STATED,
        "earlier releases of the same data": "; ".join(earlier) or ", ".join(stated.earlier) or NOT_STATED,
        **({"together with these": " ".join(together)} if together else {}),
        "signers": ", ".join(stated.signers) or NOT_STATED,
    }


def rows_of(rows: Mapping[str, str | Cell]) -> Table:
    """Facts under their names."""
    return Table((), tuple(Row((name, told)) for name, told in rows.items()), "tight")


def _scenario_parts(verdict: Verdict, scenarios: Sequence[Scenario]) -> list[Part]:
    """Each scenario: who it is, what is tolerated, and what was found."""
    told = (Column(title, told=True) for title in ("the intruder knows", "tolerated", "verdict"))
    rows = tuple(
        Row((Cell(one.name, "name"), ", ".join((*one.keys, *one.known)), _tolerated(one), _found(one, verdict)))
        for one in scenarios
    )
    table = Table((Column("scenario"), *told), rows, "figures")
    return [Heading("Verdict per scenario"), table if rows else Text(f"Scenarios: {NOT_STATED}.")]


def _tolerated(scenario: Scenario) -> str:
    if not scenario.thresholds:
        return NOT_STATED
    return f"{scenario.limit('share'):g} % of the records with a risk above {scenario.limit('risk'):g}"


def _found(scenario: Scenario, verdict: Verdict) -> str:
    """The sentence of the verdict on a scenario, without its name."""
    named = f"Scenario {scenario.name!r} "
    return next(
        (said.removeprefix(named) for said in verdict.because if said.startswith(named)), "no limit to judge by"
    )


def _but_scenarios(verdict: Verdict) -> tuple[str, ...]:
    """What else the verdict rests on: each scenario stands in a table of its own."""
    return tuple(said for said in verdict.because if verdict.ok is None or not said.startswith("Scenario "))


def _loss_parts(release: Release, evaluation: Evaluation | None) -> list[Part]:
    """What users lose: the figures that answer each question best, and promises that were given up."""
    answers = [] if evaluation is None else by_question(evaluation.lines)
    rows = tuple(
        Row((line.title, Cell(line.result.figure, "value"), line.result.said))
        for found in answers
        for line in found.first
        if line.measure.for_users and isinstance(line.result, Measured)
    )
    head = (Column("measure of loss"), Column("figure", number=True), Column("how to read it"))
    parts: list[Part] = [Heading("What is lost")]
    if rows and release.original.weights is not None:
        parts.append(Text("These measures count records, without weights.", "soft"))
    parts.append(Table(head, rows, "figures") if rows else Text("No loss was measured."))
    given_up = tuple(f"Given up: {lost}" for lost in release.lost)
    return [*parts, Items(given_up, style="broken")] if given_up else parts


def _known_limits(release: Release, open_points: Sequence[str]) -> list[str]:
    exposed = [
        f"Exposed to one who {statement.intruder}: {statement.text}."
        for statement in release.guarantee.statements
        if not statement.protects
    ]
    return [*exposed, *open_points, _NO_PROOF]  # doubts stand at the top, in the decision


def signature_parts(signers: Sequence[str]) -> list[Part]:
    """A name and lines for each signer; lines without names where nobody was stated."""
    labels = ("decision: release, or do not release", "place and date", "signature")
    names = signers or (f"name and function: {NOT_STATED}",) * 2
    return [Heading("Signatures"), Text(_ANSWER), *(Lines(labels, name) for name in names)]
