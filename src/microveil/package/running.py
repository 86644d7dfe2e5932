"""`run_project`: from a project file to a package, or to nothing."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from microveil.core.errors import BrokenPromise, FileProblem, NothingHidden
from microveil.core.open_types import Json
from microveil.core.streams import Key
from microveil.core.words import list_all
from microveil.data.microdata import Microdata
from microveil.detect import refuse_unstated
from microveil.io import sha256_of
from microveil.io.first_bytes import check_there
from microveil.measure import Pair
from microveil.package.choosing import Chosen, choose_plan, plan_in_words, refuse_no_plan
from microveil.package.earlier import EarlierRelease, compare_with_earlier, earlier_releases
from microveil.package.findings import Finding
from microveil.package.intake import baseline_of, manifest_of
from microveil.package.judging import (
    refuse_broken_goals,
    refuse_broken_rules,
    refuse_broken_totals,
    refuse_lost,
    refuse_over_limit,
    refuse_over_search,
    refuse_unjudged_keys,
)
from microveil.package.measured_changes import Asked
from microveil.package.names import BEFORE, MANIFEST, STAGES_FILE, SUMMARY
from microveil.package.numbering import RUNS, next_run
from microveil.package.published_figures import refuse_wrong_totals
from microveil.package.register import head_of, read_register
from microveil.package.run_register import tell_no_register
from microveil.package.stages import Show, StageLog
from microveil.package.writing import Package, write_package
from microveil.plan.evaluating import evaluate
from microveil.plan.evaluation import Measures
from microveil.plan.project import Project
from microveil.plan.proposed_missing import tell_unstated_codes
from microveil.plan.published_totals import compare_published
from microveil.plan.release_plan import ReleasePlan, check_review
from microveil.plan.utility_figures import check_goals
from microveil.plan.utility_reached import Reached, reach_goals
from microveil.plan.verdict import Verdict, verdict_of
from microveil.report.typesetting import check_pdf
from microveil.run.release import Release
from microveil.study import Held, SearchLimits

_MOST_FAULTS = 3  # of a register that are named


@dataclass(frozen=True)
class Run:
    """A finished run: its package, the release in it, the verdict, and the figures that survived.

    `told` says what else there is to know: a plan that was searched for, what somebody
    finds who combines it with earlier releases of the source, how published figures stand.
    """

    package: Package
    release: Release
    verdict: Verdict
    reached: tuple[Reached, ...] = ()
    told: tuple[str, ...] = ()


def run_project(
    project: str | Path,
    *,
    into: str | Path | None = None,
    formats: Sequence[str] | None = None,
    title: str | None = None,
    review: str | None = None,
    date: str | None = None,
    pdf: bool = False,
    titles: bool = False,
    tell_settings: bool = False,
    accept_lost: bool = False,
    measures: Measures = None,
    seed: int | str | bytes | Key | None = None,
    reproducible: bool = False,
    advice: bool = True,
    progress: Show | None = None,
) -> Run:
    """Carry a project to a package: read, protect, measure, judge, write and audit; the first thing that fails ends it.

    The package is the next number (0001, 0002, ...) in the folder `into` (`runs` beside the project). `formats`,
    `title` and `review` are those of the release section unless they are given; `pdf=True` writes the reports as PDF
    too. A project without a plan and with a search section is searched first. Nothing is written if the data are not
    those of the project, a promise breaks or is given up, a key that no step changes and no scenario knows is not among
    `as_they_are` of the release section, a rule or a figure that must survive does not hold, a limit
    is not kept, or the audit of the written files finds a fault; the error says which changes would help, as measured,
    unless `advice=False`. `progress` is called with each stage, its number and how many there are.
    """
    place = Path(project)
    stated = Project.load(place)
    refuse_no_plan(stated, place.name)
    if pdf:
        check_pdf()
    given: Json = {"formats": None if formats is None else _listed(formats), "title": title, "review": review}
    asked = replace(stated.release, **{name: value for name, value in given.items() if value is not None})
    with stated.telling_lines() if review is None else nullcontext():
        check_review(asked, date or datetime.now().astimezone().date().isoformat())
    with stated.telling_lines():
        earlier = earlier_of(asked, place.parent)
    stages = StageLog(progress or (lambda *_: None))
    with next_run(Path(into) if into is not None else place.parent / RUNS) as target:
        stages.begin("intake")
        source = place.parent / stated.path
        data, digest = _read(stated, source, place.parent)
        with stated.telling_lines():
            refuse_wrong_totals(data, asked.published)
        manifest = manifest_of(data, source, digest)
        stages.begin("risk and utility before")
        before = baseline_of(data, stated)
        stages.begin("plan")
        limits = SearchLimits(data, stated.search, stated.scenarios)
        chosen = choose_plan(stated, data)
        stages.note(why=chosen.why)
        stages.begin("protecting")
        release = _protect(chosen, data, seed)
        refuse_lost(release, accept_lost)
        refuse_unjudged_keys(release, stated.scenarios, asked.as_they_are)
        stages.begin("attacks and utility after")
        figures = evaluate(data, release, measures=measures, scenarios=stated.scenarios)
        pair = Pair.of(data, release)
        reached = reach_goals(pair, stated.utility)
        stages.begin("judging")
        refuse_broken_rules(pair)
        asked_of_it = Asked(stated.scenarios, stated.utility, asked.published, measures, limits, asked.as_they_are)
        refuse_broken_goals(release, reached, asked_of_it, advice)
        refuse_broken_totals(release, pair, asked_of_it, advice)
        verdict = verdict_of(release, stated.scenarios, figures)
        refuse_over_limit(release, verdict, asked_of_it, advice)
        held = limits.hold(release)
        refuse_over_search(held)
        meant = (*meant_by(asked), *tell_unstated_codes(data), *tell_no_register(stated, place.parent))
        stages.begin("earlier releases")
        together = compare_with_earlier(release, earlier)
        if not source.is_file() or sha256_of(source) != digest:
            raise FileProblem(
                f"{source.name} was changed or moved away during the run; nothing was written: run it again"
            )
        package = write_package(
            release,
            target,
            asked.formats,
            project=chosen.project,
            evaluation=figures,
            verdict=verdict,
            inside=lambda: {
                MANIFEST: manifest,
                BEFORE: before,
                SUMMARY: _summary(asked, chosen, verdict, reached, together, held),
                STAGES_FILE: stages.to_text(),
            },
            stage=stages.begin,
            reached=reached,
            earlier=[one.told for one in earlier],
            together=[one.text for one in together],
            decided=[*meant, *held.told],
            stated=asked,
            date=date,
            pdf=pdf,
            titles=titles,
            tell_settings=tell_settings,
            reproducible=reproducible,
        )
    why = () if stated.plan is not None else (f"The plan was {chosen.why}.",)
    published = [one.said for one in compare_published(pair, asked.published)]
    told = (*why, *meant, *held.told_unjudged, *(str(one) for one in together), *published)
    return Run(package, release, verdict, reached, told)


def _listed(formats: Sequence[str]) -> tuple[str, ...]:
    return (formats,) if isinstance(formats, str) else tuple(formats)


def _read(project: Project, source: Path, folder: Path) -> tuple[Microdata, str]:
    """The data of a project, and the hash of the file that they came from."""
    check_there(source)
    digest = sha256_of(source)
    data = project.read(folder)
    check_goals(data, project.utility)
    return data, digest


def _protect(chosen: Chosen, data: Microdata, seed: int | str | bytes | Key | None) -> Release:
    refuse_unstated(data, redrawn={name for step in chosen.plan.steps for name in step.columns or ()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)  # what came back whole is refused when it is written
        return chosen.plan.run(data, seed=seed)


def earlier_of(asked: ReleasePlan, folder: Path) -> tuple[EarlierRelease, ...]:
    """The releases of the same source that the project knows of; a register begins with its first entry."""
    register = folder / asked.register
    if register.exists() or head_of(register).exists():
        faults = read_register(register).faults
        if faults:
            more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
            told = "; ".join(faults[:_MOST_FAULTS]) + more
            raise BrokenPromise(f"{asked.register} is not sound: {told}; nothing was written")
    there = register if register.is_file() else None
    return earlier_releases(there, [folder / one for one in asked.earlier])


def meant_by(asked: ReleasePlan) -> tuple[str, ...]:
    """What was decided about columns that leave as they are, for whoever signs."""
    if not asked.as_they_are:
        return ()
    return (f"The project states that {list_all(asked.as_they_are)} may leave as in the file.",)


def _summary(
    asked: ReleasePlan,
    chosen: Chosen,
    verdict: Verdict,
    reached: Sequence[Reached],
    together: Sequence[Finding],
    held: Held,
) -> str:
    """What later runs are compared by: the release as asked for, plan, verdict and figures."""
    said = {
        "title": asked.title,
        "kind": asked.kind,
        "review": asked.review,
        "formats": list(asked.formats),
        "signers": list(asked.signers),
        "plan": list(plan_in_words(chosen.plan)),
        "plan_from": chosen.why,
        "verdict": verdict.to_json() | {"state": verdict.state},
        "utility": [one.to_json() for one in reached],
        "limits_of_search": list(held.kept),
        "limits_of_search_not_judged": list(held.unjudged),
        "earlier_releases": [str(one) for one in together],
    }
    return json.dumps(said, indent=1, ensure_ascii=False, default=str) + "\n"
