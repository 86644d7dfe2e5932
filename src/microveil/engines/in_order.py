"""Work on blocks by several threads, of which no more are held than are worked on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(items: Iterable[T], work: Callable[[T], R], threads: int, ahead: int = 1) -> Iterator[R]:
    """What comes of each item, in their order; the first error in that order is raised.

    So many items more than there are threads are taken ahead and wait.
    """
    if threads == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(copy_context().run, work, item))
                if len(waiting) >= threads + ahead:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()
