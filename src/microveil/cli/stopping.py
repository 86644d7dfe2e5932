"""Being stopped, by Ctrl-C or another signal that asks for the end: one line that says what was written, one status.

This is loaded before all else, so that it also holds while the rest is being loaded.
"""

from __future__ import annotations

import atexit
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

STATUS = 130  # what shells say after Ctrl-C; the same for every signal, so that one number means "stopped"
# Ctrl-C, a request to end (kill, a scheduler's time limit), a closed terminal; not every system knows the last
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_written: list[str] = []
_instead: list[str] = []


class Stopped(BaseException):
    """Somebody asked for the end; nothing between the signal and the door takes it for something else."""


def note_written(path: object) -> None:
    """Remember that a file is complete and in its place, whatever comes now."""
    _written.append(str(path))


def tell_when_stopped(words: str) -> None:
    """What is said instead, by a command that ends no other way and wrote much in between."""
    _instead[:] = [words]


def note_begun(journal: Path, how: str, show: Callable[[str, int, int], None]) -> Callable[[str, int, int], None]:
    """The progress, which first notes a journal as written as soon as there is one, and `how` to go on with it."""
    noted = False

    def told(what: str, number: int, total: int) -> None:
        nonlocal noted
        if not noted and journal.exists():
            note_written(f"{journal} ({how})")
            noted = True
        show(what, number, total)

    return told


@contextmanager
def stoppable() -> Iterator[None]:
    """A command that may be stopped: it then ends with one line and its status."""
    _written.clear()
    _instead.clear()
    try:
        with _handling(_stop):
            try:
                yield
            finally:
                # registered last, so that it comes first when Python ends: all is done and said by then
                atexit.register(_let_end)
    except (Stopped, KeyboardInterrupt):  # Python's own, if the signal came just before or after ours was in place
        told = f"{', '.join(_written)} had been written" if _written else "nothing was written"
        told = _instead[0] if _instead else told
        with suppress(OSError):  # the terminal may be gone
            sys.stderr.write(f"\nmicroveil: stopped; {told}\n")
        sys.exit(STATUS)


@contextmanager
def not_now() -> Iterator[None]:
    """Something that is not left half done: a signal waits until it ends."""
    waiting: list[int] = []
    with _handling(lambda number, _frame: waiting.append(number)):
        yield
    if waiting:
        raise Stopped


def _let_end() -> None:
    """Python takes a moment to end: a signal that comes then must not change the status of what was done."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _stop(*_: Any) -> NoReturn:
    raise Stopped


@contextmanager
def _handling(handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    before = {number: signal.signal(number, handler) for number in _SIGNALS if not _ignored(number)}
    try:
        yield
    finally:
        for number, answer in before.items():
            signal.signal(number, answer)


def _ignored(number: int) -> bool:
    """Whether somebody wants the run to go on when the terminal closes (nohup)."""
    return number not in (signal.SIGINT, signal.SIGTERM) and signal.getsignal(number) is signal.SIG_IGN
