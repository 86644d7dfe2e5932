"""Long work in processes of its own: what is asked, how far it is and what came of it stands in a folder.

A job is a folder with a number. `call.json` says what was asked, `progress.json` how far it is, `done.json` or
`ended.json` what came of it. While its process lives it holds a lock in there; one that is gone without a last word was
killed. So a page that is loaded again, and an app that is started again, find every job.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from microveil.core.errors import BadInput
from microveil.core.locking import lock, locked_folder
from microveil.core.open_types import Json
from microveil.core.stages import remove_left_behind
from microveil.io import write_text

CALL, ALIVE, PROGRESS, DONE, ENDED = "call.json", "alive", "progress.json", "done.json", "ended.json"
_NAME = re.compile(r"\d{4,18}", re.ASCII)
_BEGINNING = 60.0  # seconds that the process of a job has until it shows that it lives
_GRACE = 5.0  # seconds that a job has to clean up after it was told to end
_TELLING = 0.04  # of the work: from then on the time left can be told
_LEAST_LEFT = 1.0  # seconds: less is not worth a word, and below 0 it takes longer than expected

State = Literal["running", "done", "failed", "cancelled", "lost"]


@dataclass(frozen=True)
class Job:
    """One job as its folder tells; `mark` is that of what it worked on, `result` what it found in short."""

    number: str
    folder: Path
    what: str
    state: State
    settings: Json = field(default_factory=dict)
    command: tuple[str, ...] = ()
    mark: str = ""
    begun: str = ""
    stage: str = ""
    share: float = 0.0
    seconds: float = 0.0
    after: float = 0.0  # seconds after which it last told how far it is
    message: str = ""
    result: Json = field(default_factory=dict)
    by: str = ""  # the version of microveil that did it
    plan: str = ""  # the mark of the plan that the project had
    files: Json = field(default_factory=dict)  # what it read, with the stamps that the files had

    @property
    def running(self) -> bool:
        """Whether it is under way."""
        return self.state == "running"

    @property
    def left(self) -> float | None:
        """How many seconds it will still take, by what it took so far; None while nobody can tell.

        The time since its last word is taken off: a long stage does not push the end away second by second.
        """
        if not self.running or not _TELLING <= self.share < 1:
            return None
        heard = self.after or self.seconds
        left = heard * (1 - self.share) / self.share - (self.seconds - heard)
        return left if left >= _LEAST_LEFT else None

    def file(self, name: str) -> str:
        """A text that the job left; empty where there is none."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""


class Jobs:
    """The jobs of a project, one at a time."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.folder, self._project = folder, project
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._starting = threading.Lock()

    def start(self, what: str, settings: Json, command: Sequence[str], mark: str) -> Job:
        """Begin a job; an error if another one is under way."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # two apps on one project take turns as two tabs do
        with self._starting, locked_folder(self.folder, "jobs of this project"):
            self.check_free()
            folder = self._next()
            asked = {"what": what, "settings": settings, "command": list(command), "mark": mark}
            asked |= {"project": str(self._project), "by": version("microveil")}
            asked["begun"] = datetime.now().astimezone().isoformat(timespec="seconds")
            write_text(folder / CALL, json.dumps(asked, ensure_ascii=False) + "\n", private=True)
            self._processes[folder.name] = _begin(folder, self._project.parent)
            _wait_for(folder, self._processes[folder.name])
            if not (folder / ALIVE).exists():
                process = self._processes.pop(folder.name)
                process.kill()  # what is told as lost must not begin after all
                process.wait()
                return _lost(folder)
        return self.find(folder.name) or _lost(folder)

    def check_free(self) -> None:
        """An error if a job is under way: whoever saves something before a job asks this first."""
        busy = self.running()
        if busy is not None:
            raise BadInput(
                f"another job is running ({busy.stage or busy.what}); wait until it ends, or cancel it, and then "
                "start this one"
            )

    def find(self, number: str) -> Job | None:
        """The job of that number."""
        folder = self.folder / number
        if not _NAME.fullmatch(number) or not (folder / CALL).is_file():
            return None
        try:
            job = _read(folder)
        except (TypeError, ValueError):  # what somebody wrote there by hand is no job, and hides no other one
            return None
        process = None if job.running else self._processes.pop(number, None)
        if process is not None:  # no page waits for a process that has said its last word to end
            threading.Thread(target=_wait_for_end, args=(process,), daemon=True).start()
        return job

    def all(self) -> list[Job]:
        """Every job, the newest first; those of another version of microveil are left out, as they may differ."""
        if not self.folder.is_dir():
            return []
        numbers = sorted((path.name for path in self.folder.iterdir() if _NAME.fullmatch(path.name)), key=int)
        found = (job for number in reversed(numbers) if (job := self.find(number)) is not None)
        return [job for job in found if job.running or job.by == version("microveil")]

    def running(self) -> Job | None:
        """The job that is under way."""
        return next((job for job in self.all() if job.running), None)

    def last(self, what: str, *, done: bool = False) -> Job | None:
        """The newest job of a kind; `done`: of those that came to their end."""
        return next((job for job in self.all() if job.what == what and (job.state == "done" or not done)), None)

    def cancel(self, number: str) -> None:
        """End a job: it may clean up for a moment, and then its processes are gone."""
        job = self.find(number)
        if job is None or not job.running:
            return
        _wait_for(job.folder, self._processes.get(number))
        _end(job.folder)
        process = self._processes.pop(number, None)
        if process is not None:
            _wait_for_end(process)
        if _is_alive(job.folder):
            raise BadInput("the job could not be ended; end its process by hand")
        _say_ended(job.folder, "cancelled", "It was cancelled; nothing was written.")
        self.sweep()

    def sweep(self) -> None:
        """Remove what killed jobs left where runs are written: nothing of it was released."""
        from microveil.app.paths import runs_below
        from microveil.package.numbering import RUNS

        home = self._project.parent
        if runs_below(home):
            remove_left_behind(home / RUNS)

    def _next(self) -> Path:
        last = max((int(path.name) for path in self.folder.iterdir() if _NAME.fullmatch(path.name)), default=0)
        folder = self.folder / f"{last + 1:04d}"
        folder.mkdir(mode=0o700)
        return folder


def _begin(folder: Path, home: Path) -> subprocess.Popen[bytes]:
    """A process of its own group, that looks for no modules in the folder of the data."""
    with (folder / "said.txt").open("wb") as said:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "microveil.app.work", str(folder)],
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )


def _wait_for(folder: Path, process: subprocess.Popen[bytes] | None) -> None:
    """Until the process holds its lock: from then on everybody can see that it lives."""
    until = time.monotonic() + _BEGINNING
    while time.monotonic() < until and not (folder / ALIVE).exists():
        if process is not None and process.poll() is not None:
            break
        time.sleep(0.01)


def _wait_for_end(process: subprocess.Popen[bytes]) -> None:
    """Until a process that is about to end has done so, so that nothing is left of it."""
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _is_beginning(folder: Path) -> bool:
    """Whether the job was asked for just now and its process may not have come to its lock: it is not lost yet."""
    try:
        return not (folder / ALIVE).exists() and time.time() - (folder / CALL).stat().st_mtime < _BEGINNING
    except OSError:
        return False


def _is_alive(folder: Path) -> bool:
    try:
        handle = os.open(folder / ALIVE, os.O_RDWR)
    except FileNotFoundError:  # whatever else is in the way tells nothing of the process
        return False
    try:
        return not lock(handle)
    finally:
        os.close(handle)


def _end(folder: Path) -> None:
    """Ask the processes of a job to end, and end them if they do not."""
    group = int((folder / ALIVE).read_text(encoding="ascii") or "0") if (folder / ALIVE).exists() else 0
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if not group or not _is_alive(folder):
            break
        _signal(group, number)
        until = time.monotonic() + _GRACE
        while time.monotonic() < until and _is_alive(folder):
            time.sleep(0.02)
    if group and hasattr(os, "killpg"):
        _signal(group, signal.SIGKILL)  # whatever it had started itself


def _signal(group: int, number: int) -> None:
    """To all processes of a job; where a system knows no groups, to the one that has the number."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number) if hasattr(os, "killpg") else os.kill(group, number)


def _read(folder: Path) -> Job:
    asked, progress, done, ended = (_json(folder / name) for name in (CALL, PROGRESS, DONE, ENDED))
    alive = not done and not ended and (_is_beginning(folder) or _is_alive(folder))
    if not (alive or done or ended):  # it may have come to its end just now
        done, ended = _json(folder / DONE), _json(folder / ENDED)
    if alive:
        state, message = "running", ""
    elif done:
        state, message = "done", ""
    elif ended:
        state, message = str(ended.get("state", "failed")), str(ended.get("message", ""))
    else:
        return _lost(folder)
    return _job(folder, state, asked, progress, message, done.get("result", {}), done or ended)


def _lost(folder: Path) -> Job:
    """A job whose process is gone without a last word: what it left is removed."""
    message = "Its process was ended before it was done; nothing was written. Start it again."
    _say_ended(folder, "lost", message)
    return _job(folder, "lost", _json(folder / CALL), {}, message, {}, {})


def _job(folder: Path, state: str, asked: Json, progress: Json, message: str, result: Json, end: Json) -> Job:
    begun = str(asked.get("begun", ""))
    seconds = float(end.get("seconds", 0.0))
    if state == "running" and begun:
        seconds = max((datetime.now().astimezone() - datetime.fromisoformat(begun)).total_seconds(), 0.0)
    return Job(
        folder.name,
        folder,
        str(asked.get("what", "")),
        state,  # type: ignore[arg-type]
        dict(asked.get("settings", {})),
        tuple(asked.get("command", ())),
        str(end.get("mark") or asked.get("mark", "")),
        begun,
        str(progress.get("stage", "")),
        float(progress.get("share", 0.0)),
        seconds,
        float(progress.get("after", 0.0)),
        message,
        dict(result),
        str(asked.get("by", "")),
        str(end.get("plan", "")),
        dict(end.get("files", {})),
    )


def _say_ended(folder: Path, state: str, message: str) -> None:
    """Keep what was asked and how it ended, and nothing else."""
    for path in folder.iterdir():
        if path.name not in (CALL, "said.txt", "fault.txt"):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    write_text(folder / ENDED, json.dumps({"state": state, "message": message}) + "\n", private=True)


def _json(path: Path) -> Json:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
