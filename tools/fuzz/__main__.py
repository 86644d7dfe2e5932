"""Damage files and projects for a stated time, in processes that may crash; keep what fails.

python -m tools.fuzz --minutes 15                 every format and projects, in turn
python -m tools.fuzz --minutes 5 --kinds sav dta  some of them
python -m tools.fuzz.guided csv 5                 led by coverage of our own code, where atheris is installed
make fuzz-minute                                  half a minute of each

What fails is written to tests/fuzz/corpus as KIND--NUMBER.ENDING, which the tests read from then on.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.fuzz.targets import KINDS, PROJECT, fault_of, input_of

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
MEMORY = 6 * 2**30  # of addresses, much of which libraries reserve and never use
SLOWEST = 60.0  # seconds for an input of a few kilobytes
_DIGITS = 12


def main() -> None:
    """Read the words of the command and work until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS, metavar="KIND")
    parser.add_argument("--first", type=int, default=0, help="the number of the first damaged input")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(given.kinds, given.first, Path.cwd())
    else:
        sys.exit(supervise(given.kinds, given.first, given.minutes))


def work(kinds: list[str], number: int, folder: Path) -> None:
    """Try one input after the other; say each before it is tried, so that a crash can be told."""
    from tools.fuzz.seeds import sound_files

    _limit_memory()
    (folder / "data.csv").write_bytes(sound_files()["csv"][0])
    while True:
        for kind in kinds:
            print(json.dumps([number, kind]), flush=True)
            fault = fault_of(kind, input_of(kind, number), folder)
            if fault:
                print(json.dumps([number, kind, fault]), flush=True)
        number += 1


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def supervise(kinds: list[str], number: int, minutes: float) -> int:
    """Start workers until the time is over; the number of faults."""
    end, tried, faults = time.monotonic() + 60 * minutes, Counter[str](), Counter[str]()
    while time.monotonic() < end:
        number, crash = _one_worker(kinds, number, end, tried, faults)
        if crash:
            _keep(*crash, faults)
    print(f"{sum(tried.values())} inputs tried: {dict(tried)}")
    for fault, times in faults.most_common():
        print(f"{times} x {fault}")
    return min(len(faults), 100)


def _one_worker(
    kinds: list[str], number: int, end: float, tried: Counter[str], faults: Counter[str]
) -> tuple[int, tuple[int, str, str] | None]:
    """Follow one process; the number to go on with, and the input at which it ended unless the time was over."""
    words = [sys.executable, "-m", "tools.fuzz", "--worker", "--first", str(number), "--kinds", *kinds]
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        worker = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert worker.stdout is not None
        os.set_blocking(worker.stdout.fileno(), False)
        kind, since, rest = "", time.monotonic(), b""
        while time.monotonic() < end:
            read = worker.stdout.read() or b""
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                number, kind, *fault = json.loads(line)
                since = time.monotonic()
                tried[kind] += not fault
                if fault:
                    _keep(number, kind, fault[0], faults)
            ended = worker.poll()
            if ended is not None and not read:
                named = signal.Signals(-ended).name if ended < 0 else f"status {ended}"
                return number + 1, (number, kind, f"the process ended: {named}")
            if time.monotonic() - since > SLOWEST:
                worker.kill()
                worker.wait()
                return number + 1, (number, kind, f"no end within {SLOWEST:.0f} s")
            time.sleep(0.05)
        worker.kill()
        worker.wait()
    return number, None


def _keep(number: int, kind: str, fault: str, faults: Counter[str]) -> None:
    """Write an input that failed, one of each fault."""
    if not kind:
        raise SystemExit("a worker ended before it tried anything; run it with --worker to see why")
    named = f"{kind}: {fault}"
    faults[named] += 1
    if faults[named] == 1:
        print(f"input {number}: {named}", flush=True)
        CORPUS.mkdir(parents=True, exist_ok=True)
        ending = "yaml" if kind == PROJECT else kind
        (CORPUS / f"{kind.replace('.', '_')}--{number:0{_DIGITS}d}.{ending}").write_bytes(input_of(kind, number))


if __name__ == "__main__":
    main()
