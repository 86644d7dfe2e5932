"""Processes that answer: one after another, errors, what takes too long, and a process that breaks down."""

from __future__ import annotations

import os
import subprocess
import sys
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


def begin_with(records: bytes) -> Callable[[str], int]:
    return partial(len_of, records)


def len_of(records: bytes, _: str) -> int:
    return len(records)


@pytest.fixture(params=["reads nothing", "says nothing"])
def silent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Stand-ins for processes, which never answer; a pipe that is not read is full at some point."""
    reading = "import sys; sys.stdin.buffer.read()" if request.param == "says nothing" else ""
    started = []

    def start() -> subprocess.Popen[bytes]:
        code = f"{reading}\nimport time; time.sleep(600)"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        started.append(subprocess.Popen([sys.executable, "-S", "-c", code], **pipes))
        return started[-1]

    monkeypatch.setattr(working, "_start", start)
    return started


def test_a_process_that_is_never_ready_is_ended(
    silent: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "_BEGINNING", 0.5)
    workers = Workers(partial(begin_with, bytes(1 << 20)), 1, 60.0, lambda *_: 0)
    try:
        with pytest.raises(RuntimeError, match=r"was not ready after 0\.5 seconds and was ended"):
            workers.submit("a").result(600)
        assert [process.poll() is not None for process in silent] == [True]
        monkeypatch.undo()
        assert workers.submit("a").result(600) == 1 << 20  # the next one is
    finally:
        workers.close()


def test_closing_ends_a_process_that_is_not_ready(silent: list[subprocess.Popen[bytes]]) -> None:
    workers = Workers(partial(begin_with, bytes(1 << 20)), 1, 60.0, lambda *_: 0)
    workers.submit("a")
    while not silent:
        time.sleep(0.01)
    workers.close()
    assert silent[0].poll() is not None
