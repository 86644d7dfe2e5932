"""`write_package`: a folder with everything that is given away, another with everything that stays; both or neither."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from microveil.certify.certificate import CERTIFICATE, files_in, write_certificate
from microveil.certify.statement import INTERNAL, Statement
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, OverLimit
from microveil.core.parameters import suggest
from microveil.core.stages import Stage, remove_left_behind
from microveil.io import sha256_of, write, write_text
from microveil.io.formats import known_formats
from microveil.io.holding import Held, holding
from microveil.measure import Pair, Scenario
from microveil.package.auditing import Audit, audit_contents
from microveil.package.codebook_text import codebook_text
from microveil.package.contents import hash_of_source, internal_predicate, public_predicate
from microveil.package.ddi import codebook_xml
from microveil.package.findings import open_points
from microveil.package.known import Known
from microveil.package.names import AUDIT, CODEBOOK, DATA, INSIDE, LOG, PACKAGE, PROJECT, REPORT, SIGN_OFF
from microveil.package.published_figures import TO_DO, faults_among
from microveil.package.variables import released_columns, variables_of
from microveil.plan.evaluating import evaluate
from microveil.plan.evaluation import Evaluation
from microveil.plan.log import refuse_used_key_of, save_log
from microveil.plan.project import Project
from microveil.plan.published_totals import Stands, compare_published
from microveil.plan.release_plan import ReleasePlan, check_review
from microveil.plan.utility_reached import Reached
from microveil.plan.verdict import Verdict, verdict_of
from microveil.report.external import ExternalContent, external_report
from microveil.report.identity import NamedFile
from microveil.report.page import InternalContent, internal_report
from microveil.report.parts import Report
from microveil.report.sign_off import Signed, sign_off_report
from microveil.report.typesetting import check_pdf
from microveil.report.writing_reports import write_parts
from microveil.run.release import Release

TITLE = ReleasePlan.title
_TYPESETTER = "typst"


@dataclass(frozen=True)
class Package:
    """Where a package is: what is given away (`public`), what stays (`internal`), and the names of the data files."""

    folder: Path
    data: tuple[str, ...]

    @property
    def public(self) -> Path:
        """The folder to give away."""
        return self.folder / PACKAGE

    @property
    def internal(self) -> Path:
        """The folder that stays: it holds the key and figures of risk."""
        return self.folder / INSIDE


def write_package(
    release: Release,
    folder: str | os.PathLike[str],
    formats: Sequence[str] = ("csv",),
    *,
    project: Project | None = None,
    scenarios: Sequence[Scenario] = (),
    evaluation: Evaluation | None = None,
    verdict: Verdict | None = None,
    inside: Callable[[], Mapping[str, str]] | None = None,
    stage: Callable[[str], None] | None = None,
    reached: Sequence[Reached] = (),
    earlier: Sequence[str] = (),
    together: Sequence[str] = (),
    decided: Sequence[str] = (),
    stated: ReleasePlan | None = None,
    title: str | None = None,
    review: str | None = None,
    date: str | None = None,
    pdf: bool = False,
    titles: bool = False,
    tell_settings: bool = False,
    reproducible: bool = False,
) -> Package:
    """Write a release with codebook, external report and certificate, and apart from them all that stays inside.

    `folder` must not be there yet: it gets a folder `package` to give away, with the data in all `formats` (csv,
    parquet, feather, spss, stata, xlsx), and a folder `internal` with the full report, a page to sign, the private log
    with the key, the project, and a certificate with the hash of the input. Both appear at once when everything is
    complete, or nothing does. A release that does not keep the limits of its `scenarios` (those of the project unless
    stated) is refused, and so is one in whose files an audit finds a fault.

    `stated` says what the page to sign repeats: kind of release, need, signers, date of review (what the project states
    unless it is given); `title` and `review`, the date by which the decision is looked at again, replace what it says.
    `date` is that of the release (today). `pdf=True` writes all reports as PDF too (extra `pdf`): that is never left to
    what happens to be installed. `titles=True` tells the variable labels of the source, `tell_settings=True` what every
    method was set to: read both before. `reproducible=True` is for tests, as in `mv.write`. `evaluation` and `verdict`
    are measured unless they are given. `inside` is asked for further texts of the internal folder when all else in it
    is written; `stage` is told what is being done; `reached` are figures that must survive, for both reports and the
    page to sign; `earlier` names releases of the same data, `together` says what this one tells beside them, and
    `decided` what else whoever signs must have read.
    """
    place, day = Path(folder), date or datetime.now().astimezone().date().isoformat()
    check_place(place)
    if pdf:
        check_pdf()
    endings = _endings(formats)
    judged_by = tuple(scenarios) or (project.scenarios if project is not None else ())
    figures = evaluation or evaluate(release.original, release, scenarios=judged_by)
    judged = verdict or verdict_of(release, judged_by, figures)
    if judged.ok is False:
        raise OverLimit(f"{' '.join(judged.because)} To think about: {'; '.join(judged.help)}. Nothing was written")
    for other in sorted(place.parent.glob(f"*/{INSIDE}")):
        refuse_used_key_of(release, other)
    plan = stated or (project.release if project is not None else ReleasePlan())
    plan = replace(plan, title=plan.title if title is None else title, review=plan.review if review is None else review)
    check_review(plan, day)
    about = _About(plan, day, titles, tell_settings, pdf)
    stands = compare_published(Pair.of(release.original, release), plan.published)
    beside = _Beside(tuple(reached), stands, tuple(earlier), tuple(together), tuple(decided))
    job = _Job(release, figures, judged, judged_by, project, about, inside or dict, beside)
    tell = stage or (lambda _: None)
    remove_left_behind(place.parent)
    hidden = Stage(place)
    try:
        with holding(hidden.new) as held:  # until `_move` a killed run leaves no data and no key here
            tell("writing")
            make_folders(hidden.new)
            data = _write_data(release, hidden.new / PACKAGE, endings, titles, reproducible)
            _write_public(job, hidden.new / PACKAGE, data)
            tell("auditing")
            audited = _audit(job, hidden.new / PACKAGE)
            tell("reports and package")
            _write_internal(job, hidden.new, data, audited)
            _move(hidden, held)
    finally:
        hidden.remove()
    return Package(place, data)


@dataclass(frozen=True)
class _About:
    """What the caller says of the package as a whole."""

    stated: ReleasePlan
    date: str
    titles: bool
    tell_settings: bool
    pdf: bool

    @property
    def title(self) -> str:
        """What the release is called."""
        return self.stated.title

    @property
    def used(self) -> tuple[str, ...]:
        """The extras that were used."""
        return (_TYPESETTER,) if self.pdf else ()


@dataclass(frozen=True)
class _Beside:
    """What whoever signs must have read: figures that survive or were published, earlier releases, decisions."""

    reached: tuple[Reached, ...]
    published: tuple[Stands, ...]
    earlier: tuple[str, ...]
    together: tuple[str, ...]
    decided: tuple[str, ...]


@dataclass(frozen=True)
class _Job:
    """A release with all that was found out and stated about it."""

    release: Release
    figures: Evaluation
    verdict: Verdict
    scenarios: tuple[Scenario, ...]
    project: Project | None
    about: _About
    inside: Callable[[], Mapping[str, str]]
    beside: _Beside


def check_place(place: Path) -> None:
    """Refuse a folder that is there already, or that cannot be made."""
    if os.path.lexists(place):
        raise FileProblem(f"{str(place)!r} is there already, and a package is never changed; name a new folder")
    if not place.parent.is_dir():
        raise FileProblem(f"there is no folder {str(place.parent)!r} to write to; make it first")


def _endings(formats: Sequence[str]) -> list[str]:
    """The first ending of each format, by its name or any of its endings."""
    known = {kind.name: kind for kind in known_formats().values() if kind.writable}
    found = []
    for given in [formats] if isinstance(formats, str) else formats:
        by_ending = next((kind for kind in known.values() if f".{given.lstrip('.')}" in kind.endings), None)
        kind = known.get(given) or by_ending
        if kind is None:
            raise BadInput(f"there is no format {given!r} that can be written{suggest(given, known)}")
        found.append(f".{given.lstrip('.')}" if by_ending is not None else kind.endings[0])
    if not found or len(set(found)) < len(found):
        raise BadInput(f"formats are {list(formats)!r}; name at least one, and each once")
    return found


def make_folders(new: Path) -> None:
    """Make the folders of a package, the inner one for its owner alone."""
    try:
        new.mkdir()
        (new / PACKAGE).mkdir()
        (new / INSIDE).mkdir(mode=0o700)
    except OSError as problem:
        raise FileProblem(f"{str(new)!r} cannot be made: {problem.strerror}; nothing was written") from None


def _write_data(
    release: Release, folder: Path, endings: Sequence[str], titles: bool, reproducible: bool
) -> tuple[str, ...]:
    for ending in endings:
        write(release, folder / f"{DATA}{ending}", titles=titles, reproducible=reproducible)
    return tuple(f"{DATA}{ending}" for ending in endings)


def _write_public(job: _Job, folder: Path, data: tuple[str, ...]) -> None:
    """Codebook, external report, and the certificate of all of them."""
    release, about = job.release, job.about
    variables = variables_of(release, released_columns(release, about.titles))
    made_by = version("microveil")
    book = codebook_xml(about.title, data, len(release), variables, date=about.date, version=made_by)
    write_text(folder / f"{CODEBOOK}.xml", book.decode())
    text = codebook_text(about.title, data, len(release), variables, date=about.date)
    write_text(folder / f"{CODEBOOK}.txt", text)
    content = ExternalContent(
        release,
        data,
        [(one.name, one.title, one.kind) for one in variables],
        title=about.title,
        date=about.date,
        evaluation=job.figures,
        tell_settings=about.tell_settings,
        reached=job.beside.reached,
    )
    _write_report(external_report(content), folder / REPORT, about.pdf)
    said = public_predicate(
        release,
        [one.name for one in variables],
        job.verdict,
        stated=about.stated,
        date=about.date,
        tell_settings=about.tell_settings,
        used=about.used,
    )
    write_certificate(folder, Statement.of_files(folder, files_in(folder), said))


def _audit(job: _Job, folder: Path) -> Audit:
    """The audit of what was written, by those who know everything; a fault ends it all."""
    known = Known.of_release(job.release, job.scenarios, job.about.stated.published)
    found = Audit(tuple(audit_contents(folder, known)))
    if not found.ok:
        faults = " ".join(one.text for one in found.broken)
        raise BrokenPromise(f"the audit of the written files finds: {faults} Nothing was written")
    uncompared = faults_among(found.findings)
    if uncompared:  # a figure that nobody could compare is not known to stand
        raise BrokenPromise(f"{' '.join(uncompared)} To release, {TO_DO}. Nothing was written")
    return found


def _write_internal(job: _Job, new: Path, data: tuple[str, ...], audited: Audit) -> None:
    """Full report, the page to sign, log, project, audit, and the certificate with the hash of the input."""
    folder, release, about = new / INSIDE, job.release, job.about
    files = [NamedFile.of("protected", new / PACKAGE / name) for name in data]
    pair = Pair.of(release.original, release)
    content = InternalContent(
        pair,
        job.figures,
        release=release,
        verdict=job.verdict,
        files=files,
        title=about.title,
        date=about.date,
        reached=job.beside.reached,
        published=job.beside.published,
    )
    _write_report(internal_report(content), folder / REPORT, about.pdf)
    save_log(release, folder / LOG, job.scenarios)
    write_text(folder / AUDIT, f"{audited}\n")
    if job.project is not None:
        write_text(folder / PROJECT, job.project.written or job.project.to_text())  # as somebody wrote it
    for name, text in job.inside().items():
        write_text(folder / name, text)
    package = {name: sha256_of(new / PACKAGE / name) for name in files_in(new / PACKAGE) if name != CERTIFICATE}
    _write_report(_sign_off(job, new, package, audited), folder / SIGN_OFF, about.pdf)
    said = internal_predicate(
        release,
        job.verdict,
        package,
        sha256_of(new / PACKAGE / CERTIFICATE),
        stated=about.stated,
        date=about.date,
        scenarios=job.scenarios,
        used=about.used,
    )
    write_certificate(folder, Statement.of_files(folder, files_in(folder), said, INTERNAL))


def _sign_off(job: _Job, new: Path, package: dict[str, str], audited: Audit) -> Report:
    """The page to sign: it names the certificate of the package, and every file in it."""
    book = job.release.original.codebook
    source = book.source if book is not None else None
    return sign_off_report(
        job.release,
        job.verdict,
        job.about.stated,
        date=job.about.date,
        source=Signed(source.name if source is not None else "", hash_of_source(source)),
        certificate=Signed(CERTIFICATE, sha256_of(new / PACKAGE / CERTIFICATE)),
        files=[Signed(name, digest) for name, digest in package.items()],
        scenarios=job.scenarios,
        evaluation=job.figures,
        reached=job.beside.reached,
        published=job.beside.published,
        earlier=job.beside.earlier,
        together=job.beside.together,
        open_points=[*job.beside.decided, *open_points(audited.findings)],
    )


def _write_report(report: Report, place: Path, pdf: bool) -> None:
    """A report as a page, and as PDF where that was asked for."""
    write_parts(place.with_suffix(".html"), report)
    if pdf:
        write_parts(place.with_suffix(".pdf"), report)


def _move(stage: Stage, held: Held) -> None:
    """Give all files their names, and the folder its place."""
    try:
        held.name()
        stage.move()
    except OSError as problem:
        raise FileProblem(f"{str(stage.place)!r} cannot be written: {problem.strerror}; nothing was written") from None
