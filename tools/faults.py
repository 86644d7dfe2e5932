"""Kill a run at every step and at random times, and see what is left: python -m tools.faults --help.

A run is a process of its own, forked from one that has everything loaded. Its steps are the operations on files that it
asks the system for, as Python tells them (`sys.addaudithook`), and it is killed by SIGKILL just before one of them or
after a random time; with --together its watcher is killed first, as where a container or a machine is stopped. After
each kill nothing may be left but whole packages and hidden folders without data, and the next run must sweep these and
give the same bytes as a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

import microveil as mv
from microveil import certify
from microveil.core.errors import MicroveilError
from microveil.measure import Scenario
from microveil.package import run_project
from microveil.package.writing import DATA
from microveil.plan import Plan, Project
from microveil.plan.release_plan import ReleasePlan

KEY = "5c1f0a3be2d94786a1b0c3d2e4f5968778695a4b3c2d1e0ff0e1d2c3b4a59687"
INPUTS = ("survey.csv", "project.yaml")
_MOST_WAITED = 500  # times 10 ms
_THREADED = "polars"  # it starts threads as soon as it is imported
_OPERATIONS = ("open", "os.", "shutil.", "tempfile.")


def make_project(folder: Path, records: int = 60) -> Path:
    """A folder with data and a project about them that runs in a second."""
    rng = np.random.default_rng(3)
    data = pa.table(
        {
            "name": [f"canary-{number:04d}" for number in range(records)],
            "sex": rng.integers(1, 3, size=records),
            "region": np.array(["north", "south"])[rng.integers(0, 2, size=records)],
            "income": np.round(rng.gamma(2.0, 1300.0, size=records), 2),
        }
    )
    mv.write(data, folder / INPUTS[0], unprotected=True, keep_identifiers=True, seed=1)
    roles = {"name": "identifier", "sex": "key", "region": "key", "income": "confidential"}
    Project(
        INPUTS[0],
        mv.io.sha256_of(folder / INPUTS[0]),
        {name: {"role": role, "kind": "continuous" if name == "income" else "nominal"} for name, role in roles.items()},
        plan=Plan([(mv.mask.Microaggregation(partition=mv.partition.MDAV(k=5)), ["income"])]),
        scenarios=(Scenario("neighbour", ("sex",), thresholds={"risk": 0.2}),),
        release=ReleasePlan(as_they_are=("region",)),
    ).save(folder / INPUTS[1])
    return folder / INPUTS[1]


def run_once(project: Path, formats: Sequence[str]) -> None:
    """The run that is disturbed: one key, few measures."""
    run_project(project, formats=formats, measures=["pil"], seed=KEY)


# -- processes that end early -----------------------------------------------------------------------


def kill(process: int, together: bool = False) -> None:
    """End a process at once; `together`: and first those that it started."""
    if together:
        os.kill(process, signal.SIGSTOP) if process != os.getpid() else None
        for told in Path(f"/proc/{process}/task").glob("*/children"):
            for child in told.read_text(encoding="ascii").split():
                os.kill(int(child), signal.SIGKILL)
    os.kill(process, signal.SIGKILL)


def in_process(work: Callable[[], None], until: float | None = None, kill: Callable[[int], None] = kill) -> int:
    """Do something in a forked process, killed after `until` seconds; its status, negative for a signal."""
    child = os.fork()
    if not child:
        status = 1
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            work()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os._exit(status)
    if until is not None:
        time.sleep(until)
        kill(child)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def load_all(work: Callable[[], None]) -> None:
    """Import here what a run imports, so that the next begin at once; but what starts threads, which no fork takes.

    The data are made in a process of their own for the same reason: pyarrow starts threads where it reads or writes.
    """
    with tempfile.NamedTemporaryFile("r+") as told:

        def list_modules() -> None:
            with contextlib.suppress(SystemExit):  # as commands end
                work()
            Path(told.name).write_text("\n".join(sys.modules), encoding="utf-8")

        in_process(list_modules)
        for name in told.read().splitlines():
            if name != "__main__" and _THREADED not in name:
                with contextlib.suppress(Exception):
                    importlib.import_module(name)


def count_steps(work: Callable[[], None], watched: Path) -> list[str]:
    """The operations on files of a run that nobody disturbs, in words."""
    with tempfile.NamedTemporaryFile("r+") as told:

        def note(_number: int, what: str) -> None:
            os.write(handle, f"{what}\n".encode())

        handle = os.open(told.name, os.O_WRONLY | os.O_APPEND)
        status = in_process(lambda: watching(work, watched, note))
        os.close(handle)
        if status:
            raise RuntimeError("the run that nobody disturbs failed")
        return told.read().splitlines()


def kill_at(work: Callable[[], None], watched: Path, step: int, together: bool = False) -> int:
    """Kill a run just before its operation of this number."""

    def end(number: int, _what: str) -> None:
        if number == step:
            kill(os.getpid(), together)

    return in_process(lambda: watching(work, watched, end))


def watching(work: Callable[[], None], watched: Path, tell: Callable[[int, str], None]) -> None:
    """Do something and tell each operation on files before it happens."""
    number = 0
    folders = (str(watched), "/proc/self/fd/", tempfile.gettempdir())

    def hook(event: str, given: tuple[object, ...]) -> None:
        nonlocal number
        if event.startswith(_OPERATIONS) and any(str(one).startswith(folders) for one in given):
            number += 1
            tell(number - 1, f"{event} {given[0]}".replace("\n", " "))

    sys.addaudithook(hook)
    work()


# -- what is left -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Left:
    """What stands in a folder after a run: packages that are complete, and what should not be there."""

    packages: tuple[str, ...]
    wrong: tuple[str, ...]
    hidden: int  # files and folders that the next run sweeps
    folders: int  # how many of them are folders; the others are empty files, by which a run keeps its number
    nearly: bool  # a hidden folder holds a package that is complete but for its place
    papers: bool  # a hidden folder holds reports and certificates of a package without its data

    @property
    def what(self) -> str:
        """In a word."""
        if self.wrong:
            return "WRONG: " + "; ".join(self.wrong)
        if self.packages:
            return "a complete package"
        if self.nearly:
            return "a complete package in a hidden folder"
        if self.papers:
            return "a hidden folder with papers and no data"
        if self.folders:
            return "a hidden folder with nothing in it"
        return "the empty file of its number" if self.hidden else "nothing"


def wait_for_watcher(folder: Path) -> None:
    """Let the watcher of a killed run remove its hidden folder; it takes some milliseconds."""
    for _ in range(_MOST_WAITED):
        if not any((folder / "runs").glob(".microveil-*/")):
            return
        time.sleep(0.01)


def left_in(folder: Path, scratch: Path) -> Left:
    """Look at everything in a project's folder and in the folder for temporary files."""
    runs = folder / "runs"
    shown = sorted(runs.iterdir()) if runs.is_dir() else []
    hidden = [place for place in shown if place.name.startswith(".")]
    packages = [place for place in shown if place not in hidden and is_complete(place)]
    nearly = [place for one in hidden for place in one.glob("new/*") if is_complete(place)]
    wrong = [f"partial {place.name}" for place in shown if place not in hidden and place not in packages]
    papers = False
    for path in (*folder.rglob("*"), *scratch.rglob("*")):
        whole = any(path.is_relative_to(place) for place in (*packages, *nearly))
        known = path.parent == folder and path.name in INPUTS
        if whole or known or path.is_symlink() or not path.is_file() or not path.stat().st_size:
            continue
        if any(path.is_relative_to(place / "new") for place in hidden) and path.stem != DATA:
            papers = True
        else:
            wrong.append(f"{path.relative_to(path.parents[1])} with {path.stat().st_size} bytes")
    folders = sum(place.is_dir() for place in hidden)
    return Left(tuple(place.name for place in packages), tuple(wrong), len(hidden), folders, bool(nearly), papers)


def is_complete(place: Path) -> bool:
    """Whether both folders of a package have a certificate that fits all files in them."""
    try:
        return not any(
            certify.find_changes(place / part, certify.read_certificate(place / part).statement)
            for part in ("package", "internal")
        )
    except MicroveilError:
        return False


def bytes_of(package: Path) -> dict[str, bytes]:
    """All files to give away."""
    return {path.name: path.read_bytes() for path in sorted(package.rglob("package/*"))}


# -- the campaign -----------------------------------------------------------------------------------


class Campaign:
    """One project that is run, killed, looked at and run again."""

    def __init__(self, folder: Path, formats: Sequence[str], together: bool = False) -> None:
        self.together = together
        self.folder, self.scratch = folder / "project", folder / "scratch"
        self.folder.mkdir()
        self.scratch.mkdir()
        tempfile.tempdir = str(self.scratch)
        in_process(lambda: make_project(self.folder))
        project = self.folder / INPUTS[1]
        self.work = lambda: run_once(project, formats)
        load_all(self.work)
        self._bytes_and_sweep()
        self.steps = count_steps(self.work, self.folder)
        self.sound, self.day = self._bytes_and_sweep(), _today()
        started = time.monotonic()
        in_process(self.work)
        self.seconds = time.monotonic() - started
        self._bytes_and_sweep()

    def at_step(self, step: int) -> Left:
        """Kill at one step, and look."""
        kill_at(self.work, self.folder, step, self.together)
        return self._left()

    def at_random(self, draw: random.Random) -> Left:
        """Kill at any time of a run, and look."""
        in_process(self.work, until=draw.uniform(0, self.seconds), kill=lambda child: kill(child, self.together))
        return self._left()

    def _left(self) -> Left:
        if not self.together:
            wait_for_watcher(self.folder)
        return left_in(self.folder, self.scratch)

    def next_run(self) -> str:
        """Run again; in words what is wrong then, and empty if it swept, finished and gave the same bytes."""
        if _today() != self.day:  # packages tell the day on which they were made
            in_process(self.work)
            self.sound, self.day = self._bytes_and_sweep(), _today()
        before = len(left_in(self.folder, self.scratch).packages)
        if in_process(self.work):
            return "the next run failed"
        left = left_in(self.folder, self.scratch)
        if left.wrong or left.hidden or len(left.packages) != before + 1:
            return f"after the next run: {left}"
        return "" if self._bytes_and_sweep() == self.sound else "the next run gave other bytes"

    def _bytes_and_sweep(self) -> dict[str, bytes]:
        """The bytes of the newest package; then all packages are removed, so that numbers begin anew."""
        packages = sorted((self.folder / "runs").iterdir())
        found = bytes_of(packages[-1])
        for package in packages:
            for path in sorted(package.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            package.rmdir()
        return found


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()


def spread(steps: int, times: int) -> Iterator[int]:
    """So many steps, evenly over all of them."""
    return (round(place) for place in np.linspace(0, steps - 1, min(steps, times)))


def main() -> None:
    """Read the words of the command, kill, and print what was left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=150, help="kills at steps, spread over all of them")
    parser.add_argument("--random", type=int, default=50, help="kills at random times")
    parser.add_argument("--formats", nargs="*", default=["csv", "xlsx"])
    parser.add_argument("--together", action="store_true", help="kill the watcher of a run too, before the run")
    parser.add_argument("--last", type=int, default=0, help="kills at the last steps only, so many of them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), given.formats, given.together)
        print(f"{len(campaign.steps)} steps; an undisturbed run takes {campaign.seconds:.1f} s", flush=True)
        draw, found, faults = random.Random(1), Counter[str](), []
        steps = len(campaign.steps)
        chosen = range(steps - given.last, steps) if given.last else spread(steps, given.steps)
        kills = [*((campaign.at_step, step) for step in chosen)]
        kills += [(campaign.at_random, draw)] * given.random  # type: ignore[list-item]
        for kill, where in kills:
            left = kill(where)  # type: ignore[arg-type]
            then = campaign.next_run()
            found[left.what] += 1
            if left.wrong or then:
                told = campaign.steps[where] if isinstance(where, int) else "a random time"
                faults.append(f"{told}: {left.what}; {then}")
                print(faults[-1], flush=True)
        print(f"{sum(found.values())} kills; left: {dict(found)}; {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
