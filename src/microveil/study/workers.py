"""Processes that answer questions side by side, such as measuring plans; one that takes too long is ended.

They are processes of their own, started afresh: compiled code cannot be stopped in a thread, and a user's script is not
run again in them. Who answers what has no influence on the answers.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from microveil.core.numbers import format_number
from microveil.study.worker import receive, send

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Asked = TypeVar("Asked", contravariant=True)

# one thread each: the workers share the processors, and the numbers of libraries may depend on how many there are
_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
_PATIENCE = 4  # times as long by the clock as a plan may take of the processor
# seconds until a process is ready: it loads the package and all records, which takes minutes on a crowded machine
_BEGINNING = 1800.0


class Lost(NamedTuple):
    """Why there is no answer: it took too long, or its process ended; in words, with the seconds that it had."""

    too_long: bool
    problem: str
    seconds: float


class Answering(Protocol[Asked, Answer]):
    """Whoever answers questions."""

    def submit(self, question: Asked) -> Future[Answer]:
        """Have a question answered."""

    def close(self) -> None:
        """End everything that still runs."""


class Here(Generic[Question, Answer]):
    """Questions answered in this process, when they are asked; nothing can be given up."""

    def __init__(self, answer: Callable[[Question], Answer]) -> None:
        self._answer = answer

    def submit(self, question: Question) -> Future[Answer]:
        """The answer, found at once."""
        done: Future[Answer] = Future()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done.set_result(self._answer(question))
        return done

    def close(self) -> None:
        """Nothing runs any more."""


class Workers(Generic[Question, Answer]):
    """So many processes; what takes longer than `longest` seconds is given up, and its process with it.

    Where the system tells them, these are seconds of the processor, so that other work on the machine does not count;
    four times as many by the clock are too long in any case.

    Each process calls `begin`, which returns what answers questions; both go through a pipe, as does every question.
    `lost` says what stands for an answer that did not come.
    """

    def __init__(
        self,
        begin: Callable[[], Callable[[Question], Answer]],
        workers: int,
        longest: float,
        lost: Callable[[Question, Lost], Answer],
    ) -> None:
        self._begin_with, self._longest, self._lost = begin, longest, lost
        self._waiting: queue.SimpleQueue[tuple[Question, Future[Answer]] | None] = queue.SimpleQueue()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._threads = [threading.Thread(target=self._drive, daemon=True) for _ in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, question: Question) -> Future[Answer]:
        """Have a question answered by the next worker that is free."""
        future: Future[Answer] = Future()
        self._waiting.put((question, future))
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
            question, future = asked
            if future.cancelled():  # nobody waits for it any more
                continue
            try:
                if process is None or process.poll() is not None:
                    process = self._begin()
                found = self._ask(process, question)
            except CancelledError:
                break
            except Exception as problem:  # noqa: BLE001 - told where the result is waited for
                _settle(future, problem)
                continue
            _settle(future, found)
        if process is not None:
            self._end(process)

    def _begin(self) -> subprocess.Popen[bytes]:
        """Start a process and wait until it is ready; one that does not answer in time is ended."""
        with self._lock:
            if self._closed:
                raise CancelledError
            process = _start()
            self._running.add(process)
        too_long = threading.Event()

        def give_up() -> None:
            too_long.set()
            process.kill()  # which ends the waiting below

        limit = threading.Timer(_BEGINNING, give_up)
        limit.daemon = True
        limit.start()
        try:
            _hand_over(process, self._begin_with)
        except (EOFError, OSError):
            self._end(process)
            if self._closed:
                raise CancelledError from None
            if not too_long.is_set():
                raise RuntimeError("a process that answers questions ended as it began") from None
        except Exception:
            self._end(process)
            raise
        finally:
            limit.cancel()
            limit.join()
        if too_long.is_set():
            self._end(process)  # also one that was ready at the last moment
            raise RuntimeError(
                f"a process that answers questions was not ready after {format_number(_BEGINNING)} seconds and was "
                "ended; the machine may be overloaded: use fewer workers"
            )
        return process

    def _ask(self, process: subprocess.Popen[bytes], question: Question) -> Answer:
        """What a process finds; the reason if it takes too long or ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        too_long = threading.Event()

        def watch() -> None:
            begun, used = time.monotonic(), _processor_seconds(process)
            while not done.wait(min(self._longest / 20, 1.0)):
                passed = time.monotonic() - begun
                worked = passed if used is None else (_processor_seconds(process) or 0.0) - used
                if worked > self._longest or passed > _PATIENCE * self._longest:
                    too_long.set()
                    process.kill()
                    return

        done = threading.Event()
        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            send(process.stdin, question)
            failed, found = receive(process.stdout)
        except (EOFError, OSError):
            self._end(process)
            if self._closed:
                raise CancelledError from None
            if too_long.is_set():
                seconds = "a second" if self._longest == 1 else f"{format_number(self._longest)} seconds"
                return self._lost(question, Lost(True, f"it took more than {seconds} and was given up", self._longest))
            told = "its process ended before it was done; memory may have run out"
            return self._lost(question, Lost(False, told, 0.0))
        finally:
            done.set()
            watcher.join()
        if too_long.is_set():  # the answer came at the last moment, and nothing more will
            self._end(process)
        if failed:
            raise found
        answer: Answer = found
        return answer

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


def _processor_seconds(process: subprocess.Popen[bytes]) -> float | None:
    """What a process took of the processors so far, where the system tells it in a file; else None."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        own, system = fields.split()[11:13]
        return (int(own) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return None


def _settle(future: Future[Answer], outcome: Answer | Exception) -> None:
    try:
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    except InvalidStateError:
        return  # nobody waits for it any more


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "microveil.study.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **_ALONE},
    )


def _hand_over(process: subprocess.Popen[bytes], begin: Callable[[], Callable[[Question], Answer]]) -> None:
    """Send a process what it needs, and wait until it is ready."""
    assert process.stdin is not None
    assert process.stdout is not None
    send(process.stdin, sys.path)
    send(process.stdin, begin)
    receive(process.stdout)
