"""Work in a process of its own: answers, errors, what takes too long, and a process that breaks down."""

from __future__ import annotations

import os
import time

import pytest

from microveil.core.errors import BadInput
from microveil.plan.apart import Apart


def answer(known: int, question: str) -> tuple[int, str, int]:
    if question == "sleep":
        time.sleep(600)
    if question == "break down":
        os._exit(1)
    if question == "refuse":
        raise BadInput("no such thing")
    return known, question, os.getpid()


def test_one_process_answers_until_it_must_be_ended():
    with Apart(answer, 7) as worker:
        first = worker.ask("a", 60)
        assert first is not None
        assert first[:2] == (7, "a")
        assert first[2] != os.getpid()
        with pytest.raises(BadInput, match="no such thing"):
            worker.ask("refuse", 60)
        assert worker.ask("b", 60) == (7, "b", first[2])
        assert worker.ask("sleep", 0.2) is None
        with pytest.raises(ProcessLookupError):
            os.kill(first[2], 0)
        again = worker.ask("c", 60)
        assert again is not None
        assert again[2] != first[2]
        assert worker.ask("break down", 60) is None
    with pytest.raises(ProcessLookupError):
        os.kill(again[2], 0)
