"""A process that answers questions: `python -m microveil.study.worker`, driven through its input and output.

Messages are pickles with their length before them, from the process that started this one and from nobody else. What
libraries print goes nowhere, so that it cannot be taken for an answer.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import warnings
from typing import IO, Any

_LENGTH = struct.Struct(">Q")


def send(pipe: IO[bytes], message: Any) -> None:
    """Write one message."""
    body = pickle.dumps(message)
    pipe.write(_LENGTH.pack(len(body)) + body)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one message; EOFError where the other side has ended."""
    return pickle.loads(_exactly(pipe, _LENGTH.unpack(_exactly(pipe, _LENGTH.size))[0]))


def _exactly(pipe: IO[bytes], wanted: int) -> bytes:
    found = b""
    while len(found) < wanted:
        more = pipe.read(wanted - len(found))
        if not more:
            raise EOFError
        found += more
    return found


def serve() -> None:
    """Answer what is asked until nobody asks any more; an answer comes with whether it is an error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; who started this one ends it
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    asked = sys.stdin.buffer
    sys.path[:] = receive(asked)
    warnings.simplefilter("ignore")  # what there is to say about a plan is among its figures
    begin = receive(asked)
    answer = begin()
    send(answers, "ready")
    while True:
        question = receive(asked)
        try:
            found = False, answer(question)
        except Exception as problem:  # noqa: BLE001 - told to the one who asked
            found = True, problem
        send(answers, found)


if __name__ == "__main__":
    try:
        serve()
    except (EOFError, BrokenPipeError):
        sys.exit(0)
