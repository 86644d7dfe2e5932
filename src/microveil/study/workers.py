"""Processes that measure plans side by side, each ended when its plan takes too long.

They are processes of their own, started afresh: compiled code cannot be stopped in a thread, and a user's script is not
run again in them. Results come in the order of asking; who runs what has no influence on them.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from typing import Protocol

from microveil.study.measuring import Bench, Task
from microveil.study.tried import Found
from microveil.study.worker import receive, send

# one thread each: the workers share the processors, and the numbers of libraries may depend on how many there are
_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


class Measurers(Protocol):
    """Whoever measures plans for a study."""

    def submit(self, task: Task) -> Future[Found]:
        """Have a plan measured."""

    def close(self) -> None:
        """End everything that still runs."""


class Here:
    """Plans measured in this process, when they are asked for; none can be given up."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def submit(self, task: Task) -> Future[Found]:
        """The plan, measured at once."""
        done: Future[Found] = Future()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done.set_result(self._bench.measure(task))
        return done

    def close(self) -> None:
        """Nothing runs any more."""


class Workers:
    """So many processes; a plan that takes longer than `longest` seconds is given up, and its process with it."""

    def __init__(self, bench: Bench, workers: int, longest: float) -> None:
        self._start = _starting(bench)
        self._longest = longest
        self._waiting: queue.SimpleQueue[tuple[Task, Future[Found]] | None] = queue.SimpleQueue()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._threads = [threading.Thread(target=self._drive, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, task: Task) -> Future[Found]:
        """Have a plan measured by the next worker that is free."""
        future: Future[Found] = Future()
        self._waiting.put((task, future))
        return future

    def close(self) -> None:
        """End all processes that were started here."""
        with self._lock:
            self._closed = True
            running = list(self._running)
        for process in running:
            process.kill()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _drive(self) -> None:
        """Hand tasks to one process after the other; a new one where the last was ended."""
        process: subprocess.Popen[bytes] | None = None
        while (asked := self._waiting.get()) is not None and not self._closed:
            task, future = asked
            try:
                if process is None or process.poll() is not None:
                    process = self._begin()
                found = self._ask(process, task)
            except CancelledError:
                break
            except Exception as problem:  # noqa: BLE001 - told where the result is waited for
                _settle(future, problem)
                continue
            _settle(future, found)
        if process is not None:
            self._end(process)

    def _begin(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise CancelledError
            process = self._start()
            self._running.add(process)
        assert process.stdout is not None
        try:
            receive(process.stdout)  # it is ready
        except EOFError:
            self._end(process)
            if self._closed:
                raise CancelledError from None
            raise RuntimeError("a process that measures plans ended as it began") from None
        return process

    def _ask(self, process: subprocess.Popen[bytes], task: Task) -> Found:
        """What a process finds; the reason if it takes too long or ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        too_long = threading.Event()

        def give_up() -> None:
            too_long.set()
            process.kill()

        timer = threading.Timer(self._longest, give_up)
        timer.start()
        try:
            send(process.stdin, task)
            found: Found = receive(process.stdout)
        except (EOFError, OSError):
            self._end(process)
            if self._closed:
                raise CancelledError from None
            if too_long.is_set():
                told = f"it took more than {self._longest:g} seconds and was given up"
                return Found("took too long", self._longest, told)
            return Found("failed", 0.0, "its process ended before it was done; memory may have run out")
        finally:
            timer.cancel()
        return found

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue  # what could not be written any more
        with self._lock:
            self._running.discard(process)


def _settle(future: Future[Found], outcome: Found | Exception) -> None:
    try:
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    except InvalidStateError:
        return  # nobody waits for it any more


def _starting(bench: Bench) -> Callable[[], subprocess.Popen[bytes]]:
    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "microveil.study.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_ALONE},
        )
        assert process.stdin is not None
        send(process.stdin, sys.path)
        send(process.stdin, (bench.source, bench.aims))
        return process

    return start
