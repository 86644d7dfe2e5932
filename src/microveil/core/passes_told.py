"""How far a pass over a file is, told to whoever listens: so many of so many records, parts or files.

How many passes a method makes is not known before, so that they are no shares of the work. Nobody listening costs next
to nothing; what is computed never depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Heard = Callable[[str, int, int], None]  # what is counted, how many are done, and of how many

_APART = 0.5  # seconds between two looks at work that is done elsewhere
_HEARD: ContextVar[Heard | None] = ContextVar("microveil passes", default=None)


@contextmanager
def hearing_passes(heard: Heard) -> Iterator[None]:
    """Tell a function, while this lasts, how far each pass is; one that begins has done nothing."""
    token = _HEARD.set(heard)
    try:
        yield
    finally:
        _HEARD.reset(token)


def told(items: Iterable[T], what: str, total: int, size: Callable[[T], int] = lambda _: 1) -> Iterator[T]:
    """The items of a pass; what was taken before the next one counts as done.

    >>> with hearing_passes(print):
    ...     found = list(told(["ab", "c"], "letters", 3, len))
    letters 0 3
    letters 2 3
    letters 3 3
    """
    heard = _HEARD.get()
    return iter(items) if heard is None else _told(items, what, total, size, heard)


def _told(items: Iterable[T], what: str, total: int, size: Callable[[T], int], heard: Heard) -> Iterator[T]:
    done = 0
    heard(what, 0, total)
    for item in items:
        yield item
        done += size(item)
        heard(what, done, total)


@contextmanager
def looked_at(what: str, total: int, look: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """A pass that others make: from time to time `look` says how many of the present stage are done, of how many."""
    heard = _HEARD.get()
    if heard is None:
        yield
        return
    ended = threading.Event()

    heard(what, 0, total)

    def watch() -> None:
        while not ended.wait(_APART):
            done, of_stage = look()
            if done:  # with nothing done another pass would begin
                heard(what, done, of_stage)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
