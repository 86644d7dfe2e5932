"""The files of a package whose data are in parts: those that are given away, the audit, and those that stay inside."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

from microveil.certify.certificate import CERTIFICATE, files_in, write_certificate
from microveil.certify.statement import INTERNAL, Statement
from microveil.core.errors import BrokenPromise
from microveil.core.measured import Measured
from microveil.core.open_types import Json
from microveil.engines import FileRelease
from microveil.engines.pair_of_files import PairOfFiles
from microveil.io import sha256_of, write_text
from microveil.package.audit_parts import audit_parts, faults_of
from microveil.package.choosing import plan_in_words
from microveil.package.codebook_text import codebook_text
from microveil.package.contents import STATES
from microveil.package.ddi import codebook_xml
from microveil.package.earlier import EarlierRelease
from microveil.package.findings import Finding
from microveil.package.known import Known
from microveil.package.names import (
    AUDIT,
    CODEBOOK,
    DATA,
    INSIDE,
    LOG,
    MANIFEST,
    PACKAGE,
    PROJECT,
    REPORT,
    SIGN_OFF,
    STAGES_FILE,
    SUMMARY,
)
from microveil.package.software import installed, versions
from microveil.package.stages import StageLog
from microveil.package.variables import Variable
from microveil.package.variables_of_files import variables_of_files
from microveil.plan.evaluation import Evaluation
from microveil.plan.judged_files import VerdictOfFiles
from microveil.plan.log import private_log, save_log
from microveil.plan.plan import Plan
from microveil.plan.project import Project
from microveil.plan.release_plan import ReleasePlan
from microveil.report.external import kept_exactly, public_steps
from microveil.report.of_files import (
    FilesContent,
    external_report_of_files,
    internal_report_of_files,
    sign_off_of_files,
)
from microveil.report.writing_reports import write_parts


@dataclass(frozen=True)
class FilesJob:
    """A release with all that was found out and stated about it."""

    release: FileRelease
    figures: Evaluation
    verdict: VerdictOfFiles
    project: Project
    asked: ReleasePlan
    date: str
    tell_settings: bool
    hashes: dict[str, str]
    earlier: tuple[EarlierRelease, ...] = ()  # of the same data
    decided: tuple[str, ...] = ()  # what else whoever signs must have read

    @property
    def files(self) -> PairOfFiles:
        """The source beside the release."""
        return self.release.in_blocks()


def _content(job: FilesJob, hashes: Sequence[tuple[str, str]] = ()) -> FilesContent:
    return FilesContent(
        job.release, job.figures, job.verdict, job.asked.title, job.date, job.tell_settings, tuple(hashes)
    )


def write_public(job: FilesJob, folder: Path) -> None:
    """Codebook, external report, and the certificate of all of them and every file of data."""
    release = job.release
    variables: tuple[Variable, ...] = variables_of_files(release, job.files)
    names = [f"{DATA}/{part.name}" for part in release.parts]
    # one description of all parts together: each holds some of the records
    whole = [f"{DATA}/part-*.parquet"]
    book = codebook_xml(job.asked.title, whole, len(release), variables, date=job.date, version=version("microveil"))
    write_text(folder / f"{CODEBOOK}.xml", book.decode())
    write_text(
        folder / f"{CODEBOOK}.txt", codebook_text(job.asked.title, names, len(release), variables, date=job.date)
    )
    report = external_report_of_files(_content(job), [(one.name, one.kind) for one in variables])
    write_parts(folder / f"{REPORT}.html", report)
    said: Json = {
        "title": job.asked.title,
        "kind": job.asked.kind,
        "date": job.date,
        "records": len(release),
        "columns": [one.name for one in variables],
        "methods": [
            {name: value for name, value in step.items() if value and name != "what"}
            for step in public_steps(release, job.tell_settings)
        ],
        "kept": kept_exactly(release, job.tell_settings),
        "limits": STATES[job.verdict.state],
        "software": versions(),
    }
    said |= {"review": job.asked.review} if job.asked.review else {}
    write_certificate(folder, Statement.of_files(folder, files_in(folder), said))


def audited(job: FilesJob, folder: Path) -> list[Finding]:
    """The audit of what was written; a fault ends it all."""
    log = private_log(job.release)
    known = replace(
        Known(),
        roles={str(name): role for name, role in job.release.original.roles.items()},
        scenarios=job.project.scenarios,
        steps=tuple(record.step for record in job.release.steps),
        perturbed=frozenset(job.release.perturbed),
        log=log,
    )
    findings = audit_parts(folder, known, trusted=False)
    faults = faults_of(findings)
    if faults:
        raise BrokenPromise(f"the audit of the written files finds: {' '.join(faults)} Nothing was written")
    return findings


def write_internal(job: FilesJob, new: Path, findings: Sequence[Finding], stages: StageLog) -> None:
    """Full report, log, project, audit, what came in, and the certificate of all of it."""
    folder, release = new / INSIDE, job.release
    package = {name: sha256_of(new / PACKAGE / name) for name in files_in(new / PACKAGE)}
    write_parts(folder / f"{REPORT}.html", internal_report_of_files(_content(job, list(package.items()))))
    first = sorted(package.items(), key=lambda one: one[0] != CERTIFICATE)
    open_points = [*job.decided, *(str(one) for one in findings if one.state in ("note", "not checked"))]
    earlier = [one.told for one in job.earlier]
    signed = sign_off_of_files(_content(job, first), job.asked, list(job.hashes), open_points, earlier)
    write_parts(folder / f"{SIGN_OFF}.html", signed)
    save_log(release, folder / LOG, job.project.scenarios)
    write_text(folder / AUDIT, "".join(f"{one}\n" for one in findings))
    write_text(folder / PROJECT, job.project.written or job.project.to_text())
    manifest: Json = {
        "files": job.hashes,
        "fingerprint": release.source.mark,
        "records": release.source.n,
        "columns": [
            {"name": name, "role": column.role, "kind": column.kind} for name, column in release.original.schema.items()
        ],
    }
    write_text(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False, default=str) + "\n")
    write_text(folder / SUMMARY, _summary(job))
    write_text(folder / STAGES_FILE, stages.to_text())
    plan = Plan([record.step for record in release.steps]).to_text()
    said: Json = {
        "date": job.date,
        "review": job.asked.review,
        "release": asdict(job.asked),
        "input": {
            "sha256": next(iter(job.hashes.values())) if len(job.hashes) == 1 else "",
            "files": job.hashes,
            "fingerprint": release.source.mark,
            "records": release.source.n,
        },
        "plan": {"text": plan, "sha256": hashlib.sha256(plan.encode()).hexdigest()},
        "key": {"sha256": hashlib.sha256(release.key.hex.encode()).hexdigest(), "strong": release.key.strong},
        "promises": [{"text": str(one), "columns": list(map(str, one.claim.columns))} for one in release.promises],
        "unchecked": list(map(str, release.unchecked)),
        "given_up": list(release.lost),
        "scenarios": [scenario.to_spec() for scenario in job.project.scenarios],
        "verdict": {"state": job.verdict.state, **job.verdict.to_json()},
        "package": {name: digest for name, digest in package.items() if name != CERTIFICATE},
        "statement": package[CERTIFICATE],
        "software": versions(),
        "installed": installed(),
    }
    write_certificate(folder, Statement.of_files(folder, files_in(folder), said, INTERNAL))


def _summary(job: FilesJob) -> str:
    """What later runs are compared by: the release as asked for, plan, verdict and loss."""
    plan = Plan([record.step for record in job.release.steps])
    loss = next((line.result for line in job.figures.lines if line.measure.name == "pil"), None)
    said = {
        "title": job.asked.title,
        "kind": job.asked.kind,
        "review": job.asked.review,
        "formats": ["parquet"],
        "signers": list(job.asked.signers),
        "plan": list(plan_in_words(plan)),
        "plan_from": "stated in the project",
        "verdict": job.verdict.to_json()
        | {"state": job.verdict.state, "loss": loss.value if isinstance(loss, Measured) else None},
        "utility": [],
    }
    return json.dumps(said, indent=1, ensure_ascii=False, default=str) + "\n"
