"""`run_project`: from a project file to a package, or to nothing."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from microveil.core.errors import BadInput, BrokenPromise, FileProblem, NothingHidden
from microveil.core.streams import Key
from microveil.data.microdata import Microdata
from microveil.detect import refuse_unstated
from microveil.io import sha256_of
from microveil.io.first_bytes import check_there
from microveil.package.writing import TITLE, Package, check_place, write_package
from microveil.plan.evaluation import Measures, evaluate
from microveil.plan.project import Project
from microveil.plan.verdict import Verdict, verdict_of
from microveil.run.release import Release

RUNS = "runs"
_NUMBER = re.compile(r"[0-9]{4,}")
Show = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Run:
    """A finished run: its package, the release in it, and the verdict by which it was let pass."""

    package: Package
    release: Release
    verdict: Verdict


def run_project(
    project: str | Path,
    *,
    into: str | Path | None = None,
    formats: Sequence[str] = ("csv",),
    title: str = TITLE,
    review: str = "",
    titles: bool = False,
    tell_settings: bool = False,
    accept_lost: bool = False,
    measures: Measures = None,
    seed: int | str | bytes | Key | None = None,
    reproducible: bool = False,
    progress: Show | None = None,
) -> Run:
    """Carry a project to a package: read, protect, measure, judge, write and audit; the first thing that fails ends it.

    The package is the next number (0001, 0002, ...) in the folder `into` (`runs` beside the project). Nothing is
    written if the data are not those of the project, a promise breaks or is given up, a limit is not kept, or the audit
    of the written files finds a fault. `progress` is called with each stage, its number and how many there are.
    """
    place = Path(project)
    stated = Project.load(place)
    if stated.plan is None:
        raise BadInput(f"{place.name} has no plan; state one under plan, as microveil inspect proposes it")
    show = progress or (lambda *_: None)
    show("reading", 1, 4)
    source = place.parent / stated.path
    data, digest = _read(stated, source, place.parent)
    refuse_unstated(data, redrawn={name for step in stated.plan.steps for name in step.columns or ()})
    target = next_run(Path(into) if into is not None else place.parent / RUNS)
    show("protecting", 2, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingHidden)  # what came back whole is refused when it is written
        release = stated.plan.run(data, seed=seed)
    if release.lost and not accept_lost:
        raise BrokenPromise(
            f"promises were given up: {'; '.join(release.lost)}; change the order of the steps, or accept it "
            "(accept_lost=True)"
        )
    show("measuring", 3, 4)
    figures = evaluate(data, release, measures=measures, scenarios=stated.scenarios)
    if not source.is_file() or sha256_of(source) != digest:
        raise FileProblem(f"{source.name} was changed or moved away during the run; nothing was written: run it again")
    show("writing and auditing", 4, 4)
    package = write_package(
        release,
        target,
        formats,
        project=stated,
        evaluation=figures,
        title=title,
        review=review,
        titles=titles,
        tell_settings=tell_settings,
        reproducible=reproducible,
    )
    return Run(package, release, verdict_of(release, stated.scenarios, figures))


def next_run(folder: Path) -> Path:
    """The folder of the next run: one more than the highest number there is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise FileProblem(f"the folder {str(folder)!r} cannot be made: {problem.strerror}") from None
    numbers = [int(path.name) for path in folder.iterdir() if _NUMBER.fullmatch(path.name)]
    target = folder / f"{max(numbers, default=0) + 1:04d}"
    check_place(target)
    return target


def _read(project: Project, source: Path, folder: Path) -> tuple[Microdata, str]:
    """The data of a project, and the hash of the file that they came from."""
    check_there(source)
    digest = sha256_of(source)
    return project.read(folder), digest
