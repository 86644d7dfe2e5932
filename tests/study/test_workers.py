"""Processes that answer: one after another, errors, what takes too long, and a process that breaks down."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial

import pytest

from microveil.core.errors import BadInput
from microveil.study import workers as working
from microveil.study.workers import Lost, Workers


@pytest.mark.full
def test_a_busy_machine_does_not_make_a_plan_slow(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(working, "_processor_seconds", lambda _: 3.0)  # nothing was worked, whatever the clock says
    monkeypatch.setattr(working, "_PATIENCE", 100)
    workers = Workers(partial(begin, 7), 1, 0.5, lost)
    try:
        assert workers.submit("nap").result(600)[:2] == (7, "nap")  # twice as long by the clock
        monkeypatch.setattr(working, "_PATIENCE", 2)
        assert workers.submit("sleep").result(600)[0] == 1  # but not for ever
        monkeypatch.setattr(working, "_processor_seconds", lambda _: None)  # where the system does not tell
        assert workers.submit("nap").result(600)[0] == 1
    finally:
        workers.close()


def begin(known: int) -> Callable[[str], tuple[int, str, int]]:
    return partial(answer, known)


def answer(known: int, question: str) -> tuple[int, str, int]:
    if question == "nap":
        time.sleep(1)
    if question == "sleep":
        time.sleep(600)
    if question == "break down":
        os._exit(1)
    if question == "refuse":
        raise BadInput("no such thing")
    return known, question, os.getpid()


def lost(question: str, why: Lost) -> tuple[int, str, int]:
    return int(why.too_long), f"{question}: {why.problem}", 0


@pytest.mark.long
def test_one_process_answers_until_it_must_be_ended():
    workers = Workers(partial(begin, 7), 1, 2.0, lost)
    try:
        asked = {one: workers.submit(one) for one in ("a", "refuse", "b", "sleep", "unwanted", "c", "break down", "d")}
        assert asked["unwanted"].cancel()  # it is passed over, so that others need not wait for it
        first, again, last = (asked[one].result(600) for one in "acd")
        assert first[:2] == (7, "a")
        assert first[2] not in (0, os.getpid())
        with pytest.raises(BadInput, match="no such thing"):
            asked["refuse"].result(600)
        assert asked["b"].result(600) == (7, "b", first[2])
        assert asked["sleep"].result(600) == (1, "sleep: it took more than 2 seconds and was given up", 0)
        assert asked["break down"].result(600)[:2] == (
            0,
            "break down: its process ended before it was done; memory may have run out",
        )
        assert len({first[2], again[2], last[2]}) == 3
        assert asked["unwanted"].cancelled()
    finally:
        workers.close()
    for process in (first[2], again[2], last[2]):
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
