"""Runs that something disturbs, each in a forked process; they tell what they say and leave, as JSON.

One process forks them all, so that everything is loaded once; tests of other things have threads, which no fork takes.
`python -m tests.faults.scenes NAME...` with the names of SCENES.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tools.faults import (
    INPUTS,
    bytes_of,
    count_steps,
    in_process,
    kill_at,
    left_in,
    load_all,
    make_project,
    run_once,
    wait_for_watcher,
    watching,
)

FORMATS = ("-f", "csv")


class Scene:
    """A folder with a project, and runs of the command in it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.scratch = folder / "project", folder / "scratch"
        for place in (self.folder, self.scratch):
            place.mkdir()
        tempfile.tempdir = str(self.scratch)
        in_process(lambda: make_project(self.folder))  # here it would start threads, which no fork takes
        self.project = self.folder / INPUTS[1]
        self.told = os.pipe()  # what runs say; no file, since some of them can write none
        os.set_blocking(self.told[0], False)

    def command(self, before: Callable[[], None] = lambda: None) -> None:
        """The command as somebody gives it, after something was arranged in its process."""
        os.dup2(self.told[1], 2)
        before()
        from microveil.cli import main

        sys.argv = ["microveil", "run", str(self.project), "--measures", "pil", *FORMATS]
        main()

    def result(self, before: Callable[[], None] = lambda: None) -> dict[str, object]:
        """How a run ends, and what it leaves."""
        status = in_process(lambda: self.command(before))
        return {"status": status, **self.left()}

    def left(self) -> dict[str, object]:
        left = left_in(self.folder, self.scratch)
        try:
            said = os.read(self.told[0], 1 << 16).decode()
        except BlockingIOError:
            said = ""
        lines = [line for line in said.splitlines() if line.strip()]
        return {"lines": lines, "packages": left.packages, "wrong": left.wrong, "hidden": left.hidden}


@contextmanager
def scene() -> Iterator[Scene]:
    with tempfile.TemporaryDirectory(dir=START) as folder:
        yield Scene(Path(folder))


def no_larger_files(size: int) -> Callable[[], None]:
    """No file may grow beyond so many bytes: what a full disk is to a program."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def full_disk(size: int) -> dict[str, object]:
    with scene() as one:
        return one.result(no_larger_files(size))


def on_tmpfs(options: str) -> dict[str, object]:
    """A disk that is really full, or that nobody can write to."""
    with scene() as one:
        runs = one.folder / "runs"
        runs.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(runs)]
        if os.geteuid() or subprocess.run(words, check=False, capture_output=True).returncode:
            return {"skipped": "only root mounts file systems"}
        try:
            return one.result()
        finally:
            subprocess.run(["umount", str(runs)], check=True)


def read_only() -> dict[str, object]:
    if os.geteuid() == 0:  # root writes wherever a file system lets somebody write
        return on_tmpfs("ro")
    with scene() as one:
        (one.folder / "runs").mkdir(mode=0o555)
        return one.result()


def during_measuring(act: Callable[[Path], object]) -> dict[str, object]:
    with scene() as one:

        def before() -> None:
            from microveil.package import running

            measured = running.evaluate

            def and_act(*given: object, **more: object) -> object:
                act(one.folder / "survey.csv")
                return measured(*given, **more)

            running.evaluate = and_act

        return one.result(before)


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("canary-9999,1,north,5.5\n")


def clock_set_back() -> dict[str, object]:
    """A run, what a killed one left with times in the future, and a run whose clock is decades behind."""
    with scene() as one:
        first = one.result()
        left = one.folder / "runs" / ".microveil-abcdefgh"
        (left / "new" / "0002").mkdir(parents=True)
        (left / "lock").touch()
        ahead = datetime(2090, 1, 1, tzinfo=UTC).timestamp()
        for path in (left, left / "lock", one.folder / "runs" / "0001", one.folder / "survey.csv"):
            os.utime(path, (ahead, ahead))

        def before() -> None:
            import time

            from microveil.package import writing

            class Behind(datetime):
                @classmethod
                def now(cls, tz: object = None) -> datetime:
                    return datetime(1999, 1, 1, tzinfo=UTC)

            writing.datetime = Behind
            time.time = lambda: Behind.now().timestamp()

        second = one.result(before)
        if first["status"] or second["status"]:  # with what they said, for whoever wants to know why
            return {**second, "first": first}
        said = [bytes_of(one.folder / "runs" / name)["certificate.json"] for name in ("0001", "0002")]
        return {**second, "first": first["status"], "dates": [json.loads(text)["predicate"]["date"] for text in said]}


def two_at_once() -> dict[str, object]:
    with scene() as one:
        children = []
        for _ in range(2):
            child = os.fork()
            if not child:
                os._exit(in_process(one.command) & 0xFF)
            children.append(child)
        statuses = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
        return {"statuses": statuses, **one.left()}


def signalled(number: int, where: float) -> dict[str, object]:
    """A signal that asks for the end, at a share of the steps."""
    with scene() as one:
        step = int(where * STEPS)

        def command() -> None:
            def tell(at: int, _what: str) -> None:
                if at == step:
                    os.kill(os.getpid(), number)

            watching(one.command, one.folder, tell)

        return {"status": in_process(command), **one.left()}


def killed() -> dict[str, object]:
    """What two runs leave that are killed in the middle and late, and what the runs after them give."""
    left, after, given = [], [], set()
    for where in (0.5, 0.8):
        with scene() as one:

            def work(project: Path = one.project) -> None:
                run_once(project, FORMATS[1:])

            kill_at(work, one.folder, int(where * STEPS))
            wait_for_watcher(one.folder)
            left.append(left_in(one.folder, one.scratch).wrong)
            status = in_process(work)
            after.append((status, one.left()))
            newest = max((one.folder / "runs").iterdir())
            given.add(hash(tuple(sorted(bytes_of(newest).items()))))
    return {"left": left, "after": after, "given": len(given)}


def threads() -> dict[str, object]:
    """The threads of this process, by which a forked one could be left with a lock that nobody opens."""
    return {"threads": [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]}


SCENES: dict[str, Callable[[], dict[str, object]]] = {
    "full disk at 0": lambda: full_disk(0),
    "full disk at 5000": lambda: full_disk(5000),
    "full tmpfs": lambda: on_tmpfs("size=24k"),
    "read-only folder": read_only,
    "input changed": lambda: during_measuring(append),
    "input vanished": lambda: during_measuring(Path.unlink),
    "clock set back": clock_set_back,
    "two at once": two_at_once,
    "SIGINT at 0.5": lambda: signalled(signal.SIGINT, 0.5),
    "SIGINT at 0.9": lambda: signalled(signal.SIGINT, 0.9),
    "SIGTERM at 0.5": lambda: signalled(signal.SIGTERM, 0.5),
    "SIGTERM at 0.9": lambda: signalled(signal.SIGTERM, 0.9),
    "killed": killed,
    "threads": threads,
}
START = tempfile.gettempdir()
if __name__ == "__main__":
    with scene() as undisturbed:
        load_all(undisturbed.command)
        shutil.rmtree(undisturbed.folder / "runs")
        STEPS = len(count_steps(undisturbed.command, undisturbed.folder))
    for name in sys.argv[1:]:
        print(json.dumps((name, SCENES[name]())), flush=True)
