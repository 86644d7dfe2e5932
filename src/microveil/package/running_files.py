"""`run_project_in_blocks`: from a project file to a package of any size, or to nothing.

What is stated and cannot be judged on files in blocks is refused before a record is read.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from microveil.claims import EditHolds
from microveil.core.errors import BadInput, BrokenPromise, FileProblem, OverLimit
from microveil.core.open_types import Json
from microveil.core.stages import Stage, remove_left_behind
from microveil.core.streams import Key
from microveil.core.words import list_all
from microveil.engines import BlockEngine, FileRelease, Scan, SparkEngine, scan
from microveil.engines.files import named_files
from microveil.io import sha256_of
from microveil.io.formats import format_of
from microveil.io.formats.csv import CSV
from microveil.package.earlier import not_combined
from microveil.package.findings import Finding
from microveil.package.judging import refuse_keys, refuse_lost
from microveil.package.measured_changes import judged_keys
from microveil.package.names import (
    DATA,
    INSIDE,
    PACKAGE,
)
from microveil.package.numbering import RUNS, next_run
from microveil.package.run_register import tell_no_register
from microveil.package.running import earlier_of, meant_by
from microveil.package.stages import Show, StageLog
from microveil.package.writing import Package, make_folders
from microveil.package.writing_files import FilesJob, audited, write_internal, write_public
from microveil.plan.evaluating import evaluate
from microveil.plan.evaluation import Evaluation, Measures
from microveil.plan.judged_files import VerdictOfFiles, verdict_of_files
from microveil.plan.log import refuse_used_key_of
from microveil.plan.plan import Plan
from microveil.plan.project import Project
from microveil.plan.release_plan import ReleasePlan, check_review

_NOTHING = "Nothing was written"


@dataclass(frozen=True)
class FilesRun:
    """A finished run on files in blocks: its package, the release in it, and the verdict."""

    package: Package
    release: FileRelease
    verdict: VerdictOfFiles
    evaluation: Evaluation
    findings: tuple[Finding, ...]


def run_project_in_blocks(
    project: str | Path,
    engine: BlockEngine | SparkEngine,
    *,
    into: str | Path | None = None,
    title: str | None = None,
    review: str | None = None,
    date: str | None = None,
    tell_settings: bool = False,
    accept_lost: bool = False,
    measures: Measures = None,
    seed: int | str | bytes | Key | None = None,
    reproducible: bool = False,
    progress: Show | None = None,
) -> FilesRun:
    """Carry a project on files of any size to a package: scan, protect, measure, judge, write and audit.

    The package holds the records as Parquet files in `data`, codebook, report and certificate; `internal` the full
    report, the private log, the audit, the project and a certificate. A limit that is not kept, or that blocks cannot
    show to be kept, ends the run, and so does whatever else the project asks for and blocks cannot judge.
    """
    place = Path(project)
    stated = Project.load(place)
    given: Json = {"title": title, "review": review}
    asked = replace(stated.release, **{name: value for name, value in given.items() if value is not None})
    day = date or datetime.now().astimezone().date().isoformat()
    with stated.telling_lines() if review is None else nullcontext():
        check_review(asked, day)
    plan = _refuse_unjudged(stated, asked, place.name)
    earlier = earlier_of(asked, place.parent)
    stages = StageLog(progress or (lambda *_: None))
    with next_run(Path(into) if into is not None else place.parent / RUNS) as target, engine.working():
        stages.begin("intake")
        source = _scanned(stated, place.parent, engine, target.parent)
        hashes = _hashes(source)
        remove_left_behind(target.parent)
        hidden = Stage(target)
        try:
            make_folders(hidden.new)
            stages.begin("protecting")
            release = plan.run(
                source,
                engine=engine,
                into=hidden.new / PACKAGE / DATA,
                seed=seed,
                reproducible=reproducible,
            )
            for other in sorted(target.parent.glob(f"*/{INSIDE}")):
                refuse_used_key_of(release, other)
            refuse_lost(release, accept_lost)
            _refuse_broken_rules(release)
            _refuse_keys(release, stated, asked)
            figures, verdict = _judged(release, stated, measures, stages)
            if hashes != _hashes(source):
                raise FileProblem(f"files of the source were changed during the run. {_NOTHING}: run it again")
            same = tuple(one for one in earlier if one.source == source.mark)
            meant = (*meant_by(asked), *tell_no_register(stated, place.parent))
            job = FilesJob(release, figures, verdict, stated, asked, day, tell_settings, hashes, same, meant)
            stages.begin("writing")
            write_public(job, hidden.new / PACKAGE)
            stages.begin("auditing")
            findings = [*audited(job, hidden.new / PACKAGE), *not_combined(same)]
            stages.begin("reports and package")
            write_internal(job, hidden.new, findings, stages)
            hidden.move()
        finally:
            hidden.remove()
    names = tuple(f"{DATA}/{part.name}" for part in release.parts)
    made = release.moved_to(target / PACKAGE / DATA)
    return FilesRun(Package(target, names), made, verdict, figures, tuple(findings))


def _refuse_unjudged(project: Project, asked: ReleasePlan, name: str) -> Plan:
    """The plan of a project that asks for nothing that blocks cannot judge."""
    if project.plan is None:
        raise BadInput(f"{name} has no plan, and a search looks at all records in memory; state a plan under plan")
    odd = {
        "utility": bool(project.utility),
        "search": any(project.search.get(what) for what in ("at_most", "require")),
        "release: published": bool(asked.published),
        "release: earlier": bool(asked.earlier),
    }
    stated = [what for what, there in odd.items() if there]
    if stated:
        raise BadInput(
            f"{name} states {list_all(stated)}, which is judged with all records in memory; take it out for files in "
            "blocks, or run the project in memory"
        )
    if asked.formats not in (("csv",), ("parquet",)):
        raise BadInput(
            f"files in blocks are written as Parquet; {list_all(asked.formats)} cannot be; say formats: [parquet]"
        )
    return project.plan


def _judged(
    release: FileRelease, project: Project, measures: Measures, stages: StageLog
) -> tuple[Evaluation, VerdictOfFiles]:
    """Figures and verdict; a limit that is not kept, or not shown to be, ends the run."""
    stages.begin("attacks and utility after")
    figures = evaluate(release, measures=measures, scenarios=project.scenarios)
    stages.begin("judging")
    verdict = verdict_of_files(release, project.scenarios, figures)
    if verdict.ok is False:
        told = f"To think about (not measured): {'; '.join(verdict.help)}." if verdict.help else ""
        raise OverLimit(f"{' '.join(verdict.because)} {_NOTHING}", tuple(filter(None, [told])))
    return figures, verdict


def _refuse_broken_rules(release: FileRelease) -> None:
    """A rule about columns that were changed holds in every record, or the run ends."""
    touched = [edit for edit in release.original.edits if set(edit.columns).intersection(release.changed)]
    broken = [str(edit) for edit in touched if EditHolds.of(edit) not in release.claims]
    if broken:
        raise BrokenPromise(
            f"rules of the data are not shown to hold in every released record: {'; '.join(broken)}; use methods that "
            f"keep rules, or take out those that only happened to hold. {_NOTHING}"
        )


def _refuse_keys(release: FileRelease, project: Project, asked: ReleasePlan) -> None:
    known = judged_keys(release.claims, project.scenarios)
    left = [name for name, role in release.original.roles.items() if role == "key" and name not in release.changed]
    refuse_keys([name for name in left if name not in known and name not in asked.as_they_are])


def _hashes(source: Scan) -> dict[str, str]:
    """The files that the project names, by their names, or by their paths if folders hold files of one name."""
    named = source.files.named
    alike = len({path.name for path in named}) < len(named)
    return {path.as_posix() if alike else path.name: sha256_of(path) for path in named}


def _scanned(project: Project, folder: Path, engine: BlockEngine | SparkEngine, runs: Path) -> Scan:
    path = folder / project.path
    if path.is_file() and not project.is_about(path):
        raise BadInput(
            f"{path.name} is not the file the project was made for: its hash differs; inspect it again, or take "
            "the hash out of the project"
        )
    facts = replace(project, folder=folder).facts
    unknown = [what for what in ("titles", "labels", "sheet") if facts.pop(what, None)]
    if unknown:
        raise BadInput(f"the project states {list_all(unknown)}, which files in blocks do not have; take it out")
    if format_of(named_files(path)[0]).name == CSV.name:
        # what the files are converted to lies beside the runs until the end
        facts["folder"] = runs
    with project.telling_lines():
        source = scan(path, **facts, engine=engine)
        project.check_names(source.columns)
    return source
