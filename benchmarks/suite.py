"""Where the suite spends its time.

`python -m benchmarks.suite measure NAME [pytest options]` runs the tests and notes for each the processor time of its
process and of the processes that it starts, and the time on the clock. `python -m benchmarks.suite page BEFORE AFTER`
writes benchmarks/suite.md from two such runs: packages of tests, and the 30 slowest tests of each.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

NOTES = Path(__file__).with_name("suite")
PAGE = Path(__file__).with_name("suite.md")
SLOWEST = 30


class Spent(NamedTuple):
    """The time that one test used, in seconds."""

    test: str
    processor: float
    clock: float


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note what a test uses; one file for each process of pytest."""
    before = _now()
    yield
    processor, clock = (after - first for after, first in zip(_now(), before, strict=True))
    with Path(os.environ["MICROVEIL_SUITE"], f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as out:
        out.write(json.dumps([item.nodeid, round(processor, 3), round(clock, 3)]) + "\n")


def _now() -> tuple[float, float]:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used), time.perf_counter()


def measure(name: str, words: list[str]) -> int:
    """Run pytest with two processes and note what every test used."""
    folder = NOTES / name
    folder.mkdir(parents=True)
    command = ["pytest", "-p", "benchmarks.suite", "-n", "2", "--dist", "loadfile", "-q", *words]
    return subprocess.call([sys.executable, "-m", *command], env={**os.environ, "MICROVEIL_SUITE": str(folder)})


def read(name: str) -> list[Spent]:
    """Return what the tests of a run used."""
    lines = (line for path in (NOTES / name).glob("*.jsonl") for line in path.read_text().splitlines())
    return [Spent(*json.loads(line)) for line in lines]


def by_package(tests: list[Spent]) -> dict[str, tuple[int, float]]:
    """Return how many tests each folder has, and their processor seconds, the most expensive first."""
    found: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for test in tests:
        parts = test.test.split("::")[0].split("/")
        folder = "/".join(parts[:2]) if len(parts) > 2 else parts[0]
        count, used = found[folder]
        found[folder] = (count + 1, used + test.processor)
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))


def page(before: list[Spent], after: list[Spent]) -> str:
    """Return the page that shows two runs side by side."""
    sides = by_package(before), by_package(after)
    rows = [
        f"| {name} | {sides[0].get(name, (0, 0))[0]} | {sides[0].get(name, (0, 0.0))[1]:.0f} "
        f"| {sides[1].get(name, (0, 0))[0]} | {sides[1].get(name, (0, 0.0))[1]:.0f} |"
        for name in dict.fromkeys((*sides[0], *sides[1]))
    ]
    totals = [(len(tests), sum(test.processor for test in tests)) for tests in (before, after)]
    lines = [
        "# The suite",
        "",
        "Processor seconds of the tests of `make test` and of the processes that they start, compiling included.",
        "",
        "| | tests before | seconds before | tests after | seconds after |",
        "|---|---|---|---|---|",
        f"| all | {totals[0][0]:,} | {totals[0][1]:,.0f} | {totals[1][0]:,} | {totals[1][1]:,.0f} |",
        *rows,
    ]
    for title, tests in (("before", before), ("after", after)):
        slowest = sorted(tests, key=lambda test: -test.processor)[:SLOWEST]
        lines += ["", f"## The {SLOWEST} slowest tests {title}", "", "| test | processor seconds |", "|---|---|"]
        lines += [f"| `{test.test}` | {test.processor:.1f} |" for test in slowest]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", name, *words]:
            sys.exit(measure(name, words))
        case ["page", first, second]:
            PAGE.write_text(page(read(first), read(second)), encoding="utf-8")
        case _:
            sys.exit(__doc__)
