"""How far long work is, told from inside an engine to whoever listens.

An engine calls `advance` with the share it has done, or lets `watching` read it while compiled code runs; `within` fits
the work of a helper into a part of the whole, `told_apart` does so for equal parts, and `stage` begins one of several.
Nobody listening costs next to nothing, and a listener hears of it ten times a second at most. What is computed never
depends on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")
_APART = 0.1  # seconds between two reports


@dataclass
class _Ear:
    """Who listens, and what was last said: shares only grow."""

    told: Callable[[float], None]
    last: float = 0.0
    when: float = field(default_factory=lambda: time.monotonic())
    lock: threading.Lock = field(default_factory=threading.Lock)

    def hear(self, share: float) -> None:
        with self.lock:
            now = time.monotonic()
            if share <= self.last or now - self.when < _APART:
                return
            self.last, self.when = share, now
        self.told(share)


@dataclass(frozen=True)
class _Stage:
    """The part of the whole that work now going on stands for."""

    ear: _Ear
    low: float = 0.0
    high: float = 1.0

    def hear(self, share: float) -> None:
        self.ear.hear(self.low + (self.high - self.low) * min(max(share, 0.0), 1.0))


_STAGE: ContextVar[_Stage | None] = ContextVar("microveil progress", default=None)


@contextmanager
def listening(told: Callable[[float], None] | None) -> Iterator[None]:
    """Tell a function, while this lasts, which share of the work is done."""
    token = _STAGE.set(None if told is None else _Stage(_Ear(told)))
    try:
        yield
    finally:
        _STAGE.reset(token)


@contextmanager
def within(low: float, high: float) -> Iterator[None]:
    """Work that takes the whole from one share to another."""
    whole = _STAGE.get()
    if whole is None:
        yield
        return
    span = whole.high - whole.low
    token = _STAGE.set(replace(whole, low=whole.low + span * low, high=whole.low + span * high))
    try:
        yield
    finally:
        _STAGE.reset(token)


@contextmanager
def stage(progress: Callable[[str, int, int], None] | None, what: str, number: int, total: int) -> Iterator[None]:
    """One of so many stages: `progress` is told that it begins, and its method `within`, if it has one, how far it is.

    Without a progress it is one part of the work that is listened to already.
    """
    if progress is None:
        with within((number - 1) / total, number / total):
            yield
        advance(number / total)
        return
    progress(what, number, total)
    told = getattr(progress, "within", None)
    with nullcontext() if told is None else listening(told):
        yield


def told_apart(items: Sequence[S], low: float, high: float, make: Callable[[S], T]) -> list[T]:
    """What is made of each item, each an equal part of the work from one share to another.

    >>> told_apart([1, 2], 0.0, 1.0, lambda one: 2 * one)
    [2, 4]
    """
    found = []
    part = (high - low) / max(len(items), 1)
    for number, item in enumerate(items):
        with within(low + part * number, low + part * (number + 1)):
            found.append(make(item))
        advance(low + part * (number + 1))
    return found


def begin_anew() -> None:
    """Another stage begins for whoever listens: shares grow from nothing again."""
    present = _STAGE.get()
    if present is not None:
        present.ear.last = 0.0


def advance(share: float) -> None:
    """Say that this share of the present work is done."""
    present = _STAGE.get()
    if present is not None:
        present.hear(share)


@contextmanager
def watching(read: Callable[[], float]) -> Iterator[None]:
    """Read the share that compiled code has done while it runs, from what it fills in."""
    present = _STAGE.get()
    if present is None:
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_APART):
            present.hear(read())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
