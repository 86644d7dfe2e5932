"""Being stopped by Ctrl-C: one line that says what was written, and the status that shells give it.

This is loaded before all else, so that it also holds while the rest is being loaded.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

STATUS = 130  # 128 and the number of the signal, as shells count
_written: list[str] = []


class Stopped(BaseException):
    """Somebody pressed Ctrl-C; nothing between the signal and the door takes it for something else."""


def note_written(path: object) -> None:
    """Remember that a file is complete and in its place, whatever comes now."""
    _written.append(str(path))


@contextmanager
def stoppable() -> Iterator[None]:
    """A command that may be stopped: it then ends with one line and its status."""
    _written.clear()
    with _handling(_stop):
        try:
            yield
        except Stopped:
            told = f"{', '.join(_written)} had been written" if _written else "nothing was written"
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


def _stop(*_: Any) -> NoReturn:
    raise Stopped


@contextmanager
def _handling(handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
