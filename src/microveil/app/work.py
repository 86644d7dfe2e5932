"""The process of one job: `python -m microveil.app.work FOLDER` does what the folder says; the result stays there."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from types import FrameType
from typing import NoReturn

from microveil.app.jobs import ALIVE, CALL, DONE, ENDED, PROGRESS
from microveil.app.warming import is_warm
from microveil.app.words import in_form_words
from microveil.core.errors import MicroveilError
from microveil.core.locking import lock
from microveil.core.open_types import Json
from microveil.core.progress import begin_anew, listening
from microveil.io import write_text

_APART = 0.2  # seconds between two words on how far it is


class _Told(BaseException):
    """Somebody asked for the end."""


class Progress:
    """Writes how far the work is, in stages and inside of one."""

    def __init__(self, folder: Path) -> None:
        self._path, self._said, self._stage = folder / PROGRESS, 0.0, ("", 0, 1)
        self._begun = time.monotonic()

    def stage(self, what: str, number: int, total: int) -> None:
        """A stage begins, the number of so many."""
        new = what != self._stage[0]
        self._stage = (what, number - 1, max(total, 1))
        begin_anew()
        self._say(0.0, at_once=new)

    def inside(self, share: float) -> None:
        """So much of the stage is done."""
        self._say(share)

    def _say(self, share: float, at_once: bool = False) -> None:
        now = time.monotonic()
        if not at_once and now - self._said < _APART:
            return
        self._said = now
        what, done, total = self._stage
        whole = min(1.0, (done + share) / total)
        said = {"stage": what, "share": whole, "after": now - self._begun}
        write_text(self._path, json.dumps(said) + "\n", private=True)


_FIRST = "the first time after an installation this takes a minute or two"


def main(folder: Path) -> int:
    """Do the work; the status is 0 if it was done."""
    os.umask(0o077)
    handle = _hold(folder)
    signal.signal(signal.SIGTERM, _stop)
    begun = time.monotonic()
    try:
        _leave(folder / DONE, _do(folder), begun)
    except _Told:
        return 130
    except MicroveilError as problem:
        _leave(folder / ENDED, {"state": "failed", "message": for_pages(problem)}, begun)
        return 1
    except Exception as problem:  # noqa: BLE001 - a fault of ours is told as one
        write_text(folder / "fault.txt", traceback.format_exc(), private=True)
        message = (
            f"This is a fault of microveil, not of yours ({type(problem).__name__}); nothing was released. Please "
            f"report it with the lines in {folder.name}/fault.txt."
        )
        _leave(folder / ENDED, {"state": "failed", "message": message}, begun)
        return 1
    finally:
        os.close(handle)
    return 0


def _do(folder: Path) -> Json:
    asked = json.loads((folder / CALL).read_text(encoding="utf-8"))
    told = Progress(folder)
    told.stage("getting ready" if is_warm() else f"getting ready ({_FIRST})", 1, 1000)
    warnings.simplefilter("ignore")  # what there is to say stands in results
    # only now: loading them takes longer than whoever pressed the button should wait
    from microveil.app.calls import CALLS
    from microveil.app.calls.call import Work
    from microveil.app.stamps import stamps_of
    from microveil.app.workspace import Workspace

    work = Work(Path(asked["project"]), asked["settings"], folder, told.stage)
    work.check_files()
    # between the page and this process the project may have been saved anew: the result is of what it says now
    space, call = Workspace(work.project), CALLS[asked["what"]]
    now, files = space.now(), stamps_of(work.home, work.files())
    with listening(told.inside):
        result = call.do(work)
    if work.settings.get("begin"):  # it wrote the project itself
        now = space.now()
    return {"result": result, "mark": now.mark_of(call.about), "plan": now.mark_of(("plan",)), "files": files}


def for_pages(problem: MicroveilError) -> str:
    """What is wrong in the words of pages, which name files from the folder of the project: it is the one of a job."""
    return in_form_words(str(problem)).replace(f"{Path.cwd()}{os.sep}", "")


def _hold(folder: Path) -> int:
    """A lock for as long as this process lives; its number is inside, to end it by."""
    waiting = folder / f"{ALIVE}.new"
    handle = os.open(waiting, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600)
    os.write(handle, str(os.getpid()).encode("ascii"))
    lock(handle)
    waiting.rename(folder / ALIVE)  # named only now: nobody ever sees the lock of a living process open
    return handle


def _leave(path: Path, said: Json, begun: float) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it is done: what is said of it stays whole
    said = {**said, "seconds": time.monotonic() - begun}
    write_text(path, json.dumps(said, ensure_ascii=False, default=str) + "\n", private=True)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _Told


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
