"""`write_package`: a folder with everything that is given away, another with everything that stays; both or neither."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
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
from microveil.package.contents import internal_predicate, public_predicate
from microveil.package.ddi import codebook_xml
from microveil.package.known import Known
from microveil.package.variables import released_columns, variables_of
from microveil.plan.evaluation import Evaluation, evaluate
from microveil.plan.log import refuse_used_key_of, save_log
from microveil.plan.project import Project
from microveil.plan.verdict import Verdict, verdict_of
from microveil.report.external import render_external
from microveil.report.identity import NamedFile
from microveil.report.page import write_report
from microveil.run.release import Release

PACKAGE, INSIDE = "package", "internal"
DATA = "data"  # what files of data are called: never as the source was
REPORT, CODEBOOK, LOG, PROJECT, AUDIT = "report.html", "codebook", "log.json", "project.yaml", "audit.txt"
TITLE = "Protected microdata"


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
    title: str = TITLE,
    review: str = "",
    date: str | None = None,
    titles: bool = False,
    tell_settings: bool = False,
    reproducible: bool = False,
) -> Package:
    """Write a release with codebook, external report and certificate, and apart from them all that stays inside.

    `folder` must not be there yet: it gets a folder `package` to give away, with the data in all `formats` (csv,
    parquet, feather, spss, stata, xlsx), and a folder `internal` with the full report, the private log with the key,
    the project, and a certificate with the hash of the input. Both appear at once when everything is complete, or
    nothing does. A release that does not keep the limits of its `scenarios` (those of the project unless stated) is
    refused, and so is one in whose files an audit finds a fault.

    `review` is the date by which the decision is looked at again; `date` that of the release (today). `titles=True`
    tells the variable labels of the source, `tell_settings=True` what every method was set to: read both before.
    `reproducible=True` is for tests, as in `mv.write`. `evaluation` is measured unless it is given.
    """
    place, day = Path(folder), date or datetime.now().astimezone().date().isoformat()
    check_place(place)
    endings = _endings(formats)
    stated = tuple(scenarios) or (project.scenarios if project is not None else ())
    figures = evaluation or evaluate(release.original, release, scenarios=stated)
    verdict = verdict_of(release, stated, figures)
    if verdict.ok is False:
        raise OverLimit(f"{' '.join(verdict.because)} What would help: {'; '.join(verdict.help)}. Nothing was written")
    for other in sorted(place.parent.glob(f"*/{INSIDE}")):
        refuse_used_key_of(release, other)
    about = _About(title, day, review, titles, tell_settings)
    job = _Job(release, figures, verdict, stated, project, about)
    remove_left_behind(place.parent)
    stage = Stage(place)
    try:
        with holding(stage.new) as held:  # until `_move` a killed run leaves no data and no key here
            _make_folders(stage.new)
            data = _write_data(release, stage.new / PACKAGE, endings, titles, reproducible)
            _write_public(job, stage.new / PACKAGE, data)
            audited = _audit(job, stage.new / PACKAGE)
            _write_internal(job, stage.new, data, audited)
            _move(stage, held)
    finally:
        stage.remove()
    return Package(place, data)


@dataclass(frozen=True)
class _About:
    """What the caller says of the package as a whole."""

    title: str
    date: str
    review: str
    titles: bool
    tell_settings: bool


@dataclass(frozen=True)
class _Job:
    """A release with all that was found out and stated about it."""

    release: Release
    figures: Evaluation
    verdict: Verdict
    scenarios: tuple[Scenario, ...]
    project: Project | None
    about: _About


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


def _make_folders(new: Path) -> None:
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
    page = render_external(
        release,
        data,
        [(one.name, one.title, one.kind) for one in variables],
        title=about.title,
        date=about.date,
        evaluation=job.figures,
        tell_settings=about.tell_settings,
    )
    write_text(folder / REPORT, page)
    said = public_predicate(
        release,
        [one.name for one in variables],
        job.verdict,
        title=about.title,
        date=about.date,
        review=about.review,
        tell_settings=about.tell_settings,
    )
    write_certificate(folder, Statement.of_files(folder, files_in(folder), said))


def _audit(job: _Job, folder: Path) -> Audit:
    """The audit of what was written, by those who know everything; a fault ends it all."""
    found = Audit(tuple(audit_contents(folder, Known.of_release(job.release, job.scenarios))))
    if not found.ok:
        faults = " ".join(one.text for one in found.broken)
        raise BrokenPromise(f"the audit of the written files finds: {faults} Nothing was written")
    return found


def _write_internal(job: _Job, new: Path, data: tuple[str, ...], audited: Audit) -> None:
    """Full report, log, project, audit, and the certificate with the hash of the input."""
    folder, release, about = new / INSIDE, job.release, job.about
    files = [NamedFile.of("protected", new / PACKAGE / name) for name in data]
    pair = Pair.of(release.original, release)
    write_report(
        folder / REPORT, pair, job.figures, release=release, verdict=job.verdict, files=files, title=about.title
    )
    save_log(release, folder / LOG, job.scenarios)
    write_text(folder / AUDIT, f"{audited}\n")
    if job.project is not None:
        write_text(folder / PROJECT, job.project.written or job.project.to_text())  # as somebody wrote it
    package = {name: sha256_of(new / PACKAGE / name) for name in files_in(new / PACKAGE) if name != CERTIFICATE}
    said = internal_predicate(release, job.verdict, package, date=about.date, review=about.review)
    write_certificate(folder, Statement.of_files(folder, files_in(folder), said, INTERNAL))


def _move(stage: Stage, held: Held) -> None:
    """Give all files their names, and the folder its place."""
    try:
        held.name()
        stage.move()
    except OSError as problem:
        raise FileProblem(f"{str(stage.place)!r} cannot be written: {problem.strerror}; nothing was written") from None
