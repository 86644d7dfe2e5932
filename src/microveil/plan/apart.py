"""Work in a process of its own, which is ended when it takes too long: what is compiled cannot be stopped otherwise."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Apart(Generic[Question, Answer]):
    """A process that answers one question after another by `answer(known, question)`.

    `known` is handed over once. A process that was ended is begun anew with the next question. Both must be importable
    or can be pickled; a question whose answer raises an error raises it here.
    """

    def __init__(self, answer: Callable[[Any, Question], Answer], known: object) -> None:
        self._answer, self._known = answer, known
        self._process: Any = None
        self._line: Connection | None = None

    def ask(self, question: Question, seconds: float) -> Answer | None:
        """The answer; None where it did not come in time."""
        line = self._begun()
        line.send(question)
        # a process that broke down closes the line, which counts as news too
        if not line.poll(max(seconds, 0.0)):
            self.end()
            return None
        try:
            failed, found = line.recv()
        except EOFError:
            self.end()
            return None
        if failed:
            raise found
        answer: Answer = found
        return answer

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            if self._line is not None:
                self._line.close()
        self._process = self._line = None

    def _begun(self) -> Connection:
        if self._line is None:
            context = multiprocessing.get_context("spawn")
            self._line, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self._answer, self._known), daemon=True)
            self._process.start()
            theirs.close()
            self._line.recv()  # it is ready: its start is not counted as work
        return self._line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


def _serve(line: Connection, answer: Callable[[Any, Any], Any], known: object) -> None:
    line.send("ready")
    while True:
        try:
            question = line.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            line.send((False, answer(known, question)))
        except Exception as problem:  # noqa: BLE001 - told to the one who asked
            line.send((True, problem))
