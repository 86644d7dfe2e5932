"""How far long work is, told from inside an engine to whoever listens.

An engine calls `advance` with the share it has done, or lets `watching` read it while compiled code runs; `within` fits
the work of a helper into a part of the whole. Nobody listening costs next to nothing, and a listener hears of it ten
times a second at most. What is computed never depends on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

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
    stage = _STAGE.get()
    if stage is None:
        yield
        return
    span = stage.high - stage.low
    token = _STAGE.set(replace(stage, low=stage.low + span * low, high=stage.low + span * high))
    try:
        yield
    finally:
        _STAGE.reset(token)


def advance(share: float) -> None:
    """Say that this share of the present work is done."""
    stage = _STAGE.get()
    if stage is not None:
        stage.hear(share)


@contextmanager
def watching(read: Callable[[], float]) -> Iterator[None]:
    """Read the share that compiled code has done while it runs, from what it fills in."""
    stage = _STAGE.get()
    if stage is None:
        yield
        return
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_APART):
            stage.hear(read())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
