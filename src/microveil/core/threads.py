"""Work on all cores where the result does not depend on how many there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_WORTH = 50_000  # numbers below which starting threads takes longer than they save


def on_all_cores(task: Callable[[Item], Result], items: Iterable[Item], size: int) -> list[Result]:
    """What a task makes of each item, in their order; several at a time if each has many numbers (`size`).

    Only for tasks that release the interpreter's lock, and that do not see what the others do.
    """
    chosen = list(items)
    if size < _WORTH or len(chosen) < 2:
        return [task(item) for item in chosen]
    with ThreadPoolExecutor(min(len(chosen), os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(copy_context().run, task, item) for item in chosen]
        return [one.result() for one in waiting]
